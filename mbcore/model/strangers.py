"""Symbols that a relation of places must not contain, refused by name."""

from __future__ import annotations

import casadi as ca

from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends
from mbcore.model.system import System


def refuse_strangers(title: str, expression: ca.SX, symbols: ca.SX, model: System) -> None:
    """Refuse symbols that a relation must not contain.

    Parameters
    ----------
    symbols : SX
        Symbols that it may contain besides positions, parameters, time, inputs and auxiliary
        states.

    Raises
    ------
    ModelError
        Naming the symbol.
    """
    given = [model.time, *(p.symbol for p in model.parameters.values())]
    given += [i.symbol for i in model.inputs.values()]
    given += [record.symbol for record, _ in model.states.values()]
    known = column([symbols, *model.symbols.places_in(expression), *given])
    for symbol in ca.symvar(expression):
        if not depends(known, symbol):
            raise ModelError(
                f"{title}: it holds {symbol}, which is not a value of a deformation or coordinate, "
                "parameter, input, auxiliary state or time of this model; forces belong in laws, "
                "and a variable that changes at events cannot move a mechanism"
            )
