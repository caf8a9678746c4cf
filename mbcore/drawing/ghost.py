"""A scene in pale colours, for what is behind another picture of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mbcore.drawing.faces import colour

WHITE = 0.72
"""Share of white."""


def ghosted(description: Mapping[str, Any]) -> dict[str, Any]:
    """Return a description whose shapes have little colour and no forces."""
    shapes = []
    for shape in description["shapes"]:
        mixed = (1 - WHITE) * colour(shape["colour"]) + WHITE
        digits = "".join(f"{round(255 * part):02x}" for part in mixed)
        shapes.append({**shape, "colour": f"#{digits}", "mark": ""})
    return {**description, "shapes": shapes}
