"""Lumped inertia: masses at points, inertia at orientations, and both together as a rigid body."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes import Angle, Point, Rotation
from mbcore.model.variables import Number


class Body(Element):
    """Mass and inertia that move with a point and an orientation.

    Parameters
    ----------
    point : Point or None
        Where the mass is; None for inertia alone.
    orientation : Angle, Rotation or None
        What the inertia turns with; None for a particle.
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
        If the kinds of point and orientation, or the shape of inertia, do not fit.
    """

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
        self.point, self.orientation, self.mass = point, orientation, mass
        self.offset = None if offset is None else ca.vertcat(*offset)
        self.inertia = self._tensor(inertia)
        given = ca.vertcat(ca.SX(mass), ca.diag(self.inertia))
        if given.is_constant() and not float(ca.mmin(ca.DM(given))) >= 0:
            raise ModelError(f"body {name}: mass and moments of inertia must not be negative")
        if point is None and orientation is None:
            raise ModelError(f"body {name}: give a point, an orientation, or both")
        planar = {point.planar if point else None, isinstance(orientation, Angle)}
        if point is not None and orientation is not None and len(planar) > 1:
            raise ModelError(f"body {name}: point and orientation are not of the same space")
        if orientation is None and not self.inertia.is_zero():
            raise ModelError(f"body {name}: inertia needs an orientation to turn with")
        if point is None and not ca.SX(mass).is_zero():
            raise ModelError(f"body {name}: mass needs a point to move with")
        if offset is not None and (point is None or orientation is None):
            raise ModelError(f"body {name}: an offset needs a point and an orientation")

    def _tensor(self, inertia: Number | Sequence[Number] | ca.SX) -> ca.SX:
        tensor = ca.SX(inertia) if not isinstance(inertia, list | tuple) else ca.vertcat(*inertia)
        if not isinstance(self.orientation, Rotation):
            if not tensor.is_scalar():
                raise ModelError(f"body {self.name}: inertia in the plane is one number")
            return tensor
        if tensor.shape == (3, 1):
            return ca.diag(tensor)
        if tensor.shape == (3, 3):
            return tensor
        if tensor.is_scalar() and tensor.is_zero():
            return ca.SX(3, 3)
        raise ModelError(
            f"body {self.name}: inertia in space is three principal moments or a 3 x 3 matrix, "
            f"got shape {tensor.shape}"
        )

    def _centre(self) -> tuple[ca.SX, ca.SX]:
        """Position and velocity of the centre of mass."""
        assert self.point is not None
        if self.offset is None or self.orientation is None:
            return self.point.position, self.point.velocity
        arm = self.orientation.matrix @ self.offset
        if isinstance(self.orientation, Rotation):
            swing = ca.cross(self.orientation.angular_velocity, arm)
        else:
            swing = self.orientation.rate * ca.vertcat(-arm[1], arm[0])
        return self.point.position + arm, self.point.velocity + swing

    def kinetic_energy(self) -> ca.SX:
        """Return translational and rotational energy."""
        energy = ca.SX(0)
        if self.point is not None:
            velocity = self._centre()[1]
            energy += self.mass * ca.dot(velocity, velocity) / 2
        if isinstance(self.orientation, Rotation):
            omega = self.orientation.body_angular_velocity
            energy += omega.T @ self.inertia @ omega / 2
        elif isinstance(self.orientation, Angle):
            energy += self.inertia * self.orientation.rate**2 / 2
        return energy

    def first_moment(self) -> ca.SX | None:
        """Return the mass times the position of the centre of mass."""
        return None if self.point is None else self.mass * self._centre()[0]
