"""Users' symbols, and their meaning in solved equations."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.equations.assembly.accelerations import observed_accelerations
from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.implicit_laws import constraint_forces
from mbcore.equations.assembly.reactions import reactions
from mbcore.equations.dynamics import Dynamics
from mbcore.model.expressions import column, hashes, replace, symbolic
from mbcore.model.quantities import Slip

Pair = tuple[ca.SX, ca.SX]
"""Symbols, and their meaning."""


class Meanings:
    """Meaning of the symbols in users' expressions.

    Parameters
    ----------
    form : Assembly
        The index sets that are solved.
    pairs : sequence of pair of SX
        Symbols, with expressions in (t, s, d, u, p, x) or in symbols of ``form``.
    """

    def __init__(self, form: Assembly, pairs: Sequence[Pair]) -> None:
        self._form = form
        self._symbols = column(symbols for symbols, _ in pairs)
        self._expressions = column(expressions for _, expressions in pairs)

    def settled(self, expression: ca.SX) -> ca.SX:
        """Return a user's expression with what its symbols stand for."""
        resolved = self._form.resolve(symbolic(expression))
        # Reactions are replaced by stresses, these by laws, which may contain velocities in turn.
        for _ in range(2):
            resolved = replace(resolved, self._symbols, self._expressions)
        return resolved


def meanings(
    form: Assembly,
    dynamics: Dynamics,
    moving: Pair,
    stresses: ca.SX,
    forces: Sequence[Pair] = (),
) -> Meanings:
    """Return what symbols stand for.

    Parameters
    ----------
    moving : pair of SX
        Velocities and accelerations.
    stresses : SX
        Of the rows of the velocity problem.
    forces : sequence of pair of SX
        Symbols of forces that the dynamics give, with these.
    """
    A, (v, a) = form, moving
    pairs = [(A.v, v), (A.a, a), dynamics.signal_rates]
    for i, q in enumerate(A.velocity_rows):
        pairs.append((q.dual, A.resolve(A.implicit.of(q)) if q.laws else stresses[i]))
    for quantity in [*A.kinematic, *A.dependent, *A.free]:
        force = A.resolve(A.implicit.of(quantity))
        if isinstance(quantity, Slip) and quantity.held is not None:
            force -= quantity.held.multiplier
        pairs.append((quantity.dual, force))
    pairs.append((A.model.kinetic_energy, A.kinetic_energy))
    pairs.append((A.model.potential_energy, A.potential_energy))
    pairs += reactions(A, v, a, stresses)
    pairs += observed_accelerations(A)
    return Meanings(A, [*pairs, *forces])


def forces_in_auxiliary(form: Assembly) -> bool:
    """Return whether rates of auxiliary states contain forces that the dynamics give."""
    model = form.model
    if not model.states:
        return False
    duals = column(q.dual for q in form.quantities())
    forces = hashes(duals) | hashes(constraint_forces(model))
    return bool(forces & hashes(column(rate for _, rate in model.states.values())))
