"""Pictures and films of motions: of runs, of steady and of periodic ones.

Drawing is imported where it is called, because most runs are not drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mbcore.drawing.layout import Layout
from mbcore.drawing.projection.camera import View
from mbcore.drawing.scene import Scene
from mbcore.drawing.trails import trails
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.results.motion import Motion, called

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mbcore.drawing.player import PlayerView

PATH = 1000
"""Number of points of a trail in a still picture."""


class Moving:
    """A motion with its scene.

    Parameters
    ----------
    name : str
        Name at the beginning of messages.
    motion : Motion or None
        The motion, None where a result has none.
    remedy : str
        Remedy that the message names where there is none.
    comes_back : bool
        Whether it ends where it begins, so that a film loops without a repeated frame.

    Raises
    ------
    ModelError
        If there is no motion, or no shape to draw.
    """

    def __init__(
        self,
        name: str,
        motion: Motion | None,
        remedy: str = "simulate the model here",
        *,
        comes_back: bool = False,
    ) -> None:
        if motion is None:
            raise ModelError(
                f"{name}: this result holds no configurations, so that it cannot be drawn; {remedy}"
            )
        self.name, self.motion, self.comes_back = name, motion, comes_back
        self.scene: Scene = motion.solved().scene()

    def frames(self, times: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return the scene's numbers at times, shape (nt, n).

        Raises
        ------
        ModelError
            If a time is outside of the motion.
        """
        return called(self.scene.function, self.motion.arguments(np.asarray(times, float)))[0].T

    def _page_times(self) -> np.ndarray:
        """Return the times of a page's frames, s: equally far apart, and those of events.

        Of more events than a page has frames none is chosen.
        """
        from mbcore.drawing.player import COUNTS, moments

        rows = self.motion.time
        times = moments(float(rows[0]), float(rows[-1]))
        events = np.unique(rows[1:][np.diff(rows) == 0])
        return np.union1d(times, events) if len(events) <= COUNTS[1] else times

    def draw(
        self,
        time: object,
        *,
        view: View = None,
        axes: bool = True,
        names: bool = False,
        trail: bool = True,
    ) -> Figure:
        """Draw the motion at a time, s; see `mbcore.results.result.Result.draw`."""
        from mbcore.drawing.still import draw_still

        end = float(self.motion.time[-1]) if time is None else time
        t = checks.real(f"{self.name}: draw", "time", end, unit="s")
        numbers = self.frames([t])[0]
        paths = []
        begin = float(self.motion.time[0])
        if trail and t > begin:
            paths = trails(self.scene.description, self.frames(np.linspace(begin, t, PATH)))
        layout = Layout(view, axes, names)
        caption = f"   t = {t:.4g} s"
        return draw_still(self.scene.description, numbers, layout, trails=paths, caption=caption)

    def play(self, *, speed: float | None = None, view: View = None) -> PlayerView:
        """Return the motion for a notebook: a scene in three dimensions that can be turned and
        played.

        Parameters
        ----------
        speed : float, optional
            Playing speed relative to real time; by default such that it takes some seconds.
        view
            As in ``Model.draw``; ``"behind"``, too.

        Raises
        ------
        ModelError
            If a number is impossible, the model has no shapes, or the result no configurations.
        """
        from mbcore.drawing.player import PlayerView

        times = self._page_times()
        return PlayerView(self.scene.description, self.frames(times), times, speed=speed, view=view)

    def animate(
        self,
        target: str | Path,
        *,
        speed: float | None = None,
        fps: float = 25.0,
        view: View = None,
        axes: bool = True,
        progress: bool = True,
    ) -> Path:
        """Write a film of the motion, an endless one of a periodic motion, and return its file.

        Parameters
        ----------
        target : str or Path
            A name that ends with ``.gif``, with ``.mp4`` where there is ffmpeg or the package
            imageio-ffmpeg, or with ``.html`` for a page on which the scene can be turned and the
            time moved.
        speed : float, optional
            Playing speed relative to real time. By default real time, but films last at least 3 s
            and at most 10 s.
        fps : float
            Frames per second of a ``.gif`` or ``.mp4``; pages are smooth, and have a few thousand
            at most.
        view, axes
            As in ``Model.draw``. The picture follows a system that travels far.
        progress : bool
            Show a bar, on terminals.

        Raises
        ------
        ModelError
            If the suffix is unknown, the folder missing, a number impossible, the model without
            shapes, or the result without configurations.
        """
        from mbcore.drawing.animation import Film, pace, target_path, write_film

        owner = f"{self.name}: animate"
        path = target_path(owner, target)
        begin, end = float(self.motion.time[0]), float(self.motion.time[-1])
        is_page = path.suffix.lower() == ".html"
        times = self._page_times() if is_page else pace(owner, begin, end, speed, fps)
        if self.comes_back and not is_page:
            times = times[:-1]
        frames = self.frames(times)
        layout = Layout(view, axes)
        return write_film(
            path,
            self.scene.description,
            frames,
            times,
            layout,
            Film(fps, speed, progress=progress),
        )
