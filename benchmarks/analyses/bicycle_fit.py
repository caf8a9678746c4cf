"""Fits of five parameters of a bicycle that falls by itself, from starts 50 % off.

The benchmark bicycle rides 20 s at 3.5 m/s, below its weave speed, where a disturbance grows by
e in 0.9 s, e^22 in all. A sampled controller holds it up while it follows a course; its torque is
recorded and given as an input. So motions of other parameters fall at once, and runs are fitted in
segments of 0.5 s. Prints each fit: evaluations, processor time, and errors in parts of the values
and in stated deviations. A fit has found all if these are within four of them.

    python -m benchmarks.analyses.bicycle_fit [FITS]
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy.linalg import expm, solve_discrete_are

from mbcore import Fit, FitOptions, Run, fit
from mbcore.drivers.equations_driver import EquationsDriver
from mbcore.fmus.bicycle import model

SPEED, END = 3.5, 20.0
"""m/s; s."""
HELD, SAMPLED = 0.2, 0.02
"""From one torque to the next, and from one sample to the next, s."""
NOISE = {
    "bicycle.lean": 3e-3,
    "bicycle.steer": 2e-3,
    "bicycle.lean_rate": 5e-3,
    "bicycle.yaw_rate": 5e-3,
    "bicycle.speed": 2e-2,
}
"""Standard deviations of the sensors' noise, rad, rad/s and m/s."""
SOUGHT = (
    "rear_frame.z",
    "rear_frame.inertia_xx",
    "geometry.trail",
    "front_frame.mass",
    "front_wheel.inertia_yy",
)
OFF = (0.5, 1.5)
"""First guesses in parts of the true values."""
FED_BACK = ("bicycle.lean", "bicycle.steer", "bicycle.lean_rate", "bicycle.steer_rate")
WITHIN = 4.0
"""Stated deviations of a true value within which it counts as found."""


def gains(driver: EquationsDriver) -> np.ndarray:
    """Return the feedback of a sampled regulator that holds the bicycle up, (4,)."""
    point = driver.point(0.0, {"bicycle.speed": SPEED, "bicycle.lean_rate": 0.0})
    rows = [driver.states.index(name) for name in FED_BACK]
    whole = np.zeros((5, 5))
    whole[:4, :4] = point.A[np.ix_(rows, rows)]
    whole[:4, 4] = point.B[rows, driver.inputs.index("steer.torque")]
    sampled = expm(whole * HELD)
    a, b, weight = sampled[:4, :4], sampled[:4, 4:], np.array([[0.1]])
    s = solve_discrete_are(a, b, np.diag([10.0, 10.0, 1.0, 1.0]), weight)
    return np.asarray(np.linalg.solve(weight + b.T @ s @ b, b.T @ s @ a)[0])


def ride(driver: EquationsDriver) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return what sensors without noise record, and the torque at the times from which it holds."""
    feedback = gains(driver)
    state = dict.fromkeys(driver.states, 0.0) | {"bicycle.speed": SPEED}
    within = np.arange(1, round(HELD / SAMPLED) + 1) * SAMPLED
    rows, torques = [], []
    begins = np.arange(round(END / HELD)) * HELD
    for begin in begins:
        course = np.array([1.2, 0.8, 0.64]) @ np.sin(np.array([0.9, 2.3, 4.1]) * begin)
        torques.append(course - feedback @ [state[name] for name in FED_BACK])
        part = driver.simulate(
            within,
            start=state,
            inputs={"steer.torque": torques[-1]},
            outputs=["bicycle.yaw_rate"],
            tolerance=1e-10,
        )
        state = dict(zip(driver.states, map(float, part.states[-1]), strict=True))
        rows.append(np.hstack([part.values, part.states]))
    names = ("bicycle.yaw_rate", *driver.states)
    values = np.vstack(rows)
    record = {name: values[:, names.index(name)] for name in NOISE}
    record["time"] = np.concatenate([begin + within for begin in begins])
    return record, {"time": begins, "steer.torque": np.array(torques)}


def fitted(
    driver: EquationsDriver,
    recorded: tuple[dict[str, np.ndarray], dict[str, np.ndarray]],
    random: np.random.Generator,
) -> Fit:
    """Return the fit of a record with new noise, from a new start."""
    record, torque = recorded
    noisy = {n: record[n] + random.normal(0.0, s, record[n].size) for n, s in NOISE.items()}
    start = dict.fromkeys(driver.states, 0.0) | {"bicycle.speed": SPEED}
    run = Run(({"time": record["time"]} | noisy, torque), start=start, between="held")
    guesses = {}
    for name in SOUGHT:
        true = driver.start(name)
        guesses[name] = (0.1 * true, 3 * true, true * random.choice(OFF))
    options = FitOptions(segment=0.5, tolerance=1e-6)
    return fit(driver, run, guesses, outputs=list(NOISE), options=options)


def main(fits: int) -> None:
    """Print the figures of so many fits."""
    driver = EquationsDriver(model().equations(), backend="c")
    recorded = ride(driver)
    found = 0
    for k in range(fits):
        begun = time.process_time()
        result = fitted(driver, recorded, np.random.default_rng(k))
        off = np.array([result.values[n] - driver.start(n) for n in SOUGHT])
        parts = np.abs(off / [driver.start(n) for n in SOUGHT]).max()
        apart = np.abs(off / [result.deviations[n] for n in SOUGHT]).max()
        found += bool(apart < WITHIN)
        taken = time.process_time() - begun
        print(
            f"{k + 1}: {result.evaluations} evaluations, {taken:.1f} s, errors up to "
            f"{100 * parts:.2g} % and {apart:.2f} deviations",
            flush=True,
        )
    print(f"found in {found} of {fits}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
