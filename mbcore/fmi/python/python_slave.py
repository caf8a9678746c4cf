"""The model inside the Python flavour: equations behind pythonfmu's slave."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from pythonfmu import Boolean, Fmi2Slave, Integer, Real
from pythonfmu.enums import Fmi2Status

from mbcore.codegen.rows import Row
from mbcore.evaluation.evaluation import Evaluation, started_at_inputs
from mbcore.evaluation.input_rates import InputRateCheck
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.stepper import StepControl
from mbcore.fmi.component import Component
from mbcore.fmi.description.variables import variables
from mbcore.host.definition_files import is_shipped, place_of
from mbcore.integrators.table import methods_in_c, stand_in_of
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.model.interface.values import checked_values
from mbcore.model.variables import Value
from mbcore.simulation.automatic_stepper import python_stepper

_VARIABLES = {"real": Real, "integer": Integer, "enumeration": Integer, "boolean": Boolean}


def load_module(file: Path) -> ModuleType:
    """Run a Python file that defines a component, and return it as a module.

    It is run anew each time, as a member of the package that it is part of, if any, so that it may
    import its neighbours by ``from .NAME``; that package must be importable. Modules of the library
    are imported.

    Raises
    ------
    ModelError
        It is not a Python file.
    """
    name = place_of(file)[1]
    if is_shipped(file):
        return importlib.import_module(name)
    package = name.rpartition(".")[0]
    if package:
        importlib.import_module(package)
    elif file.stem != "__init__":
        name = f"mbcore_component_{name}"
    specification = importlib.util.spec_from_file_location(name, file)
    if specification is None or specification.loader is None:
        raise ModelError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


def load_component(file: Path, **options: object) -> Component:
    """Return what ``component()`` of a Python file makes of options.

    Raises
    ------
    ModelError
        The file has no such function, or it gives something else.
    """
    module = load_module(file)
    if not hasattr(module, "component"):
        raise ModelError(f"{file} has no function component()")
    made = module.component(**options)
    if not isinstance(made, Component):
        raise ModelError(f"component() of {file} gives {made!r}, expected a Component")
    return made


def keep_namespace(namespace: dict[str, Any]) -> None:
    """Add a reference to a module's namespace, to be called by a slave's module.

    For each instance pythonfmu's bridge (0.7) runs that module again and takes away a reference
    which is not its own; without this the namespace is freed while in use.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(namespace))


class EquationsSlave(Fmi2Slave):
    """A model's equations as a Co-Simulation slave, with the value references of the native FMU.

    ``solver.method`` chooses among SciPy's RK45, Radau and the classical method of order 4 with
    fixed steps.
    """

    component_file: ClassVar[str]
    parameters: ClassVar[Mapping[str, Value]] = {}
    """Start values that differ from those of the file."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # Not the class' own place: a process imports it once, and extracted archives come and go.
        component = load_component(Path(self.resources) / self.component_file)
        component = component.started_at(self.parameters)
        self._equations = component.equations
        self._table = variables(component, nominals=False)
        self._evaluation = Evaluation(self._equations)
        self._evaluation.on_warning = lambda text: self.log(text, Fmi2Status.warning)
        self._start_at_rows()
        self._rates = InputRateCheck(self._evaluation)
        self._held = np.inf, self._evaluation.u.copy()
        own = {record.name for record in self._equations.parameters}
        self._solver = {
            row.name: float(row.start or 0)
            for row in self._table.of("parameter")
            if row.name not in own and row.stands_for is None
        }
        self._slots = np.zeros(self._table.parameters)  # as in the native FMU
        for row in self._table.of("parameter"):
            self._slots[row.index] = row.start
        for choice in self._table.choices:
            self._slots[choice.own] = choice.row.start
        self._tolerance: float | None = None
        self._first_step: float | None = None
        self._initialized, self._begun = False, False
        self._configured = False
        for row in self._table.rows:
            if row.kind != "indicator":
                variable = _VARIABLES[row.type](
                    row.name, getter=self._getter(row), setter=self._setter(row)
                )
                self.register_variable(variable, nested=False)

    # Values

    def _start_at_rows(self) -> None:
        """Take the start values that differ from the model's."""
        e = self._evaluation
        own = {"parameter": e.p, "input": e.u, "state": e.s}
        for row in self._table.of("parameter", "input", "state"):
            if row.shift and row.index < len(own[row.kind]) and not row.stands_for:
                own[row.kind][row.index] = row.start

    def _getter(self, row: Row) -> Callable[[], float]:
        e, index = self._evaluation, row.index
        if row.name in self._solver:
            return lambda: self._solver[row.name]
        if row.kind == "parameter" and row.stands_for is not None:
            return lambda: float(self._slots[index])
        stored = {"time": e.t, "parameter": e.p, "input": e.u, "state": e.s, "discrete": e.d}
        if row.kind in stored:
            values = stored[row.kind]
            return lambda: float(values[index])
        calculate = e.derivative if row.kind == "derivative" else e.output

        def get() -> float:
            self._configure()
            return float(calculate()[index])

        return get

    def _setter(self, row: Row) -> Callable[[float], None]:
        e, index = self._evaluation, row.index
        stored = {"parameter": e.p, "input": e.u, "state": e.s}
        deciding = row.kind == "parameter" and row.stands_for is not None
        own = [choice.own for choice in self._table.choices if choice.row.name == row.name]
        slot = index if deciding else own[0] if own else None

        def set_value(value: float) -> None:
            if row.kind not in stored:
                raise ModelError(f"{row.name} is calculated and cannot be set")
            if row.start_input is not None:
                raise ModelError(f"{row.name} starts at the value of {row.start_input}; set that")
            if self._initialized and row.kind == "parameter" and not row.tunable:
                raise ModelError(f"{row.name} is fixed: set it before initialization ends")
            if not math.isfinite(value):
                raise ModelError(f"{row.name} = {value}: must be a finite number")
            if row.items and value not in range(1, len(row.items) + 1):
                raise ModelError(f"{row.name} = {value}: give 1 to {len(row.items)}")
            if row.positive and not value > 0:
                raise ModelError(f"{row.name} = {value}: must be positive")
            least = -math.inf if row.minimum is None else row.minimum
            most = math.inf if row.maximum is None else row.maximum
            if deciding and not least <= value <= most:
                raise ModelError(f"{row.name} = {value}: give {least:g} to {most:g}")
            if slot is not None and not self._initialized:
                self._slots[slot] = value
                self._choose()
                return
            if row.name in self._solver:
                self._solver[row.name] = value
                return
            if row.kind == "input" or (row.kind == "parameter" and not row.items):
                of = self._equations.parameters if row.kind == "parameter" else e.equations.inputs
                checked_values(row.kind, of, {row.name: value})
            stored[row.kind][index] = value
            self._configured = False
            if row.kind == "input" and not self._initialized:
                self._start_at_inputs()

        return set_value

    def _choose(self) -> None:
        """Choose between two variables that set one value, as the native FMU does at first."""
        for choice in self._table.choices:
            first = self._slots[choice.first]
            value = float(first if first != choice.idle else self._slots[choice.second])
            if choice.row.name in self._solver:
                self._solver[choice.row.name] = value
            else:
                of = self._evaluation.s if choice.row.kind == "state" else self._evaluation.p
                of[choice.row.index] = value
        self._configured = False

    def _start_at_inputs(self) -> None:
        """Start states at the values of their inputs, unless start values are given."""
        started = started_at_inputs(self._equations, self._evaluation.u)
        own = {choice.row.name: choice.own for choice in self._table.choices}
        for i, record in enumerate(self._equations.states):
            if record.name in own and record.name in started:
                self._slots[own[record.name]] = started[record.name]
            else:
                self._evaluation.s[i] = started.get(record.name, self._evaluation.s[i])
        self._choose()

    def _follow_inputs(self) -> None:
        """Move those states to inputs that were set after initialization."""
        given = {c.row.name for c in self._table.choices if self._slots[c.first] != c.idle}
        started = started_at_inputs(self._equations, self._evaluation.u)
        for i, record in enumerate(self._equations.states):
            if record.name in started and record.name not in given:
                self._evaluation.s[i] = started[record.name]

    def _configure(self) -> None:
        if not self._configured:
            self._evaluation.configure()
            self._configured = True

    # The simulation

    def setup_experiment(
        self, start_time: float, stop_time: float | None = None, tolerance: float | None = None
    ) -> None:
        """Take start time and tolerance from the importer."""
        self._evaluation.t[0] = start_time
        self._tolerance = tolerance

    def exit_initialization_mode(self) -> None:
        """Assemble the configuration, start the modes and check the requirements."""
        values = zip(self._equations.parameters, self._evaluation.p, strict=True)
        given = {record.name: float(value) for record, value in values}
        checked_values("parameter", self._equations.parameters, given)  # items that are available
        self._configured = False
        self._configure()
        self._evaluation.start_modes()
        self._initialized = True

    def do_step(self, current_time: float, step_size: float) -> bool:
        """Make a step; return False, with the state restored, if it fails."""
        e = self._evaluation
        self._rates.of_steps(*self._held)
        kept = e.save()
        if not self._begun:
            self._follow_inputs()
        try:
            self._advance(current_time + step_size, step_size)
        except (ConfigurationError, SimulationError) as failure:
            e.restore(kept)
            self._configured = False
            self.log(str(failure), Fmi2Status.discard)
            return False
        self._configured, self._begun = False, True
        self._held = current_time, e.u.copy()
        return True

    def _advance(self, end: float, step: float) -> None:
        e, chosen = self._evaluation, int(self._solver["solver.method"])
        run = MovingPoint(e, {})
        e.configure()
        tolerance = self._tolerance or self._solver["solver.tolerance"]
        method = stand_in_of(methods_in_c()[chosen - 1])
        longest = self._solver["solver.step"] if method.equal_steps else np.inf
        stepper = python_stepper(run, method, StepControl(tolerance, tolerance, longest))
        stepper.first_step = self._first_step
        most = self._solver["solver.most_evaluations"]
        for _ in stepper.advance(end):
            if run.calls > most:
                raise SimulationError(
                    f"the step from t = {end - step:.9g} s to t = {end:.9g} s takes more than "
                    f"{most:.9g} evaluations and has come to t = {float(e.t[0]):.9g} s; take "
                    "shorter steps, loosen solver.tolerance, or raise solver.most_evaluations"
                )
        if not method.equal_steps:
            self._first_step = float(np.clip(stepper.last_step or step, 1e-9 * step, step))
