"""Inputs over time from a table, the same in simulations, in sweeps and for FMUs.

Values are linear between rows, jump where a time stands twice, and are held before the first row
and behind the last one. Inputs that are not real numbers keep a row's value until the next row.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from scipy.interpolate import PPoly

from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError, warn_user
from mbcore.model.variables import Array
from mbcore.model.wording import count, listed

OWNER = "InputTable"
NEAR = 1e-9
"""Part of a run by which it may pass the rows of a table by rounding."""


class TimedInput(PPoly):
    """An input over time: a function of time that is a piecewise polynomial.

    Parameters
    ----------
    time : ndarray, shape (n,)
        s, rising; equal times are a jump, behind which the later row counts.
    values : ndarray, shape (n,)
        At these times.
    holds : bool
        Whether it keeps a row's value until the next row.

    Attributes
    ----------
    time, values, holds
        As given.
    told : float
        End of the run, s, for which it has been told that rows end earlier.
    """

    def __init__(self, time: np.ndarray, values: np.ndarray, holds: bool = False) -> None:
        self.time, self.values, self.holds = time, values, holds
        self.told = np.nan
        knots, first = np.unique(time, return_index=True)
        last = np.append(first[1:], len(time)) - 1
        slopes = np.zeros(len(knots) + 1)
        if not holds:
            slopes[1:-1] = (values[first[1:]] - values[last[:-1]]) / np.diff(knots)
        # Pieces outside of the rows are constant, however far away one looks.
        places = np.concatenate([[knots[0] - 1.0], knots, [knots[-1] + 1.0]])
        behind = np.append(values[first[0]], values[last])
        super().__init__(np.array([slopes, behind]), places, True)
        self._pieces = places.tolist(), slopes.tolist(), behind.tolist()

    construct_fast = PPoly.construct_fast  # of derivatives and integrals, which are not tables

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        """Return the value at a time, s; where one jumps, that behind it."""
        if nu or not isinstance(x, float):
            return super().__call__(x, nu, extrapolate)
        knots, slopes, values = self._pieces
        k = min(max(bisect_right(knots, x) - 1, 0), len(values) - 1)
        return values[k] + slopes[k] * (x - knots[k]) if slopes[k] else values[k]

    def before(self, t: float) -> float:
        """Return the value at a time, s; where one jumps, that before it."""
        knots, slopes, values = self._pieces
        k = min(max(bisect_right(knots, t) - 1, 0), len(values) - 1)
        k = k - 1 if k and knots[k] == t else k
        return float(values[k] + slopes[k] * (t - knots[k]) if slopes[k] else values[k])

    def slope(self, t: float) -> float:
        """Return the rate behind a time, s."""
        knots, slopes, _ = self._pieces
        return float(slopes[min(max(bisect_right(knots, t) - 1, 0), len(slopes) - 1)])

    def __repr__(self) -> str:
        return f"<input over time: {_rows(self.time)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Let a worker of a sweep make it anew."""
        return TimedInput, (self.time, self.values, self.holds), {"told": self.told}


@explains_construction
class InputTable(Mapping[str, TimedInput]):
    """Inputs over time by name, as `mbcore.simulate` and others take them.

    Parameters
    ----------
    time : sequence of float, shape (n,)
        s, rising. Where a time stands twice, values jump.
    columns : mapping of str to sequence of float, each shape (n,)
        Of each input, in its own unit; of an array of inputs an array for each time, shape
        (n, ...), or a column for each element, ``"u[1]"``.
    holds : iterable of str
        Inputs that keep a row's value until the next row: integers, truth values, numbers of
        items. Columns of True and False do so without being named here.

    Attributes
    ----------
    time : ndarray, shape (n,)
        s.
    columns : dict of str to ndarray, each shape (n,)
        As given.
    begin : float
        The time 0 in that of the table that this one was begun from, s.

    Raises
    ------
    ModelError
        There is no row or no input, lengths differ, a number is not finite, times fall, or one
        stands more than twice.
    """

    def __init__(self, time: Any, columns: Mapping[str, Any], holds: Iterable[str] = ()) -> None:
        if not isinstance(columns, Mapping) or not columns:
            raise ModelError(f"{OWNER}: give values by the names of inputs, {{'force': [0, 1]}}")
        columns = _by_element(columns)
        self.time = _numbers("time", time)
        self.columns = {name: _numbers(name, column) for name, column in columns.items()}
        for name, column in self.columns.items():
            if len(column) != len(self.time):
                raise ModelError(
                    f"{OWNER}: {name} has {count(len(column), 'value')} for "
                    f"{count(len(self.time), 'time')}; give one for each"
                )
        for place, wrong in wrong_times(self.time):
            raise ModelError(f"{OWNER}: time {self.time[place]:.9g} s: {wrong}")
        self.begin = 0.0
        whole = set(holds)
        kept = whole | {name for name in columns if name.partition("[")[0] in whole}
        kept |= {name for name, column in columns.items() if _truths(column)}
        self._inputs = {
            name: TimedInput(self.time, column, name in kept)
            for name, column in self.columns.items()
        }

    def __getitem__(self, name: str) -> TimedInput:
        """Return an input by its name."""
        return self._inputs[name]

    def __iter__(self) -> Iterator[str]:
        """Return the names."""
        return iter(self._inputs)

    def __len__(self) -> int:
        """Return the number of inputs."""
        return len(self._inputs)

    def __repr__(self) -> str:
        return f"<inputs over time: {_rows(self.time)}; {listed(self.columns)}>"

    @property
    def jumps(self) -> list[float]:
        """Times at which values may jump, s: those that stand twice, and all where one holds."""
        if any(signal.holds for signal in self._inputs.values()):
            return [float(t) for t in np.unique(self.time)]
        return [float(t) for t in np.unique(self.time[1:][np.diff(self.time) == 0])]

    def begun_at(self, time: float) -> InputTable:
        """Return the table of a run that begins at a time of this one, s, from which it counts."""
        holds = [name for name, signal in self._inputs.items() if signal.holds]
        begun = InputTable(self.time - time, self.columns, holds)
        begun.begin = self.begin + time
        return begun


def _rows(time: np.ndarray) -> str:
    return f"{count(len(time), 'row')} from {time[0]:.6g} s to {time[-1]:.6g} s"


def wrong_times(time: np.ndarray) -> Iterator[tuple[int, str]]:
    """Return places of times that fall or stand more than twice, and the fault there."""
    for k in np.flatnonzero(np.diff(time) < 0):
        yield int(k) + 1, "the time goes back; sort the rows by their time"
    for k in np.flatnonzero((np.diff(time[1:]) == 0) & (np.diff(time[:-1]) == 0)):
        yield int(k) + 2, "a third row of this time; a jump has two, before and behind it"


def tell_ends(owner: str, inputs: object, until: float, remedy: str = "") -> None:
    """Warn once where a run passes the rows of its inputs, which are held there.

    Parameters
    ----------
    owner : str
        Who runs.
    inputs : mapping of str to object, or None
        All inputs, also lists of them for many instances; those that are no `TimedInput` have no
        ends.
    until : float
        End of the run, which begins at 0, s.
    remedy : str
        Treatment of rows and runs that begin apart.

    Raises
    ------
    ModelError
        Rows and the run have no time in common.
    """
    names: dict[tuple[float, float], list[str]] = {}
    for name, given in inputs.items() if isinstance(inputs, Mapping) else ():
        for one in given if isinstance(given, list | tuple) else [given]:
            if isinstance(one, TimedInput) and one.told != until:
                one.told = until
                ends = float(one.time[0]), float(one.time[-1])
                if name not in names.setdefault(ends, []):
                    names[ends].append(name)
    near, told = NEAR * until, []
    begin = inputs.begin if isinstance(inputs, InputTable) else 0.0  # messages count from there
    run = f"the run from {begin:.9g} s to {begin + until:.9g} s"
    for (first, last), those in names.items():
        rows = f"rows of {listed(those)} are from {begin + first:.9g} s to {begin + last:.9g} s"
        if first >= until or last < 0:
            hint = remedy or f"; InputTable.begun_at({begin + first:g}) begins with the first row"
            raise ModelError(f"{owner}: {rows}, {run}, and they have no time in common{hint}")
        held = ["before it the first row's values are held" if first > near else ""]
        held += ["those before the run are not used" if first < -near and not begin else ""]
        held += ["after it the last row's values are held" if until - last > near else ""]
        if any(held):
            hint = remedy if abs(first) > near else ""
            told.append(f"{rows}, {run}: {', '.join(filter(None, held))}{hint}")
    if told:
        warn_user(f"{owner}: {'; '.join(told)}")


def _truths(given: Any) -> bool:
    """Return whether a column is of True and False alone."""
    return all(isinstance(value, bool | np.bool_) for value in given)


def _by_element(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return a column for each element of arrays of inputs, which have an array for each time."""
    found: dict[str, Any] = {}
    for name, column in columns.items():
        try:
            shape = np.shape(column) if isinstance(column, list | tuple | np.ndarray) else ()
        except ValueError:  # of rows that differ, which is told below
            shape = ()
        if not 2 <= len(shape) <= 3:
            pairs = {name: column}
        else:
            flat = np.reshape(column, (shape[0], -1))
            elements = Array(name, shape[1:], "input").elements
            pairs = {one: flat[:, i] for i, one in enumerate(elements)}
        for one, values in pairs.items():
            if one in found:
                raise ModelError(f"{OWNER}: {one} is given twice, once within an array")
            found[one] = values
    return found


def _numbers(name: str, given: Any) -> np.ndarray:
    """Return a column as finite numbers.

    Raises
    ------
    ModelError
        Naming the column.
    """
    try:
        found = np.array(given, float)
    except (TypeError, ValueError):
        for row, value in enumerate(given, start=1):
            if isinstance(value, str):
                raise ModelError(
                    f"{OWNER}: {name} is {value!r} in row {row}; give numbers, for a choice those "
                    f"of its items with holds=[{name!r}]. Tables that mbcore.read_inputs reads "
                    "may have names of items"
                ) from None
        found = np.array([checks.scalar(f"{OWNER}: {name}", value) for value in given])
    if found.ndim != 1 or not found.size:
        raise ModelError(f"{OWNER}: {name} has the shape {found.shape}; give a list of numbers")
    if not np.isfinite(found).all():
        k = int(np.flatnonzero(~np.isfinite(found))[0])
        raise ModelError(f"{OWNER}: {name} is {found[k]} in row {k + 1}; give finite numbers")
    return found
