"""Belts and gears against geometry, the printed matrices, closed forms and invariants."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.optimize import least_squares

from mbcore import (
    Belt,
    Body,
    ConfigurationError,
    GearPair,
    Model,
    ModelError,
    RigidLink,
    SimulationError,
    simulate,
)
from mbcore.elements.joints.belt import TangentPair
from mbcore.model.nodes.nodes import Angle, Point
from mbcore.model.nodes.rotations import planar_matrix

CONFIGURATIONS = {
    "upper": (0.5, 0.9),
    "lower": (-0.5, -0.9),
    "crossed, from below to above": (-0.5, 0.9),
    "crossed, from above to below": (0.5, -0.9),
    "equal pulleys": (0.7, 0.7),
    "cable to a point": (0.6, 0.0),
}
P, Q = np.array([0.2, -0.1]), np.array([2.3, 1.4])


def belt(radii: Sequence[float], q: np.ndarray = Q, **further: object) -> Belt:
    nodes = Point("p", tuple(P)), Angle("a", 0.3), Point("q", tuple(q)), Angle("b", -0.2)
    return Belt("belt", *nodes, radius_p=radii[0], radius_q=radii[1], **further)


def numbers(element: TangentPair, expression: ca.SX, x: np.ndarray, v: object = 0.0) -> np.ndarray:
    nodes = (element.p, element.p_angle, element.q, element.q_angle)
    xs = ca.vertcat(*(n.coordinates for n in nodes))
    vs = ca.vertcat(*(n.velocities for n in nodes))
    f = ca.Function("f", [xs, vs], [ca.densify(expression)])
    return np.array(f(x, np.zeros(6) + v)).squeeze()


def gradient(element: TangentPair, name: str, x: np.ndarray) -> np.ndarray:
    nodes = (element.p, element.p_angle, element.q, element.q_angle)
    xs = ca.vertcat(*(n.coordinates for n in nodes))
    return numbers(element, ca.gradient(element.strains()[name].expression, xs), x)


X = np.r_[P, 0.3, Q, -0.2]


def tangent_points(radii: Sequence[float], x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where a straight line touches both circles, on the sides that the signs say.

    Found by a search for right angles between the line and the radii, without any formula.
    """
    p, q = x[:2], x[3:5]

    def points(angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        directions = np.array([np.cos(angles), np.sin(angles)]).T
        return p + abs(radii[0]) * directions[0], q + abs(radii[1]) * directions[1]

    def obliqueness(angles: np.ndarray) -> list[float]:
        a, b = points(angles)
        return [(b - a) @ (a - p), (b - a) @ (b - q)]

    guess = np.arctan2(*(q - p)[::-1]) + np.sign(radii) * np.pi / 2
    return points(least_squares(obliqueness, guess, xtol=1e-15, ftol=1e-15, gtol=1e-15).x)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_rate_is_that_of_the_belt_between_its_points_of_contact(name: str) -> None:
    """[Schwab2002] (3.3): the velocity difference of pulleys' rims at a and b along the belt."""
    # [Schwab2002] (3.2), (3.5), (3.6), (3.14)
    radii = CONFIGURATIONS[name]
    a, b = tangent_points(radii, X)
    t = (b - a) / np.linalg.norm(b - a)
    element = belt(radii)
    expected = np.r_[-t, 0, t, 0]
    expected[2] = -t @ np.array([-(a - P)[1], (a - P)[0]])  # rims move with z × (a - p)
    expected[5] = t @ np.array([-(b - Q)[1], (b - Q)[0]])
    assert gradient(element, "elongation", X) == pytest.approx(expected, abs=1e-9)
    length = numbers(element, element.strains()["span"].expression, X)
    assert length == pytest.approx(np.linalg.norm(b - a), rel=1e-9)


@pytest.mark.parametrize("crossed", [False, True])
def test_closed_belt_has_the_length_of_the_textbooks(crossed: bool) -> None:
    """Both halves together: 2 √(l² - (r_2 ∓ r_1)²) and the arcs on both pulleys."""
    # [Schwab2002] (3.5)
    r1, r2 = 0.5, 0.9
    sign = -1 if crossed else 1
    halves = belt((r1, sign * r2)), belt((-r1, -sign * r2))

    def whole(distance: float) -> float:
        difference = r1 + r2 if crossed else r2 - r1
        straight = 2 * np.sqrt(distance**2 - difference**2)
        tilt = np.arcsin(difference / distance)
        return straight + np.pi * (r1 + r2) + 2 * tilt * difference

    along = (Q - P) / np.linalg.norm(Q - P)
    moved = X.copy()
    moved[3:5] += 0.8 * along
    found = sum(float(numbers(h, h.strains()["elongation"].expression, moved)) for h in halves)
    start = np.linalg.norm(Q - P)
    assert found == pytest.approx(whole(start + 0.8) - whole(start), rel=1e-13)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_mass_matrix_is_the_printed_one(name: str) -> None:
    """[Schwab2002] (3.15) and (3.19) with [Schwab2002] (3.21), for a belt that is not stretched."""
    # [Schwab2002] (3.13)
    radii, rho = CONFIGURATIONS[name], 1.7
    r_p, r_q = radii
    wound_p, wound_q = (0.4 if r else 0.0 for r in radii)
    element = belt(radii, mass_per_length=rho, wound_p=wound_p, wound_q=wound_q)
    a, b = tangent_points(radii, X)
    c, s = (b - a) / np.linalg.norm(b - a)
    upper = np.array(
        [
            [2, 0, -2 * c * r_p, 1, 0, -c * r_q],
            [0, 2, -2 * s * r_p, 0, 1, -s * r_q],
            [0, 0, 2 * r_p**2, -c * r_p, -s * r_p, r_p * r_q],
            [0, 0, 0, 2, 0, -2 * c * r_q],
            [0, 0, 0, 0, 2, -2 * s * r_q],
            [0, 0, 0, 0, 0, 2 * r_q**2],
        ]
    )
    expected = rho * np.linalg.norm(b - a) / 6 * upper
    psi = np.arctan2(s, c)
    for at, sign, r, wound in ((0, 1, r_p, wound_p), (3, -1, r_q, wound_q)):
        if r:
            phi = sign * wound / r
            cs = 2 * np.cos(phi / 2 + psi) * np.sin(phi / 2)
            ss = 2 * np.sin(phi / 2 + psi) * np.sin(phi / 2)
            block = np.array(
                [[r * phi, 0, -(r**2) * cs], [0, r * phi, -(r**2) * ss], [0, 0, r**3 * phi]]
            )
            expected[at : at + 3, at : at + 3] += sign * rho * block
    expected = np.triu(expected) + np.triu(expected, 1).T
    nodes = (element.p, element.p_angle, element.q, element.q_angle)
    vs = ca.vertcat(*(n.velocities for n in nodes))
    found = numbers(element, ca.hessian(element.kinetic_energy(), vs)[0], X)
    assert found == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_mass_of_the_span_lies_evenly_between_the_points_of_contact(name: str) -> None:
    """Energy and first moment of a thousand particles on r(ξ) = (1 - ξ) a + ξ b."""
    # [Schwab2002] (3.9)
    radii, rho = CONFIGURATIONS[name], 1.7
    element = belt(radii, mass_per_length=rho)
    a, b = tangent_points(radii, X)
    t = (b - a) / np.linalg.norm(b - a)
    velocity = np.array([0.3, -0.2, 0.9, 0.5, 0.4, -0.7])
    v_a = velocity[:2] - radii[0] * velocity[2] * t  # of the rims, where the belt leaves them
    v_b = velocity[3:5] - radii[1] * velocity[5] * t
    xi = (np.arange(1000)[:, None] + 0.5) / 1000
    mass = rho * np.linalg.norm(b - a) / 1000
    places, velocities = (1 - xi) * a + xi * b, (1 - xi) * v_a + xi * v_b
    moment = element.first_moment()
    assert moment is not None
    assert numbers(element, moment, X) == pytest.approx(mass * places.sum(axis=0), rel=1e-9)
    energy = float(numbers(element, element.kinetic_energy(), X, velocity))
    assert energy == pytest.approx(mass * (velocities**2).sum() / 2, rel=1e-6)


def test_inertia_forces_are_those_of_the_particles() -> None:
    """∫ (∂r/∂x)ᵀ r̈ dm over all particles, by where each one lies, beside Lagrange's of T."""
    # [Schwab2002] (3.16)
    r_p, r_q, wound_p, wound_q = 0.5, -0.9, 0.8, 1.1
    element = belt((r_p, r_q), mass_per_length=1.0, wound_p=wound_p, wound_q=wound_q)
    nodes = (element.p, element.p_angle, element.q, element.q_angle)
    x = ca.vertcat(*(n.coordinates for n in nodes))
    v = ca.vertcat(*(n.velocities for n in nodes))
    velocity = np.random.default_rng(3).standard_normal(6)
    momentum = ca.gradient(element.kinetic_energy(), v)
    inertia = ca.jtimes(momentum, x, v) - ca.gradient(element.kinetic_energy(), x)

    label = ca.SX.sym("unstretched length from the end on p")
    span = element.tangent_length - element.elongation_since_start
    beyond = label - element.wound_on_p
    a, b = (c.position + r * element.normal for c, r in ((element.p, r_p), (element.q, r_q)))
    places = {
        "on p": element.p.position + r_p * planar_matrix(-beyond / r_p) @ element.normal,
        "span": a + beyond / span * (b - a),
        "on q": element.q.position + r_q * planar_matrix((span - beyond) / r_q) @ element.normal,
    }
    free = float(numbers(element, span, X))
    ends = np.cumsum([0, wound_p, free, wound_q])
    points, weights = np.polynomial.legendre.leggauss(20)
    expected = np.zeros(6)
    for place, low, high in zip(places.values(), ends, ends[1:], strict=False):
        slope = ca.jacobian(place, x)
        force = ca.Function("force", [label, x, v], [slope.T @ ca.jtimes(slope @ v, x, v)])
        for point, weight in zip(points, weights, strict=True):
            at = low + (high - low) * (point + 1) / 2
            expected += weight * (high - low) / 2 * np.array(force(at, X, velocity)).ravel()
    assert numbers(element, inertia, X, velocity) == pytest.approx(expected, abs=1e-12)


def winding(law: str, mass: float = 0.0, damping: float = 0.0) -> Model:
    """Two drums; the belt winds from q to p under load, and q hangs in a spring."""
    model = Model("winder", gravity=(0, -9.81))
    p, q = model.point("p", (0, 0), fixed=True), model.point("q", (3, 0.2))
    turning_p, turning_q = model.angle("drum p"), model.angle("drum q")
    cable = Belt(
        "cable", p, turning_p, q, turning_q, radius_p=0.5, radius_q=-0.4, axial_stiffness=300.0,
        mass_per_length=mass, wound_p=2.0, wound_q=20.0, elongation=0.1, damping=damping,
    )  # fmt: skip
    model.add(cable)
    if law == "printed":
        for deformation in cable.deformations.values():
            deformation.laws.clear()
            deformation.elastic_energy = ca.SX(0)
        cable.elongation.law(300.0 * cable.elongation.value / cable.span.value)
        cable.elongation.elastic_energy = 150.0 * cable.elongation.value**2 / cable.span.value
    q.x.dof("x", start=3).spring(200.0, rest=3.2)
    q.y.dof("y", start=0.2).spring(200.0, rest=0.3)
    turning_p.angle.dof("turn p", rate_start=6)
    turning_q.angle.dof("turn q", rate_start=-7.5)
    model.add(Body("p disk", None, turning_p, inertia=0.3))
    model.add(Body("q disk", q, turning_q, mass=1.5, inertia=0.2))
    model.output("energy", model.kinetic_energy + model.potential_energy)
    model.output("wound", cable.wound_on_p)
    model.output("tension", cable.tension)
    return model


@pytest.mark.parametrize("mass", [pytest.param(0.0, marks=pytest.mark.heavy), 0.05])
def test_elastic_belt_keeps_its_energy_while_it_winds(mass: float) -> None:
    run = simulate(winding("ours", mass).equations(), 3.0, rtol=1e-11, atol=1e-12)
    assert np.ptp(run["wound"]) > 5.0
    assert np.ptp(run["tension"]) > 30.0
    assert np.ptp(run["energy"]) < 1e-8


def test_printed_law_of_the_elastic_belt_does_not_keep_its_energy() -> None:
    """[Schwab2002] (3.8) has no potential, as the text says: the test above can fail."""
    run = simulate(winding("printed").equations(), 3.0, rtol=1e-11, atol=1e-12)
    assert np.ptp(run["energy"]) > 0.05


def test_damped_belt_loses_the_power_of_its_viscous_force() -> None:
    """With elongation e and unstretched length u of the span, the loss is β EA ė²/u."""
    model = winding("ours", damping=1e-2)
    cable = model.elements["cable"]
    unstretched = cable.span.value - cable.elongation.value
    model.output("loss", 1e-2 * 300.0 * cable.elongation.rate**2 / unstretched)
    run = simulate(model.equations(), 1.0, rtol=1e-11, atol=1e-12, samples=4001)
    lost = run["energy"][0] - run["energy"]
    assert lost[-1] > 0.5
    assert lost[-1] == pytest.approx(simpson(run["loss"], x=run.time), rel=1e-8)
    assert np.all(np.diff(lost) > -1e-9)


def test_weight_on_an_elastic_cable_hangs_where_the_textbook_says() -> None:
    """The span is u (1 + N/EA) long; the drum needs r N and what relaxes, r N²/2EA.

    The latter from virtual work: a turn by δβ takes up r δβ of cable, without its energy.
    """
    from mbcore import equilibrium

    model = Model("hoist", gravity=(0, -9.81))
    drum, turning = model.point("drum", (0, 0), fixed=True), model.angle("turn", fixed=True)
    load, point = model.point("load", (0.5, -4)), model.angle("load angle", fixed=True)
    cable = model.add(
        Belt("cable", drum, turning, load, point, radius_p=0.5, radius_q=0, axial_stiffness=200)
    )
    load.x.fix()
    load.y.dof("height", start=-4)
    model.add(Body("weight", load, mass=5))
    model.output("tension", cable.tension)
    model.output("moment", turning.angle.reaction)
    model.output("span", cable.span.value)
    found = equilibrium(model.equations()).outputs
    weight = 5 * 9.81
    assert found["tension"] == pytest.approx(weight, rel=1e-9)
    assert found["span"] == pytest.approx(4 * (1 + weight / 200), rel=1e-9)
    assert abs(found["moment"]) == pytest.approx(0.5 * (weight + weight**2 / 400), rel=1e-9)


def test_mass_of_a_serpentine_belt_is_neither_made_nor_lost() -> None:
    """A loop over three equal pulleys at constant speed: ½ ρA L v² for ever, without any torque."""
    radius, rho, speed = 0.5, 2.0, 3.0
    corners = np.array([[0, 0], [1.5, 2.0], [3.0, 0]])  # clockwise, belt outside on the left
    model = Model("serpentine")
    pulleys = [
        (model.point(f"P{i}", tuple(c), fixed=True), model.angle(f"turn {i}"))
        for i, c in enumerate(corners)
    ]
    sides = np.roll(corners, -1, axis=0) - corners
    perimeter = np.linalg.norm(sides, axis=1).sum()
    headings = np.arctan2(sides[:, 1], sides[:, 0])
    for i in range(3):
        j = (i + 1) % 3
        arc = radius * ((headings[i] - headings[j]) % (2 * np.pi))
        element = Belt(
            f"belt {i}", *pulleys[i], *pulleys[j], radius_p=radius, radius_q=radius,
            mass_per_length=rho, wound_q=arc,
        )  # fmt: skip
        model.add(element)
        if i == 2:
            element.elongation.release()
    pulleys[0][1].angle.dof("turn", rate_start=-speed / radius)
    model.output("energy", model.kinetic_energy)
    run = simulate(model.equations(), 5.0, rtol=1e-11, atol=1e-12, samples=51)
    length = perimeter + 2 * np.pi * radius
    assert run["energy"] == pytest.approx(rho * length * speed**2 / 2, rel=1e-10)
    assert run["turn_rate"] == pytest.approx(-speed / radius, rel=1e-9)


def planetary(teeth: tuple[int, int, int], drive: str) -> Model:
    """Sun, planet, annulus and carrier; ``drive`` turns, the other of sun and annulus is held."""
    sun_teeth, planet_teeth, annulus_teeth = teeth
    model = Model("planetary gear")
    centre = model.point("O", (0, 0), fixed=True)
    planet = model.point("planet", (0.3, 0))
    carrier, turning = model.angle("carrier"), model.angle("planet angle")
    sun = model.angle("sun", fixed=drive != "sun")
    annulus = model.angle("annulus", fixed=drive != "annulus")
    model.add(RigidLink("arm", centre, carrier, planet))
    model.add(
        GearPair("sun mesh", centre, sun, planet, turning,
                 ratio=planet_teeth / sun_teeth, arm=carrier)
    )  # fmt: skip
    model.add(
        GearPair("annulus mesh", planet, turning, centre, annulus,
                 ratio=-annulus_teeth / planet_teeth, arm=carrier)
    )  # fmt: skip
    {"sun": sun, "annulus": annulus}[drive].angle.dof("drive", rate_start=10)
    model.add(Body("planet gear", planet, turning, mass=2.0, inertia=0.03))
    model.add(Body("sun gear", None, sun, inertia=0.02))
    model.output("carrier", carrier.angle.value)
    model.output("planet", turning.angle.value)
    return model


@pytest.mark.parametrize("drive", ["sun", pytest.param("annulus", marks=pytest.mark.heavy)])
def test_planetary_gear_obeys_willis_for_many_turns(drive: str) -> None:
    """(ω_sun - ω_c) z_s = -(ω_annulus - ω_c) z_a = -(ω_planet - ω_c) z_p."""
    # [Schwab2002] (3.24)
    s, p, a = 20, 16, 52
    run = simulate(planetary((s, p, a), drive).equations(), 30.0, samples=7)
    turned = run["drive"]
    carrier = turned * {"sun": s, "annulus": a}[drive] / (s + a)
    sun = turned if drive == "sun" else 0 * turned
    assert turned[-1] == pytest.approx(300.0, rel=1e-9)
    assert run["carrier"] == pytest.approx(carrier, rel=1e-9)
    assert run["planet"] == pytest.approx(carrier - (sun - carrier) * s / p, rel=1e-9)


def test_gear_forces_are_the_printed_ones() -> None:
    """[Schwab2002] (3.25), for a horizontal centre line, with either sign of the pressure angle."""
    ratio, distance = 2.5, 0.35
    for angle in (np.radians(20), -np.radians(20)):
        nodes = Point("p", (0, 0)), Angle("a"), Point("q", (distance, 0)), Angle("b")
        gears = GearPair("gears", *nodes, ratio=ratio, pressure_angle=angle)
        found = gradient(gears, "mesh", np.r_[0, 0, 0.1, distance, 0, -0.3])
        r_p = -np.sign(angle) * distance * np.cos(angle) / (1 + ratio)
        s, c = abs(np.sin(angle)), np.sign(angle) * np.cos(angle)
        assert found == pytest.approx(np.array([-s, -c, r_p, s, c, ratio * r_p]), abs=1e-13)


def test_involutes_keep_their_ratio_when_the_centres_part() -> None:
    nodes = Point("p", (0, 0)), Angle("a"), Point("q", (0.35, 0)), Angle("b")
    gears = GearPair("gears", *nodes, ratio=2.5)
    slopes = gradient(gears, "mesh", np.r_[0, 0, 0.1, 0.36, 0.002, -0.3])
    assert slopes[5] / slopes[2] == pytest.approx(2.5, rel=1e-14)


# Wrong use


def test_pulley_inside_the_other_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"belt belt: .* 0\.5 m apart, .* differ by 0\.6 m"):
        belt((0.3, 0.9), P + [0.3, 0.4])
    with pytest.raises(ModelError, match="one circle is inside the other"):
        belt((0.3, -0.3), P + [0.3, 0.4])


def test_pulleys_that_meet_on_the_way_are_named() -> None:
    model = Model("collapsing")
    p, q = model.point("p", (0, 0), fixed=True), model.point("q", (2, 0))
    q.y.fix()
    q.x.dof("distance", start=2, rate_start=-1)
    base, other = model.angle("base", fixed=True), model.angle("other")
    model.add(Body("pulley", q, mass=1))
    cable = model.add(Belt("crossing", p, base, q, other, radius_p=0.5, radius_q=-0.5))
    model.output("span", cable.span.value)
    with pytest.raises((SimulationError, ConfigurationError), match="crossing"):
        simulate(model.equations(), 1.5)


@pytest.mark.heavy
def test_orbit_without_an_arm_is_refused_before_it_goes_wrong() -> None:
    def orbiting(with_arm: bool) -> Model:
        model = Model("orbit")
        centre, around = model.point("O", (0, 0), fixed=True), model.point("Q", (2, 0))
        carrier, turning = model.angle("carrier"), model.angle("pulley")
        base = model.angle("base", fixed=True)
        model.add(RigidLink("arm", centre, carrier, around))
        arm = carrier if with_arm else None
        radii = {"radius_p": 0.5, "radius_q": 0.25}
        model.add(Belt("loop", centre, base, around, turning, arm=arm, **radii))
        carrier.angle.dof("carrier", rate_start=1)
        model.add(Body("pulley", around, turning, mass=1, inertia=1))
        model.output("pulley", turning.angle.value)
        return model

    with pytest.raises(SimulationError, match=r"loop\.turn .* give the element an arm"):
        simulate(orbiting(False).equations(), 4.0)
    run = simulate(orbiting(True).equations(), 20.0)
    # Relative to the carrier the pulley turns back twice as fast as the carrier forwards.
    assert run.final("pulley") == pytest.approx(20.0 - 2 * 20.0, rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ratio": 0}, "ratio is 0, with which gear q has no radius"),
        ({"ratio": -1}, "ratio is -1, with which both gears are the same"),
        ({"ratio": 2, "pressure_angle": 0}, "pressure angle is 0"),
        ({"ratio": 2, "pressure_angle": 1.6}, "pressure angle is 1.6"),
    ],
)
def test_impossible_gears_are_refused_by_name(arguments: dict, message: str) -> None:
    nodes = Point("p", (0, 0)), Angle("a"), Point("q", (1, 0)), Angle("b")
    with pytest.raises(ModelError, match=f"gear pair gears: .*{message}"):
        GearPair("gears", *nodes, **arguments)


def test_gears_in_one_place_are_refused_by_name() -> None:
    nodes = Point("p", (0, 0)), Angle("a"), Point("q", (0, 0)), Angle("b")
    with pytest.raises(ModelError, match="gear pair gears: p and q start in one place"):
        GearPair("gears", *nodes, ratio=2)


def test_impossible_belts_are_refused_by_name() -> None:
    with pytest.raises(ModelError, match="wound on q, of radius zero"):
        belt((0.5, 0), wound_q=1.0)
    with pytest.raises(ModelError, match="inextensible belt cannot start stretched"):
        belt((0.5, 0.4), elongation=0.01)
    spatial = Point("q", (1, 2, 3))
    with pytest.raises(ModelError, match="p and q must both be planar"):
        Belt("b", Point("p", (0, 0)), Angle("a"), spatial, Angle("c"), radius_p=1, radius_q=1)
