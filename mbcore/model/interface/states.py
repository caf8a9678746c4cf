"""The auxiliary states of a model: actuators, filters, integrated inputs."""

from __future__ import annotations

import casadi as ca

from mbcore.model import checks, near_names
from mbcore.model.arrays.elements import alike
from mbcore.model.errors import ModelError
from mbcore.model.interface.declared import check_declared
from mbcore.model.interface.inputs import Inputs
from mbcore.model.interface.named_records import NamedRecords, Namespace, by_element
from mbcore.model.units.units import Units, as_units
from mbcore.model.variables import Number, State, Value, Values, Visibility


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

    @by_element("derivative", "start")
    def add(
        self,
        name: str,
        derivative: Number | Values | None = None,
        start: Value | Values | ca.SX = 0.0,
        *,
        unit: str | Units = "1",
        description: str = "",
        nominal: Value = 1.0,
        visibility: Visibility = "local",
    ) -> ca.SX:
        """Add an auxiliary state and return its symbol (an actuator, an integrated input).

        The derivative may use the state itself: add the state without, then call ``derivative``.
        An array as ``derivative`` or ``start`` makes it an array with that shape: the symbol is a
        column or a matrix, and each element a state ``name[1]`` or ``name[1,2]``.

        Parameters
        ----------
        name, description : str
            Name of the variable, and its description in one line.
        derivative : number, expression or array of these, optional
            Its rate, in ``unit`` per second.
        start, nominal : number or str
            Value at the start, and natural size; numbers in ``unit``. If ``start`` is the symbol
            of an input, the state starts at that input's value. An array may start at one number,
            or at an array of its shape.
        unit : str or Units
            SI unit, or a pair with the unit that tools display.
        visibility : {"output", "local"}
            Whether importers see it as an output.

        Raises
        ------
        ModelError
            If the name is in use, or ``start`` is an expression but no input of this model, or the
            shapes of ``start`` and ``derivative`` differ.
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

    def set_derivative(self, name: str, expression: Number | Values) -> None:
        """Set the derivative of a state, in its unit per second.

        Raises
        ------
        ModelError
            If there is no such state, or ``expression`` has another shape.
        """
        array = self.array_named(name)
        if array is not None:
            rates = alike(f"state {name}", "derivative", expression, array.shape)
            for element, one in zip(array.elements, rates, strict=True):
                self.set_derivative(element, one)
            return
        if checks.text("state", name) not in self:
            raise ModelError(near_names.unknown("auxiliary state", name, self))
        rate = checks.expression(f"state {name}", "derivative", expression)
        self[name] = (self[name][0], rate)
