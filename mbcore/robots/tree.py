"""The tree of rigid bodies that a description's links make: fixed links are one body.

A body is a link with all that is fixed to it. A joint whose moving part has no inertia would have
no acceleration, so it is held, and its part belongs to the body before it; a note says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from mbcore.model.errors import ModelError
from mbcore.model.near_names import unknown
from mbcore.robots.description import Description, Frame, Joint, MassProperties

NEGLIGIBLE = 1e-15
"""Moment of inertia about a joint's axis that counts as none, in parts of the largest entry."""


@dataclass
class RigidBody:
    """A link with the links fixed to it.

    ``frames`` are those of its links relative to the first one, which it has its name from, and
    ``joint`` moves that one relative to a link of ``parent``; None for the root. ``own`` are the
    mass properties on the first link's axes.
    """

    name: str
    joint: Joint | None = None
    parent: RigidBody | None = None
    frames: dict[str, Frame] = field(default_factory=dict)
    own: MassProperties = field(default_factory=MassProperties)


@dataclass(frozen=True)
class Tree:
    """Bodies from the root outwards, each after its parent, and notes on merged links."""

    description: Description
    bodies: tuple[RigidBody, ...]
    notes: tuple[str, ...]

    @property
    def root(self) -> RigidBody:
        """The body that hangs on nothing."""
        return self.bodies[0]


def make_tree(
    description: Description, values: Mapping[str, float], rolling: frozenset[str] = frozenset()
) -> Tree:
    """Return the bodies of a description whose mimics are right.

    Parameters
    ----------
    values : mapping of str to float
        Values of joints at which those without inertia are held.
    rolling : frozenset of str
        Joints that are not held, since wheels that roll turn them.

    Raises
    ------
    ModelError
        Links and joints make no tree.
    """
    root = root_link(description)
    notes = list(description.notes)
    without = _without_inertia(description, root, rolling, notes)
    bodies: dict[str, RigidBody] = {}
    order: list[RigidBody] = []
    above = _joints_above(description)
    for link in _outwards(description, root):
        joint = above.get(link)
        inside: RigidBody
        if joint is None or (joint.kind != "fixed" and joint.name not in without):
            inside = RigidBody(link, joint, bodies[joint.parent] if joint else None)
            inside.frames[link] = Frame()
            order.append(inside)
        else:
            inside = bodies[joint.parent]
            at = joint_frame(joint, values.get(joint.name, 0.0))
            inside.frames[link] = inside.frames[joint.parent] @ at
        bodies[link] = inside
        properties = description.links[link].properties
        if properties is not None:
            inside.own += properties.seen_from(inside.frames[link])
    return Tree(description, tuple(order), tuple(notes))


def without_negative_moments(owner: str, own: MassProperties) -> MassProperties:
    """Return mass properties in which rounding has left no negative principal moment.

    Raises
    ------
    ModelError
        Beginning with the ``owner``: a moment is negative beyond rounding.
    """
    moments, axes = np.linalg.eigh(own.inertia)
    if moments[0] >= 0:
        return own
    size = np.abs(moments).max() * 1e-9 + own.mass * (1 + own.centre @ own.centre) * 1e-15
    if moments[0] < -size:
        raise ModelError(
            f"{owner}: the principal moment of inertia {moments[0]:.6g} kg.m2 must not be "
            "negative; check the signs and the sizes of its products of inertia"
        )
    inertia = axes @ np.diag(np.clip(moments, 0, None)) @ axes.T
    return replace(own, inertia=(inertia + inertia.T) / 2)


def joints_above(description: Description, link: str) -> list[Joint]:
    """Return the joints from a link to the root."""
    above, found = _joints_above(description), []
    while link in above:
        found.append(above[link])
        link = above[link].parent
    return found


def joint_frame(joint: Joint, value: float) -> Frame:
    """Return the child's frame relative to the parent at a value of the joint's coordinate."""
    if joint.kind in ("revolute", "continuous"):
        return joint.frame @ Frame(np.zeros(3), about(joint.axis, value))
    if joint.kind == "prismatic":
        return joint.frame @ Frame(value * joint.axis)
    return joint.frame


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Return the turn by an angle about a unit vector, (3, 3)."""
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


def _joints_above(description: Description) -> dict[str, Joint]:
    return {joint.child: joint for joint in description.joints.values()}


def _children(description: Description) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in description.links}
    for joint in description.joints.values():
        found[joint.parent].append(joint.child)
    return found


def root_link(description: Description) -> str:
    """Return the link that hangs on nothing.

    Raises
    ------
    ModelError
        The links make no tree, or a joint names a link that is not there.
    """
    above: dict[str, Joint] = {}
    for joint in description.joints.values():
        where = description.where(joint.line)
        for end in (joint.parent, joint.child):
            if end not in description.links:
                raise ModelError(
                    f"{where}: joint {joint.name}: {unknown('link', end, description.links)}"
                )
        other = above.setdefault(joint.child, joint)
        if other is not joint:
            raise ModelError(
                f"{where}: joint {joint.name}: link {joint.child} hangs on joint {other.name} "
                f"(line {other.line}) already, which closes a loop; URDF describes only trees: "
                "leave one out and close the loop in the model by revolute, spherical or a Coupling"
            )
    roots = [name for name in description.links if name not in above]
    if not roots:
        first = next(iter(description.joints.values()))
        raise ModelError(
            f"{description.where(first.line)}: joint {first.name}: each link hangs on another one, "
            "in a loop; leave out a joint, and close the loop in the model"
        )
    reached = set(_outwards(description, roots[0]))
    lost = [name for name in description.links if name not in reached]
    if lost:
        line = description.links[lost[0]].line
        raise ModelError(
            f"{description.where(line)}: link {lost[0]} does not hang on {roots[0]}, the first "
            f"root; add a joint that joins it, or leave out {', '.join(lost[:5])}"
        )
    return roots[0]


def _outwards(description: Description, root: str) -> list[str]:
    """Return the links of a tree, each after its parent."""
    children = _children(description)
    found = [root]
    for name in found:
        found += children[name]
        if len(found) > len(description.links):
            break
    return found


def refuse_wrong_mimics(description: Description) -> None:
    """Refuse joints that mimic missing joints, themselves, or joints without a single coordinate.

    Raises
    ------
    ModelError
        Naming file, line and joint.
    """
    for joint in description.joints.values():
        seen = [joint.name]
        follows = joint
        while follows.mimic is not None:
            where, name = description.where(follows.mimic.line), follows.mimic.joint
            if name not in description.joints:
                text = unknown("joint", name, description.joints)
                raise ModelError(f"{where}: joint {follows.name} mimics {text}")
            if name in seen:
                raise ModelError(
                    f"{where}: joint {follows.name} mimics {name}, which follows it in turn; let "
                    "one of them be free"
                )
            seen.append(name)
            follows = description.joints[name]
        for name in seen:
            kind = description.joints[name].kind
            if len(seen) > 1 and kind not in ("revolute", "continuous", "prismatic"):
                where = description.where(description.joints[name].line)
                raise ModelError(
                    f"{where}: joint {name} is {kind} and has no single coordinate; only revolute, "
                    "continuous and prismatic joints mimic or are mimicked"
                )


def _without_inertia(
    description: Description, root: str, rolling: frozenset[str], notes: list[str]
) -> set[str]:
    """Return the joints that are held, since they move no inertia in their direction.

    A joint that another one mimics is not held while that one is free.
    """
    followers: dict[str, set[str]] = {}
    for joint in description.joints.values():
        if joint.mimic is not None:
            followers.setdefault(joint.mimic.joint, set()).add(joint.name)
    held: set[str] = set()
    while True:
        found = [
            joint
            for joint, part in _moved_parts(description, root, held)
            if joint.name not in rolling
            and not followers.get(joint.name, set()) - held
            and _moves_nothing(joint, part)
        ]
        if not found:
            return held
        held |= {joint.name for joint in found}
        notes += [
            f"{description.where(joint.line)}: joint {joint.name} is held, since it moves no "
            f"inertia; give link {joint.child} an inertial to let it move"
            for joint in found
        ]


def _moved_parts(
    description: Description, root: str, held: set[str]
) -> list[tuple[Joint, MassProperties]]:
    """Return free joints with what they move, where that does not move within itself."""
    above, children = _joints_above(description), _children(description)
    parts: dict[str, MassProperties | None] = {}
    found = []
    for link in reversed(_outwards(description, root)):
        part: MassProperties | None = description.links[link].properties or MassProperties()
        for child in children[link]:
            joint, its = above[child], parts[child]
            if part is None or its is None or (joint.kind != "fixed" and joint.name not in held):
                part = None
            else:
                part += its.seen_from(joint.frame)
        parts[link] = part
        own = above.get(link)
        if own and part is not None and own.kind != "fixed" and own.name not in held:
            found.append((own, part))
    return found


def _moves_nothing(joint: Joint, part: MassProperties) -> bool:
    if part.is_none:
        return True
    if joint.kind not in ("revolute", "continuous"):
        return part.mass == 0
    inertia = part.about(np.zeros(3))
    return bool(joint.axis @ inertia @ joint.axis <= NEGLIGIBLE * np.abs(inertia).max())
