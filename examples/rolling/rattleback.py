r"""The rattleback of Kane and Levinson [KaneLevinson1982]: spun one way, it turns back.

A stone of 1 kg lies on a table with its ellipsoidal side, semi-axes 2 cm (vertical, x), 20 cm (y)
and 3 cm (z), and rolls without slip. Its mass centre is 1 cm below the ellipsoid's, and its inertia
about it, in kg cm²,

    J = [17 0 0; 0 2 0.2; 0 0.2 16],

is turned a little against the axes of the surface. That couples the spin with rocking about the
long axis and about the short one. The ellipsoid has the support function h(n) = √(nᵀ A² n); three
hinges turn it: spin about the vertical, roll about the long axis, pitch about the short one.

**Small rocking** at a steady spin Ω, by hand, with θ = (θ_y, θ_z), the height d = 1 cm of the mass
centre, J_h the inertia about y and z, S = diag(ρ_y - d, ρ_z - d) of the radii of curvature
ρ_y = 20²/2 and ρ_z = 3²/2 cm, and T = [[0, 1], [-1, 0]],

    (J_h + m d²) θ̈ + Ω [(J_x - J_h) T - T J_h + m d S T - m d² T] θ̇
        - [Ω² T (J_x - J_h) T + (m g + m d Ω²) T S T] θ = 0.

At Ω = +5 rad/s pitching grows with 2.1 1/s and takes the energy of the spin; at -5 rad/s rolling
does so with 0.2 1/s only. Started with a tilt of 0.5° about both axes, the stone turns back within
3 s where it spins with +5 rad/s, and spins on where it spins the other way.

**Large motions.** The reference was integrated, at relative tolerances of 2e-14, from equations
derived by hand in body axes, with the vertical γ and the arm r to the contact point,

    J ω̇ + ω × J ω = m r × (r × ω̇ + ṙ × ω + ω × (r × ω) + g γ),    γ̇ = γ × ω,
    r = (h, 0, 0) - A² γ/√(γᵀ A² γ).

Run: python examples/rolling/rattleback.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.figure import Figure

from mbcore import Body, ConvexBody, Hinge, Model, Result, ellipsoid, linearize, simulate
from mbcore.examples.common import figures_folder, plain, print_comparison, save, show

GRAVITY, MASS = 9.81, 1.0
SEMI_AXES = (0.02, 0.2, 0.03)
"""Along x (vertical), y and z, m."""
ABOVE = 0.01
"""The ellipsoid's centre above the mass centre, m."""
INERTIA = np.array([[17.0, 0.0, 0.0], [0.0, 2.0, 0.2], [0.0, 0.2, 16.0]]) * 1e-4
"""About the mass centre, kg.m2."""
SPIN, TILT = 5.0, np.radians(0.5)
DURATION = 8.0

REFERENCE = {
    "spin +5: growth of pitching (1/s)": 2.1206924,
    "spin +5: frequency of pitching (rad/s)": 109.3923228,
    "spin -5: growth of rolling (1/s)": 0.2025213,
    "spin -5: frequency of rolling (rad/s)": 34.1436917,
    "spin +5: turns back at (s)": 2.80441823,
    "spin +5: spin at 2 s (rad/s)": 1.1846516004,
    "spin +5: spin at 4 s (rad/s)": -2.7282929965,
    "spin +5: spin at 8 s (rad/s)": -5.0877175904,
    "spin -5: spin at 4 s (rad/s)": -4.6976442733,
    "spin -5: spin at 8 s (rad/s)": -2.7234625296,
    "spin -5: reversals within 8 s": 0.0,
}


def model() -> Model:
    """Return the rattleback on the table x = 0, with x upwards."""
    stone = Model("rattleback", gravity=(-GRAVITY, 0, 0))
    m = stone.parameter("stone.mass", MASS, unit="kg", positive=True, description="mass")
    centre, contact = stone.point("centre", (SEMI_AXES[0], 0, 0)), stone.point("contact", (0, 0, 0))
    before = stone.ground
    for name, axis in (("spin", (1, 0, 0)), ("roll", (0, 1, 0)), ("pitch", (0, 0, 1))):
        turned = stone.rotation(f"{name} frame")
        hinge = stone.add(Hinge(f"{name} hinge", before, turned, axis=axis))
        hinge.angle.dof(f"stone.{name}", f"stone.{name}_rate")
        before = turned
    shell = stone.add(
        ConvexBody(
            "shell", centre, before, contact, support=ellipsoid(SEMI_AXES), surface=lambda c: c[0]
        )
    )
    inertia = m / MASS * ca.DM(INERTIA)
    stone.add(Body("stone", centre, before, mass=m, inertia=inertia, offset=(-ABOVE, 0, 0)))
    contact.y.kinematic("contact.y")
    contact.z.kinematic("contact.z")
    about_vertical = before.angular_velocity[0]
    stone.output("spin", about_vertical, unit="rad/s", description="ω about the vertical")
    stone.output("energy", stone.kinetic_energy + stone.potential_energy, unit="J")
    stone.output("normal_force", shell.normal_force, unit="N", description="of the table")
    return stone


def start(spin: float) -> dict[str, float]:
    """Return the start with a spin and a tilt about both axes."""
    tilt = float(TILT)
    return {"stone.spin_rate": spin, "stone.roll": tilt, "stone.pitch": tilt}


@dataclass(frozen=True)
class Record:
    """Motions of the stone; names and units as in ``REFERENCE``."""

    motions: dict[str, Result]
    numbers: dict[str, float]
    energy_drift: float
    """Relative, the larger of both."""


def run(rtol: float = 1e-12) -> Record:
    """Linearize at both spins, then spin the stone both ways."""
    equations = model().equations()
    numbers: dict[str, float] = {}
    motions: dict[str, Result] = {}
    for name, spin, mode in (("spin +5", SPIN, "pitching"), ("spin -5", -SPIN, "rolling")):
        roots = linearize(equations, {"stone.spin_rate": spin}).eigenvalues()
        growing = roots[np.argmax(roots.real)]
        numbers[f"{name}: growth of {mode} (1/s)"] = float(growing.real)
        numbers[f"{name}: frequency of {mode} (rad/s)"] = float(abs(growing.imag))
        motion = simulate(
            equations, DURATION, start=start(spin), rtol=rtol, atol=1e-14, samples=16001
        )
        motions[name] = motion
        for time in (2, 4, 8):
            numbers[f"{name}: spin at {time} s (rad/s)"] = float(
                motion.table(["spin"], [time])[0, 0]
            )
        numbers[f"{name}: reversals within 8 s"] = float(motion.final("spin") * spin < 0)
    numbers["spin +5: turns back at (s)"] = crossing(motions["spin +5"])
    drift = max(float(np.ptp(r["energy"]) / r["energy"][0]) for r in motions.values())
    return Record(motions, numbers, drift)


def crossing(motion: Result) -> float:
    """Return when the spin is first zero, by a cubic through the samples around."""
    spin, time = motion["spin"], motion.time
    i = int(np.flatnonzero(spin[1:] * spin[:-1] <= 0)[0])
    around = slice(i - 1, i + 3)
    roots = np.roots(np.polyfit(time[around] - time[i], spin[around], 3))
    real = roots[np.abs(roots.imag) < 1e-9].real
    return float(time[i] + min(real, key=lambda root: abs(root - (time[i + 1] - time[i]) / 2)))


def draw(record: Record, folder: Path) -> None:
    """Draw spin and rocking of both motions."""
    figure = Figure(figsize=(9, 6.5), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, sharey="row")
    for column, (name, motion) in enumerate(record.motions.items()):
        upper, lower = axes[:, column]
        upper.plot(motion.time, motion["spin"])
        upper.axhline(0, color="0.4", linewidth=0.8)
        upper.set_title(f"Rattleback spun with {name.split()[1]} rad/s", loc="left")
        plain(upper, "", "spin (rad/s)" if column == 0 else "")
        for angle in ("roll", "pitch"):
            degrees = np.degrees(motion[f"stone.{angle}"])
            lower.plot(motion.time, degrees, label=angle, linewidth=0.6)
        lower.set_title("Rocking", loc="left")
        plain(lower, "time (s)", "angle (degrees)" if column == 0 else "")
    axes[1, 1].legend(loc="upper left")
    save(figure, folder, "rattleback")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(model(), folder, "rattleback", "Rattleback, a stone that prefers one spin")
    record = run()
    print_comparison(
        "Rattleback [KaneLevinson1982]",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    print(f"energy drift, relative: {record.energy_drift:.1e}")
    draw(record, folder)


if __name__ == "__main__":
    main()
