"""Directional and adjoint derivatives of the FMUs against a complex step of the equations."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_uint

import numpy as np
import pytest

from mbcore import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi.component import Component, Experiment
from mbcore.fmi.export import export
from mbcore.fmus import caster, clearance_joint
from tests.complex_step import changes
from tests.conftest import (
    DISCARD,
    OK,
    Archive,
    Instance,
    Interface,
    OpenFmu,
    Tools,
    doubles,
    equations_of,
)
from tests.linear import test_friction_modes as modes
from tests.shipped import SHIPPED, component_of, each

PRECISION, ROUNDING = 1e-10, 1e-12
START = {
    "rolling_disk": {"axle.torque": 0.1},
    "vehicle": {"brake.force": 100.0, "load.force_y": 20.0},
}
"""Where the default start has a kink: a magnitude of forces that vanish, a brake let go."""
ASSIGNED = {"iltis": "wheels.speed"}
"""Numbers that an event at the start sets: what follows from them has no derivative until then."""


def references(fmu: Instance, names: Sequence[str]) -> list[int]:
    return [fmu.reference(name) for name in names]


def derivative(
    fmu: Instance,
    unknowns: Sequence[int],
    knowns: Sequence[int],
    seed: Sequence[float],
    adjoint: bool = False,
) -> tuple[int, np.ndarray]:
    """Return the status of a derivative, and what it gives."""
    given = [(c_uint * len(r))(*r) for r in (unknowns, knowns)]
    result = doubles([np.nan] * len(knowns if adjoint else unknowns))
    pairs = [given[0], len(unknowns), given[1], len(knowns)]
    if fmu.archive.version == "2.0":
        status = fmu.call("GetDirectionalDerivative", *pairs, doubles(seed), result)
    else:
        name = "GetAdjointDerivative" if adjoint else "GetDirectionalDerivative"
        sized = [doubles(seed), len(seed), result, len(result)]
        status = fmu.call(name, *pairs, *sized)
    return status, np.array(result)


def jacobian(fmu: Instance, unknowns: Sequence[int], knowns: Sequence[int]) -> np.ndarray:
    """Return the derivatives, column by column."""
    columns = []
    for known in knowns:
        status, column = derivative(fmu, unknowns, [known], [1.0])
        assert status == OK, fmu.said
        columns.append(column)
    return np.column_stack(columns)


def transposed(fmu: Instance, unknowns: Sequence[int], knowns: Sequence[int]) -> np.ndarray:
    """Return the adjoint derivatives, row by row."""
    rows = []
    for unknown in unknowns:
        status, row = derivative(fmu, [unknown], knowns, [1.0], adjoint=True)
        assert status == OK, fmu.said
        rows.append(row)
    return np.array(rows)


def known_names(equations: Equations) -> list[str]:
    """Names of (s, t, u, p)."""
    records = [*equations.inputs, *equations.parameters]
    return [s.name for s in equations.states] + ["time"] + [r.name for r in records]


def real(fmu: Instance, name: str) -> bool:
    return fmu.variables[name].type in ("Real", "Float64")


def python_values(fmu: Instance, equations: Equations) -> np.ndarray:
    """Return all changes of rates and outputs at the FMU's point, by a complex step."""
    at = Evaluation(
        equations,
        {record.name: fmu.get(record.name) for record in equations.parameters},
        {record.name: fmu.get(record.name) for record in equations.inputs},
    )
    at.start()
    at.t[:] = fmu.get("time")
    at.s[:] = fmu.values(record.name for record in equations.states)
    at.d[:] = fmu.values(record.name for record in equations.discretes)
    at.configure()
    point = [at.t, at.s, at.d, at.u, at.p, at.x]
    return np.vstack(changes(equations, ("derivative", "output"), point, np.eye(at.variation.size)))


def assert_right(
    fmu: Instance, equations: Equations, initializing: bool = False, least: float = 1e-2
) -> None:
    """Compare all derivatives at the present point.

    ``least`` is the size of derivatives that may cancel each other, which leaves rounding errors.
    """
    right = python_values(fmu, equations)
    names = known_names(equations)
    by_fixed = initializing or fmu.archive.version == "3.0"
    columns = [
        i
        for i, name in enumerate(names)
        if real(fmu, name)
        and (by_fixed or fmu.variables[name].variability != "fixed")
        and not (initializing and fmu.variables[name].initial == "calculated")
    ]
    rates = [unknown.variable.name for unknown in fmu.archive.description.derivatives]
    rows = rates + [output.name for output in equations.outputs]
    kept = [i for i, name in enumerate(rows) if name in fmu.variables and real(fmu, name)]
    right = right[kept]
    if initializing:
        for i, state in enumerate(equations.states):
            if state.start_input is not None:
                right[:, names.index(state.start_input)] += right[:, i]
    right = right[:, columns]
    unknowns = references(fmu, [rows[i] for i in kept])
    knowns = references(fmu, [names[i] for i in columns])
    found = jacobian(fmu, unknowns, knowns)
    sizes = {state.name: state.nominal for state in equations.states}
    sizes |= {p.name: abs(p.value) or 1.0 for p in equations.parameters}
    size = np.array([sizes.get(names[i], 1.0) for i in columns])
    largest = np.abs(right * size).max(axis=1, keepdims=True, initial=least)
    allowed = PRECISION * np.abs(right) + ROUNDING * largest / size
    wrong = np.argwhere(~(np.abs(found - right) <= allowed))
    assert not [(rows[kept[i]], names[columns[j]], found[i, j], right[i, j]) for i, j in wrong]
    if fmu.archive.version == "3.0":
        back = transposed(fmu, unknowns, knowns)
        assert (np.abs(back - right) <= allowed).all()


@pytest.mark.parametrize("name", each("vehicle", "clearance_joint"))
def test_derivatives_at_rest_and_after_a_run(name: str, open_fmu: OpenFmu) -> None:
    equations = equations_of(SHIPPED[name].model)
    fmu = open_fmu(name)
    fmu.enter_initialization(START.get(name, {}))
    if name in ASSIGNED:
        known, unknown = fmu.states[0], fmu.rate_name(fmu.states[0])
        arguments = references(fmu, [unknown]), references(fmu, [known]), [1.0]
        assert derivative(fmu, *arguments)[0] == DISCARD
        assert f"an event at the start sets {ASSIGNED[name]}" in fmu.said
    else:
        assert_right(fmu, equations, initializing=True)
    assert fmu.call("ExitInitializationMode") == OK
    assert_right(fmu, equations)
    for steps in (7, 30):
        fmu.run(fmu.time + steps * 1e-4, 1e-4)
        before = fmu.bytes()
        assert_right(fmu, equations)
        assert fmu.bytes() == before


def test_modes_change_derivatives(open_fmu: OpenFmu) -> None:
    """In contact and free: the indicator's mode decides, on both sides of an event."""
    equations = equations_of(clearance_joint.model)
    fmu, contacts = open_fmu("clearance_joint"), set()
    assert fmu.initialize({"joint.x": 4.9e-4}) == OK
    for _ in range(6):
        fmu.run(fmu.time + 2e-4, 1e-4)
        contacts.add(fmu.get("joint.in_contact"))
        assert_right(fmu, equations)
    assert contacts == {0.0, 1.0}


def test_what_an_event_assigns_at_the_start_has_no_derivative_yet(open_fmu: OpenFmu) -> None:
    """The speed of an impact is fixed where contact begins, so the force is not smooth in it."""
    fmu = open_fmu("clearance_joint")
    fmu.enter_initialization({"joint.x": 6e-4, "joint.x_rate": 0.05})
    arguments = references(fmu, ["joint.force"]), references(fmu, ["joint.x_rate"]), [1.0]
    assert derivative(fmu, *arguments)[0] == DISCARD
    assert "an event at the start sets joint.impact" in fmu.said
    assert fmu.call("ExitInitializationMode") == OK
    assert derivative(fmu, *arguments)[0] == OK


def test_a_start_value_by_its_parameter(open_fmu: OpenFmu) -> None:
    """The rate of a place by the speed is the heading's cosine; what is overruled has no effect."""
    fmu = open_fmu("vehicle")
    fmu.enter_initialization({"start.chassis.speed": 12.0, "chassis.yaw": 0.3})
    unknowns = references(fmu, [fmu.rate_name("chassis.x")])
    for name, right in (("start.chassis.speed", np.cos(0.3)), ("start.chassis.yaw", 0.0)):
        status, found = derivative(fmu, unknowns, references(fmu, [name]), [1.0])
        assert status == OK, fmu.said
        assert found == pytest.approx(right, abs=1e-12)


RUBBING = {"swivel.friction": 0.5, "swivel.preload": 0.02}
CASTER = {
    "slides": (1, {"swivel.angle": -0.1}),
    "slides back": (-1, {"swivel.angle": 0.1}),
    "sticks": (0, {"swivel.angle": 0.0, "attachment.speed": 0.0}),
}
"""The way in which the swivel turns, and the start."""


@pytest.mark.heavy
@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("mode", CASTER)
def test_modes_of_friction_in_the_swivel(
    open_fmu: OpenFmu, mode: str, interface: Interface
) -> None:
    way, start = CASTER[mode]
    fmu = open_fmu("caster", interface)
    assert fmu.initialize({**RUBBING, **start}) == OK, fmu.said
    assert np.sign(fmu.get("swivel.rate")) == way
    assert fmu.get("swivel.friction.sticks") == (way == 0)
    assert_right(fmu, component_of(caster).equations)


JOINTED = {
    name: (modes.MODES[name].state, {**modes.MODES[name].parameters}, modes.MODES[name].sticks)
    for name in modes.MODES
    if modes.MODES[name].make is modes.jointed
}


@pytest.fixture(scope="module")
def jointed_fmus(tmp_path_factory: pytest.TempPathFactory, tools: Tools) -> dict[str, Archive]:
    """Two joints that rub, as FMUs of both versions."""
    folder = tmp_path_factory.mktemp("jointed")
    component = Component("jointed", "Two joints that rub", modes.jointed(), Experiment(1.0, 0.01))
    archives = [Archive.of(path) for path in export(component, folder, tools=tools)]
    return {archive.version: archive for archive in archives}


@pytest.mark.heavy
@pytest.mark.parametrize("interface", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("name", JOINTED)
def test_modes_of_friction_in_two_joints(
    jointed_fmus: dict[str, Archive], version: str, interface: Interface, name: str
) -> None:
    state, parameters, sticks = JOINTED[name]
    with Instance(jointed_fmus[version], interface) as fmu:
        assert fmu.initialize({**state, **parameters}) == OK, fmu.said
        found = {joint for joint in ("shoulder", "elbow") if fmu.get(f"{joint}.sticks") == 1}
        assert found == set(sticks)
        # Without friction the accelerations change by tens of rad/s² for each rad.
        assert_right(fmu, modes.jointed(), least=10.0)
