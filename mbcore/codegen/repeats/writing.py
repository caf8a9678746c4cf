"""C of operations that repeat: a loop over the rounds, whose body is written once.

Values that only their own round takes are locals of the body. All others are in the work array,
those of a round behind each other, so that the place of each is linear in the number of the round.
Places that are not linear in it, and constants that differ, are read from tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import casadi as ca

from mbcore.codegen.dialects import Spelling, short_names
from mbcore.codegen.repeats.finding import FEWEST, Repeat

ROUND, PLACES, CONSTANTS = "v", "y", "z"
"""Names in the body: the number of the round, and its rows of the tables. Those of arguments and
of values are others."""
_PER_LINE = 30
_GIVEN = re.compile(r"(.*)\[(\d+)\]")


@dataclass(frozen=True)
class Target:
    """Where a value is written: ``res[result][entry]``, perhaps only where there is this result."""

    result: int
    entry: int
    asked: bool

    def line(self, value: str, entry: str = "") -> str:
        """Return C that writes a value, at its own or another ``entry``."""
        condition = f"if(res[{self.result}])" if self.asked else ""
        return f"{condition}res[{self.result}][{entry or self.entry}]={value};"


def copies(every: Sequence[tuple[Target, str]]) -> list[str]:
    """Return C that writes values that are somewhere already, many that follow each other in loops.

    Parameters
    ----------
    every : sequence of (Target, str)
        Where each is written, and what stands for it.
    """
    lines: list[str] = []
    done = 0
    while done < len(every):
        count, steps = _in_row(every, done)
        if count < FEWEST:
            lines.append(every[done][0].line(every[done][1]))
            done += 1
            continue
        target, value = every[done]
        to, of = steps
        array, entry = _split(value)
        there = f"{array}[{entry}{of:+}*{ROUND}]" if array else value
        loop = f"for(int {ROUND}=0;{ROUND}<{count};{ROUND}++)"
        lines.append(f"{loop}{{{target.line(there, f'{target.entry}{to:+}*{ROUND}')}}}")
        done += count
    return lines


def _in_row(every: Sequence[tuple[Target, str]], begin: int) -> tuple[int, tuple[int, int]]:
    """Return how many copies from one on are alike, by equal steps, and these steps."""
    (first, value), steps = every[begin], (0, 0)
    array, entry = _split(value)
    for k, (target, text) in enumerate(islice(every, begin, None)):
        here, place = _split(text)
        if (target.result, target.asked, here) != (first.result, first.asked, array):
            return k, steps
        if not array and text != value:
            return k, steps
        if k == 1:
            steps = target.entry - first.entry, place - entry
        if (target.entry, place) != (first.entry + k * steps[0], entry + k * steps[1]):
            return k, steps
    return len(every) - begin, steps


def _split(value: str) -> tuple[str, int]:
    """Return the array and the entry that stand for a value; a constant has no array."""
    found = _GIVEN.fullmatch(value)
    return (found[1], int(found[2])) if found else ("", 0)


class Loop:
    """Writes a repetition.

    Parameters
    ----------
    repeat : Repeat
        Repeated part.
    spelling : Spelling
        How values are written.
    targets : mapping of int to sequence of Target
        Where values are written that are results.
    longest : int
        Statements of the body that one function has at most.
    """

    def __init__(
        self,
        repeat: Repeat,
        spelling: Spelling,
        targets: Mapping[int, Sequence[Target]],
        longest: int,
    ) -> None:
        self._rounds, self._spelling, self._targets = repeat.rounds, spelling, targets
        self._longest = longest
        self._place = {
            v: (k, at) for k, values in enumerate(repeat.rounds) for at, v in enumerate(values)
        }
        operations, first = spelling.program.operations, repeat.rounds[0]
        self._local = [
            [self._within(at, m) for m in range(len(operations[v].of))]
            for at, v in enumerate(first)
        ]

    @property
    def values(self) -> list[int]:
        """All values, in their order."""
        return list(self._place)

    def taken(self) -> set[int]:
        """Return the values that have to be in the work array for the loop's sake."""
        operations = self._spelling.program.operations
        found = {
            operations[v].of[m]
            for at, within in enumerate(self._local)
            for m, local in enumerate(within)
            if local is None
            for v in self._column(at)
        }
        return found | {v for at in self._scattered for v in self._column(at) if v in self._targets}

    def slots(self, taken: set[int], first: int) -> dict[int, int]:
        """Return places in the work array, the first ones free from ``first`` on, of values taken.

        Where one of a round is taken, those of the other rounds have places, too.
        """
        kept = sorted({self._place[v][1] for v in taken if v in self._place})
        return {
            values[at]: first + k * len(kept) + i
            for k, values in enumerate(self._rounds)
            for i, at in enumerate(kept)
        }

    def write(
        self, name: str, slots: Mapping[int, int], function: Callable[[str, list[str], str], str]
    ) -> str:
        """Return C of the loop.

        Parameters
        ----------
        name : str
            Of its function.
        slots : mapping of int to int
            Places in the work array of all values that it takes, and of its own ones.
        function : callable
            Returns the C of a function by its name, its lines and what it takes beside the usual.
        """
        tables = _Tables(name, self._spelling, slots)
        rounds, length = len(self._rounds), len(self._rounds[0])
        cuts = [range(i, min(i + self._longest, length)) for i in range(0, length, self._longest)]
        scattered = [
            (target, f"w[{slots[v]}]")
            for at in self._scattered
            for v in self._column(at)
            for target in self._targets.get(v, ())
        ]
        texts: list[str] = []

        def loop(asked: bool) -> list[str]:
            bodies = [self._body(cut, tables, asked) for cut in cuts]
            head = f"for({ROUND}=0;{ROUND}<{rounds};{ROUND}++){{"
            if len(bodies) == 1:
                return [head, *tables.rows(bodies[0]), *bodies[0], "}"]
            names = [f"{name}_{k}{'' if asked else 'n'}" for k in range(len(bodies))]
            texts.extend(
                function(own, [*tables.rows(body), *body], f", int {ROUND}")
                for own, body in zip(names, bodies, strict=True)
            )
            return [head, *(f"{own}(arg, res, w, {ROUND});" for own in names), "}"]

        # Results that are seldom asked for would cost a question each, in each round.
        lines = loop(True)
        if self._asked:
            condition = "||".join(f"res[{result}]" for result in self._asked)
            lines = [f"if({condition}){{", *lines, "}else{", *loop(False), "}"]
        whole = function(name, [f"int {ROUND};", *lines, *copies(scattered)], "")
        return "\n".join([*tables.definitions(), *texts, whole])

    def _column(self, at: int) -> list[int]:
        """Return the values of one place of the body, in all rounds."""
        return [values[at] for values in self._rounds]

    def _within(self, at: int, m: int) -> int | None:
        """Return the place in the body of what an operation takes; None if it is not the round's.

        In all rounds it must be the same, and in the same function.
        """
        operations = self._spelling.program.operations
        first = self._place.get(operations[self._rounds[0][at]].of[m])
        if first is None or first[0] != 0 or first[1] // self._longest != at // self._longest:
            return None
        same = all(
            self._place.get(operations[values[at]].of[m]) == (k, first[1])
            for k, values in enumerate(self._rounds)
        )
        return first[1] if same else None

    @cached_property
    def _scattered(self) -> list[int]:
        """Places of the body whose values are not results in equal ways in all rounds."""

        def ways(v: int) -> list[tuple[int, bool]]:
            return [(target.result, target.asked) for target in self._targets.get(v, ())]

        columns = map(self._column, range(len(self._rounds[0])))
        return [
            at
            for at, column in enumerate(columns)
            if any(ways(v) != ways(column[0]) for v in column)
        ]

    @cached_property
    def _asked(self) -> list[int]:
        """Results that the body writes only where they are asked for."""
        places = set(range(len(self._rounds[0]))).difference(self._scattered)
        every = (t for at in places for v in self._column(at) for t in self._targets.get(v, ()))
        return sorted({target.result for target in every if target.asked})

    def _body(self, cut: range, tables: _Tables, asked: bool) -> list[str]:
        """Return lines of a round, without results that must be ``asked`` for unless they are."""
        operations, fresh = self._spelling.program.operations, short_names()
        forms = self._spelling.dialect.forms
        names: dict[int, str] = {}
        loaded: dict[str, str] = {}
        scattered = set(self._scattered)
        lines = []
        for at in cut:
            column = self._column(at)
            values = []
            for m, local in enumerate(self._local[at]):
                if local is not None:
                    values.append(names[local])
                    continue
                there = tables.expression([operations[v].of[m] for v in column])
                if there.startswith("w["):
                    if there not in loaded:
                        loaded[there] = next(fresh)
                        lines.append(f"D {loaded[there]}={there};")
                    there = loaded[there]
                values.append(there)
            names[at] = next(fresh)
            operation = operations[column[0]]
            lookup = {} if operation.lookup is None else {"lookup": operation.lookup.name}
            formula = forms[operation.code].format(*values, **lookup, column=operation.entry[1])
            lines.append(f"D {names[at]}={formula};")
            if column[0] in tables.slots:
                lines.append(f"{tables.expression(column)}={names[at]};")
            if at not in scattered:
                lines += self._results(column, names[at], tables, asked)
        return lines

    def _results(self, column: list[int], name: str, tables: _Tables, asked: bool) -> list[str]:
        """Return lines that write a value that is a result in each round."""
        every = [self._targets.get(v, ()) for v in column]
        return [
            targets[0].line(name, tables.entry([target.entry for target in targets]))
            for targets in zip(*every, strict=True)
            if asked or not targets[0].asked
        ]


@dataclass
class _Tables:
    """How places that depend on the round are written, and the tables that this needs."""

    name: str
    spelling: Spelling
    slots: Mapping[int, int]
    places: dict[tuple[int, ...], int] = field(default_factory=dict)
    constants: dict[tuple[str, ...], int] = field(default_factory=dict)

    def expression(self, values: Sequence[int]) -> str:
        """Return what stands for values, one in each round, in a body."""
        there = [self._there(v) for v in values]
        array = there[0][0]
        if array:
            return f"{array}[{self.entry([int(entry) for _, entry in there])}]"
        constants = tuple(entry for _, entry in there)
        if len(set(constants)) == 1:
            return constants[0]
        return f"{CONSTANTS}[{self.constants.setdefault(constants, len(self.constants))}]"

    def entry(self, entries: Sequence[int]) -> str:
        """Return an entry of an array, one in each round, as it is written in a body."""
        first, step = entries[0], entries[1] - entries[0]
        if any(entry != first + k * step for k, entry in enumerate(entries)):
            return f"{PLACES}[{self.places.setdefault(tuple(entries), len(self.places))}]"
        return f"{first}{step:+}*{ROUND}" if step else f"{first}"

    def rows(self, body: Sequence[str]) -> list[str]:
        """Return the lines of a body with the rows of the tables that it reads."""
        text = "\n".join(body)
        lines = []
        if re.search(rf"\b{PLACES}\[", text):
            lines.append(f"const int *{PLACES}={self.name}_at[{ROUND}];")
        if re.search(rf"\b{CONSTANTS}\[", text):
            lines.append(f"const double *{CONSTANTS}={self.name}_of[{ROUND}];")
        return lines

    def definitions(self) -> list[str]:
        """Return C of the tables."""
        found = []
        columns: dict[tuple[str, str], Sequence[Sequence[object]]] = {
            ("int", "at"): [*self.places],
            ("double", "of"): [*self.constants],
        }
        for (number, suffix), table in columns.items():
            if table:
                rows = [f"{{{_lines(row)}}}" for row in zip(*table, strict=True)]
                text = ",\n".join(rows)
                head = f"static const {number} {self.name}_{suffix}[{len(rows)}][{len(table)}]"
                found.append(f"{head}={{\n{text}\n}};")
        return found

    def _there(self, v: int) -> tuple[str, str]:
        """Return the array of a value and its entry there; a constant has none."""
        if v in self.slots:
            return "w", str(self.slots[v])
        operation = self.spelling.program.operations[v]
        if v not in self.spelling.given and operation.code == ca.OP_CONST:
            return "", self.spelling.constant(operation.constant)
        found = _GIVEN.fullmatch(self.spelling.value(v, {}))
        assert found is not None, "a value is computed, given, constant or an argument's entry"
        return found[1], found[2]


def _lines(numbers: Sequence[object]) -> str:
    rows = [numbers[i : i + _PER_LINE] for i in range(0, len(numbers), _PER_LINE)]
    return ",\n".join(",".join(map(str, row)) for row in rows)
