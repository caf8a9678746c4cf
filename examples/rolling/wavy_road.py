r"""A disk towed over a wavy road: Floquet exponents of its rolling, and where the waves upset it.

The thin disk of ``rolling_disk.py`` (m = r = g = 1) rolls without slip over z = a cos(k x), upright
and square to the waves. Its centre is towed with the speed v along x and is free sideways and
upwards. Degrees of freedom are yaw and lean; the contact's y and the pitch are kinematic. With the
period T = 2π/(k v) all coefficients come back and x has moved on by one wavelength: this is the
nominal motion, and as lateral motions do not excite each other in it, the linear equations along it
decide its stability.

**Flat road.** The exponents are 0 twice, for the heading, and ± i ω_l with ω_l² = 12/5 v² - 4/5 for
the lean: towing leaves the disk as stable as free rolling.

**Waves** modulate load, slope and spin with the frequency k v. Nothing dissipates, and the motion
runs backwards as well: with μ also 1/μ is a multiplier. Their product is one, and two things
happen.

* Near k v = 2 ω_l, that is v² = (4/5)/(12/5 - k²/4), the lean is excited parametrically: its
  multipliers meet at -1 and leave the unit circle, one inward and one outward. Small leans then
  grow however low the waves are; the width of the zone is proportional to a.
* The heading, indifferent on a flat road, gets exponents proportional to a. Short waves make it
  oscillate about the direction across the waves, longer ones drive it away. For low waves the limit
  is k r = I_p/I_d = 2 at any speed: there the waves pass with the frequency I_p Ω/I_d of the
  nutation of a disk that spins freely. (Found from the numbers of several speeds and ratios
  I_p/I_d, not derived.) Waves that are longer still, k v < ω_l, turn this once more.

The reference comes from equations derived by hand, ``wavy_road_by_hand.py``, integrated at
tolerances of 1e-12. Brute force is a third way: the full equations are simulated over one wave from
starts that differ a little.

Run: python examples/rolling/wavy_road.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from scipy.integrate import cumulative_simpson
from scipy.optimize import brentq

from mbcore import Body, Equations, Hinge, Model, Result, Wheel, linearize, simulate
from mbcore.drawing import line
from mbcore.examples.common import figures_folder, print_comparison, save, show
from mbcore.examples.rolling.wavy_road_figures import draw_motions, draw_stability
from mbcore.vibration import NominalMotion, nominal_motion, nominal_range, periodic_solution

HEIGHT, WAVE_NUMBER = 0.06, 2.25
"""a and k of the map's section that is looked at more closely."""
UPSET, STEADY = 0.83, 1.0
"""Speeds inside the unstable zone and beyond it."""
PUSH = 5e-3
"""Lean at the start of the simulated motions, rad."""
WAVES = 26
"""How many the simulated motions pass."""
DRAWN = (0.1, 2.0, 1.0)
"""a, k and v of the first picture, those of the model."""
HATCH = "#b9c2b4"
FELT = ("yaw_rate", "lean_rate", "yaw", "lean")

REFERENCE = {
    "flat road, v = 1: lean (rad/s)": np.sqrt(1.6),
    "a = 0.1, k = 2, v = 1: lean (rad/s)": 0.7350308252,
    "a = 0.1, k = 2, v = 1: heading (rad/s)": 0.0104260378,
    "a = 0.05, k = 1.7, v = 1: heading (1/s)": 0.0347483499,
    "a = 0.06, k = 2.25: unstable from v =": 0.7748313252,
    "a = 0.06, k = 2.25: unstable to v =": 0.8850587061,
    "a = 0.06, k = 2.25, v = 0.83: growth (1/s)": 0.0566639755,
    "a = 0.06, k = 2.25, v = 0.83: multiplier": -1.2100302824,
    "the same by simulation": -1.2100302824,
    "product of the multipliers / exp ∫ trace": 1.0,
    "a = 0.05, v = 1: heading indifferent at k =": 1.9978139282,
    "order of the lean's frequency in a": 2.0,
    "energy, less the work of towing: drift": 0.0,
}


def model() -> Model:
    """Return the towed disk; a crest is at x = 0."""
    disk = Model("disk on waves", gravity=(0, 0, -1))
    v = disk.parameter("speed", 1.0, unit="m/s", positive=True, description="v, of the centre")
    a = disk.parameter("road.height", 0.1, unit="m", tunable=False, description="a, half of it")
    k = disk.parameter("road.wave_number", 2.0, unit="rad/m", positive=True, tunable=False)
    yaw, lean, pitch = (disk.rotation(name) for name in ("yaw", "lean", "pitch"))
    centre, contact = disk.point("centre", (0, 0, 1 + a)), disk.point("contact", (0, 0, a))
    disk.add(Hinge("yaw hinge", disk.ground, yaw, axis=(0, 0, 1))).angle.dof("yaw", "yaw_rate")
    disk.add(Hinge("lean hinge", yaw, lean, axis=(1, 0, 0))).angle.dof("lean", "lean_rate")
    disk.add(Hinge("pitch hinge", lean, pitch, axis=(0, 1, 0))).angle.kinematic("pitch")
    wheel = disk.add(
        Wheel(
            "wheel", centre, pitch, contact, radius=1,
            surface=lambda place: place[2] - a * ca.cos(k * place[0]),
        )
    )  # fmt: skip
    towed = centre.x.prescribe(v * disk.time)
    contact.y.kinematic("contact.y")
    disk.add(Body("disk", centre, pitch, mass=1, inertia=(1 / 4, 1 / 2, 1 / 4)))
    for i, axis in enumerate("xyz"):
        disk.output(f"contact {axis}", contact.position[i], unit="m")
        disk.output(f"centre {axis}", centre.position[i], unit="m")
        disk.output(f"axle {axis}", wheel.axle[i])
    disk.output("normal_force", wheel.normal_force, unit="N")
    disk.output("energy", disk.kinetic_energy + disk.potential_energy, unit="J")
    disk.output("towing_force", -towed.stress, unit="N")
    return disk


def values(a: float, k: float, v: float) -> dict[str, float]:
    """Return parameters by name."""
    return {"road.height": a, "road.wave_number": k, "speed": v}


def nominal(equations: Equations, a: float, k: float, v: float, samples: int = 64) -> NominalMotion:
    """Return the rolling over one wave, from crest to crest."""
    return nominal_motion(equations, 2 * np.pi / (k * v), samples, parameters=values(a, k, v))


def without_neutral(rolling: NominalMotion) -> np.ndarray:
    """Return the exponents of lean and heading, shape (4,), those of the heading first.

    Left out are the two of y and pitch, on which nothing depends: they are zero.
    """
    found = rolling.exponents(method="monodromy")
    return found[np.argsort(np.abs(found))][2:]


def exponents(equations: Equations, a: float, k: float, v: float) -> np.ndarray:
    """Return the exponents of lean and heading, shape (4,), those of the heading first."""
    return without_neutral(nominal(equations, a, k, v))


def zone(equations: Equations, a: float, k: float) -> tuple[float, float]:
    """Return the least and the largest speed at which the lean is excited.

    There a multiplier is -1, and the product of 1 + μ changes its sign.
    """
    middle = np.sqrt(0.8 / (2.4 - k**2 / 4))
    speeds = np.linspace(0.8 * middle, 1.3 * middle, 41)
    parameters = {"road.height": a, "road.wave_number": k}
    over = nominal_range(
        equations, "speed", (speeds[0], speeds[-1]), turn=2 * np.pi / k, parameters=parameters
    )

    def flip(v: float) -> float:
        rolling = over.at(v)
        return float(np.prod(1 + np.exp(without_neutral(rolling) * rolling.period)).real)

    found = [flip(v) for v in speeds]
    inside = np.flatnonzero(np.array(found) < 0)
    ends = (inside[0] - 1, inside[0]), (inside[-1], inside[-1] + 1)
    low, high = (brentq(flip, *speeds[list(end)], xtol=1e-12) for end in ends)
    return low, high


def indifferent(equations: Equations, a: float, v: float) -> float:
    """Return the wave number, near 2, at which the heading's exponents vanish."""

    def square(k: float) -> float:
        return float((exponents(equations, a, k, v)[0] ** 2).real)

    return brentq(square, 1.95, 2.05, xtol=1e-11)


def simulated_multipliers(equations: Equations, a: float, k: float, v: float) -> np.ndarray:
    """Return the multipliers of lean and heading from eight simulations over one wave."""
    columns = []
    for name in FELT:
        ends = [
            simulate(
                equations, 2 * np.pi / (k * v), start={name: d}, parameters=values(a, k, v),
                rtol=1e-12, atol=1e-14, samples=2,
            )
            for d in (1e-4, -1e-4)
        ]  # fmt: skip
        columns.append([(ends[0].final(n) - ends[1].final(n)) / 2e-4 for n in FELT])
    return np.linalg.eigvals(np.transpose(columns))


def trace_integral(rolling: NominalMotion) -> float:
    """Return ∫ trace of the linear equations over one wave, from linearizations on the way."""
    traces = [
        np.trace(
            linearize(
                rolling.equations,
                dict(zip((s.name for s in rolling.equations.states), state, strict=True)),
                parameters=rolling.parameters,
                time=float(time),
            ).state_matrix
        )
        for time, state in zip(rolling.time, rolling.states, strict=True)
    ]
    return float(np.mean(traces) * rolling.period)


def order_in_height(equations: Equations) -> float:
    """Return with which power of a the lean's frequency departs from that on a flat road."""
    k, v = 2.4, 1.3
    flat = np.sqrt(2.4 * v**2 - 0.8)
    apart = []
    for a in (0.01, 0.02):
        frequency = abs(exponents(equations, a, k, v)[-1].imag)
        alias = k * v * np.round((flat - np.array([1, -1]) * frequency) / (k * v))
        apart.append(np.abs(flat - (np.array([1, -1]) * frequency + alias)).min())
    return float(np.log2(apart[1] / apart[0]))


@dataclass(frozen=True)
class Record:
    """Results; names and units as in ``REFERENCE``."""

    numbers: dict[str, float]
    zones: list[tuple[float, float, float]]
    """Wave number, and the speeds between which the lean is excited."""
    motions: dict[float, Result]
    """Simulated, by speed."""
    growths: dict[float, float]
    """Largest real part of the exponents, by speed."""


def run(points: int = 11) -> Record:
    """Find exponents, limits and motions; the zone's edges at so many wave numbers."""
    equations = model().equations()
    numbers = _numbers(equations)
    zones = [(float(k), *zone(equations, HEIGHT, float(k))) for k in np.linspace(1.3, 2.8, points)]
    motions, growths = {}, {}
    for v in (UPSET, STEADY):
        motions[v] = simulate(
            equations, WAVES * 2 * np.pi / (WAVE_NUMBER * v), start={"lean": PUSH},
            parameters=values(HEIGHT, WAVE_NUMBER, v), rtol=1e-10, atol=1e-12,
            samples=100 * WAVES + 1,
        )  # fmt: skip
        growths[v] = float(exponents(equations, HEIGHT, WAVE_NUMBER, v).real.max())
    return Record(numbers, zones, motions, growths)


def _numbers(equations: Equations) -> dict[str, float]:
    flat = linearize(equations, {}, parameters=values(0.0, 2.0, 1.0)).eigenvalues()
    steep = exponents(equations, 0.1, 2.0, 1.0)
    low, high = zone(equations, HEIGHT, WAVE_NUMBER)
    upset = exponents(equations, HEIGHT, WAVE_NUMBER, UPSET)
    found = periodic_solution(
        equations, 2 * np.pi / (WAVE_NUMBER * UPSET),
        parameters=values(HEIGHT, WAVE_NUMBER, UPSET),
    )  # fmt: skip
    by_force = simulated_multipliers(equations, HEIGHT, WAVE_NUMBER, UPSET)
    traces = trace_integral(nominal(equations, HEIGHT, WAVE_NUMBER, UPSET))
    return {
        "flat road, v = 1: lean (rad/s)": float(flat.imag.max()),
        "a = 0.1, k = 2, v = 1: lean (rad/s)": float(np.abs(steep.imag).max()),
        "a = 0.1, k = 2, v = 1: heading (rad/s)": float(np.abs(steep.imag).min()),
        "a = 0.05, k = 1.7, v = 1: heading (1/s)": float(
            exponents(equations, 0.05, 1.7, 1.0).real.max()
        ),
        "a = 0.06, k = 2.25: unstable from v =": low,
        "a = 0.06, k = 2.25: unstable to v =": high,
        "a = 0.06, k = 2.25, v = 0.83: growth (1/s)": float(upset.real.max()),
        "a = 0.06, k = 2.25, v = 0.83: multiplier": float(found.multipliers.real.min()),
        "the same by simulation": float(by_force.real.min()),
        "product of the multipliers / exp ∫ trace": float(
            np.prod(found.multipliers).real / np.exp(traces)
        ),
        "a = 0.05, v = 1: heading indifferent at k =": indifferent(equations, 0.05, 1.0),
        "order of the lean's frequency in a": order_in_height(equations),
        "energy, less the work of towing: drift": energy_drift(equations),
    }


def energy_drift(equations: Equations) -> float:
    """Return by how much energy less work of towing changes over one wave with lean and yaw, J.

    The work is integrated by Simpson's rule over the samples.
    """
    motion = simulate(
        equations, 2 * np.pi / (WAVE_NUMBER * UPSET), start={"lean": 0.1, "yaw": 0.1},
        parameters=values(HEIGHT, WAVE_NUMBER, UPSET), rtol=1e-11, atol=1e-12, samples=801,
    )  # fmt: skip
    work = cumulative_simpson(UPSET * motion["towing_force"], x=motion.time, initial=0)
    return float(np.ptp(motion["energy"] - work))


def draw(record: Record, folder: Path) -> None:
    """Draw the stability map, and two motions over the waves."""
    save(draw_stability(record.zones, HEIGHT, WAVE_NUMBER, (UPSET, STEADY)), folder, "wavy_road")
    figure = draw_motions(record.motions, record.growths, HEIGHT, WAVE_NUMBER)
    save(figure, folder, "wavy_road_motions")


def show_road(folder: Path) -> None:
    """Write the picture of the disk on some waves, hatched: a sheet would hide the disk."""
    disk, (a, k, v) = model(), DRAWN
    end = 5 * np.pi / k
    x = np.linspace(-1.2, end + 1.2, 80)
    z = a * np.cos(k * x)
    for y in np.linspace(-1, 1, 5):
        disk.show(line([(ahead, y, up) for ahead, up in zip(x, z, strict=True)], colour=HATCH))
    for ahead, up in zip(x[::4], z[::4], strict=True):
        disk.show(line([(ahead, -1, up), (ahead, 1, up)], colour=HATCH))
    seen = simulate(
        disk.equations(), end / v, start={"lean": 0.025}, parameters=values(a, k, v),
        backend="python",
    )  # fmt: skip
    times = (0.0, end / v / 2, end / v)
    title = "Disk that is towed over waves"
    pale = "2.5 and 1.25 waves earlier"
    show(seen, folder, "wavy_road", title, times=times, view=(-70, 18), pale=pale)


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show_road(folder)
    record = run()
    print_comparison(
        "Disk towed over waves, beside equations derived by hand",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
