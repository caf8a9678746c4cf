"""Controllers that close a loop around an FMU: functions, and discrete systems of python-control.

A controller gets the time and measurements by name and returns inputs by name.

Used by `mbcore.fmi.closed_loop` alone; it stands apart because controllers know no FMU.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from mbcore.fmi.running.fmu_variables import BOOLEAN, REALS, Variables
from mbcore.model import checks, near_names, wording
from mbcore.model.errors import ModelError, SimulationError

Controller = Callable[[float, Mapping[str, float]], Mapping[str, float]]
"""From time, s, and measurements by name to inputs by name."""
OWNER = "closed_loop"
SAME = 1e-9
"""Relative difference of sampling times that count as equal."""


class Measurements(dict[str, float]):
    """The measurements that a controller gets; errors for unknown names propose similar ones."""

    def __missing__(self, name: str) -> float:
        raise KeyError(near_names.unknown("measurement", name, self))


class Sampled:
    """A discrete system of python-control as a controller, at rest in the beginning.

    Parameters
    ----------
    system : control.StateSpace or any discrete system with labels
        Its inputs are measurements and its outputs inputs of the FMU, of the same names, or with
        ``_`` in place of each dot.
    variables : Variables
        Those of the FMU.

    Attributes
    ----------
    measured : tuple of str
        The FMU's names of its measurements.
    """

    def __init__(self, system: Any, variables: Variables) -> None:
        self._system = _in_state_space(system)
        self._state = np.zeros(self._system.nstates or 0)
        self.measured = _matched("measurement", system.input_labels, variables)
        self._commands = _matched("input", system.output_labels, variables.inputs)

    def __call__(self, time: float, measured: Mapping[str, float]) -> dict[str, float]:
        """Return its outputs, and advance its state."""
        given = np.array([measured[name] for name in self.measured])
        found = np.atleast_1d(self._system.output(time, self._state, given))
        self._state = np.atleast_1d(self._system.dynamics(time, self._state, given))
        return dict(zip(self._commands, map(float, found), strict=True))


class Law:
    """A controller whose answers are checked.

    Parameters
    ----------
    controller : Controller
        The function or system that is checked.
    variables : Variables
        Those of the FMU.
    taken : collection of str
        Inputs that are given from elsewhere.
    """

    def __init__(
        self, controller: Controller, variables: Variables, taken: Iterable[str] = ()
    ) -> None:
        self._controller, self._variables, self._taken = controller, variables, set(taken)
        self.commands: tuple[str, ...] = ()
        self.asked = 0

    def __call__(self, time: float, measured: Mapping[str, float]) -> dict[str, float]:
        """Return the inputs of one sample.

        Raises
        ------
        ModelError
            The answer is not a mapping, has names that are not inputs or are given from elsewhere,
            or a value that is not a finite number.
        SimulationError
            The controller fails; gives the time.
        """
        try:
            found = self._controller(time, measured)
        except (ModelError, SimulationError):
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise SimulationError(f"the controller fails at t = {time:.9g} s: {reason}") from error
        if not isinstance(found, Mapping):
            raise ModelError(
                f"{OWNER}: the controller returns {found!r} at t = {time:.9g} s; let it return "
                "inputs by name, as in {'steer.angle': 0.1}"
            )
        if not self.asked:
            self._begin(found)
        self.asked += 1
        self._refuse_others(found, time)
        return {name: self._value(name, found[name], time) for name in self.commands}

    def _begin(self, found: Mapping[str, float]) -> None:
        self._variables.check_inputs("the controller returns", found)
        both = sorted(self._taken & set(found))
        if both:
            raise ModelError(
                f"{OWNER}: {wording.listed(both)} is given by inputs= and by the controller; leave "
                "it to one of them"
            )
        if not found:
            raise ModelError(
                f"{OWNER}: the controller returns no inputs at all; let it return some"
            )
        self.commands = tuple(found)

    def _refuse_others(self, found: Mapping[str, float], time: float) -> None:
        self._variables.check_inputs("the controller returns", found)
        differing = sorted(set(self.commands) ^ set(found))
        if differing:
            raise ModelError(
                f"{OWNER}: the controller returns {wording.listed(found) or 'nothing'} at t = "
                f"{time:.9g} s, but first returned {wording.listed(self.commands)}; let it "
                f"return the same inputs each time: {wording.listed(differing)} differs"
            )

    def _value(self, name: str, value: object, time: float) -> float:
        kind = self._variables.kind(name)
        if isinstance(value, bool | np.bool_) and kind == BOOLEAN:
            return float(value)
        if isinstance(value, np.ndarray) and value.size == 1:
            value = value.item()
        number = checks.scalar(f"{OWNER}: the controller's {name} at t = {time:.9g} s", value)
        if not math.isfinite(number):
            raise ModelError(
                f"{OWNER}: the controller returns {name} = {number} at t = {time:.9g} s; let it "
                "return a finite number"
            )
        if kind not in REALS and number != int(number):
            raise ModelError(
                f"{OWNER}: the controller returns {name} = {number} at t = {time:.9g} s, and the "
                f"input is of type {kind}; return a whole number"
            )
        return number


def is_system(controller: object) -> bool:
    """Return whether it is a system of python-control, which may be called as well."""
    return all(hasattr(controller, name) for name in ("dt", "input_labels", "output_labels"))


def sampling_time(controller: object, given: object) -> float:
    """Return the sampling time, s, that of a discrete system where none is given.

    Raises
    ------
    ModelError
        It is missing, not positive, or another one than the system's.
    """
    own = getattr(controller, "dt", None) if is_system(controller) else True
    if own is None or own == 0:
        raise ModelError(
            f"{OWNER}: the controller is a continuous system; make a discrete one of it, as in "
            "control.c2d(controller, 0.01)"
        )
    if given is None:
        if own is True:
            raise ModelError(f"{OWNER}: sample_time is missing; give seconds, as in 0.01")
        return float(own)
    period = checks.real(OWNER, "sample_time", given, above=0, unit="s")
    if own is not True and abs(period - own) > SAME * period:
        raise ModelError(
            f"{OWNER}: sample_time = {period:.9g} s, and the controller is made for {own:.9g} s; "
            "leave sample_time out, or sample the controller anew"
        )
    return period


def _in_state_space(system: Any) -> Any:
    if hasattr(system, "dynamics"):
        return system
    import control  # a user who passes one of its systems has it

    return control.ss(system)


def _matched(what: str, labels: Sequence[str], names: Iterable[str]) -> tuple[str, ...]:
    """Return the FMU's names of a system's labels.

    Raises
    ------
    ModelError
        A label is not a name, or stands for more than one.
    """
    known = list(names)
    found = []
    for label in labels:
        fitting = [n for n in known if n == label] or [
            n for n in known if n.replace(".", "_") == label
        ]
        if not fitting:
            raise ModelError(
                f"{OWNER}: the controller's labels: {near_names.unknown(what, label, known)}; "
                "name its inputs and outputs as the FMU does, as in control.ss(..., inputs=[...])"
            )
        if len(fitting) > 1:
            raise ModelError(f"{OWNER}: the label {label!r} may be {wording.listed(fitting)}")
        found.append(fitting[0])
    return tuple(found)
