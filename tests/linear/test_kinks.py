"""Derivatives where slopes jump: of one branch, and none that is only between both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Hinge, Model, equilibrium, linearize
from mbcore.contact.impact import Impact, unilateral_contact
from mbcore.equations.sides import inwards
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi.export import export
from mbcore.fmus import vehicle, vehicle_grip
from mbcore.linear.nominal_samples import NominalSamples
from mbcore.model import kinks
from tests.conftest import OK, Archive, Instance, Tools, equations_of
from tests.fmi.calls.test_fmu_kinks import Slopes
from tests.one_sided import changes_of, wrong_columns

AT_REST = {"chassis.speed": 0.0}


@pytest.mark.parametrize("model", [vehicle, vehicle_grip])
def test_vehicle_at_rest(model: object) -> None:
    """Mass 1200 kg: a drive moves it by F/m; a brake alone, or the speed alone, does nothing."""
    equations = equations_of(model.model)
    about = linearize(equations, AT_REST)
    speed = [state.name for state in equations.states].index("chassis.speed")
    inputs = [record.name for record in equations.inputs]
    by_inputs = dict(zip(inputs, about.input_matrix[speed], strict=True))
    assert by_inputs["drive.force"] == pytest.approx(1 / 1200, rel=1e-12)
    assert by_inputs["brake.force"] == pytest.approx(0, abs=1e-12)
    assert about.state_matrix[speed, speed] == pytest.approx(0, abs=1e-12)
    at = Evaluation(equations)
    at.start(AT_REST)
    changes = changes_of(at)
    ns = len(equations.states)
    assert np.allclose(changes[:ns, :ns], about.state_matrix, rtol=0, atol=1e-12)
    assert np.allclose(changes[:ns, ns + 1 :][:, : len(inputs)], about.input_matrix, atol=1e-12)
    if model is vehicle:
        assert not wrong_columns(at, changes)


X, Y = ca.SX.sym("x"), ca.SX.sym("y")
SUMS = {
    "larger and smaller": (ca.fmax(X, 0) + ca.fmin(X, 0), [1, 0]),
    "in the other order": (ca.fmin(0, X) + ca.fmax(0, X), [1, 0]),
    "by the negative": (ca.fmax(X, 0) - ca.fmax(0, -X), [1, 0]),
    "of two": (ca.fmax(X, Y) + ca.fmin(Y, X), [1, 1]),
    "kinks of kinks": (ca.fmax(ca.fmin(X, 1), ca.fmin(X, 2)) + ca.fmin(ca.fmax(X, Y), Y), [1, 1]),
    "of a product": (ca.fmax(X * Y, X) + ca.fmin(X * Y, X), [1, 0]),
    "of a square": ((1 + ca.fmax(X, 0)) ** 2 + (1 + ca.fmin(X, 0)) ** 2, [2, 0]),
    "of equals": (ca.fmax(ca.sin(X), ca.sin(X) + 0 * Y), [1, 0]),
}


@pytest.mark.parametrize("case", SUMS)
def test_kinks_of_a_sum_are_of_one_branch(case: str) -> None:
    """What is smooth has its own slope, however it is written."""
    expression, right = SUMS[case]
    both = ca.vertcat(X, Y)
    found = [kinks.jtimes(expression, both, ca.SX(by)) for by in ([1, 0], [0, 1])]
    opened = kinks.gradient(expression, both)
    slopes = ca.Function("slopes", [both], [ca.vertcat(*found), opened, kinks.opened(expression)])
    for values in slopes([0, 0])[:2]:
        assert np.array(values).ravel() == pytest.approx(right, abs=0)
    there = [0.3, -0.7]  # elsewhere it is CasADi's
    plain = ca.Function("plain", [both], [ca.gradient(expression, both), expression])(there)
    for values in slopes(there)[:2]:
        assert np.array(values) == pytest.approx(np.array(plain[0]), rel=1e-15)
    assert float(slopes(there)[2]) == float(plain[1])


@pytest.mark.parametrize("towards", [1, -1])
def test_a_side_is_active_towards_another_direction(towards: int) -> None:
    """The size of x rises by 1 along x where that goes up from zero, by -1 where it goes down."""
    slope = kinks.jtimes_towards(ca.fmax(X, -X), X, ca.SX(1), lambda: ca.SX(towards))
    assert float(ca.Function("slope", [X], [slope])(0)) == towards


@pytest.mark.parametrize(("place", "stiffness"), [(0.1, 3.0), (-0.1, 5.0)])
def test_a_spring_that_is_stiffer_when_it_is_pressed(place: float, stiffness: float) -> None:
    """The larger and the smaller one of the same two have other sides: 3 N/m drawn, 5 N/m."""
    model = Model("spring")
    point = model.point("point")
    point.y.fix(0)
    x = point.x.dof("x", "v", start=place).value
    model.add(Body("mass", point, mass=2.0))
    model.force(point, (-3 * ca.fmax(x, 0) - 5 * ca.fmin(x, 0), 0))
    equations = model.equations()
    at = Evaluation(equations)
    at.start()
    expected = pytest.approx(np.array([[0, -stiffness / 2], [1, 0]]), abs=1e-15)
    assert changes_of(at)[:, :2] == expected
    assert linearize(equations, unsteady=True).state_matrix == expected


def test_expressions_without_kinks_come_back() -> None:
    expression = ca.sin(X) * Y
    assert kinks.opened(expression) is expression
    assert kinks.parted(expression) == (expression, [])


def seesaw() -> Model:
    """A beam on a pivot with a stop of stiffness 10 N/m below each end, 1 m from the pivot."""
    model = Model("seesaw")
    turning, base = model.rotation("beam"), model.rotation("base", fixed=True)
    pivot = model.point("pivot", (0, 0, 0), fixed=True)
    hinge = model.add(Hinge("hinge", base, turning, axis=(0, 1, 0)))
    hinge.angle.dof("angle", "rate")
    beam = model.add(Body("beam", pivot, turning, mass=1.0, inertia=(1, 1, 1)))
    torque = model.input("torque", unit="N.m", minimum=-1, maximum=1)
    model.moment(turning, [0, ca.fmax(ca.fmin(torque, 1), -1), 0])
    ends = [beam.point("left", (-1, 0, 0)), beam.point("right", (1, 0, 0))]
    for end in ends:
        force = 10 * ca.fmax(-end.position[2], 0)
        model.force(end, [0, 0, force])
        model.output(f"{end.name}.force", force, unit="N")
    left, right = (end.acceleration[2] for end in ends)
    model.output("acceleration", ca.fmax(left, 0) - ca.fmax(right, 0), unit="m/s2")
    return model


@pytest.mark.heavy
@pytest.mark.parametrize("torque", [-1.0, 0.0, 1.0])
def test_stops_at_both_ends_of_a_beam(torque: float) -> None:
    """At rest on both, one of them is pressed whichever way it turns: 10 N.m/rad, not 0 nor 20.

    The ends follow from the angle: only where sides are told by how they move do the stops fit
    together. Beyond its limits the torque acts no more, so that its slope is that from within.
    """
    equations = equations_of(seesaw)
    about = linearize(equations, inputs={"torque": torque}, unsteady=True)
    assert about.state_matrix == pytest.approx(np.array([[0, -10], [1, 0]]), abs=1e-12)
    assert about.input_matrix == pytest.approx(np.array([[1], [0]]), abs=1e-12)
    assert abs(about.output_matrix[:2, 1]).sum() == pytest.approx(10, abs=1e-12)
    at = Evaluation(equations, inputs={"torque": torque})
    at.start()
    changes = changes_of(at)
    assert changes[2:, :2] == pytest.approx(about.output_matrix, abs=1e-12)
    assert changes[:2, 3:4] == pytest.approx(about.input_matrix, abs=1e-12)
    assert not wrong_columns(at, changes)


def test_equilibrium_is_found_from_a_kink() -> None:
    """10 sin φ cos φ = T, sought from where neither stop is pressed."""
    found = equilibrium(equations_of(seesaw), inputs={"torque": 0.5}, progress=False)
    assert found.states["angle"] == pytest.approx(np.arcsin(0.1) / 2, rel=1e-9)


def kinked() -> Model:
    """A point whose place follows a kinked motion, and a mass with kinks in all that acts on it."""
    model = Model("kinked")
    led, mass = model.point("led", (0, 0)), model.point("mass", (0, 0))
    led.x.prescribe(ca.fmax(model.time - 1, 0) + ca.fmin(0, 2 * (model.time - 1)))
    led.y.fix(0.0)
    mass.x.dof("x", "vx")
    mass.y.dof("y", "vy")
    model.add(Body("mass", mass, mass=2.0))
    force = model.input("force", unit="N")
    lag = model.state("lag", unit="m")
    model.derivative("lag", ca.fmin(ca.fmax(mass.x.value, lag), ca.fmax(lag, 2 * mass.y.value)))
    mass.x.law(3 * ca.fmax(0, mass.x.value) + 5 * ca.fmin(mass.x.value, mass.y.value))
    mass.y.law(ca.fmax(mass.y.rate, -mass.x.rate) - ca.fmin(force, lag))
    model.output("led", led.velocity[0], unit="m/s")
    model.output("ahead", ca.fmax(led.position[0], mass.position[0]), unit="m")
    model.output("largest", ca.mmax(ca.vertcat(force, lag, mass.x.value)), unit="1")
    model.output("pull", ca.fmin(mass.acceleration[0], mass.acceleration[1]), unit="m/s2")
    return model


def test_kinks_of_all_that_users_write() -> None:
    """At a point where everything is at a kink; a motion at one goes on as it does afterwards."""
    equations = equations_of(kinked)
    at = Evaluation(equations)
    at.start()
    at.t[0] = 1.0
    at.configure()
    changes = changes_of(at)
    assert at.output()[0] == 1.0
    about = linearize(equations, time=1.0, unsteady=True)
    assert changes[:5, :5] == pytest.approx(about.state_matrix, abs=1e-12)
    assert changes[5:, :5] == pytest.approx(about.output_matrix, abs=1e-12)
    assert changes[5:, 6:] == pytest.approx(about.feedthrough, abs=1e-12)
    # the derivative of the branch: as it is a little way off, along what decides
    away = inwards(equations.assembly.model, equations.known)
    towards = np.array(ca.DM(away)).ravel()
    at.s += 1e-6 * towards[:5]
    at.t += 1e-6 * towards[5]
    at.u += 1e-6 * towards[6:]
    at.configure()
    assert changes_of(at) == pytest.approx(changes, abs=1e-12)


def test_motion_of_an_input_at_its_limit() -> None:
    """Below 1 m a place is the larger of w and 2 w - 1, so w: slopes and velocity are 1 there."""
    model = Model("led")
    rate = model.input("w.rate", 0.25, unit="m/s")
    w = model.input("w", 1.0, unit="m", rate=rate, maximum=1.0)
    led, mass = model.point("led"), model.point("mass")
    led.x.prescribe(ca.fmax(2 * w - 1, w))
    led.y.fix(0.0)
    mass.x.dof("x", "vx")
    mass.y.fix(0.0)
    model.add(Body("mass", mass, mass=2.0))
    model.force(mass, [led.position[0], 0])
    model.output("place", led.position[0], unit="m")
    model.output("velocity", led.velocity[0], unit="m/s")
    equations = model.equations()
    at = Evaluation(equations)
    at.start()
    assert at.output() == pytest.approx([1, 0.25], abs=0)
    expected = [[0, 0.5], [0, 0], [0, 1], [1, 0]]  # vx, x, place, velocity by w.rate, w
    assert changes_of(at)[:, 3:] == pytest.approx(np.array(expected), abs=1e-12)
    about = linearize(equations, unsteady=True)
    found = np.vstack([about.input_matrix, about.feedthrough])
    assert found == pytest.approx(np.array(expected), abs=1e-12)


def test_stops_in_a_held_motion() -> None:
    """Held at many points at once: at the kink, K is 10 N.m/rad, as beside it but for cos 2φ."""
    equations = equations_of(seesaw)
    samples, at = NominalSamples(equations), Evaluation(equations)
    for angle in (0.0, 1e-3, -1e-3):
        at.start({"angle": angle})
        samples.add(at)
    found = samples.matrices().K[:, 0, 0]
    assert found == pytest.approx([10, 10 * np.cos(2e-3), 10 * np.cos(2e-3)], rel=1e-12)


def test_kinks_beside_a_closed_contact() -> None:
    """A box on the floor, pushed against a spring that only resists one way.

    Where contacts are closed, solved accelerations are differentiated as a whole.
    """
    model = Model("box", gravity=(0, -9.81))
    box = model.point("box", (0, 0))
    box.x.dof("x", "vx")
    box.y.dof("y", "vy")
    model.add(Body("box", box, mass=2.0))
    force = model.input("force", unit="N", maximum=5.0)
    push = ca.fmin(5, force) + ca.fmin(0, force) - ca.fmin(force, 0)
    model.force(box, [push, 0])
    box.x.law(8 * ca.fmax(0, box.x.value) - 3 * ca.fmax(-box.x.value, 0))
    unilateral_contact(model, "floor", box.y.value, Impact(0.0))
    model.output("pull", ca.fmin(box.acceleration[0], 0), unit="m/s2")
    equations = model.equations()
    for given in (0.0, 5.0):
        at = Evaluation(equations, inputs={"force": given})
        at.start()
        at.d[[event.kind for event in equations.events].index("closed_contact")] = 1.0
        at.configure()
        assert at.derivative()[1] == 0
        assert not wrong_columns(at, changes_of(at))


@pytest.mark.heavy
@pytest.mark.parametrize("model", [seesaw, kinked])
def test_fmus_of_models_with_kinks(
    model: Callable[[], Model], tmp_path: Path, tools: Tools
) -> None:
    """Directional and adjoint derivatives are those of Python."""
    equations = equations_of(model)
    at = Evaluation(equations)
    at.start()
    right = changes_of(at)
    for path in export(equations, tmp_path, tools=tools):
        with Instance(Archive.of(path), "ModelExchange") as fmu:
            assert fmu.initialize() == OK
            slopes = Slopes(fmu)
            order = [slopes.rows.index(fmu.rate_name(s.name)) for s in equations.states]
            order += [slopes.rows.index(o.name) for o in equations.outputs]
            ns = len(equations.states)
            columns = [*range(ns), *range(ns + 1, ns + 1 + len(equations.inputs))]
            assert slopes.exact()[order] == pytest.approx(right[:, columns], abs=1e-12)
            if fmu.archive.version == "3.0":
                back = slopes.exact(adjoint=True)[order]
                assert back == pytest.approx(right[:, columns], abs=1e-12)


@pytest.mark.heavy
def test_kinks_nested_deeply_take_one_branch() -> None:
    """||...||x| - 1| - 1 ...| - 1 right of x = 0: every second kink is at a tie."""
    x = ca.SX.sym("x")
    wave, deep = x, 40
    for _ in range(deep):
        wave = ca.fmax(wave, -wave) - 1
    slope = ca.Function("slope", [x], [kinks.jtimes(wave, x, ca.SX(1))])
    assert float(slope(0.0)) == (-1) ** (deep + 1)
    assert float(slope(0.3)) == -1
