"""The inputs of a model: values given from outside."""

from __future__ import annotations

import casadi as ca

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.interface.declared import end_of_range
from mbcore.model.interface.named_records import NamedRecords
from mbcore.model.units.units import Units, as_units
from mbcore.model.variables import Input, Value


class Inputs(NamedRecords[Input]):
    """Records of the inputs, by name."""

    kind = "input"

    def add(
        self,
        name: str,
        start: Value = 0.0,
        *,
        unit: str | Units = "1",
        description: str = "",
        rate: ca.SX | None = None,
        minimum: Value | None = None,
        maximum: Value | None = None,
    ) -> ca.SX:
        """Add an input and return its symbol, limited to its range where it has one.

        Where a motion needs rates of an input that has none, a filter that follows it has exact
        ones: add the input, then call ``filtered``.

        Parameters
        ----------
        name, description : str
            Name of the variable, and one line of what it is.
        start : number or str
            Value until one is set, in ``unit``, an SI unit; a text has its own: ``"30 deg"``.
        unit : str or Units
            SI unit, or this and what tools show it in: ``Units("rad", "deg")``.
        rate : SX, optional
            The input that holds its derivative.
        minimum, maximum : number or str, optional
            Physical limits. An input may be set beyond them: the model takes the limit, with the
            slope 0, and a warning says so once.

        Raises
        ------
        ModelError
            If ``rate`` is not an input of this model.
        """
        units = as_units(unit)
        self.refuse_name(name, units.si, units.display)
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
            checks.real(f"input {name}", "start", start, unit=units.si),
            units.si,
            description,
            partner,
            end_of_range(name, "minimum", minimum, units.si),
            end_of_range(name, "maximum", maximum, units.si),
            units.display,
        )
        self._checked(record)
        return record.acting

    def of(self, expression: ca.SX) -> Input | None:
        """Return the input whose symbol, or limited value, an expression is."""
        for record in self.values():
            if ca.is_equal(record.symbol, expression) or ca.is_equal(record.acting, expression):
                return record
        return None
