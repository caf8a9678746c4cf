"""The equations of [Schwab2002] A.1 and A.4 as expressions: from index sets to accelerations.

Virtual velocities keep prescribed deformations fixed (Jourdain); motions that depend on the state
bring their accelerations to the left-hand side.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.multipliers import Contacts, contact_symbols, solve_contacts
from mbcore.equations.assembly.rates import Rates, refuse_missing
from mbcore.equations.assembly.reactions import element_reactions, support_reactions
from mbcore.equations.elimination.recursion import Recursion
from mbcore.equations.elimination.relations import Relations
from mbcore.equations.elimination.velocity import VelocityProblem, balancing_stresses
from mbcore.equations.implicit_forces import (
    ConstraintForces,
    ImplicitForces,
    solve_implicit_laws,
)
from mbcore.equations.unilateral.switched_constraints import (
    SwitchedConstraints,
    solve_switched_constraints,
    switched_multipliers,
    switched_slips,
)
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace, scalars


class Dynamics:
    """Solved equations; every expression is a function of (t, s, d, u, p) and x.

    Attributes
    ----------
    v, a : SX
        Velocities, [Schwab2002] (A.99), and accelerations, [Schwab2002] (A.103), shape (n, 1).
    derivative : SX
        Time derivative of the state, [Schwab2002] (A.110).
    contacts : Contacts or None
        Forces and impulses of unilateral contacts, with held slips held.
    switched : SwitchedConstraints or None
        Slips that are held while a condition holds.
    switched_forces : SX
        Values of their multipliers, shape (nh, 1).
    implicit : ImplicitForces or None
        Forces of laws that depend on constraint forces.
    law_forces : SX
        Their values, shape (nl, 1).
    measures : list of (names, SX)
        Names and conditioning measures of the velocity problem's blocks.
    velocity : VelocityProblem
        The solved velocity problem.
    reduced : Reduced
        The equations of motion of the degrees of freedom.
    laws_of_state : bool
        Whether motions depend on rates, so that the reduced mass is not HᵀMH.
    missing : tuple of (SX, str)
        Markers of rates that are not given.
    signal_rates : tuple of SX
        Symbols of the rates of signals, and their expressions.
    """

    def __init__(self, velocity: VelocityProblem, reduced: Reduced) -> None:
        self.velocity, self.reduced = velocity, reduced
        self.laws_of_state = reduced.laws_of_state
        self.v = reduced.v
        self.a = reduced.a
        self.derivative = reduced.derivative
        self.contacts = reduced.contacts
        self.switched = reduced.switched
        self.switched_forces = reduced.switched_forces
        self.implicit = reduced.implicit
        self.law_forces = reduced.law_forces
        self.missing = reduced.missing
        self.signal_rates = reduced.rate_of.of_signals

    @property
    def stresses(self) -> ca.SX:
        """Stresses of ι(ε^o, ε^m, ε^d, s^d, s^o) less the laws' part, shape (n, 1).

        Source: [Schwab2002] (A.108).
        """
        return self.reduced.stresses

    @property
    def measures(self) -> list[tuple[str, ca.SX]]:
        """Names and conditioning measures of the velocity problem's blocks."""
        held = [] if self.switched is None else [self.switched.measure]
        laws = [] if self.implicit is None else [self.implicit.measure]
        return self.velocity.measures() + held + laws

    @cached_property
    def felt_motions(self) -> list[int]:
        """Places of the prescribed motions whose acceleration acts on a mass."""
        return self.reduced.felt_motions()

    @cached_property
    def H(self) -> ca.SX:
        """Transfer from rates of the degrees of freedom to v, [Schwab2002] (A.102), (n, nd)."""
        return self.velocity.H

    @cached_property
    def M_reduced(self) -> ca.SX:
        """Reduced mass matrix of [Schwab2002] (A.107), shape (nd, nd)."""
        return self.reduced.mass()

    @cached_property
    def f_reduced(self) -> ca.SX:
        """Reduced force of [Schwab2002] (A.107), shape (nd, 1)."""
        return self.reduced.force()


def solve_dynamics(assembly: Assembly, velocity: VelocityProblem | None = None) -> Dynamics:
    """Make the equations of a model with consistent roles.

    Raises
    ------
    ModelError
        If a law of the state cannot be solved for: a velocity or acceleration enters it
        nonlinearly.
    """
    velocity = velocity or VelocityProblem(Relations(assembly))
    return Dynamics(velocity, Reduced(velocity))


class Reduced:
    """The equations of motion of the degrees of freedom, solved."""

    def __init__(self, velocity: VelocityProblem) -> None:
        self.velocity = velocity
        A = self.assembly = velocity.assembly
        nd, nm = len(A.independent), A.motion_rates.numel()
        self.accelerations = ca.SX.sym("accelerations", nd)
        self.rate_of = Rates(A, self.accelerations)
        self.missing = tuple(self.rate_of.missing)
        first = self.first = self.rate_of(A.motions)
        self.second = self.rate_of(first)
        everything = self._velocities(first)
        self.settling = (column([velocity.unknown, A.motion_rates]), column([everything, first]))
        self.laws_of_state = nm > 0 and depends(
            column([everything, self.second]), self.accelerations
        )
        right = velocity.by_motions @ self.second if nm else ca.SX(velocity.n, 1)
        self.right = ca.sparsify(right - velocity.convective)  # D g of [Schwab2002] (A.104)
        self.applied = A.applied_forces()
        self._refuse_missing_mass()
        self._solve(everything)

    def _velocities(self, first: ca.SX) -> ca.SX:
        """All unknowns of the velocity problem, [Schwab2002] (A.99).

        Rates of motions may depend on them linearly.

        Raises
        ------
        ModelError
            If they depend on them in another way.
        """
        A, V = self.assembly, self.velocity
        free = V.by_dofs @ A.dof_rates
        if not first.numel():
            return V.solver.solve(ca.sparsify(free))
        if not depends(first, A.v):
            return V.solver.solve(ca.sparsify(free + V.by_motions @ first))
        # Rates of motions depend on velocities, and these on them: a linear system for the rates w.
        w = ca.SX.sym("motion_rates", first.numel())
        solved = V.solver.solve(ca.sparsify(free + V.by_motions @ w))
        demanded = replace(first, V.unknown, solved)
        slope = ca.jacobian(demanded, w)
        if depends(slope, w):
            raise ModelError(
                f"the motions of {', '.join(q.name for q in A.prescribed)} depend on velocities "
                "that they change themselves, and not linearly; let them depend on states instead"
            )
        at_zero = replace(demanded, w, ca.SX.zeros(w.numel()))
        return replace(solved, w, ca.solve(ca.SX.eye(w.numel()) - slope, at_zero))

    def settled(self, expression: ca.SX) -> ca.SX:
        """Replace velocities in an expression by functions of the state."""
        return replace(expression, self.settling[0], self.settling[1])

    def _refuse_missing_mass(self) -> None:
        A, V = self.assembly, self.velocity
        if depends(self.right, column(marker for marker, _ in self.missing)):
            g = V.solver.solve(self.right)[: A.v.numel()]
            refuse_missing(A.M @ g, "a mass feels it", A, self.missing)

    def felt_motions(self) -> list[int]:
        """Places of the prescribed motions whose acceleration acts on a mass, structurally."""
        A, V = self.assembly, self.velocity
        # An acceleration of a motion may move massless parts only; then nobody need give it.
        w = ca.SX.sym("motion_accelerations", len(A.prescribed))
        g = V.solver.solve(ca.sparsify(V.by_motions @ w))[: A.v.numel()]
        return [k for k in range(w.numel()) if depends(A.M @ g, w[k])]

    def _solve(self, everything: ca.SX) -> None:
        A, V = self.assembly, self.velocity
        nv = A.v.numel()
        symbols = column([contact_symbols(A), switched_multipliers(A), A.implicit.forces])
        self.contacts: Contacts | None = None
        self.switched: SwitchedConstraints | None = None
        self.implicit: ImplicitForces | None = None
        self.switched_forces, self.law_forces = ca.SX(0, 1), ca.SX(0, 1)
        if self.laws_of_state:
            # Accelerations on both sides make the reduced mass matrix full and unsymmetric, for
            # which the recursion over blocks does not hold.
            self._refuse_multipliers()
            qdd = _solve_unsymmetric(self.mass(), self.force())
            forces = ca.SX(0, 1)
            a = V.solver.solve(ca.sparsify(V.by_dofs @ qdd + self._final(self.right, qdd)))
        else:
            qdd, a, forces = self._solve_by_recursion(symbols)
        self._contact_values = (symbols, forces)
        self.v = self._final(everything[:nv], qdd)
        self.a, self.all_accelerations = a[:nv], a
        self.qdd = qdd
        kinematic = self._final(A.kinematic_rates(), qdd)  # [Schwab2002] (A.109)
        z_rates = self._final(self.rate_of.z_rates, qdd)
        if self.switched is not None:
            qdd = self.switched.at_rest(qdd)
        # [Schwab2002] (A.110)
        self.derivative = column([qdd, A.value_rates, kinematic, z_rates])

    def _refuse_multipliers(self) -> None:
        A = self.assembly
        contacts, held = A.model.contacts, [s.name for s in A.free if s.held is not None]
        there = [f"the contacts {', '.join(contacts)}"] if contacts else []
        there += [f"the held slips {', '.join(held)}"] if held else []
        laws = A.implicit.names
        there += [f"laws of constraint forces on {', '.join(laws)}"] if laws else []
        if there:
            raise ModelError(
                f"the motions of {', '.join(q.name for q in A.prescribed)} depend on rates of "
                f"degrees of freedom, and there are {' and '.join(there)}: "
                "both at once are not available; prescribe these motions as auxiliary states"
            )

    def _final(self, expression: ca.SX, qdd: ca.SX) -> ca.SX:
        """Replace velocities, accelerations, and forces of contacts and switched constraints."""
        moved = self.settled(replace(expression, *self._contact_values_or_none()))
        return replace(moved, self.accelerations, qdd) if qdd.numel() else moved

    def _contact_values_or_none(self) -> tuple[ca.SX, ca.SX]:
        return getattr(self, "_contact_values", (ca.SX(0, 1), ca.SX(0, 1)))

    @cached_property
    def multipliers(self) -> ca.SX:
        """Multipliers of the velocity problem's rows, shape (n, 1)."""
        A = self.assembly
        return self.velocity.multipliers(self._final(self.applied - A.h, self.qdd) - A.M @ self.a)

    @cached_property
    def stresses(self) -> ca.SX:
        """Stresses of the velocity problem's rows, shape (n, 1)."""
        return self.velocity.stresses(self.multipliers)

    def _solve_by_recursion(self, symbols: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Solve M̄ q̈ = f̄ block by block, with the forces of held slips and closed contacts.

        Held slips are solved for first, so that contacts and impacts act on the mechanism with
        these slips held. Returns q̈, all accelerations, and the values of ``symbols``.
        """
        A, V = self.assembly, self.velocity
        M = ca.diagcat(A.M, ca.SX(V.n - A.v.numel(), V.n - A.v.numel()))
        recursion = self.recursion = Recursion(
            V.solver, ca.sparsify(M), V.by_dofs, V.turned_rows, V.simplify
        )
        g = ca.sparsify(self.settled(self.right))
        # Without the unknown forces first; then the response to a unit of each of them.
        applied = replace(self.applied, symbols, ca.SX.zeros(symbols.numel()))
        f = V.padded(ca.sparsify(self.settled(applied - A.h)))
        free, a = recursion.solve(f, g)
        if symbols.numel() == 0:
            return free, a, symbols
        pushes = V.padded(self.settled(ca.jacobian(self.applied, symbols)))
        response, moved = recursion.solve(pushes)
        return self._solve_unknown_forces(symbols, (free, a), (response, moved))

    def _solve_unknown_forces(
        self, symbols: ca.SX, there: tuple[ca.SX, ca.SX], by_units: tuple[ca.SX, ca.SX]
    ) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Solve for held slips, then contacts, then implicit laws; each answers what follows.

        Parameters
        ----------
        symbols : SX
            Forces of contacts, held slips and implicit laws, shape (k, 1).
        there, by_units : (SX, SX)
            Accelerations of the degrees of freedom and of all speeds without these forces, and
            what a unit of each of them adds, with k columns.
        """
        A = self.assembly
        (free, a), (response, moved) = there, by_units
        nc, nh = int(contact_symbols(A).numel()), int(switched_multipliers(A).numel())
        others = [*range(nc), *range(nc + nh, symbols.numel())]
        of_switched = response[:, nc : nc + nh]
        moved_by_switched = self.moved_by_switched = moved[:, nc : nc + nh]
        response, moved = response[:, others], moved[:, others]
        switched = self.switched = solve_switched_constraints(
            A, self.settled, of_switched, moved_by_switched
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
        self.forces_by_laws = ca.vertcat(answers, self.held_by_laws, ca.SX.eye(of_laws.shape[1]))
        without = column([pushed, holding, ca.SX.zeros(of_laws.shape[1])])
        if A.implicit.names:
            self.implicit = self._solve_laws(symbols, a, without)
            self.law_forces = f = self.implicit.forces
            free, a = free + of_laws @ f, a + moved_by_laws @ f
            without = without + self.forces_by_laws @ f
            self.implicit = self.implicit.where(self._is_possible(without[nc : nc + nh]))
        self.switched_forces = column(scalars(without)[nc : nc + nh])
        return free, a, without

    def _solve_laws(self, symbols: ca.SX, a: ca.SX, forces: ca.SX) -> ImplicitForces:
        """Solve the implicit laws, where ``a`` and ``forces`` are those without these."""
        A, V = self.assembly, self.velocity
        nv = A.v.numel()
        applied = self.settled(replace(self.applied, symbols, forces) - A.h)
        stresses = V.stresses(V.multipliers(applied - A.M @ a[:nv]))
        pushes = self.settled(ca.jacobian(self.applied, symbols)) @ self.forces_by_laws
        rest = V.padded(ca.sparsify(pushes - A.M @ self.moved_by_laws[:nv, :]))
        self.multipliers_by_laws = balancing_stresses(V.solver, rest)
        by_laws = V.stresses(self.multipliers_by_laws)
        some = ca.SX.sym("stresses", stresses.numel())
        pairs = [
            *zip((q.dual for q in A.velocity_rows), scalars(some), strict=True),
            *support_reactions(A, A.v, A.a, some),
            *element_reactions(A, A.v, A.a, some),
            (symbols, symbols),
        ]
        used = [s for s in ca.symvar(A.implicit.laws) if depends(column(p for p, _ in pairs), s)]
        R = column(used)
        moving = column([A.a, some, symbols])
        values = replace(R, column(p for p, _ in pairs), column(v for _, v in pairs))
        response = self.settled(ca.jacobian(values, moving)) @ ca.vertcat(
            self.moved_by_laws[:nv, :], by_laws, self.forces_by_laws
        )
        without = self.settled(replace(values, moving, column([a[:nv], stresses, forces])))
        laws = A.resolve(A.implicit.laws)
        self._laws, self._law_stresses = replace(laws, R, values), some
        constraint = ConstraintForces(R, without, response)
        return solve_implicit_laws(A.implicit.titles, self.settled(laws), constraint)

    def _is_possible(self, holding: ca.SX) -> ca.SX:
        """Return whether no held slip takes more than its limit: else it is about to slide."""
        assert self.implicit is not None
        possible = ca.SX(1)
        for (_, held), force in zip(switched_slips(self.assembly), scalars(holding), strict=True):
            if held.limit is not None:
                limit = self.implicit.at(self.settled(self.assembly.resolve(held.limit)))
                possible = ca.logic_and(possible, ca.fabs(force) <= limit)
        return possible

    def laws_at(self, multipliers: ca.SX) -> ca.SX:
        """Return what implicit laws say, given multipliers, in symbols of velocities and forces."""
        return replace(self._laws, self._law_stresses, self.velocity.stresses(multipliers))

    def _solve_contacts(self, free: ca.SX, response: ca.SX, others: ca.SX) -> Contacts:
        A, V = self.assembly, self.velocity

        def total_rate(expression: ca.SX) -> ca.SX:
            rates = V.solver.solve(ca.sparsify(V.by_dofs @ self.accelerations + self.right))
            return self.rate_of(expression, rates[: A.v.numel()])

        contacts = self.contacts = solve_contacts(
            A, total_rate, self.settled, self.accelerations, free, response, others
        )
        for i, record in enumerate(contacts.records):
            rates = ca.vertcat(contacts.rate[i], contacts.acceleration[i])
            refuse_missing(rates, f"contact {record.name}", A, self.missing)
        return contacts

    def slip_rates_by(self, a: ca.SX) -> ca.SX:
        """Return the rates of slips that may be held, for accelerations (m, 1), in all symbols."""
        A = self.assembly
        slips = [s for s in A.free if s.held is not None]
        return self.rate_of(column(A.resolve(s.velocity) for s in slips), a[: A.v.numel()])

    def _slip_rates(self, a: ca.SX) -> ca.SX:
        """Return the rates of slips that may be held, with accelerations (m, 1) of all."""
        slips = [s for s in self.assembly.free if s.held is not None]
        rates = self.slip_rates_by(a)
        for slip, rate in zip(slips, ca.vertsplit(rates), strict=True):
            refuse_missing(rate, f"held slip {slip.name}", self.assembly, self.missing)
        return self.settled(rates)

    def mass(self) -> ca.SX:
        """Reduced mass matrix, unsymmetric where motions depend on rates, shape (nd, nd)."""
        H, M = self.velocity.H, self.assembly.M
        if not self.laws_of_state:
            return H.T @ M @ H  # [Schwab2002] (2.32), (A.107)
        return H.T @ M @ H - self._slope()

    def force(self) -> ca.SX:
        """Reduced force, shape (nd, 1)."""
        forces = self._unreduced()
        if self.laws_of_state:
            none = ca.SX.zeros(self.accelerations.numel())
            return replace(forces, self.accelerations, none)
        return replace(forces, *self._contact_values_or_none())  # [Schwab2002] (2.33)

    def _unreduced(self) -> ca.SX:
        A, V = self.assembly, self.velocity
        g = V.solver.solve(self.right)[: A.v.numel()]  # [Schwab2002] (A.104)
        # [Schwab2002] (2.33), (A.107)
        return V.H.T @ self.settled(self.applied - A.h - A.M @ g)

    def _slope(self) -> ca.SX:
        """Return the coefficients of accelerations in laws of the state, for the left-hand side.

        Raises
        ------
        ModelError
            If accelerations enter nonlinearly.
        """
        A = self.assembly
        slope = ca.jacobian(self._unreduced(), self.accelerations)
        if depends(slope, self.accelerations):
            raise ModelError(
                f"the motions of {', '.join(q.name for q in A.prescribed)} depend on the state so "
                "that accelerations enter nonlinearly; prescribe them as auxiliary states instead"
            )
        return slope


def _solve_unsymmetric(M: ca.SX, f: ca.SX) -> ca.SX:
    """Solve M̄ q̈ = f̄ where M̄ may be unsymmetric."""
    if f.numel() == 0:
        return f
    M, f = ca.densify(M), ca.densify(f)
    return ca.inv_minor(M) @ f if f.numel() <= 3 else ca.solve(M, f)
