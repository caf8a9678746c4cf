"""Inputs of the car's wheels: torques, and the road under them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import casadi as ca

from mbcore import Model, Table, Table2D, Units
from mbcore.model.errors import ModelError
from mbcore.model.tables.needed_units import refuse_units
from mbcore.model.wording import shortened

from ..road_inputs import add_road_heights
from ..road_wheel import torque_inputs
from ..wheel_variables import WheelVariables
from .data import CORNERS

RELAXATION = 1
"""Item of the choice ``tyres.transient``."""


Road: TypeAlias = Table | Table2D
"""Height of the ground, m, over the place along x, or along x and y."""


@dataclass(frozen=True)
class Controls:
    """Inputs of one wheel."""

    road_height: ca.SX
    drive_torque: ca.SX
    brake_torque: ca.SX
    friction: ca.SX
    """Factor of the tyre's friction."""
    relaxing: ca.SX
    """1 where slips follow over relaxation lengths, else 0."""
    road: Road | None = None
    """The ground under the heights that are given; level where absent."""

    def ground(self, place: ca.SX) -> ca.SX | float:
        """Return the height of the ground at a place."""
        if self.road is None:
            return 0.0
        if isinstance(self.road, Table2D):
            return self.road(place[0], place[1])
        return self.road(place[0])


def refuse_no_road(road: object) -> None:
    """Refuse a road that is not a table, or whose places or heights are in units of no length.

    Raises
    ------
    ModelError
        Naming what was given.
    """
    if road is None:
        return
    if not isinstance(road, Table | Table2D):
        raise ModelError(
            f"road = {shortened(repr(road), 60)} is not a table; give a Table or Table2D "
            "(Table.from_csv reads a file)"
        )
    refuse_units(road, "road", *["m"] * len(road.units))


def add_slope(model: Model) -> ca.SX:
    """Add the slope of the road, and return its angle."""
    return model.input(
        "road.slope",
        unit=Units("rad", "deg"),
        description="angle of the road that climbs along x; gravity is turned by it",
    )


def add_controls(wheels: WheelVariables, road: Road | None = None) -> dict[str, Controls]:
    """Add the inputs and choices of the wheels, and return the controls of each of them."""
    model = wheels.model
    friction = model.input(
        "road.friction", 1.0, minimum=0.0, description="factor of all tyres' friction"
    )
    transient = model.enumeration(
        "tyres.transient",
        ["relaxation", "steady"],
        description="relaxation: slips follow over relaxation lengths, and tyres are springs at "
        "rest; steady: slips are those of the moment",
    )
    roads = add_road_heights(wheels, CORNERS, "level, without slope")
    return {
        name: Controls(
            roads[name],
            *torque_inputs(wheels, name, "body"),
            friction=friction
            * wheels.input(
                name,
                "road_friction",
                1.0,
                minimum=0.0,
                description="further factor of this tyre's friction",
            ),
            relaxing=ca.eq(transient, RELAXATION),
            road=road,
        )
        for name in CORNERS
    }
