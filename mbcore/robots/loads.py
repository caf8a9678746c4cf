"""Loads of the wheels that carry a base, by what the ground holds it with.

The base keeps its height and stays level, so that the ground holds it with a force R upwards and
moments M about the horizontal axes, constraint forces of the whole motion. Loads N_i of contacts at
d_i from the base's origin, N_i = k_i (a + b·d_i - g_i) with a stiffness k_i and a gap g_i, balance
them:

    Σ N_i = R,    Σ N_i d_i = m = (-M_y, M_x).

Three contacts determine their loads whatever their stiffness is. It is apart from
`mbcore.robots.from_urdf`, which states no formulas.
"""

from __future__ import annotations

import casadi as ca

from mbcore.robots.carrying import Carrying
from mbcore.robots.robot import Robot


def wheel_loads(robot: Robot, root: str, carriers: Carrying) -> dict[str, ca.SX]:
    """Return the loads of the wheels that carry, N, positive where they press on the ground."""
    base, hinge = robot.links[root].base, robot.elements["base.yaw"].deformations
    force = base.z.reaction
    # A hinge's stresses are moments of q on p, on the axes (z, x, y) of p, here those of space.
    moment = ca.vertcat(hinge["bending_z"].stress, -hinge["bending_y"].stress)
    places = {link: robot.wheels[link].contact[:2] for link in carriers.stiffness}
    stiffness = sum(carriers.stiffness.values())
    middle, lost, leaning = ca.SX.zeros(2), 0.0, ca.SX.zeros(2)
    for link, k in carriers.stiffness.items():
        middle += k / stiffness * places[link]
        lost += k * carriers.gaps[link]
    second = ca.SX.zeros(2, 2)
    for link, k in carriers.stiffness.items():
        arm = places[link] - middle
        second += k * arm @ arm.T
        leaning += k * carriers.gaps[link] * arm
    mean = (force + lost) / stiffness
    tilt = _solved(second, moment - force * middle + leaning)
    return {
        link: k * (mean - carriers.gaps[link] + ca.dot(places[link] - middle, tilt))
        for link, k in carriers.stiffness.items()
    }


def _solved(matrix: ca.SX, right: ca.SX) -> ca.SX:
    """Return the solution of two equations with a symmetric matrix."""
    determinant = matrix[0, 0] * matrix[1, 1] - matrix[0, 1] ** 2
    adjoint = ca.blockcat([[matrix[1, 1], -matrix[0, 1]], [-matrix[0, 1], matrix[0, 0]]])
    return adjoint @ right / determinant
