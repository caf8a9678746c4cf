"""The Magic Formula's arguments: conditions of a tyre, factors of turn slip, lateral force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca


@dataclass(frozen=True)
class Conditions:
    """Arguments of a tyre's forces.

    Attributes
    ----------
    load : SX
        F_z, N.
    slip_ratio, slip_angle, camber : SX
        κ; α and γ, rad.
    turn_slip : SX or None
        φ_t, 1/m, if turn slip counts.
    speed : SX
        V_x, m/s.
    direction : SX
        1 forwards, -1 backwards.
    pressure : SX
        p_i, Pa.
    """

    load: ca.SX
    slip_ratio: ca.SX
    slip_angle: ca.SX
    camber: ca.SX
    turn_slip: ca.SX | None
    speed: ca.SX
    direction: ca.SX
    pressure: ca.SX


@dataclass(frozen=True)
class Factors:
    """ζ_0 to ζ_8, by which spin reduces forces; all are one without turn slip."""

    zeta_0: Any = 1.0
    zeta_1: Any = 1.0
    zeta_2: Any = 1.0
    zeta_3: Any = 1.0
    zeta_4: Any = 1.0
    zeta_5: Any = 1.0
    zeta_6: Any = 1.0
    zeta_7: Any = 1.0
    zeta_8: Any = 1.0


@dataclass(frozen=True)
class Lateral:
    """The pure lateral force, and the parts of it for the moments."""

    force: ca.SX
    friction: ca.SX
    stiffness: ca.SX
    shift_h: ca.SX
    shift_v: ca.SX
    slope_times_shape: ca.SX


def without_camber(at: Conditions) -> Conditions:
    """Return the same conditions without camber and turn slip."""
    return Conditions(
        load=at.load,
        slip_ratio=at.slip_ratio,
        slip_angle=at.slip_angle,
        camber=ca.SX(0),
        turn_slip=None,
        speed=at.speed,
        direction=at.direction,
        pressure=at.pressure,
    )
