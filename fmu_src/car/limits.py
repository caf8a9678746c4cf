"""Limits that the car refuses by name: motions for which its formulas are not made."""

from __future__ import annotations

import casadi as ca

from mbcore import Model, Table2D

from ..tyre_data import TyreData
from .body import CarBody
from .data import DataSheet
from .inputs import Road
from .steering import Steering
from .wheel import Corner

TRAVEL = 0.25
"""Largest travel of a wheel to either side of the design position, m."""
STEERING = 1.0
"""Largest mean steering angle of the front wheels to either side, rad."""
LARGEST_GROWTH = 1.1
"""Largest radius of an unloaded tyre that spins, in those of one at rest."""
UPRIGHT = 0.3
"""Least cosine of the body's tilt. Wheels that lie on their side have no heading."""


def limit_body(model: Model, body: CarBody, steering: Steering) -> None:
    """Refuse that the car overturns, or is steered too far."""
    upright = body.frame.matrix[2, 2]
    model.require(
        "body",
        upright - UPRIGHT,
        f"the car overturns: the cosine of its tilt is below {UPRIGHT}, and wheels on their "
        "side have no heading; drive slower, steer less, or make the road smoother",
        shown=upright,
    )
    angle = steering.rack.value
    model.require(
        "steering.angle",
        STEERING - ca.fabs(angle),
        f"the front wheels are steered beyond {STEERING} rad; steer less",
        shown=angle,
    )


def limit_corner(model: Model, name: str, corner: Corner, tyre: TyreData) -> None:
    """Refuse what one wheel cannot do."""
    travel = corner.guide.travel.value
    model.require(
        f"{name}.travel",
        TRAVEL - ca.fabs(travel),
        f"the wheel travels beyond {TRAVEL} m; drive slower over the bump, make it lower, or "
        "the springs stiffer",
        shown=travel,
    )
    spoke = ca.norm_2(corner.wheel.radius)
    model.require(
        f"{name}.loaded_radius",
        spoke - tyre.rim,
        f"the road presses the tyre to its rim, {tyre.rim:g} m from the wheel's centre; drive "
        "slower over the bump, make it lower or longer, or the car lighter",
        shown=spoke,
    )
    assert corner.tyre.deflection is not None
    grown = corner.tyre.deflection + spoke
    most = LARGEST_GROWTH * tyre.radius
    model.require(
        f"{name}.free_radius",
        most - grown,
        f"the wheel spins so fast that its tyre grows beyond {most:.3g} m, {LARGEST_GROWTH:g} "
        "times its radius, for which no tyre is made; drive it with less torque",
        shown=grown,
    )


def limit_place(model: Model, name: str, place: ca.SX, road: Road) -> None:
    """Refuse a place of a wheel of which the road has no height."""
    covered = [("x", place[0], road.x)]
    covered += [("y", place[1], road.y)] if isinstance(road, Table2D) else []
    for axis, at, points in covered:
        first, last = float(points[0]), float(points[-1])
        model.require(
            f"{name}.{axis}",
            ca.fmin(at - first, last - at),
            f"the points of the road are from {first:g} to {last:g} m along {axis}, and the wheel "
            'is beyond them; give further points, or the road beyond="hold" or beyond="linear"',
            shown=at,
        )


def limit_data(model: Model, data: DataSheet) -> None:
    """Refuse lengths that contradict each other."""
    model.require(
        "to_front_axle",
        data["wheelbase"] - data["to_front_axle"],
        "the body's mass centre is behind the rear axle; give less than wheelbase",
        shown=data["to_front_axle"],
        initial=True,
    )
