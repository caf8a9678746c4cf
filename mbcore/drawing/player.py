"""Motion as one page for the browser, and in notebooks: a scene, its frames and a time slider.

The page holds everything: description and frames of the scene (`mbcore.drawing.scene`), three.js
and the viewer. It opens from a file and needs no network.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mbcore.drawing.bundle import asset, in_script, scene_script
from mbcore.drawing.frames import packed, steps_of
from mbcore.model import checks
from mbcore.model.errors import ModelError

VIEWS = ("oblique", "behind", "front", "back", "left", "right", "top")
FIXED = {"disc": 14, "box": 15, "ball": 15, "dot": 3, "arrow": 6}
"""Length of the data of each kind of shape whose length is fixed."""

RATE, COUNTS = 60.0, (480, 6000)
"""Frames of a page for each second of a motion, and how many there are at least and at most."""


@dataclass(frozen=True)
class PlayerView:
    """A recorded motion that notebooks show, and that can be written as a page.

    Attributes
    ----------
    description : mapping
        Description of the numbers: ``{"name", "planar", "up", "shapes": [...]}``.
    frames : array, shape (m, n)
        The scene's numbers at m moments, m for lengths.
    times : array, shape (m,)
        The moments, in order; two equal ones are before and after an event.
    title : str
        Stands above the picture; the description's name where it is empty.
    unit : str
        Unit of time that is displayed.
    speed : float, optional
        Initial playing speed; None plays in real time, or such that the whole takes some seconds.
    loop : bool
        Whether it begins again at its end.
    follow : str or bool, optional
        Name of the shape that the camera follows; None decides by the distance travelled.
    view : str or two numbers, optional
        From where one looks at first: one of `VIEWS`, or azimuth about the vertical from x and
        elevation, degrees. By default from the front's right, from behind where it drives away.
    height : int
        Of the picture in notebooks, pixels.

    Raises
    ------
    ModelError
        If the shapes of the arrays do not fit, a number is not finite, times are not in order, or
        the description names something unknown.
    """

    description: Mapping[str, Any]
    frames: ArrayLike
    times: ArrayLike
    title: str = ""
    unit: str = "s"
    speed: float | None = None
    loop: bool = True
    follow: str | bool | None = None
    view: str | Sequence[float] | None = None
    height: int = 460

    def __post_init__(self) -> None:
        size = numbers_of(self.description)
        names = [shape.get("name", "") for shape in self.description["shapes"]]
        object.__setattr__(self, "times", _times(self._name, self.times))
        object.__setattr__(self, "frames", _frames(self._name, self.frames, self.times, size))
        object.__setattr__(self, "view", _view(self._name, self.view))
        if isinstance(self.follow, str) and self.follow not in names:
            known = ", ".join(sorted({name for name in names if name})) or "none with a name"
            raise ModelError(
                f"{self._name}: follow = {self.follow!r} is no shape of it; there are {known}"
            )
        if self.speed is not None and not 0 < self.speed < np.inf:
            raise ModelError(f"{self._name}: speed = {self.speed}; give a positive number")

    @property
    def _name(self) -> str:
        return f"page of {self.title or self.description.get('name') or 'a motion'}"

    def html(self) -> str:
        """Return the whole page."""
        frames = np.asarray(self.frames)
        options = {
            "unit": self.unit,
            "speed": self.speed,
            "loop": self.loop,
            "follow": self.follow,
            "view": self.view,
            "autoplay": True,
        }
        recording = {
            "description": self.description,
            "size": frames.shape[1],
            "options": options,
        }
        parts = {
            "title": html.escape(self.title or str(self.description.get("name", ""))),
            "style": asset("player.css"),
            "recording": in_script(recording),
            "times": base64.b64encode(np.asarray(self.times, "<f8").tobytes()).decode(),
            "frames": in_script(packed(frames, steps_of(self.description, frames))),
            "script": scene_script("frames.js", "player.js"),
        }
        return re.sub(r"\{(\w+)\}", lambda match: parts[match[1]], asset("player.html"))

    def save(self, target: str | Path) -> Path:
        """Write the page; return where it is."""
        path = Path(target)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.html(), "utf-8")
        return path

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, as notebooks show it."""
        return (
            f'<iframe srcdoc="{html.escape(self.html())}" title="{html.escape(self._name)}" '
            f'style="width:100%;height:{self.height}px;border:0" allowfullscreen></iframe>'
        )


def write_html(
    target: str | Path,
    description: Mapping[str, Any],
    frames: ArrayLike,
    times: ArrayLike,
    **options: Any,
) -> Path:
    """Write a recorded motion as one page that opens from a file; return where it is.

    Parameters
    ----------
    target : str or Path
        The page.
    description, frames, times, options
        As for `PlayerView`.

    Raises
    ------
    ModelError
        As `PlayerView` does.
    """
    return PlayerView(description, frames, times, **options).save(target)


def moments(begin: float, end: float) -> np.ndarray:
    """Return the times of a page's frames, s: dense enough for slow motion of wheels."""
    count = int(np.clip((end - begin) * RATE, *COUNTS))
    return np.linspace(begin, end, count + 1) if end > begin else np.array([begin])


def numbers_of(description: Mapping[str, Any]) -> int:
    """Return how many numbers a scene's description asks for in each frame.

    Raises
    ------
    ModelError
        If there is no shape, or one of unknown kind or without what its kind needs.
    """
    title = f"scene {description.get('name', '')}".strip()
    shapes = description.get("shapes")
    if not shapes:
        raise ModelError(f"{title}: its description has no shapes, so there is nothing to show")
    return max(_end(title, shape) for shape in shapes)


def _end(title: str, shape: Mapping[str, Any]) -> int:
    """Place after the last number of a shape."""
    kind, what = shape.get("kind"), f"{title}: shape {shape.get('name') or 'without name'}"
    try:
        if kind == "line":
            count = 3 * shape["points"]
        elif kind == "tube":
            count = 3 * shape["points"] + 1
        elif kind == "surface":
            count = 3 * shape["rows"] * shape["columns"]
        elif kind in FIXED:
            count = FIXED[kind]
        else:
            known = ", ".join(("line", "tube", "surface", *FIXED))
            raise ModelError(f"{what}: its kind {kind!r} is none of {known}")
        return int(shape["first"]) + int(count)
    except KeyError as missing:
        raise ModelError(f"{what}: a {kind} needs {missing} in the description") from None


def _view(owner: str, given: object) -> object:
    if given is None or (isinstance(given, str) and given in VIEWS):
        return given
    if isinstance(given, str):
        raise ModelError(
            f"{owner}: view = {given!r}; choose one of {', '.join(VIEWS)}, or give azimuth and "
            "elevation in degrees, as in view=(-60, 20)"
        )
    return checks.numbers(owner, "view", given, 2, "(-60, 20)").tolist()


def _times(owner: str, given: ArrayLike) -> np.ndarray:
    times = np.asarray(given, dtype=float)
    if times.ndim != 1 or not len(times):
        raise ModelError(
            f"{owner}: times have the shape {times.shape}; give one number for each frame"
        )
    if not np.isfinite(times).all():
        raise ModelError(f"{owner}: times contain {times[~np.isfinite(times)][0]}; give numbers")
    if (np.diff(times) < 0).any():
        i = int(np.argmax(np.diff(times) < 0))
        raise ModelError(
            f"{owner}: times[{i + 1}] = {times[i + 1]:g} comes after times[{i}] = {times[i]:g}; "
            "give them in order"
        )
    return times


def _frames(owner: str, given: ArrayLike, times: ArrayLike, size: int) -> np.ndarray:
    frames = np.asarray(given, dtype=float)
    wanted = (len(np.asarray(times)), size)
    if frames.shape != wanted:
        raise ModelError(
            f"{owner}: frames have the shape {frames.shape}, but {wanted[0]} times and a "
            f"description of {size} numbers ask for {wanted}"
        )
    if not np.isfinite(frames).all():
        i, k = np.argwhere(~np.isfinite(frames))[0]
        raise ModelError(
            f"{owner}: frames[{i}, {k}] = {frames[i, k]}; every number of every frame must be "
            "finite: leave out unknown places, or end before them"
        )
    if (largest := float(np.abs(frames).max())) > float(np.finfo(np.float32).max):
        raise ModelError(f"{owner}: frames hold {largest:g}, too large to be drawn; scale them")
    return frames
