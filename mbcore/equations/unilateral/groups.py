"""One group of contacts, with what its impulses move, and the choice of the one that meets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.multipliers import Contacts, directions_of
from mbcore.model.expressions import column, where


@dataclass(frozen=True)
class Group:
    """Contacts that share motion, of which at most one meets at a time.

    Attributes
    ----------
    members : tuple of int
        Places of its ng contacts among all.
    dofs, kinematic : tuple of int
        Places of the degrees of freedom and kinematic coordinates that its impulses change.
    contacts : Contacts
        Those of its members, over these degrees of freedom and kinematic coordinates.
    others : tuple of int
        Places of contacts of other groups whose accelerations depend on its rates or modes.
    foreign : SX
        Rates and accelerations of the gaps of these, shape (2 no, 1).
    """

    members: tuple[int, ...]
    dofs: tuple[int, ...]
    kinematic: tuple[int, ...]
    contacts: Contacts
    others: tuple[int, ...]
    foreign: ca.SX

    def __len__(self) -> int:
        return len(self.members)


def groups_of(A: Assembly, contacts: Contacts) -> list[Group]:
    """Return the groups of a model's contacts."""
    C = contacts
    moving = ca.sparsify(ca.horzcat(C.normal_response, C.tangential_response)).sparsity()
    count, kinematic = len(C.records), ca.sparsify(C.kinematic_slope).sparsity()
    feelers = _feelers(A, C)
    turned: dict[int, set[int]] = {}
    for row, dof in zip(*kinematic.get_triplet(), strict=True):
        turned.setdefault(dof, set()).add(row)
    by_column: dict[int, set[int]] = {}
    for dof, place in zip(*moving.get_triplet(), strict=True):
        by_column.setdefault(place % count, set()).add(dof)
    found = []
    for members in C.groups:
        own = list(members)
        dofs = sorted({dof for i in own for dof in by_column.get(i, ())})
        rows = sorted({row for dof in dofs for row in turned.get(dof, ())})
        felt = {j for dof in dofs for j in feelers[0].get(dof, ())}
        felt |= {j for i in own for j in feelers[1].get(i, ())}
        others = sorted(felt.difference(own))
        along = [i + count * j for j in range(directions_of(C.records)) for i in own]
        part = replace(
            C,
            records=tuple(C.records[i] for i in own),
            **{n: getattr(C, n)[own] for n in ("gap", "rate", "acceleration")},
            slope=C.slope[own, dofs],
            sliding=C.sliding[along],
            sliding_slope=C.sliding_slope[along, dofs],
            kinematic_slope=C.kinematic_slope[rows, dofs],
            normal_response=C.normal_response[dofs, own],
            tangential_response=C.tangential_response[dofs, along],
            groups=(tuple(range(len(own))),),
        )
        foreign = column([C.rate[others], C.acceleration[others]])
        found.append(Group(members, tuple(dofs), tuple(rows), part, tuple(others), foreign))
    return found


def _feelers(A: Assembly, C: Contacts) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    """Return the contacts whose accelerations depend on each rate, and on each contact's mode."""
    nd = int(A.dof_rates.numel())
    known = column([A.dof_rates, *(record.closed for record in C.records)])
    rows, columns = ca.jacobian_sparsity(C.acceleration, known).get_triplet()
    by_rate: dict[int, set[int]] = {}
    by_mode: dict[int, set[int]] = {}
    for j, place in zip(rows, columns, strict=True):
        if place < nd:
            by_rate.setdefault(place, set()).add(j)
        else:
            by_mode.setdefault(place - nd, set()).add(j)
    return by_rate, by_mode


@dataclass(frozen=True)
class Choice:
    """The contact of a group that meets: ``hits`` has a condition for each, of which one holds."""

    hits: Sequence[ca.SX]

    def of(self, rows: ca.SX) -> ca.SX:
        """Return the row, of (ng, k), that belongs to the contact that meets, (1, k)."""
        first = rows[0, :]
        if all(ca.is_equal(first, rows[i, :], 1) for i in range(1, len(self.hits))):
            return first
        return total_rows(where(hit, rows[i, :]) for i, hit in enumerate(self.hits))

    def column_of(self, columns: ca.SX) -> ca.SX:
        """Return the column, of (k, ng), that belongs to it, (k, 1)."""
        return self.of(columns.T).T

    def tangents_of(self, rows: ca.SX) -> ca.SX:
        """Return the rows, of (nt, k) direction by direction, that belong to it."""
        count = len(self.hits)
        firsts = range(0, rows.shape[0], count)
        return ca.vertcat(*(self.of(rows[first : first + count, :]) for first in firsts))

    @property
    def alone(self) -> bool:
        """Whether no other contact is in the group."""
        return len(self.hits) == 1

    @property
    def itself(self) -> ca.SX:
        """1 for the contact that meets, 0 for others, (ng, 1)."""
        return ca.SX(1) if self.alone else column(self.hits)


def total_rows(rows: Iterable[ca.SX]) -> ca.SX:
    """Return the sum of rows of which at most one is not zero."""
    first, *others = rows
    for row in others:
        first = first + row
    return first
