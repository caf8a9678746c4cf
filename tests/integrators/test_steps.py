"""Steps: orders and counts of equal ones, what they doubt, and tolerances of adaptive ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

from mbcore import Body, Equations, Model, simulate
from mbcore.integrators.states import States
from mbcore.integrators.steps import EqualSteps
from mbcore.integrators.table import method_named

COUPLED = np.array([[0, -3, -2], [1, 0, 0], [0, 1, -1]])
"""Rates of (v, x, z) by these: x'' = -3 x - 2 z, z' = x - z."""


@pytest.fixture(scope="module")
def coupled() -> Equations:
    model = Model("coupled")
    place = model.point("mass")
    model.add(Body("mass body", place, mass=1.0))
    place.y.fix(0)
    x = place.x.dof("x", "v", start=1.0).value
    z = model.state("z")
    model.derivative("z", x - z)
    model.force(place, (-3 * x - 2 * z, 0))
    return model.equations()


def test_one_stage_method_is_of_order_2_with_an_auxiliary_state(coupled: Equations) -> None:
    """Its rate is that in the middle of the step, to where it goes with its last rate."""
    exact = expm(COUPLED) @ [0, 1, 0]
    errors = []
    for step in (2e-2, 1e-2):
        run = simulate(coupled, 1.0, method="one_stage", max_step=step)
        errors.append([abs(run.final(n) - e) for n, e in zip("vxz", exact, strict=True)])
    assert np.log2(np.divide(*errors)) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize(
    ("until", "step", "count"), [(0.14, 0.01, 14), (0.3, 0.1, 3), (1.0, 0.3, 4)]
)
def test_rounding_makes_no_further_step(
    coupled: Equations, until: float, step: float, count: int
) -> None:
    run = simulate(coupled, until, method="classical", max_step=step)
    assert run.statistics["steps"] == count


def solved(name: str, h: float) -> EqualSteps:
    """Return a solver of (v, x, z)' = COUPLED (v, x, z) after two steps from (0.3, 1, 0.2)."""
    start = np.array([0.3, 1.0, 0.2])
    solver = method_named(name).make_solver(
        lambda t, y: COUPLED @ y, 0.0, start, 10 * h, max_step=h, states=States(rates=1, values=1)
    )
    solver.step()
    solver.step()
    assert isinstance(solver, EqualSteps)
    return solver


def test_doubt_of_the_classical_method_counts_rates_by_what_they_change() -> None:
    h = 0.5
    one, half = (_taylor(k) for k in (h, h / 2))
    before = one @ [0.3, 1.0, 0.2]
    after, halves = one @ before, half @ half @ before
    weight = np.array([h, 1, 1])
    expected = np.linalg.norm(weight * (halves - after)) / np.linalg.norm(weight * (after - before))
    assert solved("classical", h).disagreement() == pytest.approx(expected, rel=1e-12)


def _taylor(h: float) -> np.ndarray:
    """The classical method's matrix for linear equations: exp(h A) to the fourth order."""
    powers = [np.eye(3)]
    for k in range(1, 5):
        powers.append(powers[-1] @ COUPLED * h / k)
    return sum(powers)


def test_doubt_of_one_stage_repeats_the_step_from_where_it_began() -> None:
    """Half steps by hand; the first has the auxiliary rate that the whole step began with."""
    h = 0.5

    def step(y: np.ndarray, rate: float, h: float) -> tuple[np.ndarray, float]:
        v, x, z = y
        k = -3 * (x + h / 2 * v) - 2 * (z + h / 2 * rate)
        now = x + h / 2 * v - (z + h / 2 * rate)
        return np.array([v + h * k, x + h * v + h**2 / 2 * k, z + h * now]), now

    start, first = np.array([0.3, 1.0, 0.2]), 1.0 - 0.2
    before, rate = step(start, first, h)
    after, _ = step(before, rate, h)
    halves, middle = step(before, rate, h / 2)
    halves, _ = step(halves, middle, h / 2)
    weight = np.array([h, 1, 1])
    expected = np.linalg.norm(weight * (halves - after)) / np.linalg.norm(weight * (after - before))
    solver = solved("one_stage", h)
    assert solver.y == pytest.approx(after, rel=1e-13)
    assert solver.disagreement() == pytest.approx(expected, rel=1e-12)


def test_absolute_tolerances_are_parts_of_nominal_values() -> None:
    """The same motion in metres and in units of a micrometre takes the same steps."""
    steps = []
    for size in (1.0, 1e-6):
        model = Model("sized")
        x = model.state("x", start=size, nominal=size)
        model.derivative("x", -x * (1 + x / size))
        run = simulate(model.equations(), 8.0, rtol=1e-10, atol=1e-6)
        steps.append(run.statistics["steps"])
        exact = 1 / (2 * np.exp(8.0) - 1)  # x' = -x - x² from 1
        assert run.final("x") / size == pytest.approx(exact, abs=3e-6)
    assert steps[0] == steps[1]
