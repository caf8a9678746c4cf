"""Periodic motions with impacts and switches: multipliers against closed forms."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Model
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.host.backend import Backend
from mbcore.model.errors import SimulationError
from mbcore.vibration import Flow, PeriodicSolution, periodic_solution
from tests.oscillators import slider

GRAVITY, SPEED, RESTITUTION = 9.81, 20.0, 0.6
PERIOD = 2 * np.pi / SPEED


def table_ball(acceleration: float, restitution: float = RESTITUTION, ahead: float = 0.0) -> Model:
    """Return a ball above a table at A sin(ωt + ahead); ``acceleration`` is A ω²."""
    model = Model("table_ball", gravity=(0, -GRAVITY))
    centre = model.point("centre", (0, 0))
    centre.x.fix()
    centre.y.dof("y", "v", 0.05)
    model.add(Body("ball", centre, mass=0.5))
    peak = model.parameter("table.acceleration", acceleration, unit="m/s2")
    table = peak / SPEED**2 * ca.sin(SPEED * model.time + ahead)
    unilateral_contact(model, "table", centre.y.value - table, Impact(restitution, 1e-9), size=0.1)
    model.output("above", centre.y.value - table, unit="m")
    return model


LEAST = np.pi * GRAVITY * (1 - RESTITUTION) / (1 + RESTITUTION)
"""A ω² at which the motion with one impact in each period appears, a fold."""
SOFTEST = 2 * GRAVITY * (1 + RESTITUTION**2) / (1 + RESTITUTION) ** 2
MOST = np.hypot(LEAST, SOFTEST)
"""A ω² at which it doubles, a flip."""


def bounce(acceleration: float, sign: float = 1.0) -> tuple[dict[str, float], np.ndarray]:
    """Return the start and the multipliers of one impact per period, by hand.

    The ball leaves with g T/2 and comes with -g T/2, so the table goes with Aω cos φ =
    (1 - e)/(1 + e) g T/2 at the phase φ of the impact. With a = -Aω² sin φ, changes of the time
    of the impact and of the speed after it go over into those of the next one by

        | 1          (1 + e)/g            |
        | (1 + e) a  e² + (1 + e)² a/g    |.
    """
    phase = sign * np.arccos(LEAST / acceleration)
    e, a, leaving = RESTITUTION, -acceleration * np.sin(phase), GRAVITY * PERIOD / 2
    height = acceleration / SPEED**2 * np.sin(phase)
    since = PERIOD - phase / SPEED if phase > 0 else -phase / SPEED
    start = {
        "y": height + leaving * since - GRAVITY * since**2 / 2,
        "v": leaving - GRAVITY * since,
    }
    matrix = [[1, (1 + e) / GRAVITY], [(1 + e) * a, e**2 + (1 + e) ** 2 * a / GRAVITY]]
    return start, np.linalg.eigvals(np.array(matrix))


def solved(acceleration: float, sign: float = 1.0) -> PeriodicSolution:
    start, _ = bounce(acceleration, sign)
    near = {name: value * 1.001 + 1e-4 for name, value in start.items()}
    return periodic_solution(table_ball(acceleration).equations(), PERIOD, guess=near)


def same_multipliers(found: np.ndarray, expected: np.ndarray) -> bool:
    first, second = (np.sort_complex(np.asarray(m, complex)) for m in (found, expected))
    return bool(np.allclose(first, second, rtol=0, atol=1e-8))


@pytest.mark.parametrize(
    ("acceleration", "stable"),
    [
        pytest.param(0.5 * (LEAST + MOST), True, marks=pytest.mark.heavy),
        (0.999 * MOST, True),
        pytest.param(1.001 * MOST, False, marks=pytest.mark.heavy),
    ],
)
def test_ball_on_a_table_doubles_where_it_does_by_hand(acceleration: float, stable: bool) -> None:
    start, multipliers = bounce(acceleration)
    found = solved(acceleration)
    for name, value in start.items():
        assert found.start[name] == pytest.approx(value, abs=1e-11)
    assert same_multipliers(found.multipliers, multipliers)
    assert found.residual <= 1e-10
    assert found.stable is stable
    # its own signal knows the jump: least at the impact, where it is zero
    assert found["above"](np.linspace(0, PERIOD, 500)).min() > -1e-9
    assert found.amplitude("v") == pytest.approx(GRAVITY * PERIOD / 2, abs=1e-10)


@pytest.mark.heavy
def test_ball_that_meets_the_falling_table_is_a_saddle() -> None:
    acceleration = 0.5 * (LEAST + MOST)
    found = solved(acceleration, -1.0)
    assert same_multipliers(found.multipliers, bounce(acceleration, -1.0)[1])
    assert not found.stable
    assert found.multipliers[0].real > 1


def test_derivatives_go_through_impacts() -> None:
    acceleration, start, step = 0.5 * (LEAST + MOST), np.array([1.3, 0.02]), 1e-5
    flow = Flow(table_ball(acceleration).equations(), vary="table.acceleration")
    found = flow(start, 1.0)
    assert len(found.events) == 3
    assert found.jumps == pytest.approx(RESTITUTION**6, rel=1e-9)
    assert np.linalg.det(found.derivative) == pytest.approx(found.determinant, rel=1e-9)
    ends = []
    for side in (1, -1):
        flow.point.vary_to(acceleration + side * step)
        ends.append(flow(start, 1.0, derivative=False).state)
    by_acceleration = (ends[0] - ends[1]) / (2 * step)
    assert found.by_value == pytest.approx(by_acceleration, abs=1e-7)


@pytest.mark.heavy
def test_derivatives_by_several_values_go_through_impacts() -> None:
    acceleration, start = 0.5 * (LEAST + MOST), np.array([1.3, 0.02])
    model = table_ball(acceleration)
    push = model.parameter("push", 0.0, unit="N")
    model.force(model.nodes["centre"], (0, push))
    flow = Flow(model.equations(), vary=["push", "table.acceleration"])
    found = flow(start, 1.0)
    alone = Flow(model.equations(), vary="table.acceleration")(start, 1.0)
    assert found.by_value[:, 1] == pytest.approx(alone.by_value, rel=1e-9)
    step, ends = 1e-5, []
    for side in (1, -1):
        flow.point.vary_to(side * step)
        ends.append(flow(start, 1.0, derivative=False).state)
    assert found.by_value[:, 0] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-7)


@pytest.mark.heavy
def test_ball_that_stays_on_the_table_forgets_its_start() -> None:
    # it leaves where the table falls faster, flies, lands for good: nothing is left of a change
    acceleration, ahead = 14.0, np.pi / 2
    model = table_ball(acceleration, 0.0, ahead)
    found = periodic_solution(model.equations(), PERIOD, guess={"y": 0.04, "v": 0.1})
    leaving, reach = np.arcsin(GRAVITY / acceleration), acceleration / SPEED**2
    since = (ahead - leaving) / SPEED
    speed = reach * SPEED * np.cos(leaving)
    height = reach * np.sin(leaving) + speed * since - GRAVITY * since**2 / 2
    assert found.start["y"] == pytest.approx(height, abs=1e-10)
    assert found.start["v"] == pytest.approx(speed - GRAVITY * since, abs=1e-9)
    assert np.abs(found.multipliers).max() < 1e-9
    assert found.stable
    assert np.all(found.exponents.real < -20 / PERIOD)


@pytest.mark.heavy
def test_motion_may_begin_in_contact() -> None:
    # the same motion as above, with the time counted from where the ball lies on the table
    acceleration = 14.0
    model = table_ball(acceleration, 0.0)
    reach = acceleration / SPEED**2
    found = periodic_solution(
        model.equations(), PERIOD, guess={"y": 0.001, "v": 0.95 * reach * SPEED}
    )
    assert found.start["y"] == pytest.approx(0.0, abs=1e-11)
    assert found.start["v"] == pytest.approx(reach * SPEED, abs=1e-9)
    assert np.abs(found.multipliers).max() < 1e-9
    assert found.residual <= 1e-10
    assert found["above"](np.linspace(0, PERIOD, 300)).min() > -1e-9


@pytest.mark.heavy
def test_sliding_contact_leaves_the_motion_along_it() -> None:
    # x'' + x' + 4 x = cos t on a floor without friction, pressed on it by its weight: only the
    # motion along the floor can change
    model = Model("slide", gravity=(0, -GRAVITY))
    point = model.point("point", (0, 0))
    point.x.dof("x", "x_rate").law(point.x.rate + 4 * point.x.value - ca.cos(model.time))
    point.y.dof("y", "y_rate")
    model.add(Body("mass", point, mass=1.0))
    contact = unilateral_contact(model, "floor", point.y.value, Impact(0.5))
    model.output("force", contact.force, unit="N")
    found = periodic_solution(model.equations(), 2 * np.pi)
    assert found.amplitude("x") == pytest.approx(1 / np.sqrt(10), abs=1e-10)
    assert found["force"](1.0) == pytest.approx(GRAVITY)
    roots = np.roots([1, 1, 4])
    expected = np.append(np.exp(2 * np.pi * roots), [0.0, 0.0])
    assert same_multipliers(found.multipliers, expected)


def relay(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
    """Return a force of 2 N that always pulls to the middle."""
    return 4.0 * model.event("right", x) - 2.0


@pytest.mark.parametrize("backend", ["python", "c"])
def test_relay_changes_the_flow_as_by_hand(backend: Backend) -> None:
    # energy E = v²/2 + k |x|, period T = 4 √(2 E)/k; so after it Y = 1 - T'(E) f ∇Eᵀ
    k, start = 2.0, np.array([0.7, 0.4])
    energy = start[0] ** 2 / 2 + k * start[1]
    period = 4 * np.sqrt(2 * energy) / k
    found = Flow(slider("relay", relay).equations(), backend=backend)(start, period)
    assert [name for _, name in found.events] == ["right", "right"]
    assert found.state == pytest.approx(start, abs=1e-12)
    rate, slope = np.array([-k, start[0]]), np.array([start[0], k])
    expected = np.eye(2) - 4 / (k * np.sqrt(2 * energy)) * np.outer(rate, slope)
    assert found.derivative == pytest.approx(expected, abs=1e-10)


def stop(model: Model, wall: float, restitution: float) -> Model:
    """Return a slider's model with a wall on the left."""
    x = model.nodes["point"].x.value
    unilateral_contact(model, "wall", x - wall, Impact(restitution, 1e-9))
    return model


def impact_oscillator() -> Model:
    """Return x'' + 2 ζ x' + x = cos ωt with a wall at x = 0."""

    def force(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        return x + 0.1 * v - ca.cos(2.8 * model.time)

    return stop(slider("impact_oscillator", force, 0.3), 0.0, 0.7)


@pytest.mark.heavy
def test_impact_oscillator_agrees_with_its_closed_form() -> None:
    w, zeta, e = 2.8, 0.05, 0.7
    period = 2 * np.pi / w
    natural = np.sqrt(1 - zeta**2)
    gain = 1 / (1 - w**2 + 2j * zeta * w)
    found = periodic_solution(impact_oscillator().equations(), period, guess={"x": 0.25, "v": 0.1})

    def free(t: float) -> np.ndarray:
        """Return the matrix of (x, v) after a time without force and impact."""
        c, s = np.cos(natural * t), np.sin(natural * t) / natural
        return np.exp(-zeta * t) * np.array([[c + zeta * s, s], [-s, c - zeta * s]])

    # from the impact at t_0 to the next: free(T) (y⁺ - p) = y⁻ - p, p = Re (1, iω) gain e^{iωt_0},
    # with y⁺ = (0, -e u), y⁻ = (0, u): linear in (u, cos, sin), and the phase closes it
    A = free(period)
    of_phase = (np.eye(2) - A) @ np.array(
        [[gain.real, -gain.imag], [(1j * w * gain).real, -(1j * w * gain).imag]]
    )
    direction = np.linalg.solve(of_phase, -np.array([0.0, 1.0]) + A @ np.array([0.0, -e]))
    u = -1 / np.linalg.norm(direction)  # from the right
    phase = -u * direction
    hit = float(np.arctan2(phase[1], phase[0]) % (2 * np.pi)) / w
    [impact] = [
        t
        for t, _ in Flow(impact_oscillator().equations())(
            np.array([found.start["v"], found.start["x"]]), period
        ).events
    ]
    assert impact == pytest.approx(hit, abs=1e-9)
    force = np.cos(w * hit)
    a_before, a_after = force - 2 * zeta * u, force + 2 * zeta * e * u
    jump = np.array([[-e, 0.0], [(a_after + e * a_before) / u, -e]])
    assert same_multipliers(found.multipliers, np.linalg.eigvals(A @ jump))
    assert np.prod(found.multipliers) == pytest.approx(e**2 * np.exp(-2 * zeta * period), rel=1e-9)


@pytest.mark.heavy
def test_limit_cycle_with_impacts_has_a_neutral_phase() -> None:
    def force(model: Model, x: ca.SX, v: ca.SX) -> ca.SX:
        return x - (1 - x**2) * v

    model = stop(slider("van_der_pol", force, 1.9), -1.0, 0.8)
    found = periodic_solution(model.equations(), 4.5, guess={"x": 1.9, "v": 0.1}, autonomous=True)
    assert found.stable
    assert found.multipliers[0] == pytest.approx(1.0, abs=1e-9)
    flow = Flow(model.equations())
    way = flow(np.array([found.start["v"], found.start["x"]]), found.period)
    assert len(way.events) == 1
    assert way.derivative @ way.start_rate == pytest.approx(way.start_rate, abs=1e-9)
    assert np.linalg.det(way.derivative) == pytest.approx(way.determinant, rel=1e-9)


@pytest.mark.parametrize("backend", ["python", "c"])
def test_motion_that_only_touches_is_refused(backend: Backend) -> None:
    below, speed = -1.0, np.sqrt(2 * GRAVITY)
    roof = Model("roof", gravity=(0, -GRAVITY))
    centre = roof.point("centre", (0, 0))
    centre.x.fix()
    centre.y.dof("y", "v", below)
    roof.add(Body("ball", centre, mass=0.5))
    unilateral_contact(roof, "roof", -centre.y.value, Impact(0.5))
    flow = Flow(roof.equations(), backend=backend)
    with pytest.raises(SimulationError, match=r"only grazes roof.impact at t = 0\.4515"):
        flow(np.array([speed + 1e-13, below]), 1.0)
