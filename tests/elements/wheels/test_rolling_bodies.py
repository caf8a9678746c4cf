"""Balls, thick wheels and convex bodies on surfaces, against closed forms and each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np
import pytest

from mbcore import (
    Ball,
    Body,
    ConvexBody,
    Hinge,
    Model,
    ModelError,
    RoleError,
    SimulationError,
    ThickWheel,
    Wheel,
    ellipsoid,
    linearize,
    simulate,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.nodes.nodes import Point, Rotation
from mbcore.model.nodes.rotations import about

G = 9.81
EXACT = {"rtol": 1e-11, "atol": 1e-13}


def turned(model: Model, axes: str, **rates: float) -> Rotation:
    """A rotation held by hinges in a row, whose angles are degrees of freedom."""
    before = model.ground
    for axis in axes:
        node = model.rotation(f"turned {axis}")
        unit = [float(axis == name) for name in "xyz"]
        hinge = model.add(Hinge(f"hinge {axis}", before, node, axis=unit))
        hinge.angle.dof(f"angle.{axis}", rate_start=rates.get(axis, 0.0))
        before = node
    return before


def solid_ball(model: Model, centre: Point, rotation: Rotation, mass: float, radius: float) -> None:
    model.add(Body("mass", centre, rotation, mass=mass, inertia=(0.4 * mass * radius**2,) * 3))


def outputs(point: Evaluation) -> dict[str, float]:
    names = [record.name for record in point.equations.outputs]
    return dict(zip(names, map(float, point.output()), strict=True))


# Balls


def ball_on_turntable(tilt: float = 0.0, omega: float = 2.0, pivots: bool = True) -> Model:
    """A solid ball of 0.1 m on a disk that turns about its normal, tilted about y."""
    radius, model = 0.1, Model("turntable", gravity=(0, 0, -G))
    base = model.rotation("base", about((0, 1, 0), tilt), fixed=True)
    table, origin = model.rotation("table"), model.point("origin", (0, 0, 0), fixed=True)
    drive = model.add(Hinge("drive", base, table, axis=(0, 0, 1)))
    drive.angle.prescribe(omega * model.time)
    normal = np.array([np.sin(tilt), 0, np.cos(tilt)])
    start = 0.3 * np.array([np.cos(tilt), 0, -np.sin(tilt)])
    centre = model.point("centre", (start + radius * normal).tolist())
    contact = model.point("contact", start.tolist())
    rotation = turned(model, "xyz", x=2.0, y=1.5, z=0.7)
    ball = model.add(Ball("ball", centre, rotation, contact, radius=radius, frame=(origin, table)))
    if not pivots:
        ball.spin.zero()
    solid_ball(model, centre, rotation, 0.5, radius)
    contact.x.kinematic("x", start[0])
    contact.y.kinematic("y", 0.0)
    for i, axis in enumerate("xyz"):
        model.output(f"v.{axis}", centre.velocity[i])
        model.output(f"a.{axis}", centre.acceleration[i])
        model.output(f"omega.{axis}", rotation.angular_velocity[i])
        model.output(f"alpha.{axis}", rotation.angular_acceleration[i])
    model.output("normal", ball.normal_force)
    model.output("spin", ball.spin.rate)
    return model


@pytest.mark.parametrize("tilt", [0.2, pytest.param(0.0, marks=pytest.mark.heavy)])
def test_ball_on_a_turntable_is_turned_with_two_sevenths(tilt: float) -> None:
    """a = (2/7) Ω × v + (5/7) g_t, whatever the position: a circle, or a drifting one."""
    point = Evaluation(ball_on_turntable(tilt).equations())
    normal = np.array([np.sin(tilt), 0, np.cos(tilt)])
    along = np.array([0, 0, -G]) + G * np.cos(tilt) * normal
    random = np.random.default_rng(3)
    for _ in range(3):
        start = {f"angle.{axis}_rate": float(random.normal()) for axis in "xyz"}
        point.start({**start, "x": 0.2, "y": 0.1, "angle.x": 0.3, "angle.y": -0.2})
        found = outputs(point)
        v, a, w = (np.array([found[f"{n}.{axis}"] for axis in "xyz"]) for n in ("v", "a", "omega"))
        np.testing.assert_allclose(a, 2 / 7 * np.cross(2 * normal, v) + 5 / 7 * along, atol=1e-12)
        assert found["spin"] == pytest.approx(w @ normal - 2, rel=1e-12)  # relative to the table
        assert found["normal"] == pytest.approx(0.5 * G * np.cos(tilt), rel=1e-12)


@pytest.mark.heavy
def test_ball_that_does_not_pivot_keeps_the_table_s_turning() -> None:
    model = ball_on_turntable(pivots=False)
    rotation = model.nodes["turned z"]
    assert isinstance(rotation, Rotation)
    model.output("pivoting", rotation.angular_velocity[2])
    with pytest.raises(RoleError, match="release 1 of them"):
        model.equations()
    model.elements["hinge z"].angle.release().kinematic("angle.z")
    point = Evaluation(model.equations())
    point.start({"angle.x": 0.3, "angle.y": -0.2})
    found = outputs(point)
    assert found["pivoting"] == pytest.approx(2.0, rel=1e-13)
    v, a = (np.array([found[f"{name}.{axis}"] for axis in "xyz"]) for name in "va")
    np.testing.assert_allclose(a, 2 / 7 * np.cross((0, 0, 2), v), atol=1e-12)


def in_a_bowl(place: float, ball: float = 0.5) -> Model:
    """A solid ball in a sphere of 2 m whose lowest point is the origin, at an angle ``place``."""
    radius, model = 2.0, Model("bowl", gravity=(0, 0, -G))
    middle = np.array([0, 0, radius])
    down = np.array([np.sin(place), 0, -np.cos(place)])
    centre = model.point("centre", (middle + (radius - ball) * down).tolist())
    contact = model.point("contact", (middle + radius * down).tolist())
    rotation = turned(model, "xyz")
    element = Ball(
        "ball",
        centre,
        rotation,
        contact,
        radius=ball,
        surface=lambda c: (radius**2 - c[0] ** 2 - c[1] ** 2 - (c[2] - radius) ** 2) / 2 / radius,
    )
    model.add(element)
    solid_ball(model, centre, rotation, 1.0, ball)
    contact.x.kinematic("x", radius * np.sin(place))
    contact.y.kinematic("y", 0.0)
    model.output("energy", model.kinetic_energy + model.potential_energy)
    model.output("normal", element.normal_force)
    return model


def test_ball_rolls_in_a_bowl_like_a_pendulum() -> None:
    """θ̈ = -(5/7) g sin θ/(R - r): the small frequency, the energy, the force at the bottom."""
    rate, amplitude = np.sqrt(5 * G / 7 / 1.5), 0.4
    equations = in_a_bowl(amplitude).equations()
    run = simulate(equations, 1.0, **EXACT)
    assert np.ptp(run["energy"]) < 1e-9
    # Where x = 0, (7/5) (R - r)² θ̇²/2 = g (R - r) (1 - cos θ_0), and N = m g + m (R - r) θ̇².
    bottom = int(np.argmin(np.abs(run["x"])))
    high = 1 - np.cos(amplitude) - (run["x"][bottom] / 2) ** 2 / 2
    assert run["normal"][bottom] == pytest.approx(G + 10 / 7 * G * high, rel=1e-3)
    small = simulate(equations, np.pi / rate, start={"x": 1e-4}, samples=2, **EXACT)
    assert small.final("x") == pytest.approx(-1e-4, rel=1e-7)


@pytest.mark.heavy
def test_ball_that_starts_at_a_steep_place_rolls_through_the_bowl() -> None:
    """At the start the surface says most of the contact point's x, at the bottom nothing."""
    run = simulate(in_a_bowl(1.2).equations(), 1.2, **EXACT)
    assert np.ptp(run["energy"]) < 1e-9 * abs(run["energy"]).max()
    assert run["x"].min() < -1.0
    lowest = int(np.argmin(np.abs(run["x"])))
    # N = m g + (10/7) m g (1 - cos θ_0) at the bottom.
    high = 1 - np.cos(1.2) - (run["x"][lowest] / 2) ** 2 / 2
    assert run["normal"][lowest] == pytest.approx(G + 10 / 7 * G * high, rel=1e-2)


def test_wheel_that_falls_is_refused_by_name_where_it_lies_flat() -> None:
    with pytest.raises(SimulationError, match=r"wheel\.flat is reached at t = .* it lies flat"):
        simulate(disk(torus(0.1)).equations(), 2.0, start={"angle.x": 0.1}, rtol=1e-6)


@pytest.mark.heavy
def test_ball_rolls_under_a_ceiling() -> None:
    """Pressed up, v = ω x (0, 0, -r): mirrored in its plane, it goes as a ball on the floor."""
    model = Model("ceiling", gravity=(0, 0, G))
    rotation = model.rotation("turning")
    rotation.free(angular_velocity=(1, 2, 0.3))
    centre, contact = model.point("centre", (0, 0, -1)), model.point("contact", (0, 0, 0))
    element = Ball("ball", centre, rotation, contact, radius=1, surface=lambda c: -c[2])
    model.add(element)
    solid_ball(model, centre, rotation, 1.0, 1.0)
    contact.x.kinematic("x")
    contact.y.kinematic("y")
    model.output("height", centre.position[2])
    model.output("normal", element.normal_force)
    run = simulate(model.equations(), 0.5, samples=2)
    found = [run.final(name) for name in ("x", "y", "height", "normal")]
    assert found == pytest.approx([-1.0, 0.5, -1.0, G], rel=1e-9)


def test_ball_that_no_law_holds_up_does_not_fall_through_the_floor() -> None:
    """Its middle is at the floor's level when it has fallen its radius."""
    model = Model("soft floor", gravity=(0, 0, -G))
    centre, contact = model.point("centre", (0, 0, 0.1)), model.point("contact", (0, 0, 0))
    ball = model.add(Ball("ball", centre, turned(model, "xyz"), contact, radius=0.1))
    solid_ball(model, centre, ball.rotation, 1.0, 0.1)
    ball.normal.dof("normal")
    contact.x.kinematic("x")
    contact.y.kinematic("y")
    with pytest.raises(SimulationError, match=r"ball\.side is reached at t = (\S*):") as refused:
        simulate(model.equations(), 1.0)
    told = float(str(refused.value).split("t = ")[1].split(":")[0])
    assert told == pytest.approx(np.sqrt(0.2 / G), rel=1e-4)


@pytest.mark.heavy
def test_ball_slides_until_a_viscous_law_stops_it() -> None:
    """m v̇ = -k s and 2/5 m r² ω̇ = k s r give ṡ = -7/2 (k/m) s, in both directions."""
    model, k, m = Model("bowling"), 0.3, 2.0
    centre, contact = model.point("centre", (0, 0, 0.1)), model.point("contact", (0, 0, 0))
    rotation = turned(model, "xyz")
    ball = model.add(Ball("ball", centre, rotation, contact, radius=0.1))
    solid_ball(model, centre, rotation, m, 0.1)
    for slip in (ball.rolling_x, ball.rolling_y):
        slip.release().law(k * slip.velocity)
    centre.x.dof("x", "vx", rate_start=1.4)
    centre.y.dof("y", "vy", rate_start=-0.7)
    model.output("sx", ball.rolling_x.velocity)
    model.output("force", ball.tangential_forces[1])
    run = simulate(model.equations(), 0.5, **EXACT)
    gone = np.exp(-3.5 * k / m * 0.5)
    assert run.final("sx") == pytest.approx(1.4 * gone, rel=1e-9)
    assert run.final("vx") == pytest.approx(1.4 * (5 + 2 * gone) / 7, rel=1e-9)
    assert run.final("force") == pytest.approx(0.7 * k * gone, rel=1e-9)


# Thick wheels


MASS, DIAMETRAL, POLAR = 1.3, 0.31, 0.44


def disk(make: Callable[[Model, Point, Rotation, Point], object], **rates: float) -> Model:
    """A wheel of 1 m that rolls on the ground, given by what touches."""
    model = Model("disk", gravity=(0, 0, -G))
    centre, contact = model.point("centre", (0, 0, 1)), model.point("contact", (0, 0, 0))
    rotation = turned(model, "zxy", **rates)
    make(model, centre, rotation, contact)
    inertia = (DIAMETRAL, POLAR, DIAMETRAL)
    model.add(Body("disk", centre, rotation, mass=MASS, inertia=inertia))
    contact.x.kinematic("x", 0.0)
    contact.y.kinematic("y", 0.0)
    model.output("energy", model.kinetic_energy + model.potential_energy)
    return model


def torus(crown: float, **options: object) -> Callable[..., object]:
    return lambda model, *nodes: model.add(
        ThickWheel("wheel", *nodes, radius=1.0, crown_radius=crown, **options)
    )


def thin(model: Model, *nodes: object) -> object:
    return model.add(Wheel("wheel", *nodes, radius=1.0))


WOBBLING = {"z": 0.3, "x": 0.8, "y": 1.5}


@pytest.mark.heavy
def test_thick_wheel_tends_to_the_thin_one_in_proportion_to_its_crown_radius() -> None:
    def final(make: Callable[..., object]) -> np.ndarray:
        run = simulate(disk(make, z=0.3, x=0.1, y=1.5).equations(), 1.0, **EXACT)
        return np.array([run.final(name) for name in ("x", "y", "angle.x")])

    limit = final(thin)
    error = np.array([final(torus(crown)) - limit for crown in (0.02, 0.01, 0.005)])
    assert np.abs(error[0]).min() > 1e-3
    assert error[:-1] / error[1:] == pytest.approx(2.0, abs=0.03)
    assert final(torus(0.0)) == pytest.approx(limit, abs=1e-12)


@pytest.mark.heavy
def test_wheel_whose_crown_radius_is_its_radius_is_a_ball() -> None:
    def ball(model: Model, *nodes: object) -> object:
        return model.add(Ball("wheel", *nodes, radius=1.0))

    wheels = [torus(1.0), torus(1.0 - 1e-12), ball]
    runs = [simulate(disk(make, **WOBBLING).equations(), 1.0, **EXACT) for make in wheels]
    for run in runs:
        assert [run.final(n) for n in ("x", "y", "angle.x")] == pytest.approx(
            [runs[-1].final(n) for n in ("x", "y", "angle.x")], abs=1e-9
        )
        assert np.ptp(run["energy"]) < 1e-9


@pytest.mark.parametrize(
    ("size", "part"), [(1.0, 0.3), (1.0, 1.8), pytest.param(10.0, 0.3, marks=pytest.mark.heavy)]
)
def test_lean_of_a_rolling_torus_has_its_closed_form(size: float, part: float) -> None:
    """λ² = (m g (r - ρ) - C (C + m r²) Ω²/A)/(A + m r²), by hand.

    About the contact point, with lean φ, yaw rate χ and spin Ω, the arm to the contact point is
    (0, (r - ρ) φ, -r): (A + m r²) φ̈ = (C + m r²) Ω χ + m g (r - ρ) φ, and A χ̇ + C Ω φ̇ = 0.
    """
    crown, r = part * size, size
    model = Model("torus", gravity=(0, 0, -G))
    centre, contact = model.point("centre", (0, 0, r)), model.point("contact", (0, 0, 0))
    rotation = turned(model, "zxy")
    model.add(ThickWheel("wheel", centre, rotation, contact, radius=r, crown_radius=crown))
    A, C = DIAMETRAL * size**2, POLAR * size**2
    model.add(Body("disk", centre, rotation, mass=MASS, inertia=(A, C, A)))
    contact.x.kinematic("x", 0.0)
    contact.y.kinematic("y", 0.0)
    equations = model.equations()
    for spin in (0.5, 3.0):
        found = linearize(equations, {"angle.y_rate": spin}).eigenvalues()
        whole = MASS * G * (r - crown) - C * (C + MASS * r**2) * spin**2 / A
        expected = np.sqrt(complex(whole / (A + MASS * r**2)))
        for value in (expected, -expected):
            assert np.abs(found - value).min() < 1e-8


@pytest.mark.parametrize("crown", [0.4, 3.0])
def test_conical_tread_is_a_wheel_beside_its_plane(crown: float) -> None:
    """Its arcs are those of a wheel of radius r + ρ (1 - cos γ), moved by -ρ sin γ e."""
    cone, found = 0.2, []
    up = 1.0 + crown * (1 - np.cos(cone))
    for conical in (True, False):
        model = Model("cone", gravity=(0, 0, -G))
        centre, contact = model.point("centre", (0, 0, up)), model.point("contact", (0, 0, 0))
        rotation = turned(model, "zxy")
        inertia = (DIAMETRAL, POLAR, DIAMETRAL)
        body = model.add(Body("disk", centre, rotation, mass=MASS, inertia=inertia))
        if conical:
            own = {"radius": 1.0, "cone": cone}
            model.add(ThickWheel("wheel", centre, rotation, contact, crown_radius=crown, **own))
        else:
            beside = body.point("beside", (0, -crown * np.sin(cone), 0))
            own = {"radius": up}
            model.add(ThickWheel("wheel", beside, rotation, contact, crown_radius=crown, **own))
        contact.x.kinematic("x", 0.0)
        contact.y.kinematic("y", 0.0)
        for i, axis in enumerate("xyz"):
            model.output(f"centre.{axis}", centre.position[i])
        start = {"angle.x": 0.3, "angle.x_rate": 0.1, "angle.y_rate": 2.0}
        run = simulate(model.equations(), 0.5, start=start, backend="python", **EXACT)
        names = ("x", "y", "angle.x", "angle.z", "centre.x", "centre.y", "centre.z")
        found.append([run.final(name) for name in names])
    assert found[0] == pytest.approx(found[1], abs=1e-10)


def test_leaning_by_its_cone_a_wheel_stands_on_the_middle_of_its_tread() -> None:
    for crown in (0.5, 40.0):
        model = Model("cone")
        up = 0.8 + crown * (1 - np.cos(0.1))
        centre, contact = model.point("centre", (0, 0, up)), model.point("contact", (0, 0, 0))
        rotation = turned(model, "zxy")
        own = {"radius": 0.8, "crown_radius": crown, "cone": 0.1}
        model.add(ThickWheel("wheel", centre, rotation, contact, **own))
        model.add(Body("disk", centre, rotation, mass=1.0, inertia=(1.0, 1.0, 1.0)))
        contact.x.kinematic("x", 0.0)
        contact.y.kinematic("y", 0.0)
        model.output("height", centre.z.value)
        point = Evaluation(model.equations())
        point.start({"angle.x": -0.1})  # the axle points down by the cone's angle
        assert point.output()[0] == pytest.approx(0.8 * np.cos(0.1), abs=1e-12)


@pytest.mark.heavy
def test_thick_wheel_in_a_cylinder_rolls_like_a_pendulum() -> None:
    """The upright torus of radius r moves like a disk: λ² = -m g/((C/r² + m)(R - r))."""
    R = 5.0
    surface = torus(0.2, surface=lambda c: (R**2 - c[0] ** 2 - (c[2] - R) ** 2) / 2 / R)
    model = disk(surface)
    found = linearize(model.equations(), {}).eigenvalues()
    rate = np.sqrt(MASS * G / (POLAR + MASS) / (R - 1))
    assert np.abs(found - 1j * rate).min() < 1e-7


# Convex bodies


@pytest.mark.heavy
def test_sphere_by_its_support_function_is_a_ball() -> None:
    def sphere(model: Model, *nodes: object) -> object:
        shape = ellipsoid((1.0, 1.0, 1.0))
        return model.add(ConvexBody("wheel", *nodes, support=shape))

    def ball(model: Model, *nodes: object) -> object:
        return model.add(Ball("wheel", *nodes, radius=1.0))

    ours, reference = (
        simulate(disk(make, **WOBBLING).equations(), 1.0, **EXACT) for make in (sphere, ball)
    )
    for name in ("x", "y", "angle.x", "angle.z"):
        assert ours.final(name) == pytest.approx(reference.final(name), abs=1e-10)


@pytest.mark.heavy
def test_sphere_on_a_turntable_is_turned_with_two_sevenths() -> None:
    model = Model("turntable", gravity=(0, 0, -G))
    table, origin = model.rotation("table"), model.point("origin", (0, 0, 0), fixed=True)
    drive = model.add(Hinge("drive", model.ground, table, axis=(0, 0, 1)))
    drive.angle.prescribe(2.0 * model.time)
    centre, contact = model.point("centre", (0.3, 0, 0.1)), model.point("contact", (0.3, 0, 0))
    rotation = model.rotation("turning").free(angular_velocity=(2.0, -1.0, 0.5))
    shape = ellipsoid((0.1, 0.1, 0.1))
    frame = (origin, table)
    model.add(ConvexBody("ball", centre, rotation, contact, support=shape, frame=frame))
    solid_ball(model, centre, rotation, 0.5, 0.1)
    contact.x.kinematic("x", 0.3)
    contact.y.kinematic("y", 0.0)
    for i in range(3):
        model.output(f"v{i}", centre.velocity[i])
        model.output(f"a{i}", centre.acceleration[i])
    point = Evaluation(model.equations())
    point.start()
    found = point.output()
    np.testing.assert_allclose(found[1::2], 2 / 7 * np.cross((0, 0, 2), found[::2]), atol=1e-13)
    assert np.abs(found[1::2]).max() > 0.1


def ellipsoid_on_ground(axes: Sequence[float]) -> Model:
    model = Model("egg", gravity=(0, 0, -G))
    centre, contact = model.point("centre", (0, 0, axes[2])), model.point("contact", (0, 0, 0))
    rotation = turned(model, "zxy")
    model.add(ConvexBody("egg", centre, rotation, contact, support=ellipsoid(axes)))
    model.add(Body("mass", centre, rotation, mass=2.0, inertia=(0.3, 0.4, 0.5)))
    contact.x.kinematic("x", 0.0)
    contact.y.kinematic("y", 0.0)
    model.output("energy", model.kinetic_energy + model.potential_energy)
    return model


@pytest.mark.parametrize("size", [1.0, pytest.param(10.0, marks=pytest.mark.heavy)])
def test_ellipsoid_rocks_on_its_flat_side(size: float) -> None:
    """λ² = -m g (κ - c)/(I + m c²) with the radius of curvature κ = a²/c, about both axes."""
    a, b, c = size * 0.8, size * 0.5, size * 0.3
    found = linearize(ellipsoid_on_ground((a, b, c)).equations(), {}).eigenvalues()
    for along, inertia in ((a, 0.4), (b, 0.3)):
        rate = np.sqrt(2 * G * (along**2 / c - c) / (inertia + 2 * c**2))
        assert np.abs(found - 1j * rate).min() < 1e-7


@pytest.mark.heavy
def test_tumbling_ellipsoid_keeps_its_energy() -> None:
    run = simulate(
        ellipsoid_on_ground((0.8, 0.5, 0.6)).equations(),
        2.0,
        start={"angle.z_rate": 1.0, "angle.y_rate": 2.0, "angle.x_rate": 0.5},
        **EXACT,
    )
    assert np.ptp(run["energy"]) < 1e-9 * run["energy"][0]
    assert np.ptp(run["x"]) > 0.5


# Mistakes


def nodes(upright: bool = True) -> tuple[Point, Rotation, Point]:
    turn = about((1, 0, 0), 0.0 if upright else np.pi / 2)
    return Point("w", (0, 0, 1)), Rotation("e", turn), Point("c", (0, 0, 0))


def box(n: ca.SX) -> ca.SX:
    return 0.3 * ca.fabs(n[0]) + 0.5 * ca.fabs(n[1]) + 0.2 * ca.fabs(n[2])


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "radius 0": (lambda: Ball("b", *nodes(), radius=0), "ball b: radius = 0 m must be greater"),
    "ball under its floor": (
        lambda: Ball("b", nodes()[2], nodes()[1], nodes()[0], radius=1),
        "its centre c starts 1 m below the surface; start it on the side",
    ),
    "planar contact": (
        lambda: Ball("b", *nodes()[:2], Point("c", (0, 0)), radius=1),
        r"given as contact\) has 2 coordinates",
    ),
    "no frame": (lambda: Ball("b", *nodes(), radius=1, frame=Point("o", (0, 0, 0))), "frame is"),
    "vector surface": (lambda: Ball("b", *nodes(), radius=1, surface=lambda c: c), "its surface"),
    "constant surface": (
        lambda: Ball("b", *nodes(), radius=1, surface=lambda c: ca.SX(1)),
        "its surface gives 1; give a function of a place",
    ),
    "no surface": (lambda: Ball("b", *nodes(), radius=1, surface=None), "surface is None"),
    "no normal": (
        lambda: Ball("b", *nodes(), radius=1, surface=lambda c: ca.dot(c, c)),
        "its surface has no normal where it is touched at the start",
    ),
    "no support": (lambda: ConvexBody("b", *nodes(), support=None), "support is None"),
    "ball above its bowl": (lambda: in_a_bowl(0.0, ball=2.1), "more curved than the body"),
    "flat wheel": (
        lambda: ThickWheel("w", *nodes(upright=False), radius=1, crown_radius=0.1),
        "thick wheel w: at the start, it lies flat",
    ),
    "barrel on its tip": (
        lambda: ThickWheel("w", *nodes(upright=False), radius=1, crown_radius=1.5),
        "at the start, it lies on the end of its tread",
    ),
    "blunt cone": (
        lambda: ThickWheel("w", *nodes(), radius=1, crown_radius=0.1, cone=1.6),
        "cone = 1.6 rad must be less than",
    ),
    "cone on an edge": (
        lambda: ThickWheel("w", *nodes(), radius=1, crown_radius=0, cone=0.1),
        "touches on its edge, where cone = 0.1 rad changes nothing; give a crown_radius",
    ),
    "negative crown": (
        lambda: ThickWheel("w", *nodes(), radius=1, crown_radius=-0.1),
        "crown_radius = -0.1 m must not be negative",
    ),
    "no axle": (
        lambda: ThickWheel("w", *nodes(), radius=1, crown_radius=0.1, axle=(0, 0, 0)),
        "axle .* has no direction",
    ),
    "edge": (lambda: ConvexBody("b", *nodes(), support=box), "has an edge at the normal"),
    "gauge": (
        lambda: ConvexBody("b", *nodes(), support=lambda n: ca.dot(n, n)),
        "is not homogeneous",
    ),
    "hollow": (
        lambda: ConvexBody("b", *nodes(), support=lambda n: -ca.norm_2(n)),
        "is not convex",
    ),
    "no function": (
        lambda: ConvexBody("b", *nodes(), support=lambda n: n),
        "give a scalar function of a normal",
    ),
    "flat ellipsoid": (lambda: ellipsoid((1, 0, 1)), r"semi_axes\[1\] = 0 m must be greater"),
    "two axes": (lambda: ellipsoid((1, 1)), "3 components"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(mistake: str) -> None:
    make, message = MISTAKES[mistake]
    with pytest.raises(ModelError, match=message):
        make()


def test_ball_at_the_rim_is_refused_by_name() -> None:
    """Where the normal is level, x and y do not say where the contact point is."""
    with pytest.raises(RoleError, match=r"ball\.surface \(rigid\), contact\.x \(kinematic"):
        in_a_bowl(np.pi / 2).equations()
