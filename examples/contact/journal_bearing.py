r"""The lubricated journal bearing, [Schwab2002] 5.2.2, Appendix C, and the slider-crank of 5.4.4.

A journal (radius r, radial clearance c, length l) turns with ω in a sleeve; a film of viscosity μ
carries it. Wedge and squeeze act through one velocity, of the journal's centre (x, y) against a
frame that turns with ω/2, where the film is squeezed only:

    v = (ẋ + ω y/2, ẏ - ω x/2),        F = 2 μ l (r/c)³ |v| (W_x e + W_y e_⊥),    e = v/|v|.

The impedances W of Moes depend on where the journal is, seen along v; short and long bearing are
put in series. Fig. 5.3 holds the journal at rest at eccentricity x/c: the force on it grows beyond
all bounds and turns from square to the eccentricity to opposite, towards the sleeve's centre.

In the slider-crank of 5.4 (crank 50 mm, rod 120 mm, 523.6 rad/s, rod and slider 0.145 kg each) the
slider's joint is lubricated. Where the slider's acceleration changes its sign, the film can only
turn its force by a flight of the journal through the clearance; it arrives at the other side more
softly than a dry joint's would. From the second revolution on the motion repeats itself.

Near the sleeve the film is very stiff: the integrator is implicit, with the exact Jacobian.

Run: python examples/contact/journal_bearing.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from mbcore import Result, simulate
from mbcore.contact.journal_bearing import film
from mbcore.examples.common import (
    figures_folder,
    head,
    largest,
    plain,
    print_comparison,
    save,
    show,
)
from mbcore.fmus import clearance_joint, journal_bearing

RADIUS, CLEARANCE, LENGTH, VISCOSITY, SPEED = 10e-3, 0.5e-3, 20e-3, 0.1, 163.62
CRANK, ROD, CRANK_SPEED, ROD_MASS, SLIDER_MASS = 0.05, 0.12, 523.6, 0.145, 0.145
PERIOD = 2 * np.pi / CRANK_SPEED
PER_REVOLUTION = 36000
SEEN = {"journal.x": 0.32e-3, "journal.y": -0.24e-3, "journal.speed": 300.0}
"""Of the first picture, m and rad/s."""

REFERENCE = {
    "x/c = 0.1: force x": -0.03186,
    "x/c = 0.1: force y": 0.31192,
    "x/c = 0.5: force x": -1.16352,
    "x/c = 0.5: force y": 2.11039,
    "x/c = 0.9: force x": -19.81173,
    "x/c = 0.9: force y": 12.89722,
    "x/c = 0.99: force x": -254.49539,
    "x/c = 0.99: force y": 55.86561,
    "peak force": 4332.769,
    "peak force at (deg)": 311.295,
    "largest eccentricity ratio": 0.998614,
    "largest slider acceleration": 27056.28,
    "largest torque": 120.566,
    "smallest torque": -226.570,
    "largest slider velocity": 29.02122,
    "smallest slider velocity": -28.60465,
    "60 deg: x (mm)": -0.417425,
    "60 deg: y (mm)": 0.269822,
    "60 deg: slider acceleration": -4155.331,
    "240 deg: x (mm)": 0.481731,
    "240 deg: y (mm)": 0.129933,
    "240 deg: slider acceleration": 9698.982,
}


@dataclass(frozen=True)
class Record:
    """Two revolutions, the forces of Fig. 5.3, and the numbers as in ``REFERENCE``."""

    motion: Result
    ratios: np.ndarray
    forces: np.ndarray
    numbers: dict[str, float]


def forces_at_rest(ratios: np.ndarray) -> np.ndarray:
    """Return the force on a journal at rest at eccentricity ratios along x, N, shape (n, 2)."""
    x = ca.SX.sym("x")
    oil = film(
        (x, 0),
        (0, 0),
        SPEED,
        radius=RADIUS,
        clearance=CLEARANCE,
        length=LENGTH,
        viscosity=VISCOSITY,
    )
    force = ca.Function("force", [x], [-oil.force_x, -oil.force_y])
    return np.array([[float(part) for part in force(ratio * CLEARANCE)] for ratio in ratios])


def run() -> Record:
    """Calculate the forces of Fig. 5.3, and turn the lubricated slider-crank twice."""
    ratios = np.linspace(0, 0.995, 400)
    points = np.array([0.1, 0.5, 0.9, 0.99])
    values = list(forces_at_rest(points).ravel())
    motion = simulate(
        clearance_joint.model().equations(),
        2 * PERIOD,
        parameters={"joint.law": 4},
        method="Radau",
        rtol=1e-8,
        atol=1e-8,
        samples=2 * PER_REVOLUTION + 1,
    )
    second = {name: motion[name][PER_REVOLUTION:] for name in motion}
    force = second["joint.force"]
    values += [
        largest(force),
        360 / PER_REVOLUTION * float(np.argmax(force)),
        largest(second["joint.eccentricity"]) / CLEARANCE,
        largest(np.abs(second["slider.acceleration"])),
    ]
    for name in ("crank.torque", "slider.velocity"):
        values += [largest(second[name]), -largest(-second[name])]
    for degrees in (60, 240):
        i = PER_REVOLUTION * degrees // 360
        values += [1e3 * second["joint.x"][i], 1e3 * second["joint.y"][i]]
        values.append(second["slider.acceleration"][i])
    numbers = {name: float(v) for name, v in zip(REFERENCE, values, strict=True)}
    return Record(motion, ratios, forces_at_rest(ratios), numbers)


def without_clearance(theta: np.ndarray) -> dict[str, np.ndarray]:
    """Return slider motion, torque and force on the sleeve of the ideal joint, in closed form."""
    w = CRANK_SPEED
    s, c = np.sin(theta), np.cos(theta)
    reach = np.sqrt(ROD**2 - (CRANK * s) ** 2)
    first = -CRANK * s - CRANK**2 * s * c / reach  # of the position, by the crank angle
    second = -CRANK * c - CRANK**2 * (c**2 - s**2) / reach - CRANK**4 * s**2 * c**2 / reach**3
    # The rod's ends are pin and slider; with x_i, y_i their rates by the angle its energy is
    # m/6 (|p'|² + p'·q' + |q'|²) ω², and the torque the energy's derivative by the angle.
    p, p2 = CRANK * np.array([-s, c]), CRANK * np.array([-c, -s])
    q, q2 = np.array([first, 0 * s]), np.array([second, 0 * s])
    rod = ROD_MASS / 6 * (2 * p * p2 + p2 * q + p * q2 + 2 * q * q2).sum(axis=0)
    torque = w**2 * (rod + SLIDER_MASS * first * second)
    # Force of the journal on the sleeve: x moves the slider; y by the rod's moments about the pin
    force_x = SLIDER_MASS * second * w**2
    along = np.array([reach, -CRANK * s])  # from the pin to the slider
    middle = w**2 * (p2 + q2) / 2
    turn = w**2 * (q2 - p2)
    angular = (along[0] * turn[1] - along[1] * turn[0]) / ROD**2
    inertia = ROD_MASS * (along[0] * middle[1] - along[1] * middle[0]) / 2
    moment = inertia + ROD_MASS * ROD**2 / 12 * angular  # = along × (-force)
    force_y = (along[1] * force_x - moment) / along[0]
    return {
        "slider.velocity": first * w,
        "slider.acceleration": second * w**2,
        "crank.torque": torque,
        "joint.force_x": force_x,
        "joint.force_y": force_y,
    }


def draw_force(record: Record, folder: Path) -> None:
    """Draw Fig. 5.3."""
    figure = Figure(figsize=(7.5, 6.5), layout="constrained")
    figure.suptitle("Force of the oil film on a journal that is held at rest")
    upper, lower = figure.subplots(2, 1, sharex=True)
    points = [0.1, 0.5, 0.9, 0.99]
    given = np.array(list(REFERENCE.values())[:8]).reshape(4, 2)
    for axes, value in ((upper, np.hypot), (lower, lambda x, y: np.degrees(np.arctan2(y, x)))):
        axes.plot(record.ratios[1:], value(*record.forces[1:].T), "C0", label="computed")
        axes.plot(points, value(*given.T), "ko", markersize=5, label="reference")
        axes.legend(loc="upper left")
    upper.set_yscale("log")
    lower.set_ylim(90, 180)
    lower.set_yticks(range(90, 181, 15))
    plain(upper, "", "magnitude (N)")
    across = "eccentricity ratio x/c:  displacement x of the journal / radial clearance c"
    plain(lower, across, "direction, from the x axis (°)")
    save(figure, folder, "journal_bearing_force")


AROUND = (17, 17, 17, 26, 19, 19, 19, 19, 20, 31, 23, 17)
"""How far outside the journal's path the crank angles 0° to 330° are printed, points."""
OFFSETS = {
    "force": {
        **{0: (-15, 0), 60: (13, 8), 120: (-19, -8), 180: (19, 5), 240: (17, 4)},
        **{300: (18, 2)},
    },
    "loop": {
        **{0: (-12, 4), 60: (-14, -1), 90: (12, 9), 180: (18, 5), 270: (18, -5)},
        **{300: (4, 12), 330: (-16, 4)},
    },
}
"""Where crank angles are printed beside the other curves, points."""


def mark_angles(
    axes: Axes, x: np.ndarray, y: np.ndarray, offsets: Mapping[int, tuple[float, float]]
) -> None:
    """Mark crank angles of the second revolution on a curve."""
    for degrees, offset in offsets.items():
        i = PER_REVOLUTION + PER_REVOLUTION * degrees // 360
        axes.plot(x[i], y[i], "k.", markersize=6)
        axes.annotate(
            f"{degrees}°",
            (x[i], y[i]),
            xytext=offset,
            textcoords="offset points",
            fontsize="small",
            ha="center",
            va="center",
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )


def draw(record: Record, folder: Path) -> None:
    """Draw Fig. 5.3, and Figs. 5.11 to 5.14 of the lubricated slider-crank."""
    draw_force(record, folder)
    motion = record.motion
    figure = Figure(figsize=(10, 13), layout="constrained")
    figure.suptitle(
        "Slider-crank with a lubricated slider joint, second revolution; dots: crank angles"
    )
    *over_angle, path, hodograph, loop = figure.subplots(3, 2).ravel()
    ideal = without_clearance(motion["crank.angle"])
    second = slice(PER_REVOLUTION, None)  # the start from rest has far larger peaks
    angle = np.degrees(motion["crank.angle"][second]) - 360
    panels = (
        ("slider.acceleration", 1e-3, "Acceleration of the slider", "acceleration (km/s²)"),
        ("slider.velocity", 1.0, "Velocity of the slider", "velocity (m/s)"),
        ("crank.torque", 1.0, "Torque on the crank", "torque (N m)"),
    )
    without = {"color": "k", "linestyle": "--", "linewidth": 0.9, "label": "without clearance"}
    for axes, (name, scale, title, label) in zip(over_angle, panels, strict=True):
        axes.plot(angle, scale * motion[name][second], linewidth=1.4, label="lubricated")
        axes.plot(angle, scale * ideal[name][second], **without)
        plain(axes, "crank angle (°)", label)
        axes.set_xticks(range(0, 361, 60))
        axes.set_xlim(0, 360)
        head(axes, title, 2)

    x, y = 1e3 * motion["joint.x"], 1e3 * motion["joint.y"]
    turn = np.linspace(0, 2 * np.pi, 200)
    c = 1e3 * CLEARANCE
    path.plot(
        c * np.cos(turn), c * np.sin(turn), color="0.6", linewidth=1, label=f"clearance c = {c} mm"
    )
    path.plot(x[: PER_REVOLUTION // 6], y[: PER_REVOLUTION // 6], "C1", label="from rest")
    path.plot(x[second], y[second], "C0", linewidth=1.4, label="lubricated")
    marked = PER_REVOLUTION + PER_REVOLUTION // 12 * np.arange(12)
    away = AROUND * np.array([x[marked], y[marked]]) / np.hypot(x[marked], y[marked])
    mark_angles(path, x, y, {30 * i: tuple(at) for i, at in enumerate(away.T)})
    path.set(aspect="equal", xlim=(-0.78, 0.78), ylim=(-0.78, 0.78))
    plain(path, "x of the journal (mm)", "y of the journal (mm)")
    head(path, "Path of the journal's centre in the sleeve", 3)

    x, y = 1e-3 * motion["joint.force_x"], 1e-3 * motion["joint.force_y"]
    hodograph.plot(x[second], y[second], "C0", linewidth=1.4, label="lubricated")
    dry_x, dry_y = (1e-3 * ideal[f"joint.force_{axis}"][second] for axis in "xy")
    hodograph.plot(dry_x, dry_y, **without)
    mark_angles(hodograph, x, y, OFFSETS["force"])
    plain(hodograph, "force in x (kN)", "force in y (kN)")
    head(hodograph, "Force on the sleeve", 2)

    x, y = 1e3 * motion["joint.eccentricity"], 1e-3 * motion["joint.force"]
    loop.plot(x[second], y[second], "C0", linewidth=1.4, label="lubricated")
    loop.axvline(c, color="0.6", linewidth=1, label=f"clearance c = {c} mm")
    mark_angles(loop, x, y, OFFSETS["loop"])
    loop.set_xlim(0.417, 0.5135)
    plain(loop, "radial displacement r of the journal (mm)", "force (kN)")
    head(loop, "Force over the radial displacement", 2)
    save(figure, folder, "journal_bearing_slider_crank")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    seen = simulate(journal_bearing.model().equations(), 1e-3, inputs=SEEN, backend="python")
    title = "Force of the film on the sleeve; clearance drawn 7-fold"
    show(seen, folder, "journal_bearing", title, times=(0.0,))
    record = run()
    print_comparison(
        "Journal bearing, [Schwab2002] Fig. 5.3 and 5.4.4",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
