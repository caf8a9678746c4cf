"""Ranges of what an agent observes and does, and of what each reset draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.gym.fmu_model import FmuModel, FmuVariable
from mbcore.model import checks, near_names
from mbcore.model.errors import ModelError
from mbcore.model.variables import Parameter, State, Value

OWNER = "Task"
Range = tuple[Value, Value]
"""A least and a largest value."""
_KINDS = {"start": "state", "parameters": "parameter"}


@dataclass(frozen=True)
class Draws:
    """Start values and parameters of runs.

    Attributes
    ----------
    fixed : mapping of {"start", "parameters"} to mapping of str to value
        What is the same in each run.
    ranges : mapping of {"start", "parameters"} to mapping of str to (float, float)
        What is drawn.
    """

    fixed: dict[str, dict[str, Any]]
    ranges: dict[str, dict[str, tuple[float, float]]]

    def draw(self, random: np.random.Generator) -> dict[str, dict[str, Any]]:
        """Return values of a run, of the names in their order."""
        found = {kind: dict(values) for kind, values in self.fixed.items()}
        for kind, ranges in self.ranges.items():
            for name, (low, high) in ranges.items():
                found[kind][name] = float(low + (high - low) * random.random())
        return found


def bounds_of(
    what: str, given: Sequence[str] | Mapping[str, Range], records: Mapping[str, Any]
) -> dict[str, tuple[float, float]]:
    """Return least and largest values by name, those of the model where none are given.

    Raises
    ------
    ModelError
        If a name is unknown, or a range is missing, empty or not finite.
    """
    found = {}
    for name in checks.names(OWNER, what, [*given]):
        if name not in records:
            raise ModelError(f"{OWNER}: {what}: {near_names.unknown('column', name, records)}")
        record = records[name]
        if isinstance(given, Mapping):
            found[name] = range_of(f"{what}: {name}", given[name], record.unit)
            continue
        low, high = getattr(record, "minimum", None), getattr(record, "maximum", None)
        if low is None or high is None:
            raise ModelError(
                f"{OWNER}: {what}: the model has no range of {name}; give one, in {record.unit}: "
                f"{{{name!r}: (-1.0, 1.0)}}"
            )
        found[name] = low, high
    if not found:
        raise ModelError(f"{OWNER}: {what} is empty; name a column")
    return found


def range_of(what: str, given: Any, unit: str) -> tuple[float, float]:
    """Return a least and a largest value.

    Raises
    ------
    ModelError
        If they are not two finite numbers, the first the smaller.
    """
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
        raise ModelError(f"{OWNER}: {what} = {given!r}; give a least and a largest value, (-1, 1)")
    low, high = (checks.real(OWNER, what, value, unit=unit) for value in given)
    if not -np.inf < low < high < np.inf:
        raise ModelError(
            f"{OWNER}: {what} = {given!r}; give two finite numbers, the first one the smaller"
        )
    return float(low), float(high)


def draws_of(
    equations: Equations | FmuModel, start: Mapping[str, Any], parameters: Mapping[str, Any]
) -> Draws:
    """Return values and ranges of states and parameters.

    Raises
    ------
    ModelError
        If a name is unknown, a range is empty, or one of a parameter goes beyond the model's.
    """
    draws = Draws({}, {})
    for kind, given in (("start", start), ("parameters", parameters)):
        records: dict[str, State | Parameter | FmuVariable]
        listed = equations.states if kind == "start" else equations.parameters
        records = {record.name: record for record in listed}
        draws.fixed[kind], draws.ranges[kind] = {}, {}
        for name, value in given.items():
            if name not in records:
                raise ModelError(f"{OWNER}: {near_names.unknown(_KINDS[kind], name, records)}")
            record = records[name]
            if isinstance(value, tuple | list):
                if getattr(record, "whole", False):
                    raise ModelError(
                        f"{OWNER}: {kind}: {name} is a whole number and cannot be drawn; give one"
                    )
                found = range_of(f"{kind}: {name}", value, record.unit)
                if kind == "parameters":
                    _refuse_beyond(record, found)
                draws.ranges[kind][name] = found
            else:
                draws.fixed[kind][name] = value
    return draws


def _refuse_beyond(record: Any, found: tuple[float, float]) -> None:
    least = 0.0 if record.positive and record.minimum is None else record.minimum
    below = least is not None and found[0] < least
    if below or (record.maximum is not None and found[1] > record.maximum):
        raise ModelError(
            f"{OWNER}: parameters: {record.name} from {found[0]:g} to {found[1]:g} is beyond the "
            f"model's range, {least} to {record.maximum}"
        )
