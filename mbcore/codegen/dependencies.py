"""Which variables each calculated variable depends on, from the sparsity of the functions.

The configuration x is what a Newton step of the position problem leaves as it is, so that what
depends on x depends on what that step contains. Every pattern is structural: it may name too much,
never too little.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore.codegen.table import RowKind, Table
from mbcore.equations.equations import Equations

_TIME, _STATES, _DISCRETES, _INPUTS, _PARAMETERS, _CONFIGURATION = range(6)
_KNOWN_KINDS: dict[int, RowKind] = {
    _TIME: "time",
    _STATES: "state",
    _INPUTS: "input",
    _PARAMETERS: "parameter",
}
_CALCULATED: dict[RowKind, str] = {
    "derivative": "derivative",
    "output": "output",
    "indicator": "indicator",
}


@dataclass(frozen=True)
class Dependencies:
    """Value references that each calculated variable depends on; None means on all.

    Attributes
    ----------
    running : dict of int to tuple of int
        On time, states and inputs, at events, in continuous time and at communication points.
    initial : dict of int to (tuple of int or None)
        On time, states, inputs and parameters, while initializing.
    """

    running: dict[int, tuple[int, ...]]
    initial: dict[int, tuple[int, ...] | None]


def dependencies(equations: Equations, table: Table) -> Dependencies:
    """Find the dependencies of derivatives, outputs, indicators and discrete variables."""
    newton = equations.functions["newton"]
    following = _closure(_pattern(newton, 0, _CONFIGURATION))
    configuration = {
        argument: _product(following, _pattern(newton, 0, argument))
        for argument in (*_KNOWN_KINDS, _DISCRETES)
    }
    running: dict[int, tuple[int, ...]] = {}
    initial: dict[int, tuple[int, ...] | None] = {}
    references = {kind: _references(table, kind) for kind in _KNOWN_KINDS.values()}
    for kind, name in _CALCULATED.items():
        function = equations.functions[name]
        through = _pattern(function, 0, _CONFIGURATION)
        total = {
            argument: _pattern(function, 0, argument) | _product(through, pattern)
            for argument, pattern in configuration.items()
        }
        for row in table.of(kind):
            known = {
                argument: tuple(
                    references[of][int(column)]
                    for column in np.flatnonzero(total[argument][row.index])
                )
                for argument, of in _KNOWN_KINDS.items()
            }
            parameters = known.pop(_PARAMETERS)
            running[row.reference] = tuple(sorted(sum(known.values(), ())))
            modes = bool(total[_DISCRETES][row.index].any())
            initial[row.reference] = (
                None if modes else tuple(sorted(running[row.reference] + parameters))
            )
    for row in table.of("discrete"):
        running[row.reference] = ()
        initial[row.reference] = None
    return Dependencies(running, _with_deciding(_from_inputs(initial, table), table))


def _with_deciding(
    initial: dict[int, tuple[int, ...] | None], table: Table
) -> dict[int, tuple[int, ...] | None]:
    """Let what depends on a start value or an enumeration depend on what decides it, too."""
    deciding = {
        table.named(row.stands_for).reference: row.reference
        for row in table.of("parameter")
        if row.stands_for is not None
    }
    return {
        row: None
        if known is None
        else tuple(sorted({*known, *(deciding[i] for i in known if i in deciding)}))
        for row, known in initial.items()
    }


def _from_inputs(
    initial: dict[int, tuple[int, ...] | None], table: Table
) -> dict[int, tuple[int, ...] | None]:
    """Let states that start at an input's value depend on it, and so what depends on them."""
    source = {
        row.reference: table.named(row.start_input).reference
        for row in table.of("state")
        if row.start_input is not None
    }
    found = initial | {state: (given,) for state, given in source.items()}
    return {
        row: None if known is None else tuple(sorted({source.get(i, i) for i in known}))
        for row, known in found.items()
    }


def _references(table: Table, kind: RowKind) -> dict[int, int]:
    return {row.index: row.reference for row in table.of(kind)}


def _pattern(function: ca.Function, result: int, argument: int) -> np.ndarray:
    """Return which entries of a result contain which of an argument, boolean."""
    sparsity = function.jac_sparsity(result, argument)
    pattern = np.zeros(sparsity.shape, dtype=bool)
    rows, columns = sparsity.get_triplet()
    pattern[rows, columns] = True
    return pattern


def _product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return (left.astype(float) @ right.astype(float)) > 0


def _closure(pattern: np.ndarray) -> np.ndarray:
    """Return what the coordinates depend on where each depends on others by a pattern."""
    closure = pattern | np.eye(len(pattern), dtype=bool)
    while True:
        wider = _product(closure, closure)
        if np.array_equal(wider, closure):
            return closure
        closure = wider
