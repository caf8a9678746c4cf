"""The result of a task at a point in a uniform form: arrays by name, with units."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from mbcore.equilibria.steady_motion import SteadyMotion
from mbcore.host.backend import Backend, evaluating
from mbcore.linear.linearization import Linearization
from mbcore.model.errors import ModelError
from mbcore.results.result import Result
from mbcore.results.store import LONGEST
from mbcore.sweeps.points import Point

VALUE = "value"
"""Name of a result that a task returns without a name."""

Task = Callable[[Point], Any]


@dataclass(frozen=True)
class Labelled:
    """An array with the names of its dimensions.

    Attributes
    ----------
    values : ndarray
        Of floats or complex numbers.
    dimensions : tuple of str
        Names; None for numbered dimensions.
    attributes : mapping of str to object
        Such as ``units``.
    coordinates : mapping of str to ndarray
        Along dimensions.
    """

    values: np.ndarray
    dimensions: tuple[str, ...] | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    coordinates: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a point: values, error and warning.

    Attributes
    ----------
    index : int
        Of the point.
    values : mapping of str to Labelled
        Empty where the task failed.
    error : str
        Why there is no value, or which is not finite; empty without an error.
    warning : str
        The first warning of the task, empty if there was none.
    """

    index: int
    values: dict[str, Labelled]
    error: str = ""
    warning: str = ""


@dataclass(frozen=True)
class Outcomes:
    """Values at many points, without errors and warnings.

    Attributes
    ----------
    indices : ndarray of int, shape (n,)
        Of the points.
    values : mapping of str to Labelled
        Points are the first dimension of the arrays, which ``dimensions`` leaves out.
    """

    indices: np.ndarray
    values: dict[str, Labelled]

    @property
    def first(self) -> Outcome:
        """The first one."""
        parts = {n: replace(v, values=v.values[0]) for n, v in self.values.items()}
        return Outcome(int(self.indices[0]), parts)


@runtime_checkable
class ManyAtOnce(Protocol):
    """A task that evaluates many points faster at once than one after the other."""

    def at_many(self, points: Sequence[Point]) -> tuple[np.ndarray, dict[str, Labelled]]:
        """Return which points were evaluated, and their values; the task is called for others.

        Points that were evaluated are the first dimension of the arrays.
        """


@dataclass(frozen=True)
class EvaluatedBy:
    """A task whose analyses are evaluated by a backend, in whatever process it is called."""

    task: Task
    backend: Backend

    def __call__(self, point: Point) -> Any:
        """Return the task's result."""
        with evaluating(self.backend):
            return self.task(point)

    def at_many(self, points: Sequence[Point]) -> tuple[np.ndarray, dict[str, Labelled]]:
        """Return what the task evaluates at once, which is nothing where it cannot."""
        if not isinstance(self.task, ManyAtOnce):
            return np.zeros(len(points), bool), {}
        with evaluating(self.backend):
            return self.task.at_many(points)


def outcomes(
    task: Task,
    portion: Sequence[tuple[int, Point]],
    begin: Callable[[int], bool] = lambda index: True,
) -> Iterator[Outcome | Outcomes]:
    """Evaluate the points of a portion, at once where the task can.

    ``begin`` is called with the index of each point, or of the first of many, before it is
    evaluated, and says whether to go on.
    """
    left = list(portion)
    if isinstance(task, ManyAtOnce) and left:  # one too: bits must not depend on portions
        if not begin(left[0][0]):
            return
        try:
            done, values = task.at_many([dict(point) for _, point in left])
        except Exception:  # which point it is of is found one by one
            done, values = np.zeros(len(left), bool), {}
        if done.any():
            yield Outcomes(np.array([index for index, _ in left])[done], values)
            left = [pair for pair, there in zip(left, done, strict=True) if not there]
    for index, point in left:
        if not begin(index):
            return
        yield outcome(task, index, point)


def number_of(found: Iterable[Outcome | Outcomes]) -> int:
    """Return of how many points these are."""
    return sum(len(part.indices) if isinstance(part, Outcomes) else 1 for part in found)


def outcome(task: Task, index: int, point: Point) -> Outcome:
    """Return the result of a task at a point, or its failure."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            values = labelled(task(dict(point)))
        except (Exception, SystemExit) as error:  # a failing task must not stop the other points
            text = f"{type(error).__name__}: {error}"
            return Outcome(index, {}, _short(text), _first(said))
    empty = [name for name, part in values.items() if part.values.size and _is_lost(part.values)]
    lost = f"{', '.join(empty)}: not a finite number" if empty else ""
    return Outcome(index, values, lost, _first(said))


def labelled(given: Any) -> dict[str, Labelled]:
    """Return arrays by name from whatever a task may return.

    Raises
    ------
    ModelError
        If it is nothing with numbers.
    """
    if isinstance(given, Linearization):
        return stability(given)
    if isinstance(given, Result):
        return {
            name: scalar(column[-1], given.units.get(name, ""))
            for name, column in given.columns.items()
        }
    if isinstance(given, SteadyMotion):
        return labelled({**given.state, **given.outputs, **given.inputs})
    import xarray  # slow to import, so it is imported only on demand

    if isinstance(given, xarray.DataArray):
        return {str(given.name or VALUE): _labelled(VALUE, given)}
    if isinstance(given, xarray.Dataset):
        given = dict(given.data_vars)
    if not isinstance(given, Mapping):
        return {VALUE: _labelled(VALUE, given)}
    if not given or not all(isinstance(name, str) for name in given):
        raise ModelError(f"the task returned {_short(repr(given), 60)}; give numbers by name")
    return {name: _labelled(name, value) for name, value in given.items()}


def scalar(value: float, unit: str) -> Labelled:
    """Return one number with its unit, ``""`` for none."""
    return Labelled(np.array(float(value)), (), _unit(unit))


def stability(about: Linearization) -> dict[str, Labelled]:
    """Return eigenvalues, with zeros by structure as the last ones, the growth, and stability.

    The growth is the largest real part of the others; where there are none, it is zero.
    """
    found = stability_at_many([about.eigenvalues()], len(about.state))
    return {name: replace(part, values=part.values[0]) for name, part in found.items()}


def stability_at_many(found: Sequence[np.ndarray], states: int) -> dict[str, Labelled]:
    """Return the same from eigenvalues at many points, which are the first dimension."""
    everything = np.zeros((len(found), states), complex)
    for row, values in zip(everything, found, strict=True):
        row[: values.size] = values
    growth = np.array([values[0].real if values.size else 0.0 for values in found])
    return {
        "eigenvalues": Labelled(everything, ("eigenvalue",), {"units": "1/s"}),
        "growth": Labelled(growth, (), {"units": "1/s", "long_name": "largest real part"}),
        "stable": Labelled((growth < 0).astype(float), ()),
    }


def _labelled(name: str, given: Any) -> Labelled:
    import xarray

    if isinstance(given, Labelled):
        return given
    if isinstance(given, xarray.DataArray):
        coordinates = {str(d): np.asarray(given[d].values) for d in given.dims if d in given.coords}
        dimensions = tuple(str(d) for d in given.dims)
        return Labelled(_numbers(name, given.values), dimensions, dict(given.attrs), coordinates)
    return Labelled(_numbers(name, given))


def _numbers(name: str, given: Any) -> np.ndarray:
    try:
        values = np.asarray(given)
    except (TypeError, ValueError):
        values = np.asarray(None)
    if values.dtype.kind not in "biufc":
        raise ModelError(
            f"the task returned {name} = {_short(repr(given), 60)}; give a number, an array of "
            "numbers, or a mapping of names to these"
        )
    return values.astype(complex if values.dtype.kind == "c" else float)


def _is_lost(values: np.ndarray) -> bool:
    """Return whether no number is left; an array may be filled up with NaN."""
    return not bool(np.any(np.isfinite(values)))


def _unit(unit: str) -> dict[str, str]:
    return {"units": unit} if unit else {}


def _first(said: list[warnings.WarningMessage]) -> str:
    return _short(str(said[0].message)) if said else ""


def _short(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 3]}..."
