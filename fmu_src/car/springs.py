"""Springs, dampers and anti-roll bars of the car, at the wheels' travel."""

from __future__ import annotations

import casadi as ca

from mbcore import StateName

from .data import CORNERS, DataSheet
from .wheel import Corner


def add_springs(data: DataSheet, corners: dict[str, Corner]) -> dict[str, ca.SX]:
    """Let each wheel travel on its spring; return the forces that press the wheels down, N."""
    found = {}
    for name, corner in corners.items():
        axle, side = CORNERS[name]
        travel = corner.guide.travel.dof(
            f"{name}.travel",
            StateName(f"{name}.travel_rate", description="its rate", visibility="local"),
            nominal=0.01,
            rate_nominal=0.1,
            description="of the wheel from the design position, positive in bump",
        )
        other = corners[f"{axle}_{'right' if side > 0 else 'left'}"].guide.travel
        spring = data.spring_load(axle) + data[f"{axle}.spring_stiffness"] * travel.value
        bar = data[f"{axle}.anti_roll_stiffness"] * (travel.value - other.value)
        found[name] = (
            spring + bar / data[f"{axle}.track"] ** 2 + data[f"{axle}.damping"] * travel.rate
        )
        travel.law(found[name])
    return found
