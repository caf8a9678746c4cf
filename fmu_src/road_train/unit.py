"""A unit of a road train."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore import PlanarWheel
from mbcore.model.nodes.nodes import Angle, Point


@dataclass(frozen=True)
class Unit:
    """The tractor or a trailer."""

    name: str
    axle: Point
    """Middle of its rear axle."""
    heading: Angle
    wheel: PlanarWheel
    length: ca.SX
    """From the axle to the tractor's front axle, or to the trailer's hitch in front, m."""
    behind: ca.SX
    """Where the axle starts behind the tractor's, m."""
    angle: ca.SX
    """Of its hitch, rad; 0 of the tractor."""
