"""Packages of SSP 1.0 and 2.0: FMUs, what connects them, and their start values.

A package is an archive with ``SystemStructure.ssd``, which names components, connectors and
connections, the FMUs in ``resources/``, and a set of parameters, ``resources/start.ssv``, whose
names begin with those of their components.

Used by `mbcore.fmi.systems.system` alone; it stands apart because it is the standard's format.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from mbcore.fmi.description.description import write as as_text
from mbcore.fmi.running.fmu_variables import REALS
from mbcore.fmi.systems.connections import Connection, Part, Place, unit_of
from mbcore.host.files import file_path, writing
from mbcore.model.errors import ModelError, warn_user
from mbcore.model.parameter_files.read import read_parameters
from mbcore.version import VERSION

VERSIONS = ("1.0", "2.0")
STRUCTURE, PARAMETERS = "SystemStructure.ssd", "resources/start.ssv"
NAMESPACE = "http://ssp-standard.org/SSP1/SystemStructure"
SPACES = {"ssd": "Description", "ssc": "Common", "ssv": "ParameterValues"}
_OLD_TYPES = {"Float64": "Real", "Float32": "Real", "Boolean": "Boolean", "Enumeration": "Integer"}
_NEW_TYPES = {"Real": "Float64", "Integer": "Int32", "Enumeration": "Int64"}
_BASE_UNITS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
_NOT_READ = (
    "BooleanMappingTransformation",
    "IntegerMappingTransformation",
    "EnumerationMappingTransformation",
    "ParameterMapping",
    "SignalDictionaryReference",
)
"""Contents of a structure that are not run here."""


@dataclass(frozen=True)
class Structure:
    """Contents to write: parts, connections, what is shown, start values, and the end, s."""

    name: str
    parts: Mapping[str, Part]
    connections: Sequence[Connection]
    shown: Sequence[Place]
    start: Mapping[Place, float]
    stop: float


@dataclass(frozen=True)
class Read:
    """Contents of a package: FMUs by name, connections with factors, outputs, start values."""

    name: str
    parts: dict[str, Path]
    connections: list[tuple[str, str, float]]
    shown: list[str]
    start: dict[str, Any]


def write(path: str | Path, of: Structure, version: str) -> Path:
    """Write a package; return its file.

    Raises
    ------
    ModelError
        The version is unknown, the file does not end in ``.ssp`` or cannot be written.
    """
    owner = f"system {of.name}"
    if version not in VERSIONS:
        raise ModelError(
            f"{owner}: version = {version!r}; give the text {' or '.join(map(repr, VERSIONS))}"
        )
    target = file_path(owner, path)
    if target.suffix.lower() != ".ssp":
        raise ModelError(f"{owner}: path = {str(path)!r}; a package ends in .ssp")
    newer = [name for name, part in of.parts.items() if part.description.fmiVersion[0] == "3"]
    if version == "1.0" and newer:
        warn_user(
            f"{owner}: SSP 1.0 knows FMUs of FMI 1.0 and 2.0, but {', '.join(newer)} of FMI 3.0; "
            'tools may refuse the package: give version="2.0", or FMUs of FMI 2.0'
        )
    _refuse_arrays(owner, of, version)
    with writing(owner, target), zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(STRUCTURE, structure(of, version))
        archive.writestr(PARAMETERS, parameters(of, version))
        for name, part in of.parts.items():
            archive.write(part.path, f"resources/{name}.fmu")
    return target


def _refuse_arrays(owner: str, of: Structure, version: str) -> None:
    """Refuse connectors that a version does not have: arrays, and single elements of one.

    Raises
    ------
    ModelError
        Naming them.
    """
    ends = [end for c in of.connections for end in (c.source, c.target)]
    for place in (*ends, *of.shown):
        numbers = of.parts[place.part].numbers
        if numbers.whole(place.name) != place.name:
            raise ModelError(
                f"{owner}: {place} is an element, and connectors of SSP are whole arrays; connect "
                "and show these, or export arrays by element with export(..., arrays=False)"
            )
        if place.name in numbers.arrays and version == "1.0":
            raise ModelError(
                f"{owner}: {place} is an array, which SSP 1.0 does not know; give "
                'version="2.0", or export arrays by element with export(..., arrays=False)'
            )


def structure(of: Structure, version: str) -> bytes:
    """Return the text of ``SystemStructure.ssd``."""
    root = _root("ssd:SystemStructureDescription", version, of.name)
    system = SubElement(root, "ssd:System", name=of.name)
    shown = SubElement(system, "ssd:Connectors")
    outside = _names_outside(of.shown)
    for place in of.shown:
        _connector(shown, outside[place], of.parts[place.part], place.name, version, "output")
    bindings = SubElement(system, "ssd:ParameterBindings")
    SubElement(
        bindings,
        "ssd:ParameterBinding",
        type="application/x-ssp-parameter-set",
        source=PARAMETERS,
    )
    ends = [end for c in of.connections for end in (c.source, c.target)]
    used = dict.fromkeys([*ends, *of.shown])
    elements = SubElement(system, "ssd:Elements")
    for name, part in of.parts.items():
        component = SubElement(
            elements,
            "ssd:Component",
            name=name,
            type="application/x-fmu-sharedlibrary",
            source=f"resources/{name}.fmu",
        )
        connectors = SubElement(component, "ssd:Connectors")
        for place in used:
            if place.part == name:
                causality = part.variable(place.name).causality
                _connector(connectors, place.name, part, place.name, version, causality)
    wires = SubElement(system, "ssd:Connections")
    for c in of.connections:
        wire = SubElement(
            wires,
            "ssd:Connection",
            startElement=c.source.part,
            startConnector=c.source.name,
            endElement=c.target.part,
            endConnector=c.target.name,
        )
        if c.factor != 1:
            SubElement(wire, "ssc:LinearTransformation", factor=repr(c.factor))
    for place in of.shown:
        SubElement(
            wires,
            "ssd:Connection",
            startElement=place.part,
            startConnector=place.name,
            endConnector=outside[place],
        )
    _units(root, "ssd:Units", of.parts.values())
    SubElement(root, "ssd:DefaultExperiment", startTime="0.0", stopTime=repr(of.stop))
    return as_text(root)


def _names_outside(shown: Sequence[Place]) -> dict[Place, str]:
    """Return the names of the system's outputs: the variables' own where no two are alike.

    They differ from ``component.variable``, which FMPy would take for the component's connector.
    """
    names = [place.name for place in shown]
    return {p: p.name if names.count(p.name) == 1 else f"{p.part}_{p.name}" for p in shown}


def parameters(of: Structure, version: str) -> bytes:
    """Return the text of the set of start values."""
    root = _root("ssv:ParameterSet", version, "start")
    listed = SubElement(root, "ssv:Parameters")
    for place, values in _started(of, version).items():
        part = of.parts[place.part]
        variable = part.variable(place.name)
        parameter = SubElement(listed, "ssv:Parameter", name=str(place))
        kind = _type(variable, version)
        unit = {"unit": unit_of(variable)} if variable.type in REALS and unit_of(variable) else {}
        text = " ".join(_value(kind, value) for value in values)
        SubElement(parameter, f"ssv:{kind}", {"value": text} | unit)
        for size in part.shape(place.name):
            SubElement(parameter, "ssc:Dimension", size=str(size))
    if of.start:
        _units(root, "ssv:Units", of.parts.values())
    return as_text(root)


def _started(of: Structure, version: str) -> dict[Place, list[float]]:
    """Return values by the names that a version has: in SSP 2.0 arrays as a whole.

    Elements that no value is given to are where their FMU starts.
    """
    found: dict[Place, list[float]] = {}
    for place, value in of.start.items():
        part = of.parts[place.part]
        whole = part.numbers.whole(place.name)
        if version == "1.0" or whole == place.name:
            found[place] = [value]
            continue
        elements = [Place(place.part, name) for name in part.numbers.elements(whole)]
        found.setdefault(
            Place(place.part, whole), [of.start.get(e, part.start(e.name)) for e in elements]
        )
    return found


def _root(tag: str, version: str, name: str) -> Element:
    kind = tag.partition(":")[0]
    spaces = {f"xmlns:{s}": NAMESPACE + SPACES[s] for s in dict.fromkeys((kind, "ssc"))}
    made_by = {"generationTool": f"mbcore {VERSION}"}
    return Element(tag, spaces | {"version": version, "name": name} | made_by)


def _connector(
    parent: Element, name: str, part: Part, of: str, version: str, causality: str
) -> None:
    variable = part.variable(of)
    kind = {"input": "input", "output": "output", "parameter": "parameter"}.get(causality, "output")
    connector = SubElement(parent, "ssd:Connector", name=name, kind=kind)
    unit = {"unit": unit_of(variable)} if variable.type in REALS and unit_of(variable) else {}
    SubElement(connector, f"ssc:{_type(variable, version)}", unit)
    for size in part.shape(of):
        SubElement(connector, "ssc:Dimension", size=str(size))


def _type(variable: Any, version: str) -> str:
    """Return the type of a variable as a version of SSP has it; an enumeration is its number."""
    kind = str(variable.type)
    if version == "2.0":
        return _NEW_TYPES.get(kind, kind)
    return _OLD_TYPES.get(kind, kind if kind in ("Real", "Integer") else "Integer")


def _value(kind: str, value: float) -> str:
    if kind == "Boolean":
        return "true" if value else "false"
    return repr(float(value)) if kind in ("Real", "Float64", "Float32") else str(int(value))


def _units(root: Element, tag: str, parts: Any) -> None:
    """Define all units of the components' variables."""
    units = {unit.name: unit for part in parts for unit in part.description.unitDefinitions}
    if not units:
        return
    listed = SubElement(root, tag)
    for name, unit in units.items():
        base, found = unit.baseUnit, SubElement(listed, "ssc:Unit", name=name)
        powers = {s: str(getattr(base, s)) for s in _BASE_UNITS if base and getattr(base, s)}
        for what, usual in (("factor", 1.0), ("offset", 0.0)):
            value = float(getattr(base, what, usual) or usual)
            powers |= {what: repr(value)} if value != usual else {}
        SubElement(found, "ssc:BaseUnit", powers)


def read(path: Path, folder: Path) -> Read:
    """Read a package; its FMUs and parameter sets go to a folder.

    Raises
    ------
    ModelError
        It is not a package, or holds what is not run here.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(path, archive, folder)
    except FileNotFoundError:
        raise ModelError(f"there is no package {path}; write it with System.write") from None
    except KeyError:
        raise ModelError(
            f"{path} cannot be read as an SSP package: it has no {STRUCTURE}, or lacks a file "
            "that this names"
        ) from None
    except (zipfile.BadZipFile, ElementTree.ParseError) as error:
        raise ModelError(f"{path} cannot be read as an SSP package: {error}") from error


def _read(path: Path, archive: zipfile.ZipFile, folder: Path) -> Read:
    text = archive.read(STRUCTURE)
    if b"<!DOCTYPE" in text.replace(b"\0", b""):
        raise ModelError(f"{path}: it has a document type, which may declare entities; remove it")
    root = ElementTree.fromstring(text)
    _refuse_unknown(path, root)
    system = _found(path, root, "ssd:System")
    parts = {}
    for part in system.iterfind("ssd:Elements/ssd:Component", _PREFIXES):
        name = str(part.get("name"))
        parts[name] = _extracted(path, archive, str(part.get("source")), folder / f"{name}.fmu")
    start: dict[str, Any] = {}
    bindings = system.iterfind("ssd:ParameterBindings/ssd:ParameterBinding", _PREFIXES)
    for k, binding in enumerate(bindings):
        source = binding.get("source")
        if source is None:
            raise ModelError(f"{path}: a set of parameters inside the structure is not read here")
        file = _extracted(path, archive, source, folder / f"set{k}.ssv")
        start |= dict(read_parameters(file))
    connections, shown = [], []
    for wire in system.iterfind("ssd:Connections/ssd:Connection", _PREFIXES):
        begin = f"{wire.get('startElement')}.{wire.get('startConnector')}"
        if wire.get("endElement") is None:
            shown.append(begin)
            continue
        if wire.get("startElement") is None:
            continue  # an input of the system
        end = f"{wire.get('endElement')}.{wire.get('endConnector')}"
        scale = wire.find("ssc:LinearTransformation", _PREFIXES)
        factor = 1.0 if scale is None else float(scale.get("factor", 1.0))
        if scale is not None and float(scale.get("offset", 0.0)):
            raise ModelError(f"{path}: {begin} to {end} has an offset, which System cannot run")
        connections.append((begin, end, factor))
    return Read(str(system.get("name") or path.stem), parts, connections, shown, start)


_PREFIXES = {prefix: NAMESPACE + end for prefix, end in SPACES.items()}


def _found(path: Path, root: Element, tag: str) -> Element:
    found = root.find(tag, _PREFIXES)
    if found is None:
        raise ModelError(f"{path}: {STRUCTURE} has no {tag}, so it is not an SSP system structure")
    return found


def _refuse_unknown(path: Path, root: Element) -> None:
    kinds = [element.tag.rpartition("}")[2] for element in root.iter()]
    held = sorted(set(_NOT_READ).intersection(kinds))
    held += ["a System in a system"] * (kinds.count("System") > 1)
    if held:
        raise ModelError(f"{path.name} holds {', '.join(held)}, which System cannot run")


def _extracted(path: Path, archive: zipfile.ZipFile, source: str, target: Path) -> Path:
    """Copy a file of the package; its own path is never followed."""
    inside = PurePosixPath(source)
    if "://" in source or inside.is_absolute() or ".." in inside.parts:
        raise ModelError(f"{path}: source {source!r} is not inside the package")
    target.write_bytes(archive.read(source))
    return target
