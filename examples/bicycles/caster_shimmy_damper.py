r"""A shimmy damper added to the caster's FMU from outside.

The bare gear of [Schwab2002] 3.5.2 with the mass centre at a = 0.2 l shimmies: about straight
running its eigenvalues are -0.917539 and 0.058769 ± 1.142100 i (m = l = v = 1, k = 0.3). A
controller samples swivel.rate at 100 Hz and holds

    `swivel.torque` = -c `swivel.rate`

for the step, as a digital shimmy damper would. The growth rate is measured from the FMU's motion
at small amplitude: the slope of the logarithm of the extremes of strut.deflection.

References: without damper the table derived by hand; with damper the eigenvalue that
``mbcore.linearize`` finds for the same model with swivel.damping = c. The latter acts without
delay. The effect of sampling and holding follows exactly from the linear model over one step h,

    x₊ = (e^{A h} - ∫ e^{A s} ds B c C) x,    λ = ln(eigenvalue) / h,

and is printed as well. At c = 0.05 the gear is exactly at its limit of stability.

Run: python examples/bicycles/caster_shimmy_damper.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.linalg import expm

from mbcore import Linearization, linearize
from mbcore.examples.common import figures_folder, plain, print_comparison, save
from mbcore.examples.cosimulation import built
from mbcore.examples.swivel_picture import show_swivelled
from mbcore.fmi import LoopOptions, closed_loop
from mbcore.fmus import caster

STEP = 0.01
"""Communication step and sampling time of the damper, s."""
DURATION = 40.0
SETTLED = 12.0
"""When the mode without oscillation has died away, s."""
AMPLITUDE = 1e-3
"""Swivel angle at the start, rad: small enough for the linear theory."""
DAMPER = 0.1
"""c, N m s/rad."""
BARE = 0.058769 + 1.142100j
"""Eigenvalue without damper, derived by hand."""


@dataclass(frozen=True)
class Motion:
    """The FMU's motion with a damper, and the eigenvalue that it shows."""

    damper: float
    time: np.ndarray
    deflection: np.ndarray
    torque: np.ndarray
    measured: complex


@dataclass(frozen=True)
class Record:
    """Motions without and with damper; eigenvalues of the linear model with it."""

    bare: Motion
    damped: Motion
    continuous: complex
    """From swivel.damping = c."""
    sampled: complex
    """From the torque sampled and held."""


def move(fmu: Path, damper: float) -> Motion:
    """Simulate the FMU with a damper and measure growth rate and frequency."""
    found = closed_loop(
        fmu,
        lambda time, measured: {"swivel.torque": -damper * measured["swivel.rate"]},
        sample_time=STEP,
        until=DURATION,
        start={"swivel.angle": AMPLITUDE},
        options=LoopOptions(tolerance=1e-10),
    )
    time, deflection = found.time, found["strut.deflection"]
    return Motion(damper, time, deflection, found["swivel.torque"], eigenvalue(time, deflection))


def eigenvalue(time: np.ndarray, motion: np.ndarray) -> complex:
    """Return growth rate and frequency from the extremes of an oscillation once it has settled."""
    times, sizes = extremes(time, motion)
    settled = times > SETTLED
    growth = np.polyfit(times[settled], np.log(np.abs(sizes[settled])), 1)[0]
    frequency = np.pi / np.mean(np.diff(times[settled]))
    return complex(growth, frequency)


def extremes(time: np.ndarray, motion: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return times and values of the extremes, by a parabola through each three samples."""
    before, top, after = motion[:-2], motion[1:-1], motion[2:]
    at = np.flatnonzero((top - before) * (after - top) < 0)
    slope, bend = (after - before)[at] / 2, (before - 2 * top + after)[at]
    step = time[1] - time[0]
    return time[at + 1] - slope / bend * step, top[at] - slope**2 / (2 * bend)


def shimmy(values: np.ndarray) -> complex:
    """Return the eigenvalue that oscillates."""
    return complex(values[np.argmax(values.imag)])


def sampled_eigenvalue(bare: Linearization, damper: float) -> complex:
    """Return the shimmy's eigenvalue with the damper's torque sampled and held."""
    inputs = [i.name for i in bare.equations.inputs]
    outputs = [o.name for o in bare.equations.outputs]
    torque, rate = inputs.index("swivel.torque"), outputs.index("swivel.rate")
    states = len(bare.state_names)
    augmented = np.zeros((states + 1, states + 1))
    augmented[:states, :states] = bare.state_matrix
    augmented[:states, states] = bare.input_matrix[:, torque]
    over_step = expm(augmented * STEP)[:states]
    closed = over_step[:, :states] - damper * np.outer(
        over_step[:, states], bare.output_matrix[rate]
    )
    return shimmy(np.log(np.linalg.eigvals(closed).astype(complex)) / STEP)


def run(damper: float = DAMPER, fmu: Path | None = None) -> Record:
    """Simulate without and with damper.

    Parameters
    ----------
    damper : float
        c, N m s/rad.
    fmu : Path, optional
        The caster, FMI 3.0; by default that in ``build/``, exported where missing.
    """
    path = fmu or built(caster)
    equations = caster.model().equations()
    straight = {"swivel.angle": 0.0}
    continuous = linearize(equations, straight, parameters={"swivel.damping": damper})
    return Record(
        bare=move(path, 0.0),
        damped=move(path, damper),
        continuous=shimmy(continuous.eigenvalues()),
        sampled=sampled_eigenvalue(linearize(equations, straight), damper),
    )


def draw(record: Record, folder: Path) -> None:
    """Draw growth and decay with their envelopes, and the damper's torque."""
    figure = Figure(figsize=(8.5, 6), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    bare, damped = record.bare, record.damped
    for motion, expected, color, name in (
        (bare, BARE, "#c4501b", "no damper"),
        (damped, record.continuous, "#1f5fa8", f"damper, c = {damped.damper:g} N m s/rad"),
    ):
        upper.plot(motion.time, 1e3 * motion.deflection, color=color, linewidth=1.5, label=name)
        times, sizes = extremes(motion.time, 1e3 * motion.deflection)
        settled = times > SETTLED
        upper.plot(times[settled], sizes[settled], "o", color=color, markersize=4)
        first = int(np.argmax(settled))
        late = motion.time[motion.time > times[first]]
        size = abs(sizes[first]) * np.exp(expected.real * (late - times[first]))
        for sign, label in ((1, f"reference, growth rate {expected.real:.4f} 1/s"), (-1, None)):
            upper.plot(
                late, sign * size, color=color, linestyle="--", linewidth=1, alpha=0.7, label=label
            )
    upper.set_title("caster.fmu, started with a swivel angle of 1 mrad", loc="left")
    upper.set_ylim(top=1.45 * upper.get_ylim()[1])
    upper.legend(ncols=2, loc="upper left", frameon=False)
    plain(upper, "", "deflection of the strut (mm)")
    lower.plot(damped.time, 1e3 * damped.torque, color="#1f5fa8", drawstyle="steps-post")
    lower.set_title("Torque of the damper, sampled at 100 Hz", loc="left")
    lower.set_xlim(0, DURATION)
    plain(lower, "time (s)", "torque (mN m)")
    save(figure, folder, "caster_shimmy_damper")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    title = "Caster with a damper at its swivel: turned aside, its strut bent"
    show_swivelled(caster.model(), folder, "caster_shimmy_damper", title)
    record = run()
    bare, damped = record.bare.measured, record.damped.measured
    print_comparison(
        "Shimmy of caster.fmu without damper [Schwab2002] 3.5.2, a = 0.2",
        [
            ("growth rate", bare.real, BARE.real),
            ("frequency", bare.imag, BARE.imag),
        ],
    )
    print_comparison(
        f"With the damper c = {DAMPER:g} at 100 Hz",
        [
            ("growth rate; linearize, swivel.damping", damped.real, record.continuous.real),
            ("frequency; linearize, swivel.damping", damped.imag, record.continuous.imag),
            ("growth rate; linearize, sampled and held", damped.real, record.sampled.real),
            ("frequency; linearize, sampled and held", damped.imag, record.sampled.imag),
        ],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
