"""Moving pictures of a scene, written to a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mbcore.drawing.annotation import AXIS_COLOURS, INK
from mbcore.drawing.layout import Layout, Parts, fitted
from mbcore.drawing.player import write_html
from mbcore.drawing.still import (
    Area,
    draw_around,
    draw_scene,
    draw_title,
    draw_under,
    empty_figure,
)
from mbcore.drawing.trails import trails
from mbcore.drawing.video import encoder, write_mp4
from mbcore.model import checks
from mbcore.model.errors import ModelError

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.text import Text
    from PIL.Image import Image

SHORTEST, LONGEST = 3.0, 10.0
"""Shortest and longest default duration of a film, s; real time is kept in between."""
MOST_FRAMES = 3000
FAR = 2.5
"""Distance travelled, in scene sizes, beyond which the camera follows the scene."""
RESOLUTION = 90.0
"""Dots per inch."""
COLOURS = 200
"""Size of the palette of an animated picture."""
SUFFIXES = (".gif", ".mp4", ".html")


def pace(owner: str, begin: float, end: float, speed: float | None, fps: float) -> np.ndarray:
    """Return the times of a film's frames, s.

    Parameters
    ----------
    speed : float, optional
        Playing speed; by default real time, unless that were too short or too long.
    fps : float
        Frames per second.

    Raises
    ------
    ModelError
        If a number is impossible, or there are too many frames.
    """
    if speed is None:
        length = float(np.clip(end - begin, SHORTEST, LONGEST))
    else:
        length = (end - begin) / checks.real(owner, "speed", speed, above=0)
    rate = checks.real(owner, "fps", fps, above=0, most=50)
    count = max(round(length * rate), 1) + 1
    if count > MOST_FRAMES:
        raise ModelError(
            f"{owner}: {count} frames are too many, at most {MOST_FRAMES} are written; give a "
            "higher speed or fewer frames per second, as in speed=10 or fps=15"
        )
    return np.linspace(begin, end, count)


def target_path(owner: str, target: str | Path, suffixes: tuple[str, ...] = SUFFIXES) -> Path:
    """Return the file to write.

    Raises
    ------
    ModelError
        If its suffix is unknown, its folder does not exist, or nothing here can write it.
    """
    if not isinstance(target, str | Path) or not str(target):
        raise ModelError(f'{owner}: {target!r} is no file; give a name, as in "motion.gif"')
    path = Path(target)
    if path.suffix.lower() not in suffixes:
        raise ModelError(
            f"{owner}: {path.name} ends with {path.suffix or 'no suffix'}; files that can be "
            f"written end with {' or '.join(suffixes)}"
        )
    if not path.parent.is_dir():
        raise ModelError(f"{owner}: there is no folder {path.parent}; make it first")
    if path.suffix.lower() == ".mp4":
        encoder(owner)
    return path


@dataclass(frozen=True)
class Film:
    """How pictures follow each other.

    Attributes
    ----------
    fps : float
        Pictures in a second, of a file that is not a page.
    speed : float, optional
        Of a page: seconds of motion in one second.
    caption : str
        Words behind the name in the title, the time where empty.
    progress : bool
        Whether a bar is shown, on terminals.
    """

    fps: float
    speed: float | None = None
    caption: str = ""
    progress: bool = True


def write_film(
    target: Path,
    description: Mapping[str, Any],
    frames: np.ndarray,
    times: np.ndarray,
    layout: Layout,
    film: Film,
) -> Path:
    """Write moving pictures as the file's suffix says: ``.gif``, ``.mp4``, or a page ``.html``."""
    caption = film.caption
    if target.suffix.lower() == ".html":
        title = ": ".join(filter(None, (str(description.get("name", "")), caption.strip())))
        return write_html(
            target, description, frames, times, title=title, speed=film.speed, view=layout.view
        )
    pictures = _pictures(description, frames, times, layout, caption, film.progress)
    if target.suffix.lower() == ".mp4":
        return write_mp4(target, pictures, film.fps)
    return write_gif(target, pictures, film.fps)


def write_gif(target: Path, pictures: Iterable[Image], fps: float) -> Path:
    """Write pictures as an animated one; one palette, from the first, serves all: quick."""
    from PIL import Image

    palette: Image.Image | None = None
    frames = []
    for picture in pictures:
        if palette is None:
            palette = _palette(picture)
        frames.append(picture.quantize(palette=palette, dither=Image.Dither.NONE))
    first, *others = frames
    first.save(
        target,
        save_all=True,
        append_images=others,
        duration=round(1000 / fps),
        loop=0,
        optimize=False,
    )
    return target


def _palette(picture: Image) -> Image:
    """Return a palette from a picture, in which thin lines keep the colours of the axes."""
    from PIL import Image, ImageColor

    strip = max(picture.height // 40, 1)
    sample = Image.new("RGB", (picture.width, picture.height + strip * len(AXIS_COLOURS)))
    sample.paste(picture)
    for i, tint in enumerate(AXIS_COLOURS):
        where = (0, picture.height + i * strip, picture.width, picture.height + (i + 1) * strip)
        sample.paste(ImageColor.getrgb(tint), where)
    return sample.quantize(COLOURS, method=Image.Quantize.MEDIANCUT)


def _pictures(
    description: Mapping[str, Any],
    frames: np.ndarray,
    times: np.ndarray,
    layout: Layout,
    caption: str,
    progress: bool,
) -> Iterator[Image]:
    whole = fitted(description, frames, layout)
    # Fitted to all frames at once, so that scales do not change during the film.
    window = follows(description, frames)
    sheet: _Sheet | None = None
    from tqdm import tqdm  # for films alone, and slow to import

    for k in tqdm(
        range(len(frames)), unit="frame", disable=None if progress else True, leave=False
    ):
        now = whole if window is None else replace(whole, reach=window[k])
        sheet = sheet or _Sheet(description, now)
        paths = trails(description, frames[: k + 1])
        if window is not None:
            paths = [(tint, _near(path, window[k])) for tint, path in paths]
        stamp = "" if caption else f"{times[k]:.2f} s"
        yield sheet.picture(frames[k], now, paths, caption or "   t = ", stamp)


class _Sheet:
    """A figure for all pictures of a film: making one takes longer than drawing on it.

    Parameters
    ----------
    description : mapping
        Of `mbcore.drawing.scene.Scene`.
    layout : Layout
        That of the first picture, whose size all have.
    """

    def __init__(self, description: Mapping[str, Any], layout: Layout) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        self._description = description
        self._figure, self._axes = empty_figure(description, layout)
        self._figure.set_dpi(RESOLUTION)
        self._canvas = FigureCanvasAgg(self._figure)
        self._frame = {*self._axes.get_children()}
        self._layout: Layout | None = None
        self._arrows: set[str] = set()

    def picture(
        self,
        numbers: np.ndarray,
        layout: Layout,
        paths: Sequence[tuple[str, np.ndarray]],
        caption: str,
        stamp: str,
    ) -> Image:
        """Return the picture of a moment; the title ends with a stamp, which alone changes."""
        from PIL import Image

        arrows = {shape["of"] for shape, _ in Parts(self._description, numbers).of("arrow")}
        if layout is not self._layout or layout.names or arrows != self._arrows:
            self._draw_around(numbers, layout, caption, stamp)
            self._layout, self._arrows = layout, arrows
        self._canvas.restore_region(self._around)
        draw_scene(self._axes, self._description, numbers, layout, trails=paths)
        if stamp:
            x, y = self._stamped_at
            self._axes.text(x, y, stamp, ha="left", va="bottom", fontsize=10, color=INK)
        for artist in sorted(self._drawn(), key=lambda artist: artist.get_zorder()):
            self._axes.draw_artist(artist)
            artist.remove()
        return Image.fromarray(np.asarray(self._canvas.buffer_rgba())).convert("RGB")

    def _draw_around(self, numbers: np.ndarray, layout: Layout, caption: str, stamp: str) -> None:
        """Draw what stays the same while the layout does; text takes long."""
        area = Area(self._description, layout)
        draw_under(self._axes, self._description, numbers, layout)
        draw_around(self._axes, self._description, numbers, layout, area)
        title = draw_title(self._axes, self._description, area, caption + stamp)
        if stamp:
            self._part_title(title, stamp)
        self._canvas.draw()
        self._around = self._canvas.copy_from_bbox(self._figure.bbox)
        for artist in self._drawn():
            artist.remove()

    def _part_title(self, title: Text, stamp: str) -> None:
        """Shorten a title by the stamp, and note where that stands."""
        whole, words = title.get_window_extent(), title.get_text()
        title.set_text(stamp)
        width = title.get_window_extent().width
        title.set_text(words.removesuffix(stamp).rstrip())
        title.set_horizontalalignment("left")
        to_data = self._axes.transData.inverted().transform
        y = title.get_position()[1]
        title.set_position((float(to_data((whole.x0, 0))[0]), y))
        self._stamped_at = float(to_data((whole.x1 - width, 0))[0]), y

    def _drawn(self) -> list[Artist]:
        """Return what has been drawn, in the order in which it was."""
        return [artist for artist in self._axes.get_children() if artist not in self._frame]


def follows(description: Mapping[str, Any], frames: np.ndarray) -> list[np.ndarray] | None:
    """Return the corners of a box that follows a scene which travels far, shape (8, 3) each.

    Return None where the scene stays in sight. All boxes have the size of the scene.
    """
    reaches = [Parts(description, numbers).reach() for numbers in frames]
    lows = np.array([reach.min(axis=0) for reach in reaches])
    highs = np.array([reach.max(axis=0) for reach in reaches])
    half = (highs - lows).max(axis=0) / 2
    whole = highs.max(axis=0) - lows.min(axis=0)
    if np.linalg.norm(whole) < FAR * np.linalg.norm(2 * half):
        return None
    half = np.maximum(half, 0.25 * half.max())
    corners = np.stack(np.meshgrid(*[[-1.0, 1.0]] * 3), axis=-1).reshape(-1, 3) * half
    return [middle + corners for middle in (lows + highs) / 2]


def _near(path: np.ndarray, box: np.ndarray) -> np.ndarray:
    low, high = box.min(axis=0), box.max(axis=0)
    margin = 0.3 * (high - low).max()
    inside = ((path >= low - margin) & (path <= high + margin)).all(axis=1)
    return np.where(inside[:, None], path, np.nan)
