"""The FMUs against published and independently derived numbers, and against each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import simulate
from mbcore.fmus import vehicle
from tests.conftest import (
    FMI2_HEAVY,
    OK,
    ROSENBROCK,
    RUNGE_KUTTA,
    Archives,
    Instance,
    OpenFmu,
    equations_of,
)

METHODS = pytest.mark.parametrize(
    "method", [RUNGE_KUTTA, ROSENBROCK], ids=["runge_kutta", "rosenbrock"]
)

# The vehicle of [SchiehlenEismann], dimensionless: κ = 0.5, i² = 0.09, steered by its speed.
DIMENSIONLESS = {
    "steering": 3,
    "steer.reference_speed": 1.0,
    "chassis.mass": 1.0,
    "chassis.inertia": 0.09,
    "wheelbase": 1.0,
    "rear_to_mass_centre": 0.5,
    "chassis.speed": 0.0,
}
POSE = ("chassis.x", "chassis.y", "chassis.yaw", "chassis.speed")
# Table 1: times at which the drive of ±1 changes sign, beginning with +1.
TABLE_1 = {
    "displacement": (0.0, 2.661, 5.322, 7.983, 10.644),
    "turning": (0.0, 1.5, 4.5, 6.0),
}
ENDS = {
    "displacement": (1.9332277377, -0.0033800180, 12.5640659747, 0.0),
    "turning": (1.3771406342, 0.0057535190, 3.1499483514, 0.0),
}
LARGEST_FORCES = {"displacement": (5.067449, 2.420998), "turning": (1.797293, 0.959727)}
MANOEUVRES = pytest.mark.parametrize("manoeuvre", TABLE_1)


def lateral_forces(fmu: Instance) -> np.ndarray:
    return np.abs(fmu.values(("front.lateral_force", "rear.lateral_force")))


def drive(fmu: Instance, manoeuvre: str, steps: int = 50) -> np.ndarray:
    """Drive a manoeuvre of Table 1; return the largest lateral forces."""
    largest = np.zeros(2)
    for phase, (begin, end) in enumerate(pairwise(TABLE_1[manoeuvre])):
        assert fmu.set({"drive.force": (-1.0) ** phase}) == OK
        largest = np.maximum(largest, lateral_forces(fmu))
        for time in np.linspace(begin, end, steps + 1)[1:]:
            fmu.run(float(time), step=math.inf)
            largest = np.maximum(largest, lateral_forces(fmu))
    return largest


@MANOEUVRES
@METHODS
def test_table_1(open_fmu: OpenFmu, manoeuvre: str, method: int) -> None:
    fmu = open_fmu("vehicle")
    assert fmu.initialize(DIMENSIONLESS | {"solver.method": method}, tolerance=1e-11) == OK
    largest = drive(fmu, manoeuvre)
    assert fmu.time == TABLE_1[manoeuvre][-1]
    assert fmu.values(POSE) == pytest.approx(ENDS[manoeuvre], abs=2e-9)
    assert largest == pytest.approx(LARGEST_FORCES[manoeuvre], rel=1e-6)


@FMI2_HEAVY
@MANOEUVRES
def test_fmu_and_simulate_agree(open_fmu: OpenFmu, manoeuvre: str) -> None:
    fmu = open_fmu("vehicle")
    assert fmu.initialize(DIMENSIONLESS, tolerance=1e-12) == OK
    drive(fmu, manoeuvre, steps=1)
    equations = equations_of(vehicle.model)
    parameters = {k: v for k, v in DIMENSIONLESS.items() if k != "chassis.speed"}
    reached = dict.fromkeys((*POSE, "rear.rolled_distance", "steer.actuator_angle"), 0.0)
    for phase, (begin, end) in enumerate(pairwise(TABLE_1[manoeuvre])):
        run = simulate(
            equations, end - begin, start=reached, parameters=parameters,
            inputs={"drive.force": (-1.0) ** phase}, rtol=1e-12, atol=1e-13,
        )  # fmt: skip
        reached = {name: run.final(name) for name in reached}
    expected = [reached[name] for name in POSE]
    np.testing.assert_allclose(fmu.values(POSE), expected, rtol=0, atol=1e-8)


def test_stationary_circle(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle")
    assert fmu.initialize(DIMENSIONLESS | {"chassis.speed": 0.8}, tolerance=1e-11) == OK
    places = [fmu.values(POSE)]
    period, parts = 9.8174770, 24
    for part in range(1, parts + 1):
        fmu.run(period * part / parts, step=math.inf)
        places.append(fmu.values(POSE))
    path = np.array(places)[:, :2]
    assert path[-1] == pytest.approx(path[0], abs=1e-7)
    assert path[parts // 2 :: parts // 2] == pytest.approx(path[[parts // 2, 0]], abs=1e-7)
    across = np.linalg.norm(path[parts // 2] - path[0])
    assert across / 2 == pytest.approx(1.3462912, abs=1e-7)
    assert fmu.get("chassis.yaw") == pytest.approx(2 * math.pi, abs=1e-7)
    assert lateral_forces(fmu) == pytest.approx((0.3278400, 0.256), abs=5e-8)


def test_slope(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle")
    start = {"chassis.yaw": math.pi / 4, "load.force_y": 0.5}
    assert fmu.initialize(DIMENSIONLESS | start, tolerance=1e-11) == OK
    fmu.run(6.7020997804, step=0.05)
    expected = (-1.9358473769, 0.0, 4.5074541891, 0.0)
    assert fmu.values(POSE) == pytest.approx(expected, abs=2e-9)


def test_steady_turn_in_si_units(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle")
    speed, mass, steer = 20.0, 1200.0, 0.1
    start = {"steering": 2, "steer.angle": steer, "chassis.speed": speed, "drive.force": 0.0}
    assert fmu.initialize(start) == OK
    yaw_rate = speed * math.tan(steer) / 2.5
    # Newton and Euler for one rigid body whose mass centre lies in the middle of the wheelbase
    axle = mass * speed * yaw_rate / 2
    expected = {
        "chassis.yaw_rate": yaw_rate,
        "chassis.acceleration_y": speed * yaw_rate,
        "chassis.acceleration_x": -1.25 * yaw_rate**2,
        "front.steer_angle": steer,
        "rear.lateral_force": axle,
        "front.lateral_force": axle / math.cos(steer),
        "rear.friction_ratio": axle / (mass * 9.81 / 2),
        "front.friction_ratio": axle / math.cos(steer) / (mass * 9.81 / 2),
        "energy.kinetic": mass / 2 * (speed**2 + (1.25 * yaw_rate) ** 2) + 675 / 2 * yaw_rate**2,
        "drive.power": 0.0,
    }
    for name, value in expected.items():
        assert fmu.get(name) == pytest.approx(value, rel=1e-11, abs=1e-12), name


@METHODS
def test_lag_actuator_follows_its_command_exponentially(open_fmu: OpenFmu, method: int) -> None:
    fmu = open_fmu("vehicle")
    start = {"steer.angle": 0.2, "solver.method": method}
    assert fmu.initialize(start, tolerance=1e-10) == OK
    fmu.run(0.1, step=0.1)
    expected = 0.2 * (1 - math.exp(-0.1 / 0.05))
    assert fmu.get("steer.actuator_angle") == pytest.approx(expected, abs=1e-9)
    assert fmu.get("front.steer_angle") == fmu.get("steer.actuator_angle")


@METHODS
def test_swivel_wheel_nonlinear_transient(open_fmu: OpenFmu, method: int) -> None:
    fmu = open_fmu("caster")
    assert fmu.initialize({"swivel.angle": 0.5, "solver.method": method}, tolerance=1e-11) == OK
    names = ("strut.deflection", "swivel.angle", "attachment.x")
    fmu.run(10.0, step=0.1)
    assert fmu.values(names) == pytest.approx((0.2293354120, 0.1652572713, 10.0), abs=2e-9)
    fmu.run(20.0, step=0.1)
    assert fmu.values(names) == pytest.approx((-0.1325766963, 0.1396081655, 20.0), abs=2e-9)


# First contacts of the slider-crank of [Schwab2002] 5.4 with K = 65.8e9
IMPACTS = {
    2.272853257e-4: 4.38580344,
    6.427004277e-4: 2.58133415,
    7.423578078e-4: 1.89146987,
    9.790350989e-4: 1.32438845,
    1.265149270e-3: 2.77663279,
}


def modulus_for(stiffness: float) -> float:
    """Young's modulus that gives a contact stiffness with the other values at their defaults."""
    journal, bearing, modulus = 9.5e-3, 10e-3, 2.06e11
    h = (1 - 0.3**2) / (math.pi * modulus)
    radius = journal * -bearing / (journal - bearing)
    default = 4 / (3 * math.pi * (h + h)) * math.sqrt(radius)  # [Schwab2002] (5.3)
    assert default == pytest.approx(6.578265e10, rel=1e-6)
    return modulus * stiffness / default


@METHODS
def test_first_impacts_of_the_slider_crank(open_fmu: OpenFmu, method: int) -> None:
    fmu = open_fmu("clearance_joint")
    start = {"joint.youngs_modulus": modulus_for(65.8e9), "solver.method": method}
    assert fmu.initialize(start, tolerance=1e-11) == OK
    for count, (time, speed) in enumerate(IMPACTS.items(), start=1):
        fmu.run(time + 2e-6, step=1e-5)
        assert fmu.get("joint.impacts") == count
        assert fmu.get("joint.in_contact")
        assert fmu.get("joint.impact_time") == pytest.approx(time, abs=1e-9)
        assert fmu.get("joint.impact_speed") == pytest.approx(speed, rel=1e-5)


def test_first_contact_ends_as_it_should(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("clearance_joint")
    assert fmu.initialize({"joint.youngs_modulus": modulus_for(65.8e9)}, tolerance=1e-10) == OK
    end = 2.812462402e-4
    forces = []
    while fmu.time < end - 2e-9:
        fmu.run(min(fmu.time + 2e-7, end - 1e-9), step=1.0)
        forces.append(fmu.get("joint.force"))
    assert fmu.get("joint.in_contact")
    assert max(forces) == pytest.approx(47853.658, rel=1e-4)
    fmu.run(end + 1e-9, step=1.0)
    assert not fmu.get("joint.in_contact")
    assert fmu.get("joint.force") == 0
    x, y, x_rate, y_rate = fmu.values(("joint.x", "joint.y", "joint.x_rate", "joint.y_rate"))
    assert (x * x_rate + y * y_rate) / math.hypot(x, y) == pytest.approx(-4.1168286, rel=1e-5)


def contact(fmu: Instance) -> tuple[float, float, np.ndarray]:
    """Return depth, its rate, and the direction from the sleeve's centre to the journal's."""
    place = fmu.values(("joint.x", "joint.y"))
    direction = place / np.linalg.norm(place)
    rate = float(direction @ fmu.values(("joint.x_rate", "joint.y_rate")))
    return float(np.linalg.norm(place)) - 0.5e-3, rate, direction


def assert_force(fmu: Instance, force: float, direction: np.ndarray) -> None:
    components = fmu.values(("joint.force_x", "joint.force_y"))
    assert components == pytest.approx(force * direction, rel=1e-9)
    assert fmu.get("joint.force") == pytest.approx(abs(force), rel=1e-9)


def test_hertz_law_with_its_hysteresis(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("clearance_joint")
    given = {"joint.restitution": 0.7, "joint.youngs_modulus": modulus_for(65.8e9)}
    assert fmu.initialize(given) == OK
    fmu.run(2.272853257e-4, step=1e-5)
    for _ in range(8):
        fmu.run(fmu.time + 4e-6, step=1.0)
        depth, rate, direction = contact(fmu)
        if depth < 0:
            break
        # [Schwab2002] (5.10)
        factor = 1 + 3 * (1 - 0.7**2) / 4 * rate / fmu.get("joint.impact_speed")
        assert_force(fmu, max(0.0, 65.8e9 * depth**1.5 * factor), direction)
        assert fmu.get("joint.penetration") == pytest.approx(depth, rel=1e-9)
    assert fmu.get("joint.impacts") == 1


@METHODS
def test_linear_law_is_not_clipped(open_fmu: OpenFmu, method: int) -> None:
    fmu = open_fmu("clearance_joint")
    law = {"joint.law": 2, "joint.stiffness": 2e8, "joint.damping": 3e3}
    assert fmu.initialize(law | {"solver.method": method}, tolerance=1e-9) == OK
    pulled = False
    fmu.run(2.272853257e-4, step=1e-5)
    while not (fmu.get("joint.impacts") == 1 and not fmu.get("joint.in_contact")):
        fmu.run(fmu.time + 1e-6, step=1.0)
        if fmu.get("joint.in_contact"):
            depth, rate, direction = contact(fmu)
            force = 2e8 * depth + 3e3 * rate
            assert_force(fmu, force, direction)
            pulled |= force < 0
    assert pulled
    assert fmu.get("joint.force") == 0


def test_a_start_in_contact_takes_the_present_approach_speed(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("clearance_joint")
    given = {"joint.x": 0.51e-3, "joint.x_rate": 2.0, "joint.y_rate": 7.0}
    assert fmu.initialize(given | {"joint.youngs_modulus": modulus_for(65.8e9)}) == OK
    assert fmu.get("joint.in_contact")
    assert fmu.get("joint.impact_speed") == pytest.approx(2.0, rel=1e-9)
    factor = 1 + 3 * (1 - 0.95**2) / 4
    assert fmu.get("joint.force") == pytest.approx(65.8e9 * 1e-5**1.5 * factor, rel=1e-6)


# Model Exchange, integrated by FMPy's CVODE

Signals = Mapping[str, Callable[[float], float]]


def held(archives: Archives, name: str, times: np.ndarray, given: Signals) -> np.ndarray:
    """Signals for FMPy that are held between communication points: two rows at each."""
    inputs = [v for v in archives[name, "2.0"].description.modelVariables if v.causality == "input"]
    table = np.zeros(
        2 * len(times) - 2, dtype=[("time", float), *((v.name, float) for v in inputs)]
    )
    table["time"] = np.repeat(times, 2)[1:-1]
    for variable in inputs:
        signal = given.get(variable.name, lambda t, v=variable: float(v.start))
        table[variable.name] = np.repeat([signal(float(t)) for t in times[:-1]], 2)
    return table


# Name: end, interval, input signals, parameters and starts
EXCITED = {
    "vehicle": (2.0, 0.1, {"steer.angle": lambda t: 0.3 * math.sin(3 * t),
                           "drive.force": lambda t: 2000 * math.cos(t),
                           "load.force_y": lambda t: 500 * t}, {}),
    "caster": (8.0, 0.2, {"swivel.torque": lambda t: 0.2 * math.sin(2 * t)},
               {"strut.damping": 0.1, "swivel.damping": 0.05}),
    "clearance_joint": (6e-4, 2e-5, {"slider.force": lambda t: 300 * math.sin(5000 * t)}, {}),
}  # fmt: skip


@FMI2_HEAVY
@pytest.mark.parametrize("name", EXCITED)
def test_model_exchange_and_co_simulation_agree(
    cvode: None, archives: Archives, name: str, version: str
) -> None:
    stop, interval, signals, start = EXCITED[name]
    archive = archives[name, version]
    times = np.linspace(0, stop, round(stop / interval) + 1)
    given = held(archives, name, times, signals)
    exchange, simulation = (
        simulate_fmu(
            archive.folder, fmi_type=kind, stop_time=stop, output_interval=interval, input=given,
            relative_tolerance=1e-9, start_values=dict(start), output=archive.states,
        )
        for kind in ("ModelExchange", "CoSimulation")
    )  # fmt: skip
    for state in archive.states:
        nominal = float(archive.variables[state].nominal)
        scale = max(nominal, float(np.abs(simulation[state]).max()))
        rows = np.searchsorted(exchange["time"], times * (1 + 1e-12), side="right") - 1
        difference = exchange[state][rows] - simulation[state][-len(times) :]
        assert np.abs(difference).max() < 1e-6 * scale, state


@FMI2_HEAVY
def test_first_impacts_in_model_exchange(cvode: None, archives: Archives, version: str) -> None:
    archive = archives["clearance_joint", version]
    result = simulate_fmu(
        archive.folder, fmi_type="ModelExchange", stop_time=1.27e-3, output_interval=1e-6,
        relative_tolerance=1e-11, start_values={"joint.youngs_modulus": modulus_for(65.8e9)},
        output=["joint.impact_time", "joint.impacts", "joint.impact_speed"],
    )  # fmt: skip
    assert result["joint.impacts"][-1] == len(IMPACTS)
    for count, (time, speed) in enumerate(IMPACTS.items(), start=1):
        row = result[result["joint.impacts"] == count][-1]
        assert row["joint.impact_time"] == pytest.approx(time, abs=1e-9)
        assert row["joint.impact_speed"] == pytest.approx(speed, rel=1e-5)
