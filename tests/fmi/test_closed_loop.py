"""Closed loops of FMUs and controllers in Python: sampling, holding, delays, refusals, cleanup."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import control
import numpy as np
import pytest

from mbcore import Body, Model, ModelError, ModelWarning, SimulationError
from mbcore.fmi import CoSimulation, LoopOptions, closed_loop, export
from mbcore.fmi.running.cosimulation import RETURNS
from tests.conftest import Tools

MASS, PERIOD = 2.0, 0.1
STATES = ("cart.place", "cart.speed")
START = {"cart.place": 1.0, "cart.speed": -0.3}
A = np.array([[1.0, PERIOD], [0.0, 1.0]])
B = np.array([PERIOD**2 / 2, PERIOD]) / MASS
DEAD_BEAT = MASS * np.array([1 / PERIOD**2, 1.5 / PERIOD])
"""K for which (A - B K)² = 0: the poles of the sampled double integrator are at zero."""
FURTHEST, FAST = 100.0, 50.0

Call = Callable[..., Any]


def cart() -> Model:
    """Return m ẍ = force + wind on a straight rail, which counts its passages at x = 0.5."""
    model = Model("cart")
    point = model.point("cart", (0.0, 0.0))
    point.y.fix()
    point.x.dof(*STATES)
    force = model.input("push.force", 0.0, unit="N", description="by the controller")
    wind = model.input("wind", 0.0, unit="N")
    model.add(Body("body", point, mass=MASS))
    model.force(point, (force + wind, 0.0))
    place = point.position[0]
    model.output("force.felt", force + wind, unit="N")
    model.output("is.right", place > 0, kind="boolean")
    passages = model.discrete("passages", kind="integer")
    model.event("half", 0.5 - place, band=1e-9, rising={"passages": passages + 1})
    model.require("calm", 10.0 - wind, "no start in a storm", shown=wind, initial=True)
    model.require("rail", FURTHEST - place, "the rail has an end", shown=place)
    return model


@pytest.fixture(scope="module")
def fmus(tmp_path_factory: pytest.TempPathFactory, tools: Tools) -> dict[str, Path]:
    paths = export(cart().equations(), tmp_path_factory.mktemp("cart"), tools=tools)
    return {path.parent.name: path for path in paths}


@pytest.fixture(params=["fmi2", "fmi3"])
def fmu(request: pytest.FixtureRequest, fmus: dict[str, Path]) -> Path:
    return fmus[request.param]


@pytest.fixture
def fmi3(fmus: dict[str, Path]) -> Path:
    return fmus["fmi3"]


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """See that no temporary folder stays, whatever a run came to."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield
    assert list(tmp_path.iterdir()) == []


def dead_beat(time: float, measured: Mapping[str, float]) -> dict[str, float]:
    return {"push.force": -float(DEAD_BEAT @ [measured[name] for name in STATES])}


def run(fmu: Path, controller: Any = dead_beat, **given: Any) -> Any:
    usual = {"sample_time": PERIOD, "until": 5 * PERIOD, "start": START, "measurements": STATES}
    own = {field.name for field in fields(LoopOptions)} & given.keys()
    options = LoopOptions(**{name: given.pop(name) for name in own})
    return closed_loop(fmu, controller, **(usual | given), options=options)


def table(found: Any) -> np.ndarray:
    return np.column_stack([found[name] for name in STATES])


def test_dead_beat_rests_after_two_samples(fmu: Path) -> None:
    found = run(fmu)
    assert found.time == pytest.approx(PERIOD * np.arange(6), abs=1e-15)
    start = np.array([*START.values()])
    assert table(found)[1] == pytest.approx((A - np.outer(B, DEAD_BEAT)) @ start, abs=1e-12)
    assert np.abs(table(found)[2:]).max() < 1e-12
    assert found["push.force"][0] == pytest.approx(-DEAD_BEAT @ start, abs=1e-12)
    assert np.array_equal(found["force.felt"], found["push.force"])
    assert found.units["push.force"] == "N" and found.units["cart.place"] == "m"
    assert found.descriptions["push.force"] == "by the controller"
    assert list(found)[:3] == ["push.force", *STATES]


def held(parts: list[tuple[float, float]], state: np.ndarray) -> np.ndarray:
    """Return the state after constant forces, each for some time, by hand."""
    for force, time in parts:
        place, speed = state
        acceleration = force / MASS
        state = np.array(
            [place + speed * time + acceleration * time**2 / 2, speed + acceleration * time]
        )
    return state


@pytest.mark.parametrize("late", [0.0, 0.3, 1.0, 1.6, 2.0])
def test_commands_come_late(fmi3: Path, late: float) -> None:
    gain = np.array([3.0, 2.0])
    found = run(
        fmi3,
        lambda t, y: {"push.force": -float(gain @ [y[n] for n in STATES])},
        delay=late * PERIOD,
        until=8 * PERIOD,
        start={**START, "push.force": 0.7},
    )
    whole = int(late)
    rest = (late - whole) * PERIOD
    state, forces, expected = np.array([*START.values()]), [], []
    for k in range(9):
        expected.append(state)
        forces.append(-float(gain @ state))
        before, after = (forces[i] if i >= 0 else 0.7 for i in (k - whole - 1, k - whole))
        state = held([(before, rest), (after, PERIOD - rest)], state)
    at_samples = [np.argmin(np.abs(found.time - k * PERIOD)) for k in range(9)]
    assert table(found)[at_samples] == pytest.approx(np.array(expected), abs=1e-12)


def test_a_discrete_system_of_python_control_with_a_state_of_its_own(fmu: Path) -> None:
    observer = np.array([[0.4, 0.1], [-0.3, 0.8]])
    gain, direct = np.array([[2.0, -1.0]]), np.array([[-4.0, -3.0]])
    system = control.ss(
        observer,
        0.1 * np.eye(2),
        gain,
        direct,
        PERIOD,
        inputs=["cart_place", "cart_speed"],
        outputs=["push_force"],
    )
    found = closed_loop(fmu, system, until=10 * PERIOD, start=START)
    # the same loop as one matrix
    loop = np.block([[A + np.outer(B, direct), np.outer(B, gain)], [0.1 * np.eye(2), observer]])
    state = np.array([*START.values(), 0.0, 0.0])
    for row in table(found):
        assert row == pytest.approx(state[:2], abs=1e-12)
        state = loop @ state


def test_transfer_functions_are_taken_as_well(fmi3: Path) -> None:
    lead = control.tf(
        [-8.0, 7.0], [1.0, -0.2], PERIOD, inputs=["cart_place"], outputs=["push_force"]
    )
    found = closed_loop(fmi3, lead, until=4 * PERIOD, start=START)
    places, forces = found["cart.place"], found["push.force"]
    # u_k = 0.2 u_(k-1) - 8 y_k + 7 y_(k-1)
    assert forces[0] == pytest.approx(-8 * places[0])
    assert forces[1:] == pytest.approx(0.2 * forces[:-1] - 8 * places[1:] + 7 * places[:-1])


def test_events_inputs_from_outside_and_rows_between(fmu: Path) -> None:
    found = run(
        fmu,
        lambda t, y: {"push.force": -4.0},
        start={"cart.place": 1.0},
        until=0.95,
        rows=4,
        inputs={"wind": lambda t: 2.0 if t > 0.5 - 1e-9 else 0.0},
        outputs=["passages", "is.right"],
    )
    # x = 1 - t² until 0.5 s, then v' = -1
    early, late = found.time <= 0.5, found.time >= 0.5
    t = found.time[late] - 0.5
    assert found["cart.place"][early] == pytest.approx(1 - found.time[early] ** 2, abs=1e-10)
    assert found["cart.place"][late] == pytest.approx(0.75 - t - t**2 / 2, abs=1e-10)
    assert found.time[:3] == pytest.approx([0, PERIOD / 4, PERIOD / 2])
    assert found.time[-1] == 0.95
    assert found["passages"][[0, -1]] == pytest.approx([0, 1])
    assert list(found) == ["push.force", "wind", *STATES, "passages", "is.right"]


@pytest.mark.parametrize(("delay", "last"), [(0.0, 3.0), (0.4 * PERIOD, 3.0), (0.7 * PERIOD, 2.0)])
def test_the_end_between_samples_has_the_inputs_of_its_time(
    fmi3: Path, delay: float, last: float
) -> None:
    """Ends at 2.4 T: wind is that of the end, the command the one that is due until then."""
    until = 2.4 * PERIOD
    found = run(
        fmi3,
        lambda t, y: {"push.force": round(t / PERIOD) + 1.0},
        inputs={"wind": lambda t: 10 * t},
        until=until,
        delay=delay,
    )
    assert found.time[-1] == until
    assert found["wind"] == pytest.approx(10 * found.time)
    assert found["push.force"][-1] == last
    assert found["force.felt"][-1] == pytest.approx(last + 10 * until)


def test_initialization_sees_an_input_s_own_beginning(fmi3: Path) -> None:
    """Of an input that is in ``start`` as well, which alone would be refused."""
    found = run(fmi3, start={**START, "wind": 50.0}, inputs={"wind": lambda t: 1.0 + t})
    assert found["wind"][0] == 1.0
    with pytest.raises(SimulationError, match="no start in a storm"):
        run(fmi3, start={**START, "wind": 50.0})


def test_a_moment_is_saved_with_its_time(fmu: Path) -> None:
    with CoSimulation(fmu, START) as plant:
        plant.set({"push.force": 3.0})
        plant.advance(0.3)
        saved = plant.saved()
        plant.advance(0.7)
        there = plant.get(STATES)
        plant.restore(saved)
        assert plant.time == 0.3
        plant.advance(0.7)
        assert plant.get(STATES) == there
        plant.forget(saved)


@pytest.mark.parametrize("sample_time", [1.0, 1e12])
def test_a_sample_may_be_longer_than_the_run(fmi3: Path, sample_time: float) -> None:
    found = run(fmi3, lambda t, y: {"push.force": 4.0}, sample_time=sample_time, until=0.5)
    assert found.time.tolist() == [0.0, 0.5]
    assert table(found)[-1] == pytest.approx(held([(4.0, 0.5)], np.array([*START.values()])))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"push.force": "1 N"}, r"FMU cart: push\.force = '1 N'; give a number"),
        ({"push.force": None}, r"FMU cart: push\.force = None"),
        ({"solver.method": 1.5}, r"solver\.method = 1\.5, and it is of type .*; give a whole num"),
    ],
)
def test_values_that_make_no_sense(fmi3: Path, values: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message), CoSimulation(fmi3, values):
        pass


def test_a_run_ends_where_it_is_told_to(fmi3: Path) -> None:
    seen: list[float] = []

    def controller(time: float, measured: Mapping[str, float]) -> dict[str, float]:
        seen.append(time)
        return {"push.force": 0.0}

    found = run(fmi3, controller, stop=lambda t, y: y["cart.place"] < 0.93)
    assert len(seen) == 3 and found.time[-1] == pytest.approx(3 * PERIOD)
    assert found.statistics["samples"] == 3


@pytest.mark.heavy
def test_an_fmu_may_be_made_on_the_way(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys.modules["mbcore.fmi.closed_loop"],
        "export",
        lambda source, folder, fmi: export(source, folder, fmi, tools=tools),
    )
    assert np.abs(table(run(cart().equations()))[2:]).max() < 1e-12  # type: ignore[arg-type]


def test_early_returns_are_gone_on_from(fmi3: Path) -> None:
    with CoSimulation(fmi3, START) as plant:
        whole = plant._fmu.doStep

        def half(time: float, size: float) -> tuple[bool, bool, bool, float]:
            if size < 0.01:
                return whole(time, size)  # type: ignore[no-any-return]
            whole(time, size / 2)
            return False, False, True, time + size / 2

        plant._fmu.doStep = half
        plant.set({"push.force": 3.0})
        plant.advance(0.4)
        expected = held([(3.0, 0.4)], np.array([*START.values()]))
        assert plant.get(STATES) == pytest.approx(expected, abs=1e-12)
        assert plant.time == 0.4
        plant._fmu.doStep = lambda time, size: (False, False, True, time)
        with pytest.raises(SimulationError, match="early again and again"):
            plant.advance(0.5)
        plant._fmu.doStep = lambda time, size: (False, True, False, time + size)
        with pytest.raises(SimulationError, match="asks for the end"):
            plant.advance(0.5)
    assert RETURNS > 2


def test_what_an_fmu_says_is_in_the_error(fmu: Path) -> None:
    with pytest.raises(SimulationError, match=r"cart, t = .* the rail has an end"):
        run(fmu, lambda t, y: {"push.force": 1e4})


@pytest.mark.parametrize(
    ("controller", "message"),
    [
        (lambda t, y: {"push.force": float("nan")}, r"push.force = nan at t = 0 s"),
        (lambda t, y: {"push.force": "much"}, r"push\.force at t = 0 s"),
        (lambda t, y: {"push.forse": 1.0}, r"did you mean 'push.force'\?"),
        (lambda t, y: {"cart.place": 1.0}, r"'cart.place' is not an input"),
        (lambda t, y: {}, "no inputs at all"),
        (lambda t, y: 3.0, r"returns 3.0 at t = 0 s"),
        (lambda t, y: {"push.force": 0.0, "wind": 0.0} if t < 0.15 else {"wind": 0.0}, "differs"),
        (lambda t, y: {"wind": 0.0} if t < 0.15 else {"push.force": 0.0, "wind": 0.0}, "differs"),
        ("full", "give a function"),
    ],
)
def test_answers_that_make_no_sense(fmi3: Path, controller: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        run(fmi3, controller)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sample_time": 0.0}, "sample_time"),
        ({"sample_time": -0.1}, "sample_time"),
        ({"sample_time": float("nan")}, "sample_time"),
        ({"sample_time": None}, "sample_time is missing"),
        ({"until": 0}, "until"),
        ({"delay": -1.0}, "delay"),
        ({"rows": 0}, "rows"),
        ({"stop": 3}, "stop = 3; give a function"),
        ({"tolerance": "x"}, "tolerance = 'x'"),
        ({"measurements": ["cart.plase"]}, r"did you mean 'cart.place'\?"),
        ({"measurements": "cart.place"}, "give a list"),
        ({"outputs": ["nothing"]}, "no variable 'nothing'"),
        ({"start": {"cart.plase": 1.0}}, r"did you mean 'cart.place'\?"),
        ({"start": {"force.felt": 1.0}}, "is calculated"),
        ({"start": {"cart.place": float("nan")}}, "cart.place"),
        ({"inputs": {"winds": 1.0}}, r"did you mean 'wind'\?"),
        ({"inputs": {"wind": float("inf")}}, "wind"),
        ({"inputs": {"wind": lambda t: 0.0 if t < 0.1 else float("nan")}}, "wind"),
        ({"inputs": {"push.force": 1.0}}, "leave it to one of them"),
    ],
)
def test_arguments_that_make_no_sense(fmi3: Path, given: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        run(fmi3, **given)


def test_a_controller_that_fails_says_when_and_why(fmi3: Path) -> None:
    def fails(time: float, measured: Mapping[str, float]) -> dict[str, float]:
        return {"push.force": 1 / 0 if time > 0.25 else 0.0}

    with pytest.raises(SimulationError, match=r"t = 0\.3.*ZeroDivisionError") as caught:
        run(fmi3, fails)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(SimulationError, match=r"did you mean 'cart\.speed'\?"):
        run(fmi3, lambda t, y: {"push.force": y["cart.sped"]})


def test_systems_that_do_not_fit(fmi3: Path) -> None:
    names = {"inputs": ["cart_place"], "outputs": ["push_force"]}
    with pytest.raises(ModelError, match="c2d"):
        closed_loop(fmi3, control.ss([[0.0]], [[1.0]], [[1.0]], [[0.0]], **names), until=1.0)
    discrete = control.ss([[0.0]], [[1.0]], [[1.0]], [[0.0]], 0.1, **names)
    with pytest.raises(ModelError, match=r"made for 0\.1 s"):
        closed_loop(fmi3, discrete, sample_time=0.2, until=1.0)
    other = control.ss([[0.0]], [[1.0]], [[1.0]], [[0.0]], 0.1, inputs=["place"], outputs=["wind"])
    with pytest.raises(ModelError, match=r"no measurement 'place'; did you mean 'cart\.place'\?"):
        closed_loop(fmi3, other, until=1.0)


def test_files_that_are_none(tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.raises(ModelError, match="no FMU"):
        run(Path("nowhere.fmu"))
    broken = tmp_path_factory.mktemp("broken") / "broken.fmu"
    broken.write_bytes(b"no archive")
    with pytest.raises(ModelError, match="cannot be read as an FMU"):
        run(broken)
    with pytest.raises(ModelError, match="give the file"):
        run(3)  # type: ignore[arg-type]


def test_warnings_of_an_fmu_are_told_at_the_end(fmi3: Path) -> None:
    with pytest.warns(ModelWarning, match="FMU cart: it creaks"), CoSimulation(fmi3) as plant:
        for _ in range(3):
            plant._log(1, b"logStatusWarning", b"it creaks")
