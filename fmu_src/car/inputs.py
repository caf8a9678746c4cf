"""Inputs of the car's wheels: torques, and the road under them."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import Model, Units

from .data import CORNERS

RELAXATION = 1
"""Item of the choice ``tyres.transient``."""


@dataclass(frozen=True)
class Controls:
    """What is given for one wheel."""

    road_height: ca.SX
    drive_torque: ca.SX
    brake_torque: ca.SX
    friction: ca.SX
    """Factor of the tyre's friction."""
    relaxing: ca.SX
    """1 where slips follow over relaxation lengths, else 0."""


def add_slope(model: Model) -> ca.SX:
    """Add the slope of the road, and return its angle."""
    return model.input(
        "road.slope",
        unit=Units("rad", "deg"),
        description="angle of the road that climbs along x; gravity is turned by it",
    )


def add_controls(model: Model) -> dict[str, Controls]:
    """Add the inputs and choices of the wheels, and return what is given for each of them."""
    friction = model.input(
        "road.friction", 1.0, minimum=0.0, description="factor of all tyres' friction"
    )
    transient = model.enumeration(
        "tyres.transient",
        ["relaxation", "steady"],
        description="relaxation: slips follow over relaxation lengths, and tyres are springs at "
        "rest; steady: slips are those of the moment",
    )
    roads = _add_roads(model)
    return {
        name: Controls(
            road_height=roads[name],
            drive_torque=model.input(
                f"{name}.drive_torque",
                unit="N.m",
                description="from the body on the wheel, positive accelerates",
            ),
            brake_torque=model.input(
                f"{name}.brake_torque",
                unit="N.m",
                minimum=0.0,
                description="largest torque between carrier and wheel: opposes its rotation, and "
                "holds at rest",
            ),
            friction=friction
            * model.input(
                f"{name}.road_friction",
                1.0,
                minimum=0.0,
                description="further factor of this tyre's friction",
            ),
            relaxing=ca.eq(transient, RELAXATION),
        )
        for name in CORNERS
    }


def _add_roads(model: Model) -> dict[str, ca.SX]:
    """Add the heights of the road under the wheels, and return those that these follow."""
    choice = model.enumeration(
        "road",
        ["filtered", "direct"],
        description="filtered: second order, after the heights alone; direct: heights and rates "
        "as given",
    )
    constant = model.parameter(
        "road.time_constant",
        0.005,
        unit="s",
        positive=True,
        description="of the filters that follow the road's heights",
    )
    found = {}
    for name in CORNERS:
        rate = model.input(
            f"{name}.road_rate",
            unit="m/s",
            description="of road_height over time, used with a direct road",
        )
        height = model.input(
            f"{name}.road_height",
            unit=Units("m", "mm"),
            rate=rate,
            description="of the road under the wheel, over time: level, without slope",
        )
        followed = model.filtered(f"{name}.road_height", constant, nominal=0.01)
        found[name] = model.select(choice, followed, height)
    return found
