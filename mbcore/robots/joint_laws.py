"""Forces and laws in the joints of a robot: drives, servos, springs, friction and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import casadi as ca
import numpy as np

from mbcore.elements.friction.friction import Friction
from mbcore.elements.joints.hinge import Hinge
from mbcore.elements.joints.slide import Slide
from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.near_names import unknown
from mbcore.model.quantities import Deformation
from mbcore.model.statements import QuasiInertia
from mbcore.model.variables import Value
from mbcore.robots.description import Description, Joint
from mbcore.robots.robot import Robot

SLOW = 1e-3
"""Rate, rad/s or m/s, below which smooth dry friction is far from its full size."""
ANY_RADIUS = 1.0
"""Of a pin whose friction is given as a moment, m: it has no influence."""


@explains_construction
@dataclass(frozen=True)
class Stop:
    """A stop at a joint's limit: an elastic one with hysteresis, as of Hunt and Crossley.

        F = k δ (1 + d δ̇)

    with the excess δ of the coordinate over the limit.

    Attributes
    ----------
    stiffness : float
        k, N.m/rad or N/m.
    damping : float
        d, s/rad or s/m. Where 1 + d δ̇ is negative, the stop does not pull.

    Raises
    ------
    ModelError
        If a number is out of its range.
    """

    stiffness: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        checks.real("stop", "stiffness", self.stiffness, above=0.0)
        checks.real("stop", "damping", self.damping, least=0.0)

    def force(self, excess: ca.SX, rate: ca.SX) -> ca.SX:
        """Return F, never negative, at an ``excess``, rad or m, and its ``rate``, rad/s or m/s."""
        return self.stiffness * ca.fmax(excess, 0) * ca.fmax(1 + self.damping * rate, 0)


@explains_construction
@dataclass(frozen=True)
class JointLaws:
    """Inputs of a robot's joints, and the effect of its file's limits and friction.

    Attributes
    ----------
    torques : bool or sequence of str
        Whether joints have inputs ``JOINT.torque`` (N.m) or ``JOINT.force`` (N), 0 by default; or
        the names of those that have.
    speeds : sequence of str
        Names of joints that servos move as inputs ``JOINT.speed`` say, rad/s or m/s, exactly; their
        ``JOINT.acceleration`` is the rate of that, which the forces need. ``JOINT.drive_torque``
        (N.m) or ``JOINT.drive_force`` (N) are outputs.
    limits : {"events", "none"} or Stop
        Effect of the file's limits: events ``JOINT.beyond_lower`` and ``JOINT.beyond_upper``
        report that a coordinate passes one and change nothing, or stops push it back, too.
    friction : {"smooth", "stick", "none"}
        Model of the file's dry friction: smoothed below 1e-3 rad/s or m/s; with exact sticking, by
        events; or not at all.

    Raises
    ------
    ModelError
        If a choice is unknown.
    """

    torques: bool | Sequence[str] = True
    speeds: Sequence[str] = ()
    limits: Literal["events", "none"] | Stop = "events"
    friction: Literal["smooth", "stick", "none"] = "smooth"

    def __post_init__(self) -> None:
        checks.choice("JointLaws", "friction", self.friction, ("smooth", "stick", "none"))
        if not isinstance(self.limits, Stop):
            checks.choice("JointLaws", "limits", self.limits, ("events", "none"))


class Armature(Element):
    """The inertia of a motor behind gears, which turns much faster than its joint.

        T = ½ a ε̇²

    Parameters
    ----------
    joint : Element
        Whose coordinate ε it is.
    rate : SX
        ε̇ in velocities of the joint's nodes, rad/s or m/s.
    inertia : float
        a, that of the rotor times the square of the gears' ratio, kg.m2 or kg.
    """

    kind = "armature"

    def __init__(self, name: str, joint: Element, rate: ca.SX, inertia: float) -> None:
        super().__init__(name)
        self._moved, self._rate = joint.nodes(), rate
        self.inertia = self.number("inertia", inertia, least=0)

    def inertias(self) -> list[QuasiInertia]:
        """Return the inertia of the coordinate's rate."""
        return [QuasiInertia(self._rate, ca.SX(self.inertia))]


def add_input(robot: Robot, joint: Joint, coordinate: Deformation) -> None:
    """Add the input that drives a joint."""
    word, unit = ("force", "N") if joint.kind == "prismatic" else ("torque", "N.m")
    given = robot.input(
        f"{joint.name}.{word}", unit=unit, description=f"drives joint {joint.name}, along its axis"
    )
    robot.load(given, coordinate.rate)


def add_laws(robot: Robot, joint: Joint, coordinate: Deformation, laws: JointLaws) -> None:
    """Add damping, spring, armature, friction and limits of a joint."""
    if joint.damping:
        robot.load(-joint.damping * coordinate.rate, coordinate.rate)
    if joint.stiffness:
        robot.load(-joint.stiffness * (coordinate.value - joint.rest), coordinate.rate)
    if joint.armature:
        name = f"{joint.name}.armature"
        rate = robot.linear_velocity(coordinate.rate, name)
        robot.add(Armature(name, robot.elements[joint.name], rate, joint.armature))
    if joint.friction and laws.friction != "none":
        _rub(robot, joint, coordinate, laws.friction == "stick")
    if laws.limits != "none":
        _limit(robot, joint, coordinate, laws.limits)


def _rub(robot: Robot, joint: Joint, coordinate: Deformation, sticks: bool) -> None:
    rate = coordinate.rate
    if not sticks:
        robot.load(-joint.friction * rate / ca.sqrt(rate**2 + SLOW**2), rate)
        return
    rubbed, name, force = robot.elements[joint.name], f"{joint.name}.friction", joint.friction
    if isinstance(rubbed, Slide):
        robot.add(Friction(name, rubbed, coefficient=0.0, preload=force))
    elif isinstance(rubbed, Hinge):
        robot.add(Friction(name, rubbed, coefficient=0.0, preload=force, radius=ANY_RADIUS))


def _limit(
    robot: Robot, joint: Joint, coordinate: Deformation, limits: Literal["events"] | Stop
) -> None:
    value, rate = coordinate.value, coordinate.rate
    for side, limit, along in (("lower", joint.lower, -1), ("upper", joint.upper, 1)):
        if not np.isfinite(limit):
            continue
        excess = along * (value - limit)
        robot.event(f"{joint.name}.beyond_{side}", excess)
        if isinstance(limits, Stop):
            robot.load(-along * limits.force(excess, along * rate), rate)


def start_values(
    owner: str, description: Description, given: Mapping[str, Value]
) -> dict[str, float]:
    """Return the values of all coordinates at the start, those that mimic others by these.

    Raises
    ------
    ModelError
        In words that begin with the ``owner``: a joint is unknown or has no single coordinate.
    """
    found: dict[str, float] = {}
    if not isinstance(given, Mapping):
        raise ModelError(
            f'{owner}: start = {given!r}; give values by joints, as in {{"elbow": "90 deg"}}'
        )
    for name, value in given.items():
        if name not in description.joints:
            raise ModelError(f"{owner}: start: {unknown('joint', name, description.joints)}")
        joint = description.joints[name]
        if joint.kind not in ("revolute", "continuous", "prismatic") or joint.mimic is not None:
            why = f"mimics {joint.mimic.joint}" if joint.mimic is not None else f"is {joint.kind}"
            raise ModelError(
                f"{owner}: start: joint {name} {why}; give values of revolute, continuous and "
                "prismatic joints that mimic no other"
            )
        unit = "m" if joint.kind == "prismatic" else "rad"
        found[name] = float(checks.number(f"{owner}: start", name, value, unit=unit))

    def value_of(name: str) -> float:
        mimic = description.joints[name].mimic
        if mimic is None:
            return found.get(name, description.joints[name].reference)
        return mimic.factor * value_of(mimic.joint) + mimic.offset

    return {name: value_of(name) for name in description.joints}


def driven_joints(description: Description, laws: JointLaws) -> frozenset[str]:
    """Return the joints that torques or forces drive.

    Raises
    ------
    ModelError
        A named joint has no single coordinate of its own, or is to have a servo and a torque.
    """
    torques, speeds = laws.torques, laws.speeds
    able = [
        name
        for name, joint in description.joints.items()
        if joint.kind in ("revolute", "continuous", "prismatic") and joint.mimic is None
    ]
    for word, names in (("torques", torques), ("speeds", speeds)):
        for name in () if isinstance(names, bool) else names:
            if name not in able:
                known = unknown("joint with one freedom", name, able)
                raise ModelError(f"JointLaws: {word}: {known}")
    if isinstance(torques, bool):
        return frozenset(able if torques else ()) - frozenset(speeds)
    both = [name for name in torques if name in speeds]
    if both:
        raise ModelError(
            f"JointLaws: joint {both[0]} is in torques and in speeds; a servo takes no torque, so "
            "leave it out of one"
        )
    return frozenset(torques)


def add_servo(robot: Robot, joint: Joint, coordinate: Deformation, start: float) -> None:
    """Prescribe a joint's coordinate by the input ``JOINT.speed``.

    Its integral is the state ``JOINT.angle`` or ``JOINT.displacement``. ``JOINT.acceleration``, the
    rate of the speed, enters the forces; ``JOINT.drive_torque`` or ``JOINT.drive_force`` is what
    the servo needs, N.m or N.
    """
    slides = joint.kind == "prismatic"
    word, unit, force = ("displacement", "m", "N") if slides else ("angle", "rad", "N.m")
    acceleration = robot.input(
        f"{joint.name}.acceleration",
        unit=f"{unit}/s2",
        description=f"rate of the commanded speed of joint {joint.name}",
    )
    speed = robot.input(
        f"{joint.name}.speed",
        unit=f"{unit}/s",
        rate=acceleration,
        description=f"at which a servo moves joint {joint.name}",
    )
    name = f"{joint.name}.{word}"
    moved = robot.state(
        name,
        start=start,
        unit=unit,
        description=f"{word} of joint {joint.name}",
        visibility="output",
    )
    robot.derivative(name, speed)
    coordinate.release().prescribe(moved)
    robot.output(
        f"{joint.name}.drive_{'force' if slides else 'torque'}",
        -coordinate.stress,
        unit=force,
        description=f"of the servo on joint {joint.name}, along its axis",
    )
