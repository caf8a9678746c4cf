r"""A vehicle that speeds up on a circle until its front axle slides, and is braked to a stand.

The axles of ``vehicle.model(slides=True)`` roll without slip while that takes at most μ = 0.5 of
their static loads. The front wheels stay turned by α = 0.15 rad, and a constant force drives.

**While it rolls**, v_H grows at a constant rate by [SchiehlenEismann] (40), and the moments about
the rear axle give the lateral force of the front one. With T = tan α and I_B = I + m l_H²,

    v̇_H = f / (m + I_B T²/l²),    F_A = (I_B T v̇_H / l + m l_H T v_H² / l) / (l cos α),

which is μ m g l_H / l at the speed v_1.

**From there on** the front axle slides outwards with the force μ times its load. Speed and yaw rate
ω have two equations, here solved by hand,

    m (v̇_H - l_H ω²) = f - F_A sin α,    I_B ω̇ + m l_H v_H ω = l F_A cos α,

until the rear axle slides as well, for a second. The brake brings the front axle back to rolling.
The friction of both axles and the brake dissipates all the energy that the drive has given.

Run: python examples/vehicles/sliding_vehicle.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp

from mbcore import Model, Result, simulate
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show
from mbcore.examples.drive_picture import show_slips
from mbcore.examples.vehicles.vehicle_figures import draw_vehicle
from mbcore.fmus import vehicle

MASS, INERTIA, WHEELBASE, TO_MASS_CENTRE, GRAVITY = 1200.0, 675.0, 2.5, 1.25, 9.81
STEER, GRIP, START = 0.15, 0.5, 5.0
"""Angle of the front axle, rad; friction of the road; speed at the start, m/s."""
DRIVE, BRAKE, BRAKES, DURATION = 1500.0, 2500.0, 8.0, 16.0
"""Forces, N; when the brake takes the place of the drive, and the end, s."""
LATER = 0.4
"""How long after the front axle has begun to slide the equations by hand are compared, s."""


def model() -> Model:
    """Return the vehicle with the work of what drives it, and of what takes energy."""
    car = vehicle.model(slides=True)
    rubbing = {"brake": "brake", "front": "front.friction", "rear": "rear.friction"}
    works = {"drive": car.outputs["drive.power"].expression}
    for name, friction in rubbing.items():
        works[name] = car.elements[friction].power  # type: ignore[attr-defined]
    for name, power in works.items():
        car.state(f"{name}.work", power, unit="J", visibility="output")
    return car


@dataclass(frozen=True)
class Record:
    """The vehicle that slides, and the one that cannot."""

    numbers: dict[str, float]
    expected: dict[str, float]
    slides: Result
    rolls: Result


def begins_by_hand() -> tuple[float, float]:
    """Return when the front axle begins to slide, s, and the speed there, m/s."""
    turn, about_rear = np.tan(STEER), INERTIA + MASS * TO_MASS_CENTRE**2
    faster = DRIVE / (MASS + about_rear * turn**2 / WHEELBASE**2)
    moment = GRIP * MASS * GRAVITY * TO_MASS_CENTRE * np.cos(STEER)
    square = (moment * WHEELBASE / turn - about_rear * faster) / (MASS * TO_MASS_CENTRE)
    return (np.sqrt(square) - START) / faster, float(np.sqrt(square))


def slides_by_hand(speed: float) -> tuple[float, float]:
    """Return speed, m/s, and yaw rate, rad/s, some time after it has begun at a speed."""
    force = GRIP * MASS * GRAVITY * TO_MASS_CENTRE / WHEELBASE
    about_rear = INERTIA + MASS * TO_MASS_CENTRE**2

    def rates(_: float, motion: np.ndarray) -> list[float]:
        v, turning = motion
        moment = WHEELBASE * force * np.cos(STEER) - MASS * TO_MASS_CENTRE * v * turning
        along = DRIVE - force * np.sin(STEER)
        return [along / MASS + TO_MASS_CENTRE * turning**2, moment / about_rear]

    start = [speed, speed * np.tan(STEER) / WHEELBASE]
    found = solve_ivp(rates, (0, LATER), start, "DOP853", rtol=1e-12, atol=1e-12)
    return float(found.y[0, -1]), float(found.y[1, -1])


def drive(car: Model, until: float, start: dict[str, float]) -> Result:
    """Return the drive on a circle, braked in the end."""
    inputs = {
        "steer.angle": STEER,
        "drive.force": lambda t: DRIVE if t < BRAKES else 0.0,
        "brake.force": lambda t: 0.0 if t < BRAKES else BRAKE,
    }
    return simulate(
        car.equations(),
        until,
        start={"chassis.speed": START, **start},
        parameters={"friction.limit": GRIP, "steering": 2},
        inputs=inputs,
        breaks=[BRAKES] if until > BRAKES else [],
        rtol=1e-10,
        atol=1e-12,
        samples=round(100 * until) + 1,
    )


def run() -> Record:
    """Drive until it stands, and the same without sliding."""
    begins, speed = begins_by_hand()
    turning = {"chassis.yaw_rate": START * np.tan(STEER) / WHEELBASE}
    slides, rolls = drive(model(), DURATION, turning), drive(vehicle.model(), DURATION, {})
    later = drive(model(), begins + LATER, turning)
    works = [slides.final(f"{name}.work") for name in ("drive", "brake", "front", "rear")]
    gained = slides.final("energy.kinetic") - slides["energy.kinetic"][0]
    ratios = [slides[f"{axle}.friction_ratio"].max() for axle in ("front", "rear")]
    numbers = {
        "front axle slides from (s)": next(
            t for t, name in slides.events if name == "front.friction.slides"
        ),
        "speed 0.4 s later (m/s)": later.final("chassis.speed"),
        "yaw rate 0.4 s later (rad/s)": later.final("chassis.yaw_rate"),
        "largest friction ratio": float(max(ratios)),
        "energy that is not accounted for (J)": gained - sum(works),
        "speed at the end (m/s)": slides.final("chassis.speed"),
    }
    by_hand = [begins, *slides_by_hand(speed), GRIP, 0.0, 0.0]
    return Record(numbers, dict(zip(numbers, by_hand, strict=True)), slides, rolls)


NEAR = 8.0
"""Time at which the vehicle is drawn large, s: the drive ends, and the brake begins."""
SHOWN = 0.7
"""How long a way before that is drawn, s."""
FRONT, REAR, IDEAL = "#c4501b", "#1f5fa8", "#999999"


def _draw_paths(axes: Axes, record: Record) -> None:
    slides, rolls = record.slides, record.rolls
    axes.plot(rolls["chassis.x"], rolls["chassis.y"], ":", color=IDEAL, label="ideal rolling")
    away = slides["front.sliding"] > 0.5
    for where, color, label in (
        (~away, "black", "rolls"),
        (away, FRONT, "front axle slides"),
    ):
        x, y = (np.where(where, slides[f"chassis.{axis}"], np.nan) for axis in "xy")
        axes.plot(x, y, color=color, linewidth=1.5, label=label)
    for time in np.arange(0, DURATION, 1.0):
        _draw_vehicle(axes, slides, time)
    _draw_near(axes.inset_axes((0.1, 0.24, 0.34, 0.34)), slides, NEAR)
    axes.set_aspect("equal")
    plain(axes, "x (m)", "y (m)")
    head(axes, "From above, every second", 3)


def _draw_vehicle(axes: Axes, slides: Result, time: float) -> np.ndarray:
    """Draw the vehicle at a time, s; return the middle of its front axle, m."""
    at = np.searchsorted(slides.time, time)
    yaw = slides["chassis.yaw"][at]
    centre = np.array([slides["chassis.x"][at], slides["chassis.y"][at]])
    forward = np.array([np.cos(yaw), np.sin(yaw)])
    rear = centre - TO_MASS_CENTRE * forward
    draw_vehicle(axes, rear, yaw, STEER, WHEELBASE, "#204a87")
    return rear + WHEELBASE * forward


def _draw_near(axes: Axes, slides: Result, time: float) -> None:
    """Draw the vehicle large, with the slip velocity of its front axle, to scale by itself."""
    front = _draw_vehicle(axes, slides, time)
    at = np.searchsorted(slides.time, time)
    across = slides["chassis.yaw"][at] + STEER + np.pi / 2
    slip = slides["front.slip_velocity"][at] * np.array([np.cos(across), np.sin(across)])
    axes.annotate(
        "", front + 2 * slip, front, arrowprops={"arrowstyle": "->", "color": FRONT, "lw": 2}
    )
    axes.set(xlim=front[0] + np.array([-2, 4]), ylim=front[1] + np.array([-2.2, 3.8]))
    axes.set(xticks=[], yticks=[], aspect="equal")
    axes.set_title(f"{time:g} s: slip velocity\nof the front axle", fontsize=9)


def draw(record: Record, folder: Path) -> None:
    """Draw the paths, friction ratios, slip velocities and works."""
    figure = Figure(figsize=(13, 7.5), layout="constrained")
    grid = figure.add_gridspec(3, 2, width_ratios=(1, 1.2))
    slides, rolls = record.slides, record.rolls
    _draw_paths(figure.add_subplot(grid[:, 0]), record)
    ratios, slips, works = (figure.add_subplot(grid[i, 1]) for i in range(3))
    ratios.plot(rolls.time, rolls["front.friction_ratio"], ":", color=IDEAL, label="ideal, front")
    for axle, color in (("front", FRONT), ("rear", REAR)):
        ratios.plot(slides.time, slides[f"{axle}.friction_ratio"], color=color, label=axle)
        slips.plot(slides.time, slides[f"{axle}.slip_velocity"], color=color, label=axle)
    ratios.set_ylim(0, 1)
    plain(ratios, "", "")
    head(ratios, f"Lateral force over axle load; the road gives {GRIP:g}", 3)
    plain(slips, "", "m/s")
    head(slips, "Lateral slip velocity: exactly zero while an axle rolls", 2)
    for name, color in (("drive", "#4e9a06"), ("brake", "#5c3566"), ("front", FRONT)):
        works.plot(slides.time, slides[f"{name}.work"] / 1000, color=color, label=name)
    works.plot(slides.time, slides["energy.kinetic"] / 1000, "k--", label="kinetic energy")
    plain(works, "time (s)", "kJ")
    head(works, "Works of drive, brake and front axle's friction", 4)
    save(figure, folder, "sliding_vehicle")


def show_slide(slides: Result, folder: Path) -> None:
    """Write the picture of the vehicle that slides at `NEAR`, and of the way there."""
    car = vehicle.model(slides=True)
    show_slips(car)
    equations, row = car.equations(), int(np.searchsorted(slides.time, NEAR - SHOWN))
    start = {state.name: float(slides[state.name][row]) for state in equations.states}
    seen = simulate(
        equations,
        SHOWN,
        start=start | {"chassis.x": 0.0, "chassis.y": 0.0},  # a small scene
        parameters={"friction.limit": GRIP, "steering": 2},
        inputs={"steer.angle": STEER, "drive.force": DRIVE},
        backend="python",
    )
    title = f"At {NEAR:g} s its front slips outwards (green), held by forces (red)"
    view = (float(np.degrees(start["chassis.yaw"])) - 80.0, 62.0)
    show(seen, folder, "sliding_vehicle", title, times=(0.0, SHOWN), view=view)


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    show_slide(record.slides, folder)
    print_comparison(
        "A vehicle on a circle, beyond the friction of the road",
        [(name, ours, record.expected[name]) for name, ours in record.numbers.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
