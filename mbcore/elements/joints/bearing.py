"""The planar cylindrical bearing, [Schwab2002] 3.1."""

from __future__ import annotations

import casadi as ca

from mbcore.model.element import Element, Strain
from mbcore.model.nodes.connection import Connection, joined
from mbcore.model.nodes.node_checks import angles, points
from mbcore.model.nodes.nodes import Angle, Point
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import COLOURS, dot
from mbcore.model.variables import Number


class Bearing(Element):
    """Displacement and rotation of a journal on the sleeve's axes, [Schwab2002] (3.1).

    Deformations ``x``, ``y`` (m) and ``rotation`` (rad). Rigid ``x`` and ``y`` make a revolute
    joint, released ones a compliant joint or one with clearance. The stresses are the forces and
    the moment with which the journal pulls at the sleeve.

        x = r_1 cos β + r_2 sin β,   y = r_2 cos β - r_1 sin β,   φ = α_j - α_s,
        r = x_j - x_s,   β = α_s + β_0

    Parameters
    ----------
    sleeve, journal : Point
        Centres, planar.
    sleeve_angle, journal_angle : Angle
        Orientations.
    direction : number or expression
        Angle of the sleeve's x axis in the sleeve's own frame, rad.

    Raises
    ------
    ModelError
        If a node is not planar or of another kind, or the direction is not finite.
    """

    kind = "bearing"

    def __init__(
        self,
        name: str,
        sleeve: Point,
        sleeve_angle: Angle,
        journal: Point,
        journal_angle: Angle,
        *,
        direction: Number = 0.0,
    ) -> None:
        super().__init__(name)
        points(self.title, planar=True, sleeve=sleeve, journal=journal)
        angles(self.title, sleeve_angle=sleeve_angle, journal_angle=journal_angle)
        self.sleeve, self.sleeve_angle = sleeve, sleeve_angle
        self.journal, self.journal_angle = journal, journal_angle
        self.direction = self.number("direction", direction, unit="rad")

    def connection(self) -> Connection:
        """Return sleeve and journal; the force acts at the journal's centre."""
        sleeve, journal = (self.sleeve, self.sleeve_angle), (self.journal, self.journal_angle)
        return joined(self.title, self, sleeve, journal, self.journal)

    def shapes(self) -> list[Shape]:
        """Return a mark at the journal, and the sleeve's centre."""
        return [dot(self.sleeve, colour=COLOURS["body"]), dot(self.journal, mark="hinge")]

    def strains(self) -> dict[str, Strain]:
        """Return the three deformations of [Schwab2002] (3.1)."""
        r = self.journal.position - self.sleeve.position
        beta = self.sleeve_angle.value + self.direction
        cosine, sine = ca.cos(beta), ca.sin(beta)
        return {
            "x": Strain(r[0] * cosine + r[1] * sine),
            "y": Strain(r[1] * cosine - r[0] * sine),
            "rotation": Strain(
                self.journal_angle.value - self.sleeve_angle.value, "rad", rigid=False
            ),
        }
