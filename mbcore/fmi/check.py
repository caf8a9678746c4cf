"""Validation of an FMU, and one run of it in Co-Simulation as its default experiment says."""

from __future__ import annotations

import contextlib
import io
import math
import shutil
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fmpy
from fmpy.model_description import ModelDescription
from fmpy.simulation import instantiate_fmu
from fmpy.validation import validate_fmu

from mbcore.fmi.packing.platforms import Platform, this_platform

_LONGEST_RUN = 20.0
"""Wall time after which a run is long enough to measure the cost of a step, s."""


@dataclass(frozen=True)
class Check:
    """The result of checking an FMU.

    ``problems`` is empty where all is well; ``step_cost`` is the wall time of one communication
    step in seconds, None where nothing ran.
    """

    path: Path
    fmi: str
    size: int
    problems: tuple[str, ...]
    steps: int = 0
    step_cost: float | None = None

    @property
    def valid(self) -> bool:
        """Whether no problem was found."""
        return not self.problems


def check(path: str | Path, run: bool = True, platforms: Sequence[Platform] = ()) -> Check:
    """Validate an FMU and run it once in Co-Simulation.

    Parameters
    ----------
    path : path
        The archive.
    run : bool
        Whether to run it; needs a binary for this machine.
    platforms : sequence of Platform
        Platforms for which it must have a binary.

    Returns
    -------
    Check
        Problems are its content, never raised.
    """
    path = Path(path)
    problems = [str(problem) for problem in validate_fmu(str(path))]
    size = path.stat().st_size
    try:
        description = fmpy.read_model_description(str(path), validate=False)
    except Exception as error:
        return Check(path, "", size, (*problems, str(error)))
    missing = _missing(path, description, platforms)
    steps, cost = 0, None
    if run and not problems and this_platform() not in missing:
        steps, cost, problems = _run(path, description)
    problems += [f"it has no binary for {platform.name}" for platform in missing]
    return Check(path, description.fmiVersion, size, tuple(problems), steps, cost)


def _missing(
    path: Path, description: ModelDescription, platforms: Sequence[Platform]
) -> list[Platform]:
    """Return the platforms that the archive has no binary for."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
    return [p for p in platforms if p.library(description.fmiVersion, path.stem) not in names]


def _run(path: Path, description: ModelDescription) -> tuple[int, float | None, list[str]]:
    """Run the default experiment; return steps made, seconds per step and problems."""
    problems: list[str] = []
    folder = fmpy.extract(str(path))
    steps, cost = 0, None
    # FMPy prints messages. A logger of our own would stay in use, process-wide, after this run.
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            fmu = instantiate_fmu(folder, description, "CoSimulation")
            try:
                steps, cost = _simulate(fmu, description)
                problems += _not_finite(fmu, description)
                fmu.terminate()
            finally:
                fmu.freeInstance()
    except Exception as error:
        problems.append(" | ".join([str(error), *said.getvalue().strip().splitlines()[-3:]]))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return steps, cost, problems


def _simulate(fmu: Any, description: ModelDescription) -> tuple[int, float]:
    experiment = description.defaultExperiment
    start, stop = float(experiment.startTime), float(experiment.stopTime)
    step = float(experiment.stepSize)
    times = {"startTime": start, "stopTime": stop}
    if description.fmiVersion == "2.0":
        fmu.setupExperiment(**times)
        fmu.enterInitializationMode()
    else:
        fmu.enterInitializationMode(**times)
    fmu.exitInitializationMode()
    count = max(1, round((stop - start) / step))
    began = time.perf_counter()
    for done in range(1, count + 1):
        fmu.doStep(start + (done - 1) * step, step)
        elapsed = time.perf_counter() - began
        if elapsed > _LONGEST_RUN:
            break
    return done, elapsed / done


def _not_finite(fmu: Any, description: ModelDescription) -> list[str]:
    """Return a problem for each real variable that is not a finite number at the end."""
    real = [v for v in description.modelVariables if v.type in ("Real", "Float64")]
    references = [variable.valueReference for variable in real]
    sizes = [math.prod(variable.shape or ()) for variable in real]
    names = [v.name for v, size in zip(real, sizes, strict=True) for _ in range(size)]
    values = (
        fmu.getReal(references)
        if description.fmiVersion == "2.0"
        else fmu.getFloat64(references, sum(sizes))
    )
    return [
        f"{name} is {value} after the run"
        for name, value in zip(names, values, strict=True)
        if not math.isfinite(value)
    ]
