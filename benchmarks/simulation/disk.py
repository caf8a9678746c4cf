"""The rolling disk of [SchwabMeijaard2003] 3.2 with m = r = g = 1, as in the guide on models."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from mbcore import Body, Hinge, Model, Wheel

END = 87.0
REFERENCE = (4.8151003700, -6.1190930252)
"""Contact point at the end, from equations derived by hand, at tolerances of 1e-12."""


def rolling_disk(
    energy: bool = False, surface: Callable[[ca.SX], ca.SX] = lambda place: place[2]
) -> Model:
    """Return the disk on a level plane or another surface; its outputs are the contact forces.

    The last output may be the ``energy``.
    """
    disk = Model("rolling_disk", gravity=(0, 0, -1))
    yaw, lean, pitch = (disk.rotation(name) for name in ("yaw", "lean", "pitch"))
    centre, contact = disk.point("centre", (0, 0, 1)), disk.point("contact", (0, 0, 0))
    turning = disk.add(Hinge("yaw hinge", disk.ground, yaw, axis=(0, 0, 1)))
    leaning = disk.add(Hinge("lean hinge", yaw, lean, axis=(1, 0, 0)))
    pitching = disk.add(Hinge("pitch hinge", lean, pitch, axis=(0, 1, 0)))
    turning.angle.dof("yaw", "yaw_rate")
    leaning.angle.dof("lean", "lean_rate", rate_start=-0.01)
    pitching.angle.dof("pitch", "pitch_rate", rate_start=0.4116)
    wheel = disk.add(Wheel("wheel", centre, pitch, contact, radius=1, surface=surface))
    contact.x.kinematic("contact.x")
    contact.y.kinematic("contact.y")
    disk.add(Body("disk", centre, pitch, mass=1, inertia=(1 / 4, 1 / 2, 1 / 4)))
    disk.output("force.longitudinal", wheel.longitudinal_force, unit="N")
    disk.output("force.lateral", wheel.lateral_force, unit="N")
    disk.output("force.normal", wheel.normal_force, unit="N")
    if energy:
        disk.output("energy", disk.kinetic_energy + disk.potential_energy, unit="J")
    return disk
