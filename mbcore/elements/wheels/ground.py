"""The shape of a surface g(c) = 0 about a contact point, for pictures."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from mbcore.model.kinks import gradient
from mbcore.model.nodes.nodes import Point, Rotation
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import surface
from mbcore.model.statements import length
from mbcore.model.variables import Number

DRAWN = 9
"""Number of points along each side of a patch."""
STEPS = 3
"""Newton steps from the tangent plane onto the surface."""


def patch(
    function: Callable[[ca.SX], ca.SX],
    contact: Point,
    reach: Number,
    frame: tuple[Point, Rotation] | None = None,
) -> Shape:
    """Return the surface about a contact point.

    An infinite plane is marked as such. Of another surface there is a square patch, whose points
    are found by projecting the tangent plane along the normal.

    Parameters
    ----------
    function : callable
        g, an expression of a place on the axes of the frame, zero on the surface.
    reach : number or expression
        From the contact point to the patch's sides, m.
    frame : pair of Point and Rotation, optional
        Point and orientation that the surface moves with.
    """
    place = ca.SX.sym("place", 3)
    gap = ca.SX(function(place))
    slope = gradient(gap, place)
    matrix = ca.SX.eye(3) if frame is None else frame[1].matrix
    origin = ca.SX.zeros(3) if frame is None else frame[0].position
    local = matrix.T @ (contact.position - origin)
    step = ca.Function(
        "step", [place, *_others(gap, place)], [place - gap * slope / ca.dot(slope, slope)]
    )
    flat = frame is None and not ca.depends_on(slope, place) and not ca.symvar(slope)
    count, reach_ = (2, 10 * ca.SX(reach)) if flat else (DRAWN, ca.SX(reach))
    there = ca.substitute(slope, place, local)
    first, second = _tangents(there / length(there))
    others = _others(gap, place)
    rows = []
    for a in np.linspace(-1, 1, count):
        row = []
        for b in np.linspace(-1, 1, count):
            spot = local + reach_ * (a * first + b * second)
            for _ in range(1 if flat else STEPS):
                spot = step(spot, *others)
            row.append(origin + matrix @ spot)
        rows.append(row)
    return surface(rows, ground=flat)


def _others(gap: ca.SX, place: ca.SX) -> list[ca.SX]:
    own = {s.element_hash() for s in ca.symvar(place)}
    return [s for s in ca.symvar(gap) if s.element_hash() not in own]


def _tangents(normal: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Two unit vectors across a unit normal, near x and y where it is near z."""
    y = ca.SX([0, 1, 0])
    first = ca.cross(y, normal)
    size = length(first)
    first = ca.if_else(size > 1e-6, first / (size + 1e-300), ca.SX([1, 0, 0]))
    return first, ca.cross(normal, first)
