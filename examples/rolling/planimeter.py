"""Amsler's polar planimeter, [Schwab2002] 3.5.1: an area measured by a wheel that half slips.

The pole rod PQ turns about the fixed pole P; the moving arm MQF carries the pointer F at one end
and the measuring wheel at the other, M, with its axle along the arm. The wheel rolls without slip
perpendicular to the arm, s_1 = 0, and slides freely along its axle, s_2. When F has gone round a
contour with the pole outside, the wheel has turned by

    φ = A / (l r)                                                                          (3.41)

The model is that of the text: a rigid truss PQ, two rigid links QF and QM, a planar wheel. The
motion of F is prescribed, the rotation of the wheel is a kinematic coordinate, and there is no
degree of freedom: a system whose only differential equation is a non-holonomic constraint.

Numbers as in the text: R = l = 200 mm, r = 12.5 mm, q = QM = 40 mm, a square of 100 mm that F
travels counter-clockwise from its lower right corner, PQ being perpendicular to QF at the start.
Time here is the travelled distance in metres, so that rates are per travelled distance. The text's
3.9998 rad contains an integration error; exact is A / (l r) = 4. A circle as a second contour
gives π 40² / 2500.

Run: python examples/rolling/planimeter.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from mbcore import Model, PlanarWheel, Result, RigidLink, Truss, simulate
from mbcore.examples.common import figures_folder, plain, print_comparison, save, show

POLE_ROD, ARM, WHEEL_RADIUS, WHEEL_OFFSET = 0.2, 0.2, 0.0125, 0.04
SIDE = 0.1
CIRCLE_CENTRE, CIRCLE_RADIUS = (0.15, 0.25), 0.04

Contour = Callable[[ca.SX], tuple[ca.SX, ca.SX]]
"""Position of the pointer over the travelled distance."""

REFERENCE = {
    "rotation at 50 mm": -0.9036966846,
    "rotation at 150 mm": -0.5368691041,
    "rotation at 250 mm": 1.3410644645,
    "rotation at 350 mm": 3.4346772671,
    "rotation, whole square": 4.0,
    "longitudinal rate at 50 mm": -0.2817258,
    "lateral slip at 50 mm": 0.2505085,
    "rotation, whole circle": 2.010619298297,
}


def square(t: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return the square [100, 200] × [200, 300] mm: up, left, down, right."""

    def run_up(start: float) -> ca.SX:
        return ca.fmin(ca.fmax(t - start, 0), SIDE)

    x = POLE_ROD - run_up(SIDE) + run_up(3 * SIDE)
    return x, ARM + run_up(0) - run_up(2 * SIDE)


def circle(t: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return a circle, counter-clockwise."""
    turned = t / CIRCLE_RADIUS
    x, y = CIRCLE_CENTRE
    return x + CIRCLE_RADIUS * ca.cos(turned), y + CIRCLE_RADIUS * ca.sin(turned)


def model(contour: Contour = square) -> Model:
    """Return the planimeter whose pointer travels along a contour."""
    planimeter = Model("planimeter")
    P, Q = planimeter.point("P", (0, 0), fixed=True), planimeter.point("Q", (0, POLE_ROD))
    F = planimeter.point("F", (ARM, POLE_ROD))
    M = planimeter.point("M", (-WHEEL_OFFSET, POLE_ROD))
    arm, rotation = planimeter.angle("arm"), planimeter.angle("wheel rotation")
    planimeter.add(Truss("pole rod", P, Q))
    for name, p, q in (("pointer arm", Q, F), ("wheel arm", M, Q)):
        planimeter.add(RigidLink(name, p, arm, q))
    wheel = planimeter.add(
        PlanarWheel("wheel", M, arm, rotation, radius=WHEEL_RADIUS, direction=np.pi / 2)
    )
    wheel.lateral.release()

    x, y = contour(planimeter.time)
    F.x.prescribe(x)
    F.y.prescribe(y)
    rotation.angle.kinematic("wheel.rotation")
    planimeter.output("wheel.rate", WHEEL_RADIUS * rotation.rate, unit="m/s")
    planimeter.output("wheel.slip", -wheel.lateral.velocity, unit="m/s")  # towards F
    for point in (Q, F, M):
        planimeter.output(f"{point.name}.x", point.position[0], unit="m")
        planimeter.output(f"{point.name}.y", point.position[1], unit="m")
    return planimeter


@dataclass(frozen=True)
class Record:
    """Motions along both contours, and what they show, as in ``REFERENCE``."""

    square: Result
    circle: Result
    numbers: dict[str, float]


def run() -> Record:
    """Go round both contours."""
    corners = [SIDE, 2 * SIDE, 3 * SIDE]
    round_square = simulate(
        model(square).equations(), 4 * SIDE, samples=401, breaks=corners, rtol=1e-12, atol=1e-14
    )
    round_circle = simulate(
        model(circle).equations(), 2 * np.pi * CIRCLE_RADIUS, samples=401, rtol=1e-12, atol=1e-14
    )
    rotation = round_square["wheel.rotation"]
    numbers = {f"rotation at {mm} mm": float(rotation[mm]) for mm in (50, 150, 250, 350)}
    numbers |= {
        "rotation, whole square": float(rotation[-1]),
        "longitudinal rate at 50 mm": float(round_square["wheel.rate"][50]),
        "lateral slip at 50 mm": float(round_square["wheel.slip"][50]),
        "rotation, whole circle": round_circle.final("wheel.rotation"),
    }
    return Record(round_square, round_circle, numbers)


def draw_mechanism(axes: Axes, motion: Result) -> None:
    """Draw the contour, the wheel's path, and the planimeter at the corners."""
    mm = {name: 1e3 * motion[name] for name in motion if name.endswith((".x", ".y"))}
    for i in (0, 100, 200, 300):
        shade = 1.0 if i == 0 else 0.25
        rod = ([0, mm["Q.x"][i]], [0, mm["Q.y"][i]])
        arm = ([mm["M.x"][i], mm["F.x"][i]], [mm["M.y"][i], mm["F.y"][i]])
        axes.plot(*rod, color="C0", linewidth=2.5, alpha=shade)
        axes.plot(*arm, color="C2", linewidth=2.5, alpha=shade)
        axes.plot(mm["Q.x"][i], mm["Q.y"][i], "o", color="C0", markersize=5, alpha=shade)
        across = np.array([-(arm[1][1] - arm[1][0]), arm[0][1] - arm[0][0]])
        across *= 1e3 * WHEEL_RADIUS / np.hypot(*across)
        axes.plot(
            mm["M.x"][i] + across[0] * np.array([-1, 1]),
            mm["M.y"][i] + across[1] * np.array([-1, 1]),
            color="black",
            linewidth=3.5,
            alpha=shade,
        )
    axes.plot(mm["F.x"], mm["F.y"], color="C3", linewidth=1.6, label="contour, pointer F")
    axes.plot(mm["M.x"], mm["M.y"], color="black", linewidth=1.0, label="wheel M")
    axes.plot(0, 0, "ks", markersize=6)
    for text, at, to in (
        ("P", (0, 0), (8, -4)),
        ("Q", (0, 200), (5, -15)),
        ("F", (200, 200), (7, -5)),
        ("M", (-40, 200), (-18, 8)),
    ):
        axes.annotate(
            text, at, xytext=to, textcoords="offset points",
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )  # fmt: skip
    axes.set_aspect("equal")
    axes.set_xlim(-215, 235)
    axes.set_ylim(-15, 330)
    axes.legend(loc="lower right")
    axes.set_title("Planimeter whose pointer goes round a square", loc="left")
    plain(axes, "x (mm)", "y (mm)")


def draw(record: Record, folder: Path) -> None:
    """Draw the mechanism and both parts of Fig. 3.17."""
    motion = record.square
    figure = Figure(figsize=(11, 5), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=(1.05, 1))
    draw_mechanism(left.subplots(), motion)
    upper, lower = right.subplots(2, 1, sharex=True)
    distance = 1e3 * motion.time
    upper.plot(distance, motion["wheel.rotation"], linewidth=1.6)
    upper.plot(400, 4, "ko", markersize=4)
    upper.annotate("A/lr = 4", (400, 4), xytext=(3, -26), textcoords="offset points", ha="right")
    upper.set_title("Its wheel counts the area", loc="left")
    plain(upper, "", "wheel rotation φ (rad)")
    for side in range(4):
        # the rates jump at the corners: leave them out
        here = slice(100 * side + 1, 100 * side + 100)
        for name, label, color in (
            ("wheel.rate", "rolling, r dφ/dt", "C0"),
            ("wheel.slip", "lateral slip s₂", "C1"),
        ):
            lower.plot(
                distance[here], motion[name][here], color=color, label=None if side else label
            )
    lower.set_ylim(-1, 1.5)
    lower.legend(loc="upper left", ncols=2)
    lower.set_title("Motion of the wheel per travelled distance", loc="left")
    plain(lower, "travelled distance t (mm)", "motion (m/m)")
    for axes in (upper, lower):
        axes.set_xticks(range(0, 401, 100))
    save(figure, folder, "planimeter")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(model(), folder, "planimeter", "Planimeter, from above")
    record = run()
    print_comparison(
        "Planimeter [Schwab2002] 3.5.1",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
