"""Base of the tasks about equations, whose swept names are parameters, inputs or states."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mbcore.equations.equations import Equations
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.interface.values import checked_values, with_value
from mbcore.model.variables import Value
from mbcore.sweeps.points import Point
from mbcore.sweeps.source import Source

NEAR = 3
"""Largest number of names proposed for an unknown one."""


@dataclass(frozen=True)
class Given:
    """Values of one point, sorted into parameters, inputs and states."""

    states: dict[str, Any]
    parameters: dict[str, Any]
    inputs: dict[str, Any]


class ModelTask(ABC):
    """A task about equations that every worker makes or inherits once.

    Parameters
    ----------
    source : Source
        Of the equations.
    states, parameters, inputs : mapping of str to float or str
        Values that hold at all points; texts with their units.
    """

    def __init__(
        self,
        source: Source,
        states: Mapping[str, Value] | None,
        parameters: Mapping[str, Value] | None,
        inputs: Mapping[str, Any] | None,
    ) -> None:
        self.source = source
        self.states = by_name("states", states)
        self.parameters = by_name("parameters", parameters)
        self.inputs = by_name("inputs", inputs)
        self._kinds: dict[str, str] = {}

    @property
    def equations(self) -> Equations:
        """The equations in this process."""
        return self.source.equations()

    @property
    def title(self) -> str:
        """The task in one line; part of the identity of a sweep."""
        settings = [f"{name} = {_as_text(value)}" for name, value in self.settings.items()]
        return f"{type(self).__name__} of {self.source.title}, {', '.join(settings)}"

    @property
    def settings(self) -> dict[str, Any]:
        """All settings but the equations, by name."""
        return {
            name: value
            for name, value in vars(self).items()
            if name not in ("source", "_kinds") and not _is_none(value)
        }

    @property
    def foreign(self) -> bool:
        """Whether functions of the user's are called at its points, which may end the process."""
        settings = self.settings.values()
        values = [v for s in settings for v in (s.values() if isinstance(s, Mapping) else [s])]
        return any(callable(value) for value in values)

    @abstractmethod
    def __call__(self, point: Point) -> Any:
        """Return the results at a point."""

    @abstractmethod
    def prepare(self, points: int) -> None:
        """Make what so many points share, so that forked processes inherit it."""

    def units(self) -> dict[str, str]:
        """Return the units of all names that may be swept."""
        equations = self.equations
        return {
            r.name: r.unit
            for records in (equations.parameters, equations.inputs, equations.states)
            for r in records
        }

    def in_units(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return swept values as numbers: texts with units and names of items are converted.

        Raises
        ------
        ModelError
            If a unit or an item does not fit.
        """
        return {
            name: [self._number(name, value) if isinstance(value, str) else value for value in row]
            if isinstance(row, list | tuple)
            else row
            for name, row in parameters.items()
        }

    def _number(self, name: str, text: str) -> float:
        equations = self.equations
        for parameter in (r for r in equations.parameters if r.name == name):
            return float(checked_values("parameter", [parameter], {name: text})[0])
        for known in (r for r in equations.inputs if r.name == name):
            return float(checked_values("input", [known], {name: text})[0])
        return checks.scalar(f"sweep: {name}", text, self.units()[name])

    def refuse_unknown(self, names: Iterable[str]) -> None:
        """Refuse names that cannot be swept.

        Raises
        ------
        ModelError
            If a name is unknown, with names that are near; or if the task gives it a value.
        """
        kinds = self._all_kinds()
        fixed = {**self.states, **self.parameters, **self.inputs}
        for name in names:
            if name not in kinds:
                near = difflib.get_close_matches(str(name), kinds, NEAR, 0.5)
                near = near or [n for n in kinds if str(name) in n][:NEAR]
                remedy = f"did you mean {', '.join(near)}?" if near else f"there is {_list(kinds)}"
                raise ModelError(
                    f"sweep: {self.equations.name} has no parameter, input or state {name!r}; "
                    f"{remedy}"
                )
            if name in fixed:
                raise ModelError(
                    f"sweep: {name} is swept, but the task gives it the value {fixed[name]}; leave "
                    "one of them out"
                )

    def given(self, point: Point) -> Given:
        """Return all values of a point, those of the task included."""
        kinds = self._kinds = self._kinds or self._all_kinds()
        found = Given(dict(self.states), dict(self.parameters), dict(self.inputs))
        for name, value in point.items():
            if name not in kinds:
                self.refuse_unknown([name])
            own = getattr(found, kinds[name])
            own.update(with_value(own, name, value))
        return found

    def _all_kinds(self) -> dict[str, str]:
        equations = self.equations
        return {
            **{r.name: "states" for r in equations.states},
            **{r.name: "inputs" for r in equations.inputs},
            **{r.name: "parameters" for r in equations.parameters},
        }


def by_name(what: str, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return values by name; what they are is checked where they are used.

    Raises
    ------
    ModelError
        If they are not given by name.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise ModelError(f"{what} = {given!r}; give values by name, as in {{'x': 0.1}}")
    return dict(given)


def _list(names: Iterable[str]) -> str:
    shown = list(names)
    more = f" and {len(shown) - 12} more" if len(shown) > 12 else ""
    return ", ".join(shown[:12]) + more


def _is_none(value: object) -> bool:
    return value is None or (isinstance(value, Mapping | tuple) and not value)


def _as_text(value: object) -> str:
    """Return a setting as a text that is the same in every process."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{k}: {_as_text(v)}' for k, v in value.items())}}}"
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
    return repr(value)
