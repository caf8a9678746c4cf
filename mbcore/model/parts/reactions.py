"""Reactions: what elements, or a support, pull with at a node, and the forces of joints from that.

A `Pull` is the force along the speeds of one node. The force and the moment of a joint are made of
these, one for each node of the side that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn

import casadi as ca

from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes import node_checks
from mbcore.model.nodes.node import Node
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.parts.elements import Elements
from mbcore.model.parts.touching import (
    ends_at,
    has_body,
    is_fixed,
    is_supported_with,
    pulling,
    sides_of,
    touched,
)


@dataclass(frozen=True, eq=False)
class Pull:
    """The force along the speeds of ``node`` of all elements on one side of it.

    Attributes
    ----------
    node : Node
        Where it is pulled at: at a point N, at an orientation N.m, on inertial axes.
    side : Angle, Rotation, tuple or None
        Bodies that pull: the elements that touch a point and have an orientation, or a tuple of
        elements and joints, with the friction in these; None is the support.
    force : SX
        Symbols of the force, shape (n, 1).
    other : Angle or Rotation, optional
        Orientation of the other side. The force of a pin may be that of either side, as only its
        size counts, and all that is at the point must belong to one of both.
    owner : str
        Caller, for messages.
    whole : bool
        Whether an ``owner`` needs the whole force of its side, so that couplings through it are
        refused.
    in_joint : bool
        Whether it is the force on the side in a joint with the ``other`` side, not that of it.
    """

    node: Node
    side: Angle | Rotation | tuple[object, ...] | None
    force: ca.SX
    other: Angle | Rotation | None = None
    owner: str = ""
    whole: bool = False
    in_joint: bool = False

    def refuse(self, what: str, sides: str = "neither") -> NoReturn:
        """Raise the error that something at the point is on no side, or on both."""
        assert isinstance(self.side, Angle | Rotation) and self.other is not None
        names = f"{self.other.name} {'nor' if sides == 'neither' else 'and'} {self.side.name}"
        raise ModelError(
            f"{self.owner}: {what} at {self.node.name} belongs to {sides} {names}, so the pin's "
            "force is not known; give it one of these orientations, or a point of its own that is "
            "fixed to one side, or give of=, the elements on one side of the pin"
        )


class Reactions(list[Pull]):
    """All pulls that users have asked for.

    Parameters
    ----------
    model : str
        Name of the model, for messages.
    elements : Elements
        Those of the model.
    """

    def __init__(self, model: str, elements: Elements) -> None:
        super().__init__()
        self.model, self._elements = model, elements

    def at(
        self, point: Point, of: Element | Sequence[Element] | Angle | Rotation, owner: str = ""
    ) -> ca.SX:
        """Return symbols of the force with which one side pulls at a point, N, (2 or 3, 1).

        Forces through elements of the side belong to it, as friction in its slides does. With
        an ``owner``, couplings through these are refused when equations are made.

        Raises
        ------
        ModelError
            If the point is none, or an element is not of this model or does not touch the point.
        """
        title = owner or self._title
        node_checks.node(title, "point", point, Point)
        side = self.checked(f"{title} at {point.name}", [point], of)
        return self.added(point, side, owner=owner, whole=bool(owner))

    def between(
        self,
        point: Point,
        side: Angle | Rotation,
        other: Angle | Rotation,
        owner: str,
    ) -> ca.SX:
        """Return symbols of the force between two sides at a point, N, up to its sign.

        Elements at the point that are on neither side, or on both, are refused when equations are
        made. An element without an orientation is on the side that owns the point, if one does.
        """
        return self._noted(Pull(point, side, _symbols(point), other, owner, whole=True))

    def added(
        self,
        node: Node,
        side: Angle | Rotation | tuple[object, ...] | None,
        *,
        other: Angle | Rotation | None = None,
        owner: str = "",
        whole: bool = False,
        in_joint: bool = False,
    ) -> ca.SX:
        """Return the symbols of a `Pull`, of one that is there already if it is the same."""
        made = Pull(node, side, _symbols(node), other, owner, whole, in_joint)
        return self._noted(made)

    def _noted(self, pull: Pull) -> ca.SX:
        for known in self:
            nodes = (known.node, known.other) == (pull.node, pull.other)
            asked = (known.owner, known.whole, known.in_joint)
            same = nodes and asked == (pull.owner, pull.whole, pull.in_joint)
            if same and _is_same(known.side, pull.side):
                return known.force
        self.append(pull)
        return pull.force

    def checked(
        self, owner: str, nodes: Sequence[Node], of: object
    ) -> Angle | Rotation | tuple[Element, ...]:
        """Return one side at nodes: an orientation, or elements, each of which touches one of them.

        Raises
        ------
        ModelError
            If it holds nothing, or an element is not of this model or touches no node.
        """
        if isinstance(of, Angle | Rotation):
            return of
        chosen = tuple(of) if isinstance(of, list | tuple) else (of,)
        if not chosen:
            raise ModelError(f"{owner}: of is empty; give the elements of one side")
        for element in chosen:
            if not isinstance(element, Element) or element not in self._elements.values():
                raise ModelError(
                    f"{owner}: {element!r} is not an element of this model; give one that has been "
                    "added, a list of such, or the orientation that they have in common"
                )
            if not any(node in touched(element) for node in nodes):
                there = {e.title for e in self._elements.values() for n in touched(e) if n in nodes}
                said = (
                    f"give one that does, of {', '.join(sorted(there))}"
                    if there
                    else "no element does"
                )
                raise ModelError(f"{owner}: {element.title} does not touch it; {said}")
        return chosen

    def meeting(self, p: Node, q: Node) -> list[Point]:
        """Return the points at which elements of two orientations meet, or one and a support."""
        touching = [element.nodes() for element in self._elements.values()]
        of_p, of_q = (_points(nodes for nodes in touching if end in nodes) for end in (p, q))
        found = [x for x in of_q if x in of_p]
        for end, others in ((p, of_q), (q, of_p)):
            if is_fixed(end):
                found += [x for x in others if is_fixed(x) and x not in found]
        return found

    def elements_of(self, pull: Pull) -> tuple[Element, ...]:
        """Return the elements on the side that is meant, those added later included.

        Raises
        ------
        ModelError
            If one of them has been taken out of the model, no element of this orientation touches
            the point, or something at the point is on neither side of a pin, or on both.
        """
        if isinstance(pull.side, tuple):
            self.refuse_deleted(pull.owner or self._title, pull.side)
            own = [e for e in pull.side if isinstance(e, Element)]
            return (*own, *self._through(pull.side))
        assert pull.side is not None and isinstance(pull.node, Point)
        sides, both = [pull.side], [pull.side]
        if pull.other is not None:
            both.append(pull.other)
        here = self._at(pull.node, both)
        if pull.other is not None:
            owner = _body(pull, here)
            _refuse_third(pull, here, owner)
            sides = [x for x in both if x is not owner]
            if owner is None:
                sides = _unsupported(pull.node, pull.side, pull.other)
        for side in sides:
            found = tuple(e for e, of in here if side in of)
            if found:
                return found
        self._refuse_none(pull, sides)

    def body(self, pull: Pull) -> Node | None:
        """Return the side of a pull between two whose body's own point it is, if it is one's."""
        point, side, other = pull.node, pull.side, pull.other
        assert isinstance(point, Point) and isinstance(side, Node) and other is not None
        return _body(pull, self._at(point, [side, other]))

    def in_joint(self, pull: Pull) -> tuple[int, tuple[Element, ...], bool]:
        """Return which pulls are the force on a side of a joint through a point.

        Where the point is one body's own, all else that is there belongs to this body, as a load:
        then the other body says what goes through the joint.

        Returns
        -------
        sign : int
            1 for the pull of the other side, -1 for that of the side itself.
        elements : tuple of Element
            Those that pull.
        supported : bool
            Whether the support of the point is one of them.

        Raises
        ------
        ModelError
            If no element of these orientations touches the point, or one has both.
        """
        point, side, other = pull.node, pull.side, pull.other
        assert isinstance(point, Point) and isinstance(side, Node) and other is not None
        here = self._at(point, [side, other])
        of_side, of_other = (tuple(e for e, of in here if one in of) for one in (side, other))
        for element in of_side:
            if element in of_other:
                pull.refuse(element.title, "both")
        rests, other_rests = (is_supported_with(point, one) for one in (side, other))
        if (_owner(pull, here) is side and of_other) or not (of_side or rests):
            if not (of_other or other_rests):
                self._refuse_none(pull, [side, other])
            return 1, of_other, other_rests
        return -1, of_side, rests

    @property
    def _title(self) -> str:
        return f"reaction of model {self.model}"

    def _at(self, point: Point, both: Sequence[Node]) -> list[tuple[Element, list[Node]]]:
        """Return the elements that touch a point, each with those of the sides that it is on."""
        here = (e for e in self._elements.values() if point in touched(e))
        return [(e, sides_of(e, point, both)) for e in here]

    def _refuse_none(self, pull: Pull, sides: Sequence[Node]) -> NoReturn:
        raise ModelError(
            f"{pull.owner or self._title} at {pull.node.name}: no element there has the "
            f"orientation {' or '.join(side.name for side in sides)}; give the elements of one "
            "side as of="
        )

    def refuse_deleted(self, title: str, side: Iterable[object]) -> None:
        """Refuse elements that are no longer in the model.

        Raises
        ------
        ModelError
            Naming the ``title`` of what asks for them, and the element.
        """
        for element in side:
            if isinstance(element, Element) and element not in self._elements.values():
                raise ModelError(
                    f"{title}: {element.title} is no longer in the model; ask for the reaction of "
                    "one that is"
                )

    def _through(self, side: tuple[object, ...]) -> list[Element]:
        """Return the elements that act through others of a side, as friction in its slides does."""
        others = (e for e in self._elements.values() if e not in side)
        return [e for e in others if any(x is y for x in e.acting_on() for y in side)]


def _is_same(one: object, other: object) -> bool:
    """Return whether two sides are the same, not only equal."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return one is other


def _owner(pull: Pull, here: Sequence[tuple[Element, Sequence[Node]]]) -> Node | None:
    """Return which of both sides the point of a pull is the own one of, if it is one's.

    It is the one's that joints of bodies name, unless a body of the other is there as well. Else it
    is the one's that has more there than ends of links, or rests on the support of the point.
    """
    point, sides = pull.node, [x for x in (pull.side, pull.other) if isinstance(x, Node)]
    assert isinstance(point, Point) and len(sides) == 2
    named = [e.pulls_on.get(point.name) for element, _ in here for e in pulling(element)]
    for side, other in (sides, sides[::-1]):
        if any(n is side for n in named) and not has_body(other, here):
            return side
    found = [
        side
        for side in sides
        if is_supported_with(point, side)
        or any(side in of and not ends_at(e, point) for e, of in here)
    ]
    return found[0] if len(found) == 1 else None


def _body(pull: Pull, here: Sequence[tuple[Element, Sequence[Node]]]) -> Node | None:
    """Return the owner of the point of a pull, if a body of it is there, not only links' begins.

    An element without an orientation is on its side. Where links alone begin, nothing says so.
    """
    owner = _owner(pull, here)
    return owner if owner is not None and has_body(owner, here) else None


def _points(touching: Iterable[Sequence[Node]]) -> list[Point]:
    found: dict[str, Point] = {}
    for nodes in touching:
        found |= {node.name: node for node in nodes if isinstance(node, Point)}
    return list(found.values())


def _symbols(node: Node) -> ca.SX:
    what = "reaction" if isinstance(node, Point) else "moment"
    names = [f"{node.name}:{what}_{axis}" for axis in "xyz"[: node.speeds.numel()]]
    return ca.vertcat(*map(ca.SX.sym, names))


def _refuse_third(
    pull: Pull, here: Sequence[tuple[Element, Sequence[Node]]], owner: Node | None
) -> None:
    """Refuse elements at a point that are on no side of it, or on both."""
    for element, sides in here:
        oriented = any(isinstance(node, Angle | Rotation) for node in touched(element))
        if not sides and (oriented or owner is None):
            pull.refuse(element.title)
        if len(sides) > 1:
            pull.refuse(element.title, "both")
    supported = any(c.fixed is not None for c in pull.node.quantities)
    fixed = any(isinstance(x, Node) and is_fixed(x) for x in (pull.side, pull.other))
    if supported and not fixed and owner is None:
        pull.refuse("the support")


def _unsupported(
    point: Point, side: Angle | Rotation, other: Angle | Rotation
) -> list[Angle | Rotation]:
    """Return the sides whose elements give the whole force: the ground has its support, too."""
    supported = any(c.fixed is not None for c in point.quantities)
    return [x for x in (side, other) if not (supported and is_fixed(x))]
