r"""A Cardan drive shaft, [Schwab2002] 4.4.4: small vibrations between two universal joints.

Input and output shaft are rigid and parallel. The drive shaft between them, misaligned by α = π/6,
is elastic in bending and torsion; its centre line keeps its length, so one end slides in its yoke.
Two beam elements have ten deformations, the degrees of freedom. The input turns at the constant
speed ω; the output has the inertia I_o and a constant torque M_o that resists. Kelvin and Voigt's
damping is 1 % of critical in the first mode of bending and in that of torsion.

In the nominal motion the shaft is rigid. It turns unevenly, and with neither speed nor inertia the
torque M_o twists and bends it by

    ω' = ω cos α / (1 - sin²α sin²ωt)                        (4.21)
    M_t = M_o (1 - sin²α sin²ωt) / cos α                     (4.22)
    M_b = M_o tan α sin ωt √(1 - sin²α sin²ωt)               (4.23)

The same direction of the shaft bends throughout, which turns with it. The forces f^d that hold the
shaft straight are these moments, and excite the vibrations. The nominal motion is not an
equilibrium, so the linear equations depend on the coordinates to second order: here they are the
strains of the text. (With slopes and displacements in their place the zones below move by 1e-4.)

Two zones are unstable. About 0.66 ω_b it is the principal resonance of torsion, whose frequency
is ω there. A real multiplier of half a turn, the period of the configuration, leaves the unit
circle at -1: a flip, where the text has a Neimark-Hopf bifurcation. The exponents i ω and -i ω look
like a pair, but differ by the frequency 2 ω of the configuration, and so are one. About 0.85 ω_b
the frequencies of torsion and bending add up to 2 ω, and a pair of multipliers crosses elsewhere,
as the text says.

Reference deflections and twists were computed by hand with another beam model; they hold away from
peaks within 1 %. The printed max deflection is the distance of the shaft's middle from the
line of its ends. Three nominal motions tell those at all speeds.

Last, the periodic solution of the full equations by shooting, from the linear one as a guess, where
the shaft bends most: it is an eighth smaller there.

Run: python examples/vibration/drive_shaft.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mbcore import Equations
from mbcore.examples.common import figures_folder, largest, print_comparison, save, show
from mbcore.examples.vibration.drive_shaft_figures import (
    draw_full,
    draw_harmonics,
    draw_nominal,
    draw_response,
    draw_stability,
)
from mbcore.examples.vibration.drive_shaft_half_turn import carried, exponents, over_half_a_turn
from mbcore.examples.vibration.drive_shaft_model import (
    ELEMENTS,
    LENGTH,
    MISALIGNMENT,
    OUTPUT_TORQUE,
    frequencies,
    mechanism,
)
from mbcore.vibration import (
    NominalMotion,
    NominalRange,
    PeriodicEquations,
    PeriodicOptions,
    PeriodicSolution,
    StabilityBoundary,
    exponents_along,
    nominal_range,
    periodic_solution,
    stability_boundary,
)

UNIT = 766.0
"""Speed in units of which speeds are given, rad/s: the text's value of ω_b."""
SLOWEST = 0.01
"""rad/s: where forces of inertia do not count."""
PEAK = 0.505
"""Where the deflection is largest, in units of ``UNIT``."""
MOTION_HARMONICS = 20
"""Of a turn."""
HARMONICS = 8
"""Of a turn in Figs. 4.12 and 4.13, from the mean on."""
ZONES = ((0.6, 0.66), (0.66, 0.74), (0.74, 0.8), (0.85, 0.96))
"""Between these speeds stability is lost or found, in units of ``UNIT``."""
PEAKS = (0.155, 0.1825, 0.25, 0.26, 0.3375, 0.505, 0.5225)
TABLE = {
    0.05: (0.000497, 0.011964),
    0.25: (0.002847, 0.017528),
    0.30: (0.000660, 0.017226),
    0.40: (0.001254, 0.013695),
    0.55: (0.003110, 0.021033),
    0.80: (0.000520, 0.012536),
    1.00: (0.000404, 0.012114),
}
"""Max deflection / l and max twist by speed, derived by hand."""
REFERENCE = {
    "bending, two elements, no rotary inertia": 768.735,
    "torsion": 542.4,
    "unstable from": 0.6466,
    "to": 0.6799,
    "and from": 0.7848,
    "to, the second": 0.9193,
    "twist at 0.02": 0.011922,
    **{f"deflection at {speed:.2f}": value for speed, (value, _) in TABLE.items()},
    **{f"twist at {speed:.2f}": value for speed, (_, value) in TABLE.items()},
    **{f"peak near {speed:g}": speed for speed in PEAKS},
    "(4.21): largest relative difference": 0.0,
    "(4.22): largest relative difference": 0.0,
    "(4.23): largest relative difference": 0.0,
    "exponents: Hill and monodromy apart (ω)": 0.0,
}
"""Frequencies in rad/s, speeds in units of ``UNIT``, twist in rad."""


@dataclass(frozen=True)
class Record:
    """Results; numbers with names and units as in ``REFERENCE``.

    Attributes
    ----------
    speeds, deflections, twists : ndarray, shape (n,)
        Speeds in units of ``UNIT``, largest deflections / l and twists, rad.
    harmonics : ndarray, shape (n, 2, 8)
        Amplitudes in a turn of the deflection on the shaft's own axes, and of the twist, rad.
    checked, growths : ndarray, shape (k,)
        Speeds at which stability was looked at, and largest real parts there, 1/s.
    boundaries : list of StabilityBoundary
        Values in units of ``UNIT``.
    """

    numbers: dict[str, float]
    nominal: NominalRange
    speeds: np.ndarray
    deflections: np.ndarray
    twists: np.ndarray
    checked: np.ndarray
    growths: np.ndarray
    harmonics: np.ndarray
    boundaries: list[StabilityBoundary]


def largest_response(motion: PeriodicSolution) -> tuple[float, float]:
    """Return the largest deflection / l of the shaft's middle, and the largest twist, rad."""
    time = np.linspace(0, motion.period / 2, 361)
    middle = np.hypot(motion["shaft.in_plane"](time), motion["shaft.out_of_plane"](time))
    return largest(middle), largest(np.abs(motion["shaft.twist"](time)))


def amplitudes(motion: PeriodicSolution) -> np.ndarray:
    """Return the amplitudes of harmonics 0 to 7 of deflection / l and of twist, shape (2, 8)."""
    found = [motion.harmonics(name)[:HARMONICS] for name in ("shaft.deflection", "shaft.twist")]
    return np.abs(found) * np.r_[1.0, np.full(HARMONICS - 1, 2.0)]


def run(points: int = 400) -> Record:
    """Find the response at all speeds up to ``UNIT``, and stability at every second one of them."""
    nominal = nominal_range(mechanism().equations(), "input.speed", (SLOWEST, UNIT), samples=80)
    bending, torsion = frequencies(rotary_inertia=False)
    numbers = {"bending, two elements, no rotary inertia": bending, "torsion": torsion}
    for speed in (0.02, *TABLE):
        deflection, twist = largest_response(periodic(nominal, speed))
        numbers |= {f"deflection at {speed:.2f}": deflection, f"twist at {speed:.2f}": twist}
    boundaries = zones(nominal)
    names = ("unstable from", "to", "and from", "to, the second")
    numbers |= {name: b.value for name, b in zip(names, boundaries, strict=True)}
    speeds = np.arange(1, points + 1) / points
    motions = [periodic(nominal, v) for v in speeds]
    found = np.array([largest_response(motion) for motion in motions])
    harmonics = np.array([amplitudes(motion) for motion in motions])
    tops = speeds[1:-1][(np.diff(found[:, 0])[:-1] > 0) & (np.diff(found[:, 0])[1:] < 0)]
    for speed in PEAKS:
        numbers[f"peak near {speed:g}"] = float(tops[np.argmin(np.abs(tops - speed))])
    checked = speeds[speeds >= 0.02][::2]
    family = [over_half_a_turn(nominal.at(UNIT * v)) for v in checked]
    growths = exponents_along(family)[:, 0].real
    numbers |= nominal_differences(nominal.motions[0])
    numbers["exponents: Hill and monodromy apart (ω)"] = apart(nominal.at(UNIT * 0.66))
    return Record(numbers, nominal, speeds, *found.T, checked, growths, harmonics, boundaries)


def zones(nominal: NominalRange) -> list[StabilityBoundary]:
    """Return where stability is lost and found again, twice, in units of ``UNIT``."""

    def small_motions(speed: float) -> PeriodicEquations:
        return over_half_a_turn(nominal.at(UNIT * speed))

    return [stability_boundary(small_motions, ends, method="hill", harmonics=6) for ends in ZONES]


def periodic(nominal: NominalRange, speed: float) -> PeriodicSolution:
    """Return the periodic solution of the linear equations at a speed in units of ``UNIT``."""
    return nominal.at(UNIT * speed).periodic(MOTION_HARMONICS)


def full_motion(
    equations: Equations, linear: PeriodicSolution, rtol: float = 1e-6
) -> PeriodicSolution:
    """Return the periodic solution of the full equations near that of the linear ones."""
    return periodic_solution(
        equations,
        linear.period,
        guess=linear,
        parameters=linear.parameters,
        options=PeriodicOptions(rtol=rtol, atol=rtol / 10),
    )


def apart(nominal: NominalMotion) -> float:
    """Return by how much real parts of exponents of both methods differ at most, in parts of ω."""
    found = nominal.exponents("monodromy"), exponents(nominal)
    both = [np.sort(values.real) for values in found]
    return float(np.abs(both[0] - both[1]).max() * nominal.period / (2 * np.pi))


def nominal_differences(slow: NominalMotion) -> dict[str, float]:
    """Compare a slow nominal motion and its forces with [Schwab2002] (4.21), (4.22), (4.23)."""
    sine = np.sin(2 * np.pi * slow.time / slow.period)
    found, expected = carried(slow, LENGTH / ELEMENTS), closed_forms(sine)
    return {
        f"({key}): largest relative difference": float(
            np.abs(found[key] - values).max() / np.abs(values).max()
        )
        for key, values in expected.items()
    }


def closed_forms(sine: np.ndarray) -> dict[str, np.ndarray]:
    """Return ω'/ω, M_t and |M_b|, N.m, by sin ωt."""
    tilted = np.sin(MISALIGNMENT)
    part = 1 - tilted**2 * sine**2
    cosine = np.cos(MISALIGNMENT)
    return {
        "4.21": cosine / part,  # [Schwab2002] (4.21)
        "4.22": OUTPUT_TORQUE * part / cosine,  # [Schwab2002] (4.22)
        # [Schwab2002] (4.23)
        "4.23": OUTPUT_TORQUE * tilted / cosine * np.abs(sine) * np.sqrt(part),
    }


def draw(record: Record, folder: Path) -> None:
    """Draw Figs. 4.10 to 4.13, the exponents and the nominal motion."""
    save(draw_response(record, TABLE), folder, "drive_shaft_response")
    save(draw_stability(record), folder, "drive_shaft_stability")
    save(draw_harmonics(record), folder, "drive_shaft_harmonics")
    slow = record.nominal.motions[0]
    figure = draw_nominal(slow, carried(slow, LENGTH / ELEMENTS), closed_forms)
    save(figure, folder, "drive_shaft_nominal")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(
        mechanism(),
        folder,
        "drive_shaft",
        "Elastic drive shaft between two Cardan joints",
        view=(-100, 35),
    )
    record = run()
    print_comparison(
        "Cardan drive shaft [Schwab2002] 4.4.4",
        [(name, record.numbers[name], value) for name, value in REFERENCE.items()],
    )
    for boundary in record.boundaries:
        angle = np.degrees(np.angle(boundary.multiplier))
        print(f"{boundary.value:.6f}: {boundary.kind}, multipliers at ±{abs(angle):.1f} degrees")
    draw(record, folder)
    linear = periodic(record.nominal, PEAK)
    full = full_motion(record.nominal.equations, linear)
    names = "max. deflection / l", "max. twist (rad)"
    print_comparison(
        f"Full equations (ours) beside the linear ones (reference) at {PEAK:g}",
        list(zip(names, largest_response(full), largest_response(linear), strict=True)),
    )
    print(f"{full.iterations} Newton steps; growth rate {full.exponents.real.max():.4f} 1/s")
    save(draw_full(linear, full, UNIT * PEAK), folder, "drive_shaft_full")


if __name__ == "__main__":
    main()
