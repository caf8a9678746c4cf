r"""The bicycle's stability over its speed and its trail: a map of 20,000 linearizations.

Upright straight riding of Whipple's bicycle has four eigenvalues that are not zero: the weave (a
pair), the capsize and the castering; see `examples/bicycles/bicycle.py`. Where all of them decay,
nobody needs to steer. The benchmark of Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A
463 (2007) 1955, is so between its weave speed 4.292 and its capsize speed 6.024 m/s. Here the
trail, 0.08 m there, varies too, all other data kept: how far the front wheel touches the ground
behind the point that the steering axis meets.

`sweep` linearizes the nonlinear equations of `mbcore.fmus.bicycle` at every point of a grid. On
each row of the map the weave's real part and the capsize eigenvalue pass through zero; splines
through the grid's values tell where. These boundaries have conditions of their own, which follow
from the matrices of

    M q̈ + v C1 q̇ + (g K0 + v² K2) q = 0,    q = (lean, steer),

without any eigenvalue. The capsize has an eigenvalue of zero where

    det(g K0 + v² K2) = 0,

a line in v², as K2 has one column only; and a weave that neither grows nor decays, λ = iω, makes
both parts of the characteristic polynomial a λ⁴ + b λ³ + c λ² + d λ + e vanish, which is Routh's

    b c d - a d² - b² e = 0.

Run: python examples/bicycles/bicycle_stability_map.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

from mbcore import linearizations, sweep
from mbcore.drawing.layout import Layout, fitted
from mbcore.drawing.scene import Scene
from mbcore.drawing.still import draw_on
from mbcore.examples.bicycles.bicycle_canonical import boundaries
from mbcore.examples.common import figures_folder, plain, print_comparison, save, show
from mbcore.fmus import bicycle

UPRIGHT = {"bicycle.lean_rate": 0.0}
SPEED, TRAIL = "bicycle.speed", "geometry.trail"
BENCHMARK = 0.08
"""Trail of the benchmark, m."""
LONGEST_TRAIL = 0.2475
"""m; the shortest one is next to zero."""
SPEEDS, TRAILS = 200, 100
PAIR = 1e-6
"""Imaginary part, 1/s, above which eigenvalues count as a pair."""
ENDS = {"arrowstyle": "<|-|>", "color": "black", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 7}
"""Of a dimension."""
PUBLISHED = {"weave speed (m/s)": 4.29238253634111, "capsize speed (m/s)": 6.02426201538837}
COLOURS = {"weave": "#1f5fa8", "capsize": "#b3541e"}


@dataclass(frozen=True)
class Record:
    """The map, and where its boundaries are."""

    data: xarray.Dataset
    weave: np.ndarray
    """Speed by trail where the weave begins to decay, m/s, from the map; NaN for none."""
    capsize: np.ndarray
    """Speed by trail where the capsize begins to grow, m/s, from the map; NaN for none."""
    by_matrices: np.ndarray
    """Both by the conditions without eigenvalues, shape (trails, 2)."""
    numbers: dict[str, float]
    """At the benchmark's trail, as in ``PUBLISHED``."""


def run(speeds: int = SPEEDS, trails: int = TRAILS, workers: int | None = None) -> Record:
    """Linearize at all points, and find the boundaries by both ways.

    Parameters
    ----------
    speeds, trails : int
        Numbers of values; that of the benchmark is one of the trails.
    workers : int, optional
        Processes.
    """
    step = LONGEST_TRAIL / (trails - 1)
    values = BENCHMARK + step * (np.arange(trails) - int(BENCHMARK / step + 1e-9))
    task = linearizations(bicycle.model, UPRIGHT)
    grid = {TRAIL: values, SPEED: np.linspace(10 / speeds, 10, speeds)}
    data = sweep(task, grid, workers=workers)
    weave, capsize = eigenvalues(data)
    v = data[SPEED].values
    pairs = zip(weave, capsize, strict=True)
    found = [[crossing(v, row, -1), crossing(v, other, 1)] for row, other in pairs]
    weave_at, capsize_at = np.array(found).T
    place = int(np.argmin(np.abs(values - BENCHMARK)))
    at_benchmark = float(weave_at[place]), float(capsize_at[place])
    numbers = dict(zip(PUBLISHED, at_benchmark, strict=True))
    return Record(data, weave_at, capsize_at, by_matrices(values), numbers)


def eigenvalues(data: xarray.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Return the weave's real part where it oscillates, and the capsize, shapes (trails, speeds).

    The capsize is the largest eigenvalue that is real, where there is a pair beside it.
    """
    four = data.eigenvalues.values[..., :4]
    assert not data.eigenvalues.values[..., 4:].any(), "all others are zero by structure"
    pair = np.abs(four.imag) > PAIR
    one_pair = pair.sum(axis=-1) == 2
    weave = np.where(one_pair, np.where(pair, four.real, -np.inf).max(axis=-1), np.nan)
    capsize = np.where(one_pair, np.where(pair, -np.inf, four.real).max(axis=-1), np.nan)
    return weave, capsize


def crossing(speeds: np.ndarray, values: np.ndarray, sign: int) -> float:
    """Return the last speed at which values pass zero, upwards or downwards; NaN for none."""
    known = np.isfinite(values)
    speeds, values = speeds[known], values[known]
    places = np.flatnonzero((sign * values[:-1] < 0) & (sign * values[1:] >= 0))
    if not places.size:
        return float("nan")
    near = slice(max(places[-1] - 3, 0), places[-1] + 5)
    spline = CubicSpline(speeds[near], values[near])
    return float(brentq(spline, speeds[places[-1]], speeds[places[-1] + 1], xtol=1e-12))


def by_matrices(trails: np.ndarray, parameters: dict[str, float] | None = None) -> np.ndarray:
    """Return weave and capsize speed by Routh's condition and by the determinant, (n, 2)."""
    task = linearizations(bicycle.model, UPRIGHT, parameters=parameters, give=["M", "C", "K_d"])
    still_and_rolling = sweep(task, {TRAIL: trails, SPEED: [0.0, 1.0]}, workers=1)
    M, C, K = (still_and_rolling[n].values[..., :2, :2] for n in ("M", "C", "K_d"))
    pairs = zip(M[:, 0], C[:, 1], K[:, 0], K[:, 1] - K[:, 0], strict=True)
    return np.array([boundaries(*matrices) for matrices in pairs])


def draw_bicycle(axes: Axes) -> None:
    """Draw the bicycle from its right side with its steering axis and its trail."""
    model = bicycle.model()
    start = Scene(model).start()
    layout = fitted(start.description, start.numbers[None, :], Layout(view="right", axes=False))
    draw_on(axes, start.description, start.numbers, layout)
    for text in axes.texts:
        text.remove()  # the model's name, which the title says
    axes.set_aspect("equal")
    values = {name: p.value for name, p in model.parameters.items()}
    base, tilt = values["geometry.wheelbase"], values["geometry.tilt"]
    foot = base + BENCHMARK
    height = np.array([-0.12, 1.15])
    axes.plot(foot - height * np.tan(tilt), height, "-.", color="black", linewidth=1)
    axes.annotate("steering axis", (foot - 1.1 * np.tan(tilt), 1.1), xytext=(6, 0),
                  textcoords="offset points")  # fmt: skip
    for x in (base, foot):
        axes.plot([x, x], [0, -0.2], color="black", linewidth=0.8)
    axes.annotate("trail", (foot, -0.16), xytext=(8, 0), textcoords="offset points", va="center")
    axes.annotate("", (base, -0.16), (foot, -0.16), arrowprops=ENDS)
    axes.annotate("", (1.8, 0.35), (1.45, 0.35), arrowprops={"arrowstyle": "-|>", "color": "black"})
    axes.annotate("speed", (1.6, 0.4), ha="center")
    axes.set_xlim(None, 2.0)
    axes.set_ylim(-0.25, None)
    axes.set_title("Benchmark bicycle: its speed and its trail vary", loc="left")


def draw_map(record: Record) -> Figure:
    """Draw the bicycle with its trail, and the largest real part over speed and trail."""
    figure = Figure(figsize=(9, 10), layout="constrained")
    left, right = figure.subplots(2, 1, height_ratios=(1, 1.45))
    draw_bicycle(left)
    data = record.data
    speeds, trails = data[SPEED].values, data[TRAIL].values
    growth = data.growth.values
    norm = TwoSlopeNorm(0.0, -0.6, 6.0)
    shades = right.contourf(
        speeds, 1e3 * trails, growth, levels=SHADES, cmap="PuOr_r", norm=norm, extend="both"
    )
    bar = figure.colorbar(shades, ax=right, ticks=SHADES[::2])
    bar.set_label("largest real part of the eigenvalues (1/s)")
    for name, found in (("weave", record.weave), ("capsize", record.capsize)):
        right.plot(found, 1e3 * trails, color=COLOURS[name], linewidth=2, label=f"{name} speed")
    both = list(record.numbers.values())
    right.plot(both, 2 * [1e3 * BENCHMARK], "ko", markersize=6, label="benchmark, published")
    right.text(6.9, 190, "stable", ha="center")
    right.text(2.2, 120, "weave grows", ha="center")
    right.text(7.9, 40, "capsize grows", ha="center")
    right.set_xlim(speeds[0], speeds[-1])
    plain(right, "speed (m/s)", "trail (mm)")
    right.set_title("Stability of upright riding", loc="left", pad=26)
    right.legend(
        loc="lower left", bbox_to_anchor=(-0.01, 1), ncols=3, frameon=False, borderaxespad=0.2
    )
    return figure


SHADES = (-0.6, -0.45, -0.3, -0.15, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0)
"""Real parts between which the map is of one colour, 1/s."""


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(bicycle.model(), folder, "bicycle_stability_map", "Benchmark bicycle")
    record = run()
    print_comparison(
        "Benchmark bicycle, boundaries of the map at its trail, Meijaard et al. 2007",
        [(name, record.numbers[name], reference) for name, reference in PUBLISHED.items()],
    )
    apart = np.nanmax(np.abs(np.column_stack([record.weave, record.capsize]) - record.by_matrices))
    share = float(record.data.stable.mean())
    print(f"boundaries of all trails: at most {apart:.1e} m/s from the conditions on the matrices")
    print(f"stable: {100 * share:.1f} % of {record.data.stable.size} points")
    save(draw_map(record), folder, "bicycle_stability_map")


if __name__ == "__main__":
    main()
