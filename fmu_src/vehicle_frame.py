"""The frame of a body, of `car` or `iltis`: its six freedoms, and the motion that it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from mbcore import Hinge, Model, Speed, StateName
from mbcore.model.nodes.nodes import Point, Rotation
from mbcore.model.quantities import Slip


@dataclass(frozen=True)
class VehicleFrame:
    """Where the body is, and its speeds along its heading and to the left of it, without a role."""

    place: Point
    """Its mass centre."""
    heading: Rotation
    frame: Rotation
    forward: Slip
    sideways: Slip


def add_frame(model: Model, name: str, start: Mapping[str, float]) -> VehicleFrame:
    """Add the frame of a body called so; angles and height have start values by their names."""
    place = model.point(name, (0, 0, 0))
    heading, tilted = model.rotation("heading"), model.rotation("pitched frame")
    frame = model.rotation(f"{name} frame")
    yaw = model.add(Hinge("yaw", model.ground, heading, axis=(0, 0, 1))).angle
    pitch = model.add(Hinge("pitch", heading, tilted, axis=(0, 1, 0))).angle
    roll = model.add(Hinge("roll", tilted, frame, axis=(1, 0, 0))).angle
    for angle, of, about in ((yaw, "yaw", "z"), (pitch, "pitch", "y"), (roll, "roll", "x")):
        angle.dof(
            f"{name}.{of}",
            StateName(f"{of}.rate", description=f"rate of the {of} angle", visibility="local"),
            start=start.get(f"{name}.{of}"),
            nominal=0.1,
            rate_nominal=0.1,
            description=f"{of} angle, about {about}",
        )
    place.z.dof(
        f"{name}.z",
        StateName(f"{name}.z_rate", description=f"rate of {name}.z", visibility="local"),
        start=start.get(f"{name}.z"),
        nominal=0.01,
        rate_nominal=0.1,
        description=f"height of the {name}'s mass centre, 0 in the design position",
    )
    place.x.kinematic(f"{name}.x", nominal=10.0, description=f"place of the {name}'s mass centre")
    place.y.kinematic(f"{name}.y", nominal=10.0, description=f"place of the {name}'s mass centre")
    ahead, left = heading.matrix[:, 0], heading.matrix[:, 1]
    forward = model.add(Speed("forward", ca.dot(ahead, place.velocity))).slip
    sideways = model.add(Speed("sideways", ca.dot(left, place.velocity))).slip
    return VehicleFrame(place, heading, frame, forward, sideways)


def show_motion(model: Model, name: str, place: Point, frame: Rotation) -> tuple[ca.SX, ca.SX]:
    """Add the body's rates and accelerations in its own axes; return them, shape (3, 1) each."""
    across = frame.matrix.T
    turning, acceleration = across @ frame.angular_velocity, across @ place.acceleration
    for i, of in enumerate(("roll", "pitch", "yaw")):
        model.output(
            f"{name}.{of}_rate",
            turning[i],
            unit="rad/s",
            nominal=0.1,
            description=f"angular velocity about the {name}'s {'xyz'[i]}-axis",
        )
    for i, axis in enumerate("xyz"):
        model.output(
            f"{name}.acceleration_{axis}",
            acceleration[i],
            unit="m/s2",
            description=f"of the mass centre, along the {name}'s {axis}-axis",
        )
    return turning, acceleration
