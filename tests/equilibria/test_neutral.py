"""Equilibria with neutral coordinates: these stay where they are, or are refused with a load."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Model, SimulationError, equilibrium
from mbcore.elements import Body, PlanarBeam, PlanarHinge, RigidLink, Truss
from mbcore.fmus import rolling_disk
from tests.conftest import equations_of


def pendulum_on_a_cart(slope: float, push: float = 0.0) -> Model:
    """A cart on a frictionless track, across which gravity acts, with a hanging pendulum."""
    along = np.array([np.cos(slope), np.sin(slope)])
    model = Model("cart", gravity=(9.81 * along[1], -9.81 * along[0]))
    origin, frame = model.point("origin", fixed=True), model.angle("track", fixed=True)
    cart, level = model.point("cart", 0.4 * along), model.angle("level")
    track = model.add(PlanarBeam("rail", origin, frame, cart, level))
    track.elongation.dof("travel", "travel_rate", 0.7)
    arm, bob = model.angle("arm", 0.2), model.point("bob", (0.4 + np.sin(0.2), -np.cos(0.2)))
    hinge = model.add(PlanarHinge("hinge", level, arm))
    hinge.angle.dof("swing", "swing_rate", 0.2)
    model.add(RigidLink("rod", cart, arm, bob))
    model.add(Body("cart body", cart, None, mass=2.0))
    model.add(Body("bob body", bob, arm, mass=1.0, inertia=0.01))
    model.force(cart, push * along)
    return model


@pytest.mark.parametrize(
    "slope", [0.0, 0.262, *(pytest.param(v, marks=pytest.mark.heavy) for v in (0.64, 1.377))]
)
def test_a_cart_stays_and_its_pendulum_hangs(slope: float) -> None:
    model = pendulum_on_a_cart(slope)
    found = equilibrium(model.equations())
    assert found.neutral == ("travel",)
    # it moves by no more than what the pendulum pushes on the way, which is nothing
    assert found.states["travel"] == pytest.approx(0.7, abs=1e-9)
    assert found.residual < 1e-12
    bob = np.array([found.coordinates[f"bob.{axis}"] for axis in "xy"])
    hanging = bob - [found.coordinates[f"cart.{axis}"] for axis in "xy"]
    down = np.array([np.sin(slope), -np.cos(slope)])
    assert hanging / np.linalg.norm(hanging) == pytest.approx(down, abs=1e-12)


def test_a_push_on_the_cart_is_refused_by_name() -> None:
    with pytest.raises(SimulationError, match=r"nothing resists a motion of travel.* 1 on travel"):
        equilibrium(pendulum_on_a_cart(0.64, push=1.0).equations())


@pytest.mark.parametrize("stiffness", [1e2, pytest.param(1e7, marks=pytest.mark.heavy), 1e12])
def test_a_free_ring_contracts_about_its_centre(stiffness: float) -> None:
    """Five points at distance one, joined by springs with rest lengths of a share s more: R = s."""
    model, n, longer = Model("ring"), 5, 1.02
    turn = 2 * np.pi * np.arange(n) / n + 0.3
    places = np.column_stack([3 + np.cos(turn), -2 + np.sin(turn)])
    points = [model.point(f"p{i}", place) for i, place in enumerate(places)]
    for i, p in enumerate(points):
        p.x.dof(f"x{i}", f"x{i}_rate")
        p.y.dof(f"y{i}", f"y{i}_rate")
        for j, q in enumerate(points[:i]):
            side = model.add(Truss(f"{q.name}-{p.name}", q, p))
            length = float(np.hypot(*(places[i] - places[j])))
            side.elongation.release()
            side.elongation.law(stiffness * (side.elongation.value - (longer - 1) * length))
    found = equilibrium(model.equations())
    assert set(found.neutral) == {f"{axis}{i}" for axis in "xy" for i in range(n)}
    for i, angle in enumerate(turn):  # neither moved on nor turned: the smallest way there
        place = [found.states[f"{axis}{i}"] for axis in "xy"]
        expected = [3 + longer * np.cos(angle), -2 + longer * np.sin(angle)]
        assert place == pytest.approx(expected, abs=1e-9)


def test_a_wheel_on_level_ground_stays() -> None:
    found = equilibrium(
        equations_of(rolling_disk.model),
        start={"disk.lean": 0.0, "disk.pitch": 1.3, "disk.yaw": 0.4},
        unstable=True,
    )
    assert set(found.neutral) == {"disk.yaw", "disk.pitch"}
    assert found.states["disk.pitch"] == 1.3 and found.states["disk.yaw"] == 0.4


def test_nothing_resists_and_nothing_pulls() -> None:
    model = Model("free")
    point, angle = model.point("p", (0.3, 0.7)), model.angle("a", 0.5)
    point.x.dof("x", "x_rate")
    point.y.dof("y", "y_rate")
    angle.angle.dof("turn", "turn_rate")
    model.add(Body("body", point, angle, mass=1.0, inertia=1.0))
    found = equilibrium(model.equations())
    assert found.neutral == ("x", "y", "turn")
    assert [found.states[n] for n in found.neutral] == [0.3, 0.7, 0.5]
