"""Forces that accelerations decide: those of held slips, of contacts and of implicit laws.

Accelerations and constraint forces are affine in them. Held slips are solved for first, so that
contacts act on the mechanism with these slips held, and implicit laws on what both leave free.

Used by `mbcore.equations.dynamics` alone; it stands apart because the equations of motion are the
same without these forces.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.multipliers import Contacts, contact_symbols, solve_contacts
from mbcore.equations.assembly.rates import Rates, refuse_missing
from mbcore.equations.assembly.reactions import reactions
from mbcore.equations.elimination.velocity import VelocityProblem, balancing_stresses
from mbcore.equations.implicit_forces import (
    ConstraintForces,
    ImplicitForces,
    solve_implicit_laws,
)
from mbcore.equations.unilateral.switched_constraints import (
    solve_switched_constraints,
    switched_multipliers,
    switched_slips,
)
from mbcore.model.expressions import any_of, column, depends, replace, scalars
from mbcore.model.tables import derivatives


@dataclass(frozen=True)
class Unforced:
    """The equations of motion before these forces are known.

    Attributes
    ----------
    velocity : VelocityProblem
        The solved velocity problem.
    rate_of : Rates
        Total derivatives, in ``accelerations``.
    accelerations : SX
        Symbols of those of the degrees of freedom, shape (nd, 1).
    applied : SX
        Applied forces, in the symbols of those that are unknown, shape (nv, 1).
    right : SX
        D g of [Schwab2002] (A.104), shape (m, 1).
    settling : (SX, SX)
        Velocities, and their values by the state.
    """

    velocity: VelocityProblem
    rate_of: Rates
    accelerations: ca.SX
    applied: ca.SX
    right: ca.SX
    settling: tuple[ca.SX, ca.SX]

    @property
    def assembly(self) -> Assembly:
        """The assembly of the velocity problem."""
        return self.velocity.assembly

    def settled(self, expression: ca.SX) -> ca.SX:
        """Replace velocities in an expression by functions of the state."""
        return replace(expression, *self.settling)


class UnknownForces:
    """The forces, and the motion with them.

    Parameters
    ----------
    unforced : Unforced
        The equations of motion without them.
    symbols : SX
        Forces of contacts, held slips and implicit laws, shape (k, 1).
    there, by_units : (SX, SX)
        Accelerations of the degrees of freedom and of all speeds without these forces, and
        what a unit of each of them adds, with k columns.

    Attributes
    ----------
    values : SX
        Of the symbols, shape (k, 1).
    free, a : SX
        Accelerations of the degrees of freedom and of all speeds, shapes (nd, 1) and (m, 1).
    contacts : Contacts or None
        Forces and impulses of unilateral contacts, with held slips held.
    switched : SwitchedConstraints or None
        Slips that are held while a condition holds.
    switched_forces : SX
        Values of their multipliers, shape (nh, 1).
    moved_by_switched : SX
        What units of these add to all speeds' rates, shape (m, nh).
    pushes : SX
        Accelerations of the degrees of freedom by unit forces of contacts, then of held slips,
        others staying as they are, shape (nd, nc + nt + nh).
    implicit : ImplicitForces or None
        Forces of laws that depend on constraint forces.
    law_forces : SX
        Their values, shape (nl, 1).
    of_laws, moved_by_laws, held_by_laws, multipliers_by_laws : SX
        What units of these add to the accelerations, to the multipliers of held slips, and to
        those of the velocity problem's rows, with nl columns; the last where there are laws.
    """

    def __init__(
        self,
        unforced: Unforced,
        symbols: ca.SX,
        there: tuple[ca.SX, ca.SX],
        by_units: tuple[ca.SX, ca.SX],
    ) -> None:
        self._unforced, self._symbols = unforced, symbols
        self.contacts: Contacts | None = None
        self.implicit: ImplicitForces | None = None
        self.law_forces = ca.SX(0, 1)
        A = unforced.assembly
        (free, a), (response, moved) = there, by_units
        nc, nh = int(contact_symbols(A).numel()), int(switched_multipliers(A).numel())
        others = [*range(nc), *range(nc + nh, symbols.numel())]
        self.pushes = response[:, : nc + nh]
        of_switched = response[:, nc : nc + nh]
        moved_by_switched = self.moved_by_switched = moved[:, nc : nc + nh]
        response, moved = response[:, others], moved[:, others]
        switched = self.switched = solve_switched_constraints(
            A, self._unforced.settled, of_switched, moved_by_switched
        )
        holding, by_others = ca.SX(0, 1), ca.SX(0, len(others))
        if switched is not None:
            holding, held = switched.stopping(self._slip_rates(a)), switched.where_held
            free, a = free + held(of_switched @ holding), a + held(moved_by_switched @ holding)
        if switched is not None and others:
            # A push is answered by the held slips, so its response is the one with these.
            by_others = switched.stopped(moved[: A.v.numel(), :])
            response = response + switched.where_held(of_switched @ by_others)
            moved = moved + switched.where_held(moved_by_switched @ by_others)
        pushed, answers = ca.SX(0, 1), ca.SX(0, len(others) - nc)
        of_laws, moved_by_laws = response[:, nc:], moved[:, nc:]
        if nc:
            contacts = self._solve_contacts(free, response[:, :nc], of_laws)
            pushed, answers = contacts.forces, contacts.answers
            free, a = free + response[:, :nc] @ pushed, a + moved[:, :nc] @ pushed
            of_laws = of_laws + response[:, :nc] @ answers
            moved_by_laws = moved_by_laws + moved[:, :nc] @ answers
        holding = holding + by_others[:, :nc] @ pushed if nc else holding
        self.held_by_laws = by_others[:, nc:] + by_others[:, :nc] @ answers
        self.of_laws, self.moved_by_laws = of_laws, moved_by_laws
        self._by_laws = ca.vertcat(answers, self.held_by_laws, ca.SX.eye(of_laws.shape[1]))
        without = column([pushed, holding, ca.SX.zeros(of_laws.shape[1])])
        if A.implicit.names:
            self.implicit = self._solve_laws(symbols, a, without)
            self.law_forces = f = self.implicit.forces
            free, a = free + of_laws @ f, a + moved_by_laws @ f
            without = without + self._by_laws @ f
            if self.contacts is not None:
                self.contacts = _with_laws(self.contacts, without[:nc], of_laws @ f)
            self.implicit = self.implicit.where(self._is_possible(without[nc : nc + nh]))
        self.switched_forces = column(scalars(without)[nc : nc + nh])
        self.values, self.free, self.a = without, free, a

    def _solve_laws(self, symbols: ca.SX, a: ca.SX, forces: ca.SX) -> ImplicitForces:
        """Solve the implicit laws, where ``a`` and ``forces`` are those without these."""
        U = self._unforced
        A, V, nv = U.assembly, U.velocity, U.assembly.v.numel()
        applied = U.settled(replace(U.applied, symbols, forces) - A.h)
        stresses = V.stresses(V.multipliers(applied - A.M @ a[:nv]))
        pushes = U.settled(derivatives.jacobian(U.applied, symbols)) @ self._by_laws
        rest = V.padded(ca.sparsify(pushes - A.M @ self.moved_by_laws[:nv, :]))
        self.multipliers_by_laws = balancing_stresses(V.solver, rest)
        by_laws = V.stresses(self.multipliers_by_laws)
        some = ca.SX.sym("stresses", stresses.numel())
        pairs = [
            *zip((q.dual for q in A.velocity_rows), scalars(some), strict=True),
            *reactions(A, A.v, A.a, some),
            (symbols, symbols),
        ]
        used = [s for s in ca.symvar(A.implicit.laws) if depends(column(p for p, _ in pairs), s)]
        R = column(used)
        moving = column([A.a, some, symbols])
        values = replace(R, column(p for p, _ in pairs), column(v for _, v in pairs))
        response = U.settled(derivatives.jacobian(values, moving)) @ ca.vertcat(
            self.moved_by_laws[:nv, :], by_laws, self._by_laws
        )
        without = U.settled(replace(values, moving, column([a[:nv], stresses, forces])))
        laws = A.resolve(A.implicit.laws)
        self._laws, self._law_stresses = replace(laws, R, values), some
        constraint = ConstraintForces(R, without, response)
        return solve_implicit_laws(A.implicit, U.settled(laws), constraint)

    def _is_possible(self, holding: ca.SX) -> ca.SX:
        """Return whether no held slip takes more than its limit: else it is about to slide."""
        assert self.implicit is not None
        U, exceeded = self._unforced, []
        for (_, held), force in zip(switched_slips(U.assembly), scalars(holding), strict=True):
            if held.limit is not None:
                limit = self.implicit.at(U.settled(U.assembly.resolve(held.limit)))
                exceeded.append(ca.fabs(force) > limit)
        if self.switched is None or not exceeded:
            return ca.SX(1)
        return ca.logic_not(self.switched.where_held(any_of(column(exceeded))))

    def laws_at(self, multipliers: ca.SX) -> ca.SX:
        """Return what implicit laws say, given multipliers, in symbols of velocities and forces."""
        stresses = self._unforced.velocity.stresses(multipliers)
        return replace(self._laws, self._law_stresses, stresses)

    def _solve_contacts(self, free: ca.SX, response: ca.SX, others: ca.SX) -> Contacts:
        U = self._unforced
        A, V = U.assembly, U.velocity

        def total_rate(expression: ca.SX) -> ca.SX:
            rates = V.solver.solve(ca.sparsify(V.by_dofs @ U.accelerations + U.right))
            return U.rate_of(expression, rates[: A.v.numel()])

        contacts = self.contacts = solve_contacts(
            A, total_rate, U.settled, U.accelerations, free, response, others
        )
        for i, record in enumerate(contacts.records):
            rates = ca.vertcat(contacts.rate[i], contacts.acceleration[i])
            refuse_missing(rates, f"contact {record.name}", A, U.rate_of.missing)
        return contacts

    def slip_rates_by(self, a: ca.SX) -> ca.SX:
        """Return the rates of slips that may be held, for accelerations (m, 1), in all symbols."""
        A, rate_of = self._unforced.assembly, self._unforced.rate_of
        slips = [s for s, _ in switched_slips(A)]
        return rate_of(column(A.resolve(s.velocity) for s in slips), a[: A.v.numel()])

    def _slip_rates(self, a: ca.SX) -> ca.SX:
        """Return the rates of slips that may be held, with accelerations (m, 1) of all."""
        U, rates = self._unforced, self.slip_rates_by(a)
        slips = switched_slips(U.assembly)
        for (slip, _), rate in zip(slips, ca.vertsplit(rates), strict=True):
            refuse_missing(rate, f"held slip {slip.name}", U.assembly, U.rate_of.missing)
        return U.settled(rates)


def _with_laws(contacts: Contacts, forces: ca.SX, accelerations: ca.SX) -> Contacts:
    """Return contacts with implicit laws, which add these accelerations of degrees of freedom."""
    changed = contacts.acceleration + contacts.slope @ accelerations
    return dataclasses.replace(contacts, forces=forces, acceleration=changed)
