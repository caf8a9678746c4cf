"""The carpets of a tyre: numbers by hand from its property file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbcore.examples.cars import tyre_carpet

CARPET = {  # by hand, from coefficients of the shipped file at 4000 N, df = 4000/4200 - 1
    "cornering stiffness (N/rad)": (75827.627, 0.1),
    "slip stiffness (N)": (85179.147, 0.02),
    "greatest side force (N)": (4136.0, 1e-6),  # (1.02 + 0.008 - 0.126 df) 4000
    "greatest longitudinal force (N)": (4456.190476, 1e-6),  # (1.11 - 0.085 df) 4000
    "stiffest at the load (N)": (7350.0, 2.0),  # 1.75 times 4200, for PKY4 = 2
}


@pytest.mark.heavy
def test_carpet_has_the_stiffnesses_and_peaks_of_its_file() -> None:
    record = tyre_carpet.run()
    assert set(record.numbers) == set(CARPET)
    for key, (expected, accuracy) in CARPET.items():
        assert record.numbers[key] == pytest.approx(expected, abs=accuracy), key


@pytest.mark.heavy
def test_carpet_is_drawn(tmp_path: Path) -> None:
    tyre_carpet.draw(tyre_carpet.run(), tmp_path)
    (picture,) = tmp_path.glob("*.png")
    assert picture.stat().st_size > 10_000


def test_the_hand_formulas_of_the_carpet_are_those_of_the_file() -> None:
    df = 4000 / 4200 - 1
    stiffness = 21.5 * 4200 * np.sin(2 * np.arctan(4000 / (1.75 * 4200)))
    assert stiffness == pytest.approx(CARPET["cornering stiffness (N/rad)"][0], abs=1e-3)
    slip_stiffness = 4000 * (21.5 - 0.4 * df) * np.exp(0.22 * df)
    assert slip_stiffness == pytest.approx(CARPET["slip stiffness (N)"][0], abs=1e-3)
