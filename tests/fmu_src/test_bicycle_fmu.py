"""The bicycle's FMU: contract, the literature's numbers, agreement with Python, and its rider."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import Equations, Result, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.bicycles import bicycle_lane_change as lane_change
from mbcore.fmus import bicycle
from tests.conftest import (
    ERROR,
    FIXED_STEP,
    OK,
    ROSENBROCK,
    RUNGE_KUTTA,
    Archive,
    Archives,
    Instance,
    equations_of,
)
from tests.fmu_src import bicycle_formulas as published
from tests.fmu_src.bicycle_formulas import canonical_matrices, rolling_mass

STATES = {
    "bicycle.lean", "bicycle.lean_rate", "bicycle.steer", "bicycle.steer_rate", "bicycle.distance",
    "bicycle.speed", "bicycle.yaw", "bicycle.x", "bicycle.y", "front_wheel.angle",
}  # fmt: skip
OUTPUTS = (
    "bicycle.yaw_rate", "bicycle.pitch", "energy.total",
    *(f"{wheel}.{what}" for wheel in ("rear", "front") for what in (
        "normal_force", "lateral_force", "longitudinal_force", "friction_ratio")),
)  # fmt: skip
TURNING = {
    "bicycle.lean": np.pi / 2 - published.STATE["psi"],
    "bicycle.steer": published.STATE["psif"],
    "bicycle.lean_rate": -published.RATE["psi"],
    "bicycle.steer_rate": published.RATE["psif"],
    "bicycle.speed": 0.3 * published.RATE["betar"],
}
"""The state of [BasuMandal2007] Table 1."""
TORQUES = {"steer.torque": 0.1, "lean.torque": -4.0, "drive.torque": 3.0}


@pytest.fixture(scope="module")
def equations() -> Equations:
    return equations_of(bicycle.model)


@pytest.fixture
def archive(version: str, archives: Archives) -> Archive:
    return archives["bicycle", version]


@pytest.fixture
def fmu(archive: Archive) -> Iterator[Instance]:
    with Instance(archive) as instance:
        yield instance


@pytest.fixture(scope="module")
def driven(equations: Equations) -> Result:
    """The default start with constant torques for two seconds."""
    return simulate(equations, 2.0, inputs=TORQUES, rtol=1e-11, atol=1e-12, progress=False)


# Contract


def test_interface_is_that_of_the_paper(archive: Archive) -> None:
    variables = archive.variables
    assert set(archive.states) == STATES
    for name, value in published.DATA.items():
        assert float(variables[name].start) == value, name
        length = name.startswith("geometry.") or name.rsplit(".")[-1] in ("radius", "x", "z")
        assert variables[name].variability == ("fixed" if length else "tunable"), name
    units = {"bicycle.distance": "m", "bicycle.speed": "m/s", "bicycle.lean": "rad",
             "steer.torque": "N.m", "front.normal_force": "N", "front.friction_ratio": "1",
             "rear_wheel.inertia_yy": "kg.m2", "gravity": "m/s2"}  # fmt: skip
    assert {name: variables[name].unit for name in units} == units
    kinds = {name: variables[name].causality for name in (*STATES, *OUTPUTS, *TORQUES)}
    assert {n for n, kind in kinds.items() if kind == "input"} == set(TORQUES)
    assert {n for n, k in kinds.items() if k == "local"} == {
        "bicycle.distance",
        "front_wheel.angle",
    }
    exact = {n for n, v in variables.items() if v.initial == "exact" and v.causality != "parameter"}
    assert exact >= STATES


def test_lengths_are_fixed_and_masses_act_at_once(fmu: Instance) -> None:
    assert fmu.initialize(TURNING) == OK
    before = fmu.get("front.normal_force")
    assert fmu.set({"rear_frame.mass": 100.0}) == OK
    assert fmu.step(1e-6) == OK
    assert fmu.get("front.normal_force") > before + 10
    assert fmu.set({"rear_wheel.radius": 0.31}) == ERROR


@pytest.mark.parametrize(
    ("start", "named"),
    [
        ({"bicycle.lean": 1.5}, "falls on its side"),
        ({"bicycle.steer": 1.7}, "across the rear one"),
        ({"rear_frame.inertia_xz": 5.2}, "rear_frame.inertia_xz"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    fmu: Instance, start: dict[str, float], named: str
) -> None:
    assert fmu.initialize(start) != OK
    assert named in fmu.said


def test_fallen_bicycle_stops_with_its_name_and_keeps_the_last_state(fmu: Instance) -> None:
    assert fmu.initialize({"bicycle.speed": 2.0}) == OK
    while fmu.time < 5 and fmu.step(0.05) == OK:
        last = fmu.get("bicycle.lean")
    assert fmu.time < 2.5
    assert "bicycle.lean" in fmu.said or "bicycle.steer" in fmu.said
    assert fmu.get("bicycle.lean") == last


def test_same_calls_give_the_same_bytes(fmu: Instance) -> None:
    assert fmu.initialize(TORQUES) == OK
    first = fmu.run(1.0, 0.05).bytes()
    assert fmu.reset() == OK
    assert fmu.initialize(TORQUES) == OK
    assert fmu.run(1.0, 0.05).bytes() == first


# Numbers


def test_published_accelerations(archive: Archive, equations: Equations) -> None:
    with Instance(archive, "ModelExchange") as fmu:
        assert fmu.initialize(TURNING) == OK
        rates = dict(zip(fmu.states, np.frombuffer(fmu.rates()), strict=True))
        shown = {name: fmu.get(name) for name in OUTPUTS}
    acceleration, rate = published.ACCELERATION, published.RATE
    for ours, theirs in (
        (rates["bicycle.lean_rate"], -acceleration["psi"]),
        (rates["bicycle.steer_rate"], acceleration["psif"]),
        (rates["bicycle.speed"] / 0.3, acceleration["betar"]),
        (rates["bicycle.yaw"], rate["theta"]),
        (shown["bicycle.yaw_rate"], rate["theta"]),
        (rates["front_wheel.angle"], rate["betaf"]),
        (shown["bicycle.pitch"], published.STATE["phi"] - np.pi),
    ):
        assert ours == pytest.approx(theirs, abs=1e-12)
    point = Evaluation(equations)
    point.start(TURNING)
    for record, value in zip(equations.states, point.derivative(), strict=True):
        assert rates[record.name] == pytest.approx(value, rel=1e-11, abs=1e-12), record.name
    for record, value in zip(equations.outputs, point.output(), strict=True):
        assert shown[record.name] == pytest.approx(value, rel=1e-10, abs=1e-9), record.name


@pytest.mark.parametrize("method", [RUNGE_KUTTA, ROSENBROCK], ids=["runge_kutta", "rosenbrock"])
def test_co_simulation_agrees_with_python(fmu: Instance, driven: Result, method: int) -> None:
    assert fmu.initialize(TORQUES | {"solver.method": method}, tolerance=1e-11) == OK
    fmu.run(2.0, step=0.1)
    for name in (*STATES, *OUTPUTS):
        assert fmu.get(name) == pytest.approx(driven.final(name), rel=1e-8, abs=1e-7), name


def test_fixed_steps_are_of_fourth_order(fmu: Instance, driven: Result) -> None:
    apart = []
    for step in (0.02, 0.01):
        assert fmu.reset() == OK
        start = TORQUES | {"solver.method": FIXED_STEP, "solver.step": step}
        assert fmu.initialize(start) == OK
        fmu.run(2.0, step=0.1)
        apart.append(abs(fmu.get("bicycle.lean_rate") - driven.final("bicycle.lean_rate")))
    assert apart[1] < 1e-6
    assert np.log2(apart[0] / apart[1]) == pytest.approx(4, abs=0.7)


def test_model_exchange_agrees_with_python(archive: Archive, driven: Result, cvode: None) -> None:
    names = [*STATES, *OUTPUTS]
    found = simulate_fmu(
        str(archive.path), fmi_type="ModelExchange", stop_time=2.0, output_interval=0.1,
        relative_tolerance=1e-9, start_values=TORQUES, output=names,
    )  # fmt: skip
    for name in names:
        assert found[name][-1] == pytest.approx(driven.final(name), rel=1e-5, abs=1e-5), name


def test_pushed_bicycle_gets_up_and_is_faster(fmu: Instance) -> None:
    # [Meijaard2007] Fig. 4: all energy of the push is in the speed when it is upright again
    speed, push = 4.6, 0.5
    start = {"bicycle.speed": speed, "bicycle.lean_rate": push}
    assert fmu.initialize(start, tolerance=1e-10) == OK
    energy = fmu.get("energy.total")
    fmu.run(40.0, step=0.5)
    inertia, mass = canonical_matrices()["M"][0, 0], rolling_mass()
    reached = np.sqrt(speed**2 + inertia * push**2 / mass)
    assert fmu.get("bicycle.speed") == pytest.approx(reached, abs=1e-8)
    assert fmu.get("bicycle.lean") == pytest.approx(0, abs=1e-5)
    assert fmu.get("energy.total") == pytest.approx(energy, abs=1e-6)


def test_small_push_grows_or_decays_as_table_2_says(fmu: Instance) -> None:
    # weave at 4 and 5 m/s: the amplitude over a period of the linear motion
    for speed in (4, 5):
        growth, frequency = published.WEAVE[speed]
        assert fmu.reset() == OK
        start = {"bicycle.speed": float(speed), "bicycle.lean_rate": 1e-4}
        assert fmu.initialize(start, tolerance=1e-10) == OK
        time = np.arange(0, 6, 0.02)
        lean = []
        for t in time:
            fmu.run(float(t), step=np.inf) if t else None
            lean.append(fmu.get("bicycle.lean"))
        values = [complex(growth, frequency), complex(growth, -frequency),
                  *published.CAPSIZE_AND_CASTERING[speed]]  # fmt: skip
        modes = np.exp(np.outer(time, values))
        shares, *_ = np.linalg.lstsq(modes, np.array(lean), rcond=None)
        assert np.abs(modes @ shares - lean).max() < 1e-4 * np.abs(lean).max()


# Ridden


@pytest.fixture(scope="module")
def ride(archives: Archives) -> lane_change.Ride:
    return lane_change.run(archives["bicycle", "3.0"].path)


@pytest.mark.heavy
def test_rider_follows_the_road_below_the_weave_speed(ride: lane_change.Ride) -> None:
    assert ride.rider.speed < published.WEAVE_SPEED
    assert ride.time[-1] == pytest.approx(lane_change.DURATION - 0.01)
    np.testing.assert_allclose(np.diff(ride.time), 0.01, rtol=1e-9)
    before = ride.before_gust
    assert np.abs(ride.deviation[before]).max() < 0.15
    assert ride["bicycle.y"][before][-1] == pytest.approx(lane_change.LANE, abs=1e-3)
    assert np.abs(ride.deviation).max() < 0.4  # pushed
    assert np.abs(ride.deviation[-100:]).max() < 5e-3
    assert np.abs(ride["bicycle.lean"]).max() < np.radians(10)
    assert max(ride[f"{wheel}.friction_ratio"].max() for wheel in ("rear", "front")) < 0.2


@pytest.mark.heavy
def test_ride_is_that_of_the_linear_theory_but_for_large_angles(ride: lane_change.Ride) -> None:
    assert np.abs(ride["bicycle.y"] - ride.linear)[ride.time < 3].max() < 1e-3
    assert np.abs(ride["bicycle.y"] - ride.linear).max() < 0.1


def test_to_go_left_steer_right_first(ride: lane_change.Ride) -> None:
    early = ride.time < 4
    assert ride["bicycle.steer"][early].min() < -2e-3
    assert ride["bicycle.y"][early].min() < -0.01
    assert ride["bicycle.lean"][(ride.time > 4) & (ride.time < 6)].min() < -0.05


def test_without_a_rider_it_falls(ride: lane_change.Ride) -> None:
    assert ride.alone["time"][-1] < 4
    assert abs(ride.alone["bicycle.lean"][-1]) > lane_change.ALONE


@pytest.mark.heavy
def test_ride_is_drawn(ride: lane_change.Ride, tmp_path: Path) -> None:
    lane_change.report(ride)
    lane_change.draw(ride, tmp_path)
    assert (tmp_path / "bicycle_lane_change.png").stat().st_size > 10_000
