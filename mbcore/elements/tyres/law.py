"""The interface of a tyre's law: forces as formulas of the contact's slips, load and camber.

Signs, with the axle pointing to the left and z up: all forces are those of the ground on the
wheel, forward, to the left, and counter-clockwise seen from above. A slip angle is positive where
the contact moves to the left, so that its force is negative; camber is positive where the wheel
leans to the right, so that its force is negative too. The benchmark of the Iltis vehicle has the
same signs, and so have the W axes of TYDEX.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import casadi as ca

from mbcore.model import checks, summary
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError
from mbcore.model.variables import Number


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
        Force normal to the road, N, positive.
    direction : SX
        1 forwards, -1 backwards; in between below the slowest speed.
    speed : SX
        Forward velocity, m/s.
    turn_slip : SX
        φ_t, 1/m: rate at which the wheel's plane turns to the left, over the amount of the speed.
    lever : SX
        By how much the effective radius is longer than the loaded one, m.
    """

    slip_angle: ca.SX
    slip_ratio: ca.SX
    camber: ca.SX
    load: ca.SX
    direction: ca.SX
    speed: ca.SX = field(default_factory=lambda: ca.SX(1))
    turn_slip: ca.SX = field(default_factory=lambda: ca.SX(0))
    lever: ca.SX = field(default_factory=lambda: ca.SX(0))


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


@explains_construction
@dataclass(frozen=True, repr=False)
class TyreRelaxation(summary.SummarizedExpressions):
    """How a tyre's deflections follow its slips; each pair is along the wheel, and across.

    Attributes
    ----------
    lengths : pair of numbers or expressions
        Relaxation lengths σ_κ and σ_α, m, positive.
    peaks : pair of numbers or expressions
        Slips κ and tan α of the greatest force, positive: deflections grow no further.
    times : pair of numbers or expressions
        Retardation times τ, s, positive: at rest, the tyre is a spring of the stiffness c with a
        damper τ c.
    low_speed : number or expression
        Forward speed, m/s, positive, above which this damping is zero.
    """

    lengths: tuple[Number, Number]
    peaks: tuple[Number, Number] = (math.inf, math.inf)
    times: tuple[Number, Number] = (0.01, 0.01)
    low_speed: Number = 1.0


@explains_construction
@dataclass(frozen=True, repr=False)
class TyreSpring(summary.SummarizedExpressions):
    """The spring between rim and road.

    Attributes
    ----------
    deflection : SX
        By how much the loaded radius is shorter than the free one, m; negative in the air.
    force : SX
        Of the spring where it is pressed, normal to the road, N.
    damping : number or expression
        N.s/m.
    energy : SX
        That the spring stores, J; zero in the air.
    """

    deflection: ca.SX
    force: ca.SX
    damping: Number
    energy: ca.SX


@explains_construction
@dataclass(frozen=True, repr=False)
class TyreLimit(summary.SummarizedExpressions):
    """A range that an argument of the law must not leave while the wheel is on the road.

    Attributes
    ----------
    name : str
        Of the argument.
    margin : SX
        Positive inside the range.
    shown : SX
        The argument, in the unit that the message names.
    message : str
        The fault outside the range, and the remedy.
    """

    name: str
    margin: ca.SX
    shown: ca.SX
    message: str


def road_friction(law: TyreLaw, factor: Number) -> Number:
    """Return the factor by which a road scales the friction of a law.

    Raises
    ------
    ModelError
        If it is negative, or no number or expression.
    """
    return checks.number(f"{type(law).__name__}: on_road", "friction", factor, least=0)


class TyreLaw(ABC):
    """Forces as formulas of the contact; subclass it to write a tyre of your own."""

    @abstractmethod
    def forces(self, contact: TyreContact) -> TyreForces:
        """Return the forces of the ground on the wheel, by the slips and load in ``contact``."""

    def limits_at(self, contact: TyreContact) -> Sequence[TyreLimit]:
        """Return the ranges that a `Tyre` refuses to leave; none by default."""
        del contact
        return ()

    def relaxation(self, contact: TyreContact) -> TyreRelaxation:
        """Return how deflections follow the slips, by all in ``contact`` but the slips.

        Raises
        ------
        ModelError
            If the law has no relaxation lengths.
        """
        del contact
        raise ModelError(
            f"{type(self).__name__} has no relaxation lengths; give the law a relaxation(contact) "
            'method, or the tyre transient="steady"'
        )

    def on_other_side(self) -> TyreLaw:
        """Return the law of the same tyre on the other side of a vehicle.

        It is the law itself, unless a tyre has a side, as measured ones have.
        """
        return self

    def on_road(self, friction: Number) -> TyreLaw:
        """Return the law on a road that scales the friction by a factor, zero or more.

        Raises
        ------
        ModelError
            If the law does not define the effect of a road.
        """
        del friction
        raise ModelError(
            f"{type(self).__name__} does not define how the friction of a road changes it; give "
            "the law an on_road(friction) method"
        )

    def margin(self, contact: TyreContact) -> ca.SX | None:
        """Return how far all arguments are inside their ranges, relative to the ends of these.

        It is negative outside, and None for a law without ranges.
        """
        del contact
        return None

    @property
    def unloaded_radius(self) -> Number | None:
        """Unloaded radius of a tyre that was measured, m; None of others."""
        return None

    def spring(self, loaded_radius: ca.SX, spin_rate: ca.SX) -> TyreSpring | None:
        """Return the radial spring at ``loaded_radius``, m, and ``spin_rate``, rad/s, if any."""
        del loaded_radius, spin_rate
        return None

    def effective_radius(self, load: ca.SX, spin_rate: ca.SX) -> ca.SX | None:
        """Return speed over spin of a free wheel, m; None where that is the loaded radius.

        It depends on the load, N, and on ``spin_rate``, rad/s.
        """
        del load, spin_rate
        return None
