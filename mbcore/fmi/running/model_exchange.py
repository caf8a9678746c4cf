"""An FMU of FMI 2.0 or 3.0 in Model Exchange, integrated by CVODE, as FMPy brings it.

Inputs have their values at every time at which the FMU is evaluated. CVODE begins anew at rows of
tables and at events, and never looks beyond the time at which it is to stop.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Model
from fmpy.fmi3 import FMU3Model
from fmpy.sundials import NV_DATA_S, CVodeSolver, cvode

from mbcore.fmi.running.followed_inputs import SAME
from mbcore.fmi.running.instance import ENDED, FmuInstance
from mbcore.model.errors import ModelError, SimulationError

TOLERANCE = 1e-11
"""Relative, of CVODE, where no smaller one is asked for."""
ROUNDS = 100
"""Most updates of discrete states in one event."""
MOST_STEPS = 1_000_000
"""Between two rows."""
PARTS = 50
"""Steps of a run at least."""
REPEAT, GIVE_UP = 1, -1
"""Return value for CVODE where an evaluation fails: whether one that is nearer may succeed."""

_stop_at = cvode.sundials_cvode.CVodeSetStopTime
_stop_at.argtypes, _stop_at.restype = [ctypes.c_void_p, ctypes.c_double], ctypes.c_int


class ModelExchange(FmuInstance):
    """An FMU for Model Exchange, to be used in a ``with`` statement."""

    _solver: Any = None
    _next_event = math.inf
    _segment_end = math.inf
    _passed = 0.0

    def initialized(self) -> None:
        """End the initialization, with the events of the start.

        Raises
        ------
        SimulationError
            The FMU fails, or asks for the end of the simulation.
        """
        super().initialized()
        self._update()

    def restart(self, start: Mapping[str, float]) -> None:
        """Begin anew with other start values, at the cost of an initialization.

        Raises
        ------
        ModelError
            A name is unknown, or its variable cannot have a start value.
        SimulationError
            The FMU fails.
        """
        self.variables.check_start(start)
        self._call(self._fmu.reset)
        self.messages.clear()
        self._solver = None
        self.time = self._passed = 0.0
        self._next_event = self._segment_end = math.inf
        self._initialize(start)

    def advance(self, end: float) -> None:
        """Advance to a time, s, through events and rows of the inputs.

        Raises
        ------
        SimulationError
            The FMU or CVODE fails, or the FMU asks for the end of the simulation.
        """
        for place in [*self.inputs.rows(self.time, end), end]:
            while place - self.time > SAME * abs(place):
                self._go_to(place)
            self.time = place

    def pass_row(self) -> None:
        """Give inputs the values behind a row of a table at the present time, in Event Mode."""
        self._passed = self.time
        self._event()

    def _refuse_lacking(self, path: str | Path) -> None:
        if self.description.modelExchange is None:
            raise ModelError(f"{path} offers no Model Exchange; run it in Co-Simulation")

    def _begin(self) -> None:
        kinds = {"2.0": FMU2Model, "3.0": FMU3Model}
        self._fmu = self._instantiated(kinds, self.description.modelExchange)

    def _go_to(self, place: float) -> None:
        """Integrate until a time, s, or an event before it, which is processed."""
        if self.inputs.is_row(self.time) and self.time != self._passed:
            self.pass_row()
        due = self._next_event <= place
        stop = self._segment_end = self._next_event if due else place
        if self._solver is None:
            self._solver = self._made_solver()
        _stop_at(self._solver.cvode_mem, stop)
        _, roots, reached = self._solver.step(self.time, stop)
        self.time = stop if stop - reached <= SAME * abs(stop) else float(reached)
        self._move(self.time)
        stepped = False
        if self.description.modelExchange.needsCompletedIntegratorStep:
            stepped, ended = self._call(self._fmu.completedIntegratorStep)
            self._refuse_end(ended)
        if roots.any() or stepped or (due and self.time == stop):
            self._event()

    def _event(self) -> None:
        """Process an event at the present time, with the inputs behind it."""
        self._call(self._fmu.enterEventMode)
        self._segment_end = math.inf
        if self.inputs:
            self.set(self.inputs.values(self.time))
        self._update()

    def _update(self) -> None:
        """Update discrete states until they stay, and go on with continuous time."""
        name = "newDiscreteStates" if self.version == "2.0" else "updateDiscreteStates"
        for _ in range(ROUNDS):
            again, ended, _, _, defined, time = self._call(getattr(self._fmu, name))
            self._refuse_end(ended)
            self._next_event = float(time) if defined else math.inf
            if not again:
                break
        else:
            raise SimulationError(self._explained(f"updates its discrete states {ROUNDS} times"))
        self._call(self._fmu.enterContinuousTimeMode)
        if self._solver is not None:
            self._solver.reset(self.time)

    def _refuse_end(self, ended: bool) -> None:
        if ended:
            raise SimulationError(self._explained(ENDED))

    def _move(self, t: float) -> None:
        """Go to a time, s, with the inputs that belong to it."""
        self._fmu.setTime(t)
        if self.inputs:
            self.set(self.inputs.moving(t, t >= self._segment_end))

    def _made_solver(self) -> _Solver:
        f, late = self._fmu, self.version == "3.0"
        tolerance = min(TOLERANCE, self._tolerance or TOLERANCE)
        made = _Solver(
            nx=self.description.numberOfContinuousStates,
            nz=self.description.numberOfEventIndicators,
            get_x=f.getContinuousStates,
            set_x=f.setContinuousStates,
            get_dx=f.getContinuousStateDerivatives if late else f.getDerivatives,
            get_z=f.getEventIndicators,
            get_nominals=f.getNominalsOfContinuousStates,
            set_time=self._move,
            input=None,
            startTime=self.time,
            maxStep=(self._importing.stop or math.inf) / PARTS,
            relativeTolerance=tolerance,
            maxNumSteps=MOST_STEPS,
        )
        made.explained = self._explained
        return made


class _Solver(CVodeSolver):
    """FMPy's, which takes a failed evaluation for one that is to be repeated nearer."""

    explained: Callable[[str], str] = str
    failure: Exception | None = None

    def f(self, t: float, y: Any, ydot: Any, user_data: Any) -> int:
        """Evaluate the rates."""
        return self._tried(super().f, t, y, ydot, user_data)

    def g(self, t: float, y: Any, gout: Any, user_data: Any) -> int:
        """Evaluate the indicators."""

        def indicators() -> None:
            self.set_time(t)
            if not self.discrete:
                self.set_x(NV_DATA_S(y), self.nx)
            self.get_z(gout, self.nz)

        return self._tried(indicators)

    def _tried(self, evaluate: Callable[..., object], *arguments: Any) -> int:
        try:
            evaluate(*arguments)
        except (FMICallException, SimulationError) as failure:
            self.failure = failure
            return REPEAT
        except Exception as failure:  # a function of time, which fails again however near
            self.failure = failure
            return GIVE_UP
        return 0

    def step(self, t: float, tNext: float) -> Any:
        """Integrate on.

        Raises
        ------
        SimulationError
            If CVODE fails.
        """
        self.failure = None
        try:
            return super().step(t, tNext)
        except RuntimeError as error:
            cause = self.failure or error
            raise SimulationError(self.explained(f"CVODE fails: {cause}")) from error
