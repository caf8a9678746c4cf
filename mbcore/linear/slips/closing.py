"""Contacts that are closed where equations are linearized: those that touch, at rest, and press.

Used by `mbcore.linear.linearizer` alone; it stands apart because it changes the modes of a point.
"""

from __future__ import annotations

import casadi as ca

from mbcore.evaluation.evaluation import Evaluation
from mbcore.linear.slips.constraints import closed_at
from mbcore.model.errors import ModelError

TOUCHING = 1e-9
"""Gap, in sizes of the contact, and its rate, in sizes per second, that count as zero."""


def close_touching(point: Evaluation, gaps: ca.Function) -> None:
    """Close the contacts that touch at rest; those that are pulled open then.

    ``gaps`` is `mbcore.equations.equations.Equations.gaps_function`.
    """
    contacts = point.equations.assembly.model.contacts.values()
    order = {event.name: i for i, event in enumerate(point.equations.events)}
    rates = gaps(point.t, point.s, point.d, point.u, point.p, point.x).full()[len(contacts) :, 0]
    distances = -point.indicator()
    touching = False
    for contact, rate in zip(contacts, rates, strict=True):
        least = TOUCHING * contact.size
        if abs(distances[order[contact.meeting_event]]) <= least and abs(rate) <= least:
            point.d[order[contact.closed_event]], touching = 1.0, True
    if touching:
        point.start_modes()


def refuse_unpressed(point: Evaluation) -> None:
    """Refuse closed contacts without a force: the least motion would open them.

    Raises
    ------
    ModelError
        Naming the contact.
    """
    contacts = tuple(point.equations.assembly.model.contacts.values())
    closed = closed_at(point.equations, point)
    if not closed:
        return
    order = {event.name: i for i, event in enumerate(point.equations.events)}
    forces = point.indicator()
    for contact in (contacts[i] for i in closed):
        if not forces[order[contact.closed_event]] > 0.0:
            raise ModelError(
                f"linearize: the contact {contact.name} is closed at t = {point.t[0]:.9g}, but "
                "nothing presses it, so that the least motion opens it; linearize where it is "
                "pressed or open"
            )
