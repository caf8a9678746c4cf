"""What a model shows to the outside: its named variables, as plain records.

Model and Equations fill them, the FMU exporter and the results read them; none of them computes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import casadi as ca

from mbcore.model.limits import limited

Number = float | int | ca.SX
"""A quantity in a model: a number or an expression of the model's symbols."""

Value = float | str
"""A value that is given: a number in the unit of the variable, or a text with its own unit."""

Kind = Literal["real", "integer", "boolean"]
EventKind = Literal["switch", "meeting", "closed", "holding"]
"""A change of a law, an impact, or a contact that is a constraint while it is active."""
Visibility = Literal["output", "local"]
Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Item:
    """One item of an enumeration; values count from 1 in the order given.

    It has a ``name`` and a ``description``; one that is not ``available`` yet cannot be chosen.
    """

    name: str
    description: str = ""
    available: bool = True


@dataclass(frozen=True, eq=False)
class Parameter:
    """A constant of the model with a value, a unit and a range.

    ``tunable`` parameters may change at communication points, others only before initialization.
    ``positive`` excludes zero as well; ``items`` makes it an enumeration (value = item's number).
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


@dataclass(frozen=True, eq=False)
class Input:
    """A value given from outside; ``rate`` is the input that holds its time derivative.

    The model takes the nearest value of its range for one that is outside.
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

    @cached_property
    def acting(self) -> ca.SX:
        """What formulas take: the symbol, kept in the range."""
        return limited(self.symbol, self.minimum, self.maximum)


@dataclass(frozen=True, eq=False)
class State:
    """A continuous state: rate or value of a degree of freedom, kinematic coordinate, auxiliary.

    ``start_input`` names the input at whose value it starts, where that is not ``start``.
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
    """A value that changes only at events; ``nominal`` is its natural size, None if not known."""

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
    inactive and the ``falling`` ones are made. An event of meeting changes states as well
    and never occurs at the start; while one of a closed contact is active, states are kept on its
    constraint. One of a held slip changes states where it rises, and keeps them likewise.
    ``expected`` names a discrete variable with the time, s, until it probably occurs again, which
    steps of the integration end at.
    """

    name: str
    active: ca.SX = field(repr=False)
    indicator: ca.SX = field(repr=False)
    band: float = 0.0
    rising: tuple[tuple[str, ca.SX], ...] = field(default=(), repr=False)
    falling: tuple[tuple[str, ca.SX], ...] = field(default=(), repr=False)
    kind: EventKind = "switch"
    expected: str | None = None


@dataclass(frozen=True, eq=False)
class Output:
    """A calculated quantity shown outside; ``nominal`` is its natural size, None if not known."""

    name: str
    expression: ca.SX = field(repr=False)
    unit: str = "1"
    description: str = ""
    kind: Kind = "real"
    visibility: Visibility = "output"
    display_unit: str | None = None
    nominal: float | None = None


@dataclass(frozen=True, eq=False)
class Requirement:
    """A condition ``expression > 0`` that a user's values must meet, checked while running.

    ``initial`` ones concern parameters only and are checked when initialization ends, ``start``
    ones are checked once, at the first configuration. Of those with the severity ``warning`` the
    lack is told once, at the first accepted point where they fail, and nothing else happens.
    ``followed`` vanishes where the condition fails, and is watched inside steps.
    """

    name: str
    expression: ca.SX = field(repr=False)
    message: str
    shown: ca.SX = field(repr=False)
    initial: bool = False
    start: bool = False
    severity: Severity = "error"
    followed: ca.SX | None = field(default=None, repr=False)
