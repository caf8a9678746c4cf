"""Shooting in segments: the states at the beginnings of several segments are unknown together.

Each segment is integrated from its own state, in the modes in which the one before ended, and must
end where the next one begins; the last one where the first begins, after the advance of a period.
Errors grow over a segment only, so that motions are found which neighbours leave quickly. The
multipliers come from the segments' own derivatives, by `mbcore.periodic.product_eigenvalues`. Only
`mbcore.periodic.periodic` uses it, and continuation does without.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mbcore.model.errors import ConfigurationError, SimulationError
from mbcore.periodic.flow import Trajectory
from mbcore.periodic.shooting import Shooting
from mbcore.periodic.shooting_point import ShootingPoint
from mbcore.results.fourier_signal import Signal

BESIDE_EVENT = 0.1
"""Distance from an event, in segments, in which none shall begin."""
FAR = 1e3
"""Distance from the start, in nominal values, up to which a motion is a guess."""
ASIDE = 0.25
"""By how much the beginning is moved then, in segments."""


class MultipleShooting:
    """The equations whose zeros are states of a periodic motion at several times.

    Parameters
    ----------
    shooting : Shooting
        The equations for the start alone.
    segments : int
        Number of segments, 2 or more.
    known : mapping of str to Signal
        A motion nearby, over the guess of the period; where it lacks a state, that from the start.

    Attributes
    ----------
    single : Shooting
        The equations for the start alone, which tell all that does not depend on segments.
    unknowns : ndarray, shape (n,)
        The guess: unknown states at the beginning of each segment in parts of their nominal values,
        then the period in parts of its guess where it is unknown.
    """

    def __init__(
        self, shooting: Shooting, segments: int, known: Mapping[str, Signal] | None = None
    ) -> None:
        self.single, self.count = shooting, segments
        self._known = {} if known is None else known
        self._places = np.linspace(0.0, 1.0, segments + 1)
        self.unknowns = shooting.unknowns

    def begin(self, unknowns: np.ndarray) -> np.ndarray:
        """Return the guess, (n,), from unknowns of the start alone, by following the motion.

        Where that leads far away, all segments begin at the start. None begins close to an event,
        where a small change of the state is a large one.
        """
        single = self.single
        period, start = single.period_of(unknowns), single.start_of(unknowns)
        signals = [self._known.get(name) for name in single.flow.names]
        self._places = np.linspace(0.0, 1.0, self.count + 1)
        if all(signal is not None for signal in signals):
            nodes = np.array([signal(self._places[:-1] * period) for signal in signals if signal]).T
            self._known = {}
            return self._vector(nodes, unknowns)
        try:
            found = self._follow(start, period)
            moved = self._moved([time / period for time, _ in Trajectory.joined(found).events])
            if not np.array_equal(moved, self._places):
                self._places = moved
                found = self._follow(start, period)
        except (ConfigurationError, SimulationError):
            return self._vector(np.tile(start, (self.count, 1)), unknowns)
        nodes = np.array([start, *(segment.state for segment in found[:-1])])
        far = np.abs(nodes - start)[:, single.felt] / single.nominal
        if not float(far.max()) < FAR:
            nodes = np.tile(start, (self.count, 1))
        return self._vector(nodes, unknowns)

    def _follow(self, start: np.ndarray, period: float) -> tuple[Trajectory, ...]:
        times = self._places * period
        return tuple(self.single.flow.through(start[None], times, derivative=False))

    def _moved(self, events: list[float]) -> np.ndarray:
        """Return the ends of segments, of which those beside ``events`` are moved aside."""
        places = self._places.copy()
        for k in range(1, self.count):
            if any(abs(places[k] - event) * self.count < BESIDE_EVENT for event in events):
                places[k] += ASIDE / self.count
        return places

    def _vector(self, nodes: np.ndarray, unknowns: np.ndarray) -> np.ndarray:
        single = self.single
        own = (nodes[:, single.felt] / single.nominal).ravel()
        return np.concatenate([own, unknowns[len(single.felt) :]])

    def _first(self, unknowns: np.ndarray) -> np.ndarray:
        """Return the unknowns of the start alone."""
        n = len(self.single.felt)
        return np.concatenate([unknowns[:n], unknowns[n * self.count :]])

    def settled(self, unknowns: np.ndarray, periods: int) -> np.ndarray:
        """Return the unknowns of the start alone, of the state some periods later."""
        return self.single.settled(unknowns, periods)

    def anchor(self, unknowns: np.ndarray) -> None:
        """Set the phase condition by these unknowns, (n,), at the start."""
        self.single.anchor(self._first(unknowns))

    def at(self, unknowns: np.ndarray) -> ShootingPoint:
        """Return residual and derivatives at unknowns, (n,).

        Raises
        ------
        ConfigurationError, SimulationError
            If the motion cannot be followed over a segment.
        """
        single, n = self.single, len(self.single.felt)
        first = self._first(unknowns)
        period = single.period_of(first)
        if not period > 0:
            raise SimulationError(f"{single.equations.name}: the period became {period:.6g} s")
        starts = np.tile(single.start_of(first), (self.count, 1))
        starts[:, single.felt] = unknowns[: n * self.count].reshape(-1, n) * single.nominal
        single.evaluations += 1
        found = single.flow.through(starts, self._places * period)
        whole = Trajectory.joined(found)
        # of the start alone: the closing condition, the phase, and the memory of modes
        closing = single.point_of(whole, first)
        return ShootingPoint(
            self._residual(found, starts, closing),
            self._jacobian(found, closing),
            None,
            whole,
            period,
            closing.jacobian,
        )

    def _residual(
        self, found: tuple[Trajectory, ...], starts: np.ndarray, closing: ShootingPoint
    ) -> np.ndarray:
        """Return by how much segments miss the next one's begin, the last one that of a period."""
        felt, nominal = self.single.felt, self.single.nominal
        missed = [
            (segment.state - start)[felt] / nominal
            for segment, start in zip(found[:-1], starts[1:], strict=True)
        ]
        return np.concatenate([*missed, closing.residual])

    def _jacobian(self, found: tuple[Trajectory, ...], closing: ShootingPoint) -> np.ndarray:
        single, n = self.single, len(self.single.felt)
        scaled = single.nominal / single.nominal[:, None]
        size = n * self.count
        matrix = np.zeros((size + len(closing.residual) - n, size + len(closing.residual) - n))
        for k, segment in enumerate(found):
            assert segment.derivative is not None
            rows, own = slice(k * n, (k + 1) * n), slice(k * n, (k + 1) * n)
            after = (k + 1) % self.count * n
            matrix[rows, own] += segment.derivative[np.ix_(single.felt, single.felt)] * scaled
            matrix[rows, after : after + n] -= np.eye(n)
            if single.autonomous:
                matrix[rows, -1] = self._by_period(found, k)
        if single.autonomous:
            matrix[-1, :n] = closing.jacobian[-1, :n]
        return matrix

    def _by_period(self, found: tuple[Trajectory, ...], k: int) -> np.ndarray:
        """Return the change of a segment's end by the period, in parts of its guess."""
        single = self.single
        share = float(self._places[k + 1] - self._places[k])
        rate = found[k].rate[single.felt] / single.nominal
        return np.asarray(single.period_guess * share * rate)
