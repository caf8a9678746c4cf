"""The parameter or input over which solutions are continued."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.interface.values import checked_values
from mbcore.model.variables import type_of
from mbcore.model.wording import article

DIFFERENCE = 1e-3
"""Part of the range over which derivatives by the parameter are differenced, by fourth order."""


@dataclass(frozen=True)
class Varied:
    """One parameter or input.

    Attributes
    ----------
    name, unit : str
    place : int
        Among the parameters, or the inputs.
    is_input : bool
    """

    name: str
    unit: str
    place: int
    is_input: bool

    def set(self, point: Evaluation, value: float) -> None:
        """Give it a value at a point."""
        (point.u if self.is_input else point.p)[self.place] = value

    def among(
        self, value: float, parameters: Mapping[str, float], inputs: Mapping[str, Any]
    ) -> tuple[dict[str, float], dict[str, Any]]:
        """Return parameters and inputs with the value among them."""
        own = {self.name: value}
        if self.is_input:
            return dict(parameters), {**inputs, **own}
        return {**parameters, **own}, dict(inputs)


@dataclass(frozen=True)
class ParameterRange:
    """The varied quantity of a branch, and its range.

    Attributes
    ----------
    name : str
        A parameter, an input, or a condition.
    first, last : float
        Its value at the first solution, and the one to go to.
    low, high : float
        Ends of the range that it may not leave.
    """

    name: str
    first: float
    last: float
    low: float
    high: float

    @property
    def span(self) -> float:
        """Distance from the first value to the last."""
        return abs(self.last - self.first)

    @property
    def towards(self) -> float:
        """Sign of the change from the first value to the last."""
        return float(np.sign(self.last - self.first))


def parameter_range(name: str, between: object, within: object) -> ParameterRange:
    """Return the range of a parameter from its first and last values, and wider ends if given.

    Raises
    ------
    ModelError
        If a range is not a pair of numbers, or the wider one does not hold the other.
    """
    first, last = checked_range(f"continuation over {name}", between)
    low, high = min(first, last), max(first, last)
    if within is None:
        return ParameterRange(name, first, last, low, high)
    least, most = sorted(checked_range(f"continuation over {name}: within", within))
    if not least <= low < high <= most:
        raise ModelError(
            f"continuation over {name}: within = {within} does not hold the range from "
            f"{first:g} to {last:g}; give a larger range, or leave it out"
        )
    return ParameterRange(name, first, last, least, most)


def varied(
    equations: Equations,
    name: object,
    ends: tuple[float, float],
    parameters: Mapping[str, float],
    inputs: Mapping[str, Any],
) -> Varied:
    """Return a parameter or input by name, with a range that it may have.

    Raises
    ------
    ModelError
        If the name is unknown, its value is given too, or an end of the range is refused.
    """
    known = {r.name: i for i, r in enumerate(equations.parameters)}
    signals = {r.name: i for i, r in enumerate(equations.inputs)}
    if not isinstance(name, str) or name not in (*known, *signals):
        raise ModelError(
            f"continuation, model {equations.name!r}: {name!r} is neither a parameter nor an "
            f"input; there is {', '.join((*known, *signals)) or 'none at all'}"
        )
    if name in parameters or name in inputs:
        raise ModelError(
            f"continuation over {name}: its value is given among the parameters or inputs, too; "
            "leave it out there"
        )
    is_input = name not in known
    record = equations.inputs[signals[name]] if is_input else equations.parameters[known[name]]
    if type_of(record) != "real":
        raise ModelError(
            f"continuation over {name}: it is {article(type_of(record))}, not a number that varies"
        )
    for end in ends:
        if is_input:
            checked_values("input", equations.inputs, {name: end})
        else:
            checked_values("parameter", equations.parameters, {name: end})
    place = signals[name] if is_input else known[name]
    return Varied(name, record.unit, place, is_input)


def checked_range(what: str, given: object) -> tuple[float, float]:
    """Return both ends of a range, finite and different.

    Raises
    ------
    ModelError
        Naming what it is the range of.
    """
    if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != 2:
        raise ModelError(f"{what}: its range is {given!r}; give two values, (from, to)")
    first, last = (checks.real(what, f"range[{i}]", given[i]) for i in range(2))  # type: ignore[index]
    if first == last:
        raise ModelError(f"{what}: its range {first:g} to {last:g} has no length")
    return first, last


def differenced(function: Callable[[float], np.ndarray], value: float, span: float) -> np.ndarray:
    """Return the derivative of a function of the value, by central differences of fourth order."""
    h = DIFFERENCE * span
    first = function(value + h) - function(value - h)
    second = function(value + 2 * h) - function(value - 2 * h)
    return (8 * first - second) / (12 * h)
