"""A thin wheel that comes to lie flat on its plane, and stays there."""

from __future__ import annotations

import casadi as ca

from mbcore.elements.wheels.wheel import Wheel
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.expressions import depends
from mbcore.model.statements import SlipRate, length
from mbcore.model.system import System, is_system
from mbcore.model.variables import Number

BAND = 1e-12
"""Moment, N.m, beyond the limit of a face at which a wheel tips, rounding or not."""


class FlatContact(Element):
    r"""The face of a thin wheel on its plane: a coin that has spun down, or fallen, lies there.

    A `Wheel` touches at one point of its rim, and its equations are singular where it is flat. At a
    small tilt θ, the angle between its face and the plane, this element hands over to rest: the
    face lands without rebound, all turning relative to the surface ends, and is held from then on,

        ω = Ω   while  sin θ was at most sin(tilt).

    The kinetic energy of this turning is lost; the impulse of landing has no friction. The rest of
    the tilt is an error of the place: the centre stays higher by r sin(tilt). For Euler's disk with
    contour friction the end comes too early by a constant times the tilt to the power 3/2, and
    converges as the tilt gets smaller.

    The pressure that holds the face acts in its middle of pressure

        p = c + n × M/N,

    with the contact point c, the normal force N and the moment M that holds. Where p would leave
    the face, the wheel would tip up again, over another point of its rim: the event ``NAME.tips``
    ends a run there, by the name of the requirement ``NAME.lies``.

    A wheel without friction does not slide when it lies. One with `RollingFriction` slides while
    that takes more than its friction, without turning: the lever of a face is its radius, and no
    law for it is stated here.

    Adds the discrete variables ``NAME.lies`` and ``NAME.landed``, the time of landing, s. ``lies``,
    ``landed``, ``tilt_sine`` and ``moment``, N.m, of the ground on the wheel, are symbols for
    outputs.

    Parameters
    ----------
    wheel : Wheel
        On a plane, which may move; it may roll without slip or with friction.
    tilt : number or expression
        At which it lands, rad.

    Raises
    ------
    ModelError
        If the element is no thin wheel in space, its surface is not a plane, or the tilt is not
        between 0 and 0.5.
    """

    kind = "flat contact"
    unseen = "it is a property of its contact"

    def __init__(self, name: str, wheel: Wheel, *, tilt: Number = 0.01) -> None:
        super().__init__(name)
        if not isinstance(wheel, Wheel):
            raise ModelError(
                f"{self.title}: {wheel!r} is no thin wheel in space, which may fall flat; give a "
                "Wheel"
            )
        if depends(wheel.normal, wheel.contact.position):
            raise ModelError(
                f"{self.title}: the surface of the {wheel.title} is curved, and its face cannot "
                "lie on it; take a plane, or let it fall by unilateral contacts of points on its "
                "rim"
            )
        self.wheel = wheel
        self.tilt = self.number("tilt", tilt, above=0.0, most=0.5, unit="rad")

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return the angular velocity relative to the surface."""
        turning = self.wheel.rotation.angular_velocity
        if self.wheel.frame is not None:
            turning = turning - self.wheel.frame[1].angular_velocity
        axes = zip(("turning_x", "turning_y", "turning_z"), ca.vertsplit(turning), strict=True)
        return {axis: SlipRate(rate, "rad/s", zero=False) for axis, rate in axes}

    def make_quantities(self) -> None:
        """Make the slips, hold them where the wheel lies, and require that the surface presses."""
        model = self.model
        if not is_system(model):
            raise ModelError(f"{self.title}: add it to a model first")
        self._refuse_order(model)
        super().make_quantities()
        wheel, normal = self.wheel, self.wheel.normal / length(self.wheel.normal)
        self.lies = model.discretes.add(
            f"{self.name}.lies", 0, kind="boolean", description="whether it lies flat"
        )
        self.landed = model.discretes.add(
            f"{self.name}.landed", -1.0, unit="s", description="when it landed; -1 before"
        )
        wheel.lies = self.lies
        for slip in self.slips.values():
            slip.model = model
            slip.release().hold(self.lies)
        self.tilt_sine = length(ca.cross(wheel.axle, normal))
        model.events.add(
            f"{self.name}.lands",
            ca.if_else(self.lies, 1, ca.sin(self.tilt) - self.tilt_sine),
            rising={f"{self.name}.lies": 1, f"{self.name}.landed": model.time},
        )
        self.moment = -ca.vertcat(*(slip.force for slip in self.slips.values()))
        off = wheel.normal_force * wheel.radius + ca.cross(normal, self.moment)
        off = off - ca.dot(normal, off) * normal
        left = ca.if_else(self.lies, wheel.radius_0 * wheel.normal_force - length(off), 1)
        tips = model.events.add(f"{self.name}.tips", -left, band=BAND)
        model.requirements.add(
            f"{self.name}.lies",
            ca.if_else(tips, ca.fmin(left, -BAND), 1),  # importers look for the event beyond it
            f"the {wheel.title}, which lies flat, would tip up over its rim or lift off: radius "
            "times normal force less the moment on its face, N.m, is negative; load it less, or "
            "end the run earlier",
            shown=left,
        )

    def _refuse_order(self, model: System) -> None:
        """Refuse what acts on the wheel already without knowing whether it lies."""
        for other in model.elements.values():
            if getattr(other, "wheel", None) is self.wheel:
                raise ModelError(
                    f"{self.title}: add it before the {other.title}, which ends where the "
                    f"{self.wheel.title} lies, and give the wheel one of each only"
                )
