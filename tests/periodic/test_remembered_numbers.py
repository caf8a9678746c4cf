"""Motions that depend on numbers which events set: these are states that jump.

A mass falls with g. Below x = 0 it is slowed down with P w, where w is the speed u with which it
has come, and then thrown back with b. It takes the time 1/P to come to rest at the depth u/(2 P),
leaves with √(b u/P), and comes back with this speed. So u → √(b u/P) has the fixed point b/P, with
the slope 1/2, in the period 2/P + 2 b/(P g).
"""

from __future__ import annotations

from copy import copy
from math import inf, log, pi, sqrt

import casadi as ca
import numpy as np
import pytest

from mbcore import Model, ModelError, simulate
from mbcore.equations.fixed_equations import felt_numbers
from mbcore.fmus import clearance_joint
from mbcore.host.backend import Backend
from mbcore.periodic.variational import StepOptions
from mbcore.vibration import (
    Flow,
    Periodic,
    PeriodicOptions,
    continuation,
    lyapunov_exponents,
    periodic_solution,
)
from tests.conftest import equations_of
from tests.elements.friction.test_rolling import G, thrown
from tests.oscillators import slider

FALL, SLOWING, THROW = 9.0, 4.0, 6.0
"""g, m/s²; P, 1/s; b, m/s²."""
SPEED = THROW / SLOWING
PERIOD = 2 / SLOWING + 2 * SPEED / FALL
BACKENDS = [pytest.param("python", marks=pytest.mark.heavy), "c"]


def thrower(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
    """Return the force that slows down and throws back."""
    throw = model.parameter("throw", THROW, unit="N")
    came = model.discrete("came", 0.1, unit="m/s")
    below = model.event("below", -x, rising={"came": -v})
    up = model.event("up", v)
    return FALL * (1 - below) - below * (SLOWING * came * (1 - up) + throw * up)


def bouncer(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
    """Return the force that throws back with P w as well: nothing is lost."""
    came = model.discrete("came", 0.1, unit="m/s")
    below = model.event("below", -x, rising={"came": -v})
    return FALL * (1 - below) - below * SLOWING * came


def choosing(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
    """Return the force of `thrower` by one of two numbers, as a parameter chooses."""
    throw = model.parameter("throw", THROW, unit="N")
    other = model.parameter("other", False)
    first, second = (model.discrete(name, 0.1, unit="m/s") for name in ("first", "second"))
    below = model.event("below", -x, rising={"first": -v, "second": -v})
    up, came = model.event("up", v), ca.if_else(other, second, first)
    return FALL * (1 - below) - below * (SLOWING * came * (1 - up) + throw * up)


@pytest.mark.parametrize("backend", BACKENDS)
def test_flow_through_a_remembered_speed_is_that_by_hand(backend: Backend) -> None:
    # the speed at x = 0 is u = √(v² + 2 g x), the period T = 2/P + 2 u/g, so Y = 1 - T'(u) f ∇uᵀ
    v, x = 0.7, 0.4
    u = sqrt(v**2 + 2 * FALL * x)
    flow = Flow(slider("bouncer", bouncer).equations(), backend=backend)
    assert flow.names == ("v", "x", "came")
    found = flow(np.array([v, x]), 2 / SLOWING + 2 * u / FALL)
    assert found.state == pytest.approx([v, x, u], abs=1e-11)
    slope = np.array([v, FALL]) / u
    expected = np.zeros((3, 3))
    expected[:2, :2] = np.eye(2) - 2 / FALL * np.outer([-FALL, v], slope)
    expected[2, :2] = slope
    assert found.derivative == pytest.approx(expected, abs=1e-10)
    # what was remembered at the start is forgotten
    other = flow(np.array([v, x, 5.0]), found.span)
    assert other.state == pytest.approx(found.state, abs=1e-11)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_number_that_is_still_felt_has_its_column(backend: Backend) -> None:
    # it begins below, and leaves where it came in: at v, after 2 v/(P w)
    v, w, span = 1.2, 0.8, 0.95
    flow = Flow(slider("bouncer", bouncer, start=1.0).equations(), backend=backend)
    flow.start_with_modes(np.array([1.0, 0.0]))
    found = flow(np.array([-v, -1e-9, w]), span)
    after = span - 2 * v / (SLOWING * w)
    place, rate = v * after - FALL * after**2 / 2, v - FALL * after
    assert found.state == pytest.approx([rate, place, w], abs=1e-7)
    # it comes later by the change of the time below
    late = 2 * v / (SLOWING * w**2)
    assert found.derivative[:, 2] == pytest.approx([-FALL * late, rate * late, 1.0], abs=1e-7)


def feeling(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
    """Return a pull by w = v² + t, which a threshold sets; before it is FALL."""
    low, came = model.parameter("low", 0.2, unit="m"), model.discrete("came", FALL)
    model.event("below", -x - low, rising={"came": v**2 + model.time})
    return came


@pytest.mark.parametrize("implicit", [True, False])
@pytest.mark.parametrize("backend", BACKENDS)
def test_time_and_parameters_enter_numbers(backend: Backend, implicit: bool) -> None:
    # it falls from rest at x for t_1 = √(2 (x + l)/g): w = 2 g (x + l) + t_1, g t_1 = v_1
    x, low, span = 0.5, 0.2, 1.0
    flow = Flow(
        slider("feeling", feeling, start=x).equations(),
        vary="low",
        backend=backend,
        steps=StepOptions(implicit=implicit),
    )
    found = flow(np.array([0.0, x]), span)
    first = sqrt(2 * (x + low) / FALL)
    w, v, by = 2 * FALL * (x + low) + first, -FALL * first, 1 / (FALL * first)
    left = span - first
    assert found.state == pytest.approx(
        [v - w * left, -low + v * left - w * left**2 / 2, w], abs=1e-10
    )
    w_by, v_by, left_by = 2 * FALL + by, -FALL * by, -by
    assert found.by_value == pytest.approx(
        [
            v_by - w_by * left - w * left_by,
            -1 + v_by * left + v * left_by - w_by * left**2 / 2 - w * left * left_by,
            w_by,
        ],
        abs=1e-9,
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_start_may_set_a_number(backend: Backend) -> None:
    # x'' = -w, w = v at the start
    def kept(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        speed = model.discrete("speed", unit="m/s")
        model.event("started", ca.SX(1), rising={"speed": v})
        return speed

    flow, t = Flow(slider("kept", kept).equations(), backend=backend), 2.0
    found = flow(np.array([0.6, 0.1, 77.0]), t)
    assert found.start == pytest.approx([0.6, 0.1, 0.6])
    expected = [[1 - t, 0, 0], [t - t**2 / 2, 1, 0], [1, 0, 0]]
    assert found.derivative == pytest.approx(np.array(expected), abs=1e-11)


@pytest.mark.parametrize("backend", BACKENDS)
def test_limit_cycle_with_a_remembered_speed(backend: Backend) -> None:
    equations = slider("thrower", thrower).equations()
    found = periodic_solution(
        equations,
        1.1 * PERIOD,
        guess={"v": 0.5, "x": 0.15},
        autonomous=True,
        backend=backend,
    )
    assert found.period == pytest.approx(PERIOD, rel=1e-10)
    assert found.remembered == pytest.approx({"came": SPEED}, rel=1e-10)
    assert np.sort(found.multipliers) == pytest.approx([0, 0.5, 1], abs=1e-9)
    assert found.stable
    again = periodic_solution(equations, PERIOD, guess=found, autonomous=True, backend=backend)
    assert again.iterations == 0


@pytest.mark.parametrize(("other", "name"), [(False, "first"), (True, "second")])
def test_numbers_of_a_law_that_is_not_chosen_are_no_states(other: bool, name: str) -> None:
    """The cycle by hand has the same multipliers, whichever of both numbers is felt."""
    equations = slider("choosing", choosing).equations()
    assert Flow(equations, backend="c").names == ("v", "x", "first", "second")
    found = periodic_solution(
        equations,
        1.1 * PERIOD,
        guess={"v": 0.5, "x": 0.15, "first": 0.2, "second": 0.2},
        parameters={"other": other},
        autonomous=True,
        backend="c",
    )
    assert found.period == pytest.approx(PERIOD, rel=1e-10)
    assert found.remembered == pytest.approx({name: SPEED}, rel=1e-10)
    assert np.sort(found.multipliers) == pytest.approx([0, 0.5, 1], abs=1e-9)
    assert found.stable


def test_a_joint_feels_the_numbers_of_its_friction_and_its_law_alone() -> None:
    """An impact's speed belongs to Hertz's law with losses, anchors to the compliant friction."""
    equations = equations_of(clearance_joint.model)

    def felt(law: int, friction: int) -> set[str]:
        places = felt_numbers(equations, {"joint.law": law, "joint.friction_law": friction})
        return {equations.discretes[i].name.removeprefix("joint.") for i in places}

    anchors = {"anchor.x", "anchor.y", "anchor.turn", "anchor.elongation", "slides.way"}
    assert felt(1, 1) == {"impact_speed"}
    assert felt(1, 2) == {"impact_speed", *anchors}
    assert felt(2, 2) == anchors
    assert felt(2, 1) == felt(3, 1) == set()


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_cycle_may_begin_where_its_number_is_felt(backend: Backend) -> None:
    # at the speed 3/4 below, where a motion that has just begun would remember that speed
    slowed = (SPEED**2 - 0.75**2) / (2 * SLOWING * SPEED)
    found = periodic_solution(
        slider("thrower", thrower).equations(),
        PERIOD,
        guess={"v": -0.76, "x": -slowed},
        autonomous=True,
        backend=backend,
    )
    assert found.period == pytest.approx(PERIOD, rel=1e-10)
    assert found.remembered == pytest.approx({"came": SPEED}, rel=1e-10)
    assert np.sort(found.multipliers) == pytest.approx([0, 0.5, 1], abs=1e-9)


@pytest.mark.heavy
def test_lyapunov_exponents_of_the_cycle() -> None:
    found = lyapunov_exponents(
        slider("thrower", thrower).equations(), 40 * PERIOD, {"v": 0.0, "x": SPEED**2 / 2 / FALL}
    )
    assert found.values[:2] == pytest.approx([0, -log(2) / PERIOD], abs=2e-2)
    assert found.values[2] == -inf


@pytest.mark.heavy
def test_continuation_of_the_cycle() -> None:
    problem = Periodic(
        slider("thrower", thrower).equations(),
        PERIOD,
        start={"v": 0.0, "x": SPEED**2 / 2 / FALL},
        autonomous=True,
    )
    branch = continuation(problem, "throw", (THROW, 2 * THROW), progress=False, backend="c")
    table = branch.data
    throws = np.array(table["throw"])
    assert throws[-1] == pytest.approx(2 * THROW)
    expected = 2 / SLOWING + 2 * throws / SLOWING / FALL
    assert np.array(table["period"]) == pytest.approx(expected, rel=1e-8)


@pytest.mark.heavy
@pytest.mark.parametrize("backend", BACKENDS)
def test_ball_that_slides_in_a_plane_has_derivatives(backend: Backend) -> None:
    """Friction remembers the direction of sliding, two numbers.

    It slides until 2 v/(7 μ g), then rolls with 5/7 of its speed into the same direction.
    """
    mu, speed, t = 0.3, 3.0, 0.8
    equations = thrown((speed, 0.0), coefficient=mu).equations()
    flow = Flow(equations, backend=backend)
    start = flow.point.s.copy()
    rate, place = (flow.names.index(name) for name in ("v.x", "x"))
    found = flow(start, t)
    slides = 2 * speed / (7 * mu * G)
    assert found.state[rate] == pytest.approx(5 / 7 * speed, rel=1e-9)
    rolled = speed * slides - mu * G * slides**2 / 2 + 5 / 7 * speed * (t - slides)
    assert found.state[place] - start[place] == pytest.approx(rolled, rel=1e-9)
    by_speed = 5 / 7 * t + 4 * speed / (49 * mu * G)
    assert found.derivative[rate, rate] == pytest.approx(5 / 7, abs=1e-8)
    assert found.derivative[place, rate] == pytest.approx(by_speed, abs=1e-8)


@pytest.mark.heavy
@pytest.mark.usefixtures("hasty")
def test_rattling_joint_settles_as_its_multipliers_say() -> None:
    """Two events in each turn; simulated turns come closer to it by the largest multiplier."""
    equations, turn = copy(equations_of(clearance_joint.model)), 2 * pi / 100
    values = {"joint.restitution": 0.5, "joint.friction": 0.04}
    inputs = {"crank.speed": 100.0}
    runs = simulate(
        equations,
        26 * turn,
        parameters=values,
        inputs=inputs,
        samples=27,
        rtol=1e-11,
        atol=1e-14,
        backend="c",
        progress=False,
    )
    moved = np.diff(runs["joint.x"])[18:]
    guess = {state.name: float(runs.final(state.name)) for state in equations.states}
    guess["crank.angle"] %= 2 * pi
    found = periodic_solution(
        equations,
        turn,
        guess=guess,
        parameters=values,
        inputs=inputs,
        autonomous=True,
        options=PeriodicOptions(rtol=1e-9, atol=1e-11),
        backend="c",
    )
    speed = float(runs.final("joint.impact_speed"))
    assert found.remembered["joint.impact_speed"] == pytest.approx(speed, rel=1e-5)
    assert found.multipliers[0] == pytest.approx(1, abs=1e-8)
    assert found.multipliers[1].real == pytest.approx((moved[1:] / moved[:-1]).mean(), rel=1e-4)


def test_harmonic_balance_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"depends on came, which events set; harmonic balance"):
        periodic_solution(
            slider("thrower", thrower).equations(),
            PERIOD,
            method="harmonic_balance",
            autonomous=True,
        )
