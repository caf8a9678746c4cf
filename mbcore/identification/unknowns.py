"""Unknowns of a fit: values with bounds, a first guess and perhaps a prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbcore.drivers.driver import Driver
from mbcore.model import near_names
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError
from mbcore.model.units.text_units import is_value, value_in

RANGE = 0.1
"""Part of the bounds' distance that is a value's scale, where its first guess is smaller."""


@explains_construction
@dataclass(frozen=True)
class Unknown:
    """A value that a fit finds.

    Attributes
    ----------
    low, high : float or str
        Bounds, in the variable's unit, or texts with a unit.
    start : float or str, optional
        First guess; by default the model's own value.
    scale : float, optional
        Size of a change that counts; by default that of the first guess, or a tenth of the range.
    prior : (float, float), optional
        Value known beforehand, and its standard deviation.
    """

    low: float | str = -np.inf
    high: float | str = np.inf
    start: float | str | None = None
    scale: float | None = None
    prior: tuple[float, float] | None = None


@dataclass(frozen=True)
class Sought:
    """An unknown with numbers in place of what was left out.

    Attributes
    ----------
    name, unit : str
        Of the unknown.
    kind : {"parameter", "start", "delay", "gain", "offset"}
        What it is.
    of : str
        The variable that it belongs to.
    run : int
        The run that it belongs to, -1 for all.
    low, high, start, scale : float
        Bounds, first guess, and size of a change that counts.
    prior : (float, float) or None
        Value known beforehand, and its standard deviation.
    """

    name: str
    unit: str
    kind: str
    of: str
    run: int
    low: float
    high: float
    start: float
    scale: float
    prior: tuple[float, float] | None = None


def unknown_of(owner: str, given: Any) -> Unknown:
    """Return an unknown that is given as bounds, ``(0.05, 5)``, perhaps with a first guess behind.

    Raises
    ------
    ModelError
        It is neither.
    """
    if isinstance(given, Unknown):
        return given
    if isinstance(given, Sequence) and not isinstance(given, str) and len(given) in (2, 3):
        return Unknown(*given)
    raise ModelError(
        f"{owner} = {given!r}; give bounds, as in (0.05, 5), with a first guess behind them if it "
        "is not the model's value, (0.05, 5, 1), or an Unknown"
    )


def sought(
    owner: str,
    given: Any,
    named: tuple[str, str, str, str, int],
    own: tuple[float, float, float],
) -> Sought:
    """Return an unknown with the model's numbers where none are given.

    Parameters
    ----------
    owner : str
        What messages begin with.
    given : Unknown or sequence of float
        As a user gives it.
    named : (str, str, str, str, int)
        Name, unit, kind, variable and run.
    own : (float, float, float)
        The model's bounds and value.

    Raises
    ------
    ModelError
        Bounds exclude the first guess or each other, or a number is none.
    """
    one, unit = unknown_of(owner, given), named[1]
    low, high = (_number(owner, value, unit) for value in (one.low, one.high))
    if not low < high:
        raise ModelError(f"{owner}: bounds {low:g} and {high:g}; the lower one comes first")
    start = own[2] if one.start is None else _number(owner, one.start, unit)
    if not low <= start <= high:
        whose = "the model's value" if one.start is None else "the first guess"
        middle = np.sqrt(low * high) if low > 0 and np.isfinite(high) else (low + high) / 2
        hint = f", as in ({low:g}, {high:g}, {middle:.3g})" if np.isfinite(middle) else ""
        raise ModelError(
            f"{owner}: {whose}, {start:g}, is outside of {low:g} to {high:g}; widen them, or give "
            f"a first guess inside{hint}"
        )
    low, high = max(low, own[0]), min(high, own[1])
    return Sought(
        *named, low, high, start, _scale(owner, one, low, high, start), _prior(owner, one)
    )


def _number(owner: str, value: Any, unit: str) -> float:
    try:
        found = value_in(owner, value, unit) if is_value(value) else float(value)
    except (TypeError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{owner}: {value!r} is not a number; give one in {unit}") from None
    if np.isnan(found):
        raise ModelError(f"{owner}: {value!r} is not a number; give one in {unit}")
    return found


def _scale(owner: str, one: Unknown, low: float, high: float, start: float) -> float:
    if one.scale is not None:
        if not 0 < one.scale < np.inf:
            raise ModelError(f"{owner}: scale = {one.scale!r}; give a positive number")
        return float(one.scale)
    width = RANGE * (high - low)
    small = np.isfinite(width) and abs(start) < 1e-3 * width
    return width if small else abs(start) or 1.0


def _prior(owner: str, one: Unknown) -> tuple[float, float] | None:
    if one.prior is None:
        return None
    try:
        mean, deviation = map(float, one.prior)
    except (TypeError, ValueError):
        mean = deviation = np.nan
    if not (np.isfinite(mean) and 0 < deviation < np.inf):
        raise ModelError(
            f"{owner}: prior = {one.prior!r}; give a value and its standard deviation, (1.2, 0.1)"
        )
    return mean, deviation


def sought_parameters(driver: Driver, given: Mapping[str, Any]) -> list[Sought]:
    """Return unknown parameters.

    Raises
    ------
    ModelError
        There is none, one is unknown, or bounds are wrong.
    """
    if not isinstance(given, Mapping) or not given:
        raise ModelError(
            f"fit: parameters = {given!r}; give names with bounds, as in "
            "{'strut.stiffness': (0.05, 5)}"
        )
    found = []
    for name, bounds in given.items():
        if name not in driver.parameters:
            raise ModelError(f"fit: {near_names.unknown('parameter', name, driver.parameters)}")
        named = (name, driver.unit(name), "parameter", name, -1)
        own = (*driver.bounds(name), driver.start(name))
        found.append(sought(f"fit: {name}", bounds, named, own))
    return found
