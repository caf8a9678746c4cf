"""Two road vehicles by their FMUs' binaries alone, against their equations.

Iltis has 39 states, the car 50. Compared are the matrices of linearization, straight driving at
20 m/s with the drive torques that it takes, and small vibrations on a wavy road: their exponents
and the motion to first order. Times are by the clock, of the FMU's process and this one together.

    python -m benchmarks.analyses.binaries
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import mbcore
from mbcore.drivers.driver import Driver
from mbcore.equilibria.steady_motion import SteadyMotion
from mbcore.fmi import export
from mbcore.fmus import car, iltis
from mbcore.vibration import small_vibrations

SPEED, WAVE, HEIGHT = 20.0, 3.0, 0.005
"""m/s; length and height of the road's waves, m."""
BEHIND = {"front": 0.0, "rear": 2.0}
"""Distance of the axles, m."""
AGREED = 1e-8
PERIOD = WAVE / SPEED
TURN = 2 * np.pi / PERIOD
VEHICLES = {
    "iltis": (iltis.component(), "cabin.speed", "rear", {"road": 2.0, "steering": 2.0}),
    "car": (car.component(), "body.speed", "front", {}),
}


def road() -> dict[str, Callable[[float], float]]:
    """Return heights of the road below the wheels over time, and their rates."""
    found: dict[str, Callable[[float], float]] = {}
    for axle, behind in BEHIND.items():
        for side in ("left", "right"):
            late = behind / SPEED
            found[f"{axle}_{side}.road_height"] = lambda t, late=late: (
                HEIGHT * np.sin(TURN * (t - late))
            )
            found[f"{axle}_{side}.road_rate"] = lambda t, late=late: (
                HEIGHT * TURN * np.cos(TURN * (t - late))
            )
    return found


def straight(system: Any, speed: str, driven: str, choices: dict[str, float]) -> SteadyMotion:
    """Return straight driving, by the torques of one axle."""
    torques = [f"{driven}_{side}.drive_torque" for side in ("left", "right")]
    conditions = {speed: SPEED, "yaw.rate": 0.0}
    return mbcore.steady_motion(system, conditions, find=torques, parameters=choices)


def measured(name: str, file: Path) -> list[tuple[str, float, float]]:
    """Return what is compared, the largest relative difference, and the FMU's time, s."""
    component, speed, driven, choices = VEHICLES[name]
    own, rows = mbcore.driver(component), []
    with mbcore.driver(file) as fmu:

        def both(what: Callable[[Driver], Any]) -> tuple[Any, Any, float]:
            expected, begun = what(own), time.perf_counter()
            return what(fmu), expected, time.perf_counter() - begun

        found, expected, taken = both(lambda driver: driver.point(parameters=choices))
        both_have = [output for output in found.outputs if output in expected.outputs]
        pairs = [(found.A, expected.A), (found.B, expected.B)]
        for here, there in ((found.C, expected.C), (found.D, expected.D)):
            rows_here = here[[found.outputs.index(output) for output in both_have]]
            pairs.append((rows_here, there[[expected.outputs.index(o) for o in both_have]]))
        apart = max(float((np.abs(a - b) / (1 + np.abs(b))).max()) for a, b in pairs)
        rows.append((f"matrices, {len(found.states)} states", apart, taken))

        begun = time.perf_counter()
        steady = straight(fmu, speed, driven, choices)
        taken = time.perf_counter() - begun
        own_steady = straight(component.equations, speed, driven, choices)
        felt = [name for name in own.states if name not in own_steady.ignorable]
        apart = max(
            *(abs(steady.state[name] - own_steady.state[name]) for name in felt),
            *(abs(v - own_steady.inputs[n]) / (1 + abs(v)) for n, v in steady.inputs.items()),
        )
        rows.append(("straight driving", float(apart), taken))

        def vibrating(driver: Driver) -> tuple[np.ndarray, np.ndarray]:
            small = small_vibrations(
                driver,
                PERIOD,
                inputs={**own_steady.inputs, **road()},
                parameters=choices,
                start=own_steady.state,
                motion="held",
                samples=24,
            )
            moved = small.periodic(4)
            times = np.linspace(0.0, PERIOD, 5)
            return small.exponents(harmonics=4), np.array([moved[n](times) for n in felt])

        found, expected, taken = both(vibrating)
        apart = max(
            float(np.abs(a - b).max() / np.abs(b).max())
            for a, b in zip(found, expected, strict=True)
        )
        rows.append(("small vibrations on waves", apart, taken))
    return rows


def main() -> int:
    """Print the differences; return how many are too large."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (component, *_) in VEHICLES.items():
            (file,) = export(component, Path(folder), fmi="3.0")
            for what, apart, taken in measured(name, file):
                failed += not apart <= AGREED
                print(f"{name}, {what}: {apart:.2g} of equations, {taken:.2g} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
