"""Joints of a mechanism that begin to slide at the same time.

A joint that has begun to slide may come back to rest, or be drawn the other way, when others begin
to slide, too, and its static friction lasts until it moves. This is seen in its acceleration, so it
is for rates whose acceleration has a symbol.

Used by `mbcore.elements.friction.stick_slip` alone; it stands apart because a joint alone needs
nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore.elements.friction.rubbing import Rubbing
from mbcore.model.system import System
from mbcore.model.variables import Number

RETURNS = 3
"""How often a joint may begin to slide and come back to rest at one time, before the direction of
the force that held it counts as wrong."""
AT_REST = 1e-9
"""Acceleration, in natural sizes of the rate a second, below which a joint does not move."""


@dataclass(frozen=True)
class Releases:
    """Memory of the last beginning of sliding.

    Attributes
    ----------
    released : SX
        That time, s.
    returned : SX
        How often it has come back to rest since, at the same time.
    loosens : SX
        Whether others still hold it.
    """

    released: ca.SX
    returned: ca.SX
    loosens: ca.SX

    def begun(self, model: System, name: str, moves: ca.SX) -> dict[str, ca.SX]:
        """Return the assignments where it begins to slide, from rest or after an impact.

        Sliding that ``moves`` already does not come back to rest, though its friction slows it.
        """
        again = model.time <= self.released
        return {
            f"{name}.released": ca.if_else(moves, -1, model.time),
            f"{name}.loosens": ca.logic_not(moves),
            f"{name}.returned": ca.if_else(again, self.returned, 0),
        }

    def forgotten(self, name: str) -> dict[str, Number]:
        """Return the assignments where the surfaces part or meet: nothing has begun to slide."""
        return {f"{name}.released": -1.0, f"{name}.loosens": 0, f"{name}.returned": 0}


def remember_releases(model: System, name: str) -> Releases:
    """Add the discrete variables, whose names begin with ``name``."""
    released = model.discretes.add(
        f"{name}.released",
        -1.0,
        unit="s",
        description="when it began to slide last; -1 before",
        visibility="local",
    )
    returned = model.discretes.add(
        f"{name}.returned",
        0,
        kind="integer",
        description="how often it has come back to rest since, at the same time",
        visibility="local",
    )
    loosens = model.discretes.add(
        f"{name}.loosens",
        0,
        kind="boolean",
        description="whether it has begun to slide, but others still hold it",
        visibility="local",
    )
    return Releases(released, returned, loosens)


def add_releases(
    model: System, name: str, rubbing: Rubbing, modes: tuple[ca.SX, ca.SX], releases: Releases
) -> None:
    """Let slips that have begun to slide move on, come back to rest, or slide the other way.

    Parameters
    ----------
    modes : pair of SX
        Whether it sticks, and the sense in which it slides.
    """
    (sticks, direction), held = modes, rubbing.slip.held
    assert held is not None and rubbing.acceleration is not None
    size = AT_REST * rubbing.natural
    again = model.time <= releases.released
    against = -direction * rubbing.acceleration - size
    free = ca.logic_not(ca.logic_or(sticks, held.active))
    just = ca.logic_and(free, again)
    # Static friction lasts until the joint moves, which others may keep it from.
    moves = ca.fmax(direction * rubbing.acceleration - size, 0.5 - held.others)
    model.events.add(
        f"{name}.moves",
        ca.if_else(ca.logic_and(free, releases.loosens), moves, -1),
        rising={f"{name}.loosens": ca.SX(0)},
    )
    # Others that begin to slide at the same time may leave it at rest.
    often = releases.returned >= RETURNS
    model.events.add(
        f"{name}.returns",
        ca.if_else(ca.logic_and(just, ca.logic_not(often)), against, -1),
        rising={f"{name}.sticks": ca.SX(1), f"{name}.returned": releases.returned + 1},
    )
    # Near a dead centre the force that held it need not tell which way it is drawn.
    model.events.add(
        f"{name}.turns",
        ca.if_else(ca.logic_and(just, often), against, -1),
        rising={f"{name}.direction": -direction, f"{name}.returned": ca.SX(0)},
    )
