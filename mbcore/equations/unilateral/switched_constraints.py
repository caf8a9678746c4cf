"""Switched constraints: the forces that hold slips at zero, and the impulses that stop them.

With G the slips' rows over the degrees of freedom, a multiplier λ adds M̄⁻¹Gᵀλ to their
accelerations, and G M̄⁻¹Gᵀ λ to the slips' rates, which is symmetric and positive definite where
the held slips are independent. Neither G nor M̄ is made: the recursion gives the responses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
import scipy

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.unilateral.mobility_factors import REDUNDANT, MobilityFactors
from mbcore.equations.unilateral.sharing import shares
from mbcore.equations.unilateral.turning_friction import growing, inverse_of_two
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace, total
from mbcore.model.quantities.slips import Slip
from mbcore.model.quantities.switched_constraints import SLIP_DRIFT, SwitchedConstraint
from mbcore.model.quantities.unilateral import EPSILON
from mbcore.model.tables import derivatives

FOR_EVENTS = ("holds", "others", "tolerable", "mobility", "shared", "onset")
"""Symbols of a constraint that events know."""

MOST_CONES = 8
"""Number of cones that share the forces of redundant slips: the operations grow with its cube."""

ROUNDED = 64
"""Rounding errors of the velocities in a slip, each of which is the result of some operations."""


def switched_slips(A: Assembly) -> list[tuple[Slip, SwitchedConstraint]]:
    """Return the slips with a switched constraint, and these."""
    return [(slip, slip.held) for slip in A.free if slip.held is not None]


def switched_multipliers(A: Assembly) -> ca.SX:
    """Return the multipliers of switched constraints, shape (nh, 1)."""
    return column(constraint.multiplier for _, constraint in switched_slips(A))


Places = tuple[int, ...]


@dataclass(frozen=True)
class SwitchedConstraints:
    """The nh switched constraints, as expressions of the state like those of `Dynamics`.

    Attributes
    ----------
    slip : SX
        The slips, shape (nh, 1).
    tolerable : SX
        How large each of them may be by drift and rounding, shape (nh, 1).
    rows : SX
        ∂slip/∂v, shape (nh, n).
    response : SX
        Accelerations of the degrees of freedom by unit multipliers, rates by unit impulses,
        shape (nd, nh).
    active : SX
        Modes, shape (nh, 1).
    own : tuple of (slips, rates)
        Places of slips that are linear in as many rates of degrees of freedom at most, and of
        these: of a hinge's slip and its rate, of the slips of balls in a chain and of all rotations
        up to the last one.
    symbols : SX
        Symbols that say in events whether slips can be held, how many others are, how large
        slips are by drift and rounding, how a unit multiplier moves them, what sharing redundant
        forces adds to their multipliers, and in which direction they begin to slide, (6 nh, 1).
    limits : SX
        Largest multipliers of those that share cones; 0 for others, shape (nh, 1).
    cones : tuple of tuple of places
        Slips that share cones, in sets that have motions in common.
    sliding : dict of pair of places to SX
        Friction of the two slips of a contact, once they slide.
    """

    names: tuple[str, ...]
    slip: ca.SX
    tolerable: ca.SX
    rows: ca.SX
    response: ca.SX
    active: ca.SX
    own: tuple[tuple[Places, Places], ...]
    symbols: ca.SX
    limits: ca.SX
    cones: tuple[tuple[Places, ...], ...]
    sliding: dict[Places, ca.SX]
    _factors: MobilityFactors

    def at_rest(self, rates: ca.SX) -> ca.SX:
        """Return rates, or accelerations, (nd, 1), with exact zeros for those that are held."""
        rates = ca.SX(rates)
        holding = ca.vertsplit(self.active * self._factors.holding)
        for slips, dofs in self.own:
            # As many independent slips as rates that they depend on leave these no motion.
            held = total(holding[slip] for slip in slips) > len(dofs) - 0.5
            for dof in dofs:
                rates[dof] = ca.if_else(held, 0, rates[dof])
        return rates

    def stopping(self, rates: ca.SX) -> ca.SX:
        """Return the multipliers that take given rates from the held slips, (nh, k) to (nh, k)."""
        gate = ca.diag(self.active)
        return self.where_held(-gate @ self._factors.solve(gate @ rates))

    def where_held(self, changes: ca.SX) -> ca.SX:
        """Return what multipliers change, any shape; zero where friction holds no slip.

        It says what needs not be computed there: most joints slide most of the time.
        """
        return self._factors.where_held(changes)

    def stopped(self, velocities: ca.SX) -> ca.SX:
        """Return the multipliers that stop the held slips of velocities, (n, k) to (nh, k)."""
        return self.stopping(self.rows @ velocities)

    @property
    def measure(self) -> tuple[str, ca.SX]:
        """Names of the slips, and how independent those are that are held: 1, or less."""
        name = f"the held slips {', '.join(self.names)}, some of which follow from the others"
        return name, ca.fmax(self._factors.measure, REDUNDANT)

    def meanings(self, multipliers: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return symbols of the constraints for events, and their meanings, shape (6 nh, 1)."""
        holding = self._factors.holding * self.active
        others = ca.sum1(holding) - holding
        found = (self._factors.holding, others, self.tolerable, self._factors.mobility)
        shared = self._shared(multipliers)
        return self.symbols, ca.vertcat(*found, shared, self._onset(multipliers + shared))

    def _onset(self, multipliers: ca.SX) -> ca.SX:
        """Return the directions in which contacts begin to slide, each alone, shape (nh, 1).

        With D the mobility of a contact's slips while the other slips stay held, whose inverse is a
        block of the inverse of all, h = -λ what holds it, and F its friction once it slides, the
        direction e makes the acceleration D (h - F e) = f e with f > 0.
        """
        found = ca.SX.zeros(multipliers.numel())
        for pair, friction in self.sliding.items():
            places = list(pair)
            units = ca.SX.zeros(found.numel(), 2)
            units[places[0], 0] = units[places[1], 1] = 1
            alone = inverse_of_two(self._factors.solve(units)[places, :])
            holding = -multipliers[places]
            # A slip that follows from others has no mobility of its own.
            own = ca.logic_and(*(self._factors.holding[place] for place in places))
            found[places] = ca.if_else(own, growing(friction * alone, alone @ holding), holding)
        return found

    def _shared(self, multipliers: ca.SX) -> ca.SX:
        """Return what sharing redundant forces in cones adds to multipliers, shape (nh, 1)."""
        shared = ca.SX.zeros(multipliers.numel())
        directions = self._factors.without_effect() if self.cones else ca.SX()
        for cones in self.cones:
            shared += shares(multipliers, directions, self.limits, cones)
        return shared

    def drift(self) -> ca.SX:
        """Slips that are held, relative to their tolerance, shape (nh, 1)."""
        return self.active * self._factors.holding * ca.fabs(self.slip) / self.tolerable


def solve_switched_constraints(
    A: Assembly, substitute: Callable[[ca.SX], ca.SX], response: ca.SX, moved: ca.SX
) -> SwitchedConstraints | None:
    """Solve for the forces of switched constraints; None where the model has none.

    Parameters
    ----------
    substitute : callable
        Puts the velocities of the state into an expression.
    response, moved : SX
        What unit multipliers add to the accelerations of the degrees of freedom, (nd, nh), and to
        all of the velocity problem, (m, nh).

    Raises
    ------
    ModelError
        If no degree of freedom moves a slip.
    """
    held = switched_slips(A)
    if not held:
        return None
    slip = column(A.resolve(s.velocity) for s, _ in held)
    rows = ca.sparsify(derivatives.jacobian(slip, A.v))
    mobility = rows @ moved[: A.v.numel(), :]
    for i, (one, constraint) in enumerate(held):
        # A slip that constraints hold follows from these, as others do from held slips.
        if constraint.limit is None and ca.simplify(mobility[i, i]).is_zero():
            raise ModelError(
                f"{one.name} is held, but no degree of freedom with mass moves it; hold a slip "
                "that can be nonzero"
            )
    active = column(constraint.active for _, constraint in held)
    parts = ca.fabs(rows) @ ca.fabs(substitute(A.v))
    drift = SLIP_DRIFT * column(ca.SX(constraint.nominal) for _, constraint in held)
    tolerable = drift + ROUNDED * EPSILON * parts
    names = tuple(s.name for s, _ in held)
    settled = substitute(slip)
    shared = _cones_in_common(mobility, [constraint for _, constraint in held])
    in_cones = {i for cones in shared for cone in cones for i in cone}
    limits = [c.limit if i in in_cones else None for i, (_, c) in enumerate(held)]
    return SwitchedConstraints(
        names,
        settled,
        tolerable,
        rows,
        response,
        active,
        _own_rates(settled, A.dof_rates),
        column(getattr(c, what) for what in FOR_EVENTS for _, c in held),
        substitute(A.resolve(column(ca.SX(0) if one is None else one for one in limits))),
        shared,
        _sliding([c for _, c in held], lambda one: substitute(A.resolve(one))),
        MobilityFactors(mobility, _jolts(A, response, settled, held), [one for _, one in held]),
    )


def _cones_in_common(
    mobility: ca.SX, constraints: Sequence[SwitchedConstraint]
) -> tuple[tuple[Places, ...], ...]:
    """Return the cones of each set whose slips depend on each other, of two to `MOST_CONES`."""
    places = ca.sparsify(mobility).sparsity().get_triplet()
    together = scipy.sparse.csr_array((np.ones(len(places[0])), places), shape=mobility.shape)
    _, sets = scipy.sparse.csgraph.connected_components(together, directed=False)
    cones: dict[tuple[int, str], list[int]] = {}
    for i, constraint in enumerate(constraints):
        cone = constraint.stopping.cone
        if cone is not None:
            cones.setdefault((int(sets[i]), cone), []).append(i)
    common: dict[int, list[Places]] = {}
    for (one, _), slips in cones.items():
        common.setdefault(one, []).append(tuple(slips))
    return tuple(tuple(found) for found in common.values() if 1 < len(found) <= MOST_CONES)


def _sliding(
    constraints: Sequence[SwitchedConstraint], settle: Callable[[ca.SX], ca.SX]
) -> dict[Places, ca.SX]:
    """Return the friction of the two slips of each contact that has two, once they slide."""
    cones: dict[str, list[int]] = {}
    for i, constraint in enumerate(constraints):
        cone = constraint.stopping.cone
        if cone is not None and constraint.stopping.slides is not None:
            cones.setdefault(cone, []).append(i)
    found: dict[Places, ca.SX] = {}
    for slips in cones.values():
        friction = constraints[slips[0]].stopping.slides
        assert friction is not None
        found[tuple(slips)] = settle(friction)
    return found


def _jolts(
    A: Assembly, response: ca.SX, slip: ca.SX, held: Sequence[tuple[Slip, SwitchedConstraint]]
) -> ca.SX:
    """Return what stopping each slip alone changes of the rates, times its mobility, (nh, 1)."""
    if not response.shape[0]:
        return ca.SX.zeros(slip.numel())
    states = A.state_records()[: response.shape[0]]
    parts = ca.diag(ca.DM([1 / state.nominal for state in states])) @ ca.fabs(response)
    sizes = ca.vertsplit(ca.fabs(slip))
    for k, (_, constraint) in enumerate(held):
        if math.isfinite(constraint.stopping.resting):
            sizes[k] = ca.fmin(sizes[k], constraint.stopping.resting)
    return column(ca.mmax(parts[:, k]) * size for k, size in enumerate(sizes))


def _own_rates(slips: ca.SX, rates: ca.SX) -> tuple[tuple[Places, Places], ...]:
    """Return sets of slips that are linear in as many rates at most, and these."""
    by_rates = ca.sparsify(derivatives.jacobian(slips, rates))
    at_rest = replace(slips, rates, ca.SX.zeros(rates.numel()))
    linear: dict[int, frozenset[int]] = {}
    for i in range(slips.numel()):
        places = by_rates[i, :].sparsity().get_col()
        if places and not depends(by_rates[i, :], rates) and ca.simplify(at_rest[i]).is_zero():
            linear[i] = frozenset(places)
    return tuple((_inside(linear, dofs), tuple(sorted(dofs))) for dofs in _closed(linear))


def _inside(linear: Mapping[int, frozenset[int]], rates: frozenset[int]) -> Places:
    """Return the slips that depend on no other rates than these."""
    return tuple(i for i, own in linear.items() if own <= rates)


def _closed(linear: Mapping[int, frozenset[int]]) -> list[frozenset[int]]:
    """Return the smallest sets of rates with as many slips that depend on no others.

    They are joined from the rates of single slips: in a chain of rotations that are measured from
    the ground, each joint adds its slips and as many rates to the sets of those before it.

    Parameters
    ----------
    linear : mapping of int to set
        Places of the rates in which a slip is linear.
    """

    def size(rates: frozenset[int]) -> tuple[int, ...]:
        return (len(rates), *sorted(rates))

    def enough(rates: frozenset[int]) -> bool:
        return len(_inside(linear, rates)) >= len(rates)

    left, found = {*linear.values()}, list[frozenset[int]]()
    while left:
        joined = {one | other for one in left for other in (one, *found) if one & other}
        joined |= {_connected(one, linear.values()) for one in left}
        least = min(filter(enough, joined), key=size, default=None)
        if least is None:
            break
        found.append(least)
        left = {one for one in left if not one <= least}
    return found


def _connected(rates: frozenset[int], sets: Collection[frozenset[int]]) -> frozenset[int]:
    """Return rates with all those that sets connect to them."""
    near = rates.union(*(one for one in sets if one & rates))
    return rates if near == rates else _connected(near, sets)
