r"""A rotor with two disks, two bearings and a seal, [Schwab2002] 4.4.3, Table 4.1.

A steel shaft, 50 in long and 4 in thick, turns at Ω = 4000 rpm in isotropic bearings at one end and
10 in from there; an annular seal is at 20 in, disks are at 40 in and 50 in. Five beam elements have
consistent mass, rotary inertia and gyroscopic terms. The shaft's angle is prescribed, deformations
turn with it: so the equations are those of co-rotating coordinates, with constant coefficients. C
is linear in Ω, K quadratic, and matrices at three speeds give those at all.

The seal is not in the nominal motion. As an applied force (2.14) it pushes by (4.20), linear in
absolute displacements and velocities,

    f_y = -K y - k z - C ẏ - c ż,    f_z = k y - K z + c ẏ - C ż,

which reads the same on co-rotating axes. Its circulatory stiffness k drives the forward whirl.

Co-rotating displacements η, ζ are y + i z = e^{iΩt} (η + i ζ) on inertial axes. In a mode e^{λt}
of the isotropic rotor, η + i ζ holds e^{λt} or its conjugate only. With λ chosen such that it is
e^{λt}, the inertial eigenvalue is λ + iΩ: a forward whirl where its imaginary part is positive,
else a backward one. The source's units are pounds, pounds-force and inches, converted as in the
text; the seal's mass of 6.68 is in kg, and the disks' moments of inertia in lbf s² in.

Beyond the text: Campbell diagram and critical speeds, mode shapes, and the periodic motion under
unbalance and weight together. On inertial axes that is a circle about a point below the axis.

Run: python examples/vibration/rotor.py [--figures DIR]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np

from mbcore import Body, Hinge, Model, RigidLink, SpatialBeam
from mbcore.examples.common import figures_folder, print_comparison, save, show
from mbcore.examples.vibration.rotor_figures import draw_campbell, draw_modes, draw_unbalance
from mbcore.examples.vibration.rotor_whirls import Spun, Whirl, critical_speeds
from mbcore.model.nodes.nodes import Point, Rotation
from mbcore.model.shapes.shapes import COLOURS, box, cylinder, tube
from mbcore.vibration import AppliedForce, PeriodicSolution, nominal_motion

INCH, POUND_FORCE, POUND = 0.0254, 4.4482216, 0.45359237
"""m, N, kg."""
SPEED = 4000 * 2 * np.pi / 60
"""Ω, rad/s."""
FASTEST = 20000 * 2 * np.pi / 60
"""Of the Campbell diagram, rad/s."""
ECCENTRICITY = 150e-6
"""Of the last disk, m, where it is unbalanced."""
GRAVITY = 9.80665
ELEMENTS = 5
LENGTH, DIAMETER = 50 * INCH, 4 * INCH
DENSITY, ELASTICITY = 0.283 * POUND / INCH**3, 3.0e7 * POUND_FORCE / INCH**2
AREA, SECOND_MOMENT = np.pi * DIAMETER**2 / 4, np.pi * DIAMETER**4 / 64
BEARING = 1e5 * POUND_FORCE / INCH
"""Stiffness, N/m."""
SEAL_STIFFNESS, SEAL_CIRCULATORY = 89542 * POUND_FORCE / INCH, 27028 * POUND_FORCE / INCH
"""K and k, N/m."""
SEAL_DAMPING, SEAL_CROSSED = 171.42 * POUND_FORCE / INCH, 12 * POUND_FORCE / INCH
"""C and c, N.s/m."""
SEAL_MASS = 6.68
DISK_MASS = 0.028 * POUND_FORCE / INCH
AXIAL, TRANSVERSE = 0.224 * POUND_FORCE * INCH, 0.114 * POUND_FORCE * INCH
"""Moments of inertia of a disk, kg.m2."""
BEARINGS, SEAL, DISKS = (0, 1), 2, (4, 5)
"""Nodes, 10 in apart."""
FORCES = ("seal.force_y", "seal.force_z")
SAMPLES = 16
"""Of a turn; the co-rotating equations are constant, weight turns once."""
BENDINGS = ("bending_y_p", "bending_y_q", "bending_z_p", "bending_z_q")

TABLE = (
    ("forward", -7.97 + 223.62j),
    ("backward", -45.93 + 226.44j),
    ("backward", -277.46 + 988.02j),
    ("forward", -205.18 + 1030.30j),
    ("backward", -44.45 + 1893.45j),
    ("forward", -45.51 + 1921.67j),
    ("backward", -158.01 + 4232.13j),
    ("forward", -153.39 + 4302.12j),
)
"""Whirl and eigenvalue, rad/s, of Table 4.1, present study."""
BY_HAND = {
    "critical speed 1": 223.1001307805,
    "critical speed 2": 1034.7364652062,
    "critical speed 3": 1956.5587568960,
    "orbit of node 5 / eccentricity: y": -0.23527143845,
    "orbit of node 5 / eccentricity: z": -0.04176210011,
    "sag of node 5: y": -0.27060476e-3,
    "sag of node 5: z": -0.04758095e-3,
}
"""Speeds in rad/s, sag in m; finite elements after Nelson and McVaugh, written out by hand."""


def mechanism() -> Model:
    """Return the rotor without its seal, whose force is two inputs.

    Gravity, zero by default, is along -y. The last disk's centre of mass may be off the axis, along
    the co-rotating y axis.
    """
    rotor = Model("rotor")
    weight = rotor.parameter("gravity", 0.0, unit="m/s2", description="along -y")
    rotor.gravity = ca.vertcat(0, -weight, 0)
    speed = rotor.parameter("rotor.speed", SPEED, unit="rad/s", description="Ω")
    eccentricity = rotor.parameter("disk.eccentricity", 0.0, unit="m", description="of the last")
    origin, turning = rotor.point("origin", (0, 0, 0), fixed=True), rotor.rotation("co-rotating")
    drive = rotor.add(Hinge("drive", rotor.ground, turning, axis=(1, 0, 0)))
    drive.angle.prescribe(speed * rotor.time)
    places = np.linspace(0, LENGTH, ELEMENTS + 1)
    centres = [rotor.point(f"centre {i}", (x, 0, 0)) for i, x in enumerate(places)]
    sections = [rotor.rotation(f"section {i}") for i in range(ELEMENTS + 1)]
    end = rotor.add(RigidLink("end", origin, turning, centres[0]))
    tilt = rotor.add(Hinge("tilt", turning, sections[0], axis=(1, 0, 0)))
    tilt.angle.rigid()
    for free in (end.y, end.z, tilt.bending_y, tilt.bending_z):
        free.dof(free.name.replace(" ", "_"), nominal=1e-3)
    for i in range(ELEMENTS):
        beam = rotor.add(
            SpatialBeam(
                f"shaft_{i}",
                centres[i],
                sections[i],
                centres[i + 1],
                sections[i + 1],
                bending_stiffness_y=ELASTICITY * SECOND_MOMENT,
                bending_stiffness_z=ELASTICITY * SECOND_MOMENT,
                mass_per_length=DENSITY * AREA,
                polar_inertia=2 * DENSITY * SECOND_MOMENT,
                rotary_inertia_y=DENSITY * SECOND_MOMENT,
                rotary_inertia_z=DENSITY * SECOND_MOMENT,
                spin="consistent",
            )
        )
        for bending in BENDINGS:
            beam.deformations[bending].dof(f"shaft_{i}.{bending}", nominal=1e-3)
    for i in BEARINGS:
        rotor.force(centres[i], -BEARING * ca.diag([0, 1, 1]) @ centres[i].position)
    rotor.add(Body("seal's part", centres[SEAL], mass=SEAL_MASS))
    force = [rotor.input(name, unit="N") for name in FORCES]
    rotor.force(centres[SEAL], (0, *force))
    add_shapes(rotor, centres, sections)
    for i in DISKS:
        offset = (0, eccentricity if i == DISKS[-1] else 0, 0)
        inertia = (AXIAL, TRANSVERSE, TRANSVERSE)
        rotor.add(
            Body(
                f"disk {i}", centres[i], sections[i], mass=DISK_MASS, inertia=inertia, offset=offset
            )
        )
    for i, (centre, section) in enumerate(zip(centres, sections, strict=True)):
        for k, axis in enumerate("yz", 1):
            rotor.output(f"node {i}.{axis}", centre.position[k], unit="m")
            rotor.output(f"node {i}.slope_{axis}", section.matrix[k, 0], unit="1")
    return rotor


def add_shapes(rotor: Model, centres: list[Point], sections: list[Rotation]) -> None:
    """Show disks, bearings and the seal."""
    radius = (2 * AXIAL / DISK_MASS) ** 0.5
    for i in DISKS:
        disk = cylinder((0, 0, 0), None, radius, 0.1 * radius, axle=(1, 0, 0))
        rotor.show(disk.named(f"disk {i}"), at=(centres[i], sections[i]))
    sizes = (0.6 * DIAMETER, 2.2 * DIAMETER, 2.2 * DIAMETER)
    for i in BEARINGS:
        rotor.show(box((LENGTH * i / ELEMENTS, 0, 0), None, sizes, name=f"bearing {i}"))
    turns = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    round_shaft = 0.8 * DIAMETER * np.array([0 * turns, np.cos(turns), np.sin(turns)])
    place = np.array([LENGTH * SEAL / ELEMENTS, 0, 0])
    ring = [tuple(place + around) for around in round_shaft.T]
    rotor.show(tube(ring, 0.25 * DIAMETER, colour=COLOURS["spring"], closed=True, name="seal"))


def seal() -> AppliedForce:
    """Return the law of the seal, [Schwab2002] (4.20)."""
    K, k, C, c = SEAL_STIFFNESS, SEAL_CIRCULATORY, SEAL_DAMPING, SEAL_CROSSED
    places = (f"node {SEAL}.y", f"node {SEAL}.z")
    return AppliedForce(FORCES, places, stiffness=[[K, k], [-k, K]], damping=[[C, c], [-c, C]])


@dataclass(frozen=True)
class Record:
    """Results; numbers with names and units as in ``REFERENCE``."""

    numbers: dict[str, float]
    whirls: list[Whirl]
    rotor: Spun
    criticals: list[float]
    """Critical speeds, rad/s."""
    motion: PeriodicSolution
    """Under weight and unbalance."""


def run() -> Record:
    """Find the whirls at 4000 rpm, critical speeds, and the motion under unbalance and weight."""
    equations = mechanism().equations()
    rotor = Spun(equations, seal(), SPEED, ECCENTRICITY)
    whirls = rotor.whirls(SPEED)[: len(TABLE)]
    numbers = {}
    for i, whirl in enumerate(whirls, 1):
        numbers |= parts(f"whirl {i}, {whirl.direction}", whirl.tabled)
    criticals = critical_speeds(rotor, FASTEST)
    for i, speed in enumerate(criticals, 1):
        numbers[f"critical speed {i}"] = speed
    loaded = {"disk.eccentricity": ECCENTRICITY, "gravity": GRAVITY}
    nominal = nominal_motion(equations, 2 * np.pi / SPEED, SAMPLES, parameters=loaded)
    motion = nominal.with_forces(seal()).periodic(4)
    for axis in "yz":
        mean, turning = motion.harmonics(f"node 5.{axis}")[:2]
        numbers[f"orbit of node 5 / eccentricity: {axis}"] = 2 * turning.real / ECCENTRICITY
        numbers[f"sag of node 5: {axis}"] = mean.real
    return Record(numbers, whirls, rotor, criticals, motion)


def parts(name: str, value: complex) -> dict[str, float]:
    """Return real and imaginary part by name."""
    return {f"{name}: real": value.real, f"{name}: imaginary": value.imag}


def draw(record: Record, folder: Path) -> None:
    """Draw the Campbell diagram, the mode shapes and the orbits."""
    published = [(SPEED, value) for _, value in TABLE]
    rotor, criticals = record.rotor, record.criticals
    save(draw_campbell(rotor, FASTEST, criticals, published), folder, "rotor_campbell")
    marks = {"bearings": BEARINGS, "seal": (SEAL,), "disks": DISKS}
    save(draw_modes(record.whirls, LENGTH, marks), folder, "rotor_modes")
    orbits = draw_unbalance(rotor, FASTEST, criticals, record.motion, ECCENTRICITY)
    save(orbits, folder, "rotor_unbalance")


def main() -> None:
    """Run, print and draw."""
    folder = figures_folder(__doc__)
    title = "Rotor with two disks, two bearings and a seal (green)"
    heavy = mechanism()
    heavy.gravity = ca.SX([0, -GRAVITY, 0])  # says what is up
    show(heavy, folder, "rotor", title)
    record = run()
    table: dict[str, float] = {}
    for i, (direction, value) in enumerate(TABLE, 1):
        table |= parts(f"whirl {i}, {direction}", value)
    for title, published in (
        ("Rotor at 4000 rpm [Schwab2002] Table 4.1, rad/s", table),
        ("Critical speeds (rad/s), unbalance and weight at 4000 rpm (m), by hand", BY_HAND),
    ):
        rows = [(name, record.numbers[name], value) for name, value in published.items()]
        print_comparison(title, rows)
    draw(record, folder)


if __name__ == "__main__":
    main()
