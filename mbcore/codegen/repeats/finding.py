"""Rows of operations that repeat: what equal parts of a model bring, one part after the other.

CasADi lists the operations of equal parts in equal order, so that their codes, and from where they
take values, have a period. The first part of a row often shares values with others and is left
out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore.codegen.program import Program

SHORTEST = 1000
"""Statements of a function from which on repetitions are looked for."""
FEWEST = 8
"""Rounds of a loop."""
SMALLEST = 128
"""Statements that are worth a loop."""
_ALIKE = 8
"""Operations by which a repetition is recognized."""
_TRIES = 60
"""Periods that are tried at one place."""
_BETTER = 1.1
"""By how much a longer period has to save more statements than a shorter one."""


@dataclass(frozen=True)
class Repeat:
    """Values whose operations repeat.

    Attributes
    ----------
    rounds : list of list of int
        The values of each round, in equal order.
    """

    rounds: list[list[int]]

    @property
    def values(self) -> list[int]:
        """All values, in their order."""
        return [v for values in self.rounds for v in values]


def in_repeats(
    program: Program, order: Sequence[int], given: Mapping[int, str]
) -> list[Repeat | list[int]]:
    """Cut an order of values into what repeats and what does not.

    Parameters
    ----------
    program : Program
        Where the values are.
    order : sequence of int
        Values, each after those that it needs.
    given : dict of int to str
        Where values are that need not be computed.
    """
    if len(order) < SHORTEST or program.branches:
        return [list(order)]
    found: list[Repeat | list[int]] = []
    done = 0
    for begin, rounds, period in _periods(_kinds(program, order, given)):
        if begin > done:
            found.append(list(order[done:begin]))
        done = begin + rounds * period
        found.append(Repeat([list(order[i : i + period]) for i in range(begin, done, period)]))
    return [*found, list(order[done:])] if done < len(order) else found


def _kinds(program: Program, order: Sequence[int], given: Mapping[int, str]) -> np.ndarray:
    """Return a number for each value: equal where the operation and the arrays it reads are."""
    operations = program.operations
    numbers: dict[tuple[object, ...], int] = {}

    def source(v: int) -> object:
        if v in given:
            return given[v].rpartition("[")[0]
        operation = operations[v]
        if operation.code == ca.OP_INPUT:
            return operation.entry[0]
        return "constant" if operation.code == ca.OP_CONST else "computed"

    def number(v: int) -> int:
        operation = operations[v]
        lookup = None if operation.lookup is None else (operation.lookup.name, operation.entry)
        kind = (operation.code, lookup, *map(source, operation.of))
        return numbers.setdefault(kind, len(numbers))

    return np.fromiter(map(number, order), np.int64, len(order))


def _periods(kinds: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """Give where rows of a period begin, how many rounds each has, and how long these are."""
    count, following, known = len(kinds), _following(kinds).tolist(), _Rows(kinds)
    begin = 0
    while begin < len(following):
        best, saved = (1, 1), 0.0
        again = following[begin]
        for _ in range(_TRIES):
            period = again - begin
            if again >= count or begin + FEWEST * period > count:
                break
            rounds = known.rounds(begin, period)
            if rounds >= FEWEST and (rounds - 1) * period > _BETTER * saved:
                best, saved = (rounds, period), (rounds - 1) * period
            again = following[again] if again < len(following) else count
        rounds, period = best
        if rounds * period >= SMALLEST:
            yield begin, rounds, period
            begin += rounds * period
        else:
            begin += 1


class _Rows:
    """How far kinds have a period, found once for all places of a row."""

    def __init__(self, kinds: np.ndarray) -> None:
        self._kinds, self._each = kinds, kinds.tolist()
        self._ends: dict[int, int] = {}

    def rounds(self, begin: int, period: int) -> int:
        """Return how many rounds of a period begin at a place; 1 if these are not `FEWEST`."""
        last = begin + (FEWEST - 1) * period - 1
        if self._each[last] != self._each[last + period]:
            return 1
        end = self._ends.get(period, 0)
        if end <= begin:
            end = self._ends[period] = begin + _equal(self._kinds, begin, period)
        return 1 + (end - begin) // period


def _following(kinds: np.ndarray) -> np.ndarray:
    """Return for each place the next one at which the same operations begin."""
    count = max(len(kinds) - _ALIKE + 1, 0)
    marks = np.zeros(count, np.uint64)
    for k in range(_ALIKE):
        factor = np.uint64(pow(6364136223846793005, k + 1, 1 << 64))
        marks += (kinds[k : k + count].astype(np.uint64) + np.uint64(1)) * factor
    places = np.argsort(marks, kind="stable")
    same = marks[places[1:]] == marks[places[:-1]]
    following = np.full(count, len(kinds))
    following[places[:-1][same]] = places[1:][same]
    return following


def _equal(kinds: np.ndarray, begin: int, period: int) -> int:
    """Return for how many places from one on the kinds are those a period later."""
    done, length = 0, 2 * period
    while True:
        one = kinds[begin + done + period : begin + done + period + length]
        other = kinds[begin + done : begin + done + len(one)]
        different = np.flatnonzero(one != other)
        if different.size:
            return done + int(different[0])
        done += len(one)
        if len(one) < length:
            return done
        length *= 2
