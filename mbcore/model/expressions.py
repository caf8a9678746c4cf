"""Small tools on CasADi expressions that also work for empty vectors and sparse values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import casadi as ca
import numpy as np

_NOTHING = ca.SX(0, 1)


def symbolic(value: object) -> ca.SX:
    """Return an expression itself, which a copy would take time for, and a number as one."""
    return value if isinstance(value, ca.SX) else ca.SX(value)


def dense(matrix: ca.SX) -> ca.SX:
    """Return a matrix with all its zeros as elements; a dense one itself, which takes no time."""
    return matrix if matrix.is_dense() else ca.densify(matrix)


def sparse(matrix: ca.SX) -> ca.SX:
    """Return a matrix without zeros as elements; one that has none itself, which takes no time."""
    return ca.sparsify(matrix) if matrix.has_zeros() else matrix


def full(matrix: ca.DM) -> np.ndarray:
    """Return the numbers of a sparse matrix with all its zeros, in far less time than CasADi."""
    found = np.zeros(matrix.shape)
    rows, columns = matrix.sparsity().get_triplet()
    found[rows, columns] = matrix.nonzeros()
    return found


def column(parts: Iterable[ca.SX]) -> ca.SX:
    """Return the parts stacked as a dense column, shape (n, 1), n = 0 allowed."""
    stacked = [*parts]
    if not stacked:
        return ca.SX(0, 1)
    first = stacked[0]
    if len(stacked) == 1 and isinstance(first, ca.SX) and first.size2() == 1:
        return dense(first)  # CasADi would take its time to stack it alone
    return dense(ca.vertcat(_NOTHING, *stacked))


def replace(expression: ca.SX, symbols: ca.SX, values: ca.SX) -> ca.SX:
    """Return ``expression`` with ``values`` in the place of ``symbols``."""
    if symbols.numel() == 0 or expression.numel() == 0:
        return expression
    return ca.substitute(expression, symbols, dense(values))


Pairs = dict[int, tuple[ca.SX, ca.SX]]
"""Symbols and their values by the symbols' hashes."""


def paired(symbols: ca.SX, values: ca.SX) -> Pairs:
    """Return symbols and their values, to find them by those that an expression contains."""
    pairs = zip(scalars(symbols), scalars(values), strict=True)
    return {symbol.element_hash(): (symbol, value) for symbol, value in pairs}


def replace_found(expression: ca.SX, tables: Sequence[Pairs]) -> ca.SX:
    """Return ``expression`` with its symbols replaced by their values in the first table of each.

    CasADi's substitute visits all symbols that it gets; it gets those alone that are present.
    """
    keys = [symbol.element_hash() for symbol in ca.symvar(expression)]
    found = [next((table[k] for table in tables if k in table), None) for k in keys]
    known = [pair for pair in found if pair is not None]
    if not known:
        return expression
    symbols, values = zip(*known, strict=True)
    return ca.substitute([expression], symbols, values)[0]


class Substitution:
    """Values to substitute for symbols, in many small expressions that contain few of them."""

    def __init__(self, symbols: ca.SX, values: ca.SX) -> None:
        self._pairs = paired(symbols, values)
        # Formulas are asked for again and again. A hash is an address, so that what has it is kept.
        self._replaced: Pairs = {}

    def __call__(self, expression: ca.SX) -> ca.SX:
        """Return ``expression`` with its symbols replaced by their values."""
        if not self._pairs or expression.is_constant():
            return expression
        if not (expression.is_scalar() and expression.is_dense()):
            return replace_found(expression, [self._pairs])
        key = expression.element_hash()
        if expression.is_symbolic():
            pair = self._pairs.get(key)
            return expression if pair is None else pair[1]
        if key not in self._replaced:
            self._replaced[key] = expression, replace_found(expression, [self._pairs])
        return self._replaced[key][1]


def scalars(vector: ca.SX) -> list[ca.SX]:
    """Return the elements of a column, none for an empty one."""
    return dense(vector).nonzeros()  # in a fifth of the time of CasADi's vertsplit


def hashes(expression: ca.SX) -> set[int]:
    """Return the hashes of the symbols in an expression, to find many of them quickly."""
    within = symbolic(expression)
    if within.is_constant():  # which takes less time than to search
        return set()
    return {symbol.element_hash() for symbol in ca.symvar(within)}


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


def any_of(conditions: ca.SX) -> ca.SX:
    """Return whether any of several conditions, shape (n, 1), holds."""
    first, *others = scalars(conditions)
    for condition in others:
        first = ca.logic_or(first, condition)
    return first


def where(condition: ca.SX | float, expression: ca.SX) -> ca.SX:
    """Return an expression of any shape where a condition holds, else zeros.

    Nothing but the expression is computed for its sake, see `mbcore.codegen.guards`.
    """
    nonzeros = [ca.if_else(condition, entry, 0) for entry in expression.nonzeros()]
    return ca.SX(expression.sparsity(), column(nonzeros)) if nonzeros else expression
