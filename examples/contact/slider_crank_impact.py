r"""A slider-crank whose joint rattles by impulses, [Schwab2002] 5.4.2, Figs. 5.7 and 5.8.

The mechanism of ``slider_crank_clearance``, with journal and sleeve that do not deform. Where the
journal's centre J arrives at the clearance circle with the speed v = n·(v_J - v_S), n the direction
in which it is off the sleeve's centre S, an impulse along n throws it back with e v (5.16). Where
further impacts would be over within 10 µs the journal stays at the sleeve, until the force of this
constraint vanishes. Free flight, rebound and permanent contact take turns. Hertz's stiffness serves
only to estimate the largest force of each impact by (5.33).

Impulses (1 + e) m_e v (5.18), losses (1 - e²) m_e v²/2 (5.21) and changes of energy are checked by
hand in ``impact_by_hand``, with the impulsive work of the crank, whose motion is prescribed.

The text superposes x and y on the rigid motion, as `superpose` does. That moves the first impacts
by up to 1 µs and changes their speeds by up to 0.5 %.

Statistics, as there, over the 3rd to 30th revolution of five motions; the reference is one motion,
another sample. The figures show two revolutions of which the first rattles more by far.

Run: python examples/contact/slider_crank_impact.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore import Equations, Result, simulate, superpose
from mbcore.examples.common import figures_folder, head, print_comparison, save
from mbcore.examples.contact.impact_by_hand import Mechanism
from mbcore.examples.contact.joint_picture import show_joint
from mbcore.examples.contact.rattling import (
    CLEARANCE,
    MODULUS,
    REVOLUTION,
    REVOLUTIONS,
    SAMPLES,
    SHOWN,
    SPEED,
    TRANSIENT,
    Rattle,
    draw_joint,
    draw_slider,
    rattle,
)
from mbcore.fmus import clearance_joint

RESTITUTION = 0.95
LAW = {"joint.law": float(clearance_joint.IMPACT)}
WATCHED = 3 * REVOLUTION
"""Whose impacts are checked by hand, s."""

Pairs = tuple[tuple[float, float], ...]


def table(pairs: Pairs) -> dict[str, float]:
    """Name times and speeds of impacts."""
    return {
        f"impact {i}: {name}": value
        for i, pair in enumerate(pairs, start=1)
        for name, value in zip(("time (s)", "speed (m/s)"), pair, strict=True)
    }


IMPACTS = {
    "impact 1: effective mass (kg)": 0.1451176,
    "impact 1: impulse (N.s)": 1.2410919,
    "impact 1: largest force (N)": 44970.47,
} | table(
    (
        (2.272853257e-4, 4.38580344),
        (6.031664307e-4, 2.79341522),
        (6.925495754e-4, 2.93526897),
        (7.719779192e-4, 2.47834608),
        (1.175908276e-3, 3.65095564),
    )
)
SUPERPOSED = table(
    (
        (2.272855713e-4, 4.38577974),
        (6.040498124e-4, 2.78017577),
        (6.925580298e-4, 2.92064990),
        (7.712875700e-4, 2.47120561),
        (1.176445413e-3, 3.63955754),
    )
)
BY_HAND = {
    "error of an impulse (N.s)": 0.0,
    "error of a loss (J)": 0.0,
    "error of a change of energy (J)": 0.0,
    "largest overlap in permanent contact (m)": 0.0,
}
STATISTICS = {"acceleration: median (m/s²)": 195e3, "torque: median (N.m)": 981.0}
"""Largest estimated values per revolution."""
ALSO = (
    *("joint.x_rate", "joint.y_rate", "joint.impacts", "joint.impact_time"),
    *("joint.largest_force", "joint.switches", "joint.eccentricity", "joint.in_contact"),
)


@dataclass(frozen=True)
class Estimates:
    """Peaks of impacts, by [Schwab2002] (5.33), of one motion."""

    time: np.ndarray
    acceleration: np.ndarray
    torque: np.ndarray


@dataclass(frozen=True)
class Record:
    """Numbers of the motions; names and units as in the tables above."""

    numbers: dict[str, float]
    rattle: Rattle
    estimates: list[Estimates]


def run() -> Record:
    """Simulate the first impacts, three revolutions to be checked, and thirty of five motions."""
    model = clearance_joint.model()
    watched = _simulate(model.equations(), WATCHED)
    first = impacts(watched)
    superposed = impacts(_simulate(superpose(model), 1.2e-3))
    numbers = first | {f"superposed, {name}": value for name, value in superposed.items()}
    numbers |= by_hand(watched)
    motions = rattle(model, parameters=LAW, also=ALSO, rising=False)
    found = [estimates(motions, motion) for motion in motions.motions]
    motions = replace(motions, peaks=np.array([peaks(one) for one in found]))
    columns = [motions.columns.index(n) for n in ("joint.impacts", "joint.switches")]
    count, switches = motions.motions[:, -1, columns].mean(axis=0)
    numbers |= motions.statistics() | {
        "largest overlap in permanent contact (m)": overlap(motions),
        "impacts per revolution": count / REVOLUTIONS,
        "mode switches per second": switches / (REVOLUTIONS * REVOLUTION),
    }
    return Record(numbers, motions, found)


def _simulate(equations: Equations, until: float) -> Result:
    parameters = LAW | {"joint.youngs_modulus": MODULUS}
    return simulate(equations, until, rtol=1e-12, atol=1e-12, parameters=parameters)


def _begun(motion: Result) -> np.ndarray:
    """Return the rows just after impacts; the one before each is the point before."""
    return np.flatnonzero(np.diff(motion["joint.impacts"]) > 0) + 1


def impacts(motion: Result, count: int = 5) -> dict[str, float]:
    """Return times and speeds of the first impacts, and more of the very first."""
    numbers = {}
    rows = _begun(motion)[:count]
    for i, row in enumerate(rows, start=1):
        numbers[f"impact {i}: time (s)"] = float(motion["joint.impact_time"][row])
        numbers[f"impact {i}: speed (m/s)"] = speed = float(motion["joint.impact_speed"][row])
        numbers[f"impact {i}: impulse (N.s)"] = impulse = float(motion["joint.impulse"][row])
        numbers[f"impact {i}: effective mass (kg)"] = impulse / ((1 + RESTITUTION) * speed)
        numbers[f"impact {i}: largest force (N)"] = float(motion["joint.largest_force"][row])
    return numbers


def by_hand(motion: Result) -> dict[str, float]:
    """Return how far impulses, losses and changes of energy are off those by hand."""
    rows = _begun(motion)
    names = ("crank.angle", "joint.x", "joint.y", "joint.x_rate", "joint.y_rate")
    states = np.array([motion[n] for n in names])
    before, after = Mechanism(states[:, rows - 1]), Mechanism(states[:, rows])
    e = np.where(motion["joint.closed.active"][rows] > 0.5, 0.0, RESTITUTION)
    impulse = (1 + e) * before.effective_mass * before.speed  # [Schwab2002] (5.18)
    loss = (1 - e**2) * before.effective_mass * before.speed**2 / 2  # [Schwab2002] (5.21)
    change = after.energy() - before.energy()
    told = motion["joint.energy_loss"][rows] - motion["joint.energy_loss"][rows - 1]
    return {
        "impacts checked": float(rows.size),
        "error of an impulse (N.s)": float(abs(motion["joint.impulse"][rows] - impulse).max()),
        "error of a loss (J)": float(abs(told - loss).max()),
        "error of a change of energy (J)": float(abs(change - (before.work(impulse) - loss)).max()),
        "largest work of the crank in an impact (J)": float(abs(before.work(impulse)).max()),
    }


def overlap(motions: Rattle) -> float:
    """Return how far the journal is off the clearance circle in permanent contact, m."""
    closed, eccentricity = (
        motions.motions[:, :, motions.columns.index(n)]
        for n in ("joint.in_contact", "joint.eccentricity")
    )
    return float(abs(eccentricity[closed > 0.5] - CLEARANCE).max())


def estimates(motions: Rattle, motion: np.ndarray) -> Estimates:
    """Return the peaks of the impacts, whose places follow from the next samples back in time.

    Of several in one interval, 2 µs, the last is taken: none of them is faster than 0.2 m/s.
    """
    column = {name: motion[:, i] for i, name in enumerate(motions.columns)}
    rows = np.flatnonzero(np.diff(column["joint.impacts"]) > 0) + 1
    time = column["joint.impact_time"][rows]
    ago = rows * REVOLUTION / SAMPLES - time
    rates = [column[f"joint.{n}_rate"][rows] for n in "xy"]
    x, y = (column[f"joint.{n}"][rows] - ago * rate for n, rate in zip("xy", rates, strict=True))
    place = Mechanism(np.array([SPEED * time, x, y, *rates]))
    force = column["joint.largest_force"][rows]
    return Estimates(time, place.acceleration(force), place.torque(force))


def peaks(found: Estimates) -> np.ndarray:
    """Return the largest |acceleration| and |torque| per revolution, shape (revolutions, 2)."""
    turn = (found.time / REVOLUTION).astype(int)
    values = np.abs([found.acceleration, found.torque])
    return np.array(
        [values[:, turn == k].max(axis=1, initial=0.0) for k in range(TRANSIENT, REVOLUTIONS)]
    )


def draw_torque(record: Record) -> Figure:
    """Draw Fig. 5.8: the torque with lines for the estimated peaks, and the journal's path."""
    figure = draw_joint(record.rattle)
    axes = figure.axes[0]
    motion, revolution = record.rattle.place()
    found = record.estimates[motion]
    degrees = np.degrees(SPEED * found.time) - 360 * revolution
    inside = (degrees > 0) & (degrees < 360 * SHOWN)
    base = np.interp(
        degrees[inside],
        np.linspace(0, 360 * SHOWN, SHOWN * SAMPLES + 1),
        record.rattle.shown("crank.torque"),
    )
    axes.vlines(
        degrees[inside],
        base,
        base + found.torque[inside],
        color="C3",
        linewidth=1,
        label="impacts, estimated peaks",
    )
    head(axes, "Torque on the crank", 3)
    return figure


def draw(record: Record, folder: Path) -> None:
    """Draw Figs. 5.7 and 5.8."""
    save(draw_slider(record.rattle), folder, "slider_crank_impact_slider")
    save(draw_torque(record), folder, "slider_crank_impact_joint")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    title = "Slider-crank with clearance, drawn 7 times as large"
    show_joint(clearance_joint.model(), folder, "slider_crank_impact", title)
    record = run()
    numbers = record.numbers
    for title, reference, prefix in (
        ("Rattling slider-crank by impacts [Schwab2002] 5.4.2", IMPACTS, ""),
        ("Superposed on the rigid motion", SUPERPOSED, "superposed, "),
        (f"By hand, {numbers['impacts checked']:.0f} impacts", BY_HAND, ""),
        ("Estimated peaks per revolution (reference: one motion)", STATISTICS, ""),
    ):
        rows = [(name, numbers[prefix + name], value) for name, value in reference.items()]
        print_comparison(title, rows)
    medians = np.median(record.rattle.peaks, axis=1)
    low, high = medians.min(axis=0), medians.max(axis=0)
    print(
        f"medians of single motions: {low[0]:.0f} to {high[0]:.0f} m/s², "
        f"{low[1]:.0f} to {high[1]:.0f} N.m"
    )
    for name in ("impacts per revolution", "mode switches per second"):
        print(f"{name}: {numbers[name]:.0f}")
    draw(record, folder)


if __name__ == "__main__":
    main()
