"""Mass matrix and inertia terms of a model over its nodes' speeds, element by element.

Velocities that are rates of inertial vectors need only their derivatives (Kane); a body that turns
needs Euler's equation; any other kinetic energy is differentiated, with the terms of
quasi-velocities in Lagrange's equations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.equations.small_matrices import symmetric_product
from mbcore.model.element import Element
from mbcore.model.expressions import column, replace
from mbcore.model.nodes.nodes import Node, Rotation
from mbcore.model.statements import AxialSpin, Inertia, InertiaPart, QuasiInertia, Spin
from mbcore.model.tables import derivatives

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
    n = sum(node.speeds.numel() for node in nodes)
    # An element that overrides the kinetic energy states no parts of it.
    if type(element).kinetic_energy is not Element.kinetic_energy:
        M, h = _of_energy(place(element.kinetic_energy()), nodes, place)
        return ElementInertia(nodes, place(M), place(h))
    M, h = ca.SX(n, n), ca.SX(n, 1)
    for part in element.inertias():
        turning = part.rotations if isinstance(part, AxialSpin | Spin) else nodes
        rows = [row for node in turning for row in _rows(nodes, node)]
        more, forces = _inertia_of(part, nodes, place)
        M[rows, rows] += more
        h[rows] += forces
    return ElementInertia(nodes, place(M), place(h))


def _inertia_of(part: InertiaPart, nodes: list[Node], place: Place) -> tuple[ca.SX, ca.SX]:
    """Return M and h of one part over the speeds of its rotations, or of all nodes."""
    if isinstance(part, Spin):
        return _of_body(part)
    if isinstance(part, AxialSpin):
        return _of_axes(part)
    if isinstance(part, Inertia):
        return _of_velocities(part, nodes, place)
    return _of_rates(part, nodes, place)


def _of_velocities(part: Inertia, nodes: list[Node], place: Place) -> tuple[ca.SX, ca.SX]:
    """Return M and h of Kane's equations, of which E is the partial velocities."""
    w, changing, change = _motion(nodes, place)
    u = place(part.velocities)
    E = derivatives.jacobian(u, w)
    # h of [Schwab2002] (A.12)
    return _symmetric(E.T @ part.matrix, E.T), E.T @ (
        part.matrix @ derivatives.jtimes(u, changing, change)
    )


def _of_body(part: Spin) -> tuple[ca.SX, ca.SX]:
    """Return M and h of Euler's equation, with the tensor on inertial axes as the speeds are."""
    R, omega = part.rotation.matrix, part.rotation.speeds
    if (part.tensor - ca.diag(ca.diag(part.tensor))).is_zero():
        return _of_principal_axes(part, ca.vertsplit(ca.diag(part.tensor)))
    J = _symmetric(R @ part.tensor, R)
    return J, ca.cross(omega, J @ omega)  # Euler's equation, [Schwab2002] (B.19)


def _of_principal_axes(part: Spin, moments: Sequence[ca.SX]) -> tuple[ca.SX, ca.SX]:
    """Return M and h of a tensor that is diagonal on the body's axes.

    With ΣI e_i eᵢᵀ = 1, J is J_k 1 + Σ (J_i - J_k) e_i eᵢᵀ: shortest where J_k occurs most often.
    J_k 1 has no part in ω × Jω.
    """
    same = [sum(ca.is_equal(one, other, 2) for other in moments) for one in moments]
    common = moments[max(range(3), key=lambda i: (same[i], i))]
    others = [
        (moment - common, axis)
        for moment, axis in zip(moments, ca.horzsplit(part.rotation.matrix), strict=True)
        if not ca.is_equal(moment, common, 2)
    ]
    J, omega, momentum = common * ca.SX.eye(3), part.rotation.speeds, ca.SX(3, 1)
    for excess, axis in others:
        scaled = excess * axis
        J += symmetric_product(scaled, axis.T)
        momentum += ca.dot(scaled, omega) * axis
    return J, ca.cross(omega, momentum)  # [Schwab2002] (B.19)


def _of_axes(part: AxialSpin) -> tuple[ca.SX, ca.SX]:
    """Return M and h of spins about axes of bodies.

    The momentum of each body is (m s)_i e_i. Since ė = ω × e, only ω̇ changes the spins ω·e.
    """
    E = ca.diagcat(*part.directions)
    momenta = ca.vertsplit(part.matrix @ part.spins)
    pairs = zip(part.rotations, part.directions, strict=True)
    turning = [ca.cross(rotation.speeds, e) for rotation, e in pairs]
    moments = [s * rate for s, rate in zip(momenta, turning, strict=True)]
    return _symmetric(E @ part.matrix, E), ca.vertcat(*moments)


def _of_rates(part: QuasiInertia, nodes: list[Node], place: Place) -> tuple[ca.SX, ca.SX]:
    """Return M and h of rates that belong to no vectors.

    With the momenta c = m u, ∂T is Σ c_i ∂u_i: M ẇ + h are those of Lagrange's equations for the
    linear Σ c_i u_i with constant c, and ċ as Kane's equations have it.
    """
    w, changing, change = _motion(nodes, place)
    u = place(part.velocities)
    E, c = derivatives.jacobian(u, w), ca.SX.sym("momenta", u.numel())
    turning = replace(_lagrange(ca.dot(c, u), nodes, place), c, part.matrix @ u)
    M = _symmetric(E.T @ part.matrix, E.T)
    return M, E.T @ (part.matrix @ derivatives.jtimes(u, changing, change)) + turning


def _of_energy(T: ca.SX, nodes: list[Node], place: Place) -> tuple[ca.SX, ca.SX]:
    """Return M and h of a kinetic energy of any form."""
    return derivatives.hessian(T, _motion(nodes, place)[0]), _lagrange(T, nodes, place)


def _lagrange(T: ca.SX, nodes: list[Node], place: Place) -> ca.SX:
    """Return h of d(∂T/∂w)/dt + ∂T/∂ω × ω - ∂T/∂π = M ẇ + h.

    This is [Schwab2002] (A.13) in quasi-velocities.
    """
    w, changing, change = _motion(nodes, place)
    momentum = derivatives.gradient(T, w)
    h = derivatives.jtimes(momentum, changing, change)
    # ∂T/∂π for quasi-coordinates π: the derivative of T along virtual velocities, by these.
    moved = ca.SX.sym("virtual", w.numel())
    virtual = ca.substitute(change, w, moved)
    h -= derivatives.gradient(derivatives.jtimes(T, changing, virtual), moved)
    for node in nodes:
        if isinstance(node, Rotation):
            rows = _rows(nodes, node)
            h[rows] += ca.cross(momentum[rows], node.speeds)
    return h


def _motion(nodes: list[Node], place: Place) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Return the nodes' speeds, what changes with them, and its rates."""
    speeds = column(node.speeds for node in nodes)
    changing = column(node.changing for node in nodes)
    return speeds, changing, place(column(node.change for node in nodes))


def _rows(nodes: list[Node], node: Node) -> list[int]:
    """Return the places of a node's speeds among those of all nodes."""
    first = sum(n.speeds.numel() for n in nodes[: [n.name for n in nodes].index(node.name)])
    return list(range(first, first + node.speeds.numel()))


def _symmetric(left: ca.SX, right: ca.SX) -> ca.SX:
    """Return the symmetric matrix left @ rightᵀ, from one of its triangles."""
    return symmetric_product(ca.sparsify(left), ca.sparsify(right.T))
