"""The forces that keep closed contacts closed, [Schwab2002] (5.27), with friction.

With prescribed motions the rate of a gap contains ∂g/∂t.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.contact_groups import Groups, contact_groups, solve_in_groups
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace
from mbcore.model.quantities.unilateral import Unilateral
from mbcore.model.tables import derivatives


def contact_symbols(A: Assembly) -> ca.SX:
    """Return the symbols of normal forces, then of tangential ones by direction, (nc + nt, 1)."""
    contacts = tuple(A.model.contacts.values())
    tangential = (c.tangential[j] for j in range(directions_of(contacts)) for c in contacts)
    return column([*(c.force for c in contacts), *tangential])


def normal_forces(A: Assembly) -> ca.SX:
    """Return the symbols of normal forces, shape (nc, 1)."""
    return column(c.force for c in A.model.contacts.values())


def directions_of(records: Iterable[Unilateral]) -> int:
    """Return in how many directions contacts slide: 2 where one is in space."""
    return max((record.directions for record in records), default=1)


def tangents(records: Sequence[Unilateral], of: Callable[[Unilateral], ca.SX | None]) -> ca.SX:
    """Return what contacts have for each direction, direction by direction, (nt, 1).

    It is zero where a contact has nothing there.
    """
    found = [of(record) for record in records]
    return column(
        ca.SX(0) if one is None or j >= one.numel() else one[j]
        for j in range(directions_of(records))
        for one in found
    )


@dataclass(frozen=True)
class Contacts:
    """The nc unilateral contacts, as expressions of the state like those of `Dynamics`.

    In the plane each has one direction of sliding, nt = nc; where one is in space, all have two,
    nt = 2 nc: first the first ones of all contacts, then the second ones, which may be zero.

    Attributes
    ----------
    gap, rate, acceleration : SX
        Gaps, their first rates, and second rates in the present modes, shape (nc, 1).
    sliding : SX
        Sliding velocities, shape (nt, 1).
    slope, sliding_slope : SX
        ∂ġ/∂q̇ᵈ, shape (nc, nd), and that of sliding, shape (nt, nd).
    kinematic_slope : SX
        ∂q̇ᵏ/∂q̇ᵈ, shape (nk, nd).
    normal_response, tangential_response : SX
        Accelerations by unit normal and tangential forces, rates by unit impulses, (nd, nc) and
        (nd, nt).
    forces : SX
        Values of `contact_symbols`.
    answers : SX
        Changes of these by unit forces of other kinds, shape (nc + nt, k).
    groups : tuple of tuple of int
        Places of contacts that share motion.
    """

    records: tuple[Unilateral, ...]
    gap: ca.SX
    rate: ca.SX
    sliding: ca.SX
    acceleration: ca.SX
    slope: ca.SX
    sliding_slope: ca.SX
    kinematic_slope: ca.SX
    normal_response: ca.SX
    tangential_response: ca.SX
    forces: ca.SX
    answers: ca.SX
    groups: Groups


def solve_contacts(
    A: Assembly,
    total_rate: Callable[[ca.SX], ca.SX],
    substitute: Callable[[ca.SX], ca.SX],
    accelerations: ca.SX,
    free: ca.SX,
    response: ca.SX,
    others: ca.SX,
) -> Contacts:
    """Find the forces that keep closed contacts closed, [Schwab2002] (5.27), and their friction.

    Parameters
    ----------
    total_rate : callable
        Total time derivative, in which velocities change with ``accelerations`` (nd, 1).
    substitute : callable
        Replaces velocities in an expression by functions of the state.
    free : SX
        Accelerations without contacts, shape (nd, 1).
    response : SX
        Accelerations due to unit normal and tangential forces, shape (nd, nc + nt).
    others : SX
        Accelerations due to unit forces of other kinds, shape (nd, k).
    """
    records = tuple(A.model.contacts.values())
    nc, zero = len(records), ca.SX.zeros(accelerations.numel())
    gap = column(A.resolve(c.gap) for c in records)
    rate = total_rate(gap)
    second = substitute(total_rate(rate))
    slope = derivatives.jacobian(second, accelerations)
    sliding = tangents(
        records, lambda c: None if c.sliding is None else substitute(A.resolve(c.sliding))
    )
    sliding_slope = derivatives.jacobian(sliding, A.dof_rates)
    _refuse_nonlinear(
        A, records, derivatives.jacobian(substitute(rate), A.dof_rates), sliding_slope
    )
    normal_response, tangential_response = response[:, :nc], response[:, nc:]
    groups = contact_groups(ca.vertcat(slope, sliding_slope), response, nc)
    smooth = [all(records[i].sliding is None for i in group) for group in groups]
    share = _friction_share(A, records, sliding)
    # Smoothed friction is proportional to the normal force, so it acts as a part of its response.
    rubbing = normal_response - tangential_response @ share
    closed = ca.diag(column(c.closed for c in records))
    # The row of an open contact says that its force is zero: one matrix serves all modes.
    matrix = ca.SX.eye(nc) - closed + closed @ slope @ rubbing @ closed
    opening = replace(second, accelerations, zero) + slope @ free
    demanded = ca.horzcat(opening, slope @ others)
    solved = closed @ solve_in_groups(matrix, -closed @ demanded, groups, smooth)
    force, answer = ca.densify(solved[:, 0]), solved[:, 1:]  # [Schwab2002] (5.27)
    friction = -share @ force
    rubbed = -share @ answer
    return Contacts(
        records,
        gap,
        substitute(rate),
        sliding,
        opening + slope @ rubbing @ force,
        slope,
        sliding_slope,
        derivatives.jacobian(substitute(A.kinematic_rates()), A.dof_rates),
        normal_response,
        tangential_response,
        column([force, friction]),
        ca.vertcat(answer, rubbed),
        groups,
    )


def with_smoothed_friction(A: Assembly, expression: ca.SX) -> ca.SX:
    """Return an expression with smoothed friction by normal forces, to which it is proportional."""
    records = tuple(A.model.contacts.values())
    if not records:
        return expression
    sliding = tangents(records, lambda c: None if c.sliding is None else A.resolve(c.sliding))
    friction = -_friction_share(A, records, sliding) @ normal_forces(A)
    return replace(expression, contact_symbols(A)[len(records) :], friction)


def _refuse_nonlinear(
    A: Assembly, records: tuple[Unilateral, ...], slope: ca.SX, sliding_slope: ca.SX
) -> None:
    """Refuse contacts whose impulse could not be solved for.

    Raises
    ------
    ModelError
        If the rate of a gap or a sliding velocity is not linear in the rates.
    """
    for i, record in enumerate(records):
        own = list(range(i, sliding_slope.shape[0], len(records)))
        rows = slope[i, :], sliding_slope[own, :]
        for what, row in zip(("the rate of its gap", "its sliding"), rows, strict=True):
            if depends(row, A.dof_rates):
                raise ModelError(
                    f"contact {record.name}: {what} is not linear in the rates of the degrees of "
                    "freedom; let the gap depend on places only, and sliding be a velocity"
                )


def _friction_share(A: Assembly, records: tuple[Unilateral, ...], sliding: ca.SX) -> ca.SX:
    """Coulomb's law, smoothed: friction over normal force, shape (nt, nc); 0 where it sticks."""
    count = len(records)
    shares = []
    for i, c in enumerate(records):
        own = sliding[list(range(i, sliding.numel(), count))]
        if c.sliding is None or c.friction_speed is None:
            shares.append(ca.SX.zeros(own.numel()))
        else:
            speed = ca.sqrt(ca.dot(own, own) + A.resolve(ca.SX(c.friction_speed)) ** 2)
            shares.append(A.resolve(ca.SX(c.friction)) * own / speed)
    along = ca.horzcat(*shares).T
    return ca.vertcat(*(ca.diag(along[:, j]) for j in range(along.shape[1])))
