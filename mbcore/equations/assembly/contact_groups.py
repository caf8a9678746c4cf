"""Groups of contacts: impulses and forces of one change no rate of a gap outside of its group.

Used by `mbcore.equations.assembly.multipliers` alone; it stands apart because groups follow from
where expressions are zero, and forces from the expressions.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.equations.small_matrices import eliminated

Groups = tuple[tuple[int, ...], ...]
"""Places of contacts that share motion; each contact is in one group."""


def contact_groups(rows: ca.SX, response: ca.SX, count: int) -> Groups:
    """Return the contacts that a chain of others couples by their mobilities.

    Parameters
    ----------
    rows : SX
        Rates of gaps, then sliding velocities, by the rates of degrees of freedom, (nc + nt, nd).
    response : SX
        What unit normal, then tangential impulses add to these rates, (nd, nc + nt).
    count : int
        nc, of which nt is a multiple.
    """
    ones = [ca.DM(ca.sparsify(part).sparsity(), 1) for part in (rows, response)]
    leader = list(range(count))

    def leads(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    for i, j in zip(*(ones[0] @ ones[1]).sparsity().get_triplet(), strict=True):
        one, two = sorted((leads(i % count), leads(j % count)))
        leader[two] = one
    members: dict[int, list[int]] = {}
    for i in range(count):
        members.setdefault(leads(i), []).append(i)
    return tuple(tuple(group) for group in members.values())


def solve_in_groups(
    matrix: ca.SX, right: ca.SX, groups: Groups, symmetric: Sequence[bool] = ()
) -> ca.SX:
    """Return the solution of a system with a row for each contact, (nc, k) for k right-hand sides.

    Parameters
    ----------
    symmetric : sequence of bool
        Whether the part of each group is symmetric and positive definite; absent where all are.
    """
    symmetric = symmetric or [True] * len(groups)
    rows: list[ca.SX] = [ca.SX(1, right.shape[1])] * matrix.shape[0]
    for group, alike in zip(groups, symmetric, strict=True):
        members = list(group)
        part = matrix[members, members] if len(groups) > 1 else matrix
        solved = solve_small(part, right[members, :] if len(groups) > 1 else right, alike)
        for i, row in zip(members, ca.vertsplit(solved), strict=True):
            rows[i] = row
    return ca.vertcat(ca.SX(0, right.shape[1]), *rows)


def solve_small(matrix: ca.SX, right: ca.SX, symmetric: bool = True) -> ca.SX:
    """Return the solution of the system of a group, whose matrix may be sparse."""
    if matrix.shape[0] <= 4:
        return ca.inv_minor(ca.densify(matrix)) @ right
    matrix = ca.sparsify(matrix)
    if symmetric or not matrix.is_dense():
        return eliminated(matrix, right, symmetric)
    return ca.solve(matrix, right)
