"""The figure of `examples.controllers.fmu_lqr`: motions, torques, eigenvalues with a regulator."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore.examples.common import head, plain, save

if TYPE_CHECKING:
    from mbcore.examples.controllers.fmu_lqr import Case


def _draw_motion(axes: Axes, torque: Axes, case: Case) -> None:
    plant = case.regulator.plant
    for loop, style, color, label in (
        (case.bare, "--", "#c4501b", "left alone"),
        (case.far, "-", "#1f5fa8", "regulated"),
    ):
        angle = np.degrees(loop[plant.shown])
        axes.plot(loop.time, angle, style, color=color, linewidth=1.2, label=label)
    torque.plot(case.far.time, case.far[plant.torque], color="#1f5fa8", drawstyle="steps-post")
    for one in (axes, torque):
        one.axvline(plant.begin, color="0.4", linewidth=0.8, linestyle=":")
        one.set_xlim(0, plant.duration)
    largest = np.degrees(np.abs(case.far[plant.shown]).max())
    axes.set_ylim(-1.7 * largest, 1.7 * largest)
    speed = next(value for name, value in plant.motion.items() if name.endswith("speed"))
    plain(axes, "", f"{plant.shown} (°)")
    head(axes, f"{plant.name}.fmu at {speed:g} m/s; regulator on from the dotted line", 2)
    plain(torque, "time (s)", f"{plant.torque} (N m)")
    torque.set_title("Torque of the regulator, held for 10 ms", loc="left")


def _draw_eigenvalues(axes: Axes, case: Case, published: np.ndarray) -> None:
    regulator = case.regulator
    axes.axvspan(0, 100, color="#a40000", alpha=0.08, linewidth=0)
    own, regulated = regulator.eigenvalues, regulator.regulated
    axes.plot(published.real, published.imag, "o", color="0.6", markersize=11, label="reference")
    axes.plot(own.real, own.imag, "x", color="#c4501b", markersize=8, label="FMU")
    axes.plot(
        regulated.real, regulated.imag, "+", color="#1f5fa8", markersize=10, label="regulated"
    )
    reals = np.concatenate([own, regulated]).real
    axes.set_xlim(1.1 * reals.min(), max(1.0, 2 * reals.max()))
    plain(axes, "real part (1/s)", "imaginary part (rad/s)")
    head(axes, f"Eigenvalues, {regulator.plant.name}", 3)


def draw(cases: Sequence[tuple[Case, np.ndarray]], folder: Path) -> None:
    """Draw motions, torques and eigenvalues of plants, each with its reference's eigenvalues."""
    figure = Figure(figsize=(11, 9), layout="constrained")
    figure.suptitle("Regulators designed from the FMUs' own directional derivatives")
    axes = figure.subplots(3, len(cases), height_ratios=(1.2, 0.8, 1.1))
    for column, (case, published) in enumerate(cases):
        _draw_motion(axes[0, column], axes[1, column], case)
        _draw_eigenvalues(axes[2, column], case, published)
    save(figure, folder, "fmu_lqr")
