"""Tyres: slip laws λ(s, σ) of a wheel in space, with load, camber and aligning moment.

A law is formulas only: forces as functions of the contact's slips. ``Tyre`` measures the slips of
a wheel, puts the law's forces on them, and takes the load from the wheel's radial spring.

Signs, with the axle pointing to the left and z up: all forces are those of the ground on the
wheel, forward, to the left, and counter-clockwise seen from above. A slip angle is positive where
the contact moves to the left, so that its force is negative; camber is positive where the wheel
leans to the right, so that its force is negative too. The benchmark of the Iltis vehicle has the
same signs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Literal

import casadi as ca

from mbcore.elements.wheels.wheel import Wheel
from mbcore.model import checks, summary
from mbcore.model.element import length
from mbcore.model.errors import ModelError
from mbcore.model.quantities import Role
from mbcore.model.ranges import Range
from mbcore.model.variables import Number

STIFFNESSES: dict[str, dict[str, Any]] = {
    f"{what}_stiffness": {"least": 0} for what in ("cornering", "camber", "longitudinal")
}
"""Ranges of a law's stiffnesses."""
LEAST_LOAD = 1e-3
"""Load that a law gets for a wheel in the air, N: small, but not zero, since laws divide by it."""


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


@dataclass(frozen=True)
class LinearTyre(TyreLaw):
    """Forces proportional to the slips, whatever the load; none in the air.

        F_x = C_κ κ,   F_y = -(C_α α + C_γ γ),   M_z = -t F_y

    Attributes
    ----------
    cornering_stiffness, camber_stiffness : number or expression
        C_α and C_γ, N/rad.
    longitudinal_stiffness : number or expression
        C_κ, N.
    trail : number or expression
        Pneumatic trail t, m; the lateral force acts so far behind the contact point.
    """

    cornering_stiffness: Number
    camber_stiffness: Number = 0.0
    longitudinal_stiffness: Number = 0.0
    trail: Number = 0.0

    def __post_init__(self) -> None:
        checks.fields("linear tyre", self, **STIFFNESSES)

    def forces(self, contact: TyreContact) -> TyreForces:
        """Return the linear forces."""
        lateral = -(
            self.cornering_stiffness * contact.slip_angle + self.camber_stiffness * contact.camber
        )
        longitudinal = self.longitudinal_stiffness * contact.slip_ratio
        return TyreForces(longitudinal, lateral, -contact.direction * self.trail * lateral)


@dataclass(frozen=True)
class BrushTyre(TyreLaw):
    """Linear for small slips, and never above Coulomb's μ F: bristles under a parabolic pressure.

    With F_1 the vector of the linear forces and a = |F_1| / (μ F), the force is F_1 f(a)/a with
    f = a - a²/3 + a³/27 up to a = 3, where all bristles slide, and f = 1 beyond. The moment is
    -t F_1y (1 - a/3)³: the trail vanishes with the adhesion (Fiala; Pacejka, Tyre and Vehicle
    Dynamics, 3.2).

    Attributes
    ----------
    friction : number or expression
        Coefficient of friction μ.
    cornering_stiffness, camber_stiffness, longitudinal_stiffness, trail
        As in `LinearTyre`, for small slips.
    """

    friction: Number
    cornering_stiffness: Number
    camber_stiffness: Number = 0.0
    longitudinal_stiffness: Number = 0.0
    trail: Number = 0.0

    def __post_init__(self) -> None:
        checks.fields("brush tyre", self, friction={"above": 0}, **STIFFNESSES)

    def forces(self, contact: TyreContact) -> TyreForces:
        """Return the saturating forces."""
        linear = LinearTyre(
            self.cornering_stiffness, self.camber_stiffness, self.longitudinal_stiffness, self.trail
        ).forces(contact)
        limit = self.friction * contact.load
        square = (linear.longitudinal / limit) ** 2 + (linear.lateral / limit) ** 2
        sliding = ca.sqrt(square + 1e-30)  # has a derivative without slip
        share = ca.if_else(sliding < 3, 1 - sliding / 3 + sliding**2 / 27, 1 / sliding)
        adhesion = ca.fmax(1 - sliding / 3, 0) ** 3
        return TyreForces(
            share * linear.longitudinal,
            share * linear.lateral,
            adhesion * linear.aligning_moment,
        )


@dataclass(frozen=True)
class CalspanTyre(TyreLaw):
    """The Calspan model of lateral force and aligning moment, by default the Iltis vehicle's tyre.

    IAVSD benchmark "Bombardier Iltis" (Vehicle System Dynamics 22, supplement, 1993), with load F:

        μ = (B1 F + B3 + B4 F²) SN
        ā = -C_α (α + α_γ) / (μ F),   C_α = A0 + A1 F (1 - F/A2),   C_α α_γ = A3 F (1 - F/A4) γ
        F_y = μ F (ā - ā|ā|/3 + ā³/27), or ± μ F where |ā| > 3
        M_z = (AF1 F + AF2 |F_y|) F_y

    Above the load Ω A2 both stiffnesses are constant. Longitudinal slip and the dependence on
    speed, B2, are left out. With the sign of AF2 as given the trail shrinks with the force; one
    published source prints the other sign.

    Attributes
    ----------
    A0, A2, A4 : number or expression
        N.
    A1, A3, B3, Omega, SN : number or expression
        Dimensionless.
    B1, B4 : number or expression
        1/N and 1/N2.
    AF1, AF2 : number or expression
        m/N.
    """

    A0: Number = 2625.0
    A1: Number = 14.47
    A2: Number = 12930.0
    A3: Number = 2.29
    A4: Number = 18175.0
    Omega: Number = 1.0
    B1: Number = -0.464e-4
    B3: Number = 1.216
    B4: Number = 2.18e-11
    SN: Number = 1.0274
    AF1: Number = -0.171e-4
    AF2: Number = 0.171e-4

    def __post_init__(self) -> None:
        checks.fields("Calspan tyre", self, A2={"above": 0}, A4={"above": 0})

    def forces(self, contact: TyreContact) -> TyreForces:
        """Return lateral force and aligning moment."""
        F = contact.load
        mu = (self.B1 * F + self.B3 + self.B4 * F**2) * self.SN
        felt = ca.fmin(F, self.Omega * self.A2)
        cornering = self.A0 + self.A1 * felt * (1 - felt / self.A2)
        camber = self.A3 * felt * (1 - felt / self.A4)
        a = -(cornering * contact.slip_angle + camber * contact.camber) / (mu * F)
        cubic = a - a * ca.fabs(a) / 3 + a**3 / 27
        lateral = mu * F * ca.if_else(ca.fabs(a) < 3, cubic, ca.sign(a))
        trail = -(self.AF1 * F + self.AF2 * ca.fabs(lateral))
        return TyreForces(ca.SX(0), lateral, -contact.direction * trail * lateral)


class Tyre:
    """The forces of a law on the slips of a wheel, and a spring on its radius.

    The load must be known before the stresses, so it is not the constraint force in ``surface``
    but that of the radial spring, k (r_0 - |r|) + c d(r_0 - |r|)/dt along the spoke, which never
    pulls; ``radial`` is released for it. With camber it is not quite the normal force N, but
    N cos γ - F_y sin γ. Another expression may be given as the load. Where the spoke is longer than
    r_0, or the given load negative, the wheel is in the air and no force acts.

    A slip that is forbidden (rolling) has its constraint force instead of the law's.

    Parameters
    ----------
    wheel : Wheel
        Already in a model, its lateral slip released.
    law : TyreLaw
        The formulas.
    radial_stiffness, radial_damping : number or expression
        k, N/m, and c, N.s/m.
    load : number or expression, optional
        Instead of a radial spring: F, N.
    slip_point : {"contact", "centre"}
        Point whose sideways velocity gives the slip angle: the contact point, where the force does
        work, or the wheel centre, as some benchmarks define it.
    slowest : number or expression
        Speed, m/s: below it slips are relative to it, so that a wheel may stand still.

    Attributes
    ----------
    contact : TyreContact
        Arguments of the law, with the full camber at any speed; expressions for outputs.
    forces : TyreForces
        Forces that the law returned.
    load : SX
        N; zero in the air.

    Raises
    ------
    ModelError
        If the wheel is in no model, its lateral slip is forbidden, or not exactly one of radial
        stiffness and load is given.
    RoleError
        If the radial deformation is prescribed.
    """

    def __init__(
        self,
        wheel: Wheel,
        law: TyreLaw,
        *,
        radial_stiffness: Number | None = None,
        radial_damping: Number = 0.0,
        load: Number | None = None,
        slip_point: Literal["contact", "centre"] = "contact",
        slowest: Number = 0.1,
    ) -> None:
        if not isinstance(wheel, Wheel):
            raise ModelError(f"tyre: wheel is {wheel!r}; give a Wheel of the model")
        title = f"tyre of wheel {wheel.name}"
        if not isinstance(law, TyreLaw):
            raise ModelError(f"{title}: law is {law!r}; give one, as in LinearTyre(5e4)")
        if not wheel.deformations:
            raise ModelError(f"{title}: add the wheel to a model first")
        if wheel.slips["lateral"].role is Role.ZERO:
            raise ModelError(
                f"{title}: the lateral slip is forbidden, so no tyre force acts; release it"
            )
        if (radial_stiffness is None) == (load is None):
            raise ModelError(f"{title}: give either radial_stiffness or load")
        if slip_point not in ("contact", "centre"):
            raise ModelError(f'{title}: slip_point is "contact" or "centre", got {slip_point!r}')
        self.wheel = wheel
        slowest = self._number("slowest", slowest, above=0, unit="m/s")
        if radial_stiffness is None:
            self.load = ca.SX(self._number("load", load, least=0, unit="N"))
            touching = self.load >= 0
        else:
            self.load, touching = self._add_radial_spring(radial_stiffness, radial_damping)
        self.contact = self._measure(slip_point == "centre", slowest)
        # 1 while the wheel rolls; below the slowest speed it fades with the square of the speed.
        rolling = self.contact.direction**2
        given = law.forces(replace(self.contact, camber=rolling * self.contact.camber))
        self.forces = TyreForces(
            ca.if_else(touching, given.longitudinal, 0),
            ca.if_else(touching, given.lateral, 0),
            ca.if_else(touching, given.aligning_moment, 0),
        )
        self._act()

    def _number(self, what: str, value: Number, **ends: Any) -> Number:
        """Return a checked number; the wheel checks the range of an expression."""
        title = f"tyre of wheel {self.wheel.name}"
        given = checks.number(title, what, value, **ends)
        range_ = Range(title, what, **ends)
        self.wheel.check(ca.SX(given), range_.refuse, range_)
        return given

    def _add_radial_spring(self, stiffness: Number, damping: Number) -> tuple[ca.SX, ca.SX]:
        """Add the radial spring; return its force along the spoke, and whether it touches."""
        stiffness = self._number("radial_stiffness", stiffness, above=0, unit="N/m")
        damping = self._number("radial_damping", damping, least=0, unit="N.s/m")
        radial, r_0 = self.wheel.deformations["radial"], self.wheel.radius_0
        if radial.role is Role.RIGID:
            radial.release()
        spoke = ca.sqrt(r_0 * (r_0 + 2 * radial.value))  # [Schwab2002] (3.48)
        pressed, rate = r_0 - spoke, -radial.rate * r_0 / spoke
        touching = pressed >= 0
        # Never negative: the ground cannot pull at a tyre that rebounds.
        force = ca.if_else(touching, ca.fmax(stiffness * pressed + damping * rate, 0), 0)
        # The stress has the power of the force on the spoke: the strain is (|r|² - r_0²)/2 r_0.
        radial.law(-force * r_0 / spoke)
        radial.elastic_energy += stiffness * ca.fmax(pressed, 0) ** 2 / 2
        return force, touching

    def _scales(self) -> tuple[ca.SX, ca.SX]:
        """|r| and |r||n|, by which the wheel's slips are larger than velocities."""
        spoke = length(self.wheel.radius)
        return spoke, spoke * length(self.wheel.normal)

    def _measure(self, at_centre: bool, slowest: Number) -> TyreContact:
        wheel, (along, across) = self.wheel, self._scales()
        tangent = wheel.tangent_direction
        forward = ca.dot(tangent, wheel.centre.velocity) / along
        if at_centre:
            sideways = ca.dot(ca.cross(wheel.normal, tangent), wheel.centre.velocity) / across
        else:
            sideways = wheel.slips["lateral"].velocity / across
        speed = ca.fmax(ca.fabs(forward), slowest)
        direction = forward / speed
        leaning = ca.asin(ca.dot(wheel.axle, wheel.normal) / length(wheel.normal))
        return TyreContact(
            slip_angle=ca.atan2(sideways, speed),
            slip_ratio=-wheel.slips["longitudinal"].velocity / along / speed,
            camber=leaning,
            load=ca.fmax(self.load, LEAST_LOAD),
            direction=direction,
        )

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
