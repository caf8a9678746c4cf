"""Loads of a base on any number of wheels, from inertia forces and compliance.

The base is rigid and its wheels, or the floor below them, yield a little, so that the loads N_i of
contacts at d_i are k_i (a + b·d_i). Weight and moments of momentum about the horizontal axes

    Σ N_i = Σ m g,    Σ N_i d_i = Σ m (g d - h a) - Σ I (γ̈ e_d + γ̇ β̇ e_n)

determine a and b: masses m at d and the height h with the horizontal acceleration a, wheels of the
inertia I that spin at γ̇ and turn at β̇, with their driving direction e_d and e_n to its left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.model.nodes.nodes import Angle, Point


@dataclass(frozen=True)
class Mass:
    """A mass, kg, at a point that keeps its height, m."""

    mass: ca.SX
    place: Point
    height: ca.SX


@dataclass(frozen=True)
class Spin:
    """A wheel's inertia about its axle, kg.m2, which turns with a heading."""

    inertia: ca.SX
    spin: Angle
    heading: Angle


@dataclass(frozen=True)
class Support:
    """A contact that carries, with its vertical stiffness, N/m."""

    place: Point
    stiffness: ca.SX


def wheel_loads(
    supports: Mapping[str, Support],
    masses: Sequence[Mass],
    spins: Sequence[Spin],
    gravity: ca.SX,
    origin: Point,
) -> dict[str, ca.SX]:
    """Return the load of each support, N, positive where it is pressed on the floor.

    Parameters
    ----------
    origin : Point
        From which places are measured, so that large ones of the robot do not cancel.
    """
    weight = gravity * sum((m.mass for m in masses), ca.SX(0))
    moment = ca.SX.zeros(2)
    for m in masses:
        d = m.place.position - origin.position
        moment += m.mass * (gravity * d - m.height * m.place.acceleration)
    for wheel in spins:
        along, across = wheel.heading.matrix[:, 0], wheel.heading.matrix[:, 1]
        turned_over = wheel.spin.rate * wheel.heading.rate * across
        moment -= wheel.inertia * (wheel.spin.acceleration * along + turned_over)
    places = {name: s.place.position - origin.position for name, s in supports.items()}
    stiffness = sum((s.stiffness for s in supports.values()), ca.SX(0))
    middle = ca.SX.zeros(2)
    for name, s in supports.items():
        middle += s.stiffness * places[name] / stiffness
    second = ca.SX.zeros(2, 2)
    for name, s in supports.items():
        second += s.stiffness * (places[name] - middle) @ (places[name] - middle).T
    inverse = ca.blockcat([[second[1, 1], -second[0, 1]], [-second[0, 1], second[0, 0]]])
    tilt = inverse @ (moment - weight * middle)
    tilt /= second[0, 0] * second[1, 1] - second[0, 1] ** 2
    return {
        name: s.stiffness * (weight / stiffness + ca.dot(places[name] - middle, tilt))
        for name, s in supports.items()
    }
