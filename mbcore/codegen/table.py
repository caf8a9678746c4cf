"""The one table of a model's variables that C source, model descriptions and documents share.

The position of a row is its value reference, in FMI 2.0 and 3.0 alike; row 0 is time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import casadi as ca

from mbcore.equations.equations import Equations
from mbcore.model.errors import ModelError
from mbcore.model.units import per_second
from mbcore.model.variables import (
    Discrete,
    Event,
    Input,
    Item,
    Output,
    Parameter,
    State,
    Visibility,
)

RowKind = Literal[
    "time", "parameter", "input", "state", "derivative", "discrete", "output", "indicator"
]
RowType = Literal["real", "integer", "boolean", "enumeration"]

SOLVER_METHODS = (
    Item("runge_kutta", "explicit Runge-Kutta method of order 5 with adaptive steps"),
    Item("rosenbrock", "Rosenbrock method for stiff systems, with the exact Jacobian"),
    Item("fixed_step", "equal steps of at most solver.step, for real-time targets"),
)
DEFAULT_TOLERANCE = 1e-6

_NAME = re.compile(r"[A-Za-z_]\w*(\[\d+(,\d+)*\])?(\.[A-Za-z_]\w*(\[\d+(,\d+)*\])?)*", re.ASCII)


@dataclass(frozen=True)
class Row:
    """One variable; ``start`` is None where the value is calculated.

    A state with ``start_input`` starts at the value of that input.
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


@dataclass(frozen=True)
class Table:
    """The rows in order of their value references."""

    rows: tuple[Row, ...]

    def of(self, *kinds: RowKind) -> tuple[Row, ...]:
        """Return the rows of the given kinds, in the table's order."""
        return tuple(row for row in self.rows if row.kind in kinds)

    def named(self, name: str) -> Row:
        """Return the row of that name.

        Raises
        ------
        KeyError
            No variable is called so.
        """
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(f"no variable is called {name!r}")


def table(equations: Equations, step: float) -> Table:
    """Build the table of a model; ``step`` is the start value of ``solver.step`` in seconds.

    Raises
    ------
    ModelError
        A name is not structured or not unique, a unit is unknown, a nominal is not positive.
    """
    records = [
        dict(name="time", kind="time", index=0, unit="s", description="independent variable"),
        *_parameters(equations, step),
        *(_real(v, "input", i) | _range(v) for i, v in enumerate(equations.inputs)),
        *(
            _real(v, "state", i)
            | dict(nominal=v.nominal, visibility=v.visibility, start_input=v.start_input)
            for i, v in enumerate(equations.states)
        ),
        *(_derivative(v, i) for i, v in enumerate(equations.states)),
        *(_calculated(v, "discrete", i) for i, v in enumerate(equations.discretes)),
        *(_calculated(v, "output", i) for i, v in enumerate(equations.outputs)),
        *(_indicator(v, i) for i, v in enumerate(equations.events)),
    ]
    rows = tuple(Row(reference=i, **record) for i, record in enumerate(records))
    _check(rows)
    return Table(rows)


def _real(variable: Any, kind: RowKind, index: int) -> dict[str, Any]:
    return dict(
        name=variable.name,
        kind=kind,
        index=index,
        unit=variable.unit,
        description=variable.description,
        start=float(variable.start),
        display_unit=variable.display_unit,
    )


def _range(variable: Parameter | Input) -> dict[str, Any]:
    return dict(minimum=variable.minimum, maximum=variable.maximum)


def _parameters(equations: Equations, step: float) -> list[dict[str, Any]]:
    unused = ca.SX()
    solver = (
        Parameter(
            "solver.method",
            unused,
            1.0,
            description="integration method in Co-Simulation",
            minimum=1.0,
            maximum=float(len(SOLVER_METHODS)),
            tunable=False,
            items=SOLVER_METHODS,
        ),
        Parameter(
            "solver.tolerance",
            unused,
            DEFAULT_TOLERANCE,
            description="relative tolerance in Co-Simulation where the importer passes none",
            positive=True,
            tunable=False,
        ),
        Parameter(
            "solver.step",
            unused,
            step,
            unit="s",
            description="largest step of the fixed_step method",
            positive=True,
            tunable=False,
        ),
    )
    return [
        dict(
            name=p.name,
            kind="parameter",
            index=i,
            type="enumeration" if p.items else "real",
            unit=p.unit,
            description=p.description,
            start=float(p.value),
            positive=p.positive,
            tunable=p.tunable and not p.items,
            display_unit=p.display_unit,
            items=p.items,
        )
        | _range(p)
        for i, p in enumerate((*equations.parameters, *solver))
    ]


def _derivative(state: State, index: int) -> dict[str, Any]:
    return dict(
        name=f"der({state.name})",
        kind="derivative",
        index=index,
        unit=per_second(state.unit, state.name),
        description=f"time derivative of {state.name}",
        nominal=state.nominal,
    )


def _calculated(variable: Discrete | Output, kind: RowKind, index: int) -> dict[str, Any]:
    start = dict(start=float(variable.start)) if isinstance(variable, Discrete) else {}
    return start | dict(
        name=variable.name,
        kind=kind,
        index=index,
        type=variable.kind,
        unit=variable.unit,
        description=variable.description,
        visibility=variable.visibility,
        display_unit=variable.display_unit,
    )


def _indicator(event: Event, index: int) -> dict[str, Any]:
    return dict(
        name=f"{event.name}.indicator",
        kind="indicator",
        index=index,
        description=f"event indicator of {event.name}, with hysteresis",
    )


def _check(rows: Sequence[Row]) -> None:
    seen: set[str] = set()
    for row in rows:
        bare = row.name[4:-1] if row.kind == "derivative" else row.name
        if not _NAME.fullmatch(bare):
            raise ModelError(
                f"variable {row.name!r}: not a structured name; use letters, digits, underscores "
                "and indices in brackets, with dots between the parts"
            )
        if row.name in seen:
            raise ModelError(f"two variables are called {row.name!r}")
        seen.add(row.name)
        if not row.nominal > 0:
            raise ModelError(f"variable {row.name!r}: nominal {row.nominal} is not positive")
        if row.items and not 1 <= (row.start or 0) <= len(row.items):
            raise ModelError(
                f"parameter {row.name!r}: value {row.start} is none of its {len(row.items)} items"
            )
