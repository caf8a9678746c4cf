"""libcosim of the Open Simulation Platform, by its Python package libcosimpy."""

from __future__ import annotations

from libcosimpy.CosimEnums import CosimVariableType
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
from libcosimpy.CosimManipulator import CosimManipulator
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave

from .client import CS, Client, Lacks, Run, Values, every
from .experiments import SOLVER_TOLERANCE

EXAMPLE = """\
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave

execution = CosimExecution.from_step_size(10_000_000)  # ns
car = execution.add_local_slave(CosimLocalSlave("vehicle.fmu", "car"))
reference = {v.name.decode(): v.reference for v in execution.slave_variables(car)}
execution.real_initial_value(car, reference["chassis.speed"], 12)
execution.real_initial_value(car, reference["steer.angle"], 0.02)
observer = CosimObserver.create_last_value()
execution.add_observer(observer)
execution.simulate_until(1_000_000_000)
print(observer.last_real_values(car, [reference["chassis.x"]]))
"""
SETS_NO_ENUMERATION = "sets no enumeration"


def run(run: Run) -> Values:
    """Run an experiment."""
    case = run.case
    log_output_level(CosimLogLevel.FATAL)
    execution = CosimExecution.from_step_size(case.step * 1e9)
    slave = execution.add_local_slave(CosimLocalSlave(str(run.archive), "fmu"))
    assert slave >= 0, "the FMU was not added"
    variables = {v.name.decode(): v for v in execution.slave_variables(slave)}
    start = {**case.start, **case.inputs_at(0.0), "solver.tolerance": SOLVER_TOLERANCE}
    for name, value in start.items():
        assert execution.real_initial_value(slave, variables[name].reference, value), name
    for name, number in run.choices.items():
        run.faults.append(SETS_NO_ENUMERATION)
        if f"{name}_number" not in variables:
            raise Lacks(f"{name} is an enumeration, and there is no {name}_number")
        selector = variables[f"{name}_number"].reference
        assert execution.integer_initial_value(slave, selector, number), name
    observer, manipulator = CosimObserver.create_last_value(), CosimManipulator.create_override()
    assert execution.add_observer(observer) and execution.add_manipulator(manipulator)
    outputs = {n: v for n, v in variables.items() if v.causality == 2}
    values: Values = {name: [] for name in outputs}
    readers = {
        CosimVariableType.REAL.value: observer.last_real_values,
        CosimVariableType.INTEGER.value: observer.last_integer_values,
        CosimVariableType.BOOLEAN.value: observer.last_boolean_values,
    }
    at, done = [round(time / case.step) for time in case.samples], 0
    for target in sorted({*at, round(case.half / case.step)}):
        assert execution.step(target - done), f"step {done} to {target}: {execution.status()}"
        done = target
        if target not in at:
            for name, value in case.inputs_at(case.stop).items():
                manipulator.slave_real_values(slave, [variables[name].reference], [value])
            continue
        for name, variable in outputs.items():
            values[name].append(float(readers[variable.type](slave, [variable.reference])[0]))
    return values


CLIENT = Client("libcosim", "libcosimpy", every(CS, fmi="2"), run, EXAMPLE, example_fmi="2")
