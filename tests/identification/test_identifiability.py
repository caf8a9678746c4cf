"""What data can tell, in constructed cases whose answer is known from their formulas."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from mbcore.identification.identifiability import Identifiability, identified

Formula = Callable[..., list[ca.SX]]
POINT = np.array([1.3, 0.7, 2.1, 0.4])

UNTOLD: dict[str, tuple[int, Formula, set[str]]] = {
    "product": (2, lambda a, b: [a * b], {"a · b"}),
    "ratio": (2, lambda a, b: [a / b, (a / b) ** 2], {"a / b"}),
    "square": (2, lambda a, b: [a * b**2], {"a · b²"}),
    "root": (2, lambda a, b: [ca.sqrt(a / b)], {"a / b"}),
    "sum": (2, lambda a, b: [a + b, ca.sin(a + b)], {"a + b"}),
    "weighted": (2, lambda a, b: [a - 2 * b], {"a - 2 · b"}),
    "three": (3, lambda a, b, c: [a * b * c], {"a · b · c"}),
    "two ratios": (3, lambda a, b, c: [a / c, b / c], {"a / c", "b / c"}),
    "steiner": (3, lambda a, b, c: [a * b, c + a * b**2], {"a · b", "c + a · b²"}),
    "one apart": (3, lambda a, b, c: [a * b, c], {"a · b"}),
    "pairs": (4, lambda a, b, c, d: [a * b, c + d], set()),
    "nothing of one": (2, lambda a, b: [a], set()),
}
TOLD: dict[str, tuple[int, Formula]] = {
    "alone": (1, lambda a: [a**3]),
    "both": (2, lambda a, b: [a, b]),
    "product and sum": (2, lambda a, b: [a * b, a + b]),
    "frequencies": (2, lambda a, b: [ca.sqrt(a / b), b]),
    "nearly alike": (2, lambda a, b: [a + b, a + 1.001 * b]),
    "decay": (2, lambda a, b: [a * ca.exp(-b * t) for t in (0.1, 0.5, 1.0)]),
    "beat": (2, lambda a, b: [ca.sin(a * t) + ca.sin(b * t) for t in (0.3, 0.9, 2.0)]),
    "steiner twice": (3, lambda a, b, c: [a * b, c + a * b**2, a]),
    "three": (3, lambda a, b, c: [a * b, b * c, c * a]),
    "scales": (2, lambda a, b: [1e3 * a, 1e-3 * b]),
    "weak": (2, lambda a, b: [a, 1e-4 * b]),
    "four": (4, lambda a, b, c, d: [a * b, b + c, c * d, a + d + b]),
}


def sensitivities(count: int, formula: Formula) -> Callable[[np.ndarray], np.ndarray]:
    symbols = ca.SX.sym("p", count)
    jacobian = ca.jacobian(ca.vertcat(*formula(*ca.vertsplit(symbols))), symbols)
    evaluated = ca.Function("sensitivities", [symbols], [jacobian])
    return lambda values: np.array(evaluated(values))


def told_of(count: int, formula: Formula) -> Identifiability:
    point = POINT[:count]
    bounds = np.full(count, -np.inf), np.full(count, np.inf)
    return identified("abcd"[:count], point, np.abs(point), bounds, sensitivities(count, formula))


@pytest.mark.parametrize("name", UNTOLD)
def test_untold_combinations_are_named(name: str) -> None:
    count, formula, combinations = UNTOLD[name]
    told = told_of(count, formula)
    expected = np.linalg.matrix_rank(sensitivities(count, formula)(POINT[:count]))
    assert told.rank == expected < count
    assert not told.complete and told.missing
    assert len(told.directions) + len(told.unseen) == count - told.rank
    if combinations:
        assert set(told.combinations) == combinations
    jacobian = sensitivities(count, formula)(POINT[:count]) * POINT[:count]
    for direction in told.directions:
        change = sum(value * jacobian[:, "abcd".index(n)] for n, value in direction.items())
        assert np.abs(change).max() < 1e-5 * np.abs(jacobian).max()


@pytest.mark.parametrize("name", TOLD)
def test_none_is_invented(name: str) -> None:
    told = told_of(*TOLD[name])
    assert told.complete and told.missing == "" and not told.directions and not told.unseen
