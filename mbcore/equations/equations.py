"""The equations of a model: its roles chosen, its dynamics solved, and functions of what is solved.

Analyses and code generation use only this; they never look into an element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, Literal

import casadi as ca
import numpy as np

from mbcore.drawing.scene import Scene
from mbcore.equations.assembly.accelerations import observed_accelerations, refuse_accelerations
from mbcore.equations.assembly.assembly import Assembly, SpinStates
from mbcore.equations.assembly.elastic_energy import warn_of_energy
from mbcore.equations.assembly.implicit_laws import constraint_forces
from mbcore.equations.assembly.multipliers import contact_symbols
from mbcore.equations.assembly.rates import rate_use, refuse_missing
from mbcore.equations.assembly.reactions import reactions
from mbcore.equations.assembly.speeds import SpeedAssembly
from mbcore.equations.changes import differentiated, solved_changes
from mbcore.equations.checks.constant_checks import check_constants
from mbcore.equations.checks.dimension_checks import warn_of_dimensions
from mbcore.equations.checks.formula_checks import check_formulas
from mbcore.equations.checks.locked_friction import refuse_locked_friction
from mbcore.equations.checks.moved_starts import moved_starts, warn_of_moves
from mbcore.equations.checks.stray_symbols import refuse_stray_symbols
from mbcore.equations.checks.unused_variables import unused_variables, warn_of_unused
from mbcore.equations.checks.variable_checks import check_variables, warn_of_fmu_names
from mbcore.equations.checks.zero_stresses import warn_of_zero_stresses
from mbcore.equations.dynamics import solve_dynamics
from mbcore.equations.elimination.configuration import PlacedConfiguration
from mbcore.equations.elimination.relations import choose_placements
from mbcore.equations.elimination.samples import ClosedSamples, NearStart
from mbcore.equations.elimination.velocity import VelocityProblem
from mbcore.equations.functions import FUNCTIONS
from mbcore.equations.held_motion import HeldMotion, held_motion
from mbcore.equations.mass_parts import MassParts
from mbcore.equations.remembered import Remembered, remembered
from mbcore.equations.roles.automatic import automatic_roles
from mbcore.equations.roles.choice import check_roles
from mbcore.equations.roles.redundancy import Released
from mbcore.equations.unilateral.switched_constraints import switched_multipliers, switched_slips
from mbcore.equations.unilateral.transitions import Transition, projection
from mbcore.equations.virtual_power import VirtualPower
from mbcore.host.threads import single_threaded
from mbcore.model import summary, wording
from mbcore.model.checks import refuse_at_start
from mbcore.model.errors import ModelError
from mbcore.model.expressions import (
    column,
    dense,
    depends,
    hashes,
    replace,
    scalars,
    symbolic,
)
from mbcore.model.interface.range_requirements import range_requirements
from mbcore.model.quantities import Deformation, Slip
from mbcore.model.snapshot import Watched, changes, snapshot
from mbcore.model.system import System
from mbcore.model.variables import Discrete, Event, Input, Output, Parameter, Requirement, State

SAME_DEPTH = 6
"""Depth to which measures of both Jacobians are compared: equal ones are evaluated once."""


class Functions(Mapping[str, ca.Function]):
    """The functions of equations by name, each made on first use.

    A view that the equations do not refer to: a circle of references would keep large expressions
    in memory until the garbage collector runs.
    """

    def __init__(self, equations: Equations) -> None:
        self._equations = equations

    def __getitem__(self, name: str) -> ca.Function:
        made = self._equations._made
        if name not in made:
            if name not in FUNCTIONS:
                raise KeyError(name)
            made[name] = getattr(self._equations, f"_make_{name}")()
        return made[name]

    def has_made(self, name: str) -> bool:
        """Return whether a function has been made already."""
        return name in self._equations._made

    def __iter__(self) -> Iterator[str]:
        return iter(FUNCTIONS)

    def __len__(self) -> int:
        return len(FUNCTIONS)


class Equations(summary.Summarized):
    """What ``Model.equations`` returns, for a ``model``, its ``roles`` and a configuration ``at``.

    ``_make_NAME`` makes the function of each name in ``FUNCTIONS``.

    Attributes
    ----------
    model : System
        The model with all roles; a copy if they have been chosen.
    assembly : Assembly
        Index sets over the nodes' coordinates.
    form : Assembly
        The index sets over speeds, which are solved.
    configuration, dynamics : Configuration, Dynamics
        Solutions of the position problem, and of the problems of velocity and acceleration.
    arguments : list of SX
        Arguments of all functions, (t, s, d, u, p, x).
    natural_length : float
        Size of the mechanism, m: `mbcore.equations.elimination.unit_sizes`.
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
        Both together: constraints that events switch on, and onto which states are projected.
    coordinate_names, constraint_names, conditioning_names : tuple of str
        Names of the entries of x, of the conditions that iteration solves, and of the blocks of
        both Jacobians.
    iterated : int
        Number of the first coordinates that the position problem iterates; the others follow.
    functions : mapping of str to casadi.Function
        ``newton`` (x after a step, residual), ``place`` (x with what follows), ``derivative``,
        ``output``, ``indicator``,
        ``free_indicator`` (where no contact is closed and no slip held, cheaper), ``update`` (with
        a seventh argument; discrete variables and states), ``project`` (states with closed
        contacts closed again and held slips zero, drift), ``tangent`` (with a direction in
        (s, t)), ``require``, ``conditioning``, ``virtual_power``, ``power_size`` (of its terms),
        ``power_error`` (of accelerations), ``rate_use``, ``start``, ``mass`` (reduced mass matrix
        and force),
        ``change`` (of rates and outputs), ``rate_change`` (with a variation of (s, t, u, p)),
        ``remembered_change``, ``indicator_change``, ``jump_change``, ``project_change`` (with one
        of (s, t, u, p, d)), ``held`` and ``held_change`` (with a variation of (s, u, q̈)),
        ``adjoint_change`` (with seeds of rates and outputs; a sensitivity to (s, t, u, p)).
    chosen_roles : tuple of str
        The roles chosen by ``roles="auto"``, with reasons. The model itself is not changed.
    indeterminate : tuple of str
        Names of constraints whose forces are not unique, because ``roles="auto"`` had to release
        redundant ones.
    unused : tuple of str
        Names of parameters, inputs and auxiliary states that nothing uses, told in a
        `ModelWarning`.
    superposed : bool
        Whether they are those of small motions, by `mbcore.equations.superposition.superpose`.

    Raises
    ------
    ModelError, RoleError
        If the model cannot be solved as it is described.
    """

    _elsewhere: ClassVar[dict[str, str]] = {
        "simulate": "it is a function: simulate(equations, until=1.0)",
        "linearize": "it is a function: linearize(equations)",
        "equilibrium": "it is a function: equilibrium(equations)",
        "compile": "it is a function: compile_equations(equations)",
    }

    superposed = False
    _torn: Sequence[Deformation] = ()

    @single_threaded
    def __init__(
        self,
        model: System,
        roles: Literal["given", "auto"] = "given",
        at: Mapping[str, float] | None = None,
    ) -> None:
        if not isinstance(model, System):
            raise ModelError(f"equations are made of a model, got {model!r}; give a Model")
        self.name, self._described, self._at = model.name, model, at
        parameters, found = model.parameters, [*model.elements.checks(), *model.nodes.checks()]
        refuse_at_start(found, parameters.symbols, parameters.start_values)
        refuse_accelerations(model)
        self.chosen_roles: tuple[str, ...] = ()
        self._released = Released()
        if roles == "auto":
            model, self._released, self.chosen_roles = automatic_roles(model, at)
        elif roles != "given":
            raise ModelError(f"roles is 'given' or 'auto', got {roles!r}")
        self.model = model
        assembly = self.assembly = Assembly(model)
        check_formulas(assembly)
        check_constants(assembly)
        check_variables(assembly)
        start = assembly.start_values(at)
        self.natural_length = check_roles(assembly, start, chosen=roles == "auto")
        if at is None:
            warn_of_moves(model.name, moved_starts(assembly, start, self.natural_length))
        self._solve()
        A = self.form
        self.arguments = [*A.arguments[:5], self.configuration.x]
        self._make_records()
        self._collect_symbols()
        self._made: dict[str, ca.Function] = {}
        markers = [marker for marker, _ in self.dynamics.missing]  # refused under their own names
        refuse_stray_symbols(A, self.settled, column([*map(symbolic, self.arguments), *markers]))
        refuse_missing(
            self.dynamics.derivative, "the equations of motion", A, self.dynamics.missing
        )
        self._snapshot, self._watched = snapshot(self._described), Watched(self._described)

    def _solve(self) -> None:
        """Set the form of the assembly that is solved, its configuration and its dynamics."""
        form = SpeedAssembly(self.model)
        relations = choose_placements(form)
        natural, start = self.natural_length, form.start_values(self._at)
        numbers = NearStart(relations, start, natural)
        self._torn = relations.tears
        self.form: Assembly = form
        self.configuration = PlacedConfiguration(relations, numbers, natural).make()
        samples = ClosedSamples(
            self.configuration,
            form.arguments[:5],
            [np.array(value, float) for value in start[:5]],
            [bool(parameter.items) for parameter in self.model.parameters.values()],
            natural,
            form.in_coordinates,
        )
        velocity = VelocityProblem(relations, numbers, natural, samples)
        self.dynamics = solve_dynamics(form, velocity)
        refuse_locked_friction(velocity, samples, natural)

    def _make_records(self) -> None:
        A = self.assembly
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
        self.held = tuple(slip.name for slip, _ in switched_slips(A))
        self.constrained = self.contacts + self.held
        self.requirements: tuple[Requirement, ...] = (
            *A.model.requirements.values(),
            *range_requirements(
                ((element.name, element.checks) for element in A.model.elements.values()),
                A.model.parameters,
            ),
            # An angle that is solved for with its turns has no limit of turns.
            *(r for r in A.model.limits() if r.name not in self.form.winding),
            *self._released.requirements(),
        )
        self._released.warn_of_forces(self.name, self.outputs)
        unused = unused_variables(A)
        self.unused: tuple[str, ...] = tuple(name for names in unused.values() for name in names)
        if self._at is None:  # others describe the same model in other coordinates
            warn_of_unused(self.name, unused)
            warn_of_fmu_names(A)
            warn_of_dimensions(A)
            warn_of_zero_stresses(A)
        if depends(column(o.expression for o in self.outputs), A.model.potential_energy):
            given = [0.0, *(i.start for i in self.inputs)], [p.value for p in self.parameters]
            warn_of_energy(A.model.name, A.elastic, given, self.natural_length)
        self.coordinate_names = self.configuration.names
        self.constraint_names = self.configuration.conditions
        self.iterated = self.configuration.iterated

    @property
    def indeterminate(self) -> tuple[str, ...]:
        """Names of constraints whose forces are not unique because some are redundant."""
        return tuple(q.name for q in self._released.involved)

    @property
    def conditioning_names(self) -> tuple[str, ...]:
        """Names of the measures: limits, and the quantities of blocks that can be singular."""
        return tuple(self._conditioning[0])

    @property
    def followed(self) -> tuple[int, ...]:
        """Places of the requirements to which the first conditioning measures belong."""
        return tuple(self._followed)

    @property
    def functions(self) -> Functions:
        """Functions of (t, s, d, u, p, x) by name."""
        return Functions(self)

    # Changes of the model

    def belong_with(self, other: Equations) -> None:
        """Take the model's state of ``other`` equations as that of these.

        It is for equations made while the model temporarily had other roles: otherwise these would
        be refused as soon as the roles are restored.
        """
        self._described, self._snapshot = other._described, other._snapshot
        self._watched = other._watched

    def refuse_stale(self) -> None:
        """Refuse equations if the model has been changed since they were made.

        Raises
        ------
        ModelError
            Naming the changes.
        """
        if self._watched.is_same():
            return
        changed = changes(self._snapshot, snapshot(self._described))
        if not changed:
            self._watched = Watched(self._described)
        else:
            raise ModelError(
                f"{self.name}: the model was changed after these equations were made ({changed}); "
                "make them again: equations = model.equations()"
            )

    # What is solved

    def _collect_symbols(self) -> None:
        """Expressions behind the symbols that need the solved dynamics."""
        A, D = self.form, self.dynamics
        forces = [(switched_multipliers(A), D.switched_forces), (A.implicit.forces, D.law_forces)]
        if D.contacts is not None:
            forces.append((contact_symbols(A), D.contacts.forces))
        if D.switched is not None:
            forces.append(D.switched.meanings)
        self._symbols = self._user_symbols(D.v, D.a, D.stresses, forces)

        if self._forces_in_auxiliary:
            last = len(self.states) - A.z.numel()
            D.derivative = column([D.derivative[:last], self.settled(D.derivative[last:])])

    @cached_property
    def _forces_in_auxiliary(self) -> bool:
        """Whether derivatives of auxiliary states contain forces that the dynamics give."""
        if not self.model.states:
            return False
        duals = column(q.dual for q in self.form.quantities())
        forces = hashes(duals) | hashes(constraint_forces(self.model))
        return bool(forces & hashes(column(rate for _, rate in self.model.states.values())))

    def _user_symbols(
        self, v: ca.SX, a: ca.SX, stresses: ca.SX, forces: Sequence[tuple[ca.SX, ca.SX]] = ()
    ) -> tuple[ca.SX, ca.SX]:
        """Users' symbols, with expressions in velocities, accelerations and stresses."""
        A = self.form
        pairs = [(A.v, v), (A.a, a), self.dynamics.signal_rates]
        for i, q in enumerate(A.velocity_rows):
            pairs.append((q.dual, A.resolve(A.implicit.of(q)) if q.laws else stresses[i]))
        for quantity in [*A.kinematic, *A.dependent, *A.free]:
            force = A.resolve(A.implicit.of(quantity))
            if isinstance(quantity, Slip) and quantity.held is not None:
                force -= quantity.held.multiplier
            pairs.append((quantity.dual, force))
        pairs.append((A.model.kinetic_energy, A.kinetic_energy))
        pairs.append((A.model.potential_energy, A.potential_energy))
        pairs += reactions(A, v, a, stresses)
        pairs += observed_accelerations(A)
        pairs += forces
        return column(h for h, _ in pairs), column(e for _, e in pairs)

    def settled(self, expression: ca.SX, replaced: tuple[ca.SX, ca.SX] | None = None) -> ca.SX:
        """Return a user's expression in (t, s, d, u, p, x), or with the symbols ``replaced``."""
        resolved = self.form.resolve(symbolic(expression))
        # Reactions are replaced by stresses, these by laws, which may contain velocities in turn.
        for _ in range(2):
            resolved = replace(resolved, *(replaced or self._symbols))
        return resolved

    def function(self, name: str, results: list[ca.SX], extra: Sequence[ca.SX] = ()) -> ca.Function:
        """Return a function of (t, s, d, u, p, x), then of ``extra``, of settled expressions.

        It is called ``name`` and gives ``results``.

        Raises
        ------
        ModelError
            Naming symbols that are none of the arguments.
        """
        in_coordinates = self._in_coordinates([symbolic(r) for r in results])
        # Formulas that elements repeat are evaluated once; in C, each would be written again.
        whole = [dense(r) for r in ca.cse(in_coordinates)]
        arguments_ = [*self.arguments, *extra]
        stray = set()
        known = self._argument_hashes | hashes(column(map(symbolic, extra)))
        for result in whole:
            stray |= {s.name() for s in ca.symvar(result) if s.element_hash() not in known}
        if stray:
            raise ModelError(
                f"{self.name}, {name}: unknown symbols {', '.join(sorted(stray))}; use symbols of "
                "this model's parameters, inputs, states and handles only"
            )
        return ca.Function(name, arguments_, whole)

    @cached_property
    def _argument_hashes(self) -> set[int]:
        """Hashes of the symbols in ``arguments``."""
        return hashes(column(map(symbolic, self.arguments)))

    def tears_function(self) -> ca.Function:
        """Return the function from a configuration to the values of the tears."""
        return self.function("tears", [column(self.form.strain(q) for q in self._torn)])

    def slips_function(self) -> ca.Function:
        """Return the function of the held slips, zero for those not held at present, (nh,)."""
        switched = self.dynamics.switched
        slips = ca.SX(0, 1) if switched is None else switched.active * switched.slip
        return self.function("slips", [slips])

    def slips_change_function(self) -> ca.Function:
        """Return the function of their changes by a variation of (s, t, u, p), (nh,)."""
        switched = self.dynamics.switched
        slips = ca.SX(0, 1) if switched is None else switched.active * switched.slip
        return self._changing("slips_change", slips)

    def _in_coordinates(self, results: list[ca.SX]) -> list[ca.SX]:
        """Replace directions in all results at once, so that common subexpressions stay common."""
        ends = np.cumsum([0, *(r.numel() for r in results)])
        whole = self.form.in_coordinates(column(ca.vec(dense(r)) for r in results))
        return [
            ca.reshape(whole[int(a) : int(b)], r.shape)
            for a, b, r in zip(ends[:-1], ends[1:], results, strict=True)
        ]

    @property
    def spins(self) -> tuple[SpinStates, ...]:
        """Where the states of each free rotation are."""
        return self.assembly.spins()

    def scene(self) -> Scene:
        """Return the scene of the model: its shapes as one function of (t, s, d, u, p, x).

        Raises
        ------
        ModelError
            If nothing has a shape, or a number of one is not finite at the start.
        """
        return Scene(self._described, self)

    # Numbers

    @cached_property
    def mass_parts(self) -> MassParts | None:
        """Sparse parts of the reduced mass matrix; None where laws of the state change it."""
        if self.superposed or self.dynamics.laws_of_state:
            return None
        return MassParts(self.dynamics.velocity, self.function)

    def nodal_coordinates(self, x: np.ndarray) -> np.ndarray:
        """Return the nodes' coordinates in their own order from x."""
        if self._nodal_places is None:
            place = {name: i for i, name in enumerate(self.coordinate_names)}
            names = [c.name for c in self.assembly.coordinates]
            self._nodal_places = np.array([place[name] for name in names], int)
        return np.asarray(x)[self._nodal_places]

    _nodal_places: np.ndarray | None = None

    @property
    def winding_names(self) -> tuple[str, ...]:
        """Names of dependent deformations in couplings whose values are among x."""
        return tuple(self.form.winding)

    def winding_values(self, x: np.ndarray) -> np.ndarray:
        """Return their values at coordinates ``x``, rad, with the number of turns."""
        place = {name: i for i, name in enumerate(self.coordinate_names)}
        return np.asarray(x)[[place[name] for name in self.winding_names]]

    @property
    def start_state(self) -> np.ndarray:
        """Start values of the states, shape (ns,)."""
        return np.array([s.start for s in self.states])

    @cached_property
    def remembered(self) -> Remembered:
        """What events set and motion depends on."""
        return remembered(self.events, self.discretes, self.functions)

    # What each function is made of

    def _make_newton(self) -> ca.Function:
        C = self.configuration
        return self.function("newton", [C.following, C.residual])

    def _make_place(self) -> ca.Function:
        return self.function("place", [self.configuration.placed])

    def _make_derivative(self) -> ca.Function:
        return self.function("derivative", [self.dynamics.derivative])

    def _make_mass(self) -> ca.Function:
        return self.function("mass", [self.dynamics.M_reduced, self.dynamics.f_reduced])

    @cached_property
    def _observed(self) -> ca.SX:
        """The outputs, shape (ny, 1)."""
        outputs = self.outputs
        observed = self.settled(column(output.expression for output in outputs))
        missing = self.dynamics.missing
        if depends(observed, column(marker for marker, _ in missing)):
            for output, expression in zip(outputs, scalars(observed), strict=True):
                refuse_missing(expression, f"output {output.name}", self.form, missing)
        return observed

    def _make_output(self) -> ca.Function:
        return self.function("output", [self._observed])

    @cached_property
    def _indicators(self) -> ca.SX:
        return self.settled(column(event.indicator for event in self.events))

    def _make_indicator(self) -> ca.Function:
        return self.function("indicator", [self._indicators])

    def _make_free_indicator(self) -> ca.Function:
        # With these modes at zero CasADi drops all multipliers, and with them most of the cost.
        closed = column(e.active for e in self.events if e.kind in ("closed_contact", "held_slip"))
        open_ = replace(self._indicators, closed, ca.SX.zeros(closed.numel()))
        return self.function("free_indicator", [ca.simplify(open_)])

    def _transition(self, fired: ca.SX) -> Transition:
        contacts = self.dynamics.contacts
        return Transition(
            self.form,
            contacts,
            self.dynamics.switched,
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
        return projection(self.form, self.dynamics.contacts, self.dynamics.switched)

    def _make_tangent(self) -> ca.Function:
        known = column([self.form.s, self.form.model.time])
        direction = ca.SX.sym("direction", known.numel())
        ds = self._differentiated(self.dynamics.derivative, known, direction)
        return self.function("tangent", [ds], [direction])

    def _make_rate_change(self) -> ca.Function:
        return self._changing("rate_change", self.dynamics.derivative)

    def _make_change(self) -> ca.Function:
        variation, ds, y = self._observed_change
        return self.function("change", [ds, y], [variation])

    def _make_adjoint_change(self) -> ca.Function:
        # changes are linear in the variation, so their reverse derivative by it is the transpose
        variation, ds, y = self._observed_change
        seeds = [
            ca.SX.sym(f"{name}_seed", of.numel()) for name, of in (("rate", ds), ("output", y))
        ]
        adjoint = ca.jtimes(column([ds, y]), variation, column(seeds), True)
        return self.function("adjoint_change", [adjoint], seeds)

    def _make_remembered_change(self) -> ca.Function:
        return self._passing("remembered_change", [self.dynamics.derivative], known=False)

    def _make_indicator_change(self) -> ca.Function:
        return self._passing("indicator_change", [self._indicators])

    def _make_jump_change(self) -> ca.Function:
        fired = ca.SX.sym("fired", len(self.events))
        after = self._transition(fired)
        values = column(after.values.values())
        others = [i for i in range(values.numel()) if i not in self.remembered.numbers]
        values[others] = 0
        return self._passing("jump_change", [after.states, values], [fired])

    def _make_project_change(self) -> ca.Function:
        return self._passing("project_change", [self._projection[0]])

    @cached_property
    def _observed_change(self) -> tuple[ca.SX, ca.SX, ca.SX]:
        """A variation of (s, t, u, p), and the changes of rates and outputs."""
        known, observed = self.known, self._observed
        variation = ca.SX.sym("variation", known.numel())
        both = solved_changes(
            self.dynamics, self.configuration, known, variation, self._observed_by
        )
        if both is None:
            everything = column([self.dynamics.derivative, observed])
            both = self._differentiated(everything, known, variation)
        ns = len(self.states)
        both = ca.cse(both)  # else the reverse mode would visit equal values repeatedly
        return variation, both[:ns, 0], both[ns:, 0]

    def _observed_by(self, stresses: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Rates of auxiliary states, and outputs, given stresses.

        They are in symbols of velocities and accelerations.
        """
        replaced = self._user_symbols(self.form.v, self.form.a, stresses)
        auxiliary = self.dynamics.reduced.rate_of.z_rates
        if self._forces_in_auxiliary:
            auxiliary = self.settled(auxiliary, replaced)
        return auxiliary, self.settled(column(o.expression for o in self.outputs), replaced)

    def _differentiated(self, of: ca.SX, known: ca.SX, variation: ca.SX) -> ca.SX:
        return differentiated(self.form, self.configuration, of, known, variation)

    @property
    def known(self) -> ca.SX:
        """Arguments that determine the configuration: (s, t, u, p)."""
        A = self.form
        return column([A.s, A.model.time, A.u, A.p])

    def _changing(self, name: str, of: ca.SX, extra: Sequence[ca.SX] = ()) -> ca.Function:
        """Return the function of an expression's change by a variation of (s, t, u, p)."""
        variation = ca.SX.sym("variation", self.known.numel())
        change = self._differentiated(of, self.known, variation)
        return self.function(name, [change], [*extra, variation])

    def _passing(
        self, name: str, of: Sequence[ca.SX], extra: Sequence[ca.SX] = (), known: bool = True
    ) -> ca.Function:
        """Return the function of expressions' changes by a variation of (s, t, u, p, d).

        Of d those of remembered numbers count, without ``known`` they alone.
        """
        many, numbers = self.known.numel(), self.remembered.numbers
        variation = ca.SX.sym("whole_variation", many + len(self.discretes))
        symbols = column(symbolic(self.discretes[i].symbol) for i in numbers)
        by = column(variation[many + i] for i in numbers)
        if known:
            symbols, by = column([self.known, symbols]), column([variation[:many], by])
        change = self._differentiated(column(of), symbols, by)
        parts = ca.vertsplit(change, list(np.cumsum([0, *(one.numel() for one in of)])))
        return self.function(name, parts, [*extra, variation])

    @cached_property
    def held_motion(self) -> HeldMotion | None:
        """The motion with degrees of freedom held; None where it is not solved in this form."""
        if self.superposed:
            return None
        return held_motion(self.dynamics, self.configuration, self._observed_by)

    def _held(self, name: str) -> HeldMotion:
        if self.held_motion is None:
            raise ModelError(f"{self.name} has no function {name!r}: its laws have kinks or more")
        return self.held_motion

    def _make_held(self) -> ca.Function:
        return self.function("held", [self._held("held").values()])

    def _make_held_change(self) -> ca.Function:
        known = column([self.form.s, self.form.u])
        both = ca.SX.sym("held_variation", known.numel() + self.dofs)
        variation, accelerations = both[: known.numel()], both[known.numel() :]
        change = self._held("held_change").changes(known, variation, accelerations)
        return self.function("held_change", [change], [both])

    def _make_require(self) -> ca.Function:
        return self.function(
            "require",
            [
                self.settled(column(r.expression for r in self.requirements)),
                self.settled(column(r.shown for r in self.requirements)),
            ],
        )

    @cached_property
    def _followed(self) -> dict[int, ca.SX]:
        """Measures that requirements follow, by the requirements' places."""
        found = {
            i: self.settled(r.followed)
            for i, r in enumerate(self.requirements)
            if r.followed is not None
        }
        return {i: value for i, value in found.items() if not value.is_constant()}

    @cached_property
    def _conditioning(self) -> tuple[list[str], ca.SX]:
        """Names and measures of followed limits, then of blocks that can be singular."""
        A = self.form
        names = [self.requirements[i].name for i in self._followed]
        measures = list(self._followed.values())
        for name, measure in [*self.configuration.measures, *self.dynamics.measures]:
            value = replace(measure, A.v, ca.SX.zeros(A.v.numel()))
            if not value.is_constant() and not any(
                ca.is_equal(value, known, SAME_DEPTH) for known in measures
            ):
                names.append(name)
                measures.append(value)
        return names, column(measures)

    def _make_conditioning(self) -> ca.Function:
        return self.function("conditioning", [self._conditioning[1]])

    @property
    def obeys_power(self) -> bool:
        """Whether their accelerations can be checked by virtual power.

        They cannot without degrees of freedom, or superposed.
        """
        return bool(self.dofs) and not self.superposed

    @cached_property
    def _virtual_power(self) -> VirtualPower | None:
        if not self.obeys_power:
            return None
        return VirtualPower(self.dynamics.reduced, self.natural_length)

    def _make_virtual_power(self) -> ca.Function:
        power = self._virtual_power
        none = ca.SX.zeros(self.dofs)
        parts = [none, none] if power is None else [power.left, power.part]
        return self.function("virtual_power", parts)

    def _make_power_size(self) -> ca.Function:
        power = self._virtual_power
        size = ca.SX.zeros(self.dofs) if power is None else power.size
        return self.function("power_size", [size])

    def _make_power_error(self) -> ca.Function:
        power = self._virtual_power
        return self.function("power_error", [ca.SX(0) if power is None else power.error])

    def _make_rate_use(self) -> ca.Function:
        if not any(record.rate for record in self.inputs):
            return self.function("rate_use", [ca.SX.zeros(len(self.inputs))])
        known = column(self.arguments)
        return self.function("rate_use", [rate_use(self.form, self.dynamics.felt_motions, known)])

    def _make_start(self) -> ca.Function:
        C = self.configuration
        lengths = zip(ca.vertsplit(C.start), C.lengths, strict=True) if C.names else []
        size = ca.norm_inf(column(value for value, is_length in lengths if is_length))
        sizes = column(size if is_length else ca.SX(1) for is_length in C.lengths)
        return self.function("start", [C.start, sizes])

    # Summary

    def _title(self) -> str:
        return f"equations of {self.name}"

    def _facts(self) -> list[str]:
        A = self.form
        return [
            f"{wording.count(A.x.numel(), 'coordinate')}, "
            f"{wording.count(self.dofs, 'degree of freedom')}, "
            f"{wording.count(len(A.kinematic), 'kinematic coordinate')}, "
            f"{wording.count(len(self.states), 'state')}",
            f"{wording.count(len(self.inputs), 'input')}, "
            f"{wording.count(len(self.outputs), 'output')}",
        ]

    def _tables(self) -> list[summary.Table]:
        chosen = [(line,) for line in self.chosen_roles]
        return [
            *summary.variable_tables(
                ("states", self.states, "start"),
                ("inputs", self.inputs, "start"),
                ("outputs", self.outputs, None),
                ("parameters", self.parameters, "value"),
            ),
            summary.Table("chosen roles", ("role",), chosen),
        ]


def checked_equations(what: str, given: object) -> Equations:
    """Return equations, and refuse anything else.

    Raises
    ------
    ModelError
        Naming ``what`` they were given to.
    """
    if not isinstance(given, Equations):
        raise ModelError(f"{what} takes equations, got {given!r}; give model.equations()")
    return given
