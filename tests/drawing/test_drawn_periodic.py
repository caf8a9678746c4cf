"""Pictures and films of periodic solutions and of steady motions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mbcore import ModelError, steady_motion
from mbcore.contact.impact import Impact
from mbcore.fmus import rolling_disk
from mbcore.vibration import PeriodicOptions, PeriodicSolution, nominal_motion, periodic_solution
from tests.conftest import equations_of
from tests.contact.test_impact import ball
from tests.oscillators import NATURAL, excited_pendulum

RATIO = 0.6


@pytest.fixture(scope="module")
def swinging() -> PeriodicSolution:
    period = 2 * np.pi / (RATIO * NATURAL)
    return periodic_solution(
        excited_pendulum(RATIO).equations(), period, options=PeriodicOptions(rtol=1e-8, atol=1e-9)
    )


def test_an_excited_pendulum_is_where_its_equations_say(swinging: PeriodicSolution) -> None:
    """The pivot moves by [Schwab2002] (4.17), and the bob hangs 1 m from it."""
    assert swinging.motion is not None
    time = np.linspace(0, swinging.period, 173)
    t, s, _, _, _, x = swinging.motion.arguments(time)
    names = swinging.motion.solved().coordinate_names
    angle, turned = swinging["angle"](time), RATIO * NATURAL * time
    bob = [x[names.index(f"bob.{axis}")] for axis in "xy"]
    assert t[0] == pytest.approx(time)
    assert s[1] == pytest.approx(angle, abs=1e-6)
    assert bob[0] == pytest.approx(0.25 * np.sin(turned) + np.sin(angle), abs=1e-6)
    assert bob[1] == pytest.approx(-0.75 * np.cos(turned) - np.cos(angle), abs=1e-6)


def test_a_film_goes_on_for_ever(swinging: PeriodicSolution, tmp_path: Path) -> None:
    """Its last frame is a step before its first one; a page goes on from its end itself."""
    film = swinging.animate(tmp_path / "swinging.gif", fps=3, progress=False)
    with Image.open(film) as picture:
        assert picture.n_frames == round(3 * swinging.period)
    page = swinging.animate(tmp_path / "swinging.html").read_text("utf-8")
    assert "excited_pendulum" in page
    shown = swinging.play()
    assert shown.times[0] == 0
    assert shown.times[-1] == swinging.period
    assert shown.frames[-1] == pytest.approx(shown.frames[0], abs=1e-6)


def test_a_picture_tells_its_time(swinging: PeriodicSolution) -> None:
    texts = [text.get_text() for text in swinging.draw("1 s").axes[0].texts]
    assert any("t = 1 s" in text for text in texts)
    with pytest.raises(ModelError, match=r"t = 9 s is outside of the motion, which is from 0 s"):
        swinging.draw(9)


def test_modes_of_contacts_are_those_of_each_part() -> None:
    """A ball that loses nothing bounces by itself; it is thrown up once in its period."""
    fall = np.sqrt(2 * 0.2 / 9.81)
    found = periodic_solution(ball(Impact(1.0), 0.2).equations(), 1.9 * fall, autonomous=True)
    assert found.motion is not None
    time = np.linspace(0, found.period, 50)
    height = found.motion.arguments(time)[1][1]
    assert height.min() > -1e-9
    assert height == pytest.approx(found["height"](time), abs=1e-6)


def test_linear_equations_have_no_configurations() -> None:
    equations = excited_pendulum(RATIO).equations()
    nominal = nominal_motion(equations, 2 * np.pi / (RATIO * NATURAL), samples=32)
    with pytest.raises(ModelError, match=r"cannot be drawn; find it with the full equations"):
        nominal.periodic(4).draw()


def test_a_disk_leans_in_its_steady_motion() -> None:
    found = steady_motion(
        equations_of(rolling_disk.model),
        {"disk.lean": 0.3, "disk.yaw_rate": -0.7},
        guess={"disk.pitch_rate": 1.5},
    )
    assert found.motion is not None
    names = found.motion.solved().coordinate_names
    centre = found.motion.configuration[0, names.index("centre.z")]
    assert centre == pytest.approx(np.cos(0.3), rel=1e-9)  # radius 1 m
    assert found.draw(names=True).axes
