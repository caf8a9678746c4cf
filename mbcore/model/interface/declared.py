"""Checks of the records of named variables: units, ranges, kinds, and names that clash."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping
from typing import Any, get_args

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.units import units
from mbcore.model.variables import Kind, State, Value, Visibility
from mbcore.model.wording import article


def named(
    kind: str,
    name: str,
    taken: Container[str],
    unit: str = "1",
    display_unit: str | None = None,
) -> None:
    """Refuse an empty or repeated name, and units that no variable may have.

    Raises
    ------
    ModelError
        If the name is empty or in ``taken``, or a unit is unknown or no SI unit.
    """
    if checks.text(kind, name) in taken:
        raise ModelError(f"{kind} {name!r} exists already; names must differ")
    units.refuse_foreign(unit, display_unit, f"{kind} {name}")


def end_of_range(name: str, what: str, end: Value | None, unit: str) -> float | None:
    """Return an end of a range; a text with a unit is converted to the variable's unit."""
    if end is None:
        return None
    return checks.scalar(f"{name}: {what}", end, unit)


def check_declared(kind: str, record: Any) -> None:
    """Refuse a record whose visibility, kind, description or range is impossible.

    Parameters
    ----------
    kind : str
        Its name in messages: ``"output"``.
    record : Parameter, Input, State, Discrete or Output
        As made by ``Model``.

    Raises
    ------
    ModelError
        Naming the record, the field and its value, and what to give.
    """
    owner = f"{kind} {record.name}"
    if hasattr(record, "visibility"):
        checks.choice(owner, "visibility", record.visibility, get_args(Visibility))
    if hasattr(record, "kind"):
        checks.choice(owner, "kind", record.kind, get_args(Kind))
    if not isinstance(record.description, str):
        raise ModelError(f"{owner}: description = {record.description!r}; give a text")
    if hasattr(record, "minimum"):
        _check_range(owner, record)


def _check_range(owner: str, record: Any) -> None:
    ends = []
    for what, end in (("minimum", record.minimum), ("maximum", record.maximum)):
        if end is not None and math.isnan(checks.scalar(f"{owner}: {what}", end)):
            raise ModelError(f"{owner}: {what} = nan; give a number, or leave it out")
        ends.append(end)
    low, high = ends
    if low is not None and high is not None and low > high:
        raise ModelError(
            f"{owner}: its minimum {low:g} is greater than its maximum {high:g}; exchange them"
        )
    start = getattr(record, "start", None)
    if start is None:
        return
    if (low is not None and start < low) or (high is not None and start > high):
        low, high = -math.inf if low is None else low, math.inf if high is None else high
        raise ModelError(
            f"{owner}: it starts at {start:g}, outside of its range from {low:g} to {high:g}; "
            "give a start value within, or another range"
        )


def check_states(states: Iterable[State]) -> None:
    """Refuse states whose start is not finite or whose nominal value is not positive.

    Raises
    ------
    ModelError
        Naming the state and the value.
    """
    for state in states:
        if not math.isfinite(state.start):
            raise ModelError(
                f"start value {state.name} = {state.start} is not a finite number; give start=..."
            )
        if not (math.isfinite(state.nominal) and state.nominal > 0):
            raise ModelError(
                f"state {state.name!r}: its nominal value {state.nominal} must be finite and "
                "greater than 0; give its natural size, as in nominal=0.1"
            )


def refuse_clashes(model: str, kinds: Mapping[str, Iterable[str]]) -> None:
    """Refuse names that two variables share: a result by that name could be only one of them.

    Parameters
    ----------
    kinds : mapping of str to iterable of str
        Names by what messages call their kind.

    Raises
    ------
    ModelError
        Naming both kinds, and how to rename.
    """
    taken: dict[str, str] = {}
    for kind, names in kinds.items():
        for name in names:
            if name not in taken:
                taken[name] = kind
                continue
            if taken[name] == kind == "state":
                raise ModelError(
                    f"model {model}: states need different names, repeated: {name}; name them "
                    "where their roles are given, as in dof('angle', 'rate')"
                )
            raise ModelError(
                f"model {model}: {kind} {name!r} has the name of "
                f"{article(taken[name])}, so that results could show only one of them; rename one "
                "of them (a state where its role is given, as in dof('angle', 'rate'))"
            )
