"""Chains, trees and loops of rigid links of all kinds in any order, judged in other coordinates."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Turn

from benchmarks.scaling.chains import GRAVITY, Links
from benchmarks.scaling.mixed_chains import Layout, Mixed
from benchmarks.scaling.operations import right_hand_side
from mbcore import Equations, Model, PlanarBeam, RoleError, simulate
from mbcore.evaluation.evaluation import Evaluation
from tests.conftest import FURTHER
from tests.equations.test_scaling import CONSTANT


class Maximal:
    """Bodies with hinges as constraints: the accelerations of all bodies, and multipliers.

    Unknown of each body are the acceleration of its hinge and its angular acceleration.
    """

    def __init__(self, links: Links, parents: list[int], state: np.ndarray) -> None:
        rates, angles = np.split(state, 2)
        self.links, self.parents, n = links, parents, angles.size
        self.turn, self.axis = np.zeros((n, 3, 3)), np.zeros((n, 3))
        self.omega, self.place, self.end = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
        for i, parent in enumerate(parents):
            before = self.turn[parent] if parent >= 0 else np.eye(3)
            unit = np.eye(3)["xyz".index(links.axes[i])]
            self.axis[i] = before @ unit
            self.turn[i] = before @ Turn.from_rotvec(angles[i] * unit).as_matrix()
            self.omega[i] = rates[i] * self.axis[i] + (self.omega[parent] if parent >= 0 else 0)
            self.place[i] = self.end[parent] if parent >= 0 else 0
            self.end[i] = self.place[i] + self.turn[i] @ links.offset[i]
        self.rates = rates

    def accelerations(self, pinned: int = 0) -> np.ndarray:
        """Return those of all angles; the first ``pinned`` components of the last end's are 0."""
        n = self.rates.size
        M, force = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
        rows: list[np.ndarray] = []
        right: list[float] = []
        for i, parent in enumerate(self.parents):
            own = slice(6 * i, 6 * i + 6)
            M[own, own], force[own] = self._newton_euler(i)
            at_hinge, demanded = self._of_end(parent)
            at_hinge[:, 6 * i : 6 * i + 3] -= np.eye(3)
            rows += [*at_hinge]
            right += [*demanded]
            before = self.omega[parent] if parent >= 0 else np.zeros(3)
            for across in np.linalg.svd(self.axis[i][None])[2][1:]:
                row = np.zeros(6 * n)
                row[6 * i + 3 : 6 * i + 6] = across
                if parent >= 0:
                    row[6 * parent + 3 : 6 * parent + 6] = -across
                rows.append(row)
                right.append(across @ np.cross(before, self.axis[i]) * self.rates[i])
        at_end, demanded = self._of_end(n - 1)
        J = np.array([*rows, *at_end[:pinned]])
        m = len(J)
        whole = np.block([[M, J.T], [J, np.zeros((m, m))]])
        found = np.linalg.solve(whole, np.r_[force, right, demanded[:pinned]])[: 6 * n]
        alpha = found.reshape(n, 6)[:, 3:]
        relative = [
            a - (alpha[p] if p >= 0 else 0) for a, p in zip(alpha, self.parents, strict=True)
        ]
        return np.einsum("ij,ij->i", self.axis, relative)

    def _newton_euler(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """Mass matrix about the hinge, and forces of gravity less what the rates bring."""
        mass, omega, turn = self.links.mass[i], self.omega[i], self.turn[i]
        centre = turn @ self.links.centre[i]
        cross = np.cross(np.eye(3), centre)  # cross @ x = centre × x
        inertia = turn @ self.links.inertia[i] @ turn.T + mass * cross.T @ cross
        M = np.block([[mass * np.eye(3), -mass * cross], [mass * cross, inertia]])
        pull = mass * (self.links.gravity - np.cross(omega, np.cross(omega, centre)))
        turning = np.cross(centre, mass * self.links.gravity) - np.cross(omega, inertia @ omega)
        return M, np.r_[pull, turning]

    def _of_end(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows of the acceleration of a link's end, and minus what the rates bring to it."""
        rows, brought = np.zeros((3, 6 * self.rates.size)), np.zeros(3)
        if i >= 0:
            arm, omega = self.end[i] - self.place[i], self.omega[i]
            rows[:, 6 * i : 6 * i + 3] = np.eye(3)
            rows[:, 6 * i + 3 : 6 * i + 6] = -np.cross(np.eye(3), arm)
            brought = np.cross(omega, np.cross(omega, arm))
        return rows, -brought


def planar(links: Links, state: np.ndarray) -> np.ndarray:
    """Accelerations of a planar chain's relative angles, by Lagrange's equations.

    Mass centre i is at Σ_j a_ij exp(iθ_j) in the complex plane.
    """
    rate, theta = (np.cumsum(part) for part in np.split(state, 2))
    offset, centre = (v[:, 0] + 1j * v[:, 1] for v in (links.offset, links.centre))
    a = (np.tril(np.tile(offset, (offset.size, 1)), -1) + np.diag(centre)) * np.exp(1j * theta)
    Z = a.conj().T @ (links.mass[:, None] * a)
    force = Z.imag @ rate**2 - GRAVITY * (links.mass @ a).real
    return np.diff(np.linalg.solve(Z.real + np.diag(links.inertia[:, 2, 2]), force), prepend=0.0)


def accelerations(made: Equations, state: np.ndarray) -> np.ndarray:
    """Accelerations of all joints at a state (rates, angles), by names of the states."""
    point = Evaluation(made)
    point.start()
    point.s[:] = state
    point.configure()
    return point.derivative()[: state.size // 2].copy()


def assert_equal(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-10) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * abs(expected).max())


def near(angles: np.ndarray, seed: int, most: float = 0.5) -> np.ndarray:
    random = np.random.default_rng(seed)
    n = angles.size
    return np.r_[random.uniform(-1, 1, n), angles + random.uniform(-most, most, n)]


TREE = [-1, 0, 0, 1, 1, -1]


@pytest.mark.parametrize("parents", [pytest.param(None, marks=pytest.mark.heavy), TREE])
@pytest.mark.parametrize("flat", [True, pytest.param(False, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("seed", [1, *(pytest.param(k, marks=pytest.mark.heavy) for k in (2, 3))])
def test_links_in_any_order_accelerate_as_newton_and_euler_say(
    seed: int, flat: bool, parents: list[int] | None
) -> None:
    """Tilted starts, then any state; as a chain and as a tree with three branches."""
    angles = np.random.default_rng(seed).uniform(-1, 1, len(TREE))
    layout = Layout(len(TREE), flat, seed, angles.tolist(), parents)
    mixed = Mixed(layout)
    made = mixed.model.equations()
    for state in (near(angles, seed, 0.0), near(angles, seed + 1), near(-angles, seed + 2)):
        expected = Maximal(mixed.links, layout.above, state).accelerations()
        assert_equal(accelerations(made, state), expected)


def collinear(links: Links, folded: bool) -> np.ndarray:
    """Relative angles that put all ends on the x axis, every other link backwards if folded."""
    theta = -np.arctan2(links.offset[:, 1], links.offset[:, 0])
    theta[1::2] += np.pi * folded
    return np.diff(theta, prepend=0.0)


@pytest.mark.heavy
@pytest.mark.parametrize("folded", [pytest.param(False, marks=pytest.mark.heavy), True])
def test_straight_and_folded_chains_are_regular(folded: bool) -> None:
    mixed = Mixed(Layout(9, flat=True, seed=4))
    angles = collinear(mixed.links, folded)
    state = near(angles, 5, 0.0)
    expected = Maximal(mixed.links, [*range(-1, 8)], state).accelerations()
    assert_equal(accelerations(mixed.model.equations(), state), expected)
    assert_equal(planar(mixed.links, state), expected)
    started = Mixed(Layout(9, flat=True, seed=4, angles=angles.tolist()))
    assert_equal(accelerations(started.model.equations(), state), expected)


@pytest.mark.parametrize(
    ("size", "tolerance"),
    [
        pytest.param(20, 1e-10, marks=pytest.mark.heavy),
        pytest.param(160, 1e-8, marks=pytest.mark.heavy),
        pytest.param(400, 1e-7, marks=[pytest.mark.heavy, FURTHER]),
    ],
)
def test_long_chains_accelerate_as_lagrange_says(size: int, tolerance: float) -> None:
    """With as many operations for each link as in a short chain; 160 take two seconds, 400 ten."""
    mixed = Mixed(Layout(size, flat=True))
    state = near(np.zeros(size), 6)
    made = mixed.model.equations()
    assert_equal(accelerations(made, state), planar(mixed.links, state), tolerance)
    short = Mixed(Layout(40, flat=True)).model.equations()
    few, many = operations_for_each(short, 40), operations_for_each(made, size)
    assert many <= 250 and few / CONSTANT <= many <= few * CONSTANT


def operations_for_each(made: Equations, links: int) -> float:
    return sum(right_hand_side(made.functions).values()) / links


def closing(links: Links, angles: np.ndarray, count: int) -> frozenset[int]:
    """Return hinges that can move the last end well in all directions, as many as it has."""
    n = angles.size
    judge = Maximal(links, [*range(-1, n - 1)], np.r_[np.zeros(n), angles])
    motions = np.cross(judge.axis, judge.end[-1] - judge.place)[:, :count]

    def worst(hinges: tuple[int, ...]) -> float:
        return float(np.linalg.svd(motions[list(hinges)])[1].min())

    return frozenset(max(itertools.combinations(range(n), count), key=worst))


def loop(flat: bool, seed: int) -> tuple[Mixed, Layout]:
    """A bent chain whose end is pinned; two hinges follow, three in space."""
    angles = np.random.default_rng(seed).uniform(0.3, 0.6, 7) * (1 if flat else 3)
    layout = Layout(angles.size, flat, seed, angles.tolist(), pinned=True)
    following = closing(Mixed(layout).links, angles, 2 if flat else 3)
    layout = replace(layout, following=following)
    mixed = Mixed(layout)
    model = mixed.model
    for i in range(layout.size):
        angle = model.elements[f"hinge {i}"].deformations["angle"]
        model.output(f"angle {i}", angle.value, unit="rad")
        model.output(f"rate {i}", angle.rate, unit="rad/s")
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    return mixed, layout


@pytest.mark.parametrize("flat", [True, pytest.param(False, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("seed", [1, *(pytest.param(k, marks=pytest.mark.heavy) for k in (2, 3))])
def test_a_loop_moves_as_newton_and_euler_say(seed: int, flat: bool) -> None:
    """Accelerations along a motion from random rates, in which the energy stays."""
    mixed, layout = loop(flat, seed)
    made = mixed.model.equations()
    free = [i for i in range(layout.size) if i not in layout.following]
    rates = np.random.default_rng(seed).uniform(-0.5, 0.5, len(free))
    start = {f"joint{i}.rate": rate for i, rate in zip(free, rates, strict=True)}
    run = simulate(made, 0.2, start=start, samples=4, progress=False)
    assert np.ptp(run["energy"]) < 1e-6
    point = Evaluation(made)
    point.start()
    for k in range(4):
        columns = [f"{what} {i}" for what in ("rate", "angle") for i in range(layout.size)]
        state = np.array([run[name][k] for name in columns])
        judge = Maximal(mixed.links, layout.above, state)
        expected = judge.accelerations(pinned=2 if flat else 3)[free]
        point.s[:] = [run[s.name][k] for s in made.states]
        point.configure()
        assert_equal(point.derivative()[: len(free)], expected, 1e-9)


@pytest.mark.heavy
def test_a_loop_that_is_stretched_is_named() -> None:
    """Two links between pins in one line are at a dead centre."""
    whole = Mixed(Layout(3, flat=True, seed=4))
    angles = collinear(whole.links, folded=False)
    layout = Layout(3, True, 4, angles.tolist(), pinned=True, following=frozenset({1, 2}))
    with pytest.raises(RoleError, match=r"hinge|link"):
        Mixed(layout).model.equations()


def test_a_beam_that_does_not_place_its_end_is_named() -> None:
    model = Model("loose", gravity=(0, -GRAVITY))
    p, angle = model.point("p", fixed=True), model.angle("a")
    q = model.point("q", (1.0, 0.0))
    beam = model.add(PlanarBeam("beam", p, angle, q, angle, mass_per_length=1.0))
    beam.bending_q.release()
    beam.elongation.release()
    angle.angle.dof("angle", "rate")
    with pytest.raises(RoleError, match=r"beam\.elongation"):
        model.equations()
