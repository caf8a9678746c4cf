"""Texts of C that several functions of a model enter: rates, indicators, derivatives as sums.

`mbcore.codegen.model_source.functions` writes all others, each a text of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mbcore.codegen.model_source.sharing import (
    FREE_INDICATORS,
    INDICATORS,
    MEASURES,
    measures_alone,
)
from mbcore.codegen.program import Program
from mbcore.codegen.statements import Text, Wanted, statements
from mbcore.codegen.sums.writing import Columns, Linear, in_sums
from mbcore.equations.functions import EXTRA, POINT

_SAME = 1.05
"""Most values of two functions that are one text, in those of the shorter one."""
DERIVATIVES = ("change", "adjoint_change")
"""Functions that are linear in one argument: changes by a variation, and the transposed ones."""
JACOBIAN, CHANGES = "jacobian", "changes"
"""Derivative of the rates by the states, several columns at once, and the function of columns."""
VARIED = len(POINT) + list(EXTRA).index("variation")
"""Number of the argument in which they are linear."""


def declaration(name: str) -> str:
    """Return what a function of a model looks like in C before its body."""
    return f"void mb_model_{name}(const double **arg, double **res, double *w)"


def declaration_of_changes() -> str:
    """Return the declaration of the function of columns, which stands with the Jacobian."""
    head = f"void mb_model_{CHANGES}(const double **arg, const mb_columns *of, "
    return f"{head}double **res, double *w)"


@dataclass(frozen=True)
class Rates:
    """The derivative, the values it caches for others, and measures: entries to one text."""

    source: str
    derivative: Text
    common: Text
    measures: Text


def write_rates(
    merged: Program,
    base: str,
    arguments: list[str],
    cached: list[int],
    gives: tuple[bool, bool, int],
) -> Rates:
    """Write the base function; whether it ``gives`` measures, and values for others, on request.

    The last number is how many of these, the first, it may give without the others.
    """
    measured, caches, first = gives
    results = [*merged.results[base], merged.results[MEASURES][0] if measured else [], cached]
    name = "mb_model_rates"
    wanted = Wanted(1 if measured else None, 2, first, measures_alone(merged, measured))
    text = statements(merged, name, arguments, results, {}, wanted)
    size = max(1, len(results[0]))
    second, third = "res[1]" if measured else "0", "res[2]" if caches else "0"
    fourth, unused = "res[3]" if first else "0", f"double unused[{size}], *own[4]"
    count = len(merged.computed(merged.results.get(MEASURES, [])))
    rates = "res[1] ? res[1] : unused"
    return Rates(
        text.source,
        _entry(base, name, f"double *own[4] = {{res[0], {second}, {third}, {fourth}}};", text),
        _entry("common", name, f"{unused} = {{{rates}, 0, res[0], res[0]}};", text),
        _entry(MEASURES, name, "double *own[4] = {0, res[0], 0, 0};", text, count),
    )


def write_indicators(merged: Program, arguments: list[str]) -> dict[str, Text]:
    """Return C of the indicators with and without closed contacts as two entries to one text.

    It is written where nearly all values are the same.
    """
    names = (INDICATORS, FREE_INDICATORS)
    both = [merged.results[name][0] for name in names if name in merged.results]
    if len(both) < len(names) or both[0] == both[1]:
        return {}
    alone = [len(merged.computed([results])) for results in both]
    if len(merged.computed(both)) > _SAME * min(alone):
        return {}
    name, unused = "mb_model_indicators", f"double unused[{len(both[0])}], *own[2]"
    text = statements(merged, name, arguments, both, {})
    first, second = (
        _entry(of, name, f"{unused} = {{{own}}};", text, count)
        for of, own, count in zip(names, ("res[0], unused", "unused, res[0]"), alone, strict=True)
    )
    return {names[0]: replace(first, source=f"{text.source}\n{first.source}"), names[1]: second}


def write_sums(
    merged: Program, shares: set[str], cached: Sequence[int], entries: int, columns: Columns | None
) -> dict[str, Text]:
    """Return C of the derivatives as sums, where that is shorter than statements or has columns."""
    if not shares.issuperset(DERIVATIVES[: 1 if columns else 2]):
        return {}
    of = Linear(*DERIVATIVES, VARIED, entries, len(POINT), cached, columns)
    return in_sums(merged, of) or {}


def _entry(name: str, to: str, own: str, text: Text, own_count: int | None = None) -> Text:
    """Return a function that calls another one with ``own`` results.

    Its statements, by which work is counted, are those of the results that it is for.
    """
    lines = [f"static {declaration(name)}", "{", f"    {own}", f"    {to}(arg, own, w);", "}", ""]
    count = text.statements if own_count is None else own_count
    return Text("\n".join(lines), text.work, count)
