"""What friction acts on in transmissions: the sliding of threads and teeth, and their forces.

Used by `mbcore.elements.friction.grips` alone; it stands apart because the forces here are those of
couplings, and in the joints there those between bodies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca

from mbcore.elements.friction.joint_sliding import Grip, length, refuse
from mbcore.model.errors import ModelError
from mbcore.model.expressions import depends
from mbcore.model.quantities import Deformation
from mbcore.model.system import System


def coupling_grip(friction: Any, model: System) -> Grip:
    """Return the grip of a coupling, a screw or gears.

    Raises
    ------
    ModelError
        If it ties something else, or an argument is missing or does not belong to it.
    """
    coupling, symbols = friction.joint, model.symbols
    refuse(friction, ("at", "of", "collar", "span"), "hinges")
    if friction.fit != "snug":
        raise ModelError(f"{friction.title}: fit is for hinges; leave it out")
    tied = sorted(symbols.values_in(coupling.expression), key=lambda q: q.unit)
    units = "".join(q.unit for q in tied)
    if units not in ("mrad", "radrad") or symbols.places_in(coupling.expression):
        names = ", ".join(q.name for q in tied) or "no deformation"
        raise ModelError(
            f"{friction.title}: coupling {coupling.name} ties {names}; a screw ties one "
            "displacement of a slide and one angle of a hinge, and gears two such angles"
        )
    values = ca.vertcat(*(q.value for q in tied))
    slopes = ca.jacobian(coupling.expression, values)
    if depends(slopes, values):
        raise ModelError(
            f"{friction.title}: the lead or ratio of coupling {coupling.name} changes on the way; "
            "friction is known for constant ones"
        )
    grip = _of_screw if units == "mrad" else _of_gears
    return grip(friction, model, tied, ca.horzsplit(slopes))


def _of_screw(
    friction: Any, model: System, tied: Sequence[Deformation], slopes: Sequence[ca.SX]
) -> Grip:
    """Return the grip of a square thread.

    With the angle λ of its lead, the axial force N cos λ of the normal force is that of the
    coupling, and friction acts along the helix, on r φ' cos λ + z' sin λ.
    """
    if friction.radius is None:
        raise ModelError(f"{friction.title}: a screw needs the mean radius of its thread, m")
    along, turn = tied
    by_z, by_angle = slopes
    lead = -by_angle / by_z
    slant = ca.sqrt(friction.radius**2 + lead**2)
    cosine, sine = friction.radius / slant, lead / slant
    rate = friction.radius * cosine * model.rate_of(turn) + sine * model.rate_of(along)
    load = length(by_z * friction.joint.stress) / cosine
    faster = friction.radius * cosine * turn.acceleration + sine * along.acceleration
    return Grip(rate, "m/s", load, load, faster)


def _of_gears(
    friction: Any, model: System, tied: Sequence[Deformation], slopes: Sequence[ca.SX]
) -> Grip:
    """Return the grip of gears by their efficiency.

    What turns the mesh from one side and resists it on the other, Φ_a a' = -Φ_b b', is resisted
    on both sides by the same share of the coupling's force.
    """
    refuse(friction, ("radius",), "hinges, screws and gear pairs")
    coupling = friction.joint
    if coupling.unit not in ("rad", "m"):
        raise ModelError(
            f"{friction.title}: coupling {coupling.name} of gears is in {coupling.unit}; write it "
            "in rad or m"
        )
    a, b = tied
    by_a, by_b = slopes
    rate = by_a * model.rate_of(a) - by_b * model.rate_of(b)
    faster = by_a * a.acceleration - by_b * b.acceleration
    load = length(coupling.stress)
    return Grip(rate, f"{coupling.unit}/s", load, load, faster)


def teeth_grip(friction: Any) -> Grip:
    """Return the grip of a gear pair's teeth, which slide over each other off the pitch point.

    Raises
    ------
    ModelError
        If an argument is missing or does not belong to it.
    """
    refuse(friction, ("at", "of", "collar", "span"), "hinges")
    if friction.fit != "snug":
        raise ModelError(f"{friction.title}: fit is for hinges; leave it out")
    if friction.radius is None:
        raise ModelError(
            f"{friction.title}: a gear pair needs the mean distance of its contact from the pitch "
            "point as radius, m"
        )
    gears = friction.joint
    load = length(gears.deformations["mesh"].stress)
    rate = gears.q_angle.rate - gears.p_angle.rate
    faster = gears.q_angle.acceleration - gears.p_angle.acceleration
    return Grip(rate, "rad/s", load, friction.radius * load, faster)
