"""The reaction of a joint, of elements at a node, or of a support: which pulls make it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import casadi as ca

from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes.connection import Connecting, Connection, Side
from mbcore.model.nodes.nodes import Angle, Node, Point
from mbcore.model.parts.nodes import Nodes
from mbcore.model.parts.reaction import Acting, Reaction, Symbols, axes_of, place_of
from mbcore.model.parts.reactions import Reactions
from mbcore.model.parts.touching import is_fixed


class JointReactions:
    """Makes reactions of a model's joints and nodes.

    Parameters
    ----------
    nodes : Nodes
        Those of the model.
    reactions : Reactions
        Where the pulls are noted.
    """

    def __init__(self, nodes: Nodes, reactions: Reactions) -> None:
        self._nodes, self._pulls = nodes, reactions

    def of(
        self,
        joint: object,
        *,
        on: object = None,
        at: Point | Sequence[object] | ca.SX | None = None,
        axes: object = None,
        of: object = None,
    ) -> Reaction:
        """Return the force and moment that a joint exerts on one of its bodies.

        They are those that the joint transmits: constraint forces, and all that acts along the
        joint's own motion, as motors, springs, friction and couplings of its angle. ``force`` and
        ``moment`` are for outputs, events and requirements::

            pin = model.reaction(joint)  # on the second body of the joint
            model.output("pin.force", ca.norm_2(pin.force), unit="N")
            model.output("motor", pin.moment[2], unit="N.m")  # in the plane: pin.moment

        Where the joint's point is the own one of one body, loads and further elements at that point
        belong to this body. Else they belong to neither: the force on a body is that of all others
        at the point.

        Parameters
        ----------
        joint : joint, Element, or nodes
            A joint, as `revolute` and the like return it; an element with two sides: a hinge,
            slide, bearing, rigid link, gear pair, truss, beam or wheel. Or a point, an orientation
            or a pair of both: what supports it, or with ``of`` what these elements pull with.
        on : Body, Model or node, optional
            The side on which the force acts: a body, its orientation or its point, or the model for
            the ground; by default the second one (``q``), the wheel of a wheel.
        at : Point or sequence, optional
            Point of the moment, or its position on inertial axes, m; by default that of the joint.
            That of a hinge is the one point that both bodies share; where they share several or
            none, it is the centre of the pin.
        axes : Angle, Rotation, Body or matrix, optional
            Axes of the components, as the columns of a matrix; by default the inertial ones.
        of : Element, sequence of Element, Angle or Rotation, optional
            At nodes, the elements that pull. At a joint, the elements of the side ``on`` at its
            point, where orientations do not tell.

        Returns
        -------
        reaction : Reaction
            With ``force``, shape (2, 1) or (3, 1), and ``moment``, a scalar or (3, 1).

        Raises
        ------
        ModelError
            If the joint is none, is of another model, or is no longer in it; if a side, point or
            axes do not fit. When the equations are made: if forces are not unique because
            constraints are redundant, or nothing supports the nodes.
        """
        nodes = _nodes_of(joint)
        if nodes:
            return self._at_nodes(nodes, on, at, axes, of)
        connection = joint.connection() if isinstance(joint, Connecting) else None
        if connection is None:
            title = f"reaction in model {self._pulls.model}"
            if isinstance(joint, str):
                raise ModelError(
                    f"{title}: {joint!r} is a name; give the joint itself, as returned "
                    "by revolute(...)"
                )
            name = joint.title if isinstance(joint, Element) else repr(joint)
            raise ModelError(
                f"{title}: {name} joins no two sides; give a joint, with on= for the body, or a "
                "point, an orientation or a pair of both, with of= for the elements that pull there"
            )
        return self._of_joint(connection, on, at, axes, of)

    # At nodes

    def _at_nodes(
        self, nodes: Sequence[Node], on: object, at: object, axes: object, of: object
    ) -> Reaction:
        names = " and ".join(node.name for node in nodes)
        title = f"reaction at {names}"
        for node in nodes:
            self._nodes.refuse_strange(title, node)
        if on is not None:
            raise ModelError(f"{title}: on is for joints; here the force is on {names}")
        side = None if of is None else self._pulls.checked(title, nodes, of)
        if isinstance(side, Node) and any(not isinstance(node, Point) for node in nodes):
            raise ModelError(f"{title}: of is {of!r}; give the elements that pull at {names}")
        pull = partial(self._pulls.added, side=side, owner=title)
        forces = [Acting(n.position, partial(pull, n)) for n in nodes if isinstance(n, Point)]
        moments: list[Symbols] = [partial(pull, n) for n in nodes if not isinstance(n, Point)]
        place = forces[0].place if forces else None
        return self._made(title, nodes, (forces, moments, place), at, axes)

    # Of joints

    def _of_joint(
        self, connection: Connection, on: object, at: object, axes: object, of: object
    ) -> Reaction:
        c, title = connection, f"reaction of {connection.title}"
        self._refuse_strange(title, c)
        side = c.q if on is None else self._chosen(title, c, on)
        other = c.p if side is c.q else c.q
        if not side.nodes:
            raise ModelError(
                f"{title}: the ground has no node there; take the opposite of the force on the "
                "other side"
            )
        pull = partial(self._pulls.added, side=side.carriers, owner=title)
        forces = [Acting(n.position, partial(pull, n)) for n in side.nodes if isinstance(n, Point)]
        moments: list[Symbols] = [partial(pull, n) for n in side.nodes if not isinstance(n, Point)]
        place = side.place.position if isinstance(side.place, Point) else side.place
        point = c.point
        if c.meets and point is None:
            point, at = self._met(title, side, other, at)
        if point is not None:
            place = point.position
            forces.append(Acting(place, partial(self._passed, title, point, side, other, of)))
        elif of is not None:
            raise ModelError(f"{title}: of is for joints at a point of both bodies; leave it out")
        return self._made(title, side.nodes, (forces, moments, place), at, axes)

    def _made(
        self,
        title: str,
        nodes: Sequence[Node],
        found: tuple[list[Acting], list[Symbols], ca.SX | None],
        at: object,
        axes: object,
    ) -> Reaction:
        """Return a reaction of forces and moments about a place, or about ``at``."""
        forces, moments, place = found
        size = _dimensions(nodes)
        if at is not None:
            if isinstance(at, Point):
                self._nodes.refuse_strange(title, at)
            if not forces:
                raise ModelError(f"{title}: at is {at!r}, but there is no force; leave it out")
            place = place_of(title, at, size)
        turning = axes if isinstance(axes, Node) else getattr(axes, "orientation", None)
        if isinstance(turning, Node):
            self._nodes.refuse_strange(f"{title}: axes", turning)
        turned = None if axes is None else axes_of(title, axes, size)
        return Reaction(title, forces, moments, place, turned)

    def _passed(self, title: str, point: Point, side: Side, other: Side, of: object) -> ca.SX:
        """Return the force on a side through a point that both sides share."""
        own, others = side.orientation, other.orientation
        if of is None:
            assert own is not None
            return self._pulls.added(point, own, other=others, owner=title, in_joint=True)
        chosen = self._pulls.checked(title, [point], of)
        return -self._pulls.added(point, chosen, owner=title)

    def _met(self, title: str, side: Side, other: Side, at: object) -> tuple[Point | None, object]:
        """Return the point at which both sides of a hinge meet, if any, and what is left of at."""
        assert side.orientation is not None and other.orientation is not None
        found = self._pulls.meeting(other.orientation, side.orientation)
        if isinstance(at, Point) and (not found or any(at is point for point in found)):
            self._nodes.refuse_strange(title, at)
            return at, None
        if len(found) > 1:
            names = ", ".join(point.name for point in found)
            raise ModelError(
                f"{title}: both bodies share the points {names}; give the one of the pin as at="
            )
        return (found[0] if found else None), at

    def _chosen(self, title: str, c: Connection, on: object) -> Side:
        """Return the side that a user names."""
        if getattr(on, "ground", None) is self._nodes.ground:
            sides = [s for s in (c.p, c.q) if all(map(is_fixed, s.nodes))]
        else:
            wanted = [on] if isinstance(on, Node) else on.nodes() if isinstance(on, Element) else []
            # Bodies may share a point, but not an orientation.
            turning = [node for node in wanted if not isinstance(node, Point)]
            sides = _holding(c, turning) or _holding(c, wanted)
        if len(sides) != 1:
            names = " or ".join(
                ", ".join(node.name for node in s.nodes) or "the ground" for s in (c.p, c.q)
            )
            name = getattr(on, "name", on)
            raise ModelError(
                f"{title}: on is {name}, which is {'both sides' if sides else 'none of its sides'};"
                f" give one that has {names}"
            )
        return sides[0]

    def _refuse_strange(self, title: str, c: Connection) -> None:
        """Refuse joints of another model, and such as have been taken out of theirs."""
        for side in (c.p, c.q):
            if any(self._nodes.get(node.name) is not node for node in side.nodes):
                raise ModelError(
                    f"{title}: it is not of model {self._pulls.model}; give a joint of this model"
                )
            carriers = [e for e in side.carriers if isinstance(e, Element)]
            if carriers:
                self._pulls.refuse_deleted(title, carriers)


def _dimensions(nodes: Sequence[Node]) -> int:
    """Return whether nodes are in the plane, 2, or in space, 3."""
    first = nodes[0]
    if isinstance(first, Point):
        return int(first.position.numel())
    return 2 if isinstance(first, Angle) else 3


def _nodes_of(joint: object) -> tuple[Node, ...]:
    """Return a point, an orientation or a pair of both that is given in place of a joint."""
    given = tuple(joint) if isinstance(joint, list | tuple) else (joint,)
    if not given or not all(isinstance(node, Node) for node in given):
        return ()
    kinds = [isinstance(node, Point) for node in given]
    if len(given) > 2 or (len(given) == 2 and sum(kinds) != 1):
        raise ModelError(
            f"reaction at {', '.join(node.name for node in given)}: give one node, or a point with "
            "an orientation"
        )
    return given


def _holding(c: Connection, wanted: Sequence[Node]) -> list[Side]:
    return [s for s in (c.p, c.q) if any(node is own for node in wanted for own in s.nodes)]
