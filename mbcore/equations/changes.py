"""Directional derivatives of rates and outputs by states, inputs and parameters.

Solutions of linear systems are not differentiated as expressions. Where J w = r, a change of w
follows from J δw = δr - δJ w with the same blocks; accelerations and multipliers of
M a + Jᵀ λ = f, J a = R q̈ + g follow by the same recursion from

    M δa + Jᵀ δλ = δf - δM a - δJᵀ λ,    Rᵀ δλ = -δRᵀ λ,    J δa = R δq̈ + δg + δR q̈ - δJ a,

whose right-hand sides are derivatives of short formulas with constant w, a, q̈ and λ. So a change
costs little more than the formulas, and less than the rates themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.speeds import SpeedAssembly
from mbcore.equations.dynamics import Dynamics
from mbcore.equations.elimination.configuration import Configuration
from mbcore.equations.sides import Sides, inwards
from mbcore.equations.unilateral.switched_constraints import switched_multipliers
from mbcore.model.expressions import column, depends, replace
from mbcore.model.kinks import jtimes, jtimes_towards
from mbcore.model.tables import derivatives
from mbcore.model.tables.common_formulas import common_once


@dataclass(frozen=True)
class Unsolved:
    """Symbols for accelerations and multipliers, and expressions in them.

    Attributes
    ----------
    accelerations : SX
        Rates of the velocity problem's unknowns, shape (n, 1); the first are ``A.a``.
    multipliers : SX
        Multipliers of the velocity problem's rows, shape (n, 1).
    """

    accelerations: ca.SX
    multipliers: ca.SX


def unsolved(dynamics: Dynamics) -> Unsolved | None:
    """Return symbols for accelerations and multipliers, or None where these are not enough.

    They are not enough for motions that depend on velocities or whose accelerations follow from
    others, for closed contacts, and for degrees of freedom whose rates have factors that change.
    """
    if not isinstance(dynamics, Dynamics):
        return None
    R = dynamics.reduced
    A, V = R.assembly, R.velocity
    if (
        R.laws_of_state
        or R.following
        or dynamics.contacts is not None
        or not isinstance(A, SpeedAssembly)
    ):
        return None
    if depends(R.first, V.unknown):
        return None
    if not R.recursion.fixed_directions():
        return None
    further = ca.SX.sym("further_rates", V.n - A.v.numel())
    return Unsolved(column([A.a, further]), ca.SX.sym("multipliers", V.n))


class Varied:
    """Symbols, and their changes by a variation of the arguments; the configuration follows.

    Parameters
    ----------
    dynamics : Dynamics
        The equations that are varied.
    symbols : Unsolved
        Accelerations and multipliers in them.
    moved : (SX, SX)
        Symbols that depend on the configuration, and their changes.
    known, variation : SX
        Arguments of the functions, and their changes.
    sides : Sides
        Collects the sides that are taken of kinks.
    """

    def __init__(
        self,
        dynamics: Dynamics,
        symbols: Unsolved,
        moved: tuple[ca.SX, ca.SX],
        known: ca.SX,
        variation: ca.SX,
        sides: Sides,
    ) -> None:
        self.dynamics, self.symbols = dynamics, symbols
        self._R, self._sides = dynamics.reduced, sides
        self.pairs = [(known, variation), moved]
        [self._residual] = common_once([self._R.velocity.homogeneous])

    def by(self, expression: ca.SX) -> ca.SX:
        """Change of an expression by all symbols whose changes are known so far."""
        symbols = column(s for s, _ in self.pairs)
        return jtimes(expression, symbols, column(c for _, c in self.pairs), self._sides)

    def move(self) -> None:
        """Note the changes of motions' rates and of velocities."""
        A, V = self._R.assembly, self._R.velocity
        if A.motion_rates.numel():
            self.pairs.append((A.motion_rates, self.by(self._R.first)))
        change = V.solver.solve(ca.sparsify(-self.by(self._residual)))
        self.pairs.append((V.unknown, ca.densify(change)))

    def demanded(self) -> ca.SX:
        """The rate of the residual at given accelerations: J a - R q̈, with J and R written out."""
        R, A = self._R, self._R.assembly
        a, none = self.symbols.accelerations, ca.SX.zeros(A.motion_rates.numel())
        resting = column([R.velocity.unknown, A.dof_rates, A.motion_rates])
        going = column([a, R.accelerations, none])
        return self.by(R.right - replace(self._residual, resting, going))

    def pushed(self) -> ca.SX:
        """Change of f - M a - Jᵀ λ, as far as those of a and λ are known."""
        R, A, V = self._R, self._R.assembly, self._R.velocity
        balance = V.padded(R.applied - A.h - A.M @ A.a)
        return self.by(balance - self.on(V.unknown))

    def on(self, rates: ca.SX) -> ca.SX:
        """Return the forces of the multipliers on rates."""
        return derivatives.jtimes(self._residual, rates, self.symbols.multipliers, True)


class Changes:
    """Changes of expressions by a variation, with accelerations and multipliers solved.

    Parameters
    ----------
    varied : Varied
        The changes that are known before these are; theirs are added.
    """

    def __init__(self, varied: Varied) -> None:
        self._dynamics, self._symbols = varied.dynamics, varied.symbols
        self._R = varied.dynamics.reduced
        self._varied, self._by = varied, varied.by
        self._solve()

    def _solve(self) -> None:
        R, varied = self._R, self._varied
        A, V = R.assembly, R.velocity
        a, multipliers = self._symbols.accelerations, self._symbols.multipliers
        varied.move()
        demanded, pushed = varied.demanded(), varied.pushed()
        on_dofs = -self._by(varied.on(A.dof_rates))
        qdd, moved = R.recursion.solve(ca.sparsify(pushed), ca.sparsify(demanded), on_dofs)
        held, further = switched_multipliers(A), ca.SX(0, 1)
        forces = R.unknown
        if forces is not None and forces.switched is not None:
            switched = forces.switched
            rates = self._by(forces.slip_rates_by(a))
            further = switched.stopping(rates + switched.rows @ moved[: A.v.numel(), :])
            qdd = qdd + switched.response @ further
            moved = moved + forces.moved_by_switched @ further
            pushed = pushed + V.padded(derivatives.jacobian(R.applied, held)) @ further
        rest = pushed - V.padded(A.M @ moved[: A.v.numel(), :])
        multiplied = V.solver.solve_transposed(ca.sparsify(rest))
        known = list(varied.pairs)
        self._note(qdd, moved, multiplied, further)
        if forces is not None and forces.implicit is not None:
            # By f' their change: f' = ∂law + ∂law/∂R R_f f', where ∂law is that without f'.
            change = forces.implicit.factors.solve(self._by(forces.laws_at(multipliers)))
            varied.pairs = [*known, (A.implicit.forces, change)]
            self._note(
                qdd + forces.of_laws @ change,
                moved + forces.moved_by_laws @ change,
                multiplied + forces.multipliers_by_laws @ change,
                further + forces.held_by_laws @ change,
            )

    def _note(self, qdd: ca.SX, moved: ca.SX, multiplied: ca.SX, held: ca.SX) -> None:
        """Note the changes of accelerations, and of the multipliers of rows and of held slips."""
        self._varied.pairs += [
            (self._symbols.accelerations, ca.densify(moved)),
            (self._R.accelerations, ca.densify(qdd)),
            (self._symbols.multipliers, ca.densify(multiplied)),
            (switched_multipliers(self._R.assembly), held),
        ]

    def of(self, expression: ca.SX) -> ca.SX:
        """Return the change of an expression of all these symbols, as a function of the state."""
        return self.at(self._by(expression))

    def at(self, expression: ca.SX) -> ca.SX:
        """Return an expression of all these symbols as a function of the state."""
        R, symbols = self._R, self._symbols
        A = R.assembly
        unknown, settled = R.settling
        return replace(
            expression,
            column(
                [
                    unknown,
                    symbols.accelerations,
                    R.accelerations,
                    symbols.multipliers,
                    switched_multipliers(A),
                    A.implicit.forces,
                ]
            ),
            column(
                [
                    settled,
                    R.all_accelerations,
                    R.qdd,
                    R.multipliers,
                    self._dynamics.switched_forces,
                    self._dynamics.law_forces,
                ]
            ),
        )

    def of_rates(self, auxiliary: ca.SX) -> ca.SX:
        """Return the change of the states' rates; ``auxiliary`` are those of auxiliary states."""
        R = self._R
        A = R.assembly
        return self.of(column([R.accelerations, A.value_rates, A.kinematic_rates(), auxiliary]))


def solved_changes(
    dynamics: Dynamics,
    configuration: Configuration,
    known: ca.SX,
    variation: ca.SX,
    observed: Callable[[ca.SX], tuple[ca.SX, ca.SX]],
) -> ca.SX | None:
    """Return the changes of the states' rates, then of the outputs, by a variation.

    Returns None where the solutions must be differentiated instead, by `differentiated`.

    Parameters
    ----------
    known, variation : SX
        Arguments of the functions, and their changes.
    observed : callable
        Returns the rates of auxiliary states and the outputs, given stresses, in symbols of
        velocities and accelerations.
    """
    symbols, moved = unsolved(dynamics), configuration.moved
    if symbols is None or moved is None:
        return None
    sides = Sides()

    def changes_by(variation: ca.SX) -> Changes:
        there = moved(known, variation)
        return Changes(Varied(dynamics, symbols, there, known, variation, sides))

    changes = changes_by(variation)
    auxiliary, outputs = observed(dynamics.velocity.stresses(symbols.multipliers))
    both = column([changes.of_rates(auxiliary), changes.of(outputs)])
    # Arguments of kinks may contain accelerations, so how they change is known only now.
    if sides.kinks:
        along = changes_by(inwards(dynamics.reduced.assembly.model, known))
        both = sides.put(both, along.at, along.of)
    return both


def differentiated(
    A: Assembly, C: Configuration, of: ca.SX, known: ca.SX, variation: ca.SX
) -> ca.SX:
    """Return the change of any function of the state by a variation; the configuration follows.

    Where `Changes` cannot be used, solutions are differentiated as expressions.
    """
    symbols = column([known, C.x])

    def moved(by: ca.SX) -> ca.SX:
        return column([by, A.in_coordinates(C.change(known, by))])

    def towards() -> ca.SX:
        return moved(inwards(A.model, known))

    # Values that elements repeat are differentiated once.
    [once] = common_once([A.in_coordinates(of)])
    return jtimes_towards(once, symbols, moved(variation), towards)
