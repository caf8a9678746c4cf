"""Paths of the points that leave a trail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def trails(description: Mapping[str, Any], frames: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Return colours and paths, each shape (nt, 3), of what moves and has a trail.

    Parameters
    ----------
    frames : ndarray, shape (nt, n)
        Numbers of the scene up to now.
    """
    found = []
    for shape in description["shapes"]:
        if shape.get("trail"):
            path = frames[:, shape["first"] : shape["first"] + 3]
            path = path[np.isfinite(path).all(axis=1)]
            if len(path) > 1 and np.ptp(path, axis=0).max() > 1e-6 * description["size"]:
                found.append((shape["colour"], path))
    return found
