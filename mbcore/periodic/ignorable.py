"""Ignorable states: no rate and no event depends on them.

Used by `mbcore.periodic.shot` alone; it stands apart because it looks at which derivatives
vanish, before any motion is made.
"""

from __future__ import annotations

import numpy as np

from mbcore.model.errors import ConfigurationError
from mbcore.periodic.flow import Flow

PLACES = 5
"""Number of points, in time and around the start, at which dependence is tested."""
SPREAD = 0.1
"""Distance of these points from the start, in nominal values."""
NOTHING = 1e-10
"""Influence, relative to the largest, that counts as none."""


def ignorable_states(flow: Flow, start: np.ndarray, span: float) -> tuple[int, ...]:
    """Return the indices of states without influence, other than on each other.

    Neither rates nor indicators of events depend on them, nor numbers that events set, but rates
    among themselves, and none on itself: a place, a heading, a distance travelled. Seen at states
    around the start, (ns + nm,), with rates that are all different, at times within a ``span``, s.
    """
    e, nd = flow.point, flow.equations.dofs
    n, nominal = e.s.size, flow.nominal[: e.s.size]
    influence = np.zeros((n, n))
    flow.begin(start)
    start = start[:n]
    count = len(flow.equations.events)
    for k in range(PLACES):
        wave = np.sin(1.0 + np.arange(n) * (k + 1.7))
        try:
            flow.run.move(k * span / PLACES, start + SPREAD * wave * nominal)
        except ConfigurationError:
            continue
        influence = np.fmax(influence, _influence(flow))
        if count:  # in other modes other states may have influence
            e.d[:count] = 1 - e.d[:count]
            influence = np.fmax(influence, _influence(flow))
            e.d[:count] = 1 - e.d[:count]
    least = NOTHING * max(1.0, float(influence.max(initial=0.0)))
    found = {i for i in range(nd, n) if influence[i, i] <= least}
    while True:
        others = [i for i in range(n) if i not in found]
        felt = {i for i in found if influence[others, i].max(initial=0.0) > least}
        if not felt:
            return tuple(sorted(found))
        found -= felt


def _influence(flow: Flow) -> np.ndarray:
    """Return how much each state changes the rates of all, (ns, ns), in nominal values."""
    e, n = flow.point, flow.point.s.size
    nominal = flow.nominal[:n]
    found = np.nan_to_num(np.abs(e.rates_by_states(range(n))))
    found = found * nominal / nominal[:, None]
    if flow.equations.events:  # what events depend on counts as influencing itself
        directions = e.by_states()[:, :n]
        rows = [e.indicators_by(directions)]
        for side in (1.0, -1.0) if e.numbers else ():
            e.fired[:] = side
            rows.append(e.jump_by(directions)[n:])
        e.fired[:] = 0.0
        seen = np.abs(np.nan_to_num(np.vstack(rows))).max(axis=0) > 0
        found[seen, seen] = np.fmax(found[seen, seen], 1.0)
    return found
