"""Figures of the ILTIS in its ramp-to-step steer."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore.examples.common import head, plain
from mbcore.examples.vehicles.iltis_published import ACCELERATIONS, TIMES, YAW_RATES
from mbcore.examples.vehicles.iltis_ramp import RAMP, Steer

STYLES = {"simplified tyre": "-", "no lateral slip (of the axles)": "--", "complete tyre": ":"}
"""Lines as in Fig. 3.28."""


def _mark_ramp(axes: Axes) -> None:
    axes.axvspan(0, RAMP, color="0.93", zorder=0)


def draw_three_tyres(curves: dict[str, Steer], speed: int) -> Figure:
    """Return Fig. 3.28: the yaw rate with three tyres."""
    figure = Figure(figsize=(7.5, 4.6), layout="constrained")
    axes = figure.subplots()
    _mark_ramp(axes)
    for name, curve in curves.items():
        axes.plot(curve.time, curve.yaw_rate, STYLES[name], color="black", label=name)
    axes.set_xlim(0, 5)
    plain(axes, "time (s)", "yaw rate (rad/s)")
    head(axes, f"ILTIS, ramp-to-step steer at {speed} m/s, rolling wheels; grey: the rack moves", 3)
    return figure


def draw_three_speeds(ramps: dict[int, Steer]) -> Figure:
    """Return yaw rate and acceleration at the speeds, with the reference's points."""
    figure = Figure(figsize=(7.5, 7.2), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    for number, (speed, ramp) in enumerate(ramps.items()):
        color = f"C{number}"
        for axes, ours, listed in (
            (upper, ramp.yaw_rate, YAW_RATES),
            (lower, ramp.acceleration, ACCELERATIONS),
        ):
            axes.plot(ramp.time, ours, color=color, label=f"{speed} m/s")
            axes.plot(
                TIMES,
                listed[speed],
                "o",
                color=color,
                fillstyle="none",
                markersize=5,
            )
    upper.plot([], [], "o", color="0.5", fillstyle="none", markersize=5, label="reference")
    for axes in (upper, lower):
        _mark_ramp(axes)
        axes.set_xlim(0, 5.05)
    plain(upper, "", "yaw rate (rad/s)")
    plain(lower, "time (s)", "amount of the acceleration (m/s²)")
    head(upper, "ILTIS, ramp-to-step steer of 2 mm, wheels prescribed; grey: the rack moves", 4)
    lower.set_title("Amount of the horizontal acceleration of the mass centre", loc="left")
    return figure
