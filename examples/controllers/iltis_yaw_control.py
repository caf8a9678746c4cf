r"""Yaw control of the ILTIS by single brakes, in the sine with dwell of FMVSS 126.

From 80 km/h the vehicle coasts while the rack goes through one sine of 0.7 Hz, which dwells for
0.5 s at its second peak. The steer is a multiple, 1.5 to 6.5, of what gives 0.3 g in slow
cornering, here by the linearization. The rule asks of a vehicle with yaw control:

* 1 s and 1.75 s after the steer has ended the yaw rate is at most 35 % and 20 % of its peak;
* 1.07 s after the steer began the mass centre has gone at least 1.83 m to the side, with five times
  that steer and more.

The controller wants the yaw rate r* that the linearized vehicle would have: the steady gain of
`iltis.fmu`'s directional derivatives, with their lag, and with |r*| at most a/v, which the road can
give. Its brakes make up for the difference with a time constant: ṙ = (r* - r)/T_c, by

    T = |ṙ|/b,    b = ∂ṙ/∂T of the FMU;    by hand  b = w/(ρ J),

a torque T, half the track w, radius ρ and J the moment of inertia about the vertical, with wheels
that have to turn. Against too much rotation it brakes the outer front wheel, against too little the
inner rear one. Brakes lag by 50 ms. Wheels of this model roll without longitudinal slip, whatever
the torque, so a brake is limited to a force of half the wheel's load, and what braking takes from a
tyre's side force is left out.

Run: python examples/controllers/iltis_yaw_control.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show
from mbcore.examples.controllers.iltis_roll_design import ALONE, WHEELS, linearized
from mbcore.examples.cosimulation import Unit, built
from mbcore.examples.dynamics import Dynamics
from mbcore.fmus import iltis

SPEED, STEP, DURATION = 80 / 3.6, 0.01, 5.0
"""m/s, s, s."""
BEGIN, FREQUENCY, DWELL = 0.5, 0.7, 0.5
"""Of the steer, s, 1/s, s."""
END = BEGIN + 1 / FREQUENCY + DWELL
FACTORS: tuple[float, ...] = (1.5, 2.5, 3.5, 4.5, 5.5, 6.5)
SHOWN = 4.5
"""Steers, over that for 0.3 g."""
LARGEST = 7.0
"""Lateral acceleration of the wanted yaw rate at most, a, m/s2."""
CORRECTION, LAG = 0.1, 0.05
"""T_c, and the time constant of the brakes, s."""
SHARE, RADIUS, TOLERATED = 0.5, 0.36, 0.03
"""Largest force of a brake over load; m; difference of yaw rates that is let be, rad/s."""
LIMITS = {1.0: 0.35, 1.75: 0.20}
LEAST_SHIFT = 1.83
"""Of the rule: yaw rate over its peak some time after the steer, s, and m."""
PLACE = ("cabin.x", "cabin.y", "cabin.yaw", "cabin.yaw_rate", "cabin.speed", "cabin.roll")
LOADS = tuple(f"{wheel}.load" for wheel in WHEELS)
BRAKES = tuple(f"{wheel}.brake_torque" for wheel in WHEELS)
DRIVES = tuple(f"{wheel}.drive_torque" for wheel in WHEELS)


@dataclass(frozen=True)
class Known:
    """The controller's data of the vehicle."""

    gain: float
    """Steady yaw rate over rack displacement, rad/(s.m)."""
    lag: float
    """Of the yaw rate behind the rack, s."""
    power: np.ndarray
    """∂ṙ/∂T of drive torques on the four wheels, rad/(s2.N.m)."""


@dataclass(frozen=True)
class Drive:
    """Signals over time by name, with ``rack`` and ``wanted``."""

    time: np.ndarray
    signals: dict[str, np.ndarray]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.signals[name]

    def remaining(self, after: float) -> float:
        """Return the yaw rate some time after the steer's end over its second peak."""
        later = self.time > BEGIN + 0.5 / FREQUENCY
        peak = np.abs(self["cabin.yaw_rate"][later]).max()
        return float(abs(np.interp(END + after, self.time, self["cabin.yaw_rate"])) / peak)

    @property
    def shift(self) -> float:
        """How far the mass centre has gone to the side 1.07 s after the steer began, m."""
        return float(abs(np.interp(BEGIN + 1.07, self.time, self["cabin.y"])))

    @property
    def stable(self) -> bool:
        """Whether the rule's limits of the yaw rate are kept."""
        return all(self.remaining(after) <= limit for after, limit in LIMITS.items())


@dataclass(frozen=True)
class Record:
    """Drives by factor of the steer, without and with control."""

    known: Known
    bare: dict[float, Drive]
    controlled: dict[float, Drive]


class YawControl:
    """From yaw rate, speed, steer and loads to the torques of the brakes, every ``STEP``."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.wanted = 0.0
        self._torques = np.zeros(4)

    def brake(self, rate: float, speed: float, rack: float, loads: np.ndarray) -> np.ndarray:
        """Return four torques, N.m."""
        bound = LARGEST / max(speed, 1.0)
        steady = float(np.clip(self.known.gain * rack, -bound, bound))
        self.wanted += (1 - np.exp(-STEP / self.known.lag)) * (steady - self.wanted)
        error = self.wanted - rate
        needed = np.sign(error) * max(abs(error) - TOLERATED, 0.0) / CORRECTION
        axle = "front" if needed * rate < 0 else "rear"
        wheel = WHEELS.index(f"{axle}_{'left' if needed > 0 else 'right'}")
        demand = np.zeros(4)
        demand[wheel] = abs(needed / self.known.power[wheel])
        demand = np.minimum(demand, SHARE * loads * RADIUS)
        keep = np.exp(-STEP / LAG)
        self._torques = keep * self._torques + (1 - keep) * demand
        return self._torques


def learn(fmu: Path) -> Known:
    """Return what the directional derivatives about driving straight on say."""
    plant = linearized(fmu, {"cabin.speed": SPEED})
    steady = -np.linalg.solve(plant.A, plant.B[:, 1])
    late = -np.linalg.solve(plant.A, steady)
    rate = ALONE.index("yaw.rate")
    with Dynamics(fmu, {"cabin.speed": SPEED}) as dynamics:
        power = dynamics.jacobian([dynamics.rates[dynamics.states.index("yaw.rate")]], DRIVES)[0]
    return Known(float(steady[rate]), float(late[rate] / steady[rate]), power)


def sine_with_dwell(time: float, amplitude: float) -> float:
    """Return the rack's displacement, m."""
    since = time - BEGIN
    dwells = 0.75 / FREQUENCY
    phase = min(since, dwells) + max(since - dwells - DWELL, 0.0)
    return (
        float(amplitude * np.sin(2 * np.pi * FREQUENCY * phase)) if 0 < since < END - BEGIN else 0.0
    )


def drive(fmu: Path, amplitude: float, known: Known | None = None) -> Drive:
    """Step the FMU through the manoeuvre, with control where the vehicle is known."""
    control = None if known is None else YawControl(known)
    rows: list[dict[str, float]] = []
    with Unit(fmu, {"cabin.speed": SPEED}) as car:
        for _ in range(round(DURATION / STEP)):
            signals = dict(zip((*PLACE, *LOADS), car.get((*PLACE, *LOADS)), strict=True))
            rack = sine_with_dwell(car.time, amplitude)
            torques = np.zeros(4)
            if control is not None:
                loads = np.array([signals[name] for name in LOADS])
                rate, speed = signals["cabin.yaw_rate"], signals["cabin.speed"]
                torques = control.brake(rate, speed, rack, loads)
            inputs = dict(zip(BRAKES, torques, strict=True))
            wanted = 0.0 if control is None else control.wanted
            rows.append({**signals, **inputs, "time": car.time, "rack": rack, "wanted": wanted})
            car.set({"rack.displacement": rack, **inputs})
            car.step(STEP)
    table = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return Drive(table.pop("time"), table)


def power_by_hand() -> float:
    """Return b: half the track over radius and moment of inertia, rad/(s2.N.m)."""
    half_track, radius = 0.615, 0.356
    wheels = 57.35 * (half_track**2 + 0.5 * (0.970**2 + 1.047**2)) + 1.2402
    wheels += 1.908 * (half_track / radius) ** 2  # they turn as they go ahead
    arms = 6.0 * (0.4155**2 + 0.5 * (0.970**2 + 1.047**2)) + 0.068864
    return half_track / (radius * (1670.0 + 4 * (wheels + arms)))


def run(fmu: Path | None = None, factors: tuple[float, ...] = FACTORS) -> Record:
    """Drive without and with control.

    Parameters
    ----------
    fmu : Path, optional
        The ILTIS, FMI 3.0; by default that in ``build/``, exported where missing.
    factors : tuple of float
        Of the steer that gives 0.3 g.
    """
    fmu = fmu or built(iltis)
    known = learn(fmu)
    unit = 0.3 * 9.81 / abs(known.gain * SPEED)
    return Record(
        known,
        {factor: drive(fmu, factor * unit) for factor in factors},
        {factor: drive(fmu, factor * unit, known) for factor in factors},
    )


def report(record: Record) -> None:
    """Print what is left of the yaw rate, how far the vehicle turned, and the comparison."""
    print("\nILTIS in the sine with dwell of FMVSS 126 at 80 km/h")
    print(f"{'':24}{'yaw/°':>10}{'after 1 s':>12}{'1.75 s':>10}{'shift/m':>10}{'':4}yaw rate")
    for title, drives in (("left alone", record.bare), ("controlled", record.controlled)):
        for factor, one in drives.items():
            turned = np.degrees(np.abs(one["cabin.yaw"]).max())
            numbers = f"{turned:10.1f}{one.remaining(1.0):12.3f}{one.remaining(1.75):10.3f}"
            verdict = "within the rule" if one.stable else "TOO LARGE"
            print(f"{title:12}{factor:6g} * 0.3 g{numbers}{one.shift:10.2f}{'':4}{verdict}")
    print_comparison(
        "Yaw acceleration by a wheel's torque: by hand",
        [("mean of the wheels (1e-4 rad/(s2 N m))", 1e4 * float(np.abs(record.known.power).mean()),
          1e4 * power_by_hand())],
    )  # fmt: skip


def _signals(column: tuple[Axes, ...], record: Record) -> None:
    yaw, rate, brakes = column
    for drives, color, label in (
        (record.bare, "#c4501b", "left alone"),
        (record.controlled, "#1f5fa8", "controlled"),
    ):
        one = drives[SHOWN]
        yaw.plot(one.time, np.degrees(one["cabin.yaw"]), color=color, label=label)
        rate.plot(one.time, np.degrees(one["cabin.yaw_rate"]), color=color, label=label)
    one = record.controlled[SHOWN]
    rate.plot(one.time, np.degrees(one["wanted"]), "k--", linewidth=1, label="wanted")
    for name, (color, style) in zip(
        BRAKES,
        (("#1f5fa8", "-"), ("#c4501b", "-"), ("#1f5fa8", "--"), ("#c4501b", "--")),
        strict=True,
    ):
        label = name.split(".")[0].replace("_", " ")
        brakes.plot(one.time, one[name] / 1000, style, color=color, label=label)
    head(yaw, f"Yaw angle, {SHOWN:g} times the steer for 0.3 g", 2)
    head(rate, "Yaw rate", 3)
    head(brakes, "Torques of the brakes, controlled", 4)
    plain(yaw, "", "yaw (°)")
    plain(rate, "", "rate (°/s)")
    plain(brakes, "time (s)", "torque (kN m)")


def draw(record: Record, folder: Path) -> None:
    """Draw one manoeuvre, and the rule's numbers against the steer."""
    figure = Figure(figsize=(11.5, 8.5), layout="constrained")
    figure.suptitle("iltis.fmu in the sine with dwell of FMVSS 126 at 80 km/h")
    axes = figure.subplots(3, 2)
    _signals(tuple(axes[:, 0]), record)
    both: tuple[tuple[Mapping[float, Drive], str, str], ...] = (
        (record.bare, "#c4501b", "left alone"),
        (record.controlled, "#1f5fa8", "controlled"),
    )
    for drives, color, label in both:
        factors = list(drives)
        for panel, after in zip(axes[:2, 1], LIMITS, strict=True):
            left = [100 * one.remaining(after) for one in drives.values()]
            panel.plot(factors, left, "o-", color=color, markersize=4, label=label)
        shifts = [one.shift for one in drives.values()]
        axes[2, 1].plot(factors, shifts, "o-", color=color, markersize=4, label=label)
    for panel, (after, limit) in zip(axes[:2, 1], LIMITS.items(), strict=True):
        panel.axhline(100 * limit, color="#a40000", linestyle="--", linewidth=1, label="allowed")
        head(panel, f"Yaw rate {after:g} s after the steer's end, over its peak", 3)
        plain(panel, "", "share (%)")
    axes[2, 1].axhline(LEAST_SHIFT, color="#a40000", linestyle="--", linewidth=1, label="demanded")
    head(axes[2, 1], "Shift to the side 1.07 s after the steer's begin", 3)
    plain(axes[2, 1], "steer / that for 0.3 g", "shift (m)")
    save(figure, folder, "iltis_yaw_control")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(iltis.model(), folder, "iltis_yaw_control", "ILTIS, road vehicle of the IAVSD")
    record = run()
    report(record)
    draw(record, folder)


if __name__ == "__main__":
    main()
