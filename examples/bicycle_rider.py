"""The rider of the bicycle's FMU: steers by torque, sees the road ahead, and holds the speed.

The rider of Sharp, *On the stability and control of the bicycle*, Appl. Mech. Rev. 61 (2008)
060803: a linear quadratic regulator with preview. About straight riding the sampled bicycle is
s⁺ = A s + B τ with s = (rates and values of lean and steer, yaw ψ, lateral place y), and the road
is at r_k. The torques that make Σ (y - r)² + ρ τ² smallest are

    τ_k = -K s_k + Σ_i f_i r_{k+i},   f_i = (ρ + Bᵀ P B)⁻¹ Bᵀ ((A - B K)ᵀ)^(i-1) c,   y = cᵀ s,

with P from the algebraic Riccati equation. Places and headings are seen from the bicycle: there y
and ψ are zero, and r_i is the road's offset from its own straight course, i steps ahead. So the
road may lead anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from matplotlib.figure import Figure
from scipy.linalg import expm, solve_discrete_are

from examples.common import head, plain
from examples.cosimulation import Unit, built
from fmu_src import bicycle
from mbcore import Equations, linearize

STEP = 0.01
"""Communication step and sampling time of the rider, s."""
PREVIEW = 8.0
"""How far ahead the road is seen, s."""
TORQUE_WEIGHT = 0.1
"""ρ: square of a lateral deviation, m, that is as bad as a torque of 1 N.m."""
SPEED_TIME = 1.0
"""Time constant with which the speed is held, s."""
LATERAL = (
    "bicycle.lean_rate",
    "bicycle.steer_rate",
    "bicycle.lean",
    "bicycle.steer",
    "bicycle.yaw",
    "bicycle.y",
)
BALANCE = LATERAL[:4]
PLACE = ("bicycle.x", "bicycle.y", "bicycle.yaw", "bicycle.speed")

Road = Callable[[np.ndarray], np.ndarray]
"""Lateral place y of the road at x."""


class Bicycle(Protocol):
    """What is ridden: `examples.cosimulation.Unit`, or whatever has its methods."""

    time: float

    def get(self, names: tuple[str, ...], /) -> list[float]:
        """Return variables."""

    def set(self, values: dict[str, float], /) -> None:
        """Set inputs."""

    def step(self, size: float, /) -> None:
        """Advance the time."""


@dataclass(frozen=True)
class Rider:
    """A controller for one speed.

    Attributes
    ----------
    speed : float
        m/s.
    gains : ndarray, shape (6,)
        K, of the states in ``LATERAL``.
    preview : ndarray, shape (n,)
        f, N.m/m.
    A, B : ndarray, shapes (6, 6), (6, 2)
        What a step does to these states without and with torques at the handlebar and on the frame.
    drive_gain : float
        Driving torque for a unit of speed error, N.m/(m/s).
    """

    speed: float
    gains: np.ndarray
    preview: np.ndarray
    A: np.ndarray
    B: np.ndarray
    drive_gain: float

    def steer(self, unit: Bicycle, road: Road) -> float:
        """Return the torque at the handlebar."""
        x, y, yaw, speed = unit.get(PLACE)
        ahead = max(speed, 0.1) * STEP * np.arange(1, self.preview.size + 1)
        place = x + ahead * np.cos(yaw)
        offset = (road(place) - y) * np.cos(yaw) - (place - x) * np.sin(yaw)
        return float(self.preview @ offset - self.gains[:4] @ unit.get(BALANCE))

    def drive(self, unit: Bicycle) -> float:
        """Return the torque at the rear wheel."""
        [speed] = unit.get(("bicycle.speed",))
        return self.drive_gain * (self.speed - speed)


def train(equations: Equations, speed: float) -> Rider:
    """Design a rider for a speed from the linearized equations of the bicycle."""
    about = linearize(equations, {"bicycle.lean_rate": 0.0, "bicycle.speed": speed})
    states = [about.state_names.index(name) for name in LATERAL]
    inputs = [i.name for i in equations.inputs]
    torques = [inputs.index("steer.torque"), inputs.index("lean.torque")]
    A, B = sampled(
        about.state_matrix[np.ix_(states, states)], about.input_matrix[np.ix_(states, torques)]
    )
    b, c = B[:, :1], np.eye(6)[:, 5:]
    P = solve_discrete_are(A, b, c @ c.T, [[TORQUE_WEIGHT]])
    weight = TORQUE_WEIGHT + float((b.T @ P @ b)[0, 0])
    gains = (b.T @ P @ A / weight)[0]
    loop = A - b @ gains[None, :]
    preview, seen = [], c
    for _ in range(round(PREVIEW / STEP)):
        preview.append((b.T @ seen)[0, 0] / weight)
        seen = loop.T @ seen
    to_speed = about.input_matrix[about.state_names.index("bicycle.speed")]
    drive_gain = 1 / (to_speed[inputs.index("drive.torque")] * SPEED_TIME)
    return Rider(speed, gains, np.array(preview), A, B, drive_gain)


def sampled(A: np.ndarray, B: np.ndarray, step: float = STEP) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrices of a step in which the inputs are held."""
    n, m = B.shape
    whole = expm(step * np.block([[A, B], [np.zeros((m, n + m))]]))
    return whole[:n, :n], whole[:n, n:]


# The lane change

SPEED = 3.0
"""Below the weave speed of 4.292 m/s: left alone, the bicycle falls within seconds, m/s."""
LANE, BEGIN, LENGTH = 2.5, 15.0, 9.0
"""The road shifts to the left by LANE between x = BEGIN and BEGIN + LENGTH, m."""
GUST, GUST_BEGIN, GUST_END = 60.0, 14.0, 14.2
"""A push to the right, N.m, and its time, s."""
NUDGE = 0.05
"""Rate of lean at the start without a rider, rad/s."""
DURATION = 20.0
RECORDED = (
    *PLACE,
    *BALANCE,
    "rear.friction_ratio",
    "front.friction_ratio",
    "front.normal_force",
)


def lane_change(x: np.ndarray) -> np.ndarray:
    """Return the road's y: a polynomial without jump of the curvature."""
    s = np.clip((x - BEGIN) / LENGTH, 0, 1)
    return LANE * s**3 * (10 - 15 * s + 6 * s**2)


def gust(time: float) -> float:
    """Return the torque on the frame."""
    return GUST if GUST_BEGIN <= time < GUST_END else 0.0


@dataclass(frozen=True)
class Ride:
    """Signals over time by name; the linear theory's path; what happens without a rider."""

    rider: Rider
    time: np.ndarray
    signals: dict[str, np.ndarray]
    linear: np.ndarray
    """y of the linear theory, m."""
    alone: dict[str, np.ndarray]
    """Time and lean of the bicycle that nobody steers, until it leans by half a radian."""

    def __getitem__(self, name: str) -> np.ndarray:
        return self.signals[name]

    @property
    def deviation(self) -> np.ndarray:
        """Distance from the road, positive to the left, m."""
        return self["bicycle.y"] - lane_change(self["bicycle.x"])

    @property
    def before_gust(self) -> np.ndarray:
        """Where the time is before the gust."""
        return self.time < GUST_BEGIN


def follow(unit: Bicycle, rider: Rider, road: Road = lane_change) -> dict[str, np.ndarray]:
    """Ride along a road; return the signals by name."""
    rows = []
    while unit.time < DURATION - STEP / 2:
        torque = rider.steer(unit, road)
        unit.set({
            "steer.torque": torque,
            "drive.torque": rider.drive(unit),
            "lean.torque": gust(unit.time + STEP / 2),
        })  # fmt: skip
        rows.append([unit.time, torque, *unit.get(RECORDED)])
        unit.step(STEP)
    return dict(zip(("time", "steer.torque", *RECORDED), np.array(rows).T, strict=True))


def roll_alone(unit: Bicycle) -> dict[str, np.ndarray]:
    """Let the bicycle roll without a rider until it leans by half a radian."""
    rows = []
    while unit.time < DURATION:
        [lean] = unit.get(("bicycle.lean",))
        rows.append([unit.time, lean])
        if abs(lean) > 0.5:
            break
        unit.step(STEP)
    return dict(zip(("time", "bicycle.lean"), np.array(rows).T, strict=True))


def predict(rider: Rider, time: np.ndarray) -> np.ndarray:
    """Return y of the linear theory with the same rider, road and gust."""
    state, places = np.zeros(6), []
    ahead = rider.speed * STEP * np.arange(1, rider.preview.size + 1)
    for t in time:
        places.append(state[5])
        torque = rider.preview @ lane_change(rider.speed * t + ahead) - rider.gains @ state
        state = rider.A @ state + rider.B @ [torque, gust(t + STEP / 2)]
    return np.array(places)


def run(fmu: Path | None = None) -> Ride:
    """Ride the FMU along the lane change, and let it roll without a rider.

    Parameters
    ----------
    fmu : Path, optional
        The bicycle, FMI 3.0; by default that in ``build/``, exported where missing.
    """
    path = fmu or built(bicycle)
    rider = train(bicycle.model().equations(), SPEED)
    straight = {"bicycle.speed": SPEED, "bicycle.lean_rate": 0.0}
    with Unit(path, straight) as unit:
        signals = follow(unit, rider)
    with Unit(path, straight | {"bicycle.lean_rate": NUDGE}) as unit:
        alone = roll_alone(unit)
    time = signals.pop("time")
    return Ride(rider, time, signals, predict(rider, time), alone)


LEAN, STEER, ROAD, PUSH = "#1f5fa8", "#c4501b", "#888888", "#a40000"


def draw_ride(ride: Ride) -> Figure:
    """Draw the path, the angles and the torques."""
    figure = Figure(figsize=(9.4, 9.2), layout="constrained")
    path, angles, torques = figure.subplots(3, 1, height_ratios=(1.1, 1.2, 1))
    figure.suptitle(
        f"bicycle.fmu balanced below its weave speed: a lane change at {ride.rider.speed:g} m/s"
    )
    x, time = ride["bicycle.x"], ride.time
    path.plot(x, lane_change(x), color=ROAD, linewidth=5, alpha=0.4, label="road")
    path.plot(
        ride.rider.speed * time,
        ride.linear,
        color="black",
        linewidth=1,
        linestyle=":",
        label="linear theory",
    )
    path.plot(x, ride["bicycle.y"], color="black", linewidth=1.4, label="rear contact point")
    pushed = np.interp([GUST_BEGIN, GUST_END], time, x)
    path.axvspan(*pushed, color=PUSH, alpha=0.3, linewidth=0)
    path.annotate("push", (pushed[1], 0.6), xytext=(5, 0), textcoords="offset points", color=PUSH)
    path.set_xlim(0, x[-1])
    plain(path, "x / m", "y / m")
    head(path, "Path (lateral scale stretched)", 3)

    for name, colour, label in (
        ("bicycle.lean", LEAN, "lean, to the right"),
        ("bicycle.steer", STEER, "steer, to the left"),
    ):
        angles.plot(time, np.degrees(ride[name]), color=colour, linewidth=1.4, label=label)
    angles.plot(
        ride.alone["time"],
        np.degrees(ride.alone["bicycle.lean"]),
        color=LEAN,
        linewidth=1,
        linestyle="--",
        label="lean without a rider",
    )
    angles.set_ylim(-13, 13)
    plain(angles, "", "angle / °")
    head(angles, "Lean and steer angle", 3)

    torques.plot(time, ride["steer.torque"], color="black", linewidth=1.2, drawstyle="steps-post")
    plain(torques, "time / s", "torque / (N m)")
    torques.set_title("Torque at the handlebar, to the left", loc="left")
    for axes in (angles, torques):
        axes.axvspan(GUST_BEGIN, GUST_END, color=PUSH, alpha=0.3, linewidth=0)
        axes.set_xlim(0, time[-1])
    steer = ride["bicycle.steer"]
    first = int(np.argmin(steer[: np.argmax(steer[ride.before_gust])]))
    angles.annotate(
        "first to the right,\nto lean to the left",
        (time[first], np.degrees(steer[first])),
        xytext=(30, -60),
        textcoords="offset points",
        color=STEER,
        fontsize="small",
        ha="center",
        arrowprops={"arrowstyle": "->", "color": STEER},
    )
    figure.align_ylabels([path, angles, torques])
    return figure
