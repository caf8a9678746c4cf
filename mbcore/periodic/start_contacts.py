"""Closed contacts and held slips at the start of a motion.

They restrict the variations of the start.
"""

from __future__ import annotations

import numpy as np

from mbcore.periodic.varied_point import VariedPoint

TOUCHING = 1e-9
"""Gap, in sizes of the contact, and its rate, in sizes per second, that count as zero."""


def _places(point: VariedPoint) -> list[tuple[str, int, int]]:
    """Return the name of each contact, and the places of its events: meeting, and closed."""
    order = {event.name: i for i, event in enumerate(point.equations.events)}
    contacts = point.equations.model.contacts.values()
    return [(c.name, order[c.meeting_event], order[c.closed_event]) for c in contacts]


def close_touching(point: VariedPoint) -> None:
    """Close the contacts that touch at rest; those that are pulled open then."""
    e = point
    if not e.equations.contacts:
        return
    gaps = -e.indicator()
    along = np.zeros(e.whole_variation.size)
    along[: e.s.size] = e.derivative()
    rates = -e.indicators_by((along + e.by_time())[:, None])[:, 0]
    counts = {record.name: i for i, record in enumerate(e.equations.discretes)}
    for name, meeting, closed in _places(e):
        least = TOUCHING * e.equations.model.contacts[name].size
        if abs(gaps[meeting]) <= least and abs(rates[meeting]) <= least:
            e.d[counts[e.equations.model.contacts[name].switches]] += 1.0 - e.d[closed]
            e.d[closed] = 1.0


def constrained(point: VariedPoint, modes: np.ndarray) -> bool:
    """Return whether discrete variables, (nd,), hold a contact closed or a slip at zero."""
    kinds = [event.kind for event in point.equations.events]
    return any(
        kind in ("closed_contact", "held_slip") and modes[i] > 0.5 for i, kind in enumerate(kinds)
    )
