r"""The car on a slope of 15 %: parked, rolling back, braked, started uphill, and parked again.

At rest a tyre with relaxation is a spring: the force of its contact is that of the slip u/σ, with u
the deflection, σ = K/c the relaxation length, K the slip stiffness and c the stiffness of the
carcass. So the parked car stands still: it does not creep, not in 10⁶ s either.

**By hand.** The tyres carry m g sin β together. With the share S_H of the slip stiffness's shift
in the property file, a tyre that carries F is deflected by

    u = F/c - σ S_H,   c = 360 kN/m (1 + 0.17 df),   df = load/4200 N - 1,

as long as the force is linear in the slip, which leaves half a per cent here. The brakes hold each
wheel by a spring, too: its torque is F times the loaded radius. With brakes released, the car rolls
back with

    a = (m g sin β - ΣM_y/r) / (m + ΣJ/r²),

M_y the rolling resistance, J the wheels' inertia, r the effective radius.

Run: python examples/cars/car_parking.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore import Result, compile_equations, simulate
from mbcore.examples.cars.car_by_hand import GRAVITY, MASS, SPIN_INERTIA
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show
from mbcore.fmus import car

SLOPE = float(np.arctan(0.15))
WHEELS = ("front_left", "front_right", "rear_left", "rear_right")
RELEASED, BRAKED, STARTED, STOPPED, UNTIL = 4.0, 6.0, 9.0, 12.0, 18.0
"""Times at which brakes are released, the car is braked, started, braked again; and the end, s."""
HOLD, DRIVE = 600.0, 700.0
"""Torques of each brake, and on each rear wheel, N.m."""
ROLLS = 5.9
"""When the acceleration is compared, s."""
MINUTES, LONG = 100.0, 1e6
"""Times between which the parked car does not move, s."""
NOMINAL_LOAD, RADIUS, EFFECTIVE = 4200.0, 0.316, 0.3073
"""Of the tyre: N, its free radius, and its effective radius at low speed, m."""


@dataclass(frozen=True)
class Record:
    """The drive, and its numbers beside those by hand."""

    drive: Result
    numbers: dict[str, float]
    expected: dict[str, float]
    force: float
    """Of the front left tyre before the brakes are released, N, along the wheel."""
    load: float
    """Its load, N."""


def brake(time: float) -> float:
    """Return the torque of each brake, N.m."""
    return HOLD if time < RELEASED or BRAKED <= time < STARTED or time >= STOPPED else 0.0


def thrust(time: float) -> float:
    """Return the torque on each rear wheel, N.m."""
    return DRIVE if STARTED <= time < STOPPED else 0.0


def deflection_by_hand(force: float, load: float) -> float:
    """Return the deflection of a tyre's contact, m, that carries a force at a load, N."""
    df = load / NOMINAL_LOAD - 1
    carcass = 360e3 * (1 + 0.17 * df)
    stiffness = load * (21.5 - 0.4 * df) * np.exp(0.22 * df)
    shift = -0.0003 + 0.0001 * df
    return float(force / carcass - stiffness / carcass * shift)


def rolling_by_hand(loads: list[float]) -> float:
    """Return the acceleration of the car that rolls back, m/s2."""
    moments = [RADIUS * NOMINAL_LOAD * 0.0095 * (load / NOMINAL_LOAD) ** 0.9 for load in loads]
    pulled = MASS * GRAVITY * np.sin(SLOPE) - sum(moments) / EFFECTIVE
    return float(-pulled / (MASS + 4 * SPIN_INERTIA / EFFECTIVE**2))


def run() -> Record:
    """Drive on the slope, and stay parked at the end."""
    equations = car.model().equations()
    compile_equations(equations)
    done = simulate(
        equations,
        LONG,
        start={"body.speed": 0.0},
        inputs={
            "road.slope": SLOPE,
            **{f"{wheel}.brake_torque": brake for wheel in WHEELS},
            **{f"{wheel}.drive_torque": thrust for wheel in WHEELS[2:]},
        },
        breaks=[RELEASED, BRAKED, STARTED, STOPPED],
        method="rosenbrock",
        rtol=1e-8,
        atol=1e-10,
        samples=[*np.linspace(0, UNTIL, 1801), MINUTES, LONG],
    )
    still, rolls, later = done.at(RELEASED - 0.01), done.at(ROLLS), done.at(MINUTES)
    force, load = (still[f"front_left.{what}"] for what in ("force_x", "load"))
    compared = {
        "parked: sum of forces (N)": (
            sum(done.final(f"{wheel}.force_x") for wheel in WHEELS),
            MASS * GRAVITY * np.sin(SLOPE),
        ),
        "parked: front tyre's deflection (mm)": (
            1e3 * still["front_left.deflection_x"],
            1e3 * deflection_by_hand(force, load),
        ),
        "rolls back: acceleration (m/s2)": (
            rolls["body.acceleration_x"],
            rolling_by_hand([rolls[f"{wheel}.load"] for wheel in WHEELS]),
        ),
        "moved from 100 s to 1e6 s (m)": (done.final("body.x") - later["body.x"], 0.0),
        "speed after 1e6 s (m/s)": (done.final("body.speed"), 0.0),
    }
    numbers, expected = ({k: float(v[i]) for k, v in compared.items()} for i in (0, 1))
    return Record(done.between(0, UNTIL), numbers, expected, force, load)


FRONT, REAR = "#c4501b", "#1f5fa8"


def _draw_deflections(axes: Axes, record: Record) -> None:
    motion = record.drive
    for axle, shade in (("front", FRONT), ("rear", REAR)):
        along = 1e3 * motion[f"{axle}_left.deflection_x"]
        axes.plot(motion.time, along, color=shade, linewidth=1.5, label=f"{axle} left")
    by_hand = 1e3 * deflection_by_hand(record.force, record.load)
    axes.plot([0, RELEASED], [by_hand, by_hand], "k--", linewidth=1.2, label="parked, by hand")
    plain(axes, "time (s)", "mm")
    head(axes, "Longitudinal deflection of the contacts", 3)


def draw(record: Record, folder: Path) -> None:
    """Draw speed and place, torques, forces and deflections."""
    figure = Figure(figsize=(12, 8.5), layout="constrained")
    speed, torques, forces, deflections = axes = figure.subplots(2, 2, sharex=True).ravel()
    motion = record.drive
    speed.plot(motion.time, motion["body.speed"], color="black", linewidth=1.8, label="speed (m/s)")
    speed.plot(motion.time, motion["body.x"], color="0.6", linewidth=1.5, label="place uphill (m)")
    plain(speed, "", "m/s, m")
    head(speed, "The car on a slope of 15 %", 2)
    for signal, shade, name in ((brake, FRONT, "each brake"), (thrust, REAR, "each rear wheel")):
        values = [signal(time) for time in motion.time]
        torques.step(motion.time, values, where="post", color=shade, linewidth=1.5, label=name)
    plain(torques, "", "N·m")
    head(torques, "Torques that are given", 2)
    for axle, shade in (("front", FRONT), ("rear", REAR)):
        along = motion[f"{axle}_left.force_x"] / 1000
        forces.plot(motion.time, along, color=shade, linewidth=1.5, label=f"{axle} left")
    plain(forces, "time (s)", "kN")
    head(forces, "Longitudinal forces of the road", 2)
    _draw_deflections(deflections, record)
    for each in axes:
        for time in (RELEASED, BRAKED, STARTED, STOPPED):
            each.axvline(time, color="0.8", linewidth=0.8, zorder=0)
    save(figure, folder, "car_parking")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    show(car.model(), folder, "car_parking", "Road car on Magic Formula tyres")
    rows = [(name, ours, record.expected[name]) for name, ours in record.numbers.items()]
    print_comparison("Car on a slope of 15 %, beside formulas by hand", rows)
    draw(record, folder)


if __name__ == "__main__":
    main()
