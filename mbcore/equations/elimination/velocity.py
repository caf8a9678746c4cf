"""The velocity problem as expressions: speeds by rates of generalized coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol, TypeVar

import casadi as ca

from mbcore.equations.assembly.speeds import SpeedAssembly
from mbcore.equations.elimination.block_solver import BlockSolver, tearing_of
from mbcore.equations.elimination.composites import Simplify
from mbcore.equations.elimination.configuration import Numbers, named_measures
from mbcore.equations.elimination.relations import Relations
from mbcore.model.expressions import column, dense, replace, sparse
from mbcore.model.quantities import Quantity, Slip
from mbcore.model.tables import derivatives

Forces = TypeVar("Forces")


class TransposedSolver(Protocol[Forces]):
    """A factorized Jacobian D of the velocity problem: of expressions or of numbers."""

    def solve_transposed(self, right: Forces, /) -> Forces:
        """Return D⁻ᵀ right."""
        ...


def balancing_stresses(jacobian: TransposedSolver[Forces], forces: Forces) -> Forces:
    """Return the stresses that balance nodal forces: σ = D⁻ᵀ (f - h - M ẍ).

    Source: [Schwab2002] (A.108), where the stresses of laws are part of ``f``. The Jacobian is
    transposed, unlike in [Schwab2002] (A.102): the first-order transfer function passes velocities
    on, this one forces.

    Parameters
    ----------
    jacobian : TransposedSolver
        Of the velocity problem, which has a row for each velocity, so that it is square.
    forces : SX or ndarray, shape (n, 1), (n,) or (points, n)
        f - h - M ẍ, applied forces minus inertia terms, N or N.m.
    """
    return jacobian.solve_transposed(forces)  # [Schwab2002] (A.108)


class VelocityProblem:
    """Speeds by the rates of degrees of freedom and of prescribed motions.

    Sources: [Schwab2002] (A.99) to (A.104).

    Unknown are all speeds, and the rates of tears and of kinematic coordinates that place nodes.
    Regularity is measured in units of the natural length, m.
    """

    def __init__(
        self,
        relations: Relations,
        numbers: Numbers | None = None,
        natural: float = 1.0,
        simplify: Simplify | None = None,
    ) -> None:
        self.simplify = simplify
        self.assembly = relations.assembly
        self.relations = relations
        self.rows = relations.rows(kinematic=False)
        self.unknown = relations.unknown(kinematic=False)
        self._with_values = relations.residual(kinematic=False)
        self.residual = replace(self._with_values, *relations.values)
        self.n = int(self.unknown.numel())
        self.J = relations.jacobian(kinematic=False)  # [Schwab2002] (A.100)
        self._numbers = numbers
        self._natural = natural

    @cached_property
    def solver(self) -> BlockSolver:
        """Solver of the Jacobian over all unknowns."""
        A, J, numbers = self.assembly, self.J, self._numbers
        tearing = None
        sizes = self.relations.sizes(False, self._natural)
        if numbers is not None and isinstance(A, SpeedAssembly):
            nodes, speeds = list(A.columns.values()), A.v.numel()
            slips = self.n - sum(isinstance(q, Slip) for q in self.rows)
            tearing = tearing_of(J, lambda: numbers(J), nodes, speeds, slips, sizes)
        return BlockSolver(J, self.relations.groups(kinematic=False), tearing, sizes)

    @property
    def turned_rows(self) -> list[int]:
        """Rows of free rotations whose angular velocity is given."""
        first = len(self.relations.shared) + len(self.relations.given_where(kinematic=False))
        turned = self.relations.turned_where(kinematic=False)
        return list(range(first, first + sum(len(t.columns) for t in turned)))

    @cached_property
    def by_dofs(self) -> ca.SX:
        """Right-hand sides for unit rates of the degrees of freedom, shape (n, nd)."""
        return self.by(self.assembly.independent)

    @cached_property
    def by_motions(self) -> ca.SX:
        """Right-hand sides for unit rates of the prescribed motions and signals, shape (n, nm)."""
        return sparse(-derivatives.jacobian(self.residual, self.assembly.motion_rates))

    def by(self, quantities: Sequence[Quantity]) -> ca.SX:
        """Right-hand sides for unit rates of deformations and slips, shape (n, k)."""
        rates = column(q.rate for q in quantities)
        return sparse(-derivatives.jacobian(self.residual, rates))

    @cached_property
    def H(self) -> ca.SX:
        """Velocities by rates of the degrees of freedom, [Schwab2002] (A.102), shape (nv, nd)."""
        return self.solver.solve(self.by_dofs)[: self.assembly.v.numel(), :]

    @cached_property
    def convective(self) -> ca.SX:
        """D'' v v of [Schwab2002] (A.104), shape (n, 1).

        It is the rate of the relations at constant rates of all quantities. For free rotations it
        is zero, because their axes turn with the angular velocity itself: ω × ω = 0.
        """
        A = self.assembly
        fixed = column(q.rate for q in A.rigid)
        changed = replace(self.relations.along(self._with_values), *self.relations.values)
        changed = replace(changed, fixed, ca.SX.zeros(fixed.numel()))
        rows = self.turned_rows
        changed[rows] = ca.SX(len(rows), 1)
        return sparse(changed)

    def padded(self, speeds: ca.SX) -> ca.SX:
        """Return rows for all unknowns, zero for those that are not speeds."""
        return sparse(ca.vertcat(speeds, ca.SX(self.n - speeds.shape[0], speeds.shape[1])))

    @property
    def homogeneous(self) -> ca.SX:
        """The relations, in all unknowns and rates, with zero rates of rigid deformations."""
        fixed = column(q.rate for q in self.assembly.rigid)
        return replace(self.residual, fixed, ca.SX.zeros(fixed.numel()))

    def multipliers(self, forces: ca.SX) -> ca.SX:
        """Multipliers of all rows that balance forces on the speeds, shape (n, 1)."""
        return balancing_stresses(self.solver, self.padded(sparse(forces)))

    def stresses(self, multipliers: ca.SX) -> ca.SX:
        """Sort the multipliers: the stresses of the velocity problem's rows, shape (n, k)."""
        A = self.assembly
        first = self.residual.numel() - len(self.rows)
        held = {q.name for q in A.coupled}
        rows = {q.name: multipliers[first + i, :] for i, q in enumerate(self.rows)}
        own = {name: multiplier for name, multiplier in rows.items() if name not in held}
        others = [q for q in A.velocity_rows if q.name not in own]
        found = self.by(others).T @ multipliers
        own.update({q.name: found[i, :] for i, q in enumerate(others)})
        return dense(
            ca.vertcat(ca.SX(0, multipliers.shape[1]), *(own[q.name] for q in A.velocity_rows))
        )

    def measures(self) -> list[tuple[str, ca.SX]]:
        """Return names and conditioning measures of the blocks."""
        count = self.residual.numel() - len(self.rows)
        names = [f"row {i}" for i in range(count)] + [q.name for q in self.rows]
        return named_measures(self.solver.measures(), names)
