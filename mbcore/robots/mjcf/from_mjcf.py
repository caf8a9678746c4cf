"""MJCF files as models."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from os import PathLike

from mbcore.model.calls import explains_arguments
from mbcore.model.errors import warn_user
from mbcore.model.variables import Value
from mbcore.robots.assembly import Assembly, Options
from mbcore.robots.joint_laws import JointLaws, driven_joints, start_values
from mbcore.robots.mjcf.mjcf_file import read_mjcf
from mbcore.robots.pictures import links
from mbcore.robots.robot import Robot
from mbcore.robots.tree import make_tree


@explains_arguments
def from_mjcf(
    path: str | PathLike[str],
    *,
    ignore: Collection[str] = (),
    start: Mapping[str, Value] | None = None,
    joints: JointLaws | None = None,
) -> Robot:
    """Return the model of a robot's MJCF file, which MuJoCo reads (the extra ``mjcf``).

    Bodies with inertial frames, hinges, slides and free joints with references, springs, damping
    and armature, and the gravity are used; a coordinate is the one of MuJoCo. All else that would
    change the motion is refused by name: contacts, limits, equality constraints, dry friction,
    tendons, actuators that act without control. ``unsupported`` of the model lists what was left
    out.

    Parameters
    ----------
    path : str or path
        The file.
    ignore : collection of str
        What is left out in place of being refused: ``"contact"``, ``"limit"``, ``"equality"``,
        ``"friction"``, ``"tendon"``, ``"actuator"``.
    start : mapping of str to number or str, optional
        Values of joints at the start, rad or m, ``"30 deg"``; by default the file's references.
    joints : JointLaws, optional
        Inputs of joints: by default each has an input ``JOINT.torque`` (N.m) or ``JOINT.force``
        (N).

    Returns
    -------
    Robot
        A `Model` with the file's bodies as links, and its joints, by name. Elements without a name
        have their kind and number, as ``joint3``.

    Raises
    ------
    ModelError
        MuJoCo is missing or cannot read the file; or, with file, name and remedy, the file has more
        than a tree of rigid bodies, or a name is unknown.

    Examples
    --------
    >>> arm = from_mjcf("arm.xml", ignore=["limit"])
    >>> run = simulate(arm.equations(), until=1.0)
    """
    description, gravity = read_mjcf(path, ignore)
    laws = JointLaws() if joints is None else joints
    values = start_values("from_mjcf", description, start or {})
    driven = driven_joints(description, laws)
    tree = make_tree(description, values)
    robot = Robot(description.name, gravity.tolist())
    robot.notes = tree.notes
    Assembly(robot, tree, Options("fixed", values, driven, laws)).make()
    robot.unsupported = description.unused
    robot.show_links(partial(links, robot, tree.description, []))
    for note in robot.notes:
        warn_user(note)
    return robot
