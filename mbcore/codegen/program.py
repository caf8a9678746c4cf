"""Expressions as a list of operations, with common values of several functions.

Each value is computed once and has a number of its own. Functions that need most values of a base
function read them from an array that it fills once a point.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from mbcore.model.errors import ModelError
from mbcore.model.tables.common_formulas import common_once
from mbcore.model.tables.lookup import Lookup, is_lookup, is_slope, lookup_of

PIECE, ENTRY = -1, -2
"""Codes beside CasADi's: where the row of a lookup begins, and an entry of it."""


@dataclass(frozen=True)
class Operation:
    """One value: an operation of CasADi on others, or a constant, or an entry of an argument.

    A ``lookup`` has its search as one value, and each ``entry`` of the row, (0, column), as others.
    """

    code: int
    of: tuple[int, ...] = ()
    constant: float = 0.0
    entry: tuple[int, int] = (0, 0)
    lookup: Lookup | None = None


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
    def lookups(self) -> list[Lookup]:
        """The lookups of all values, each once."""
        found = {o.lookup.name: o.lookup for o in self.operations if o.lookup is not None}
        return [found[name] for name in sorted(found)]

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
    [whole] = common_once([ca.vertcat(ca.SX(0, 1), *parts)])
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
    calls = _Calls(function, operations)
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
        if code == ca.OP_CALL:
            here |= calls.made(k, of, outputs)
            continue
        here[outputs[0]] = len(operations)
        operations.append(Operation(code, of))
    return operations, values


class _Calls:
    """Calls of functions in a program: lookups, and their derivatives, which are zero."""

    def __init__(self, function: ca.Function, operations: list[Operation]) -> None:
        self._function, self._operations = function, operations
        self._pieces: dict[tuple[str, int], int] = {}
        self._rows: dict[tuple[str, int, int], int] = {}

    @cached_property
    def _nodes(self) -> ca.SX:
        return self._function.instructions_sx()

    @cached_property
    def _lookups(self) -> dict[str, Lookup]:
        found = self._function.find_functions()
        return {f.name(): lookup_of(f) for f in found if is_lookup(f)}

    def made(self, k: int, of: tuple[int, ...], outputs: list[int]) -> dict[int, int]:
        """Return the values of an instruction's results, by their places in CasADi's memory."""
        function = self._nodes[k].which_function()
        wanted = {i: place for i, place in enumerate(outputs) if place >= 0}
        if is_slope(function):
            zero = self._added(Operation(ca.OP_CONST, constant=0.0))
            return dict.fromkeys(wanted.values(), zero)
        if function.name() not in self._lookups:
            raise ModelError(
                f"no C can be written for CasADi's {function}; convert an interpolant to a table, "
                "Table.of(function), and expand any other function, function.expand()"
            )
        lookup = self._lookups[function.name()]
        piece = of[0] if lookup.corners else self._pieces.get((lookup.name, of[0]))
        if piece is None:
            piece = self._added(Operation(PIECE, of, lookup=lookup))
            self._pieces[lookup.name, of[0]] = piece
        found = {}
        for i, place in wanted.items():
            key = lookup.name, piece, lookup.columns[i]
            if key not in self._rows:
                entry = Operation(ENTRY, (piece,), entry=(0, key[2]), lookup=lookup)
                self._rows[key] = self._added(entry)
            found[place] = self._rows[key]
        return found

    def _added(self, operation: Operation) -> int:
        self._operations.append(operation)
        return len(self._operations) - 1
