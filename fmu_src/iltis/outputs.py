"""Outputs of the ILTIS: outputs and terminals."""

from __future__ import annotations

import casadi as ca

from mbcore.fmi.component import Terminal
from mbcore.model.quantities import Slip

from ..wheel_variables import WheelVariables
from .data import CORNERS
from .suspension import Suspension
from .wheel import PRESCRIBED, Controls, WheelOnTyre


def show_corner(
    wheels: WheelVariables,
    name: str,
    suspension: Suspension,
    rolling: WheelOnTyre,
    held: Slip,
    given: Controls,
) -> None:
    """Add what happens at one wheel."""
    _show_tyre(wheels, name, rolling, held, given)
    _show_suspension(wheels, name, suspension)
    wheels.output(
        name,
        "airborne",
        rolling.airborne,
        kind="boolean",
        description="the tyre has left the road",
    )


def _show_tyre(
    wheels: WheelVariables, name: str, rolling: WheelOnTyre, held: Slip, given: Controls
) -> None:
    """Add the forces of the road, and how the wheel meets it."""
    wheel, tyre = rolling.wheel, rolling.tyre
    rolls = ca.ne(given.wheels, PRESCRIBED)
    for what, expression, unit, description in (
        ("load", tyre.radial_force, "N", "radial force of the tyre, along the wheel's spoke"),
        ("slip_angle", tyre.contact.slip_angle, "rad", "positive where it moves to the left"),
        (
            "side_force",
            wheel.lateral_force - held.force / 2,
            "N",
            "of the road on the wheel, to the left",
        ),
        (
            "longitudinal_force",
            -rolls * rolling.rolling.force,
            "N",
            "of the road on the wheel, forward",
        ),
        ("aligning_torque", tyre.forces.aligning_moment, "N.m", "of the road on it, about z"),
        ("camber", tyre.contact.camber, "rad", "positive where the wheel leans to the right"),
    ):
        wheels.output(name, what, expression, unit=unit, description=description)


def _show_suspension(wheels: WheelVariables, name: str, suspension: Suspension) -> None:
    """Add travel, and the forces of shock absorber and leaf spring."""
    wheels.output(
        name,
        "travel",
        suspension.travel,
        unit="m",
        description="of the wheel from the design position, positive in bump",
    )
    wheels.output(
        name,
        "damper_force",
        suspension.shock.stress,
        unit="N",
        description="of the shock absorber, positive in extension",
    )
    for what, force, description in (
        ("leaf_spring_force", -suspension.leaf.stress, "of the leaf spring, positive in extension"),
        (
            "leaf_rod_force",
            suspension.leaf_rod.stress,
            "of the link that the leaf is, positive in tension",
        ),
    ):
        wheels.output(name, what, force, unit="N", visibility="local", description=description)


TERMINALS = (
    Terminal(
        "rack",
        {
            "displacement": "rack.displacement",
            "rate": "rack.rate",
            "acceleration": "rack.acceleration",
        },
        "steering rack",
    ),
    *(
        Terminal(
            name,
            {
                "drive_torque": f"{name}.drive_torque",
                "brake_torque": f"{name}.brake_torque",
                "road_height": f"{name}.road_height",
                "road_rate": f"{name}.road_rate",
                "load": f"{name}.load",
                "side_force": f"{name}.side_force",
                "longitudinal_force": f"{name}.longitudinal_force",
                "aligning_torque": f"{name}.aligning_torque",
            },
            "wheel on its road",
        )
        for name in CORNERS
    ),
)
