r"""The step-dwell mechanism of Rankers, [Schwab2002] 3.3.1: five belts and a gear pair.

A pinion of pitch radius r/2 rolls inside a fixed annulus of pitch radius r, its centre led by a
crank: a hypocycloid of ratio 2, whose pitch points move along straight lines. One of them carries
the pulley P1 (radius r), fixed to the pinion. So P1 goes to and fro along x = r cos φ, and turns
against the crank by -φ. A toothed belt runs straight along its top, held there by a guide; together
both motions move the belt by

    s / r = φ + cos φ - 1,        ds/dφ = r (1 - sin φ),

which dwells at φ = 90° and steps on by 2πr each revolution. The pulleys P2 to P5 (radius r/2) turn
at belt speed. With P1 a disk of mass m, pinion and P2 to P5 disks of m/4 and r/2, crank and belt
massless, the crank at constant speed ω needs the torque M, and the teeth carry the normal force σ:

    M = m r² ω² cos φ (1.5 sin φ - 0.5),     σ = m r ω² cos φ (1 - 1.5 sin φ) / cos 20°.

The model is the text's: a belt element between every two neighbours, of which that from P3 to P4 is
released, for the loop is inextensible and closed twice; a gear pair with pressure angle 20° that
orbits with the crank; rigid links for the crank and for the arm of P1. There is no degree of
freedom: the crank's angle is prescribed, its stress is the torque. The places of P2 to P5, lost
with Fig. 3.9, are chosen here, and do not matter. Where σ changes sign, the teeth change flanks;
its sign is that of a pressure angle of -20°, and opposite with +20°.

Numbers: m = r = ω = 1.

Run: python examples/mechanisms/step_dwell.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from mbcore import Belt, Body, GearPair, Model, Result, RigidLink, simulate
from mbcore.examples.common import (
    figures_folder,
    head,
    largest,
    picture,
    plain,
    print_comparison,
    save,
)

PRESSURE_ANGLE = np.radians(20)
IDLERS = {"P2": (3.0, 0.5), "P3": (3.0, -2.0), "P4": (-3.0, -2.0), "P5": (-3.0, 0.5)}
"""Centres of the pulleys that are hinged to the base."""
QUARTER = 0.5 * np.pi / 2
"""Arc of the belt on each of these, m."""
POINTER = {"arrowstyle": "-", "linewidth": 0.7}

REFERENCE = {
    "belt displacement at 90 deg": np.pi / 2 - 1,
    "belt displacement per revolution": 2 * np.pi,
    "belt speed at 90 deg": 0.0,
    "largest torque": 1.1221849,
    "at crank angle (deg)": 218.952,
    "smallest torque": -1.1221849,
    "at crank angle (deg) ": 321.048,
    "largest tooth force": 1.6222608,
    "at crank angle (deg)  ": 325.957,
    "smallest tooth force": -1.6222608,
    "at crank angle (deg)   ": 214.043,
}


def model(phi: float = 0.0) -> Model:
    """Return the mechanism at a crank angle; its crank turns with unit speed from there."""
    mechanism = Model("step_dwell")
    centre, base = mechanism.point("O", (0, 0), fixed=True), mechanism.angle("base", fixed=True)
    crank, pinion = mechanism.angle("crank", phi), mechanism.angle("pinion", -phi)
    P = mechanism.point("P", (0.5 * np.cos(phi), 0.5 * np.sin(phi)))
    P1 = mechanism.point("P1", (np.cos(phi), 0))
    crank.angle.prescribe(phi + mechanism.time)
    for name, p, q, turning in (("crank arm", centre, P, crank), ("P1 arm", P, P1, pinion)):
        mechanism.add(RigidLink(name, p, turning, q))
    gears = mechanism.add(
        GearPair(
            "gears",
            P,
            pinion,
            centre,
            base,
            ratio=-2,
            pressure_angle=-PRESSURE_ANGLE,
            arm=crank,
        )
    )

    pulleys = {"P1": (P1, pinion, 1.0)}
    for name, place in IDLERS.items():
        turning = mechanism.angle(f"{name} angle")
        pulleys[name] = (mechanism.point(name, place, fixed=True), turning, 0.5)
        mechanism.add(Body(f"{name} disk", None, turning, inertia=1 / 32))
    mechanism.add(Body("P1 disk", P1, pinion, mass=1, inertia=1 / 2))
    mechanism.add(Body("pinion disk", P, pinion, mass=1 / 4, inertia=1 / 32))
    for name in ("P5-P1", "P1-P2", "P2-P3", "P3-P4", "P4-P5"):
        (p, p_angle, radius_p), (q, q_angle, radius_q) = (pulleys[e] for e in name.split("-"))
        arc = 0.0 if name == "P1-P2" else QUARTER
        belt = mechanism.add(
            Belt(name, p, p_angle, q, q_angle, radius_p=radius_p, radius_q=radius_q, wound_p=arc)
        )
        if name == "P3-P4":
            belt.elongation.release()
            mechanism.output("closure", belt.elongation.value, unit="m")

    idler = pulleys["P2"][1]
    mechanism.output("belt", -0.5 * idler.angle.value, unit="m")
    mechanism.output("belt speed", -0.5 * idler.angle.rate, unit="m/s")
    mechanism.output("torque", -crank.angle.stress, unit="N.m")
    mechanism.output("tooth force", gears.mesh.stress, unit="N")
    mechanism.output("P1 x", P1.position[0], unit="m")
    mechanism.output("P1 y", P1.position[1], unit="m")
    return mechanism


def closed_form(phi: np.ndarray) -> dict[str, np.ndarray]:
    """Return what the geometry and the balance of power say at a crank angle."""
    cosine, sine = np.cos(phi), np.sin(phi)
    return {
        "belt": phi + cosine - 1,
        "belt speed": 1 - sine,
        "torque": cosine * (1.5 * sine - 0.5),
        "tooth force": cosine * (1 - 1.5 * sine) / np.cos(PRESSURE_ANGLE),
    }


@dataclass(frozen=True)
class Record:
    """One revolution, its numbers as in ``REFERENCE``, and its distance to the closed forms."""

    motion: Result
    numbers: dict[str, float]
    largest_difference: float


def run() -> Record:
    """Turn the crank once."""
    motion = simulate(model().equations(), 2 * np.pi, samples=3601)
    values = [
        float(motion["belt"][900]),
        motion.final("belt"),
        float(motion["belt speed"][900]),
    ]
    for column in ("torque", "tooth force"):
        for sign in (1, -1):
            curve = sign * motion[column]
            values += [sign * largest(curve), 0.1 * place_of_largest(curve)]
    exact = closed_form(motion.time)
    return Record(
        motion,
        dict(zip(REFERENCE, values, strict=True)),
        max(float(np.max(np.abs(motion[column] - e))) for column, e in exact.items()),
    )


def place_of_largest(values: np.ndarray) -> float:
    """Return where the largest value is, in samples, by a parabola through the top."""
    i = int(np.argmax(values))
    before, top, after = values[i - 1 : i + 2]
    return float(i + (before - after) / (before - 2 * top + after) / 2)


def draw_mechanism(axes: Axes, phi: float) -> None:
    """Draw the mechanism at a crank angle, and what its parts are called."""
    title = f"The step-dwell mechanism at φ = {np.degrees(phi):.0f}°"
    picture(axes, model(phi), title)
    P, P1 = np.array([np.cos(phi), np.sin(phi)]) / 2, np.array([np.cos(phi), 0.0])
    axes.plot(*np.column_stack([(0, 0), P]), color="C1", linewidth=3.5, zorder=4)
    axes.plot(*np.column_stack([P, P1]), color="C2", linewidth=3.5, zorder=4)
    axes.add_patch(Circle(tuple(P), 0.5, fill=False, linestyle="-.", color="C2", zorder=4))
    for name, place in {**IDLERS, "P1": tuple(P1 + [0.35, -0.55])}.items():
        axes.annotate(
            name,
            place,
            xytext=(9, 7),
            textcoords="offset points",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.8},
            zorder=5,
        )
    edge = (-np.cos(np.radians(40)), -np.sin(np.radians(40)))
    axes.annotate("annulus, at rest", edge, (-2.6, -1.15), arrowprops=POINTER, zorder=5)
    for text, up, colour in (("pinion", 0.1, "C2"), ("crank", -0.15, "C1")):  # in their colours
        axes.annotate(text, (-1.2, up), ha="right", color=colour, zorder=5)
    axes.annotate("", (2.3, 1.25), (1.4, 1.25), arrowprops={"arrowstyle": "-|>"})
    axes.annotate("s", (1.85, 1.3), ha="center")
    axes.set_ylim(top=1.65)


def draw(record: Record, folder: Path) -> None:
    """Draw the mechanism (Fig. 3.9) and both parts of Fig. 3.10."""
    motion = record.motion
    figure = Figure(figsize=(7, 5.1), layout="constrained")
    draw_mechanism(figure.add_subplot(), np.radians(50))
    save(figure, folder, "step_dwell_system")
    figure = Figure(figsize=(9, 7), layout="constrained")
    figure.suptitle("Pushed to and fro and turned by one crank, the belt rests at 90° and steps on")
    upper, lower = figure.subplots(2, 1, sharex=True)
    angle = np.degrees(motion.time)
    marks = np.arange(0, 361, 30)
    exact = closed_form(np.radians(marks))
    for axes, curves in (
        (upper, (("belt", "displacement s"), ("belt speed", "speed ds/dφ"))),
        (lower, (("torque", "torque M / (m r² ω²)"), ("tooth force", "tooth force σ / (m r ω²)"))),
    ):
        for column, label in curves:
            axes.plot(angle, motion[column], linewidth=1.6, label=label)
            axes.plot(marks, exact[column], "k.", markersize=4)
        axes.plot([], [], "k.", markersize=4, label="closed form")
    plain(upper, "", "s / r, (ds/dφ) / r")
    plain(lower, "crank angle φ (°)", "M / (m r² ω²), σ / (m r ω²)")
    head(upper, "The belt dwells at 90°", 3)
    head(lower, "Crank and teeth push and pull", 3)
    lower.set_xticks(range(0, 361, 60))
    lower.set_xlim(0, 360)
    save(figure, folder, "step_dwell")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    print_comparison(
        "Step-dwell mechanism [Schwab2002] 3.3.1",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    print(f"largest difference to the closed forms {record.largest_difference:.1e}")
    draw(record, folder)


if __name__ == "__main__":
    main()
