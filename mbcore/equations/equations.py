"""The equations of a model: functions of (t, s, d, u, p, x) and the records that name them.

Analyses and code generation use only this; they never look into an element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import casadi as ca
import numpy as np

from mbcore.equations.accelerations import refuse_accelerations, shown_accelerations
from mbcore.equations.assembly import Assembly
from mbcore.equations.configuration import PlacedConfiguration
from mbcore.equations.dynamics import solve_dynamics
from mbcore.equations.functions import FUNCTIONS
from mbcore.equations.mass_parts import MassParts
from mbcore.equations.multipliers import contact_symbols
from mbcore.equations.placements import choose_placements
from mbcore.equations.rates import rate_use, refuse_missing
from mbcore.equations.reactions import support_reactions
from mbcore.equations.redundancy import Released, release_redundant
from mbcore.equations.redundant_forces import stay_met, warn_of_forces
from mbcore.equations.roles import check_roles, choose_free_rotations, choose_roles
from mbcore.equations.speeds import SpeedAssembly
from mbcore.equations.transitions import Transition, projection
from mbcore.equations.variables import check_variables
from mbcore.equations.velocity import VelocityProblem
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace, total
from mbcore.model.snapshot import changes, snapshot
from mbcore.model.system import System
from mbcore.model.variables import Discrete, Event, Input, Output, Parameter, Requirement, State


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


class Equations:
    """What ``Model.equations`` returns.

    Attributes
    ----------
    parameters, inputs, states, discretes, events, outputs, requirements : tuple
        Records of ``mbcore.model.variables``, in the order of the functions' arguments and results.
        The first discrete variables are the events' modes.
    dofs : int
        Number of degrees of freedom: their rates are the first states, their values the next.
    speeds : int
        Number of the last of them that are slips: these have a rate and no value.
    contacts : tuple of str
        Names of the unilateral contacts.
    coordinate_names, constraint_names, regularity_names : tuple of str
        Names behind x, the conditions that iteration makes vanish, and the blocks of both
        Jacobians.
    iterated : int
        Number of the first coordinates that the position problem iterates; the others follow.
    functions : mapping of str to casadi.Function
        ``newton`` (x after a step, residual), ``place`` (x with what follows), ``derivative``,
        ``output``, ``indicator``,
        ``free_indicator`` (the same where no contact is closed, and cheaper), ``update`` (with
        a seventh argument; discrete variables and states), ``project`` (states with closed
        contacts closed again, drift), ``tangent`` (with a direction in (s, t)), ``require``,
        ``regularity``, ``rate_use``, ``start``, ``mass`` (reduced mass matrix and force).
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
        if not isinstance(model, System):
            raise ModelError(f"equations are made of a model, got {model!r}; give a Model")
        self.name = model.name
        self._described = model
        self._at = at
        model.refuse_at_start()
        refuse_accelerations(model)
        self.chosen_roles: tuple[str, ...] = ()
        self._released = Released()
        if roles == "auto":
            model = deepcopy(model)  # the user's keeps its roles; symbols are the same
            self._choose_roles(model)
        elif roles != "given":
            raise ModelError(f"roles is 'given' or 'auto', got {roles!r}")
        self.model = model
        assembly = self._assembly = Assembly(model)
        check_variables(assembly)
        check_roles(assembly, self._start_values(assembly))
        self._solve()
        A = self._form
        self._arguments = [A.model.time, A.s, A.d, A.u, A.p, self._configuration.x]
        self._make_records()
        self._collect_handles()
        refuse_missing(
            self._dynamics.derivative, "the equations of motion", A, self._dynamics.missing
        )
        self.functions = Functions(self)
        self._snapshot = snapshot(self._described)

    def belong_with(self, other: Equations) -> None:
        """Be as old as ``other``, where the model had other roles only while these were made."""
        self._described, self._snapshot = other._described, other._snapshot

    def refuse_stale(self) -> None:
        """Refuse equations that miss what the model has been given since they were made.

        Raises
        ------
        ModelError
            Naming what was changed.
        """
        changed = changes(self._snapshot, snapshot(self._described))
        if changed:
            raise ModelError(
                f"{self.name}: the model was changed after these equations were made ({changed}); "
                "make them again: equations = model.equations()"
            )

    def _choose_roles(self, model: System) -> None:
        """Give roles where none are given, and release what is redundant everywhere."""
        assembly = Assembly(model)
        freed = choose_free_rotations(assembly, self._start_values(assembly))
        assembly = Assembly(model)
        self._released, values = release_redundant(assembly, self._start_values(assembly))
        redundant = tuple(
            f"{q.name} is released: it follows everywhere from other constraints, among which the "
            "force is not unique"
            for q in self._released.released
        )
        assembly = Assembly(model)
        kept_out = {q.name for q in self._released.released}
        self.chosen_roles = freed + redundant + choose_roles(assembly, values, kept_out)

    @property
    def indeterminate(self) -> tuple[str, ...]:
        """Names of constraints whose forces are not unique, for some of them are redundant."""
        return tuple(q.name for q in self._released.involved)

    def _solve(self) -> None:
        """Set the form of the assembly that is solved, its configuration and its dynamics."""
        form = SpeedAssembly(self.model)
        relations = choose_placements(form)
        self._tears, self._torn = relations.tear_values, relations.tears
        self._form: Assembly = form
        self._configuration = PlacedConfiguration(relations, self._numbers).make()
        self._dynamics = solve_dynamics(form, VelocityProblem(relations, self._numbers))

    @property
    def assembly(self) -> Assembly:
        """Index sets over the nodes' coordinates."""
        return self._assembly

    def _places(self, assembly: Assembly, parameters: object) -> np.ndarray:
        """Coordinates at which blocks are chosen: the start, or what the equations are made for."""
        if self._at is not None:
            return np.array([self._at[c.name] for c in assembly.coordinates])
        start = ca.Function("start", [assembly.p], [assembly.start])
        return np.array(start(parameters).full())[:, 0]

    def _numbers(self, matrix: ca.SX) -> np.ndarray:
        """Evaluate a matrix near the start configuration, where nothing is singular by chance."""
        A = self._form
        arguments_ = [A.model.time, A.s, A.d, A.u, A.p, self._tears, A.x]
        values = self._start_values(self._assembly)
        start = self._places(A, values[4])
        random = np.random.default_rng(0)
        near = start + 0.02 * random.standard_normal(start.shape) * max(1.0, np.abs(start).max())
        tears = 0.3 * random.standard_normal(int(arguments_[5].numel()))
        dense = ca.densify(A.in_coordinates(matrix))
        return np.array(ca.Function("J", arguments_, [dense])(*values[:5], tears, near).full())

    def _start_values(self, assembly: Assembly) -> list[object]:
        model = assembly.model
        s = [state.start for state in assembly.state_records()]
        p = [parameter.value for parameter in model.parameters.values()]
        u = [i.start for i in model.inputs.values()]
        d = [0.0] * len(model.events) + [v.start for v in model.discretes.values()]
        return [0.0, s, d, u, p, self._places(assembly, p)]

    def _make_records(self) -> None:
        A = self._assembly
        self.parameters: tuple[Parameter, ...] = tuple(A.model.parameters.values())
        self.inputs: tuple[Input, ...] = tuple(A.model.inputs.values())
        self.states: tuple[State, ...] = A.state_records()
        self.events: tuple[Event, ...] = tuple(A.model.events.values())
        modes = [
            Discrete(
                f"{e.name}.active",
                e.active,
                description=f"mode of {e.name}",
                kind="boolean",
                visibility="local",
            )
            for e in self.events
        ]
        self.discretes: tuple[Discrete, ...] = (*modes, *A.model.discretes.values())
        self.outputs: tuple[Output, ...] = tuple(A.model.outputs.values())
        self.dofs, self.speeds = len(A.independent), len(A.speed_slips)
        self.contacts: tuple[str, ...] = tuple(A.model.contacts)
        self.requirements: tuple[Requirement, ...] = (
            *A.model.requirements.values(),
            *(r for r in A.model.limits() if r.name not in self._form.winding),
            *stay_met(self._released),
        )
        warn_of_forces(self.name, self._released, self.outputs)
        self.coordinate_names = self._configuration.names
        self.constraint_names = self._configuration.conditions
        self.iterated = self._configuration.iterated

    def _collect_handles(self) -> None:
        """Expressions behind the handles that need the solved dynamics."""
        A, D = self._form, self._dynamics
        pairs = [(A.v, D.v), (A.a, D.a), D.signal_rates]
        for i, q in enumerate(A.velocity_rows):
            pairs.append((q.dual, A.resolve(total(q.laws)) if q.laws else D.stresses[i]))
        for quantity in [*A.kinematic, *A.dependent, *A.free]:
            laws = A.resolve(total(quantity.laws))
            pairs.append((quantity.dual, laws))
        pairs.append((A.model.kinetic_energy, A.kinetic_energy))
        pairs.append((A.model.potential_energy, A.potential_energy))
        pairs += support_reactions(A, D.v, D.a, D.stresses)
        pairs += shown_accelerations(A)
        if D.contacts is not None:
            pairs.append((contact_symbols(A), D.contacts.forces))
        self._solved = (column(h for h, _ in pairs), column(e for _, e in pairs))

    def settled(self, expression: ca.SX) -> ca.SX:
        """Return a user's expression as a function of (t, s, d, u, p, x)."""
        resolved = self._form.resolve(ca.SX(expression))
        for _ in range(2):  # a law's stress may hold velocities
            resolved = replace(resolved, *self._solved)
        return resolved

    def _function(
        self, name: str, results: list[ca.SX], extra: list[ca.SX] | None = None
    ) -> ca.Function:
        in_coordinates = self._in_coordinates([ca.SX(r) for r in results])
        dense = [ca.densify(r) for r in ca.cse(in_coordinates)]
        arguments_ = [*self._arguments, *(extra or [])]
        stray = set()
        known = column([ca.SX(a) for a in arguments_])
        for result in dense:
            stray |= {s.name() for s in ca.symvar(result) if not depends(known, s)}
        if stray:
            raise ModelError(
                f"{self.name}, {name}: unknown symbols {', '.join(sorted(stray))}; use symbols of "
                "this model's parameters, inputs, states and handles only"
            )
        return ca.Function(name, arguments_, dense)

    def function(self, name: str, results: list[ca.SX]) -> ca.Function:
        """Return a function of (t, s, d, u, p, x) of settled expressions."""
        return self._function(name, results)

    def tears_function(self) -> ca.Function:
        """Return the function that gives the tears' values in a configuration."""
        return self._function("tears", [column(self._form.strain(q) for q in self._torn)])

    def _in_coordinates(self, results: list[ca.SX]) -> list[ca.SX]:
        """Replace directions in all results at once, so that they stay common to them."""
        ends = np.cumsum([0, *(r.numel() for r in results)])
        whole = self._form.in_coordinates(column(ca.vec(ca.densify(r)) for r in results))
        return [
            ca.reshape(whole[int(a) : int(b)], r.shape)
            for a, b, r in zip(ends[:-1], ends[1:], results, strict=True)
        ]

    def _make_newton(self) -> ca.Function:
        C = self._configuration
        return self._function("newton", [C.following, C.residual])

    def _make_place(self) -> ca.Function:
        return self._function("place", [self._configuration.placed])

    def _make_derivative(self) -> ca.Function:
        return self._function("derivative", [self._dynamics.derivative])

    def _make_mass(self) -> ca.Function:
        return self._function("mass", [self._dynamics.M_reduced, self._dynamics.f_reduced])

    def _make_output(self) -> ca.Function:
        results = []
        for output in self.outputs:
            expression = self.settled(output.expression)
            refuse_missing(expression, f"output {output.name}", self._form, self._dynamics.missing)
            results.append(expression)
        return self._function("output", [column(results)])

    def _make_indicator(self) -> ca.Function:
        return self._function("indicator", [column(self.settled(e.indicator) for e in self.events)])

    def _make_free_indicator(self) -> ca.Function:
        closed = column(c.closed for c in self._form.model.contacts.values())
        indicators = column(self.settled(e.indicator) for e in self.events)
        open_ = replace(indicators, closed, ca.SX.zeros(closed.numel()))
        return self._function("free_indicator", [ca.simplify(open_)])

    def _make_update(self) -> ca.Function:
        fired = ca.SX.sym("fired", len(self.events))
        contacts = self._dynamics.contacts
        after = Transition(self._form, contacts, self.events, self.discretes, fired, self.settled)
        return self._function("update", [column(after.values.values()), after.states], [fired])

    def _make_project(self) -> ca.Function:
        return self._function("project", [*projection(self._form, self._dynamics.contacts)])

    def _make_tangent(self) -> ca.Function:
        A, C = self._form, self._configuration
        direction = ca.SX.sym("direction", A.s.numel() + 1)
        point = column([A.s, A.model.time])
        derivative = A.in_coordinates(self._dynamics.derivative)
        x = A.in_coordinates(self._configuration.change(point, direction))
        change = ca.jtimes(derivative, column([point, C.x]), column([direction, x]))
        return self._function("tangent", [change], [direction])

    def _make_require(self) -> ca.Function:
        return self._function(
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
        return self._function("regularity", [self._regularity[1]])

    def _make_rate_use(self) -> ca.Function:
        if not any(record.rate for record in self.inputs):
            return self._function("rate_use", [ca.SX.zeros(len(self.inputs))])
        known = column(self._arguments)
        return self._function("rate_use", [rate_use(self._form, self._felt_motions(), known)])

    def _felt_motions(self) -> list[int]:
        """Return which prescribed motions have accelerations that a mass feels."""
        return self._dynamics.felt_motions

    def _make_start(self) -> ca.Function:
        C = self._configuration
        lengths = zip(ca.vertsplit(C.start), C.lengths, strict=True) if C.names else []
        size = ca.norm_inf(column(value for value, is_length in lengths if is_length))
        sizes = column(size if is_length else ca.SX(1) for is_length in C.lengths)
        return self._function("start", [C.start, sizes])

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

    # Numbers

    @cached_property
    def mass_parts(self) -> MassParts | None:
        """What the reduced mass matrix is made of; None where laws of the state change it."""
        if self.superposed or self._dynamics.laws_of_state:
            return None
        return MassParts(self._dynamics.velocity, self._function)

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
        """Return their values, which may be of several turns."""
        place = {name: i for i, name in enumerate(self.coordinate_names)}
        return np.asarray(x)[[place[name] for name in self.winding_names]]

    @property
    def start_state(self) -> np.ndarray:
        """Start values of the states, shape (ns,)."""
        return np.array([s.start for s in self.states])

    def __repr__(self) -> str:
        A = self._form
        return (
            f"<equations of {self.name}: {A.x.numel()} coordinates, {self.dofs} degrees of "
            f"freedom, {len(A.kinematic)} kinematic coordinates, {len(self.states)} states>"
        )


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
