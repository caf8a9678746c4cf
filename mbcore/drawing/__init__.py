"""Pictures and motion of models, made from the shapes that elements and users state.

Shapes for ``Model.show`` and for elements of one's own: line, tube, disc, cylinder, box, ball, dot,
surface and arrow.
"""

from mbcore.model.shapes.shape import THICKNESS, Shape
from mbcore.model.shapes.shapes import (
    COLOURS,
    arrow,
    ball,
    box,
    cylinder,
    disc,
    dot,
    line,
    surface,
    tube,
)

__all__ = [
    "COLOURS",
    "THICKNESS",
    "Shape",
    "arrow",
    "ball",
    "box",
    "cylinder",
    "disc",
    "dot",
    "line",
    "surface",
    "tube",
]
