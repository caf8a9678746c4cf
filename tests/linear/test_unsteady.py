"""A linearization away from rest and from steady motions says so, with what is unbalanced."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from mbcore import Linearizer, Model, ModelWarning, equilibrium, linearize, root_locus
from mbcore.elements import Body
from mbcore.fmus import rolling_disk
from tests.conftest import equations_of
from tests.pendulum import pendulum

STIFF = 1e10


def hanging(stiffness: float) -> Model:
    """A mass on a spring in the field of gravity."""
    model = Model("hanging", gravity=(0, -9.81))
    p = model.point("p", (0.0, 0.0))
    p.x.fix()
    p.y.dof("y", "y_rate")
    p.y.law(model.parameter("stiffness", stiffness) * p.y.value)
    model.add(Body("load", p, None, mass=1.0))
    return model


def test_the_largest_acceleration_is_named() -> None:
    equations = hanging(50.0).equations()
    said = r"linearize: hanging is not at rest.*d\(y_rate\)/dt is -9\.81;.*unsteady=True"
    with pytest.warns(ModelWarning, match=said):
        linearize(equations)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linearize(equations, unsteady=True)
        linearize(equations, motion="held")
        linearize(equations, {"y": -9.81 / 50})


@pytest.mark.parametrize("stiffness", [1e-3, 50.0, STIFF])
def test_an_equilibrium_is_one_however_stiff(stiffness: float) -> None:
    equations = hanging(stiffness).equations()
    found = equilibrium(equations)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        about = linearize(equations, found.states)
    assert np.abs(about.eigenvalues()) == pytest.approx([np.sqrt(stiffness)] * 2)


def test_a_pendulum_that_swings_through_is_not_steady() -> None:
    equations = pendulum().equations()
    rate, angle = (state.name for state in equations.states[:2])
    with pytest.warns(ModelWarning, match=f"{angle} changes by 1 per second"):
        linearize(equations, {rate: 1.0, angle: 0.0})


def test_what_turns_and_rolls_steadily_is_steady() -> None:
    linearizer = Linearizer(equations_of(rolling_disk.model))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linearizer.at({"disk.lean_rate": 0.0, "disk.pitch_rate": 2.0})
    # (1/4) ψ'' = -(1/2) v φ'
    with pytest.warns(ModelWarning, match=r"d\(disk\.yaw_rate\)/dt is 0\.04;"):
        linearizer.at({"disk.pitch_rate": 2.0})


def test_a_root_locus_tells_where_the_state_is_no_longer_balanced() -> None:
    equations = hanging(50.0).equations()
    about = linearize(equations, equilibrium(equations).states)
    with pytest.warns(ModelWarning, match="d\\(y_rate\\)/dt is 9.81") as told:
        root_locus(about, "stiffness", [50.0, 100.0])  # 100 y + 9.81 = -9.81
    assert len(told) == 1
