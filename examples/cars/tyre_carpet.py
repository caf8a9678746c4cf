r"""Carpet plots of a tyre from its property file, with its stiffnesses and peaks by hand.

A law gives forces and moments as expressions of slips, load and camber, so that one CasADi function
of them draws all. In a carpet plot the curves of constant load are shifted to the left by their
load; lines of constant slip cross them, and values between two loads or slips are read off in the
mesh. Slip angles are to the right here, so that side forces are positive.

**By hand**, from the coefficients of an upright tyre at the pressure of the measurement, with
df = F/F_0 - 1: the stiffnesses of slip angle and slip ratio, and the greatest forces,

    K_y = PKY1 F_0 sin(PKY4 arctan(F/(PKY2 F_0))),   F_y = (PDY1 + PDY2 df + PVY1 + PVY2 df) F,
    K_x = (PKX1 + PKX2 df) exp(PKX3 df) F,           F_x = (PDX1 + PDX2 df) F.

The load at which a tyre corners stiffest is PKY2 F_0 tan(π/(2 PKY4)). Beyond it more load makes it
softer; below, an axle loses cornering stiffness by the transfer of load between its wheels.

Run: python examples/cars/tyre_carpet.py [--tyre FILE.tir] [--figures DIR]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore import ROAD_CAR_TYRE, Hinge, MagicFormula, Model, Tyre, TyreContact, Wheel
from mbcore.examples.common import largest, print_comparison, save, show

LOADS = (1000.0, 2500.0, 4000.0, 5500.0, 7000.0)
"""N; all are in the ranges of a tyre of a road car."""
BY_HAND = 4000.0
"""Load at which stiffnesses and peaks are compared with those by hand, N."""
SIDE, AHEAD, ALIGNING = range(3)
"""Rows of the function of forces: F_y and F_x, N, and M_z, N.m."""


@dataclass(frozen=True)
class Record:
    """A tyre, and its numbers beside those by hand."""

    law: MagicFormula
    forces: ca.Function
    """Of slip angle, rad, slip ratio and load, N."""
    numbers: dict[str, float]
    expected: dict[str, float]


def forces_of(law: MagicFormula) -> ca.Function:
    """Return side force, longitudinal force and aligning moment of an upright tyre."""
    angle, ratio, load = ca.SX.sym("angle"), ca.SX.sym("ratio"), ca.SX.sym("load")
    at = law.forces(TyreContact(angle, ratio, ca.SX(0), load, ca.SX(1)))
    found = ca.vertcat(at.lateral, at.longitudinal, at.aligning_moment)
    return ca.Function("forces", [angle, ratio, load], [found])


def values(
    forces: ca.Function, row: int, angle: np.ndarray | float, ratio: np.ndarray | float, load: float
) -> np.ndarray:
    """Return one of the forces over slips, of which one or both are an array."""
    angles, ratios = (np.ravel(slip) for slip in np.broadcast_arrays(angle, ratio))
    return np.array(forces(angles[None, :], ratios[None, :], load))[row]


def by_hand(law: MagicFormula) -> dict[str, float]:
    """Return stiffnesses and peaks from the coefficients; scaling factors are taken as 1."""
    c = {name: float(value) for name, value in law.coefficients.items()}
    load, nominal = BY_HAND, c["FNOMIN"]
    df = load / nominal - 1
    bent = np.sin(c["PKY4"] * np.arctan(load / (c["PKY2"] * nominal)))
    stiffest = c["PKY2"] * nominal * np.tan(np.pi / 2 / c["PKY4"])
    friction = c["PDY1"] + c["PDY2"] * df + c["PVY1"] + c["PVY2"] * df
    return {
        "cornering stiffness (N/rad)": abs(c["PKY1"]) * nominal * bent,
        "slip stiffness (N)": load * (c["PKX1"] + c["PKX2"] * df) * np.exp(c["PKX3"] * df),
        "greatest side force (N)": load * friction,
        "greatest longitudinal force (N)": load * (c["PDX1"] + c["PDX2"] * df),
        "stiffest at the load (N)": stiffest,
    }


def cornering_stiffness(forces: ca.Function, loads: np.ndarray) -> np.ndarray:
    """Return the greatest slope of the side force over the slip angle, N/rad, for some loads."""
    angles = np.linspace(-0.02, 0.02, 401)
    found = [-np.gradient(values(forces, SIDE, angles, 0.0, load), angles) for load in loads]
    return np.array([largest(slope[1:-1]) for slope in found])


def run(tyre: Path = ROAD_CAR_TYRE) -> Record:
    """Evaluate a tyre's forces; compare them with those by hand."""
    law = MagicFormula.from_tir(tyre, side="left")
    forces = forces_of(law)
    slips = np.linspace(0, 1, 20001)
    steps = np.linspace(-0.005, 0.005, 401)
    along = np.gradient(values(forces, AHEAD, 0.0, steps, BY_HAND), steps)
    (across,) = cornering_stiffness(forces, np.array([BY_HAND]))
    loads = np.arange(1000.0, 9000.0, 50.0)
    stiffness = cornering_stiffness(forces, loads)
    top = np.polyfit(*(part[np.argmax(stiffness) - 2 :][:5] for part in (loads, stiffness)), 2)
    expected = by_hand(law)
    ours = (
        across,
        largest(along[1:-1]),
        largest(values(forces, SIDE, -slips, 0.0, BY_HAND)),
        largest(values(forces, AHEAD, 0.0, slips, BY_HAND)),
        -top[1] / 2 / top[0],
    )
    return Record(law, forces, dict(zip(expected, map(float, ours), strict=True)), expected)


def carpet(
    axes: Axes,
    curve: Callable[[float], np.ndarray],
    slips: np.ndarray,
    marks: Sequence[float],
    unit: str,
    raised: Sequence[float] = (6, 0, 0, 0, 0),
) -> None:
    """Draw a carpet: a curve for each load, and a line over all loads at each of the marks.

    Parameters
    ----------
    curve : callable
        Values over the slips by the load, N.
    slips, marks : array and sequence of float
        In degrees or per cent; marks are some of the slips.
    raised : sequence of float
        How much higher than its curve's end the name of each load stands, points.
    """
    moved = -0.5 * slips[-1] / LOADS[-1]
    for i, load in enumerate(LOADS):
        place, height = slips + moved * load, curve(load)
        shade = (0.12, 0.37 - 0.05 * i, 0.45 + 0.1 * i)
        axes.plot(place, height, color=shade, linewidth=1.8)
        axes.annotate(
            f"{load / 1000:g} kN", (place[-1], height[-1]), (5, raised[i]),
            textcoords="offset points", va="center", color=shade,
        )  # fmt: skip
    loads = np.linspace(LOADS[0], LOADS[-1], 61)
    mesh = np.array([curve(load) for load in loads])
    for mark in marks:
        at = int(np.argmin(np.abs(slips - mark)))
        line, rising = mesh[:, at], abs(mesh[-1, at + 1]) > abs(mesh[-1, at])
        axes.plot(mark + moved * loads, line, color="#c4501b", linewidth=0.9)
        below = line[-1] < 0
        axes.annotate(
            f"{mark:g}{unit}", (mark + moved * loads[-1], line[-1]), (0, -4 if below else 4),
            textcoords="offset points", color="#c4501b",
            ha="right" if rising else "left", va="top" if below else "bottom",
        )  # fmt: skip
    axes.axhline(0, color="0.6", linewidth=0.8, zorder=0)
    axes.set_xticks([])
    axes.margins(x=0.1, y=0.1)
    axes.grid(axis="y", alpha=0.3)


def _draw_combined(axes: Axes, forces: ca.Function) -> None:
    """Draw both forces at the load by hand, over one slip each for some of the other."""
    ratios = np.sinh(np.linspace(-4, 4, 401)) / np.sinh(4)
    for degrees in (0, 1, 2, 4, 8):
        angle = -np.radians(degrees)
        both = [values(forces, row, angle, ratios, BY_HAND) / 1000 for row in (AHEAD, SIDE)]
        axes.plot(*both, color="#1f5fa8", linewidth=1.5)
        axes.annotate(
            f"{degrees}°", (both[0][200], both[1][200]), (0, 3),
            textcoords="offset points", ha="center", color="#1f5fa8",
        )  # fmt: skip
    angles = -np.radians(np.linspace(0, 8, 81))
    for percent in (-20, -4, -2, 2, 4, 20):
        both = [values(forces, row, angles, percent / 100, BY_HAND) / 1000 for row in (AHEAD, SIDE)]
        axes.plot(*both, color="#c4501b", linewidth=0.9)
        axes.annotate(
            f"{percent} %", (both[0][0], both[1][0]), (0, -4),
            textcoords="offset points", ha="center", va="top", color="#c4501b",
        )  # fmt: skip
    axes.set(xlabel="longitudinal force (kN)", ylabel="side force (kN)", ylim=(-0.6, 4.6))
    axes.set_aspect("equal")
    axes.grid(alpha=0.3)
    axes.set_title(f"Combined slip, {BY_HAND / 1000:g} kN", loc="left")


def draw(record: Record, folder: Path) -> None:
    """Draw carpets of side force, aligning moment and longitudinal force, and combined slip."""
    figure = Figure(figsize=(12, 9.5), layout="constrained")
    side, ahead, aligning, combined = figure.subplots(2, 2).flat
    f, degrees, percent = record.forces, np.linspace(0, 14, 141), np.linspace(0, 30, 301)

    def across(load: float) -> np.ndarray:
        return values(f, SIDE, -np.radians(degrees), 0.0, load) / 1000

    def along(load: float) -> np.ndarray:
        return values(f, AHEAD, 0.0, percent / 100, load) / 1000

    def moment(load: float) -> np.ndarray:
        return values(f, ALIGNING, -np.radians(degrees), 0.0, load)

    carpet(side, across, degrees, (1, 2, 4, 6, 8, 10, 12), "°")
    side.set_title("Side force over slip angle and load (kN)", loc="left")
    carpet(ahead, along, percent, (2, 5, 10, 15, 20, 25), " %")
    ahead.set_title("Longitudinal force over slip ratio and load (kN)", loc="left")
    carpet(aligning, moment, degrees, (1, 2, 3, 4, 6, 8), "°", (6, -8, -12, -10, 0))
    aligning.set_title("Aligning moment over slip angle and load (N·m)", loc="left")
    _draw_combined(combined, f)
    save(figure, folder, "tyre_carpet")


def rig(law: MagicFormula) -> Model:
    """Return a wheel on a rig, its tyre by the law; only its picture is wanted here."""
    model = Model("tyre on a rig")
    radius = float(law.unloaded_radius)
    centre, contact = model.point("centre", (0, 0, radius)), model.point("contact", (0, 0, 0))
    arm, rotation = model.rotation("arm", fixed=True), model.rotation("rotation")
    model.add(Hinge("axle", arm, rotation, axis=(0, 1, 0)))
    wheel = model.add(Wheel("wheel", centre, rotation, contact, radius=radius, width=0.2))
    for slip in wheel.slips.values():
        slip.release()
    Tyre(wheel, law)
    return model


def main() -> None:
    """Print the comparison and draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tyre", type=Path, default=ROAD_CAR_TYRE, metavar="FILE.tir")
    parser.add_argument("--figures", type=Path, default=Path("figures"), metavar="DIR")
    given = parser.parse_args()
    given.figures.mkdir(parents=True, exist_ok=True)
    record = run(given.tyre)
    show(rig(record.law), given.figures, "tyre_carpet", f"Tyre {given.tyre.name}")
    rows = [(name, ours, record.expected[name]) for name, ours in record.numbers.items()]
    print_comparison(f"{given.tyre.name} at {BY_HAND:g} N", rows)
    draw(record, given.figures)


if __name__ == "__main__":
    main()
