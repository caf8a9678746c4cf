"""Rolling couplings: relations of velocities, against the wheel's own slips."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Body,
    Coupling,
    Hinge,
    Model,
    ModelError,
    ModelWarning,
    PlanarHinge,
    PlanarWheel,
    RollingCoupling,
)
from mbcore.evaluation.evaluation import Evaluation

RADIUS = 0.4


def unicycle(written: str) -> Model:
    """A wheel on a plane that turns and rolls, its conditions written in one way or another."""
    model = Model("unicycle")
    centre, heading, spin = model.point("centre"), model.angle("heading"), model.angle("spin")
    model.add(Body("body", centre, heading, mass=2.0, inertia=0.3))
    model.add(Body("disk", None, spin, inertia=0.1))
    base = model.angle("base", fixed=True)
    turned = model.add(PlanarHinge("axle", base, spin)).angle.dof("spin", rate_start=3.0)
    heading.angle.dof("heading", rate_start=0.8)
    centre.x.kinematic("x")
    centre.y.kinematic("y")
    beta = heading.angle.value
    along, across = (ca.cos(beta), ca.sin(beta)), (-ca.sin(beta), ca.cos(beta))
    if written == "slips":
        wheel = model.add(PlanarWheel("wheel", centre, heading, spin, radius=RADIUS))
        forces = wheel.longitudinal.force, wheel.lateral.force
    elif written == "velocities":
        wheel = model.add(PlanarWheel("wheel", centre, heading, spin, radius=RADIUS))
        wheel.longitudinal.release()
        wheel.lateral.release()
        forces = (
            model.add(RollingCoupling("roll", wheel.longitudinal.velocity)).force,
            model.add(RollingCoupling("edge", wheel.lateral.velocity)).force,
        )
    else:
        x, y = centre.x.rate, centre.y.rate
        roll = RollingCoupling("roll", along[0] * x + along[1] * y - RADIUS * turned.rate)
        edge = RollingCoupling("edge", across[0] * x + across[1] * y)
        forces = model.add(roll).force, model.add(edge).force
    model.load(0.7, turned.rate)
    model.force(centre, (0.3, -0.2))
    model.output("roll", forces[0])
    model.output("edge", forces[1])
    return model


@pytest.mark.parametrize("written", ["velocities", "rates"])
def test_rolling_by_couplings_is_that_of_the_wheel(written: str) -> None:
    found = []
    for way in ("slips", written):
        point = Evaluation(unicycle(way).equations())
        point.start({"heading": 0.9, "x": 0.3})
        found.append(np.concatenate([point.derivative().copy(), point.output().copy()]))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-13, atol=1e-14)


def test_a_drive_whose_ratio_changes_on_the_way() -> None:
    """A disk drives a wheel at a radius of cos φ, over many turns of a hinge that follows.

    (J + J cos² φ) φ̈ = T + J cos φ sin φ φ̇²; the wheel's angle is a kinematic coordinate.
    """
    J, torque, phi, rate = 0.7, 0.9, 40.3, 1.2
    model = Model("drive")
    hinges = []
    for name in ("disk", "wheel"):
        turned, place = model.rotation(name), model.point(f"at {name}", (0, 0, 0), fixed=True)
        model.add(Body(f"body {name}", place, turned, mass=1.0, inertia=(J, J, J)))
        hinges.append(model.add(Hinge(f"hinge {name}", model.ground, turned)).angle)
    disk, wheel = hinges
    with pytest.warns(ModelWarning, match="turns; angles are in rad") as told:
        disk.dof("phi", "rate", start=phi, rate_start=rate)
        wheel.kinematic("psi", start=20.0)
    assert len(told) == 2
    drive = model.add(RollingCoupling("drive", ca.cos(disk.value) * disk.rate - wheel.rate))
    model.load(torque, disk.rate)
    model.output("force", drive.force)
    point = Evaluation(model.equations())
    point.start()
    c, s = np.cos(phi), np.sin(phi)
    expected = (torque + J * c * s * rate**2) / (J + J * c**2)
    rates = dict(zip((s.name for s in point.equations.states), point.derivative(), strict=True))
    assert rates["rate"] == pytest.approx(expected, rel=1e-12)
    assert rates["psi"] == pytest.approx(c * rate, rel=1e-12)
    # On the wheel acts λ · (-1) on the side of M a: J ψ̈ - λ = 0.
    assert point.output()[0] == pytest.approx(J * (c * expected - s * rate**2), rel=1e-12)


def test_what_a_rolling_coupling_cannot_hold_is_refused_by_name() -> None:
    model = Model("drive")
    turned = model.rotation("disk")
    disk = model.add(Hinge("hinge", model.ground, turned)).angle
    pull = model.add(Coupling("pull", disk.value - model.time)).deviation
    for expression, message in (
        (disk.value * disk.rate, r"does not repeat with the turns of hinge\.angle"),
        (disk.value, "holds no velocity"),
        (disk.rate**2, "not linear in velocities"),
        (disk.rate - model.time, "not linear in velocities"),
        (pull.rate, r"pull\.deviation holds time"),
    ):
        with pytest.raises(ModelError, match=message):
            model.add(RollingCoupling("drive", expression))
