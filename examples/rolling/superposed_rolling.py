r"""Small vibrations superposed on rolling: a wheel led along a circle, [Schwab2002] 2.4.2.

A disk of mass m and radius r is led along a circle: it yaws at Ω and turns about its axle at ω,
both prescribed. It leans and steers against springs, with small angles φ and δ, the degrees of
freedom. Where the contact is, x and y, are kinematic coordinates.

`superpose` makes equations of the nominal motion, on the circle of the radius r ω/Ω, and of the
small vibrations about it, to first order [Schwab2002] (2.41). The moment that keeps the disk
upright on the circle is, about the contact with I = m r²/2,

    M = (I + m r²) ω Ω.

The full equations tell the error of the first order: it is of second order in the vibrations. At
the largest ones, terms of third order show as well; the order is that of the two smallest. The
superposed equations run as an FMU, too.

A speed at which wheels roll is not small: it must be prescribed, as ω is here.

Run: python examples/rolling/superposed_rolling.py [--figures DIR]
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fmpy import simulate_fmu
from matplotlib.figure import Figure

from mbcore import Body, Equations, Hinge, Model, Result, Wheel, simulate, superpose
from mbcore.examples.common import (
    figures_folder,
    head,
    plain,
    print_comparison,
    save,
    show,
)
from mbcore.fmi import Component, export

MASS, RADIUS, SPIN, TURN = 2.0, 0.3, 6.0, 0.8
"""kg, m, rad/s, rad/s."""
HOLDING = 1.5 * MASS * RADIUS**2 * SPIN * TURN
"""Moment that keeps the disk upright, N.m."""
CIRCLE, QUARTER = RADIUS * SPIN / TURN, np.pi / 2 / TURN
"""Radius of the circle, m, and time of a quarter of it, s."""
START = {"lean": 0.1, "steer": 0.1, "lean_rate": 0.15}
"""Of the largest vibration, rad and rad/s."""
SHARES = (1.0, 1 / 4, 1 / 16, 1 / 64, 1 / 128)
"""Of the largest vibration."""
COMPARED = ("lean", "steer", "x", "y")
"""Angles, rad, and places, m, at the end."""
ACCURACY = {"rtol": 1e-10, "atol": 1e-12}


def model() -> Model:
    """Return a disk led along a circle, which leans and steers against springs."""
    disk = Model("superposed_rolling", gravity=(0, 0, -9.81))
    names = ("yawed", "steered", "leaned", "body")
    yawed, steered, leaned, body = (disk.rotation(name) for name in names)
    centre, contact = disk.point("centre", (0, 0, RADIUS)), disk.point("contact", (0, 0, 0))
    yaw = disk.add(Hinge("yaw", disk.ground, yawed, axis=(0, 0, 1))).angle
    steer = disk.add(Hinge("steer", yawed, steered, axis=(0, 0, 1))).angle
    lean = disk.add(Hinge("lean", steered, leaned, axis=(1, 0, 0))).angle
    pitch = disk.add(Hinge("pitch", leaned, body, axis=(0, 1, 0))).angle
    wheel = disk.add(Wheel("wheel", centre, body, contact, radius=RADIUS))
    own = MASS * RADIUS**2 / 4
    disk.add(Body("disk", centre, body, mass=MASS, inertia=(own, 2 * own, own)))
    yaw.prescribe(TURN * disk.time)
    pitch.prescribe(SPIN * disk.time)
    lean.dof("lean", "lean_rate").spring(20.0)
    steer.dof("steer", "steer_rate").spring(5.0)
    lean.law(HOLDING)
    contact.x.kinematic("x")
    contact.y.kinematic("y")
    disk.output("side", wheel.lateral_force, unit="N")
    return disk


def moved(equations: Equations, share: float) -> Result:
    """Return the motion over a quarter of the circle with a share of the largest vibration."""
    start = {name: share * value for name, value in START.items()}
    return simulate(equations, QUARTER, start=start, samples=101, **ACCURACY)


def apart(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the largest difference of two ends, rad or m."""
    return max(abs(one[name] - other[name]) for name in COMPARED)


def end(motion: Result) -> dict[str, float]:
    """Return what is compared, rad and m."""
    return {name: motion.final(name) for name in COMPARED}


def as_fmu(equations: Equations) -> dict[str, float]:
    """Return the end of the superposed motion of the largest vibration by an FMU."""
    with tempfile.TemporaryDirectory() as folder:
        component = Component("superposed_rolling", "Vibrations about rolling", equations)
        [fmu] = export(component, folder, fmi="3.0")
        found = simulate_fmu(
            str(fmu),
            stop_time=QUARTER,
            start_values=START,
            output=list(COMPARED),
            relative_tolerance=1e-10,
            output_interval=QUARTER,
        )
    return {name: float(found[name][-1]) for name in COMPARED}


@dataclass(frozen=True)
class Record:
    """Motions of the largest vibration, full and superposed, and errors by shares of it."""

    numbers: dict[str, float]
    expected: dict[str, float]
    full: Result
    superposed: Result
    errors: dict[float, float]


def run() -> Record:
    """Follow vibrations by both equations."""
    full, superposed = model().equations(), superpose(model())
    motions = {share: (moved(full, share), moved(superposed, share)) for share in SHARES}
    errors = {share: apart(end(a), end(b)) for share, (a, b) in motions.items()}
    coarse, fine = [errors[share] for share in SHARES[-2:]]
    largest = motions[1.0]
    upright = moved(superposed, 0.0)
    numbers = {
        "upright: radius of the circle (m)": upright.final("x.nominal"),
        "upright: largest lean (rad)": float(np.abs(upright["lean"]).max()),
        "upright: lateral force (N)": float(np.abs(upright["side"]).max()),
        "order of the difference": float(np.log2(coarse / fine)),
        "FMU less simulate, at the end": apart(as_fmu(superposed), end(largest[1])),
    }
    expected = {
        "upright: radius of the circle (m)": CIRCLE,
        "upright: largest lean (rad)": 0.0,
        "upright: lateral force (N)": MASS * RADIUS * SPIN * TURN,
        "order of the difference": 2.0,
        "FMU less simulate, at the end": 0.0,
    }
    return Record(numbers, expected, *largest, errors)


def draw(record: Record, folder: Path) -> None:
    """Draw the disk, its path, and the error over the size of the vibration."""
    title = "Disk led along a circle, which leans and steers"
    times = (0.0, QUARTER / 2, QUARTER)
    show(record.full, folder, "superposed_rolling", title, times=times, view=(-60, 30))
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    lean, error = figure.subplots(1, 2, width_ratios=(1.3, 1))
    lean.plot(record.full.time, record.full["lean"], label="full")
    lean.plot(record.superposed.time, record.superposed["lean"], "--", label="superposed")
    plain(lean, "time (s)", "lean (rad)")
    head(lean, "Largest vibration", 2)
    sizes = [share * START["lean"] for share in SHARES]
    error.loglog(sizes, list(record.errors.values()), "o-", label="at the end")
    finest = record.errors[SHARES[-1]]
    error.loglog(sizes, [finest * (s / sizes[-1]) ** 2 for s in sizes], "k:", label="slope 2")
    plain(error, "lean at the start (rad)", "difference (rad, m)")
    head(error, "Superposed less full", 2)
    save(figure, folder, "superposed_rolling")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    print_comparison(
        "Small vibrations superposed on rolling",
        [(name, ours, record.expected[name]) for name, ours in record.numbers.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
