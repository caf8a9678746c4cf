r"""The shimmy of a swivel wheel, [SchwabMeijaard2003] 3.1 and [Schwab2002] 3.5.2.

A landing wheel trails behind the foot B of a strut that moves forward with speed v and flexes
sideways by u at stiffness k. The swivel angle φ follows from the wheel's not slipping sideways,

    l φ̇ = u̇ cos φ - v sin φ,

so u is the degree of freedom and φ a kinematic coordinate. With mass m, radius of gyration r and
the mass centre at a from the wheel, b = l - a from the swivel, straight running has (30),

    m (a² + r²)/l² ü + m (a b - r²)/l² v/l u̇ + k u - m (a b - r²)/l² v²/l φ = 0,
    φ̇ = u̇/l - (v/l) φ,

and the characteristic equation λ³ + (1 + μ) ω λ² + ω_n² λ + ω ω_n² = 0 with ω = v/l,
μ = (a b - r²)/(a² + r²), ω_n² = k l²/(m (a² + r²)). It is stable for μ > 0: between a/l = 0.3 and
0.7 for the inertia m r² = 0.21 m l² of Fig. 2. At the boundary the eigenvalues are -ω and ± i ω_n,
and the wheel centre, w = u - l φ, follows B by the ratio and phase of (33),

    w/u = ω/(λ + ω).

Here m = l = v = 1, k = 0.3, so ω = ω_0 = 1. Fig. 2 draws the root loci and the mode at a/l = 0.3.
The eigenvalues of the reference are the roots of the characteristic equation. The transient at
a/l = 0.2 from φ = 0.5 grows out of the linear range into a shimmy; its reference values were
integrated from equations derived by hand at relative tolerances of 1e-12.

Run: python examples/bicycles/swivel_wheel.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch
from scipy.optimize import brentq

from mbcore import Linearization, Result, RootLocus, linearize, root_locus, simulate
from mbcore.examples.common import figures_folder, plain, print_comparison, save
from mbcore.examples.swivel_picture import show_swivelled
from mbcore.fmus.caster import model

DISTANCE = "wheel.to_mass_centre"
CRITICAL, UNSTABLE = 0.3, 0.2
"""a/l of the mode in Fig. 2, and of the transient."""
DURATION = 60.0
INERTIA, STIFFNESS = 0.21, 0.3

REFERENCE = {
    "lower stability boundary a/l": 0.3,
    "upper stability boundary a/l": 0.7,
    "frequency at a/l = 0.3": 1.0,
    "growth at a/l = 0.3": 0.0,
    "real eigenvalue at a/l = 0.3": -1.0,
    "w/u at a/l = 0.3": np.sqrt(0.5),
    "phase of w at a/l = 0.3 (rad)": -np.pi / 4,
    "largest difference of an eigenvalue": 0.0,
    "u(10)": 0.2293354120,
    "phi(10)": 0.1652572713,
    "u(20)": -0.1325766963,
    "phi(20)": 0.1396081655,
}


@dataclass(frozen=True)
class Record:
    """Results; names as in ``REFERENCE``."""

    numbers: dict[str, float]
    locus: RootLocus
    mode: complex
    transient: Result


def straight(a: float) -> Linearization:
    """Linearize about straight running with the mass centre at a/l."""
    return linearize(model().equations(), {"swivel.angle": 0.0}, parameters={DISTANCE: a})


def characteristic_roots(a: float) -> np.ndarray:
    """Return the roots of [SchwabMeijaard2003] (31)."""
    square = a**2 + INERTIA
    distribution = (a * (1 - a) - INERTIA) / square
    natural = STIFFNESS / square
    return np.roots([1, 1 + distribution, natural, natural])


def run(points: int = 201) -> Record:
    """Find root loci, boundaries, the mode at 0.3, and the transient."""
    about = straight(CRITICAL)
    locus = root_locus(about, DISTANCE, np.linspace(0, 1, points))
    errors = [
        np.abs(row[:, None] - characteristic_roots(a)).min(axis=0).max()
        for a, row in zip(locus.values, locus.eigenvalues, strict=True)
    ]

    def growth(a: float) -> float:
        [row] = root_locus(about, DISTANCE, [a]).eigenvalues
        return float(row[np.argmax(row.imag)].real)

    [shimmy] = [m for m in about.modes() if m.eigenvalue.imag > 0.1]
    follows = 1 - shimmy.ratio("swivel.angle", "strut.deflection")  # w/u, l = 1
    samples = np.linspace(0, DURATION, round(DURATION / 0.02) + 1)
    transient = simulate(
        model().equations(), DURATION, start={"swivel.angle": 0.5},
        parameters={DISTANCE: UNSTABLE}, rtol=1e-11, atol=1e-13, samples=samples,
    )  # fmt: skip
    at = {t: int(np.argmin(abs(samples - t))) for t in (10, 20)}
    numbers = {
        "lower stability boundary a/l": brentq(growth, 0.25, 0.45, xtol=1e-14),
        "upper stability boundary a/l": brentq(growth, 0.55, 0.75, xtol=1e-14),
        "frequency at a/l = 0.3": shimmy.frequency,
        "growth at a/l = 0.3": shimmy.eigenvalue.real,
        "real eigenvalue at a/l = 0.3": float(about.eigenvalues().real.min()),
        "w/u at a/l = 0.3": abs(follows),
        "phase of w at a/l = 0.3 (rad)": float(np.angle(follows)),
        "largest difference of an eigenvalue": float(max(errors)),
        "u(10)": float(transient["strut.deflection"][at[10]]),
        "phi(10)": float(transient["swivel.angle"][at[10]]),
        "u(20)": float(transient["strut.deflection"][at[20]]),
        "phi(20)": float(transient["swivel.angle"][at[20]]),
    }
    return Record(numbers, locus, follows, transient)


def draw_loci(record: Record) -> Figure:
    """Draw Fig. 2: root loci, and the mode at a/l = 0.3 as rotating arrows."""
    figure = Figure(figsize=(10, 5), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.6, 1))
    values, branches = record.locus.values, record.locus.eigenvalues
    for branch in branches.T:
        if not np.any(abs(branch) > 1e-9):
            continue  # the distance travelled
        points = left.scatter(branch.real, branch.imag, c=values, s=7, cmap="viridis")
        # the real eigenvalue goes to and fro: labels on two levels
        real = not np.any(abs(branch.imag) > 1e-9)
        for a, level in ((0, 7), (0.3, 7), (0.5, 18), (0.7, -16), (1, 7)):
            at = branch[int(np.argmin(abs(values - a)))]
            left.plot(at.real, at.imag, "k.", markersize=5)
            left.annotate(
                f"{a:g}", (at.real, at.imag), textcoords="offset points",
                xytext=(0, level) if real else (7, -3), ha="center" if real else "left",
            )  # fmt: skip
    figure.colorbar(points, ax=left, label="a/l")
    left.axvline(0, color="#888888", linewidth=0.8)
    left.set_xlim(-1.25, 0.5)
    left.set_title("Root loci for 0 ≤ a/l ≤ 1, inertia 0.21 m l²")
    plain(left, "Re λ/ω", "Im λ/ω")

    for arrow, name, colour in ((1 + 0j, "u", "C0"), (record.mode, "w", "C3")):
        right.add_patch(
            FancyArrowPatch(
                (0, 0), (arrow.real, arrow.imag), arrowstyle="-|>", mutation_scale=16,
                color=colour, shrinkA=0, shrinkB=0, linewidth=2,
            )
        )  # fmt: skip
        right.annotate(
            name, (arrow.real, arrow.imag), xytext=(5, 5), textcoords="offset points", color=colour
        )
    angle = np.linspace(0, np.angle(record.mode), 30)
    right.plot(0.3 * np.cos(angle), 0.3 * np.sin(angle), "k", linewidth=0.8)
    right.annotate("ψ = -45°", (0.32, -0.14))
    right.set_xlim(-0.15, 1.2)
    right.set_ylim(-0.75, 0.4)
    right.set_aspect("equal")
    right.set_title("Mode at a/l = 0.3")
    plain(right, "real part", "imaginary part")
    return figure


def draw_transient(transient: Result) -> Figure:
    """Draw the growing shimmy, in time and in the plane of u and φ."""
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.6, 1))
    u, phi = transient["strut.deflection"], transient["swivel.angle"]
    left.plot(transient.time, u, label="u / l")
    left.plot(transient.time, phi, label="φ (rad)")
    left.set_xlim(0, DURATION)
    left.legend(ncols=2, loc="upper left")
    left.set_title("Shimmy at a/l = 0.2 from φ = 0.5")
    plain(left, "ω t", "")
    right.plot(u, phi, linewidth=1)
    right.plot(u[0], phi[0], "ko", markersize=4)
    right.annotate(
        "start", (u[0], phi[0]), xytext=(0.03, 0.92), textcoords="axes fraction",
        arrowprops={"arrowstyle": "-", "color": "0.4", "linewidth": 0.8, "shrinkB": 2},
    )  # fmt: skip
    plain(right, "u / l", "φ (rad)")
    return figure


def draw(record: Record, folder: Path) -> None:
    """Write both figures."""
    save(draw_loci(record), folder, "swivel_wheel_root_loci")
    save(draw_transient(record.transient), folder, "swivel_wheel_transient")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show_swivelled(model(), folder, "swivel_wheel", "Swivel wheel and strut")
    record = run()
    print_comparison(
        "Swivel wheel [SchwabMeijaard2003] 3.1",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
