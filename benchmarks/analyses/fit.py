"""Fits of five parameters of an arm with two links, over and over with new noise.

Prints evaluations and processor time of a fit, and how often 95 % intervals hold the true values:
of 1,000 fits, by chance alone, in 93.6 to 96.4 % (two standard deviations).

    python -m benchmarks.analyses.fit [FITS]
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np

from mbcore import Run, fit
from mbcore.drivers.equations_driver import EquationsDriver
from tests.identification.models import arm

TIMES = np.linspace(0.0, 10.0, 1001)
NOISE = {"shoulder.angle": 2e-3, "elbow.angle": 2e-2}
"""Standard deviations of the sensors' noise, rad."""
TORQUES = {
    "shoulder.torque": lambda t: 2.5 * math.sin(1.3 * t) + 1.5 * math.sin(3.7 * t),
    "elbow.torque": lambda t: 1.2 * math.sin(2.1 * t + 0.4) + 0.5 * math.sin(5.1 * t),
}
OFF = (0.5, 1.5)
"""First guesses in parts of the true values."""


def main(fits: int) -> None:
    """Print the figures of so many fits."""
    driver = EquationsDriver(arm().equations(), backend="c")
    course = driver.simulate(TIMES, inputs=TORQUES, tolerance=1e-10)
    true = {name: driver.start(name) for name in driver.parameters}
    angles = {name: course.states[:, driver.states.index(name)] for name in NOISE}
    random, held, spent = np.random.default_rng(1), dict.fromkeys(true, 0), []
    apart: dict[str, list[float]] = {name: [] for name in true}
    begun = time.process_time()
    for _ in range(fits):
        data = {n: y + random.normal(0.0, NOISE[n], TIMES.size) for n, y in angles.items()}
        guesses = {n: (0.0, 5.0, value * random.choice(OFF)) for n, value in true.items()}
        run = Run({"time": TIMES} | data, start=dict.fromkeys(NOISE, 0.0), inputs=TORQUES)
        result = fit(driver, run, guesses)
        spent.append(result.evaluations)
        for name, (low, high) in result.intervals(0.95).items():
            held[name] += low < true[name] < high
            apart[name].append((result.values[name] - true[name]) / result.deviations[name])
    taken = (time.process_time() - begun) / fits
    print(f"{fits} fits, {len(course.events)} events in each motion")
    print(f"evaluations: median {np.median(spent):g}, most {max(spent)}")
    print(f"processor time of a fit: {taken:.3g} s")
    for name, count in held.items():
        z = np.array(apart[name])
        print(
            f"{name}: interval true in {100 * count / fits:.1f} %, errors in deviations: mean "
            f"{z.mean():.2f}, spread {z.std(ddof=1):.3f}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
