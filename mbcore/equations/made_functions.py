"""What makes each of the functions of (t, s, d, u, p, x), when it is first asked for.

A part of `mbcore.equations.equations`, apart from it because no user asks for how they are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property

import casadi as ca

from mbcore.equations.assembly.rates import rate_use, refuse_missing
from mbcore.equations.functions import FUNCTIONS
from mbcore.equations.sides import inwards
from mbcore.equations.solved import SolvedModel
from mbcore.equations.unilateral.transitions import Transition, projection
from mbcore.model.expressions import column, depends, replace, scalars
from mbcore.model.kinks import Kink, differences, jtimes, taken

SAME_DEPTH = 6
"""How deep measures of both Jacobians are compared: those of both that are the same count once."""


class Functions(Mapping[str, ca.Function]):
    """The functions of a solved model by name, each made when it is first asked for.

    ``_make_NAME`` makes that of each name in ``FUNCTIONS``.
    """

    def __init__(self, solved: SolvedModel) -> None:
        self._solved = solved
        self._form, self._configuration = solved.form, solved.configuration
        self._dynamics = solved.dynamics
        self._made: dict[str, ca.Function] = {}

    def __getitem__(self, name: str) -> ca.Function:
        if name not in self._made:
            if name not in FUNCTIONS:
                raise KeyError(name)
            self._made[name] = getattr(self, f"_make_{name}")()
        return self._made[name]

    def has_made(self, name: str) -> bool:
        """Return whether a function has been asked for before."""
        return name in self._made

    def __iter__(self) -> Iterator[str]:
        return iter(FUNCTIONS)

    def __len__(self) -> int:
        return len(FUNCTIONS)

    def _make_newton(self) -> ca.Function:
        C = self._configuration
        return self._solved.function("newton", [C.following, C.residual])

    def _make_place(self) -> ca.Function:
        return self._solved.function("place", [self._configuration.placed])

    def _make_derivative(self) -> ca.Function:
        return self._solved.function("derivative", [self._dynamics.derivative])

    def _make_mass(self) -> ca.Function:
        return self._solved.function("mass", [self._dynamics.M_reduced, self._dynamics.f_reduced])

    @cached_property
    def _observed(self) -> ca.SX:
        """The outputs, shape (ny, 1)."""
        outputs = self._solved.outputs
        observed = self._solved.settled(column(output.expression for output in outputs))
        missing = self._dynamics.missing
        if depends(observed, column(marker for marker, _ in missing)):
            for output, expression in zip(outputs, scalars(observed), strict=True):
                refuse_missing(expression, f"output {output.name}", self._form, missing)
        return observed

    def _make_output(self) -> ca.Function:
        return self._solved.function("output", [self._observed])

    @cached_property
    def _indicators(self) -> ca.SX:
        return self._solved.settled(column(event.indicator for event in self._solved.events))

    def _make_indicator(self) -> ca.Function:
        return self._solved.function("indicator", [self._indicators])

    def _make_free_indicator(self) -> ca.Function:
        closed = column(e.active for e in self._solved.events if e.kind in ("closed", "holding"))
        open_ = replace(self._indicators, closed, ca.SX.zeros(closed.numel()))
        return self._solved.function("free_indicator", [ca.simplify(open_)])

    def _transition(self, fired: ca.SX) -> Transition:
        contacts = self._dynamics.contacts
        return Transition(
            self._form,
            contacts,
            self._dynamics.switched,
            self._solved.events,
            self._solved.discretes,
            fired,
            self._solved.settled,
        )

    def _make_update(self) -> ca.Function:
        fired = ca.SX.sym("fired", len(self._solved.events))
        after = self._transition(fired)
        return self._solved.function(
            "update", [column(after.values.values()), after.states], [fired]
        )

    def _make_project(self) -> ca.Function:
        return self._solved.function("project", [*self._projection])

    @cached_property
    def _projection(self) -> tuple[ca.SX, ca.SX]:
        return projection(self._form, self._dynamics.contacts, self._dynamics.switched)

    def _make_tangent(self) -> ca.Function:
        known = column([self._form.s, self._form.model.time])
        direction = ca.SX.sym("direction", known.numel())
        ds = self._change(self._dynamics.derivative, known, direction)
        return self._solved.function("tangent", [ds], [direction])

    def _make_rate_change(self) -> ca.Function:
        return self._changing("rate_change", self._dynamics.derivative)

    def _make_change(self) -> ca.Function:
        variation, ds, y = self._observed_change
        return self._solved.function("change", [ds, y], [variation])

    def _make_adjoint_change(self) -> ca.Function:
        # changes are linear in the variation: their derivative by it, backwards, is the transpose
        variation, ds, y = self._observed_change
        seeds = [
            ca.SX.sym(f"{name}_seed", of.numel()) for name, of in (("rate", ds), ("output", y))
        ]
        once = ca.cse(column([ds, y]))  # or the same value would be followed back more than once
        adjoint = ca.jtimes(once, variation, column(seeds), True)
        return self._solved.function("adjoint_change", [adjoint], seeds)

    def _make_indicator_change(self) -> ca.Function:
        return self._changing("indicator_change", self._indicators)

    def _make_jump_change(self) -> ca.Function:
        fired = ca.SX.sym("fired", len(self._solved.events))
        return self._changing("jump_change", self._transition(fired).states, [fired])

    def _make_project_change(self) -> ca.Function:
        return self._changing("project_change", self._projection[0])

    @cached_property
    def _observed_change(self) -> tuple[ca.SX, ca.SX, ca.SX]:
        """A variation of (s, t, u, p), and the changes of rates and outputs, x following."""
        known = self.known
        variation = ca.SX.sym("variation", known.numel())
        observed = self._observed
        changes = self._solved.changes(known, variation)
        if changes is not None:
            return variation, *changes
        change = self._change(column([self._dynamics.derivative, observed]), known, variation)
        ns = len(self._solved.states)
        return variation, change[:ns], change[ns:]

    @property
    def known(self) -> ca.SX:
        """What the configuration follows: states, time, inputs and parameters, (s, t, u, p)."""
        A = self._form
        return column([A.s, A.model.time, A.u, A.p])

    def _changing(self, name: str, of: ca.SX, extra: Sequence[ca.SX] = ()) -> ca.Function:
        """Return the function of an expression's change by a variation of (s, t, u, p)."""
        variation = ca.SX.sym("variation", self.known.numel())
        change = self._change(of, self.known, variation)
        return self._solved.function(name, [change], [*extra, variation])

    def _change(self, of: ca.SX, known: ca.SX, variation: ca.SX) -> ca.SX:
        """Return the change of an expression by a variation of what is known, x following."""
        A, C = self._form, self._configuration
        symbols = column([known, C.x])

        def moved(by: ca.SX) -> ca.SX:
            return column([by, A.in_coordinates(C.change(known, by))])

        @cache
        def towards() -> ca.SX:
            return moved(inwards(A.model, known))

        def sides(kinks: Sequence[Kink]) -> list[ca.SX]:
            return taken(kinks, jtimes(differences(kinks), symbols, towards(), sides))

        return jtimes(A.in_coordinates(of), symbols, moved(variation), sides)

    def _make_require(self) -> ca.Function:
        return self._solved.function(
            "require",
            [
                self._solved.settled(column(r.expression for r in self._solved.requirements)),
                self._solved.settled(column(r.shown for r in self._solved.requirements)),
            ],
        )

    @cached_property
    def _followed(self) -> dict[int, ca.SX]:
        """What is followed of requirements, by their places."""
        found = {
            i: self._solved.settled(r.followed)
            for i, r in enumerate(self._solved.requirements)
            if r.followed is not None
        }
        return {i: value for i, value in found.items() if not value.is_constant()}

    @property
    def followed(self) -> tuple[int, ...]:
        """Places of the requirements that the first measures of regularity follow."""
        return tuple(self._followed)

    @cached_property
    def _regularity(self) -> tuple[list[str], ca.SX]:
        """Names and measures: of limits that are followed, then of blocks that can be singular."""
        A = self._form
        names = [self._solved.requirements[i].name for i in self._followed]
        measures = list(self._followed.values())
        for name, measure in [*self._configuration.measures, *self._dynamics.measures]:
            value = replace(measure, A.v, ca.SX.zeros(A.v.numel()))
            if not value.is_constant() and not any(
                ca.is_equal(value, known, SAME_DEPTH) for known in measures
            ):
                names.append(name)
                measures.append(value)
        return names, column(measures)

    @property
    def regularity_names(self) -> tuple[str, ...]:
        """Names of what is followed: limits, and the quantities of blocks that can be singular."""
        return tuple(self._regularity[0])

    def _make_regularity(self) -> ca.Function:
        return self._solved.function("regularity", [self._regularity[1]])

    def _make_rate_use(self) -> ca.Function:
        if not any(record.rate for record in self._solved.inputs):
            return self._solved.function("rate_use", [ca.SX.zeros(len(self._solved.inputs))])
        known = column(self._solved.arguments)
        return self._solved.function(
            "rate_use", [rate_use(self._form, self._solved.felt_motions(), known)]
        )

    def _make_start(self) -> ca.Function:
        C = self._configuration
        lengths = zip(ca.vertsplit(C.start), C.lengths, strict=True) if C.names else []
        size = ca.norm_inf(column(value for value, is_length in lengths if is_length))
        sizes = column(size if is_length else ca.SX(1) for is_length in C.lengths)
        return self._solved.function("start", [C.start, sizes])
