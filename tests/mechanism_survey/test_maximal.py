"""The judge of mechanisms against closed forms, without mbcore.

Double pendulum, slider-crank, rolling disk and ball, sleigh, gears, gyroscope and beam.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.mechanism_survey.drafts import varied
from tests.mechanism_survey.forces import ElasticBeam, Load, Spring
from tests.mechanism_survey.joints import (
    Axle,
    Bar,
    Blade,
    Disk,
    Drive,
    Gearing,
    Involutes,
    Motion,
    Rolling,
    Sphere,
    Tie,
    Turn,
    UprightWheel,
)
from tests.mechanism_survey.maximal import (
    STEP,
    Body,
    ContradictionError,
    Measure,
    Mechanism,
    Spot,
    State,
    UndecidedError,
    accelerations,
    constraints,
    inertia,
    least_singular,
    parameters_of,
    prospects,
    values,
)

X, Y, Z = np.eye(3)
KINDS = (Axle, Bar, Blade, Disk, Drive, Gearing, Involutes, Rolling, Sphere, Tie, UprightWheel)
NO_TURN = np.eye(4)[0]


def planar(*joints: Measure, bodies: list[Body], gravity: float = 9.81) -> Mechanism:
    made = Mechanism("planar", True, np.array([0, -gravity, 0]), [Body("ground"), *bodies])
    made.joints += joints
    return made


def spatial(*joints: Measure, bodies: list[Body], gravity: np.ndarray) -> Mechanism:
    made = Mechanism("spatial", False, gravity, [Body("ground"), *bodies])
    made.joints += joints
    return made


def axle(p: int, q: int, axis: np.ndarray = Z) -> Axle:
    return Axle(p, q, axis, NO_TURN)


def flat(mass: float, inertia: float, place: object = (0, 0, 0), angle: float = 0.0) -> Body:
    return Body("body", mass, np.diag([0, 0, inertia]), place=np.array(place, float), angle=angle)


def test_double_pendulum() -> None:
    m1, m2, l1, l2, g, (a, b), (u, v) = 1.3, 0.7, 1.1, 0.8, 9.81, (0.4, 1.1), (1.5, -2.0)
    first = l1 * np.array([np.sin(a), -np.cos(a), 0])
    second = first + l2 * np.array([np.sin(b), -np.cos(b), 0])
    made = planar(
        Tie(Spot(1, np.array([0, l1, 0])), Spot(0)),
        Tie(Spot(2, np.array([0, l2, 0])), Spot(1)),
        bodies=[flat(m1, 0.0, first, a), flat(m2, 0.0, second, b)],
        gravity=g,
    )
    twist = np.zeros((3, 6))
    twist[1, :3] = l1 * u * np.array([np.cos(a), np.sin(a), 0])
    twist[2, :3] = twist[1, :3] + l2 * v * np.array([np.cos(b), np.sin(b), 0])
    twist[1:, 5] = u, v
    assert np.abs(constraints(made, made.start(), twist)[1]).max() < 1e-14
    mixed = m2 * l1 * l2 * np.cos(a - b)  # Lagrange's equations of two point masses
    mass = [[(m1 + m2) * l1**2, mixed], [mixed, m2 * l2**2]]
    swing = m2 * l1 * l2 * np.sin(a - b)
    force = [-swing * v**2 - (m1 + m2) * g * l1 * np.sin(a), swing * u**2 - m2 * g * l2 * np.sin(b)]
    found = accelerations(made, made.start(), twist)[1:, 5]
    np.testing.assert_allclose(found, np.linalg.solve(mass, force), rtol=1e-12)


def test_slider_crank_that_is_driven() -> None:
    r, span, pace, angle = 0.3, 0.7, 4.0, 0.6
    rod = -np.arcsin(r / span * np.sin(angle))
    pin = r * np.array([np.cos(angle), np.sin(angle), 0])
    piston = np.array([pin[0] + span * np.cos(rod), 0, 0])
    crank = axle(0, 1)
    made = planar(
        Tie(Spot(0), Spot(1)),
        Drive(Turn(crank), Motion(angle, pace)),
        Tie(Spot(1, r * X), Spot(2)),
        Tie(Spot(2, span * X), Spot(3)),
        Tie(Spot(0), Spot(3), kept=(1,)),
        Drive(Turn(axle(0, 3)), Motion(0.0)),
        bodies=[flat(1, 0.1, angle=angle), flat(1, 0.1, pin, rod), flat(2, 0.1, piston)],
    )
    assert np.abs(values(made.joints, made.start())).max() < 1e-14
    swing = -r * np.cos(angle) * pace / (span * np.cos(rod))
    twist = np.zeros((4, 6))
    twist[1:3, 5] = pace, swing
    twist[2, :3] = pace * np.cross(Z, pin)
    twist[3, 0] = twist[2, 0] - span * swing * np.sin(rod)
    assert np.abs(constraints(made, made.start(), twist)[1]).max() < 1e-14
    # x = r cos φ + √(span² - r² sin² φ), differentiated twice at φ̇ = ω
    s, c = r * np.sin(angle), r * np.cos(angle)
    w = np.sqrt(span**2 - s**2)
    second = -c - (c**2 - s**2) / w - (s * c) ** 2 / w**3
    found = accelerations(made, made.start(), twist)
    assert found[3, 0] == pytest.approx(second * pace**2, rel=1e-12)
    assert found[1, 5] == pytest.approx(0, abs=1e-12)


def test_disk_that_rolls_upright() -> None:
    # Neimark and Fufaev's equations where the disk stands upright
    m, r, A, C, spin, lean, yaw = 2.0, 0.4, 0.05, 0.11, 3.0, 0.7, -1.3
    body = Body("disk", m, np.diag([A, C, A]), place=r * Z)
    made = spatial(Disk(Spot(1), Y, r, Z, 0.0), bodies=[body], gravity=-9.81 * Z)
    twist = np.zeros((2, 6))
    twist[1] = [r * spin, -r * lean, 0, lean, spin, yaw]
    assert np.abs(constraints(made, made.start(), twist)[1]).max() < 1e-14
    found = accelerations(made, made.start(), twist)[1, 3:]
    about = m * r**2
    # in space: the axle, about which it spins, turns with yaw and lean, too
    assert found[0] + spin * yaw == pytest.approx((C + about) * spin * yaw / (A + about), rel=1e-12)
    assert found[2] - spin * lean == pytest.approx(-C * spin * lean / A, rel=1e-12)
    assert found[1] == pytest.approx(-about * lean * yaw / (C + about), rel=1e-12)


def test_ball_and_disk_on_a_slope() -> None:
    slope, r = 0.3, 0.25
    normal = np.array([np.sin(slope), 0, np.cos(slope)])
    down = np.array([np.cos(slope), 0, -np.sin(slope)])
    for joint, share in (
        (Sphere(Spot(1), r, normal, 0.0), 5 / 7),
        (Disk(Spot(1), Y, r, normal, 0.0), 2 / 3),
    ):
        moment = 0.4 if isinstance(joint, Sphere) else 0.5
        body = Body("roller", 1.5, 1.5 * moment * r**2 * np.eye(3), place=r * normal)
        made = spatial(joint, bodies=[body], gravity=-9.81 * Z)
        assert np.abs(values(made.joints, made.start())).max() < 1e-15
        found = accelerations(made, made.start(), np.zeros((2, 6)))[1, :3]
        np.testing.assert_allclose(found, share * 9.81 * np.sin(slope) * down, atol=1e-13)


def test_sleigh() -> None:
    # Chaplygin: u̇ = a ω², (I + m a²) ω̇ = -m a u ω, centre of mass a before the blade
    m, moment, a, u, w, angle = 1.4, 0.3, 0.6, 2.0, 1.7, 0.5
    along, across = (
        np.array([np.cos(angle), np.sin(angle), 0]),
        np.array([-np.sin(angle), np.cos(angle), 0]),
    )
    body = Body("sleigh", m, np.diag([0, 0, moment]), a * X, angle=angle)
    made = planar(Blade(Spot(1), X, Z), bodies=[body], gravity=0.0)
    twist = np.zeros((2, 6))
    twist[1] = [*(u * along)[:3], 0, 0, w]
    found = accelerations(made, made.start(), twist)[1]
    assert found[5] == pytest.approx(-m * a * u * w / (moment + m * a**2), rel=1e-13)
    # the blade's point: u̇ along the blade, u ω across
    np.testing.assert_allclose(found[:3], a * w**2 * along + u * w * across, atol=1e-13)


def test_wheel_seen_from_above_carries_its_spin() -> None:
    # pushed along: (m + J/r²) a = F
    push = 3.0
    made = planar(UprightWheel(Spot(1), X, 0.5, 2), bodies=[flat(2, 0.1), flat(0, 0.4)])
    made.bodies[2] = Body("spin", inertia=np.diag([0, 0, 0.4]), placed=False)
    made.gravity = np.zeros(3)
    made.forces.append(Load(Spot(1), push * X))
    found = accelerations(made, made.start(), np.zeros((3, 6)))
    assert found[1, 0] == pytest.approx(push / (2 + 0.4 / 0.25), rel=1e-13)


def gears(ratio: float, angle: float) -> tuple[Mechanism, np.ndarray]:
    apart = 0.9
    made = planar(
        Tie(Spot(0), Spot(1)),
        Tie(Spot(0, apart * X), Spot(2)),
        Involutes(Spot(1), Spot(2), ratio, angle, apart),
        bodies=[flat(1, 0.3), flat(1, 0.5, apart * X)],
        gravity=0.0,
    )
    hinge = axle(0, 1)
    made.forces.append(Spring(Turn(hinge), 2.0, rest=1.0))
    return made, accelerations(made, made.start(), np.zeros((3, 6)))[:, 5]


@pytest.mark.parametrize("ratio", [2.0, -3.0, -0.4])
@pytest.mark.parametrize("angle", [0.35, -0.35])
def test_gears(ratio: float, angle: float) -> None:
    # θ_p = -i θ_q, and the moment 2 turns J_p + J_q / i²
    _, found = gears(ratio, angle)
    assert found[1] == pytest.approx(2 / (0.3 + 0.5 / ratio**2), rel=1e-12)
    assert found[2] == pytest.approx(-found[1] / ratio, rel=1e-12)


def test_gears_with_relations() -> None:
    one, other = axle(0, 1), axle(0, 2)
    ties = [Tie(Spot(0), Spot(1)), Tie(Spot(0), Spot(2))]
    turns = Turn(one), Turn(other)
    for joint in (
        Gearing(turns, (1.0, 2.0), Motion(0.0)),
        Rolling(*turns, 2.0, 0.5),
        Gearing((turns[1], turns[0]), (2.0, 0.25), Motion(0.0), 0.75),
    ):
        made = planar(*ties, joint, bodies=[flat(1, 0.3), flat(1, 0.5)], gravity=0.0)
        made.forces.append(Spring(turns[0], 2.0, rest=1.0))
        found = accelerations(made, made.start(), np.zeros((3, 6)))[:, 5]
        assert found[1] == pytest.approx(2 / (0.3 + 0.5 / 4), rel=1e-12)


def test_a_cam_changes_its_ratio_on_the_way() -> None:
    # 2 θ₂ = -sin θ₁, at θ₁ = 0.8 with θ̇₁ = 1.5 and driven: θ̈₂ = θ̇₁² sin θ₁ / 2
    one, other = axle(0, 1), axle(0, 2)
    angle, pace = 0.8, 1.5
    made = planar(
        Tie(Spot(0), Spot(1)),
        Tie(Spot(0), Spot(2)),
        Gearing((Turn(other), Turn(one)), (2.0, 0.0), Motion(0.0), 1.0),
        Drive(Turn(one), Motion(angle, pace)),
        bodies=[flat(1, 0.3, angle=angle), flat(1, 0.5, angle=-np.sin(angle) / 2)],
    )
    assert np.abs(values(made.joints, made.start())).max() < 1e-15
    twist = np.zeros((3, 6))
    twist[1:, 5] = pace, -np.cos(angle) * pace / 2
    found = accelerations(made, made.start(), twist)[:, 5]
    assert found[2] == pytest.approx(pace**2 * np.sin(angle) / 2, rel=1e-13)


def test_gyroscope() -> None:
    moments, w = np.array([0.3, 0.5, 0.7]), np.array([1.0, -2.0, 0.4])
    body = Body("gyro", 2.0, np.diag(moments), np.array([0.1, 0.2, -0.3]))
    made = spatial(bodies=[body], gravity=-9.81 * Z)
    twist = np.array([np.zeros(6), [*np.cross(body.offset, w), *w]])  # its centre is at rest
    found = accelerations(made, made.start(), twist)[1]
    euler = -np.cross(w, moments * w) / moments
    np.testing.assert_allclose(found[3:], euler, rtol=1e-12)
    centre = found[:3] + np.cross(euler, body.offset) + np.cross(w, np.cross(w, body.offset))
    np.testing.assert_allclose(centre, -9.81 * Z, atol=1e-12)


def test_cantilever_with_mass() -> None:
    span, bending, axial, density = 0.8, 30.0, 400.0, 1.5
    beam = ElasticBeam(
        Spot(0),
        Spot(1),
        np.eye(3),
        np.eye(3),
        span,
        axial,
        bending,
        20.0,
        density,
        0.01,
        (0.0, 0.0, -9.81),
    )
    body = Body("tip", place=span * X)
    made = spatial(bodies=[body], gravity=-9.81 * Z)
    made.forces.append(beam)
    M, f = inertia(made, made.start(), np.zeros((2, 6)))
    # consistent mass and loads of textbooks: 156, -22 l, 4 l² over 420; 1/2 and l/12 of the weight
    weight, tip = density * span, M[1, :, 1]
    assert tip[2, 2] == pytest.approx(156 / 420 * weight, rel=1e-13)
    assert tip[2, 4] == pytest.approx(22 / 420 * weight * span, rel=1e-13)
    assert tip[4, 4] == pytest.approx(4 / 420 * weight * span**2, rel=1e-13)
    assert tip[3, 3] == pytest.approx(0.01 * span / 3, rel=1e-13)
    assert f[1, 2] == pytest.approx(-9.81 * weight / 2, rel=1e-13)
    assert f[1, 4] == pytest.approx(-9.81 * weight * span / 12, rel=1e-13)
    # stiffness, by small ways of the tip: EA/l, GI/l, 12 EI/l³, 4 EI/l
    still = made.start()
    for column, stiffness in (
        (0, axial / span),
        (1, 12 * bending / span**3),
        (2, 12 * bending / span**3),
        (3, 20.0 / span),
        (4, 4 * bending / span),
        (5, 4 * bending / span),
    ):
        way = np.zeros((2, 6))
        way[1, column] = 1e-6
        turned = still.turned.copy()
        if column > 2:
            turned[1] = Body("turned", parameters=parameters_of(np.eye(3)[column - 3], 1e-6)).turned
        moved = State(0.0, still.place + way[:, :3], turned)
        pull = f[1, column] - inertia(made, moved, np.zeros((2, 6)))[1][1, column]
        assert pull == pytest.approx(stiffness * 1e-6, rel=1e-4)


def test_a_beam_between_parts_that_are_fixed_is_a_slender_rod() -> None:
    span, density, polar = 0.8, 1.5, 0.2
    ends = [Body("one"), Body("other", place=span * X)]
    beam = ElasticBeam(
        Spot(1),
        Spot(2),
        np.eye(3),
        np.eye(3),
        span,
        400.0,
        30.0,
        20.0,
        density,
        polar,
        (0.0, 0.0, -9.81),
    )
    made = spatial(
        Tie(Spot(1, span * X), Spot(2)),
        axle(1, 2),
        Drive(Turn(axle(1, 2)), Motion(0.0)),
        bodies=ends,
        gravity=-9.81 * Z,
    )
    made.forces.append(beam)
    across = density * span**3 / 12
    rod = Body("rod", density * span, np.diag([polar * span, across, across]), span / 2 * X)
    one = spatial(bodies=[rod], gravity=-9.81 * Z)
    v, w = np.array([0.3, 1.0, -0.7]), np.array([3.0, -2.0, 1.0])
    twist = np.array([np.zeros(6), [*v, *w], [*(v + np.cross(w, span * X)), *w]])
    expected = accelerations(one, one.start(), twist[:2])[1]
    found = accelerations(made, made.start(), twist)[1]
    np.testing.assert_allclose(found, expected, rtol=1e-11)


@pytest.mark.heavy
def test_rates_are_those_of_the_values() -> None:
    # a complex step of what a joint holds, along any motion, is the rate that is written by hand
    random, seen = np.random.default_rng(1), set()
    for seed in range(30):
        made = varied(seed, 4)
        state = made.start()
        twist = random.standard_normal((len(made.bodies), 6)) * made.columns
        seen |= {type(part) for part in (*made.joints, *made.forces)}
        for joint in made.joints:
            rate = np.atleast_1d(joint.rate(state, twist)).real
            change = np.atleast_1d(np.imag(joint.value(state.moved(twist)))) / STEP
            if isinstance(joint, Sphere | Disk):
                rate = rate @ joint.normal[:, None]
            elif isinstance(joint, Blade):
                rate = rate[1:]
            if change.size:
                np.testing.assert_allclose(change, rate, atol=1e-12)
    assert seen == {*KINDS, ElasticBeam, Load, Spring}  # so the survey has them all


@pytest.mark.parametrize("between", [0.7, 1e-2, 1e-6])
def test_least_singular_value(between: float) -> None:
    """Two bars at an angle φ hold a point: √(1 - cos φ); a third along one of them is redundant."""
    end = Spot(1)
    ways = [(-1, 0, 0), (-np.cos(between), -np.sin(between), 0)]
    bars = [Bar(Spot(0, np.array(way, float)), end, 1.0) for way in ways]
    made = planar(*bars, bodies=[flat(1, 1)])
    expected = np.sqrt(2) * np.sin(between / 2)
    np.testing.assert_allclose(least_singular(made, made.start()), expected, rtol=1e-9)
    again = planar(*bars, bars[0], bodies=[flat(1, 1)])
    # rows u, u, v: the Gram matrix of u √2 and v
    c = np.cos(between)
    least = np.sqrt((3 - np.sqrt(1 + 8 * c**2)) / 2) if between > 0.1 else between * np.sqrt(2 / 3)
    np.testing.assert_allclose(least_singular(again, again.start()), least, rtol=1e-4)
    assert least_singular(planar(bodies=[flat(1, 1)]), made.start()) == 1.0


def test_contradiction_and_lack_of_mass_are_told() -> None:
    twice = planar(
        Tie(Spot(0), Spot(1)),
        Drive(Turn(axle(0, 1)), Motion(0.0, 0.0, 1.0)),
        Drive(Turn(axle(0, 1)), Motion(0.0, 0.0, 1.0, 1.0, 0.5)),
        bodies=[flat(1, 1)],
    )
    twist = np.zeros((2, 6))
    with pytest.raises(ContradictionError):
        accelerations(twice, twice.start(), twist)
    assert prospects(twice) == "contradictory"
    assert prospects(replace(twice, joints=twice.joints[:2])) == "without freedom"
    assert prospects(replace(twice, joints=twice.joints[:1])) == "free"
    with pytest.raises(UndecidedError, match="mass"):
        accelerations(planar(bodies=[flat(1, 0)]), twice.start(), twist)
