"""Simulation in C against simulation in Python: numbers, events, errors by name; the cache."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Equations,
    Model,
    ModelError,
    ModelWarning,
    Result,
    SimulationError,
    simulate,
    simulations,
    sweep,
)
from mbcore.codegen.compiler import CompilerError, find_compiler
from mbcore.codegen.platforms import this_platform
from mbcore.contact.impact import Impact
from mbcore.elements import Body, Truss
from mbcore.integrators.method import Method
from mbcore.integrators.table import methods_in_c
from mbcore.native import cache, sources
from mbcore.native.cache import cache_folder
from mbcore.native.point_arrays import author_start
from mbcore.native.trust import refuse_strange
from tests.contact.test_impact import ball


def pulled() -> Model:
    """A mass on a spring whose other end is an input, with a limit, a warning and a switch."""
    model = Model("pulled")
    pull = model.input("pull", 0.0, unit="m")
    stiffness = model.parameter("stiffness", 4.0, unit="N/m", positive=True)
    point = model.point("point", (0, 0))
    point.y.fix()
    x = point.x.dof("x", "v", 1.0)
    point.x.law(stiffness * (x.value - pull) + 0.1 * x.rate)
    model.add(Body("mass", point, mass=1.0))
    model.require("reach", 3 - x.value, "it has left its rail; pull less")
    model.warn("far", 2 - x.value, "it is far out")
    model.output("energy", model.kinetic_energy, unit="J")
    return model


def test_c_seeks_configurations_from_the_values_of_the_model() -> None:
    """A start of other values is assembled from there, however far it is."""
    own = author_start(pulled().equations())
    assert [*own.p] == [4.0]
    assert ([*own.s], [*own.u]) == ([0.0, 1.0], [0.0])


@pytest.mark.parametrize("step", [0.02, 1e-3])
def test_a_driven_linkage_with_a_state_stays_on_its_way(step: float) -> None:
    """Newton's steps must not begin from values that rates have cached at another point."""
    model = Model("driven")
    ground, lifted = model.point("A", (0, 0), fixed=True), model.point("B", (0, 1))
    slider = model.point("C", (math.sqrt(3), 0))
    lifted.x.fix()
    slider.y.fix()
    model.add(Truss("rod", lifted, slider))
    model.add(Truss("lift", ground, lifted)).elongation.prescribe(0.3 * ca.sin(2 * model.time))
    z = model.state("z")
    model.derivative("z", slider.velocity[0])
    model.output("z twice", 2 * z)
    model.output("place", slider.x.value)
    run = simulate(model.equations(), 2.0, method="classical", max_step=step, backend="c")
    expected = np.sqrt(4 - (1 + 0.3 * np.sin(2 * run.time)) ** 2)
    np.testing.assert_allclose(run["place"], expected, atol=1e-14)


@pytest.mark.parametrize("backend", ["python", "c"])
def test_what_functions_of_inputs_give_is_taken_or_refused_by_name(
    spring: Equations, backend: Literal["python", "c"]
) -> None:
    def final(signal: Any, **others: Any) -> float:
        found = simulate(spring, 1.0, inputs={"pull": signal}, backend=backend, **others)
        return found.final("x")

    expected = final(0.5)
    for kind in (float, int, np.float32, lambda x: np.array([x]), ca.DM):
        assert final(lambda t, kind=kind: 0.5 * kind(1)) == pytest.approx(expected, rel=1e-9)
    for late, error, says in (
        (np.ones(2), ModelError, r"input pull at t = 0\..*has 2 components"),
        ("x", ModelError, r"input pull at t = 0\..*value = 'x'; give a number"),
        (None, ModelError, r"input pull at t = 0\..*value = None; give a number"),
        (ZeroDivisionError("no"), SimulationError, "input pull: its function fails at t = .*no"),
    ):

        def signal(t: float, late: Any = late) -> Any:
            if t > 0.5 and isinstance(late, Exception):
                raise late
            return late if t > 0.5 else 0.5

        with pytest.raises(error, match=says):
            final(signal)
    with pytest.raises(ModelError, match="input pull is nan at t = 0; let its function give"):
        final(lambda t: float("nan"))
    assert final(0.5, breaks=["500 ms"]) == pytest.approx(expected, rel=1e-9)
    with pytest.raises(ModelError, match="until = 5e-324: the end time must be"):
        simulate(spring, 5e-324, backend=backend)


@pytest.fixture(scope="module")
def spring() -> Equations:
    return pulled().equations()


def both(equations: Equations, until: float, **options: object) -> tuple[Result, Result]:
    """Return what Python and C make of the same simulation."""
    python, c = (
        simulate(equations, until, backend=backend, progress=False, **options)  # type: ignore[arg-type]
        for backend in ("python", "c")
    )
    return python, c


def largest_difference(python: Result, c: Result) -> float:
    """Return how far apart columns at the same times are, in parts of 1 and of their sizes."""
    assert np.array_equal(python.time, c.time)
    return max(
        float(np.abs(python[name] - c[name]).max() / (1 + np.abs(python[name]).max()))
        for name in python
    )


@pytest.mark.parametrize("method", methods_in_c(), ids=lambda method: method.name)
def test_every_method_follows_a_damped_oscillation(spring: Equations, method: Method) -> None:
    """x'' + 0.1 x' + 4 x = 0 from 1 m at rest, also between the ends of steps."""
    step = 2e-3 if method.equal_steps else math.inf
    run = simulate(
        spring, 5.0, method=method.name, backend="c", samples=101, rtol=1e-9, atol=1e-9,
        max_step=step,
    )  # fmt: skip
    w = math.sqrt(4 - 0.05**2)
    t = run.time
    exact = np.exp(-0.05 * t) * (np.cos(w * t) + 0.05 / w * np.sin(w * t))
    bound = max(2e-7, 10 * step**method.order) if method.equal_steps else 2e-7
    assert np.abs(run["x"] - exact).max() < bound
    assert run["energy"] == pytest.approx(run["v"] ** 2 / 2, abs=1e-14)


def test_functions_of_time_are_followed_as_in_python(spring: Equations) -> None:
    jump = {"pull": lambda t: math.sin(2 * t) if t < 3.0 else 0.5}
    python, c = both(spring, 4.0, inputs=jump, breaks=[3.0], samples=61)
    assert largest_difference(python, c) < 1e-8
    assert np.array_equal(python["pull"], c["pull"])


def test_bounces_and_rest_are_those_of_python() -> None:
    """The last bounces, which rounding decides, are not compared one by one."""
    python, c = both(ball(Impact(0.5)).equations(), 1.6, samples=33)
    first, there = python.events[:16], c.events[:16]
    assert [name for _, name in there] == [name for _, name in first] == ["floor.impact"] * 16
    assert [t for t, _ in there] == pytest.approx([t for t, _ in first], abs=1e-9)
    rest = [[t for t, name in run.events if name == "floor.closed"] for run in (python, c)]
    assert rest[0] == pytest.approx(rest[1], abs=1e-6)
    assert np.abs(python["height"] - c["height"]).max() < 1e-8
    assert c.final("force") == pytest.approx(0.3 * 9.81, rel=1e-12)


def test_what_must_hold_is_told_in_the_same_words(spring: Equations) -> None:
    said = []
    for backend in ("python", "c"):
        with (
            pytest.warns(ModelWarning, match=r"pulled: far = -.* it is far out"),
            pytest.raises(SimulationError) as refused,
        ):
            simulate(spring, 9.0, inputs={"pull": 2.5}, backend=backend)
        said.append(str(refused.value))
    assert all(text.startswith("pulled: reach = -") for text in said)
    assert all(text.endswith("it has left its rail; pull less") for text in said)


def test_what_a_function_of_time_raises_comes_out(spring: Equations) -> None:
    with pytest.raises(
        SimulationError, match=r"input pull is nan at t = .*; let its function give"
    ):
        simulate(spring, 1.0, inputs={"pull": lambda t: 0.0 if t < 0.5 else math.nan}, backend="c")
    with pytest.raises(SimulationError, match="ZeroDivisionError") as caught:
        simulate(spring, 1.0, inputs={"pull": lambda t: 1 / (0.0 if t > 0.5 else 1)}, backend="c")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no timer there")
@pytest.mark.parametrize("inputs", [{}, {"pull": math.sin}])
def test_a_run_can_be_interrupted(spring: Equations, inputs: dict[str, Any]) -> None:
    class Enough(BaseException):
        """As Ctrl-C no error of the input's function, in which the signal may come."""

    def handle(*_: object) -> None:
        raise Enough

    simulate(
        spring, 0.1, inputs=inputs, backend="c", method="DOP853"
    )  # compiled where it has not been
    before = signal.signal(signal.SIGALRM, handle)
    # again after a second: what comes within a callback of the collector of garbage is lost
    signal.setitimer(signal.ITIMER_REAL, 0.1, 1.0)
    try:
        with pytest.raises(Enough):
            simulate(spring, 1e6, inputs=inputs, backend="c", method="DOP853", samples=2)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_a_long_run_is_no_creeping() -> None:
    """At 100 rad/s, 1000 steps are 10 s: 1e6 s take 1e8 of them, which C makes in an hour."""

    def pull(t: float) -> float:
        if t > 30:
            raise RuntimeError("far enough")
        return 0.0

    model = Model("fast")
    z, v = model.state("z", start=1.0), model.state("v")
    model.derivative("z", v)
    model.derivative("v", -1e4 * z + model.input("pull"))
    with pytest.raises(SimulationError, match="far enough"):
        simulate(model.equations(), 1e6, inputs={"pull": pull}, samples=2, backend="c")


def test_methods_that_there_are_not_are_refused_by_name(spring: Equations) -> None:
    with pytest.raises(ModelError, match=r"no method 'BDF' with backend='c'.*rosenbrock.*'python'"):
        simulate(spring, 1.0, method="BDF", backend="c")
    with pytest.raises(ModelError, match=r"'rosenbrock' with backend='python'.*Radau.*'c'"):
        simulate(spring, 1.0, method="rosenbrock", backend="python")
    with pytest.raises(ModelError, match=r"no backend 'fortran'; there is 'auto', 'python'"):
        simulate(spring, 1.0, backend="fortran")  # type: ignore[arg-type]


def test_parameters_and_start_values_need_no_compiler(
    spring: Equations, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulate(spring, 0.1, backend="c")
    monkeypatch.setattr(cache, "find_compiler", lambda *_: pytest.fail("it compiles again"))
    changed = simulate(
        spring, 1.0, backend="c", parameters={"stiffness": 9.0}, start={"x": 0.5}, samples=[1.0]
    )
    w = math.sqrt(9 - 0.05**2)
    exact = 0.5 * math.exp(-0.05) * (math.cos(w) + 0.05 / w * math.sin(w))
    assert changed.final("x") == pytest.approx(exact, abs=1e-8)
    simulate(pulled().equations(), 0.1, backend="c")  # the same content


@pytest.mark.heavy
def test_c_that_was_changed_under_a_process_is_not_compiled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A field more in what Python and C share shifts all behind it, and nobody sees it."""
    simulate(pulled().equations(), 0.1, backend="c")
    changed = shutil.copytree(sources.OWN, tmp_path / "native")
    header = changed / "mb_native.h"
    header.write_text(header.read_text().replace("gives_inputs, ", "gives_inputs, each_step, ", 1))
    monkeypatch.setattr(sources, "OWN", changed)
    again = simulate(pulled().equations(), 0.1, backend="c")  # in the cache by what was loaded
    assert again.final("x") == pytest.approx(0.980, abs=1e-3)
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    with pytest.raises(CompilerError, match=r"pulled: .*changed since .*; start Python again"):
        simulate(pulled().equations(), 0.1, backend="c")


@pytest.mark.heavy
def test_a_damaged_library_is_made_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MBCORE_CACHE", str(tmp_path))
    simulate(pulled().equations(), 0.1, backend="c")
    (library,) = tmp_path.glob(f"*{this_platform().suffix}")
    whole = library.read_bytes()
    library.unlink()  # this process has it open
    library.write_bytes(whole[: len(whole) // 2])
    simulate(pulled().equations(), 0.1, backend="c")
    assert library.read_bytes() == whole


STRANGER = 54321
"""A user who is nobody on this machine."""
by_root = pytest.mark.skipif(
    sys.platform == "win32" or os.getuid() != 0, reason="only root gives files to others"
)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps rights in another form")
@pytest.mark.parametrize("mode", [0o777, 0o757, 0o1777, 0o700])
def test_a_cache_that_others_can_write_is_refused(mode: int, tmp_path: Path) -> None:
    """What all can write passes where it is sticky, as where temporary files are."""
    shared, inside = tmp_path / "shared", tmp_path / "shared" / "cache"
    inside.mkdir(parents=True, mode=0o700)
    shared.chmod(mode)
    for folder in (shared, inside):
        if mode in (0o1777, 0o700):
            refuse_strange(folder, "remedy")
            continue
        words = rf"{shared} can be written by others \(mode {mode:04o}\).*chmod go-w.*remedy"
        with pytest.raises(CompilerError, match=words):
            refuse_strange(folder, "remedy")


@by_root
def test_nothing_is_loaded_from_a_stranger_s_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "theirs" / "cache"
    folder.mkdir(parents=True)
    monkeypatch.setenv("MBCORE_CACHE", str(folder))
    for place in (folder, folder.parent):
        os.chown(place, STRANGER, STRANGER)
        with pytest.raises(
            CompilerError, match=rf"{place} belongs to somebody .user 54321.*MBCORE"
        ):
            cache_folder()
        os.chown(place, 0, 0)
    assert cache_folder() == folder


@by_root
@pytest.mark.heavy
def test_a_stranger_s_library_is_refused_and_one_that_others_can_write_made_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MBCORE_CACHE", str(tmp_path))
    tmp_path.chmod(0o1777)
    simulate(pulled().equations(), 0.1, backend="c")
    (library,) = tmp_path.glob(f"*{this_platform().suffix}")
    (objects,) = (place for place in tmp_path.glob("runtime-*") if place.is_dir())
    assert library.stat().st_mode & 0o077 == objects.stat().st_mode & 0o077 == 0
    for place in (library, objects):
        os.chown(place, STRANGER, STRANGER)
        if place == objects:
            library.unlink()
        with pytest.raises(CompilerError, match=f"{place} belongs to .*, so nothing is loaded"):
            simulate(pulled().equations(), 0.1, backend="c")
        os.chown(place, 0, 0)
    simulate(pulled().equations(), 0.1, backend="c")
    library.chmod(0o722)
    first = library.stat().st_mtime_ns
    simulate(pulled().equations(), 0.1, backend="c")
    assert library.stat().st_mtime_ns > first and library.stat().st_mode & 0o022 == 0


def noting_compiler(folder: Path) -> tuple[str, Path]:
    """Return a compiler that notes each call and optimizes nothing, and where it does so."""
    noted, script = folder / "calls.txt", folder / "noting"
    real = " ".join(find_compiler().command)
    script.write_text(f'#!/bin/sh\necho "$@" >> "{noted}"\nexec {real} "$@" -O0\n')
    script.chmod(0o700)
    return str(script), noted


SHARED = """
import sys
sys.path.insert(0, {root!r})
from tests.native.test_native import pulled
from mbcore import simulate
run = simulate(pulled().equations(), 1.0, backend="c", samples=[1.0])
print(repr(run.final("x")))
"""


@pytest.mark.heavy
@pytest.mark.skipif(sys.platform == "win32", reason="the compiler that notes is a shell script")
def test_many_processes_at_once_compile_once(tmp_path: Path) -> None:
    """Their cache begins empty, so that the runtime is compiled too."""
    compiler, noted = noting_compiler(tmp_path)
    text = SHARED.format(root=str(Path(__file__).parents[2]))
    kept = tmp_path / "kept"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", text],
            env=os.environ | {"CC": compiler, "MBCORE_CACHE": str(kept)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = {process.communicate(timeout=1200)[0] for process in processes}
    assert len(said) == 1 and float(said.pop()) == simulate(
        pulled().equations(), 1.0, backend="c", samples=[1.0]
    ).final("x")
    lines = noted.read_text().splitlines()
    assert sum("equations.c " in line for line in lines) == 1
    assert sum("steps.c " in line for line in lines) == 1
    assert len(list(kept.glob(f"*{this_platform().suffix}"))) == 1


@pytest.mark.heavy
def test_a_sweep_in_processes_gives_what_single_runs_give(spring: Equations) -> None:
    stiffnesses = [1.0, 2.0, 4.0, 8.0]
    task = simulations(spring, 3.0, outputs=["x"], backend="c")
    data = sweep(task, {"stiffness": stiffnesses}, workers=2, progress=False)
    alone = sweep(task, {"stiffness": stiffnesses}, workers=1, progress=False)
    assert np.array_equal(data.x, alone.x)
    for stiffness in stiffnesses:
        # Lanes, which C has for any number of points, step by the tolerance of 1e-9 on their own.
        run = simulate(spring, 3.0, parameters={"stiffness": stiffness}, backend="c")
        assert float(data.x.sel(stiffness=stiffness)) == pytest.approx(run.final("x"), rel=1e-9)


def test_runs_in_threads_do_not_disturb_each_other(spring: Equations) -> None:
    def final(stiffness: float) -> float:
        return simulate(
            spring, 3.0, parameters={"stiffness": stiffness}, backend="c", progress=False
        ).final("x")

    values = [1.0 + 0.5 * i for i in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(final, values)) == [final(value) for value in values]


def test_the_oldest_libraries_make_room(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    suffix = this_platform().suffix
    for i, name in enumerate(("old", "middle", "new")):
        file = tmp_path / f"{name}{suffix}"
        file.write_bytes(bytes(100))
        os.utime(file, (i, i))
    monkeypatch.setattr(cache, "MOST_BYTES", 250)
    cache._delete_oldest(tmp_path, tmp_path / f"new{suffix}")
    assert {file.stem for file in tmp_path.iterdir()} == {"middle", "new"}


def test_a_folder_that_cannot_be_written_is_named(
    spring: Equations, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("MBCORE_CACHE", str(tmp_path / "file" / "inside"))
    with pytest.raises(CompilerError, match=r"cannot be kept in .*inside .*MBCORE_CACHE.*'python'"):
        simulate(pulled().equations(), 0.1, backend="c")
