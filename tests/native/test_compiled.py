"""When compiled equations come, and what analyses make of them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbcore import (
    Body,
    Equations,
    Model,
    ModelError,
    ModelWarning,
    compile_equations,
    evaluate_by,
    linearizations,
    linearize,
    simulate,
    sweep,
)
from mbcore.contact.impact import Impact
from mbcore.evaluation import bound_point
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.stepper import Stepper
from mbcore.host.vectors import vectors
from mbcore.native import cache, compiled, generated, library
from mbcore.native.compiled import compilation
from mbcore.native.extents import Extent
from mbcore.simulation import backends
from mbcore.simulation.native_stepper import NativeStepper
from tests.beam_structures import cantilever
from tests.contact.test_impact import ball
from tests.native.test_native import noting_compiler, pulled

EXACT = 1e-12
"""Relative difference that another order of the same operations may make."""


@pytest.fixture
def spring() -> Equations:
    """Equations that nothing has evaluated yet."""
    return pulled().equations()


def test_python_evaluates_until_compiling_has_paid(
    spring: Equations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "LEAST", 0.0)
    evaluate_by(spring, "auto")
    point = Evaluation(spring)
    point.start()
    rates = point.derivative().copy()
    assert point.backend == "python"
    monkeypatch.setattr(compiled, "remembered_library", lambda *_: None)  # nothing is known yet
    for _ in range(compiled.PATIENCE):
        point.derivative()
    until = time.monotonic() + 60
    while point.backend == "python" and time.monotonic() < until:
        point.derivative()
    assert point.backend == "c"
    assert point.derivative() == pytest.approx(rates, rel=EXACT)
    assert Evaluation(spring).backend == "c"


def test_a_compiler_begins_where_a_run_would_take_as_long(
    spring: Equations, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[object] = []

    class Endless:
        """A compiler that does not end."""

        has_ended = False

        def __init__(self, *given: object) -> None:
            begun.append(given)

    monkeypatch.setattr(compiled, "LEAST", 0.0)
    monkeypatch.setattr(compiled, "remembered_library", lambda *_: None)
    monkeypatch.setattr(generated, "compiling_in_background", Endless)
    due = compiled.PATIENCE * spring.functions["derivative"].n_instructions()
    compilation(spring).add(2.0 * due, "auto", left=0.9 * due)
    assert not begun
    compilation(spring).add(0.0, "auto", left=1.1 * due)
    compilation(spring).add(0.0, "auto", left=0.0)  # the compiler works on
    assert len(begun) == 1 and compilation(spring).runs


def test_a_run_expects_the_work_that_is_left(
    spring: Equations, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal steps have equal parts of it, once a function makes whole ones."""
    expected: list[tuple[float, float, float]] = []

    def expect(self: Evaluation, left: float) -> None:
        expected.append((float(self.t[0]), self.work, left))

    monkeypatch.setattr(Evaluation, "expect", expect)
    monkeypatch.setattr(backends, "_chosen", lambda *_: "auto")
    monkeypatch.setattr(compiled, "remembered_library", lambda *_: None)
    simulate(spring, 2.0, method="RK45", rtol=1e-3, atol=1e-3, max_step=0.01, breaks=[0.7])
    whole = expected[-1][1]
    late = [(work, left) for t, work, left in expected if 0.6 < t < 1.9]
    assert len(late) > 120
    assert all(left == pytest.approx(whole - work, rel=0.1) for work, left in late)


SECOND = """
import sys
sys.path.insert(0, {root!r})
from mbcore import Linearizer
from mbcore.native import generated
from tests.equations.test_switched_constraints import rink, sleigh
from tests.model.test_input_rates import tricycle
from tests.native.test_native import pulled
generated.generate = lambda *_: sys.exit("it writes the C again")
linearizer = Linearizer(pulled().equations())
for count in range(100):
    if linearizer.at_unchanged(unsteady=True).backend == "c":
        sys.exit(0)
sys.exit("nothing compiled was found")
"""


@pytest.mark.heavy
def test_another_process_finds_what_is_compiled(spring: Equations, tmp_path: Path) -> None:
    """The cache begins empty, so that the first process compiles the runtime too."""
    compiler, noted = noting_compiler(tmp_path)
    environment = os.environ | {
        "CC": compiler, cache.VARIABLE: str(tmp_path / "kept"), compiled.VARIABLE: "auto"
    }  # fmt: skip
    first = "from mbcore import *; from tests.native.test_native import pulled; "
    root = Path(__file__).parents[2]
    run = [sys.executable, "-c", first + "compile_equations(pulled().equations())"]
    subprocess.run(run, env=environment, cwd=root, check=True)
    calls = noted.read_text()
    subprocess.run(
        [sys.executable, "-c", SECOND.format(root=str(root))], env=environment, check=True
    )
    assert noted.read_text() == calls


@pytest.mark.parametrize("missing", ["compiler", "folder"])
def test_python_goes_on_where_nothing_can_be_compiled(
    spring: Equations, missing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    expected = linearize(spring, unsteady=True).state_matrix
    monkeypatch.setattr(library, "_KNOWN", {})
    monkeypatch.setattr(compiled, "_SAID", set())
    if missing == "compiler":
        monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
        monkeypatch.setattr(cache, "candidates", lambda here: iter(()))
        monkeypatch.setattr("mbcore.codegen.compiler.candidates", lambda here: iter(()))
        words = r"pulled: its equations cannot be compiled: no C compiler works here.*Python eval"
    else:
        file = tmp_path / "file"
        file.touch()
        monkeypatch.setenv(cache.VARIABLE, str(file))
        words = r"compiled equations cannot be kept in .*Python evaluates them"
    evaluate_by(spring, "c")
    with pytest.warns(ModelWarning, match=words):
        point = Evaluation(spring)
    assert point.backend == "python"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(linearize(spring, unsteady=True).state_matrix, expected)


def test_backends_that_there_are_not_are_refused_by_name(
    spring: Equations, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelError, match=r"no backend 'fortran'; there is 'auto', 'python', 'c'"):
        evaluate_by(spring, "fortran")  # type: ignore[arg-type]
    monkeypatch.setenv(compiled.VARIABLE, "fortran")
    with pytest.raises(ModelError, match=r"variable MBCORE_BACKEND is 'fortran'; it may be 'auto'"):
        Evaluation(pulled().equations())


def oscillator() -> Equations:
    """Return those of a unit mass on a unit spring, which starts at 1 m: x = cos t."""
    model = Model("oscillator")
    point = model.point("point", (1, 0))
    point.y.fix()
    point.x.dof("x", "v", 1.0).spring(1.0)
    model.add(Body("mass", point, mass=1.0))
    return model.equations()


def test_simulations_of_compiled_equations_make_their_steps_in_c() -> None:
    equations = oscillator()
    before = simulate(equations, 1.0)
    compile_equations(equations)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stepper, "advance", None)  # what makes steps in Python
        after = simulate(equations, 1.0)
    assert after.final("x") == pytest.approx(np.cos(1.0), abs=1e-9)
    assert before.statistics["steps in C"] == 0
    assert after.statistics["steps in C"] == after.statistics["steps"] > 0
    assert after.final("x") == pytest.approx(before.final("x"), abs=1e-9)


@pytest.mark.heavy
def test_points_are_evaluated_by_the_library_of_runs() -> None:
    """A run begins with what was compiled for runs alone, without flows."""
    equations = oscillator()
    evaluate_by(equations, "auto")
    compilation(equations, "implicit runs").compile()
    run = simulate(equations, 1.0)
    assert run.backend == "c" and run.statistics["steps in C"] == run.statistics["steps"]
    assert run.final("x") == pytest.approx(np.cos(1.0), abs=1e-9)


def test_a_simulation_goes_on_in_c_once_its_equations_are_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first run begins in Python, the next one in C; rows and events are continued."""
    monkeypatch.setattr(compiled, "LEAST", 0.0)
    monkeypatch.setattr(compiled, "LOOK", 10_000)
    equations = ball(Impact(0.5)).equations()
    evaluate_by(equations, "python")
    times = np.linspace(0, 1.4, 57)
    python = simulate(equations, 1.4, samples=times)
    compile_equations(equations)
    evaluate_by(equations, "auto")
    for made in (compilation(equations), compilation(equations, "implicit runs")):
        made.library, made.work = None, 0.0
    begun: list[float] = []

    def noting(point: MovingPoint, *given: Any, **options: Any) -> NativeStepper:
        begun.append(float(point.evaluation.t[0]))
        return NativeStepper(point, *given, **options)

    monkeypatch.setattr(backends, "NativeStepper", noting)
    monkeypatch.setattr(bound_point, "PORTION", 0.0)
    for run in (simulate(equations, 1.4, samples=times), simulate(equations, 1.4, samples=times)):
        assert [name for _, name in run.events] == [name for _, name in python.events]
        assert [t for t, _ in run.events] == pytest.approx([t for t, _ in python.events], abs=1e-9)
        for name in python:
            assert run[name] == pytest.approx(python[name], abs=1e-8)
        assert run.statistics["steps"] > len(run.events)
    assert len(begun) == 2 and 0 < begun[0] < 1.4 and begun[1] == 0


def test_a_method_of_c_alone_is_taken_without_being_asked_for_c() -> None:
    run = simulate(oscillator(), 1.0, method="rosenbrock")
    assert run.final("x") == pytest.approx(np.cos(1.0), abs=1e-7)


def test_a_map_is_that_of_its_points(spring: Equations) -> None:
    """Also where values are out of range, requirements are not met or warnings are due."""
    grid = {"stiffness": [4.0, -1.0, 9.0, 0.0], "x": [0.0, 1.0, 2.5, 3.5]}
    give = ["eigenvalues", "growth", "stable", "M", "C", "K_d", "state_matrix", "input_matrix"]
    maps = []
    for backend in ("python", "c"):
        evaluate_by(spring, backend)  # type: ignore[arg-type]
        task = linearizations(spring, give=give, unsteady=True)
        with pytest.warns(ModelWarning, match="have no value"):
            maps.append(sweep(task, grid, workers=1, progress=False))
    python, c = maps
    assert list(python.error.values.ravel()) == list(c.error.values.ravel())
    assert int((c.error == "").sum()) == 6
    for name in give:
        np.testing.assert_allclose(c[name].values, python[name].values, 1e-10, 1e-10)


def test_motions_that_are_not_steady_are_warned_of_in_a_map(spring: Equations) -> None:
    evaluate_by(spring, "c")
    task = linearizations(spring)
    with pytest.warns(ModelWarning, match=r"warned at 1 of 2 points.*acceleration d\(v\)/dt is -4"):
        found = sweep(task, {"x": [0.0, 1.0]}, workers=1, progress=False)
    assert (found.error == "").all()


def test_libraries_for_analyses_have_the_jacobians_of_runs() -> None:
    """In vectors, where the processor has them; runs by explicit steps need none."""
    equations, found = cantilever(2).equations(), {}
    extents: tuple[Extent, ...] = ("runs", "implicit runs", "analyses")
    for extent in extents:
        found[extent] = generated._source(equations, extent).count(".jacobian =")
    in_vectors = int(vectors().lanes > 1)
    assert found == {"runs": 0, "implicit runs": in_vectors, "analyses": in_vectors}
