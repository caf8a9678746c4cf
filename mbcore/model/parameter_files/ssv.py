"""Reads parameter sets of SSP 1.0 and 2.0, the SystemStructureParameterValues format.

Its structure is checked by the standard's text, each element and attribute, because an attribute
that is passed over may be a unit. A document type is refused where it begins, so that no entity is
ever expanded or fetched.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

from mbcore.model.errors import ModelError
from mbcore.model.near_names import unknown
from mbcore.model.parameter_sets.parameter_set import (
    CHOICE,
    REAL,
    TEXT,
    TRUTH,
    WHOLE,
    Given,
    ParameterSet,
)
from mbcore.model.units.units import BASE_UNITS, Unit, coherent_unit, parse
from mbcore.model.variables import Value
from mbcore.model.wording import shortened

SSV = "http://ssp-standard.org/SSP1/SystemStructureParameterValues"
SSC = "http://ssp-standard.org/SSP1/SystemStructureCommon"
"""Namespaces of both versions."""
_VERSION = re.compile(r"(1)\.[0-9]+(?:-.*)?|(2)\.0")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,20}")
_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_EQUAL = 1e-12
"""Relative difference of factors of one unit: they are written with fifteen digits."""

_REALS = ("Real", "Float64", "Float32")
_BITS = {
    "Integer": (32, True),
    **{f"Int{n}": (n, True) for n in (8, 16, 32, 64)},
    **{f"UInt{n}": (n, False) for n in (8, 16, 32, 64)},
}
TYPES = {
    **dict.fromkeys(_REALS, REAL),
    **dict.fromkeys(_BITS, WHOLE),
    "Boolean": TRUTH,
    "Enumeration": CHOICE,
    "String": TEXT,
    "Binary": None,
}
"""Types of variables by their elements; those of SSP 1.0 are these:"""
OLD_TYPES = ("Real", "Integer", "Boolean", "String", "Enumeration", "Binary")

_META = "id description"
_FILE_META = f"{_META} author fileversion copyright license generationTool generationDateAndTime"
_ATTRIBUTES = {
    "ParameterSet": f"version name {_FILE_META}",
    "Parameters": "",
    "Parameter": f"name {_META}",
    **dict.fromkeys(_REALS, "value unit"),
    **dict.fromkeys(_BITS, "value"),
    "Boolean": "value",
    "String": "value",
    "Binary": "value mime-type",
    "Units": "",
    "Unit": f"name {_META}",
    "BaseUnit": f"{' '.join(BASE_UNITS)} factor offset",
    "Enumerations": "",
    "Item": "name value",
}
_CHILDREN = {
    "ParameterSet": "Parameters Enumerations Units MetaData Signature Annotations",
    "Parameters": "Parameter",
    "Parameter": f"{' '.join(TYPES)} Dimension Annotations",
    "Units": "Unit",
    "Unit": "BaseUnit Annotations",
    "Enumerations": "Enumeration",
    **dict.fromkeys(("String", "Binary"), "Value"),
}
_FREE = ("Annotations", "MetaData", "Signature", "Dimension", "Value")
"""Elements whose content is somebody else's, or that are refused as a whole."""


@dataclass
class _Node:
    """An element of the file."""

    name: str
    attributes: dict[str, str]
    line: int
    children: list[_Node] = field(default_factory=list)

    def all(self, name: str) -> list[_Node]:
        return [child for child in self.children if child.name == name]


class _Definitions(NamedTuple):
    """Units of a file, with their offsets, and its enumerations."""

    units: dict[str, tuple[Unit, float]]
    items: dict[str, list[str]]


def read_ssv(path: Path) -> ParameterSet:
    """Return the values of a parameter set.

    Raises
    ------
    ModelError
        It is none of SSP 1.0 or 2.0, or a value is wrong; names file, line, value and remedy.
    """
    root = _tree(path)
    if root.name != "ParameterSet":
        raise ModelError(
            f"{path}, line {root.line}: it begins with {root.name!r} and not with ParameterSet of "
            f"the namespace {SSV}; give a parameter set of SSP 1.0 or 2.0"
        )
    _check_structure(path, root)
    version = _VERSION.fullmatch(root.attributes.get("version", ""))
    if version is None:
        raise ModelError(
            f"{path}, line {root.line}: version = {root.attributes.get('version')!r}; give 1.0 or "
            "2.0, the versions of SSP that are read"
        )
    _required(path, root, "name")
    parts = root.all("Parameters")
    if len(parts) != 1:
        raise ModelError(
            f"{path}, line {root.line}: it has {len(parts)} elements Parameters; give one"
        )
    known = _Definitions(_units(path, root), _enumerations(path, root))
    given: dict[str, Given] = {}
    for node in parts[0].children:
        name = _required(path, node, "name")
        one = _value(f"{path}, line", node, known, old=version[1] is not None)
        if name in given:
            before = given[name]
            raise ModelError(
                f"{path}, line {node.line}: {name} is given twice, in line {before.line} as "
                f"{before.value!r} and here as {one.value!r}; leave one out"
            )
        given[name] = one
    return ParameterSet(path, given)


def _tree(path: Path) -> _Node:
    """Return the root of the file."""
    parser = expat.ParserCreate(namespace_separator=" ")
    stack = [_Node("", {}, 0)]

    def begin(tag: str, attributes: dict[str, str]) -> None:
        space, _, name = tag.rpartition(" ")
        name = name if space in (SSV, SSC) else f"{space}:{name}"
        node = _Node(name, attributes, parser.CurrentLineNumber)
        stack[-1].children.append(node)
        stack.append(node)

    def refuse(name: str, *_: object) -> None:
        raise ModelError(
            f"{path}, line {parser.CurrentLineNumber}: it declares a document type, DOCTYPE "
            f"{name}, and so may hold entities, which are never expanded here; take it out and "
            "write the values themselves"
        )

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda tag: stack.pop()
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(path.read_bytes(), True)
    except expat.ExpatError as error:
        raise ModelError(
            f"{path}, line {error.lineno}: this is not valid XML "
            f"({expat.errors.messages[error.code]}); correct that"
        ) from None
    return stack[0].children[0]


def _check_structure(path: Path, root: _Node) -> None:
    """Refuse elements and attributes that the standard does not have where they stand."""
    nodes = [(root, "")]
    while nodes:
        node, inside = nodes.pop()
        if node.name == "Enumeration":
            attributes, children = (
                (f"name {_META}", "Item Annotations")
                if inside == "Enumerations"
                else ("value name", "Value")
            )
        else:
            attributes, children = _ATTRIBUTES.get(node.name, ""), _CHILDREN.get(node.name, "")
        for name in node.attributes:
            if " " not in name and name not in attributes.split():
                said = _unknown(node.name, "attribute", name, attributes.split())
                raise ModelError(f"{path}, line {node.line}: {said}")
        for child in node.children:
            if child.name not in children.split():
                said = _unknown(node.name, "element", child.name, children.split())
                raise ModelError(f"{path}, line {child.line}: {said}")
        nodes += [(child, node.name) for child in node.children if child.name not in _FREE]


def _unknown(tag: str, part: str, name: str, known: list[str]) -> str:
    if not known:
        return f"{tag} takes no {part}s; leave {name!r} out"
    return unknown(f"{part} of {tag}", name, known)


def _required(path: Path, node: _Node, name: str) -> str:
    found = node.attributes.get(name, "")
    if not found.strip():
        raise ModelError(f"{path}, line {node.line}: {node.name} has no {name}; give one")
    return found


def _units(path: Path, root: _Node) -> dict[str, tuple[Unit, float]]:
    found: dict[str, tuple[Unit, float]] = {}
    for node in (unit for units in root.all("Units") for unit in units.children):
        name, bases = _required(path, node, "name"), node.all("BaseUnit")
        where = f"{path}, line {node.line}: unit {name!r}"
        if name in found:
            raise ModelError(f"{where} is defined twice; leave one out")
        if len(bases) != 1:
            raise ModelError(f"{where} has {len(bases)} elements BaseUnit; give one")
        said = bases[0].attributes
        powers = []
        for base in BASE_UNITS:
            text = said.get(base, "0").strip()
            if not _WHOLE_NUMBER.fullmatch(text):
                raise ModelError(f"{where}: {base} = {text!r}; give a whole number")
            powers.append(int(text))
        factor, offset = (
            _number(f"{where}: {what}", said.get(what, other))
            for what, other in (("factor", "1"), ("offset", "0"))
        )
        if not 0 < factor < math.inf:
            raise ModelError(f"{where}: factor = {factor:g}; give a positive number")
        found[name] = Unit(name, factor, tuple(powers)), offset
    return found


def _enumerations(path: Path, root: _Node) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in (one for group in root.all("Enumerations") for one in group.children):
        name = _required(path, node, "name")
        if name in found:
            raise ModelError(
                f"{path}, line {node.line}: enumeration {name!r} is defined twice; leave one out"
            )
        found[name] = [_required(path, item, "name") for item in node.all("Item")]
    return found


def _value(file: str, node: _Node, known: _Definitions, old: bool) -> Given:
    """Return the value of a parameter."""
    where, name = f"{file} {node.line}", node.attributes["name"]
    types = [child for child in node.children if child.name in TYPES]
    if len(types) != 1:
        raise ModelError(
            f'{where}: {name} has {len(types)} types; give one, as in <Real value="1"/>'
        )
    of, type = types[0], TYPES[types[0].name]
    where = f"{file} {of.line}"
    text = of.attributes.get("value")
    if old and of.name not in OLD_TYPES:
        raise ModelError(
            f"{where}: {name} is a {of.name}, a type of SSP 2.0, in a file whose version is 1.0; "
            "write version 2.0, or an older type"
        )
    if type is None:
        raise ModelError(f"{where}: {name} is Binary, but variables here are not; leave it out")
    sizes = node.all("Dimension")
    if sizes or of.children or (type not in (TEXT, CHOICE) and len((text or "").split()) > 1):
        if old:
            raise ModelError(
                f"{where}: {name} = {shortened(text or of.name)!r} is an array, which SSP 1.0 does "
                "not have; write version 2.0, or give each element by its name, as in 'force[1]'"
            )
        return Given(_array(f"{where}: {name}", of, sizes, known), of.line, type, of.name)
    if text is None:
        raise ModelError(f"{where}: {name} has no value; give one")
    owner = f"{where}: {name} = {shortened(text)!r}"
    return Given(_read(owner, of, text, known), of.line, type, of.name)


def _array(owner: str, of: _Node, sizes: list[_Node], known: _Definitions) -> Any:
    """Return the values of an array, row by row in lists of the file's dimensions.

    A single Value without a dimension is not an array.
    """
    texts = _texts(owner, of)
    shape = []
    for node in sizes or [_Node("Dimension", {"size": str(len(texts))}, of.line)]:
        size = node.attributes.get("size", "").strip()
        if not _WHOLE_NUMBER.fullmatch(size) or int(size) < 1:
            raise ModelError(f"{owner}: a Dimension has size = {size!r}; give a positive number")
        shape.append(int(size))
    if not texts or math.prod(shape) != len(texts):
        raise ModelError(
            f"{owner} = {shortened(' '.join(texts), 60)!r} has {len(texts)} values, and its "
            f"dimensions are {' x '.join(map(str, shape))}; give as many"
        )
    values: list[Any] = [_read(f"{owner} = {text!r}", of, text, known) for text in texts]
    if of.children and len(texts) == 1 and not sizes:
        return values[0]
    for count in shape[:0:-1]:
        values = [values[i : i + count] for i in range(0, len(values), count)]
    return values


def _texts(owner: str, of: _Node) -> list[str]:
    """Return the values of an array as texts: a list, and of texts the elements Value.

    Raises
    ------
    ModelError
        Both are there, or neither, or a Value has no value.
    """
    text, values = of.attributes.get("value"), of.all("Value")
    if of.name not in ("String", "Enumeration"):
        return (text or "").split()
    if (text is None) == (not values):
        raise ModelError(
            f"{owner} has {len(values)} elements Value and the attribute value = {text!r}; give "
            "one of both"
        )
    if missing := [node for node in values if "value" not in node.attributes]:
        raise ModelError(f"{owner}: Value in line {missing[0].line} has no value; give one")
    return [node.attributes["value"] for node in values] if text is None else [text]


def _read(owner: str, of: _Node, text: str, known: _Definitions) -> Value:
    plain = text.strip()
    if of.name in _REALS:
        return _quantity(owner, plain, of.attributes.get("unit"), known.units)
    if of.name in _BITS:
        bits, signed = _BITS[of.name]
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        if not _WHOLE_NUMBER.fullmatch(plain) or not low <= int(plain) <= high:
            raise ModelError(
                f"{owner} is not of type {of.name}; give a whole number from {low} to {high}"
            )
        return int(plain)
    if of.name == "Boolean":
        if plain not in _TRUTH:
            raise ModelError(f"{owner} is not a Boolean; give true or false")
        return _TRUTH[plain]
    if of.name == "Enumeration" and (chosen := of.attributes.get("name")) is not None:
        if chosen not in known.items:
            raise ModelError(f"{owner}: the file has {unknown('enumeration', chosen, known.items)}")
        if text not in known.items[chosen]:
            raise ModelError(f"{owner}: give one of {', '.join(known.items[chosen])}")
    return text


def _quantity(
    owner: str, text: str, name: str | None, units: dict[str, tuple[Unit, float]]
) -> Value:
    """Return a number, or a number with its unit as a text in the syntax of values here.

    A unit is what the file defines by its name; where that is what the name means here, the text
    has the name, else the SI unit.
    """
    number = _number(owner, text)
    if name is None:
        return number
    if name not in units:
        has = unknown("unit", name, units)
        raise ModelError(
            f"{owner}: the file has {has}; define it in Units by its base units, or leave it out, "
            "for a value in the unit of its variable"
        )
    unit, offset = units[name]
    if offset:
        raise ModelError(
            f"{owner}: the unit {name!r} does not begin at zero (offset {offset:g}); give the "
            f"value in {coherent_unit(unit)}"
        )
    try:
        meant = parse(name)
    except ModelError:
        meant = None
    if (
        meant is not None
        and meant.exponents == unit.exponents
        and math.isclose(meant.factor, unit.factor, rel_tol=_EQUAL)
    ):
        return f"{text} {name}"
    return f"{number * unit.factor!r} {coherent_unit(unit)}"


def _number(owner: str, text: str) -> float:
    if not _NUMBER.fullmatch(text.strip()) or not math.isfinite(float(text)):
        raise ModelError(f"{owner} is not a finite number; give one, as in 0.5")
    return float(text)
