"""The planar cylindrical bearing, [Schwab2002] 3.1."""

from __future__ import annotations

import math

import casadi as ca

from mbcore.model.element import Element
from mbcore.model.nodes.connection import Connection, joined
from mbcore.model.nodes.node_checks import angles, points
from mbcore.model.nodes.nodes import Angle, Point
from mbcore.model.shapes.shape import THICKNESS, Place, Shape, Turn, position
from mbcore.model.shapes.shapes import COLOURS, cylinder, dot, tube
from mbcore.model.statements import Strain
from mbcore.model.variables import Number

DRAWN = 0.35
"""Share of the journal's radius as which a smaller clearance is drawn: in scale nobody sees it."""
WALL = 0.12
"""Half the thickness of the sleeve's wall, in the journal's radii."""
UNKNOWN = 5.0
"""Radius of a journal that has none, in thicknesses of lines."""
CORNERS = 48


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
        self.play: tuple[Number | None, Number] | None = None
        """Journal's radius, if it is known, and radial clearance, m, once a clearance is added."""

    def connection(self) -> Connection:
        """Return sleeve and journal; the force acts at the journal's centre."""
        sleeve, journal = (self.sleeve, self.sleeve_angle), (self.journal, self.journal_angle)
        return joined(self.title, self, sleeve, journal, self.journal)

    def shapes(self) -> list[Shape]:
        """Return a mark at the journal and the sleeve's centre, or both parts with clearance."""
        if self.play is not None:
            ends = self.sleeve, self.journal, self.journal_angle
            return journal_in_sleeve(*ends, *self._drawn())
        return [dot(self.sleeve, colour=COLOURS["body"]), dot(self.journal, mark="hinge")]

    def add_play(self, radius: Number | None, gap: Number) -> None:
        """Let pictures show the journal with a clearance.

        Parameters
        ----------
        radius : number or expression, optional
            Of the journal, m, if it is known.
        gap : number or expression
            Radial clearance, m.
        """
        self.play = radius, gap
        self.journal.drawn = self.drawn_journal

    @property
    def drawn_journal(self) -> ca.SX:
        """The journal's centre where pictures show it, (x, y, 0), m: arrows at it begin there."""
        if self.play is None:
            return position(self.journal)
        return enlarged(self.sleeve, self.journal, *self._drawn())

    def _drawn(self) -> tuple[Number, Number]:
        """Return radius and clearance of which a picture is made."""
        assert self.play is not None
        radius, gap = self.play
        return UNKNOWN * THICKNESS if radius is None else radius, gap

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


def enlargement(radius: Number, gap: Number) -> Number:
    """Return how many times as large as it is the clearance of a bearing is drawn, 1 at least."""
    return ca.fmax(1, DRAWN * radius / gap)


def enlarged(sleeve: Place, journal: Place, radius: Number, gap: Number) -> ca.SX:
    """Return where a journal is drawn whose distance from the sleeve's centre is enlarged."""
    centre = position(sleeve)
    return centre + enlargement(radius, gap) * (position(journal) - centre)


def journal_in_sleeve(
    sleeve: Place, journal: Place, turn: Turn, radius: Number, gap: Number
) -> list[Shape]:
    """Return the shapes of a sleeve and of the journal in it, with enlarged clearance.

    Parameters
    ----------
    sleeve, journal : Point or pair of expressions
        Centres, planar, m. The journal's distance from the sleeve's centre is enlarged as the
        clearance is, so that the parts touch in the picture where they touch.
    turn : Angle or SX
        Orientation of the journal, or its rotation matrix; None where it does not turn.
    radius, gap : number or expression
        Of the journal, and radial clearance, m.
    """
    centre, times = position(sleeve), enlargement(radius, gap)
    middle = radius + times * gap + WALL * radius
    turns = (2 * math.pi * k / CORNERS for k in range(CORNERS))
    wall = [centre + middle * ca.DM([math.cos(a), math.sin(a), 0]) for a in turns]
    return [
        tube(wall, WALL * radius, closed=True, colour=COLOURS["bar"], name="sleeve"),
        cylinder(
            enlarged(sleeve, journal, radius, gap), turn, radius, 0.2 * radius, name="journal"
        ),
    ]
