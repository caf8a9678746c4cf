"""Friction of small contact areas, and rolling resistance, against integrals and closed forms."""

from __future__ import annotations

from math import cos, sin

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from mbcore import Model, simulate
from mbcore.elements import (
    Ball,
    Body,
    Friction,
    Hinge,
    PlanarKnifeEdge,
    PlanarWheel,
    RollingResistance,
    Wheel,
)
from mbcore.elements.friction.contact_area import SPINNING, shares
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ModelError

G, MASS, RADIUS = 9.81, 0.3, 0.05


def integrals(v: float, u: float) -> tuple[float, float]:
    """Force and moment over the area with Hertz's pressure, in parts of μ N and of μ N a."""
    nodes, weights = np.polynomial.legendre.leggauss(400)
    angles = 2 * np.pi * np.arange(2000) / 2000
    r, turned = np.meshgrid((nodes + 1) / 2, angles)
    part = weights / 2 * r * np.sqrt(1 - r**2) * 3 / 2000
    x, y = r * np.cos(turned), r * np.sin(turned)
    along, across = v - u * y, u * x
    speed = np.hypot(along, across)
    moment = part * (x * across - y * along) / speed
    return float((part * along / speed).sum()), float(moment.sum())


def approximation(v: float, u: float) -> tuple[float, float]:
    f, g = shares(ca.SX(v**2), ca.SX(u**2))
    return float(f) * v, float(g) * u * SPINNING


@pytest.mark.parametrize("spin", [0.1, 0.5, 1.0, 1.5, 1.8, 2.0, 4.0, 10.0])
def test_coupling_is_near_the_integrals(spin: float) -> None:
    force, moment = integrals(1.0, spin)
    f, g = approximation(1.0, spin)
    assert f == pytest.approx(force, abs=0.0205)
    assert g == pytest.approx(moment, abs=0.0313 * 3 * np.pi / 16)


def test_coupling_has_the_integrals_ends() -> None:
    small = 1e-4
    f, g = approximation(1.0, small)
    assert (1 - f) / small**2 == pytest.approx(1 / 10, rel=1e-4)
    assert g / small == pytest.approx(1 / 5, rel=1e-4)
    f, g = approximation(small, 1.0)
    assert f / small == pytest.approx(3 * np.pi / 8, rel=1e-4)
    assert g == pytest.approx(3 * np.pi / 16, rel=1e-7)


def puck(speed: float, spin: float, **friction: float) -> Model:
    """A ball that can only spin about the normal, sliding on a plane."""
    model = Model("puck", gravity=(0, 0, -G))
    centre, contact = model.point("centre", (0, 0, RADIUS)), model.point("contact", (0, 0, 0))
    rotation = model.rotation("rotation")
    hinge = model.add(Hinge("hinge", model.ground, rotation, axis=(0, 0, 1)))
    hinge.angle.dof("angle", "spin", rate_start=spin)
    model.add(Body("mass", centre, rotation, mass=MASS, inertia=(1e-4,) * 3))
    ball = model.add(Ball("ball", centre, rotation, contact, radius=RADIUS))
    contact.x.dof("x", "v", rate_start=speed * 0.6)
    contact.y.dof("y", "w", rate_start=speed * 0.8)
    road = model.add(Friction("road", ball, **friction))
    for name in ("power", "sticks", "moment"):
        model.output(f"shown.{name}", getattr(road, name))
    return model


def test_sliding_and_spinning_disk_against_a_quadrature() -> None:
    """v' = -μ g f, ω' = -μ m g a M / J, integrated apart, with the direction of v kept."""
    patch, coefficient, until = 0.02, 0.3, 0.25

    def rates(_: float, state: np.ndarray) -> list[float]:
        force, moment = approximation(state[0], patch * state[1])
        load = coefficient * MASS * G
        return [-load * force / MASS, -load * patch * moment / 1e-4]

    model = puck(1.0, 60.0, coefficient=coefficient, patch=patch)
    result = simulate(model.equations(), until, rtol=1e-12, atol=1e-13, max_step=0.01)
    apart = solve_ivp(rates, (0, until), [1.0, 60.0], "DOP853", rtol=1e-13, atol=1e-14)
    speed, spin = apart.y[:, -1]
    assert 0.1 < speed < 0.9
    assert result.final("v") == pytest.approx(0.6 * speed, abs=1e-10)
    assert result.final("w") == pytest.approx(0.8 * speed, abs=1e-10)
    assert result.final("spin") == pytest.approx(spin, rel=1e-10)


def test_spinning_and_sliding_end_together() -> None:
    model = puck(1.0, 60.0, coefficient=0.3, patch=0.02)
    result = simulate(model.equations(), 1.5, rtol=1e-10, atol=1e-12, max_step=0.05)
    for name in ("v", "w", "spin"):
        assert result.final(name) == 0
    assert result.final("shown.sticks") == 1
    assert result["shown.power"].max() <= 0
    assert np.isfinite(result["shown.moment"]).all()


def test_patch_that_spins_only_resists_with_its_moment() -> None:
    point = Evaluation(puck(0.0, 5.0, coefficient=0.3, patch=0.02).equations())
    point.start()
    names = [record.name for record in point.equations.states]
    rates = dict(zip(names, point.derivative(), strict=True))
    moment = 0.3 * MASS * G * 0.02 * 3 * np.pi / 16
    assert rates["spin"] == pytest.approx(-moment / 1e-4, rel=1e-10)
    assert rates["v"] == pytest.approx(0, abs=1e-10)


def rolling_ball(speed: float, slope: float, arm: float) -> Model:
    """A solid ball that rolls down a slope without slip, about y only."""
    model = Model("ball", gravity=(G * sin(slope), 0, -G * cos(slope)))
    centre, contact = model.point("centre", (0, 0, RADIUS)), model.point("contact", (0, 0, 0))
    rotation = model.rotation("rotation")
    hinge = model.add(Hinge("hinge", model.ground, rotation, axis=(0, 1, 0)))
    hinge.angle.dof("angle", "turning", rate_start=speed / RADIUS)
    inertia = 0.4 * MASS * RADIUS**2
    model.add(Body("mass", centre, rotation, mass=MASS, inertia=(inertia,) * 3))
    ball = model.add(Ball("ball", centre, rotation, contact, radius=RADIUS))
    ball.rolling_y.release()
    contact.x.kinematic("x")
    contact.y.fix()
    resistance = model.add(RollingResistance("cloth", ball, arm=arm))
    model.output("power", resistance.power)
    return model


def test_rolling_resistance_stops_a_ball() -> None:
    """The deceleration is 5/7 of g times arm over radius; then it rests, and does not creep."""
    arm, speed = 0.001, 0.4
    equations = rolling_ball(speed, 0.0, arm).equations()
    result = simulate(equations, 1e6, rtol=1e-12, atol=1e-13, max_step=1e5)
    deceleration = 5 / 7 * G * arm / RADIUS
    stops = next(time for time, name in result.events if name == "cloth.stops")
    assert stops == pytest.approx(speed / deceleration, rel=1e-10)
    assert result.final("x") == pytest.approx(speed**2 / deceleration / 2, rel=1e-10)
    assert (result["turning"][result.time > stops] == 0).all()
    assert result["power"].max() <= 0


@pytest.mark.parametrize(("part", "moves"), [(0.999, False), (1.001, True)])
def test_ball_rolls_on_slopes_beyond_arm_over_radius(part: float, moves: bool) -> None:
    slope = 0.1
    arm = RADIUS * np.tan(slope) / part
    point = Evaluation(rolling_ball(0.0, slope, float(arm)).equations())
    point.start()
    rate = float(point.derivative()[0])
    if moves:
        gained = 5 / 7 * G * (sin(slope) - arm / RADIUS * cos(slope)) / RADIUS
        assert rate == pytest.approx(gained, rel=1e-8)
    else:
        assert rate == 0


@pytest.mark.parametrize("tilt", [0.1, 1.0])
def test_contour_friction_takes_the_moment_times_the_rate_around_the_rim(tilt: float) -> None:
    """The angles of a leaning disk: the contact point goes around with the rate of the pitch."""
    model, arm, lean, pitch, yaw = Model("disk", gravity=(0, 0, -1)), 0.02, -0.2, -5.0, 6.0
    yawed, leaned, body = (model.rotation(name) for name in ("yawed", "leaned", "body"))
    centre = model.point("centre", (0, -np.cos(tilt), np.sin(tilt)))
    contact = model.point("contact", (0, 0, 0))
    model.add(Hinge("z", model.ground, yawed, axis=(0, 0, 1))).angle.dof("z", rate_start=yaw)
    leaning = model.add(Hinge("x", yawed, leaned, axis=(1, 0, 0))).angle
    leaning.dof("x", start=np.pi / 2 - tilt, rate_start=lean)
    model.add(Hinge("y", leaned, body, axis=(0, 1, 0))).angle.dof("y", rate_start=pitch)
    wheel = model.add(Wheel("wheel", centre, body, contact, radius=1))
    contact.x.kinematic("contact.x")
    contact.y.kinematic("contact.y")
    model.add(Body("disk", centre, body, mass=1, inertia=(1 / 4, 1 / 2, 1 / 4)))
    resistance = model.add(RollingResistance("rim", wheel, arm=arm, contour=True))
    model.output("power", resistance.power)
    model.output("load", resistance.load)
    point = Evaluation(model.equations())
    point.start()
    power, load = point.output()[:2]
    assert load > 0
    assert power == pytest.approx(-arm * load * abs(pitch), rel=1e-10)


def test_mistakes() -> None:
    model = Model("plane")
    point, angle = model.point("point", (0, 0)), model.angle("angle")
    blade = model.add(PlanarKnifeEdge("blade", point, angle))
    wheel = model.add(PlanarWheel("wheel", point, angle, model.angle("spin"), radius=1))
    with pytest.raises(ModelError, match="no spin about the normal"):
        model.add(Friction("one", blade, coefficient=0.1, load=1.0, patch=0.1))
    with pytest.raises(ModelError, match="does not roll"):
        RollingResistance("two", blade, arm=0.1)
    with pytest.raises(ModelError, match="give it as load="):
        model.add(RollingResistance("three", wheel, arm=0.1))
    with pytest.raises(ModelError, match="contour is for a thin wheel"):
        RollingResistance("five", wheel, arm=0.1, contour=True)
    with pytest.raises(ModelError, match="arm"):
        RollingResistance("four", wheel, arm=-0.1)
