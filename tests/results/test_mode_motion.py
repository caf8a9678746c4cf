"""Modes as motions: what moves in them, how far, and that constraints hold on the way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mbcore import Body, Linearization, Model, ModelError, PlanarWheel, RigidLink, linearize
from mbcore.fmus import bicycle
from mbcore.results.mode_motion import ModeMotion
from tests.conftest import equations_of


def double_pendulum() -> Linearization:
    """Two masses of 1 kg on rods of 1 m under 10 m/s2, hanging."""
    model = Model("double", gravity=(0, -10))
    hook = model.point("hook", (0, 0), fixed=True)
    upper, lower = model.point("upper", (0, -1)), model.point("lower", (0, -2))
    for name, p, q in (("first", hook, upper), ("second", upper, lower)):
        turn = model.angle(f"{name} turn")
        turn.angle.dof(name, f"{name}_rate")
        model.add(RigidLink(name, p, turn, q))
    for name, place in (("one", upper), ("two", lower)):
        model.add(Body(name, place, mass=1))
    return linearize(model.equations())


def moving(linearization: Linearization, number: int, amplitude: float = 0.1) -> ModeMotion:
    return linearization._moving(number, amplitude)


def places(motion: ModeMotion, frames: np.ndarray, name: str) -> np.ndarray:
    """The last two places of a rod, shape (k, 2, 3)."""
    shapes = motion.scene.description["shapes"]
    first = next(s["first"] for s in shapes if s["name"] == name and s["kind"] == "tube")
    return frames[:, first : first + 6].reshape(-1, 2, 3)


def test_a_double_pendulum_swings_in_its_known_modes() -> None:
    about = double_pendulum()
    for number, mode in enumerate(about.modes()):
        motion = moving(about, number)
        frames = motion.frames(np.linspace(0, 2 * np.pi, 24, endpoint=False))
        ends = [places(motion, frames, name) for name in ("first", "second")]
        for rod in ends:  # also where displacements are large
            assert np.linalg.norm(rod[:, 1] - rod[:, 0], axis=1) == pytest.approx(1, abs=1e-9)
        # equal masses and lengths: the second angle is ± √2 times the first one, in or out of phase
        first, second = (np.arctan2(*(rod[:, 1] - rod[:, 0])[:, :2].T[[0, 1]]) for rod in ends)
        first, second = (np.arctan(np.tan(angle)) for angle in (first, second))
        sign = 1 if mode.frequency < 4 else -1
        assert second == pytest.approx(sign * np.sqrt(2) * first, abs=1e-9)


@pytest.mark.heavy
def test_wheels_stay_on_the_ground_where_the_configuration_is_iterated() -> None:
    about = linearize(equations_of(bicycle.model), {"bicycle.speed": 3.0, "bicycle.lean_rate": 0.0})
    motion = moving(about, 2, 0.05)
    frames = motion.frames(np.linspace(0, 2 * np.pi, 24))
    shapes = motion.scene.description["shapes"]
    discs = [s["first"] for s in shapes if s["kind"] == "disc"]
    for disc in discs:
        centre, axle, radius = (
            frames[:, disc + i : disc + j] for i, j in ((0, 3), (9, 12), (12, 13))
        )
        assert np.ptp(axle, axis=0).max() > 1e-3  # it leans and steers
        lowest = centre[:, 2:] - radius * np.sqrt(1 - axle[:, 2:] ** 2)
        assert lowest == pytest.approx(0, abs=1e-12)


def test_the_largest_displacement_is_the_part_of_the_scene_that_was_asked_for() -> None:
    motion = moving(double_pendulum(), 0, 0.05)
    frames = motion.frames(np.linspace(0, 2 * np.pi, 200))
    there, here = (places(motion, f, "second") for f in (frames, motion.rest[None, :]))
    largest = np.linalg.norm(there - here, axis=2).max()
    assert largest == pytest.approx(0.05 * motion.scene.size, rel=0.02)


def test_kinematic_coordinates_follow() -> None:
    cart = Model("cart")
    centre, heading = cart.point("centre", (0, 0)), cart.angle("heading")
    wheel = cart.add(PlanarWheel("wheel", centre, heading, cart.angle("spin"), radius=0.5))
    cart.nodes["spin"].angle.dof("spin", "spin_rate", rate_start=4.0)
    heading.angle.dof("heading", "yaw_rate").law(heading.angle.rate + 30 * heading.angle.value)
    centre.x.kinematic("x")
    centre.y.kinematic("y")
    cart.add(Body("frame", centre, heading, mass=2, inertia=0.5))
    cart.add(Body("rim", None, cart.nodes["spin"], inertia=0.1))
    assert wheel.radius == 0.5
    about = linearize(cart.equations())
    number = int(np.argmax(np.abs(about.eigenvalues().imag)))
    mode = about.modes()[number]
    motion = moving(about, number)
    phases = np.linspace(0, 2 * np.pi, 7)
    frames = motion.frames(phases)
    box = next(s["first"] for s in motion.scene.description["shapes"] if s["kind"] == "box")
    turned = motion.scale * np.exp(1j * phases)
    assert frames[:, box + 1] == pytest.approx((mode.shape["y"] * turned).real, abs=1e-9)
    # rolling at 2 m/s: the rate of y is v times the heading
    assert mode.eigenvalue * mode.shape["y"] == pytest.approx(2 * mode.shape["heading"])


@pytest.mark.heavy
def test_films_and_pictures_of_modes(tmp_path: Path) -> None:
    about = double_pendulum()
    film = about.animate(1, tmp_path / "mode.gif", fps=3, progress=False)
    with Image.open(film) as picture:
        assert picture.n_frames == 9
    texts = [text.get_text() for text in about.draw(0).axes[0].texts]
    # the frequencies are √(g/l (2 ± √2))
    slow = np.sqrt(10 * (2 - np.sqrt(2))) / (2 * np.pi)
    fast = np.sqrt(10 * (2 + np.sqrt(2))) / (2 * np.pi)
    assert any(f"{slow:.3g} Hz" in text or f"{fast:.3g} Hz" in text for text in texts)
    page = about.animate(0, tmp_path / "mode.html").read_text("utf-8")
    title = page.partition("<title>")[2].partition("</title>")[0]
    assert f"{slow:.3g} Hz" in title or f"{fast:.3g} Hz" in title


def test_mistakes_are_told(tmp_path: Path) -> None:
    about = double_pendulum()
    with pytest.raises(ModelError, match="there is no mode 4; there are 4"):
        about.draw(4)
    with pytest.raises(ModelError, match="give its number from 0 on"):
        about.draw("first")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="amplitude"):
        about.draw(0, amplitude=-1)
    with pytest.raises(ModelError, match="ends with"):
        about.animate(0, tmp_path / "mode.avi")
