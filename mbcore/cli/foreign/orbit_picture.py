"""The picture of a periodic motion: states over a period, and multipliers about the unit circle.

The subcommand ``orbit`` writes it; it stands apart because it alone imports Matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore.results.periodic_solution import PeriodicSolution

POINTS = 600
MOST_STATES = 6
"""Curves in a picture."""


def write_picture(file: Path, found: PeriodicSolution, states: Sequence[str]) -> None:
    """Write the picture of a periodic motion.

    Parameters
    ----------
    file : Path
        Its ending says the format.
    found : PeriodicSolution
        The motion.
    states : sequence of str
        Names of the states, of which the first six are drawn.
    """
    figure = Figure(figsize=(9.0, 4.0), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(5, 4))
    times = np.linspace(0.0, found.period, POINTS)
    for name in states[:MOST_STATES]:
        unit = found[name].unit
        left.plot(
            times, found[name](times), label=name if unit in ("", "1") else f"{name} ({unit})"
        )
    left.set(
        xlabel="time (s)",
        ylabel="states",
        xlim=(0.0, found.period),
        title=f"one period, {found.period:.6g} s",
    )
    left.legend()
    angle = np.linspace(0, 2 * np.pi, 200)
    right.plot(np.cos(angle), np.sin(angle), color="0.6", linewidth=1)
    values = np.zeros(0) if found.multipliers is None else found.multipliers
    right.plot(values.real, values.imag, "o", markersize=7)
    verdict = "stable" if found.stable else "unstable"
    right.set(aspect="equal", title=f"multipliers: {verdict}", xlabel="real", ylabel="imaginary")
    figure.savefig(file, dpi=120)
