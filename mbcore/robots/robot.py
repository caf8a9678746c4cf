"""A model that was read from a robot's file: its links and joints by the names of the file."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import casadi as ca
import numpy as np

from mbcore.elements.bodies.rigid_link import RigidLink, start_matrix
from mbcore.elements.tyres.tyre import Tyre
from mbcore.model.errors import ModelError
from mbcore.model.model import Model
from mbcore.model.near_names import Suggesting, unknown
from mbcore.model.nodes.nodes import Point, Rotation
from mbcore.model.quantities import Deformation, Slip
from mbcore.model.shapes.shape import Shape
from mbcore.model.variables import Number
from mbcore.robots.description import Frame
from mbcore.robots.meshes import folders_of
from mbcore.robots.odometry import Odometry

Draw: TypeAlias = Callable[[Sequence[Path]], tuple[list[Shape], list[str]]]
"""Shapes of a robot's links with meshes of given folders, and what is not drawn."""


@dataclass(frozen=True)
class RobotLink(Suggesting):
    """A link's frame on the rigid body that it belongs to.

    Attributes
    ----------
    name : str
        Name of the link in the file.
    base : Point
        Reference point of the body.
    orientation : Rotation
        Orientation of the body. At the start of a file without turns it has the link's axes;
        ``turn`` are these relative to it.
    frame : Frame
        Of the link relative to ``base`` on the axes of ``orientation``.
    """

    name: str
    base: Point
    orientation: Rotation
    frame: Frame

    @property
    def axes(self) -> ca.SX:
        """Axes of the link in space as columns, shape (3, 3)."""
        return self.orientation.matrix @ ca.DM(self.frame.turn)

    @property
    def position(self) -> ca.SX:
        """Origin of the link, shape (3, 1), m."""
        return self.base.position + self._arm

    @property
    def velocity(self) -> ca.SX:
        """Velocity of the origin, shape (3, 1), m/s."""
        return self.base.velocity + ca.cross(self.angular_velocity, self._arm)

    @property
    def angular_velocity(self) -> ca.SX:
        """Angular velocity on space-fixed axes, shape (3, 1), rad/s."""
        return self.orientation.angular_velocity

    @property
    def _arm(self) -> ca.SX:
        return self.orientation.turned(ca.DM(self.frame.place))

    def place(self, offset: Sequence[float]) -> np.ndarray:
        """Return a place of the link on the axes of ``orientation``, from ``base``, m.

        Its ``offset``, m, is from the link's origin on the link's axes.
        """
        return self.frame.place + self.frame.turn @ np.asarray(offset, float)


@dataclass(frozen=True)
class RobotJoint(Suggesting):
    """A joint of the file and its deformations: its angle, displacement, or several of them.

    ``name`` and ``kind`` are those of the file. A joint that is held, or fixed, has no
    ``coordinates``. ``start`` is where it starts, rad or m.
    """

    name: str
    kind: str
    coordinates: tuple[Deformation, ...] = ()
    start: float = 0.0

    @property
    def coordinate(self) -> Deformation:
        """Angle, rad, or displacement, m, of a joint that has one.

        Raises
        ------
        ModelError
            If it has none, or several.
        """
        if len(self.coordinates) != 1:
            raise ModelError(
                f"joint {self.name} is {self.kind} and has {len(self.coordinates)} coordinates; "
                "use coordinates"
            )
        return self.coordinates[0]


@dataclass(frozen=True)
class RollingWheel(Suggesting):
    """A wheel that rolls under a base that moves in the plane.

    Attributes
    ----------
    link : str
        Name of its link.
    radius : float
        m.
    along, sideways : Slip
        Velocities of its lowest material point along its heading and to the left of that, m/s;
        zero, or free. A free one may be given a law, or be regularized. Of a mecanum wheel
        ``along`` is that along the roller's axis, and there is no other.
    roller : float or None
        Angle of that axis against the heading, rad; None of other wheels.
    contact : SX
        Its lowest point relative to the base's origin, on axes of space, shape (3, 1), m.
    load : SX or None
        Force of the ground upwards, N, by constraint forces; None where it is not determined.
    tyre : Tyre or None
        The tyre, whose slips ``along`` and ``sideways`` are those of its `Wheel`, m2/s.
    """

    link: str
    radius: float
    along: Slip
    sideways: Slip | None = None
    roller: float | None = None
    contact: ca.SX = field(default_factory=lambda: ca.SX.zeros(3), repr=False)
    load: ca.SX | None = field(default=None, repr=False)
    tyre: Tyre | None = field(default=None, repr=False)

    @property
    def longitudinal_force(self) -> ca.SX:
        """Force of the ground on the wheel along its heading, N."""
        if self.tyre is not None:
            return self.tyre.wheel.longitudinal_force
        return -self.along.force * (1.0 if self.roller is None else math.cos(self.roller))

    @property
    def lateral_force(self) -> ca.SX:
        """Force of the ground on the wheel to the left of its heading, N."""
        if self.tyre is not None:
            return self.tyre.wheel.lateral_force
        if self.sideways is not None:
            return -self.sideways.force
        return -self.along.force * math.sin(self.roller or 0.0)


class Robot(Model):
    """A model of a robot's file; parts may be added to it as to any model.

    Attributes
    ----------
    links : dict of str to RobotLink
        Frames of all links, also of those that are fixed to others.
    joints : dict of str to RobotJoint
        All joints of the file.
    wheels : dict of str to RollingWheel
        Rolling wheels by the names of their links.
    notes : tuple of str
        Merged and held links and joints and guessed values, with the lines of the file.
    unsupported : tuple of str
        Unused parts of the file, with the lines.
    odometry : callable or None
        How the base's twist follows from wheels that do not steer, see `add_odometry`.
    """

    often_stiff = True

    def __init__(self, name: str, gravity: Sequence[Number] | None = None) -> None:
        super().__init__(name, gravity)
        self.links: dict[str, RobotLink] = {}
        self.joints: dict[str, RobotJoint] = {}
        self.wheels: dict[str, RollingWheel] = {}
        self.notes: tuple[str, ...] = ()
        self.unsupported: tuple[str, ...] = ()
        self.odometry: Callable[[], Odometry] | None = None
        self._draw: Draw | None = None
        self._drawn: list[Shape] = []
        self._unread: tuple[str, ...] = ()

    def show_links(self, draw: Draw) -> None:
        """Show the links as a function of folders draws them, so far without any folder.

        Parameters
        ----------
        draw : callable
            Returns shapes of all links, and remarks on what is not drawn, by the folders that
            meshes may be read from.
        """
        self._draw = draw
        self._show(())

    def show_meshes(self, folders: Sequence[str | PathLike[str]]) -> None:
        """Show the meshes of the file that are in given folders, as their convex hulls.

        STL, OBJ and COLLADA files of at most 50 MB are read. A mesh ``package://NAME/...`` is
        looked for in a folder NAME, one of these or in one of these. ``unsupported`` tells what is
        not drawn.

        Parameters
        ----------
        folders : sequence of str or path
            No file outside of them is opened.

        Raises
        ------
        ModelError
            If one is no folder.
        """
        self._show(folders_of(folders))

    def _show(self, folders: Sequence[Path]) -> None:
        if self._draw is None:
            raise ModelError(f"model {self.name}: no file gave shapes of its links")
        shapes, unread = self._draw(folders)
        old = {id(shape) for shape in self._drawn}
        self.shown[:] = [shape for shape in self.shown if id(shape) not in old]
        kept = len(self.shown)
        for shape in shapes:
            self.show(shape)
        self._drawn = self.shown[kept:]
        told = [remark for remark in self.unsupported if remark not in self._unread]
        self.unsupported, self._unread = (*told, *unread), tuple(unread)

    def add_odometry(self) -> None:
        """Add the pose that a controller computes from wheels' angles with sizes that it assumes.

        Outputs are ``odometry.x``, ``odometry.y``, m, and ``odometry.yaw``, rad, zero at the start.
        Parameters ``LINK.odometry_radius`` are the assumed radii, m, those of the wheels by
        default, and ``odometry.track_factor`` is the assumed track in parts of the file's, so that
        with their defaults the pose is that of the base.

        Raises
        ------
        ModelError
            If there are no wheels, or those that do not steer do not determine the pose.
        """
        if self.odometry is None:
            raise ModelError(f"model {self.name}: no wheel rolls, so there is no odometry")
        found = self.odometry()
        track = self.parameter(
            "odometry.track_factor",
            1.0,
            positive=True,
            description="track that odometry assumes, in parts of the true one",
        )
        rolled, rates = ca.SX(len(found.wheels), 1), ca.SX(len(found.wheels), 1)
        for k, (link, joint, size) in enumerate(found.wheels):
            radius = self.parameter(
                f"{link}.odometry_radius",
                size,
                unit="m",
                positive=True,
                description=f"radius of wheel {link} that odometry assumes",
            )
            coordinate = self.joints[joint].coordinate
            start = self.joints[joint].start
            rolled[k] = radius * (coordinate.value - start)
            rates[k] = radius * coordinate.rate
        yaw = ca.DM(found.shares[2:]) @ rolled / track
        ahead, left = ca.vertsplit(ca.DM(found.shares[:2]) @ rates)
        for axis, speed in (
            ("x", ca.cos(yaw) * ahead - ca.sin(yaw) * left),
            ("y", ca.sin(yaw) * ahead + ca.cos(yaw) * left),
        ):
            self.state(
                f"odometry.{axis}",
                unit="m",
                visibility="output",
                description="place by the wheels' angles",
            )
            self.derivative(f"odometry.{axis}", speed)
        self.output("odometry.yaw", yaw, unit="rad", description="heading by the wheels' angles")

    def link_point(self, name: str, link: str, offset: Sequence[float] = (0, 0, 0)) -> Point:
        """Add a point that is fixed to a link, and return it.

        Parameters
        ----------
        name : str
            Of the point.
        link : str
            Name of the link.
        offset : sequence of three
            Its place on the link's axes, m.

        Raises
        ------
        ModelError
            If there is no such link.
        """
        if link not in self.links:
            raise ModelError(f"model {self.name}: {unknown('link', link, self.links)}")
        at = self.links[link]
        place = at.place(offset)
        start = at.base.start + start_matrix(at.orientation) @ ca.DM(place)
        point = self.point(name, ca.vertsplit(start))
        self.add(RigidLink(name, at.base, at.orientation, point, offset=place.tolist()))
        return point
