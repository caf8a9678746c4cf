"""Inputs whose rates follow from a second-order filter, for motions that need them exactly.

With the time constant T and the damping D, the value y follows the input u by

    T² ÿ + 2 D T ẏ + y = u.

It starts at the input's value with the rate zero. In an FMU that is the value which the input has
when the first step begins, or Continuous-Time Mode is entered, because tools set inputs after
initialization too; unless a start value of its own has been given (``start.NAME_filtered``). ẏ is a
state and ÿ an expression of states and input, so that a motion prescribed with y has its exact rate
and acceleration.

A part of `mbcore.model.interface.interface`, in a file of its own because only it has equations.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore.model import checks
from mbcore.model.checks.ranges import Range
from mbcore.model.errors import ModelError
from mbcore.model.interface.inputs import Inputs
from mbcore.model.interface.parameters import Parameters
from mbcore.model.interface.range_requirements import range_requirement
from mbcore.model.interface.requirements import Requirements
from mbcore.model.interface.states import States
from mbcore.model.units.units import Units, per_second
from mbcore.model.variables import Input, Number


@dataclass(frozen=True, eq=False)
class Filter:
    """An input that is followed by a filter, with symbols and expressions of the filter.

    Attributes
    ----------
    input : Input
        The input from outside.
    value, rate : SX
        States of the filter: the value that follows, and its rate, 1/s.
    acceleration : SX
        Rate of the rate, 1/s2.
    time_constant, damping : SX
        T, s, and D.
    """

    input: Input
    value: ca.SX
    rate: ca.SX
    acceleration: ca.SX
    time_constant: ca.SX
    damping: ca.SX


class Filters(dict[str, Filter]):
    """The filters, by the names of the inputs that they follow.

    Parameters
    ----------
    parameters, inputs, states, requirements
        Parts of the interface; a filter reads the second, and adds to the others.
    """

    def __init__(
        self, parameters: Parameters, inputs: Inputs, states: States, requirements: Requirements
    ) -> None:
        super().__init__()
        self._parameters, self._inputs = parameters, inputs
        self._states, self._requirements = states, requirements

    def add(
        self,
        name: str,
        time_constant: Number,
        *,
        damping: Number = 1.0,
        nominal: float = 1.0,
        states: str | None = None,
    ) -> ca.SX:
        """Let a filter follow an existing input, and return the filter's value.

        The filter itself, with its rates, is ``filters[name]``; it has a ``time_constant`` in s, a
        ``damping`` ratio (1: critical), and values of the size ``nominal`` in the input's unit. Its
        states are ``NAME_filtered`` and ``NAME_filtered_rate``; a number as time constant becomes
        the tunable parameter ``NAME_time_constant``. ``states`` stands for NAME there, which an
        element of an array needs: ``"road[1]"`` does not begin a name.

        Raises
        ------
        ModelError
            If there is no such input, it is followed already, a number is not finite and positive,
            or the name of a state is in use already.
        """
        if checks.text("input", name) not in self._inputs or name in self:
            why = "it is followed already" if name in self else "there is no such input"
            raise ModelError(f"filter of input {name}: {why}; add the input first, follow it once")
        source = self._inputs[name]
        self._refuse_impossible(name, time_constant, damping, nominal)
        own = name if states is None else checks.text("filter", states)
        T = self._time_constant(own, time_constant)
        value = self._states.add(
            f"{own}_filtered",
            start=source.symbol,
            unit=Units(source.unit, source.display_unit),
            nominal=nominal,
            description=f"follows {name}, and starts where that is at first",
        )
        rate = self._states.add(
            f"{own}_filtered_rate",
            unit=per_second(source.unit, name),
            nominal=nominal / self._number(T),
            description=f"rate of {own}_filtered",
        )
        D = ca.SX(damping)
        acceleration = (source.acting - value - 2 * D * T * rate) / T**2
        self._states.set_derivative(f"{own}_filtered", rate)
        self._states.set_derivative(f"{own}_filtered_rate", acceleration)
        for what, factor, unit in (("time_constant", T, "s"), ("damping", D, "")):
            range_ = Range(f"the filter of input {name}", what, above=0, unit=unit)
            required = range_requirement(f"{own}.{what}", range_, factor, self._parameters)
            if required is not None:
                self._requirements.add_record(required)
        self[name] = Filter(source, value, rate, acceleration, T, D)
        return value

    def _refuse_impossible(
        self, name: str, time_constant: Number, damping: Number, nominal: float
    ) -> None:
        given = {"time_constant": time_constant, "damping": damping, "nominal": nominal}
        for what, number in given.items():
            if isinstance(number, ca.SX):
                continue
            if not 0 < checks.scalar(f"input {name}: {what}", number) < np.inf:
                raise ModelError(f"input {name}: {what} = {number}; give a finite number > 0")

    def _time_constant(self, name: str, given: Number) -> ca.SX:
        if isinstance(given, ca.SX):
            return given
        return self._parameters.add(
            f"{name}_time_constant",
            given,
            unit="s",
            positive=True,
            description=f"time constant of the filter that follows {name}",
        )

    def _number(self, time_constant: ca.SX) -> float:
        """Return the value of a time constant with the parameters' own values, s."""
        try:
            function = ca.Function("T", [self._parameters.symbols], [time_constant])
            number = float(function(self._parameters.start_values))
        except RuntimeError:
            number = float("nan")
        if not (np.isfinite(number) and number > 0):
            raise ModelError(
                f"a filter's time constant {time_constant} must be a positive expression of "
                f"parameters, but is {number} at their own values; give a positive number or "
                "parameter"
            )
        return number
