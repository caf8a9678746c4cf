"""The task of simulating from many points: one by one, or many in lanes as `simulate_many`."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.model import checks
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import CompilerError, ModelError
from mbcore.model.variables import Value
from mbcore.native.batch import Outcome, batch_of
from mbcore.results.result import Result
from mbcore.simulation.backends import compile_ahead
from mbcore.simulation.simulate import simulate
from mbcore.sweeps.instances.lanes import LaneTask
from mbcore.sweeps.model_task import ModelTask
from mbcore.sweeps.outcome import Labelled, scalar
from mbcore.sweeps.points import Point
from mbcore.sweeps.source import Makes, Source

OWNER = "simulations"
MANY = 500
"""Points for which it pays to compile the model in vector lanes."""
Outputs = Sequence[str] | Callable[[Result], Any] | None
"""Names of columns, or a function of a result."""


class Simulations(ModelTask):
    """See `simulations`."""

    def __init__(
        self,
        source: Source,
        until: Value,
        start: Mapping[str, Value] | None,
        parameters: Mapping[str, Value] | None,
        inputs: Mapping[str, Any] | None,
        outputs: Outputs,
        samples: int | Sequence[float] | None,
        options: Mapping[str, Any],
    ) -> None:
        super().__init__(source, start, parameters, inputs)
        summary = outputs if callable(outputs) else None
        outputs = None if callable(outputs) else outputs
        refuse_unknown_options(OWNER, options)
        self.until = checks.real(OWNER, "until", until, above=0.0, unit="s")
        self.outputs = None if outputs is None else checks.names(OWNER, "outputs", outputs)
        self.samples, self.summary, self.options = samples, summary, dict(options)

    def prepare(self, points: int) -> None:
        """Refuse unknown outputs, and compile for the C backend once for all points."""
        equations = self.equations
        refuse_unknown_columns(OWNER, equations, self.outputs or ())
        in_c = self.options.get("backend") == "c"
        if (in_c or points >= MANY) and self.lane_task().fits(()):
            with suppress(CompilerError):  # each run says why, and goes on in Python
                batch_of(equations, compile_it=True)
        if in_c:
            compile_ahead(equations, self.options.get("method", "auto"))

    def at_many(self, points: Sequence[Point]) -> tuple[np.ndarray, dict[str, Labelled]]:
        """Return the points that were simulated in vector lanes, and their outcomes."""
        none = np.zeros(len(points), bool), dict[str, Labelled]()
        lanes = self.lane_task()
        if self.summary is not None or not lanes.fits([*points[0]]):
            return none
        with suppress(CompilerError):
            if (batch := batch_of(self.equations, compile_it=False)) is None:
                return none
            self.given(points[0])  # refuses unknown names
            swept = {name: np.array([point[name] for point in points]) for name in points[0]}
            lanes.compare_rates(swept)
            rows, outcome = lanes.run(batch, swept)
            done = outcome == Outcome.DONE
            return done, self._labelled(lanes, rows[done], points[0])
        return none

    def lane_task(self) -> LaneTask:
        """Return the same for many instances at once."""
        return LaneTask(
            self.equations,
            self.until,
            self.states,
            self.parameters,
            self.inputs,
            self._names(),
            self.samples,
            self.options,
        )

    def with_inputs(self, inputs: Mapping[str, Any]) -> Simulations:
        """Return the same with more inputs."""
        more = copy.copy(self)
        more.inputs = {**self.inputs, **inputs}
        return more

    def _names(self) -> Sequence[str]:
        """Return the columns that are returned."""
        if self.outputs is not None:
            return self.outputs
        q = self.equations
        return [r.name for rs in (q.states, q.inputs, q.discretes, q.outputs) for r in rs]

    def _labelled(self, lanes: LaneTask, rows: np.ndarray, point: Point) -> dict[str, Labelled]:
        q = self.equations
        units = {r.name: r.unit for rs in (q.states, q.inputs, q.discretes, q.outputs) for r in rs}
        made = {}
        for k, name in enumerate(lanes.names):
            about = {"units": units[name]} if units[name] else {}
            if self.samples is None:
                made[_shown(name, point, False)] = Labelled(rows[:, -1, k], (), about)
            else:
                along = {"time": lanes.times}
                made[_shown(name, point, True)] = Labelled(
                    rows[:, :, k], ("time",), {"units": units[name]}, along
                )
        return made

    def __call__(self, point: Point) -> Any:
        """Return final values, values over time, or the summary of a run."""
        at = self.given(point)
        run = simulate(
            self.equations,
            self.until,
            start=at.states,
            parameters=at.parameters,
            inputs=at.inputs,
            samples=self.samples,
            progress=False,
            **self.options,
        )
        if self.summary is not None:
            return self.summary(run)
        names = run.columns if self.outputs is None else self.outputs
        courses = self.samples is not None
        made = {}
        for name in names:
            column, unit = np.asarray(run[name], float), run.units.get(name, "")
            shown = _shown(name, point, courses)
            if courses:
                along = {"time": run.time}
                made[shown] = Labelled(column, ("time",), {"units": unit}, along)
            else:
                made[shown] = scalar(column[-1], unit)
        return made


def refuse_unknown_options(owner: str, options: Iterable[str]) -> None:
    """Refuse names that are not arguments of `simulate`.

    Raises
    ------
    ModelError
        With these names.
    """
    if unknown := sorted({*options} - inspect.signature(simulate).parameters.keys()):
        raise ModelError(f"{owner}: simulate has no argument {', '.join(unknown)}")


def refuse_unknown_columns(owner: str, equations: Equations, names: Iterable[str]) -> None:
    """Refuse names that no column of results has.

    Raises
    ------
    ModelError
        With the first of them, and all that there is.
    """
    groups = (equations.states, equations.inputs, equations.discretes, equations.outputs)
    known = [record.name for records in groups for record in records]
    for name in names:
        if name not in known:
            raise ModelError(f"{owner}: no result {name!r}; there is {', '.join(known)}")


def _shown(name: str, point: Point, courses: bool) -> str:
    """Return the name of a column, which may be swept itself."""
    return f"{name}.{'course' if courses else 'final'}" if name in point else name


@explains_arguments
def simulations(
    equations: Makes,
    until: Value,
    *,
    start: Mapping[str, Value] | None = None,
    parameters: Mapping[str, Value] | None = None,
    inputs: Mapping[str, Any] | None = None,
    outputs: Outputs = None,
    samples: int | Sequence[float] | None = None,
    **options: Any,
) -> Simulations:
    """Return the task of simulating at every point of a sweep.

    States that are swept are start values.

    Parameters
    ----------
    equations : Equations, Model, callable or str
        As for `linearizations`.
    until : float
        End time, s.
    start, parameters, inputs
        As for `mbcore.simulate`, the same at all points.
    outputs : sequence of str or callable, optional
        Columns of the results that are returned; all by default. One that is swept is called
        ``name.final``, or ``name.course``. Or a function that returns numbers by name from the
        `mbcore.Result` of a run.
    samples : int or sequence of float, optional
        Return the values at these times, along the dimension ``time``, s; by default the final
        values.
    **options
        Others of `mbcore.simulate`, such as ``rtol``.

    Raises
    ------
    ModelError
        If an argument is impossible.
    """
    return Simulations(
        Source(equations), until, start, parameters, inputs, outputs, samples, options
    )
