"""The guide of a wheel: its carrier moves along a given path relative to the body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from mbcore.model.element import Element
from mbcore.model.nodes import rotations
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.statements import Placement, Strain


@dataclass(frozen=True)
class Path:
    """Where a carrier is, by its travel and the angle that steers it.

    Attributes
    ----------
    offset : SX
        The wheel's centre in the design position, on the body's axes, m, shape (3, 1).
    displacement : callable
        Forward and left displacement by travel, m.
    turning : callable
        Angles by travel and steering angle, rad: about the body's z, then about the carrier's x.
    """

    offset: ca.SX
    displacement: Callable[[ca.SX], tuple[ca.SX, ca.SX]]
    turning: Callable[[ca.SX, ca.SX], tuple[ca.SX, ca.SX]]


class Guide(Element):
    """A carrier of a wheel with one freedom relative to the body, and one input of steering.

    It stands for a suspension whose kinematics is known as functions of the travel, as from a test
    rig. Deformations: ``travel`` along the body's z, positive in bump, dependent unless it is given
    a role; ``forward``, ``left``, ``turning_x``, ``turning_y``, ``turning_z``, departures from the
    path, rigid.

    Parameters
    ----------
    body : tuple of Point and Rotation
        The body's reference point and orientation.
    centre : Point
        Of the wheel.
    carrier : Rotation
        That does not spin with the wheel.
    steering : Angle
        The angle that steers.
    path : Path
        Where the carrier is.
    """

    kind = "guide"
    unseen = "it stands for a suspension, which is not modelled"
    names = ("travel", "forward", "left", "turning_x", "turning_y", "turning_z")

    def __init__(
        self,
        name: str,
        body: tuple[Point, Rotation],
        centre: Point,
        carrier: Rotation,
        steering: Angle,
        path: Path,
    ) -> None:
        super().__init__(name)
        self.reference, self.orientation = body
        self.centre, self.carrier, self.steering, self.path = centre, carrier, steering, path

    def _turn(self, travel: ca.SX) -> ca.SX:
        """Return the Euler parameters of the carrier relative to the body."""
        about_z, about_x = self.path.turning(travel, self.steering.value)
        return rotations.product(
            ca.vertcat(ca.cos(about_z / 2), 0, 0, ca.sin(about_z / 2)),
            ca.vertcat(ca.cos(about_x / 2), ca.sin(about_x / 2), 0, 0),
        )

    def _turning(self, travel: ca.SX, rate: ca.SX) -> ca.SX:
        """Return the angular velocity of the carrier relative to the body, on space-fixed axes."""
        moving, steered = ca.SX.sym("travel"), ca.SX.sym("steering")
        angles = ca.vertcat(*self.path.turning(moving, steered))
        rates = ca.jacobian(angles, ca.vertcat(moving, steered)) @ ca.vertcat(
            rate, self.steering.rate
        )
        about_z, about_x = ca.vertsplit(
            ca.substitute(
                rates, ca.vertcat(moving, steered), ca.vertcat(travel, self.steering.value)
            )
        )
        heading = self.path.turning(travel, self.steering.value)[0]
        ahead = self.orientation.matrix @ ca.vertcat(ca.cos(heading), ca.sin(heading), 0)
        return self.orientation.turned([0, 0, 1]) * about_z + ahead * about_x

    def _away(self) -> ca.SX:
        """Return the place of the centre from the design position, on the body's axes."""
        apart = self.centre.position - self.reference.position
        return self.orientation.matrix.T @ apart - self.path.offset

    def _travel_rate(self) -> ca.SX:
        """Return the rate of the travel, by the velocities of the points."""
        apart = self.centre.position - self.reference.position
        moving = self.centre.velocity - self.reference.velocity
        moving -= ca.cross(self.orientation.speeds, apart)
        return ca.dot(self.orientation.turned([0, 0, 1]), moving)

    def strains(self) -> dict[str, Strain]:
        """Return the travel, and the departures from the path."""
        forward, left, travel = ca.vertsplit(self._away())
        ahead, aside = self.path.displacement(travel)
        relative = rotations.product(
            rotations.adjoint(self._turn(travel)),
            rotations.product(
                rotations.adjoint(self.orientation.coordinates), self.carrier.coordinates
            ),
        )
        values = (travel, forward - ahead, left - aside, *ca.vertsplit(2 * relative[1:]))
        return {
            name: Strain(value, "1" if "turning" in name else "m", rigid=name != "travel")
            for name, value in zip(self.names, values, strict=True)
        }

    def placements(self) -> list[Placement]:
        """Return the centre and the carrier, by the body, the travel and the steering."""
        values = [self.deformations[name].value for name in self.names[:3]]
        turnings = [self.deformations[name].rate for name in self.names[3:]]
        travel = values[0]
        ahead, aside = self.path.displacement(travel)
        moved = self.path.offset + ca.vertcat(ahead + values[1], aside + values[2], travel)
        place = self.reference.position + self.orientation.matrix @ moved
        there = self._away()[2]  # the travel by the points, which are placed first
        turned = rotations.product(self.orientation.coordinates, self._turn(there))
        speeds = self.orientation.speeds + self._turning(there, self._travel_rate())
        speeds += self.carrier.matrix @ ca.vertcat(*turnings)
        body = (self.reference, self.orientation)
        whole = (*body, self.centre, self.steering)
        return [
            Placement(self.centre, body, place, self.names[:3]),
            Placement(self.carrier, whole, turned, self.names[3:], self.names[3:], speeds),
        ]
