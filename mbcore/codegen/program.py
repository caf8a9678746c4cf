"""Expressions as a list of operations, with common values of several functions.

Each value is computed once and has a number of its own. Functions that need most values of a base
function read them from an array that it fills once a point.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca


@dataclass(frozen=True)
class Operation:
    """One value: an operation of CasADi on others, or a constant, or an entry of an argument."""

    code: int
    of: tuple[int, ...] = ()
    constant: float = 0.0
    entry: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Program:
    """Values in an order in which each needs only those before it.

    Attributes
    ----------
    operations : list of Operation
        By number of the value.
    results : dict of str to list of list of int
        Values of each function's results, dense.
    branches : bool
        Whether C leaves out what a condition makes needless.
    """

    operations: list[Operation]
    results: dict[str, list[list[int]]]
    branches: bool = False

    def computed(self, results: Sequence[Sequence[int]], given: Collection[int] = ()) -> list[int]:
        """Return the values that are computed for results, in order.

        Parameters
        ----------
        results : sequence of sequence of int
            Values of each result.
        given : collection of int
            Values that are known, beside constants and entries of arguments.
        """
        sources, found = self._sources, set(given)
        pending = [v for result in results for v in result]
        while pending:
            v = pending.pop()
            if v not in found and (of := sources[v]) is not None:
                found.add(v)
                pending += of
        return sorted(found.difference(given))

    @cached_property
    def _sources(self) -> list[tuple[int, ...] | None]:
        """The values that each is computed from; None for constants and entries of arguments."""
        known = (ca.OP_CONST, ca.OP_INPUT)
        return [None if operation.code in known else operation.of for operation in self.operations]


def program(
    functions: Mapping[str, tuple[ca.Function, Sequence[int]]],
    arguments: Sequence[ca.SX],
    branches: bool = False,
) -> Program:
    """Merge functions of the same arguments.

    Parameters
    ----------
    functions : mapping of str to (casadi.Function, sequence of int)
        SX functions, and which of the arguments each takes.
    arguments : sequence of SX
        Symbols for all arguments; ``Operation.entry`` counts in them.
    branches : bool
        Whether their C leaves out what a condition makes needless.
    """
    parts: list[ca.SX] = []
    ends: dict[str, list[int]] = {}
    for name, (function, taken) in functions.items():
        results = function.call([arguments[i] for i in taken], True, False)
        ends[name] = [int(r.numel()) for r in results]
        parts += [ca.vec(ca.densify(r)) for r in results]
    whole = ca.cse(ca.vertcat(ca.SX(0, 1), *parts))
    operations, values = _operations(ca.Function("merged", list(arguments), [ca.densify(whole)]))
    results_of: dict[str, list[list[int]]] = {}
    first = 0
    for name, sizes in ends.items():
        results_of[name] = []
        for size in sizes:
            results_of[name].append(values[first : first + size])
            first += size
    return Program(operations, results_of, branches)


def _operations(function: ca.Function) -> tuple[list[Operation], list[int]]:
    """Return the operations of a function, and the values of its only result."""
    operations: list[Operation] = []
    here: dict[int, int] = {}
    values = [0] * int(function.numel_out(0))
    constants: dict[float, int] = {}
    entries: dict[tuple[int, int], int] = {}
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        inputs, outputs = function.instruction_input(k), function.instruction_output(k)
        if code == ca.OP_OUTPUT:
            values[outputs[1]] = here[inputs[0]]
            continue
        if code == ca.OP_CONST:
            constant = function.instruction_constant(k)
            if constant not in constants:
                constants[constant] = len(operations)
                operations.append(Operation(code, constant=constant))
            here[outputs[0]] = constants[constant]
            continue
        if code == ca.OP_INPUT:
            entry = (inputs[0], inputs[1])
            if entry not in entries:
                entries[entry] = len(operations)
                operations.append(Operation(code, entry=entry))
            here[outputs[0]] = entries[entry]
            continue
        of = tuple(here[i] for i in inputs)
        here[outputs[0]] = len(operations)
        operations.append(Operation(code, of))
    return operations, values
