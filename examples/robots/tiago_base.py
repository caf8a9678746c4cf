"""TIAGo's base with four casters: arcs, a turn in place and a reversal in which they turn over.

Sizes and inertias are those of the base of PAL Robotics' TIAGo in the package example-robot-data,
``tiago_description/robots/tiago.urdf``, without its cover, torso and arm. That file holds the
casters fixed; here they swivel and roll, as on the robot: a fork of the trail l on a vertical
swivel, and a wheel in it. All six wheels roll without slip. Servos turn the driven wheels, each
section from rest to rest with a constant ratio of both rates, so that the base moves on arcs,

    ψ = (r_r - r_l)/b,   chord (r_l + r_r)/2 sinc(ψ/2) at the heading ψ_0 + ψ/2,

with the lengths r_l, r_r that the wheels roll and the track b. On the last, straight section the
swivel angles φ, zero where a caster trails, follow from their values φ_0 before it by

    tan φ/2 = tan φ_0/2 exp(-x/l),

so that driving backwards, x < 0, turns them over. The wheels share the
weight by equal stiffnesses, and the work of the drives is the change of the kinetic energy.

Run: python examples/robots/tiago_base.py [--figures DIR]
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore import Caster, JointLaws, ModelWarning, Robot, Rolling, from_urdf, simulate
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show

RADIUS, TRACK = 0.0985, 0.4044
CASTER_RADIUS, TRAIL = 0.025, 0.016
BASE, WHEEL, FORK, SMALL = 28.26649, 1.82362, 0.101, 0.03677
"""Masses of the base, a driven wheel, a caster's fork and its wheel, kg."""
PLACES = {
    "front_left": (0.1695, 0.102),
    "front_right": (0.1695, -0.102),
    "back_left": (-0.1735, 0.102),
    "back_right": (-0.1735, -0.102),
}
"""Of the casters' swivels, m."""
SECTIONS = ((1.2, 1.2), (1.0, 1.6), (-0.3, 0.3), (1.4, 0.7), (-1.0, -1.0))
"""Lengths that the left and the right wheel roll, m; the last section is straight."""
DURATION = 3.0
"""Of a section, s."""


def _link(name: str, mass: float, inertia: tuple[float, ...], rest: str = "") -> str:
    sizes = " ".join(f'i{a}="{v}"' for a, v in zip(("xx", "yy", "zz"), inertia, strict=True))
    return (
        f'<link name="{name}"><inertial><mass value="{mass}"/><inertia {sizes}/></inertial>'
        f"{rest}</link>"
    )


def _joint(name: str, parent: str, child: str, place: tuple[float, ...], axis: str) -> str:
    origin = " ".join(map(str, place))
    return (
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{origin}"/><axis xyz="{axis}"/></joint>'
    )


def _disc(radius: float, width: float) -> str:
    return (
        '<visual><origin rpy="1.5707963267948966 0 0"/><geometry>'
        f'<cylinder radius="{radius}" length="{width}"/></geometry></visual>'
    )


def text() -> str:
    """Return the base's URDF."""
    body = '<visual><origin xyz="0 0 0.06"/><geometry><cylinder radius="0.27" length="0.16"/>'
    parts = [
        '<robot name="tiago_base">',
        _link("base", BASE, (0.4654, 0.4832, 0.5509), body + "</geometry></visual>"),
    ]
    for side, sign in (("left", 1), ("right", -1)):
        name = f"wheel_{side}"
        parts += [
            _link(name, WHEEL, (0.0049974, 0.0083924, 0.0049974), _disc(RADIUS, 0.04)),
            _joint(f"{name}_joint", "base", name, (0, sign * TRACK / 2, 0), "0 1 0"),
        ]
    for place, (x, y) in PLACES.items():
        fork, wheel = f"fork_{place}", f"caster_{place}"
        parts += [
            _link(fork, FORK, (2.779e-5, 2.767e-5, 1.728e-5)),
            _link(wheel, SMALL, (7.552e-6, 1.282e-5, 7.552e-6), _disc(CASTER_RADIUS, 0.02)),
            _joint(f"swivel_{place}", "base", fork, (x, y, -0.0335), "0 0 1"),
            _joint(f"roll_{place}", fork, wheel, (-TRAIL, 0, -0.04), "0 1 0"),
        ]
    return "".join([*parts, "</robot>"])


def model() -> Robot:
    """Return the base, driven by speeds, with the work of its drives and its kinetic energy."""
    rolling: dict[str, Rolling | Caster] = {
        f"wheel_{side}": Rolling(RADIUS) for side in ("left", "right")
    }
    rolling |= {f"caster_{place}": Caster(CASTER_RADIUS) for place in PLACES}
    drives = ("wheel_left_joint", "wheel_right_joint")
    with tempfile.TemporaryDirectory(prefix="mbcore_") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # which side slip carries the axle's force
        file = Path(folder) / "tiago_base.urdf"
        file.write_text(text())
        laws = JointLaws(speeds=drives, torques=False)
        base = from_urdf(file, rolling=rolling, support="compliant", joints=laws)
    base.output("energy", base.kinetic_energy, unit="J")
    return base


@dataclass(frozen=True)
class Run:
    """A motion through all sections: columns by name, and values where sections begin and end."""

    columns: dict[str, np.ndarray]
    ends: list[dict[str, float]]


def drive(base: Robot) -> Run:
    """Drive all sections, from rest to rest."""
    equations = base.equations()
    states = [record.name for record in equations.states]
    names = ["time", *states, *(record.name for record in equations.outputs)]
    state = {f"swivel_{place}.angle": 0.2 * i for i, place in enumerate(PLACES)}
    rows, ends = [], []
    for number, lengths in enumerate(SECTIONS):
        inputs: dict[str, Callable[[float], float]] = {}
        for side, length in zip(("left", "right"), lengths, strict=True):
            inputs[f"wheel_{side}_joint.speed"] = _speed(length / RADIUS / DURATION)
            inputs[f"wheel_{side}_joint.acceleration"] = _rate(length / RADIUS / DURATION)
        run = simulate(
            equations, DURATION, start=state, inputs=inputs, samples=121, rtol=1e-11, atol=1e-12
        )
        state = {name: run.final(name) for name in states}
        part = [run.time if name == "time" else run[name] for name in names]
        rows.append(np.column_stack([part[0] + number * DURATION, *part[1:]]))
        ends.append(state)
    table = np.concatenate(rows)
    return Run(dict(zip(names, table.T, strict=True)), ends)


def _speed(mean: float) -> Callable[[float], float]:
    return lambda time: float(mean * (1 - np.cos(2 * np.pi * time / DURATION)))


def _rate(mean: float) -> Callable[[float], float]:
    turning = 2 * np.pi / DURATION
    return lambda time: float(mean * turning * np.sin(turning * time))


def pose_by_arcs() -> np.ndarray:
    """Return x, y, m, and the heading, rad, after all sections."""
    place, yaw = np.zeros(2), 0.0
    for left, right in SECTIONS:
        turn = (right - left) / TRACK
        chord = (left + right) / 2 * np.sinc(turn / 2 / np.pi)
        place += chord * np.array([np.cos(yaw + turn / 2), np.sin(yaw + turn / 2)])
        yaw += turn
    return np.array([*place, yaw])


def work(run: Run) -> np.ndarray:
    """Return the work of both drives up to each row, J, by Simpson's rule within sections."""
    found, torques = [], {}
    for side in ("left", "right"):
        torques[side] = run.columns[f"wheel_{side}_joint.drive_torque"].reshape(len(SECTIONS), -1)
    time = np.linspace(0, DURATION, torques["left"].shape[1])
    step = time[1]
    for number, lengths in enumerate(SECTIONS):
        power = np.zeros_like(time)
        for side, length in zip(torques, lengths, strict=True):
            speed = _speed(length / RADIUS / DURATION)
            power += torques[side][number] * np.array([speed(t) for t in time])
        parts = (power[:-2:2] + 4 * power[1:-1:2] + power[2::2]) * step / 3
        found.append(np.append(0.0, np.cumsum(parts)))
    return np.array(found)


def compare(run: Run) -> list[tuple[str, float, float]]:
    """Return the pose, the casters' angles, the loads and the work, and what they should be."""
    end, before = run.ends[-1], run.ends[-2]
    rows = [
        (f"end of all sections, {name}", end[f"base.{key}"], float(value))
        for (key, name), value in zip(
            (("x", "x (m)"), ("y", "y (m)"), ("yaw", "heading (rad)")), pose_by_arcs(), strict=True
        )
    ]
    time = np.linspace(0, DURATION, len(run.columns["time"]) // len(SECTIONS))
    share = time / DURATION - np.sin(2 * np.pi * time / DURATION) / 2 / np.pi
    for place in PLACES:
        name = f"swivel_{place}.angle"
        angle = run.columns[name][-len(time) :]
        expected = np.tan(before[name] / 2) * np.exp(-SECTIONS[-1][0] * share / TRAIL)
        # compared as directions, so that whole turns do not count
        apart = np.exp(1j * angle) - np.exp(2j * np.arctan(expected))
        label = f"{place.replace('_', ' ')} caster turns over, error (rad)"
        rows.append((label, float(np.abs(apart).max()), 0.0))
    weight = 9.81 * (BASE + 2 * WHEEL + 4 * (FORK + SMALL))
    links = ("wheel_left", "wheel_right", *(f"caster_{place}" for place in PLACES))
    loads = sum(run.columns[f"{link}.load"] for link in links)
    rows.append(("weight less all loads, largest (N)", float(np.abs(loads - weight).max()), 0.0))
    done, count = work(run), len(run.columns["time"]) // len(SECTIONS)
    energy = run.columns["energy"].reshape(len(SECTIONS), count)[:, ::2]
    rows.append(("largest kinetic energy (J)", float(energy.max()), float(done.max())))
    return rows


def draw(run: Run, folder: Path) -> None:
    """Draw the way, the casters' angles and their loads."""
    columns = run.columns
    figure = Figure(figsize=(10, 5), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.5))
    left.plot(columns["base.x"], columns["base.y"])
    left.plot(0, 0, "ko", markersize=4, label="start")
    left.plot(columns["base.x"][-1], columns["base.y"][-1], "o", color="C3", label="end")
    left.set_aspect("equal")
    head(left, "Way of the base", 2)
    plain(left, "x (m)", "y (m)")
    for place in PLACES:
        angle = np.degrees(columns[f"swivel_{place}.angle"])
        right.plot(columns["time"], angle, label=place.replace("_", " "))
    for time in range(1, len(SECTIONS)):
        right.axvline(time * DURATION, color="0.8", linewidth=0.8)
    right.margins(x=0)
    head(right, "Swivel angles of the casters", 4)
    plain(right, "t (s)", "angle (deg)")
    save(figure, folder, "tiago_base_casters")


def main() -> None:
    """Drive, compare and draw."""
    folder = figures_folder(__doc__)
    base = model()
    show(base, folder, "tiago_base", "TIAGo's base on two wheels and four casters")
    run = drive(base)
    print_comparison("TIAGo's base", compare(run))
    draw(run, folder)


if __name__ == "__main__":
    main()
