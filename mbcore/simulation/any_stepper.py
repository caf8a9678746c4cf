"""Steppers of a run: a protocol that the steppers of Python and C have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from mbcore.evaluation.stepper import Step


class AnyStepper(Protocol):
    """Goes on in time.

    Attributes
    ----------
    interrupt : callable or None
        As that of `mbcore.evaluation.stepper.Stepper`.
    """

    interrupt: Callable[[], bool] | None

    @property
    def steps(self) -> int:
        """Steps so far."""

    @property
    def steps_in_c(self) -> int:
        """Those that C has made."""

    @property
    def methods(self) -> list[tuple[float, str]]:
        """Times, s, from which methods were used, and their names."""

    def advance(self, end: float) -> Iterator[Step]:
        """Go on to a time, s; yield completed steps, with the point at their end."""
