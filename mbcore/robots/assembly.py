"""A tree of bodies as elements of a model: hinges, slides, links of points, bodies.

It is a module apart from `mbcore.robots.from_urdf`, since it knows no file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import casadi as ca
import numpy as np
from scipy.spatial.transform import Rotation as Turn

from mbcore.elements.bodies.body import Body
from mbcore.elements.bodies.rigid_link import RigidLink
from mbcore.elements.joints.coupling import Coupling
from mbcore.elements.joints.hinge import Hinge
from mbcore.elements.joints.slide import Slide
from mbcore.model.nodes.nodes import Point, Rotation
from mbcore.model.quantities import Deformation
from mbcore.model.quantities.states import StateName
from mbcore.robots.description import Frame, Joint
from mbcore.robots.joint_laws import JointLaws, add_input, add_laws, add_servo
from mbcore.robots.robot import Robot, RobotJoint, RobotLink
from mbcore.robots.support import Support
from mbcore.robots.tree import RigidBody, Tree, about, joint_frame, without_negative_moments


@dataclass(frozen=True)
class Options:
    """How a tree becomes a model; see `from_urdf`."""

    base: Literal["fixed", "free"] | Support
    start: Mapping[str, float]
    driven: frozenset[str]
    laws: JointLaws


@dataclass(frozen=True)
class _Part:
    """A body in the model: its point and orientation; its first link's axes on these.

    ``turn`` is the orientation at the start. A joint that does not turn shares the orientation of
    the body before it, which is why the link's axes may differ from it.
    """

    point: Point
    orientation: Rotation
    axes: np.ndarray
    place: np.ndarray
    turn: np.ndarray


class Assembly:
    """Adds a tree's bodies and joints to a robot.

    Hinges come before the links of points, so that orientations and points are placed in turn
    along the tree.
    """

    def __init__(self, robot: Robot, tree: Tree, options: Options) -> None:
        self._robot, self._tree, self._options = robot, tree, options
        self._parts: dict[str, _Part] = {}
        self._coordinates: dict[str, Deformation] = {}

    def make(self) -> None:
        """Add all: orientations, points, masses, and then the laws in the joints."""
        tree, robot = self._tree, self._robot
        self._parts[tree.root.name] = self._root(tree.root)
        for body in tree.bodies[1:]:
            self._orient(body)
        for body in tree.bodies[1:]:
            self._place(body)
        for body in tree.bodies:
            self._give_mass(body)
        joints = tree.description.joints
        robot.joints |= {name: RobotJoint(name, joint.kind) for name, joint in joints.items()}
        for body in tree.bodies[1:]:
            assert body.joint is not None
            self._give_roles(body.joint)
        for joint in joints.values():
            if joint.mimic is not None and joint.name in self._coordinates:
                self._follow(joint)
        for name, coordinate in self._coordinates.items():
            add_laws(robot, joints[name], coordinate, self._options.laws)
            if name in self._options.driven:
                add_input(robot, joints[name], coordinate)

    def _root(self, body: RigidBody) -> _Part:
        robot, still, base = self._robot, np.zeros(3), self._options.base
        if isinstance(base, Support):
            return self._planar(body.name, base)
        if base == "fixed":
            point = robot.point(body.name, (0.0, 0.0, 0.0), fixed=True)
            return _Part(point, robot.ground, np.eye(3), still, np.eye(3))
        return self._free(body.name, body.name, Frame())

    def _planar(self, link: str, support: Support) -> _Part:
        """Add a point and an orientation that move in the plane, at the support's height."""
        robot = self._robot
        place = np.array([0.0, 0.0, support.height])
        point = robot.point(link, place.tolist())
        point.z.fix(support.height)
        orientation = robot.rotation(f"{link}.orientation")
        yaw = robot.add(Hinge("base.yaw", robot.ground, orientation, axis=(0, 0, 1)))
        for name, own, rate, where in (
            ("base.x", point.x, "base.velocity_x", "place of the base"),
            ("base.y", point.y, "base.velocity_y", "place of the base"),
            ("base.yaw", yaw.deformations["angle"], "base.yaw_rate", "heading, to the left"),
        ):
            if name in support.following:
                own.kinematic(name, description=where)
            else:
                own.dof(StateName(name, description=where), rate)
        return _Part(point, orientation, np.eye(3), place, np.eye(3))

    def _free(self, link: str, name: str, start: Frame) -> _Part:
        """Add a point and an orientation that are free in space, with states of a name."""
        robot = self._robot
        point = robot.point(link, start.place.tolist())
        orientation = robot.rotation(f"{link}.orientation", quaternion(start.turn))
        for coordinate, label in zip((point.x, point.y, point.z), "xyz", strict=True):
            coordinate.dof(f"{name}.{label}", f"{name}.velocity_{label}")
        orientation.free(name)
        return _Part(point, orientation, np.eye(3), start.place, start.turn)

    def _reach(self, body: RigidBody) -> tuple[Joint, _Part, Frame]:
        """Return a body's joint, the part before it, and the joint's frame on that part's axes."""
        assert body.joint is not None
        assert body.parent is not None
        before = self._parts[body.parent.name]
        link = body.parent.frames[body.joint.parent]
        return body.joint, before, Frame(np.zeros(3), before.axes) @ link @ body.joint.frame

    def _orient(self, body: RigidBody) -> None:
        """Add the orientation, and the point without what holds it."""
        joint, before, frame = self._reach(body)
        start = joint_frame(joint, self._options.start.get(joint.name, 0.0))
        moved = frame @ Frame(
            joint.frame.turn.T @ (start.place - joint.frame.place), joint.frame.turn.T @ start.turn
        )
        place = before.place + before.turn @ moved.place
        if joint.kind == "floating":
            self._parts[body.name] = self._free(
                body.name, joint.name, Frame(place, before.turn @ moved.turn)
            )
            return
        point = self._robot.point(body.name, place.tolist())
        if joint.kind == "prismatic":
            part = _Part(point, before.orientation, frame.turn, place, before.turn)
            self._parts[body.name] = part
            return
        # On the axes of the body before it, where the coordinate is zero: the fewest products.
        angle = self._options.start.get(joint.name, 0.0)
        turn = before.turn @ about(frame.turn @ joint.axis, angle)
        orientation = self._robot.rotation(f"{body.name}.orientation", quaternion(turn))
        axis = _rounded(frame.turn @ joint.axis)
        self._robot.add(Hinge(joint.name, before.orientation, orientation, axis=axis.tolist()))
        self._parts[body.name] = _Part(point, orientation, frame.turn, place, turn)

    def _place(self, body: RigidBody) -> None:
        """Add what holds the point."""
        joint, before, frame = self._reach(body)
        part, offset = self._parts[body.name], _rounded(frame.place).tolist()
        ends = (before.point, before.orientation, part.point)
        axis = _rounded(frame.turn @ joint.axis).tolist()
        if joint.kind == "prismatic":
            self._robot.add(Slide(joint.name, *ends, axis=axis, offset=offset))
        elif joint.kind == "planar":
            slide = self._robot.add(Slide(f"{joint.name}.plane", *ends, axis=axis, offset=offset))
            slide.deformations["displacement"].rigid()
            for side in ("sideways_y", "sideways_z"):
                slide.deformations[side].release()
        elif joint.kind != "floating":
            self._robot.add(RigidLink(f"{joint.name}.place", *ends, offset=offset))

    def _give_mass(self, body: RigidBody) -> None:
        part = self._parts[body.name]
        own = body.own.seen_from(Frame(np.zeros(3), part.axes))
        for name, frame in body.frames.items():
            at = Frame(np.zeros(3), part.axes) @ frame
            self._robot.links[name] = RobotLink(name, part.point, part.orientation, at)
        if own.is_none or (body.parent is None and self._options.base == "fixed"):
            return  # the ground, or nothing
        description = self._tree.description
        line = description.where(description.links[body.name].line)
        own = without_negative_moments(f"{line}: link {body.name} with what is fixed to it", own)
        taken = body.name in description.joints
        self._robot.add(
            Body(
                f"{body.name}.body" if taken else body.name,
                part.point,
                part.orientation,
                mass=own.mass,
                inertia=ca.DM(_rounded(own.inertia)),
                offset=_rounded(own.centre).tolist(),
            )
        )

    def _give_roles(self, joint: Joint) -> None:
        robot, name, start = self._robot, joint.name, self._options.start.get(joint.name, 0.0)
        found: tuple[Deformation, ...] = ()
        if joint.kind == "planar":
            slide = robot.elements[f"{name}.plane"]
            found = (
                slide.deformations["sideways_y"].dof(f"{name}.first", f"{name}.first_rate"),
                slide.deformations["sideways_z"].dof(f"{name}.second", f"{name}.second_rate"),
                robot.elements[name].deformations["angle"].dof(f"{name}.angle", f"{name}.rate"),
            )
        elif joint.kind != "floating":
            word = "displacement" if joint.kind == "prismatic" else "angle"
            coordinate = robot.elements[name].deformations[word]
            if joint.mimic is None:
                kind = "displacement along the axis" if word == "displacement" else "angle"
                own = StateName(f"{name}.{word}", description=f"{kind} of joint {name}")
                base = self._options.base
                if isinstance(base, Support) and name in base.following:
                    coordinate.kinematic(own.name, start, description=own.description)
                elif name in self._options.laws.speeds:
                    add_servo(robot, joint, coordinate, start)
                else:
                    coordinate.dof(own, f"{name}.rate", start)
            else:
                coordinate.release()
            self._coordinates[name] = coordinate
            found = (coordinate,)
        robot.joints[name] = RobotJoint(name, joint.kind, found, start)

    def _follow(self, joint: Joint) -> None:
        """Let a coordinate follow the free one at the beginning of its chain."""
        joints, factor, offset = self._tree.description.joints, 1.0, 0.0
        leader = joint
        while leader.mimic is not None:
            offset += factor * leader.mimic.offset
            factor *= leader.mimic.factor
            leader = joints[leader.mimic.joint]
        own = self._coordinates[joint.name]
        unit = "m" if joint.kind == "prismatic" else "rad"
        if leader.name in self._coordinates:
            relation = own.value - factor * self._coordinates[leader.name].value - offset
            self._robot.add(Coupling(f"{joint.name}.mimic", relation, unit=unit))
        else:  # what it follows is held
            own.rigid(self._options.start[joint.name])


def quaternion(turn: np.ndarray) -> list[float]:
    """Return Euler parameters of axes (3, 3), the scalar first."""
    return np.roll(Turn.from_matrix(turn).as_quat(), 1).tolist()


def _rounded(values: np.ndarray) -> np.ndarray:
    """Return numbers without what rounding has left of zeros: fewer products in the equations."""
    size = np.abs(values).max(initial=0.0)
    return np.where(np.abs(values) < 1e-16 * size, 0.0, values)
