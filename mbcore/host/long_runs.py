"""Runs of more than a minute say so after a second, where no bar on a terminal does."""

from __future__ import annotations

import sys
import time

LONG = 1.0
"""Seconds after which the time of a run is estimated."""
MINUTE = 60.0
FASTER = 1.25
"""Pace of half a second, in parts of that before, above which a run is becoming faster."""
PATIENCE = 10.0
"""Seconds after which a run is estimated that is becoming faster still."""
WRONG = 2.0
"""Factor by which an estimate is corrected at least."""


class LongRun:
    """Estimates how long a run takes, and prints it if that is more than a minute.

    The pace is that of the last second, by halves: what comes first is slow, such as the first
    evaluation of each function and the first steps of stiff equations, which grow by powers of ten.
    So a run is not estimated while it becomes faster. It does not know what is to come, an
    oscillation at rest that becomes fast, say: an estimate that turns out to be wrong by a factor
    of two is corrected, after twice the time at the earliest.

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
        self._estimate, self._estimated_at = 0.0, 0.0
        self.restart()

    def restart(self) -> None:
        """Begin to measure anew, as where other functions will do the work."""
        self._begin = self._mark = (0.0, 0.0)
        self._paces: list[float] | None = None

    def at(self, done: float) -> None:
        """Take note of what is done, in the unit of the whole."""
        if not self._told:
            return
        now = time.monotonic()
        if self._paces is None:
            self._begin = self._mark = (now, done)
            self._paces = []
        elif now - self._mark[0] >= LONG / 2:
            pace = (done - self._mark[1]) / max(now - self._mark[0], 1e-9)
            self._mark, self._paces = (now, done), [*self._paces[-1:], pace]
            if len(self._paces) == 2:
                self._judge(now - self._begin[0], *self._paces)

    def _judge(self, elapsed: float, before: float, pace: float) -> None:
        """Tell what is new after a time, s, by the last two paces."""
        grows = bool(pace > FASTER * before)
        if not max(before, pace) > 0 or (grows and elapsed < PATIENCE):
            return
        whole = elapsed + (self._total - self._mark[1]) / max(before, pace)
        known, due = self._estimate, elapsed >= 2 * self._estimated_at
        if not known and whole > MINUTE:
            self._tell(whole, elapsed, "; it is becoming faster" * grows)
        elif known and due and not known / WRONG < whole < known * WRONG:
            self._tell(whole, elapsed, f", not {_in_words(known)}")

    def _tell(self, whole: float, elapsed: float, further: str) -> None:
        self._estimate, self._estimated_at = whole, elapsed
        told = f"at its present pace, this takes some {_in_words(whole)}{further}"
        print(f"{self._name}: {told}", file=sys.stderr)


def _in_words(seconds: float) -> str:
    minutes = seconds / MINUTE
    if minutes < 1:
        return f"{seconds:.2g} s"
    return f"{minutes:.2g} min" if minutes < 100 else f"{minutes / 60:.2g} h"
