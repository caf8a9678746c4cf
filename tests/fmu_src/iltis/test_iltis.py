"""The FMU of the road vehicle: its contract, its rest, and the benchmark's ramp-to-step steer.

The yaw rates are those of a public model of the IAVSD benchmark from the same data (UCLouvain,
Robotran), printed with five digits: the rack goes to 2 mm with 4 mm/s, and wheels turn with the
speed of the start.
"""

from __future__ import annotations

from collections.abc import Callable

import fmpy
import numpy as np
import pytest

from tests.conftest import FIXED_STEP, OK, ROSENBROCK, RUNGE_KUTTA, Archive, Archives, Instance
from tests.fmi.calls import test_fmu_contract as contract

pytestmark = pytest.mark.heavy

WHEELS = ("front_left", "front_right", "rear_left", "rear_right")
DIRECT, PRESCRIBED = 2, 2
"""Items of ``steering`` and ``road``, and of ``wheels``."""
OF_A_WHEEL = """
    W.drive_torque          N.m    input    0
    W.brake_torque          N.m    input    0
    W.road_height           m      input    0
    W.road_rate             m/s    input    0
    W.load                  N      output
    W.slip_angle            rad    output
    W.side_force            N      output
    W.longitudinal_force    N      output
    W.aligning_torque       N.m    output
    W.camber                rad    output
    W.travel                m      output
    W.damper_force          N      output
    W.airborne              -      boolean
    """
VARIABLES = """
    rack.displacement       m      input    0
    rack.rate               m/s    input    0
    rack.acceleration       m/s2   input    0
    wind.force_y            N      input    0
    steering.time_constant  s      tunable  0.02
    road.time_constant      s      tunable  0.005
    cabin.mass              kg     tunable  1260
    wheel.mass              kg     tunable  57.35
    leaf.stiffness          N/m    tunable  35906
    tyre.stiffness          N/m    tunable  460000
    gravity                 m/s2   tunable  9.81
    cabin.x                 m      state    0
    cabin.y                 m      state    0
    cabin.z                 m      state
    cabin.yaw               rad    state    0
    cabin.pitch             rad    state
    cabin.roll              rad    state    0
    cabin.speed             m/s    state    20
    cabin.yaw_rate          rad/s  output
    cabin.pitch_rate        rad/s  output
    cabin.roll_rate         rad/s  output
    cabin.acceleration_x    m/s2   output
    cabin.acceleration_y    m/s2   output
    cabin.acceleration_z    m/s2   output
    """ + "".join(OF_A_WHEEL.replace("W.", f"{wheel}.") for wheel in WHEELS)
ENUMERATIONS = {
    "steering": ["filtered", "direct"],
    "road": ["filtered", "direct"],
    "tyres": ["calspan", "no_lateral_slip", "simplified"],
    "wheels": ["rolling", "prescribed"],
}
PROMISES = (
    contract.test_every_variable_of_the_contract_is_there,
    contract.test_enumerations_have_their_items_in_order,
    contract.test_the_fixed_steps_default_is_the_default_experiment_s,
    contract.test_default_values_are_those_of_the_description,
    contract.test_names_are_structured,
    contract.test_capability_flags,
    contract.test_nominals_are_positive_and_of_the_states_own_size,
    contract.test_initial_unknowns_are_complete_and_in_order,
    contract.test_generation_time_is_utc,
    contract.test_units_have_their_base_exponents,
    contract.test_display_units_have_their_factors,
    contract.test_fmpy_finds_no_problem,
)
TIMES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
YAW_RATES = (
    -0.00478, -0.01711, -0.03433, -0.05413, -0.07476, -0.09086, -0.09947, -0.10276, -0.10263,
    -0.10053, -0.09419, -0.08846, -0.08488, -0.08336, -0.08320,
)  # fmt: skip
RAMP, ROUNDING = 0.5, 0.5e-5


@pytest.fixture
def archive(archives: Archives, version: str) -> Archive:
    return archives["iltis", version]


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.__name__[5:])
def test_contract(
    promise: Callable[[Archive], None], archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(contract.VARIABLES, "iltis", VARIABLES)
    monkeypatch.setitem(contract.ENUMERATIONS, "iltis", ENUMERATIONS)
    promise(archive)


@pytest.mark.parametrize("choices", [{}, {"tyres": 2}, {"tyres": 3}, {"wheels": PRESCRIBED}])
def test_it_starts_at_rest_in_equilibrium(archive: Archive, choices: dict[str, int]) -> None:
    with Instance(archive) as fmu:
        assert fmu.initialize({"cabin.speed": 0.0} | choices, tolerance=1e-10) == OK, fmu.said
        rates = fmu.values(name for name in archive.variables if name.startswith("der("))
        assert len(rates) == len(archive.states)
        assert np.abs(rates).max() < 1e-8
        loads = fmu.values(f"{wheel}.load" for wheel in WHEELS)
        before = fmu.values(archive.states)
        fmu.run(2.0, 0.05)
        assert np.abs(fmu.values(archive.states) - before).max() < 1e-8
        assert fmu.values(f"{wheel}.load" for wheel in WHEELS) == pytest.approx(loads, rel=1e-9)
    # the weights of cabin, four arms and four wheels
    assert loads.sum() == pytest.approx((1260 + 4 * (6 + 57.35)) * 9.81, rel=1e-5)


@pytest.mark.parametrize("method", [RUNGE_KUTTA, ROSENBROCK, FIXED_STEP])
def test_ramp_steer_meets_the_reference(archive: Archive, method: int) -> None:
    """In steps of 2 ms with the displacement in the middle of each, right to the step's square."""
    step, until = 2e-3, 0.6 if method == ROSENBROCK else TIMES[-1]
    start = {"cabin.speed": 30.0, "wheels": PRESCRIBED, "steering": DIRECT, "solver.method": method}
    found = {}
    with Instance(archive) as fmu:
        assert fmu.initialize(start, tolerance=1e-6) == OK
        for count in range(round(until / step)):
            middle = (count + 0.5) * step
            rate = 0.004 if middle < RAMP else 0.0
            fmu.set({"rack.displacement": 0.004 * min(middle, RAMP), "rack.rate": rate})
            assert fmu.step(step) == OK, fmu.said
            found[round((count + 1) * step, 9)] = fmu.get("cabin.yaw_rate")
    for time, expected in zip(TIMES, YAW_RATES, strict=True):
        if time <= until:
            assert found[time] == pytest.approx(expected, rel=5e-3, abs=ROUNDING), time


def test_wheels_roll_or_keep_the_speed_of_the_start(archive: Archive) -> None:
    """Driven by 100 N.m each, rolling wheels give 4 M/r; prescribed ones no longitudinal force."""
    for choice, share in ((1, 1.0), (PRESCRIBED, 0.0)):
        with Instance(archive) as fmu:
            assert fmu.initialize({"wheels": choice}) == OK
            fmu.set({f"{wheel}.drive_torque": 100.0 for wheel in WHEELS})
            fmu.run(1.0, 0.01)
            forces = fmu.values(f"{wheel}.longitudinal_force" for wheel in WHEELS)
            # 1513.4 kg and four wheels of 1.908 kg.m2 on 0.356 m: wheels take 3.8 % of the torque
            assert forces.sum() == pytest.approx(
                share * 4 * 100 / 0.356 * 0.962, rel=2e-3, abs=1e-9
            )


def test_a_wrong_choice_or_value_is_refused(archive: Archive) -> None:
    with Instance(archive) as fmu:
        assert fmu.set({"cabin.mass": 0.0}) != OK
        assert "cabin.mass" in fmu.said
        assert fmu.set({"front_left.brake_torque": -1.0}) == OK  # as none
        for name in ("rack.displacement", "rear_left.road_height", "cabin.speed"):
            assert fmu.set({name: float("nan")}) != OK
            assert name in fmu.said
        assert fmu.initialize() == OK
        assert fmu.get("cabin.speed") == 20.0


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("start", [-5.0, 10.0])
def test_prescribed_wheels_keep_the_speed_of_any_start(
    archives: Archives, version: str, start: float
) -> None:
    found = fmpy.simulate_fmu(
        archives["iltis", version].folder,
        start_time=start,
        stop_time=start + 0.2,
        start_values={"cabin.speed": 18.0, "wheels": PRESCRIBED},
        output=["wheels.distance", "front_left.angle"],
        fmi_type="CoSimulation",
    )
    assert found["wheels.distance"][-1] == pytest.approx(18 * 0.2, rel=1e-9)
    assert found["front_left.angle"][-1] == pytest.approx(18 * 0.2 / 0.364325, rel=1e-9)


def test_what_is_set_after_initialization_is_there_from_the_first_step(archive: Archive) -> None:
    """A road and a rack that are set late make the same motion as when they are set before."""
    given = {"rack.displacement": 0.01, "rear_left.road_height": 0.02}
    shown = ("cabin.x", "cabin.y", "cabin.yaw", "rear_left.load")
    found = []
    for before, later in ((given, {}), ({}, given)):
        with Instance(archive) as fmu:
            assert fmu.initialize(before) == OK
            assert fmu.set(later) == OK
            fmu.run(1.0, 0.01)
            found.append(fmu.values(shown))
            assert "start.rack.displacement_filtered" in archive.variables
    assert found[0] == pytest.approx(found[1], rel=1e-9)
    assert abs(found[0][1]) > 1.0
