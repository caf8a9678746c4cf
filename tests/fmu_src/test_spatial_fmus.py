"""The FMUs with a wheel in space: their contract, the literature's numbers, forces and power."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from mbcore import Equations, linearize, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi.check import check
from mbcore.fmi.python.python_flavour import export_python
from mbcore.fmus import caster_flexible, rolling_disk
from tests.conftest import (
    FMI2_HEAVY,
    OK,
    ROSENBROCK,
    RUNGE_KUTTA,
    Archive,
    Archives,
    OpenFmu,
    equations_of,
)
from tests.fmu_src.test_rolling_disk import NAMES as DISK
from tests.fmu_src.test_rolling_disk import ROWS as DISK_TRANSIENT

MODULES: dict[str, ModuleType] = {"rolling_disk": rolling_disk, "caster_flexible": caster_flexible}
NAMES = tuple(MODULES)
METHODS = pytest.mark.parametrize(
    "method", [RUNGE_KUTTA, ROSENBROCK], ids=["runge_kutta", "rosenbrock"]
)

DISK_ACCURACY = 6e-8
SHIMMY, WAVELENGTH = 0.8007856, 7.846276


@pytest.fixture(scope="module")
def disk() -> Equations:
    return equations_of(rolling_disk.model)


@pytest.fixture(scope="module")
def caster() -> Equations:
    return equations_of(caster_flexible.model)


def outputs(evaluation: Evaluation) -> dict[str, float]:
    """Outputs by name."""
    names = [output.name for output in evaluation.equations.outputs]
    return dict(zip(names, map(float, evaluation.output()), strict=True))


def rates(evaluation: Evaluation) -> dict[str, float]:
    """Derivatives of the states by name."""
    names = [state.name for state in evaluation.equations.states]
    return dict(zip(names, map(float, evaluation.derivative()), strict=True))


# Contract


@FMI2_HEAVY
def test_the_archive_is_valid_and_runs_by_default(archive: Archive) -> None:
    assert check(archive.path).problems == ()


def test_the_disk_s_default_experiment_shows_the_quasi_periodic_path(archives: Archives) -> None:
    experiment = archives["rolling_disk", "3.0"].description.defaultExperiment
    assert float(experiment.stopTime) == 87.0


@pytest.mark.heavy
@pytest.mark.parametrize("name", NAMES)
def test_the_python_flavour_builds_and_runs(name: str, tmp_path: Path) -> None:
    module = MODULES[name]
    component = module.component()
    shorter = replace(component.experiment, stop=component.experiment.stop / 10)
    component = replace(component, experiment=shorter)  # each of its steps is one in Python
    path = export_python(component, Path(module.__file__ or ""), tmp_path)
    assert check(path).problems == ()


# Rolling disk


@pytest.mark.heavy
def test_disk_transient_of_the_core(disk: Equations) -> None:
    run = simulate(disk, 87, samples=[0, *DISK_TRANSIENT], rtol=1e-11, atol=1e-11)
    reached = np.column_stack([run[name] for name in DISK])[1:]
    np.testing.assert_allclose(reached, list(DISK_TRANSIENT.values()), rtol=0, atol=DISK_ACCURACY)


@METHODS
def test_disk_transient(open_fmu: OpenFmu, method: int) -> None:
    fmu = open_fmu("rolling_disk")
    assert fmu.initialize({"solver.method": method}, tolerance=1e-11) == OK
    for time, expected in DISK_TRANSIENT.items():
        fmu.run(time, step=0.5)
        assert fmu.values(DISK) == pytest.approx(expected, abs=DISK_ACCURACY), time
        assert fmu.get("energy.total") == pytest.approx(1.12712342, abs=5e-9)


@FMI2_HEAVY
def test_extremes_of_the_disk_s_path(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("rolling_disk")
    assert fmu.initialize(tolerance=1e-10) == OK
    names = (*DISK[2:], "contact.friction_ratio", "energy.total")
    rows = []
    for time in np.linspace(0, 87, 8701)[1:]:
        fmu.run(float(time), step=np.inf)
        rows.append(fmu.values(names))
    lean, _, along, across, up, ratio, energy = np.array(rows).T
    assert np.abs(lean).max() == pytest.approx(0.8388124, abs=2e-5)
    turns = [0.01 * (1 + i) for i in range(1, 8699) if abs(lean[i]) > 0.83 > 0
             and abs(lean[i]) >= max(abs(lean[i - 1]), abs(lean[i + 1]))]  # fmt: skip
    assert turns == pytest.approx([8.258 + 16.5159 * k for k in range(5)], abs=0.01)
    assert np.abs(along).max() == pytest.approx(0.0712622, abs=2e-5)
    assert np.abs(across).max() == pytest.approx(0.7098677, abs=2e-5)
    assert (up.min(), up.max()) == pytest.approx((0.8977301, 1.3608947), abs=2e-5)
    assert ratio.max() == pytest.approx(0.5216184, abs=2e-5)
    assert np.ptp(energy) < 1e-8


@pytest.mark.parametrize("speed", [0.0, 0.3, 0.7, 1.0])
def test_straight_rolling_of_the_disk(disk: Equations, speed: float) -> None:
    still = {"disk.pitch_rate": speed, "disk.lean_rate": 0.0}
    eigenvalues = np.linalg.eigvals(linearize(disk, still).state_matrix)
    pair = eigenvalues[np.argsort(-np.abs(eigenvalues))[:2]]
    assert pair**2 == pytest.approx(0.8 * (1 - 3 * speed**2), abs=1e-10)
    assert np.abs(np.delete(eigenvalues, np.argsort(-np.abs(eigenvalues))[:2])).max() < 1e-6


def test_disk_s_equations_with_torques(disk: Equations) -> None:
    m, r, g, axle, vertical = 1.3, 0.7, 9.81, 0.3, 0.2
    parameters = {"disk.mass": m, "disk.radius": r, "gravity": g}
    evaluation = Evaluation(disk, parameters, {"axle.torque": axle, "yaw.torque": vertical})
    lean, lean_rate, yaw_rate, pitch_rate = 0.4, 0.6, 0.7, 1.1
    evaluation.start({
        "disk.yaw": 0.3, "disk.lean": lean, "disk.pitch": 0.5,
        "disk.yaw_rate": yaw_rate, "disk.lean_rate": lean_rate, "disk.pitch_rate": pitch_rate,
    })  # fmt: skip
    rate, force = rates(evaluation), outputs(evaluation)
    # Newton and Euler on axes that follow heading and lean; spin about the axle
    sine, cosine, I = np.sin(lean), np.cos(lean), m * r**2  # noqa: E741
    spin = pitch_rate + yaw_rate * sine
    spin_rate = (rate["disk.pitch_rate"] + rate["disk.yaw_rate"] * sine
                 + yaw_rate * cosine * lean_rate)  # fmt: skip
    assert 1.5 * I * spin_rate == pytest.approx(
        axle + vertical * sine - I * cosine * lean_rate * yaw_rate, rel=1e-12
    )
    assert 1.25 * I * rate["disk.lean_rate"] == pytest.approx(
        m * g * r * sine + 1.5 * I * cosine * spin * yaw_rate - I / 4 * sine * cosine * yaw_rate**2,
        rel=1e-12,
    )
    turning = cosine * rate["disk.yaw_rate"] - 2 * sine * lean_rate * yaw_rate
    assert I / 4 * turning == pytest.approx(vertical * cosine - I / 2 * spin * lean_rate, rel=1e-12)
    ahead = spin_rate + cosine * lean_rate * yaw_rate
    assert force["contact.force_longitudinal"] == pytest.approx(m * r * ahead, rel=1e-12)
    upwards = -sine * rate["disk.lean_rate"] - cosine * lean_rate**2
    assert force["contact.force_normal"] == pytest.approx(m * (g + r * upwards), rel=1e-12)
    to_the_left = spin * yaw_rate + sine * lean_rate**2 - cosine * rate["disk.lean_rate"]
    assert force["contact.force_lateral"] == pytest.approx(m * r * to_the_left, rel=1e-12)


def test_torques_do_the_power_that_the_disk_gains(open_fmu: OpenFmu) -> None:
    axle, vertical = 0.06, -0.03
    names = ("energy.total", "disk.lean", "disk.yaw_rate", "disk.pitch_rate")
    fmu = open_fmu("rolling_disk")
    start = {"axle.torque": axle, "yaw.torque": vertical, "disk.pitch_rate": 0.8}
    assert fmu.initialize(start, tolerance=1e-11) == OK
    rows = [fmu.values(names)]
    for time in np.linspace(0, 6, 601)[1:]:
        fmu.run(float(time), step=np.inf)
        rows.append(fmu.values(names))
    energy, lean, yaw_rate, pitch_rate = np.array(rows).T
    power = axle * (pitch_rate + yaw_rate * np.sin(lean))
    power += vertical * (yaw_rate + pitch_rate * np.sin(lean))
    work = 0.01 / 3 * (power[0:-2:2] + 4 * power[1:-1:2] + power[2::2]).sum()
    assert abs(work) > 0.1
    assert energy[-1] - energy[0] == pytest.approx(work, abs=1e-8)


def test_a_disk_that_lies_flat_is_refused(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("rolling_disk")
    assert fmu.initialize({"disk.lean": np.pi / 2}) != OK
    assert "wheel.side" in fmu.said
    assert "falls flat" in fmu.said


# Caster


def test_kinematic_shimmy_is_a_mode_of_the_caster(caster: Equations) -> None:
    matrix = linearize(caster, {"wheel.yaw": 0.0}).state_matrix
    names = [state.name for state in caster.states]
    eigenvalues, modes = np.linalg.eig(matrix)
    slow = int(np.argmin(np.abs(eigenvalues - 1j * SHIMMY)))
    assert eigenvalues[slow].real == pytest.approx(-1.07e-6, abs=5e-9)
    assert eigenvalues[slow].imag == pytest.approx(SHIMMY, abs=5e-8)
    assert 2 * np.pi / eigenvalues[slow].imag == pytest.approx(WAVELENGTH, abs=5e-7)
    fast = eigenvalues[np.argmax(eigenvalues.imag)]
    assert fast.imag == pytest.approx(14.985, abs=1e-3)
    assert -fast.real / abs(fast) == pytest.approx(0.01, rel=0.01)
    yaw, roll, deflection = (
        modes[names.index(name), slow] for name in ("wheel.yaw", "wheel.roll", "yoke.deflection")
    )
    assert roll / yaw == pytest.approx(0.800786j, abs=2e-6)
    assert deflection / yaw == pytest.approx(-0.447988j, abs=3e-6)


def shimmy(x: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Wavelengths of the contact path, and amplitudes of the columns, the path's first."""
    y = values[:, 0]
    rising = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    crossings = x[rising] - y[rising] * (x[rising + 1] - x[rising]) / (y[rising + 1] - y[rising])
    return np.diff(crossings), np.abs(values).max(axis=0)


def assert_shimmy(x: np.ndarray, values: np.ndarray) -> None:
    wavelengths, amplitudes = shimmy(x, values)
    assert len(wavelengths) >= 2
    assert wavelengths.min() > 7.843
    assert wavelengths.max() < 7.848
    assert amplitudes == pytest.approx([0.1247, 0.0998, 0.0798, 0.0446], rel=0.01)


CASTER = ("contact.y", "wheel.yaw", "wheel.roll", "yoke.deflection")


@pytest.mark.heavy
def test_shimmy_of_the_core(caster: Equations) -> None:
    samples = [0.0, *np.linspace(35, 60, 2501)]
    run = simulate(caster, 60, samples=samples, rtol=1e-8, atol=1e-9)
    assert_shimmy(run["contact.x"][1:], np.column_stack([run[name] for name in CASTER])[1:])


@pytest.mark.heavy
def test_shimmy(open_fmu: OpenFmu, caster: Equations) -> None:
    fmu = open_fmu("caster_flexible")
    assert fmu.initialize(tolerance=1e-10) == OK
    fmu.run(5, step=0.5)
    states = (*CASTER[1:], "yoke.deflection_rate", "wheel.pitch", "attachment.x")
    expected = simulate(caster, 5, rtol=1e-11, atol=1e-12)
    ends = [expected.final(name) for name in states]
    np.testing.assert_allclose(fmu.values(states), ends, rtol=0, atol=1e-8)
    fmu.run(35, step=0.5)
    rows = []
    for time in np.linspace(35, 60, 2501)[1:]:
        fmu.run(float(time), step=np.inf)
        rows.append(fmu.values(("contact.x", *CASTER)))
    values = np.array(rows)
    assert_shimmy(values[:, 0], values[:, 1:])


@pytest.mark.parametrize("stiffness", [10.0, 35.0])
def test_bent_yoke_pushes_the_wheel_as_a_cantilever(caster: Equations, stiffness: float) -> None:
    m, r, length, deflection, roll = 1.4, 0.8, 1.2, 1e-5, -0.7e-5
    evaluation = Evaluation(
        caster,
        {"wheel.mass": m, "wheel.radius": r, "yoke.length": length,
         "yoke.bending_stiffness": stiffness},
        {"attachment.speed": 0.0},
    )  # fmt: skip
    evaluation.start({"wheel.yaw": 0, "wheel.roll": roll, "yoke.deflection": deflection})
    shear = stiffness / length**3 * (12 * deflection + 6 * length * roll)
    moment = stiffness / length**2 * (6 * deflection + 4 * length * roll)
    acceleration = -(shear * r + moment) / (1.25 * m * r)
    assert rates(evaluation)["yoke.deflection_rate"] == pytest.approx(acceleration, rel=1e-7)
    force = m * acceleration + shear
    assert outputs(evaluation)["contact.force_lateral"] == pytest.approx(force, rel=1e-7)


def test_contact_forces_of_the_caster_balance(caster: Equations) -> None:
    state = {"wheel.yaw": 0.1, "wheel.roll": 0.05, "yoke.deflection": -0.03}
    evaluation = Evaluation(caster)
    names = [s.name for s in caster.states]

    def axle_rate(shift: float) -> float:
        """Angular velocity about the axle a short time later."""
        evaluation.start(state)
        flow = dict(zip(names, evaluation.derivative(), strict=True))
        evaluation.start({n: state.get(n, 0.0) + shift * v for n, v in flow.items()})
        moved = rates(evaluation)
        roll = state["wheel.roll"] + shift * flow["wheel.roll"]
        return moved["wheel.pitch"] + moved["wheel.yaw"] * np.sin(roll)

    spin_rate = (axle_rate(1e-4) - axle_rate(-1e-4)) / 2e-4
    evaluation.start(state)
    force, rate = outputs(evaluation), rates(evaluation)
    turning = force["contact.force_longitudinal"] + force["contact.spin_moment"] * np.sin(0.05)
    assert turning == pytest.approx(spin_rate / 2, rel=0.01)
    # yaw acceleration r φ' / r² and the gyroscopic moment of the rolling wheel, to first order
    assert force["contact.spin_moment"] == pytest.approx(-rate["wheel.roll"] / 4, rel=0.02)


def test_speeding_up_spins_the_wheel(caster: Equations) -> None:
    inputs = {"attachment.speed": 3.0, "attachment.acceleration": 0.5}
    evaluation = Evaluation(caster, {"wheel.mass": 2.0, "wheel.radius": 0.5}, inputs)
    evaluation.start({"wheel.yaw": 0.0})
    assert rates(evaluation)["wheel.pitch"] == pytest.approx(-6.0, rel=1e-12)
    assert rates(evaluation)["attachment.x"] == 3.0
    force = outputs(evaluation)
    assert force["contact.force_longitudinal"] == pytest.approx(-0.5, rel=1e-12)
    assert force["contact.force_lateral"] == pytest.approx(0, abs=1e-12)
