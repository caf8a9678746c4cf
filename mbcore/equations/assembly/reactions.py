"""Forces of supports and of elements at nodes, from the equations of motion in their rows."""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.speeds import SpeedAssembly
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace, total

Pairs = list[tuple[ca.SX, ca.SX]]
"""Symbols and their meanings."""


def support_reactions(assembly: Assembly, v: ca.SX, a: ca.SX, stresses: ca.SX) -> Pairs:
    """Return pairs (coordinate, force of the support) for the reactions in outputs and laws.

    [Schwab2002] (A.15) in the rows of fixed coordinates, at velocities ``v``, accelerations ``a``
    and ``stresses`` of the velocity problem's rows.
    """
    A, model = assembly, assembly.model
    used = column([*(o.expression for o in model.outputs.values()), A.implicit.laws])
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
    needed = _to_move(A, model.elements.values(), place, speed)
    for velocity, action in A.actions():
        needed -= ca.jtimes(velocity, speed, action, True)
    for i, q in enumerate(A.velocity_rows):
        needed += ca.jtimes(A.nodal_rate(q), speed, stresses[i], True)
    reactions = replace(A.resolve(needed), column([A.v, A.a]), column([v, a]))
    return [(coordinate.reaction, reactions[i]) for i, (coordinate, _, _) in enumerate(wanted)]


def element_reactions(assembly: Assembly, v: ca.SX, a: ca.SX, stresses: ca.SX) -> Pairs:
    """Return pairs (force, its value) for the reactions of `mbcore.model.parts.reactions`.

    What elements pull with at a point is what [Schwab2002] (A.15) says of them alone in the
    point's rows: weight and stresses, less what it takes to move them.
    """
    A, found = assembly, []
    row = {q.name: i for i, q in enumerate(A.velocity_rows)}
    for reaction in A.model.reactions:
        point, elements = reaction.point, A.model.reactions.elements_of(reaction)
        force = -_to_move(A, elements, point.coordinates, point.velocities)
        for element in elements:
            for q in (*element.deformations.values(), *element.slips.values()):
                stress = stresses[row[q.name]] if q.name in row else A.implicit.of(q)
                if q.name in row and q.laws:
                    stress = A.implicit.of(q)
                force -= ca.jtimes(A.nodal_rate(q), point.velocities, stress, True)
        value = replace(A.resolve(force), column([A.v, A.a]), column([v, a]))
        found.append((reaction.force, value))
    return found


def _to_move(A: Assembly, elements: Iterable[Element], place: ca.SX, speed: ca.SX) -> ca.SX:
    """Return the forces along ``speed`` that it takes to move elements, less their weight."""
    gravity = A.model.gravity
    parts = list(elements)
    energy = A.unplaced(total(e.kinetic_energy() for e in parts))
    momentum = ca.gradient(energy, speed)
    changing, change, speeds, speed_rates = A.all_motions()
    needed = (
        ca.jtimes(momentum, changing, change)
        + ca.jtimes(momentum, speeds, speed_rates)
        - ca.gradient(energy, place)
    )
    for element in parts:
        moment = element.first_moment()
        if gravity is not None and moment is not None:
            needed -= ca.gradient(ca.dot(gravity, moment), place)
    return needed
