"""Many instances of one model over time, in vector lanes and threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from tqdm import tqdm

from mbcore.equations.equations import Equations, checked_equations
from mbcore.evaluation.input_table import tell_ends
from mbcore.host.backend import Backend, checked_backend
from mbcore.host.long_runs import LongRun
from mbcore.host.memory import memory, refuse_beyond_memory
from mbcore.model import checks
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.model.interface.values import checked_value
from mbcore.model.variables import Input, Parameter, State, Value, type_of
from mbcore.native.signals import Function
from mbcore.results.store import Store
from mbcore.simulation.simulate import LONG
from mbcore.sweeps.instance_portion import ERROR, INSTANCE, OWNER, Findings, Portion
from mbcore.sweeps.instances.inputs import functions_of_instances
from mbcore.sweeps.model_task import by_name
from mbcore.sweeps.simulations import (
    Simulations,
    refuse_unknown_columns,
    refuse_unknown_options,
)
from mbcore.sweeps.source import Source

if TYPE_CHECKING:
    import xarray

PORTION = 64
"""Part of the memory, one in so many, that a portion's results may take where there is a file."""
FEWER = "fewer instances, fewer samples or fewer outputs"


@explains_arguments
def simulate_many(
    equations: Equations,
    until: Value,
    *,
    start: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
    outputs: Sequence[str] | None = None,
    samples: int | Sequence[float] | None = None,
    store: str | Path | None = None,
    threads: int | None = None,
    progress: bool = True,
    backend: Backend = "auto",
    **options: Any,
) -> xarray.Dataset:
    """Integrate many instances of one model from t = 0, several in one vector of the processor.

    An instance is integrated in a lane of vectors. For an event, and as long as a contact is closed
    or a slip held, it leaves the lane and goes on by itself. At a singular configuration, or where
    something is violated, `mbcore.simulate` repeats it from its start. Steps end at the times of
    results. An instance has the same results, to the bit, whatever the others and the number of
    lanes or threads; they differ from those of `mbcore.simulate` by errors within the tolerance.

    Parameters
    ----------
    equations : Equations
        Equations to simulate.
    until : float or str
        End time, s.
    start, parameters, inputs : mapping of str to value or array, shape (n,)
        Values of all instances where they are arrays, the same for all where they are numbers. An
        input may be a function of time, as those of a `mbcore.InputTable`, or a list with one for
        each instance, or a spline or piecewise polynomial of `scipy.interpolate` with values of
        shape (n,), as in
        ``CubicSpline(times, table)`` with a column of ``table`` for each instance. Polynomials are
        evaluated in C, and steps end where one or its slope jumps; other functions are called.
    outputs : sequence of str, optional
        Columns that are returned: states, discrete variables, inputs, outputs. All by default, but
        of inputs only functions of time.
    samples : int or sequence of float, optional
        Number of equidistant results or their times, s; by default the end alone.
    store : str or path, optional
        A new file, ``.nc``, for results that are larger than the memory: instances are written to
        it portion by portion, and the dataset reads from it. `xarray.open_dataset` opens it later.
    threads : int, optional
        How many; as many as there are processors by default.
    progress : bool
        Show a bar on runs that take longer than two seconds, on terminals; elsewhere, tell the time
        of those that take more than a minute.
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
        After an interrupt, instances that had not ended have none; of those in a ``store`` only the
        portions that were begun are there.

    Raises
    ------
    ModelError
        If a name is unknown, arrays differ in length, or a value is impossible for all; if results
        are larger than the memory without a ``store``, or it is there already or cannot be written.
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
    everything, findings = Portion(task, arrays, own), Findings(count)
    with _bar(count, progress) as bar:
        estimate = LongRun(OWNER, count, progress)
        estimate.at(0)

        def report(ended: int) -> None:
            bar.update(max(0, ended - bar.n))
            estimate.at(ended)

        run = partial(_run, threads=_number_of(threads), report=report)
        if store is not None:
            found = _in_a_file(everything, store, run, findings)
        else:
            found = _in_memory(everything, run, findings)
    findings.tell()
    return found


def _bar(count: int, progress: bool) -> tqdm:
    return tqdm(
        total=count,
        delay=LONG,
        unit=" instances",
        disable=None if progress else True,  # None: on terminals only
        leave=False,
    )


def _run(portion: Portion, threads: int, report: Callable[[int], None]) -> bool:
    """Run a portion; return whether the user has interrupted."""
    return portion.run(threads, lambda ended: report(portion.first + ended))


def _in_memory(
    everything: Portion, run: Callable[[Portion], bool], findings: Findings
) -> xarray.Dataset:
    """Run all at once, and return them.

    Raises
    ------
    ModelError
        If they are larger than the memory.
    """
    refuse_beyond_memory(
        f"{OWNER}: {len(everything)} instances with their results",
        len(everything) * everything.bytes_each,
        f"give a file for them, store='results.nc', or take {FEWER}",
    )
    interrupted = run(everything)
    findings.add(everything)
    if interrupted:
        findings.tell_of_interrupt()
    return everything.dataset()


def _in_a_file(
    everything: Portion, path: str | Path, run: Callable[[Portion], bool], findings: Findings
) -> xarray.Dataset:
    """Run portions one after the other, and return what is in the file.

    Raises
    ------
    ModelError
        If the file cannot be written, or the results of one instance are larger than the memory.
    """
    refuse_beyond_memory(
        f"{OWNER}: the results of one instance",
        everything.bytes_each,
        "take fewer samples or fewer outputs",
    )
    size = max(1, memory() // PORTION // everything.bytes_each)
    interrupted = False
    with Store(OWNER, path, everything.part(0, 1).dataset(), INSTANCE) as store:
        store.refuse_beyond_disk(len(everything), f"take {FEWER}")
        try:
            for first in range(0, len(everything), size):
                portion = everything.part(first, first + size)
                interrupted = run(portion)
                behind = portion.reached if interrupted else len(portion)
                store.append(portion.dataset().isel({INSTANCE: slice(0, behind)}))
                findings.add(portion)
                if interrupted:
                    break
        except KeyboardInterrupt:  # while a portion was written
            interrupted = True
    if interrupted:
        findings.tell_of_interrupt(
            f"; {path} holds the first {store.count}, see the variable error"
        )
    return store.dataset()


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
    _refuse_names(outputs)
    end = checks.real(OWNER, "until", until, above=0.0, unit="s")
    tell_ends(OWNER, inputs, end)
    task = Simulations(
        Source(equations),
        end,
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


def _refuse_names(outputs: Sequence[str]) -> None:
    """Refuse no columns, and those that have names of the dataset's own.

    Raises
    ------
    ModelError
        With the names.
    """
    if not outputs:
        raise ModelError(f"{OWNER}: outputs is empty; name a state or an output")
    if taken := [name for name in outputs if name in (ERROR, INSTANCE, "time")]:
        raise ModelError(
            f"{OWNER}: {taken[0]} is a name that the dataset itself uses; rename it in the "
            "model, or leave it out of outputs"
        )


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
        If there is no such name, or a value is not a number.
    """
    record = _record_of(equations, kind, name)
    plain = isinstance(values, np.ndarray) and values.dtype.kind in "fiu"
    if plain and type_of(record) == "real":
        return values.astype(float)
    return np.array([_number(record, value) for value in values])


def _number(record: State | Parameter | Input, value: object) -> float:
    """Return a value as a number; it may be a text with its unit, or the name of an item."""
    if not isinstance(record, State) and (isinstance(value, str) or type_of(record) != "real"):
        kind = "parameter" if isinstance(record, Parameter) else "input"
        return checked_value(kind, record, cast(Value, value))
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
