"""Extremes of Fourier series, beside closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from mbcore.results.fourier_signal import FourierSignal


def test_amplitude_of_one_harmonic_between_its_samples() -> None:
    signal = FourierSignal(np.array([3.0, np.exp(0.3j)]), period=0.7)  # 3 + 2 cos(ωt + 0.3)
    assert signal.amplitude() == pytest.approx(2.0, rel=1e-15)
    assert signal.start == pytest.approx(3 + 2 * np.cos(0.3), rel=1e-15)


def test_amplitude_of_two_harmonics() -> None:
    # sin t + sin(2t)/2 is largest at t = π/3
    signal = FourierSignal(np.array([0.0, -0.5j, -0.25j]), period=2 * np.pi)
    assert signal.amplitude() == pytest.approx(0.75 * np.sqrt(3), rel=1e-14)


@pytest.mark.parametrize("advance", [0.0, 5.0, -5.0])
def test_amplitude_of_what_has_no_extreme_inside(advance: float) -> None:
    # 0.1 cos(ωt) + 5 t/T rises all the time
    swing = 0.1 if advance else 0.0
    signal = FourierSignal(np.array([1.0, swing / 2]), period=2.0, advance=advance)
    assert signal.amplitude() == pytest.approx(abs(advance) / 2, rel=1e-9)
