"""Sides of kinks for derivatives, where the arguments of kinks depend on solved systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace as replace_kink

import casadi as ca
import numpy as np
import scipy

from mbcore.model.expressions import column, depends, replace, scalars
from mbcore.model.kinks import Kink, differences, sides_along, taken, weights
from mbcore.model.kinks import Sides as TakenSides
from mbcore.model.system import System
from mbcore.model.tables.common_formulas import common_once
from mbcore.model.variables import Input, Parameter

LAST = 1e-9
"""Weight of time and parameters: small, so that states and inputs, which linearizations vary,
decide first."""


def inwards(model: System, known: ca.SX) -> ca.SX:
    """Return a direction in which all arguments change and stay within their limits."""
    direction = weights(known)
    last = column([model.time, *(p.symbol for p in model.parameters.values())])
    for i, symbol in enumerate(ca.vertsplit(known)):
        if depends(symbol, last):
            direction[i] *= LAST
    records: list[Mapping[str, Input] | Mapping[str, Parameter]] = [model.inputs, model.parameters]
    place = {symbol.element_hash(): i for i, symbol in enumerate(ca.vertsplit(known))}
    for record in (r for of in records for r in of.values()):
        there = place.get(record.symbol.element_hash())
        if there is not None and record.maximum is not None:
            at_end = record.symbol >= record.maximum
            direction[there] *= ca.if_else(at_end, -1, 1)
    return direction


def within(model: System) -> TakenSides:
    """Return the function that takes sides of kinks by `inwards`, for expressions of arguments."""

    def sides(kinks: Sequence[Kink]) -> list[ca.SX]:
        symbols = column(ca.symvar(differences(kinks)))
        return sides_along(kinks, symbols, inwards(model, symbols))

    return sides


class Sides:
    """Symbols for the sides of kinks, used until all that these depend on is solved.

    Attributes
    ----------
    kinks : list of Kink
        Kinks whose side was needed.
    """

    def __init__(self) -> None:
        self.kinks: list[Kink] = []
        self._symbols: list[ca.SX] = []

    def __call__(self, kinks: Sequence[Kink]) -> list[ca.SX]:
        """Return symbols for the sides of kinks."""
        symbols = [ca.SX.sym(f"side{len(self.kinks) + i}") for i in range(len(kinks))]
        self.kinks += kinks
        self._symbols += symbols
        return symbols

    def put(
        self, expression: ca.SX, at: Callable[[ca.SX], ca.SX], along: Callable[[ca.SX], ca.SX]
    ) -> ca.SX:
        """Replace the symbols in an expression by the sides.

        Parameters
        ----------
        at : callable
            Returns arguments of kinks as functions of the state.
        along : callable
            Returns their changes in the direction that decides, `inwards`.
        """
        sides: list[ca.SX] = []
        while len(sides) < len(self.kinks):  # the change of a kink may need sides of further ones
            known = len(sides)
            alike = _alike(self.kinks)
            new = [i for i in range(known, len(self.kinks)) if alike[i] == i]
            sides += [self._symbols[i] for i in alike[known:]]
            if not new:
                break
            asked = [self.kinks[i] for i in new]
            first = at(column(kink.first for kink in asked))
            second = at(column(kink.second for kink in asked))
            there = [
                replace_kink(kink, first=first[i], second=second[i]) for i, kink in enumerate(asked)
            ]
            for i, side in zip(new, taken(there, along(differences(asked))), strict=True):
                sides[i] = side
        symbols, values = column(self._symbols), column(_without_circles(sides, self._symbols))
        while depends(values, symbols):
            values = replace(values, symbols, values)
        return replace(expression, symbols, values)


def _alike(kinks: Sequence[Kink]) -> list[int]:
    """Return for each kink the place of the first one of the same arguments.

    Derivatives of several formulas, and of kinks around them, ask for a kink again and again: those
    of a car for 128 ones 2,592 times.
    """
    both = column([*(kink.first for kink in kinks), *(kink.second for kink in kinks)])
    [once] = common_once([both])
    arguments = [argument.element_hash() for argument in scalars(once)]
    firsts: dict[tuple[int, int, int], int] = {}
    return [
        firsts.setdefault((first, second, kink.sign), i)
        for i, (kink, first, second) in enumerate(
            zip(kinks, arguments[: len(kinks)], arguments[len(kinks) :], strict=True)
        )
    ]


def _without_circles(sides: Sequence[ca.SX], symbols: Sequence[ca.SX]) -> list[ca.SX]:
    """Return sides of which none depends on itself.

    The force of an implicit law moves the arguments of kinks in that law, so that the side at a tie
    depends on the side that is taken. There it is found as if the first arguments were taken.
    """
    # All sides at once, for they have nearly everything in common.
    rows, columns = ca.jacobian_sparsity(column(sides), column(symbols)).get_triplet()
    needs = scipy.sparse.coo_array(
        (np.ones(len(rows)), (rows, columns)), shape=(len(sides), len(sides))
    )
    circle = scipy.sparse.csgraph.connected_components(needs, connection="strong")[1]
    itself = {i for i, k in zip(rows, columns, strict=True) if i == k}
    circular = [i for i, n in enumerate(np.bincount(circle)[circle]) if n > 1 or i in itself]
    asked, first = column(symbols[i] for i in circular), ca.SX.ones(len(circular))
    return [replace(side, asked, first) if i in circular else side for i, side in enumerate(sides)]
