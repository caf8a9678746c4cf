"""The sliding of a joint as friction acts on it: its rates, normal forces and their arms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca

from mbcore.model.element import SlipRate
from mbcore.model.errors import ModelError

NOTHING = 1e-200
"""Square of a force, N², that gives the length of a force of zero a derivative."""


@dataclass(frozen=True)
class Grip:
    """The sliding of a joint.

    Attributes
    ----------
    rate : SX
        The joint's rate over nodal velocities, in ``unit``.
    load : SX
        Sum of the normal forces, N; of coupled gears the coupling's force.
    lever : SX
        Sum of the normal forces times their arms, N.m; in a slide, and of coupled gears, ``load``.
    acceleration : SX
        Symbol of the rate's rate.
    """

    rate: ca.SX
    unit: str
    load: ca.SX
    lever: ca.SX
    acceleration: ca.SX


@dataclass(frozen=True)
class Face:
    """The sliding of a joint in several directions at once.

    Attributes
    ----------
    rates : dict of str to SlipRate
        Rates over nodal velocities, m/s or rad/s.
    arms : tuple of SX
        What rates are multiplied by to be velocities of the faces, m/s.
    load : SX
        Size of the force between the faces, N.
    """

    rates: dict[str, SlipRate]
    arms: tuple[ca.SX, ...]
    load: ca.SX


def length(vector: ca.SX) -> ca.SX:
    """Return the length of a force, with a derivative where it is zero."""
    return ca.sqrt(ca.dot(vector, vector) + NOTHING)


def refuse(friction: Any, names: Sequence[str], what: str) -> None:
    """Refuse arguments that belong to other joints."""
    for name in names:
        if getattr(friction, name) is not None:
            raise ModelError(f"{friction.title}: {name} is for {what}; leave it out")
