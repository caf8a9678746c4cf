r"""A disk that slides where it must: thrown upright, and wobbling along on ground with less grip.

The friction of a contact point is μ N against its slip, N the constraint force of the ground. Where
the slip comes to rest, the disk rolls, as long as that takes at most μ N. Here m = r = g = 1.

**Thrown upright** with the speed v and the backspin ω_0, the disk slides until it rolls on with
the speed v_1, and friction takes the energy W, by hand

    t_1 = (v + ω_0)/(3 μ),    v_1 = v - μ t_1,    W = (v + ω_0)²/6.

**Wobbling**, the disk of ``rolling_disk.py`` takes a friction of up to 0.5216 N. With μ = 0.3 it
slides through its first sharp turn, and rolls from then on, in circles that take less. The energy
that it loses is the work of the friction, which is integrated with the motion.

Run: python examples/rolling/sliding_disk.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import casadi as ca
from matplotlib.figure import Figure

from mbcore import Body, Friction, Hinge, Model, Result, Wheel, simulate
from mbcore.examples.common import (
    figures_folder,
    head,
    plain,
    print_comparison,
    save,
    show,
)

SPEED, BACKSPIN, GRIP = 1.5, 0.6, 0.2
"""Of the disk that is thrown, m/s, rad/s; friction coefficient of its ground."""
WOBBLING, RATE_OF_LEAN, LESS_GRIP = 0.4116, -0.01, 0.3
"""Of the disk that wobbles, m/s, rad/s; friction coefficient of its ground."""
DURATION = 20.0
"""Of the wobbling, s."""
SEEN = (5.0, 19.2)
"""Times of its picture, s, at which the force is in front of the disk."""


def model(grip: float) -> Model:
    """Return the disk upright on ground with a friction coefficient."""
    disk = Model("sliding_disk", gravity=(0, 0, -1))
    yawed, leaned, body = (disk.rotation(name) for name in ("yawed", "leaned", "body"))
    centre, contact = disk.point("centre", (0, 0, 1)), disk.point("contact", (0, 0, 0))
    disk.add(Hinge("yaw hinge", disk.ground, yawed, axis=(0, 0, 1))).angle.dof("yaw")
    disk.add(Hinge("lean hinge", yawed, leaned, axis=(1, 0, 0))).angle.dof("lean")
    disk.add(Hinge("pitch hinge", leaned, body, axis=(0, 1, 0))).angle.dof("pitch")
    radius = disk.parameter("radius", 1.0, unit="m")
    wheel = disk.add(Wheel("wheel", centre, body, contact, radius=radius))
    contact.x.dof("x")
    contact.y.dof("y")
    disk.add(Body("disk", centre, body, mass=1, inertia=(1 / 4, 1 / 2, 1 / 4)))
    ground = disk.add(Friction("ground", wheel, coefficient=grip))
    disk.state("ground.work", ground.power, unit="J", visibility="output")
    disk.output("ground.ratio", ca.norm_2(ground.force) / ground.load)
    # the wheel's slips are over directions as long as its radius
    slips = [wheel.slips[name].velocity / radius for name in ("longitudinal", "lateral")]
    disk.output("slip", ca.norm_2(ca.vertcat(*slips)), unit="m/s")
    disk.output("energy", disk.kinetic_energy + disk.potential_energy, unit="J")
    return disk


@dataclass(frozen=True)
class Record:
    """Motions of the disk."""

    numbers: dict[str, float]
    expected: dict[str, float]
    thrown: Result
    wobbling: Result


def lost(motion: Result) -> float:
    """Return the loss of energy, J."""
    return float(motion["energy"][0] - motion.final("energy"))


def run() -> Record:
    """Throw the disk, and let it wobble."""
    accuracy = {"rtol": 1e-10, "atol": 1e-12}
    slip = SPEED + BACKSPIN
    rolls = slip / (3 * GRIP)
    start = {"x_rate": SPEED, "pitch_rate": -BACKSPIN}
    thrown = simulate(model(GRIP).equations(), 1.5 * rolls, start=start, **accuracy)
    start = {"x_rate": WOBBLING, "pitch_rate": WOBBLING, "lean_rate": RATE_OF_LEAN}
    wobbling = simulate(
        model(LESS_GRIP).equations(), DURATION, start=start, samples=2001, **accuracy
    )
    numbers = {
        "thrown: rolls at (s)": next(t for t, name in thrown.events if name == "ground.stops"),
        "thrown: rolls with (m/s)": thrown.final("x_rate"),
        "thrown: energy that friction takes (J)": lost(thrown),
        "wobbling: largest friction over normal force": float(wobbling["ground.ratio"].max()),
        "wobbling: energy that is not accounted for (J)": lost(wobbling)
        + wobbling.final("ground.work"),
        "wobbling: largest slip while it rolls (m/s)": float(
            wobbling["slip"][wobbling["ground.sticks"] > 0.5].max()
        ),
    }
    expected = {
        "thrown: rolls at (s)": rolls,
        "thrown: rolls with (m/s)": SPEED - GRIP * rolls,
        "thrown: energy that friction takes (J)": slip**2 / 6,
        "wobbling: largest friction over normal force": LESS_GRIP,
        "wobbling: energy that is not accounted for (J)": 0.0,
        "wobbling: largest slip while it rolls (m/s)": 0.0,
    }
    return Record(numbers, expected, thrown, wobbling)


def draw(record: Record, folder: Path) -> None:
    """Draw the wobbling disk, and slip, friction and energies of both."""
    title = "The disk on ground with less grip"
    show(record.wobbling, folder, "sliding_disk", title, times=SEEN, view=(-60, 45))
    figure = Figure(figsize=(10, 7), layout="constrained")
    grid = figure.subplots(2, 2, width_ratios=(1, 1.4))
    thrown, wobbling = record.thrown, record.wobbling
    axes = grid[0, 0]
    axes.plot(thrown.time, thrown["x_rate"], label="speed")
    axes.plot(thrown.time, thrown["pitch_rate"], label="rate of turning")
    plain(axes, "", "m/s, rad/s")
    head(axes, "Thrown, it slides, then rolls", 2)
    axes = grid[1, 0]
    axes.plot(thrown.time, thrown["energy"], label="energy")
    axes.plot(thrown.time, thrown["energy"][0] + thrown["ground.work"], "k:", label="by friction")
    plain(axes, "time (s)", "energy (J)")
    head(axes, "Energy lost to friction", 2)
    axes = grid[0, 1]
    axes.plot(wobbling.time, wobbling["ground.ratio"], label="friction / normal force")
    axes.plot(wobbling.time, wobbling["slip"], label="slip (m/s)")
    plain(axes, "", "")
    head(axes, "Wobbling, it slides once", 2)
    axes = grid[1, 1]
    axes.plot(wobbling.time, wobbling["energy"], label="energy")
    axes.plot(
        wobbling.time, wobbling["energy"][0] + wobbling["ground.work"], "k:", label="by friction"
    )
    plain(axes, "time (s)", "energy (J)")
    head(axes, "Sliding takes energy", 2)
    save(figure, folder, "sliding_disk")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    print_comparison(
        "A disk that slides where it must, m = r = g = 1",
        [(name, ours, record.expected[name]) for name, ours in record.numbers.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
