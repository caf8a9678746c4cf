"""One FMU in Model Exchange, as the masters of the survey see it: numbers at points, and events."""

from __future__ import annotations

import math
from ctypes import c_double
from typing import Any

import numpy as np

from tests.conftest import OK, Instance


class Unit:
    """The functions of Model Exchange that a master needs, with arrays in place of C's."""

    def __init__(self, instance: Instance) -> None:
        self.instance, self.fmu = instance, instance.fmu
        archive = instance.archive
        self.third = archive.version == "3.0"
        self.states, self.events = len(instance.states), archive.description.numberOfEventIndicators
        self._x, self._rate = (c_double * self.states)(), (c_double * self.states)()
        self._z = (c_double * self.events)()
        fmu = self.fmu
        self._rates = fmu.getContinuousStateDerivatives if self.third else fmu.getDerivatives
        self._update = fmu.updateDiscreteStates if self.third else fmu.newDiscreteStates
        self.count = 0

    def go_to(self, t: float, s: np.ndarray) -> None:
        """Set time and states."""
        self._x[:] = s.tolist()
        self.fmu.setTime(t)
        self.fmu.setContinuousStates(self._x, self.states)

    def read(self) -> np.ndarray:
        """Return the continuous states."""
        self.fmu.getContinuousStates(self._x, self.states)
        return np.array(self._x)

    def rates(self, t: float, s: np.ndarray) -> np.ndarray:
        """Return the rates of the states at a point."""
        self.go_to(t, s)
        self._rates(self._rate, self.states)
        return np.array(self._rate)

    def indicators(self, t: float, s: np.ndarray) -> np.ndarray:
        """Return the event indicators at a point."""
        self.go_to(t, s)
        self.fmu.getEventIndicators(self._z, self.events)
        return np.array(self._z)

    def complete(self) -> bool:
        """End a step; return whether the FMU asks for Event Mode."""
        return bool(self.fmu.completedIntegratorStep()[0])

    def handle_events(self, enter: bool = True) -> tuple[bool, float]:
        """Go through Event Mode; return whether states have changed, and the next event's time."""
        if enter:
            assert self.instance.call("EnterEventMode") == OK, self.instance.said
        changed, needed, next_event = False, True, math.inf
        while needed:
            needed, _, _, altered, known, time = self._update()
            changed |= altered
            next_event = time if known else math.inf
        assert self.instance.call("EnterContinuousTimeMode") == OK, self.instance.said
        self.count += 1
        return changed, next_event

    def value(self, name: str) -> float:
        """Return a variable."""
        return self.instance.get(name)

    def callbacks(self) -> dict[str, Any]:
        """Return what FMPy's solvers are made from."""
        return {
            "nx": self.states, "nz": self.events, "get_x": self.fmu.getContinuousStates,
            "set_x": self.fmu.setContinuousStates, "get_dx": self._rates,
            "get_z": self.fmu.getEventIndicators, "input": NoInput(),
        }  # fmt: skip


class NoInput:
    """What FMPy's solvers ask for inputs."""

    def apply(self, time: float) -> None:
        """Leave inputs as they are."""
