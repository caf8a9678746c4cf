"""The state of a model when its equations were made, to detect later changes.

A model may be changed after its equations were made. New equations contain the change, old ones
would silently lack it, so they are refused. Everything that enters equations is recorded by
identity, because every change puts another object in its place; so methods that change a model need
not report it. Attributes of `mbcore.model.changing.Changing` are compared only after one was set.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from enum import Enum
from itertools import chain
from operator import is_
from types import FunctionType, MethodType, ModuleType

import casadi as ca

from mbcore.model.changing import Changing, latest_change
from mbcore.model.nodes.symbol_registry import SymbolRegistry
from mbcore.model.quantities import Deformation, Quantity, Slip
from mbcore.model.system import System

Snapshot = Mapping[str, tuple[object, ...]]
"""The objects that enter equations, by what messages call them."""
NOTED = 6
"""Most changes named in one message."""


class Watched:
    """All objects that a model refers to, to see cheaply that nothing has been put in their place.

    Parameters
    ----------
    model : System
        The model.
    """

    def __init__(self, model: System) -> None:
        self._of_changing: list[dict[object, object]] = []
        self._dicts: list[dict[object, object]] = []
        self._lists: list[list[object] | set[object]] = []
        self._empty: list[Collection[object]] = []
        self._mark = latest_change()
        self._collect(model)
        self._attributes = tuple(self._present_attributes())
        self._contents = tuple(self._present_contents())

    def _collect(self, model: System) -> None:
        """Collect what holds objects and may be changed in place."""
        left, seen = [model], set[int]()
        while left:
            item = left.pop()
            if isinstance(item, _WITHOUT_CONTENTS) or id(item) in seen:
                continue
            seen.add(id(item))
            attributes = getattr(item, "__dict__", {})
            left += attributes.values()
            if isinstance(item, Changing):
                self._of_changing.append(attributes)
            elif attributes and not _is_frozen(item):
                self._dicts.append(attributes)
            if isinstance(item, dict | list | set) and not item:
                self._empty.append(item)
            elif isinstance(item, dict):
                self._dicts.append(item)
                left += item.values()
            elif isinstance(item, list | set):
                self._lists.append(item)
            if isinstance(item, list | set | tuple | frozenset):
                left += item

    def _present_attributes(self) -> Iterator[object]:
        # The last one makes sequences differ of which one is longer.
        return chain(_values_of(self._of_changing), (Watched,))

    def _present_contents(self) -> Iterator[object]:
        return chain(_values_of(self._dicts), chain.from_iterable(self._lists), (Watched,))

    def is_same(self) -> bool:
        """Return whether the same objects are there; others may be without effect."""
        # Most are empty, and whether one still is takes a tenth of the time of going through it.
        if any(self._empty) or not all(map(is_, self._present_contents(), self._contents)):
            return False
        mark = latest_change()
        if mark is not self._mark:
            if not all(map(is_, self._present_attributes(), self._attributes)):
                return False
            self._mark = mark
        return True


def _values_of(dicts: Iterable[dict[object, object]]) -> Iterator[object]:
    return chain.from_iterable(map(dict.values, dicts))


_WITHOUT_CONTENTS = (
    bool, int, float, complex, str, bytes, type(None), type, ModuleType, FunctionType, MethodType,
    Enum, ca.SX, ca.DM, ca.MX, ca.Function,
    SymbolRegistry,  # of what nodes and elements have
)  # fmt: skip


def _is_frozen(item: object) -> bool:
    """Return whether the attributes of an object stay as they are."""
    return is_dataclass(item) and bool(vars(type(item))["__dataclass_params__"].frozen)


def snapshot(model: System) -> Snapshot:
    """Return what enters the equations of a model."""
    noted: dict[str, tuple[object, ...]] = {"gravity": (model.gravity,)}
    for node in model.nodes.values():
        noted[f"node {node.name}"] = (node,)
        for coordinate in node.quantities:
            noted[f"{coordinate.name}, fixed or its start"] = (coordinate.fixed, coordinate.start)
            _note_quantity(noted, coordinate)
        for slip in node.slips():
            _note_quantity(noted, slip)
    for element in model.elements.values():
        noted[element.title] = (element, *_values(vars(element)))
        for quantity in [*element.deformations.values(), *element.slips.values()]:
            _note_quantity(noted, quantity)
    for place, forces in _loaded(model).items():
        noted[f"force or moment on {place}"] = (forces,)
    for name, contact in model.contacts.items():
        noted[f"contact {name}"] = (contact,)
    for kind, records in model.interface.declared().items():
        for name, record in records.items():
            noted[f"{kind} {name}"] = record if isinstance(record, tuple) else (record,)
    return noted


def changes(before: Snapshot, now: Snapshot) -> str:
    """Return the differences in words, an empty text if there are none."""
    found = [f"{what} added" for what in now if what not in before]
    found += [f"{what} removed" for what in before if what not in now]
    found += [what for what in before if what in now and not _same(before[what], now[what])]
    more = f" and {len(found) - NOTED} more" if len(found) > NOTED else ""
    return ", ".join(found[:NOTED]) + more


def _note_quantity(noted: dict[str, tuple[object, ...]], q: Quantity) -> None:
    role: tuple[object, ...] = (q.role,)
    if isinstance(q, Deformation):
        role += (q.target, q.states)
    elif isinstance(q, Slip):
        role += (q.state, q.held)
    noted[f"role of {q.name}"] = role
    noted[f"law on {q.name}"] = tuple(q.laws)


def _values(attributes: Mapping[str, object]) -> list[object]:
    # Only plain values and expressions: dictionaries and nodes are compared where they belong.
    return [
        value
        for name, value in attributes.items()
        if isinstance(value, bool | int | float | str | ca.SX)
        and not name.startswith("_")
        and name != "visible"
    ]


def _loaded(model: System) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for force, velocity in model.loads:
        # Symbols of velocities are named after nodes and quantities: "bob.x'", "yaw.omega[2]".
        names = {s.name().rstrip("']012[").split(":")[0] for s in ca.symvar(velocity)}
        place = ", ".join(sorted({name.rpartition(".")[0] or name for name in names})) or "nothing"
        found[place] = (*found.get(place, ()), force)
    return found


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and all(map(_same_object, one, other))


def _same_object(one: object, other: object) -> bool:
    if one is other:
        return True
    if isinstance(one, tuple) and isinstance(other, tuple):
        return _same(one, other)
    # Equal plain values may be different objects, such as two floats of one value.
    plain = bool | int | float | str
    return isinstance(one, plain) and isinstance(other, plain) and one == other
