"""Ten public robots: model, picture and both FMUs of each, run for a second, with processor times.

    unzip 'pybullet-*.whl' 'example_robot_data-*.whl'      wheels that pip download brings
    python -m benchmarks.robots.named pybullet_data cmeel.prefix/share/example-robot-data/robots
    python -m benchmarks.robots.named --only husky ...

FMPy runs each FMU in Co-Simulation, driven by a constant in each input; the table says how far the
states are from those of `simulate`, in parts of the largest. A broken file is refused first, which
the table says, and read again with the remedy: values in place of macros, joints that turn where
the file holds wheels fixed.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import fmpy
import numpy as np
from fmpy.fmi1 import FMICallException

from mbcore import (
    Caster,
    JointLaws,
    Mecanum,
    ModelError,
    ModelWarning,
    Robot,
    Rolling,
    from_urdf,
    simulate,
)
from mbcore.equations.equations import Equations
from mbcore.fmi import export

LIMIT = 60.0
"""Goal of all together, s of the processor."""
INPUT = 0.1
"""Of each joint, N m or N."""
MOST = 1e6
"""Evaluations of a call: at this tolerance the first steps of TIAGo's fingers take 20,000."""
Said = Rolling | Caster | Mecanum


@dataclass(frozen=True)
class Named:
    """A robot's file, what rolls, and what of its text is put right."""

    file: str
    rolling: Mapping[str, Said]
    remedies: Mapping[str, str] = field(default_factory=dict)
    start: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 1.0
    """How long its FMUs run, s."""


def _four(pattern: str, radius: float) -> dict[str, Said]:
    return {
        pattern.format(end=end, side=side): Rolling(radius)
        for end in ("front", "rear")
        for side in ("left", "right")
    }


TIAGO: dict[str, Said] = {f"wheel_{side}_link": Rolling(0.0985) for side in ("left", "right")} | {
    f"caster_{end}_{side}_1_link": Caster(0.025, 0.016)
    for end in ("front", "back")
    for side in ("left", "right")
}
SWIVELLING: dict[str, Said] = {
    link.replace("_1_", "_2_"): Caster(0.025) if isinstance(said, Caster) else said
    for link, said in TIAGO.items()
}
"""The same, of a file whose casters swivel."""
CORNERS = ("fl", "fr", "bl", "br")
STEERED = dict(zip(CORNERS, (0.3, -0.2, -0.1, 0.2), strict=True))
"""Angles at the start, rad: wheels that are aligned have slips that depend on each other."""
SWERVE = {
    f'"{joint}" type="fixed"': f'"{joint}" type="continuous"'
    for corner in CORNERS
    for joint in (f"{corner}_caster_rotation_joint", f"{corner}_caster_l_wheel_joint")
}
ROBOTS = {
    "husky": Named(
        "husky/husky.urdf",
        _four("{end}_{side}_wheel_link", 0.165),
        {
            "$(optenv HUSKY_IMU_XYZ 0.19 0 0.149)": "0.19 0 0.149",
            "$(optenv HUSKY_IMU_RPY 0 -1.5708 3.1416)": "0 -1.5708 3.1416",
        },
    ),
    "racecar": Named("racecar/racecar.urdf", _four("{side}_{end}_wheel", 0.05)),
    "racecar_differential": Named(
        "racecar/racecar_differential.urdf", _four("{side}_{end}_wheel", 0.05), {"0.07,": "0.07"}
    ),
    "r2d2": Named(
        "r2d2.urdf",
        {f"{s}_{end}_wheel": Rolling() for s in ("left", "right") for end in ("front", "back")},
    ),
    "bicycle": Named(
        "bicycle/bike.urdf",
        {"frontWheelLink": Rolling(0.3), "backWheelLink": Rolling(0.3)},
        {"0.07, 0, -0.69": "0.07 0 -0.69", "-0.69, 0, -0.42": "-0.69 0 -0.42"},
    ),
    "tiago": Named("tiago_description/robots/tiago.urdf", TIAGO),
    "tiago_no_hand": Named("tiago_description/robots/tiago_no_hand.urdf", TIAGO),
    "tiago_dual": Named("tiago_description/robots/tiago_dual.urdf", SWIVELLING),
    "tiago_pro": Named(
        "tiago_pro_description/robots/tiago_pro.urdf",
        {
            f"wheel_{end}_{side}_link": Mecanum(0.0762, f"{45 * sense} deg")
            for end, side, sense in (
                ("front", "left", -1),
                ("front", "right", 1),
                ("rear", "left", 1),
                ("rear", "right", -1),
            )
        },
    ),
    "pr2": Named(
        "pr2_description/urdf/pr2.urdf",
        {f"{corner}_caster_l_wheel_link": Rolling(0.074792) for corner in CORNERS},
        SWERVE,
        {f"{c}_caster_rotation_joint": a for c, a in STEERED.items()},
        0.5,  # its free swivels come to a singular position at 0.8 s
    ),
}


def read(name: str, roots: list[Path], folder: Path) -> tuple[Robot, str]:
    """Return the robot with its meshes, and how its file was refused at first."""
    named = ROBOTS[name]
    file = next(root / named.file for root in roots if (root / named.file).is_file())
    laws = JointLaws(limits="none")
    meshes = [folder for root in roots for folder in (root.resolve(), root.resolve().parent)]
    refused = ""
    try:
        robot = from_urdf(file, rolling=named.rolling, joints=laws)
    except ModelError as error:
        refused, text = str(error), file.read_text()
        for wrong, right in named.remedies.items():
            text = text.replace(wrong, right)
        mended = folder / f"{name}.urdf"
        mended.write_text(text)
        robot = from_urdf(mended, rolling=named.rolling, joints=laws, start=named.start)
    robot.show_meshes(meshes)
    robot.name = name  # of the FMU
    return robot, refused


def processor_seconds() -> float:
    """Return the time of this process and its children."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def apart(equations: Equations, files: list[Path], seconds: float) -> float:
    """Return the largest difference of a state at the end, FMUs against `simulate`."""
    names = [record.name for record in equations.states]
    inputs = dict.fromkeys((record.name for record in equations.inputs), INPUT)
    run = simulate(
        equations, seconds, inputs=inputs, samples=2, rtol=1e-10, atol=1e-12, backend="c"
    )
    ours = np.array([run.final(name) for name in names])
    found = []
    for file in files:
        rows = fmpy.simulate_fmu(
            str(file), stop_time=seconds, output_interval=0.01, fmi_type="CoSimulation",
            relative_tolerance=1e-10, output=names,
            start_values=inputs | {"solver.most_evaluations": MOST},
        )  # fmt: skip
        found.append(np.abs(np.array([rows[name][-1] for name in names]) - ours).max())
    return float(max(found) / max(np.abs(ours).max(), 1.0))


def main() -> int:
    """Do all, and print a row for each; the status says whether all are within the goal."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--only", default=",".join(ROBOTS))
    parser.add_argument("--pictures", type=Path, help="folder that keeps the pictures")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ModelWarning)
    bad = 0
    print("robot                 states  shapes  model s  picture s  FMUs s  all s (wall)  apart")
    for name in options.only.split(","):
        with tempfile.TemporaryDirectory(prefix="mbcore_") as place:
            folder, wall = Path(place), time.perf_counter()
            times = [processor_seconds()]
            try:
                robot, refused = read(name, options.roots, folder)
                equations = robot.equations()
                times.append(processor_seconds())
                robot.draw().savefig((options.pictures or folder) / f"{name}.png")
                times.append(processor_seconds())
                files = export(equations, folder, ("2.0", "3.0"))
                times.append(processor_seconds())
                off = apart(equations, files, ROBOTS[name].seconds)
            except (ModelError, RuntimeError, StopIteration, FMICallException) as error:
                print(f"{name}: {error!r}", flush=True)
                bad += 1
                continue
        model, picture, fmus = np.diff(times)
        whole = times[-1] - times[0]
        bad += whole > LIMIT
        print(
            f"{name:20} {len(equations.states):7} {len(robot.shapes):7} {model:8.1f} "
            f"{picture:10.1f} {fmus:7.1f} {whole:6.1f} "
            f"({time.perf_counter() - wall:.0f}) {off:.1e}",
            flush=True,
        )
        if refused:
            print(f"    refused at first: {refused}")
    return int(bad > 0)


if __name__ == "__main__":
    raise SystemExit(main())
