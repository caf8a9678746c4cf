"""As many processes as pay: first points are timed, and others started where they save time.

Used by `mbcore.sweeps.sweep` alone, where the user leaves the number of workers open.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from threadpoolctl import threadpool_limits

from mbcore.host.memory import resident_memory
from mbcore.sweeps.outcome import Outcome, Outcomes, Task
from mbcore.sweeps.portions import TRIAL, Portions
from mbcore.sweeps.processes import Processes
from mbcore.sweeps.workers import Here

GROWTH = 8
"""Portions in this process grow by this factor at most: a task may be faster at many points."""
GAIN = 0.9
"""Processes pay if they take less than this part of the time that one takes."""
SURE = 20.0
"""A first point that takes so many times the cost of processes tells the pace by itself."""


@dataclass(frozen=True)
class Cost:
    """Time that processes take beyond that for their points, s.

    Attributes
    ----------
    begin : float
        Of each at its first point, of all at the same time: for what it copies or makes.
    each : float
        Of this process, for starting one.
    """

    begin: float
    each: float

    @classmethod
    def of(cls, method: str) -> Cost:
        """Return what processes cost, by readings on one machine; ``benchmarks`` shows the gain.

        A forked one copies the page tables of this process, later the pages that it changes; others
        import the library and make the equations.
        """
        if method == "fork":
            return cls(0.07, 0.004 + 0.03 * resident_memory() / 2**30)
        return cls(1.5, 0.05)

    def number(self, seconds: float, most: int) -> int:
        """Return how many processes share work of so many seconds best; 1 if a second costs more.

        Of n of them, ``seconds / n + each * n`` is least at the root of ``seconds / each``.
        """
        chosen = min(most, max(2, round((seconds / self.each) ** 0.5)))
        shared = seconds / chosen + self.begin + self.each * chosen
        return chosen if chosen > 1 and shared < GAIN * seconds else 1


class Measured:
    """Points in this process at first, then in several processes if that pays.

    Parameters
    ----------
    task : callable
    portions : Portions
    most : int
        Number of processors.
    method : str
        How processes are started.
    apart : bool
        Whether one process begins in place of this one, since the task may end it.
    """

    def __init__(self, task: Task, portions: Portions, most: int, method: str, apart: bool) -> None:
        self._task, self._portions, self._method = task, portions, method
        self._all, self._apart = len(portions), apart
        self._most, self._cost = max(1, min(most, self._all)), Cost.of(method)
        self._processes: Processes | None = None
        self._here, self._number, self._seconds = 0, 1, 0.0

    def __iter__(self) -> Iterator[list[Outcome | Outcomes]]:
        if not self._apart:
            yield from self._in_this_process()
        if self._portions:
            self._portions.workers = self._most
            self._processes = Processes(
                self._task,
                self._portions,
                self._number,
                self._method,
                wanted=self._wanted,
                patience=self._cost.begin,
            )
            yield from self._processes

    def _in_this_process(self) -> Iterator[list[Outcome | Outcomes]]:
        self._portions.workers = 1
        here, size = Here(self._task, self._portions), 1
        with threadpool_limits(1):
            while self._portions and self._wanted(0.0) == 1:
                before = self._all - self._here
                yield from here.portion(size)
                self._here = self._all - len(self._portions)
                made = before - len(self._portions)
                size = min(GROWTH * made, max(1, int(1.5 * TRIAL / self._portions.pace)))

    def _wanted(self, least: float) -> int:
        """Return how many processes pay where a point takes so many seconds at least."""
        known = self._portions.seconds_left(SURE * self._cost.begin)
        seconds = max(known, least * len(self._portions))
        number = self._cost.number(seconds, self._most)
        if number > self._number:
            self._number, self._seconds = number, seconds
        return self._number

    @property
    def used(self) -> str:
        """The processes used, with the reason, in words."""
        if self._number > 1:
            who = f"{self._number} processes"
            why = f"the points left by one would have taken it some {self._seconds:.2g} s"
        else:
            who = "this process" if not self._apart else "1 process"
            why = "a second one would have taken longer to start than it saves"
            if self._most == 1:
                why = "there is one processor, or one point"
        first = f", {self._here} of the {self._all} points in this one" if self._here else ""
        return f"{who}{first if self._number > 1 else ''}: {why}"

    def stop(self) -> list[Outcome | Outcomes]:
        """Return the results not delivered yet."""
        return [] if self._processes is None else self._processes.stop()

    def close(self) -> None:
        """End all processes."""
        if self._processes is not None:
            self._processes.close()
