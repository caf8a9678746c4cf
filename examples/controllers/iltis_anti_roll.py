r"""The ILTIS's FMU with active anti-roll bars: a slalom, a bump under its left wheels, handling.

The FMU (FMI 3.0, Co-Simulation) is stepped by FMPy every 5 ms;
`examples.controllers.iltis_roll_design` says how the bars' controller comes from the FMU's own
directional derivatives. Drive torques hold the speed.

* With a small slalom the closed loop has to move as the linearization says.
* Upright or not, the loads' moment about the road under the vehicle is what lateral acceleration
  and the mass centre's height make it, by hand m a_y h: bars share it out and cannot take it away.
* How they share it out decides on under- and oversteer: an axle whose loads differ more has less
  cornering stiffness, for that of a tyre, C_α = A₀ + A₁ F (1 - F/A₂), bends downwards with the
  load: by ΔF apart, the axle loses 2 A₁ ΔF²/A₂. All the torque in front makes the vehicle
  understeer, all behind oversteer, until it spins. By hand the understeer angle is
  δ - l r/v = α_r - α_f with slip angles that give each axle's side force at its wheels' loads.

Run: python examples/controllers/iltis_anti_roll.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq

from mbcore.examples.common import Row, figures_folder, print_comparison, show
from mbcore.examples.controllers.iltis_anti_roll_figures import draw_handling, draw_motions
from mbcore.examples.controllers.iltis_driver import rack_ratio
from mbcore.examples.controllers.iltis_roll_design import (
    MEASURED,
    STEP,
    TRAVELS,
    WHEELS,
    ActiveBars,
    Plant,
    Regulator,
    design,
    linearized,
    straight,
)
from mbcore.examples.cosimulation import Unit, built
from mbcore.fmus import iltis

SPEED = 20.0
"""Held, m/s."""
MASS, WHEELBASE, HEIGHT, HALF_TRACK, RADIUS = 1513.4, 2.017, 0.53273, 0.615, 0.364
"""Of the whole vehicle, kg and m."""
RACK_RATIO = rack_ratio()
"""Rack displacement over angle of the front wheels, m."""
AMPLITUDE, FREQUENCY = 0.006, 0.5
"""Of the rack in the slalom, m and 1/s."""
BUMP_HEIGHT, BUMP_LENGTH, BUMP_BEGIN = 0.03, 3.0, 0.3
"""m, m, s."""
STEER_RATE = 5e-4
"""Of the rack in the slow steer that shows the handling, m/s."""
HANDLING_TIME = 16.0
SHARES = {"front": 1.0, "both": 0.5, "rear": 0.0}
"""The front bar's share of the torque."""
COMPARED = 3.0
"""Lateral acceleration at which understeer is compared with that by hand, m/s2."""
SPUN = 0.1
"""Slip angle of the rear axle at which a vehicle counts as gone, rad."""
NEAR = 1e-3
"""Factor of the small slalom."""
LOADS = tuple(f"{wheel}.load" for wheel in WHEELS)
OF_WHEELS = tuple(f"{wheel}.{what}" for wheel in WHEELS for what in ("side_force", "slip_angle"))
RECORDED = (*MEASURED, "cabin.speed", *LOADS, *OF_WHEELS)


@dataclass(frozen=True)
class Drive:
    """A motion: signals over time by name, with ``rack`` and ``torque`` of both bars."""

    time: np.ndarray
    signals: dict[str, np.ndarray]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.signals[name]

    def largest(self, name: str) -> float:
        """Return the largest absolute value of a signal."""
        return float(np.abs(self[name]).max())

    def transfer(self, axle: str) -> np.ndarray:
        """Return half the difference of an axle's loads, right less left, N."""
        return (self[f"{axle}_right.load"] - self[f"{axle}_left.load"]) / 2

    @property
    def understeer(self) -> np.ndarray:
        """δ - l r/v, rad."""
        turned = WHEELBASE * self["cabin.yaw_rate"] / self["cabin.speed"]
        return -self["rack"] / RACK_RATIO - turned

    def at(self, acceleration: float) -> int:
        """Return the sample at which a lateral acceleration is reached."""
        return int(np.argmax(self["cabin.acceleration_y"] >= acceleration))


@dataclass(frozen=True)
class Record:
    """Motions without and with bars, by name; handling by the place of the torque."""

    regulator: Regulator
    slalom: dict[str, Drive]
    bump: dict[str, Drive]
    handling: dict[str, Drive]
    apart: float
    """Largest distance of the small slalom's roll from the linear one, over the largest roll."""


Given = Callable[[float], Mapping[str, float]]
"""From the time to inputs."""


def slalom(time: float) -> Mapping[str, float]:
    """Return the rack's displacement."""
    return {"rack.displacement": AMPLITUDE * np.sin(2 * np.pi * FREQUENCY * time)}


def bump(time: float) -> Mapping[str, float]:
    """Return the road under the left wheels, which the rear one reaches later."""

    def height(rolled: float) -> float:
        on = 0 < rolled < BUMP_LENGTH
        return BUMP_HEIGHT / 2 * (1 - np.cos(2 * np.pi * rolled / BUMP_LENGTH)) if on else 0.0

    rolled = SPEED * (time - BUMP_BEGIN)
    return {
        "front_left.road_height": height(rolled),
        "rear_left.road_height": height(rolled - WHEELBASE),
    }


def slow_steer(time: float) -> Mapping[str, float]:
    """Return the rack's displacement, to the left turn."""
    return {"rack.displacement": -STEER_RATE * time}


def gone(signals: Mapping[str, float]) -> bool:
    """Return whether the rear axle slides away, or a wheel has no load left."""
    slip = (signals["rear_left.slip_angle"] + signals["rear_right.slip_angle"]) / 2
    return abs(slip) > SPUN or min(signals[name] for name in LOADS) < 50.0


def drive(
    fmu: Path,
    start: Mapping[str, float],
    given: Given,
    duration: float,
    regulator: Regulator | None = None,
    tolerance: float | None = None,
    until: Callable[[Mapping[str, float]], bool] = lambda _: False,
) -> Drive:
    """Step the FMU at constant speed, with a regulator's bars or with none."""
    bars = None if regulator is None else ActiveBars(regulator)
    rows: list[dict[str, float]] = []
    with Unit(fmu, start, tolerance=tolerance) as car:
        for _ in range(round(duration / STEP)):
            signals = dict(zip(RECORDED, car.get(RECORDED), strict=True))
            if until(signals):
                break
            inputs = dict(given(car.time))
            if bars is not None:
                inputs |= bars.follow([signals[name] for name in MEASURED])
            force = MASS * (SPEED - signals["cabin.speed"]) / 0.5
            inputs |= {f"{wheel}.drive_torque": force * RADIUS / 4 for wheel in WHEELS}
            signals["time"], signals["rack"] = car.time, inputs.get("rack.displacement", 0.0)
            signals["torque"] = 0.0 if bars is None else bars.torque
            rows.append(signals)
            car.set(inputs)
            car.step(STEP)
    table = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return Drive(table.pop("time"), table)


def linear_roll(plant: Plant, regulator: Regulator, given: Given, duration: float) -> np.ndarray:
    """Return the roll angle of the linearization with its bars, at the samples of `drive`."""
    n = len(plant.A)
    whole = np.zeros((n + 2, n + 2))
    whole[:n, :n], whole[:n, n:] = plant.A, plant.B[:, :2]
    held = expm(STEP * whole)
    bars, state, found = ActiveBars(regulator), np.zeros(n + 2), []
    for k in range(round(duration / STEP)):
        seen = plant.C @ state[:n] + plant.D[:, :2] @ state[n:]
        travels = {TRAVELS[0]: seen[4], TRAVELS[2]: seen[5]}
        bars.follow([*seen[:4], *(travels.get(name, 0.0) for name in TRAVELS)])
        found.append(seen[1])
        state[n:] = bars.torque, given(k * STEP)["rack.displacement"]
        state = held @ state
    return np.array(found)


def calspan_force(slip: float, load: float) -> float:
    """Return the side force of a tyre, N, without camber, by the data sheet."""
    A0, A1, A2 = 2625.0, 14.47, 12930.0
    grip = (-0.464e-4 * load + 1.216 + 2.18e-11 * load**2) * 1.0274 * load
    a = float(np.clip(-(A0 + A1 * load * (1 - load / A2)) * slip / grip, -3, 3))
    return float(grip * (a - a * abs(a) / 3 + a**3 / 27))


def understeer_by_hand(motion: Drive, at: int) -> float:
    """Return α_r - α_f of axles that give their side forces at their loads, rad."""
    slips = []
    for axle in ("front", "rear"):
        loads, forces = (
            [float(motion[f"{axle}_{side}.{what}"][at]) for side in ("left", "right")]
            for what in ("load", "side_force")
        )
        force = sum(forces)

        def missing(slip: float, loads: list[float] = loads, force: float = force) -> float:
            return sum(calspan_force(slip, load) for load in loads) - force

        slips.append(brentq(missing, -0.3, 0.3))
    return slips[1] - slips[0]


def run(fmu: Path | None = None) -> Record:
    """Design and drive.

    Parameters
    ----------
    fmu : Path, optional
        The ILTIS, FMI 3.0; by default that in ``build/``, exported where missing.
    """
    fmu = fmu or built(iltis)
    start = straight(fmu, SPEED)
    regulators = {name: design(linearized(fmu, start, front)) for name, front in SHARES.items()}
    chosen = regulators["both"]

    def small(time: float) -> Mapping[str, float]:
        return {name: NEAR * value for name, value in slalom(time).items()}

    near = drive(fmu, start, small, 2.0, chosen, tolerance=1e-10)["cabin.roll"]
    apart = np.abs(near - linear_roll(chosen.plant, chosen, small, 2.0)).max() / np.abs(near).max()
    cases: dict[str, Regulator | None] = {"off": None, "on": chosen}
    return Record(
        chosen,
        {name: drive(fmu, start, slalom, 4.0, bars) for name, bars in cases.items()},
        {name: drive(fmu, start, bump, 1.5, bars) for name, bars in cases.items()},
        {
            name: drive(fmu, start, slow_steer, HANDLING_TIME, bars, until=gone)
            for name, bars in {"none": None, **regulators}.items()
        },
        float(apart),
    )


def report(record: Record) -> None:
    """Print motions before and after, and the comparisons."""
    print(f"\nILTIS at {SPEED:g} m/s, active anti-roll bars: largest values")
    print(f"{'':22}{'roll / °':>10}{'rate / °/s':>12}{'yaw / °/s':>12}{'torque / N m':>14}")
    for title, pair in (("slalom", record.slalom), ("bump", record.bump)):
        for name, motion in pair.items():
            angles = (
                np.degrees(motion.largest(f"cabin.{what}"))
                for what in ("roll", "roll_rate", "yaw_rate")
            )
            print(
                "{:22}{:10.3f}{:12.2f}{:12.2f}".format(f"{title}, bars {name}", *angles)
                + f"{motion.largest('torque'):14.0f}"
            )
    rows: list[Row] = [
        ("antisymmetric part kept to itself", record.regulator.plant.closure, 0.0),
        ("small slalom, distance from linear roll", record.apart, 0.0),
    ]
    bare = record.handling["none"]
    rolling = 1e3 * float(bare.understeer[bare.at(COMPARED)])
    print(f"understeer angle of the rolling body at {COMPARED:g} m/s2: {rolling:.2f} mrad")
    for name in SHARES:
        motion = record.handling[name]
        at = motion.at(COMPARED)
        moment = 2 * HALF_TRACK * float(motion.transfer("front")[at] + motion.transfer("rear")[at])
        by_hand = MASS * HEIGHT * float(motion["cabin.acceleration_y"][at])
        rows.append((f"torque {name}: moment of the loads (N m)", moment, by_hand))
        found, expected = float(motion.understeer[at]), understeer_by_hand(motion, at)
        rows.append((f"torque {name}: understeer angle (mrad)", 1e3 * found, 1e3 * expected))
    print_comparison(f"Design and handling, at {COMPARED:g} m/s2", rows)


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(iltis.model(), folder, "iltis_anti_roll", "ILTIS, road vehicle of the IAVSD")
    record = run()
    report(record)
    draw_motions(record.slalom, record.bump, folder)
    draw_handling(record.handling, folder)


if __name__ == "__main__":
    main()
