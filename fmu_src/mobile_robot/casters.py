"""Casters: wheels that swivel about a vertical pin and trail behind it."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Body, Friction, Model, PlanarHinge, PlanarWheel, RigidLink
from mbcore.model.nodes.nodes import Angle, Point

from . import Base, length
from .loads import Mass, Spin, Support


@dataclass(frozen=True)
class CasterData:
    """Parameters that all casters of a robot share; SI units."""

    trail: ca.SX
    radius: ca.SX
    mass: ca.SX
    inertia: ca.SX
    spin_inertia: ca.SX
    friction: ca.SX
    stiffness: ca.SX


@dataclass(frozen=True)
class Caster:
    """One caster."""

    name: str
    pin: Point
    fork: Angle
    wheel: PlanarWheel
    support: Support
    mass: Mass
    spin: Spin


def add_data(robot: Model) -> CasterData:
    """Add the parameters of all casters."""
    return CasterData(
        length(robot, "caster.trail", 0.03, "of the wheel behind its pin", positive=True),
        length(robot, "caster.radius", 0.04, "radius of a caster's wheel", positive=True),
        robot.parameter(
            "caster.mass",
            0.3,
            unit="kg",
            minimum=0.0,
            description="of a fork with its wheel, at the wheel's centre",
        ),
        robot.parameter(
            "caster.inertia",
            2e-4,
            unit="kg.m2",
            minimum=0.0,
            description="of a fork with its wheel about the vertical, at the wheel's centre",
        ),
        robot.parameter(
            "caster.spin_inertia",
            1e-4,
            unit="kg.m2",
            minimum=0.0,
            description="of a caster's wheel about its axle",
        ),
        robot.parameter(
            "caster.swivel_friction",
            0.0,
            unit="N.m",
            minimum=0.0,
            description="dry friction of a swivel pin, which holds up to that at rest",
        ),
        robot.parameter(
            "caster.stiffness",
            1e5,
            unit="N/m",
            positive=True,
            description="vertical, of a caster with the floor; the ratio shares the load",
        ),
    )


def add_caster(base: Base, name: str, place: tuple[ca.SX, ca.SX], data: CasterData) -> Caster:
    """Add a caster whose pin is at a place of the base; it starts trailing straight behind."""
    robot, (x, y) = base.robot, place
    pin = base.point(f"{name} pin", place)
    fork, spin = robot.angle(f"{name} fork"), robot.angle(f"{name} spin")
    centre = robot.point(f"{name} wheel centre", (x - data.trail, y))
    robot.add(RigidLink(f"{name} trail", pin, fork, centre)).visible = False
    robot.add(
        Body(f"{name} mass", centre, fork, mass=data.mass, inertia=data.inertia)
    ).visible = False
    robot.add(Body(f"{name} spin inertia", None, spin, inertia=data.spin_inertia))
    swivel = robot.add(PlanarHinge(f"{name}_swivel", base.heading, fork))
    wheel = robot.add(PlanarWheel(f"{name}_wheel", centre, fork, spin, radius=data.radius))
    swivel.angle.kinematic(
        f"{name}.angle",
        display_unit="deg",
        description="swivel angle of the fork in the base, counter-clockwise",
    )
    spin.angle.kinematic(
        f"{name}.rotation",
        nominal=10.0,
        visibility="local",
        description="angle by which the wheel has rolled",
    )
    robot.add(Friction(f"{name}.pin", swivel, radius=1.0, coefficient=0.0, preload=data.friction))
    return Caster(
        name,
        pin,
        fork,
        wheel,
        Support(centre, data.stiffness),
        Mass(data.mass, centre, data.radius),
        Spin(data.spin_inertia, spin, fork),
    )
