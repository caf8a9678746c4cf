"""A tyre on a wheel: it measures the slips, and puts the forces of a law on them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import casadi as ca

from mbcore.elements.tyres.law import TyreContact, TyreForces, TyreLaw, TyreSpring
from mbcore.elements.tyres.transient import Deflections, deflect
from mbcore.elements.wheels.wheel import Wheel
from mbcore.model import checks
from mbcore.model.checks.ranges import Range
from mbcore.model.errors import ModelError, warn_user
from mbcore.model.quantities import Role
from mbcore.model.statements import length
from mbcore.model.system import is_system
from mbcore.model.variables import Number

LEAST_LOAD = 1e-3
"""Load that a law gets for a wheel in the air, N: small, but not zero, since laws divide by it."""
TRANSIENT = ("steady", "relaxation")
"""Choices by name, by their numbers."""


def _refuse_wheel(title: str, wheel: Wheel) -> None:
    if wheel.frame is not None:
        raise ModelError(
            f"{title}: its wheel rolls on a moving frame, and tyres run on ground at rest; "
            "leave frame out, or give the wheel a Friction in place of the tyre"
        )
    if not wheel.deformations:
        raise ModelError(f"{title}: add the wheel to a model first")
    if wheel.slips["lateral"].role is Role.ZERO:
        raise ModelError(
            f"{title}: the lateral slip is forbidden, so no tyre force acts; release it"
        )


class Tyre:
    """The forces of a law on the slips of a wheel, and a spring on its radius.

    The load must be known before the stresses, so it is not the constraint force in ``surface``
    but that of the radial spring, k (r_0 - |r|) + c d(r_0 - |r|)/dt, which never pulls; ``radial``
    is released for it. The deflection is along the spoke, the load the force N normal to the road,
    [Pacejka2012] (4.E68), so that with camber N cos γ - F_y sin γ acts along the spoke. Another
    expression may be given as the load. Where the spoke is longer than r_0, or the given load
    negative, the wheel is in the air and no force acts.

    A slip that is forbidden (rolling) has its constraint force instead of the law's. Overturning
    moment and rolling resistance act on the wheel's rotation, which must then spin with the wheel.

    Parameters
    ----------
    wheel : Wheel
        Already in a model, its lateral slip released.
    law : TyreLaw
        The formulas.
    radial_stiffness, radial_damping : number or expression, optional
        k, N/m, and c, N.s/m, by default those of the law: of a tyre property file.
    load : number or expression, optional
        Instead of a radial spring: N, N.
    spring_along : {"normal", "spoke"}
        Direction of the spring's force. Along the spoke it is the law's load, too, and the normal
        force is (F + F_y sin γ)/cos γ, as in [Schwab2002] 3.6.2.
    slip_point : {"contact", "centre"}
        Point whose sideways velocity gives the slip angle: the contact point, where the force does
        work, or the wheel centre, as some benchmarks define it.
    slowest : number or expression
        Speed, m/s: below it slips in steady state are relative to it, so that a wheel may stand
        still, and the effects of camber, turn slip and rolling vanish.
    transient : {"steady", "relaxation"} or expression
        Whether the law's slips are those of the moment, or those of deflections that follow these
        over the law's relaxation lengths, down to standstill. An expression is 1 for
        "relaxation" and 0 for "steady", a parameter of the model for example.

    Attributes
    ----------
    contact : TyreContact
        Arguments of the law, with the full camber at any speed; expressions for outputs.
    deflections : Deflections or None
        States of a tyre with relaxation, ``NAME.deflection_x`` and ``_y`` with the wheel's name.
    forces : TyreForces
        Forces that the law returned.
    load : SX
        Force normal to the road, or along the spoke, as ``spring_along`` says, N; zero in the air.
    radial_force : SX or None
        Force along the spoke, N; None with a given load.
    deflection : SX or None
        By how much the radial spring is pressed, m, negative in the air; None with a given load.
    effective_radius : SX or None
        Speed over spin of a free wheel, m, of laws that have one; else it is the loaded radius |r|.

    Raises
    ------
    ModelError
        If the wheel is in no model, its lateral slip is forbidden, both radial stiffness and load
        are given, or neither and the law has no spring, or the law has no relaxation lengths and
        needs them.
    RoleError
        If the radial deformation is prescribed.
    """

    def __init__(
        self,
        wheel: Wheel,
        law: TyreLaw,
        *,
        radial_stiffness: Number | None = None,
        radial_damping: Number | None = None,
        load: Number | None = None,
        spring_along: Literal["normal", "spoke"] = "normal",
        slip_point: Literal["contact", "centre"] = "contact",
        slowest: Number = 0.1,
        transient: Literal["steady", "relaxation"] | ca.SX = "steady",
    ) -> None:
        if not isinstance(wheel, Wheel):
            raise ModelError(f"tyre: wheel is {wheel!r}; give a Wheel of the model")
        title = f"tyre of wheel {wheel.name}"
        if not isinstance(law, TyreLaw):
            raise ModelError(f"{title}: law is {law!r}; give one, as in LinearTyre(5e4)")
        _refuse_wheel(title, wheel)
        if radial_stiffness is not None and load is not None:
            raise ModelError(f"{title}: give either radial_stiffness or load")
        if slip_point not in ("contact", "centre"):
            raise ModelError(f'{title}: slip_point is "contact" or "centre", got {slip_point!r}')
        if spring_along not in ("normal", "spoke"):
            raise ModelError(f'{title}: spring_along is {spring_along!r}; give "normal" or "spoke"')
        self.wheel, self.law = wheel, law
        self._compare_radii()
        slowest = self._number("slowest", slowest, above=0, unit="m/s")
        self.deflection: ca.SX | None = None
        if load is None:
            self.load, touching = self._add_radial_spring(radial_stiffness, radial_damping)
        else:
            self.load = ca.SX(self._number("load", load, least=0, unit="N"))
            touching = self.load >= 0
        self.effective_radius = law.effective_radius(self.load, self._spin_rate())
        velocities = self._velocities(slip_point == "centre")
        self.contact = self._measure(velocities, slowest)
        self.deflections = self._relax(velocities, self._share(transient))
        self._refuse_outside(touching)
        # 1 while the wheel rolls; below the slowest speed it fades with the square of the speed.
        rolling = self.contact.direction**2
        given = law.forces(replace(self.contact, camber=rolling * self.contact.camber))
        self.forces = TyreForces(
            ca.if_else(touching, given.longitudinal, 0),
            ca.if_else(touching, given.lateral, 0),
            ca.if_else(touching, given.aligning_moment, 0),
            ca.if_else(touching, given.overturning_moment, 0),
            ca.if_else(touching, given.rolling_resistance, 0),
        )
        self.radial_force: ca.SX | None = None
        if load is None:
            self.radial_force = self._press(spring_along == "spoke")
        self._act()

    def __repr__(self) -> str:
        return f"<tyre of wheel {self.wheel.name}: {type(self.law).__name__}>"

    def _compare_radii(self) -> None:
        """Warn of a wheel that is larger or smaller than its tyre."""
        own, given = self.law.unloaded_radius, self.wheel.radius_0
        if isinstance(own, float) and given.is_constant() and abs(float(given) / own - 1) > 1e-3:
            warn_user(
                f"tyre of wheel {self.wheel.name}: the wheel's radius is {float(given):g} m, and "
                f"the unloaded radius of its tyre {own:g} m; make them equal"
            )

    def _number(self, what: str, value: Number, **ends: Any) -> Number:
        """Return a checked number; the wheel checks the range of an expression."""
        title = f"tyre of wheel {self.wheel.name}"
        given = checks.number(title, what, value, **ends)
        range_ = Range(title, what, **ends)
        self.wheel.check(ca.SX(given), range_.refuse, range_)
        return given

    def _add_radial_spring(
        self, stiffness: Number | None, damping: Number | None
    ) -> tuple[ca.SX, ca.SX]:
        """Add the radial spring; return its force, and whether it touches."""
        radial, r_0, spoke = self.wheel.deformations["radial"], self.wheel.radius_0, self._spoke()
        spring = self._spring(spoke, stiffness, damping)
        if radial.role is Role.RIGID:
            radial.release()
        self.deflection = spring.deflection
        touching = spring.deflection >= 0
        # Never negative: the ground cannot pull at a tyre that rebounds.
        force = ca.fmax(spring.force - spring.damping * radial.rate * r_0 / spoke, 0)
        radial.elastic_energy += spring.energy
        return ca.if_else(touching, force, 0), touching

    def _spoke(self) -> ca.SX:
        """Return |r| by the radial deformation: [Schwab2002] (3.48)."""
        r_0 = self.wheel.radius_0
        return ca.sqrt(r_0 * (r_0 + 2 * self.wheel.deformations["radial"].value))

    def _press(self, along_spoke: bool) -> ca.SX:
        """Let the load act on the spoke; return its force along the spoke."""
        force, sine = self.load, self._lean()
        if not along_spoke:
            force = self.load * ca.sqrt(1 - sine**2) - self.forces.lateral * sine
        # The stress has the power of the force on the spoke: the strain is (|r|² - r_0²)/2 r_0.
        self.wheel.deformations["radial"].law(-force * self.wheel.radius_0 / self._spoke())
        return force

    def _spring(self, spoke: ca.SX, stiffness: Number | None, damping: Number | None) -> TyreSpring:
        """Return the radial spring that is given, or else the law's."""
        if stiffness is None:
            found = self.law.spring(spoke, self._spin_rate())
            if found is None:
                raise ModelError(
                    f"tyre of wheel {self.wheel.name}: {type(self.law).__name__} has no radial "
                    "spring of its own; give either radial_stiffness or load"
                )
            if damping is None:
                return found
            damping = self._number("radial_damping", damping, least=0, unit="N.s/m")
            return replace(found, damping=damping)
        stiffness = self._number("radial_stiffness", stiffness, above=0, unit="N/m")
        given = 0.0 if damping is None else damping
        damping = self._number("radial_damping", given, least=0, unit="N.s/m")
        pressed = self.wheel.radius_0 - spoke
        energy = stiffness * ca.fmax(pressed, 0) ** 2 / 2
        return TyreSpring(pressed, stiffness * pressed, damping, energy)

    def _spin_rate(self) -> ca.SX:
        """Return the rate at which the wheel turns in its own plane, rad/s, positive forwards."""
        wheel, (along, _) = self.wheel, self._scales()
        forward = ca.dot(wheel.tangent_direction, wheel.centre.velocity)
        return (forward - wheel.slips["longitudinal"].velocity) / along**2

    def _scales(self) -> tuple[ca.SX, ca.SX]:
        """|r| and |r||n|, by which the wheel's slips are larger than velocities."""
        spoke = length(self.wheel.radius)
        return spoke, spoke * length(self.wheel.normal)

    def _velocities(self, at_centre: bool) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Return V_x, and V_s along the wheel and to the left, m/s."""
        wheel, (along, across) = self.wheel, self._scales()
        tangent = wheel.tangent_direction
        forward = ca.dot(tangent, wheel.centre.velocity) / along
        if at_centre:
            sideways = ca.dot(ca.cross(wheel.normal, tangent), wheel.centre.velocity) / across
        else:
            sideways = wheel.slips["lateral"].velocity / across
        slip = wheel.slips["longitudinal"]
        sliding = slip.velocity / along
        if self.effective_radius is not None and slip.role is not Role.ZERO:
            sliding = forward - self.effective_radius * self._spin_rate()
        return forward, sliding, sideways

    def _measure(self, velocities: tuple[ca.SX, ca.SX, ca.SX], slowest: Number) -> TyreContact:
        """Return the contact in steady state."""
        wheel, (forward, sliding, sideways) = self.wheel, velocities
        speed = ca.fmax(ca.fabs(forward), slowest)
        lever = ca.SX(0)
        if self.effective_radius is not None:
            lever = self.effective_radius - length(wheel.radius)
        return TyreContact(
            slip_angle=ca.atan2(sideways, speed),
            slip_ratio=-sliding / speed,
            camber=ca.asin(self._lean()),
            load=ca.fmax(self.load, LEAST_LOAD),
            direction=forward / speed,
            speed=forward,
            turn_slip=self._yaw_rate() / speed,
            lever=lever,
        )

    def _lean(self) -> ca.SX:
        """Return the sine of the camber."""
        return ca.dot(self.wheel.axle, self.wheel.normal) / length(self.wheel.normal)

    def _share(self, transient: str | ca.SX) -> ca.SX:
        """Return whether slips follow by relaxation, 1 or 0."""
        if isinstance(transient, str) and transient in TRANSIENT:
            return ca.SX(TRANSIENT.index(transient))
        if isinstance(transient, ca.SX) and transient.is_scalar():
            return transient
        raise ModelError(
            f"tyre of wheel {self.wheel.name}: transient is {transient!r}; give "
            f"{' or '.join(repr(one) for one in TRANSIENT)}, or an expression that is 1 or 0"
        )

    def _relax(self, velocities: tuple[ca.SX, ca.SX, ca.SX], share: ca.SX) -> Deflections | None:
        """Put slips that follow by relaxation into the contact."""
        if share.is_zero():
            return None
        model, at = self.wheel.model, self.contact
        assert is_system(model)
        forward, *sliding = velocities
        found = deflect(
            model, self.wheel.name, self.law.relaxation(at), forward, ca.vertcat(*sliding)
        )
        ratio, aside = ca.vertsplit(found.slips)
        self.contact = replace(
            at,
            slip_ratio=ca.if_else(share, ratio, at.slip_ratio),
            slip_angle=ca.if_else(share, -ca.atan(aside), at.slip_angle),
        )
        return found

    def _refuse_outside(self, touching: ca.SX) -> None:
        """Refuse arguments outside the ranges of a law that has some, on the road."""
        model = self.wheel.model
        assert is_system(model)
        for limit in self.law.limits_at(self.contact):
            constant = limit.margin.is_constant()
            if constant and float(limit.margin) < 0:
                raise ModelError(
                    f"tyre of wheel {self.wheel.name}: its {limit.name} of {float(limit.shown):g} "
                    f"is {limit.message}"
                )
            if not constant:
                model.requirements.add(
                    f"{self.wheel.name}: {limit.name} of the tyre",
                    ca.if_else(touching, limit.margin, 1),
                    limit.message,
                    shown=limit.shown,
                )

    def _yaw_rate(self) -> ca.SX:
        """Return the rate at which the wheel's plane turns about the normal, rad/s."""
        wheel = self.wheel
        normal = wheel.normal / length(wheel.normal)
        level = wheel.axle - ca.dot(wheel.axle, normal) * normal
        turning = ca.cross(wheel.rotation.angular_velocity, wheel.axle)
        return ca.dot(normal, ca.cross(level, turning)) / ca.dot(level, level)

    def _act(self) -> None:
        along, across = self._scales()
        for name, force in (
            ("longitudinal", self.forces.longitudinal / along),
            ("lateral", self.forces.lateral / across),
            ("spin", self.forces.aligning_moment),
        ):
            slip = self.wheel.slips[name]
            if slip.role is Role.FREE:
                slip.law(-force)
        forward = self.wheel.tangent_direction / along
        sideways = ca.cross(self.wheel.normal, forward) / length(self.wheel.normal)
        for moment, axis in (
            (self.forces.overturning_moment, forward),
            (self.forces.rolling_resistance, sideways),
        ):
            if not moment.is_zero():
                assert is_system(self.wheel.model)
                self.wheel.model.loads.moment(self.wheel.rotation, moment * axis)
