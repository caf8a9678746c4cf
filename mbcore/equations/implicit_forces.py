"""Forces of implicit laws, which depend on the constraint forces that they change.

Constraint forces R are affine in the forces f of these laws: R = R_0 + R_f f. So f = law(R) is a
small system for f, solved by Newton's method with the exact Jacobian 1 - ∂law/∂R R_f, at each
evaluation from f = law(R_0), so that a result depends on its point alone. So it ceases where a
second solution comes from infinity.

A law of a slip that has just been released begins from f = 0. Friction by the length of R is
convex in f, so Newton's method goes up to the least solution, which is the force that held it;
another one would move the slip against the way it is drawn.

Used by `mbcore.equations.dynamics` alone; it stands apart because it solves for forces, after the
dynamics have told how these act.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import casadi as ca

from mbcore.equations.assembly.implicit_laws import ImplicitLaws
from mbcore.model.expressions import any_of, depends, replace, where

LAWS = "the forces of "
"""How names of measures begin that are determinants of implicit laws."""
UNSOLVABLE = (
    "have no solution or more than one: friction jams or locks itself there; keep away from it, "
    "lessen a coefficient, or make a joint compliant"
)
"""What messages say of a measure that vanishes, after its name."""
ITERATIONS = 5
"""Steps of Newton's method. Each squares an error that begins near (μ r / l)², so that three are
enough for bearings; the others serve friction near the bounds of its solvability."""
LAST = 3e-8
"""Residual of each law, in parts of its force, after which a step is the last one: its own error is
the square of that. The steps that are left are not made in C, see `mbcore.codegen.guards`."""
CONVERGED = 1e-9
"""Largest residual of the laws, in parts of their forces, that counts as solved."""


@dataclass(frozen=True)
class ConstraintForces:
    """The nr constraint forces that implicit laws contain, affine in the nl forces of these.

    Attributes
    ----------
    symbols : SX
        As they stand in laws, shape (nr, 1).
    without : SX
        R_0: their values where the forces of implicit laws are zero, shape (nr, 1).
    response : SX
        R_f: their changes by unit forces, shape (nr, nl).
    """

    symbols: ca.SX
    without: ca.SX
    response: ca.SX


@dataclass(frozen=True)
class ImplicitForces:
    """The solution.

    Attributes
    ----------
    forces : SX
        f, shape (nl, 1).
    constraint : ConstraintForces
        R_0 and R_f.
    factors : Factors
        Of 1 - ∂law/∂R R_f at the solution.
    measure : (str, SX)
        What messages call the problem, and its determinant, det(1 - ∂law/∂R R_f): 1 where no
        law depends on its own force, 0 where they cease to have one solution, or none was found.
    """

    forces: ca.SX
    constraint: ConstraintForces
    factors: Factors
    measure: tuple[str, ca.SX]

    def at(self, expression: ca.SX) -> ca.SX:
        """Return an expression of constraint forces at the solution."""
        C = self.constraint
        return replace(expression, C.symbols, C.without + C.response @ self.forces)

    def where(self, condition: ca.SX) -> ImplicitForces:
        """Return the solution, measured only where a condition holds."""
        name, measure = self.measure
        return dataclasses.replace(self, measure=(name, ca.if_else(condition, measure, 1)))


def solve_implicit_laws(
    implicit: ImplicitLaws, laws: ca.SX, constraint: ConstraintForces
) -> ImplicitForces:
    """Solve for the forces of implicit laws.

    Parameters
    ----------
    implicit : ImplicitLaws
        What messages call their elements, and which of them go on from what held their slips.
    laws : SX
        As functions of the state and of ``constraint.symbols``, shape (nl, 1).
    """
    R = constraint.symbols
    slope = ca.jacobian(laws, R)
    identity = ca.SX.eye(laws.numel())

    def at(expression: ca.SX, forces: ca.SX) -> ca.SX:
        return replace(expression, R, constraint.without + constraint.response @ forces)

    forces = (1 - implicit.loosens) * at(laws, ca.SX.zeros(laws.numel()))
    # Laws that are linear in constraint forces are solved in one step.
    steps = ITERATIONS if depends(slope, R) else 1
    going, determinant = ca.SX(1), ca.SX(1)
    for _ in range(steps):
        factors = Factors(ca.densify(identity - at(slope, forces) @ constraint.response))
        said = at(laws, forces)
        missed = said - forces
        determinant = ca.if_else(going, factors.determinant, determinant)
        forces = forces + where(going, factors.solve(missed))
        going = where(going, any_of(ca.fabs(missed) > LAST * ca.fabs(said)))
    factors = Factors(ca.densify(identity - at(slope, forces) @ constraint.response))
    said = at(laws, forces)
    missed = ca.norm_inf(said - forces)
    solved = missed <= CONVERGED * (1 + ca.norm_inf(said))
    measure = ca.if_else(solved, determinant, 0)
    return ImplicitForces(forces, constraint, factors, (LAWS + ", ".join(implicit.titles), measure))


def unsolvable(name: str) -> str | None:
    """Return what messages say of a measure that vanishes, if it is one of implicit laws."""
    if not name.startswith(LAWS):
        return None
    return f"{name} {UNSOLVABLE}"


class Factors:
    """L U of a matrix that is one where there is no friction, so that it needs no pivoting."""

    def __init__(self, matrix: ca.SX) -> None:
        n = matrix.shape[0]
        self._upper = [matrix[i, :] for i in range(n)]
        self._lower = ca.SX(n, n)
        self._inverse: list[ca.SX] = []
        self.determinant = ca.SX(1)
        for k in range(n):
            pivot = self._upper[k][k]
            self.determinant *= pivot
            self._inverse.append(ca.if_else(pivot == 0, 0, 1 / ca.if_else(pivot == 0, 1, pivot)))
            for i in range(k + 1, n):
                self._lower[i, k] = self._upper[i][k] * self._inverse[k]
                self._upper[i] = self._upper[i] - self._lower[i, k] * self._upper[k]

    def solve(self, right: ca.SX) -> ca.SX:
        """Return the solution for right-hand sides, shape (n, k); zero where there is none."""
        n = len(self._upper)
        rows = [right[i, :] for i in range(n)]
        for i in range(n):
            for j in range(i):
                rows[i] = rows[i] - self._lower[i, j] * rows[j]
        for i in reversed(range(n)):
            for j in range(i + 1, n):
                rows[i] = rows[i] - self._upper[i][j] * rows[j]
            rows[i] = rows[i] * self._inverse[i]
        return ca.vertcat(*rows)
