"""A mass matrix that is not finite is named, before it is taken for a singular one."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Body, Model, SimulationError
from mbcore.evaluation.reduced_mass import refuse_singular


def test_mass_that_is_not_finite_names_its_degrees_of_freedom() -> None:
    model = Model("two masses")
    for name in ("left", "right"):
        cart = model.point(name, (0, 0))
        model.add(Body(f"{name} cart", cart, None, mass=1.0))
        cart.y.fix()
        cart.x.dof(f"{name}.x")
    equations = model.equations()
    refuse_singular(np.eye(2), equations)
    with pytest.raises(SimulationError, match=r"not finite in the rows of right\.x_rate; a state"):
        refuse_singular(np.diag([1.0, np.nan]), equations)
