"""The equations of a model: functions of (t, s, d, u, p, x) and the records that name them.

Analyses and code generation use only this; they never look into an element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import casadi as ca
import numpy as np

from mbcore.equations.assembly import Assembly
from mbcore.equations.dynamics import Dynamics, refuse_missing, solve_dynamics
from mbcore.equations.multipliers import contact_symbols
from mbcore.equations.reactions import support_reactions
from mbcore.equations.roles import arguments, check_roles, choose_roles
from mbcore.equations.transitions import Transition, projection
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace, total
from mbcore.model.system import System
from mbcore.model.variables import Discrete, Event, Input, Output, Parameter, Requirement, State

FUNCTIONS = (
    "newton",
    "derivative",
    "output",
    "indicator",
    "free_indicator",
    "update",
    "tangent",
    "require",
    "regularity",
    "start",
    "mass",
    "project",
)


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
    contacts : tuple of str
        Names of the unilateral contacts.
    coordinate_names, constraint_names, regularity_names : tuple of str
        Names behind x, the rows of the position problem and the blocks of both Jacobians.
    functions : mapping of str to casadi.Function
        ``newton`` (step, residual), ``derivative``, ``output``, ``indicator``,
        ``free_indicator`` (the same where no contact is closed, and cheaper), ``update`` (with
        a seventh argument; discrete variables and states), ``project`` (states with closed
        contacts closed again, drift), ``tangent`` (with a direction in (s, t)), ``require``,
        ``regularity``, ``start``, ``mass`` (reduced mass matrix and force).
    chosen_roles : tuple of str
        What ``roles="auto"`` picked and why.
    superposed : bool
        Whether they are those of small motions, by `mbcore.equations.superposition.superpose`.
    """

    superposed = False

    def __init__(self, model: System, roles: Literal["given", "auto"] = "given") -> None:
        self.name = model.name
        self.model = model
        assembly = Assembly(model)
        self.chosen_roles: tuple[str, ...] = ()
        if roles == "auto":
            self.chosen_roles = choose_roles(assembly, self._start_values(assembly))
            assembly = Assembly(model)
        elif roles != "given":
            raise ModelError(f"roles is 'given' or 'auto', got {roles!r}")
        self._assembly = assembly
        check_roles(assembly, self._start_values(assembly))
        self._dynamics: Dynamics = self._solve(assembly)
        self._arguments = arguments(assembly)
        self._make_records()
        self._collect_handles()
        refuse_missing(
            self._dynamics.derivative, "the equations of motion", assembly, self._dynamics.missing
        )
        self.functions = Functions(self)

    def _solve(self, assembly: Assembly) -> Dynamics:
        return solve_dynamics(assembly)

    @staticmethod
    def _start_values(assembly: Assembly) -> list[object]:
        model = assembly.model
        s = [state.start for state in assembly.state_records()]
        p = [parameter.value for parameter in model.parameters.values()]
        u = [i.start for i in model.inputs.values()]
        d = [0.0] * len(model.events) + [v.start for v in model.discretes.values()]
        start = ca.Function("start", [assembly.p], [assembly.start])
        return [0.0, s, d, u, p, start(p)]

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
        self.dofs = len(A.dofs)
        self.contacts: tuple[str, ...] = tuple(A.model.contacts)
        self.requirements: tuple[Requirement, ...] = (
            *A.model.requirements.values(),
            *A.model.limits(),
        )
        self.coordinate_names = tuple(c.name for c in A.coordinates)
        self.constraint_names = tuple(q.name for q in A.position_rows)
        names = [s.name for s in self.states]
        repeated = {n for n in names if names.count(n) > 1}
        if repeated:
            raise ModelError(f"states need different names, repeated: {', '.join(repeated)}")

    def _collect_handles(self) -> None:
        """Expressions behind the handles that need the solved dynamics."""
        A, D = self._assembly, self._dynamics
        pairs = [(A.v, D.v), (A.a, D.a)]
        for i, q in enumerate(A.velocity_rows):
            pairs.append((q.dual, A.resolve(total(q.laws)) if q.laws else D.stresses[i]))
        for quantity in [*A.kinematic, *A.dependent, *A.free]:
            laws = A.resolve(total(quantity.laws))
            pairs.append((quantity.dual, laws))
        pairs.append((A.model.kinetic_energy, A.kinetic_energy))
        pairs.append((A.model.potential_energy, A.potential_energy))
        pairs += support_reactions(A, D.v, D.a, D.stresses)
        if D.contacts is not None:
            pairs.append((contact_symbols(A), D.contacts.forces))
        self._solved = (column(h for h, _ in pairs), column(e for _, e in pairs))

    def settled(self, expression: ca.SX) -> ca.SX:
        """Return a user's expression as a function of (t, s, d, u, p, x)."""
        resolved = self._assembly.resolve(ca.SX(expression))
        for _ in range(2):  # a law's stress may hold velocities
            resolved = replace(resolved, *self._solved)
        return resolved

    def _function(
        self, name: str, results: list[ca.SX], extra: list[ca.SX] | None = None
    ) -> ca.Function:
        dense = [ca.densify(r) for r in ca.cse([ca.SX(r) for r in results])]
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

    def _make_newton(self) -> ca.Function:
        return self._function("newton", [self._dynamics.newton_step, self._dynamics.residual])

    def _make_derivative(self) -> ca.Function:
        return self._function("derivative", [self._dynamics.derivative])

    def _make_mass(self) -> ca.Function:
        return self._function("mass", [self._dynamics.M_reduced, self._dynamics.f_reduced])

    def _make_output(self) -> ca.Function:
        results = []
        for output in self.outputs:
            expression = self.settled(output.expression)
            refuse_missing(
                expression, f"output {output.name}", self._assembly, self._dynamics.missing
            )
            results.append(expression)
        return self._function("output", [column(results)])

    def _make_indicator(self) -> ca.Function:
        return self._function("indicator", [column(self.settled(e.indicator) for e in self.events)])

    def _make_free_indicator(self) -> ca.Function:
        closed = column(c.closed for c in self._assembly.model.contacts.values())
        indicators = column(self.settled(e.indicator) for e in self.events)
        open_ = replace(indicators, closed, ca.SX.zeros(closed.numel()))
        return self._function("free_indicator", [ca.simplify(open_)])

    def _make_update(self) -> ca.Function:
        fired = ca.SX.sym("fired", len(self.events))
        contacts = self._dynamics.contacts
        after = Transition(
            self._assembly, contacts, self.events, self.discretes, fired, self.settled
        )
        return self._function("update", [column(after.values.values()), after.states], [fired])

    def _make_project(self) -> ca.Function:
        return self._function("project", [*projection(self._assembly, self._dynamics.contacts)])

    def _make_tangent(self) -> ca.Function:
        A, D = self._assembly, self._dynamics
        direction = ca.SX.sym("direction", A.s.numel() + 1)
        point = column([A.s, A.model.time])
        # x follows s and t by the implicit-function theorem: J ẋ = -residual,(s, t) direction
        x = -D.position.solve(ca.sparsify(ca.jtimes(D.residual, point, direction)))
        change = ca.jtimes(D.derivative, column([point, A.x]), column([direction, x]))
        return self._function("tangent", [change], [direction])

    def _make_require(self) -> ca.Function:
        return self._function(
            "require",
            [
                column(self.settled(r.expression) for r in self.requirements),
                column(self.settled(r.shown) for r in self.requirements),
            ],
        )

    def _regularity(self) -> tuple[list[str], ca.SX]:
        """Names and measures of the blocks that can become singular."""
        A, D = self._assembly, self._dynamics
        names: list[str] = []
        measures: list[ca.SX] = []
        for solver, quantities in (
            (D.position, A.position_rows),
            (D.velocity, A.velocity_rows),
        ):
            for rows, measure in solver.measures():
                value = replace(measure, A.v, ca.SX.zeros(A.v.numel()))
                if not value.is_constant():
                    names.append(", ".join(quantities[i].name for i in rows))
                    measures.append(value)
        return names, column(measures)

    @property
    def regularity_names(self) -> tuple[str, ...]:
        """Names of the deformations and slips of each block that can become singular."""
        return tuple(self._regularity()[0])

    def _make_regularity(self) -> ca.Function:
        return self._function("regularity", [self._regularity()[1]])

    def _make_start(self) -> ca.Function:
        A = self._assembly
        places = [c.unit == "m" for c in A.coordinates]
        size = ca.norm_inf(column(c.start for c, p in zip(A.coordinates, places, strict=True) if p))
        sizes = column(size if place else ca.SX(1) for place in places)
        return self._function("start", [A.start, sizes])

    # Numbers

    @property
    def start_state(self) -> np.ndarray:
        """Start values of the states, shape (ns,)."""
        return np.array([s.start for s in self.states])

    def __repr__(self) -> str:
        A = self._assembly
        return (
            f"<equations of {self.name}: {A.x.numel()} coordinates, {len(A.dofs)} degrees of "
            f"freedom, {len(A.kinematic)} kinematic coordinates, {len(self.states)} states>"
        )
