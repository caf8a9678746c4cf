"""Direction in which all unknowns of the unreduced equations follow states and inputs.

At a kink both sides have the same value, and this direction decides between their slopes. The
derivatives in C use the same one, so that both take the same branch (`mbcore.model.kinks`).

Used by `mbcore.linear.variation` alone; it stands apart because it is needed only where a formula
has a kink.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np
from scipy import sparse

from mbcore.linear.factors import SparseFactors

UNKNOWN = ("x", "v", "a", "stress")
CONDITIONS = ("position", "velocity", "acceleration", "motion")


def direction(
    jacobian: sparse.csc_matrix,
    rows: Mapping[str, slice],
    columns: Mapping[str, slice],
    dofs: slice,
    held: Sequence[int],
    given: np.ndarray,
) -> np.ndarray:
    """Return the direction of all columns of the Jacobian, shape (n,).

    Parameters
    ----------
    dofs : slice
        Indices of the stresses of the degrees of freedom, which vanish in motion.
    held : sequence of int
        Indices of the held slips among those that may be held.
    given : ndarray, shape (ns + nu,)
        Direction of states and inputs.
    """
    A = sparse.csr_matrix(jacobian)
    found = np.zeros(A.shape[1])
    ns = columns["s"].stop - columns["s"].start
    found[columns["s"]], found[columns["u"]] = given[:ns], given[ns:]
    right = -(A @ found)

    def solve(conditions: np.ndarray, unknown: np.ndarray) -> None:
        factors = SparseFactors(sparse.csc_matrix(A[conditions][:, unknown]))
        found[unknown] = factors.solve(right[conditions])

    conditions = _places(rows, CONDITIONS)
    unknown = _places(columns, UNKNOWN)
    stresses = columns["stress"].start
    free = np.setdiff1d(unknown, np.arange(stresses + dofs.start, stresses + dofs.stop))
    moving = _places(columns, ("qdd",))
    holding = columns["multiplier"].start + np.array(held, int)
    slips = rows["slip rate"].start + np.array(held, int)
    try:
        solve(np.concatenate([conditions, slips]), np.concatenate([free, moving, holding]))
        if np.isfinite(found).all():
            return found
    except ZeroDivisionError:  # without mass, what is held has a direction still
        pass
    found[:] = np.where(np.isfinite(found), found, 0.0)
    found[moving], found[holding] = 0.0, 0.0
    with suppress(ZeroDivisionError):  # singular: reported where the equations are solved
        solve(conditions, unknown)
    return np.where(np.isfinite(found), found, 0.0)


def _places(slices: Mapping[str, slice], names: Sequence[str]) -> np.ndarray:
    parts = [np.arange(slices[name].start, slices[name].stop) for name in names]
    return np.concatenate(parts)
