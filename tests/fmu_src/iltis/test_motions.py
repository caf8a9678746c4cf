"""The road vehicle's FMU in rough motions: wheels lift and land, brakes stop it, it reverses.

What is checked needs no reference: solvers agree, forces are continuous, energy balances, events
are few, and what the vehicle cannot do is refused by name, with everything as it was before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np
import pytest
from fmpy import simulate_fmu

from tests.conftest import (
    DISCARD,
    FIXED_STEP,
    OK,
    ROSENBROCK,
    RUNGE_KUTTA,
    Archive,
    Archives,
    Instance,
)

pytestmark = pytest.mark.heavy

WHEELS = ("front_left", "front_right", "rear_left", "rear_right")
SPEED = 15.0
STEP = 1e-3
Course = Callable[[float], Mapping[str, float]]


@pytest.fixture
def archive(archives: Archives, version: str) -> Archive:
    return archives["iltis", version]


@pytest.fixture
def fmi3(archives: Archives) -> Archive:
    return archives["iltis", "3.0"]


def each(what: str, *values: float) -> dict[str, float]:
    """One value of every wheel."""
    given = values * 4 if len(values) == 1 else values
    return {f"{wheel}.{what}": value for wheel, value in zip(WHEELS, given, strict=True)}


def drive(
    archive: Archive,
    until: float,
    start: Mapping[str, float],
    course: Course,
    *watched: str,
    step: float = 0.01,
) -> np.ndarray:
    """Return the watched variables after each step, (n, watched)."""
    found = []
    with Instance(archive) as fmu:
        assert fmu.initialize(start, tolerance=1e-6) == OK, fmu.said
        for count in range(round(until / step)):
            assert fmu.set(course(fmu.time)) == OK, fmu.said
            assert fmu.step(step) == OK, fmu.said
            found.append(fmu.values(watched))
            fmu.time = (count + 1) * step
    values = np.array(found)
    assert np.isfinite(values).all()
    return values


def solved(method: int) -> dict[str, float]:
    return {"solver.method": method, "solver.step": STEP}


# Wheels that lift and land


def kerb(time: float) -> dict[str, float]:
    """Left wheels go up by 0.12 m within 0.1 m of the way, and down again, at 15 m/s."""
    heights = []
    for wheel in WHEELS:
        after = time - (0.2 if wheel.startswith("front") else 0.2 + 2.017 / SPEED)
        heights.append(0.12 * float(np.interp(after, (0, 0.1 / SPEED, 0.3, 0.31), (0, 1, 1, 0))))
    return each("road_height", heights[0], 0.0, heights[2], 0.0)


LANDED = (
    "cabin.z", "cabin.roll", "cabin.pitch", "cabin.speed", "cabin.y",
    "front_left.travel", "rear_left.travel", "front_left.load",
)  # fmt: skip


def test_wheels_lift_and_land_alike_with_all_solvers(archive: Archive) -> None:
    airborne = [f"{wheel}.airborne" for wheel in WHEELS]
    runs = [
        drive(archive, 1.2, {"cabin.speed": SPEED} | solved(m), kerb, *LANDED, *airborne, step=5e-3)
        for m in (RUNGE_KUTTA, ROSENBROCK, FIXED_STEP)
    ]
    flew = runs[0][:, len(LANDED) :].any(axis=0)
    assert flew[0] and flew[2]  # a wheel of each axle
    assert not runs[0][-1, len(LANDED) :].any()
    scale = np.ptp(runs[0][:, : len(LANDED)], axis=0)
    for run, part in zip(runs[1:], (1e-3, 1e-2), strict=True):  # fixed steps do not resolve kicks
        assert (np.abs(run - runs[0])[-1, : len(LANDED)] < part * scale).all()


def test_forces_are_continuous_where_wheels_lift_and_land(fmi3: Archive) -> None:
    """The largest change between samples goes to zero with their distance."""
    watched = [
        f"{wheel}.{what}"
        for wheel in WHEELS[::2]
        for what in ("load", "side_force", "longitudinal_force", "aligning_torque", "damper_force")
    ]

    def smooth(time: float) -> dict[str, float]:
        at = np.clip((time - 0.02) / 0.06, 0, 1)  # the inputs do not jump from sample to sample
        height = 0.08 * float(at**3 * (10 - 15 * at + 6 * at**2))
        return each("road_height", height, 0.0, height, 0.0) | {"rack.displacement": 0.01}

    largest = []
    for step in (2.5e-4, 6.25e-5):
        values = drive(fmi3, 0.18, {"cabin.speed": SPEED}, smooth, *watched, step=step)
        assert (values[:, [0, 5]] == 0).any(axis=0).all()  # both flew
        assert (values[-1, [0, 5]] > 0).all()  # and landed
        largest.append(np.abs(np.diff(values, axis=0)).max(axis=0))
    # a quarter, but where a shock absorber passes the steep part of its law within 0.1 ms
    assert (largest[1] < 0.55 * largest[0]).all()


# Brakes

STOPS = {
    "all": (800.0, 800.0, 600.0, 600.0),
    "left": (500.0, 0.0, 400.0, 0.0),
    "rear": (0.0, 0.0, 800.0, 800.0),
}


@pytest.mark.parametrize("which", STOPS)
def test_brakes_stop_it_and_take_its_energy(archive: Archive, which: str) -> None:
    """Torques times rotations are at most the kinetic energy; straight ahead they are that."""
    mass, inertia, speed = 1260 + 4 * (6 + 57.35), 1.908, 20.0
    radii = np.repeat((0.364325 - 3831.3 / 4.6e5, 0.363812 - 3591.9 / 4.6e5), 2)
    energy = (mass * speed**2 + (inertia * (speed / radii) ** 2).sum()) / 2
    torques = np.array(STOPS[which])
    watched = ("cabin.speed", "cabin.side_speed", "cabin.yaw", *(f"{w}.angle" for w in WHEELS))
    ends = []
    methods = (RUNGE_KUTTA, ROSENBROCK) if which == "left" else (RUNGE_KUTTA, FIXED_STEP)
    for method in methods:
        until = 7.0 if which == "all" else 14.0
        start = {"cabin.speed": speed} | solved(method)
        run = drive(archive, until, start, lambda _: each("brake_torque", *torques), *watched)
        work = (run[:, 3:] * torques).sum(axis=1)
        stored = (torques**2).sum() / 2e5  # of what a brake stores it rocks back at rest
        assert np.diff(work).min() > -stored
        assert work[-1] > work.max() - stored
        assert work[-1] < energy * (1 + 1e-3)
        if which != "left":
            assert work[-1] == pytest.approx(energy, rel=1e-2)  # springs' dampers take the rest
            assert np.abs(run[:, 1:3]).max() < 1e-6
        assert np.abs(run[-1, :2]).max() < 1e-3
        ends.append(run[-1])
    assert ends[1] == pytest.approx(ends[0], rel=1e-3, abs=1e-4)


def test_a_brake_holds_until_its_torque_is_reached(archive: Archive) -> None:
    """Each wheel is driven by 100 N.m/s t and held by 300 N.m."""
    rising = lambda t: each("brake_torque", 300.0) | each("drive_torque", 100.0 * t)  # noqa: E731
    run = drive(archive, 4.0, {"cabin.speed": 0.0}, rising, "cabin.speed", "cabin.x")
    time = 0.01 * np.arange(1, 401)
    held = time < 2.9
    # 2e5 N.m/rad gives way by 1.5 mrad
    assert np.abs(run[held, 1]).max() < 2e-3
    assert np.abs(run[held, 0]).max() < 5e-3
    # afterwards 4 * 100 N.m/s over 0.356 m on the mass with its wheels, for 1 s
    assert run[-1, 0] == pytest.approx(400 / 0.356 / 1573 / 2, rel=0.05)


# Rest and reverse


def test_side_wind_moves_a_standing_vehicle_only_slowly(fmi3: Archive) -> None:
    """Below the slowest speed v_0 tyres give way: F = sum of C_alpha v/v_0, linear in the speed."""
    stiffness = 2 * (41637 + 40161)  # at the loads of the equilibrium, as the benchmark lists them
    windy = lambda _: each("brake_torque", 800.0) | {"wind.force_y": 2000.0}  # noqa: E731
    run = drive(fmi3, 5.0, {"cabin.speed": 0.0}, windy, "cabin.side_speed", "cabin.speed")
    assert run[-1, 0] == pytest.approx(2000.0 / stiffness, rel=0.08)
    assert np.ptp(run[-100:, 0]) < 1e-3 * run[-1, 0]
    assert np.abs(run[-100:, 1]).max() < 1e-4


def test_it_drives_backwards(archive: Archive) -> None:
    back = drive(archive, 3.0, {"cabin.speed": -5.0}, lambda _: {}, "cabin.speed", "cabin.y")
    assert back[-1] == pytest.approx((-5.0, 0.0), abs=1e-3)
    rack = {"rack.displacement": 0.01}
    turns = [
        drive(archive, 3.0, {"cabin.speed": v}, lambda _: rack, "cabin.yaw_rate")[-1, 0]
        for v in (1.0, -1.0)
    ]
    assert turns[0] < 0 < turns[1]  # a rack to the left turns it to the right
    assert turns[1] == pytest.approx(-turns[0], rel=0.02)
    reverse = each("drive_torque", -200.0)
    run = drive(archive, 3.0, {"cabin.speed": 0.0}, lambda _: reverse, "cabin.speed", "cabin.y")
    assert run[-1, 0] == pytest.approx(-4 * 200 / 0.356 / 1573 * 3.0, rel=0.01)
    assert np.abs(run[:, 1]).max() < 1e-6


def test_a_spin_to_one_side_mirrors_that_to_the_other(fmi3: Archive) -> None:
    """Steered hard at 20 m/s it turns to where it goes sideways, with full tyres on all wheels."""
    watched = ("cabin.speed", "cabin.yaw", "cabin.roll", "cabin.y")
    ends = []
    for side in (1, -1):
        hard = lambda t, s=side: {"rack.displacement": 0.03 * s * min(t / 0.2, 1)}  # noqa: E731
        ends.append(drive(fmi3, 3.0, {"cabin.speed": 20.0}, hard, *watched)[-1])
    assert abs(ends[0][1]) > 1.5
    assert ends[1] == pytest.approx(ends[0] * [1, -1, -1, -1], rel=1e-3, abs=1e-4)


# Events are few


def courses(kind: str) -> tuple[float, float, np.ndarray | None]:
    """Duration, speed at the start, and inputs for FMPy."""
    if kind == "stands":
        return 2.0, 0.0, None
    until, speed = (6.0, 20.0) if kind == "stops" else (1.2, SPEED)
    time = np.arange(0, until, 5e-3)
    brakes = each("brake_torque", *STOPS["all"])
    given = [
        kerb(t) if kind == "lifts" else {n: b * min(t, 1) for n, b in brakes.items()} for t in time
    ]
    signals = np.zeros(len(time), dtype=[(name, float) for name in ("time", *given[0])])
    signals["time"] = time
    for name in given[0]:
        signals[name] = [values[name] for values in given]
    return until, speed, signals


@pytest.mark.parametrize(("kind", "most"), [("stands", 8), ("stops", 40), ("lifts", 60)])
# CVODE makes 500 steps at most between two outputs in FMPy, too few for smaller tolerances.
@pytest.mark.parametrize("tolerance", [1e-4, 3e-6])
def test_model_exchange_has_few_events(
    cvode: None, archive: Archive, kind: str, most: int, tolerance: float
) -> None:
    until, speed, signals = courses(kind)
    calls: Counter[str] = Counter()

    def count(line: str) -> None:
        calls[line.partition("(")[0][4:]] += 1

    found = simulate_fmu(
        str(archive.path),
        fmi_type="ModelExchange",
        stop_time=until,
        output_interval=0.01,
        relative_tolerance=tolerance,
        start_values={"cabin.speed": speed},
        input=signals,
        output=["cabin.speed", "cabin.z", "front_left.load"],
        fmi_call_logger=count,
    )
    assert found["time"][-1] == pytest.approx(until)
    assert all(np.isfinite(found[name]).all() for name in found.dtype.names)
    assert calls["EnterEventMode"] <= most
    if kind != "lifts":
        assert abs(found["cabin.speed"][-1]) < 5e-3
        assert found["cabin.z"][-1] == pytest.approx(-0.0070847, abs=1e-4)


# Refusals


def bump(height: float) -> Course:
    return lambda time: each("road_height", height if time > 0.05 else 0.0, 0.0, 0.0, 0.0)


REFUSED: dict[str, tuple[dict[str, float], Course, str]] = {
    "bump": ({}, bump(0.4), "front_left.loaded_radius: the road presses the tyre to its rim"),
    "cliff": ({}, bump(50.0), "front_left.loaded_radius: the road presses the tyre to its rim"),
    "rack": ({"cabin.speed": 1.0}, lambda t: {"rack.displacement": 2.0 * t}, "the tie rods lock"),
    "brakes": ({}, lambda _: each("brake_torque", 4000.0), "cabin: the vehicle overturns"),
    "lifting": ({"tyres": 2}, bump(0.1), ".load: the wheel leaves the road"),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("method", [RUNGE_KUTTA, FIXED_STEP])
def test_what_it_cannot_do_is_refused_by_name(archive: Archive, case: str, method: int) -> None:
    start, course, said = REFUSED[case]
    with Instance(archive) as fmu:
        assert fmu.initialize(start | solved(method)) == OK, fmu.said
        for _ in range(150):
            assert fmu.set(course(fmu.time)) == OK, fmu.said
            before = fmu.bytes()
            if status := fmu.step(0.01):
                break
        else:
            pytest.fail("nothing was refused")
        assert status == DISCARD
        assert said in fmu.said
        assert fmu.last_successful_time == pytest.approx(fmu.time)
        assert fmu.bytes() == before
        if case == "bump":  # and from there it goes on over a road that it can follow
            assert fmu.set(each("road_height", 0.0)) == OK
            fmu.run(fmu.time + 0.5, 0.01)


def test_travel_beyond_the_geometry_is_refused_at_the_start(archive: Archive) -> None:
    with Instance(archive) as fmu:
        status = fmu.initialize({"rear_left.arm_angle": 1.3})
        assert status != OK
        assert "rear_left.travel: the suspension's geometry ends" in fmu.said
