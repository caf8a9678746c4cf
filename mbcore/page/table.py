"""The variables of a component for its page: settings, displays and ranges of sliders."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import casadi as ca
import numpy as np

from mbcore.codegen.rows import Row, Table
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi.component import Component
from mbcore.fmi.page_settings import Page
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.model.units import units
from mbcore.model.variables import type_of

FIRST_PLOTS = 4
"""Number of plots of a page whose component names none."""
OF_UNIT = {"rad": 0.5, "m": 0.1, "m/s": 1.0, "rad/s": 1.0, "m/s2": 1.0, "rad/s2": 1.0}
"""Default by unit, where no rate or output determines a size."""
NO_RATES: Mapping[str, str] = {}
_NEAR = 1e-6


def described(
    table: Table,
    page: Page,
    sizes: Mapping[str, float],
    unused: Collection[str] = (),
    rates: Mapping[str, str] = NO_RATES,
) -> list[dict[str, Any]]:
    """Return the record of each variable for the page, in the order of the table.

    Variables that stand for others, and those that only importers need, are left out, and so are
    those that nothing uses: a slider or key that does nothing would mislead.

    Parameters
    ----------
    table : Table
        The component's.
    page : Page
        Its settings, for ranges.
    sizes : mapping of str to float
        Natural sizes of inputs that start at zero.
    unused : collection of str
        Names of parameters, inputs and states that nothing uses.
    rates : mapping of str to str
        Of inputs whose rate is an input of its own, the name of that.

    Raises
    ------
    ModelError
        A range is for a variable that has no slider.
    """
    found = [
        _one(row, page, sizes) for row in table.rows if _matters(row) and row.name not in unused
    ]
    names = {row["name"] for row in found}
    for row in found:
        if rates.get(row["name"]) in names:
            row["rate"] = rates[row["name"]]
    adjustable = {row["name"] for row in found if "range" in row}
    _refuse_unknown("ranges", page.ranges, adjustable, "an input, parameter or start value")
    return found


def keys(
    page: Page, found: list[dict[str, Any]], rates: Collection[str] = ()
) -> dict[str, dict[str, float]]:
    """Return the actions of keys: those of the component, else arrows for the first two inputs.

    Inputs that are ``rates`` of others follow these, and have no keys by default.

    Raises
    ------
    ModelError
        A key is for something that is not an input.
    """
    inputs = [row for row in found if row["role"] == "input" and row["type"] == "real"]
    if page.keys is not None:
        names = {name for effect in page.keys.values() for name in effect}
        _refuse_unknown("keys", names, {row["name"] for row in inputs}, "an input")
        return {key: {n: float(v) for n, v in effect.items()} for key, effect in page.keys.items()}
    pairs = (("right", "left"), ("up", "down"))
    effects: dict[str, dict[str, float]] = {}
    own = [row for row in inputs if row["name"] not in rates]
    for row, (more, less) in zip(own, pairs, strict=False):
        least, largest = row["range"]
        effects[more] = {row["name"]: largest}
        effects[less] = {row["name"]: least}
    return effects


def plots(page: Page, found: list[dict[str, Any]]) -> list[list[str]]:
    """Return the names in each plot: those of the component, else the first outputs.

    Raises
    ------
    ModelError
        A plot names no variable of the page, or two of different units.
    """
    plottable = {row["name"]: row for row in found if row["role"] in ("output", "state", "input")}
    if page.plots is None:
        real = [n for n, row in plottable.items() if row["visible"] and row["role"] != "input"]
        return [[name] for name in real[:FIRST_PLOTS]]
    chosen = [list(plot) for plot in page.plotted()]
    _refuse_unknown("plots", {n for plot in chosen for n in plot}, set(plottable), "shown")
    for plot in chosen:
        measured = {plottable[name]["unit"] for name in plot}
        if len(measured) > 1:
            raise ModelError(
                f"page: the plot of {', '.join(plot)} has the units {', '.join(sorted(measured))}; "
                "put variables of different units in plots of their own"
            )
    return chosen


def time_scale(component: Component, page: Page) -> float:
    """Return seconds of the model in one second of the page."""
    if page.time_scale is not None:
        return float(page.time_scale)
    length = component.experiment.stop - component.experiment.start
    if 2 <= length <= 300:
        return 1.0
    wanted = length / (10 if length < 2 else 30)
    return round_number(wanted)


def round_number(value: float) -> float:
    """Return 1, 2 or 5 times a power of ten, the next one; 1 beyond all sizes."""
    if not 1e-30 < value < 1e30:
        return 1.0
    decade = 10.0 ** math.floor(math.log10(value))
    return min((k * decade for k in (1, 2, 5, 10)), key=lambda k: abs(math.log(k / value)))


def _matters(row: Row) -> bool:
    return row.kind in ("input", "parameter", "state", "output", "discrete") and not row.stands_for


def _one(row: Row, page: Page, sizes: Mapping[str, float]) -> dict[str, Any]:
    display = units.display_unit(row.unit, row.display_unit, row.name)
    factor = units.display_factor(row.unit, display, row.name) if display else 1.0
    known = {
        "name": row.name,
        "reference": row.reference,
        "role": "output" if row.kind == "discrete" else row.kind,
        "type": row.type,
        "unit": row.unit,
        "shown": display or row.unit,
        "factor": factor,
        "nominal": row.nominal,
        "description": row.description,
        "visible": row.visibility == "output" or row.kind == "input",
    }
    settable = row.kind in ("input", "parameter") or (
        row.kind == "state" and row.start_input is None
    )
    if not settable or row.start is None:
        return known
    known |= {"start": float(row.start), "tunable": row.kind == "input" or row.tunable}
    if row.items:
        known["items"] = [
            {"name": i.name, "description": i.description, "available": i.available}
            for i in row.items
        ]
        return known
    if row.type == "boolean":
        return known
    return known | {"range": list(page.ranges.get(row.name) or _range(row, sizes))}


def _range(row: Row, sizes: Mapping[str, float]) -> tuple[float, float]:
    """Return a slider's range: the variable's own, else about its start value."""
    start = float(row.start or 0.0)
    least, largest = row.minimum, row.maximum
    size = abs(start) or sizes.get(row.name, 1.0)
    if row.kind == "state":
        size = 2 * max(row.nominal, abs(start))
    low, high = start - size, start + size
    if row.kind == "parameter" and start:
        low, high = min(0.0, 2 * start), max(0.0, 2 * start)
    # bounds far away would make a slider useless
    if least is not None and math.isfinite(least):
        low = least if start - least < 20 * size else max(low, least)
    if largest is not None and math.isfinite(largest):
        high = largest if largest - start < 20 * size else min(high, largest)
    if row.positive:
        low = max(low, start / 20)
    return (low, high) if low < high else (low, low + 1.0)


def _refuse_unknown(what: str, names: Any, known: set[str], role: str) -> None:
    for name in names:
        if name not in known:
            some = ", ".join(sorted(known)[:20]) or "none"
            raise ModelError(f"page: {what} name {name!r}, which is not {role}; there are {some}")


def input_sizes(equations: Equations, table: Table) -> dict[str, float]:
    """Return for each input the value by which some rate changes by its natural size.

    The least of these values, of outputs where no rate depends on it, rounded to 1, 2 or 5 times
    a power of ten; one by its unit where the model starts nowhere or nothing depends on it.
    """
    sizes = {r.name: OF_UNIT.get(r.unit, 1.0) for r in table.of("input")}
    point = Evaluation(equations)
    try:
        point.start()
    except (ConfigurationError, SimulationError, ModelError):
        return sizes
    counts = {"derivative": len(equations.states), "output": len(equations.outputs)}
    natural = {kind: _nominals(table, kind, count) for kind, count in counts.items()}
    arguments = [point.t, point.s, point.d, point.u, point.p, point.x]
    for i, record in enumerate(equations.inputs):
        if type_of(record) != "real":
            continue
        found = []
        for name, nominal in natural.items():
            function = equations.functions[name]
            moved = [np.array(a, float) for a in arguments]
            moved[3][i] += _NEAR
            change = _value(function, moved) - _value(function, arguments)
            slopes = np.abs(change) / _NEAR
            felt = np.isfinite(slopes) & (slopes > 1e-9 * nominal)
            found += list(nominal[felt] / slopes[felt])
            if found:
                break
        if found:
            sizes[record.name] = round_number(min(found))
    return sizes


def _value(function: ca.Function, arguments: list[np.ndarray]) -> np.ndarray:
    return np.ravel(np.array(function.call([ca.DM(a) for a in arguments])[0]))


def _nominals(table: Table, kind: str, count: int) -> np.ndarray:
    """Return natural sizes by index; infinite where no variable belongs to one."""
    sizes = np.full(count, np.inf)
    for row in table.rows:
        if row.kind == kind and 0 <= row.index < count:
            sizes[row.index] = row.nominal
    return sizes
