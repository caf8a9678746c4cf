"""What a model shows beside its elements: shapes of the user's own, such as a chassis."""

from __future__ import annotations

from mbcore.model.errors import ModelError
from mbcore.model.nodes.nodes import Point
from mbcore.model.shapes.shape import Place, Shape, Turn


class Showing:
    """The shapes that a model was told to show, in ``shown``; they do not enter its equations.

    ``upwards``, three numbers, is what pictures take for up; it is against gravity where absent.
    """

    name: str
    shown: list[Shape]
    upwards: tuple[float, float, float] | None = None

    def show(self, *shapes: Shape, at: Place | tuple[Place, Turn] | None = None) -> None:
        """Add shapes to all pictures of the model.

        Equations that were made before know them, too::

            model.show(box((0, 0, 0.3), None, (4, 1.7, 0.6), name="chassis"), at=(middle, heading))
            model.show(line([(0, 0, 0), (0, 0, 2)]))

        Parameters
        ----------
        shapes : Shape
            Made by the functions of `mbcore.model.shapes.shapes`: line, tube, disc, box, ball, dot,
            surface, arrow. Numbers may be expressions of parameters, time, inputs and nodes, m.
        at : Point, or pair of Point and orientation, optional
            With what they move: their numbers are on its axes, from its place on. On inertial axes
            where absent.

        Raises
        ------
        ModelError
            If something is no shape, or ``at`` no place with an orientation.
        """
        for shape in shapes:
            if not isinstance(shape, Shape):
                raise ModelError(
                    f"model {self.name}, show: {shape!r} is no shape; make one, as in "
                    "box((0, 0, 0), None, (2, 1, 0.5))"
                )
        if at is None:
            self.shown += shapes
        elif isinstance(at, Point):
            self.shown += [shape.at(at) for shape in shapes]
        elif isinstance(at, tuple) and len(at) == 2:
            place, turn = at
            self.shown += [shape.at(place, turn) for shape in shapes]
        else:
            raise ModelError(
                f"model {self.name}, show: at = {at!r}; give a point, or a point with an angle or "
                "a rotation, as in at=(centre, heading)"
            )
