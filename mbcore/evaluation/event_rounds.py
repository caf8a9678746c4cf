"""Events at a point: modes that follow their indicators, contacts and slips brought back to zero.

A part of `mbcore.evaluation.evaluation`, apart from it because the C runtime has the same part, in
``mb_events.c``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mbcore.equations.tolerances import EVENT_ROUNDS, ROUNDS_ONE_BY_ONE
from mbcore.evaluation.bound_point import BoundPoint
from mbcore.evaluation.position import Position
from mbcore.model.errors import SimulationError


class EventRounds:
    """Changes of a point by its events, one round after another until nothing happens.

    Parameters
    ----------
    point : BoundPoint
        The point.
    position : Position
        Its configuration, which is found anew after each change.

    Attributes
    ----------
    on_update : callable or None
        Called before each update at events; the point's ``fired`` tells of which.
    """

    def __init__(self, point: BoundPoint, position: Position) -> None:
        self.point, self.position = point, position
        self.on_update: Callable[[], None] | None = None
        events = point.equations.events
        self._band = np.array([event.band for event in events])
        self._is_impact = np.array([event.kind == "impact" for event in events], bool)
        names = [record.name for record in point.equations.discretes]
        shows: dict[str, list[int]] = {name: [] for name in names}
        for i, event in enumerate(events):
            for name in event.shown_by:
                shows[name].append(i)
        self._shows = [shows[name] for name in names]

    def iterate(self, initial: bool = False) -> list[str]:
        """Let modes follow their indicators, with the assignments; return what happened by name.

        Where all events that are due together find no end, the first of them alone happens in each
        round. This is Murty's rule of the least index, by which contacts that stick or slide cannot
        come back to the same modes. Impacts that close a contact are followed by that contact's
        event.

        Raises
        ------
        SimulationError
            If this does not end either, or an event sets a state to no finite value.
        """
        events = self.point.equations.events
        happened: list[str] = []
        together = EVENT_ROUNDS + len(events)
        for count in range(together + ROUNDS_ONE_BY_ONE * len(events)):
            values = self.point.call("indicator").results[0][:, 0]
            first = initial and count == 0  # active where the indicator is positive
            active = self.point.d[: len(events)] > 0.5
            up = ~active & (values > (0.0 if first else self._band))
            down = active & (values < -self._band) & (not first)
            up &= ~(initial & self._is_impact)
            self.point.fired[:] = up * 1.0 - down * 1.0
            if not self.point.fired.any():
                return happened
            due = np.flatnonzero(self.point.fired)
            if count >= together:
                self.point.fired[due[1:]] = 0.0
            if self.on_update is not None:
                self.on_update()
            before = self.point.d.copy()
            after = self.point.call("update").results
            self.point.d[:] = after[0][:, 0]
            if self.point.equations.constrained:
                self.point.s[:] = after[1][:, 0]
                self._refuse_jump()
            self.position.configure()
            happened += self._happened(before)
        names = ", ".join(events[i].name for i in due)
        raise SimulationError(
            f"{self.point.equations.name}: event {names} keeps changing its mode at t = "
            f"{self.point.t[0]:.9g}"
        )

    def _refuse_jump(self) -> None:
        e = self.point.equations
        for record, value in zip(e.states, self.point.s, strict=True):
            if not np.isfinite(value):
                fired = [v.name for v, f in zip(e.events, self.point.fired, strict=True) if f]
                raise SimulationError(
                    f"{e.name}: {', '.join(fired)} sets {record.name} to {value} at "
                    f"t = {self.point.t[0]:.9g}; check states, inputs and parameters"
                )

    def _happened(self, before: np.ndarray) -> list[str]:
        """Names of the events that changed discrete variables; a meeting may not find its turn."""
        events, fired = self.point.equations.events, self.point.fired
        changed = np.flatnonzero(before != self.point.d)
        shown = sorted({event for place in changed for event in self._shows[place]})
        return [events[i].name for i in shown if fired[i] or not self._is_impact[i]]

    def project(self, tolerable: float = 1.0) -> bool:
        """Bring closed contacts back to closed gaps, held slips to zero; return whether it did.

        Parameters
        ----------
        tolerable : float
            Drift from which on anything is done, in parts of
            `mbcore.model.quantities.unilateral.DRIFT`.

        Raises
        ------
        SimulationError
            If no Newton iteration does so.
        """
        if not self.point.equations.constrained:
            return False
        for count in range(EVENT_ROUNDS):
            states, drift = (r[:, 0] for r in self.point.call("project").results)
            if not drift[0] > (1.0 if count else tolerable):
                return count > 0
            self.point.s[:] = states
            self.position.configure()
        names = ", ".join(self.point.equations.constrained)
        raise SimulationError(
            f"{self.point.equations.name}: {names} cannot stay closed or held at "
            f"t = {self.point.t[0]:.9g}; take smaller steps"
        )
