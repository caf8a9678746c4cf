"""Figures of the slider-crank with an elastic rod: a revolution, resonances and harmonics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from mbcore import Result
from mbcore.examples.common import head, plain
from mbcore.examples.vibration.elastic_slider_crank import FIRST_FREQUENCY
from mbcore.vibration import PeriodicSolution

JUMP = 0.03
"""Between largest deflections, v/l, at neighbouring speeds: these are of two motions."""


def draw_revolution(periodic: PeriodicSolution, motions: Mapping[str, Result]) -> Figure:
    """Draw Fig. 4.5: the first revolution, by the periodic solution and by three integrations."""
    figure = Figure(figsize=(9.5, 5), layout="constrained")
    figure.suptitle(
        "Slider-crank at 150 rad/s: from rest its rod comes to the periodic motion, "
        "2 % damping (Fig. 4.5)"
    )
    axes = figure.subplots()
    degrees = np.linspace(0, 360, 721)
    steady = periodic["deflection"](periodic.period * degrees / 360)
    axes.plot(degrees, steady, color="0.3", linewidth=2, label="periodic, linear")
    for (name, motion), style in zip(motions.items(), ("-", "-.", "--"), strict=True):
        axes.plot(
            360 * motion.time / periodic.period,
            motion["deflection"],
            style,
            linewidth=1.2,
            label=f"total, {name}",
        )
    axes.set_xlim(0, 360)
    axes.set_xticks(range(0, 361, 60))
    plain(axes, "crank angle (°)", "deflection of the rod's midpoint v/l (no unit)")
    head(axes, "The rod's arc keeps its length", 4)
    return figure


def draw_largest(
    along: np.ndarray,
    linear: np.ndarray,
    nonlinear: Mapping[tuple[float, str], np.ndarray],
    by_hand: Mapping[int, Sequence[float]],
) -> Figure:
    """Draw Fig. 4.6.

    Parameters
    ----------
    along : ndarray, shape (n,)
        Speeds of the linear solutions, rad/s.
    linear : ndarray, shape (2, n)
        Their largest deflections, v/l, by damping.
    nonlinear : mapping of (float, str) to ndarray
        By damping and direction: speeds and largest deflections.
    by_hand : mapping of int to sequence
        By speed: the references, by damping.
    """
    figure = Figure(figsize=(9.5, 7), layout="constrained")
    figure.suptitle(
        "Slider-crank: its rod resonates at 1/5, 1/4 and 1/3 of the first frequency (dotted; "
        "Fig. 4.6)"
    )
    rows = figure.subplots(2, 1)
    for i, (axes, share) in enumerate(zip(rows, (0.01, 0.02), strict=True)):
        most = 0.12 if i == 0 else 0.09
        axes.plot(along, linear[i], color="C0", label=named("linear", linear[i], most))
        for direction, style in (
            ("upwards", {"color": "C1", "linewidth": 4, "alpha": 0.45}),
            ("downwards", {"color": "C3", "linestyle": "--"}),
        ):
            curve = broken(*nonlinear[share, direction])
            axes.plot(*curve, label=f"nonlinear, {direction}", **style)
        values = [row[i] for row in by_hand.values()]
        axes.plot(list(by_hand), values, "ko", markersize=4, label="nonlinear, by hand")
        for part in (5, 4, 3):
            axes.axvline(FIRST_FREQUENCY / part, color="0.6", linewidth=0.7, linestyle=":")
        axes.set_xlim(along[0], along[-1])
        axes.set_ylim(0, most)
        plain(axes, "crank speed ω (rad/s)" if i else "", "largest |v|/l (no unit)")
        head(axes, f"Periodic motion with {share:.0%} damping", 4)
    return figure


def named(name: str, values: np.ndarray, most: float) -> str:
    """Return a curve's name, with its largest value where the axes, up to ``most``, cut it."""
    top = float(np.nanmax(values))
    return f"{name}, up to {top:.3f}" if top > most else name


def broken(speeds: np.ndarray, tops: np.ndarray) -> np.ndarray:
    """Return a curve, shape (2, m), with a gap wherever it jumps to another motion."""
    jumps = np.flatnonzero(np.abs(np.diff(tops)) > JUMP) + 1
    return np.array([np.insert(speeds, jumps, np.nan), np.insert(tops, jumps, np.nan)])


def draw_harmonics(along: np.ndarray, harmonics: np.ndarray, quasistatic: np.ndarray) -> Figure:
    """Draw Fig. 4.7; amplitudes of v/l, shape (n, 4), along n speeds, rad/s."""
    figure = Figure(figsize=(9.5, 7), layout="constrained")
    figure.suptitle(
        "Slider-crank with 2 % damping: the rod's fourth harmonic peaks, though nothing forces it "
        "(Fig. 4.7)"
    )
    for i, axes in enumerate(figure.subplots(2, 2).ravel()):
        response, static = harmonics[:, i], quasistatic[:, i]
        axes.plot(along, response, label=named("linear response", response, 0.04))
        axes.plot(along, static, ":", color="C3", label=named("quasi-static", static, 0.04))
        axes.set_xlim(along[0], along[-1])
        axes.set_ylim(0, 0.04)
        label = "amplitude of v/l (no unit)" if i % 2 == 0 else ""
        plain(axes, "crank speed ω (rad/s)" if i > 1 else "", label)
        head(axes, f"Harmonic {i + 1}", 2)
    return figure
