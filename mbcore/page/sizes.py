"""Natural sizes of inputs that start at zero and have no range.

Used by `mbcore.page.write` alone; it stands apart because it chooses numbers, and writes no page.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from mbcore.codegen.rows import Table
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.page.table import round_number

OF_UNIT = {"rad": 0.5, "m": 0.1, "m/s": 1.0, "rad/s": 1.0, "m/s2": 1.0, "rad/s2": 1.0}
"""Default by unit, where no rate or output determines a size."""
_NEAR = 1e-6


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
