"""Given properties of wheels and casters, and guesses from collision shapes for missing ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError
from mbcore.model.near_names import unknown
from mbcore.robots.description import Description, Frame, Joint, Link, Solid
from mbcore.robots.ground import Ground
from mbcore.robots.tree import Tree, about

LEAST_COSINE = 1e-3
"""Of the angle between a roller's axis and a wheel's heading."""
LEANING = 1.0
"""Angle between a collision cylinder and the axle that a note tells, deg."""
UPRIGHT = 1e-3
"""Cosine between an axle and the vertical beyond which a wheel leans, and between two axes."""


@explains_construction
@dataclass(frozen=True)
class Rolling:
    """A link that is a wheel: it rolls on the ground.

    The axle is that of the joint that turns the link.

    Attributes
    ----------
    radius : float or str, optional
        m, or a text with a unit; by default that of the link's collision cylinder or sphere,
        which a note says.
    sideways : bool, optional
        Whether the slip along the axle is zero; False lets the wheel slide sideways without force.
        By default it is zero where the wheels can still move, and a note says where it is not.
    width : float or str, optional
        In pictures, m; by default the length of the collision cylinder. It touches in its middle.
    ground : Ground, optional
        Its stiffness, or a law in place of rolling without slip.

    Raises
    ------
    ModelError
        If the radius or the width is not positive, or ``sideways`` is something else.
    """

    radius: float | None = None
    sideways: bool | None = None
    width: float | None = None
    ground: Ground | None = None

    def __post_init__(self) -> None:
        _check("Rolling", self)
        if not any(self.sideways is one for one in (True, False, None)):
            raise ModelError(
                f"Rolling: sideways = {self.sideways!r}; give True, False, or None to let "
                "from_urdf choose"
            )


@explains_construction
@dataclass(frozen=True)
class Caster:
    """A wheel that swivels about the vertical behind its pivot and rolls.

    If the file has joints for the wheel and for its swivelling fork, these are used. If it holds
    the link fixed, a massless fork and wheel are added: the pivot is above the link's origin.

    Attributes
    ----------
    radius : float or str, optional
        m, or a text with a unit; by default that of the collision cylinder or sphere, which a
        note says.
    trail : float or str, optional
        Distance of the wheel behind the pivot, m; required if the file holds the link fixed.
    swivel : float or str
        Angle of the fork at the start of a link that is held fixed, rad; 0 trails behind, for
        driving along x.
    width : float or str, optional
        In pictures, m; by default the length of the collision cylinder. It touches in its middle.
    ground : Ground, optional
        Its stiffness, or a law in place of rolling without slip.

    Raises
    ------
    ModelError
        If a number is out of its range.
    """

    radius: float | None = None
    trail: float | None = None
    swivel: float = 0.0
    width: float | None = None
    ground: Ground | None = None

    def __post_init__(self) -> None:
        _check("Caster", self)
        checks.fields_in_units("Caster", self, trail="m", swivel="rad")
        if self.trail is not None:
            checks.real("Caster", "trail", self.trail, above=0.0, unit="m")
        checks.real("Caster", "swivel", self.swivel)


@explains_construction
@dataclass(frozen=True)
class Mecanum:
    """A link that is a mecanum or omni wheel: the ground holds it along the axis of a free roller.

    Rollers have no inertia and touch in the middle of the wheel. Of four mecanum wheels that touch
    with axes in a diamond, front left and rear right have ``rollers="-45 deg"``, the others
    ``"45 deg"``; an omni wheel has 0.

    Attributes
    ----------
    radius : float or str, optional
        m, or a text with a unit; by default that of the link's collision cylinder or sphere,
        which a note says.
    rollers : float or str
        Angle of the axis of the touching roller against the wheel's heading, positive to the left,
        rad or a text with a unit.
    width : float or str, optional
        In pictures, m; by default the length of the collision cylinder. It touches in its middle.
    ground : Ground, optional
        Its stiffness, or a law in place of rolling without slip.

    Raises
    ------
    ModelError
        If the radius is not positive, or the rollers turn about the wheel's own axle.
    """

    radius: float | None = None
    rollers: float | str = 0.0
    width: float | None = None
    ground: Ground | None = None

    def __post_init__(self) -> None:
        _check("Mecanum", self)
        if self.ground is not None and self.ground.tyre is not None:
            raise ModelError("Mecanum: tyre laws are those of round wheels; leave the tyre out")
        if abs(math.cos(self.angle)) < LEAST_COSINE:
            raise ModelError(
                f"Mecanum: rollers = {self.rollers!r} is along the wheel's own axle, so that the "
                'ground could not drive it; give an angle such as "45 deg"'
            )

    @property
    def angle(self) -> float:
        """``rollers`` in rad."""
        return checks.real(
            "Mecanum", "rollers", checks.scalar("Mecanum: rollers", self.rollers, "rad")
        )


def _check(owner: str, said: Rolling | Caster | Mecanum) -> None:
    """Refuse sizes that are not positive, and what is no ground; texts become numbers in m."""
    checks.fields_in_units(owner, said, radius="m", width="m")
    for what, size in (("radius", said.radius), ("width", said.width)):
        if size is not None:
            checks.real(owner, what, getattr(said, what), above=0.0, unit="m")
    if said.ground is not None and not isinstance(said.ground, Ground):
        raise ModelError(f"{owner}: ground is {said.ground!r}; give Ground(friction=0.8)")


@dataclass(frozen=True)
class WheelPlace:
    """A wheel on its tree: its axle's joint, its sizes, and its centre on the child's axes.

    ``width`` is None where nobody says it.
    """

    link: str
    joint: Joint
    radius: float
    centre: np.ndarray
    said: Rolling | Caster | Mecanum
    width: float | None = None


def known_links(
    description: Description, rolling: Mapping[str, Rolling | Caster | Mecanum]
) -> None:
    """Refuse wheels that the file does not have, and what is not a wheel.

    Raises
    ------
    ModelError
        Naming the link, with similar ones.
    """
    if not isinstance(rolling, Mapping):
        raise ModelError(
            f"from_urdf: rolling = {rolling!r}; give wheels by their links, as in "
            '{"left_wheel": Rolling(radius=0.1)}'
        )
    for name, said in rolling.items():
        if name not in description.links:
            raise ModelError(f"from_urdf: rolling: {unknown('link', name, description.links)}")
        if not isinstance(said, Rolling | Caster | Mecanum):
            raise ModelError(
                f"from_urdf: rolling: {name} is {said!r}; give Rolling(radius=0.1), "
                'Caster(radius=0.05, trail=0.03) or Mecanum(radius=0.1, rollers="45 deg")'
            )


def wheel_places(
    tree: Tree, rolling: Mapping[str, Rolling | Caster | Mecanum], notes: list[str]
) -> list[WheelPlace]:
    """Return the wheels whose links turn.

    Raises
    ------
    ModelError
        If a link has no axle, or no radius that could be guessed.
    """
    description = tree.description
    found = []
    for name, said in rolling.items():
        body = next(body for body in tree.bodies if name in body.frames)
        joint = body.joint
        where = description.where(description.links[name].line)
        if joint is None or joint.kind not in ("revolute", "continuous"):
            if isinstance(said, Caster):
                continue
            raise ModelError(
                f"{where}: link {name} has no axle: no revolute or continuous joint turns it; "
                f'give the joint above it type="continuous", or take a Caster'
            )
        link, frame = description.links[name], body.frames[name]
        radius, place = _sizes(where, link, said.radius, notes)
        width = _width(where, link, frame.turn.T @ joint.axis, said, notes)
        centre = frame.place + frame.turn @ place
        # On the axle, which goes through the origin.
        centre = joint.axis * (joint.axis @ centre)
        found.append(WheelPlace(name, joint, radius, centre, said, width))
    return found


def _width(
    where: str,
    link: Link,
    axle: np.ndarray,
    said: Rolling | Caster | Mecanum,
    notes: list[str],
) -> float | None:
    """Return the width that is given, or else that of the one cylinder along the ``axle``."""
    cylinders: list[Solid] = [solid for solid in link.collisions if solid.kind == "cylinder"]
    if len(cylinders) != 1:
        return said.width
    slope = math.degrees(math.acos(min(1.0, abs(float(axle @ cylinders[0].frame.turn[:, 2])))))
    if slope > LEANING:
        notes.append(
            f"{where}: link {link.name}: its collision cylinder lies {slope:.3g} deg off the axle "
            "of its joint, which is the one that counts"
        )
        return said.width
    return cylinders[0].sizes[1] if said.width is None else said.width


def _sizes(
    where: str, link: Link, radius: float | None, notes: list[str]
) -> tuple[float, np.ndarray]:
    """Return radius and centre, the latter on the link's axes."""
    round_ones = [solid for solid in link.collisions if solid.kind in ("cylinder", "sphere")]
    if radius is not None:
        return radius, round_ones[0].frame.place if len(round_ones) == 1 else np.zeros(3)
    radii = sorted({solid.sizes[0] for solid in round_ones})
    if len(radii) != 1:
        several = f"{len(radii)} radii, {radii[0]:g} to {radii[-1]:g} m" if radii else "no radius"
        raise ModelError(
            f"{where}: link {link.name}: its collision cylinders and spheres have {several}; give "
            f'one, as in rolling={{"{link.name}": Rolling(radius=0.1)}}'
        )
    solid = round_ones[0]
    wide = f", and its width {solid.sizes[1]:g} m in pictures" if solid.kind == "cylinder" else ""
    notes.append(
        f"{where}: link {link.name}: the radius {radii[0]:g} m is that of its collision "
        f"{solid.kind}{wide}"
    )
    return radii[0], solid.frame.place


def with_casters(
    tree: Tree, rolling: Mapping[str, Rolling | Caster | Mecanum], height: float, notes: list[str]
) -> Description:
    """Return the description with forks and wheels of casters that the file holds fixed.

    Parameters
    ----------
    tree : Tree
        Of the file.
    height : float
        Of the root above the ground, m.

    Raises
    ------
    ModelError
        If such a caster has no trail or no radius, or hangs on something that moves.
    """
    description = tree.description
    links, joints = dict(description.links), dict(description.joints)
    for name, said in rolling.items():
        body = next(body for body in tree.bodies if name in body.frames)
        turns = body.joint is not None and body.joint.kind in ("revolute", "continuous")
        if not isinstance(said, Caster) or turns:
            continue
        link = description.links[name]
        where = description.where(link.line)
        if said.trail is None or body is not tree.root:
            raise ModelError(
                f"{where}: link {name} is held fixed, so its caster needs a trail, and a place on "
                f'the base: "{name}": Caster(radius=0.05, trail=0.03)'
            )
        radius, _ = _sizes(where, link, said.radius, notes)
        frame = body.frames[name]
        level = Frame(np.zeros(3), frame.turn.T)
        fork, wheel, line = f"{name}.fork", f"{name}.wheel", link.line
        up, left = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
        turned = level @ Frame(np.zeros(3), about(up, said.swivel))
        drop = radius - height - frame.place[2]
        below = Frame(np.array([-said.trail, 0.0, drop]))
        links |= {fork: Link(fork, line), wheel: Link(wheel, line, collisions=())}
        joints[f"{name}.swivel"] = Joint(
            f"{name}.swivel", "continuous", name, fork, line, turned, up
        )
        joints[wheel] = Joint(wheel, "continuous", fork, wheel, line, below, left)
        notes.append(
            f"{where}: link {name} is held fixed; a fork and a wheel without mass are added, "
            f"joints {name}.swivel and {wheel}, with the trail {said.trail:g} m"
        )
    return replace(description, links=links, joints=joints)
