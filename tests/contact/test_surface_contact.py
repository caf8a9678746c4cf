"""Balls and convex bodies that slide, roll, stick and rest in space, against closed forms."""

from __future__ import annotations

from math import atan, cos, radians, sin
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from fmpy import simulate_fmu
from scipy.optimize import brentq

from mbcore import (
    Ball,
    Body,
    ConvexBody,
    FrictionLaw,
    Model,
    ModelError,
    RoleError,
    ellipsoid,
    linearize,
    simulate,
    simulate_many,
)
from mbcore.contact import CoulombFriction, HuntCrossley, Impact, KelvinVoigt, LankaraniNikravesh
from mbcore.contact.hertz import ContactLaw
from mbcore.contact.surface_contact import surface_contact
from mbcore.fmi import Component, export
from mbcore.host.backend import Backend
from tests.built import Tools
from tests.contact.test_sticking_contact import started

MASS, RADIUS, GRAVITY, MU = 2.0, 0.05, 9.81, 0.3
SOLID = 2 / 5
LINEAR = KelvinVoigt(1e6, 1e3)
HERTZ = LankaraniNikravesh(6e10, 0.5)
HUNT = HuntCrossley(stiffness=6e10, restitution=0.5)
HEAVY = pytest.mark.heavy
LIMIT = atan(7 / 2 * MU)
ASIDE = radians(30.0)  # of the steepest direction, so that both slips are needed


def penetration(law: ContactLaw, weight: float) -> float:
    """Static depth under a weight, m."""
    return brentq(lambda d: float(law(d, 0, 0)) - weight, 1e-12, 1e-3, xtol=1e-20, rtol=1e-15)


def on_slope(
    law: ContactLaw,
    slope: float,
    *,
    turns: bool = True,
    friction: Any = MU,
    height: float | None = None,
    velocity: tuple[float, float] = (0.0, 0.0),
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0),
    patch: float | None = None,
) -> tuple[Model, float]:
    """A ball on a plane that falls towards ``ASIDE`` of x; return its lever at rest, too, m.

    Friction acts at the plane, nearer to the centre than the radius by the depth; the moment of
    inertia is 2/5 m of that lever squared.
    """
    down = np.array([sin(slope) * cos(ASIDE), sin(slope) * sin(ASIDE), -cos(slope)])
    model = Model("slope", gravity=tuple(GRAVITY * down))
    centre, contact = model.point("centre", (0, 0, RADIUS)), model.point("contact", (0, 0, 0))
    rotation = model.rotation("rotation", fixed=not turns)
    ball = model.add(Ball("ball", centre, rotation, contact, radius=RADIUS))
    depth = penetration(law, MASS * GRAVITY * cos(slope))
    lever = RADIUS - depth
    inertia = (SOLID * MASS * lever**2,) * 3
    model.add(Body("body", centre, rotation, mass=MASS, inertia=inertia))
    if turns:
        rotation.free("turn", angular_velocity=spin)
    contact.x.dof("x", "vx", rate_start=velocity[0])
    contact.y.dof("y", "vy", rate_start=velocity[1])
    ball.normal.dof("gap", "gap_rate", -depth if height is None else height)
    found = surface_contact(model, ball, law, friction=friction, patch=patch)
    for name in ("force", "sticks", "sliding_speed", "in_contact", "spin_moment"):
        model.output(name, getattr(found, name))
    for axis, part in zip("xy", ca.vertsplit(found.friction_force), strict=True):
        model.output(f"friction_{axis}", part)
    for axis, part in zip("xyz", ca.vertsplit(rotation.angular_velocity), strict=True):
        model.output(f"spin_{axis}", part)
    lost = ca.dot(found.friction_force, found.sliding)
    lost += found.spin_moment * ball.slips["spin"].velocity
    model.state("rubbed", lost, unit="J", nominal=1e-3, visibility="output")
    pressed = found.force * found.penetration_rate
    model.state("pressed", pressed, unit="J", nominal=1e-3, visibility="output")
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    return model, lever


@pytest.mark.parametrize(
    ("law", "slopes"),
    [(HERTZ, (LIMIT - 1e-6, LIMIT + 1e-6)), pytest.param(LINEAR, (0.2, 1.2), marks=HEAVY)],
)
def test_a_ball_rolls_down_and_slides_on_steep_slopes(
    law: ContactLaw, slopes: tuple[float, float]
) -> None:
    """It rolls up to tan θ = 7/2 μ, with 5/7 g sin θ; else it slides, with g (sin θ - μ cos θ)."""
    for slope, rolls in zip(slopes, (1, 0), strict=True):
        model, lever = on_slope(law, slope)
        rates, shown = started(model)
        assert shown["sticks"] == rolls
        ahead = GRAVITY * (sin(slope) - MU * cos(slope))
        spun = 5 / 2 * MU * GRAVITY * cos(slope) / lever
        if rolls:
            ahead = 5 / 7 * GRAVITY * sin(slope)
            spun = ahead / lever
        assert rates["vx"] == pytest.approx(ahead * cos(ASIDE), rel=1e-10)
        assert rates["vy"] == pytest.approx(ahead * sin(ASIDE), rel=1e-10)
        assert rates["turn.omega_x"] == pytest.approx(-spun * sin(ASIDE), rel=1e-10)
        assert rates["turn.omega_y"] == pytest.approx(spun * cos(ASIDE), rel=1e-10)


@pytest.mark.parametrize("backend", [pytest.param("python", marks=HEAVY), "c"])
def test_a_bowling_ball_slides_until_it_rolls(backend: Backend) -> None:
    """It rolls with 5/7 of its speed less 2/7 of its spin's, after 2 |v + ω × r|/(7 μ g)."""
    speed, spin = np.array([0.4, 0.3]), np.array([-3.0, 5.0, 2.0])
    model, lever = on_slope(LINEAR, 0.0, velocity=(0.4, 0.3), spin=(-3.0, 5.0, 2.0))
    run = simulate(model.equations(), 0.2, samples=3, backend=backend)
    slip = speed - lever * np.array([spin[1], -spin[0]])  # v + ω × (0, 0, -r)
    stops = [time for time, name in run.events if name == "ball.friction.stops"]
    assert stops[0] == pytest.approx(2 * np.hypot(*slip) / (7 * MU * GRAVITY), rel=1e-9)
    rolled = speed - 2 / 7 * slip
    assert run.final("vx") == pytest.approx(rolled[0], rel=1e-10)
    assert run.final("vy") == pytest.approx(rolled[1], rel=1e-10)
    assert run.final("spin_y") == pytest.approx(rolled[0] / lever, rel=1e-10)
    assert run.final("spin_x") == pytest.approx(-rolled[1] / lever, rel=1e-10)
    assert run.final("spin_z") == pytest.approx(spin[2], rel=1e-12)
    # The friction takes 1/7 m of the slip's square.
    assert run.final("rubbed") == pytest.approx(MASS * slip @ slip / 7, rel=1e-8)


@pytest.mark.parametrize("law", [HERTZ, pytest.param(HUNT, marks=HEAVY)])
def test_what_cannot_turn_rests_inside_the_cone_at_the_same_bits(law: ContactLaw) -> None:
    # Coulomb's cone, atan 0.3 = 16.70 degrees
    slope = radians(16.6)
    run = simulate(on_slope(law, slope, turns=False)[0].equations(), 1e6, backend="c", samples=3)
    assert not run.events
    assert (run["sticks"] == 1).all() and (run["ball.friction.rests"] == 1).all()
    for name in ("x", "y", "gap", "vx", "vy", "gap_rate"):
        assert np.unique(run[name]).size == 1
    weight = MASS * GRAVITY
    assert run["friction_x"] == pytest.approx(weight * sin(slope) * cos(ASIDE), rel=1e-10)
    assert run["friction_y"] == pytest.approx(weight * sin(slope) * sin(ASIDE), rel=1e-10)
    assert run["force"] == pytest.approx(weight * cos(slope), rel=1e-10)


def test_what_is_outside_the_cone_does_not_begin_with_rest() -> None:
    slope = radians(16.8)
    equations = on_slope(LINEAR, slope, turns=False)[0].equations()
    run = simulate(equations, 5e-4, samples=5, backend="c")
    assert not run.events and not run["ball.friction.rests"].any()
    expected = 5e-4 * GRAVITY * (sin(slope) - MU * cos(slope))
    assert run.final("sliding_speed") == pytest.approx(expected, rel=1e-9)


def test_what_sticks_by_static_friction_slides_by_the_kinetic_one() -> None:
    for degrees, sticks in ((16.6, 1), (16.8, 0)):
        slope = radians(degrees)
        law = FrictionLaw(0.2, static=0.3)
        rates, shown = started(on_slope(LINEAR, slope, turns=False, friction=law)[0])
        assert shown["sticks"] == sticks
        expected = 0 if sticks else GRAVITY * (sin(slope) - 0.2 * cos(slope))
        assert rates["vx"] == pytest.approx(expected * cos(ASIDE), abs=1e-10)


@pytest.mark.parametrize(
    ("law", "deepest"), [(HERTZ, 3e-5), pytest.param(LINEAR, 5e-4, marks=HEAVY)]
)
def test_a_ball_dropped_with_spin_keeps_its_balances(law: ContactLaw, deepest: float) -> None:
    """ΔL = lever × ΔP about the centre, the lever its height, and energy with its work.

    The law without losses stores the energy of the fall, m g h, at less than the deepest depth.
    """
    model, lever = on_slope(law, 0.0, height=5e-3, velocity=(0.1, -0.2), spin=(20.0, 30.0, 5.0))
    run = simulate(model.equations(), 0.2, rtol=1e-11, atol=1e-13, samples=101, backend="c")
    assert sum(name.endswith("contact") for _, name in run.events) >= 2
    inertia = SOLID * MASS * lever**2
    for spin, ahead, sign in (("spin_y", "vx", -1), ("spin_x", "vy", 1)):
        turned, pushed = np.diff(inertia * run[spin]), sign * np.diff(MASS * run[ahead])
        touched = abs(pushed) > 1e-6
        arms = turned[touched] / pushed[touched]
        assert touched.any()
        assert (arms > RADIUS - deepest).all() and (arms < RADIUS + 1e-9).all()
    balance = run["energy"] + run["rubbed"] + run["pressed"]
    assert np.ptp(balance) < 1e-8 * run.final("rubbed")


@pytest.mark.heavy
def test_two_balls_that_collide_keep_momentum_and_angular_momentum() -> None:
    """Free balls with spins, one the other's surface: both momenta to rounding, energy by work."""
    model = Model("billiards")
    radii, masses = (0.03, 0.05), (0.2, 0.7)
    places, turns, bodies = [], [], []
    for k, (x, y) in enumerate(((0.0, 0.0), (0.081, 0.01))):
        place, turn = model.point(f"place{k}", (x, y, 0)), model.rotation(f"rotation{k}")
        inertia = 0.4 * masses[k] * radii[k] ** 2
        body = Body(f"body{k}", place, turn, mass=masses[k], inertia=(inertia,) * 3)
        bodies.append(model.add(body))
        turn.free(f"turn{k}", angular_velocity=(3.0 * k, 5.0, 20.0 - 9 * k))
        for axis, speed in zip("xyz", ((1.0, 0.1, 0.0), (-0.2, 0.0, 0.1))[k], strict=True):
            getattr(place, axis).dof(f"{axis}{k}", f"v{axis}{k}", rate_start=speed)
        places.append(place), turns.append(turn)
    touch = model.point("touch", (0.05, 0.006, 0.0))

    def sphere(c: ca.SX) -> ca.SX:
        return ca.norm_2(c) - radii[0]

    ball = model.add(
        Ball(
            "ball",
            places[1],
            turns[1],
            touch,
            radius=radii[1],
            surface=sphere,
            frame=(places[0], turns[0]),
        )
    )
    ball.normal.release()
    found = surface_contact(model, ball, HERTZ, friction=0.4)
    spins = [turn.angular_velocity for turn in turns]
    momentum = sum((m * p.velocity for m, p in zip(masses, places, strict=True)), ca.SX.zeros(3))
    angular = sum(
        (
            0.4 * m * r**2 * w + m * ca.cross(p.position, p.velocity)
            for m, r, w, p in zip(masses, radii, spins, places, strict=True)
        ),
        ca.SX.zeros(3),
    )
    for name, value in (("p", momentum), ("l", angular)):
        for axis, part in zip("xyz", ca.vertsplit(value), strict=True):
            model.output(f"{name}{axis}", part)
    lost = ca.dot(found.friction_force, found.sliding) + found.force * found.penetration_rate
    model.state("lost", lost, unit="J", nominal=1e-3, visibility="output")
    model.output("energy", model.kinetic_energy, unit="J")
    run = simulate(
        model.equations(), 5e-3, rtol=1e-11, atol=1e-14, samples=101, backend="c", max_step=1e-4
    )
    assert run.final("ball.impacts") == 1 and run.final("vx0") < 0.9
    for axis in "xyz":
        assert np.ptp(run[f"p{axis}"]) < 1e-13
        assert np.ptp(run[f"l{axis}"]) < 1e-14
    assert np.ptp(run["energy"] + run["lost"]) < 1e-9 * run.final("lost")


@pytest.mark.heavy
@pytest.mark.parametrize(("mu", "precise"), [(0.3, 1e-5), (2.0, 1e-4)])
def test_a_ball_rolls_off_a_sphere(mu: float, precise: float) -> None:
    """From θ₀ it rolls until 2 sin θ = μ (17 cos θ - 10 cos θ₀), with a stiff law."""
    large, small, stiffness, begin = 1.0, 0.05, 1e8, 0.1
    model = Model("sphere", gravity=(0, 0, -GRAVITY))
    depth = MASS * GRAVITY * cos(begin) / stiffness
    high = large + small - depth
    centre = model.point("centre", (high * sin(begin), 0, high * cos(begin)))
    contact = model.point("contact", (large * sin(begin), 0, large * cos(begin)))
    rotation = model.rotation("rotation")
    ball = model.add(
        Ball(
            "ball",
            centre,
            rotation,
            contact,
            radius=small,
            surface=lambda c: ca.norm_2(c) - large,
        )
    )
    model.add(Body("body", centre, rotation, mass=MASS, inertia=(0.4 * MASS * small**2,) * 3))
    rotation.free("turn")
    for axis in "xyz":
        getattr(centre, axis).dof(axis, f"v{axis}")
    ball.normal.release()
    surface_contact(model, ball, KelvinVoigt(stiffness, 2e4), friction=mu)
    model.output("angle", ca.atan2(contact.position[0], contact.position[2]))
    run = simulate(model.equations(), 1.13, backend="c", samples=1131)
    loose = next(time for time, name in run.events if name == "ball.friction.slides")
    angle = np.interp(loose, run.time, run["angle"])
    assert 2 * sin(angle) == pytest.approx(mu * (17 * cos(angle) - 10 * cos(begin)), abs=precise)


@pytest.mark.heavy
def test_a_ball_with_a_patch_stops_spinning() -> None:
    """A spin in place ends after ω I/(3π/16 μ a N), Hertz's pressure on a circle of radius a."""
    patch, spin = 1e-3, 5.0
    model, lever = on_slope(LINEAR, 0.0, spin=(0.0, 0.0, spin), patch=patch)
    run = simulate(model.equations(), 5.0, backend="c", samples=501)
    moment = 3 * np.pi / 16 * MU * patch * MASS * GRAVITY
    expected = spin * SOLID * MASS * lever**2 / moment
    assert run["spin_moment"][100] == pytest.approx(moment, rel=1e-9)
    stops = next(time for time, name in run.events if name == "ball.friction.stops" and time > 0)
    assert stops == pytest.approx(expected, rel=1e-6)
    assert abs(run.final("turn.omega_z")) < 1e-15 and run.final("sticks") == 1


@pytest.mark.heavy
def test_an_egg_that_wobbles_keeps_its_energy_balance() -> None:
    """A convex body on two kinds of contact: slides, sticks, bounces; energy with its work."""
    model = Model("egg", gravity=(0, 0, -GRAVITY))
    centre, contact = model.point("centre", (0, 0, 0.2)), model.point("contact", (0, 0, 0))
    rotation = model.rotation("rotation")
    shape = ellipsoid((0.35, 0.25, 0.2))
    egg = model.add(ConvexBody("egg", centre, rotation, contact, support=shape))
    model.add(Body("mass", centre, rotation, mass=1.0, inertia=(0.02, 0.03, 0.04)))
    rotation.free("turn", angular_velocity=(2.0, 1.0, 3.0))
    for axis, start in zip("xyz", (0.0, 0.0, 0.25), strict=True):
        getattr(centre, axis).dof(axis, f"v{axis}", start)
    egg.normal.release()
    found = surface_contact(model, egg, HuntCrossley(1e6, 0.5), friction=FrictionLaw(0.2, 0.3))
    lost = ca.dot(found.friction_force, found.sliding) + found.force * found.penetration_rate
    model.state("lost", lost, unit="J", nominal=1e-3, visibility="output")
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    run = simulate(model.equations(), 1.0, rtol=1e-11, atol=1e-13, samples=101, backend="c")
    names = {name for _, name in run.events}
    assert {"egg.contact", "egg.friction.stops", "egg.friction.slides"} <= names
    assert np.ptp(run["energy"] + run["lost"]) < 1e-8 * run.final("lost")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"law": Impact(0.5)}, "Impact.*unilateral_contact"),
        ({"law": KelvinVoigt}, "KelvinVoigt"),
        ({"friction": -0.1}, r"coefficient = -0\.1"),
        ({"friction": float("nan")}, "coefficient = nan"),
        ({"friction": FrictionLaw(0.3, viscous=1.0)}, "viscous is for joints"),
        ({"friction": FrictionLaw(0.3, preload=1.0)}, "preload"),
        ({"friction": CoulombFriction(0.3), "patch": 1e-3}, "patch is for friction that sticks"),
        ({"patch": -1e-3, "friction": 0.3}, "patch"),
        ({"body": None}, "body is None"),
    ],
)
def test_mistakes_are_told(changed: dict[str, Any], message: str) -> None:
    model = Model("slope")
    centre, contact = model.point("centre", (0, 0, RADIUS)), model.point("contact", (0, 0, 0))
    rotation = model.rotation("rotation", fixed=True)
    ball = model.add(Ball("ball", centre, rotation, contact, radius=RADIUS))
    ball.normal.dof("gap")
    given = {"body": ball, "law": LINEAR, "friction": MU, **changed}
    with pytest.raises(ModelError, match=message):
        surface_contact(model, **given)


def test_a_rigid_normal_and_slips_that_are_taken_are_refused() -> None:
    model = Model("slope")
    centre, contact = model.point("centre", (0, 0, RADIUS)), model.point("contact", (0, 0, 0))
    rotation = model.rotation("rotation")
    ball = model.add(Ball("ball", centre, rotation, contact, radius=RADIUS))
    with pytest.raises(RoleError, match=r"ball\.normal is rigid"):
        surface_contact(model, ball, LINEAR)
    ball.normal.dof("gap")
    ball.rolling_x.dof("ahead")
    with pytest.raises(RoleError, match=r"ball\.rolling_x is a degree of freedom"):
        surface_contact(model, ball, LINEAR)
    ball.rolling_x.release()
    surface_contact(model, ball, LINEAR, friction=MU)
    with pytest.raises(ModelError, match=r"a condition holds ball\.rolling_x"):
        surface_contact(model, ball, LINEAR, friction=MU)


def test_smoothed_friction_creeps() -> None:
    """At rest on a slope it slides at v_f t/√(μ² - t²), t the slope's tangent."""
    slope, speed = radians(10.0), 1e-3
    smoothed = CoulombFriction(MU, speed)
    model, _ = on_slope(LINEAR, slope, turns=False, friction=smoothed)
    run = simulate(model.equations(), 0.1, backend="c", samples=3)
    creep = speed * np.tan(slope) / np.sqrt(MU**2 - np.tan(slope) ** 2)
    assert run.final("sliding_speed") == pytest.approx(creep, rel=1e-5)
    assert run.final("sticks") == 0


@pytest.mark.heavy
def test_batches_and_fmus_stick_as_single_runs_do(tmp_path: Path, tools: Tools) -> None:
    model, _ = on_slope(LINEAR, 0.0, height=1e-3, velocity=(0.1, -0.2), spin=(5.0, 9.0, 5.0))
    equations = model.equations()
    names = ["vx", "vy", "spin_x", "spin_y", "spin_z", "rubbed", "sticks"]
    one = simulate(equations, 0.1, samples=3, backend="c")
    assert one["sticks"][0] == 0 and one.final("sticks") == 1
    many = simulate_many(equations, 0.1, start={"vx": [0.1, 0.4]}, samples=3, progress=False)
    for name in names:
        assert many[name].values[0][-1] == pytest.approx(one.final(name), rel=1e-6, abs=1e-9)
    built = export(Component("ball", "A ball that sticks", equations), tmp_path, tools=tools)
    for fmu, interface in zip(built, ("ModelExchange", "CoSimulation"), strict=True):
        found = simulate_fmu(
            str(fmu),
            stop_time=0.1,
            output_interval=1e-3,
            relative_tolerance=1e-10,
            fmi_type=interface,
            output=names,
        )
        assert set(found["sticks"]) == {0, 1}
        for name in names:
            assert found[name][-1] == pytest.approx(one.final(name), rel=1e-6, abs=1e-9)


def test_vibration_across_a_plane_while_it_rolls() -> None:
    """Linearized while it sticks: k and d of the law in the normal direction, seven zeros else.

    Rolling leaves the two rates along the plane and the spin about the normal; the other two rates
    of turning follow.
    """
    equations = on_slope(LINEAR, 0.0)[0].equations()
    values = linearize(equations).eigenvalues()
    pair = values[abs(values.imag) > 1.0]
    damping, square = 1e3 / (2 * MASS), 1e6 / MASS
    expected = complex(-damping, np.sqrt(square - damping**2))
    assert pair[np.argmax(pair.imag)] == pytest.approx(expected, rel=1e-9)
