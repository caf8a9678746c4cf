"""Pictures of a fit: motions, residuals and their correlations, values with their intervals."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore.identification.sensor_fit import SensorFit

MEASURED, SIMULATED = "#9aa3ad", "#1f5fa8"


def pictures(sensors: Mapping[str, SensorFit]) -> Figure:
    """Return a row for each sensor: motion, residuals, and correlations of these."""
    figure = Figure(figsize=(11, 2.6 * len(sensors)), layout="constrained")
    axes = figure.subplots(len(sensors), 3, squeeze=False, width_ratios=(3, 3, 2))
    for (motion, rest, lags), (name, one) in zip(axes, sensors.items(), strict=True):
        unit = "" if one.unit == "1" else f" ({one.unit})"
        for k, times in enumerate(one.times):
            labels = ("measured", "fitted") if k == 0 else ("", "")
            motion.plot(times, one.measured[k], ".", ms=2.5, color=MEASURED, label=labels[0])
            motion.plot(times, one.simulated[k], lw=1.2, color=SIMULATED, label=labels[1])
            rest.plot(times, one.residuals[k], ".", ms=2.5, color=MEASURED)
        for side in (-2, 2):
            rest.axhline(side * one.deviation, lw=0.8, ls="--", color=SIMULATED)
        motion.set(title=name, xlabel="time (s)", ylabel=f"{name}{unit}")
        motion.legend(fontsize="small")
        rest.set(
            title="residuals, and ± twice their deviation",
            xlabel="time (s)",
            ylabel=f"residual{unit}",
        )
        _draw_lags(lags, one.whiteness.correlations, sum(t.size for t in one.times))
        white = one.whiteness
        lags.set(
            title=f"{'white' if white.white else 'not white'}, p = {white.probability:.2g}",
            xlabel="lag (samples)",
            ylabel="correlation",
        )
    return figure


def _draw_lags(axes: Axes, correlations: np.ndarray, count: int) -> None:
    axes.bar(np.arange(1, correlations.size + 1), correlations, color=SIMULATED, width=0.6)
    for side in (-2, 2):
        axes.axhline(side / np.sqrt(count), lw=0.8, ls="--", color=MEASURED)


def correlation_picture(correlations: pd.DataFrame) -> Figure:
    """Return the correlations of all values as a matrix of colours with numbers."""
    names, found = [str(name) for name in correlations], correlations.to_numpy()
    size = 2.2 + 0.5 * len(names)
    figure = Figure(figsize=(size + 1.5, size), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(found, vmin=-1, vmax=1, cmap="RdBu_r")
    for (i, j), value in np.ndenumerate(found):
        if np.isfinite(value):
            axes.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize="small",
                      color="white" if abs(value) > 0.6 else "black")  # fmt: skip
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right")
    axes.set_yticks(range(len(names)), names)
    figure.colorbar(image, shrink=0.8, label="correlation")
    return figure
