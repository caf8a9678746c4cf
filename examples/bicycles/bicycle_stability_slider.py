r"""A bicycle's stability map over speed and trail, drawn anew while one tilts its steering axis.

The map of ``bicycle_stability_map.py`` belongs to one tilt of the steering axis. Here a slider
changes the tilt, and each of its positions has a map of its own, of 4,000 linearizations. By
compiled functions they take 0.2 s of one core, so that the map follows the hand. The window
opens where Matplotlib has one; three of its maps are stored as a figure.

Two lines need no map: the weave and the capsize speed, between which upright riding is stable, by
Routh's condition and a determinant of the matrices M, C1, K0, K2, as the other example derives
them, here for each tilt. All points of a map must be stable between the lines, and unstable
elsewhere.

Run: python examples/bicycles/bicycle_stability_slider.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.widgets import Slider

from mbcore import Equations, linearizations, sweep
from mbcore.examples.bicycles.bicycle_stability_map import (
    COLOURS,
    SPEED,
    TRAIL,
    UPRIGHT,
    by_matrices,
)
from mbcore.examples.common import figures_folder, plain, print_comparison, save, show
from mbcore.fmus import bicycle

TILT = "geometry.tilt"
TILTS = (10.0, 18.0, 30.0)
"""Of the steering axis against the vertical, degrees; the second one is the benchmark's."""
SPEEDS, TRAILS = np.linspace(0.125, 10, 80), np.linspace(0.005, 0.25, 50)
"""m/s; m."""
SHADES = TwoSlopeNorm(0.0, -0.6, 6.0)
TICKS = (-0.6, -0.4, -0.2, 0, 2, 4, 6)
"""Real parts between which the map is coloured, and of the scale, 1/s."""


@dataclass(frozen=True)
class Record:
    """Maps by tilt (degrees), and both lines of each.

    Attributes
    ----------
    growth : dict of float to ndarray, shape (trails, speeds)
        Largest real part of the eigenvalues, 1/s.
    lines : dict of float to ndarray, shape (trails, 2)
        Weave and capsize speed by the matrices, m/s; NaN where there is none.
    """

    growth: dict[float, np.ndarray]
    lines: dict[float, np.ndarray]

    @property
    def numbers(self) -> dict[str, float]:
        """Numbers of points that are not as the lines say; no reference differs from zero."""
        return {
            f"tilt of {tilt:g}°: points on the wrong side": float(
                np.sum((growth < 0) != between(self.lines[tilt]))
            )
            for tilt, growth in self.growth.items()
        }


def between(lines: np.ndarray) -> np.ndarray:
    """Return which points lie between weave and capsize speed, shape (trails, speeds)."""
    weave, capsize = lines.T[..., None]
    last = np.where(np.isnan(capsize), np.inf, capsize)
    return (weave < SPEEDS) & (last > SPEEDS)


def growth_map(equations: Equations, tilt: float) -> np.ndarray:
    """Return the map at a tilt in degrees, 1/s, shape (trails, speeds)."""
    task = linearizations(equations, UPRIGHT, parameters={TILT: np.radians(tilt)}, give=["growth"])
    grid = {TRAIL: TRAILS, SPEED: SPEEDS}
    return sweep(task, grid, workers=1, progress=False).growth.values


def run(tilts: tuple[float, ...] = TILTS) -> Record:
    """Make the maps and the lines of some tilts."""
    equations = bicycle.model().equations()
    return Record(
        {tilt: growth_map(equations, tilt) for tilt in tilts},
        {tilt: by_matrices(TRAILS, {TILT: np.radians(tilt)}) for tilt in tilts},
    )


def draw_map(axes: Axes, growth: np.ndarray) -> QuadMesh:
    """Draw a map."""
    mesh = axes.pcolormesh(
        SPEEDS, 1e3 * TRAILS, growth, cmap="PuOr_r", norm=SHADES, shading="nearest", rasterized=True
    )
    plain(axes, "speed (m/s)", "trail (mm)")
    return mesh


def draw(record: Record) -> Figure:
    """Draw the maps of all tilts and their lines."""
    figure = Figure(figsize=(11, 5), layout="constrained")
    row = figure.subplots(1, len(record.growth), sharey=True)
    for axes, (tilt, growth) in zip(row, record.growth.items(), strict=True):
        mesh = draw_map(axes, growth)
        for (name, colour), speeds in zip(COLOURS.items(), record.lines[tilt].T, strict=True):
            axes.plot(speeds, 1e3 * TRAILS, color=colour, linewidth=2, label=f"{name} speed")
        axes.set_xlim(SPEEDS[0], SPEEDS[-1])
        axes.set_title(f"axis tilted by {tilt:g}°", loc="left")
    for axes in row[1:]:
        axes.set_ylabel("")
    lines = row[-1].get_legend_handles_labels()
    figure.legend(*lines, loc="outside upper center", ncols=2, frameon=False)
    bar = figure.colorbar(mesh, ax=row, location="bottom", aspect=60, extend="both", ticks=TICKS)
    bar.set_label("largest real part of the eigenvalues (1/s)")
    return figure


@dataclass
class Window:
    """A map with a slider below it.

    Attributes
    ----------
    equations : Equations
        Of the bicycle.
    slider : Slider
        Tilt, degrees.
    mesh : QuadMesh
        What is drawn of it.
    """

    equations: Equations
    slider: Slider = field(init=False)
    mesh: QuadMesh = field(init=False)

    def __post_init__(self) -> None:
        figure, axes = pyplot.subplots(figsize=(8, 6), layout="constrained")
        self.mesh = draw_map(axes, growth_map(self.equations, TILTS[1]))
        label = "largest real part of the eigenvalues (1/s)"
        figure.colorbar(self.mesh, label=label, ticks=TICKS)
        place = figure.add_axes((0.25, 0.0, 0.5, 0.04))
        figure.get_layout_engine().set(rect=(0, 0.06, 1, 0.94))
        self.slider = Slider(place, "tilt (degrees)", 0.0, 60.0, valinit=TILTS[1])
        self.slider.on_changed(self.move)

    def move(self, tilt: float) -> None:
        """Draw the map of another tilt."""
        self.mesh.set_array(growth_map(self.equations, tilt))
        self.mesh.figure.canvas.draw_idle()


def main() -> None:
    """Run, print and draw, and open the window where there is one."""
    folder = figures_folder(__doc__)
    show(bicycle.model(), folder, "bicycle_stability_slider", "Benchmark bicycle")
    record = run()
    rows = [(name, value, 0.0) for name, value in record.numbers.items()]
    print_comparison("Stability of upright riding, map and lines by the matrices", rows)
    save(draw(record), folder, "bicycle_stability_slider")
    if pyplot.get_backend().lower() != "agg":
        window = Window(bicycle.model().equations())
        pyplot.show()
        window.slider.disconnect_events()


if __name__ == "__main__":
    main()
