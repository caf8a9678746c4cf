"""The force between the two sides of a pin or ball, and joints that no function has added."""

from __future__ import annotations

from collections.abc import Sequence
from types import UnionType
from typing import TypeAlias

import casadi as ca

from mbcore.elements.joints.hinge import Hinge, PlanarHinge
from mbcore.elements.joints.joint_records import Planar, Prismatic, Revolute, Spherical
from mbcore.elements.joints.slide import Slide
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.parts.touching import touched
from mbcore.model.system import System

OnOneSide: TypeAlias = Element | Revolute | Prismatic | Planar | Spherical
"""Things that can be on one side of a pin."""

PARTS: dict[type, tuple[tuple[str, type | UnionType], ...]] = {
    Revolute: (("point", Point), ("hinge", Hinge | PlanarHinge)),
    Prismatic: (("slide", Slide), ("hinge", Hinge | PlanarHinge)),
    Planar: (("slide", Slide), ("hinge", Hinge)),
    Spherical: (("point", Point), ("p", Angle | Rotation), ("q", Angle | Rotation)),
}
"""Parts of the named joints, as the functions that add them document."""


def refuse_handmade(title: str, joint: object) -> None:
    """Refuse a joint of parts that no function has added."""
    for what, kind in PARTS.get(type(joint), ()):
        part = getattr(joint, what)
        if not isinstance(part, kind):
            name = type(joint).__name__
            raise ModelError(
                f"{title}: its joint is a {name} whose {what} is {part!r}; give what "
                f"{name.lower()}(NAME, p, q, ...) returns, which adds the joint of two bodies"
            )


def pin_force(
    model: System,
    title: str,
    point: Point,
    sides: tuple[Angle | Rotation, Angle | Rotation],
    of: OnOneSide | Sequence[OnOneSide] | None,
) -> ca.SX:
    """Return the force between two sides at a point, N, up to its sign.

    Parameters
    ----------
    title : str
        First words of messages.
    of : Element or joint, or sequence of these, optional
        Elements on one side, where orientations do not tell.
    """
    if of is not None:
        return model.reactions.at(point, _one_side(of, point), title)
    p, q = sides
    return model.reactions.between(point, q, p, title)


def _one_side(
    of: OnOneSide | Sequence[OnOneSide], point: Point
) -> Sequence[Element] | Angle | Rotation:
    """Return the elements on one side of a pin, those at its point in place of joints."""
    if isinstance(of, Angle | Rotation):
        return of
    chosen: list[Element] = []
    parts: Sequence[OnOneSide] = of if isinstance(of, Sequence) else [of]
    for part in parts:
        joined = [getattr(part, name) for name, _ in PARTS.get(type(part), ())]
        here = [e for e in joined if isinstance(e, Element) and point in touched(e)]
        chosen += here or [part]  # type: ignore[list-item]
    return chosen
