"""PathSim with pathsim-fmi: blocks of a system of blocks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fmpy import read_model_description
from fmpy.fmi1 import FMICallException
from pathsim import Connection, Simulation
from pathsim.blocks import Constant
from pathsim.solvers import RKDP54
from pathsim_fmi import CoSimulationFMU, ModelExchangeFMU, blocks
from pathsim_fmi.wrapper import FMUWrapper

from .client import CS, ME, REALS, Client, Lacks, Run, Values, every
from .experiments import SOLVER_TOLERANCE

EXAMPLE = """\
from pathsim import Connection, Simulation
from pathsim.blocks import Constant
from pathsim.solvers import RKDP54
from pathsim_fmi import ModelExchangeFMU, blocks
from pathsim_fmi.wrapper import FMUWrapper

class RealOutputs(FMUWrapper):  # around P1
    def _build_variable_maps(self):
        super()._build_variable_maps()
        for name in [*self.output_refs]:
            if self.variable_map[name].type not in ("Real", "Float64"):
                del self.output_refs[name]

blocks.FMUWrapper = RealOutputs
vehicle = ModelExchangeFMU("vehicle.fmu", start_values={"chassis.speed": 12})
inputs = {"steer.angle": Constant(0.02), "drive.force": Constant(500)}
wires = [Connection(block, vehicle[name]) for name, block in inputs.items()]
simulation = Simulation([vehicle, *inputs.values()], wires, Solver=RKDP54, log=False)
simulation.run(1)
print(dict(zip(vehicle.fmu_wrapper.output_refs, vehicle.outputs.to_array()))["chassis.x"])
"""
READS_REALS = "reads every output as a real number"
SETS_NO_ENUMERATION = "sets no enumeration"
AHEAD = "is one communication step ahead"
NO_STATES = "has no Model Exchange without states"


class RealOutputs(FMUWrapper):
    """The wrapper with outputs of other types left out."""

    def _build_variable_maps(self) -> None:
        super()._build_variable_maps()
        for name in [*self.output_refs]:
            if self.variable_map[name].type not in REALS:
                del self.output_refs[name]


def make_block(run: Run, start: dict[str, float]) -> Any:
    """Return the FMU's block."""
    if run.kind == CS:
        return CoSimulationFMU(str(run.archive), start_values=start, dt=run.case.step)
    return ModelExchangeFMU(str(run.archive), start_values=start, tolerance=SOLVER_TOLERANCE)


def block_and_faults(run: Run) -> Any:
    """Return the block, with the ways around the client's faults that it needs."""
    case = run.case
    start = {**case.start, "solver.tolerance": SOLVER_TOLERANCE}
    names = description_names(run.archive)
    for name, number in run.choices.items():
        run.faults.append(SETS_NO_ENUMERATION)
        if f"{name}_number" not in names:
            raise Lacks(f"{name} is an enumeration, and there is no {name}_number")
        start[f"{name}_number"] = number
    blocks.FMUWrapper = FMUWrapper
    try:
        block = make_block(run, start)
        block.fmu_wrapper.get_outputs_as_array()
    except FMICallException as error:
        # the FMU refuses the reference of an Integer or a Boolean to the getter of real numbers
        if not re.search(r"Get(Real|Float64)", str(error)):
            raise
        run.faults.append(READS_REALS)
        blocks.FMUWrapper = RealOutputs
        block = make_block(run, start)
    return block


def description_names(archive: Path) -> set[str]:
    """Return the names of all variables."""
    return {v.name for v in read_model_description(str(archive)).modelVariables}


def run(run: Run) -> Values:
    """Run an experiment; inputs are constants, changed between two runs of the simulation."""
    case = run.case
    fmu = block_and_faults(run)
    wrapper = fmu.fmu_wrapper
    given = case.inputs_at(0.0)
    defaults = {
        v.name: float(v.start or 0.0) for v in wrapper.model_description.modelVariables
        if v.causality == "input"
    }  # fmt: skip
    sources = {name: Constant(given.get(name, defaults[name])) for name in wrapper.input_refs}
    simulation = Simulation(
        [fmu, *sources.values()],
        [Connection(block, fmu[name]) for name, block in sources.items()],
        dt=case.step / 10, dt_max=case.step, Solver=RKDP54, log=False,
        tolerance_lte_rel=SOLVER_TOLERANCE, tolerance_lte_abs=SOLVER_TOLERANCE,
    )  # fmt: skip
    ahead = case.step if run.kind == CS else 0.0
    if run.kind == CS:
        run.faults.append(AHEAD)
    values: Values = {name: [] for name in wrapper.output_refs}
    for time in sorted({*case.samples, case.half}):
        # in Co-Simulation a little more, so that rounding does not decide about the last step
        until = time - ahead + (1e-3 * case.step if ahead else 0.0)
        simulation.run(until - simulation.time, reset=False)
        if time == case.half:
            for name, value in case.inputs_at(case.stop).items():
                sources[name].value = value
            continue
        for name, value in zip(wrapper.output_refs, fmu.outputs.to_array(), strict=True):
            values[name].append(float(value))
    return values


CLIENT = Client("PathSim", "pathsim-fmi", every(CS, ME), run, EXAMPLE)
