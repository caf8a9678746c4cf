"""What a tyre's law is: forces as formulas of the contact's slips, load and camber.

Signs, with the axle pointing to the left and z up: all forces are those of the ground on the
wheel, forward, to the left, and counter-clockwise seen from above. A slip angle is positive where
the contact moves to the left, so that its force is negative; camber is positive where the wheel
leans to the right, so that its force is negative too. The benchmark of the Iltis vehicle has the
same signs, and so have the W axes of TYDEX.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import casadi as ca

from mbcore.model import summary


@dataclass(frozen=True, repr=False)
class TyreContact(summary.SummarizedExpressions):
    """The arguments of a law; all are scalars.

    Attributes
    ----------
    slip_angle : SX
        α, rad: arctangent of the velocity to the left over the amount of the forward velocity.
    slip_ratio : SX
        κ = -s_1 / |v|, positive where the wheel drives; zero where it rolls without slip.
    camber : SX
        γ, rad, angle of the axle above the tangent plane on the left, positive where the wheel
        leans to the right. Below the slowest speed, laws get a camber that fades with the square of
        the speed, because only a rolling wheel has a camber force.
    load : SX
        F, N, positive.
    direction : SX
        1 forwards, -1 backwards; in between below the slowest speed.
    speed : SX
        Forward velocity, m/s.
    turn_slip : SX
        φ_t, 1/m: rate at which the wheel's plane turns to the left, over the amount of the speed.
    """

    slip_angle: ca.SX
    slip_ratio: ca.SX
    camber: ca.SX
    load: ca.SX
    direction: ca.SX
    speed: ca.SX = field(default_factory=lambda: ca.SX(1))
    turn_slip: ca.SX = field(default_factory=lambda: ca.SX(0))


@dataclass(frozen=True, repr=False)
class TyreForces(summary.SummarizedExpressions):
    """Forces of the ground on the wheel, in the W axes of TYDEX at the contact point.

    ``longitudinal`` forwards and ``lateral`` to the left, N; ``aligning_moment`` about the normal,
    ``overturning_moment`` about the longitudinal axis, and ``rolling_resistance`` about the lateral
    one, N.m.
    """

    longitudinal: ca.SX
    lateral: ca.SX
    aligning_moment: ca.SX
    overturning_moment: ca.SX = field(default_factory=lambda: ca.SX(0))
    rolling_resistance: ca.SX = field(default_factory=lambda: ca.SX(0))


class TyreLaw(ABC):
    """Forces as formulas of the contact; subclass it to write a tyre of your own."""

    @abstractmethod
    def forces(self, contact: TyreContact) -> TyreForces:
        """Return the forces of the ground on the wheel, by the slips and load in ``contact``."""
