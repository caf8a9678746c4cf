"""Frames and wheels of a balancing robot."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore.model.nodes.nodes import Point, Rotation
from mbcore.model.quantities import Deformation, Slip

from ..mobile_robot.drives import Drive


@dataclass(frozen=True)
class Frames:
    """Axle and orientations."""

    axle: Point
    """Its middle."""
    heading: Rotation
    level: Rotation
    """Along the axle; the floor keeps it level."""
    body: Rotation
    pitch: Deformation

    @property
    def ahead(self) -> ca.SX:
        """Direction forward, shape (3, 1)."""
        return self.heading.matrix[:, 0]


@dataclass(frozen=True)
class BalancingWheel:
    """A driven wheel."""

    name: str
    hub: Point
    turned: Rotation
    radius: ca.SX
    drive: Drive
    rate: ca.SX
    """Of the wheel in the body, rad/s."""
    rolls: Slip
