"""CasADi's DaeBuilder: rates and outputs as functions, their derivatives, and integrated."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import casadi as ca
import numpy as np
from fmpy import extract

from .client import DIRECTIONAL, ME, REALS, Client, Lacks, Run, Values, every, flag
from .experiments import SOLVER_TOLERANCE
from .optimization import FOR_GRAPHS, STALE, hessian, sensitivities

EXAMPLE = """\
import casadi as ca

dae = ca.DaeBuilder("vehicle", "vehicle.fmu")
dae.set("chassis.mass", 1300)  # parameters: before the function is made
dae.set_y([name for name in dae.y() if dae.type(name) in ("Real", "Float64")])  # around C1
rates = dae.create("rates", ["x", "u", "p"], ["ode", "y"])
x, u, p = (dae.start(names) for names in (dae.x(), dae.u(), dae.p()))
ode, y = rates(x, u, p)
jacobian = rates.factory("jacobian", ["x", "u", "p"], ["jac:ode:x", "jac:ode:u"])
A, B = jacobian(x, u, p)
print(dict(zip(dae.x(), ode.full().ravel())), A.shape, B.shape)
"""
INPUTS = ["x", "u", "p"]
CVODES = {"reltol": SOLVER_TOLERANCE, "abstol": 1e-11, "max_num_steps": 100000}
SETS_NO_ENUMERATION = "sets no enumeration of FMI 3.0"
READS_REALS = "reads every output as a real number"


@contextmanager
def loaded(run: Run) -> Iterator[tuple[Any, Any]]:
    """Give the builder of an FMU with the experiment's parameters, and its function."""
    case = run.case
    with tempfile.TemporaryDirectory() as folder:
        dae = ca.DaeBuilder(case.fmu, str(extract(str(run.archive), folder)))
        for name, value in case.start.items():
            # the FMU is initialized with parameters, but with none of the states' start values
            dae.set(f"start.{name}" if name in dae.x() else name, value)
        for name, number in run.choices.items():
            if run.fmi == "3":
                run.faults.append(SETS_NO_ENUMERATION)
            dae.set(f"{name}_number" if run.fmi == "3" else name, number)
        reals = [name for name in dae.y() if dae.type(name) in REALS]
        if reals != dae.y():
            run.faults.append(READS_REALS)
            dae.set_y(reals)
        yield dae, dae.create("fmu", INPUTS, ["ode", "y"])


def arguments(dae: Any, run: Run, time: float = 0.0) -> list[np.ndarray]:
    """Return states, inputs and parameters of the experiment."""
    given = {**run.case.start, **run.case.inputs_at(time)}
    return [
        np.array([given.get(n, s) for n, s in zip(names, dae.start(names), strict=True)], float)
        for names in (dae.x(), dae.u(), dae.p())
    ]


def run(run: Run) -> Values:
    """Integrate the function with CasADi's own CVODES, with the exact or differenced Jacobian."""
    if run.case.events:
        raise Lacks("its integrators locate no state events")
    case, values = run.case, {}
    with loaded(run) as (dae, function):
        x, _, p = arguments(dae, run)
        time = 0.0
        for until in sorted({*case.samples, case.half}):
            u = arguments(dae, run, time)[1]
            if len(x):
                x = advance(function, x, u, p, until - time)
            time = until
            if time == case.half:
                continue
            y = function(x, u, p)[1].full().ravel()
            for name, value in zip(dae.y(), y, strict=True):
                values.setdefault(name, []).append(float(value))
    return values


def advance(function: Any, x: np.ndarray, u: np.ndarray, p: np.ndarray, span: float) -> np.ndarray:
    """Return the states a while later."""
    state, given = ca.MX.sym("x", len(x)), ca.MX.sym("p", len(u) + len(p))
    parts = ca.vertsplit(given, [0, len(u), len(u) + len(p)])
    problem = {"x": state, "p": given, "ode": function(state, *parts)[0]}
    integrate = ca.integrator("integrate", "cvodes", problem, 0.0, span, CVODES)
    return integrate(x0=x, p=np.concatenate([u, p]))["xf"].full().ravel()


def values_at_start(run: Run) -> str:
    """Rates and outputs at the start are those that FMPy reads."""
    from .client_fmpy import opened

    with loaded(run) as (dae, function):
        found = np.concatenate([part.full().ravel() for part in function(*arguments(dae, run))])
        names, states = dae.y(), dae.x()
    with opened(run) as [fmu]:
        fmu.initialize()
        assert fmu.states == states
        expected = np.concatenate([fmu.derivatives(), fmu.get(names)])
    scale = np.abs(expected).max() + 1e-9
    worst = float(np.abs(found - expected).max() / scale)
    assert worst < 1e-12, f"differs by {worst:.1g}"
    return f"{worst:.0e}"


def jacobian(run: Run) -> str:
    """CasADi's Jacobian by states and inputs is that of our equations in Python."""
    with loaded(run) as (dae, function):
        outputs = [f"jac:{y}:{x}" for y in ("ode", "y") for x in ("x", "u")]
        found = function.factory("jacobian", INPUTS, outputs)(*arguments(dae, run))
        parts = {name: part.full() for name, part in zip(outputs, found, strict=True)}
        got = np.block([[parts[f"jac:{y}:{x}"] for x in ("x", "u")] for y in ("ode", "y")])
        expected = ours(run, dae)
    return judged(run, got, expected)


def adjoint(run: Run) -> str:
    """CasADi's adjoint of rates and outputs, seeded at random, is the transpose of ours."""
    with loaded(run) as (dae, function):
        at = arguments(dae, run)
        random = np.random.default_rng(1)
        seeds = [random.normal(size=len(names)) for names in (dae.x(), dae.y())]
        found = function.reverse(1)(*at, *function(*at), *seeds)[:2]
        got = np.concatenate([part.full().ravel() for part in found])
        expected = ours(run, dae).T @ np.concatenate(seeds)
    return judged(run, got, expected)


def ours(run: Run, dae: Any) -> np.ndarray:
    """Return the Jacobian of CasADi's rates and outputs by its states and inputs, from Python."""
    linear = run.linear
    if not linear:
        raise Lacks("the start is not linearized in Python")
    columns = [linear["columns"].index(name) for name in (*dae.x(), *dae.u())]
    matrix = np.array(linear["matrix"])[:, columns]
    held = np.zeros(len(columns))  # discrete outputs
    wanted = (*(f"der({x})" for x in dae.x()), *dae.y())
    return np.array([
        matrix[linear["rows"].index(name)] if name in linear["rows"] else held for name in wanted
    ])  # fmt: skip


def judged(run: Run, got: np.ndarray, expected: np.ndarray) -> str:
    """Compare derivatives with ours."""
    if not flag(run, *DIRECTIONAL):
        raise Lacks("the FMU gives no derivatives; CasADi takes differences")
    scale = np.abs(expected).max(axis=-1, keepdims=True) + 1e-6 * np.abs(expected).max()
    worst = float((np.abs(got - expected) / np.maximum(scale, 1e-9)).max(initial=0.0))
    assert worst < 1e-9, f"differs by {worst:.1g}"
    return f"{worst:.0e}"


def second_derivatives(run: Run) -> str:
    """The Hessian of a graph with the FMU, at the start, is how our Jacobian changes."""
    with for_graphs(run) as (dae, function):
        return hessian(run, dae, function, arguments(dae, run)[:2])


def cvodes_sensitivities(run: Run) -> str:
    """CVODES's sensitivities by starts and inputs are differences of its runs."""
    with for_graphs(run) as (dae, function):
        return sensitivities(run, function, arguments(dae, run)[:2], CVODES)


@contextmanager
def for_graphs(run: Run) -> Iterator[tuple[Any, Any]]:
    """Give the builder of an FMU, and its function for larger graphs, without parameters.

    Second derivatives by them would be taken, too, each by a difference.
    """
    with loaded(run) as (dae, _):
        run.faults.append(STALE)
        yield dae, dae.create("graph", ["x", "u"], ["ode", "y"], FOR_GRAPHS)


CLIENT = Client(
    "CasADi", "casadi", every(ME), run, EXAMPLE,
    checks={
        "values at start": values_at_start, "Jacobian": jacobian, "adjoint": adjoint,
        "Hessian": second_derivatives, "CVODES sensitivities": cvodes_sensitivities,
    },
)  # fmt: skip
