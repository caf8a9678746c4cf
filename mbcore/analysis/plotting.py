"""Drawings of results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

if TYPE_CHECKING:
    from mbcore.analysis.linearization import RootLocus
    from mbcore.analysis.result import Result


def plot_columns(result: Result, names: tuple[str, ...], against: str | None) -> Figure:
    """Draw columns of a result, those of one unit in one axes.

    Columns over one of the same unit, as in the path of a point, are drawn with equal scales.

    Returns
    -------
    Figure
        Not shown and not saved; call ``figure.savefig``.
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        result[name]  # refused by name where there is none
        groups.setdefault(result.units[name], []).append(name)
    equal = None if against is None else result.units[against]
    heights = [5.0 if unit == equal else 2.2 for unit in groups]
    figure = Figure(figsize=(8, 1 + sum(heights)), layout="constrained")
    axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    horizontal = result.time if against is None else result[against]
    for axis, (unit, members) in zip(axes, groups.items(), strict=True):
        for name in members:
            axis.plot(horizontal, result[name], label=name, linewidth=1.2)
        axis.set_ylabel(f"{members[0]} [{unit}]" if len(members) == 1 else f"[{unit}]")
        if unit == equal:
            axis.set_aspect("equal")
        axis.grid(alpha=0.3)
        axis.legend(fontsize="small")
    label = "time [s]" if against is None else f"{against} [{result.units[against]}]"
    axes[-1].set_xlabel(label)
    axes[0].set_title(result.name)
    return figure


def plot_root_locus(locus: RootLocus) -> Figure:
    """Draw eigenvalues along a parameter in the complex plane, the start marked."""
    figure = Figure(figsize=(6.5, 5), layout="constrained")
    axes = figure.subplots()
    axes.axvline(0, color="#888888", linewidth=0.8)
    axes.axhline(0, color="#888888", linewidth=0.8)
    points = None
    for column in locus.eigenvalues.T:
        axes.plot(column.real, column.imag, color="#bbbbbb", linewidth=0.8, zorder=1)
        points = axes.scatter(
            column.real, column.imag, c=locus.values, s=10, cmap="viridis", zorder=2
        )
        axes.plot(column.real[0], column.imag[0], "kx", markersize=6, zorder=3)
    if points is not None:
        figure.colorbar(points, label=locus.parameter)
    axes.set_xlabel("Re λ [1/s]")
    axes.set_ylabel("Im λ [1/s]")
    axes.grid(alpha=0.3)
    return figure
