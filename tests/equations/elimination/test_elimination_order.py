"""The order of elimination: few unknowns are coupled, in whichever order parts were added."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from benchmarks.scaling.operations import right_hand_side
from mbcore import Body, Equations, Model, PlanarHinge, RigidLink
from mbcore.equations.elimination.ordering import LEAST_GAIN, elimination_order
from mbcore.evaluation.evaluation import Evaluation
from tests.equations.test_scaling import lagrange

Needs = list[set[int]]


def work(order: tuple[int, ...] | list[int], sizes: list[int], needs: Needs, mass: Needs) -> float:
    """Entries that change in an elimination, counted in a matrix that says what is coupled."""
    n = len(sizes)
    coupled = np.zeros((n, n), bool)
    for b, others in enumerate(mass):
        for k in others:
            coupled[b, k] = coupled[k, b] = True
    left, total = set(range(n)), 0.0
    for b in reversed(order):
        assert not any(b in needs[c] for c in left), "needed by what is left"
        left.remove(b)
        near = {k for k in left if coupled[b, k]} | (needs[b] if coupled[b].any() else set())
        total += sizes[b] * (sizes[b] + sum(sizes[k] for k in near)) ** 2
        for i, j in itertools.product(near, near):
            coupled[i, j] = True
        coupled[b], coupled[:, b] = False, False
    return total


def comb(n: int) -> tuple[list[int], Needs, Needs]:
    """A row of angles, each of which needs the one before, then a row of points on them."""
    needs: Needs = [{i - 1} if i else set() for i in range(n)]
    needs += [{i, n + i - 1} if i else {0} for i in range(n)]
    mass: Needs = [set() for _ in range(n)] + [{n + i, i} for i in range(n)]
    return [1] * n + [2] * n, needs, mass


def test_a_comb_is_taken_tooth_by_tooth() -> None:
    sizes, needs, mass = comb(20)
    order = elimination_order(sizes, needs, mass)
    assert sorted(order) == list(range(40))
    found, before = work(order, sizes, needs, mass), work(range(40), sizes, needs, mass)  # type: ignore[arg-type]
    assert found < 0.2 * before
    twice = comb(40)
    assert work(elimination_order(*twice), *twice) == pytest.approx(2 * found, rel=0.05)


@pytest.mark.parametrize("seed", range(20))
def test_no_order_is_worse_than_the_one_that_is_given(seed: int) -> None:
    random, n = np.random.default_rng(seed), 6
    sizes = random.integers(1, 4, n).tolist()
    needs = [{k for k in range(b) if random.random() < 0.3} for b in range(n)]
    mass = [{k for k in range(b + 1) if random.random() < 0.4} for b in range(n)]
    order = elimination_order(sizes, needs, mass)
    found, given = (work(o, sizes, needs, mass) for o in (order, list(range(n))))
    assert order == list(range(n)) or found < LEAST_GAIN * given
    orders = itertools.permutations(range(n))
    able = [o for o in orders if all(o.index(k) < o.index(b) for b in range(n) for k in needs[b])]
    assert found <= 2 * min(work(o, sizes, needs, mass) for o in able)


def pendulum(n: int, seed: int) -> Equations:
    """A chain of n rods of 1 m, all angles absolute; parts are added in an order by chance."""
    model = Model("pendulum", gravity=(0, -9.81))
    points = [model.point("p0", fixed=True)]
    points += [model.point(f"p{i}", (float(i), 0.0)) for i in range(1, n + 1)]
    angles = [model.angle("wall", fixed=True), *(model.angle(f"a{i}") for i in range(n))]
    parts: list[Body | PlanarHinge | RigidLink] = []
    for i in range(n):
        p, q, angle = points[i], points[i + 1], angles[i + 1]
        parts.append(PlanarHinge(f"hinge {i}", angles[i], angle))
        parts.append(RigidLink(f"link {i}", p, angle, q, offset=(1.0, 0.0)))
        parts.append(Body(f"rod {i}", p, angle, mass=1.0, inertia=1 / 12, offset=(0.5, 0)))
    np.random.default_rng(seed).shuffle(parts)  # type: ignore[arg-type]
    for part in parts:
        model.add(part)
    for i in range(n):
        model.elements[f"hinge {i}"].angle.dof(f"angle {i}", f"rate {i}")
    return model.equations()


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.heavy) for k in (1, 2))])
def test_the_order_of_parts_does_not_matter(seed: int) -> None:
    made = pendulum(12, seed)
    assert sum(right_hand_side(made.functions).values()) < 12 * 100
    names = [state.name for state in made.states]
    state = np.random.default_rng(7).uniform(-1, 1, 24)
    rate, angle = np.split(state, 2)
    point = Evaluation(made)
    point.start()
    for i in range(12):
        point.s[names.index(f"rate {i}")] = rate[i]
        point.s[names.index(f"angle {i}")] = angle[i]
    point.configure()
    there = point.derivative()
    found = [there[names.index(f"rate {i}")] for i in range(12)]
    a = np.tri(12, k=-1) + np.eye(12) / 2
    absolute = lagrange(a, np.ones(12), np.full(12, 1 / 12), np.cumsum(angle), np.cumsum(rate))
    expected = np.diff(absolute, prepend=0.0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * abs(expected).max())
