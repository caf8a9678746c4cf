r"""Statistics of rattling: what 500 starts tell about a joint with clearance, and how surely.

The slider-crank of [Schwab2002] 5.4, `mbcore.fmus.clearance_joint`, rattles in its slider's joint.
After the first contacts its motion is chaotic: no single value can be predicted, only what it is on
the average. Each of n starts puts the journal at a place of its own in the clearance, evenly at
random in a square, and is simulated over twelve turns of the crank. The first two are left out, in
which the motion forgets its start. Of the other ten it gives one value each of

* the mean contact force, its impulse ∫|F| dt over the time, which the model integrates itself;
* the number of contacts per turn;
* the largest contact force in the ten turns.

The estimated quantity is the expectation E of each value over the starts. The n values are
independent of each other, so their mean m has a standard error s/√n, whatever happens inside a run,
and the interval m ± t s/√n, with Student's t for n - 1 degrees of freedom, holds E in 95 % of all
such studies. For the skewed third quantity the bootstrap (BCa) assumes no normal distribution. Its
expectation belongs to ten turns; in longer runs the largest force is larger.

Four things are checked. The slider's change of momentum is the impulse of the joint's force,
m Δv = ∫F_x dt, in every run. The intervals' halves shrink as 1/√n. Groups of ten starts have
intervals of their own, of which some 95 % must hold what all starts tell. And one motion over very
many turns has the same means within the errors of both: the average over time is that over starts.

Run: python examples/contact/rattling_statistics.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from mbcore import Model, Result, Samples, simulations, sweep
from mbcore.examples.common import figures_folder, plain, print_comparison, save
from mbcore.fmus import clearance_joint

SPEED, SLIDER_MASS = 523.6, 0.145
"""Of the crank, rad/s; kg."""
TURN = 2 * np.pi / SPEED
"""s."""
TURNS, TRANSIENT = 12, 2
SQUARE = stats.uniform(-0.3e-3, 0.6e-3)
"""Start of the journal along x and along y, m; the clearance is 0.5 mm."""
STARTS = 500
LONG = 300
"""Turns of the one long motion."""
GROUP = 10
QUANTITIES = {
    "force": ("mean contact force", "N"),
    "contacts": ("contacts per turn", "1"),
    "peak": ("largest force in ten turns", "N"),
}
LEVEL = 0.95


@dataclass(frozen=True)
class Record:
    """Values of all starts, and what follows from them."""

    data: xarray.Dataset
    """By start and turn: mean force, contacts, largest force; by start: momentum's residual."""
    values: dict[str, np.ndarray]
    """One value for each start, shapes (n,)."""
    student: dict[str, tuple[float, float]]
    bootstrap: dict[str, tuple[float, float]]
    """Intervals by quantity."""
    covered: dict[str, float]
    """Part of the groups whose interval holds the mean of all starts."""
    long: dict[str, tuple[float, float]]
    """Mean and standard error from the long motion, by quantity."""


def rattling() -> Model:
    """Return the mechanism with the impulses of its joint's force as states."""
    model = clearance_joint.model()
    for name, source in (("load.impulse", "joint.force"), ("load.impulse_x", "joint.force_x")):
        model.state(name, model.outputs[source].expression, unit="N.s")
    return model


def by_turns(run: Result) -> dict[str, xarray.DataArray | float]:
    """Return what every turn of a run gives, shapes (turns,), and the momentum's residual."""
    count = round(run.time[-1] / TURN)
    ends = TURN * np.arange(count + 1)
    impulse = np.interp(ends, run.time, run["load.impulse"])
    touched = np.array([time for time, _ in run.events][::2])  # contact and release in turn
    contacts, _ = np.histogram(touched, ends)
    times, tops = peaks(run.time, run["joint.force"])
    turn = np.clip((times / TURN).astype(int), 0, count - 1)
    largest = np.zeros(count)
    np.maximum.at(largest, turn, tops)
    change = SLIDER_MASS * np.ptp(run["slider.velocity"][[0, -1]])
    given = abs(run["load.impulse_x"][-1])
    force, number = np.diff(impulse) / TURN, contacts.astype(float)
    return {
        "force": xarray.DataArray(force, dims="turn", attrs={"units": "N"}),
        "contacts": xarray.DataArray(number, dims="turn"),
        "peak": xarray.DataArray(largest, dims="turn", attrs={"units": "N"}),
        "unbalanced": abs(change - given) / float(run["load.impulse"][-1]),
    }


def peaks(times: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return local maxima by parabolas through three neighbours, and when they are."""
    before, top, after = values[:-2], values[1:-1], values[2:]
    places = np.flatnonzero((top > before) & (top >= after)) + 1
    h, k = times[places] - times[places - 1], times[places + 1] - times[places]
    down, up = values[places] - values[places - 1], values[places + 1] - values[places]
    curvature = 2 * (up / k - down / h) / (h + k)
    slope = (down / h * k + up / k * h) / (h + k)
    shift = np.where(curvature < 0, -slope / np.where(curvature < 0, curvature, 1.0), 0.0)
    return times[places] + shift, values[places] + 0.5 * slope * shift


def run(starts: int = STARTS, long: int = LONG, workers: int | None = None) -> Record:
    """Simulate all starts, and one motion over many turns.

    Parameters
    ----------
    starts, long : int
        Numbers of starts, and of turns of the long motion.
    workers : int, optional
        Processes.
    """
    options = {"rtol": 1e-7, "atol": 1e-9, "backend": "c"}
    task = simulations(rattling, TURNS * TURN, outputs=by_turns, **options)
    places = {"joint.x": SQUARE, "joint.y": SQUARE}
    data = sweep(task, places, workers=workers, samples=Samples(starts, seed=1))
    values = of_starts(data)
    student = {name: interval(v) for name, v in values.items()}
    bootstrap = {
        name: tuple(
            stats.bootstrap(
                (v,), np.mean, random_state=np.random.default_rng(2)
            ).confidence_interval
        )
        for name, v in values.items()
    }
    one = simulations(rattling, long * TURN, outputs=by_turns, **options)
    course = sweep(one, {"joint.y": [1e-4]}, workers=1)
    return Record(
        data,
        values,
        student,
        bootstrap,
        {name: coverage(v) for name, v in values.items()},
        {name: of_course(course[name].values[0], name) for name in QUANTITIES},
    )


def of_starts(data: xarray.Dataset) -> dict[str, np.ndarray]:
    """Return one value of each quantity for each start, from the turns after the transient."""
    after = data.isel(turn=slice(TRANSIENT, None))
    return {
        "force": after.force.values.mean(axis=1),
        "contacts": after.contacts.values.mean(axis=1),
        "peak": after.peak.values.max(axis=1),
    }


def of_course(turns: np.ndarray, name: str) -> tuple[float, float]:
    """Return mean and standard error from blocks of ten turns of one motion."""
    length = TURNS - TRANSIENT
    count = (len(turns) - TRANSIENT) // length
    blocks = turns[TRANSIENT : TRANSIENT + count * length].reshape(count, length)
    found = blocks.max(axis=1) if name == "peak" else blocks.mean(axis=1)
    return float(found.mean()), float(stats.sem(found))


def interval(values: np.ndarray) -> tuple[float, float]:
    """Return Student's interval for the expectation."""
    low, high = stats.t.interval(LEVEL, len(values) - 1, values.mean(), stats.sem(values))
    return float(low), float(high)


def coverage(values: np.ndarray) -> float:
    """Return the part of the groups of starts whose interval holds the mean of all."""
    groups = values[: len(values) // GROUP * GROUP].reshape(-1, GROUP)
    ends = np.array([interval(group) for group in groups])
    return float(np.mean((ends[:, 0] <= values.mean()) & (values.mean() <= ends[:, 1])))


def halves(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers of starts, and half the interval that the first so many give."""
    numbers = np.unique(np.geomspace(5, len(values), 40).astype(int))
    ends = np.array([interval(values[:n]) for n in numbers])
    return numbers, np.ptp(ends, axis=1) / 2


def draw_system() -> Figure:
    """Draw the mechanism."""
    figure = Figure(figsize=(7, 3.2), layout="constrained")
    axes = figure.subplots()
    clearance_joint.picture(axes)
    axes.set_ylim(-1, 1.05)
    axes.set_title("Slider-crank whose slider joint rattles", loc="left")
    return figure


def draw(record: Record) -> Figure:
    """Draw the way into the steady state, the values, and the convergence."""
    figure = Figure(figsize=(8.5, 12), layout="constrained")
    course, spread, shrinking = figure.subplots(3, 1)
    _draw_course(course, record.data)
    values = 1e-3 * record.values["peak"]
    spread.hist(values, bins=30, color="C0", alpha=0.75)
    spread.axvspan(
        *(1e-3 * end for end in record.student["peak"]), color="C3", alpha=0.5, label="mean, 95 %"
    )
    plain(spread, "largest contact force in ten turns (kN)", "number of starts (1)")
    spread.set_title(f"Largest forces of {len(values)} starts", loc="left")
    spread.legend(loc="upper left", frameon=False)
    for i, (name, (text, _)) in enumerate(QUANTITIES.items()):
        numbers, half = halves(record.values[name])
        whole = record.values[name].mean()
        shrinking.loglog(numbers, 100 * half / whole, color=f"C{i}", label=text)
        ideal = half[-1] * np.sqrt(numbers[-1] / numbers)
        shrinking.loglog(numbers, 100 * ideal / whole, "--", color=f"C{i}", linewidth=0.9)
    shrinking.plot([], [], "k--", linewidth=0.9, label="as 1/√n")
    plain(shrinking, "number n of starts (1)", "half of the 95 % interval (% of the mean)")
    shrinking.set_title("Confidence intervals of the means", loc="left")
    shrinking.legend(frameon=False)
    return figure


def _draw_course(axes: Axes, data: xarray.Dataset) -> None:
    """Draw the number of contacts in every turn, its mean over the starts and its interval."""
    turns = np.arange(1, TURNS + 1)
    contacts = data.contacts.values
    ends = np.array([interval(column) for column in contacts.T])
    axes.axvspan(0.5, TRANSIENT + 0.5, color="0.92")
    axes.text(
        0.5 + TRANSIENT / 2, 0.03, "left out", ha="center", transform=axes.get_xaxis_transform()
    )
    low, high = np.percentile(contacts, [10, 90], axis=0)
    axes.fill_between(turns, low, high, color="C0", alpha=0.2, label="80 % of the starts")
    middle, half = ends.mean(axis=1), np.ptp(ends, axis=1) / 2
    axes.errorbar(turns, middle, half, fmt="o-", color="C0", capsize=3, label="mean, 95 %")
    axes.set_xlim(0.5, TURNS + 0.5)
    axes.set_ylim(0, None)
    plain(axes, "turn of the crank (1)", "contacts in this turn (1)")
    axes.set_title("The motion forgets its start", loc="left")
    axes.legend(loc="lower right", frameon=False)


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    rows = []
    for name, (text, unit) in QUANTITIES.items():
        rows.append((f"{text} ({unit})", float(record.values[name].mean()), record.long[name][0]))
    print_comparison(f"Rattling: {len(record.data.sample)} starts beside {LONG} turns of one", rows)
    print("\n95 % intervals of the expectation, and groups of ten that hold the mean of all")
    for name, (text, unit) in QUANTITIES.items():
        student, bootstrap = record.student[name], record.bootstrap[name]
        error = record.long[name][1]
        print(
            f"{text + ' (' + unit + ')':32} Student {student[0]:.6g} to {student[1]:.6g}, "
            f"bootstrap {bootstrap[0]:.6g} to {bootstrap[1]:.6g}; "
            f"{100 * record.covered[name]:.0f} % of the groups; "
            f"one motion {record.long[name][0]:.6g}"
            f" ± {error:.2g}"
        )
    worst = float(record.data.unbalanced.max())
    print(f"change of momentum and impulse: at most {worst:.1e} of the whole impulse apart")
    save(draw_system(), folder, "rattling_statistics_system")
    save(draw(record), folder, "rattling_statistics")


if __name__ == "__main__":
    main()
