# What `mbcore/__init__.py` registers, for type checkers alone.

from collections.abc import Callable
from typing import Any

from mbcore.drawing.inline import inline as inline
from mbcore.drawing.model_picture import draw_model as draw_model
from mbcore.drawing.projection.camera import View as View
from mbcore.drawing.scene import Scene as Scene
from mbcore.equations.equations import Equations as Equations
from mbcore.linear.suggested_regularization import (
    SuggestedRegularization as SuggestedRegularization,
)
from mbcore.linear.suggested_regularization import suggest_regularization as suggest_regularization

def register(find: Callable[[str], Any]) -> None: ...
