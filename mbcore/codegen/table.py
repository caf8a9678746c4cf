"""The one table of a model's variables that C source, model descriptions and documents share.

The position of a row is its value reference, in FMI 2.0 and 3.0 alike; row 0 is time. A variable
may have aliases, and there may be rows for importers that know fewer types: real twins of discrete
outputs, integer selectors of enumerations, parameters for the states' starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import casadi as ca

from mbcore.codegen import table_checks
from mbcore.codegen.rows import (
    SOLVER_NAMES,
    SOLVER_PARAMETERS,
    Alias,
    ArrayRow,
    Choice,
    Row,
    RowKind,
    Table,
)
from mbcore.codegen.work import most_evaluations
from mbcore.equations.checks.unused_variables import NOTHING_USES
from mbcore.equations.equations import Equations
from mbcore.integrators.table import items
from mbcore.model.units.units import per_second, quotient
from mbcore.model.variables import (
    Array,
    Discrete,
    Event,
    Input,
    Output,
    Parameter,
    State,
    type_of,
)

DEFAULT_TOLERANCE = 1e-6

TWIN, SELECTOR, START, SENSITIVITY = "{}_real", "{}_number", "start.{}", "step.{}.by.{}"
"""Names of the rows that stand for others."""
_RATE = "der({})"


@dataclass(frozen=True)
class Offers:
    """Further variables of a table, beyond those of the equations.

    Attributes
    ----------
    twins : bool
        ``NAME_real`` beside each Boolean or Integer output, ``NAME_number`` beside each
        enumeration: 0 as the enumeration says, else the item's number.
    starts : bool
        ``start.NAME`` beside each state that has a start value.
    aliases : mapping of str to str
        Names of outputs that are exactly a state, or the derivative of one, which has a row of its
        own all the same: importers take rates and outputs for different variables.
    sensitivities : bool
        ``step.STATE.by.NAME``: how each state at the end of a doStep follows each one at its
        beginning, each input and each tunable parameter.
    nominals : mapping of str to float
        Of outputs and derivatives; 1 where absent.
    """

    twins: bool = False
    starts: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)
    nominals: Mapping[str, float] = field(default_factory=dict)
    sensitivities: bool = False


def table(equations: Equations, step: float, offers: Offers | None = None) -> Table:
    """Build the table of a model; ``step`` is the start value of ``solver.step`` in seconds.

    Raises
    ------
    ModelError
        A name is not structured or not unique, a text holds what XML cannot, a unit is unknown, a
        number is not finite, a nominal is not positive, an alias is none.
    """
    offers = offers or Offers()
    named = dict(offers.nominals)
    records = [
        dict(name="time", kind="time", index=0, unit="s", description="independent variable"),
        *_parameters(equations, step),
        *_constants(equations),
        *(_input(v, i) for i, v in enumerate(equations.inputs)),
        *_states(equations),
        *(_derivative(v, i, named) for i, v in enumerate(equations.states)),
        *(_calculated(v, "discrete", i, named) for i, v in enumerate(equations.discretes)),
        *(_calculated(v, "output", i, named) for i, v in enumerate(equations.outputs)),
        *(_indicator(v, i) for i, v in enumerate(equations.events)),
    ]
    table_checks.refuse_repeated(records)
    for record in records:
        if record["name"] in equations.unused:
            record["description"] = "; ".join(filter(None, (record["description"], NOTHING_USES)))
    rows = [Row(reference=0, **record) for record in records]
    table_checks.refuse_aliased_elements(equations.arrays, offers.aliases)
    rows = _aliased(rows, offers.aliases)
    rows = list(_with_twins(rows, equations.arrays)) if offers.twins else rows
    rows = list(_with_starts(rows)) if offers.starts else rows
    varied = _varied(equations) if offers.sensitivities else {}
    rows += _sensitivities(equations, list(varied.values()))
    rows, slots, choices = _with_slots(rows, len(equations.parameters))
    numbered = tuple(replace(row, reference=i) for i, row in enumerate(rows))
    table_checks.check(numbered)
    arrays = tuple(_array_rows(numbered, equations.arrays))
    table_checks.check_arrays(arrays, numbered)
    return Table(numbered, slots, choices, tuple(varied), arrays)


def _array_rows(rows: Sequence[Row], arrays: Sequence[Array]) -> Iterator[ArrayRow]:
    """Return the arrays of the table: the model's, and those of what stands beside elements."""
    if not arrays:
        return
    place = {row.name: row.reference for row in rows}
    reference = len(rows)
    for array in arrays:
        for form in ("{}", _RATE, TWIN, START):
            first = place.get(_formed(form, array.elements[0]))
            if first is None:
                continue
            description = rows[first].description if form != "{}" else array.description
            if form == _RATE:
                description = f"time derivative of {array.name}"
            yield ArrayRow(reference, form.format(array.name), array.shape, first, description)
            reference += 1


def _formed(form: str, name: str) -> str:
    """Return the name of what stands beside a variable, whose index, if any, comes last."""
    whole, bracket, index = name.partition("[")
    return f"{form.format(whole)}{bracket}{index}" if form == TWIN else form.format(name)


def _varied(equations: Equations) -> dict[int, State | Input | Parameter]:
    """Return by what states have sensitivities, by its place in (s, t, u, p)."""
    first = len(equations.states)
    found: dict[int, State | Input | Parameter] = dict(enumerate(equations.states))
    inputs = enumerate(equations.inputs)
    found |= {first + 1 + i: record for i, record in inputs if type_of(record) == "real"}
    first += 1 + len(equations.inputs)
    return found | {
        first + i: record
        for i, record in enumerate(equations.parameters)
        if record.tunable and type_of(record) == "real"
    }


def _sensitivities(equations: Equations, varied: Sequence[State | Input | Parameter]) -> list[Row]:
    states = equations.states
    return [
        Row(
            0,
            SENSITIVITY.format(state.name, by.name),
            "sensitivity",
            k * len(states) + i,
            unit=quotient(state.unit, by.unit, state.name),
            description=f"{state.name} at the end of the last doStep by {by.name}",
        )
        for k, by in enumerate(varied)
        for i, state in enumerate(states)
    ]


def _aliased(rows: list[Row], aliases: Mapping[str, str]) -> list[Row]:
    """Give outputs' names to the states that they are; the output's name comes first."""
    by_name = {row.name: row for row in rows}
    for name, target in aliases.items():
        row, of = by_name.get(name), by_name.get(target)
        table_checks.check_alias(name, row, target, of)
        assert row is not None and of is not None
        if of.kind == "derivative":
            continue
        if of.visibility == "output":  # a state
            main, other = of, Alias(name, "output", row.description, row.display_unit)
        else:
            main = replace(
                of,
                name=name,
                description=row.description,
                display_unit=row.display_unit,
                visibility="output",
            )
            other = Alias(target, "local", of.description, of.display_unit)
        by_name[target] = replace(main, aliases=(*of.aliases, other))
        del by_name[name]
    return list(by_name.values())


def _with_twins(rows: list[Row], arrays: Sequence[Array]) -> Iterator[Row]:
    """Yield rows with their twins; those of an array's elements come behind its last element."""
    within = {element: array.elements[-1] for array in arrays for element in array.elements}
    waiting: list[Row] = []
    for row in rows:
        yield row
        if row.items and row.kind == "parameter":
            yield Row(
                0,
                SELECTOR.format(row.name),
                "parameter",
                -1,
                "integer",
                description=f"number of {row.name}'s item; 0: as {row.name} says",
                start=0.0,
                minimum=0.0,
                maximum=float(len(row.items)),
                stands_for=row.name,
            )
        elif row.type != "real" and row.visibility == "output":
            said = f"{row.name} as a real number; {row.description}"
            name = _formed(TWIN, row.name)
            twin = replace(row, name=name, type="real", items=(), description=said)
            waiting.append(replace(twin, stepwise=True, stands_for=row.name))
        if within.get(row.name, row.name) == row.name:
            yield from waiting
            waiting = []


def _with_starts(rows: list[Row]) -> Iterator[Row]:
    last = max((i for i, row in enumerate(rows) if row.kind == "parameter"), default=0)
    yield from rows[: last + 1]
    for row in [row for row in rows if row.kind == "state"]:
        said = f"start value of {row.name}, whose own counts where both are changed"
        if row.start_input is not None:
            said = f"start value of {row.name} where it is changed, else that of {row.start_input}"
        yield Row(
            0,
            START.format(row.name),
            "parameter",
            -1,
            unit=row.unit,
            description=said,
            start=row.start,
            display_unit=row.display_unit,
            stands_for=row.name,
        )
    yield from rows[last + 1 :]


def _with_slots(rows: list[Row], own: int) -> tuple[list[Row], int, tuple[Choice, ...]]:
    """Give slots in p, behind the model's, to what decides beside it, and to what is hidden."""
    places = {row.name: i for i, row in enumerate(rows)}
    deciding = [(i, row) for i, row in enumerate(rows) if row.kind == "parameter" and row.index < 0]
    slots = own + 2 * len(deciding) + SOLVER_PARAMETERS
    for i, row in enumerate(rows):
        if row.kind == "parameter" and row.name in SOLVER_NAMES:
            place = slots - SOLVER_PARAMETERS + SOLVER_NAMES.index(row.name)
            rows[i] = replace(row, index=place)
    choices = []
    for k, (i, row) in enumerate(deciding):
        given, hidden = own + 2 * k, own + 2 * k + 1
        rows[i] = replace(row, index=given)
        assert row.stands_for is not None
        of = rows[places[row.stands_for]]
        if of.items:
            choices.append(Choice(of, own=hidden, first=given, idle=0.0, second=hidden))
        elif of.start_input is not None:  # the hidden one holds the input's value
            choices.append(Choice(of, hidden, given, float(of.start or 0), hidden))
        else:
            choices.append(Choice(of, hidden, hidden, float(of.start or 0), given))
    return rows, slots, tuple(choices)


def _states(equations: Equations) -> list[dict[str, Any]]:
    update = equations.functions["update"]
    fired = update.jac_sparsity(1, update.n_in() - 1)
    reset = set(fired.row())
    return [
        _real(v, "state", i)
        | dict(nominal=v.nominal, visibility=v.visibility, start_input=v.start_input)
        | dict(reset=i in reset)
        for i, v in enumerate(equations.states)
    ]


def _real(variable: Any, kind: RowKind, index: int) -> dict[str, Any]:
    return dict(
        name=variable.name,
        kind=kind,
        index=index,
        unit=variable.unit,
        description=variable.description,
        start=float(variable.start),
        display_unit=variable.display_unit,
    )


def _input(variable: Input, index: int) -> dict[str, Any]:
    return (
        _real(variable, "input", index)
        | _range(variable)
        | dict(type=type_of(variable), items=variable.items)
        | (dict(minimum=1.0, maximum=float(len(variable.items))) if variable.items else {})
    )


def _range(variable: Parameter | Input) -> dict[str, Any]:
    return dict(minimum=variable.minimum, maximum=variable.maximum)


def _parameters(equations: Equations, step: float) -> list[dict[str, Any]]:
    unused = ca.SX()
    solver = (
        Parameter(
            "solver.method",
            unused,
            1.0,
            description="integration method in Co-Simulation",
            minimum=1.0,
            maximum=float(len(items())),
            tunable=False,
            items=items(),
        ),
        Parameter(
            "solver.tolerance",
            unused,
            DEFAULT_TOLERANCE,
            description="relative tolerance in Co-Simulation where the importer passes none",
            positive=True,
            tunable=False,
        ),
        Parameter(
            "solver.step",
            unused,
            step,
            unit="s",
            description="largest step of the fixed_step method",
            positive=True,
            tunable=False,
        ),
        Parameter(
            "solver.most_evaluations",
            unused,
            most_evaluations(equations),
            description="evaluations of the right-hand side, or work as long as they take, after "
            "which a call is given up",
            positive=True,
            tunable=False,
        ),
    )
    records = (*equations.parameters, *solver)
    return [_parameter(record, "parameter", i) for i, record in enumerate(records)]


def _constants(equations: Equations) -> list[dict[str, Any]]:
    return [_parameter(record, "constant", -1) for record in equations.fixed]


def _parameter(record: Parameter, kind: RowKind, index: int) -> dict[str, Any]:
    return dict(
        name=record.name,
        kind=kind,
        index=index,
        type=type_of(record),
        unit=record.unit,
        description=record.description,
        start=float(record.value),
        positive=record.positive,
        tunable=kind == "parameter" and record.tunable and type_of(record) == "real",
        display_unit=record.display_unit,
        items=record.items,
    ) | _range(record)


def _derivative(state: State, index: int, nominals: Mapping[str, float]) -> dict[str, Any]:
    name = _RATE.format(state.name)
    return dict(
        name=name,
        kind="derivative",
        index=index,
        unit=per_second(state.unit, state.name),
        description=f"time derivative of {state.name}",
        nominal=nominals.get(name, 1.0),
    )


def _calculated(
    variable: Discrete | Output, kind: RowKind, index: int, nominals: Mapping[str, float]
) -> dict[str, Any]:
    start = dict(start=float(variable.start)) if isinstance(variable, Discrete) else {}
    return start | dict(
        name=variable.name,
        kind=kind,
        index=index,
        type=type_of(variable),
        items=getattr(variable, "items", ()),
        unit=variable.unit,
        description=variable.description,
        visibility=variable.visibility,
        display_unit=variable.display_unit,
        nominal=nominals.get(variable.name, 1.0),
        stepwise=kind == "discrete" or type_of(variable) != "real",
    )


def _indicator(event: Event, index: int) -> dict[str, Any]:
    return dict(
        name=f"{event.name}.indicator",
        kind="indicator",
        index=index,
        description=f"event indicator of {event.name}, with hysteresis",
    )
