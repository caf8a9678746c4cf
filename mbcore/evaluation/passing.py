"""Through a singular configuration of the mechanism itself, along its motion.

Where a mechanism's own constraints become dependent (a flat parallelogram), no choice of
coordinates helps, and two motions go on from there. A mechanism that arrives with a velocity goes
on smoothly: its coordinates are extrapolated as functions of time, and beyond the singular
configuration Newton's iteration starts from there, on the branch where determinants have changed
sign. One step of order 8 spans it, none of whose stages lies near the middle.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import DOP853, DenseOutput

from mbcore.equations.tolerances import PASSED_FROM, PASSED_TO
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.evaluation.passage import SingularPassageError
from mbcore.model.errors import ConfigurationError

STAGES = np.append(np.unique(DOP853.C), 1.0)
"""Places of stages in a step."""
SPANS = (1.2, 4.0)
"""Lengths of the step, in parts of the time to the singular configuration."""
TRIALS = 6
"""Lengths that are tried."""
NODES = 9
DEGREE = 5
"""Points and degree of the polynomials by which coordinates are extrapolated."""
TIGHT = {"rtol": 1e-13, "atol": 1e-14}


class Passing:
    """A step across a singular configuration, begun at an accepted point before it.

    Parameters
    ----------
    run : MovingPoint
        Accepted near the singular configuration.
    earliest : float
        Time before which nothing is known, s.

    Raises
    ------
    SingularPassageError
        Where the velocity does not decide how the motion goes on.
    """

    def __init__(self, run: MovingPoint, stopped: SingularPassageError, earliest: float) -> None:
        self._run, self._stopped = run, stopped
        e = run.evaluation
        self._begin = float(e.t[0])
        self._scale = e.watch.scale.copy()
        self._history(earliest)
        self.before = self._begin
        self.after = self._begin
        self._zeros = self._crossings()
        self._dense: DenseOutput | None = None

    def _refusal(self, why: str) -> SingularPassageError:
        p = self._stopped
        return SingularPassageError(f"{p}; {why}", p.time, p.block, p.size)

    def _history(self, earliest: float) -> None:
        """Go back to where the blocks are regular, and learn how the coordinates move."""
        run, e = self._run, self._run.evaluation
        rate = self._approach()
        measures = np.abs(e.regularity()) / self._scale
        block = int(np.argmin(measures))
        if not rate[block] < 0:
            raise self._refusal("the motion turns away from it: its velocity decides nothing there")
        distance = float(measures[block] / -rate[block])
        wanted = PASSED_FROM / -rate[block]
        back = min(max(3 * wanted, 2 * distance), self._begin - earliest)
        state = e.s.copy()
        if not back > 0:
            raise self._refusal("nothing is known of how the motion came there")
        past = DOP853(self._derivative, self._begin, state, self._begin - back, **TIGHT)
        pieces: list[DenseOutput] = []
        while past.status == "running":
            if past.step() is not None or past.status == "failed":
                raise self._refusal("the motion before cannot be followed back")
            pieces.append(past.dense_output())

        def state_at(t: float) -> np.ndarray:
            piece = next((p for p in pieces if t >= p.t_min), pieces[-1])
            return np.asarray(piece(t))

        late = self._begin - max(0.0, min(wanted - distance, 0.5 * back))
        early = self._begin - back
        nodes = early + (late - early) * (1 - np.cos(np.linspace(0, np.pi, NODES))) / 2
        table = []
        for t in nodes[::-1]:
            run.move(float(t), state if t == self._begin else state_at(float(t)))
            table.append(np.concatenate([e.x, e.regularity()]))
        self._middle, self._half = (early + late) / 2, (late - early) / 2
        scaled = (nodes[::-1] - self._middle) / self._half
        self._fit = np.polynomial.chebyshev.chebfit(scaled, np.array(table), DEGREE)
        run.move(late, state if late == self._begin else state_at(late))
        e.accept()
        self._distance = distance + self._begin - late
        self._begin, self._state = late, e.s.copy()
        here = np.concatenate([e.x, e.regularity()])
        self._fit[0] += here - self._extrapolated(late)  # its first term is constant

    def _approach(self) -> np.ndarray:
        """Rates of the measures' sizes, by a short way back."""
        run, e = self._run, self._run.evaluation
        t, s, x = float(e.t[0]), e.s.copy(), e.x.copy()
        rate = e.derivative().copy()
        now = np.abs(e.regularity())
        speed = np.abs(rate) / (1e-3 + np.abs(s))
        step = 1e-7 / max(float(speed.max(initial=0.0)), 1e-3)
        run.move(t - step, s - step * rate)
        before = np.abs(e.regularity())
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
        SingularPassageError
            Where no configuration beyond continues the motion, or not accurately.
        """
        self._run.predict = self._predict
        for span in self._spans():
            self.after = self.before + span
            try:
                if self._step():
                    return
            except ConfigurationError:
                continue
        self._run.predict = None
        raise self._refusal("no configuration beyond continues the motion")

    def _step(self) -> bool:
        """Make one step of order 8; return whether its error is small."""
        solver = DOP853(
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

    def end(self) -> None:
        """Go on from the point beyond as from any other."""
        run, e = self._run, self._run.evaluation
        run.predict = None
        e.accept()

    def between(self, t: float) -> np.ndarray:
        """Return the state at a time in the step."""
        assert self._dense is not None
        return np.asarray(self._dense(t))


Predict = Callable[[float], np.ndarray]
