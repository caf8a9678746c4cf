"""Numbers that events set and on which the motion depends: modes, and numbers.

Modes, integers and booleans stay the same beside a motion. A number does not: it is a further state
without a rate, which jumps at events.

Used by `mbcore.equations.equations` alone; it stands apart because it asks functions that are made
what they depend on, and makes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.equations.functions import POINT
from mbcore.model.tables import derivatives
from mbcore.model.variables import Discrete, Event

DISCRETES = list(POINT).index("d")
"""Place of the discrete variables among the arguments of functions."""


@dataclass(frozen=True)
class Remembered:
    """Places of discrete variables on which motion depends, and which events set.

    Attributes
    ----------
    modes : tuple of int
        Modes of events, and integers and booleans.
    numbers : tuple of int
        Numbers, but for those on which all depends by comparisons only: these stay the same beside
        a motion, too.
    """

    modes: tuple[int, ...]
    numbers: tuple[int, ...]


def remembered(
    events: Sequence[Event], discretes: Sequence[Discrete], functions: Mapping[str, ca.Function]
) -> Remembered:
    """Return what rates, indicators, jumps of states, and remembered numbers after events need.

    The expected flight between impacts changes a motion in Model Exchange alone, where solvers find
    its end only to their tolerance.
    """
    first = len(events)
    assigned = {name for event in events for name, _ in (*event.rising, *event.falling)}
    assigned -= {name for event in events for name in event.foreseen}
    places = [i for i in range(first, len(discretes)) if discretes[i].name in assigned]
    modes, numbers = set(range(first)), list[int]()
    if not places:
        return Remembered(tuple(range(first)), ())
    for name, result in (("derivative", 0), ("indicator", 0), ("update", 1)):
        _note(_Needed(functions[name], result, None), places, discretes, modes, numbers)
    for number in numbers:  # which grows meanwhile
        _note(_Needed(functions["update"], 0, number), places, discretes, modes, numbers)
    return Remembered(tuple(sorted(modes)), tuple(sorted(numbers)))


@dataclass(frozen=True)
class _Needed:
    """A result of a function, or an entry of it."""

    function: ca.Function
    result: int
    entry: int | None

    def felt(self, among: Sequence[int]) -> list[int]:
        """Return the discrete variables that occur in it."""
        return self._columns(self.function.jac_sparsity(self.result, DISCRETES), among)

    def moved_by(self, among: Sequence[int]) -> list[int]:
        """Return those on which it depends by more than comparisons."""
        arguments = self.function.sx_in()
        whole = self.function.call(arguments)[self.result]
        change = ca.sparsify(derivatives.jacobian(whole, arguments[DISCRETES]))
        return self._columns(change.sparsity(), among)

    def _columns(self, pattern: ca.Sparsity, among: Sequence[int]) -> list[int]:
        rows, columns = pattern.get_triplet()
        found = {c for r, c in zip(rows, columns, strict=True) if self.entry in (None, r)}
        return sorted(found & set(among))


def _note(
    needed: _Needed,
    places: Sequence[int],
    discretes: Sequence[Discrete],
    modes: set[int],
    numbers: list[int],
) -> None:
    """Note the discrete variables that are needed at some places."""
    felt = needed.felt(places)
    modes.update(i for i in felt if discretes[i].kind != "real")
    new = [i for i in felt if discretes[i].kind == "real" and i not in numbers]
    if new:
        numbers += needed.moved_by(new)
