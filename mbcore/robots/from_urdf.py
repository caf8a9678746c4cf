"""URDF files as models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Literal

from mbcore.model import checks
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError, warn_user
from mbcore.model.variables import Number, Value
from mbcore.robots.assembly import Assembly, Options
from mbcore.robots.carrying import Carrying, carrying, named
from mbcore.robots.description import Description
from mbcore.robots.joint_laws import JointLaws, driven_joints, start_values
from mbcore.robots.loads import wheel_loads
from mbcore.robots.odometry import odometry
from mbcore.robots.pictures import links
from mbcore.robots.robot import Robot
from mbcore.robots.rolling import (
    Caster,
    Mecanum,
    Rolling,
    WheelPlace,
    known_links,
    wheel_places,
    with_casters,
)
from mbcore.robots.support import PlanarKinematics, Roles, Support, base_height, carried
from mbcore.robots.tree import Tree, joints_above, make_tree, refuse_wrong_mimics, root_link
from mbcore.robots.urdf_file import read_urdf
from mbcore.robots.wheels import add_ground, add_outputs, add_wheel


@explains_arguments
def from_urdf(
    path: str | PathLike[str],
    *,
    rolling: Mapping[str, Rolling | Caster | Mecanum] | None = None,
    support: Literal["planar", "compliant"] | Sequence[str] = "planar",
    roles: Literal["auto", "given"] = "auto",
    floating: bool = False,
    gravity: Sequence[Number] | None = (0.0, 0.0, -9.81),
    start: Mapping[str, Value] | None = None,
    joints: JointLaws | None = None,
) -> Robot:
    """Return the model of a robot's URDF file.

    Links that are fixed to each other are one rigid body. Each joint's coordinate is a degree of
    freedom with the states ``JOINT.angle`` (or ``.displacement``) and ``JOINT.rate``; one that
    mimics another follows it by a `Coupling`. Floating joints have the states ``JOINT.x``, ``y``,
    ``z`` in space and those of a free rotation. Joints that move nothing with inertia are held.
    ``notes`` of the model lists merged and held parts, ``unsupported`` unused ones.

    Parameters
    ----------
    path : str or path
        The file, without macros: expand xacro files first.
    rolling : mapping of str to Rolling, Caster or Mecanum, optional
        Links that are wheels. The base then moves in the plane of the ground, at the height at
        which the lowest wheel touches, and the wheels roll without slip: the base's ``base.x``,
        ``base.y`` and ``base.yaw`` and the angles of casters are kinematic coordinates.
    support : {"planar", "compliant"} or sequence of str
        Which wheels carry the base. Three that are not in a line have their loads ``LINK.load``, N,
        as outputs, with all inertia forces; where there are more, ``"planar"`` leaves loads out,
        ``"compliant"`` shares them by a stiffness of each wheel, and three names say which wheels
        carry; the others only roll. A negative load says that the wheel would lift.
    roles : {"auto", "given"}
        What becomes of slips that are redundant, or would leave the base no motion: ``"auto"``
        leaves the usual ones free and notes which; ``"given"`` refuses them by name, unless
        ``Rolling(sideways=False)`` frees them.
    floating : bool
        Whether the root link is free in space; by default it is fixed to the ground.
    gravity : sequence of three, optional
        m/s2; None for none.
    start : mapping of str to number or str, optional
        Values of joints at the start, rad or m, ``"30 deg"``; zero by default.
    joints : JointLaws, optional
        Inputs of joints, and the effect of the file's limits and friction: by default each joint
        has an input ``JOINT.torque`` (N.m) or ``JOINT.force`` (N), limits are events
        ``JOINT.beyond_lower`` and ``JOINT.beyond_upper`` that change nothing, and friction is
        smooth. The file's damping acts always.

    Returns
    -------
    Robot
        A `Model` with the file's links and joints by name.

    Raises
    ------
    ModelError
        With file, line and remedy: the file is not a URDF, its links make no tree, an inertia is
        impossible; or a name or option is unknown.

    Examples
    --------
    >>> arm = from_urdf("arm.urdf", start={"elbow": "90 deg"})
    >>> run = simulate(arm.equations(), until=1.0)
    """
    description = read_urdf(path)
    laws = JointLaws() if joints is None else joints
    root_link(description)  # refuses loops, in which no way upwards ends
    refuse_wrong_mimics(description)
    values = start_values("from_urdf", description, start or {})
    driven = driven_joints(description, laws)
    base: Literal["fixed", "free"] | Support = "free" if floating else "fixed"
    wheels: list[WheelPlace] = []
    notes: list[str] = []
    if rolling:
        checks.choice("from_urdf", "roles", roles, ("auto", "given"))
        if floating:
            raise ModelError(
                "from_urdf: a base with wheels that roll is carried by the ground; leave floating "
                "out, or rolling"
            )
        asked = _Asked(rolling, support, roles, frozenset(laws.speeds))
        tree, wheels, base, carriers = _on_wheels(description, asked, values, notes)
        casters = {
            joint.name
            for wheel in wheels
            if isinstance(wheel.said, Caster)
            for joint in joints_above(tree.description, wheel.joint.child)
        }
        if laws.torques is True:
            driven -= casters
    else:
        tree = make_tree(description, values)
        if not floating:
            notes += _held_base(tree)
    robot = Robot(description.name, gravity)
    robot.notes = (*tree.notes, *notes)
    Assembly(robot, tree, Options(base, values, driven, laws)).make()
    if isinstance(base, Support):
        for wheel in wheels:
            add_wheel(robot, wheel, base, tree.root.name)
        loads = wheel_loads(robot, tree.root.name, carriers) if carriers else {}
        for wheel in wheels:
            add_ground(robot, wheel, loads.get(wheel.link))
        add_outputs(robot, tree.root.name, base, loads)
        robot.odometry = partial(odometry, PlanarKinematics(tree, base.height), wheels, base.zero)
    robot.unsupported = description.unused
    robot.show_links(partial(links, robot, tree.description, wheels))
    for note in robot.notes:
        warn_user(note)
    return robot


@dataclass(frozen=True)
class _Asked:
    """Users' settings of wheels."""

    rolling: Mapping[str, Rolling | Caster | Mecanum]
    support: str | Sequence[str]
    roles: Roles
    speeds: frozenset[str]


def _on_wheels(
    description: Description,
    asked: _Asked,
    values: dict[str, float],
    notes: list[str],
) -> tuple[Tree, list[WheelPlace], Support, Carrying | None]:
    """Return the tree with all casters, its wheels, how they roll, and which carry the base."""
    rolling = asked.rolling
    known_links(description, rolling)
    turned = frozenset(joint.name for name in rolling for joint in joints_above(description, name))
    tree = make_tree(description, values, turned)
    places = wheel_places(tree, rolling, [])
    if not places:
        raise ModelError(
            "from_urdf: rolling: no wheel turns on a joint of the file; a base on added casters "
            "alone has no height; name a wheel, or correct a joint's type"
        )
    standing = [place for place in places if place.link in _names(asked.support, places)]
    height = base_height(tree, standing or places, values)
    whole = with_casters(tree, rolling, height, notes)
    said = {f"{n}.wheel" if f"{n}.wheel" in whole.links else n: s for n, s in rolling.items()}
    turned = frozenset(joint.name for name in said for joint in joints_above(whole, name))
    tree = make_tree(whole, values, turned)
    places = wheel_places(tree, said, notes)
    motion, values = (
        PlanarKinematics(tree, height, asked.speeds),
        dict.fromkeys(whole.joints, 0.0) | values,
    )
    carriers = carrying(
        motion, named(asked.support, places, rolling) or places, asked.support, values, notes
    )
    support = carried(motion, places, values, notes, asked.roles)
    return tree, places, support, carriers


def _held_base(tree: Tree) -> list[str]:
    """Return a note on a base with mass that is held though it looks like a vehicle or an animal.

    Something on it turns without end, or two or more limbs hang on it. A single limb with limited
    joints is an arm, which usually stands on the ground.
    """
    turning = any(body.joint and body.joint.kind == "continuous" for body in tree.bodies[1:])
    limbs = [body.name for body in tree.bodies[1:] if body.parent is tree.root]
    if not tree.root.own.mass or not (turning or len(limbs) > 1):
        return []
    if not turning:
        return [
            f"base {tree.root.name} is held, though {len(limbs)} limbs hang on it: "
            f"{', '.join(limbs[:3])}{', ...' if len(limbs) > 3 else ''}; give floating=True "
            "(--floating) for a base that is free in space"
        ]
    return [
        f"no link rolls: base {tree.root.name} is held; give rolling= (--rolling LINK), or "
        "floating=True (--floating) for one that is free in space"
    ]


def _names(support: str | Sequence[str], places: Sequence[WheelPlace]) -> Sequence[str]:
    """Return the wheels by which the height of the base is found."""
    return [place.link for place in places] if isinstance(support, str) else support
