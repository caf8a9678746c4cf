r"""A pendulum whose pivot is led along an ellipse, [Schwab2002] 4.4.1, Figs. 4.2 to 4.4.

A crank of length r = 0.5 m turns with ω and carries a pinion that rolls inside a fixed annulus
(Cardan circles). The pendulum, l = 1 m, hangs at a distance e r, e = 0.5, from the pinion's centre,
so that its pivot moves on an ellipse, x = (1 - e) r sin ωt, y = -(1 + e) r cos ωt (4.17). A damper
between pinion and pendulum has ζ = 1 % of the critical damping. With ω_0² = g/l and ρ = r/l

    φ̈ + 2ζω_0 (φ̇ + ω) + ω_0² sin φ + ρω² [sin(φ - ωt) + e sin(φ + ωt)] = 0            (4.18)

and for small motions about φ = 0 a forced equation of Mathieu,

    Δφ̈ + 2ζω_0 Δφ̇ + [ω_0² + (1 + e) ρω² cos ωt] Δφ = -2ζω_0 ω + (1 - e) ρω² sin ωt.    (4.19)

The model is the text's: rigid links, a gear pair, and two hinges in series, one with the damper,
and one between the pendulum and the vertical, whose angle is the degree of freedom.

**Stability.** Both exponents have the real part -ζω_0, but for one in a narrow zone at 0.661, until
(4.19) loses stability where a multiplier passes +1, at ω/ω_0 = 0.918657959. It is found again
at 1.023319037 and lost at 1.359057020 where a multiplier passes -1: a flip. The text prints
0.91, 1.02 and 1.31, and calls the last a Neimark-Hopf bifurcation. That is impossible: the product
of both multipliers is exp(-2ζω_0 T) < 1, and a pair on the unit circle would have the product one.
Hill's determinant with harmonics -m to m has 2 (2m + 1) exponents λ. Images λ + ilω of the true
ones make up the middle of it. At its edges the equation is cut off, and what is found there belongs
to no solution: they are exponents of an equation with harmonics on one side only. No m helps, there
is always an edge. The largest real part of all exponents crosses zero at 0.9105, 1.0232 and 1.3082
for m = 2 (the first and the last are the same for any larger m): what the text prints. At 1.3082 it
is a pair of the edge that crosses, with |Im λ| = 2 ω_0, no multiple of ω/2: so it looked like
Neimark and Hopf's. Of the exponents with the least imaginary part, which the text recommends, two
harmonics give the boundaries within 7e-4. At the last one these are two pairs, one that grows and
one that decays, whose imaginary parts ±ω/2 are equal: the one that grows counts.

**Nonlinear solutions** of (4.18) are found by shooting and followed over the driving speed by
harmonic balance. The peak near 1/2 bends slightly backwards.

Run: python examples/vibration/excited_pendulum.py [--figures DIR]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import brentq, minimize_scalar

from mbcore import Body, GearPair, Model, PlanarHinge, RigidLink, simulate
from mbcore.examples.common import figures_folder, head, plain, print_comparison, save, show
from mbcore.vibration import (
    NominalMotion,
    PeriodicOptions,
    PeriodicSolution,
    nominal_range,
    periodic_solution,
)

RADIUS, ECCENTRICITY, LENGTH, GRAVITY, DAMPING = 0.5, 0.5, 1.0, 9.81, 0.01
NATURAL = float(np.sqrt(GRAVITY / LENGTH))
"""ω_0, rad/s."""
SAMPLES, HARMONICS = 32, 15
"""Samples as in the text; more than its seven harmonics, for the last digits."""
COARSE = 2
"""The text's number of harmonics for the stability in Figs. 4.3 and 4.4."""
STABILITY_RANGE = (0.02, 1.4)

AMPLITUDES = {  # ω/ω_0: linear, nonlinear; rad
    0.1: (0.002525367, 0.002525361),
    0.2: (0.010422496, 0.010422081),
    0.4: (0.051200466, 0.051179019),
    0.5: (0.422628371, 0.346440007),
    0.6: (0.150521232, 0.150126151),
    0.8: (0.418285001, 0.416730930),
}
BOUNDARIES = (0.918657959, 1.023319037, 1.359057020)
BRACKETS = ((0.9, 0.93), (1.01, 1.04), (1.28, 1.4))
REFERENCE = {
    **{f"linear amplitude at {s} (rad)": a for s, (a, _) in AMPLITUDES.items()},
    **{f"nonlinear amplitude at {s} (rad)": a for s, (_, a) in AMPLITUDES.items()},
    "linear peak near 1/2 (rad)": 0.436057,
    "linear peak near 1/2 at": 0.498703,
    **{f"boundary {i}": s for i, s in enumerate(BOUNDARIES, 1)},
    **{f"boundary {i}: multiplier": m for i, m in enumerate((1.0, 1.0, -1.0), 1)},
    "boundary 1, Hill m = 2": 0.9185552,
    "boundary 2, Hill m = 2": 1.0231785,
    "boundary 3, Hill m = 2": 1.3583338,
    "growth at 0.85 / ω_0": -0.01,
}
"""Derived by hand from [Schwab2002] (4.18) and (4.19)."""
PRINTED = {
    "boundary 1, all exponents": 0.91,
    "boundary 2, all exponents": 1.02,
    "boundary 3, all exponents": 1.31,
}
"""As in the text."""


def model() -> Model:
    """Return the pendulum on its Cardan circles, at ω t = 0 with the crank downwards."""
    pendulum = Model("excited_pendulum", gravity=(0, -GRAVITY))
    speed = pendulum.parameter("drive.speed", NATURAL / 2, unit="rad/s", positive=True)
    centre, base = pendulum.point("O", (0, 0), fixed=True), pendulum.angle("base", fixed=True)
    crank, pinion, rod = (pendulum.angle(name) for name in ("crank", "pinion", "pendulum"))
    P = pendulum.point("P", (0, -RADIUS))
    pivot = pendulum.point("pivot", (0, -(1 + ECCENTRICITY) * RADIUS))
    bob = pendulum.point("bob", (0, -(1 + ECCENTRICITY) * RADIUS - LENGTH))
    crank.angle.prescribe(speed * pendulum.time)
    pendulum.add(RigidLink("crank arm", centre, crank, P))
    pendulum.add(GearPair("gears", P, pinion, centre, base, ratio=-2, arm=crank))
    for name, p, turning, q in (("pinion arm", P, pinion, pivot), ("pendulum", pivot, rod, bob)):
        pendulum.add(RigidLink(name, p, turning, q))
    joint = pendulum.add(PlanarHinge("joint", pinion, rod)).angle
    joint.law(2 * DAMPING * NATURAL * LENGTH**2 * joint.rate)
    pendulum.add(PlanarHinge("vertical", base, rod)).angle.dof("phi", "phi_rate")
    pendulum.add(Body("bob", bob, mass=1))
    pendulum.output("pivot.x", pivot.position[0], unit="m")
    pendulum.output("pivot.y", pivot.position[1], unit="m")
    return pendulum


def period_at(speed: float) -> float:
    """Return 2π/ω, s."""
    return 2 * np.pi / speed


class Pendulum:
    """The pendulum at any driving speed s = ω/ω_0."""

    def __init__(self) -> None:
        self.equations = model().equations()
        ends = tuple(s * NATURAL for s in STABILITY_RANGE)
        self.range = nominal_range(self.equations, "drive.speed", ends, samples=SAMPLES)

    def nominal(self, s: float) -> NominalMotion:
        """Return the motion with the pendulum hanging vertically."""
        return self.range.at(s * NATURAL)

    def periodic(self, s: float) -> PeriodicSolution:
        """Return the periodic solution of the linear equation."""
        return self.nominal(s).periodic(HARMONICS)

    def linear(self, s: float) -> float:
        """Return the amplitude of the linear equation, rad."""
        return self.periodic(s).amplitude("phi")

    def growth(self, s: float) -> float:
        """Return the largest real part of both exponents in parts of ω_0."""
        return float(self.nominal(s).exponents("monodromy").real.max()) / NATURAL

    def hill_growth(self, s: float) -> float:
        """Return the same from a determinant of few harmonics, its least imaginary exponents.

        Where a multiplier is negative, ±iω/2 are equally small.
        """
        found, ω = all_exponents(self.nominal(s), COARSE), s * NATURAL
        least = np.abs(found.imag) < np.abs(found.imag).min() + 0.01 * ω
        return float(found[least].real.max()) / NATURAL

    def growth_of_all(self, s: float) -> float:
        """Return the largest real part of all exponents of that determinant."""
        return float(all_exponents(self.nominal(s), COARSE).real.max()) / NATURAL


def all_exponents(nominal: NominalMotion, m: int) -> np.ndarray:
    """Return all exponents of Hill's determinant, 1/s, harmonics -m to m, [Schwab2002] (4.15)."""
    small = nominal.small_motions
    order = np.arange(-m, m + 1)
    P, Q = (
        small.coefficients(samples[:, 0, 0], 2 * m)[order[:, None] - order + 2 * m]
        for samples in (small.P, small.Q)
    )
    turning = np.diag(1j * small.frequency * order)
    V = P + 2 * turning
    W = Q + P @ turning + turning @ turning
    none, unit = np.zeros(P.shape), np.eye(order.size)
    return np.linalg.eigvals(np.block([[none, unit], [-W, -V]]))


def belongs_to_edge(found: np.ndarray, true: np.ndarray, ω: float) -> np.ndarray:
    """Return which exponents are not images of the true ones, modulo iω, booleans (n,)."""
    apart = found[:, None] - true
    apart = apart.real + 1j * (apart.imag - ω * np.round(apart.imag / ω))
    return np.asarray(np.abs(apart).min(axis=1) > 0.02 * NATURAL)


@dataclass(frozen=True)
class Record:
    """Motions of the pendulum; names as in ``REFERENCE`` and ``PRINTED``, speeds ω/ω_0.

    Attributes
    ----------
    speeds, linear, growth, growth_of_all : ndarray, shape (n,)
        Amplitude of the linear equation, rad; largest real parts, true and of all exponents with
        two harmonics, in parts of ω_0.
    exponents, edge : ndarray, shape (n, 10)
        All of them in parts of ω_0, and whether they belong to the edge.
    nonlinear : ndarray, shape (k, 3)
        Speeds, amplitudes, rad, and whether stable.
    """

    numbers: dict[str, float]
    speeds: np.ndarray
    linear: np.ndarray
    growth: np.ndarray
    growth_of_all: np.ndarray
    exponents: np.ndarray
    edge: np.ndarray
    nonlinear: np.ndarray


def run(points: int = 80) -> Record:
    """Find amplitudes, boundaries and exponents; follow the nonlinear solutions."""
    pendulum = Pendulum()
    numbers: dict[str, float] = {}
    for s in AMPLITUDES:
        linear = pendulum.periodic(s)
        full = periodic_solution(
            pendulum.equations, linear.period, guess=linear, parameters=linear.parameters
        )
        numbers[f"linear amplitude at {s} (rad)"] = linear.amplitude("phi")
        numbers[f"nonlinear amplitude at {s} (rad)"] = full.amplitude("phi")
        numbers[f"Newton steps at {s}"] = full.iterations
    peak = minimize_scalar(
        lambda s: -pendulum.linear(s),
        bounds=(0.49, 0.51),
        method="bounded",
        options={"xatol": 1e-8},
    )
    numbers["linear peak near 1/2 (rad)"] = -float(peak.fun)
    numbers["linear peak near 1/2 at"] = float(peak.x)
    numbers |= boundaries(pendulum)
    numbers["growth at 0.85 / ω_0"] = pendulum.growth(0.85)
    speeds = np.linspace(*STABILITY_RANGE, 3 * points)
    motions = [pendulum.range.at(s * NATURAL) for s in speeds]
    linear_amplitude = np.array([m.periodic(HARMONICS).amplitude("phi") for m in motions])
    growth = np.array([m.exponents("monodromy").real.max() / NATURAL for m in motions])
    exponents, edge = exponents_over(motions)
    return Record(
        numbers,
        speeds,
        linear_amplitude,
        growth,
        exponents.real.max(axis=1),
        exponents,
        edge,
        followed(pendulum, points),
    )


def boundaries(pendulum: Pendulum) -> dict[str, float]:
    """Return where stability is lost and gained: truly, and by two harmonics read in two ways."""
    numbers: dict[str, float] = {}
    for i, bracket in enumerate(BRACKETS, 1):
        for name, growth in (
            ("", pendulum.growth),
            (", Hill m = 2", pendulum.hill_growth),
            (", all exponents", pendulum.growth_of_all),
        ):
            numbers[f"boundary {i}{name}"] = float(brentq(growth, *bracket, xtol=1e-12))
        s = numbers[f"boundary {i}"]
        multipliers = np.exp(pendulum.nominal(s).exponents("monodromy") * period_at(s * NATURAL))
        numbers[f"boundary {i}: multiplier"] = float(
            multipliers[np.argmax(np.abs(multipliers))].real
        )
    return numbers


def exponents_over(motions: Sequence[NominalMotion]) -> tuple[np.ndarray, np.ndarray]:
    """Return all exponents with two harmonics in parts of ω_0, and which are of the edge."""
    found, edge = [], []
    for motion in motions:
        every = all_exponents(motion, COARSE)
        found.append(every / NATURAL)
        ω = 2 * np.pi / motion.period
        edge.append(belongs_to_edge(every, motion.exponents("monodromy"), ω))
    return np.array(found), np.array(edge)


def followed(pendulum: Pendulum, points: int) -> np.ndarray:
    """Follow nonlinear solutions downwards: speeds, amplitudes, rad, and stability, (n, 3)."""
    near = np.linspace(0.56, 0.46, points // 2)
    speeds = np.concatenate(
        [np.linspace(0.88, 0.58, points // 4), near, np.linspace(0.44, 0.1, points // 4)]
    )
    found = []
    guess = pendulum.periodic(float(speeds[0]))
    for s in speeds:
        guess = periodic_solution(
            pendulum.equations,
            period_at(s * NATURAL),
            "harmonic_balance",
            guess=guess,
            parameters={"drive.speed": s * NATURAL},
            options=PeriodicOptions(rtol=1e-7),
        )
        found.append((s, guess.amplitude("phi"), guess.stable))
    return np.array(found, float)


def draw_amplitudes(record: Record) -> Figure:
    """Draw Fig. 4.2."""
    figure = Figure(figsize=(8, 4.6), layout="constrained")
    axes = figure.subplots()
    shown = record.speeds < 0.9
    axes.plot(record.speeds[shown], record.linear[shown], color="C0", label="linear (4.19)")
    axes.plot(*record.nonlinear.T[:2], "--", color="C3", label="nonlinear (4.18)")
    given = np.array([(s, full) for s, (_, full) in AMPLITUDES.items()])
    axes.plot(*given.T, "ko", markersize=4, label="nonlinear, by hand")
    axes.set_xlim(0, 0.9)
    axes.set_ylim(0, 0.8)
    plain(axes, "driving speed ω/ω₀", "half range of φ (rad)")
    head(axes, "Excited pendulum, ζ = 0.01: periodic motion (Fig. 4.2)", 3)
    return figure


def draw_stability(record: Record) -> Figure:
    """Draw Fig. 4.3, with both readings of the exponents."""
    figure = Figure(figsize=(8, 6.5), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    upper.semilogy(record.speeds, record.linear, color="C0")
    upper.set_title(
        "Excited pendulum, ζ = 0.01: periodic motion of the linear equation (Fig. 4.3)", loc="left"
    )
    plain(upper, "", "half range of φ (rad)")
    lower.plot(record.speeds, record.growth, color="C0", label="true, by the monodromy matrix")
    lower.plot(
        record.speeds,
        record.growth_of_all,
        "--",
        color="C3",
        label="all exponents of Hill's determinant, m = 2",
    )
    lower.axhline(0, color="0.4", linewidth=0.8)
    for i, printed in enumerate(PRINTED.values(), 1):
        lower.axvline(record.numbers[f"boundary {i}"], color="C0", linewidth=0.7, linestyle=":")
        lower.plot(printed, 0, "o", color="C3", fillstyle="none")
    lower.plot([], [], "o", color="C3", fillstyle="none", label="boundaries printed")
    lower.set_xlim(0, STABILITY_RANGE[1])
    plain(lower, "driving speed ω/ω₀", "largest real part Re λ/ω₀")
    head(lower, "Stability: true, and by all exponents of a determinant", 3)
    return figure


def draw_exponents(record: Record) -> Figure:
    """Draw Fig. 4.4, all exponents of Hill's determinant with two harmonics, in two planes."""
    figure = Figure(figsize=(9, 8), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    across = np.broadcast_to(record.speeds[:, None], record.exponents.shape)
    for chosen, color, label in (
        (record.edge, "C3", "edge of the determinant"),
        (~record.edge, "C0", "images of the true exponents"),
    ):
        found = record.exponents[chosen]
        for axes, part in ((upper, found.real), (lower, found.imag)):
            axes.plot(across[chosen], part, ".", color=color, markersize=3, label=label)
    for axes in (upper, lower):
        axes.axhline(0, color="0.4", linewidth=0.8)
    upper.set_xlim(0, STABILITY_RANGE[1])
    plain(upper, "", "Re λ/ω₀")
    plain(lower, "driving speed ω/ω₀", "Im λ/ω₀")
    head(upper, "Excited pendulum: all exponents of Hill's determinant, m = 2 (Fig. 4.4)", 2)
    return figure


def draw(record: Record, folder: Path) -> None:
    """Draw Figs. 4.2, 4.3 and 4.4."""
    save(draw_amplitudes(record), folder, "excited_pendulum_amplitudes")
    save(draw_stability(record), folder, "excited_pendulum_stability")
    save(draw_exponents(record), folder, "excited_pendulum_exponents")


def show_driven(folder: Path, name: str) -> None:
    """Write the picture of the pendulum aside, when the crank has turned by 50°."""
    until = np.radians(50) / (NATURAL / 2)
    seen = simulate(model().equations(), until, start={"phi": 0.5}, backend="python")
    show(seen, folder, name, "Pendulum led round by gears")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show_driven(folder, "excited_pendulum")
    record = run()
    for title, reference in (
        ("Excited pendulum [Schwab2002] 4.4.1, derived by hand", REFERENCE),
        ("As printed: all exponents of two harmonics, those of the edge included", PRINTED),
    ):
        print_comparison(title, [(k, record.numbers[k], v) for k, v in reference.items()])
    draw(record, folder)


if __name__ == "__main__":
    main()
