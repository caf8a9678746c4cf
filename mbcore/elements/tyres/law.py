"""What a tyre's law is: forces as formulas of the contact's slips, load and camber.

Signs, with the axle pointing to the left and z up: all forces are those of the ground on the
wheel, forward, to the left, and counter-clockwise seen from above. A slip angle is positive where
the contact moves to the left, so that its force is negative; camber is positive where the wheel
leans to the right, so that its force is negative too. The benchmark of the Iltis vehicle has the
same signs, and so have the W axes of TYDEX.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

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
    """

    slip_angle: ca.SX
    slip_ratio: ca.SX
    camber: ca.SX
    load: ca.SX
    direction: ca.SX


@dataclass(frozen=True, repr=False)
class TyreForces(summary.SummarizedExpressions):
    """Forces of the ground on the wheel.

    ``longitudinal`` forwards and ``lateral`` to the left, N; ``aligning_moment`` about the normal,
    N.m.
    """

    longitudinal: ca.SX
    lateral: ca.SX
    aligning_moment: ca.SX


class TyreLaw(ABC):
    """Forces as formulas of the contact; subclass it to write a tyre of your own."""

    @abstractmethod
    def forces(self, contact: TyreContact) -> TyreForces:
        """Return the forces of the ground on the wheel, by the slips and load in ``contact``."""
