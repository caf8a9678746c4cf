r"""The stability of a disk that rolls straight on, [SchwabMeijaard2003] 3.2 and Fig. 4.

A thin uniform disk with m = r = g = 1 rolls upright at speed v on a horizontal plane without slip.
Its degrees of freedom are yaw ψ, lean φ and pitch θ, the place of the contact point is kinematic:
the state has 2 · 3 + 2 = 8 entries. Linearized by hand, lean and yaw are coupled by

    (5/4) φ̈ = φ + (3/2) v ψ̇,      (1/4) ψ̈ = -(1/2) v φ̇,

so ψ̇ = -2 v φ (+ constant) and φ̈ = 0.8 (1 - 3 v²) φ. Of the eight eigenvalues six vanish: pairs of
the cyclic coordinates ψ and θ, and one for each coordinate of the contact point. The others are

    λ² = 0.8 (1 - 3 v²),

a falling disk (λ real) below v = 1/√3 and a slalom (λ imaginary) above, in which the yaw lags or
leads the lean by 90°: ψ/φ = -2 v/λ. At v = 0.4116, the speed of the transient in Fig. 5, the disk
falls with λ = 0.62722.

Run: python examples/rolling/rolling_disk_stability.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.optimize import brentq

from mbcore import Linearization, Linearizer
from mbcore.examples.common import (
    figures_folder,
    head,
    plain,
    print_comparison,
    save,
    show,
)
from mbcore.fmus.rolling_disk import model

SLOW, FAST = 0.4116, 0.9
"""Speeds of the transient in Fig. 5 and of the mode shown."""

REFERENCE = {
    "critical speed": 1 / np.sqrt(3),
    "growth at v = 0.4116": np.sqrt(0.8 * (1 - 3 * SLOW**2)),
    "growth at rest": np.sqrt(0.8),
    "frequency at v = 1": np.sqrt(1.6),
    "yaw over lean at v = 0.9": 2 * FAST / np.sqrt(0.8 * (3 * FAST**2 - 1)),
    "their phase at v = 0.9 (deg)": 90.0,
    "vanishing eigenvalues at v = 0.4116": 6,
}


@dataclass(frozen=True)
class Record:
    """Results; names as in ``REFERENCE``."""

    numbers: dict[str, float]
    speeds: np.ndarray
    pairs: np.ndarray
    zeros: dict[str, str]
    largest_error: float


class Straight:
    """The disk rolling straight on, linearized at many speeds."""

    def __init__(self) -> None:
        self._linearizer = Linearizer(model().equations())

    def at(self, speed: float) -> Linearization:
        """Linearize at a speed."""
        return self._linearizer.at({"disk.lean_rate": 0.0, "disk.pitch_rate": speed})

    def square(self, speed: float) -> float:
        """Return λ² of the pair that does not vanish, at a speed."""
        return square(self.at(speed))


def square(found: Linearization) -> float:
    """Return λ² of the pair that does not vanish: half the trace of the squared matrix."""
    S = found.state_matrix
    return float(np.trace(S @ S)) / 2


def pair(found: Linearization) -> np.ndarray:
    """Return the two eigenvalues that are not zero by structure, the larger part first."""
    values = found.eigenvalues()
    return values[np.argsort(-(values.real + values.imag))]


def run(points: int = 401) -> Record:
    """Linearize over the speed range of Fig. 4, find the critical speed and the mode."""
    straight = Straight()
    speeds = np.linspace(0, 1, points)
    along = [straight.at(v) for v in speeds]
    pairs = np.array([pair(found) for found in along])
    squares = np.array([square(found) for found in along])
    fast = straight.at(FAST)
    [slalom] = [m for m in fast.modes() if m.eigenvalue.imag > 0.1]
    ratio = slalom.ratio("disk.yaw", "disk.lean")
    slow = straight.at(SLOW)
    numbers = {
        "critical speed": brentq(straight.square, 0.3, 0.9, xtol=1e-15),
        "growth at v = 0.4116": float(pair(slow)[0].real),
        "growth at rest": float(pairs[0, 0].real),
        "frequency at v = 1": float(pairs[-1, 0].imag),
        "yaw over lean at v = 0.9": abs(ratio),
        "their phase at v = 0.9 (deg)": float(np.degrees(np.angle(ratio))),
        "vanishing eigenvalues at v = 0.4116": len(slow.structural_zeros),
    }
    return Record(
        numbers,
        speeds,
        pairs,
        slow.expected_zeros(),
        float(np.abs(squares - 0.8 * (1 - 3 * speeds**2)).max()),
    )


def draw_loci(record: Record) -> Figure:
    """Draw Fig. 4: the pair in the complex plane, and along the speed."""
    critical = record.numbers["critical speed"]
    figure = Figure(figsize=(10, 4.9), layout="constrained")
    figure.suptitle(
        f"An upright rolling disk falls below v = {critical:.4f} √(gr) = √(gr/3), "
        "and swings from side to side above"
    )
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.2))
    for branch in record.pairs.T:
        points = left.scatter(branch.real, branch.imag, c=record.speeds, s=7, cmap="viridis")
    left.axvline(0, color="#888888", linewidth=0.8)
    left.axhline(0, color="#888888", linewidth=0.8)
    for text, place, shift in (
        ("v = 0", (np.sqrt(0.8), 0), (0, 8)),
        ("v = 0", (-np.sqrt(0.8), 0), (0, 8)),
        ("v = √(gr)", (0, np.sqrt(1.6)), (34, -4)),
        ("v = √(gr)", (0, -np.sqrt(1.6)), (34, -4)),
    ):
        left.annotate(text, place, xytext=shift, textcoords="offset points", ha="center")
    figure.colorbar(points, ax=left, label="speed v / √(gr)", shrink=0.8)
    left.set_xlim(-1.4, 1.4)
    left.set_ylim(-1.4, 1.4)
    left.set_aspect("equal")
    plain(left, "growth Re λ / √(g/r)", "frequency Im λ / √(g/r)")
    left.set_title("Two eigenvalues; the other six vanish", loc="left")
    draw_along(right, record.speeds, record.pairs, critical)
    return figure


def draw_along(axes: Axes, speeds: np.ndarray, pairs: np.ndarray, critical: float) -> None:
    """Draw both parts of the pair along the speed."""
    for sign, part in zip((1, -1), pairs.T, strict=True):
        axes.plot(speeds, part.real, "C3", label="real part" if sign > 0 else None)
        axes.plot(speeds, part.imag, "C0--", label="imaginary part" if sign > 0 else None)
    axes.axvline(critical, color="black", linestyle=":", linewidth=1)
    axes.annotate("√(gr/3)", (critical, -1.2), xytext=(5, 0), textcoords="offset points")
    axes.set_xlim(0, 1)
    axes.set_ylim(-1.4, 1.4)
    plain(axes, "speed v / √(gr)", "λ / √(g/r)")
    head(axes, "The same along the speed", 2)


def draw(record: Record, folder: Path) -> None:
    """Write the figure."""
    save(draw_loci(record), folder, "rolling_disk_root_loci")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(model(), folder, "rolling_disk_stability", "The rolling disk, without slip")
    record = run()
    print_comparison(
        "Rolling disk, stability [SchwabMeijaard2003] 3.2",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    print(f"λ² at {record.speeds.size} speeds: within {record.largest_error:.1e} of 0.8 (1 - 3 v²)")
    print("zero eigenvalues that were expected:")
    for name, why in record.zeros.items():
        print(f"  {name:16}{why}")
    draw(record, folder)


if __name__ == "__main__":
    main()
