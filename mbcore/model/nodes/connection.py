"""The sides of an element or joint: two sides, each with its nodes and with what pulls at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import casadi as ca

from mbcore.model.nodes.nodes import Angle, Node, Point, Rotation


@dataclass(frozen=True)
class Side:
    """One side of a connection.

    Attributes
    ----------
    nodes : tuple of Node
        Points and orientations of this side that the carriers pull at; none of a side at rest that
        has no node, as the ground under a wheel.
    carriers : tuple
        Elements that act between both sides. Friction in one of them belongs to it, as it does in a
        joint without elements, which then stands here itself.
    place : Point or SX, optional
        Where the force acts, about which the moment is; by default the point of both sides.
    """

    nodes: tuple[Node, ...]
    carriers: tuple[object, ...]
    place: Point | ca.SX | None = None

    @property
    def orientation(self) -> Angle | Rotation | None:
        """The first orientation among its nodes."""
        return next((n for n in self.nodes if isinstance(n, Angle | Rotation)), None)


@dataclass(frozen=True)
class Connection:
    """Two sides that an element or joint connects.

    Attributes
    ----------
    title : str
        Its name in messages.
    p, q : Side
        Both sides.
    point : Point, optional
        A point of both sides, through which a force goes besides those of the carriers.
    meets : bool
        Whether both sides meet in a point, which is sought if it is not given.
    """

    title: str
    p: Side
    q: Side
    point: Point | None = None
    meets: bool = False


@runtime_checkable
class Connecting(Protocol):
    """An element or joint that names its two sides."""

    def connection(self) -> Connection | None:
        """Return its two sides, None where it has none."""
        ...


def joined(
    title: str, carrier: object, p: tuple[Node, ...], q: tuple[Node, ...], place: Point | ca.SX
) -> Connection:
    """Return the connection by one element whose force acts at one ``place``.

    Parameters
    ----------
    title : str
        Title of the element in messages.
    carrier : Element
        The element.
    p, q : tuple of Node
        The nodes of both sides.
    """
    return Connection(title, Side(p, (carrier,), place), Side(q, (carrier,), place))


def ended(title: str, carrier: object, *ends: tuple[Node, ...]) -> Connection:
    """Return the connection by an element that acts on each of its two ``ends`` at their points.

    Parameters
    ----------
    title : str
        Title of the element in messages.
    carrier : Element
        The element.
    """
    p, q = (Side(nodes, (carrier,), _point(nodes)) for nodes in ends)
    return Connection(title, p, q)


def _point(nodes: tuple[Node, ...]) -> Point:
    return next(node for node in nodes if isinstance(node, Point))
