"""Extents of shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

CORNERS = np.stack(np.meshgrid(*[[-1.0, 1.0]] * 3), axis=-1).reshape(-1, 3)
_TURN = np.linspace(0, 2 * np.pi, 24, endpoint=False)
RIM = np.concatenate(
    [np.column_stack([np.cos(_TURN), np.sin(_TURN), np.full(24, side)]) for side in (-1.0, 1.0)]
)
_GRID = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3), axis=-1).reshape(-1, 3)
DIRECTIONS = np.delete(_GRID, 13, axis=0)
DIRECTIONS = DIRECTIONS / np.linalg.norm(DIRECTIONS, axis=1, keepdims=True)


def ends_of(kind: str, details: Mapping[str, Any], numbers: np.ndarray) -> np.ndarray:
    """Return points that bound a shape, shape (n, 3), m; none for arrows and infinite planes."""
    if kind == "arrow" or details.get("ground"):
        return np.zeros((0, 3))
    if kind in ("disc", "box", "ball"):
        origin, matrix = numbers[:3], numbers[3:12].reshape(3, 3).T
        if kind == "disc":
            local = RIM * [numbers[12], numbers[12], numbers[13] / 2]
        elif kind == "box":
            local = CORNERS * numbers[12:15] / 2
        else:
            local = DIRECTIONS * numbers[12:15]
        return origin + local @ matrix.T
    places = numbers[: 3 * (len(numbers) // 3)].reshape(-1, 3)
    if kind == "tube":
        return np.concatenate([places - numbers[-1], places + numbers[-1]])
    return places
