"""A rigid body of any smooth convex shape that rolls or slides on a surface."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from mbcore.elements.rolling_body import RollingBody
from mbcore.elements.surface import Frame, horizontal_plane
from mbcore.model.element import length
from mbcore.model.errors import ModelError
from mbcore.model.nodes import Point, Rotation, at_start
from mbcore.model.variables import Number

AROUND = 1e-6
"""Angle by which normals about the first contact differ, rad."""
ROUND = 1e-3
"""Share of the body's size by which the contact point may move for that; a smooth body's moves by
its radius of curvature times the angle, so this is a radius of a thousand sizes."""


class ConvexBody(RollingBody):
    """A body whose shape is given by its support function, on a smooth surface g(c) = 0.

    h(n) = max over the body of n·x is how far it reaches from its centre along an outward normal n.
    It is homogeneous, h(k n) = k h(n) for k > 0, and the point with the normal n is x = ∇h(n)
    [Schneider]. Deformations and slips are those of `RollingBody`; directions of slips are as for
    `Ball`. On a curved surface, too, the body must be more curved than the surface where it is
    hollow.

    Parameters
    ----------
    centre, rotation, contact, surface, frame
        See `RollingBody`; the centre is where n and x are measured from.
    support : callable
        h(n), an expression of a normal on the body's axes, shape (3, 1), of any length; smooth, m.
        `ellipsoid` makes that of an ellipsoid.

    Raises
    ------
    ModelError
        If h is no scalar function of n, not homogeneous, not convex, or has an edge or corner where
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
        self._normal = ca.SX.sym("normal", 3)
        self._support = ca.SX(support(self._normal))
        if not self._support.is_scalar() or not ca.depends_on(self._support, self._normal):
            raise ModelError(
                f"{self.title}: its support function gives {self._support}; give a scalar function "
                "of a normal, shape (3, 1)"
            )
        self._point = ca.gradient(self._support, self._normal)
        if not set(map(str, ca.symvar(self._support))) - set(map(str, ca.symvar(self._normal))):
            self._check_shape()

    def arm(self, outward: ca.SX) -> ca.SX:
        """Return the gradient of the support function, turned with the body."""
        matrix = self.rotation.matrix
        return matrix @ ca.substitute(self._point, self._normal, matrix.T @ outward)

    def _check_shape(self) -> None:
        """Refuse what is no support function, and edges where the body first touches."""
        random = np.random.default_rng(0)
        normals = random.standard_normal((50, 3))
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        h = ca.Function("h", [self._normal], [self._support])
        point = ca.Function("x", [self._normal], [ca.densify(self._point)])
        points = np.array([np.array(point(n))[:, 0] for n in normals])
        reach = np.array([float(h(n)) for n in normals])
        if not np.isfinite(points).all() or not np.isfinite(reach).all():
            raise ModelError(f"{self.title}: its support function or its gradient is not finite")
        size = float(np.abs(points).max())
        twice = np.array([float(h(2 * n)) for n in normals])
        if np.abs(twice - 2 * reach).max() > 1e-9 * size:
            raise ModelError(
                f"{self.title}: its support function is not homogeneous: h(2 n) is not 2 h(n); "
                "write it for normals of any length, as sqrt(nᵀ A² n) of an ellipsoid"
            )
        if (normals @ points.T > reach[:, None] + 1e-9 * size).any():
            raise ModelError(
                f"{self.title}: its support function is not convex: points of the body with other "
                "normals reach farther; give that of a convex body"
            )
        self._refuse_edge(point, size)

    def _refuse_edge(self, point: ca.Function, size: float) -> None:
        """Refuse a contact point that jumps, or cannot be said, as the normal turns a little."""
        outward = -self.rotation.matrix.T @ self.surface_at.normal
        start = at_start(outward, self.rotation, self.contact, *(self.frame or ()))
        if not start.is_constant():
            return
        first = np.array(ca.DM(start).full())[:, 0]
        first /= np.linalg.norm(first)
        touching = np.array(point(first))[:, 0]
        for axis in np.vstack([np.eye(3), -np.eye(3)]):
            near = np.array(point(first + AROUND * axis))[:, 0]
            if not np.abs(near - touching).max() <= ROUND * size:
                raise ModelError(
                    f"{self.title}: its support function has an edge at the normal "
                    f"({', '.join(f'{c:.6g}' for c in first)}) on the body's axes, where it first "
                    "touches along a line or face; start it turned, or round its edges"
                )


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
    axes = [ca.SX(axis) for axis in semi_axes]
    if len(axes) != 3 or any(a.is_constant() and not 0 < float(a) < float("inf") for a in axes):
        raise ModelError(f"ellipsoid: its semi-axes are {semi_axes}; give three positive numbers, m")

    def support(normal: ca.SX) -> ca.SX:
        return length(ca.vertcat(*axes) * normal)

    return support
