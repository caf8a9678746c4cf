"""Fits of motions that fall by themselves, held up by a recorded torque; and what Ctrl-C keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm, solve_discrete_are

from mbcore import Body, FitOptions, Model, Run, SimulationError, fit
from mbcore.drivers.driver import Response
from mbcore.drivers.equations_driver import EquationsDriver

HELD, END, NOISE = 0.1, 6.0, 1e-3
"""From one torque to the next, s; s; of the sensor, rad."""
TRUE = {"fall": 5.0, "damping": 0.4}
"""N.m/rad, and N.m.s/rad."""


def tower() -> Model:
    """Return a disk of 1 kg.m² with a spring that pushes it away from the top."""
    model = Model("tower", gravity=(0, 0))
    fall = model.parameter("fall", TRUE["fall"], unit="N.m/rad")
    damping = model.parameter("damping", TRUE["damping"], unit="N.m.s/rad")
    torque = model.input("torque", unit="N.m")
    arm, pivot = model.angle("arm"), model.point("pivot", (0, 0), fixed=True)
    model.add(Body("disk", pivot, arm, mass=1.0, inertia=1.0))
    joint = arm.angle.dof("angle", "rate")
    joint.law(-fall * arm.angle.value + damping * arm.angle.rate - torque)
    return model


@pytest.fixture(scope="module")
def record() -> Run:
    """Return angles by the matrix exponential, every 20 ms, and torques that hold it up."""
    whole = np.zeros((3, 3))
    whole[:2] = [[0, 1, 0], [TRUE["fall"], -TRUE["damping"], 1]]
    sampled = expm(whole * HELD)
    a, b = sampled[:2, :2], sampled[:2, 2:]
    s = solve_discrete_are(a, b, np.eye(2), np.eye(1))
    feedback = np.linalg.solve(np.eye(1) + b.T @ s @ b, b.T @ s @ a)[0]
    fine = expm(whole * HELD / 5)
    state, torques, angles = np.zeros(3), [], []
    begins = np.arange(round(END / HELD)) * HELD
    for begin in begins:
        state[2] = np.sin(1.3 * begin) + 0.7 * np.sin(3.1 * begin) - feedback @ state[:2]
        torques.append(state[2])
        for _ in range(5):
            angles.append(state[0])
            state = fine @ state
    time = np.arange(len(angles)) * HELD / 5
    noisy = np.array(angles) + np.random.default_rng(1).normal(0.0, NOISE, time.size)
    tables = {"time": time, "angle": noisy}, {"time": begins, "torque": np.array(torques)}
    return Run(tables, start={"angle": 0.0, "rate": 0.0}, between="held")


@pytest.mark.heavy
@pytest.mark.parametrize("off", [0.5, 1.5])
def test_segments_find_what_falls_by_itself(record: Run, off: float) -> None:
    """Disturbances grow by e^12.3 in the run, λ² + 0.4 λ - 5 = 0; torques jump between segments."""
    guesses = {name: (0.01, 20.0, off * value) for name, value in TRUE.items()}
    driver = EquationsDriver(tower().equations(), backend="c")
    result = fit(driver, record, guesses, options=FitOptions(segment=0.5))
    for name, (low, high) in result.intervals(0.999).items():
        assert low < TRUE[name] < high
        assert result.deviations[name] < 0.02 * TRUE[name]
    assert result.sensors["angle"].deviation == pytest.approx(NOISE, rel=0.15)
    assert result.sensors["angle"].whiteness.white


class Interrupted(EquationsDriver):
    """A driver during whose fourth motion with derivatives a user presses Ctrl-C.

    It notes the parameter and the angles of those before.
    """

    def __init__(self) -> None:
        super().__init__(tower().equations(), backend="c")
        self.tried: list[tuple[float, np.ndarray]] = []

    def simulate(self, *args: Any, **options: Any) -> Response:
        if not options.get("columns"):
            return super().simulate(*args, **options)
        if len(self.tried) == 3:
            self.tried.append((np.nan, np.zeros(0)))
            raise KeyboardInterrupt
        found = super().simulate(*args, **options)
        angles = found.states[:, self.states.index("angle")]
        self.tried.append((options["parameters"]["fall"], angles))
        return found


def test_ctrl_c_keeps_the_best(record: Run) -> None:
    """The value is that, of three tried, whose squares of errors have the smallest sum."""
    samples, torques = record.data
    samples = {name: column[:50] for name, column in samples.items()}
    short = Run((samples, torques), start=record.start, between="held")
    driver = Interrupted()
    result = fit(driver, short, {"fall": (0.01, 20.0, 7.5), "damping": (0.01, 20.0, 0.6)})
    assert result.interrupted and result.message == "ended by Ctrl-C"
    tried = driver.tried[:3]
    best = min(tried, key=lambda one: float(np.sum((one[1] - samples["angle"]) ** 2)))[0]
    assert result.values["fall"] == best
    assert abs(best - TRUE["fall"]) < 2.5


class Falls(EquationsDriver):
    """A driver whose motions leave what the model is made for."""

    def simulate(self, *args: Any, **options: Any) -> Response:
        raise SimulationError("tower: the angle exceeds 1 rad")


def test_a_segment_that_cannot_be_followed_is_named(record: Run) -> None:
    options = FitOptions(segment=0.5)
    with pytest.raises(SimulationError) as refused:
        fit(Falls(tower().equations()), record, {"fall": (0.01, 20.0)}, options=options)
    said = str(refused.value)
    assert "from 0 s to 0.498333 s of the run cannot be simulated; give shorter segments" in said
    assert said.endswith("tower: the angle exceeds 1 rad")
