"""fmuloader, bare FMI functions in Python, with an integrator of SciPy for Model Exchange."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from fmpy import read_model_description
from fmpy.model_description import ModelDescription
from fmuloader.fmi2 import Fmi2Slave, Fmi2Type
from fmuloader.fmi3 import Fmi3Slave
from scipy.integrate import solve_ivp

from .client import CS, ME, REALS, Client, Run, Values, every
from .experiments import SOLVER_TOLERANCE

EXAMPLE = """\
from fmpy import extract, read_model_description
from fmuloader.fmi3 import Fmi3Slave

description = read_model_description("vehicle.fmu")
reference = {v.name: v.valueReference for v in description.modelVariables}
car = Fmi3Slave("vehicle.fmu", model_identifier="vehicle")
car.instantiate_co_simulation("car", instantiation_token=description.instantiationToken)
car.set_float64([reference["chassis.speed"], reference["steer.angle"]], [12, 0.02])
car.enter_initialization_mode(start_time=0.0)
car.exit_initialization_mode()
for k in range(100):
    car.do_step(k * 0.01, 0.01)
print(car.get_float64([reference["chassis.x"]]))
"""


class Opened:
    """One instance."""

    def __init__(self, run: Run) -> None:
        self.run, self.case = run, run.case
        self.description: ModelDescription = read_model_description(str(run.archive))
        self.variables = {v.name: v for v in self.description.modelVariables}
        self.states = [u.variable.derivative.name for u in self.description.derivatives]
        make = Fmi2Slave if run.fmi == "2" else Fmi3Slave
        self.fmu: Any = make(str(run.archive), model_identifier=self.description.modelName)
        if run.fmi == "2":
            kind = Fmi2Type.CO_SIMULATION if run.kind == CS else Fmi2Type.MODEL_EXCHANGE
            self.fmu.instantiate("fmu", kind, guid=self.description.guid)
        else:
            token = self.description.instantiationToken
            name = "co_simulation" if run.kind == CS else "model_exchange"
            getattr(self.fmu, f"instantiate_{name}")("fmu", instantiation_token=token)

    def _call(self, verb: str, name: str) -> Callable[..., Any]:
        kind = self.variables[name].type
        if kind == "Enumeration":
            kind = "Integer" if self.run.fmi == "2" else "Int64"
        return getattr(self.fmu, f"{verb}_{kind.lower()}")

    def set(self, values: dict[str, float]) -> None:
        """Set variables."""
        for name, value in values.items():
            given = value if self.variables[name].type in REALS else int(value)
            self._call("set", name)([self.variables[name].valueReference], [given])

    def get(self, name: str) -> float:
        """Return a variable."""
        return float(self._call("get", name)([self.variables[name].valueReference])[0])

    def initialize(self) -> None:
        """Set the experiment's values and initialize."""
        self.set({**self.case.start, **self.run.choices, "solver.tolerance": SOLVER_TOLERANCE})
        self.set(self.case.inputs_at(0.0))
        if self.run.fmi == "2":
            self.fmu.setup_experiment(start_time=0.0)
        self.fmu.enter_initialization_mode()
        self.fmu.exit_initialization_mode()
        if self.run.kind == ME:
            self.leave_event_mode()

    def leave_event_mode(self) -> None:
        """Update discrete states until they stay, and go to Continuous-Time Mode."""
        if self.run.fmi == "2":
            while self.fmu.new_discrete_states().newDiscreteStatesNeeded:
                pass
        else:
            while self.fmu.update_discrete_states().discrete_states_need_update:
                pass
        self.fmu.enter_continuous_time_mode()

    def rates(self, time: float, state: np.ndarray) -> list[float]:
        """Return the rates of the states, for an integrator."""
        self._move(time, state)
        name = "get_derivatives" if self.run.fmi == "2" else "get_continuous_state_derivatives"
        return getattr(self.fmu, name)(len(self.states))

    def indicator(self, number: int) -> Callable[[float, np.ndarray], float]:
        """Return an event indicator as a function that ends an integration where it vanishes."""

        def value(time: float, state: np.ndarray) -> float:
            self._move(time, state)
            return self.fmu.get_event_indicators(self.indicators)[number]

        value.terminal = True  # type: ignore[attr-defined]
        return value

    @property
    def indicators(self) -> int:
        """Number of event indicators."""
        if self.run.fmi == "2":
            return int(self.description.numberOfEventIndicators or 0)
        return self.fmu.get_number_of_event_indicators()

    def _move(self, time: float, state: np.ndarray) -> None:
        self.fmu.set_time(time)
        if self.states:
            self.fmu.set_continuous_states(list(state))

    def integrate(self, begin: float, end: float) -> None:
        """Integrate with SciPy's DOP853, through state events."""
        time, count = begin, len(self.states)
        watched = [self.indicator(k) for k in range(self.indicators)]
        while time < end:
            if not count:
                self._move(end, np.zeros(0))
                return
            state = np.array(self.fmu.get_continuous_states(count))
            scale = np.array(self.fmu.get_nominals_of_continuous_states(count))
            found = solve_ivp(
                self.rates, (time, end), state, method="DOP853", rtol=SOLVER_TOLERANCE,
                atol=scale * SOLVER_TOLERANCE, events=watched or None, dense_output=True,
            )  # fmt: skip
            event = found.status == 1
            # past the zero that was found, on the side where the indicator has its other sign
            time = float(found.t[-1]) + (1e-6 * self.case.step if event else 0.0)
            self._move(time, found.sol(time))
            asked, _ = self.fmu.completed_integrator_step()
            if asked or event:
                self.fmu.enter_event_mode()
                self.leave_event_mode()


def run(run: Run) -> Values:
    """Run an experiment."""
    case, opened = run.case, Opened(run)
    opened.initialize()
    outputs = [name for name, v in opened.variables.items() if v.causality == "output"]
    values: Values = {name: [] for name in outputs}
    time = 0.0
    for until in sorted({*case.samples, case.half}):
        if run.kind == CS:
            opened.set(case.inputs_at(time))
            first = round(time / case.step)
            for k in range(first, round(until / case.step)):
                opened.fmu.do_step(k * case.step, case.step)
        else:
            if time:
                opened.fmu.enter_event_mode()
                opened.set(case.inputs_at(time))
                opened.leave_event_mode()
            opened.integrate(time, until)
        time = until
        if time != case.half:
            for name in outputs:
                values[name].append(opened.get(name))
    opened.fmu.terminate()
    opened.fmu.free_instance()
    return values


CLIENT = Client("fmuloader", "fmuloader", every(CS, ME), run, EXAMPLE)
