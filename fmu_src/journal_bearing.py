"""The film of a lubricated journal bearing, [Schwab2002] Appendix C, as a force element.

There are no states: the journal's motion relative to the sleeve goes in, force and drag on the
sleeve come out, for any tool that has the two bodies. All on the sleeve's axes.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc, Circle

from mbcore import Model, Units, drawing
from mbcore.contact.journal_bearing import BEYOND, Film, film
from mbcore.elements.joints.bearing import CORNERS, enlargement, journal_in_sleeve
from mbcore.fmi.component import Component, Experiment, Terminal
from mbcore.fmi.description.sketch import ANGLE, BODY, EDGE, FORCE, MOTION, arrow, axes_cross
from mbcore.fmi.page_settings import Page

from .shared import RED, fixed_length, shipped_component

NAME = "journal_bearing"
DESCRIPTION = "Oil film of a journal bearing as a force element: motion in, force and drag out"

Pair = tuple[ca.SX, ca.SX]
"""x and y."""


def model() -> Model:
    """Return the film with its inputs, parameters and outputs; no node moves in it."""
    bearing = Model(NAME)
    displacement, rate, speed = add_motion(bearing)
    radius, clearance, length = add_geometry(bearing)
    viscosity = bearing.parameter(
        "bearing.viscosity",
        0.1,
        unit="Pa.s",
        positive=True,
        description="dynamic viscosity of the lubricant",
    )
    oil = film(
        displacement,
        rate,
        speed,
        radius=radius,
        clearance=clearance,
        length=length,
        viscosity=viscosity,
    )
    bearing.require("bearing.eccentricity_ratio", oil.margin, BEYOND, shown=oil.eccentricity_ratio)
    show(bearing, oil)
    add_shapes(bearing, displacement, (radius, clearance), (oil.force_x, oil.force_y))
    return bearing


def add_motion(bearing: Model) -> tuple[Pair, Pair, ca.SX]:
    """Add the journal's displacement, its rate and speed of rotation, and return them."""
    x, y = (
        bearing.input(
            f"journal.{axis}",
            0.0,
            unit=Units("m", "mm"),
            description="journal centre relative to the sleeve's, in the sleeve's frame",
        )
        for axis in "xy"
    )
    x_rate, y_rate = (
        bearing.input(
            f"journal.{axis}_rate", 0.0, unit="m/s", description="its rate in the sleeve's frame"
        )
        for axis in "xy"
    )
    speed = bearing.input(
        "journal.speed",
        0.0,
        unit=Units("rad/s", "rpm"),
        description="rotation of the journal relative to the sleeve",
    )
    return (x, y), (x_rate, y_rate), speed


def add_geometry(bearing: Model) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Add the journal's radius, the clearance and the length, and return them."""
    radius = fixed_length(bearing, "journal.radius", 10e-3, "radius of the journal")
    clearance = fixed_length(
        bearing,
        "bearing.clearance",
        0.5e-3,
        "radial clearance: radius of the sleeve less that of the journal",
    )
    length = fixed_length(bearing, "bearing.length", 20e-3, "length of the bearing along its axis")
    return radius, clearance, length


def add_shapes(bearing: Model, journal: Pair, sizes: Pair, force: Pair) -> None:
    """Show a sleeve with the journal in it, whose place is given, and the film's force.

    ``sizes`` are the journal's radius and the clearance, which is drawn enlarged.
    """
    radius, clearance = sizes
    sleeve = bearing.point("sleeve", (0, 0), fixed=True)  # a node makes the picture a planar one
    times = enlargement(radius, clearance)
    shown = ca.vertcat(*journal) * times
    rims = ((ca.SX.zeros(2), radius + times * clearance), (shown, radius))
    film = [[_on_rim(centre, size, k) for k in range(CORNERS + 1)] for centre, size in rims]
    bearing.show(drawing.surface(film, closed=True, colour="#d9a441", name="film"))
    bearing.show(*journal_in_sleeve(sleeve, journal, None, radius, clearance))
    bearing.show(drawing.dot(shown, colour=RED, trail=True, name="journal's path"))
    bearing.show(drawing.arrow(sleeve, ca.vertcat(*force), name="force on the sleeve"))


def _on_rim(centre: ca.SX, radius: ca.SX, number: int) -> ca.SX:
    angle = 2 * np.pi * number / CORNERS
    return centre + radius * ca.DM([np.cos(angle), np.sin(angle)])


def show(bearing: Model, oil: Film) -> None:
    """Add the outputs."""
    bearing.output(
        "bearing.force_x", oil.force_x, unit="N", description="of the film on the sleeve"
    )
    bearing.output(
        "bearing.force_y", oil.force_y, unit="N", description="of the film on the sleeve"
    )
    bearing.output(
        "bearing.moment",
        oil.moment,
        unit="N.m",
        description="drag on the sleeve about its centre, positive along the journal's rotation",
    )
    bearing.output(
        "bearing.eccentricity_ratio",
        oil.eccentricity_ratio,
        description="distance of the centres over the clearance, smooth at zero",
        nominal=1.0,
    )


TERMINALS = (
    Terminal(
        "journal",
        {
            "x": "journal.x",
            "y": "journal.y",
            "x_rate": "journal.x_rate",
            "y_rate": "journal.y_rate",
            "speed": "journal.speed",
            "force_x": "bearing.force_x",
            "force_y": "bearing.force_y",
            "moment": "bearing.moment",
        },
        "motion of the journal and what the film does on the sleeve",
    ),
)

PAGE = Page(
    keys={
        "left": {"journal.x": -0.45e-3},
        "right": {"journal.x": 0.45e-3},
        "up": {"journal.y": 0.45e-3},
        "down": {"journal.y": -0.45e-3},
        # at rest the film carries nothing
        "q": {"journal.speed": 300},
        "e": {"journal.speed": -300},
    },
    plots=(
        ("bearing.force_x", "bearing.force_y"),
        "bearing.moment",
        "bearing.eccentricity_ratio",
    ),
    ranges={
        "journal.x": (-0.5e-3, 0.5e-3),
        "journal.y": (-0.5e-3, 0.5e-3),
        "journal.x_rate": (-0.1, 0.1),
        "journal.y_rate": (-0.1, 0.1),
        "journal.speed": (-500, 500),
    },
    spins={"journal": "journal.speed"},
    captions={
        "left": "journal to the left",
        "right": "journal to the right",
        "up": "journal up",
        "down": "journal down",
        "q": "turn it, 300 rad/s",
        "e": "turn it back",
    },
)

DOCUMENTATION = """
<p>Force of the fluid film of a full journal bearing of finite length, which ruptures where its
pressure would be negative: the closed forms of Moes as given in Schwab's thesis, Appendix C. There
are no states. Radius <math>r</math>, radial clearance <math>c</math>, length <math>l</math>,
viscosity <math>μ</math>; <math>(x, y)</math> is the journal's centre and <math>ω</math> its
rotation, both relative to the sleeve and in the sleeve's frame.</p>
<p>The pure squeeze velocity has the magnitude <math>v_s</math> and the direction <math>e</math>.
With it the force on the sleeve is</p>
<math display="block">
v_s e = (ẋ + ω y/2, ẏ - ω x/2),    F = 2 μ l (r/c)³ v_s (W_x e + W_y e_⊥),        (C.11)
</math>
<p>where <math>W</math> depends on <math>(x, y)/c</math> along and across <math>e</math> and on
<math>l/(2 r)</math>, (C.4) to (C.10): the short bearing's and the long bearing's impedances in
series, component by component. (C.10) is within some 20&nbsp;% of a solution for finite length. The
force is continuous, and zero where <math>v_s</math> vanishes, the one place where it has no
derivative by the velocity.</p>
<p>The drag on the sleeve, positive along the journal's rotation, is</p>
<math display="block">
M = 2π μ l r³ ω / (c √(1 - ε²)) + (x F_y - y F_x)/2,    ε = √(x² + y²)/c,
</math>
<p>about the sleeve's centre: shear of a film that fills the gap all round, also where it has
ruptured, and half the couple of the force, which the pressure in the inclined film brings.</p>
<p><b>What the journal feels</b>: the force <math>-F</math> at its centre and, about its centre, the
moment <math>(x F_y - y F_x) - M</math>, so that forces and moments balance.</p>
<p>Force and drag are finite up to an eccentricity ratio <math>ε</math> of 0.9999; what lies beyond
is refused. Near the sleeve the film is very stiff: integrate the two bodies with an implicit
method.</p>
"""

SYMBOLS = {
    "x": "journal.x",
    "y": "journal.y",
    "ẋ": "journal.x_rate",
    "ẏ": "journal.y_rate",
    "ω": "journal.speed",
    "r": "journal.radius",
    "c": "bearing.clearance",
    "l": "bearing.length",
    "μ": "bearing.viscosity",
    "F": "bearing.force_x, bearing.force_y",
    "F_x": "bearing.force_x",
    "F_y": "bearing.force_y",
    "M": "bearing.moment",
    "ε": "bearing.eccentricity_ratio",
    "v_s": "magnitude of the pure squeeze velocity",
    "e, e_⊥": "its direction, and the direction across it",
    "W, W_x, W_y": "impedance of the film, without dimension, and its components",
}
"""Meaning of each symbol in the documentation."""

_SLEEVE, _JOURNAL = 1.0, 0.72


def _bearing(axes: Axes) -> np.ndarray:
    journal = np.array([0.15, -0.13])
    axes.add_patch(Circle((0, 0), 1.35, facecolor=BODY, edgecolor=EDGE))
    axes.add_patch(Circle((0, 0), _SLEEVE, facecolor="#fce9b0", edgecolor=EDGE))
    axes.add_patch(Circle(tuple(journal), _JOURNAL, facecolor="#729fcf", edgecolor="#333333"))
    axes.plot(*journal, "o", color="white", markersize=4)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return journal


def icon(axes: Axes) -> None:
    """Draw journal, film and sleeve."""
    _bearing(axes)
    axes.set_xlim(-1.5, 1.5)
    axes.set_ylim(-1.5, 1.5)


def picture(axes: Axes) -> None:
    """Draw the bearing with its axes and signs."""
    journal = _bearing(axes)
    axes.plot(0, 0, "+", color=EDGE, markersize=9)
    for reach, place, name in (
        ((0.55, 0.0), (1.6, -0.75), "journal.x, journal.x_rate"),
        ((0.0, 0.5), (1.2, 1.15), "journal.y, journal.y_rate"),
    ):
        arrow(axes, journal, journal + reach, "", MOTION)
        line = {"arrowstyle": "-", "color": MOTION, "linewidth": 0.6}
        axes.annotate(name, tuple(journal + reach), place, color=MOTION, arrowprops=line)
    axes.add_patch(Arc(tuple(journal), 0.9, 0.9, theta1=140, theta2=255, color=ANGLE))
    foot = journal + 0.45 * np.array([np.cos(np.radians(252)), np.sin(np.radians(252))])
    arrow(axes, foot, foot + [0.12, -0.03], "", ANGLE)
    line = {"arrowstyle": "-", "color": ANGLE, "linewidth": 0.6}
    axes.annotate(
        "journal.speed",
        tuple(journal + [-0.4, -0.2]),
        (-2.4, -0.75),
        color=ANGLE,
        arrowprops=line,
    )
    arrow(axes, (1.35, 0), (2.0, 0), "bearing.force_x", FORCE)
    arrow(axes, (0, 1.35), (0, 1.9), "bearing.force_y", FORCE)
    axes.add_patch(Arc((0, 0), 2.9, 2.9, theta1=120, theta2=160, color=FORCE))
    turn = 1.45 * np.array([np.cos(np.radians(160)), np.sin(np.radians(160))])
    arrow(axes, turn, turn + [-0.03, -0.1], "bearing.moment", FORCE, (-92, -4))
    axes.annotate("sleeve", (-0.25, -1.25), color=EDGE)
    axes_cross(axes, (-2.4, -1.5), 0.4)
    axes.set_xlim(-2.7, 3.1)
    axes.set_ylim(-1.6, 2.1)


def component() -> Component:
    """Return the FMU's definition; nothing moves of itself in it."""
    return shipped_component(
        __name__,
        model().equations(),
        Experiment(stop=1.0, step=1e-3, tolerance=1e-6),
        picture,
        icon,
    )
