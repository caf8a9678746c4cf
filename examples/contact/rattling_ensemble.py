r"""Ten thousand rattling starts: how fast a cloud of them forgets where it was, and what it tells.

The slider-crank of ``rattling_statistics.py`` rattles in its slider's joint. There, 500 starts give
means to a tenth of a percent; here `simulate_many` integrates 10,000 over five turns, with some 155
contacts each, and each with its own steps and events. The journal starts evenly at random in a
square of the clearance. Two turns are left out; of three others every start gives its mean contact
force, from the impulse ∫|F| dt that the model integrates itself, and its number of contacts in a
turn. The places of all journals at one time are a cloud: in a tenth of a turn it has left its
square, and after five turns most of it lies along that part of the clearance circle to which the
crank's angle drives the journal. Points outside the circle are journals in contact: there the
surfaces of Hertz's law penetrate each other, by up to 0.08 mm.

So many starts show what a few have to assume.

* The mean of n starts has the standard deviation s/√n. Groups of 1, 2, 4, ... starts have means of
  their own, whose deviation is measured, not calculated: on logarithmic axes a line of slope -1/2.
* Student's intervals of 1,000 groups of ten hold what all tell in 95 % of the groups, for forces.
  Numbers of contacts are skewed (-0.6), for which the intervals are too short: 92.5 %.
* Means of the 500 starts of ``rattling_statistics.py``, over ten turns and by ``simulate``, lie
  within the errors of both.
* The slider's change of momentum is the impulse of its force, m Δv = ∫F_x dt, for each start. On
  the average a turn leaves the speed as it was, so the mean of F_x is zero within its error.

Run: python examples/contact/rattling_ensemble.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from scipy import stats

from mbcore import simulate_many
from mbcore.examples.common import figures_folder, plain, print_comparison, save
from mbcore.examples.contact.rattling_statistics import (
    SLIDER_MASS,
    SQUARE,
    TRANSIENT,
    TURN,
    coverage,
    draw_system,
    rattling,
)

STARTS, TURNS = 10_000, 5
CLEARANCE = 0.5e-3
"""m"""
EARLY = 0.1
"""Turns after which the cloud is drawn first."""
PHASES = 60
"""Places in the last turn at which the joint is looked at."""
COLUMNS = (
    *("load.impulse", "load.impulse_x", "slider.velocity", "joint.impacts"),
    *("joint.in_contact", "joint.x", "joint.y"),
)
PUBLISHED = {"force": (1696.84, 0.45), "contacts": (30.079, 0.19)}
"""Means of ``rattling_statistics.py`` from 500 starts, and their standard errors; N and 1."""
TITLES = {"force": "mean contact force (N)", "contacts": "contacts per turn (1)"}


@dataclass(frozen=True)
class Record:
    """Results of all starts.

    Attributes
    ----------
    data : xarray.Dataset
        By start and time.
    turns : dict of str to ndarray, shape (starts, TURNS)
        Mean contact force, N, and contacts in each turn.
    """

    data: xarray.Dataset
    turns: dict[str, np.ndarray]

    @property
    def values(self) -> dict[str, np.ndarray]:
        """One value of each quantity for each start, without the transient."""
        return {name: turns[:, TRANSIENT:].mean(axis=1) for name, turns in self.turns.items()}

    @property
    def unbalanced(self) -> float:
        """Largest difference of change of momentum and impulse, relative to the impulse."""
        change = SLIDER_MASS * np.diff(self.data["slider.velocity"].values[:, [0, -1]])[:, 0]
        given, whole = (self.data[n].values[:, -1] for n in ("load.impulse_x", "load.impulse"))
        return float(np.max(np.abs(change - given) / whole))

    @property
    def drift(self) -> float:
        """Mean of F_x without the transient, in parts of its standard error."""
        impulse = at_turns(self.data, "load.impulse_x")
        means = (impulse[:, -1] - impulse[:, TRANSIENT]) / ((TURNS - TRANSIENT) * TURN)
        return float(means.mean() / stats.sem(means))


def times() -> np.ndarray:
    """Return when the starts are looked at: an early one, ends of turns, and the last turn, s."""
    last = TURNS - 1 + np.arange(1, PHASES) / PHASES
    return TURN * np.sort(np.concatenate([np.arange(TURNS + 1), [EARLY], last]))


def at_turns(data: xarray.Dataset, name: str) -> np.ndarray:
    """Return values at the ends of turns, the start first, shape (starts, TURNS + 1)."""
    return data[name].sel(time=TURN * np.arange(TURNS + 1), method="nearest").values


def run(starts: int = STARTS) -> Record:
    """Simulate all starts."""
    x, y = SQUARE.rvs((2, starts), random_state=np.random.default_rng(3))
    data = simulate_many(
        rattling().equations(),
        TURNS * TURN,
        start={"joint.x": x, "joint.y": y},
        outputs=COLUMNS,
        samples=times(),
        rtol=1e-7,
        atol=1e-9,
    )
    force = np.diff(at_turns(data, "load.impulse")) / TURN
    return Record(data, {"force": force, "contacts": np.diff(at_turns(data, "joint.impacts"))})


def deviations(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return sizes of groups, and the standard deviations of the means of groups of these sizes."""
    sizes = 2 ** np.arange(int(np.log2(len(values) / 50)) + 1)
    means = [values[: len(values) // n * n].reshape(-1, n).mean(axis=1) for n in sizes]
    return sizes, np.array([of_groups.std(ddof=1) for of_groups in means])


def slope(values: np.ndarray) -> float:
    """Return the slope of these deviations on logarithmic axes, weighted by numbers of groups."""
    sizes, spread = deviations(values)
    return float(np.polyfit(np.log(sizes), np.log(spread), 1, w=np.sqrt(len(values) / sizes))[0])


def draw_clouds(record: Record) -> Figure:
    """Draw where the journals are at the start, soon after and at the end."""
    figure = Figure(figsize=(9.5, 3.9), layout="constrained")
    moments = (0.0, EARLY, float(TURNS))
    for axes, turns in zip(figure.subplots(1, 3, sharey=True), moments, strict=True):
        at = record.data.sel(time=turns * TURN, method="nearest")
        x, y = 1e3 * at["joint.x"].values, 1e3 * at["joint.y"].values
        axes.plot(x, y, ".", markersize=1.2, color="C0", rasterized=True)
        axes.add_patch(Circle((0, 0), 1e3 * CLEARANCE, fill=False, color="0.4"))
        if turns == 0:
            axes.text(0, 1e3 * CLEARANCE, "clearance", color="0.35", ha="center", va="bottom")
        axes.set_aspect("equal")
        axes.set_xlim(-0.6, 0.6)
        axes.set_ylim(-0.6, 0.6)
        plain(axes, "x of the journal (mm)", "y (mm)" if turns == 0 else "")
        said = "At the start" if turns == 0 else f"After {turns:g} turn{'s' * (turns != 1)}"
        axes.set_title(said, loc="left")
    return figure


def draw(record: Record) -> Figure:
    """Draw contact over the crank's angle, contacts in each turn, and how means converge."""
    figure = Figure(figsize=(8.5, 11), layout="constrained")
    touching, course, shrinking = figure.subplots(3, 1)
    _draw_touching(touching, record.data)
    _draw_course(course, record)
    for i, (name, values) in enumerate(record.values.items()):
        sizes, spread = deviations(values)
        whole = values.mean()
        text = TITLES[name].partition(" (")[0]
        shrinking.loglog(sizes, 100 * spread / whole, "o", color=f"C{i}", label=text)
        law = 100 * values.std(ddof=1) / whole / np.sqrt(sizes)
        shrinking.loglog(sizes, law, "--", color=f"C{i}", linewidth=0.9)
    shrinking.plot([], [], "k--", linewidth=0.9, label="s/√n")
    plain(shrinking, "starts n in a group (1)", "deviation of the groups' means (%)")
    shrinking.set_title("Means of n starts, measured on groups", loc="left")
    shrinking.legend(frameon=False)
    return figure


def _draw_touching(axes: Axes, data: xarray.Dataset) -> None:
    """Draw which part of the starts is in contact in the last turn."""
    last = data.sel(time=slice((TURNS - 1 - 1e-6) * TURN, None))
    angle = 360 * (last.time.values / TURN - (TURNS - 1))
    part = last["joint.in_contact"].values.mean(axis=0)
    error = 1.96 * np.sqrt(part * (1 - part) / data.sizes["instance"])
    axes.fill_between(angle, 100 * (part - error), 100 * (part + error), color="C0", alpha=0.4)
    axes.plot(angle, 100 * part, color="C0", linewidth=1.0)
    axes.set_xlim(0, 360)
    axes.set_xticks(range(0, 361, 60))
    axes.set_ylim(0, None)
    plain(axes, "crank angle in the last turn (°)", "starts in contact (%)")
    axes.set_title("When the joint touches, with 95 % bands", loc="left")


def _draw_course(axes: Axes, record: Record) -> None:
    """Draw the mean number of contacts in each turn."""
    contacts = record.turns["contacts"]
    turns = np.arange(1, TURNS + 1)
    axes.axvspan(0.5, TRANSIENT + 0.5, color="0.92")
    axes.text(
        0.5 + TRANSIENT / 2, 0.9, "left out", ha="center", transform=axes.get_xaxis_transform()
    )
    axes.errorbar(
        turns, contacts.mean(axis=0), 1.96 * stats.sem(contacts), fmt="o-", color="C1", capsize=4
    )
    axes.set_xlim(0.5, TURNS + 0.5)
    plain(axes, "turn of the crank (1)", "contacts in this turn (1)")
    axes.set_title("Mean of all starts, 95 %", loc="left")


def rows(record: Record) -> list[tuple[str, float, float]]:
    """Return what is compared: what it is, ours, reference."""
    found: list[tuple[str, float, float]] = []
    for name, values in record.values.items():
        text = TITLES[name].partition(" (")[0]
        found.append((TITLES[name], float(values.mean()), PUBLISHED[name][0]))
        found.append((f"{text}: slope of deviations", slope(values), -0.5))
        found.append((f"{text}: groups that hold the mean", coverage(values), 0.95))
    found.append(("momentum and impulse, largest difference", record.unbalanced, 0.0))
    found.append(("mean of F_x in standard errors", record.drift, 0.0))
    return found


def main() -> None:
    """Run, print and draw."""
    folder: Path = figures_folder(__doc__)
    record = run()
    count = record.data.sizes["instance"]
    print_comparison(f"Rattling: {count} starts beside 500, and what must hold", rows(record))
    for name, values in record.values.items():
        apart = (values.mean() - PUBLISHED[name][0]) / np.hypot(
            stats.sem(values), PUBLISHED[name][1]
        )
        print(
            f"{TITLES[name]}: {values.mean():.6g} ± {stats.sem(values):.2g}, "
            f"{apart:.1f} standard errors from the mean of 500"
        )
    print(f"contacts of all starts: {record.data['joint.impacts'].values[:, -1].sum():.3g}")
    save(draw_system(), folder, "rattling_ensemble_system")
    save(draw_clouds(record), folder, "rattling_ensemble_clouds")
    save(draw(record), folder, "rattling_ensemble")


if __name__ == "__main__":
    main()
