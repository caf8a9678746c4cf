"""Writes parameter sets of SSP 1.0 and 2.0 of a component's variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from mbcore.codegen.rows import Row, Table
from mbcore.equations.equations import Equations
from mbcore.fmi.component import Component, as_component
from mbcore.fmi.description import description
from mbcore.fmi.description.variables import variables
from mbcore.fmi.packing.related import SSV as SSV_TYPE
from mbcore.fmi.packing.related import Related
from mbcore.host.files import file_path, writing
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.model.parameter_files.ssv import SSC, SSV
from mbcore.model.units.units import parse
from mbcore.model.variables import Value
from mbcore.version import VERSION

ELEMENTS = {
    "1.0": {"real": "Real", "integer": "Integer"},
    "2.0": {"real": "Float64", "integer": "Int32"},
}
"""Elements of types by SSP's version; the others have one name in both."""
OWNER = "write_parameters"


@explains_arguments
def write_parameters(
    source: Component | Equations,
    path: str | Path,
    values: Mapping[str, Value] | str | Path | None = None,
    ssp: str = "1.0",
) -> Path:
    """Write values of a model's variables as a parameter set of SSP, an SSV file.

    Parameters
    ----------
    source : Component or Equations
        Whose variables they are: types and units are theirs.
    path : path
        The file, which ends in ``.ssv``.
    values : mapping of str to float, bool or str, or path, optional
        Values of parameters, inputs and states, or a file with them; all parameters at their start
        values where absent, those of the FMU's solver included.
    ssp : {"1.0", "2.0"}
        SSP's version. Version 2.0 has the types of FMI 3.0.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ModelError
        A name is unknown, a value is wrong, or the file cannot be written.
    """
    target = file_path(OWNER, path)
    if target.suffix.lower() != ".ssv":
        raise ModelError(
            f"{OWNER}: path = {str(path)!r}; it is a parameter set, let it end in .ssv"
        )
    component = as_component(source)
    if values is not None:
        component = component.started_at(values)
    rows = variables(component, nominals=False)
    chosen = component.parameters or [r.name for r in rows.of("parameter") if not r.stands_for]
    text = parameter_set(component.name, rows, chosen, ssp)
    with writing(OWNER, target):
        target.write_bytes(text)
    return target


def given_set(component: Component, rows: Table, fmi: str) -> list[Related]:
    """Return the start values that a component is given as a file of its FMU, if there are some.

    SSP 2.0 has the types of FMI 3.0; tools for FMI 2.0 may know SSP 1.0 alone.
    """
    if not component.parameters:
        return []
    ssp = {"2.0": "1.0", "3.0": "2.0"}[fmi]
    text = parameter_set(component.name, rows, component.parameters, ssp)
    said = "Start values that this FMU was exported with, where they differ from its model's"
    return [Related(f"{component.name}.ssv", SSV_TYPE, "parameter", said, text)]


def parameter_set(name: str, table: Table, chosen: Iterable[str], ssp: str) -> bytes:
    """Return the start values of some variables as a parameter set of SSP.

    Raises
    ------
    ModelError
        SSP has no such version.
    """
    if ssp not in ELEMENTS:
        raise ModelError(f"{OWNER}: ssp = {ssp!r}; give one of {', '.join(ELEMENTS)}")
    by_name = {n: row for row in table.rows for n in (row.name, *(a.name for a in row.aliases))}
    root = Element(
        "ssv:ParameterSet",
        {
            "xmlns:ssv": SSV,
            "xmlns:ssc": SSC,
            "version": ssp,
            "name": name,
            "generationTool": f"mbcore {VERSION}",
        },
    )
    parameters, units = SubElement(root, "ssv:Parameters"), set()
    for one in (name for asked in chosen for name in _elements(asked, table)):
        row = by_name[one]
        parameter = SubElement(parameters, "ssv:Parameter", name=one)
        kind = ELEMENTS[ssp].get(row.type, row.type.capitalize())
        attributes = {"value": _text(row)}
        if row.type == "real" and row.unit != "1":
            attributes["unit"] = row.unit
            units.add(row.unit)
        SubElement(parameter, f"ssv:{kind}", attributes)
    if units:
        defined = SubElement(root, "ssv:Units")
        for unit in sorted(units):
            of = SubElement(defined, "ssc:Unit", name=unit)
            SubElement(of, "ssc:BaseUnit", parse(unit).attributes())
    return description.write(root)


def _elements(name: str, table: Table) -> list[str]:
    """Return the names of an array's elements, because parameter sets have no arrays; else it."""
    found = next((array for array in table.arrays if array.name == name), None)
    return [name] if found is None else [table.rows[place].name for place in found.elements]


def _text(row: Row) -> str:
    """Return a start value as SSP writes one of its type."""
    start = float(row.start or 0)
    if row.type == "enumeration":
        return row.items[int(start) - 1].name
    if row.type == "boolean":
        return "true" if start else "false"
    return str(int(start)) if row.type == "integer" else repr(start)
