"""Frames in few characters: what pages hold of a motion, smooth columns of numbers.

Each column counts in whole steps, far smaller than what is seen, from its first value. Of the
counts there are second differences in time, small where motion is smooth, byte by byte through
zlib. Equal columns are kept once. ``frames.js`` among the assets is the other way round.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

SEEN = 1e-5
"""Step of places in parts of the scene's size, of directions, and of vectors in parts of the
largest of their kind; a picture has some thousand points across."""
LARGEST = 2.0**28
"""Number of steps that a column may count, so that second differences fit into 32 bits."""


def packed(frames: np.ndarray, steps: np.ndarray) -> dict[str, Any]:
    """Return frames as a record that can be written as JSON.

    Parameters
    ----------
    frames : array, shape (m, n)
        Finite numbers.
    steps : array, shape (n,)
        Wanted step of each column; the error is half of it, larger only where numbers are so far
        apart that single precision could not tell them apart either.
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
    """Return the step of each number of a scene, shape (n,), by what it stands for."""
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
