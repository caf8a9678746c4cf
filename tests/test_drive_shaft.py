"""The drive shaft of [Schwab2002] 4.4.4 against its text and what was derived by hand."""

from __future__ import annotations

import numpy as np
import pytest

from examples import drive_shaft
from mbcore.evaluation.evaluation import Evaluation


def test_frequencies_without_misalignment() -> None:
    """765.713 rad/s exactly, 768.735 with two Hermite elements; torsion with I_o 542.4."""
    assert pytest.approx(765.713, abs=5e-4) == drive_shaft.BENDING_FREQUENCY
    bending, torsion = drive_shaft.frequencies(rotary_inertia=False)
    assert bending == pytest.approx(768.735, abs=5e-4)
    assert torsion == pytest.approx(542.4, rel=1e-3)


def test_rigid_shaft_turns_as_spherical_trigonometry_says() -> None:
    """(4.21); and the output turns with the input."""
    equations = drive_shaft.mechanism().equations()
    speed, alpha = 300.0, np.pi / 6
    point = Evaluation(equations, parameters={"input.speed": speed})
    point.start()
    names = [output.name for output in equations.outputs]
    for angle in np.linspace(0, 2 * np.pi, 25):
        point.t[0] = angle / speed
        point.configure()
        point.accept()
        found = dict(zip(names, point.output(), strict=True))
        uneven = np.cos(alpha) / (1 - np.sin(alpha) ** 2 * np.sin(angle) ** 2) * speed
        assert found["shaft.speed"] == pytest.approx(uneven, rel=1e-12)
        assert found["output.lag"] == pytest.approx(0, abs=1e-12)
