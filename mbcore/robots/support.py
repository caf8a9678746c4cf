"""A base that its wheels carry in the plane: which slips are zero, and which coordinates are free
then.

All is decided on numbers, before a model is made: the slip velocities of all wheels by the rates of
base and joints, at the start and at random angles of what steers. A slip that others determine, or
that would leave the base no motion, is left free, and a note says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from mbcore.host.threads import single_threaded
from mbcore.model.errors import ModelError
from mbcore.robots.description import Frame, Joint
from mbcore.robots.rolling import UPRIGHT, Caster, Mecanum, Rolling, WheelPlace
from mbcore.robots.tree import RigidBody, Tree, joint_frame

Roles: TypeAlias = Literal["auto", "given"]
"""Who chooses which slips of redundant ones are free."""
BASE = ("base.x", "base.y", "base.yaw")
RANK = 1e-9
"""Singular values below it, in parts of the largest, are zero."""
NEARLY = 1e-6
"""As RANK at the start, where trails of a file's last digits would not keep slips apart."""
SEED = 1
TRAIL = 1e-2
"""Least trail of a wheel that turns its swivel, in parts of its radius: less steers or is noise."""
STANDING = 0.5
"""Cosine to the vertical beyond which a joint between base and axle is a swivel."""
PARALLEL = 1e-6
"""Sine of the angle between a joint's axis and an axle that it does not turn."""
TOUCHING = 1e-4
"""Gap between a wheel and the ground that no note tells, m."""


@dataclass(frozen=True)
class SlipRow:
    """A slip of a wheel by the rates of base and joints: ``along`` or ``sideways``."""

    wheel: WheelPlace
    direction: str
    factors: np.ndarray


@dataclass(frozen=True)
class Support:
    """How a base is carried.

    Attributes
    ----------
    height : float
        Of the root above the ground, m.
    zero : frozenset of (str, str)
        Links and directions of the slips that are zero.
    following : frozenset of str
        Base coordinates and joints that follow from the slips: kinematic coordinates.
    """

    height: float
    zero: frozenset[tuple[str, str]]
    following: frozenset[str]


class PlanarKinematics:
    """Velocities of a tree on a base that moves in the plane.

    Joints that are ``commanded`` have given rates, which are no columns.
    """

    def __init__(self, tree: Tree, height: float, commanded: frozenset[str] = frozenset()) -> None:
        self._tree, self.height, self.commanded = tree, height, commanded
        joints = tree.description.joints
        self._moving = [b.joint.name for b in tree.bodies[1:] if b.joint is not None]
        free = [
            name for name in self._moving if joints[name].mimic is None and name not in commanded
        ]
        self.columns = (*BASE, *free)

    def frames(self, values: Mapping[str, float]) -> dict[str, Frame]:
        """Return the frames of all bodies, at values of joints, on the axes of the base."""
        found = {self._tree.root.name: Frame(np.array([0.0, 0.0, self.height]))}
        for body in self._tree.bodies[1:]:
            assert body.joint is not None and body.parent is not None
            link = found[body.parent.name] @ body.parent.frames[body.joint.parent]
            found[body.name] = link @ joint_frame(body.joint, values.get(body.joint.name, 0.0))
        return found

    @cached_property
    def _at_zero(self) -> dict[str, Frame]:
        return self.frames({})

    def contact(self, wheel: WheelPlace, frames: Mapping[str, Frame]) -> tuple[np.ndarray, ...]:
        """Return the place of contact, and the directions along and sideways.

        Raises
        ------
        ModelError
            If the wheel lies flat.
        """
        frame = frames[wheel.joint.child]
        axle, up = frame.turn @ wheel.joint.axis, np.array([0.0, 0.0, 1.0])
        along = np.cross(axle, up)
        size = float(np.linalg.norm(along))
        if size < UPRIGHT:
            raise ModelError(
                f"{self._tree.description.where(wheel.joint.line)}: joint {wheel.joint.name}: the "
                f"axle of wheel {wheel.link} is vertical at the start; correct its axis, or the "
                "start value of its steering joint"
            )
        along = along / size
        spoke = np.cross(along, axle)
        centre = frame.place + frame.turn @ wheel.centre
        return centre - wheel.radius * spoke, along, np.cross(up, along)

    def rows(self, wheels: Sequence[WheelPlace], values: Mapping[str, float]) -> list[SlipRow]:
        """Return the slips of all wheels at values of the joints; a mecanum wheel has one."""
        frames = self.frames(values)
        found = []
        for wheel in wheels:
            place, along, sideways = self.contact(wheel, frames)
            velocity = self.velocity(wheel, place, frames)
            if isinstance(wheel.said, Mecanum):
                turn = wheel.said.angle
                along = math.cos(turn) * along + math.sin(turn) * sideways
            found.append(SlipRow(wheel, "along", along @ velocity))
            if not isinstance(wheel.said, Mecanum):
                found.append(SlipRow(wheel, "sideways", sideways @ velocity))
        return found

    def driven(self, wheel: WheelPlace) -> bool:
        """Return whether the wheel's joint is on the base, so that its rate is the wheel's spin."""
        return len(self.path(wheel)) == 1

    def steers(self, wheel: WheelPlace) -> bool:
        """Return whether a joint between the base and the wheel turns its axle.

        One along the axle, as in a differential or a swing arm, does not.
        """
        frames = self._at_zero
        axle = frames[wheel.joint.child].turn @ wheel.joint.axis
        return any(
            joint.kind != "prismatic"
            and np.linalg.norm(np.cross(frames[joint.child].turn @ joint.axis, axle)) > PARALLEL
            for joint in self.path(wheel)
        )

    def path(self, wheel: WheelPlace) -> list[Joint]:
        """Return the joints from a wheel to the base."""
        bodies = {body.joint.name: body for body in self._tree.bodies[1:] if body.joint}
        body: RigidBody | None = bodies[wheel.joint.name]
        found = []
        while body is not None and body.joint is not None:
            found.append(body.joint)
            body = body.parent
        return found

    def swivels(self, wheel: WheelPlace, row: SlipRow, frames: Mapping[str, Frame]) -> list[str]:
        """Return the free swivels that the wheel trails behind, which adapt to its side slip.

        A joint that another one mimics is part of a steering.
        """
        joints = self._tree.description.joints
        coupled = {joint.mimic.joint for joint in joints.values() if joint.mimic is not None}
        return [
            joint.name
            for joint in self.path(wheel)
            if joint is not wheel.joint
            and joint.kind in ("revolute", "continuous")
            and joint.name in self.columns
            and joint.name not in coupled
            and abs(float((frames[joint.child].turn @ joint.axis)[2])) > STANDING
            and abs(row.factors[self.columns.index(joint.name)]) > TRAIL * wheel.radius
        ]

    def velocity(
        self, wheel: WheelPlace, place: np.ndarray, frames: Mapping[str, Frame]
    ) -> np.ndarray:
        """Return the velocity of the wheel's material at a place, by all columns, (3, n).

        Raises
        ------
        ModelError
            If the wheel hangs on a planar or floating joint.
        """
        found = np.zeros((3, len(self.columns)))
        found[0, 0] = found[1, 1] = 1.0
        found[:, 2] = [-place[1], place[0], 0.0]
        for joint in self.path(wheel):
            frame = frames[joint.child]
            axis = frame.turn @ joint.axis
            if joint.kind == "prismatic":
                moved = axis
            elif joint.kind in ("revolute", "continuous"):
                moved = np.cross(axis, place - frame.place)
            else:
                raise ModelError(
                    f"{self._tree.description.where(joint.line)}: joint {joint.name} is "
                    f"{joint.kind}; wheels that roll hang on revolute, continuous, prismatic and "
                    "fixed joints only"
                )
            factor, leader = 1.0, joint
            while leader.mimic is not None:
                factor *= leader.mimic.factor
                leader = self._tree.description.joints[leader.mimic.joint]
            if leader.name in self.columns:
                found[:, self.columns.index(leader.name)] += factor * moved
        return found


def base_height(tree: Tree, wheels: Sequence[WheelPlace], values: Mapping[str, float]) -> float:
    """Return the height of the root at which the lowest wheel touches, m."""
    motion = PlanarKinematics(tree, 0.0)
    frames = motion.frames(values)
    return -min(float(motion.contact(wheel, frames)[0][2]) for wheel in wheels)


@single_threaded
def carried(
    motion: PlanarKinematics,
    wheels: Sequence[WheelPlace],
    values: Mapping[str, float],
    notes: list[str],
    roles: Roles,
) -> Support:
    """Return which slips of wheels under a base are zero; all are free under a law.

    Raises
    ------
    ModelError
        If the slips along of all wheels leave no motion, or slips are redundant and ``roles`` are
        those that are given.
    """
    _note_gaps(motion, wheels, values, notes)
    wheels = [
        wheel for wheel in wheels if wheel.said.ground is None or not wheel.said.ground.slides
    ]
    random = np.random.default_rng(SEED)
    turned = {name: value + random.uniform(0.2, 0.6) for name, value in values.items()}
    names = [(row.wheel.link, row.direction) for row in motion.rows(wheels, values)]
    rows = dict(zip(names, motion.rows(wheels, turned), strict=True))
    remarks: list[str] = []
    frames = motion.frames(values)
    swivels = {
        link: motion.swivels(row.wheel, row, frames)
        for (link, direction), row in rows.items()
        if direction == "sideways"
    }
    free = sorted({motion.columns.index(name) for names in swivels.values() for name in names})
    zero = _zero_slips(motion, rows, free, remarks)
    if remarks and roles == "given":
        raise ModelError(f'from_urdf: rolling: {"; ".join(remarks)}; or take roles="auto"')
    notes += remarks
    at_start = dict(zip(names, motion.rows(wheels, values), strict=True))
    factors = np.array([at_start[name].factors for name in zero])
    trailing = [wheel for wheel in wheels if swivels.get(wheel.link)]
    following = _following(motion, wheels, trailing, factors)
    return Support(motion.height, frozenset(zero), frozenset(following))


def _note_gaps(
    motion: PlanarKinematics,
    wheels: Sequence[WheelPlace],
    values: Mapping[str, float],
    notes: list[str],
) -> None:
    frames = motion.frames(values)
    for wheel in wheels:
        gap = float(motion.contact(wheel, frames)[0][2])
        if abs(gap) > TOUCHING:
            which = (
                "above the ground on which the lowest one is"
                if gap > 0
                else "below the ground on which those that carry are"
            )
            notes.append(
                f"wheel {wheel.link} is {1e3 * abs(gap):.3g} mm {which}; it rolls as if it touched"
            )


def _zero_slips(
    motion: PlanarKinematics,
    rows: Mapping[tuple[str, str], SlipRow],
    swivels: Sequence[int],
    notes: list[str],
) -> list[tuple[str, str]]:
    """Return the slips that are zero: along, then sideways where the base can still move."""
    kept: list[tuple[str, str]] = []
    along = [name for name in rows if name[1] == "along"]
    casters = [n for n in rows if n[1] == "sideways" and isinstance(rows[n].wheel.said, Caster)]
    others = [n for n in rows if n[1] == "sideways" and n not in casters]
    others.sort(key=lambda name: motion.steers(rows[name].wheel))
    for name in (*along, *casters):
        if _rank([rows[n].factors for n in (*kept, name)]) == len(kept):
            remedy = "; give one commanded speed less" if motion.commanded else ""
            notes.append(
                f"wheel {name[0]}: others determine its slip {name[1]}, which is left free{remedy}"
            )
        else:
            kept.append(name)
    held: list[tuple[str, str]] = []
    for name in others:
        said = rows[name].wheel.said
        if isinstance(said, Rolling) and said.sideways is False:
            continue
        reason = _too_much(motion, rows, swivels, [*held, name])
        if reason and not (isinstance(said, Rolling) and said.sideways):
            notes.append(
                f"wheel {name[0]} carries no side force, since {reason}; say which wheels carry "
                "none by Rolling(sideways=False)"
            )
        elif reason:
            raise ModelError(
                f"from_urdf: rolling: wheel {name[0]} cannot keep from sliding sideways: {reason}; "
                "leave sideways=True out there, or set it False for another wheel"
            )
        else:
            held.append(name)
    return [*kept, *held]


def _too_much(
    motion: PlanarKinematics,
    rows: Mapping[tuple[str, str], SlipRow],
    swivels: Sequence[int],
    names: Sequence[tuple[str, str]],
) -> str:
    """Return why the last slip sideways is one too many; empty where it is not.

    ``swivels`` are the columns of those that adapt: the base keeps as many of its three rates as
    the slips leave where these are free, which is three less the rank that the base adds.
    """
    with_others = ", ".join(link for link, _ in names[:-1])
    if _rank([rows[n].factors for n in names]) < len(names):
        return f"its side slip follows from that of {with_others}"
    factors = np.array([rows[n].factors for n in names])
    if _rank(factors[:, [0, 1, 2, *swivels]]) - _rank(factors[:, swivels]) == len(BASE):
        return f"with {with_others} the base could not move"
    straight = [rows[n].factors[:3] for n in names if not motion.steers(rows[n].wheel)]
    if len(straight) > 1 and _rank(straight) > 1:
        return f"with {with_others} the base could not turn"
    return ""


def _following(
    motion: PlanarKinematics,
    wheels: Sequence[WheelPlace],
    trailing: Sequence[WheelPlace],
    factors: np.ndarray,
) -> list[str]:
    """Return as many columns as there are zero slips, which these determine.

    First those of casters and wheels that trail behind a free swivel, then those of the base, then
    wheels, the last ones first.
    """
    if not len(factors):
        return []
    casters = {w.link: w for w in wheels if isinstance(w.said, Caster)}
    casters |= {w.link: w for w in trailing}
    rolling = [w for w in wheels if w.link not in casters]
    swivels = [j.name for w in casters.values() for j in motion.path(w)]
    order = list(dict.fromkeys((*swivels, *BASE, *(w.joint.name for w in reversed(rolling)))))
    order += [name for name in motion.columns if name not in order]
    found: list[int] = []
    for name in order:
        if name not in motion.columns:
            continue
        place = motion.columns.index(name)
        if _rank(factors[:, [*found, place]].T, NEARLY) > len(found):
            found.append(place)
        if len(found) == len(factors):
            break
    if len(found) < len(factors):
        steered = ", ".join(w.link for w in wheels if motion.steers(w)) or "none steers"
        raise ModelError(
            f"from_urdf: rolling: at the start the wheels' slips depend on each other: {steered}; "
            "couple the joints that steer (mimic), give one Rolling(sideways=False), or start "
            "with other angles"
        )
    return [motion.columns[place] for place in found]


def _rank(rows: Sequence[np.ndarray] | np.ndarray, least: float = RANK) -> int:
    if not len(rows):
        return 0
    values = np.linalg.svd(np.array(rows), compute_uv=False)
    if not len(values):
        return 0
    return int((values > least * values[0]).sum())
