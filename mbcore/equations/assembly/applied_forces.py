"""Forces of weight, loads and laws on the nodes, and their sizes."""

from __future__ import annotations

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.model.expressions import column
from mbcore.model.tables import derivatives


def applied_forces(A: Assembly) -> ca.SX:
    """Nodal forces of weight, loads and laws, shape (n, 1): f - Dᵀσ of [Schwab2002] (A.107).

    All laws are in it, those on degrees of freedom and kinematic coordinates as well.
    """
    actions = A.actions()
    if not actions:
        return A.weight
    velocities = A.place(column(velocity for velocity, _ in actions))
    forces = A.resolve(column(force for _, force in actions))
    return A.weight + A.resolve(derivatives.jtimes(velocities, A.v, forces, True))


def sizes_of_forces(A: Assembly) -> ca.SX:
    """Sizes of the `applied_forces`, each action counted by itself, shape (n, 1)."""
    sizes, actions = ca.fabs(A.weight), A.actions()
    if actions:
        velocities = A.place(column(velocity for velocity, _ in actions))
        forces = A.resolve(column(force for _, force in actions))
        by_units = A.resolve(derivatives.jacobian(velocities, A.v))
        sizes += ca.fabs(by_units).T @ ca.fabs(forces)
    return sizes
