"""Motions of the ILTIS that its geometry, its tyres or its choices do not allow.

The limits of the geometry come from the suspension alone, moved by its arm, with the rack anywhere
between its limits: the wheel travels no higher than 0.38 m and no lower than -0.28 m, where it
turns back, and with the rack in the design position beyond 0.077 m the inner wheel's tie rod is in
line with its steering arm. Within the limits below, the three conditions that hold a carrier (leaf
rod, plane of the axle, tie rod) have a determinant of at least a sixth of that in the design.
"""

from __future__ import annotations

import casadi as ca

from mbcore import Model

from .suspension import Cabin, Suspension
from .tyres import NO_LATERAL_SLIP
from .wheel import Controls, WheelOnTyre

BUMP, REBOUND = 0.30, -0.22
"""Largest and least travel of a wheel, m."""
RACK = 0.070
"""Largest displacement of the rack, m, to either side."""
UPRIGHT = 0.3
"""Least cosine of the cabin's tilt. Wheels that lie on their side have no heading."""


def limit_rack(model: Model, displacement: ca.SX) -> None:
    """Refuse a rack that pulls the tie rods into line with the steering arms."""
    model.require(
        "rack.displacement",
        RACK - ca.fabs(displacement),
        f"the tie rods lock: the rack goes {RACK} m to either side; steer less",
        shown=displacement,
    )


def limit_cabin(model: Model, cabin: Cabin) -> None:
    """Refuse that the vehicle overturns."""
    upright = cabin.frame.matrix[2, 2]
    model.require(
        "cabin",
        upright - UPRIGHT,
        f"the vehicle overturns: the cosine of its tilt is below {UPRIGHT}, and wheels on their "
        "side have no heading; drive slower, brake less, or make the road smoother",
        shown=upright,
    )


def limit_corner(
    model: Model,
    name: str,
    suspension: Suspension,
    rolling: WheelOnTyre,
    given: Controls,
) -> None:
    """Refuse what one wheel and its suspension cannot do."""
    model.require(
        f"{name}.load",
        ca.if_else(ca.eq(given.tyres, NO_LATERAL_SLIP), rolling.pressed, 1),
        "the wheel leaves the road, where its lateral slip cannot be held at zero; start again "
        f"with tyres = {given.on.complete}",
        shown=rolling.pressed,
    )
    spoke, rim = rolling.wheel.radius_0 + rolling.gap, given.on.rim
    model.require(
        f"{name}.loaded_radius",
        spoke - rim,
        f"the road presses the tyre to its rim, {rim:g} m from the wheel's centre; drive slower "
        "over the bump, or make it lower or longer",
        shown=spoke,
    )
    model.require(
        f"{name}.travel",
        ca.fmin(BUMP - suspension.travel, suspension.travel - REBOUND),
        f"the suspension's geometry ends between {REBOUND} and {BUMP} m of travel; drive slower "
        "over the bump, make it lower, or brake and steer less",
        shown=suspension.travel,
    )
