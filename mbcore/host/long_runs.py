"""Runs of more than a minute say so after a second, where no bar on a terminal does."""

from __future__ import annotations

import sys
import time

LONG = 1.0
"""Seconds after which the time of a run is estimated."""
MINUTE = 60.0


class LongRun:
    """Estimates how long a run takes, and prints it once if that is more than a minute.

    The pace is that since the run began, or since half a second ago where that is faster: what
    comes first is slow, such as the first evaluation of each function. It does not know what is to
    come, an oscillation at rest that becomes fast, say.

    Parameters
    ----------
    name : str
        Of what runs.
    total : float
        Amount of work, in any unit.
    told : bool
        Whether it is told at all; on terminals a bar has the time left.
    """

    def __init__(self, name: str, total: float, told: bool) -> None:
        self._name, self._total = name, total
        self._told = told and not sys.stderr.isatty()
        self.restart()

    def restart(self) -> None:
        """Begin to measure anew, as where other functions will do the work."""
        self._marks: list[tuple[float, float]] = []

    def at(self, done: float) -> None:
        """Take note of what is done, in the unit of the whole."""
        if not self._told:
            return
        now, marks = time.monotonic(), self._marks
        if not marks or (len(marks) == 1 and now - marks[0][0] < LONG / 2):
            self._marks = marks or [(now, done)]
        elif len(marks) == 1:
            marks.append((now, done))
        elif now - marks[-1][0] >= LONG / 2:
            pace = max((done - before) / (now - since) for since, before in marks)
            marks[1] = (now, done)
            if pace > 0 and now - marks[0][0] + (self._total - done) / pace > MINUTE:
                self._tell(now - marks[0][0], (self._total - done) / pace)

    def _tell(self, elapsed: float, left: float) -> None:
        self._told = False
        minutes = (elapsed + left) / MINUTE
        whole = f"{minutes:.2g} min" if minutes < 100 else f"{minutes / 60:.2g} h"
        print(f"{self._name}: at its present pace, this takes some {whole}", file=sys.stderr)
