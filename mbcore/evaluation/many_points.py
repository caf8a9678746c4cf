"""Many points that differ from one in some values, as rows of numbers for C."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.variables import Discrete, Input, Parameter, State


def rows_of(start: Evaluation, swept: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return s, d, u and p of all points, (n, k), and where they are in their ranges, (n,).

    Parameters
    ----------
    start : Evaluation
        With all values that the points share.
    swept : mapping of str to ndarray, shape (n,)
        Values of states, discrete variables, inputs and parameters by name.
    """
    q = start.equations
    known: list[State | Discrete | Input | Parameter] = [
        *q.states,
        *q.discretes,
        *q.inputs,
        *q.parameters,
    ]
    places = {record.name: i for i, record in enumerate(known)}
    rows = np.tile(start.common_values(), (len(next(iter(swept.values()))), 1))
    allowed = np.ones(len(rows), bool)
    for name, values in swept.items():
        record = known[places[name]]
        rows[:, places[name]] = values
        allowed &= np.isfinite(values)
        if isinstance(record, Parameter | Input):
            low, high = record.minimum, record.maximum
            allowed &= values >= (-np.inf if low is None else low)
            allowed &= values <= (np.inf if high is None else high)
        if isinstance(record, Parameter) and record.positive:
            allowed &= values > 0
    return rows, allowed
