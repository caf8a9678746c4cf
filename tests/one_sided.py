"""Right and left differences of rates and outputs, which derivatives at kinks must be one of.

They come from values alone. Modes of events stay as they are, as derivatives have it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from mbcore.evaluation.evaluation import Evaluation

STEP = 1e-4
"""Of a natural size; halved thrice."""
PRECISION = 1e-6
"""Of the largest entry in natural sizes."""


def one_sided(values: Callable[[float], np.ndarray], step: float) -> np.ndarray:
    """Return the derivative at zero from the values at 0, h, h/2, h/4 and h/8, of order 4."""
    start = values(0.0)
    rows = [(values(step / 2**k) - start) / (step / 2**k) for k in range(4)]
    for order in range(1, 4):
        rows = [(2**order * b - a) / (2**order - 1) for a, b in pairwise(rows)]
    return rows[0]


def values_at(at: Evaluation, part: str, i: int) -> Callable[[float], np.ndarray]:
    """Return rates and outputs as a function of how far one argument is from where it is."""
    array = {"s": at.s, "t": at.t, "u": at.u, "p": at.p}[part]
    there, x = array[i], at.x.copy()

    def values(by: float) -> np.ndarray:
        array[i], at.x[:] = there + by, x
        at.configure()
        found = np.concatenate([at.derivative(), at.output()])
        array[i], at.x[:] = there, x
        at.configure()
        return found

    return values


def changes_of(at: Evaluation) -> np.ndarray:
    """Return the changes of rates and outputs, one column for each entry of (s, t, u, p)."""
    columns = []
    for i in range(at.variation.size):
        at.variation[i] = 1.0
        columns.append(np.concatenate([r[:, 0] for r in at.call("change").results]))
        at.variation[i] = 0.0
    return np.column_stack(columns)


def is_one_sided(
    given: np.ndarray, right: np.ndarray, left: np.ndarray, allowed: float, loose: np.ndarray
) -> bool:
    """Return whether a column is the right or the left difference, or that of a magnitude.

    Where both are opposite, zero is right: the slope of a magnitude that vanishes. Rows that are
    told as ``loose`` are magnitudes of forces, each with a side of its own where rounding is all
    that is left of the force, or with zero at the limit of an input, where one side is zero.
    """
    vanishes = (given == 0) & (np.abs(right + left) <= allowed)
    for side in (right, left):
        vanishes |= loose & ((np.abs(side - given) <= allowed) | (given == 0))
    far = [np.abs(np.where(vanishes, 0, side - given)).max(initial=0.0) for side in (right, left)]
    return bool(min(far) <= allowed)


def wrong_columns(at: Evaluation, found: np.ndarray, parts: str = "su") -> list[str]:
    """Return the arguments by which the changes are neither the right nor the left differences."""
    E = at.equations
    kinds = {"s": E.states, "t": [None], "u": E.inputs, "p": E.parameters}
    every = [(part, i, record) for part in "stup" for i, record in enumerate(kinds[part])]
    sizes = np.array([getattr(record, "nominal", None) or 1.0 for *_, record in every])
    allowed = PRECISION * np.abs(found * sizes).max(initial=0.0)
    loose = magnitudes([*(state.name for state in E.states), *(o.name for o in E.outputs)])
    wrong = []
    for (part, i, record), size, given in zip(every, sizes, found.T, strict=True):
        if part in parts:
            values = values_at(at, part, i)
            right, left = (one_sided(values, side * size * STEP) * size for side in (1, -1))
            if not is_one_sided(given * size, right, left, allowed, loose):
                wrong.append(record.name if record else "time")
    return wrong


def magnitudes(names: Sequence[str]) -> np.ndarray:
    """Return which outputs are magnitudes of forces."""
    return np.array([name.endswith("friction_ratio") for name in names])
