"""Continuation: equilibria, steady motions and periodic solutions over a parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from mbcore.continuation.branch import Branch, BranchEvent
from mbcore.continuation.equilibria import resting
from mbcore.continuation.periodic_orbits import OrbitSettings, Period, orbiting, orbiting_from_hopf
from mbcore.continuation.relative_equilibria import condition, cruising
from mbcore.continuation.tracer import Journey, Solutions
from mbcore.continuation.tracing import Steps
from mbcore.continuation.varied import Varied, checked_range, varied
from mbcore.equations.equations import Equations, checked_equations
from mbcore.equilibria.statics import Configuration
from mbcore.equilibria.steady_motion import SteadyMotion
from mbcore.host.threads import single_threaded
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.periodic.flow import InputSignal
from mbcore.results.periodic_solution import PeriodicSolution

AHEAD = 0.05
"""Part of the range after which the period is looked at once more."""
KINDS = ("equilibrium", "steady", "periodic")
Start = Mapping[str, float] | Configuration | SteadyMotion | PeriodicSolution | BranchEvent


@single_threaded
def continuation(
    equations: Equations,
    parameter: str,
    between: tuple[float, float],
    *,
    of: str = "equilibrium",
    start: Start | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, InputSignal] | None = None,
    conditions: Mapping[str, float] | None = None,
    find: Sequence[str] = (),
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
        A parameter or an input; of steady motions also a state or an output, a further condition.
    between : (float, float)
        Its value at the first solution, and the value to go to; only a range where ``start`` is an
        event.
    of : {"equilibrium", "steady", "periodic"}
        What the solutions are.
    start : optional
        Where the first solution is sought: states by name; a ``Configuration`` as in
        `mbcore.equilibrium`; a ``SteadyMotion``; a ``PeriodicSolution``; or the event of a Hopf
        bifurcation, from which periodic solutions are followed, with the parameters and inputs that
        it was found for.
    parameters, inputs : mapping of str to float
        Values that differ from the model's; inputs of periodic solutions may be functions of time.
    conditions, find
        Of steady motions: values of states and outputs, and inputs that are found, as in
        `mbcore.steady_motion`.
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
    first, last = checked_range(f"continuation over {parameter}", between)
    low, high = _limits(parameter, first, last, within)
    own = checks.values("parameter", parameters, q.parameters)
    constants = {} if of == "periodic" else checks.values("input", inputs, q.inputs)
    given: dict[str, InputSignal] = dict(inputs or {}) if of == "periodic" else {**constants}
    met = condition(q, parameter) if of == "steady" else None
    over = met or varied(q, parameter, (low, high), own, given)
    steps = _steps(step, longest, shortest, points)
    _refuse_unused(of, conditions, find, period, autonomous, advance)
    span, towards = abs(last - first), float(np.sign(last - first))

    def journey(family: Solutions) -> Journey:
        return Journey(q, of, over.name, over.unit, family, span, low, high, steps, progress)

    if of == "steady":
        begin = start if isinstance(start, SteadyMotion) else _states(start, of)
        wanted = checks.values("condition", conditions, (*q.outputs, *q.states))
        cruise = cruising(q, over, (first, last), begin, wanted, find, own, constants)
        return journey(cruise).begin(cruise.start, first, towards)
    assert isinstance(over, Varied)
    if of == "equilibrium":
        begin_at = start if isinstance(start, Configuration) else _states(start, of)
        family, unknowns = resting(q, over, (first, last), begin_at, own, constants)
        return journey(family).begin(unknowns, first, towards)
    count = _whole("harmonics", harmonics, 0)
    rtol = checks.real("continuation", "rtol", rtol, above=0.0, most=1e-3)
    atol = checks.real("continuation", "atol", atol, above=0.0)
    if isinstance(start, BranchEvent):
        settings = _from_event(start, q, over, (low, high), own, given, rtol, atol, count)
    else:
        settings = OrbitSettings(
            q, _given(period, parameter), autonomous, own, given, over, advance, rtol, atol, count
        )
    return _follow_orbits(journey, settings, start, first, last)


def _follow_orbits(
    journey: Callable[[Solutions], Journey],
    settings: OrbitSettings,
    start: Start | None,
    first: float,
    last: float,
) -> Branch:
    """Follow periodic solutions from the first value, or from an event."""
    if isinstance(start, BranchEvent):
        orbits, unknowns, direction = orbiting_from_hopf(settings, start)
        return journey(orbits).begin_along(unknowns, start.value, direction)
    orbits, unknowns = orbiting(settings, _states(start, "periodic"), first)
    if not settings.autonomous:
        settings.check_period(_states(start, "periodic"), first + AHEAD * (last - first))
    return journey(orbits).begin(unknowns, first, float(np.sign(last - first)))


def _given(period: Period | None, parameter: str) -> Period:
    """Return the period.

    Raises
    ------
    ModelError
        If there is none.
    """
    if period is None:
        raise ModelError(
            f"continuation over {parameter}: periodic solutions need their period, in s or as "
            f"a function of {parameter}; a first guess with autonomous=True, or start=event of "
            "a Hopf bifurcation"
        )
    return period


def _limits(
    parameter: str, first: float, last: float, within: tuple[float, float] | None
) -> tuple[float, float]:
    """Return the range that the parameter may not leave.

    Raises
    ------
    ModelError
        If it does not hold the way from the first value to the last.
    """
    low, high = min(first, last), max(first, last)
    if within is None:
        return low, high
    least, most = sorted(checked_range(f"continuation over {parameter}: within", within))
    if not least <= low < high <= most:
        raise ModelError(
            f"continuation over {parameter}: within = {within} does not hold the way from "
            f"{first:g} to {last:g}; give a larger range, or leave it out"
        )
    return least, most


def _states(start: Start | None, of: str) -> Mapping[str, float] | None:
    """Return states by name, of whatever they are given by.

    Raises
    ------
    ModelError
        If these solutions do not begin there.
    """
    if isinstance(start, Configuration):
        return start.states
    if isinstance(start, SteadyMotion):
        return start.state
    if isinstance(start, PeriodicSolution) and of == "periodic":
        return start.start
    if isinstance(start, BranchEvent | PeriodicSolution):
        raise ModelError(f"continuation of {of} solutions does not start from {start!r}")
    return None if start is None else checks.values("start value", start)


def _refuse_unused(
    of: str,
    conditions: object,
    find: Sequence[str],
    period: object,
    autonomous: bool,
    advance: object,
) -> None:
    """Refuse arguments that these solutions do not have."""
    used = {"conditions": conditions, "find": find or None}, "steady"
    others = {"period": period, "autonomous": autonomous or None, "advance": advance}, "periodic"
    for arguments, kind in (used, others):
        for name, value in arguments.items():
            if value is not None and of != kind:
                raise ModelError(
                    f"continuation: {name} = {value!r} is for of={kind!r}, not for {of!r}; leave "
                    "it out"
                )


def _from_event(
    event: BranchEvent,
    equations: Equations,
    over: Varied,
    ends: tuple[float, float],
    parameters: dict[str, float],
    inputs: dict[str, InputSignal],
    rtol: float,
    atol: float,
    harmonics: int,
) -> OrbitSettings:
    """Return the settings of the orbits that begin at an event."""
    _refuse_event(event, over, ends)
    own = {k: v for k, v in event.parameters.items() if k != over.name} | parameters
    given = {k: v for k, v in event.inputs.items() if k != over.name} | inputs
    period = 2 * np.pi / event.exponent.imag
    return OrbitSettings(equations, period, True, own, given, over, None, rtol, atol, harmonics)


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
    return Steps(begin, most, least, _whole("points", points, 2))


def _whole(what: str, value: object, least: int) -> int:
    count = checks.real("continuation", what, value, least=least)
    if count != int(count):
        raise ModelError(f"continuation: {what} = {value}: give a whole number")
    return int(count)
