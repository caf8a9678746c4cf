"""The forces that keep closed contacts closed, [Schwab2002] (5.27), with friction.

With prescribed motions the rate of a gap contains ∂g/∂t.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.contact_groups import Groups, contact_groups, solve_in_groups
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace
from mbcore.model.quantities.unilateral import Unilateral
from mbcore.model.tables import derivatives


def contact_symbols(A: Assembly) -> ca.SX:
    """Return the symbols of normal forces, then of tangential ones, shape (2 nc, 1)."""
    contacts = A.model.contacts.values()
    return column([*(c.force for c in contacts), *(c.tangential for c in contacts)])


@dataclass(frozen=True)
class Contacts:
    """The nc unilateral contacts, as expressions of the state like those of `Dynamics`.

    Attributes
    ----------
    gap, rate, sliding, acceleration : SX
        Gaps, their first rates, sliding velocities, and second rates in the present modes, (nc, 1).
    slope, sliding_slope : SX
        ∂ġ/∂q̇ᵈ and that of sliding, shape (nc, nd).
    kinematic_slope : SX
        ∂q̇ᵏ/∂q̇ᵈ, shape (nk, nd).
    normal_response, tangential_response : SX
        Accelerations by unit normal and tangential forces, rates by unit impulses, (nd, nc).
    forces : SX
        Values of `contact_symbols`.
    answers : SX
        Changes of these by unit forces of other kinds, shape (2 nc, k).
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
        Accelerations due to unit normal and tangential forces, shape (nd, 2 nc).
    others : SX
        Accelerations due to unit forces of other kinds, shape (nd, k).
    """
    records = tuple(A.model.contacts.values())
    nc, zero = len(records), ca.SX.zeros(accelerations.numel())
    gap = column(A.resolve(c.gap) for c in records)
    rate = total_rate(gap)
    second = substitute(total_rate(rate))
    slope = derivatives.jacobian(second, accelerations)
    sliding = column(
        ca.SX(0) if c.sliding is None else substitute(A.resolve(c.sliding)) for c in records
    )
    sliding_slope = derivatives.jacobian(sliding, A.dof_rates)
    _refuse_nonlinear(
        A, records, derivatives.jacobian(substitute(rate), A.dof_rates), sliding_slope
    )
    normal_response, tangential_response = response[:, :nc], response[:, nc:]
    groups = contact_groups(ca.vertcat(slope, sliding_slope), response)
    smooth = [all(records[i].sliding is None for i in group) for group in groups]
    share = _friction_share(A, records, sliding)
    # Smoothed friction is proportional to the normal force, so it acts as a part of its response.
    rubbing = normal_response - tangential_response @ ca.diag(share)
    closed = ca.diag(column(c.closed for c in records))
    # The row of an open contact says that its force is zero: one matrix serves all modes.
    matrix = ca.SX.eye(nc) - closed + closed @ slope @ rubbing @ closed
    opening = replace(second, accelerations, zero) + slope @ free
    demanded = ca.horzcat(opening, slope @ others)
    solved = closed @ solve_in_groups(matrix, -closed @ demanded, groups, smooth)
    force, answer = ca.densify(solved[:, 0]), solved[:, 1:]  # [Schwab2002] (5.27)
    friction = -share * force
    rubbed = -ca.diag(share) @ answer
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
        for what, row in (("the rate of its gap", slope), ("its sliding", sliding_slope)):
            if depends(row[i, :], A.dof_rates):
                raise ModelError(
                    f"contact {record.name}: {what} is not linear in the rates of the degrees of "
                    "freedom; let the gap depend on places only, and sliding be a velocity"
                )


def _friction_share(A: Assembly, records: tuple[Unilateral, ...], sliding: ca.SX) -> ca.SX:
    """Coulomb's law, smoothed: friction over normal force, shape (nc, 1); 0 where it sticks."""
    shares = []
    for i, c in enumerate(records):
        if c.sliding is None or c.friction_speed is None:
            shares.append(ca.SX(0))
        else:
            speed = ca.sqrt(sliding[i] ** 2 + A.resolve(ca.SX(c.friction_speed)) ** 2)
            shares.append(A.resolve(ca.SX(c.friction)) * sliding[i] / speed)
    return column(shares)
