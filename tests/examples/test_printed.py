"""Each comparison that a stored example prints is within the accuracy that it claims.

Stored texts are those of the sources of today, which `tests/docs/test_pictures.py` holds, so this
needs no run. The claims stand here once more, by what the reference is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from docs.site import gallery_examples
from docs.site.gallery_stored import STORED

ROW = re.compile(
    r"^(.{44,}?)\s*(-?\d[\d.e+-]*|nan|inf)\s+(-?\d[\d.e+-]*)\s+-?\d\.\de[+-]\d\d\s+(?:-?\d\S*|-)$"
)
"""A line of `examples.common.print_comparison`: name, ours, reference."""


@dataclass(frozen=True)
class Claim:
    """How near ours is to the reference.

    ``relative`` is a share of the reference, ``absolute`` counts where that is zero; ``other`` has
    shares of rows by a part of their names.
    """

    relative: float
    absolute: float = 1e-8
    other: dict[str, float] = field(default_factory=dict)


NONE = {
    "bicycle_lane_change",
    "car_limit",
    "car_split_friction",
    "vehicle_lane_change",
    "vehicle_on_ice",
}
"""Examples that print no comparison; tests of their own hold what they print."""
CLAIMS = {
    # closed forms, invariants, and other derivations of the same motion
    "ackermann": Claim(1e-9),
    "balancing_lqr": Claim(1e-8),
    "ball_on_turntable": Claim(1e-8),
    "bicycle": Claim(1e-8),
    "bicycle_stability_map": Claim(1e-7),
    "bicycle_stability_slider": Claim(0.0, 0.0),
    "bicycle_widest_range": Claim(1e-9, other={"force: trail": 1e-4, "force: tilt": 1e-4}),
    "belt_oscillator": Claim(1e-10, 1e-10),
    "bottema": Claim(1e-9),
    "bouncing_ball": Claim(1e-7),
    "cable_drum": Claim(1e-8),
    # limits that are far
    "eulers_disk": Claim(1e-8, other={"exponent": 3e-3, "by a moment": 1e-2, "the same:": 1e-2}),
    "excited_pendulum_branches": Claim(1e-7),
    "fmu_lqr": Claim(1e-8),
    "fmu_mpc": Claim(1e-7, 2e-4),  # an interval's prediction by a step of first order
    # three stated deviations of each estimate; derivatives at estimates beside those at true values
    "friction_from_decay": Claim(1e-9, other={"friction, est": 6e-3, "damping, est": 0.03,
                                              "noise": 0.01, "deviation": 5e-3,
                                              "correlation": 1e-3}),
    # three stated deviations; derivatives at estimates beside those at true values
    "caster_drop_test": Claim(1e-8, other={"estimated": 0.08, "deviation": 0.015}),
    # three stated deviations; SciPy's derivatives are differences of first order
    "foreign_damping": Claim(1e-5, other={"estimated": 0.01, "deviation": 1e-3}),
    "tyre_from_manoeuvre": Claim(1e-5, other={"estimated": 0.034}),  # three stated deviations
    "joint_friction": Claim(1e-8),
    "massless_knot": Claim(1e-9, other={"snaps": 1e-6}),
    "mecanum_square": Claim(1e-9),
    "rattleback": Claim(1e-6),
    "reversing_train": Claim(1e-9, other={"3 m off": 1e-6}),  # after a time
    # the work by Simpson's rule; casters turn over between steps
    "tiago_base": Claim(1e-9, other={"kinetic energy": 1e-6, "turns over": 1e-7}),
    "umbmark": Claim(1e-9, other={"E_d": 5e-4, "E_b": 3e-3}),  # estimates of the first order
    "rolling_disk_stability": Claim(1e-8),
    "schiehlen_eismann": Claim(1e-6),
    "shimmy_basin": Claim(0.0, 1e-4),
    "shimmy_play": Claim(1e-8, other={"to first harmonic": 0.02, "small motion": 1e-3}),
    "shimmy_threshold": Claim(1e-8, other={"first harmonic": 0.1, "pushed less": 0.05}),
    "sliding_disk": Claim(1e-8),
    "sliding_vehicle": Claim(1e-8),
    "step_dwell": Claim(1e-6),
    "sticking_clearance": Claim(1e-9, 0.0),
    "swivel_wheel": Claim(1e-8),
    "wobbling_clutch": Claim(1e-6, 1e-10),
    "wavy_road": Claim(1e-6, other={"order of": 1e-3}),
    # digits as printed in the texts
    "cardan_joint": Claim(1e-6),
    "hertz_sphere": Claim(5e-6),
    "planimeter": Claim(2e-7),
    "rolling_disk": Claim(2e-6),
    "excited_pendulum": Claim(5e-3),
    "iltis": Claim(5e-3),
    "iltis_modes": Claim(5e-3),
    "journal_bearing": Claim(2e-5),
    "kinematic_shimmy": Claim(1e-3),
    "rolling_disk_slipping": Claim(1e-3, 1e-4),
    "rotor": Claim(2e-3),
    "slider_crank_bearing": Claim(5e-3),
    "slider_crank_periodic": Claim(0.025),
    # orders of convergence and approximations whose error is the subject
    "caster_shimmy_damper": Claim(1e-4, other={"growth rate; linearize, swivel.damping": 0.02,
                                               "frequency; linearize, swivel.damping": 1e-3}),
    "drive_shaft": Claim(2e-3, other={"max.": 0.15}),  # the text's motion is the linear one
    "fmu_ssp": Claim(1e-3, other={"y at the end, steps of 10 ms": 1.0, "error at 10 ms": 0.05}),
    "iltis_anti_roll": Claim(0.1, 1e-4),
    "towing": Claim(0.03, 1e-8),
    "clearance_coupled": Claim(0.02),
    "superposed_rolling": Claim(1e-8, 1e-9, other={"order": 1e-3}),
    "iltis_handling": Claim(5e-3),
    "iltis_lane_change": Claim(0.01, 0.01),
    "iltis_road": Claim(0.05, 5e-3, other={"C: ": 0.3}),  # wheels leave the road
    "iltis_yaw_control": Claim(2e-3),
    "car_handling": Claim(0.02, other={"step of 10°: response time": 0.15}),
    "car_lane_change": Claim(0.01),
    "car_parking": Claim(5e-3),
    "car_sine_with_dwell": Claim(0.15),
    "motor_driven": Claim(0.011, other={"uniform speed": 0.1, "led by the motor": 0.1}),
    "regularization": Claim(5e-3),
    "shimmy_limit_cycle": Claim(2e-3, 1e-3),
    "tyre_carpet": Claim(1e-6, other={"stiffest": 1e-4}),
    "statics_benchmarks": Claim(  # few elements, errors of second order
        0.011, 5e-3, other={"order of convergence": 0.05, "follower": 0.03}
    ),
    # estimates from noise, and chaotic motions: medians of single ones are up to 10 % apart
    "fmu_adjoints": Claim(0.15, 1e-3),
    "fmu_kalman_filter": Claim(0.05, 0.05),
    "rattling_ensemble": Claim(0.05, other={"mean of F_x in standard errors": 3.0}),
    # both are means of chaotic motions; three standard deviations of their difference are 5 %
    "rattling_statistics": Claim(0.02, other={"contacts per turn": 0.05}),
    "slider_crank_clearance": Claim(0.2, other={"acceleration: 10 %": 0.5}),
    "slider_crank_flexible": Claim(0.12),
    "slider_crank_impact": Claim(0.1),
}  # fmt: skip


def rows(name: str) -> Iterator[tuple[str, float, float]]:
    """Give what a stored example compares: name, ours, reference."""
    record = json.loads((STORED / name / "record.json").read_text(encoding="utf-8"))
    for line in record["printed"].splitlines():
        if found := ROW.match(line):
            yield found[1].strip(), float(found[2]), float(found[3])


def test_each_stored_example_has_a_claim() -> None:
    stored = {path.parent.name for path in STORED.glob("*/record.json")}
    assert stored == CLAIMS.keys() | NONE
    assert stored <= set(gallery_examples.names())
    assert not any(list(rows(name)) for name in NONE)


def test_no_stored_example_warned() -> None:
    """Of warnings a reader who repeats a run would ask what is wrong."""
    records = {
        path.parent.name: json.loads(path.read_text("utf-8"))
        for path in STORED.glob("*/record.json")
    }
    assert not {name: record["warned"] for name, record in records.items() if record.get("warned")}


@pytest.mark.parametrize("name", CLAIMS)
def test_printed_comparisons_are_as_near_as_claimed(name: str) -> None:
    claim, compared = CLAIMS[name], list(rows(name))
    assert compared
    for row, ours, reference in compared:
        share = next((s for k, s in claim.other.items() if k in row), claim.relative)
        given = share if any(k in row for k in claim.other) else claim.absolute
        allowed = share * abs(reference) if reference else given
        assert abs(ours - reference) <= allowed, (row, ours, reference)
