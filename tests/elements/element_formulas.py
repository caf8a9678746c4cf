"""Tools that evaluate formulas of an element at numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from mbcore import Model
from mbcore.elements import Element
from mbcore.model.nodes.nodes import Node, Rotation, in_coordinates


def in_model(element: Element) -> Element:
    """Add an element to a model of its nodes alone, which makes its quantities and events."""
    model = Model("case")
    for node in element.nodes():
        model.nodes.add(node)
    return model.add(element)


def by_coordinates(element: Element, expression: ca.SX) -> ca.SX:
    """Write an element's formula in coordinates and their velocities alone."""
    return in_coordinates(ca.SX(expression), *element.nodes())


def coordinates_of(element: Element) -> tuple[ca.SX, ca.SX]:
    nodes = element.nodes()
    return (
        ca.vertcat(*(node.coordinates for node in nodes)),
        ca.vertcat(*(node.velocities for node in nodes)),
    )


def function(element: Element, expression: ca.SX) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    compiled = ca.Function(
        "f", [*coordinates_of(element)], [ca.densify(by_coordinates(element, expression))]
    )
    return lambda x, v: np.array(compiled(x, v)).squeeze()


def start_of(element: Element) -> np.ndarray:
    return np.concatenate([np.array(ca.DM(node.start)).ravel() for node in element.nodes()])


def normalized(nodes: Sequence[Node], x: np.ndarray) -> np.ndarray:
    """Coordinates with Euler parameters of length one."""
    x, at = x.copy(), 0
    for node in nodes:
        n = node.coordinates.numel()
        if isinstance(node, Rotation):
            x[at : at + n] /= np.linalg.norm(x[at : at + n])
        at += n
    return x


def deformed(element: Element, random: np.random.Generator, by: float = 0.2) -> np.ndarray:
    """Coordinates at random around those of the start."""
    start = start_of(element)
    return normalized(element.nodes(), start + by * random.standard_normal(start.size))


def tangent(element: Element, x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Velocities without what would change the norm of Euler parameters."""
    v, at = v.copy(), 0
    for node in element.nodes():
        n = node.coordinates.numel()
        if isinstance(node, Rotation):
            v[at : at + n] -= x[at : at + n] * (x[at : at + n] @ v[at : at + n])
        at += n
    return v
