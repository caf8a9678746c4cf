"""A racecar with Ackermann's steering: a turn in which no wheel slips, and parallel steering.

A car of a URDF file, wheelbase L and track b, drives at a constant speed of its rear wheels with
its front wheels steered by servos. All wheels roll; their axles meet in one point, at the distance
R to the left of the middle of the rear axle, where

    tan δ_l = L/(R - b/2),   tan δ_r = L/(R + b/2),                            (Ackermann 1818)

so that the side slip of the fourth wheel vanishes, though nothing holds it. With both front wheels
at the angle δ of the middle, tan δ = L/R, the left one rolls and says where the car turns, about a
point at the distance R' = L/tan δ + b/2; then the right one slides with

    s = ψ̇ (L cos δ - (R' + b/2) sin δ).

Loads are shared by four equal stiffnesses; the difference of both sides carries the overturning
moment m h v²/R of the car's inertia force, and that of the wheels' spin I ψ̇ Σ γ̇.

Run: python examples/robots/ackermann.py [--figures DIR]
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore import JointLaws, ModelWarning, Result, Robot, Rolling, from_urdf, simulate
from mbcore.examples.common import figures_folder, plain, print_comparison, save, show

WHEELBASE, TRACK, RADIUS, TURN = 0.325, 0.2, 0.05, 0.8
MASS, HEIGHT, WHEEL_MASS = 3.0, 0.06, 0.1
SPIN_INERTIA = 1.2e-4
SPEED = 1.0
"""Of the middle of the rear axle, m/s."""
SIDES = {"left": 1, "right": -1}
STEER = {side: np.arctan2(WHEELBASE, TURN - sign * TRACK / 2) for side, sign in SIDES.items()}
MIDDLE = np.arctan2(WHEELBASE, TURN)
WHEEL = (
    f'<inertial><mass value="{WHEEL_MASS}"/>'
    f'<inertia ixx="7e-5" iyy="{SPIN_INERTIA}" izz="7e-5"/></inertial>'
    '<visual><origin rpy="1.5707963267948966 0 0"/>'
    f'<geometry><cylinder radius="{RADIUS}" length="0.045"/></geometry></visual>'
)


def text() -> str:
    """Return the car's URDF."""
    parts = [
        '<robot name="racecar"><link name="chassis"><inertial>'
        f'<origin xyz="{WHEELBASE / 2} 0 {HEIGHT - RADIUS}"/><mass value="{MASS}"/>'
        '<inertia ixx="0.01" iyy="0.03" izz="0.035"/></inertial>'
        f'<visual><origin xyz="{WHEELBASE / 2} 0 0.01"/>'
        '<geometry><box size="0.4 0.1 0.05"/></geometry></visual></link>'
    ]
    for side, sign in SIDES.items():
        y = sign * TRACK / 2
        parts.append(
            f'<link name="rear_{side}">{WHEEL}</link><link name="front_{side}">{WHEEL}</link>'
            f'<link name="knuckle_{side}"/><joint name="drive_{side}" type="continuous">'
            f'<parent link="chassis"/><child link="rear_{side}"/><origin xyz="0 {y} 0"/>'
            f'<axis xyz="0 1 0"/></joint><joint name="steer_{side}" type="continuous">'
            f'<parent link="chassis"/><child link="knuckle_{side}"/>'
            f'<origin xyz="{WHEELBASE} {y} 0"/><axis xyz="0 0 1"/></joint>'
            f'<joint name="roll_{side}" type="continuous"><parent link="knuckle_{side}"/>'
            f'<child link="front_{side}"/><axis xyz="0 1 0"/></joint>'
        )
    return "".join([*parts, "</robot>"])


def model(steer: dict[str, float]) -> Robot:
    """Return the car with its front wheels at angles, rad, and a servo on its left rear wheel."""
    rolling = {f"{end}_{side}": Rolling(RADIUS) for end in ("rear", "front") for side in SIDES}
    laws = JointLaws(torques=False, speeds=("steer_left", "steer_right", "drive_left"))
    with tempfile.TemporaryDirectory(prefix="mbcore_") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # which side slips are left free
        file = Path(folder) / "racecar.urdf"
        file.write_text(text())
        start = {f"steer_{side}": angle for side, angle in steer.items()}
        car = from_urdf(file, rolling=rolling, support="compliant", start=start, joints=laws)
    car.output("slip", car.wheels["front_right"].sideways.velocity, unit="m/s")
    return car


def turn(steer: dict[str, float], radius: float) -> Result:
    """Drive a whole turn about a point at a distance from the middle of the rear axle, m."""
    rate = SPEED / radius
    wheel = rate * (radius - TRACK / 2) / RADIUS
    return simulate(
        model(steer).equations(), 2 * np.pi / rate, inputs={"drive_left.speed": wheel},
        samples=201, rtol=1e-11, atol=1e-12,
    )  # fmt: skip


def main() -> None:
    """Drive with both steerings, compare and draw."""
    folder = figures_folder(__doc__)
    show(model(STEER), folder, "ackermann", "Racecar with steered front wheels")
    wide = WHEELBASE / np.tan(MIDDLE) + TRACK / 2
    good, parallel = turn(STEER, TURN), turn(dict.fromkeys(SIDES, MIDDLE), wide)
    rate, other = SPEED / TURN, SPEED / wide
    # Of a front wheel, the part of its spin along the car's axle: as of the rear one beside it.
    spins = 2 * sum(rate * (TURN - sign * TRACK / 2) / RADIUS for sign in SIDES.values())
    moment = (MASS * HEIGHT + 4 * WHEEL_MASS * RADIUS) * rate**2 * TURN
    moment += SPIN_INERTIA * rate * spins
    loads = {
        side: sum(good[f"{end}_{side}.load"][-1] for end in ("rear", "front")) for side in SIDES
    }
    rows = [
        ("Ackermann: yaw rate (rad/s)", good["base.yaw_rate"][-1], rate),
        ("Ackermann: end of a turn, from its start (m)",
         float(np.hypot(good.final("base.x"), good.final("base.y"))), 0.0),
        ("Ackermann: slip of the fourth wheel (m/s)", float(np.abs(good["slip"]).max()), 0.0),
        ("Ackermann: right less left load, times b/2 (N m)",
         (loads["right"] - loads["left"]) * TRACK / 2, moment),
        ("parallel: yaw rate (rad/s)", parallel["base.yaw_rate"][-1], other),
        ("parallel: slip of the fourth wheel (m/s)", parallel["slip"][-1],
         other * (WHEELBASE * np.cos(MIDDLE) - (wide + TRACK / 2) * np.sin(MIDDLE))),
    ]  # fmt: skip
    print_comparison("Racecar with Ackermann's steering", rows)
    figure = Figure(figsize=(6.5, 5), layout="constrained")
    axes = figure.subplots()
    for run, label in ((good, "Ackermann"), (parallel, "parallel, the right wheel slides")):
        axes.plot(run["base.x"], run["base.y"], label=label)
    axes.set_aspect("equal")
    axes.legend(loc="center")
    axes.set_title("Middle of the rear axle: parallel steering turns wider", loc="left")
    plain(axes, "x (m)", "y (m)")
    save(figure, folder, "ackermann_paths")


if __name__ == "__main__":
    main()
