"""A ghost image: the scene in pale colours, drawn behind another picture of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbcore.drawing.projection.faces import colour

WHITE = 0.72
"""Share of white in the mixed colours."""


def ghosted(description: Mapping[str, Any]) -> dict[str, Any]:
    """Return a description with pale shapes and without symbols of supports."""
    shapes = []
    for shape in description["shapes"]:
        if shape["kind"] == "surface" and not shape.get("closed"):
            shapes.append(shape)  # of a road, which has no earlier place
            continue
        mixed = (1 - WHITE) * colour(shape["colour"]) + WHITE
        digits = "".join(f"{round(255 * part):02x}" for part in mixed)
        shapes.append({**shape, "colour": f"#{digits}", "mark": ""})
    return {**description, "shapes": shapes}
