"""The shapes of a model that belong to no element."""

from __future__ import annotations

from collections.abc import Sequence

from mbcore.model.errors import ModelError
from mbcore.model.nodes.nodes import Point
from mbcore.model.shapes.shape import Place, Shape, Turn


class Shapes(list[Shape]):
    """Shapes of the user's own, for pictures; they do not enter the equations."""

    def add(
        self, model: str, shapes: Sequence[Shape], at: Place | tuple[Place, Turn] | None
    ) -> None:
        """Add shapes, on inertial axes or moving with what they are ``at``.

        Raises
        ------
        ModelError
            Naming the ``model``, if something is no shape, or ``at`` no place with an orientation.
        """
        for shape in shapes:
            if not isinstance(shape, Shape):
                raise ModelError(
                    f"model {model}, show: {shape!r} is no shape; make one, as in "
                    "box((0, 0, 0), None, (2, 1, 0.5))"
                )
        if at is None:
            self += shapes
        elif isinstance(at, Point):
            self += [shape.at(at) for shape in shapes]
        elif isinstance(at, tuple) and len(at) == 2:
            place, turn = at
            self += [shape.at(place, turn) for shape in shapes]
        else:
            raise ModelError(
                f"model {model}, show: at = {at!r}; give a point, or a point with an angle or "
                "a rotation, as in at=(centre, heading)"
            )
