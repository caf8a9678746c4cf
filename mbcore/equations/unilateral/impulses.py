"""Impulses of contacts that meet, [Schwab2002] (5.17), with friction, while others are closed.

Held slips stay held: the responses of contacts are those of the mechanism with these slips held.

Used by `mbcore.equations.unilateral.transitions` alone; it stands apart because impulses are solved
for, and transitions assign what results.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.multipliers import Contacts, solve_small
from mbcore.equations.unilateral.switched_constraints import SwitchedConstraints
from mbcore.model.expressions import column, replace
from mbcore.model.quantities.unilateral import DRIFT, LOWEST_BOUNCE, RATE_DRIFT

ROUNDING = 1e-12
"""Part of an impulse that counts as rounding where a closed contact seems to be pulled."""
SLOWEST = 1e-3
"""Part of a speed that is left where the forces at the contact explain more than all of it."""
NEVER = 1e30
"""An impulse, N.s, larger than that of any impact."""


@dataclass(frozen=True)
class Meeting:
    """An impact of one contact: the degrees of freedom and kinematic coordinates afterwards.

    Attributes
    ----------
    rates, values : SX
        q̇ᵈ after the impact, and qᵈ with the gap exactly closed; shape (nd, 1), without the slips
        for the values.
    kinematic : SX
        qᵏ, likewise, shape (nk, 1).
    closed : SX
        Modes of all contacts afterwards, shape (nc, 1).
    approach : SX
        -ġ⁻ where the gap vanishes, m/s, zero where it opens already.
    flights, heights : SX
        Expected time, s, until each contact meets next, and the height, m, of a flight that long
        that ends with the same speed; 0 where it does not, shape (nc, 1).
    meanings : tuple of (SX, SX)
        Symbols of the contact's record, and their values in this impact.
    """

    rates: ca.SX
    values: ca.SX
    kinematic: ca.SX
    closed: ca.SX
    approach: ca.SX
    flights: ca.SX
    heights: ca.SX
    meanings: tuple[tuple[ca.SX, ca.SX], ...]


@dataclass(frozen=True)
class _Arrival:
    """Approach speed and sliding velocity with which an impact begins, m/s."""

    approach: ca.SX
    sliding: ca.SX


def meet(A: Assembly, contacts: Contacts, i: int) -> Meeting:
    """Return the impact of contact ``i``; closed contacts that it presses stay closed.

    A contact closes where its next impacts, with the present acceleration, [Schwab2002] (5.24),
    would be over within the settling time, [Schwab2002] (5.26), or where their height is below
    rounding errors. If contact i closes, so does a contact that this impact relieves, by the same
    criteria: so parts that rock come to rest.
    """
    return _Impact(A, contacts, i).meeting()


class _Impact:
    """The impact of contact ``i``, with modes of the others in the order of ``others``."""

    def __init__(self, A: Assembly, contacts: Contacts, i: int) -> None:
        self.A, self.C, self.i = A, contacts, i
        self.others = [j for j in range(len(contacts.records)) if j != i]
        self.approach = self.arriving()
        stays = column(contacts.records[j].closed for j in self.others)
        response = _supported(contacts, self.others, stays, contacts.normal_response[:, i])[0]
        response = response / (contacts.slope[i, :] @ response)
        slowed = ca.fmax(-contacts.rate[i], 0) - self.approach
        self.back = response * slowed
        self.moved = self.to_threshold(-response * contacts.gap[i])
        self.rates = A.dof_rates + self.back
        self.sliding = contacts.sliding[i] + contacts.sliding_slope[i, :] @ self.back

    def meeting(self) -> Meeting:
        """Return the motion after the impact, and the values of the record's symbols."""
        A, C, i = self.A, self.C, self.i
        c = C.records[i]
        elastic = self.after(A.resolve(ca.SX(c.restitution)))
        closes, flight, height = self.comes_to_rest(i, elastic[2], self.modes(0, elastic[3]))
        chosen = zip(self.after(ca.SX(0)), elastic, strict=True)
        normal, tangential, rates, stays = (ca.if_else(closes, zero, e) for zero, e in chosen)
        stays = self.relieved(closes, rates, stays)
        closed = self.modes(closes, stays)
        rates = rates - _held(C, closed, self.at(rates, closed, C.rate))
        work = normal * (self.at(rates, closed, C.rate[i]) - self.approach) / 2
        if c.sliding is not None:
            work += tangential * (self.at(rates, closed, C.sliding[i]) + self.sliding) / 2
        normal_response = _supported(C, self.others, stays, C.normal_response[:, i])[0]
        mass = 1 / (C.slope[i, :] @ normal_response)  # [Schwab2002] (5.19)
        flights, heights = self.foreseen(rates, closed, C.gap + C.slope @ self.moved)
        meanings = (
            (c.approach, self.approach),
            (c.impulse, normal),
            (c.tangential_impulse, tangential),
            (c.effective_mass, mass),
            (c.loss, -work),  # [Schwab2002] (5.21)
            (c.closes, closes),
            (c.flight, flight),
            (c.height, height),
        )
        kinematic = A.kinematic_values + C.kinematic_slope @ self.moved
        values = A.dof_values + self.moved[: len(A.dofs)]
        return Meeting(rates, values, kinematic, closed, self.approach, flights, heights, meanings)

    def to_threshold(self, moved: ca.SX) -> ca.SX:
        """Return by how much states move so that the gap vanishes: back to where the parts met.

        Contacts that have been closed since then stay closed. Where an impact comes too early, the
        parts go no farther than to where others meet, who would have to be lifted again.
        """
        C, part = self.C, ca.SX(1)
        for j in self.others:
            by = C.slope[j, :] @ moved
            lowered = ca.logic_and(C.records[j].closed < 0.5, by < 0)
            left = ca.fmax(C.gap[j], 0) / ca.if_else(lowered, -by, 1)
            part = ca.if_else(lowered, ca.fmin(part, left), part)
        return moved * ca.if_else(C.gap[self.i] > 0, part, 1)

    def arriving(self) -> ca.SX:
        """Return the approach speed where the gap vanishes.

        An importer's solver finds an impact late, at a gap d < 0, or before it by its tolerance.
        To put the gap to zero changes the energy by m_e g̈ d; the speed changes with it, so that no
        energy is made: v² = (ġ⁻)² - 2 g̈ d.
        """
        c, gap = self.C.records[self.i], self.C.gap[self.i]
        speed, pull = ca.fmax(-self.C.rate[self.i], 0), -self.C.acceleration[self.i]
        square = ca.fmax(speed**2 + 2 * ca.fmax(pull, 0) * gap, (SLOWEST * speed) ** 2)
        foreseen = c.foreseen_flight < 0
        flight = ca.if_else(foreseen, -c.foreseen_flight, 1)
        at_most = 4 * c.foreseen_height / flight
        there = ca.if_else(foreseen, ca.fmin(speed, at_most), ca.sqrt(square))
        return ca.if_else(speed > 0, there, 0)

    def after(self, restitution: ca.SX) -> tuple[ca.SX, ...]:
        """Return impulses, the rates after, [Schwab2002] (5.20), and which others stay closed."""
        A, C, i, others = self.A, self.C, self.i, self.others
        stays = column(C.records[j].closed for j in others)
        # A contact that is pulled opens, after which others may be pulled: one round for each.
        for _ in range(len(others) + 1):
            normal_response, _ = _supported(C, others, stays, C.normal_response[:, i])
            tangential_response, _ = _supported(C, others, stays, C.tangential_response[:, i])
            normal, tangential = _impulses(
                A, C, i, normal_response, tangential_response,
                _Arrival(self.approach, self.sliding), restitution,
            )  # fmt: skip
            response = C.normal_response[:, i] * normal + C.tangential_response[:, i] * tangential
            borne = _supported(C, others, stays, response)[1]
            stays = stays * (borne >= -ROUNDING * normal) if others else stays
        return (
            normal,
            tangential,
            # [Schwab2002] (5.20)
            self.rates + normal_response * normal + tangential_response * tangential,
            stays,
        )

    def comes_to_rest(self, j: int, rates: ca.SX, closed: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Whether contact j closes after a bounce with these rates, its duration and height."""
        A, C, record = self.A, self.C, self.C.records[j]
        e = A.resolve(ca.SX(record.restitution))
        lowest = LOWEST_BOUNCE * record.size + 10 * A.resolve(record.rounding)
        leaving = self.at(rates, closed, C.rate[j])
        pull = -self.at(rates, closed, C.acceleration[j])
        flight = 2 * leaving / ca.if_else(pull > 0, pull, 1)  # [Schwab2002] (5.25)
        height = leaving * flight / 4
        low = height * (1 - e**2 + 1e-6) <= lowest
        over = flight <= (1 - e) * A.resolve(ca.SX(record.settling_time))  # [Schwab2002] (5.26)
        soon = ca.logic_and(pull > 0, ca.logic_or(over, low))
        flies = ca.logic_and(pull > 0, ca.logic_not(soon))
        return soon, ca.if_else(flies, flight, 0), ca.if_else(flies, height, 0)

    def foreseen(self, rates: ca.SX, closed: ca.SX, gap: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return the times until contacts meet next, from these gaps on, and heights.

        An impact changes the speeds of all contacts, so each flight is foreseen anew, by its
        present acceleration.
        """
        C, count = self.C, len(self.C.records)
        enabled = column(self.A.resolve(ca.SX(record.enabled)) for record in C.records)
        there = self.at(rates, closed, column([C.rate, C.acceleration]))
        rate, pull, gap = there[:count], -there[count:], ca.fmax(gap, 0)
        square = rate**2 + 2 * pull * gap
        meets = ca.if_else(rate > 0, pull > 0, ca.logic_and(gap > 0, square > 0))
        meets = ca.logic_and(meets, ca.logic_and(closed < 0.5, enabled > 0.5))
        speed = ca.sqrt(ca.if_else(meets, square, 1))
        falling = 2 * gap / ca.if_else(rate > 0, 1, speed - rate)
        flight = ca.if_else(rate > 0, (rate + speed) / ca.if_else(pull > 0, pull, 1), falling)
        return ca.if_else(meets, flight, 0), ca.if_else(meets, speed * flight / 4, 0)

    def relieved(self, closes: ca.SX, rates: ca.SX, stays: ca.SX) -> ca.SX:
        """Close contacts that the impact relieves and that would soon rest, if contact i closes."""
        closed, stays = self.modes(closes, stays), ca.SX(stays)
        for k, j in enumerate(self.others):
            back = self.comes_to_rest(j, rates, closed)[0]
            relieved = ca.logic_and(self.C.records[j].closed > 0.5, stays[k] < 0.5)
            stays[k] = ca.if_else(ca.logic_and(ca.logic_and(relieved, closes), back), 1, stays[k])
        return stays

    def modes(self, own: ca.SX | int, stays: ca.SX) -> ca.SX:
        """Return the modes of all contacts, shape (nc, 1)."""
        modes = ca.SX(len(self.C.records), 1)
        modes[self.others] = stays
        modes[self.i] = own
        return modes

    def at(self, rates: ca.SX, closed: ca.SX, expression: ca.SX) -> ca.SX:
        """Return an expression at other rates, with other modes of the contacts."""
        modes = column(record.closed for record in self.C.records)
        # at once, because which contacts are closed depends on the rates before
        return replace(expression, column([modes, self.A.dof_rates]), column([closed, rates]))


def _held(C: Contacts, closed: ca.SX, of: ca.SX) -> ca.SX:
    """Return the motion in gaps, or their rates, of closed contacts, to be subtracted, (nd, 1)."""
    hold = ca.diag(closed)
    matrix = ca.SX.eye(closed.numel()) - hold + hold @ C.slope @ C.normal_response @ hold
    return C.normal_response @ hold @ solve_small(matrix, hold @ of)


def _supported(
    C: Contacts, others: list[int], stays: ca.SX, response: ca.SX
) -> tuple[ca.SX, ca.SX]:
    """Return a response to a unit impulse while others stay closed, and their impulses."""
    if not others:
        return response, ca.SX(0, 1)
    hold = ca.diag(stays)
    slope, normal_response = C.slope[others, :], C.normal_response[:, others]
    matrix = ca.SX.eye(len(others)) - hold + hold @ slope @ normal_response @ hold
    impulses = hold @ solve_small(matrix, -hold @ slope @ response)
    return response + normal_response @ impulses, impulses


def _impulses(
    A: Assembly,
    C: Contacts,
    i: int,
    normal_response: ca.SX,
    tangential_response: ca.SX,
    arrival: _Arrival,
    restitution: ca.SX,
) -> tuple[ca.SX, ca.SX]:
    """Normal and tangential impulse: Poisson's restitution, Coulomb's friction, Routh's process.

    The normal impulse p grows; the contact slides until its sliding velocity vanishes, then sticks
    if friction is large enough, else slides on in the direction in which it is driven. Compression
    ends where the gap's rate vanishes, at p_c, and restitution at (1 + e) p_c. Without friction
    this is [Schwab2002] (5.18). Energy never increases, which Newton's law with friction does not
    guarantee.
    """
    c, approach, sliding = C.records[i], arrival.approach, arrival.sliding
    nn = C.slope[i, :] @ normal_response
    if c.sliding is None:
        return (1 + restitution) * approach / nn, ca.SX(0)  # [Schwab2002] (5.18)
    mu = A.resolve(ca.SX(c.friction))
    nt, tn = C.slope[i, :] @ tangential_response, C.sliding_slope[i, :] @ normal_response
    tt = C.sliding_slope[i, :] @ tangential_response
    side = ca.sign(sliding)
    first = -mu * side
    slows = side * (tn + first * tt) < 0
    stop = ca.if_else(
        side == 0, 0, ca.if_else(slows, -sliding / ca.if_else(slows, tn + first * tt, 1), NEVER)
    )
    sticks = ca.fabs(tn) <= mu * tt
    # a tangent that closed contacts block has no mobility, and needs no impulse
    then = ca.if_else(sticks, -tn / ca.if_else(tt > 0, tt, 1), -mu * ca.sign(tn))
    one, two = nn + nt * first, nn + nt * then
    early = one * stop >= approach
    compression = ca.if_else(
        early, approach / ca.if_else(early, one, 1), stop + (approach - one * stop) / two
    )
    normal = (1 + restitution) * compression
    return normal, first * ca.fmin(normal, stop) + then * ca.fmax(normal - stop, 0)


def project(
    A: Assembly, contacts: Contacts | None, switched: SwitchedConstraints | None
) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
    """Project values and rates of the degrees of freedom onto closed contacts and held slips.

    Returns
    -------
    rates, values, kinematic : SX
        q̇ᵈ, qᵈ and qᵏ after a step of Newton's method.
    drift : SX
        Largest violation by a gap, a rate or a slip, in parts of what is tolerable.
    """
    far, C = [], contacts
    rates, values, kinematic = A.dof_rates, A.dof_values, A.kinematic_values
    stopping = ca.SX(rates.numel(), 1)
    if switched is not None:
        stopping = switched.response @ switched.stopping(switched.slip)
        rates = switched.at_rest(rates + stopping)
        far.append(switched.drift())
    if C is not None:
        closed = column(c.closed for c in C.records)
        tolerable = column(DRIFT * c.size + 4 * A.resolve(c.rounding) for c in C.records)
        sizes = column(ca.SX(c.size) for c in C.records)
        moved = -_held(C, closed, C.gap)
        far.append(closed * (ca.fabs(C.gap) / tolerable + ca.fabs(C.rate) / (RATE_DRIFT * sizes)))
        kinematic = kinematic + C.kinematic_slope @ moved
        rates = rates - _held(C, closed, C.rate + C.slope @ stopping)
        values = values + moved[: len(A.dofs)]
    return rates, values, kinematic, ca.norm_inf(column(far))
