"""Ranges of numbers that users give, and the error for a number outside."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore.model.errors import ModelError

NOT_A_NUMBER = (
    "is not a number; where it comes from an expression: functions of math do not take "
    "expressions, use those of casadi (casadi.sin)"
)


@dataclass(frozen=True)
class Range:
    """The range of a number; ends are None where there are none.

    ``remedy`` is what to give, if the ends alone do not say so.
    """

    owner: str
    what: str
    above: float | None = None
    least: float | None = None
    below: float | None = None
    most: float | None = None
    unit: str = ""
    remedy: str = ""

    def refuse(self, value: float | np.ndarray) -> None:
        """Raise a ModelError if ``value`` is infinite, no number or out of the range."""
        number = float(np.asarray(value).ravel()[0]) + 0.0  # no -0
        given = f"{self.owner}: {self.what} = {number:.9g}{' ' + self.unit if self.unit else ''}"
        if math.isnan(number):
            raise ModelError(f"{given} {NOT_A_NUMBER}")
        if math.isinf(number):
            raise ModelError(f"{given} must be finite; give {self._asked()}")
        for end, kept, words in (
            (self.above, self.above is None or number > self.above, "must be greater than"),
            (self.least, self.least is None or number >= self.least, "must be at least"),
            (self.below, self.below is None or number < self.below, "must be less than"),
            (self.most, self.most is None or number <= self.most, "must be at most"),
        ):
            if not kept:
                demand = "must not be negative" if words.endswith("least") and end == 0 else ""
                demand = demand or f"{words} {end:g}"
                raise ModelError(f"{given} {demand}; give {self._asked()}")

    @property
    def has_end(self) -> bool:
        """Whether it has an end at all."""
        return any(end is not None for end in self.ends)

    def holds(self, value: ca.SX) -> ca.SX:
        """Return the condition that ``value`` is finite and in the range; NaN is not."""
        largest = sys.float_info.max
        # Both comparisons are false for NaN.
        kept = ca.logic_and(value >= -largest, value <= largest)
        for end, inside in (
            (self.above, ca.gt),
            (self.least, ca.ge),
            (self.below, ca.lt),
            (self.most, ca.le),
        ):
            kept = kept if end is None else ca.logic_and(kept, inside(value, end))
        return kept

    def demand(self) -> str:
        """Return the demand without the value, for messages that quote the value themselves."""
        unit = f", {self.unit}," if self.unit else ""
        return f"the {self.what}{unit} of {self.owner} is out of its range; give {self._asked()}"

    @property
    def ends(self) -> tuple[float | None, ...]:
        """Above, least, below and most."""
        return (self.above, self.least, self.below, self.most)

    def _asked(self) -> str:
        if self.remedy:
            return self.remedy
        ends = [
            f"{words} {end:g}"
            for words, end in (
                ("greater than", self.above),
                ("at least", self.least),
                ("less than", self.below),
                ("at most", self.most),
            )
            if end is not None
        ]
        return "a finite number" + (f", {' and '.join(ends)}" if ends else "")


def holds_nan(given: ca.SX) -> bool:
    """Return whether NaN occurs as a constant in an expression."""
    if given.is_constant():
        return bool(np.isnan(np.array(ca.DM(given).full())).any())
    if given.is_symbolic():
        return False
    # A NaN among symbols is a constant instruction; the value of the expression is not known yet.
    f = ca.Function("f", [], [given], {"allow_free": True})
    return any(
        f.instruction_id(i) == ca.OP_CONST and math.isnan(f.instruction_constant(i))
        for i in range(f.n_instructions())
    )
