"""Reference results inside an FMU: what its default experiment gives, for importers to compare."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import fmpy
import numpy as np

from mbcore.codegen.table import Table
from mbcore.fmi.component import Experiment
from mbcore.fmi.description import description
from mbcore.fmi.packing.related import CSV, Related
from mbcore.host.workspace import workspace
from mbcore.model.errors import warn_user

_MOST_STEPS = 200
_LONGEST = 10.0
"""Seconds of wall time that the experiment may take."""


def reference_results(
    name: str, files: Mapping[str, bytes], experiment: Experiment, table: Table
) -> list[Related]:
    """Run the default experiment of an FMU in Co-Simulation; return the files to be added to it.

    Parameters
    ----------
    name : str
        The model identifier.
    files : mapping of str to bytes
        The FMU's files by their paths, with a binary for this machine.
    experiment : Experiment
        Up to 200 equal communication steps are made.
    table : Table
        The variables.

    Warns
    -----
    ModelWarning
        The experiment fails or takes more than 10 s; then there are no results.
    """
    span = experiment.stop - experiment.start
    count = max(1, min(_MOST_STEPS, round(span / experiment.step)))
    inputs = [row.name for row in table.rows if row.kind == "input"]
    outputs = [row.name for row in description.outputs(table)]
    if not outputs:
        return []
    try:
        run = _run(files, [*outputs, *(array.name for array in table.arrays)], span / count)
    except Exception as error:
        reason = " ".join(str(error).split())
        warn_user(f"FMU {name} has no reference results, its default experiment failed: {reason}")
        return []
    if len(run) != count + 1:
        warn_user(
            f"FMU {name} has no reference results, its default experiment of {span:g} s takes more "
            f"than {_LONGEST:g} s to run; choose a shorter Experiment for the component"
        )
        return []
    # FMPy orders columns by the types of variables.
    columns = [run["time"].tolist(), *(_column(run, name, table) for name in outputs)]
    made = [
        Related(
            f"{name}_out.csv",
            CSV,
            "result",
            "Outputs of the default experiment in Co-Simulation, communication step "
            f"{span / count:.10g} s",
            _text(["time", *outputs], [*map(list, zip(*columns, strict=True))]),
        )
    ]
    if inputs:
        starts = [table.named(row).start or 0.0 for row in inputs]
        ends = [[t, *starts] for t in (experiment.start, experiment.stop)]
        said = "Inputs of the default experiment: their start values"
        text = _text(["time", *inputs], ends)
        made.append(Related(f"{name}_in.csv", CSV, "testcase", said, text))
    return made


def _column(run: np.ndarray, name: str, table: Table) -> list[float]:
    """Return the values of a variable, which may be an element of an array in the FMU."""
    if name in (run.dtype.names or ()):
        return list(run[name].tolist())
    reference = table.named(name).reference
    array = next(array for array in table.arrays if reference in array.elements)
    return list(run[array.name].reshape(len(run), -1)[:, reference - array.first].tolist())


def _run(files: Mapping[str, bytes], outputs: list[str], step: float) -> np.ndarray:
    """Return time and outputs at all communication points that are reached in time."""
    began, said = time.perf_counter(), io.StringIO()

    def in_time(*_: Any) -> bool:
        return time.perf_counter() - began < _LONGEST

    with workspace() as folder:
        for path, content in files.items():
            if path.startswith(("binaries/", "modelDescription")):
                target = Path(folder, path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
        # FMPy prints messages. A logger of our own would stay in use, process-wide.
        with contextlib.redirect_stdout(said):
            try:
                return fmpy.simulate_fmu(
                    folder,
                    fmi_type="CoSimulation",
                    output=outputs,
                    output_interval=step,
                    step_finished=in_time,
                    validate=False,
                )
            except Exception as error:
                last = said.getvalue().strip().splitlines()[-2:]
                raise RuntimeError(" | ".join([str(error), *last])) from error


def _text(names: list[str], rows: list[list[float]]) -> bytes:
    quoted = [f'"{name}"' if "," in name else name for name in names]
    lines = [",".join(quoted), *(",".join(f"{value:.10g}" for value in row) for row in rows)]
    return ("\n".join(lines) + "\n").encode()
