"""Built FMUs of vehicles that refuse what their tyres were not measured for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mbcore import ROAD_CAR_TYRE
from mbcore.fmi import export
from mbcore.fmus import car, iltis
from tests.conftest import DISCARD, FURTHER, OK, Archive, Instance, Tools

END, STEP = 0.02, 0.01
"""Largest slip angle of the file to either side, rad; communication step, s."""
SAID = (
    "front_(?:left|right)(?: wheel)?: slip angle of the tyre: outside the range of the tyre's "
    rf"property file, -{END} to {END} rad; .* \(it is (-?\d\S*) at t = "
)
TURNED = {"car": ("steering_wheel.angle", 1.0), "iltis": ("rack.displacement", 0.01)}
"""Inputs that steer more than that."""


@FURTHER
@pytest.mark.heavy
@pytest.mark.parametrize("name", ["car", "iltis"])
def test_a_step_beyond_a_range_is_discarded_by_name(
    name: str, tmp_path: Path, tools: Tools
) -> None:
    """It names wheel, argument and range; nothing has changed, and other inputs go on.

    The FMUs of a road vehicle take fifteen seconds to build. That both refuse is tested on their
    equations, and FMUs with a wheel in `tests/elements/tyres/test_refused_limits.py`.
    """
    file = tmp_path / "narrow.tir"
    narrow = re.sub(r"(ALP(?:MIN|MAX)\s*=\s*-?)\S+", rf"\g<1>{END}", ROAD_CAR_TYRE.read_text())
    file.write_text(narrow)
    component = {"car": car, "iltis": iltis}[name].component(file, "refuse")
    steered, most = TURNED[name]
    for path in export(component, tmp_path, tools=tools):
        with Instance(Archive.of(path)) as fmu:
            fmu.initialize()
            assert fmu.step(STEP) == OK, fmu.said
            assert fmu.set({steered: most}) == OK
            for _ in range(100):
                before, angle = fmu.bytes(), fmu.get("front_left.slip_angle")
                if fmu.step(STEP) != OK:
                    break
            assert fmu.messages[-1].status == DISCARD
            found = re.search(SAID, fmu.said)
            assert found and abs(float(found[1])) >= END, fmu.said
            assert END / 2 < abs(angle) < END
            assert fmu.bytes() == before
            assert fmu.step(STEP) == DISCARD and fmu.bytes() == before
            if name == "car":  # the rack of the iltis still moves on behind its filter
                assert fmu.set({steered: 0.0}) == OK
                assert fmu.step(STEP / 10) == OK, fmu.said
