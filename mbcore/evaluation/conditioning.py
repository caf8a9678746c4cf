"""How regular a motion has been: the measures of `Equations.conditioning_names` followed in time.

A part of `mbcore.evaluation.position`, apart from it because the C runtime has the same part, in
``mb_conditioning.c``.
"""

from __future__ import annotations

import numpy as np

from mbcore.equations.tolerances import BLAMED, CHECKED_STEPS, WATCHED

AS_NEAR = 10.0
"""Times by which a limit may be farther from zero than a block that is singular where it is
reached: both vanish with one angle, in different units."""


class Conditioning:
    """Sizes of the blocks' measures since a point was accepted, and the largest ever met.

    A measure has no scale of its own, for the determinant of a large block is small everywhere;
    what counts is how small it becomes against the largest it has had.

    Parameters
    ----------
    count : int
        Measures.
    limits : int
        How many of them, the first, are those of limits.

    Attributes
    ----------
    scale : ndarray, shape (nr,)
        Largest size met at an accepted point.
    accepted : ndarray, shape (nr,)
        Size at the accepted point.
    lowest, highest : ndarray, shape (nr,)
        Smallest and largest size met since a point was accepted, trial points included.
    """

    def __init__(self, count: int, limits: int = 0) -> None:
        self.limits = limits
        self.scale = np.zeros(count)
        self.accepted = np.zeros(count)
        self.lowest, self.highest = np.zeros(count), np.zeros(count)
        self._watched = np.zeros(count)
        self.check_next()

    def note(self, measures: np.ndarray) -> None:
        """Note the measures of a trial point."""
        size = np.abs(measures)
        np.minimum(self.lowest, size, out=self.lowest)
        np.maximum(self.highest, size, out=self.highest)

    def accept(self, measures: np.ndarray) -> None:
        """Begin again at an accepted point."""
        size = np.abs(measures)
        self.scale = np.fmax(self.scale, size)
        self.accepted, self.lowest, self.highest = size, size.copy(), size.copy()

    def check_next(self) -> None:
        """Let accelerations be checked after the next step, as after an event."""
        self._unchecked = CHECKED_STEPS - 1

    def is_due(self, measures: np.ndarray) -> bool:
        """Return whether accelerations are to be checked at the end of a step, with its measures.

        They are where a block's measure has fallen since they were last checked, and after some
        steps, for digits are lost as measures vanish.
        """
        size = np.abs(measures)
        self._unchecked += 1
        steady = size[self.limits :] >= WATCHED * self._watched[self.limits :]
        if self._unchecked < CHECKED_STEPS and bool(steady.all()):
            return False
        self._watched, self._unchecked = size, 0
        return True

    def relative(self, measures: np.ndarray) -> np.ndarray:
        """Return sizes in parts of the largest ones met, shape (nr,)."""
        size = np.abs(measures)
        return size / np.maximum(np.fmax(self.scale, size), 1e-300)

    def smallest(self, measures: np.ndarray) -> tuple[int, float]:
        """Return the block that is nearest to singular and its relative size; -1 and 1 for none."""
        relative = self.relative(measures)[self.limits :]
        if not relative.size:
            return -1, 1.0
        i = int(np.argmin(np.where(np.isnan(relative), -1.0, relative)))
        return self.limits + i, float(relative[i])

    def nearest_limit(self, measures: np.ndarray) -> int | None:
        """Return the limit that is as good as reached, if no block is much nearer to singular."""
        relative = self.relative(measures)
        limits = np.where(np.isnan(relative), -1.0, relative)[: self.limits]
        if not limits.size or not limits.min() < BLAMED:
            return None
        near = limits.min() <= AS_NEAR * self.smallest(measures)[1]
        return int(np.argmin(limits)) if near else None
