r"""Kinematic shimmy of a caster wheel, [SchwabMeijaard2003] 3.3: rigid and flexible yoke.

A wheel rolls below its swivel axis: no trail, no rake. In the contact area it slips neither along
nor across, nor does it spin: three non-holonomic constraints, and as many kinematic coordinates,
the successive rotations yaw ψ, roll φ and pitch θ of the wheel.

*Rigid yoke.* The centre A stays below the attachment B, which moves forward with v. There is no
degree of freedom at all, and the linearized state equations (34) are those of the kinematic
coordinates alone, with ω = v/r (x forward, y right, z down):

    ψ' = ω φ,    φ' = -ω ψ,    θ' = 0:

the contact path has the wavelength 2π r.

*Flexible yoke.* A beam (EI = 10, length 1) lets A move sideways by δ, the degree of freedom. If the
beam carries the lateral contact force statically, δ = -k φ r with k = ξ (2ξ + 3)/(3ξ + 6),
ξ = l/r, and the wavelength grows to 2π r √(1 + k) = 7.836509 (35). The full model gives 7.846276 in
linear theory; in the text's Fig. 8 one reads 7.83.

Run: python examples/bicycles/kinematic_shimmy.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore import Body, Hinge, Model, Result, Wheel, linearize, simulate
from mbcore.examples.common import figures_folder, plain, print_comparison, save, show
from mbcore.fmus import caster_flexible

REFERENCE = {
    "rigid: eigenvalue, imaginary part": 1.0,
    "rigid: wavelength, linear": 2 * np.pi,
    "flexible: slow pair, real part": -1.07e-6,
    "flexible: slow pair, imaginary part": 0.8007856,
    "flexible: fast pair, imaginary part": 14.985,
    "flexible: wavelength, linear": 7.846276,
    "flexible: wavelength, ψ = 0.1": 7.848,
    "flexible: amplitude of yaw": 0.0998,
    "flexible: amplitude of roll": 0.0798,
    "flexible: amplitude of deflection": 0.0446,
    "flexible: amplitude of contact path": 0.1247,
    "flexible: roll/yaw, imaginary part": 0.800786,
    "flexible: deflection/yaw, imaginary part": -0.447988,
}
"""Derived by hand; the nonlinear wavelength within 0.3 %, amplitudes within 1 %."""
SEEN = 3.0
"""When the caster is drawn, s."""
QUASI_STATIC = 2 * np.pi * np.sqrt(1 + 5 / 9)


def rigid_model() -> Model:
    """Return the caster whose yoke is rigid: no degree of freedom, three kinematic coordinates."""
    gear = Model("rigid caster")
    travelled = gear.state("attachment.x", 1.0, unit="m", visibility="output")
    centre, contact = gear.point("A", (0, 0, 0)), gear.point("contact", (0, 0, 1))
    centre.x.prescribe(travelled)
    centre.y.fix()
    centre.z.fix()
    frames = [gear.rotation(name) for name in ("yaw", "roll", "pitch")]
    for name, p, q, axis, start in (
        ("wheel.yaw", gear.ground, frames[0], (0, 0, 1), 0.1),
        ("wheel.roll", frames[0], frames[1], (1, 0, 0), 0.0),
        ("wheel.pitch", frames[1], frames[2], (0, 1, 0), 0.0),
    ):
        gear.add(Hinge(f"hinge {name}", p, q, axis=axis)).angle.kinematic(name, start)
    wheel = gear.add(
        Wheel("tyre", centre, frames[2], contact, radius=1, axle=(0, -1, 0), surface=ground)
    )
    wheel.radial.release()
    wheel.spin.zero()
    gear.add(Body("wheel", centre, frames[2], mass=1, inertia=(1 / 4, 1 / 2, 1 / 4)))
    gear.output("contact.x", contact.position[0], unit="m")
    gear.output("contact.y", contact.position[1], unit="m")
    return gear


def ground(c):
    """Plane z = 1 with its normal upwards, -z."""
    return 1 - c[2]


@dataclass(frozen=True)
class Record:
    """Numbers by the names of `REFERENCE`, and both motions."""

    numbers: dict[str, float]
    rigid: Result
    flexible: Result


def wavelength(motion: Result, after: float) -> float:
    """Return the mean distance between upward zeros of the contact path beyond x = ``after``."""
    x, y = motion["contact.x"], motion["contact.y"]
    here = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0) & (x[:-1] > after))
    zeros = x[here] - y[here] * (x[here + 1] - x[here]) / (y[here + 1] - y[here])
    return float(np.mean(np.diff(zeros)))


def amplitude(values: np.ndarray) -> float:
    """Return half the range."""
    return float(np.ptp(values) / 2)


def run() -> Record:
    """Linearize and simulate both casters."""
    rigid = rigid_model().equations()
    rolling = linearize(rigid, {"wheel.yaw": 0.0}).eigenvalues()
    rigid_motion = simulate(rigid, 60, samples=6001, rtol=1e-10)

    flexible = caster_flexible.model().equations()
    about = linearize(flexible, {"wheel.yaw": 0.0})
    oscillating = [mode for mode in about.modes() if mode.eigenvalue.imag > 0.1]
    slow = min(oscillating, key=lambda mode: mode.frequency)
    fast = max(oscillating, key=lambda mode: mode.frequency)
    motion = simulate(flexible, 60, samples=12001, rtol=1e-8, atol=1e-10)
    late = motion.time >= 35
    numbers = {
        "rigid: eigenvalue, imaginary part": float(np.abs(rolling.imag).max()),
        "rigid: wavelength, linear": float(2 * np.pi / np.abs(rolling.imag).max()),
        "flexible: slow pair, real part": slow.eigenvalue.real,
        "flexible: slow pair, imaginary part": slow.frequency,
        "flexible: fast pair, imaginary part": fast.frequency,
        "flexible: wavelength, linear": 2 * np.pi / slow.frequency,
        "flexible: wavelength, ψ = 0.1": wavelength(motion, 20.0),
        "flexible: amplitude of yaw": amplitude(motion["wheel.yaw"][late]),
        "flexible: amplitude of roll": amplitude(motion["wheel.roll"][late]),
        "flexible: amplitude of deflection": amplitude(motion["yoke.deflection"][late]),
        "flexible: amplitude of contact path": amplitude(motion["contact.y"][late]),
        "flexible: roll/yaw, imaginary part": slow.ratio("wheel.roll", "wheel.yaw").imag,
        "flexible: deflection/yaw, imaginary part": slow.ratio("yoke.deflection", "wheel.yaw").imag,
    }
    return Record(numbers, rigid_motion, motion)


def draw(record: Record, folder: Path) -> None:
    """Draw Fig. 8: the contact path, and yaw, roll and deflection along it."""
    figure = Figure(figsize=(9, 6), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    for motion, label in ((record.flexible, "flexible yoke"), (record.rigid, "rigid yoke")):
        upper.plot(motion["contact.x"], motion["contact.y"], label=label, linewidth=1.3)
    upper.set_title("Shimmy: lateral place of the contact point", loc="left")
    upper.legend(ncols=2, loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
    plain(upper, "", "y (m)")
    for name, label in (
        ("wheel.yaw", "yaw ψ (rad)"),
        ("wheel.roll", "roll φ (rad)"),
        ("yoke.deflection", "deflection δ (m)"),
    ):
        lower.plot(record.flexible["contact.x"], record.flexible[name], label=label, linewidth=1.2)
    lower.set_title("Motions of the flexible yoke", loc="left")
    lower.legend(ncols=3, loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
    lower.set_xlim(0, 60)
    plain(lower, "x of the contact point (m)", "angle (rad), deflection (m)")
    save(figure, folder, "kinematic_shimmy")


def show_yoke(folder: Path) -> None:
    """Write the picture of the flexible caster, whose yaw is so large that bending is seen."""
    seen = simulate(
        caster_flexible.model().equations(), SEEN, start={"wheel.yaw": 0.7}, backend="python"
    )
    title = "Wheel whose yoke turns and flexes"
    show(seen, folder, "kinematic_shimmy", title, times=(0.0, SEEN), view=(-145.0, 10.0))


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show_yoke(folder)
    record = run()
    print_comparison(
        "Kinematic shimmy [SchwabMeijaard2003] 3.3",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    print(f"quasi-static formula (35): wavelength {QUASI_STATIC:.6f}; read from Fig. 8: 7.83")
    draw(record, folder)


if __name__ == "__main__":
    main()
