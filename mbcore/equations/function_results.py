"""The results of the functions of equations, made of the solved dynamics on request.

Used by `mbcore.equations.equations` alone; it stands apart because equations solve, and this
module uses the solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import casadi as ca
import numpy as np

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.rates import rate_use, refuse_missing
from mbcore.equations.changes import differentiated, solved_changes
from mbcore.equations.dynamics import Dynamics
from mbcore.equations.elimination.configuration import Configuration
from mbcore.equations.functions import FUNCTIONS
from mbcore.equations.held_motion import HeldMotion, held_motion
from mbcore.equations.meanings import Meanings, forces_in_auxiliary, meanings
from mbcore.equations.records import Records
from mbcore.equations.unilateral.transitions import Transition, projection
from mbcore.equations.virtual_power import VirtualPower
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace, scalars, symbolic
from mbcore.model.tables import derivatives
from mbcore.model.tables.common_formulas import common_once

SAME_DEPTH = 6
"""Depth to which measures of both Jacobians are compared: equal ones are evaluated once."""


@dataclass(frozen=True)
class Made:
    """Expressions of a function: ``extra`` are its arguments behind (t, s, d, u, p, x)."""

    results: Sequence[ca.SX]
    extra: Sequence[ca.SX] = ()


def takes_remembered(name: str) -> bool:
    """Return whether remembered numbers count for a function in ``FUNCTIONS``."""
    return "whole_variation" in FUNCTIONS[name].extra


class FunctionResults:
    """Expressions of each function in ``FUNCTIONS``: ``_make_NAME`` says it.

    Parameters
    ----------
    form : Assembly
        The index sets that are solved.
    configuration, dynamics : Configuration, Dynamics
        The solutions.
    meanings : Meanings
        What users' symbols stand for.
    records : Records
        The variables.
    natural_length : float, optional
        Size of the mechanism, m; None where equations are superposed: then accelerations cannot be
        checked, and no degree of freedom be held.
    """

    def __init__(
        self,
        form: Assembly,
        configuration: Configuration,
        dynamics: Dynamics,
        meanings: Meanings,
        records: Records,
        natural_length: float | None,
    ) -> None:
        self._form, self._configuration, self._dynamics = form, configuration, dynamics
        self._settled, self._records = meanings.settled, records
        self._natural_length = natural_length
        self._dofs = len(form.independent)

    def made(self, name: str, numbers: Sequence[int]) -> Made:
        """Return the expressions of a function in ``FUNCTIONS``.

        Parameters
        ----------
        numbers : sequence of int
            Places of remembered numbers, which count for those of a ``whole_variation``.
        """
        make = getattr(self, f"_make_{name}")
        made: Made = make(numbers) if takes_remembered(name) else make()
        return made

    def _make_newton(self) -> Made:
        C = self._configuration
        return Made([C.following, C.residual])

    def _make_place(self) -> Made:
        return Made([self._configuration.placed])

    def _make_derivative(self) -> Made:
        return Made([self._dynamics.derivative])

    def _make_mass(self) -> Made:
        return Made([self._dynamics.M_reduced, self._dynamics.f_reduced])

    @cached_property
    def _observed(self) -> ca.SX:
        """The outputs, shape (ny, 1)."""
        outputs = self._records.outputs
        observed = self._settled(column(output.expression for output in outputs))
        missing = self._dynamics.missing
        if depends(observed, column(marker for marker, _ in missing)):
            for output, expression in zip(outputs, scalars(observed), strict=True):
                refuse_missing(expression, f"output {output.name}", self._form, missing)
        return observed

    def _make_output(self) -> Made:
        return Made([self._observed])

    @cached_property
    def _indicators(self) -> ca.SX:
        return self._settled(column(event.indicator for event in self._records.events))

    def _make_indicator(self) -> Made:
        return Made([self._indicators])

    def _make_free_indicator(self) -> Made:
        # With these modes at zero CasADi drops all multipliers, and with them most of the cost.
        events = self._records.events
        closed = column(e.active for e in events if e.kind in ("closed_contact", "held_slip"))
        open_ = replace(self._indicators, closed, ca.SX.zeros(closed.numel()))
        return Made([ca.simplify(open_)])

    def _transition(self, fired: ca.SX) -> Transition:
        D, records = self._dynamics, self._records
        return Transition(
            self._form,
            D.contacts,
            D.switched,
            records.events,
            records.discretes,
            fired,
            self._settled,
        )

    def _make_update(self) -> Made:
        fired = ca.SX.sym("fired", len(self._records.events))
        after = self._transition(fired)
        return Made([column(after.values.values()), after.states], [fired])

    def _make_project(self) -> Made:
        return Made([*self._projection])

    @cached_property
    def _projection(self) -> tuple[ca.SX, ca.SX]:
        return projection(self._form, self._dynamics.contacts, self._dynamics.switched)

    def _make_tangent(self) -> Made:
        known = column([self._form.s, self._form.model.time])
        direction = ca.SX.sym("direction", known.numel())
        D, C = self._dynamics, self._configuration
        rates_alone = partial(self._observed_by, outputs=False)
        ds = solved_changes(D, C, known, direction, rates_alone)
        if ds is None:
            ds = self._differentiated(D.derivative, known, direction)
        return Made([ds], [direction])

    def _make_rate_change(self) -> Made:
        return self._changing(self._dynamics.derivative)

    def _make_change(self) -> Made:
        variation, ds, y = self._observed_change
        return Made([ds, y], [variation])

    def _make_adjoint_change(self) -> Made:
        # changes are linear in the variation, so their reverse derivative by it is the transpose
        variation, ds, y = self._observed_change
        seeds = [
            ca.SX.sym(f"{name}_seed", of.numel()) for name, of in (("rate", ds), ("output", y))
        ]
        adjoint = derivatives.jtimes(column([ds, y]), variation, column(seeds), True)
        return Made([adjoint], seeds)

    def _make_remembered_change(self, numbers: Sequence[int]) -> Made:
        return self._passing(numbers, [self._dynamics.derivative], known=False)

    def _make_indicator_change(self, numbers: Sequence[int]) -> Made:
        return self._passing(numbers, [self._indicators])

    def _make_jump_change(self, numbers: Sequence[int]) -> Made:
        fired = ca.SX.sym("fired", len(self._records.events))
        after = self._transition(fired)
        values = column(after.values.values())
        others = [i for i in range(values.numel()) if i not in numbers]
        values[others] = 0
        return self._passing(numbers, [after.states, values], [fired])

    def _make_project_change(self, numbers: Sequence[int]) -> Made:
        return self._passing(numbers, [self._projection[0]])

    @cached_property
    def _observed_change(self) -> tuple[ca.SX, ca.SX, ca.SX]:
        """A variation of (s, t, u, p), and the changes of rates and outputs."""
        known, observed = self.known, self._observed
        variation = ca.SX.sym("variation", known.numel())
        D, C = self._dynamics, self._configuration
        both = solved_changes(D, C, known, variation, self._observed_by)
        if both is None:
            both = self._differentiated(column([D.derivative, observed]), known, variation)
        ns = len(self._records.states)
        [both] = common_once([both])  # else the reverse mode would visit equal values repeatedly
        return variation, both[:ns, 0], both[ns:, 0]

    def _observed_by(self, stresses: ca.SX, outputs: bool = True) -> tuple[ca.SX, ca.SX]:
        """Rates of auxiliary states, and outputs if they are asked for, given stresses.

        They are in symbols of velocities and accelerations.
        """
        A = self._form
        unsolved = meanings(A, self._dynamics, (A.v, A.a), stresses)
        auxiliary = self._dynamics.reduced.rate_of.z_rates
        if forces_in_auxiliary(A):
            auxiliary = unsolved.settled(auxiliary)
        asked = self._records.outputs if outputs else ()
        return auxiliary, unsolved.settled(column(output.expression for output in asked))

    def _differentiated(self, of: ca.SX, known: ca.SX, variation: ca.SX) -> ca.SX:
        return differentiated(self._form, self._configuration, of, known, variation)

    @property
    def known(self) -> ca.SX:
        """Arguments that determine the configuration: (s, t, u, p)."""
        A = self._form
        return column([A.s, A.model.time, A.u, A.p])

    def _changing(self, of: ca.SX) -> Made:
        """Return an expression's change by a variation of (s, t, u, p)."""
        variation = ca.SX.sym("variation", self.known.numel())
        return Made([self._differentiated(of, self.known, variation)], [variation])

    def _passing(
        self,
        numbers: Sequence[int],
        of: Sequence[ca.SX],
        extra: Sequence[ca.SX] = (),
        known: bool = True,
    ) -> Made:
        """Return expressions' changes by a variation of (s, t, u, p, d).

        Of d the remembered ``numbers`` count, without ``known`` they alone.
        """
        many, discretes = self.known.numel(), self._records.discretes
        variation = ca.SX.sym("whole_variation", many + len(discretes))
        symbols = column(symbolic(discretes[i].symbol) for i in numbers)
        by = column(variation[many + i] for i in numbers)
        if known:
            symbols, by = column([self.known, symbols]), column([variation[:many], by])
        change = self._differentiated(column(of), symbols, by)
        parts = ca.vertsplit(change, list(np.cumsum([0, *(one.numel() for one in of)])))
        return Made(parts, [*extra, variation])

    @cached_property
    def held_motion(self) -> HeldMotion | None:
        """The motion with degrees of freedom held; None where it is not solved in this form."""
        if self._natural_length is None:
            return None
        return held_motion(self._dynamics, self._configuration, self._observed_by)

    def _held(self, name: str) -> HeldMotion:
        if self.held_motion is None:
            owner = self._form.model.name
            raise ModelError(f"{owner} has no function {name!r}: its laws have kinks or more")
        return self.held_motion

    def _make_held(self) -> Made:
        return Made([self._held("held").values()])

    def _make_held_change(self) -> Made:
        known = column([self._form.s, self._form.u])
        both = ca.SX.sym("held_variation", known.numel() + self._dofs)
        variation, accelerations = both[: known.numel()], both[known.numel() :]
        change = self._held("held_change").changes(known, variation, accelerations)
        return Made([change], [both])

    def _make_require(self) -> Made:
        requirements = self._records.requirements
        value = self._settled(column(r.expression for r in requirements))
        return Made([value, self._settled(column(r.shown for r in requirements))])

    @cached_property
    def followed(self) -> dict[int, ca.SX]:
        """Measures that requirements follow, by the requirements' places."""
        found = {
            i: self._settled(r.followed)
            for i, r in enumerate(self._records.requirements)
            if r.followed is not None
        }
        return {i: value for i, value in found.items() if not value.is_constant()}

    @cached_property
    def conditioning_measures(self) -> tuple[list[str], ca.SX]:
        """Names and measures of followed limits, then of blocks that can be singular."""
        A = self._form
        names = [self._records.requirements[i].name for i in self.followed]
        measures = list(self.followed.values())
        for name, measure in [*self._configuration.measures, *self._dynamics.measures]:
            value = replace(measure, A.v, ca.SX.zeros(A.v.numel()))
            if not value.is_constant() and not any(
                ca.is_equal(value, known, SAME_DEPTH) for known in measures
            ):
                names.append(name)
                measures.append(value)
        return names, column(measures)

    def _make_conditioning(self) -> Made:
        return Made([self.conditioning_measures[1]])

    @property
    def obeys_power(self) -> bool:
        """Whether their accelerations can be checked by virtual power.

        They cannot without degrees of freedom, or superposed.
        """
        return bool(self._dofs) and self._natural_length is not None

    @cached_property
    def _virtual_power(self) -> VirtualPower | None:
        if not self._dofs or self._natural_length is None:
            return None
        return VirtualPower(self._dynamics.reduced, self._natural_length)

    def _make_virtual_power(self) -> Made:
        power = self._virtual_power
        none = ca.SX.zeros(self._dofs)
        parts = [none, none] if power is None else [power.left, power.part]
        return Made(parts)

    def _make_power_size(self) -> Made:
        power = self._virtual_power
        size = ca.SX.zeros(self._dofs) if power is None else power.size
        return Made([size])

    def _make_power_error(self) -> Made:
        power = self._virtual_power
        return Made([ca.SX(0) if power is None else power.error])

    def _make_rate_use(self) -> Made:
        if not any(record.rate for record in self._records.inputs):
            return Made([ca.SX.zeros(len(self._records.inputs))])
        known = column([*self._form.arguments[:5], self._configuration.x])
        return Made([rate_use(self._form, self._dynamics.felt_motions, known)])

    def _make_start(self) -> Made:
        C = self._configuration
        lengths = zip(ca.vertsplit(C.start), C.lengths, strict=True) if C.names else []
        size = ca.norm_inf(column(value for value, is_length in lengths if is_length))
        sizes = column(size if is_length else ca.SX(1) for is_length in C.lengths)
        return Made([C.start, sizes])

    def slips(self) -> Made:
        """Return the held slips, zero for those not held at present."""
        switched = self._dynamics.switched
        return Made([ca.SX(0, 1) if switched is None else switched.active * switched.slip])

    def gaps(self) -> Made:
        """Return the gaps of unilateral contacts, then their rates."""
        contacts = self._dynamics.contacts
        return Made([ca.SX(0, 1) if contacts is None else column([contacts.gap, contacts.rate])])

    def gaps_change(self) -> Made:
        """Return their changes by a variation of (s, t, u, p)."""
        return self._changing(self.gaps().results[0])

    def slips_change(self) -> Made:
        """Return their changes by a variation of (s, t, u, p)."""
        return self._changing(self.slips().results[0])

    def pushes_change(self) -> Made:
        """Return accelerations by the changes of constraint forces by a variation of (s, t, u, p).

        These are the normal forces of closed contacts, with their friction, and the forces of held
        slips, while laws of constraint forces stay as they are.
        """
        unknown = self._dynamics.reduced.unknown
        assert unknown is not None
        count = unknown.pushes.shape[1]
        forces = column(scalars(unknown.values)[:count])
        variation = ca.SX.sym("variation", self.known.numel())
        changes = self._differentiated(forces, self.known, variation)
        return Made([unknown.pushes @ changes], [variation])
