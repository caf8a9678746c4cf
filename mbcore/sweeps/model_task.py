"""What tasks about equations share: swept names are parameters, inputs or states."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mbcore.equations.equations import Equations
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.sweeps.points import Point
from mbcore.sweeps.source import Source

NEAR = 3
"""Names at most that are proposed for an unknown one."""


@dataclass(frozen=True)
class Given:
    """Values of one point by what they are."""

    states: dict[str, float]
    parameters: dict[str, float]
    inputs: dict[str, float]


class ModelTask(ABC):
    """A task about equations that every worker makes or inherits once.

    Parameters
    ----------
    source : Source
        Of the equations.
    states, parameters, inputs : mapping of str to float
        Values that hold at all points.
    """

    def __init__(
        self,
        source: Source,
        states: Mapping[str, float] | None,
        parameters: Mapping[str, float] | None,
        inputs: Mapping[str, Any] | None,
    ) -> None:
        self.source = source
        self.states = checks.values("state", states)
        self.parameters = checks.values("parameter", parameters)
        self.inputs = dict(inputs or {})
        self._kinds: dict[str, str] = {}

    @property
    def equations(self) -> Equations:
        """The equations in this process."""
        return self.source.equations()

    @property
    def title(self) -> str:
        """What is done with what, in one line; tells whether two sweeps do the same."""
        settings = [
            f"{name} = {_shown(value)}"
            for name, value in vars(self).items()
            if name not in ("source", "_kinds") and not _is_none(value)
        ]
        return f"{type(self).__name__} of {self.source.title}, {', '.join(settings)}"

    @abstractmethod
    def __call__(self, point: Point) -> Any:
        """Return what is found at a point."""

    @abstractmethod
    def prepare(self) -> None:
        """Make what all points need, so that processes which are forked inherit it."""

    def units(self) -> dict[str, str]:
        """Return the units of all names that may be swept."""
        q = self.equations
        return {r.name: r.unit for records in (q.parameters, q.inputs, q.states) for r in records}

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
                near = difflib.get_close_matches(name, kinds, NEAR, 0.5)
                near = near or [n for n in kinds if name in n][:NEAR]
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
        """Return all values of a point, with those that hold everywhere."""
        kinds = self._kinds = self._kinds or self._all_kinds()
        found = Given(dict(self.states), dict(self.parameters), dict(self.inputs))
        for name, value in point.items():
            if name not in kinds:
                self.refuse_unknown([name])
            getattr(found, kinds[name])[name] = value
        return found

    def _all_kinds(self) -> dict[str, str]:
        q = self.equations
        return {
            **{r.name: "states" for r in q.states},
            **{r.name: "inputs" for r in q.inputs},
            **{r.name: "parameters" for r in q.parameters},
        }


def _list(names: Iterable[str]) -> str:
    shown = list(names)
    more = f" and {len(shown) - 12} more" if len(shown) > 12 else ""
    return ", ".join(shown[:12]) + more


def _is_none(value: object) -> bool:
    return value is None or (isinstance(value, Mapping | tuple) and not value)


def _shown(value: object) -> str:
    """Return a setting in words that are the same in every process."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{k}: {_shown(v)}' for k, v in value.items())}}}"
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
    return repr(value)
