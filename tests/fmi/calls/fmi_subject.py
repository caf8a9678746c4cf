"""An FMU of any origin, opened to see what it can do, in both FMI versions alike."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from ctypes import byref, c_bool, c_double
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
from fmpy.model_description import ModelVariable

from tests.conftest import OK, Archive, Instance, Interface, attempt

REAL = ("Real", "Float64")
STEPS = 20
"""Communication steps of a run that shows something."""
ROUNDING = 1e-6
"""Relative step of difference quotients."""


class MissingError(Exception):
    """The FMU does not have a feature, or has it wrong; says what was seen."""


def demand(met: object, otherwise: str) -> None:
    """Raise `MissingError` where a condition is not met."""
    if not met:
        raise MissingError(otherwise)


@dataclass(frozen=True)
class Subject:
    """An FMU on disk, its description, and runs of it from start values, its own by default."""

    archive: Archive
    binaries: tuple[str, ...]
    start: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    @contextmanager
    def opened(cls, path: Path, start: Mapping[str, float] | None = None) -> Iterator[Subject]:
        """Extract an FMU into a folder that is removed afterwards."""
        with zipfile.ZipFile(path) as file:
            folders = {Path(name).parts[1] for name in file.namelist() if _is_library(name)}
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            yield cls(Archive.of(path, Path(folder)), tuple(sorted(folders)), start or {})

    @property
    def version(self) -> str:
        return self.archive.version

    @property
    def description(self) -> Any:
        return self.archive.description

    def interface(self, kind: Interface) -> Any:
        """Return what the description says of an interface; refuse a missing one."""
        name = "coSimulation" if kind == "CoSimulation" else "modelExchange"
        found = getattr(self.description, name)
        demand(found is not None, f"it has no {kind}")
        return found

    def claims(self, capability: str, kind: Interface = "CoSimulation") -> Any:
        """Return a capability flag of an interface by its name in FMI 3.0, None where it is absent.

        It is read from the file, for FMPy drops ``providesDirectionalDerivatives`` of FMI 3.0.
        """
        self.interface(kind)
        file = Path(self.archive.folder) / "modelDescription.xml"
        flags = ElementTree.parse(file).getroot().find(kind)
        assert flags is not None
        names = capability, capability.replace("FMUState", "FMUstate"), capability.rstrip("s")
        said = next((flag for flag in map(flags.get, names) if flag is not None), None)
        return {"true": True, "false": False, None: None}.get(said, said)

    def of(self, causality: str, *variability: str) -> list[ModelVariable]:
        """Return real variables of a causality, of given variabilities if any."""
        return [
            v
            for v in self.description.modelVariables
            if v.type in REAL
            and v.causality == causality
            and (not variability or v.variability in variability)
        ]

    @property
    def outputs(self) -> list[ModelVariable]:
        return self.of("output", "continuous")

    @cached_property
    def step_size(self) -> float:
        """The default experiment's step, or a hundredth of its time."""
        experiment = self.description.defaultExperiment
        if experiment is not None and experiment.stepSize:
            return float(experiment.stepSize)
        stop = float(experiment.stopTime) if experiment and experiment.stopTime else 1.0
        return stop / 100

    @contextmanager
    def run(self, kind: Interface = "CoSimulation") -> Iterator[Instance]:
        """Yield an initialized instance; in Model Exchange in Continuous-Time Mode."""
        self.interface(kind)
        with Instance(self.archive, kind) as instance:
            status = instance.initialize(self.start)
            demand(status == OK, f"{kind} cannot be initialized: {instance.said}")
            yield instance

    @contextmanager
    def run_with(
        self,
        update: Callable[..., None] | None = None,
        early_return: bool = False,
        event_mode: bool = False,
        required: Sequence[int] = (),
    ) -> Iterator[Instance]:
        """Yield an FMI 3.0 Co-Simulation with a callback, early returns or Event Mode."""
        instance = Instance(self.archive)
        fmu = instance.fmu
        fmu.fmi3FreeInstance(fmu.component)
        fmu.instantiate(
            eventModeUsed=event_mode,
            earlyReturnAllowed=early_return,
            intermediateUpdate=update,
            requiredIntermediateVariables=list(required),
            logMessage=lambda _, *message: instance._log(*message),
        )
        with instance:
            status = instance.initialize(self.start)
            demand(status == OK, f"cannot be initialized: {instance.said}")
            yield instance


def _is_library(name: str) -> bool:
    parts = Path(name).parts
    return len(parts) == 3 and parts[0] == "binaries" and parts[2] != ""


def values(instance: Instance, variables: Sequence[ModelVariable]) -> np.ndarray:
    """Return the values of variables."""
    return instance.values(v.name for v in variables)


def advance(instance: Instance, subject: Subject, steps: int, size: float | None = None) -> None:
    """Make communication steps."""
    for _ in range(steps):
        status = instance.step(subject.step_size if size is None else size)
        demand(status == OK, f"doStep at t = {instance.time:.6g} gives {status}: {instance.said}")


def state_functions(instance: Instance) -> Any:
    """Return get, set, free, serialize and deserialize, named as in FMI 3.0 by FMPy."""
    names = ("get", "set", "free", "serialize", "deserialize")
    return SimpleNamespace(**{n: getattr(instance.fmu, f"{n}FMUState") for n in names})


def directional(
    instance: Instance, unknowns: Sequence[int], known: Sequence[int], seed: Sequence[float]
) -> np.ndarray:
    """Return a directional derivative."""
    return np.array(instance.fmu.getDirectionalDerivative(list(unknowns), list(known), list(seed)))


def derivative_references(subject: Subject) -> tuple[list[int], list[int]]:
    """Return value references of the unknowns (rates and outputs) and knowns (states, inputs)."""
    unknowns = [u.variable for u in subject.description.derivatives]
    states = [v.derivative for v in unknowns]
    outputs = [v for v in subject.outputs if v not in states]
    knowns = [*states, *subject.of("input", "continuous")]
    references = dict.fromkeys(v.valueReference for v in [*unknowns, *outputs])  # aliases share one
    return list(references), [v.valueReference for v in knowns]


def leave_bounds(instance: Instance, subject: Subject) -> None:
    """Move inputs that start at the end of their range inside, for quotients on both sides."""
    for variable in subject.of("input", "continuous"):
        low, high = (None if b is None else float(b) for b in (variable.min, variable.max))
        value = instance.get(variable.name)
        inside = value
        if low is not None and value <= low:
            inside = value + 1e-3
        elif high is not None and value >= high:
            inside = value - 1e-3
        if inside != value:
            _put(instance, variable.name, inside)


def differences(instance: Instance, unknowns: Sequence[int], known: int) -> np.ndarray:
    """Return the central difference quotients of variables by another one in Model Exchange."""
    name = next(v.name for v in instance.variables.values() if v.valueReference == known)
    get = instance.fmu.getReal if instance.archive.version == "2.0" else instance.fmu.getFloat64
    before = instance.get(name)
    by = ROUNDING * max(1.0, abs(before))
    found = []
    for value in (before + by, before - by):
        _put(instance, name, value)
        found.append(np.array(get(list(unknowns))))
    _put(instance, name, before)
    return (found[0] - found[1]) / (2 * by)


def _put(instance: Instance, name: str, value: float) -> None:
    """Set an input, or a state by the state vector."""
    if name in instance.states:
        states = instance.values(instance.states)
        states[instance.states.index(name)] = value
        status = instance.move(instance.time, states)
    else:
        status = instance.set({name: value})
    demand(status == OK, f"{name} = {value} is refused: {instance.said}")


def do_step(instance: Instance, time: float, size: float) -> tuple[int, bool, bool, float]:
    """Make an FMI 3.0 step; return status, event needed, early return, time reached."""
    flags, last = [c_bool() for _ in range(3)], c_double()
    results = [byref(flag) for flag in (*flags, last)]
    status = attempt(
        instance.fmu.fmi3DoStep, instance.fmu.component, time, size, c_bool(True), *results
    )
    return status, flags[0].value, flags[2].value, last.value
