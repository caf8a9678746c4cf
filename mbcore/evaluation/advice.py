"""Warnings of a model at a point, each message once.

A part of `mbcore.evaluation.evaluation`, apart from it because it remembers what has been told.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mbcore.evaluation.bound_point import BoundPoint
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
        left = [(i, record) for i, record in self._advice if record.message not in self._warned]
        if left:
            values, shown = (r[:, 0] for r in self.point.call("require").results)
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
