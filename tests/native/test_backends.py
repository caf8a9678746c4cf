"""The keyword ``backend`` of every analysis: who evaluates, and that both give the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mbcore import (
    Body,
    Equations,
    Linearizer,
    Model,
    ModelError,
    assemble,
    equilibrium,
    evaluate_by,
    linearizations,
    linearize,
    root_locus,
    simulate,
    steady_motion,
    steady_motions,
    sweep,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.host.backend import Backend, evaluating, evaluator
from mbcore.vibration import (
    Equilibria,
    Flow,
    Periodic,
    Shooting,
    SteadyMotions,
    Steps,
    continuation,
    lyapunov_exponents,
    nominal_motion,
    nominal_range,
    periodic_solution,
)

CLOSE = 1e-10
"""Relative difference of what follows from solved equations, by two ways."""


@pytest.fixture(scope="module")
def driven() -> Equations:
    """Return those of a mass on a hardening spring, with a damper and a force."""
    model = Model("driven")
    stiffness = model.parameter("stiffness", 9.0, unit="N/m")
    force = model.input("force", 1.0, unit="N")
    point = model.point("point", (1, 0))
    point.y.fix()
    x = point.x.dof("x", "v", 0.1)
    point.x.law(stiffness * x.value + 0.5 * x.value**3 + x.rate - force)
    model.add(Body("mass", point, mass=1.0))
    return model.equations()


Analysis = Callable[[Equations, Backend], tuple[Any, list[Any]]]


def _linearize(q: Equations, backend: Backend) -> tuple[Any, list[Any]]:
    found = linearize(q, unsteady=True, backend=backend)
    return found, [found.state_matrix, found.input_matrix, found.eigenvalues()]


def _linearizer(q: Equations, backend: Backend) -> tuple[Any, list[Any]]:
    found = Linearizer(q, backend=backend).at({"x": 0.3}, unsteady=True)
    return found, [found.state_matrix]


def _assemble(q: Equations, backend: Backend) -> tuple[Any, list[Any]]:
    found = assemble(q, backend=backend)
    return found, [found.states["x"]]


def _equilibrium(q: Equations, backend: Backend) -> tuple[Any, list[Any]]:
    found = equilibrium(q, backend=backend)
    return found, [found.states["x"]]


def _steady_motion(q: Equations, backend: Backend) -> tuple[Any, list[Any]]:
    found = steady_motion(q, backend=backend)
    return found, [found.state["x"]]


def _nominal_motion(q: Equations, backend: Backend) -> tuple[Any, list[Any]]:
    found = nominal_motion(q, 2.0, 8, backend=backend)
    return found, [found.K, found.f]


def _nominal_range(q: Equations, backend: Backend) -> tuple[Any, list[Any]]:
    found = nominal_range(q, "stiffness", (4.0, 9.0), samples=8, backend=backend).at(5.0)
    return found, [found.K, found.exponents("hill", 2), found.exponents("monodromy")]


def _transient(q: Equations, backend: Backend) -> tuple[Any, list[Any]]:
    found = nominal_motion(q, 2.0, 8, backend=backend).transient(2.0, {"x": 0.2}, harmonics=2)
    return found, [found["x"]]


def _simulate(q: Equations, backend: Backend) -> tuple[Any, list[Any]]:
    accurate = {"samples": 11, "rtol": 1e-12, "atol": 1e-14}
    found = simulate(q, 2.0, inputs={"force": np.cos}, backend=backend, **accurate)
    assert (found.statistics["steps in C"] > 0) == (backend == "c")
    return found, [found["x"]]


def _periodic_solution(q: Equations, backend: Backend) -> tuple[Any, list[Any]]:
    inputs = {"force": lambda t: np.cos(2 * t)}
    found = periodic_solution(q, np.pi, inputs=inputs, backend=backend)
    return found, [found.start["x"], np.sort_complex(found.multipliers)]


def _shooting(q: Equations, backend: Backend) -> tuple[Any, list[Any]]:
    shooting = Shooting(q, np.pi, inputs={"force": lambda t: np.cos(2 * t)}, backend=backend)
    return shooting.flow.point, [shooting.at(shooting.unknowns).jacobian]


def _continuation(q: Equations, backend: Backend) -> tuple[Any, list[Any]]:
    steps = Steps(points=4)
    found = continuation(
        Equilibria(q), "force", (1.0, 2.0), steps=steps, progress=False, backend=backend
    )
    return found, [found["x"].values[0], found.data.exponents.values[0]]


def _continuation_of_orbits(q: Equations, backend: Backend) -> tuple[Any, list[Any]]:
    family = Periodic(q, np.pi, inputs={"force": lambda t: np.cos(2 * t)})
    found = continuation(
        family, "stiffness", (9.0, 8.0), steps=Steps(points=2), progress=False, backend=backend
    )
    return found, [found["x"].values[0]]


def _continuation_of_steady_motions(q: Equations, backend: Backend) -> tuple[Any, list[Any]]:
    found = continuation(
        SteadyMotions(q),
        "force",
        (1.0, 2.0),
        steps=Steps(points=2),
        progress=False,
        backend=backend,
    )
    return found, [found["x"].values[0]]


def _lyapunov_exponents(q: Equations, backend: Backend) -> tuple[Any, list[Any]]:
    found = lyapunov_exponents(q, 2.0, backend=backend)
    return found, [found.divergence]


LONG = (_continuation_of_orbits, _lyapunov_exponents)
ANALYSES = [
    *(_simulate, _linearize, _linearizer, _assemble, _equilibrium, _steady_motion),
    *(_nominal_motion, _nominal_range, _transient),
    *(_periodic_solution, _shooting, _continuation, _continuation_of_steady_motions),
    *(pytest.param(a, marks=pytest.mark.heavy) for a in LONG),
]


@pytest.mark.parametrize("analysis", ANALYSES)
def test_every_analysis_takes_the_word(driven: Equations, analysis: Analysis) -> None:
    """Asked for in turn, so that nothing of one call stays for the next one."""
    evaluate_by(driven, "auto")
    python, there = analysis(driven, "python")
    c, here = analysis(driven, "c")
    again, _ = analysis(driven, "python")
    assert (python.backend, c.backend, again.backend) == ("python", "c", "python")
    for one, other in zip(there, here, strict=True):
        np.testing.assert_allclose(other, one, CLOSE, CLOSE)
    with pytest.raises(ModelError, match="no backend 'fortran'; there is 'auto', 'python', 'c'"):
        analysis(driven, "fortran")  # type: ignore[arg-type]


@pytest.mark.heavy
def test_maps_are_made_by_the_backend_that_is_asked_for(driven: Equations) -> None:
    """Also by tasks that are functions, and by processes that inherit nothing."""
    evaluate_by(driven, "auto")
    grid = {"stiffness": [4.0, 9.0]}
    for backend in ("python", "c"):
        task = linearizations(driven, give=["state_matrix"], unsteady=True)
        found = sweep(task, grid, workers=1, progress=False, backend=backend)
        matrix = found.state_matrix.sel(stiffness=4.0).values
        np.testing.assert_allclose(matrix, [[-1.0, -4.015], [1.0, 0.0]], CLOSE)  # 4 + 1.5 x²

        def asked(point: dict[str, float]) -> float:
            return float(linearize(driven, parameters=point, unsteady=True).backend == "c")

        found = sweep(asked, grid, workers=2, progress=False, backend=backend)
        assert (found.value == (backend == "c")).all()
    x = sweep(steady_motions(driven), grid, workers=1, progress=False, backend="c").x.values
    np.testing.assert_allclose([4, 9] * x + 0.5 * x**3, 1.0, CLOSE)


def test_loci_begin_where_their_linearization_does(driven: Equations) -> None:
    about = linearize(driven, unsteady=True)
    python, c = (
        root_locus(about, "stiffness", [4.0, 9.0], backend=backend).eigenvalues
        for backend in ("python", "c")
    )
    np.testing.assert_allclose(c, python, CLOSE)


def test_lasting_objects_keep_their_backend(driven: Equations) -> None:
    """They go on outside of the call that has made them."""
    evaluate_by(driven, "auto")
    python, c = Flow(driven, backend="python"), Flow(driven, backend="c")
    ends = [flow(np.array([0.0, 0.1]), 1.0) for flow in (python, c)]
    assert (python.point.backend, c.point.backend) == ("python", "c")
    np.testing.assert_allclose(ends[1].derivative, ends[0].derivative, 1e-8)


def test_an_analysis_within_another_one_takes_its_choice(driven: Equations) -> None:
    evaluate_by(driven, "auto")
    with evaluating("c"):
        assert Evaluation(driven).backend == "c"
        with evaluating("python"):
            assert Evaluation(driven).backend == evaluator() == "python"
            with evaluating("auto"):
                assert Evaluation(driven).backend == "python"
        assert evaluator() == "c"
        assert simulate(driven, 0.1).statistics["steps in C"] > 0
    assert evaluator() == "python"
    with evaluating("python"):
        assert simulate(driven, 0.1).backend == "python"
        with pytest.raises(ModelError, match="no method 'rosenbrock' with backend='python'"):
            simulate(driven, 0.1, method="rosenbrock")
