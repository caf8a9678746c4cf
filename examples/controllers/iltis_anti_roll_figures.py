"""Figures of the ILTIS with active anti-roll bars: motions before and after, and handling."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore.examples.common import head, plain, save

OFF, ON, FRONT, REAR = "#c4501b", "#1f5fa8", "#5c3566", "#4e9a06"


class Motion(Protocol):
    """Signals of a drive that are drawn."""

    time: np.ndarray

    def __getitem__(self, name: str) -> np.ndarray: ...

    def transfer(self, axle: str) -> np.ndarray:
        """Return half the difference of an axle's loads, N."""
        ...

    @property
    def understeer(self) -> np.ndarray:
        """δ - l r/v, rad."""
        ...


def _column(column: list[Axes], motions: Mapping[str, Motion], title: str) -> None:
    """Draw one manoeuvre without and with bars."""
    roll, front, rear, yaw, torque = column
    for name, color in (("off", OFF), ("on", ON)):
        motion, label = motions[name], f"bars {name}"
        style = {"color": color, "linewidth": 1.4, "label": label}
        roll.plot(motion.time, np.degrees(motion["cabin.roll"]), **style)
        yaw.plot(motion.time, np.degrees(motion["cabin.yaw_rate"]), **style)
        front.plot(motion.time, motion.transfer("front") / 1000, **style)
        rear.plot(motion.time, motion.transfer("rear") / 1000, **style)
    torque.plot(motions["on"].time, motions["on"]["torque"] / 1000, color=ON, linewidth=1.4)
    head(roll, title, 2)
    for axes, text, up in (
        (roll, "", "roll (°)"),
        (front, "Load transfer at the front axle, (right - left)/2", "force (kN)"),
        (rear, "Load transfer at the rear axle", "force (kN)"),
        (yaw, "Yaw rate", "rate (°/s)"),
        (torque, "Torque of both bars together", "torque (kN m)"),
    ):
        if text:
            axes.set_title(text, loc="left")
        plain(axes, "time (s)" if axes is torque else "", up)
        axes.set_xlim(0, motions["on"].time[-1])


def draw_motions(slalom: Mapping[str, Motion], bump: Mapping[str, Motion], folder: Path) -> None:
    """Draw both manoeuvres."""
    figure = Figure(figsize=(11.5, 11.5), layout="constrained")
    figure.suptitle("iltis.fmu at 20 m/s without and with active anti-roll bars")
    axes = figure.subplots(5, 2, sharex="col")
    _column(list(axes[:, 0]), slalom, "Slalom: roll angle")
    _column(list(axes[:, 1]), bump, "Bump of 30 mm under the left wheels: roll angle")
    figure.align_ylabels(axes[:, 0])
    figure.align_ylabels(axes[:, 1])
    save(figure, folder, "iltis_anti_roll")


def draw_handling(motions: Mapping[str, Motion], folder: Path) -> None:
    """Draw understeer angles and loads of inner wheels against the lateral acceleration."""
    figure = Figure(figsize=(11.5, 5.2), layout="constrained")
    figure.suptitle("iltis.fmu steered slowly at 20 m/s: where the bars' torque acts")
    handling, front, rear = figure.subplots(1, 3)
    for name, color, label in (
        ("none", OFF, "no bars"),
        ("front", FRONT, "all in front"),
        ("both", ON, "half and half"),
        ("rear", REAR, "all behind"),
    ):
        motion = motions[name]
        across = motion["cabin.acceleration_y"]
        handling.plot(across, np.degrees(motion.understeer), color=color, label=label)
        for axes, axle in ((front, "front"), (rear, "rear")):
            axes.plot(across, motion[f"{axle}_left.load"] / 1000, color=color)
    handling.axhline(0, color="0.5", linewidth=0.8)
    handling.set_title("Understeer angle, δ - l r/v", loc="left")
    figure.legend(loc="outside lower center", ncols=4, frameon=False)
    front.set_title("Load of the inner front wheel", loc="left")
    rear.set_title("Load of the inner rear wheel", loc="left")
    plain(handling, "lateral acceleration (m/s²)", "angle (°)")
    plain(front, "lateral acceleration (m/s²)", "load (kN)")
    plain(rear, "lateral acceleration (m/s²)", "load (kN)")
    for axes in (front, rear):
        axes.set_ylim(bottom=0)
    save(figure, folder, "iltis_anti_roll_handling")
