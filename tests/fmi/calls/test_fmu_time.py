"""Inputs and outputs of the FMUs between communication points."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from ctypes import c_int, c_uint

import numpy as np
import pytest
from fmpy import simulate_fmu

from mbcore import simulate
from mbcore.fmus import vehicle
from tests.conftest import (
    DISCARD,
    ERROR,
    OK,
    ROSENBROCK,
    RUNGE_KUTTA,
    Archive,
    Archives,
    Instance,
    OpenFmu,
    doubles,
    equations_of,
)

FORCE = np.polynomial.Polynomial([600.0, -900.0, 400.0])
ANGLE = np.polynomial.Polynomial([0.02, 0.1, -0.06, 0.01])
WAVES = {
    "drive.force": lambda t: 1000 * math.cos(3 * t),
    "steer.angle": lambda t: 0.1 * math.sin(2 * t),
    "steer.rate": lambda t: 0.2 * math.cos(2 * t),
}
DIRECT = 2
UNTIL = 2.0


def set_courses(fmu: Instance, signals: Mapping[str, np.polynomial.Polynomial]) -> None:
    """Give inputs and their derivatives at the present time."""
    for name, signal in signals.items():
        assert fmu.set({name: float(signal(fmu.time))}) == OK
        for order in range(1, 5):
            value = float(signal.deriv(order)(fmu.time)) if order <= signal.degree() else 0.0
            assert set_derivative(fmu, name, order, value) == OK, fmu.said


def set_derivative(fmu: Instance, name: str, order: int, value: float) -> int:
    reference, orders = (c_uint * 1)(fmu.reference(name)), (c_int * 1)(order)
    return fmu.call("SetRealInputDerivatives", reference, 1, orders, doubles([value]))


def output_derivatives(fmu: Instance, names: list[str], order: int = 1) -> np.ndarray | int:
    """Return derivatives of outputs, or the status if that is not OK."""
    n = len(names)
    references, orders = (c_uint * n)(*map(fmu.reference, names)), (c_int * n)(*[order] * n)
    values = doubles([math.nan] * n)
    if fmu.archive.version == "2.0":
        status = fmu.call("GetRealOutputDerivatives", references, n, orders, values)
    else:
        status = fmu.call("GetOutputDerivatives", references, n, orders, values, n)
    return status or np.array(values)


@pytest.mark.parametrize("method", [RUNGE_KUTTA, ROSENBROCK], ids=["runge_kutta", "rosenbrock"])
def test_inputs_with_derivatives_are_functions_of_time(archives: Archives, method: int) -> None:
    signals = {"drive.force": FORCE, "steer.angle": ANGLE, "steer.rate": ANGLE.deriv()}
    right = simulate(
        equations_of(vehicle.model), UNTIL, parameters={"steering": DIRECT}, inputs=signals,
        rtol=1e-11, progress=False,
    )  # fmt: skip
    with Instance(archives["vehicle", "2.0"]) as fmu:
        start = {"steering": DIRECT, "solver.method": method}
        assert fmu.initialize(start, tolerance=1e-10) == OK
        for end in (0.1, 0.9, 1.0, UNTIL):
            set_courses(fmu, signals)
            assert fmu.step(end - fmu.time) == OK, fmu.said
        for name in ("chassis.x", "chassis.y", "chassis.yaw", "chassis.speed"):
            assert fmu.get(name) == pytest.approx(right.final(name), rel=1e-8), name
        assert fmu.get("steer.angle") == pytest.approx(ANGLE(UNTIL), abs=1e-15)
        assert not [message for message in fmu.messages if "contradict" in message.text]


def test_a_rate_does_not_move_the_input_it_belongs_to(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle")
    assert fmu.initialize({"steering": DIRECT, "steer.angle": 0.1, "steer.rate": 0.5}) == OK
    assert fmu.step(0.5) == OK
    assert fmu.get("front.steer_angle") == pytest.approx(0.1, abs=1e-15)


def test_courses_that_are_refused(archives: Archives) -> None:
    with Instance(archives["vehicle", "2.0"]) as fmu:
        assert fmu.initialize() == OK
        assert set_derivative(fmu, "steer.angle", 1, math.nan) == DISCARD
        assert "steer.angle" in fmu.said
        assert set_derivative(fmu, "steer.angle", 5, 1.0) == ERROR
        assert "steer.angle" in fmu.said
        assert "order 5" in fmu.said


def test_derivatives_of_outputs(archive: Archive) -> None:
    # over two equal steps, by Simpson's rule, they are the outputs' changes
    names = [
        variable.name
        for variable in archive.description.modelVariables
        if variable.causality == "output" and variable.type in ("Real", "Float64")
    ]
    h = float(archive.description.defaultExperiment.stopTime) * 1e-4
    with Instance(archive) as fmu:
        assert fmu.initialize(tolerance=1e-12) == OK
        fmu.run(17 * h, h)
        values, rates = [], []
        for _ in range(3):
            assert fmu.step(h) == OK
            values.append(fmu.values(names))
            rates.append(output_derivatives(fmu, names))
        right = h / 3 * (rates[0] + 4 * rates[1] + rates[2])
        scale = np.abs(right) + 1e-6 * np.abs(values[1]) + 1e-9
        wrong = np.abs(values[2] - values[0] - right) > 1e-5 * scale
        assert not wrong.any(), np.array(names)[wrong]
        assert output_derivatives(fmu, names[:1], order=2) == ERROR
        assert names[0] in fmu.said


def visited(archive: Archive, names: list[str], update: Callable[..., None]) -> Instance:
    """Return an instance of FMI 3.0 that calls the importer on the way of its steps."""
    fmu = Instance(archive)
    fmu.function("FreeInstance")(fmu.fmu.component)
    fmu.fmu.instantiate(
        earlyReturnAllowed=True,
        intermediateUpdate=update,
        requiredIntermediateVariables=[fmu.reference(name) for name in names],
        logMessage=lambda _, *message: fmu._log(*message),
    )
    return fmu


@pytest.mark.parametrize("method", [RUNGE_KUTTA, ROSENBROCK], ids=["runge_kutta", "rosenbrock"])
def test_inputs_given_on_the_way_are_functions_of_time(archives: Archives, method: int) -> None:
    right = simulate(
        equations_of(vehicle.model), UNTIL, parameters={"steering": DIRECT}, inputs=WAVES,
        rtol=1e-11, progress=False,
    )  # fmt: skip
    taken: list[tuple[float, float]] = []

    def update(_: object, time: float, gives: bool, takes: bool, *rest: object) -> None:
        if takes:
            taken.append((time, fmu.get("chassis.yaw_rate")))
        if gives:
            fmu.set({name: signal(time) for name, signal in WAVES.items()})

    with visited(archives["vehicle", "3.0"], ["chassis.yaw_rate", *WAVES], update) as fmu:
        start = {"steering": DIRECT, "solver.method": method}
        assert fmu.initialize(start | {name: wave(0.0) for name, wave in WAVES.items()}) == OK
        for end in (0.7, UNTIL):
            assert fmu.step(end - fmu.time) == OK, fmu.said
        for name in ("chassis.x", "chassis.y", "chassis.yaw", "chassis.speed"):
            assert fmu.get(name) == pytest.approx(right.final(name), rel=1e-5), name
    times, rates = np.array(taken).T
    assert len(times) >= 8
    assert (np.diff(times) > 0).all()
    # free rolling: the yaw rate is v tan(steer angle) / wheelbase
    speed = np.interp(times, right.time, right["chassis.speed"])
    angle = np.array([WAVES["steer.angle"](float(t)) for t in times])
    assert rates == pytest.approx(speed * np.tan(angle) / 2.5, rel=1e-4, abs=1e-6)


def until_one(fmu: Instance) -> Instance:
    """Initialize an instance with a stop time of 1 s."""
    if fmu.archive.version == "2.0":
        fmu.fmu.setupExperiment(startTime=0.0, stopTime=1.0)
        fmu.fmu.enterInitializationMode()
    else:
        fmu.fmu.enterInitializationMode(startTime=0.0, stopTime=1.0)
    assert fmu.call("ExitInitializationMode") == OK
    return fmu


def test_nothing_is_computed_past_the_stop_time(open_fmu: OpenFmu) -> None:
    fmu = until_one(open_fmu("caster"))
    for _ in range(10):
        assert fmu.step(0.1) == OK, fmu.said
    assert fmu.step(0.1) == ERROR
    assert "t = 1 s" in fmu.said
    assert "t = 1.0999999999999999 s" in fmu.said
    model = until_one(open_fmu("caster", "ModelExchange"))
    assert model.leave_event_mode() == OK
    assert model.call("SetTime", 1.0) == model.call("SetTime", 1.02) == OK  # a solver's trial
    assert model.call("SetTime", 1.5) == ERROR
    assert "t = 1.5 s is past the stop time t = 1 s" in model.said


@pytest.mark.heavy
@pytest.mark.parametrize("tolerance", [1e-4, 1e-8])
@pytest.mark.parametrize("law", [1, 3, 4], ids=["hertz", "impact", "lubricated"])
def test_model_exchange_with_one_long_interval(
    cvode: None, archives: Archives, law: int, tolerance: float
) -> None:
    # FMPy's CVODE makes 500 steps at most to the next time that it is to reach
    archive = archives["clearance_joint", "3.0"]
    stop = float(archive.description.defaultExperiment.stopTime)
    result = simulate_fmu(
        archive.folder, fmi_type="ModelExchange", stop_time=stop, output_interval=stop,
        start_values={"joint.law": law}, relative_tolerance=tolerance, timeout=3600,
        output=["joint.eccentricity", "joint.penetration"],
    )  # fmt: skip
    assert result["time"][-1] == stop
    assert np.isfinite(result["joint.eccentricity"]).all()
    assert law != 3 or result["joint.penetration"].max() < 1e-3 * 0.5e-3
