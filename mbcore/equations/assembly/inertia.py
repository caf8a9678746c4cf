"""Mass matrix and inertia terms of a model over its nodes' speeds, element by element.

Velocities that are rates of inertial vectors need only their derivatives (Kane); a body that turns
needs Euler's equation; any other kinetic energy is differentiated, with the terms of
quasi-velocities in Lagrange's equations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from mbcore.equations.small_matrices import symmetric_product
from mbcore.model.element import Element, Spin
from mbcore.model.expressions import column
from mbcore.model.nodes.nodes import Node, Rotation

Place = Callable[[ca.SX], ca.SX]


@dataclass(frozen=True)
class ElementInertia:
    """Inertia forces M ẇ + h of one element over the speeds w of its nodes, fixed ones included."""

    nodes: list[Node]
    M: ca.SX
    h: ca.SX

    @property
    def speeds(self) -> ca.SX:
        """Speeds of the nodes, shape (n, 1)."""
        return column(node.speeds for node in self.nodes)

    @property
    def speed_rates(self) -> ca.SX:
        """Their rates, shape (n, 1)."""
        return column(node.speed_rates for node in self.nodes)


def element_inertia(element: Element, place: Place) -> ElementInertia:
    """Return mass matrix and inertia terms h, [Schwab2002] (A.12), of an element.

    Parameters
    ----------
    place : callable
        Replaces the symbols of fixed nodes in an expression by their values.
    """
    nodes = element.nodes()
    w = column(node.speeds for node in nodes)
    changing = column(node.changing for node in nodes)
    change = place(column(node.change for node in nodes))
    M, h = ca.SX(w.numel(), w.numel()), ca.SX(w.numel(), 1)
    # Only an element that overrides the kinetic energy needs general differentiation.
    if type(element).kinetic_energy is not Element.kinetic_energy:
        M, h = _differentiated(element, nodes, w, changing, change, place)
        return ElementInertia(nodes, M, h)
    for part in element.inertias():
        if isinstance(part, Spin):
            start = _first_speed(nodes, part.rotation)
            rows = list(range(start, start + 3))
            R, omega = part.rotation.matrix, part.rotation.speeds
            # The tensor on inertial axes, as the speeds of a rotation are on these.
            J = _symmetric(R @ part.tensor, R)
            M[rows, rows] += J
            h[rows] += ca.cross(omega, J @ omega)  # Euler's equation, [Schwab2002] (B.19)
        else:  # Kane's equations: E is the partial velocities; h of [Schwab2002] (A.12)
            u = place(part.velocities)
            E = ca.jacobian(u, w)
            M += _symmetric(E.T @ part.matrix, E.T)
            h += E.T @ (part.matrix @ ca.jtimes(u, changing, change))
    return ElementInertia(nodes, place(M), place(h))


def _differentiated(
    element: Element, nodes: list[Node], w: ca.SX, changing: ca.SX, change: ca.SX, place: Place
) -> tuple[ca.SX, ca.SX]:
    """Return M and h of a kinetic energy T: M ẇ + h = d(∂T/∂w)/dt + ∂T/∂ω × ω - ∂T/∂π.

    This is [Schwab2002] (A.13) in quasi-velocities.
    """
    T = place(element.kinetic_energy())
    momentum = ca.gradient(T, w)
    h = ca.jtimes(momentum, changing, change)
    # ∂T/∂π for quasi-coordinates π: the derivative of T along virtual velocities, by these.
    moved = ca.SX.sym("virtual", w.numel())
    virtual = ca.substitute(change, w, moved)
    h -= ca.gradient(ca.jtimes(T, changing, virtual), moved)
    for node in nodes:
        if isinstance(node, Rotation):
            start = _first_speed(nodes, node)
            rows = list(range(start, start + 3))
            h[rows] += ca.cross(momentum[rows], node.speeds)
    return ca.jacobian(momentum, w), h


def _first_speed(nodes: list[Node], node: Node) -> int:
    return sum(n.speeds.numel() for n in nodes[: [n.name for n in nodes].index(node.name)])


def _symmetric(left: ca.SX, right: ca.SX) -> ca.SX:
    """Return the symmetric matrix left @ rightᵀ, from one of its triangles."""
    return symmetric_product(ca.sparsify(left), ca.sparsify(right.T))
