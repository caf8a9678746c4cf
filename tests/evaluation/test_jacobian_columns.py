"""Columns of the Jacobian whose common part is evaluated once, beside differences of rates."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Body, Model, Table
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.jacobian_columns import can_share
from mbcore.host.backend import evaluating
from tests.beam_structures import cantilever


def tracked() -> Equations:
    """Return a body that a force turns back and heats, an auxiliary state."""
    model = Model("tracked")
    place = model.point("place", (0.5, 0.2))
    model.add(Body("body", place, mass=2.0))
    place.x.dof("x", "v", start=0.4)
    place.y.dof("y", "w", start=-0.3).law(3.0 * place.y.value * place.x.value**2 + place.y.rate)
    model.state("heat", place.y.rate**2 - 0.3 * place.x.value * place.x.rate, start=0.1)
    return model.equations()


@pytest.mark.parametrize("equations", [cantilever(2).equations(), tracked()], ids=lambda e: e.name)
def test_columns_are_differences_of_rates(equations: Equations) -> None:
    """Central differences over 2e-6; the same as those that are evaluated one by one."""
    with evaluating("python"):
        e = Evaluation(equations)
        e.start()
        e.s[:] += 0.1 * np.sin(1 + np.arange(e.s.size))
        e.configure()
        one_by_one = e.jacobian()
        while e._columns is None:
            found = e.jacobian()
        state, columns = e.s.copy(), []
        for i in range(e.s.size):
            sides = []
            for step in (1e-6, -1e-6):
                e.s[:] = state
                e.s[i] += step
                e.configure()
                sides.append(e.derivative().copy())
            columns.append((sides[0] - sides[1]) / 2e-6)
        wanted = np.array(columns).T
    assert found == pytest.approx(wanted, rel=1e-6, abs=1e-7 * np.abs(wanted).max())
    assert found == pytest.approx(one_by_one, rel=1e-12, abs=1e-13 * np.abs(wanted).max())


def test_tables_share_nothing() -> None:
    """Their formulas call functions, so that columns are evaluated one by one."""
    model = Model("tabulated")
    place = model.point("place", (0.5, 0))
    place.y.fix()
    model.add(Body("body", place, mass=2.0))
    spring = Table([-1.0, 0.0, 1.0], [-3.0, 0.0, 2.0], units=("m", "N"), name="spring")
    place.x.dof("x", "v", start=0.4).spring(spring)
    assert not can_share(model.equations())
    assert can_share(tracked())
