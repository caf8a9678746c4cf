"""Periodic solutions of the full nonlinear equations, stable or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.host.backend import Backend, takes_backend
from mbcore.host.threads import single_threaded
from mbcore.model import checks
from mbcore.model.calls import explains_arguments, explains_construction
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError, warn_user
from mbcore.periodic.flow import InputSignal, Trajectory
from mbcore.periodic.harmonic_balance import balanced
from mbcore.periodic.multiple_shooting import MultipleShooting
from mbcore.periodic.shooting import Shooting, ShootingOptions
from mbcore.periodic.shooting_point import ShootingPoint
from mbcore.periodic.shot import Shootable, shootable
from mbcore.results.periodic_solution import PeriodicSolution

ACCURACY = 1e-10
"""Largest difference of a state after one period, in parts of its nominal value."""
OF_TOLERANCE = 1e-2
"""Fraction of the integration's tolerance that is accepted in any case, because the step sizes
change from trial to trial."""
AIM = 1e-12
"""Residual at which Newton's method ends, if it can be reached."""
METHODS = ("shooting", "harmonic_balance")
MOST_STEPS = 25
SETTLING = (0, 5, 30)
"""Number of periods that the motion is left to settle before each attempt."""
SMALLEST_PART = 0.02
"""Smallest fraction of a Newton step."""
DAMPING = 1e-3
"""Damping of the steps, relative to the residual."""
ASIDE = 1e-6
"""Distance, in nominal values, of motions that check the derivative of a solution."""
ABOVE_ERRORS = 1e3
"""Smallest such distance, in tolerances of the integration."""
JUMPS = 1e-2
"""Relative difference from the derivative that brings a warning."""


@explains_construction
@dataclass(frozen=True)
class PeriodicOptions(ShootingOptions):
    """How a periodic solution is found.

    Attributes
    ----------
    advance, rtol, atol, max_step : of several kinds
        As for `ShootingOptions`.
    harmonics : int, optional
        Number of harmonics in harmonic balance; by default so many that the highest are small.
    segments : int
        Number of parts of the period in shooting whose starts are unknown together. Several find
        motions that neighbours leave so quickly that none can be followed over a period, and
        multipliers that are much smaller than the largest.
    """

    harmonics: int | None = None
    segments: int = 1


OPTIONS = PeriodicOptions()


@takes_backend
@single_threaded
@explains_arguments
def periodic_solution(
    equations: Equations | Shootable,
    period: float,
    method: str = "shooting",
    guess: PeriodicSolution | Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, InputSignal] | None = None,
    *,
    autonomous: bool = False,
    options: PeriodicOptions = OPTIONS,
    backend: Backend = "auto",
) -> PeriodicSolution:
    """Find a periodic motion near a guess, stable or unstable, and its multipliers.

    Exact derivatives make either method Newton's. Where nothing depends on time the period is
    unknown as well. States on which nothing depends, such as positions and headings, may advance by
    any constant, angles by whole turns. Where shooting fails from the guess, the motion is left to
    settle for some periods first.

    Parameters
    ----------
    equations : Equations or driver
        The system; of an FMU what `mbcore.driver` returns, by shooting.
    period : float
        s; of what drives the system, or a multiple of it. A first guess where ``autonomous``.
    method : {"shooting", "harmonic_balance"}
        Newton's method on the start state; or on the Fourier coefficients of smooth motions, which
        does not follow the motion in time and so finds very unstable ones too.
    guess : PeriodicSolution or mapping of str to float, optional
        A solution nearby, such as that of the linear equations, or start values of states.
    parameters : mapping of str to float
        Values that differ from the model's.
    inputs : mapping of str to float or callable
        Constants or functions of time.
    autonomous : bool
        Whether nothing depends on time.
    options : PeriodicOptions
        Tolerances, harmonics, and by how much states are larger after a period.
    backend : {"auto", "python", "c"}
        Backend of the equations: C from the start, Python alone, or Python until compiling pays;
        see `mbcore.evaluate_by`.

    Returns
    -------
    PeriodicSolution
        With multipliers by the monodromy matrix.

    Raises
    ------
    ModelError
        If a name is unknown, a value impossible, the period not positive, or the system depends
        on time in another way than ``autonomous`` says.
    ConfigurationError, SimulationError
        If what drives the system has another period, the motion cannot be followed, or Newton's
        method finds nothing; the message gives the residual and its state.
    """
    shootable("periodic_solution", equations)
    checks.choice("periodic_solution", "method", method, METHODS)
    harmonics = options.harmonics
    if harmonics is not None and method != "harmonic_balance":
        raise ModelError(
            f'periodic_solution: harmonics = {harmonics!r} are for method="harmonic_balance", not '
            f"for {method!r}; leave them out"
        )
    segments = _whole("segments", options.segments, 1)
    if segments > 1 and method != "shooting":
        raise ModelError(
            f'periodic_solution: segments = {segments} are for method="shooting", not for '
            f"{method!r}; leave them out"
        )
    start = {**guess.start, **guess.remembered} if isinstance(guess, PeriodicSolution) else guess
    shooting = Shooting(
        equations,
        period,
        autonomous=autonomous,
        start=start,
        parameters=parameters,
        inputs=inputs,
        options=options,
    )
    if method == "harmonic_balance":
        shooting.system.refuse_harmonic_balance()
        near = guess if isinstance(guess, PeriodicSolution) else None
        return balanced(shooting, near, _harmonics(harmonics))
    if segments == 1:
        return solve_shooting(shooting)
    known = guess.signals if isinstance(guess, PeriodicSolution) else None
    return solve_shooting(shooting, MultipleShooting(shooting, segments, known))


def _harmonics(given: int | None) -> int | None:
    return None if given is None else _whole("harmonics", given, 2)


def _whole(name: str, given: object, least: int) -> int:
    number = checks.real("periodic_solution", f"number of {name}", given, least=least)
    if number != int(number):
        raise ModelError(f"periodic_solution: {name} = {given}; give a whole number")
    return int(number)


def solve_shooting(
    shooting: Shooting, segmented: MultipleShooting | None = None
) -> PeriodicSolution:
    """Solve for a periodic motion by Newton's method from the guess.

    Where that fails, the motion is left to settle for some periods, and Newton's method tried from
    there: so a guess that is far away leads to a motion that attracts, if there is one.

    Raises
    ------
    SimulationError
        If it does not converge.
    """
    first, failure = shooting.unknowns, None
    for periods in SETTLING if shooting.driven or shooting.autonomous else SETTLING[:1]:
        try:
            if periods:
                first = shooting.settled(first, periods)
            found, steps = _solved(shooting, segmented, first)
        except (ConfigurationError, SimulationError) as error:
            failure = failure or error
        else:
            _warn_of_jumps(shooting, found)
            return _solution(shooting, found, steps)
    assert failure is not None
    raise failure


def _solved(
    shooting: Shooting, segmented: MultipleShooting | None, first: np.ndarray
) -> tuple[ShootingPoint, int]:
    """Return the point at which the residual vanishes, and the number of Newton steps.

    Segments that fail, because an event has left its segment on the way, begin again at the motion
    that the start alone leads to.
    """
    if segmented is None:
        _, found, steps = _newton(shooting, first)
        return found, steps
    try:
        _, found, steps = _newton(segmented, segmented.begin(first))
    except (ConfigurationError, SimulationError) as error:
        try:
            nearer, _, before = _newton(shooting, first)
            _, found, steps = _newton(segmented, segmented.begin(nearer))
        except (ConfigurationError, SimulationError):
            raise error from None
        steps += before
    return found, steps


def _newton(
    shooting: Shooting | MultipleShooting, z: np.ndarray
) -> tuple[np.ndarray, ShootingPoint, int]:
    """Return unknowns and point at which the residual vanishes, and the number of Newton steps."""
    shooting.anchor(z)
    found, steps = shooting.at(z), 0
    size, enough = _size(found), max(ACCURACY, OF_TOLERANCE * shooting.single.flow.rtol)
    while size > AIM and steps < MOST_STEPS:
        step = _newton_step(found, found.residual)
        try:
            nearer = _damped(shooting, z, step, found)
        except (ConfigurationError, SimulationError):
            if size <= enough:
                break
            raise
        if nearer is None:
            break
        steps += 1
        z, found = nearer
        before, size = size, _size(found)
        if size <= enough and size > 0.1 * before:
            break
    if not size <= enough:
        _refuse(shooting.single, found, steps)
    return z, found, steps


def _newton_step(found: ShootingPoint, residual: np.ndarray) -> np.ndarray:
    """Return the step, (n,), to the nearest zero of a residual, with the Jacobian of a point.

    Where the motion is one of a family, such as those of all energies, the Jacobian is singular at
    the solution. A little damping after Levenberg and Marquardt, which vanishes with the residual,
    keeps convergence quadratic there, and leads to a member nearby.
    """
    U, sizes, Vt = np.linalg.svd(found.jacobian)
    damping = DAMPING * _size(found)
    inverse = sizes / (sizes**2 + damping)
    return np.asarray(-Vt.T @ (inverse * (U.T @ residual)))


def _solution(shooting: Shooting, found: ShootingPoint, iterations: int) -> PeriodicSolution:
    """Return the solution at a point at which the residual vanishes."""
    _refuse_other_modes(shooting, found)
    advance = shooting.advance(found.trajectory)
    recorded = Trajectory.joined(_again(shooting, found.trajectory, record=True))
    signals, motion = shooting.system.sampled(recorded, advance)
    return shooting.solution(
        found.trajectory, signals, motion, _size(found), iterations, found.family
    )


def _again(
    shooting: Shooting,
    found: Trajectory,
    aside: np.ndarray | float = 0.0,
    *,
    record: bool = False,
) -> tuple[Trajectory, ...]:
    """Return the segments of a motion, or it alone, from starts that are moved ``aside``."""
    flow = shooting.flow
    if not found.segments:
        return (flow(found.start + aside, found.span, derivative=False, record=record),)
    starts = np.array([segment.start for segment in found.segments]) + aside
    times = np.array([found.begin, *(segment.end for segment in found.segments)])
    return tuple(flow.through(starts, times, derivative=False, record=record))


def _warn_of_jumps(shooting: Shooting, found: ShootingPoint) -> None:
    """Warn where neighbouring motions end elsewhere than the derivative of the flow predicts.

    A law that jumps without an event causes that: a jump needs a saltation matrix.
    """
    flow, trajectory = shooting.flow, found.trajectory
    aside = flow.nominal * np.cos(1.0 + np.arange(flow.nominal.size))
    aside[list(flow.still)] = 0.0
    felt, far = list(shooting.felt), max(ASIDE, ABOVE_ERRORS * flow.rtol)
    try:
        ends = [_again(shooting, trajectory, part * far * aside) for part in (1.0, -1.0)]
    except (ConfigurationError, SimulationError):
        return  # a neighbouring motion that fails is not a sign of a jump
    changes = [(one.state - other.state) / (2 * far) for one, other in zip(*ends, strict=True)]
    seen = (np.array(changes) / flow.nominal)[:, felt]
    said = (np.array([factor @ aside for factor in trajectory.factors]) / flow.nominal)[:, felt]
    off = float(np.abs(seen - said).max(initial=0.0))
    if off > JUMPS * (1 + float(np.abs(said).max(initial=0.0))):
        warn_user(
            f"periodic_solution: {shooting.equations.name}: neighbouring motions differ from its "
            f"derivative by {off:.2g} of their initial distance: a law jumps with the state, or "
            "the motion is too sensitive; do not trust its multipliers. "
            "Make the jump an event: model.event(...)"
        )


def _size(found: ShootingPoint) -> float:
    size = float(np.abs(found.residual).max(initial=0.0))
    return size if np.isfinite(size) else np.inf


def _damped(
    shooting: Shooting | MultipleShooting, z: np.ndarray, step: np.ndarray, before: ShootingPoint
) -> tuple[np.ndarray, ShootingPoint] | None:
    """Return unknowns along a step that are nearer to a solution; None where there are none.

    Raises
    ------
    ConfigurationError, SimulationError
        If the motion can be followed from none of them.
    """
    part, failure = 1.0, None
    reached = False
    while part >= SMALLEST_PART:
        trial = z + part * step
        try:
            shooting.anchor(trial)
            found = shooting.at(trial)
        except (ConfigurationError, SimulationError) as error:
            failure = error
        else:
            reached = True
            if _is_nearer(found, before, step):
                return trial, found
        part /= 2
    if failure is not None and not reached:
        raise failure
    return None


def _is_nearer(found: ShootingPoint, before: ShootingPoint, step: np.ndarray) -> bool:
    """Whether the residual is smaller; of segments else whether the next step would be shorter.

    That is P. Deuflhard's natural test: a segment with a quick change in it has a large residual
    where the solution is near.
    """
    if _size(found) < _size(before):
        return True
    if not found.trajectory.segments or not np.isfinite(_size(found)):
        return False
    following = _newton_step(before, found.residual)
    return bool(np.linalg.norm(following) < np.linalg.norm(step))


def _refuse(shooting: Shooting, found: ShootingPoint, steps: int) -> None:
    """Raise the residual where Newton's method has not converged."""
    equations = shooting.equations
    worst = int(np.argmax(np.nan_to_num(np.abs(found.residual), nan=np.inf)))
    segment, place = divmod(worst, len(shooting.names))
    is_phase = shooting.autonomous and worst == len(found.residual) - 1
    name = "the phase" if is_phase else shooting.names[place]
    whole = f"segment {segment + 1}" if found.trajectory.segments else "one period"
    hint = "guess nearer, or come from a case that is known, by continuation"
    if not found.trajectory.segments:
        hint += ", or shoot in parts: PeriodicOptions(segments=10)"
    if not (shooting.driven or shooting.autonomous):
        hint = "nothing depends on time, so its period is unknown: give autonomous=True"
    raise SimulationError(
        f"{equations.name}: no periodic motion of {found.period:.6g} s near the guess: after "
        f"{steps} Newton steps {name} still differs after {whole}, by "
        f"{found.residual[worst]:.3g} of its nominal value; {hint}"
    )


def _refuse_other_modes(shooting: Shooting, found: ShootingPoint) -> None:
    """Refuse motions that end in other modes than they begin in, though states are the same."""
    equations, trajectory = shooting.equations, found.trajectory
    changed = trajectory.start_modes != trajectory.modes
    names = shooting.system.mode_names()
    other = [names[i] for i in shooting.flow.modes if changed[i]]
    if other:
        raise SimulationError(
            f"{equations.name}: after one period of {found.period:.6g} s the states are the same, "
            f"but {', '.join(other)} is in another mode: an event is at the very start; begin "
            "elsewhere"
        )
