"""Structures of many beam elements that first runs are measured with: cantilevers and a crank."""

from __future__ import annotations

from benchmarks.simulation.stiffness import cantilever, crank
from mbcore import Model, SpatialBeam

LENGTH, WIDTH, HEIGHT = 1.0, 0.02, 0.005
"""Of the steel strip in space, m."""
YOUNG, SHEAR, DENSITY = 2.1e11, 8.1e10, 7850.0
"""N/m², N/m², kg/m³."""
GRAVITY = (0.0, 6.0, -8.0)
"""m/s²; across both axes of the section."""


def plane_cantilever(elements: int) -> Model:
    """Return the cantilever of steel with a sudden load at its end, damped."""
    return cantilever(elements, 1e-4)


def crank_with_rod(elements: int) -> Model:
    """Return the slider-crank of [Schwab2002] 4.4.2 that turns with 150 rad/s."""
    return crank(elements)


def space_cantilever(elements: int) -> Model:
    """Return a clamped strip in space that is let go under gravity."""
    model = Model(f"space cantilever of {elements}", gravity=GRAVITY)
    point, rotation = model.point("clamp", (0, 0, 0), fixed=True), model.ground
    section = WIDTH * HEIGHT
    flat, upright = HEIGHT * WIDTH**3 / 12, WIDTH * HEIGHT**3 / 12
    for i in range(elements):
        end = model.point(f"end {i}", (LENGTH * (i + 1) / elements, 0, 0))
        turned = model.rotation(f"rotation {i}")
        beam = model.add(
            SpatialBeam(
                f"element {i}", point, rotation, end, turned, y_axis=(0, 1, 0),
                axial_stiffness=YOUNG * section, torsional_stiffness=SHEAR * 4 * upright,
                bending_stiffness_y=YOUNG * upright, bending_stiffness_z=YOUNG * flat,
                damping=1e-4, mass_per_length=DENSITY * section,
                polar_inertia=DENSITY * (flat + upright),
            )
        )  # fmt: skip
        for name, deformation in beam.deformations.items():
            deformation.dof(f"element{i}.{name}", f"element{i}.{name}_rate")
        point, rotation = end, turned
    return model
