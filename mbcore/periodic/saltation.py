"""The saltation matrix: how a variation of the state passes through an event.

At an event of the indicator g the state jumps from s⁻ to s⁺ = R(s⁻, t), and its rate from f⁻ to f⁺.
A change y of the state before it makes the event come at another time, and after it is

    y⁺ = [R_s + (f⁺ - R_s f⁻ - R_t) g_s / ġ] y,    ġ = g_s f⁻ + g_t.

For a law that switches R_s = 1; an impact changes the state; a contact that closes makes the matrix
singular. Several updates in one instant, such as an impact and the contact that closes with it, are
one jump.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore.equations.equations import Equations
from mbcore.equations.functions import POINT
from mbcore.evaluation.moving_point import MovingPoint
from mbcore.model.errors import ModelError, SimulationError
from mbcore.periodic.varied_point import VariedPoint

LARGEST = 1e7
"""Entry of a saltation matrix, in nominal values, above which the event counts as grazing."""
TOGETHER = 1e-7
"""Relative difference up to which simultaneous indicators agree on the time of the event."""
DISCRETES = list(POINT).index("d")
"""Place of the discrete variables among the arguments of functions."""


@dataclass(frozen=True)
class Jump:
    """The derivative of the state after an event by that before.

    Attributes
    ----------
    by_state : ndarray, shape (ns, ns)
        The saltation matrix.
    by_value : ndarray, shape (ns, n)
        Its derivatives by the parameters and inputs that are varied.
    """

    by_state: np.ndarray
    by_value: np.ndarray


class Saltation:
    """Processes events of a moving point and accumulates their saltation matrices."""

    def __init__(self, run: MovingPoint, point: VariedPoint) -> None:
        self.run, self.point = run, point
        self._maps: list[np.ndarray] = []
        self._time_changes: np.ndarray = np.zeros(0)

    def process(self, span: float) -> Jump | None:
        """Process events at the present point; return None where nothing changed.

        Raises
        ------
        SimulationError
            If an event grazes, or independent events coincide: then there is no derivative.
        """
        e = self.point
        before = e.derivative().copy()
        self._first = True
        self._through: np.ndarray | None = None
        e.on_update = self._note
        try:
            self.run.process_events(span)
        finally:
            e.on_update = None
        if self._through is None:
            return None
        after = e.derivative()
        # columns: states, time, what is varied
        n, by = e.s.size, self._through
        R_s, R_t, R_value = by[:, :n], by[:, n], by[:, n + 1 :]
        # The state goes on with the old rate until the perturbed event, then with the new one.
        missed = after - R_s @ before - R_t
        nominal = np.array([state.nominal for state in e.equations.states])
        with np.errstate(divide="ignore", invalid="ignore"):
            late = self._crossing / self._crossing_rate
            added = np.outer(missed, late)
        size = np.abs(added[:, :n]) * nominal / nominal[:, None]
        # Written so that NaN is refused as well.
        if not float(size.max(initial=0.0)) <= LARGEST:
            raise SimulationError(
                f"{e.equations.name}: the motion only touches {self._crossed} at t = "
                f"{e.t[0]:.9g}, so slowly does it come: its derivative by the start does not "
                "exist there; change the motion, so that it passes well through or stays away"
            )
        return Jump(R_s + added[:, :n], R_value + added[:, n + 1 :])

    def _note(self) -> None:
        """Note how the next update of the states changes, before it is made."""
        e = self.point
        n = e.s.size
        directions = np.column_stack([e.by_states(), e.by_time(), e.by_value()])
        if self._first:
            self._note_crossing(directions)
            self._through = np.eye(n, directions.shape[1])
            self._first = False
        assert self._through is not None
        if e.equations.constrained:
            jump = e.jump_by(directions)
            moved = jump[:, :n] @ self._through
            moved[:, n:] += jump[:, n:]
            self._through = moved

    def _note_crossing(self, directions: np.ndarray) -> None:
        """Note how the time of this instant changes: the indicator, and its rate."""
        e, equations = self.point, self.point.equations
        n, rates = e.s.size, e.derivative()
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
                "chance: a small change parts them, and there is no derivative; change the motion "
                "a little"
            )
        self._crossing, self._crossing_rate = changes[0], speeds[0]
        self._crossed = equations.events[fired[0]].name


def remembered_modes(equations: Equations) -> list[int]:
    """Return the places of discrete variables that say what motion goes on.

    These are the modes of events, and integers and booleans that events set and rates, indicators
    or jumps depend on: they stay the same beside a motion. So does a number that these depend on by
    comparisons only.

    Raises
    ------
    ModelError
        Naming other numbers: they would be states without a derivative.
    """
    first = len(equations.events)
    modes = list(range(first))
    assigned = {name for event in equations.events for name, _ in (*event.rising, *event.falling)}
    places = [
        i for i, record in enumerate(equations.discretes) if i >= first and record.name in assigned
    ]
    if not places:
        return modes
    numbers = []
    for function, result in (("derivative", 0), ("indicator", 0), ("update", 1)):
        f = equations.functions[function]
        columns = f.jac_sparsity(result, DISCRETES).get_triplet()[1]
        felt = sorted(set(columns) & set(places))
        modes += [i for i in felt if equations.discretes[i].kind != "real" and i not in modes]
        felt = [i for i in felt if equations.discretes[i].kind == "real" and i not in numbers]
        if felt:
            arguments = f.sx_in()
            moved = ca.jacobian(f.call(arguments)[result], arguments[DISCRETES][felt])
            columns = ca.sparsify(moved).sparsity().get_triplet()[1]
            numbers += [felt[i] for i in sorted(set(columns))]
    if numbers:
        names = ", ".join(sorted(equations.discretes[i].name for i in numbers))
        raise ModelError(
            f"{equations.name}: motion depends on {names}, which events set; no derivative goes "
            "through a number that is remembered: make a state of it, or an integer of what tells "
            "modes apart"
        )
    return sorted(modes)
