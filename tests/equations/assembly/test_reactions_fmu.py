"""FMUs give reactions of joints with dependencies and derivatives, as Python does."""

from __future__ import annotations

import numpy as np
import pytest
from fmpy.model_description import read_model_description

from mbcore import Equations, Model, linearize
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi import export
from tests.conftest import OK, VERSIONS, Archive, Instance, Tools
from tests.equations.assembly.test_reactions import arm, links, show

# Two archives are built and compiled: that takes longer than a quick test may.
pytestmark = pytest.mark.heavy

START = {"q0": 0.3, "q1": 0.5, "v0": 0.4, "v1": -0.7, "T0": 2.0, "T1": -1.0}
"""Angles, their rates and torques of an arm of two links in space."""


def driven() -> Model:
    """The arm with torques as inputs, and the force and moment in its second joint as outputs."""
    model, joints = arm(links(2))
    for i, joint in enumerate(joints):
        torque = model.input(f"T{i}", unit="N.m")
        joint.angle.release()
        joint.angle.dof(f"q{i}", f"v{i}").law(-torque)
    show(model, "pin", model.reaction(joints[1], axes=model.elements["body 0"]))
    return model


@pytest.fixture(scope="module")
def equations() -> Equations:
    return driven().equations()


@pytest.fixture(scope="module")
def made(
    equations: Equations, tmp_path_factory: pytest.TempPathFactory, tools: Tools
) -> dict[str, Archive]:
    folder = tmp_path_factory.mktemp("reactions")
    paths = export(equations, folder, tools=tools)
    return {
        version: Archive.of(path, folder / version)
        for version, path in zip(VERSIONS, paths, strict=True)
    }


OUTPUTS = [f"pin.{what}[{i}]" for what in ("force", "moment") for i in range(3)]


@pytest.mark.parametrize("version", VERSIONS)
def test_values_and_derivatives_are_those_of_python(
    made: dict[str, Archive], equations: Equations, version: str
) -> None:
    inputs = {record.name: START[record.name] for record in equations.inputs}
    states = {name: value for name, value in START.items() if name not in inputs}
    about = linearize(equations, states, inputs=inputs, unsteady=True)
    rows = [[o.name for o in equations.outputs].index(name) for name in OUTPUTS]
    known = [*(s.name for s in equations.states), *inputs]
    expected = np.hstack([about.output_matrix, about.feedthrough])[rows]
    with Instance(made[version], "ModelExchange") as fmu:
        assert fmu.initialize(START) == OK, fmu.said
        values = [fmu.get(name) for name in OUTPUTS]
        unknowns = [fmu.reference(name) for name in OUTPUTS]
        found = [
            fmu.fmu.getDirectionalDerivative(unknowns, [fmu.reference(name)], [1.0])
            for name in known
        ]
    assert np.transpose(found) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    point = Evaluation(equations)
    point.u[:] = list(inputs.values())
    point.start(states)
    assert values == pytest.approx(point.output()[rows], rel=1e-12)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_reaction_depends_on_all_states_and_torques(
    made: dict[str, Archive], version: str
) -> None:
    described = read_model_description(str(made[version].path))
    unknowns = {unknown.variable.name: unknown for unknown in described.outputs}
    for name in OUTPUTS:
        dependencies = unknowns[name].dependencies
        # On axes of the first link, whose own angle counts by the direction of gravity.
        assert {"q0", "q1", "v0", "v1", "T0", "T1"} >= {v.name for v in dependencies} > {"T1"}
