"""What a model shows outside: parameters, inputs, states, events and outputs by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import casadi as ca

from mbcore.model import checks, shown
from mbcore.model.errors import ModelError
from mbcore.model.interface.declared import check_declared, named
from mbcore.model.interface.filters import Filter, add_filter, refuse_half_a_filter
from mbcore.model.interface.indicators import Indicators
from mbcore.model.interface.parameters import Parameters, end_of_range
from mbcore.model.variables import (
    Discrete,
    Input,
    Kind,
    Number,
    Output,
    State,
    Value,
    Visibility,
)


class Interface(Parameters, Indicators):
    """The named variables of a model; every method that adds one returns its symbol."""

    def __init__(self) -> None:
        super().__init__()
        self.inputs: dict[str, Input] = {}
        self.states: dict[str, tuple[State, ca.SX]] = {}
        self.outputs: dict[str, Output] = {}
        self.filters: dict[str, Filter] = {}

    def input(
        self,
        name: str,
        start: Value = 0.0,
        *,
        unit: str = "1",
        description: str = "",
        rate: ca.SX | Literal["filter"] | None = None,
        time_constant: Number | None = None,
        damping: Number = 1.0,
        nominal: float = 1.0,
        minimum: Value | None = None,
        maximum: Value | None = None,
        display_unit: str | None = None,
    ) -> ca.SX:
        """Add an input and return its symbol, kept in its range where it has one.

        With ``rate="filter"`` the symbol returned is that of a second-order filter's value, which
        follows the input with ``time_constant`` (s, a number or a parameter) and ``damping`` (1:
        critical) and has exact rates: `mbcore.model.interface.filters`. ``nominal`` is the value's
        size.

        Parameters
        ----------
        name, description : str
            Name outside, and one line of what it is.
        start : number or str
            Value until one is set, in ``unit``, an SI unit; a text has its own: ``"30 deg"``.
        unit, display_unit : str
            SI unit, and what tools show it in.
        rate : SX or "filter", optional
            The input that holds its derivative, or a filter that makes one.
        minimum, maximum : number or str, optional
            Physical limits. An input may be set beyond them: the model takes the limit, with the
            slope 0, and a warning says so once.

        Raises
        ------
        ModelError
            If ``rate`` is not an input of this model, or a filter is half given or impossible.
        """
        named("input", name, self._names(), unit, display_unit)
        refuse_half_a_filter(name, rate, time_constant)
        partner = None
        if isinstance(rate, ca.SX):
            partner = next(
                (
                    i
                    for i in self.inputs.values()
                    if ca.is_equal(i.symbol, rate) or ca.is_equal(i.acting, rate)
                ),
                None,
            )
            if partner is None:
                raise ModelError(f"input {name}: its rate must be an input added before it")
        record = Input(
            name,
            ca.SX.sym(name),
            checks.real(f"input {name}", "start", start, unit=unit),
            unit,
            description,
            partner,
            end_of_range(name, "minimum", minimum, unit),
            end_of_range(name, "maximum", maximum, unit),
            display_unit,
        )
        check_declared("input", record)
        self.inputs[name] = record
        if time_constant is not None:
            return self.filtered(name, time_constant, damping=damping, nominal=nominal)
        return record.acting

    def filtered(
        self, name: str, time_constant: Number, *, damping: Number = 1.0, nominal: float = 1.0
    ) -> ca.SX:
        """Let a filter follow an input that is there already, and return the filter's value.

        The filter itself, with its rates, is ``filters[name]``; it has a ``time_constant`` in s, a
        ``damping`` ratio (1: critical), and values of the size ``nominal`` in the input's unit.

        Raises
        ------
        ModelError
            If there is no such input, it is followed already, or a number is impossible.
        """
        if checks.text("input", name) not in self.inputs or name in self.filters:
            why = "it is followed already" if name in self.filters else "there is no such input"
            raise ModelError(f"filter of input {name}: {why}; add the input first, follow it once")
        return add_filter(self, self.inputs[name], time_constant, damping, nominal).value

    def state(
        self,
        name: str,
        derivative: Number | None = None,
        start: Value = 0.0,
        *,
        unit: str = "1",
        description: str = "",
        nominal: Value = 1.0,
        visibility: Visibility = "local",
        display_unit: str | None = None,
        start_input: str | None = None,
    ) -> ca.SX:
        """Add an auxiliary state and return its symbol (an actuator, an integrated input).

        The derivative may use the state itself: add it without, then call ``derivative``. With
        ``start_input``, the name of an input, it starts at that input's value.

        Parameters
        ----------
        name, description : str
            Name outside, and one line of what it is.
        derivative : number or expression, optional
            What it changes with, in ``unit`` per second.
        start, nominal : number or str
            Value at the start, and natural size; numbers in ``unit``.
        unit, display_unit : str
            SI unit, and what tools show it in.
        visibility : {"output", "local"}
            Whether importers see it as an output.
        start_input : str, optional
            Name of an input.

        Raises
        ------
        ModelError
            If the name is in use, or ``start_input`` is no input of this model.
        """
        named("state", name, self._names(), unit, display_unit)
        if start_input is not None:
            if checks.text("input", start_input) not in self.inputs:
                raise ModelError(
                    f"state {name}: no input {start_input!r} to start at; add it first"
                )
            start = self.inputs[start_input].start
        record = State(
            name,
            ca.SX.sym(name),
            checks.real(f"state {name}", "start", start, unit=unit),
            unit,
            description,
            checks.real(f"state {name}", "nominal", nominal, unit=unit),
            visibility,
            display_unit,
            start_input,
        )
        check_declared("state", record)
        rate = 0 if derivative is None else derivative
        self.states[name] = (record, checks.expression(f"state {name}", "derivative", rate))
        return record.symbol

    def derivative(self, name: str, expression: Number) -> None:
        """Say what the auxiliary state ``name`` changes with, in its unit per second.

        Raises
        ------
        ModelError
            If there is no such state, or ``expression`` is not scalar.
        """
        if checks.text("state", name) not in self.states:
            raise ModelError(shown.unknown("auxiliary state", name, self.states))
        rate = checks.expression(f"state {name}", "derivative", expression)
        self.states[name] = (self.states[name][0], rate)

    def discrete(
        self,
        name: str,
        start: Value = 0.0,
        *,
        unit: str = "1",
        description: str = "",
        kind: Kind = "real",
        visibility: Visibility = "output",
        nominal: float | None = None,
    ) -> ca.SX:
        """Add a variable that changes only at events, and return its symbol.

        Parameters
        ----------
        name, description : str
            Name outside, and one line of what it is.
        start : number or str
            Value at the start, in ``unit``, an SI unit.
        unit : str
            SI unit.
        kind : {"real", "integer", "boolean"}
            Its type outside.
        visibility : {"output", "local"}
            Whether importers see it as an output.
        nominal : float, optional
            Its natural size, for importers' tolerances.
        """
        named("discrete variable", name, self._names(), unit)
        first = checks.real(f"discrete variable {name}", "start", start, unit=unit)
        if nominal is not None:
            nominal = checks.real(f"discrete variable {name}", "nominal", nominal, above=0)
        record = Discrete(
            name, ca.SX.sym(name), first, unit, description, kind, visibility, nominal=nominal
        )
        check_declared("discrete variable", record)
        self.discretes[name] = record
        return record.symbol

    def output(
        self,
        name: str,
        expression: Number,
        *,
        unit: str = "1",
        description: str = "",
        kind: Kind = "real",
        visibility: Visibility = "output",
        display_unit: str | None = None,
        nominal: float | None = None,
    ) -> None:
        """Show a quantity outside.

        Parameters
        ----------
        name, description : str
            Name outside, and one line of what it is.
        expression : number or expression
            What is shown, in ``unit``.
        unit, display_unit : str
            SI unit, and what tools show it in.
        kind : {"real", "integer", "boolean"}
            Its type outside.
        visibility : {"output", "local"}
            Whether importers see it as an output.
        nominal : float, optional
            Its natural size, for importers' tolerances.
        """
        named("output", name, self._names(), unit, display_unit)
        shown = checks.expression(f"output {name}", "expression", expression)
        if nominal is not None:
            nominal = checks.real(f"output {name}", "nominal", nominal, above=0)
        record = Output(name, shown, unit, description, kind, visibility, display_unit, nominal)
        check_declared("output", record)
        self.outputs[name] = record

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
