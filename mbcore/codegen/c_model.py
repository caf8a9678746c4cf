"""Equations -> one C file: CasADi's generated functions and the constant tables of the runtime.

`mbcore.equations.functions` defines what each function takes and returns; the runtime knows it from
``mb_functions.h`` and ``mb_model.h``.

Output, indicators, columns of the Jacobian and updates at events need nearly all intermediate
values of the derivative. One function, ``common``, caches these values for a point; the others
start from them. It is the derivative itself, which stores them if it is given an array, so that its
text exists once. Where the conditioning measures add little, they are a second result on request.
Where the derivative is left out, the first function stands in its place.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import casadi as ca

from mbcore.codegen.program import Program, program
from mbcore.codegen.rows import Choice, Row, Table
from mbcore.codegen.statements import Text, Wanted, statements
from mbcore.codegen.sums.writing import Linear, in_sums
from mbcore.equations.dynamics import Dynamics
from mbcore.equations.equations import Equations
from mbcore.equations.functions import COUNTS, EXTRA, FUNCTIONS, POINT, number
from mbcore.model.errors import ModelError
from mbcore.model.variables import Requirement, Severity

_TOKEN = "@TOKEN@"
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:mbcore:model")
_SHARED = 0.5
"""Fraction of the derivative's values that a function must need to share them."""
_BASE = "derivative"
_MEASURES = "conditioning"
_SEARCHES = ("newton", "place")
"""Functions of the position problem: they are asked at places where the derivative is not."""
_INDICATORS, _FREE_INDICATORS = "indicator", "free_indicator"
_KNOWN_INDICATORS = "known_indicator"
_MORE = 0.25
"""Relative length that conditioning measures may add to the derivative."""
_SAME = 1.05
"""Most values of two functions that are one text, in those of the shorter one."""
LONG = 5000
"""Statements of measures that are not written a second time beside the derivative's."""
_CACHED = "cached"
_DERIVATIVES = ("change", "adjoint_change")
_VARIED = len(POINT) + list(EXTRA).index("variation")
"""Number of the argument in which they are linear."""
_NOT_WRITTEN = "{0, 0, 0, 0, {0}}"
"""Record of a function that is not written."""


@dataclass(frozen=True)
class GeneratedModel:
    """C source of a model, and the token that ties it to its model description.

    Attributes
    ----------
    functions : str
        C of the functions that simulations consist of.
    derivatives : str
        C of their derivatives: two thirds of a model's statements, which a simulation with the
        method ``rosenbrock`` or an importer may call.
    tables : str
        C of its tables; they name the functions, which may be compiled apart.
    """

    name: str
    token: str
    functions: str
    derivatives: str
    tables: str
    statements: dict[str, int]

    @property
    def source(self) -> str:
        """All of it as one C file."""
        return "\n".join([self.functions, self.derivatives, self.tables])

    def refuse_too_large(self, most: int) -> None:
        """Refuse more statements than a compiler should be given.

        Raises
        ------
        ModelError
            Naming how many there are, of what, and what to do.
        """
        total = sum(self.statements.values())
        if total > most:
            largest = sorted(self.statements.items(), key=lambda item: -item[1])[:3]
            parts = ", ".join(f"{name} {count}" for name, count in largest)
            raise ModelError(
                f"{self.name}: its equations are {total} statements in C ({parts}), more than the "
                f"{most} that are compiled by default; model it with fewer bodies or elements, or "
                "raise the limit: export(..., most_statements=...)"
            )


def generate(
    equations: Equations,
    table: Table,
    without: Collection[str] = (),
    others: Collection[str] | None = None,
) -> GeneratedModel:
    """Write the C source of a model.

    The token is a UUID of the source's content, so the same model has the same one.

    Parameters
    ----------
    equations : Equations
        The equations.
    table : Table
        Their variables.
    without : collection of str
        Functions of the runtime that are left out, because nothing calls them.
    others : collection of str, optional
        Functions that the runtime does not need, for a host that calls functions by their places
        in the table ``mb_generated_functions``; without it there is no such table.

    Raises
    ------
    ModelError
        A function is missing or its sizes do not fit the variables.
    """
    equations.refuse_stale()
    functions = {
        name: _checked(equations, name)
        for name, row in FUNCTIONS.items()
        if (row.in_c and name not in without) or name in (others or ())
    }
    if not equations.constrained and "indicator" in functions:
        functions["free_indicator"] = functions["indicator"]
    # Friction has long parts that are needed while a joint sticks, or until its forces converge.
    implicit = isinstance(equations.dynamics, Dynamics) and equations.dynamics.implicit is not None
    written = _write_functions(functions, branches=implicit)
    head = f"/* {_comment(equations.name)}: generated by mbcore, do not edit. */"
    texts = written.texts
    derivatives = _file(head, [text for name, text in texts.items() if name in _DERIVATIVES])
    simulated = _file(head, [text for name, text in texts.items() if name not in _DERIVATIVES])
    tables = "\n".join(
        [
            head,
            "#include <math.h>",
            '#include "mb_model.h"\n',
            *(f"{_head(name)};" for name in texts),
            "",
            _tables(equations, table, written),
            *([] if others is None else [_function_table(written)]),
        ]
    )
    token = f"{{{uuid.uuid5(_NAMESPACE, simulated + derivatives + tables)}}}"
    tables = tables.replace(_TOKEN, token)
    return GeneratedModel(equations.name, token, simulated, derivatives, tables, written.statements)


def _file(head: str, texts: Sequence[str]) -> str:
    """Return a C file of functions."""
    return "\n".join([head, "#include <math.h>\n", "#define D const double", *texts])


def _checked(equations: Equations, name: str) -> ca.Function:
    """Return a function of the equations whose sizes fit the table."""
    try:
        function = equations.functions[name]
    except KeyError:
        raise ModelError(f"{equations.name}: the equations have no function {name!r}") from None
    _check_sizes(equations, name, function)
    return function


def counts(equations: Equations) -> dict[str, int]:
    """Return the counts in which sizes are expressed."""
    counted: dict[str, Sequence] = {
        "nx": equations.coordinate_names,
        "ni": range(equations.iterated),
        "nc": equations.constraint_names,
        "ns": equations.states,
        "nd": equations.discretes,
        "nu": equations.inputs,
        "np": equations.parameters,
        "ny": equations.outputs,
        "ne": equations.events,
        "nq": equations.requirements,
        "nr": equations.conditioning_names,
        "nf": range(equations.dofs),
        "nv": equations.form.velocity_rows,
    }
    return {name: len(counted.get(name, ())) for name in COUNTS}


def _check_sizes(equations: Equations, name: str, function: ca.Function) -> None:
    row, sizes = FUNCTIONS[name], counts(equations)
    arguments = [number(size, sizes) for size in row.arguments().values()]
    expected = [number(size, sizes) for size in row.results.values()]
    given = [function.numel_in(i) for i in range(function.n_in())]
    results = [function.numel_out(i) for i in range(function.n_out())]
    if given != arguments or results != expected:
        raise ModelError(
            f"{equations.name}: function {name!r} takes {given} and returns {results} numbers, "
            f"expected {arguments} and {expected}"
        )


# Functions


@dataclass(frozen=True)
class _WrittenFunctions:
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
    statements : dict of str to int
        Statements of each function.
    """

    texts: dict[str, str]
    records: dict[str, str]
    cached: int
    measured: bool
    caches: bool
    statements: dict[str, int]


def _write_functions(functions: Mapping[str, ca.Function], branches: bool) -> _WrittenFunctions:
    """Write functions of the table in C, by their names there; with ``branches`` or without."""
    arguments = [ca.SX.sym(f"argument{i}", n) for i, n in enumerate(_sizes(functions))]
    extras = list(EXTRA)
    taken = {
        name: [*range(len(POINT)), *(len(POINT) + extras.index(e) for e in FUNCTIONS[name].extra)]
        for name in functions
    }
    merged = program({name: (f, taken[name]) for name, f in functions.items()}, arguments, branches)
    base = _BASE if _BASE in functions else next(iter(functions))
    measured = _gives_measures(merged, base)
    shares, cached = _shared(merged, base)
    known = _knows_indicators(functions, merged, base) and _INDICATORS not in shares
    if known:
        cached = sorted({*cached, *_used(merged, merged.results[_INDICATORS], base)})
    caches = known or (_INDICATORS in shares and functions[_INDICATORS].numel_out(0) > 0)
    rates = _rates(merged, base, _names(taken[base]), cached, (measured, caches))
    texts: dict[str, Text] = {"common": rates.common, base: rates.derivative}
    shorter = _linear(merged, shares, cached, int(arguments[_VARIED].numel()))
    if not shares & {_INDICATORS, _FREE_INDICATORS}:
        shorter |= _indicators(merged, _names(taken[base]))
    if _measures_alone(merged, measured) and _MEASURES not in shares:
        shorter[_MEASURES] = rates.measures
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
        texts[_KNOWN_INDICATORS] = statements(
            merged,
            f"mb_model_{_KNOWN_INDICATORS}",
            _names(taken[_INDICATORS]),
            merged.results[_INDICATORS],
            {v: f"arg[{len(POINT)}][{k}]" for k, v in enumerate(cached)},
        )
        records[_KNOWN_INDICATORS] = _record(_KNOWN_INDICATORS, texts[_KNOWN_INDICATORS], [_CACHED])
    visible = {name: _visible(name, text) for name, text in texts.items() if text.source}
    visible["common"] = f"{rates.source}\n{visible['common']}"
    counts = {name: text.statements for name, text in texts.items() if name != "common"}
    return _WrittenFunctions(visible, records, len(cached), measured, caches, counts)


def _linear(
    merged: Program, shares: set[str], cached: Sequence[int], entries: int
) -> dict[str, Text]:
    """Return C of the derivatives as sums, where that is shorter than statements."""
    if not shares.issuperset(_DERIVATIVES):
        return {}
    of = Linear(*_DERIVATIVES, argument=_VARIED, entries=entries, point=len(POINT), cached=cached)
    return in_sums(merged, of) or {}


def _indicators(merged: Program, arguments: list[str]) -> dict[str, Text]:
    """Return C of the indicators with and without closed contacts as two entries to one text.

    It is written where nearly all values are the same.
    """
    names = (_INDICATORS, _FREE_INDICATORS)
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


def _measures_alone(merged: Program, measured: bool) -> bool:
    """Return whether the text of the rates gives conditioning measures alone, too.

    That is done where these are long.
    """
    if not measured or merged.branches:
        return False
    return len(merged.computed(merged.results[_MEASURES])) >= LONG


def _head(name: str) -> str:
    return f"void mb_model_{name}(const double **arg, double **res, double *w)"


def _visible(name: str, text: Text) -> str:
    """Return the C of a function, which may be named in other files, but not its pieces."""
    return text.source.replace(f"static {_head(name)}", _head(name))


@dataclass(frozen=True)
class _Rates:
    """The derivative, the values it caches for others, and measures: entries to one text."""

    source: str
    derivative: Text
    common: Text
    measures: Text


def _rates(
    merged: Program,
    base: str,
    arguments: list[str],
    cached: list[int],
    gives: tuple[bool, bool],
) -> _Rates:
    """Write the base function; whether it ``gives`` measures, and values for others, on request."""
    measured, caches = gives
    results = [*merged.results[base], merged.results[_MEASURES][0] if measured else [], cached]
    name = "mb_model_rates"
    wanted = Wanted(1 if measured else None, 2, _measures_alone(merged, measured))
    text = statements(merged, name, arguments, results, {}, wanted)
    size = max(1, len(results[0]))
    second, third = "res[1]" if measured else "0", "res[2]" if caches else "0"
    unused = f"double unused[{size}], *own[3]"
    count = len(merged.computed(merged.results.get(_MEASURES, [])))
    return _Rates(
        text.source,
        _entry(base, name, f"double *own[3] = {{res[0], {second}, {third}}};", text),
        _entry("common", name, f"{unused} = {{unused, 0, res[0]}};", text),
        _entry(_MEASURES, name, "double *own[3] = {0, res[0], 0};", text, count),
    )


def _entry(name: str, to: str, own: str, text: Text, own_count: int | None = None) -> Text:
    """Return a function that calls another one with ``own`` results.

    Its statements, by which work is counted, are those of the results that it is for.
    """
    lines = [f"static {_head(name)}", "{", f"    {own}", f"    {to}(arg, own, w);", "}", ""]
    count = text.statements if own_count is None else own_count
    return Text("\n".join(lines), text.work, count)


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


def _shared(merged: Program, base_name: str) -> tuple[set[str], list[int]]:
    """Functions that share values of the derivative, and the values that they need."""
    base = set(merged.computed(merged.results[base_name]))
    shares: set[str] = set()
    used: set[int] = set()
    for name, results in merged.results.items():
        needed = set(merged.computed(results))
        if name in (base_name, *_SEARCHES) or len(needed & base) <= _SHARED * len(base) or not base:
            continue
        shares.add(name)
        used |= _used(merged, results, base_name)
    return shares, sorted(used)


def _used(merged: Program, results: list[list[int]], base_name: str) -> set[int]:
    """Return the derivative's values from which results are computed."""
    base = set(merged.computed(merged.results[base_name]))
    own = set(merged.computed(results)) - base
    used = {of for v in own for of in merged.operations[v].of if of in base}
    return used | {v for result in results for v in result if v in base}


def _knows_indicators(
    functions: Mapping[str, ca.Function], merged: Program, base_name: str
) -> bool:
    """Return whether most values of indicators are the derivative's, though few of all those."""
    if not {_INDICATORS, _FREE_INDICATORS} <= set(functions):
        return False
    same = functions[_INDICATORS] is functions[_FREE_INDICATORS]
    needed = set(merged.computed(merged.results[_INDICATORS]))
    base = set(merged.computed(merged.results[base_name]))
    return same and len(needed & base) > _SHARED * len(needed) > 0


def _gives_measures(merged: Program, base_name: str) -> bool:
    """Return whether conditioning measures add little to the derivative."""
    if _MEASURES not in merged.results:
        return False
    base = merged.computed(merged.results[base_name])
    missing = set(merged.computed(merged.results[_MEASURES])) - set(base)
    return 0 < len(missing) < _MORE * len(base)


def _record(name: str, text: Text, extra: list[str]) -> str:
    which = ", ".join(f"MB_EXTRA_{argument}" for argument in extra) or "0"
    return f"{{mb_model_{name}, {text.work}, {text.statements}, {len(extra)}, {{{which}}}}}"


# Tables


def tables(equations: Equations, table: Table) -> str:
    """Return the tables in the C source of a model, but for what follows from its functions."""
    return _tables(equations, table, _WrittenFunctions({}, {}, 0, False, False, {}))


def _tables(equations: Equations, table: Table, functions: _WrittenFunctions) -> str:
    requirements = [
        f"{{{_string(r.name)}, {_string(r.message)}, {_when(r)}, {_SEVERITIES[r.severity]}}}"
        for r in equations.requirements
    ]
    names = {
        "coordinate": equations.coordinate_names,
        "constraint": equations.constraint_names,
        "event": [event.name for event in equations.events],
        "measure": equations.conditioning_names,
    }
    place: dict[str | None, int] = {d.name: i for i, d in enumerate(equations.discretes)}
    arrays = [
        _array("const mb_variable", "variables", [_row(row) for row in table.rows]),
        *(
            _array("const char *", f"{kind}_names", [_string(name) for name in of])
            for kind, of in names.items()
        ),
        _array("const mb_requirement", "requirements", requirements),
        _array("const int", "limits", [str(place) for place in equations.followed]),
        _array("const double", "bands", [_number(event.band) for event in equations.events]),
        _array("const mb_event_kind", "kinds", [f"MB_{e.kind.upper()}" for e in equations.events]),
        _array("const int", "expected", [str(place.get(e.expected, -1)) for e in equations.events]),
    ]
    rates, starts = _input_pairs(equations)
    arrays += [
        _array("const mb_input_rate", "input_rates", rates),
        _array("const mb_input_start", "input_starts", starts),
        _array("const mb_choice", "choices", [_choice(choice) for choice in table.choices]),
        _array("const int", "varied_places", [str(place) for place in table.varied]),
    ]
    sizes = counts(equations) | {"np": table.parameters}  # with those of the solver
    sizes["nk"] = functions.cached
    written = [name for name, row in FUNCTIONS.items() if row.in_c]
    known = ["common", *written, _KNOWN_INDICATORS]
    return "\n".join(
        [
            *arrays,
            "const mb_model mb_generated_model = {",
            f"    {_string(equations.name)}, {_string(_TOKEN)},",
            f"    {', '.join(map(str, sizes.values()))}, /* {' '.join(sizes)} */",
            f"    {len(equations.constrained)}, {int(not _measures_take_inputs(equations))}, "
            f"{int(functions.measured)},",
            f"{int(functions.caches)},",
            f"    {len(table.rows)}, variables,",
            "    coordinate_names, constraint_names, event_names, measure_names,",
            f"    {len(equations.followed)}, limits, requirements, bands, kinds, expected,",
            f"    {len(rates)}, input_rates, {len(starts)}, input_starts,",
            f"    {len(table.choices)}, choices, {len(table.varied)}, varied_places,",
            *(f"    {functions.records.get(name, _NOT_WRITTEN)}," for name in known),
            "};",
            "",
        ]
    )


def _function_table(written: _WrittenFunctions) -> str:
    """Return the table of all functions, in the order of ``FUNCTIONS``."""
    rows = [f"    {written.records.get(name, _NOT_WRITTEN)}," for name in FUNCTIONS]
    return "\n".join(["const mb_function mb_generated_functions[] = {", *rows, "};", ""])


def _measures_take_inputs(equations: Equations) -> bool:
    """Return whether conditioning measures depend on inputs directly."""
    place = list(FUNCTIONS["conditioning"].arguments()).index("u")
    return equations.functions["conditioning"].jac_sparsity(0, place).nnz() > 0


def _input_pairs(equations: Equations) -> tuple[list[str], list[str]]:
    """Return inputs with their rates, and states with the inputs at whose values they start."""
    place = {record.name: i for i, record in enumerate(equations.inputs)}
    rates = [
        f"{{{i}, {place[record.rate.name]}}}"
        for i, record in enumerate(equations.inputs)
        if record.rate is not None
    ]
    starts = [
        f"{{{i}, {place[record.start_input]}}}"
        for i, record in enumerate(equations.states)
        if record.start_input is not None
    ]
    return rates, starts


def _array(type_name: str, name: str, items: Sequence[str]) -> str:
    """Return an array definition; one zeroed element stands for an empty one (C99 has none)."""
    body = ",\n".join(f"    {item}" for item in items) or "    0"
    return f"static {type_name} {name}[] = {{\n{body}\n}};"


_SEVERITIES: dict[Severity, str] = {
    "error": "MB_VIOLATION_IS_ERROR",
    "warning": "MB_VIOLATION_IS_WARNING",
}


def _when(requirement: Requirement) -> str:
    if requirement.initial:
        return "MB_OF_PARAMETERS"
    return "MB_AT_START" if requirement.start else "MB_ALWAYS"


def _row(row: Row) -> str:
    available = sum(1 << i for i, item in enumerate(row.items) if item.available)
    fields = [
        _string(row.name),
        f"MB_{row.kind.upper()}",
        f"MB_{row.type.upper()}",
        str(row.index),
        str(int(row.tunable)),
        _number(-math.inf if row.minimum is None else row.minimum),
        _number(math.inf if row.maximum is None else row.maximum),
        str(int(row.positive)),
        _number(row.start or 0.0),
        _number(row.nominal),
        f"{available}ul",
        str(int(row.reset)),
    ]
    return f"{{{', '.join(fields)}}}"


def _choice(choice: Choice) -> str:
    kind, index = f"MB_{choice.row.kind.upper()}", choice.row.index
    return (
        f"{{{kind}, {index}, {choice.own}, {choice.first}, {choice.second}, "
        f"{_number(choice.idle)}}}"
    )


def _number(value: float) -> str:
    if math.isnan(value):
        raise ModelError("a start value, nominal or bound is not a number")
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(float(value))


def _string(text: str) -> str:
    """Return a C string literal of the text's UTF-8 bytes."""
    pieces = []
    for byte in text.encode():
        plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        pieces.append(chr(byte) if plain else f"\\{byte:03o}")
    return '"' + "".join(pieces) + '"'


def _comment(text: str) -> str:
    return text.replace("*/", "* /").replace("\n", " ")
