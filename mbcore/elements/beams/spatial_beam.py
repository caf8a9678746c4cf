"""The spatial beam: stretch, torsion, bending in two planes and inertia of a slender bar."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import casadi as ca

from mbcore.elements.beams.beam import refuse_no_distance, refuse_unknown_elongation
from mbcore.elements.beams.beam_limits import are_free, end_limits, twist_limits
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
from mbcore.elements.beams.section_spin import (
    BENDING,
    SPINS,
    SectionSpin,
    bending_spins,
    refuse_unknown_spin,
)
from mbcore.model import checks
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes import rotations as quaternions
from mbcore.model.nodes.node_checks import points, rotations
from mbcore.model.nodes.nodes import Angle, Point, Rotation, at_start
from mbcore.model.shapes.shape import Shape
from mbcore.model.statements import (
    AxialSpin,
    InertiaPart,
    Limit,
    Placement,
    QuasiInertia,
    Spin,
    Strain,
    length,
)
from mbcore.model.variables import Number


class SpatialBeam(Element):
    """A beam between two points with orientations in space, [Schwab2002] 4.4 after Besseling.

    Deformations (all m) ``elongation``; ``torsion``, l_0 times the angle of twist; ``bending_y_p``,
    ``bending_y_q`` about the beam's y axis and ``bending_z_p``, ``bending_z_q`` about its z axis.
    To first order the bending ones are minus l_0 times the rotation of end p, and l_0 times that
    of end q, relative to the chord. All are rigid unless a stiffness makes them flexible or
    ``release`` frees them; flexible ones are dependent and carry Kelvin-Voigt's law, and may be
    made degrees of freedom.

        ε_1 = |r| - l_0 + (2 ε_3² + ε_3 ε_4 + 2 ε_4² + 2 ε_5² + ε_5 ε_6 + 2 ε_6²)/(30 l_0)
        ε_2 = l_0 (e_z^p·e_y^q - e_y^p·e_z^q)/2 + (ε_4 ε_5 - ε_3 ε_6)/l_0,   r = x_q - x_p
        ε_3 = -e_z^p·r,   ε_4 = e_z^q·r,   ε_5 = e_y^p·r,   ε_6 = -e_y^q·r

    The axis runs from p to q. The beam is straight and untwisted in the start configuration.

    Parameters
    ----------
    p, q : Point
        The ends, in space.
    p_rotation, q_rotation : Rotation
        Orientations of the cross-sections at the ends.
    y_axis : sequence of three
        Global direction of the beam's y axis at the start; its part along the beam is dropped.
    axial_stiffness : number or expression, optional
        EA, N; makes the elongation flexible.
    torsional_stiffness : number or expression, optional
        G I_t, N.m2; makes the torsion flexible.
    bending_stiffness_y, bending_stiffness_z : number or expression, optional
        E I_y and E I_z, N.m2; make the bending about that axis flexible.
    shear_factor_y, shear_factor_z : number or expression
        Φ = 12 EI / (k G A l_0²) of the bending about that axis.
    damping : number or expression
        β of σ = S (ε + β ε̇), s.
    mass_per_length : number or expression
        ρA, kg/m.
    polar_inertia : number or expression
        ρ I_p about the axis, kg.m; a beam with mass needs it, for the cubic line alone has no
        inertia about its own axis.
    rotary_inertia_y, rotary_inertia_z : number or expression
        ρ I_y and ρ I_z of the cross-section, kg.m.
    elongation : {"arc", "chord"}
        Which line is measured: the elastic line, to second order in the bending, or its chord.
    theory : {"besseling", "reissner"}
        Limit of many short elements where the beam stretches, as for `PlanarBeam`.
    spin : {"linear", "consistent"}
        How sections spin about their normals between the ends: interpolated from the ends, or with
        the part due to bending, which gives the consistent gyroscopic matrix of a fast shaft; see
        `mbcore.elements.beams.section_spin`.
    rest_length : number or expression, optional
        l_0, m; by default the distance of the start configuration.

    Raises
    ------
    ModelError
        If a node is planar, a number out of its range, the kind of elongation, theory or spin
        unknown, the ends start in one place, the y axis runs along the beam, or a beam with mass
        has no polar inertia.
    """

    kind = "beam"

    def __init__(
        self,
        name: str,
        p: Point,
        p_rotation: Rotation,
        q: Point,
        q_rotation: Rotation,
        *,
        y_axis: Sequence[Number] = (0, 1, 0),
        axial_stiffness: Number | None = None,
        torsional_stiffness: Number | None = None,
        bending_stiffness_y: Number | None = None,
        bending_stiffness_z: Number | None = None,
        shear_factor_y: Number = 0.0,
        shear_factor_z: Number = 0.0,
        damping: Number = 0.0,
        mass_per_length: Number = 0.0,
        polar_inertia: Number = 0.0,
        rotary_inertia_y: Number = 0.0,
        rotary_inertia_z: Number = 0.0,
        elongation: Literal["arc", "chord"] = "arc",
        theory: Theory = "besseling",
        spin: SectionSpin = "linear",
        rest_length: Number | None = None,
    ) -> None:
        super().__init__(name)
        points(self.title, planar=False, p=p, q=q)
        rotations(self.title, p_rotation=p_rotation, q_rotation=q_rotation)
        refuse_unknown_elongation(name, elongation)
        refuse_unknown_theory(name, theory)
        refuse_unknown_spin(name, spin)
        refuse_no_distance(name, p, q)
        self.p, self.p_rotation, self.q, self.q_rotation = p, p_rotation, q, q_rotation
        number, optional = partial(self.number, least=0), partial(self.optional, least=0)
        self.axial_stiffness = optional("axial_stiffness", axial_stiffness, unit="N")
        self.torsional_stiffness = optional("torsional_stiffness", torsional_stiffness, unit="N.m2")
        self.bending_stiffness = {
            "y": optional("bending_stiffness_y", bending_stiffness_y, unit="N.m2"),
            "z": optional("bending_stiffness_z", bending_stiffness_z, unit="N.m2"),
        }
        self.shear_factor = {
            "y": number("shear_factor_y", shear_factor_y),
            "z": number("shear_factor_z", shear_factor_z),
        }
        self.damping, self.arc = number("damping", damping, unit="s"), elongation == "arc"
        self.theory, self.spin = theory, spin
        self.mass_per_length = number("mass_per_length", mass_per_length, unit="kg/m")
        self.polar_inertia = number("polar_inertia", polar_inertia, unit="kg.m")
        self.rotary_inertia = {
            "y": number("rotary_inertia_y", rotary_inertia_y, unit="kg.m"),
            "z": number("rotary_inertia_z", rotary_inertia_z, unit="kg.m"),
        }
        if not ca.SX(self.mass_per_length).is_zero() and ca.SX(self.polar_inertia).is_zero():
            raise ModelError(f"beam {name}: a beam with mass needs its polar_inertia, kg.m")
        self.rest_length = at_start(length(self._chord()), p, q)
        axes = self._start_axes(y_axis)
        if rest_length is not None:
            self.rest_length = ca.SX(self.number("rest_length", rest_length, above=0, unit="m"))
        self.axes_p = at_start(p_rotation.matrix.T, p_rotation) @ axes
        self.axes_q = at_start(q_rotation.matrix.T, q_rotation) @ axes

    @property
    def _one_section(self) -> bool:
        """Whether both ends turn alike."""
        return self.p_rotation is self.q_rotation

    def _chord(self) -> ca.SX:
        return self.q.position - self.p.position

    def _start_axes(self, y_axis: Sequence[Number]) -> ca.SX:
        """Columns e_x, e_y, e_z on inertial axes in the start configuration, (3, 3)."""
        e_x = at_start(self._chord(), self.p, self.q) / self.rest_length
        across = ca.cross(e_x, checks.vector(self.title, "y_axis", y_axis, 3, "(0, 1, 0)"))
        if across.is_constant() and float(length(across)) < 1e-9:
            raise ModelError(
                f"beam {self.name}: its y_axis {tuple(y_axis)} runs along the beam; "
                "give a direction across it"
            )
        e_z = across / length(across)
        return ca.horzcat(e_x, ca.cross(e_z, e_x), e_z)

    def strains(self) -> dict[str, Strain]:
        """Return ε̄_1 (or ε_1), ε̄_2 and ε_3 to ε_6."""
        r = self._chord()
        _, e_y_p, e_z_p = ca.horzsplit(self.p_rotation.matrix @ self.axes_p)
        _, e_y_q, e_z_q = ca.horzsplit(self.q_rotation.matrix @ self.axes_q)
        y_p, y_q = -ca.dot(e_z_p, r), ca.dot(e_z_q, r)
        z_p, z_q = ca.dot(e_y_p, r), -ca.dot(e_y_q, r)
        l_0 = self.rest_length
        if self.theory == "reissner":
            factors = [self.shear_factor[axis] for axis in "yz"]
            elongation, [(y_p, y_q), (z_p, z_q)] = reissner_strains(
                r, [(y_p, y_q), (z_p, z_q)], l_0, factors, self.arc
            )
        else:
            elongation = length(r) - l_0
            if self.arc:
                elongation += arc_excess(y_p, y_q, l_0) + arc_excess(z_p, z_q, l_0)
        torsion = self.rest_length * (ca.dot(e_z_p, e_y_q) - ca.dot(e_y_p, e_z_q)) / 2
        # ε̄_2: bending in both planes turns the sections about the axis, to second order.
        torsion += (y_q * z_p - y_p * z_q) / self.rest_length
        stiff = {axis: value is None for axis, value in self.bending_stiffness.items()}
        return {
            "elongation": Strain(elongation, rigid=self.axial_stiffness is None),
            "torsion": Strain(torsion, rigid=self.torsional_stiffness is None),
            "bending_y_p": Strain(y_p, rigid=stiff["y"]),
            "bending_y_q": Strain(y_q, rigid=stiff["y"]),
            "bending_z_p": Strain(z_p, rigid=stiff["z"]),
            "bending_z_q": Strain(z_q, rigid=stiff["z"]),
        }

    def placements(self) -> list[Placement]:
        """Return each point by the other one and an end that is not bent, and rotations."""
        found = [*self._points_by_end("p"), *self._points_by_end("q")]
        return found if self._one_section else [*found, *self._rotations_by_rotations()]

    def _points_by_end(self, near: str) -> list[Placement]:
        """Each point by the other one and an end where the beam is not bent."""
        ends = {"p": (self.p_rotation, self.axes_p), "q": (self.q_rotation, self.axes_q)}
        far = "q" if near == "p" else "p"
        rotation, axes = ends[near]
        y, z = (self.deformations[f"bending_{axis}_{near}"] for axis in "yz")
        strains, others = ("elongation", f"bending_y_{near}", f"bending_z_{near}"), [rotation]
        zero: tuple[str, ...] = strains[1:]
        e_x, e_y, e_z = (rotation.turned(axes[:, i]) for i in range(3))
        # Read backwards: ε_y = -e_zᵖ·r or e_z^q·r, and ε_z = e_yᵖ·r or -e_y^q·r.
        e_y, e_z = (e_y, -e_z) if near == "p" else (-e_y, e_z)
        across = y.value * e_z + z.value * e_y
        span = self.rest_length + self.elongation.value
        if self.theory == "reissner" and not self._one_section:
            zero = tuple(name for name in self.deformations if name != "torsion")
        elif self.arc and not self._one_section:
            bent = tuple(f"bending_{axis}_{far}" for axis in "yz")
            if all(self.deformations[name].is_zero for name in bent):
                zero += bent
            else:
                other, far_axes = ends[far]
                others.append(other)
                far_y, far_z = (other.turned(far_axes[:, i]) for i in (1, 2))
                far_y, far_z = (-far_y, far_z) if far == "q" else (far_y, -far_z)
                planes = [
                    (strain.value, ca.dot(towards, e_x), ca.dot(towards, across))
                    for strain, towards in ((y, far_z), (z, far_y))
                ]
                span = chord_of_arc(span, self.rest_length, planes)
        arm = span * e_x + across
        return [
            Placement(self.q, (self.p, *others), self.p.position + arm, strains, zero),
            Placement(self.p, (self.q, *others), self.q.position - arm, strains, zero),
        ]

    def _rotations_by_rotations(self) -> list[Placement]:
        """Each rotation by the other one, where the beam is straight and not twisted."""
        p, q, l_0 = self.p_rotation, self.q_rotation, self.rest_length
        relative = quaternions.product(quaternions.adjoint(p.start), q.start)
        relative /= ca.norm_2(relative)
        rates = {name: strain.rate for name, strain in self.deformations.items()}
        turning = ca.SX(3, 1)
        for i, rate in enumerate(
            (
                rates["torsion"],
                rates["bending_y_p"] + rates["bending_y_q"],
                rates["bending_z_p"] + rates["bending_z_q"],
            )
        ):
            turning += p.turned(self.axes_p[:, i]) * rate / l_0
        there = quaternions.product(p.coordinates, relative)
        back = quaternions.product(q.coordinates, quaternions.adjoint(relative))
        zero = tuple(self.deformations)
        return [
            Placement(
                q, (p,), there, ("torsion", "bending_y_q", "bending_z_q"), zero, p.speeds + turning
            ),
            Placement(
                p, (q,), back, ("torsion", "bending_y_p", "bending_z_p"), zero, q.speeds - turning
            ),
        ]

    def shapes(self) -> list[Shape]:
        """Return the cubic line."""
        e_x_p = self.p_rotation.matrix @ self.axes_p[:, 0]
        e_x_q = self.q_rotation.matrix @ self.axes_q[:, 0]
        return [cubic_tube(self.p, e_x_p, self.q, e_x_q, self.rest_length)]

    def ends(self) -> list[tuple[Point, Angle | Rotation | None]]:
        """Return both ends with their sections."""
        return [(self.p, self.p_rotation), (self.q, self.q_rotation)]

    def make_quantities(self) -> None:
        """Make the deformations, the flexible ones with their laws."""
        super().make_quantities()
        stretch(self.elongation, self.axial_stiffness, self.rest_length, self.damping)
        cube = self.rest_length**3
        if self.torsional_stiffness is not None:
            stiffness = self.torsional_stiffness / cube
            self.torsion.spring(stiffness, self.damping * stiffness)
        for axis, flexural in self.bending_stiffness.items():
            if flexural is not None:
                pair = [self.deformations[f"bending_{axis}_{end}"] for end in "pq"]
                bend(pair, flexural / cube, self.shear_factor[axis], self.damping)

    def limits(self) -> dict[str, Limit]:
        """Return limits of rotations and of twist: 20° give a warning, 35° an error."""
        r = self._chord()
        p, q = self.p_rotation.matrix @ self.axes_p, self.q_rotation.matrix @ self.axes_q
        arc = self.arc and self.theory == "besseling"  # else the stretch does not change the moment
        # Its mass, its arc and Reissner's strains depend on the rotations of both ends.
        link = self._massless and not self.arc and self.theory == "besseling"
        ends = {"p": p, "q": q}
        turning = {end: ("torsion", f"bending_y_{end}", f"bending_z_{end}") for end in ends}
        free = [
            end
            for end, names in turning.items()
            if link and are_free(self.deformations[name] for name in names)
        ]
        found: dict[str, Limit] = {}
        for end, axes in ends.items():
            if end not in free:
                found |= end_limits(axes[:, 0], r, end, arc)
        return found if free else found | twist_limits(p, q)

    def inertias(self) -> list[InertiaPart]:
        """Return ρA of the cubic line, ρI_p of the spinning sections and ρI of the tilting ones."""
        if self._massless:
            return []
        sections = [(self.p_rotation, self.axes_p[:, 0]), (self.q_rotation, self.axes_q[:, 0])]
        spins = self.polar_inertia * self.rest_length * SPINS
        if self._one_section:
            sections, spins = sections[:1], ca.sum1(ca.sum2(spins))
        found, own = self._line(sections)
        rotations, axes = zip(*sections, strict=True)
        found.append(AxialSpin(rotations, axes, spins - ca.diag(own)))
        return [*found, *self._sections()]

    @property
    def _massless(self) -> bool:
        """Whether nothing of it has inertia."""
        given = (self.mass_per_length, self.polar_inertia, *self.rotary_inertia.values())
        return all(ca.SX(value).is_zero() for value in given)

    def _line(self, sections: list[tuple[Rotation, ca.SX]]) -> tuple[list[InertiaPart], ca.SX]:
        """Inertia of the cubic line, by rotations and e_x of its one or two sections.

        An arm turns as a thin rod does, (ω × e)·(ω × e) = ω·ω - (ω·e)²: the moments of the last
        terms are left to the spins, shape (1, 1) or (2, 1), kg.m2.
        """
        mass, l_0 = self.mass_per_length * self.rest_length, self.rest_length
        arms = [l_0 * ca.cross(rotation.speeds, rotation.turned(e)) for rotation, e in sections]
        line, own = line_inertia(mass, self.p.velocity, self.q.velocity, arms)
        moments = [share * l_0**2 for share in own]
        tensors = [moment * ca.SX.eye(3) for moment in moments]
        turning = [Spin(r, tensor) for (r, _), tensor in zip(sections, tensors, strict=True)]
        return [line, *turning], ca.vertcat(*moments)

    def _sections(self) -> list[InertiaPart]:
        """Inertia of the tilting sections, and what bending does to their spin."""
        matrix_p, matrix_q = self.p_rotation.matrix, self.q_rotation.matrix
        omega_p, omega_q = self.p_rotation.speeds, self.q_rotation.speeds
        r, tilting = self._chord(), []
        chord_rate = ca.cross(r, self.q.velocity - self.p.velocity) / ca.dot(r, r)
        found: list[InertiaPart] = []
        for i, axis in enumerate("yz", 1):
            e_p, e_q = matrix_p @ self.axes_p[:, i], matrix_q @ self.axes_q[:, i]
            rates = [
                ca.dot(chord_rate, (e_p + e_q) / 2),
                ca.dot(omega_p, e_p),
                ca.dot(omega_q, e_q),
            ]
            inertia = self.rotary_inertia[axis] * self.rest_length
            if not ca.SX(inertia).is_zero():
                matrix = inertia * section_matrix(self.shear_factor[axis])
                found.append(QuasiInertia(ca.vertcat(*rates), matrix))
            tilting.append(rates)
        if self.spin == "consistent":
            e_p, e_q = matrix_p @ self.axes_p[:, 0], matrix_q @ self.axes_q[:, 0]
            factors = [self.shear_factor[axis] for axis in "yz"]
            bent = bending_spins(tilting, self._turned(), factors)
            spins = ca.vertcat(ca.dot(omega_p, e_p), ca.dot(omega_q, e_q), *bent)
            inertia = self.polar_inertia * self.rest_length
            found.append(QuasiInertia(spins, inertia * BENDING))
        return found

    def _turned(self) -> list[tuple[ca.SX, ca.SX]]:
        """Rotations of both ends relative to the chord, about y and about z, to first order."""
        l_0 = self.rest_length
        strains = self.strains()
        pairs = [[strains[f"bending_{axis}_{end}"].expression for end in "pq"] for axis in "yz"]
        return [(-p / l_0, q / l_0) for p, q in pairs]

    def first_moment(self) -> ca.SX:
        """Return ρA l_0 ∫ r dξ of the cubic line."""
        line = line_mean(
            self.p.position,
            self.rest_length * (self.p_rotation.matrix @ self.axes_p[:, 0]),
            self.q.position,
            self.rest_length * (self.q_rotation.matrix @ self.axes_q[:, 0]),
        )
        return self.mass_per_length * self.rest_length * line
