"""Points of tables at which steps end: an event for each argument, which changes nothing.

A method of order p loses it in a step over a point where a derivative of a force jumps. The events'
indicator is a zigzag that has its zeros at these points, rising and falling in turn. Used by
`mbcore.equations.roles.preparation` alone; it stands apart because it alone knows of tables.
"""

from __future__ import annotations

from itertools import count

import casadi as ca
import numpy as np

from mbcore.equations.checks.unused_variables import written
from mbcore.model.expressions import column, symbolic
from mbcore.model.system import System
from mbcore.model.tables.lookup import Lookup, calls, ends_steps, lookup_of
from mbcore.model.tables.polynomials import differentiated, polynomial

_JUMPS = 1e-9
"""Jump of a derivative relative to its largest value, beyond rounding."""
_DERIVATIVES = 3
"""The value and two derivatives may jump: by a third one no step loses what its error test sees."""
_NOISE = 1e-14
"""Of the largest abscissa: rounding of an argument."""


def follow_knots(model: System) -> None:
    """Give a model the events of the tables that it calls and whose points end steps.

    Those of calls that there are no longer are removed.
    """
    wanted: dict[tuple[bytes, int], tuple[str, np.ndarray, ca.SX]] = {}
    if Lookup.made:
        stacked = [ca.vec(symbolic(e)) for e in written(model)]
        stacked += [symbolic(derivative) for _, derivative in model.states.values()]
        for function, argument in calls(column(stacked)):
            lookup = lookup_of(function) if ends_steps(function) else None
            if lookup is not None and (knots := _knots(lookup)).size:
                wanted[knots.tobytes(), argument.element_hash()] = lookup.label, knots, argument
    old = {n: _called(e.indicator) for n, e in model.events.items() if e.kind == "knot"}
    kept = set[str]()
    for label, knots, argument in wanted.values():
        indicator, band = _zigzag(label, knots, argument), _NOISE * float(np.max(np.abs(knots)))
        name = next((n for n, called in old.items() if called == _called(indicator)), None)
        if name is None:
            text = label.replace(" ", "_")
            names = (f"{text}.points{f'_{i}' if i else ''}" for i in count())
            name = next(n for n in names if n not in model.events)
            model.events.add(name, indicator, band=band, kind="knot")
        kept.add(name)
    for name in set(old) - kept:
        del model.events[name]


def _called(indicator: ca.SX) -> list[tuple[str, int]]:
    """Return what tells indicators of other points or arguments apart."""
    return [(function.name(), at.element_hash()) for function, at in calls(indicator)]


def _knots(lookup: Lookup) -> np.ndarray:
    """Return the ends of a lookup at which the value or one of two derivatives jumps.

    Where arguments beyond are refused, a smooth table has none; others have the first and the last
    one as well, so that a run that goes beyond ends there.
    """
    if lookup.axis:
        return lookup.ends
    origins, rows = lookup.rows[:, :1], lookup.rows[:, 1:]
    by = np.moveaxis(rows.reshape(len(rows), -1, lookup.ordinates or 1), 1, 0)
    ends = lookup.ends[:, None]
    jumps = np.zeros(len(lookup.ends), bool)
    for order in range(_DERIVATIVES):
        before = polynomial(ends - origins[:-1], differentiated(list(by[:, :-1]), order))
        after = polynomial(ends - origins[1:], differentiated(list(by[:, 1:]), order))
        largest = max(np.max(np.abs(before)), np.max(np.abs(after)))
        jumps |= (np.abs(after - before) > _JUMPS * largest).any(axis=1)
    if lookup.refuses:
        jumps[[0, -1]] = jumps[1:-1].any()
    return lookup.ends[jumps]


def _zigzag(label: str, knots: np.ndarray, x: ca.SX) -> ca.SX:
    """Return a function of x that is zero at the knots alone, with slopes of 1 and -1 in turn."""
    signs = (-1.0) ** np.arange(len(knots) + 1)
    bends = np.concatenate([[0.0], -signs[1:-1] / np.diff(knots), [0.0]])
    origins = np.concatenate([knots[:1], knots])
    signs[0] = -1.0
    rows = np.column_stack([origins, np.zeros(len(origins)), signs, bends])
    origin, *coefficients = ca.vertsplit(Lookup(knots, rows, f"{label} points").function(x))
    return polynomial(x - origin, coefficients)
