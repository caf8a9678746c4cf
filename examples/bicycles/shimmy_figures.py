"""The figure of ``shimmy_limit_cycle.py``: caster, cycles over speed, motions and multipliers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, FancyArrowPatch, Rectangle

from mbcore import Result
from mbcore.examples.common import head, plain

if TYPE_CHECKING:
    from mbcore.examples.bicycles.shimmy_limit_cycle import Record, Shimmy

COLOURS = {"viscous": "#1f5fa8", "rubbing": "#c4501b"}
DARK = "#333333"


def draw_shimmy(record: Record, speeds: tuple[float, float], between: float) -> Figure:
    """Draw all four parts."""
    figure = Figure(figsize=(12, 8.6), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.7), height_ratios=(1, 1))
    draw_caster(figure.add_subplot(grid[0, 0]))
    draw_branches(figure.add_subplot(grid[0, 1]), record.shimmies, speeds, between)
    draw_plane(figure.add_subplot(grid[1, 0]), record, between)
    draw_motions(figure.add_subplot(grid[1, 1]), record.pushed, between)
    return figure


def _arrow(axes: Axes, start: np.ndarray, end: np.ndarray, colour: str) -> None:
    axes.add_patch(
        FancyArrowPatch(
            tuple(start), tuple(end), arrowstyle="-|>", mutation_scale=14, color=colour,
            linewidth=1.8, shrinkA=0, shrinkB=0,
        )
    )  # fmt: skip


def draw_caster(axes: Axes) -> None:
    """Draw the caster from above, with its coordinates and the tyre's force."""
    phi, u = 0.5, 0.35
    foot = np.array([0.0, u])
    along, across = np.array([np.cos(phi), np.sin(phi)]), np.array([-np.sin(phi), np.cos(phi)])
    centre = foot - along
    axes.plot([-1.35, 0.65], [0, 0], color="#999999", linewidth=0.8, linestyle="-.")
    coils = np.linspace(0, u, 60)
    axes.plot(0.04 * np.sin(2 * np.pi * 5 * coils / u), coils, color=DARK, linewidth=1.2)
    axes.plot([foot[0], foot[0] - 0.8], [u, u], color="#999999", linewidth=0.8)
    axes.plot(*np.column_stack([foot, centre]), color=DARK, linewidth=4, solid_capstyle="round")
    axes.add_patch(
        Rectangle(
            (centre[0] - 0.26, centre[1] - 0.07), 0.52, 0.14, angle=np.degrees(phi),
            rotation_point="center", facecolor="#666666", edgecolor=DARK,
        )
    )  # fmt: skip
    axes.plot(*foot, "o", color="white", markeredgecolor=DARK, markersize=9, markeredgewidth=2)
    axes.plot(0, 0, "s", color=DARK, markersize=8)
    mass = centre + 0.2 * along
    axes.plot(*mass, "o", color="white", markeredgecolor=DARK, markersize=6)
    axes.add_patch(Arc(tuple(foot), 1.3, 1.3, theta1=180, theta2=180 + np.degrees(phi), color=DARK))
    _arrow(axes, np.zeros(2), np.array([0.62, 0.0]), COLOURS["viscous"])
    _arrow(axes, centre, centre + 0.5 * across, COLOURS["rubbing"])
    for text, place, colour in (
        ("v", (0.52, 0.06), COLOURS["viscous"]),
        ("F(α)", tuple(centre + 0.5 * across + [-0.06, 0.05]), COLOURS["rubbing"]),
        ("C", (0.06, -0.14), DARK),
        ("u", (0.1, 0.12), DARK),
        ("k", (-0.13, 0.12), DARK),
        ("B, swivel", (0.07, u + 0.03), DARK),
        ("φ", (-0.6, u - 0.2), DARK),
        ("G", tuple(mass + [0.0, -0.16]), DARK),
        ("A", tuple(centre + [0.04, -0.2]), DARK),
    ):
        axes.annotate(text, place, color=colour)
    axes.set_xlim(-1.4, 0.72)
    axes.set_ylim(-0.55, 0.75)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_title("Caster on a flexible strut, from above", loc="left")


def draw_branches(
    axes: Axes, shimmies: dict[str, Shimmy], speeds: tuple[float, float], between: float
) -> None:
    """Draw the amplitude of the cycles over speed, beside simulated ones."""
    for name, shimmy in shimmies.items():
        columns, colour = shimmy.cycles.columns, COLOURS[name]
        v, size = columns.values, np.degrees(columns.amplitude("swivel.angle"))
        turn = int(np.argmin(v))
        axes.plot(v[turn:], size[turn:], color=colour, linewidth=2, label=f"{name} swivel")
        axes.plot(v[: turn + 1], size[: turn + 1], color=colour, linewidth=1.5, linestyle="--")
        axes.plot(shimmy.hopf, 0, "o", color=colour, markersize=7, clip_on=False, zorder=5)
        axes.plot(v[turn], size[turn], "D", color=colour, markersize=6, zorder=5)
        marks = shimmy.simulated
        axes.plot(
            list(marks), np.degrees(list(marks.values())), "o", markerfacecolor="white",
            color=colour, markersize=8, zorder=5,
        )  # fmt: skip
    first, last = (shimmies[name].hopf for name in ("viscous", "rubbing"))
    axes.plot([speeds[0], first], [0, 0], color=DARK, linewidth=2.5, clip_on=False)
    for style, told in (
        ({"color": DARK, "linestyle": "--"}, "unstable"),
        ({"color": DARK, "marker": "o", "linestyle": "none"}, "Hopf point"),
        ({"color": DARK, "marker": "D", "linestyle": "none"}, "fold"),
        (
            {"color": DARK, "marker": "o", "markerfacecolor": "white", "linestyle": "none"},
            "long simulation",
        ),
    ):
        axes.plot([], [], label=told, **style)
    axes.plot([first, last], [0, 0], color=COLOURS["rubbing"], linewidth=2.5, clip_on=False)
    axes.axvline(between, color="#999999", linewidth=0.8, linestyle=":")
    axes.set_xlim(*speeds)
    axes.set_ylim(0, None)
    plain(axes, "speed v (m/s)", "amplitude of φ (degrees)")
    head(axes, "Shimmy over speed: straight running is safe only below the fold", 3)


def draw_plane(axes: Axes, record: Record, between: float) -> None:
    """Draw both cycles and motions that begin beside the unstable one."""
    for motion, colour in zip(record.pushed, ("#3c8d5a", "#b05aa8"), strict=True):
        shown = motion.time < 250
        axes.plot(
            np.degrees(motion["swivel.angle"][shown]), motion["swivel.rate"][shown],
            color=colour, linewidth=0.6, alpha=0.8,
        )  # fmt: skip
    for found, style, told in (
        (record.unstable, "--", "unstable cycle"),
        (record.stable, "-", "stable cycle"),
    ):
        time = np.linspace(0, found.period, 600)
        axes.plot(
            np.degrees(found["swivel.angle"](time)), found["swivel.rate"](time), style,
            color=COLOURS["viscous"], linewidth=2.2, label=told, zorder=5,
        )  # fmt: skip
    plain(axes, "swivel angle φ (degrees)", "swivel rate (rad/s)")
    head(axes, f"Viscous swivel, v = {between:g} m/s", 2)


def draw_motions(axes: Axes, pushed: tuple[Result, Result], between: float) -> None:
    """Draw motions on both sides of the unstable cycle over time."""
    for motion, colour, told in zip(
        pushed,
        ("#3c8d5a", "#b05aa8"),
        ("20 % inside the unstable cycle: dies away", "20 % outside: shimmies on"),
        strict=True,
    ):
        axes.plot(
            motion.time, np.degrees(motion["swivel.angle"]), color=colour, linewidth=1, label=told
        )
    axes.set_xlim(0, 250)
    plain(axes, "time (s)", "swivel angle φ (degrees)")
    head(axes, f"Pushed at v = {between:g} m/s, full equations", 2)
