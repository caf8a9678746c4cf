"""Continuous laws of contact: Hertz's stiffness, hysteresis, spring and damper.

A law gives the force between two bodies from the depth of their local deformation, its rate and
the impact speed. Arguments are numbers or expressions of a model's symbols.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np
from scipy import optimize

from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError
from mbcore.model.units.text_units import value_in
from mbcore.model.variables import Number

SLOWEST_IMPACT = 1e-3
"""Smallest impact speed, m/s, that a hysteresis law uses."""
VANISHING = 1e-300
"""Depth, m, added under the root; it changes no value, and keeps the derivative at zero finite."""
NEARLY_ELASTIC = 1e-4
"""Hysteresis factor below which the effective restitution is its series of order 2."""

ContactLaw = Callable[[Number, Number, Number], Number]
"""The force while in contact, N, positive where the bodies push each other, of three quantities:
the depth of the local deformation, m, its rate, m/s, and the rate when the contact began, m/s."""


def stiffness(
    radius_1: Number,
    radius_2: Number,
    youngs_modulus_1: Number,
    poissons_ratio_1: Number,
    youngs_modulus_2: Number | None = None,
    poissons_ratio_2: Number | None = None,
) -> Number:
    """Return Hertz's stiffness K of two spheres, N/m^1.5, [Schwab2002] (5.3).

    Parameters
    ----------
    radius_1, radius_2 : number or expression
        Radii, m; that of a hollow sphere is negative, that of a plane ``math.inf``.
    youngs_modulus_1, youngs_modulus_2 : number or expression
        Young's moduli, Pa; the second is the first's where absent.
    poissons_ratio_1, poissons_ratio_2 : number or expression
        Poisson's ratios, likewise.

    Raises
    ------
    ModelError
        If no two bodies with such numbers touch in one point; expressions are not checked.
    """
    E_1, nu_1 = youngs_modulus_1, poissons_ratio_1
    E_2 = E_1 if youngs_modulus_2 is None else youngs_modulus_2
    nu_2 = nu_1 if poissons_ratio_2 is None else poissons_ratio_2
    radius_1, radius_2 = _checked_radii(radius_1, radius_2)
    E_1, E_2 = (check_number("Young's modulus", E, above=0.0, unit="Pa") for E in (E_1, E_2))
    nu_1, nu_2 = (check_number("Poisson's ratio", nu, least=0.0, most=0.5) for nu in (nu_1, nu_2))
    h_1, h_2 = (1 - nu_1**2) / (math.pi * E_1), (1 - nu_2**2) / (math.pi * E_2)
    if _is_plane(radius_1):
        R = radius_2
    elif _is_plane(radius_2):
        R = radius_1
    else:
        R = radius_1 * radius_2 / (radius_1 + radius_2)
    root = ca.sqrt(R) if isinstance(R, ca.SX) else math.sqrt(R)
    return 4 / (3 * math.pi * (h_1 + h_2)) * root  # [Schwab2002] (5.3)


@dataclass(frozen=True)
class Hysteresis(ABC):
    """Base of laws that state κ(e) of [Schwab2002] (5.2) and (5.4).

        F = max(0, K δⁿ (1 + κ(e) δ̇/δ̇⁻))


    Its derivative is finite where nothing touches. An impact slower than 1 mm/s counts as one of
    1 mm/s: a contact that begins at rest has no impact speed. One that begins slowly and is then
    pressed by other forces is strongly damped, a property of all laws of this form.

    Attributes
    ----------
    stiffness : number or expression
        K, N/mⁿ.
    restitution : number or expression
        Newton's coefficient e that the law is meant to have, 0 to 1.
    exponent : float
        n, at least 1.

    Raises
    ------
    ModelError
        If a number is out of its range.
    """

    stiffness: Number
    restitution: Number
    exponent: float = 1.5

    def __post_init__(self) -> None:
        checks.fields_in_units("contact", self, restitution="1")
        check_number("contact stiffness", self.stiffness, above=0.0)
        check_number("coefficient of restitution", self.restitution, least=0.0, most=1.0)
        check_number("exponent of the contact", self.exponent, least=1.0)

    @staticmethod
    @abstractmethod
    def factor(restitution: Number) -> Number:
        """Return κ(e) = H δ̇⁻/K for e = ``restitution``."""

    def __call__(self, depth: Number, rate: Number, impact_speed: Number) -> Number:
        """Return the force, N, never negative."""
        pressed = ca.fmax(depth, 0)
        if self.exponent == 1.5:  # a root is cheaper than a power
            elastic = self.stiffness * pressed * ca.sqrt(pressed + VANISHING)
        else:
            elastic = self.stiffness * pressed * (pressed + VANISHING) ** (self.exponent - 1)
        approach = ca.fmax(impact_speed, SLOWEST_IMPACT)
        hysteresis = self.factor(self.restitution) / approach  # H/K, [Schwab2002] (5.4)
        return ca.fmax(elastic * (1 + hysteresis * rate), 0)  # [Schwab2002] (5.2)


@explains_construction
class LankaraniNikravesh(Hysteresis):
    """The law of Lankarani-Nikravesh, a `Hysteresis`, [Schwab2002] (5.10).

        κ = 3 (1 - e²)/4


    Along the elastic motion, it loses what Newton's law of impact does.
    """

    @staticmethod
    def factor(restitution: Number) -> Number:
        """Return κ(e)."""
        return 3 * (1 - restitution**2) / 4  # [Schwab2002] (5.10)


@explains_construction
class HuntCrossley(Hysteresis):
    """The law of Hunt-Crossley, a `Hysteresis`: the tangent of Lankarani-Nikravesh's at e = 1.

        κ = 3 (1 - e)/2


    Hunt and Crossley, J. Appl. Mech. 42 (1975) 440-445.
    """

    @staticmethod
    def factor(restitution: Number) -> Number:
        """Return κ(e)."""
        return 3 * (1 - restitution) / 2


@explains_construction
class Flores(Hysteresis):
    """The law of Flores, a `Hysteresis` for all coefficients of restitution.

        κ = 8 (1 - e)/(5 e)


    Soft materials have small ones: Flores, Machado, Silva and Martins, Multibody Syst. Dyn. 25
    (2011) 357-375. At e = 0 it has no meaning and is refused.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("coefficient of restitution of Flores' law", self.restitution, above=0.0)

    @staticmethod
    def factor(restitution: Number) -> Number:
        """Return κ(e)."""
        return 8 * (1 - restitution) / (5 * restitution)


@explains_construction
@dataclass(frozen=True)
class KelvinVoigt:
    """The law of Kelvin-Voigt in contact, [Schwab2002] 4.4.5; it may pull.

        F = k δ + d δ̇


    Attributes
    ----------
    stiffness, damping : number or expression
        k, N/m, and d, N.s/m.

    Raises
    ------
    ModelError
        If one of them is a negative number.
    """

    stiffness: Number
    damping: Number = 0.0

    def __post_init__(self) -> None:
        checks.fields_in_units("contact", self, stiffness="N/m", damping="N.s/m")
        check_number("contact stiffness", self.stiffness, least=0.0)
        check_number("contact damping", self.damping, least=0.0)

    def __call__(self, depth: Number, rate: Number, impact_speed: Number) -> Number:
        """Return the force, N."""
        return self.stiffness * depth + self.damping * rate


def effective_restitution(law: type[Hysteresis] | Hysteresis, restitution: float) -> float:
    r"""Return the speed with which a sphere leaves a barrier over that with which it came.

    With u = δ̇/δ̇⁻ the motion m δ̈ = -K δⁿ (1 + κ u) separates, and its integral over the contact,

        ∫ u/(1 + κ u) du = 0  from -e' to 1,    κ (1 + e') = ln((1 + κ)/(1 - κ e')),

    holds for every mass, stiffness, exponent and speed. The force stays positive, for κ e' < 1.

    Parameters
    ----------
    law : Hysteresis, or its class
        Whose factor κ(e) is taken.
    restitution : float
        The coefficient e that the law is given.

    Raises
    ------
    ModelError
        If the coefficient is not within 0 to 1, or is 0 for Flores' law.
    """
    shape = law if isinstance(law, type) else type(law)
    # An instance, not the class, because its constructor checks e.
    kappa = float(shape(1.0, restitution).factor(restitution))
    if kappa < NEARLY_ELASTIC:
        return 1 - 2 * kappa / 3 + 4 * kappa**2 / 9

    def whole(e: float) -> float:
        return float(kappa * (1 + e) - np.log1p(kappa) + np.log1p(-kappa * e))

    # it falls from above 0 to below it at 1, or at the logarithm's end where that comes first
    end = min(1.0, (1 - 1e-15) / kappa)
    if whole(end) >= 0:  # so strong a hysteresis that the root lies within rounding of 1/κ
        return end
    return float(optimize.brentq(whole, 0.0, end, xtol=1e-15, rtol=1e-14))


def maximum_penetration(
    impulse: Number, effective_mass: Number, stiffness: Number, exponent: float = 1.5
) -> Number:
    """Return the depth that an impulse of impact leads to without loss, m, [Schwab2002] (5.32).

    Parameters
    ----------
    impulse : number or expression
        s_N = m_e δ̇⁻ of the compression, N.s.
    effective_mass : number or expression
        m_e of [Schwab2002] (5.19), kg.
    stiffness : number or expression
        K of F = K δⁿ, [Schwab2002] (5.30), N/mⁿ.
    exponent : float
        n.

    Raises
    ------
    ModelError
        If a number is out of its range.
    """
    check_number("impulse", impulse, least=0.0)
    check_number("effective mass", effective_mass, above=0.0)
    check_number("contact stiffness", stiffness, above=0.0)
    check_number("exponent of the contact", exponent, least=1.0)
    s, m, K, n = impulse, effective_mass, stiffness, exponent
    return ((n + 1) / 2 * s**2 / (m * K)) ** (1 / (n + 1))  # [Schwab2002] (5.32)


def maximum_force(
    impulse: Number, effective_mass: Number, stiffness: Number, exponent: float = 1.5
) -> Number:
    """Return the force that an impulse of impact leads to without loss, N, [Schwab2002] (5.33).

    The arguments and errors are those of `maximum_penetration`; exponent 1 gives the linear
    spring of [Schwab2002] (5.34).
    """
    depth = maximum_penetration(impulse, effective_mass, stiffness, exponent)
    # [Schwab2002] (5.30), which makes [Schwab2002] (5.33) of [Schwab2002] (5.32)
    return stiffness * depth**exponent


def _is_plane(radius: Number) -> bool:
    return not isinstance(radius, ca.SX) and math.isinf(radius)


def _checked_radii(*radii: Number) -> tuple[Number, Number]:
    """Return radii, and refuse those of bodies that cannot touch in one point."""
    given = f"spheres of radii {radii[0]} and {radii[1]} m"
    radius_1, radius_2 = (checks.in_unit(given, "radius", radius, "m") for radius in radii)
    shown = f"spheres of radii {radius_1} and {radius_2} m"
    for radius in (radius_1, radius_2):
        if not isinstance(radius, ca.SX):
            checks.scalar(shown, radius)
    numbers = [float(r) for r in (radius_1, radius_2) if not isinstance(r, ca.SX)]
    if any(r == 0 or math.isnan(r) for r in numbers):
        raise ModelError(f"{shown}: a radius must be positive, negative (hollow) or infinite")
    if len(numbers) < 2:
        return radius_1, radius_2
    # the sum of the curvatures must be positive: the sphere is rounder than the hollow
    if 1 / numbers[0] + 1 / numbers[1] <= 0:
        raise ModelError(
            f"{shown}: they do not touch in one point; at least one must be positive, and a "
            "hollow one (negative) larger than the other"
        )
    return radius_1, radius_2


def check_number(
    what: str,
    value: Number,
    *,
    above: float | None = None,
    least: float | None = None,
    most: float | None = None,
    unit: str = "1",
) -> Number:
    """Return a number, and refuse one out of its range; expressions pass."""
    if isinstance(value, str):
        value = value_in(what, value, unit)
    if isinstance(value, ca.SX):
        return value
    wrong = isinstance(value, bool) or not isinstance(value, (int, float, np.number))
    if wrong or math.isnan(value):
        raise ModelError(f"{what} = {value!r}: give a number or an expression")
    if math.isinf(value):
        raise ModelError(f"{what} = {value}: must be finite")
    for bound, holds, words in (
        (above, above is None or value > above, "greater than"),
        (least, least is None or value >= least, "at least"),
        (most, most is None or value <= most, "at most"),
    ):
        if not holds:
            raise ModelError(f"{what} = {value}: must be {words} {bound:g}")
    return value
