"""Steps whose stages are one function: the same as those made call by call, or none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import DOP853

from mbcore import Body, Hinge, Model, RigidLink, Truss, simulate
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.stepper import PATIENCE, StepControl, Stepper
from mbcore.evaluation.whole_step import WholeStep
from mbcore.fmus import rolling_disk
from mbcore.integrators.table import method_named
from mbcore.integrators.tableau import Tableau

G = 9.81


def tableau_of(name: str) -> Tableau:
    tableau = method_named(name).tableau
    assert tableau is not None
    return tableau


def pushed() -> Equations:
    """Return a mass of 2 kg on a spring of 8 N/m, which a force from outside pushes."""
    model = Model("pushed")
    place = model.point("place", (0, 0))
    model.add(Body("mass", place, mass=2.0))
    place.y.fix()
    force = model.input("force", unit="N")
    place.x.dof("x", "v", start=0.3).law(8 * place.x.value - force)
    return model.equations()


def pendulum() -> Equations:
    """Return a mass on a rod of 1 m, by its x: where that is 1 m the Jacobian is singular."""
    model = Model("pendulum", gravity=(0, -G))
    hinge, bob = model.point("hinge", (0, 0), fixed=True), model.point("bob", (0.6, -0.8))
    model.add(Truss("rod", hinge, bob))
    model.add(Body("mass", bob, mass=1.0))
    bob.x.dof("x", "x_rate", start=0.6)
    return model.equations()


def two_arms() -> Equations:
    """Return a point that two arms carry, each on a universal joint, about the line of these."""
    model = Model("two arms")
    tip = model.point("tip", (0, 1, 0.2))
    for k, x in enumerate((0.0, 1.0)):
        origin = model.point(f"origin {k}", (x, 0, 0), fixed=True)
        cross, arm = model.rotation(f"cross {k}"), model.rotation(f"arm {k}")
        model.add(Hinge(f"first {k}", model.ground, cross, axis=(0, 0, 1)))
        second = model.add(Hinge(f"second {k}", cross, arm, axis=(1, 0, 0)))
        model.add(RigidLink(f"link {k}", origin, arm, tip, offset=(-x, 1.0, 0.2)))
        model.add(Body(f"body {k}", None, arm, inertia=(0.1, 0.2, 0.3)))
    second.deformations["angle"].dof("turn", "turn_rate")
    return model.equations()


def stage_by_stage(run: MovingPoint, tableau: Tableau, t: float, h: float) -> np.ndarray:
    """Return the state at the end of a step and its rates, from evaluations one by one."""
    s, rates = run.evaluation.s.copy(), []
    for place, row in zip((*tableau.c, 1), ((), *tableau.a, tableau.b), strict=True):
        moved = sum((float(w) * k for w, k in zip(row, rates, strict=True)), start=0 * s)
        rates.append(run.derivative(t + float(place) * h, s + h * moved))
    return np.array([s + h * moved, *rates[1:]])


@pytest.mark.parametrize("method", ["DOP853", "RK45", "classical"])
@pytest.mark.parametrize("make", [lambda: rolling_disk.model().equations(), pushed])
def test_a_step_at_once_is_that_of_its_stages(make: object, method: str) -> None:
    equations, tableau = make(), tableau_of(method)  # type: ignore[operator]
    results = []
    for at_once in (False, True):
        signals = {0: np.cos} if equations.inputs else {}
        run = MovingPoint(Evaluation(equations), signals)
        run.evaluation.start()
        run.move(0.0, run.evaluation.s.copy())
        run.evaluation.accept()
        if not at_once:
            results.append(stage_by_stage(run, tableau, 0.0, 0.1))
            continue
        s = run.evaluation.s.copy()
        found = WholeStep(run, tableau)(0.0, 0.1, s, run.evaluation.derivative().copy())
        assert found is not None
        results.append(np.array([found[0], *found[1]]))
        assert run.calls == tableau.stages
        assert run.evaluation.t[0] == 0.1
        np.testing.assert_array_equal(run.evaluation.s, found[0])
        x = run.evaluation.x.copy()
        run.evaluation.accept()  # so that nothing is known
        run.move(0.1, found[0])
        np.testing.assert_allclose(run.evaluation.x, x, rtol=1e-15, atol=1e-15)
    np.testing.assert_allclose(results[1], results[0], rtol=1e-12, atol=1e-13)


def test_nodes_that_follow_are_put_in_their_places() -> None:
    """The position of what both arms carry contains their Euler parameters, which follow.

    A line through those of two stages is off the sphere, and a Newton step, which turns them,
    leaves that error where it is.
    """
    run, tableau = MovingPoint(Evaluation(two_arms()), {}), tableau_of("DOP853")
    e = run.evaluation
    e.start({"turn_rate": 2.0})
    begin, rate = e.save(), e.derivative().copy()
    expected = stage_by_stage(run, tableau, 0.0, 0.1)
    e.restore(begin)
    found = WholeStep(run, tableau)(0.0, 0.1, e.s.copy(), rate)
    assert found is not None
    np.testing.assert_allclose([found[0], *found[1]], expected, rtol=1e-12, atol=1e-13)


def test_a_step_beyond_the_branch_is_none() -> None:
    run = MovingPoint(Evaluation(pendulum()), {})
    run.evaluation.start({"x": 0.99, "x_rate": 1.0})
    step = WholeStep(run, tableau_of("DOP853"))
    s, rate = run.evaluation.s.copy(), run.evaluation.derivative().copy()
    assert step(0.0, 1e-4, s, rate) is not None
    assert step(0.0, 0.1, s, rate) is None
    assert step(0.0, 0.1, s, rate * np.nan) is None


def test_a_step_near_a_singular_place_is_none() -> None:
    """Its interpolant is made stage by stage, and these may fail where a line does not."""
    run = MovingPoint(Evaluation(pendulum()), {})
    run.evaluation.start({"x": 0.99, "x_rate": 1.0})
    step = WholeStep(run, tableau_of("DOP853"))
    s, rate = run.evaluation.s.copy(), run.evaluation.derivative().copy()
    assert step(0.0, 1e-4, s, rate) is not None
    conditioning = run.evaluation.conditioning
    conditioning.scale = conditioning.accepted / np.sqrt(1 - 0.99**2)  # of the rod across x
    assert step(0.0, 1e-4, s, rate) is not None
    assert step(0.0, 6e-3, s, rate) is None  # x is 0.996 at its end


def test_measures_of_stages_are_met() -> None:
    """The conditioning of x falls as √(1 - x²), from 0.8 to that of the end."""
    run = MovingPoint(Evaluation(pendulum()), {})
    run.evaluation.start({"x": 0.6, "x_rate": 2.0})
    conditioning = run.evaluation.conditioning
    before, whole = conditioning.accepted.copy(), conditioning.accepted.copy() / 0.8
    step = WholeStep(run, tableau_of("DOP853"))
    assert step(0.0, 0.05, run.evaluation.s.copy(), run.evaluation.derivative().copy())
    end = np.abs(run.evaluation.conditioning_measures())
    x = run.evaluation.s[1]
    assert end == pytest.approx(whole * np.sqrt(1 - x**2))
    assert conditioning.lowest == pytest.approx(end)
    assert conditioning.highest == pytest.approx(before)


def test_long_motions_are_as_exact_as_before() -> None:
    """The state of x'' + 4 x = cos(t)/2 is known, and so is what SciPy makes of it."""
    equations = pushed()
    run = simulate(equations, 60.0, inputs={"force": np.cos}, method="DOP853", rtol=1e-9,
                   atol=1e-9, backend="python", samples=301)  # fmt: skip
    assert run.statistics["steps"] > 2 * PATIENCE
    t = run.time
    exact = 0.3 * np.cos(2 * t) + (np.cos(t) - np.cos(2 * t)) / 6
    assert run["x"] == pytest.approx(exact, abs=2e-7)
    steps = DOP853(
        lambda t, s: np.array([np.cos(t) / 2 - 4 * s[1], s[0]]), 0.0, [0.0, 0.3], 60.0,
        rtol=1e-9, atol=1e-9,
    )  # fmt: skip
    count = 0
    while steps.status == "running":
        steps.step()
        count += 1
    assert abs(run.statistics["steps"] - count) <= 1


def test_events_are_found_in_steps_at_once() -> None:
    """A ball that bounces without loss from 1 m: it meets the floor at √(2 h/g) (1 + 2 k)."""
    model = Model("ball", gravity=(0, -G))
    place = model.point("place", (0, 1))
    model.add(Body("ball", place, mass=1.0))
    place.x.fix()
    place.y.dof("y", "y_rate", start=1.0)
    unilateral_contact(model, "floor", place.y.value, Impact(1.0))
    run = simulate(
        model.equations(), 6.0, method="DOP853", max_step=0.1, backend="python", samples=2
    )
    met = [t for t, name in run.events if name == "floor.impact"]
    fall = np.sqrt(2 / G)
    assert met == pytest.approx(fall * (1 + 2 * np.arange(len(met))), abs=1e-9)
    assert len(met) == 7 and run.statistics["steps"] > PATIENCE


def test_short_runs_make_no_function() -> None:
    run = MovingPoint(Evaluation(pushed()), {})
    run.evaluation.start()
    stepper = Stepper(run, method_named("DOP853"), StepControl(1e-6, 1e-6, 0.01))
    list(stepper.advance(0.01 * PATIENCE - 0.005))
    assert stepper._whole_step is None
    list(stepper.advance(0.01 * PATIENCE + 0.1))
    assert stepper._whole_step is not None
