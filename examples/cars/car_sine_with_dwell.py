r"""The car in the sine with dwell of ISO 19365 and FMVSS 126, at 80 km/h, without any control.

The steering wheel makes a period of a sine of 0.7 Hz that dwells for half a second at its second
peak. Its amplitude grows from run to run by half of A, the angle that gives 0.3 g in a steady
circle, up to 8 A. The car coasts.

**What the rule asks.** The yaw rate, relative to its second peak, is at most 35 % a second after
the end of the steer, and 20 % after 1.75 s. From 5 A on the mass centre is at least 1.83 m to the
side 1.07 s after the steer began. The series goes on to 6.5 A or 270 degrees, whichever is more:
this car would have to keep it up to 15 A.

**By hand.** A = i (l/v² + K_us) 0.3 g, i the ratio of the steering and K_us the gradient of
``car_by_hand.py``. At a small amplitude the yaw rate is nearly that of the linear single track with
relaxation, whose gradient lacks the roll.

Run: python examples/cars/car_sine_with_dwell.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore import Equations, Result, compile_equations, simulate
from mbcore.examples.cars import car_by_hand as by_hand
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show
from mbcore.fmus import car

SPEED = 80 / 3.6
FREQUENCY, DWELL = 0.7, 0.5
"""Of the steer, Hz; and s."""
DWELLS = 0.75 / FREQUENCY
"""When the steer begins to dwell, s after its begin, which is the start."""
END = 1 / FREQUENCY + DWELL
"""Of the steer, s."""
DURATION = END + 2.0
TIMES = np.linspace(0, DURATION, round(200 * DURATION) + 1)
LIMITS = {1.0: 0.35, 1.75: 0.20}
"""Shares of the second peak of the yaw rate that the rule allows, so many seconds after the end."""
SHIFT, SHIFTED_AFTER, SHIFTED_FROM = 1.83, 1.07, 5.0
"""Least displacement, m; when, s; and from which factor of the steer on."""
FACTORS = (1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0)
SMALL = 0.2
"""Factor of the steer at which the yaw rate is compared with that of the single track."""


@dataclass(frozen=True)
class Record:
    """Runs by factor of the steer, and numbers beside those by hand."""

    unit: float
    """A, rad of the steering wheel."""
    runs: dict[float, Result]
    numbers: dict[str, float]
    expected: dict[str, float]


def steer(time: float) -> float:
    """Return the angle of the steering wheel over its amplitude."""
    phase = min(time, DWELLS) + max(time - DWELLS - DWELL, 0.0)
    return float(np.sin(2 * np.pi * FREQUENCY * phase)) if time < END else 0.0


def scaled(amplitude: float) -> Callable[[float], float]:
    """Return the steer with an amplitude, rad."""
    return lambda time: amplitude * steer(time)


def drive(equations: Equations, amplitude: float) -> Result:
    """Return a run with an amplitude of the steering wheel, rad."""
    return simulate(
        equations,
        DURATION,
        start={"body.speed": SPEED},
        inputs={"steering_wheel.angle": scaled(amplitude)},
        breaks=[DWELLS, DWELLS + DWELL, END],
        rtol=1e-7,
        atol=1e-9,
        samples=TIMES,
    )


def remaining(run: Result, after: float) -> float:
    """Return the yaw rate some time after the steer's end over its second peak."""
    rate = run["yaw.rate"]
    peak = np.abs(rate[TIMES > 0.5 / FREQUENCY]).max()
    return float(abs(np.interp(END + after, TIMES, rate)) / peak)


def shift(run: Result) -> float:
    """Return how far the mass centre has gone to the side when the rule asks, m."""
    return float(abs(np.interp(SHIFTED_AFTER, TIMES, run["body.y"])))


def kept(run: Result, factor: float) -> bool:
    """Return whether a run keeps the rule."""
    far = factor < SHIFTED_FROM or shift(run) >= SHIFT
    return far and all(remaining(run, after) <= limit for after, limit in LIMITS.items())


def run() -> Record:
    """Drive with rising amplitudes, and with a small one."""
    gradient = sum(by_hand.understeer().values())
    unit = by_hand.RATIO * (by_hand.WHEELBASE / SPEED**2 + gradient) * 0.3 * by_hand.GRAVITY
    equations = car.model().equations()
    compile_equations(equations)
    runs = {factor: drive(equations, factor * unit) for factor in FACTORS}
    small = drive(equations, SMALL * unit)["yaw.rate"]
    track = by_hand.single_track(SPEED, scaled(SMALL * unit / by_hand.RATIO), TIMES)
    numbers, expected = (
        {
            "small steer: first peak of the yaw rate (deg/s)": float(np.degrees(rate.max())),
            "small steer: second peak (deg/s)": float(np.degrees(rate.min())),
            "small steer: time of the first peak (s)": float(TIMES[rate.argmax()]),
        }
        for rate in (small, track)
    )
    return Record(unit, runs, numbers, expected)


def _shade(factor: float) -> tuple[float, float, float]:
    share = (factor - FACTORS[0]) / (FACTORS[-1] - FACTORS[0])
    return 0.12 + 0.65 * share, 0.37 - 0.06 * share, 0.66 - 0.55 * share


def _draw_rule(axes: Axes, record: Record) -> None:
    for (after, limit), color in zip(LIMITS.items(), ("#c4501b", "#1f5fa8"), strict=True):
        left = [100 * remaining(one, after) for one in record.runs.values()]
        axes.plot(FACTORS, left, "o-", color=color, label=f"{after:g} s after the end")
        axes.axhline(100 * limit, color=color, linestyle="--", linewidth=1.2)
    plain(axes, "amplitude over A", "%")
    head(axes, "Yaw rate over its second peak; dashed are the limits", 2)


def draw(record: Record, folder: Path) -> None:
    """Draw steer, yaw rates and paths of every second run, and what the rule judges."""
    figure = Figure(figsize=(12, 7.8), layout="constrained")
    wheel, rates, paths, rule = figure.subplots(2, 2).flat
    for factor, one in list(record.runs.items())[::2]:
        shade, name = _shade(factor), f"{factor:g} A"
        angle = np.degrees(one["steering_wheel.angle"])
        wheel.plot(TIMES, angle, color=shade, linewidth=1.4, label=name)
        rates.plot(TIMES, np.degrees(one["yaw.rate"]), color=shade, linewidth=1.4)
        paths.plot(one["body.x"], one["body.y"], color=shade, linewidth=1.4)
    for after in LIMITS:
        rates.axvline(END + after, color="0.5", linestyle="--", linewidth=1.0)
    plain(wheel, "time (s)", "°")
    head(wheel, f"Steering wheel, A = {np.degrees(record.unit):.1f}°", 6)
    plain(rates, "time (s)", "°/s")
    rates.set_title("Yaw rate; dashed are the times at which the rule judges", loc="left")
    plain(paths, "x (m)", "y (m)")
    paths.set_title("Paths of the mass centre", loc="left")
    _draw_rule(rule, record)
    save(figure, folder, "car_sine_with_dwell")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    show(car.model(), folder, "car_sine_with_dwell", "Road car on Magic Formula tyres")
    print(f"\nSine with dwell at 80 km/h, A = {np.degrees(record.unit):.2f} degrees")
    print(f"{'':10}{'after 1 s':>12}{'1.75 s':>10}{'shift/m':>10}{'':4}rule")
    for factor, one in record.runs.items():
        left = f"{remaining(one, 1.0):12.3f}{remaining(one, 1.75):10.3f}{shift(one):10.2f}"
        print(f"{factor:6g} A  {left}{'':4}{'kept' if kept(one, factor) else 'NOT KEPT'}")
    rows = [(name, ours, record.expected[name]) for name, ours in record.numbers.items()]
    print_comparison("Beside the linear single track by hand", rows)
    draw(record, folder)


if __name__ == "__main__":
    main()
