"""UMBmark, [Borenstein1996]: which errors of its sizes a robot shows on a square, both ways round.

J. Borenstein, L. Feng, Measurement and correction of systematic odometry errors in mobile robots,
IEEE Transactions on Robotics and Automation 12 (1996), 869-880. A robot with two driven wheels and
a caster, read from a URDF file, drives a square of L = 4 m by its odometry: straight ahead, a
quarter turn in place, four times, once to the left and once to the right. The odometry assumes the
radius r and the track b of both wheels; in truth the radii have the ratio E_d, and the track is
E_b b. So it believes that it is back, while it is at (x, y). From both ends the paper estimates

    β = (x_right - x_left)/(-4 L),   α = (x_right + x_left)/(-4 L),
    R = L/2 / sin(β/2),   E_d = (R + b/2)/(R - b/2),   E_b = 90/(90 - α),                  (UMBmark)

to the first order, with α in degrees in the last one. Both ends follow exactly from arcs, since
the wheels' speeds have constant ratios: a leg turns by θ = L (r_r - r_l)/(r E_b b).

Run: python examples/robots/umbmark.py [--figures DIR]
"""

from __future__ import annotations

import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore import Caster, JointLaws, ModelWarning, Robot, Rolling, from_urdf, simulate
from mbcore.equations.equations import Equations
from mbcore.examples.common import figures_folder, plain, print_comparison, save, show

SIDE, RADIUS, TRACK = 4.0, 0.1, 0.4
RATIO, WIDER = 1.004, 1.01
"""E_d, right radius over left, and E_b, true track over the assumed one."""
LEFT, RIGHT = (2 * RADIUS * share / (1 + RATIO) for share in (1, RATIO))
RATE = 5.0
"""Of the wheels, rad/s."""
WHEEL = (
    '<inertial><mass value="0.5"/><inertia ixx="0.001" iyy="0.002" izz="0.001"/></inertial>'
    '<visual><origin rpy="1.5707963267948966 0 0"/>'
    '<geometry><cylinder radius="{radius}" length="0.04"/></geometry></visual>'
)
ROBOT = """<robot name="umbmark">
  <link name="base"><inertial><origin xyz="-0.05 0 0.05"/><mass value="8"/>
    <inertia ixx="0.1" iyy="0.15" izz="0.2"/></inertial>
    <visual><origin xyz="-0.1 0 0.05"/><geometry><box size="0.4 0.3 0.15"/></geometry></visual>
  </link>
  <link name="left_wheel">{left}</link><link name="right_wheel">{right}</link><link name="caster"/>
  <joint name="left" type="continuous"><parent link="base"/><child link="left_wheel"/>
    <origin xyz="0 {half} 0"/><axis xyz="0 1 0"/></joint>
  <joint name="right" type="continuous"><parent link="base"/><child link="right_wheel"/>
    <origin xyz="0 -{half} 0"/><axis xyz="0 1 0"/></joint>
  <joint name="bolt" type="fixed"><parent link="base"/><child link="caster"/>
    <origin xyz="-0.25 0 0"/></joint>
</robot>"""


def model() -> Robot:
    """Return the robot with its true sizes, driven by speeds; its odometry assumes others."""
    left, right = (WHEEL.format(radius=radius) for radius in (LEFT, RIGHT))
    text = ROBOT.format(left=left, right=right, half=WIDER * TRACK / 2)
    rolling = {
        "left_wheel": Rolling(LEFT),
        "right_wheel": Rolling(RIGHT),
        "caster": Caster(radius=0.05, trail=0.04, width=0.02),
    }
    with tempfile.TemporaryDirectory(prefix="mbcore_") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # of the caster that is added, and of a gap
        file = Path(folder) / "umbmark.urdf"
        file.write_text(text)
        robot = from_urdf(file, rolling=rolling, joints=JointLaws(speeds=("left", "right")))
    robot.add_odometry()
    return robot


@dataclass(frozen=True)
class Drive:
    """A square: places of the base, and of its odometry, shape (n, 2), m; and where it ends."""

    path: np.ndarray
    believed: np.ndarray
    end: np.ndarray


def drive(equations: Equations, sense: int) -> Drive:
    """Drive the square to the left (1) or to the right (-1), leg by leg from rest to rest."""
    assumed = {
        "left_wheel.odometry_radius": RADIUS,
        "right_wheel.odometry_radius": RADIUS,
        "odometry.track_factor": 1 / WIDER,
    }
    state: dict[str, float] = {}
    rows = []
    straight, turn = SIDE / RADIUS, np.pi / 4 * TRACK / RADIUS
    for left, right in [(straight, straight), (-sense * turn, sense * turn)] * 4:
        duration = max(abs(left), abs(right)) / RATE
        speeds = {"left.speed": left / duration, "right.speed": right / duration}
        run = simulate(
            equations, duration, start=state, parameters=assumed, inputs=speeds,
            samples=41, rtol=1e-11, atol=1e-12,
        )  # fmt: skip
        state = {record.name: run.final(record.name) for record in equations.states}
        names = ("base.x", "base.y", "odometry.x", "odometry.y")
        rows.append(np.column_stack([run[name] for name in names]))
    places = np.concatenate(rows)
    return Drive(places[:, :2], places[:, 2:], places[-1, :2])


def exact_end(sense: int) -> np.ndarray:
    """Return the end by arcs: of straight legs with unequal radii, and of turns in place."""
    place, yaw, turn = np.zeros(2), 0.0, np.pi / 4 * TRACK / RADIUS
    for left, right in [(SIDE / RADIUS,) * 2, (-sense * turn, sense * turn)] * 4:
        rolled = np.array([LEFT * left, RIGHT * right])
        change = (rolled[1] - rolled[0]) / (WIDER * TRACK)
        chord = rolled.mean() * np.sinc(change / 2 / np.pi)
        place += chord * np.array([np.cos(yaw + change / 2), np.sin(yaw + change / 2)])
        yaw += change
    return place


def estimates(left: np.ndarray, right: np.ndarray) -> tuple[float, float]:
    """Return E_d and E_b by (UMBmark), from the ends to the left and to the right."""
    beta = (right[0] - left[0]) / (-4 * SIDE)
    alpha = np.degrees((right[0] + left[0]) / (-4 * SIDE))
    radius = SIDE / 2 / np.sin(beta / 2)
    return (radius + TRACK / 2) / (radius - TRACK / 2), 90 / (90 - alpha)


def draw(drives: dict[str, Drive], folder: Path) -> None:
    """Draw both paths, and where they end."""
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    for axes, (name, driven) in zip(figure.subplots(1, 2), drives.items(), strict=True):
        axes.plot(*driven.believed.T, color="0.6", linestyle="--", label="by its odometry")
        axes.plot(*driven.path.T, color="C0", label="in truth")
        axes.plot(0, 0, "ko", markersize=4, label="start")
        axes.plot(*driven.end, "o", color="C3", markersize=5, label="end")
        axes.set_aspect("equal")
        axes.legend(loc="center")
        axes.set_title(f"UMBmark to the {name}", loc="left")
        plain(axes, "x (m)", "y (m)")
    save(figure, folder, "umbmark_paths")


def main() -> None:
    """Drive both squares, compare and draw."""
    folder = figures_folder(__doc__)
    robot = model()
    show(robot, folder, "umbmark", "Robot whose wheels differ")
    equations = robot.equations()
    drives = {name: drive(equations, sense) for name, sense in (("left", 1), ("right", -1))}
    rows = []
    for name, sense in (("left", 1), ("right", -1)):
        exact = exact_end(sense)
        for axis, ours, reference in zip("xy", drives[name].end, exact, strict=True):
            rows.append((f"end of the square to the {name}, {axis} (m)", float(ours), reference))
    ratio, wider = estimates(drives["left"].end, drives["right"].end)
    rows += [("E_d, estimated (true)", ratio, RATIO), ("E_b, estimated (true)", wider, WIDER)]
    believed = max(float(np.hypot(*driven.believed[-1])) for driven in drives.values())
    rows.append(("end by its odometry (m)", believed, 0.0))
    print_comparison("UMBmark [Borenstein1996]", rows)
    draw(drives, folder)


if __name__ == "__main__":
    main()
