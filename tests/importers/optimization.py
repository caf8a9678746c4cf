"""What optimizers need of an FMU in CasADi: second derivatives, sensitivities of a run, a plan."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from .client import Lacks, Run

FOR_GRAPHS = {"enable_forward": False}
"""Options for a function that becomes part of a larger one, around C3."""
STALE = "gives directions without seeds the sensitivities of others"
MOST_COLUMNS = 40
"""Columns of sensitivities, by states and inputs, that take a few seconds."""
SENSITIVITIES = 1e-4
"""Largest difference of sensitivities, which have no error control, relative to the largest."""


def hessian(run: Run, dae: Any, function: Any, at: list[np.ndarray]) -> str:
    """The Hessian of weighted rates at the start, along a direction, is how ours change there."""
    known = run.linear
    if not known:
        raise Lacks("the start is not linearized in Python")
    states, inputs = (ca.MX.sym("at", len(values)) for values in at)
    rates, outputs = function(states, inputs)
    if run.case.events and not dae.x():
        raise Lacks("its differences are for variables of size 1, not for a clearance")
    names = [f"der({name})" for name in dae.x()] or dae.y()
    listed = [name for name in known["rows"] if name not in dae.x()]
    rows = [listed.index(name) for name in names]
    columns = [known["columns"].index(name) for name in (*dae.x(), *dae.u())]
    direction = np.array([known["direction"][name] for name in (*dae.x(), *dae.u())])
    sizes = np.abs(direction)  # those of the variables; 0 for inputs at a limit
    change = np.array(known["change"])[np.ix_(rows, columns)] * sizes
    matrix = np.array([known["matrix"][known["rows"].index(name)] for name in names])
    weights = np.cos(np.arange(len(rows))) / (np.abs(matrix[:, columns] * sizes).max(axis=1) + 1e-9)
    weighted = ca.dot(ca.DM(weights), rates if dae.x() else outputs)
    second, _ = ca.hessian(weighted, ca.vertcat(states, inputs))
    found = ca.Function("second", [states, inputs], [second])(*at).full()
    assert np.isfinite(found).all(), "the Hessian is not finite"
    got, expected = (found @ direction) * sizes, weights @ change
    worst = float(np.abs(got - expected).max() / (np.abs(expected).max() + 1e-6))
    assert worst < 1e-4, f"differs by {worst:.1g}"
    return f"{worst:.0e}"


def sensitivities(run: Run, function: Any, at: list[np.ndarray], options: dict[str, Any]) -> str:
    """CVODES's sensitivities to starts and inputs are differences of its own runs."""
    x, u = at
    if not len(x):
        raise Lacks("the FMU has no states")
    state, held = ca.MX.sym("x", len(x)), ca.MX.sym("u", len(u))
    problem = {"x": state, "p": held, "ode": function(state, held)[0]}
    integrate = ca.integrator("integrate", "cvodes", problem, 0.0, run.case.stop / 20, options)
    random = np.random.default_rng(3)
    free = np.array([1.0] * len(x) + [float(value != 0) for value in u])
    direction = 1e-3 * free * random.normal(size=len(free)) * np.maximum(np.abs([*x, *u]), 1e-3)
    ends = [
        integrate(x0=x + part * direction[: len(x)], p=u + part * direction[len(x) :])["xf"].full()
        for part in (1.0, -1.0)
    ]
    expected = (ends[0] - ends[1]).ravel() / 2
    got = _along(integrate, at, direction)
    worst = float((np.abs(got - expected) / (np.abs(expected).max() + 1e-12)).max())
    assert worst < SENSITIVITIES, f"differs by {worst:.1g}"
    return f"{worst:.0e}"


def _along(integrate: Any, at: list[np.ndarray], direction: np.ndarray) -> np.ndarray:
    """Return the sensitivity along a direction: from all columns, or of road vehicles by itself."""
    x, u = at
    if len(direction) <= MOST_COLUMNS:
        by = integrate.factory("by", ["x0", "p"], ["jac:xf:x0", "jac:xf:p"])(x0=x, p=u)
        return np.hstack([by["jac_xf_x0"].full(), by["jac_xf_p"].full()]) @ direction
    seeds = np.column_stack([direction, 0 * direction])
    by = integrate.factory("along", ["x0", "p", "fwd:x0", "fwd:p"], ["fwd:xf"])
    one, none = by(x0=x, p=u, fwd_x0=seeds[: len(x)], fwd_p=seeds[len(x) :])["fwd_xf"].full().T
    assert not none.any(), "there are sensitivities along nothing"
    return one
