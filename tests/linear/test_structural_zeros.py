"""Zeros by structure are taken out exactly, whatever chain they form; the others stay exact."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Linearization, Model, linearize
from mbcore.elements import Body
from mbcore.linear.factors import DenseFactors
from mbcore.linear.structural_zeros import Deflation


def chain(stiffness: float, damping: float, depth: int) -> Linearization:
    """A damped oscillator; a free mass with as many integrators of its place as is deep."""
    model = Model("chain")
    p, q = model.point("p", (0.0, 0.0)), model.point("q", (0.0, 1.0))
    for point, name in ((p, "held"), (q, "free")):
        point.y.fix()
        point.x.dof(name, f"{name}.rate")
        model.add(Body(name, point, None, mass=2.0))
    p.x.law(stiffness * p.x.value + damping * p.x.rate)
    felt = q.x.value
    for i in range(depth):
        felt = model.state(f"integral{i}", felt)
    return linearize(model.equations())


@pytest.mark.parametrize("depth", [0, 1, 4])
def test_a_chain_of_integrators_leaves_the_others_exact(depth: int) -> None:
    found = chain(3.0, 0.5, depth)
    # 2 s² + 0.5 s + 3 = 0
    pair = np.roots([2.0, 0.5, 3.0])
    assert np.sort_complex(found.eigenvalues()) == pytest.approx(np.sort_complex(pair), abs=1e-15)
    assert list(found.structural_zeros) == [
        *(f"integral{i}" for i in reversed(range(depth))), "free", "free.rate"
    ]  # fmt: skip
    every = found.eigenvalues(zeros=True)
    np.testing.assert_array_equal(every[2:], np.zeros(2 + depth))
    assert len(found.modes(zeros=True)) == every.size == 4 + depth


def test_an_overdamped_motion_is_no_structural_zero() -> None:
    # without a spring the place is one, and its rate decays with c/m; soft ones stay
    assert list(chain(0.0, 0.5, 0).structural_zeros) == ["held", "free", "free.rate"]
    assert chain(0.0, 0.5, 0).eigenvalues() == pytest.approx([-0.25])
    soft = chain(1e-14, 0.5, 0)
    assert soft.eigenvalues() == pytest.approx([-2e-14, -0.25], rel=1e-3)


def test_modes_are_those_of_the_whole_matrix() -> None:
    """Random matrices with each kind of structure: S v = λ v for the completed shapes."""
    random = np.random.default_rng(3)
    nd, ns = 3, 9
    for _ in range(20):
        S = np.zeros((ns, ns))
        S[:nd] = random.standard_normal((nd, ns))
        S[nd : 2 * nd, :nd] = np.eye(nd)
        S[2 * nd :] = random.standard_normal((ns - 2 * nd, ns))
        S[2 * nd, nd:] = 0.0  # a kinematic coordinate of an equilibrium
        S[:, [2 * nd + 1, nd]] = 0.0  # two coordinates that nothing feels
        S[2 * nd, 0] = 0.0  # it follows the values that are felt
        found = Deflation(S, S != 0, nd)
        assert sorted(found.zeros) == [nd, 2 * nd, 2 * nd + 1]
        values, vectors = np.linalg.eig(found.reduced)
        for value, vector in zip(values, vectors.T, strict=True):
            shape = found.shape(value, vector)
            assert np.abs(S @ shape - value * shape).max() < 1e-12 * np.abs(shape).max()
        still = found.still(2 * nd)
        felt = [i for i in range(ns) if i not in (nd, 2 * nd + 1)]
        assert np.abs(S @ still)[felt].max() < 1e-12
        # the same determinant of s - S, but for the zeros
        expected = np.poly(S)
        assert expected[-3:] == pytest.approx([0, 0, 0], abs=1e-10)
        assert np.poly(found.reduced) == pytest.approx(expected[:-3], abs=1e-10)


def test_traces_of_rounding_are_told_from_small_numbers() -> None:
    # x = (1, -1, 1e-9); an orthogonal factor leaves traces of 1e-16 where there are zeros
    rng = np.random.default_rng(3)
    J = np.linalg.qr(rng.normal(size=(60, 60)))[0] @ np.diag(np.geomspace(1, 1e3, 60))
    exact = np.zeros((60, 1))
    exact[[4, 17, 40], 0] = 1.0, -1.0, 1e-9
    model = Model("none")
    model.output("one", 1.0)
    factors = DenseFactors(J, "made", model.equations())
    found = factors.solve(J @ exact)
    assert np.count_nonzero(found) > 50
    cleaned = factors.without_rounding(found)
    assert np.flatnonzero(cleaned).tolist() == [4, 17, 40]
    assert cleaned[40, 0] == pytest.approx(1e-9, rel=1e-5)


def test_a_model_without_states_has_no_eigenvalues() -> None:
    model = Model("none")
    model.output("one", 1.0)
    assert linearize(model.equations()).eigenvalues().shape == (0,)
