"""Figures of the drive shaft: response and exponents over speed, and its nominal motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore.examples.common import head, plain
from mbcore.vibration import NominalMotion, PeriodicSolution

if TYPE_CHECKING:
    from mbcore.examples.vibration.drive_shaft import Record

STABLE, UNSTABLE, ZONE = "#1f5fa8", "#c4501b", "#f6d9cd"
SHADES = ("#08306b", "#3a8fd0", "#c4501b", "#e8a33d")
"""Of harmonics, from the lowest on."""


def draw_response(record: Record, table: Mapping[float, tuple[float, float]]) -> Figure:
    """Draw Figs. 4.10 and 4.11: largest deflection and twist of the periodic solution."""
    figure = Figure(figsize=(10, 8), layout="constrained")
    deflection, twist = figure.subplots(2, 1, sharex=True)
    at = list(table)
    for axes, values, i in ((deflection, record.deflections, 0), (twist, record.twists, 1)):
        unstable = _unstable(record, record.speeds)
        _shade(axes, record)
        axes.plot(record.speeds, np.where(unstable, np.nan, values), color=STABLE, label="stable")
        axes.plot(
            record.speeds,
            np.where(unstable, values, np.nan),
            "--",
            color=UNSTABLE,
            label="unstable",
        )
        axes.plot(
            at,
            [table[speed][i] for speed in at],
            "ko",
            markersize=5,
            markerfacecolor="none",
            label="by hand",
        )
        axes.set_xlim(0, 1)
        axes.set_yscale("log")
    twist.set_yticks((0.01, 0.02, 0.05, 0.1), ("0.01", "0.02", "0.05", "0.1"))
    twist.set_ylim(0.01, 0.11)
    twist.minorticks_off()
    plain(deflection, "", "max. deflection of the middle / l")
    plain(twist, "speed of the input / 766 rad/s", "max. twist (rad)")
    head(deflection, "Cardan drive shaft: periodic solution over speed", 4)
    return figure


def draw_stability(record: Record) -> Figure:
    """Draw the largest real part of the exponents."""
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    axes = figure.subplots()
    _shade(axes, record)
    axes.plot(record.checked, record.growths, color=STABLE, label="largest real part")
    axes.plot(
        [b.value for b in record.boundaries],
        np.zeros(len(record.boundaries)),
        "o",
        color=UNSTABLE,
        markerfacecolor="white",
        zorder=3,
        label="boundary",
    )
    for i, boundary in enumerate(record.boundaries):
        side = 1 if i % 2 else -1
        axes.annotate(
            f"{boundary.value:.4f}",
            (boundary.value, 0),
            (7 * side, 20 if i == 2 else 7),
            textcoords="offset points",
            ha="left" if i % 2 else "right",
            fontsize="small",
        )
    for before, after in zip(record.boundaries[::2], record.boundaries[1::2], strict=True):
        kind = before.kind.replace("_", "-").title() if "_" in before.kind else before.kind
        middle = (before.value + after.value) / 2
        inside = record.growths[(record.checked > before.value) & (record.checked < after.value)]
        axes.annotate(kind, (middle, inside.max()), (0, 5), textcoords="offset points", ha="center")
    axes.axhline(0, color="0.5", linewidth=0.8)
    axes.set_xlim(0, 1)
    axes.set_ylim(top=52)
    plain(axes, "speed of the input / 766 rad/s", "growth rate (1/s)")
    head(axes, "Cardan drive shaft: growth rate of a disturbance", 3)
    return figure


def draw_harmonics(record: Record) -> Figure:
    """Draw Figs. 4.12 and 4.13: amplitudes of harmonics, where they do not vanish by symmetry."""
    figure = Figure(figsize=(10, 8), layout="constrained")
    rows = figure.subplots(2, 1, sharex=True)
    for axes, i, orders in ((rows[0], 0, (1, 3, 5, 7)), (rows[1], 1, (0, 2, 4, 6))):
        for order, colour, width in zip(orders, SHADES, (2.4, 1.8, 1.2, 0.8), strict=True):
            values = record.harmonics[:, i, order]
            label = f"harmonic {order}"
            axes.semilogy(record.speeds, values, color=colour, linewidth=width, label=label)
        axes.set_xlim(0, 1)
    plain(rows[0], "", "deflection of the middle / l")
    plain(rows[1], "speed of the input / 766 rad/s", "twist (rad)")
    head(rows[0], "Cardan drive shaft: odd harmonics of the deflection on its own axes", 4)
    head(rows[1], "Even harmonics of the twist", 4)
    return figure


def draw_nominal(
    slow: NominalMotion,
    found: Mapping[str, np.ndarray],
    closed_forms: Callable[[np.ndarray], dict[str, np.ndarray]],
) -> Figure:
    """Draw speed and moments of the rigid shaft beside [Schwab2002] (4.21) to (4.23)."""
    figure = Figure(figsize=(9, 7), layout="constrained")
    rows = figure.subplots(3, 1, sharex=True)
    angle = np.linspace(0, 2 * np.pi, 361)
    lines = closed_forms(np.sin(angle))
    marks = np.arange(0, slow.time.size, 2)
    labels = (
        ("4.21", "speed of the shaft / ω", "Cardan drive shaft: uneven speed (4.21)"),
        ("4.22", "torque (N m)", "Torque that the rigid shaft carries at rest (4.22)"),
        ("4.23", "bending moment (N m)", "Bending moment that it carries at rest (4.23)"),
    )
    for axes, (key, up, title) in zip(rows, labels, strict=True):
        axes.plot(np.degrees(angle), lines[key], color=STABLE, label="closed form")
        axes.plot(360 * marks / slow.time.size, found[key][marks], "k.", label="nominal motion")
        axes.set_title(title, loc="left", fontsize="medium")
        plain(axes, "", up)
    rows[0].legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False)
    rows[-1].set_xlabel("angle of the input (degrees)")
    rows[-1].set_xticks(range(0, 361, 45))
    rows[-1].set_xlim(0, 360)
    return figure


def draw_full(linear: PeriodicSolution, full: PeriodicSolution, speed: float) -> Figure:
    """Draw path of the middle and twist by the linear and by the full equations."""
    figure = Figure(figsize=(11, 4.8), layout="constrained")
    path, twist = figure.subplots(1, 2, width_ratios=(1, 1.5))
    turn = np.linspace(0, 1, 721)
    for motion, style, color, name in (
        (full, "-", UNSTABLE, "full equations"),
        (linear, "--", STABLE, "linear equations"),
    ):
        time = turn * motion.period
        # A turn has two laps of the linear path; the second one would fill the gaps of its dashes.
        lap = time[:361] if motion is linear else time
        across, up = motion["shaft.in_plane"](lap), motion["shaft.out_of_plane"](lap)
        path.plot(1e3 * across, 1e3 * up, style, color=color, label=name)
        twist.plot(360 * turn, 1e3 * motion["shaft.twist"](time), style, color=color, label=name)
    path.set_aspect("equal", adjustable="datalim")
    plain(path, "in the plane / l (10⁻³)", "out of the plane / l (10⁻³)")
    plain(twist, "angle of the input (degrees)", "twist (mrad)")
    twist.set_xticks(range(0, 361, 45))
    twist.set_xlim(0, 360)
    head(path, f"Cardan drive shaft, {speed:.0f} rad/s: its middle", 2)
    head(twist, "Twist between its ends", 2)
    return figure


def _unstable(record: Record, speeds: np.ndarray) -> np.ndarray:
    """Return at which speeds the periodic solution is unstable."""
    return np.interp(speeds, record.checked, record.growths) > 0


def _shade(axes: Axes, record: Record) -> None:
    """Shade the unstable zones."""
    values = [boundary.value for boundary in record.boundaries]
    for i in range(0, len(values), 2):
        label = "unstable zone" if i == 0 else None
        axes.axvspan(values[i], values[i + 1], color=ZONE, label=label, zorder=0)
