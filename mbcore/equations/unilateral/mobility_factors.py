"""Factors of the mobilities of held slips, by which some hold and the others follow from them.

Used by `mbcore.equations.unilateral.switched_constraints` alone; it stands apart because it is
linear algebra with numbers that are chosen at run time, and knows no joints.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.model.expressions import any_of, column, where
from mbcore.model.quantities.switched_constraints import SwitchedConstraint

REDUNDANT = 1e-12
"""Part of a held slip's mobility that the others leave, below which the slip follows from them. It
is less than what counts as singular, so an error names such a slip, and no force becomes NaN."""

HARDLY_MOVES = 0.1
"""Share of the largest mobility, in parts of a slip's smallest own one, below which it holds
nothing."""

LEFT = 1e-6
"""Part of its own mobility that a slip which follows from others may keep, by rounding:
the forces that hold may be a thousand times those that are held."""


class MobilityFactors:
    """L D Lᵀ of the slips' mobilities: a symmetric and positive semidefinite matrix.

    The measure is 0 where a slip that must be independent follows from those before it. The others
    come last, first those of friction, then those that hold what rests already, each in the order
    of their mobilities in units of their slips' sizes: one that follows from those before it holds
    nothing, and so does one that hardly moves, or vanishes while its joint moves on, such as that
    of a joint at a dead centre.

    Parameters
    ----------
    mobility : SX
        Slips' rates by unit multipliers, shape (nh, nh).
    jolts : SX
        Changes of rates by stopping each slip alone, the largest in parts of its nominal value,
        times the slip's mobility, shape (nh, 1).
    constraints : sequence of SwitchedConstraint
        The nh constraints.
    """

    def __init__(
        self, mobility: ca.SX, jolts: ca.SX, constraints: Sequence[SwitchedConstraint]
    ) -> None:
        n = len(constraints)
        self.mobility = ca.diag(mobility)
        active = column(c.active for c in constraints)
        strict = [c.limit is None for c in constraints]
        gate = ca.diag(active)
        sizes = ca.diag(column(ca.SX(1 if c.limit is None else 1 / c.nominal) for c in constraints))
        largest = _largest(mobility, constraints)
        self._order: ca.SX | None = None
        jolt = column(ca.SX(c.stopping.jolt) for c in constraints)
        following = column(ca.SX(c.stopping.following) for c in constraints)
        calm = jolts <= jolt * ca.diag(mobility)
        if all(strict):
            matrix = ca.SX.eye(n) - gate + gate @ mobility @ gate
        else:
            # Rows of slips that are not held are one where all must be independent, else zero.
            kept = ca.diag(column((1 - c.active) * (c.limit is None) for c in constraints))
            matrix = kept + sizes @ gate @ mobility @ gate @ sizes
            # Rest gives way to friction: a normal direction has its law, and needs no other force;
            # where it took the force of friction that follows from it, this load would end rest.
            ranks = [0 if c.limit is None else 2 if c.at_rest else 1 for c in constraints]
            order = _largest_first(ca.diag(matrix), ranks)
            matrix, strict = order @ matrix @ order.T, sorted(strict, reverse=True)
            calm, following = order @ calm, order @ following
            self._order = order @ sizes
        self._some = None if all(strict) else any_of(active)
        self._lower = ca.SX.eye(n)
        self._inverse: list[ca.SX] = []
        self.measure = ca.SX(1)
        holding = ca.SX.ones(n)
        pivots: list[ca.SX] = []
        for k in range(n):
            for j in range(k):
                rest = matrix[k, j] - sum(
                    (self._lower[k, i] * pivots[i] * self._lower[j, i] for i in range(j)), ca.SX(0)
                )
                self._lower[k, j] = rest * self._inverse[j]
            taken = sum((self._lower[k, i] ** 2 * pivots[i] for i in range(k)), ca.SX(0))
            pivot = matrix[k, k] - taken
            if strict[k]:
                good = pivot > REDUNDANT * matrix[k, k]
            else:
                hardly = ca.fmin(REDUNDANT, HARDLY_MOVES * following[k]) * largest
                least = ca.fmax(following[k] * matrix[k, k], hardly)
                good = ca.logic_and(pivot > least, calm[k])
            pivots.append(ca.if_else(good, pivot, 0))
            self._inverse.append(ca.if_else(good, 1 / ca.if_else(good, pivot, 1), 0))
            if strict[k]:
                self.measure *= ca.if_else(good, pivot / ca.if_else(good, matrix[k, k], 1), 0)
            else:
                holding[k] = good
        self.measure = 1 + self.where_held(self.measure - 1)
        at_rest = ca.SX(column(ca.SX(c.limit is None) for c in constraints))
        self.holding = holding
        self._matrix = gate @ mobility @ gate
        if self._order is not None:
            self.holding = at_rest + self.where_held(order.T @ holding - at_rest)
        """1 where a slip is independent of those before it, so that it can be held."""

    def without_effect(self) -> ca.SX:
        """Return multipliers that move no held slip, one column for each that follows from others.

        Shape (n, n); columns of others are zeros.
        """
        matrix = self._matrix
        directions = ca.SX.eye(matrix.shape[0]) - self.solve(matrix)
        own = ca.diag(matrix)
        # A slip that is not held for another reason does not follow from those that are.
        left = ca.fabs(ca.diag(matrix @ directions)) <= LEFT * own
        follows = ca.logic_and(own > 0, ca.logic_and(ca.logic_not(self.holding), left))
        return directions @ ca.diag(follows)

    def where_held(self, expression: ca.SX) -> ca.SX:
        """Return an expression, any shape; zero where friction holds no slip."""
        return expression if self._some is None else where(self._some, expression)

    def solve(self, right: ca.SX) -> ca.SX:
        """Return the solution for right-hand sides, shape (n, k)."""
        n = right.shape[0]
        if self._order is not None:
            right = self._order @ right
        rows = [right[i, :] for i in range(n)]
        for i in range(n):
            for j in range(i):
                rows[i] = rows[i] - self._lower[i, j] * rows[j]
        rows = [row * inverse for row, inverse in zip(rows, self._inverse, strict=True)]
        for i in reversed(range(n)):
            for j in range(i + 1, n):
                rows[i] = rows[i] - self._lower[j, i] * rows[j]
        found = ca.vertcat(*rows)
        return found if self._order is None else self._order.T @ found


def _largest(mobility: ca.SX, constraints: Sequence[SwitchedConstraint]) -> ca.SX:
    """Return the largest mobility of slips with limits, in units of their sizes."""
    largest = ca.SX(0)
    for k, c in enumerate(constraints):
        if c.limit is not None:
            largest = ca.fmax(largest, mobility[k, k] / c.nominal**2)
    return largest


def _largest_first(mobilities: ca.SX, ranks: Sequence[int]) -> ca.SX:
    """Return the permutation that sorts rows by rank, and by size within all but rank 0.

    Its row r is 1 at the place of what becomes row r; the places follow from comparisons, so that
    one expression serves all orders.
    """
    n = len(ranks)
    order = ca.SX(n, n)
    for row, i in enumerate(k for k in range(n) if ranks[k] == 0):
        order[row, i] = 1
    for rank in sorted(set(ranks) - {0}):
        alike = [k for k in range(n) if ranks[k] == rank]
        first = sum(other < rank for other in ranks)
        for i in alike:
            place = ca.SX(first)
            for j in alike:
                if j < i:
                    place += mobilities[j] >= mobilities[i]
                elif j > i:
                    place += mobilities[j] > mobilities[i]
            for row in range(first, first + len(alike)):
                order[row, i] = ca.eq(place, row)
    return order
