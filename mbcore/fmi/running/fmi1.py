"""FMUs of FMI 1.0, run by FMPy, which holds inputs over each step."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import fmpy
import numpy as np
from fmpy.model_description import ModelDescription

from mbcore.evaluation.input_table import InputTable
from mbcore.host.workspace import workspace


class StepLog(Protocol):
    """Callback of FMPy in a run."""

    def note(self, *message: Any) -> None:
        """Take a message."""

    def finish_step(self, time: float, recorder: Any = None) -> bool:
        """Take the end of a step; return whether to go on."""


def rows_of_fmi1(
    path: Path,
    description: ModelDescription,
    kind: str,
    *,
    start: Mapping[str, Any],
    table: InputTable | None,
    names: Sequence[str],
    times: tuple[float, float, int],
    log: StepLog,
) -> np.ndarray:
    """Return rows of time and variables.

    Parameters
    ----------
    path : Path
    description : ModelDescription
    kind : {"CoSimulation", "ModelExchange"}
        The interface.
    start : mapping of str to object
        Start values.
    table : InputTable, optional
        Inputs over time.
    names : sequence of str
        Variables that are recorded.
    times : tuple of float, float and int
        End and distance of rows, s, and steps in each of these.
    log : StepLog
        Called for messages and after each step, as FMPy does.
    """
    until, step, parts = times
    given = None
    if table is not None:
        given = np.empty(table.time.size, dtype=[(name, float) for name in ("time", *table)])
        given["time"] = table.time
        for name, values in table.columns.items():
            given[name] = values
    # FMPy prints which inputs are not given, and leaves its folder behind after a failure.
    with contextlib.redirect_stdout(io.StringIO()), workspace() as folder:
        fmpy.extract(str(path), unzipdir=str(folder))
        rows = fmpy.simulate_fmu(
            str(folder),
            validate=False,
            start_time=0.0,
            stop_time=until,
            output_interval=step / parts,
            record_events=False,
            fmi_type=kind,
            start_values=dict(start),
            input=given,
            output=list(names),
            debug_logging=True,  # else many FMUs do not log why they discard a call
            logger=log.note,
            step_finished=log.finish_step,
            model_description=description,
        )
    table_of_rows = np.column_stack([np.asarray(rows[n], float) for n in ("time", *names)])
    places = np.arange(math.floor(until / step * (1 + 1e-9)) + 1) * step
    near = np.abs(table_of_rows[:, 0][:, None] - np.append(places, until)) <= 1e-9 * step
    return table_of_rows[near.any(axis=1)]
