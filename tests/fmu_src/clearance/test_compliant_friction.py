"""Friction that sticks by a spring in a clearance: closed forms, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mbcore import Bearing, Body, FrictionLaw, Model, ModelError, linearize, simulate
from mbcore.contact import (
    CompliantFriction,
    CoulombFriction,
    Impact,
    KelvinVoigt,
    SwitchedFriction,
)
from mbcore.contact.clearance import clearance
from mbcore.contact.plane_contact import plane_contact

MASS, RADIUS, GAP, WEIGHT = 2.0, 0.01, 1e-3, 2 * 9.81
NORMAL = KelvinVoigt(1e7, 4e3)
SPRING = CompliantFriction(0.3, 2e6, 2e3, static=0.4)


def lying(angle: float, held: bool, friction: Any = SPRING) -> Model:
    """A solid cylinder that lies at an angle, rad, from the lowest place of a fixed sleeve."""
    model = Model("lying", gravity=(0, -9.81))
    sleeve, still = model.point("sleeve", fixed=True), model.angle("still", fixed=True)
    centre, turn = model.point("centre"), model.angle("turn", fixed=held)
    joint = model.add(Bearing("joint", sleeve, still, centre, turn))
    r = GAP + WEIGHT * math.cos(angle) / NORMAL.stiffness
    joint.x.dof("x", "x_rate", r * math.sin(angle), nominal=GAP)
    joint.y.dof("y", "y_rate", -r * math.cos(angle), nominal=GAP)
    if held:
        model.add(Body("journal", centre, mass=MASS))
    else:
        joint.rotation.dof("turned", "spin")
        model.add(Body("journal", centre, turn, mass=MASS, inertia=MASS * RADIUS**2 / 2))
    contact = clearance(model, joint, GAP, NORMAL, friction=friction, journal_radius=RADIUS)
    model.output("sticks", contact.sticks)
    model.output("friction", contact.friction_force)
    return model


def test_a_load_shifts_what_sticks_by_what_it_is_over_the_stiffness() -> None:
    run = simulate(lying(0.25, held=True).equations(), 0.05, rtol=1e-9, atol=1e-13, samples=2)
    x, y = run.final("x"), run.final("y")
    end, r = math.atan2(x, -y), math.hypot(x, y)
    assert run.final("sticks") == 1
    assert r * (0.25 - end) == pytest.approx(WEIGHT * math.sin(end) / 2e6, rel=1e-6)
    assert run.final("friction") == pytest.approx(-WEIGHT * math.sin(end), rel=1e-6)


@pytest.mark.parametrize("damping", [0.0, 2.0])
def test_a_glancing_contact_gains_no_energy(damping: float) -> None:
    """With a damper it slides as it touches; the spring gets nothing when sliding ends."""
    model = Model("glancing", gravity=(0, 0))
    sleeve, still = model.point("sleeve", fixed=True), model.angle("still", fixed=True)
    centre, turn = model.point("centre"), model.angle("turn", fixed=True)
    joint = model.add(Bearing("joint", sleeve, still, centre, turn))
    joint.x.dof("x", "x_rate", 0.0, nominal=1.0, rate_start=0.02)
    joint.y.dof("y", "y_rate", -1.0 + 1e-5, nominal=1.0, rate_start=-0.5)
    model.add(Body("journal", centre, mass=MASS))
    spring = CompliantFriction(0.3, 1e6, damping)
    contact = clearance(
        model, joint, 1.0, KelvinVoigt(1e6, 0.0), friction=spring, journal_radius=RADIUS
    )
    model.output("energy", model.kinetic_energy + 0.5e6 * contact.penetration**2, unit="J")
    run = simulate(model.equations(), 0.0055, samples=401, rtol=1e-10, atol=1e-14)
    assert any(event.endswith("slides") for _, event in run.events)
    assert run["energy"].max() - run["energy"][0] < 1e-8


def test_a_rolling_journal_swings_as_with_a_stiff_spring_along_the_sleeve() -> None:
    """Two modes along the sleeve, with g/r of the weight, k of the spring, I = m R²/2."""
    values = np.linalg.eigvals(linearize(lying(0.0, held=False).equations()).state_matrix)
    r = GAP + WEIGHT / NORMAL.stiffness
    # s = u + R φ with u = r θ: m u'' = -m g u/r - k s - d s', I φ'' = -R (k s + d s')
    k, d = 2e6, 2e3
    stiffness = np.array([[WEIGHT / r + k, k * RADIUS], [k * RADIUS, k * RADIUS**2]])
    damping = d * np.array([[1, RADIUS], [RADIUS, RADIUS**2]])
    mass = np.diag([MASS, MASS * RADIUS**2 / 2])
    moved = -np.linalg.solve(mass, np.hstack([stiffness, damping]))
    state = np.vstack([np.hstack([np.zeros((2, 2)), np.eye(2)]), moved])
    for value in np.linalg.eigvals(state):
        assert min(abs(values - value)) < 1e-7 * abs(value)


def test_beyond_the_static_limit_it_slides_with_the_kinetic_coefficient() -> None:
    slope = 0.5  # tan 0.5 = 0.55
    run = simulate(lying(slope, held=True).equations(), 2e-3, samples=201, rtol=1e-9, atol=1e-13)
    late = run.time > 1e-3
    x, y, vx, vy = (run[name][late] for name in ("x", "y", "x_rate", "y_rate"))
    r = np.hypot(x, y)
    across, angle = (x * vy - y * vx) / r, np.arctan2(x, -y)
    assert not run["sticks"][late].any()
    load = MASS * across**2 / r + WEIGHT * np.cos(angle)  # the depth has settled
    assert abs(run["friction"][late]) == pytest.approx(0.3 * load, rel=2e-3)


def test_a_switch_lets_smoothed_friction_act() -> None:
    def swings(friction: Any) -> float:
        found = simulate(lying(0.25, True, friction).equations(), 1e-4, samples=2)
        return found.final("x")

    smoothed = CoulombFriction(0.3, 1e-2)
    assert swings(SwitchedFriction(SPRING, 0, smoothed)) == swings(smoothed)


def on_a_plane() -> None:
    model = Model("plane")
    ends = model.point("origin", fixed=True), model.angle("still", fixed=True)
    block = model.add(Bearing("block", *ends, model.point("centre"), model.angle("turn")))
    block.x.release()
    block.y.release()
    plane_contact(model, block, RADIUS, NORMAL, friction=SPRING)  # type: ignore[arg-type]


def colliding() -> None:
    model = Model("colliding")
    ends = model.point("origin", fixed=True), model.angle("still", fixed=True)
    joint = model.add(Bearing("joint", *ends, model.point("centre"), model.angle("turn")))
    joint.x.release()
    joint.y.release()
    clearance(model, joint, GAP, Impact(0.5), friction=SPRING, journal_radius=RADIUS)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: CompliantFriction(0.3, 1e6, static=0.2), "static = 0.2 is less than coefficient"),
        (lambda: CompliantFriction(0.3, 0.0), "stiffness"),
        (lambda: CompliantFriction(float("nan"), 1e6), "coefficient"),
        (lambda: SwitchedFriction(FrictionLaw(0.3)), "give CompliantFriction"),  # type: ignore[arg-type]
        (on_a_plane, "give FrictionLaw"),
        (colliding, "give impacts FrictionLaw"),
    ],
)
def test_what_cannot_be_is_refused(wrong: Callable[[], object], told: str) -> None:
    with pytest.raises(ModelError, match=told):
        wrong()
