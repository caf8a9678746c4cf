"""Dry friction of what rolls, blades included: sliding, and rolling as far as friction holds."""

from __future__ import annotations

from collections.abc import Callable
from math import atan, cos, hypot, sin, tan
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import Model, simulate
from mbcore.elements import (
    Ball,
    Body,
    Friction,
    Hinge,
    KnifeEdge,
    PlanarKnifeEdge,
    PlanarWheel,
    ThickWheel,
    Wheel,
)
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi import export
from mbcore.model.errors import ModelError, SimulationError
from mbcore.model.nodes.nodes import Rotation
from tests.conftest import Tools

G, MASS, RADIUS = 9.81, 0.3, 0.05


def turned(model: Model, rates: tuple[float, float, float]) -> Rotation:
    """Return a rotation after hinges about z, x and y, whose angles are degrees of freedom."""
    before = model.ground
    for axis, unit, rate in zip("zxy", np.roll(np.eye(3), 1, axis=0), rates, strict=True):
        node = model.rotation(f"turned {axis}")
        hinge = model.add(Hinge(f"hinge {axis}", before, node, axis=unit.tolist()))
        hinge.angle.dof(f"angle.{axis}", rate_start=rate)
        before = node
    return before


def thrown(
    velocity: tuple[float, float] = (3.0, 0.0),
    rates: tuple[float, float, float] = (0.0, 0.0, 0.0),
    slope: float = 0.0,
    **friction: float,
) -> Model:
    """A solid ball on a plane, that slopes down along x."""
    model = Model("ball", gravity=(G * sin(slope), 0, -G * cos(slope)))
    centre, contact = model.point("centre", (0, 0, RADIUS)), model.point("contact", (0, 0, 0))
    rotation = turned(model, rates)
    inertia = 0.4 * MASS * RADIUS**2
    model.add(Body("mass", centre, rotation, mass=MASS, inertia=(inertia,) * 3))
    ball = model.add(Ball("ball", centre, rotation, contact, radius=RADIUS))
    contact.x.dof("x", "v.x", rate_start=velocity[0])
    contact.y.dof("y", "v.y", rate_start=velocity[1])
    road = model.add(Friction("road", ball, **friction))
    for name in ("power", "load"):
        model.output(f"road.{name}", getattr(road, name))
    model.output("slip.x", ball.rolling_x.velocity)
    model.output("slip.y", ball.rolling_y.velocity)
    return model


def test_errors_of_an_integration_do_not_end_rolling() -> None:
    """An importer in Model Exchange leaves slips of the size of its tolerance."""
    slope = 0.1
    point = Evaluation(thrown((0, 0), (15, 0, 0), slope, coefficient=0.2).equations())
    point.start()
    place = [state.name for state in point.equations.states].index("v.x")
    for drift in (0, 1e-8, 1e-4):
        point.s[place] = drift
        assert point.derivative()[place] == pytest.approx(5 / 7 * G * sin(slope), rel=1e-9)


@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
def test_thrown_ball_rolls_with_five_sevenths(backend: str) -> None:
    coefficient, speed = 0.2, 3.0
    model = thrown((speed, 0.0), coefficient=coefficient)
    result = simulate(
        model.equations(), 1.0, rtol=1e-12, atol=1e-13, max_step=0.02, backend=backend
    )
    rolls = next(time for time, name in result.events if name == "road.stops")
    assert rolls == pytest.approx(2 * speed / (7 * coefficient * G), rel=1e-10)
    assert result.final("v.x") == pytest.approx(5 / 7 * speed, rel=1e-10)
    sliding = result.time < rolls
    np.testing.assert_allclose(
        result["v.x"][sliding], speed - coefficient * G * result.time[sliding], atol=1e-10
    )


@pytest.mark.heavy
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_fmu_of_a_thrown_ball(version: str, tmp_path: Path, tools: Tools) -> None:
    coefficient, speed = 0.2, 3.0
    equations = thrown((speed, 0.0), coefficient=coefficient).equations()
    [fmu] = export(equations, tmp_path, version, tools=tools)
    rows = simulate_fmu(
        fmu, stop_time=1.0, output_interval=0.1, relative_tolerance=1e-10, output=["v.x", "x"]
    )
    rolls = 2 * speed / (7 * coefficient * G)
    gone = speed * rolls - coefficient * G * rolls**2 / 2 + 5 / 7 * speed * (1 - rolls)
    assert rows["v.x"][-1] == pytest.approx(5 / 7 * speed, rel=1e-8)
    assert rows["x"][-1] == pytest.approx(gone, rel=1e-8)
    assert rows["v.x"][2] == pytest.approx(speed - coefficient * G * 0.2, rel=1e-8)


def wobbling(coefficient: float) -> Model:
    """The rolling disk of [SchwabMeijaard2003] with m = r = g = 1, on dry ground."""
    model = Model("disk", gravity=(0, 0, -1))
    yaw, lean, pitch = (model.rotation(name) for name in ("yaw", "lean", "pitch"))
    centre, contact = model.point("centre", (0, 0, 1)), model.point("contact", (0, 0, 0))
    model.add(Hinge("yaw hinge", model.ground, yaw, axis=(0, 0, 1))).angle.dof("yaw")
    leaning = model.add(Hinge("lean hinge", yaw, lean, axis=(1, 0, 0)))
    leaning.angle.dof("lean", rate_start=-0.01)
    pitching = model.add(Hinge("pitch hinge", lean, pitch, axis=(0, 1, 0)))
    pitching.angle.dof("pitch", rate_start=0.4116)
    wheel = model.add(Wheel("wheel", centre, pitch, contact, radius=1))
    contact.x.dof("x", rate_start=0.4116)
    contact.y.dof("y")
    model.add(Body("disk", centre, pitch, mass=1, inertia=(1 / 4, 1 / 2, 1 / 4)))
    road = model.add(Friction("road", wheel, coefficient=coefficient))
    forces = ca.vertcat(wheel.longitudinal_force, wheel.lateral_force)
    model.output("road.power", road.power)
    model.output("ratio", ca.norm_2(forces) / wheel.normal_force)
    model.output("energy", model.kinetic_energy + model.potential_energy)
    return model


@pytest.mark.heavy
@pytest.mark.usefixtures("hasty")
def test_disk_rolls_as_far_as_friction_holds() -> None:
    """It rolls where it needs 0.522 N/N at most, and else loses what friction takes."""
    options = {"rtol": 1e-9, "atol": 1e-11, "samples": 3001, "backend": "c"}
    rolling = simulate(wobbling(0.53).equations(), 30.0, **options)  # type: ignore[arg-type]
    assert np.ptp(rolling["energy"]) < 1e-8
    assert rolling["ratio"].max() == pytest.approx(0.5216, abs=2e-4)
    sliding = simulate(wobbling(0.3).equations(), 30.0, **options)  # type: ignore[arg-type]
    assert sliding["ratio"].max() < 0.3 * (1 + 1e-9)
    work = np.trapezoid(sliding["road.power"], sliding.time)
    assert sliding.final("energy") - sliding["energy"][0] == pytest.approx(work, abs=1e-6)
    assert work < -0.01
    assert sliding["road.power"].max() <= 0


@pytest.mark.heavy
def test_ball_with_english_slides_in_one_direction() -> None:
    """The slip keeps its direction, and the velocity changes by 2/7 of it [NeimarkFufaev]."""
    coefficient = 0.2
    model = thrown((3.0, 0.5), (3.0, 40.0, -30.0), coefficient=coefficient)
    result = simulate(model.equations(), 1.0, rtol=1e-12, atol=1e-13)
    slip = np.array([result["slip.x"][0], result["slip.y"][0]])
    assert slip == pytest.approx([3 + 30 * RADIUS, 0.5 + 40 * RADIUS], rel=1e-12)
    rolls = [time for time, name in result.events if name == "road.stops"][-1]
    assert rolls == pytest.approx(2 * hypot(*slip) / (7 * coefficient * G), rel=1e-10)
    assert result.final("v.x") == pytest.approx(3 - 2 / 7 * slip[0], rel=1e-10)
    assert result.final("v.y") == pytest.approx(0.5 - 2 / 7 * slip[1], rel=1e-10)
    assert np.hypot(result["slip.x"], result["slip.y"])[-1] < 1e-12
    assert result["road.power"].max() <= 0


@pytest.mark.heavy
def test_ball_on_a_slope_rolls_up_to_seven_halves_of_its_coefficient() -> None:
    slope = 0.5
    limit = 2 / 7 * tan(slope)
    rolling, sliding = (
        Evaluation(thrown((0.0, 0.0), slope=slope, coefficient=c).equations())
        for c in (limit * (1 + 1e-9), 0.9 * limit)
    )
    rolling.start()
    sliding.start()
    at = [record.name for record in rolling.equations.states].index("v.x")
    assert rolling.derivative()[at] == pytest.approx(5 / 7 * G * sin(slope), rel=1e-10)
    expected = G * (sin(slope) - 0.9 * limit * cos(slope))
    assert sliding.derivative()[at] == pytest.approx(expected, rel=1e-10)
    assert np.isfinite(sliding.derivative()).all()
    assert np.isfinite(rolling.derivative()).all()


def braked(rate: float = 200.0, static: float = 0.9) -> Model:
    """A planar wheel whose brake torque grows from zero at a given rate, N.m/s."""
    model = Model("braked")
    centre, spin = model.point("centre", (0, 0)), model.angle("spin")
    wheel = model.add(
        PlanarWheel("wheel", centre, model.angle("north", fixed=True), spin, radius=0.3)
    )
    model.add(Body("mass", centre, mass=20.0))
    model.add(Body("rim", model.point("hub", (0, 0), fixed=True), spin, mass=1.0, inertia=0.7))
    centre.x.dof("x", "v", rate_start=10.0)
    centre.y.dof("y", "w")
    spin.angle.dof("turn", "omega", rate_start=10.0 / 0.3)
    model.load(-rate * model.time, spin.rate)
    road = model.add(Friction("road", wheel, coefficient=0.8, static=static, load=20.0 * G))
    model.output("road.power", road.power)
    return model


def test_braked_wheel_slides_at_its_limit() -> None:
    """F = T r m / (m r² + J) while it rolls, and slides from F = μ_s m g on."""
    rate, until = 200.0, 0.5
    result = simulate(braked().equations(), until, rtol=1e-12, atol=1e-13, max_step=0.01)
    slides = next(time for time, name in result.events if name == "road.slides")
    torque = 0.9 * G * (20.0 * 0.3**2 + 0.7) / 0.3
    assert slides == pytest.approx(torque / rate, rel=1e-10)
    rolling = 10.0 - rate * slides**2 / 2 * 0.3 / (20.0 * 0.3**2 + 0.7)
    friction, rest = 0.8 * 20.0 * G, until - slides
    assert result.final("v") == pytest.approx(rolling - friction / 20.0 * rest, rel=1e-10)
    lost = rate * (until**2 - slides**2) / 2 - friction * 0.3 * rest
    turning = rolling / 0.3 - lost / 0.7
    assert result.final("omega") == pytest.approx(turning, rel=1e-10)
    assert result["road.power"].max() <= 0


def locked(part: float, thin: bool = False) -> Model:
    """A locked wheel on a slope whose pull is a part of its static friction."""
    slope = atan(0.6 * part)
    model = Model("locked", gravity=(G * sin(slope) * 0.8, G * sin(slope) * 0.6, -G * cos(slope)))
    centre, contact = model.point("centre", (0, 0, 0.3)), model.point("contact", (0, 0, 0))
    wheel: Wheel | ThickWheel
    if thin:
        wheel = Wheel("wheel", centre, model.ground, contact, radius=0.3)
    else:
        wheel = ThickWheel("wheel", centre, model.ground, contact, radius=0.3, crown_radius=0.1)
    model.add(wheel)
    model.add(Body("mass", centre, mass=7.0))
    contact.x.dof("x", "v.x")
    contact.y.dof("y", "v.y")
    model.add(Friction("road", wheel, coefficient=0.5, static=0.6))
    return model


@pytest.mark.parametrize("part", [pytest.param(0.3, marks=pytest.mark.heavy), 0.9, 0.999])
@pytest.mark.parametrize("thin", [False, True])
def test_stuck_wheel_does_not_creep(part: float, thin: bool) -> None:
    equations = locked(part, thin).equations()
    result = simulate(equations, 1e6, samples=11, max_step=1e6)  # no force depends on time
    for name in ("x", "y", "v.x", "v.y"):
        assert (result[name] == 0).all()
    assert (result["road.sticks"] == 1).all()


def test_locked_wheel_slides_down_its_slope() -> None:
    slope, until = atan(0.6 * 1.001), 0.5
    result = simulate(locked(1.001).equations(), until, rtol=1e-12, atol=1e-13, max_step=0.02)
    down = G * (sin(slope) - 0.5 * cos(slope)) * until**2 / 2
    assert result.final("x") == pytest.approx(0.8 * down, rel=1e-10)
    assert result.final("y") == pytest.approx(0.6 * down, rel=1e-10)


def blade(model: Model, planar: bool, **friction: float) -> None:
    """A block on a blade along x, thrown askew."""
    if planar:
        point = model.point("point", (0, 0))
        edge = PlanarKnifeEdge("blade", point, model.angle("east", fixed=True))
        friction = {**friction, "load": MASS * G}
    else:
        point = model.point("point", (0, 0, 0))
        edge = KnifeEdge("blade", point, model.ground, blade=(1, 0, 0))
    model.add(edge)
    model.add(Body("mass", point, mass=MASS))
    point.x.dof("x", "v.x", rate_start=2.0)
    point.y.dof("y", "v.y", rate_start=1.0)
    model.add(Friction("rubbing", edge, **friction))


@pytest.mark.parametrize("planar", [True, False])
def test_blade_stops_sideways_and_slides_on_along_itself(planar: bool) -> None:
    model = Model("skate", gravity=None if planar else (0, 0, -G))
    blade(model, planar, coefficient=0.4)
    result = simulate(model.equations(), 1.0, rtol=1e-12, atol=1e-13, max_step=0.02)
    assert result.final("v.y") == 0
    assert result.final("v.x") == pytest.approx(2.0, rel=1e-12)
    assert result.final("y") == pytest.approx(1 / (2 * 0.4 * G), rel=1e-10)
    stops = next(time for time, name in result.events if name == "rubbing.stops")
    assert stops == pytest.approx(1 / (0.4 * G), rel=1e-10)


def test_derivatives_while_sliding_and_rolling() -> None:
    """Exact directional derivatives against differences of the rates, also at zero slip."""
    point = Evaluation(thrown(coefficient=0.2).equations())
    names = [record.name for record in point.equations.states]
    turning = {"angle.z": 0.3, "angle.x": 0.2, "angle.x_rate": 4.0}
    rolling = {"angle.x": 0.0, "angle.x_rate": 0.0, "angle.y_rate": 3.0 / RADIUS}
    for start in (turning, rolling):
        point.renew()
        point.start({"v.x": 3.0, "v.y": 0.5 if start is turning else 0.0, **start})
        exact = point.jacobian()
        assert np.isfinite(exact).all()
        for i in range(len(names)):
            rates = []
            for side in (1e-6, -1e-6):
                point.s[i] += side
                point.configure()
                rates.append(point.derivative().copy())
                point.s[i] -= side
            assert exact[:, i] == pytest.approx((rates[0] - rates[1]) / 2e-6, abs=1e-5), names[i]


def test_surface_does_not_pull() -> None:
    model = Model("lifted", gravity=(0, 0, -G))
    point = model.point("point", (0, 0, 0))
    edge = model.add(KnifeEdge("blade", point, model.ground, blade=(0, 1, 0)))
    model.add(Body("mass", point, mass=MASS))
    point.x.dof("x", "v.x", rate_start=1.0)
    point.y.dof("y", "v.y")
    model.load(10 * model.time, point.velocity[2])
    model.add(Friction("rubbing", edge, coefficient=0.4))
    with pytest.raises(SimulationError, match=r"rubbing\.presses.*lift off its surface"):
        simulate(model.equations(), 1.0)


def no_model() -> None:
    model = Model("other")
    centre, angle = model.point("centre", (0, 0)), model.angle("angle")
    wheel = PlanarWheel("wheel", centre, angle, angle, radius=1)
    model.add(Friction("road", wheel, coefficient=0.5, load=1.0))


def two_frictions() -> None:
    model = thrown(coefficient=0.5)
    model.add(Friction("ice", model.elements["ball"], coefficient=0.1))


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "load is missing": (
        lambda: blade_of({"coefficient": 0.5}, True),
        "give it as load=",
    ),
    "load is known": (lambda: thrown(coefficient=0.5, load=3.0), "leave load out"),
    "pin": (lambda: thrown(coefficient=0.5, radius=0.1), "radius is for hinges"),
    "preload": (lambda: thrown(coefficient=0.5, preload=0.1), "preload is for hinges"),
    "coefficient": (lambda: thrown(coefficient=-0.5), "coefficient"),
    "static": (lambda: thrown(coefficient=0.5, static=0.4), "static"),
    "two of them": (
        two_frictions,
        "ice: a condition holds ball.rolling_x already.* give the ball ball one friction",
    ),
    "no model": (no_model, "add the wheel wheel to a model first"),
}


def blade_of(friction: dict[str, float], planar: bool) -> None:
    model = Model("blade")
    point = model.point("point", (0, 0))
    edge = model.add(PlanarKnifeEdge("blade", point, model.angle("east", fixed=planar)))
    model.add(Friction("rubbing", edge, **friction))


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(mistake: str) -> None:
    wrong, message = MISTAKES[mistake]
    with pytest.raises(ModelError, match=message):
        wrong()
