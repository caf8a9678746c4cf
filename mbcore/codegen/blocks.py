"""Values of one piece of a C function, inside the conditions under which they are computed.

Used by `mbcore.codegen.statements` alone; it stands apart because it knows of one piece only.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, groupby

from mbcore.codegen.dialects import Spelling
from mbcore.codegen.guards import ALWAYS, Guard, shared

_LONGEST = 120
"""Characters of a formula that stands inside another one."""


@dataclass(frozen=True)
class Layout:
    """Where the values of a function are.

    Attributes
    ----------
    pieces : list of list of int
        Values in their order, cut into pieces.
    places : dict of int to tuple of int
        Conditions under which values are computed, of those that have some.
    tail : collection of int
        Values at the end, in a block of their own.
    slots : dict of int to int
        Places in the work array, of values that other pieces take.
    outside : collection of int
        Values that are taken outside all conditions.
    """

    pieces: list[list[int]]
    places: Mapping[int, Guard]
    tail: Collection[int]
    slots: Mapping[int, int]
    outside: Collection[int]

    def levels(self, spelling: Spelling) -> dict[int, int]:
        """Return how many conditions each value has in common with all that takes it.

        Within a piece, only those whose blocks in C are the same.
        """
        place = {v: self.places.get(v, ALWAYS) for piece in self.pieces for v in piece}
        block, piece_of = self._blocks(), self.piece_of
        found = {v: 0 if v in self.outside else len(guard) for v, guard in place.items()}

        def note(of: int, user: int, depth: int) -> None:
            if of in found:
                paths = block if piece_of[of] == piece_of[user] else place
                found[of] = min(found[of], shared(paths[of], paths[user][:depth]))

        for v, guard in place.items():
            for of in spelling.program.operations[v].of:
                note(of, v, len(guard))
            for depth, condition in enumerate(guard):
                note(condition, v, depth)
        return found

    def used_once(self, spelling: Spelling) -> set[int]:
        """Return the values without conditions that one operation of their piece takes, once."""
        if not spelling.dialect.nested:
            return set()
        users: dict[int, list[int]] = {}
        for piece in self.pieces:
            for v in piece:
                operation = spelling.program.operations[v]
                times = max(spelling.dialect.forms[operation.code].count("{0}"), 1)
                for of in operation.of:
                    users.setdefault(of, []).extend([v] * times)
        conditions = {condition for guard in self.places.values() for condition in guard}
        named = {*self.places, *self.slots, *self.outside, *conditions}
        return {
            v
            for v in (v for piece in self.pieces for v in piece)
            if v not in named
            and len(by := users.get(v, [])) == 1
            and by[0] not in self.places
            and (v in self.tail) == (by[0] in self.tail)
        }

    def _blocks(self) -> dict[int, tuple[int, ...]]:
        """Return numbers of the blocks in C that contain each value, from the outermost on."""
        found: dict[int, tuple[int, ...]] = {}
        number = count()
        for piece in self.pieces:
            last, blocks, among = ALWAYS, ALWAYS, False
            for v in piece:
                guard = self.places.get(v, ALWAYS)
                same = shared(last, guard) if (v in self.tail) is among else 0
                among = v in self.tail
                blocks = (*blocks[:same], *(next(number) for _ in guard[same:]))
                last, found[v] = guard, blocks
        return found

    @property
    def piece_of(self) -> dict[int, int]:
        """The piece of each value."""
        return {v: k for k, piece in enumerate(self.pieces) for v in piece}


class Blocks:
    """Writes the values of one piece.

    Parameters
    ----------
    levels : dict of int to int
        Of `Layout.levels`: in how many of its conditions a value is declared.
    once : collection of int
        Of `Layout.used_once`: values whose formula stands where they are used, if it is short.
    everything : str
        What makes all values needed, whatever conditions say; "" if nothing does.
    fresh : iterator of str
        Names for values.
    """

    def __init__(
        self,
        spelling: Spelling,
        layout: Layout,
        levels: Mapping[int, int],
        once: Collection[int],
        everything: str,
        fresh: Iterator[str],
    ) -> None:
        self._spelling, self._layout, self._levels, self._once = spelling, layout, levels, once
        self._everything, self._fresh = everything, fresh

    def write(self, values: Sequence[int], depth: int, names: ChainMap[int, str]) -> list[str]:
        """Return lines for values that follow each other in a block inside ``depth`` conditions.

        Parameters
        ----------
        names : ChainMap of int to str
            Names of the values that are declared so far, the block's own ones first.
        """

        def condition(v: int) -> int | None:
            return next(iter(self._place(v)[depth:]), None)

        lines: list[str] = []
        for inner, run in groupby(values, condition):
            if inner is not None:
                lines += self._branch(inner, list(run), depth, names)
                continue
            for v in run:
                lines += self._loads(self._spelling.program.operations[v].of, names)
                lines += self._definition(v, names)
        if depth:
            lines += self.stores(values, depth, names)
        return lines

    def stores(self, values: Sequence[int], depth: int, names: Mapping[int, str]) -> list[str]:
        """Return lines that store what other pieces take, of those declared at a depth."""
        slots, levels = self._layout.slots, self._levels
        return [f"w[{slots[v]}]={names[v]};" for v in values if v in slots and levels[v] == depth]

    def _place(self, v: int) -> Guard:
        return self._layout.places.get(v, ALWAYS)

    def _branch(
        self, condition: int, values: list[int], depth: int, names: ChainMap[int, str]
    ) -> list[str]:
        spelling = self._spelling
        lines = self._loads([condition], names)
        zero = spelling.dialect.constant.format(0)
        for v in values:
            if self._levels[v] == depth:
                names[v] = next(self._fresh)
                lines.append(f"{spelling.dialect.number} {names[v]}={zero};")
        inside = self.write(values, depth + 1, names.new_child())
        holds = spelling.value(condition, names)
        needed = f"{holds}||{self._everything}" if self._everything else holds
        return [*lines, f"if({needed}){{", *inside, "}"]

    def _loads(self, values: Sequence[int], names: ChainMap[int, str]) -> list[str]:
        """Return lines that load values of other pieces, where that is not done yet."""
        lines = []
        for v in values:
            if v in self._layout.slots and v not in names:
                names[v] = next(self._fresh)
                lines.append(f"D {names[v]}=w[{self._layout.slots[v]}];")
        return lines

    def _definition(self, v: int, names: ChainMap[int, str]) -> list[str]:
        """Return the line that defines a value; none for one that has no name."""
        formula = self._spelling.formula(v, names)
        if v in names:
            return [f"{names[v]}={formula};"]
        if v in self._once and len(formula) < _LONGEST:
            names[v] = f"({formula})"
            return []
        names[v] = next(self._fresh)
        return [f"D {names[v]}={formula};"]
