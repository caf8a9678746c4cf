"""Figures of the rotor: Campbell diagram, mode shapes, and orbits under unbalance and weight."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore.examples.common import head, plain
from mbcore.examples.vibration.rotor_whirls import Spun, Whirl
from mbcore.vibration import PeriodicSolution

FORWARD, BACKWARD = "#1f5fa8", "#c4501b"
RPM, HERTZ = 30 / np.pi, 1 / (2 * np.pi)
BEYOND = 1.06
"""Height of the frequency's axis over the highest frequency."""


def draw_campbell(
    rotor: Spun, fastest: float, criticals: list[float], table: list[tuple[float, complex]]
) -> Figure:
    """Draw frequencies and decay rates over speed, with published values as (speed, eigenvalue)."""
    speeds = np.linspace(0, fastest, 121)
    values = {"forward": [], "backward": []}
    for speed in speeds:
        whirls = rotor.whirls(float(speed))
        for direction, found in values.items():
            found.append([w.tabled for w in whirls if w.direction == direction][:4])
    figure = Figure(figsize=(9, 8), layout="constrained")
    frequency, decay = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    for (direction, found), color, style in zip(
        values.items(), (FORWARD, BACKWARD), ("-", "--"), strict=True
    ):
        lines = np.array(found)
        for axes, part in ((frequency, lines.imag * HERTZ), (decay, -lines.real)):
            drawn = axes.plot(speeds * RPM, part, style, color=color, linewidth=1.5)
            drawn[0].set_label(f"{direction} whirl")
    frequency.plot(
        speeds * RPM, speeds * HERTZ, color="0.5", linewidth=1, label="speed of the shaft"
    )
    frequency.plot(
        np.array(criticals) * RPM,
        np.array(criticals) * HERTZ,
        "o",
        color=FORWARD,
        markerfacecolor="white",
        zorder=3,
        label="critical speed",
    )
    for critical in criticals:
        frequency.annotate(
            f"{critical * RPM:.0f} rpm",
            (critical * RPM, critical * HERTZ),
            (-7, 7),
            textcoords="offset points",
            ha="right",
            fontsize="small",
        )
    at = np.array([speed for speed, _ in table]) * RPM
    there = np.array([value for _, value in table])
    frequency.plot(at, there.imag * HERTZ, "k.", label="Table 4.1")
    decay.plot(at, -there.real, "k.")
    frequency.set_ylim(0, BEYOND * there.imag.max() * HERTZ)
    frequency.set_xlim(0, fastest * RPM)
    decay.set_ylim(0)
    plain(frequency, "", "frequency of the whirl (Hz)")
    plain(decay, "speed of the shaft (rpm)", "decay rate (1/s)")
    head(frequency, "Rotor with two disks and a seal: Campbell diagram", 5)
    decay.set_title("Decay rates of the whirls", loc="left")
    return figure


def draw_modes(whirls: list[Whirl], length: float, marks: dict[str, tuple[int, ...]]) -> Figure:
    """Draw the shaft in its whirls: two planes through the axis, a quarter of a turn apart."""
    figure = Figure(figsize=(10, 9), layout="constrained")
    grid = figure.subplots(4, 2, sharex=True, sharey=True)
    for axes, whirl in zip(grid.ravel(), whirls, strict=True):
        x, shape = _line(whirl.shape, length)
        color = FORWARD if whirl.direction == "forward" else BACKWARD
        axes.axhline(0, color="0.7", linewidth=0.8)
        axes.plot(x, shape.real, color=color, linewidth=1.8, label="in phase with the largest")
        axes.plot(x, shape.imag, ":", color=color, linewidth=1.8, label="a quarter turn ahead")
        _mark(axes, length, marks, whirl.shape.shape[1])
        value = whirl.tabled
        axes.set_title(
            f"{whirl.direction}, {value.real:.2f} ± {value.imag:.2f} i rad/s",
            loc="left",
            fontsize="medium",
        )
        axes.set_ylim(-1.3, 1.3)
        axes.grid(alpha=0.3)
    for axes in grid[-1]:
        axes.set_xlabel("place along the shaft (m)")
    for axes in grid[:, 0]:
        axes.set_ylabel("displacement (1)")
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
    figure.suptitle("Rotor at 4000 rpm: its first eight whirls", x=0.01, ha="left")
    return figure


def _line(shape: np.ndarray, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Return places and the cubic line through displacements and slopes of the nodes."""
    place, slope = shape
    n = place.size - 1
    xi = np.linspace(0, 1, 21)
    span = length / n
    cubics = np.array([
        1 - 3 * xi**2 + 2 * xi**3,
        span * (xi - 2 * xi**2 + xi**3),
        3 * xi**2 - 2 * xi**3,
        span * (xi**3 - xi**2),
    ])  # fmt: skip
    lines = [np.array([place[i], slope[i], place[i + 1], slope[i + 1]]) @ cubics for i in range(n)]
    return np.concatenate([span * (i + xi) for i in range(n)]), np.concatenate(lines)


def _mark(axes: Axes, length: float, marks: dict[str, tuple[int, ...]], nodes: int) -> None:
    """Mark on the axis where bearings, seal and disks are."""
    looks = {"bearings": "^", "seal": "s", "disks": "|"}
    for name, places in marks.items():
        x = np.array(places) * length / (nodes - 1)
        axes.plot(
            x,
            np.zeros(x.size),
            looks[name],
            color="0.25",
            markersize=16 if name == "disks" else 6,
            markeredgewidth=3 if name == "disks" else 1,
            label=name,
        )


def draw_unbalance(
    rotor: Spun, fastest: float, criticals: list[float], motion: PeriodicSolution, size: float
) -> Figure:
    """Draw the orbits' radii over speed, and those of all nodes at 4000 rpm with the weight."""
    figure = Figure(figsize=(11.5, 5.6), layout="constrained")
    radii, orbits = figure.subplots(1, 2, width_ratios=(1.7, 1))
    speeds = np.linspace(0, fastest, 801)
    found = np.abs([rotor.orbit(float(v)) for v in speeds]) / size
    colors = ("#0b3c6f", "#1f5fa8", "#3a9a8c", "#8aa03a", "#d08a1d", "#c4501b")
    for i in (5, 4, 2):
        radii.plot(speeds * RPM, found[:, i], color=colors[i], label=f"node {i}")
    for critical in criticals:
        radii.axvline(critical * RPM, color="0.6", linewidth=0.8, linestyle=":")
    radii.axvline(np.nan, color="0.6", linewidth=0.8, linestyle=":", label="critical speed")
    at = 2 * np.pi / motion.period * RPM
    for i in (5, 4, 2):
        radius = motion.amplitude(f"node {i}.y") / size
        label = "periodic solution" if i == 2 else None
        radii.plot(at, radius, "ko", markersize=5, markerfacecolor="white", label=label)
    radii.set_xlim(0, fastest * RPM)
    radii.set_ylim(0)
    plain(radii, "speed of the shaft (rpm)", "radius of the orbit / eccentricity (1)")
    head(radii, "Rotor with its last disk unbalanced: radii of the orbits", 5)
    time = np.linspace(0, motion.period, 200)
    for i, color in reversed(list(enumerate(colors))):
        y, z = motion[f"node {i}.y"](time) * 1e6, motion[f"node {i}.z"](time) * 1e6
        orbits.plot(z, y, color=color, label=f"node {i}")
        orbits.plot(z[:1], y[:1], "o", color=color, markersize=4)
    orbits.plot(0, 0, "k+", markersize=10, markeredgewidth=1.5)
    orbits.axhline(0, color="0.7", linewidth=0.8, zorder=0)
    orbits.axvline(0, color="0.7", linewidth=0.8, zorder=0)
    orbits.set_aspect("equal")
    orbits.set_xlim(-140, 70)
    plain(orbits, "z (µm)", "y, up (µm)")
    orbits.set_title(f"Orbits at {at:.0f} rpm, with weight", loc="left", pad=24)
    orbits.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize="small")
    return figure
