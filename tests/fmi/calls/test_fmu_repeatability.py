"""The same calls give the same bytes: after a reset, beside other instances, from anywhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import (
    AUTOMATIC,
    ERROR,
    FIXED_STEP,
    FMI2_HEAVY,
    OK,
    ROSENBROCK,
    RUNGE_KUTTA,
    Archives,
    Instance,
    OpenFmu,
)
from tests.shipped import LONG, SHIPPED, each

STATM = Path("/proc/self/statm")


def course(fmu: Instance, method: int = RUNGE_KUTTA) -> Iterator[bytes]:
    """Initialize and make the steps of its course; give all values at each communication point."""
    start, step, count, driven = SHIPPED[fmu.archive.description.modelName].course
    assert fmu.initialize(start | {"solver.method": method}) == OK
    yield fmu.bytes()
    for i in range(count):
        assert fmu.set({driven: 0.1 * (i % 7)}) == OK
        assert fmu.step(step) == OK, fmu.said
        yield fmu.bytes()


METHODS = pytest.mark.parametrize(
    "method",
    [RUNGE_KUTTA, ROSENBROCK, FIXED_STEP, AUTOMATIC],
    ids=["runge_kutta", "rosenbrock", "fixed_step", "automatic"],
)
EACH = pytest.mark.parametrize("name", each())


@EACH
@METHODS
def test_reset_and_run_again(open_fmu: OpenFmu, name: str, method: int) -> None:
    fmu = open_fmu(name)
    first = list(course(fmu, method))
    assert len(set(first)) == len(first)  # it moves
    assert fmu.reset() == OK
    assert list(course(fmu, method)) == first


@EACH
def test_reset_takes_everything_back(open_fmu: OpenFmu, name: str) -> None:
    fmu = open_fmu(name)
    changed = {
        variable.name: 1.5 * float(variable.start) + 1e-4
        for variable in fmu.variables.values()
        if variable.causality == "input"
    }
    assert fmu.initialize({"solver.tolerance": 1e-3} | changed, at=0.5, tolerance=1e-4) == OK
    assert fmu.step(1e-4) == OK
    assert fmu.set({"solver.tolerance": 1e-5}) == ERROR
    assert fmu.reset() == OK
    for variable in fmu.variables.values():
        if variable.start is not None:
            assert fmu.get(variable.name) == float(variable.start), variable.name
    assert list(course(fmu)) == list(course(open_fmu(name)))


@FMI2_HEAVY
@EACH
@METHODS
def test_interleaved_instances(open_fmu: OpenFmu, name: str, method: int) -> None:
    alone = list(course(open_fmu(name), method))
    both = list(zip(course(open_fmu(name), method), course(open_fmu(name), method), strict=True))
    assert both == list(zip(alone, alone, strict=True))


@EACH
def test_instances_in_threads(open_fmu: OpenFmu, name: str) -> None:
    alone = list(course(open_fmu(name)))
    instances = [open_fmu(name) for _ in range(4)]
    with ThreadPoolExecutor(len(instances)) as pool:
        for made in pool.map(lambda fmu: list(course(fmu)), instances):
            assert made == alone


def resident_bytes() -> int:
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def short_run(fmu: Instance) -> bytes:
    assert fmu.initialize() == OK
    assert fmu.step(1e-4) == OK
    return fmu.bytes()


@pytest.mark.apart
@pytest.mark.parametrize("name", each("caster"))
def test_a_thousand_cycles(name: str, version: str, archives: Archives) -> None:
    if not STATM.exists():
        pytest.skip(f"no {STATM} here to read the resident memory from")
    with Instance(archives[name, version]) as fmu:
        first = short_run(fmu)
        resident = []
        # a cycle of a road vehicle takes seven times as long
        half = 120 if name in LONG else 400
        for cycle in range(half // 2 + 2 * half + 1):
            fmu.renew()
            assert short_run(fmu) == first
            if cycle % half == half // 2:
                resident.append(resident_bytes())
        # One instance takes 10 kB and more: 400 that are not freed would take 4 MB. Python takes
        # 1 MiB at a time, which comes in one half; what is lost in each cycle is lost in both.
        assert len(resident) == 3
        assert np.diff(resident).min() < 1000 * half


# Model Exchange: states far from the start
FAR = {
    "vehicle": {
        "chassis.x": 400.0,
        "chassis.y": -300.0,
        "chassis.yaw": 25.0,
        "chassis.speed": 31.0,
        "rear.rolled_distance": 1000.0,
        "steer.actuator_angle": -0.7,
    },
    "caster": {
        "swivel.angle": 14.0,
        "strut.deflection": 3.0,
        "strut.deflection_rate": -2.0,
        "attachment.x": 500.0,
    },
    "clearance_joint": {
        "crank.angle": 40.3,
        "joint.x": 3e-4,
        "joint.y": -2e-4,
        "joint.x_rate": 2.0,
    },
    "rolling_disk": {
        "disk.yaw": 20.0,
        "disk.lean": -0.8,
        "disk.pitch": -35.0,
        "disk.yaw_rate": 2.0,
        "contact.x": 50.0,
        "contact.y": -70.0,
    },
    "caster_flexible": {
        "wheel.yaw": 0.7,
        "wheel.roll": -0.3,
        "wheel.pitch": -60.0,
        "yoke.deflection": 0.2,
        "attachment.x": 60.0,
    },
    "bicycle": {
        "bicycle.lean": 0.6,
        "bicycle.steer": -0.4,
        "bicycle.lean_rate": -1.0,
        "bicycle.speed": 9.0,
        "bicycle.distance": 400.0,
        "bicycle.yaw": -11.0,
        "front_wheel.angle": 900.0,
        "bicycle.x": 300.0,
        "bicycle.y": -200.0,
    },
}


def opened_at_start(open_fmu: OpenFmu, name: str) -> tuple[Instance, np.ndarray, np.ndarray]:
    """Return an initialized model, its states and the far ones."""
    fmu = open_fmu(name, "ModelExchange")
    # far off the vehicle is beyond any road's friction, which would be an event
    assert fmu.initialize({"friction.limit": 1e9} if name == "vehicle" else {}) == OK, fmu.said
    near = np.frombuffer(fmu.vector("ContinuousStates", len(fmu.states)))
    if name not in FAR:  # a hundredth of their nominal values away, where no event is
        nominal = [float(fmu.variables[state].nominal or 1) for state in fmu.states]
        return fmu, near, near + 0.01 * np.array(nominal)
    far = [FAR[name].get(state, value) for state, value in zip(fmu.states, near, strict=True)]
    return fmu, near, np.array(far)


def everything(fmu: Instance) -> bytes:
    """Return all that Model Exchange gives at the present point."""
    indicators = fmu.archive.description.numberOfEventIndicators
    return fmu.rates() + fmu.vector("EventIndicators", indicators) + fmu.bytes()


@EACH
def test_far_off_states_are_evaluated_like_near_ones(open_fmu: OpenFmu, name: str) -> None:
    jumped, near, far = opened_at_start(open_fmu, name)
    at_start = everything(jumped)
    assert jumped.move(1.0, far) == OK
    at_once = everything(jumped)

    walked, *_ = opened_at_start(open_fmu, name)
    for part in np.linspace(0, 1, 301)[1:]:
        assert walked.move(float(part), near + part * (far - near)) == OK
        walked.rates()
        assert not walked.completed_step()
    assert walked.move(1.0, far) == OK
    assert everything(walked) == at_once
    # and back: once with the start accepted last, once with the far point
    for fmu in (jumped, walked):
        assert fmu.move(0.0, near) == OK
        assert everything(fmu) == at_start


@EACH
def test_rejected_trials_leave_no_trace(open_fmu: OpenFmu, name: str) -> None:
    tried, near, far = opened_at_start(open_fmu, name)
    straight, *_ = opened_at_start(open_fmu, name)
    for part in (0.01, 0.02, 0.03):
        for trial in (1.0, 0.4, 0.1):
            assert tried.move(trial, near + trial * (far - near)) == OK
            tried.rates()
        for fmu in (tried, straight):
            assert fmu.move(part, near + part * (far - near)) == OK
        assert everything(tried) == everything(straight)
        assert tried.completed_step() == straight.completed_step()


def test_different_fmus_run_beside_each_other(archives: Archives) -> None:
    for name in sorted(SHIPPED.keys() - set(LONG)):
        with Instance(archives[name, "2.0"]) as old, Instance(archives[name, "3.0"]) as new:
            pairs = zip(course(old), course(new), strict=True)
            shared = [n for n in old.variables if n in new.variables]
            for _ in pairs:
                np.testing.assert_array_equal(old.values(shared), new.values(shared))
