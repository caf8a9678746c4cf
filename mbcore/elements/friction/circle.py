"""Coulomb's circle: friction of a contact point against the direction in which it slides."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from mbcore.elements.friction.rubbing import Limits, length


def circle(
    dry: Callable[[ca.SX], ca.SX],
    coefficient: ca.SX,
    static: ca.SX,
    viscous: ca.SX,
    preload: ca.SX | float = 0.0,
) -> Limits:
    """Return the limits of friction that is alike in all directions.

    Parameters
    ----------
    dry : callable
        Size of the friction by a coefficient without the preload, N, or N.m of a joint's rate.
    coefficient, static, viscous : SX
        Those of `mbcore.elements.friction.rubbing.Limits`.
    preload : SX or float
        Friction that is there by any coefficient.
    """

    def size(by: ca.SX) -> ca.SX:
        return dry(by) + preload

    def sliding(direction: ca.SX, by: ca.SX) -> ca.SX:
        if direction.numel() == 1:
            return direction * size(by)
        return size(by) * direction / length(direction)

    def excess(forces: ca.SX) -> ca.SX:
        return length(forces) - size(static)

    def largest(n: int) -> ca.SX:
        return size(static) * ca.SX.ones(n)

    def onset(forces: ca.SX) -> ca.SX:
        return forces

    grips = static + preload > 0
    return Limits(sliding, coefficient, static, viscous, grips, excess, largest, onset)
