"""C of a model's functions, and their records in its table.

Output, indicators, columns of the Jacobian and updates at events need nearly all intermediate
values of the derivative. One function, ``common``, caches these values for a point; the others
start from them. It is the derivative itself, which stores them if it is given an array, so that its
text exists once. Where the conditioning measures add little, they are a second result on request.
Where the derivative is left out, the first function stands in its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.codegen.model_source.shared_texts import (
    JACOBIAN,
    VARIED,
    declaration,
    declaration_of_changes,
    write_indicators,
    write_rates,
    write_sums,
)
from mbcore.codegen.model_source.sharing import (
    FREE_INDICATORS,
    INDICATORS,
    MEASURES,
    first_of_check,
    gives_measures,
    knows_indicators,
    measures_alone,
    shared_values,
    used_values,
)
from mbcore.codegen.program import Program, program
from mbcore.codegen.statements import Text, Wanted, statements
from mbcore.codegen.sums.writing import Columns
from mbcore.equations.functions import EXTRA, FUNCTIONS, POINT
from mbcore.host.vectors import Vectors
from mbcore.model.tables.lookup import Lookup

KNOWN_INDICATORS = "known_indicator"
_BASE = "derivative"
_CACHED = "cached"


@dataclass(frozen=True)
class WrittenFunctions:
    """C text of a model's functions.

    Attributes
    ----------
    texts : dict of str to str
        C of each function by its name, that of ``common`` first.
    records : dict of str to str
        Initializers of ``mb_function`` by name: that of ``common``, then those of the functions.
    cached : int
        Number of values that are cached for a point.
    measured : bool
        Whether the derivative can return the conditioning measures as well.
    caches : bool
        Whether the derivative can cache values, because indicators share them.
    first : int
        How many of them, the first, are those of the check of virtual power, which the derivative
        can cache without the others.
    statements : dict of str to int
        Statements of each function.
    lookups : sequence of Lookup
        Entries that they look up in data.
    """

    texts: dict[str, str]
    records: dict[str, str]
    cached: int
    measured: bool
    caches: bool
    first: int
    statements: dict[str, int]
    lookups: Sequence[Lookup] = ()


def write_functions(
    functions: Mapping[str, ca.Function], branches: bool, vectors: Vectors | None = None
) -> WrittenFunctions:
    """Write functions of the table in C, by their names there; with ``branches`` or without.

    With vectors, the Jacobian of the rates is written as a function besides, where that pays.
    """
    arguments = [ca.SX.sym(f"argument{i}", n) for i, n in enumerate(_sizes(functions))]
    extras = list(EXTRA)
    taken = {
        name: [*range(len(POINT)), *(len(POINT) + extras.index(e) for e in FUNCTIONS[name].extra)]
        for name in functions
    }
    merged = program({name: (f, taken[name]) for name, f in functions.items()}, arguments, branches)
    base = _BASE if _BASE in functions else next(iter(functions))
    measured = gives_measures(merged, base)
    shares, cached = shared_values(merged, base)
    known = knows_indicators(functions, merged, base) and INDICATORS not in shares
    if known:
        cached = sorted({*cached, *used_values(merged, merged.results[INDICATORS], base)})
    caches = known or (INDICATORS in shares and functions[INDICATORS].numel_out(0) > 0)
    cached, first = first_of_check(merged, shares, cached, base)
    rates = write_rates(merged, base, _names(taken[base]), cached, (measured, caches, first))
    texts: dict[str, Text] = {"common": rates.common, base: rates.derivative}
    varied, columns = int(arguments[VARIED].numel()), _columns(functions, vectors)
    shorter = write_sums(merged, shares, cached, varied, columns)
    if not shares & {INDICATORS, FREE_INDICATORS}:
        shorter |= write_indicators(merged, _names(taken[base]))
    if measures_alone(merged, measured) and MEASURES not in shares:
        shorter[MEASURES] = rates.measures
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
            given = {v: f"{place}[{k}]" for k, v in enumerate(cached)}
            own.append(_CACHED)
        results = merged.results[name]
        on_request = len(results) - 1 if FUNCTIONS[name].on_request else None
        if name in shorter:
            texts[name] = shorter[name]
        elif name != base:
            texts[name] = statements(
                merged, f"mb_model_{name}", _names(taken[name]), results, given, Wanted(on_request)
            )
        records[name] = _record(name, texts[name], own)
    if known:
        texts[KNOWN_INDICATORS] = _known_indicators(merged, _names(taken[INDICATORS]), cached)
        records[KNOWN_INDICATORS] = _record(KNOWN_INDICATORS, texts[KNOWN_INDICATORS], [_CACHED])
    if JACOBIAN in shorter:
        texts[JACOBIAN] = shorter[JACOBIAN]
        records[JACOBIAN] = _record(JACOBIAN, texts[JACOBIAN], [_CACHED])
    visible = {name: _visible(name, text) for name, text in texts.items() if text.source}
    visible["common"] = f"{rates.source}\n{visible['common']}"
    counts = {name: text.statements for name, text in texts.items() if name != "common"}
    shared = len(cached), measured, caches, first
    return WrittenFunctions(visible, records, *shared, counts, merged.lookups)


def _known_indicators(merged: Program, arguments: list[str], cached: Sequence[int]) -> Text:
    """Write the indicators at a point whose values are cached."""
    given = {v: f"arg[{len(POINT)}][{k}]" for k, v in enumerate(cached)}
    name = f"mb_model_{KNOWN_INDICATORS}"
    return statements(merged, name, arguments, merged.results[INDICATORS], given)


def _columns(functions: Mapping[str, ca.Function], vectors: Vectors | None) -> Columns | None:
    """Return what the function of the Jacobian is, where there are as many states as lanes."""
    if vectors is None or "change" not in functions:
        return None
    states = int(functions["change"].numel_out(0))
    return Columns(JACOBIAN, states, vectors) if states >= vectors.lanes > 1 else None


def _visible(name: str, text: Text) -> str:
    """Return the C of a function, which may be named in other files, but not its pieces."""
    heads = [declaration(name), *([declaration_of_changes()] if name == JACOBIAN else [])]
    found = text.source
    for head in heads:
        found = found.replace(f"static {head}", head)
    return found


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


def _record(name: str, text: Text, extra: list[str]) -> str:
    which = ", ".join(f"MB_EXTRA_{argument}" for argument in extra) or "0"
    return f"{{mb_model_{name}, {text.work}, {text.statements}, {len(extra)}, {{{which}}}}}"
