r"""Limits of bending and twist of a beam element, and the error of its moments below them.

Its deformations measure a rotation θ of an end relative to the chord by |r| sin θ, and a twist by
l_0 sin θ. In pure bending, with ends turned by ±θ, the energy U = 2 EI ε²/l_0³ of ε = |r| sin θ
gives the moment dU/d(2θ), where the chord |r| is l_0, or follows from an inextensible arc as
|r| = l_0 - ε²/(6 l_0). With w = √(1 + ⅔ sin²θ), in parts of the exact 2 EI θ/l_0 it is

    chord:  sin 2θ / (2θ) = 1 - ⅔ θ² + …        arc:  2 sin 2θ / (θ w (1 + w)²) = 1 - 4/3 θ² + …

The torque of a twist θ is that of the chord. Moments are largest at 45° (chord, torque) and at
37.6° (arc), beyond which the element collapses.

An end that is free to turn has no moment, and no limit where nothing else of the element depends
on its rotation: a massless beam whose chord is rigid is a link with a hinge.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, radians

import casadi as ca

from mbcore.model.quantities import Deformation, Role
from mbcore.model.statements import Limit, length

ADVISED, MOST = 20, 35
"""Rotations, degrees, beyond which there is a warning, and an error."""


def share_lost(angle: ca.SX, arc: bool) -> ca.SX:
    """Return the relative loss of the moment at a rotation, rad, of either sign."""
    sine = ca.sin(angle)
    ratio = sine * ca.cos(angle) / angle
    if not arc:
        return 1 - ratio
    w = ca.sqrt(1 + 2 * sine**2 / 3)
    return 1 - 4 * ratio / (w * (1 + w) ** 2)


def are_free(deformations: Iterable[Deformation]) -> bool:
    """Whether deformations are released and carry no law."""
    return all(q.role is Role.DEPENDENT and not q.laws for q in deformations)


def end_limits(e_x: ca.SX, r: ca.SX, end: str, arc: bool) -> dict[str, Limit]:
    """Return the limits of the angle between an end's axis ``e_x`` and the chord ``r``."""
    text = "an end is turned by more than {} degrees relative to its element"
    advised, most = _limits(ca.dot(e_x, r), length(r), text, "bending moment", arc)
    return {f"rotation_{end}": most, f"moment_lost_{end}": advised}


def twist_limits(p: ca.SX, q: ca.SX) -> dict[str, Limit]:
    """Return the limits of the twist between the axes of both ends, columns of (3, 3)."""
    # e_yᵖ·e_y^q + e_zᵖ·e_z^q = (1 + e_xᵖ·e_x^q) cos(twist), however the beam bends.
    whole = 1 + ca.dot(p[:, 0], q[:, 0])
    part = ca.dot(p[:, 1], q[:, 1]) + ca.dot(p[:, 2], q[:, 2])
    text = "the ends are twisted by more than {} degrees relative to each other"
    advised, most = _limits(part, whole, text, "torque", arc=False)
    return {"twist": most, "torque_lost": advised}


def _limits(part: ca.SX, whole: ca.SX, text: str, moment: str, arc: bool) -> tuple[Limit, Limit]:
    """Return the limits, warning and error, of an angle whose cosine is ``part / whole``."""
    angle = ca.acos(ca.fmax(ca.fmin(part / whole, cos(1e-3)), -1))
    advice = (
        f"{text.format(ADVISED)}, so that its {moment} is too small by about the shown fraction; "
        "use more elements"
    )
    refused = (
        f"{text.format(MOST)}, the angle is shown in degrees; soon the {moment} no longer grows "
        "with the rotation; use more elements"
    )
    return (
        Limit(part - whole * cos(radians(ADVISED)), advice, share_lost(angle, arc), "warning"),
        Limit(part - whole * cos(radians(MOST)), refused, angle * 180 / ca.pi),
    )
