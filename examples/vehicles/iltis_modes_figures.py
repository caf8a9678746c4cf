"""Figures of the modes of the ILTIS: how eigenvalues move with the speed, and what moves."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon

from mbcore.examples.common import plain
from mbcore.examples.vehicles.iltis_straight import NAMES, Shape
from mbcore.fmus.iltis.data import AXLES, CORNERS, HEIGHT, hard_points

MARKED = (2, 5, 10, 20, 40)
"""Speeds with a marker, m/s."""
COLORS = {name: f"C{i}" for i, name in enumerate(NAMES)}
REAL = 1e-9
"""Imaginary part, 1/s, of a real eigenvalue."""
LARGEST = 0.16
"""Displacement drawn of what moves most, m."""
CABIN = ((-1.45, -0.2), (1.45, -0.2), (1.45, 0.35), (0.7, 0.35), (0.45, 0.85), (-1.45, 0.85))
"""Outline from the side, x and z from the mass centre, m."""
BACK = ((-0.6, -0.2), (0.6, -0.2), (0.6, 0.35), (0.5, 0.85), (-0.5, 0.85), (-0.6, 0.35))
"""Outline from behind, to the right and z."""
PLAN = ((-1.45, -0.6), (-1.45, 0.6), (0.9, 0.6), (1.45, 0.45), (1.45, -0.45), (0.9, -0.6))
"""Outline from above, to the right is forward and up is left."""
WIDTH, RADIUS = 0.17, 0.36
UNDER, OVER = HEIGHT + 0.2, 1.12
"""Heights that are shown below and above the mass centre, m."""
NAMED = 7
"""Speed, m/s, below which roll and yaw have changed places."""


def draw_root_locus(speeds: np.ndarray, eigenvalues: dict[str, np.ndarray]) -> Figure:
    """Return the eigenvalues in the upper half plane, a part of it, and over the speed."""
    figure = Figure(figsize=(10.5, 9.6), layout="constrained")
    (whole, near), (real, imaginary) = figure.subplots(2, 2, height_ratios=(1.5, 1))
    for name, pair in eigenvalues.items():
        for axes in (whole, near):
            _draw_locus(axes, speeds, pair, name)
        for axes, parts in ((real, pair.real), (imaginary, np.abs(pair.imag))):
            axes.plot(speeds, parts, color=COLORS[name], linewidth=1.2)
    for axes, part in ((real, "real part (1/s)"), (imaginary, "imaginary part (rad/s)")):
        axes.set_xscale("log")
        axes.set_xticks(MARKED, [str(speed) for speed in MARKED])
        axes.minorticks_off()
        plain(axes, "speed (m/s)", part)
    whole.set_xlim(-80, 0)
    whole.set_ylim(-2, 95)
    near.set_xlim(-30, 0)
    near.set_ylim(-0.4, 16)
    for axes in (whole, near):
        plain(axes, "real part (1/s)", "imaginary part (rad/s)")
        axes.axhline(0, color="black", linewidth=0.8, zorder=0)
    near.text(
        -14.3, 14.4, f"yaw and sideslip: below {NAMED} m/s\nmost of the energy is in the roll",
        va="center", fontsize="small",
    )  # fmt: skip
    turn = _turn(speeds, eigenvalues["roll"])
    near.text(-25.6, 0.25, f"roll: below {turn:.1f} m/s two real ones", fontsize="small")
    whole.set_title("ILTIS in straight driving: eigenvalues from 2 to 40 m/s", loc="left")
    near.set_title(f"The slow ones; dots grow: {', '.join(map(str, MARKED))} m/s", loc="left")
    figure.legend(*whole.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _turns(pair: np.ndarray) -> np.ndarray:
    """Return the rows at which the pair has become complex, or real again."""
    real = np.abs(pair.imag).max(axis=1) <= REAL
    return np.flatnonzero(np.diff(real)) + 1


def _turn(speeds: np.ndarray, pair: np.ndarray) -> float:
    """Return the speed below which the pair is real, m/s."""
    return float(speeds[_turns(pair)[0]])


def _joined(pair: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pair with the points where its two meet on the real axis, and which these are."""
    turns = _turns(pair)
    real = np.abs(pair.imag).max(axis=1) <= REAL
    beside = np.where(real[turns], turns, turns - 1)
    meetings = pair[beside].real.mean(axis=1, keepdims=True)
    met = np.insert(np.zeros(real.size, dtype=bool), turns, True)
    return np.insert(pair, turns, meetings, axis=0), met


def _draw_locus(axes: Axes, speeds: np.ndarray, pair: np.ndarray, name: str) -> None:
    joined, met = _joined(pair)
    for column, row, label in zip(pair.T, joined.T, (name, None), strict=True):
        for part, told in (((row.imag > REAL) | met, label), (np.abs(row.imag) <= REAL, None)):
            line = np.where(part, row, np.nan)
            axes.plot(line.real, line.imag, color=COLORS[name], label=told, linewidth=1.2)
        shown = np.where(column.imag > -REAL, column, np.nan)
        for number, speed in enumerate(MARKED):
            at = shown[int(np.argmin(np.abs(speeds - speed)))]
            axes.plot(at.real, at.imag, "o", color=COLORS[name], markersize=2 + 1.3 * number)


def draw_modes(shapes: dict[str, Shape], speed: float) -> Figure:
    """Return the modes, each from the side and from behind; yaw and sideslip from above, too."""
    figure = Figure(figsize=(11.5, 10.5), layout="constrained")
    figure.suptitle(
        f"ILTIS, straight driving at {speed:g} m/s: modes, from the side (or above) and behind\n"
        "grey: straight driving; front wheels blue, rear ones red, right ones dashed from the side"
        "\nat the instant of the largest displacement",
        ha="left",
        x=0.01,
    )
    grid = figure.subplots(4, 4, width_ratios=(1.6, 1, 1.6, 1))
    for number, name in enumerate(NAMES):
        side, behind = grid[number // 2, 2 * (number % 2) : 2 * (number % 2) + 2]
        shape = shapes[name]
        turned = _turned(shape)
        if name == "yaw and sideslip":
            _from_above(side, turned)
        else:
            _from_the_side(side, turned)
        _from_behind(behind, turned)
        z = shape.eigenvalue
        side.set_title(
            f"{name}\n{abs(z.imag) / 2 / np.pi:.2f} Hz, damping ratio {-z.real / abs(z):.2f}",
            loc="left",
            fontsize="medium",
        )
        for axes in (side, behind):
            axes.set_aspect("equal")
            axes.axis("off")
    return figure


def _turned(shape: Shape) -> dict[str, float]:
    """Return the displacements at the phase where what moves most does so, and that much."""
    given = {
        "sideways": shape.sideways,
        "yaw": shape.yaw,
        "height": shape.height,
        "pitch": shape.pitch,
        "roll": shape.roll,
        **shape.wheels,
    }
    largest = max(given.values(), key=abs)
    return {name: float((LARGEST * value / largest).real) for name, value in given.items()}


def _outline(axes: Axes, points: np.ndarray, moved: bool) -> None:
    color = "black" if moved else "0.75"
    axes.add_patch(Polygon(points, fill=False, edgecolor=color, linewidth=1.6 if moved else 1.0))


def _tilted(points: np.ndarray, angle: float, shift: tuple[float, float]) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return points @ np.array([[c, s], [-s, c]]) + shift


def _frame(axes: Axes, half: float) -> None:
    axes.set_xlim(-half, half)
    axes.plot([-half, half], [-HEIGHT, -HEIGHT], color="0.6", linewidth=1)
    axes.set_ylim(-UNDER, OVER)


def _from_the_side(axes: Axes, moved: dict[str, float]) -> None:
    """Forward is to the right."""
    _frame(axes, 1.65)
    points = np.array(CABIN)
    _outline(axes, points, moved=False)
    _outline(axes, _tilted(points, -moved["pitch"], (0.0, moved["height"])), moved=True)
    for axle, x in AXLES.items():
        z = hard_points(axle, 1).wheel_centre[2]
        axes.add_patch(Circle((x, z), RADIUS, fill=False, edgecolor="0.75"))
        for side, style in (("left", "-"), ("right", "--")):
            up = moved[f"{axle}_{side}"]
            axes.add_patch(
                Circle(
                    (x, z + up),
                    RADIUS,
                    fill=False,
                    edgecolor=_color(axle),
                    linestyle=style,
                    linewidth=1.4,
                )
            )


def _color(axle: str) -> str:
    return "C0" if axle == "front" else "C3"


def _box(x: float, z: float, width: float, height: float) -> np.ndarray:
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
    return half * (width, height) + (x, z)


def _from_behind(axes: Axes, moved: dict[str, float]) -> None:
    """Left is to the left."""
    _frame(axes, 1.0)
    points = np.array(BACK)
    _outline(axes, points, moved=False)
    shift = (-moved["sideways"], moved["height"])
    _outline(axes, _tilted(points, -moved["roll"], shift), moved=True)
    for corner, (axle, side) in CORNERS.items():
        x, y, z = hard_points(axle, side).wheel_centre
        across = -(y + moved["sideways"] + x * moved["yaw"])
        axes.add_patch(Polygon(_box(-y, z, WIDTH, 2 * RADIUS), fill=False, edgecolor="0.75"))
        wheel = _box(across, z + moved[corner], WIDTH, 2 * RADIUS)
        axes.add_patch(Polygon(wheel, fill=False, edgecolor=_color(axle), linewidth=1.4))


def _from_above(axes: Axes, moved: dict[str, float]) -> None:
    """Forward is to the right, left is up."""
    axes.set_xlim(-1.65, 1.65)
    axes.set_ylim(-(UNDER + OVER) / 2, (UNDER + OVER) / 2)
    points = np.array(PLAN)
    _outline(axes, points, moved=False)
    shift = (0.0, moved["sideways"])
    _outline(axes, _tilted(points, moved["yaw"], shift), moved=True)
    for axle, side in CORNERS.values():
        x, y, _ = hard_points(axle, side).wheel_centre
        wheel = _box(x, y, 2 * RADIUS, WIDTH)
        axes.add_patch(Polygon(wheel, fill=False, edgecolor="0.75"))
        turned = _tilted(wheel, moved["yaw"], shift)
        axes.add_patch(Polygon(turned, fill=False, edgecolor=_color(axle), linewidth=1.4))
