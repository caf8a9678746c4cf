"""The named variables of a model, as plain records.

Model and Equations fill them, the FMU exporter and the results read them; none of them computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, Literal

import casadi as ca
import numpy as np

from mbcore.model.calls import explains_construction
from mbcore.model.limits import limited

Number = float | int | ca.SX
"""A quantity in a model: a number or an expression of the model's symbols."""

Value = float | str
"""A value as users give it: a number in the unit of the variable, a text with its own unit, the
name of an item, or a truth value."""

Values = Sequence[Any] | np.ndarray
"""Values of an array as users give them, row by row in two dimensions."""

Kind = Literal["real", "integer", "boolean"]
EventKind = Literal["switch", "knot", "impact", "closed_contact", "held_slip"]
"""A change of a law, a point of a table, an impact, or what is a constraint while it is active."""
Visibility = Literal["output", "local"]
Severity = Literal["error", "warning"]


@explains_construction
@dataclass(frozen=True)
class Item:
    """One item of an enumeration; values count from 1 in the order given.

    It has a ``name`` and a ``description``; one that is not ``available`` yet cannot be chosen.
    """

    name: str
    description: str = ""
    available: bool = True


@dataclass(frozen=True)
class Array:
    """Variables of one ``kind`` that are the elements of an array.

    Attributes
    ----------
    name : str
        Of the array.
    shape : tuple of int
        Of one or two dimensions.
    kind : str
        ``"parameter"``, ``"input"``, ``"state"`` or ``"output"``.
    description : str
        Description in one line.
    """

    name: str
    shape: tuple[int, ...]
    kind: str
    description: str = ""

    @cached_property
    def elements(self) -> tuple[str, ...]:
        """Names of the elements, row by row: ``name[1]``, or ``name[1,2]``."""
        places = product(*(range(1, size + 1) for size in self.shape))
        return tuple(f"{self.name}[{','.join(map(str, place))}]" for place in places)


@dataclass(frozen=True, eq=False)
class Parameter:
    """A constant of the model with a value, a unit and a range.

    ``tunable`` parameters may change at communication points, others only before initialization.
    ``positive`` excludes zero as well; ``items`` makes it an enumeration (value = item's number).
    One of the ``kind`` boolean is 0 or 1 in formulas.
    """

    name: str
    symbol: ca.SX = field(repr=False)
    value: float
    unit: str = "1"
    description: str = ""
    minimum: float | None = None
    maximum: float | None = None
    positive: bool = False
    tunable: bool = True
    display_unit: str | None = None
    items: tuple[Item, ...] = ()
    kind: Kind = "real"


@dataclass(frozen=True, eq=False)
class Input:
    """A value given from outside; ``rate`` is the input that holds its time derivative.

    For a value outside of its range the model takes the nearest end of the range. One that is not
    real changes in jumps alone; ``items`` makes it an enumeration.
    """

    name: str
    symbol: ca.SX = field(repr=False)
    start: float = 0.0
    unit: str = "1"
    description: str = ""
    rate: Input | None = None
    minimum: float | None = None
    maximum: float | None = None
    display_unit: str | None = None
    items: tuple[Item, ...] = ()
    kind: Kind = "real"

    @cached_property
    def acting(self) -> ca.SX:
        """The value in formulas: the symbol, kept in the range."""
        return limited(self.symbol, self.minimum, self.maximum)


def type_of(record: Any) -> str:
    """Return ``"enumeration"`` for a choice, else ``"real"``, ``"integer"`` or ``"boolean"``."""
    return "enumeration" if getattr(record, "items", ()) else str(getattr(record, "kind", "real"))


def shown_value(type: str, items: Sequence[Item], value: float) -> str:
    """Return a value as its type has it: an item's name, true or false, or a number."""
    if type == "enumeration":
        return items[int(value) - 1].name
    return ("true" if value else "false") if type == "boolean" else f"{value:.15g}"


@dataclass(frozen=True, eq=False)
class State:
    """A continuous state: rate or value of a degree of freedom, kinematic coordinate, auxiliary.

    ``start_input`` names the input at whose value it starts, if it does not start at ``start``.
    """

    name: str
    symbol: ca.SX = field(repr=False)
    start: float = 0.0
    unit: str = "1"
    description: str = ""
    nominal: float = 1.0
    visibility: Visibility = "local"
    display_unit: str | None = None
    start_input: str | None = None


@dataclass(frozen=True, eq=False)
class Discrete:
    """A value that changes only at events; ``nominal`` is its natural size, None if unknown."""

    name: str
    symbol: ca.SX = field(repr=False)
    start: float = 0.0
    unit: str = "1"
    description: str = ""
    kind: Kind = "real"
    visibility: Visibility = "output"
    display_unit: str | None = None
    nominal: float | None = None


@dataclass(frozen=True, eq=False)
class Event:
    """A state event: ``active`` (0 or 1) follows the sign of ``indicator``.

    When the indicator rises above ``band`` the event becomes active and the ``rising`` assignments
    (discrete variable's name to new value) are made; when it falls below ``-band`` it becomes
    inactive and the ``falling`` ones are made. An event of meeting changes states as well and never
    occurs at the start; one of a table's points ends a step and no more; while the event of a
    closed contact is active, states are projected onto its constraint. The event of a held slip
    changes states where it rises, and projects them likewise. ``expected`` names a discrete
    variable with the time, s, until the event probably occurs again, at which steps of the
    integration end; ``height`` names one with the largest distance from the event until then, in
    the indicator's unit. One that ``waits`` rises once all impacts of an instant are over, if its
    indicator is still positive then.
    """

    name: str
    active: ca.SX = field(repr=False)
    indicator: ca.SX = field(repr=False)
    band: float = 0.0
    rising: tuple[tuple[str, ca.SX], ...] = field(default=(), repr=False)
    falling: tuple[tuple[str, ca.SX], ...] = field(default=(), repr=False)
    kind: EventKind = "switch"
    expected: str | None = None
    height: str | None = None
    waits: bool = False

    @cached_property
    def foreseen(self) -> frozenset[str]:
        """Names of the discrete variables with what is expected, which other impacts set, too."""
        return frozenset(name for name in (self.expected, self.height) if name)

    @cached_property
    def shown_by(self) -> frozenset[str]:
        """Names of the discrete variables of which one changes where the event has happened.

        The mode of a meeting resets itself, so its own assignments show that parts have met. No
        variable shows a point of a table.
        """
        if self.kind == "knot":
            return frozenset()
        if self.kind == "impact":
            return frozenset(name for name, _ in self.rising) - self.foreseen
        return frozenset((f"{self.name}.active",))


@dataclass(frozen=True, eq=False)
class Output:
    """A calculated quantity; ``nominal`` is its natural size, None if unknown.

    With ``items`` its value is an item's number.
    """

    name: str
    expression: ca.SX = field(repr=False)
    unit: str = "1"
    description: str = ""
    kind: Kind = "real"
    visibility: Visibility = "output"
    display_unit: str | None = None
    nominal: float | None = None
    items: tuple[Item, ...] = ()


@dataclass(frozen=True, eq=False)
class Requirement:
    """A condition ``expression > 0`` that must hold, checked while running.

    ``initial`` ones concern parameters only and are checked when initialization ends, ``start``
    ones are checked once, at the first configuration. With the severity ``warning`` a message is
    issued at the first accepted point where the condition fails, and nothing else happens.
    ``followed`` vanishes where the condition fails; its zeros are located inside steps.
    """

    name: str
    expression: ca.SX = field(repr=False)
    message: str
    shown: ca.SX = field(repr=False)
    initial: bool = False
    start: bool = False
    severity: Severity = "error"
    followed: ca.SX | None = field(default=None, repr=False)
