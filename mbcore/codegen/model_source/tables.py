"""C of a model's constant tables: its variables, names, requirements and functions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from itertools import accumulate

from mbcore.codegen.dependencies import Dependencies
from mbcore.codegen.dependency_kinds import KINDS
from mbcore.codegen.model_source.functions import KNOWN_INDICATORS, WrittenFunctions
from mbcore.codegen.model_source.shared_texts import CHANGES, JACOBIAN
from mbcore.codegen.model_source.sizes import counts
from mbcore.codegen.rows import ArrayRow, Choice, Row, Table
from mbcore.equations.equations import Equations
from mbcore.equations.functions import FUNCTIONS
from mbcore.model.errors import ModelError
from mbcore.model.variables import Requirement, Severity

TOKEN = "@TOKEN@"
"""Placeholder of a model's token."""
NONE = WrittenFunctions({}, {}, 0, False, False, 0, {})
"""No functions."""
_PLAIN = re.compile(r"[ !#->@-\[\]-~]*")
"""Texts that are C string literals as they are: no quote, backslash or question mark."""
_NOT_WRITTEN = "{0, 0, 0, 0, {0}}"
"""Record of a function that is not written."""


def _of_columns(record: str) -> str:
    """Return the fields of functions of several columns."""
    return f"    .{JACOBIAN} = {record},\n    .{CHANGES} = mb_model_{CHANGES},"


def tables(
    equations: Equations,
    table: Table,
    functions: WrittenFunctions = NONE,
    depending: Dependencies | None = None,
) -> str:
    """Return the tables of a model; without functions, but for what follows from these.

    What variables depend on by element is stated where ``depending`` and arrays are given.
    """
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
    arrays = [
        _array("const mb_variable", "variables", [_row(row) for row in table.rows]),
        *(
            _array("const char *", f"{kind}_names", [_string(name) for name in of])
            for kind, of in names.items()
        ),
        _array("const mb_requirement", "requirements", requirements),
        _array("const int", "limits", [str(place) for place in equations.followed]),
        *_of_events(equations),
    ]
    rates, starts = _input_pairs(equations)
    arrays += [
        _array("const mb_input_rate", "input_rates", rates),
        _array("const mb_input_start", "input_starts", starts),
        _array("const mb_choice", "choices", [_choice(choice) for choice in table.choices]),
        _array("const int", "varied_places", [str(place) for place in table.varied]),
    ]
    of_arrays, behind = _of_arrays(table, depending)
    arrays += of_arrays
    behind += [_of_columns(of) for name, of in functions.records.items() if name == JACOBIAN]
    sizes = counts(equations) | {"np": table.parameters}  # with those of the solver
    sizes["nk"] = functions.cached
    known = ["common", *(name for name, row in FUNCTIONS.items() if row.in_c), KNOWN_INDICATORS]
    return "\n".join(
        [
            *arrays,
            "const mb_model mb_generated_model = {",
            f"    {_string(equations.name)}, {_string(TOKEN)},",
            f"    {', '.join(map(str, sizes.values()))}, /* {' '.join(sizes)} */",
            f"    {len(equations.constrained)}, {int(not _measures_take_inputs(equations))}, "
            f"{int(functions.measured)},",
            f"{int(functions.caches)}, {functions.first},",
            f"    {len(table.rows)}, variables,",
            "    coordinate_names, constraint_names, event_names, measure_names,",
            f"    {len(equations.followed)}, limits, requirements, bands, kinds,",
            "    expected, heights,",
            f"    {len(rates)}, input_rates, {len(starts)}, input_starts,",
            f"    {len(table.choices)}, choices, {len(table.varied)}, varied_places,",
            *(f"    {functions.records.get(name, _NOT_WRITTEN)}," for name in known),
            *behind,
            "};",
            "",
        ]
    )


def _array_row(array: ArrayRow) -> str:
    return f"{{{_string(array.name)}, {array.first}, {len(array.elements)}}}"


def _of_events(equations: Equations) -> list[str]:
    """Return the arrays of what the events are."""
    events = equations.events
    place: dict[str | None, int] = {d.name: i for i, d in enumerate(equations.discretes)}
    return [
        _array("const double", "bands", [_number(event.band) for event in events]),
        _array("const mb_event_kind", "kinds", [f"MB_{e.kind.upper()}" for e in events]),
        _array("const int", "expected", [str(place.get(e.expected, -1)) for e in events]),
        _array("const int", "heights", [str(place.get(e.height, -1)) for e in events]),
    ]


def _of_arrays(table: Table, known: Dependencies | None) -> tuple[list[str], list[str]]:
    """Return what a model with arrays has besides, and the ends of its record; else nothing."""
    if not table.arrays:
        return [], []
    arrays = [_array("const mb_array", "arrays", map(_array_row, table.arrays))]
    behind = [f"    {len(table.arrays)}, arrays,"]
    found = {} if known is None else {"running": known.running, "initial": known.initial}
    for kind, of in found.items():
        each = [sorted(of.get(row.reference, {}).items()) for row in table.rows]
        begin = [0, *accumulate(map(len, each))]
        pairs = [pair for dependencies in each for pair in dependencies]
        kinds = (str(KINDS.index(factor) + 1) for _, factor in pairs)
        arrays += [
            _array("const int", f"{kind}_begin", map(str, begin)),
            _array("const int", f"{kind}_known", (str(row) for row, _ in pairs)),
            _array("const unsigned char", f"{kind}_kind", kinds),
        ]
        behind.append(f"    {{{kind}_begin, {kind}_known, {kind}_kind}},")
    return arrays, behind


def function_table(written: WrittenFunctions) -> str:
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


def _array(type_name: str, name: str, items: Iterable[str]) -> str:
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
        _number(row.shift),
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
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    pieces = []
    for byte in text.encode():
        plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        pieces.append(chr(byte) if plain else f"\\{byte:03o}")
    return '"' + "".join(pieces) + '"'
