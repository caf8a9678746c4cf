"""The functions of a model in C, and the values that most of them share.

Output, indicators, columns of the Jacobian and updates at events need nearly all intermediate
values of the derivative. One function, ``common``, caches these values for a point; the others
start from them. It is the derivative itself, which stores them if it is given an array, so that its
text exists once. Where the measures of regularity add little, they are a second result on request.

Used by `mbcore.codegen.c_model` alone; it stands apart because it writes functions, and the other
the tables and file around them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from mbcore.codegen.program import Program, program
from mbcore.codegen.statements import Text, statements
from mbcore.equations.functions import EXTRA, FUNCTIONS, POINT

SHARED = 0.5
"""Fraction of the derivative's values that a function must need to share them."""
BASE = "derivative"
MEASURES = "regularity"
MORE = 0.25
"""Relative length that measures of regularity may add to the derivative."""
KEPT = "kept"
_NONE = "{0, 0, 0, 0, {0}}"
"""Record of a function that is not written."""


@dataclass(frozen=True)
class WrittenFunctions:
    """C text of a model's functions.

    Attributes
    ----------
    records : list of str
        Initializers of the runtime's ``mb_function``: the common one, then those of the table.
    kept : int
        Number of values that are cached for a point.
    measured : bool
        Whether the derivative can return the measures of regularity as well.
    statements : dict of str to int
        Statements of each function.
    """

    source: str
    records: list[str]
    kept: int
    measured: bool
    statements: dict[str, int]


def write_functions(functions: Mapping[str, ca.Function]) -> WrittenFunctions:
    """Write functions of the table in C, by their names there."""
    arguments = [ca.SX.sym(f"argument{i}", n) for i, n in enumerate(_sizes(functions))]
    extras = list(EXTRA)
    taken = {
        name: [*range(len(POINT)), *(len(POINT) + extras.index(e) for e in FUNCTIONS[name].extra)]
        for name in functions
    }
    merged = program({name: (f, taken[name]) for name, f in functions.items()}, arguments)
    measured = _gives_measures(merged)
    shares, kept = _shared(merged)
    rates = _rates(merged, _names(taken[BASE]), kept, measured)
    texts: dict[str, Text] = {"common": rates.common, BASE: rates.derivative}
    records = {"common": _record("common", rates.common, [])}
    for name in functions:
        # One function may stand under two names in the table; its text is written once.
        same = next((n for n in texts if n in functions and functions[n] is functions[name]), None)
        if same not in (None, name):
            records[name] = records[same]
            texts[name] = Text("", 0, 0)
            continue
        own = list(FUNCTIONS[name].extra)
        given: dict[int, str] = {}
        if name in shares:
            place = f"arg[{len(POINT) + len(own)}]"
            given = {v: f"{place}[{k}]" for k, v in enumerate(kept)}
            own.append(KEPT)
        results = merged.results[name]
        asked = len(results) - 1 if FUNCTIONS[name].asked else None
        if name != BASE:
            texts[name] = statements(
                merged, f"mb_model_{name}", _names(taken[name]), results, given, asked
            )
        records[name] = _record(name, texts[name], own)
    source = "\n".join(
        ["#define D const double", rates.source, *(t.source for t in texts.values())]
    )
    counts = {name: text.statements for name, text in texts.items() if name != "common"}
    places = ["common", *(name for name, row in FUNCTIONS.items() if row.in_c)]
    initializers = [records.get(name, _NONE) for name in places]
    return WrittenFunctions(source, initializers, len(kept), measured, counts)


@dataclass(frozen=True)
class _Rates:
    """The derivative, and the values it caches for others: two entries to one text."""

    source: str
    derivative: Text
    common: Text


def _rates(merged: Program, arguments: list[str], kept: list[int], measured: bool) -> _Rates:
    results = [*merged.results[BASE], merged.results[MEASURES][0] if measured else [], kept]
    name = "mb_model_rates"
    text = statements(merged, name, arguments, results, {}, 1 if measured else None, 2)
    size = max(1, len(results[0]))

    def caller(of: str, given: str) -> Text:
        head = f"static void mb_model_{of}(const double **arg, double **res, double *w)"
        lines = [head, "{", f"    {given}", f"    {name}(arg, own, w);", "}", ""]
        return Text("\n".join(lines), text.work, text.statements)

    second = "res[1]" if measured else "0"
    return _Rates(
        text.source,
        caller(BASE, f"double *own[3] = {{res[0], {second}, 0}};"),
        caller("common", f"double unused[{size}], *own[3] = {{unused, 0, res[0]}};"),
    )


def _sizes(functions: Mapping[str, ca.Function]) -> list[int]:
    """Sizes of all arguments: those of a point, then the extra ones in the table's order."""
    some = next(iter(functions.values()))
    sizes = [int(some.numel_in(i)) for i in range(len(POINT))]
    for extra in EXTRA:
        users = [name for name in functions if extra in FUNCTIONS[name].extra]
        first = users[0] if users else None
        place = len(POINT) + FUNCTIONS[first].extra.index(extra) if first else 0
        sizes.append(int(functions[first].numel_in(place)) if first else 0)
    return sizes


def _names(taken: list[int]) -> list[str]:
    """The C expression of each argument; a function receives those it takes consecutively."""
    names = [""] * (len(POINT) + len(EXTRA))
    for k, i in enumerate(taken):
        names[i] = f"arg[{k}]"
    return names


def _shared(merged: Program) -> tuple[set[str], list[int]]:
    """Functions that share values of the derivative, and the values that they need."""
    given = (ca.OP_CONST, ca.OP_INPUT)
    base = {v for v in merged.needed(BASE) if merged.operations[v].code not in given}
    shares: set[str] = set()
    used: set[int] = set()
    for name in merged.results:
        needed = set(merged.needed(name))
        if name == BASE or len(needed & base) <= SHARED * len(base) or not base:
            continue
        shares.add(name)
        own = needed - base
        used |= {of for v in own for of in merged.operations[v].of if of in base}
        used |= {v for result in merged.results[name] for v in result if v in base}
    return shares, sorted(used)


def _gives_measures(merged: Program) -> bool:
    """Return whether measures of regularity add little to the derivative."""
    base = merged.needed(BASE)
    missing = set(merged.needed(MEASURES)) - set(base)
    return 0 < merged.arithmetic(sorted(missing)) < MORE * merged.arithmetic(base)


def _record(name: str, text: Text, extra: list[str]) -> str:
    which = ", ".join(f"MB_EXTRA_{argument}" for argument in extra) or "0"
    return f"{{mb_model_{name}, {text.work}, {text.statements}, {len(extra)}, {{{which}}}}}"
