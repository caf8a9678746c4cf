"""Whether a tyre's file gives finite numbers, found by numbers before they are needed.

Only `mbcore.elements.tyres.magic_formula` uses this. Coefficients that are finite may still give
infinite forces, by an exponential for example; a NaN that comes of it in a run has no name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import casadi as ca
import numpy as np

from mbcore.elements.tyres.coefficients import DEFAULTS, FALLBACKS, REQUIRED
from mbcore.elements.tyres.law import TyreContact
from mbcore.elements.tyres.tir_file import TirFile
from mbcore.model.errors import ModelError

LARGEST_FORCE = 1e6
"""Largest force or moment in the contact, in nominal loads (and metres)."""
LOADS = (0.1, 2.0)
"""In nominal loads."""
SLIP_RATIOS = (-1.0, 0.0, 0.1)
SLIP_ANGLES = (-1.0, 0.0, 0.1)
"""In rad."""
CAMBERS = (-0.1, 0.0, 0.1)
"""In rad."""
SPEEDS = (0.0, 1.0, 60.0)
"""In m/s."""
RADII = (0.7, 0.9, 0.95, 1.05)
"""Of a tyre that is pressed, in unloaded radii."""
Formulas = Callable[[Mapping[str, float], TyreContact, ca.SX, ca.SX], tuple[ca.SX, ca.SX]]
"""Forces, and all else that must be finite, by coefficients, contact, loaded radius and spin."""


def refuse_infinite(file: TirFile, coefficients: Mapping[str, float], formulas: Formulas) -> None:
    """Refuse coefficients that give a number which is not finite, or a force without measure.

    Raises
    ------
    ModelError
        Names the coefficient without which all numbers are finite, its value, file and line.
    """
    if _are_finite(coefficients, formulas):
        return
    by_size = sorted(coefficients, key=lambda name: -abs(np.log(abs(coefficients[name]) or 1)))
    without = (name for name in by_size if _are_finite(_without(coefficients, name), formulas))
    name = next(without, by_size[0])
    raise ModelError(
        f"{file.place(name)}: {name} = {file.numbers.get(name, coefficients[name]):g} gives forces "
        f"that are not finite, or beyond {LARGEST_FORCE:g} times the nominal load; correct it"
    )


def _without(coefficients: Mapping[str, float], name: str) -> dict[str, float]:
    neutral = 1.0 if name in REQUIRED else 0.0
    return {**coefficients, name: (DEFAULTS | FALLBACKS).get(name, neutral)}


def _are_finite(coefficients: Mapping[str, float], formulas: Formulas) -> bool:
    """Return whether all numbers at points over the tyre's range are finite."""
    arguments = [
        ca.SX.sym(name) for name in ("load", "ratio", "angle", "camber", "speed", "radius")
    ]
    load, ratio, angle, camber, speed, radius = arguments
    contact = TyreContact(
        slip_angle=angle,
        slip_ratio=ratio,
        camber=camber,
        load=load,
        direction=ca.fmin(speed, 1),
        speed=speed,
    )
    nominal, free = coefficients["FNOMIN"], coefficients["UNLOADED_RADIUS"]
    try:
        forces, others = formulas(coefficients, contact, radius, speed / free)
    except ArithmeticError:  # of numbers that are not expressions
        return False
    found = ca.Function("found", arguments, [forces, others])
    points = np.array([*product(LOADS, SLIP_RATIOS, SLIP_ANGLES, CAMBERS, SPEEDS)])
    points[:, 0] *= nominal
    radii = np.resize(RADII, len(points)) * free
    acting, rest = found(*points.T[:, None, :], radii[None, :])
    bounded = np.abs(acting.full()) <= LARGEST_FORCE * nominal * max(1.0, free)
    return bool(bounded.all() and np.isfinite(rest.full()).all())
