"""The auxiliary states of a model: actuators, filters, integrated inputs."""

from __future__ import annotations

import casadi as ca

from mbcore.model import checks, near_names
from mbcore.model.errors import ModelError
from mbcore.model.interface.declared import check_declared
from mbcore.model.interface.inputs import Inputs
from mbcore.model.interface.named_records import NamedRecords, Namespace
from mbcore.model.units.units import Units, as_units
from mbcore.model.variables import Number, State, Value, Visibility


class States(NamedRecords[tuple[State, ca.SX]]):
    """Records of the auxiliary states with their derivatives, by name.

    Parameters
    ----------
    inputs : Inputs
        Those at whose values states may start.
    """

    kind = "state"

    def __init__(self, namespace: Namespace, inputs: Inputs) -> None:
        super().__init__(namespace)
        self._inputs = inputs

    def add(
        self,
        name: str,
        derivative: Number | None = None,
        start: Value | ca.SX = 0.0,
        *,
        unit: str | Units = "1",
        description: str = "",
        nominal: Value = 1.0,
        visibility: Visibility = "local",
    ) -> ca.SX:
        """Add an auxiliary state and return its symbol (an actuator, an integrated input).

        The derivative may use the state itself: add the state without, then call ``derivative``.

        Parameters
        ----------
        name, description : str
            Name of the variable, and one line of what it is.
        derivative : number or expression, optional
            Its rate, in ``unit`` per second.
        start, nominal : number or str
            Value at the start, and natural size; numbers in ``unit``. If ``start`` is the symbol
            of an input, the state starts at that input's value.
        unit : str or Units
            SI unit, or this and what tools show it in.
        visibility : {"output", "local"}
            Whether importers see it as an output.

        Raises
        ------
        ModelError
            If the name is in use, or ``start`` is an expression but no input of this model.
        """
        units = as_units(unit)
        self.refuse_name(name, units.si, units.display)
        source = None
        if isinstance(start, ca.SX) and not start.is_constant():
            source = self._inputs.of(start)
            if source is None:
                raise ModelError(f"state {name}: no input {str(start)!r} to start at; add it first")
            start = source.start  # for runs in which the input is not set
        record = State(
            name,
            ca.SX.sym(name),
            checks.real(f"state {name}", "start", start, unit=units.si),
            units.si,
            description,
            checks.real(f"state {name}", "nominal", nominal, unit=units.si),
            visibility,
            units.display,
            source.name if source else None,
        )
        check_declared(self.kind, record)
        rate = 0 if derivative is None else derivative
        self[name] = (record, checks.expression(f"state {name}", "derivative", rate))
        return record.symbol

    def set_derivative(self, name: str, expression: Number) -> None:
        """Set the derivative of a state, in its unit per second.

        Raises
        ------
        ModelError
            If there is no such state, or ``expression`` is not scalar.
        """
        if checks.text("state", name) not in self:
            raise ModelError(near_names.unknown("auxiliary state", name, self))
        rate = checks.expression(f"state {name}", "derivative", expression)
        self[name] = (self[name][0], rate)
