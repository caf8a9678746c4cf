"""The planar beam: bending, stretch and inertia of a slender bar that turns with its ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import casadi as ca

from mbcore.elements.beams.beam_limits import are_free, end_limits
from mbcore.elements.beams.beam_strains import Theory, refuse_unknown_theory, reissner_strains
from mbcore.elements.beams.cubic_line import (
    arc_excess,
    bend,
    chord_of_arc,
    cubic_tube,
    line_inertia,
    line_mean,
    section_matrix,
    stretch,
)
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes.node_checks import angles, points
from mbcore.model.nodes.nodes import Angle, Point, Rotation, at_start
from mbcore.model.shapes.shape import Shape
from mbcore.model.statements import Inertia, Limit, Placement, Spin, Strain, length
from mbcore.model.variables import Number


class PlanarBeam(Element):
    """A beam between two points with orientations, [Schwab2002] 4.4 after Besseling.

    Deformations ``elongation``, ``bending_p`` and ``bending_q`` (all m). To first order the
    bending ones are l_0 times the rotation of end p and minus that of end q, relative to the
    chord. All are rigid unless a stiffness makes them flexible or ``release`` frees them; flexible
    ones are dependent and carry Kelvin-Voigt's law, and may be made degrees of freedom.

        ε_1 = |r| - l_0 + (2 ε_2² + ε_2 ε_3 + 2 ε_3²)/(30 l_0),   r = x_q - x_p
        ε_2 = -e_y^p·r,   ε_3 = e_y^q·r

    Parameters
    ----------
    p, q : Point
        The ends, planar.
    p_angle, q_angle : Angle
        Orientations of the cross-sections at the ends.
    axial_stiffness : number or expression, optional
        EA, N; makes the elongation flexible.
    bending_stiffness : number or expression, optional
        EI, N.m2; makes the bending flexible.
    shear_factor : number or expression
        Φ = 12 EI / (k G A l_0²), zero for Euler and Bernoulli's beam.
    damping : number or expression
        β of σ = S (ε + β ε̇), s.
    mass_per_length : number or expression
        ρA, kg/m.
    rotary_inertia : number or expression
        ρI of the cross-section, kg.m.
    elongation : {"arc", "chord"}
        Which line is measured: the elastic line, to second order in the bending, or its chord.
    theory : {"besseling", "reissner"}
        Limit of many short elements where the beam stretches by ε: the bending energy of the texts,
        EI κ² (1 + ε)²/2 per unstrained length, or Reissner's, EI κ²/2; see
        `mbcore.elements.beams.beam_strains`. Without stretch they coincide.
    rest_length : number or expression, optional
        l_0, m; by default the distance of the start configuration.
    direction_p, direction_q : number or expression, optional
        Angle of the beam's axis in the frame of each end, rad; by default such that the beam is
        straight in the start configuration.

    Raises
    ------
    ModelError
        If a node is spatial, the kind of elongation is unknown, the ends start in one place, or a
        number is out of its range.
    """

    kind = "beam"

    def __init__(
        self,
        name: str,
        p: Point,
        p_angle: Angle,
        q: Point,
        q_angle: Angle,
        *,
        axial_stiffness: Number | None = None,
        bending_stiffness: Number | None = None,
        shear_factor: Number = 0.0,
        damping: Number = 0.0,
        mass_per_length: Number = 0.0,
        rotary_inertia: Number = 0.0,
        elongation: Literal["arc", "chord"] = "arc",
        theory: Theory = "besseling",
        rest_length: Number | None = None,
        direction_p: Number | None = None,
        direction_q: Number | None = None,
    ) -> None:
        super().__init__(name)
        points(self.title, planar=True, p=p, q=q)
        angles(self.title, p_angle=p_angle, q_angle=q_angle)
        refuse_unknown_elongation(name, elongation)
        refuse_unknown_theory(name, theory)
        self.p, self.p_angle, self.q, self.q_angle = p, p_angle, q, q_angle
        self.axial_stiffness = self.optional("axial_stiffness", axial_stiffness, least=0, unit="N")
        self.bending_stiffness = self.optional(
            "bending_stiffness", bending_stiffness, least=0, unit="N.m2"
        )
        self.shear_factor = self.number("shear_factor", shear_factor, least=0)
        self.damping = self.number("damping", damping, least=0, unit="s")
        self.mass_per_length = self.number("mass_per_length", mass_per_length, least=0, unit="kg/m")
        self.rotary_inertia = self.number("rotary_inertia", rotary_inertia, least=0, unit="kg.m")
        rest_length = self.optional("rest_length", rest_length, above=0, unit="m")
        direction_p = self.optional("direction_p", direction_p, unit="rad")
        direction_q = self.optional("direction_q", direction_q, unit="rad")
        self.arc, self.theory = elongation == "arc", theory
        if None in (rest_length, direction_p, direction_q):
            refuse_no_distance(name, p, q)
        self.rest_length = at_start(self._span(), p, q) if rest_length is None else rest_length
        straight = direction_p is None and direction_q is None
        self.direction_p = self._straight(p_angle) if direction_p is None else direction_p
        self.direction_q = self._straight(q_angle) if direction_q is None else direction_q
        self._one_section = p_angle is q_angle and (
            straight or ca.SX(self.direction_p - self.direction_q).is_zero()
        )

    def _straight(self, end: Angle) -> ca.SX:
        r = self.q.position - self.p.position
        return at_start(ca.atan2(r[1], r[0]) - end.value, self.p, self.q, end)

    def _span(self) -> ca.SX:
        return length(self.q.position - self.p.position)

    def _axes(self, end: Angle, direction: Number) -> tuple[ca.SX, ca.SX]:
        """Unit vectors e_x and e_y that turn with an end."""
        angle = end.value + direction
        cosine, sine = ca.cos(angle), ca.sin(angle)
        return ca.vertcat(cosine, sine), ca.vertcat(-sine, cosine)

    def strains(self) -> dict[str, Strain]:
        """Return ε̄_1 (or ε_1), ε_2 = -e_yᵖ·r and ε_3 = e_y^q·r; or those of Reissner's beam."""
        r = self.q.position - self.p.position
        bending_p = -ca.dot(self._axes(self.p_angle, self.direction_p)[1], r)
        bending_q = ca.dot(self._axes(self.q_angle, self.direction_q)[1], r)
        l_0 = self.rest_length
        if self.theory == "reissner":
            elongation, [(bending_p, bending_q)] = reissner_strains(
                r, [(bending_p, bending_q)], l_0, [self.shear_factor], self.arc
            )
        else:
            elongation = length(r) - l_0
            if self.arc:
                elongation += arc_excess(bending_p, bending_q, l_0)
        stiff = self.bending_stiffness is None
        return {
            "elongation": Strain(elongation, rigid=self.axial_stiffness is None),
            "bending_p": Strain(bending_p, rigid=stiff),
            "bending_q": Strain(bending_q, rigid=stiff),
        }

    def placements(self) -> list[Placement]:
        """Return each point by the other one and an end that is not bent, and angles by angles."""
        found = [*self._points_by_end("p"), *self._points_by_end("q")]
        return found if self.p_angle is self.q_angle else [*found, *self._angles_by_angles()]

    def _points_by_end(self, near: str) -> list[Placement]:
        """Each point by the other one and an end where the beam is not bent."""
        ends = {"p": (self.p_angle, self.direction_p), "q": (self.q_angle, self.direction_q)}
        far = "q" if near == "p" else "p"
        strains, others = ("elongation", f"bending_{near}"), [ends[near][0]]
        zero = strains[1:] if self._one_section else self._zero(strains[1:])
        bending, far_bending = (self.deformations[f"bending_{end}"] for end in (near, far))
        e_x, e_y = self._axes(*ends[near])
        if near == "p":  # [Schwab2002] 4.4: ε_2 = -e_yᵖ·r and ε_3 = e_y^q·r, read backwards
            e_y = -e_y
        span = self.rest_length + self.elongation.value
        if self.arc and not self._one_section:
            if far_bending.is_zero:
                zero = tuple(dict.fromkeys((*zero, f"bending_{far}")))
            else:
                others.append(ends[far][0])
                far_y = self._axes(*ends[far])[1]
                far_y = -far_y if far == "p" else far_y
                turned = (bending.value, ca.dot(far_y, e_x), bending.value * ca.dot(far_y, e_y))
                span = chord_of_arc(span, self.rest_length, [turned])
        arm = span * e_x + bending.value * e_y
        return [
            Placement(self.q, (self.p, *others), self.p.position + arm, strains, zero),
            Placement(self.p, (self.q, *others), self.q.position - arm, strains, zero),
        ]

    def _angles_by_angles(self) -> list[Placement]:
        """Each angle by the other one, where the beam is not stretched, nor bent at that one."""
        p, q = self.bending_p, self.bending_q
        span = self.rest_length + self.elongation.value
        if self.arc:
            span -= arc_excess(p.value, q.value, self.rest_length)
        turned = self._axis_between() - ca.asin(p.value / span) - ca.asin(q.value / span)
        p_value, q_value = self.p_angle.value, self.q_angle.value
        zero_p, zero_q = (self._zero(("elongation", f"bending_{end}")) for end in "pq")
        return [
            Placement(self.q_angle, (self.p_angle,), p_value + turned, ("bending_q",), zero_p),
            Placement(self.p_angle, (self.q_angle,), q_value - turned, ("bending_p",), zero_q),
        ]

    def _zero(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return strains that must be zero: all after Reissner, for there each holds the others."""
        return tuple(self.deformations) if self.theory == "reissner" else names

    def _axis_between(self) -> ca.SX:
        """Angle of end q less that of end p in a straight beam, with the turns of the start."""
        between = ca.SX(self.direction_p - self.direction_q)
        start = at_start(self.q_angle.value - self.p_angle.value, self.p_angle, self.q_angle)
        turns = ca.floor((start - between) / (2 * ca.pi) + 0.5)
        return between if turns.is_zero() else between + 2 * ca.pi * turns

    def shapes(self) -> list[Shape]:
        """Return the cubic line."""
        e_x_p = self._axes(self.p_angle, self.direction_p)[0]
        e_x_q = self._axes(self.q_angle, self.direction_q)[0]
        return [cubic_tube(self.p, e_x_p, self.q, e_x_q, self.rest_length)]

    def ends(self) -> list[tuple[Point, Angle | Rotation | None]]:
        """Return both ends with their sections."""
        return [(self.p, self.p_angle), (self.q, self.q_angle)]

    def make_quantities(self) -> None:
        """Make the deformations, the flexible ones with their laws."""
        super().make_quantities()
        stretch(self.elongation, self.axial_stiffness, self.rest_length, self.damping)
        if self.bending_stiffness is not None:
            bend(
                (self.bending_p, self.bending_q),
                self.bending_stiffness / self.rest_length**3,
                self.shear_factor,
                self.damping,
            )

    def limits(self) -> dict[str, Limit]:
        """Return limits of the rotations to the chord: 20° give a warning, 35° an error."""
        r = self.q.position - self.p.position
        arc = self.arc and self.theory == "besseling"  # else the stretch does not change the moment
        # Its mass, its arc and Reissner's strains depend on the rotations of both ends.
        inertias = (self.mass_per_length, self.rotary_inertia)
        massless = all(ca.SX(value).is_zero() for value in inertias)
        link = massless and not self.arc and self.theory == "besseling"
        found: dict[str, Limit] = {}
        ends = {"p": (self.p_angle, self.direction_p), "q": (self.q_angle, self.direction_q)}
        for end, (angle, direction) in ends.items():
            if not (link and are_free([self.deformations[f"bending_{end}"]])):
                found |= end_limits(self._axes(angle, direction)[0], r, end, arc)
        return found

    def inertias(self) -> list[Inertia | Spin]:
        """Return ρA of the cubic line, and ρI of the sections."""
        e_y_p = self._axes(self.p_angle, self.direction_p)[1]
        e_y_q = self._axes(self.q_angle, self.direction_q)[1]
        found: list[Inertia | Spin] = []
        if not ca.SX(self.mass_per_length).is_zero():
            turning = [(self.p_angle.rate, e_y_p), (self.q_angle.rate, e_y_q)]
            found += self._line(turning[:1] if self._one_section else turning)
        if not ca.SX(self.rotary_inertia).is_zero():
            r, v = self.q.position - self.p.position, self.q.velocity - self.p.velocity
            # Angular velocity of the chord.
            chord_rate = (r[0] * v[1] - r[1] * v[0]) / ca.dot(r, r)
            rates = ca.vertcat(chord_rate, self.p_angle.rate, self.q_angle.rate)
            inertia = self.rotary_inertia * self.rest_length
            found.append(Inertia(rates, inertia * section_matrix(self.shear_factor)))
        return found

    def _line(self, turning: Sequence[tuple[ca.SX, ca.SX]]) -> list[Inertia | Spin]:
        """Inertia of the cubic line, by rates and directions e_y of its one or two sections."""
        mass, l_0 = self.mass_per_length * self.rest_length, self.rest_length
        arms = [l_0 * rate * e_y for rate, e_y in turning]
        line, own = line_inertia(mass, self.p.velocity, self.q.velocity, arms)
        rates = ca.vertcat(*(l_0 * rate for rate, _ in turning))
        return [line, Inertia(rates, ca.diag(ca.vertcat(*own)))]

    def first_moment(self) -> ca.SX:
        """Return ρA l_0 ∫ r dξ of the cubic line."""
        if self._one_section:
            return self.mass_per_length * self.rest_length * (self.p.position + self.q.position) / 2
        e_x_p = self._axes(self.p_angle, self.direction_p)[0]
        e_x_q = self._axes(self.q_angle, self.direction_q)[0]
        line = line_mean(
            self.p.position, self.rest_length * e_x_p, self.q.position, self.rest_length * e_x_q
        )
        return self.mass_per_length * self.rest_length * line


def refuse_unknown_elongation(name: str, kind: str) -> None:
    """Raise a ModelError unless ``kind`` is one of the two elongations."""
    if kind not in ("arc", "chord"):
        raise ModelError(f'beam {name}: elongation is "arc" or "chord", got {kind!r}')


def refuse_no_distance(name: str, p: Point, q: Point) -> None:
    """Raise a ModelError if both ends are known to start at the same point."""
    start = at_start(length(q.position - p.position), p, q)
    if start.is_constant() and float(start) == 0:
        raise ModelError(
            f"beam {name}: {p.name} and {q.name} start in one place; move one of them, or give "
            "the rest length and the directions"
        )
