"""Forces of the supports on fixed coordinates, from the equations of motion in their rows."""

from __future__ import annotations

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.speeds import SpeedAssembly
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace, total


def support_reactions(
    assembly: Assembly, v: ca.SX, a: ca.SX, stresses: ca.SX
) -> list[tuple[ca.SX, ca.SX]]:
    """Return pairs (coordinate, force of the support) for the reactions in outputs.

    [Schwab2002] (A.15) in the rows of fixed coordinates, at velocities ``v``, accelerations ``a``
    and ``stresses`` of the velocity problem's rows.
    """
    A, model = assembly, assembly.model
    used = column(o.expression for o in model.outputs.values())
    wanted = [f for f in A.fixed if depends(used, f[0].reaction)]
    if not wanted:
        return []
    for coordinate, *_ in wanted if isinstance(A, SpeedAssembly) else ():
        if coordinate.unit != "m" and coordinate.unit != "rad":
            raise ModelError(
                f"{coordinate.name}: the reaction on a single Euler parameter is no moment; give "
                "the stresses of a hinge to the fixed rotation instead"
            )
    place = column(x for _, x, _ in wanted)
    speed = column(s for _, _, s in wanted)
    energy = A.unplaced(total(e.kinetic_energy() for e in model.elements.values()))
    momentum = ca.gradient(energy, speed)
    changing, change, speeds, speed_rates = A.all_motions()
    needed = (
        ca.jtimes(momentum, changing, change)
        + ca.jtimes(momentum, speeds, speed_rates)
        - ca.gradient(energy, place)
    )
    for element in model.elements.values():
        moment = element.first_moment()
        if model.gravity is not None and moment is not None:
            needed -= ca.gradient(ca.dot(model.gravity, moment), place)
    for velocity, action in A.actions():
        needed -= ca.jtimes(velocity, speed, action, True)
    for i, q in enumerate(A.velocity_rows):
        needed += ca.jtimes(A.nodal_rate(q), speed, stresses[i], True)
    reactions = replace(A.resolve(needed), column([A.v, A.a]), column([v, a]))
    return [(coordinate.reaction, reactions[i]) for i, (coordinate, _, _) in enumerate(wanted)]
