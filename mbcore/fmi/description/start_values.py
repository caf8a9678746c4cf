"""Other start values than the model's, for an FMU's description and for what runs in it.

Used by `mbcore.fmi.description.variables` alone; it stands apart because it checks what users give.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import casadi as ca

from mbcore.codegen.rows import Row, Table
from mbcore.model import checks
from mbcore.model.arrays.elements import values_by_element
from mbcore.model.errors import ModelError
from mbcore.model.interface.values import checked_values
from mbcore.model.near_names import unknown
from mbcore.model.parameter_sets.parameter_set import SETTABLE, located, some_of
from mbcore.model.variables import Input, Kind, Parameter, State, Value


def with_start_values(table: Table, given: Mapping[str, Value]) -> Table:
    """Return a table whose parameters, inputs and states start at other values.

    Everything else stays: the configuration is assembled on the branch of the author's values, and
    natural sizes are theirs, so that an FMU moves to the last bit as one in which these values are
    set.

    Parameters
    ----------
    table : Table
        Of the model.
    given : mapping of str to float, bool or str
        Values by name; texts have a unit, or name an item.

    Raises
    ------
    ModelError
        A name is unknown, stands for another one or is of something calculated, or a value is of
        another type or unit, or outside of its range; names file and line where it comes from one.
    """
    values: dict[str, float] = {}
    by_name = {name: row for row in table.rows for name in (row.name, *_aliases(row))}
    for asked in given:
        with located(given, asked):
            pairs = values_by_element(asked, asked, given[asked], by_name)
        for name, value in pairs:
            with located(given, asked):
                row = _settable(name, by_name)
                if row.name in values:
                    raise ModelError(
                        f"{name} is given twice, once within an array; leave one out"
                        if row.name == name
                        else f"{name} and {row.name} are one variable; give one of them"
                    )
            if name == asked:
                values[row.name] = _number(row, name, some_of(given, [name]))
                continue
            with located(given, asked):
                values[row.name] = _number(row, name, {name: value})
    if not values:
        return table
    for row in table.of("state"):
        if row.start_input in values:
            values[row.name] = values[row.start_input]
    rows = [_started(row, values) for row in table.rows]
    by_new = {row.name: row for row in rows}
    choices = []
    for choice in table.choices:
        of = by_new[choice.row.name]
        idle = float(of.start or 0) if of.kind == "state" else choice.idle
        choices.append(replace(choice, row=of, idle=idle))
    return replace(table, rows=tuple(rows), choices=tuple(choices))


def _aliases(row: Row) -> list[str]:
    return [alias.name for alias in row.aliases]


def _settable(name: str, rows: Mapping[str, Row]) -> Row:
    """Return the row of a name that may be given a value."""
    row = rows.get(name)
    if row is None:
        known = {n for n, r in rows.items() if _is_given(r)}
        raise ModelError(unknown(SETTABLE, name, sorted(known)))
    if row.stands_for is not None and row.kind == "parameter":
        raise ModelError(f"{name} stands for {row.stands_for}; give that")
    if row.start_input is not None:
        raise ModelError(f"{name} starts at the value of {row.start_input}; give that")
    if row.kind == "constant":
        raise ModelError(f"{name} is a constant, fixed at export; leave it out of fix")
    if not _is_given(row):
        raise ModelError(f"{name} is calculated; set the variables that determine it")
    return row


def _is_given(row: Row) -> bool:
    return row.kind in ("parameter", "input", "state") and not row.stands_for


def _number(row: Row, name: str, only: Mapping[str, Value]) -> float:
    """Return the value that is given alone as a number in the row's unit and range."""
    if row.kind == "state":
        state = State(name, ca.SX(), unit=row.unit, display_unit=row.display_unit)
        value = checks.values("start value", only, [state])[name]
        with located(only, name):
            if not abs(value) < float("inf"):
                raise ModelError(f"start value {name} = {value} is not a finite number")
        return value
    kind: Kind = "real" if row.type == "enumeration" else row.type
    record: Parameter | Input
    if row.kind == "input":
        start = float(row.start or 0)
        record = Input(name, ca.SX(), start, row.unit, items=row.items, kind=kind)
        values = checked_values("input", [record], only)
        with located(only, name):
            _check_input(row, name, float(values[0]))
    else:
        record = Parameter(
            name,
            ca.SX(),
            float(row.start or 0),
            row.unit,
            minimum=row.minimum,
            maximum=row.maximum,
            positive=row.positive,
            display_unit=row.display_unit,
            items=row.items,
            kind=kind,
        )
        values = checked_values("parameter", [record], only)
    return float(values[0])


def _check_input(row: Row, name: str, value: float) -> None:
    """Refuse a start value out of an input's range, which no description may hold."""
    low = -float("inf") if row.minimum is None else row.minimum
    high = float("inf") if row.maximum is None else row.maximum
    if not low <= value <= high:
        raise ModelError(
            f"input {name} = {value}: it cannot start outside of its range from {low:g} to {high:g}"
        )


def _started(row: Row, values: Mapping[str, float]) -> Row:
    """Return a row with its new start value, if it has one."""
    name = row.stands_for if row.stands_for and row.name == f"start.{row.stands_for}" else row.name
    if name not in values:
        return row
    value = values[name]
    return replace(row, start=value, shift=value - float(row.start or 0))
