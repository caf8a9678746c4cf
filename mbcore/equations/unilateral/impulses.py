"""Impulses of contacts that meet, [Schwab2002] (5.17), with friction, while others are closed.

Held slips stay held: the responses of contacts are those of the mechanism with these slips held.

Used by `mbcore.equations.unilateral.transitions` alone; it stands apart because impulses are solved
for, and transitions assign what results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.contact_groups import solve_in_groups
from mbcore.equations.assembly.multipliers import Contacts
from mbcore.equations.unilateral.groups import Choice, Group
from mbcore.equations.unilateral.pressed import LARGE, pressed
from mbcore.equations.unilateral.switched_constraints import SwitchedConstraints
from mbcore.equations.unilateral.turning_friction import (
    FEW,
    STEPS,
    Mobility,
    TurningImpact,
)
from mbcore.model.expressions import column, replace
from mbcore.model.quantities.unilateral import DRIFT, LOWEST_BOUNCE, RATE_DRIFT, Unilateral

ROUNDING = 1e-12
"""Part of an impulse that counts as rounding where a closed contact seems to be pulled."""
SLOWEST = 1e-3
"""Part of a speed that is left where the forces at the contact explain more than all of it."""
FASTEST = 1e30
"""A speed, m/s, that is larger than that of any impact."""
NEVER = 1e30
"""An impulse, N.s, larger than that of any impact."""


@dataclass(frozen=True)
class Meeting:
    """An impact in a group: its degrees of freedom and kinematic coordinates afterwards.

    Attributes
    ----------
    rates, values : SX
        q̇ᵈ after the impact, and qᵈ with the gap exactly closed, of the group's degrees of freedom,
        shape (ngd, 1); the values of slips among them have no meaning.
    kinematic : SX
        qᵏ, likewise, shape (ngk, 1).
    closed : SX
        Modes of its contacts afterwards, shape (ng, 1).
    approach : SX
        -ġ⁻ where the gap vanishes, m/s, zero where it opens already.
    flights, heights : SX
        Expected time, s, until each contact meets next, and the height, m, of a flight that long
        that ends with the same speed; 0 where it does not, of its contacts, then of others that
        feel their motion.
    meanings : tuple of (SX, SX)
        Symbols of its contacts' records, and their values for the one that meets.
    """

    rates: ca.SX
    values: ca.SX
    kinematic: ca.SX
    closed: ca.SX
    approach: ca.SX
    flights: ca.SX
    heights: ca.SX
    meanings: tuple[tuple[ca.SX, ca.SX], ...]


def meet(A: Assembly, everything: Contacts, group: Group, hits: Sequence[ca.SX]) -> Meeting:
    """Return the impact of the contact of a group that meets; those that it presses stay closed.

    A contact closes where its next impacts, with the present acceleration, [Schwab2002] (5.24),
    would be over within the settling time, [Schwab2002] (5.26), or where their height is below
    rounding errors. If the contact closes, so does one that this impact relieves, by the same
    criteria: so parts that rock come to rest.

    Parameters
    ----------
    everything : Contacts
        All contacts of the model.
    hits : sequence of SX
        Whether each contact of the group is the one that meets.
    """
    return _Impact(A, everything, group, hits).meeting()


class _Impact:
    """The impact of one contact of a group; vectors are in the order of the group's contacts."""

    def __init__(
        self, A: Assembly, everything: Contacts, group: Group, hits: Sequence[ca.SX]
    ) -> None:
        self.A, self.C, self.group, self.all = A, group.contacts, group, everything
        self.choice = choice = Choice(hits)
        C = self.C
        self.slope, self.sliding_slope = choice.of(C.slope), choice.tangents_of(C.sliding_slope)
        self.response = choice.column_of(C.normal_response)
        self.rubbing = choice.tangents_of(C.tangential_response.T).T
        self.modes = column(record.closed for record in C.records)
        self.before = A.dof_rates[list(group.dofs)]
        rate = choice.of(C.rate)
        self.approach = self.arriving(rate)
        response = _supported(C, self.others_of(self.modes), self.response)[0]
        response = response / (self.slope @ response)
        slowed = ca.fmax(-rate, 0) - self.approach
        self.back = response * slowed
        self.moved = self.to_threshold(-response * choice.of(C.gap))
        self.rates = self.before + self.back
        self.sliding = choice.tangents_of(C.sliding) + self.sliding_slope @ self.back
        self._borne: tuple[ca.SX, ca.SX] | None = None
        self._turning: TurningImpact | None = None  # the same for any restitution, if alone

    def meeting(self) -> Meeting:
        """Return the motion after the impact, and the values of the records' symbols."""
        A, C, chosen = self.A, self.C, self.choice.of
        e = chosen(column(A.resolve(ca.SX(c.restitution)) for c in C.records))
        elastic = self.after(e)
        soon, flights, heights = self.come_to_rest(elastic[2], elastic[3])
        closes, flight, height = chosen(soon), chosen(flights), chosen(heights)
        either = zip(self.after(ca.SX(0)), elastic, strict=True)
        normal, tangential, rates, stays = (ca.if_else(closes, zero, e) for zero, e in either)
        stays = self.relieved(closes, rates, stays)
        closed = self.with_own(closes, stays)
        work = normal * (chosen(self.at(rates, closed, C.rate)) - self.approach) / 2
        if self.rubs:
            after = self.choice.tangents_of(self.at(rates, closed, C.sliding))
            work += ca.dot(tangential, after + self.sliding) / 2
        left = self.at(rates, closed, C.rate)
        holding = _holding(C, closed, left)  # zero but for contacts that close with the one
        rates = rates - C.normal_response @ holding
        if not self.choice.alone:
            work -= ca.dot(holding, left) / 2
        normal_response = _supported(C, stays, self.response)[0]
        mass = 1 / (self.slope @ normal_response)  # [Schwab2002] (5.19)
        values = (
            ("approach", self.approach),
            ("impulse", normal),
            ("tangential_impulse", ca.vertcat(tangential, 0)[:2]),
            ("effective_mass", mass),
            ("loss", -work),  # [Schwab2002] (5.21)
            ("flight", flight),
            ("height", height),
        )
        meanings = tuple((getattr(c, name), value) for c in C.records for name, value in values)
        kinematic = A.kinematic_values[list(self.group.kinematic)] + C.kinematic_slope @ self.moved
        return Meeting(
            rates,
            self.values(),
            kinematic,
            closed,
            self.approach,
            *self.foreseen_after(rates, closed),
            meanings,
        )

    def values(self) -> ca.SX:
        """Return qᵈ with the gap closed; slips have none."""
        A, dofs = self.A, self.group.dofs
        values = [A.dof_values[k] if k < len(A.dofs) else ca.SX(0) for k in dofs]
        return column(values) + self.moved

    def foreseen_after(self, rates: ca.SX, closed: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return times until contacts meet next and heights, after the impact."""
        A, C, group = self.A, self.C, self.group
        own = self.at(rates, closed, column([C.rate, C.acceleration]))
        mine = foreseen(A, C.records, own, closed, C.gap + C.slope @ self.moved)
        if not group.others:
            return mine
        records = [self.all.records[j] for j in group.others]
        modes = column(record.closed for record in records)
        gaps = self.all.gap[list(group.others)]
        theirs = foreseen(A, records, self.at(rates, closed, group.foreign), modes, gaps)
        return column([mine[0], theirs[0]]), column([mine[1], theirs[1]])

    @property
    def rubs(self) -> bool:
        """Whether any contact of the group has friction."""
        return any(record.sliding is not None for record in self.C.records)

    def others_of(self, modes: ca.SX) -> ca.SX:
        """Return modes of contacts, with that of the one that meets zero."""
        itself = self.choice.itself
        return ca.SX(1, 1) if self.choice.alone else ca.if_else(itself > 0.5, 0, modes)

    def with_own(self, own: ca.SX, modes: ca.SX) -> ca.SX:
        """Return modes of contacts, with that of the one that meets as given."""
        return ca.if_else(self.choice.itself > 0.5, own, modes)

    def to_threshold(self, moved: ca.SX) -> ca.SX:
        """Return by how much states move so that the gap vanishes: back to where the parts met.

        Contacts that have been closed since then stay closed. Where an impact comes too early, the
        parts go no farther than to where others meet, who would have to be lifted again.
        """
        C = self.C
        if self.choice.alone:
            return moved
        part, by = ca.SX(1), C.slope @ moved
        for j, record in enumerate(C.records):
            lowered = ca.logic_and(record.closed < 0.5, by[j] < 0)
            lowered = ca.logic_and(lowered, ca.logic_not(self.choice.hits[j]))
            left = ca.fmax(C.gap[j], 0) / ca.if_else(lowered, -by[j], 1)
            part = ca.if_else(lowered, ca.fmin(part, left), part)
        return moved * ca.if_else(self.choice.of(C.gap) > 0, part, 1)

    def arriving(self, rate: ca.SX) -> ca.SX:
        """Return the approach speed where the gap vanishes.

        An importer's solver finds an impact late, at a gap d < 0, or before it by its tolerance.
        To put the gap to zero changes the energy by m_e g̈ d; the speed changes with it, so that no
        energy is made: v² = (ġ⁻)² - 2 g̈ d. A part of d that is an error of the solver, whose
        speed is right, has changed the energy before.
        """
        C, chosen = self.C, self.choice.of
        speed, pull = ca.fmax(-rate, 0), -chosen(C.acceleration)
        flight = chosen(column(c.foreseen_flight for c in C.records))
        told, height = flight < 0, chosen(column(c.foreseen_height for c in C.records))
        late = chosen(C.gap) - ca.if_else(told, height, 0)
        square = ca.fmax(speed**2 + 2 * ca.fmax(pull, 0) * late, (SLOWEST * speed) ** 2)
        there = ca.fmin(ca.sqrt(square), ca.if_else(told, -flight, FASTEST))
        return ca.if_else(speed > 0, there, 0)

    def after(self, restitution: ca.SX) -> tuple[ca.SX, ...]:
        """Return impulses, the rates after, [Schwab2002] (5.20), and which others stay closed."""
        if self.rubs or self._borne is None:  # without friction, impulses are in proportion
            self._borne = self.borne(restitution)
        both, stays = self._borne
        normal, tangential = self.impulses(both, restitution)
        rates = self.rates + both[:, 0] * normal + both[:, 1:] @ tangential  # [Schwab2002] (5.20)
        return normal, tangential, rates, stays

    def borne(self, restitution: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return the responses to unit impulses, (ngd, 1 + k), and which others stay, (ng, 1)."""
        C, stays = self.C, self.others_of(self.modes)
        asked = ca.horzcat(self.response, self.rubbing)
        if self.choice.alone:
            return asked, stays
        mobility = ca.sparsify(C.slope @ C.normal_response)
        if len(C.records) > LARGE and mobility.is_dense():

            def pulled(impulses: ca.SX) -> ca.SX:
                return self.pulled(asked + C.normal_response @ impulses, impulses, restitution)

            stays, impulses = pressed(mobility, stays, C.slope @ asked, pulled)
            return asked + C.normal_response @ impulses, stays
        # A contact that is pulled opens, after which others may be pulled: one round for each.
        for _ in range(len(C.records)):
            both, impulses = _supported(C, stays, asked)
            stays = stays * ca.logic_not(self.pulled(both, impulses, restitution))
        return both, stays

    def pulled(self, both: ca.SX, impulses: ca.SX, restitution: ca.SX) -> ca.SX:
        """Return whether others are pulled, given responses and impulses that support them."""
        normal, tangential = self.impulses(both, restitution, FEW)
        borne = impulses[:, 0] * normal + impulses[:, 1:] @ tangential
        return ca.logic_not(borne >= -ROUNDING * normal)

    def come_to_rest(self, rates: ca.SX, closed: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Whether contacts close after a bounce with these rates, its duration and height."""
        A, C = self.A, self.C
        e = column(A.resolve(ca.SX(c.restitution)) for c in C.records)
        lowest = column(LOWEST_BOUNCE * c.size + 10 * A.resolve(c.rounding) for c in C.records)
        settling = column(A.resolve(ca.SX(c.settling_time)) for c in C.records)
        there = self.at(rates, closed, column([C.rate, C.acceleration]))
        leaving, pull = there[: len(C.records)], -there[len(C.records) :]
        flight = 2 * leaving / ca.if_else(pull > 0, pull, 1)  # [Schwab2002] (5.25)
        height = leaving * flight / 4
        low = height * (1 - e**2 + 1e-6) <= lowest
        over = flight <= (1 - e) * settling  # [Schwab2002] (5.26)
        soon = ca.logic_and(pull > 0, ca.logic_or(over, low))
        flies = ca.logic_and(pull > 0, ca.logic_not(soon))
        return soon, ca.if_else(flies, flight, 0), ca.if_else(flies, height, 0)

    def relieved(self, closes: ca.SX, rates: ca.SX, stays: ca.SX) -> ca.SX:
        """Close contacts that the impact relieves and that would soon rest, if the one closes."""
        if self.choice.alone:
            return stays
        back = self.come_to_rest(rates, self.with_own(closes, stays))[0]
        relieved = ca.logic_and(self.others_of(self.modes) > 0.5, stays < 0.5)
        return ca.if_else(ca.logic_and(ca.logic_and(relieved, closes), back), 1, stays)

    def at(self, rates: ca.SX, closed: ca.SX, expression: ca.SX) -> ca.SX:
        """Return an expression at other rates, with other modes of the contacts."""
        # at once, because which contacts are closed depends on the rates before
        return replace(expression, column([self.modes, self.before]), column([closed, rates]))

    def impulses(
        self, responses: ca.SX, restitution: ca.SX, steps: int = STEPS
    ) -> tuple[ca.SX, ca.SX]:
        """Return both impulses: Poisson's restitution, Coulomb's friction, Routh's process.

        The tangential one has as many parts as there are directions of sliding. The normal impulse
        p grows; the contact slides until its sliding velocity vanishes, then sticks if friction is
        large enough, else slides on in the direction in which it is driven.
        Compression ends where the gap's rate vanishes, at p_c, and restitution at (1 + e) p_c.
        Without friction this is [Schwab2002] (5.18). Energy never increases, which Newton's law
        with friction does not guarantee.
        """
        approach, sliding = self.approach, self.sliding
        nn, nt = self.slope @ responses[:, 0], self.slope @ responses[:, 1:]
        if not self.rubs:
            none = ca.SX.zeros(nt.numel())
            return (1 + restitution) * approach / nn, none  # [Schwab2002] (5.18)
        mu = self.choice.of(column(self.A.resolve(ca.SX(c.friction)) for c in self.C.records))
        tn, tt = self.sliding_slope @ responses[:, 0], self.sliding_slope @ responses[:, 1:]
        if sliding.numel() > 1:
            if self._turning is None or not self.choice.alone:
                mobility = Mobility(nn, nt, tn, tt)
                self._turning = TurningImpact(mobility, approach, sliding, mu, steps)
            return self._turning.impulses(restitution)
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


def foreseen(
    A: Assembly, records: Sequence[Unilateral], there: ca.SX, closed: ca.SX, gap: ca.SX
) -> tuple[ca.SX, ca.SX]:
    """Return the times until contacts meet next, from these gaps on, and heights, (nc, 1).

    An impact changes the speeds of many contacts, so each flight is foreseen anew, by its present
    acceleration.

    Parameters
    ----------
    there : SX
        Rates of the gaps, then their accelerations, shape (2 nc, 1).
    closed, gap : SX
        Modes and gaps.
    """
    count = len(records)
    enabled = column(A.resolve(ca.SX(record.enabled)) for record in records)
    rate, pull, gap = there[:count], -there[count:], ca.fmax(gap, 0)
    square = rate**2 + 2 * pull * gap
    meets = ca.if_else(rate > 0, pull > 0, ca.logic_and(gap > 0, square > 0))
    meets = ca.logic_and(meets, ca.logic_and(closed < 0.5, enabled > 0.5))
    speed = ca.sqrt(ca.if_else(meets, square, 1))
    falling = 2 * gap / ca.if_else(rate > 0, 1, speed - rate)
    flight = ca.if_else(rate > 0, (rate + speed) / ca.if_else(pull > 0, pull, 1), falling)
    return ca.if_else(meets, flight, 0), ca.if_else(meets, speed * flight / 4, 0)


def _held(C: Contacts, closed: ca.SX, of: ca.SX) -> ca.SX:
    """Return the motion in gaps, or their rates, of closed contacts, to be subtracted, (nd, 1)."""
    return C.normal_response @ _holding(C, closed, of)


def _holding(C: Contacts, closed: ca.SX, of: ca.SX) -> ca.SX:
    """Return the impulses, (nc, 1), whose opposites end the rates of closed contacts' gaps."""
    hold = ca.diag(closed)
    matrix = ca.SX.eye(closed.numel()) - hold + hold @ C.slope @ C.normal_response @ hold
    return hold @ solve_in_groups(matrix, hold @ of, C.groups)


def _supported(C: Contacts, stays: ca.SX, response: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return responses to unit impulses while others of a group stay closed, and their impulses."""
    if len(C.records) == 1:
        return response, ca.SX(1, response.shape[1])
    hold = ca.diag(stays)
    matrix = ca.SX.eye(stays.numel()) - hold + hold @ C.slope @ C.normal_response @ hold
    impulses = hold @ solve_in_groups(matrix, -hold @ C.slope @ response, C.groups)
    return response + C.normal_response @ impulses, impulses


def project(
    A: Assembly, contacts: Contacts | None, switched: SwitchedConstraints | None
) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
    """Project values and rates of the degrees of freedom onto closed contacts and held slips.

    Returns
    -------
    rates, values, kinematic : SX
        q̇ᵈ, qᵈ and qᵏ after a step of Newton's method.
    drift : SX
        Largest violation by a gap, a rate or a slip, relative to its tolerance.
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
