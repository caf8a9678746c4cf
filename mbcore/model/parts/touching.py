"""Elements that pull at a node, and their sides."""

from __future__ import annotations

from collections.abc import Sequence

from mbcore.model.element import Element
from mbcore.model.nodes.nodes import Node, Point


def touched(element: Element) -> list[Node]:
    """Return the nodes at which an element pulls."""
    return [node for e in pulling(element) for node in e.nodes()]


def acting_in(element: Element) -> list[Element]:
    """Return the elements through which another one pulls."""
    return [e for e in element.acting_on() if isinstance(e, Element)]


def pulling(element: Element) -> list[Element]:
    """Return an element and those through which it pulls."""
    return [element, *acting_in(element)]


def is_fixed(node: Node) -> bool:
    """Return whether a node is part of the ground."""
    return all(coordinate.fixed is not None for coordinate in node.quantities)


def has_body(side: Node, here: Sequence[tuple[Element, Sequence[Node]]]) -> bool:
    """Return whether there is an element of a side that connects it to nothing."""
    return any(side in of and e.connection() is None for e, of in here)


def is_supported_with(point: Point, side: Node) -> bool:
    """Return whether the support of a point is that of a side."""
    return is_fixed(side) and any(c.fixed is not None for c in point.quantities)


def ends_at(element: Element, point: Point) -> bool:
    """Return whether a point is only tied to an element's body, as the end of a link is."""
    c = element.connection()
    return c is not None and any(side.nodes == (point,) for side in (c.p, c.q))


def sides_of(element: Element, point: Point, both: Sequence[Node]) -> list[Node]:
    """Return which of the sides at a point an element is on.

    It is on that of its own orientation, or else on that of the body on whose own point a joint
    has it pull.
    """
    nodes = touched(element)
    own = [side for side in both if side in nodes]
    if own or len(both) == 1:
        return own
    pulled = [e.pulls_on.get(point.name) for e in pulling(element)]
    return [side for side in both if any(body is side for body in pulled)]
