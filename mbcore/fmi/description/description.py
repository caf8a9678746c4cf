"""Common parts of the model descriptions of both FMI versions: units, types, attributes.

`description2` and `description3` write the two files from the one table of variables.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from xml.etree import ElementTree

from mbcore.codegen.dependencies import Dependencies
from mbcore.codegen.dependency_kinds import Kind
from mbcore.codegen.table import Row, Table
from mbcore.fmi.component import LICENSE_NAME, Experiment
from mbcore.fmi.page_settings import Remark
from mbcore.model.units import units
from mbcore.version import VERSION

LOG_CATEGORIES = {
    "logEvents": "State events and what they changed",
    "logStatusWarning": "What is less accurate, or means something else, than it seems",
    "logStatusDiscard": "Calls whose values or step were refused",
    "logStatusError": "Calls that ended the simulation",
    "logStatusFatal": "Failures of the whole process",
    "logAll": "All messages",
}

_FMI_KINDS = {
    "time": ("independent", "continuous"),
    "input": ("input", "continuous"),
    "indicator": ("local", "continuous"),
    "sensitivity": ("local", "continuous"),
}


@dataclass(frozen=True)
class Description:
    """The content of a model description.

    ``bridge`` marks the Python flavour: Co-Simulation through a Python on the importing side.
    ``sources`` are the files to compile, which FMI 2.0 lists here, ``remarks`` those of the page.
    With ``arrays`` FMI 3.0 has arrays in place of their elements.
    """

    name: str
    description: str
    token: str
    table: Table
    dependencies: Dependencies
    experiment: Experiment
    bridge: bool = False
    sources: tuple[str, ...] = ()
    author: str = ""
    version: str = ""
    copyright: str = ""
    license: str = LICENSE_NAME
    remarks: Mapping[str, Remark] = field(default_factory=dict)
    arrays: bool = True


def header(of: Description) -> dict[str, str]:
    """Return the attributes of the root element that both versions have."""
    origin = {
        "author": of.author,
        "version": of.version,
        "copyright": of.copyright,
        "license": of.license,
    }
    return {
        "modelName": of.name,
        "description": one_line(of.description),
        **{key: one_line(said) for key, said in origin.items() if said},
        "generationTool": f"mbcore {VERSION}",
        "generationDateAndTime": generation_time().strftime("%Y-%m-%dT%H:%M:%SZ"),
        "variableNamingConvention": "structured",
    }


def generation_time() -> datetime:
    """Return the time of generation in UTC, ``SOURCE_DATE_EPOCH`` where it is set."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch and epoch.isdigit():
        return datetime.fromtimestamp(int(epoch), timezone.utc)
    return datetime.now(timezone.utc)


def characteristics(row: Row) -> dict[str, str]:
    """Return causality, variability and initial of a variable, the last where FMI 2 allows it."""
    if row.kind in _FMI_KINDS:
        causality, variability = _FMI_KINDS[row.kind]
        if row.kind == "input" and row.type != "real":
            variability = "discrete"
        initial = "calculated" if row.kind in ("indicator", "sensitivity") else None
    elif row.kind == "constant":
        causality, variability, initial = "local", "constant", "exact"
    elif row.kind == "parameter":
        causality, variability = "parameter", "tunable" if row.tunable else "fixed"
        initial = "exact"
    else:
        continuous = row.type == "real" and not row.stepwise
        causality, variability = row.visibility, "continuous" if continuous else "discrete"
        exact = row.kind == "state" and row.start_input is None
        initial = "exact" if exact else "calculated"
    attributes = {"causality": causality, "variability": variability}
    return attributes if initial is None else attributes | {"initial": initial}


def quantity(row: Row) -> dict[str, str]:
    """Return unit, range, nominal and start of a real variable.

    Raises
    ------
    ModelError
        Its display unit is unknown or measures another quantity.
    """
    attributes = measure(row.unit, row.display_unit, row.name)
    minimum = 0.0 if row.positive and row.minimum is None else row.minimum
    for key, bound in (("min", minimum), ("max", row.maximum)):
        if bound is not None and math.isfinite(bound):
            attributes[key] = repr(float(bound))
    if row.kind == "state" or row.visibility == "output" or row.nominal != 1:
        attributes["nominal"] = repr(float(row.nominal))
    if row.reset:
        attributes["reinit"] = "true"
    return attributes | start(row)


def integer(row: Row) -> dict[str, str]:
    """Return range and start of an integer variable."""
    bounds = {"min": row.minimum, "max": row.maximum}
    return {k: str(int(v)) for k, v in bounds.items() if v is not None} | start(row)


def measure(unit: str, display_unit: str | None, name: str) -> dict[str, str]:
    """Return unit and display unit."""
    display = units.display_unit(unit, display_unit, name)
    return {"unit": unit} | ({} if display is None else {"displayUnit": display})


def start(row: Row) -> dict[str, str]:
    """Return the start attribute of a variable that has one: parameters, inputs, most states."""
    if row.kind not in ("parameter", "constant", "input", "state") or row.start is None:
        return {}
    if row.start_input is not None:
        return {}
    if row.type == "boolean":
        return {"start": "true" if row.start else "false"}
    return {"start": repr(row.start) if row.type == "real" else str(int(row.start))}


OF_TYPE = {"real": quantity, "integer": integer, "boolean": start, "enumeration": start}
"""Function that gives range and start of a variable of each type."""


def unit_definitions(table: Table) -> ElementTree.Element:
    """Return UnitDefinitions of all units in use, each with its display units.

    Raises
    ------
    ModelError
        A unit is unknown; names the variable.
    """
    used: dict[str, dict[str, float]] = {}
    first: dict[str, str] = {}
    for row in table.rows:
        if row.type != "real":
            continue
        first.setdefault(row.unit, row.name)
        offered = used.setdefault(row.unit, {})
        asked = (row.display_unit, *(alias.display_unit for alias in row.aliases))
        shown = (units.display_unit(row.unit, display, row.name) for display in asked)
        for display in (*units.OFFERED_DISPLAY_UNITS.get(row.unit, ()), *shown):
            if display is not None:
                offered[display] = units.display_factor(row.unit, display, row.name)
    definitions = ElementTree.Element("UnitDefinitions")
    for name, displays in sorted(used.items()):
        unit = ElementTree.SubElement(definitions, "Unit", name=name)
        ElementTree.SubElement(unit, "BaseUnit", units.parse(name, first[name]).attributes())
        for display, factor in sorted(displays.items()):
            ElementTree.SubElement(unit, "DisplayUnit", name=display, factor=repr(factor))
    return definitions


def enumerations(table: Table) -> list[Row]:
    """Return the parameters and inputs that are enumerations."""
    return [row for row in table.rows if row.items]


def type_name(row: Row) -> str:
    """Return the name of an enumeration's type, which no variable may have."""
    return f"Types.{row.name}"


def add_items(parent: ElementTree.Element, row: Row) -> None:
    """Add the items of an enumeration, values from 1."""
    for value, item in enumerate(row.items, start=1):
        said = one_line(item.description)
        if not item.available:
            said = f"{said}; " if said else ""
            said += "not yet available, refused at initialization"
        attributes = {"name": item.name, "value": str(value)}
        ElementTree.SubElement(parent, "Item", attributes | ({"description": said} if said else {}))


def add_log_categories(root: ElementTree.Element) -> None:
    """Add the categories in which the FMU logs."""
    categories = ElementTree.SubElement(root, "LogCategories")
    for name, description in LOG_CATEGORIES.items():
        ElementTree.SubElement(categories, "Category", name=name, description=description)


def add_default_experiment(root: ElementTree.Element, experiment: Experiment) -> None:
    """Add the default experiment."""
    ElementTree.SubElement(
        root,
        "DefaultExperiment",
        startTime=repr(float(experiment.start)),
        stopTime=repr(float(experiment.stop)),
        tolerance=repr(float(experiment.tolerance)),
        stepSize=repr(float(experiment.step)),
    )


def initial_unknowns(table: Table) -> list[Row]:
    """Return what is calculated in Initialization Mode: outputs, derivatives, some states."""
    return [
        row
        for row in table.rows
        if row.kind == "derivative"
        or row.start_input is not None
        or (row.kind in ("discrete", "output") and row.visibility == "output")
    ]


def dependencies(known: Mapping[int, Kind], first: int = 0) -> dict[str, str]:
    """Return the attributes of the dependencies of an unknown.

    Parameters
    ----------
    first : int
        Index that stands for value reference 0.
    """
    references = sorted(known)
    listed = {"dependencies": " ".join(str(i + first) for i in references)}
    kinds = {"dependenciesKind": " ".join(known[i] for i in references)}
    return listed | kinds if known else listed


def outputs(table: Table) -> list[Row]:
    """Return the variables of causality output, states among them."""
    return [row for row in table.rows if characteristics(row)["causality"] == "output"]


def write(root: ElementTree.Element) -> bytes:
    """Return the XML file."""
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True) + b"\n"


def one_line(text: str) -> str:
    """Return a text without line breaks."""
    return " ".join(text.split())
