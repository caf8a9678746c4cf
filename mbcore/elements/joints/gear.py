"""The planar gear pair with involute teeth, [Schwab2002] 3.3."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np

from mbcore.elements.joints.belt import TangentPair
from mbcore.model.errors import ModelError
from mbcore.model.nodes.nodes import Angle, Point
from mbcore.model.nodes.rotations import planar_matrix
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import COLOURS, disc, line, tube
from mbcore.model.statements import Strain, length
from mbcore.model.variables import Number

PRESSURE_ANGLE = math.radians(20)
"""The usual pressure angle of involute teeth, rad."""


class GearPair(TangentPair):
    """Two gears whose teeth touch along the line of action, the tangent of their base circles.

    Deformations ``mesh`` (m, rigid unless released: deformation of the engaged teeth) and
    ``action`` (m, length of the line of action between the base circles, free). The stress of
    ``mesh`` is the normal tooth force, positive in tension. Where it is tensile, the other flanks
    carry: change the sign of the pressure angle.

    The centre distance is that of the start; with it the base radii follow,
    [Schwab2002] (3.24):

        r_p = ∓ l cos α_n / (1 + i),   r_q = -i r_p

    If the centres move, the pressure angle changes and the ratio does not, as with real involutes.

    Parameters
    ----------
    p, q, p_angle, q_angle, arm
        See `TangentPair`.
    ratio : number or expression
        i, teeth of q over teeth of p: positive with external teeth, negative if one gear is an
        annulus. Relative to the centre line, p turns -i times as fast as q.
    pressure_angle : number or expression
        α_n, rad, with 0 < |α_n| < π/2. Positive as in [Schwab2002] (3.25): between external gears
        the teeth are pressed together while p drives counter-clockwise.

    Raises
    ------
    ModelError
        If a point is spatial, both centres start in one place, the ratio is 0 or -1, or the
        pressure angle is out of range.
    """

    kind = "gear pair"

    def __init__(
        self,
        name: str,
        p: Point,
        p_angle: Angle,
        q: Point,
        q_angle: Angle,
        *,
        ratio: Number,
        pressure_angle: Number = PRESSURE_ANGLE,
        arm: Angle | None = None,
    ) -> None:
        super().__init__(name, p, p_angle, q, q_angle, arm)
        distance = self._at_start(length(self.centre_line))
        self.ratio = ca.SX(self.number("ratio", ratio))
        self.pressure_angle = ca.SX(self.number("pressure_angle", pressure_angle, unit="rad"))
        self._refuse(distance)
        base_p = -ca.sign(self.pressure_angle) * distance * ca.cos(self.pressure_angle)
        radius_p = base_p / (1 + self.ratio)  # [Schwab2002] (3.24)
        self._draw(radius_p, -self.ratio * radius_p)

    def _refuse(self, distance: ca.SX) -> None:
        if distance.is_constant() and float(distance) == 0.0:
            raise ModelError(
                f"{self.title}: {self.p.name} and {self.q.name} start in one place, so both "
                "radii are zero; start the centres where they belong"
            )
        if self.ratio.is_constant() and float(self.ratio) in (0.0, -1.0):
            raise ModelError(
                f"{self.title}: the ratio is {float(self.ratio):g}, with which "
                + ("gear q has no radius" if self.ratio.is_zero() else "both gears are the same")
                + "; give teeth of q over teeth of p, negative for an annulus"
            )
        angle = self.pressure_angle
        if angle.is_constant() and not 1e-3 < abs(float(angle)) < math.pi / 2 - 1e-3:
            raise ModelError(
                f"{self.title}: the pressure angle is {float(angle):g} rad; it must lie "
                "between 0 and π/2, usual are 0.35 rad (20 degrees)"
            )

    def shapes(self) -> list[Shape]:
        """Return the pitch circles, discs but for an annulus, and the line of action."""
        distance = self._at_start(length(self.centre_line))
        radii = [ca.fabs(distance / (1 + self.ratio)), ca.fabs(self.ratio * distance)]
        radii[1] /= ca.fabs(1 + self.ratio)
        ratio = float(self.ratio) if self.ratio.is_constant() else 1.0
        hollow = (-1 < ratio < 0, ratio < -1)
        found = []
        for node, angle, radius, is_annulus in zip(
            (self.p, self.q), (self.p_angle, self.q_angle), radii, hollow, strict=True
        ):
            found.append(_annulus(node, angle, radius) if is_annulus else disc(node, angle, radius))
        touching = [
            end.position + radius * self.normal
            for end, radius in ((self.p, self.radius_p), (self.q, self.radius_q))
        ]
        return [*found, line(touching, colour=COLOURS["contact"])]

    def strains(self) -> dict[str, Strain]:
        """Return [Schwab2002] (3.5) and (3.6) of the base circles."""
        return {
            "mesh": Strain(self.elongation_since_start),
            "action": Strain(self.tangent_length, rigid=False),
        }


def _annulus(centre: Point, angle: Angle, radius: ca.SX) -> Shape:
    """A ring with teeth on its inside."""
    turns = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    places = [centre.position + radius * planar_matrix(angle.value + turn)[:, 0] for turn in turns]
    return tube(places, closed=True, colour=COLOURS["wheel"])
