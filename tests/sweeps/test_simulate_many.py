"""Many instances in vector lanes, against one instance after the other."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cache, partial
from typing import Any, cast

import numpy as np
import pytest

import mbcore
from mbcore import (
    Body,
    Model,
    ModelError,
    ModelWarning,
    PlanarHinge,
    RigidLink,
    SimulationError,
    simulate_many,
)
from mbcore.codegen.compiler import CompilerError
from mbcore.equations.equations import Equations
from mbcore.examples.contact import joint_friction
from mbcore.examples.rolling import sliding_disk
from mbcore.fmus import bicycle, clearance_joint, rolling_disk, vehicle
from mbcore.host.vectors import VARIABLE, widest
from mbcore.model.nodes.nodes import Point
from mbcore.model.variables import Requirement
from mbcore.native.batch import Batch, Outcome
from mbcore.native.generated import compiles
from tests import oscillators
from tests.conftest import equations_of
from tests.evaluation import test_virtual_power as virtual_power
from tests.fmi.test_parity import ball

many = partial(simulate_many, backend="c")
"""Tests are evaluated in Python where they do not ask for C."""


def pendulum(by_angle: bool = True) -> Model:
    """Return a uniform rod that hangs on a hinge, described by its angle or by its middle's x."""
    model = Model("pendulum", gravity=(0, -9.81))
    length = model.parameter("length", 2.0, unit="m", positive=True)
    torque = model.input("torque", unit="N.m")
    pivot, frame = model.point("pivot", fixed=True), model.angle("frame", fixed=True)
    rod, middle = model.angle("rod"), model.point("middle", (0, -1))
    angle = model.add(PlanarHinge("hinge", frame, rod)).angle
    if by_angle:
        angle.dof("phi", "omega")
    else:
        middle.x.dof("x", "v")
    model.add(RigidLink("arm", pivot, rod, middle, offset=(0, -length / 2)))
    model.add(Body("mass", middle, rod, mass=3.0, inertia=3.0 * length**2 / 12))
    model.moment(rod, torque)
    return model


@pytest.fixture(scope="module")
def hanging() -> Equations:
    return pendulum().equations()


def one_by_one(
    equations: Equations, until: float, starts: dict[str, np.ndarray], rtol: float
) -> list[mbcore.Result]:
    """Return what `simulate` gives of each instance."""
    count = len(next(iter(starts.values())))
    return [
        mbcore.simulate(
            equations,
            until,
            start={name: float(values[k]) for name, values in starts.items()},
            samples=5,
            rtol=rtol,
            atol=rtol / 100,
        )
        for k in range(count)
    ]


def test_pendulums_are_those_of_simulate(hanging: Equations, lanes_only: None) -> None:
    starts = {"omega": np.linspace(-3, 3, 11)}
    found = many(hanging, 2.0, start=starts, samples=5, threads=2)
    assert found.sizes == {"instance": 11, "time": 5}
    for k, run in enumerate(one_by_one(hanging, 2.0, starts, 1e-9)):
        np.testing.assert_allclose(found.phi[k], run["phi"], atol=2e-9)
        np.testing.assert_allclose(found.omega[k], run["omega"], atol=1e-8)
    assert list(found["omega.start"].values) == list(starts["omega"])
    assert (found.error == "").all()


MODELS: dict[str, tuple[Callable[[], Model], str, float]] = {
    "bicycle": (bicycle.model, "bicycle.lean_rate", 0.01),
    "disk": (rolling_disk.model, "disk.yaw_rate", 0.05),
    "vehicle": (vehicle.model, "chassis.speed", 0.5),
}


@pytest.mark.heavy
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("method", ["DOP853", "RK45", "classical"])
def test_shipped_models_are_those_of_simulate(name: str, method: str) -> None:
    make, state, spread = MODELS[name]
    equations = equations_of(make)
    nominal = next(s.start for s in equations.states if s.name == state)
    starts = {state: nominal + spread * np.linspace(-1, 1, 5)}
    tolerance = 1e-9
    options = (
        {"max_step": 1e-3} if method == "classical" else {"rtol": tolerance, "atol": tolerance}
    )
    found = many(equations, 2.0, start=starts, samples=5, method=method, **options)
    for k, run in enumerate(one_by_one(equations, 2.0, starts, 1e-10)):
        for record in equations.states:
            error = np.abs(found[record.name][k] - run[record.name]).max()
            assert error < 100 * tolerance * max(1.0, record.nominal), record.name


@pytest.mark.heavy
def test_no_bit_depends_on_batch_lanes_or_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = 0.3 + 0.01 * np.arange(37)
    found: dict[str, set[bytes]] = {"RK45": set(), "classical": set()}
    for lanes in {1, widest().lanes}:
        monkeypatch.setenv(VARIABLE, str(lanes))
        equations = rolling_disk.model().equations()
        for method, values in found.items():
            options = {"method": method, "rtol": 1e-7, "max_step": 2e-3, "samples": 4}
            for threads, order in ((1, slice(None)), (2, slice(None, None, -1))):
                start = {"disk.pitch_rate": rates[order]}
                run = many(equations, 1.0, start=start, threads=threads, **options)
                values.add(
                    np.stack([run[s.name].values[order] for s in equations.states]).tobytes()
                )
            one = {"disk.pitch_rate": rates[20:21]}
            alone = many(equations, 1.0, start=one, **options)
            assert np.array_equal(alone["disk.lean"].values[0], run["disk.lean"].values[16])
    assert [len(values) for values in found.values()] == [1, 1]


@pytest.fixture
def lanes_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what lanes leave to `simulate` fail."""

    def refuse(task: object, index: int, point: object) -> None:
        raise AssertionError(f"instance {index} is simulated by itself")

    monkeypatch.setattr("mbcore.sweeps.instance_portion.outcome", refuse)


@pytest.mark.heavy
def test_impacts_in_lanes(lanes_only: None) -> None:
    # a ball from 1 m is at the floor after sqrt(2 / g) = 0.4515 s
    heights = np.array([1.0, 5.0, 20.0])
    equations = ball().equations()
    found = many(equations, 0.8, start={"height": heights}, samples=[0.4, 0.8])
    np.testing.assert_allclose(found.height[:, 0], heights - 0.5 * 9.81 * 0.4**2, atol=1e-9)
    fall = np.sqrt(2 / 9.81)
    after, up = 0.8 - fall, 0.7 * 9.81 * fall
    assert found.height[0, 1] == pytest.approx(up * after - 0.5 * 9.81 * after**2, abs=1e-9)
    np.testing.assert_allclose(found.height[1:, 1], heights[1:] - 0.5 * 9.81 * 0.64, atol=1e-9)
    # it lies still after fall (1 + 2 (e + e^2 + ...)) = 5.667 fall, and is closed from then on
    rest = many(equations, 6.0, start={"height": heights[:2]}, samples=[3.0, 6.0])
    np.testing.assert_allclose(rest.height[:, 1], 0, atol=1e-12)
    np.testing.assert_allclose(rest.speed[:, 1], 0, atol=1e-12)


@pytest.mark.heavy
def test_events_between_places_that_are_looked_at_and_a_limit_approached(
    lanes_only: None,
) -> None:
    """Events last 8 ms, in steps of up to half a second: near the ends of these, too.

    A block of equations would be refused near its zero, a limit is not until it is reached.
    """
    model = oscillators.flash()
    point = cast(Point, model.nodes["point"])
    left = 1.14 - point.x.value
    model.requirements.add_record(Requirement("stop", left, "turn back", left, followed=left))
    centres = np.linspace(0.05, 0.95, 64)
    found = many(
        model.equations(),
        1.0,
        start={"v": 1.1},
        parameters={"centre": centres, "half": 0.004},
        samples=[1.0],
    )
    places = oscillators.flashed(centres, 0.004, 1.1)[-1]
    assert places.max() > 1.09  # 4 % of the limit's measure are left
    np.testing.assert_allclose(found.x[:, -1], places, rtol=0, atol=1e-9)


EVENTFUL: dict[str, tuple[Callable[[], Model], str, tuple[float, float], float]] = {
    # model, the state that differs and its range, end: two contacts, a slip that is held from
    # t = 1.2 on, and joints that stick from the start
    "clearance": (clearance_joint.model, "joint.x_rate", (-1e-4, 1e-4), 4e-4),
    "disk": (lambda: sliding_disk.model(sliding_disk.GRIP), "x_rate", (0.5, 2.0), 4.0),
    "crank": (joint_friction.slider_crank, "speed", (1.0, 8.0), 0.5),
}


@cache
def eventful(name: str) -> Equations:
    """Return the equations of such a model, whose functions take seconds to make, once."""
    return EVENTFUL[name][0]().equations()


@pytest.mark.heavy
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("name", EVENTFUL)
def test_contacts_and_friction_as_simulated(name: str, lanes_only: None) -> None:
    """Functions in lanes take most of five to ten seconds to compile, where they are not kept."""
    _, state, ends, until = EVENTFUL[name]
    equations, starts = copy(eventful(name)), {state: np.linspace(*ends, 19)}
    found = many(equations, until, start=starts, samples=5, rtol=1e-9, atol=1e-11)
    few = {state: starts[state][::6]}
    for k, run in enumerate(one_by_one(equations, until, few, 1e-9)):
        assert run.events or name != "clearance"
        for record in equations.states:
            error = np.abs(found[record.name].values[6 * k] - run[record.name])
            assert error.max() <= 1e-7 * max(record.nominal, np.abs(run[record.name]).max())


@pytest.mark.heavy
@pytest.mark.parametrize("method", ["DOP853", "classical"])
def test_events_give_the_same_bits_in_any_lanes(
    method: str, monkeypatch: pytest.MonkeyPatch, lanes_only: None
) -> None:
    """Each width is compiled, by the first of both methods, and runs alone and among others.

    The disk slides until 0.5 to 1.8 s; from then on its slip is held.
    """
    state, until = EVENTFUL["disk"][1], 2.0
    starts = np.linspace(0.3, 1.1, 19)
    options = {"method": method} | ({"max_step": until / 500} if method == "classical" else {})
    found = []
    for lanes in sorted({1, 2, widest().lanes}):
        monkeypatch.setenv(VARIABLE, str(lanes))
        equations = copy(eventful("disk"))  # which knows no lanes yet
        for part in (slice(None), slice(9, 18)):
            run = many(equations, until, start={state: starts[part]}, samples=3, **options)
            values = np.stack([run[record.name].values for record in equations.states])
            found.append(values[:, 9:18] if part == slice(None) else values)
    assert all(np.array_equal(values, found[0]) for values in found)


def test_one_impossible_instance(hanging: Equations) -> None:
    lengths = [1.0, 2.0, -1.0, 4.0]
    with pytest.warns(ModelWarning, match=r"1 of 4 instances have no values.*length"):
        found = many(hanging, 0.1, parameters={"length": lengths}, start={"omega": 0.01})
    assert "length" in str(found.error.values[2])
    assert list(np.isnan(found.phi[:, -1])) == [False, False, True, False]
    for k in (0, 1, 3):  # a rod in small oscillations: ω² = 3 g / (2 l)
        rate = np.sqrt(1.5 * 9.81 / lengths[k])
        assert found.phi[k, -1] == pytest.approx(0.01 / rate * np.sin(0.1 * rate), rel=1e-5)


def chain(links: int) -> Model:
    """Return links of 1 m and 1 kg that hang on each other, the last one with a mass of its own."""
    model = Model("chain", gravity=(0, -9.81))
    last = model.parameter("last.mass", 1.0, unit="kg")
    before, pivot = model.angle("frame", fixed=True), model.point("pivot", fixed=True)
    for k in range(links):
        rod, middle = model.angle(f"rod {k}"), model.point(f"middle {k}", (0, -k - 0.5))
        end, mass = model.point(f"end {k}", (0, -k - 1)), last if k == links - 1 else 1.0
        model.add(PlanarHinge(f"hinge {k}", before, rod)).angle.dof(f"phi{k}", f"omega{k}")
        model.add(RigidLink(f"arm {k}", pivot, rod, middle, offset=(0, -0.5)))
        model.add(RigidLink(f"link {k}", pivot, rod, end, offset=(0, -1)))
        model.add(Body(f"mass {k}", middle, rod, mass=mass, inertia=mass / 12))
        before, pivot = rod, end
    return model


@pytest.mark.heavy
def test_some_instances_meet_a_singular_position(hanging: Equations) -> None:
    # the middle's x says how the rod hangs, up to where it is horizontal; 2 v² > 3 g gets it there
    model = pendulum(by_angle=False)
    equations, speeds = model.equations(), np.array([1.0, 5.0, 2.0, 4.5, 3.0])
    with pytest.warns(ModelWarning, match="2 of 5 instances have no values, .*instance 1"):
        found = many(equations, 2.0, start={"v": speeds}, samples=5)
    beyond = 2 * speeds**2 > 3 * 9.81
    assert list(found.error.values != "") == list(beyond)
    expected = many(hanging, 2.0, start={"omega": speeds}, samples=5)
    np.testing.assert_allclose(found.x[~beyond], np.sin(expected.phi[~beyond]), atol=2e-8)
    alone = many(equations, 2.0, start={"v": speeds[~beyond]}, samples=5)
    assert np.array_equal(alone.x, found.x[~beyond])
    everywhere = many(equations, 2.0, start={"v": speeds}, samples=5, singular="switch")
    assert (everywhere.error == "").all()
    np.testing.assert_allclose(everywhere.x, np.sin(expected.phi), atol=1e-7)


@pytest.mark.heavy
def test_only_runs_that_may_change_coordinates_leave_lanes_early(lanes_only: None) -> None:
    """By the middle's x the measure is cos φ, which falls to 1 - 2 v²/(3 g) = 0.26."""
    equations, start = pendulum(by_angle=False).equations(), {"v": [3.3, 3.2, 3.3, 3.1]}
    found = many(equations, 1.0, start=start, samples=101, singular="stop")
    assert (found.error == "").all()
    steepest = np.sqrt(1 - found.x.values**2).min()  # x = sin φ
    assert steepest == pytest.approx(1 - 2 * 3.3**2 / (3 * 9.81), abs=1e-3)
    with pytest.raises(AssertionError, match="is simulated by itself"):
        many(equations, 1.0, start=start, samples=3, singular="switch")


@pytest.mark.heavy
def test_large_models_are_in_lanes() -> None:
    # so many links that their reduced mass matrix is not compiled
    equations, starts = chain(16).equations(), np.linspace(0.1, 1.0, 5)
    assert not compiles(equations, "mass")
    masses = [1.0, 2.0, 0.0, 0.5, 1.0]
    with pytest.warns(ModelWarning, match="1 of 5 instances have no values, .*instance 2"):
        found = many(
            equations, 0.5, start={"omega0": starts}, parameters={"last.mass": masses}, samples=3
        )
    assert "omega15" in str(found.error.values[2]) or "phi15" in str(found.error.values[2])
    for k in (1, 4):
        run = mbcore.simulate(
            equations,
            0.5,
            start={"omega0": float(starts[k])},
            parameters={"last.mass": masses[k]},
            samples=3,
        )
        np.testing.assert_allclose(found.phi15[k], run["phi15"], atol=1e-8)
        assert not np.array_equal(found.phi15[k], run["phi15"])  # that would be `simulate` itself


def test_inputs_differ_and_may_vary(hanging: Equations) -> None:
    torques = np.array([-1.0, 0.0, 1.0])
    found = many(hanging, 0.01, inputs={"torque": torques})
    np.testing.assert_allclose(found.omega[:, -1], torques / 4 * 0.01, rtol=1e-3)  # J = m l² / 3
    varying = many(hanging, 0.01, start={"omega": [0.0, 0.0]}, inputs={"torque": lambda t: 100 * t})
    np.testing.assert_allclose(varying.omega[:, -1], 100 / 4 * 0.01**2 / 2, rtol=1e-3)


def test_items_are_chosen_by_name() -> None:
    model = Model("cart")
    side, place = model.enumeration("side", ["left", "right"]), model.point("cart")
    model.add(Body("mass", place, mass=2.0))
    place.y.fix()
    place.x.dof("x", "v")
    model.force(place, (2 * side - 3, 0))
    found = simulate_many(
        model.equations(), 1.0, parameters={"side": ["left", "right", 1]}, backend="python"
    )
    np.testing.assert_allclose(found.v[:, -1], [-0.5, 0.5, -0.5], atol=1e-12)


BAD: dict[str, tuple[dict, str]] = {
    "no such state": ({"start": {"speed": [1.0]}}, "no state 'speed'; there is omega, phi"),
    "a parameter as a state": ({"start": {"length": [1.0]}}, "no state 'length'"),
    "lengths": (
        {"start": {"omega": [1.0, 2.0]}, "parameters": {"length": [1.0, 2.0, 3.0]}},
        "different lengths: omega has 2, length has 3",
    ),
    "no array": ({"start": {"omega": 1.0}}, "give an array"),
    "empty": ({"start": {"omega": []}}, "omega is empty"),
    "a table": ({"start": {"omega": np.ones((2, 2))}}, r"omega has the shape \(2, 2\); give one"),
    "a set": ({"start": {"omega": {1.0, 2.0}}}, "omega is a set, which has no order"),
    "threads": ({"start": {"omega": [1.0]}, "threads": 0}, "threads = 0"),
    "a column": (
        {"start": {"omega": [1.0]}, "outputs": ["height"]},
        "simulate_many: no result 'height'",
    ),
    "an option": (
        {"start": {"omega": [1.0]}, "tolerance": 1e-3},
        "simulate_many: simulate has no argument tolerance",
    ),
    "a method": ({"start": {"omega": [1.0]}, "method": "euler"}, "no method 'euler'"),
    "a backend": ({"start": {"omega": [1.0]}, "backend": "gpu"}, "gpu"),
    "a text": ({"start": {"omega": ["fast"]}}, "omega"),
    "an end": ({"start": {"omega": [1.0]}, "until": "long"}, "simulate_many: until = 'long'"),
    "one column": (
        {"start": {"omega": [1.0]}, "outputs": "phi"},
        r"simulate_many: outputs = 'phi'",
    ),
    "two equal times": ({"start": {"omega": [1.0]}, "samples": [0.5, 0.5]}, "t = 0.5 twice"),
    "what is singular": ({"start": {"omega": [1.0]}, "singular": "go"}, "'switch' or 'stop'"),
    "beyond memory": (
        {"start": {"omega": np.zeros(10**6)}, "samples": 10**6},
        "simulate_many: 1000000 instances with their results take .* GiB.*; give a file for them",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_is_refused_by_name(hanging: Equations, name: str) -> None:
    arguments, said = BAD[name]
    with pytest.raises(ModelError, match=said):
        many(hanging, **({"until": 1.0} | arguments))


def test_all_instances_impossible(hanging: Equations) -> None:
    with pytest.raises(SimulationError, match="all 2 instances fail"):
        many(hanging, 1.0, start={"omega": [np.nan, np.inf]})


def test_lanes_that_there_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "3")
    with pytest.raises(ModelError, match=f"{VARIABLE} is '3'"):
        many(pendulum().equations(), 1.0, start={"omega": [1.0]})


def test_without_a_compiler(hanging: Equations, monkeypatch: pytest.MonkeyPatch) -> None:
    starts = {"omega": np.array([0.5, 1.0])}
    expected = many(hanging, 0.5, start=starts)
    found = many(hanging, 0.5, start=starts, backend="python")
    np.testing.assert_allclose(found.phi, expected.phi, atol=1e-9)

    def fails(*_: object, **__: object) -> None:
        raise CompilerError("no C compiler works here")

    monkeypatch.setattr("mbcore.sweeps.instance_portion.batch_of", fails)
    with pytest.warns(UserWarning, match="no C compiler works here; instances are simulated one"):
        found = many(hanging, 0.5, start=starts)
    np.testing.assert_allclose(found.phi, expected.phi, atol=1e-9)


def sliding() -> Equations:
    """Return a mass at constant speed, whose outputs are known, on a rail that ends at 0.75 m."""
    model = Model("slider")
    place = model.point("slider", (0, 0))
    place.y.fix()
    place.x.dof("x", "v", rate_start=0.5)
    model.add(Body("body", place, mass=2.0))
    model.output("half", place.x.value / 2, unit="m")
    model.output("twice", 2 * place.x.value, unit="m")
    model.require("rail", 0.75 - place.x.value, "the rail ends", shown=place.x.value)
    return model.equations()


@pytest.mark.filterwarnings("ignore:.*1 of 2 instances have no values")
def test_an_instance_that_fails_has_no_values_and_one_output_is_evaluated() -> None:
    equations = sliding()
    found = many(equations, 1.0, start={"v": [0.5, 1.0]}, samples=11, progress=False)
    assert np.isnan([found[name].values[1] for name in ("x", "v", "half", "twice")]).all()
    np.testing.assert_allclose(found.x[0], np.linspace(0, 0.5, 11), atol=1e-14)
    for name, factor in (("half", 0.5), ("twice", 2.0)):
        alone = many(equations, 1.0, start={"v": [0.5, -1.0]}, outputs=[name], progress=False)
        np.testing.assert_allclose(alone[name][:, -1], [0.5 * factor, -factor], atol=1e-14)


def test_an_interrupt_keeps_what_is_done(
    hanging: Equations, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mbcore.native.batch.wait", interrupted)
    starts = {"omega": np.linspace(0, 1, 5000)}
    with pytest.warns(ModelWarning, match=r"interrupted; \d+ of 5000 instances have ended"):
        found = many(hanging, 20.0, start=starts)
    there = (found.error == "").values
    assert not there.all()
    assert np.array_equal(there, np.isfinite(found.phi.values[:, -1]))


@pytest.mark.heavy
def test_sweeps_are_in_lanes_by_themselves(hanging: Equations) -> None:
    task = mbcore.simulations(hanging, 1.0, outputs=["phi"], backend="c")
    rates = np.linspace(-1, 1, 600)
    found = mbcore.sweep(task, {"omega": rates}, workers=1)
    expected = many(hanging, 1.0, start={"omega": rates})
    # a portion of one point is simulated by itself
    assert np.mean(found["phi"].values == expected["phi"].values[:, -1]) > 0.9
    np.testing.assert_allclose(found["phi"], expected["phi"][:, -1], atol=1e-8)


@pytest.mark.heavy
def test_lost_accelerations_leave_their_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are wrong by 1e-6 do, and end by name; those that are by 1e-12 stay."""
    starts = {"rate0": np.linspace(-1, 1, 5)}
    passed: list[np.ndarray] = []
    run = Batch.run

    def noted(*arguments: Any, **more: Any) -> tuple[np.ndarray, np.ndarray]:
        rows, outcome = run(*arguments, **more)
        passed.append(outcome)
        return rows, outcome

    monkeypatch.setattr(Batch, "run", noted)
    right = many(virtual_power.arm(True, 0.5).equations(), 0.1, start=starts, samples=3)
    for share, outcome in (1e-12, Outcome.DONE), (1e-6, Outcome.LEFT_TO_HOST):
        wrong = virtual_power.corrupted(virtual_power.arm(True, 0.5).equations(), share)
        if outcome == Outcome.DONE:
            found = many(wrong, 0.1, start=starts, samples=3)
            np.testing.assert_allclose(found.rate2, right.rate2, rtol=1e-8)
        else:
            with pytest.raises(SimulationError, match="lost accuracy"):
                many(wrong, 0.1, start=starts, samples=3)
        assert (passed[-1] == outcome).all()
