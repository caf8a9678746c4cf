"""Coins that spin down or fall, and lie flat: ends by closed forms and equations by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from fmpy import simulate_fmu
from scipy.integrate import quad

from mbcore import (
    Ball,
    Body,
    FlatContact,
    Friction,
    Hinge,
    Model,
    ModelError,
    RollingResistance,
    SimulationError,
    Wheel,
    simulate,
)
from mbcore.examples.rolling.eulers_disk import by_hand, circling, ends, model
from mbcore.fmi.component import Component, Experiment
from mbcore.fmi.export import export
from mbcore.host.backend import Backend
from tests.built import Tools

TILT, ARM, FLAT = 0.1, 0.05, 0.05
"""Of a disk that spins down within a third of a second, rad, m, rad."""
TIGHT: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-12, "max_step": 1e5}


def coin(tilt: float, rates: dict[str, float], gravity: float = 1.0) -> tuple[Model, Wheel]:
    """Return a thin uniform disk, m = r = 1, that leans from flat by a tilt."""
    disk = Model("coin", gravity=(0, 0, -gravity))
    yawed, leaned, body = (disk.rotation(name) for name in ("yawed", "leaned", "body"))
    centre = disk.point("centre", (0, -np.cos(tilt), np.sin(tilt)))
    contact = disk.point("contact", (0, 0, 0))
    start = {"yaw": 0.0, "lean": np.pi / 2 - tilt, "pitch": 0.0}
    turns = (disk.ground, yawed, (0, 0, 1)), (yawed, leaned, (1, 0, 0)), (leaned, body, (0, 1, 0))
    for (name, angle), (before, after, axis) in zip(start.items(), turns, strict=True):
        hinge = disk.add(Hinge(f"{name} hinge", before, after, axis=axis))
        hinge.angle.dof(name, start=angle, rate_start=rates.get(f"{name}_rate", 0.0))
        if name == "lean":
            disk.output("tilt", np.pi / 2 - hinge.angle.value, unit="rad")
    wheel = disk.add(Wheel("wheel", centre, body, contact, radius=1))
    disk.add(Body("disk", centre, body, mass=1, inertia=(1 / 4, 1 / 2, 1 / 4)))
    disk.output("energy", disk.kinetic_energy + disk.potential_energy, unit="J")
    return disk, wheel


def lying(tilt: float = 0.02, moment: float = 0.0, growth: float = 0.0) -> Model:
    """Return a coin that lies, and a moment about the diameter through its contact point."""
    disk, wheel = coin(tilt, {})
    disk.add(FlatContact("face", wheel, tilt=0.05))
    wheel.contact.x.kinematic("x")
    wheel.contact.y.kinematic("y")
    disk.moment(disk.nodes["body"], (0, moment + growth * disk.time, 0))
    return disk


@pytest.mark.parametrize(
    ("tilt", "backend"), [(0.055, "python"), pytest.param(TILT, "c", marks=pytest.mark.heavy)]
)
def test_disk_spins_down_lands_when_by_hand_and_lies_for_ever(tilt: float, backend: str) -> None:
    disk = model(tilt, ARM, FLAT)
    run = simulate(disk.equations(), 1e6, samples=[1, 2, 1e3, 1e6], backend=backend, **TIGHT)
    landed, yaw, flat = by_hand(tilt, ARM, 1.0, FLAT)
    assert dict((name, time) for time, name in run.events)["face.lands"] == pytest.approx(
        landed, abs=1e-9
    )
    assert run["yaw"][0] == pytest.approx(yaw, abs=1e-8)
    assert run["tilt"][0] == pytest.approx(flat, abs=1e-9)
    for name in ("yaw", "lean", "pitch", "contact.x", "contact.y"):
        assert np.ptp(run[name]) == 0, name  # the same bits
    for name in ("yaw_rate", "lean_rate", "pitch_rate"):
        assert not run[name].any(), name


@pytest.mark.heavy
def test_time_of_the_end_converges_with_the_tilt_at_which_it_lands() -> None:
    """What is missing of the end is in proportion to tilt^(3/2), as the power law says."""
    disk, wheel = coin(TILT, circling(TILT, ARM))
    disk.add(FlatContact("face", wheel, tilt=disk.parameter("flat", 0.04, unit="rad")))
    disk.add(RollingResistance("contour", wheel, arm=ARM, contour=True))
    wheel.contact.x.kinematic("x")
    wheel.contact.y.kinematic("y")
    equations, times = disk.equations(), []
    for flat in (0.04, 0.02, 0.01, 0.005):
        run = simulate(equations, 1.0, parameters={"flat": flat}, backend="c", **TIGHT)
        times.append(run.final("face.landed"))
    parts = np.diff(times)
    assert (parts > 0).all()
    # near the end the disk falls faster than the law: at least as 2^(3/2) less from tilt to tilt
    assert np.log2(parts[:-1] / parts[1:]) == pytest.approx(1.5, abs=0.5)


@pytest.mark.parametrize("moment", [0.99, -0.99])
def test_coin_that_lies_stays_there_until_it_would_tip_over_its_rim(moment: float) -> None:
    run = simulate(lying(moment=moment).equations(), 10, samples=[0, 10], max_step=1.0)
    for state in ("yaw", "lean", "pitch"):
        assert np.ptp(run[state]) == 0, state
    assert run.final("face.lies") == 1


@pytest.mark.parametrize("moment", [1.01, -1.01])
def test_coin_that_would_tip_over_its_rim_ends_by_name(moment: float) -> None:
    """It takes m g r about a tangent of the rim, whichever way."""
    with pytest.raises(SimulationError, match=r"face\.lies = -0\.01.*would tip up over its rim"):
        simulate(lying(moment=moment).equations(), 1.0)


@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
def test_coin_under_a_growing_moment_stops_where_it_would_tip_over(backend: Backend) -> None:
    """The limit is m g r = 1, at 100 s, however long the steps at rest are."""
    with pytest.raises(SimulationError, match=r"face\.lies = .*would tip up") as stop:
        simulate(lying(growth=1e-2).equations(), 1e4, backend=backend)
    (time,) = re.findall(r"at t = ([\d.]+)", str(stop.value))
    assert float(time) == pytest.approx(100, abs=2e-6)


def test_coin_that_falls_over_lands_when_its_energy_says() -> None:
    """It turns about the tangent at the contact point: 5/8 θ̇² + sin θ = sin θ_0."""
    tilt, flat = 0.1, 0.05
    disk, wheel = coin(tilt, {})
    disk.add(FlatContact("face", wheel, tilt=flat))
    wheel.contact.x.kinematic("x")
    wheel.contact.y.kinematic("y")
    run = simulate(disk.equations(), 2.0, samples=3, **TIGHT)
    # with θ = θ_0 - u², the speed's root vanishes at the start no more
    falls = quad(
        lambda u: 2 * u / np.sqrt(8 / 5 * (np.sin(tilt) - np.sin(tilt - u**2))),
        0, np.sqrt(tilt - flat), epsabs=1e-13,
    )[0]  # fmt: skip
    assert run.events[0][0] == pytest.approx(falls, abs=1e-9)
    assert run.final("energy") == pytest.approx(np.sin(flat), abs=1e-12)


def pivoting(tilt: float) -> dict[str, float]:
    """Return the rates of a steady circling without spin about the normal.

    Then ω_a = -Ω sin² θ / cos θ, and 0 = cos θ + (3/2) sin θ ω_a Ω - (1/4) cos θ sin θ Ω².
    """
    sine, cosine = np.sin(tilt), np.cos(tilt)
    turning = cosine / np.sqrt(sine * (cosine**2 / 4 + 1.5 * sine**2))
    axle = -turning * sine**2 / cosine
    return {"yaw_rate": turning, "pitch_rate": axle - turning * cosine}


def rubbing(tilt: float, rates: dict[str, float], arm: float) -> tuple[Model, dict[str, float]]:
    """Return a coin with a small contact area, and the velocity with which its centre rolls."""
    disk, wheel = coin(tilt, rates)
    disk.add(FlatContact("face", wheel, tilt=0.05))
    if arm:
        contour = disk.add(RollingResistance("contour", wheel, arm=arm, contour=True))
        disk.state("rolled", contour.power, unit="J")
    ground = disk.add(Friction("ground", wheel, coefficient=0.6, patch=0.05))
    wheel.centre.x.dof("x", "vx")
    wheel.centre.y.dof("y", "vy")
    disk.state("rubbed", ground.power, unit="J")
    sine, cosine = np.sin(tilt), np.cos(tilt)
    omega = np.array([0, 0, rates["yaw_rate"]]) + rates["pitch_rate"] * np.array([0, sine, cosine])
    velocity = np.cross(omega, [0, -cosine, sine])
    return disk, {"vx": velocity[0], "vy": velocity[1]}


@pytest.mark.heavy
def test_friction_of_a_small_area_alone_has_no_finite_end() -> None:
    """Where the spin about the normal has come to rest, it sticks, and nothing is lost any more."""
    disk, start = rubbing(TILT, pivoting(TILT), 0.0)
    until = 100 * ends(TILT, ARM)
    run = simulate(disk.equations(), until, start=start, samples=5, backend="c", **TIGHT)
    assert run["tilt"] == pytest.approx(TILT, abs=1e-10)
    assert run["ground.sticks"].all() and not run.events
    # with a spin at the start: this is lost, and the same motion is left
    disk, start = rubbing(TILT, circling(TILT, 0.0), 0.0)
    run = simulate(disk.equations(), until, start=start, samples=400, backend="c", **TIGHT)
    late = run.time > until / 2
    assert run["ground.sticks"][late].all() and np.ptp(run["energy"][late]) < 1e-9
    assert run.final("rubbed") == pytest.approx(run.final("energy") - run["energy"][0], abs=1e-9)
    assert run["tilt"][late].min() > 0.09


@pytest.mark.heavy
def test_friction_of_a_small_area_adds_to_that_of_the_contour() -> None:
    disk, start = rubbing(TILT, circling(TILT, ARM), ARM)
    run = simulate(disk.equations(), 1.0, start=start, samples=201, backend="c", **TIGHT)
    landed = run.final("face.landed")
    assert landed == pytest.approx(by_hand(TILT, ARM, 1.0, 0.05)[0], rel=0.01)
    before = run.time < landed
    lost = run["energy"] - run["energy"][0]
    assert lost[before] == pytest.approx((run["rubbed"] + run["rolled"])[before], abs=1e-9)
    assert run.final("rubbed") < 0 and run.final("rolled") < 0
    for rate in ("vx", "vy", "yaw_rate", "lean_rate", "pitch_rate"):
        assert run.final(rate) == 0, rate


@pytest.mark.heavy
def test_fmu_of_a_disk_lands_and_lies(tmp_path: Path, tools: Tools) -> None:
    equations = model(TILT, ARM, FLAT).equations()
    component = Component("coin", "It spins down", equations, Experiment(1.0, 0.05, 1e-9))
    for file in export(component, tmp_path, tools=tools):
        for interface in ("CoSimulation", "ModelExchange"):
            result = simulate_fmu(
                str(file), stop_time=1.0, output_interval=0.05, relative_tolerance=1e-9,
                fmi_type=interface, output=["yaw", "face.lies", "face.landed"],
            )  # fmt: skip
            landed, yaw, _ = by_hand(TILT, ARM, 1.0, FLAT)
            assert result["face.landed"][-1] == pytest.approx(landed, abs=1e-7)
            assert result["yaw"][-1] == pytest.approx(yaw, abs=1e-6)
            still = result["yaw"][result["time"] > landed + 0.05]
            assert still.size > 10 and np.ptp(still) == 0


def test_mistaken_flat_contacts_are_refused_by_name() -> None:
    disk, wheel = coin(TILT, {})
    with pytest.raises(ModelError, match=re.escape("tilt")):
        FlatContact("face", wheel, tilt=-0.1)
    with pytest.raises(ModelError, match="tilt"):
        FlatContact("face", wheel, tilt=1.0)
    ball = Ball("ball", wheel.centre, wheel.rotation, wheel.contact, radius=1.0)
    with pytest.raises(ModelError, match=r"no thin wheel in space.*give a Wheel"):
        FlatContact("face", ball)  # type: ignore[arg-type]
    bowl = Wheel(
        "bowl", wheel.centre, wheel.rotation, wheel.contact, radius=1.0,
        surface=lambda c: (ca.dot(c, c) + (c[2] - 9) ** 2 - c[2] ** 2 - 81) / -18,
    )  # fmt: skip
    with pytest.raises(ModelError, match="curved, and its face cannot lie on it; take a plane"):
        FlatContact("face", bowl)
    disk.add(RollingResistance("contour", wheel, arm=0.1, contour=True))
    with pytest.raises(ModelError, match="add it before the rolling resistance contour"):
        disk.add(FlatContact("face", wheel))
