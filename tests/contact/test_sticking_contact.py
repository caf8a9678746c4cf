"""A journal that sticks in its sleeve, against closed forms and equations written by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import atan, cos, degrees, hypot, nan, pi, radians, sin, sqrt, tan
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from fmpy import simulate_fmu
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from mbcore import (
    Bearing,
    Body,
    FrictionLaw,
    Model,
    ModelError,
    Result,
    SimulationError,
    linearize,
    simulate,
    simulate_many,
)
from mbcore.contact import CoulombFriction, KelvinVoigt, LankaraniNikravesh
from mbcore.contact.clearance import ContactLaw, clearance
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi.component import Component
from mbcore.fmi.export import export
from mbcore.host.backend import Backend
from mbcore.vibration import periodic_solution
from tests.built import Tools
from tests.conftest import VERSIONS

GAP, MASS, INERTIA, RADIUS, GRAVITY, MU = 1e-3, 2.0, 1e-4, 1e-2, 9.81, 0.3
LINEAR = KelvinVoigt(1e6, 1e3)
HERTZ = LankaraniNikravesh(6e10, 0.5)
LAWS = (LINEAR, HERTZ)


def journal(
    law: ContactLaw,
    place: tuple[float, float],
    *,
    friction: object = MU,
    held: bool = False,
    inertia: float = INERTIA,
    gravity: tuple[float, float] = (0, -GRAVITY),
    **rates: float,
) -> Model:
    """A journal in a sleeve that stands still; it can turn unless its rotation is held."""
    model = Model("journal", gravity=gravity)
    sleeve, still = model.point("sleeve", fixed=True), model.angle("still", fixed=True)
    centre, turn = model.point("centre"), model.angle("turn", fixed=held)
    joint = model.add(Bearing("joint", sleeve, still, centre, turn))
    for name, at in zip("xy", place, strict=True):
        rate = rates.get(f"v{name}", 0.0)
        joint.deformations[name].dof(name, f"v{name}", at, rate, nominal=1e-3)
    if not held:
        joint.rotation.dof("angle", "spin", rate_start=rates.get("spin", 0.0))
    model.add(Body("body", centre, None if held else turn, mass=MASS, inertia=inertia * (not held)))
    contact = clearance(model, joint, GAP, law, friction=friction, journal_radius=RADIUS)  # type: ignore[arg-type]
    model.state("rubbed", contact.friction_force * contact.sliding_speed, unit="J", nominal=1e-3)
    model.state("pressed", contact.force * contact.penetration_rate, unit="J", nominal=1e-3)
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    for name in ("force", "friction_force", "sliding_speed", "sticks", "penetration"):
        model.output(name, getattr(contact, name))
    return model


def lying(law: ContactLaw, angle: float, **options: Any) -> Model:
    """A journal at an angle from the bottom of its sleeve, where the law bears it."""
    weight = MASS * GRAVITY * cos(angle)
    depth = brentq(lambda d: float(law(d, 0.0, 0.0)) - weight, 1e-12, 1e-3, xtol=1e-20, rtol=1e-15)
    r = GAP + depth
    return journal(law, (r * sin(angle), -r * cos(angle)), **options)


def started(model: Model) -> tuple[dict[str, float], dict[str, float]]:
    """Return rates of the states and outputs at the start."""
    point = Evaluation(model.equations())
    point.start()
    names = [state.name for state in point.equations.states]
    outputs = [output.name for output in point.equations.outputs]
    rates = dict(zip(names, map(float, point.derivative()), strict=True))
    return rates, dict(zip(outputs, map(float, point.output()), strict=True))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("angle", [0.0, 5.0, -10.0, 16.6])
def test_a_journal_inside_the_cone_rests_at_the_same_bits(law: ContactLaw, angle: float) -> None:
    # Coulomb's cone, atan 0.3 = 16.70 degrees
    tilt = radians(angle)
    run = simulate(lying(law, tilt, held=True).equations(), 1e6, backend="c", samples=5)
    assert not run.events
    for name in ("sticks", "joint.friction.rests"):
        assert (run[name] == 1).all()
    for name in ("x", "y", "vx", "vy", "penetration"):
        assert np.unique(run[name]).size == 1
    weight = MASS * GRAVITY
    assert run["friction_force"] == pytest.approx(-weight * sin(tilt), rel=1e-9, abs=1e-12)
    assert run["force"] == pytest.approx(weight * cos(tilt), rel=1e-9)


@pytest.mark.parametrize("law", LAWS)
def test_a_journal_comes_to_rest_and_moves_again(law: ContactLaw) -> None:
    """A force that grows by 2 N a second from 1 s on ends rest at once, and stick at the cone."""
    tilt = radians(5.0)
    model = lying(law, tilt, held=True)
    push = 2.0 * (model.time - 1)
    model.force(model.nodes["centre"], (ca.if_else(model.time > 1, push, 0), 0))  # type: ignore[arg-type]
    start = {"vx": 1e-3, "vy": -2e-3}
    run = simulate(model.equations(), 5.0, start=start, samples=51, backend="c")
    first = {name: time for time, name in reversed(run.events)}
    assert first["joint.friction.settles"] < 0.5
    assert first["joint.friction.stirs"] == pytest.approx(1.0, abs=1e-6)
    quiet = (run.time > 0.5) & (run.time < 0.99)
    for name in ("x", "y"):  # samples inside a step are interpolated, which rounds
        assert np.ptp(run[name][quiet]) <= np.spacing(abs(run[name][quiet]).max())
    assert (run["vx"][quiet] == 0).all()
    # weight and push are inclined to the normal by the angle of friction
    k = int(np.flatnonzero(quiet)[0])
    tilt = atan(-run["x"][k] / run["y"][k])  # it slides a little before it sticks
    slides = 1 + MASS * GRAVITY * tan(atan(MU) + tilt) / 2
    assert first["joint.friction.slides"] == pytest.approx(slides, rel=1e-7)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("side", [1, -1])
def test_a_journal_outside_the_cone_accelerates(law: ContactLaw, side: int) -> None:
    tilt = radians(16.8)
    rates, shown = started(lying(law, side * tilt, held=True))
    along = rates["vx"] * cos(tilt) + side * rates["vy"] * sin(tilt)
    expected = GRAVITY * (sin(tilt) - MU * cos(tilt))
    assert shown["sticks"] == 0
    assert along == pytest.approx(-side * expected, abs=1e-10)


def test_what_sticks_by_static_friction_slides_by_the_kinetic_one() -> None:
    law = FrictionLaw(0.2, static=0.3)
    tilt = radians(16.6)
    assert started(lying(LINEAR, tilt, held=True, friction=law))[1]["sticks"] == 1
    tilt = radians(16.8)
    rates, _ = started(lying(LINEAR, tilt, held=True, friction=law))
    expected = GRAVITY * (sin(tilt) - 0.2 * cos(tilt))
    assert hypot(rates["vx"], rates["vy"]) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("law", LAWS)
def test_a_free_journal_rolls_at_the_bottom_of_its_sleeve(law: ContactLaw) -> None:
    """T = m (r θ')²/2 + I (r θ'/R)²/2 and V = -m g r cos θ give ω² = g/(r (1 + I/(m R²)))."""
    model = lying(law, 0.0)
    found = linearize(model.equations())
    r = next(-state.start for state in model.equations().states if state.name == "y")
    values = np.linalg.eigvals(found.state_matrix)
    expected = sqrt(GRAVITY / (r * (1 + INERTIA / (MASS * RADIUS**2))))
    assert min(abs(values - 1j * expected)) < 1e-9 * expected
    # linearization leaves rest out: the contact vibrates by its law
    assert sum(values.real < -100) == 2


@pytest.mark.parametrize("law", LAWS)
def test_rolling_ends_at_the_angle_of_a_solid_cylinder(law: ContactLaw) -> None:
    """Rolling takes F = m g sin θ/(1 + m R²/I), and tan θ = μ (1 + m R²/I) is 0.9."""
    limit = atan(MU * 3)
    assert degrees(limit) == pytest.approx(41.99, abs=0.005)
    inertia = MASS * RADIUS**2 / 2
    for off, sticks in ((-1e-9, 1), (1e-9, 0)):
        _, shown = started(lying(law, limit + off, inertia=inertia))
        assert shown["sticks"] == sticks
        expected = MASS * GRAVITY * sin(limit) / 3
        assert shown["friction_force"] == pytest.approx(-expected, rel=1e-8)


def thrown(law: ContactLaw = LINEAR) -> Model:
    """A journal that is thrown in its sleeve, with a spin."""
    friction = FrictionLaw(0.2, static=0.25)
    motion = {"vx": 0.3, "vy": -0.1, "spin": 40.0}
    return journal(law, (3e-4, -2e-4), friction=friction, gravity=(1.5, -GRAVITY), **motion)


def rattled(law: ContactLaw, backend: Backend) -> Result:
    equations, samples = thrown(law).equations(), 121
    return simulate(
        equations, 0.12, rtol=1e-11, atol=1e-13, samples=samples, backend=backend, max_step=1
    )


@pytest.mark.parametrize("law", LAWS)
def test_friction_takes_the_energy_that_its_work_says(law: ContactLaw) -> None:
    run = rattled(law, "c")
    assert len({name for _, name in run.events}) >= 4  # contact, stop, held, slide
    balance = run["energy"] + run["rubbed"] + run["pressed"]
    assert np.ptp(balance) < 1e-8 * run.final("rubbed")
    assert run.final("rubbed") > 0.01
    assert run["rubbed"].min() >= 0


def test_python_and_c_agree() -> None:
    one, other = rattled(LINEAR, "python"), rattled(LINEAR, "c")
    assert [name for _, name in one.events] == [name for _, name in other.events]
    for name in ("x", "y", "spin"):
        assert one[name] == pytest.approx(other[name], rel=1e-6, abs=1e-8)


Modes = tuple[str, int]


def force_by_hand(mode: Modes, s: np.ndarray) -> tuple[float, float, float, float]:
    """Return normal and tangential force, the slip, and what holds it; by Newton's law."""
    x, y, _, vx, vy, spin = s
    r = hypot(x, y)
    opening, across = (x * vx + y * vy) / r, (x * vy - y * vx) / r
    normal = max(LINEAR.stiffness * (r - GAP) + LINEAR.damping * opening, 0)
    pulled = (-y * 1.5 - x * GRAVITY) / r - opening * across / r
    holds = pulled / (1 / MASS + RADIUS**2 / INERTIA)
    tangential = {"free": 0.0, "slides": 0.2 * normal * mode[1], "sticks": holds}[mode[0]]
    return normal, tangential, across + RADIUS * spin, holds


def motion_by_hand(mode: Modes, t: float, s: np.ndarray) -> list[float]:
    x, y, _, vx, vy, spin = s
    pressing, tangential, _, _ = force_by_hand(mode, s)
    if mode[0] == "free":
        pressing = 0.0
    else:
        r = hypot(x, y)
        opening = (x * vx + y * vy) / r
        pressing = float(LINEAR.stiffness * (r - GAP) + LINEAR.damping * opening)  # it may pull
    r = hypot(x, y)
    fx = (-pressing * x + tangential * y) / r
    fy = (-pressing * y - tangential * x) / r
    spun = -tangential * RADIUS / INERTIA
    return [vx, vy, spin, fx / MASS + 1.5, fy / MASS - GRAVITY, spun]


def watched(mode: Modes, since: float) -> list[Callable[[float, np.ndarray], float]]:
    """Return what ends a mode where it falls through zero, not at its beginning."""

    def later(t: float, value: float) -> float:
        return value if t > since + 1e-9 else 1.0

    def touches(t: float, s: np.ndarray) -> float:
        sign = -1 if mode[0] == "free" else 1
        return later(t, sign * (hypot(s[0], s[1]) - GAP))

    def stops(t: float, s: np.ndarray) -> float:
        return later(t, force_by_hand(mode, s)[2] * mode[1])

    def holds(t: float, s: np.ndarray) -> float:
        normal, _, _, needed = force_by_hand(mode, s)
        return later(t, 0.25 * normal - abs(needed))

    found = {"free": [touches], "slides": [touches, stops], "sticks": [touches, holds]}[mode[0]]
    for event in found:
        event.terminal, event.direction = True, -1  # type: ignore[attr-defined]
    return found


def by_hand(until: float, start: list[float]) -> np.ndarray:
    """Integrate the three modes from event to event."""
    time, s, mode = 0.0, np.array(start), ("free", 0)
    while True:
        found = solve_ivp(
            partial(motion_by_hand, mode),
            (time, until),
            s,
            "DOP853",
            events=watched(mode, time),
            rtol=1e-12,
            atol=1e-15,
        )
        time, s = float(found.t[-1]), found.y[:, -1]
        if found.status != 1:
            return s
        normal, _, slip, needed = force_by_hand(mode, s)
        if found.t_events[0].size:
            mode = ("slides", int(np.sign(slip))) if mode[0] == "free" else ("free", 0)
        elif mode[0] == "slides" and abs(needed) <= 0.25 * normal:
            mode = ("sticks", 0)
        else:
            mode = ("slides", int(np.sign(needed)))


def test_a_thrown_journal_against_equations_by_hand() -> None:
    """Modes free, sliding and sticking, integrated piece by piece."""
    run = rattled(LINEAR, "c")
    s = by_hand(0.03, [3e-4, -2e-4, 0.0, 0.3, -0.1, 40.0])
    k = int(np.argmin(abs(run.time - 0.03)))
    assert run.time[k] == pytest.approx(0.03, abs=1e-12)
    before = [name for t, name in run.events if t < 0.03]
    assert {"joint.contact", "joint.friction.stops", "joint.friction.slides"} <= set(before)
    for name, value in zip(("x", "y", "angle", "vx", "vy", "spin"), s, strict=True):
        assert run[name][k] == pytest.approx(value, rel=1e-7, abs=1e-9)


def test_a_start_in_which_the_parts_overlap_by_more_than_the_gap_is_refused() -> None:
    equations = journal(LINEAR, (0.0, -GAP), friction=0.0).equations()
    simulate(equations, 1e-9, start={"y": -1.999 * GAP})
    with pytest.raises(SimulationError, match="overlap by more than the clearance"):
        simulate(equations, 1e-9, start={"y": -2.001 * GAP})


@pytest.mark.heavy
def test_batches_stick_as_single_runs_do() -> None:
    equations = lying(LINEAR, 0.1, friction=FrictionLaw(0.2, static=0.25)).equations()
    speeds = [0.0, 0.05, 0.2]
    many = simulate_many(equations, 0.02, start={"vx": speeds}, samples=5, progress=False)
    for k, speed in enumerate(speeds):
        one = simulate(equations, 0.02, start={"vx": speed}, samples=5, backend="c")
        assert many["spin"].values[k] == pytest.approx(one["spin"], rel=1e-6, abs=1e-6)
        assert (many["sticks"].values[k] == one["sticks"]).all()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, tools: Tools) -> dict[str, Path]:
    """Return the FMUs of a journal that is thrown in its sleeve."""
    component = Component("journal", "A journal that sticks", thrown().equations())
    folder = tmp_path_factory.mktemp("journal")
    return dict(zip(VERSIONS, export(component, folder, tools=tools), strict=True))


@pytest.mark.heavy
@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("fmi", VERSIONS)
def test_fmus_stick_as_python_does(built: dict[str, Path], fmi: str, interface: str) -> None:
    names = ["x", "y", "spin", "sticks", "rubbed"]
    result = simulate_fmu(
        str(built[fmi]),
        stop_time=0.03,
        output_interval=1e-3,
        relative_tolerance=1e-10,
        fmi_type=interface,
        output=names,
    )
    expected = rattled(LINEAR, "c")
    k = int(np.argmin(abs(expected.time - 0.03)))
    assert set(result["sticks"]) == {0, 1}
    for name in names:
        assert result[name][-1] == pytest.approx(expected[name][k], rel=1e-4, abs=1e-7)


def test_smoothed_friction_creeps_on_where_it_is_asked_for() -> None:
    model = lying(LINEAR, radians(10.0), held=True, friction=CoulombFriction(MU, 1e-2))
    run = simulate(model.equations(), 0.05, samples=3)
    angle = degrees(float(np.arctan2(run.final("x"), -run.final("y"))))
    assert angle < 5  # it was 10, and tan 10 degrees is less than 0.3
    assert not run.events


@pytest.mark.parametrize(
    ("friction", "law", "message"),
    [
        (nan, LINEAR, r"coefficient = nan"),
        (FrictionLaw(0.2, viscous=1.0), LINEAR, "viscous is for joints"),
        (FrictionLaw(0.2, preload=1.0), LINEAR, "preload is for hinges"),
        (FrictionLaw(0.2, fit="loose"), LINEAR, "fit is for hinges"),
    ],
)
def test_friction_that_contacts_have_not_is_refused(
    friction: object, law: ContactLaw, message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        journal(law, (0.0, 0.0), friction=friction)


def test_multipliers_through_stick_and_slip_are_those_of_differences() -> None:
    """A driven journal that sticks and slides twice a period."""
    period, backend = 0.2, "c"
    model = lying(LINEAR, 0.0, held=True, friction=0.1)
    del model.states["rubbed"], model.states["pressed"]
    push = 4 * ca.cos(2 * pi * model.time / period)
    model.force(model.nodes["centre"], (push, 0))  # type: ignore[arg-type]
    equations = model.equations()
    guess = {"x": 1e-4, "y": -GAP - 2e-5}
    found = periodic_solution(equations, period, guess=guess, backend=backend)
    start = {state.name: float(found[state.name](0.0)) for state in equations.states}

    def after(**changed: float) -> Result:
        options = {"rtol": 1e-12, "atol": 1e-15, "samples": 2, "backend": backend}
        return simulate(equations, period, start=start | changed, **options)

    events = [name for _, name in after().events]
    assert events.count("joint.friction.moves") == 4  # begins and ends, twice
    trace = 0.0
    for name, h in {"x": 1e-8, "y": 1e-9, "vx": 1e-6, "vy": 1e-7}.items():
        there, back = (after(**{name: start[name] + s * h}).final(name) for s in (1, -1))
        trace += (there - back) / (2 * h)
    assert 0.1 < max(abs(found.multipliers)) < 0.3
    assert np.sum(found.multipliers).real == pytest.approx(trace, abs=1e-7)
