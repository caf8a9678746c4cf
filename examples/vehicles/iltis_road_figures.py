"""Figures of the ILTIS over bumps, and of its response to random roads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore import Result
from mbcore.examples.common import head, plain

if TYPE_CHECKING:
    from mbcore.examples.vehicles.iltis_road import Ride
    from mbcore.examples.vehicles.iltis_road_profiles import Bump

UNTIL = 1.2
"""Of bumps, s."""
COLOURS = {"front": "C0", "rear": "C1"}


def draw_bumps(bumps: Mapping[str, Result], roads: Mapping[str, Bump]) -> Figure:
    """Draw acceleration, loads and travel of all bumps side by side."""
    figure = Figure(figsize=(13, 9), layout="constrained")
    grid = figure.subplots(4, len(bumps), sharex=True, sharey="row", squeeze=False)
    for column, (title, motion) in enumerate(bumps.items()):
        height, pull, loads, travel = grid[:, column]
        shown = motion.time <= UNTIL
        time = motion.time[shown]
        inputs = roads[title].inputs()
        for axle, colour in COLOURS.items():
            under = inputs[f"{axle}_left.road_height"]
            assert callable(under)
            height.plot(time, [1e3 * under(t) for t in time], colour, label=axle)
            for side, style in (("left", "-"), ("right", "--")):
                name = f"{axle}_{side}"
                loads.plot(time, motion[f"{name}.load"][shown] / 1e3, colour + style)
                up = 1e3 * motion[f"{name}.travel"][shown]
                travel.plot(time, up, colour + style)
        pull.plot(time, motion["cabin.acceleration_z"][shown], "k")
        head(height, f"ILTIS over a bump, {title}", 2)
        pull.set_title("Cabin's acceleration, up", loc="left")
        loads.set_title("Loads, zero in the air; dashed: right wheels", loc="left")
        travel.set_title("Travel; dashed: right wheels", loc="left")
        up = ("road (mm)", "acceleration (m/s²)", "load (kN)", "travel (mm)")
        for axes, label in zip((height, pull, loads, travel), up, strict=True):
            plain(axes, "time (s)" if axes is travel else "", label if column == 0 else "")
    return figure


def draw_random(rides: Mapping[str, Ride]) -> Figure:
    """Draw spectra of acceleration and load of the full and linear equations, and some loads."""
    figure = Figure(figsize=(13, 8), layout="constrained")
    (pull, roll), (cabin, wheel) = figure.subplots(2, 2)
    draw_spectra(pull, rides, "cabin.acceleration_z", "spectrum of the acceleration ((m/s²)²/Hz)")
    head(pull, "ILTIS: cabin's acceleration; lines linear, dots full", 3)
    draw_spectra(roll, rides, "cabin.roll_rate", "spectrum of the roll rate ((rad/s)²/Hz)")
    head(roll, "Roll rate; lines linear, dots full", 3)
    for colour, (title, found) in enumerate(rides.items()):
        if found.road.roughness < 1e-6:
            continue
        time = found.time - found.time[0]
        label = f"class {title}"
        cabin.plot(time, found.values["cabin.acceleration_z"], f"C{colour}", lw=1, label=label)
        wheel.plot(time, found.values["front_left.load"] / 1e3, f"C{colour}", lw=1, label=label)
    plain(cabin, "time (s)", "cabin's acceleration (m/s²)")
    head(cabin, "One period at 20 m/s: cabin", 2)
    plain(wheel, "time (s)", "front left load (kN)")
    head(wheel, "One period: load of a wheel; zero in the air", 2)
    return figure


def draw_spectra(axes: Axes, rides: Mapping[str, Ride], name: str, unit: str) -> None:
    """Draw the spectra of an output: dots of the full equations, lines of the linear ones."""
    for colour, (title, found) in enumerate(rides.items()):
        frequency, half = found.road.frequency, found.road.period / 2
        label = title if len(title) > 1 else f"class {title}"
        linear = half * np.abs(found.predicted[name]) ** 2
        axes.semilogy(frequency, linear, f"C{colour}-", lw=1, label=label)
        full = half * np.abs(found.lines[name]) ** 2
        axes.semilogy(frequency, full, f"C{colour}.", ms=4)
    plain(axes, "frequency (Hz)", unit)
