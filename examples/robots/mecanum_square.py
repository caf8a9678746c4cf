"""A base on mecanum wheels drives a square: once without turning, once while it turns.

The floor holds a mecanum wheel at (x_i, y_i) along the axis of the roller that touches, at 45° to
the driving direction, to the left (s_i = 1) or to the right (s_i = -1). So a base with the speeds v
ahead, w to the left and ψ̇ has wheels of radius r that turn at

    r γ̇_i = v + s_i w + (s_i x_i - y_i) ψ̇,

where |s_i x_i - y_i| is a, half the wheelbase and half the track, for all of them. Servos follow
these rates along a square of side L, from rest to rest on each side with

    s(t) = L (t/T - sin(2π t/T)/2π),

the second time with one whole turn on the way, at a constant yaw rate. The path is a square both
times. By virtual work the torques M_i that move the mass m and the wheels' spin inertia I obey

    Σ M_i/r = (m + 4 I/r²) v̇ - m w ψ̇,   Σ s_i M_i/r = (m + 4 I/r²) ẇ + m v ψ̇,
    Σ (s_i x_i - y_i) M_i/r = (J + 4 I a²/r²) ψ̈,

and of four torques for three freedoms the servos give the smallest. The force on wheel i along its
roller's axis is √2 (M_i - I γ̈_i)/r.

Run: python examples/robots/mecanum_square.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore import Result, simulate
from mbcore.equations.equations import Equations
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show
from mbcore.fmus.mecanum import model

SIDE, DURATION = 2.0, 2.0
"""L, m, and T, s."""
RADIUS, REACH, WHEEL_SPIN = 0.1, 0.4, 5e-3
"""r and a, m; I, kg.m2: the model's own."""
MASS = 30.0 + 4 * 1.0
NAMES = ("front_left", "front_right", "rear_left", "rear_right")
SENSE = np.array([-1.0, 1.0, 1.0, -1.0])
ARM = np.array([-REACH, REACH, -REACH, REACH])
"""s_i x_i - y_i, m."""
SHARES = np.array([np.ones(4), SENSE, ARM])
"""Of v, w and ψ̇ in r γ̇_i, shape (3, 4)."""
DIRECTIONS = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])


@dataclass(frozen=True)
class Plan:
    """The square with a yaw rate, rad/s."""

    turning: float

    def velocity(self, time: float) -> np.ndarray:
        """Return the velocity, the yaw rate and the rates of these, shape (2, 3), inertial axes."""
        side = int(min(time // DURATION, 3))
        phase = 2 * np.pi * (time / DURATION - side)
        speed = SIDE / DURATION * (1 - np.cos(phase))
        rate = 2 * np.pi * SIDE / DURATION**2 * np.sin(phase)
        return np.array([[*speed * DIRECTIONS[side], self.turning], [*rate * DIRECTIONS[side], 0]])

    def twist(self, time: float) -> np.ndarray:
        """Return v, w, ψ̇ on the base's axes, and their rates, shape (2, 3)."""
        (vx, vy, turning), (ax, ay, _) = self.velocity(time)
        cosine, sine = np.cos(turning * time), np.sin(turning * time)
        v, w = cosine * vx + sine * vy, cosine * vy - sine * vx
        rates = (cosine * ax + sine * ay + turning * w, cosine * ay - sine * ax - turning * v, 0)
        return np.array([[v, w, turning], rates])

    def torques(self, time: float) -> np.ndarray:
        """Return the smallest torques by virtual work, shape (4,), N.m."""
        (v, w, turning), (dv, dw, _) = self.twist(time)
        effective = MASS + 4 * WHEEL_SPIN / RADIUS**2
        needed = [effective * dv - MASS * w * turning, effective * dw + MASS * v * turning, 0]
        return RADIUS * np.linalg.lstsq(SHARES, np.array(needed), rcond=None)[0]


def drive(equations: Equations, plan: Plan) -> Result:
    """Drive the square by servos."""

    def rate(wheel: int, order: int) -> Callable[[float], float]:
        return lambda time: float(plan.twist(time)[order] @ SHARES[:, wheel] / RADIUS)

    inputs = {f"{name}.speed": rate(i, 0) for i, name in enumerate(NAMES)}
    inputs |= {f"{name}.acceleration": rate(i, 1) for i, name in enumerate(NAMES)}
    return simulate(
        equations, 4 * DURATION, start={"base.yaw_rate": plan.turning},
        parameters={"drive": "speed"}, inputs=inputs, samples=161, rtol=1e-11, atol=1e-12,
        breaks=[DURATION, 2 * DURATION, 3 * DURATION],
    )  # fmt: skip


def compare(run: Result, plan: Plan, name: str) -> list[tuple[str, float, float]]:
    """Return what the square is off, and the torques and forces by virtual work."""
    place = np.column_stack([run["base.x"], run["base.y"]])
    off = np.min(np.abs(np.column_stack([place, place - SIDE])), axis=1)
    wheels = np.column_stack([run[f"{wheel}.drive_torque"] for wheel in NAMES])
    # Rows on both sides of a corner have one time and, from rest to rest, one torque.
    expected = np.array([plan.torques(time) for time in run.time])
    spins = np.array([plan.twist(time)[1] @ SHARES / RADIUS for time in run.time])
    along = (expected - WHEEL_SPIN * spins) / RADIUS
    ahead = np.column_stack([run[f"{wheel}.force_x"] for wheel in NAMES])
    left = np.column_stack([run[f"{wheel}.force_y"] for wheel in NAMES])
    largest = np.unravel_index(np.argmax(np.abs(expected)), expected.shape)
    return [
        (f"{name}: end, from its start (m)", float(np.hypot(*place[-1])), 0.0),
        (f"{name}: farthest from the square (m)", float(off.max()), 0.0),
        (f"{name}: turned (rad)", run.final("base.yaw"), 4 * DURATION * plan.turning),
        (f"{name}: largest torque (N m)", float(wheels[largest]), float(expected[largest])),
        (f"{name}: torques, largest error (N m)", float(np.abs(wheels - expected).max()), 0.0),
        (f"{name}: roller forces, largest error (N)",
         float(np.hypot(ahead - along, left - SENSE * along).max()), 0.0),
    ]  # fmt: skip


def draw(runs: dict[str, Result], folder: Path) -> None:
    """Draw the path with the base's heading, and the rates of the wheels."""
    figure = Figure(figsize=(10, 7), layout="constrained")
    axes = figure.subplots(2, 2, width_ratios=(1, 1.5))
    for (path, rates), (name, run) in zip(axes, runs.items(), strict=True):
        path.plot(run["base.x"], run["base.y"], color="0.5")
        steps = np.hypot(np.diff(run["base.x"]), np.diff(run["base.y"]))
        path_length = np.append(0.0, np.cumsum(steps))
        some = np.searchsorted(path_length, np.arange(0.01, 4 * SIDE, SIDE / 4))
        path.quiver(
            run["base.x"][some], run["base.y"][some],
            np.cos(run["base.yaw"][some]), np.sin(run["base.yaw"][some]),
            angles="xy", scale=9, width=0.009, color="C3", zorder=3,
        )  # fmt: skip
        path.set_aspect("equal")
        path.margins(0.2)
        path.set_title(f"Path and heading, {name}", loc="left")
        plain(path, "x (m)", "y (m)")
        for i, wheel in enumerate(NAMES):
            style = "-" if i < 2 else "--"
            rates.plot(run.time, run[f"{wheel}.rate"], style, label=wheel.replace("_", " "))
        plain(rates, "t (s)", "rate (rad/s)")
        head(rates, "Rates of the wheels", 4)
    save(figure, folder, "mecanum_square_paths")


def main() -> None:
    """Drive both squares, compare and draw."""
    folder = figures_folder(__doc__)
    robot = model()
    show(robot, folder, "mecanum_square", "Base on four mecanum wheels")
    equations = robot.equations()
    plans = {"no turning": Plan(0.0), "turning": Plan(np.pi / 2 / DURATION)}
    runs = {name: drive(equations, plan) for name, plan in plans.items()}
    rows = [row for name, run in runs.items() for row in compare(run, plans[name], name)]
    print_comparison("Square on mecanum wheels", rows)
    draw(runs, folder)


if __name__ == "__main__":
    main()
