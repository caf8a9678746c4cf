"""Compression of frames for pages: smooth columns of numbers in few characters.

Each column is quantized in steps far below what is visible, from its first value. The second
differences in time, which are small for smooth motion, are split into byte planes and deflated by
zlib. Equal columns are stored once. ``frames.js`` among the assets decodes them.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

SEEN = 1e-5
"""Quantization step: of positions in scene sizes, of directions, and of vectors in parts of the
largest of their kind. A picture is some thousand pixels wide."""
LARGEST = 2.0**28
"""Largest count in a column, so that second differences fit into 32 bits."""


def packed(frames: np.ndarray, steps: np.ndarray) -> dict[str, Any]:
    """Return frames as a record that can be written as JSON.

    Parameters
    ----------
    frames : array, shape (m, n)
        Finite numbers.
    steps : array, shape (n,)
        Wanted step of each column. The error is half a step; it is larger only where the range of
        the numbers is beyond single precision.
    """
    origin = frames[0]
    steps = np.maximum(steps, np.ptp(frames, axis=0) / LARGEST)
    steps = np.where(steps > 0, steps, 1.0)
    counts = np.rint((frames - origin) / steps).astype(np.int64)
    known: dict[tuple[bytes, float, float], int] = {}
    columns, places = [], []
    for k in range(frames.shape[1]):
        key = (counts[:, k].tobytes(), float(origin[k]), float(steps[k]))
        if key not in known:
            known[key] = len(known)
            columns.append(k)
        places.append(known[key])
    distinct = counts[:, columns].T
    second = np.diff(np.diff(distinct, axis=1, prepend=0), axis=1, prepend=0)
    folded = ((second << 1) ^ (second >> 63)).astype("<u4")  # small ones of both signs are small
    planes = folded.reshape(-1).view(np.uint8).reshape(-1, 4).T
    return {
        "count": len(frames),
        "places": places,
        "origin": origin[columns].tolist(),
        "steps": steps[columns].tolist(),
        "bytes": base64.b64encode(zlib.compress(planes.tobytes(), 6)).decode(),
    }


def steps_of(description: Mapping[str, Any], frames: np.ndarray) -> np.ndarray:
    """Return the quantization step of each number of a scene, shape (n,), by its meaning."""
    shapes = description["shapes"]
    steps = np.full(frames.shape[1], SEEN * _size(description, frames))
    largest: dict[str, float] = {}
    for shape in shapes:
        if shape["kind"] == "arrow":
            vectors = frames[:, shape["first"] + 3 : shape["first"] + 6]
            of = shape.get("of", "force")
            longest = float(np.linalg.norm(vectors, axis=1).max())
            largest[of] = max(largest.get(of, 0.0), longest)
    for shape in shapes:
        first = shape["first"] + 3
        if shape["kind"] == "arrow":
            steps[first : first + 3] = SEEN * largest[shape.get("of", "force")]
        elif shape["kind"] in ("disc", "box", "ball"):
            steps[first : first + 9] = SEEN
    return steps


def _size(description: Mapping[str, Any], frames: np.ndarray) -> float:
    """How large the scene is at one moment, m."""
    if "size" in description:
        return float(description["size"])
    firsts = [shape["first"] for shape in description["shapes"] if shape["kind"] != "surface"]
    places = frames[0, np.add.outer(firsts, range(3))] if firsts else np.zeros((1, 3))
    size = float(np.linalg.norm(np.ptp(places, axis=0)))
    return size if size > 0 else 0.1
