"""Unilateral contacts solved for: forces of closed ones (5.27), impulses of those that meet (5.17).

[Schwab2002] 5.3 with prescribed motions (the rate of a gap holds ∂g/∂t), friction, and contacts
that are closed while another one meets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from mbcore.assembly import Assembly
from mbcore.expressions import column, replace
from mbcore.unilateral import DRIFT, LOWEST_BOUNCE, RATE_DRIFT, Unilateral

NEVER = 1e30
"""An impulse, N.s, that no impact reaches."""


def contact_symbols(A: Assembly) -> ca.SX:
    """Return the symbols of normal forces, then of tangential ones, shape (2 nc, 1)."""
    contacts = A.model.contacts.values()
    return column([*(c.force for c in contacts), *(c.tangential for c in contacts)])


@dataclass(frozen=True)
class Contacts:
    """What contacts do; expressions of the state like those of `Dynamics`, nc contacts.

    Attributes
    ----------
    gap, rate, sliding, acceleration : SX
        Gaps, their first rates, sliding velocities, and second rates in the present modes, (nc, 1).
    slope, sliding_slope : SX
        ∂ġ/∂q̇ᵈ and that of sliding, shape (nc, nd).
    push, drag : SX
        M̄⁻¹ times the reduced forces of unit normal and tangential forces, shape (nd, nc).
    forces : SX
        Values of `contact_symbols`.
    """

    records: tuple[Unilateral, ...]
    gap: ca.SX
    rate: ca.SX
    sliding: ca.SX
    acceleration: ca.SX
    slope: ca.SX
    sliding_slope: ca.SX
    push: ca.SX
    drag: ca.SX
    forces: ca.SX


def solve_contacts(
    A: Assembly,
    total_rate: Callable[[ca.SX], ca.SX],
    settle: Callable[[ca.SX], ca.SX],
    accelerations: ca.SX,
    free: ca.SX,
    response: ca.SX,
) -> Contacts:
    """Find the forces that keep closed contacts closed, with regularized friction, (5.27).

    Parameters
    ----------
    total_rate : callable
        Total time derivative, in which velocities change with ``accelerations`` (nd, 1).
    settle : callable
        Puts the velocities of the state into an expression.
    free : SX
        Accelerations without contacts, shape (nd, 1).
    response : SX
        What unit normal and tangential forces add to them, shape (nd, 2 nc).
    """
    records = tuple(A.model.contacts.values())
    nc, zero = len(records), ca.SX.zeros(accelerations.numel())
    gap = column(A.resolve(c.gap) for c in records)
    rate = total_rate(gap)
    second = settle(total_rate(rate))
    slope = ca.jacobian(second, accelerations)
    sliding = column(
        ca.SX(0) if c.sliding is None else settle(A.resolve(c.sliding)) for c in records
    )
    push, drag = response[:, :nc], response[:, nc:]
    rubbing = push - drag @ ca.diag(_friction_share(A, records, sliding))
    closed = ca.diag(column(c.closed for c in records))
    matrix = ca.SX.eye(nc) - closed + closed @ slope @ rubbing @ closed
    opening = replace(second, accelerations, zero) + slope @ free
    force = closed @ _solve(matrix, -closed @ opening)
    friction = -_friction_share(A, records, sliding) * force
    return Contacts(
        records,
        gap,
        settle(rate),
        sliding,
        opening + slope @ rubbing @ force,
        slope,
        ca.jacobian(sliding, A.dof_rates),
        push,
        drag,
        column([force, friction]),
    )


def _friction_share(A: Assembly, records: tuple[Unilateral, ...], sliding: ca.SX) -> ca.SX:
    """Coulomb's law made smooth: friction over normal force, shape (nc, 1)."""
    shares = []
    for i, c in enumerate(records):
        if c.sliding is None:
            shares.append(ca.SX(0))
        else:
            speed = ca.sqrt(sliding[i] ** 2 + A.resolve(ca.SX(c.friction_speed)) ** 2)
            shares.append(A.resolve(ca.SX(c.friction)) * sliding[i] / speed)
    return column(shares)


def _solve(matrix: ca.SX, right: ca.SX) -> ca.SX:
    small = matrix.shape[0] <= 4
    return ca.inv_minor(ca.densify(matrix)) @ right if small else ca.solve(matrix, right)


@dataclass(frozen=True)
class Meeting:
    """One contact meets: new values and rates of the degrees of freedom, and what is told of it.

    Attributes
    ----------
    rates, values : SX
        q̇ᵈ after the impact, and qᵈ with the gap closed to the last digit, shape (nd, 1).
    closed : SX
        Modes of all contacts afterwards, shape (nc, 1).
    approach : SX
        -ġ⁻, m/s, zero where the contact moves apart already.
    told : tuple of (SX, SX)
        Symbols of the contact's record, and what they are in this impact.
    """

    rates: ca.SX
    values: ca.SX
    closed: ca.SX
    approach: ca.SX
    told: tuple[tuple[ca.SX, ca.SX], ...]


def meet(A: Assembly, contacts: Contacts, i: int) -> Meeting:
    """Let contact ``i`` meet, with those closed staying closed where they are pressed.

    The contact closes where the next impacts, with the present acceleration (5.24), would be over
    within the settling time (5.26), or where their height is lost in rounding.
    """
    C, c = contacts, contacts.records[i]
    nc = len(C.records)
    e = A.resolve(ca.SX(c.restitution))
    others = [j for j in range(nc) if j != i]
    stays = column(C.records[j].closed for j in others)
    pressed = _supported(C, others, stays, C.push[:, i])[1]
    stays = stays * (pressed >= 0)
    push = _supported(C, others, stays, C.push[:, i])[0]
    drag = _supported(C, others, stays, C.drag[:, i])[0]
    mass = 1 / (C.slope[i, :] @ push)  # (5.19)
    approach = ca.fmax(-C.rate[i], 0)

    def after(restitution: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
        normal, tangential = _impulses(A, C, i, push, drag, approach, restitution)
        return normal, tangential, A.dof_rates + push * normal + drag * tangential  # (5.20)

    modes = [C.records[j].closed for j in others]

    def at(rates: ca.SX, expression: ca.SX) -> ca.SX:
        moved = replace(expression, column(modes), stays)
        return replace(moved, A.dof_rates, rates)

    normal, tangential, rates = after(e)
    leaving, pull = at(rates, C.rate[i]), -at(rates, C.acceleration[i])
    bounce = 2 * leaving / pull  # (5.25)
    low = leaving**2 / (2 * pull) * (1 - e**2 + 1e-6) <= LOWEST_BOUNCE * c.size
    over = bounce <= (1 - e) * A.resolve(ca.SX(c.settling_time))  # (5.26)
    closes = ca.logic_and(pull > 0, ca.logic_or(over, low))
    inelastic = after(ca.SX(0))
    normal, tangential, rates = (
        ca.if_else(closes, b, a)
        for a, b in zip((normal, tangential, rates), inelastic, strict=True)
    )
    work = normal * (at(rates, C.rate[i]) + C.rate[i]) / 2
    if c.sliding is not None:
        work += tangential * (at(rates, C.sliding[i]) + C.sliding[i]) / 2
    closed = ca.SX(nc, 1)
    closed[others] = stays
    closed[i] = closes
    told = (
        (c.approach, approach),
        (c.impulse, normal),
        (c.tangential_impulse, tangential),
        (c.effective_mass, mass),
        (c.loss, -work),
        (c.closes, closes),
        (c.flight, ca.if_else(ca.logic_and(pull > 0, ca.logic_not(closes)), bounce, 0)),
    )
    depth = C.gap[i] / (C.slope[i, :] @ C.push[:, i])
    values = A.dof_values - C.push[:, i] * depth
    return Meeting(rates, values, closed, approach, told)


def _supported(
    C: Contacts, others: list[int], stays: ca.SX, response: ca.SX
) -> tuple[ca.SX, ca.SX]:
    """Return a response to a unit impulse while others stay closed, and their impulses."""
    if not others:
        return response, ca.SX(0, 1)
    hold = ca.diag(stays)
    slope, push = C.slope[others, :], C.push[:, others]
    matrix = ca.SX.eye(len(others)) - hold + hold @ slope @ push @ hold
    impulses = hold @ _solve(matrix, -hold @ slope @ response)
    return response + push @ impulses, impulses


def _impulses(
    A: Assembly,
    C: Contacts,
    i: int,
    push: ca.SX,
    drag: ca.SX,
    approach: ca.SX,
    restitution: ca.SX,
) -> tuple[ca.SX, ca.SX]:
    """Normal and tangential impulse: Poisson's restitution, Coulomb's friction, Routh's process.

    The normal impulse p grows; the contact slides until its sliding velocity vanishes, then sticks
    where friction can hold it, else slides on into the direction that it is driven. Compression
    ends where the gap's rate vanishes, at p_c, and restitution at (1 + e) p_c. Without friction
    this is (5.18). No energy is won, which Newton's law with friction does not guarantee.
    """
    c = C.records[i]
    nn = C.slope[i, :] @ push
    if c.sliding is None:
        return (1 + restitution) * approach / nn, ca.SX(0)  # (5.18)
    mu = A.resolve(ca.SX(c.friction))
    nt, tn = C.slope[i, :] @ drag, C.sliding_slope[i, :] @ push
    tt = C.sliding_slope[i, :] @ drag
    sliding, side = C.sliding[i], ca.sign(C.sliding[i])
    first = -mu * side
    slows = side * (tn + first * tt) < 0
    stop = ca.if_else(
        side == 0, 0, ca.if_else(slows, -sliding / ca.if_else(slows, tn + first * tt, 1), NEVER)
    )
    sticks = ca.fabs(tn) <= mu * tt
    then = ca.if_else(sticks, -tn / tt, -mu * ca.sign(tn))
    one, two = nn + nt * first, nn + nt * then
    early = one * stop >= approach
    compression = ca.if_else(
        early, approach / ca.if_else(early, one, 1), stop + (approach - one * stop) / two
    )
    normal = (1 + restitution) * compression
    return normal, first * ca.fmin(normal, stop) + then * ca.fmax(normal - stop, 0)


def project(A: Assembly, contacts: Contacts) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Return values and rates of the degrees of freedom with closed gaps closed, and the drift.

    The drift is 1 where gap or rate are as far off as they may be; a step of Newton's method.
    """
    C = contacts
    closed = column(c.closed for c in C.records)
    hold, sizes = ca.diag(closed), column(ca.SX(c.size) for c in C.records)
    matrix = ca.SX.eye(len(C.records)) - hold + hold @ C.slope @ C.push @ hold
    values = A.dof_values - C.push @ hold @ _solve(matrix, hold @ C.gap)
    rates = A.dof_rates - C.push @ hold @ _solve(matrix, hold @ C.rate)
    far = closed * (ca.fabs(C.gap) / DRIFT + ca.fabs(C.rate) / RATE_DRIFT) / sizes
    return values, rates, ca.norm_inf(far)
