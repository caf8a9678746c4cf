"""Linear functions as sums: what a table in C holds of them; see ``mb_sums.h``.

The change of rates and outputs is linear in the variation. Each value on the way to it is a sum of
terms: a value before it, times a factor that depends on the point alone. Written as numbers, the
terms take a quarter of the bytes of their statements, and the transposed function reads the same
table from its end.

Used by `mbcore.codegen.sums.writing` alone; it stands apart because it knows no C.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import casadi as ca

from mbcore.codegen.program import Operation, Program

_SUMS = (ca.OP_ADD, ca.OP_SUB)


class Kind(IntEnum):
    """Kind of a term with a factor and a value, as in ``mb_sums.h``."""

    PRODUCT = 0
    QUOTIENT = 1
    CHOICE = 2


@dataclass(frozen=True)
class Term:
    """A part of a sum.

    Attributes
    ----------
    kind : Kind
        What it is.
    factor : int
        A value of the program that depends on the point alone.
    value : int
        A value of the program that is linear.
    negative : bool
        Whether the factor is to be taken with the other sign.
    """

    kind: Kind
    factor: int
    value: int
    negative: bool = False


class NotLinearError(Exception):
    """A function is not linear in its argument, or not written so."""


class Sums:
    """The sums of a function.

    Parameters
    ----------
    program : Program
        The function's program.
    results : sequence of sequence of int
        Values of each result; those of the first need none of the others.
    argument : int
        The argument in which they are linear.
    given : collection of int
        Values that need not be computed.

    Attributes
    ----------
    program : Program
        The same with constants 1 and 2, which may be factors.
    rows : dict of int to list of Term
        Sums by their values, in an order in which each needs only those before it.
    runs : list of list of int
        The same values in this order: those of a run have equally many terms of the same kind.
    first : int
        Number of the first runs, which are all that the first result needs.

    Raises
    ------
    NotLinearError
        The results are not linear, or have parts that are constant.
    """

    def __init__(
        self,
        program: Program,
        results: Sequence[Sequence[int]],
        argument: int,
        given: Collection[int],
    ) -> None:
        constants = [Operation(ca.OP_CONST, constant=value) for value in (1.0, 2.0)]
        self._operations = [*program.operations, *constants]
        self._one, self._two = len(program.operations), len(program.operations) + 1
        self.program = replace(program, operations=self._operations)
        self._argument = argument
        order = program.computed(results, given)
        self._linear = self._find_linear(order)
        self._uses = Counter(
            of for v in order if v in self._linear for of in program.operations[v].of
        )
        # results are values of their own
        self._uses.update(v for result in results for v in [*result, *result])
        self.rows: dict[int, list[Term]] = {}
        self.runs: list[list[int]] = []
        self.first = 0
        for k, result in enumerate(results):
            self._add([v for v in result if self._is_linear_result(v)])
            if k == 0:
                self.first = len(self.runs)

    def _find_linear(self, order: Sequence[int]) -> set[int]:
        """Return which values depend on the argument."""
        found: set[int] = set()
        for v in order:
            operation = self._operations[v]
            if any(of in found or self._is_entry(of) for of in operation.of):
                found.add(v)
        return found

    def _is_entry(self, v: int) -> bool:
        operation = self._operations[v]
        return operation.code == ca.OP_INPUT and operation.entry[0] == self._argument

    def _depends(self, v: int) -> bool:
        return v in self._linear or self._is_entry(v)

    def _is_linear_result(self, v: int) -> bool:
        """Return whether a result is a sum; entries of the argument and zeros need none."""
        if v in self._linear:
            return True
        operation = self._operations[v]
        if self._is_entry(v) or (operation.code == ca.OP_CONST and operation.constant == 0):
            return False
        raise NotLinearError

    def _add(self, wanted: Sequence[int]) -> None:
        """Add sums, and those that they need, in long runs."""
        found: dict[int, list[Term]] = {}
        pending = [v for v in wanted if v not in self.rows]
        while pending:
            v = pending.pop()
            if v in found or v in self.rows or self._is_entry(v):
                continue
            found[v] = self._terms(v)
            pending += [term.value for term in found[v]]
        runs = _in_runs({v: found[v] for v in sorted(found)})
        self.runs += runs
        self.rows |= {v: found[v] for run in runs for v in run}

    def _terms(self, v: int) -> list[Term]:
        """Return the terms of a sum, in the order in which they are added."""
        if self._operations[v].code not in _SUMS:
            return [self._term(v)]
        terms = []
        while True:
            operation = self._operations[v]
            a, b = operation.of
            if not (self._depends(a) and self._depends(b)):
                raise NotLinearError
            negative = operation.code == ca.OP_SUB
            if not negative and not self._is_part(a) and self._is_part(b):
                a, b = b, a
            terms.append(self._single(b, negative))
            if not self._is_part(a):
                return [self._single(a), *reversed(terms)]
            v = a

    def _is_part(self, v: int) -> bool:
        """Return whether a sum stands inside another one."""
        return self._taken_once(v) and self._operations[v].code in _SUMS

    def _taken_once(self, v: int) -> bool:
        return v in self._linear and self._uses[v] == 1

    def _single(self, v: int, negative: bool = False) -> Term:
        """Return one term for a value: itself, or the product that it is."""
        code = self._operations[v].code
        if self._taken_once(v) and code in (ca.OP_MUL, ca.OP_NEG, ca.OP_TWICE):
            term = self._term(v)
            return replace(term, negative=term.negative != negative)
        return Term(Kind.PRODUCT, self._one, v, negative)

    def _term(self, v: int) -> Term:
        """Return an operation that is not a sum as one term."""
        operation = self._operations[v]
        of = operation.of
        if operation.code == ca.OP_NEG:
            return Term(Kind.PRODUCT, self._one, of[0], True)
        if operation.code == ca.OP_TWICE:
            return Term(Kind.PRODUCT, self._two, of[0])
        if len(of) != 2 or self._depends(of[0]) == self._depends(of[1]):
            raise NotLinearError
        value, factor = of if self._depends(of[0]) else of[::-1]
        if operation.code == ca.OP_MUL:
            return Term(Kind.PRODUCT, factor, value)
        if operation.code == ca.OP_DIV and value == of[0]:
            return Term(Kind.QUOTIENT, factor, value)
        if operation.code == ca.OP_IF_ELSE_ZERO and value == of[1]:
            return Term(Kind.CHOICE, factor, value)
        raise NotLinearError


def _in_runs(rows: Mapping[int, Sequence[Term]]) -> list[list[int]]:
    """Return sums in an order in which many with equally many terms follow each other."""
    users: dict[int, list[int]] = {}
    missing: dict[int, int] = {}
    ready: dict[tuple[int, Kind], deque[int]] = {}

    def add(v: int) -> None:
        ready.setdefault((len(rows[v]), rows[v][0].kind), deque()).append(v)

    for v, row in rows.items():
        needed = {term.value for term in row if term.value in rows}
        missing[v] = len(needed)
        for of in needed:
            users.setdefault(of, []).append(v)
        if not needed:
            add(v)
    runs = []
    while any(ready.values()):
        queue, run = max(ready.values(), key=len), []
        while queue:
            v = queue.popleft()
            run.append(v)
            for user in users.get(v, ()):
                missing[user] -= 1
                if not missing[user]:
                    add(user)
        runs.append(run)
    return runs
