"""Steps that end at the points of a table, where derivatives jump."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mbcore import Body, Equations, Model, ModelError, SimulationError, Table, simulate
from tests.conftest import FURTHER

X = np.linspace(-1, 1, 41)
PERIOD = 5.2
"""Of 1 kg on x + x³ N that swings by 0.8 m, about, s."""


def oscillator(kind: Any, **options: Any) -> Equations:
    """Return the equations of 1 kg on a spring by a table."""
    model = Model("oscillator")
    place = model.point("place", (0, 0))
    place.y.fix()
    table = Table(X, X + X**3, units=("m", "N"), interpolation=kind, name="spring", **options)
    place.x.dof("x", "v", start=0.8).spring(table)
    model.add(Body("mass", place, mass=1.0))
    model.output("energy", model.kinetic_energy + model.potential_energy, unit="J")
    return model.equations()


def drift(equations: Equations, periods: int, backend: Any) -> float:
    """Return the relative change of the energy by equal steps of a 160th of a period."""
    equal: Any = {"method": "DOP853", "max_step": PERIOD / 160, "rtol": 0.5, "atol": 1.0}
    times = [0.0, periods * PERIOD]
    run = simulate(equations, times[-1], samples=times, backend=backend, **equal)
    assert run.events == ()
    return float(abs(run["energy"][-1] / run["energy"][0] - 1))


@pytest.mark.parametrize("kind", ["linear", "monotone"])
def test_steps_end_at_points_in_python(kind: Any) -> None:
    """The energy is constant; without it a period of the linear one loses more than 1e-6."""
    assert drift(oscillator(kind, end_steps=True), 1, "python") < 1e-13
    if kind == "linear":
        assert drift(oscillator(kind), 1, "python") > 1e-6


@pytest.mark.heavy
@pytest.mark.parametrize("periods", [2_500, pytest.param(10_000, marks=FURTHER)])
@pytest.mark.parametrize("kind", ["linear", "monotone", "smooth"])
def test_the_energy_stays(kind: Any, periods: int) -> None:
    """To 1e-9 in 10,000 periods with all three interpolations, in C; it is constant."""
    assert drift(oscillator(kind, end_steps=True), periods, "c") < 1e-9 * periods / 10_000


def test_a_smooth_table_has_no_points_for_steps() -> None:
    """Two derivatives are continuous, and nothing passes the ends; else these are two corners."""
    names = [event.name for event in oscillator("linear", end_steps=True).events]
    assert names == ["spring.points"]
    assert oscillator("smooth", end_steps=True).events == ()
    assert oscillator("linear").events == ()
    assert len(oscillator("smooth", end_steps=True, beyond="hold").events) == 1


def test_a_run_is_told_without_points_and_equations_are_made_again() -> None:
    """Twice the same events, of which no row and no list tells."""
    model = Model("two")
    place = model.point("place", (0, 0))
    place.y.fix()
    model.add(Body("mass", place, mass=1.0))
    spring = place.x.dof("x", "v", start=0.5)
    spring.spring(Table([-1, 0, 1], [-1, 0, 4], end_steps=True, name="spring"))
    first, again = model.equations(), model.equations()
    assert [e.name for e in first.events] == [e.name for e in again.events] == ["spring.points"]
    run = simulate(again, 3.0, backend="python")
    assert run.events == () and np.diff(run.time).min() > 0


@pytest.mark.parametrize("backend", ["python", pytest.param("c", marks=pytest.mark.heavy)])
def test_a_run_that_leaves_a_table_is_told_where(backend: Any) -> None:
    """1 m of a free motion at 2 m/s: after half a second, not at the end of a step beyond."""
    model = Model("sled")
    place = model.point("place", (0, 0))
    place.y.fix()
    place.x.dof("x", "v", rate_start=2.0)
    model.add(Body("mass", place, mass=1.0))
    table = Table([-1, 0, 1], [0, 0, 1], end_steps=True, name="hill")
    model.output("height", table(place.x.value))
    with pytest.raises(SimulationError, match=r"hill, argument = 1 at t = 0\.5: the points"):
        simulate(model.equations(), 3.0, backend=backend)


def test_ending_steps_is_true_or_false() -> None:
    with pytest.raises(ModelError, match=r"table: end_steps = 'yes'; give True or False"):
        Table([0, 1], [0, 1], end_steps="yes")  # type: ignore[arg-type]
