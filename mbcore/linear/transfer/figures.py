"""Drawings of transfer functions: frequency responses, step responses, poles and zeros.

Used by `mbcore.linear.transfer.functions` alone; it stands apart because only figures need
matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_COLUMNS = 3
"""Columns of a legend."""


class Signal(NamedTuple):
    """An input or output with its unit."""

    name: str
    unit: str


class Responses(NamedTuple):
    """Responses of outputs to inputs.

    Attributes
    ----------
    name : str
        Of the model.
    along : ndarray, shape (n,)
        Frequencies, rad/s, or times, s.
    values : ndarray, shape (outputs, inputs, n)
    inputs, outputs : sequence of Signal
    """

    name: str
    along: np.ndarray
    values: np.ndarray
    inputs: Sequence[Signal]
    outputs: Sequence[Signal]

    @property
    def units(self) -> list[str]:
        """Units of the outputs, each once."""
        return list(dict.fromkeys(output.unit for output in self.outputs))


def plot_bode(found: Responses) -> Figure:
    """Draw gains, one axes for each unit of outputs, and phases; a column for each input."""
    from matplotlib.ticker import MaxNLocator

    units = found.units
    figure, axes = _grid(len(units) + 1, len(found.inputs))
    for j, source in enumerate(found.inputs):
        for i, target in enumerate(found.outputs):
            response = found.values[i, j]
            gain = axes[units.index(target.unit), j]
            gain.loglog(found.along, np.abs(response), color=f"C{i}", label=target.name)
            phase = np.degrees(np.unwrap(np.angle(response)))
            axes[-1, j].semilogx(found.along, phase, color=f"C{i}")
        for axis, unit in zip(axes[:-1, j], units, strict=True):
            axis.set_ylabel(f"gain ({_ratio(unit, source.unit)})")
        axes[0, j].set_title(f"from {source.name}", fontsize="medium")
        axes[-1, j].set_ylabel("phase (°)")
        axes[-1, j].yaxis.set_major_locator(MaxNLocator(steps=[1, 4.5, 9, 10]))
        axes[-1, j].set_xlabel("frequency (rad/s)")
    return _finished(figure, axes, f"{found.name}: frequency response")


def plot_steps(found: Responses) -> Figure:
    """Draw outputs over time, one axes for each unit; a column for each input that steps."""
    units = found.units
    figure, axes = _grid(len(units), len(found.inputs))
    for j, source in enumerate(found.inputs):
        for i, target in enumerate(found.outputs):
            axis = axes[units.index(target.unit), j]
            axis.plot(found.along, found.values[i, j], color=f"C{i}", label=target.name)
        for axis, unit in zip(axes[:, j], units, strict=True):
            axis.set_ylabel(f"change ({unit})")
        axes[0, j].set_title(f"{source.name} steps by 1 {source.unit}", fontsize="medium")
        axes[-1, j].set_xlabel("time (s)")
    return _finished(figure, axes, f"{found.name}: step response")


def plot_poles(title: str, poles: np.ndarray, zeros: np.ndarray) -> Figure:
    """Draw poles as crosses, zeros as circles, and the unstable half-plane shaded."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 5), layout="constrained")
    axes = figure.subplots()
    axes.axvline(0, color="#888888", linewidth=0.8)
    axes.axhline(0, color="#888888", linewidth=0.8)
    axes.plot(poles.real, poles.imag, "x", color="C0", markersize=8, label="poles")
    if zeros.size:
        axes.plot(
            zeros.real, zeros.imag, "o", color="C1", markersize=8, fillstyle="none", label="zeros"
        )
    axes.margins(0.15)
    low, high = axes.get_xlim()
    high = max(high, 0.05 * (high - low))
    axes.axvspan(0, high, color="#a40000", alpha=0.07, linewidth=0, label="unstable")
    axes.set_xlim(low, high)
    axes.set_xlabel("Re λ (1/s)")
    axes.set_ylabel("Im λ (rad/s)")
    axes.grid(alpha=0.3)
    axes.set_title(title)
    figure.legend(loc="outside lower center", ncols=MOST_COLUMNS, fontsize="small")
    return figure


def _grid(rows: int, columns: int) -> tuple[Figure, np.ndarray]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2 + 4.5 * columns, 1.2 + 2.2 * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, sharex="col", squeeze=False)


def _finished(figure: Figure, axes: np.ndarray, title: str) -> Figure:
    """Add title, grids, and one legend below."""
    figure.suptitle(title)
    known: dict[str, Any] = {}
    axis: Axes
    for axis in axes.flat:
        axis.grid(alpha=0.3)
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            known.setdefault(label, handle)
    figure.legend(
        list(known.values()),
        list(known),
        loc="outside lower center",
        ncols=MOST_COLUMNS,
        fontsize="small",
    )
    return figure


def _ratio(over: str, under: str) -> str:
    """Return the unit of a gain."""
    if under == "1":
        return over
    return "/".join(unit if unit.isalnum() else f"({unit})" for unit in (over, under))
