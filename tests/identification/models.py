"""Models whose parameters tests find."""

from __future__ import annotations

import casadi as ca

from mbcore import Body, Friction, Model, PlanarHinge

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
