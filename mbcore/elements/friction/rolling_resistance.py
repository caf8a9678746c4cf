"""Rolling resistance: the normal force of what rolls acts ahead of the contact point."""

from __future__ import annotations

import casadi as ca

from mbcore.elements.friction.circle import circle
from mbcore.elements.friction.footing import footing, require_pressure
from mbcore.elements.friction.rubbing import Rubbing, usual_length
from mbcore.elements.friction.stick_slip import stick_and_slide
from mbcore.elements.wheels.rolling_body import RollingBody
from mbcore.elements.wheels.thick_wheel import ThickWheel
from mbcore.elements.wheels.wheel import PlanarWheel, Wheel
from mbcore.model import checks
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.statements import SlipRate, length
from mbcore.model.system import is_system
from mbcore.model.variables import Number


class RollingResistance(Element):
    """A moment against rolling: the normal force times an arm.

        M = f N

    For a wheel it opposes the rotation about the projection of its axle on the surface, for a ball
    or another convex body the rotation about any axis in the surface. A body that comes to rest is
    held there exactly, as long as the holding moment does not exceed M. Both changes are events.

    A thin wheel that wobbles nearly flat hardly turns about an axis in the surface, while its
    contact point runs around its contour. Contour friction [Leine2009] resists this: the same
    moment acts against the rate at which the contact point goes around the wheel. Upright, both are
    the same.

    Its slips are ``rolling``, of a ball ``rolling_x`` and ``rolling_y``, rad/s. Symbols for outputs
    are ``moment``, N.m, against each of these, ``power``, never positive, ``sticks`` and ``load``.

    Parameters
    ----------
    wheel : PlanarWheel, Wheel, ThickWheel, Ball or ConvexBody
        The rolling element; its rotation must be free.
    arm : number or expression
        How far ahead of the contact point the normal force acts, m.
    load : number or expression, optional
        Normal force, N, of a planar wheel, where it is not a constraint force.
    contour : bool
        Whether it acts along the contour of a thin wheel in space.

    Raises
    ------
    ModelError
        If the element is of another kind, the arm is negative, or the load is missing.
    """

    kind = "rolling resistance"
    unseen = "it is a property of its contact"

    def __init__(
        self,
        name: str,
        wheel: PlanarWheel | Wheel | RollingBody,
        *,
        arm: Number,
        load: Number | None = None,
        contour: bool = False,
    ) -> None:
        super().__init__(name)
        if not isinstance(wheel, PlanarWheel | Wheel | RollingBody):
            raise ModelError(f"{self.title}: {wheel!r} does not roll; give a wheel or a ball")
        if contour and not isinstance(wheel, Wheel):
            raise ModelError(
                f"{self.title}: contour is for a thin wheel in space; leave it out of the "
                f"{wheel.title}"
            )
        self.wheel, self.contour = wheel, contour
        self.arm = ca.SX(self.number("arm", arm, least=0.0, unit="m"))
        self.given_load = load if load is None else checks.expression(self.title, "load", load, "N")

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return the rates of turning about axes in the surface, or that along the contour."""
        wheel = self.wheel
        if isinstance(wheel, PlanarWheel):
            return {"rolling": SlipRate(wheel.spin.rate, "rad/s", zero=False)}
        turning = wheel.rotation.angular_velocity
        if isinstance(wheel, Wheel) and self.contour:
            return {"rolling": SlipRate(wheel.contour_rate, "rad/s", zero=False)}
        if isinstance(wheel, Wheel):
            across = ca.cross(wheel.normal, wheel.tangent_direction)
            if wheel.frame is not None:
                turning = turning - wheel.frame[1].angular_velocity
            rate = ca.dot(across, turning) / length(across)
            return {"rolling": SlipRate(rate, "rad/s", zero=False)}
        relative = turning - wheel.surface_at.spin
        axes = dict(zip(("rolling_x", "rolling_y"), wheel.tangents(), strict=True))
        if isinstance(wheel, ThickWheel):
            axes = {"rolling": axes["rolling_y"]}
        return {
            name: SlipRate(ca.dot(axis, relative), "rad/s", zero=False)
            for name, axis in axes.items()
        }

    def make_quantities(self) -> None:
        """Make the slips, their laws, and the events between rolling and rest."""
        if not is_system(self.model):
            raise ModelError(f"{self.title}: add it to a model first")
        super().make_quantities()
        self.rubbing_slips = tuple(self.slips.values())
        foot = footing(self.title, self.wheel, self.given_load)
        # A wheel that lies flat rolls no more: its face takes all moments.
        rolls = 1 - self.wheel.lies if isinstance(self.wheel, Wheel) else ca.SX(1)
        limits = circle(lambda arm: rolls * arm * foot.load, self.arm, self.arm, ca.SX(0))
        # Rates stand in place of speeds: the friction on them is a moment. Their natural size says
        # who holds first: where what rolls turns on a contact that sticks, and its turning passes
        # through rest, the contact holds and the turning goes on.
        size = 1 / usual_length(self, self.arm)
        rubbing = [Rubbing(slip, ca.SX(1), size) for slip in self.slips.values()]
        friction = stick_and_slide(self.model, self.name, rubbing, limits)
        self.sticks, self.power, self.load = friction.sticks, friction.power, foot.load
        self.moment = ca.vertcat(*(slip.force for slip in self.slips.values()))
        require_pressure(self.model, self.name, self.wheel, foot.load)
