"""The shapes of springs and dampers that act on coordinates of nodes, between them and the ground.

Those of elements' deformations are a matter of the elements' own shapes.
"""

from __future__ import annotations

from collections.abc import Iterable

from mbcore.model.element import Element
from mbcore.model.nodes.nodes import Angle, Coordinate, Point
from mbcore.model.parts.elements import Elements
from mbcore.model.parts.nodes import Nodes
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.springs import about, along


def spring_shapes(nodes: Nodes, elements: Elements) -> list[Shape]:
    """Return the shapes of all springs and dampers on coordinates, seen or not at the start.

    A point has them along each axis; they begin where they are relaxed. An orientation in the plane
    has a spiral about the first point that an element attaches to it.
    """
    found: list[Shape] = []
    for node in nodes.values():
        if isinstance(node, Point):
            for axis, coordinate in enumerate(node.quantities):
                found += _along(node, axis, coordinate)
        elif isinstance(node, Angle) and node.angle.springs:
            place = _place(node, elements.values())
            if place is not None:
                deflection = node.value - node.angle.springs[0].rest
                found.append(about(place, deflection, node.angle.name))
    return found


def _along(point: Point, axis: int, coordinate: Coordinate) -> list[Shape]:
    springs = coordinate.springs
    if not springs:
        return []
    elastic = any(spring.is_elastic for spring in springs)
    damped = any(spring.damped for spring in springs)
    deflection = coordinate.expression - springs[0].rest
    return along(point, axis, deflection, elastic, damped, coordinate.name)


def _place(node: Angle, elements: Iterable[Element]) -> Point | None:
    for element in elements:
        for point, turn in element.ends():
            if turn is node and point.planar:
                return point
    return None
