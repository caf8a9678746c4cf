"""Connections of a system: variables of its components, or terminals, which are groups of them.

A member of a terminal that is a flow, such as a force, counts into the component. Where both ends
are flows, what goes into one comes from the other, and the connection changes the sign.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import fmpy
import numpy as np

from mbcore.fmi.running.fmu_variables import REALS, Variables
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.interface.values import truth
from mbcore.model.near_names import unknown
from mbcore.model.units.text_units import value_in
from mbcore.model.units.units import parse

TERMINALS = "terminalsAndIcons/terminalsAndIcons.xml"
FLOWS = ("inflow", "outflow")


class Place(NamedTuple):
    """A variable of a component: a number, an array or an element of one."""

    part: str
    name: str

    def __str__(self) -> str:
        return f"{self.part}.{self.name}"


@dataclass(frozen=True)
class Connection:
    """From an output to an input, which gets ``factor`` times its value."""

    source: Place
    target: Place
    factor: float = 1.0

    def __str__(self) -> str:
        times = "" if self.factor == 1 else f", times {self.factor:g}"
        return f"{self.source} to {self.target}{times}"

    def by_element(self, parts: Mapping[str, Part]) -> list[Connection]:
        """Return the connections of single numbers: of arrays those of their elements."""
        ends = zip(elements(parts, self.source), elements(parts, self.target), strict=True)
        return [Connection(*pair, self.factor) for pair in ends]


def elements(parts: Mapping[str, Part], place: Place) -> list[Place]:
    """Return the places of an array's elements, of another variable its own."""
    return [Place(place.part, name) for name in parts[place.part].numbers.elements(place.name)]


@dataclass(frozen=True)
class Member:
    """A variable in a terminal, and its kind: ``"signal"``, ``"inflow"``, ``"outflow"``."""

    variable: str
    kind: str


class Part:
    """A component of a system: an FMU's file, its variables and its terminals.

    Raises
    ------
    ModelError
        The file is not an FMU of FMI 2.0 or 3.0 with Co-Simulation.
    """

    def __init__(self, name: str, path: Path) -> None:
        if not path.is_file():
            raise ModelError(f"component {name}: there is no FMU {path}; build it with export(...)")
        try:
            self.description: Any = fmpy.read_model_description(str(path))
        except Exception as error:
            raise ModelError(
                f"component {name}: {path} cannot be read as an FMU: {error}"
            ) from error
        if self.description.coSimulation is None:
            raise ModelError(f"component {name}: {path} has no Co-Simulation; export one with it")
        if not self.description.fmiVersion.startswith(("2", "3")):
            version = self.description.fmiVersion
            raise ModelError(
                f"component {name}: {path} is of FMI {version}; give one of FMI 2.0 or 3.0"
            )
        self.name, self.path = name, path
        self.variables = {v.name: v for v in self.description.modelVariables}
        self.numbers = Variables(self.description)
        self.terminals = _terminals(path)

    def variable(self, name: str) -> Any:
        """Return a variable of numbers; of an element its array.

        Raises
        ------
        ModelError
            There is none of this name, or it is a text or a clock.
        """
        whole = self.numbers.whole(name)
        if whole not in self.variables:
            raise ModelError(f"component {self.name}: {unknown('variable', name, self.variables)}")
        found = self.variables[whole]
        if found.type in ("String", "Binary", "Clock"):
            raise ModelError(
                f"component {self.name}: {name} is of type {found.type}; give a variable that is "
                "a number"
            )
        return found

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of an array, of a number ``()``."""
        return self.numbers.arrays.get(name, ())

    def start(self, name: str) -> float:
        """Return the start value of a number, 0 where it has none."""
        variable = self.variable(name)
        values = str(variable.start or 0.0).split()
        elements = self.numbers.elements(self.numbers.whole(name))
        value = values[elements.index(name) if len(values) > 1 else 0]
        return float(value in ("true", "1")) if variable.type == "Boolean" else float(value)


def _terminals(path: Path) -> dict[str, dict[str, Member]]:
    """Return the members of an FMU's terminals by name; those inside others are left out."""
    with zipfile.ZipFile(path) as archive:
        if TERMINALS not in archive.namelist():
            return {}
        root = ElementTree.fromstring(archive.read(TERMINALS))
    return {
        str(terminal.get("name")): {
            str(member.get("memberName")): Member(
                str(member.get("variableName")), str(member.get("variableKind", "signal"))
            )
            for member in terminal.iterfind("TerminalMemberVariable")
        }
        for terminal in root.iterfind("Terminals/Terminal")
    }


def connected(parts: Mapping[str, Part], source: Place, target: Place) -> list[Connection]:
    """Return the connections between two variables, or between the members of two terminals.

    Raises
    ------
    ModelError
        A name is unknown, both ends are outputs or inputs, types or units differ, or terminals have
        other members.
    """
    one, other = parts[source.part], parts[target.part]
    as_terminals = [
        place.name in part.terminals and place.name not in part.variables
        for place, part in ((source, one), (target, other))
    ]
    if not any(as_terminals):
        return [
            _checked(
                parts, Connection(source, target, _factor_of_flows(one, other, source, target))
            )
        ]
    for place, part, is_terminal in zip((source, target), (one, other), as_terminals, strict=True):
        if not is_terminal:
            raise ModelError(
                f"{source} to {target}: {place} is not a terminal; {part.name} has "
                f"{', '.join(part.terminals) or 'none'}"
            )
    own, theirs = one.terminals[source.name], other.terminals[target.name]
    if own.keys() != theirs.keys():
        raise ModelError(
            f"terminals {source} and {target} do not fit: one has {', '.join(own)}, the other "
            f"{', '.join(theirs)}; give them the same members"
        )
    found = []
    for name, member in own.items():
        ends = Place(one.name, member.variable), Place(other.name, theirs[name].variable)
        if (member.kind in FLOWS) != (theirs[name].kind in FLOWS):
            raise ModelError(
                f"terminals {source} and {target}: {name} is a flow in one of them only; give it "
                "to flows= of both terminals"
            )
        factor = -1.0 if member.kind in FLOWS and member.kind == theirs[name].kind else 1.0
        causalities = [parts[end.part].variable(end.name).causality for end in ends]
        if sorted(causalities) != ["input", "output"]:
            raise ModelError(
                f"terminals {source} and {target}: {name} is of causality {causalities[0]} in one "
                f"and {causalities[1]} in the other; one has to give it, and one to take it"
            )
        if causalities[0] == "input":
            ends = ends[1], ends[0]
        found.append(_checked(parts, Connection(*ends, factor)))
    return found


def _factor_of_flows(one: Part, other: Part, source: Place, target: Place) -> float:
    """Return the sign of a connection of variables that are flows of terminals, or are not."""
    kinds = [_flow(part, place.name) for part, place in ((one, source), (other, target))]
    return -1.0 if kinds[0] and kinds[0] == kinds[1] else 1.0


def _flow(part: Part, name: str) -> str:
    """Return the kind of flow that a variable is in a terminal, empty where it is none."""
    members = (member for terminal in part.terminals.values() for member in terminal.values())
    return next((m.kind for m in members if m.variable == name and m.kind in FLOWS), "")


def _checked(parts: Mapping[str, Part], connection: Connection) -> Connection:
    """Refuse a connection whose ends do not fit; return it."""
    source, target = connection.source, connection.target
    of, to = parts[source.part].variable(source.name), parts[target.part].variable(target.name)
    told = f"{source} to {target}"
    if of.causality != "output" or to.causality != "input":
        raise ModelError(
            f"{told}: {source} is of causality {of.causality}, {target} of {to.causality}; connect "
            "an output with an input, in this order"
        )
    if (of.type in REALS) != (to.type in REALS) or (of.type == "Boolean") != (to.type == "Boolean"):
        raise ModelError(f"{told}: types {of.type} and {to.type} differ; connect equal ones")
    _check_choices(told, source, target, of, to)
    shapes = parts[source.part].shape(source.name), parts[target.part].shape(target.name)
    if shapes[0] != shapes[1]:
        said = [f"an array of shape {shape}" if shape else "a number" for shape in shapes]
        raise ModelError(
            f"{told}: one is {said[0]}, the other {said[1]}; connect equal ones, or single "
            "elements, as in y[1]"
        )
    one, other = unit_of(of) or "1", unit_of(to) or "1"
    if one != other:
        ends = parse(one, str(source)), parse(other, str(target))
        if (ends[0].exponents, ends[0].factor) != (ends[1].exponents, ends[1].factor):
            raise ModelError(f"{told}: units {one} and {other} differ; connect equal ones")
    return connection


def _check_choices(told: str, source: Place, target: Place, of: Any, to: Any) -> None:
    """Refuse a choice that is connected with a number, or with a choice among others.

    Raises
    ------
    ModelError
        Naming the items of each.
    """
    choices = {place: v for place, v in ((source, of), (target, to)) if v.type == "Enumeration"}
    if not choices:
        return
    known = {place: items_of(variable) for place, variable in choices.items()}
    said = " and ".join(
        f"{place} is a choice of {', '.join(f'{name} = {n:g}' for name, n in items.items())}"
        for place, items in known.items()
    )
    if len(choices) == 1:
        [other] = {source: of, target: to}.keys() - choices.keys()
        kind = {source: of, target: to}[other].type
        raise ModelError(
            f"{told}: {said}, and {other} of type {kind}, which may be any number; give both the "
            "same choice"
        )
    if known[source] != known[target]:
        raise ModelError(f"{told}: {said}; connect choices of the same items with equal numbers")


def items_of(variable: Any) -> dict[str, float]:
    """Return the items of a choice with their numbers, none of another variable."""
    if variable.type != "Enumeration" or variable.declaredType is None:
        return {}
    return {item.name: float(item.value) for item in variable.declaredType.items}


def unit_of(variable: Any) -> str:
    """Return the unit of a variable, empty where it has none."""
    return str(variable.unit or getattr(variable.declaredType, "unit", None) or "")


def number(owner: str, variable: Any, value: object) -> float:
    """Return a value of a variable as a number: of a choice the number of its item.

    Raises
    ------
    ModelError
        It is of another type or unit, or no item.
    """
    if variable.type == "Boolean":
        return truth(owner, value)
    if variable.type in REALS:
        if isinstance(value, str):
            return value_in(owner, value, unit_of(variable) or "1")
        if not np.isfinite(found := checks.scalar(owner, value)):
            raise ModelError(f"{owner} = {found}: give a finite number")
        return found
    items = items_of(variable)
    what = f"one of {', '.join(items)}" if items else "a whole number"
    if isinstance(value, str):
        if value not in items:
            raise ModelError(f"{owner} = {value!r}: give {what}")
        return items[value]
    if isinstance(value, bool | np.bool_):
        raise ModelError(f"{owner} = {value!r}: give {what}")
    found = checks.scalar(owner, value)
    if not found.is_integer() or (items and found not in items.values()):
        raise ModelError(f"{owner} = {found:g}: give {what}")
    return found
