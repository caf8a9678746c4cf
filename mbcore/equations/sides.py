"""Which sides of kinks derivatives take, where what is solved for moves with what is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace as replace_kink

import casadi as ca

from mbcore.model.expressions import column, depends, replace
from mbcore.model.kinks import Kink, differences, jtimes, taken, weights
from mbcore.model.kinks import Sides as TakenSides
from mbcore.model.system import System
from mbcore.model.variables import Input, Parameter

LAST = 1e-9
"""Weight of time and parameters: states and inputs, which linearizations vary, decide before."""


def inwards(model: System, known: ca.SX) -> ca.SX:
    """Return a direction in which all that is known changes and stays within its limits."""
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
    """Return what takes the sides of kinks between expressions of what is known, by `inwards`."""

    def sides(kinks: Sequence[Kink]) -> list[ca.SX]:
        apart = differences(kinks)
        symbols = column(ca.symvar(apart))
        return taken(kinks, jtimes(apart, symbols, inwards(model, symbols), sides))

    return sides


class Sides:
    """Symbols for the sides of kinks, until everything is solved that these depend on.

    Attributes
    ----------
    kinks : list of Kink
        Those that were asked for.
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
        """Put the sides into an expression.

        Parameters
        ----------
        at : callable
            Returns expressions, as kinks have them, as functions of the state.
        along : callable
            Returns how they change in the direction that decides, `inwards`.
        """
        sides: list[ca.SX] = []
        while len(sides) < len(self.kinks):  # how a kink changes may need sides of others
            asked = self.kinks[len(sides) :]
            first = at(column(kink.first for kink in asked))
            second = at(column(kink.second for kink in asked))
            there = [
                replace_kink(kink, first=first[i], second=second[i]) for i, kink in enumerate(asked)
            ]
            sides += taken(there, along(differences(asked)))
        symbols, values = column(self._symbols), column(sides)
        while depends(values, symbols):
            values = replace(values, symbols, values)
        return replace(expression, symbols, values)
