"""Periodic motions with dry friction, through events that remember the direction of sliding.

Source: J. P. Den Hartog: Forced vibrations with combined Coulomb and viscous friction. Transactions
of the ASME 53 (1931) 107-115, for the driven motion that does not stick.
"""

from __future__ import annotations

from math import atan, cos, pi, sin, sqrt
from typing import Literal

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq, root

from mbcore import Model
from mbcore.elements import Body, Friction, Slide
from mbcore.periodic.flow import Flow
from mbcore.vibration import Periodic, PeriodicOptions, Steps, continuation, periodic_solution

MASS, STIFFNESS, FORCE = 2.0, 8.0, 3.0
"""kg, N/m, N."""
OWN = sqrt(STIFFNESS / MASS)
"""Angular frequency without friction, rad/s."""
BEGINNINGS = [
    ("sticking", "c"),
    *(
        pytest.param(begins, backend, marks=pytest.mark.heavy)
        for begins, backend in (("sliding", "python"), ("sticking", "python"), ("sliding", "c"))
    ),
]
"""In what the period begins, and who evaluates."""


def driven(pace: float, friction: float, begin: float = 0.0) -> Model:
    """Return a mass on a spring that slides with a constant friction, driven by a force.

    It is largest at the time -begin, s.
    """
    model = Model("driven")
    origin, bed = model.point("origin", (0, 0), fixed=True), model.angle("bed", fixed=True)
    block = model.point("block", (0, 0))
    model.add(Body("mass", block, bed, mass=MASS))
    slide = model.add(Slide("slide", origin, bed, block, axis=(1, 0)))
    slide.displacement.dof("x", "v").spring(STIFFNESS)
    model.load(FORCE * ca.cos(pace * (model.time + begin)), slide.displacement.rate)
    model.add(Friction("friction", slide, coefficient=0.0, preload=friction))
    return model


def turning(pace: float, friction: float) -> tuple[float, float]:
    """Return the largest displacement and the phase of the driving force there, by hand.

    From there x = C cos Ωt + D sin Ωt + F/k + (A cos ωt + B sin ωt), where the last is the motion
    of the mass without friction, is opposite and at rest half a period later.
    """
    half, gain = pi / pace, 1 / (STIFFNESS - MASS * pace**2)

    def misses(values: np.ndarray) -> list[float]:
        C, D, phase = values
        a, b = FORCE * gain * cos(phase), -FORCE * gain * sin(phase)
        c, s = cos(OWN * half), sin(OWN * half)
        start = C + friction / STIFFNESS + a
        return [
            D * OWN + b * pace,
            C * c + D * s + friction / STIFFNESS - a + start,
            OWN * (D * c - C * s) - b * pace,
        ]

    C, _, phase = root(misses, [0.0, 0.0, 0.0], tol=1e-14).x
    return C + friction / STIFFNESS + FORCE * gain * cos(phase), phase


@pytest.mark.parametrize("backend", [pytest.param("python", marks=pytest.mark.heavy), "c"])
def test_driven_motion_that_does_not_stick(backend: Literal["python", "c"]) -> None:
    ratio, friction = 0.7, 0.4
    pace = ratio * OWN
    found = periodic_solution(
        driven(pace, friction).equations(),
        2 * pi / pace,
        guess={"x": 0.3, "v": -0.5},
        backend=backend,
    )
    drawn = sin(pi / ratio) / (ratio * (1 + cos(pi / ratio)))
    gain = 1 / (1 - ratio**2)
    amplitude = FORCE / STIFFNESS * sqrt(gain**2 - (drawn * friction / FORCE) ** 2)
    largest, phase = turning(pace, friction)
    assert largest == pytest.approx(amplitude, rel=1e-12)
    assert found["x"](phase / pace) == pytest.approx(amplitude, rel=1e-9)
    flows = expm(np.array([[0, 1], [-STIFFNESS / MASS, 0]]) * pi / pace)
    pulled = FORCE * cos(phase) - STIFFNESS * largest
    turns = np.diag([1, (pulled + friction) / (pulled - friction)])
    half = np.linalg.eigvals(turns @ flows)
    expected = np.sort_complex(half**2)
    assert np.sort_complex(found.multipliers) == pytest.approx(expected, abs=1e-9)


def slid(place: float, pace: float, friction: float) -> tuple[float, float, float]:
    """Return where a mass that rests at ``place`` stops, and when it begins and ends, by hand."""
    gain = FORCE / (STIFFNESS - MASS * pace**2)
    begin = -np.arccos((friction + STIFFNESS * place) / FORCE) / pace
    C = place + friction / STIFFNESS - gain * cos(pace * begin)
    D = gain * pace * sin(pace * begin) / OWN

    def rate(t: float) -> float:
        turned = OWN * (t - begin)
        return OWN * (D * cos(turned) - C * sin(turned)) - gain * pace * sin(pace * t)

    some = begin + np.linspace(1e-3, 2 * pi / pace, 2000)
    after = next(i for i, t in enumerate(some) if rate(t) < 0)
    end = brentq(rate, some[after - 1], some[after], xtol=1e-15)
    turned = OWN * (end - begin)
    stop = C * cos(turned) + D * sin(turned) - friction / STIFFNESS + gain * cos(pace * end)
    return float(stop), float(begin), float(end)


@pytest.mark.parametrize(("begins", "backend"), BEGINNINGS)
def test_driven_motion_that_sticks_twice(begins: str, backend: Literal["python", "c"]) -> None:
    """One multiplier is zero: sticking forgets the rate. The other is that of places of rest.

    A mass that rests slides off with no acceleration, so only its place counts: a change of it is
    cos ωτ times as large where the mass rests again, after the time τ.
    """
    pace, friction = 0.5 * OWN, 0.7 * FORCE
    place = brentq(lambda x: slid(x, pace, friction)[0] + x, -0.55, -0.1, xtol=1e-15)
    _, begin, end = slid(place, pace, friction)
    assert abs(FORCE * cos(pace * end) + STIFFNESS * place) < friction  # it sticks
    assert begin < 0 < end < end + 0.4 < begin + pi / pace
    sticking = begins == "sticking"
    found = periodic_solution(
        driven(pace, friction, end + 0.4 if sticking else 0.0).equations(),
        2 * pi / pace,
        guess={"x": -0.9 * place, "v": 0.0} if sticking else {"x": 0.2, "v": 0.5},
        backend=backend,
    )
    expected = [cos(OWN * (end - begin)) ** 2, 0]
    assert np.abs(found.multipliers) == pytest.approx(expected, abs=1e-10)
    assert found["x"](end + (0.1 if not sticking else -end)) == pytest.approx(-place, abs=1e-11)


SPEED, WEIGHT, KINETIC, STATIC = 0.3, MASS * 9.81, 0.2, 0.35
REACH = (STATIC - KINETIC) * WEIGHT / STIFFNESS


def cycle(speed: float) -> float:
    """Return the period of stick and slip."""
    sliding = (2 * pi - 2 * atan(REACH * OWN / speed)) / OWN
    return 2 * REACH / speed + sliding


def on_a_belt(pull: float = 0.0, pace: float = 0.0) -> Model:
    """Return a mass on a spring and on a belt that goes on, and perhaps a force drives it."""
    model = Model("on a belt", gravity=(0, -9.81))
    origin, bed = model.point("origin", (0, 0), fixed=True), model.angle("bed", fixed=True)
    belt, block = model.point("belt", (0, 0)), model.point("block", (0, 0))
    model.add(Body("mass", block, bed, mass=MASS))
    speed = model.parameter("speed", SPEED, unit="m/s")
    gone = model.state("gone", speed, unit="m")
    model.add(Slide("bed", origin, bed, belt, axis=(1, 0))).displacement.prescribe(gone)
    slide = model.add(Slide("slide", belt, bed, block, axis=(1, 0)))
    block.x.dof("x", "v")
    model.load(-STIFFNESS * block.x.value, block.x.rate)
    if pull:
        model.load(pull * ca.cos(pace * model.time), block.x.rate)
    model.add(Friction("friction", slide, coefficient=KINETIC, static=STATIC))
    return model


@pytest.mark.parametrize(("begins", "backend"), BEGINNINGS)
def test_stick_and_slip_on_a_belt(begins: str, backend: Literal["python", "c"]) -> None:
    """It sticks from x_k - A to x_k + A, at k x_k = μ N and k A = (μ_s - μ) N."""
    middle, period = KINETIC * WEIGHT / STIFFNESS, cycle(SPEED)
    start = {"x": middle + 0.95 * REACH, "v": SPEED if begins == "sticking" else -0.4}
    found = periodic_solution(
        on_a_belt().equations(),
        1.02 * period,
        guess=start,
        autonomous=True,
        backend=backend,
    )
    assert found.period == pytest.approx(period, rel=1e-10)
    assert np.sort(np.abs(found.multipliers)) == pytest.approx([0, 1, 1], abs=1e-10)


@pytest.mark.heavy
def test_stick_and_slip_is_followed_over_the_speed_of_the_belt() -> None:
    middle = KINETIC * WEIGHT / STIFFNESS
    family = Periodic(
        on_a_belt().equations(),
        period=1.02 * cycle(SPEED),
        start={"x": middle + 0.95 * REACH, "v": SPEED},
        autonomous=True,
    )
    found = continuation(
        family, "speed", (SPEED, 1.2 * SPEED), steps=Steps(longest=0.5), backend="c"
    )
    speeds, periods = found.data["parameter"].values, found.data["period"].values
    assert speeds[-1] == pytest.approx(1.2 * SPEED) and not found.events
    assert periods == pytest.approx([cycle(v) for v in speeds], rel=1e-10)


def locked(pull: float, pace: float) -> tuple[float, float, float]:
    """Return where the mass is at t = 0, and when it slips and sticks, by hand, for one period.

    Sticking, it is at x + v t. It slips where k (x + v t) - F cos Ωt = μ_s N, and then moves by
    C cos ωτ + D sin ωτ + μ N/k + F cos Ωt/(k - m Ω²) until its rate is v again.
    """
    gain = pull / (STIFFNESS - MASS * pace**2)

    def pulls(t: float, place: float) -> float:
        return STIFFNESS * (place + SPEED * t) - pull * cos(pace * t) - STATIC * WEIGHT

    def slipped(place: float) -> tuple[float, float, float]:
        begin = brentq(pulls, 0.0, 2 * pi / pace, (place,), xtol=1e-15)
        C = place + SPEED * begin - KINETIC * WEIGHT / STIFFNESS - gain * cos(pace * begin)
        D = (SPEED + gain * pace * sin(pace * begin)) / OWN

        def rate(t: float) -> float:
            turned = OWN * (t - begin)
            own = OWN * (D * cos(turned) - C * sin(turned))
            return own - gain * pace * sin(pace * t) - SPEED

        some = begin + np.linspace(0.02, 2 * pi / OWN, 400)
        after = next(i for i, t in enumerate(some) if i and rate(some[i - 1]) < 0 <= rate(t))
        end = brentq(rate, some[after - 1], some[after], xtol=1e-15)
        turned = OWN * (end - begin)
        place = C * cos(turned) + D * sin(turned) + KINETIC * WEIGHT / STIFFNESS
        return place + gain * cos(pace * end) - SPEED * end, begin, end

    def misses(place: float) -> float:
        return slipped(place)[0] + SPEED * 2 * pi / pace - place

    near = KINETIC * WEIGHT / STIFFNESS
    place = brentq(misses, near - 0.5 * REACH, near, xtol=1e-15)
    _, begin, end = slipped(place)
    return place, begin, end


@pytest.mark.heavy
def test_driven_stick_and_slip_on_a_belt() -> None:
    """A change δ of the place lets it slip at another time, -k δ/(k v + F Ω sin Ωt), and loose.

    With the acceleration a = -(μ_s - μ) N/m from then on it is, where it sticks again after τ,
    (cos ωτ + a k sin ωτ/(ω (k v + F Ω sin Ωt))) δ; its rate is that of the belt.
    """
    pull, pace = 0.5, 2 * pi / (1.04 * cycle(SPEED))
    place, begin, end = locked(pull, pace)
    found = periodic_solution(
        on_a_belt(pull, pace).equations(),
        2 * pi / pace,
        guess={"x": place + 0.01, "v": SPEED},
        options=PeriodicOptions(advance={"gone": SPEED * 2 * pi / pace}),
    )
    turned, drop = OWN * (end - begin), -(STATIC - KINETIC) * WEIGHT / MASS
    faster = STIFFNESS * SPEED + pull * pace * sin(pace * begin)
    expected = cos(turned) + drop * STIFFNESS * sin(turned) / (OWN * faster)
    values = sorted(found.multipliers.real)
    assert found["x"](0.0) == pytest.approx(place, abs=1e-10)
    assert values == pytest.approx(sorted([0.0, 1.0, expected]), abs=1e-10)


@pytest.mark.heavy
def test_counters_and_times_that_rates_do_not_feel_are_no_modes() -> None:
    model = Model("counted")
    point = model.point("point", (0, 0))
    point.y.fix()
    point.x.dof("x", "v", start=0.1, rate_start=1.0).spring(4.0)
    model.add(Body("mass", point, mass=1.0))
    passages = model.discrete("passages", 0, kind="integer")
    model.discrete("last", 0.0, unit="s")
    above = model.discrete("above", 0, kind="boolean")
    model.event(
        "passes",
        point.x.value,
        rising={"passages": passages + 1, "last": model.time, "above": 1.0},
        falling={"above": 0.0},
    )
    model.load(-(1 + 2 * above) * point.x.value, point.x.rate)
    equations = model.equations()
    flow = Flow(equations)
    assert [equations.discretes[i].name for i in flow.modes] == ["passes.active", "above"]
    found = periodic_solution(equations, 2.7, guess={"x": 0.1, "v": 1.0}, autonomous=True)
    halves = pi / sqrt(4 + 3) + pi / sqrt(4 + 1)
    assert found.period == pytest.approx(halves, rel=1e-9)
