"""Reactions at nodes: the force with which chosen elements pull at a point that others share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

import casadi as ca

from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes import node_checks
from mbcore.model.nodes.node import Node
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.parts.elements import Elements

Side: TypeAlias = Angle | Rotation | tuple[Element, ...]
"""What is on one side of a point: an orientation that elements have, or these."""


@dataclass(frozen=True, eq=False)
class Reaction:
    """The force on ``point`` of what is on one side of it, on inertial axes, N.

    Attributes
    ----------
    point : Point
        Where both sides are joined.
    side : Angle, Rotation or tuple of Element
        The elements of one side, or the orientation that these have in common.
    force : SX
        Symbols of the force, shape (2, 1) or (3, 1).
    other : Angle or Rotation, optional
        Orientation of the other side, to which all the rest at the point must belong. Then the
        force may be that of either side, as only its size counts.
    body : Angle or Rotation, optional
        That of the two sides whose own point it is: what has no orientation belongs to it.
    owner : str
        What asks for it, for messages: friction, which needs the whole force of its side.
    """

    point: Point
    side: Side
    force: ca.SX
    other: Angle | Rotation | None = None
    body: Angle | Rotation | None = None
    owner: str = ""

    def refuse(self, what: str, sides: str = "neither") -> NoReturn:
        """Raise the error that something at the point is on no side, or on both."""
        assert not isinstance(self.side, tuple) and self.other is not None
        names = f"{self.other.name} {'nor' if sides == 'neither' else 'and'} {self.side.name}"
        raise ModelError(
            f"{self.owner}: {what} at {self.point.name} belongs to {sides} {names}, so the pin's "
            "force is not known; give it one of these orientations, or a point of its own that is "
            "fixed to one side, or give of=, the elements on one side of the pin"
        )


class Reactions(list[Reaction]):
    """All reactions that users have asked for.

    Parameters
    ----------
    model : str
        Name of the model, for messages.
    elements : Elements
        Those of the model.
    """

    def __init__(self, model: str, elements: Elements) -> None:
        super().__init__()
        self._model, self._elements = model, elements

    def at(
        self, point: Point, of: Element | Sequence[Element] | Angle | Rotation, owner: str = ""
    ) -> ca.SX:
        """Return symbols of the force with which one side pulls at a point, N, (2 or 3, 1).

        What acts through elements of the side belongs to it, as friction in its slides does. With
        an ``owner``, couplings through these are refused when equations are made.

        Raises
        ------
        ModelError
            If the point is none, or an element is not of this model or does not touch the point.
        """
        title = owner or f"reaction of model {self._model}"
        node_checks.node(title, "point", point, Point)
        side = self._checked(f"{title} at {point.name}", point, of)
        for known in self:
            same = known.point is point and known.side == side and known.owner == owner
            if same and known.other is None:
                return known.force
        return self._added(Reaction(point, side, _symbols(point), owner=owner))

    def between(
        self,
        point: Point,
        side: Angle | Rotation,
        other: Angle | Rotation,
        body: Angle | Rotation | None,
        owner: str,
    ) -> ca.SX:
        """Return symbols of the force between two sides at a point, N, up to its sign.

        What is at the point and on neither side, or on both, is refused when equations are made.
        The point may be one of a ``body`` on one side: what has no orientation is on that side.
        """
        if body is not None and body is side:
            side, other = other, side
        return self._added(Reaction(point, side, _symbols(point), other, body, owner))

    def _added(self, reaction: Reaction) -> ca.SX:
        self.append(reaction)
        return reaction.force

    def _checked(self, owner: str, point: Point, of: object) -> Side:
        if isinstance(of, Angle | Rotation):
            return of
        chosen = tuple(of) if isinstance(of, list | tuple) else (of,)
        if not chosen:
            raise ModelError(f"{owner}: of is empty; give the elements of one side")
        for element in chosen:
            if not isinstance(element, Element) or element not in self._elements.values():
                raise ModelError(
                    f"{owner}: {element!r} is no element of this model; give one that has been "
                    "added, a list of such, or the orientation that they have in common"
                )
            if point not in touched(element):
                here = [e.title for e in self._elements.values() if point in touched(e)]
                raise ModelError(
                    f"{owner}: {element.title} does not touch it; give one that does, of "
                    f"{', '.join(here) or 'which there is none'}"
                )
        return chosen

    def elements_of(self, reaction: Reaction) -> tuple[Element, ...]:
        """Return the elements on the side that is meant, those added later included.

        Raises
        ------
        ModelError
            If no element of this orientation touches the point, or the force is one between two
            sides and something at the point is on neither, or on both.
        """
        if isinstance(reaction.side, tuple):
            return (*reaction.side, *self._through(reaction.side))
        point, both = reaction.point, [reaction.side]
        if reaction.other is not None:
            both.append(reaction.other)
        here = [(e, _sides(e, point, both)) for e in self._elements.values() if point in touched(e)]
        sides = [reaction.side]
        if reaction.other is not None:
            _refuse_third(reaction, here)
        if reaction.other is not None and reaction.body is None:
            sides = _unsupported(point, reaction.side, reaction.other)
        for side in sides:
            found = tuple(e for e, of in here if side in of)
            if found:
                return found
        raise ModelError(
            f"{reaction.owner or f'reaction of model {self._model}'} at {reaction.point.name}: no "
            f"element there has the orientation {' or '.join(side.name for side in sides)}; give "
            "the elements of one side as of="
        )

    def _through(self, side: tuple[Element, ...]) -> list[Element]:
        """Return the elements that act through others of a side, as friction in its slides does."""
        others = (e for e in self._elements.values() if e not in side)
        return [e for e in others if any(x in side for x in e.acting_on())]


def touched(element: Element) -> list[Node]:
    """Return the nodes at which an element pulls."""
    return [node for e in (element, *element.acting_on()) for node in e.nodes()]


def is_fixed(node: Node) -> bool:
    """Return whether a node is part of the ground."""
    return all(coordinate.fixed is not None for coordinate in node.quantities)


def _symbols(point: Point) -> ca.SX:
    axes = "xyz"[: point.position.numel()]
    return ca.vertcat(*(ca.SX.sym(f"{point.name}:reaction_{axis}") for axis in axes))


def _sides(element: Element, point: Point, both: Sequence[Side]) -> Sequence[Side]:
    """Return which of the sides at a point an element is on.

    It is on that of its own orientation, or else on that of the body on whose own point a joint
    has it pull.
    """
    nodes = touched(element)
    own = [side for side in both if side in nodes]
    if own or len(both) == 1:
        return own
    pulled = [e.pulls_on.get(point.name) for e in (element, *element.acting_on())]
    return [side for side in both if any(body is side for body in pulled)]


def _refuse_third(reaction: Reaction, here: Sequence[tuple[Element, Sequence[Side]]]) -> None:
    """Refuse what is at a point and on no side of it, or on both."""
    for element, sides in here:
        oriented = any(isinstance(node, Angle | Rotation) for node in touched(element))
        if not sides and (oriented or reaction.body is None):
            reaction.refuse(element.title)
        if len(sides) > 1:
            reaction.refuse(element.title, "both")
    supported = any(c.fixed is not None for c in reaction.point.quantities)
    fixed = any(isinstance(x, Node) and is_fixed(x) for x in (reaction.side, reaction.other))
    if supported and not fixed and reaction.body is None:
        reaction.refuse("the support")


def _unsupported(
    point: Point, side: Angle | Rotation, other: Angle | Rotation
) -> list[Angle | Rotation]:
    """Return the sides whose elements give the whole force: the ground has its support, too."""
    supported = any(c.fixed is not None for c in point.quantities)
    return [x for x in (side, other) if not (supported and is_fixed(x))]
