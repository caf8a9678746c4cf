"""do-mpc: model-predictive control on a CasADi function of the FMU."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import casadi as ca
import numpy as np

from mbcore.evaluation.evaluation import Evaluation

from .client import ME, Client, Lacks, Run, Values, every
from .client_casadi import CVODES, arguments, for_graphs
from .optimization import MOST_COLUMNS
from .references import equations_of, given

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import do_mpc

EXAMPLE = """\
import casadi as ca
import do_mpc
import numpy as np

dae = ca.DaeBuilder("vehicle", "vehicle.fmu")
f = dae.create("f", ["x", "u"], ["ode"], {"enable_forward": False})  # around D1
model = do_mpc.model.Model("continuous", "MX")
states = [model.set_variable("_x", name.replace(".", "_")) for name in dae.x()]
steer, drive = (model.set_variable("_u", name) for name in ("steer", "drive"))
inputs = {name: 0 for name in dae.u()} | {"steer.angle": steer, "drive.force": 1000 * drive}
rates = ca.vertsplit(f(ca.vertcat(*states), ca.vertcat(*inputs.values())))
for name, rate in zip(dae.x(), rates):
    model.set_rhs(name.replace(".", "_"), rate)
model.setup()
mpc = do_mpc.controller.MPC(model)
mpc.set_param(n_horizon=10, t_step=0.1, nlpsol_opts={"ipopt.print_level": 0, "print_time": 0})
aim = (model.x["chassis_y"] - 1) ** 2 + (model.x["chassis_speed"] - 12) ** 2
mpc.set_objective(mterm=aim, lterm=aim)
mpc.set_rterm(steer=100, drive=0.01)
mpc.bounds["lower", "_u", "steer"], mpc.bounds["upper", "_u", "steer"] = -0.5, 0.5
mpc.setup()
mpc.x0 = np.array(dae.start(dae.x()))
mpc.set_initial_guess()
print(mpc.make_step(mpc.x0).ravel(), mpc.solver_stats["iter_count"], "iterations")
"""
ROUNDS = 6
"""Of Newton's iteration for positions in the equations themselves."""
Rates = Callable[[Any, Any], Any]
"""From states and all inputs to rates."""


def model_of(dae: Any, rates: Rates, moved: list[str], held: dict[str, float]) -> Any:
    """Return do-mpc's model, with the inputs that it may move."""
    model = do_mpc.model.Model("continuous", "MX")
    states = [model.set_variable("_x", mangled(name)) for name in dae.x()]
    inputs = {name: model.set_variable("_u", mangled(name)) for name in moved}
    everything = [inputs.get(name, held[name]) for name in dae.u()]
    found = ca.vertsplit(rates(ca.vertcat(*states), ca.vertcat(*everything)))
    for name, rate in zip(dae.x(), found, strict=True):
        model.set_rhs(mangled(name), rate)
    model.setup()
    return model


def mangled(name: str) -> str:
    """Return a name as do-mpc takes it."""
    return name.replace(".", "_")


@contextlib.contextmanager
def opened(run: Run) -> Iterator[tuple[Any, Any, list[np.ndarray]]]:
    """Give builder, function for graphs, and states and inputs at the start."""
    with for_graphs(run) as (dae, function):
        if not dae.x():
            raise Lacks("the FMU has no states")
        yield dae, function, arguments(dae, run)[:2]


def run(run: Run) -> Values:
    """Run an experiment with do-mpc's simulator, which is CVODES."""
    case, values = run.case, {}
    if case.events:
        raise Lacks("its simulator locates no state events")
    with opened(run) as (dae, function, (x, u)):
        moved = list({**case.inputs, **case.then})
        held = dict(zip(dae.u(), u, strict=True))
        simulator = do_mpc.simulator.Simulator(
            model_of(dae, lambda s, i: function(s, i)[0], moved, held)
        )
        simulator.set_param(
            t_step=case.stop / 4, integration_tool="cvodes", reltol=CVODES["reltol"],
            abstol=CVODES["abstol"], integration_opts={"max_num_steps": CVODES["max_num_steps"]},
        )  # fmt: skip
        simulator.setup()
        simulator.x0 = x
        for k in range(4):
            u = arguments(dae, run, k * case.stop / 4)[1]
            now = dict(zip(dae.u(), u, strict=True))
            x = simulator.make_step(np.array([[now[name]] for name in moved])).ravel()
            if (k + 1) / 4 * case.stop in case.samples:
                y = function(x, u)[1].full().ravel()
                for name, value in zip(dae.y(), y, strict=True):
                    values.setdefault(name, []).append(float(value))
    return values


def by_equations(run: Run) -> Rates:
    """Return the rates from our equations, without any FMU, as a graph of CasADi."""
    equations = equations_of(run.case)
    start, parameters = given(run.case, equations)
    point = Evaluation(equations, parameters, run.case.inputs_at(0.0))
    point.start(start)
    functions, modes, numbers, position = equations.functions, point.d, point.p, point.x

    def rates(states: Any, inputs: Any) -> Any:
        x = ca.DM(position)
        for _ in range(ROUNDS if len(position) else 0):
            x = functions["newton"](0, states, modes, inputs, numbers, x)[0]
        return functions["derivative"](0, states, modes, inputs, numbers, x)

    return rates


def steps_of(dae: Any) -> int:
    """Return the number of steps of a plan: two of road vehicles, which take seconds each."""
    return 4 if len(dae.x()) + len(dae.u()) <= MOST_COLUMNS else 2


def plan(run: Run, dae: Any, rates: Rates, at: list[np.ndarray]) -> tuple[int, np.ndarray]:
    """Return how many iterations a plan took, and its first inputs."""
    x, u = at
    held = dict(zip(dae.u(), u, strict=True))
    moved = {
        name: max(abs(value), abs(run.case.inputs.get(name, 0.0)))
        for name, value in {**run.case.inputs, **run.case.then}.items()
    }
    model = model_of(dae, rates, list(moved), held)
    mpc = do_mpc.controller.MPC(model)
    mpc.set_param(
        n_horizon=steps_of(dae), t_step=run.case.stop / 20, store_full_solution=False,
        nlpsol_opts={"ipopt.print_level": 0, "ipopt.sb": "yes", "print_time": 0},
    )  # fmt: skip
    random, aim = np.random.default_rng(4), ca.MX(0)
    for name, value in zip(dae.x(), x, strict=True):
        size = dae.nominal(name)
        aim += ((model.x[mangled(name)] - value) / size - 0.1 * random.normal()) ** 2
        mpc.scaling["_x", mangled(name)] = size
    mpc.set_objective(mterm=aim, lterm=aim)
    mpc.set_rterm(**{mangled(name): 0.1 / size**2 for name, size in moved.items()})
    for name, size in moved.items():
        low = 0.0 if dae.min(name) == 0 else held[name] - 2 * size
        mpc.scaling["_u", mangled(name)] = size
        mpc.bounds["lower", "_u", mangled(name)] = low
        mpc.bounds["upper", "_u", mangled(name)] = held[name] + 2 * size
    mpc.setup()
    mpc.x0 = x
    mpc.u0 = np.array([held[name] for name in moved])
    mpc.set_initial_guess()
    with contextlib.redirect_stdout(io.StringIO()):
        first = mpc.make_step(mpc.x0).ravel()
    told = mpc.solver_stats
    assert told["success"], f"{told['return_status']} after {told['iter_count']} iterations"
    return told["iter_count"], first / np.array(list(moved.values()))


def predictive_control(run: Run) -> str:
    """A plan needs as many iterations as with our equations, and is the same."""
    with opened(run) as (dae, function, at):
        count, first = plan(run, dae, lambda s, i: function(s, i)[0], at)
        other, expected = plan(run, dae, by_equations(run), at)
    worst = float(np.abs(first - expected).max())
    assert worst < 1e-5, f"the first inputs differ by {worst:.1g}"
    assert count == other, f"{count} iterations, {other} with the equations themselves"
    return f"{count} iterations"


CLIENT = Client(
    "do-mpc", "do-mpc", every(ME), run, EXAMPLE, checks={"predictive control": predictive_control}
)
