"""A driver of our equations: compiled steps, with exact derivatives through events.

`mbcore.drivers.choice` makes it, as it makes the one of FMUs, `mbcore.drivers.fmu_driver`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from mbcore.drivers.driver import (
    TOLERANCE,
    Derivatives,
    Point,
    Response,
    checked_names,
    checked_times,
)
from mbcore.equations.equations import Equations, checked_equations
from mbcore.host.backend import Backend, checked_backend, evaluating
from mbcore.host.threads import one_thread
from mbcore.model import checks, near_names
from mbcore.model.errors import ModelError
from mbcore.periodic.flow import Flow
from mbcore.periodic.step_polynomial import values_between
from mbcore.periodic.variational import StepOptions, VariationalIntegration
from mbcore.periodic.varied_point import VariedPoint
from mbcore.simulation.arguments import breaks_of_inputs

NEAR = 1e-9
"""Part of a run within which a jump is at its end."""
COARSE = 1e-10
"""Tolerance from which smooth motions have explicit steps unless they are stiff."""
BESIDE = 1e-6
"""Distance, in nominal values, of remembered numbers beside which outputs are differentiated."""


class EquationsDriver:
    """Equations as analyses drive them.

    Parameters
    ----------
    equations : Equations
        The system.
    backend : {"auto", "python", "c"}
        Backend of the equations; see `mbcore.evaluate_by`.

    Attributes
    ----------
    name, states, inputs, outputs, parameters, started, derivatives
        As in `Driver`.
    equations : Equations
        As given.
    """

    derivatives: Derivatives = "exact"

    def __init__(self, equations: Equations, *, backend: Backend = "auto") -> None:
        checked_equations("driver", equations)
        self.equations = equations
        self._backend = checked_backend(backend)
        self.name = equations.name
        self.states = tuple(record.name for record in equations.states)
        self.started = self.states
        self.inputs = tuple(record.name for record in equations.inputs)
        self.outputs = tuple(record.name for record in equations.outputs)
        self.parameters = tuple(record.name for record in equations.parameters)
        every: tuple[Any, ...] = (
            *equations.states,
            *equations.inputs,
            *equations.outputs,
            *equations.parameters,
        )
        self._last_flow: tuple[tuple[tuple[str, ...], float], Flow] | None = None
        self._records: dict[str, Any] = {record.name: record for record in every}

    def __enter__(self) -> EquationsDriver:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<driver of the equations {self.name}: {self.derivatives} derivatives>"

    def close(self) -> None:
        """Free nothing: equations stay."""

    def begin_worker(self) -> None:
        """Do nothing: a process that was forked has a copy of all."""

    def unit(self, name: str) -> str:
        """Return the unit of a variable, ``"1"`` where it has none."""
        return str(self._record(name).unit or "1")

    def start(self, name: str) -> float:
        """Return the start value of a state, an input or a parameter."""
        record = self._record(name)
        if name in self.outputs:
            raise ModelError(f"{self.name}: {name!r} is an output and has no start value")
        return float(record.value if name in self.parameters else record.start)

    def nominal(self, name: str) -> float:
        """Return the nominal value of a state, 1 where none is known."""
        return float(getattr(self._record(name), "nominal", None) or 1.0)

    def bounds(self, name: str) -> tuple[float, float]:
        """Return the least and the largest value of a variable, infinite where there is none.

        The least of a parameter that has to be positive is 0, which it cannot have itself.
        """
        record = self._record(name)
        low, high = getattr(record, "minimum", None), getattr(record, "maximum", None)
        low = 0.0 if low is None and getattr(record, "positive", False) else low
        return -np.inf if low is None else float(low), np.inf if high is None else float(high)

    def _record(self, name: str) -> Any:
        if name not in self._records:
            raise ModelError(f"{self.name}: {near_names.unknown('variable', name, self._records)}")
        return self._records[name]

    def point(
        self,
        time: float = 0.0,
        states: Mapping[str, float] | np.ndarray | None = None,
        inputs: Mapping[str, float] | None = None,
        parameters: Mapping[str, float] | None = None,
    ) -> Point:
        """Return rates, outputs and their derivatives at a time, s, and states.

        Raises
        ------
        ModelError
            A name is unknown or a value impossible.
        ConfigurationError, SimulationError
            There is no such configuration, or a requirement is violated.
        """
        given = self._named(states)
        with evaluating(self._backend):
            e = VariedPoint(self.equations, parameters, inputs, {})
            e.t[0] = checks.real(self.name, "time", time, unit="s")
            e.start(given)
            rates, values = e.derivative().copy(), e.output().copy()
            state, held = e.s.copy(), e.u.copy()
            ns, nu = e.s.size, e.u.size
            places = [*range(ns), *range(ns + 1, ns + 1 + nu)]
            found = _changes(e, np.eye(e.whole_variation.size)[:, places])
        order = {name: ns + 1 + nu + i for i, name in enumerate(self.parameters)}

        def by(names: Sequence[str]) -> np.ndarray:
            known = checked_names(self.name, "parameter", names, self.parameters)
            wanted = [order[name] for name in known]
            return _changes(e, np.eye(e.whole_variation.size)[:, wanted])

        return Point(
            self.name,
            self.states,
            self.inputs,
            self.outputs,
            rates,
            values,
            found[:ns, :ns],
            found[:ns, ns:],
            found[ns:, :ns],
            found[ns:, ns:],
            by,
            float(time),
            state,
            held,
            np.array([self.nominal(name) for name in self.states]),
            self.derivatives,
        )

    def _named(self, states: Mapping[str, float] | np.ndarray | None) -> Mapping[str, float] | None:
        if states is None or isinstance(states, Mapping):
            return states
        values = checks.numbers(self.name, "states", states, len(self.states))
        return dict(zip(self.states, map(float, values), strict=True))

    def simulate(
        self,
        times: Sequence[float] | np.ndarray,
        *,
        start: Mapping[str, float] | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, Any] | None = None,
        outputs: Sequence[str] | None = None,
        columns: Sequence[str] = (),
        tolerance: float | None = None,
    ) -> Response:
        """Return the motion from t = 0 at rising ``times``, s; arguments as in `Driver`.

        Start values that others follow from are solved consistently, and so are their columns.

        Raises
        ------
        ModelError
            A name is unknown or a value impossible, times do not rise, or there are no states.
        ConfigurationError, SimulationError
            The motion cannot be followed, or an event has no derivative because it grazes.
        """
        at = checked_times(self.name, times)
        chosen = checked_names(self.name, "output", outputs, self.outputs)
        wanted = checked_names(self.name, "column", columns, (*self.parameters, *self.states))
        varied = [name for name in wanted if name in self.parameters]
        relative = TOLERANCE if tolerance is None else tolerance
        with evaluating(self._backend), one_thread():
            flow = self._flow_from((start, parameters, inputs), varied, relative)
            found = self._gone(flow, at, chosen, wanted, inputs)
            self._last_flow = (tuple(varied), relative), flow
            return found

    def _flow_from(self, given: tuple[Any, Any, Any], varied: list[str], tolerance: float) -> Flow:
        """Return the flow from a start, with parameters and inputs; that of the last run if it can.

        Where the last run has failed, another one is made.
        """
        asked = tuple(varied), tolerance
        known, self._last_flow = self._last_flow, None
        if known is not None and known[0] == asked:
            known[1].renew(*given)
            return known[1]
        start, parameters, inputs = given
        return Flow(
            self.equations,
            start,
            parameters=parameters,
            inputs=inputs,
            vary=varied,
            steps=StepOptions(tolerance, tolerance, coarse=tolerance >= COARSE),
        )

    def _gone(
        self,
        flow: Flow,
        times: np.ndarray,
        outputs: tuple[str, ...],
        wanted: tuple[str, ...],
        inputs: Mapping[str, Any] | None,
    ) -> Response:
        """Follow the motion and note it at the times."""
        e, run, end = flow.point, flow.run, float(times[-1])
        marks, jumps = _jumps(inputs, end)
        run.jump = jumps[0]
        flow.begin(flow.whole(e.s))
        varied = [name for name in wanted if name in self.parameters]
        started = [name for name in wanted if name not in varied]
        by_states = [self.states.index(name) for name in started]
        integration = flow.integration(end, bool(wanted), "all", by_states)
        first = _values(integration)
        for mark, following in zip(marks, [*jumps[1:], np.inf], strict=True):
            integration.go(mark)
            run.pass_jump(following)
        found = _sampled(integration, times, first)
        ns, n = len(self.states), flow.nominal.size
        order = [[*started, *varied].index(name) for name in wanted]
        columns = found[:, n:-1] if wanted else np.zeros((len(times), 0))
        columns = columns.reshape(len(times), n, -1)[:, :, order]
        states, state_by = found[:, :ns], columns[:, :ns]
        values, by = self._shown(integration, times, found[:, :n], outputs, (wanted, columns))
        return Response(
            self.name,
            times,
            outputs,
            values,
            states,
            wanted,
            by,
            state_by,
            run.calls,
            tuple(run.events),
        )

    def _shown(
        self,
        integration: VariationalIntegration,
        times: np.ndarray,
        states: np.ndarray,
        outputs: tuple[str, ...],
        by: tuple[tuple[str, ...], np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return outputs, (n, no), at states with remembered numbers, and their columns."""
        e, ns, (wanted, columns) = integration.point, len(self.states), by
        shown = [self.outputs.index(name) for name in outputs]
        values = np.zeros((len(times), len(shown)))
        changes = np.zeros((len(times), len(shown), len(wanted)))
        within = _within(integration, times)
        for k, time in enumerate(times if shown else ()):
            if integration.pieces:
                e.d[:] = integration.pieces[within[k]].modes
            e.d[list(e.numbers)] = states[k, ns:]
            integration.run.move(float(time), states[k, :ns])
            values[k] = e.output()[shown]
            if wanted:
                found = _output_columns(integration, wanted, columns[k], self.parameters)
                changes[k] = found[shown]
        return values, changes


def _values(integration: VariationalIntegration) -> np.ndarray:
    """Return states, remembered numbers, columns and the trace's integral at the present point."""
    states = integration.point.states
    if not integration.derivative_wanted:
        return states
    return np.concatenate([states, integration.columns.ravel(), [integration.trace]])


def _sampled(
    integration: VariationalIntegration, times: np.ndarray, first: np.ndarray
) -> np.ndarray:
    """Return all values at times, (n, size), on the steps' polynomials; behind events at these."""
    if not integration.pieces:
        return np.repeat(first[None], len(times), axis=0)
    pieces = [piece.between for piece in integration.pieces]
    found = values_between(pieces, _within(integration, times), times)
    found[times == 0.0] = first
    return found


def _within(integration: VariationalIntegration, times: np.ndarray) -> np.ndarray:
    """Return the steps in which times are; of two that meet the later one."""
    begins = np.array([piece.begin for piece in integration.pieces] or [0.0])
    return np.clip(np.searchsorted(begins, times, side="right") - 1, 0, begins.size - 1)


def _jumps(inputs: Mapping[str, Any] | None, end: float) -> tuple[list[float], list[float]]:
    """Return up to where steps are made at a time, and where inputs jump then, s.

    Jumps beside the end, by rounding, are there: no step fits between, and none may feel what is
    behind them.
    """
    rows = sorted(breaks_of_inputs(inputs, end))
    inner = [row for row in rows if row < end * (1 - NEAR)]
    last = rows[len(inner)] if len(rows) > len(inner) else end
    return [*inner, end], [*inner, last if end > 0 else np.inf]


def _changes(point: VariedPoint, directions: np.ndarray) -> np.ndarray:
    """Return changes of rates, then of outputs, along directions, (m, n): (ns + no, n)."""
    if point.compiled is not None and point.compiled.has("change"):
        return point.compiled.changes(directions)
    columns = []
    for direction in directions.T:
        point.whole_variation[:] = direction
        rates, outputs = point.call("change").results
        columns.append(np.concatenate([rates[:, 0], outputs[:, 0]]))
    point.whole_variation[:] = 0.0
    size = point.s.size + len(point.equations.outputs)
    return np.column_stack(columns) if columns else np.zeros((size, 0))


def _output_columns(
    integration: VariationalIntegration,
    wanted: Sequence[str],
    columns: np.ndarray,
    parameters: Sequence[str],
) -> np.ndarray:
    """Return derivatives of all outputs at the present point, shape (no, nc)."""
    e = integration.point
    ns, nu = e.s.size, e.u.size
    directions = np.zeros((e.whole_variation.size, len(wanted)))
    directions[:ns] = columns[:ns]
    for k, name in enumerate(wanted):
        if name in parameters:
            directions[ns + 1 + nu + parameters.index(name), k] = 1.0
    found = _changes(e, directions)[ns:]
    for row, place in enumerate(e.numbers):
        step, held = BESIDE * integration.nominal[ns + row], float(e.d[place])
        ends = []
        for side in (step, -step):
            e.d[place] = held + side
            ends.append(e.output().copy())
        e.d[place] = held
        found += np.outer((ends[0] - ends[1]) / (2 * step), columns[ns + row])
    return found
