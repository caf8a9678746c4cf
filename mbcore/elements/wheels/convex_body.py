"""A rigid body of any smooth convex shape that rolls or slides on a surface."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from mbcore.elements.wheels.rolling_body import RollingBody
from mbcore.elements.wheels.surface import Frame, horizontal_plane
from mbcore.model.calls import explains_arguments
from mbcore.model.checks import number, vector
from mbcore.model.errors import ModelError
from mbcore.model.kinks import gradient
from mbcore.model.nodes.nodes import Point, Rotation, at_start
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import COLOURS
from mbcore.model.shapes.shapes import surface as grid
from mbcore.model.statements import length
from mbcore.model.variables import Number

AROUND = 1e-6
"""Angle by which normals about the first contact differ, rad."""
ROUND = 1e-3
"""Largest displacement of the contact point for that, in sizes of the body. It moves by the radius
of curvature times the angle, so the limit is a radius of a thousand sizes."""


class ConvexBody(RollingBody):
    """A body whose shape is given by its support function, on a smooth surface g(c) = 0.

    h(n) = max over the body of n·x is how far it reaches from its centre along an outward normal n.
    It is homogeneous, h(k n) = k h(n) for k > 0, and the point with the normal n is x = ∇h(n)
    [Schneider].

        c = w + ∇h(-n)

    with the surface's unit normal n. Deformations and slips are those of `RollingBody`;
    directions of slips are as for `Ball`. On a concave surface the body must be more curved than
    the surface.

    Parameters
    ----------
    centre, rotation, contact, surface, frame
        See `RollingBody`; the centre is the origin of n and x.
    support : callable
        h(n), an expression of a normal on the body's axes, shape (3, 1), of any length; smooth, m.
        `ellipsoid` makes that of an ellipsoid.

    Raises
    ------
    ModelError
        If h is not a scalar function of n, not homogeneous, not convex, or has an edge where
        the body first touches; or as for `RollingBody`.
    """

    kind = "convex body"

    def __init__(
        self,
        name: str,
        centre: Point,
        rotation: Rotation,
        contact: Point,
        *,
        support: Callable[[ca.SX], ca.SX],
        surface: Callable[[ca.SX], ca.SX] = horizontal_plane,
        frame: Frame | None = None,
    ) -> None:
        super().__init__(name, centre, rotation, contact, surface=surface, frame=frame)
        if not callable(support):
            raise ModelError(f"{self.title}: support is {support!r}; give a function of a normal")
        self._normal = ca.SX.sym("normal", 3)
        self._support = ca.SX(support(self._normal))
        if not self._support.is_scalar() or not ca.depends_on(self._support, self._normal):
            raise ModelError(
                f"{self.title}: its support function gives {self._support}; give a scalar function "
                "of a normal, shape (3, 1)"
            )
        self._point = gradient(self._support, self._normal)
        # Directions spread over the sphere; a fixed seed, so that a body is always judged alike.
        random = np.random.default_rng(0).standard_normal((50, 3))
        self._normals = random / np.linalg.norm(random, axis=1, keepdims=True)
        self.check(self._sampled(ca.DM(self._normals)), self._refuse_shape)
        start = at_start(-self.rotation.matrix.T @ self.surface_at.normal, *self._touching)
        first = (start / length(start)).T
        near = [first + AROUND * sign * ca.DM.eye(3)[i, :] for i in range(3) for sign in (-1, 1)]
        self.check(self._sampled(ca.vertcat(first, *near)), self._refuse_edge)
        self.refuse_start()

    def form(self) -> list[Shape]:
        """Return its surface by the points of normals in all directions.

        Normals are those of an ellipsoid as wide at evenly spread places of it, so that the points
        of a long body do not crowd at its ends.
        """
        parameters = self._parameters()
        point = ca.Function("point", [self._normal, *parameters], [self._point])
        support = ca.Function("support", [self._normal, *parameters], [self._support])
        ends = [sign * ca.DM.eye(3)[:, i] for i in range(3) for sign in (1, -1)]
        reached = [support(end, *parameters) for end in ends]
        widths = ca.vertcat(*(a + b for a, b in zip(reached[::2], reached[1::2], strict=True)))
        rows = []
        for down in np.linspace(0, np.pi, 13):
            row = []
            for around in np.linspace(0, 2 * np.pi, 25):
                x, y = np.cos(around), np.sin(around)
                even = ca.SX(ca.DM([np.sin(down) * x, np.sin(down) * y, np.cos(down)]))
                normal = even / widths
                place = point(normal / ca.norm_2(normal), *parameters)
                row.append(self.centre.position + self.rotation.matrix @ place)
            rows.append(row)
        return [grid(rows, colour=COLOURS["wheel"], closed=True)]

    def _parameters(self) -> list[ca.SX]:
        own = {symbol.element_hash() for symbol in ca.symvar(self._normal)}
        return [s for s in ca.symvar(self._support) if s.element_hash() not in own]

    def arm(self, outward: ca.SX) -> ca.SX:
        """Return the gradient of the support function, turned with the body."""
        matrix = self.rotation.matrix
        return matrix @ ca.substitute(self._point, self._normal, matrix.T @ outward)

    def _sampled(self, normals: ca.SX | ca.DM) -> ca.SX:
        """Rows n, h(n), h(2 n), ∇h(n) for rows of normals, shape (k, 8)."""
        both = ca.vertcat(self._support, self._point)
        rows = []
        for normal in ca.vertsplit(ca.SX(normals)):
            here = ca.substitute(both, self._normal, normal.T)
            twice = ca.substitute(self._support, self._normal, 2 * normal.T)
            rows.append(ca.horzcat(normal, here[0], twice, here[1:].T))
        return ca.densify(ca.vertcat(*rows))

    def _refuse_shape(self, sampled: np.ndarray) -> None:
        """Refuse a function that is not a support function."""
        normals, reach, twice, points = sampled[:, :3], sampled[:, 3], sampled[:, 4], sampled[:, 5:]
        if not np.isfinite(sampled).all():
            raise ModelError(
                f"{self.title}: its support function or its gradient is not finite everywhere; "
                "write it so that it is smooth for all normals but zero"
            )
        size = float(np.abs(points).max())
        if np.abs(twice - 2 * reach).max() > 1e-9 * size:
            raise ModelError(
                f"{self.title}: its support function is not homogeneous, h(2 n) is not 2 h(n); "
                "write it for normals of any length, as sqrt(nᵀ A² n) of an ellipsoid"
            )
        # h(n) is the largest n·x over the body, so no sampled point may reach farther.
        if (normals @ points.T > reach[:, None] + 1e-9 * size).any():
            raise ModelError(
                f"{self.title}: its support function is not convex: points with other normals "
                "reach farther; give that of a convex body"
            )

    def _refuse_edge(self, sampled: np.ndarray) -> None:
        """Refuse a contact point that jumps as the first normal turns a little."""
        points = sampled[:, 5:]
        moved = np.abs(points - points[0]).max()
        if not moved <= ROUND * max(float(np.abs(points).max()), 1e-300):
            normal = ", ".join(f"{c:.6g}" for c in sampled[0, :3])
            raise ModelError(
                f"{self.title}: its support function has an edge at the normal ({normal}) "
                "on the body's axes, where it touches along a line or face at the start; start it "
                "turned, or round its edges"
            )


@explains_arguments
def ellipsoid(semi_axes: Sequence[Number]) -> Callable[[ca.SX], ca.SX]:
    """Return the support function √(nᵀ A² n) of an ellipsoid with axes along the body's.

    Parameters
    ----------
    semi_axes : sequence of three
        Half lengths along x, y and z, m: numbers or expressions.

    Raises
    ------
    ModelError
        If they are not three positive numbers or expressions.
    """
    axes = vector("ellipsoid", "semi_axes", semi_axes, 3, "(0.2, 0.03, 0.02)")
    for i, axis in enumerate(ca.vertsplit(axes)):
        number("ellipsoid", f"semi_axes[{i}]", axis, above=0, unit="m")

    def support(normal: ca.SX) -> ca.SX:
        return length(axes * normal)

    return support
