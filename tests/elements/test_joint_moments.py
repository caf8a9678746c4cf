"""Moments in joints: axes and signs by hand, stresses of free joints, fixed deformations."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from mbcore import (
    Body,
    Equations,
    Hinge,
    Model,
    ModelWarning,
    PlanarHinge,
    RigidLink,
    RoleError,
    simulate,
)

WEIGHT = 2.0 * 9.81


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_the_moment_on_q_balances_the_weight_about_every_axis(
    axis: tuple[float, float, float], turned: bool
) -> None:
    """A body held at r carries its weight where M_q = -r × (0, 0, -m g), on axes fixed to p."""
    model = Model("held", gravity=(0, 0, -9.81))
    start = (np.sqrt(0.5), np.sqrt(0.5), 0, 0) if turned else (1, 0, 0, 0)  # 90° about x
    p, q = model.rotation("p", start, fixed=True), model.rotation("q", start)
    pin = model.point("pin", (0, 0, 0), fixed=True)
    hinge = model.add(Hinge("hinge", p, q, axis=axis))
    hinge.angle.fix()
    r = np.array([0.4, 0.3, -0.2])
    model.add(Body("body", pin, q, mass=2.0, inertia=(0.1, 0.1, 0.1), offset=r.tolist()))
    stresses = (hinge.angle.stress, hinge.bending_y.stress, hinge.bending_z.stress)
    moment = -sum(stress * e for stress, e in zip(stresses, hinge.axes(), strict=True))
    for i in range(3):
        model.output(f"moment{i}", moment[i], unit="N.m")
        model.output(f"stress{i}", stresses[i], unit="N.m")
    run = simulate(model.equations(), until=0.01, backend="python")
    turn = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]) if turned else np.eye(3)
    needed = -np.cross(turn @ r, [0, 0, -WEIGHT])
    assert [run.final(f"moment{i}") for i in range(3)] == pytest.approx(needed, abs=1e-12)
    # the table of the guide: e_x, e_y, e_z are these axes of p
    order = np.roll([0, 1, 2], -int(np.argmax(axis)))
    own = [run.final(f"stress{i}") for i in range(3)]
    assert own == pytest.approx(-(turn.T @ needed)[order], abs=1e-12)


def arm() -> tuple[Model, PlanarHinge]:
    """A mass of 2 kg at 1 m from a joint, sideways."""
    model = Model("arm", gravity=(0, -9.81))
    frame, rod = model.angle("frame", fixed=True), model.angle("rod")
    tip = model.point("tip", (1.0, 0.0))
    joint = model.add(PlanarHinge("joint", frame, rod))
    model.add(RigidLink("link", model.point("pivot", fixed=True), rod, tip))
    model.add(Body("mass", tip, mass=2.0))
    model.output("torque", -joint.angle.stress, unit="N.m")
    return model, joint


def silent(model: Model) -> Equations:
    """The equations of a model, which warn of nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return model.equations()


def test_the_stress_of_a_free_joint_is_told_to_be_zero() -> None:
    model, joint = arm()
    joint.angle.dof("q")
    told = "arm: output torque holds the stress of joint.angle, which is zero: joint.angle is a"
    with pytest.warns(ModelWarning, match=told) as found:
        model.equations()
    assert "a motor with the torque or force T is law(-T)" in str(found[0].message)
    joint.angle.law(-3.0)
    run = simulate(silent(model), until=0.01, backend="python")
    assert run.final("torque") == pytest.approx(3.0, rel=1e-12)


def test_a_fixed_deformation_has_the_holding_torque() -> None:
    model, joint = arm()
    joint.angle.fix()
    run = simulate(silent(model), until=0.01, backend="python")
    assert run.final("torque") == pytest.approx(WEIGHT, rel=1e-12)
    model, joint = arm()
    joint.angle.fix(np.pi / 3)
    run = simulate(silent(model), until=0.01, backend="python")
    assert run.final("torque") == pytest.approx(WEIGHT / 2, rel=1e-12)
    with pytest.raises(RoleError, match=r"joint.angle is rigid already; to make it a degree"):
        joint.angle.dof()


def test_a_prescribed_motion_needs_the_torque_of_its_equation() -> None:
    """Inverse dynamics: T = m l² q̈ + m g l cos q."""
    model, joint = arm()
    joint.angle.prescribe(0.3 * model.time**2)
    run = simulate(silent(model), until=1.0, samples=5, backend="python")
    needed = 2.0 * 0.6 + WEIGHT * np.cos(0.3 * run.time**2)
    assert run["torque"] == pytest.approx(needed, rel=1e-12)


def test_a_force_beside_one_that_acts_is_no_reason_to_warn() -> None:
    """A belt's tension is the sum of two stresses, of which one is zero while the other acts."""
    model, joint = arm()
    joint.angle.dof("q")
    spring = model.add(PlanarHinge("spring", joint.p, joint.q))
    spring.angle.release()
    spring.angle.spring(2.0, 0.0)
    model.output("both", joint.angle.stress + spring.angle.stress, unit="N.m")
    with pytest.warns(ModelWarning) as found:
        model.equations()
    (message,) = (str(warning.message) for warning in found)
    assert "output torque holds" in message and "both" not in message
