"""CVODE as importers use it that start it anew only where an FMU says that states have changed.

A solver of many steps that goes on over an event integrates past it by the rates before, and its
history is wrong from there on: the step after it fails, or the result follows no tolerance.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.conftest import OK, RUNGE_KUTTA, Archive, Archives, Instance

CLEARANCE = 5e-4
PLACES = ("joint.x", "joint.y")
SPEED = 0.956088
"""Of the joint along x, m/s, after 5 ms and 16 contacts, by both interfaces with 1e-11 and less."""


class NoInput:
    """What FMPy's solver asks for inputs."""

    def apply(self, time: float) -> None:
        """Leave inputs as they are."""


def exchanged(
    archive: Archive, tolerance: float, stop: float, names: tuple[str, ...] = PLACES
) -> np.ndarray:
    """Return the joint's motion at a time, by CVODE with tolerances of importers."""
    from fmpy.sundials import CVodeSolver

    with Instance(archive, "ModelExchange") as unit:
        assert unit.initialize({}) == OK
        fmu, third = unit.fmu, archive.version == "3.0"
        solver = CVodeSolver(
            nx=len(unit.states),
            nz=archive.description.numberOfEventIndicators,
            get_x=fmu.getContinuousStates,
            set_x=fmu.setContinuousStates,
            get_dx=fmu.getContinuousStateDerivatives if third else fmu.getDerivatives,
            get_z=fmu.getEventIndicators,
            get_nominals=fmu.getNominalsOfContinuousStates,
            set_time=fmu.setTime,
            input=NoInput(),
            startTime=0.0,
            relativeTolerance=tolerance,
        )
        update = fmu.updateDiscreteStates if third else fmu.newDiscreteStates
        time, count, interval, next_event = 0.0, 0, stop / 100, math.inf
        while time < stop:
            end = min((count + 1) * interval, next_event)
            at_root, _, time = solver.step(time, end)
            fmu.setTime(time)
            count += time == (count + 1) * interval
            if not (fmu.completedIntegratorStep()[0] or at_root or time >= next_event):
                continue
            assert unit.call("EnterEventMode") == OK
            *_, changed, known, next_event = update()
            next_event = next_event if known else math.inf
            assert unit.call("EnterContinuousTimeMode") == OK
            if changed:
                solver.reset(time)
        return np.array([unit.get(name) for name in names])


def stepped(archive: Archive, stop: float) -> np.ndarray:
    """Return the same by the FMU's own solver, far more exactly."""
    with Instance(archive) as unit:
        start = {"solver.method": RUNGE_KUTTA, "solver.tolerance": 1e-12}
        assert unit.initialize(start) == OK
        for _ in range(100):
            assert unit.step(stop / 100) == OK, unit.said
        return np.array([unit.get(name) for name in PLACES])


def error(archive: Archive, tolerance: float, stop: float) -> float:
    """Return the largest difference of both, in parts of the clearance."""
    off = exchanged(archive, tolerance, stop) - stepped(archive, stop)
    return float(np.abs(off).max()) / CLEARANCE


def test_a_rattling_joint_follows_the_tolerance(
    cvode: None, archives: Archives, version: str
) -> None:
    # four contacts by Hertz's law; stopped at 6.5e-4 s
    assert error(archives["clearance_joint", version], 1e-8, 1e-3) < 1e-5


@pytest.mark.heavy
def test_it_converges(cvode: None, archives: Archives, version: str) -> None:
    # ten contacts in 3 ms, whose sensitivity to what was before is some 3000
    archive = archives["clearance_joint", version]
    for stop, factor in ((1e-3, 300.0), (3e-3, 3e4)):
        errors = {10.0**-k: error(archive, 10.0**-k, stop) for k in range(4, 10)}
        assert all(off < max(factor * tolerance, 1e-9) for tolerance, off in errors.items()), errors
        assert errors[1e-9] < 1e-3 * errors[1e-4]


@pytest.mark.heavy
def test_it_converges_through_many_contacts(cvode: None, archives: Archives, version: str) -> None:
    archive = archives["clearance_joint", version]
    for tolerance, off in ((1e-7, 1e-2), (1e-8, 1e-3), (1e-9, 1e-4), (1e-10, 2e-5)):
        speed = exchanged(archive, tolerance, 5e-3, ("joint.x_rate",))[0]
        assert speed == pytest.approx(SPEED, abs=off)
