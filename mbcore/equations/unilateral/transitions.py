"""Changes at an instant: events with their assignments, impacts, held slips, drift."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.multipliers import Contacts
from mbcore.equations.unilateral.groups import Group, groups_of
from mbcore.equations.unilateral.impulses import Meeting, meet, project
from mbcore.equations.unilateral.switched_constraints import SwitchedConstraints, switched_slips
from mbcore.model.expressions import (
    Substitution,
    any_of,
    column,
    replace,
    scalars,
    symbolic,
)
from mbcore.model.variables import Discrete, Event


class Transition:
    """Discrete variables and states after events have fired; one impact at a time.

    Slips that become held come first, and impacts in the next round. Events that wait rise in a
    round without an impact.

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
        self._impacts: list[_GroupImpact] = []
        self._meanings = Substitution(ca.SX(0, 1), ca.SX(0, 1))
        number = {event.name: k for k, event in enumerate(events)}
        stopped, holding = self._switch(A, contacts, switched, number)
        if contacts is not None:
            meets = self._meet(A, contacts, number, holding)
            self._wait(events, meets)
        self.values = {d.name: ca.SX(d.symbol) for d in discretes}
        for k, event in enumerate(events):
            self.values[f"{event.name}.active"] = ca.if_else(
                self._fired[k] > 0, 1, ca.if_else(self._fired[k] < 0, 0, event.active)
            )
        if contacts is not None:
            self._set_modes(contacts)
        self._assign(events)
        if contacts is not None:
            self._count_switches(contacts)
            self._foresee(contacts, events, number)
        moved = self._moved(A)
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
    ) -> ca.SX:
        """Make the first impact of those that fired, and return whether there is one.

        The others follow in later rounds.
        """
        places = [number[record.meeting_event] for record in contacts.records]
        hits = []
        for k in places:
            hits.append(ca.logic_and(self._fired[k] > 0, ca.logic_not(earlier)))
            earlier = ca.logic_or(earlier, hits[-1])
        for group in groups_of(A, contacts):
            own = [hits[i] for i in group.members]
            after = meet(A, contacts, group, own)
            for i in group.members:
                # a contact that opens already has no impact; only its gap is made zero
                self._fired[places[i]] = ca.logic_and(hits[i], after.approach > 0)
            self._impacts.append(_GroupImpact(group, any_of(column(own)), after))
        meanings = [pair for impact in self._impacts for pair in impact.after.meanings]
        self._meanings = Substitution(
            column(symbol for symbol, _ in meanings), column(value for _, value in meanings)
        )
        return any_of(column(hits))

    def _wait(self, events: Sequence[Event], meets: ca.SX) -> None:
        """Let no event that waits rise where parts meet: the velocities that it reads change."""
        for k, event in enumerate(events):
            if event.waits:
                self._fired[k] = ca.if_else(meets, ca.fmin(self._fired[k], 0), self._fired[k])

    def _set_modes(self, contacts: Contacts) -> None:
        for impact in self._impacts:
            for i, closed in zip(impact.group.members, scalars(impact.after.closed), strict=True):
                record = contacts.records[i]
                self.values[f"{record.meeting_event}.active"] = ca.SX(0)  # ready for the next
                name = f"{record.closed_event}.active"
                self.values[name] = ca.if_else(impact.hit, closed, self.values[name])

    def _count_switches(self, contacts: Contacts) -> None:
        """Count the changes of modes, for the impact of one contact may open another."""
        for record in contacts.records:
            changed = ca.fabs(self.values[f"{record.closed_event}.active"] - record.closed)
            self.values[record.switches] += changed

    def _foresee(self, contacts: Contacts, events: Sequence[Event], number: dict[str, int]) -> None:
        """Foresee the flights of the contacts other than that of an impact, which assigns its."""
        places = [number[record.meeting_event] for record in contacts.records]
        changes = _flights_after(self._impacts, [self._fired[k] for k in places])
        for place, found in zip(places, changes, strict=True):
            names = [n for n in (events[place].expected, events[place].height) if n is not None]
            for k, name in enumerate(names):
                value = self.values[name]
                for met, *new in found:
                    value = ca.if_else(met, new[k], value)
                own = self._fired[place] > 0
                self.values[name] = ca.if_else(own, self.values[name], value) if found else value

    def _assign(self, events: Sequence[Event]) -> None:
        """Make the assignments of events, in their order."""
        changes = [
            (condition, target, symbolic(expression))
            for k, event in enumerate(events)
            for condition, assignments in (
                (self._fired[k] > 0, event.rising),
                (self._fired[k] < 0, event.falling),
            )
            for target, expression in assignments
        ]
        # All at once, for each substitution visits all symbols.
        settled = scalars(self._substitute(column(expression for *_, expression in changes)))
        for (condition, target, _), expression in zip(changes, settled, strict=True):
            new = self._meanings(expression)
            self.values[target] = ca.if_else(condition, new, self.values[target])

    def _moved(self, A: Assembly) -> ca.SX:
        """Return rates, values and kinematic coordinates after the impact that occurs."""
        parts = [scalars(part) for part in (A.dof_rates, A.dof_values, A.kinematic_values)]
        for impact in self._impacts:
            group, after = impact.group, impact.after
            places = group.dofs, group.dofs, group.kinematic
            there = after.rates, after.values, after.kinematic
            for part, own, values in zip(parts, places, there, strict=True):
                for k, value in zip(own, scalars(values), strict=True):
                    if k < len(part):  # slips have no value
                        part[k] = ca.if_else(impact.hit, value, part[k])
        return column(entry for part in parts for entry in part)


@dataclass(frozen=True)
class _GroupImpact:
    """The impact of a group, and whether it occurs."""

    group: Group
    hit: ca.SX
    after: Meeting


def _flights_after(
    impacts: Sequence[_GroupImpact], fired: Sequence[ca.SX]
) -> list[list[tuple[ca.SX, ca.SX, ca.SX]]]:
    """Return for each contact what impacts that it feels foresee: conditions, flights and heights.

    The last one that holds counts.
    """
    met = [any_of(column(fired[i] for i in impact.group.members) > 0) for impact in impacts]
    changes: list[list[tuple[ca.SX, ca.SX, ca.SX]]] = [[] for _ in fired]
    for impact, hit in zip(impacts, met, strict=True):
        group, after = impact.group, impact.after
        found = (*group.members, *group.others)
        both = scalars(after.flights), scalars(after.heights)
        for j, flight, height in zip(found, *both, strict=True):
            if group.members != (j,):
                changes[j].append((hit, flight, height))
    return changes


def projection(
    A: Assembly, contacts: Contacts | None, switched: SwitchedConstraints | None
) -> tuple[ca.SX, ca.SX]:
    """Return the states projected onto closed contacts and held slips, and the drift before.

    Returns
    -------
    states : SX
        Shape (ns, 1).
    drift : SX
        Drift relative to its tolerance: up to 1 no projection is needed.
    """
    if contacts is None and switched is None:
        return A.s, ca.SX(0)
    rates, values, kinematic, drift = project(A, contacts, switched)
    return column([rates, values, kinematic, A.z]), drift
