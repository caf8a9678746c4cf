"""The drive shaft of [Schwab2002] 4.4.4 against its text and what was derived by hand."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore import Equations, simulate
from mbcore.evaluation.evaluation import Evaluation
from mbcore.examples.vibration import drive_shaft as example
from mbcore.examples.vibration import drive_shaft_half_turn as half_turn
from mbcore.examples.vibration import drive_shaft_model as drive_shaft
from mbcore.vibration import NominalMotion, nominal_motion, nominal_range


@pytest.fixture(scope="module")
def equations() -> Equations:
    return drive_shaft.mechanism().equations()


@pytest.fixture(scope="module")
def nominal(equations: Equations) -> NominalMotion:
    return nominal_motion(equations, 2 * np.pi / 600, 40, parameters={"input.speed": 600.0})


@pytest.mark.heavy
def test_frequencies_without_misalignment() -> None:
    """765.713 rad/s exactly, 768.735 with two Hermite elements; torsion with I_o 542.4."""
    assert pytest.approx(765.713, abs=5e-4) == drive_shaft.BENDING_FREQUENCY
    bending, torsion = drive_shaft.frequencies(rotary_inertia=False)
    assert bending == pytest.approx(768.735, abs=5e-4)
    assert torsion == pytest.approx(542.4, rel=1e-3)


@pytest.mark.heavy
def test_rigid_shaft_turns_as_spherical_trigonometry_says(equations: Equations) -> None:
    """[Schwab2002] (4.21); and the output turns with the input."""
    speed, alpha = 300.0, np.pi / 6
    point = Evaluation(equations, parameters={"input.speed": speed})
    point.start()
    names = [output.name for output in equations.outputs]
    for angle in np.linspace(0, 2 * np.pi, 25):
        point.t[0] = angle / speed
        point.configure()
        point.accept()
        found = dict(zip(names, point.output(), strict=True))
        uneven = np.cos(alpha) / (1 - np.sin(alpha) ** 2 * np.sin(angle) ** 2) * speed
        assert found["shaft.speed"] == pytest.approx(uneven, rel=1e-12)
        assert found["output.lag"] == pytest.approx(0, abs=1e-12)


@pytest.mark.heavy
def test_strains_turn_with_the_shaft(nominal: NominalMotion) -> None:
    """After half a turn bending is the other way round, torsion the same."""
    motion = nominal.periodic(10)
    for name in (state.name for state in nominal.equations.states):
        found = np.abs(motion.harmonics(name)[:8])
        missing = found[0::2] if "bending" in name else found[1::2]
        assert missing.max() < 1e-9 * found.max(), name


@pytest.mark.heavy
def test_harmonics_that_vanish_by_symmetry(nominal: NominalMotion) -> None:
    """Figs. 4.12, 4.13: all even ones of the deflection are zero, all odd ones of the twist."""
    deflection, twist = example.amplitudes(nominal.periodic(10))
    assert deflection[0::2].max() < 1e-9 * deflection.max()
    assert twist[1::2].max() < 1e-9 * twist.max()
    assert (np.diff(deflection[1::2]) < 0).all()  # subharmonic resonances decrease
    # about constant: at rest the mean of [Schwab2002] (4.22) on the torsional stiffness G I_p / l
    tilted = np.sin(np.pi / 6)
    mean = (1 - tilted**2 / 2) / np.cos(np.pi / 6) * drive_shaft.OUTPUT_TORQUE
    assert twist[0] == pytest.approx(mean / drive_shaft.TORSION, rel=0.03)


@pytest.mark.heavy
def test_equations_repeat_after_half_a_turn_on_axes_that_stand(nominal: NominalMotion) -> None:
    """Both have the same exponents, but for i ω: Hill's of half a turn, multipliers of a turn."""
    half = half_turn.over_half_a_turn(nominal)
    assert half.samples == 20
    assert half.period == nominal.period / 2
    found = half_turn.exponents(nominal)
    turn = np.exp(found * nominal.period)
    expected = np.exp(nominal.exponents("monodromy") * nominal.period)
    for multiplier in turn:
        assert np.abs(expected - multiplier).min() < 1e-8 * max(1.0, abs(multiplier))


@pytest.mark.heavy
def test_zones_where_the_shaft_is_unstable(equations: Equations) -> None:
    """0.6466 to 0.6799 and 0.7848 to 0.9193 of 766 rad/s; the text prints two digits of them.

    The first is entered and left by a real multiplier of half a turn, a flip.
    """
    nominal = nominal_range(equations, "input.speed", (450.0, 750.0), samples=32)
    boundaries = example.zones(nominal)
    values = [boundary.value for boundary in boundaries]
    assert values == pytest.approx([0.6466, 0.6799, 0.7848, 0.9193], abs=5e-5)
    kinds = [boundary.kind for boundary in boundaries]
    assert kinds == ["flip", "flip", "neimark_sacker", "neimark_sacker"]
    middle = nominal.at(766 * 0.665)
    assert half_turn.exponents(middle)[0].real > 5
    # the least stable one is alone: its pair would be its own image
    multipliers = np.exp(half_turn.exponents(middle) * middle.period / 2)
    outside = multipliers[np.abs(multipliers) > 1]
    assert outside.size == 1
    assert outside[0].imag == pytest.approx(0, abs=1e-8)
    assert outside[0].real < -1


@pytest.mark.heavy
def test_shorter_elements_change_little() -> None:
    """The error of the frequency goes with the fourth power of the length: 3.95e-3 / 16."""
    fine, _ = drive_shaft.frequencies(elements=4, rotary_inertia=False)
    assert fine / drive_shaft.BENDING_FREQUENCY - 1 == pytest.approx(2.6e-4, abs=1.5e-5)


@pytest.mark.heavy
@pytest.mark.usefixtures("evaluated_in_c")
def test_full_equations_by_shooting(equations: Equations) -> None:
    """Near the linear solution; values by harmonic balance of the full equations, 12 harmonics.

    Few steps, and another integration comes back after a turn. Its derivatives and those of the
    linear solution take most of 6 s.
    """
    speed = 0.55 * 766
    parameters = {"input.speed": speed}
    linear = nominal_motion(equations, 2 * np.pi / speed, 48, parameters=parameters).periodic(20)
    full = example.full_motion(equations, linear)
    assert full.iterations <= 6
    assert full.residual <= 1e-10
    deflection, twist = example.largest_response(full)
    assert deflection == pytest.approx(0.00310634599, rel=1e-5)
    assert twist == pytest.approx(0.0210205903, rel=1e-5)
    assert example.largest_response(linear)[0] == pytest.approx(0.00310902, rel=1e-5)
    assert full.exponents.real.max() == pytest.approx(-4.72786, abs=1e-4)
    turn = simulate(
        equations, full.period, start=full.start, parameters=parameters, rtol=1e-7, atol=1e-9
    )
    for name in full.start:
        size = np.abs(turn[name]).max()
        assert turn.final(name) == pytest.approx(full.start[name], abs=1e-4 * size), name
