"""Ignorable coordinates, which can be chosen freely and therefore bring zero eigenvalues.

Used by `mbcore.linear.linearization` alone; it stands apart because it looks at which entries
vanish, not at their values.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def expected_zeros(
    names: Sequence[str], depends: np.ndarray, nd: int, speeds: int, nk: int
) -> dict[str, str]:
    """Return the states behind eigenvalues that must be zero, each with the reason.

    Parameters
    ----------
    names : sequence of str
        Of the states.
    depends : ndarray of bool, shape (ns, ns)
        Which rates depend on which states.
    nd, speeds, nk : int
        Numbers of degrees of freedom, of those that are generalized speeds, and of kinematic
        coordinates.
    """
    found: dict[str, str] = {}
    end = 2 * nd - speeds  # end of the values of the degrees of freedom
    depends = depends.copy()
    at_rest = not depends[end : end + nk, nd:].any()
    kinematic = range(end, end + nk)
    left = list(range(nd, len(names)))
    while free := [i for i in left if not depends[:, i].any()]:
        depends[free] = False  # what acts on them has no effect on the others
        left = [i for i in left if i not in free]
    for i in (i for i in range(nd, len(names)) if i not in left):
        if i < end:
            found[names[i]] = "cyclic degree of freedom: no force depends on it"
        elif i in kinematic:
            found[names[i]] = "kinematic coordinate on which no rate depends"
        else:
            found[names[i]] = "auxiliary state on which no rate depends"
    if at_rest:
        for i in kinematic:
            found.setdefault(
                names[i],
                "kinematic coordinate of an equilibrium: there is a manifold of equilibria",
            )
    return found
