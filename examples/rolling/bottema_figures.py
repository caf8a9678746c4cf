"""Figures of Bottema's body: eigenvalues along the load, and how it slides down the slope."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from mbcore import Result
from mbcore.examples.common import head, plain

LABELS = ("non-holonomic", "constraint integrated")


def draw_eigenvalues(loads: np.ndarray, eigenvalues: Mapping[str, np.ndarray]) -> Figure:
    """Draw growth and frequency along the load, both treatments.

    Parameters
    ----------
    loads : ndarray, shape (n,)
        P, N.
    eigenvalues : mapping of str to ndarray
        With the "edge" and the constraint "integrated", 1/s; each shape (n, m).
    """
    figure = Figure(figsize=(9, 7), layout="constrained")
    figure.suptitle(
        "Bottema's body on a knife edge: a load on the slope makes it flutter or fall aside, "
        "but not where\nthe constraint is integrated first"
    )
    upper, lower = figure.subplots(2, 1, sharex=True)
    styles = (("edge", "C3", "-", 2.0), ("integrated", "C0", "--", 1.4))
    for (name, colour, style, width), label in zip(styles, LABELS, strict=True):
        for axes, part in ((upper, "real"), (lower, "imag")):
            values = np.sort(getattr(eigenvalues[name], part), axis=1)
            axes.plot(loads, values, color=colour, linestyle=style, linewidth=width)
            axes.plot([], [], color=colour, linestyle=style, linewidth=width, label=label)
    for axes in (upper, lower):
        for boundary in (-1, 1):
            axes.axvline(boundary, color="black", linestyle=":", linewidth=1)
    upper.annotate("falls aside", (-2, 0.75), ha="center")
    upper.annotate("stable", (0, 0.75), ha="center")
    upper.annotate("flutters", (3, 0.75), ha="center")
    upper.set_xlim(loads[0], loads[-1])
    upper.set_ylim(-0.75, 0.95)
    plain(upper, "", "growth Re λ (1/s)")
    plain(lower, "load P down the slope (N)", "frequency Im λ (rad/s)")
    head(upper, "Motions grow where P > 1 N or P < -1 N", 2)
    lower.set_title("Two frequencies meet where the flutter begins", loc="left")
    figure.align_ylabels([upper, lower])
    return figure


def draw_motion(motion: Result, holonomic: Result) -> Figure:
    """Draw the transient in both treatments, and the slide down the slope."""
    figure = Figure(figsize=(10, 5), layout="constrained")
    figure.suptitle(
        f"At P = 3 N a tilt of {np.degrees(motion['psi'][0]):.2f}° grows:\n"
        "wriggling, Bottema's body slides down the slope"
    )
    left, right = figure.subplots(1, 2, width_ratios=(1.3, 0.9))
    for moved, style, label in zip((motion, holonomic), ("C3", "C0--"), LABELS, strict=True):
        left.plot(moved.time, np.degrees(moved["psi"]), style, label=label)
    left.set_xlim(0, motion.time[-1])
    plain(left, "time (s)", "angle ψ of the edge (°)")
    head(left, "It flutters, unless its constraint is integrated", 2)
    right.plot(motion["x"], motion["y"], "C3", linewidth=1.2)
    right.plot(0, 0, "ko", markersize=4)
    right.annotate("start", (0, 0), xytext=(6, 4), textcoords="offset points")
    right.set_title("Path of A on the slope", loc="left")
    right.set_aspect("equal")
    plain(right, "x, horizontal (m)", "y, up the slope (m)")
    return figure
