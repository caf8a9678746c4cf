"""Figures of the bicycle: eigenvalues along the speed, the push, and circles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from mbcore import Result, SteadyMotion
from mbcore.examples.common import head, plain

MODES = {"weave": "#1f5fa8", "capsize": "#2e7d32", "castering": "#c4501b"}
STABLE = "#e8f2e4"
SHOWN = 5.0
"""Time of the push that is shown, s."""


def draw_eigenvalues(
    speeds: np.ndarray,
    eigenvalues: np.ndarray,
    published: Mapping[int, Sequence[float]],
    stable: tuple[float, float],
) -> Figure:
    """Draw real and imaginary parts along the speed, as in Fig. 3 of the paper.

    Parameters
    ----------
    speeds : ndarray, shape (n,)
        m/s.
    eigenvalues : ndarray of complex, shape (n, 4)
        Weave (two), capsize, castering.
    published : mapping of int to sequence
        By speed: real and imaginary part of the weave where they are printed, capsize, castering.
    stable : tuple of two
        Weave and capsize speed, m/s.
    """
    figure = Figure(figsize=(9, 6.4), layout="constrained")
    axes = figure.subplots()
    axes.axvspan(*stable, color=STABLE, zorder=0)
    axes.axhline(0, color="black", linewidth=0.8)
    weave, capsize, castering = eigenvalues[:, :2], eigenvalues[:, 2], eigenvalues[:, 3]
    style = {"linewidth": 1.8}
    axes.plot(speeds, weave.real, color=MODES["weave"], **style)
    oscillating = weave[:, 0].imag > 1e-9
    axes.plot(speeds[oscillating], weave[oscillating, 0].imag, "--", color=MODES["weave"], **style)
    axes.plot(speeds, capsize.real, color=MODES["capsize"], **style)
    axes.plot(speeds, castering.real, color=MODES["castering"], **style)
    for speed, values in published.items():
        for value in values:
            axes.plot(speed, value, "o", markersize=5, markerfacecolor="none", color="black")
    axes.plot([], [], color="black", label="real part")
    axes.plot([], [], "--", color="black", label="imaginary part")
    axes.plot([], [], "o", markerfacecolor="none", color="black", label="Table 2 of the paper")
    for text, place, mode in (
        ("weave", (2.2, 3.3), "weave"),
        ("weave, frequency", (7.4, 6.9), "weave"),
        ("capsize", (8.6, 0.5), "capsize"),
        ("castering", (2.6, -9.4), "castering"),
    ):
        axes.annotate(text, place, color=MODES[mode])
    for speed, text in zip(stable, ("weave speed", "capsize speed"), strict=True):
        axes.axvline(speed, color="#888888", linewidth=0.8, linestyle=":")
        right = speed == stable[1]
        axes.annotate(
            f"{text}\n{speed:.3f} m/s",
            (speed, -8.2),
            xytext=(5 if right else -5, 0),
            textcoords="offset points",
            ha="left" if right else "right",
        )
    axes.annotate("stable", (sum(stable) / 2, 9.2), ha="center")
    axes.set_xlim(0, 10)
    axes.set_ylim(-10, 10)
    plain(axes, "speed (m/s)", "λ (1/s)")
    head(axes, "Eigenvalues of the upright benchmark bicycle", 3)
    return figure


def draw_push(push: Result, final: float) -> Figure:
    """Draw the nonlinear motion after a push, as in Fig. 4, and the speed that it tends to."""
    figure = Figure(figsize=(9, 6.4), layout="constrained")
    rates, speed = figure.subplots(2, 1, sharex=True, height_ratios=(1.5, 1))
    shown = push.time <= SHOWN
    time = push.time[shown]
    for name, mode, label in (
        ("bicycle.lean_rate", "weave", "rate of lean, to the right"),
        ("bicycle.steer_rate", "castering", "rate of steer, to the left"),
    ):
        rates.plot(time, push[name][shown], color=MODES[mode], linewidth=1.5, label=label)
    plain(rates, "", "rate (rad/s)")
    head(rates, "Pushed to the right at 4.6 m/s, nobody steers", 2)
    speed.plot(time, push["bicycle.speed"][shown], color="black", linewidth=1.5, label="speed")
    speed.axhline(
        final,
        color="#888888",
        linestyle=":",
        label=f"all energy of the push in the speed: {final:.4f} m/s",
    )
    speed.set_xlim(0, SHOWN)
    plain(speed, "time (s)", "speed (m/s)")
    head(speed, "Speed", 2)
    figure.align_ylabels([rates, speed])
    return figure


def _column(motions: Sequence[SteadyMotion], name: str) -> np.ndarray:
    return np.array([{**motion.state, **motion.outputs}[name] for motion in motions])


def draw_circles(
    hands_free: Sequence[SteadyMotion],
    turns: Mapping[float, Sequence[SteadyMotion]],
    capsize: float,
) -> Figure:
    """Draw hands-free circles, and the torques that other circles need; all to the left."""
    figure = Figure(figsize=(10.5, 5.2), layout="constrained")
    free, held = figure.subplots(1, 2)
    lean = np.degrees(-_column(hands_free, "bicycle.lean"))
    speed = _column(hands_free, "bicycle.speed")
    radius = speed / _column(hands_free, "bicycle.yaw_rate")
    free.plot(speed, lean, color="black", linewidth=1.6)
    free.plot(capsize, 0, "s", color=MODES["capsize"], clip_on=False, zorder=3)
    free.annotate(
        "capsize speed", (capsize, 0), xytext=(-8, 8), textcoords="offset points", ha="right",
        color=MODES["capsize"],
    )  # fmt: skip
    for wanted in (20, 10, 7, 5, 3, 2, 1):
        # radii fall from circle to circle
        place = [np.interp(-wanted, -radius, values) for values in (speed, lean)]
        free.plot(*place, "o", color="black", markersize=4)
        falling = place[0] > 4.8
        free.annotate(
            f"{wanted:g} m",
            place,
            xytext=(6, -1) if falling else (-6, 4),
            textcoords="offset points",
            ha="left" if falling else "right",
            fontsize="small",
        )
    free.set_xlim(0, 7)
    free.set_ylim(0, 28)
    plain(free, "speed (m/s)", "lean into the turn (°)")
    free.set_title("Hands-free circles and their radii", loc="left")

    shades = colormaps["viridis"](np.linspace(0.05, 0.85, len(turns)))
    for (v, motions), shade in zip(turns.items(), shades, strict=True):
        held.plot(
            np.degrees(-_column(motions, "bicycle.lean")),
            _column(motions, "rider.torque"),
            color=shade,
            linewidth=1.6,
            label=f"{v:.3g} m/s",
        )
    held.axhline(0, color="black", linewidth=0.8)
    held.set_xlim(0, None)
    plain(held, "lean into the turn (°)", "torque into the turn (N m)")
    held.set_title("Torque that holds a circle", loc="left")
    held.legend(fontsize="small")
    return figure
