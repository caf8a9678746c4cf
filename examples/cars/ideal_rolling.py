"""Shared by comparisons of the car with ideal rolling: the limit, and its tyre."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from mbcore import MagicFormula, Result, simulate
from mbcore.fmus import vehicle
from mbcore.fmus.tyre_data import TyreData, tyre_data

SHIFTS = (
    *("LHX", "LVX", "LHY", "LVY", "LRES", "LS"),
    *("LKYC", "LKZC", "LVYKA", "LMX", "LVMX", "LMY"),
)
"""Scaling factors of what ideal rolling has not: shifts, residual moment, camber, ply steer,
overturning and rolling resistance."""
DIRECT = 2
"""Item of the vehicle's choice of its steering."""


def scaled_tyre(factors: Mapping[str, float]) -> TyreData:
    """Return the shipped tyre without `SHIFTS`, other coefficients multiplied by factors."""
    given = tyre_data()
    assert isinstance(given.left, MagicFormula)
    coefficients = given.left.coefficients | dict.fromkeys(SHIFTS, 0.0)
    for name, factor in factors.items():
        coefficients[name] = coefficients[name] * factor
    return replace(given, left=replace(given.left, coefficients=coefficients))


def drive_vehicle(
    until: float,
    speed: float,
    data: tuple[float, float, float, float],
    steer: Callable[[float], float],
    steer_rate: Callable[[float], float],
    **options: Any,
) -> Result:
    """Drive the vehicle that rolls ideally.

    Parameters
    ----------
    until, speed : float
        s; m/s at the start.
    data : four numbers
        Wheelbase, m; from the rear axle to the mass centre, m; mass, kg; inertia, kg.m2.
    steer, steer_rate : function of the time
        Angle of the front axle, rad, and its rate, rad/s.
    **options
        Of `mbcore.simulate`.
    """
    names = ("wheelbase", "rear_to_mass_centre", "chassis.mass", "chassis.inertia")
    return simulate(
        vehicle.model().equations(),
        until,
        backend="c",
        parameters={"steering": DIRECT, **dict(zip(names, data, strict=True))},
        inputs={"steer.angle": steer, "steer.rate": steer_rate},
        start={"chassis.speed": speed},
        **options,
    )
