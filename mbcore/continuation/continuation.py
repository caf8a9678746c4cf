"""Continuation: equilibria, steady motions and periodic solutions over a parameter."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from mbcore.continuation.branch import Branch
from mbcore.continuation.branch_tracer import BranchTracer
from mbcore.continuation.curve_tracer import Steps
from mbcore.continuation.equilibria import Equilibria
from mbcore.continuation.periodic_orbits import Periodic
from mbcore.continuation.relative_equilibria import SteadyMotions
from mbcore.continuation.varied import parameter_range
from mbcore.host.backend import Backend, takes_backend
from mbcore.host.threads import single_threaded
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.periodic.shot import records_of

FAMILIES = (Equilibria, SteadyMotions, Periodic)
STEPS = Steps()
REMOVED = {"equilibrium": "Equilibria", "steady": "SteadyMotions", "periodic": "Periodic"}
"""Values of ``of``, which chose the family before families were objects."""
P = ParamSpec("P")
R = TypeVar("R")


def refuses_of(function: Callable[P, R]) -> Callable[P, R]:
    """Let `continuation` refuse ``of`` by the line that takes its place."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if "of" in kwargs:
            family = REMOVED.get(str(kwargs["of"]), "Equilibria")
            raise ModelError(
                f"continuation: of = {kwargs['of']!r} is removed; a family of solutions is an "
                f"object now: continuation({family}(equations, ...), parameter, (from, to)); "
                f"import {family} from mbcore.vibration"
            )
        return function(*args, **kwargs)

    return call


@refuses_of
@takes_backend
@single_threaded
@explains_arguments
def continuation(
    family: Equilibria | SteadyMotions | Periodic,
    parameter: str,
    between: tuple[float, float],
    *,
    within: tuple[float, float] | None = None,
    steps: Steps = STEPS,
    progress: bool = True,
    backend: Backend = "auto",
) -> Branch:
    """Follow a branch of solutions over a parameter, through its folds, and find events on it.

    Pseudo-arclength continuation: the branch is followed along itself, so that the parameter may
    turn back. It ends where the parameter leaves its range, where the branch closes, or where no
    solution is found any more; the solutions so far are kept then, and on Ctrl-C.

    Parameters
    ----------
    family : Equilibria, SteadyMotions or Periodic
        Kind of the solutions, and the place where the first one is sought.
    parameter : str
        A parameter or an input; of steady motions also a state or an output, a further condition.
    between : (float, float)
        Its value at the first solution, and the value to go to; only a range where the family
        starts at an event.
    within : (float, float), optional
        Range that the parameter may not leave, where that is larger.
    steps : Steps
        Lengths of steps, and the number of points at most.
    progress : bool
        Show a bar on branches that take longer than two seconds.
    backend : {"auto", "python", "c"}
        Backend of the equations: C from the start, Python alone, or Python until compiling pays;
        see `mbcore.evaluate_by`.

    Returns
    -------
    Branch
        Points, events and exponents; ``branch.ended`` says why it is no longer.

    Raises
    ------
    ModelError
        If a name is unknown or a value impossible.
    SimulationError
        If there is no solution at the first value near the start.
    """
    if not isinstance(family, FAMILIES):
        raise ModelError(
            f"continuation: {family!r} is not a family of solutions; give Equilibria(equations), "
            "SteadyMotions(equations, ...) or Periodic(equations, period=...)"
        )
    over = parameter_range(parameter, between, within)
    if not isinstance(steps, Steps):
        raise ModelError(f"continuation: steps = {steps!r}; give Steps(longest=...)")
    steps = steps.checked()
    begin = family.begin(over)
    records = records_of(family.equations)
    tracer = BranchTracer(records, family.kind, over, begin.unit, begin.family, steps, progress)
    if begin.direction is not None:
        return tracer.begin_along(begin.unknowns, begin.value, begin.direction)
    return tracer.begin(begin.unknowns, begin.value, over.towards)
