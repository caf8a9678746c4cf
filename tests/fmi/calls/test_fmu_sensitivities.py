"""How states at the end of a doStep follow those at its beginning, by an FMU that tells it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fmpy.validation import validate_fmu

from mbcore import ModelError
from mbcore.fmi import Component, Experiment, export
from mbcore.fmi.python.python_flavour import export_python
from tests.conftest import (
    DISCARD,
    FIXED_STEP,
    OK,
    ROSENBROCK,
    RUNGE_KUTTA,
    Archive,
    Instance,
    Tools,
)
from tests.pendulum import pendulum

pytestmark = pytest.mark.heavy

STATES = {"pendulum.rate": 0.4, "pendulum.angle": 0.7}
GIVEN = STATES | {"pivot.torque": 0.3, "bob.mass": 2.0, "pivot.damping": 0.2}
STEP = 0.07


@pytest.fixture(scope="module", params=["2.0", "3.0"], ids=["fmi2", "fmi3"])
def archive(request: pytest.FixtureRequest, shared_archives: dict[str, Archive]) -> Archive:
    return shared_archives[request.param]


@pytest.fixture(scope="module")
def shared_archives(
    tmp_path_factory: pytest.TempPathFactory, tools: Tools
) -> Iterator[dict[str, Archive]]:
    folder = tmp_path_factory.mktemp("sensitivities")
    component = Component(
        name="pendulum",
        description="A pendulum",
        equations=pendulum().equations(),
        experiment=Experiment(stop=2.0, step=0.01),
        sensitivities=True,
    )
    paths = export(component, folder, tools=tools)
    assert not [problem for path in paths for problem in validate_fmu(str(path))]
    yield {archive.version: archive for archive in map(Archive.of, paths)}


def end_of_step(fmu: Instance, method: int, values: dict[str, float]) -> np.ndarray:
    """Return the states after one doStep from the beginning."""
    assert fmu.reset() == OK
    assert fmu.initialize({"solver.method": method} | values) == OK
    assert fmu.step(STEP) == OK
    return fmu.values(STATES)


@pytest.mark.parametrize("method", [FIXED_STEP, RUNGE_KUTTA])
def test_they_are_slopes_of_what_the_method_gives(archive: Archive, method: int) -> None:
    with Instance(archive) as fmu:
        for known, value in GIVEN.items():
            off = 1e-4
            ends = [
                end_of_step(fmu, method, GIVEN | {known: value + k * off}) for k in (-2, -1, 1, 2)
            ]
            slope = (8 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (12 * off)
            end_of_step(fmu, method, GIVEN)
            found = fmu.values(f"step.{state}.by.{known}" for state in STATES)
            # an adaptive method's steps change in length with what varies, by its tolerance
            tight = 1e-9 if method == FIXED_STEP else 1e-5
            np.testing.assert_allclose(found, slope, rtol=tight, atol=tight * abs(slope).max())


def test_there_are_none_before_a_step_across_an_event_or_with_a_jacobian(archive: Archive) -> None:
    name = "step.pendulum.rate.by.pendulum.angle"
    with Instance(archive) as fmu:
        assert fmu.initialize({"solver.method": FIXED_STEP} | GIVEN) == OK
        assert fmu.try_get(name) == DISCARD
        assert f"{name} does not exist" in fmu.said
        assert fmu.step(STEP) == OK
        assert np.isfinite(fmu.get(name))
        assert fmu.step(1.0) == OK
        assert fmu.get("gate.passages") + fmu.get("gate.active") > 0
        assert fmu.try_get(name) == DISCARD
        end_of_step(fmu, ROSENBROCK, GIVEN)
        assert fmu.try_get(name) == DISCARD


def test_the_python_flavour_refuses_them(tmp_path: Path) -> None:
    component = Component("pendulum", "", pendulum().equations(), sensitivities=True)
    with pytest.raises(ModelError, match="Python flavour has none"):
        export_python(component, tmp_path / "none.py", tmp_path)
