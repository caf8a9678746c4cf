"""Whether every motion of the degrees of freedom moves some mass, at the start and on the way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from mbcore.equations.equations import Equations
from mbcore.model.errors import ConfigurationError, SimulationError

NEGLIGIBLE = 1e-13
"""Part of the mass in the directions of the degrees of freedom that counts as none."""
VANISHED = 1e-6
"""Part of the mass at the start that is as good as none where no step can be made any more."""


def reduced_mass(equations: Equations, values: Sequence[np.ndarray]) -> np.ndarray | None:
    """Return M̄ at a point, (nd, nd), by its parts; None where equations have none.

    ``values`` are the point's t, s, d, u, p and x.
    """
    parts = equations.mass_parts
    if parts is None:
        return None
    return parts.reduced(np.array(parts.function(*values).full())[:, 0])


def vanished(equations: Equations, mass: np.ndarray, start: np.ndarray) -> str | None:
    """Return the words for a motion whose mass has vanished since the start; None without one.

    Such a motion becomes infinitely fast: the mass that moved with it goes on, and cannot.

    Parameters
    ----------
    equations : Equations
        Those of the motion.
    mass, start : ndarray, shape (nd, nd)
        M̄ now and at the start.
    """
    if not (mass.size and np.isfinite(mass).all() and np.isfinite(start).all()):
        return None
    size = np.sqrt(np.abs(np.diag(start)))
    size = np.where(size > 0, size, 1.0)
    now, then = (M / size / size[:, None] for M in (mass, start))
    _, singular, right = np.linalg.svd(now)
    share = float(singular[-1] / max(np.linalg.svd(then, compute_uv=False)[-1], 1e-300))
    if not share < VANISHED:
        return None
    names = [
        q.name for q, part in zip(equations.states, np.abs(right[-1]), strict=False) if part > 1e-3
    ]
    return (
        f"hardly any mass moves with {', '.join(names)} any more ({share:.2g} of what did at the "
        "start), which makes it infinitely fast: give it mass or inertia, make another quantity "
        "the degree of freedom, or keep away from there"
    )


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
        "a MasslessNode follows from its springs; equilibrium() and linearize(motion='held') "
        "need no mass"
    )
