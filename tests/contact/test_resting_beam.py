"""A rigid beam that lies in two clearance joints: four held slips on three freedoms."""

from __future__ import annotations

from functools import cache
from math import cos, sin
from pathlib import Path

import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import Bearing, Body, Equations, Model, Result, RigidLink, simulate, simulate_many
from mbcore.contact import HuntCrossley, KelvinVoigt, LankaraniNikravesh
from mbcore.contact.clearance import ContactLaw, clearance
from mbcore.fmi.component import Component
from mbcore.fmi.export import export
from tests.built import Tools

MASS, GRAVITY, GAP, RADIUS, MU = 2.0, 9.81, 1e-3, 1e-2, 0.3
ENDS = (-0.5, 0.4)
LAWS = {
    "linear": KelvinVoigt(1e6, 1e3),
    "Lankarani": LankaraniNikravesh(6e10, 0.5),
    "Hunt": HuntCrossley(stiffness=6e10, restitution=0.5),
}
STARTS = {
    "dropped level": {"y": -9e-4},
    "laid level": {},
    "pressed and moving": {"y": -1.005e-3, "vx": 0.01, "spin": 0.02},
    "thrown askew": {"y": -8e-4, "angle": 3e-4, "vx": 0.05, "spin": 0.1},
}


def beam(law: ContactLaw, ends: tuple[float, ...] = ENDS, **start: float) -> Model:
    """A beam whose first journal's place in its sleeve, and whose turn, are the freedoms.

    From 1 s on it is pushed along.
    """
    model = Model("beam", gravity=(0, -GRAVITY))
    centre, turn = model.point("centre"), model.angle("turn")
    still = model.angle("still", fixed=True)
    model.add(Body("body", centre, turn, mass=MASS, inertia=0.1))
    bearings = []
    for side, end in zip("abcd", ends, strict=False):
        sleeve, journal = model.point(f"sleeve {side}", (end, 0), fixed=True), model.point(side)
        model.add(RigidLink(f"half {side}", centre, turn, journal, offset=(end, 0)))
        bearings.append(model.add(Bearing(side, sleeve, still, journal, turn)))
    first, *others = bearings
    first.x.dof("x", "vx", start.get("x", 0.0), start.get("vx", 0.0), nominal=1e-3)
    first.y.dof("y", "vy", start.get("y", -GAP), start.get("vy", 0.0), nominal=1e-3)
    first.rotation.dof("angle", "spin", start.get("angle", 0.0), start.get("spin", 0.0))
    for bearing in others:
        for place in (bearing.x, bearing.y, bearing.rotation):
            place.release()
    for bearing in bearings:
        found = clearance(model, bearing, GAP, law, friction=MU, journal_radius=RADIUS)
        for name in ("force", "friction_force", "force_x", "force_y"):
            model.output(f"{bearing.name}.{name}", getattr(found, name), unit="N")
        model.output(f"{bearing.name}.x", bearing.x.value, unit="m")
        model.output(f"{bearing.name}.y", bearing.y.value, unit="m")
    push = model.parameter("push", 0.0, unit="N")
    model.force(centre, (push * (model.time > 1), 0))  # type: ignore[operator]
    return model


def require_equilibrium(run: Result, push: float = 0.0) -> None:
    """The sleeves' forces on the beam bear its load, and have no moment about its centre."""
    last = {name: run.final(name) for name in run}
    angle, moment, force = last["angle"], 0.0, np.zeros(2)
    for side, end in zip("ab", ENDS, strict=True):
        onto = -np.array([last[f"{side}.force_x"], last[f"{side}.force_y"]])
        arm = end * np.array([cos(angle), sin(angle)])
        moment += arm[0] * onto[1] - arm[1] * onto[0] - last[f"{side}.friction_force"] * RADIUS
        force += onto
        assert last[f"{side}.force"] > 0
        assert abs(last[f"{side}.friction_force"]) <= MU * last[f"{side}.force"] * (1 + 1e-12)
        assert last[f"{side}.friction.rests"] == 1
    weight = MASS * GRAVITY
    assert force == pytest.approx([-push, weight], abs=1e-9 * weight)
    assert moment == pytest.approx(0, abs=1e-9 * weight)
    # level journals bear the shares of a lever, up to friction by their tilts
    assert last["a.force"] == pytest.approx(weight * 0.4 / 0.9, rel=0.01)
    assert last["b.force"] == pytest.approx(weight * 0.5 / 0.9, rel=0.01)


def require_rest(run: Result, since: float) -> None:
    """No event and no change of any state's bits."""
    assert max(time for time, _ in run.events) < since
    late = run.time > since
    for name in ("x", "y", "angle", "vx", "vy", "spin", "b.x", "b.y"):
        assert np.unique(run[name][late]).size == 1
    for name in ("vx", "vy", "spin"):
        assert run.final(name) == 0


@cache
def equations(law: str) -> Equations:
    return beam(LAWS[law]).equations()


def require_rest_from(law: str, start: str) -> None:
    for until in (10.0, 1e5):
        run = simulate(equations(law), until, start=STARTS[start], samples=101, backend="c")
        require_rest(run, 1.0)
        require_equilibrium(run)
        assert len(run.events) < 600


@pytest.mark.parametrize("start", STARTS)
def test_a_beam_comes_to_rest_for_ever(start: str) -> None:
    require_rest_from("linear", start)


@pytest.mark.heavy
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("law", ["Lankarani", "Hunt"])
def test_a_beam_comes_to_rest_by_other_laws(law: str, start: str) -> None:
    require_rest_from(law, start)


def test_a_beam_that_is_pushed_rests_again() -> None:
    """Both cones together hold 0.3 of its weight, 5.9 N, at the bottom of level sleeves."""
    given = {"start": STARTS["dropped level"], "parameters": {"push": 3.0}}
    run = simulate(equations("linear"), 10.0, samples=101, backend="c", **given)
    later = [name for time, name in run.events if time > 0.99]
    assert any(name.endswith("friction.stirs") for name in later)
    require_rest(run, 5.0)
    require_equilibrium(run, 3.0)


@pytest.mark.heavy
def test_a_long_beam_on_four_joints_comes_to_rest_in_python() -> None:
    """Eight held slips on three freedoms."""
    long = beam(LAWS["linear"], (-1.5, -0.5, 0.4, 1.5), y=-9.9e-4).equations()
    run = simulate(long, 10.0, samples=11, backend="python")
    require_rest(run, 5.0)


@pytest.mark.heavy
def test_batches_come_to_rest() -> None:
    speeds = [0.0, 0.01, 0.05]
    many = simulate_many(equations("linear"), 2.0, start={"vx": speeds}, samples=5, progress=False)
    for k in range(len(speeds)):
        for name in ("a.friction.rests", "b.friction.rests"):
            assert many[name].values[k][-1] == 1
        for name in ("x", "y", "angle", "vx", "vy", "spin"):
            assert np.unique(many[name].values[k][2:]).size == 1


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, tools: Tools) -> Path:
    """Return the FMU of a beam that is dropped into its joints."""
    component = Component("beam", "A beam in clearances", beam(LAWS["linear"], y=-9e-4).equations())
    return next(iter(export(component, tmp_path_factory.mktemp("beam"), tools=tools)))


@pytest.mark.heavy
@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
def test_fmus_stay_at_rest(built: Path, interface: str) -> None:
    names = ["x", "y", "angle", "vx", "vy", "spin", "a.force", "b.force"]
    found = simulate_fmu(
        str(built),
        stop_time=4.0,
        output_interval=1e-2,
        relative_tolerance=1e-10 if interface == "CoSimulation" else 1e-8,
        fmi_type=interface,
        output=[*names, "a.friction.rests", "b.friction.rests"],
    )
    rests = found["a.friction.rests"] * found["b.friction.rests"]
    late = found[int(np.argmax(rests)) :]
    assert rests.sum() == late.size > 100
    for name in names:
        assert np.unique(late[name]).size == 1
    for name in ("vx", "vy", "spin"):
        assert late[name][-1] == 0
    assert late["a.force"][-1] == pytest.approx(MASS * GRAVITY * 0.4 / 0.9, rel=0.01)
