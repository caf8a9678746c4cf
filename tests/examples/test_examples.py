"""Every example runs and meets the published or independently derived numbers.

The numbers stand here once more, with their source, so that an example cannot move its own goal.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from docs.site import gallery_examples
from mbcore.examples.contact import rattling
from mbcore.examples.mechanisms import cardan_joint, statics_benchmarks, step_dwell, structures
from mbcore.examples.rolling import cable_drum
from mbcore.native import compiled
from tests.examples.expected import EXPECTED

SHARED = {
    "bicycle_figures",
    "bicycle_rider",
    "bottema_figures",
    "car_by_hand",
    "common",
    "cosimulation",
    "drive_picture",
    "drive_shaft_figures",
    "drive_shaft_half_turn",
    "drive_shaft_model",
    "fmu_lqr_figures",
    "fmu_mpc_planner",
    "iltis_anti_roll_figures",
    "iltis_by_hand",
    "iltis_driver",
    "iltis_figures",
    "iltis_handling_figures",
    "iltis_lane_change_figures",
    "iltis_modes_by_hand",
    "iltis_modes_figures",
    "iltis_published",
    "iltis_ramp",
    "iltis_road_figures",
    "iltis_road_profiles",
    "iltis_roll_design",
    "iltis_straight",
    "iltis_understeer",
    "impact_by_hand",
    "joint_picture",
    "lane_change_driver",
    "rattling",
    "rods",
    "rotor_figures",
    "rotor_whirls",
    "schiehlen_eismann_figures",
    "shimmy_figures",
    "slider_crank_periodic_figures",
    "structures",
    "swivel_picture",
    "vehicle_figures",
    "wavy_road_by_hand",
    "wavy_road_figures",
}
"""What examples share; no examples themselves."""
FEWER_POINTS = {"bottema": 9, "rolling_disk_stability": 11, "swivel_wheel": 11, "wavy_road": 3}
"""Points of curves that are only drawn; the numbers are sought at values of their own."""
CURVES_TO_LIMITS = ("FRAME_SINKINGS", "ARCH_SINKINGS")
"""Loads over these rise to a limit and fall: every second point tells it as closely as asserted."""
FEWER_STARTS = {"slider_crank_flexible": 1}
"""Chaotic motions, of five, whose medians are asserted no closer than those of one are."""
REFINEMENTS = statics_benchmarks.refinements
SLOW = {
    "belt_oscillator",
    "bottema",
    "cable_drum",
    "cardan_joint",
    "hertz_sphere",
    "rolling_disk",
    "rolling_disk_stability",
    "ball_on_turntable",
    "bicycle",
    "bouncing_ball",
    "planimeter",
    "regularization",
    "drive_shaft",
    "eulers_disk",
    "joint_friction",
    "journal_bearing",
    "kinematic_shimmy",
    "massless_knot",
    "rattleback",
    "rotor",
    "schiehlen_eismann",
    "shimmy_limit_cycle",
    "shimmy_threshold",
    "sliding_disk",
    "sliding_vehicle",
    "slider_crank_bearing",
    "slider_crank_clearance",
    "slider_crank_flexible",
    "slider_crank_impact",
    "statics_benchmarks",
    "step_dwell",
    "sticking_clearance",
    "swivel_wheel",
    "wavy_road",
}
"""Those that take more than half a second. Four to nine are for functions of a large model, its
linearizations or long motions; `statics_benchmarks` (31) makes thirty models and finds some hundred
equilibria, `slider_crank_flexible` (22) follows a rod that rings 8,000 times a second.
"""
IN_C = {
    "bicycle",
    "eulers_disk",
    "hertz_sphere",
    "joint_friction",
    "journal_bearing",
    "kinematic_shimmy",
    "rattleback",
    "rolling_disk_slipping",
    "schiehlen_eismann",
    "shimmy_limit_cycle",
    "shimmy_threshold",
    "slider_crank_bearing",
    "slider_crank_clearance",
    "slider_crank_flexible",
    "slider_crank_impact",
    "sliding_disk",
    "sliding_vehicle",
    "sticking_clearance",
    "wavy_road",
}
"""Those that take 3 to 49 s in Python and 1 to 7 compiled; they leave it to the library, which
evaluates."""


def example(name: str) -> ModuleType:
    """Return the module of an example."""
    file = gallery_examples.source(name).relative_to(gallery_examples.ROOT)
    return importlib.import_module(".".join(file.with_suffix("").parts))


def finer() -> dict[str, Any]:
    """Refinements of beams without their coarsest one, which is only drawn."""
    return {name: (*how[:3], how[3][1:]) for name, how in REFINEMENTS().items()}


@pytest.fixture(scope="module", autouse=True)
def fewer_structures() -> Iterator[None]:
    """Calculate every second point of curves, and make what is bent and drawn once."""
    with pytest.MonkeyPatch.context() as patch:
        for curve in CURVES_TO_LIMITS:
            patch.setattr(statics_benchmarks, curve, getattr(statics_benchmarks, curve)[::2])
        patch.setattr(structures, "cantilever", cache(structures.cantilever))
        yield


@cache
def run(name: str) -> Any:
    """Return the record of an example, made once for its numbers and what else is asserted."""
    points = {"points": FEWER_POINTS[name]} if name in FEWER_POINTS else {}
    with pytest.MonkeyPatch.context() as patch:
        if name in IN_C:
            patch.setenv(compiled.VARIABLE, "c")
        if name in FEWER_STARTS:
            patch.setattr(rattling, "STARTS", rattling.STARTS[: FEWER_STARTS[name]])
        patch.setattr(statics_benchmarks, "refinements", finer)
        return example(name).run(**points)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.heavy) if n in SLOW else n for n in EXPECTED],
)
def test_example_meets_its_numbers(name: str, tmp_path: Path) -> None:
    """An example runs once, at its own length; `SLOW` says what the longest ones need."""
    record = run(name)
    for key, (expected, accuracy) in EXPECTED[name].numbers.items():
        assert record.numbers[key] == pytest.approx(expected, abs=accuracy), key
    example(name).draw(record, tmp_path)
    pictures = list(tmp_path.glob("*.png"))
    assert pictures and all(picture.stat().st_size > 10_000 for picture in pictures)


@pytest.mark.heavy
def test_rolling_disk_keeps_its_constraints_throughout() -> None:
    record = run("rolling_disk")
    assert record.energy_drift < 1e-9
    assert record.largest_strain < 1e-10
    assert record.largest_slip < 1e-10


@pytest.mark.heavy
def test_cable_drum_meets_its_closed_form() -> None:
    record = run("cable_drum")
    for name, reference in cable_drum.REFERENCE.items():
        assert record.numbers[name] == pytest.approx(reference, abs=1e-9), name
    assert record.largest_difference < 1e-10
    assert record.motion["anchor force"] == pytest.approx(record.motion["tension"], abs=1e-9)


@pytest.mark.heavy
def test_step_dwell_mechanism_meets_its_closed_form() -> None:
    record = run("step_dwell")
    for name, reference in step_dwell.REFERENCE.items():
        tolerance = 6e-4 if "angle" in name else 1e-7
        assert record.numbers[name] == pytest.approx(reference, abs=tolerance), name
    assert record.largest_difference < 1e-12
    assert np.abs(record.motion["closure"]).max() < 1e-13


@pytest.mark.heavy
def test_cardan_joint_meets_its_closed_form() -> None:
    record = run("cardan_joint")
    for numbers in (record.numbers, record.numbers_of_two_hinges):
        for name, reference in cardan_joint.REFERENCE.items():
            tolerance = 6e-5 if "deg)" in name else 6e-8
            assert numbers[name] == pytest.approx(reference, abs=tolerance), name
    assert record.largest_difference < 1e-12


@pytest.mark.heavy
def test_rattleback_keeps_its_energy_over_the_reversal() -> None:
    """7 s where it is the first to run the example."""
    assert run("rattleback").energy_drift < 1e-9


@pytest.mark.heavy
def test_slipping_disk_tends_to_rolling_and_ends_in_circling() -> None:
    slipping, record = example("rolling_disk_slipping"), run("rolling_disk_slipping")
    for d, distance in {1e2: 0.0504, 1e3: 0.00498, 1e4: 0.000498}.items():
        assert record.distances[d] == pytest.approx(distance, rel=2e-3)
    for motion in record.motions.values():
        end = slipping.circling(motion)
        assert end["slip"] < 1e-3
        assert end["speed of the centre"] < 1e-3
        assert end["rate of circling"] == pytest.approx(end["closed form"], rel=1e-3)


def test_every_example_is_tested() -> None:
    text = "".join(p.read_text() for p in Path(__file__).parents[1].rglob("test_*.py"))
    for file in gallery_examples.EXAMPLES.rglob("*.py"):
        assert file.stem in SHARED or file.stem in EXPECTED or file.stem in text, file.name
