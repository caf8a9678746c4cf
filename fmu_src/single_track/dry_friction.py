"""Dry friction on a speed that sticks at rest: a brake, exact by the modes of two events.

With the limit L >= 0 and the force A of everything else on the speed v, the brake's force is -L
while v > 0 and +L while v < 0. At rest it is what holds,

    -(A + K v), at most L in magnitude,

so that v' = -K v / M: what is left of v where it stuck fades, and the place stays. Where |A|
exceeds L, that is -L or L again, and the motion begins; the events follow when it is one. Never is
there a force along the motion, so that braking only takes energy. The events watch nothing but the
speed, which costs next to nothing.
"""

from __future__ import annotations

import casadi as ca

from mbcore import Model

FADING = 0.05
"""Time constant, s, with which a remaining speed fades at rest; any that steps resolve would do."""
REST = 0.01
"""Speed, m/s, at which rest is over: above what large steps leave of one that is braked."""
BAND = 1e-9
"""Half width of the events' hysteresis, m/s."""


def brake(car: Model, name: str, speed: ca.SX, limit: ca.SX, applied: ca.SX, mass: ca.SX) -> ca.SX:
    """Add the events ``NAME.sliding_forward`` and ``_backward``; return the brake's force.

    Parameters
    ----------
    speed : SX
        v, m/s, the rate of a degree of freedom.
    limit : SX
        L, N, at least 0.
    applied : SX
        A, N: all other generalized forces on v, those of inertia among them, while v does not
        change.
    mass : SX
        Its size, kg, of which K is made.
    """
    resistance = mass / FADING
    forward, backward = (car.event(f"{name}.sliding_{side}") for side in ("forward", "backward"))
    for side, mode, sign in (("forward", forward, 1), ("backward", backward, -1)):
        beyond = sign * speed - ca.if_else(mode, 0, REST)
        car.event(f"{name}.sliding_{side}", beyond, band=BAND)
    needed = -applied - resistance * speed
    # at rest with neither force nor limit, nothing changes by either alone: sign says so
    holding = ca.if_else(ca.fabs(needed) >= limit, ca.sign(needed) * limit, needed)
    return ca.if_else(forward, -limit, ca.if_else(backward, limit, holding))
