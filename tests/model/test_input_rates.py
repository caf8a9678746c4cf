"""Inputs with rates: filters that give exact ones, and rates that contradict their inputs.

A tricycle is steered by a fork with inertia, which feels the steering's acceleration. While it
coasts, its energy changes by the steering's power alone, whatever the steering does.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import simpson

from mbcore import (
    Body,
    Equations,
    Model,
    ModelError,
    ModelWarning,
    PlanarHinge,
    PlanarWheel,
    Result,
    RigidLink,
    equilibrium,
    linearize,
    simulate,
    steady_motion,
    superpose,
)
from mbcore.fmi import Component, export
from mbcore.fmi.check import check
from mbcore.fmus import vehicle
from tests.conftest import ERROR, OK, VERSIONS, Archive, Archives, Instance, Tools, equations_of
from tests.fmi.calls.test_fmu_derivatives import jacobian, references
from tests.fmi.calls.test_fmu_state import restore, save

FILTERED, DIRECT = 1, 2
TIME_CONSTANT = 0.05
TURN = 2 * np.pi
"""Angular frequency of the steering, rad/s."""


def angle(t: float) -> float:
    return 0.4 * float(np.sin(TURN * t))


def rate(t: float) -> float:
    return 0.4 * TURN * float(np.cos(TURN * t))


def acceleration(t: float) -> float:
    return -(TURN**2) * angle(t)


ALL = {"steer.angle": angle, "steer.rate": rate, "steer.acceleration": acceleration}


def tricycle(fork_inertia: float = 0.3) -> Model:
    """Return a tricycle that coasts at 3 m/s; two rear wheels are one, 1 m behind the front one."""
    model = Model("tricycle")
    steering = model.enumeration("steering", ["filtered", "direct"])
    faster = model.input("steer.acceleration", unit="rad/s2")
    turning = model.input("steer.rate", unit="rad/s", rate=faster)
    command = model.input("steer.angle", unit="rad", rate=turning)
    smooth = model.filtered("steer.angle", TIME_CONSTANT, nominal=0.1)
    rear, front = model.point("rear", (0, 0)), model.point("front", (1, 0))
    centre = model.point("centre", (0.4, 0))
    frame, fork = model.angle("frame"), model.angle("fork")
    rolled, locked = model.angle("rolled"), model.angle("locked", fixed=True)
    model.add(RigidLink("to the front", rear, frame, front))
    model.add(RigidLink("to the centre", rear, frame, centre))
    model.add(Body("rider", centre, frame, mass=30.0, inertia=4.0))
    model.add(Body("front wheel and fork", front, fork, mass=4.0, inertia=fork_inertia))
    pivot = model.add(PlanarHinge("pivot", frame, fork))
    model.add(PlanarWheel("rear wheel", rear, frame, rolled, radius=1.0))
    model.add(PlanarWheel("front wheel", front, fork, locked, radius=1.0)).longitudinal.release()
    rolled.angle.dof("distance", "speed", rate_start=3.0, nominal=10.0)
    rear.x.kinematic("x", nominal=10.0)
    rear.y.kinematic("y", nominal=10.0)
    frame.angle.kinematic("yaw")
    pivot.angle.prescribe(model.select(steering, smooth, command))
    model.output("energy", model.kinetic_energy, unit="J")
    # a stress resists the rate of its deformation, so that the steering does work against it
    model.output("power", -pivot.angle.stress * pivot.angle.rate, unit="W")
    return model


@pytest.fixture(scope="module")
def equations() -> Equations:
    return tricycle().equations()


def drive(equations: Equations, steering: int, until: float = 1.3, **inputs: object) -> Result:
    return simulate(
        equations,
        until,
        parameters={"steering": steering},
        inputs=ALL | inputs,
        samples=4001,
        rtol=1e-12,
        atol=1e-13,
        progress=False,
    )


def lost(run: Result) -> float:
    """Return by how much the balance of energy is wrong, J of the energy at the start."""
    work = simpson(run["power"], x=run.time)
    return abs(run["energy"][-1] - run["energy"][0] - work) / run["energy"][0]


# The filter


@pytest.mark.parametrize("damping", [0.4, 1.0, 1.7])
def test_filter_answers_a_step_as_in_closed_form(damping: float) -> None:
    model = Model("filter")
    T = 0.3
    model.input("u", 0.2, unit="m")
    value = model.filtered("u", T, damping=damping)
    made = model.filters["u"]
    model.output("value", value, unit="m")
    model.output("rate", made.rate, unit="m/s")
    model.output("acceleration", made.acceleration, unit="m/s2")
    run = simulate(
        model.equations(),
        3.0,
        inputs={"u": lambda t: 0.2 if t < 1.0 else 1.0},
        breaks=[1.0],
        rtol=1e-12,
        atol=1e-13,
        progress=False,
    )
    before = run.time <= 1.0
    assert run["value"][before] == pytest.approx(0.2, abs=1e-15)
    t = run.time[~before] - 1.0
    roots = np.roots([T**2, 2 * damping * T, 1.0]).astype(complex)
    if damping == 1.0:
        error = (1 + t / T) * np.exp(-t / T)
        speed, change = t / T**2 * np.exp(-t / T), (1 - t / T) / T**2 * np.exp(-t / T)
    else:
        p, q = roots
        error = ((p * np.exp(q * t) - q * np.exp(p * t)) / (p - q)).real
        speed = (p * q * (np.exp(p * t) - np.exp(q * t)) / (p - q)).real
        change = (p * q * (p * np.exp(p * t) - q * np.exp(q * t)) / (p - q)).real
    assert run["value"][~before] == pytest.approx(1.0 - 0.8 * error, abs=1e-9)
    assert run["rate"][~before] == pytest.approx(0.8 * speed, abs=1e-9)
    assert run["acceleration"][~before] == pytest.approx(0.8 * change, abs=1e-8)


@pytest.mark.heavy
def test_motion_by_a_filter_needs_no_rate_and_balances_energy(equations: Equations) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = drive(equations, FILTERED, **{"steer.rate": 0.0, "steer.acceleration": 0.0})
    assert np.ptp(run["energy"]) > 1.0
    assert lost(run) < 1e-9


@pytest.mark.heavy
def test_motion_whose_rate_is_not_connected_is_told_and_loses_energy(equations: Equations) -> None:
    assert lost(drive(equations, DIRECT)) < 1e-9
    with pytest.warns(ModelWarning) as told:
        run = drive(equations, DIRECT, **{"steer.rate": 0.0, "steer.acceleration": 0.0})
    assert lost(run) > 0.01
    [message] = [str(warning.message) for warning in told]
    assert "input steer.angle changes by 2.51327 per second at t = 0" in message
    assert "its rate steer.rate is 0 there" in message


def test_names_and_units_of_a_filter(equations: Equations) -> None:
    shown = {record.name: record.unit for record in (*equations.states, *equations.parameters)}
    assert shown["steer.angle_filtered"] == "rad"
    assert shown["steer.angle_filtered_rate"] == "rad/s"
    assert shown["steer.angle_time_constant"] == "s"
    nominal = {record.name: record.nominal for record in equations.states}
    assert nominal["steer.angle_filtered_rate"] == pytest.approx(0.1 / TIME_CONSTANT)


def test_several_filters_share_a_time_constant() -> None:
    model = Model("road")
    shared = model.parameter("road.time_constant", 0.005, unit="s", positive=True)
    for wheel in ("left", "right"):
        model.input(f"{wheel}.road_height", unit="m")
        model.filtered(f"{wheel}.road_height", shared)
    assert list(model.parameters) == ["road.time_constant"]
    assert len(model.states) == 4


def carried() -> Model:
    """Return a mass on a spring whose other end is moved by a filtered input."""
    model = Model("carried")
    model.input("end", 0.5, unit="m")
    end = model.filtered("end", 0.1)
    table, mass = model.point("table"), model.point("mass")
    for point in (table, mass):
        point.y.fix()
    table.x.prescribe(end)
    model.add(Body("mass", mass, mass=2.0))
    mass.x.dof("x", "v", 0.5)
    model.load(-50.0 * (mass.x.value - table.x.value), mass.x.rate)
    return model


def test_analyses_hold_the_filter_at_its_input() -> None:
    equations = carried().equations()
    still = equilibrium(equations, inputs={"end": 0.8}, progress=False)
    assert still.states["x"] == pytest.approx(0.8, abs=1e-12)
    steady = steady_motion(equations, guess={}, inputs={"end": 0.8})
    assert steady.state["x"] == pytest.approx(0.8, abs=1e-12)
    # a double pole of the filter at -1/T, and the spring's: ±5i
    linear = linearize(equations, inputs={"end": 0.8}, unsteady=True)
    poles = np.linalg.eigvals(linear.state_matrix)
    assert np.sort(poles.real)[:2] == pytest.approx(-10.0, abs=1e-5)
    assert np.sort(poles.imag)[[0, -1]] == pytest.approx([-5.0, 5.0], abs=1e-9)


def test_superposed_motion_takes_a_filter() -> None:
    exact, small = (
        simulate(made, 1.0, inputs={"end": lambda t: 0.6}, rtol=1e-11, progress=False)
        for made in (carried().equations(), superpose(carried()))
    )
    assert small.final("x") == pytest.approx(exact.final("x"), abs=1e-9)


@pytest.mark.parametrize("rate", ["filter", 0.0])
def test_a_rate_that_is_no_symbol_is_refused(rate: object) -> None:
    said = f"input u: rate = {rate!r}; give the symbol of an input that holds it, or call "
    with pytest.raises(ModelError, match=said):
        Model("half").input("u", rate=rate)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"time_constant": 0.0}, "time_constant = 0.0; give a finite number > 0"),
        ({"time_constant": np.nan}, "time_constant = nan"),
        ({"time_constant": 0.1, "damping": -1.0}, "damping = -1.0"),
        ({"time_constant": 0.1, "nominal": 0.0}, "nominal = 0.0"),
    ],
)
def test_impossible_numbers_of_a_filter_are_refused(given: dict, said: str) -> None:
    model = Model("half")
    model.input("u")
    with pytest.raises(ModelError, match=said):
        model.filtered("u", **given)


def test_filter_of_no_input_and_of_one_that_has_it_is_refused() -> None:
    model = Model("twice")
    with pytest.raises(ModelError, match="filter of input u: there is no such input"):
        model.filtered("u", 0.1)
    model.input("u")
    model.filtered("u", 0.1)
    with pytest.raises(ModelError, match="filter of input u: it is followed already"):
        model.filtered("u", 0.1)
    with pytest.raises(ModelError, match="state z: no input 'w' to start at"):
        model.state("z", start=ca.SX.sym("w"))


def test_motion_by_an_input_alone_points_to_the_filter() -> None:
    model = Model("bare")
    table, arm, bob = model.point("table"), model.angle("arm"), model.point("bob", (1, 0))
    table.y.fix()
    table.x.prescribe(model.input("u"))
    arm.angle.dof("angle", "rate")
    model.add(RigidLink("rod", table, arm, bob))
    model.add(Body("bob", bob, mass=1.0))
    with pytest.raises(ModelError, match=r"the rate of input u is needed .*let a filter give it"):
        model.equations()


# Rates that contradict


def steered(**inputs: Callable[[float], float] | float) -> list[str]:
    """Return what a run of the vehicle with direct steering tells."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        simulate(
            VEHICLE, 1.0, parameters={"steering": 2}, inputs=inputs, breaks=[0.5], progress=False
        )
    return [str(warning.message) for warning in told]


VEHICLE = equations_of(vehicle.model)
WRONG = {
    "not connected": {"steer.angle": angle},
    "of the wrong sign": {"steer.angle": angle, "steer.rate": lambda t: -rate(t)},
    "in degrees": {"steer.angle": angle, "steer.rate": lambda t: np.degrees(rate(t))},
    "of an angle that rests": {"steer.angle": 0.1, "steer.rate": 0.2},
    "of a fifth too much": {"steer.angle": angle, "steer.rate": lambda t: 1.2 * rate(t)},
}
RIGHT = {
    "sine": {"steer.angle": angle, "steer.rate": rate},
    "constant": {"steer.angle": 0.1, "steer.rate": 0.0},
    "ramp": {"steer.angle": lambda t: 0.3 * t, "steer.rate": 0.3},
    "bend": {
        "steer.angle": lambda t: 0.3 * min(t, 0.37),
        "steer.rate": lambda t: 0.3 * (t < 0.37),
    },
    "jump that is named": {"steer.angle": lambda t: 0.1 if t < 0.5 else 0.2},
}


@pytest.mark.parametrize("inputs", WRONG.values(), ids=WRONG)
def test_wrong_rate_is_told_once(inputs: dict) -> None:
    [told] = steered(**inputs)
    assert told.startswith("vehicle: input steer.angle changes by")


@pytest.mark.parametrize("inputs", RIGHT.values(), ids=RIGHT)
def test_right_rate_is_not_told(inputs: dict) -> None:
    assert steered(**inputs) == []


def test_signals_are_not_asked_beyond_the_end(equations: Equations) -> None:
    """A measured course may end there."""
    until, asked = 0.2, []

    def measured(t: float) -> float:
        asked.append(t)
        return angle(t)

    drive(equations, DIRECT, until, **(ALL | {"steer.angle": measured}))
    assert max(asked) == pytest.approx(until, abs=1e-12)
    assert max(asked) <= until
    assert min(asked) == 0.0


def test_rate_that_is_not_used_is_not_told() -> None:
    for steering in (1, 3):  # lag, speed_law
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run = simulate(
                VEHICLE,
                2.0,
                parameters={"steering": steering},
                inputs={"steer.angle": angle},
                rtol=1e-11,
                progress=False,
            )
        # the lag's motion is exact without steer.rate: coasting keeps the energy
        assert np.ptp(run["energy.kinetic"]) / run["energy.kinetic"][0] < 1e-9


def test_acceleration_that_contradicts_a_speed_is_told() -> None:
    """The place is the speed's integral, and what hangs on the carriage feels its acceleration."""
    model = Model("carriage", gravity=(0, -9.81))
    given = model.input("acceleration", unit="m/s2")
    speed = model.input("speed", unit="m/s", rate=given)
    carriage, arm = model.point("carriage"), model.angle("arm", -np.pi / 2)
    bob = model.point("bob", (0, -1))
    carriage.y.fix()
    carriage.x.prescribe(model.state("place", speed, unit="m"))
    arm.angle.dof("angle", start=-np.pi / 2)
    model.add(RigidLink("rod", carriage, arm, bob, offset=(1, 0)))
    model.add(Body("bob", bob, mass=1.0))
    equations = model.equations()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fits = {"speed": np.sin, "acceleration": np.cos}
        simulate(equations, 0.5, inputs=fits, progress=False)
    with pytest.warns(ModelWarning, match=r"speed changes by 1 per second .* acceleration is 0"):
        simulate(equations, 0.5, inputs={"speed": np.sin}, progress=False)


# FMUs


@pytest.fixture(scope="module")
def tricycles(
    equations: Equations, tmp_path_factory: pytest.TempPathFactory, tools: Tools
) -> Archives:
    made = Component("tricycle", "A tricycle that coasts", equations, starts=True)
    paths = export(made, tmp_path_factory.mktemp("tricycle"), tools=tools)
    return {("tricycle", v): Archive.of(p) for v, p in zip(VERSIONS, paths, strict=True)}


@pytest.fixture
def archive(tricycles: Archives, version: str) -> Archive:
    return tricycles["tricycle", version]


def test_fmu_with_a_filter_is_valid(archive: Archive) -> None:
    assert check(archive.path).problems == ()
    variable = archive.variables["steer.angle_filtered"]
    assert (variable.initial, variable.start) == ("calculated", None)
    [unknown] = [u for u in archive.description.initialUnknowns if u.variable == variable]
    assert [known.name for known in unknown.dependencies] == [
        "start.steer.angle_filtered", "steer.angle",
    ]  # fmt: skip
    for other in archive.description.initialUnknowns:
        # what is calculated itself is not known at the start
        assert variable not in (other.dependencies or ()), other.variable.name


@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
def test_fmu_starts_its_filter_at_the_input(archive: Archive, interface: str) -> None:
    with Instance(archive, interface) as fmu:
        assert fmu.set({"steer.angle_filtered": 0.3}) == ERROR
        assert "starts at the value of steer.angle; set that instead" in fmu.said
        assert fmu.reset() == OK
        fmu.enter_initialization({"steer.angle": 0.1})
        assert fmu.get("steer.angle_filtered") == 0.1
        assert fmu.set({"steer.angle": 0.25}) == OK
        assert fmu.get("steer.angle_filtered") == 0.25
        assert fmu.call("ExitInitializationMode") == OK
        if interface == "CoSimulation":
            fmu.run(0.5, 0.01)
        assert fmu.get("steer.angle_filtered") == pytest.approx(0.25, abs=1e-15)
        assert fmu.get("der(steer.angle_filtered)") == pytest.approx(0.0, abs=1e-15)
        assert fmu.get("der(steer.angle_filtered_rate)") == pytest.approx(0.0, abs=1e-12)
        fmu.set({"steer.angle": 0.5})
        assert fmu.get("steer.angle_filtered") == pytest.approx(0.25, abs=1e-15)
        fmu.reset()
        assert fmu.initialize() == OK
        assert fmu.get("steer.angle_filtered") == 0.0


def test_a_filter_begins_where_its_input_is_at_the_first_step(archive: Archive) -> None:
    """Tools set inputs after initialization, too; from then on, T² y'' + 2 T y' + y = u."""
    with Instance(archive) as fmu:
        assert fmu.initialize(tolerance=1e-10) == OK
        assert fmu.set({"steer.angle": 0.1, "steer.rate": float("nan")}) != OK
        assert fmu.set({"steer.angle": 0.3}) == OK
        assert fmu.get("steer.angle_filtered") == 0.0
        saved = save(fmu)
        assert fmu.step(0.1) == OK
        assert fmu.get("steer.angle_filtered") == pytest.approx(0.3, abs=1e-15)
        assert fmu.get("der(steer.angle_filtered)") == pytest.approx(0.0, abs=1e-15)
        assert fmu.set({"steer.angle": 0.0}) == OK
        assert fmu.step(TIME_CONSTANT) == OK
        assert fmu.get("steer.angle_filtered") == pytest.approx(0.3 * 2 / np.e, abs=1e-9)
        restore(fmu, saved, 0.0)  # before the first step
        assert fmu.set({"steer.angle": -0.2}) == fmu.step(0.1) == OK
        assert fmu.get("steer.angle_filtered") == pytest.approx(-0.2, abs=1e-15)


def test_a_filter_takes_a_start_value_of_its_own(archive: Archive) -> None:
    start = {"start.steer.angle_filtered": 0.2, "start.steer.angle_filtered_rate": 0.0}
    with Instance(archive) as fmu:
        for given in (start | {"steer.angle": 0.1}, {"steer.angle": 0.1} | start):
            fmu.enter_initialization(given)
            assert fmu.get("steer.angle_filtered") == 0.2
            assert fmu.set({"steer.angle": 0.3}) == OK
            assert fmu.get("steer.angle_filtered") == 0.2
            unknown = references(fmu, ["steer.angle_filtered", "der(steer.angle_filtered_rate)"])
            known = references(fmu, ["steer.angle", "start.steer.angle_filtered"])
            per = TIME_CONSTANT**-2
            assert jacobian(fmu, unknown, known) == pytest.approx(
                np.array([[0.0, 1.0], [per, -per]]), rel=1e-12
            )
            assert fmu.set({"start.steer.angle_filtered": 0.0}) == OK  # says nothing again
            assert fmu.get("steer.angle_filtered") == 0.3
            assert jacobian(fmu, unknown, known)[:, 0] == pytest.approx([1.0, 0.0], abs=1e-12)
            assert fmu.set(start) == fmu.call("ExitInitializationMode") == OK
            assert fmu.set({"steer.angle": 0.0}) == fmu.step(TIME_CONSTANT) == OK
            assert fmu.get("steer.angle_filtered") == pytest.approx(0.2 * 2 / np.e, abs=1e-6)
            assert fmu.reset() == OK


def test_model_exchange_lets_a_filter_begin_in_the_first_event_mode(archive: Archive) -> None:
    with Instance(archive, "ModelExchange") as fmu:
        fmu.enter_initialization()
        assert fmu.call("ExitInitializationMode") == fmu.set({"steer.angle": 0.3}) == OK
        assert fmu.update_discrete_states() == OK
        assert fmu.get("steer.angle_filtered") == 0.3
        assert fmu.leave_event_mode() == fmu.set({"steer.angle": 0.5}) == OK
        assert fmu.get("steer.angle_filtered") == 0.3
        assert fmu.call("EnterEventMode") == fmu.update_discrete_states() == OK
        assert fmu.get("steer.angle_filtered") == 0.3
        if fmu.archive.version == "2.0":
            return
        assert fmu.reset() == OK
        fmu.enter_initialization()
        assert fmu.call("ExitInitializationMode") == fmu.set({"steer.angle": 0.3}) == OK
        assert fmu.set({"steer.angle_filtered": 0.1}) == fmu.update_discrete_states() == OK
        assert fmu.get("steer.angle_filtered") == 0.1  # the importer knows better


def test_fmu_with_a_filter_goes_as_python_does(archive: Archive, equations: Equations) -> None:
    def held(t: float) -> float:
        return 0.1 if t < 0.2 else 0.3

    with Instance(archive) as fmu:
        fmu.initialize({"steer.angle": 0.1}, tolerance=1e-11)
        fmu.run(0.2, 0.1)
        fmu.set({"steer.angle": 0.3})
        fmu.run(0.6, 0.1)
        names = ["speed", "x", "y", "yaw", "steer.angle_filtered", "energy", "power"]
        there = fmu.values(names)
        assert fmu.messages == []  # of rates that are not used
    run = simulate(
        equations, 0.6, inputs={"steer.angle": held}, breaks=[0.2], rtol=1e-12, progress=False
    )
    assert there == pytest.approx([run.final(name) for name in names], rel=1e-9, abs=1e-9)


def sampled(archive: Archive, inputs: dict, step: float = 0.01, **parameters: float) -> list[str]:
    """Return what a Co-Simulation with inputs sampled at each step tells."""
    with Instance(archive) as fmu:
        assert fmu.initialize({"steering": DIRECT} | parameters | at(inputs, 0.0)) == OK
        for k in range(round(1 / step)):
            assert fmu.set(at(inputs, k * step)) == OK
            assert fmu.step(step) == OK
        assert all(m.status == 1 and m.category == "logStatusWarning" for m in fmu.messages)
        return [m.text for m in fmu.messages]


def at(inputs: dict, t: float) -> dict[str, float]:
    return {name: signal(t) if callable(signal) else signal for name, signal in inputs.items()}


@pytest.mark.parametrize("case", WRONG)
def test_fmu_tells_a_wrong_rate_once(archive: Archive, case: str) -> None:
    changes = (
        {"steer.acceleration": 0.0} if case in ("not connected", "of an angle that rests") else {}
    )
    rates = WRONG[case].get("steer.rate", 0.0)
    fits = (
        {"steer.acceleration": (lambda t: (rates(t + 1e-6) - rates(t - 1e-6)) / 2e-6)}
        if callable(rates)
        else changes
    )
    told = sampled(archive, WRONG[case] | fits)
    assert len(told) == 1
    assert "steer.angle changes by" in told[0] and "its rate steer.rate is" in told[0]


@pytest.mark.parametrize("case", [c for c in RIGHT if c != "jump that is named"])
@pytest.mark.parametrize("step", [0.01, 0.1])
def test_fmu_does_not_tell_a_right_rate(archive: Archive, case: str, step: float) -> None:
    given = RIGHT[case]
    fits = {"steer.acceleration": acceleration} if case == "sine" else {}
    if case == "bend":
        fits = {"steer.acceleration": lambda t: -0.3 / step if abs(t - 0.37) < step else 0.0}
    assert sampled(archive, given | fits, step) == []


def test_jump_is_told_unless_it_is_named(archive: Archive) -> None:
    jump = {"steer.angle": lambda t: 0.1 if t < 0.495 else 0.2}
    [told] = sampled(archive, jump)
    assert "steer.angle changes by 10 per second from t = 0.49 s to t = 0.5 s" in told
    if archive.version == "2.0":
        return
    with Instance(archive) as fmu:
        fmu.function("FreeInstance")(fmu.fmu.component)
        fmu.fmu.instantiate(
            loggingOn=True, eventModeUsed=True, logMessage=lambda _, *said: fmu._log(*said)
        )
        assert fmu.initialize({"steering": DIRECT, "steer.angle": 0.1}) == OK
        assert fmu.update_discrete_states() == fmu.call("EnterStepMode") == OK
        assert fmu.step(0.5) == fmu.call("EnterEventMode") == OK
        assert fmu.set({"steer.angle": 0.2}) == fmu.update_discrete_states() == OK
        assert fmu.call("EnterStepMode") == fmu.step(0.5) == OK
        assert fmu.messages == []
        assert fmu.set({"steer.angle": 0.1}) == fmu.step(0.25) == fmu.step(0.25) == OK
        assert len(fmu.messages) == 1


def completed(archive: Archive, step: float, inputs: dict) -> list[str]:
    """Return what Model Exchange tells at completed steps of a second."""
    with Instance(archive, "ModelExchange") as fmu:
        assert fmu.initialize({"steering": DIRECT} | at(inputs, 0.0)) == OK
        states = fmu.values(fmu.states)
        for t in np.arange(step, 1.0, step):
            assert fmu.move(t, states) == fmu.set(at(inputs, t)) == OK
            fmu.completed_step()
        return [m.text for m in fmu.messages]


@pytest.mark.parametrize("step", [0.01, 0.3, 0.5])
def test_model_exchange_tells_rates_that_are_not_connected(archive: Archive, step: float) -> None:
    near = 0.13  # a sine that is zero at no step's end
    shifted = {"steer.angle": lambda t: angle(t + near)}
    [told] = completed(archive, step, shifted)
    assert "steer.angle changes by" in told and "its rate steer.rate is 0 there" in told
    fits = {
        "steer.rate": lambda t: rate(t + near),
        "steer.acceleration": lambda t: acceleration(t + near),
    }
    assert completed(archive, step, shifted | fits) == []


def late(t: float) -> float:
    """Return the rate as a coupled simulation has it that is one step of 0.01 s behind."""
    return rate(max(t - 0.01, 0.0))


COUPLED = {
    "late by a step, through zeros of the rate": {
        "steer.angle": angle, "steer.rate": late, "steer.acceleration": acceleration,
    },
    "two steps late where a motion begins": {
        "steer.angle": lambda t: 0.1 * (1 - np.cos(TURN * t)),
        "steer.rate": lambda t: 0.1 * TURN * np.sin(TURN * max(t - 0.02, 0.0)),
        "steer.acceleration": lambda t: 0.1 * TURN**2 * np.cos(TURN * t) * (t >= 0.02),
    },
    "noise of another solver on a constant": {
        "steer.angle": lambda t: 0.3 * (1 + 1e-6 * (-1.0) ** round(t / 0.01)), "steer.rate": 0.0,
    },
    "a motion that begins, and rests for a moment": {
        "steer.angle": lambda t: 0.05 * (TURN * t - np.sin(TURN * t)),
        "steer.rate": lambda t: 0.05 * TURN * (1 - np.cos(TURN * max(t - 0.01, 0.0))),
        "steer.acceleration": lambda t: 0.05 * TURN**2 * np.sin(TURN * t),
    },
}  # fmt: skip


@pytest.mark.parametrize("case", COUPLED)
def test_fmu_does_not_tell_what_falls_with_the_step(archive: Archive, case: str) -> None:
    assert sampled(archive, COUPLED[case]) == []


def test_fmu_tells_held_inputs_whose_error_is_large(archive: Archive) -> None:
    """Ten steps of 0.1 s for a period, one late: 30 % of the largest rate for a part of it."""
    given = COUPLED["late by a step, through zeros of the rate"]
    coarse = given | {"steer.rate": lambda t: rate(max(t - 0.1, 0.0))}
    [told] = sampled(archive, coarse | {"steer.angle": lambda t: 3 * angle(t)}, 0.1)
    assert "held over a step: shorter steps make it smaller" in told
