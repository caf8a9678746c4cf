"""The records in the table of a model's variables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Literal

from mbcore.model.variables import Item, Visibility

RowKind = Literal[
    "time",
    "parameter",
    "constant",
    "input",
    "state",
    "derivative",
    "discrete",
    "output",
    "indicator",
    "sensitivity",
]
RowType = Literal["real", "integer", "boolean", "enumeration"]
SOLVER_NAMES = ("solver.method", "solver.tolerance", "solver.step", "solver.most_evaluations")
"""Parameters of an FMU's own integrator, the last ones of all parameters."""
SOLVER_PARAMETERS = len(SOLVER_NAMES)


@dataclass(frozen=True)
class Alias:
    """Another name of a row's variable."""

    name: str
    visibility: Visibility
    description: str = ""
    display_unit: str | None = None


@dataclass(frozen=True)
class Row:
    """One variable; ``start`` is None where the value is calculated.

    A state with ``start_input`` starts at the value of that input. A row with ``stands_for`` has
    the value of that variable as another type, or sets it instead; ``stepwise`` outputs change at
    events only, and a state that is ``reset`` may jump there. Where an FMU starts at another value
    than its model, that is the author's value and ``shift``. A constant is a parameter that the
    export fixes: it has its start value for ever.
    """

    reference: int
    name: str
    kind: RowKind
    index: int
    type: RowType = "real"
    unit: str = "1"
    description: str = ""
    start: float | None = None
    nominal: float = 1.0
    minimum: float | None = None
    maximum: float | None = None
    positive: bool = False
    tunable: bool = False
    visibility: Visibility = "local"
    display_unit: str | None = None
    items: tuple[Item, ...] = ()
    start_input: str | None = None
    stands_for: str | None = None
    stepwise: bool = False
    reset: bool = False
    shift: float = 0.0
    aliases: tuple[Alias, ...] = ()

    @property
    def has_limits(self) -> bool:
        """Whether its range has an end."""
        return self.minimum is not None or self.maximum is not None


@dataclass(frozen=True)
class Choice:
    """A value that two variables decide: slot ``first`` of p unless that is ``idle``.

    Then slot ``second`` decides. A value that is set at the variable itself goes to ``own``, one
    of both.
    """

    row: Row
    own: int
    first: int
    idle: float
    second: int


@dataclass(frozen=True)
class ArrayRow:
    """Rows one behind another that FMI 3.0 has as one array, with a value reference of its own.

    Attributes
    ----------
    reference : int
        Behind those of all rows.
    name, description : str
        Of the array.
    shape : tuple of int
        Its dimensions.
    first : int
        Value reference of the first element.
    """

    reference: int
    name: str
    shape: tuple[int, ...]
    first: int
    description: str = ""

    @property
    def elements(self) -> range:
        """Value references of the elements."""
        return range(self.first, self.first + prod(self.shape))


@dataclass(frozen=True)
class Table:
    """The rows in the order of their value references, and the choices between variables."""

    rows: tuple[Row, ...]
    parameters: int = 0
    """Number of slots in p; the last are the solver's."""
    choices: tuple[Choice, ...] = ()
    varied: tuple[int, ...] = ()
    """Places in (s, t, u, p) of that by which states have sensitivities."""
    arrays: tuple[ArrayRow, ...] = ()

    def of(self, *kinds: RowKind) -> tuple[Row, ...]:
        """Return the rows of the given kinds, in the table's order."""
        if len(kinds) == 1:
            return self._by_kind.get(kinds[0], ())
        return tuple(row for row in self.rows if row.kind in kinds)

    @cached_property
    def _by_kind(self) -> dict[str, tuple[Row, ...]]:
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.kind, []).append(row)
        return {kind: tuple(rows) for kind, rows in found.items()}

    @cached_property
    def _by_name(self) -> dict[str, Row]:
        return {row.name: row for row in reversed(self.rows)}

    def named(self, name: str) -> Row:
        """Return the row of that name.

        Raises
        ------
        KeyError
            No variable is called so.
        """
        if name not in self._by_name:
            raise KeyError(f"no variable is called {name!r}")
        return self._by_name[name]
