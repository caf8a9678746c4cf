r"""The rolling disk of [SchwabMeijaard2003] 3.2: a thin disk wobbles along below critical speed.

A thin uniform disk rolls without slip on a horizontal plane, with m = r = g = 1. Its orientation is
R_z(ψ) R_x(φ) R_y(θ): yaw, lean and pitch are the degrees of freedom, held by three hinges in a row.
The wheel element gives the contact point c and two non-holonomic constraints, so the two
coordinates of c in the plane are kinematic: they change only as the disk rolls,

    ẋ = r θ̇ cos ψ,    ẏ = r θ̇ sin ψ        (with the pitch rate θ̇ relative to the leaning frame).

Straight rolling with speed v has λ² = 0.8 (1 - 3 v²) and is stable above v = 1/√3. Here v = 0.4116
and a small rate of lean, -0.01, starts the motion of Fig. 5: the disk falls, turns sharply, gets up
again, and rolls on to the next turn. It was chosen by the authors such that the path of the contact
point crosses itself almost perpendicularly. Fig. 6 shows the contact forces; the ratio of those in
the plane to the normal force is at most 0.52 in the text.

The reference values were integrated from equations derived by hand (Lagrange-d'Alembert) at
relative tolerances of 1e-12.

Run: python examples/rolling/rolling_disk.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib.figure import Figure

from mbcore import Body, Hinge, Model, Result, Wheel, simulate
from mbcore.examples.common import figures_folder, largest, plain, print_comparison, save, show
from mbcore.model.quantities import Role

DURATION = 87.0
"""End of the motion in Figs. 5 and 6."""
SAMPLING = 0.01

REFERENCE = {
    "contact x at t = 87": 4.8151003700,
    "contact y at t = 87": -6.1190930252,
    "energy": 1.12712342,
    "largest lean": 0.8388124,
    "path crosses itself at (deg)": 87.011,
    "largest longitudinal force": 0.0712622,
    "largest lateral force": 0.7098677,
    "smallest normal force": 0.8977301,
    "largest normal force": 1.3608947,
    "largest friction ratio": 0.5216184,
}


def model() -> Model:
    """Return the disk with its parameters and outputs."""
    disk = Model("rolling_disk")
    m = disk.parameter("disk.mass", 1, unit="kg", positive=True, description="mass")
    r = disk.parameter(
        "disk.radius", 1, unit="m", positive=True, tunable=False, description="radius"
    )
    g = disk.parameter(
        "gravity", 1, unit="m/s2", minimum=0, description="acceleration of free fall"
    )
    disk.gravity = ca.vertcat(0, 0, -g)

    yaw, lean, wheel = (disk.rotation(name) for name in ("yaw", "lean", "wheel"))
    centre, contact = disk.point("centre", (0, 0, r)), disk.point("contact", (0, 0, 0))
    turning = disk.add(Hinge("yaw hinge", disk.ground, yaw, axis=(0, 0, 1)))
    leaning = disk.add(Hinge("lean hinge", yaw, lean, axis=(1, 0, 0)))
    pitching = disk.add(Hinge("pitch hinge", lean, wheel, axis=(0, 1, 0)))
    turning.angle.dof("disk.yaw", "disk.yaw_rate")
    leaning.angle.dof("disk.lean", "disk.lean_rate", rate_start=-0.01)
    pitching.angle.dof("disk.pitch", "disk.pitch_rate", rate_start=0.4116)
    rolling = disk.add(Wheel("rolling", centre, wheel, contact, axle=(0, 1, 0), radius=r))
    contact.x.kinematic("contact.x")
    contact.y.kinematic("contact.y")
    diametral = m * r**2 / 4
    disk.add(Body("disk", centre, wheel, mass=m, inertia=(diametral, 2 * diametral, diametral)))

    along, across, normal = (
        rolling.longitudinal_force,
        rolling.lateral_force,
        rolling.normal_force,
    )
    disk.output("contact.force_longitudinal", along, unit="N", description="along the heading")
    disk.output("contact.force_lateral", across, unit="N", description="to the heading's left")
    disk.output("contact.force_normal", normal, unit="N", description="upwards")
    disk.output(
        "contact.friction_ratio",
        ca.sqrt(along**2 + across**2) / normal,
        description="force in the plane over normal force",
    )
    disk.output("energy.total", disk.kinetic_energy + disk.potential_energy, unit="J")
    disk.output("centre.x", centre.position[0], unit="m")
    disk.output("centre.y", centre.position[1], unit="m")
    return disk


def add_residuals(disk: Model) -> Model:
    """Add outputs that show how well the constraints are kept, and return the model."""
    strains = [d.expression for d in disk.deformations() if d.role is Role.RIGID]
    slips = [s.expression for s in disk.slips() if s.role is Role.ZERO]
    disk.output("largest_strain", ca.mmax(ca.fabs(ca.vertcat(*strains))))
    disk.output("largest_slip", ca.mmax(ca.fabs(ca.vertcat(*slips))))
    return disk


@dataclass(frozen=True)
class Record:
    """Numbers of the motion; names and units as in ``REFERENCE``."""

    motion: Result
    numbers: dict[str, float]
    energy_drift: float
    largest_strain: float
    largest_slip: float


def run(rtol: float = 1e-11) -> Record:
    """Simulate the motion of Figs. 5 and 6."""
    times = np.linspace(0, DURATION, round(DURATION / SAMPLING) + 1)
    motion = simulate(
        add_residuals(model()).equations(), DURATION, rtol=rtol, atol=rtol, samples=times
    )
    x, y = motion["contact.x"], motion["contact.y"]
    normal = motion["contact.force_normal"]
    energy = motion["energy.total"]
    numbers = {
        "contact x at t = 87": motion.final("contact.x"),
        "contact y at t = 87": motion.final("contact.y"),
        "energy": float(energy[0]),
        "largest lean": largest(motion["disk.lean"]),
        "path crosses itself at (deg)": crossing_angle(x, y, motion["disk.yaw"]),
        "largest longitudinal force": largest(motion["contact.force_longitudinal"]),
        "largest lateral force": largest(motion["contact.force_lateral"]),
        "smallest normal force": -largest(-normal),
        "largest normal force": largest(normal),
        "largest friction ratio": largest(motion["contact.friction_ratio"]),
    }
    return Record(
        motion,
        numbers,
        energy_drift=float(np.ptp(energy)),
        largest_strain=float(motion["largest_strain"].max()),
        largest_slip=float(motion["largest_slip"].max()),
    )


def crossing_angle(x: np.ndarray, y: np.ndarray, heading: np.ndarray) -> float:
    """Return the angle between the branches where a path first crosses itself, degrees."""
    path = x + 1j * y
    step = np.diff(path)
    for i in range(2, step.size):
        # piece i meets an earlier piece j where both parameters lie between 0 and 1
        apart = path[: i - 1] - path[i]
        earlier = step[: i - 1]
        determinant = (np.conj(earlier) * step[i]).imag
        with np.errstate(divide="ignore", invalid="ignore"):
            on_this = (np.conj(earlier) * apart).imag / determinant
            on_other = (np.conj(step[i]) * apart).imag / determinant
        met = np.flatnonzero((on_this >= 0) & (on_this < 1) & (on_other >= 0) & (on_other < 1))
        if met.size:
            j = int(met[0])
            this = heading[i] + on_this[j] * (heading[i + 1] - heading[i])
            other = heading[j] + on_other[j] * (heading[j + 1] - heading[j])
            angle = np.degrees(this - other) % 180
            return float(min(angle, 180 - angle))
    return float("nan")


def draw_path(motion: Result) -> Figure:
    """Draw Fig. 5: the paths of contact point and centre."""
    figure = Figure(figsize=(7.5, 8), layout="constrained")
    axes = figure.subplots()
    axes.plot(motion["contact.x"], motion["contact.y"], linewidth=1.6, label="contact point")
    axes.plot(motion["centre.x"], motion["centre.y"], linewidth=1.0, label="centre", color="C1")
    axes.plot(0, 0, "ko", markersize=4)
    axes.annotate("start", (0, 0), xytext=(-6, 8), textcoords="offset points", ha="right")
    end = (motion.final("contact.x"), motion.final("contact.y"))
    axes.plot(*end, "ks", markersize=4)
    axes.annotate("t = 87", end, xytext=(6, -10), textcoords="offset points")
    axes.set_aspect("equal")
    axes.legend(loc="lower left")
    axes.set_title("Rolling disk: path in the plane, v = 0.4116, rate of lean -0.01")
    plain(axes, "x / r", "y / r")
    return figure


def draw_forces(motion: Result) -> Figure:
    """Draw Fig. 6: the contact forces on the plane, and their ratio."""
    figure = Figure(figsize=(8.5, 6.4), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    for name, label in (
        ("contact.force_normal", "normal"),
        ("contact.force_lateral", "lateral, to the left"),
        ("contact.force_longitudinal", "longitudinal"),
    ):
        upper.plot(motion.time, motion[name], label=label, linewidth=1.3)
    upper.set_title("Force of the plane on the disk", loc="left")
    upper.legend(ncols=3, loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
    plain(upper, "", "force / (m g)")
    lower.plot(motion.time, motion["contact.friction_ratio"], color="black", linewidth=1.3)
    needed = REFERENCE["largest friction ratio"]
    label = f"largest value of the reference, {needed:.4f}"
    lower.axhline(needed, color="C3", linestyle=":", linewidth=1.2, label=label)
    lower.set_title("Tangential force / normal force", loc="left")
    lower.legend(loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
    lower.set_xlim(0, DURATION)
    plain(lower, r"time / $\sqrt{r/g}$", "friction ratio")
    return figure


def draw(record: Record, folder: Path) -> None:
    """Write both figures."""
    save(draw_path(record.motion), folder, "rolling_disk_path")
    save(draw_forces(record.motion), folder, "rolling_disk_forces")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    show(model(), folder, "rolling_disk", "Thin disk that rolls without slip")
    record = run()
    print_comparison(
        "Rolling disk [SchwabMeijaard2003] 3.2",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    print(
        f"energy drift {record.energy_drift:.1e}, strains below {record.largest_strain:.1e}, "
        f"forbidden slips below {record.largest_slip:.1e}"
    )
    draw(record, folder)


if __name__ == "__main__":
    main()
