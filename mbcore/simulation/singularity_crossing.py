"""Crossing of a singular configuration of the mechanism itself, along its motion.

Where a mechanism's own constraints become dependent (a flat parallelogram), no choice of
coordinates helps, and two motions go on from there. A mechanism that arrives with a velocity goes
on smoothly: its coordinates are extrapolated as functions of time, and beyond the singular
configuration Newton's iteration starts from there, on the branch where determinants have changed
sign. One step of order 8 spans it, none of whose stages lies near the middle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy

from mbcore.equations.tolerances import PASSED_FROM, PASSED_TO
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.singularities import LimitReachedError, SingularityError, limit_reached
from mbcore.integrators.methods.dop853 import TABLEAU
from mbcore.integrators.tableau import floats
from mbcore.model.errors import ConfigurationError

if TYPE_CHECKING:
    from scipy.integrate import DenseOutput

STAGES = np.array([*sorted({*floats(TABLEAU.c).tolist()}), 1.0])
"""Positions of the stages in a step."""
SPANS = (1.2, 4.0)
"""Lengths of the step, in parts of the time to the singular configuration."""
TRIALS = 6
"""Number of lengths that are tried."""
NEARER = 0.7
"""Part of the way that is left where an inaccurate step is tried again: not less, for nearer to the
singular configuration rounding grows with the third power."""
BEGINNINGS = 7
"""Number of starting points that are tried."""
FOLLOWED = 200
"""Largest number of steps that sample the motion before the singularity."""
NODES = 9
DEGREE = 5
"""Points and degree of the polynomials by which coordinates are extrapolated."""
TIGHT = {"rtol": 1e-12, "atol": 1e-13}


class SingularityCrossing:
    """A step across a singular configuration, begun at an accepted point before it.

    Parameters
    ----------
    run : MovingPoint
        Motion, at an accepted point near the singular configuration.
    earliest : float
        Time before which nothing is known, s.
    previous : SingularityCrossing or None
        The one that ended at ``earliest``, if any: the motion was smooth through it, too.

    Raises
    ------
    SingularityError
        Where the velocity does not determine the motion beyond.
    """

    def __init__(
        self,
        run: MovingPoint,
        stopped: SingularityError,
        earliest: float,
        previous: SingularityCrossing | None = None,
    ) -> None:
        self._run, self._stopped, self._previous = run, stopped, previous
        e = run.evaluation
        self._begin = float(e.t[0])
        self._scale = e.conditioning.scale.copy()
        self._side = np.sign(e.conditioning_measures())
        self._pieces: list[DenseOutput] = []
        self._history(earliest)
        self.before = self._begin
        self.after = self._begin
        self._zeros = self._crossings()
        self._dense: DenseOutput | None = None

    def _refusal(self, why: str) -> SingularityError:
        p = self._stopped
        return SingularityError(f"{p}; {why}", p.time, p.block, p.size)

    def _history(self, earliest: float) -> None:
        """Go to where the blocks are regular and not far, and learn how the coordinates move."""
        run, e = self._run, self._run.evaluation
        rate = self._approach()
        measures = np.abs(e.conditioning_measures()) / self._scale
        if not rate.min() < 0:
            raise self._refusal("the motion turns away from it: its velocity decides nothing there")
        times_left = np.where(rate < 0, measures / np.maximum(-rate, 1e-300), np.inf)
        block = int(np.argmin(times_left))  # another one may be smaller, and vanish later
        distance = float(times_left[block])
        wanted = PASSED_FROM / -rate[block]
        length = max(3 * wanted, 2 * distance)
        here, state = self._begin, e.s.copy()
        back = min(length, here - earliest)
        known = self._known_before(here - length) if back < length else []
        if not (back > 0 or known):
            raise self._refusal("nothing is known of how the motion came there")
        early = here - max(back, 0.0)
        late = here - max(0.0, min(wanted - distance, 0.5 * (here - early)))
        self._follow(state, early)
        nodes = early + (late - early) * (1 - np.cos(np.linspace(0, np.pi, NODES))) / 2
        rows = []
        for t in nodes[::-1] if late > early else [here]:
            run.move(float(t), self._state_at(float(t), here, state))
            rows.append((float(t), np.concatenate([e.x, e.conditioning_measures()])))
        self.known = known + rows[::-1]
        times = np.array([t for t, _ in self.known])
        self._middle, self._half = (times[0] + late) / 2, (late - times[0]) / 2
        scaled = (times - self._middle) / self._half
        table = np.array([row for _, row in self.known])
        self._fit = np.polynomial.chebyshev.chebfit(scaled, table, DEGREE)
        self._distance = distance + here - late
        self._go_to(late, self._state_at(late, here, state))

    def _known_before(self, earliest: float) -> list[tuple[float, np.ndarray]]:
        """Times with coordinates and measures before the last passage, if they tell of this one.

        An event since then lets the motion go on with other rates.
        """
        last = self._previous
        if last is None or last._run is not self._run:
            return []
        if any(t >= last.before for t, _ in self._run.events):
            return []
        late = sum(t >= earliest for t, _ in last.known)
        return last.known[-max(late, DEGREE + 1) :]

    def _follow(self, state: np.ndarray, end: float) -> None:
        """Follow the motion from here to a time on this side of the singular configuration."""
        if end == self._begin:
            return
        way = scipy.integrate.DOP853(self._derivative, self._begin, state, end, **TIGHT)
        for _ in range(FOLLOWED):
            try:
                way.step()
            except ConfigurationError:
                break
            if way.status == "failed":
                break
            self._pieces.append(way.dense_output())
            if way.status == "finished":
                return
        raise self._refusal("the motion near it cannot be followed")

    def _state_at(self, t: float, here: float, state: np.ndarray) -> np.ndarray:
        if t == here:
            return state
        piece = next(p for p in self._pieces if p.t_min <= t <= p.t_max)
        return np.asarray(piece(t))

    def _go_to(self, t: float, state: np.ndarray) -> None:
        """Let the step begin at a point on this side."""
        e = self._run.evaluation
        self._run.move(t, state)
        e.accept()
        self._begin, self._state = t, state.copy()
        here = np.concatenate([e.x, e.conditioning_measures()])
        self._fit[0] += here - self._extrapolated(t)  # its first term is constant

    def _approach(self) -> np.ndarray:
        """Rates of the measures' sizes, by a short way back."""
        run, e = self._run, self._run.evaluation
        t, s, x = float(e.t[0]), e.s.copy(), e.x.copy()
        rate = e.derivative().copy()
        now = np.abs(e.conditioning_measures())
        speed = np.abs(rate) / (1e-3 + np.abs(s))
        step = 1e-7 / max(float(speed.max(initial=0.0)), 1e-3)
        run.move(t - step, s - step * rate)
        before = np.abs(e.conditioning_measures())
        run.move(t, s)
        e.x[:] = x
        return np.asarray((now - before) / step / self._scale)

    def _extrapolated(self, t: float) -> np.ndarray:
        at = (t - self._middle) / self._half
        return np.asarray(np.polynomial.chebyshev.chebval(at, self._fit))

    def _crossings(self) -> np.ndarray:
        """Times from the beginning to where measures vanish, s."""
        n = self._run.evaluation.x.size
        times = self._begin + np.linspace(0, max(5 * self._half, 3 * self._distance), 2001)
        values = np.array([self._extrapolated(t)[n:] for t in times])
        crossed = np.flatnonzero(np.any(values[1:] * values[:-1] <= 0, axis=1))
        if not crossed.size:
            raise self._refusal("its velocity does not decide how the motion goes on")
        return np.asarray(times[crossed + 1] - self._begin)

    def _spans(self) -> list[float]:
        """Lengths of the step beyond the first zero, those first whose stages avoid all zeros."""
        spans = self._zeros[0] * np.linspace(*SPANS, 200)
        gaps = np.abs(spans[:, None, None] * STAGES[:, None] - self._zeros).min(axis=(1, 2))
        found: list[float] = []
        for i in np.argsort(-gaps):
            if all(abs(spans[i] - other) > 0.2 * self._zeros[0] for other in found):
                found.append(float(spans[i]))
        return found[:TRIALS]

    def _derivative(self, t: float, s: np.ndarray) -> np.ndarray:
        self._run.calls += 1
        self._run.move(t, s)
        return self._run.evaluation.derivative().copy()

    def _predict(self, t: float) -> np.ndarray:
        return self._extrapolated(t)[: self._run.evaluation.x.size]

    def go(self) -> None:
        """Make the step; the point beyond is to be accepted by ``end``.

        Raises
        ------
        SingularityError
            Where no configuration beyond continues the motion, or not accurately.
        """
        inaccurate = False
        for beginning in range(BEGINNINGS):
            if beginning:
                self._go_nearer()
            self._run.predict = self._predict
            for span in self._spans():
                self.after = self.before + span
                try:
                    if self._step():
                        return
                    inaccurate = True
                except ConfigurationError:
                    continue
            self._run.predict = None
            self._run.evaluation.return_to_accepted()
            if not inaccurate:
                break
        if inaccurate:
            raise self._refusal(f"no step across it has an error below {PASSED_TO:.0e}")
        raise self._refusal("no configuration beyond continues the motion")

    def _go_nearer(self) -> None:
        """Begin nearer to the singular configuration."""
        way = (1 - NEARER) * float(self._zeros[0])
        end = self._begin + way
        self._follow(self._state, end)
        self._go_to(end, np.asarray(self._pieces[-1](end)))
        self.before = self._begin
        self._zeros = self._zeros - way

    def _step(self) -> bool:
        """Make one step of order 8; return whether its error is small."""
        solver = scipy.integrate.DOP853(
            self._derivative,
            self.before,
            self._state,
            self.after,
            first_step=self.after - self.before,
            rtol=PASSED_TO,
            atol=PASSED_TO,
        )
        solver.step()
        if solver.t != self.after:
            return False
        self._dense = solver.dense_output()
        self._run.move(self.after, solver.y)
        return True

    def limit_beyond(self) -> LimitReachedError | None:
        """Return the first limit that the motion has reached on the way, at its end, or None."""
        e = self._run.evaluation
        n, beyond = e.x.size, e.conditioning_measures()
        found = None
        for i in range(e.conditioning.limits):
            if not beyond[i] * self._side[i] > 0:

                def measure(t: float, i: int = i) -> float:
                    return float(self._extrapolated(t)[n + i])

                crosses = measure(self.before) * measure(self.after) < 0
                t = (
                    scipy.optimize.brentq(measure, self.before, self.after)
                    if crosses
                    else self.after
                )
                if found is None or t < found.time:
                    found = limit_reached(self._run, float(t), i)
        return found

    def end(self) -> None:
        """Go on from the point beyond as from any other."""
        run, e = self._run, self._run.evaluation
        run.predict = None
        e.accept()

    def between(self, t: float) -> np.ndarray:
        """Return the state at a time in the step, or on the way to it."""
        assert self._dense is not None
        if t >= self.before:
            return np.asarray(self._dense(t))
        return np.asarray(next(p for p in self._pieces if p.t_min <= t <= p.t_max)(t))
