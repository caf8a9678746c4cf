"""Impacts and permanent contact in the FMU of the slider-crank, in every way to run it."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import simulate
from mbcore.fmus import clearance_joint
from tests.conftest import (
    FIXED_STEP,
    FMI2_HEAVY,
    OK,
    ROSENBROCK,
    RUNGE_KUTTA,
    Archives,
    Instance,
    OpenFmu,
    equations_of,
)

LAW = {"joint.law": 3}
GAP = 0.5e-3
# [Schwab2002] 5.4.2, rigid links, e = 0.95, derived by hand: times (s) and approach speeds (m/s)
IMPACTS = {
    2.272853257e-4: 4.38580344,
    6.031664307e-4: 2.79341522,
    6.925495754e-4: 2.93526897,
    7.719779192e-4: 2.47834608,
    1.175908276e-3: 3.65095564,
}
OUTPUTS = ["joint.impacts", "joint.impact_time", "joint.impact_speed"]


def impacts(result: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return times and speeds of the impacts in a result of FMPy's."""
    rows = np.flatnonzero(np.diff(result["joint.impacts"]) > 0) + 1
    return result["joint.impact_time"][rows], result["joint.impact_speed"][rows]


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_first_five_impacts(cvode: None, archives: Archives, version: str, kind: str) -> None:
    result = simulate_fmu(
        archives["clearance_joint", version].folder, fmi_type=kind, stop_time=1.18e-3,
        output_interval=1e-6, relative_tolerance=1e-9, start_values=LAW, output=OUTPUTS,
    )  # fmt: skip
    times, speeds = impacts(result)
    assert times == pytest.approx(list(IMPACTS), abs=1e-8)
    assert speeds == pytest.approx(list(IMPACTS.values()), rel=1e-6)


@pytest.mark.parametrize(
    ("method", "accuracy"), [(RUNGE_KUTTA, 1e-12), (ROSENBROCK, 1e-11), (FIXED_STEP, 1e-9)]
)
def test_first_five_impacts_by_each_method(open_fmu: OpenFmu, method: int, accuracy: float) -> None:
    fmu = open_fmu("clearance_joint")
    given = {"solver.method": method, "solver.step": 2e-6}
    assert fmu.initialize(LAW | given, tolerance=1e-9) == OK
    for count, (time, speed) in enumerate(IMPACTS.items(), start=1):
        fmu.run(time + 5e-6, step=1e-5)
        assert fmu.get("joint.impacts") == count
        assert fmu.get("joint.impact_time") == pytest.approx(time, abs=accuracy)
        assert fmu.get("joint.impact_speed") == pytest.approx(speed, rel=1e-6)
        assert fmu.get("joint.force") == 0


@FMI2_HEAVY
@pytest.mark.parametrize("method", [RUNGE_KUTTA, ROSENBROCK, FIXED_STEP])
def test_permanent_contact_stays_on_the_circle(open_fmu: OpenFmu, method: int) -> None:
    fmu = open_fmu("clearance_joint")
    given = {"joint.restitution": 0.5, "solver.method": method, "solver.step": 1e-5}
    assert fmu.initialize(LAW | given, tolerance=1e-5) == OK
    held, names = 0, ("joint.x", "joint.y", "joint.x_rate", "joint.y_rate")
    for _ in range(1500):
        assert fmu.step(1.1e-5) == OK
        eccentricity = fmu.get("joint.eccentricity")
        assert eccentricity < GAP + 1e-12
        if fmu.get("joint.in_contact"):
            held += 1
            # of the contact's size, 1 mm: a gap of 1e-13, a rate of 1e-10 in a second
            assert eccentricity == pytest.approx(GAP, abs=1.1e-16)
            x, y, x_rate, y_rate = fmu.values(names)
            assert x * x_rate + y * y_rate == pytest.approx(0, abs=1.1e-13 * GAP)
            assert fmu.get("joint.force") >= 0
    assert held > 200
    assert fmu.get("joint.switches") < 50  # no chattering
    lost = fmu.get("joint.energy_loss")
    assert 0 < lost < 30


def test_model_exchange_is_told_that_states_have_changed(archives: Archives, version: str) -> None:
    with Instance(archives["clearance_joint", version], "ModelExchange") as fmu:
        assert fmu.initialize(LAW) == OK
        names = ("joint.x_rate", "joint.y_rate", "joint.x", "joint.y", "crank.angle")
        order = [names.index(name) for name in fmu.states]
        at_wall = np.array([2.0, 1.0, GAP + 1e-15, 0.0, 0.3])[order]
        assert fmu.move(1e-4, at_wall) == OK
        assert fmu.completed_step()  # the parts overlap: an event has been passed
        assert fmu.call("EnterEventMode") == OK
        assert changed_states(fmu)
        after = dict(zip(fmu.states, continuous_states(fmu), strict=True))
        assert after["joint.x_rate"] == pytest.approx(-0.95 * 2.0, rel=1e-9)
        assert after["joint.x"] == pytest.approx(GAP, abs=1e-18)
        assert not changed_states(fmu)
        assert fmu.call("EnterContinuousTimeMode") == OK


def test_model_exchange_asks_to_bring_back_what_has_drifted(
    archives: Archives, version: str
) -> None:
    with Instance(archives["clearance_joint", version], "ModelExchange") as fmu:
        # at top dead centre the rod pulls the slider back
        assert fmu.initialize(LAW | {"joint.x": -GAP}) == OK
        at_wall = {"joint.x": -GAP - 1e-15, "joint.x_rate": -1e-9}
        here = dict(zip(fmu.states, continuous_states(fmu), strict=True)) | at_wall
        assert fmu.move(0.0, [here[name] for name in fmu.states]) == OK
        assert fmu.completed_step()
        assert fmu.call("EnterEventMode") == OK
        assert changed_states(fmu)
        assert fmu.get("joint.in_contact")
        assert fmu.call("EnterContinuousTimeMode") == OK
        near = continuous_states(fmu)
        place = fmu.states.index("joint.x")
        near[place] -= 1e-12
        assert fmu.move(1e-9, near) == OK
        assert not fmu.completed_step()  # importers begin anew after each event
        near[place] -= 1e-8
        assert fmu.move(2e-9, near) == OK
        assert fmu.completed_step()
        assert fmu.call("EnterEventMode") == OK
        assert changed_states(fmu)
        assert math.hypot(fmu.get("joint.x"), fmu.get("joint.y")) == pytest.approx(GAP, abs=1e-15)


def changed_states(fmu: Instance) -> bool:
    """Update discrete states; return whether the FMU says that continuous ones have changed."""
    if fmu.archive.version == "2.0":
        return bool(fmu.fmu.newDiscreteStates()[3])
    return bool(fmu.fmu.updateDiscreteStates()[3])


def continuous_states(fmu: Instance) -> list[float]:
    count = len(fmu.states)
    return list(struct.unpack(f"{count}d", fmu.vector("ContinuousStates", count)))


@pytest.mark.parametrize("law", [1, 3])
def test_early_return_at_events_where_the_importer_asks_for_it(
    archives: Archives, law: int
) -> None:
    archive = archives["clearance_joint", "3.0"]
    runs = {}
    for early in (False, True):
        runs[early] = simulate_fmu(
            archive.folder, fmi_type="CoSimulation", stop_time=1.3e-3, output_interval=1e-5,
            relative_tolerance=1e-9, start_values={"joint.law": law}, output=OUTPUTS,
            use_event_mode=True, early_return_allowed=early,
        )  # fmt: skip
    inside, stopped = (impacts(run)[0] for run in runs.values())
    assert stopped == pytest.approx(inside, abs=1e-12)
    rows = np.flatnonzero(np.diff(runs[True]["joint.impacts"]) > 0) + 1
    assert list(runs[True]["time"][rows]) == list(stopped)  # it returned at the event
    assert len(runs[True]) > len(runs[False])


@pytest.mark.parametrize(("law", "unused"), [(1, 2), (2, 2), (3, 1), (4, 3)])
def test_unused_indicators_stay_at_one(
    archives: Archives, version: str, law: int, unused: int
) -> None:
    with Instance(archives["clearance_joint", version], "ModelExchange") as fmu:
        assert fmu.initialize({"joint.law": law, "joint.x": 1e-4}) == OK
        count = fmu.archive.description.numberOfEventIndicators
        values = struct.unpack(f"{count}d", fmu.vector("EventIndicators", count))
        expected = 2 if law == 3 else unused  # permanent contact waits at one, too
        expected += 3 * 5  # the three ideal joints do not rub
        expected += 1  # friction without compliance has no elongation to take over
        assert sum(abs(value - 1) < 1e-12 for value in values) == expected
        assert all(value > 0 for value in values)


@pytest.mark.parametrize("method", [RUNGE_KUTTA, ROSENBROCK, FIXED_STEP])
def test_reset_and_run_again_through_impacts(archives: Archives, version: str, method: int) -> None:
    given = LAW | {"joint.restitution": 0.3, "joint.friction": 0.1, "solver.method": method}

    def course(fmu: Instance) -> list[bytes]:
        assert fmu.initialize(given | {"solver.step": 1e-6}) == OK
        found = []
        for i in range(150):
            assert fmu.set({"slider.force": 10.0 * (i % 3)}) == OK
            assert fmu.step(2e-5) == OK, fmu.said
            found.append(fmu.bytes())
        assert fmu.get("joint.switches") > 0
        return found

    with Instance(archives["clearance_joint", version]) as fmu:
        first = course(fmu)
        assert fmu.reset() == OK
        assert course(fmu) == first


@FMI2_HEAVY
def test_friction_agrees_with_python(open_fmu: OpenFmu) -> None:
    given = LAW | {"joint.friction": 0.2, "joint.restitution": 0.6, "joint.friction_speed": 0.1}
    fmu = open_fmu("clearance_joint")
    assert fmu.initialize(given, tolerance=1e-10) == OK
    fmu.run(1.3e-3, step=1e-5)
    run = simulate(
        equations_of(clearance_joint.model), 1.3e-3, parameters=given, rtol=1e-11, atol=1e-13
    )
    names = ("joint.x", "joint.y", "joint.x_rate", "joint.y_rate", "joint.impact_time")
    for name in (*names, "joint.impulse", "joint.tangential_impulse", "joint.energy_loss"):
        assert fmu.get(name) == pytest.approx(run.final(name), rel=1e-6), name
    assert run.final("joint.impacts") == fmu.get("joint.impacts") > 3
    assert run.final("joint.tangential_impulse") != 0
