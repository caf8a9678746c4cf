"""The shapes of a model that belong to no element."""

from __future__ import annotations

from mbcore.model.errors import ModelError
from mbcore.model.nodes.nodes import Point
from mbcore.model.shapes.shape import Place, Shape, Turn


class Shapes(list[Shape]):
    """Shapes of the user's own, for pictures; they do not enter the equations.

    Parameters
    ----------
    model : str
        Name of the model, for messages.
    """

    def __init__(self, model: str) -> None:
        super().__init__()
        self._model = model

    def add(self, *shapes: Shape, at: Place | tuple[Place, Turn] | None = None) -> None:
        """Add shapes to all pictures of the model.

        They are in the pictures of equations that exist already, too::

            model.show(box((0, 0, 0.3), None, (4, 1.7, 0.6), name="chassis"), at=(middle, heading))
            model.show(line([(0, 0, 0), (0, 0, 2)]))

        Parameters
        ----------
        shapes : Shape
            Made by the functions of `mbcore.model.shapes.shapes`: line, tube, disc, box, ball, dot,
            surface, arrow. Numbers may be expressions of parameters, time, inputs and nodes, m.
        at : Point, or pair of Point and orientation, optional
            Frame with which they move: their numbers are relative to this point, on the axes of the
            orientation. By default they are on inertial axes.

        Raises
        ------
        ModelError
            If something is not a shape, or ``at`` is not a place with an orientation.
        """
        owner = f"model {self._model}, show"
        for shape in shapes:
            if not isinstance(shape, Shape):
                raise ModelError(
                    f"{owner}: {shape!r} is not a shape; make one, as in "
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
                f"{owner}: at = {at!r}; give a point, or a point with an angle or "
                "a rotation, as in at=(centre, heading)"
            )
