"""The named variables of a model: the records of what it shows outside, and their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca

from mbcore.model.errors import ModelError
from mbcore.model.interface.declared import check_declared, named
from mbcore.model.interface.filters import Filter
from mbcore.model.interface.values import checked_values
from mbcore.model.variables import (
    Discrete,
    Event,
    Input,
    Output,
    Parameter,
    Requirement,
    State,
)


class Interface:
    """The records of a model's variables, events and requirements, by name.

    A part of `mbcore.model.system.System`, which makes the records; this one checks that names
    differ, and that each record can be shown.

    Attributes
    ----------
    parameters, inputs, outputs, discretes, events, requirements, filters : dict
        Records by name; a filter by the name of the input that it follows.
    states : dict
        Records of the auxiliary states with their derivatives, by name.
    """

    def __init__(self) -> None:
        self.parameters: dict[str, Parameter] = {}
        self.inputs: dict[str, Input] = {}
        self.states: dict[str, tuple[State, ca.SX]] = {}
        self.discretes: dict[str, Discrete] = {}
        self.outputs: dict[str, Output] = {}
        self.events: dict[str, Event] = {}
        self.requirements: dict[str, Requirement] = {}
        self.filters: dict[str, Filter] = {}
        self._undefined: set[str] = set()

    def refuse_name(
        self, kind: str, name: str, unit: str = "1", display_unit: str | None = None
    ) -> None:
        """Refuse a name that is in use or empty, and units that no variable of that name may have.

        Raises
        ------
        ModelError
            Naming the ``kind`` of variable, as messages call it, and its name.
        """
        named(kind, name, self._names(), unit, display_unit)

    def add(self, kind: str, record: Any) -> None:
        """Add a parameter, an input, a discrete variable or an output.

        Raises
        ------
        ModelError
            If the record cannot be shown, its range is none, or a parameter's value outside of it.
        """
        check_declared(kind, record)
        if isinstance(record, Parameter):
            checked_values(kind, (record,), {record.name: record.value})
        records: Any = self.declared()[kind]
        records[record.name] = record

    def add_event(self, record: Event, defined: bool) -> None:
        """Add an event, or declare it where its indicator is not ``defined`` yet."""
        self.events[record.name] = record
        (self._undefined.discard if defined else self._undefined.add)(record.name)

    def mode(self, name: str) -> ca.SX:
        """Return the symbol of an event's mode, that of one that is declared, or a new one."""
        old = self.events.get(name)
        if old is None:
            return ca.SX.sym(name)
        if name in self._undefined:
            return old.active
        if old.kind != "switch":
            raise ModelError(
                f"event {name} is that of a contact or a held slip; give yours another name"
            )
        raise ModelError(
            f"event {name!r} is defined already; give another name, or keep the symbol of its mode "
            "that the first call returned"
        )

    def refuse_undefined(self) -> None:
        """Refuse events that were declared and never got an indicator: they would never occur.

        Raises
        ------
        ModelError
            Naming the event.
        """
        for name in sorted(self._undefined):
            raise ModelError(
                f"event {name!r} is declared and has no indicator, so it never occurs; call "
                "event() with its name and its indicator"
            )

    def add_requirement(self, record: Requirement) -> None:
        """Add a requirement or warning that is made already, a ``record``.

        Raises
        ------
        ModelError
            If one of its name exists.
        """
        if record.name in self.requirements:
            raise ModelError(
                f"requirement {record.name!r} exists already, and the first one would be lost; "
                "names of requirements and warnings must differ"
            )
        self.requirements[record.name] = record

    def declared(self) -> dict[str, Mapping[str, object]]:
        """Return all records by what messages call their kind, and by name."""
        return {
            "parameter": self.parameters,
            "input": self.inputs,
            "state": self.states,
            "discrete variable": self.discretes,
            "event": self.events,
            "output": self.outputs,
            "requirement": self.requirements,
        }

    def _names(self) -> dict[str, object]:
        collections: tuple[dict, ...] = (
            self.parameters,
            self.inputs,
            self.states,
            self.discretes,
            self.outputs,
        )
        return {name: record for records in collections for name, record in records.items()}
