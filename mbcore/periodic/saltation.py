"""The saltation matrix: how a variation of the state passes through an event.

At an event of the indicator g the state jumps from s⁻ to s⁺ = R(s⁻, t), and its rate from f⁻ to f⁺.
A change y of the state before it makes the event come at another time, and after it is

    y⁺ = [R_s + (f⁺ - R_s f⁻ - R_t) g_s / ġ] y,    ġ = g_s f⁻ + g_t.

For a law that switches R_s = 1; an impact changes the state; a contact that closes makes the matrix
singular. A number that the event sets is a state without a rate, which jumps. Several updates in
one instant, such as an impact and the contact that closes with it, are one jump.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mbcore.evaluation.moving_point import MovingPoint
from mbcore.model.errors import SimulationError
from mbcore.periodic.varied_point import VariedPoint

LARGEST = 1e7
"""Entry of a saltation matrix, in nominal values, above which the event counts as grazing."""
TOGETHER = 1e-7
"""Relative difference up to which simultaneous indicators agree on the time of the event."""


@dataclass(frozen=True)
class Jump:
    """The derivative of the state after an event by that before.

    Attributes
    ----------
    by_state : ndarray, shape (ns + nm, ns + nm)
        The saltation matrix; states are followed by numbers that are remembered.
    by_value : ndarray, shape (ns + nm, n)
        Its derivatives by the parameters and inputs that are varied.
    """

    by_state: np.ndarray
    by_value: np.ndarray


class Saltation:
    """Processes events of a moving point and accumulates their saltation matrices."""

    def __init__(self, run: MovingPoint, point: VariedPoint, nominal: np.ndarray) -> None:
        self.run, self.point, self._nominal = run, point, nominal

    def start(self) -> Jump | None:
        """Start the modes; return how numbers follow from the start that are set then, if any."""
        if not self.point.numbers:
            self.point.start_modes()
            return None
        self._go_through(self.point.start_modes, timed=False)
        if self._through is None:
            return None
        n = len(self._through)
        return Jump(self._through[:, :n], self._through[:, n + 1 :])

    def process(self, span: float) -> Jump | None:
        """Process events at the present point; return None where nothing changed.

        Raises
        ------
        SimulationError
            If an event grazes, or independent events coincide: then there is no derivative.
        """
        e = self.point
        before = e.rates()
        self._go_through(lambda: self.run.process_events(span), timed=True)
        if self._through is None:
            return None
        after = e.rates()
        # columns: states, time, what is varied
        n, by = before.size, self._through
        R_s, R_t, R_value = by[:, :n], by[:, n], by[:, n + 1 :]
        # The state goes on with the old rate until the perturbed event, then with the new one.
        missed = after - R_s @ before - R_t
        nominal = self._nominal
        with np.errstate(divide="ignore", invalid="ignore"):
            late = self._crossing / self._crossing_rate
            added = np.outer(missed, late)
        size = np.abs(added[:, :n]) * nominal / nominal[:, None]
        # Written so that NaN is refused as well.
        if not float(size.max(initial=0.0)) <= LARGEST:
            raise SimulationError(
                f"{e.equations.name}: the motion only grazes {self._crossed} at t = {e.t[0]:.9g}: "
                "its derivative by the start does not exist there; change the motion so that it "
                "passes clearly through or stays away"
            )
        return Jump(R_s + added[:, :n], R_value + added[:, n + 1 :])

    def _go_through(self, events: Callable[[], object], timed: bool) -> None:
        """Go through events, and note how changes pass them; ``timed`` by their indicators."""
        self._through: np.ndarray | None = None
        self._timed = timed
        self.point.on_update = self._note
        try:
            events()
        finally:
            self.point.on_update = None

    def _note(self) -> None:
        """Note how the next update of the states changes, before it is made."""
        e = self.point
        n = e.states.size
        directions = np.column_stack([e.by_states(), e.by_time(), e.by_value()])
        if self._through is None:
            if self._timed:
                self._note_crossing(directions)
            self._through = np.eye(n, directions.shape[1])
        if e.equations.constrained or e.numbers:
            jump = e.jump_by(directions)
            moved = jump[:, :n] @ self._through
            moved[:, n:] += jump[:, n:]
            self._through = moved

    def _note_crossing(self, directions: np.ndarray) -> None:
        """Note how the time of this instant changes: the indicator, and its rate."""
        e, equations = self.point, self.point.equations
        rates = e.rates()
        n = rates.size
        fired = [i for i in range(len(equations.events)) if e.fired[i]]
        changes = e.indicators_by(directions)[fired]
        speeds = changes[:, :n] @ rates + changes[:, n]
        # Indicators g_1 and g_2 vanish together for every perturbation only if their gradients over
        # their rates are equal; compared crosswise, without division by a rate that may be zero.
        times = changes * speeds[0]
        off = np.abs(times - changes[0] * speeds[:, None]).max(axis=1)
        if np.any(off > TOGETHER * np.abs(times).max(axis=1)):
            names = ", ".join(equations.events[i].name for i in fired)
            raise SimulationError(
                f"{equations.name}: the events {names} come in one instant, t = {e.t[0]:.9g}, by "
                "chance: a small change separates them, so there is no derivative; change the "
                "motion a little"
            )
        self._crossing, self._crossing_rate = changes[0], speeds[0]
        self._crossed = equations.events[fired[0]].name
