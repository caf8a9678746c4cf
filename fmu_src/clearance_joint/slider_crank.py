"""A slider-crank whose rod ends in a journal with play: the mechanism of [Schwab2002] Fig. 5.4.

x along the slider's line, away from the crank; top dead centre at crank angle 0. The sleeve
belongs to the slider, the journal to the rod; what they do to each other is left to the user, and
so is whether the rod bends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from mbcore import Bearing, Body, Model, PlanarBeam, RigidLink, StateName, Units
from mbcore.drawing import box, tube
from mbcore.fmi.description.sketch import BODY, EDGE
from mbcore.model.nodes.nodes import Angle, Point

from ..shared import METAL, fixed_length

Rod = Callable[[Model, Point, Point, ca.SX, ca.SX], Angle]
"""Adds a rod from pin to journal, of a length, m, and a mass, kg; returns the journal's angle."""


@dataclass(frozen=True)
class SliderCrank:
    """A slider-crank whose joint has no law yet."""

    crank: Model
    crank_angle: Angle
    rod_angle: Angle
    """At the journal; a rigid rod has it all along."""
    frame: Angle
    """Of the ground, along which the slider is guided."""
    axis: Point
    """Of the crank, on the ground."""
    pin: Point
    sleeve: Point
    """Its centre, which is the slider's mass centre."""
    joint: Bearing
    """Its x and y are degrees of freedom."""


def rigid_rod(crank: Model, pin: Point, journal: Point, length: ca.SX, mass: ca.SX) -> Angle:
    """Add a rigid rod of uniform mass."""
    angle = crank.angle("rod")
    rod = PlanarBeam(
        "rod", pin, angle, journal, angle, rest_length=length, mass_per_length=mass / length
    )
    crank.add(rod).bending_q.release()  # follows: both ends turn with the beam
    return angle


@dataclass(frozen=True)
class Parameters:
    """Lengths, m, and masses, kg."""

    length: ca.SX
    """Of the crank."""
    rod_length: ca.SX
    rod_mass: ca.SX
    slider_mass: ca.SX


def describe(name: str, rod: Rod = rigid_rod) -> SliderCrank:
    """Return the slider-crank with its inputs and parameters."""
    crank = Model(name)
    data = add_parameters(crank)
    theta = add_rotation(crank)
    push = crank.input(
        "slider.force", 0.0, unit="N", description="on the slider, positive away from the crank"
    )

    O = crank.point("crank axis", (0, 0), fixed=True)  # noqa: E741
    crank_angle = crank.angle("crank")
    pin = crank.point("crank pin", (data.length, 0))
    journal = crank.point("journal", (data.length + data.rod_length, 0))
    sleeve = crank.point("sleeve", (data.length + data.rod_length, 0))
    guide = crank.angle("slider", fixed=True)
    sleeve.y.fix()
    crank_angle.angle.prescribe(theta)
    crank.add(RigidLink("crank", O, crank_angle, pin))
    journal_angle = rod(crank, pin, journal, data.rod_length, data.rod_mass)
    crank.add(Body("slider", sleeve, mass=data.slider_mass))
    joint = crank.add(Bearing("joint", sleeve, guide, journal, journal_angle))
    for axis, displacement in (("x", joint.x), ("y", joint.y)):
        displacement.dof(
            f"joint.{axis}",
            StateName(f"joint.{axis}_rate", description="its rate"),
            nominal=1e-5,
            rate_nominal=1.0,
            description="journal centre in the sleeve's frame",
        )
    crank.force(sleeve, (push, 0))
    add_shapes(crank, joint, data, O)
    return SliderCrank(crank, crank_angle, journal_angle, guide, O, pin, sleeve, joint)


def add_parameters(crank: Model) -> Parameters:
    """Add lengths and masses."""
    length = fixed_length(crank, "crank.length", 0.05, "crank radius")
    rod_length = fixed_length(
        crank, "rod.length", 0.12, "connecting rod, pin to journal; longer than the crank"
    )
    crank.require(
        "rod.length",
        rod_length - length,
        "must be longer than the crank",
        shown=rod_length,
        initial=True,
    )
    rod_mass = crank.parameter(
        "rod.mass", 0.145, unit="kg", positive=True, description="uniformly distributed"
    )
    slider_mass = crank.parameter(
        "slider.mass", 0.145, unit="kg", positive=True, description="mass of the slider"
    )
    return Parameters(length, rod_length, rod_mass, slider_mass)


def add_rotation(crank: Model) -> ca.SX:
    """Add the crank's prescribed rotation, and return its angle, rad."""
    acceleration = crank.input(
        "crank.acceleration",
        0.0,
        unit="rad/s2",
        description="angular acceleration of the crank, the derivative of its speed",
    )
    speed = crank.input(
        "crank.speed",
        523.6,
        unit=Units("rad/s", "rpm"),
        rate=acceleration,
        description="prescribed angular speed of the crank",
    )
    return crank.state(
        "crank.angle",
        speed,
        unit=Units("rad", "deg"),
        visibility="output",
        description="crank angle, 0 at top dead centre",
    )


def add_shapes(crank: Model, joint: Bearing, data: Parameters, axis: Point) -> None:
    """Show the slider's two shoes in their guide; the sleeve between them is the joint's."""
    sleeve, throw = joint.sleeve, data.length
    ends = (data.rod_length - 1.8 * throw, data.rod_length + 1.8 * throw)
    for side in (-1, 1):
        rail = tube([(x, side * 0.5 * throw) for x in ends], colour=METAL, name="guide")
        crank.show(rail, at=axis)
        shoe = (0, side * 0.4 * throw)
        crank.show(box(shoe, None, (1.3 * throw, 0.12 * throw, 0), name="slider"), at=sleeve)
        web = (0, side * 0.32 * throw)
        crank.show(box(web, None, (0.4 * throw, 0.1 * throw, 0), name="slider"), at=sleeve)


def outline(axes: Axes, theta: float) -> dict[str, np.ndarray]:
    """Draw the mechanism at a crank angle; return the places of pin, sleeve and journal."""
    pin = np.array([np.cos(theta), np.sin(theta)])
    sleeve = np.array([np.cos(theta) + np.sqrt(2.4**2 - np.sin(theta) ** 2) - 0.1, 0.0])
    journal = sleeve + [0.11, 0.06]
    axes.plot([0, pin[0]], [0, pin[1]], color=EDGE, linewidth=5, solid_capstyle="round")
    axes.plot(
        *np.column_stack([pin, journal]), color="#729fcf", linewidth=5, solid_capstyle="round"
    )
    axes.add_patch(Rectangle((sleeve[0] - 0.55, -0.45), 1.1, 0.9, facecolor=BODY, edgecolor=EDGE))
    axes.add_patch(Circle(tuple(sleeve), 0.3, facecolor="white", edgecolor="#333333"))
    axes.add_patch(Circle(tuple(journal), 0.17, facecolor="#729fcf", edgecolor="#333333"))
    axes.plot([0, pin[0]], [0, pin[1]], "o", color="white", markersize=3)
    axes.plot([sleeve[0] - 0.8, sleeve[0] + 0.9], [-0.47, -0.47], color="#333333", linewidth=1)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return {"pin": pin, "sleeve": sleeve, "journal": journal}
