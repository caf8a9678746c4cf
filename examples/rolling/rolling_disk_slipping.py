r"""The rolling disk that may slip: contact forces linear in the slip, [Schwab2002] 3.6.1.

The disk of ``rolling_disk.py`` (m = r = g = 1), but its two slips are free and resisted by a force
F = -d s at the contact point, with the physical slip velocity s. The contact point's coordinates
are then degrees of freedom: five in all, and no kinematic coordinate.

For a large coefficient d the motion tends to that without slip; at t = 10 the distance falls as
1/d (yaw angle: 0.0504, 0.00498, 0.000498 for d = 1e2, 1e3, 1e4, derived by hand and integrated at
tolerances of 1e-12).

For small d the text says that the disk "will eventually come to the singular horizontal rest
position". That is not what happens for every coefficient: for d = 0.1 and d = 1 the motion ends in
circling without slip around a centre at rest. In that motion the contact point runs around a circle
of radius r sin|φ| at the rate Ω. Without slip and with the centre at rest, the disk turns about the
line from the centre to the contact point, with -Ω cos φ; its angular momentum along that line,
m r² Ω cos φ / 4, goes round with Ω under the moment m g r sin φ of the normal force, hence

    Ω² = 4 g / (r cos φ),

which is how the end state is checked here.

Run: python examples/rolling/rolling_disk_slipping.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore import Body, Hinge, Model, Result, Wheel, simulate
from mbcore.examples.common import (
    figures_folder,
    head,
    plain,
    print_comparison,
    save,
    show,
)
from mbcore.examples.rolling.rolling_disk import model as rolling_model

SPEED, RATE_OF_LEAN = 0.4116, -0.01
NEAR_ROLLING = {1e2: 0.0504, 1e3: 0.00498, 1e4: 0.000498}
"""Distance in yaw to the motion without slip at t = 10."""
SLIPPING = {0.1: 700.0, 1.0: 200.0}
"""Coefficients, and how long it takes until the slip has gone."""


def model() -> Model:
    """Return the disk whose contact resists slip linearly."""
    disk = Model("slipping disk", gravity=(0, 0, -1))
    d = disk.parameter("slip.coefficient", 1.0, unit="N.s/m", minimum=0.0)
    yaw, lean, pitch = (disk.rotation(name) for name in ("yaw", "lean", "pitch"))
    centre, contact = disk.point("centre", (0, 0, 1)), disk.point("contact", (0, 0, 0))
    disk.add(Hinge("yaw hinge", disk.ground, yaw, axis=(0, 0, 1))).angle.dof("yaw")
    leaning = disk.add(Hinge("lean hinge", yaw, lean, axis=(1, 0, 0))).angle
    leaning.dof("lean", "lean_rate", rate_start=RATE_OF_LEAN)
    pitching = disk.add(Hinge("pitch hinge", lean, pitch, axis=(0, 1, 0))).angle
    pitching.dof("pitch", "pitch_rate", rate_start=SPEED)
    wheel = disk.add(Wheel("wheel", centre, pitch, contact, radius=1))
    for slip in (wheel.longitudinal, wheel.lateral):
        slip.release().law(d * slip.velocity)
    contact.x.dof("contact.x", "contact.x_rate", rate_start=SPEED)
    contact.y.dof("contact.y", "contact.y_rate")
    disk.add(Body("disk", centre, pitch, mass=1, inertia=(1 / 4, 1 / 2, 1 / 4)))
    disk.output("slip.longitudinal", wheel.longitudinal.velocity, unit="m/s")
    disk.output("slip.lateral", wheel.lateral.velocity, unit="m/s")
    for i, axis in enumerate("xyz"):
        disk.output(f"centre.{axis}", centre.position[i], unit="m")
        disk.output(f"centre.velocity_{axis}", centre.velocity[i], unit="m/s")
    disk.output("energy", disk.kinetic_energy + disk.potential_energy, unit="J")
    return disk


@dataclass(frozen=True)
class Record:
    """Results of ``run``: distances to rolling by coefficient, and the slipping motions."""

    distances: dict[float, float]
    motions: dict[float, Result]


def run() -> Record:
    """Simulate near rolling to t = 10, and slipping for a long time."""
    rolling = simulate(rolling_model().equations(), 10, rtol=1e-11, atol=1e-12)
    equations = model().equations()
    distances = {}
    for d in NEAR_ROLLING:
        near = simulate(
            equations, 10, parameters={"slip.coefficient": d}, method="Radau", rtol=1e-9, atol=1e-11
        )
        distances[d] = abs(near.final("yaw") - rolling.final("disk.yaw"))
    motions = {
        d: simulate(
            equations,
            until,
            parameters={"slip.coefficient": d},
            rtol=1e-8,
            atol=1e-10,
            samples=round(50 * until) + 1,
        )
        for d, until in SLIPPING.items()
    }
    return Record(distances, motions)


def circling(motion: Result) -> dict[str, float]:
    """Return what is left of slip and of the centre's speed, and Ω beside its closed form."""
    slip = np.hypot(motion["slip.longitudinal"], motion["slip.lateral"])
    speed = np.hypot(motion["centre.velocity_x"], motion["centre.velocity_y"])
    return {
        "slip": float(slip[-1]),
        "speed of the centre": float(speed[-1]),
        "rate of circling": float(motion.final("yaw_rate")),
        "closed form": float(np.sqrt(4 / np.cos(motion.final("lean")))),
    }


def draw(record: Record, folder: Path) -> None:
    """Draw the disk, and paths, height and slip of its motions."""
    title = "The slipping disk, until t = 12 √(r/g)"
    seen = record.motions[1.0]
    show(seen, folder, "rolling_disk_slipping", title, times=(12.0,), view=(-60, 35))
    figure = Figure(figsize=(10, 8), layout="constrained")
    figure.suptitle(
        "A disk that may slip wobbles less and less, and ends circling without slip "
        "around a centre at rest"
    )
    grid = figure.subplots(2, 2, height_ratios=(1.7, 1))
    for column, (d, motion) in enumerate(record.motions.items()):
        axes = grid[0, column]
        axes.plot(motion["contact.x"], motion["contact.y"], linewidth=0.4, label="contact point")
        axes.plot(motion["centre.x"], motion["centre.y"], linewidth=1.4, label="centre")
        axes.set_aspect("equal")
        plain(axes, "x / r", "y / r")
        head(axes, f"Paths from above, d = {d:g} m √(g/r)", 2)
        below = grid[1, column]
        slip = np.hypot(motion["slip.longitudinal"], motion["slip.lateral"])
        below.semilogy(
            motion.time, np.maximum(slip, 1e-16), linewidth=0.8, label="speed of slip / √(gr)"
        )
        below.semilogy(
            motion.time, motion["centre.z"], linewidth=1.2, label="height of the centre / r"
        )
        below.set_ylim(1e-7, 3)
        below.set_xlim(0, motion.time[-1])
        plain(below, "time / √(r/g)", "slip / √(gr), height / r" if column == 0 else "")
        head(below, "The slip goes, the height stays", 2)
    save(figure, folder, "rolling_disk_slipping")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    print_comparison(
        "Distance in yaw to the motion without slip, t = 10",
        [(f"d = {d:g}", record.distances[d], NEAR_ROLLING[d]) for d in NEAR_ROLLING],
    )
    for d, motion in record.motions.items():
        end = circling(motion)
        print_comparison(
            f"End state for d = {d:g}, t = {SLIPPING[d]:g}",
            [
                ("slip that is left", end["slip"], 0.0),
                ("speed of the centre that is left", end["speed of the centre"], 0.0),
                ("rate of circling", end["rate of circling"], end["closed form"]),
            ],
        )
    draw(record, folder)


if __name__ == "__main__":
    main()
