"""How the precession of Euler's disk grows without limit, by two laws of friction."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.optimize import curve_fit

from mbcore import Model, Result, simulate
from mbcore.examples.rolling.eulers_disk import ends, model

TILT, ARM, MOMENT = 0.02, 1e-4, 1e-2
"""At the start, rad; of the contour friction, m; on the whole angular velocity, N.m."""


def followed(disk: Model, end: float, start: dict[str, float] | None = None) -> Result:
    """Follow a disk that ends at a time by the power law, until a tenth of this is left."""
    del disk.requirements["flat"]
    times = end * (1 - np.geomspace(1, 0.1, 100))
    accuracy = {"rtol": 1e-8, "atol": 1e-11}
    return simulate(
        disk.equations(), times[-1], samples=times, start=start, backend="c", **accuracy
    )


def exponent(run: Result, end: float) -> float:
    """Return p of a precession (t_f - t)^-p, t_f being fitted, too."""

    def law(time: np.ndarray, size: float, t_f: float, by: float) -> np.ndarray:
        return size - by * np.log(t_f - time)

    bounds = ([-50, run.time[-1] * (1 + 1e-9), 0.1], [50, 2 * end, 5])
    rates = np.log(run["yaw_rate"])
    fitted, _ = curve_fit(law, run.time, rates, p0=(0, end, 0.6), bounds=bounds)
    return float(fitted[2])


@pytest.mark.heavy
def test_precession_grows_with_the_third_root_of_the_time_left() -> None:
    """Steady circling with Ω² = 4/θ, and E = 3/2 θ, whose loss is a Ω."""
    end = ends(TILT, ARM)
    assert exponent(followed(model(TILT, ARM), end), end) == pytest.approx(1 / 3, rel=1e-2)


@pytest.mark.heavy
def test_precession_grows_with_the_time_left_by_a_moment_on_the_angular_velocity() -> None:
    """Circling, the disk turns by Ω θ = 2 √θ about the diameter through the contact.

    A moment M against this takes 2 M √θ of E = 3/2 θ: √θ = (2/3) M (t_f - t), and Ω = 2/√θ.
    """
    disk, end = model(TILT, 0.0), 1.5 * TILT**0.5 / MOMENT
    body = disk.nodes["body"]
    turning = body.angular_velocity
    disk.moment(body, -MOMENT * turning / ca.norm_2(turning))
    run = followed(disk, end, {"lean_rate": 4 / 3 * MOMENT * TILT**0.5})  # as the law falls
    assert exponent(run, end) == pytest.approx(1, rel=1e-2)
    # not only the exponent: Ω = 3/(M (t_f - t))
    expected = 3 / (MOMENT * (end - run.time))
    assert run["yaw_rate"] == pytest.approx(expected, rel=1e-2)
