"""Continuation: equilibria, steady motions and periodic solutions over a parameter."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mbcore.analysis.statics import Configuration
from mbcore.equations.equations import Equations, checked_equations
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.vibration.branch import Branch, BranchEvent
from mbcore.vibration.flow import InputSignal
from mbcore.vibration.journey import Journey, Solutions
from mbcore.vibration.orbiting import OrbitSettings, Period, orbiting, orbiting_from_hopf
from mbcore.vibration.resting import resting
from mbcore.vibration.solution import PeriodicSolution
from mbcore.vibration.tracing import Steps
from mbcore.vibration.varied import Varied, checked_range, varied

KINDS = ("equilibrium", "periodic")
Start = Mapping[str, float] | Configuration | PeriodicSolution | BranchEvent


def continuation(
    equations: Equations,
    parameter: str,
    between: tuple[float, float],
    *,
    of: str = "equilibrium",
    start: Start | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, InputSignal] | None = None,
    period: Period | None = None,
    autonomous: bool = False,
    advance: Mapping[str, float] | None = None,
    harmonics: int = 8,
    within: tuple[float, float] | None = None,
    step: float = 0.01,
    longest: float = 0.04,
    shortest: float = 1e-7,
    points: int = 2000,
    rtol: float = 1e-10,
    atol: float = 1e-12,
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
        Its value at the first solution, and the value to go to; only a range where ``start`` is an
        event.
    of : {"equilibrium", "periodic"}
        What the solutions are.
    start : optional
        Where the first solution is sought: states by name; a ``Configuration`` as in
        `mbcore.equilibrium`; a ``PeriodicSolution``; or the event of a Hopf bifurcation, from which
        periodic solutions are followed, with the parameters and inputs that it was found for.
    parameters, inputs : mapping of str to float
        Values that differ from the model's; inputs of periodic solutions may be functions of time.
    period : float or callable
        Of periodic solutions, s, or a function of the parameter, as in
        ``lambda speed: 2 * np.pi / speed``. A first guess where ``autonomous``.
    autonomous : bool
        Whether nothing depends on time, so that the period is unknown.
    advance : mapping of str to float
        By how much states are larger after a period, as in `periodic_solution`.
    harmonics : int
        Number of the last harmonic of periodic solutions that is kept.
    within : (float, float), optional
        Range that the parameter may not leave, where that is larger.
    step, longest, shortest : float
        Lengths of the first step, of the longest and of the shortest one, in parts of the range or
        of the branch's own extent.
    points : int
        Number of points at most.
    rtol, atol : float
        Tolerances with which periodic solutions are integrated.
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
    own = checks.values("parameter", parameters)
    given = dict(inputs or {}) if of == "periodic" else checks.values("input", inputs)
    over = varied(q, parameter, (low, high), own, given)

    def journey(family: Solutions) -> Journey:
        span = abs(last - first)
        return Journey(q, of, over.name, over.unit, family, span, low, high, steps, progress)

    if of == "equilibrium":
        if isinstance(start, PeriodicSolution | BranchEvent):
            raise ModelError(f"{what}: an equilibrium does not start from {start!r}")
        constants = checks.values("input", inputs)
        family, unknowns = resting(q, over, (first, last), start, own, constants)
        return journey(family).begin(unknowns, first, np.sign(last - first))
    if isinstance(start, BranchEvent):
        _refuse_event(start, over, (low, high))
        own = {k: v for k, v in start.parameters.items() if k != over.name} | own
        given = {k: v for k, v in start.inputs.items() if k != over.name} | given
        period, autonomous = 2 * np.pi / start.exponent.imag, True
    if period is None:
        raise ModelError(
            f"{what}: periodic solutions need their period, in s or as a function of {parameter}; "
            "a first guess with autonomous=True, or start=event of a Hopf bifurcation"
        )
    count = int(checks.real("continuation", "harmonics", harmonics, least=0))
    settings = OrbitSettings(q, period, autonomous, own, given, over, advance, rtol, atol, count)
    if isinstance(start, BranchEvent):
        orbits, unknowns, direction = orbiting_from_hopf(settings, start)
        return journey(orbits).begin_along(unknowns, start.value, direction)
    if isinstance(start, Configuration):
        start = start.states
    orbits, unknowns = orbiting(settings, start, first)
    return journey(orbits).begin(unknowns, first, np.sign(last - first))


def _refuse_event(event: BranchEvent, over: Varied, ends: tuple[float, float]) -> None:
    """Refuse an event at which no orbits begin, or of another parameter."""
    what = f"continuation over {over.name}"
    if event.kind != "hopf":
        raise ModelError(
            f"{what}: no periodic solutions begin at a {event.kind}; give the event of a Hopf "
            "bifurcation, or use branch.switch(event)"
        )
    known = event.inputs if over.is_input else event.parameters
    if known[over.name] != event.value:
        raise ModelError(
            f"{what}: the event was found over another parameter, {over.name} is "
            f"{known[over.name]:g} there and the event's value {event.value:g}"
        )
    if not ends[0] <= event.value <= ends[1]:
        raise ModelError(
            f"{what}: the event at {event.value:.9g} is outside of the range {ends[0]:g} to "
            f"{ends[1]:g}"
        )


def _steps(step: object, longest: object, shortest: object, points: object) -> Steps:
    owner = "continuation"
    most = checks.real(owner, "longest", longest, above=0.0, most=1.0)
    least = checks.real(owner, "shortest", shortest, above=0.0, below=most)
    begin = checks.real(owner, "step", step, least=least, most=most)
    count = checks.real(owner, "points", points, least=2)
    if count != int(count):
        raise ModelError(f"continuation: points = {points}: give a whole number")
    return Steps(begin, most, least, int(count))
