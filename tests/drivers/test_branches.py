"""Branches of equilibria and steady motions of FMUs, against equations and closed forms."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import mbcore
from mbcore import Model, ModelError, SimulationError
from mbcore.drivers.fmu_driver import FmuDriver
from mbcore.equations.equations import Equations
from mbcore.fmi import export
from mbcore.vibration import Equilibria, SteadyMotions, continuation
from tests.built import hastily
from tests.drivers.foreign import foreign


@pytest.fixture(scope="module")
def snap() -> Equations:
    """Return ẍ = u + x - x³ - ẋ/2, whose equilibria fold at u = ±2/(3 √3), and y' = ẋ."""
    model = Model("snap")
    push = model.input("push", unit="N")
    point = model.point("point", (0, 0))
    point.y.fix()
    point.x.dof("x", "v", start=-1.0)
    model.add(mbcore.Body("mass", point, mass=1.0))
    x = point.x.value
    model.force(point, (push + x - x**3 - point.x.rate / 2, 0))
    model.output("cube", x**3)
    return model.equations()


@pytest.fixture(scope="module")
def snapping(snap: Equations, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FmuDriver]:
    with hastily():
        (file,) = export(snap, tmp_path_factory.mktemp("snap"), fmi="3.0")
    with FmuDriver(file) as driver:
        yield driver


@pytest.mark.heavy  # an export and a process
def test_equilibria_of_an_fmu_pass_a_fold_as_its_equations_do(
    snap: Equations, snapping: FmuDriver
) -> None:
    given = ("push", (-1.0, 1.0))
    found = continuation(Equilibria(snapping), *given, progress=False)
    own = continuation(Equilibria(snap), *given, progress=False)
    assert [event.kind for event in found.events] == [event.kind for event in own.events]
    folds = [event.value for event in found.events if event.kind == "fold"]
    assert np.sort(folds) == pytest.approx([-2 / 27**0.5, 2 / 27**0.5], abs=1e-8)
    x, push = found.columns.along("x"), found.columns.values
    np.testing.assert_allclose(push + x - x**3, 0.0, atol=1e-9)
    np.testing.assert_allclose(found.columns.along("cube"), x**3, atol=1e-9)
    stiffness = 3 * x**2 - 1
    product = np.prod(found.columns.exponents, axis=1)
    np.testing.assert_allclose(product, stiffness, atol=1e-8)
    clear = np.abs(stiffness) > 1e-6  # elsewhere than at the folds
    np.testing.assert_array_equal(found.columns.stable[clear], stiffness[clear] > 0)


@pytest.mark.heavy  # a process
def test_an_output_varies_and_the_input_that_it_takes_is_found(snapping: FmuDriver) -> None:
    # x³ is given, so the force is x³ - x
    family = SteadyMotions(snapping, find=["push"])
    found = continuation(family, "cube", (-1.0, 1.0), progress=False)
    x = np.cbrt(found.columns.values)
    np.testing.assert_allclose(found.columns.along("x"), x, atol=1e-8)
    with pytest.raises(ModelError, match="it varies; leave it out among the conditions"):
        continuation(SteadyMotions(snapping, {"cube": 1.0}, ["push"]), "cube", (0.0, 1.0))


@pytest.mark.heavy  # a process
def test_mistakes_are_named(snapping: FmuDriver) -> None:
    with pytest.raises(ModelError, match="'pull' is neither a parameter nor an input"):
        continuation(Equilibria(snapping), "pull", (0.0, 1.0))
    with pytest.raises(ModelError, match="no state 'z'"):
        continuation(Equilibria(snapping, {"z": 1.0}), "push", (0.0, 1.0))
    with mbcore.driver(foreign("DAHLQUIST")) as driver, pytest.raises(SimulationError):
        # the only equilibrium is zero for any k, so that x cannot be 1
        continuation(SteadyMotions(driver, {"x": 1.0}), "k", (1.0, 2.0))
