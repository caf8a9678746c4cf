"""Code that grows in proportion to the model, and accelerations of chains by textbook formulas."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import casadi as ca
import numpy as np
import pytest

from benchmarks.scaling.chains import (
    GRAVITY,
    Links,
    ladder,
    linked_ladder,
    planar_chain,
    planar_links,
    rigid_planar_beams,
    rigid_spatial_beams,
    rod_links,
    spatial_chain,
    spatial_links,
)
from benchmarks.scaling.families import FAMILIES
from benchmarks.scaling.operations import operations, right_hand_side
from mbcore import Body, Equations, Model, PlanarBeam
from mbcore.evaluation.evaluation import Evaluation

CONSTANT = 1.15
"""Operations per part of two sizes may differ by this factor."""


def operations_of(family: str, size: int) -> int:
    return sum(right_hand_side(FAMILIES[family].build(size).equations().functions).values())


@pytest.mark.parametrize(
    ("family", "sizes", "at_most"),
    [
        pytest.param("planar", (6, 18), 450, marks=pytest.mark.heavy),
        pytest.param("rigid_beam", (6, 18), 150, marks=pytest.mark.heavy),
        pytest.param("rigid_beam", (10, 80), 150, marks=pytest.mark.heavy),
        pytest.param("rigid_spatial_beam", (10, 30), 530, marks=pytest.mark.heavy),
        pytest.param("ladder", (10, 20), 850, marks=pytest.mark.heavy),
        pytest.param("planar", (10, 30), 450, marks=pytest.mark.heavy),
        pytest.param("spatial", (10, 20), 900, marks=pytest.mark.heavy),
        pytest.param("beam", (10, 20), 700, marks=pytest.mark.heavy),
        pytest.param("mixed", (8, 14), 250, marks=pytest.mark.heavy),
        pytest.param("mixed_spatial", (10, 60), 1100, marks=pytest.mark.heavy),
    ],
)
def test_operations_grow_in_proportion_to_the_model(
    family: str, sizes: tuple[int, int], at_most: float
) -> None:
    """Long mixed chains are in `test_mixed_chains`, where their accelerations are judged too."""
    few, many = (operations_of(family, size) / size for size in sizes)
    assert max(few, many) <= at_most
    assert max(few, many) / min(few, many) <= CONSTANT


def test_scissors_fall_as_lagrange_says() -> None:
    stages, lean, half = 4, 0.6, 0.5
    equations = FAMILIES["scissors"].build(stages).equations()
    point = Evaluation(equations)
    point.start()
    order = 2 * np.arange(stages) + 1
    squares = (half * np.sin(lean)) ** 2 + (half * order * np.cos(lean)) ** 2
    inertia = 2 * 1.1 * (squares + 1 / 12).sum()
    moment = -2 * 1.1 * GRAVITY * half * np.cos(lean) * order.sum()
    assert point.derivative()[0] == pytest.approx(moment / inertia, rel=1e-12)


@pytest.mark.parametrize(
    ("family", "step", "at_most"),
    [
        ("rigid_beam", 2, 110),
        ("planar", 2, 95),
        ("scissors", 2, 270),
        pytest.param("rigid_spatial_beam", 6, 540, marks=pytest.mark.heavy),
        pytest.param("spatial", 6, 640, marks=pytest.mark.heavy),
    ],
)
def test_each_further_link_takes_as_many_operations(family: str, step: int, at_most: int) -> None:
    few, more, many = (operations_of(family, 3 + k * step) for k in range(3))
    assert more - few == many - more <= at_most * step


def test_only_arithmetic_is_counted() -> None:
    x, y = ca.SX.sym("x", 2), ca.SX.sym("y")
    inner = ca.Function("inner", [x, y], [x[0] * y + ca.sin(x[1]), ca.SX(3), y])
    assert operations(inner) == 3
    a = ca.MX.sym("a", 2)
    twice, _, _ = inner(a, inner(a, 2.0)[0])
    assert operations(ca.Function("outer", [a], [twice])) == 6


@cache
def equations(build: Callable[[int], Model], size: int) -> Equations:
    return build(size).equations()


def accelerations(made: Equations, state: np.ndarray) -> np.ndarray:
    """Accelerations of the joints at a state (rates, angles), shape (n,)."""
    point = Evaluation(made)
    point.start()
    point.s[:] = state
    point.configure()
    return point.derivative()[: state.size // 2].copy()


def lagrange(
    a: np.ndarray, mass: np.ndarray, inertia: np.ndarray, theta: np.ndarray, rate: np.ndarray
) -> np.ndarray:
    """Accelerations of absolute angles θ by Lagrange's equations, in the plane.

    Mass m_i is at Σ_j a_ij (cos θ_j, sin θ_j), shape of a (masses, angles), and I_j turns with
    θ_j. With B = Σ_i m_i a_iᵀ a_i:
    Σ_k B_jk (cos(θ_j - θ_k) θ̈_k + sin(θ_j - θ_k) θ̇_k²) + I_j θ̈_j = -g cos θ_j Σ_i m_i a_ij.
    """
    B = a.T @ (mass[:, None] * a)
    difference = theta[:, None] - theta
    force = -(B * np.sin(difference)) @ rate**2 - GRAVITY * np.cos(theta) * (mass @ a)
    return np.linalg.solve(B * np.cos(difference) + np.diag(inertia), force)


def of_planar_chain(links: Links, state: np.ndarray) -> np.ndarray:
    """Accelerations of the relative angles; a_ij is what of link j leads to mass centre i."""
    rate, theta = (np.cumsum(part) for part in np.split(state, 2))
    length, centre = links.offset[:, 0], links.centre[:, 0]
    a = np.tril(np.tile(length, (length.size, 1)), -1) + np.diag(centre)
    return np.diff(lagrange(a, links.mass, links.inertia[:, 2, 2], theta, rate), prepend=0.0)


def of_ladder(state: np.ndarray) -> np.ndarray:
    """Accelerations of the posts' angles: rungs stay level, so posts in pairs are a chain.

    Posts of 0.5 m and rungs of 1 m, 1.3 kg/m.
    """
    rate, theta = np.split(state, 2)
    n, length = theta.size, 0.5
    before = length * np.tri(n, k=-1)
    a = np.vstack([before + np.eye(n) * length / 2, before + np.eye(n) * length])
    posts = 2 * 1.3 * length
    mass = np.r_[np.full(n, posts), np.full(n, 1.3)]
    return lagrange(a, mass, np.full(n, posts * length**2 / 12), theta, rate)


def newton_euler(links: Links, state: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
    """Torques of the joints, by the recursive Newton-Euler algorithm on inertial axes."""
    rates, angles = np.split(state, 2)
    turn, omega, alpha = np.eye(3), np.zeros(3), np.zeros(3)
    place, motion = np.zeros(3), -links.gravity
    axes, places, loads = [], [], []
    for i, name in enumerate(links.axes):
        unit = np.eye(3)["xyz".index(name)]
        axis, tilde = turn @ unit, np.cross(np.eye(3), unit)
        alpha = alpha + axis * acceleration[i] + np.cross(omega, axis * rates[i])
        omega = omega + axis * rates[i]
        rodrigues = np.sin(angles[i]) * tilde + (1 - np.cos(angles[i])) * tilde @ tilde
        turn = turn @ (np.eye(3) + rodrigues)
        arm, offset = turn @ links.centre[i], turn @ links.offset[i]
        inertia = turn @ links.inertia[i] @ turn.T
        force = links.mass[i] * (motion + np.cross(alpha, arm) + centripetal(omega, arm))
        moment = inertia @ alpha + np.cross(omega, inertia @ omega)
        axes.append(axis)
        places.append(place)
        loads.append((force, moment + np.cross(place + arm, force)))
        motion = motion + np.cross(alpha, offset) + centripetal(omega, offset)
        place = place + offset
    torques, force, moment = np.zeros(len(axes)), np.zeros(3), np.zeros(3)
    for i in reversed(range(len(axes))):
        force, moment = force + loads[i][0], moment + loads[i][1]
        torques[i] = axes[i] @ (moment - np.cross(places[i], force))
    return torques


def centripetal(omega: np.ndarray, arm: np.ndarray) -> np.ndarray:
    return np.cross(omega, np.cross(omega, arm))


def from_torques(links: Links, state: np.ndarray) -> np.ndarray:
    """Accelerations without torques: the torques are linear in them."""
    n = links.mass.size
    bias = newton_euler(links, state, np.zeros(n))
    mass = np.column_stack([newton_euler(links, state, unit) - bias for unit in np.eye(n)])
    return np.linalg.solve(mass, -bias)


def random_state(n: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    return np.r_[random.uniform(-1, 1, n), random.uniform(-0.5, 0.5, n)]


@pytest.mark.parametrize("build", [planar_chain, rigid_planar_beams])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_planar_chain_accelerates_as_lagrange_says(
    seed: int, build: Callable[[int], Model]
) -> None:
    links, state = planar_links(10), random_state(10, seed)
    expected = of_planar_chain(links, state)
    np.testing.assert_allclose(
        accelerations(equations(build, 10), state),
        expected,
        rtol=0,
        atol=1e-10 * abs(expected).max(),
    )
    np.testing.assert_allclose(
        from_torques(links, state), expected, rtol=0, atol=1e-10 * abs(expected).max()
    )


@pytest.mark.parametrize(
    ("build", "links"), [(spatial_chain, spatial_links), (rigid_spatial_beams, rod_links)]
)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_spatial_chain_accelerates_as_newton_and_euler_say(
    seed: int, build: Callable[[int], Model], links: Callable[[int], Links]
) -> None:
    state = random_state(5, seed)
    expected = from_torques(links(5), state)
    np.testing.assert_allclose(
        accelerations(equations(build, 5), state),
        expected,
        rtol=0,
        atol=1e-10 * abs(expected).max(),
    )


@pytest.mark.parametrize("build", [ladder, pytest.param(linked_ladder, marks=pytest.mark.heavy)])
def test_ladder_accelerates_as_lagrange_says(build: Callable[[int], Model]) -> None:
    random = np.random.default_rng(1)
    lean = np.pi / 2 + np.array([-0.2, 0.2, -0.2])
    state = np.r_[random.uniform(-1, 1, 3), lean + random.uniform(-0.1, 0.1, 3)]
    np.testing.assert_allclose(
        accelerations(equations(build, 3), state), of_ladder(state), rtol=1e-10
    )


def texts_chain(n: int) -> Model:
    """Rods of 1 m and 1.3 kg whose trailing bending is released, their ends the next ones' angles.

    Masses are the bodies', so that the beams are rigid links and no more.
    """
    model = Model("texts", gravity=(0, -GRAVITY))
    point, angle = model.point("p0", fixed=True), model.angle("a0")
    for i in range(n):
        end, next_angle = model.point(f"p{i + 1}", (i + 1.0, 0.0)), model.angle(f"a{i + 1}")
        beam = PlanarBeam(f"beam {i}", point, angle, end, next_angle, elongation="chord")
        model.add(beam).bending_q.release()
        body = Body(f"rod {i}", point, angle, mass=1.3, inertia=1.3 / 12, offset=(0.5, 0.0))
        model.add(body)
        angle.angle.dof(f"angle {i}", f"rate {i}")
        point, angle = end, next_angle
    angle.angle.fix()
    return model


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.heavy)])
def test_released_trailing_strains_are_hinges(seed: int) -> None:
    """The chord stays 1 m, so the chain is the pendulum of rods, at most 30 degrees bent."""
    random, n = np.random.default_rng(seed), 8
    state = np.r_[random.uniform(-1, 1, n), random.uniform(-0.25, 0.25, n)]
    rate, theta = np.split(state, 2)
    a = np.tri(n, k=-1) + np.eye(n) / 2
    expected = lagrange(a, np.full(n, 1.3), np.full(n, 1.3 / 12), theta, rate)
    found = accelerations(texts_chain(n).equations(), state)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * abs(expected).max())


@pytest.mark.heavy
def test_released_trailing_strains_cost_in_proportion() -> None:
    few, many = (
        sum(right_hand_side(texts_chain(n).equations().functions).values()) / n for n in (6, 12)
    )
    assert many <= 100
    assert many / few <= CONSTANT
