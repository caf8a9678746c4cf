"""Other places where massless nodes could be at the start: told, because a start chooses one.

Used by `mbcore.equations.roles.preparation` alone; it stands apart because it searches.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.massless import massless_nodes
from mbcore.equations.roles.mobility import Mobility
from mbcore.model.errors import warn_user
from mbcore.model.quantities import Deformation
from mbcore.model.wording import formatted

STARTS = 24
"""Places from which balances are looked for."""
STEPS = 60
LONGEST = 0.3
"""Longest step, in sizes of the mechanism or rad."""
APART = 1e-6
"""Distance of balances that differ, in sizes of the mechanism or rad."""
CLOSED = 1e-10
LISTED = 4
"""Most coordinates of a balance in the warning."""


def warn_of_other_balances(A: Assembly, values: Sequence[object]) -> None:
    """Issue a ``ModelWarning`` that names stable balances other than the one at the start.

    It also tells that the one at the start is not stable. The others are looked for from places at
    random, with all other nodes where they start.

    Parameters
    ----------
    values : sequence
        Numbers for (t, s, d, u, p, x) at the start.
    """
    nodes = massless_nodes(A.model)
    if not nodes:
        return
    search = _Balances(A, values, [q for e in nodes for q in e.deformations.values()])
    others = search.others()
    names = ", ".join(node.name for e in nodes for node in e.nodes())
    unstable = search.takes_unstable()
    if others:
        told = "; ".join(search.told(x) for x in others[:2])
        more = f" and {len(others) - 2} more" if len(others) > 2 else ""
        kind = " and not stable" if unstable else ""
        warn_user(
            f"{A.model.name}: the springs on {names} balance at other places as well: "
            f"{told}{more}; taken is {search.told(search.taken)}, which is next to the "
            f"start{kind}: start nodes near the place that is meant"
        )
    elif unstable:
        warn_user(
            f"{A.model.name}: the springs on {names} balance at {search.told(search.taken)}, "
            "which is next to the start and not stable: start nodes near the place that is meant"
        )


class _Balances:
    """The balances of rows, with all coordinates fixed that are not massless nodes'."""

    def __init__(self, A: Assembly, values: Sequence[object], rows: Sequence[Deformation]) -> None:
        self._rows, self._mobility = list(rows), Mobility(A, values)
        nodes = {c.name for e in massless_nodes(A.model) for c, *_ in e.balanced_coordinates()}
        self._free = np.array([c.name in nodes for c in A.coordinates])
        self._names = [c.name for c in A.coordinates]
        self._units = [c.unit for c in A.coordinates]
        size = self._mobility.size
        self._size = np.array([size if unit == "m" else 1.0 for unit in self._units])
        self._row_size = np.array([size if q.unit == "m" else 1.0 for q in self._rows])
        start = np.array(values[-1], float).ravel()
        self.taken, error = self._mobility.met(A.position_rows, start)
        self._met = error < CLOSED

    def others(self) -> list[np.ndarray]:
        """Return the stable balances found that are not the one taken."""
        random = np.random.default_rng(0)
        found = [self.taken]
        for _ in range(STARTS if self._met else 0):
            x = self.taken.copy()
            x[self._free] += self._size[self._free] * random.uniform(-1.5, 1.5, self._free.sum())
            there = self._balanced(x)
            if there is not None and all(self._apart(there, x) for x in found):
                found.append(there)
        return found[1:]

    def takes_unstable(self) -> bool:
        """Return whether the balance next to the start is not stable."""
        if not self._met:
            return False
        J, _ = self._mobility.scaled(self._rows, self.taken)
        J = J[:, self._free]
        return bool(np.isfinite(J).all()) and not _stable(J)

    def _apart(self, one: np.ndarray, other: np.ndarray) -> bool:
        return bool(np.abs((one - other) / self._size).max() > APART)

    def _balanced(self, x: np.ndarray) -> np.ndarray | None:
        """Return the stable balance that Newton's iteration reaches, None where it does not."""
        for _ in range(STEPS):
            error = self._mobility.errors(self._rows, x)
            J, lengths = self._mobility.scaled(self._rows, x)
            J = J[:, self._free]
            if not (np.isfinite(error).all() and np.isfinite(J).all()):
                return None
            if np.abs(error).max() < CLOSED:
                return x if _stable(J) else None
            right = error * self._row_size / lengths[:, 0]
            step = -np.linalg.lstsq(J, right, rcond=None)[0]
            x = x.copy()
            part = min(1.0, LONGEST / max(np.abs(step).max(), LONGEST))
            x[self._free] += part * step * self._size[self._free]
        return None

    def told(self, x: np.ndarray) -> str:
        """Return the places of massless nodes in words, the first few of them."""
        free = np.flatnonzero(self._free)
        x = np.round(x / self._size, 9) * self._size  # so that no message says 1e-17 for 0
        words = [
            f"{self._names[i]} = {formatted(float(f'{x[i]:.4g}'))} {self._units[i]}"
            for i in free[:LISTED]
        ]
        return ", ".join(words) + (", ..." if free.size > LISTED else "")


def _stable(J: np.ndarray) -> bool:
    """Return whether the stiffness is positive, by the slopes of forces over positive sizes."""
    return bool(np.linalg.eigvals(-J).real.min() > 0)
