r"""A slider-crank whose slider joint rattles, [Schwab2002] 5.4.1, Figs. 5.5 and 5.6.

The crank (50 mm) turns at 523.6 rad/s, that is 5000 rpm; crank and rod (120 mm) are rigid, and the
journal at the rod's end has 0.5 mm of play in the slider's sleeve, in which it starts centred and
at rest at top dead centre. Where the eccentricity r = √(x² + y²) exceeds c = 0.5 mm, journal and
sleeve push each other with Hertz's force and Lankarani and Nikravesh's hysteresis,

    F = max(0, K δ^(3/2) (1 + 3 (1 - e²) δ̇/(4 δ̇⁻))),    δ = r - c,    K = 65.8e9,    e = 0.95,

in which δ̇⁻ is the speed at which the present contact began. Free flight, impacts with rebound and
permanent contact take turns. The slider's acceleration has peaks ten times as high as without
clearance, while its velocity only takes on steps.

The first contacts can be compared one by one; then the motion is chaotic and only statistics can.
Here they are taken over the 3rd to 30th revolution of several motions that start with the journal a
few nanometres apart. The reference is *one* motion of 28 revolutions; the medians of single ones
differ by 10 %. The text prints the peaks of the two revolutions in its figures, 180e3 m/s² and
1350 N.m. The figures here show two in which permanent contact gives way to rattling, as there.

The long motions are made by the FMU ``clearance_joint``, whose solver in C is ten times as fast.

Run: python examples/slider_crank_clearance.py [--figures DIR]
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from examples.common import figures_folder, largest, plain, print_comparison, save
from examples.cosimulation import Unit
from fmu_src import clearance_joint
from mbcore import Body, Model, PlanarBeam, Result, simulate
from mbcore.contact.hertz import stiffness
from mbcore.fmi import export

CRANK, ROD, MASS, SPEED = 0.05, 0.12, 0.145, 523.6
"""Lengths, m; mass of the rod and of the slider, kg; rad/s."""
CLEARANCE = 0.5e-3
REVOLUTION = 2 * np.pi / SPEED
"""s."""
MODULUS = 2.06e11 * 65.8e9 / float(stiffness(9.5e-3, -10e-3, 2.06e11, 0.3))
"""Young's modulus, Pa, with which (5.3) gives the K that is printed; 0.03 % above the text's."""
REVOLUTIONS, TRANSIENT, SHOWN = 30, 2, 2
"""How many are simulated, left out at the beginning, and drawn."""
STARTS = 1e-9 * np.arange(5)
"""Start of the journal across the slider's line, m."""
SAMPLES = 6000
"""In one revolution; a contact lasts 25 of them."""
COLUMNS = ("slider.acceleration", "slider.velocity", "crank.torque", "joint.x", "joint.y")

REFERENCE = {
    "contact 1: time (s)": 2.272853257e-4,
    "contact 1: speed (m/s)": 4.38580344,
    "contact 2: time (s)": 6.427004277e-4,
    "contact 2: speed (m/s)": 2.58133415,
    "contact 3: time (s)": 7.423578078e-4,
    "contact 3: speed (m/s)": 1.89146987,
    "contact 4: time (s)": 9.790350989e-4,
    "contact 4: speed (m/s)": 1.32438845,
    "contact 5: time (s)": 1.265149270e-3,
    "contact 5: speed (m/s)": 2.77663279,
    "contact 1: end (s)": 2.812462402e-4,
    "contact 1: speed of leaving (m/s)": -4.1168286,
    "contact 1: largest force (N)": 47853.658,
    "no clearance: largest acceleration (m/s²)": 19419.5,
    "no clearance: largest velocity (m/s)": 28.4112,
    "no clearance: largest torque (N.m)": 120.870,
}
STATISTICS = {
    "acceleration: median (m/s²)": 222e3,
    "acceleration: 10 % (m/s²)": 133e3,
    "acceleration: 90 % (m/s²)": 276e3,
    "torque: median (N.m)": 1141.0,
    "torque: 10 % (N.m)": 432.0,
    "torque: 90 % (N.m)": 1561.0,
}
"""Largest values per revolution."""


def ideal() -> Model:
    """Return the slider-crank without clearance."""
    model = Model("slider_crank")
    axis = model.point("crank axis", (0, 0), fixed=True)
    crank, pin = model.angle("crank"), model.point("crank pin", (CRANK, 0))
    rod, slider = model.angle("rod"), model.point("slider", (CRANK + ROD, 0))
    slider.y.fix()
    crank.angle.prescribe(SPEED * model.time)
    arm = model.add(PlanarBeam("arm", axis, crank, pin, crank, rest_length=CRANK))
    link = model.add(
        PlanarBeam("link", pin, rod, slider, rod, rest_length=ROD, mass_per_length=MASS / ROD)
    )
    for beam in (arm, link):
        beam.bending_q.release()  # follows: both ends turn with the beam
    model.add(Body("slider", slider, mass=MASS))
    model.state("angle", ca.SX(SPEED), unit="rad")
    model.output("slider.acceleration", slider.acceleration[0], unit="m/s2")
    model.output("slider.velocity", slider.velocity[0], unit="m/s")
    model.output("crank.torque", -crank.angle.stress, unit="N.m")
    return model


@dataclass(frozen=True)
class Record:
    """What the motions show; names and units as in ``REFERENCE`` and ``STATISTICS``."""

    numbers: dict[str, float]
    without: Result
    motions: np.ndarray
    """``COLUMNS`` at equidistant times from 0, shape (starts, times, columns)."""
    peaks: np.ndarray
    """|acceleration| and |torque| per revolution after the transient, (starts, revolutions, 2)."""


def run() -> Record:
    """Simulate the first contacts, the motion without clearance, and thirty revolutions."""
    without = simulate(ideal().equations(), REVOLUTION, samples=2001, rtol=1e-10)
    numbers = first_contacts() | {
        "no clearance: largest acceleration (m/s²)": largest(abs(without["slider.acceleration"])),
        "no clearance: largest velocity (m/s)": largest(without["slider.velocity"]),
        "no clearance: largest torque (N.m)": largest(without["crank.torque"]),
    }
    with tempfile.TemporaryDirectory() as folder:
        (path,) = export(clearance_joint.component(), folder, fmi="3.0")
        motions = np.array([rattle(path, start) for start in STARTS])
    peaks = peaks_per_revolution(motions)
    pooled = peaks.reshape(-1, 2)
    for i, (what, unit) in enumerate((("acceleration", "m/s²"), ("torque", "N.m"))):
        for name, percentage in (("median", 50), ("10 %", 10), ("90 %", 90)):
            numbers[f"{what}: {name} ({unit})"] = float(np.percentile(pooled[:, i], percentage))
    return Record(numbers, without, motions, peaks)


def first_contacts() -> dict[str, float]:
    """Return the times and speeds of the first five contacts, and how the first one ends."""
    motion = simulate(
        clearance_joint.model().equations(),
        1.33e-3,
        rtol=1e-12,
        atol=1e-12,
        parameters={"joint.youngs_modulus": MODULUS},
    )
    begun = np.flatnonzero(np.diff(motion["joint.impacts"]) > 0) + 1
    numbers = {}
    for i, row in enumerate(begun[:5], start=1):
        numbers[f"contact {i}: time (s)"] = float(motion["joint.impact_time"][row])
        numbers[f"contact {i}: speed (m/s)"] = float(motion["joint.impact_speed"][row])
    numbers["contact 1: end (s)"] = motion.events[1][0]
    row = int(np.searchsorted(motion.time, motion.events[1][0]))
    x, y, x_rate, y_rate = (motion[f"joint.{n}"][row] for n in ("x", "y", "x_rate", "y_rate"))
    numbers["contact 1: speed of leaving (m/s)"] = float((x * x_rate + y * y_rate) / np.hypot(x, y))
    numbers["contact 1: largest force (N)"] = float(motion["joint.force"][:row].max())
    return numbers


def rattle(path: Path, start: float) -> np.ndarray:
    """Return ``COLUMNS`` over all revolutions, the journal starting at y = ``start``."""
    given = {"joint.youngs_modulus": MODULUS, "joint.y": start}
    rows = np.empty((REVOLUTIONS * SAMPLES + 1, len(COLUMNS)))
    with Unit(path, given, tolerance=1e-7) as joint:
        rows[0] = joint.get(COLUMNS)
        for i in range(1, len(rows)):
            joint.step(REVOLUTION / SAMPLES)
            rows[i] = joint.get(COLUMNS)
    return rows


def peaks_per_revolution(motions: np.ndarray) -> np.ndarray:
    """Return the largest |acceleration| and |torque|, shape (starts, revolutions, 2)."""
    columns = [COLUMNS.index(n) for n in ("slider.acceleration", "crank.torque")]
    values = np.abs(motions[:, TRANSIENT * SAMPLES : -1, columns])
    return values.reshape(len(motions), REVOLUTIONS - TRANSIENT, SAMPLES, 2).max(axis=2)


def draw_slider(record: Record) -> Figure:
    """Draw Fig. 5.5: acceleration and velocity of the slider, with those without clearance."""
    figure = Figure(figsize=(8.5, 6.5), layout="constrained")
    rows = figure.subplots(2, 1, sharex=True)
    for axes, name, scale, label in (
        (rows[0], "slider.acceleration", 1e-3, "acceleration (10³ m/s²)"),
        (rows[1], "slider.velocity", 1.0, "velocity (m/s)"),
    ):
        draw_column(record, axes, name, scale)
        plain(axes, "", label)
    rows[0].legend(ncols=2, loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
    rows[0].set_title("The slider", loc="left")
    rows[1].set_xlabel("crank angle (deg)")
    return figure


def draw_joint(record: Record) -> Figure:
    """Draw Fig. 5.6: torque on the crank, and the path of the journal's centre."""
    figure = Figure(figsize=(12, 5.2), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.35, 1))
    draw_column(record, left, "crank.torque", 1.0)
    left.legend(ncols=2, loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
    left.set_title("Torque on the crank", loc="left")
    plain(left, "crank angle (deg)", "torque (N.m)")
    x, y = (shown(record, name) * 1e3 for name in ("joint.x", "joint.y"))
    right.plot(x, y, color="C0", linewidth=0.7)
    right.plot(x[::60], y[::60], ".", color="C0", markersize=3.5)
    circle = Circle((0, 0), CLEARANCE * 1e3, fill=False, linestyle="--", color="0.3")
    right.add_patch(circle)
    right.set_aspect("equal")
    right.set_title("Path of the journal's centre in the sleeve", loc="left")
    plain(right, "x (mm)", "y (mm)")
    return figure


def draw_column(record: Record, axes: Axes, name: str, scale: float) -> None:
    """Draw a quantity over the revolutions shown."""
    values = shown(record, name)
    degrees = np.linspace(0, 360 * SHOWN, len(values))
    axes.plot(degrees, scale * values, linewidth=0.8, label="with clearance")
    without = record.without
    for turn in range(SHOWN):
        axes.plot(
            np.degrees(SPEED * without.time) + 360 * turn,
            scale * without[name],
            color="C1",
            linewidth=1.6,
            label=None if turn else "without",
        )
    axes.set_xlim(0, degrees[-1])
    axes.set_xticks(np.arange(0, degrees[-1] + 1, 90))


def shown(record: Record, name: str) -> np.ndarray:
    """Return a column over two revolutions; as in the text, the second rattles more by far."""
    growth = np.diff(record.peaks[:, :, 0], axis=1)
    motion, revolution = np.unravel_index(np.argmax(growth), growth.shape)
    begin = (TRANSIENT + int(revolution)) * SAMPLES
    return record.motions[motion, begin : begin + SHOWN * SAMPLES + 1, COLUMNS.index(name)]


def draw(record: Record, folder: Path) -> None:
    """Write both figures."""
    save(draw_slider(record), folder, "slider_crank_clearance_slider")
    save(draw_joint(record), folder, "slider_crank_clearance_joint")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    for title, reference in (
        ("Rattling slider-crank [Schwab2002] 5.4.1", REFERENCE),
        (f"Peaks per revolution, {len(STARTS)} motions (reference: one)", STATISTICS),
    ):
        print_comparison(title, [(n, record.numbers[n], value) for n, value in reference.items()])
    medians = np.median(record.peaks, axis=1)
    low, high = medians.min(axis=0), medians.max(axis=0)
    print(
        f"medians of single motions: {low[0]:.0f} to {high[0]:.0f} m/s², "
        f"{low[1]:.0f} to {high[1]:.0f} N.m"
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
