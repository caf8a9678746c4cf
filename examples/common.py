"""Shared by the examples: the table of ours beside the reference, and the folder for figures."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from mbcore import Model, Result
from mbcore.drawing.annotation import FRONT
from mbcore.drawing.ghost import ghosted
from mbcore.drawing.layout import Layout, Parts, fitted, places_of_names
from mbcore.drawing.projection.camera import View, camera
from mbcore.drawing.scene import Scene
from mbcore.drawing.still import draw_on
from mbcore.drawing.trails import trails
from mbcore.results.drawn import PATH, Moving
from mbcore.vibration import PeriodicSolution

SMALLEST, PAGE = 11, 900
"""Pixels of the smallest text of a figure where it is shown so many pixels wide."""
ABOVE = (-58.0, 24.0)
"""View of plane systems whose shapes stand upright, from the right and above, degrees."""

LEADER = {"arrowstyle": "-", "color": "#8d949c", "linewidth": 0.8, "shrinkB": 0}

Row = tuple[str, float, float]
"""Its name, ours, reference."""
Label = tuple[str, float, float]
"""Text, and how far to the right and above of its part it stands, points."""


def print_comparison(title: str, rows: Iterable[Row]) -> None:
    """Print ours, the reference, the difference, and that relative to the reference."""
    print(f"\n{title}\n{'':44}{'ours':>16}{'reference':>16}{'difference':>12}{'relative':>12}")
    for name, ours, reference in rows:
        apart = ours - reference
        relative = f"{apart / abs(reference):12.1e}" if reference else f"{'-':>12}"
        print(f"{name:44}{ours:16.10g}{reference:16.10g}{apart:12.1e}{relative}")


def figures_folder(description: str | None) -> Path:
    """Return the folder given with ``--figures``, ``figures/`` by default; it exists."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--figures", type=Path, default=Path("figures"), metavar="DIR", help="where figures go"
    )
    folder = parser.parse_args().figures
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def save(figure: Figure, folder: Path, name: str) -> None:
    """Write a figure as PNG, its smallest text large enough to be read, and say where."""
    target = folder / f"{name}.png"
    smallest = SMALLEST / PAGE * 72 * figure.get_figwidth()
    for text in figure.findobj(Text):
        if text.get_fontsize() < smallest:
            text.set_fontsize(smallest)
    if cut := cut_off(figure):
        raise ValueError(f"{name}: cut off at the edge of the figure: {', '.join(cut)}")
    figure.savefig(target, dpi=150)
    print(f"figure: {target}")


def cut_off(figure: Figure) -> list[str]:
    """Return titles and texts of legends that do not lie within the figure."""
    figure.draw_without_rendering()  # places what is drawn
    said = {axes.get_title(side) for axes in figure.axes for side in ("left", "center")} - {""}
    legends = [text for legend in figure.findobj(Legend) for text in legend.get_texts()]
    texts = [text for text in figure.findobj(Text) if text in legends or text.get_text() in said]
    edge = figure.bbox.x1 + 1.0
    return [text.get_text() for text in texts if text.get_window_extent().x1 > edge]


def largest(values: np.ndarray) -> float:
    """Return the largest value of a densely sampled quantity, by a parabola through the top."""
    i = int(np.clip(np.argmax(values), 1, values.size - 2))
    before, top, after = (float(v) for v in values[i - 1 : i + 2])
    bend = before - 2 * top + after
    inside = bend < 0 and top >= max(before, after)
    return top - (after - before) ** 2 / (8 * bend) if inside else float(values.max())


def plain(axes: Axes, across: str, up: str) -> None:
    """Label the axes and draw a faint grid."""
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)


def head(axes: Axes, title: str, columns: int) -> None:
    """Title the axes; put its legend between title and frame, where it covers nothing."""
    rows = -(-len(axes.get_legend_handles_labels()[1]) // columns)
    axes.set_title(title, loc="left", pad=24 + 16 * max(rows - 1, 0))
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(-0.01, 1),
        ncols=columns,
        frameon=False,
        fontsize="small",
        borderaxespad=0.2,
        columnspacing=1.5,
    )


def picture(
    axes: Axes,
    system: Model | Result | PeriodicSolution,
    title: str,
    *,
    times: Iterable[float] = (),
    view: View = None,
    labels: Mapping[str, Label] | None = None,
    pale: str = "",
    trail: bool = True,
) -> None:
    """Draw a system on axes of a figure, with equal scales and no frame.

    Parameters
    ----------
    system : Model, Result or PeriodicSolution
        A model is drawn where its nodes start, a result or a periodic solution at times: the
        last as it is, those before in pale colours behind it.
    title : str
        Says what is seen; it begins with the system's name in words.
    times : iterable of float
        Of a motion, in rising order, s; its end where there are none.
    labels : mapping of str to (str, float, float)
        Texts for some parts by the names of their elements or shapes, and how far to the right and
        above of it each stands, points.
    pale : str
        When it was as the pale pictures show, by default told in seconds.
    view, trail
        As in ``Model.draw`` and ``Result.draw``.
    """
    layout, paths = Layout(view), []
    if isinstance(system, Model):
        scene = Scene(system)
        frames = seen = scene.start().numbers[None, :]
    else:
        moving = Moving(system.name, system.motion)
        scene, begin, end = moving.scene, *moving.motion.time[[0, -1]]
        stamps = list(times) or [float(end)]
        pale = pale or earlier(stamps)
        frames = seen = moving.frames(stamps)
        if trail and stamps[-1] > begin:
            past = moving.frames(np.linspace(float(begin), stamps[-1], PATH))
            paths = trails(scene.description, past)
            seen = np.vstack([frames, past]) if paths else frames
    description = {**scene.description, "name": ""}
    ghost = ghosted(description)
    layout = fitted(description, seen, layout)
    for i, numbers in enumerate(frames):
        behind = i < len(frames) - 1
        draw_on(
            axes, ghost if behind else description, numbers, layout,
            trails=paths if not i else (), behind=behind, before=i > 0,
        )  # fmt: skip
    axes.set_aspect("equal")
    places = places_of_names(Parts(description, frames[-1])) if labels else {}
    eye = camera(view, description["planar"], description["up"])
    for name, (text, right, above) in (labels or {}).items():
        axes.annotate(
            text,
            tuple(eye.flat(places[name])),
            (right, above),
            textcoords="offset points",
            ha="center",
            va="center",
            arrowprops=LEADER,
            zorder=FRONT + 3,
        )
    axes.set_title(title, loc="left", pad=20 if pale else None)
    if pale:
        axes.annotate(
            f"pale: {pale}", (0, 1), (0, 5), "axes fraction", "offset points", color="0.35"
        )


def earlier(stamps: Sequence[float]) -> str:
    """Return how long before the last of some times the others are, in words; empty if none."""
    before = [float(stamps[-1] - stamp) for stamp in stamps[:-1]]
    unit, factor = ("ms", 1e3) if max(before, default=1.0) < 0.1 else ("s", 1.0)
    if not before:
        return ""
    *told, nearest = (f"{factor * t:.3g}" for t in before)
    if len(told) > 2 and np.ptp(np.diff(stamps)) < 1e-9 * before[0]:
        return f"every {nearest} {unit} before"
    return f"{', '.join(told)}{' and ' if told else ''}{nearest} {unit} earlier"


def show(
    system: Model | Result | PeriodicSolution,
    folder: Path,
    name: str,
    title: str,
    *,
    times: Iterable[float] = (),
    view: View = None,
    labels: Mapping[str, Label] | None = None,
    pale: str = "",
) -> None:
    """Write the picture of its system with which an example opens; arguments as for `picture`."""
    figure = Figure(figsize=(7, 5), layout="constrained")
    axes = figure.add_subplot()
    picture(axes, system, title, times=times, view=view, labels=labels, pale=pale)
    target = folder / f"{name}_system.png"
    figure.draw_without_rendering()  # places what is drawn
    seen = figure.get_tightbbox().padded(0.1)
    whole = Bbox([[0.0, seen.y0], [figure.get_figwidth(), seen.y1]])  # pictures of one width
    figure.savefig(target, dpi=150, bbox_inches=whole)
    print(f"figure: {target}")
