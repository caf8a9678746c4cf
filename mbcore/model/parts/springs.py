"""The shapes of springs and dampers that act on coordinates of nodes, between them and the ground.

A law is drawn as a spring where its derivative by the coordinate depends on nothing but that and on
parameters, and has no branches. Those of elements' deformations are a matter of the elements' own
shapes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import casadi as ca

from mbcore.model.element import Element
from mbcore.model.nodes.nodes import Angle, Coordinate, Point
from mbcore.model.parts.elements import Elements
from mbcore.model.parts.nodes import Nodes
from mbcore.model.shapes.shape import Shape
from mbcore.model.shapes.springs import about, along

BRANCHES = {ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_IF_ELSE_ZERO, ca.OP_SIGN,
            ca.OP_FABS, ca.OP_FMIN, ca.OP_FMAX}  # fmt: skip
"""Operations of contacts, stops and friction, which are no springs."""


@dataclass(frozen=True)
class Acting:
    """A spring and a damper, or one of them, that act on a coordinate."""

    elastic: bool
    damped: bool
    rest: ca.SX


def spring_shapes(
    nodes: Nodes, elements: Elements, parameters: Iterable[ca.SX] = ()
) -> list[Shape]:
    """Return the shapes of all springs and dampers on coordinates, seen or not at the start.

    A point has them along each axis; they begin where they are relaxed. An orientation in the plane
    has a spiral about the first point that an element attaches to it.
    """
    found: list[Shape] = []
    known = {symbol.element_hash() for symbol in parameters}
    for node in nodes.values():
        if isinstance(node, Point):
            for axis, coordinate in enumerate(node.quantities):
                acting = _acting(coordinate, known)
                deflection = coordinate.expression - acting.rest
                if acting.elastic or acting.damped:
                    found += along(
                        node, axis, deflection, acting.elastic, acting.damped, coordinate.name
                    )
        elif isinstance(node, Angle):
            acting = _acting(node.angle, known)
            place = _place(node, elements.values()) if acting.elastic else None
            if place is not None:
                found.append(about(place, node.value - acting.rest, node.angle.name))
    return found


def _acting(coordinate: Coordinate, parameters: set[int]) -> Acting:
    springs = coordinate.springs
    if springs:
        elastic = any(spring.is_elastic for spring in springs)
        return Acting(elastic, any(spring.damped for spring in springs), springs[0].rest)
    force, none = ca.SX(0), ca.SX(0)
    for law in coordinate.laws:
        force += law
    value, rate = coordinate.value, coordinate.rate
    stiffness, damping = ca.jacobian(force, value), ca.jacobian(force, rate)
    elastic = _depends_on(stiffness, parameters | {value.element_hash()})
    damped = _depends_on(damping, parameters)
    left = ca.substitute(ca.substitute(force, value, none), rate, none)
    constant = _depends_on(stiffness, parameters) and _depends_on(left, parameters)
    return Acting(elastic, damped, -left / stiffness if constant else none)


def _depends_on(slope: ca.SX, known: set[int]) -> bool:
    """Return whether a slope is not zero, has no branches, and depends on known symbols alone."""
    if slope.is_zero():
        return False
    symbols = ca.symvar(slope)
    if any(symbol.element_hash() not in known for symbol in symbols):
        return False
    made = ca.Function("slope", symbols, [slope])
    return not any(made.instruction_id(i) in BRANCHES for i in range(made.n_instructions()))


def _place(node: Angle, elements: Iterable[Element]) -> Point | None:
    for element in elements:
        for point, turn in element.ends():
            if turn is node and point.planar:
                return point
    return None
