"""Checks of the times and tolerances that users give to a simulation."""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np

from mbcore.equations.equations import Equations
from mbcore.evaluation.stepper import StepControl
from mbcore.host.backend import checked_backend
from mbcore.integrators.method import Method
from mbcore.integrators.table import methods
from mbcore.model import checks, near_names
from mbcore.model.arrays.elements import given_array, shape_in, values_by_element
from mbcore.model.errors import ModelError, SimulationError
from mbcore.model.interface.values import checked_value
from mbcore.model.variables import Array, Input, type_of
from mbcore.model.wording import article
from mbcore.native.signals import breaks_of, polynomial_of

OWNER = "simulate"
LEAST_STEPS = {"no states": 100, "held slips": 1000}
"""Steps of a run at least where no error estimate keeps them short: without states, and while all
sticks, when forces by time alone can set it free."""
MOST_SAMPLES = 10**9
"""Results that are made at most: a column of them takes 8 GB."""


@dataclass(frozen=True)
class Checked:
    """Checked arguments of a run.

    Attributes
    ----------
    end : float
        End time, s.
    method : Method
        Of integration.
    control : StepControl
        Tolerances, and the longest step.
    breaks : list of float
        Times where inputs jump, s.
    """

    end: float
    method: Method
    control: StepControl
    breaks: list[float]


def check_run(
    until: object,
    method: object,
    rtol: object,
    atol: object,
    max_step: object,
    breaks: object,
    backend: object = "auto",
) -> Checked:
    """Refuse times, a method or tolerances that no integration can have; return all others.

    Raises
    ------
    ModelError
        Naming the argument, its value and what to give.
    """
    record = _checked_method(method, backend)
    relative, absolute = (
        checks.scalar(f"{OWNER}: {name}", given) for name, given in (("rtol", rtol), ("atol", atol))
    )
    if not (0 < relative < 1 and 0 <= absolute < np.inf):
        raise ModelError(
            f"rtol = {rtol}, atol = {atol}: the tolerances must be positive, rtol less than 1"
        )
    longest = checks.scalar(f"{OWNER}: max_step", max_step, "s")
    if record.equal_steps and not (np.isfinite(longest) and longest > 0):
        raise ModelError(f"{method} makes equal steps: max_step = {max_step}; give their size, s")
    if not longest > 0:
        raise ModelError(f"max_step = {max_step}: give a positive number of seconds, or leave it")
    end = checks.scalar(f"{OWNER}: until", until, "s")
    if not sys.float_info.min <= end < np.inf or isinstance(until, bool):
        raise ModelError(f"until = {until}: the end time must be a positive number")
    if isinstance(breaks, str | ca.SX | ca.DM | ca.MX) or not isinstance(breaks, Iterable):
        raise ModelError(f"breaks = {breaks!r}: give a list of times, [{breaks!r}]")
    times = [checks.real(OWNER, "a time in breaks", time, unit="s") for time in breaks]
    return Checked(end, record, StepControl(relative, absolute, longest), times)


def control_of(checked: Checked, equations: Equations) -> StepControl:
    """Return tolerances, and a longest step by which no event is passed over while all rests."""
    longest = _longest_step(equations, checked.control.max_step, checked.end)
    return replace(checked.control, max_step=longest)


def _longest_step(equations: Equations, longest: float, end: float) -> float:
    if not equations.states:
        return min(longest, end / LEAST_STEPS["no states"])
    if equations.held and longest == np.inf:
        return end / LEAST_STEPS["held slips"]
    return longest


def _checked_method(method: object, backend: object) -> Method:
    checked_backend(backend)
    known = methods()
    in_python = {m.name: m for m in known if m.in_python}
    in_c = {m.name: m for m in known if m.in_c}
    here, there = (in_c, in_python) if backend == "c" else (in_python, in_c)
    if backend == "auto":
        here, there = in_python | in_c, {}
    if isinstance(method, str) and method in here:
        return here[method]
    if isinstance(method, str) and method in there:
        other = "c" if backend == "python" else "python"
        raise ModelError(
            f"no method {method!r} with backend={backend!r}; there is {', '.join(here)}, or give "
            f"backend={other!r}"
        )
    raise ModelError(near_names.unknown("method", method, here))


def sample_times(
    samples: int | Sequence[float] | np.ndarray | None, until: float
) -> np.ndarray | None:
    """Return the times at which results are wanted, shape (n,); None for the integrator's own.

    Raises
    ------
    ModelError
        If they are too few, no numbers, fall or lie outside of the run.
    """
    if samples is None:
        return None
    if isinstance(samples, int | np.integer) and not isinstance(samples, bool):
        if samples < 2:
            raise ModelError(
                f"samples = {samples}: give at least 2, the start and the end, or the times "
                "themselves, as in [0.5]"
            )
        if samples > MOST_SAMPLES:
            raise ModelError(
                f"samples = {checks.scalar('samples', samples):g}: give {MOST_SAMPLES:g} at most"
            )
        return np.linspace(0.0, until, int(samples))
    if (
        isinstance(samples, str | bool | ca.SX | ca.DM | ca.MX)
        or np.ndim(np.asarray(samples, object)) != 1
    ):
        raise ModelError(
            f"samples = {samples!r}: give a whole number of results, as in 100, or a list of times"
        )
    if isinstance(samples, np.ndarray) and samples.dtype.kind == "f" and np.isfinite(samples).all():
        times = samples.astype(float)
    else:
        times = np.array([checks.real(OWNER, "a time in samples", t, unit="s") for t in samples])
    if not times.size:
        raise ModelError("samples = []: give times, or leave samples out")
    wrong = (times < 0) | (times > until) | np.append(False, np.diff(times) < 0)
    if wrong.any():
        found = times[wrong][0]
        raise ModelError(f"samples must rise within 0 to {until}; correct t = {found:.9g}")
    if (twice := times[1:][np.diff(times) == 0]).size:
        raise ModelError(f"samples: t = {twice[0]:.9g} twice; give each time once")
    return times


def breaks_of_inputs(inputs: Mapping[str, object] | None, until: float) -> set[float]:
    """Return when inputs that are piecewise polynomials, or their slopes, jump within a run, s."""
    found: set[float] = set()
    for given in inputs.values() if isinstance(inputs, Mapping) else ():
        pieces = polynomial_of(given, until) if callable(given) else None
        if pieces is not None:
            found.update(map(float, breaks_of(pieces, until)[1]))
    return found


class CheckedSignal:
    """An input's function of time that gives floats, and is refused by name where it does not.

    Parameters
    ----------
    name : str
        The input's.
    given : callable
        The function as it was given.
    typed : Input, optional
        The input, where all values must be those of its type.

    Attributes
    ----------
    given
        As given.
    """

    def __init__(
        self, name: str, given: Callable[[float], float], typed: Input | None = None
    ) -> None:
        self.given, self._name, self._typed = given, name, typed

    def __call__(self, time: float) -> float:
        """Return the value at a time, s."""
        try:
            given = self.given(time)
        except (ModelError, SimulationError):
            raise
        except Exception as error:
            remedy = (
                ""
                if time
                else ("; give a function of one argument, the time in s, as in lambda t: 0.1 * t")
            )
            raise (SimulationError if time else ModelError)(
                f"input {self._name}: its function fails at t = {time:.9g} "
                f"({type(error).__name__}: {error}){remedy}"
            ) from error
        if self._typed is not None:
            return checked_value("input", self._typed, given)
        if type(given) is float:
            return given
        if isinstance(given, np.ndarray) and given.shape == () and given.dtype.kind == "f":
            return float(given)  # what SciPy's interpolants return
        return checks.scalar(f"input {self._name} at t = {time:.9g}", given)


def checked_signal(
    name: str, signal: Callable[[float], float], record: Input | None = None
) -> CheckedSignal:
    """Return an input's function of time as one that gives floats, refused where it does not.

    Arrays and expressions of one number are taken. A number that is not finite is refused here at
    the start only, later by those who ask. Where the input's ``record`` says that it is not a real
    number, all values are those of its type.

    Raises
    ------
    ModelError
        Naming the input and what its function gives or says at the start.
    """
    typed = record if record is not None and type_of(record) != "real" else None
    if typed is not None:
        refuse_between(typed, signal)
    found = CheckedSignal(name, signal, typed)
    if not np.isfinite(first := found(0.0)):
        raise ModelError(f"input {name} is {first} at t = 0; let its function give finite numbers")
    return found


def refuse_between(record: Input, signal: Callable[[float], float]) -> None:
    """Refuse rows and splines that an input of another type than real cannot follow.

    Raises
    ------
    ModelError
        Naming the input, and how to give values that are held.
    """
    from scipy.interpolate import BSpline, PPoly  # for few, and slow to import

    from mbcore.evaluation.input_table import TimedInput

    name = record.name
    if isinstance(signal, TimedInput) and signal.holds:
        for value in np.unique(signal.values):
            checked_value("input", record, float(value))
    elif isinstance(signal, PPoly | BSpline):
        raise ModelError(
            f"input {name} is {article(type_of(record))} and has no value between rows; give "
            f"mbcore.InputTable(times, {{{name!r}: values}}, holds=[{name!r}])"
        )


def by_element(known: Mapping[str, int], inputs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield inputs as given; of arrays the value, or the function of time, of each element.

    Raises
    ------
    ModelError
        A value is of another shape than its array, or an element is given twice.
    """
    seen: set[str] = set()
    for asked, given in inputs.items():
        shape = None if asked in known else shape_in(asked, known)
        if shape is None:
            pairs = [(asked, given)]
        elif callable(given):
            elements = Array(asked, shape, "input").elements
            signal = ArraySignal(asked, shape, given)
            pairs = [(name, signal.element(i)) for i, name in enumerate(elements)]
        else:
            pairs = values_by_element(f"input {asked}", asked, given, known)
        for name, value in pairs:
            if name in seen:
                raise ModelError(
                    f"input {name} is given twice, once within an array; leave one out"
                )
            seen.add(name)
            yield name, value


class ArraySignal:
    """A function of time that gives an array, evaluated once for all elements at a time.

    Parameters
    ----------
    name : str
        Of the array of inputs.
    shape : tuple of int
        Its shape.
    signal : callable
        The function of time, s.
    """

    def __init__(self, name: str, shape: tuple[int, ...], signal: Callable[[float], Any]) -> None:
        self._name, self._shape, self._signal = name, shape, signal
        self._time = float("nan")
        self._values: list[Any] = []

    def element(self, place: int) -> Callable[[float], Any]:
        """Return the function of time of an element, counted row by row from 0."""

        def value(time: float) -> Any:
            if time != self._time:
                self._values, self._time = self._evaluated(time), time
            return self._values[place]

        return value

    def _evaluated(self, time: float) -> list[Any]:
        found = given_array(f"input {self._name} at t = {time:.9g}", self._signal(time))
        if found is None or found[0] != self._shape:
            raise ModelError(
                f"input {self._name}: its function gives "
                f"{'one number' if found is None else f'the shape {found[0]}'} at t = {time:.9g}; "
                f"let it give the shape {self._shape}"
            )
        return found[1]


def split_inputs(
    equations: Equations, inputs: Mapping[str, Any] | None, owner: str = ""
) -> tuple[dict[str, Any], dict[int, Callable[[float], float]]]:
    """Return inputs that are constant, by name, and functions of time, by place.

    Raises
    ------
    ModelError
        They are not given by name, a name is unknown, or values over time are given as a list.
    """
    if inputs is not None and not isinstance(inputs, Mapping):
        said = f"{owner}: inputs" if owner else "inputs"
        raise ModelError(f"{said} = {inputs!r}; give values or functions of time by name")
    constants: dict[str, Any] = {}
    signals: dict[int, Callable[[float], float]] = {}
    order = {record.name: i for i, record in enumerate(equations.inputs)}
    for name, value in by_element(order, inputs or {}):
        if name not in order:
            raise ModelError(near_names.unknown("input", name, order))
        if isinstance(value, list | tuple | np.ndarray) and np.size(np.asarray(value, object)) != 1:
            raise ModelError(
                f"input {name} = {reprlib.repr(value)}: give a number, a function of time, or a "
                f"table of values over time, mbcore.InputTable(times, {{{name!r}: values}})"
            )
        if callable(value):
            signals[order[name]] = checked_signal(name, value, equations.inputs[order[name]])
        else:
            constants[name] = value
    return constants, signals
