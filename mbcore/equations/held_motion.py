"""Motions whose degrees of freedom are held, and how the forces that hold them change.

The forces f^d of [Schwab2002] (2.10) follow from the multipliers of the velocity problem's rows,
with q̈ = 0. Where J a = R q̈ + g and M a + Jᵀ λ = f, their changes by a variation of states and
inputs, and of q̈, follow from the same factors of J:

    J δa = R δq̈ + δg + δR q̈ - δJ a,    Jᵀ δλ = δf - δM a - δJᵀ λ - M δa.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from mbcore.equations.changes import Unsolved, Varied, unsolved
from mbcore.equations.dynamics import Dynamics
from mbcore.equations.elimination.configuration import Configuration
from mbcore.equations.sides import Sides
from mbcore.equations.unilateral.switched_constraints import switched_multipliers
from mbcore.model.expressions import column, replace
from mbcore.model.kinks import parted


class HeldMotion:
    """Forces and rates of a held motion, and their change.

    Parameters
    ----------
    dynamics : Dynamics
        The equations; see `held_motion` for which.
    symbols : Unsolved
        Accelerations and multipliers in them.
    configuration : Configuration
        Their configuration.
    auxiliary, outputs : SX
        Rates of auxiliary states, and outputs, in symbols of velocities, accelerations and
        multipliers.
    stresses : SX
        Stresses of the velocity problem's rows in the same symbols.
    """

    def __init__(
        self,
        dynamics: Dynamics,
        symbols: Unsolved,
        configuration: Configuration,
        observed: tuple[ca.SX, ca.SX],
        stresses: ca.SX,
    ) -> None:
        self._dynamics, self._symbols = dynamics, symbols
        self._moved = configuration.moved
        A = dynamics.reduced.assembly
        first, (auxiliary, outputs) = len(A.rigid) + len(A.prescribed), observed
        holding = -stresses[first : first + len(A.independent)]  # a stress opposes its force
        self._varying = column([holding, A.value_rates, A.kinematic_rates(), auxiliary, outputs])
        self._stresses = stresses

    def formulas(self) -> ca.Function:
        """Return the function of all that masses, loads and constraints bring in.

        A mass on a prescribed motion is in no equation of motion, but in a stress.
        """
        R = self._dynamics.reduced
        A, V = R.assembly, R.velocity
        every = [A.M, A.h, R.applied, V.homogeneous, R.right, self._varying, self._stresses]
        symbols = column(ca.symvar(column(ca.vec(ca.densify(part)) for part in every)))
        return ca.Function("formulas", [symbols], every)

    def values(self) -> ca.SX:
        """Return holding forces, rates of the other states, outputs, and stresses, (k, 1)."""
        return self._at(column([self._varying, self._stresses]))

    def changes(self, known: ca.SX, variation: ca.SX, accelerations: ca.SX) -> ca.SX:
        """Return the changes of holding forces, rates of the other states, and outputs.

        Parameters
        ----------
        known, variation : SX
            Arguments of the functions, and their changes.
        accelerations : SX
            Change of q̈ from zero, shape (nd, 1).
        """
        R, V, symbols = self._dynamics.reduced, self._dynamics.velocity, self._symbols
        assert self._moved is not None
        there = self._moved(known, variation)
        varied = Varied(self._dynamics, symbols, there, known, variation, Sides())
        varied.pairs.append((R.accelerations, accelerations))
        varied.move()
        a = V.solver.solve(ca.sparsify(varied.demanded()))
        varied.pairs.append((symbols.accelerations, ca.densify(a)))
        multipliers = V.solver.solve_transposed(ca.sparsify(varied.pushed()))
        varied.pairs.append((symbols.multipliers, ca.densify(multipliers)))
        return self._at(varied.by(self._varying))

    def _at(self, expression: ca.SX) -> ca.SX:
        """Return an expression of all symbols as a function of the state, with q̈ = 0."""
        R, V, symbols = self._dynamics.reduced, self._dynamics.velocity, self._symbols
        A = R.assembly
        a = V.solver.solve(ca.sparsify(R.settled(R.right)))
        forces = R.settled(R.applied - A.h) - A.M @ a[: A.v.numel()]
        unknown, settled = R.settling
        nothing = column([R.accelerations, switched_multipliers(A), *map(_marker, R.missing)])
        return replace(
            replace(
                expression,
                column([unknown, symbols.accelerations, symbols.multipliers]),
                column([settled, a, V.multipliers(forces)]),
            ),
            nothing,
            ca.SX.zeros(nothing.numel()),
        )


def _marker(missing: tuple[ca.SX, str]) -> ca.SX:
    return missing[0]


def held_motion(
    dynamics: Dynamics,
    configuration: Configuration,
    observed: Callable[[ca.SX], tuple[ca.SX, ca.SX]],
) -> HeldMotion | None:
    """Return a held motion, or None where forces and velocities are not solved one by one.

    That is where `mbcore.equations.changes.unsolved` returns none, where there is no degree of
    freedom to hold, where laws depend on constraint forces, and where formulas have kinks: which
    side counts follows from the actual motion.

    Parameters
    ----------
    observed : callable
        Returns the rates of auxiliary states and the outputs, given stresses, in symbols of
        velocities and accelerations.
    """
    symbols = unsolved(dynamics)
    if symbols is None or configuration.moved is None or dynamics.implicit is not None:
        return None
    R, V = dynamics.reduced, dynamics.velocity
    if R.accelerations.numel() == 0:
        return None
    A = R.assembly
    stresses = V.stresses(symbols.multipliers)
    seen = observed(stresses)
    formulas = [V.homogeneous, R.first, R.right, R.applied, A.h, A.kinematic_rates(), *seen]
    if parted(column([configuration.residual, configuration.placed, *formulas]))[1]:
        return None
    return HeldMotion(dynamics, symbols, configuration, seen, stresses)
