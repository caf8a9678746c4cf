"""The camera: a parallel projection, in which equal lengths look equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from mbcore.model import checks
from mbcore.model.errors import ModelError

View: TypeAlias = str | Sequence[float] | None
"""A name in `NAMED`, or azimuth and elevation, degrees."""

NAMED = {
    "front": (0.0, 0.0),
    "back": (180.0, 0.0),
    "left": (90.0, 0.0),
    "right": (-90.0, 0.0),
    "top": (-90.0, 90.0),
}
"""Azimuth of the viewer about the vertical from x, and elevation above the horizon, degrees."""
USUAL = (-58.0, 20.0)


@dataclass(frozen=True)
class Camera:
    """Three unit vectors: right and up in the picture, and towards the viewer.

    Attributes
    ----------
    right, above, towards : ndarray, shape (3,)
    """

    right: np.ndarray
    above: np.ndarray
    towards: np.ndarray

    def flat(self, places: np.ndarray) -> np.ndarray:
        """Return positions projected onto the picture, shape (..., 2), m."""
        return np.asarray(places) @ np.column_stack([self.right, self.above])

    def depth(self, places: np.ndarray) -> np.ndarray:
        """Return the depth of positions, m: larger is nearer to the viewer."""
        return np.asarray(places) @ self.towards

    @property
    def light(self) -> np.ndarray:
        """Direction from which light comes."""
        direction = -0.45 * self.right + 0.75 * self.above + 0.65 * self.towards
        return direction / np.linalg.norm(direction)


def camera(view: View, planar: bool, up: Sequence[float]) -> Camera:
    """Return the camera of a view.

    Parameters
    ----------
    view : str, pair of number or None
        As `View` says; None for a view from the front's right and above, or onto the plane.

    Raises
    ------
    ModelError
        If there is no such view.
    """
    if planar and view is None:
        return Camera(np.array([1.0, 0, 0]), np.array([0, 1.0, 0]), np.array([0, 0, 1.0]))
    if isinstance(view, str):
        if view not in NAMED:
            raise ModelError(
                f"view = {view!r}; give one of {', '.join(NAMED)}, or azimuth and elevation in "
                "degrees, as in view=(-60, 20)"
            )
        azimuth, elevation = NAMED[view]
    else:
        azimuth, elevation = USUAL if view is None else _angles(view)
    vertical = np.array([0, 0, 1.0]) if planar else np.asarray(up, float)
    first = np.array([1.0, 0, 0]) if abs(vertical[0]) < 0.9 else np.array([0, 1.0, 0])
    first = first - (first @ vertical) * vertical
    first /= np.linalg.norm(first)
    second = np.cross(vertical, first)
    a, e = np.radians(azimuth), np.radians(elevation)
    right = -np.sin(a) * first + np.cos(a) * second
    ahead = np.cos(a) * first + np.sin(a) * second
    towards = np.cos(e) * ahead + np.sin(e) * vertical
    return Camera(right, np.cross(towards, right), towards)


def _angles(view: Sequence[float]) -> tuple[float, float]:
    azimuth, elevation = checks.numbers("picture", "view", view, 2, "(-60, 20)")
    if abs(elevation) > 90:
        raise ModelError(
            f"view: its elevation is {elevation:g} degrees; give one from -90 to 90, seen from "
            "below to seen from above"
        )
    return float(azimuth), float(elevation)
