"""Portions of points for workers: large enough that communication costs little."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

from mbcore.sweeps.points import Point, Points

TARGET = 0.4
"""Intended duration of a portion, s."""
MOST = 5000
"""Largest number of points in a portion."""
TRIAL = 0.02
"""Time of points after which their pace is known, s."""

Portion = list[tuple[int, Point]]


class Portions:
    """Hands out the remaining points in portions that become shorter towards the end.

    Parameters
    ----------
    points : Points
    indices : sequence of int
        Indices of the points to evaluate, in this order.
    workers : int
        How many share them; may be changed later.
    """

    def __init__(self, points: Points, indices: Sequence[int], workers: int) -> None:
        self._points, self.workers = points, workers
        self._left = indices
        self._next = 0
        self._again: deque[Portion] = deque()
        self._pace: float | None = None
        self._first: tuple[int, float] | None = None
        self._others = (0, 0.0)

    def __bool__(self) -> bool:
        return bool(self._again) or self._next < len(self._left)

    def __len__(self) -> int:
        """Number of points that are not handed out."""
        return len(self._left) - self._next + sum(map(len, self._again))

    def take(self, most: int = MOST) -> Portion:
        """Return the next portion of ``most`` points at most, empty at the end."""
        if self._again:
            return self._again.popleft()
        left = len(self._left) - self._next
        wanted = 1 if self._pace is None else int(min(TARGET / self.pace, MOST))
        # Half of a fair share at most, so that all workers end at about the same time.
        share = left if self.workers == 1 else math.ceil(left / (2 * self.workers))
        size = max(1, min(wanted, most, share))
        chosen = self._left[self._next : self._next + size]
        self._next += len(chosen)
        return list(zip(map(int, chosen), self._points.at(chosen), strict=True))

    def put_back(self, portion: Portion) -> None:
        """Return a portion to the queue."""
        if portion:
            self._again.append(portion)

    @property
    def pace(self) -> float:
        """Estimated duration of a point, s; none where no portion has been evaluated."""
        return max(self._pace or 0.0, 1e-9)

    def seconds_left(self, sure: float) -> float:
        """Return how long one process needs for the remaining points, s; 0 while that is unknown.

        The first portion may include the making of the equations and counts only where a point of
        it has taken ``sure`` seconds.
        """
        (count, seconds), (first, began) = self._others, self._first or (1, 0.0)
        if seconds > TRIAL:
            return seconds / count * len(self)
        return began / first * len(self) if began > sure * first else 0.0

    def learn(self, count: int, seconds: float) -> None:
        """Update the estimated duration of a point."""
        if count:
            if self._first is None:
                self._first = count, seconds
            else:
                self._others = self._others[0] + count, self._others[1] + seconds
            pace = seconds / count
            # the first point of a worker may include the making of the equations
            self._pace = pace if self._pace is None else min(0.5 * (self._pace + pace), 2 * pace)
