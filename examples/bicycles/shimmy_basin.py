r"""Which starts end in shimmy: the basin of a caster's limit cycle, from 10,000 motions.

The caster of ``shimmy_limit_cycle.py`` has, between the fold of its cycles and its Hopf point, two
motions that attract, straight running and a stable cycle, and between them an unstable cycle. At
v = 0.8 m/s a start ends in one of the two. `simulate_many` integrates 71 · 71 starts in each of two
planes, with a swivel angle φ and a swivel rate φ̇ of their own. The state has two more values,
deflection and rate of the strut. They are zero in one plane; in the other they belong to φ and φ̇ as
in the unstable cycle: it is the plane through two states of the cycle, a quarter of its period
apart. The amplitude of the last turn tells where a motion has come to. Where the wheel passes
through its position across the road, |φ| = π/2, it may roll backwards, for which the tyre's law is
not meant; these starts are left out.

Three things are known without any of these motions. The equations are odd in the state, so that
the mirror image of a start, (-φ, -φ̇), ends as its mirror image. The border between the basins
consists of motions that tend to the unstable cycle, and this cycle belongs to it: from one of its
states, with all four values a little smaller, the caster ends straight, a little larger, in shimmy,
at whatever phase. And those that shimmy have the amplitude of the stable cycle, which
`periodic_solution` finds.

Run: python examples/bicycles/shimmy_basin.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore import Equations, simulate_many
from mbcore.examples.bicycles.shimmy_limit_cycle import (
    BETWEEN,
    DRAWN,
    STATES,
    SWIVELS,
    branches,
    cycle,
    model,
    with_slip,
)
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save
from mbcore.examples.swivel_picture import show_swivelled
from mbcore.vibration import PeriodicSolution

ANGLE, RATE = "swivel.angle", "swivel.rate"
SIDE = np.linspace(-1.2, 1.2, 71)
"""Of both planes, rad and rad/s."""
PHASES, NEAR = 24, 0.02
"""At how many phases the caster is pushed off its unstable cycle, and how far, relative to it."""
SETTLED = 400.0
"""How long the motions take, s: next to the border they stay near the unstable cycle for long."""
EARLY, LATE = np.linspace(0.1, 20, 200), np.linspace(SETTLED - 7, SETTLED, 300)
"""While it is seen whether the wheel turns over; the last turn, s."""

REFERENCE = {
    "mirrored starts that end differently": 0.0,
    "starts inside the unstable cycle that shimmy": 0.0,
    "starts outside it that end straight": 0.0,
    "largest amplitude less the stable cycle's": 0.0,
}


@dataclass(frozen=True)
class Record:
    """Amplitudes of φ at the end, rad, and both cycles.

    Attributes
    ----------
    planes : ndarray, shape (2, angles, rates)
        Of starts in the unstable cycle's plane, and with an undeflected strut; NaN where the wheel
        turns over.
    inside, outside : ndarray, shape (phases,)
        Of starts a little smaller and larger than the unstable cycle.
    unstable, stable : PeriodicSolution
        The cycles.
    """

    planes: np.ndarray
    inside: np.ndarray
    outside: np.ndarray
    unstable: PeriodicSolution
    stable: PeriodicSolution

    @property
    def numbers(self) -> dict[str, float]:
        """Numbers as in ``REFERENCE``."""
        border, largest = self.unstable.amplitude(ANGLE), self.stable.amplitude(ANGLE)
        shimmies, known = self.planes > border, ~np.isnan(self.planes)
        mirrored = np.s_[:, ::-1, ::-1]
        differ = known & known[mirrored] & (shimmies != shimmies[mirrored])
        found = (
            differ.sum(),
            (self.inside > border).sum(),
            (self.outside < border).sum(),
            np.nanmax(self.planes) - largest,
        )
        return dict(zip(REFERENCE, map(float, found), strict=True))


def amplitudes(equations: Equations, start: dict[str, np.ndarray]) -> np.ndarray:
    """Return half the range of φ in the last turn of many motions, rad, shape (n,).

    It is NaN where φ passes through π/2.
    """
    motions = simulate_many(
        equations, SETTLED, start=start, parameters={**SWIVELS["viscous"], "speed": BETWEEN},
        outputs=[ANGLE], samples=np.concatenate([EARLY, LATE]), rtol=1e-7, atol=1e-9,
    )  # fmt: skip
    angles = motions[ANGLE].values
    turned = np.abs(angles).max(axis=1) > np.pi / 2
    return np.where(turned, np.nan, np.ptp(angles[:, len(EARLY) :], axis=1) / 2)


def in_plane(cycle: PeriodicSolution, swivel: np.ndarray) -> dict[str, np.ndarray]:
    """Return the states that have angles and rates in the plane of a cycle's two states.

    Parameters
    ----------
    cycle : PeriodicSolution
        Whose plane.
    swivel : ndarray, shape (2, n)
        Angles and rates, rad and rad/s.
    """
    quarter = np.array([0, cycle.period / 4])
    parts = np.linalg.solve([cycle[ANGLE](quarter), cycle[RATE](quarter)], swivel)
    return {name: cycle[name](quarter) @ parts for name in STATES}


def run(side: np.ndarray = SIDE) -> Record:
    """Find both cycles, and where the motions of all starts end."""
    equations = model().equations()
    shimmy = branches(equations, "viscous")
    unstable, stable = (
        cycle(equations, shimmy, "viscous", BETWEEN, stable=which) for which in (False, True)
    )
    swivel = np.array([values.ravel() for values in np.meshgrid(side, side, indexing="ij")])
    straight = dict(zip((ANGLE, RATE), swivel, strict=True))
    planes = [amplitudes(equations, start) for start in (in_plane(unstable, swivel), straight)]
    phases = unstable.period / PHASES * np.arange(PHASES)
    inside, outside = (
        amplitudes(equations, {name: part * unstable[name](phases) for name in STATES})
        for part in (1 - NEAR, 1 + NEAR)
    )
    shape = 2, len(side), len(side)
    return Record(np.reshape(planes, shape), inside, outside, unstable, stable)


def draw(record: Record, folder: Path) -> None:
    """Draw where the starts of both planes end."""
    save(_draw_planes(record), folder, "shimmy_basin")


def _draw_planes(record: Record) -> Figure:
    """Draw both planes of starts, and the cycles in theirs."""
    figure = Figure(figsize=(11, 5.8), layout="constrained")
    both = figure.subplots(1, 2, sharey=True)
    for axes, plane in zip(both, record.planes, strict=True):
        axes.set_facecolor("0.8")
        filled = axes.pcolormesh(SIDE, SIDE, plane.T, vmin=0, rasterized=True, shading="nearest")
        plain(axes, "swivel angle at the start (rad)", "")
        axes.set_aspect("equal")
    figure.colorbar(
        filled, ax=both, label="amplitude of φ at the end (rad)", location="bottom", aspect=60
    )
    _draw_cycles(both[0], record)
    both[0].set_ylabel("swivel rate at the start (rad/s)")
    head(both[0], "Strut deflected as in the unstable cycle", 2)
    both[1].set_title("Strut undeflected", loc="left")
    both[1].text(1.15, 1.1, "grey: the wheel\nturns over", ha="right", va="top")
    return figure


def _draw_cycles(axes: Axes, record: Record) -> None:
    """Draw the cycles, as seen in the plane of angle and rate."""
    for name, found, style in (
        ("unstable cycle", record.unstable, "--"),
        ("stable cycle", record.stable, "-"),
    ):
        times = np.linspace(0, found.period, 200)
        axes.plot(found[ANGLE](times), found[RATE](times), style, color="C3", label=name)


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show_swivelled(with_slip(), folder, "shimmy_basin", DRAWN)
    record = run()
    rows = [(name, value, REFERENCE[name]) for name, value in record.numbers.items()]
    print_comparison("Basin of a caster's limit cycle", rows)
    for name, plane in zip(("as in the cycle", "undeflected"), record.planes, strict=True):
        shimmies = int((plane > record.unstable.amplitude(ANGLE)).sum())
        turned = int(np.isnan(plane).sum())
        print(
            f"strut {name}: {plane.size - shimmies - turned} starts end straight, "
            f"{shimmies} in shimmy, {turned} wheels turn over"
        )
    draw(record, folder)


if __name__ == "__main__":
    main()
