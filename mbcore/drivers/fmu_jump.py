"""How an event of an FMU passes the derivatives of its motion: the saltation matrix.

At an event of the indicator g the state jumps from s⁻ to s⁺ = R(s⁻, t), and its rate from f⁻ to
f⁺. A change y before it shifts the event by τ = -g_s y/ġ, and leaves R_s (y + f⁻ τ) + R_t τ - f⁺ τ
behind it. The first two terms, along the event's surface, come by differences of the FMU's own
update, from its saved state. Where no state changes, R is the identity.
`mbcore.drivers.fmu_motion` uses it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbcore.drivers.differences import CENTRAL
from mbcore.drivers.fmu_point import FmuPoint
from mbcore.fmi.running.instance import Saved
from mbcore.model.errors import SimulationError

LARGEST = 1e7
"""Entry of a saltation matrix, in nominal values, above which the event counts as grazing."""
TOGETHER = 1e-6
"""Relative difference up to which indicators agree on the time of an event."""
BEHIND = (1e-10, 1e-8, 1e-6)
"""Distances behind the surface, in nominal values, of neighbours whose updates are compared."""
BESIDE = 1e-4
"""Step of differences of the update, in nominal values."""
MEETINGS = 3
"""Newton steps to the time at which a neighbour meets the surface."""
LATER = 1e-6
"""Time, relative to that of nominal changes, of the difference that gives an indicator's rate."""


class NoDerivativeError(SimulationError):
    """An event of an FMU has no derivative, or none that can be found."""


@dataclass(frozen=True)
class Jump:
    """An event that has been passed.

    Attributes
    ----------
    state : ndarray, shape (ns,)
        Behind it.
    matrix : ndarray, shape (ns, ns), or None
        The saltation matrix; None where it is not wanted, or the identity.
    shifted : bool
        Whether the states shift the event.
    """

    state: np.ndarray
    matrix: np.ndarray | None
    shifted: bool


def jump(
    point: FmuPoint, t: float, x: np.ndarray, signs: np.ndarray, wanted: bool, timed: bool
) -> Jump:
    """Process the event at a time, s, and states, (ns,); return what becomes of them.

    Parameters
    ----------
    point : FmuPoint
        The FMU, in the modes before the event.
    t : float
        s.
    x : ndarray, shape (ns,)
        States.
    signs : ndarray, shape (nz,)
        Of the indicators before.
    wanted : bool
        Whether the saltation matrix is wanted.
    timed : bool
        Whether the time of the event is given.

    Raises
    ------
    NoDerivativeError
        It has no derivative, because it grazes or comes together with another one by chance, or
        because the FMU cannot save its state.
    """
    if not wanted:
        return Jump(_passed(point, t, x), None, not timed)
    before = point.rates_at(t, x)
    fired = [] if timed else [i for i in _fired(point, t, x, signs)]
    late = _shift(point, t, x, before, fired)
    saved = point.saved() if point.saves_state else None
    try:
        state = _passed(point, t, x)
        changed = not np.array_equal(state, x)
        if not changed:
            reset = np.eye(x.size) - np.outer(before, late)
        elif saved is None:
            raise NoDerivativeError(
                f"FMU {point.name}: the event at t = {t:.9g} s changes states, and the FMU cannot "
                "save its state (canGetAndSetFMUstate), so the derivative of the change is unknown"
            )
        else:
            after, expected = point.saved(), point.next_event
            reset = _reset(point, t, x, saved, before, late, fired, signs)
            point.restore(after)
            point.forget(after)
            point.expect(expected)
        rates = point.rates_at(t, state)
    finally:
        if saved is not None:
            point.forget(saved)
    matrix = reset + np.outer(rates, late)
    size = np.abs(np.outer(rates - before, late)) * point.nominal / point.nominal[:, None]
    # Written so that NaN is refused as well.
    if not float(size.max(initial=0.0)) <= LARGEST:
        raise NoDerivativeError(
            f"FMU {point.name}: the motion only grazes an event at t = {t:.9g} s, where it "
            "has no derivative with respect to the start; change the motion a little"
        )
    return Jump(state, matrix, bool(fired))


def _passed(point: FmuPoint, t: float, x: np.ndarray) -> np.ndarray:
    point.place(t, x)
    return point.pass_event()


def _fired(point: FmuPoint, t: float, x: np.ndarray, signs: np.ndarray) -> list[int]:
    now = np.where(point.indicators_at(t, x) > 0, 1.0, -1.0)
    return [int(i) for i in np.flatnonzero(now != signs)]


def _shift(
    point: FmuPoint, t: float, x: np.ndarray, rates: np.ndarray, fired: list[int]
) -> np.ndarray:
    """Return the row g_s/ġ: by how much sooner the event comes for each change of the states.

    Raises
    ------
    NoDerivativeError
        Several indicators disagree on it.
    """
    found = []
    for which in fired:
        slope = point.indicator_slopes(t, x, which)
        pace = np.abs(rates) / point.nominal
        h = LATER / max(float(pace.max(initial=0.0)), 1.0)
        later = point.indicators_at(t + h, x)[which] - point.indicators_at(t - h, x)[which]
        with np.errstate(divide="ignore", invalid="ignore"):
            found.append(slope / (slope @ rates + later / (2 * h)))
    point.place(t, x)
    if not found:
        return np.zeros(x.size)
    off = np.abs(np.array(found) - found[0]) * point.nominal
    if not off.max() <= TOGETHER * (np.abs(found[0]) * point.nominal).max():
        raise NoDerivativeError(
            f"FMU {point.name}: {len(fired)} event indicators change sign together at t = "
            f"{t:.9g} s by chance; a small change separates them, so there is no derivative; "
            "change the motion a little"
        )
    return np.asarray(found[0])


def _reset(
    point: FmuPoint,
    t: float,
    x: np.ndarray,
    saved: Saved,
    rates: np.ndarray,
    late: np.ndarray,
    fired: list[int],
    signs: np.ndarray,
) -> np.ndarray:
    """Return how a change of the states before the event passes its update, shape (ns, ns).

    Each neighbour goes on with the rates before the event until its own indicator vanishes.
    """
    size, columns = point.nominal, np.zeros((x.size, x.size))
    pace = max(float((np.abs(rates) / size).max(initial=0.0)), 1e-300)
    for behind in BEHIND:
        for i in range(x.size):
            ends = []
            for at, weight in CENTRAL:
                point.restore(saved)
                change = np.zeros(x.size)
                change[i] = at * BESIDE * size[i]
                after = -late[i] * change[i]
                if fired:
                    after = _meeting(point, t, x + change, rates, after, fired[0]) + behind / pace
                place = x + change + after * rates
                if not np.isfinite(place).all():
                    break
                if fired and not _is_past(point, t + after, place, fired, signs):
                    break
                ends.append(weight * _passed(point, t + after, place))
            if len(ends) < len(CENTRAL):
                break
            columns[:, i] = np.sum(ends, axis=0) / (BESIDE * size[i])
        else:
            return columns
    raise NoDerivativeError(
        f"FMU {point.name}: the event at t = {t:.9g} s changes states and lies on a surface too "
        "curved for differences; its derivative is unknown"
    )


def _meeting(
    point: FmuPoint, t: float, x: np.ndarray, rates: np.ndarray, first: float, which: int
) -> float:
    """Return when, after t in s, an indicator vanishes on the line of these rates, near a guess."""

    def indicator(after: float) -> float:
        return float(point.indicators_at(t + after, x + after * rates)[which])

    step = LATER / max(float((np.abs(rates) / point.nominal).max(initial=0.0)), 1.0)
    slope = (indicator(first + step) - indicator(first - step)) / (2 * step)
    after = first
    for _ in range(MEETINGS):
        after -= indicator(after) / slope
    return after


def _is_past(point: FmuPoint, t: float, x: np.ndarray, fired: list[int], signs: np.ndarray) -> bool:
    now = np.where(point.indicators_at(t, x) > 0, 1.0, -1.0)
    return bool((now[fired] != signs[fired]).all())
