"""The Cardan drive shaft of [Schwab2002] 4.4.4 as a model, and its frequencies."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from mbcore import Body, Hinge, Model, Slide, SpatialBeam, linearize
from mbcore.drawing import COLOURS, box, tube
from mbcore.model.nodes.nodes import Point, Rotation

MISALIGNMENT = np.pi / 6
LENGTH, RADIUS = 1.0, 0.03
"""Of the drive shaft, m."""
DENSITY, ELASTICITY, POISSON = 7850.0, 210e9, 0.3
SHARE = 0.01
"""Of critical damping, in the first mode of bending and in that of torsion."""
OUTPUT_INERTIA, OUTPUT_TORQUE = 0.345555, 1060.288
"""kg.m2; N.m, against the rotation."""
ELEMENTS = 2

AREA, SECOND_MOMENT = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4
BENDING = ELASTICITY * SECOND_MOMENT
TORSION = ELASTICITY / (1 + POISSON) * SECOND_MOMENT
"""E I and G I_p = 2 G I, N.m2."""
BENDING_FREQUENCY = (np.pi / LENGTH) ** 2 * np.sqrt(BENDING / (DENSITY * AREA))
"""ω_b of the pinned shaft, rad/s."""
TORSION_FREQUENCY = BENDING_FREQUENCY / np.sqrt(2)
"""Frequency for which I_o is chosen, rad/s."""
STRAINS = ("torsion", "bending_y_p", "bending_y_q", "bending_z_p", "bending_z_q")


def mechanism(
    misalignment: float = MISALIGNMENT, elements: int = ELEMENTS, rotary_inertia: bool = True
) -> Model:
    """Return the drive shaft with all deformations of its elements as degrees of freedom.

    Its period is a turn of the input, 2π/``input.speed``: the deformations turn with the shaft.
    """
    shaft = Model("drive_shaft")
    speed = shaft.parameter("input.speed", 766.0, unit="rad/s", description="constant speed ω")
    torque = shaft.parameter(
        "output.torque", OUTPUT_TORQUE, unit="N.m", description="M_o, against the rotation"
    )
    along = np.array([np.cos(misalignment), np.sin(misalignment), 0.0])
    across = np.array([-np.sin(misalignment), np.cos(misalignment), 0.0])
    ends = (
        shaft.point("input joint", (0, 0, 0), fixed=True),
        shaft.point("output joint", along, fixed=True),
    )
    names = ("input", "input cross", "output cross", "output")
    driving, first, second, driven = (shaft.rotation(name) for name in names)
    sections = [shaft.rotation(f"section {i}") for i in range(elements + 1)]
    centres = [ends[0]]
    centres += [shaft.point(f"centre {i}", i / elements * along) for i in range(1, elements + 1)]

    turning = shaft.add(Hinge("input bearing", shaft.ground, driving, axis=(1, 0, 0)))
    turning.angle.prescribe(speed * shaft.time)
    shaft.add(Hinge("input yoke", driving, first, axis=(0, 0, 1)))
    shaft.add(Hinge("shaft's first yoke", first, sections[0], axis=across.tolist()))
    strains = [
        _element(shaft, f"shaft_{i}", centres[i : i + 2], sections[i : i + 2], rotary_inertia)
        for i in range(elements)
    ]
    # what the bent shaft is shorter by, it slides in its yoke
    shaft.add(Slide("spline", ends[1], sections[-1], centres[-1], axis=along.tolist()))
    shaft.add(Hinge("shaft's second yoke", sections[-1], second, axis=across.tolist()))
    shaft.add(Hinge("output yoke", second, driven, axis=(0, 0, 1)))
    turned = shaft.add(Hinge("output bearing", shaft.ground, driven, axis=(1, 0, 0)))
    inertia = (OUTPUT_INERTIA, OUTPUT_INERTIA / 2, OUTPUT_INERTIA / 2)
    shaft.add(Body("driven system", None, driven, inertia=inertia))
    shaft.load(-torque, turned.angle.rate)
    turning_parts = (driving, first, sections[0], sections[-1], second, driven)
    _show(shaft, ends, turning_parts, along, across)
    _measure(shaft, along, across, strains)
    shaft.output("output.lag", turned.angle.value - turning.angle.value, unit="rad")
    return shaft


def _element(
    shaft: Model, name: str, centres: list[Point], sections: list[Rotation], rotary_inertia: bool
) -> SpatialBeam:
    """Add a beam element whose deformations are degrees of freedom."""
    rotary = DENSITY * SECOND_MOMENT if rotary_inertia else 0.0
    beam = shaft.add(
        SpatialBeam(
            name,
            centres[0],
            sections[0],
            centres[1],
            sections[1],
            y_axis=(0, 0, 1),
            bending_stiffness_y=BENDING,
            bending_stiffness_z=BENDING,
            damping=2 * SHARE / BENDING_FREQUENCY,
            mass_per_length=DENSITY * AREA,
            polar_inertia=2 * DENSITY * SECOND_MOMENT,
            rotary_inertia_y=rotary,
            rotary_inertia_z=rotary,
        )
    )
    for strain in STRAINS:
        beam.deformations[strain].dof(f"{name}.{strain}", nominal=1e-3, rate_nominal=1.0)
    stiffness = TORSION / beam.rest_length**3
    beam.torsion.spring(stiffness, 2 * SHARE / TORSION_FREQUENCY * stiffness)
    return beam


def _show(
    shaft: Model,
    ends: Sequence[Point],
    parts: Sequence[Rotation],
    along: np.ndarray,
    across: np.ndarray,
) -> None:
    """Show the crosses of both joints, their forks, and the shafts in their bearings."""
    axis, upward, arm = np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), 3 * RADIUS
    thick, steel = 0.4 * RADIUS, COLOURS["link"]
    forks = ((parts[0], -axis, upward), (parts[2], along, across))
    forks += ((parts[3], -along, across), (parts[5], axis, upward))
    for i, (part, backward, sideways) in enumerate(forks):
        tips = [side * arm * sideways for side in (1, -1)]
        corners = [tip + 1.1 * arm * backward for tip in tips]
        bend = [tuple(place) for place in (tips[0], *corners, tips[1])]
        name = ("input", "shaft's first", "shaft's second", "output")[i]
        shaft.show(tube(bend, thick, colour=steel, name=f"{name} fork"), at=(ends[i // 2], part))
    for end, cross in zip(ends, (parts[1], parts[4]), strict=True):
        for pin in (upward, across):
            places = [tuple(side * 1.15 * arm * pin) for side in (1, -1)]
            pins = tube(places, 0.7 * thick, colour=COLOURS["joint"], name="cross")
            shaft.show(pins, at=(end, cross))
    for end, part, side in ((ends[0], parts[0], -1), (ends[1], parts[5], 1)):
        places = [tuple(side * far * arm * axis) for far in (1.1, 4.0)]
        shaft.show(tube(places, 0.6 * RADIUS, colour=steel, name="shaft"), at=(end, part))
        place = end.position + ca.DM(side * 3 * arm * axis)
        sizes = (0.8 * arm, 1.6 * arm, 1.6 * arm)
        shaft.show(box(place, None, sizes, colour=COLOURS["bar"], name="bearing"))


def _measure(shaft: Model, along: np.ndarray, across: np.ndarray, beams: list[SpatialBeam]) -> None:
    """Add outputs: what the elements do together, and how the shaft's ends are loaded."""
    twist = sum((beam.torsion.value / beam.rest_length for beam in beams), ca.SX(0))
    shaft.output("shaft.twist", twist, unit="rad")
    middle, start = beams[len(beams) // 2].p, beams[0].p_rotation
    shaft.output("shaft.in_plane", ca.dot(ca.DM(across), middle.position) / LENGTH)
    shaft.output("shaft.out_of_plane", middle.z.value / LENGTH)
    aside = middle.position - ca.DM(along) * ca.dot(ca.DM(along), middle.position)
    turning = start.turned(ca.DM(across))  # what torque bends at rest is seen on this axis
    shaft.output("shaft.deflection", ca.dot(turning, aside) / LENGTH)
    shaft.output("shaft.speed", ca.dot(ca.DM(along), start.angular_velocity), unit="rad/s")


def frequencies(elements: int = ELEMENTS, rotary_inertia: bool = True) -> tuple[float, float]:
    """Return the first frequencies of bending and of torsion without misalignment, rad/s."""
    straight = mechanism(0.0, elements, rotary_inertia).equations()
    about = linearize(straight, parameters={"input.speed": 0.0, "output.torque": 0.0})
    found: dict[bool, list[float]] = {False: [], True: []}
    for mode in about.modes():
        first = max(mode.shape, key=lambda name: abs(mode.shape[name]))
        found["torsion" in first].append(abs(mode.eigenvalue))
    return min(found[False]), min(found[True])
