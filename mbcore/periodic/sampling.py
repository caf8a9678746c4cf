"""States and outputs of a motion over one period as signals, and the motion itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mbcore.periodic.flow import Flow, Trajectory
from mbcore.periodic.step_polynomial import values_between
from mbcore.periodic.variational import Piece
from mbcore.results.fourier_signal import FourierSignal, Signal
from mbcore.results.motion import Motion
from mbcore.results.piecewise_signal import PiecewiseSignal, places

FEWEST, MOST = 64, 2048
"""Smallest and largest number of equally spaced samples."""
TAIL = 1e-10
"""Size of the highest harmonics, relative to the largest, at which samples suffice."""
ROWS = 100
"""Smallest number of steps between the points of a motion."""
CLOSED = 1e-9
"""Increase of a signal in a period, relative to its largest value, that counts as zero."""
TURNED = 1e-7
"""Relative change of an ignorable state's rate over a period that is significant."""
ROUNDING = 1e-13
"""Size, in parts of the largest value, of harmonics that are rounding errors."""


def sampled(flow: Flow, found: Trajectory, advance: np.ndarray) -> tuple[dict[str, Signal], Motion]:
    """Return all states and outputs of a recorded motion over one period, and the motion.

    They are Fourier series where these converge, and polynomials in pieces where they do not.

    Parameters
    ----------
    advance : ndarray, shape (ns + nm,)
        Increase of each state, and remembered number, in the period.
    """
    equations, period = flow.equations, found.span
    advance = advance[: len(equations.states)]
    records = [(s.name, s.unit) for s in equations.states] + [
        (y.name, y.unit) for y in equations.outputs
    ]
    ends = np.array([p.begin for p in found.pieces] + [found.end])
    parts = 1 + ROWS // len(found.pieces)
    within = np.repeat(np.arange(len(found.pieces)), 1 + parts)
    times = np.linspace(ends[:-1], ends[1:], 1 + parts, axis=1)
    visited = _visited(flow, found.pieces, within, times.ravel())
    at_ends = visited.values
    largest = np.abs(at_ends).max(axis=0)
    rises = np.concatenate([advance, (at_ends[-1] - at_ends[0])[len(equations.states) :]])
    rises[np.abs(rises) <= CLOSED * largest] = 0.0
    once = _once(flow, found, rises)
    smooth = ~once & (not found.events)
    samples = _samples(flow, found, rises, largest, smooth) if smooth.any() else None
    smooth &= samples is not None
    values = np.zeros(0)
    if not smooth.all():
        at = np.array([places(p.begin, p.end) for p in found.pieces])
        within = np.repeat(np.arange(len(at)), at.shape[1])
        values = _visited(flow, found.pieces, within, at.ravel()).values.reshape(*at.shape, -1)
    signals: dict[str, Signal] = {}
    for i, (name, unit) in enumerate(records):
        rise = float(rises[i])
        if samples is not None and smooth[i]:
            signals[name] = FourierSignal.of_samples(samples[:, i], period, unit, rise)
        else:
            signals[name] = PiecewiseSignal.of_steps(
                ends - found.begin, values[:, :, i], period, unit, rise, bool(once[i])
            )
    return signals, visited.motion(flow)


@dataclass(frozen=True)
class _Visited:
    """Points of a motion, one row each: t, s, u, d, x and outputs."""

    t: np.ndarray
    s: np.ndarray
    u: np.ndarray
    d: np.ndarray
    x: np.ndarray
    outputs: np.ndarray

    @property
    def values(self) -> np.ndarray:
        """States and outputs, shape (n, states and outputs)."""
        return np.hstack([self.s, self.outputs])

    def motion(self, flow: Flow) -> Motion:
        """Return the motion through these points."""
        p = flow.point.p.copy()
        return Motion(flow.equations, p, self.t, self.s, self.u, self.d, self.x)


def _once(flow: Flow, found: Trajectory, rises: np.ndarray) -> np.ndarray:
    """Return which signals do not continue periodically up to a constant.

    They are ignorable states that end at another rate, such as places where the heading has
    changed, and outputs that rise then.
    """
    once = np.zeros(rises.size, bool)
    still, own = list(flow.still), len(flow.equations.states)
    size = np.abs(found.rate) + np.abs(found.start_rate) + flow.nominal / found.span
    once[still] = np.abs(found.rate - found.start_rate)[still] > TURNED * size[still]
    if once.any():
        once[own:] = rises[own:] != 0
    return once


def _samples(
    flow: Flow, found: Trajectory, rises: np.ndarray, largest: np.ndarray, wanted: np.ndarray
) -> np.ndarray | None:
    """Return equally spaced samples, (n, signals), that are enough; None where none are."""
    begins = np.array([p.begin for p in found.pieces])
    period, count = found.span, FEWEST
    while count <= MOST:
        part = np.arange(count) / count
        times = found.begin + period * part
        within = np.searchsorted(begins, times, side="right") - 1
        samples = _visited(flow, found.pieces, within, times).values
        harmonics = np.abs(np.fft.rfft(samples - np.outer(part, rises), axis=0)) / count
        highest = harmonics[-count // 16 :].max(axis=0)
        enough = highest <= np.maximum(TAIL * harmonics.max(axis=0), ROUNDING * largest)
        if np.all(enough[wanted]):
            return samples
        count *= 2
    return None


def _visited(flow: Flow, pieces: Sequence[Piece], within: np.ndarray, t: np.ndarray) -> _Visited:
    """Go through a motion, at times, (n,), that do not fall, within pieces of these numbers."""
    e = flow.point
    s = values_between([piece.between for piece in pieces], within, t)
    rows = np.hstack([t[:, None], s, flow.run.inputs(t)])
    d, visited = np.array([piece.modes for piece in pieces])[within], []
    changes = np.flatnonzero((d[1:] != d[:-1]).any(axis=1)) + 1
    for alike, modes in zip(np.split(rows, changes), d[np.append(0, changes)], strict=True):
        e.d[:] = modes
        visited.append(e.visit(alike))
    x, outputs = (np.vstack(part) for part in zip(*visited, strict=True))
    return _Visited(t, s, rows[:, 1 + e.s.size :], d, x, outputs)
