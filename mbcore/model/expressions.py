"""Small tools on CasADi expressions that hold for empty vectors and sparse values too."""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca


def column(parts: Iterable[ca.SX]) -> ca.SX:
    """Return the parts stacked as a dense column, shape (n, 1), n = 0 allowed."""
    return ca.densify(ca.vertcat(ca.SX(0, 1), *parts))


def replace(expression: ca.SX, symbols: ca.SX, values: ca.SX) -> ca.SX:
    """Return ``expression`` with ``values`` in the place of ``symbols``."""
    if symbols.numel() == 0 or expression.numel() == 0:
        return expression
    return ca.substitute(expression, symbols, ca.densify(values))


def depends(expression: ca.SX, symbols: ca.SX) -> bool:
    """Return whether ``expression`` depends structurally on any of ``symbols``."""
    if symbols.numel() == 0 or expression.numel() == 0:
        return False
    return bool(ca.depends_on(expression, symbols))


def total(terms: Iterable[ca.SX]) -> ca.SX:
    """Return the sum of scalars, zero for none."""
    result = ca.SX(0)
    for term in terms:
        result += term
    return result
