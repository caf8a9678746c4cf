"""The equations of a model: functions of (t, s, d, u, p, x) and the records that name them.

Analyses and code generation use only this; they never look into an element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import casadi as ca
import numpy as np

from mbcore.drawing.scene import Scene
from mbcore.equations.functions import FUNCTIONS
from mbcore.equations.mass_parts import MassParts
from mbcore.equations.rates import rate_use, refuse_missing
from mbcore.equations.solved import SolvedModel
from mbcore.equations.transitions import Transition, projection
from mbcore.model import shown
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, replace
from mbcore.model.system import System


@dataclass(frozen=True)
class SpinStates:
    """Where the states of a free rotation are.

    Attributes
    ----------
    axes : {"body", "space"}
        Axes of the angular velocity's components.
    speeds : tuple of int
        Places of the three components; none where one of them is no degree of freedom.
    parameters : tuple of int
        Places of the four Euler parameters, whose length has no influence.
    """

    name: str
    axes: str
    speeds: tuple[int, ...]
    parameters: tuple[int, ...]


SAME_DEPTH = 6
"""How deep measures of both Jacobians are compared: those of both that are the same count once."""


class Functions(Mapping[str, ca.Function]):
    """The generated functions by name, each made when it is first asked for."""

    def __init__(self, equations: Equations) -> None:
        self._equations = equations
        self._made: dict[str, ca.Function] = {}

    def __getitem__(self, name: str) -> ca.Function:
        if name not in self._made:
            if name not in FUNCTIONS:
                raise KeyError(name)
            self._made[name] = getattr(self._equations, f"_make_{name}")()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(FUNCTIONS)

    def __len__(self) -> int:
        return len(FUNCTIONS)


class Equations(shown.Shown, SolvedModel):
    """What ``Model.equations`` returns, for a ``model``, its ``roles`` and a configuration ``at``.

    Attributes
    ----------
    parameters, inputs, states, discretes, events, outputs, requirements : tuple
        Records of ``mbcore.model.variables``, in the order of the functions' arguments and results.
        The first discrete variables are the events' modes.
    dofs : int
        Number of degrees of freedom: their rates are the first states, their values the next.
    speeds : int
        Number of the last of them that are slips: these have a rate and no value.
    contacts, held : tuple of str
        Names of the unilateral contacts, and of the slips that may be held.
    constrained : tuple of str
        Both of them: what events change states for, and states are kept on while it lasts.
    coordinate_names, constraint_names, regularity_names : tuple of str
        Names behind x, the conditions that iteration makes vanish, and the blocks of both
        Jacobians.
    iterated : int
        Number of the first coordinates that the position problem iterates; the others follow.
    functions : mapping of str to casadi.Function
        ``newton`` (x after a step, residual), ``place`` (x with what follows), ``derivative``,
        ``output``, ``indicator``,
        ``free_indicator`` (where no contact is closed and no slip held, cheaper), ``update`` (with
        a seventh argument; discrete variables and states), ``project`` (states with closed
        contacts closed again and held slips zero, drift), ``tangent`` (with a direction in
        (s, t)), ``require``, ``regularity``, ``rate_use``, ``start``, ``mass``
        (reduced mass matrix and force),
        ``change`` (of rates and outputs), ``rate_change``, ``indicator_change``,
        ``jump_change``, ``project_change`` (with a variation of (s, t, u, p)),
        ``adjoint_change`` (with seeds of rates and outputs; a sensitivity to (s, t, u, p)).
    chosen_roles : tuple of str
        What ``roles="auto"`` picked and why. It leaves the model as it was.
    indeterminate : tuple of str
        Names of constraints whose forces are not unique, because ``roles="auto"`` had to release
        redundant ones.
    superposed : bool
        Whether they are those of small motions, by `mbcore.equations.superposition.superpose`.
    """

    superposed = False

    def __init__(
        self,
        model: System,
        roles: Literal["given", "auto"] = "given",
        at: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(model, roles, at)
        self.functions = Functions(self)

    def _make_newton(self) -> ca.Function:
        C = self._configuration
        return self.function("newton", [C.following, C.residual])

    def _make_place(self) -> ca.Function:
        return self.function("place", [self._configuration.placed])

    def _make_derivative(self) -> ca.Function:
        return self.function("derivative", [self._dynamics.derivative])

    def _make_mass(self) -> ca.Function:
        return self.function("mass", [self._dynamics.M_reduced, self._dynamics.f_reduced])

    @cached_property
    def _observed(self) -> ca.SX:
        """The outputs, shape (ny, 1)."""
        results = []
        for output in self.outputs:
            expression = self.settled(output.expression)
            refuse_missing(expression, f"output {output.name}", self._form, self._dynamics.missing)
            results.append(expression)
        return column(results)

    def _make_output(self) -> ca.Function:
        return self.function("output", [self._observed])

    @cached_property
    def _indicators(self) -> ca.SX:
        return column(self.settled(event.indicator) for event in self.events)

    def _make_indicator(self) -> ca.Function:
        return self.function("indicator", [self._indicators])

    def _make_free_indicator(self) -> ca.Function:
        closed = column(e.active for e in self.events if e.kind in ("closed", "holding"))
        open_ = replace(self._indicators, closed, ca.SX.zeros(closed.numel()))
        return self.function("free_indicator", [ca.simplify(open_)])

    def _transition(self, fired: ca.SX) -> Transition:
        contacts = self._dynamics.contacts
        return Transition(
            self._form,
            contacts,
            self._dynamics.holds,
            self.events,
            self.discretes,
            fired,
            self.settled,
        )

    def _make_update(self) -> ca.Function:
        fired = ca.SX.sym("fired", len(self.events))
        after = self._transition(fired)
        return self.function("update", [column(after.values.values()), after.states], [fired])

    def _make_project(self) -> ca.Function:
        return self.function("project", [*self._projection])

    @cached_property
    def _projection(self) -> tuple[ca.SX, ca.SX]:
        return projection(self._form, self._dynamics.contacts, self._dynamics.holds)

    def _make_tangent(self) -> ca.Function:
        known = column([self._form.s, self._form.model.time])
        direction = ca.SX.sym("direction", known.numel())
        ds = self._change(self._dynamics.derivative, known, direction)
        return self.function("tangent", [ds], [direction])

    def _make_rate_change(self) -> ca.Function:
        return self._changing("rate_change", self._dynamics.derivative)

    def _make_change(self) -> ca.Function:
        variation, ds, y = self._observed_change
        return self.function("change", [ds, y], [variation])

    def _make_adjoint_change(self) -> ca.Function:
        # changes are linear in the variation: their derivative by it, backwards, is the transpose
        variation, ds, y = self._observed_change
        seeds = [
            ca.SX.sym(f"{name}_seed", of.numel()) for name, of in (("rate", ds), ("output", y))
        ]
        once = ca.cse(column([ds, y]))  # or the same value would be followed back more than once
        adjoint = ca.jtimes(once, variation, column(seeds), True)
        return self.function("adjoint_change", [adjoint], seeds)

    def _make_indicator_change(self) -> ca.Function:
        return self._changing("indicator_change", self._indicators)

    def _make_jump_change(self) -> ca.Function:
        fired = ca.SX.sym("fired", len(self.events))
        return self._changing("jump_change", self._transition(fired).states, [fired])

    def _make_project_change(self) -> ca.Function:
        return self._changing("project_change", self._projection[0])

    @cached_property
    def _observed_change(self) -> tuple[ca.SX, ca.SX, ca.SX]:
        """A variation of (s, t, u, p), and the changes of rates and outputs, x following."""
        known = self._known
        variation = ca.SX.sym("variation", known.numel())
        observed = self._observed
        changes = self.changes(known, variation)
        if changes is not None:
            return variation, *changes
        change = self._change(column([self._dynamics.derivative, observed]), known, variation)
        ns = len(self.states)
        return variation, change[:ns], change[ns:]

    @property
    def _known(self) -> ca.SX:
        A = self._form
        return column([A.s, A.model.time, A.u, A.p])

    def _changing(self, name: str, of: ca.SX, extra: Sequence[ca.SX] = ()) -> ca.Function:
        """Return the function of an expression's change by a variation of (s, t, u, p)."""
        variation = ca.SX.sym("variation", self._known.numel())
        change = self._change(of, self._known, variation)
        return self.function(name, [change], [*extra, variation])

    def _change(self, of: ca.SX, known: ca.SX, variation: ca.SX) -> ca.SX:
        """Return the change of an expression by a variation of what is known, x following."""
        A, C = self._form, self._configuration
        x = A.in_coordinates(C.change(known, variation))
        return ca.jtimes(A.in_coordinates(of), column([known, C.x]), column([variation, x]))

    def _make_require(self) -> ca.Function:
        return self.function(
            "require",
            [
                column(self.settled(r.expression) for r in self.requirements),
                column(self.settled(r.shown) for r in self.requirements),
            ],
        )

    @cached_property
    def _regularity(self) -> tuple[list[str], ca.SX]:
        """Names and measures of the blocks that can become singular."""
        A = self._form
        names: list[str] = []
        measures: list[ca.SX] = []
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
        """Names of the deformations and slips of each block that can become singular."""
        return tuple(self._regularity[0])

    def _make_regularity(self) -> ca.Function:
        return self.function("regularity", [self._regularity[1]])

    def _make_rate_use(self) -> ca.Function:
        if not any(record.rate for record in self.inputs):
            return self.function("rate_use", [ca.SX.zeros(len(self.inputs))])
        known = column(self._arguments)
        return self.function("rate_use", [rate_use(self._form, self._felt_motions(), known)])

    def _felt_motions(self) -> list[int]:
        """Return which prescribed motions have accelerations that a mass feels."""
        return self._dynamics.felt_motions

    def _make_start(self) -> ca.Function:
        C = self._configuration
        lengths = zip(ca.vertsplit(C.start), C.lengths, strict=True) if C.names else []
        size = ca.norm_inf(column(value for value, is_length in lengths if is_length))
        sizes = column(size if is_length else ca.SX(1) for is_length in C.lengths)
        return self.function("start", [C.start, sizes])

    @property
    def spins(self) -> tuple[SpinStates, ...]:
        """Where the states of each free rotation are."""
        A, found = self._assembly, []
        places = {q.name: i for i, q in enumerate(A.independent)}
        first = len(A.independent) + len(A.dofs)
        places |= {q.name: first + i for i, q in enumerate(A.kinematic)}
        for node in A.model.free_rotations():
            assert node.freedom is not None
            speeds = tuple(places[s.name] for s in node.slips() if s.name in places)
            parameters = tuple(places[handle.name] for handle in node.handles)
            axes = node.freedom.axes
            found.append(
                SpinStates(node.name, axes, speeds if len(speeds) == 3 else (), parameters)
            )
        return tuple(found)

    def scene(self) -> Scene:
        """Return what is seen of the model: its shapes as one function of (t, s, d, u, p, x).

        Raises
        ------
        ModelError
            If nothing has a shape, or a number of one is not finite at the start.
        """
        return Scene(self._described, self)

    # Numbers

    @cached_property
    def mass_parts(self) -> MassParts | None:
        """What the reduced mass matrix is made of; None where laws of the state change it."""
        if self.superposed or self._dynamics.laws_of_state:
            return None
        return MassParts(self._dynamics.velocity, self.function)

    def nodal_coordinates(self, x: np.ndarray) -> np.ndarray:
        """Return the nodes' coordinates in their own order from x."""
        if self._nodal_places is None:
            place = {name: i for i, name in enumerate(self.coordinate_names)}
            names = [c.name for c in self._assembly.coordinates]
            self._nodal_places = np.array([place[name] for name in names], int)
        return np.asarray(x)[self._nodal_places]

    _nodal_places: np.ndarray | None = None

    @property
    def winding_names(self) -> tuple[str, ...]:
        """Names of dependent deformations in couplings whose values are among x."""
        return tuple(self._form.winding)

    def winding_values(self, x: np.ndarray) -> np.ndarray:
        """Return their values, rad, which may be of several turns, at coordinates ``x``."""
        place = {name: i for i, name in enumerate(self.coordinate_names)}
        return np.asarray(x)[[place[name] for name in self.winding_names]]

    @property
    def start_state(self) -> np.ndarray:
        """Start values of the states, shape (ns,)."""
        return np.array([s.start for s in self.states])

    def _title(self) -> str:
        return f"equations of {self.name}"

    def _facts(self) -> list[str]:
        A = self._form
        return [
            f"{shown.count(A.x.numel(), 'coordinate')}, "
            f"{shown.count(self.dofs, 'degree of freedom')}, "
            f"{shown.count(len(A.kinematic), 'kinematic coordinate')}, "
            f"{shown.count(len(self.states), 'state')}",
            f"{shown.count(len(self.inputs), 'input')}, {shown.count(len(self.outputs), 'output')}",
        ]

    def _tables(self) -> list[shown.Table]:
        chosen = [(line,) for line in self.chosen_roles]
        return [
            *shown.records(
                ("states", self.states, "start"),
                ("inputs", self.inputs, "start"),
                ("outputs", self.outputs, None),
                ("parameters", self.parameters, "value"),
            ),
            shown.Table("chosen roles", ("role",), chosen),
        ]


def checked_equations(what: str, given: object) -> Equations:
    """Return equations, and refuse anything else in their place.

    Raises
    ------
    ModelError
        Naming ``what`` they were given to.
    """
    if not isinstance(given, Equations):
        raise ModelError(f"{what} takes equations, got {given!r}; give model.equations()")
    return given
