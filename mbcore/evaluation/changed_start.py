"""Start values that constraints change: the given values, the new ones, and the cause.

Closed contacts and held slips are constraints of the first moment, too, and the states are
projected onto them before a motion begins.

Used by `mbcore.evaluation.evaluation` alone; it stands apart because it only compares and words.
"""

from __future__ import annotations

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.equations.tolerances import START_CHANGED
from mbcore.model import wording
from mbcore.model.wording import formatted


def changed_start(
    equations: Equations, before: np.ndarray, after: np.ndarray, active: np.ndarray
) -> str | None:
    """Return the sentence that start values were changed, None where none was.

    Parameters
    ----------
    before, after : ndarray, shape (ns,)
        States as they were given and as they are.
    active : ndarray, shape (nd,)
        Discrete variables, of which the first are the events' modes.
    """
    nominal = np.array([record.nominal for record in equations.states])
    size = np.maximum(np.maximum(np.abs(before), np.abs(after)), nominal)
    changed = np.flatnonzero(np.abs(after - before) > START_CHANGED * size)
    if not changed.size:
        return None
    by = [
        event.name
        for event, mode in zip(equations.events, active, strict=False)
        if mode > 0.5 and event.kind in ("closed_contact", "held_slip")
    ]
    shown = np.where(np.abs(after) > START_CHANGED * size, after, 0.0)
    values = [
        f"{record.name} from {formatted(before[i])} to {formatted(shown[i])}"
        for i, record in enumerate(equations.states)
        if i in changed
    ]
    names = wording.listed(by) or "its constraints"
    return (
        f"{equations.name}: the start is changed by {names}: {wording.listed(values)}; give start "
        "values that satisfy it, or release it at the start"
    )
