"""FMU states: what goes on from one gives the same bytes, wherever and whenever it was saved."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from ctypes import byref, c_bool, c_double, c_uint32
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import (
    ERROR,
    NAMES,
    OK,
    ROSENBROCK,
    RUNGE_KUTTA,
    VERSIONS,
    Archive,
    Archives,
    Instance,
    Interface,
    OpenFmu,
)
from tests.fmi.calls.test_fmu_repeatability import EACH, METHODS
from tests.shipped import SHIPPED

METHOD_NAMES = ("runge_kutta", "rosenbrock", "fixed_step")


def save(fmu: Instance) -> bytes:
    """Return the state of an instance as bytes."""
    state = fmu.fmu.getFMUState()
    saved = fmu.fmu.serializeFMUState(state)
    fmu.fmu.freeFMUState(state)
    return bytes(saved)


def restore(fmu: Instance, saved: bytes, time: float) -> Instance:
    """Let an instance go on from a state."""
    state = fmu.fmu.deserializeFMUState(saved)
    fmu.fmu.setFMUState(state)
    fmu.fmu.freeFMUState(state)
    fmu.time = time
    return fmu


def steps(fmu: Instance, begin: int, count: int, seed: int = 1) -> Iterator[bytes]:
    """Make communication steps, each after a random input; give all values after each."""
    _, step, _, driven = SHIPPED[fmu.archive.description.modelName].course
    random = np.random.default_rng((seed, begin))
    for force in random.uniform(-1, 1, count):
        assert fmu.set({driven: float(force)}) == OK
        assert fmu.step(step) == OK, fmu.said
        yield fmu.bytes()


def begun(fmu: Instance, method: int, otherwise: float = 1.0) -> Instance:
    """Initialize as for its course; ``otherwise`` is a factor of the start values."""
    start = {
        name: otherwise * value
        for name, value in SHIPPED[fmu.archive.path.stem].course.start.items()
    }
    assert fmu.initialize(start | {"solver.method": method}) == OK, fmu.said
    return fmu


def exchanged(fmu: Instance, count: int) -> Iterator[bytes]:
    """Make steps of Euler's method with an event wherever the FMU asks for one."""
    step = SHIPPED[fmu.archive.description.modelName].course[1] / 20
    indicators = fmu.archive.description.numberOfEventIndicators
    for _ in range(count):
        states = np.frombuffer(fmu.vector("ContinuousStates", len(fmu.states)))
        before = np.frombuffer(fmu.vector("EventIndicators", indicators))
        fmu.time += step
        assert fmu.move(fmu.time, states + step * np.frombuffer(fmu.rates())) == OK
        after = np.frombuffer(fmu.vector("EventIndicators", indicators))
        if fmu.completed_step() or (before * after <= 0).any():
            assert fmu.call("EnterEventMode") == OK
            assert fmu.leave_event_mode() == OK
        yield fmu.bytes() + fmu.rates()


def go_on(fmu: Instance, begin: int, count: int) -> Iterator[bytes]:
    if fmu.interface == "ModelExchange":
        return exchanged(fmu, count)
    return steps(fmu, begin, count)


@EACH
@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
def test_used_and_new_instances_go_on_alike(
    open_fmu: OpenFmu, name: str, interface: Interface
) -> None:
    """Nothing that later calls depend on may be left as it was in the instance that is restored."""
    one, other = (begun(open_fmu(name, interface), RUNGE_KUTTA, f) for f in (1.0, 0.7))
    list(go_on(other, 100, 7))
    for begin in (0, 3, 10):
        list(go_on(one, begin, begin or 1))
        saved, time = save(one), one.time
        expected = list(go_on(one, begin + 50, 8))
        assert len(set(expected)) == len(expected)
        for follower in (other, open_fmu(name, interface)):
            restore(follower, saved, time)
            assert save(follower) == saved
            assert list(go_on(follower, begin + 50, 8)) == expected
            assert save(follower) == save(one)


@METHODS
def test_trials_are_taken_back(open_fmu: OpenFmu, method: int) -> None:
    fmu, straight = (begun(open_fmu("caster"), method) for _ in range(2))
    state = None
    for begin in range(4):
        state = fmu.fmu.getFMUState() if state is None else state
        time = fmu.time
        list(steps(fmu, begin, 2, seed=2))  # with other inputs
        fmu.fmu.setFMUState(state)
        fmu.time = time
        assert list(steps(fmu, begin, 3)) == list(steps(straight, begin, 3))
        fmu.fmu.freeFMUState(state)
        state = None


def test_a_state_saved_while_initializing(open_fmu: OpenFmu) -> None:
    fmu = open_fmu("caster")
    fmu.enter_initialization({"swivel.angle": 0.2})
    assert fmu.get("strut.deflection") == 0
    saved = save(fmu)
    assert fmu.call("ExitInitializationMode") == OK
    expected = list(steps(fmu, 0, 3))
    other = begun(open_fmu("caster"), ROSENBROCK)
    assert other.step(0.1) == OK
    restore(other, saved, 0.0)
    assert other.set({"swivel.angle": 0.3}) == OK  # still allowed
    assert other.set({"swivel.angle": 0.2}) == OK
    assert other.call("ExitInitializationMode") == OK
    assert list(steps(other, 0, 3)) == expected


def test_states_of_other_fmus_are_refused(open_fmu: OpenFmu) -> None:
    saved = save(begun(open_fmu("vehicle"), RUNGE_KUTTA))
    for fmu, words in (
        (open_fmu("caster"), "another model"),
        (open_fmu("vehicle", "ModelExchange"), "another interface"),
    ):
        before = fmu.initialize() or save(fmu)
        with pytest.raises(Exception, match=r"De[Ss]erialize"):
            fmu.fmu.deserializeFMUState(saved)
        assert words in fmu.said
        assert fmu.messages[-1].status == ERROR
        assert isinstance(before, bytes)


@pytest.mark.parametrize("version", VERSIONS)
@EACH
def test_states_are_declared(archives: Archives, name: str, version: str) -> None:
    description = archives[name, version].description
    for interface in (description.coSimulation, description.modelExchange):
        assert interface.canGetAndSetFMUstate
        assert interface.canSerializeFMUstate


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("name", "start", "step"),
    [
        ("clearance_joint", {"joint.law": 1}, 3e-6),
        ("clearance_joint", {"joint.law": 3, "joint.restitution": 0.6}, 3e-6),
        *(("caster", {"solver.method": method}, 0.01) for method in (1, 2, 3)),
        ("vehicle", {"steer.angle": 0.1, "drive.force": 200.0}, 2e-3),
    ],
    ids=["hertz", "impact", *METHOD_NAMES, "vehicle"],
)
def test_ten_thousand_steps_from_random_times(
    archives: Archives, name: str, start: dict[str, float], step: float
) -> None:
    random = np.random.default_rng(3)
    times = set(random.choice(9000, 5, replace=False).tolist())
    with Instance(archives[name, "3.0"]) as whole, Instance(archives[name, "3.0"]) as other:
        assert whole.initialize(start) == OK, whole.said
        assert other.initialize(start) == OK, other.said
        saved: dict[int, bytes] = {}
        expected = []
        for k, outputs in enumerate(quick_steps(whole, step, 20_000)):
            expected.append(outputs)
            if k + 1 in times:
                saved[k + 1] = save(whole)
        assert len(set(expected)) == len(expected)
        for begin, state in saved.items():
            restore(other, state, begin * step)
            followed = quick_steps(other, step, 10_000, begin)
            assert list(followed) == expected[begin : begin + 10_000]


def quick_steps(fmu: Instance, step: float, count: int, begin: int = 0) -> Iterator[bytes]:
    """Make equal steps of an FMI 3.0 unit; give its real outputs after each, bit for bit."""
    outputs = [v for v in fmu.variables.values() if v.causality == "output"]
    real = [v.valueReference for v in outputs if v.type == "Float64"]
    references, values = (c_uint32 * len(real))(*real), (c_double * len(real))()
    flags, last = [byref(c_bool()) for _ in range(3)], byref(c_double())
    do_step, get = fmu.function("DoStep"), fmu.function("GetFloat64")
    for k in range(begin, begin + count):
        do_step(fmu.fmu.component, k * step, step, c_bool(True), *flags, last)
        get(fmu.fmu.component, references, len(real), values, len(real))
        yield bytes(values)


CONTINUE = """
import sys
from pathlib import Path
from tests.conftest import Archive, Instance
from tests.fmi.calls.test_fmu_state import restore, steps
for file in Path(sys.argv[1]).glob("*.fmu"):
    saved = file.with_suffix(".state").read_bytes()
    with Instance(Archive.of(file)) as fmu:
        restore(fmu, saved, float(file.with_suffix(".time").read_text()))
        file.with_suffix(".continued").write_bytes(b"".join(steps(fmu, 5, 10)))
"""


@pytest.mark.heavy
def test_another_process_goes_on(archives: Archives, tmp_path: Path) -> None:
    expected = {}
    for name in NAMES:
        archive: Archive = archives[name, "3.0"]
        shutil.copy(archive.path, tmp_path)
        with Instance(archive) as fmu:
            list(steps(begun(fmu, RUNGE_KUTTA), 0, 5))
            (tmp_path / f"{name}.state").write_bytes(save(fmu))
            (tmp_path / f"{name}.time").write_text(repr(fmu.time))
            expected[name] = b"".join(steps(fmu, 5, 10))
    here = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[3]), *sys.path])}
    subprocess.run([sys.executable, "-c", CONTINUE, tmp_path], check=True, env=os.environ | here)
    for name in NAMES:
        assert (tmp_path / f"{name}.continued").read_bytes() == expected[name]
