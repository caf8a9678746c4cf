"""A Dask cluster that evaluates points: the task is sent once, and portions of points follow.

Used by `mbcore.sweeps.sweep` alone; it stands apart because Dask is optional.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

from threadpoolctl import threadpool_limits

from mbcore.model.errors import ModelError, SimulationError
from mbcore.sweeps.outcome import Outcome, Outcomes, Task, number_of, outcomes
from mbcore.sweeps.portions import Portion, Portions
from mbcore.sweeps.processes import refuse_unportable
from mbcore.sweeps.workers import Done

AHEAD = 2
"""Portions per worker that are queued or in work."""
RETRIES = 1
"""Retries of a portion whose worker died, before its points are sent one by one."""

_one_at_a_time = threading.Lock()
"""A model's values are in arrays that all threads of a process would share."""


def threads_of(client: Any) -> int:
    """Return how many threads the workers of a cluster have.

    Raises
    ------
    ModelError
        If Dask is not installed, or the client is none that waits for results.
    """
    try:
        from distributed import Client
    except ImportError as missing:
        raise ModelError('sweep: client needs Dask: pip install "dask[distributed]"') from missing
    if not isinstance(client, Client):
        raise ModelError(f"sweep: client = {client!r}; give a dask.distributed.Client")
    if client.asynchronous:
        raise ModelError("sweep: the client is asynchronous; give one that waits for results")
    return max(1, sum(client.ncores().values()))


class OnCluster:
    """Portions of points, on the workers of a cluster.

    Parameters
    ----------
    task : callable
    portions : Portions
    client : dask.distributed.Client
        Of the cluster.

    Raises
    ------
    ModelError
        If the task cannot be sent.
    """

    def __init__(self, task: Task, portions: Portions, client: Any) -> None:
        from distributed import as_completed

        refuse_unportable(task, "a cluster")
        self._client, self._portions = client, portions
        self._task = client.scatter(task, broadcast=True, hash=False)
        self._sent: dict[Any, Portion] = {}
        self._delivered: list[Outcome | Outcomes] = []
        self._completed = as_completed(raise_errors=False)

    def __iter__(self) -> Iterator[list[Outcome | Outcomes]]:
        for _ in range(AHEAD * threads_of(self._client)):
            self._send()
        for future in self._completed:
            self._delivered = self._of(future)
            del self._sent[future]
            self._send()
            yield self._delivered

    def _send(self) -> None:
        if self._portions:
            portion = self._portions.take()
            future = self._client.submit(
                on_worker, self._task, portion, pure=False, retries=RETRIES
            )
            self._sent[future] = portion
            self._completed.add(future)

    def _of(self, future: Any) -> list[Outcome | Outcomes]:
        """Return the results of a portion; where its worker died, send its points one by one."""
        if future.status == "finished":
            done: Done = future.result()
            self._portions.learn(number_of(done.outcomes), done.seconds)
            return done.outcomes
        from distributed import KilledWorker

        error, portion = future.exception(), self._sent[future]
        if not isinstance(error, KilledWorker):
            raise SimulationError(
                f"sweep: the cluster does not evaluate points ({type(error).__name__}: {error}); "
                "mbcore and the module of the task must be installed there, as they are here"
            ) from error
        if len(portion) > 1:
            for pair in portion:
                self._portions.put_back([pair])
            return []
        return [Outcome(portion[0][0], {}, f"the worker died at this point ({error})")]

    def stop(self) -> list[Outcome | Outcomes]:
        """Cancel queued points, and return the results so far."""
        found = list(self._delivered)
        for future in list(self._sent):
            if future.status == "finished":
                found += future.result().outcomes
        return found

    def close(self) -> None:
        """Cancel all portions."""
        with contextlib.suppress(Exception):  # the cluster may be gone
            self._client.cancel(list(self._sent))


def on_worker(task: Task, portion: Portion) -> Done:
    """Evaluate a portion on a cluster's worker, one at a time in each process."""
    with _one_at_a_time, threadpool_limits(1):
        began = time.perf_counter()
        found = list(outcomes(task, portion))
        return Done(found, time.perf_counter() - began)
