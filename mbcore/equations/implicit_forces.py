"""Forces of implicit laws, which depend on the constraint forces that they change.

Constraint forces R are affine in the forces f of these laws: R = R_0 + R_f f. So f = law(R) is a
small system for f, solved by Newton's method with the exact Jacobian 1 - ∂law/∂R R_f, at each
evaluation from f = law(R_0), so that a result depends on its point alone. So it ceases where a
second solution comes from infinity. A residual is cheap beside the matrix of a step, so it comes
first, and tells whether there is a step at all.

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
from mbcore.model.expressions import depends, replace, where
from mbcore.model.tables import derivatives

LAWS = "the forces of "
"""How names of measures begin that are determinants of implicit laws."""
UNSOLVABLE = (
    "have no solution or more than one: friction jams or locks itself there; keep away from it, "
    "lessen a coefficient, or make a joint compliant"
)
"""Text of messages on a measure that vanishes, after its name."""
ITERATIONS = 5
"""Steps of Newton's method. Each squares an error that begins near (μ r / l)², so that three are
enough for bearings; the others serve friction near the bounds of its solvability."""
LAST = 3e-8
"""Residual of each law, in parts of its force, after which a step is the last one: its own error is
the square of that. The steps that are left are not made in C, see `mbcore.codegen.guards`."""
DONE = 1e-13
"""Residual of each law, in parts of its force, that needs no step: little more than rounding."""
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
    problem = _Problem(laws, constraint)
    forces = (1 - implicit.loosens) * problem.said(ca.SX.zeros(laws.numel()))
    # Laws that are linear in constraint forces are solved in one step.
    found = problem.search(forces, ITERATIONS if problem.bends else 1, first=True)
    forces = forces + found.change
    measure = ca.if_else(found.left, 0, found.determinant)
    title = LAWS + ", ".join(implicit.titles)
    return ImplicitForces(forces, constraint, problem.factors(forces), (title, measure))


@dataclass(frozen=True)
class _Search:
    """Result of Newton's method from given forces.

    Attributes
    ----------
    goes : SX
        Whether a step is made.
    change : SX
        The sum of its steps, shape (nl, 1).
    determinant : SX
        That of the last one; zero where none is made.
    left : SX
        Whether the forces do not solve the laws then.
    """

    goes: ca.SX
    change: ca.SX
    determinant: ca.SX
    left: ca.SX


class _Problem:
    """The laws as functions of their own forces."""

    def __init__(self, laws: ca.SX, constraint: ConstraintForces) -> None:
        self._laws, self._constraint = laws, constraint
        self._slope = derivatives.jacobian(laws, constraint.symbols)
        self.bends = depends(self._slope, constraint.symbols)

    def said(self, forces: ca.SX) -> ca.SX:
        """Return the forces of the laws where forces act, shape (nl, 1)."""
        return self._at(self._laws, forces)

    def factors(self, forces: ca.SX) -> Factors:
        """Return those of the matrix of a step."""
        change = self._at(self._slope, forces) @ self._constraint.response
        return Factors(ca.densify(ca.SX.eye(forces.numel()) - change))

    def _at(self, expression: ca.SX, forces: ca.SX) -> ca.SX:
        C = self._constraint
        return replace(expression, C.symbols, C.without + C.response @ forces)

    def search(self, forces: ca.SX, steps: int, *, first: bool = False) -> _Search:
        """Make so many steps at most; the first one in any case, for its determinant."""
        said = self.said(forces)
        missed = said - forces
        if not steps:
            solved = ca.norm_inf(missed) <= CONVERGED * (1 + ca.norm_inf(said))
            none = ca.SX.zeros(forces.numel())
            return _Search(ca.SX(0), none, ca.SX(0), ca.logic_not(solved))
        factors = self.factors(forces)
        step = factors.solve(missed)
        further = _exceed(missed, LAST, said)
        # All of it is needed only where this step is not the last one.
        then = self.search(forces + step, steps - 1)
        goes = ca.SX(1) if first else _exceed(missed, DONE, said)
        last = ca.logic_not(where(further, then.goes))
        return _Search(
            goes,
            where(goes, step + where(further, then.change)),
            where(goes, where(last, factors.determinant) + where(further, then.determinant)),
            where(goes, where(further, then.left)),
        )


def _exceed(missed: ca.SX, part: float, said: ca.SX) -> ca.SX:
    """Return whether residuals are more than a part of the forces, or no numbers."""
    return ca.logic_not(ca.logic_all(ca.fabs(missed) <= part * ca.fabs(said)))


def unsolvable(name: str) -> str | None:
    """Return what messages say of a measure that vanishes, if it is one of implicit laws."""
    if not name.startswith(LAWS):
        return None
    return f"{name} {UNSOLVABLE}"


class Factors:
    """L U of a matrix that is one where there is no friction, so that it needs no pivoting.

    Where it has none, the determinant is zero, and a solution is any finite number.
    """

    def __init__(self, matrix: ca.SX) -> None:
        n = matrix.shape[0]
        self._upper = [matrix[i, :] for i in range(n)]
        self._lower = ca.SX(n, n)
        self._inverse: list[ca.SX] = []
        self.determinant = ca.SX(1)
        for k in range(n):
            pivot = self._upper[k][k]
            self.determinant *= pivot
            self._inverse.append(1 / (pivot + (pivot == 0)))
            for i in range(k + 1, n):
                self._lower[i, k] = self._upper[i][k] * self._inverse[k]
                self._upper[i] = self._upper[i] - self._lower[i, k] * self._upper[k]

    def solve(self, right: ca.SX) -> ca.SX:
        """Return the solution for right-hand sides, shape (n, k)."""
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
