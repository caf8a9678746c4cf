"""Sweeps: the same values as single calls, whoever evaluates them; failures and interruptions."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray
from scipy import stats

from mbcore import (
    Body,
    Linearizer,
    Model,
    ModelError,
    ModelWarning,
    Samples,
    SimulationError,
    Workers,
    linearizations,
    simulate,
    simulations,
    steady_motion,
    steady_motions,
    sweep,
)
from mbcore.equations.equations import Equations
from mbcore.fmus import rolling_disk
from mbcore.native.compiled import VARIABLE
from mbcore.sweeps.identity import digest_of, digest_of_equations, identity_of
from mbcore.sweeps.measured import Cost
from mbcore.sweeps.outcome import Labelled
from tests.pendulum import pendulum

LENGTHS, DAMPINGS = [0.3, 0.5, 0.9], [0.0, 0.4]
GRID = {"rod.length": LENGTHS, "pivot.damping": DAMPINGS}
HANGING = {"pendulum.angle": 0.0}


def same_bytes(one: xarray.Dataset, other: xarray.Dataset) -> bool:
    xarray.testing.assert_identical(one, other)
    numbers = [name for name in one.variables if one[name].dtype != object]
    return all(one[n].values.tobytes() == other[n].values.tobytes() for n in numbers)


# Numbers


def test_linearizations_are_those_of_single_calls_and_of_the_closed_form() -> None:
    equations = pendulum().equations()
    data = sweep(linearizations(equations, HANGING, parameters={"bob.mass": 3.0}), GRID, workers=1)
    assert data.growth.dims == ("rod.length", "pivot.damping")
    assert data["rod.length"].attrs["units"] == "m" and data.growth.attrs["units"] == "1/s"
    linearizer = Linearizer(equations)
    for length in LENGTHS:
        for damping in DAMPINGS:
            found = data.sel({"rod.length": length, "pivot.damping": damping})
            values = {"bob.mass": 3.0, "rod.length": length, "pivot.damping": damping}
            single = linearizer.at(HANGING, parameters=values).eigenvalues(zeros=True)
            assert found.eigenvalues.values.tobytes() == single.tobytes()
            decay = damping / (2 * 3.0 * length**2)
            frequency = np.sqrt(9.81 / length - decay**2)
            assert found.growth == pytest.approx(-decay, abs=1e-12)
            assert abs(found.eigenvalues[0].item().imag) == pytest.approx(frequency, rel=1e-12)
            assert found.stable == (damping > 0)
    assert (data.error == "").all()


def test_matrices_carry_the_names_of_their_rows_and_columns() -> None:
    task = linearizations(pendulum, HANGING, give=["M", "state_matrix"])
    data = sweep(task, {"bob.mass": [1.0, 4.0]}, workers=1)
    assert data.M.values.ravel() == pytest.approx([0.25, 1.0])
    slope = data.state_matrix.sel(state="pendulum.rate", by_state="pendulum.angle")
    assert slope.values == pytest.approx(-9.81 / 0.5)


def test_values_may_be_texts_with_units() -> None:
    task = linearizations(pendulum, HANGING, parameters={"bob.mass": "3000 g"}, give=["M"])
    data = sweep(task, {"rod.length": ["30 cm", 0.5]}, workers=1)
    assert data["rod.length"].values == pytest.approx([0.3, 0.5])
    assert data.M.values.ravel() == pytest.approx([3 * 0.3**2, 3 * 0.5**2])
    with pytest.raises(ModelError, match=r"rod.length"):
        sweep(task, {"rod.length": ["30 kg"]}, workers=1)


@pytest.mark.heavy
def test_values_depend_on_neither_workers_nor_order() -> None:
    task = linearizations(pendulum, HANGING)
    one, two = (sweep(task, GRID, workers=n) for n in (1, 2))
    assert same_bytes(one, two)
    turned = {name: values[::-1] for name, values in GRID.items()}
    assert same_bytes(sweep(task, turned, workers=1).sortby(list(GRID)), one)


def test_simulations_return_final_values_courses_and_summaries() -> None:
    equations = pendulum().equations()
    starts = {"pendulum.angle": [0.1, 0.2]}
    direct = simulate(equations, 0.7, start={"pendulum.angle": 0.2}, samples=5, rtol=1e-7)
    final = sweep(simulations(equations, 0.7, rtol=1e-7), starts, workers=1)
    assert final["bob.x"][1] == direct["bob.x"][-1]
    assert final["bob.x"].attrs["units"] == "m"
    assert final["pendulum.angle.final"][1] == direct["pendulum.angle"][-1]
    courses = sweep(
        simulations(equations, 0.7, outputs=["bob.x"], samples=5, rtol=1e-7), starts, workers=1
    )
    assert np.array_equal(courses["bob.x"][1], direct["bob.x"])
    assert courses.time.values == pytest.approx(np.linspace(0, 0.7, 5))
    highest = sweep(
        simulations(equations, 0.7, outputs=lambda run: run["bob.y"].max(), rtol=1e-7),
        starts,
        workers=1,
    )
    assert highest.value[1] >= direct["bob.y"].max()


@pytest.mark.heavy
def test_steady_motions_are_those_of_single_calls_with_their_stability() -> None:
    equations = rolling_disk.model().equations()
    task = steady_motions(
        equations, {"disk.lean": 0.3}, guess={"disk.yaw_rate": -1.0}, linearized=True
    )
    data = sweep(task, {"disk.pitch_rate": [0.5, 0.7]}, workers=1)
    for rate in (0.5, 0.7):
        single = steady_motion(
            equations,
            {"disk.lean": 0.3, "disk.pitch_rate": rate},
            guess={"disk.yaw_rate": -1.0},
        )
        found = data.sel({"disk.pitch_rate": rate})
        assert found["disk.yaw_rate"] == single.state["disk.yaw_rate"]
        about = Linearizer(equations).at(single.state, inputs=single.inputs)
        assert found.growth == about.eigenvalues()[0].real


def test_any_function_may_be_swept() -> None:
    def task(point: dict[str, float]) -> dict[str, object]:
        x, n = point["x"], point["n"]
        root = np.sqrt(complex(x)) if x < 0 else np.sqrt(x)
        lines = xarray.DataArray([x, x * n], dims="line", coords={"line": [1, 2]}, name="lines")
        return {"root": root, "lines": lines.assign_attrs(units="m"), "whole": isinstance(n, int)}

    data = sweep(task, {"x": [4.0, -4.0], "n": [1, 2, 3]}, workers=2)
    assert data.root.values[:, 0].tolist() == [2, 2j]
    assert data.lines.dims == ("x", "n", "line") and data.lines.attrs == {"units": "m"}
    assert data.lines.sel(x=-4.0, n=3, line=2) == -12
    assert data.whole.all()
    assert sweep(lambda p: p["x"] ** 2, {"x": [3.0]}, workers=1).value.item() == 9


# Samples


@pytest.mark.heavy
def test_samples_of_distributions_are_reproducible_and_follow_them() -> None:
    parameters = {"a": stats.norm(2.0, 0.5), "b": stats.uniform(1, 2), "c": np.arange(400.0)}

    def task(point: dict[str, float]) -> float:
        return point["a"] + point["b"]

    data = sweep(task, parameters, workers=2, samples=Samples(400, seed=1))
    assert data.value.dims == ("sample",) and data.attrs["seed"] == 1
    assert data.value.values.tolist() == (data.a + data.b).values.tolist()
    assert data.c.values.tolist() == list(range(400))
    assert stats.kstest(data.a, stats.norm(2.0, 0.5).cdf).pvalue > 0.01
    assert same_bytes(data, sweep(task, parameters, workers=1, samples=Samples(400, seed=1)))
    unseeded = sweep(task, parameters, samples=400, workers=1)
    again = sweep(task, parameters, workers=1, samples=Samples(400, seed=unseeded.attrs["seed"]))
    assert same_bytes(unseeded, again) and not (unseeded.a == data.a).all()


@pytest.mark.parametrize("design", ["latin", "sobol"])
def test_even_designs_meet_every_part_of_a_distribution_once(design: str) -> None:
    given = {"a": stats.norm(0, 1), "b": stats.uniform(0, 1)}
    data = sweep(lambda p: p["a"], given, workers=1, samples=Samples(64, seed=3, design=design))
    for name, distribution in given.items():
        parts = np.floor(64 * distribution.cdf(data[name].values)).astype(int)
        assert sorted(parts) == list(range(64))


# Failures


def failing(point: dict[str, float]) -> dict[str, float]:
    x = point["x"]
    if x == 2:
        raise ZeroDivisionError("no two")
    return {"y": float("nan") if x == 4 else 2 * x}


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.heavy)])
def test_failures_of_single_points_are_kept(workers: int) -> None:
    with pytest.warns(ModelWarning, match=r"2 of 6 .* x = 2: ZeroDivisionError: no two"):
        data = sweep(failing, {"x": np.arange(6)}, workers=workers)
    assert data.y.values == pytest.approx([0, 2, np.nan, 6, np.nan, 10], nan_ok=True)
    assert data.error.values.tolist() == [
        *["", "", "ZeroDivisionError: no two", ""],
        *["y: not a finite number", ""],
    ]
    with pytest.raises(SimulationError, match="at x = 2: ZeroDivisionError: no two"):
        sweep(failing, {"x": [1, 2]}, workers=workers, errors="raise")
    with pytest.raises(SimulationError, match=r"at all 1 points .* x = 2: ZeroDivisionError"):
        sweep(failing, {"x": [2]}, workers=workers)


def test_a_worker_that_dies_is_named_with_its_point() -> None:
    def task(point: dict[str, float]) -> float:
        if point["x"] in (3, 4):
            os.kill(os.getpid(), signal.SIGKILL)
        return point["x"]

    with pytest.warns(ModelWarning, match=r"x = 3: the worker process died by signal SIGKILL"):
        data = sweep(task, {"x": np.arange(20)}, workers=2)
    assert np.flatnonzero(data.error != "").tolist() == [3, 4]
    assert data.value.sum() == sum(range(20)) - 7


def test_functions_of_users_never_run_in_the_callers_process() -> None:
    def task(point: dict[str, float]) -> float:
        if point["x"] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid()

    with pytest.warns(ModelWarning, match=r"x = 0: the worker process died by signal SIGKILL"):
        data = sweep(task, {"x": np.arange(3)})
    assert (data.value[1:] != os.getpid()).all()
    own = simulations(pendulum, 1.0, outputs=["bob.x"])
    assert not own.foreign and own.with_inputs({"pivot.torque": lambda t: t}).foreign
    assert simulations(pendulum, 1.0, outputs=lambda run: 1.0).foreign


def test_as_many_processes_are_started_as_pay(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of least time by trying all; long points get a second process, short ones not."""
    cost = Cost(0.07, 0.01)
    for seconds in (0.05, 0.2, 0.4, 3.0, 60.0):
        total = [seconds, *(seconds / n + cost.begin + n * cost.each for n in range(2, 100))]
        best = cost.number(seconds, 99)
        assert total[best - 1] <= 1.12 * min(total)
        assert cost.number(seconds, 4) <= min(best, 4)
    monkeypatch.setattr("mbcore.sweeps.sweep._count", lambda given: given.number or 2)

    def wait(point: dict[str, float]) -> float:
        time.sleep(0.15)
        return os.getpid()

    with monkeypatch.context() as cheap:  # whatever the memory of the tests makes a fork cost
        cheap.setattr(Cost, "of", lambda method: Cost(0.01, 0.002))
        long = sweep(wait, {"x": [1.0, 2.0, 3.0]})
    assert long.attrs["workers"].startswith("2 processes") and len(set(long.value.values)) == 2
    task = linearizations(pendulum().equations(), HANGING)
    short = sweep(task, {"rod.length": LENGTHS})
    assert short.attrs["workers"].startswith("this process: ")
    assert same_bytes(
        short.assign_attrs(workers=""),
        sweep(task, {"rod.length": LENGTHS}, workers=1).assign_attrs(workers=""),
    )


class InLanes:
    """A task whose values at many points at once differ in the last digits."""

    def at_many(self, points: list[dict]) -> tuple[np.ndarray, dict[str, Labelled]]:
        return np.ones(len(points), bool), {"y": Labelled(np.array([p["x"] for p in points]))}

    def __call__(self, point: dict[str, float]) -> dict[str, float]:
        return {"y": np.nextafter(point["x"], np.inf)}


@pytest.mark.parametrize("workers", [1, 2, None])
def test_the_last_digits_do_not_depend_on_portions(workers: int | None) -> None:
    data = sweep(InLanes(), {"x": np.arange(1.0, 12.0)}, workers=workers)
    assert (data.y == data.x).all()


def test_warnings_of_a_task_are_told_once() -> None:
    task = linearizations(pendulum)
    with pytest.warns(ModelWarning) as said:
        data = sweep(task, {"pendulum.angle": [0.1, 0.0, 0.2]}, workers=1)
    assert len(said) == 1
    assert "warned at 2 of 3 points, first at pendulum.angle = 0.1" in str(said[0].message)
    assert np.isfinite(data.growth).all()


def test_a_task_that_returns_other_shapes_is_named_with_its_point() -> None:
    with pytest.raises(ModelError, match=r"at n = 3 than at n = 2: value of shape \(3,\)"):
        sweep(lambda p: np.ones(p["n"]), {"n": [2, 3]}, workers=1)
    with pytest.raises(ModelError, match=r"n = 3 .*: a, b at one of them only"):
        sweep(lambda p: {"a": 1} if p["n"] == 2 else {"b": 1}, {"n": [2, 3]}, workers=1)


def test_truths_are_values_of_a_parameter() -> None:
    data = sweep(lambda p: 2.0 if p["heavy"] is True else 1.0, {"heavy": [False, True]}, workers=1)
    assert data.value.values.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({},), "no parameters"),
        (({"x": []},), "x has no values"),
        (({"x": 3.0},), r"x = 3.0 is one value; give a list, as in \[3.0\]"),
        (({"x": [1.0, np.nan]},), r"x\[1\] = nan is not a finite number"),
        (({"x": [[1.0]]},), "of shape"),
        (({"x": ["a"]},), "give numbers in one row"),
        (({"error": [1.0]},), "names of the dataset"),
        (({"value": [1.0]},), "returns 'value', which is the name of a parameter"),
        (({"x": np.arange(1e5), "y": np.arange(1e6)},), "100000 x 1000000 = .* half of the memory"),
        (({"x": stats.norm(0, 1)},), "say how many samples"),
    ],
)
def test_impossible_parameters_are_refused(arguments: tuple, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        sweep(lambda p: 1.0, *arguments, workers=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samples": 3}, "x has 2 values, but samples = 3"),
        ({"samples": 0}, "samples = 0"),
        ({"samples": Samples(2, design="even")}, "design = 'even' is unknown"),  # type: ignore[arg-type]
        ({"samples": Samples(2, seed=-1)}, "seed = -1"),
        ({"workers": 0}, "workers = 0"),
        ({"errors": "ignore"}, "errors = 'ignore'"),
        ({"keep": "map.nc"}, "ends in .npz"),
        ({"workers": Workers(start_method="thread")}, "start_method = 'thread'"),  # type: ignore[arg-type]
        ({"workers": Workers(client="localhost")}, "give a dask.distributed.Client"),
    ],
)
def test_impossible_arguments_are_refused(options: dict, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        sweep(lambda p: 1.0, {"x": [1.0, 2.0]}, **options)


def test_unknown_and_fixed_names_are_refused() -> None:
    task = linearizations(pendulum, HANGING, parameters={"bob.mass": 1.0})
    with pytest.raises(ModelError, match=r"no parameter, input or state 'rod.lenght'.* rod.length"):
        sweep(task, {"rod.lenght": [1.0]}, workers=1)
    with pytest.raises(ModelError, match=r"bob.mass is swept, but the task gives it the value 1"):
        sweep(task, {"bob.mass": [1.0]}, workers=1)
    with pytest.raises(ModelError, match=r"no result 'bob.z'"):
        sweep(simulations(pendulum, 1, outputs=["bob.z"]), {"bob.mass": [1.0]}, workers=1)
    with pytest.raises(ModelError, match="simulate has no argument tolerance"):
        simulations(pendulum, 1, tolerance=1e-3)
    with pytest.raises(ModelError, match="names no function"):
        linearizations("pendulum:pendulums")
    with pytest.raises(SimulationError, match="the task returned value = None; give a number"):
        sweep(lambda p: None, {"x": [1.0]}, workers=1)


def test_equations_are_not_sent_to_processes_that_do_not_inherit_them() -> None:
    task = linearizations(pendulum().equations(), HANGING)
    with pytest.raises(ModelError, match="give the function that makes them instead"):
        sweep(task, {"bob.mass": [1.0, 2.0]}, workers=Workers(2, start_method="spawn"))
    with pytest.raises(ModelError, match="the task cannot be sent to other processes"):
        sweep(lambda p: 1.0, {"x": [1.0, 2.0]}, workers=Workers(2, start_method="spawn"))


# Interruption


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_sweep_returns_what_is_done_and_goes_on(
    workers: int, tmp_path: Path
) -> None:
    caller, mark, file = os.getpid(), tmp_path / "interrupted", tmp_path / "kept.npz"

    def task(point: dict[str, float]) -> dict[str, float]:
        if point["x"] == 60 and not mark.exists():
            mark.touch()
            os.kill(caller, signal.SIGINT)
            time.sleep(1.0)  # until the caller has taken notice, however busy the machine is
        return {"y": point["x"] ** 2, "who": 1.0 if mark.exists() else 0.0}

    with pytest.warns(ModelWarning, match="interrupted, .* of 100 points are evaluated"):
        part = sweep(task, {"x": np.arange(100)}, workers=workers, keep=file)
    done = np.isfinite(part.y)
    assert 1 <= done.sum() < 100
    assert (part.error[~done] == "not evaluated: the sweep was interrupted").all()
    assert part.attrs["interrupted"] == f"{int(done.sum())} of 100 points are evaluated"
    whole = sweep(task, {"x": np.arange(100)}, workers=workers, keep=file)
    assert whole.y.values.tolist() == [x**2 for x in range(100)]
    assert "interrupted" not in whole.attrs
    assert (whole.who[done] == part.who[done]).all(), "what was done is not done again"
    assert (whole.who[~done] == 1).all()


def test_a_file_of_another_sweep_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "kept.npz"
    task = linearizations(pendulum, HANGING, give=["M", "growth"])
    first = sweep(task, GRID, workers=1, keep=file)
    assert same_bytes(sweep(task, GRID, workers=1, keep=file), first)
    with pytest.raises(ModelError, match="with other points; give"):
        sweep(task, {**GRID, "pivot.damping": [0.0]}, workers=1, keep=file)
    with pytest.raises(ModelError, match="with another task "):
        sweep(linearizations(pendulum, HANGING), GRID, workers=1, keep=file)
    file.write_text("nothing")
    with pytest.raises(ModelError, match="holds no sweep"):
        sweep(task, GRID, workers=1, keep=file)


def test_lanes_are_compiled_for_many_points_or_where_c_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Compiling takes as long as some hundred points of a small model do in Python."""
    compiled: list[bool] = []
    place = "mbcore.sweeps.simulations"
    monkeypatch.setenv(VARIABLE, "auto")
    monkeypatch.setattr(f"{place}.batch_of", lambda _, compile_it: compiled.append(compile_it))
    monkeypatch.setattr(f"{place}.compile_ahead", lambda *_: None)
    counts = []
    for points, options in ((499, {}), (500, {}), (1, {"backend": "c"})):
        simulations(oscillator().equations(), 1.0, outputs=["x"], **options).prepare(points)
        counts.append(len(compiled))
    assert counts == [0, 1, 2] and all(compiled)


def oscillator(mass: float = 1.0, role: str = "spring", start: float = 0.1) -> Model:
    """Return a mass on a spring of 4 N/m, whose name says nothing of its numbers."""
    model = Model("oscillator")
    point = model.point("body", (0.0, 0.0))
    point.y.fix()
    model.add(Body("body", point, None, mass=mass))
    point.x.dof("x", "v", start).law(4 * point.position[0] ** (3 if role == "cubic" else 1))
    model.parameter("unused", 1.0, minimum=0.0)
    return model


def stiff(equations: Equations, **options: Any) -> Any:
    return simulations(equations, 1.0, outputs=["x"], **options)


MASSES = {"x": [0.1, 0.2]}
CHANGED = {
    "a mass": (stiff(oscillator(5.0).equations()), "model"),
    "a law": (stiff(oscillator(role="cubic").equations()), "model"),
    "a start value": (stiff(oscillator(start=0.3).equations()), "model"),
    "an option": (stiff(oscillator().equations(), rtol=1e-4), "task"),
    "an end": (simulations(oscillator().equations(), 2.0, outputs=["x"]), "task"),
    "a result": (simulations(oscillator().equations(), 1.0, outputs=["v"]), "task"),
}


@pytest.mark.parametrize("what", CHANGED)
def test_what_was_kept_of_a_model_of_the_same_name_is_refused(what: str, tmp_path: Path) -> None:
    """The final value of a mass on a spring is a cos(ω t) with ω² = k/m, and m is in no name."""
    file, (changed, kind) = tmp_path / "kept.npz", CHANGED[what]
    first = sweep(stiff(oscillator().equations()), MASSES, workers=1, keep=file)
    np.testing.assert_allclose(first["x.final"], np.cos(2.0) * first.x, rtol=1e-5)
    with pytest.raises(
        ModelError, match=rf"kept\.npz holds a sweep with another {kind} .*delete it"
    ):
        sweep(changed, MASSES, workers=1, keep=file)
    again = sweep(stiff(oscillator().equations()), MASSES, workers=1, keep=file)
    assert same_bytes(again, first), "equations that are made anew are the same"


def test_masses_that_cancel_and_long_settings_tell_sweeps_apart() -> None:
    """Nothing pulls at a free mass: its rates are the same for every one."""

    def free(mass: float) -> Equations:
        model = oscillator(mass)
        model.nodes["body"].x.laws.clear()
        return model.equations()

    assert digest_of_equations(free(1.0)) == digest_of_equations(free(1.0))
    assert digest_of_equations(free(1.0)) != digest_of_equations(free(5.0))
    times = np.linspace(0.0, 1.0, 3000)  # NumPy shows the ends of so many only
    other = np.where(np.arange(3000) == 1500, times + 1e-9, times)
    tasks = [stiff(free(1.0), samples=at) for at in (times, other)]
    assert tasks[0].title == tasks[1].title
    assert identity_of(tasks[0]).change_from(identity_of(tasks[1])).startswith("task")


TASKS = """
    from functools import partial

    K, TABLE = {stiffness}, {{"mass": {mass}, "names": {{"a", "b", "c"}}}}

    def rate(x):
        return K * x {more}

    def task(point):
        def inner():
            return rate(point["x"]) / TABLE["mass"]
        return inner()

    class Task:
        def __init__(self, gain):
            self.gain = gain
        def __call__(self, point):
            return self.gain * rate(point["x"])

    tasks = [task, Task({gain}), partial(task, {gain}), Task(1.0).__call__]
"""


def test_digests_of_functions_follow_what_they_use() -> None:
    def digests(**changed: Any) -> list[str]:
        values = {"stiffness": 2.0, "mass": 3.0, "more": "", "gain": 4.0, **changed}
        scope: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(textwrap.dedent(TASKS).format(**values), "<input>", "exec"), scope)
        return [digest_of(task) for task in scope["tasks"]]

    def differ(**changed: Any) -> list[bool]:
        return [a != b for a, b in zip(digests(), digests(**changed), strict=True)]

    assert not any(differ())
    assert all(differ(stiffness=2.5)) and all(differ(more="+ 1"))
    assert differ(mass=5.0) == [True, False, True, False]
    assert differ(gain=5.0) == [False, True, True, False]


@pytest.mark.heavy
def test_digests_are_the_same_in_every_process() -> None:
    lines = f"""
        import sys; sys.path[:0] = [{str(Path(__file__).parents[2])!r}]
        from tests.pendulum import pendulum
        from mbcore import linearizations, sweep
        from mbcore.fmus import clearance_joint
        from mbcore.sweeps.identity import identity_of
        for model in (pendulum, clearance_joint.model):
            task = linearizations(model, summary := {{"a": 1.0}})
            print(identity_of(task), identity_of(lambda p: {{"x", "y", "z"}} and sweep(task, p)))
    """
    said = {
        subprocess.run(
            [sys.executable, "-c", textwrap.dedent(lines)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1 and "equations='" in said.pop()


def test_what_failed_is_tried_again_and_what_was_warned_of_is_told_again(tmp_path: Path) -> None:
    file, broken = tmp_path / "kept.npz", tmp_path / "broken"
    broken.touch()

    def task(point: dict[str, float]) -> dict[str, xarray.DataArray]:
        if point["x"] == 1 and broken.exists():
            raise ValueError("not yet")
        if point["x"] == 2:
            warnings.warn("is large", ModelWarning, stacklevel=1)
        rows = [f"row {i}" for i in range(2)]
        return {
            "first": xarray.DataArray([point["x"]], {"place": [7.5]}),
            "second": xarray.DataArray(np.full((2, 3), point["x"]), {"row": rows, "s": [1, 2, 4]}),
        }

    calls = [lambda: sweep(task, {"x": np.arange(3)}, workers=1, keep=file)] * 3
    with (
        pytest.warns(ModelWarning, match="the task warned at 1 of 3"),
        pytest.warns(ModelWarning, match="1 of 3 points have no value.* x = 1: ValueError"),
    ):
        assert np.isnan(calls[0]().second[1]).all()
    broken.unlink()
    found = []
    for call in calls[1:]:
        with pytest.warns(ModelWarning, match="warned at 1 of 3 points, first at x = 2: .*large"):
            found.append(call())
    assert (found[0].second == [[[x] * 3] * 2 for x in range(3)]).all()
    assert found[0].row.values.tolist() == ["row 0", "row 1"]
    assert found[0].s.values.tolist() == [1, 2, 4] and found[0].place.values.tolist() == [7.5]
    assert same_bytes(found[1], found[0]) and (found[1].error == "").all()


@pytest.mark.parametrize("lost", ["about", "done", "array 0", "column 0", "identity", "format"])
def test_a_damaged_file_is_refused(lost: str, tmp_path: Path) -> None:
    file = tmp_path / "kept.npz"
    sweep(square, {"x": [1.0, 2.0]}, workers=1, keep=file)
    with np.load(file) as held:
        parts = {name: held[name] for name in held.files if name != lost}
    if lost in ("identity", "format"):
        about = json.loads(str(parts["about"]))
        about.pop("identity") if lost == "identity" else about.update(format=1)
        parts["about"] = np.array(json.dumps(about))
    np.savez(file, **parts)
    with pytest.raises(ModelError, match=r"kept\.npz (holds no sweep|was kept by an older mbcore)"):
        sweep(square, {"x": [1.0, 2.0]}, workers=1, keep=file)
    parts["done"] = np.ones(5)
    np.savez(file, **parts)
    with pytest.raises(ModelError, match="delete it"):
        sweep(square, {"x": [1.0, 2.0]}, workers=1, keep=file)


def square(point: dict[str, float]) -> float:
    return point["x"] ** 2


SCRIPT = """
    import sys, time
    from mbcore import sweep

    def slow(point):
        time.sleep(0.05)
        with open("visited", "a") as file:
            file.write(".")
        return point["x"]

    print("begun", flush=True)
    data = sweep(slow, {"x": list(range(400))}, workers=2, progress=False)
    print(int(data.value.notnull().sum()), data.attrs["interrupted"], flush=True)
"""


@pytest.mark.heavy
def test_ctrl_c_at_a_script_keeps_what_is_done(tmp_path: Path) -> None:
    script, visited = tmp_path / "script.py", tmp_path / "visited"
    script.write_text(textwrap.dedent(SCRIPT))
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "begun\n"
        while not visited.exists() or visited.stat().st_size < 60:
            assert process.poll() is None
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)  # to the workers too, as a terminal does
        said, complaint = process.communicate(timeout=300)
    count = int(said.split()[0])
    assert process.returncode == 0 and "Traceback" not in complaint
    assert 10 < count < 400 and f"{count} of 400 points are evaluated" in said


# Elsewhere


@pytest.mark.heavy
def test_spawned_processes_make_the_equations_themselves() -> None:
    task = linearizations("mbcore.fmus.rolling_disk:model", {"disk.lean_rate": 0.0})
    grid = {"disk.pitch_rate": np.linspace(0.3, 0.9, 12)}
    here = sweep(task, grid, workers=1)
    assert same_bytes(sweep(task, grid, workers=Workers(2, start_method="spawn")), here)
    critical = 1 / np.sqrt(3)  # [Schwab2002] 4.3: upright rolling is stable above
    assert ((here.growth > 1e-6) == (here["disk.pitch_rate"] < critical)).all()


@pytest.mark.heavy
def test_a_cluster_gives_the_same_values() -> None:
    """Its three processes load the library, each in two seconds."""
    distributed = pytest.importorskip("distributed")
    task = linearizations("mbcore.fmus.rolling_disk:model", {"disk.lean_rate": 0.0})
    grid = {"disk.pitch_rate": np.linspace(0.3, 0.9, 40)}
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert same_bytes(
            sweep(task, grid, workers=Workers(client=client)), sweep(task, grid, workers=1)
        )
        with pytest.warns(ModelWarning, match="x = 2: ZeroDivisionError: no two"):
            data = sweep(failing, {"x": np.arange(6)}, workers=Workers(client=client))
        assert data.y.sum() == 18
        with pytest.raises(ModelError, match="give the function that makes them instead"):
            sweep(
                linearizations(pendulum().equations()),
                {"bob.mass": [1.0]},
                workers=Workers(client=client),
            )
        with pytest.raises(ModelError, match="leave workers out"):
            sweep(failing, {"x": [1.0]}, workers=Workers(2, client=client))
