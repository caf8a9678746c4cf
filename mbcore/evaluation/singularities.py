"""Detection of singular configurations inside steps, located like events.

Where degrees of freedom cease to determine the motion, they turn back while the mechanism moves on:
the height of a pendulum at its lowest point. No sign changes along such a solution, because the
configuration stays on its branch; the measure only touches zero. So minima of its size are located
as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import scipy

from mbcore.equations.equations import Equations
from mbcore.equations.implicit_forces import unsolvable
from mbcore.equations.tolerances import (
    BLAMED,
    DEEP,
    HEADING,
    LIMIT_BISECTIONS,
    NEARLY_SINGULAR,
    PARTS_OF_STEP,
    STEADY,
    TURNS,
)
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.model.errors import ConfigurationError, SimulationError

if TYPE_CHECKING:
    from mbcore.integrators.steps import EqualSteps

SUSPECT = 0.5
"""Part of its largest below which a measure makes a step of methods without error test doubtful."""
HALVES_DIFFER = 0.1
"""Part of a step's change by which two half steps may end elsewhere there. A pendulum that is led
past a singular place unseen differs by half of it, regular mechanisms that were tried by 0.06."""


class SingularityError(ConfigurationError):
    """A motion has reached a singular configuration.

    Attributes
    ----------
    time : float
        When, s.
    block : int
        Which measure of `Equations.conditioning_names` is smallest.
    size : float
        How small it is, in parts of the largest it has had.
    ahead : bool
        Whether it is only expected in the next step, from how the measure decreases.
    """

    def __init__(
        self, message: str, time: float, block: int, size: float, ahead: bool = False
    ) -> None:
        super().__init__(message)
        self.ahead = ahead
        self.time, self.block, self.size = time, block, size


class LimitReachedError(SimulationError):
    """A motion has reached a limit of an element, as a wheel that falls flat.

    Attributes
    ----------
    time : float
        When, s.
    """

    def __init__(self, message: str, time: float) -> None:
        super().__init__(message)
        self.time = time


Reached: TypeAlias = SingularityError | LimitReachedError
"""End of a motion inside a step."""

Between = Callable[[float], np.ndarray]


def find_singularity(
    run: MovingPoint,
    between: Between,
    before: float,
    after: float,
    uncertainty: float,
    look_inside: bool,
) -> Reached | None:
    """Return the singularity inside a step, a limit reached, or None.

    Where neighbouring trial points, the ends among them, are at most half a step apart, a measure
    that goes straight to zero is at most half of its largest at one of them. The interpolant, which
    may take further evaluations, is asked for only where they make the step suspect.

    Parameters
    ----------
    run : MovingPoint
        Accepted at the beginning of the step.
    between : callable
        State at a time in the step; at its end, without an interpolant.
    before, after : float
        Ends of the step, s.
    uncertainty : float
        Uncertainty of a vanishing measure, relative to its largest value.
    look_inside : bool
        Whether the method has no trial points inside its steps, so that the middle is one.
    """
    conditioning = run.evaluation.conditioning
    if not conditioning.scale.size:
        return None
    try:
        if look_inside:
            run.move(0.5 * (before + after), between(0.5 * (before + after)))
        run.move(after, between(after))
    except ConfigurationError as error:
        limit = conditioning.nearest_limit(conditioning.lowest)
        if limit is not None:
            floor = NEARLY_SINGULAR * float(conditioning.scale[limit])
            time = _first_below(_size_of(run, between, limit), floor, before, after)
            return limit_reached(run, time, limit)
        block, size = conditioning.smallest(conditioning.lowest)
        if size > 0.5:
            raise error
        # A step may be long where nothing is integrated, and its end far beyond.
        measure, scale = _size_of(run, between, block), float(conditioning.scale[block])
        time = _first_below(measure, NEARLY_SINGULAR * scale, before, after)
        return singularity(run, time, block, measure(time) / max(scale, 1e-300))
    suspect = conditioning.lowest < STEADY * conditioning.highest
    suspect |= conditioning.lowest < NEARLY_SINGULAR * conditioning.scale
    for i in np.flatnonzero(suspect):
        found = _dip(run, between, before, after, int(i), uncertainty)
        if found is not None:
            return found
    return None


def _dip(
    run: MovingPoint,
    between: Between,
    before: float,
    after: float,
    block: int,
    uncertainty: float,
) -> Reached | None:
    """Seek the smallest size of a block's measure in a step; return it where it is not a size."""
    evaluation = run.evaluation
    size = _size_of(run, between, block)
    times = np.linspace(before, after, PARTS_OF_STEP + 1)
    sizes = np.array([size(t) for t in times])
    k = int(np.argmin(sizes))
    time, smallest = float(times[k]), float(sizes[k])
    if smallest > 0:
        bounds = (float(times[max(k - 1, 0)]), float(times[min(k + 1, PARTS_OF_STEP)]))
        least = scipy.optimize.minimize_scalar(
            size, bounds=bounds, method="bounded", options={"xatol": 1e-9 * (after - before)}
        )
        if least.fun < smallest:
            time, smallest = float(least.x), float(least.fun)
    scale = float(evaluation.conditioning.scale[block])
    turns = smallest < TURNS * float(min(sizes[0], sizes[-1]))
    deep = smallest < DEEP * float(max(sizes[0], sizes[-1])) or smallest < uncertainty * scale
    if (
        block < evaluation.conditioning.limits
    ):  # states do not turn back there: its sign is to be trusted
        floor = NEARLY_SINGULAR * scale
        if smallest >= floor:
            return None
        return limit_reached(run, _first_below(size, floor, before, time), block)
    if (turns and deep) or smallest < NEARLY_SINGULAR * scale:
        return singularity(run, time, block, smallest / max(scale, 1e-300))
    return None


def _size_of(run: MovingPoint, between: Between, block: int) -> Callable[[float], float]:
    """Return the size of a measure at a time, zero where there is no configuration."""

    def size(t: float) -> float:
        try:
            run.move(t, between(t))
        except ConfigurationError:
            return 0.0
        return abs(float(run.evaluation.conditioning_measures()[block]))

    return size


def _first_below(size: Callable[[float], float], floor: float, low: float, high: float) -> float:
    """Return when a size falls below a floor between two times, by bisection."""
    for _ in range(LIMIT_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if size(middle) >= floor else (low, middle)
    return high


def singularity(run: MovingPoint, time: float, block: int, size: float) -> SingularityError:
    """Return the error that names the singular block and the time."""
    e = run.evaluation.equations
    law = unsolvable(e.conditioning_names[block])
    if law is not None:
        return SingularityError(f"{e.name}: at t = {time:.9g} {law}", time, block, size)
    return SingularityError(
        f"{e.name}: the motion reaches a singular configuration at t = {time:.9g}: there "
        f"{undetermined(e, block)} (conditioning {size:.2g} of its largest)",
        time,
        block,
        size,
    )


def limit_reached(
    run: MovingPoint, time: float, limit: int, more: str = "", when: str = "at"
) -> LimitReachedError:
    """Return the error that says which limit is reached, and ``when``; ``more`` is a remedy."""
    e = run.evaluation.equations
    record = e.requirements[e.followed[limit]]
    return LimitReachedError(
        f"{e.name}: {record.name} is reached {when} t = {time:.9g}: {record.message}{more}", time
    )


def undetermined(equations: Equations, block: int) -> str:
    """Return the words that a block, beside a single degree of freedom, is singular."""
    what = equations.conditioning_names[block] if block >= 0 else "no block"
    law = unsolvable(what)
    if law is not None:
        return law
    dofs = [q.name for q in equations.assembly.independent]
    verb = "do" if "," in what else "does"
    beside = f" beside the degree of freedom {dofs[0]}" if len(dofs) == 1 else ""
    if beside and dofs[0] in what.split(", "):
        beside = ""
    return f"{what}{beside} {verb} not determine the motion any more"


def approach(run: MovingPoint, rates: np.ndarray, h: float) -> Reached | None:
    """Return the singularity that a method without error test may not step across: a singular
    place or a limit.

    Parameters
    ----------
    run : MovingPoint
        At an accepted point.
    rates : ndarray, shape (nr,)
        Rates of the measures' sizes, 1/s.
    h : float
        Length of the next step, s.
    """
    sizes = run.evaluation.conditioning.accepted
    reached = np.flatnonzero(sizes + HEADING * h * rates <= 0)
    if not reached.size:
        return None
    limits = reached[reached < run.evaluation.conditioning.limits]
    reached = limits if limits.size else reached
    block = int(reached[np.argmin(sizes[reached] / -rates[reached])])
    time = run.evaluation.accepted_time + float(sizes[block] / -rates[block])
    if block < run.evaluation.conditioning.limits:
        return limit_reached(run, time, block, "; or take smaller steps")
    size = float(sizes[block] / max(run.evaluation.conditioning.scale[block], 1e-300))
    found = singularity(run, time, block, size)
    return SingularityError(f"{found}, or take smaller steps", time, block, size, ahead=True)


def doubt(run: MovingPoint, solver: EqualSteps) -> SingularityError | None:
    """Return what makes a step of a method without error test worthless, or None.

    It is asked where a measure is small only, for it costs two more steps.
    """
    conditioning = run.evaluation.conditioning
    block, size = conditioning.smallest(conditioning.lowest)
    if size >= SUSPECT:
        return None
    part = solver.disagreement()
    if part <= HALVES_DIFFER:
        return None
    e, h = run.evaluation.equations, solver.t - solver.t_old
    return SingularityError(
        f"{e.name}: the motion nears a singular configuration at t = {solver.t_old:.9g}: the step "
        f"of {h:.6g} s and two half ones end {part:.2g} of its change apart, where "
        f"{undetermined(e, block)} (conditioning {size:.2g} of its largest): take smaller steps",
        float(solver.t_old),
        block,
        size,
        ahead=True,
    )


TIGHT = "the motion is singular there, or the tolerance too tight for rounding: loosen it"


class StuckError(SimulationError):
    """No step can be made, however short.

    Attributes
    ----------
    text : str
        What has happened, without advice.
    """

    def __init__(self, text: str, advice: str = "") -> None:
        super().__init__(f"{text}; {advice}" if advice else text)
        self.text = text

    @classmethod
    def of_both(cls, error: StuckError) -> StuckError:
        """Return the error where steps of the other kind were tried, too."""
        return cls(error.text, f"explicit and implicit steps were tried; {TIGHT}")


def stuck(run: MovingPoint, time: float, message: str | None, implicit: bool = False) -> Exception:
    """Return the advice where no step of an explicit or implicit method can be made."""
    e = run.evaluation
    limit = e.conditioning.nearest_limit(e.conditioning.lowest)
    if limit is not None:
        return limit_reached(run, time, limit, when="after")
    block, size = e.conditioning.smallest(e.conditioning.lowest)
    if size < BLAMED:
        return singularity(run, time, block, size)
    advice = TIGHT if implicit else "the motion is singular or stiff there, try an implicit method"
    text = f"{e.equations.name}: the step became too small at t = {time:.9g} ({message})"
    if (massless := e.vanished_mass()) is not None:
        return run.failure or SimulationError(f"{text}; {massless}")
    return run.failure or StuckError(text, advice)
