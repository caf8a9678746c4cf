r"""The bicycle that steers itself over the widest range of speeds, found in eight evaluations.

The benchmark bicycle rides by itself, without a rider's steer, from its weave speed 4.292 to its
capsize speed 6.024 m/s. Which trail and which tilt of the steering axis make that range widest, all
else kept? The trail may be up to 0.2 m, the tilt 0.1 to 0.5 rad.

`optimize` asks the nonlinear equations of `mbcore.fmus.bicycle` for the eigenvalues of upright
riding. The ends of the range have exact derivatives: where Re λ(v, p) = 0,

    dv/dp = -Re(∂λ/∂p) / Re(∂λ/∂v),    ∂λ/∂p = w A' v / (w v).

Brute force stands beside it: all pairs of a grid over the bounds, then ever finer grids around the
best of them. It takes the matrices of Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A 463
(2007) 1955, Appendix A, and their stability conditions without eigenvalues; no code of mbcore. The
best bicycle has the longest trail that is allowed, and an axis 4° steeper than the benchmark's.

Run: python examples/bicycles/bicycle_widest_range.py [--figures DIR]
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mbcore import Optimum, Trial, Varied, optimize, simulate
from mbcore.examples.bicycles.bicycle_canonical import (
    DATA,
    TILT,
    TRAIL,
    canonical_matrices,
    self_stable_speeds,
    width,
)
from mbcore.examples.common import figures_folder, picture, plain, print_comparison, save, show
from mbcore.fmus import bicycle

OVER = {TRAIL: (0.02, 0.2), TILT: (0.1, 0.5)}
"""Bounds, m and rad."""
FOUR = ("bicycle.lean_rate", "bicycle.steer_rate", "bicycle.lean", "bicycle.steer")
UPRIGHT = {"bicycle.lean_rate": 0.0}
SPEED = "bicycle.speed"
BENCHMARK = {TRAIL: DATA[TRAIL], TILT: DATA[TILT]}
PUBLISHED = 6.02426201538837 - 4.29238253634111
"""Width of the benchmark's range, [Meijaard2007], m/s."""
GRID, FINER = (31, 33), 7
"""Trails and tilts of the first grid, and how often a finer one is laid around the best place."""


def stable_speeds(trial: Trial) -> Varied:
    """Return the width of the range of self-stable speeds, m/s."""
    return trial.stable_range(SPEED, (1, 12), FOUR, at=UPRIGHT, samples=15).width


def brute_force() -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, float]]:
    """Return trails and tilts of a grid over the bounds, widths there, and the best of all."""
    trails, tilts = (np.linspace(*OVER[n], k) for n, k in zip((TRAIL, TILT), GRID, strict=True))
    widths = np.array([[width(trail, tilt) for trail in trails] for tilt in tilts])
    at_tilt, at_trail = np.unravel_index(np.nanargmax(widths), widths.shape)
    best = {TRAIL: float(trails[at_trail]), TILT: float(tilts[at_tilt])}
    step = {TRAIL: float(trails[1] - trails[0]), TILT: float(tilts[1] - tilts[0])}
    for _ in range(FINER):
        places = {
            name: np.clip(best[name] + step[name] * np.linspace(-1, 1, 7), *OVER[name])
            for name in OVER
        }
        pairs = [(trail, tilt) for trail in places[TRAIL] for tilt in places[TILT]]
        top = pairs[int(np.nanargmax([width(*pair) for pair in pairs]))]
        best = dict(zip(OVER, map(float, top), strict=True))
        step = {name: one / 3 for name, one in step.items()}
    return trails, tilts, widths, best


def growth(values: dict[str, float], speeds: np.ndarray) -> np.ndarray:
    """Return the largest real part by the published matrices, 1/s."""
    of = canonical_matrices({**DATA, **values})
    found = []
    for v in speeds:
        stiffness = DATA["gravity"] * of["K0"] + v**2 * of["K2"]
        lower = -np.linalg.solve(of["M"], np.hstack([stiffness, v * of["C1"]]))
        whole = np.vstack([np.hstack([np.zeros((2, 2)), np.eye(2)]), lower])
        found.append(np.linalg.eigvals(whole).real.max())
    return np.array(found)


def draw_widths(
    axes: Axes, forced: tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, float]], found: Optimum
) -> None:
    """Draw the widths of the grid, and the way of the search."""
    trails, tilts, widths, best = forced
    levels = [0.05, *np.arange(0.5, 4.01, 0.5)]
    shown = np.nan_to_num(widths)
    shades = axes.contourf(1e3 * trails, tilts, shown, levels=levels, cmap="YlGn")
    axes.figure.colorbar(shades, ax=axes, ticks=levels[1:], label="width of the range (m/s)")
    way = found.history
    axes.plot(1e3 * way[TRAIL], way[TILT], "k.-", linewidth=1, label="search")
    axes.plot(1e3 * BENCHMARK[TRAIL], BENCHMARK[TILT], "o", color="C3", label="benchmark")
    axes.plot(1e3 * best[TRAIL], best[TILT], "k+", markersize=14, label="brute force")
    axes.set_xlim(right=1.05e3 * trails[-1])
    axes.legend(loc="lower left", frameon=False)
    axes.set_title("Width of the self-stable range; white: none", loc="left")
    plain(axes, "trail (mm)", "tilt of the steering axis (rad)")


def draw_growth(axes: Axes, found: Optimum) -> None:
    """Draw the largest real parts over the speed."""
    speeds = np.linspace(1.0, 10.0, 361)
    for name, values, colour in (
        ("benchmark", BENCHMARK, "C3"),
        ("widest range", found.values, "C0"),
    ):
        low, high = self_stable_speeds({**DATA, **values})
        axes.axvspan(low, high, color=colour, alpha=0.15)
        axes.plot(speeds, growth(values, speeds), color=colour, label=name)
    axes.axhline(0.0, color="0.3", linewidth=0.8)
    axes.set_ylim(-1.5, 3.0)
    axes.legend(frameon=False)
    axes.set_title("Largest real part; shaded where all decay", loc="left")
    plain(axes, "speed (m/s)", "growth (1/s)")


def main() -> None:
    """Search, compare and draw."""
    folder = figures_folder(__doc__)
    show(bicycle.model(), folder, "bicycle_widest_range", "Benchmark bicycle")
    equations = bicycle.model().equations()
    found = optimize(equations, stable_speeds, over=OVER, maximize=True)
    forced = brute_force()
    best = forced[-1]
    low, high = self_stable_speeds({**DATA, **found.values})
    print_comparison(
        "The bicycle with the widest range of self-stable speeds",
        [
            ("benchmark: width of its range (m/s), published", found.first, PUBLISHED),
            ("best, by published formulas: width (m/s)", found.objective, high - low),
            ("best, by brute force: width (m/s)", found.objective, width(best[TRAIL], best[TILT])),
            ("best, by brute force: trail (m)", found.values[TRAIL], best[TRAIL]),
            ("best, by brute force: tilt (rad)", found.values[TILT], best[TILT]),
        ],
    )
    count = forced[2].size + 49 * FINER
    print(f"{found.evaluations} evaluations with derivatives; brute force: {count} bicycles")
    print(f"rides by itself from {low:.3f} to {high:.3f} m/s; held by: {', '.join(found.active)}")

    figure = Figure(figsize=(11.5, 7.2), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.15, 1))
    draw_widths(figure.add_subplot(grid[:, 0]), forced, found)
    still = simulate(equations, 0.01, parameters=found.values, samples=2)
    picture(figure.add_subplot(grid[0, 1]), still, "With the widest range", view="right",
            trail=False)  # fmt: skip
    draw_growth(figure.add_subplot(grid[1, 1]), found)
    save(figure, folder, "bicycle_widest_range")


if __name__ == "__main__":
    main()
