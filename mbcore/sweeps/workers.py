"""The loop of a worker, and evaluation in this process."""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from threadpoolctl import threadpool_limits

from mbcore.host.parent import end_with_parent
from mbcore.sweeps.outcome import Outcome, Outcomes, Task, outcomes
from mbcore.sweeps.portions import MOST, Portion, Portions

NOWHERE = -1
"""Place of a worker that is at no point."""


@dataclass(frozen=True)
class Done:
    """Results of a worker at the points of a portion, and the seconds that it took."""

    outcomes: list[Outcome | Outcomes]
    seconds: float


class Here:
    """Points one after the other in this process."""

    def __init__(self, task: Task, portions: Portions) -> None:
        self._task, self._portions = task, portions

    def __iter__(self) -> Iterator[list[Outcome | Outcomes]]:
        with threadpool_limits(1):
            while self._portions:
                yield from self.portion(MOST)

    def portion(self, most: int) -> Iterator[list[Outcome | Outcomes]]:
        """Evaluate the next portion, of ``most`` points at most."""
        portion = self._portions.take(most)
        began, worked = time.perf_counter(), time.process_time()
        for found in outcomes(self._task, portion):
            yield [found]
        taken = time.perf_counter() - began
        # where others load the machine, the processor's time says more
        self._portions.learn(len(portion), min(taken, time.process_time() - worked))

    def stop(self) -> list[Outcome | Outcomes]:
        """Return the results not delivered yet: none."""
        return []

    def close(self) -> None:
        """Do nothing: there is no process to end."""


def serve(connection: Connection, task: Task, place: Any, stopped: Any) -> None:
    """Evaluate portions until the connection is closed.

    Parameters
    ----------
    connection : Connection
        Receives portions and sends results.
    task : callable
    place : shared number
        Index of the point that is evaluated, for whoever asks when this process dies.
    stopped : shared number
        Not zero: stop after the present point.
    """

    def begin(index: int) -> bool:
        place.value = index
        return not stopped.value

    gc.freeze()  # collections must not copy the pages of what is inherited
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process decides when this one stops
    with threadpool_limits(1):
        while portion := _next(connection):
            began = time.perf_counter()
            found: list[Outcome | Outcomes] = []
            found.extend(outcomes(task, portion, begin))
            place.value = NOWHERE
            connection.send(Done(found, time.perf_counter() - began))


def _next(connection: Connection) -> Portion:
    try:
        return list(connection.recv())
    except EOFError:
        return []
