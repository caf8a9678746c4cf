"""Lumped inertia: masses at points, inertia at orientations, and both together as a rigid body."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import casadi as ca
import numpy as np

from mbcore.elements.bodies.rigid_link import RigidLink, checked_offset, start_matrix
from mbcore.model import checks
from mbcore.model.element import Element
from mbcore.model.errors import ModelError, warn_user
from mbcore.model.nodes.node_checks import node, one_space
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.shapes import COLOURS, ball, cylinder, dot, line
from mbcore.model.statements import Inertia, Spin
from mbcore.model.variables import Number
from mbcore.model.wording import MOST_OF_EXPRESSION, shortened

ROUNDING = 1e-9
"""Relative error of moments of inertia that counts as rounding."""


class Body(Element):
    """Mass and inertia that move with a point and an orientation.

        T = ½ m |v + ω × R a|² + ½ ωᵀ J ω

    ``body.point(name, offset)`` makes further points of a rigid body.

    Parameters
    ----------
    point : Point or None
        The place of the mass; None for inertia alone.
    orientation : Angle, Rotation or None
        Orientation that the inertia turns with; None for a particle.
    mass : number or expression
        kg.
    inertia : number, expression or sequence
        About the centre of mass, kg.m2: one number in the plane; three principal moments or a
        symmetric (3, 3) matrix on body-fixed axes in space.
    offset : sequence
        Centre of mass relative to the point, on body-fixed axes, m.

    Raises
    ------
    ModelError
        If the kinds of point and orientation, or the shapes of inertia and offset, do not fit; if
        mass or inertia is negative or not finite, or a matrix is not symmetric. Moments that no
        distribution of mass has, by the triangle inequality, give a `ModelWarning`.
    """

    kind = "body"

    def __init__(
        self,
        name: str,
        point: Point | None,
        orientation: Angle | Rotation | None = None,
        *,
        mass: Number = 0.0,
        inertia: Number | Sequence[Number] | ca.SX = 0.0,
        offset: Sequence[Number] | None = None,
    ) -> None:
        super().__init__(name)
        if point is None and orientation is None:
            raise ModelError(f"body {name}: give a point, an orientation, or both")
        if point is not None:
            node(self.title, "point", point, Point)
        if orientation is not None:
            node(self.title, "orientation", orientation, Angle, Rotation)
        one_space(self.title, point, orientation)
        # Not ``self.point``: that is the method that adds points.
        self.reference, self.orientation = point, orientation
        self.mass = self.number("mass", mass, least=0, unit="kg")
        self.inertia = self._tensor(inertia)
        if orientation is None and not self.inertia.is_zero():
            raise ModelError(f"body {name}: inertia needs an orientation to turn with")
        if point is None and not ca.SX(mass).is_zero():
            raise ModelError(f"body {name}: mass needs a point to move with")
        if offset is not None and (point is None or orientation is None):
            raise ModelError(f"body {name}: an offset needs a point and an orientation")
        self.offset: ca.SX | None = None
        if offset is not None and orientation is not None:
            self.offset = checked_offset(f"body {name}", offset, orientation)

    def _tensor(self, inertia: Number | Sequence[Number] | ca.SX) -> ca.SX:
        if not isinstance(self.orientation, Rotation):
            tensor = checks.matrix(self.title, "inertia", inertia, "kg.m2")
            if not tensor.is_scalar():
                given = shortened(str(inertia), MOST_OF_EXPRESSION)
                raise ModelError(
                    f"{self.title}: inertia = {given}: in the plane it is one number, about the "
                    "axis across the plane"
                )
            return ca.SX(self.number("inertia", inertia, least=0, unit="kg.m2"))
        tensor = ca.densify(checks.matrix(self.title, "inertia", inertia, "kg.m2"))
        if tensor.is_scalar() and tensor.is_zero():
            return ca.SX(3, 3)
        if tensor.shape in ((3, 1), (1, 3)):
            tensor = ca.diag(ca.vec(tensor))
        if tensor.shape != (3, 3):
            raise ModelError(
                f"body {self.name}: inertia in space is three principal moments or a 3 x 3 matrix, "
                f"got shape {tensor.shape}"
            )
        self.check(tensor, partial(refuse_impossible_inertia, self.title))
        if tensor.is_constant():
            return tensor
        # Principal moments are checked by themselves, so that a message can name the wrong one.
        if (tensor - ca.diag(ca.diag(tensor))).is_zero():
            for i in range(3):
                self.keep(tensor[i, i], f"inertia[{i}]", least=0, unit="kg.m2")
        else:
            self.keep(
                _least_invariant(tensor),
                "inertia's least invariant",
                least=-ROUNDING,
                remedy="moments and products of inertia that leave no principal moment negative",
            )
        return tensor

    def point(self, name: str, offset: Sequence[Number] | ca.SX) -> Point:
        """Add a point that is fixed to the body, and return it.

        It starts where the body's start configuration puts it. A ``RigidLink`` attaches it; the
        link's name is ``"BODY.NAME"``, with the names of body and point.

        Parameters
        ----------
        name : str
            Name of the point.
        offset : sequence of two or three
            Its position relative to the body's point (not to the centre of mass) on body-fixed
            axes, m: numbers, or expressions of parameters.

        Raises
        ------
        ModelError
            If the body has no point or no orientation, is not in a model yet, or the offset has
            the wrong length or is not finite.
        """
        if self.reference is None or self.orientation is None:
            missing = "point" if self.reference is None else "orientation"
            raise ModelError(
                f"body {self.name}: point {name} cannot be fixed to it, since it has no {missing}; "
                f"give the body {'an' if missing == 'orientation' else 'a'} {missing}"
            )
        if self.model is None:
            raise ModelError(
                f"body {self.name}: point {name} cannot be fixed to it before it is in a model; "
                "call Model.add first"
            )
        arm = checked_offset(f"point {name} of body {self.name}", offset, self.orientation)
        start = self.reference.start + start_matrix(self.orientation) @ arm
        point = self.model.point(name, ca.vertsplit(start))
        link = RigidLink(f"{self.name}.{name}", self.reference, self.orientation, point, offset=arm)
        self.model.add(link)
        return point

    def _centre(self) -> tuple[ca.SX, ca.SX]:
        """Position and velocity of the centre of mass."""
        assert self.reference is not None
        if self.offset is None or self.orientation is None:
            return self.reference.position, self.reference.velocity
        if isinstance(self.orientation, Rotation):
            arm = self.orientation.turned(self.offset)
            swing = ca.cross(self.orientation.angular_velocity, arm)
        else:
            arm = self.orientation.matrix @ self.offset
            swing = self.orientation.rate * ca.vertcat(-arm[1], arm[0])
        return self.reference.position + arm, self.reference.velocity + swing

    def shapes(self) -> list[Shape]:
        """Return the centre of mass and, for a body without other shapes, a solid of its inertia.

        The solid is an ellipsoid in space, a disc without spokes in the plane. A body without mass
        has no shape.
        """
        if self.reference is None or ca.SX(self.mass).is_zero():
            return []
        centre = self._centre()[0]
        away = self.offset is not None and not self.offset.is_zero()
        if self.reference.drawn is not None and not away:
            centre = self.reference.drawn
        found = [dot(centre, colour=COLOURS["centre"], mark="centre")]
        if away:
            found.append(line([self.reference, centre]))
        if self.inertia.is_zero() or self.orientation is None:
            return found
        if isinstance(self.orientation, Angle):
            radius = ca.sqrt(2 * self.inertia / self.mass)
            uniform = cylinder(centre, self.orientation, radius, colour=COLOURS["body"])
        else:
            moments = ca.diag(self.inertia)
            squares = 5 / 2 * (ca.sum1(moments) - 2 * moments) / self.mass
            semi_axes = ca.sqrt(ca.fmax(squares, 0))
            uniform = ball(centre, self.orientation, ca.vertsplit(semi_axes))
        return [*found, replace(uniform, unless=self.orientation.name)]

    def ends(self) -> list[tuple[Point, Angle | Rotation | None]]:
        """Return the point with the orientation, where there are both."""
        if self.reference is None or self.orientation is None:
            return []
        return [(self.reference, self.orientation)]

    def inertias(self) -> list[Inertia | Spin]:
        """Return inertia of translation and of rotation."""
        found: list[Inertia | Spin] = []
        if self.reference is not None and not ca.SX(self.mass).is_zero():
            velocity = self._centre()[1]
            found.append(Inertia(velocity, self.mass * ca.SX.eye(velocity.numel())))
        if isinstance(self.orientation, Rotation):
            if not self.inertia.is_zero():
                found.append(Spin(self.orientation, self.inertia))
        elif isinstance(self.orientation, Angle):
            found.append(Inertia(self.orientation.rate, self.inertia))
        return found

    def first_moment(self) -> ca.SX | None:
        """Return the mass times the position of the centre of mass."""
        return None if self.reference is None else self.mass * self._centre()[0]


def _least_invariant(tensor: ca.SX) -> ca.SX:
    """Return an invariant that is negative if a symmetric matrix (3, 3) has a negative eigenvalue.

    The coefficients of its characteristic polynomial (trace, sum of the principal minors,
    determinant) are the eigenvalues' elementary symmetric sums: all are at least 0 if and only if
    all eigenvalues are. The matrix is divided by the sum of its entries' magnitudes first.
    """
    size = ca.sum1(ca.vec(ca.fabs(tensor)))
    scaled = tensor / (size + sys.float_info.min)
    trace = ca.trace(scaled)
    minors = (trace**2 - ca.trace(scaled @ scaled)) / 2
    return ca.fmin(ca.fmin(trace, minors), ca.det(scaled))


def refuse_impossible_inertia(owner: str, tensor: np.ndarray) -> None:
    """Refuse a matrix (3, 3) that no rigid body can have, and warn of one that no mass can have.

    Raises
    ------
    ModelError
        If it is not finite, not symmetric, or a principal moment is negative.
    """
    given = f"{owner}: inertia = {tensor.tolist()} kg.m2"
    if not np.isfinite(tensor).all():
        raise ModelError(f"{given} must be finite; give three moments or a symmetric matrix")
    size = float(np.abs(tensor).max())
    if np.abs(tensor - tensor.T).max() > ROUNDING * size:
        raise ModelError(
            f"{given} is not symmetric; give the same value on both sides of the diagonal "
            "(products of inertia with their minus sign)"
        )
    small, middle, large = np.linalg.eigvalsh((tensor + tensor.T) / 2)
    if small < -ROUNDING * size:
        raise ModelError(
            f"{given} has the principal moment {small:.9g}, which must not be negative; check the "
            "signs and the sizes of the products of inertia"
        )
    if large > small + middle + ROUNDING * size:
        warn_user(
            f"{given}: the principal moment {large:.9g} is larger than the other two together, "
            f"{small + middle:.9g}, which no distribution of mass has; check the numbers"
        )
