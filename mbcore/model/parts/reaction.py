"""The force and moment of a joint, of elements at a node or of a support, as users see them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.expressions import dense, total
from mbcore.model.near_names import Suggesting
from mbcore.model.nodes.nodes import Angle, Node, Point, Rotation

Symbols = Callable[[], ca.SX]
"""Makes symbols of a force or moment when it is asked for, so that the rest costs nothing."""


@dataclass(frozen=True)
class Acting:
    """A force and the point where it acts, (2 or 3, 1) each."""

    place: ca.SX
    force: Symbols


class Reaction(Suggesting):
    """The force and moment that a joint exerts on one of its sides; `Model.reaction` makes one.

    Its components are symbols for outputs, events, requirements and further expressions; they are
    functions of the state like any stress.
    """

    def __init__(
        self,
        title: str,
        forces: Sequence[Acting],
        moments: Sequence[Symbols],
        about: ca.SX | None,
        axes: ca.SX | None,
    ) -> None:
        self._title, self._forces, self._moments = title, forces, moments
        self._about, self._axes = about, axes

    @cached_property
    def force(self) -> ca.SX:
        """The force, N, shape (2, 1) in the plane and (3, 1) in space.

        Raises
        ------
        ModelError
            If there is none, because only orientations are joined.
        """
        if not self._forces:
            raise ModelError(
                f"{self._title}: it has a moment and no force, because it joins only orientations; "
                "give the point as well: at=point for a hinge, or reaction((point, orientation))"
            )
        return self._turned(total(acting.force() for acting in self._forces))

    @cached_property
    def moment(self) -> ca.SX:
        """The moment about the point ``at``, N.m, a scalar in the plane and (3, 1) in space."""
        found = [moment() for moment in self._moments]
        for acting in self._forces if self._about is not None else ():
            arm = acting.place - self._about
            if not ca.simplify(arm).is_zero():
                found.append(_moment_of(arm, acting.force()))
        if not found:
            planar = self._forces[0].place.numel() == 2
            return ca.SX.zeros(1 if planar else 3)
        moment = total(found)
        return moment if moment.is_scalar() else self._turned(moment)

    def _turned(self, vector: ca.SX) -> ca.SX:
        return dense(vector if self._axes is None else self._axes.T @ vector)

    def __repr__(self) -> str:
        return f"<{self._title}>"


def _moment_of(arm: ca.SX, force: ca.SX) -> ca.SX:
    if arm.numel() == 3:
        return ca.cross(arm, force)
    return arm[0] * force[1] - arm[1] * force[0]


def place_of(title: str, at: object, size: int) -> ca.SX:
    """Return the position of a point, or one that is given as numbers or expressions.

    Raises
    ------
    ModelError
        If it is neither, or not of a space of so many dimensions.
    """
    if isinstance(at, Point):
        if at.position.numel() != size:
            space = "the plane" if size == 2 else "space"
            raise ModelError(f"{title}: at is {at!r}, which is not in {space} as the joint is")
        return at.position
    if isinstance(at, Node):
        raise ModelError(f"{title}: at is {at!r}; give a point")
    return checks.vector(title, "at", at, size, unit="m")


def axes_of(title: str, axes: object, size: int) -> ca.SX:
    """Return axes as columns, shape (size, size): those of an orientation, or a matrix.

    Raises
    ------
    ModelError
        If it is neither, or a matrix of numbers that is not a rotation.
    """
    found = axes
    if isinstance(axes, Node):
        found = axes.matrix if isinstance(axes, Angle | Rotation) else None
    elif not isinstance(axes, ca.SX | ca.DM | np.ndarray | list | tuple):
        orientation = getattr(axes, "orientation", None)  # of a body
        found = orientation.matrix if isinstance(orientation, Angle | Rotation) else None
    kind = "an angle, a body" if size == 2 else "a rotation, a body"
    asked = f"give {kind} or a {size} x {size} matrix of perpendicular unit vectors as its columns"
    if found is None:
        raise ModelError(f"{title}: axes is {axes!r}; {asked}")
    matrix = checks.matrix(title, "axes", found)
    if matrix.shape != (size, size):
        raise ModelError(f"{title}: axes has the shape {matrix.shape}; {asked}")
    if matrix.is_constant():
        numbers = np.array(ca.DM(matrix).full())
        if not np.allclose(numbers.T @ numbers, np.eye(size), atol=1e-9):
            raise ModelError(f"{title}: axes = {numbers.tolist()} is not a rotation; {asked}")
        if np.linalg.det(numbers) < 0:
            raise ModelError(f"{title}: axes = {numbers.tolist()} is left-handed; {asked}")
    return matrix
