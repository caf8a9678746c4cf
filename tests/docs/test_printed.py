"""Each difference that an example prints beside a reference is one that its page may state.

The stored runs are read, which are those of the examples as they are. A difference is at most half
a unit of the last printed digit of the reference and 1e-4 of it; a reference of eight digits or
more permits 1e-8 of it in any case, and zero permits 1e-8. `FARTHER` has the others, with the
reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

import pytest

from docs.site import gallery
from docs.site.gallery_stored import STORED

HEAD = ["ours", "reference", "difference", "relative"]
NUMBER = r"[-+.\de ]"
ROW = re.compile(
    rf"(?P<name>.{{44,}}){NUMBER}{{16}}(?P<reference>{NUMBER}{{16}})"
    rf"(?P<difference>{NUMBER}{{12}}){NUMBER}{{12}}"
)
CLOSED_FORM = 1e-8
FEW_DIGITS = 1e-4


class Farther(NamedTuple):
    """How far an example may be from its references, and why."""

    relative: float
    absolute: float
    """Where the reference is zero."""
    why: str


ORDER = "an order of convergence, from two steps"
BY_HAND = "a model by hand that leaves out what the example shows"
PRINTED = "the digits of a publication that another program calculated"
CHAOTIC = "means of chaotic motions"
FARTHER = {
    "bicycle_stability_map": Farther(1e-7, 0, "read from a map"),
    "bouncing_ball": Farther(1e-7, 0, "the last bounces are below the settling time"),
    "car_handling": Farther(0.15, 0, BY_HAND),
    "car_lane_change": Farther(0.03, 0, "terms of higher order in the slip"),
    "car_parking": Farther(0.01, 0, BY_HAND),
    "car_sine_with_dwell": Farther(0.15, 0, BY_HAND),
    "caster_shimmy_damper": Farther(0.02, 0, "a damper beside a sampled one"),
    "clearance_coupled": Farther(0.06, 0, ORDER),
    "drive_shaft": Farther(0.2, 0, "the full equations beside the linear ones"),
    "eulers_disk": Farther(0.005, 0, "a power law that holds in the limit"),
    "excited_pendulum": Farther(0.005, 0, "three printed digits"),
    "excited_pendulum_branches": Farther(1e-7, 0, "eight printed digits"),
    "fmu_adjoints": Farther(0.15, 1e-3, "an estimate from noisy measurements"),
    "fmu_kalman_filter": Farther(0.05, 1e-3, "means of 400 runs"),
    "fmu_mpc": Farther(0, 2e-4, "a prediction by one linearization an interval"),
    "fmu_ssp": Farther(0.6, 0, "inputs that are held over 10 ms"),
    "iltis": Farther(0.006, 0, PRINTED),
    "iltis_anti_roll": Farther(0.06, 1e-4, BY_HAND),
    "iltis_handling": Farther(0.006, 0, BY_HAND),
    "iltis_lane_change": Farther(0.01, 0.01, BY_HAND),
    "iltis_modes": Farther(0.005, 0, PRINTED),
    "iltis_road": Farther(0.3, 0.005, "the linear vehicle on a road that is not small"),
    "iltis_yaw_control": Farther(0.002, 0, BY_HAND),
    "journal_bearing": Farther(1e-4, 0, PRINTED),
    "kinematic_shimmy": Farther(0.002, 0, "one printed digit of four"),
    "motor_driven": Farther(0.06, 0, "the full equations beside quasi-static ones"),
    "rattling_ensemble": Farther(0.05, 2, CHAOTIC),
    "rattling_statistics": Farther(0.05, 0, CHAOTIC),
    "regularization": Farther(0.005, 0, ORDER),
    "rolling_disk_slipping": Farther(0.002, 1e-4, "the limit of a motion that still decays"),
    "rotor": Farther(0.002, 0, PRINTED),
    "shimmy_basin": Farther(0, 1e-5, "motions that still approach the cycle"),
    "shimmy_limit_cycle": Farther(0.005, 1e-3, "motions that still approach the cycle"),
    "shimmy_threshold": Farther(0.1, 0.03, "the first harmonic alone, and a decay that goes on"),
    "slider_crank_bearing": Farther(0.005, 0, "superposed beside full equations"),
    "slider_crank_clearance": Farther(0.5, 0, CHAOTIC),
    "slider_crank_flexible": Farther(0.15, 0, "one element and chaotic motions"),
    "slider_crank_impact": Farther(0.06, 0, CHAOTIC),
    "slider_crank_periodic": Farther(0.03, 0, PRINTED),
    "statics_benchmarks": Farther(0.04, 0.005, "few elements, and orders of convergence"),
    "towing": Farther(0.03, 0, ORDER),
    "tyre_carpet": Farther(2e-4, 0, "differences of a curve"),
    "wavy_road": Farther(0.001, 0, ORDER),
}


def comparisons(printed: str) -> Iterator[tuple[str, str, float]]:
    """Yield name, reference and difference of each row of the tables of comparison."""
    inside = False
    for line in printed.splitlines():
        if line.split() == HEAD:
            inside = True
        elif inside and (found := ROW.fullmatch(line)):
            yield found["name"].strip(), found["reference"].strip(), float(found["difference"])
        else:
            inside = False


def allowed(reference: str) -> float:
    """Return the largest difference that the digits of a reference permit."""
    number = Decimal(reference)
    size, digits = abs(float(number)), len(number.as_tuple().digits)
    if not number:
        return CLOSED_FORM
    half = 0.51 * 10.0 ** int(number.as_tuple().exponent)
    return max(half, CLOSED_FORM * size) if digits >= 8 else min(half, FEW_DIGITS * size)


STORED_RUNS = [name for name in gallery.names() if (STORED / name / "record.json").is_file()]


@pytest.mark.parametrize("name", STORED_RUNS)
def test_printed_differences_are_within_what_the_references_permit(name: str) -> None:
    printed = json.loads((STORED / name / "record.json").read_text("utf-8"))["printed"]
    farther = FARTHER.get(name, Farther(0, 0, ""))
    wrong, needed = [], not farther.why
    for row, reference, difference in comparisons(printed):
        size = abs(float(reference))
        if abs(difference) > allowed(reference):
            needed = True
            if abs(difference) > (farther.relative * size if size else farther.absolute):
                wrong.append((row, reference, difference))
    assert not wrong
    assert needed, "no row is farther than its digits permit; leave the entry out"


def test_many_comparisons_are_read() -> None:
    rows = [
        row
        for name in STORED_RUNS
        for row in comparisons(json.loads((STORED / name / "record.json").read_text())["printed"])
    ]
    assert len(rows) > 850
