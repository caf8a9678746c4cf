"""fmu-manipulation-toolbox: FMUs in a container, which runs them itself, and its checker."""

from __future__ import annotations

import json
import logging
import tempfile
from pathlib import Path

from fmpy import read_model_description, simulate_fmu
from fmu_manipulation_toolbox.assembly import Assembly
from fmu_manipulation_toolbox.checker import get_checkers
from fmu_manipulation_toolbox.operations import FMU

from .client import CS, Client, Lacks, Run, Values, every
from .experiments import SOLVER_TOLERANCE

EXAMPLE = """\
import json
from pathlib import Path

from fmu_manipulation_toolbox.assembly import Assembly

Path("towed.json").write_text(json.dumps({
    "name": "towed.fmu", "step_size": 0.01, "fmu": ["vehicle.fmu", "caster.fmu"],
    "link": [["vehicle.fmu", "chassis.speed", "caster.fmu", "attachment.speed"]],
    "start": [["vehicle.fmu", "chassis.speed", "12"], ["vehicle.fmu", "steer.angle", "0.02"]],
    "auto_input": True, "auto_output": True, "auto_link": False,
}))
Assembly("towed.json", fmu_directory=Path.cwd()).make_fmu(fmi_version=3)

from fmpy import simulate_fmu

result = simulate_fmu("towed.fmu", stop_time=1, output_interval=0.01)
print(result["wheel.x"][-1])
"""


def contained(run: Run, description: dict[str, object], folder: Path) -> Path:
    """Make a container; return its path."""
    path = folder / "container.json"
    path.write_text(json.dumps({"name": "container.fmu", **description}))
    logging.getLogger("fmu_manipulation_toolbox").setLevel(logging.CRITICAL)
    Assembly(str(path), fmu_directory=folder).make_fmu(fmi_version=int(run.fmi))
    return folder / "container.fmu"


def run(run: Run) -> Values:
    """Run an experiment: the FMU in a container, driven by FMPy."""
    from .client_fmpy import signals

    case = run.case
    description = read_model_description(str(run.archive))
    outputs = [v.name for v in description.modelVariables if v.causality == "output"]
    name = f"{case.fmu}.fmu"
    start = {**case.start, **run.choices, **case.inputs_at(0.0)}
    start["solver.tolerance"] = SOLVER_TOLERANCE
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base)
        (folder / name).symlink_to(run.archive.resolve())
        container = contained(
            run,
            {
                "fmu": [name],
                "step_size": case.step,
                "start": [[name, variable, str(value)] for variable, value in start.items()],
                "input": [[n, name, n] for n in case.inputs_at(case.stop)],
                "output": [[name, n, n] for n in outputs],
                "auto_input": False,
                "auto_output": False,
                "auto_link": False,
            },
            folder,
        )
        result = simulate_fmu(
            str(container), stop_time=case.stop, output_interval=case.step, output=outputs,
            input=signals(run), fmi_type=CS,
        )  # fmt: skip
    rows = [int(abs(result["time"] - time).argmin()) for time in case.samples]
    return {n: [float(result[n][row]) for row in rows] for n in outputs}


class Errors(logging.Handler):
    """Keeps what is logged as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message."""
        self.found.append(record.getMessage())


def checker(run: Run) -> str:
    """All its checks of the model description pass."""
    logger, errors = logging.getLogger("fmu_manipulation_toolbox"), Errors()
    logger.setLevel(logging.ERROR)
    logger.addHandler(errors)
    checks = [make() for make in get_checkers()]
    with FMU(str(run.archive)) as fmu:
        for check in checks:
            fmu.apply_operation(check)
    logger.removeHandler(errors)
    assert not errors.found, "; ".join(errors.found[:3])
    return f"{len(checks)} checks"


def linked(run: Run) -> str:
    """A vehicle of evenly rising speed tows a caster: the sum of speeds held over each step."""
    if run.case.fmu != "vehicle":
        raise Lacks("tried with the vehicle")
    steps, size, mass, speed = 100, 0.01, 1300.0, 12.0
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base)
        for name in ("vehicle.fmu", "caster.fmu"):
            (folder / name).symlink_to(run.archive.resolve().with_name(name))
        start = {"chassis.speed": speed, "chassis.mass": mass, "drive.force": mass}
        given = [["vehicle.fmu", name, str(value)] for name, value in start.items()]
        description = {
            "fmu": ["vehicle.fmu", "caster.fmu"],
            "step_size": size,
            "start": [*given, ["caster.fmu", "attachment.speed", str(speed)]],
            "link": [["vehicle.fmu", "chassis.speed", "caster.fmu", "attachment.speed"]],
            "output": [["caster.fmu", "attachment.x", "x"]],
            **dict.fromkeys(("auto_input", "auto_output", "auto_link"), False),
        }
        result = simulate_fmu(
            str(contained(run, description, folder)), stop_time=steps * size,
            output_interval=size, output=["x"], fmi_type=CS,
        )  # fmt: skip
    expected = sum(size * (speed + k * size) for k in range(steps))
    error = abs(float(result["x"][-1]) - expected)
    assert error < 1e-6, f"{result['x'][-1]:.9g} m, expected {expected:.9g} m"
    return f"{error:.0e}"


CLIENT = Client(
    "fmucontainer", "fmu-manipulation-toolbox", every(CS), run, EXAMPLE,
    checks={"checker": checker, "two FMUs linked": linked},
)  # fmt: skip
