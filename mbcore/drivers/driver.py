"""The interface through which analyses evaluate equations and FMUs alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from mbcore.model import near_names, summary, wording
from mbcore.model.errors import ModelError
from mbcore.results.mode import Mode

Derivatives = Literal["exact", "directional", "differences"]
"""Where derivatives come from: our equations, an FMU's directional derivatives, or differences."""
UNFELT = 1e-9
"""Influence of a state on others, in nominal values, that counts as none."""
UNSTEADY = 1e-6
"""Rate, relative to its natural size, above which a motion is not steady."""
TOLERANCE = 1e-10
"""Relative tolerance of a simulation where none is asked for."""


@dataclass(frozen=True, repr=False)
class Point(summary.Summarized):
    """A system at one point: rates of states, outputs and their partial derivatives.

    Attributes
    ----------
    name : str
        Of the system.
    states, inputs, outputs : tuple of str
        Names.
    derivatives : ndarray, shape (ns,)
        Rates of the states.
    values : ndarray, shape (no,)
        Outputs.
    A, B, C, D : ndarray, shape (ns, ns), (ns, nu), (no, ns), (no, nu)
        Derivatives of rates and outputs by states and inputs.
    by : callable
        Gives derivatives of rates and outputs by parameters, for `by_parameters`.
    time : float
        s.
    state, inputs_there, nominal : ndarray, shape (ns,), (nu,), (ns,)
        States and inputs there, and nominal values of the states.
    origin : {"exact", "directional", "differences"}
        Where derivatives come from.
    """

    name: str
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    derivatives: np.ndarray
    values: np.ndarray
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    by: Callable[[Sequence[str]], np.ndarray] = field(repr=False)
    time: float
    state: np.ndarray
    inputs_there: np.ndarray
    nominal: np.ndarray
    origin: Derivatives

    def _title(self) -> str:
        return f"linearization of {self.name}"

    def _facts(self) -> list[str]:
        values = wording.eigenvalues(mode.eigenvalue for mode in self.modes())
        return [
            f"t = {self.time:g} s",
            f"eigenvalues {values or 'none'} 1/s",
            f"derivatives {self.origin}",
            wording.count(len(self.states), "state"),
            wording.count(len(self.inputs), "input"),
            wording.count(len(self.outputs), "output"),
        ]

    def eigenvalues(self) -> np.ndarray:
        """Return the eigenvalues of A, 1/s, complex, sorted by real part, largest first."""
        return np.array([mode.eigenvalue for mode in self.modes()], complex)

    def modes(self) -> list[Mode]:
        """Return the modes, of largest amplitude one, in the order of ``eigenvalues``."""
        values, vectors = np.linalg.eig(self.A)
        order = np.lexsort((values.imag, -np.round(values.real, 12)))
        made = []
        for i in order:
            shape = vectors[:, i] / vectors[np.argmax(np.abs(vectors[:, i])), i]
            made.append(Mode(complex(values[i]), dict(zip(self.states, shape, strict=True))))
        return made

    def changing(self) -> str | None:
        """Return the state that changes although others depend on it, and its rate; or None."""
        influence = np.abs(self.A) * self.nominal / self.nominal[:, np.newaxis]
        felt = influence.max(axis=0, initial=0.0) > UNFELT * max(1.0, influence.max(initial=0.0))
        size = self.nominal + np.abs(self.A) @ self.nominal
        part = np.where(felt, np.abs(self.derivatives) / size, 0.0)
        if not part.max(initial=0.0) > UNSTEADY:
            return None
        i = int(np.argmax(part))
        return f"{self.states[i]} changes by {self.derivatives[i]:.6g} per second"

    def by_parameters(self, names: Sequence[str]) -> np.ndarray:
        """Return derivatives of rates, then of outputs, by parameters, shape (ns + no, n).

        Raises
        ------
        ModelError
            There is no such parameter.
        """
        return self.by(tuple(names))


@dataclass(frozen=True, repr=False)
class Response(summary.Summarized):
    """A motion at given times, with its derivatives.

    Attributes
    ----------
    name : str
        Of the system.
    times : ndarray, shape (n,)
        s.
    outputs : tuple of str
        Names of the outputs asked for.
    values : ndarray, shape (n, no)
        Their values.
    states : ndarray, shape (n, ns)
        All states.
    by : tuple of str
        Names of the parameters, and of states by their start values, of the columns.
    columns : ndarray, shape (n, no, nc)
        Derivatives of the outputs.
    state_columns : ndarray, shape (n, ns, nc)
        Derivatives of the states.
    evaluations : int
        Evaluations of the rates.
    events : tuple of (float, str)
        Times, s, and names of events.
    compared : tuple of str
        Columns that come by differences of whole runs.
    """

    name: str
    times: np.ndarray
    outputs: tuple[str, ...]
    values: np.ndarray
    states: np.ndarray
    by: tuple[str, ...]
    columns: np.ndarray
    state_columns: np.ndarray
    evaluations: int
    events: tuple[tuple[float, str], ...]
    compared: tuple[str, ...] = ()

    def _title(self) -> str:
        return f"response of {self.name}"

    def _facts(self) -> list[str]:
        span = f"{self.times[0]:g} s to {self.times[-1]:g} s" if self.times.size else "no times"
        return [
            span,
            wording.count(self.times.size, "time"),
            wording.count(len(self.outputs), "output"),
            wording.count(len(self.by), "column"),
            wording.count(len(self.events), "event"),
        ]


class Driver(Protocol):
    """A system that analyses evaluate and simulate, used in a ``with`` statement.

    Attributes
    ----------
    name : str
        Of the model.
    states, inputs, outputs, parameters : tuple of str
        Names.
    started : tuple of str
        What takes start values: the states, or what there is instead where they are unknown.
    derivatives : {"exact", "directional", "differences"}
        Where derivatives come from; reports say so.
    """

    name: str
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    parameters: tuple[str, ...]
    started: tuple[str, ...]
    derivatives: Derivatives

    def unit(self, name: str) -> str:
        """Return the unit of a variable, ``"1"`` where it has none."""

    def start(self, name: str) -> float:
        """Return the start value of a state, an input or a parameter."""

    def nominal(self, name: str) -> float:
        """Return the nominal value of a state, 1 where none is known."""

    def bounds(self, name: str) -> tuple[float, float]:
        """Return the least and the largest value of a variable, infinite where there is none."""

    def point(
        self,
        time: float = 0.0,
        states: Mapping[str, float] | np.ndarray | None = None,
        inputs: Mapping[str, float] | None = None,
        parameters: Mapping[str, float] | None = None,
    ) -> Point:
        """Return rates, outputs and their derivatives at a time, s, and states."""

    def simulate(
        self,
        times: Sequence[float] | np.ndarray,
        *,
        start: Mapping[str, float] | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, Any] | None = None,
        outputs: Sequence[str] | None = None,
        columns: Sequence[str] = (),
        tolerance: float | None = None,
    ) -> Response:
        """Return the motion from t = 0 at rising ``times``, s.

        Parameters
        ----------
        times : sequence of float
            s, the first one 0 or later.
        start, parameters : mapping of str to float
            Start values of states, and parameters, that differ from the system's own.
        inputs : mapping of str to float or callable
            Constants, functions of time, or an `InputTable`.
        outputs : sequence of str, optional
            Outputs that are wanted; by default all.
        columns : sequence of str
            Parameters, and states by their start values, by which derivatives are wanted.
        tolerance : float, optional
            Relative; that of absolute values is the same part of nominal values.
        """

    def begin_worker(self) -> None:
        """Prepare the driver for its use in a process that was just forked."""

    def close(self) -> None:
        """Free what belongs to the driver."""


def checked_names(
    owner: str, kind: str, asked: Sequence[str] | None, known: Sequence[str]
) -> tuple[str, ...]:
    """Return names that are asked for, all where none are given.

    Raises
    ------
    ModelError
        One is unknown or given twice.
    """
    if asked is None:
        return tuple(known)
    if isinstance(asked, str):
        raise ModelError(f"{owner}: {kind}s = {asked!r}; give a list of names, [{asked!r}]")
    for name in asked:
        if name not in known:
            raise ModelError(f"{owner}: {near_names.unknown(kind, name, known)}")
    if len(set(asked)) < len(asked):
        twice = next(name for name in asked if list(asked).count(name) > 1)
        raise ModelError(f"{owner}: {kind} {twice!r} is given twice; leave one out")
    return tuple(asked)


def checked_times(owner: str, times: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return times of a response, s.

    Raises
    ------
    ModelError
        There are none, or they are no numbers, negative, or do not rise.
    """
    try:
        found = np.asarray(times, float)
    except (TypeError, ValueError):
        found = np.zeros((0, 0))
    if found.ndim != 1 or not found.size:
        raise ModelError(f"{owner}: times = {times!r}; give a list of times in s, [0.0, 0.1]")
    wrong = ~np.isfinite(found) | (found < 0) | np.append(False, np.diff(found) <= 0)
    if wrong.any():
        k = int(np.flatnonzero(wrong)[0])
        raise ModelError(
            f"{owner}: time {found[k]:.9g} s in row {k + 1}; times must be finite, not negative, "
            "and rise"
        )
    return found
