"""Lines of a spring and a damper between two points.

Used by `mbcore.elements.beams.truss` alone, on whose elongation they act; it stands apart because
it is geometry.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from mbcore.model.nodes.nodes import Point, at_start
from mbcore.model.shapes.shape import THICKNESS, Shape, position
from mbcore.model.shapes.shapes import COLOURS, line
from mbcore.model.shapes.springs import COIL, DAMPER, WIDTH
from mbcore.model.statements import length

TINY = 1e-30
"""Square of the shortest direction that is divided by, m2."""


def coil(p: Point, q: Point, spring: bool, damper: bool, name: str) -> list[Shape]:
    """Return a spring and a damper side by side, or one of them, from one point to the other.

    Parameters
    ----------
    p, q : Point
        Its ends.
    spring, damper : bool
        Whether there is one.
    """
    start, way = position(p), position(q) - position(p)
    aside = ca.cross(_axis(p, q), way)
    across = aside / ca.sqrt(ca.sumsqr(aside) + TINY)

    def path(places: Sequence[tuple[float, float]], beside: float) -> Shape:
        there = [
            start + share * way + (beside + WIDTH * side) * THICKNESS * across
            for share, side in places
        ]
        return line(there, colour=COLOURS["spring"], name=name)

    apart = 1.4 * WIDTH if spring and damper else 0.0
    shapes = [path(COIL, apart)] if spring else []
    shapes += [path(part, -apart) for part in DAMPER] if damper else []
    if apart:
        bar = [(-apart / WIDTH), apart / WIDTH]
        shapes += [path([(end, side) for side in bar], 0.0) for end in (0.0, 1.0)]
    return shapes


def _axis(p: Point, q: Point) -> ca.SX:
    """Return the axis about which a coil is turned aside: z, unless it starts along that."""
    if not p.planar:
        way = at_start(q.position - p.position, p, q)
        if way.is_constant() and abs(float(way[2])) > 0.9 * float(length(way)):
            return ca.SX(np.array([1.0, 0.0, 0.0]))
    return ca.SX(np.array([0.0, 0.0, 1.0]))
