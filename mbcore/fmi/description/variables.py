"""The table of a component's variables: its options, checked, and natural sizes of outputs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from mbcore.codegen.rows import Table
from mbcore.codegen.table import Offers, table
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi.component import Component
from mbcore.fmi.description.remarks import check_remarks
from mbcore.fmi.description.start_values import with_start_values
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError

_AGREES = 1e-9
"""Relative difference of an alias from its target that is allowed: above rounding."""
_PLACES = 4
_ROUNDING = 1e-12
"""Smallest absolute difference that counts."""


def variables(component: Component, nominals: bool = True) -> Table:
    """Return the table of a component's variables.

    The nominal value of an output or a derivative is the one that its author gave, else the power
    of ten next to its largest value at the start and at places around it, where each state is off
    by about its own nominal value; 1 where that is nothing, or where the model starts nowhere.

    Raises
    ------
    ModelError
        As `mbcore.codegen.table.table`; an alias is not what it names, a terminal has a member that
        is not a variable, or a remark is on what is none of the right kind.
    """
    places = list(_values_around_start(component.equations)) if nominals else []
    rows = table(
        component.equations,
        component.experiment.step,
        Offers(
            component.twins,
            component.starts,
            component.aliases,
            _nominals(component.equations, places),
            component.sensitivities,
        ),
    )
    rows = with_start_values(_with_conditions(rows, component), component.parameters)
    for values in places:
        _refuse_false_aliases(component, values)
    _check_terminals(component, rows)
    check_remarks(component.page.remarks, rows)
    return rows


def _with_conditions(rows: Table, component: Component) -> Table:
    """Let descriptions of inputs that act only with one value of a list say so."""
    said = {
        name: f"acts with {chosen} = {value}"
        for name, (chosen, value) in component.page.used_with.items()
    }
    told = [
        replace(row, description=f"{row.description}, {said[row.name]}".removeprefix(", "))
        if row.name in said and row.kind == "input"
        else row
        for row in rows.rows
    ]
    return replace(rows, rows=tuple(told)) if said else rows


def _values_around_start(equations: Equations) -> Iterator[dict[str, float]]:
    """Give states, derivatives and outputs by name, wherever the model starts."""
    point, random = Evaluation(equations), np.random.default_rng(0)
    size = np.array([state.nominal for state in equations.states])
    names = [state.name for state in equations.states]
    for place in range(_PLACES + 1):
        off = size * random.uniform(-1, 1, len(size)) if place else np.zeros(len(size))
        start = dict(zip(names, equations.start_state + off, strict=True))
        try:
            point.start(start)
        except (ConfigurationError, SimulationError, ModelError):
            continue
        rates = dict(zip((f"der({n})" for n in names), point.derivative(), strict=True))
        outputs = zip((o.name for o in equations.outputs), point.output(), strict=True)
        yield dict(zip(names, map(float, point.s), strict=True)) | rates | dict(outputs)


def _nominals(equations: Equations, places: list[dict[str, float]]) -> dict[str, float]:
    given = {o.name: o.nominal for o in equations.outputs if o.nominal is not None}
    given |= {d.name: d.nominal for d in equations.discretes if d.nominal is not None}
    largest: dict[str, float] = {}
    for values in places:
        for name, value in values.items():
            largest[name] = max(largest.get(name, 0.0), abs(value))
    return {name: _decade(size) for name, size in largest.items()} | given


def _decade(size: float) -> float:
    """Return the power of ten next to a size, 1 where it says nothing."""
    return 10.0 ** round(math.log10(size)) if _ROUNDING < size < math.inf else 1.0


def _refuse_false_aliases(component: Component, values: Mapping[str, float]) -> None:
    """Refuse an alias whose value differs from that of its target."""
    for name, target in component.aliases.items():
        one, other = values[name], values[target]
        if not abs(one - other) <= _AGREES * (1 + abs(one)):
            raise ModelError(
                f"component {component.name}: {name!r} is not an alias of {target!r}, for it is "
                f"{one:.9g} where that is {other:.9g}; leave it out of aliases"
            )


def _check_terminals(component: Component, rows: Table) -> None:
    known = {name for row in rows.rows for name in (row.name, *(a.name for a in row.aliases))}
    arrays = {array.name for array in rows.arrays}
    seen: set[str] = set()
    for terminal in component.terminals:
        owner = f"component {component.name}, terminal {terminal.name!r}"
        if terminal.name in seen or not terminal.name.strip():
            raise ModelError(f"{owner}: its name is empty or in use; give it one of its own")
        seen.add(terminal.name)
        for member, name in terminal.members.items():
            if component.arrays and name.partition("[")[0] in arrays:
                raise ModelError(
                    f"{owner}: its member {member!r} is {name!r} of an array, which FMI 2.0 has by "
                    "element and FMI 3.0 as a whole; give arrays=False and the name of an element"
                )
            if name not in known:
                raise ModelError(
                    f"{owner}: its member {member!r} is {name!r}, which is not a variable; name one"
                )
