r"""A caster identified from a drop test: its springs, dampers and inertia, by two runs.

A landing gear's wheel is dropped on a belt that runs, a little swivelled. It straightens itself,
and the flexible strut swings. A laser sees the strut's deflection u, an encoder the swivel angle φ.
Wanted are the strut's stiffness and damping, the damping of the swivel, and the radius of gyration;
the mass was weighed.

Nobody's measurement: the records are calculated by hand, and random noise is added. At a distance l
from the swivel axis and at the belt's speed v, the wheel rolls without side slip:

    l φ̇ = u̇ cos φ - v sin φ.                                                           (rolling)

The virtual power of the inertia forces at the mass centre, of strut and swivel vanishes for
δφ = δu cos φ / l. `mbcore.fmus.caster` has the same mechanism of bodies, joints and a wheel.

One run tells next to nothing of the four: small motions have a characteristic polynomial of third
degree, three numbers for four values. The fit states deviations as large as the values. With a
second run at another speed they are known to some per cent. Its deviations are compared with those
of derivatives by hand.

Run: python examples/identification/caster_drop_test.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp

from mbcore import Fit, Run, fit, simulate
from mbcore.examples.common import ABOVE, figures_folder, plain, print_comparison, save, show
from mbcore.fmus import caster

MASS, TO_SWIVEL, TO_MASS_CENTRE = 1.0, 1.0, 0.2
"""kg, m, m: the start values of `mbcore.fmus.caster`."""
TRUE = {
    "strut.stiffness": 6.0,
    "strut.damping": 0.4,
    "swivel.damping": 0.5,
    "wheel.gyration_radius": 0.4,
}
"""N/m, N.s/m, N.m.s/rad and m."""
BOUNDS = {
    "strut.stiffness": (1.0, 20.0, 3.0),
    "strut.damping": (0.0, 3.0, 1.0),
    "swivel.damping": (0.0, 3.0, 1.0),
    "wheel.gyration_radius": (0.1, 1.0, 0.6),
}
"""And first guesses."""
SPEEDS = (0.8, 2.4)
"""Of the belt in both runs, m/s."""
SWIVELLED = (0.15, -0.12)
"""Angle when the wheel touches, rad."""
NOISE = {"strut.deflection": 5e-4, "swivel.angle": 1e-3}
"""Standard deviations, m and rad."""
TIMES = np.linspace(0.0, 6.0, 301)
"""Of the samples, s."""


def by_hand(values: Sequence[float], touched: float, v: float) -> np.ndarray:
    """Return deflection and swivel angle at all times by (rolling), shape (n, 2).

    The wheel touches with the swivel angle ``touched``, and the belt's speed is v.
    """
    stiffness, damping, swivel, radius = values
    l, to_centre = TO_SWIVEL, TO_SWIVEL - TO_MASS_CENTRE  # noqa: E741

    def rates(_: float, state: np.ndarray) -> list[float]:
        rate, u, phi = state
        s, c = np.sin(phi), np.cos(phi)
        turned = (rate * c - v * s) / l
        # φ'' = u'' cos φ / l + rest; then the mass centre's accelerations as parts with u'' and
        # without; the former are velocities by u', too
        rest = -turned * (rate * s + v * c) / l
        along = to_centre * s * c / l, to_centre * (s * rest + c * turned**2)
        across = 1 - to_centre * c * c / l, -to_centre * (c * rest - s * turned**2)
        inertia = MASS * radius**2 * c / l
        mass = MASS * (along[0] ** 2 + across[0] ** 2) + inertia * c / l
        force = MASS * (along[0] * along[1] + across[0] * across[1]) + inertia * rest
        force += stiffness * u + damping * rate + swivel * turned * c / l
        return [-force / mass, rate, turned]

    begin = (0.0, 0.0, touched)
    motion = solve_ivp(rates, (0.0, TIMES[-1]), begin, "DOP853", TIMES, rtol=1e-11, atol=1e-13)
    return np.asarray(motion.y[1:].T)


def records() -> list[Run]:
    """Return both runs with noise; the strut is at rest when the wheel touches."""
    random, found = np.random.default_rng(4), []
    for touched, speed in zip(SWIVELLED, SPEEDS, strict=True):
        columns = by_hand(list(TRUE.values()), touched, speed).T
        measured = {
            name: column + random.normal(0.0, deviation, column.size)
            for (name, deviation), column in zip(NOISE.items(), columns, strict=True)
        }
        start = {"strut.deflection": 0.0, "strut.deflection_rate": 0.0}
        inputs = {"attachment.speed": speed}
        found.append(Run({"time": TIMES} | measured, start=start, inputs=inputs))
    return found


def deviations_by_hand(noise: Sequence[float]) -> np.ndarray:
    """Return those of the four values, from derivatives of (rolling) by differences, (4,)."""
    unknown, blocks = [*TRUE.values(), *SWIVELLED], []
    for run, speed in enumerate(SPEEDS):
        columns = []
        for k, value in enumerate(unknown):
            step = np.zeros(len(unknown))
            step[k] = 1e-5 * value
            ends = [by_hand(x[:4], x[4 + run], speed) for x in (unknown + step, unknown - step)]
            columns.append(((ends[0] - ends[1]) / (2 * step[k]) / noise).ravel())
        blocks.append(np.column_stack(columns))
    derivatives = np.vstack(blocks)
    return np.sqrt(np.diag(np.linalg.inv(derivatives.T @ derivatives)))[: len(TRUE)]


def draw(both: Fit, alone: Fit, folder: Path) -> None:
    """Draw the records with the fit, and what one and two runs tell."""
    figure = Figure(figsize=(11.5, 6.2), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.25, 1))
    left = [figure.add_subplot(grid[i, 0]) for i in range(2)]
    titles = ("The strut swings", "The wheel aligns with its motion")
    for axes, (name, one), title in zip(left, both.sensors.items(), titles, strict=True):
        for k, speed in enumerate(SPEEDS):
            axes.plot(TIMES, 1e3 * one.measured[k], ".", color="0.7", markersize=3)
            axes.plot(TIMES, 1e3 * one.simulated[k], label=f"fit, {speed} m/s")
        axes.set_title(title, loc="left")
        plain(axes, "time (s)" if axes is left[1] else "",
              f"{name.replace('.', ' ')} ({'mm' if axes is left[0] else 'mrad'})")  # fmt: skip
    left[0].legend(frameon=False, ncols=2)
    axes = figure.add_subplot(grid[:, 1])
    for shift, fitted, name, colour in (
        (0.17, alone, "one run", "0.7"),
        (-0.17, both, "both runs", "C0"),
    ):
        parts = [100 * fitted.deviations[n] / v for n, v in TRUE.items()]
        axes.barh(np.arange(len(TRUE)) + shift, parts, 0.3, color=colour, label=name)
    axes.set_xscale("log")
    axes.set_yticks(
        range(len(TRUE)),
        ["radius of\ngyration" if "gyration" in n else n.replace(".", "\n") for n in TRUE],
    )
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    axes.set_title("Uncertainty of the estimates", loc="left", pad=26)
    plain(axes, "standard deviation (% of the true value)", "")
    save(figure, folder, "caster_drop_test")


def main() -> None:
    """Record, fit, compare and draw."""
    folder = figures_folder(__doc__)
    show(caster.model(), folder, "caster_drop_test", "Swivel wheel on a flexible strut", view=ABOVE)
    equations = caster.model().equations()
    runs = records()
    alone, both = fit(equations, runs[:1], BOUNDS), fit(equations, runs, BOUNDS)
    rows = []
    for touched, speed in zip(SWIVELLED, SPEEDS, strict=True):
        motion = simulate(
            equations, TIMES[-1], samples=TIMES.size, rtol=1e-10, atol=1e-12, parameters=TRUE,
            start={"swivel.angle": touched}, inputs={"attachment.speed": speed},
        )  # fmt: skip
        largest = by_hand(list(TRUE.values()), touched, speed)[:, 0].max()
        ours = float(motion["strut.deflection"].max())
        rows.append((f"{speed} m/s: largest deflection (m)", ours, float(largest)))
    rows += [(f"{name}, estimated (true)", both.values[name], true) for name, true in TRUE.items()]
    own = deviations_by_hand([one.deviation for one in both.sensors.values()])
    rows += [
        (f"deviation of {name}", both.deviations[name], float(deviation))
        for name, deviation in zip(TRUE, own, strict=True)
    ]
    print_comparison("A caster identified from a drop test", rows)
    first = next(iter(TRUE))
    wider = alone.deviations[first] / both.deviations[first]
    print(f"one run alone: the deviation of {first} is {wider:.0f} times as large")
    for name, one in both.sensors.items():
        verdict = "white" if one.whiteness.white else "not white"
        print(f"{name}: noise {one.deviation:.3g} {one.unit} (drawn {NOISE[name]:g}), {verdict}")
    draw(both, alone, folder)


if __name__ == "__main__":
    main()
