"""Drawings of results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

if TYPE_CHECKING:
    from mbcore.result import Result


def plot_columns(result: Result, names: tuple[str, ...], against: str | None) -> Figure:
    """Draw columns of a result, those of one unit in one axes.

    Returns
    -------
    Figure
        Not shown and not saved; call ``figure.savefig``.
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(result.units[name], []).append(name)
    figure = Figure(figsize=(8, 1 + 2.2 * len(groups)), layout="constrained")
    axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    horizontal = result.time if against is None else result[against]
    for axis, (unit, members) in zip(axes, groups.items(), strict=True):
        for name in members:
            axis.plot(horizontal, result[name], label=name, linewidth=1.2)
        axis.set_ylabel(f"[{unit}]")
        axis.grid(alpha=0.3)
        axis.legend(fontsize="small")
    label = "time [s]" if against is None else f"{against} [{result.units[against]}]"
    axes[-1].set_xlabel(label)
    axes[0].set_title(result.name)
    return figure
