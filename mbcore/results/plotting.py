"""Plots of columns of numbers, whatever their source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Column(NamedTuple):
    """Values with the name and unit that stand at their axis, shape (n,)."""

    name: str
    unit: str
    values: np.ndarray


def plot_columns(
    title: str, time: np.ndarray, columns: Sequence[Column], against: Column | None = None
) -> Figure:
    """Draw columns over time or another column, those of one unit in one axes.

    A column over another of the same unit, as in the path of a point, has equal scales.

    Returns
    -------
    Figure
        Not shown and not saved; call ``figure.savefig``.
    """
    groups: dict[str, list[Column]] = {}
    for column in columns:
        groups.setdefault(column.unit, []).append(column)
    horizontal = against or Column("time", "s", time)
    equal = None if against is None else against.unit
    heights = [5.0 if unit == equal else 2.2 for unit in groups]
    figure = _figure(8, 1 + sum(heights))
    axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axis, (unit, members) in zip(axes, groups.items(), strict=True):
        for column in members:
            axis.plot(horizontal.values, column.values, label=column.name, linewidth=1.2)
        axis.set_ylabel(f"{members[0].name} ({unit})" if len(members) == 1 else f"({unit})")
        if unit == equal:
            axis.set_aspect("equal")
        axis.grid(alpha=0.3)
        axis.legend(fontsize="small")
    axes[-1].set_xlabel(f"{horizontal.name} ({horizontal.unit})")
    axes[0].set_title(title)
    return figure


def plot_root_locus(parameter: str, values: np.ndarray, eigenvalues: np.ndarray) -> Figure:
    """Draw eigenvalues along a parameter in the complex plane, the start marked.

    Parameters
    ----------
    parameter : str
        Name for the colour bar.
    values : ndarray, shape (n,)
        Values of the parameter.
    eigenvalues : ndarray of complex, shape (n, ns)
        Column j follows one mode, 1/s.
    """
    figure = _figure(6.5, 5)
    axes = figure.subplots()
    axes.axvline(0, color="#888888", linewidth=0.8)
    axes.axhline(0, color="#888888", linewidth=0.8)
    points = None
    for column in eigenvalues.T:
        axes.plot(column.real, column.imag, color="#bbbbbb", linewidth=0.8, zorder=1)
        points = axes.scatter(column.real, column.imag, c=values, s=10, cmap="viridis", zorder=2)
        axes.plot(column.real[0], column.imag[0], "kx", markersize=6, zorder=3)
    if points is not None:
        figure.colorbar(points, label=parameter)
    axes.set_xlabel("Re λ (1/s)")
    axes.set_ylabel("Im λ (1/s)")
    axes.grid(alpha=0.3)
    return figure


def _figure(width: float, height: float) -> Figure:
    """Return an empty figure. Matplotlib is imported only here, for its import is slow."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
