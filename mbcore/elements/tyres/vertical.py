"""Radii and radial spring of the Magic Formula, from a file.

Only `mbcore.elements.tyres.magic_formula` uses this; forces in the road's plane go without it.

The free radius grows with the spin, the spring is that of a second degree in the deflection,
stiffer with pressure and spin, [Besselink2010] 4.1, or the file's curve of deflection and load, and
a rim that comes down to the road is a stiff spring besides. Effects of
camber and of forces in the plane on the deflection (Q_FCX, Q_FCY, Q_CAM) are left out: the load
would depend on itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np

from mbcore.elements.tyres.coefficients import given
from mbcore.elements.tyres.law import TyreSpring
from mbcore.model.errors import warn_user
from mbcore.model.variables import Number

NOMINAL_DEFLECTION = 0.06
"""Deflection at the nominal load, in free radii, of a tyre whose file has no stiffness."""
Curve = Sequence[tuple[float, float]]
"""Deflections, m, and loads, N, from zero on."""


class Vertical:
    """The equations for one set of coefficients at a pressure.

    Parameters
    ----------
    coefficients : mapping of str to number or expression
        With the names of files.
    curve : sequence of pairs
        Deflections, m, and loads, N, instead of a stiffness; or empty.
    pressure : number or expression
        Pa.
    """

    def __init__(self, coefficients: dict[str, Any], curve: Curve, pressure: Number) -> None:
        c = self.c = SimpleNamespace(**coefficients)
        self.radius, self.load = c.UNLOADED_RADIUS, c.FNOMIN
        self.harder = c.LCZ * (1 + c.PFZ1 * (pressure - c.NOMPRES) / c.NOMPRES)
        self.curve = curve

    def free_radius(self, spin_rate: ca.SX) -> ca.SX:
        """Return R_Ω, m."""
        c = self.c
        rim_speed = self.radius * spin_rate / c.LONGVL
        return self.radius * ((c.Q_RE0 if given(c.Q_RE0) else 1) + c.Q_V1 * rim_speed**2)

    def stiffness(self) -> Number:
        """Return c_z at the nominal load and pressure, N/m."""
        c = self.c
        if self.curve:
            return self.load / float(np.interp(self.load, *reversed(np.transpose(self.curve))))
        if given(c.VERTICAL_STIFFNESS):
            return c.VERTICAL_STIFFNESS
        if given(c.Q_FZ1):
            return self.load / self.radius * ca.sqrt(ca.SX(c.Q_FZ1**2 + 4 * c.Q_FZ2))
        return self.load / (NOMINAL_DEFLECTION * self.radius)

    def spring(self, loaded_radius: ca.SX, spin_rate: ca.SX) -> TyreSpring:
        """Return the spring at a loaded radius, m, and a spin, rad/s."""
        c = self.c
        deflection = self.free_radius(spin_rate) - loaded_radius
        pressed = ca.fmax(deflection, 0)
        if self.curve:
            force, energy = _on_curve(pressed, self.curve)
        else:
            share = pressed / self.radius
            linear = ca.sqrt(ca.SX(self.stiffness() * self.radius / self.load) ** 2 - 4 * c.Q_FZ2)
            force = self.load * (linear * share + c.Q_FZ2 * share**2)
            energy = self.load * self.radius * (linear * share**2 / 2 + c.Q_FZ2 * share**3 / 3)
        harder = self.harder * (1 + c.Q_V2 * self.radius / c.LONGVL * ca.fabs(spin_rate))
        force, energy = harder * force, harder * energy
        if given(c.BOTTOM_STIFF) and given(c.RIM_RADIUS):
            depth = ca.fmax(c.RIM_RADIUS + c.BOTTOM_OFFST - loaded_radius, 0)
            force += c.BOTTOM_STIFF * depth
            energy += c.BOTTOM_STIFF * depth**2 / 2
        return TyreSpring(deflection, force, c.VERTICAL_DAMPING, energy)

    def effective_radius(self, load: ca.SX, spin_rate: ca.SX) -> ca.SX:
        """Return R_e, m."""
        c = self.c
        share = load / self.load
        shorter = c.DREFF * ca.atan(c.BREFF * share) + c.FREFF * share
        deflection = self.load / (self.stiffness() * self.harder)
        return self.free_radius(spin_rate) - deflection * shorter


def warn_of_missing(coefficients: dict[str, Number], curve: Curve) -> None:
    """Say that a file without stiffness has that of a usual deflection."""
    if not curve and not any(given(coefficients[n]) for n in ("VERTICAL_STIFFNESS", "Q_FZ1")):
        warn_user(
            "Magic Formula: its file has no VERTICAL_STIFFNESS, so that the nominal load presses "
            f"the tyre by {100 * NOMINAL_DEFLECTION:g} % of its radius; add it, or give the tyre a "
            "radial_stiffness"
        )


def _on_curve(pressed: ca.SX, curve: Curve) -> tuple[ca.SX, ca.SX]:
    """Return load and energy on a monotone smooth curve; beyond its end it goes on straight."""
    from scipy.interpolate import PchipInterpolator  # most tyres have no curve

    places, loads = np.transpose(curve)
    smooth = PchipInterpolator(places, loads)
    stored = smooth.antiderivative()
    beyond = pressed - places[-1]
    slope = float(smooth.derivative()(places[-1]))
    force = loads[-1] + slope * beyond
    energy = float(stored(places[-1])) + loads[-1] * beyond + slope * beyond**2 / 2
    for i in range(len(places) - 2, -1, -1):
        there = pressed < places[i + 1]
        force = ca.if_else(there, _power_series(smooth.c[:, i], pressed - places[i]), force)
        energy = ca.if_else(there, _power_series(stored.c[:, i], pressed - places[i]), energy)
    return force, energy


def _power_series(coefficients: np.ndarray, x: ca.SX) -> ca.SX:
    value = ca.SX(0)
    for coefficient in coefficients:
        value = value * x + float(coefficient)
    return value
