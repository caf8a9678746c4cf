"""Reference values: the equations simulated in Python, without any FMU."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from mbcore import ConfigurationError, Equations, linearize, simulate

from .experiments import Experiment


def equations_of(case: Experiment) -> Equations:
    """Return the equations behind an FMU."""
    return importlib.import_module(f"mbcore.fmus.{case.fmu}").component().equations


def given(case: Experiment, equations: Equations) -> tuple[dict[str, float], dict[str, float]]:
    """Return the start values of states, and the parameters, that the experiment sets."""
    states = {record.name for record in equations.states}
    values = {**case.start, **case.choices}
    return (
        {name: value for name, value in values.items() if name in states},
        {
            name: value
            for name, value in values.items()
            if name not in states and not name.startswith("solver.")
        },
    )


def reference(case: Experiment, equations: Equations) -> dict[str, list[float]]:
    """Return all quantities at the samples, and behind them their largest magnitude."""
    start, parameters = given(case, equations)
    inputs = {
        name: (lambda t, name=name: case.inputs_at(t).get(name, 0.0))
        if name in case.then
        else value
        for name, value in {**dict.fromkeys(case.then, 0.0), **case.inputs}.items()
    }
    run = simulate(
        equations, case.stop, start=start, parameters=parameters, inputs=inputs,
        rtol=1e-11, atol=1e-12, breaks=[case.half], samples=41, progress=False,
    )  # fmt: skip
    at = [round(40 * time / case.stop) for time in case.samples]
    return {
        name: [*(float(column[k]) for k in at), float(abs(column).max())]
        for name, column in run.columns.items()
    }


def linear(case: Experiment, equations: Equations) -> dict[str, Any] | None:
    """Return the Jacobian of rates, states and outputs by states and inputs at the start."""
    start, parameters = given(case, equations)
    try:
        found = linearize(
            equations, start, parameters=parameters, inputs=case.inputs_at(0.0), unsteady=True
        )
    except ConfigurationError:
        return None
    states = [record.name for record in equations.states]
    inputs = [record.name for record in equations.inputs]
    identity = np.eye(len(states), len(states) + len(inputs))
    matrix = np.vstack([
        np.hstack([found.state_matrix, found.input_matrix]),
        identity,
        np.hstack([found.output_matrix, found.feedthrough]),
    ])  # fmt: skip
    rows = [*(f"der({name})" for name in states), *states]
    rows += [record.name for record in equations.outputs]
    return {"matrix": matrix.tolist(), "rows": rows, "columns": states + inputs}
