"""The slider-crank with an elastic connecting rod of [Schwab2002] 4.4.2, which examples share.

x along the plunger's line, away from the crank; at crank angle 0 crank and rod are in line, the
outer dead centre. Who drives the crank is left to the user.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import casadi as ca

from mbcore import Body, Model, PlanarBeam, RigidLink
from mbcore.model.nodes.nodes import Angle, Point
from mbcore.model.variables import Number

CRANK, ROD = 0.15, 0.3
"""Lengths, m."""
MASS_PER_LENGTH, PLUNGER_MASS, STIFFNESS = 0.2225, 0.033375, 12.72345
"""Of crank and rod, kg/m; kg; EI of the rod, N.m²."""
FIRST_FREQUENCY = 832.5406
"""Of the pinned rod of two elements, rad/s."""
EXACT_FREQUENCY = 829.2676
"""π² √(EI/(ρA l⁴)), the same of the exact beam, rad/s."""

Elongation = Literal["arc", "chord"]


@dataclass(frozen=True)
class SliderCrank:
    """A slider-crank whose crank is not driven yet."""

    model: Model
    base: Angle
    crank: Angle
    plunger: Point


def slider_crank(
    name: str, *, elements: int = 2, elongation: Elongation = "arc", damping: float = 0.02
) -> SliderCrank:
    """Return the mechanism with a rod of so many beam elements, an even number; 0 for a rigid rod.

    Parameters
    ----------
    elongation : {"arc", "chord"}
        What keeps its length: the rod's centre line, or the chord of each element.
    damping : float
        Share ζ of critical damping in the rod's first mode, a parameter of the model.
    """
    model = Model(name)
    O = model.point("crank axis", (0, 0), fixed=True)  # noqa: E741
    base, crank = model.angle("base", fixed=True), model.angle("crank")
    pin, plunger = model.point("pin", (CRANK, 0)), model.point("plunger", (CRANK + ROD, 0))
    plunger.y.fix()
    model.add(RigidLink("crank", O, crank, pin))
    mass = MASS_PER_LENGTH * CRANK
    model.add(
        Body("crank mass", O, crank, mass=mass, inertia=mass * CRANK**2 / 12, offset=(CRANK / 2, 0))
    )
    model.add(Body("plunger mass", plunger, mass=PLUNGER_MASS))
    if elements:
        share = model.parameter(
            "rod.damping", damping, minimum=0.0, description="of critical damping, first mode"
        )
        _add_elastic_rod(model, pin, plunger, elements, elongation, 2 * share / FIRST_FREQUENCY)
    else:
        angle = model.angle("rod")
        rod = PlanarBeam("rod", pin, angle, plunger, angle, mass_per_length=MASS_PER_LENGTH)
        model.add(rod).bending_q.release()  # follows: both ends turn with the beam
    return SliderCrank(model, base, crank, plunger)


def _add_elastic_rod(
    model: Model,
    pin: Point,
    plunger: Point,
    elements: int,
    elongation: Elongation,
    retardation: Number,
) -> None:
    """Add the rod, and its midpoint's deflection as an output in parts of its length."""
    points, angles = [pin], [model.angle("section 0")]
    for i in range(1, elements + 1):
        inside = (CRANK + ROD * i / elements, 0)
        points.append(model.point(f"section {i} centre", inside) if i < elements else plunger)
        angles.append(model.angle(f"section {i}"))
        beam = model.add(
            PlanarBeam(
                f"rod {i}",
                points[-2],
                angles[-2],
                points[-1],
                angles[-1],
                rest_length=ROD / elements,
                bending_stiffness=STIFFNESS,
                damping=retardation,
                mass_per_length=MASS_PER_LENGTH,
                elongation=elongation,
            )
        )
        for bending in (beam.bending_p, beam.bending_q):
            bending.dof(bending.name.replace(" ", "_"), nominal=1e-3, rate_nominal=1.0)
    across = plunger.position - pin.position
    middle = points[elements // 2].position - pin.position
    distance = (across[0] * middle[1] - across[1] * middle[0]) / ca.norm_2(across)
    model.output("deflection", distance / ROD, description="of the rod's midpoint, v/l")
