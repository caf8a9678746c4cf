"""Where steps may end: behind an event, too, so that a run of events alone can change hands."""

from __future__ import annotations

import math

import pytest

from mbcore import Body, Model, simulate
from mbcore.contact.impact import Impact
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.stepper import StepControl, Stepper
from mbcore.integrators.table import method_named
from mbcore.simulation.automatic_stepper import python_stepper
from tests.contact.test_impact import G, ball


@pytest.mark.parametrize("method", ["auto", "DOP853"])
def test_steps_end_behind_an_event_on_request(method: str) -> None:
    """A fall of 0.5 m takes √(2h/g); behind the impact the ball rises at half its speed."""
    run = MovingPoint(Evaluation(ball(Impact(0.5), height=0.5).equations()), {})
    run.evaluation.start()
    stepper = python_stepper(run, method_named(method), StepControl(1e-9, 1e-11, math.inf))
    asked: list[float] = []

    def ends() -> bool:
        asked.append(float(run.evaluation.t[0]))
        return len(asked) == 2

    stepper.ends_after_event = ends
    list(stepper.advance(2.0))
    fall = math.sqrt(2 * 0.5 / G)
    assert asked == pytest.approx([fall, 2 * fall], abs=1e-9)
    assert run.evaluation.t[0] == asked[-1]
    assert run.evaluation.s[0] == pytest.approx(G * fall / 4, rel=1e-8)


def test_a_motion_that_runs_away_is_followed_as_far_as_it_goes() -> None:
    """A damper of the wrong sign, ẍ = c ẋ: x = 1 m + (e^(ct) - 1) ẋ(0)/c, 1e23 m in the end."""
    model = Model("runaway")
    place = model.point("place", (1, 0))
    place.y.fix()
    place.x.dof("x", "v", start=1.0).law(-300.0 * place.x.rate)
    model.add(Body("body", place, mass=1.0))
    run = simulate(
        model.equations(), 0.2, start={"v": 1.0}, method="DOP853", backend="python", samples=2
    )
    assert run.final("x") == pytest.approx(1 + math.expm1(60.0) / 300, rel=1e-6)
    assert run.statistics["evaluations"] < 20 * run.statistics["steps"]


def test_steps_go_on_as_if_nobody_had_interrupted_them() -> None:
    """To the last bit, with the same Jacobians; another one at the same point is not made again."""
    model = Model("stiff")
    place = model.point("place", (1, 0))
    place.y.fix()
    place.x.dof("x", "v", start=1.0).law(1e5 * (place.x.value - 1.1) + 1e3 * place.x.rate**3)
    model.add(Body("body", place, mass=1.0))
    equations = model.equations()

    def steps(asked_each: int) -> tuple[list[tuple[float, ...]], int]:
        run = MovingPoint(Evaluation(equations), {})
        run.evaluation.start()
        stepper = Stepper(run, method_named("Radau"), StepControl(1e-6, 1e-8, math.inf))
        stepper.interrupt = lambda: stepper.steps % asked_each == 0
        made: list[tuple[float, ...]] = []
        while run.evaluation.t[0] < 0.1:
            made += [(step.time, *map(float, step.state)) for step in stepper.advance(0.1)]
        assert stepper.solver is not None
        return made, stepper.solver.njev

    whole = steps(10**9)
    assert len(whole[0]) > 30
    assert steps(7) == whole

    run = MovingPoint(Evaluation(equations), {})
    run.evaluation.start()
    first, count = run.jacobian(0.0, run.evaluation.s.copy()), run.evaluation.jacobian
    run.evaluation.jacobian = lambda: pytest.fail("made again")  # type: ignore[method-assign]
    assert (run.jacobian(0.0, run.evaluation.s.copy()) == first).all()
    run.evaluation.jacobian = count  # type: ignore[method-assign]
    assert (run.jacobian(0.0, run.evaluation.s + 0.1) != first).any()
