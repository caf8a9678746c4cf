"""Worker processes on this machine, each with a portion of points; one that dies is replaced."""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import wait
from typing import Any

from mbcore.model.errors import ModelError, SimulationError
from mbcore.sweeps.outcome import Outcome, Outcomes, Task, number_of
from mbcore.sweeps.portions import Portion, Portions
from mbcore.sweeps.workers import NOWHERE, Done, serve

GRACE = 2.0
"""Time for workers to finish their present point after an interrupt, s."""


def method_of(wanted: str | None) -> str:
    """Return how processes are started: by ``fork`` on Linux, so that they inherit the task.

    Raises
    ------
    ModelError
        If this machine does not know the method.
    """
    known = multiprocessing.get_all_start_methods()
    if wanted is None:
        return "fork" if sys.platform == "linux" else "spawn"
    if wanted not in known:
        raise ModelError(f"sweep: start_method = {wanted!r}; there is {', '.join(known)}")
    return wanted


def refuse_unportable(task: Task, where: str) -> None:
    """Refuse a task that cannot be sent to processes that do not inherit it.

    Raises
    ------
    ModelError
        With what to give in its place.
    """
    try:
        pickle.dumps(task)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(
            f"sweep: the task cannot be sent to {where} ({type(error).__name__}: {error}); give a "
            "function of a module that can be imported, or one of linearizations(), simulations(), "
            "steady_motions() with a function that makes the equations"
        ) from error


class _Worker:
    """A process with its portion and its present point."""

    def __init__(self, task: Task, context: Any, stopped: Any) -> None:
        self.place = context.RawValue("q", NOWHERE)
        self.connection, its = context.Pipe()
        self.process = context.Process(
            target=serve, args=(its, task, self.place, stopped), daemon=True
        )
        self.process.start()
        its.close()  # so that the pipe ends with the process
        self.portion: Portion = []

    def give(self, portion: Portion) -> None:
        self.portion = portion
        with contextlib.suppress(OSError):  # a dead process is noticed at the next read
            self.connection.send(portion)

    def died_of(self) -> str:
        """Return why the process ended, in words."""
        self.process.join(GRACE)
        code = self.process.exitcode
        if code is None or code >= 0:
            return f"with exit code {code}"
        return f"by signal {signal.Signals(-code).name}"


class Processes:
    """Portions of points, each in one of several processes.

    Parameters
    ----------
    task : callable
    portions : Portions
    workers : int
        Number of processes.
    method : str
        How they are started.
    wanted : callable, optional
        Returns how many there are to be; called with the time that a point takes at least, s.
    patience : float
        Time after which it is called if none has answered, s.
    """

    def __init__(
        self,
        task: Task,
        portions: Portions,
        workers: int,
        method: str,
        *,
        wanted: Callable[[float], int] | None = None,
        patience: float = 0.0,
    ) -> None:
        if method != "fork":
            refuse_unportable(task, "other processes")
        self._task, self._portions = task, portions
        self._context: Any = multiprocessing.get_context(method)
        self._stopped = self._context.RawValue("b", 0)
        self._delivered: list[Outcome | Outcomes] = []
        self._number, self._wanted, self._patience = workers, wanted, patience
        self._workers: dict[Any, _Worker] = {}
        self._busy: set[Any] = set()

    def __iter__(self) -> Iterator[list[Outcome | Outcomes]]:
        self._start()
        answered = time.monotonic()
        while self._busy:
            for connection in wait(list(self._busy), self._patience if self._wanted else None):
                answered = time.monotonic()
                worker = self._workers[connection]
                # Kept until the consumer asks again: an interrupt while it takes them in must not
                # lose them.
                self._delivered = self._of(worker)
                self._busy.discard(connection)
                if self._portions:
                    self._give(self._workers.get(connection) or self._new())
                elif connection in self._workers:
                    worker.give([])  # it ends while others are at their last points
                yield self._delivered
            if self._wanted is not None and self._portions:
                longest = max(len(worker.portion) for worker in self._workers.values())
                self._number = self._wanted((time.monotonic() - answered) / longest)
                self._start()

    def _give(self, worker: _Worker) -> None:
        if self._portions:
            worker.give(self._portions.take())
            self._busy.add(worker.connection)

    def _start(self) -> None:
        """Start as many processes as there are to be; each begins while others are started."""
        while len(self._workers) < self._number and self._portions:
            self._give(self._new())

    def _new(self) -> _Worker:
        worker = _Worker(self._task, self._context, self._stopped)
        self._workers[worker.connection] = worker
        return worker

    def _of(self, worker: _Worker) -> list[Outcome | Outcomes]:
        """Return the results of a portion; if its process died, an error for its present point."""
        try:
            done: Done = worker.connection.recv()
        except (EOFError, ConnectionError) as error:
            return [self._bury(worker, error)]
        self._portions.learn(number_of(done.outcomes), done.seconds)
        return done.outcomes

    def _bury(self, worker: _Worker, error: Exception) -> Outcome:
        index, cause = worker.place.value, worker.died_of()
        if index == NOWHERE:
            raise SimulationError(
                f"sweep: a worker died {cause} before its first point; where processes are "
                "spawned, a script needs its calls under if __name__ == '__main__', and the task "
                "must be importable; workers=1 shows errors in this process"
            ) from error
        # The point at fault is not tried again, for it would take the next process with it.
        self._portions.put_back([pair for pair in worker.portion if pair[0] != index])
        del self._workers[worker.connection]
        return Outcome(index, {}, f"the worker process died {cause} at this point")

    def stop(self) -> list[Outcome | Outcomes]:
        """Ask the workers to stop, wait briefly, and return their results."""
        self._stopped.value = 1
        found, end = list(self._delivered), time.monotonic() + GRACE
        while self._busy and (ready := wait(list(self._busy), end - time.monotonic())):
            for connection in ready:
                self._busy.discard(connection)
                with contextlib.suppress(EOFError, ConnectionError):
                    found += self._workers[connection].connection.recv().outcomes
        return found

    def close(self) -> None:
        """End all processes, also where they are still at a point."""
        self._stopped.value = 1
        for worker in self._workers.values():
            if worker.connection in self._busy:
                worker.process.terminate()
            else:
                # An empty portion asks an idle worker to end by itself.
                worker.give([])
            worker.connection.close()
        for worker in self._workers.values():
            worker.process.join(GRACE)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
