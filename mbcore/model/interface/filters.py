"""Inputs whose rates follow from a second-order filter, for motions that need them exactly.

With the time constant T and the damping D, the value y follows the input u by

    T² ÿ + 2 D T ẏ + y = u.

It starts at the input's value with the rate zero. In an FMU that is the value which the input has
when the first step begins, or Continuous-Time Mode is entered, because tools set inputs after
initialization too; unless a start value of its own has been given (``start.NAME_filtered``). ẏ is a
state and ÿ an expression of states and input, so that a motion prescribed with y has its exact rate
and acceleration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import casadi as ca
import numpy as np

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.interface.range_requirements import range_requirement
from mbcore.model.ranges import Range
from mbcore.model.units.units import Units, per_second
from mbcore.model.variables import Input, Number, Parameter, Requirement, Value


@dataclass(frozen=True, eq=False)
class Filter:
    """An input that is followed by a filter, with symbols and expressions of the filter.

    Attributes
    ----------
    input : Input
        What is given from outside.
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


class Variables(Protocol):
    """What a filter needs of a model: `mbcore.model.interface.interface.Interface` has it."""

    parameters: dict[str, Parameter]
    filters: dict[str, Filter]

    def parameter(
        self, name: str, value: float, *, unit: str, positive: bool, description: str
    ) -> ca.SX:
        """Add a parameter."""

    def state(
        self,
        name: str,
        *,
        start: Value | ca.SX = 0.0,
        unit: str | Units,
        nominal: float,
        description: str,
    ) -> ca.SX:
        """Add an auxiliary state."""

    def derivative(self, name: str, expression: Number) -> None:
        """Say what it changes with."""

    def add_requirement(self, record: Requirement) -> None:
        """Add a condition that values must meet."""


def add_filter(
    model: Variables, source: Input, time_constant: Number, damping: Number, nominal: float
) -> Filter:
    """Add the states ``NAME_filtered`` and ``NAME_filtered_rate`` that follow an input.

    A number as time constant becomes the tunable parameter ``NAME_time_constant``.

    Raises
    ------
    ModelError
        If a number is not finite and positive, or a name is in use already.
    """
    name = source.name
    given = {"time_constant": time_constant, "damping": damping, "nominal": nominal}
    for what, number in given.items():
        if isinstance(number, ca.SX):
            continue
        if not 0 < checks.scalar(f"input {name}: {what}", number) < np.inf:
            raise ModelError(f"input {name}: {what} = {number}; give a finite number > 0")
    if isinstance(time_constant, ca.SX):
        T = time_constant
    else:
        T = model.parameter(
            f"{name}_time_constant",
            time_constant,
            unit="s",
            positive=True,
            description=f"time constant of the filter that follows {name}",
        )
    value = model.state(
        f"{name}_filtered",
        start=source.symbol,
        unit=Units(source.unit, source.display_unit),
        nominal=nominal,
        description=f"follows {name}, and starts where that is at first",
    )
    rate = model.state(
        f"{name}_filtered_rate",
        unit=per_second(source.unit, name),
        nominal=nominal / _number(model, T),
        description=f"rate of {name}_filtered",
    )
    D = ca.SX(damping)
    acceleration = (source.acting - value - 2 * D * T * rate) / T**2
    model.derivative(f"{name}_filtered", rate)
    model.derivative(f"{name}_filtered_rate", acceleration)
    for what, factor, unit in (("time_constant", T, "s"), ("damping", D, "")):
        range_ = Range(f"the filter of input {name}", what, above=0, unit=unit)
        required = range_requirement(f"{name}.{what}", range_, factor, model.parameters)
        if required is not None:
            model.add_requirement(required)
    made = Filter(source, value, rate, acceleration, T, D)
    model.filters[name] = made
    return made


def _number(model: Variables, time_constant: ca.SX) -> float:
    """Return the value of a time constant with the parameters' own values, s."""
    symbols = ca.vertcat(*(p.symbol for p in model.parameters.values()))
    values = [p.value for p in model.parameters.values()]
    try:
        number = float(ca.Function("T", [symbols], [time_constant])(values))
    except RuntimeError:
        number = float("nan")
    if not (np.isfinite(number) and number > 0):
        raise ModelError(
            f"a filter's time constant {time_constant} is no positive expression of parameters "
            f"with their own values ({number}); give a positive number or parameter"
        )
    return number
