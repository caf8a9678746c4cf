"""One call: a task at all points, its values as one dataset."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from tqdm import tqdm

from mbcore.host.backend import Backend, takes_backend
from mbcore.host.long_runs import LongRun
from mbcore.model import checks
from mbcore.model.calls import explains_arguments, explains_construction
from mbcore.model.errors import ModelError, SimulationError, warn_user
from mbcore.sweeps.checkpoint import Checkpoint
from mbcore.sweeps.cluster import OnCluster, threads_of
from mbcore.sweeps.gathered import Gathered
from mbcore.sweeps.identity import title_of
from mbcore.sweeps.measured import Measured
from mbcore.sweeps.model_task import ModelTask
from mbcore.sweeps.outcome import EvaluatedBy, Outcome, Outcomes, Task, number_of
from mbcore.sweeps.points import points_of
from mbcore.sweeps.portions import Portions
from mbcore.sweeps.processes import Processes, method_of
from mbcore.sweeps.samples import checked_seed
from mbcore.sweeps.workers import Here

if TYPE_CHECKING:
    import xarray

LONG = 2.0
"""Seconds after which a progress bar appears."""
SEEDS = 2**32

Crew = Here | Processes | Measured | OnCluster


@explains_construction
@dataclass(frozen=True)
class Samples:
    """Points of a sweep that do not form a grid.

    Attributes
    ----------
    number : int, optional
        How many; a grid where there is none.
    seed : int, optional
        By default another one each time, which is kept in ``attrs``.
    design : {"random", "latin", "sobol"}
        How distributions are sampled: independently, by a Latin hypercube, or by Sobol's scrambled
        sequence, where the number of samples is a power of two.
    """

    number: int | None = None
    seed: int | None = None
    design: Literal["random", "latin", "sobol"] = "random"


@explains_construction
@dataclass(frozen=True)
class Workers:
    """The processes that run the points of a sweep.

    Attributes
    ----------
    number : int, optional
        Number of processes; by default as many as pay, see `sweep`.
    client : dask.distributed.Client, optional
        A cluster that evaluates the points instead.
    start_method : {"fork", "spawn", "forkserver"}, optional
        How processes are started. By default they are forked on Linux and inherit the task; where
        they are spawned, the task must be importable, and a script must call ``sweep`` under
        ``if __name__ == "__main__"``.
    """

    number: int | None = None
    client: Any = None
    start_method: Literal["fork", "spawn", "forkserver"] | None = None


@takes_backend
@explains_arguments
def sweep(
    task: Task,
    parameters: Mapping[str, Any],
    *,
    samples: int | Samples | None = None,
    workers: int | Workers | None = None,
    progress: bool = True,
    keep: str | Path | None = None,
    errors: Literal["keep", "raise"] = "keep",
    backend: Backend = "auto",
) -> xarray.Dataset:
    """Evaluate a task at many values of parameters, in several processes.

    Parameters
    ----------
    task : callable
        Gets the values of one point by name, and returns a number, an array, a mapping of names to
        these (also ``xarray.DataArray``, whose dimensions and units stay), or a `mbcore.Result`
        (final values), `mbcore.Linearization` (eigenvalues, growth, stability) or
        `mbcore.SteadyMotion`. `mbcore.linearizations`, `mbcore.simulations` and
        `mbcore.steady_motions` make tasks about equations, which each process has once; the names
        then are parameters, inputs or states.
    parameters : mapping of str to sequence of float
        Values by name: a grid, of which every combination is a point. For tasks about equations
        also texts with units, ``["10 km/h", "20 km/h"]``, and items of enumerations by their names.
    samples : int or Samples, optional
        Number of points that do not form a grid, or how they are drawn: each parameter then is a
        sequence of so many values, or a frozen distribution of ``scipy.stats``.
    workers : int or Workers, optional
        Number of processes, or a record of workers. By default the first points are timed, and as
        many processes are started, up to the processors that this one may use, as save more time
        than they cost; ``attrs["workers"]`` gives their number and the reason. A point whose
        process dies then is an error of this point: functions of the user's are called in other
        processes only, `mbcore.linearizations` and its kin without such functions in this one too.
        With 1 all is done in this process. Values do not depend on it.
    progress : bool
        Show a bar on sweeps that take longer than two seconds, on terminals; elsewhere, tell the
        time of those that take more than a minute.
    keep : str or path, optional
        A checkpoint file, ``.npz``. If it exists, the sweep resumes from it: points without a value
        are evaluated, failed ones again. A file of other equations, points, settings or functions
        is refused; changes of files that functions read are not noticed.
    errors : {"keep", "raise"}
        Treatment of points where the task fails: keep the message, or stop with it.
    backend : {"auto", "python", "c"}
        Who evaluates the equations of all analyses in the task: C from the
        start, Python alone, or Python until compiling pays; see `mbcore.evaluate_by`.

    Returns
    -------
    xarray.Dataset
        Dimensions are the parameters' names, or ``sample``; a variable for each name that the task
        returns, ``"value"`` where it gives none. Numbers are floats or complex, NaN where there is
        no value; ``error`` says why, empty where all is well. An interrupted sweep (Ctrl-C) returns
        what is done, with ``attrs["interrupted"]``; a second Ctrl-C stops at once.

    Raises
    ------
    ModelError
        If parameters are empty, unknown, not finite or clash with names of results; if there are
        more points than the memory holds; if the task returns nothing with numbers, or other
        shapes than at other points; if the kept file is of another sweep.
    SimulationError
        If the task fails at all points, or at one where ``errors="raise"``.
    """
    checks.choice("sweep", "errors", errors, ("keep", "raise"))
    if not callable(task):
        raise ModelError(f"sweep: the task {task!r} is not a function; give one of a point")
    units: dict[str, str] = {}
    if isinstance(task, ModelTask) and isinstance(parameters, Mapping):
        task.refuse_unknown(parameters)
        parameters, units = task.in_units(parameters), task.units()
    drawn = samples if isinstance(samples, Samples) else Samples(samples)
    by = workers if isinstance(workers, Workers) else Workers(workers)
    seed = checked_seed(drawn.seed)
    if seed is None and drawn.number is not None:
        seed = int(np.random.SeedSequence().generate_state(1)[0]) % SEEDS
    points = points_of(parameters, drawn.number, seed, drawn.design)
    count = _count(by)
    if isinstance(task, ModelTask):
        task.prepare(len(points))
    gathered = Gathered(points)
    checkpoint = Checkpoint(keep, gathered, task)
    portions = Portions(points, np.flatnonzero(~gathered.done).tolist(), count)
    crew = _crew(task, backend, portions, count, by)
    interrupted = _gather(crew, gathered, checkpoint, progress, errors == "raise")
    attributes: dict[str, Any] = {"task": title_of(task)}
    if drawn.number is not None:
        attributes |= {"seed": seed, "design": drawn.design}
    if isinstance(crew, Measured):
        attributes["workers"] = crew.used
    if interrupted:
        attributes["interrupted"] = f"{gathered.done.sum()} of {len(points)} points are evaluated"
    _warn_of_failures(gathered, attributes.get("interrupted", ""))
    return gathered.dataset(units, attributes)


def _gather(
    crew: Crew, gathered: Gathered, checkpoint: Checkpoint, progress: bool, strict: bool
) -> bool:
    """Collect results until all are there; return whether the user has interrupted."""
    done = int(gathered.done.sum())
    estimate = LongRun("sweep", len(gathered.points), progress)
    estimate.at(done)
    with (
        closing(crew),
        tqdm(
            total=len(gathered.points),
            initial=done,
            delay=LONG,
            unit=" points",
            disable=None if progress else True,  # None: on terminals only
            leave=False,
        ) as bar,
    ):
        try:
            for outcomes in crew:
                _take(gathered, outcomes, strict)
                bar.update(number_of(outcomes))
                done += number_of(outcomes)
                estimate.at(done)
                checkpoint.now_and_then()
        except KeyboardInterrupt:
            gathered.add(crew.stop())
            return True
        finally:
            checkpoint.now()
    return False


def _take(gathered: Gathered, outcomes: list[Outcome | Outcomes], strict: bool) -> None:
    gathered.add(outcomes)
    if strict:
        for outcome in outcomes:
            if isinstance(outcome, Outcome) and outcome.error:
                where = gathered.points.describe(outcome.index)
                raise SimulationError(f"sweep: at {where}: {outcome.error}")


def _warn_of_failures(gathered: Gathered, interrupted: str) -> None:
    """Warn of failures, of the task's warnings, and of an interruption.

    Raises
    ------
    SimulationError
        If there is no value at all.
    """
    total, points = len(gathered.points), gathered.points
    if gathered.errors:
        first = min(gathered.errors)
        text = f"at {points.describe(first)}: {gathered.errors[first]}"
        if not gathered.arrays:
            raise SimulationError(
                f"sweep: the task fails at all {len(gathered.errors)} points that were evaluated; "
                f"{text}"
            )
        warn_user(
            f"sweep: {len(gathered.errors)} of {total} points have no value, see the variable "
            f"error; the first one {text}"
        )
    if gathered.warnings:
        first = min(gathered.warnings)
        warn_user(
            f"sweep: the task warned at {len(gathered.warnings)} of {total} points, first at "
            f"{points.describe(first)}: {gathered.warnings[first]}"
        )
    if interrupted:
        warn_user(f"sweep: interrupted, {interrupted}")


def _crew(given: Task, backend: Backend, portions: Portions, count: int, workers: Workers) -> Crew:
    task = given if backend == "auto" else EvaluatedBy(given, backend)
    if workers.client is not None:
        return OnCluster(task, portions, workers.client)
    how = method_of(workers.start_method)
    if workers.number is None:
        apart = not isinstance(given, ModelTask) or given.foreign
        return Measured(task, portions, count, how, apart)
    if count == 1:
        return Here(task, portions)
    return Processes(task, portions, count, how)


def _count(given: Workers) -> int:
    """Return how many points are evaluated at the same time."""
    workers = given.number
    if given.client is not None:
        if workers is not None:
            raise ModelError("sweep: a client has its own workers; leave workers out")
        return threads_of(given.client)
    if workers is None:
        available = getattr(os, "sched_getaffinity", None)
        return len(available(0)) if available else os.cpu_count() or 1
    if isinstance(workers, bool) or not isinstance(workers, int | np.integer) or workers < 1:
        raise ModelError(f"sweep: workers = {workers!r}; give a number of processes, as in 2")
    return int(workers)
