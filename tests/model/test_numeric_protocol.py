"""Expressions say themselves that they are not numbers: the same results, found sooner."""

from __future__ import annotations

from collections.abc import Callable
from operator import add, mul, sub, truediv

import casadi as ca
import numpy as np
import pytest

X, V = ca.SX.sym("x"), ca.SX.sym("v", 2)
NUMBERS, NUMBER = ca.SX([1.0, 2.5]), ca.SX(3.0)
FUNCTION = ca.Function("f", [X, V], [X * V])

MEANT: dict[str, Callable[[], object]] = {
    "matrix of numbers": lambda: ca.DM(NUMBERS),
    "no number": lambda: ca.DM(X),
    "float": lambda: float(NUMBER),
    "sum with numbers": lambda: NUMBERS + ca.DM([1, 2]),
    "array times expression": lambda: np.array([1.0, 2.0]) * X,
    "expression times array": lambda: X * np.array([1.0, 2.0]),
    "stacked": lambda: ca.vertcat(1, NUMBERS, ca.DM(2), X),
    "stacked numbers": lambda: ca.vertcat(1, 2.5),
    "product of matrices": lambda: ca.DM.eye(2) @ V,
    "function of numbers": lambda: FUNCTION(2, [1, 2]),
    "function of expressions": lambda: FUNCTION(NUMBER, NUMBERS),
    "with a text": lambda: X + "a",
    "with a graph": lambda: ca.MX.sym("m") + X,
    "graph of it": lambda: ca.MX(X),
    "put among numbers": lambda: ca.DM.zeros(2).__setitem__(0, X),
}


def outcome(call: Callable[[], object]) -> str:
    try:
        return f"{type(found := call()).__name__} {found}"
    except Exception as refused:
        return f"{type(refused).__name__} {refused}"


@pytest.mark.parametrize("call", MEANT.values(), ids=MEANT)
def test_calls_mean_what_they_meant(
    call: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = outcome(call)
    monkeypatch.delattr(ca.SX, "__DM__")
    assert found == outcome(call)


def test_no_search_for_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    # Else CasADi asks these two functions of Python of each argument of each sum and product.
    asked: list[object] = []
    for name in ("DM_from_array", "DM_from_csc"):
        monkeypatch.setattr(ca, name, lambda m, check_only=True: asked.append(m))
    _ = X + X, ca.vertcat(X, X), V.T @ V
    assert not asked
    monkeypatch.delattr(ca.SX, "__DM__")
    _ = X + X, X - X, X * X, X / X
    assert not asked  # operators of two expressions ask nothing at all
    _ = ca.vertcat(X, X)
    assert asked


@pytest.mark.parametrize("other", [X, V, NUMBERS, NUMBER, ca.SX(2, 1), ca.SX(1, 1), ca.SX.eye(2)])
def test_operators_give_what_functions_give(other: ca.SX) -> None:
    for operator, function in (
        (add, ca.plus), (sub, ca.minus), (mul, ca.times), (truediv, ca.rdivide)
    ):  # fmt: skip
        for x, y in ((V, other), (other, V), (X, other), (other, X)):
            assert outcome(lambda: operator(x, y)) == outcome(lambda: function(x, y))  # noqa: B023
