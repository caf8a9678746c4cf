"""Lines of springs and dampers: from a wall to a point, and about a point that a part turns on.

It stands apart because it is geometry, whatever a spring belongs to. Sizes are in default
thicknesses, which are parts of the scene's size.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from mbcore.model.shapes.shape import THICKNESS, Place, Shape, position
from mbcore.model.shapes.shapes import COLOURS, line

LENGTH = 45.0
"""Of a spring or damper at rest: with it, it is seen beside a ball that is the whole scene."""
WIDTH = 2.2
"""Half the width of a coil and of a damper's cylinder."""
WALL = 5.5
"""Half the width of a wall, which has `HATCHES` strokes of the length `HATCH`."""
HATCHES, HATCH = 7, 1.6
COIL = ((0.0, 0.0), (0.18, 0.0), *((0.21 + 0.058 * i, (-1.0) ** i) for i in range(11)),
        (0.82, 0.0), (1.0, 0.0))  # fmt: skip
"""Places of a coil: parts of its length from the wall, and of `WIDTH` aside."""
DAMPER = (
    ((0.0, 0.0), (0.3, 0.0)),
    ((0.7, 1.0), (0.3, 1.0), (0.3, -1.0), (0.7, -1.0)),
    ((0.52, 0.8), (0.52, -0.8)),
    ((0.52, 0.0), (1.0, 0.0)),
)
"""Places of a damper's rod, cylinder and piston, likewise."""
TURNS, INNER, OUTER = 2.0, 2.5, 6.0
"""Of a spiral: how often it is wound at rest, and its radii."""


def along(
    point: Place, axis: int, deflection: ca.SX, spring: bool, damper: bool, name: str
) -> list[Shape]:
    """Return a spring and a damper side by side, or one of them, with the wall that holds them.

    Parameters
    ----------
    point : Place
        The point that they hold.
    axis : int
        The inertial axis along which they act: 0, 1 or 2.
    deflection : SX
        Elongation relative to rest, m.
    spring, damper : bool
        Whether there is one.
    """
    end, length = position(point), LENGTH * THICKNESS + deflection
    forth, across = ca.SX.zeros(3), ca.SX.zeros(3)
    forth[axis] = 1
    across[0 if axis == 1 else 1] = 1

    def path(
        places: Sequence[tuple[float, float]], beside: float, colour: str = COLOURS["spring"]
    ) -> Shape:
        there = [
            end - (1 - share) * length * forth + (beside + WIDTH * aside) * THICKNESS * across
            for share, aside in places
        ]
        return line(there, colour=colour, name=name)

    apart = 1.4 * WIDTH if spring and damper else 0.0
    shapes = [path(COIL, apart)] if spring else []
    shapes += [path(part, -apart) for part in DAMPER] if damper else []
    if apart:
        shapes.append(path([(1.0, -apart / WIDTH), (1.0, apart / WIDTH)], 0.0))
    wall = end - length * forth
    strokes: list[ca.SX] = []
    for aside in np.linspace(-WALL, WALL, HATCHES):
        foot = wall + aside * THICKNESS * across
        strokes += [foot, foot - HATCH * THICKNESS * (forth + across), foot]
    return [line(strokes, colour=COLOURS["joint"], name=name), *shapes]


def about(point: Place, turned: ca.SX, name: str) -> Shape:
    """Return the spiral of a spring that holds what turns in the plane by an angle, rad."""
    across, up = ca.SX([1, 0, 0]), ca.SX([0, 1, 0])
    return spiral(across, up, turned).at(point).named(name)


def spiral(across: ca.SX, up: ca.SX, turned: ca.SX) -> Shape:
    """Return a spiral spring about the origin, held below at its outer end.

    Parameters
    ----------
    across, up : SX
        Unit vectors of what holds it, from the first to the second of which the inner end turns.
    turned : SX
        By which the inner end is turned from rest, rad.
    """
    places = []
    for share in np.linspace(0.0, 1.0, 40):
        radius = (OUTER + share * (INNER - OUTER)) * THICKNESS
        angle = share * (2 * np.pi * TURNS + turned) - np.pi / 2
        places.append(radius * (ca.cos(angle) * across + ca.sin(angle) * up))
    foot = -(OUTER + HATCH) * THICKNESS * up
    return line([foot, *places, ca.SX.zeros(3)], colour=COLOURS["spring"])
