"""Ecos, a co-simulation engine in C++, by its Python package ecospy."""

from __future__ import annotations

from fmpy import read_model_description

from .client import CS, REALS, Client, Lacks, Run, Values, every
from .experiments import SOLVER_TOLERANCE

EXAMPLE = """\
from ecospy import EcosSimulation, EcosSimulationStructure

with EcosSimulationStructure() as structure:
    structure.add_model("car", "vehicle.fmu")
    start = {"car::chassis.speed": 12.0, "car::steer.angle": 0.02}
    structure.add_parameter_set("start", start)
    with EcosSimulation(structure=structure, step_size=0.01) as simulation:
        simulation.init(parameter_set="start")
        simulation.step_until(1.0)
        print(simulation.get_real("car::chassis.x"))
"""
SETS_NO_ENUMERATION = "sets no enumeration"


def run(run: Run) -> Values:
    """Run an experiment."""
    from ecospy import EcosSimulation, EcosSimulationStructure

    case = run.case
    variables = {v.name: v for v in read_model_description(str(run.archive)).modelVariables}
    start: dict[str, float] = {**case.start, **case.inputs_at(0.0)}
    start["solver.tolerance"] = SOLVER_TOLERANCE
    given = {f"fmu::{name}": float(value) for name, value in start.items()}
    for name, number in run.choices.items():
        run.faults.append(SETS_NO_ENUMERATION)
        if f"{name}_number" not in variables:
            raise Lacks(f"{name} is an enumeration, and there is no {name}_number")
        given[f"fmu::{name}_number"] = number
    outputs = [v for v in variables.values() if v.causality == "output"]
    values: Values = {v.name: [] for v in outputs}
    at = {round(time / case.step) for time in case.samples}
    with EcosSimulationStructure() as structure:
        structure.add_model("fmu", str(run.archive))
        structure.add_parameter_set("start", given)
        with EcosSimulation(structure=structure, step_size=case.step) as simulation:
            assert simulation.init(parameter_set="start"), "init returned false"
            reads = {"Boolean": simulation.get_bool}
            reads.update(dict.fromkeys(REALS, simulation.get_real))
            for k in range(case.steps):
                for name, value in case.inputs_at(k * case.step).items():
                    simulation.set_real(f"fmu::{name}", value)
                simulation.step()
                if k + 1 in at:
                    for v in outputs:
                        read = reads.get(v.type, simulation.get_integer)
                        values[v.name].append(float(read(f"fmu::{v.name}")))
    return values


CLIENT = Client("Ecos", "ecospy", every(CS), run, EXAMPLE)
