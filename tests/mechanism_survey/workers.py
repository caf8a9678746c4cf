"""Work on seeds in processes of their own, each of which ends when a seed takes too long.

What counts is processor time: its timer kills the process wherever it is, in C as well.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

from threadpoolctl import threadpool_limits

from tests.mechanism_survey.verdict import Outcome

MOST = 200
"""Seeds of one process, which keeps every library that it has loaded."""
Judge = Callable[[int], Outcome]


def _work(judge: Judge, longest: float, pipe: Connection) -> None:
    threadpool_limits(1, user_api="blas")
    while True:
        try:
            seed = pipe.recv()
            signal.setitimer(signal.ITIMER_PROF, longest)
            pipe.send(judge(seed))
        except (EOFError, KeyboardInterrupt):
            return


@dataclass
class Worker:
    """A process with the seed that it works on, for ``longest`` seconds of processor time."""

    judge: Judge
    longest: float
    seed: int = -1
    seeds: int = 0

    def __post_init__(self) -> None:
        self.pipe, other = multiprocessing.Pipe()
        arguments = (self.judge, self.longest, other)
        self.process = multiprocessing.Process(target=_work, args=arguments, daemon=True)
        self.process.start()
        other.close()

    def begin(self, seed: int) -> None:
        """Send it a seed."""
        self.seed, self.seeds = seed, self.seeds + 1
        self.pipe.send(seed)

    def killed(self) -> Outcome:
        """Return the outcome of a process that has ended by itself."""
        self.process.join()
        if self.process.exitcode == -signal.SIGPROF:
            return Outcome(self.seed, "slow", seconds=self.longest, message="killed")
        return Outcome(self.seed, "raw", message=f"the process ended, {self.process.exitcode}")

    def end(self) -> None:
        """Kill it, whatever it does."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def outcomes(judge: Judge, seeds: range, count: int, longest: float) -> Iterator[Outcome]:
    """Give the outcome of each seed as they come, from ``count`` processes.

    Parameters
    ----------
    longest : float
        Seconds of processor time after which a process is killed, and its seed is slow.
    """
    left = iter(seeds)
    busy: dict[Connection, Worker] = {}

    def go_on(worker: Worker) -> None:
        seed = next(left, None)
        if seed is None:
            worker.end()
        else:
            worker.begin(seed)
            busy[worker.pipe] = worker

    try:
        for _ in range(min(count, len(seeds))):
            go_on(Worker(judge, longest))
        while busy:
            for pipe in wait(list(busy)):
                worker = busy.pop(pipe)  # type: ignore[call-overload]
                try:
                    yield worker.pipe.recv()
                    if worker.seeds >= MOST:
                        worker.end()
                        worker = Worker(judge, longest)
                    go_on(worker)
                except EOFError:
                    yield worker.killed()
                    go_on(Worker(judge, longest))
    finally:
        for worker in busy.values():
            worker.end()
