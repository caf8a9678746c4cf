"""Periodic solutions of linear equations by harmonic balance, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import jv

from mbcore import Body, Model, ModelError, linearize
from mbcore.small_vibrations import linear_balance
from mbcore.vibration import nominal_motion
from tests.small_vibrations.models import (
    NATURAL,
    excited_pendulum,
    skate,
    swivel_wheel,
    swung_chain,
)

AMPLITUDES = {
    0.1: 0.002525367,
    0.2: 0.010422496,
    0.4: 0.051200466,
    0.5: 0.422628371,
    0.6: 0.150521232,
    0.8: 0.418285001,
}
"""Half ranges of φ of [Schwab2002] (4.19) by ω/ω_0, rad, solved without a multibody formalism."""


@pytest.mark.parametrize("dense", [2500, pytest.param(0, marks=pytest.mark.heavy)])
def test_amplitudes_of_the_excited_pendulum(dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solved directly and by iteration."""
    # [Schwab2002] (4.1), (4.2), (4.3), (4.4), (4.6), (4.7)
    monkeypatch.setattr(linear_balance, "DENSE", dense)
    equations = excited_pendulum().equations()
    for ratio, amplitude in AMPLITUDES.items():
        speed = ratio * NATURAL
        nominal = nominal_motion(equations, 2 * np.pi / speed, 32, {"omega": speed})
        found = nominal.periodic(12)
        assert found.amplitude("phi") == pytest.approx(amplitude, abs=1e-9)


def test_rates_and_accelerations_are_derivatives() -> None:
    speed = 0.5 * NATURAL
    nominal = nominal_motion(
        excited_pendulum().equations(), 2 * np.pi / speed, 64, {"omega": speed}
    )
    found = nominal.periodic(12)
    turning = 1j * speed * np.arange(13)
    angle = found.harmonics("phi")
    assert found.harmonics("phi_rate")[:13] == pytest.approx(turning * angle[:13], abs=1e-12)
    acceleration = found.harmonics("angular_acceleration")
    assert acceleration[:12] == pytest.approx((turning**2 * angle[:13])[:12], abs=1e-9)
    assert found.start["phi"] == pytest.approx(float(found["phi"](0.0)), abs=1e-14)


def test_speeds_and_kinematic_coordinates_take_part() -> None:
    """2 Δv' + Δv/2 = push + pull cos 6t; x follows with cos(a sin 3t) = J_0 + 2 J_2 cos 6t + ..."""
    equations = skate(0.4, 2.0).equations()
    period = 2 * np.pi / 3
    nominal = nominal_motion(equations, period, 32, {"push": 0.1, "pull": 0.7})
    found = nominal.periodic(8)
    driven = 0.7 / (0.5 + 12j)
    expected = np.zeros(9, complex)
    expected[0], expected[2] = 2.0 + 0.2, driven / 2
    assert found.harmonics("v")[:9] == pytest.approx(expected, abs=1e-12)
    gone = float(found["x"](period) - found["x"](0.0))
    wanted = (2.2 * jv(0, 0.4) + driven.real * jv(2, 0.4)) * period
    assert gone == pytest.approx(wanted, abs=1e-9)
    assert float(found["y"](period) - found["y"](0.0)) == pytest.approx(0.0, abs=1e-9)


def test_coordinates_that_may_be_chosen_do_not_make_it_unstable() -> None:
    """The skate's speed decays by c/m = 0.25 1/s, and where it is does not matter."""
    period = 2 * np.pi / 3
    found = nominal_motion(skate().equations(), period, 32).periodic(8, stability=True)
    assert found.multipliers == pytest.approx([1.0, 1.0, np.exp(-0.25 * period)], abs=1e-9)
    assert found.neutral == 2
    assert found.stable


def free_mass(force: str) -> Model:
    """Return a mass on which nothing but a force acts."""
    model = Model("free")
    mass, other = model.point("mass", (0, 0)), model.point("other", (0, 1))
    for point in (mass, other):
        point.y.fix()
        model.add(Body(point.name, point, mass=1.0))
    mass.x.dof("x", "v").law(-model.input(force, unit="N") + 3 * (mass.x.value - other.x.value))
    other.x.dof("X", "V").law(3 * (other.x.value - mass.x.value))
    return model


def test_free_coordinates_have_least_size_where_forces_balance() -> None:
    equations = free_mass("force").equations()
    balanced = {"force": lambda t: np.cos(2 * np.pi * t)}
    found = nominal_motion(equations, 1.0, 16, inputs=balanced).periodic(2)
    square = (2 * np.pi) ** 2
    # (3 - ω²) x - 3 X = 1, (3 - ω²) X - 3 x = 0
    x = (3 - square) / ((3 - square) ** 2 - 9)
    assert 2 * found.harmonics("x")[1] == pytest.approx(x)
    assert found.harmonics("x")[0] == pytest.approx(0.0, abs=1e-12)
    pushed = nominal_motion(equations, 1.0, 16, inputs={"force": 1.0})
    with pytest.raises(ModelError, match=r"nothing resists (x|X) at a frequency at which"):
        pushed.periodic(2)


def test_too_many_harmonics_are_refused() -> None:
    nominal = nominal_motion(skate().equations(), 2 * np.pi / 3, 16)
    with pytest.raises(ModelError, match=r"16 samples determine 7 harmonics, not 8; .*samples=18"):
        nominal.periodic(8)
    for wrong in (0, 2.5, True):
        with pytest.raises(ModelError, match="give a whole number, at least 1"):
            nominal.periodic(wrong)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="no state or output 'z'; there is v, x, y, side"):
        nominal.periodic(4)["z"]


def test_a_steady_motion_answers_as_its_transfer_function() -> None:
    """C (iω - A)⁻¹ B + D, with a kinematic coordinate among the states."""
    equations = swivel_wheel().equations()
    frequency = 7.0
    nominal = nominal_motion(
        equations, 2 * np.pi / frequency, 8, inputs={"side": lambda t: 5.0 * np.cos(frequency * t)}
    )
    found = nominal.periodic(2)
    about = linearize(equations, unsteady=True)
    one = np.eye(len(about.state_names))
    states = np.linalg.solve(1j * frequency * one - about.state_matrix, about.input_matrix)
    outputs = about.output_matrix @ states + about.feedthrough
    for names, values in (
        (about.state_names, states),
        ([record.name for record in equations.outputs], outputs),
    ):
        for name, value in zip(names, values[:, 0], strict=True):
            assert found.harmonics(name)[1] == pytest.approx(2.5 * value, rel=1e-9)


@pytest.mark.heavy
def test_forty_elastic_freedoms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Directly and by iteration; and as four freedoms, whose tip moves as much within 1 %."""
    few, many = (
        nominal_motion(swung_chain(elements).equations(), 2 * np.pi / 5, 32) for elements in (2, 20)
    )
    direct = many.periodic(10)
    assert direct.amplitude("tip") == pytest.approx(few.periodic(10).amplitude("tip"), rel=0.01)
    monkeypatch.setattr(linear_balance, "DENSE", 0)
    iterated = many.periodic(10)
    assert iterated.harmonics("tip") == pytest.approx(direct.harmonics("tip"), abs=1e-7)
    slowest = many.exponents(harmonics=10, count=2)
    assert slowest == pytest.approx(few.exponents(harmonics=10)[:2], rel=0.01)


def test_a_chain_of_beams_by_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    nominal = nominal_motion(swung_chain(1).equations(), 2 * np.pi / 5, 32)
    direct = nominal.periodic(10)
    monkeypatch.setattr(linear_balance, "DENSE", 0)
    monkeypatch.setattr(linear_balance, "_direct", None)  # else it would be taken in silence
    assert nominal.periodic(10).harmonics("tip") == pytest.approx(direct.harmonics("tip"), abs=1e-8)
