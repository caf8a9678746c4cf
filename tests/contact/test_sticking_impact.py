"""Rigid parts that bounce, come to rest, and then stick, roll or slide, against closed forms."""

from __future__ import annotations

from math import cos, radians, sin
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import (
    Bearing,
    Body,
    FrictionLaw,
    Model,
    ModelError,
    RigidLink,
    simulate,
    simulate_many,
)
from mbcore.contact import Impact, KelvinVoigt, SwitchedLaw, unilateral_contact
from mbcore.contact.clearance import clearance
from mbcore.fmi import Component, export
from mbcore.host.backend import Backend
from tests.built import Tools

GRAVITY, MU, RADIUS, MASS = 9.81, 0.3, 0.1, 2.0
SOLID = 2 / 5
HEAVY = pytest.mark.heavy


def dropped(
    slope: float,
    *,
    friction: Any = FrictionLaw(MU),  # noqa: B008
    restitution: float = 0.5,
    shape: float | None = None,
    height: float = 0.05,
    **rates: float,
) -> Model:
    """A body over a plane that falls towards x; a block, or of the inertia ``shape`` m R²."""
    model = Model("dropped", gravity=(GRAVITY * sin(slope), -GRAVITY * cos(slope)))
    centre, turn = model.point("centre", (0, RADIUS)), model.angle("turn", fixed=shape is None)
    inertia = 0.0 if shape is None else shape * MASS * RADIUS**2
    model.add(Body("body", centre, None if shape is None else turn, mass=MASS, inertia=inertia))
    centre.x.dof("x", "vx", rate_start=rates.get("vx", 0.0))
    centre.y.dof("y", "vy", RADIUS + height, rates.get("vy", 0.0))
    sliding = centre.x.rate
    if shape is not None:
        turn.angle.dof("angle", "spin", rate_start=rates.get("spin", 0.0))
        sliding = sliding + RADIUS * turn.angle.rate
    gap = centre.y.value - RADIUS
    found = unilateral_contact(
        model, "floor", gap, Impact(restitution), sliding=sliding, friction=friction
    )
    for name in ("force", "friction_force", "closed", "sticks"):
        model.output(name, getattr(found, name))
    return model


@pytest.mark.parametrize("backend", [pytest.param("python", marks=HEAVY), "c"])
def test_a_block_that_bounces_comes_to_rest_and_sticks(backend: Backend) -> None:
    """Its impacts end after √(2 h/g cos θ) (1 + e)/(1 - e); then it keeps the same bits."""
    slope = radians(16.6)  # Coulomb's cone, atan 0.3 = 16.70 degrees
    run = simulate(dropped(slope).equations(), 1e3, backend=backend, samples=1001)
    rests = np.sqrt(2 * 0.05 / (GRAVITY * cos(slope))) * 3
    assert max(time for time, name in run.events if name == "floor.impact") == pytest.approx(
        rests, abs=2e-6
    )
    late = run.time > 50.0  # outside the bounces friction stops it by 0.02 m/s2 only
    assert run["sticks"][late].all() and not run["vx"][late].any()
    assert np.unique(run["x"][late]).size == np.unique(run["y"][late]).size == 1
    assert run.final("friction_force") == pytest.approx(-MASS * GRAVITY * sin(slope), rel=1e-12)
    assert run.final("force") == pytest.approx(MASS * GRAVITY * cos(slope), rel=1e-12)


def test_a_block_that_bounces_outside_the_cone_slides_on() -> None:
    slope = radians(16.8)
    law = FrictionLaw(0.2, static=MU)
    run = simulate(dropped(slope, friction=law).equations(), 2.0, backend="c", samples=21)
    assert run.final("closed") == 1 and run.final("sticks") == 0
    rate = (run["vx"][-1] - run["vx"][-2]) / (run.time[-1] - run.time[-2])
    assert rate == pytest.approx(GRAVITY * (sin(slope) - 0.2 * cos(slope)), rel=1e-12)


def test_a_ball_that_slides_on_a_rigid_floor_rolls() -> None:
    """It rolls with 5/7 of its speed less 2/7 of its spin's, after 2 (v + R ω)/(7 μ g)."""
    speed, spin = 0.5, 3.0
    model = dropped(0.0, restitution=0.0, shape=SOLID, height=0.0, vx=speed, spin=spin)
    run = simulate(model.equations(), 0.4, backend="c", samples=3)
    slip = speed + RADIUS * spin
    stops = [time for time, name in run.events if name == "floor.sliding.slip.held"]
    begins = next(time for time, name in run.events if name == "floor.impact")
    assert stops[-1] - begins == pytest.approx(2 * slip / (7 * MU * GRAVITY), rel=1e-9)
    assert run.final("vx") == pytest.approx(speed - 2 / 7 * slip, rel=1e-10)
    assert run.final("spin") == pytest.approx(-run.final("vx") / RADIUS, rel=1e-10)


@pytest.mark.parametrize(("rolls", "slope"), [(1, 0.2), (0, 1.2)])
def test_a_ball_that_has_bounced_rolls_down_or_slides(rolls: int, slope: float) -> None:
    """It rolls up to tan θ = 7/2 μ, with 5/7 g sin θ."""
    run = simulate(dropped(slope, shape=SOLID).equations(), 2.0, backend="c", samples=21)
    assert run.final("closed") == 1 and run.final("sticks") == rolls
    rate = (run["vx"][-1] - run["vx"][-2]) / (run.time[-1] - run.time[-2])
    slides = GRAVITY * (sin(slope) - MU * cos(slope))
    assert rate == pytest.approx(5 / 7 * GRAVITY * sin(slope) if rolls else slides, rel=1e-11)


@pytest.mark.parametrize(("friction", "sticks"), [(0.1, False), (1.0, True)])
def test_a_ball_dropped_with_spin_rebounds(friction: float, sticks: bool) -> None:
    """It slides: Δv = -μ (1 + e) v_n; or it sticks: 2/7 of the slip is lost; ω by R Δv/I."""
    spin, e = 30.0, 0.5
    law = FrictionLaw(friction)
    model = dropped(0.0, friction=law, shape=SOLID, restitution=e, height=0.05, vx=0.2, spin=spin)
    run = simulate(model.equations(), 0.15, backend="c", samples=3)
    fall = np.sqrt(2 * GRAVITY * 0.05)
    change = -friction * (1 + e) * fall
    if sticks:
        change = -2 / 7 * (0.2 + RADIUS * spin)
    assert run.final("floor.impacts") == 1
    assert run.final("vx") == pytest.approx(0.2 + change, rel=1e-10)
    assert run.final("spin") == pytest.approx(spin + change / (SOLID * RADIUS), rel=1e-10)
    lost = (1 - e**2) * fall**2 / 2  # and by friction, from the rates before and after
    after = run.final("vx") ** 2 + SOLID * (RADIUS * run.final("spin")) ** 2
    lost += (0.2**2 + SOLID * (RADIUS * spin) ** 2 - after) / 2
    assert run.final("floor.energy_loss") == pytest.approx(MASS * lost, rel=1e-10)


def on_two_corners(slope: float, friction: FrictionLaw) -> Model:
    """A block of 0.4 m x 0.2 m that is dropped on two corners, tilted."""
    model = Model("block", gravity=(GRAVITY * sin(slope), -GRAVITY * cos(slope)))
    centre, tilt = model.point("centre", (0, 0.12)), model.angle("tilt", 0.02)
    model.add(Body("block", centre, tilt, mass=MASS, inertia=0.03))
    centre.x.dof("x", "vx")
    centre.y.dof("y", "vy")
    tilt.angle.dof("tilt", "tilt_rate")
    for name, at in (("left", -0.2), ("right", 0.2)):
        place = (at * cos(0.02) + 0.1 * sin(0.02), 0.12 - 0.1 * cos(0.02) + at * sin(0.02))
        corner = model.point(name, place)
        model.add(RigidLink(f"to {name}", centre, tilt, corner, offset=(at, -0.1)))
        found = unilateral_contact(
            model,
            f"{name}_corner",
            corner.position[1],
            Impact(0.3),
            sliding=corner.velocity[0],
            friction=friction,
        )
        for what in ("force", "friction_force", "sticks"):
            model.output(f"{name}.{what}", getattr(found, what))
    return model


@pytest.mark.heavy
@pytest.mark.parametrize(("slope", "sticks"), [(0.1, True), (0.4, False)])
def test_a_block_on_two_corners(slope: float, sticks: bool) -> None:
    """Forces by the balance of moments: the lower corner has T h/(2 b) more than half, T at h."""
    model = on_two_corners(slope, FrictionLaw(0.3, static=0.32))
    run = simulate(model.equations(), 2.0, backend="c", samples=201)
    sides = ("left", "right")
    pressing = [run.final(f"{side}.force") for side in sides]
    rubbing = [-run.final(f"{side}.friction_force") for side in sides]
    weight = MASS * GRAVITY * cos(slope)
    drag = MASS * GRAVITY * sin(slope) if sticks else 0.3 * weight
    assert sum(rubbing) == pytest.approx(drag, rel=1e-11)
    assert pressing[0] == pytest.approx(weight / 2 - drag * 0.1 / 0.4, rel=1e-11)
    assert pressing[1] == pytest.approx(weight / 2 + drag * 0.1 / 0.4, rel=1e-11)
    if sticks:
        assert abs(run.final("vx")) < 1e-14
    else:
        assert rubbing == pytest.approx([0.3 * force for force in pressing], rel=1e-11)


def struck(newton: bool) -> tuple[float, float]:
    """Kinetic energy of Kane's double pendulum, J, before and after it strikes, by hand or not.

    Two rods of 1 m and 1 kg at 20° and 30° whose end meets the ground, e = 0.7 and μ = 0.5. By
    hand: Newton's law, with Coulomb's friction against the sliding after the impact.
    """
    first, second = radians(20), radians(30)
    before = np.array([-0.1, -0.2])
    coupled = cos(first - second) / 2
    mass = np.array([[4 / 3, coupled], [coupled, 1 / 3]])
    up, along = np.array([sin(first), sin(second)]), np.array([cos(first), cos(second)])
    if newton:
        inverse = np.linalg.inv(mass)
        nn, nt, tt = up @ inverse @ up, up @ inverse @ along, along @ inverse @ along
        approach, slip = up @ before, along @ before
        for way in (1, -1):
            normal = -1.7 * approach / (nn - 0.5 * way * nt)
            if (slip + (nt - 0.5 * way * tt) * normal) * way > 0:
                break
        after = before + inverse @ (up - 0.5 * way * along) * normal
        return before @ mass @ before / 2, after @ mass @ after / 2
    model = Model("Kane")
    height = cos(first) + cos(second)
    pivot = model.point("pivot", (0, height), fixed=True)
    ends, angles = [], [model.angle("upper", first), model.angle("lower", second)]
    place, above = np.array([0, height]), pivot
    for k, (angle, turned) in enumerate(zip(angles, (first, second), strict=True)):
        way = np.array([sin(turned), -cos(turned)])
        middle, end = model.point(f"m{k}", place + way / 2), model.point(f"e{k}", place + way)
        model.add(RigidLink(f"half{k}", above, angle, middle))
        model.add(RigidLink(f"whole{k}", above, angle, end))
        model.add(Body(f"rod{k}", middle, angle, mass=1.0, inertia=1 / 12))
        angle.angle.dof(f"angle{k}", f"rate{k}", rate_start=before[k])
        place, above = place + way, end
        ends.append(end)
    gap, sliding = ends[1].position[1] + 1e-9, ends[1].velocity[0]
    unilateral_contact(model, "floor", gap, Impact(0.7), sliding=sliding, friction=FrictionLaw(0.5))
    model.output("kinetic", model.kinetic_energy, unit="J")
    run = simulate(model.equations(), 1e-6, samples=11, backend="c")
    assert run.final("floor.impacts") == 1
    change = run["kinetic"][0] - run.final("kinetic")
    assert run.final("floor.energy_loss") == pytest.approx(change, rel=1e-6)
    return run["kinetic"][0], run.final("kinetic")


@pytest.mark.heavy
def test_kane_s_pendulum_gains_no_energy() -> None:
    """By Newton's law it would: Kane's paradox. Poisson's restitution avoids it."""
    before, after = struck(newton=True)
    assert after > 1.01 * before
    ours, left = struck(newton=False)
    assert ours == pytest.approx(before, rel=1e-6) and left < ours


def rattled(law: Any, friction: Any) -> Model:
    """A journal with a clearance of 1 mm, beside the lowest place."""
    model = Model("journal", gravity=(0, -GRAVITY))
    sleeve, still = model.point("sleeve", fixed=True), model.angle("still", fixed=True)
    centre, turn = model.point("centre"), model.angle("turn", fixed=True)
    bearing = model.add(Bearing("bearing", sleeve, still, centre, turn))
    angle = radians(10)
    bearing.x.dof("x", "vx", 0.9e-3 * sin(angle), nominal=1e-3)
    bearing.y.dof("y", "vy", -0.9e-3 * cos(angle), nominal=1e-3)
    model.add(Body("shaft", centre, None, mass=MASS))
    found = clearance(model, bearing, 1e-3, law, friction=friction, journal_radius=0.01)
    model.output("sticks", found.sticks)
    model.output("rubbing", found.friction_force)
    return model


def test_a_rigid_journal_rests_beside_the_lowest_place() -> None:
    run = simulate(rattled(Impact(0.3), FrictionLaw(MU)).equations(), 1.0, samples=11, backend="c")
    assert run.final("sticks") == 1
    assert np.unique(run["x"][5:]).size == 1
    angle = np.arctan2(run.final("x"), -run.final("y"))
    assert radians(5) < angle < radians(16.7)
    assert abs(run.final("rubbing")) == pytest.approx(MASS * GRAVITY * sin(angle), rel=1e-9)


@pytest.mark.heavy
def test_batches_and_fmus_rest_as_single_runs_do(tmp_path: Path, tools: Tools) -> None:
    slope = radians(10)
    equations = dropped(slope, restitution=0.3).equations()
    one = simulate(equations, 1.0, samples=3, backend="c")
    many = simulate_many(equations, 1.0, start={"vx": [0.0, 0.1]}, samples=3, progress=False)
    assert many["x"].values[0][-1] == pytest.approx(one.final("x"), rel=1e-7)
    assert (many["sticks"].values[:, -1] == 1).all()
    built = export(Component("block", "A block that rests", equations), tmp_path, tools=tools)
    for fmu, interface in zip(built, ("ModelExchange", "CoSimulation"), strict=True):
        found = simulate_fmu(
            str(fmu),
            stop_time=1.0,
            output_interval=1e-2,
            relative_tolerance=1e-9,
            fmi_type=interface,
            output=["x", "vx", "sticks", "friction_force"],
        )
        assert found["sticks"][-1] == 1 and found["vx"][-1] == 0
        assert found["x"][-1] == pytest.approx(one.final("x"), rel=1e-6)
        assert np.unique(found["x"][-30:]).size == 1


@pytest.mark.parametrize(
    ("friction", "sliding", "message"),
    [
        (FrictionLaw(0.3, viscous=1.0), 1, "viscous is for joints"),
        (FrictionLaw(0.3, preload=1.0), 1, "preload"),
        (FrictionLaw(0.3), None, "friction needs the sliding velocity"),
        (FrictionLaw(0.0), None, "friction needs the sliding velocity"),
        (FrictionLaw(0.3), 2, "has 2 components"),
    ],
)
def test_mistakes_are_told(friction: FrictionLaw, sliding: int | None, message: str) -> None:
    model = Model("block")
    centre = model.point("centre", (0, 1))
    centre.x.dof("x")
    centre.y.dof("y")
    along = {None: None, 1: centre.velocity[0], 2: ca.vertcat(centre.velocity)}[sliding]
    with pytest.raises(ModelError, match=message):
        unilateral_contact(
            model, "floor", centre.y.value, Impact(0.5), sliding=along, friction=friction
        )


def test_a_choice_of_law_and_impacts_takes_smoothed_friction() -> None:
    law = SwitchedLaw(KelvinVoigt(1e6, 1e3), impact=Impact(0.5))
    with pytest.raises(ModelError, match=r"FrictionLaw, which sticks.*CoulombFriction"):
        rattled(law, FrictionLaw(MU))
