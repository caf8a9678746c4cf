"""Whether every motion of the degrees of freedom moves some mass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from mbcore.equations.equations import Equations
from mbcore.model.errors import ConfigurationError, SimulationError

NEGLIGIBLE = 1e-13
"""Part of the mass in the directions of the degrees of freedom that counts as none."""


def refuse_massless(equations: Equations, values: Sequence[np.ndarray]) -> None:
    """Refuse a point at which accelerations are not determined, because some motion has no mass.

    An explicit solution hides that: what divides a force by a mass that is zero may cancel in it,
    or be rounding. ``values`` are the point's t, s, d, u, p and x.

    Raises
    ------
    ConfigurationError
        Naming the degrees of freedom.
    """
    parts = equations.mass_parts
    if parts is None:
        return
    entries = np.array(parts.function(*values).full())[:, 0]
    M = parts.reduced(entries)
    if np.all(np.isfinite(M)):
        refuse_singular(M, equations, values[4])


def is_singular(M: np.ndarray) -> bool:
    """Return whether some motion moves no mass; M̄ of shape (nd, nd)."""
    if not M.size:
        return False
    factors = scipy.linalg.lapack.dgetrf(_scaled(M))[0]
    return not bool(np.all(np.abs(np.diag(factors)) > NEGLIGIBLE))


def _scaled(M: np.ndarray) -> np.ndarray:
    size = np.sqrt(np.abs(np.diag(M)))
    size = np.where(size > 0, size, 1.0)
    return M / size / size[:, None]


def refuse_singular(M: np.ndarray, equations: Equations, p: np.ndarray | None = None) -> None:
    """Refuse a reduced mass matrix with which accelerations are not determined.

    Parameters are looked at where their values ``p`` are given.

    Raises
    ------
    ConfigurationError
        Naming the degrees of freedom.
    SimulationError
        If it is not finite.
    """
    if not is_singular(M):
        return
    if not np.isfinite(M).all():
        rows = zip(equations.states, np.isfinite(M).all(axis=1), strict=False)
        raise SimulationError(
            f"{equations.name}: the reduced mass matrix is not finite in the rows of "
            f"{', '.join(q.name for q, finite in rows if not finite)}; a state, a parameter or "
            "an input is out of range or too large"
        )
    _, singular, right = np.linalg.svd(_scaled(M))
    rank = min(int(np.sum(singular > NEGLIGIBLE)), len(M) - 1)
    open_ = np.abs(right[rank:]).max(axis=0)
    names = [q.name for q, part in zip(equations.states, open_, strict=False) if part > 1e-6]
    records = () if p is None else zip(equations.parameters, p, strict=True)
    zeros = [record.name for record, value in records if value == 0 and record.value != 0]
    because = f" ({', '.join(zeros)} set to 0)" if zeros else ""
    raise ConfigurationError(
        f"{equations.name}: the reduced mass matrix is singular, no mass moves with "
        f"{', '.join(names)}{because}; give it mass or inertia, or make it no degree of freedom; "
        "equilibrium() and linearize(motion='held') need no mass"
    )
