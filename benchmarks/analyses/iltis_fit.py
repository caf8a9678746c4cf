"""A fit of twenty parameters of the car `iltis` to a minute of eight sensors at 100 Hz.

The car drives at 20 m/s over a rough road while it is steered left and right. Steering, road and
torques are recorded and given as inputs, cubic splines; sensors have noise. Half of the first
guesses are 20 % too low, half 20 % too high. The fit begins with the first 6 s. Prints evaluations
with derivatives, of the whole run too, times, and errors in stated deviations.

The mass of a suspension arm and a wheel's inertia about its diameters are not sought: these eight
sensors tell them with deviations of 25 % and 102 % only after 6 s, as parts are weighed and swung
before they are mounted. The delay of the steering and the tyre's `AF2` are sought instead.

    python -m benchmarks.analyses.iltis_fit [SECONDS]
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

from mbcore import FitOptions, Run, fit
from mbcore.drivers.driver import Response
from mbcore.drivers.equations_driver import EquationsDriver
from mbcore.fmus.iltis import model

RATE = 100.0
"""Samples a second."""
NOISE = {
    "cabin.roll_rate": 5e-3,
    "cabin.pitch_rate": 5e-3,
    "cabin.yaw_rate": 5e-3,
    "cabin.acceleration_x": 0.05,
    "cabin.acceleration_y": 0.05,
    "cabin.acceleration_z": 0.1,
    "front_left.travel": 5e-4,
    "rear_right.travel": 5e-4,
}
"""Standard deviations of the sensors' noise, rad/s, m/s² and m."""
SOUGHT = (
    "cabin.mass",
    "cabin.inertia_x",
    "cabin.inertia_y",
    "cabin.inertia_z",
    "wheel.mass",
    "wheel.spin_inertia",
    "leaf.stiffness",
    "tyre.stiffness",
    "tyre.A0",
    "tyre.A1",
    "tyre.A2",
    "tyre.A3",
    "tyre.A4",
    "tyre.B3",
    "tyre.SN",
    "shock.rubber_scale",
    "shock.damping_scale",
    "leaf.free_travel",
    "steering.time_constant",
    "tyre.AF2",
)
BEGINNING = 6.0
"""Length of the beginning that is fitted first, s."""
OFF = 0.2
"""Errors of the first guesses, in parts of the values."""
WHEELS = ("front_left", "front_right", "rear_left", "rear_right")


class Counted(EquationsDriver):
    """A driver that counts runs of the whole with derivatives."""

    wholes = 0

    def simulate(self, times: Any, **given: Any) -> Response:
        """Return the motion."""
        self.wholes += bool(given.get("columns")) and times[-1] > BEGINNING + 1 / RATE
        return super().simulate(times, **given)


def course(end: float) -> dict[str, np.ndarray]:
    """Return inputs at the sensors' rate: smooth sums of sines."""
    t = np.arange(round(end * RATE) + 1) / RATE
    begun = 1 - np.exp(-t)
    found = {"time": t}
    swings = 0.012 * np.sin(1.7 * t) + 0.008 * np.sin(4.3 * t + 1)
    found["rack.displacement"] = begun * swings
    random = np.random.default_rng(4)
    for wheel in WHEELS:
        phases = random.uniform(0, 2 * np.pi, 5)
        heights = [0.008, 0.006, 0.004, 0.002, 0.001]
        waves = [
            h * np.sin(w * t + p)
            for h, w, p in zip(heights, (3, 7, 13, 25, 40), phases, strict=True)
        ]
        found[f"{wheel}.road_height"] = begun * np.sum(waves, axis=0)
        found[f"{wheel}.drive_torque"] = begun * (60 + 40 * np.sin(0.9 * t))
    return found


def recorded(driver: EquationsDriver, end: float) -> Run:
    """Return what sensors with noise record of a motion from the model's start."""
    inputs = course(end)
    given = {n: make_interp_spline(inputs["time"], v) for n, v in inputs.items() if n != "time"}
    true = driver.simulate(inputs["time"], inputs=given, outputs=list(NOISE), tolerance=1e-8)
    random = np.random.default_rng(1)
    table = dict(inputs)
    for i, (name, noise) in enumerate(NOISE.items()):
        table[name] = true.values[:, i] + random.normal(0.0, noise, len(true.times))
    return Run(table, between="smooth")


def main(end: float) -> None:
    """Print the figures of one fit."""
    driver = Counted(model().equations(), backend="c")
    run = recorded(driver, end)
    guesses = {}
    for k, name in enumerate(SOUGHT):
        true = driver.start(name)
        ends = sorted((true / 3, true * 3))
        guesses[name] = (*ends, true * (1 + OFF * (-1) ** k))
    spent, begun = time.process_time(), time.perf_counter()
    options = FitOptions(tolerance=1e-6, begin_with=BEGINNING)
    result = fit(driver, run, guesses, outputs=list(NOISE), options=options)
    taken = time.process_time() - spent, time.perf_counter() - begun
    apart = {n: (result.values[n] - driver.start(n)) / result.deviations[n] for n in SOUGHT}
    for name, z in apart.items():
        print(f"{name}: {result.values[name]:.6g}, true {driver.start(name):g}, {z:.2f} deviations")
    print(f"{end:g} s: {result.evaluations} evaluations with derivatives, {result.message}")
    print(f"{driver.wholes} of these of the whole run")
    print(f"{taken[0]:.1f} s of processor time, {taken[1]:.1f} s")
    print(f"errors up to {max(abs(z) for z in apart.values()):.2f} stated deviations")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
