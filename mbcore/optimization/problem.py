"""An objective and conditions as functions of scaled parameters, each evaluated once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from mbcore.drivers.driver import Driver
from mbcore.drivers.equations_driver import EquationsDriver
from mbcore.identification.unknowns import Sought, sought
from mbcore.model import near_names
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.optimization.eigenvalue_changes import EigenvalueChanges
from mbcore.optimization.options import OptimizeOptions
from mbcore.optimization.trial import Trial
from mbcore.optimization.varied import Varied

Objective = Callable[[Trial], Any]
MET = 1e-6
"""Violation of a condition, in its size, that counts as none."""


@dataclass(frozen=True)
class Condition:
    """Values that have to be within bounds.

    Attributes
    ----------
    name : str
        Of the function, for messages.
    function : callable
        Returns the values of a trial.
    low, high : float
        Bounds.
    """

    name: str
    function: Objective
    low: float
    high: float


@dataclass(frozen=True)
class Evaluated:
    """A trial that has been evaluated.

    Attributes
    ----------
    values : ndarray, shape (n,)
        Of the parameters.
    objective : Varied
        As the user states it.
    conditions : tuple of Varied
        Of each condition, shape (k,).
    violation : float
        Of the condition that is missed most, in its size.
    """

    values: np.ndarray
    objective: Varied
    conditions: tuple[Varied, ...]
    violation: float


def conditions(given: Any) -> tuple[Condition, ...]:
    """Return conditions, each given as a function that may not be negative, or with bounds.

    Raises
    ------
    ModelError
        One is something else, or its bounds exclude each other.
    """
    if callable(given) or not isinstance(given, Sequence) or isinstance(given, str):
        raise ModelError(
            f"optimize: subject_to = {given!r}; give a list of functions of a trial, or of "
            "(function, low, high)"
        )
    found = []
    for one in given:
        function, low, high = one if isinstance(one, tuple) and len(one) == 3 else (one, 0, np.inf)
        name = getattr(function, "__name__", type(function).__name__)
        try:
            ends = float(low), float(high)
        except (TypeError, ValueError):
            ends = np.nan, np.nan
        if not callable(function) or not ends[0] <= ends[1]:
            raise ModelError(
                f"optimize: the condition {one!r}; give a function of a trial that may not be "
                "negative, or (function, low, high) with the lower bound first"
            )
        _check_takes_a_trial(f"the condition {name}", function)
        found.append(Condition(name, function, *ends))
    return tuple(found)


def _check_takes_a_trial(title: str, function: Objective) -> None:
    try:
        signature(function).bind(None)
    except TypeError as error:
        raise ModelError(
            f"optimize: {title} must take one argument, the trial, as in "
            f"lambda trial: trial['mass'] ({error})"
        ) from error
    except ValueError:  # functions in C have no signature
        return


class Problem:
    """The function to be minimized.

    Parameters
    ----------
    driver : Driver
        The system.
    objective : callable
        Returns the objective of a `Trial`.
    over : mapping of str to (float, float) or Unknown
        Bounds of what is varied.
    subject_to : sequence
        Conditions.
    maximize : bool
        Whether the objective should be large.
    options : OptimizeOptions
        How it is looked for.

    Attributes
    ----------
    sought : tuple of Sought
        What is varied.
    sizes : tuple of float
        Of each condition's values, in which violations count, from the first evaluation on.
    evaluated : list of Evaluated
        All trials that succeeded.
    refused : list of (ndarray, str)
        Values of trials that failed, and why.

    Raises
    ------
    ModelError
        A name is unknown, bounds are wrong or exclude the start, or a function is none.
    """

    def __init__(
        self,
        driver: Driver,
        objective: Objective,
        over: Mapping[str, Any],
        subject_to: Any,
        maximize: bool,
        options: OptimizeOptions,
    ) -> None:
        self.driver, self.maximize, self.options = driver, maximize, options
        if not callable(objective):
            raise ModelError(f"optimize: objective = {objective!r}; give a function of a trial")
        _check_takes_a_trial("the objective", objective)
        if not isinstance(over, Mapping) or not over:
            raise ModelError(
                f"optimize: over = {over!r}; give bounds by parameters, as in "
                f"{{{next(iter(driver.parameters), 'k')!r}: (0.5, 2)}}"
            )
        self._objective, self.conditions = objective, conditions(subject_to)
        self.sought = tuple(self._sought(name, given) for name, given in over.items())
        self._changes: EigenvalueChanges | None = None
        if isinstance(driver, EquationsDriver):
            self._changes = EigenvalueChanges(driver.equations)
        self.sizes: tuple[float, ...] = ()
        self.evaluated: list[Evaluated] = []
        self.refused: list[tuple[np.ndarray, str]] = []

    def _sought(self, name: str, given: Any) -> Sought:
        driver = self.driver
        if name not in driver.parameters:
            raise ModelError(
                f"optimize: {near_names.unknown('parameter', name, driver.parameters)}"
            )
        own = (*driver.bounds(name), driver.start(name))
        named = (name, driver.unit(name), "parameter", name, -1)
        return sought(f"optimize: {name}", given, named, own)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of what is varied."""
        return tuple(one.name for one in self.sought)

    @property
    def scales(self) -> np.ndarray:
        """Distance of the bounds of each, or where one is infinite, its size."""
        widths = [(one.high - one.low, one.scale) for one in self.sought]
        return np.array([width if np.isfinite(width) else scale for width, scale in widths])

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of what is varied."""
        return np.array([s.low for s in self.sought]), np.array([s.high for s in self.sought])

    def at(self, values: np.ndarray) -> Evaluated:
        """Return objective and conditions there.

        Raises
        ------
        ModelError, ConfigurationError, SimulationError
            The mechanism or its motion does not exist there, or a number is none.
        """
        named = dict(zip(self.names, map(float, values), strict=True))
        trial = Trial(self.driver, named, self._changes, self.options.simulation_tolerance)
        goal = _checked("the objective", self._objective(trial), trial)
        if goal.value.size != 1:
            raise ModelError(
                f"optimize: the objective has {goal.value.size} values; return one, such as their "
                "sum, and bound others by subject_to="
            )
        goal = Varied(goal.value.reshape(()), goal.gradient.reshape(-1))
        found = []
        for one in self.conditions:
            held = _checked(f"the condition {one.name}", one.function(trial), trial)
            held = Varied(held.value.reshape(-1), held.gradient.reshape(-1, len(named)))
            found.append(held)
        if not self.evaluated:
            pairs = zip(self.conditions, found, strict=True)
            self.sizes = tuple(_size(one, held, self.scales) for one, held in pairs)
        missed = 0.0
        for one, held, size in zip(self.conditions, found, self.sizes, strict=True):
            beyond = np.maximum(one.low - held.value, held.value - one.high)
            missed = max(missed, float(beyond.max(initial=0.0)) / size)
        done = Evaluated(np.array(values, float), goal, tuple(found), missed)
        self.evaluated.append(done)
        return done

    def tried(self, values: np.ndarray) -> Evaluated | None:
        """Return objective and conditions there, None where they do not exist; that is noted."""
        try:
            return self.at(values)
        except (ModelError, ConfigurationError, SimulationError) as error:
            self.refused.append((np.array(values, float), str(error)))
            return None


def _size(condition: Condition, held: Varied, scales: np.ndarray) -> float:
    """Return the size of a condition's values, in which its violation counts, at the start."""
    ends = [abs(end) for end in (condition.low, condition.high) if np.isfinite(end)]
    own = float(np.abs(held.value).max(initial=0.0))
    steepness = float(np.abs(held.gradient * scales).max(initial=0.0))
    return max(ends, default=0.0) or max(own, steepness) or 1.0


def _checked(what: str, found: Any, trial: Trial) -> Varied:
    """Return a value with derivatives.

    Raises
    ------
    ModelError
        It has none, is complex, or is not finite.
    """
    if not isinstance(found, Varied):
        raise ModelError(
            f"optimize: {what} is {found!r}, without derivatives; calculate it from the trial, or "
            "return mbcore.Varied(value, gradient)"
        )
    if not np.isrealobj(found.value):
        raise ModelError(f"optimize: {what} is complex; take .real or .imag of eigenvalues")
    if not (np.isfinite(found.value).all() and np.isfinite(found.gradient).all()):
        raise ModelError(
            f"optimize: {what} is {found.value} with derivatives {found.gradient} at {trial!r}; "
            "bound the parameters so that it is finite"
        )
    return found
