"""Joints by their names against closed forms, and what they cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

from benchmarks.scaling.chains import Links, spatial_chain, spatial_links
from benchmarks.scaling.operations import right_hand_side
from mbcore import Body, Hinge, Model, ModelError, simulate
from mbcore.elements.joints.joints import fixed, planar, prismatic, revolute, spherical, universal
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.nodes import rotations
from tests.equations.test_scaling import CONSTANT, accelerations, from_torques, random_state

G = 9.81
TILT = rotations.about((1, 2, -1), 0.7)


def at_start(model: Model, start: dict[str, float] | None = None, time: float = 0.0) -> Evaluation:
    point = Evaluation(model.equations())
    point.start(start)
    point.t[0] = time
    point.configure()
    return point


def outputs(point: Evaluation) -> dict[str, float]:
    names = [record.name for record in point.equations.outputs]
    return dict(zip(names, map(float, point.output()), strict=True))


# Revolute


def test_planar_pendulum_turns_about_its_pin_from_where_it_starts() -> None:
    """θ̈ = -m g l cos θ/(I + m l²) from the horizontal, with the body's point at its centre."""
    m, length, inertia, theta = 2.0, 0.7, 0.3, 0.4
    pin, centre = np.array([0.5, -0.2]), length * np.array([np.cos(theta), np.sin(theta)])
    model = Model("pendulum", gravity=(0, -G))
    place, turn = model.point("centre", (pin + centre).tolist()), model.angle("turn", theta)
    body = model.add(Body("arm", place, turn, mass=m, inertia=inertia))
    pivot = revolute("pivot", model, body, at=pin.tolist())
    pivot.angle.dof("angle")
    model.output("x", place.position[0])
    model.output("turned", turn.value)
    point = at_start(model)
    moment = -m * G * length * np.cos(theta)
    assert point.derivative()[0] == pytest.approx(moment / (inertia + m * length**2), rel=1e-13)
    assert outputs(point) == pytest.approx({"x": (pin + centre)[0], "turned": theta}, abs=1e-14)
    moved = outputs(at_start(model, {"angle": 0.3}))
    assert moved["turned"] == pytest.approx(theta + 0.3, abs=1e-14)
    assert moved["x"] == pytest.approx(pin[0] + length * np.cos(theta + 0.3), abs=1e-14)


def chain(links: Links, at_centres: bool) -> Model:
    """The chain of ``benchmarks/scaling/chains.py`` by joints, points at hinges or at centres."""
    model = Model("chain", gravity=links.gravity.tolist())
    reach = np.vstack([np.zeros(3), np.cumsum(links.offset, axis=0)])
    before: Model | Body = model
    for i, name in enumerate(links.axes):
        centre = links.centre[i]
        place = model.point(f"place {i}", (reach[i] + centre * at_centres).tolist())
        body = Body(
            f"body {i}",
            place,
            model.rotation(f"rotation {i}"),
            mass=links.mass[i],
            inertia=ca.SX(ca.DM(links.inertia[i])),
            offset=None if at_centres else centre.tolist(),
        )
        model.add(body)
        axis = np.eye(3)["xyz".index(name)].tolist()
        revolute(f"joint {i}", before, body, at=reach[i].tolist(), axis=axis).angle.dof(f"q{i}")
        before = body
    return model


@pytest.mark.heavy
@pytest.mark.parametrize("at_centres", [False, True])
def test_spatial_chain_accelerates_as_newton_and_euler_say(at_centres: bool) -> None:
    # [Schwab2002] (2.32), (2.33), (A.107)
    state, links = random_state(5, 1), spatial_links(5)
    model, expected = chain(links, at_centres), from_torques(links, state)
    made = model.equations()
    assert made.iterated == 0
    found = accelerations(made, state)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * abs(expected).max())


@pytest.mark.heavy
@pytest.mark.parametrize(("at_centres", "at_most"), [(False, 1.02), (True, 1.22)])
def test_joints_cost_what_hinges_and_links_cost(at_centres: bool, at_most: float) -> None:
    """Points at the joints give the operations of the same chain by hand, and grow as it does."""

    def per_link(model: Model, n: int) -> float:
        return sum(right_hand_side(model.equations().functions).values()) / n

    few, many = (per_link(chain(spatial_links(n), at_centres), n) for n in (10, 20))
    assert many <= at_most * per_link(spatial_chain(20), 20)
    assert many / few <= CONSTANT


def test_parallelogram_of_four_revolutes() -> None:
    """Crank and rocker turn alike, the coupler stays level: a loop closed by the last joint."""
    model, lean = Model("parallelogram", gravity=(0, -G)), 1.1
    arm = 0.5 * np.array([np.cos(lean), np.sin(lean)])
    bodies = {}
    for name, start, angle in (
        ("crank", arm / 2, lean),
        ("coupler", arm + [0.5, 0], 0.0),
        ("rocker", arm / 2 + [1, 0], lean),
    ):
        place, turn = model.point(name, start.tolist()), model.angle(f"{name} turn", angle)
        bodies[name] = model.add(Body(name, place, turn, mass=1.0, inertia=0.02))
    crank, coupler, rocker = bodies.values()
    revolute("A", model, crank, at=(0, 0)).angle.dof("phi")
    revolute("B", crank, coupler, at=arm.tolist())
    revolute("C", coupler, rocker, at=(arm + [1, 0]).tolist())
    last = revolute("D", model, rocker, at=(1, 0))
    model.output("rocker", last.angle.rate)
    model.output("level", model.nodes["coupler turn"].coordinates)
    point = at_start(model, {"phi": 0.2, "phi_rate": 0.7})
    assert outputs(point) == pytest.approx({"rocker": 0.7, "level": 0.0}, abs=1e-12)
    # Two rods about their ends' pins and a coupler that translates on a circle of 0.5 m.
    inertia = 2 * (0.02 + 0.25**2) + 0.5**2
    moment = -G * np.cos(lean + 0.2) * (2 * 0.25 + 0.5)
    assert point.derivative()[0] == pytest.approx(moment / inertia, rel=1e-12)


# Prismatic


@pytest.mark.parametrize("planar", [True, pytest.param(False, marks=pytest.mark.heavy)])
def test_bead_on_a_rod_that_turns_is_flung_out(planar: bool) -> None:
    """r̈ = ω² r on a rod that turns with ω in the horizontal plane, so r = r_0 cosh ωt."""
    model, omega, r = Model("bead"), 1.3, 0.4
    e = np.array([np.cos(0.6), np.sin(0.6), 0.0])
    if planar:
        nodes = [(model.point(n, s), model.angle(f"{n} turn", 0.2)) for n, s in
                 (("rod", (0, 0)), ("bead", (r * e[:2]).tolist()))]  # fmt: skip
        e, inertia = e[:2], 0.1
    else:
        nodes = [(model.point(n, s), model.rotation(f"{n} turn", t)) for n, s, t in
                 (("rod", (0, 0, 0), TILT), ("bead", (r * e).tolist(), (1, 0, 0, 0)))]  # fmt: skip
        inertia = (0.1, 0.1, 0.1)
    rod, bead = (
        model.add(Body(name, *pair, mass=0.5, inertia=inertia))
        for name, pair in zip(("arm", "ring"), nodes, strict=True)
    )
    drive = revolute("drive", model, rod, at=(0 * e).tolist(), axis=None if planar else (0, 0, 1))
    drive.angle.prescribe(omega * model.time)
    rail = prismatic("rail", rod, bead, axis=e.tolist())
    rail.displacement.dof("r", start=0.0)
    model.output("distance", ca.norm_2(bead.reference.position))
    across = [q.stress for name, q in rail.slide.deformations.items() if name != "displacement"]
    model.output("bearing", ca.norm_2(ca.vertcat(*across)))
    assert model.equations().iterated == 0
    run = simulate(model.equations(), 1.5, rtol=1e-11, atol=1e-12)
    assert run.final("distance") == pytest.approx(r * np.cosh(omega * 1.5), rel=1e-9)
    # Coriolis' force 2 m ω ṙ presses across the rod.
    speed = r * omega * np.sinh(omega * 1.5)
    assert run.final("bearing") == pytest.approx(2 * 0.5 * omega * speed, rel=1e-8)


@pytest.mark.parametrize("ground_first", [True, False])
def test_lift_on_an_oblique_guide(ground_first: bool) -> None:
    axis = np.array([1.0, 2.0, -2.0]) / 3
    model = Model("lift", gravity=(0, 0, -G))
    place, turn = model.point("cabin", (1, 2, 3)), model.rotation("turn", TILT)
    cabin = model.add(Body("cabin", place, turn, mass=3.0, inertia=(1, 1, 1)))
    sides = (model, cabin) if ground_first else (cabin, model)
    prismatic("guide", *sides, axis=axis.tolist()).displacement.dof("s")
    sign = 1 if ground_first else -1
    assert at_start(model).derivative()[0] == pytest.approx(sign * G * 2 / 3, rel=1e-13)


# Universal, spherical, fixed


def test_universal_joint_turns_with_the_known_ratio() -> None:
    """ω_2/ω_1 = cos β/(1 - sin² β sin² θ), θ = 0 where the driver's axis is normal to the bend.

    The cross has perpendicular axes (0, -sin θ, cos θ) and (sin β cos θ_2, -cos β cos θ_2,
    -sin θ_2), so tan θ_2 = cos β tan θ.
    """
    # [Schwab2002] (3.34), (4.21)
    model, beta = Model("cardan"), 0.6
    out = np.array([np.cos(beta), np.sin(beta), 0])
    shafts = [
        model.add(
            Body(n, model.point(n, (0, 0, 0)), model.rotation(f"{n} turn", start),
                 mass=1.0, inertia=(1, 1, 1))
        )
        for n, start in (("driver", (1, 0, 0, 0)), ("driven", TILT))
    ]  # fmt: skip
    drive = revolute("drive", model, shafts[0], at=(0, 0, 0), axis=(1, 0, 0))
    drive.angle.dof("theta")
    across = np.cross(out, (0, 0, 1))
    cross = universal(
        "cross", *shafts, at=(0, 0, 0), axes=((0, 0, 1), tuple(float(c) for c in across))
    )
    bearing = model.add(
        Hinge("bearing", model.ground, model.nodes["driven turn"], axis=out.tolist(), rest=TILT)
    )
    model.output("ratio", bearing.angle.rate)
    model.output("bend", cross.angles[0].value)
    point = at_start(model, {"theta_rate": 1.0})
    assert point.equations.dofs == 1
    for theta in (0.0, 0.4, 1.2, 2.5):
        point.s[1] = theta
        point.configure()
        found = outputs(point)
        expected = np.cos(beta) / (1 - np.sin(beta) ** 2 * np.sin(theta) ** 2)
        assert found["ratio"] == pytest.approx(expected, rel=1e-12)


def test_spherical_joint_lets_a_body_swing_about_its_place() -> None:
    """From rest, with Euler's equation about the place: α = J_o⁻¹ (r × m g)."""
    m, arm, J = 2.0, np.array([0.3, -0.2, 0.5]), np.diag([0.3, 0.4, 0.5])
    model = Model("ball joint", gravity=(0, 0, -G))
    place, turn = model.point("centre", arm.tolist()), model.rotation("turn")
    body = model.add(Body("body", place, turn, mass=m, inertia=tuple(np.diag(J))))
    held = spherical("ball", model, body, at=(0, 0, 0))
    for handle in (turn.e1, turn.e2, turn.e3):
        handle.dof()
    assert held.point.name == "ball"
    about = J + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    expected = np.linalg.solve(about, np.cross(arm, (0, 0, -m * G)))
    # e'' = α/2 where the Euler parameters are those of no rotation.
    assert at_start(model).derivative()[:3] == pytest.approx(expected / 2, rel=1e-12)


@pytest.mark.parametrize("planar", [True, False])
def test_fixed_bodies_swing_as_one(planar: bool) -> None:
    """A compound pendulum: θ̈ = -g Σ m x/(Σ I + m |r|²) about the pin."""
    centres = np.array([[0.5, 0.1], [0.9, -0.3]])
    model = Model("weld", gravity=(0, -G) if planar else (0, -G, 0))
    bodies = []
    for i, c in enumerate(centres):
        if planar:
            nodes = model.point(f"c{i}", c.tolist()), model.angle(f"a{i}", 0.3 * i)
        else:
            start = (1, 0, 0, 0) if i else TILT
            nodes = model.point(f"c{i}", [*c.tolist(), 0.0]), model.rotation(f"a{i}", start)
        inertia = 0.2 if planar else (0.2, 0.2, 0.2)
        bodies.append(model.add(Body(f"b{i}", *nodes, mass=1.5, inertia=inertia)))
    at, axis = ((0, 0), None) if planar else ((0, 0, 0), (0, 0, 1))
    revolute("pin", model, bodies[0], at=at, axis=axis).angle.dof("angle")
    fixed("weld", *bodies)
    inertia = 0.4 + 1.5 * (centres**2).sum()
    expected = -G * 1.5 * centres[:, 0].sum() / inertia
    assert at_start(model).derivative()[0] == pytest.approx(expected, rel=1e-12)


def test_a_pair_of_places_is_on_the_bodies_axes() -> None:
    """Bodies that start anywhere come together; the angle is zero where their axes are parallel."""
    model = Model("arms")
    arms = [
        model.add(Body(n, model.point(n, (0, 0)), model.angle(f"{n} turn"), mass=1.0, inertia=0.1))
        for n in ("upper", "lower")
    ]
    upper, lower = arms
    shoulder = revolute("shoulder", model, upper, at=((0.1, 0.2), (-0.5, 0)))
    elbow = revolute("elbow", upper, lower, at=((0.5, 0), (-0.4, 0)))
    shoulder.angle.dof("a", start=0.3)
    elbow.angle.dof("b", start=0.5)
    model.output("x", lower.reference.position[0])
    model.output("y", lower.reference.position[1])
    found = outputs(at_start(model))
    assert found["x"] == pytest.approx(0.1 + np.cos(0.3) + 0.4 * np.cos(0.8), abs=1e-14)
    assert found["y"] == pytest.approx(0.2 + np.sin(0.3) + 0.4 * np.sin(0.8), abs=1e-14)


# Mistakes


def bodies() -> tuple[Model, Body, Body, Body]:
    """A model with two spatial bodies and a planar one."""
    model = Model("m")
    p, q = (
        model.add(Body(n, model.point(n, (0, 0, z)), model.rotation(f"{n} turn"), mass=1.0))
        for n, z in (("p", 0), ("q", 1))
    )
    flat = model.add(Body("flat", model.point("flat", (0, 0)), model.angle("flat turn"), mass=1.0))
    return model, p, q, flat


X = (1, 0, 0)
ORIGIN = (0, 0, 0)
MISTAKES: dict[str, tuple[Callable[..., object], str]] = {
    "no axis": (
        lambda m, p, q, f: revolute("j", p, q, at=ORIGIN),
        "revolute joint j: it has no axis",
    ),
    "planar axis": (lambda m, p, q, f: revolute("j", m, f, at=(0, 0), axis=X), "leave the axis"),
    "short axis": (lambda m, p, q, f: revolute("j", p, q, at=ORIGIN, axis=(1, 0)), "give 3 finite"),
    "zero axis": (
        lambda m, p, q, f: revolute("j", p, q, at=ORIGIN, axis=ORIGIN),
        "not all of them zero",
    ),
    "NaN axis": (
        lambda m, p, q, f: prismatic("j", p, q, axis=(np.nan, 0, 1)),
        "prismatic joint j: its axis",
    ),
    "planar place": (lambda m, p, q, f: revolute("j", p, q, at=(0, 0), axis=X), "give 3 numbers"),
    "no place": (lambda m, p, q, f: spherical("j", p, q, at=(np.inf, 0, 0)), "along x is inf"),
    "both spaces": (
        lambda m, p, q, f: spherical("j", p, f, at=ORIGIN),
        "bodies p, flat one is planar",
    ),
    "same body": (lambda m, p, q, f: fixed("j", p, p), "p and q are both body p"),
    "two grounds": (lambda m, p, q, f: fixed("j", m, m), "both sides are the ground"),
    "a point": (lambda m, p, q, f: fixed("j", p, q.reference), "give a Body, or the model"),
    "no model": (
        lambda m, p, q, f: fixed("j", p, Body("r", p.reference, p.orientation)),
        "body r is in no model",
    ),
    "other model": (lambda m, p, q, f: fixed("j", p, bodies()[1]), "of different models"),
    "other ground": (lambda m, p, q, f: fixed("j", p, Model("n")), "of different models"),
    "particle": (
        lambda m, p, q, f: fixed("j", p, m.add(Body("r", p.reference, mass=1.0))),
        "body r has no orientation",
    ),
    "shared point": (
        lambda m, p, q, f: revolute(
            "j", p, m.add(Body("r", p.reference, q.orientation)), at=X, axis=X
        ),
        "share the point p, but the joint is elsewhere",
    ),
    "slides on itself": (
        lambda m, p, q, f: prismatic("j", p, m.add(Body("r", p.reference, q.orientation)), axis=X),
        "nothing could slide",
    ),
    "parallel axes": (
        lambda m, p, q, f: universal("j", p, q, at=ORIGIN, axes=(X, (-2, 0, 0))),
        "are parallel",
    ),
    "one axis": (
        lambda m, p, q, f: universal("j", p, q, at=ORIGIN, axes=X),
        "the axis of p and that",
    ),
    "text": (
        lambda m, p, q, f: revolute("j", p, q, at=(1, "x", 2), axis=X),
        "give a number, or a text with its unit",
    ),
    "no name": (lambda m, p, q, f: fixed("", p, q), "a fixed joint needs a name"),
    "three places": (
        lambda m, p, q, f: revolute("j", p, q, at=(ORIGIN, ORIGIN, ORIGIN), axis=X),
        "at holds 3 places",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(mistake: str) -> None:
    make, message = MISTAKES[mistake]
    given = bodies()
    model, before = given[0], len(given[0].nodes) + len(given[0].elements)
    with pytest.raises(ModelError, match=message):
        make(*given)
    left = {*model.nodes, *model.elements} & {"j", "j.p", "j.q", "j.cross"}
    assert not left and len(model.nodes) + len(model.elements) - before <= 1, "nothing half made"


@pytest.mark.parametrize(
    ("joint", "places"),
    [
        (revolute, {"at": ORIGIN, "axis": X}),
        (prismatic, {"axis": X}),
        (planar, {"normal": X}),
        (universal, {"at": ORIGIN, "axes": (X, (0, 1, 0))}),
        (spherical, {"at": ORIGIN}),
        (fixed, {"at": ORIGIN}),
    ],
)
def test_a_joint_has_its_name(joint: Callable[..., Any], places: dict[str, Any]) -> None:
    model = Model("pair")
    body = Body(
        "body", model.point("own", ORIGIN), model.rotation("turn"), mass=1, inertia=(1, 1, 1)
    )
    made = joint("joint", model, model.add(body), **places)
    assert made.name == "joint"
    with pytest.raises(AttributeError, match="has no 'nam'; did you mean 'name'"):
        _ = made.nam
