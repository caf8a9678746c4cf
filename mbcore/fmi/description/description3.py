"""modelDescription.xml of FMI 3.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element, SubElement

from mbcore.codegen.dependency_kinds import KINDS, Kind
from mbcore.codegen.rows import ArrayRow, Row
from mbcore.fmi.description import description as common
from mbcore.fmi.description.description import Description
from mbcore.fmi.description.remarks import add_annotations

_ELEMENTS = {
    "real": "Float64",
    "integer": "Int32",
    "boolean": "Boolean",
    "enumeration": "Enumeration",
}

_INTERMEDIATE = ("input", "output", "state", "derivative")
"""Kinds of variables that are known between communication points."""


def model_description(of: Description) -> bytes:
    """Return the file.

    Raises
    ------
    ModelError
        A unit or display unit is unknown; names the variable.
    """
    root = Element(
        "fmiModelDescription",
        {"fmiVersion": "3.0", "instantiationToken": of.token} | common.header(of),
    )
    each = {"providesPerElementDependencies": "true"} if of.arrays and of.table.arrays else {}
    SubElement(
        root,
        "ModelExchange",
        each,
        modelIdentifier=of.name,
        needsExecutionTool="false",
        canBeInstantiatedOnlyOncePerProcess="false",
        canGetAndSetFMUState="true",
        canSerializeFMUState="true",
        needsCompletedIntegratorStep="true",
        providesDirectionalDerivatives="true",
        providesAdjointDerivatives="true",
    )
    SubElement(
        root,
        "CoSimulation",
        each,
        modelIdentifier=of.name,
        needsExecutionTool="false",
        canBeInstantiatedOnlyOncePerProcess="false",
        canGetAndSetFMUState="true",
        canSerializeFMUState="true",
        canHandleVariableCommunicationStepSize="true",
        maxOutputDerivativeOrder="1",
        providesIntermediateUpdate="true",
        mightReturnEarlyFromDoStep="true",
        canReturnEarlyAfterIntermediateUpdate="true",
        hasEventMode="true",
        providesDirectionalDerivatives="true",
        providesAdjointDerivatives="true",
    )
    root.append(common.unit_definitions(of.table))
    types = SubElement(root, "TypeDefinitions")
    for row in common.enumerations(of.table):
        common.add_items(SubElement(types, "EnumerationType", name=common.type_name(row)), row)
    common.add_log_categories(root)
    common.add_default_experiment(root, of.experiment)
    variables = SubElement(root, "ModelVariables")
    whole = _wholes(of)
    states = {row.index: row.reference for row in of.table.of("state")}
    for row in of.table.rows:
        array = whole.get(row.reference)
        if array is None:
            _add_variable(variables, row, states)
        elif array.first == row.reference:
            rows = [of.table.rows[element] for element in array.elements]
            _add_variable(variables, _as_one(rows, array), states, array, rows, whole)
    _add_structure(root, of, whole)
    add_annotations(root, of.remarks)
    return common.write(root)


Wholes = Mapping[int, ArrayRow]
"""Arrays by the value references of their elements."""


def _wholes(of: Description) -> Wholes:
    return {i: array for array in of.table.arrays if of.arrays for i in array.elements}


def _as_one(rows: Sequence[Row], array: ArrayRow) -> Row:
    """Return the row of an array as a whole."""
    return replace(
        rows[0],
        name=array.name,
        reference=array.reference,
        description=array.description,
        nominal=max(row.nominal for row in rows),
        reset=any(row.reset for row in rows),
    )


def _add_variable(
    parent: Element,
    row: Row,
    states: dict[int, int],
    array: ArrayRow | None = None,
    elements: Sequence[Row] = (),
    whole: Wholes | None = None,
) -> None:
    attributes = {"name": row.name, "valueReference": str(row.reference)}
    if row.description:
        attributes["description"] = common.one_line(row.description)
    attributes |= common.characteristics(row)
    if row.type == "real" and row.kind in _INTERMEDIATE and not row.stepwise:
        attributes["intermediateUpdate"] = "true"
    attributes |= common.OF_TYPE[row.type](row)
    if row.type == "enumeration":
        attributes["declaredType"] = common.type_name(row)
    if row.kind == "derivative":
        state = states[row.index]
        attributes["derivative"] = str(whole[state].reference if whole else state)
    if "start" in attributes and array is not None:
        attributes["start"] = " ".join(common.start(one)["start"] for one in elements)
    variable = SubElement(parent, _ELEMENTS[row.type], attributes)
    for size in () if array is None else array.shape:
        SubElement(variable, "Dimension", start=str(size))
    for alias in row.aliases:
        names = {"name": alias.name}
        if alias.description:
            names["description"] = common.one_line(alias.description)
        measure = common.measure(row.unit, alias.display_unit, alias.name)
        measure.pop("unit")
        SubElement(variable, "Alias", names | measure)


def _add_structure(root: Element, of: Description, whole: Wholes) -> None:
    structure = SubElement(root, "ModelStructure")
    running, initial = of.dependencies.running, of.dependencies.initial
    lists: tuple[tuple[str, list[Row] | tuple[Row, ...], Mapping[int, Mapping[int, Kind]]], ...] = (
        ("Output", common.outputs(of.table), running),
        ("ContinuousStateDerivative", of.table.of("derivative"), running),
        ("InitialUnknown", common.initial_unknowns(of.table), initial),
        ("EventIndicator", of.table.of("indicator"), running),
    )
    for name, rows, dependencies in lists:
        found: dict[int, dict[int, Kind]] = {}
        for row in rows:
            array = whole.get(row.reference)
            one = found.setdefault(row.reference if array is None else array.reference, {})
            for known, kind in dependencies[row.reference].items():
                by = whole[known].reference if known in whole else known
                one[by] = max(one.get(by, kind), kind, key=KINDS.index)
        for reference, known_by in found.items():
            attributes = common.dependencies(known_by)
            SubElement(structure, name, {"valueReference": str(reference)} | attributes)
