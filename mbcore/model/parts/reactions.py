"""Reactions at nodes: the force with which chosen elements pull at a point that others share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.nodes import node_checks
from mbcore.model.nodes.nodes import Angle, Point, Rotation
from mbcore.model.parts.elements import Elements


@dataclass(frozen=True, eq=False)
class Reaction:
    """The force on ``point`` of what is on one side of it, on inertial axes, N.

    Attributes
    ----------
    point : Point
        Where both sides are joined.
    side : Angle, Rotation or tuple of Element
        The elements of one side, or the orientation that these have in common.
    force : SX
        Symbols of the force, shape (2, 1) or (3, 1).
    joint : Element, optional
        An element of this orientation that is on neither side, because it is the joint.
    """

    point: Point
    side: Angle | Rotation | tuple[Element, ...]
    force: ca.SX
    joint: Element | None = None


class Reactions(list[Reaction]):
    """All reactions that users have asked for.

    Parameters
    ----------
    model : str
        Name of the model, for messages.
    elements : Elements
        Those of the model.
    """

    def __init__(self, model: str, elements: Elements) -> None:
        super().__init__()
        self._model, self._elements = model, elements

    def at(
        self,
        point: Point,
        of: Element | Sequence[Element] | Angle | Rotation,
        joint: Element | None = None,
    ) -> ca.SX:
        """Return symbols of the force with which one side pulls at a point, N, (2 or 3, 1).

        ``joint`` is an element there that is on neither side.

        Raises
        ------
        ModelError
            If the point is none, or an element is not of this model or does not touch the point.
        """
        owner = f"reaction of model {self._model}"
        node_checks.node(owner, "point", point, Point)
        side = self._checked(f"{owner} at {point.name}", point, of)
        for known in self:
            if known.point is point and known.side == side and known.joint is joint:
                return known.force
        axes = "xyz"[: point.position.numel()]
        names = [f"{point.name}:reaction_{axis}" for axis in axes]
        self.append(Reaction(point, side, ca.vertcat(*map(ca.SX.sym, names)), joint))
        return self[-1].force

    def _checked(
        self, owner: str, point: Point, of: object
    ) -> Angle | Rotation | tuple[Element, ...]:
        if isinstance(of, Angle | Rotation):
            return of
        chosen = tuple(of) if isinstance(of, list | tuple) else (of,)
        if not chosen:
            raise ModelError(f"{owner}: of is empty; give the elements of one side")
        for element in chosen:
            if not isinstance(element, Element) or element not in self._elements.values():
                raise ModelError(
                    f"{owner}: {element!r} is no element of this model; give one that has been "
                    "added, a list of such, or the orientation that they have in common"
                )
            if point not in element.nodes():
                raise ModelError(f"{owner}: {element.title} does not touch it; give one that does")
        return chosen

    def elements_of(self, reaction: Reaction) -> tuple[Element, ...]:
        """Return the elements on the side that is meant, those added later included.

        Raises
        ------
        ModelError
            If no element of this orientation touches the point.
        """
        if isinstance(reaction.side, tuple):
            return reaction.side
        others = [e for e in self._elements.values() if e is not reaction.joint]
        touching = [(e, e.nodes()) for e in others]
        found = [e for e, n in touching if reaction.side in n and reaction.point in n]
        if not found:
            raise ModelError(
                f"reaction of model {self._model} at {reaction.point.name}: no element there has "
                f"the orientation {reaction.side.name}; give the elements of one side"
            )
        return tuple(found)
