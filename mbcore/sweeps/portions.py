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

Portion = list[tuple[int, Point]]


class Portions:
    """Hands out the remaining points in portions that become shorter towards the end.

    Parameters
    ----------
    points : Points
    indices : sequence of int
        Indices of the points to evaluate, in this order.
    workers : int
        How many share them.
    """

    def __init__(self, points: Points, indices: Sequence[int], workers: int) -> None:
        self._points, self._workers = points, workers
        self._left = indices
        self._next = 0
        self._again: deque[Portion] = deque()
        self._pace: float | None = None

    def __bool__(self) -> bool:
        return bool(self._again) or self._next < len(self._left)

    def take(self) -> Portion:
        """Return the next portion, empty at the end."""
        if self._again:
            return self._again.popleft()
        left = len(self._left) - self._next
        wanted = 1 if self._pace is None else int(min(TARGET / max(self._pace, 1e-9), MOST))
        # Half of a fair share at most, so that all workers end at about the same time.
        size = max(1, min(wanted, math.ceil(left / (2 * self._workers))))
        chosen = self._left[self._next : self._next + size]
        self._next += len(chosen)
        return list(zip(map(int, chosen), self._points.at(chosen), strict=True))

    def put_back(self, portion: Portion) -> None:
        """Return a portion to the queue."""
        if portion:
            self._again.append(portion)

    def learn(self, count: int, seconds: float) -> None:
        """Update the estimated duration of a point."""
        if count:
            pace = seconds / count
            # the first point of a worker may include the making of the equations
            self._pace = pace if self._pace is None else min(0.5 * (self._pace + pace), 2 * pace)
