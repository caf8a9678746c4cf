"""Writes parameter sets of a component's variables: SSP 1.0 and 2.0, CSV, JSON and TOML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
from mbcore.model.parameter_files.read import ENDINGS
from mbcore.model.parameter_files.ssv import SSC, SSV
from mbcore.model.parameter_files.write import WRITERS, Entry
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
    """Write values of a model's variables to a file that `mbcore.read_parameters` reads.

    The end of its name says its format: ``.ssv`` is a parameter set of SSP; ``.csv``, ``.json`` and
    ``.toml`` have names and values. SSP 2.0, JSON and TOML have arrays as a whole, with their start
    values where only some elements are given; SSP 1.0 and CSV have an array's elements, and so have
    all if the component has ``arrays=False``.

    Parameters
    ----------
    source : Component or Equations
        Whose variables they are: types and units are theirs.
    path : path
        The file.
    values : mapping of str to float, bool, str or array, or path, optional
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
    target = _checked_target(path, ssp)
    ending = target.suffix.lower()
    component = as_component(source)
    if values is not None:
        component = component.started_at(values)
    rows = variables(component, nominals=False)
    chosen = component.parameters or [r.name for r in rows.of("parameter") if not r.stands_for]
    whole = component.arrays and (
        ending in (".json", ".toml") or (ending == ".ssv" and ssp == "2.0")
    )
    return written_set(component.name, list(_entries(rows, chosen, whole)), target, ssp)


def written_set(name: str, entries: list[Entry], path: str | Path, ssp: str = "1.0") -> Path:
    """Write values to a file whose end says its format, as `write_parameters` does.

    Parameters
    ----------
    name : str
        Of the model.
    entries : list of Entry
        The values.
    path : path
        The file.
    ssp : {"1.0", "2.0"}
        SSP's version.

    Raises
    ------
    ModelError
        The file's end is another, or it cannot be written.
    """
    target = _checked_target(path, ssp)
    ending = target.suffix.lower()
    text = _ssv(name, entries, ssp) if ending == ".ssv" else WRITERS[ending](entries)
    with writing(OWNER, target):
        target.write_bytes(text)
    return target


def _checked_target(path: str | Path, ssp: str) -> Path:
    """Return the path of a parameter set.

    Raises
    ------
    ModelError
        It ends in something else, or SSP has no such version.
    """
    target = file_path(OWNER, path, "parameters.ssv")
    if target.suffix.lower() not in ENDINGS:
        raise ModelError(
            f"{OWNER}: path = {str(path)!r}; it is a parameter set, let it end in "
            f"{', '.join(ENDINGS)}"
        )
    _check_version(ssp)
    return target


def given_set(component: Component, rows: Table, fmi: str) -> list[Related]:
    """Return the start values that a component is given as a file of its FMU, if there are some.

    SSP 2.0 has the types of FMI 3.0 and its arrays; tools for FMI 2.0 may know SSP 1.0 alone.
    """
    if not component.parameters:
        return []
    ssp = {"2.0": "1.0", "3.0": "2.0"}[fmi]
    entries = _entries(rows, component.parameters, component.arrays and ssp == "2.0")
    said = "Start values that this FMU was exported with, where they differ from its model's"
    text = _ssv(component.name, entries, ssp)
    return [Related(f"{component.name}.ssv", SSV_TYPE, "parameter", said, text)]


def _check_version(ssp: object) -> None:
    """Refuse other versions of SSP.

    Raises
    ------
    ModelError
        Naming those that there are.
    """
    if ssp not in ELEMENTS:
        raise ModelError(f"{OWNER}: ssp = {ssp!r}; give one of {', '.join(ELEMENTS)}")


def _entries(table: Table, chosen: Iterable[str], whole: bool) -> Iterator[Entry]:
    """Give the start values of some variables, of arrays as a whole or by their elements."""
    by_name = {n: row for row in table.rows for n in (row.name, *(a.name for a in row.aliases))}
    arrays = {array.name: array for array in table.arrays}
    within = {table.rows[i].name: array for array in table.arrays for i in array.elements}
    done: set[str] = set()
    for asked in chosen:
        array = arrays.get(asked) or (within.get(asked) if whole else None)
        rows = [by_name[asked]] if array is None else [table.rows[i] for i in array.elements]
        if array is not None and whole:
            parts = [(array.name, array.shape, rows)]
        else:
            parts = [(asked if array is None else row.name, (), [row]) for row in rows]
        for name, shape, of in parts:
            if name not in done:
                done.add(name)
                values = tuple(map(_value, of))
                yield Entry(name, of[0].type, of[0].unit, values, shape)


def _ssv(name: str, entries: Iterable[Entry], ssp: str) -> bytes:
    """Return values as a parameter set of SSP."""
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
    for entry in entries:
        parameter = SubElement(parameters, "ssv:Parameter", name=entry.name)
        kind = ELEMENTS[ssp].get(entry.type, entry.type.capitalize())
        attributes = {"value": " ".join(map(_text, entry.values))}
        if entry.has_unit:
            attributes["unit"] = entry.unit
            units.add(entry.unit)
        SubElement(parameter, f"ssv:{kind}", attributes)
        for size in entry.shape:
            SubElement(parameter, "ssc:Dimension", size=str(size))
    if units:
        defined = SubElement(root, "ssv:Units")
        for unit in sorted(units):
            of = SubElement(defined, "ssc:Unit", name=unit)
            SubElement(of, "ssc:BaseUnit", parse(unit).attributes())
    return description.write(root)


def _value(row: Row) -> float | bool | str:
    """Return a start value in its type; of a choice the item's name."""
    start = float(row.start or 0)
    if row.type == "enumeration":
        return row.items[int(start) - 1].name
    if row.type == "boolean":
        return bool(start)
    return int(start) if row.type == "integer" else start


def _text(value: float | bool | str) -> str:
    """Return a value as SSP writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)
