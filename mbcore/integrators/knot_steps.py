"""Steps that are made again so that they end at a point of a table, at which derivatives jump.

Used by `mbcore.evaluation.stepper`, as ``step_to_knot`` is in ``mb_locate.c``; it stands apart
because it knows solvers alone. The interpolant of a step over such a point is as wrong as the step
is, so the place follows from steps that end there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.integrate import OdeSolver

WIDTH = 1e-13
"""Of a step: how exactly it ends at the point."""
AT_BEGIN = 1e-6
"""Of a step: up to there the interpolant of a step over the point is exact, as its begin is."""
TRIALS = 6


def step_to_knot(
    indicator: Callable[[float, np.ndarray], float],
    make: Callable[[float], OdeSolver],
    between: Callable[[float], np.ndarray],
    span: tuple[float, float],
    crossing: float,
) -> OdeSolver | None:
    """Return what has made a step that ends at a knot, or None where the interpolant does.

    Parameters
    ----------
    indicator : callable
        Of time and state, positive before the knot.
    make : callable
        Returns a solver that begins where the step did and ends at a time, s.
    between : callable
        The interpolant of the step over the knot.
    span : (float, float)
        Its ends, s.
    crossing : float
        Where the knot is on the interpolant, s.
    """
    begin, end = span
    h = end - begin
    if crossing - begin <= AT_BEGIN * h:
        return None
    width = max(WIDTH * h, 4 * float(np.spacing(end)))
    last = crossing - 1e-3 * (crossing - begin)
    value = indicator(last, between(last))
    at, solver = crossing, None
    for _ in range(TRIALS):
        solver = make(at)
        message = solver.step()
        if message is not None or solver.status != "finished":
            # The error test wants shorter steps: the first of them, which may end before the knot.
            return solver if message is None else None
        found = indicator(at, solver.y)
        slope = (found - value) / (at - last)
        if not slope < 0 or 0 >= found >= slope * width:
            return solver
        last, value = at, found
        at = at - found / slope + width / 2
        if at == last or not begin < at <= end:
            return solver
    return solver
