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

from mbcore import Body, Friction, Model, PlanarHinge, Run, fit
from mbcore.drivers.equations_driver import EquationsDriver

TIMES = np.linspace(0.0, 10.0, 1001)
NOISE = {"shoulder.angle": 2e-3, "elbow.angle": 2e-2}
"""Standard deviations of the sensors' noise, rad."""
TORQUES = {
    "shoulder.torque": lambda t: 2.5 * math.sin(1.3 * t) + 1.5 * math.sin(3.7 * t),
    "elbow.torque": lambda t: 1.2 * math.sin(2.1 * t + 0.4) + 0.5 * math.sin(5.1 * t),
}
OFF = (0.5, 1.5)
"""First guesses in parts of the true values."""


def arm() -> Model:
    """Return an arm with damping and dry friction in both joints, and a load."""
    model = Model("arm", gravity=(0.0, -9.81))
    mass = model.parameter("load.mass", 1.0, unit="kg")
    wall, base = model.angle("wall", fixed=True), model.point("base", (0, 0), fixed=True)
    upper, lower = model.angle("upper"), model.angle("lower")
    first = model.add(Body("upper_arm", base, upper, mass=3.0, inertia=0.3, offset=(0, -0.25)))
    elbow = first.point("elbow_place", (0, -0.5))
    second = model.add(Body("lower_arm", elbow, lower, mass=1.5, inertia=0.12, offset=(0, -0.2)))
    model.add(Body("load", second.point("load_place", (0, -0.4)), mass=mass))
    for name, ends, damping, friction in (
        ("shoulder", (wall, upper), 0.3, 0.8),
        ("elbow", (upper, lower), 0.15, 0.4),
    ):
        torque = model.input(f"{name}.torque", unit="N.m")
        viscous = model.parameter(f"{name}.damping", damping, unit="N.m.s/rad")
        dry = model.parameter(f"{name}.friction", friction, unit="N.m")
        hinge = model.add(PlanarHinge(name, *ends))
        hinge.angle.dof(f"{name}.angle", f"{name}.rate").law(-torque)
        model.add(
            Friction(
                f"{name}_friction",
                hinge,
                coefficient=0.0,
                radius=0.01,
                viscous=viscous,
                preload=dry,
            )
        )
    return model


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
