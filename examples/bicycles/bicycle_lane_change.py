r"""The bicycle's FMU ridden below its weave speed: balance, a lane change, a push from the side.

At 3 m/s the benchmark bicycle does not stay upright by itself: the weave grows with 1.71 1/s, and
it falls within seconds. The FMU (FMI 3.0, Co-Simulation) is stepped by FMPy: every 10 ms the rider
of `examples.bicycles.bicycle_rider` reads lean, steer angle and their rates, place and heading, and
sets the torque at the handlebar; a driving torque holds the speed.

To go left the rider steers to the right first: the bicycle has to lean to the left before it can
turn there. Afterwards a push makes it lean to the right.

The linear theory, with the same rider, is drawn beside: it is the reference as long as angles are
small.

Run: python examples/bicycles/bicycle_lane_change.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore.examples.bicycles.bicycle_rider import BALANCE, PLACE, STEP, Bicycle, Rider, Road, train
from mbcore.examples.common import figures_folder, head, plain, save, show
from mbcore.examples.cosimulation import Unit, built
from mbcore.fmus import bicycle

SPEED = 3.0
"""Below the weave speed of 4.292 m/s: left alone, the bicycle falls within seconds, m/s."""
LANE, BEGIN, LENGTH = 2.5, 15.0, 9.0
"""The road shifts to the left by LANE between x = BEGIN and BEGIN + LENGTH, m."""
GUST, GUST_BEGIN, GUST_END = 60.0, 14.0, 14.2
"""A push to the right, N.m, and its time, s."""
ALONE = 0.5
"""Lean at which the bicycle without a rider counts as fallen, rad."""
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
    """Time and lean of the bicycle that nobody steers, until it leans too far."""

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
    """Let the bicycle roll without a rider until it leans too far."""
    rows = []
    while unit.time < DURATION:
        [lean] = unit.get(("bicycle.lean",))
        rows.append([unit.time, lean])
        if abs(lean) > ALONE:
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
        label="linear theory, x = v t",
    )
    path.plot(x, ride["bicycle.y"], color="black", linewidth=1.4, label="rear contact point")
    pushed = np.interp([GUST_BEGIN, GUST_END], time, x)
    path.axvspan(*pushed, color=PUSH, alpha=0.3, linewidth=0)
    path.annotate("push", (pushed[1], 0.6), xytext=(5, 0), textcoords="offset points", color=PUSH)
    path.set_xlim(0, x[-1])
    plain(path, "x (m)", "y (m)")
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
    plain(angles, "", "angle (°)")
    head(angles, "Lean and steer angle", 3)

    torques.plot(time, ride["steer.torque"], color="black", linewidth=1.2, drawstyle="steps-post")
    plain(torques, "time (s)", "torque (N m)")
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


def draw(ride: Ride, folder: Path) -> None:
    """Write the figure."""
    save(draw_ride(ride), folder, "bicycle_lane_change")


def report(ride: Ride) -> None:
    """Print what came of the ride."""
    before = ride.before_gust
    linear = np.abs(ride["bicycle.y"] - ride.linear)[before]
    rows = (
        (f"without a rider it leans by {ALONE} rad after", ride.alone["time"][-1], "s"),
        ("largest deviation from the road", 100 * np.abs(ride.deviation[before]).max(), "cm"),
        ("  after the push", 100 * np.abs(ride.deviation).max(), "cm"),
        ("  at the end", 100 * ride.deviation[-1], "cm"),
        ("distance from the linear theory's path", 100 * linear.max(), "cm"),
        ("largest torque at the handlebar", np.abs(ride["steer.torque"]).max(), "N m"),
        ("largest lean", np.degrees(np.abs(ride["bicycle.lean"]).max()), "°"),
        ("largest friction ratio, rear", ride["rear.friction_ratio"].max(), ""),
        ("largest friction ratio, front", ride["front.friction_ratio"].max(), ""),
    )
    print(f"\nLane change of the bicycle's FMU at {ride.rider.speed:g} m/s")
    for what, value, unit in rows:
        print(f"{what:44}{value:8.3f} {unit}")


def main() -> None:
    """Ride, print and draw."""
    folder = figures_folder(__doc__)
    show(bicycle.model(), folder, "bicycle_lane_change", "Benchmark bicycle")
    ride = run()
    report(ride)
    draw(ride, folder)


if __name__ == "__main__":
    main()
