"""A motion that reaches a singular configuration never goes on without a word."""

import time

import pytest

from mbcore import Body, Model, SimulationError, Truss, simulate
from mbcore.equations.equations import Equations
from mbcore.evaluation.passage import SingularPassageError

BOTTOM = 0.5919582
"""s: the time a pendulum of 1 m takes from the horizontal to its lowest point, at 9.81 m/s2:
K(sin 45 deg) sqrt(l / g)."""


def pendulum(coordinate: str) -> Model:
    """Return a bob on a rod of 1 m that is released horizontally, with its own coordinate."""
    model = Model("pendulum", gravity=(0, -9.81))
    top, bob = model.point("top", (0, 0), fixed=True), model.point("bob", (1, 0))
    model.add(Truss("rod", top, bob))
    model.add(Body("bob mass", bob, mass=1.0))
    getattr(bob, coordinate).dof("q", "w")
    model.output("energy", model.kinetic_energy + model.potential_energy)
    return model


@pytest.fixture(scope="module")
def by_height() -> Equations:
    return pendulum("y").equations()


@pytest.mark.parametrize(
    ("method", "rtol", "max_step", "within"),
    [
        ("DOP853", 1e-9, float("inf"), 1e-5),
        ("DOP853", 1e-3, float("inf"), 1e-4),
        ("RK45", 1e-6, float("inf"), 1e-4),
        ("Radau", 1e-6, float("inf"), 1e-4),
        ("BDF", 1e-6, float("inf"), 1e-4),
        ("LSODA", 1e-6, float("inf"), 1e-4),
        ("classical", 1e-9, 1e-2, 2e-2),
        ("one_stage", 1e-9, 1e-3, 5e-2),
    ],
)
def test_pendulum_by_its_height_stops_at_its_lowest_point(
    by_height: Equations, method: str, rtol: float, max_step: float, within: float
) -> None:
    with pytest.raises(SingularPassageError, match=r"pendulum: .*rod\.elongation") as error:
        simulate(by_height, 2.0, method=method, rtol=rtol, max_step=max_step)
    assert error.value.time == pytest.approx(BOTTOM, abs=within)


def test_creeping_ends_with_the_state_that_is_fastest() -> None:
    """A spring of 1e18 N/m needs 1e10 steps of an explicit method: nobody waits for that."""
    model = Model("stiff", gravity=(0, -9.81))
    top, bob = model.point("top", (0, 0), fixed=True), model.point("bob", (0, -1))
    rod = model.add(Truss("rod", top, bob))
    model.add(Body("bob mass", bob, mass=1.0))
    bob.x.fix()
    rod.elongation.dof("stretch", "stretch_rate").spring(1e18)
    began = time.perf_counter()
    with pytest.raises(SimulationError, match=r"next to no progress; stretch_rate changes fastest"):
        simulate(model.equations(), 100.0, start={"stretch": 1e-6})
    assert time.perf_counter() - began < 10
