"""Outputs without a derivative: named, with NaN where they have none and nowhere else."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Literal

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Equations, Model, ModelError, ModelWarning, compile_equations, linearize
from mbcore.linear.linearizer import linearizer_of
from mbcore.vibration import AppliedForce, nominal_motion

TOLD = "plate: the output distance has no derivative at this state"
BACKENDS = ("python", "c")


@cache
def plate() -> Equations:
    """A mass of 1 kg on springs of 4 and 9 N/m, its distance from the rest, and its place."""
    model = Model("plate")
    place = model.point("place")
    place.x.dof("x", "vx").spring(4.0, 0.1)
    place.y.dof("y", "vy").spring(9.0, 0.2)
    place.x.law(-model.input("push", unit="N"))
    model.add(Body("mass", place, mass=1.0))
    x, y = place.x, place.y
    model.output("distance", ca.sqrt(x.value**2 + y.value**2), unit="m")
    model.output("place", x.value + 3 * y.value)
    model.output("felt", x.acceleration + x.value)
    return model.equations()


@pytest.mark.parametrize("backend", BACKENDS)
def test_linearize_names_the_output_and_leaves_all_else(backend: Literal["python", "c"]) -> None:
    with pytest.warns(ModelWarning, match=TOLD) as told:
        found = linearize(plate(), backend=backend)
    assert len(told) == 1
    nan = np.nan
    # columns vx, vy, x, y, push; the acceleration is push - 4 x - 0.1 vx
    rows = [[0, 0, nan, nan, 0], [0, 0, 1, 3, 0], [-0.1, 0, -3, 0, 1]]
    np.testing.assert_allclose(found.output, rows, atol=1e-15)
    np.testing.assert_allclose(found.K_d, np.diag([4.0, 9.0]), atol=1e-15)


def test_where_there_is_a_derivative_nothing_is_told() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = linearize(plate(), {"x": 3.0, "y": 4.0}, unsteady=True, backend="python")
    np.testing.assert_allclose(found.output_matrix[0], [0, 0, 0.6, 0.8], atol=1e-15)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_nominal_motion_is_found_beside_it(backend: Literal["python", "c"]) -> None:
    with pytest.warns(ModelWarning, match="plate: the output distance has no derivative at t = 0"):
        nominal = nominal_motion(plate(), 1.0, 8, backend=backend)
    nan = np.nan
    for k in range(8):
        np.testing.assert_allclose(nominal.K[k], np.diag([4.0, 9.0]), atol=1e-15)
        np.testing.assert_allclose(nominal.C[k], np.diag([0.1, 0.2]), atol=1e-15)
        rows = [[0, 0, nan, nan], [0, 0, 1, 3], [-0.1, 0, -3, 0]]
        np.testing.assert_allclose(nominal.output_matrix[k], rows, atol=1e-15)
        by_acceleration = nominal.matrices.output_by_acceleration[k]
        np.testing.assert_allclose(by_acceleration, [[0, 0], [0, 0], [1, 0]], atol=1e-15)
    # x'' + 0.1 x' + 4 x = 0: the exponents are those of each spring
    exponents = np.sort_complex(nominal.exponents(harmonics=3))
    expected = [np.roots([1, 0.1, 4]), np.roots([1, 0.2, 9])]
    np.testing.assert_allclose(exponents, np.sort_complex(np.concatenate(expected)), rtol=1e-9)
    force = AppliedForce(["push"], ["distance"], stiffness=[[1.0]])
    with pytest.raises(ModelError, match="output distance has no derivative in the nominal"):
        nominal.with_forces(force)
    nominal.with_forces(AppliedForce(["push"], ["place"], force=[1.0]))


def test_figures_leave_it_out_and_refuse_it_by_name() -> None:
    pytest.importorskip("control")
    with pytest.warns(ModelWarning, match=TOLD):
        found = linearize(plate(), backend="python")
    gain, _ = found.bode("push").axes
    assert [np.isfinite(line.get_ydata()).all() for line in gain.lines] == [True, True]
    with pytest.raises(ModelError, match="bode, plate: the output distance has no derivative"):
        found.bode("push", "distance")


def test_an_output_without_value_is_named_as_that() -> None:
    model = Model("slope")
    place = model.point("place")
    place.y.fix()
    place.x.dof("x").spring(4.0)
    model.add(Body("mass", place, mass=1.0))
    model.output("direction", 1 / place.x.value)
    with pytest.raises(RuntimeError, match="slope: output direction is inf at t = 0"):
        nominal_motion(model.equations(), 1.0, 8, backend="python")


@pytest.mark.heavy
def test_maps_leave_its_points_to_linearize() -> None:
    equations = plate()
    compile_equations(equations)
    found = linearizer_of(equations).at_many({"x": np.array([0.0, 1.0])}, unsteady=True)
    assert found is not None
    assert found.done.tolist() == [False, True]
