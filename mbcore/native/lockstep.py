"""Instances in lanes that go on by one step after the other, with other inputs at each.

C keeps of each instance where its configuration is, what branch it is on and how long its next step
may be, so that a step costs no more than its arithmetic.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.native.batch import Batch, BatchControl, Instances, Outcome
from mbcore.native.shared import SharedBatch


class Lockstep:
    """Instances of a compiled model that go on together, each at its own time.

    Parameters
    ----------
    batch : Batch
        The model in lanes.
    equations : Equations
        Its equations.
    given : ndarray, shape (k,)
        States, discrete variables, inputs and parameters, as C has them, of all instances at first.
    count : int
        Number of instances.
    control : BatchControl
        How a step is integrated; its only time is the length of a step, s.

    Attributes
    ----------
    start : ndarray, shape (n, k)
        Values at which each instance starts its next step.
    begun : ndarray, shape (n,)
        Time at which it does, s.
    rows : ndarray, shape (n, columns)
        Columns of each where it has come to.
    kept : ndarray, shape (n, 2 nx + 2 nr + 1)
        Further numbers of each; coordinates are first.
    """

    def __init__(
        self,
        batch: Batch,
        equations: Equations,
        given: np.ndarray,
        count: int,
        control: BatchControl,
    ) -> None:
        nx, nr = len(equations.coordinate_names), len(equations.conditioning_names)
        self._batch, self._control = batch, control
        self.start = np.tile(given, (count, 1))
        self.kept = np.zeros((count, 2 * (nx + nr) + 1))
        self.begun = np.zeros(count)
        self._resumed = np.ones(count, np.uint8)
        self.rows = np.full((count, len(control.columns)), np.nan)
        self._set_up()
        self._analysis = batch.open()
        weakref.finalize(self, self._analysis.close)

    def _set_up(self) -> None:
        here = replace(self._control, times=np.zeros(1))
        self._going = self._shared(self._control, resumed=True)
        self._beginning = self._shared(here, resumed=False)
        self._reading = self._shared(here, resumed=True)

    def _shared(self, control: BatchControl, resumed: bool) -> Instances:
        shared = self._batch.shared(self.start, control)
        assert shared.start is self.start
        shared.batch.begun = self.begun.ctypes.data
        shared.batch.kept = self.kept.ctypes.data
        if resumed:
            shared.batch.resumed = self._resumed.ctypes.data
        return shared

    def keep_more(self, columns: Sequence[int]) -> None:
        """Keep further columns, also of where instances are now, which ``start`` and ``begun`` say.

        Parameters
        ----------
        columns : sequence of int
            Places of all columns, those of before first.
        """
        before, kept = self.rows, self.kept.copy()
        self._control = replace(self._control, columns=columns)
        self._set_up()
        self.rows = np.full((len(self.start), len(columns)), np.nan)
        self._run(self._reading.batch, 0, len(self.start))
        self._take(self._reading, slice(None))
        self.rows[:, : before.shape[1]] = before
        self.kept[:] = kept  # a configuration that is found again differs in rounding

    def begin(self, which: np.ndarray) -> np.ndarray:
        """Begin instances at ``start``; return whether each of these numbers has begun, (n,)."""
        outcome = self._beginning.outcome
        for first, last in _stretches(which):
            self._run(self._beginning.batch, first, last)
            self._take(self._beginning, slice(first, last))
        return outcome[which] == Outcome.DONE

    def go_on(self) -> np.ndarray:
        """Let all go on by a step from ``start``; return whether each has come to its end, (n,).

        The others have rows of NaN, and are kept where they were.
        """
        self._run(self._going.batch, 0, len(self.start))
        self._take(self._going, slice(None))
        return self._going.outcome == Outcome.DONE

    def _take(self, shared: Instances, which: slice) -> None:
        done = shared.outcome[which] == Outcome.DONE
        self.rows[which] = shared.rows[which, 0]
        if not done.all():
            self.rows[which][~done] = np.nan

    def _run(self, batch: SharedBatch, first: int, last: int) -> None:
        if self._analysis.run(batch, first, last) < 0:
            raise MemoryError("no memory for instances of compiled equations")


def _stretches(which: np.ndarray) -> list[tuple[int, int]]:
    """Return the first and the one behind the last of numbers that follow each other."""
    parts = np.split(which, np.flatnonzero(np.diff(which) != 1) + 1) if len(which) else []
    return [(int(part[0]), int(part[-1]) + 1) for part in parts]
