"""A cart with four casters over a kilometre of arcs, turns in place and reversals.

    python -m benchmarks.robots.odometry                  1 km
    python -m benchmarks.robots.odometry --kilometres 0.1

Both driven wheels turn at constant ratios within each section, from rest to rest, so that the exact
pose is that of arcs by the wheels' angles. What is printed is the difference.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
import warnings
from pathlib import Path

import casadi as ca
import numpy as np

from mbcore import Caster, Model, ModelWarning, Rolling, from_urdf, simulate

RADIUS, TRACK = 0.1, 0.4
TRAIL = 0.04
SECTION = 5.0
"""Path of the faster wheel in each section, m."""
DURATION = 10.0
"""Of a section, s."""
RATIOS = ((1, 0.7), (0.8, 1), (-1, -0.6), (1, -1), (1, 1), (-0.5, -1), (-1, 1), (1, 0.95))
"""Angles of both wheels in parts of the larger one, again and again."""
WHEEL = '<inertial><mass value="0.5"/><inertia ixx="0.001" iyy="0.002" izz="0.001"/></inertial>'


def text() -> str:
    """Return the cart's URDF."""
    parts = [
        '<robot name="cart"><link name="base"><inertial><origin xyz="0.02 0 0.1"/>'
        '<mass value="8"/><inertia ixx="0.1" iyy="0.15" izz="0.2"/></inertial></link>'
    ]
    for name, y in (("left", TRACK / 2), ("right", -TRACK / 2)):
        parts.append(
            f'<link name="{name}_wheel">{WHEEL}</link><joint name="{name}" type="continuous">'
            f'<parent link="base"/><child link="{name}_wheel"/><origin xyz="0 {y} 0"/>'
            '<axis xyz="0 1 0"/></joint>'
        )
    for i, (x, y) in enumerate(((0.3, 0.15), (0.3, -0.15), (-0.3, 0.15), (-0.3, -0.15))):
        parts.append(
            f'<link name="caster{i}"/><joint name="bolt{i}" type="fixed"><parent link="base"/>'
            f'<child link="caster{i}"/><origin xyz="{x} {y} 0"/></joint>'
        )
    return "".join([*parts, "</robot>"])


def cart() -> Model:
    """Return the cart, whose wheels turn by parameters of a section."""
    with tempfile.TemporaryDirectory(prefix="mbcore_") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        file = Path(folder) / "cart.urdf"
        file.write_text(text())
        rolling: dict[str, Rolling | Caster] = {
            "left_wheel": Rolling(RADIUS),
            "right_wheel": Rolling(RADIUS),
        }
        rolling |= {f"caster{i}": Caster(0.05, TRAIL, 0.3 * i) for i in range(4)}
        robot = from_urdf(file, rolling=rolling)
    share = robot.time / DURATION - ca.sin(2 * math.pi * robot.time / DURATION) / (2 * math.pi)
    for name in ("left", "right"):
        turn = robot.parameter(f"{name}.turn", 0.0, unit="rad")
        begin = robot.parameter(f"{name}.begin", 0.0, unit="rad")
        robot.joints[name].coordinate.release().prescribe(begin + turn * share)
    return robot


def drive(kilometres: float) -> tuple[float, int, np.ndarray]:
    """Return path, m, number of sections, and what the pose (x, y, yaw) is off at the end."""
    equations = cart().equations()
    names = [record.name for record in equations.states]
    state: dict[str, float] = {}
    pose, angles, length = np.zeros(3), np.zeros(2), 0.0
    section = 0
    while length < 1e3 * kilometres:
        turns = SECTION / RADIUS * np.array(RATIOS[section % len(RATIOS)])
        parameters = {
            "left.turn": turns[0],
            "right.turn": turns[1],
            "left.begin": angles[0],
            "right.begin": angles[1],
        }
        run = simulate(
            equations, until=DURATION, start=state, parameters=parameters, rtol=1e-12, atol=1e-12
        )
        state = {name: float(run.final(name)) for name in names}
        pose = arc(pose, *(RADIUS * turns))
        angles += turns
        length += RADIUS * abs(turns).mean()
        section += 1
    found = np.array([state[f"base.{name}"] for name in ("x", "y", "yaw")])
    return length, section, found - pose


def arc(pose: np.ndarray, left: float, right: float) -> np.ndarray:
    """Return the pose after both wheels have rolled these lengths in a constant ratio."""
    x, y, yaw = pose
    turn, path = (right - left) / TRACK, (left + right) / 2
    chord = path * np.sinc(turn / 2 / np.pi)
    middle = yaw + turn / 2
    return np.array([x + chord * np.cos(middle), y + chord * np.sin(middle), yaw + turn])


def main() -> None:
    """Drive, and print what the pose is off."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kilometres", type=float, default=1.0)
    options = parser.parse_args()
    start = time.process_time()
    length, sections, off = drive(options.kilometres)
    seconds = time.process_time() - start
    print(
        f"{length:.0f} m in {sections} sections, {seconds:.1f} s of the processor: "
        f"{np.hypot(*off[:2]):.2e} m, {abs(off[2]):.2e} rad (goal 1e-9 m)"
    )


if __name__ == "__main__":
    main()
