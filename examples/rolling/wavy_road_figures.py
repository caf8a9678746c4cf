"""Figures of ``wavy_road.py``: the map of stability, and the disk's motions over the waves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from mbcore import Result
from mbcore.examples.common import plain
from mbcore.examples.rolling.wavy_road_by_hand import growth, least_normal_force

UPSET_COLOUR, STEADY_COLOUR, LINE = "#c4501b", "#1f5fa8", "#3a3a3a"
SHADES = LinearSegmentedColormap.from_list("growth", ["#ffffff", "#f7d9a8", "#e08a3c", "#8a2a12"])
SPEEDS, WAVES = (0.5, 2.0), (0.3, 3.1)


def draw_stability(
    zones: Sequence[tuple[float, float, float]],
    a: float,
    k: float,
    speeds: tuple[float, float],
    fine: int = 110,
) -> Figure:
    """Draw the largest growth over speed and wave number, and the zones' edges as dots."""
    figure = Figure(figsize=(9.5, 6.2), layout="constrained")
    axes = figure.subplots()
    v, waves = np.linspace(*SPEEDS, fine), np.linspace(*WAVES, fine)
    grid = [part.ravel() for part in np.meshgrid(v, waves)]
    shade = growth(a, grid[1], grid[0]).reshape(fine, fine)
    force = least_normal_force(a, grid[1], grid[0]).reshape(fine, fine)
    drawn = axes.pcolormesh(
        v, waves, np.where(shade > 1e-4, shade, 0.0), cmap=SHADES, vmin=0, vmax=0.3,
        shading="gouraud", rasterized=True,
    )  # fmt: skip
    bar = figure.colorbar(drawn, ax=axes, extend="max")
    bar.set_label("growth of the fastest small motion (1/s)")
    _draw_limits(axes, v, waves, force)
    _draw_edges(axes, zones)
    for speed, colour, away in zip(speeds, (UPSET_COLOUR, STEADY_COLOUR), (-1, 1), strict=True):
        axes.plot(
            speed, k, "D", color=colour, markeredgecolor="white", markersize=9, zorder=5,
            label=f"v = {speed:g}, next figure" if away else None,
        )  # fmt: skip
    axes.set_xlim(*SPEEDS)
    axes.set_ylim(*WAVES)
    plain(axes, r"towing speed $v/\sqrt{gr}$", r"wave number $k\,r$")
    axes.set_title(
        f"Disk towed over waves of height ±{a:g} r: where straight rolling is unstable",
        loc="left", pad=42,
    )  # fmt: skip
    axes.legend(
        loc="lower left", bbox_to_anchor=(-0.01, 1), ncols=3, frameon=False, fontsize="small",
        columnspacing=1.2, borderaxespad=0.2,
    )  # fmt: skip
    return figure


def _draw_limits(axes: Axes, v: np.ndarray, waves: np.ndarray, force: np.ndarray) -> None:
    """Draw the lines to which the zones shrink for low waves, and where the disk lifts."""
    fast = v[v > np.sqrt(1 / 3)]
    lean = np.sqrt(2.4 * fast**2 - 0.8)
    axes.plot(fast, 2 * lean / fast, color=LINE, linewidth=1, linestyle="--",
              label=r"$k v = 2\,\omega_\ell$: lean excited")  # fmt: skip
    axes.plot(fast, lean / fast, color=LINE, linewidth=1, linestyle="-.",
              label=r"$k v = \omega_\ell$: heading")  # fmt: skip
    axes.axhline(2, color=LINE, linewidth=1, linestyle=":", label="$k r = I_p/I_d$: heading")
    axes.contourf(v, waves, force, levels=[-1e3, 0], colors="none", hatches=["////"])
    axes.contour(v, waves, force, levels=[0], colors="#777777", linewidths=0.8)
    axes.annotate("the disk would lift", (1.82, 2.72), color="#555555", ha="center",
                  backgroundcolor="white", fontsize="small")  # fmt: skip
    for text, place in (
        ("heading held by the waves", (1.32, 2.2)),
        ("heading driven away", (1.32, 1.72)),
        ("heading held", (1.45, 0.75)),
    ):
        axes.annotate(text, place, ha="center", va="center", fontsize="small", color="#444444")
    axes.annotate("too slow, on any road", (0.522, 1.7), ha="center", va="center", rotation=90,
                  fontsize="small", color="white")  # fmt: skip


def _draw_edges(axes: Axes, zones: Sequence[tuple[float, float, float]]) -> None:
    k, low, high = np.transpose(zones)
    style = {"markersize": 4.5, "markerfacecolor": "white", "color": "#5a0f00", "linestyle": "none"}
    axes.plot(low, k, "o", label="a multiplier is -1 (model)", **style)
    axes.plot(high, k, "o", **style)


def draw_motions(
    motions: dict[float, Result], growths: dict[float, float], a: float, k: float
) -> Figure:
    """Draw the disk on its waves, and the lean of motions inside and outside the zone."""
    figure = Figure(figsize=(10, 8.6), layout="constrained")
    side, top, lean = figure.subplots(3, 1, height_ratios=(1, 1.2, 1.5))
    upset = next(iter(motions))
    _draw_side(side, motions[upset], a, k)
    side.set_title(
        f"Disk towed with v = {upset:g} over waves of k = {k:g}, ±{a:g} r: the last eight waves, "
        "from the side",
        loc="left",
    )  # fmt: skip
    _draw_top(top, motions[upset], k)
    top.set_title("The same from above: contact path, wheels and axles; crests dotted", loc="left")
    for (v, motion), colour in zip(motions.items(), (UPSET_COLOUR, STEADY_COLOUR), strict=True):
        _draw_lean(lean, motion, v, k, growths[v], colour)
    lean.set_ylim(1e-5, 1)
    lean.set_xlim(0, round(float(motion.time[-1] * k * v / (2 * np.pi))))
    lean.set_title("Amount of the lean, full equations", loc="left", pad=24)
    lean.legend(
        loc="lower left", bbox_to_anchor=(-0.01, 1), ncols=3, frameon=False, fontsize="small",
        borderaxespad=0.2,
    )  # fmt: skip
    plain(lean, "waves passed", "|lean| (rad)")
    return figure


def _draw_lean(
    axes: Axes, motion: Result, v: float, k: float, growth_rate: float, colour: str
) -> None:
    unstable = growth_rate > 1e-6
    told = f"grows with {growth_rate:.4f} 1/s" if unstable else "stable"
    passed, size = motion.time * k * v / (2 * np.pi), np.abs(motion["lean"])
    axes.semilogy(passed, size, color=colour, linewidth=1.1, label=f"v = {v:g}: {told}")
    if unstable:
        middle = np.flatnonzero((passed > 12) & (passed < 18))
        top = middle[np.argmax(size[middle])]
        envelope = size[top] * np.exp(growth_rate * (motion.time - motion.time[top]))
        late = passed > 6
        axes.semilogy(passed[late], envelope[late], "--", color=colour, linewidth=1,
                      label="growth by the multiplier")  # fmt: skip


def _rims(motion: Result, k: float, waves: float = 8.0) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return rims, (3, n), and ends of axles, (3, 2), one for each of the last waves."""
    x, turn = motion["centre x"], np.linspace(0, 2 * np.pi, 121)
    found = []
    for place in x[-1] - 2 * np.pi / k * np.arange(waves)[::-1]:
        at = int(np.argmin(np.abs(x - place)))
        axle = np.array([motion[f"axle {axis}"][at] for axis in "xyz"])
        centre = np.array([motion[f"centre {axis}"][at] for axis in "xyz"])
        level = np.cross(axle, [0, 0, 1])
        level /= np.linalg.norm(level)
        circle = np.outer(level, np.cos(turn)) + np.outer(np.cross(level, axle), np.sin(turn))
        found.append(
            (centre[:, None] + circle, np.column_stack([centre - 0.3 * axle, centre + 0.3 * axle]))
        )
    return found


def _draw_side(axes: Axes, motion: Result, a: float, k: float) -> None:
    rims = _rims(motion, k)
    low, high = rims[0][0][0].min() - 0.4, rims[-1][0][0].max() + 0.8
    x = np.linspace(low, high, 800)
    axes.fill_between(x, a * np.cos(k * x), -0.35, color="#dcdcdc")
    axes.plot(x, a * np.cos(k * x), color="#777777", linewidth=1)
    for i, (rim, axle) in enumerate(rims):
        shade = 0.35 + 0.65 * i / (len(rims) - 1)
        axes.plot(rim[0], rim[2], color=UPSET_COLOUR, linewidth=1.8, alpha=shade)
        axes.plot(axle[0], axle[2], color="#333333", linewidth=1.5, alpha=shade)
        axes.plot(*axle[[0, 2]].mean(axis=1), ".", color="#333333", markersize=4, alpha=shade)
    centre = rims[-1][1].mean(axis=1)
    axes.annotate(
        "", (centre[0] + 1.6, centre[2]), (centre[0], centre[2]),
        arrowprops={"arrowstyle": "-|>", "color": STEADY_COLOUR, "linewidth": 1.6},
    )  # fmt: skip
    axes.annotate("v", (centre[0] + 1.35, centre[2] + 0.12), color=STEADY_COLOUR)
    axes.set_xlim(low, high)
    axes.set_ylim(-0.35, 2.3)
    axes.set_aspect("equal")
    plain(axes, "", "z / r")


def _draw_top(axes: Axes, motion: Result, k: float) -> None:
    rims = _rims(motion, k)
    low, high = rims[0][0][0].min() - 0.4, rims[-1][0][0].max() + 0.8
    for crest in np.arange(np.ceil(low * k / 2 / np.pi), high * k / 2 / np.pi) * 2 * np.pi / k:
        axes.axvline(crest, color="#aaaaaa", linewidth=0.8, linestyle=":")
    late = motion["contact x"] > low
    axes.plot(motion["contact x"][late], motion["contact y"][late], color=LINE, linewidth=1)
    for i, (rim, axle) in enumerate(rims):
        shade = 0.35 + 0.65 * i / (len(rims) - 1)
        axes.fill(rim[0], rim[1], color=UPSET_COLOUR, linewidth=1.5, alpha=0.6 * shade)
        axes.plot(axle[0], axle[1], color="#333333", linewidth=1.5, alpha=shade)
    axes.set_xlim(low, high)
    ends = np.concatenate([axle[1] for _, axle in rims])
    axes.set_ylim(ends.min() - 0.3, ends.max() + 0.3)
    axes.set_aspect("equal")
    plain(axes, "x / r", "y / r")
