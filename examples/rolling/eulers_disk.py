r"""Euler's disk: a coin that spins down, ever faster, and lies flat after a finite time.

A thin uniform disk (m = r = g = 1) circles nearly flat, at the tilt θ. Its centre rests, and its
contact point runs around the rim. Contour friction [Leine2009], the moment a N against the rate σ
at which it does so, is what stops it. By hand, with the steady circling at small tilt,

    Ω = 2/√θ,    E = (3/2) θ,    Ė = -a |σ| = -2 a/√θ,

so that √θ θ̇ = -(4/3) a and

    θ = (2 a (t_f - t))^(2/3),    t_f = θ_0^(3/2)/(2 a).

The axle turns by ω_a = (5/9) θ^(3/2), for it takes part of the moment; a disk that starts with
another ω_a keeps the difference, and comes near the power law only at the end.

The exponent is fitted, with t_f as an unknown, to the energy until 5 % of the time is left. It
tends to 2/3 as θ_0 gets small. The whole motion is compared with the equations of the rolling disk
by hand, with the moments of the contour friction about axle and vertical,

    (3/2) ω̇_a = M - cos φ φ̇ ψ̇,        M = -a N sign σ,    N = 1 - sin φ φ̈ - cos φ φ̇²,
    (5/4) φ̈ = sin φ + (3/2) cos φ ω_a ψ̇ - (1/4) sin φ cos φ ψ̇²,
    (1/4) (cos φ ψ̈ - 2 sin φ φ̇ ψ̇) = -M tan φ - (1/2) ω_a φ̇,

φ = π/2 - θ the lean, integrated at tolerances of 1e-12.

Another friction gives another law. A moment of the constant size M against the whole angular
velocity, 2 √θ of the circling disk, takes Ė = -2 M √θ, so that √θ = (2/3) M (t_f - t), and

    Ω = 3/(M (t_f - t)),    t_f = (3/2) √θ_0/M,

a precession that grows with the power -1 of the time left, where contour friction has -1/3.

Near the end θ̈ is no longer small against g, so that the disk falls, and stays behind the power
law. Flat, a thin wheel touches at no single point, and its equations are singular there. So the
`FlatContact` hands over at a small tilt: the face lands without rebound, and the disk lies there,
unchanged to the last bit.

Run: python examples/rolling/eulers_disk.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FormatStrFormatter, NullLocator
from scipy.integrate import solve_ivp
from scipy.optimize import curve_fit

from mbcore import Body, FlatContact, Hinge, Model, Result, RollingResistance, Wheel, simulate
from mbcore.examples.common import (
    figures_folder,
    head,
    plain,
    print_comparison,
    save,
    show,
)

TILT, ARM = 0.1, 1e-3
"""At the start, rad; of the contour friction, m."""
FLATTER, MOMENT = 0.02, 1e-2
"""Tilt at the start, rad, and moment against the whole angular velocity, N.m."""
STRONGER = 1e-2
"""Arm, m, with which the disk is followed to its end."""
NEARLY_FLAT, FLAT = 0.02, 0.01
"""Tilt of an event, and that at which the disk lands, rad."""
LEFT = 0.05
"""Part of the time that is left where the fit ends."""
AGES = 1e6
"""For which the disk lies still, s."""


def model(tilt: float = TILT, arm: float = ARM, flat: float = FLAT, moment: float = 0.0) -> Model:
    """Return the disk as it circles at a tilt until it lies flat, by one of two frictions."""
    disk = Model("eulers_disk", gravity=(0, 0, -1))
    yawed, leaned, body = (disk.rotation(name) for name in ("yawed", "leaned", "body"))
    centre = disk.point("centre", (0, -np.cos(tilt), np.sin(tilt)))
    contact = disk.point("contact", (0, 0, 0))
    rates = circling(tilt, arm, moment)
    yaw = disk.add(Hinge("yaw hinge", disk.ground, yawed, axis=(0, 0, 1))).angle
    yaw.dof("yaw", rate_start=rates["yaw_rate"])
    lean = disk.add(Hinge("lean hinge", yawed, leaned, axis=(1, 0, 0))).angle
    lean.dof("lean", start=np.pi / 2 - tilt, rate_start=rates["lean_rate"])
    pitch = disk.add(Hinge("pitch hinge", leaned, body, axis=(0, 1, 0))).angle
    pitch.dof("pitch", rate_start=rates["pitch_rate"])
    wheel = disk.add(Wheel("wheel", centre, body, contact, radius=1))
    contact.x.kinematic("contact.x")
    contact.y.kinematic("contact.y")
    disk.add(Body("disk", centre, body, mass=1, inertia=(1 / 4, 1 / 2, 1 / 4)))
    face = disk.add(FlatContact("face", wheel, tilt=flat))
    contour = disk.add(RollingResistance("contour", wheel, arm=arm, contour=True))
    if moment:
        turning = body.angular_velocity
        # where the disk lies it does not turn, and the face holds it
        size = ca.if_else(face.lies, 1, ca.norm_2(turning))
        disk.moment(body, -moment * turning / size)
    disk.state("contour.work", contour.power, unit="J", visibility="output")
    disk.output("energy", disk.kinetic_energy + disk.potential_energy, unit="J")
    left = np.pi / 2 - lean.value
    disk.output("tilt", left, unit="rad")
    disk.event("nearly_flat", NEARLY_FLAT - left, band=1e-9)
    disk.output("lies", face.lies, kind="boolean")
    return disk


def circling(tilt: float, arm: float, moment: float = 0.0) -> dict[str, float]:
    """Return the rates with which the disk circles as in the power laws."""
    sine, cosine = np.sin(tilt), np.cos(tilt)
    axle = 0.0 if moment else 5 / 9 * tilt**1.5
    # steady circling: 0 = cos θ + (3/2) sin θ ω_a Ω - (1/4) cos θ sin θ Ω²
    turning = float(np.roots([-cosine * sine / 4, 1.5 * sine * axle, cosine]).max())
    return {
        "yaw_rate": turning,
        "lean_rate": 4 / 3 * (arm / tilt**0.5 + moment * tilt**0.5),
        "pitch_rate": axle - turning * cosine,
    }


def ends(tilt: float, arm: float) -> float:
    """Return t_f of the power law of contour friction, s."""
    return tilt**1.5 / (2 * arm)


def ends_by_moment(tilt: float, moment: float) -> float:
    """Return t_f of the power law of a moment against the angular velocity, s."""
    return 1.5 * tilt**0.5 / moment


def by_hand(tilt: float, arm: float, until: float, stop: float = 0.0) -> np.ndarray:
    """Return time, yaw and tilt where equations by hand reach a time, or a tilt."""

    def flat(time: float, state: np.ndarray) -> float:
        return np.pi / 2 - state[1] - stop

    flat.terminal = True  # type: ignore[attr-defined]

    def rates(time: float, state: np.ndarray) -> list[float]:
        _, lean, axle, turning, leaning = state
        sine, cosine = np.sin(lean), np.cos(lean)
        faster = sine + 1.5 * cosine * axle * turning - sine * cosine * turning**2 / 4
        faster *= 4 / 5
        normal = 1 - sine * faster - cosine * leaning**2
        moment = -arm * normal * np.sign(axle - turning * sine)
        yawing = -moment * sine / cosine - axle * leaning / 2 + sine * leaning * turning / 2
        return [
            turning,
            leaning,
            (moment - cosine * leaning * turning) / 1.5,
            4 * yawing / cosine,
            faster,
        ]

    start = circling(tilt, arm)
    axle = start["pitch_rate"] + start["yaw_rate"] * np.cos(tilt)
    state = [0, np.pi / 2 - tilt, axle, start["yaw_rate"], start["lean_rate"]]
    accuracy = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
    found = solve_ivp(rates, (0, until), state, events=flat, **accuracy)
    return np.array([found.t[-1], found.y[0, -1], np.pi / 2 - found.y[1, -1]])


def exponent(time: np.ndarray, values: np.ndarray, end: float) -> float:
    """Return the power of t_f - t with which values change, t_f being fitted, too."""

    def law(t: np.ndarray, size: float, t_f: float, power: float) -> np.ndarray:
        return size + power * np.log(t_f - t)

    falls = np.sign(values[0] - values[-1])
    bounds = ([-50, time[-1] * (1 + 1e-9), -5], [50, 2 * end, 5])
    fitted, _ = curve_fit(law, time, np.log(values), p0=(0, end, 0.6 * falls), bounds=bounds)
    return float(fitted[2])


def spun(disk: Model, end: float, left: float) -> Result:
    """Return the motion of a disk until a part of its time is left."""
    times = end * (1 - np.geomspace(1, left, 300))
    accuracy = {"rtol": 1e-8, "atol": 1e-11}
    return simulate(disk.equations(), times[-1], samples=times, backend="c", **accuracy)


@dataclass(frozen=True)
class Record:
    """Motions of the disk."""

    numbers: dict[str, float]
    expected: dict[str, float]
    motion: Result
    flatter: Result
    by_moment: Result
    end: Result


def run() -> Record:
    """Spin the disk down by both frictions, and one with more friction to its end."""
    times = ends(TILT, ARM) * (1 - np.geomspace(1, LEFT, 300))
    accuracy = {"rtol": 1e-10, "atol": 1e-12}
    motion = simulate(model().equations(), times[-1], samples=times, **accuracy)
    flatter = spun(model(FLATTER, ARM / 10, FLAT / 20), ends(FLATTER, ARM / 10), 2 * LEFT)
    late = ends_by_moment(FLATTER, MOMENT)
    by_moment = spun(model(FLATTER, 0.0, FLAT / 100, MOMENT), late, 2 * LEFT)
    _, yaw, tilt = by_hand(TILT, ARM, motion.time[-1])
    t_f = ends(TILT, STRONGER)
    times = np.append(np.linspace(0, 1.2 * t_f, 2001), AGES)
    stronger = model(arm=STRONGER).equations()
    end = simulate(stronger, AGES, samples=times, backend="c", **accuracy)
    happened = {name: time for time, name in end.events}
    still = end.time > 1.1 * t_f
    numbers = {
        "exponent of the energy": exponent(motion.time, motion["energy"], ends(TILT, ARM)),
        "energy that is not accounted for (J)": float(
            motion.final("energy") - motion["energy"][0] - motion.final("contour.work")
        ),
        "tilt at the end less that by hand (rad)": motion.final("tilt") - tilt,
        "yaw at the end less that by hand (rad)": motion.final("yaw") - yaw,
        "exponent of the precession": exponent(
            flatter.time, flatter["yaw_rate"], ends(FLATTER, ARM / 10)
        ),
        "the same by a moment against all turning": exponent(
            by_moment.time, by_moment["yaw_rate"], late
        ),
        "the same: largest deviation from 3/(M (t_f - t))": float(
            np.abs(by_moment["yaw_rate"] * MOMENT * (late - by_moment.time) / 3 - 1).max()
        ),
        "more friction: nearly flat at (s)": happened["nearly_flat"],
        "more friction: it lands at (s)": happened["face.lands"],
        "it lies: largest change of a state in 10^6 s": max(
            float(np.ptp(end[name][still])) for name in ("yaw", "lean", "pitch", "contact.x")
        ),
    }
    expected = {
        "exponent of the energy": 2 / 3,
        "energy that is not accounted for (J)": 0.0,
        "tilt at the end less that by hand (rad)": 0.0,
        "yaw at the end less that by hand (rad)": 0.0,
        "exponent of the precession": -1 / 3,
        "the same by a moment against all turning": -1.0,
        "the same: largest deviation from 3/(M (t_f - t))": 0.0,
        "more friction: nearly flat at (s)": by_hand(TILT, STRONGER, 2 * t_f, NEARLY_FLAT)[0],
        "more friction: it lands at (s)": by_hand(TILT, STRONGER, 2 * t_f, FLAT)[0],
        "it lies: largest change of a state in 10^6 s": 0.0,
    }
    return Record(numbers, expected, motion, flatter, by_moment, end)


def draw(record: Record, folder: Path) -> None:
    """Draw the disk, the power laws, and the end."""
    title = "Euler's disk, just started"
    show(record.motion, folder, "eulers_disk", title, times=(0.2,), view=(-60, 25))
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    laws, late = figure.subplots(1, 2)
    left = ends(TILT, ARM) - record.motion.time
    laws.loglog(left, record.motion["tilt"], label="tilt θ (rad)")
    laws.loglog(left, record.motion["yaw_rate"], label="rate ψ' (rad/s)")
    laws.loglog(left, (2 * ARM * left) ** (2 / 3), "k:", label="power laws")
    laws.loglog(left, 2 / (2 * ARM * left) ** (1 / 3), "k:")
    plain(laws, "time that is left (s)", "")
    head(laws, "The tilt falls with the power 2/3", 3)
    late.plot(record.end.time[:-1], record.end["tilt"][:-1], label="tilt θ (rad)")
    by_law = (2 * STRONGER * np.maximum(ends(TILT, STRONGER) - record.end.time, 0)) ** (2 / 3)
    late.plot(record.end.time[:-1], by_law[:-1], "k:", label="power law")
    plain(late, "time (s)", "")
    head(late, "Ten times the friction: it lands, and lies", 2)
    save(figure, folder, "eulers_disk")
    draw_precession(record, folder)


def draw_precession(record: Record, folder: Path) -> None:
    """Draw how the precession grows by both frictions."""
    figure = Figure(figsize=(7, 4.6), layout="constrained")
    axes = figure.subplots()
    late, soon = ends(FLATTER, ARM / 10), ends_by_moment(FLATTER, MOMENT)
    first, second = late - record.flatter.time, soon - record.by_moment.time
    axes.loglog(first, record.flatter["yaw_rate"], label="contour friction")
    axes.loglog(second, record.by_moment["yaw_rate"], label="moment against all turning")
    axes.loglog(first, 2 / (2 * ARM / 10 * first) ** (1 / 3), "k:", label="powers -1/3 and -1")
    axes.loglog(second, 3 / (MOMENT * second), "k:")
    plain(axes, "time that is left (s)", "rate ψ' (rad/s)")
    for axis, ticks in ((axes.xaxis, (1, 2, 5, 10, 20)), (axes.yaxis, (15, 20, 50, 100))):
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_major_formatter(FormatStrFormatter("%g"))
        axis.set_minor_locator(NullLocator())
    head(axes, "Rate of precession before the end", 3)
    save(figure, folder, "eulers_disk_precession")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    record = run()
    print_comparison(
        "Euler's disk, beside equations by hand and the power law",
        [(name, ours, record.expected[name]) for name, ours in record.numbers.items()],
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
