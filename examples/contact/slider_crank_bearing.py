r"""An offset slider-crank with play between crank and rod, [Schwab2002] 4.4.5, Figs. 4.14 to 4.16.

The mechanism is that of Rogers and Andrews. Its crank (50.8 mm) turns at 150 rad/s, anticlockwise
from a horizontal position; the rod (152.4 mm) drives a plunger whose line runs 50.8 mm above the
crank's axis. The journal is the rod's, the sleeve turns with the crank. Where the journal's centre
is further than c = 51 µm from the sleeve's, the lining pushes it back as spring and damper,

    F = K (r - c) + D ṙ,    K = 1.09e8 N/m,    D = 100 N.s/m,

without a bound from below. The journal's displacements x and y on the sleeve's axes, along the
crank and across it, are the two degrees of freedom; without clearance they vibrate at 12146.64 and
31073.75 rad/s (M̄ and K̄ at θ = 0).

Where contact is lost depends on how the journal starts, which the text does not print. From where
it would rest on the lining under the force of the rigid motion, it keeps contact but for two short
losses about 120°, where that force is small, until it rattles from 312° on, the angle that the text
prints. From x = c, not yet pressed, it swings and bounces from 50° on.

The text superposes x and y on the rigid motion: linear equations (2.11) with the lining's force as
an additional one. Here both are shown, the nonlinear equations and the superposed ones: up to 316°
contact is lost at the same angles within 0.02°, and r differs by at most 0.3 µm before 312°.

In the mechanism with springs K, D in the place of the clearance, superposed, nothing bounces: the
smooth curves are its periodic motion. Its vibration about that (Fig. 4.16) goes on undisturbed
where the force is small, at 90°, and no impact at 312° starts it again.

Run: python examples/contact/slider_crank_bearing.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from mbcore import Result, simulate, superpose
from mbcore.drawing import arrow
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show
from mbcore.examples.contact.offset_slider_crank import (
    CLEARANCE,
    REVOLUTION,
    SHOWN,
    STIFFNESS,
    degrees_of,
    frequencies,
    losses,
    mechanism,
    radius_at,
    rattle,
    times,
)

DECAY = 6
"""Revolutions after which a vibration of the linear model is 1e-6 of what it was."""
KICK = 3.5e-6
"""Displacement from the periodic motion with which Fig. 4.16 starts, m."""
DISTANCE = "journal's distance r from\nthe sleeve's centre (µm)"
PRESSED = CLEARANCE + 5e-6
TOUCHING = {"x": 0.8 * PRESSED, "y": 0.6 * PRESSED}
"""Where the journal is in the first picture, 5 µm deep in the lining, m."""
QUARTERS, ANGLES = (0, 90, 180, 270), (30, 60, 90, 120, 150, 180, 240, 270)

REFERENCE = {
    "lower frequency at 0 deg (rad/s)": 12146.64,
    "higher frequency at 0 deg (rad/s)": 31073.75,
    "force / K at 0 deg, horizontal (µm)": -9.274,
    "force / K at 0 deg, vertical (µm)": -2.564,
    "force / K at 90 deg, horizontal (µm)": 0.0,
    "force / K at 90 deg, vertical (µm)": -1.19,
    "force / K at 180 deg, horizontal (µm)": 5.01,
    "force / K at 180 deg, vertical (µm)": 1.22,
    "force / K at 270 deg, horizontal (µm)": 4.79,
    "force / K at 270 deg, vertical (µm)": 5.00,
    "start in the lining: loss 1 (deg)": 118.0,
    "start in the lining: loss 2 (deg)": 127.897,
    "start in the lining: loss 3 (deg)": 312.184,
    "start in the lining: loss 4 (deg)": 315.276,
    "start in the lining: r at 30 deg (µm)": 59.1737,
    "start in the lining: r at 60 deg (µm)": 55.4611,
    "start in the lining: r at 90 deg (µm)": 52.1433,
    "start in the lining: r at 120 deg (µm)": 53.7278,
    "start in the lining: r at 150 deg (µm)": 56.5502,
    "start in the lining: r at 180 deg (µm)": 56.5866,
    "start in the lining: r at 240 deg (µm)": 60.8841,
    "start in the lining: r at 270 deg (µm)": 56.3426,
    "start at x = c: loss 1 (deg)": 49.865,
    "start at x = c: loss 2 (deg)": 54.248,
    "start at x = c: loss 3 (deg)": 61.882,
    "start at x = c: loss 4 (deg)": 70.284,
    "start at x = c: first loss after 250 deg": 298.088,
}
"""Derived by hand, from the nonlinear equations; forces are those on the journal."""


@dataclass(frozen=True)
class Record:
    """Numbers of the motions; names and units as in ``REFERENCE``."""

    numbers: dict[str, float]
    lining: Result
    superposed: Result
    at_gap: Result
    periodic: Result
    kicked: Result


def run() -> Record:
    """Find frequencies and forces; simulate from both starts, and without clearance."""
    numbers = frequencies()
    ideal = simulate(
        mechanism("ideal").equations(), REVOLUTION, samples=REVOLUTION * np.array(QUARTERS) / 360
    )
    forces = np.column_stack([ideal["force.x"], ideal["force.y"]])
    for degrees, force in zip(QUARTERS, forces, strict=True):
        for axis, value in zip(("horizontal", "vertical"), turned(force, degrees), strict=True):
            numbers[f"force / K at {degrees} deg, {axis} (µm)"] = 1e6 * value / STIFFNESS

    depth = -forces[0] / STIFFNESS
    model = mechanism("clearance")
    equations, small = model.equations(), superpose(model)
    pressed = depth * (1 + CLEARANCE / np.hypot(*depth))
    lining, superposed = (rattle(e, *pressed) for e in (equations, small))
    at_gap = rattle(equations, CLEARANCE, 0.0)
    for name, result in (("start in the lining", lining), ("superposed", superposed)):
        for i, degrees in enumerate(losses(result)[:4], start=1):
            numbers[f"{name}: loss {i} (deg)"] = degrees
        for angle in ANGLES:
            numbers[f"{name}: r at {angle} deg (µm)"] = 1e6 * radius_at(result, angle)
    for i, degrees in enumerate(losses(at_gap)[:4], start=1):
        numbers[f"start at x = c: loss {i} (deg)"] = degrees
    late = losses(at_gap)
    numbers["start at x = c: first loss after 250 deg"] = float(late[late > 250][0])

    periodic = compliant({"x": depth[0], "y": depth[1]}, DECAY + SHOWN, DECAY)
    state = {name: periodic[name][0] for name in ("x", "y", "x_rate", "y_rate")}
    kicked = compliant(state | {"x": state["x"] + KICK}, SHOWN)
    return Record(numbers, lining, superposed, at_gap, periodic, kicked)


def turned(vector: np.ndarray, degrees: float) -> np.ndarray:
    """Return a vector on the crank's axes on the inertial ones, shape (2,)."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s], [s, c]]) @ vector


def compliant(start: dict[str, float], revolutions: float, since: float = 0.0) -> Result:
    """Simulate linear equations, with springs in the place of the clearance, from a time on."""
    return simulate(
        superpose(mechanism("compliant")),
        revolutions * REVOLUTION,
        start=start,
        samples=times(revolutions, since),
    )


def draw_displacement(record: Record) -> Figure:
    """Draw Fig. 4.14, the journal's radial displacement, and what superposition changes."""
    figure = Figure(figsize=(9.5, 9), layout="constrained")
    rows = figure.subplots(3, 1, sharex=True, height_ratios=(3, 3, 2))
    rows[1].sharey(rows[0])
    for axes, result, title in (
        (rows[0], record.lining, "The journal starts pressed into the lining"),
        (
            rows[1],
            record.at_gap,
            "The journal starts at x = c, touching the lining but not pressed into it",
        ),
    ):
        axes.plot(degrees_of(result), 1e6 * result["r"], linewidth=0.7, label="with clearance")
        draw_smooth(record, axes)
        head(axes, title, 3)
        axes.set_ylabel(DISTANCE)
    lost = losses(record.lining)
    rows[0].annotate(
        f"rattles from {lost[2]:.1f}°",
        (lost[2], 1e6 * CLEARANCE),
        (lost[2] - 30, 42),
        ha="right",
        va="center",
        arrowprops={"arrowstyle": "->", "color": "0.3"},
    )
    difference = 1e6 * np.abs(record.superposed["r"] - record.lining["r"])
    rows[2].semilogy(degrees_of(record.lining)[1:], difference[1:], color="C2", linewidth=0.7)
    rows[2].set_ylim(1e-5, 30)
    rows[2].set_title(
        "Pressed start: what superposition on the rigid motion changes in r", loc="left"
    )
    plain(rows[2], "crank angle (°)", "|change of r| (µm)")
    return figure


def draw_smooth(record: Record, axes: Axes) -> None:
    """Draw the periodic motion without clearance, springs that start at r = c, and c."""
    smooth = 1e6 * (CLEARANCE + record.periodic["r"])
    axes.plot(
        degrees_of(record.periodic),
        smooth,
        color="C1",
        label="periodic motion, springs instead of clearance",
    )
    label = f"clearance c = {1e6 * CLEARANCE:.0f} µm"
    axes.axhline(1e6 * CLEARANCE, color="0.4", linewidth=0.8, linestyle="--", label=label)
    axes.set_xlim(0, 360 * SHOWN)
    axes.set_xticks(np.arange(0, 360 * SHOWN + 1, 45))
    axes.grid(alpha=0.3)


def draw_path(record: Record) -> Figure:
    """Draw Fig. 4.15: the path of the journal's centre in the first revolution."""
    figure = Figure(figsize=(11.4, 7.7), layout="constrained")
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    result = record.lining
    path = 1e6 * np.column_stack([result["x"], result["y"]])
    angle, rattling = degrees_of(result), losses(result)[2]
    for axes, begin, end, title, marked in (
        (panels[0], 0.0, rattling, "in contact but for two short losses", range(0, 301, 30)),
        (panels[1], rattling, 360.0, "rattling", (315, 320, 330, 340, 350, 360)),
    ):
        axes.add_patch(
            Circle((0, 0), 1e6 * CLEARANCE, fill=False, linestyle="--", color="0.4", zorder=3)
        )
        shown = np.flatnonzero((angle >= begin) & (angle <= end))
        pieces = np.stack([path[shown[:-1]], path[shown[1:]]], axis=1)
        lines = LineCollection(list(pieces), array=angle[shown[1:]], cmap="turbo", linewidth=1)
        axes.add_collection(lines)
        figure.colorbar(lines, ax=axes, label="crank angle (°)", shrink=0.8)
        mark_angles(axes, [path[np.argmin(np.abs(angle - at))] for at in marked], marked)
        axes.set_title(f"{begin:.0f}° to {end:.0f}°: {title}", loc="left")
        axes.set(aspect="equal", xlim=(-5, 72), ylim=(-55, 70))
        plain(axes, "x, along the crank (µm)", "y, across the crank (µm)")
    figure.suptitle(
        "Path of the journal's centre in the sleeve; "
        f"dashed: clearance circle r = c = {1e6 * CLEARANCE:.0f} µm"
    )
    return figure


def mark_angles(axes: Axes, points: Sequence[np.ndarray], angles: Sequence[int]) -> None:
    """Mark crank angles on a path, with labels on an arc in the free inside of the circle."""
    polar = np.arctan2(*np.transpose(points)[::-1])
    spread = np.linspace(polar.min() - 0.2, polar.max() + 0.2, len(points))
    for i, at in zip(np.argsort(polar), spread, strict=True):
        axes.plot(*points[i], "ko", markersize=4.5, zorder=4)
        axes.annotate(
            f"{angles[i]}°",
            points[i],
            (32 * np.cos(at), 36 * np.sin(at)),
            ha="right",
            va="center",
            arrowprops={"arrowstyle": "-", "color": "0.4", "linewidth": 0.7, "shrinkB": 2},
        )


def draw_linear(record: Record) -> Figure:
    """Draw Fig. 4.16: without clearance, the periodic motion and a vibration about it."""
    figure = Figure(figsize=(9.5, 4.2), layout="constrained")
    axes = figure.subplots()
    kicked = record.kicked
    radius = 1e6 * (CLEARANCE + kicked["r"])
    label = f"started {1e6 * KICK} µm beside the periodic motion"
    axes.plot(degrees_of(kicked), radius, linewidth=0.7, label=label)
    draw_smooth(record, axes)
    head(axes, "No clearance: springs, deflected from r = c, hold the journal in the sleeve", 3)
    plain(axes, "crank angle (°)", DISTANCE)
    return figure


def draw(record: Record, folder: Path) -> None:
    """Write the three figures."""
    save(draw_displacement(record), folder, "slider_crank_bearing_displacement")
    save(draw_path(record), folder, "slider_crank_bearing_path")
    save(draw_linear(record), folder, "slider_crank_bearing_linear")


def show_mechanism(folder: Path) -> None:
    """Write the picture of the mechanism with the force on the journal."""
    model = mechanism("clearance")
    bearing = model.elements["joint"]
    force = model.nodes["crank"].matrix @ -ca.vertcat(bearing.x.stress, bearing.y.stress)
    model.show(arrow(bearing.drawn_journal, force, name="force on the journal"))
    seen = simulate(model.equations(), 1e-7, start=TOUCHING, backend="python")
    title = "The journal is pressed into its sleeve; clearance much enlarged"
    labels = {
        "crank": ("crank", 0, 40),
        "rod": ("connecting rod", -30, 45),
        "plunger": ("plunger", 0, -45),
        "journal": ("journal in its sleeve", 40, -60),
    }
    show(seen, folder, "slider_crank_bearing", title, times=(0.0,), labels=labels)


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show_mechanism(folder)
    record = run()
    print_comparison(
        "Slider-crank with play between crank and rod [Schwab2002] 4.4.5",
        [(name, record.numbers[name], value) for name, value in REFERENCE.items()],
    )
    pairs = {n: n.replace("superposed", "start in the lining") for n in record.numbers}
    print_comparison(
        "Superposed equations, beside the nonlinear ones",
        [(n, record.numbers[n], record.numbers[m]) for n, m in pairs.items() if n != m],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
