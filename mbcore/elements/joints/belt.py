"""Belts: two circles with a common straight tangent, [Schwab2002] 3.2, also the base of gears."""

from __future__ import annotations

import casadi as ca
import numpy as np

from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes.connection import Connection, ended
from mbcore.model.nodes.node_checks import angles, points
from mbcore.model.nodes.nodes import Angle, Point, at_start
from mbcore.model.nodes.rotations import planar_matrix
from mbcore.model.shapes.shape import THICKNESS, Shape
from mbcore.model.shapes.shapes import COLOURS, disc, tube
from mbcore.model.statements import Strain, length
from mbcore.model.variables import Number

TOUCHING = 1e-6
"""Span over centre distance below which the circles count as enclosed: keeps the root real."""


DRAWN = 49
"""Number of points of a belt on a pulley in pictures."""


class TangentPair(Element):
    """Base of elements along the straight tangent a-b of two circles, [Schwab2002] (3.2) to (3.6).

    A radius is positive where the tangent passes its circle on the left of the direction from
    p to q. A subclass calls ``_draw`` with its radii.

    Parameters
    ----------
    p, q : Point
        Centres, planar.
    p_angle, q_angle : Angle
        Orientations β of the circles; they may wind.
    arm : Angle, optional
        An orientation that turns with the centre line, where that may turn by half a turn or
        more (the carrier of a planetary gear): it counts the turns.
    """

    def __init__(
        self, name: str, p: Point, p_angle: Angle, q: Point, q_angle: Angle, arm: Angle | None
    ) -> None:
        super().__init__(name)
        points(self.title, planar=True, p=p, q=q)
        angles(self.title, p_angle=p_angle, q_angle=q_angle)
        if arm is not None:
            angles(self.title, arm=arm)
        self.p, self.p_angle, self.q, self.q_angle = p, p_angle, q, q_angle
        self.arm = arm
        self.centre_line = q.position - p.position

    def connection(self) -> Connection:
        """Return both circles, each of which is pulled at about its centre."""
        return ended(self.title, self, (self.p, self.p_angle), (self.q, self.q_angle))

    def _at_start(self, expression: ca.SX) -> ca.SX:
        nodes = (self.p, self.p_angle, self.q, self.q_angle, self.arm)
        return at_start(expression, *(node for node in nodes if node is not None))

    def _draw(self, radius_p: Number, radius_q: Number) -> None:
        """Find the tangent: its length l_ab, direction e_t and its turn ψ since the start."""
        self.radius_p, self.radius_q = ca.SX(radius_p), ca.SX(radius_q)
        self._refuse_enclosed()
        difference = self.radius_q - self.radius_p
        r, distance2 = self.centre_line, ca.dot(self.centre_line, self.centre_line)
        self.tangent_length = ca.sqrt(  # [Schwab2002] (3.6)
            # The limit ``apart`` is an error only after a step, and no root may be NaN until then.
            ca.fmax(distance2 - difference**2, TOUCHING**2 * distance2)
        )
        # The tangent is at the angle δ to the centre line, with sin δ = (r_q - r_p)/|r|.
        across = ca.vertcat(-r[1], r[0])
        # [Schwab2002] (3.14)
        self.direction = (self.tangent_length * r + difference * across) / distance2
        start = self._at_start(self.direction)
        # The arm counts the turns of the centre line; only the rest is left to the arc tangent.
        carried = ca.SX(0)
        if self.arm is not None:
            carried = self.arm.value - self._at_start(self.arm.value)
            start = planar_matrix(carried) @ start
        # ψ = α + δ counted from the start: the arc tangent jumps half a turn away from there.
        self._along = ca.dot(start, self.direction)
        sine = start[0] * self.direction[1] - start[1] * self.direction[0]
        self.turn = carried + ca.atan2(sine, self._along)

    def _refuse_enclosed(self) -> None:
        distance = self._at_start(length(self.centre_line))
        difference = ca.fabs(self.radius_q - self.radius_p)
        if not (distance.is_constant() and difference.is_constant()):
            return
        apart, differ = float(distance), float(difference)
        if apart <= differ:
            raise ModelError(
                f"{self.title}: the centres {self.p.name} and {self.q.name} start {apart:g} m "
                f"apart, but the signed radii differ by {differ:g} m: one circle is inside the "
                "other and no straight line touches both; move them apart, or change a radius "
                "or its sign"
            )

    @property
    def normal(self) -> ca.SX:
        """Unit vector e_n to the left of the tangent's direction, from centre to contact point."""
        return ca.vertcat(-self.direction[1], self.direction[0])

    @property
    def taken_p(self) -> ca.SX:
        """Length that circle p has taken up since the start, m."""
        turned = self.p_angle.value - self._at_start(self.p_angle.value)
        return self.radius_p * (turned - self.turn)

    @property
    def taken_q(self) -> ca.SX:
        """Length that circle q has taken up since the start, m."""
        turned = self.q_angle.value - self._at_start(self.q_angle.value)
        return self.radius_q * (self.turn - turned)

    @property
    def elongation_since_start(self) -> ca.SX:
        """ε of [Schwab2002] (3.5), zero at the start."""
        stretch = self.tangent_length - self._at_start(self.tangent_length)
        return stretch + self.taken_p + self.taken_q

    def limits(self) -> dict[str, tuple[ca.SX, str]]:
        """Return the limits: there is a common tangent, and its rotation is counted correctly."""
        apart = length(self.centre_line) - ca.fabs(self.radius_q - self.radius_p)
        where = "its arm" if self.arm is not None else "its start"
        return {
            "apart": (
                apart - TOUCHING * length(self.centre_line),
                "one circle is inside the other and no straight line touches both; keep the "
                "centres apart by more than the difference of the signed radii",
            ),
            "turn": (
                # The cosine of the turn: beyond about 168° the arc tangent is near its jump.
                self._along + 0.98,
                f"the centre line has turned by almost half a turn from {where}; give the element "
                "an arm, an angle that turns with the centre line",
            ),
        }


class Belt(TangentPair):
    """A belt or cable between two pulleys, with its wound parts, [Schwab2002] 3.2.

    Deformations ``elongation`` (m, rigid unless elastic) and ``span`` (m, the length l_ab, free).
    All pairs of Table 3.1: signs of the radii (+, +) upper belt, (-, -) lower belt, unequal:
    crossed. Elements in series, the next one starting at q with the radius of q, make a
    serpentine belt; a radius of zero ends the belt at a point, as with a cable drum.

    The particles of the span are spaced evenly between a and b, so that the kinetic energy is exact
    for any elongation, and mass is conserved while the belt winds; without elongation the mass
    matrix is [Schwab2002] (3.15) + (3.19). The inertia forces follow from it; the printed
    [Schwab2002] (3.16) differs, because it takes ξ of [Schwab2002] (3.9) for a material coordinate
    and neglects that the belt runs through the span.

    An elastic belt relaxes where it is wound. Its energy is that of the free span, whose
    unstretched length is u = l_ab - ε, and the stresses are its derivatives:

        V = EA ε² / (2 u),   N = EA ε / u,   σ_elongation = N + N²/(2 EA),   σ_span = -N²/(2 EA)

    so that energy is conserved while the belt winds under load, unlike with [Schwab2002] (3.8). The
    force on the axles is N; the moment on a pulley differs from r N by the energy of the belt that
    relaxes. The law is linear: a slack belt pushes.

    Parameters
    ----------
    p, q, p_angle, q_angle, arm
        See `TangentPair`.
    radius_p, radius_q : number or expression
        Signed, m: positive where the belt passes on the left of the direction from p to q.
    axial_stiffness : number or expression, optional
        EA, N; by default the belt is inextensible.
    damping : number or expression
        β, s: adds β EA ε̇/u to the tension.
    mass_per_length : number or expression
        ρA of the unstretched belt, kg/m.
    wound_p, wound_q : number or expression
        Unstretched lengths beyond a and b on the pulleys at the start, m. On a pulley shared by two
        elements, let both lengths add up to the arc between them.
    elongation : number or expression
        ε at the start, m, of an elastic belt under tension.

    Raises
    ------
    ModelError
        If a node is spatial, a number out of its range, a pulley is inside the other, belt is
        wound on a radius of zero, or an inextensible belt starts stretched.
    """

    kind = "belt"

    def __init__(
        self,
        name: str,
        p: Point,
        p_angle: Angle,
        q: Point,
        q_angle: Angle,
        *,
        radius_p: Number,
        radius_q: Number,
        arm: Angle | None = None,
        axial_stiffness: Number | None = None,
        damping: Number = 0.0,
        mass_per_length: Number = 0.0,
        wound_p: Number = 0.0,
        wound_q: Number = 0.0,
        elongation: Number = 0.0,
    ) -> None:
        super().__init__(name, p, p_angle, q, q_angle, arm)
        self._draw(
            self.number("radius_p", radius_p, unit="m"), self.number("radius_q", radius_q, unit="m")
        )
        self.axial_stiffness = self.optional("axial_stiffness", axial_stiffness, least=0, unit="N")
        self.damping = self.number("damping", damping, least=0, unit="s")
        self.mass_per_length = ca.SX(
            self.number("mass_per_length", mass_per_length, least=0, unit="kg/m")
        )
        self.start_p = ca.SX(self.number("wound_p", wound_p, least=0, unit="m"))
        self.start_q = ca.SX(self.number("wound_q", wound_q, least=0, unit="m"))
        self.start_elongation = ca.SX(self.number("elongation", elongation, unit="m"))
        ends = ((p, self.radius_p, self.start_p), (q, self.radius_q, self.start_q))
        for end, radius, wound in ends:
            if radius.is_zero() and not wound.is_zero():
                raise ModelError(f"{self.title}: belt is wound on {end.name}, of radius zero")
        if axial_stiffness is None and not self.start_elongation.is_zero():
            raise ModelError(
                f"{self.title}: an inextensible belt cannot start stretched; give axial_stiffness"
            )

    @property
    def _elongation(self) -> ca.SX:
        return self.elongation_since_start + self.start_elongation

    @property
    def wound_on_p(self) -> ca.SX:
        """Unstretched length wound on p, m; on a drum that can run out, require that it is > 0."""
        return self.start_p + self.taken_p

    @property
    def wound_on_q(self) -> ca.SX:
        """Unstretched length wound on q, m."""
        return self.start_q + self.taken_q

    @property
    def tension(self) -> ca.SX:
        """Symbol expression of the tensile force in the span, N, with which it pulls the axles."""
        return self.deformations["elongation"].stress + self.deformations["span"].stress

    def shapes(self) -> list[Shape]:
        """Return the pulleys, and the belt with at most one turn on each."""
        places: list[ca.SX] = [self.p.position, self.q.position]
        found: list[Shape] = []
        for sign, end, angle, radius, wound in self._ends():
            most = 2 * np.pi * ca.fabs(radius)
            turn = sign * ca.fmin(ca.fmax(wound, 0), most) / radius
            arc = [
                end.position + radius * planar_matrix(part * turn) @ self.normal
                for part in np.linspace(0, 1, DRAWN)
            ]
            found.append(disc(end, angle, ca.fabs(radius), colour=COLOURS["bar"]))
            places = [*arc[::-1], *places[1:]] if sign > 0 else [*places[:-1], *arc]
        return [*found, tube(places, 0.6 * THICKNESS, colour=COLOURS["belt"])]

    def strains(self) -> dict[str, Strain]:
        """Return [Schwab2002] (3.5) and (3.6)."""
        return {
            "elongation": Strain(self._elongation, rigid=self.axial_stiffness is None),
            "span": Strain(self.tangent_length, rigid=False),
        }

    def make_quantities(self) -> None:
        """Make the deformations, with the law of an elastic belt."""
        super().make_quantities()
        if self.axial_stiffness is None:
            return
        elongation, span = self.deformations["elongation"], self.deformations["span"]
        unstretched = span.value - elongation.value
        strain = elongation.value / unstretched
        relaxing = self.axial_stiffness * strain**2 / 2
        viscous = self.damping * self.axial_stiffness * elongation.rate / unstretched
        elongation.law(self.axial_stiffness * strain + relaxing + viscous)
        span.law(-relaxing)
        elongation.elastic_energy += relaxing * unstretched

    def kinetic_energy(self) -> ca.SX:
        """Return the energy of span and wound belt.

        Without elongation it is that of [Schwab2002] (3.15) and (3.19).
        """
        if self.mass_per_length.is_zero():
            return ca.SX(0)
        v_p, v_q = self.p.velocity, self.q.velocity
        turning = ca.dot(self.normal, v_q - v_p) / self.tangent_length
        rate_p = self.radius_p * (self.p_angle.rate - turning)
        rate_q = self.radius_q * (turning - self.q_angle.rate)
        unstretched = self.tangent_length - self._elongation
        stretch = self.tangent_length / unstretched
        # Velocities of the span's first and last particle; [Schwab2002] (3.13) where stretch = 1.
        v_a = v_p - (self.radius_p * turning + stretch * rate_p) * self.direction
        v_b = v_q - (self.radius_q * turning - stretch * rate_q) * self.direction
        energy = unstretched * (ca.dot(v_a, v_a) + ca.dot(v_a, v_b) + ca.dot(v_b, v_b)) / 6
        for sign, end, angle, radius, wound in self._ends():
            v, surface = end.velocity, radius * angle.rate
            swing = self._arc(sign, radius, wound)
            energy += wound * (ca.dot(v, v) + surface**2) / 2
            energy -= sign * radius * surface * ca.dot(v, swing)  # [Schwab2002] (3.19)
        return self.mass_per_length * energy

    def first_moment(self) -> ca.SX | None:
        """Return ∫ r dm of span and wound belt."""
        if self.mass_per_length.is_zero():
            return None
        ends = self.p.position + self.q.position + (self.radius_p + self.radius_q) * self.normal
        moment = (self.tangent_length - self._elongation) * ends / 2
        for sign, end, _, radius, wound in self._ends():
            swing = self._arc(sign, radius, wound)
            moment += wound * end.position
            moment += sign * radius**2 * ca.vertcat(-swing[1], swing[0])
        return self.mass_per_length * moment

    def _ends(self) -> list[tuple[int, Point, Angle, ca.SX, ca.SX]]:
        """Pulleys that have a radius: sense of winding, node, angle, radius and wound length."""
        ends = [
            (1, self.p, self.p_angle, self.radius_p, self.wound_on_p),
            (-1, self.q, self.q_angle, self.radius_q, self.wound_on_q),
        ]
        return [end for end in ends if not end[3].is_zero()]

    def _arc(self, sign: int, radius: ca.SX, wound: ca.SX) -> ca.SX:
        """Return (cs, ss) of [Schwab2002] (3.21): the tangent integrated over the wound angle."""
        # By the half angle, in which nothing is divided by the wound angle, which may be zero.
        half = sign * wound / radius / 2
        return 2 * ca.sin(half) * planar_matrix(half) @ self.direction
