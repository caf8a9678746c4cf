"""An FMU of FMI 2.0 or 3.0 in Co-Simulation, its inputs followed over each step."""

from __future__ import annotations

import math
from collections.abc import Mapping
from ctypes import byref, c_double
from pathlib import Path
from typing import Any

from fmpy import fmi2
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

from mbcore.fmi.running.followed_inputs import Transfer
from mbcore.fmi.running.instance import ENDED, FmuInstance
from mbcore.model import checks
from mbcore.model.errors import ModelError, SimulationError

RETURNS = 1000
"""Largest number of early returns within a step."""


class CoSimulation(FmuInstance):
    """An FMU for Co-Simulation, to be used in a ``with`` statement.

    Inputs over time have their values at all times of a step where the FMU takes derivatives of
    inputs (FMI 2.0) or intermediate updates (FMI 3.0). Steps end at rows of tables.
    """

    _event_mode = False
    _passed = 0.0

    def step(self, size: float = 0.01) -> None:
        """Advance the time by ``size``, s."""
        self.advance(self.time + checks.real(f"FMU {self.name}", "step", size, above=0, unit="s"))

    def advance(self, end: float, pieces: int = 1) -> None:
        """Advance to a time, s, through early returns of the FMU and rows of its inputs.

        Parameters
        ----------
        end : float
            s
        pieces : int
            Steps on the way where the FMU takes derivatives of inputs, which are linear in each.

        Raises
        ------
        SimulationError
            The FMU fails, asks for the end of the simulation, or comes no further.
        """
        inputs = self.inputs
        if not inputs:
            self._step_to(end)
            return
        for place in inputs.places(self.time, end, self.longest, pieces):
            self._begin_step(place)
            if inputs.others:
                inputs.others.update(zip(inputs.others, self.get(inputs.others), strict=True))
            if inputs.transfer is Transfer.DERIVATIVES:
                names, rates = inputs.rates(self.time, place)
                orders = [1] * len(names)
                references = self.variables.references(names)
                self._call(self._fmu.setRealInputDerivatives, references, orders, rates)
            self._step_to(place)
            inputs.raise_failure()
            if inputs.transfer is Transfer.HELD:
                self.set(inputs.values(place, before=True))

    @property
    def longest(self) -> float | None:
        """Longest step where moving inputs are held, s; None where the FMU's steps are equal."""
        any_step = self.description.coSimulation.canHandleVariableCommunicationStepSize
        return self._importing.longest if any_step else None

    def restart(self, start: Mapping[str, float]) -> None:
        """Begin anew at the time 0, by a reset, with other start values; errors as at first."""
        self._passed = 0.0
        super().restart(start)

    def initialized(self) -> None:
        """End the initialization.

        Raises
        ------
        SimulationError
            The FMU fails, or asks for the end of the simulation.
        """
        super().initialized()
        if self._event_mode:
            self._update()

    def pass_row(self) -> None:
        """Give inputs the values behind a row of a table at the present time."""
        self._begin_step(None)

    def _begin_step(self, end: float | None) -> None:
        """Set inputs for a step to a time, s; those that jump in Event Mode, where there is one."""
        inputs, now = self.inputs, self.time
        values = inputs.values(now) if end is None else inputs.at_begin(now, end)
        if not (self._event_mode and now != self._passed and inputs.jumps_at(now)):
            self.set(values)
            return
        self._passed = now
        self._call(self._fmu.enterEventMode)
        self.set(values)
        self._update()

    def _update(self) -> None:
        """Update discrete states until they stay, and go on to Step Mode."""
        for _ in range(RETURNS):
            again, ended, *_ = self._call(self._fmu.updateDiscreteStates)
            if ended:
                raise SimulationError(self._explained(ENDED))
            if not again:
                break
        self._call(self._fmu.enterStepMode)

    def _step_to(self, end: float) -> None:
        for _ in range(RETURNS):
            size = end - self.time
            if self.version == "2.0":
                self._call(self._fmu.doStep, self.time, size)
                self.time = end
                return
            happened, ended, early, reached = self._call(self._fmu.doStep, self.time, size)
            self.time = reached if early else end
            if ended:
                raise SimulationError(self._explained(ENDED))
            if happened and self._event_mode:
                self._call(self._fmu.enterEventMode)
                self._update()
            if not early or reached >= end:
                return
        raise SimulationError(
            self._explained(f"returns early again and again, before t = {end:.9g} s")
        )

    def _refuse_lacking(self, path: str | Path) -> None:
        if self.description.coSimulation is None:
            raise ModelError(f"{path} offers no Co-Simulation; export it with Co-Simulation")

    def _begin(self) -> None:
        has_events = self.version == "3.0" and self.description.coSimulation.hasEventMode
        self._event_mode = bool(has_events and self.inputs.have_jumps)
        more: dict[str, Any] = {"eventModeUsed": True} if self._event_mode else {}
        if self.inputs.transfer is Transfer.INTERMEDIATE:
            self.inputs.begin(self.variables, lambda: self._fmu)
            more |= {
                "intermediateUpdate": self.inputs.update,
                "requiredIntermediateVariables": self.inputs.references,
            }
        kinds = {"2.0": FMU2Slave, "3.0": FMU3Slave}
        self._fmu = self._instantiated(kinds, self.description.coSimulation, **more)

    def _more(self, error: FMICallException) -> str:
        return self._last_successful() if error.function == "fmi2DoStep" else ""

    def _last_successful(self) -> str:
        """Return how far a step of FMI 2.0 came, and whether it ends, where the FMU reports it."""
        reached = c_double(float("nan"))
        try:
            kind = fmi2.fmi2LastSuccessfulTime
            self._fmu.fmi2GetRealStatus(self._fmu.component, kind, byref(reached))
        except FMICallException:
            return ""
        came = "" if math.isnan(reached.value) else f", it came to t = {reached.value:.9g} s"
        return came + (f" and {ENDED}" if self._terminated() else "")

    def _terminated(self) -> bool:
        try:
            return bool(self._fmu.getBooleanStatus(fmi2.fmi2Terminated))
        except FMICallException:
            return False
