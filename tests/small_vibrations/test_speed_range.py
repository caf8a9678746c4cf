"""Nominal motions over a range of speeds are those made one by one."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest

from mbcore import Body, Model, ModelError, PlanarKnifeEdge, RigidLink
from mbcore.equations.equations import Equations
from mbcore.vibration import nominal_motion, nominal_range
from tests.small_vibrations.models import NATURAL, excited_pendulum


@pytest.fixture(scope="module")
def pendulum() -> Equations:
    return excited_pendulum().equations()


def test_motions_between_are_exact(pendulum: Equations) -> None:
    found = nominal_range(pendulum, "omega", (0.2, 4.0), samples=32)
    assert repr(found) == "<nominal motions of excited_pendulum: omega from 0.2 to 4>"
    for ratio in (0.1, 0.4, 0.5, 1.2):
        speed = ratio * NATURAL
        one = nominal_motion(pendulum, 2 * np.pi / speed, 32, {"omega": speed})
        other = found.at(speed)
        assert other.period == one.period
        assert other.time == pytest.approx(one.time)
        assert other.parameters == one.parameters
        for name in "MCKf":
            assert getattr(other, name) == pytest.approx(getattr(one, name), abs=1e-9)
        wanted, solution = one.periodic(8), other.periodic(8)
        for name in ("phi", "height", "angular_acceleration"):
            assert solution.harmonics(name) == pytest.approx(wanted.harmonics(name), abs=1e-8)
    with pytest.raises(ModelError, match="omega = 5"):
        found.at(5.0)
    assert found.at("30 rpm").period == pytest.approx(2.0)


def spinner(motion: ca.SX, model: Model) -> Model:
    """Complete a model of a mass on a spring in a slot of a table whose angle is given."""
    centre, table = model.point("centre", (0, 0), fixed=True), model.angle("table")
    mass = model.point("mass", (1, 0))
    table.angle.prescribe(motion)
    link = model.add(RigidLink("link", centre, table, mass, offset=(1, 0)))
    link.x.dof("x", "v").spring(900.0, 1.0)
    model.add(Body("mass", mass, mass=1.0))
    return model


def test_what_is_no_polynomial_of_the_speed_is_refused() -> None:
    model = Model("spinner")
    speed = model.parameter("speed", 1.0)
    spinner(ca.sin(speed * model.time) / (1 + speed), model)
    equations = model.equations()
    with pytest.raises(ModelError, match=r"is not a polynomial of second degree in speed: at 1\.5"):
        nominal_range(equations, "speed", (1.0, 3.0), samples=16)
    with pytest.raises(ModelError, match=r"no parameter 'velocity'; there is speed"):
        nominal_range(equations, "velocity", (1.0, 3.0))
    with pytest.raises(ModelError, match=r"highest speed = 0\.5"):
        nominal_range(equations, "speed", (1.0, 0.5))
    wrongs: tuple[Any, ...] = ([1.0], 1.0, None, "1 rad/s")
    for wrong in wrongs:
        with pytest.raises(ModelError, match="give the lowest and the highest speed"):
            nominal_range(equations, "speed", wrong)


def test_a_swinging_table_over_speeds() -> None:
    """x'' + x' + (900 - φ'²) x = φ'² for φ = 0.3 sin ωt: mean and second harmonic of φ'²."""
    model = Model("spinner")
    speed = model.parameter("speed", 1.0)
    equations = spinner(0.3 * ca.sin(speed * model.time), model).equations()
    nominal = nominal_range(equations, "speed", (1.0, 30.0), samples=32).at(11.0)
    rate = 0.3 * 11.0 * np.cos(11.0 * nominal.time)
    assert nominal.K[:, 0, 0] == pytest.approx(900.0 - rate**2, abs=1e-9)
    assert nominal.f[:, 0] == pytest.approx(-(rate**2), abs=1e-9)


def test_a_trailing_wheel_over_speeds_is_that_of_each_speed() -> None:
    """Its heading has a first derivative only; the pin goes 0.5 φ + 0.2 sin φ with φ = ωt."""
    model = Model("wheel")
    turn = model.parameter("omega", 2.0) * model.time
    pin, contact = model.point("pin", (0, 0)), model.point("contact", (-0.4, 0))
    wheel = model.angle("wheel")
    pin.x.prescribe(0.5 * turn + 0.2 * ca.sin(turn))
    pin.y.dof("y", "y_rate").spring(40.0, 0.5)
    pin.y.law(-ca.cos(turn))
    wheel.angle.kinematic("heading")
    model.add(RigidLink("trail", pin, wheel, contact))
    model.add(PlanarKnifeEdge("tread", contact, wheel)).longitudinal.release()
    model.add(Body("pin", pin, mass=2.0))
    model.add(Body("wheel", contact, wheel, mass=1.5, inertia=0.05))
    equations = model.equations()
    motions = nominal_range(equations, "omega", (1.0, 6.0), samples=32)
    assert motions.at(2.0).small_motions.mixture is not None
    for speed in (1.5, 4.0):
        one = nominal_motion(equations, 2 * np.pi / speed, 32, {"omega": speed})
        wanted, found = one.periodic(8), motions.at(speed).periodic(8)
        for name in ("y", "y_rate", "heading"):
            assert np.abs(wanted.harmonics(name)).max() > 1e-3
            assert found.harmonics(name) == pytest.approx(wanted.harmonics(name), abs=1e-11)
