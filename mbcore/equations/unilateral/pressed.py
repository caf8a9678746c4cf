"""The closed contacts of a large group that an impulse presses, while others open one by one.

With the inverse K of the mobilities of closed contacts, zero in rows of open ones, an impulse with
the response r at the gaps is answered by p = -K r. A contact that opens leaves K by a change of
rank one. So all that open one after another cost as much as some factorizations, where a system
for each round would cost as many factorizations as there are contacts.

Used by `mbcore.equations.unilateral.impulses` alone; it stands apart because small groups solve a
system in each round, and need none of it.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from mbcore.model.expressions import any_of, column, scalars, total, where

LARGE = 8
"""Number of contacts up to which a group solves a system in each round."""


def pressed(
    mobility: ca.SX, closed: ca.SX, answered: ca.SX, pulled: Callable[[ca.SX], ca.SX]
) -> tuple[ca.SX, ca.SX]:
    """Return which contacts stay closed, (n, 1), and their impulses, (n, k).

    In a round all that are pulled open, and one round follows another until none is.

    Parameters
    ----------
    mobility : SX
        Gaps' rates by unit impulses, shape (n, n), symmetric.
    closed : SX
        Modes before, shape (n, 1).
    answered : SX
        Gaps' rates by the k unit impulses that are answered, shape (n, k).
    pulled : callable
        Returns, for impulses (n, k), whether each contact is pulled, (n, 1).
    """
    n = mobility.shape[0]
    inverse = _Inverse(mobility, closed)
    impulses = -inverse.times(answered)
    stays, waiting = closed, ca.SX.zeros(n)
    for _ in range(n - 1):
        none = ca.logic_not(any_of(waiting > 0.5))
        seen = ca.logic_and(pulled(impulses), stays > 0.5)
        waiting = ca.if_else(none, seen, waiting)
        opening = column(_first(scalars(waiting)))
        opens = any_of(opening > 0.5)
        response = inverse.column(opening)
        pivot = ca.dot(response, opening)
        factor = where(opens, 1 / ca.if_else(opens, pivot, 1))
        impulses = impulses - response @ (factor * (opening.T @ impulses))
        inverse.take(response, factor)
        stays, waiting = stays * (1 - opening), waiting * (1 - opening)
        impulses = ca.diag(stays) @ impulses
    return stays, impulses


def _first(conditions: list[ca.SX]) -> list[ca.SX]:
    """Return 1 at the first place where a condition holds, else 0."""
    found, before = [], ca.SX(0)
    for condition in conditions:
        found.append(ca.logic_and(condition > 0.5, ca.logic_not(before)))
        before = ca.logic_or(before, condition > 0.5)
    return found


class _Inverse:
    """K of the mobilities of closed contacts: the lower triangle, column by column."""

    def __init__(self, mobility: ca.SX, closed: ca.SX) -> None:
        n = self._n = mobility.shape[0]
        self._columns = [ca.SX(n - j, 1) for j in range(n)]
        for k in range(n):
            # The first k contacts are in; the next one comes, if it is closed.
            way = self.times(ca.densify(mobility[:, k]), k)
            apart = mobility[k, k] - ca.dot(way[:k], mobility[:k, k])
            way[k] = -1
            joins = closed[k] > 0.5
            self._add(way, where(joins, 1 / ca.if_else(joins, apart, 1)), k + 1)

    def _entry(self, i: int, j: int) -> ca.SX:
        return self._columns[min(i, j)][abs(i - j)]

    def _add(self, vector: ca.SX, factor: ca.SX, count: int) -> None:
        """Add the product of a vector, of which only the first entries are not zero, and itself."""
        scaled = vector * factor
        for j in range(count):
            there = self._columns[j]
            there[: count - j] = there[: count - j] + vector[j:count] * scaled[j]

    def take(self, vector: ca.SX, factor: ca.SX) -> None:
        """Subtract the product of a vector and itself."""
        self._add(vector, -factor, self._n)

    def times(self, right: ca.SX, count: int | None = None) -> ca.SX:
        """Return K times a matrix, (n, k), if only the first ``count`` contacts are in."""
        many = self._n if count is None else count
        rows = [
            ca.horzcat(*(self._entry(i, j) for j in range(many))) @ right[:many, :]
            for i in range(many)
        ]
        rest = ca.SX.zeros(self._n - many, right.shape[1])
        return ca.vertcat(ca.SX(0, right.shape[1]), *rows, rest)

    def column(self, hot: ca.SX) -> ca.SX:
        """Return the column where ``hot`` is 1, or zeros, shape (n, 1)."""
        n, hots = self._n, scalars(hot)
        return column(total(where(hots[j], self._entry(i, j)) for j in range(n)) for i in range(n))
