"""Awkward starts and events: the equations in Python and the FMU in C say the same.

Both solve the position problem, start the events' modes and let events occur by themselves, so
each is the other's reference here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from fmpy import simulate_fmu
from fmpy.fmi1 import FMICallException

from mbcore import (
    Body,
    ConfigurationError,
    Coupling,
    Hinge,
    Model,
    PlanarBeam,
    PlanarHinge,
    SimulationError,
    simulate,
)
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.fmi import export
from tests.conftest import Tools, equations_of


def mass(name: str) -> Model:
    """Return a mass that moves along a line at its start speed, 0.2 m/s from 0.05 m on."""
    model = Model(name)
    place = model.point("place", (0.05, 0))
    model.add(Body("mass", place, mass=1.0))
    place.x.dof("x", "v", 0.05, 0.2)
    place.y.fix()
    return model


def latch() -> Model:
    """Return a mass whose event moves its own indicator back into the band."""
    model = mass("latch")
    count = model.discrete("count", 0, kind="integer")
    active = model.event("latch")
    indicator = model.nodes["place"].x.value - 0.1 * active
    model.event("latch", indicator, band=0.08, rising={"count": count + 1})
    return model


def chatter() -> Model:
    """Return a mass with an event that brings itself about without end."""
    model = mass("chatter")
    active = model.event("switch")
    model.event("switch", 0.5 - active)
    return model


def carried() -> Model:
    """Return an arm whose prescribed angle is set by an event."""
    model = mass("carried")
    turned = model.discrete("turned", 0.0, unit="rad")
    frame, arm, tip = model.angle("frame", fixed=True), model.angle("arm"), model.angle("tip")
    pivot, end = model.point("pivot", (0, 0), fixed=True), model.point("end", (1, 0))
    model.add(PlanarHinge("hinge", frame, arm)).angle.prescribe(turned)
    model.add(PlanarBeam("rod", pivot, arm, end, tip))
    x = model.nodes["place"].x.value
    model.event("gate", x - 0.1, rising={"turned": 0.7})
    model.output("end.y", end.position[1], unit="m")
    return model


def ball() -> Model:
    """Return a ball on a floor."""
    model = Model("ball", gravity=(0, -9.81))
    place = model.point("ball", (0, 1))
    model.add(Body("mass", place, mass=0.3))
    place.x.fix()
    place.y.dof("height", "speed", 1.0)
    unilateral_contact(model, "floor", place.y.value, Impact(restitution=0.7))
    return model


def four_bar() -> Model:
    """Return a crank and a rocker, rods of 1 and 2.2 m on pivots 2 m apart, coupled by 2.5 m."""
    model = Model("four_bar", gravity=(0, -9.81))
    radius = model.parameter("crank.radius", 1.0, unit="m", positive=True)
    frame = model.angle("frame", fixed=True)
    left, right = model.point("left", (0, 0), fixed=True), model.point("right", (2, 0), fixed=True)
    knee, elbow = model.point("knee", (0.5, 0.87)), model.point("elbow", (2.4, 2.2))
    crank, rod = model.angle("crank", 1.05), model.angle("rod", 0.5)
    rocker = model.angle("rocker", 1.4)
    model.add(PlanarHinge("bearing", frame, crank)).angle.dof("angle", "rate", 1.05, 0.5)
    for name, at, angle, to, length in (
        ("crank rod", left, crank, knee, radius),
        ("coupler", knee, rod, elbow, 2.5),
        ("rocker rod", right, rocker, elbow, 2.2),
    ):
        beam = model.add(PlanarBeam(name, at, angle, to, angle, rest_length=length))
        beam.bending_q.release()
        model.add(Body(f"{name} mass", to, angle, mass=1.0, inertia=0.1))
    model.output("elbow.x", elbow.position[0], unit="m")
    model.output("elbow.y", elbow.position[1], unit="m")
    model.output("rocker", rocker.angle.value, unit="rad")
    return model


def cam() -> Model:
    """Return a wheel that drives another by a cam, and a bob on a string of changing length."""
    model = Model("cam", gravity=(0, 0, -9.81))
    angles = []
    for name, axis in (("disk", (1, 0, 0)), ("follower", (0, 1, 0))):
        turned, place = model.rotation(name), model.point(f"at {name}", (0, 0, 0), fixed=True)
        model.add(Body(f"{name} mass", place, turned, mass=1.0, inertia=(0.5, 0.5, 0.5)))
        angles.append(model.add(Hinge(f"{name} hinge", model.ground, turned, axis=axis)).angle)
    disk, follower = angles
    disk.dof("angle", "rate", 0.0, 2.0)
    ratio = model.parameter("cam.lift", 0.3)
    lift = disk.value + disk.value**2 / 50 + ratio * ca.sin(disk.value)
    model.output("cam.force", model.add(Coupling("cam", follower.value - lift)).stress)
    bob = model.point("bob", (0.5, 0, -1.0))
    bob.y.fix()
    bob.x.dof("bob.x", "bob.rate", 0.5)
    model.add(Body("bob mass", bob, mass=1.0))
    length = 1.2 + 0.1 * ca.sin(3 * model.time) + 0.02 * ca.sin(follower.value)
    string = Coupling("string", ca.sqrt(bob.x.value**2 + bob.z.value**2) - length)
    model.output("string.force", model.add(string).stress)
    model.output("bob.z", bob.position[2])
    model.output("follower", follower.value)
    return model


@dataclass(frozen=True)
class Case:
    """A start and a run, and what is compared."""

    model: Callable[[], Model]
    columns: tuple[str, ...]
    start: dict[str, float] = field(default_factory=dict)
    parameters: dict[str, float] = field(default_factory=dict)
    until: float = 0.5
    within: float = 1e-7


ARM = ("end.y", "turned", "x")
BALL = ("height", "speed", "floor.impacts", "floor.closed.active")
FOUR_BAR = ("angle", "rate", "elbow.x", "elbow.y", "rocker")
CAM = ("angle", "rate", "follower", "bob.x", "bob.rate", "bob.z", "cam.force", "string.force")
LATCH = ("x", "latch.active", "count")
CASES = {
    "an indicator inside its band": Case(latch, LATCH),
    "an indicator that leaves its band": Case(latch, LATCH, {"x": -0.01, "v": 0.4}),
    "an indicator that leaves on the other side": Case(latch, LATCH, {"v": -0.4}),
    "an event at the start that moves the arm": Case(carried, ARM, {"x": 0.2}),
    "an event that moves the arm": Case(carried, ARM),
    "a gap of -1e-10 m approaching": Case(ball, BALL, {"height": -1e-10, "speed": -2.0}),
    "a gap of -1e-10 m leaving": Case(ball, BALL, {"height": -1e-10, "speed": 2.0}),
    "a gap of -1e-10 m at rest": Case(ball, BALL, {"height": -1e-10, "speed": 0.0}),
    "a gap of nothing at rest": Case(ball, BALL, {"height": 0.0, "speed": 0.0}),
    "a near start": Case(four_bar, FOUR_BAR, {"angle": 1.2}),
    "a start over the top": Case(four_bar, FOUR_BAR, {"angle": 2.9}),
    "a start below": Case(four_bar, FOUR_BAR, {"angle": -1.9}),
    "a start on the other side": Case(four_bar, FOUR_BAR, {"angle": 4.1}),
    "a start several turns away": Case(four_bar, FOUR_BAR, {"angle": 40.0}),
    "a cam over three turns": Case(cam, CAM, until=5.0, within=1e-8),
    "a cam from six turns on": Case(cam, CAM, {"angle": 40.0}, {"cam.lift": 0.2}, 1.0, 1e-8),
    "a start with another crank": Case(four_bar, FOUR_BAR, {"angle": -1.9}, {"crank.radius": 1.6}),
}
REFUSED = {
    "an event without end": Case(chatter, ("x",)),
    "parts that overlap": Case(ball, BALL, {"height": -1e-3, "speed": -1.0}),
    "a start out of reach": Case(four_bar, FOUR_BAR, {}, {"crank.radius": 6.0}),
}


@pytest.fixture(scope="module")
def fmus(tmp_path_factory: pytest.TempPathFactory, tools: Tools) -> dict[str, Path]:
    made = {}
    folder = tmp_path_factory.mktemp("parity")
    for maker in {case.model for case in (*CASES.values(), *REFUSED.values())}:
        [made[maker.__name__]] = export(equations_of(maker), folder, "3.0", tools=tools)
    return made


def run_c(case: Case, fmus: dict[str, Path]) -> np.ndarray:
    result = simulate_fmu(
        fmus[case.model.__name__],
        stop_time=case.until,
        output_interval=case.until,
        relative_tolerance=case.within * 1e-3,
        start_values=case.start | case.parameters,
        output=case.columns,
    )
    return np.array([[row[name] for name in case.columns] for row in result], float)


def run_python(case: Case) -> np.ndarray:
    run = simulate(
        equations_of(case.model),
        case.until,
        start=case.start,
        parameters=case.parameters,
        samples=2,
        rtol=case.within * 1e-3,
        atol=case.within * 1e-3,
    )
    return np.column_stack([run[name] for name in case.columns])


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_both_go_the_same_way(case: Case, fmus: dict[str, Path]) -> None:
    here, there = run_python(case), run_c(case, fmus)
    assert here[0] == pytest.approx(there[0], abs=1e-12), "at the start"
    assert here[-1] == pytest.approx(there[-1], rel=case.within, abs=case.within), "at the end"


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_both_refuse(case: Case, fmus: dict[str, Path]) -> None:
    with pytest.raises((ConfigurationError, SimulationError)):
        run_python(case)
    with pytest.raises(FMICallException):
        run_c(case, fmus)
