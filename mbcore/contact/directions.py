"""Check of two sliding velocities: along unit vectors at right angles, and along the surface.

Used by `mbcore.contact.impact` alone; it is apart from the contact's law because it looks at nodes.
"""

from __future__ import annotations

from math import acos, degrees

import casadi as ca
import numpy as np

from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace
from mbcore.model.nodes.nodes import Point, at_start
from mbcore.model.system import System
from mbcore.model.tables import derivatives

TOLERANCE = 1e-6
"""Cosine of an angle that counts as right, and relative excess of a length that counts as 1."""
REMEDY = "give velocities along two unit vectors of the surface, at right angles"


def refuse_oblique(model: System, owner: str, gap: ca.SX, sliding: ca.SX) -> None:
    """Refuse two sliding velocities whose directions are not an orthonormal pair of the surface.

    Directions are gradients with respect to the velocity of the point on which both depend, at the
    start. Velocities that depend on several points are not checked, since each may have a share.

    Raises
    ------
    ModelError
        If a direction is not a unit vector, both are not at right angles, or the gap changes along
        one.
    """
    rates, values = model.symbols.rates_in(sliding), model.symbols.values_in(gap)
    sliding = replace(
        sliding, column(q.rate for q in rates), column(model.rate_of(q) for q in rates)
    )
    gap = replace(gap, column(q.value for q in values), column(q.expression for q in values))
    points = [
        node
        for node in model.nodes.values()
        if isinstance(node, Point) and not node.planar and depends(sliding, node.velocity)
    ]
    if sliding.numel() != 2 or len(points) != 1:
        return
    ways = _gradients(model, sliding, points[0].velocity)
    normal = _gradients(model, gap, points[0].position)
    if ways is None:
        return
    sizes = np.linalg.norm(ways, axis=1)
    for j, size in enumerate(sizes):
        if abs(size - 1) > TOLERANCE:
            raise ModelError(
                f"{owner}: sliding[{j}] is {size:.4g} times a velocity of {points[0].name}; "
                f"{REMEDY}"
            )
    cosine = float(ways[0] @ ways[1])
    if abs(cosine) > TOLERANCE:
        angle = degrees(acos(min(1.0, max(-1.0, cosine))))
        raise ModelError(
            f"{owner}: the directions of sliding[0] and sliding[1] are at {angle:.4g} degrees, not "
            f"at right angles; {REMEDY}"
        )
    if normal is None or not np.linalg.norm(normal) > 0:
        return
    along = ways @ normal[0] / np.linalg.norm(normal)
    for j, part in enumerate(along):
        if abs(part) > TOLERANCE:
            raise ModelError(
                f"{owner}: the gap changes along the direction of sliding[{j}], so it is not along "
                f"the surface; {REMEDY}"
            )


def _gradients(model: System, expression: ca.SX, variables: ca.SX) -> np.ndarray | None:
    """Return the Jacobian at the start; None where it depends on more than nodes and parameters."""
    found = at_start(derivatives.jacobian(expression, variables), *model.nodes.values())
    given = [(model.time, 0.0), *((p.symbol, p.value) for p in model.parameters.values())]
    found = replace(found, column(s for s, _ in given), column(ca.SX(v) for _, v in given))
    return np.array(ca.DM(found)) if found.is_constant() else None
