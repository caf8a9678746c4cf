"""Balls and blocks that slide, stick and rest on a slope, against closed forms."""

from __future__ import annotations

from math import cos, pi, radians, sin
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.optimize import brentq

from mbcore import (
    Bearing,
    Body,
    FrictionLaw,
    Model,
    ModelError,
    RoleError,
    SimulationError,
    simulate,
    simulate_many,
)
from mbcore.contact import HuntCrossley, Impact, KelvinVoigt, LankaraniNikravesh
from mbcore.contact.hertz import ContactLaw
from mbcore.contact.plane_contact import plane_contact
from mbcore.host.backend import Backend
from mbcore.results.result import Result
from mbcore.vibration import periodic_solution
from tests.contact.test_sticking_contact import started

MASS, RADIUS, GRAVITY, MU = 2.0, 0.05, 9.81, 0.3
SPHERE, CYLINDER = 2 / 5, 1 / 2
LINEAR = KelvinVoigt(1e6, 1e3)
HERTZ = LankaraniNikravesh(6e10, 0.5)
HUNT = HuntCrossley(stiffness=6e10, restitution=0.5)
HEAVY = pytest.mark.heavy


def body(
    law: ContactLaw,
    slope: float,
    *,
    shape: float | None = None,
    friction: Any = MU,
    height: float | None = None,
    **rates: float,
) -> Model:
    """A body on a plane that falls towards x; a block, or of the inertia ``shape`` m R²."""
    model = Model("slope", gravity=(0, -GRAVITY))
    plane, tilt = model.point("plane", fixed=True), model.angle("tilt", -slope, fixed=True)
    centre, turn = model.point("centre"), model.angle("turn", -slope, fixed=shape is None)
    foot = model.add(Bearing("foot", plane, tilt, centre, turn))
    depth = 0.0
    if height is None:
        weight = MASS * GRAVITY * cos(slope)
        depth = brentq(lambda d: float(law(d, 0, 0)) - weight, 1e-12, 1e-3, xtol=1e-20, rtol=1e-15)
    foot.x.dof("x", "vx", 0.0, rates.get("vx", 0.0))
    foot.y.dof("y", "vy", RADIUS - depth + (height or 0.0), rates.get("vy", 0.0))
    inertia = 0.0
    if shape is not None:
        inertia = shape * MASS * RADIUS**2
        foot.rotation.dof("angle", "spin", rate_start=rates.get("spin", 0.0))
    model.add(Body("body", centre, None if shape is None else turn, mass=MASS, inertia=inertia))
    found = plane_contact(model, foot, RADIUS, law, friction=friction)
    for name in ("force", "friction_force", "sliding_speed", "sticks", "in_contact"):
        model.output(name, getattr(found, name))
    model.state("rubbed", found.friction_force * found.sliding_speed, unit="J", nominal=1e-3)
    model.state("pressed", found.force * found.penetration_rate, unit="J", nominal=1e-3)
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    return model


@pytest.mark.parametrize(
    ("law", "slope"),
    [(HERTZ, 10.0), pytest.param(LINEAR, -16.6, marks=HEAVY), pytest.param(HUNT, 0.0, marks=HEAVY)],
)
def test_a_block_inside_the_cone_rests_at_the_same_bits(law: ContactLaw, slope: float) -> None:
    # Coulomb's cone, atan 0.3 = 16.70 degrees
    tilt = radians(slope)
    run = simulate(body(law, tilt).equations(), 1e6, backend="c", samples=3)
    assert not run.events
    assert (run["sticks"] == 1).all() and (run["foot.friction.rests"] == 1).all()
    for name in ("x", "y", "vx", "vy"):
        assert np.unique(run[name]).size == 1
    weight = MASS * GRAVITY
    assert run["friction_force"] == pytest.approx(weight * sin(tilt), rel=1e-10, abs=1e-12)
    assert run["force"] == pytest.approx(weight * cos(tilt), rel=1e-10)


@pytest.mark.parametrize(("law", "side"), [(LINEAR, 1), (HERTZ, -1)])
def test_a_block_outside_the_cone_accelerates(law: ContactLaw, side: int) -> None:
    tilt = radians(16.8)
    rates, shown = started(body(law, side * tilt))
    assert shown["sticks"] == 0
    expected = GRAVITY * (sin(tilt) - MU * cos(tilt))
    assert rates["vx"] == pytest.approx(side * expected, abs=1e-10)


@pytest.mark.parametrize("law", [LINEAR, HERTZ])
def test_a_block_outside_the_cone_does_not_begin_with_rest(law: ContactLaw) -> None:
    tilt = radians(16.8)
    run = simulate(body(law, tilt).equations(), 0.01, samples=5, backend="c")
    assert not run.events and not run["foot.friction.rests"].any()
    expected = 0.01 * GRAVITY * (sin(tilt) - MU * cos(tilt))
    assert run.final("vx") == pytest.approx(expected, rel=1e-9)


def test_what_sticks_by_static_friction_slides_by_the_kinetic_one() -> None:
    law = FrictionLaw(0.2, static=0.3)
    assert started(body(LINEAR, radians(16.6), friction=law))[1]["sticks"] == 1
    tilt = radians(16.8)
    rates, _ = started(body(LINEAR, tilt, friction=law))
    assert rates["vx"] == pytest.approx(GRAVITY * (sin(tilt) - 0.2 * cos(tilt)), abs=1e-10)


@pytest.mark.parametrize(("law", "shape"), [(HERTZ, SPHERE), (LINEAR, CYLINDER)])
def test_what_rolls_down_slides_on_steep_slopes(law: ContactLaw, shape: float) -> None:
    """It rolls up to tan θ = μ (1 + m R²/I), with g sin θ/(1 + I/(m R²))."""
    limit = np.arctan(MU * (1 + 1 / shape))
    for tilt, rolls in ((limit - 1e-6, 1), (limit + 1e-6, 0), (0.2, 1), (1.2, 0)):
        rates, shown = started(body(law, tilt, shape=shape))
        assert shown["sticks"] == rolls
        ahead = GRAVITY * (sin(tilt) - MU * cos(tilt))
        spun = -MU * GRAVITY * cos(tilt) / (shape * RADIUS)
        if rolls:
            ahead = GRAVITY * sin(tilt) / (1 + shape)
            spun = -ahead / RADIUS
        assert rates["vx"] == pytest.approx(ahead, rel=1e-10)
        assert rates["spin"] == pytest.approx(spun, rel=1e-10)


@pytest.mark.parametrize("backend", [pytest.param("python", marks=HEAVY), "c"])
def test_a_bowling_ball_slides_until_it_rolls(backend: Backend) -> None:
    """It rolls with 5/7 of its speed, after 2 v/(7 μ g)."""
    equations = body(LINEAR, 0.0, shape=SPHERE, vx=0.5).equations()
    run = simulate(equations, 0.2, samples=3, backend=backend)
    stops = [time for time, name in run.events if name == "foot.friction.stops"]
    assert stops[0] == pytest.approx(2 * 0.5 / (7 * MU * GRAVITY), rel=1e-9)
    assert run.final("vx") == pytest.approx(5 / 7 * 0.5, rel=1e-9)
    assert run.final("spin") == pytest.approx(-5 / 7 * 0.5 / RADIUS, rel=1e-9)
    assert run.final("rubbed") == pytest.approx(MASS * 0.25 / 7, rel=1e-8)  # 2/7 of its energy


@pytest.mark.parametrize("law", [HERTZ, pytest.param(LINEAR, marks=HEAVY)])
def test_a_ball_dropped_with_spin_keeps_its_balances(law: ContactLaw) -> None:
    """Slides or sticks while it touches: ΔL = R ΔP about the centre, and energy with its work."""
    model = body(law, 0.0, shape=SPHERE, height=5e-3, vx=0.1, spin=30.0)
    run = simulate(model.equations(), 0.2, rtol=1e-11, atol=1e-13, samples=101, backend="c")
    assert len(run.events) >= 4  # it meets the plane and leaves it, more than once
    assert run["sticks"].any() and not run["sticks"][run["in_contact"] == 0].any()
    inertia = SPHERE * MASS * RADIUS**2
    about = inertia * run["spin"] - MASS * run["vx"] * RADIUS  # of the touching line
    assert np.ptp(about) < 1e-9 * abs(about).max()
    balance = run["energy"] + run["rubbed"] + run["pressed"]
    assert np.ptp(balance) < 1e-8 * run.final("rubbed")


def test_without_friction_nothing_holds() -> None:
    rates, shown = started(body(LINEAR, 0.1, friction=0.0))
    assert rates["vx"] == pytest.approx(GRAVITY * sin(0.1), rel=1e-12)
    assert shown["friction_force"] == shown["sticks"] == 0


def test_a_sliding_block_comes_to_rest_and_stays() -> None:
    """It slides v²/(2 g (μ cos θ - sin θ)) down the slope."""
    tilt = radians(10.0)
    run = simulate(body(LINEAR, tilt, vx=0.2).equations(), 5.0, samples=101, backend="c")
    way = 0.2**2 / (2 * GRAVITY * (MU * cos(tilt) - sin(tilt)))
    late = run.time > 1.0
    assert run.final("x") == pytest.approx(way, rel=1e-7)
    assert np.unique(run["x"][late]).size == 1 and run.final("vx") == 0
    assert max(time for time, _ in run.events) < 1.0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"law": Impact(0.5)}, "Impact.*unilateral_contact"),
        ({"law": KelvinVoigt}, "KelvinVoigt"),
        ({"radius": 0.0}, "radius = 0.0 must be greater"),
        ({"radius": float("nan")}, "radius = nan"),
        ({"friction": -0.1}, r"coefficient = -0\.1"),
        ({"friction": FrictionLaw(0.3, viscous=1.0)}, "viscous is for joints"),
        ({"bearing": None}, "bearing is None"),
    ],
)
def test_mistakes_are_told(changed: dict[str, Any], message: str) -> None:
    model = Model("slope")
    plane, tilt = model.point("plane", fixed=True), model.angle("tilt", fixed=True)
    foot = model.add(Bearing("foot", plane, tilt, model.point("centre"), model.angle("turn")))
    foot.x.dof("x"), foot.y.dof("y", start=1.0), foot.rotation.dof("angle")
    given = {"bearing": foot, "radius": RADIUS, "law": LINEAR, "friction": MU, **changed}
    with pytest.raises(ModelError, match=message):
        plane_contact(model, **given)


def test_a_start_behind_the_plane_is_refused() -> None:
    equations = body(LINEAR, 0.0, friction=0.0).equations()
    simulate(equations, 1e-9, start={"y": 1e-6})
    with pytest.raises(SimulationError, match=r"start it one radius above"):
        simulate(equations, 1e-9, start={"y": -1e-6})


def test_a_rigid_bearing_is_refused() -> None:
    model = Model("slope")
    plane, tilt = model.point("plane", fixed=True), model.angle("tilt", fixed=True)
    foot = model.add(Bearing("foot", plane, tilt, model.point("centre"), model.angle("turn")))
    with pytest.raises(RoleError, match=r"foot\.x is rigid"):
        plane_contact(model, foot, RADIUS, LINEAR)


@pytest.mark.heavy
def test_batches_and_multipliers_stick_as_single_runs_do() -> None:
    """A driven block that sticks and slides; the multipliers' sum is that of differences."""
    period = 0.2
    model = body(LINEAR, 0.0, friction=0.1)
    del model.states["rubbed"], model.states["pressed"]
    centre = model.nodes["centre"]
    pull = 4 * ca.cos(2 * pi * model.time / period)
    pull += -200 * centre.position[0] - 5 * centre.velocity[0]  # type: ignore[attr-defined]
    model.force(centre, (pull, 0))  # type: ignore[arg-type]
    equations = model.equations()
    found = periodic_solution(equations, period, guess={"x": 1e-3}, backend="c")
    start = {state.name: float(found[state.name](0.0)) for state in equations.states}

    def after(**changed: float) -> Result:
        options: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-15, "samples": 2, "backend": "c"}
        return simulate(equations, period, start=start | changed, **options)

    trace = 0.0
    for name, h in {"x": 1e-7, "y": 1e-9, "vx": 1e-5, "vy": 1e-7}.items():
        there, back = (after(**{name: start[name] + s * h}).final(name) for s in (1, -1))
        trace += (there - back) / (2 * h)
    assert 0.05 < max(abs(found.multipliers)) < 0.3
    assert np.sum(found.multipliers).real == pytest.approx(trace, abs=1e-6)
    speeds = [0.0, 0.1]
    many = simulate_many(equations, period, start={"vx": speeds}, samples=5, progress=False)
    for k, speed in enumerate(speeds):
        one = simulate(equations, period, start={"vx": speed}, samples=5, backend="c")
        assert many["x"].values[k] == pytest.approx(one["x"], rel=1e-6, abs=1e-10)
        assert (many["sticks"].values[k] == one["sticks"]).all()


def test_a_contact_that_comes_again_costs_less_than_the_first() -> None:
    """The first step in it has the length that was good the last time."""
    height, count = 1e-3, 20
    law = KelvinVoigt(1e6, 0.0)
    equations = body(law, 0.0, shape=SPHERE, friction=0.0, height=height).equations()
    cost = []
    for bounces in (1, count):
        until = 2.05 * bounces * (2 * height / GRAVITY) ** 0.5
        run = simulate(equations, until, backend="c", samples=3)
        cost.append(run.statistics["evaluations"])
    assert len(run.events) >= 36  # it begins and ends
    assert run.final("energy") == pytest.approx(run["energy"][0], rel=1e-8)
    assert (cost[1] - cost[0]) / (count - 1) < 0.87 * cost[0]
