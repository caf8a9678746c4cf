"""modelDescription.xml of FMI 3.0."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element, SubElement

from mbcore.codegen.dependency_kinds import Kind
from mbcore.codegen.table import Row
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
    SubElement(
        root,
        "ModelExchange",
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
    states = {row.index: row.reference for row in of.table.of("state")}
    for row in of.table.rows:
        _add_variable(variables, row, states)
    _add_structure(root, of)
    add_annotations(root, of.remarks)
    return common.write(root)


def _add_variable(parent: Element, row: Row, states: dict[int, int]) -> None:
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
        attributes["derivative"] = str(states[row.index])
    variable = SubElement(parent, _ELEMENTS[row.type], attributes)
    for alias in row.aliases:
        names = {"name": alias.name}
        if alias.description:
            names["description"] = common.one_line(alias.description)
        measure = common.measure(row.unit, alias.display_unit, alias.name)
        measure.pop("unit")
        SubElement(variable, "Alias", names | measure)


def _add_structure(root: Element, of: Description) -> None:
    structure = SubElement(root, "ModelStructure")
    running, initial = of.dependencies.running, of.dependencies.initial
    lists: tuple[tuple[str, list[Row] | tuple[Row, ...], Mapping[int, Mapping[int, Kind]]], ...] = (
        ("Output", common.outputs(of.table), running),
        ("ContinuousStateDerivative", of.table.of("derivative"), running),
        ("InitialUnknown", common.initial_unknowns(of.table), initial),
        ("EventIndicator", of.table.of("indicator"), running),
    )
    for name, rows, dependencies in lists:
        for row in rows:
            attributes = common.dependencies(dependencies[row.reference])
            SubElement(structure, name, {"valueReference": str(row.reference)} | attributes)
