"""The rotor of [Schwab2002] 4.4.3 against finite elements of rotor dynamics written out by hand.

Those are of one complex plane, w = y + i z, on inertial axes, after Nelson and McVaugh (J.
Engineering for Industry 98 (1976) 593-600): Hermite cubics for mass, stiffness, rotary inertia and
gyroscopic terms.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from mbcore import Equations, linearize
from mbcore.examples.vibration import rotor
from mbcore.examples.vibration.rotor_whirls import Spun, critical_speeds
from mbcore.vibration import nominal_motion

INCH, LBF, LB = 0.0254, 4.4482216, 0.45359237
OMEGA = 4000 * np.pi / 30

TABLE = (
    ("forward", -7.97 + 223.62j),
    ("backward", -45.93 + 226.44j),
    ("backward", -277.46 + 988.02j),
    ("forward", -205.18 + 1030.30j),
    ("backward", -44.45 + 1893.45j),
    ("forward", -45.51 + 1921.67j),
    ("backward", -158.01 + 4232.13j),
    ("forward", -153.39 + 4302.12j),
)
"""Present study of Table 4.1, rad/s."""

pytestmark = pytest.mark.heavy


class ByHand:
    """M ẅ + (C - i Ω G) ẇ + K w = f over displacement and slope of six nodes."""

    def __init__(self) -> None:
        l, E = 10 * INCH, 3e7 * LBF / INCH**2  # noqa: E741
        A, I = 4 * np.pi * INCH**2, 4 * np.pi * INCH**4  # noqa: E741
        rho = 0.283 * LB / INCH**3
        mass = np.array([
            [156, 22 * l, 54, -13 * l],
            [22 * l, 4 * l**2, 13 * l, -3 * l**2],
            [54, 13 * l, 156, -22 * l],
            [-13 * l, -3 * l**2, -22 * l, 4 * l**2],
        ])  # fmt: skip
        turn = np.array([
            [36, 3 * l, -36, 3 * l],
            [3 * l, 4 * l**2, -3 * l, -(l**2)],
            [-36, -3 * l, 36, -3 * l],
            [3 * l, -(l**2), -3 * l, 4 * l**2],
        ])  # fmt: skip
        bend = np.array([
            [12, 6 * l, -12, 6 * l],
            [6 * l, 4 * l**2, -6 * l, 2 * l**2],
            [-12, -6 * l, 12, -6 * l],
            [6 * l, 2 * l**2, -6 * l, 4 * l**2],
        ])  # fmt: skip
        self.M, self.G, self.weight = np.zeros((12, 12)), np.zeros((12, 12)), np.zeros(12)
        self.K, self.C = np.zeros((12, 12), complex), np.zeros((12, 12), complex)
        for i in range(5):
            at = np.ix_(range(2 * i, 2 * i + 4), range(2 * i, 2 * i + 4))
            self.M[at] += rho * A * l / 420 * mass + rho * I / (30 * l) * turn
            self.G[at] += 2 * rho * I / (30 * l) * turn
            self.K[at] += E * I / l**3 * bend
            self.weight[2 * i : 2 * i + 4] += (
                rho * A * l * np.array([1 / 2, l / 12, 1 / 2, -l / 12])
            )
        disk = 0.028 * LBF / INCH
        for node, lump in ((2, 6.68), (4, disk), (5, disk)):
            self.M[2 * node, 2 * node] += lump
            self.weight[2 * node] += lump
        for node in (4, 5):
            self.M[2 * node + 1, 2 * node + 1] += 0.114 * LBF * INCH
            self.G[2 * node + 1, 2 * node + 1] += 0.224 * LBF * INCH
        for node in (0, 1):
            self.K[2 * node, 2 * node] += 1e5 * LBF / INCH
        self.K[4, 4] += (89542 - 27028j) * LBF / INCH
        self.C[4, 4] += (171.42 - 12j) * LBF / INCH
        self.unbalance = np.zeros(12)
        self.unbalance[10] = disk

    def eigenvalues(self, omega: float) -> np.ndarray:
        """Those of w ~ e^{λt}, the slowest first."""
        first = np.block(
            [[np.zeros((12, 12)), np.eye(12)], [-self.K, -self.C + 1j * omega * self.G]]
        )
        first[12:] = np.linalg.solve(self.M, first[12:])
        found = np.linalg.eigvals(first)
        return found[np.argsort(np.abs(found.imag))]

    def orbit(self, omega: float) -> np.ndarray:
        """Of the nodes, per eccentricity: w = orbit e^{iΩt}."""
        dynamic = self.K + 1j * omega * self.C - omega**2 * (self.M - self.G)
        return np.linalg.solve(dynamic, omega**2 * self.unbalance)[::2]


@pytest.fixture(scope="module")
def by_hand() -> ByHand:
    return ByHand()


@pytest.fixture(scope="module")
def equations() -> Equations:
    return rotor.mechanism().equations()


@pytest.fixture(scope="module")
def spun(equations: Equations) -> Spun:
    return Spun(equations, rotor.seal(), OMEGA, rotor.ECCENTRICITY)


@pytest.mark.parametrize("speed", [0.0, OMEGA, 3 * OMEGA])
def test_whirls_on_inertial_axes(spun: Spun, by_hand: ByHand, speed: float) -> None:
    """Also away from the three speeds at which the rotor was linearized."""
    expected = by_hand.eigenvalues(speed)
    found = np.array([whirl.eigenvalue for whirl in spun.whirls(speed)])
    assert found.size == 24
    for value in found:
        nearest = expected[np.argmin(np.abs(expected - value))]
        assert value == pytest.approx(nearest, rel=1e-8)
    assert found[:8] == pytest.approx(expected[:8], rel=1e-8)


def test_table_4_1(spun: Spun) -> None:
    """Within 0.016 %, and in the order of the table."""
    for whirl, (direction, value) in zip(spun.whirls(OMEGA), TABLE, strict=False):
        assert whirl.direction == direction
        assert abs(whirl.tabled - value) < 1.6e-4 * abs(value)


def test_exponents_by_both_methods(spun: Spun) -> None:
    """They are whirls less i Ω, modulo i Ω, and their conjugates."""
    nominal = spun.nominal
    turn = np.exp(np.array([whirl.eigenvalue for whirl in spun.whirls(OMEGA)]) * nominal.period)
    expected = np.concatenate([turn, turn.conj()])
    for found in (nominal.exponents("hill", 2), nominal.exponents("monodromy")):
        assert found.size == 48
        for multiplier in np.exp(found * nominal.period):
            assert np.abs(expected - multiplier).min() < 1e-8


def test_seal_in_the_model(spun: Spun) -> None:
    """[Schwab2002] (4.20) in the model, linearized, gives the matrices of the applied force."""
    model = rotor.mechanism()
    at = model.nodes["centre 2"]
    (_, y, z), (_, v, w) = ca.vertsplit(at.position), ca.vertsplit(at.velocity)
    K, k, C, c = (value * LBF / INCH for value in (89542, 27028, 171.42, 12))
    model.force(at, (0, -K * y - k * z - C * v - c * w, k * y - K * z + c * v - C * w))
    about = linearize(model.equations())
    for found, expected in ((spun.nominal.C, about.C), (spun.nominal.K, about.K_d)):
        size = np.abs(expected).max()
        assert np.abs(found - expected).max() < 1e-9 * size
    assert np.abs(spun.nominal.M - about.M).max() < 1e-12 * np.abs(about.M).max()


def test_orbits_of_the_unbalanced_rotor(spun: Spun, by_hand: ByHand) -> None:
    for speed in (OMEGA / 2, OMEGA, 4 * OMEGA):
        expected = rotor.ECCENTRICITY * by_hand.orbit(speed)
        assert spun.orbit(speed) == pytest.approx(expected, rel=1e-8, abs=1e-16)


def test_critical_speeds(spun: Spun, by_hand: ByHand) -> None:
    for speed in critical_speeds(spun, rotor.FASTEST):
        assert np.abs(by_hand.eigenvalues(speed).imag - speed).min() < 1e-6


def test_periodic_motion_with_weight_and_unbalance(equations: Equations, by_hand: ByHand) -> None:
    """A circle about the sag: the sum of two linear solutions."""
    loaded = {"disk.eccentricity": rotor.ECCENTRICITY, "gravity": 9.80665}
    nominal = nominal_motion(equations, 2 * np.pi / OMEGA, 16, parameters=loaded)
    motion = nominal.with_forces(rotor.seal()).periodic(4)
    sag = -np.linalg.solve(by_hand.K, 9.80665 * by_hand.weight)[::2]
    orbit = rotor.ECCENTRICITY * by_hand.orbit(OMEGA)
    time = np.linspace(0, motion.period, 7)
    for i in range(6):
        found = motion[f"node {i}.y"](time) + 1j * motion[f"node {i}.z"](time)
        expected = sag[i] + orbit[i] * np.exp(1j * OMEGA * time)
        assert found == pytest.approx(expected, rel=1e-5)
