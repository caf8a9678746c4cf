"""Coulomb's circle: friction of a contact point against the direction in which it slides."""

from __future__ import annotations

import casadi as ca

from mbcore.elements.friction.stick_slip import Limits, length


def circle(load: ca.SX, coefficient: ca.SX, static: ca.SX, viscous: ca.SX) -> Limits:
    """Return the limits of friction by a normal force, N, in all directions alike."""

    def sliding(direction: ca.SX) -> ca.SX:
        return coefficient * load * direction / length(direction)

    def excess(forces: ca.SX) -> ca.SX:
        return length(forces) - static * load

    def largest(n: int) -> ca.SX:
        return static * load * ca.SX.ones(n)

    def onset(forces: ca.SX) -> ca.SX:
        return forces

    return Limits(sliding, viscous, excess, largest, onset)
