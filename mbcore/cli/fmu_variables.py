"""The variables of any FMU on the command line: their units, and values that are given to them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from fmpy.model_description import ModelDescription, ScalarVariable
from fmpy.model_description import Unit as UnitDefinition
from fmpy.simulation import settable_in_initialization_mode, settable_in_instantiated

from mbcore.cli.wrong_call import refusing_calls
from mbcore.equations.checks.unused_variables import NOTHING_USES
from mbcore.evaluation.input_file import Column
from mbcore.fmi.running.fmu_variables import element_names
from mbcore.model.arrays.elements import shape_in, values_by_element
from mbcore.model.errors import ModelError, warn_user
from mbcore.model.near_names import unknown
from mbcore.model.parameter_sets.parameter_set import SETTABLE, ParameterSet, located, origin
from mbcore.model.units.text_units import value_in
from mbcore.model.units.units import BASE_UNITS, Unit, parse
from mbcore.model.variables import Value
from mbcore.model.wording import listed

Display = tuple[str, float]
"""A display unit, and the factor to it."""
REAL = ("Real", "Float64", "Float32")


def unit_name(variable: ScalarVariable) -> str:
    """Return the name of a variable's unit, "1" where it has none."""
    declared = variable.declaredType
    return variable.unit or (declared.unit if declared is not None else None) or "1"


def _definition(variable: ScalarVariable, of: ModelDescription) -> UnitDefinition | None:
    name = unit_name(variable)
    return next((d for d in of.unitDefinitions if d.name == name), None)


def unit(variable: ScalarVariable, of: ModelDescription) -> Unit | None:
    """Return a real variable's unit as the FMU defines it; None where nothing says what it is."""
    if variable.type not in REAL:
        return None
    name, definition = unit_name(variable), _definition(variable, of)
    base = definition.baseUnit if definition is not None else None
    if base is not None:
        if float(base.offset):
            return None
        return Unit(name, float(base.factor), tuple(int(getattr(base, b)) for b in BASE_UNITS))
    try:
        return parse(name)
    except ModelError:
        return None


def display(variable: ScalarVariable, of: ModelDescription) -> Display | None:
    """Return the display unit that the FMU asks for, where it has no offset."""
    declared, definition = variable.declaredType, _definition(variable, of)
    asked = variable.displayUnit or (declared.displayUnit if declared is not None else None)
    if definition is None or not asked or asked == definition.name:
        return None
    found = {unit.name: unit for unit in definition.displayUnits}.get(asked)
    return None if found is None or float(found.offset) else (asked, float(found.factor))


def column(variable: ScalarVariable, unit: Unit | None) -> Column | None:
    """Return what a column of an input may hold; None where no table has it."""
    if variable.type in ("String", "Binary", "Clock"):
        return None
    if variable.type in REAL:
        return Column(unit or "1", "held" if variable.variability == "discrete" else "real")
    kind = "truth" if variable.type == "Boolean" else "whole"
    return Column(kind=kind, items=items_of(variable))


_TYPES = {"Boolean": "boolean", "String": "string", "Enumeration": "enumeration"}
_WHOLE = ("Integer", *(f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)))


@refusing_calls()
def start_values(
    variables: dict[str, ScalarVariable],
    units: dict[str, Unit | None],
    given: Mapping[str, Value],
) -> dict[str, Any]:
    """Return values in the FMU's own units, of enumerations the items' values.

    Raises
    ------
    WrongCallError
        A name is unknown, or a value is of another type or unit; names file and line where it
        comes from one.
    """
    found: dict[str, Any] = {}
    for asked, name, value in _by_scalar(variables, given):
        where = origin(given, asked)
        if name not in variables:
            what = SETTABLE if where else "variable"
            raise ModelError(f"{where or '--set'}: {unknown(what, name, variables)}")
        variable = variables[name]
        kind = variable.causality if variable.causality in ("parameter", "input") else "start value"
        owner = f"{where}: {kind} {name}" if where else f"--set: {name}"
        if isinstance(given, ParameterSet):
            with located(given, asked):
                given.check_type(kind, asked, type_of(variable), list(items_of(variable)))
        each = values_by_element(owner, name, value, elements_of(variable))
        values = [
            _start_value(f"{owner}{n[len(name) :]}", variable, units[name], v) for n, v in each
        ]
        if not variable.dimensions:
            found[name] = values[0]
            continue
        whole = found.setdefault(variable.name, _whole_start(variable))
        for (element, _), one in zip(each, values, strict=True):
            whole[elements_of(variable).index(element)] = one
    return found


def _by_scalar(
    variables: Mapping[str, ScalarVariable], given: Mapping[str, Value]
) -> list[tuple[str, str, Value]]:
    """Return values by what they are given to, and by name.

    An array that FMI 2.0 has by element has the names of its elements.
    """
    found = []
    for asked, value in given.items():
        each = [(asked, value)]
        if asked not in variables and shape_in(asked, variables) is not None:
            where = origin(given, asked, "--set")
            each = values_by_element(f"{where}: {asked}", asked, value, variables)
        found += [(asked, name, one) for name, one in each]
    return found


def by_element(variables: Mapping[str, ScalarVariable]) -> dict[str, ScalarVariable]:
    """Return variables by name, arrays also by the names of their elements."""
    found = dict(variables)
    for variable in variables.values():
        found |= dict.fromkeys(elements_of(variable), variable)
    return found


def elements_of(variable: ScalarVariable) -> tuple[str, ...]:
    """Return the names of an array's elements, of another variable its own."""
    if not variable.dimensions:
        return (variable.name,)
    return element_names(variable.name, tuple(map(int, variable.shape)))


def _whole_start(variable: ScalarVariable) -> list[Any]:
    """Return the start values of an array's elements, of which one may stand for all."""
    texts = str(variable.start or "0").split()
    values: list[Any] = (
        [text in ("true", "1") for text in texts]
        if variable.type == "Boolean"
        else [float(text) for text in texts]
    )
    if variable.type not in (*REAL, "Boolean"):
        values = [int(value) for value in values]
    return values * len(elements_of(variable)) if len(values) == 1 else values


def type_of(variable: ScalarVariable) -> str:
    """Return ``"real"``, ``"integer"``, ``"boolean"``, ``"enumeration"`` or ``"string"``."""
    if variable.type in _WHOLE:
        return "enumeration" if items_of(variable) else "integer"
    return _TYPES.get(variable.type, "real")


def items_of(variable: ScalarVariable) -> dict[str, int]:
    """Return the items of an enumeration with their values."""
    declared = variable.declaredType
    return {i.name: int(i.value) for i in declared.items or ()} if declared is not None else {}


def _start_value(owner: str, variable: ScalarVariable, unit: Unit | None, value: Value) -> Any:
    items = items_of(variable)
    if isinstance(value, str) and items:
        if value not in items:
            raise ModelError(f"{owner} = {value!r}: give one of {', '.join(items)}")
        return items[value]
    if variable.type == "Boolean":
        if value not in ("true", "false", True, False):
            raise ModelError(f"{owner} = {value!r}: give true or false")
        return value == "true" if isinstance(value, str) else bool(value)
    if variable.type == "String":
        return value if isinstance(value, str) else f"{value:.17g}"
    if isinstance(value, str):
        if unit is None:
            raise ModelError(f"{owner} = {value!r} has no unit here: give a number")
        return value_in(owner, value, unit)
    if variable.type not in REAL:
        if value != int(value):
            raise ModelError(f"{owner} = {value:g}: give a whole number")
        return int(value)
    if not math.isfinite(value):
        raise ModelError(f"{owner} = {value}: must be a finite number")
    return value


def tell_unused(owner: object, given: Iterable[ScalarVariable]) -> None:
    """Warn of values that change nothing, as the FMU's own descriptions of its variables say."""
    kinds: dict[str, list[str]] = {}
    for variable in given:
        if (variable.description or "").endswith(NOTHING_USES):
            kinds.setdefault(variable.causality, []).append(variable.name)
    if kinds:
        each = [f"the {kind}{'s' * (len(n) > 1)} {listed(n)}" for kind, n in kinds.items()]
        warn_user(f"{owner}: nothing uses {', '.join(each)}: the values given change nothing")


@refusing_calls()
def refuse_calculated(
    chosen: list[ScalarVariable], of: ModelDescription, given: Mapping[str, Value]
) -> None:
    """Refuse values of calculated variables, which FMPy would ignore silently."""
    for variable in chosen:
        where = origin(given, variable.name, "--set")
        if of.fmiVersion == "1.0":
            taken = variable.start is not None
        else:
            taken = settable_in_instantiated(variable) or settable_in_initialization_mode(variable)
        if variable.variability == "constant":
            raise ModelError(
                f"{where}: {variable.name} is a constant, fixed at {variable.start} in this FMU; "
                f"build another one, with --fix {variable.name}=VALUE"
            )
        if not taken:
            raise ModelError(
                f"{where}: {variable.name} is calculated; set the variables that determine it"
            )
