"""States and outputs of a motion over one period as signals."""

from __future__ import annotations

import numpy as np

from mbcore.vibration.flow import Flow, Piece, Trajectory
from mbcore.vibration.piecewise import PiecewiseSignal, places
from mbcore.vibration.signal import FourierSignal, Signal

FEWEST, MOST = 64, 2048
"""Numbers of equally spaced samples."""
TAIL = 1e-10
"""Part of a signal's largest harmonic that its highest ones may have."""
CLOSED = 1e-9
"""Part of a signal's largest value that it may rise in a period and yet be periodic."""
ROUNDING = 1e-13
"""Size, in parts of the largest value, of harmonics that are rounding errors."""


def signals_of(flow: Flow, found: Trajectory, advance: np.ndarray) -> dict[str, Signal]:
    """Return all states and outputs of a recorded motion over one period.

    They are Fourier series where these converge, and polynomials in pieces where they do not.

    Parameters
    ----------
    advance : ndarray, shape (ns,)
        By how much each state is larger at the end.
    """
    q, period = flow.equations, found.end - found.begin
    records = [(s.name, s.unit) for s in q.states] + [(y.name, y.unit) for y in q.outputs]
    ends = np.array([p.begin for p in found.pieces] + [found.end])
    at_ends = np.vstack([_values(flow, p, np.array([p.begin, p.end])) for p in found.pieces])
    largest = np.abs(at_ends).max(axis=0)
    rises = np.concatenate([advance, (at_ends[-1] - at_ends[0])[len(q.states) :]])
    rises[np.abs(rises) <= CLOSED * largest] = 0.0
    samples = None if found.events else _samples(flow, found, rises, largest)
    if samples is not None:
        return {
            name: FourierSignal.of_samples(samples[:, i], period, unit, float(rises[i]))
            for i, (name, unit) in enumerate(records)
        }
    values = np.array([_values(flow, p, places(p.begin, p.end)) for p in found.pieces])
    return {
        name: PiecewiseSignal.of_steps(
            ends - found.begin, values[:, :, i], period, unit, float(rises[i])
        )
        for i, (name, unit) in enumerate(records)
    }


def _samples(
    flow: Flow, found: Trajectory, rises: np.ndarray, largest: np.ndarray
) -> np.ndarray | None:
    """Return equally spaced samples, (n, signals), that are enough; None where none are."""
    begins = np.array([p.begin for p in found.pieces])
    period, count = found.end - found.begin, FEWEST
    while count <= MOST:
        part = np.arange(count) / count
        times = found.begin + period * part
        within = np.searchsorted(begins, times, side="right") - 1
        samples = np.vstack(
            [
                _values(flow, found.pieces[k], times[within == k])
                for k in range(begins.size)
                if np.any(within == k)
            ]
        )
        harmonics = np.abs(np.fft.rfft(samples - np.outer(part, rises), axis=0)) / count
        highest = harmonics[-count // 16 :].max(axis=0)
        if np.all(highest <= np.maximum(TAIL * harmonics.max(axis=0), ROUNDING * largest)):
            return samples
        count *= 2
    return None


def _values(flow: Flow, piece: Piece, times: np.ndarray) -> np.ndarray:
    """Return all states and outputs at times in a piece, shape (n, states and outputs)."""
    e = flow.point
    e.d[:] = piece.modes
    rows = []
    for t in times:
        flow.run.move(float(t), piece.between(float(t)))
        rows.append(np.concatenate([e.s, e.output()]))
        e.accept()
    return np.array(rows)
