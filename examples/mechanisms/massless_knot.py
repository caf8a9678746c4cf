r"""Three springs that meet in a massless knot, which is pulled until it snaps through.

Two springs of stiffness k and length l_0 lean against each other over the span 2 a: von Mises'
truss, whose knot has no mass. A third spring k_3 pulls the knot down, its far end at -u. The forces
on the knot balance at all times,

    2 k y (l_0/√(a² + y²) - 1) = k_3 (u + y - r_3),

y its height and r_3 the rest length. This holds up to where the stiffness vanishes,

    (a² + y²)^(3/2) = 2 k l_0 a² / (2 k + k_3).

There the knot would jump to the other side. It has no mass that could say how, so the simulation
stops by name. With a stiffer third spring the knot goes through without a jump.

Numbers: a = 1 m, height 0.3 m without load, k = 1000 N/m, r_3 = 0.5 m, k_3 = 50 and 250 N/m; the
end goes down by 0.1 m/s.

Run: python examples/mechanisms/massless_knot.py [--figures DIR]
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import brentq

from mbcore import MasslessNode, Model, ModelWarning, Result, SimulationError, Truss, simulate
from mbcore.examples.common import figures_folder, head, picture, plain, print_comparison, save

HALF, HEIGHT, STIFFNESS = 1.0, 0.3, 1000.0
"""a and the height without load, m; k, N/m."""
REST, PACE, UNTIL = 0.5, 0.1, 12.0
"""r_3, m; of the end, m/s; s."""
SOFT, STIFF = 50.0, 250.0
"""k_3, N/m."""
LENGTH = float(np.hypot(HALF, HEIGHT))


def model(pull: float) -> Model:
    """Return the truss with a third spring of stiffness ``pull``, N/m."""
    truss = Model("massless_knot")
    knot, end = truss.point("knot", (0, HEIGHT)), truss.point("end", (0, HEIGHT - REST))
    for name, place in (("left", -HALF), ("right", HALF)):
        foot = truss.point(name, (place, 0), fixed=True)
        bar = truss.add(Truss(f"{name} spring", knot, foot, rest_length=LENGTH))
        bar.elongation.release().spring(STIFFNESS)
    third = truss.add(Truss("third spring", knot, end, rest_length=REST))
    third.elongation.release().spring(pull)
    end.x.fix()
    end.y.prescribe(HEIGHT - REST - PACE * truss.time)
    truss.add(MasslessNode("meeting", knot))
    truss.output("height", knot.y.value, unit="m")
    truss.output("speed", knot.y.rate, unit="m/s")
    truss.output("pull", third.elongation.stress, unit="N")
    return truss


def carried(y: float | np.ndarray) -> float | np.ndarray:
    """Return the force that both springs carry at a height, N, downwards."""
    return 2 * STIFFNESS * y * (LENGTH / np.hypot(HALF, y) - 1)


def time_of(y: float | np.ndarray, pull: float) -> float | np.ndarray:
    """Return when the knot is at a height, s."""
    return (HEIGHT - y + carried(y) / pull) / PACE


def fold(pull: float) -> float:
    """Return the height at which the balance ceases to be stable, m."""
    size = 2 * STIFFNESS * LENGTH * HALF**2 / (2 * STIFFNESS + pull)
    return float(np.sqrt(size ** (2 / 3) - HALF**2))


@dataclass(frozen=True)
class Record:
    """Both motions, and numbers with their closed forms."""

    soft: Result
    stiff: Result
    numbers: dict[str, float]
    expected: dict[str, float]


def run() -> Record:
    """Pull the knot by a soft spring, until it snaps, and by a stiff one."""
    with warnings.catch_warnings():  # told: the knot could start below the end of the third spring
        warnings.simplefilter("ignore", ModelWarning)
        equations, stiffer = (model(pull).equations() for pull in (SOFT, STIFF))
    try:
        simulate(equations, UNTIL)
    except SimulationError as stop:
        snaps = stop.time  # type: ignore[attr-defined]
    soft = simulate(equations, 0.9999 * snaps, rtol=1e-11, atol=1e-13)
    stiff = simulate(
        stiffer,
        UNTIL,
        rtol=1e-11,
        atol=1e-13,
        samples=np.arange(0, UNTIL + 0.1, 0.1),
    )
    middle = brentq(lambda y: time_of(y, STIFF) - 5.0, -1.0, HEIGHT, xtol=1e-14)
    slope = PACE * STIFF
    slope /= STIFF + 2 * STIFFNESS * (1 - LENGTH * HALF**2 / np.hypot(HALF, middle) ** 3)
    late = brentq(lambda y: time_of(y, SOFT) - soft.time[-1], fold(SOFT), HEIGHT, xtol=1e-14)
    numbers = {
        "soft: snaps at (s)": snaps,
        "soft: height before (m)": soft.final("height"),
        "stiff: height at 5 s (m)": float(stiff["height"][50]),
        "stiff: speed at 5 s (m/s)": float(stiff["speed"][50]),
    }
    values = (float(time_of(fold(SOFT), SOFT)), late, middle, -slope)
    return Record(soft, stiff, numbers, dict(zip(numbers, values, strict=True)))


def draw(record: Record, folder: Path) -> None:
    """Draw the springs, and the height of the knot over time."""
    figure = Figure(figsize=(7, 3.4), layout="constrained")
    picture(figure.add_subplot(), model(SOFT), "Three springs meet in a massless knot")
    save(figure, folder, "massless_knot_system")
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.add_subplot()
    heights = np.linspace(HEIGHT, -1.1, 400)
    for pull, motion, colour in ((SOFT, record.soft, "C1"), (STIFF, record.stiff, "C0")):
        times = time_of(heights, pull)
        balance = "balance by hand" if pull == SOFT else None
        axes.plot(times, heights, "--", color=colour, linewidth=1, alpha=0.6, label=balance)
        label = f"third spring {pull:g} N/m"
        axes.plot(motion.time, motion["height"], color=colour, label=label)
    snap = record.expected["soft: snaps at (s)"]
    axes.plot(snap, fold(SOFT), "k.", markersize=8)
    axes.annotate("snaps", (snap, fold(SOFT)), (6, 4), textcoords="offset points")
    axes.set_xlim(0, UNTIL)
    axes.set_ylim(-0.65, 0.35)
    plain(axes, "time (s)", "height of the knot (m)")
    head(axes, "A soft third spring ends in a jump", 3)
    save(figure, folder, "massless_knot")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    print_comparison(
        "Massless knot between three springs, closed form",
        [(name, record.numbers[name], record.expected[name]) for name in record.numbers],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
