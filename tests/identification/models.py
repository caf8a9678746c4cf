"""Models whose parameters tests find."""

from __future__ import annotations

import casadi as ca
import numpy as np

from mbcore import Body, Friction, Hinge, Model, PlanarHinge, Run
from mbcore.drivers.equations_driver import EquationsDriver

GRAVITY = 9.81


def pendulum() -> Model:
    """Return a compound pendulum with a damped joint; its inertia is about the mass centre."""
    model = Model("pendulum", gravity=(0, -GRAVITY))
    mass = model.parameter("mass", 1.3, unit="kg")
    height = model.parameter("height", 0.5, unit="m")
    inertia = model.parameter("inertia", 0.2, unit="kg.m2")
    damping = model.parameter("damping", 0.1, unit="N.m.s/rad")
    torque = model.input("torque", unit="N.m")
    arm, pivot = model.angle("arm"), model.point("pivot", (0, 0), fixed=True)
    model.add(Body("bob", pivot, arm, mass=mass, inertia=inertia, offset=(0, -height)))
    joint = arm.angle.dof("angle", "rate", start=1.0)
    joint.law(damping * arm.angle.rate - torque)
    model.output("force", mass * height * arm.angle.rate**2, unit="N")
    model.output("place", height * arm.angle.value, unit="m")
    model.output("geared", -0.2 * arm.angle.value, unit="rad")
    return model


def arm() -> Model:
    """Return an arm of two links with damping and dry friction in both joints, and a load."""
    model = Model("arm", gravity=(0.0, -GRAVITY))
    mass = model.parameter("load.mass", 1.0, unit="kg")
    wall, base = model.angle("wall", fixed=True), model.point("base", (0, 0), fixed=True)
    upper, lower = model.angle("upper"), model.angle("lower")
    first = model.add(Body("upper_arm", base, upper, mass=3.0, inertia=0.3, offset=(0, -0.25)))
    elbow = first.point("elbow_place", (0, -0.5))
    second = model.add(Body("lower_arm", elbow, lower, mass=1.5, inertia=0.12, offset=(0, -0.2)))
    model.add(Body("load", second.point("load_place", (0, -0.4)), mass=mass))
    for name, ends, damping, friction in (
        ("shoulder", (wall, upper), 0.3, 0.8),
        ("elbow", (upper, lower), 0.15, 0.4),
    ):
        torque = model.input(f"{name}.torque", unit="N.m")
        viscous = model.parameter(f"{name}.damping", damping, unit="N.m.s/rad")
        dry = model.parameter(f"{name}.friction", friction, unit="N.m")
        hinge = model.add(PlanarHinge(name, *ends))
        hinge.angle.dof(f"{name}.angle", f"{name}.rate").law(-torque)
        model.add(
            Friction(
                f"{name}_friction",
                hinge,
                coefficient=0.0,
                radius=0.01,
                viscous=viscous,
                preload=dry,
            )
        )
    return model


def driven() -> Model:
    """Return a damped mass on a spring, x'' = a sin(w t) - k x - d x', which begins at x = 0."""
    model = Model("driven")
    amplitude = model.parameter("amplitude", 0.5, unit="N")
    frequency = model.parameter("frequency", 1.2, unit="rad/s")
    place = model.point("place", (0, 0))
    place.y.fix()
    x = place.x.dof("x", "v")
    model.add(Body("mass", place, mass=1.0))
    x.law(4.0 * place.x.value + 0.3 * place.x.rate - amplitude * ca.sin(frequency * model.time))
    return model


AXES = ((0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0))
"""Axes of the joints of `serial_arm`, each in the frame of the link before."""
NEXT_JOINT = (0.1, 0.05, 0.3)
"""From each joint to the next one, m."""
STANDARD = ("mass", "moment_x", "moment_y", "moment_z", "xx", "xy", "yy", "xz", "yz", "zz")
"""Standard parameters of a link, in Pinocchio's order: m, m h, and inertia about its joint."""


def standard_parameters(k: int) -> np.ndarray:
    """Return the values of link k, (10,), of a body with mass centre and inertia about it."""
    mass = 3.0 / (1 + 0.4 * k)
    h = np.array([0.03 + 0.01 * k, -0.02, 0.15 - 0.01 * k])
    about_centre = np.diag([0.04, 0.05, 0.03]) / (1 + 0.5 * k)
    about_centre[0, 1] = about_centre[1, 0] = 0.004 / (1 + 0.5 * k)
    about_centre[0, 2] = about_centre[2, 0] = -0.003 / (1 + 0.5 * k)
    J = about_centre + mass * (h @ h * np.eye(3) - np.outer(h, h))
    return np.array([mass, *(mass * h), J[0, 0], J[0, 1], J[1, 1], J[0, 2], J[1, 2], J[2, 2]])


def serial_arm(links: int) -> Model:
    """Return an arm in space of up to seven links, all inertia numbers of which are parameters.

    For given motions, torques are linear in these numbers. Torques are inputs.
    """
    model = Model(f"arm_{links}", gravity=(0, 0, -GRAVITY))
    orientation = model.rotation("wall", fixed=True)
    joint = model.point("joint_1", (0, 0, 0), fixed=True)
    for k in range(links):
        units = ["kg", *["kg.m"] * 3, *["kg.m2"] * 6]
        own = [
            model.parameter(f"link_{k + 1}.{name}", float(value), unit=unit)
            for name, value, unit in zip(STANDARD, standard_parameters(k), units, strict=True)
        ]
        h = ca.vertcat(*own[1:4]) / own[0]
        xx, xy, yy, xz, yz, zz = own[4:]
        about_joint = ca.vertcat(
            ca.horzcat(xx, xy, xz), ca.horzcat(xy, yy, yz), ca.horzcat(xz, yz, zz)
        )
        inertia = about_joint - own[0] * (ca.dot(h, h) * ca.SX.eye(3) - h @ h.T)
        turned = model.rotation(f"link_{k + 1}")
        hinge = model.add(Hinge(f"hinge_{k + 1}", orientation, turned, axis=AXES[k]))
        torque = model.input(f"torque_{k + 1}", unit="N.m")
        hinge.angle.dof(f"angle_{k + 1}", f"rate_{k + 1}").law(-torque)
        body = model.add(
            Body(
                f"body_{k + 1}", joint, turned, mass=own[0], inertia=inertia, offset=ca.vertsplit(h)
            )
        )
        if k + 1 < links:
            joint = body.point(f"joint_{k + 2}", NEXT_JOINT)
        orientation = turned
    return model


def recorded_arm(driver: EquationsDriver, samples: int) -> Run:
    """Return a second of a motion of `serial_arm` under known torques: angles and rates."""
    links = len(driver.inputs)
    inputs = {
        name: (lambda t, k=k: 3 * np.sin((2 + k) * t + k)) for k, name in enumerate(driver.inputs)
    }
    start = {f"angle_{k + 1}": 0.2 + 0.3 * (-1) ** k * (k + 1) / links for k in range(links)}
    start |= {f"rate_{k + 1}": float(np.cos(3.0 * k)) for k in range(links)}
    times = np.linspace(0.0, 1.0, samples)
    course = driver.simulate(times, inputs=inputs, start=start, outputs=[])
    states = {name: course.states[:, i] for i, name in enumerate(driver.states)}
    return Run({"time": times} | states, start=start, inputs=inputs)
