"""Knife edges against closed forms: a sleigh in the plane, a skate on a slope."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Hinge, KnifeEdge, Model, ModelError, PlanarKnifeEdge, simulate
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.nodes.rotations import about

G = 9.81
EXACT = {"rtol": 1e-12, "atol": 1e-13}


@pytest.mark.parametrize("size", [1.0, 10.0])
def test_chaplygin_sleigh_ends_straight(size: float) -> None:
    """v̇ = a ω², (I + m a²) ω̇ = -m a v ω [NeimarkFufaev]: ω = ω_0 / cosh kt, v = V tanh kt.

    With the centre of mass a before the blade, V² = ω_0² (I + m a²)/m and k = a ω_0²/V.
    """
    mass, inertia, ahead, rate = 2.0, 0.3 * size**2, 0.4 * size, 1.5
    model = Model("sleigh")
    tip, heading = model.point("tip", (0, 0)), model.angle("heading")
    body = Body("sleigh", tip, heading, mass=mass, inertia=inertia, offset=(ahead, 0))
    model.add(body)
    blade = model.add(PlanarKnifeEdge("blade", tip, heading))
    heading.angle.dof("psi", rate_start=rate)
    tip.x.dof("x", "vx")
    tip.y.kinematic("y")
    model.output("speed", blade.longitudinal.velocity)
    model.output("side", blade.lateral.force)
    speed = rate * np.sqrt((inertia + mass * ahead**2) / mass)
    k, t = ahead * rate**2 / speed, 0.8
    run = simulate(model.equations(), t, **EXACT)
    turning = rate / np.cosh(k * t)
    assert run.final("psi_rate") == pytest.approx(turning, rel=1e-10)
    assert run.final("speed") == pytest.approx(speed * np.tanh(k * t), rel=1e-10)
    # The blade is pushed to its left by m (v ω + a ω̇), and pushes the ground back.
    spinning_down = -k * rate * np.tanh(k * t) / np.cosh(k * t)
    push = mass * (speed * np.tanh(k * t) * turning + ahead * spinning_down)
    assert run.final("side") == pytest.approx(-push, rel=1e-9)


def test_skate_on_a_slope_drifts_sideways() -> None:
    """x = g_t sin²(ωt)/(2 ω²), y = g_t (ωt - sin(2ωt)/2)/(2 ω²): a cycloid across the slope."""
    slope, rate, t = 0.3, 1.7, 0.8
    normal = np.array([np.sin(slope), 0, np.cos(slope)])
    model = Model("skate", gravity=(0, 0, -G))
    base = model.rotation("base", about((0, 1, 0), slope), fixed=True)
    turn, tip = model.rotation("turn"), model.point("tip", (0, 0, 0))
    yaw = model.add(Hinge("yaw", base, turn, axis=(0, 0, 1)))
    yaw.angle.dof("psi", rate_start=rate)
    blade = model.add(KnifeEdge("blade", tip, turn, surface=lambda c: ca.dot(ca.DM(normal), c)))
    model.add(Body("skate", tip, turn, mass=1.5, inertia=(1, 1, 1)))
    tip.x.dof("x", "vx")
    tip.y.kinematic("y")
    model.output("slip", blade.longitudinal.velocity)
    model.output("push", blade.lateral_force)
    run = simulate(model.equations(), t, **EXACT)
    down = G * np.sin(slope)
    assert run.final("slip") == pytest.approx(down / rate * np.sin(rate * t), rel=1e-9)
    along = down / (2 * rate**2) * np.sin(rate * t) ** 2
    assert run.final("x") == pytest.approx(along * np.cos(slope), rel=1e-9)
    drift = down / (2 * rate**2) * (rate * t - np.sin(2 * rate * t) / 2)
    assert run.final("y") == pytest.approx(drift, rel=1e-9)
    # To the left of the blade: m v ω + m g_t sin ωt.
    assert run.final("push") == pytest.approx(1.5 * 2 * down * np.sin(rate * t), rel=1e-9)


def test_skate_that_may_not_slide_rides_on_a_turntable() -> None:
    """Both slips are relative to the surface: the tip goes round with it."""
    omega, t = 1.3, 1.0
    model = Model("table")
    table, origin = model.rotation("table"), model.point("origin", (0, 0, 0), fixed=True)
    drive = model.add(Hinge("drive", model.ground, table, axis=(0, 0, 1)))
    drive.angle.prescribe(omega * model.time)
    turn, tip = model.rotation("turn"), model.point("tip", (0.4, 0, 0))
    model.add(Hinge("yaw", model.ground, turn, axis=(0, 0, 1))).angle.dof("psi")
    blade = model.add(KnifeEdge("blade", tip, turn, frame=(origin, table)))
    blade.longitudinal.zero()
    model.add(Body("skate", tip, turn, mass=1.0, inertia=(1, 1, 1)))
    tip.x.kinematic("x", 0.4)
    tip.y.kinematic("y", 0.0)
    run = simulate(model.equations(), t, **EXACT)
    assert run.final("x") == pytest.approx(0.4 * np.cos(omega * t), rel=1e-10)
    assert run.final("y") == pytest.approx(0.4 * np.sin(omega * t), rel=1e-10)
    assert run.final("psi") == 0


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "spatial": (
        lambda: PlanarKnifeEdge("b", Point("p", (0, 0, 0)), Angle("a")),
        "knife edge b: p must be planar",
    ),
    "no angle": (
        lambda: PlanarKnifeEdge("b", Point("p", (0, 0)), Rotation("a")),
        "give an angle",
    ),
    "planar": (lambda: KnifeEdge("b", Point("p", (0, 0)), Rotation("e")), "p must be spatial"),
    "upright": (
        lambda: KnifeEdge("b", Point("p", (0, 0, 0)), Rotation("e"), blade=(0, 0, 2)),
        "knife edge b: it stands upright",
    ),
    "no blade": (
        lambda: KnifeEdge("b", Point("p", (0, 0, 0)), Rotation("e"), blade=(0, 0, 0)),
        "has no direction",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(mistake: str) -> None:
    make, message = MISTAKES[mistake]
    with pytest.raises(ModelError, match=message):
        make()
