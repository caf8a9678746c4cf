"""Many instances of one model over time, in vector lanes and threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from mbcore.codegen.compiler import CompilerError
from mbcore.equations.equations import Equations, checked_equations
from mbcore.host.backend import Backend, checked_backend
from mbcore.model import checks
from mbcore.model.errors import ModelError, SimulationError, warn_user
from mbcore.model.interface.values import checked_values
from mbcore.model.variables import Input, Parameter, State, Value
from mbcore.native.batch import Outcome, batch_of
from mbcore.native.signals import Function
from mbcore.simulation.simulate import LONG
from mbcore.sweeps.lane_inputs import functions_of_instances
from mbcore.sweeps.lane_runs import LaneTask
from mbcore.sweeps.model_task import by_name
from mbcore.sweeps.outcome import outcome
from mbcore.sweeps.points import refuse_beyond_memory
from mbcore.sweeps.simulations import (
    Simulations,
    refuse_unknown_columns,
    refuse_unknown_options,
)
from mbcore.sweeps.source import Source

if TYPE_CHECKING:
    import xarray

OWNER = "simulate_many"
INSTANCE = "instance"
ERROR = "error"
NOT_REACHED = "not simulated: interrupted"


def simulate_many(
    equations: Equations,
    until: Value,
    *,
    start: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
    outputs: Sequence[str] | None = None,
    samples: int | Sequence[float] | None = None,
    threads: int | None = None,
    progress: bool = True,
    backend: Backend = "auto",
    **options: Any,
) -> xarray.Dataset:
    """Integrate many instances of one model from t = 0, several in one vector of the processor.

    An instance is integrated in a lane of vectors. For an event, and as long as a contact is closed
    or a slip held, it leaves the lane and goes on by itself. At a singular configuration, or where
    something is violated, `mbcore.simulate` repeats it from its start. Steps end at the times of
    results. What comes of an instance does not depend on the others, nor on the number of lanes or
    threads, to the bit; it differs from what `mbcore.simulate` returns by errors within the
    tolerance.

    Parameters
    ----------
    equations : Equations
        What to simulate.
    until : float or str
        End time, s.
    start, parameters, inputs : mapping of str to value or array, shape (n,)
        Values of all instances where they are arrays, the same for all where they are numbers. An
        input may be a function of time, or a list with one for each instance, or a spline or
        piecewise polynomial of `scipy.interpolate` with values of shape (n,), as in
        ``CubicSpline(times, table)`` with a column of ``table`` for each instance. Polynomials are
        evaluated in C, and steps end where one or its slope jumps; other functions are called.
    outputs : sequence of str, optional
        Columns that are returned: states, discrete variables, inputs, outputs. All by default, but
        of inputs only functions of time.
    samples : int or sequence of float, optional
        Number of equidistant results or their times, s; by default the end alone.
    threads : int, optional
        How many; as many as there are processors by default.
    progress : bool
        Show a bar on runs that take longer than two seconds.
    backend : {"auto", "python", "c"}
        ``python`` simulates one by one, without a compiler. Vectors need one; without it, a warning
        says why, and Python goes on.
    **options
        Others of `mbcore.simulate`: ``method``, ``rtol``, ``atol``, ``max_step``, ``breaks``.
        Implicit methods are not in lanes, so instances are simulated one by one.

    Returns
    -------
    xarray.Dataset
        Columns over ``instance`` and ``time``; the values that arrays gave over ``instance``, start
        values as ``NAME.start``; and ``error``, why an instance has no values, empty where it has.
        After an interrupt, instances that had not ended have none.

    Raises
    ------
    ModelError
        If a name is unknown, arrays differ in length, or a value is impossible for all.
    SimulationError
        If all instances fail.
    """
    checked_equations(OWNER, equations)
    checked_backend(backend)
    arrays, own, task = _task(
        equations, until, start, parameters, inputs, outputs, samples, options
    )
    count = _number_of_instances({name: len(values) for name, values in (arrays | own).items()})
    if backend != "auto":
        task.options["backend"] = backend
    instances = _Instances(task, arrays, own, count)
    with tqdm(
        total=count,
        delay=LONG,
        unit=" instances",
        disable=None if progress else True,  # None: on terminals only
        leave=False,
    ) as bar:
        try:
            instances.run_in_lanes(_number_of(threads), lambda done: bar.update(done - bar.n))
            instances.run_others(lambda: bar.update(1))
        except KeyboardInterrupt:
            warn_user(f"{OWNER}: interrupted; {instances.ended} of {count} instances have ended")
    return instances.dataset()


def _task(
    equations: Equations,
    until: Value,
    start: Mapping[str, Any] | None,
    parameters: Mapping[str, Any] | None,
    inputs: Mapping[str, Any] | None,
    outputs: Sequence[str] | None,
    samples: int | Sequence[float] | None,
    options: Mapping[str, Any],
) -> tuple[dict[str, np.ndarray], dict[str, Sequence[Function]], Simulations]:
    """Return values and inputs that differ between instances, and the task of simulating one."""
    refuse_unknown_options(OWNER, options)
    shared: dict[str, dict[str, Any]] = {}
    arrays: dict[str, np.ndarray] = {}
    own: dict[str, Sequence[Function]] = {}
    given = {"start": start, "parameters": parameters, "inputs": inputs}
    for kind, values in given.items():
        shared[kind] = {}
        for name, value in by_name(kind, values).items():
            functions = _functions(equations, name, value) if kind == "inputs" else None
            if functions is not None:
                own[name] = functions
            elif _is_array(name, value):
                arrays[name] = _numbers(equations, kind, name, value)
            else:
                shared[kind][name] = value
    if outputs is None:
        q = equations
        timed = [r for r in q.inputs if r.name in own or callable(shared["inputs"].get(r.name))]
        outputs = [r.name for rs in (q.states, q.discretes, timed, q.outputs) for r in rs]
    elif callable(outputs):
        raise ModelError(f"{OWNER}: outputs is a function; give names of columns")
    refuse_unknown_columns(OWNER, equations, checks.names(OWNER, "outputs", outputs))
    task = Simulations(
        Source(equations),
        checks.real(OWNER, "until", until, above=0.0, unit="s"),
        shared["start"],
        shared["parameters"],
        shared["inputs"],
        outputs,
        samples,
        options,
    )
    task.prepare(0)
    task.lane_task().control()  # refuses impossible options before any instance
    return arrays, own, task


def _number_of_instances(lengths: Mapping[str, int]) -> int:
    """Return how many instances there are, of which each array or list has a value.

    Raises
    ------
    ModelError
        If nothing differs, numbers of values do, or there are none.
    """
    if not lengths:
        raise ModelError(
            f"{OWNER}: give an array of values for at least one start, parameter or input"
        )
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ModelError(f"{OWNER}: arrays of different lengths: {shown}; give one value for each")
    if not next(iter(lengths.values())):
        raise ModelError(f"{OWNER}: {next(iter(lengths))} is empty; give at least one instance")
    return next(iter(lengths.values()))


def _is_array(name: str, value: object) -> bool:
    """Return whether there is a value for each instance, not one for all.

    Raises
    ------
    ModelError
        If it is an array of another shape, or a set, which has no order.
    """
    if isinstance(value, set | frozenset):
        raise ModelError(f"{OWNER}: {name} is a set, which has no order; give a list")
    shape = np.shape(np.asarray(value, object))
    if len(shape) > 1:
        raise ModelError(f"{OWNER}: {name} has the shape {shape}; give one number an instance")
    return len(shape) == 1


def _numbers(equations: Equations, kind: str, name: str, values: Any) -> np.ndarray:
    """Return the values of a name, of the kind as which it is given.

    Raises
    ------
    ModelError
        If there is no such name, or a value is no number.
    """
    record = _record_of(equations, kind, name)
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        return values.astype(float)
    return np.array([_number(record, value) for value in values])


def _number(record: State | Parameter | Input, value: object) -> float:
    """Return a value as a number; it may be a text with its unit, or the name of an item."""
    if isinstance(record, Parameter) and isinstance(value, str):
        return float(checked_values("parameter", [record], {record.name: value})[0])
    return checks.scalar(f"{OWNER}: {record.name}", value, record.unit)


def _functions(equations: Equations, name: str, value: Any) -> Sequence[Function] | None:
    """Return the functions of time of all instances; None where none are given.

    Raises
    ------
    ModelError
        If there is no such input, or something else is among them.
    """
    return functions_of_instances(OWNER, name, value, _record_of(equations, "inputs", name).unit)


def _record_of(equations: Equations, kind: str, name: str) -> State | Parameter | Input:
    """Return the record of a name, of the kind as which it is given.

    Raises
    ------
    ModelError
        If there is no such name.
    """
    of: dict[str, Sequence[State | Parameter | Input]] = {
        "start": equations.states,
        "parameters": equations.parameters,
        "inputs": equations.inputs,
    }
    records = {record.name: record for record in of[kind]}
    if name not in records:
        what = {"start": "state", "parameters": "parameter", "inputs": "input"}[kind]
        there = ", ".join(records) or "none"
        raise ModelError(f"{OWNER}: there is no {what} {name!r}; there is {there}")
    return records[name]


def _number_of(threads: int | None) -> int:
    if threads is None:
        return 0
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 1:
        raise ModelError(f"{OWNER}: threads = {threads!r}; give a number of threads, as in 2")
    return int(threads)


class _Instances:
    """All instances, and what has come of them so far."""

    def __init__(
        self,
        task: Simulations,
        arrays: dict[str, np.ndarray],
        own: dict[str, Sequence[Function]],
        count: int,
    ) -> None:
        self._task, self._arrays, self._own, self._count = task, arrays, own, count
        self._lanes: LaneTask = task.lane_task()
        self._times = self._lanes.times
        each = 8 * len(self._times) * len(self._lanes.names)
        refuse_beyond_memory(
            f"{OWNER}: {count} instances with their results",
            count * each,
            "take fewer instances at a time, fewer samples or fewer outputs",
        )
        self._rows = np.empty((0, len(self._times), len(self._lanes.names)))
        self._outcome = np.full(count, Outcome.LEFT_TO_HOST, np.uint8)
        self._errors: dict[int, str] = {}
        self._warnings: dict[int, str] = {}

    @property
    def ended(self) -> int:
        """Number of those that have values, or an error."""
        return int(np.count_nonzero(self._outcome == Outcome.DONE)) + len(self._errors)

    def run_in_lanes(self, threads: int, report: Any) -> None:
        """Run those that meet no singular configuration and no violation."""
        if not self._lanes.fits([*self._arrays, *self._own]):
            return
        try:
            batch = batch_of(self._lanes.equations, compile_it=True)
        except CompilerError as error:
            warn_user(f"{OWNER}: {error}; instances are simulated one by one")
            return
        if batch is not None:
            self._rows, self._outcome = self._lanes.run(
                batch, self._arrays, self._own, threads, report
            )
            if np.any(self._outcome == Outcome.NOT_BEGUN):
                raise KeyboardInterrupt

    def run_others(self, report: Any) -> None:
        """Simulate the others one by one."""
        if not len(self._rows):
            self._rows = np.full((self._count, *self._rows.shape[1:]), np.nan)
        for k in np.flatnonzero(self._outcome == Outcome.LEFT_TO_HOST):
            index = int(k)
            point = {name: float(array[index]) for name, array in self._arrays.items()}
            own = {name: functions[index] for name, functions in self._own.items()}
            found = outcome(self._task.with_inputs(own), index, point)
            for place, part in enumerate(found.values.values()):
                self._rows[index, :, place] = part.values
            if found.error:
                self._errors[index] = found.error
            else:
                self._outcome[index] = Outcome.DONE
            if found.warning:
                self._warnings[index] = found.warning
            report()

    def dataset(self) -> xarray.Dataset:
        """Return all as a dataset, and warn of what failed.

        Raises
        ------
        SimulationError
            If there is nothing.
        """
        import xarray  # slow to import, so it is imported only on demand

        self._warn()
        q = self._task.equations
        records = [r for rs in (q.states, q.discretes, q.inputs, q.outputs) for r in rs]
        about = {r.name: {"units": r.unit, "long_name": r.description or r.name} for r in records}
        data: dict[str, Any] = {
            name: ((INSTANCE, "time"), self._rows[:, :, k], about[name])
            for k, name in enumerate(self._lanes.names)
        }
        messages = np.full(self._count, "", dtype=object)
        messages[self._outcome != Outcome.DONE] = NOT_REACHED
        for index, text in self._errors.items():
            messages[index] = text
        data[ERROR] = (INSTANCE, messages, {"long_name": "why there are no values, else empty"})
        coordinates: dict[str, Any] = {"time": ("time", self._times, {"units": "s"})}
        coordinates[INSTANCE] = np.arange(self._count)
        units = self._task.units()
        states = {record.name for record in q.states}
        for name, array in self._arrays.items():
            shown = f"{name}.start" if name in states else name
            coordinates[shown] = (INSTANCE, array, {"units": units[name]})
        return xarray.Dataset(data, coordinates, {"name": q.name})

    def _warn(self) -> None:
        if self._errors:
            first = min(self._errors)
            text = f"first {INSTANCE} {first}: {self._errors[first]}"
            if len(self._errors) == self._count:
                raise SimulationError(f"{OWNER}: all {self._count} instances fail, {text}")
            warn_user(
                f"{OWNER}: {len(self._errors)} of {self._count} instances have no values, see the "
                f"variable error; {text}"
            )
        if self._warnings:
            first = min(self._warnings)
            warn_user(
                f"{OWNER}: {len(self._warnings)} of {self._count} instances warned, first "
                f"{INSTANCE} {first}: {self._warnings[first]}"
            )
