"""C of the functions of a program.

A function is a row of static functions of bounded length, whose values pass through a work array:
the time and memory of a compiler grow faster than the length of a function. Values that stay
within a piece are locals; ``D`` stands for ``const double``.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from mbcore.codegen.blocks import Blocks, Layout
from mbcore.codegen.dialects import SCALAR, Dialect, Spelling, short_names
from mbcore.codegen.guards import Guard, guards, in_runs, places
from mbcore.codegen.program import Program
from mbcore.codegen.repeats.finding import Repeat, in_repeats
from mbcore.codegen.repeats.writing import Loop, Target, copies

PIECE = 600
"""Largest number of statements in a C function."""
_ENTRY = re.compile(r"\barg\[(\d+)\]\[")
_LETTERS = "tsdupxabcefghijklmno"
"""Short names of arguments, in their order."""


@dataclass(frozen=True)
class Text:
    """C of one function: its pieces, a caller by its name, and the size of its work array."""

    source: str
    work: int
    statements: int


@dataclass(frozen=True)
class Wanted:
    """Results of a function that a caller may leave out.

    Attributes
    ----------
    on_request : int, optional
        The result of this number is computed only where ``res[on_request]`` is not NULL.
    stored : int, optional
        The result of this number consists of values on the way to the others, and is written only
        where ``res[stored]`` is not NULL.
    first : int
        How many of these, the first, are written where ``res[stored + 1]`` is not NULL instead, as
        it is where ``res[stored]`` is not.
    alone : bool
        Whether the result on request may be wanted alone, by a caller for whom ``res[0]`` is NULL;
        in programs without branches.
    """

    on_request: int | None = None
    stored: int | None = None
    first: int = 0
    alone: bool = False


ALWAYS_ALL = Wanted()
"""All results are wanted."""


def statements(
    program: Program,
    name: str,
    arguments: Sequence[str],
    results: Sequence[Sequence[int]],
    given: dict[int, str],
    wanted: Wanted = ALWAYS_ALL,
    dialect: Dialect = SCALAR,
) -> Text:
    """Write one function of a program.

    Parameters
    ----------
    name : str
        Its name in C; it takes ``(const double **arg, double **res, double *w)``.
    arguments : sequence of str
        Text of each argument in C, such as ``arg[5]``.
    results : sequence of sequence of int
        Values of each result; result k is written to ``res[k]``.
    given : dict of int to str
        Values that need not be computed, and where they are.
    wanted : Wanted
        Which results a caller may do without.
    dialect : Dialect
        How values are written.
    """
    spelling = Spelling(program, dialect, arguments, given)
    return _Writer(spelling, name, wanted).write(results)


class _Writer:
    def __init__(self, spelling: Spelling, name: str, wanted: Wanted) -> None:
        self._spelling, self._name = spelling, name
        self._program = spelling.program
        self._on_request, self._stored = wanted.on_request, wanted.stored
        self._first = wanted.first
        self._alone = wanted.alone
        self._rest: set[int] = set()
        self._tail: set[int] = set()
        self._places: dict[int, Guard] = {}

    def write(self, results: Sequence[Sequence[int]]) -> Text:
        groups = self._groups(results)
        pieces, repeats = self._cut(groups)
        piece_of = {v: k for k, piece in enumerate(pieces) for v in piece}
        targets, others, stored_values = self._targets(results, piece_of, repeats)
        loose = copies(others) if repeats else [target.line(value) for target, value in others]
        loops = {k: Loop(repeat, self._spelling, targets, PIECE) for k, repeat in repeats.items()}
        slots, work = self._slots(pieces, piece_of, loops)
        outside = {*targets, *(v for values in stored_values.values() for _, v in values)}
        apart = [[] if k in loops else piece for k, piece in enumerate(pieces)]
        layout = Layout(apart, self._places, self._tail, slots, outside)
        levels, once = layout.levels(self._spelling), layout.used_once(self._spelling)
        # Stored values may be among those that the results need not.
        everything = "" if self._stored is None else f"res[{self._stored}]"
        if self._stored is not None and self._first:
            everything = f"res[{self._stored + 1}]"
        alone = len(pieces) == 1 and not loops
        texts, calls = [], []
        for k, piece in enumerate(pieces):
            own = self._name if alone else f"{self._name}_{k}"
            condition = "if(res[0]) " if not self._rest.isdisjoint(piece) else ""
            if k in loops:
                condition += f"if({self._wanted}) " if not self._tail.isdisjoint(piece) else ""
                texts.append(loops[k].write(own, slots, self._function))
            else:
                blocks = Blocks(self._spelling, layout, levels, once, everything, short_names())
                body = self._piece(piece, blocks, targets, stored_values.get(k, []))
                if k == len(pieces) - 1:
                    body, loose = body + loose, []
                texts.append(self._function(own, body))
            calls.append(f"    {condition}{own}(arg, res, w);")
        if not alone:
            texts.append(self._function(self._name, calls + loose))
        return Text("\n".join(texts), work, sum(map(len, groups)))

    def _cut(self, groups: list[list[int]]) -> tuple[list[list[int]], dict[int, Repeat]]:
        """Return the values in pieces, and which of the pieces repeat."""
        pieces: list[list[int]] = []
        repeats: dict[int, Repeat] = {}
        for of in groups:
            parts: list[Repeat | list[int]] = []
            sought = of if self._spelling.dialect is SCALAR else []
            for tail in (False, True):
                own = [v for v in sought if (v in self._tail) is tail]
                parts += in_repeats(self._program, own, self._spelling.given)
            if not any(isinstance(part, Repeat) for part in parts):
                parts = [of]
            for part in parts:
                if isinstance(part, Repeat):
                    repeats[len(pieces)] = part
                    pieces.append(part.values)
                else:
                    pieces += [part[i : i + PIECE] for i in range(0, len(part), PIECE)]
        return pieces or [[]], repeats

    def _targets(
        self,
        results: Sequence[Sequence[int]],
        piece_of: Mapping[int, int],
        repeats: Collection[int],
    ) -> tuple[dict[int, list[Target]], list[tuple[Target, str]], dict[int, list[tuple[int, int]]]]:
        """Return where computed values are written, other results, and stored values.

        The last ones are by pieces: the entries and values of those that do not repeat.
        """
        targets: dict[int, list[Target]] = {}
        loose: list[tuple[Target, str]] = []
        stored_values: dict[int, list[tuple[int, int]]] = {}
        for k, result in enumerate(results):
            for i, v in enumerate(result):
                if k == self._stored:
                    if piece_of[v] in repeats:
                        targets.setdefault(v, []).append(Target(k + (i < self._first), i, True))
                    else:
                        stored_values.setdefault(piece_of[v], []).append((i, v))
                    continue
                asked = self._alone and v not in self._rest
                target = Target(k, i, asked if k != self._on_request else v not in self._tail)
                if v in piece_of:
                    targets.setdefault(v, []).append(target)
                else:
                    loose.append((target, self._spelling.value(v, {})))
        return targets, loose, stored_values

    def _groups(self, results: Sequence[Sequence[int]]) -> list[list[int]]:
        """Return the values in the order of their statements, in groups that share no piece."""
        program, given = self._program, self._spelling.given
        always = [r for k, r in enumerate(results) if k not in (self._on_request, self._stored)]
        order = program.computed(always, given)
        if self._on_request is not None:
            wanted = set(program.computed([results[self._on_request]], given))
            self._tail = wanted - set(order)
            always = [*always, results[self._on_request]]
        self._find_places(order, [v for result in always for v in result])
        if self._alone and self._on_request is not None:
            first = [v for v in order if v in wanted]
            self._rest = set(order).difference(first)
            return [first, sorted(self._rest), sorted(self._tail)]
        # Last, so that one condition spans all that only this result needs.
        return [self._in_runs(order) + self._in_runs(sorted(self._tail))]

    def _find_places(self, order: list[int], results: list[int]) -> None:
        """Find under which conditions values are computed."""
        if self._program.branches:
            both = [*order, *self._tail]
            needs = {v: self._program.operations[v].of for v in both}
            codes = {v: self._program.operations[v].code for v in both}
            self._places = places(codes, needs, guards(codes, needs, results))

    def _in_runs(self, order: list[int]) -> list[int]:
        """Return an order in which blocks of conditions are few."""
        return in_runs(order, {v: self._program.operations[v].of for v in order}, self._places)

    def _slots(
        self, pieces: list[list[int]], piece_of: dict[int, int], loops: Mapping[int, Loop]
    ) -> tuple[dict[int, int], int]:
        """Places in the work array of values that pass from one piece to another."""
        last: dict[int, int] = {}
        for k, piece in enumerate(pieces):
            for v in piece:
                for of in (*self._program.operations[v].of, *self._places.get(v, ())):
                    if piece_of.get(of, k) != k:
                        last[of] = k
        slots: dict[int, int] = {}
        free: list[int] = []
        size = 0
        ending: dict[int, list[int]] = {}
        for v, k in last.items():
            ending.setdefault(k, []).append(v)
        for k, piece in enumerate(pieces):
            for v in [] if k in loops else piece:
                if v in last:
                    if not free:
                        free.append(size)
                        size += 1
                    slots[v] = free.pop()
            # Slots are free for the next piece only, because this one still reads them.
            free += [slots[v] for v in ending.get(k, []) if piece_of[v] not in loops]
        taken = set(last).union(*(loop.taken() for loop in loops.values()))
        for loop in loops.values():
            own = loop.slots(taken, size)
            slots |= own
            size += len(own)
        return slots, size

    def _piece(
        self,
        piece: list[int],
        blocks: Blocks,
        targets: Mapping[int, Sequence[Target]],
        stored_values: Sequence[tuple[int, int]],
    ) -> list[str]:
        names: ChainMap[int, str] = ChainMap()
        own = blocks.write([v for v in piece if v not in self._tail], 0, names)
        tail = blocks.write([v for v in piece if v in self._tail], 0, names)
        # Slots of the work array are written last, because they may still be read before.
        for v in piece:
            lines = tail if v in self._tail else own
            lines += [target.line(names[v]) for target in targets.get(v, ())]
            lines += blocks.stores([v], 0, names)
        own += self._stored_lines([(i, names[v]) for i, v in stored_values])
        return [*own, f"if({self._wanted}){{", *tail, "}"] if tail else own

    def _stored_lines(self, values: Sequence[tuple[int, str]]) -> list[str]:
        """Return C that stores values by their places, each group where it is asked for."""
        lines: list[str] = []
        if self._stored is None:
            return lines
        k = self._stored
        for place, group in (
            (k + 1, [(i, name) for i, name in values if i < self._first]),
            (k, [(i, name) for i, name in values if i >= self._first]),
        ):
            if group:
                stored = [f"res[{place}][{i}]={name};" for i, name in group]
                lines += [f"if(res[{place}]){{", *stored, "}"]
        return lines

    @property
    def _wanted(self) -> str:
        return f"res[{self._on_request}]"

    def _function(self, name: str, body: list[str], more: str = "") -> str:
        number = self._spelling.dialect.number
        unused = ["    (void)arg;", "    (void)res;", "    (void)w;"]
        head = f"static void {name}(const {number} **arg, {number} **res, {number} *w{more})"
        text = "\n".join(body)
        used = sorted(set(_ENTRY.findall(text)), key=int)
        letters = [f"    const {number} *{_LETTERS[int(k)]} = arg[{k}];" for k in used]
        short = _ENTRY.sub(lambda found: f"{_LETTERS[int(found[1])]}[", text)
        return "\n".join([head, "{", *unused, *letters, short, "}", ""])
