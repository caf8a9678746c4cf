"""Simulations of many instances at once, in vector lanes.

Used by `mbcore.sweeps.simulations` and `mbcore.sweeps.instance_portion`, which simulate the other
instances one by one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.many_points import rows_of
from mbcore.host.backend import Backend
from mbcore.integrators.method import Method
from mbcore.integrators.table import method_named
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.model.variables import Input, Parameter, State, type_of
from mbcore.native.batch import Batch, BatchControl, Interrupted, Outcome
from mbcore.native.compiled import compilation
from mbcore.native.signals import Function
from mbcore.simulation.arguments import check_run, control_of, sample_times
from mbcore.simulation.coordinate_changes import JUDGED_BELOW, NEAR_SINGULARITY, may_change
from mbcore.sweeps.instances.inputs import TimedInputs

_OPTIONS: dict[str, Any] = {
    **{"method": "DOP853", "rtol": 1e-9, "atol": 1e-11, "max_step": np.inf},
    "breaks": (),
}
"""Those of `mbcore.simulate` that lanes know, with their default values."""
_OTHERS = {"backend", "progress", "singular"}
"""Those that change nothing in lanes."""


@dataclass(frozen=True)
class LaneTask:
    """Data that all instances share.

    Attributes
    ----------
    equations : Equations
    until : float
        End time, s.
    states, parameters, inputs : mapping of str to value
        Values that differ from the model's.
    names : sequence of str
        Columns that are kept.
    samples : int or sequence of float, optional
        Times of rows; the end alone where it is None.
    options : mapping of str to object
        Of `mbcore.simulate`.
    """

    equations: Equations
    until: float
    states: Mapping[str, Any]
    parameters: Mapping[str, Any]
    inputs: Mapping[str, Any]
    names: Sequence[str]
    samples: int | Sequence[float] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def method(self) -> Method:
        """The method of integration."""
        return method_named(str(self.options.get("method", _OPTIONS["method"])))

    @property
    def times(self) -> np.ndarray:
        """Times of rows, s."""
        found = sample_times(self.samples, self.until)
        return np.array([self.until]) if found is None else found

    @property
    def _backend(self) -> Backend:
        asked: Backend = self.options.get("backend", "auto")
        return compilation(self.equations).chosen() if asked == "auto" else asked

    def fits(self, swept: Sequence[str]) -> bool:
        """Return whether lanes can do it, where values of these names are swept."""
        q = self.equations
        followed = {record.start_input for record in q.states}
        items = {record.name for record in q.parameters if type_of(record) != "real"}
        known = self.options.keys() <= {*_OPTIONS, *_OTHERS}
        return (
            known
            and self._backend != "python"
            and self.method.tableau is not None
            and not (q.superposed or (followed | items).intersection(swept))
        )

    def run(
        self,
        batch: Batch,
        swept: Mapping[str, np.ndarray],
        own: Mapping[str, Sequence[Function]] | None = None,
        threads: int = 1,
        report: Callable[[int], object] = lambda done: None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Run; return rows, shape (n, times, columns), and what has come of each, (n,).

        Parameters
        ----------
        batch : Batch
            The model in lanes.
        swept : mapping of str to ndarray, shape (n,)
            Values that differ.
        own : mapping of str to sequence of callable, optional
            Inputs that are another function of time for each instance.
        threads : int
            How many.
        report : callable
            Called with the number of instances that have ended.

        Raises
        ------
        ModelError
            If a name is unknown or a value, which all share, is impossible.
        Interrupted
            With what is done.
        """
        timed = TimedInputs(self.equations, self.inputs, own or {})
        start = Evaluation(self.equations, self.parameters, timed.constants)
        start.go_to_start(self.states)
        differing = {**swept, **timed.starts}
        rows, allowed = rows_of(start, differing)
        if not batch.knows_mass:
            allowed &= [self._starts(timed, differing, k) for k in range(len(rows))]
        control = self.control()
        control = replace(control, signals=[s.of(allowed) for s in timed.signals])

        def of_all(found: np.ndarray, outcome: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            if allowed.all():  # results are large: no copy
                return found, outcome
            everything = np.full((len(rows), *found.shape[1:]), np.nan)
            outcomes = np.full(len(rows), Outcome.LEFT_TO_HOST, np.uint8)
            everything[allowed], outcomes[allowed] = found, outcome
            return everything, outcomes

        try:
            return of_all(*batch.run(rows[allowed], control, threads, report))
        except Interrupted as error:
            raise Interrupted(*of_all(error.rows, error.outcome)) from None

    def _instance(
        self, timed: TimedInputs, swept: Mapping[str, np.ndarray], index: int
    ) -> tuple[Evaluation, dict[str, Any]]:
        """Return a point with an instance's parameters and inputs, and its start values.

        Raises
        ------
        ModelError
            If one is impossible.
        """
        q = self.equations

        def all_of(
            shared: Mapping[str, Any], records: Sequence[State | Input | Parameter]
        ) -> dict[str, Any]:
            names = {record.name for record in records}.intersection(swept)
            return {**shared, **{name: float(swept[name][index]) for name in names}}

        parameters = all_of(self.parameters, q.parameters)
        e = Evaluation(q, parameters, all_of(timed.constants, q.inputs))
        return e, all_of(self.states, q.states)

    def _starts(self, timed: TimedInputs, swept: Mapping[str, np.ndarray], index: int) -> bool:
        """Return whether an instance can be started, and every motion moves mass."""
        try:
            e, states = self._instance(timed, swept, index)
            e.start(states)
        except (ModelError, ConfigurationError, SimulationError):
            return False
        return True

    def compare_rates(
        self,
        swept: Mapping[str, np.ndarray],
        own: Mapping[str, Sequence[Function]] | None = None,
    ) -> None:
        """Warn of inputs that contradict their rates in the first instance.

        Parameters
        ----------
        swept, own
            As for `run`.

        Raises
        ------
        ModelError
            If a name is unknown or a value, which all share, is impossible.
        """
        if not any(record.rate for record in self.equations.inputs):
            return
        timed = TimedInputs(self.equations, self.inputs, own or {})
        try:
            e, states = self._instance(timed, {**swept, **timed.starts}, 0)
        except ModelError:
            return  # its error is told with the instance
        timed.compare_rates(e, states, self.until, self.control().breaks)

    def control(self) -> BatchControl:
        """Return how instances are integrated.

        Raises
        ------
        ModelError
            If an option is impossible.
        """
        q = self.equations
        settings = _OPTIONS | {n: v for n, v in self.options.items() if n in _OPTIONS}
        asked = check_run(self.until, **settings)
        control = control_of(asked, q)
        switches = may_change(q, self.options.get("singular"))
        known = [r.name for rs in (q.states, q.discretes, q.inputs, q.outputs) for r in rs]
        return BatchControl(
            method=asked.method,
            rtol=control.rtol,
            atol=control.atol,
            max_step=min(control.max_step, sys.float_info.max),
            conditioning_threshold=JUDGED_BELOW if switches else NEAR_SINGULARITY,
            times=self.times,
            columns=[known.index(name) for name in self.names],
            breaks=asked.breaks,
        )
