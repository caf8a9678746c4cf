"""Reference values: the equations simulated in Python, without any FMU."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from mbcore import ConfigurationError, Equations, evaluate_by, linearize, simulate
from tests.shipped import component_of

from .experiments import Experiment


def equations_of(case: Experiment) -> Equations:
    """Return the equations behind an FMU, made once and evaluated in Python."""
    equations = component_of(importlib.import_module(f"mbcore.fmus.{case.fmu}")).equations
    evaluate_by(equations, "python")
    return equations


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
    direction = off_the_start(case, equations)
    identity = np.eye(len(states), len(states) + len(inputs))
    matrix = np.vstack([
        np.hstack([found.state_matrix, found.input_matrix]),
        identity,
        np.hstack([found.output_matrix, found.feedthrough]),
    ])  # fmt: skip
    rows = [*(f"der({name})" for name in states), *states]
    rows += [record.name for record in equations.outputs]
    return {
        "matrix": matrix.tolist(), "rows": rows, "columns": states + inputs,
        "direction": direction, "change": change_along(case, equations, direction).tolist(),
    }  # fmt: skip


def off_the_start(case: Experiment, equations: Equations) -> dict[str, float]:
    """Return a direction of states and inputs, of their natural sizes.

    Inputs at a limit stay, for the derivatives there are those of one side.
    """
    random, given = np.random.default_rng(2), case.inputs_at(0.0)
    direction = {state.name: state.nominal * random.normal() for state in equations.states}
    for record in equations.inputs:
        value = given.get(record.name, record.start)
        free = value not in (record.minimum, record.maximum)
        direction[record.name] = (abs(value) or 1.0) * random.normal() if free else 0.0
    return direction


def change_along(case: Experiment, equations: Equations, direction: dict[str, float]) -> np.ndarray:
    """Return how the Jacobian of rates and outputs changes along a direction, by differences."""
    start, parameters = given(case, equations)
    values = {state.name: state.start for state in equations.states} | start
    inputs = {record.name: record.start for record in equations.inputs} | case.inputs_at(0.0)
    step, ends = 1e-5, []
    for off in (step, -step):
        found = linearize(
            equations,
            {name: value + off * direction[name] for name, value in values.items()},
            parameters=parameters,
            inputs={name: value + off * direction[name] for name, value in inputs.items()},
            unsteady=True,
        )
        rates = np.hstack([found.state_matrix, found.input_matrix])
        ends.append(np.vstack([rates, np.hstack([found.output_matrix, found.feedthrough])]))
    return (ends[0] - ends[1]) / (2 * step)
