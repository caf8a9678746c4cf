"""The inputs of a model: values given from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.interface.declared import end_of_range
from mbcore.model.interface.kinds import chosen, items_of, kind_of, start_of
from mbcore.model.interface.named_records import NamedRecords, by_element
from mbcore.model.units.units import Units, as_units
from mbcore.model.variables import Input, Item, Kind, Value, Values
from mbcore.model.wording import listed


class Inputs(NamedRecords[Input]):
    """Records of the inputs, by name."""

    kind = "input"

    @by_element("start", "rate")
    def add(
        self,
        name: str,
        start: Value | Values | None = None,
        *,
        unit: str | Units = "1",
        description: str = "",
        rate: ca.SX | None = None,
        minimum: Value | None = None,
        maximum: Value | None = None,
        kind: Kind | None = None,
        items: Sequence[Item | str] = (),
    ) -> ca.SX:
        """Add an input and return its symbol, limited to its range where it has one.

        One that starts at True or False is Boolean, 1 or 0 in formulas; one with ``items`` is a
        choice, and its symbol the item's number, from 1. Both change in jumps alone, as whole
        numbers do. A list or a NumPy array as ``start`` makes it an array with that shape: the
        symbol is a column or a matrix, and each element an input ``name[1]`` or ``name[1,2]``.

        Where a motion needs rates of an input that has none, a filter that follows it has exact
        ones: add the input, then call ``filtered``.

        Parameters
        ----------
        name, description : str
            Name of the variable, and its description in one line.
        start : number, bool, str or array of these, optional
            Value until one is set, in ``unit``, an SI unit; a text has its own: ``"30 deg"``; 0 by
            default. Of a choice an item's name or number; the first one by default.
        unit : str or Units
            SI unit, or a pair with the unit that tools display: ``Units("rad", "deg")``.
        rate : SX, optional
            The input that holds its derivative, of an array one of the same shape.
        minimum, maximum : number or str, optional
            Physical limits. An input may be set beyond them: the model takes the limit, with the
            slope 0, and a warning says so once.
        kind : {"real", "integer", "boolean"}, optional
            Type of the variable: boolean for True and False, else real by default.
        items : sequence of Item or str
            Items of the choice.

        Raises
        ------
        ModelError
            If ``rate`` is not an input of this model, or the start value is of another type.
        """
        units, owner = as_units(unit), f"input {name}"
        self.refuse_name(name, units.si, units.display)
        if len(items):
            first = 1 if start is None else start
            return self._add_choice(name, first, items_of(owner, items), description)
        start = 0.0 if start is None else start
        of = kind_of(owner, start, kind, units.si)
        if of != "real" and rate is not None:
            raise ModelError(f"{owner}: rate = {rate!r}; one that is {of} has none: leave it out")
        if of == "boolean" and (minimum is not None or maximum is not None):
            raise ModelError(f"{owner} is True or False, so it has no range; leave that out")
        partner = None
        if rate is not None:
            if not isinstance(rate, ca.SX):
                raise ModelError(
                    f"input {name}: rate = {rate!r}; give the symbol of an input that holds it, or "
                    f"call model.filtered({name!r}, time_constant) after it"
                )
            partner = self.of(rate)
            if partner is None:
                raise ModelError(f"input {name}: its rate must be an input added before it")
        record = Input(
            name,
            ca.SX.sym(name),
            checks.real(owner, "start", start, unit=units.si)
            if of == "real"
            else start_of(owner, start, of, units),
            units.si,
            description,
            partner,
            end_of_range(name, "minimum", minimum, units.si),
            end_of_range(name, "maximum", maximum, units.si),
            units.display,
            kind=of,
        )
        self._checked(record)
        return record.acting

    def _add_choice(
        self, name: str, start: Any, items: tuple[Item, ...], description: str
    ) -> ca.SX:
        missing = [item.name for item in items if not item.available]
        if missing:
            raise ModelError(f"input {name}: {missing[0]} is not available; leave that item out")
        number = chosen(f"input {name}", items, start)
        if number not in range(1, len(items) + 1):
            raise ModelError(
                f"input {name} = {start!r}: give one of {listed(i.name for i in items)}"
            )
        record = Input(name, ca.SX.sym(name), number, description=description, items=items)
        self._checked(record)
        return record.symbol

    def of(self, expression: ca.SX) -> Input | None:
        """Return the input whose symbol, or limited value, an expression is."""
        for record in self.values():
            if ca.is_equal(record.symbol, expression) or ca.is_equal(record.acting, expression):
                return record
        return None
