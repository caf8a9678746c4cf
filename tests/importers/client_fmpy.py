"""FMPy: `simulate_fmu` for runs, with CVODE in Model Exchange, and its classes for features."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from fmpy import extract, read_model_description, simulate_fmu
from fmpy.fmi2 import FMU2Model, FMU2Slave
from fmpy.fmi3 import FMU3Model, FMU3Slave
from fmpy.model_description import ModelDescription

from .client import (
    CS,
    DIRECTIONAL,
    ME,
    REALS,
    STATE,
    Client,
    Lacks,
    Run,
    Values,
    every,
    flag,
)
from .experiments import SOLVER_TOLERANCE

EXAMPLE = """\
from fmpy import simulate_fmu

result = simulate_fmu(
    "vehicle.fmu", fmi_type="ModelExchange", stop_time=1, output_interval=0.01,
    start_values={"chassis.speed": 12, "steer.angle": 0.02},
    output=["chassis.x", "chassis.y"],
)
print(result["chassis.x"][-1])
"""
CLASSES = {
    ("2", CS): FMU2Slave,
    ("2", ME): FMU2Model,
    ("3", CS): FMU3Slave,
    ("3", ME): FMU3Model,
}


def signals(run: Run) -> np.ndarray:
    """Return FMPy's table of inputs, with two rows where they jump."""
    case = run.case
    names = list(case.inputs_at(case.stop))
    rows = [
        (time, *(case.inputs_at(at).get(name, 0.0) for name in names))
        for time, at in ((0.0, 0.0), (case.half, 0.0), (case.half, case.stop), (case.stop,) * 2)
    ]
    return np.array(rows, dtype=[(name, np.float64) for name in ("time", *names)])


def outputs(description: ModelDescription) -> list[str]:
    """Return the names of the outputs."""
    return [v.name for v in description.modelVariables if v.causality == "output"]


def simulated(run: Run, **options: Any) -> Any:
    """Run `simulate_fmu`."""
    case = run.case
    start = {**case.start, **run.choices}
    return simulate_fmu(
        str(run.archive),
        fmi_type=run.kind,
        stop_time=case.stop,
        start_values=start | {"solver.tolerance": SOLVER_TOLERANCE},
        relative_tolerance=SOLVER_TOLERANCE,
        **({"output_interval": case.step, "input": signals(run)} | options),
    )


def sampled(run: Run, result: Any) -> Values:
    """Return the rows of a result at the samples."""
    rows = [int(np.argmin(np.abs(result["time"] - time))) for time in run.case.samples]
    return {
        name: [float(result[name][row]) for row in rows]
        for name in result.dtype.names
        if name != "time"
    }


def run(run: Run) -> Values:
    """Run an experiment."""
    description = read_model_description(str(run.archive))
    return sampled(run, simulated(run, output=outputs(description)))


class Opened:
    """One instance, by FMPy's classes."""

    def __init__(self, run: Run, description: ModelDescription, folder: str, name: str) -> None:
        self.run, self.description = run, description
        self.fmu = CLASSES[run.fmi, run.kind](
            guid=description.guid, unzipDirectory=folder, instanceName=name,
            modelIdentifier=description.modelName,
        )  # fmt: skip
        self.fmu.instantiate()
        self.references = {v.name: v.valueReference for v in description.modelVariables}
        self.types = {v.name: v.type for v in description.modelVariables}
        self.states = [unknown.variable.derivative.name for unknown in description.derivatives]
        self.rates = [unknown.variable.name for unknown in description.derivatives]
        self.outputs = [name for name in outputs(description) if self.types[name] in REALS]

    def access(self, name: str) -> str:
        """Return the end of the names of a variable's getter and setter."""
        kind = self.types[name]
        if kind == "Enumeration":
            return "Integer" if self.run.fmi == "2" else "Int64"
        return kind

    def set(self, values: dict[str, float]) -> None:
        """Set variables."""
        for name, value in values.items():
            access = self.access(name)
            given = value if access in REALS else int(value)
            getattr(self.fmu, f"set{access}")([self.references[name]], [given])

    def get(self, names: list[str]) -> np.ndarray:
        """Return real variables."""
        read = self.fmu.getReal if self.run.fmi == "2" else self.fmu.getFloat64
        return np.array(read([self.references[name] for name in names]))

    def initialize(self) -> None:
        """Set values and initialize, in Model Exchange up to Continuous-Time Mode."""
        case = self.run.case
        self.set({**case.start, **self.run.choices, "solver.tolerance": SOLVER_TOLERANCE})
        self.set(case.inputs_at(0.0))
        if self.run.fmi == "2":
            self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        if self.run.kind == ME:
            update = "newDiscreteStates" if self.run.fmi == "2" else "updateDiscreteStates"
            while getattr(self.fmu, update)()[0]:
                pass
            self.fmu.enterContinuousTimeMode()

    def step(self, k: int) -> None:
        """Do the communication step of a number, from its inputs on."""
        case = self.run.case
        self.set(case.inputs_at(k * case.step))
        self.fmu.doStep(currentCommunicationPoint=k * case.step, communicationStepSize=case.step)

    def derivatives(self) -> np.ndarray:
        """Return the rates of the states."""
        return self.get(self.rates)


@contextmanager
def opened(run: Run, count: int = 1) -> Iterator[list[Opened]]:
    """Give instances of one FMU, freed afterwards."""
    description = read_model_description(str(run.archive))
    with tempfile.TemporaryDirectory() as base, ExitStack() as frees:
        folder = extract(str(run.archive), base)
        found = []
        for number in range(count):
            found.append(Opened(run, description, folder, f"instance {number}"))
            frees.callback(found[-1].fmu.freeInstance)
        yield found


def two_instances(run: Run) -> str:
    """Two instances whose steps alternate give what one gives, bit for bit."""
    if run.kind == ME:
        raise Lacks("tried in Co-Simulation")
    steps = run.case.steps // 4
    with opened(run) as [alone]:
        alone.initialize()
        for k in range(steps):
            alone.step(k)
        expected = alone.get(alone.outputs).tobytes()
    with opened(run, 2) as pair:
        for fmu in pair:
            fmu.initialize()
        for k in range(steps):
            for fmu in pair:
                fmu.step(k)
        assert all(fmu.get(fmu.outputs).tobytes() == expected for fmu in pair)
    return "same bits"


def state(run: Run) -> str:
    """A run goes on from a saved state, and from a serialized one, bit for bit."""
    if not flag(run, *STATE):
        raise Lacks(f"{STATE[1]} is false")
    if run.kind == ME:
        return _state_of_exchange(run)
    steps = run.case.steps // 4
    with opened(run, 2) as [fmu, other]:
        for each in (fmu, other):
            each.initialize()
        for k in range(steps):
            fmu.step(k)
        saved, expected = _on_state(fmu, "getFMUState"), []
        data = _on_state(fmu, "serializeFMUState", saved)
        for attempt in range(3):
            if attempt == 1:
                _on_state(fmu, "setFMUState", saved)
            runner = other if attempt == 2 else fmu
            if attempt == 2:
                restored = _on_state(other, "deserializeFMUState", data)
                _on_state(other, "setFMUState", restored)
                _on_state(other, "freeFMUState", restored)
            for k in range(steps, 2 * steps):
                runner.step(k)
            expected.append(runner.get(runner.outputs).tobytes())
        _on_state(fmu, "freeFMUState", saved)
    assert len(set(expected)) == 1, "values after the state was restored differ"
    return f"{len(data)} B"


def _state_of_exchange(run: Run) -> str:
    with opened(run) as [fmu]:
        fmu.initialize()
        before, saved = fmu.derivatives().tobytes(), _on_state(fmu, "getFMUState")
        moved = (ctypes.c_double * max(len(fmu.states), 1))(*fmu.get(fmu.states) * 1.01 + 1e-6)
        if fmu.states:
            fmu.fmu.setContinuousStates(moved, len(fmu.states))
            assert fmu.derivatives().tobytes() != before
        data = _on_state(fmu, "serializeFMUState", saved)
        _on_state(fmu, "setFMUState", saved)
        _on_state(fmu, "freeFMUState", saved)
        assert fmu.derivatives().tobytes() == before
    return f"{len(data)} B"


def _on_state(fmu: Opened, call: str, *arguments: Any) -> Any:
    """Call a function on states, which FMPy spells in two ways: FMUstate in FMI 2, and FMUState."""
    if fmu.run.fmi == "2":
        call = call.replace("FMUState", "FMUstate").replace("deserialize", "deSerialize")
    return getattr(fmu.fmu, call)(*arguments)


def derivatives(run: Run) -> str:
    """Directional derivatives of rates and outputs by states against central differences."""
    if run.kind == CS:
        raise Lacks("tried in Model Exchange")
    if not flag(run, *DIRECTIONAL):
        raise Lacks(f"{DIRECTIONAL[0]} is false")
    with opened(run) as [fmu]:
        fmu.initialize()
        jacobian, unknowns = _jacobian(fmu)
        at, worst = fmu.get(fmu.states), 0.0
        for column, state in enumerate(at):
            size, sides = 1e-5 * max(abs(state), 1e-3), []
            for sign in (1, -1):
                moved = at.copy()
                moved[column] += sign * size
                fmu.fmu.setContinuousStates((ctypes.c_double * len(at))(*moved), len(at))
                sides.append(fmu.get(unknowns))
            difference = (sides[0] - sides[1]) / (2 * size)
            scale = np.abs(difference).max() + 1e-3 * np.abs(jacobian).max()
            worst = max(worst, float(np.abs(jacobian[:, column] - difference).max() / scale))
    assert worst < 1e-3, f"differs from central differences by {worst:.1g}"
    return f"{worst:.0e}"


def adjoints(run: Run) -> str:
    """Adjoint derivatives are the transpose of the directional ones."""
    if run.kind == CS or run.fmi == "2":
        raise Lacks("tried in Model Exchange of FMI 3.0, which has them")
    if not flag(run, "providesAdjointDerivatives"):
        raise Lacks("providesAdjointDerivatives is false")
    with opened(run) as [fmu]:
        fmu.initialize()
        jacobian, unknowns = _jacobian(fmu)
        unknown, known = ([fmu.references[n] for n in names] for names in (unknowns, fmu.states))
        rows = [
            fmu.fmu.getAdjointDerivative(unknown, known, list(row), len(known))
            for row in np.eye(len(unknown))
        ]
    worst = float(np.abs(np.array(rows) - jacobian).max() / (np.abs(jacobian).max() + 1e-9))
    assert worst < 1e-10, f"differs from the transpose by {worst:.1g}"
    return f"{worst:.0e}"


def _jacobian(fmu: Opened) -> tuple[np.ndarray, list[str]]:
    """Return the Jacobian by the states, and the names of its rows."""
    if not fmu.states:
        raise Lacks("no states")
    told = {*fmu.states, *fmu.rates}
    unknowns = [*fmu.rates, *(output for output in fmu.outputs if output not in told)]
    unknown, known = ([fmu.references[n] for n in names] for names in (unknowns, fmu.states))
    columns = [
        fmu.fmu.getDirectionalDerivative(unknown, known, list(row)) for row in np.eye(len(known))
    ]
    return np.array(columns).T, unknowns


def long_intervals(run: Run) -> str:
    """CVODE gets through the run in four output intervals, with its default number of steps."""
    if run.kind == CS:
        raise Lacks("tried in Model Exchange")
    description = read_model_description(str(run.archive))
    names = outputs(description)
    result = sampled(run, simulated(run, output=names, output_interval=run.case.stop / 4))
    fine = sampled(run, simulated(run, output=names))
    worst = 0.0
    for name, values in fine.items():
        scale = max(np.abs(values)) + 1e-9
        worst = max(worst, float(np.abs(np.subtract(values, result[name])).max() / scale))
    assert worst < 10 * run.case.within, f"differs by {worst:.1g} from short intervals"
    return f"{worst:.0e}"


def ramps(run: Run) -> str:
    """An input that rises evenly, by its derivative: one step is as good as a hundred held ones."""
    if run.fmi == "3" or run.kind == ME:
        raise Lacks("tried in FMI 2.0 Co-Simulation, by fmi2SetRealInputDerivatives")
    if not flag(run, "canInterpolateInputs"):
        raise Lacks("canInterpolateInputs is false")
    case = run.case
    target, before = case.then, case.inputs_at(0.0)
    slopes = {n: (target[n] - before.get(n, 0.0)) / case.stop for n in target}
    found = []
    for steps, ramped in ((2, True), (2, False), (200, False)):
        with opened(run) as [fmu]:
            fmu.initialize()
            size = case.stop / steps
            for k in range(steps):
                fmu.set({n: before.get(n, 0.0) + slopes[n] * k * size for n in target})
                if ramped:
                    _set_slopes(fmu, slopes)
                fmu.fmu.doStep(currentCommunicationPoint=k * size, communicationStepSize=size)
            names = [name for name in fmu.states if name in fmu.outputs]
            found.append(fmu.get(names or fmu.outputs))
    scale = np.abs(found[2]).max() + 1e-9
    ramp, held = (float(np.abs(values - found[2]).max() / scale) for values in found[:2])
    if not fmu.states:
        return "no states"
    assert ramp < 0.1 * held, f"with derivatives {ramp:.1g}, held {held:.1g}"
    return f"{ramp:.0e}, held {held:.0e}"


def _set_slopes(fmu: Opened, slopes: dict[str, float]) -> None:
    count = len(slopes)
    references = (ctypes.c_uint * count)(*(fmu.references[name] for name in slopes))
    orders = (ctypes.c_int * count)(*[1] * count)
    values = (ctypes.c_double * count)(*slopes.values())
    status = fmu.fmu.fmi2SetRealInputDerivatives(
        fmu.fmu.component, references, count, orders, values
    )
    assert not status


CLIENT = Client(
    "FMPy", "fmpy", every(CS, ME), run, EXAMPLE,
    checks={
        "two instances": two_instances,
        "state": state,
        "directional derivatives": derivatives,
        "adjoint derivatives": adjoints,
        "long intervals": long_intervals,
        "input derivatives": ramps,
    },
)  # fmt: skip
