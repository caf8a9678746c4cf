"""The motion of an FMU in Model Exchange, with its derivatives by start values and parameters.

The variational equations Y' = A Y + B, A and B by directional derivatives or differences, are
integrated with the states, at the same tolerance; at events Y jumps by the saltation matrix. It
stands apart from `mbcore.drivers.fmu_worker`, which uses it alone, as one integrator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import DOP853, OdeSolver

from mbcore.drivers.fmu_jump import jump
from mbcore.drivers.fmu_point import FmuPoint
from mbcore.integrators.first_negative import first_negative
from mbcore.model.errors import SimulationError
from mbcore.periodic.collocation import Collocation

STIFF = 3e4
"""Exponent of the fastest decay in the time span above which steps are implicit."""
MOST_STEPS = 1_000_000
"""Steps between two events."""
MOST_EVENTS = 100_000
"""Events of a run."""
SAME = 1e-13
"""Part of a time within which an event is due."""


@dataclass(frozen=True)
class Steps:
    """How the motion is integrated.

    Attributes
    ----------
    rtol, atol : float
        Tolerances; ``atol`` is multiplied by nominal values.
    max_step : float
        Longest step, s.
    """

    rtol: float
    atol: float
    max_step: float = np.inf


@dataclass(frozen=True)
class Part:
    """A step without events: its ends, s, and values in it, states first.

    Attributes
    ----------
    begin, end : float
        s.
    between : callable
        All integrated values at a time in it.
    """

    begin: float
    end: float
    between: Callable[[float], np.ndarray]


class FmuMotion:
    """Integrates an FMU from its present point on.

    Parameters
    ----------
    point : FmuPoint
        The FMU, begun.
    begin : float
        Time, s.
    by : sequence of str
        Parameters of further columns, by which the FMU gives directional derivatives.
    steps : Steps
        Tolerances.
    wanted : bool
        Whether columns are wanted.
    on_part : callable
        Called with each `Part`, while the FMU is in its modes.
    columns : ndarray, shape (ns, nc)
        Their values at the start.

    Attributes
    ----------
    t : float
        Time, s.
    x : ndarray, shape (ns,)
        States.
    columns : ndarray, shape (ns, nc)
        Their derivatives.
    events : list of (float, str)
        Times, s, and names.
    shifted : bool
        Whether the time of an event has depended on the states.
    """

    def __init__(
        self,
        point: FmuPoint,
        begin: float,
        by: Sequence[str],
        steps: Steps,
        wanted: bool,
        on_part: Callable[[Part], None],
        columns: np.ndarray,
    ) -> None:
        self.point, self.t, self.x = point, begin, point.present()
        self._by, self._steps, self._wanted, self._on_part = tuple(by), steps, wanted, on_part
        self.columns = columns
        self.trace, self.jumps, self.shifted = 0.0, 1.0, False
        self.events: list[tuple[float, str]] = []

    def go(self, end: float) -> None:
        """Integrate to a time, s, through all events.

        Raises
        ------
        SimulationError
            The FMU refuses, steps become too small, or an event has no derivative.
        """
        point = self.point
        while self.t < end:
            row = min(point.inputs.rows(self.t, end), default=end)
            stop = min(end, row, max(point.next_event, self.t))
            self._segment(stop)
            due = point.next_event <= self.t * (1 + SAME)
            if self.t < stop:
                self._pass("state event")
            elif due:
                self._pass("time event", timed=True)
            elif point.inputs.is_row(self.t):
                self._pass("row of inputs", timed=True)
            if len(self.events) > MOST_EVENTS:
                raise SimulationError(
                    f"FMU {point.name}: {MOST_EVENTS} events up to t = {self.t:.9g} s; end the "
                    "run earlier"
                )

    def segments(
        self, starts: np.ndarray, times: np.ndarray, still: Sequence[int]
    ) -> list[dict[str, Any]]:
        """Integrate segments one after another, each from its own states in the modes before it.

        Parameters
        ----------
        starts : ndarray, shape (n, ns)
            States at their beginnings; later ones are those at the end before where there is but
            one row, and those of the states ``still`` always are.
        times : ndarray, shape (n + 1,)
            Their ends, s.

        Returns
        -------
        list of dict
            What a `mbcore.periodic.flow.Trajectory` needs, by its names.
        """
        point, first, own = self.point, self.columns, list(still)
        found: list[dict[str, Any]] = []
        for k, (begin, end) in enumerate(pairwise(map(float, times))):
            x = self.x.copy()
            if found and k < len(starts):
                x = starts[k].copy()
                x[own] = self.x[own]
            self.x, self.columns, self.events = x, first, []
            start_rate = point.rates_at(begin, x)
            self.go(end)
            found.append(
                {
                    "begin": begin,
                    "end": end,
                    "start": x,
                    "state": self.x,
                    "start_rate": start_rate,
                    "rate": point.rates_at(end, self.x),
                    "derivative": self.columns if self._wanted else None,
                    "events": tuple(self.events),
                }
            )
        return found

    def _pass(self, kind: str, timed: bool = False) -> None:
        """Process an event, and take the columns through it."""
        if kind != "row of inputs":
            self.events.append((self.t, kind))
        wanted = self._wanted and self.columns.shape[1] > 0
        found = jump(self.point, self.t, self.x, self._signs, wanted, timed)
        self.x, shifted = found.state, found.shifted
        self.shifted = self.shifted or shifted
        if found.matrix is not None:
            self.columns = found.matrix @ self.columns
            self.jumps *= float(np.linalg.det(found.matrix))

    def _rates(self, t: float, y: np.ndarray) -> np.ndarray:
        n = self.x.size
        rates = np.full(y.shape, np.nan)
        rates[:n] = self.point.rates_or_nan(t, y[:n])
        if y.size > n and np.isfinite(rates[:n]).all():
            found = self.point.slopes(t, y[:n], self._by)
            change = found[:, :n] @ y[n:-1].reshape(n, -1)
            change[:, change.shape[1] - len(self._by) :] += found[:, n:]
            rates[n:-1] = change.ravel()
            rates[-1] = float(np.trace(found[:, :n]))
        return rates

    def _slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return ∂f/∂s at the present point, and the forcing of the columns."""
        n = self.x.size
        by = self._by if self._wanted else ()
        found = self.point.slopes(self.point.time, self.point.present(), by)
        added = np.zeros(self.columns.shape)
        if by:
            added[:, -len(by) :] = found[:, n:]
        return found[:, :n], added

    def _solver(self, stop: float) -> OdeSolver | Collocation:
        y, size, n = self.x, self.point.nominal, self.x.size
        if self._wanted:
            y = np.concatenate([y, self.columns.ravel(), [self.trace]])
            share = np.abs(self.columns / size[:, np.newaxis]).max(axis=0, initial=0.0)
            wide = np.outer(size, np.where(share > 0, share, 1.0))
            size = np.concatenate([size, wide.ravel(), [1.0]])
        rtol, atol, longest = self._steps.rtol, self._steps.atol * size, self._steps.max_step
        if self._is_stiff(stop):
            return Collocation(
                self.point.rates_or_nan,
                self._slopes,
                (self.t, stop),
                y,
                n,
                rtol=rtol,
                atol=atol,
                max_step=longest,
            )
        return DOP853(self._rates, self.t, y, stop, rtol=rtol, atol=atol, max_step=longest)

    def _is_stiff(self, stop: float) -> bool:
        if not self.x.size:
            return False
        found = self.point.slopes(self.t, self.x)
        decay = -np.linalg.eigvals(found).real.min(initial=0.0) if np.isfinite(found).all() else 0.0
        return bool(decay * (stop - self.t) > STIFF)

    def _segment(self, stop: float) -> None:
        """Integrate to a time, s, or to just behind a state event before it."""
        point, n, count = self.point, self.x.size, 0
        point.segment_to(stop)
        z = point.indicators_at(self.t, self.x)
        self._signs = np.where(z > 0, 1.0, -1.0)
        if stop <= self.t:
            return
        if not n:
            self._without_states(stop)
            return
        solver = self._solver(stop)
        while self.t < stop:
            before, message = self.t, solver.step()
            if solver.status == "failed":
                cause = f"; {point.failure}" if point.failure is not None else ""
                raise SimulationError(
                    f"FMU {point.name}: the integration stops at t = {self.t:.9g} s, {message}"
                    f"{cause}"
                )
            between = solver.dense_output()
            crossing = self._crossing(between, before, solver.t)
            self.t = solver.t if crossing is None else crossing
            y = solver.y if crossing is None else between(self.t)
            self.x = np.asarray(y[:n]).copy()
            if self._wanted:
                self.columns = y[n:-1].reshape(self.columns.shape).copy()
                self.trace = float(y[-1])
            if self.t > before:
                self._on_part(Part(before, self.t, between))
            point.place(self.t, self.x)
            asked = point.needs_event()
            if crossing is not None or (asked and self.t < stop):
                return
            if asked:
                self._pass("step event", timed=True)
                return
            count += 1
            if count > MOST_STEPS:
                raise SimulationError(
                    f"FMU {point.name}: {MOST_STEPS} steps up to t = {self.t:.9g} s; end the run "
                    "earlier, or give a looser tolerance"
                )

    def _without_states(self, stop: float) -> None:
        before = self.t
        nothing = np.zeros(0)
        crossing = self._crossing(lambda t: nothing, before, stop)
        self.t = stop if crossing is None else crossing
        self._on_part(Part(before, self.t, lambda t: nothing))
        self.point.place(self.t, self.x)

    def _crossing(
        self, between: Callable[[float], np.ndarray], before: float, after: float
    ) -> float | None:
        """Return the time just behind the first change of an indicator's sign, or None."""
        if not self._signs.size:
            return None
        n, signs, point = self.x.size, self._signs, self.point
        return first_negative(
            lambda t: signs * point.indicators_at(t, np.asarray(between(t))[:n]), before, after
        )
