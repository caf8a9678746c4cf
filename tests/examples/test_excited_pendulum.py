"""The excited pendulum: periodic motions, small and large, and where they lose stability.

The numbers stand here once more, with their source, so that an example cannot move its own goal.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbcore.examples.vibration import excited_pendulum
from mbcore.vibration import periodic_solution, stability_boundary

# ω/ω_0: linear [Schwab2002] (4.19), nonlinear [Schwab2002] (4.18), integrated by hand
AMPLITUDES = {
    0.1: (0.002525367, 0.002525361),
    0.2: (0.010422496, 0.010422081),
    0.4: (0.051200466, 0.051179019),
    0.5: (0.422628371, 0.346440007),
    0.6: (0.150521232, 0.150126151),
    0.8: (0.418285001, 0.416730930),
}


@pytest.fixture(scope="module")
def pendulum() -> excited_pendulum.Pendulum:
    return excited_pendulum.Pendulum()


@pytest.mark.parametrize("s", AMPLITUDES)
def test_linear_pendulum_has_the_amplitudes_of_mathieus_equation(
    pendulum: excited_pendulum.Pendulum, s: float
) -> None:
    assert pendulum.linear(s) == pytest.approx(AMPLITUDES[s][0], abs=1e-9)


@pytest.mark.heavy
def test_nonlinear_pendulum_has_the_amplitude_found_by_hand(
    pendulum: excited_pendulum.Pendulum,
) -> None:
    linear = pendulum.periodic(0.6)
    full = periodic_solution(
        pendulum.equations, linear.period, guess=linear, parameters=linear.parameters
    )
    assert full.amplitude("phi") == pytest.approx(0.150126151, abs=1e-9)
    assert full.iterations <= 6
    assert full.residual < 1e-10
    # Liouville: the trace of the state matrix is -2 ζ ω_0
    product = np.exp(-2 * 0.01 * excited_pendulum.NATURAL * full.period)
    assert np.prod(full.multipliers).real == pytest.approx(product, rel=1e-9)


@pytest.mark.heavy
@pytest.mark.parametrize("s", AMPLITUDES)
def test_nonlinear_pendulum_everywhere(pendulum: excited_pendulum.Pendulum, s: float) -> None:
    linear = pendulum.periodic(s)
    full = periodic_solution(
        pendulum.equations, linear.period, guess=linear, parameters=linear.parameters
    )
    assert full.amplitude("phi") == pytest.approx(AMPLITUDES[s][1], abs=1e-9)
    assert full.iterations <= 6


@pytest.mark.parametrize(
    ("bracket", "value", "kind"),
    [
        ((0.91, 0.93), 0.918657959, "fold_or_transcritical"),
        ((1.01, 1.04), 1.023319037, "fold_or_transcritical"),
        ((1.35, 1.37), 1.359057020, "flip"),
    ],
)
def test_pendulum_loses_stability_where_the_monodromy_matrix_says(
    pendulum: excited_pendulum.Pendulum, bracket: tuple[float, float], value: float, kind: str
) -> None:
    found = stability_boundary(lambda s: pendulum.nominal(s).small_motions, bracket)
    assert found.value == pytest.approx(value, abs=1e-8)
    assert found.kind == kind


def test_all_exponents_of_a_truncated_determinant_say_what_the_text_prints(
    pendulum: excited_pendulum.Pendulum,
) -> None:
    for s, edge in ((0.9105, False), (1.3082, True)):
        before, after = pendulum.growth_of_all(s - 1e-3), pendulum.growth_of_all(s + 1e-3)
        assert before * after < 0
        true = pendulum.nominal(s).exponents("monodromy")
        assert true.real == pytest.approx(-0.01 * excited_pendulum.NATURAL, abs=1e-6) or not edge
        every = excited_pendulum.all_exponents(pendulum.nominal(s + 1e-3), 2)
        largest = every[np.argmax(every.real)]
        spurious = excited_pendulum.belongs_to_edge(
            np.array([largest]), true, s * excited_pendulum.NATURAL
        )
        assert spurious.all() or not edge


def test_exponents_of_the_pendulum_agree(pendulum: excited_pendulum.Pendulum) -> None:
    for s in (0.3, 0.7, 1.2, 1.38):
        about = pendulum.nominal(s)
        hill, exact = about.exponents("hill", 12), about.exponents("monodromy")
        turn = 1j * s * excited_pendulum.NATURAL
        apart = (hill[:, None] - exact) / turn
        assert np.abs((apart - np.round(apart.real)) * turn).min(axis=1).max() < 1e-6


@pytest.mark.heavy
@pytest.mark.usefixtures("evaluated_in_c")
def test_excited_pendulum_meets_its_numbers_and_draws(tmp_path: Path) -> None:
    record = excited_pendulum.run(12)
    for name, value in excited_pendulum.REFERENCE.items():
        close = 1e-6 if "peak" in name or "Hill" in name else 1e-8
        assert record.numbers[name] == pytest.approx(value, abs=close), name
    for name, printed in excited_pendulum.PRINTED.items():
        assert record.numbers[name] == pytest.approx(printed, abs=5e-3), name
    excited_pendulum.draw(record, tmp_path)
    assert len(list(tmp_path.glob("*.png"))) == 3
