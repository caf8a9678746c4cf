"""Warnings of a model at a point, each message once, and of start values that constraints change.

A part of `mbcore.evaluation.evaluation`, apart from it because it remembers what has been told.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.equations.tolerances import START_CHANGED
from mbcore.evaluation.bound_point import BoundPoint
from mbcore.model import wording
from mbcore.model.errors import warn_user
from mbcore.model.limits import beyond
from mbcore.model.wording import formatted


class Advice:
    """Warnings of a point.

    Parameters
    ----------
    point : BoundPoint
        The point.

    Attributes
    ----------
    on_warning : callable
        Function for the text of a warning; by default it becomes a ``ModelWarning``.
    changed_start : str or None
        Warning of a start that had to be changed, until it is told.
    """

    def __init__(self, point: BoundPoint) -> None:
        self.point, equations = point, point.equations
        self.on_warning: Callable[[str], None] = warn_user
        self._limited = frozenset(
            i for i, record in enumerate(equations.inputs) if record.acting is not record.symbol
        )
        self._advice = [
            (i, r) for i, r in enumerate(equations.requirements) if r.severity == "warning"
        ]
        self._places = [i for i, _ in self._advice]
        self.forget()

    def forget(self) -> None:
        """Tell everything anew."""
        self._warned: set[str] = set()
        self._beyond: set[int] = set()
        self._begun = False
        self.changed_start: str | None = None

    def warn(self) -> None:
        """Issue the model's warnings at this point, by ``on_warning``; each message once."""
        self.warn_of_limits(self.point.t[0], self.point.u)
        if self.changed_start is not None:
            self.on_warning(self.changed_start)
            self.changed_start = None
        e = self.point.equations
        left = self._advice
        if self._warned:
            left = [(i, record) for i, record in left if record.message not in self._warned]
        if left:
            values, shown = (r[:, 0] for r in self.point.call("require").results)
            left = left if not (values[self._places] > 0).all() else []
            unmet: dict[str, list[int]] = {}
            for i, record in left:
                if not values[i] > 0 and not (record.start and self._begun):
                    unmet.setdefault(record.message, []).append(i)
            for message, (first, *others) in unmet.items():
                self._warned.add(message)
                more = f" (and {len(others)} more)" if others else ""
                self.on_warning(
                    f"{e.name}: {e.requirements[first].name} = {formatted(shown[first])}{more} at "
                    f"t = {self.point.t[0]:.9g}: {message}"
                )
        self._begun = True

    def warn_of_limits(self, t: float, u: np.ndarray) -> None:
        """Tell of those among the inputs ``u`` that are outside of their ranges, each once."""
        for i in self._limited - self._beyond:
            record, given = self.point.equations.inputs[i], float(u[i])
            how = beyond(given, record.minimum, record.maximum)
            if how is not None:
                self._beyond.add(i)
                self.on_warning(
                    f"{self.point.equations.name}: input {record.name} = {given:.9g} at "
                    f"t = {t:.9g} {how}; nothing changes with it beyond its limit"
                )


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
