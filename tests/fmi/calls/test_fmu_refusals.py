"""What an FMU does with bad input: the right status, a message that helps, nothing else changed."""

from __future__ import annotations

import math
from ctypes import byref, c_bool, c_char, c_char_p, c_int, c_size_t, c_uint, c_uint8, c_void_p
from typing import Any

import pytest
from fmpy import fmi3

from tests.conftest import (
    DISCARD,
    ERROR,
    OK,
    Archive,
    Archives,
    Instance,
    OpenFmu,
    attempt,
    doubles,
)
from tests.shipped import SHIPPED

STRAIGHT = {"steering": 2, "steer.angle": 0.0}
"""The vehicle goes straight on."""


def assert_refused(fmu: Instance, status: int, expected: int, *words: str) -> None:
    """Check a status, and that the newest message has it and says the words."""
    assert status == expected, fmu.said
    assert fmu.messages, "nothing was logged"
    assert fmu.messages[-1].status == expected
    category = {DISCARD: "logStatusDiscard", ERROR: "logStatusError"}[expected]
    assert fmu.messages[-1].category == category
    for word in words:
        assert word in fmu.said, fmu.said


# Setters

WRONG_VALUES = [
    ("vehicle", "chassis.mass", 0.0),
    ("vehicle", "chassis.mass", -1.0),
    ("vehicle", "chassis.inertia", 0.0),
    ("vehicle", "steer.time_constant", 0.0),
    ("vehicle", "steer.time_constant", -0.05),
    ("vehicle", "steer.reference_speed", 0.0),
    ("vehicle", "gravity", 0.0),
    ("vehicle", "wheelbase", -2.5),
    ("vehicle", "rear_to_mass_centre", 0.0),
    ("vehicle", "steering", 0),
    ("vehicle", "steering", 4),
    ("vehicle", "solver.method", 5),
    ("vehicle", "solver.tolerance", 0.0),
    ("vehicle", "solver.step", -1e-3),
    ("caster", "wheel.mass", -1.0),
    ("caster", "wheel.to_swivel", 0.0),
    ("caster", "wheel.to_swivel", -1.0),
    ("clearance_joint", "rod.mass", 0.0),
    ("clearance_joint", "slider.mass", -0.1),
    ("clearance_joint", "crank.length", 0.0),
    ("clearance_joint", "joint.youngs_modulus", 0.0),
    ("clearance_joint", "joint.restitution", 1.1),
    ("clearance_joint", "joint.restitution", -0.1),
    ("clearance_joint", "joint.journal_radius", 0.0),
    ("clearance_joint", "joint.friction", -0.1),
    ("clearance_joint", "joint.friction_speed", 0.0),
    ("clearance_joint", "joint.drag", 1.1),
    ("clearance_joint", "joint.law", 5),
]


@pytest.mark.parametrize(("name", "variable", "value"), WRONG_VALUES)
def test_values_out_of_range_are_discarded(
    open_fmu: OpenFmu, name: str, variable: str, value: float
) -> None:
    fmu = open_fmu(name)
    old = fmu.get(variable)
    assert_refused(fmu, fmu.set({variable: value}), DISCARD, variable, f"{value:g}")
    assert fmu.get(variable) == old
    assert fmu.initialize() == OK


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_are_no_numbers_are_discarded(archive: Archive, value: float) -> None:
    with Instance(archive) as fmu:
        settable = [
            variable.name
            for variable in archive.variables.values()
            if variable.start is not None and variable.type in ("Real", "Float64")
        ]
        assert len(settable) > 8
        for name in settable:
            assert_refused(fmu, fmu.set({name: value}), DISCARD, name)
            assert fmu.get(name) == float(archive.variables[name].start)
        assert fmu.initialize() == OK
        before = fmu.bytes()
        for name in settable:
            if archive.variables[name].causality == "input":
                assert_refused(fmu, fmu.set({name: value}), DISCARD, name, "t = 0 s")
        assert fmu.bytes() == before


def test_a_refused_call_sets_none_of_its_values(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle")
    assert fmu.initialize() == OK
    before = fmu.bytes()
    references = [fmu.reference("drive.force"), fmu.reference("load.force_x")]
    setter = fmu.fmu.setReal if fmu.archive.version == "2.0" else fmu.fmu.setFloat64
    assert attempt(setter, references, [5.0, math.nan]) == DISCARD
    assert fmu.bytes() == before


def test_unknown_value_references_are_errors(archive: Archive) -> None:
    with Instance(archive) as fmu:
        kind = "Real" if archive.version == "2.0" else "Float64"
        # FMI 2.0 declares no event indicators, but they have references here.
        indicators = int(archive.description.numberOfEventIndicators or 0)
        for unknown in (len(archive.variables) + indicators + 7, 4_000_000_000):
            getter, setter = getattr(fmu.fmu, f"get{kind}"), getattr(fmu.fmu, f"set{kind}")
            for call, values in ((getter, []), (setter, [[1.0]])):
                assert fmu.reset() == fmu.initialize() == OK
                assert_refused(fmu, attempt(call, [unknown], *values), ERROR, str(unknown))


def test_wrong_types_are_errors(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("clearance_joint")
    if fmu.archive.version == "2.0":
        wrong = {
            "joint.x": ("Integer", "Boolean"),
            "joint.impacts": ("Real", "Boolean"),
            "joint.law": ("Real", "Boolean"),
            "joint.in_contact": ("Real", "Integer"),
        }
    else:
        wrong = {
            "joint.x": ("Float32", "Int32", "Boolean", "UInt64"),
            "joint.impacts": ("Float64", "Int64", "Int8", "UInt32"),
            "joint.law": ("Float64", "Int32"),
            "joint.in_contact": ("Float64", "Int32"),
        }
    for name, types in wrong.items():
        for kind in types:
            getter, setter = getattr(fmu.fmu, f"get{kind}"), getattr(fmu.fmu, f"set{kind}")
            assert fmu.reset() == fmu.initialize() == OK
            assert_refused(fmu, attempt(getter, [fmu.reference(name)]), ERROR, name)
            assert fmu.reset() == fmu.initialize() == OK
            assert_refused(fmu, attempt(setter, [fmu.reference(name)], [1]), ERROR, name)
    reference = fmu.reference("joint.x")
    assert fmu.reset() == fmu.initialize() == OK
    assert_refused(fmu, attempt(fmu.fmu.setString, [reference], ["text"]), ERROR, "joint.x")
    assert fmu.reset() == OK
    assert_refused(fmu, attempt(fmu.fmu.getString, [reference]), ERROR, "joint.x")


@pytest.mark.parametrize(
    ("name", "variable", "value"),
    [
        ("vehicle", "wheelbase", 3.0),
        ("vehicle", "steering", 2),
        ("vehicle", "solver.method", 2),
        ("vehicle", "solver.tolerance", 1e-4),
        ("caster", "wheel.to_swivel", 2.0),
        ("clearance_joint", "joint.bearing_radius", 11e-3),
        ("clearance_joint", "joint.law", 2),
    ],
)
def test_fixed_parameters_cannot_be_set_after_initialization(
    open_fmu: OpenFmu, name: str, variable: str, value: float
) -> None:
    fmu = open_fmu(name)
    assert fmu.initialize() == OK
    old = fmu.get(variable)
    assert_refused(fmu, fmu.set({variable: value}), ERROR, variable)
    assert fmu.get(variable) == old


def test_what_is_calculated_cannot_be_set(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle")
    assert_refused(fmu, fmu.set({"chassis.yaw_rate": 1.0}), ERROR, "chassis.yaw_rate")
    for name in ("chassis.yaw_rate", "chassis.speed"):
        assert fmu.reset() == fmu.initialize() == OK
        assert_refused(fmu, fmu.set({name: 1.0}), ERROR, name)


def test_after_an_error_only_getters_and_a_reset_are_left(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("caster")
    assert fmu.initialize() == OK
    fmu.run(0.1, step=0.1)
    before = fmu.bytes()
    assert fmu.set({"swivel.rate": 1.0}) == ERROR
    assert fmu.bytes() == before
    assert_refused(fmu, fmu.set({"swivel.torque": 1.0}), ERROR, "after an error", "reset")
    assert_refused(fmu, fmu.step(0.1), ERROR, "after an error")
    assert_refused(fmu, fmu.call("Terminate"), ERROR, "after an error")
    assert fmu.bytes() == before
    assert fmu.reset() == fmu.initialize() == OK
    fmu.run(0.1, step=0.1)
    assert fmu.bytes() == before


def test_states_and_tunables_are_set_by_variable_in_continuous_time_mode(open_fmu: OpenFmu) -> None:
    # states: FMI 2.0.1 (table in 3.2.3, note 5), FMI 3.0 (3.2.1); tunables: for CasADi's importer
    fmu, same = (open_fmu("vehicle", "ModelExchange") for _ in range(2))
    assert fmu.initialize() == same.initialize() == OK
    start = same.values(same.states)
    moved = start + 0.125
    assert fmu.set(dict(zip(fmu.states, moved, strict=True))) == OK
    assert same.move(0.0, moved) == OK
    assert fmu.rates() == same.rates()
    assert fmu.set({"chassis.mass": 1000.0}) == OK
    assert same.call("EnterEventMode") == same.set({"chassis.mass": 1000.0}) == OK
    assert same.leave_event_mode() == OK
    assert fmu.rates() == same.rates()
    assert_refused(fmu, fmu.set({"chassis.speed": math.nan}), DISCARD, "chassis.speed")
    assert fmu.rates() == same.rates()


def test_event_mode_takes_states_in_fmi_3_alone(open_fmu: OpenFmu) -> None:
    # FMI 3.0, 2.3.5, where events do not set them; FMI 2.0.5, 3.2.3: note 4 knows no states
    fmu = open_fmu("vehicle", "ModelExchange")
    assert fmu.initialize() == fmu.call("EnterEventMode") == OK
    status = fmu.set({"chassis.speed": 12.0})
    if fmu.archive.version == "2.0":
        assert_refused(fmu, status, ERROR, "chassis.speed")
        return
    assert status == fmu.leave_event_mode() == OK
    assert fmu.get("chassis.speed") == 12.0
    joint = open_fmu("clearance_joint", "ModelExchange")  # whose impacts set states
    assert joint.initialize() == joint.call("EnterEventMode") == OK
    assert_refused(joint, joint.set({"joint.x_rate": 1.0}), ERROR, "joint.x_rate")


# Initialization

CONTRADICTIONS = [
    ("vehicle", {"rear_to_mass_centre": 2.5}, "rear_to_mass_centre", "chassis.yaw_rate"),
    ("vehicle", {"rear_to_mass_centre": 3.0}, "rear_to_mass_centre", "chassis.yaw_rate"),
    ("clearance_joint", {"joint.bearing_radius": 9.5e-3}, "joint.bearing_radius", "joint.force"),
    ("clearance_joint", {"joint.journal_radius": 12e-3}, "joint.bearing_radius", "joint.force"),
    (
        "caster",
        {"wheel.to_mass_centre": 0.0, "wheel.gyration_radius": 0.0},
        "wheel.gyration_radius",
        "swivel.rate",
    ),
    ("clearance_joint", {"rod.length": 0.04}, "rod.length", "slider.position"),
    # rigid parts that overlap at the start
    ("clearance_joint", {"joint.law": 3, "joint.x": 6e-4}, "joint.gap", "joint.force"),
    # configurations and steering out of reach
    ("clearance_joint", {"joint.y": 1.0}, "joint.y", "slider.position"),
    ("vehicle", {"steering": 2, "steer.angle": math.pi / 2}, "front.steer_angle", "energy.kinetic"),
]
EACH_CONTRADICTION = pytest.mark.parametrize(
    ("name", "values", "culprit", "output"), CONTRADICTIONS
)


@EACH_CONTRADICTION
@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
def test_contradictions_are_errors_at_the_end_of_initialization(
    open_fmu: OpenFmu, interface: Any, name: str, values: dict, culprit: str, output: str
) -> None:
    fmu = open_fmu(name, interface)
    fmu.enter_initialization(values)  # each setter says OK
    assert fmu.messages == []
    assert_refused(fmu, fmu.call("ExitInitializationMode"), ERROR, culprit, "t = 0 s")


@EACH_CONTRADICTION
def test_contradictions_are_told_at_the_first_get(
    open_fmu: OpenFmu, name: str, values: dict, culprit: str, output: str
) -> None:
    fmu = open_fmu(name)
    fmu.enter_initialization(values)
    # and can be put right, so that it is not an error yet
    assert_refused(fmu, fmu.try_get(output), DISCARD, culprit)
    assert fmu.set({v: float(fmu.variables[v].start) for v in values}) == OK
    assert fmu.try_get(output) == OK
    assert fmu.call("ExitInitializationMode") == OK


@EACH_CONTRADICTION
def test_a_step_before_the_end_of_initialization_changes_no_answer(
    open_fmu: OpenFmu, name: str, values: dict, culprit: str, output: str
) -> None:
    """What is told to be contradictory stays so after the Error of a step."""
    fmu = open_fmu(name)
    fmu.enter_initialization(values)
    answers = {variable: fmu.try_get(variable) for variable in fmu.variables}
    assert answers[output] == DISCARD
    given = fmu.values(read := [of for of, status in answers.items() if status == OK])
    assert_refused(fmu, fmu.step(0.1), ERROR, "DoStep")
    assert {variable: fmu.try_get(variable) for variable in fmu.variables} == answers
    assert fmu.values(read).tobytes() == given.tobytes()


def test_a_linkage_out_of_reach_names_the_element_and_how_far(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("clearance_joint")
    assert fmu.initialize({"joint.y": 1.0}) == ERROR
    assert "joint.y stays violated by -0.88" in fmu.said  # the rod is 0.12 m long
    assert fmu.reset() == OK
    assert fmu.initialize() == OK


def test_the_wrong_token_gives_no_instance(archive: Archive) -> None:
    for interface in ("CoSimulation", "ModelExchange"):
        with pytest.raises(Exception, match="Failed to instantiate"):
            Instance(archive, interface, token="{00000000-0000-0000-0000-000000000000}")


def test_calculated_values_wait_for_initialization_mode_in_fmi_2(open_fmu: OpenFmu) -> None:
    fmu, same = (open_fmu("vehicle") for _ in range(2))
    assert fmu.get("chassis.speed") == 10.0
    assert fmu.set({"steer.actuator_angle": 0.125}) == OK
    if fmu.archive.version == "2.0":
        assert_refused(fmu, fmu.try_get("chassis.yaw_rate"), ERROR, "chassis.yaw_rate")
        return
    assert same.initialize({"steer.actuator_angle": 0.125}) == OK
    assert fmu.get("chassis.yaw_rate") == same.get("chassis.yaw_rate")
    assert fmu.set({"rear_to_mass_centre": 3.0}) == OK  # beyond the front axle
    assert_refused(fmu, fmu.try_get("chassis.yaw_rate"), DISCARD, "rear_to_mass_centre")
    assert fmu.set({"rear_to_mass_centre": 1.25}) == fmu.initialize() == OK
    assert fmu.bytes() == same.bytes()


# Steps


def test_a_step_that_reaches_ninety_degrees_is_rolled_back(open_fmu: OpenFmu) -> None:
    fmu, same = (open_fmu("vehicle") for _ in range(2))
    for one in (fmu, same):
        assert one.initialize({"steer.angle": 1.4}) == OK
        assert one.run(0.1, step=0.01).set({"steer.angle": 2.0}) == OK
    before = fmu.bytes()
    # the actuator passes π/2 in the middle of the step
    status = fmu.step(0.5)
    assert_refused(fmu, status, DISCARD, "front.steer_angle", "90 degrees", "1.57", "t = 0.1")
    assert fmu.bytes() == before
    assert fmu.last_successful_time == pytest.approx(0.1, abs=1e-15)
    # and goes on as if nothing had been
    for one in (fmu, same):
        assert one.set({"steer.angle": 1.0}) == OK
        one.run(0.2, step=0.01)
    assert fmu.bytes() == same.bytes()


def test_direct_steering_to_ninety_degrees_is_discarded(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle")
    assert fmu.initialize({"steering": 2}) == OK
    fmu.run(0.1, step=0.01)
    before = fmu.bytes()
    for angle in (math.pi / 2, -math.pi / 2, 2.0):
        assert fmu.set({"steer.angle": angle}) == OK
        shown = f"{angle:.8g}"
        assert_refused(fmu, fmu.step(0.01), DISCARD, "front.steer_angle", shown, "t = 0.1 s")
        assert fmu.last_successful_time == pytest.approx(0.1, abs=1e-15)
    assert fmu.set({"steer.angle": 0.0}) == OK
    assert fmu.bytes() == before
    assert fmu.step(0.01) == OK


def test_steps_must_follow_each_other(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("caster")
    assert fmu.initialize() == OK
    fmu.run(0.1, step=0.1)
    before = fmu.bytes()
    for time, size in ((0.5, 0.1), (0.1, -0.1), (0.1, math.nan), (math.nan, 0.1), (0.1, math.inf)):
        fmu.time = time
        assert_refused(fmu, fmu.step(size), ERROR, "step")
        assert fmu.bytes() == before
        assert fmu.reset() == fmu.initialize() == OK
        fmu.run(0.1, step=0.1)


def test_model_exchange_discards_what_cannot_be_evaluated(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("vehicle", "ModelExchange")
    assert fmu.initialize(STRAIGHT) == OK
    before = fmu.rates()
    assert fmu.set({"steer.angle": math.pi / 2}) == OK
    status = attempt(fmu.rates)
    assert_refused(fmu, status, DISCARD, "front.steer_angle", "1.57079633", "t = 0 s")
    assert fmu.try_get("front.lateral_force") == DISCARD
    assert fmu.set({"steer.angle": 0.0}) == OK
    assert fmu.rates() == before
    states = [math.nan, *[0.0] * (len(fmu.states) - 1)]
    assert_refused(fmu, fmu.move(0.0, states), DISCARD, fmu.states[0])
    assert_refused(fmu, fmu.move(math.nan, []), DISCARD)
    assert fmu.rates() == before
    assert_refused(fmu, fmu.call("SetContinuousStates", doubles([1.0]), 1), ERROR)


def test_model_exchange_discards_states_out_of_reach(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("clearance_joint", "ModelExchange")
    assert fmu.initialize() == OK
    before = fmu.rates()
    states = [1.0 if name == "joint.y" else 0.0 for name in fmu.states]
    assert fmu.move(0.0, states) == OK
    assert_refused(fmu, attempt(fmu.rates), DISCARD, "joint.", "t = 0 s")
    assert fmu.move(0.0, [0.0] * len(states)) == OK
    assert fmu.rates() == before


# Order of calls, and what is not provided


def test_calls_out_of_order_are_errors(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("caster")
    assert_refused(fmu, fmu.step(0.1), ERROR, "DoStep")
    assert fmu.reset() == OK
    assert_refused(fmu, fmu.call("ExitInitializationMode"), ERROR, "ExitInitializationMode")
    assert fmu.reset() == fmu.initialize() == OK
    assert_refused(fmu, fmu.call("ExitInitializationMode"), ERROR, "ExitInitializationMode")
    assert fmu.reset() == fmu.initialize() == OK
    assert fmu.call("Terminate") == OK
    assert_refused(fmu, fmu.step(0.1), ERROR, "DoStep")
    assert fmu.reset() == OK
    assert fmu.initialize() == OK
    model = open_fmu("caster", "ModelExchange")
    assert_refused(model, model.move(0.0, []), ERROR, "SetTime")


def optional_calls_2() -> dict[str, tuple[str, tuple]]:
    """Functions of FMI 2.0 that need not be provided, the flag that offers them, arguments."""
    reference, value, whole = (c_uint * 1)(1), doubles([0.0]), (c_int * 1)(1)
    state, size, buffer = c_void_p(), c_size_t(), (c_char * 8)()
    return {
        "GetFMUstate": ("canGetAndSetFMUstate", (byref(state),)),
        "SetFMUstate": ("canGetAndSetFMUstate", (state,)),
        "FreeFMUstate": ("canGetAndSetFMUstate", (byref(state),)),
        "SerializedFMUstateSize": ("canSerializeFMUstate", (state, byref(size))),
        "SerializeFMUstate": ("canSerializeFMUstate", (state, buffer, 8)),
        "DeSerializeFMUstate": ("canSerializeFMUstate", (buffer, 8, byref(state))),
        "GetDirectionalDerivative": (
            "providesDirectionalDerivative",
            (reference, 1, reference, 1, value, value),
        ),
        "SetRealInputDerivatives": ("canInterpolateInputs", (reference, 1, whole, value)),
        "GetRealOutputDerivatives": ("maxOutputDerivativeOrder", (reference, 1, whole, value)),
        "CancelStep": ("canRunAsynchronuously", ()),
    }


def optional_calls_3() -> dict[str, tuple[str, tuple]]:
    """Functions of FMI 3.0 that need not be provided, the flag that offers them, arguments."""
    reference, value, count = (c_uint * 1)(1), doubles([0.0]), c_size_t()
    state, size, buffer = c_void_p(), c_size_t(), (c_uint8 * 8)()
    seeds = (reference, 1, reference, 1, value, 1, value, 1)
    return {
        "GetFMUState": ("canGetAndSetFMUstate", (byref(state),)),
        "SetFMUState": ("canGetAndSetFMUstate", (state,)),
        "FreeFMUState": ("canGetAndSetFMUstate", (byref(state),)),
        "SerializedFMUStateSize": ("canSerializeFMUstate", (state, byref(size))),
        "SerializeFMUState": ("canSerializeFMUstate", (state, buffer, 8)),
        "DeserializeFMUState": ("canSerializeFMUstate", (buffer, 8, byref(state))),
        "GetDirectionalDerivative": ("providesDirectionalDerivative", seeds),
        "GetAdjointDerivative": ("providesAdjointDerivatives", seeds),
        "GetNumberOfVariableDependencies": ("providesPerElementDependencies", (1, byref(count))),
        "GetOutputDerivatives": (
            "maxOutputDerivativeOrder",
            (reference, 1, (c_int * 1)(1), value, 1),
        ),
        "GetIntervalDecimal": ("", (reference, 1, value, (c_int * 1)())),
        "SetIntervalDecimal": ("", (reference, 1, value)),
        "EnterConfigurationMode": ("", ()),
        "ExitConfigurationMode": ("", ()),
        "EvaluateDiscreteStates": ("providesEvaluateDiscreteStates", ()),
    }


def test_functions_not_provided_are_errors_that_say_so(archive: Archive) -> None:
    with Instance(archive) as fmu:
        calls = (optional_calls_2 if archive.version == "2.0" else optional_calls_3)()
        for name, (flag, arguments) in calls.items():
            if flag and getattr(archive.description.coSimulation, flag):
                continue
            assert fmu.reset() == fmu.initialize() == OK
            before = fmu.bytes()
            assert_refused(fmu, fmu.call(name, *arguments), ERROR, name)
            assert fmu.bytes() == before


def test_there_is_no_scheduled_execution(archives: Archives) -> None:
    archive = archives["caster", "3.0"]
    callbacks = (
        fmi3.fmi3LogMessageCallback(),
        fmi3.fmi3ClockUpdateCallback(),
        fmi3.fmi3LockPreemptionCallback(),
        fmi3.fmi3UnlockPreemptionCallback(),
    )
    token = archive.description.guid.encode()
    with Instance(archive) as fmu:
        instance = fmu.fmu.fmi3InstantiateScheduledExecution(
            b"caster", token, b"", c_bool(False), c_bool(False), c_void_p(), *callbacks
        )
    assert instance is None


# Messages


def test_nothing_is_printed(archive: Archive, capfd: pytest.CaptureFixture[str]) -> None:
    name = archive.description.modelName
    contradictory = {n: values for n, values, *_ in CONTRADICTIONS}
    contradictory["rolling_disk"] = {"disk.lean": math.pi / 2}  # it lies flat
    wrong = contradictory.get(name)
    for interface in ("CoSimulation", "ModelExchange"):
        with Instance(archive, interface) as fmu:
            assert fmu.call("SetDebugLogging", True, 0, None) == OK
            if wrong:
                assert fmu.initialize(wrong) == ERROR
                assert fmu.reset() == OK
            assert fmu.initialize() == OK
            assert fmu.set({"solver.tolerance": 1e-3}) == ERROR
            assert fmu.reset() == fmu.initialize() == OK
            if interface == "CoSimulation":
                stop = SHIPPED[name].experiment.stop / 24
                fmu.run(stop, step=stop / 20)
            else:
                fmu.rates()
                fmu.completed_step()
            fmu.bytes()
            assert fmu.call("Terminate") == OK
            assert fmu.messages
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")


def test_events_are_logged_where_asked_for(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("clearance_joint")
    categories = (c_char_p * 1)(b"logEvents")
    assert fmu.call("SetDebugLogging", True, 1, categories) == OK
    assert fmu.initialize() == OK
    fmu.run(2.5e-4, step=1e-5)
    [event] = [message for message in fmu.messages if message.category == "logEvents"]
    assert event.status == OK
    assert "contact" in event.text
    assert [message for message in fmu.messages if message.category != "logEvents"] == []
    assert f"{fmu.get('joint.impact_time'):.6g}"[:6] in event.text
    fmu.messages.clear()
    assert fmu.call("SetDebugLogging", False, 0, None) == OK
    fmu.run(3e-4, step=1e-5)
    assert fmu.messages == []


def test_logged_categories_are_those_of_the_description(archive: Archive) -> None:
    known = {category.name for category in archive.description.logCategories}
    assert {"logEvents", "logStatusDiscard", "logStatusError"} <= known


@pytest.mark.heavy
def test_disk_that_falls_flat_is_refused_in_both_interfaces(open_fmu: OpenFmu) -> None:
    """It falls as quadrature says, at t = 3.7883; a step that ends past there is taken back."""
    start = {"disk.pitch_rate": 0.0, "disk.lean_rate": 0.1}
    fmu = open_fmu("rolling_disk")
    assert fmu.initialize(start) == OK
    fmu.run(3.7, 0.1)
    lean = fmu.get("disk.lean")
    assert_refused(fmu, fmu.step(0.5), DISCARD, "wheel.side is reached at t = 3.788", "falls flat")
    assert fmu.get("disk.lean") == lean
    fmu.run(3.78, 0.08)
    assert fmu.get("disk.lean") < math.pi / 2
    other = open_fmu("rolling_disk", "ModelExchange")
    assert other.initialize(start) == OK
    state = fmu.values(fmu.states)
    state[list(fmu.states).index("disk.lean")] = math.pi / 2 - 0.01
    assert other.move(3.78, state) == OK
    assert attempt(other.fmu.completedIntegratorStep) == OK
    state[list(fmu.states).index("disk.lean")] = math.pi / 2 + 0.01
    assert other.move(3.80, state) == OK
    assert_refused(other, attempt(other.fmu.completedIntegratorStep), DISCARD, "wheel.side")
