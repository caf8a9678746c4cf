"""Stiff flows by compiled equations: the steps of `mbcore.periodic.collocation`, made in C.

Used by `mbcore.periodic.variational` alone, as the other one is; each belongs to one backend.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mbcore.evaluation.moving_point import MovingPoint
from mbcore.native.flow import Columns, CompiledFlow
from mbcore.native.point import CompiledPoint
from mbcore.periodic.collocation import lagrange, tableau

MOST_STATES = 20
"""States up to which steps in C are faster; the factors of larger systems LAPACK finds sooner."""


class CompiledCollocation:
    """Integrates by implicit steps in C; is used as `mbcore.periodic.collocation.Collocation`.

    Parameters
    ----------
    run : MovingPoint
        The point that moves, which is accepted at the beginning of each step.
    compiled : CompiledPoint
        Its compiled functions.
    columns : Columns
        Derivatives that are wanted.
    between : (float, float)
        Begin and end, s.
    y : ndarray
        Values at the beginning.
    rtol, atol : float, ndarray like ``y``
        Tolerances; that of the integral is ignored.
    max_step : float
        Longest step, s.
    """

    def __init__(
        self,
        run: MovingPoint,
        compiled: CompiledPoint,
        columns: Columns,
        between: tuple[float, float],
        y: np.ndarray,
        *,
        rtol: float,
        atol: np.ndarray,
        max_step: float = np.inf,
    ) -> None:
        self._run, (self.t, self.t_bound) = run, between
        self._flow = flow_of(run, compiled, columns)
        self._flow.y[:] = y
        self.possible = self._flow.begin(*between, rtol, atol, max_step)
        self.status = "running"

    @property
    def y(self) -> np.ndarray:
        """States, columns row by row, and the integral of the trace."""
        return self._flow.y

    def step(self) -> str | None:
        """Make a step; return a message where none can be made."""
        self._flow.seek_from(self._run.evaluation.search())
        stepped = self.possible and self._flow.step()
        self._run.count(self._flow.take_evaluations())
        if not stepped:
            self.status = "failed"
            e = self._run.evaluation
            self._run.derivative(float(e.t[0]), e.s.copy())  # finds out why, in Python
            return "the step of the implicit method became too small"
        self.t = self._flow.t
        if self.t >= self.t_bound:
            self.status = "finished"
        return None

    def dense_output(self) -> Callable[[float], np.ndarray]:
        """Return the polynomial through the stages of the last step."""
        end, h, values = self.t, self._flow.last, self._flow.values.copy()

        def between(t: float) -> np.ndarray:
            return np.asarray(lagrange(np.array([1 + (t - end) / h]))[0] @ values)

        return between


def flow_of(run: MovingPoint, compiled: CompiledPoint, columns: Columns) -> CompiledFlow:
    """Return a flow in C from a point that moves, whose inputs may be functions of time."""
    give_inputs = run.give_inputs if run.signals else None
    return CompiledFlow(compiled, tableau(), columns, run.evaluation.search(), give_inputs)
