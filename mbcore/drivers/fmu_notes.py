"""Values of an FMU's motion at given times, for `mbcore.drivers.fmu_worker`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mbcore.drivers.fmu_motion import Part
from mbcore.drivers.fmu_point import FmuPoint
from mbcore.results.piecewise_signal import places


class Notes:
    """Values noted of a motion at given times.

    Parameters
    ----------
    point : FmuPoint
        The FMU.
    times : ndarray, shape (n,)
        s.
    outputs, columns : sequence of str
        Those that are wanted.
    kept : sequence of str
        Columns of the motion, states' starts first.
    varied : int
        How many of these are parameters.
    """

    def __init__(
        self,
        point: FmuPoint,
        times: np.ndarray,
        outputs: Sequence[str],
        columns: Sequence[str],
        kept: Sequence[str],
        varied: int,
    ) -> None:
        self._point, self._times = point, times
        self._shown = [point.outputs.index(name) for name in outputs]
        self._places = [list(columns).index(name) for name in kept]
        self._by = tuple(kept[len(kept) - varied :])
        n, no, ns, nc = len(times), len(outputs), len(point.states), len(columns)
        self._values, self._states = np.zeros((n, no)), np.zeros((n, ns))
        self._columns, self._state_columns = np.zeros((n, no, nc)), np.zeros((n, ns, nc))

    def note(self, k: int, state: np.ndarray, changes: np.ndarray) -> None:
        """Note the motion at a time, by its number, with the columns that are kept there."""
        t, point, n = float(self._times[k]), self._point, state.size
        self._states[k] = state
        self._values[k] = point.outputs_at(t, state)[self._shown]
        if not self._places:
            return
        self._state_columns[k][:, self._places] = changes
        slopes = point.output_slopes(t, state, self._by)[self._shown]
        found = slopes[:, :n] @ changes
        found[:, found.shape[1] - len(self._by) :] += slopes[:, n:]
        self._columns[k][:, self._places] = found

    def add(self, part: Part) -> None:
        """Note the motion at all times in a step."""
        n = self._states.shape[1]
        inside = np.flatnonzero((self._times > part.begin) & (self._times <= part.end))
        for k in inside:
            y = np.asarray(part.between(float(self._times[k])))
            changes = y[n:-1].reshape(n, -1) if self._places else np.zeros((n, 0))
            self.note(int(k), y[:n], changes)

    def found(self) -> dict[str, Any]:
        """Return all that has been noted, by name."""
        return {
            "values": self._values,
            "states": self._states,
            "columns": self._columns,
            "state_columns": self._state_columns,
        }


class Recording:
    """States and outputs at the interpolation points of all steps.

    Parameters
    ----------
    point : FmuPoint
        The FMU.
    """

    def __init__(self, point: FmuPoint) -> None:
        self._point = point
        self._ends, self._rows = [0.0], list[np.ndarray]()

    def add(self, part: Part) -> None:
        """Record a step."""
        n = len(self._point.states)
        at = places(part.begin, part.end)
        states = [np.asarray(part.between(float(t)))[:n] for t in at]
        seen = [self._point.outputs_at(float(t), s) for t, s in zip(at, states, strict=True)]
        self._ends.append(part.end)
        self._rows.append(np.hstack([states, seen]))

    def found(self) -> dict[str, Any]:
        """Return ends of the steps, s, and rows of states, then outputs."""
        return {"ends": np.array(self._ends), "rows": np.array(self._rows)}
