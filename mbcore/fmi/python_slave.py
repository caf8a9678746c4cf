"""What runs inside the Python flavour: equations behind pythonfmu's slave."""

from __future__ import annotations

import ctypes
import importlib.util
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pythonfmu import Boolean, Fmi2Slave, Integer, Real
from pythonfmu.enums import Fmi2Status
from scipy import integrate

from mbcore.codegen.table import Row, table
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.motion import Motion
from mbcore.fmi.component import Component
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError
from mbcore.model.values import checked_values

_ROSENBROCK, _FIXED_STEP = 2, 3
_VARIABLES = {"real": Real, "integer": Integer, "enumeration": Integer, "boolean": Boolean}


def load_component(file: Path) -> Component:
    """Return what ``component()`` of a Python file makes.

    Raises
    ------
    ModelError
        The file has no such function, or it gives something else.
    """
    name = f"mbcore_component_{file.stem}"
    specification = importlib.util.spec_from_file_location(name, file)
    if specification is None or specification.loader is None:
        raise ModelError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    if not hasattr(module, "component"):
        raise ModelError(f"{file} has no function component()")
    made = module.component()
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

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # Not the class' own place: a process imports it once, and extracted archives come and go.
        component = load_component(Path(self.resources) / self.component_file)
        self._equations = component.equations
        self._table = table(self._equations, component.experiment.step)
        self._evaluation = Evaluation(self._equations)
        own = len(self._equations.parameters)
        self._solver = {
            row.name: float(row.start or 0) for row in self._table.of("parameter")[own:]
        }
        self._tolerance: float | None = None
        self._first_step: float | None = None
        self._initialized = False
        self._configured = False
        for row in self._table.rows:
            if row.kind != "indicator":
                variable = _VARIABLES[row.type](
                    row.name, getter=self._getter(row), setter=self._setter(row)
                )
                self.register_variable(variable, nested=False)

    # Values

    def _getter(self, row: Row) -> Callable[[], float]:
        e, index = self._evaluation, row.index
        if row.name in self._solver:
            return lambda: self._solver[row.name]
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

        def set_value(value: float) -> None:
            if row.kind not in stored:
                raise ModelError(f"{row.name} is calculated and cannot be set")
            if self._initialized and row.kind == "parameter" and not row.tunable:
                raise ModelError(f"{row.name} is fixed: set it before initialization ends")
            if not math.isfinite(value):
                raise ModelError(f"{row.name} = {value}: must be a finite number")
            if row.items and value not in range(1, len(row.items) + 1):
                raise ModelError(f"{row.name} = {value}: give 1 to {len(row.items)}")
            if row.positive and not value > 0:
                raise ModelError(f"{row.name} = {value}: must be positive")
            if row.name in self._solver:
                self._solver[row.name] = value
                return
            if row.kind != "state" and not row.items:
                of = self._equations.parameters if row.kind == "parameter" else e.equations.inputs
                checked_values(row.kind, of, {row.name: value})
            stored[row.kind][index] = value
            self._configured = False

        return set_value

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
        """Assemble the configuration, settle the modes and check the requirements."""
        values = zip(self._equations.parameters, self._evaluation.p, strict=True)
        given = {record.name: float(value) for record, value in values}
        checked_values("parameter", self._equations.parameters, given)  # items that are available
        self._configured = False
        self._configure()
        self._evaluation.settle_start()
        self._initialized = True

    def do_step(self, current_time: float, step_size: float) -> bool:
        """Go on by a step; False, with the state of its beginning, where that fails."""
        e = self._evaluation
        kept = e.keep()
        try:
            e.configure()
            e.fire()
            e.accept()
            if self._solver["solver.method"] == _FIXED_STEP:
                self._fixed_steps(current_time, step_size)
            else:
                self._adaptive_steps(current_time, step_size)
        except (ConfigurationError, SimulationError) as failure:
            e.restore(kept)
            self._configured = False
            self.log(str(failure), Fmi2Status.discard)
            return False
        self._configured = False
        return True

    def _adaptive_steps(self, t: float, step: float) -> None:
        e, end = self._evaluation, t + step
        run = Motion(e, {})
        stiff = self._solver["solver.method"] == _ROSENBROCK
        tolerance = self._tolerance or self._solver["solver.tolerance"]
        nominal = np.array([state.nominal for state in self._equations.states])
        options: dict[str, Any] = {"rtol": tolerance, "atol": tolerance * nominal}
        if stiff:
            options["jac"] = run.jacobian
        while t < end and e.s.size:
            first = None if self._first_step is None else min(self._first_step, end - t)
            method = integrate.Radau if stiff else integrate.RK45
            solver = method(run.derivative, t, e.s.copy(), end, first_step=first, **options)
            crossing = None
            while solver.status == "running" and crossing is None:
                before = solver.t
                message = solver.step()
                if solver.status == "failed":
                    raise run.failure or SimulationError(
                        f"the step became too small at t = {solver.t:.9g}: {message}"
                    )
                interpolant = solver.dense_output()
                crossing = run.first_crossing(interpolant, before, solver.t)
                t = solver.t if crossing is None else crossing
                self._arrive(run, t, solver.y if crossing is None else interpolant(t))
                if crossing is None and self._project():
                    break
            self._first_step = float(np.clip(solver.step_size or step, 1e-9 * step, step))
            if crossing is not None:
                run.handle_events(step)
        if not e.s.size:
            self._arrive(run, end, e.s.copy())
            run.handle_events(step)

    def _fixed_steps(self, t: float, step: float) -> None:
        run = Motion(self._evaluation, {})
        count = max(1, math.ceil(step / self._solver["solver.step"] - 1e-9))
        h, s = step / count, self._evaluation.s.copy()
        for i in range(count):
            now = t + i * h
            k1 = run.derivative(now, s)
            k2 = run.derivative(now + h / 2, s + h / 2 * k1)
            k3 = run.derivative(now + h / 2, s + h / 2 * k2)
            k4 = run.derivative(now + h, s + h * k3)
            s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            self._arrive(run, now + h, s)
            run.handle_events(step)
            s = self._evaluation.s.copy()

    def _project(self) -> bool:
        changed = self._evaluation.project()
        if changed:
            self._evaluation.accept()
        return changed

    def _arrive(self, run: Motion, t: float, s: np.ndarray) -> None:
        run.move(t, s)
        self._evaluation.check()
        self._evaluation.accept()
