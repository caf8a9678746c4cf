"""What happens at an instant: events with their assignments, impacts, held slips, drift."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.multipliers import Contacts
from mbcore.equations.unilateral.impulses import Meeting, meet, project
from mbcore.equations.unilateral.switched_constraints import SwitchedConstraints, switched_slips
from mbcore.model.expressions import column, replace
from mbcore.model.variables import Discrete, Event


class Transition:
    """Discrete variables and states after events have fired; one impact at a time.

    Slips that become held come first, and impacts in the next round.

    Parameters
    ----------
    discretes : sequence of Discrete
        Modes of the events, then the others.
    fired : SX
        1, 0 or -1 for each event, shape (ne, 1).
    substitute : callable
        Replaces symbols in an expression by functions of the state.
    """

    def __init__(
        self,
        A: Assembly,
        contacts: Contacts | None,
        switched: SwitchedConstraints | None,
        events: Sequence[Event],
        discretes: Sequence[Discrete],
        fired: ca.SX,
        substitute: Callable[[ca.SX], ca.SX],
    ) -> None:
        self._substitute = substitute
        self._fired = ca.vertsplit(fired) if events else []
        self._impacts: list[tuple[ca.SX, Meeting]] = []
        self._symbols, self._meanings = ca.SX(0, 1), ca.SX(0, 1)
        number = {event.name: k for k, event in enumerate(events)}
        stopped, holding = self._switch(A, contacts, switched, number)
        if contacts is not None:
            self._meet(A, contacts, number, holding)
        self.values = {d.name: ca.SX(d.symbol) for d in discretes}
        for k, event in enumerate(events):
            self.values[f"{event.name}.active"] = ca.if_else(
                self._fired[k] > 0, 1, ca.if_else(self._fired[k] < 0, 0, event.active)
            )
        if contacts is not None:
            self._set_modes(contacts)
        for k, event in enumerate(events):
            self._assign(self._fired[k] > 0, event.rising)
            self._assign(self._fired[k] < 0, event.falling)
        if contacts is not None:
            self._foresee(contacts, events, number)
        moved = column([A.dof_rates, A.dof_values, A.kinematic_values])
        for hit, after in self._impacts:
            there = column([after.rates, after.values, after.kinematic])
            moved = ca.if_else(hit, there, moved)
        if switched is not None:
            moved = ca.if_else(holding, stopped, moved)
        self.states = column([moved, A.z])

    def _switch(
        self,
        A: Assembly,
        contacts: Contacts | None,
        switched: SwitchedConstraints | None,
        number: dict[str, int],
    ) -> tuple[ca.SX, ca.SX]:
        """Return the motion after slips have become held, and whether any does."""
        holding, modes = ca.SX(0), []
        if switched is None:
            return ca.SX(0, 1), holding
        for _, constraint in switched_slips(A):
            fired = self._fired[number[constraint.name]]
            holding = ca.logic_or(holding, fired > 0)
            modes.append(ca.if_else(fired > 0, 1, ca.if_else(fired < 0, 0, constraint.active)))
        rates, values, kinematic, _ = project(A, contacts, switched)
        return replace(column([rates, values, kinematic]), switched.active, column(modes)), holding

    def _meet(
        self, A: Assembly, contacts: Contacts, number: dict[str, int], earlier: ca.SX
    ) -> None:
        """Make the first impact of those that fired; the others follow in later rounds."""
        symbols, meanings = [], []
        for i, record in enumerate(contacts.records):
            k = number[record.meeting_event]
            hit = ca.logic_and(self._fired[k] > 0, ca.logic_not(earlier))
            earlier = ca.logic_or(earlier, hit)
            after = meet(A, contacts, i)
            # a contact that opens already has no impact; only its gap is made zero
            self._fired[k] = ca.logic_and(hit, after.approach > 0)
            self._impacts.append((hit, after))
            symbols += [symbol for symbol, _ in after.meanings]
            meanings += [value for _, value in after.meanings]
        self._symbols, self._meanings = column(symbols), column(meanings)

    def _set_modes(self, contacts: Contacts) -> None:
        for j, record in enumerate(contacts.records):
            self.values[f"{record.meeting_event}.active"] = ca.SX(0)  # ready for the next
            name = f"{record.closed_event}.active"
            for hit, after in self._impacts:
                self.values[name] = ca.if_else(hit, after.closed[j], self.values[name])

    def _foresee(self, contacts: Contacts, events: Sequence[Event], number: dict[str, int]) -> None:
        """Foresee the flights of the contacts other than that of an impact, which assigns its."""
        places = [number[record.meeting_event] for record in contacts.records]
        for i, (_, after) in enumerate(self._impacts):
            for j, place in enumerate(places):
                flight, height = events[place].expected, events[place].height
                if i == j or flight is None or height is None:
                    continue
                for name, new in ((flight, after.flights[j]), (height, after.heights[j])):
                    met = self._fired[places[i]] > 0
                    self.values[name] = ca.if_else(met, new, self.values[name])

    def _assign(self, condition: ca.SX, assignments: Sequence[tuple[str, ca.SX]]) -> None:
        for target, expression in assignments:
            new = replace(self._substitute(expression), self._symbols, self._meanings)
            self.values[target] = ca.if_else(condition, new, self.values[target])


def projection(
    A: Assembly, contacts: Contacts | None, switched: SwitchedConstraints | None
) -> tuple[ca.SX, ca.SX]:
    """Return the states projected onto closed contacts and held slips, and the drift before.

    Returns
    -------
    states : SX
        Shape (ns, 1).
    drift : SX
        Drift in parts of what is tolerable: up to 1 no projection is needed.
    """
    if contacts is None and switched is None:
        return A.s, ca.SX(0)
    rates, values, kinematic, drift = project(A, contacts, switched)
    return column([rates, values, kinematic, A.z]), drift
