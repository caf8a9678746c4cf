r"""An oscillator on a belt, which sticks and slips: its limit cycle and multipliers by pieces.

A mass m on a spring k lies on a belt that goes on at the speed v. Friction is at most μ_s N in
stick, μ N in slip, with N = m g. The mass goes along with the belt until the spring pulls as
strongly as static friction can,

    k x = μ_s N,    ẋ = v.

Then it slips, and vibrates freely about the place k x = μ N, with ω² = k/m, until its speed is v
again. With A = (μ_s - μ) N/k that is where x - μ N/k = -A, and the period is

    T = 2 A/v + (2 π - 2 arctan(A ω/v))/ω.

Where it begins to slip, nothing is left of what it did before: one multiplier is 0. The motion
depends neither on the time nor on how far the belt has come: two are 1.

Run: python examples/vibration/belt_oscillator.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan, pi, sqrt
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.figure import Figure

from mbcore import Body, Friction, Model, Slide
from mbcore.drawing import box, disc, line
from mbcore.examples.common import (
    figures_folder,
    head,
    plain,
    print_comparison,
    save,
    show,
)
from mbcore.vibration import PeriodicSolution, periodic_solution

MASS, STIFFNESS, GRAVITY = 2.0, 8.0, 9.81
"""kg, N/m, m/s²."""
KINETIC, STATIC, SPEED = 0.2, 0.35, 0.3
"""Coefficients of friction; speed of the belt, m/s."""
ROLLER, ENDS = 0.08, (0.0, 1.2)
"""Of the belt that is drawn, m."""
LABELS = {"belt": ("belt, which goes on at v", 0.0, -48.0)}
NATURAL = sqrt(STIFFNESS / MASS)
"""ω, rad/s."""
MIDDLE = KINETIC * MASS * GRAVITY / STIFFNESS
REACH = (STATIC - KINETIC) * MASS * GRAVITY / STIFFNESS
"""Place about which the mass slips, and A, m."""


def model(speed: float = SPEED) -> Model:
    """Return the mass on its spring and on a belt that goes on."""
    system = Model("belt_oscillator", gravity=(0, -GRAVITY))
    wall, frame = system.point("wall", (0, 0), fixed=True), system.angle("frame", fixed=True)
    belt, block = system.point("belt", (0, 0)), system.point("block", (MIDDLE, 0))
    system.add(Body("mass", block, frame, mass=MASS))
    gone = system.state("gone", speed, unit="m")
    system.add(Slide("bed", wall, frame, belt, axis=(1, 0))).displacement.prescribe(gone)
    slide = system.add(Slide("slide", belt, frame, block, axis=(1, 0)))
    block.x.dof("x", "v").spring(STIFFNESS)
    friction = Friction("friction", slide, coefficient=KINETIC, static=STATIC)
    system.output("friction", system.add(friction).force, unit="N")
    show_belt(system, gone)
    return system


def show_belt(system: Model, gone: ca.SX) -> None:
    """Show the mass as a box on a belt over two rollers, which turn."""
    for element in ("bed", "slide"):
        system.elements[element].visible = False
    place, turned = system.nodes["block"].position, gone / ROLLER
    system.show(box(place, None, (0.16, 0.12, 0.1), name="block"))
    turn = ca.vertcat(
        ca.horzcat(ca.cos(turned), ca.sin(turned)), ca.horzcat(-ca.sin(turned), ca.cos(turned))
    )
    level = -0.06 - ROLLER
    for end in ENDS:
        wheel = disc((end, level, 0), ca.diagcat(turn, 1), ROLLER, 0.05, axle=(0, 0, 1))
        system.show(wheel)
    for side in (-ROLLER, ROLLER):
        name = "belt" if side > 0 else "back"
        system.show(line([(end, level + side) for end in ENDS], name=name))


def period(speed: float) -> float:
    """Return the period of stick and slip by pieces, s."""
    return 2 * REACH / speed + (2 * pi - 2 * atan(REACH * NATURAL / speed)) / NATURAL


def by_pieces(after: np.ndarray) -> np.ndarray:
    """Return where the mass is at times after it begins to slip, m."""
    slips = (2 * pi - 2 * atan(REACH * NATURAL / SPEED)) / NATURAL
    turned = NATURAL * np.minimum(after, slips)
    slipping = MIDDLE + REACH * np.cos(turned) + SPEED / NATURAL * np.sin(turned)
    return slipping + SPEED * np.maximum(after - slips, 0)


def begins(cycle: PeriodicSolution) -> float:
    """Return when the mass begins to slip, s; at the time 0 it sticks."""
    slips_at = STATIC * MASS * GRAVITY / STIFFNESS
    return (slips_at - float(cycle["x"](0.0))) / SPEED


@dataclass(frozen=True)
class Record:
    """The limit cycle."""

    numbers: dict[str, float]
    expected: dict[str, float]
    cycle: PeriodicSolution


def run() -> Record:
    """Find the limit cycle from a guess, and compare it with the closed form by pieces."""
    cycle = periodic_solution(
        model().equations(),
        1.02 * period(SPEED),
        guess={"x": MIDDLE + 0.95 * REACH, "v": SPEED},
        autonomous=True,
    )
    times = np.linspace(0.0, cycle.period, 201)
    after = (times - begins(cycle)) % period(SPEED)
    apart = [float(cycle["x"](t)) for t in times] - by_pieces(after)
    sizes = np.sort(np.abs(cycle.multipliers))
    numbers = {
        "period (s)": cycle.period,
        "largest difference of the place from the pieces (m)": float(np.abs(apart).max()),
        **{f"multiplier {i + 1}": float(size) for i, size in enumerate(sizes)},
    }
    expected = {
        "period (s)": period(SPEED),
        "largest difference of the place from the pieces (m)": 0.0,
        "multiplier 1": 0.0,
        "multiplier 2": 1.0,
        "multiplier 3": 1.0,
    }
    return Record(numbers, expected, cycle)


def draw(record: Record, folder: Path) -> None:
    """Draw the mass on the belt, its cycle, and the place over time."""
    cycle = record.cycle
    title = "Mass on a spring and on a belt, where it begins to slip"
    show(cycle, folder, "belt_oscillator", title, times=(begins(cycle),), labels=LABELS)
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    phase, place = figure.subplots(1, 2, width_ratios=(1, 1.3))
    times = np.linspace(0.0, cycle.period, 401)
    x, v = (np.array([float(cycle[name](t)) for t in times]) for name in "xv")
    phase.plot(x, v)
    phase.plot(MIDDLE, 0, "k+")
    plain(phase, "place x (m)", "speed (m/s)")
    phase.set_title("Cycle of stick and slip", loc="left")
    place.plot(times, x, label="found")
    place.plot(times, by_pieces((times - begins(cycle)) % cycle.period), "k:", label="by pieces")
    plain(place, "time (s)", "place x (m)")
    head(place, "It goes along with the belt, then slips", 2)
    save(figure, folder, "belt_oscillator")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    print_comparison(
        "Limit cycle of an oscillator on a belt",
        [(name, ours, record.expected[name]) for name, ours in record.numbers.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
