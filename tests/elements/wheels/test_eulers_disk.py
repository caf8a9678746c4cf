"""How the precession of Euler's disk grows without limit by friction of its contour."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import curve_fit

from mbcore import simulate
from mbcore.examples.rolling.eulers_disk import ends, model

TILT, ARM = 0.02, 1e-4


@pytest.mark.heavy
def test_precession_grows_with_the_third_root_of_the_time_left() -> None:
    """Steady circling with Ω² = 4/θ, and E = 3/2 θ, whose loss is a Ω."""
    disk, end = model(TILT, ARM), ends(TILT, ARM)
    del disk.requirements["flat"]
    times = end * (1 - np.geomspace(1, 0.1, 100))
    run = simulate(disk.equations(), times[-1], samples=times, rtol=1e-8, atol=1e-11, backend="c")

    def law(time: np.ndarray, size: float, t_f: float, by: float) -> np.ndarray:
        return size - by * np.log(t_f - time)

    bounds = ([-50, times[-1] * (1 + 1e-9), 0.1], [50, 2 * end, 5])
    rates = np.log(run["yaw_rate"])
    fitted, _ = curve_fit(law, times, rates, p0=(0, end, 0.6), bounds=bounds)
    assert fitted[2] == pytest.approx(1 / 3, rel=1e-2)
