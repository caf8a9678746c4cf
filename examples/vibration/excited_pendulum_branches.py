r"""Large periodic motions of the excited pendulum of [Schwab2002] 4.4.1 over its driving speed.

The linear equation (4.19) has a periodic solution at every speed but two, where it is unbounded.
The nonlinear equation (4.18) of `excited_pendulum` has two branches of them instead, followed here
along themselves:

* from low speeds, with the resonance at 1/2, up to a fold at ω/ω_0 = 0.88144009, where the branch
  turns back with unstable motions that grow;
* from high speeds, unstable above a flip at 1.16216831, stable below it with a growing amplitude,
  down to another flip at 0.83459958. There is nothing of the loss of stability of the linear
  equation at 1.0233 and 1.3591, since motions of half a radian and more are not small.

The reference is (4.18) itself with its variational equation, integrated at 1e-12, and solved
together with det(Φ - ρ I) = 0, ρ = 1 or -1.

Run: python examples/vibration/excited_pendulum_branches.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore.examples.common import figures_folder, head, plain, print_comparison, save
from mbcore.examples.vibration.excited_pendulum import NATURAL, Pendulum, period_at, show_driven
from mbcore.vibration import Branch, Periodic, Steps, continuation

LOW, HIGH = 0.6, 1.4
REFERENCE = {
    "from low speeds: fold": 0.88144009,
    "from high speeds: flip 1": 1.16216831,
    "from high speeds: flip 2": 0.83459958,
}
"""ω/ω_0."""


@dataclass(frozen=True)
class Record:
    """Both branches, the linear amplitudes, and where something happens; as in ``REFERENCE``."""

    numbers: dict[str, float]
    branches: dict[str, Branch]
    speeds: np.ndarray
    linear: np.ndarray


def follow(
    pendulum: Pendulum, begin: float, end: float, start: dict[str, float] | None = None
) -> Branch:
    """Follow periodic motions from one speed to another, ω/ω_0, by default from the linear one."""
    return continuation(
        Periodic(
            pendulum.equations,
            period=period_at,
            start=start or pendulum.periodic(begin),
            rtol=1e-7,
            atol=1e-9,
        ),
        "drive.speed",
        (begin * NATURAL, end * NATURAL),
        steps=Steps(first=0.04, longest=0.12, shortest=1e-4, points=60),
    )


def events(branch: Branch, name: str) -> dict[str, float]:
    """Return the speeds of events by name, ω/ω_0."""
    kinds = [event.kind for event in branch.events]
    found = {}
    for i, event in enumerate(branch.events):
        count = f" {kinds[: i + 1].count(event.kind)}" if kinds.count(event.kind) > 1 else ""
        found[f"{name}: {event.kind}{count}"] = event.value / NATURAL
    return found


def run() -> Record:
    """Follow both branches."""
    pendulum = Pendulum()
    branches = {
        "from low speeds": follow(pendulum, LOW, HIGH),
        "from high speeds": follow(pendulum, HIGH, LOW),
    }
    numbers: dict[str, float] = {}
    for name, branch in branches.items():
        numbers |= events(branch, name)
    speeds = np.linspace(LOW, HIGH, 401)
    linear = np.array([pendulum.linear(s) for s in speeds])
    return Record(numbers, branches, speeds, linear)


def draw(record: Record, folder: Path) -> None:
    """Draw amplitudes over the speed, stable motions solid."""
    figure = Figure(figsize=(8.5, 5), layout="constrained")
    axes = figure.subplots()
    axes.plot(record.speeds, record.linear, color="0.7", label="linear (4.19)")
    for (name, branch), color in zip(record.branches.items(), ("C0", "C3"), strict=True):
        speeds = branch.data["parameter"].to_numpy() / NATURAL
        amplitudes = branch.data["amplitudes"].sel(quantity="phi").to_numpy()
        stable = branch.data["stable"].to_numpy()
        axes.plot(speeds, amplitudes, "--", color=color, linewidth=1)
        shown = np.where(stable, amplitudes, np.nan)
        axes.plot(speeds, shown, color=color, linewidth=2, label=name)
        for event in branch.events:
            i = event.index
            axes.plot(speeds[i], amplitudes[i], "o", color=color, markersize=6, fillstyle="none")
            # the linear curve passes on the right of the fold
            beside, side = ((-9, -4), "right") if event.kind == "fold" else ((6, 6), "left")
            axes.annotate(
                event.kind, (speeds[i], amplitudes[i]), beside, textcoords="offset points", ha=side
            )
    axes.plot([], [], "k--", linewidth=1, label="unstable")
    axes.set_xlim(LOW, HIGH)
    axes.set_ylim(0, 2.5)
    plain(axes, "driving speed ω/ω₀", "half range of φ (rad)")
    head(axes, "Excited pendulum, ζ = 0.01: large periodic motions", 4)
    save(figure, folder, "excited_pendulum_branches")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show_driven(folder, "excited_pendulum_branches")
    record = run()
    print_comparison(
        "Excited pendulum, speeds ω/ω_0 of events, derived by hand",
        [(name, record.numbers[name], value) for name, value in REFERENCE.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
