"""A few models with impacts under five masters: ``python -m tests.exchange_survey`` does more."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conftest import OK, Instance
from tests.exchange_survey.alone import rest, rest_by_cvode
from tests.exchange_survey.exactly import off
from tests.exchange_survey.explicit_euler import Fall
from tests.exchange_survey.masters import Bisection, Cvode, Solver, run
from tests.exchange_survey.models import FAMILIES, G, drawn
from tests.exchange_survey.unit import Unit
from tests.exchange_survey.verdict import archive, ends, judged


@pytest.mark.heavy
@pytest.mark.parametrize("seed", [0, 2, 3, 5, 6, 8, 9, 10, 11])
def test_impacts_end_in_rest_under_every_master(seed: int) -> None:
    outcome = judged(seed)
    assert outcome.kind == "equal", outcome.message


@pytest.mark.parametrize("solver", [Cvode(), Bisection()])
def test_a_ball_rests_in_model_exchange_at_the_time_of_the_closed_form(solver: Solver) -> None:
    """Each flight lasts e times the one before: √(2 h/g) (1 + e)/(1 - e) = 2.5586 s for 0.7."""
    with Instance(archive("drop", "3.0"), "ModelExchange") as instance:
        instance.enter_initialization({"y": 1.0, "y_rate": 0.0, "e": 0.7})
        assert instance.call("ExitInitializationMode") == OK, instance.said
        course = run(Unit(instance), solver, 3.0, FAMILIES["drop"])
        closed, (time,) = ends(instance, FAMILIES["drop"])
        assert closed == (True,) and instance.get("y") == pytest.approx(0.0, abs=1e-15)
        assert time == pytest.approx(np.sqrt(2 / G) * 1.7 / 0.3, abs=1e-6)
        # the flight after n impacts lasts 2 √(2 h/g) eⁿ; all from it on, over 1 - e, less than 1 µs
        shorter = np.log(1e-6 * 0.3 / (2 * np.sqrt(2 / G))) / np.log(0.7)
        assert instance.get("floor.impacts") == np.ceil(shorter)
    assert course.made < 1e-12


@pytest.mark.parametrize("tolerance", [1e-9, 1e-10])
def test_cvode_alone_loses_bounces_as_high_as_its_error(tolerance: float) -> None:
    """What is left of a sequence at the height ε lasts √(8 ε/g)/(1 - e), and ends at once there.

    Without an FMU: the time depends on the root of the tolerance, and is far above 1e-6 s.
    """
    e, fall = 0.5, Fall(1.0, 0.0, G)
    early = rest(fall, e) - rest_by_cvode(fall, e, tolerance)
    error = 2 * np.sqrt(2) * tolerance
    lost = np.sqrt(8 * error / G) / (1 - e)
    assert rest(fall, e) == pytest.approx(np.sqrt(2 / G) * (1 + e) / (1 - e))
    assert 0.2 * lost < early < 2 * lost


@pytest.mark.heavy
@pytest.mark.parametrize("tolerance", [1e-9, 1e-5])
def test_an_fmu_sees_what_a_solver_has_missed(tolerance: float) -> None:
    """Each flight of the ball ends 3 tolerances too low, and without an FMU low ones are lost."""
    family, start = FAMILIES["drop"], drawn(0)[1]
    assert off(family, start, "3.0", tolerance) < 1e-7


@pytest.mark.heavy
@pytest.mark.parametrize("tolerance", [1e-9, 1e-10])
def test_cvode_is_too_low_by_two_steps_of_order_one_without_an_impact(tolerance: float) -> None:
    """A step h of backward Euler is g h²/2 too low, which the test of its errors bounds.

    The root of the mean square of the errors of N states over (1 + |s|) tolerances is at most 1.
    """
    unit = archive("drop", "2.0")
    for speed in (1e-3, 0.1, 1.0, 3.0):
        duration, start = 1.9 * speed / G, 1e-3
        with Instance(unit, "ModelExchange") as instance:
            instance.enter_initialization({"y": start, "y_rate": speed})
            assert instance.call("ExitInitializationMode") == OK, instance.said
            seen, solver = Unit(instance), Cvode(tolerance)
            seen.handle_events(enter=False)
            solver.begin(seen, 0.0)
            _, s, met = solver.step(0.0, seen.read(), duration)
        y, rate = max(s), min(s)  # it falls
        low = start + speed * duration - G * duration**2 / 2 - y
        assert not met and rate == pytest.approx(speed - G * duration, abs=1e-13)
        assert 0 < low < 2 * np.sqrt(2) * tolerance * (1 + y)
