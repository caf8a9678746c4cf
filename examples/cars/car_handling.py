r"""The car at 80 km/h: understeer by a ramp of steer, and responses to steps (ISO 4138, ISO 7401).

**Ramp.** The steering wheel turns slowly, and a force holds the speed. With l the wheelbase and r
the yaw rate, the steer that is not due to the circle's radius, δ - l r/v, grows with the lateral
acceleration by the understeer gradient. Cornering stiffnesses and axle loads alone,

    K_us = m_f/C_f - m_r/C_r,

give a seventh of it; most comes from the compliance of the steering under the aligning moments.
``car_by_hand.py`` states the sum of its parts, and the roll. At the limit of adhesion the front
axle has used its friction, and the steer grows without more acceleration.

**Steps.** The wheel turns at 500 °/s. After small steps the yaw rate tends to v δ/(l + K_us v²).
The response time is from half the steer to 90 % of the yaw rate at the end; the linear single track
with relaxation, which does not roll, is a little quicker.

Run: python examples/cars/car_handling.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore import Equations, Model, Result, compile_equations, simulate
from mbcore.examples.cars import car_by_hand as by_hand
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show
from mbcore.fmus import car

SPEED = 80 / 3.6
LAG = 0.5
"""Time constant of what holds the speed, s."""
RAMP, UNTIL = np.radians(2.0), 50.0
"""Of the steering wheel, rad/s, and its end, s."""
SMALL = (0.3, 2.5)
"""Lateral accelerations by which the gradient is found, m/s2."""
TURNING, STEPS = np.radians(500.0), (10.0, 25.0, 45.0)
"""Rate of steps, rad/s, and their size, degrees, both of the steering wheel."""
TIMES = np.linspace(0, 2, 2001)
PER_G = np.degrees(9.81)
"""Turns rad s2/m into deg/g."""


def towed() -> Model:
    """Return the car with a force at its mass centre, along its heading, that holds the speed."""
    model = car.model()
    body, ahead = model.nodes["body"], model.nodes["heading"].matrix[:, 0]
    model.force(body, by_hand.MASS / LAG * (SPEED - ca.dot(ahead, body.velocity)) * ahead)
    return model


def step_of(degrees: float, time: float) -> float:
    """Return the angle of the steering wheel in a step, rad."""
    return float(min(TURNING * time, np.radians(degrees)))


@dataclass(frozen=True)
class Record:
    """The ramp, the steps, and their numbers beside those by hand."""

    ramp: Result
    steps: dict[float, Result]
    parts: dict[str, float]
    """Of the understeer gradient by hand, deg/g."""
    numbers: dict[str, float]
    expected: dict[str, float]


def extra_steer(ramp: Result) -> np.ndarray:
    """Return δ - l r/v over time, rad."""
    steer = RAMP * ramp.time / by_hand.RATIO
    return steer - by_hand.WHEELBASE * ramp["yaw.rate"] / ramp["body.speed"]


def slope(ramp: Result, of: np.ndarray) -> float:
    """Return the derivative of a quantity by lateral acceleration at its start, 1/(m/s2)."""
    across = ramp["body.speed"] * ramp["yaw.rate"]
    small = (across > SMALL[0]) & (across < SMALL[1])
    # the constant is the lag behind the ramp
    powers = np.column_stack([across, across**3, np.ones_like(across)])[small]
    return float(np.linalg.lstsq(powers, of[small], rcond=None)[0][0])


def response_time(yaw_rate: np.ndarray, degrees: float) -> float:
    """Return the time from half the steer to 90 % of the last yaw rate, s."""
    half = np.radians(degrees) / 2 / TURNING
    return float(TIMES[np.argmax(yaw_rate > 0.9 * yaw_rate[-1])] - half)


def drive_step(equations: Equations, degrees: float) -> Result:
    """Return the response to a step of the steering wheel."""
    return simulate(
        equations,
        TIMES[-1],
        start={"body.speed": SPEED},
        inputs={"steering_wheel.angle": lambda t: step_of(degrees, t)},
        breaks=[np.radians(degrees) / TURNING],
        rtol=1e-8,
        atol=1e-10,
        samples=TIMES,
    )


def run() -> Record:
    """Drive the ramp and the steps."""
    equations = towed().equations()
    compile_equations(equations)
    ramp = simulate(
        equations,
        UNTIL,
        start={"body.speed": SPEED},
        inputs={"steering_wheel.angle": lambda t: RAMP * t},
        rtol=1e-8,
        atol=1e-10,
        samples=1001,
    )
    steps = {degrees: drive_step(equations, degrees) for degrees in STEPS}
    parts = {name: part * PER_G for name, part in by_hand.understeer().items()}
    gradient = sum(parts.values())
    small = STEPS[0]
    steer = np.radians(small) / by_hand.RATIO
    track = by_hand.single_track(SPEED, lambda t: step_of(small, t) / by_hand.RATIO, TIMES)
    roll = by_hand.cornering(*by_hand.axles())[2]
    yaw_rate = SPEED * steer / (by_hand.WHEELBASE + gradient / PER_G * SPEED**2)
    compared = {
        "understeer gradient (deg/g)": (slope(ramp, extra_steer(ramp)) * PER_G, gradient),
        "roll (deg/g)": (slope(ramp, ramp["body.roll"]) * PER_G, roll * PER_G),
        "step of 10°: yaw rate (deg/s)": (
            np.degrees(steps[small].final("yaw.rate")),
            np.degrees(yaw_rate),
        ),
        "step of 10°: response time (s)": (
            response_time(steps[small]["yaw.rate"], small),
            response_time(track, small),
        ),
    }
    numbers, expected = ({k: float(v[i]) for k, v in compared.items()} for i in (0, 1))
    return Record(ramp, steps, parts, numbers, expected)


COLORS = dict(zip(STEPS, ("#1f5fa8", "#4e9a06", "#c4501b"), strict=True))


def _draw_ramp(axes: Axes, record: Record) -> None:
    ramp, gradient = record.ramp, sum(record.parts.values())
    across = ramp["body.speed"] * ramp["yaw.rate"]
    axes.plot(across, np.degrees(extra_steer(ramp)), color="#1f5fa8", linewidth=1.8, label="ramp")
    line = np.array([0, 7.0])
    axes.plot(line, line * gradient / 9.81, "k--", linewidth=1.2, label="gradient by hand")
    plain(axes, "lateral acceleration v r (m/s²)", "δ - l r/v (°)")
    head(axes, "Understeer at 80 km/h", 2)


def _draw_parts(axes: Axes, record: Record) -> None:
    left = 0.0
    for i, (name, part) in enumerate(record.parts.items()):
        axes.barh(i, part, left=left, color="#1f5fa8" if i else "#c4501b", height=0.6)
        axes.annotate(
            f"{name} {part:.2f}", (left + part, i), (4, 0), textcoords="offset points", va="center",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )  # fmt: skip
        left += part
    axes.set(yticks=[], ylim=(len(record.parts) - 0.5, -0.5), xlim=(0, 1.5 * left))
    # from the last bar to the scale, clear of the names of the others
    axes.axvline(left, 0, 1 / len(record.parts), color="black", linewidth=1.2, linestyle="--")
    plain(axes, "deg/g", "")
    axes.set_title(f"Parts of the gradient by hand, {left:.2f} deg/g", loc="left")


def draw(record: Record, folder: Path) -> None:
    """Draw understeer and its parts, yaw rates, lateral accelerations and roll after steps."""
    figure = Figure(figsize=(12, 9), layout="constrained")
    ramp, parts, yaw, across = figure.subplots(2, 2).flat
    _draw_ramp(ramp, record)
    _draw_parts(parts, record)
    for degrees, step in record.steps.items():
        shade, name = COLORS[degrees], f"step of {degrees:g}°"
        yaw.plot(TIMES, np.degrees(step["yaw.rate"]), color=shade, linewidth=1.8, label=name)
        across.plot(TIMES, step["body.acceleration_y"], color=shade, linewidth=1.8, label=name)
    track = by_hand.single_track(SPEED, lambda t: step_of(STEPS[0], t) / by_hand.RATIO, TIMES)
    yaw.plot(TIMES, np.degrees(track), "k--", linewidth=1.0, label="single track, 10°")
    plain(yaw, "time (s)", "°/s")
    head(yaw, "Yaw rate", 4)
    plain(across, "time (s)", "m/s²")
    head(across, "Lateral acceleration of the mass centre", 3)
    save(figure, folder, "car_handling")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    show(car.model(), folder, "car_handling", "Road car on Magic Formula tyres")
    rows = [(name, ours, record.expected[name]) for name, ours in record.numbers.items()]
    print_comparison("Car at 80 km/h, beside formulas by hand", rows)
    draw(record, folder)


if __name__ == "__main__":
    main()
