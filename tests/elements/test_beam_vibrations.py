"""Natural frequencies of beams, and shafts that spin."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore.elements import SpatialBeam
from mbcore.elements.beams.cubic_line import section_matrix
from mbcore.elements.beams.section_spin import (
    BENDING,
    SPINS,
    SectionSpin,
    bending_spins,
    section_rates,
)
from mbcore.model.nodes import rotations
from mbcore.model.nodes.nodes import Point, Rotation
from tests.beam_structures import Structure, planar_chain, spatial_chain


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
        sections: SectionSpin = "linear",
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
    bent = bending_spins(
        [[ca.SX(v) for v in each] for each in rates],
        [[ca.SX(v) for v in each] for each in turned],
        (0.0, 0.0),
    )
    spins = ca.vertcat(*ends, *bent)
    square = ca.bilin(SPINS, ca.SX(ends), ca.SX(ends)) + ca.bilin(BENDING, spins, spins)
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
