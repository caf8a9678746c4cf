"""Inputs over time of many instances: functions that all share, or one for each instance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from scipy.interpolate import BSpline, PPoly

from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.input_rates import InputRateCheck
from mbcore.model import checks
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.model.variables import Input, type_of
from mbcore.native.signals import Columns, Function, Signal, pieces_of
from mbcore.simulation.arguments import checked_signal, refuse_between

COMPARED = 100
"""Times at which inputs are compared with their rates."""
SPAN = 1e-5
"""Part of the run over which the change of an input is taken for its rate."""


def functions_of_instances(
    owner: str, name: str, value: Any, unit: str
) -> Sequence[Function] | None:
    """Return a function for each instance where these are given, None where they are not.

    Parameters
    ----------
    owner, name : str
        Who takes them, and of which input they are.
    value : object
        A sequence of functions, perhaps with numbers among them; or one of SciPy's piecewise
        polynomials or splines whose values are arrays of shape (n,), such as
        ``CubicSpline(times, table)``, where ``table`` has a column for each instance.
    unit : str
        Of the input.

    Raises
    ------
    ModelError
        If such a polynomial's values have another shape, or what stands among functions is no
        number.
    """
    if isinstance(value, PPoly | BSpline):
        if np.iscomplexobj(value.c):
            raise ModelError(f"{owner}: {name} is complex; give a spline of real values")
        shape = value.c.shape[2:] if isinstance(value, PPoly) else value.c.shape[1:]
        if not shape:
            return None
        if len(shape) > 1:
            raise ModelError(
                f"{owner}: {name} gives values of the shape {shape}; give one number an instance"
            )
        return Columns(pieces_of(value) if isinstance(value, BSpline) else value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return None
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str):
        return None
    if not any(callable(one) for one in value):
        return None
    return [one if callable(one) else _constant(f"{owner}: {name}", one, unit) for one in value]


def following(functions: Sequence[Function], first: int, behind: int) -> Sequence[Function]:
    """Return the functions of instances that follow each other, up to the one ``behind`` them."""
    part = functions[first:behind]
    return Columns(part) if isinstance(part, PPoly) else part


def _constant(owner: str, value: object, unit: str) -> Function:
    return PPoly([[checks.scalar(owner, value, unit)]], [0.0, 1.0])


class TimedInputs:
    """Inputs of many instances that are functions of time.

    Parameters
    ----------
    equations : Equations
        The equations.
    inputs : mapping of str to value or callable
        Of all instances.
    own : mapping of str to sequence of callable
        A function for each instance.

    Attributes
    ----------
    constants : dict of str to value
        Inputs of all instances, functions at t = 0.
    starts : dict of str to ndarray, shape (n,)
        Values that differ at t = 0; NaN where a function fails there.
    signals : list of Signal
        For C.

    Raises
    ------
    ModelError
        If a function of all instances gives no number at t = 0, or its input does not exist.
    """

    def __init__(
        self,
        equations: Equations,
        inputs: Mapping[str, Any],
        own: Mapping[str, Sequence[Function]],
    ) -> None:
        self.constants = dict(inputs)
        self.starts: dict[str, np.ndarray] = {}
        self.signals: list[Signal] = []
        places = {record.name: i for i, record in enumerate(equations.inputs)}
        records = {record.name: record for record in equations.inputs}
        for name, value in inputs.items():
            if callable(value):
                checked = checked_signal(name, value, records.get(name))
                self.constants[name] = checked(0.0)
                if name in places:  # who evaluates the constants refuses others
                    self._add(equations, places[name], [_for_c(value, checked)], each=False)
        for name, functions in own.items():
            starts, checked_ones = _start(name, functions, records.get(name))
            self.starts[name] = starts
            self._add(equations, places[name], checked_ones, each=True)

    def _add(
        self, equations: Equations, place: int, functions: Sequence[Function], each: bool
    ) -> None:
        self.signals.append(Signal(place, equations.inputs[place], functions, each))

    def compare_rates(
        self, first: Evaluation, states: Mapping[str, Any], until: float, breaks: Sequence[float]
    ) -> None:
        """Warn where inputs of the first instance contradict their rates, as `simulate` does.

        Parameters
        ----------
        first : Evaluation
            With parameters and inputs of this instance, which is moved.
        states : mapping of str to value
            Its start values that differ from the model's.
        until : float
            End time, s.
        breaks : sequence of float
            Times at which inputs may jump, s.
        """
        check = InputRateCheck(first)
        if not check.is_open:
            return
        try:
            first.start(states)
        except (ModelError, ConfigurationError, SimulationError):
            return  # its error is told with the instance
        functions = {s.place: s.functions[0] for s in self.signals}
        span = SPAN * until
        with suppress(ModelError, SimulationError):  # an input that fails is told with the instance
            for t in np.linspace(0.0, until, COMPARED):
                if all(abs(t - b) > span for b in breaks):
                    first.t[0] = t
                    for place, function in functions.items():
                        first.u[place] = function(t)
                    check.of_signals(functions, span, until)


def _for_c(function: Function, checked: Function) -> Function:
    """Return a polynomial as it is, for C evaluates it, and other functions as they are checked."""
    return function if isinstance(function, PPoly | BSpline) else checked


def _start(
    name: str, functions: Sequence[Function], record: Input | None
) -> tuple[np.ndarray, Sequence[Function]]:
    """Return values at t = 0, and what C evaluates or calls."""
    if isinstance(functions, Columns):
        if record is not None and type_of(record) != "real":
            refuse_between(record, functions.pieces)
        return np.asarray(functions.pieces(0.0), float), functions
    checked = [_lenient(name, function, record) for function in functions]
    starts = np.array([check(0.0) for check in checked])
    return starts, [_for_c(*pair) for pair in zip(functions, checked, strict=True)]


def _lenient(name: str, function: Function, record: Input | None) -> Callable[[float], float]:
    """Return a checked function of one instance; NaN at all times if it fails at the start."""
    try:
        return checked_signal(name, function, record)
    except ModelError:
        return lambda time: np.nan
