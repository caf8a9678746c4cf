"""Contacts by impulses and constraints against closed forms and hand calculations."""

from __future__ import annotations

import math
import signal
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Literal

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Body,
    Equations,
    Model,
    ModelError,
    PlanarWheel,
    Result,
    SimulationError,
    linearize,
    simulate,
)
from mbcore.contact.impact import Impact, ImpactContact, unilateral_contact
from mbcore.elements.friction.coulomb import CoulombFriction
from mbcore.evaluation.evaluation import Evaluation
from mbcore.linear.slips.constraints import refuse_closed
from mbcore.model.quantities.unilateral import DRIFT, LOWEST_BOUNCE

G = 9.81
ENDLESS = 120
"""Processor time, s, after which a test of this file is taken for one that never ends."""


@pytest.fixture(autouse=True)
def ends() -> Iterator[None]:
    """Let a simulation fail that would bounce without end."""
    if not hasattr(signal, "ITIMER_VIRTUAL"):
        yield  # Windows
        return

    def stop(number: int, frame: FrameType | None) -> None:
        pytest.fail(f"it goes on after {ENDLESS} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, ENDLESS)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


def ball(law: Impact, height: float = 1.0, floor: Callable[[Model], ca.SX] | None = None) -> Model:
    """Return a point mass of 0.3 kg over a floor, at rest at a height."""
    model = Model("ball", gravity=(0, -G))
    centre = model.point("centre", (0, height))
    model.add(Body("ball", centre, mass=0.3))
    centre.x.fix(0)
    centre.y.dof("height", "speed", start=height)
    gap = centre.y.value if floor is None else centre.y.value - floor(model)
    contact = unilateral_contact(model, "floor", gap, law)
    model.output("force", contact.force, unit="N")
    model.output("kinetic", model.kinetic_energy, unit="J")
    return model


def impacts_of(run: Result, name: str = "floor") -> np.ndarray:
    """Return the rows after which an impact has occurred."""
    return np.flatnonzero(np.diff(run[f"{name}.impacts"]) > 0)


@pytest.mark.parametrize(
    ("e", "settling_time"),
    [(0.0, 1e-6), (0.7, 1e-5),
     *(pytest.param(*given, marks=pytest.mark.heavy)
       for given in ((0.1, 1e-8), (0.5, 1e-6), (0.7, 1e-6), (0.7, 1e-8), (0.9, 1e-6),
                     (0.99, 1e-6)))],
)  # fmt: skip
def test_ball_comes_to_rest_at_the_time_of_the_closed_form(e: float, settling_time: float) -> None:
    # [Schwab2002] (5.24), (5.25), (5.26)
    first, speed = np.sqrt(2 / G), np.sqrt(2 * G)
    # bounces that rounding could keep alive are not followed; here the size is 1 m
    lowest = 2 * np.sqrt(2 * LOWEST_BOUNCE / (G * (1 - e**2 + 1e-6))) / (1 - e)
    rest = first + 2 * e * speed / (G * (1 - e))
    run = simulate(ball(Impact(e, settling_time)).equations(), rest + 0.1)
    closed = [t for t, name in run.events if name == "floor.closed"]
    assert len(closed) == 1
    assert closed[0] == pytest.approx(rest, abs=1.1 * settling_time + lowest)
    times = run["floor.impact_time"][impacts_of(run) + 1]
    flights = 2 * e * speed / G * e ** np.arange(len(times) - 1)
    large = flights > 1e-4
    assert np.diff(times)[large] == pytest.approx(flights[large], rel=1e-5)
    assert run.final("floor.energy_loss") == pytest.approx(0.3 * G, rel=1e-9)
    assert run.final("force") == pytest.approx(0.3 * G, rel=1e-12)
    assert run.final("floor.switches") == 1
    assert run.statistics["mode switches per second"] == pytest.approx(1 / (rest + 0.1))
    assert abs(run["height"][run.time > closed[0]]).max() < 1e-12
    assert run["height"].min() > -1e-12


def test_each_impact_loses_what_newtons_law_says() -> None:
    # [Schwab2002] (5.16), (5.18), (5.20), (5.21)
    run = simulate(ball(Impact(0.7)).equations(), 2.0)
    for row in impacts_of(run):
        approach = run["floor.impact_speed"][row + 1]
        lost = run["kinetic"][row] - run["kinetic"][row + 1]
        assert lost == pytest.approx((1 - 0.49) / 2 * 0.3 * approach**2, rel=1e-10, abs=1e-14)
        assert run["floor.impulse"][row + 1] == pytest.approx(1.7 * 0.3 * approach, rel=1e-12)


def test_floor_that_moves_gives_its_own_speed() -> None:
    rising = ball(Impact(0.6), floor=lambda model: 0.5 * model.time)
    run = simulate(rising.equations(), 0.6)
    row = impacts_of(run)[0]
    before, after = run["speed"][row], run["speed"][row + 1]
    assert after - 0.5 == pytest.approx(-0.6 * (before - 0.5), rel=1e-12)


def test_contact_is_lost_where_the_floor_falls_faster() -> None:
    # [Schwab2002] (5.27)
    amplitude, omega = 0.01, 60.0

    def floor(model: Model) -> ca.SX:
        return amplitude * ca.sin(omega * model.time)

    model = ball(Impact(0.5), height=0.0, floor=floor)
    run = simulate(model.equations(), 0.02, start={"speed": amplitude * omega})
    lost = [t for t, name in run.events if name == "floor.closed"][-1]
    assert lost == pytest.approx(np.arcsin(G / (amplitude * omega**2)) / omega, abs=1e-9)
    held = (run.time > 1e-3) & (run.time < lost)
    force = 0.3 * (G - amplitude * omega**2 * np.sin(omega * run.time[held]))
    assert run["force"][held] == pytest.approx(force, abs=1e-8)


def test_particle_leaves_a_hill_where_it_should() -> None:
    # [Schwab2002] (5.27)
    radius, speed = 2.0, 1.0
    model = Model("hill", gravity=(0, -G))
    place = model.point("place", (0, radius))
    model.add(Body("particle", place, mass=1.0))
    place.x.dof("x", "x_rate", rate_start=speed)
    place.y.dof("y", "y_rate", start=radius)
    gap = ca.sqrt(place.x.value**2 + place.y.value**2) - radius
    contact = unilateral_contact(model, "hill", gap, Impact(0.5))
    model.output("gap", contact.gap)
    model.output("force", contact.force)
    run = simulate(model.equations(), 1.0, samples=2001)
    closed, lost = (t for t, name in run.events if name == "hill.closed")
    row = int(np.searchsorted(run.time, lost))
    leaving = np.interp(lost, run.time[: row + 1], run["y"][: row + 1] / radius)
    assert leaving == pytest.approx(2 / 3 + speed**2 / (3 * G * radius), abs=1e-6)
    held = (run.time > closed) & (run.time < lost)
    assert abs(run["gap"][held]).max() < 1e-12
    cosine = run["y"][held] / radius
    square = speed**2 + 2 * G * radius * (1 - cosine)
    assert run["force"][held] == pytest.approx(G * cosine - square / radius, abs=1e-6)


def test_what_is_projected_ends_within_its_tolerance() -> None:
    """However much drift is let pass before: one step is not enough on a curve."""
    model = Model("bowl", gravity=(0, -G))
    place = model.point("place", (0.3, 0.045))
    model.add(Body("particle", place, mass=1.0))
    x, y = place.x.dof("x").value, place.y.dof("y").value
    unilateral_contact(model, "bowl", y - x**2 / 2, Impact(0.5))
    point = Evaluation(model.equations())
    point.start()
    point.d[[d.name for d in point.equations.discretes].index("bowl.closed.active")] = 1.0
    values = [[s.name for s in point.equations.states].index(name) for name in "xy"]
    point.s[values] = 0.3, 0.075
    point.configure()
    assert point.project(tolerable=1e6)
    x_there, y_there = point.s[values]
    assert abs(y_there - x_there**2 / 2) < 2 * DRIFT
    assert not point.project()


def disk(e: float, friction: float, **start: float) -> tuple[Equations, dict[str, float]]:
    """Return a disk of 0.1 m and 1 kg in the plane over a floor, and a start just above it."""
    model = Model("disk", gravity=(0, -G))
    centre, spin = model.point("centre", (0, 0.1)), model.angle("spin")
    model.add(Body("disk", centre, spin, mass=1.0, inertia=0.005))
    centre.x.dof("x", "x_rate")
    centre.y.dof("y", "y_rate", start=0.1)
    spin.angle.dof("turn", "turn_rate")
    unilateral_contact(
        model,
        "floor",
        centre.y.value - 0.1,
        Impact(e),
        sliding=centre.x.rate + 0.1 * spin.angle.rate,
        friction=CoulombFriction(friction, speed=1e-4),
    )
    return model.equations(), {"y": 0.1 + 1e-6, "y_rate": -2.0, **start}


def after_impact(equations: Equations, start: dict[str, float]) -> tuple[Result, int]:
    run = simulate(equations, 1e-4, start=start)
    return run, int(impacts_of(run)[0]) + 1


@pytest.mark.parametrize(
    ("friction", "rate"), [(0.1, 3.0), pytest.param(0.1, -3.0, marks=pytest.mark.heavy), (0.0, 3.0)]
)
def test_disk_that_slides_through_an_impact(friction: float, rate: float) -> None:
    equations, start = disk(0.8, friction, x_rate=rate)
    run, row = after_impact(equations, start)
    normal = 1.8 * run["floor.impact_speed"][row]
    assert run["floor.impulse"][row] == pytest.approx(normal, rel=1e-12)
    tangential = -friction * np.sign(rate) * normal
    assert run["floor.tangential_impulse"][row] == pytest.approx(tangential, rel=1e-12)
    assert run["x_rate"][row] == pytest.approx(rate + tangential, rel=1e-12)
    assert run["turn_rate"][row] == pytest.approx(0.1 * tangential / 0.005, rel=1e-12)


def test_disk_that_sticks_in_an_impact_rolls_away() -> None:
    equations, start = disk(0.8, 2.0, x_rate=3.0)
    run, row = after_impact(equations, start)
    # (x' + r turn') = 0 after an impulse p: 3 + p + r² p/I = 0
    impulse = -3.0 / (1 + 0.1**2 / 0.005)
    assert run["floor.tangential_impulse"][row] == pytest.approx(impulse, rel=1e-12)
    assert run["x_rate"][row] + 0.1 * run["turn_rate"][row] == pytest.approx(0.0, abs=1e-13)


def test_disk_that_slides_on_the_floor_is_braked_by_coulomb() -> None:
    equations, _ = disk(0.5, 0.2)
    run = simulate(equations, 0.2, start={"x_rate": 3.0}, samples=201)
    held = run.time > 1e-3
    assert run["x_rate"][held] == pytest.approx(3.0 - 0.2 * G * run.time[held], abs=1e-5)
    assert run["turn_rate"][held] == pytest.approx(
        -0.2 * G * 0.1 / 0.005 * run.time[held], abs=1e-3
    )


def rod(e: float, friction: float, angle: float) -> Equations:
    """Return a falling rod whose lower end hits the floor: normal and tangent are coupled."""
    model = Model("rod", gravity=(0, -G))
    centre, tilt = model.point("centre", (0, 1)), model.angle("tilt", angle)
    model.add(Body("rod", centre, tilt, mass=1.0, inertia=1 / 12))
    centre.x.dof("x", "x_rate")
    centre.y.dof("y", "y_rate", start=1.0)
    tilt.angle.dof("tilt", "tilt_rate", start=angle)
    theta = tilt.angle.value
    unilateral_contact(
        model,
        "floor",
        centre.y.value - ca.sin(theta) / 2,
        Impact(e),
        sliding=centre.x.rate + ca.sin(theta) / 2 * tilt.angle.rate,
        friction=friction,
    )
    model.output("kinetic", model.kinetic_energy)
    return model.equations()


def numerical_impact(
    rates: np.ndarray, angle: float, e: float, friction: float, steps: int = 200_000
) -> np.ndarray:
    """Integrate the impact of the rod over the normal impulse in small parts, by hand."""
    normal = np.array([0.0, 1.0, -np.cos(angle) / 2])
    tangent = np.array([1.0, 0.0, np.sin(angle) / 2])
    inverse = np.diag([1.0, 1.0, 12.0])
    across, along = float(normal @ inverse @ normal), float(tangent @ inverse @ tangent)
    both = float(tangent @ inverse @ normal)
    approach, sliding = float(normal @ rates), float(tangent @ rates)
    part, compressed, total, tangential = 4.0 / steps, 0.0, 0.0, 0.0
    hold = -both / along
    while compressed == 0.0 or total < (1 + e) * compressed:
        if abs(sliding) < 8 * part and abs(hold) <= friction:
            share = hold - sliding / along / part * 0.5
        else:
            share = -math.copysign(friction, sliding)
        approach += part * (across + share * both)
        sliding += part * (both + share * along)
        tangential += part * share
        total += part
        if compressed == 0.0 and approach >= 0:
            compressed = total
    return rates + inverse @ (total * normal + tangential * tangent)


@pytest.mark.parametrize(
    ("angle", "friction", "x_rate"),
    [
        (0.9, 0.15, 0.4),
        pytest.param(0.9, 0.15, 3.0, marks=pytest.mark.heavy),
        pytest.param(0.9, 0.6, 0.3, marks=pytest.mark.heavy),
        pytest.param(2.2, 0.3, 0.2, marks=pytest.mark.heavy),
        (1.2, 1.5, -2.0),
    ],
)
def test_impact_with_friction_is_the_limit_of_small_parts(
    angle: float, friction: float, x_rate: float
) -> None:
    # Poisson's restitution
    e = 0.6
    height = np.sin(angle) / 2 + 1e-7
    start = {"tilt": angle, "y": height, "y_rate": -2.0, "x_rate": x_rate, "tilt_rate": 0.3}
    run = simulate(rod(e, friction, angle), 1e-6, start=start)
    row = int(impacts_of(run)[0])
    names = ("x_rate", "y_rate", "tilt_rate")
    before, after = (np.array([run[n][i] for n in names]) for i in (row, row + 1))
    expected = numerical_impact(before, run["tilt"][row], e, friction)
    assert after == pytest.approx(expected, abs=3e-4)
    lost = run["kinetic"][row] - run["kinetic"][row + 1]
    assert lost == pytest.approx(run["floor.energy_loss"][row + 1], rel=1e-10)
    assert lost > 0
    limit = friction * run["floor.impulse"][row + 1]
    assert abs(run["floor.tangential_impulse"][row + 1]) <= limit * (1 + 1e-12)


def stack(upper: float, lower: float) -> Model:
    """Return two point masses above each other, the lower one on the floor."""
    model = Model("stack", gravity=(0, -G))
    heights = {}
    for name, mass, height in (("low", lower, 0.0), ("high", upper, 0.5)):
        place = model.point(name, (0, height))
        model.add(Body(f"{name} mass", place, mass=mass))
        place.x.fix(0)
        heights[name] = place.y.dof(name, f"{name}_rate", start=height).value
    floor = unilateral_contact(model, "floor", heights["low"], Impact(0.5))
    pair = unilateral_contact(model, "pair", heights["high"] - heights["low"], Impact(0.8))
    for name, contact in (("floor", floor), ("pair", pair)):
        model.output(f"{name}.force", contact.force)
    return model


@pytest.mark.heavy
def test_contact_that_is_pressed_stays_closed_while_another_meets() -> None:
    run = simulate(stack(upper=1.0, lower=3.0).equations(), 8.0)
    row = impacts_of(run, "pair")[0]
    assert run["low_rate"][row + 1] == pytest.approx(0.0, abs=1e-14)
    assert run["high_rate"][row + 1] == pytest.approx(-0.8 * run["high_rate"][row], rel=1e-12)
    assert run["floor.impacts"][-1] <= 1
    assert run.final("pair.force") == pytest.approx(G, rel=1e-9)
    assert run.final("floor.force") == pytest.approx(4 * G, rel=1e-9)


def test_contact_that_is_relieved_opens() -> None:
    model = Model("lever", gravity=(0, -G))
    centre, tilt = model.point("centre", (0, 0)), model.angle("tilt")
    model.add(Body("lever", centre, tilt, mass=1.0, inertia=0.01))
    falling = model.point("falling", (-0.5, 0.2))
    model.add(Body("stone", falling, mass=1.0))
    centre.x.fix(0)
    falling.x.fix(-0.5)
    centre.y.dof("y", "y_rate")
    tilt.angle.dof("tilt", "tilt_rate")
    falling.y.dof("stone", "stone_rate", start=0.2)
    y, theta = centre.y.value, tilt.angle.value
    unilateral_contact(model, "near", y - 0.1 * ca.sin(theta), Impact(0.0))
    unilateral_contact(model, "far", y + 0.1 * ca.sin(theta), Impact(0.0))
    unilateral_contact(model, "stone", falling.y.value - y + 0.5 * ca.sin(theta), Impact(0.2))
    run = simulate(model.equations(), 0.25)
    row = impacts_of(run, "stone")[0]
    # the stone presses the near side and lifts the far one, whose contact opens
    assert run["far.closed.active"][row] == 1
    assert run["far.closed.active"][row + 1] == 0
    assert run["near.closed.active"][row + 1] == 1
    assert run["tilt_rate"][row + 1] > 0


def test_bad_contacts_are_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"restitution = 1\.2: must be at most 1"):
        Impact(1.2)
    with pytest.raises(ModelError, match="settling time = 0"):
        Impact(0.5, settling_time=0.0)
    model = ball(Impact(0.5))
    height = model.nodes["centre"].y.value
    with pytest.raises(ModelError, match="contact 'floor' exists already"):
        unilateral_contact(model, "floor", height, Impact(0.5))
    with pytest.raises(ModelError, match="contact wall: friction needs the sliding velocity"):
        unilateral_contact(model, "wall", height, Impact(0.5), friction=0.1)
    with pytest.raises(ModelError, match=r"friction of wall: coefficient = -0\.1"):
        unilateral_contact(model, "wall", height, Impact(0.5), sliding=height, friction=-0.1)
    with pytest.raises(ModelError, match=r"friction: speed = 0 m/s must be greater"):
        unilateral_contact(
            model, "wall", height, Impact(0.5), friction=CoulombFriction(0.1, speed=0.0)
        )
    with pytest.raises(ModelError, match="size of wall = -1"):
        unilateral_contact(model, "wall", height, Impact(0.5), size=-1.0)
    unilateral_contact(model, "nowhere", 1 - model.time, Impact(0.5))
    with pytest.raises(ModelError, match=r"contact nowhere: its gap .* depends on no place"):
        model.equations()
    model = ball(Impact(0.5))
    unilateral_contact(model, "fast", height + model.nodes["centre"].y.rate, Impact(0.5))
    with pytest.raises(ModelError, match="contact fast: its gap depends on a velocity"):
        model.equations()
    model = ball(Impact(0.5))
    y = model.nodes["centre"].y
    unilateral_contact(model, "bent", y.value, Impact(0.5), sliding=y.rate**2, friction=0.1)
    with pytest.raises(ModelError, match="contact bent: its sliding is not linear in the rates"):
        model.equations()


@pytest.mark.parametrize("by", ["guide", "wall"])
def test_impact_whose_tangent_is_blocked_has_no_tangential_impulse(by: str) -> None:
    """Where friction would act, a guide or a wall holds the ball: Newton's law, and no more."""
    model = Model("corner", gravity=(-1.0, -G))
    centre = model.point("centre", (0, 1))
    centre.y.dof("height", "speed", start=1.0)
    model.add(Body("ball", centre, mass=0.3))
    if by == "guide":
        centre.x.prescribe(0.0)
    else:
        centre.x.dof("x")
        unilateral_contact(model, "wall", centre.x.value, Impact(0.0))
    law, along = Impact(0.7), centre.velocity[0]
    unilateral_contact(model, "floor", centre.y.value, law, sliding=along, friction=0.4)
    run = simulate(model.equations(), 0.6, progress=False)
    row = impacts_of(run)[0]
    speed = np.sqrt(2 * G)
    assert run["speed"][row + 1] == pytest.approx(0.7 * speed, rel=1e-9)
    assert run["floor.impulse"][row + 1] == pytest.approx(1.7 * 0.3 * speed, rel=1e-9)
    assert run["floor.tangential_impulse"][row + 1] == 0.0


def test_gap_of_an_input_needs_its_rates() -> None:
    model = ball(Impact(0.5), floor=lambda model: model.input("table", 0.0, unit="m"))
    with pytest.raises(ModelError, match="contact floor: the rate of input table is needed"):
        model.equations()


def test_parts_must_not_overlap_at_the_start() -> None:
    equations = ball(Impact(0.5)).equations()
    with pytest.raises(SimulationError, match=r"floor\.gap = -0\.1 at t = 0: the parts overlap"):
        simulate(equations, 1.0, start={"height": -0.1})
    simulate(equations, 0.1, start={"height": -1e-10})  # rounding


def test_closed_contacts_leave_no_motion_but_equilibria_refuse_them() -> None:
    equations = ball(Impact(0.5), height=0.0).equations()
    assert np.allclose(linearize(equations, {"height": 1.0}, unsteady=True).M, 0.3)
    assert linearize(equations, {"height": 1.0}, unsteady=True).eigenvalues().size == 0
    about = linearize(equations)
    assert np.allclose(about.M, 0.3) and about.rates.tolist() == [0.0, 0.0]
    assert about.eigenvalues().size == 0
    evaluation = Evaluation(equations)
    evaluation.start()
    evaluation.d[[d.name for d in equations.discretes].index("floor.closed.active")] = 1.0
    with pytest.raises(ModelError, match=r"floor is closed .*keep it closed by a rigid"):
        refuse_closed(equations, evaluation, "equilibrium")


def oscillator(damping: float) -> Equations:
    """Return a mass on a spring of 10 rad/s."""
    model = Model("oscillator")
    place = model.point("mass")
    model.add(Body("mass body", place, mass=1.0))
    place.y.fix(0)
    place.x.dof("x", "v", start=1.0).spring(100.0, damping)
    model.state("integral", derivative=place.x.value)
    return model.equations()


@pytest.mark.parametrize(
    ("damping", "order"), [(0.0, 2.0), pytest.param(4.0, 1.0, marks=pytest.mark.heavy)]
)
def test_one_stage_method_has_its_orders(damping: float, order: float) -> None:
    # [Schwab2002] (5.28)
    equations = oscillator(damping)
    exact = simulate(equations, 1.0, rtol=1e-12, atol=1e-13)
    errors = []
    for step in (2e-3, 1e-3):
        run = simulate(equations, 1.0, method="one_stage", max_step=step)
        assert run.statistics["steps"] == round(1 / step)
        errors.append([abs(run.final(n) - exact.final(n)) for n in ("x", "v")])
    observed = np.log2(np.divide(*errors))
    assert observed == pytest.approx(order, abs=0.15)
    assert run.final("integral") == pytest.approx(exact.final("integral"), abs=1e-3)


def test_one_stage_method_is_stable_up_to_its_limit() -> None:
    equations = oscillator(0.0)
    assert abs(simulate(equations, 50.0, method="one_stage", max_step=0.199)["x"]).max() < 20
    assert abs(simulate(equations, 25.0, method="one_stage", max_step=0.202)["x"]).max() > 1e6
    with pytest.raises(ModelError, match="one_stage makes equal steps: max_step = inf"):
        simulate(equations, 1.0, method="one_stage")


def test_one_stage_method_finds_contacts_on_its_interpolant() -> None:
    # [Schwab2002] (5.23)
    equations = ball(Impact(0.7)).equations()
    run = simulate(equations, 3.0, method="one_stage", max_step=1e-2)
    rest = np.sqrt(2 / G) + 2 * 0.7 * np.sqrt(2 * G) / (G * 0.3)
    closed = next(t for t, name in run.events if name == "floor.closed")
    assert closed == pytest.approx(rest, abs=2e-6)  # exact for a constant acceleration


def test_contact_tells_what_it_is() -> None:
    model = Model("two")
    place = model.point("place", (1, 0))
    model.add(Body("mass", place, mass=1.0))
    place.x.dof("x", "v", start=1.0)
    place.y.fix(0)
    law = Impact(0.9, stiffness=1e9)
    contact = unilateral_contact(model, "wall", place.x.value, law)
    assert isinstance(contact, ImpactContact)
    run = simulate(model.equations(), 1.0, start={"v": -2.0})
    depth = (1.25 * 2.0**2 / 1e9) ** 0.4  # [Schwab2002] (5.32): ½ m v² = K δ^2.5/2.5
    assert run.final("wall.largest_force") == pytest.approx(1e9 * depth**1.5, rel=1e-12)
    assert run.final("wall.flight") == 0


def test_effective_mass_is_that_beside_the_contacts_that_stay_closed() -> None:
    """A rod of 1 kg lies on one end while the other meets: m/3, where the whole rod has m/4."""
    # [Schwab2002] (5.19)
    model = Model("rod", gravity=(0, -G))
    centre, tilt = model.point("centre", (0, 0.1)), model.angle("tilt")
    model.add(Body("rod", centre, tilt, mass=1.0, inertia=1 / 12))
    centre.x.fix(0)
    centre.y.dof("y", "y_rate")
    tilt.angle.dof("tilt", "tilt_rate", start=0.2)
    y, theta = centre.y.value, tilt.angle.value
    law = Impact(0.0, stiffness=1e9)
    unilateral_contact(model, "near", y - ca.sin(theta) / 2, law)
    unilateral_contact(model, "far", y + ca.sin(theta) / 2, law)
    start = {"y": math.sin(0.2) / 2}
    run = simulate(model.equations(), 0.5, start=start)
    speed = run.final("far.impact_speed")
    assert speed == pytest.approx(math.sqrt(3 * G * math.sin(0.2)), rel=1e-6)  # by energy
    depth = (1.25 / 3 * speed**2 / 1e9) ** 0.4  # [Schwab2002] (5.32)
    assert run.final("far.largest_force") == pytest.approx(1e9 * depth**1.5, rel=1e-6)


def block(e: float) -> Model:
    """Return a block of 0.2 m x 1 m that stands on two corners, hinged to a vertical guide."""
    model = Model("block", gravity=(0, -G))
    centre, tilt = model.point("centre", (0, 0.5)), model.angle("tilt")
    model.add(Body("block", centre, tilt, mass=1.0, inertia=(0.04 + 1) / 12))
    centre.x.fix(0)
    centre.y.dof("y", "y_rate")
    tilt.angle.dof("tilt", "tilt_rate", start=0.05)
    y, theta = centre.y.value, tilt.angle.value
    for name, side in (("left", -0.1), ("right", 0.1)):
        corner = y + side * ca.sin(theta) - 0.5 * ca.cos(theta)
        contact = unilateral_contact(model, name, corner, Impact(e))
        model.output(f"{name}.force", contact.force)
    return model


@pytest.mark.parametrize(
    ("e", "backend"),
    [(0.0, "auto"),
     pytest.param(0.5, "python", marks=pytest.mark.heavy),
     pytest.param(0.5, "c", marks=pytest.mark.heavy)],
)  # fmt: skip
def test_rocking_block_comes_to_rest_on_both_corners(
    e: float, backend: Literal["auto", "python", "c"]
) -> None:
    """Events accumulate in few steps, in each of which many places are looked at: no creeping."""
    start = {"y": 0.1 * np.sin(0.05) + 0.5 * np.cos(0.05)}
    run = simulate(block(e).equations(), 2.0, start=start, backend=backend)
    assert run.final("left.force") == pytest.approx(G / 2, rel=1e-9)
    assert run.final("right.force") == pytest.approx(G / 2, rel=1e-9)
    assert run.final("tilt_rate") == pytest.approx(0.0, abs=1e-10)
    assert len(run.events) < 1000


def test_foot_that_would_have_to_pull_opens() -> None:
    """A strike from the side, with friction, on a body that stands on two feet."""
    model = Model("table")
    centre, tilt = model.point("centre", (0, 0)), model.angle("tilt")
    model.add(Body("table", centre, tilt, mass=1.0, inertia=0.1))
    centre.x.fix(0)
    centre.y.dof("y", "y_rate")
    tilt.angle.dof("tilt", "tilt_rate")
    stone = model.point("stone", (0.1, 0.5))
    model.add(Body("stone", stone, mass=1.0))
    stone.x.dof("stone_x", "stone_x_rate", rate_start=5.0)
    stone.y.dof("stone_y", "stone_y_rate", rate_start=-1.0)
    y, theta = centre.y.value, tilt.angle.value
    for name, side in (("left", -0.3), ("right", 0.3)):
        unilateral_contact(model, name, y + side * ca.sin(theta), Impact(0.0))
    height = y + 0.5 * ca.cos(theta) + (stone.x.value + 0.5 * ca.sin(theta)) * ca.tan(theta)
    unilateral_contact(
        model, "hit", stone.y.value - height, Impact(0.0),
        sliding=stone.x.rate + 0.5 * tilt.angle.rate, friction=1.0,
    )  # fmt: skip
    evaluation = Evaluation(model.equations())
    evaluation.start()
    names = [d.name for d in evaluation.equations.discretes]
    for side in ("left", "right"):
        evaluation.d[names.index(f"{side}.closed.active")] = 1.0
    evaluation.s[[s.name for s in evaluation.equations.states].index("stone_y")] -= 1e-13
    evaluation.configure()
    assert "hit.impact" in evaluation.iterate_events()
    # with both feet held: s_n = 1, s_t = -1, so left + right = 1 and 0.3 (right - left) = 0.6
    assert evaluation.d[names.index("left.closed.active")] == 0
    assert evaluation.d[names.index("right.closed.active")] == 1
    rates = dict(zip([s.name for s in evaluation.equations.states], evaluation.s, strict=True))
    assert rates["tilt_rate"] < 0
    assert rates["y_rate"] + 0.3 * rates["tilt_rate"] == pytest.approx(0.0, abs=1e-12)


def test_wheel_meets_a_wall() -> None:
    """A gap in a kinematic coordinate: the speed of rolling is turned back."""
    model = Model("wheel")
    centre, heading = model.point("centre", (0, 0)), model.angle("heading")
    wheel = model.angle("wheel")
    model.add(PlanarWheel("wheel", centre, heading, wheel, radius=1.0))
    model.add(Body("body", centre, heading, mass=2.0, inertia=0.5))
    heading.angle.dof("yaw", "yaw_rate")
    wheel.angle.dof("rolled", "speed", rate_start=1.0)
    centre.x.kinematic("x")
    centre.y.kinematic("y")
    unilateral_contact(model, "wall", 1.0 - centre.x.value, Impact(0.5))
    run = simulate(model.equations(), 2.0)
    assert run.final("speed") == pytest.approx(-0.5, rel=1e-12)
    assert run.final("wall.impacts") == 1
    assert run["x"].max() < 1.0 + 1e-12


def test_particle_in_a_right_angled_corner_has_no_free_tangent() -> None:
    model = Model("corner", gravity=(0, -G))
    place = model.point("place", (0, 1))
    model.add(Body("particle", place, mass=1.0))
    place.x.dof("x", "x_rate")
    place.y.dof("y", "y_rate", start=1.0)
    r = np.sqrt(0.5)
    for name, side in (("a", 1.0), ("b", -1.0)):
        unilateral_contact(
            model, name, r * (side * place.x.value + place.y.value), Impact(0.0),
            sliding=r * (side * place.y.rate - place.x.rate), friction=0.3,
        )  # fmt: skip
    model.output("force", model.contacts["a"].force)
    run = simulate(model.equations(), 1.0)
    assert run.final("force") == pytest.approx(G * r, rel=1e-6)


def test_values_that_are_expressions_keep_to_their_ranges() -> None:
    model = ball(Impact(0.5))
    again = Model("ball", gravity=(0, -G))
    bounce = again.parameter("bounce", 1.5)
    centre = again.point("centre", (0, 1))
    again.add(Body("centre", centre, mass=1.0))
    centre.x.fix(0)
    centre.y.dof("height", "speed")
    with pytest.raises(ModelError, match=r"its law is 0\.7; give an Impact"):
        unilateral_contact(again, "floor", centre.y.value, 0.7)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"its gap is .*give an expression, such as point\.y\.val"):
        unilateral_contact(again, "floor", centre.y, Impact(bounce))  # type: ignore[arg-type]
    unilateral_contact(again, "floor", centre.y.value, Impact(bounce))
    with pytest.raises(SimulationError, match=r"floor\.restitution = 1\.5 at .*from 0 to 1"):
        simulate(again.equations(), 1.0)
    with pytest.raises(ModelError, match=r"event floor\.closed is that of a contact"):
        model.event("floor.closed", model.time)
    with pytest.raises(ModelError, match="restitution = 'elastic'"):
        Impact("elastic")  # type: ignore[arg-type]


def struck(model: Model, state: dict[str, float], *fired: str) -> dict[str, float]:
    """Return discrete variables and states after events, where ``state`` is in their places."""
    E = model.equations()
    s = [state.get(record.name, 0.0) for record in E.states]
    d = [state.get(record.name, record.start) for record in E.discretes]
    d = [-1.0 if math.isnan(value) else value for value in d]
    given = [0.0, s, d, [], [r.value for r in E.parameters]]
    x = E.functions["start"](*given, np.zeros(len(E.coordinate_names)))[0]
    x = E.functions["place"](*given, x)
    events = [1.0 if event.name in fired else 0.0 for event in E.events]
    found = np.concatenate(
        [np.array(part).ravel() for part in E.functions["update"](*given, x, events)]
    )
    return dict(zip((r.name for r in (*E.discretes, *E.states)), found, strict=True))


@pytest.mark.parametrize(
    ("e", "bounce", "rests"),
    [(0.5, 3.0, False), (0.9, 3.0, True), (1.0, 1e7, False)],
)
def test_a_bounce_goes_on_that_loses_more_height_than_rounding(
    e: float, bounce: float, rests: bool
) -> None:
    """A bounce of the height h loses h (1 - e²) at the next; it is told in lowest ones."""
    leaving = np.sqrt(2 * G * bounce * LOWEST_BOUNCE)
    after = struck(ball(Impact(e, 1e-12), 0.0), {"speed": -leaving / e}, "floor.impact")
    assert after["floor.impacts"] == 1
    assert after["floor.closed.active"] == rests
    assert after["speed"] == pytest.approx(0.0 if rests else leaving, rel=1e-12, abs=1e-20)


def test_of_two_contacts_at_once_one_that_opens_is_not_counted() -> None:
    """Both events at one time: the first ball flies up already, the second one comes down."""
    model = Model("two balls", gravity=(0, -G))
    for name in ("up", "down"):
        place = model.point(name, (0, 0))
        place.x.fix()
        model.add(Body(f"{name} ball", place, mass=0.3))
        unilateral_contact(model, name, place.y.dof(f"{name}.y", f"{name}.v").value, Impact(0.5))
    start, fired = {"up.v": 1.0, "down.v": -2.0}, ("up.impact", "down.impact")
    after = struck(model, start, *fired)
    assert (after["up.impacts"], after["down.impacts"]) == (0, 0)
    assert after["up.v"] == 1.0
    assert struck(model, start, "down.impact")["down.v"] == pytest.approx(1.0, rel=1e-12)
