"""Random mechanisms on wheels, balls, blades and gears that rub, and the judge's contacts by hand.

``python -m tests.friction_survey --family rolling`` does the same for any number of them.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from tests.friction_survey.contacts import SPUN, Pressed, Roll, Skid, Skidding, padé
from tests.friction_survey.rolling_drafts import rolled
from tests.friction_survey.verdict import Found, excess_of, judged
from tests.mechanism_survey.joints import Disk, Sphere
from tests.mechanism_survey.maximal import Spot, State

EQUAL = (4, 5, 8, 9, 12, 15, 16)
"""Seeds with at most two bodies beside the rims, in which joints and contacts come to stick. All
kinds of joints and frictions of 3 and 6 are in 4, those of 7 in 8."""
STOPPED = {
    2: "confirmed, a normal force vanishes",
    11: "confirmed, no motion is admitted",
}
"""Seeds of which a blade is lifted, and one that jams at the start."""
UP = np.array([0.0, 0.0, 1.0])
UPRIGHT = State(0.0, np.zeros((2, 3)), np.array([np.eye(3)] * 2))
RADIUS = 0.4

rolls = partial(judged, most_bodies=2, draw=rolled)


@pytest.mark.heavy
def test_seven_are_equal() -> None:
    """Each takes two to three seconds, to be moved and judged."""
    found = [rolls(seed) for seed in EQUAL]
    assert [outcome.kind for outcome in found] == ["equal"] * len(EQUAL)
    facts = [outcome.facts["found"] for outcome in found]
    assert sum(fact.sticks for fact in facts if isinstance(fact, Found)) >= 10


@pytest.mark.heavy
@pytest.mark.parametrize("seed", STOPPED)
def test_stops_are_confirmed(seed: int) -> None:
    """The lifted blade is moved twice, once to shortly before its stop, which takes 8 s."""
    outcome = rolls(seed)
    assert outcome.kind == "stopped"
    assert f"({STOPPED[seed]}" in outcome.message


def twist(velocity: tuple[float, float, float], turning: tuple[float, float, float]) -> np.ndarray:
    """Velocities of the one body."""
    return np.array([np.zeros(6), [*velocity, *turning]])


def test_an_upright_disk_by_hand() -> None:
    """It slides by v - r ω along and by w across, and its foot goes around its rim by ω."""
    disk = Disk(Spot(1), np.array([0.0, 1.0, 0.0]), RADIUS, UP, -RADIUS)
    moving = twist((2.0, 0.3, -0.1), (0.0, 3.0, 0.7))
    assert Skid(disk, spins=True).rate(UPRIGHT, moving) == pytest.approx(
        np.array([2.0 - RADIUS * 3, 0.3, 0.7])
    )
    assert Pressed(disk).rate(UPRIGHT, moving) == pytest.approx(np.array([-0.1]))
    for contour in (False, True):
        assert Roll(disk, contour).rate(UPRIGHT, moving) == pytest.approx(np.array([3.0]))


def test_a_disk_that_wobbles_by_hand() -> None:
    """Where it does not turn about its axle, its foot goes around with the axle's own turning."""
    lean, pace = 0.5, 2.0
    axle = np.array([0.0, np.cos(lean), np.sin(lean)])
    disk = Disk(Spot(1), axle, RADIUS, UP, 0.0)
    # What follows the foot turns about the axle by that much faster than the disk, ω · axle = 0.
    turning = pace * (UP - np.sin(lean) * axle)
    found = Roll(disk, contour=True).rate(UPRIGHT, twist((0.0, 0.0, 0.0), tuple(turning)))
    assert found == pytest.approx(np.array([-pace * np.sin(lean)]))


def test_a_ball_on_a_slope_by_hand() -> None:
    """Its axes are those of space, turned about y by the slope."""
    slope = 0.3
    normal = np.array([np.sin(slope), 0.0, np.cos(slope)])
    ball = Sphere(Spot(1), RADIUS, normal, 0.0)
    downhill, across = np.array([np.cos(slope), 0.0, -np.sin(slope)]), np.array([0.0, 1.0, 0.0])
    moving = twist(tuple(1.5 * downhill + 0.2 * across), tuple(3.0 * across + 0.4 * downhill))
    assert Skid(ball).rate(UPRIGHT, moving) == pytest.approx(
        np.array([1.5 - RADIUS * 3, 0.2 + RADIUS * 0.4])
    )
    assert Roll(ball).rate(UPRIGHT, moving) == pytest.approx(np.array([0.4, 3.0]))


@pytest.mark.parametrize("spin", [0.3, 1.0, 4.0])
def test_friction_of_a_patch_against_the_integrals(spin: float) -> None:
    """Of Hertz's pressure 3/(2π) √(1 - ρ²) on a circle; Padé's form is off by 3 % at most."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    rho, angle = np.meshgrid((nodes + 1) / 2, np.pi * (nodes + 1))
    area = np.outer(weights * np.pi, weights / 2) * rho
    pressure = 1.5 / np.pi * np.sqrt(1 - rho**2) * area
    vx, vy = 1 - spin * rho * np.sin(angle), spin * rho * np.cos(angle)
    fast = np.hypot(vx, vy)
    force = np.sum(pressure * vx / fast)
    moment = np.sum(pressure * rho * (vy * np.cos(angle) - vx * np.sin(angle)) / fast)
    found = padé(spin)
    assert found[0] == pytest.approx(force, abs=0.022)
    assert found[1] == pytest.approx(moment / SPUN, abs=0.031)


def test_what_holds_a_contact_by_hand() -> None:
    """Friction on a circle, or an ellipse where it spins, takes that share of the normal force."""
    ball = Sphere(Spot(1), RADIUS, UP, 0.0)
    plain = Skidding("", Skid(ball), Pressed(ball), 0.3, 0.4)
    assert plain.dry(np.array([3.0, 4.0])) == 5.0
    wide = Skidding("", Skid(ball, spins=True), Pressed(ball), 0.3, 0.4, patch=0.1)
    assert wide.dry(np.array([3.0, 4.0, 12 * 0.1 * SPUN])) == pytest.approx(13.0)
    assert np.array_equal(plain.direction(np.array([-2.0, 0.0])), [-1.0, 0.0])


def test_friction_that_is_turned_is_seen() -> None:
    """By 1e-8 rad at 1 mm/s; near rest a slip of 1e-6 m/s may turn it, but not change its size."""
    ball = Sphere(Spot(1), RADIUS, UP, 0.0)
    plain = Skidding("", Skid(ball), Pressed(ball), 0.3, 0.4)

    def excess(speed: float, turned: float, size: float = 3.0) -> float:
        force = size * np.array([np.cos(turned), np.sin(turned)])
        return excess_of(plain, 10.0, np.array([speed, 0.0]), force, stuck=False)

    assert excess(1e-3, 0.0) < 1e-13
    assert excess(1e-3, 1e-8) == pytest.approx(3e-8, rel=0.5)
    assert excess(1e-6, 0.5) < 1e-13
    assert excess(9e-6, 0.5) > 0.1
    assert excess(1e-6, 0.0, 3.1) == pytest.approx(0.1)
    assert excess(1e-6, 2.0) > 1e-7
