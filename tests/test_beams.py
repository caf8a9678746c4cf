"""The beams against classical beam theory, the elastica and published results.

All at the level of the elements, by their strains, laws and kinetic energy; the last tests go
through a model.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
import pytest
import scipy.linalg
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation as Turn

from mbcore import ModelError, equilibrium
from mbcore.elements import PlanarBeam, SpatialBeam
from mbcore.elements.beam import section_matrix
from mbcore.elements.section_spin import Spin, mean_square, section_rates
from mbcore.equations.model import Model
from mbcore.model import rotations
from mbcore.model.element import Element
from mbcore.model.nodes import Angle, Node, Point, Rotation, at_start, in_coordinates
from mbcore.model.quantities import Deformation, Role


class Structure:
    """Beams that hang together, with what classical structural mechanics asks of them."""

    def __init__(self, nodes: Sequence[Node], elements: Sequence[Element]) -> None:
        self.nodes, self.elements = nodes, elements
        self.x = ca.vertcat(*(node.coordinates for node in nodes))
        self.v = ca.vertcat(*(node.velocities for node in nodes))
        self.start = np.array(ca.DM(ca.vertcat(*(node.start for node in nodes)))).ravel()
        for element in elements:
            element.make_quantities()
        self.deformations = [d for e in elements for d in e.deformations.values()]
        self.rigid = [d for d in self.deformations if d.role is Role.RIGID]
        self.free = [d for d in self.deformations if d.role is Role.DEPENDENT]

    def plain(self, expression: ca.SX) -> ca.SX:
        """Write a formula in coordinates and their velocities alone."""
        return in_coordinates(ca.SX(expression), *self.nodes)

    def strains(self, deformations: Sequence[Deformation]) -> ca.SX:
        return self.plain(ca.vertcat(*(d.expression for d in deformations)))

    def kinetic_energy(self) -> ca.SX:
        return self.plain(sum((e.kinetic_energy() for e in self.elements), ca.SX(0)))

    def numbers(self, expression: ca.SX, x: np.ndarray | None = None) -> np.ndarray:
        f = ca.Function("f", [self.x], [self.plain(expression)])
        return np.array(f(self.start if x is None else x))

    def tangents(self) -> np.ndarray:
        """Columns: displacements of the points and small rotations, on inertial axes."""
        blocks = []
        for node in self.nodes:
            if not isinstance(node, Rotation):
                blocks.append(np.eye(node.coordinates.numel()))
                continue
            e0, e1, e2, e3 = np.array(ca.DM(node.start)).ravel()  # half of (0, θ)∘e
            rows = [[-e1, -e2, -e3], [e0, e3, -e2], [-e3, e0, e1], [e2, -e1, e0]]
            blocks.append(np.array(rows) / 2)
        return scipy.linalg.block_diag(*blocks)

    def stiffness(self) -> np.ndarray:
        """Return Bᵀ S B of the start configuration, the law's S and the strains' B."""
        laws = ca.vertcat(*(sum(d.laws, ca.SX(0)) for d in self.free))
        values = ca.vertcat(*(d.value for d in self.free))
        S = np.array(ca.DM(ca.jacobian(laws, values)))
        B = self.numbers(ca.jacobian(self.strains(self.free), self.x))
        return self.tangents().T @ B.T @ S @ B @ self.tangents()

    def mass(self) -> np.ndarray:
        M = self.numbers(ca.hessian(self.kinetic_energy(), self.v)[0])
        return self.tangents().T @ M @ self.tangents()

    def constraints(self) -> np.ndarray:
        C = ca.jacobian(self.strains(self.rigid), self.x)
        return self.numbers(C) @ self.tangents()

    def frequencies(self, fixed: Sequence[int]) -> np.ndarray:
        """Natural frequencies, rad/s, with some tangent directions fixed."""
        n = self.tangents().shape[1]
        C = np.eye(n)[list(fixed)]
        if self.rigid:
            C = np.vstack([C, self.constraints()])
        Z = scipy.linalg.null_space(C)
        squares = scipy.linalg.eigh(Z.T @ self.stiffness() @ Z, Z.T @ self.mass() @ Z)[0]
        return np.sqrt(squares)

    def energy(self) -> ca.SX:
        elastic = sum((d.elastic_energy for d in self.deformations), ca.SX(0))
        values = ca.vertcat(*(d.value for d in self.deformations))
        return ca.substitute(elastic, values, self.strains(self.deformations))

    def deflect(self, fixed: Sequence[Node], work: ca.SX, steps: int = 50) -> np.ndarray:
        """Minimize the potential energy, by Newton's method with multipliers."""
        conditions = [self.plain(d.expression) for d in self.rigid]
        for node in self.nodes:
            if node in fixed:
                conditions.append(node.coordinates - node.start)
            else:
                conditions += [c.expression for c in node.conditions()]
        c = ca.vertcat(*conditions)
        mu, factor = ca.SX.sym("mu", c.numel()), ca.SX.sym("factor")
        z = ca.vertcat(self.x, mu)
        lagrangian = self.energy() - factor * work + ca.dot(mu, c)
        hessian, gradient = ca.hessian(lagrangian, z)
        newton = ca.Function("newton", [z, factor], [hessian, gradient])
        found = np.r_[self.start, np.zeros(c.numel())]
        for k in range(1, steps + 1):
            for _ in range(30):
                H, g = newton(found, k / steps)
                step = np.linalg.solve(np.array(H), np.array(g).ravel())
                found = found - step
                if np.abs(step).max() < 1e-10 * np.abs(found).max():
                    break
            else:
                raise AssertionError("no equilibrium found")
        return found[: self.start.size]


def planar_chain(n: int, length: float, direction: float = 0.0, **data: object) -> Structure:
    along = length * np.array([np.cos(direction), np.sin(direction)])
    points = [Point(f"p{i}", tuple(along * i / n)) for i in range(n + 1)]
    angles = [Angle(f"a{i}", 0.1 * i) for i in range(n + 1)]
    beams = [
        PlanarBeam(f"b{i}", points[i], angles[i], points[i + 1], angles[i + 1], **data)  # type: ignore[arg-type]
        for i in range(n)
    ]
    return Structure([node for pair in zip(points, angles, strict=True) for node in pair], beams)


def spatial_chain(places: np.ndarray, **data: object) -> Structure:
    points = [Point(f"p{i}", tuple(place)) for i, place in enumerate(places)]
    turns = [Rotation(f"e{i}") for i in range(len(places))]
    beams = [
        SpatialBeam(f"b{i}", points[i], turns[i], points[i + 1], turns[i + 1], **data)  # type: ignore[arg-type]
        for i in range(len(places) - 1)
    ]
    return Structure([node for pair in zip(points, turns, strict=True) for node in pair], beams)


# Small deflections


@pytest.mark.parametrize("shear_factor", [0.0, 0.8])
def test_planar_cantilever_has_the_classical_compliance(shear_factor: float) -> None:
    l, EA, EI, angle = 1.7, 300.0, 12.0, 0.9  # noqa: E741
    beam = planar_chain(
        1, l, angle, axial_stiffness=EA, bending_stiffness=EI, shear_factor=shear_factor
    )
    compliance = np.linalg.inv(beam.stiffness()[3:, 3:])
    deflection = l**3 / (3 * EI) + shear_factor * l**3 / (12 * EI)  # Φ = 12 EI / (k G A l²)
    classical = np.array(
        [[l / EA, 0, 0], [0, deflection, l**2 / (2 * EI)], [0, l**2 / (2 * EI), l / EI]]
    )
    turn = np.eye(3)
    turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    assert np.allclose(compliance, turn @ classical @ turn.T, rtol=1e-12)


def test_spatial_cantilever_has_the_classical_compliance() -> None:
    l, EA, GI, EI_y, EI_z, phi_y, phi_z = 1.7, 300.0, 5.0, 12.0, 7.0, 0.8, 0.3  # noqa: E741
    R = Turn.from_rotvec([0.3, -1.1, 0.8]).as_matrix()
    turns = [Rotation("a", rotations.about((1, 2, 3), 0.4)), Rotation("b")]
    points = [Point("p", (1.0, 2.0, 3.0)), Point("q", tuple(np.array([1, 2, 3]) + l * R[:, 0]))]
    beam = SpatialBeam(
        "beam",
        points[0],
        turns[0],
        points[1],
        turns[1],
        y_axis=tuple(R[:, 1] + 0.4 * R[:, 0]),
        axial_stiffness=EA,
        torsional_stiffness=GI,
        bending_stiffness_y=EI_y,
        bending_stiffness_z=EI_z,
        shear_factor_y=phi_y,
        shear_factor_z=phi_z,
    )
    structure = Structure([points[0], turns[0], points[1], turns[1]], [beam])
    compliance = np.linalg.inv(structure.stiffness()[6:, 6:])
    classical = np.diag([l / EA, 0, 0, l / GI, l / EI_y, l / EI_z])
    classical[1, 1] = l**3 * (1 / 3 + phi_z / 12) / EI_z  # deflection along y bends about z
    classical[2, 2] = l**3 * (1 / 3 + phi_y / 12) / EI_y
    classical[1, 5] = classical[5, 1] = l**2 / (2 * EI_z)
    classical[2, 4] = classical[4, 2] = -(l**2) / (2 * EI_y)
    turn = scipy.linalg.block_diag(R, R)
    assert np.allclose(compliance, turn @ classical @ turn.T, rtol=1e-11, atol=1e-12)


def flexible_beams() -> list[Structure]:
    spatial = spatial_chain(
        np.array([[0, 0, 0], [1, 1, 1]]),
        axial_stiffness=3.0,
        torsional_stiffness=4.0,
        bending_stiffness_y=5.0,
        bending_stiffness_z=6.0,
        shear_factor_z=0.4,
        damping=0.01,
    )
    planar = planar_chain(
        1, 2.0, axial_stiffness=3.0, bending_stiffness=5.0, shear_factor=0.5, damping=0.01
    )
    return [planar, spatial]


@pytest.mark.parametrize("structure", flexible_beams(), ids=["planar", "spatial"])
def test_stress_is_the_gradient_of_the_energy_and_damping_is_proportional(
    structure: Structure,
) -> None:
    values = ca.vertcat(*(d.value for d in structure.free))
    rates = ca.vertcat(*(d.rate for d in structure.free))
    laws = ca.vertcat(*(sum(d.laws, ca.SX(0)) for d in structure.free))
    energy = sum((d.elastic_energy for d in structure.free), ca.SX(0))
    S = np.array(ca.DM(ca.jacobian(laws, values)))
    assert np.allclose(S, np.array(ca.DM(ca.hessian(energy, values)[0])), rtol=1e-14)
    assert np.allclose(0.01 * S, np.array(ca.DM(ca.jacobian(laws, rates))), rtol=1e-14)
    assert np.linalg.eigvalsh(S).min() > 0


def test_only_what_has_a_stiffness_is_flexible() -> None:
    def free(**data: object) -> list[str]:
        return [d.name for d in planar_chain(1, 1.0, **data).free]

    assert free() == []
    assert free(axial_stiffness=1.0) == ["b0.elongation"]
    assert free(bending_stiffness=1.0) == ["b0.bending_p", "b0.bending_q"]
    one = spatial_chain(np.array([[0, 0, 0], [1, 0, 0]]), bending_stiffness_z=1.0)
    assert [d.name for d in one.free] == ["b0.bending_z_p", "b0.bending_z_q"]
    assert one.free[0].dof("q").role is Role.DOF


# Properties of the deformations


def test_undeformed_at_the_start_and_after_large_rotations() -> None:
    random = np.random.default_rng(5)
    length_p, tilt = ca.SX.sym("length"), rotations.about((3, 1, 2), 1.1)
    points = [Point("p", (0.1, 0.2, 0.3)), Point("q", (0.1 + length_p, 0.7, 0.3))]
    turns = [Rotation("a", tilt), Rotation("b")]
    beam = SpatialBeam("beam", points[0], turns[0], points[1], turns[1])
    nodes = [points[0], turns[0], points[1], turns[1]]
    strains = ca.vertcat(*(s.expression for s in beam.strains().values()))
    strains = in_coordinates(strains, *nodes)
    value = ca.Function("f", [*(n.coordinates for n in nodes), length_p], [strains])
    for _ in range(5):
        turn, shift, length = (
            Turn.random(random_state=random.integers(99)),
            random.uniform(-5, 5, 3),
            random.uniform(1, 2),
        )
        places = [turn.apply([0.1, 0.2, 0.3]), turn.apply([0.1 + length, 0.7, 0.3])]
        ends = [turn * Turn.from_quat(tilt, scalar_first=True), turn]
        e = [end.as_quat(scalar_first=True) for end in ends]
        found = value(places[0] + shift, e[0], places[1] + shift, -e[1], length)
        assert np.abs(np.array(found)).max() < 1e-14


def test_planar_bending_measures_the_rotation_relative_to_the_chord() -> None:
    structure = planar_chain(1, 2.0, 0.4)
    bent = structure.start + np.array([0, 0, 1e-6, 0, 0, 2e-6])
    strains = ca.vertcat(*(d.expression for d in structure.deformations))
    elongation, bending_p, bending_q = structure.numbers(strains, bent).ravel()
    assert bending_p == pytest.approx(2.0 * 1e-6)
    assert bending_q == pytest.approx(-2.0 * 2e-6)
    assert abs(elongation) < 1e-11


def test_spatial_bending_measures_the_rotations_relative_to_the_chord() -> None:
    structure = spatial_chain(np.array([[0, 0, 0], [2, 0, 0]]))
    rotation_p, rotation_q = np.array([[0, 3e-6, 4e-6], [0, 5e-6, 7e-6]])
    x = np.r_[0, 0, 0, 1, rotation_p / 2, 2, 0, 0, 1, rotation_q / 2]
    values = structure.numbers(ca.vertcat(*(d.expression for d in structure.deformations)), x)
    expected = 2.0 * np.array([0, 0, -3e-6, 5e-6, -4e-6, 7e-6])
    assert np.allclose(values.ravel(), expected, atol=1e-10)


@pytest.mark.parametrize(("kind", "order"), [("arc", 4), ("chord", 2)])
def test_elongation_of_an_inextensible_arc(kind: str, order: int) -> None:
    """A circular arc of length l_0 has no elongation but in the fourth order of its angle."""
    structure = planar_chain(1, 2.0, elongation=kind)
    value = structure.deformations[0].expression

    def elongation(half: float) -> float:
        chord = 2.0 * np.sin(half) / half
        x = np.r_[0, 0, half, chord, 0, -half] + np.r_[0, 0, 0, 0, 0, 0.1]
        return float(structure.numbers(value, x)[0, 0])

    ratio = elongation(0.2) / elongation(0.1)
    assert np.log2(ratio) == pytest.approx(order, abs=0.05)


def bent_without_twist(amplitude: float) -> tuple[np.ndarray, Turn]:
    """End place and frame of an inextensible line of length 1, from the origin, without twist.

    Its curvatures about y and z are different linear functions of the arc length.
    """

    def rate(s: float, z: np.ndarray) -> np.ndarray:
        frame = z[3:].reshape(3, 3)
        kappa = amplitude * np.array([0, 1 - 3 * s, 2 * s - 0.3])
        return np.r_[frame[:, 0], np.cross(frame @ kappa, frame.T).T.ravel()]

    z = solve_ivp(rate, (0, 1), np.r_[0, 0, 0, np.eye(3).ravel()], rtol=1e-13, atol=1e-15).y[:, -1]
    return z[:3], Turn.from_matrix(z[3:].reshape(3, 3))


@pytest.mark.parametrize("index", [0, 1], ids=["elongation", "torsion"])
def test_line_bent_in_two_planes_neither_stretches_nor_twists(index: int) -> None:
    structure = spatial_chain(np.array([[0, 0, 0], [1, 0, 0]]))
    strain = structure.deformations[index].expression

    def value(amplitude: float) -> float:
        place, turn = bent_without_twist(amplitude)
        x = np.r_[0, 0, 0, 1, 0, 0, 0, place, turn.as_quat(scalar_first=True)]
        return float(structure.numbers(strain, x)[0, 0])

    assert abs(value(0.2)) < 1e-3 * 0.2**2
    assert np.log2(value(0.4) / value(0.2)) == pytest.approx(4, abs=0.1)


def test_torsion_is_the_length_times_the_sine_of_the_twist() -> None:
    structure = spatial_chain(np.array([[0, 0, 0], [2, 0, 0]]))
    turned = rotations.about((1, 0, 0), 0.3)
    x = np.r_[0, 0, 0, 1, 0, 0, 0, 2, 0, 0, turned]
    values = structure.numbers(ca.vertcat(*(d.expression for d in structure.deformations)), x)
    assert np.allclose(values.ravel(), [0, 2 * np.sin(0.3), 0, 0, 0, 0], atol=1e-15)


def test_given_rest_length_and_directions() -> None:
    p, q, a, b = Point("p", (0.0, 0.0)), Point("q", (0.0, 0.0)), Angle("a"), Angle("b")
    beam = PlanarBeam("b", p, a, q, b, rest_length=2.0, direction_p=0.3, direction_q=-0.2)
    x = [p.coordinates, a.coordinates, q.coordinates, b.coordinates]
    strains = ca.vertcat(*(s.expression for s in beam.strains().values()))
    end = 2 * np.array([np.cos(1.3), np.sin(1.3)])
    found = np.array(ca.Function("f", x, [strains])([0, 0], 1.0, end, 1.5))
    assert np.allclose(found, 0, atol=1e-15)


# Large deflections


def elastica(load: float) -> tuple[float, float]:
    """Tip of a cantilever, EI = l = 1, under a transverse dead load, by shooting."""

    def along(s: float, z: np.ndarray) -> list[float]:
        return [z[1], -load * np.cos(z[0]), np.cos(z[0]), np.sin(z[0])]

    def tip(curvature: float) -> np.ndarray:
        z = [0, curvature, 0, 0]
        return solve_ivp(along, (0, 1), z, rtol=1e-12, atol=1e-12).y[:, -1]

    z = tip(brentq(lambda k: tip(k)[1], 0, load, xtol=1e-13))
    return float(z[2]), float(z[3])


def orders(errors: Sequence[float]) -> np.ndarray:
    return -np.diff(np.log2(errors))


@pytest.mark.parametrize("kind", ["chord", pytest.param("arc", marks=pytest.mark.heavy)])
def test_cantilever_under_an_end_moment_becomes_a_circle(kind: str) -> None:
    angle, errors = 1.5 * np.pi, []
    for n in (8, 16, 32):
        chain = planar_chain(n, 1.0, bending_stiffness=1.0, elongation=kind)
        turn = chain.nodes[-1].coordinates
        x = chain.deflect(chain.nodes[:2], angle * turn)
        circle = np.array([np.sin(angle), 1 - np.cos(angle)]) / angle
        errors.append(float(np.linalg.norm(x[-3:-1] - circle)))
    assert errors[-1] < 1e-2
    assert min(orders(errors)) > 1.9


@pytest.mark.heavy
def test_cantilever_under_an_end_force_is_the_elastica() -> None:
    exact, errors = np.array(elastica(10.0)), []
    assert exact == pytest.approx(
        [1 - 0.55500, 0.81061], abs=1e-5
    )  # [Mattiasson 1981], PL²/EI = 10
    for n in (8, 16, 32):
        chain = planar_chain(n, 1.0, bending_stiffness=1.0)
        x = chain.deflect(chain.nodes[:2], 10.0 * chain.nodes[-2].coordinates[1])
        errors.append(float(np.linalg.norm(x[-3:-1] - exact)))
    assert errors[-1] < 1e-3
    assert min(orders(errors)) > 1.9


@pytest.mark.heavy
def test_spatial_cantilever_bends_as_the_elastica_in_any_plane() -> None:
    n, direction = 8, np.array([0, 0.6, 0.8])
    places = np.outer(np.arange(n + 1) / n, [1.0, 0, 0])
    data = {"bending_stiffness_y": 1.0, "bending_stiffness_z": 1.0}
    chain = spatial_chain(places, **data)
    tip = chain.nodes[-2].coordinates
    x = chain.deflect(chain.nodes[:2], 3.0 * ca.dot(tip, ca.DM(direction)))[-7:-4]
    flat = planar_chain(n, 1.0, bending_stiffness=1.0)
    planar = flat.deflect(flat.nodes[:2], 3.0 * flat.nodes[-2].coordinates[1])[-3:-1]
    assert x[0] == pytest.approx(planar[0], abs=1e-9)
    assert x[1:] == pytest.approx(planar[1] * direction[1:], abs=1e-9)
    assert planar == pytest.approx(elastica(3.0), abs=5e-3)


@pytest.mark.heavy
def test_curved_cantilever_out_of_its_plane() -> None:
    """The bend of 45° by Bathe and Bolourchi (1979), with the result of Simo and Vu-Quoc (1986)."""
    E, G = 1e7, 0.5e7

    def tip(n: int) -> np.ndarray:
        angles = np.linspace(0, np.pi / 4, n + 1)
        chain = spatial_chain(
            100 * np.column_stack([1 - np.cos(angles), np.sin(angles), 0 * angles]),
            y_axis=(0, 0, 1),
            axial_stiffness=E,
            torsional_stiffness=G / 6,
            bending_stiffness_y=E / 12,
            bending_stiffness_z=E / 12,
        )
        end = chain.nodes[-2].coordinates
        return chain.deflect(chain.nodes[:2], 600.0 * end[2], steps=20)[-7:-4]

    coarse, fine = tip(8), tip(16)
    # Their own eight elements, and those of others, scatter by about 0.3.
    assert fine + (fine - coarse) / 3 == pytest.approx([15.79, 47.23, 53.37], abs=0.13)


# Vibrations


def test_connecting_rod_of_two_elements() -> None:
    """[Schwab2002] 4.4.2: 832 rad/s pinned at both ends, inextensible; 829.3 is the exact one."""
    rod = planar_chain(2, 0.3, 0.4, bending_stiffness=12.72345, mass_per_length=0.2225)
    assert rod.frequencies([0, 1, 7])[0] == pytest.approx(832.54, abs=0.005)


def pinned_frequency(EI: float, A: float, I: float, GA: float, k: float) -> float:  # noqa: E741
    """Lower frequency of Timoshenko's pinned beam, from its equation of second degree in ω²."""
    squares = np.roots([A * I / GA, -(A + I * k**2 + A * EI * k**2 / GA), EI * k**4])
    return float(np.sqrt(squares.real.min()))


def test_rotary_inertia_and_shear_lower_the_frequencies() -> None:
    """Pinned beams of Rayleigh, k²√(EI/(ρA + ρI k²)), and of Timoshenko."""
    EI, A, I, GA, n, k = 1.0, 1.0, 2e-3, 300.0, 16, np.pi  # noqa: E741
    data = {"bending_stiffness": EI, "mass_per_length": A, "rotary_inertia": I}
    fixed = [0, 1, 3 * n + 1]
    rayleigh = planar_chain(n, 1.0, **data).frequencies(fixed)[0]
    assert rayleigh == pytest.approx(k**2 * np.sqrt(EI / (A + I * k**2)), rel=1e-4)
    timoshenko = planar_chain(n, 1.0, shear_factor=12 * EI / GA * n**2, **data)
    expected = pinned_frequency(EI, A, I, GA, k)
    assert timoshenko.frequencies(fixed)[0] == pytest.approx(expected, rel=1e-4)


@pytest.mark.heavy
def test_different_sections_about_both_axes() -> None:
    n, k = 16, np.pi
    beam = spatial_chain(
        np.outer(np.arange(n + 1) / n, [1.0, 0, 0]),
        bending_stiffness_y=1.0,
        bending_stiffness_z=2.0,
        rotary_inertia_y=4e-3,
        rotary_inertia_z=8e-3,
        shear_factor_y=12 * 1.0 / 50.0 * n**2,
        shear_factor_z=12 * 2.0 / 300.0 * n**2,
        mass_per_length=1.0,
        polar_inertia=0.012,
        torsional_stiffness=1e3,
    )
    fixed = [0, 1, 2, 3, 6 * n + 1, 6 * n + 2]
    expected = [pinned_frequency(1, 1, 4e-3, 50, k), pinned_frequency(2, 1, 8e-3, 300, k)]
    assert beam.frequencies(fixed)[:2] == pytest.approx(expected, rel=2e-4)


def test_shaft_twists_with_its_polar_inertia() -> None:
    """Fixed and free: (π/2) √(G I_t / (ρ I_p)) / l."""
    n = 8
    shaft = spatial_chain(
        np.outer(np.arange(n + 1) / n, [0, 2.0, 0]),
        y_axis=(1, 0, 0),
        torsional_stiffness=3.0,
        mass_per_length=1.0,
        polar_inertia=0.2,
    )
    assert shaft.frequencies(range(6))[0] == pytest.approx(np.pi / 4 * np.sqrt(15), rel=2e-3)


class SpinningShaft:
    """One element of a straight shaft along x that spins, linearized in y, z and two rotations.

    The equations of each element are M q̈ + C q̇ + K q, q = (y, z, θ_y, θ_z) of both ends on
    inertial axes.
    """

    def __init__(
        self,
        spin: float,
        length: float,
        radius: float,
        E: float,
        density: float,
        sections: Spin = "linear",
    ) -> None:
        A, I = np.pi * radius**2, np.pi * radius**4 / 4  # noqa: E741
        points = [Point("p", (0.0, 0, 0)), Point("q", (length, 0, 0))]
        turns = [Rotation("a"), Rotation("b")]
        beam = SpatialBeam(
            "shaft",
            points[0],
            turns[0],
            points[1],
            turns[1],
            bending_stiffness_y=E * I,
            bending_stiffness_z=E * I,
            mass_per_length=density * A,
            polar_inertia=2 * density * I,
            rotary_inertia_y=density * I,
            rotary_inertia_z=density * I,
            spin=sections,
        )
        structure = Structure([points[0], turns[0], points[1], turns[1]], [beam])
        q, rate, time = ca.SX.sym("q", 8), ca.SX.sym("rate", 8), ca.SX.sym("time")
        spun = ca.vertcat(ca.cos(spin * time / 2), ca.sin(spin * time / 2), 0, 0)
        x = []
        for k in range(2):
            y, z, theta_y, theta_z = ca.vertsplit(q[4 * k : 4 * k + 4])
            half = ca.vertcat(0, theta_y, theta_z) / 2
            tilted = ca.vertcat(1 - ca.dot(half, half) / 2, half)
            x += [ca.vertcat(k * length, y, z), rotations.product(tilted, spun)]
        places = ca.densify(ca.vertcat(*x))
        speeds = ca.densify(ca.jacobian(places, q) @ rate + ca.jacobian(places, time))
        old, new = ca.vertcat(structure.x, structure.v), ca.vertcat(places, speeds)
        T = ca.substitute(structure.kinetic_energy(), old, new)
        U = ca.substitute(structure.energy(), old, new)
        z = ca.vertcat(q, rate, time)

        def zero(expression: ca.SX) -> np.ndarray:
            return np.array(ca.Function("f", [z], [expression])(np.zeros(17)))

        by_q = ca.jacobian(ca.gradient(T, rate), q)
        self.M = zero(ca.hessian(T, rate)[0])
        self.C = zero(by_q) - zero(by_q).T
        self.K = zero(ca.hessian(U, q)[0]) - zero(ca.hessian(T, q)[0])

    def chain(self, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        matrices = []
        for one in (self.M, self.C, self.K):
            whole = np.zeros((4 * n + 4, 4 * n + 4))
            for i in range(0, 4 * n, 4):
                whole[i : i + 8, i : i + 8] += one
            matrices.append(whole)
        return matrices[0], matrices[1], matrices[2]


def eigenvalues(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Eigenvalues with positive imaginary part, the slowest first."""
    n, inverse = len(M), np.linalg.inv(M)
    first = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ K, -inverse @ C]])
    values = np.linalg.eigvals(first)
    values = values[values.imag > 1e-6]
    return values[np.argsort(values.imag)]


@pytest.mark.parametrize("elements", [8, 16])
def test_spinning_shaft_splits_its_frequencies(elements: int) -> None:
    """Rayleigh's pinned shaft: (ρA + ρI k²) ω² - 2 ρI k² Ω ω - EI k⁴ = 0."""
    E, density, radius, length, spin = 2.1e11, 7850.0, 0.05, 1.0, 3000.0
    A, I = np.pi * radius**2, np.pi * radius**4 / 4  # noqa: E741
    shaft = SpinningShaft(spin, length / elements, radius, E, density)
    keep = [i for i in range(4 * elements + 4) if i not in (0, 1, 4 * elements, 4 * elements + 1)]
    M, C, K = (matrix[np.ix_(keep, keep)] for matrix in shaft.chain(elements))
    found = eigenvalues(M, C, K)
    for mode in (1, 2):
        k = mode * np.pi / length
        polynomial = [density * (A + I * k**2), -2 * density * I * k**2 * spin, -E * I * k**4]
        exact = np.sort(np.abs(np.roots(polynomial)))
        pair = found[2 * mode - 2 : 2 * mode]
        assert np.abs(pair.real).max() < 1e-6
        assert pair.imag == pytest.approx(exact, rel=3e-4)
        assert np.diff(pair.imag) == pytest.approx(np.diff(exact), rel=2e-3)


def test_consistent_spin_gives_the_published_gyroscopic_matrix() -> None:
    """[NelsonMcVaugh1976], written out: ρI_p Ω ∫ (h_y h_zᵀ - h_z h_yᵀ) ds of the slopes."""
    spin, length, radius, density = 3000.0, 0.4, 0.05, 7850.0
    shaft = SpinningShaft(spin, length, radius, 2.1e11, density, "consistent")
    # slopes y' = θ_z and z' = -θ_y of the Hermite cubics, times 30 l
    y, z = [0, 3, 4, 7], [1, 2, 5, 6]
    a, b = 3 * length, length**2
    squares = np.array([[36, a, -36, a], [a, 4 * b, -a, -b], [-36, -a, 36, -a], [a, -b, -a, 4 * b]])
    signs = np.array([-1, 1, -1, 1])  # θ_y = -z', and θ_y itself the coordinate
    polar = density * np.pi * radius**4 / 2
    expected = np.zeros((8, 8))
    expected[np.ix_(z, y)] = polar * spin / (30 * length) * signs[:, None] * squares
    expected -= expected.T
    assert pytest.approx(expected, abs=1e-12 * np.abs(expected).max()) == shaft.C
    ends = SpinningShaft(spin, length, radius, 2.1e11, density).C
    assert np.abs(ends - expected).max() > 0.1 * np.abs(expected).max()


def test_sections_spin_by_what_the_line_turns() -> None:
    """A shaft that turns rigidly with Ω, bent to an arc of small slopes, spins Ω (1 - θ²/2)."""
    omega, slope = 7.0, 1e-2
    ends = [omega * (1 - slope**2 / 2)] * 2
    # turned about y by θ, a section has the part Ω θ of the rotation on its z axis
    rates = ((0, 0, 0), (0, -omega * slope, omega * slope))
    turned = ((-slope, slope), (0, 0))
    square = mean_square(
        [ca.SX(v) for v in ends],
        [[ca.SX(v) for v in each] for each in rates],
        [[ca.SX(v) for v in each] for each in turned],
        (0.0, 0.0),
    )
    # ∫ θ² dξ of θ = slope (2 ξ - 1)
    assert float(square) == pytest.approx(omega**2 * (1 - slope**2 / 3), rel=1e-8)


@pytest.mark.parametrize("shear_factor", [0.0, 0.7])
def test_sections_turn_as_their_inertia_says(shear_factor: float) -> None:
    """∫ φ̇² dξ of the sections' rates is the quadratic form of the rotary inertia."""
    rates = np.array([0.3, -1.1, 0.8])
    parts = section_rates([ca.SX(v) for v in rates], shear_factor)
    line = np.polynomial.Polynomial([float(c) for c in parts])
    expected = rates @ np.array(ca.DM(section_matrix(shear_factor))) @ rates
    assert (line**2).integ()(1) == pytest.approx(expected, rel=1e-13)
    assert [line(0), line(1)] == pytest.approx(rates[1:], rel=1e-13)


def test_rotor_of_table_4_1() -> None:
    """[Schwab2002] 4.4.3, Table 4.1: shaft, two disks, two bearings and a seal at 4000 rpm."""
    inch, pound, pound_force = 0.0254, 0.45359237, 4.4482216
    per_inch = pound_force / inch
    spin = 4000 * 2 * np.pi / 60
    shaft = SpinningShaft(
        spin, 10 * inch, 2 * inch, 3e7 * pound_force / inch**2, 0.283 * pound / inch**3
    )
    M, C, K = shaft.chain(5)
    for i in (0, 1, 4, 5):
        K[i, i] += 100_000 * per_inch
    seal = slice(8, 10)
    K[seal, seal] += np.array([[89_542, 27_028], [-27_028, 89_542]]) * per_inch
    C[seal, seal] += np.array([[171.42, 12], [-12, 171.42]]) * per_inch
    M[seal, seal] += 6.68 * np.eye(2)
    for node in (4, 5):
        place, turn = slice(4 * node, 4 * node + 2), slice(4 * node + 2, 4 * node + 4)
        M[place, place] += 0.028 * per_inch * np.eye(2)
        M[turn, turn] += 0.114 * pound_force * inch * np.eye(2)
        C[turn, turn] += 0.224 * pound_force * inch * spin * np.array([[0, 1], [-1, 0]])
    published = [
        -7.97 + 223.62j,
        -45.93 + 226.44j,
        -277.46 + 988.02j,
        -205.18 + 1030.30j,
        -44.45 + 1893.45j,
        -45.51 + 1921.67j,
        -158.01 + 4232.13j,
        -153.39 + 4302.12j,
    ]
    found = eigenvalues(M, C, K)[:8]
    assert np.abs(found - published).max() / 4302 < 2e-4
    assert np.abs(found - published)[:4].max() < 0.02


# Errors and limits


def test_beams_say_what_is_wrong() -> None:
    p, q, a, b = Point("p", (0.0, 0.0)), Point("q", (0.0, 0.0)), Angle("a"), Angle("b")
    with pytest.raises(ModelError, match="beam rod: p and q start in one place"):
        PlanarBeam("rod", p, a, q, b)
    q = Point("q", (1.0, 0.0))
    with pytest.raises(ModelError, match='"arc" or "chord", got \'curve\''):
        PlanarBeam("rod", p, a, q, b, elongation="curve")  # type: ignore[arg-type]
    s, t = Point("s", (0.0, 0.0, 0.0)), Point("t", (0.0, 1.0, 0.0))
    e, f = Rotation("e"), Rotation("f")
    with pytest.raises(ModelError, match="must both be planar"):
        PlanarBeam("rod", p, a, s, b)
    with pytest.raises(ModelError, match="must both be spatial"):
        SpatialBeam("rod", s, e, q, f)
    with pytest.raises(ModelError, match=r"y_axis .* runs along the beam"):
        SpatialBeam("rod", s, e, t, f)
    with pytest.raises(ModelError, match="needs its polar_inertia"):
        SpatialBeam("rod", s, e, t, f, y_axis=(1, 0, 0), mass_per_length=1.0)


@pytest.mark.parametrize(
    ("degrees", "holds", "most", "severity"),
    [
        (19.9, True, 20, "warning"),
        (-20.1, False, 20, "warning"),
        (-34.9, True, 35, "error"),
        (35.1, False, 35, "error"),
    ],
)
def test_limits_are_20_and_35_degrees(
    degrees: float, holds: bool, most: int, severity: str
) -> None:
    angle, told = np.radians(degrees), severity == "warning"
    flat = planar_chain(1, 1.0)
    limit, message, shown, found = flat.elements[0].limits()[
        "moment_lost_q" if told else "rotation_q"
    ]
    assert found == severity
    assert f"more than {most} degrees" in message and "use more elements" in message
    x = flat.start.copy()
    x[5] += angle
    assert (flat.numbers(limit, x)[0, 0] > 0) == holds
    # 15 % of the moment are lost at 20 degrees where the arc keeps its length, to second order
    # 4/3 of the angle's square; 8 % of a torque, 2/3 of it.
    lost = flat.numbers(shown, x)[0, 0]
    assert lost == pytest.approx(0.146 if told else 35, abs=2e-3 if told else 0.2)
    beam = spatial_chain(np.array([[0, 0, 0], [1, 0, 0]]))
    bent, twisted = (rotations.about(axis, angle) for axis in ((0, 1, 2), (1, 0, 0)))
    keys = ("moment_lost_q", "torque_lost") if told else ("rotation_q", "twist")
    for key, turned, share in zip(keys, (bent, twisted), (0.146, 0.079), strict=True):
        limit, message, shown, found = beam.elements[0].limits()[key]
        assert found == severity
        assert f"more than {most} degrees" in message and "use more elements" in message
        x = np.r_[beam.start[:-4], turned]
        assert (beam.numbers(limit, x)[0, 0] > 0) == holds
        expected, tolerance = (share, 2e-3) if told else (35, 0.2)
        assert beam.numbers(shown, x)[0, 0] == pytest.approx(expected, abs=tolerance)


def test_bending_of_both_ends_is_no_twist() -> None:
    beam = spatial_chain(np.array([[0, 0, 0], [1, 0, 0]]))
    ends = [rotations.about((0, 0.6, 0.8), angle) for angle in (-1.0, 1.0)]
    limit = beam.elements[0].limits()["twist"][0]
    x = np.r_[0, 0, 0, ends[0], 1, 0, 0, ends[1]]
    relative = np.cos(2.0)
    expected = (1 + relative) * (1 - np.cos(np.radians(35)))
    assert beam.numbers(limit, x)[0, 0] == pytest.approx(expected)


# Through a model


def cantilever(n: int) -> Model:
    model = Model("cantilever")
    moment = model.input("moment", 1.0, unit="N.m")
    points = [model.point(f"p{i}", (i / n, 0.0), fixed=i == 0) for i in range(n + 1)]
    angles = [model.angle(f"a{i}", fixed=i == 0) for i in range(n + 1)]
    for i in range(n):
        ends = (points[i], angles[i], points[i + 1], angles[i + 1])
        beam = model.add(PlanarBeam(f"b{i}", *ends, bending_stiffness=1.0, mass_per_length=1.0))
        beam.bending_p.dof()
        beam.bending_q.dof()
    model.moment(angles[n], moment)
    model.output("x", points[n].x.value)
    model.output("y", points[n].y.value)
    return model


@pytest.mark.heavy
def test_model_bends_to_the_same_circle() -> None:
    equations = cantilever(4).equations()
    names = [record.name for record in equations.requirements]
    assert "b0.rotation_p" in names and "b3.rotation_q" in names
    found = equilibrium(equations, inputs={"moment": 1.0}).outputs
    chain = planar_chain(4, 1.0, bending_stiffness=1.0)
    x = chain.deflect(chain.nodes[:2], chain.nodes[-1].coordinates)
    assert [found["x"], found["y"]] == pytest.approx(x[-3:-1], abs=1e-8)
    assert [found["x"], found["y"]] == pytest.approx([np.sin(1), 1 - np.cos(1)], abs=1e-2)


def test_start_in_parameters() -> None:
    model = Model("rod")
    half = model.parameter("half", 0.5, positive=True)
    p, q = model.point("p", (-half, 0.0), fixed=True), model.point("q", (half, 0.0))
    a, b = model.angle("a", fixed=True), model.angle("b")
    beam = model.add(PlanarBeam("rod", p, a, q, b, bending_stiffness=1.0))
    length = ca.Function("f", [half], [ca.SX(beam.rest_length)])
    assert float(length(0.7)) == pytest.approx(1.4)
    law = ca.Function("f", [half, beam.bending_p.value, beam.bending_q.value], beam.bending_p.laws)
    assert float(law(1.0, 1.0, 0.0)) == pytest.approx(4 / 2**3)
    strain = at_start(beam.elongation.expression, p, q, a, b)
    assert float(ca.Function("f", [half], [strain])(0.7)) == pytest.approx(0, abs=1e-15)
