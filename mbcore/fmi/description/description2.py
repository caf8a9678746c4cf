"""modelDescription.xml of FMI 2.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement

from mbcore.codegen.dependency_kinds import Kind
from mbcore.codegen.rows import Alias, Row
from mbcore.fmi.description import description as common
from mbcore.fmi.description.description import Description
from mbcore.fmi.description.remarks import add_vendor_annotations

_ELEMENTS = {
    "real": "Real",
    "integer": "Integer",
    "boolean": "Boolean",
    "enumeration": "Enumeration",
}


def model_description(of: Description) -> bytes:
    """Return the file; event indicators are only counted, they need no variables here.

    Raises
    ------
    ModelError
        A unit or display unit is unknown; names the variable.
    """
    rows = [row for row in of.table.rows if row.kind != "indicator"]
    indicators = 0 if of.bridge else len(of.table.of("indicator"))
    root = Element(
        "fmiModelDescription",
        {"fmiVersion": "2.0", "guid": of.token, "numberOfEventIndicators": str(indicators)}
        | common.header(of),
    )
    if not of.bridge:
        exchange = SubElement(
            root,
            "ModelExchange",
            modelIdentifier=of.name,
            needsExecutionTool="false",
            completedIntegratorStepNotNeeded="false",
            canBeInstantiatedOnlyOncePerProcess="false",
            canNotUseMemoryManagementFunctions="true",
            canGetAndSetFMUstate="true",
            canSerializeFMUstate="true",
            providesDirectionalDerivative="true",
        )
        _add_sources(exchange, of)
    simulation = SubElement(
        root,
        "CoSimulation",
        modelIdentifier=of.name,
        needsExecutionTool="true" if of.bridge else "false",
        canHandleVariableCommunicationStepSize="true",
        canInterpolateInputs="false" if of.bridge else "true",
        maxOutputDerivativeOrder="0" if of.bridge else "1",
        canBeInstantiatedOnlyOncePerProcess="false",
        canNotUseMemoryManagementFunctions="true",
        canGetAndSetFMUstate="false" if of.bridge else "true",
        canSerializeFMUstate="false" if of.bridge else "true",
        providesDirectionalDerivative="false" if of.bridge else "true",
    )
    _add_sources(simulation, of)
    root.append(common.unit_definitions(of.table))
    _add_types(root, of)
    common.add_log_categories(root)
    common.add_default_experiment(root, of.experiment)
    add_vendor_annotations(root, of.remarks)
    variables = SubElement(root, "ModelVariables")
    states = {row.index: row.reference for row in of.table.of("state")}
    for row in rows:
        _add_variable(variables, row, states)
    for row, alias in _aliases(rows):
        _add_alias(variables, row, alias)
    _add_structure(root, of)
    return common.write(root)


def _aliases(rows: Sequence[Row]) -> list[tuple[Row, Alias]]:
    """Return what stands behind all rows: their other names, of the same value reference."""
    return [(row, alias) for row in rows for alias in row.aliases]


def _add_alias(parent: Element, row: Row, alias: Alias) -> None:
    attributes = {"name": alias.name, "valueReference": str(row.reference)}
    if alias.description:
        attributes["description"] = common.one_line(alias.description)
    attributes |= common.characteristics(row)
    attributes |= {"causality": alias.visibility, "initial": "calculated"}
    variable = SubElement(parent, "ScalarVariable", attributes)
    SubElement(variable, "Real", common.measure(row.unit, alias.display_unit, alias.name))


def _add_sources(interface: Element, of: Description) -> None:
    if of.sources:
        files = SubElement(interface, "SourceFiles")
        for name in of.sources:
            SubElement(files, "File", name=name)


def _add_types(root: Element, of: Description) -> None:
    types = SubElement(root, "TypeDefinitions")
    for row in common.enumerations(of.table):
        simple = SubElement(types, "SimpleType", name=common.type_name(row))
        common.add_items(SubElement(simple, "Enumeration"), row)


def _add_variable(parent: Element, row: Row, states: dict[int, int]) -> None:
    variable = SubElement(
        parent,
        "ScalarVariable",
        {"name": row.name, "valueReference": str(row.reference)}
        | ({"description": common.one_line(row.description)} if row.description else {})
        | common.characteristics(row),
    )
    attributes = common.OF_TYPE[row.type](row)
    if row.type == "enumeration":
        attributes["declaredType"] = common.type_name(row)
    if row.kind == "derivative":
        attributes["derivative"] = str(states[row.index] + 1)
    SubElement(variable, _ELEMENTS[row.type], attributes)


def _add_structure(root: Element, of: Description) -> None:
    """Add the lists of unknowns; indices count from 1 where value references count from 0.

    Parameters are known in Initialization Mode only.
    """
    structure = SubElement(root, "ModelStructure")
    parameters = {row.reference for row in of.table.of("parameter")}
    running = {
        row: {known: kind for known, kind in found.items() if known not in parameters}
        for row, found in of.dependencies.running.items()
    }
    variable_rows = [row for row in of.table.rows if row.kind != "indicator"]
    others = [
        (row, len(variable_rows) + place)
        for place, (row, alias) in enumerate(_aliases(variable_rows), start=1)
        if alias.visibility == "output"
    ]
    lists: tuple[tuple[str, list[Row] | tuple[Row, ...], Mapping[int, Mapping[int, Kind]]], ...] = (
        ("Outputs", common.outputs(of.table), running),
        ("Derivatives", of.table.of("derivative"), running),
        ("InitialUnknowns", common.initial_unknowns(of.table), of.dependencies.initial),
    )
    for name, rows, dependencies in lists:
        if not rows:
            continue
        parent = SubElement(structure, name)
        listed = [(row, row.reference + 1) for row in rows]
        for row, index in [*listed, *(others if name != "Derivatives" else [])]:
            attributes = common.dependencies(dependencies[row.reference], first=1)
            SubElement(parent, "Unknown", {"index": str(index)} | attributes)
