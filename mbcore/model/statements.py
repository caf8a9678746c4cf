"""Statements of elements: the formulas of strains, slips, placed nodes, inertia and limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import casadi as ca

from mbcore.model.nodes.nodes import Node, Rotation
from mbcore.model.variables import Severity


@dataclass(frozen=True)
class Strain:
    """Formula of one generalized deformation; ``rigid`` is its role by default.

    ``expression`` is D(x), scalar, in ``unit``; ``residual(target)`` is D(x) - target in a form
    without branches near the solution, for angles that wind.
    ``rate`` is its rate in a shorter form than differentiation gives, which holds while the strains
    of the same element named in ``rate_if_zero`` are rigid at zero.
    """

    expression: ca.SX
    unit: str = "m"
    residual: Callable[[ca.SX], ca.SX] | None = None
    rigid: bool = True
    rate: ca.SX | None = None
    rate_if_zero: tuple[str, ...] = ()


@dataclass(frozen=True)
class Placement:
    """The place of a node, given other nodes and all strains between them: a strain solved for it.

    Attributes
    ----------
    node : Node
        The node that is placed; ``others`` are the nodes that its place depends on.
    coordinates : SX
        Its coordinates in coordinates and directions of the others and ``value`` of the strains.
    strains : tuple of str
        As many as the node has speeds; they may have any role.
    zero : tuple of str
        Strains of the element that must be rigid at zero. The coordinates may hold others than
        ``strains``, whose rates constraint forces need.
    speeds : SX, optional
        The node's speeds in speeds of the others, ``rate`` of the strains and directions of the
        others or of itself; by default the derivative of the coordinates, which is right for
        points and angles.
    """

    node: Node
    others: tuple[Node, ...]
    coordinates: ca.SX
    strains: tuple[str, ...]
    zero: tuple[str, ...] = ()
    speeds: ca.SX | None = None


@dataclass(frozen=True)
class Inertia:
    """Inertia of velocities u that are rates of inertial vectors: T = ½ uᵀ m u with constant m."""

    velocities: ca.SX
    matrix: ca.SX


@dataclass(frozen=True)
class Spin:
    """Inertia of a body that turns: T = ½ ωᵀ J ω with a tensor J on body-fixed axes, kg.m2."""

    rotation: Rotation
    tensor: ca.SX

    @property
    def rotations(self) -> tuple[Rotation]:
        """Orientation that turns."""
        return (self.rotation,)


@dataclass(frozen=True)
class AxialSpin:
    """Inertia of turning about axes of bodies: T = ½ sᵀ m s with s_i = ω_i·e_i and constant m.

    Attributes
    ----------
    rotations : tuple of Rotation
        Orientations that turn, each once.
    axes : tuple of SX
        e_i on body-fixed axes, unit vectors, shape (3, 1) each.
    matrix : SX
        m, symmetric, kg.m2.
    """

    rotations: tuple[Rotation, ...]
    axes: tuple[ca.SX, ...]
    matrix: ca.SX

    @property
    def directions(self) -> list[ca.SX]:
        """e_i on space-fixed axes, shape (3, 1) each."""
        return [r.turned(e) for r, e in zip(self.rotations, self.axes, strict=True)]

    @property
    def spins(self) -> ca.SX:
        """s, rad/s."""
        pairs = zip(self.rotations, self.directions, strict=True)
        return ca.vertcat(*(ca.dot(rotation.speeds, e) for rotation, e in pairs))


@dataclass(frozen=True)
class QuasiInertia:
    """Inertia of other rates u, linear in the velocities: T = ½ uᵀ m u with constant m."""

    velocities: ca.SX
    matrix: ca.SX


InertiaPart = Inertia | Spin | AxialSpin | QuasiInertia


@dataclass(frozen=True)
class SlipRate:
    """Formula of one slip; ``zero`` is its role by default.

    ``expression`` is scalar and linear in the velocities, in ``unit``.
    """

    expression: ca.SX
    unit: str = "m/s"
    zero: bool = True


class Limit(NamedTuple):
    """A condition of an element's validity.

    Attributes
    ----------
    condition : SX
        Positive where it holds.
    message : str
        The fault where it fails, and the remedy.
    shown : SX, optional
        Value that the message quotes, by default the condition.
    severity : {"error", "warning"}
    followed : SX, optional
        A smooth measure, at most about 1, that vanishes where the condition fails: its zeros are
        located inside steps too. By default the condition is evaluated at the end of each step
        only, so that a short violation within a step is missed.
    """

    condition: ca.SX
    message: str
    shown: ca.SX | None = None
    severity: Severity = "error"
    followed: ca.SX | None = None


def kinetic_energy(part: InertiaPart) -> ca.SX:
    """Return the kinetic energy of a part, J."""
    if isinstance(part, AxialSpin):
        return ca.bilin(part.matrix, part.spins, part.spins) / 2
    if isinstance(part, Spin):
        omega = part.rotation.body_angular_velocity
        return omega.T @ part.tensor @ omega / 2
    return part.velocities.T @ part.matrix @ part.velocities / 2


def length(vector: ca.SX) -> ca.SX:
    """Return the Euclidean length, scalar."""
    return ca.sqrt(ca.dot(vector, vector))
