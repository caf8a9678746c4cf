"""The nodes and elements of a bicycle: what moves in it, before anything has a name outside.

Both frames carry tilted axes whose z is the steering axis, so that its tilt can be a parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca

from mbcore import Body, Hinge, Model, RigidLink, Strain, Wheel
from mbcore.model.nodes.nodes import Point, Rotation
from mbcore.model.quantities import Deformation
from mbcore.model.statements import Placement

from .parameters import Bicycle
from .shapes import add_shapes


class RollingHinge(Hinge):
    """A hinge whose angle is counted as the distance that a wheel rolls off.

    ``distance`` (m), the radius times the angle, takes the place of ``angle``.
    """

    def __init__(
        self, name: str, p: Rotation, q: Rotation, *, axis: Sequence[float], radius: ca.SX
    ) -> None:
        super().__init__(name, p, q, axis=axis)
        self.radius = radius

    def strains(self) -> dict[str, Strain]:
        """Return the distance, which may grow for ever, and the bending of the axis."""
        strains = super().strains()
        angle = strains.pop("angle")
        assert angle.residual is not None and angle.rate is not None
        turned_beyond = angle.residual
        distance = Strain(
            self.radius * angle.expression,
            "m",
            lambda target: self.radius * turned_beyond(target / self.radius),
            rigid=False,
            rate=self.radius * angle.rate,
            rate_if_zero=angle.rate_if_zero,
        )
        return {"distance": distance, **strains}

    def placements(self) -> list[Placement]:
        """Return those of a hinge with the angle by the distance."""
        hinge = Hinge(self.name, self.p, self.q, frame=self.frame)
        hinge.make_quantities()
        theirs, ours = list(hinge.deformations.values()), list(self.deformations.values())
        scale = [self.radius, 1, 1]
        symbols = ca.vertcat(*(q.value for q in theirs), *(q.rate for q in theirs))
        values = ca.vertcat(
            *(q.value / r for q, r in zip(ours, scale, strict=True)),
            *(q.rate / r for q, r in zip(ours, scale, strict=True)),
        )
        return [
            replace(
                placement,
                coordinates=ca.substitute(placement.coordinates, symbols, values),
                speeds=ca.substitute(placement.speeds, symbols, values),
                strains=tuple(self.deformations),
            )
            for placement in hinge.placements()
        ]

    def limits(self) -> dict[str, tuple[ca.SX, str]]:
        """Return none: the distance is meant to be a degree of freedom."""
        return {}


@dataclass(frozen=True)
class Joints:
    """Joints of a bicycle, and quantities for torques and outputs."""

    yaw: Deformation
    lean: Deformation
    pitch: Deformation
    """Of the tilted axes: minus the tilt where the bicycle is upright."""
    steer: Deformation
    rolled: Deformation
    front_angle: Deformation
    heading: Rotation
    frame: Rotation
    rear_contact: Point
    rear: Wheel
    front: Wheel


def assemble(bicycle: Model, data: Bicycle) -> Joints:
    """Add nodes and elements; only the pitch has its role yet."""
    yawed, leaned = bicycle.rotation("yawed"), bicycle.rotation("leaned")
    frame, fork, rear_turned, front_turned = (
        bicycle.rotation(name, data.euler_parameters)
        for name in ("frame", "fork", "rear wheel", "front wheel")
    )
    behind, before, lower = data.offsets
    rear_centre, front_centre = data.rear_wheel.place, data.front_wheel.place
    R = bicycle.point("rear centre", ca.vertsplit(rear_centre))
    F = bicycle.point("front centre", ca.vertsplit(front_centre))
    S = bicycle.point("steering axis", ca.vertsplit(rear_centre + behind * data.axes[:, 0]))
    P = bicycle.point("rear contact", (0, 0, 0))
    Q = bicycle.point("front contact", (data.wheelbase, 0, 0))

    yaw = bicycle.add(Hinge("yaw hinge", bicycle.ground, yawed, axis=(0, 0, 1)))
    lean = bicycle.add(Hinge("lean hinge", yawed, leaned, axis=(1, 0, 0)))
    pitch = bicycle.add(Hinge("pitch hinge", leaned, frame, axis=(0, 1, 0)))
    steer = bicycle.add(Hinge("steering head", frame, fork, axis=(0, 0, 1)))
    rear_axle = bicycle.add(
        RollingHinge("rear axle", frame, rear_turned, axis=(0, 1, 0), radius=data.rear_radius)
    )
    front_axle = bicycle.add(Hinge("front axle", fork, front_turned, axis=(0, 1, 0)))
    pitch.angle.release()  # the contacts of both wheels determine it
    bicycle.add(RigidLink("rear triangle", R, frame, S, offset=(behind, 0, 0)))
    bicycle.add(RigidLink("fork blades", S, fork, F, offset=(before, 0, -lower)))
    rear = bicycle.add(Wheel("rear rolling", R, rear_turned, P, radius=data.rear_radius))
    front = bicycle.add(Wheel("front rolling", F, front_turned, Q, radius=data.front_radius))

    for name, point, rotation, wheel in (
        ("rear wheel", R, rear_turned, data.rear_wheel),
        ("front wheel", F, front_turned, data.front_wheel),
    ):
        bicycle.add(Body(name, point, rotation, mass=wheel.mass, inertia=wheel.matrix))
    for name, point, rotation, centre, part in (
        ("rear frame", R, frame, rear_centre, data.rear_frame),
        ("front frame", F, fork, front_centre, data.front_frame),
    ):
        offset = ca.vertsplit(data.axes.T @ (part.place - centre))
        matrix = data.axes.T @ part.matrix @ data.axes
        bicycle.add(Body(name, point, rotation, mass=part.mass, inertia=matrix, offset=offset))
    sizes = (data.wheelbase, behind, before, lower)
    add_shapes(bicycle, data.axes, (R, frame), (S, fork), sizes)
    return Joints(
        yaw.angle,
        lean.angle,
        pitch.angle,
        steer.angle,
        rear_axle.distance,
        front_axle.angle,
        yawed,
        frame,
        P,
        rear,
        front,
    )
