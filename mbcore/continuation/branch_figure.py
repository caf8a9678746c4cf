"""Figures of branches, in the manner of [Schwab2002] Figs. 4.2 to 4.13.

Used by `mbcore.continuation.branch` alone; it stands apart because only figures need matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import xarray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKERS = {"fold": "o", "branch": "s", "flip": "v", "neimark_sacker": "D", "hopf": "^"}
NAMES = {"neimark_sacker": "Neimark-Sacker", "hopf": "Hopf", "branch": "branch point"}
LOWEST = 1e-6
"""Part of the largest harmonic below which none is drawn."""


def plot_branch(
    data: xarray.Dataset,
    names: Sequence[str],
    show: Sequence[str],
    harmonics: int | None,
    logarithmic: bool = False,
) -> Figure:
    """Draw a branch over its parameter, one axes for each name and kind, exponents below.

    Parameters
    ----------
    data : Dataset
        Of `mbcore.continuation.branch.Branch`.
    names : sequence of str
        States or outputs.
    show : sequence of {"value", "amplitude", "harmonics", "exponents"}
        What to draw.
    harmonics : int, optional
        Number of the last harmonic that is drawn.
    logarithmic : bool
        Whether amplitudes are on a logarithmic scale.
    """
    from matplotlib.figure import Figure

    panels = [(kind, name) for kind in show if kind != "exponents" for name in names]
    if "exponents" in show and data.sizes["exponent"]:
        panels += [("real", ""), ("imaginary", "")]
    figure = Figure(figsize=(8, 1 + 2.4 * len(panels)), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    draw = {"value": _value, "amplitude": _amplitude, "real": _real, "imaginary": _imaginary}
    for axis, (kind, name) in zip(axes, panels, strict=True):
        if kind == "harmonics":
            _harmonics(axis, data, name, harmonics)
        else:
            draw[kind](axis, data, name)
        if kind == "amplitude" and logarithmic:
            axis.set_yscale("log")
        axis.grid(alpha=0.3)
    about = data["parameter"].attrs
    axes[-1].set_xlabel(f"{about['long_name']} [{about['units']}]")
    axes[0].set_title(f"{data.attrs['title']}: thick where stable, thin and dashed where not")
    return figure


def _lines(axis: Axes, data: xarray.Dataset, values: np.ndarray, color: str, label: str) -> None:
    """Draw one quantity, stretches of one kind of stability at a time, events marked."""
    x, kinds = data["parameter"].values, data["event"].values
    stable = data["stable"].values
    good = stable | (kinds != "")  # an event is neither: what is beside it counts
    own = good[:-1] & good[1:]
    ends = [*(np.flatnonzero(np.diff(own.astype(int))) + 1), own.size]
    begin = 0
    for end in ends:
        if end == begin:
            continue
        thick = bool(own[begin])
        axis.plot(
            x[begin : end + 1],
            values[begin : end + 1],
            color=color,
            linewidth=2.0 if thick else 0.9,
            linestyle="-" if thick else "--",
            label=label if begin == 0 else None,
        )
        begin = end


def _events(axis: Axes, data: xarray.Dataset, values: np.ndarray) -> None:
    kinds, x = data["event"].values, data["parameter"].values
    for kind, marker in MARKERS.items():
        at = kinds == kind
        if at.any():
            axis.plot(
                x[at],
                values[at],
                marker,
                color="black",
                markerfacecolor="white",
                label=NAMES.get(kind, kind),
                zorder=5,
            )
    _legend(axis)


def _legend(axis: Axes) -> None:
    if axis.get_legend_handles_labels()[0]:
        axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small")


def _quantity(data: xarray.Dataset, name: str) -> tuple[np.ndarray, str]:
    dimension = "state" if name in data["state"].values else "output"
    values = data[f"{dimension}s"].sel({dimension: name}).values
    return values, str(data[f"{dimension}_unit"].sel({dimension: name}).item())


def _value(axis: Axes, data: xarray.Dataset, name: str) -> None:
    values, unit = _quantity(data, name)
    _lines(axis, data, values, "C0", "")
    _events(axis, data, values)
    axis.set_ylabel(f"{name} [{unit}]" + (" at t = 0" if "period" in data else ""))


def _amplitude(axis: Axes, data: xarray.Dataset, name: str) -> None:
    values = data["amplitudes"].sel(quantity=name).values
    _lines(axis, data, values, "C0", "")
    _events(axis, data, values)
    axis.set_ylabel(f"amplitude of {name} [{_quantity(data, name)[1]}]")


def _harmonics(axis: Axes, data: xarray.Dataset, name: str, last: int | None) -> None:
    sizes = np.abs(data["harmonics"].sel(quantity=name).values)
    sizes[:, 1:] *= 2  # of c_l and c_-l together
    count = sizes.shape[1] if last is None else min(last + 1, sizes.shape[1])
    floor = LOWEST * float(sizes.max(initial=0.0))
    for i in range(count):
        if sizes[:, i].max() > floor:
            _lines(axis, data, np.where(sizes[:, i] > floor, sizes[:, i], np.nan), f"C{i}", f"{i}")
    axis.set_yscale("log")
    axis.set_ylabel(f"harmonics of {name} [{_quantity(data, name)[1]}]")
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small", title="harmonic")


def _real(axis: Axes, data: xarray.Dataset, name: str) -> None:
    _exponents(axis, data, data["exponents"].values.real, "Re λ [1/s]")


def _imaginary(axis: Axes, data: xarray.Dataset, name: str) -> None:
    _exponents(axis, data, data["exponents"].values.imag, "Im λ [1/s]")


def _exponents(axis: Axes, data: xarray.Dataset, parts: np.ndarray, label: str) -> None:
    parts = np.where(np.isfinite(parts), parts, np.nan)  # a multiplier of zero is not drawn
    axis.axhline(0, color="#888888", linewidth=0.8)
    for i, column in enumerate(parts.T):
        _lines(axis, data, column, f"C{i % 10}", "")
    at = data["event"].values != ""
    for value in data["parameter"].values[at]:
        axis.axvline(value, color="#888888", linewidth=0.8, linestyle=":")
    axis.set_ylabel(label)
