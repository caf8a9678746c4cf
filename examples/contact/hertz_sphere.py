r"""An elastic sphere meets an elastic barrier, [Schwab2002] 5.2.1, Fig. 5.2.

A sphere of mass m and radius R_1 = 9.5 mm flies at 5 m/s into a hollow of radius 10 mm (R_2 =
-10 mm). While they touch, the force is Hertz's with a hysteresis that is proportional to it,

    F = K δ^(3/2) (1 + κ(e) δ̇/δ̇⁻),    K = 4 √R / (3π (h_1 + h_2)),

in which κ is chosen such that the sphere should leave with e times the speed of its arrival. The
text takes Lankarani and Nikravesh's κ = 3 (1 - e²)/4 (5.10), which balances the loss of Newton's
law with that along the *elastic* motion, and remarks that it underestimates the loss. The
error follows exactly: with u = δ̇/δ̇⁻ the equation of motion separates, and the sphere leaves with
e' where

    ∫ u/(1 + κ u) du = 0  from -e' to 1,    κ (1 + e') = ln((1 + κ)/(1 - κ e')),

whatever m, K and the speed. The second figure shows e' against e for three laws: Hunt and
Crossley's κ = 3 (1 - e)/2 and Lankarani and Nikravesh's agree at e = 1 only; Flores and others' κ =
8 (1 - e)/(5 e) holds down to e = 0, at the cost of a slope of 16/15 at e = 1.

With the data of the text (5.3) gives K = 65.783e9; the caption of Fig. 5.2 prints 65.8e9, which is
what the motion is computed with here. The maximum without loss follows from the impulse of
the compression, s = m δ̇⁻, by (5.32) and (5.33).

Run: python examples/contact/hertz_sphere.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mbcore import Bearing, Body, Model, Result, simulate
from mbcore.contact.clearance import clearance
from mbcore.contact.hertz import (
    Flores,
    HuntCrossley,
    Hysteresis,
    LankaraniNikravesh,
    effective_restitution,
    maximum_force,
    maximum_penetration,
    stiffness,
)
from mbcore.drawing import arrow
from mbcore.examples.common import figures_folder, largest, plain, print_comparison, save, show
from mbcore.model.shapes.shapes import cylinder, surface, tube

MASS = 0.145
"""kg."""
SPEED = 5.0
"""Before the impact, m/s."""
SPHERE, HOLLOW = 9.5e-3, 10e-3
"""Radii, m."""
RESTITUTION = 0.95
STIFFNESS = 65.8e9
"""As printed with Fig. 5.2, N/m^1.5."""
FLIGHT, SHOWN = 1e-6, 1.9e-4
"""Time before the impact, of the motion and of the picture of the system, s."""
LAWS: dict[str, type[Hysteresis]] = {
    "Hunt and Crossley": HuntCrossley,
    "Lankarani and Nikravesh": LankaraniNikravesh,
    "Flores et al.": Flores,
}

REFERENCE = {
    "stiffness (5.3) (N/m^1.5)": 6.578265e10,
    "largest penetration (m)": 8.452311e-5,
    "largest force (N)": 51239.989,
    "duration of the contact (s)": 5.095838e-5,
    "speed after the contact (m/s)": 4.7675302,
    "effective restitution": 0.953506,
    "loss of kinetic energy (J)": 0.164623,
    "loss in the hysteresis loop (J)": 0.164623,
    "estimated penetration (5.32) (m)": 8.613841e-5,
    "estimated force (5.33) (N)": 52604.291,
}


def model(
    law: type[Hysteresis] = LankaraniNikravesh,
    restitution: float = RESTITUTION,
    flight: float = FLIGHT,
) -> Model:
    """Return the sphere that flies along x for a time, in the frame of the hollow's centre."""
    sphere = Model("hertz_sphere")
    hollow, still = sphere.point("hollow", fixed=True), sphere.angle("still", fixed=True)
    gap = HOLLOW - SPHERE
    centre = sphere.point("centre", (gap - flight * SPEED, 0))
    turn = sphere.angle("turn", fixed=True)
    joint = sphere.add(Bearing("barrier", hollow, still, centre, turn))
    joint.x.dof("x", "x_rate", gap - flight * SPEED, SPEED, nominal=1e-5)
    joint.y.dof("y", "y_rate", nominal=1e-5)
    sphere.add(Body("sphere", centre, mass=MASS))
    sphere.show(cylinder((0, 0, 0), None, 0.98 * SPHERE, name="sphere"), at=centre)
    turns = np.linspace(0, 2 * np.pi, 180, endpoint=False)
    edge = [(0.985 * SPHERE * np.cos(a), 0.985 * SPHERE * np.sin(a)) for a in turns]
    sphere.show(tube(edge, 0.015 * SPHERE, closed=True, name="edge"), at=centre)
    along = HOLLOW * np.linspace(-0.75, 0.75, 61)
    rim = [(float(np.sqrt(HOLLOW**2 - y**2)), float(y)) for y in along]
    back = [(1.3 * HOLLOW, y) for _, y in rim]
    sphere.show(surface([rim, back], colour="#8a96a3", name="barrier"))
    contact = clearance(sphere, joint, gap, law(STIFFNESS, restitution))
    loss = sphere.state("loss", contact.force * contact.penetration_rate, unit="J", nominal=0.1)
    sphere.output("force", contact.force, unit="N", description="that presses at the barrier")
    sphere.output("penetration", contact.penetration, unit="m", description="depth")
    sphere.output("energy", sphere.kinetic_energy, unit="J", description="kinetic energy")
    sphere.output("energy and loss", sphere.kinetic_energy + loss, unit="J")
    return sphere


@dataclass(frozen=True)
class Record:
    """Numbers of the impact; names and units as in ``REFERENCE``."""

    motion: Result
    numbers: dict[str, float]
    restitutions: dict[str, np.ndarray]


def run(rtol: float = 1e-12) -> Record:
    """Simulate the impact of Fig. 5.2 and a little flight before and after."""
    until = 5.5e-5
    motion = simulate(model().equations(), until, rtol=rtol, atol=1e-13, samples=5501)
    begin, end = (time for time, _ in motion.events)
    impulse = MASS * SPEED
    numbers = {
        "stiffness (5.3) (N/m^1.5)": float(stiffness(SPHERE, -HOLLOW, 2.06e11, 0.3)),
        "largest penetration (m)": largest(motion["penetration"]),
        "largest force (N)": largest(motion["force"]),
        "duration of the contact (s)": end - begin,
        "speed after the contact (m/s)": -motion.final("x_rate"),
        "effective restitution": effective_restitution(LankaraniNikravesh, RESTITUTION),
        "loss of kinetic energy (J)": float(motion["energy"][0]) - motion.final("energy"),
        "loss in the hysteresis loop (J)": motion.final("loss"),
        "estimated penetration (5.32) (m)": maximum_penetration(impulse, MASS, STIFFNESS),
        "estimated force (5.33) (N)": maximum_force(impulse, MASS, STIFFNESS),
    }
    given = np.linspace(1e-3, 1, 201)  # Flores' law has no meaning at 0
    restitutions = {
        name: np.array([effective_restitution(law, e) for e in given]) for name, law in LAWS.items()
    }
    return Record(motion, numbers, {"given": given} | restitutions)


def draw_impact(motion: Result) -> Figure:
    """Draw Fig. 5.2: penetration, force and hysteresis loop."""
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    begin = motion.events[0][0]
    time = (motion.time - begin) * 1e6
    depth, force = motion["penetration"] * 1e6, motion["force"] / 1e3
    left.plot(time, depth)
    plain(left, "time (µs)", "penetration δ (µm)")
    middle.plot(time, force)
    plain(middle, "time (µs)", "force (kN)")
    elastic = STIFFNESS * motion["penetration"] ** 1.5 / 1e3
    order = np.argsort(depth)
    right.plot(depth, force, label=f"with loss, e = {RESTITUTION}")
    right.plot(depth[order], elastic[order], ":", color="0.5", label="elastic")
    right.legend(loc="upper left")
    plain(right, "penetration δ (µm)", "force (kN)")
    for axes, title in (
        (left, "Sphere in a barrier: depth"),
        (middle, "Its force"),
        (right, "Hysteresis loop"),
    ):
        axes.set_title(title, loc="left")
    return figure


def draw_restitution(restitutions: dict[str, np.ndarray]) -> Figure:
    """Draw the effective coefficient of restitution against the given one."""
    figure = Figure(figsize=(6, 5.5), layout="constrained")
    axes = figure.subplots()
    given = restitutions["given"]
    for name in LAWS:
        axes.plot(given, restitutions[name], label=name)
    axes.plot(given, given, ":", color="0.4", label="Newton's law, e' = e")
    leaves = REFERENCE["effective restitution"]
    label = f"the sphere of the text at 5 m/s,\ne = {RESTITUTION}, e' = {leaves:.4f}"
    axes.plot(RESTITUTION, leaves, "ko", markersize=4, label=label)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.03)
    axes.legend(loc="lower right")
    axes.set_title("Effective restitution of a sphere at a barrier", loc="left")
    plain(
        axes,
        "coefficient of restitution e given to the law",
        "effective coefficient e': speed after / speed before",
    )
    return figure


def draw(record: Record, folder: Path) -> None:
    """Write both figures."""
    save(draw_impact(record.motion), folder, "hertz_sphere_impact")
    save(draw_restitution(record.restitutions), folder, "hertz_sphere_restitution")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    flying = model(flight=SHOWN)
    centre = flying.nodes["centre"]
    flying.show(arrow(centre, centre.velocity, of="motion", name="speed"))
    seen = simulate(flying.equations(), FLIGHT, backend="python")
    labels = {"edge": ("sphere", 0, 125), "barrier": ("barrier, fixed", 40, 20)}
    title = f"Sphere {1e3 * SHOWN * SPEED:g} mm before it meets the hollow of a barrier"
    show(seen, folder, "hertz_sphere", title, times=(0.0,), labels=labels)
    record = run()
    print_comparison(
        "Sphere against a barrier [Schwab2002] Fig. 5.2",
        [(name, record.numbers[name], reference) for name, reference in REFERENCE.items()],
    )
    print(f"energy and loss together vary by {np.ptp(record.motion['energy and loss']):.1e} J")
    draw(record, folder)


if __name__ == "__main__":
    main()
