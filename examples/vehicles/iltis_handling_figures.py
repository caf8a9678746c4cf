"""Figures of the ILTIS on circles: handling diagram, loads, yaw rate, exponents over speed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore.examples.common import head, plain
from mbcore.examples.vehicles import iltis_by_hand as by_hand
from mbcore.examples.vehicles.iltis_understeer import WHEELBASE
from mbcore.fmus.iltis.data import CORNERS
from mbcore.vibration import Branch

SHOWN = 20.0
"""Speed of which loads and roll are drawn, m/s."""
STYLES = ("-", "--")
"""Of the first and the second branch, which lie on each other in places."""
HALF_TRACK, HEIGHT = 0.615, 0.53273
"""m; of the whole vehicle's mass centre by design."""


def lateral(branch: Branch) -> np.ndarray:
    """Return the lateral acceleration, v r, m/s²."""
    return (branch["cabin.speed"] * branch["yaw.rate"]).values


def steers(branch: Branch) -> np.ndarray:
    """Return the steer of the front wheels by the rack alone, rad."""
    rest = by_hand.steer_at_rest(0.0)
    return np.array(
        [by_hand.steer_at_rest(float(s)) - rest for s in branch["rack.displacement_filtered"]]
    )


def draw_handling(racks: Mapping[float, Branch], two_wheels: Branch, gradient: float) -> Figure:
    """Draw lateral acceleration over steer less the kinematic one, loads, and roll."""
    figure = Figure(figsize=(8.5, 11), layout="constrained")
    left, right, roll = figure.subplots(3, 1)
    for (speed, branch), style in zip(racks.items(), ("C0-", "C1o"), strict=True):
        own = steers(branch) - (WHEELBASE * branch["yaw.rate"] / branch["cabin.speed"]).values
        left.plot(np.rad2deg(own), lateral(branch), style, ms=4, label=f"{speed:g} m/s")
    most = max(float(lateral(b).max()) for b in racks.values())
    line = np.array([0.0, 0.75 * most])
    left.plot(np.rad2deg(gradient * line), line, "k--", lw=1, label="K v r, by hand")
    plain(left, "steer less l r/v (deg)", "lateral acceleration v r (m/s²)")
    head(left, "ILTIS on circles: one curve at all speeds, understeering", 4)
    draw_loads(right, racks[SHOWN])
    draw_roll(roll, racks[SHOWN], two_wheels)
    return figure


def draw_roll(axes: Axes, on_four: Branch, on_two: Branch) -> None:
    """Draw the roll over lateral acceleration, on four wheels and on two."""
    axes.plot(lateral(on_four), np.rad2deg(on_four["cabin.roll"]), label="four wheels: stable")
    axes.plot(lateral(on_two), np.rad2deg(on_two["cabin.roll"]), "C3", label="two: unstable")
    rigid = np.linspace(0, 0.8 * 9.81, 50)
    standing = np.arctan2(HALF_TRACK, HEIGHT) - np.arctan(rigid / 9.81)
    axes.plot(rigid, np.rad2deg(standing), "k--", lw=1, label="rigid, by hand")
    plain(axes, "lateral acceleration (m/s²)", "roll to the right (deg)")
    axes.set_ylim(bottom=0)
    head(axes, f"ILTIS on four wheels and on two, at {SHOWN:g} m/s", 3)


def draw_loads(axes: Axes, branch: Branch) -> None:
    """Draw the loads of the four wheels over lateral acceleration."""
    for name, style in zip(CORNERS, ("C0-", "C1-", "C0--", "C1--"), strict=True):
        label = name.replace("_", " ")
        axes.plot(lateral(branch), branch[f"{name}.load"] / 1e3, style, label=label)
    plain(axes, "lateral acceleration (m/s²)", "wheel load (kN)")
    axes.set_ylim(bottom=0)
    head(axes, f"ILTIS turning left at {SHOWN:g} m/s: no wheel lifts", 4)


def draw_speeds(
    speeds: Mapping[float, Branch], racks: Mapping[float, Branch], gradient: float
) -> Figure:
    """Draw yaw rate per steer over speed, and exponents over speed and acceleration."""
    figure = Figure(figsize=(8.5, 11), layout="constrained")
    gain, over_speed, over_rack = figure.subplots(3, 1)
    for (rack, branch), style in zip(speeds.items(), STYLES, strict=False):
        steer = by_hand.steer_at_rest(rack) - by_hand.steer_at_rest(0.0)
        label = f"rack {-1e3 * rack:g} mm"
        gain.plot(branch["cabin.speed"], branch["yaw.rate"] / steer, label=label)
        draw_exponents(over_speed, branch, branch["cabin.speed"].values, label, style)
    v = np.linspace(5, 60, 200)
    gain.plot(v, v / (WHEELBASE + gradient * v**2), "k--", lw=1, label="by hand")
    characteristic = np.sqrt(WHEELBASE / gradient)
    gain.axvline(characteristic, color="0.6", lw=0.8)
    gain.annotate(
        f"characteristic speed\n{characteristic:.1f} m/s",
        (characteristic, 1.0), xytext=(5, 0), textcoords="offset points", fontsize="small",
    )  # fmt: skip
    gain.set_ylim(bottom=0)
    plain(gain, "speed (m/s)", "yaw rate per steer (1/s)")
    head(gain, "ILTIS: yaw rate per steer, for two rack displacements", 4)
    plain(over_speed, "speed (m/s)", "real part of the exponents (1/s)")
    head(over_speed, "ILTIS: stable at every speed", 2)
    over_speed.annotate(
        "near 0, with rack 6 mm alone: that of the speed",
        (5, 0), xytext=(0, -5), textcoords="offset points", va="top", fontsize="small",
    )  # fmt: skip
    for (speed, branch), style in zip(racks.items(), STYLES, strict=False):
        draw_exponents(over_rack, branch, lateral(branch), f"{speed:g} m/s", style)
    plain(over_rack, "lateral acceleration (m/s²)", "real part of the exponents (1/s)")
    head(over_rack, "ILTIS: stable up to the limit of adhesion", 2)
    return figure


def draw_exponents(axes: Axes, branch: Branch, across: np.ndarray, label: str, style: str) -> None:
    """Draw the real parts of the exponents, of one colour; those far to the left are left out."""
    found = np.sort(branch.data["exponents"].values.real, axis=1)[:, ::-1]
    [first, *_] = axes.plot(across, found[:, 0], style, lw=2, label=f"{label}: uppermost")
    others = axes.plot(across, found[:, 1:8], style, color=first.get_color(), lw=0.8)
    others[0].set_label(f"{label}: the next seven")
    axes.axhline(0, color="k", lw=0.8)
    axes.set_ylim(-12, 1)
