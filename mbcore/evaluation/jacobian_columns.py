"""Columns of the Jacobian in Python, with all that they share evaluated once.

Used by `mbcore.evaluation.evaluation` alone, whose derivative in a direction repeats at each call
all that depends on the point alone, and calculates with the zeros of the direction. Here directions
of rates, which move nothing, and those of the other states have functions of their own, each with a
function of the point beside it.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore.equations.equations import Equations
from mbcore.equations.functions import FUNCTIONS
from mbcore.evaluation.bound_point import Bound, BoundPoint

PATIENCE = 400
"""Columns after which these functions are made, which takes about as long as some of these."""


@dataclass(frozen=True)
class _Part:
    """Functions for some of the directions."""

    places: range
    """The states that vary."""
    shared: ca.Function
    """Of the point; gives what all columns share."""
    column: ca.Function
    """Of the point, of that and of the direction; gives the change of the rates."""


_KNOWN: weakref.WeakKeyDictionary[Equations, tuple[_Part, ...]] = weakref.WeakKeyDictionary()


class JacobianColumns:
    """Evaluates all columns of the Jacobian at a point that moves.

    Parameters
    ----------
    point : BoundPoint
        The point.
    """

    def __init__(self, point: BoundPoint) -> None:
        equations = point.equations
        if equations not in _KNOWN:
            _KNOWN[equations] = _parts(equations)
        self._point = point
        at = [getattr(point, name) for name in FUNCTIONS["derivative"].arguments()]
        self._bound = []
        for part in _KNOWN[equations]:
            shared = Bound(part.shared, at)
            direction = np.zeros(len(part.places))
            column = Bound(part.column, [*at, shared.results[0][:, 0], direction])
            self._bound.append((part.places, shared, column, direction))

    def __call__(self, into: np.ndarray) -> None:
        """Write the columns at the present point into a matrix, shape (ns, ns)."""
        work = 0.0
        for places, shared, column, direction in self._bound:
            shared.run()
            for i, state in enumerate(places):
                direction[i] = 1.0
                column.run()
                into[:, state] = column.results[0][:, 0]
                direction[i] = 0.0
            work += shared.work + len(places) * column.work
        self._point.count(work)


def can_share(equations: Equations) -> bool:
    """Return whether the functions can be made: formulas that call others, as tables, have none."""
    tangent = equations.functions["tangent"]
    return bool(tangent.is_a("SXFunction")) and not tangent.find_functions()


def _parts(equations: Equations) -> tuple[_Part, ...]:
    n, rates = len(equations.states), equations.dofs
    places = (range(rates), range(rates, n))
    return tuple(_part(equations.functions["tangent"], each) for each in places if each)


def _part(tangent: ca.Function, places: range) -> _Part:
    *at, whole = (ca.SX.sym(tangent.name_in(i), *tangent.size_in(i)) for i in range(tangent.n_in()))
    direction, within = ca.SX.sym("direction", len(places)), ca.SX.zeros(whole.shape)
    within[places.start : places.stop] = direction
    [change] = tangent.call([*at, within])
    column, symbols, shared = ca.extract_parametric(change, ca.veccat(*at))
    symbol, value = ca.vertcat(*symbols), ca.vertcat(*shared)
    return _Part(
        places,
        ca.Function("shared", at, [ca.densify(value)]),
        ca.Function("column", [*at, symbol, direction], [ca.densify(column)]),
    )
