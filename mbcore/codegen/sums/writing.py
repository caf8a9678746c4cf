"""C of a linear function and its transpose: a table of sums, and a function of their factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.codegen.program import Program
from mbcore.codegen.statements import Text, statements
from mbcore.codegen.sums.sums import NotLinearError, Sums
from mbcore.host.vectors import Vectors, instructions

SHORTEST = 10_000
"""Statements from which on a table pays."""
_TWO_BYTES = 1 << 16
_PER_LINE = 30


@dataclass(frozen=True)
class Columns:
    """Functions of a linear function's derivative, several columns at once.

    One takes the columns that it is given, and is named as several of the linear function; the
    other one has those of the first entries of the argument.

    Attributes
    ----------
    name : str
        Name of the second one.
    number : int
        How many columns it has: those of so many entries of the argument, the first.
    vectors : Vectors
        Vectors that hold a value in several directions.
    """

    name: str
    number: int
    vectors: Vectors


@dataclass(frozen=True)
class Linear:
    """A linear function of a program.

    Attributes
    ----------
    name, transpose : str
        Names of the function, whose second result is computed on request, and of its transpose,
        which takes an argument for each of its results.
    argument : int
        Number of the program's argument in which it is linear.
    entries : int
        Length of this argument.
    point : int
        Number of arguments before it.
    cached : sequence of int
        Values that are given in an array behind the other arguments.
    columns : Columns, optional
        A function of the first result's derivative, for which a table pays in shorter ones too.
    """

    name: str
    transpose: str
    argument: int
    entries: int
    point: int
    cached: Sequence[int]
    columns: Columns | None = None


def in_sums(program: Program, of: Linear) -> dict[str, Text] | None:
    """Return C of a function and its transpose; None where it is short or not linear.

    That of the function holds what both need, so it comes first.
    """
    results = program.results[of.name]
    shortest = SHORTEST if of.columns is None else 0
    if program.branches or len(program.computed(results, of.cached)) < shortest:
        return None
    try:
        sums = Sums(program, results, of.argument, of.cached)
    except NotLinearError:
        return None
    return _Writer(of, sums).write()


class _Writer:
    def __init__(self, of: Linear, sums: Sums) -> None:
        self._of, self._sums, self._program = of, sums, sums.program
        self._terms = [(v, term) for v, row in sums.rows.items() for term in row]
        self._factors = {v: k for k, v in enumerate(of.cached)}
        for _, term in self._terms:
            self._factors.setdefault(term.factor, len(self._factors))
        self._places = {
            v: 1 + operation.entry[1]
            for v, operation in enumerate(self._program.operations)
            if operation.code == ca.OP_INPUT and operation.entry[0] == of.argument
        }
        self._places |= {v: 1 + of.entries + k for k, v in enumerate(sums.rows)}

    def write(self) -> dict[str, Text]:
        of, program = self._of, self._program
        point = [f"arg[{k}]" for k in range(of.point)]
        known = {v: f"arg[{of.point}][{k}]" for k, v in enumerate(of.cached)}
        others = [v for v in self._factors if v not in known]
        factors = statements(program, f"mb_model_{of.name}_factors", point, [others], known)
        values = 1 + of.entries + len(self._sums.rows)
        behind = 2 * len(self._factors) + values
        names = {
            "name": of.name,
            "transpose": of.transpose,
            "point": ", ".join(point),
            "cached": len(of.cached),
            "factors": len(self._factors),
            "end": behind,
            **{f"extra{k}": f"arg[{of.point + k}]" for k in range(3)},
        }
        parts = [self._head(), factors.source, self._tables(), _FORWARD.format(**names)]
        texts = {of.name: "\n".join(parts), of.transpose: _BACK.format(**names)}
        work = behind + factors.work
        # The cost of a call is counted in its operations, however they are written.
        written = {
            name: Text(text, work, len(program.computed(program.results[name], of.cached)))
            for name, text in texts.items()
            if name in program.results
        }
        if of.columns is not None:
            written[of.columns.name] = self._columns(of.columns, names, written[of.name], values)
        return written

    def _columns(self, of: Columns, names: Mapping[str, object], one: Text, values: int) -> Text:
        """Return the function of columns; its cost is counted as that of one after the other."""
        rates = len(self._program.results[self._of.name][0])
        text = _COLUMNS.format(**names, columns=of.name, number=of.number, rates=rates)
        work = max(one.work, 2 * len(self._factors) + of.vectors.lanes * (values + 1))
        return Text(text, work, of.number * one.statements)

    def _head(self) -> str:
        largest = max(2 * len(self._factors), *self._places.values())
        place = "unsigned short" if largest < _TWO_BYTES else "unsigned"
        lines = [f"#define MB_PLACE {place}", '#include "mb_sums.h"', ""]
        if self._of.columns is not None:
            vectors = self._of.columns.vectors
            begin, end = instructions(vectors.target)
            lines += [f"#define MB_DIRECTIONS {vectors.lanes}", begin]
            lines += ['#include "mb_sum_columns.h"', end, ""]
        return "\n".join(lines)

    def _tables(self) -> str:
        rows, runs, places = self._sums.rows, self._sums.runs, self._places
        rates, outputs = self._program.results[self._of.name]
        signed = len(self._factors)  # behind factors are the same ones with the other sign
        table = {
            "sum_factors": [self._factors[t.factor] + signed * t.negative for _, t in self._terms],
            "sum_backs": [places[v] - places[t.value] for v, t in self._terms],
            "sum_results": [places.get(v, 0) for v in (*rates, *outputs)],
        }
        arrays = [f"static const MB_PLACE {n}[] = {{\n{_lines(of)}\n}};" for n, of in table.items()]
        shapes = [f"{{{len(run)},{len(rows[run[0]])},{rows[run[0]][0].kind}}}" for run in runs]
        arrays.append(f"static const mb_sum_run sum_runs[] = {{\n{_lines(shapes)}\n}};")
        sizes = [len(self._terms), len(runs), self._sums.first]
        sizes += [self._of.entries, len(rows), len(rates), len(outputs)]
        whole = ", ".join(["sum_runs, sum_factors, sum_backs, sum_results", *map(str, sizes)])
        return "\n".join([*arrays, f"static const mb_sums sums = {{{whole}}};\n"])


def _lines(numbers: Sequence[object]) -> str:
    rows = [numbers[i : i + _PER_LINE] for i in range(0, len(numbers), _PER_LINE)]
    return ",\n".join(",".join(map(str, row)) for row in rows)


_FORWARD = """\
/* Factors of all terms, with both signs, and behind them room for values, which is returned. */
static double *{name}_values(const double **arg, const double *cached, double *w)
{{
    const double *own[] = {{{point}, cached}};
    double *res[] = {{w + {cached}}};
    int i;
    for (i = 0; i < {cached}; i++)
        w[i] = cached[i];
    mb_model_{name}_factors(own, res, w + {end});
    for (i = 0; i < {factors}; i++)
        w[{factors} + i] = -w[i];
    return w + 2 * {factors};
}}

static void mb_model_{name}(const double **arg, double **res, double *w)
{{
    mb_sum_up(&sums, w, {extra0}, {name}_values(arg, {extra1}, w), res);
}}
"""
_BACK = """\
static void mb_model_{transpose}(const double **arg, double **res, double *w)
{{
    mb_sum_back(&sums, w, {extra0}, {extra1}, {name}_values(arg, {extra2}, w), res[0]);
}}
"""
_COLUMNS = """\
static void mb_model_{name}s(const double **arg, const mb_columns *of, double **res, double *w)
{{
    double *value = {name}_values(arg, {extra0}, w);
    mb_sum_columns(&sums, w, of, value, res, of->count, 1);
}}

static void mb_model_{columns}(const double **arg, double **res, double *w)
{{
    double *value = {name}_values(arg, {extra0}, w);
    double *own[] = {{res[0], 0}};
    int place[{number}], k;
    const mb_columns of = {{{number}, 0, 0, place}};
    for (k = 0; k < {number}; k++)
        place[k] = k;
    mb_sum_columns(&sums, w, &of, value, own, 1, {rates});
}}
"""
