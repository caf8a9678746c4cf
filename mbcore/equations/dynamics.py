"""The equations of [Schwab2002] A.1 and A.4 as expressions: from index sets to accelerations.

Virtual velocities keep prescribed deformations fixed (Jourdain); motions that depend on the state
bring their accelerations to the left-hand side.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from mbcore.equations.assembly.applied_forces import applied_forces, sizes_of_forces
from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.multipliers import contact_symbols
from mbcore.equations.assembly.rates import Rates, refuse_missing
from mbcore.equations.elimination.recursion import Recursion
from mbcore.equations.elimination.relations import Relations
from mbcore.equations.elimination.velocity import VelocityProblem
from mbcore.equations.unilateral.switched_constraints import switched_multipliers, switched_slips
from mbcore.equations.unknown_forces import Unforced, UnknownForces
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace
from mbcore.model.tables import derivatives


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
        forces, none = reduced.unknown, ca.SX(0, 1)
        self.contacts = None if forces is None else forces.contacts
        self.switched = None if forces is None else forces.switched
        self.switched_forces = none if forces is None else forces.switched_forces
        self.implicit = None if forces is None else forces.implicit
        self.law_forces = none if forces is None else forces.law_forces
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
        right = velocity.by_motions @ self.second if nm else ca.SX(velocity.n, 1)
        self.right = ca.sparsify(right - velocity.convective)  # D g of [Schwab2002] (A.104)
        self.following = nm > 0 and depends(self.second, self.accelerations)
        self.laws_of_state = nm > 0 and (
            depends(everything, self.accelerations) or (self.following and self._feels())
        )
        self.applied = applied_forces(A)
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
        slope = derivatives.jacobian(demanded, w)
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

    def _right_at_rest(self) -> ca.SX:
        """Return the right-hand side D g without motions that follow accelerations."""
        if not self.following:
            return self.right
        none = ca.SX.zeros(self.accelerations.numel())
        return ca.sparsify(replace(self.right, self.accelerations, none))

    def _feels(self) -> bool:
        """Whether a mass, a contact or a held slip feels motions that follow accelerations.

        Else these move massless parts only, and the equations of motion hold without them.
        """
        A, V = self.assembly, self.velocity
        g = V.solver.solve(self.right)[: A.v.numel()]
        slips = column(A.resolve(slip.velocity) for slip, _ in switched_slips(A))
        feeling = ca.vertcat(A.M @ g, derivatives.jacobian(slips, A.v) @ g)
        return bool(A.model.contacts) or depends(feeling, self.accelerations)

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
        self.unknown: UnknownForces | None = None
        self._known_forces = ca.SX(0, 1), ca.SX(0, 1)
        if self.laws_of_state:
            # Accelerations on both sides make the reduced mass matrix full and unsymmetric, for
            # which the recursion over blocks does not hold.
            self._refuse_multipliers()
            qdd = _solve_unsymmetric(self.mass(), self.force())
            a = V.solver.solve(ca.sparsify(V.by_dofs @ qdd + self._final(self.right, qdd)))
        else:
            qdd, a = self._solve_by_recursion(symbols)
            if self.following:
                a = V.solver.solve(ca.sparsify(V.by_dofs @ qdd + self._final(self.right, qdd)))
        self.v = self._final(everything[:nv], qdd)
        self.a, self.all_accelerations = a[:nv], a
        self.qdd = qdd
        kinematic = self._final(A.kinematic_rates(), qdd)  # [Schwab2002] (A.109)
        z_rates = self._final(self.rate_of.z_rates, qdd)
        if self.unknown is not None and self.unknown.switched is not None:
            qdd = self.unknown.switched.at_rest(qdd)
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
                "both at once are not available; let these motions follow with a lag, as states"
            )

    def _final(self, expression: ca.SX, qdd: ca.SX) -> ca.SX:
        """Replace velocities, accelerations, and forces of contacts and switched constraints."""
        moved = self.settled(replace(expression, *self._known_forces))
        return replace(moved, self.accelerations, qdd) if qdd.numel() else moved

    def resolved(self, expression: ca.SX) -> ca.SX:
        """Return forces in terms of the state: with velocities, accelerations and all forces."""
        return self._final(expression, self.qdd)

    def sizes_of_forces(self) -> ca.SX:
        """Return the sizes of the applied forces on the speeds, added up one by one, (nv, 1)."""
        A = self.assembly
        return self.resolved(sizes_of_forces(A))

    def change_by(self, forces: ca.SX) -> ca.SX:
        """Return what forces on the speeds add to the accelerations, (nv, 1) to (nv, 1).

        Forces of contacts, held slips and implicit laws stay.
        """
        V = self.velocity
        if not self.laws_of_state:
            return self.recursion.solve(V.padded(forces))[1][: forces.shape[0], :]
        qdd = _solve_unsymmetric(self.resolved(self.mass()), V.H.T @ forces)
        return V.H @ qdd

    @cached_property
    def multipliers(self) -> ca.SX:
        """Multipliers of the velocity problem's rows, shape (n, 1)."""
        A = self.assembly
        return self.velocity.multipliers(self._final(self.applied - A.h, self.qdd) - A.M @ self.a)

    @cached_property
    def stresses(self) -> ca.SX:
        """Stresses of the velocity problem's rows, shape (n, 1)."""
        return self.velocity.stresses(self.multipliers)

    def _solve_by_recursion(self, symbols: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Solve M̄ q̈ = f̄ block by block, with all unknown forces, whose ``symbols`` are given.

        Returns q̈ and all accelerations.
        """
        A, V = self.assembly, self.velocity
        M = ca.diagcat(A.M, ca.SX(V.n - A.v.numel(), V.n - A.v.numel()))
        recursion = self.recursion = Recursion(
            V.solver, ca.sparsify(M), V.by_dofs, V.turned_rows, V.simplify
        )
        g = ca.sparsify(self.settled(self._right_at_rest()))
        # Without the unknown forces first; then the response to a unit of each of them.
        applied = replace(self.applied, symbols, ca.SX.zeros(symbols.numel()))
        f = V.padded(ca.sparsify(self.settled(applied - A.h)))
        free, a = recursion.solve(f, g)
        if symbols.numel() == 0:
            return free, a
        pushes = V.padded(self.settled(derivatives.jacobian(self.applied, symbols)))
        response, moved = recursion.solve(pushes)
        unforced = Unforced(
            V, self.rate_of, self.accelerations, self.applied, self._right_at_rest(), self.settling
        )
        found = self.unknown = UnknownForces(unforced, symbols, (free, a), (response, moved))
        self._known_forces = symbols, found.values
        return found.free, found.a

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
        return replace(forces, *self._known_forces)  # [Schwab2002] (2.33)

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
        slope = derivatives.jacobian(self._unreduced(), self.accelerations)
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
