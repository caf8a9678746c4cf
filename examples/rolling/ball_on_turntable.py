r"""A ball on a turntable circles with two sevenths of the table's rate, wherever it is.

A ball of mass m, radius r and radius of gyration κ rolls without slip on a plane that turns with
Ω about its normal e_z. Its centre has the velocity v, and the contact condition is
v - r ω × e_z = Ω e_z × x. With the force F of the table,

    m v̇ = F + m g_t,    m κ² ω̇ = -r e_z × F,

and the rate of the contact condition, ω drops out [NeimarkFufaev]:

    v̇ = μ Ω e_z × v + (1 - μ) g_t,    μ = κ²/(κ² + r²).

On a level table the centre so moves in a circle with the rate μ Ω, 2/7 Ω for a solid ball and 2/5 Ω
for a hollow one, of the radius v/(μ Ω), about any place that the start chooses. On a table that is
tilted by α the circle drifts across the slope with (1 - μ) g sin α/(μ Ω), which for the solid ball
is 5 g sin α/(2 Ω): the ball does not come down.

The ball's rotation is free: its Euler parameters are kinematic states and its angular velocity is a
generalized speed, so that it may roll on through any orientation.

Run: python examples/rolling/ball_on_turntable.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore import Ball, Body, Hinge, Model, Result, simulate
from mbcore.drawing import COLOURS, dot, line, tube
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show

GRAVITY = 9.81
OMEGA = 2.0
"""Rate of the table, rad/s."""
MASS, RADIUS = 0.2, 0.03
SOLID, HOLLOW = 2 / 5, 2 / 3
"""Squares of the radius of gyration over that of the ball."""
PLACE, SPEED = 0.25, 0.15
"""Where the ball touches first, m from the table's middle along x, and its speed along y, m/s."""
TILT = np.radians(0.1)
EDGE, MARK, SEEN = 0.36, "#c17d11", 8.0
"""Radius of the table, m, colour of its mark, and when the ball is drawn, s."""

REFERENCE = {
    "solid: rate of circling / rate of the table": 2 / 7,
    "solid: radius of the circle (m)": SPEED * 7 / 2 / OMEGA,
    "solid: miss after one circle (m)": 0.0,
    "hollow: rate of circling / rate of the table": 2 / 5,
    "hollow: radius of the circle (m)": SPEED * 5 / 2 / OMEGA,
    "tilted: drift along the slope (m/s)": 0.0,
    "tilted: drift across the slope (m/s)": 5 * GRAVITY * np.sin(TILT) / (2 * OMEGA),
    "tilted: normal force / m g cos(tilt)": 1.0,
}


def model(shape: float = SOLID, tilt: float = 0.0) -> Model:
    """Return the ball on the table, on the table's axes: x is down the slope, z the normal."""
    table = Model("ball_on_turntable", gravity=(GRAVITY * np.sin(tilt), 0, -GRAVITY * np.cos(tilt)))
    rate = table.parameter("table.rate", OMEGA, unit="rad/s", description="about its normal")
    m = table.parameter("ball.mass", MASS, unit="kg", positive=True, description="mass")
    disk, middle = table.rotation("disk"), table.point("middle", (0, 0, 0), fixed=True)
    drive = table.add(Hinge("drive", table.ground, disk, axis=(0, 0, 1)))
    drive.angle.prescribe(rate * table.time)

    centre = table.point("centre", (PLACE, 0, RADIUS))
    contact, turning = table.point("contact", (PLACE, 0, 0)), table.rotation("turning")
    # v = Ω e_z × x + r ω × e_z at the start, along y
    spin = (OMEGA * PLACE - SPEED) / RADIUS
    turning.free("ball", axes="space", angular_velocity=(spin, 0.0, 0.0))
    ball = table.add(Ball("rolling", centre, turning, contact, radius=RADIUS, frame=(middle, disk)))
    inertia = shape * m * RADIUS**2
    table.add(Body("ball", centre, turning, mass=m, inertia=(inertia, inertia, inertia)))
    contact.x.kinematic("contact.x", PLACE)
    contact.y.kinematic("contact.y", 0.0)
    for i, axis in enumerate("xy"):
        table.output(f"velocity.{axis}", centre.velocity[i], unit="m/s")
        table.output(f"acceleration.{axis}", centre.acceleration[i], unit="m/s2")
    table.output("normal_force", ball.normal_force, unit="N", description="of the table")
    return table


@dataclass(frozen=True)
class Record:
    """Motions of the balls; names and units as in ``REFERENCE``."""

    motions: dict[str, Result]
    numbers: dict[str, float]


def run(rtol: float = 1e-12) -> Record:
    """Let a solid and a hollow ball go round once, and a solid one drift on a tilted table."""
    motions, numbers = {}, {}
    for name, shape, share in (("solid", SOLID, 2 / 7), ("hollow", HOLLOW, 2 / 5)):
        period = 2 * np.pi / (share * OMEGA)
        motion = simulate(model(shape).equations(), period, rtol=rtol, atol=1e-13, samples=401)
        motions[name] = motion
        numbers |= {f"{name}: {key}": value for key, value in circling(motion).items()}
    del numbers["hollow: miss after one circle (m)"]

    period = 2 * np.pi / (2 / 7 * OMEGA)
    tilted = simulate(
        model(tilt=float(TILT)).equations(), 2 * period, rtol=rtol, atol=1e-13, samples=801
    )
    motions["tilted"] = tilted
    x, y = (tilted[f"contact.{axis}"] for axis in "xy")
    normal = tilted["normal_force"] / (MASS * GRAVITY * np.cos(TILT))
    numbers |= {
        "tilted: drift along the slope (m/s)": (x[-1] - x[0]) / (2 * period),
        "tilted: drift across the slope (m/s)": abs(y[-1] - y[0]) / (2 * period),
        "tilted: normal force / m g cos(tilt)": float(normal[np.argmax(abs(normal - 1))]),
    }
    return Record(motions, numbers)


def circling(motion: Result) -> dict[str, float]:
    """Return the rate, the radius, and by how much the circle does not close."""
    velocity = motion["velocity.x"] + 1j * motion["velocity.y"]
    turned = np.unwrap(np.angle(velocity))
    place = motion["contact.x"] + 1j * motion["contact.y"]
    middle = place[:-1].mean()  # of points at equal distances on a whole circle
    distances = np.abs(place - middle)
    return {
        "rate of circling / rate of the table": (turned[-1] - turned[0]) / motion.time[-1] / OMEGA,
        "radius of the circle (m)": float(distances.mean()),
        "miss after one circle (m)": float(abs(place[-1] - place[0])),
    }


def draw(record: Record, folder: Path) -> None:
    """Draw the paths seen from above."""
    figure = Figure(figsize=(10, 5.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for name, label in (("solid", "solid, 2/7"), ("hollow", "hollow, 2/5")):
        motion = record.motions[name]
        left.plot(motion["contact.x"], motion["contact.y"], label=label)
    left.plot(0, 0, "k+", label="middle")
    left.plot(PLACE, 0, "ko", markersize=4, label="start")
    left.set_aspect("equal")
    head(left, "Ball on a level turning table: a circle", 4)
    plain(left, "x (m)", "y (m)")
    tilted = record.motions["tilted"]
    right.plot(tilted["contact.y"], -tilted["contact.x"])
    right.plot(0, -PLACE, "ko", markersize=4)
    right.set_aspect("equal")
    right.set_title("Table tilted by 0.1°: it drifts across", loc="left", pad=24)
    plain(right, "across the slope (m)", "up the slope (m)")
    save(figure, folder, "ball_on_turntable")


def show_table(folder: Path) -> None:
    """Write the picture of the ball and its path; a disk for a table would hide the path."""
    table = model()
    at = table.nodes["middle"], table.nodes["disk"]
    turns = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    around = np.array([np.cos(turns), np.sin(turns), 0 * turns]).T
    for share in (1 / 3, 2 / 3):
        table.show(line([tuple(share * EDGE * p) for p in around], closed=True), at=at)
    table.show(*(line([(0, 0, 0), tuple(EDGE * p)]) for p in around[4::4]), at=at)
    rim = [tuple(EDGE * p - (0, 0, 0.006)) for p in around]
    table.show(tube(rim, 0.006, closed=True, name="rim"), at=at)
    table.show(tube([(0, 0, 0), (EDGE, 0, 0)], 0.004, colour=MARK, name="mark"), at=at)
    table.show(dot(table.nodes["contact"], colour=COLOURS["force"], trail=True, name="path"))
    seen = simulate(table.equations(), SEEN, backend="python")
    title = "Ball on a turning table, and its path"
    show(seen, folder, "ball_on_turntable", title, times=(0.0, SEEN), view=(-58.0, 38.0))


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show_table(folder)
    record = run()
    print_comparison(
        "Ball on a turntable",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
