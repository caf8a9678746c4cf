"""Continuation: equilibria, steady motions and periodic solutions over a parameter."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mbcore.analysis.statics import Configuration
from mbcore.equations.equations import Equations, checked_equations
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.vibration.branch import Branch
from mbcore.vibration.journey import Journey
from mbcore.vibration.resting import resting
from mbcore.vibration.tracing import Steps
from mbcore.vibration.varied import checked_range, varied

KINDS = ("equilibrium",)


def continuation(
    equations: Equations,
    parameter: str,
    between: tuple[float, float],
    *,
    of: str = "equilibrium",
    start: Mapping[str, float] | Configuration | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    within: tuple[float, float] | None = None,
    step: float = 0.01,
    longest: float = 0.04,
    shortest: float = 1e-7,
    points: int = 2000,
    progress: bool = True,
) -> Branch:
    """Follow a branch of solutions over a parameter, through its folds, and find events on it.

    Pseudo-arclength continuation: the branch is followed along itself, so that the parameter may
    turn back. It ends where the parameter leaves its range, where the branch closes, or where no
    solution is found any more; what was found is kept then, and on Ctrl-C.

    Parameters
    ----------
    equations : Equations
        The system.
    parameter : str
        A parameter or an input.
    between : (float, float)
        Its value at the first solution, and the value to go to.
    of : {"equilibrium"}
        What the solutions are.
    start : mapping of str to float, or Configuration
        Where the first solution is sought, as in `mbcore.equilibrium`.
    parameters, inputs : mapping of str to float
        Values that differ from the model's.
    within : (float, float), optional
        Range that the parameter may not leave, where that is larger.
    step, longest, shortest : float
        Lengths of the first step, of the longest and of the shortest one, in parts of the range or
        of the branch's own extent.
    points : int
        Number of points at most.
    progress : bool
        Show a bar on ways that take longer than two seconds.

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
    q = checked_equations("continuation", equations)
    checks.choice("continuation", "of", of, KINDS)
    what = f"continuation over {parameter}"
    first, last = checked_range(what, between)
    low, high = min(first, last), max(first, last)
    if within is not None:
        limits = checked_range(f"{what}: within", within)
        low, high = min(low, *limits), max(high, *limits)
    steps = _steps(step, longest, shortest, points)
    own, given = checks.values("parameter", parameters), checks.values("input", inputs)
    over = varied(q, parameter, (low, high), own, given)
    family, unknowns = resting(q, over, (first, last), start, own, given)
    journey = Journey(
        q, of, over.name, over.unit, family, abs(last - first), low, high, steps, progress
    )
    return journey.begin(unknowns, first, np.sign(last - first))


def _steps(step: object, longest: object, shortest: object, points: object) -> Steps:
    owner = "continuation"
    most = checks.real(owner, "longest", longest, above=0.0, most=1.0)
    least = checks.real(owner, "shortest", shortest, above=0.0, below=most)
    begin = checks.real(owner, "step", step, least=least, most=most)
    count = checks.real(owner, "points", points, least=2)
    if count != int(count):
        raise ModelError(f"continuation: points = {points}: give a whole number")
    return Steps(begin, most, least, int(count))
