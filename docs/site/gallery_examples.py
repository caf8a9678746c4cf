"""The examples of the gallery, by subject, and what each imports from the others."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SHORT = frozenset(
    {
        "ackermann",
        "balancing_lqr",
        "ball_on_turntable",
        "belt_oscillator",
        "bicycle_lane_change",
        "bicycle_widest_range",
        "cable_drum",
        "cardan_joint",
        "caster_drop_test",
        "eulers_disk",
        "foreign_damping",
        "friction_from_decay",
        "hertz_sphere",
        "joint_friction",
        "mecanum_square",
        "planimeter",
        "reversing_train",
        "rolling_disk",
        "rolling_disk_stability",
        "shimmy_play",
        "shimmy_threshold",
        "sliding_disk",
        "sliding_vehicle",
        "sticking_clearance",
        "swivel_wheel",
        "tiago_base",
        "tyre_carpet",
        "tyre_from_manoeuvre",
        "umbmark",
        "wobbling_clutch",
    }
)
"""Examples that take a few seconds, so that a build of the site may run them."""


class Group(NamedTuple):
    """Examples of one subject, in the order of the gallery."""

    folder: str
    """In ``examples/``; what only these examples share stands there, too."""
    title: str
    examples: tuple[str, ...]


GROUPS = (
    Group(
        "rolling",
        "Rolling without slip",
        (
            "rolling_disk",
            "rolling_disk_stability",
            "rolling_disk_slipping",
            "superposed_rolling",
            "sliding_disk",
            "eulers_disk",
            "planimeter",
            "schiehlen_eismann",
            "bottema",
            "ball_on_turntable",
            "rattleback",
            "wavy_road",
            "cable_drum",
            "regularization",
        ),
    ),
    Group(
        "bicycles",
        "Bicycles, casters and their shimmy",
        (
            "bicycle",
            "bicycle_stability_map",
            "bicycle_stability_slider",
            "bicycle_widest_range",
            "bicycle_lane_change",
            "swivel_wheel",
            "shimmy_threshold",
            "shimmy_play",
            "kinematic_shimmy",
            "shimmy_limit_cycle",
            "shimmy_basin",
            "caster_shimmy_damper",
        ),
    ),
    Group(
        "robots",
        "Mobile robots",
        (
            "ackermann",
            "umbmark",
            "tiago_base",
            "mecanum_square",
            "reversing_train",
            "balancing_lqr",
        ),
    ),
    Group(
        "contact",
        "Contacts, clearances and impacts",
        (
            "bouncing_ball",
            "hertz_sphere",
            "slider_crank_clearance",
            "sticking_clearance",
            "wobbling_clutch",
            "clearance_coupled",
            "slider_crank_impact",
            "slider_crank_bearing",
            "rattling_statistics",
            "rattling_ensemble",
            "joint_friction",
            "journal_bearing",
        ),
    ),
    Group(
        "mechanisms",
        "Mechanisms and flexible bodies",
        (
            "cardan_joint",
            "step_dwell",
            "massless_knot",
            "slider_crank_flexible",
            "statics_benchmarks",
        ),
    ),
    Group(
        "vibration",
        "Small vibrations and periodic motions",
        (
            "excited_pendulum",
            "excited_pendulum_branches",
            "belt_oscillator",
            "slider_crank_periodic",
            "rotor",
            "drive_shaft",
            "motor_driven",
        ),
    ),
    Group(
        "vehicles",
        "Road vehicles",
        (
            "vehicle_lane_change",
            "vehicle_on_ice",
            "sliding_vehicle",
            "iltis",
            "iltis_modes",
            "iltis_handling",
            "iltis_road",
        ),
    ),
    Group(
        "cars",
        "Cars on tyres from property files",
        (
            "tyre_carpet",
            "car_handling",
            "car_lane_change",
            "car_sine_with_dwell",
            "car_parking",
            "car_split_friction",
            "car_limit",
        ),
    ),
    Group(
        "identification",
        "Parameters from measurements",
        ("friction_from_decay", "caster_drop_test", "tyre_from_manoeuvre", "foreign_damping"),
    ),
    Group(
        "controllers",
        "Controllers with FMUs",
        (
            "fmu_lqr",
            "fmu_kalman_filter",
            "fmu_mpc",
            "fmu_adjoints",
            "fmu_ssp",
            "towing",
            "iltis_lane_change",
            "iltis_anti_roll",
            "iltis_yaw_control",
        ),
    ),
)
"""The examples by subject; every example is in one group."""


def names() -> list[str]:
    """Return the names of the examples: the files that can be run."""
    return sorted(name for name, file in _files().items() if "main" in _functions(file))


def source(name: str) -> Path:
    """Return the file of an example, or of what examples share; no two have the same name."""
    return _files()[name]


def helpers(name: str) -> list[str]:
    """Return the names of the files in ``examples/`` that an example imports, also indirectly."""
    found: list[str] = []
    waiting = [name]
    while waiting:
        for other in _imported(source(waiting.pop())):
            if other not in found and other != name:
                found.append(other)
                waiting.append(other)
    return sorted(found)


@cache
def syntax(file: Path) -> ast.Module:
    """Return what a file says, as Python reads it."""
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


def _files() -> dict[str, Path]:
    """Return the files in ``examples/`` by their names."""
    return {file.stem: file for file in EXAMPLES.rglob("[!_]*.py")}


def _functions(file: Path) -> set[str]:
    return {node.name for node in syntax(file).body if isinstance(node, ast.FunctionDef)}


def _imported(file: Path) -> list[str]:
    """Return the names of the files in ``examples/`` that a file imports."""
    files = _files()
    return [name for name in _names_from_examples(file) if name in files]


@cache
def _names_from_examples(file: Path) -> list[str]:
    """Return the modules of ``examples/`` and the names that a file imports from there."""
    found = []
    for node in ast.walk(syntax(file)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mbcore.examples"):
            found += [str(node.module).rpartition(".")[2], *(alias.name for alias in node.names)]
    return found
