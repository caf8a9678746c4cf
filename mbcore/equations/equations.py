"""The equations of a model: its roles chosen, its dynamics solved, and functions of the solution.

Analyses and code generation use only this; they never look into an element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

import casadi as ca
import numpy as np

from mbcore.drawing.scene import Scene
from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.multipliers import contact_symbols
from mbcore.equations.assembly.rates import refuse_missing
from mbcore.equations.assembly.speeds import SpeedAssembly
from mbcore.equations.assembly.spins import SpinStates, spin_states
from mbcore.equations.checks.locked_friction import refuse_locked_friction
from mbcore.equations.checks.stray_symbols import refuse_stray_symbols
from mbcore.equations.checks.unused_variables import unused_variables
from mbcore.equations.dynamics import solve_dynamics
from mbcore.equations.elimination.configuration import PlacedConfiguration
from mbcore.equations.elimination.placements import choose_placements
from mbcore.equations.elimination.samples import ClosedSamples, NearStart
from mbcore.equations.elimination.velocity import VelocityProblem
from mbcore.equations.function_results import FunctionResults, Made, takes_remembered
from mbcore.equations.functions import LARGE, POWER, FunctionMaker, Functions
from mbcore.equations.held_motion import HeldMotion
from mbcore.equations.mass_parts import MassParts
from mbcore.equations.meanings import Meanings, forces_in_auxiliary, meanings
from mbcore.equations.records import Records, records
from mbcore.equations.remembered import Remembered, remembered
from mbcore.equations.roles.preparation import (
    checked_start,
    warn_of_outputs,
    warn_of_variables,
    with_roles,
)
from mbcore.equations.unilateral.switched_constraints import switched_multipliers, switched_slips
from mbcore.host.threads import single_threaded
from mbcore.model import summary, wording
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, symbolic
from mbcore.model.quantities import Deformation
from mbcore.model.snapshot import Watched, changes, snapshot
from mbcore.model.system import System, is_system
from mbcore.model.variables import Parameter, type_of

KEPT = "_kept_"
"""Begins the names of attributes that hold what others have made of equations."""


class Equations(summary.Summarized):
    """The equations of motion of a ``model`` with its ``roles``, made near a configuration ``at``.

    `mbcore.equations.function_results` makes the results of its functions.

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
    arrays : tuple of Array
        Those of the variables that are elements of arrays.
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
    fixed : tuple of Parameter
        Parameters that are constants, see `mbcore.equations.fixed_equations`.
    superposed : bool
        Whether they are those of small motions, by `mbcore.equations.superposition.superpose`.
    stands : bool
        Whether these are small motions about wheels that stand.

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
    stands = False
    fixed: tuple[Parameter, ...] = ()
    _torn: Sequence[Deformation] = ()

    @single_threaded
    def __init__(
        self,
        model: System,
        roles: Literal["given", "auto"] = "given",
        at: Mapping[str, float] | None = None,
    ) -> None:
        if not is_system(model):
            raise ModelError(f"equations are made of a model, got {model!r}; give a Model")
        self.name, self._described, self._at = model.name, model, at
        model, self._released, self.chosen_roles = with_roles(model, roles, at)
        model = self.model = self._prepared(model)
        assembly = self.assembly = Assembly(model)
        self.natural_length = checked_start(assembly, at, chosen=roles == "auto")
        self._solve()
        A = self.form
        self.arguments = [*A.arguments[:5], self.configuration.x]
        large = self.configuration.x.numel() > LARGE
        self._maker = FunctionMaker(self.name, self.arguments, A.in_coordinates, large)
        rows = records(self.assembly, A.winding, self._released.requirements())
        self._take_records(rows)
        self._meanings = self._collect_meanings()
        self._results = FunctionResults(
            A,
            self.configuration,
            self.dynamics,
            self._meanings,
            rows,
            None if self.superposed else self.natural_length,
        )
        self._made: dict[str, ca.Function] = {}
        markers = [marker for marker, _ in self.dynamics.missing]  # refused under their own names
        refuse_stray_symbols(A, self.settled, column([*map(symbolic, self.arguments), *markers]))
        refuse_missing(
            self.dynamics.derivative, "the equations of motion", A, self.dynamics.missing
        )
        self._snapshot, self._watched = snapshot(self._described), Watched(self._described)

    def _prepared(self, model: System) -> System:
        """Return the model that is solved; others add to a copy what they need."""
        return model

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
            [type_of(parameter) != "real" for parameter in self.model.parameters.values()],
            natural,
            form.in_coordinates,
        )
        velocity = VelocityProblem(relations, numbers, natural, samples.carried)
        self.dynamics = solve_dynamics(form, velocity)
        refuse_locked_friction(velocity, samples, natural)

    def _take_records(self, records: Records) -> None:
        A = self.assembly
        self.parameters, self.inputs, self.states = (
            records.parameters,
            records.inputs,
            records.states,
        )
        self.discretes, self.events, self.outputs = (
            records.discretes,
            records.events,
            records.outputs,
        )
        self.requirements, self.arrays = records.requirements, records.arrays
        self.dofs, self.speeds = len(A.independent), len(A.speed_slips)
        self.contacts: tuple[str, ...] = tuple(A.model.contacts)
        self.held = tuple(slip.name for slip, _ in switched_slips(A))
        self.constrained = self.contacts + self.held
        self._released.warn_of_forces(self.name, self.outputs)
        unused = unused_variables(A)
        self.unused: tuple[str, ...] = tuple(name for names in unused.values() for name in names)
        if self._at is None:  # others describe the same model in other coordinates
            warn_of_variables(A, unused)
        warn_of_outputs(A, records, self.natural_length)
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
        return tuple(self._results.conditioning_measures[0])

    @property
    def followed(self) -> tuple[int, ...]:
        """Places of the requirements to which the first conditioning measures belong."""
        return tuple(self._results.followed)

    @property
    def functions(self) -> Functions:
        """Functions of (t, s, d, u, p, x) by name."""
        return Functions(self._made, self._function_named)

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

    def _collect_meanings(self) -> Meanings:
        """Return what users' symbols stand for, also in the rates of auxiliary states."""
        A, D = self.form, self.dynamics
        forces = [(switched_multipliers(A), D.switched_forces), (A.implicit.forces, D.law_forces)]
        if D.contacts is not None:
            forces.append((contact_symbols(A), D.contacts.forces))
        if D.switched is not None:
            forces.append(D.switched.meanings(D.switched_forces))
        found = meanings(A, D, (D.v, D.a), D.stresses, forces)
        if forces_in_auxiliary(A):
            last = len(self.states) - A.z.numel()
            D.derivative = column([D.derivative[:last], found.settled(D.derivative[last:])])
        return found

    def settled(self, expression: ca.SX) -> ca.SX:
        """Return a user's expression in (t, s, d, u, p, x)."""
        return self._meanings.settled(expression)

    def function(
        self,
        name: str,
        results: Sequence[ca.SX],
        extra: Sequence[ca.SX] = (),
        seldom: bool = False,
    ) -> ca.Function:
        """Return a function of (t, s, d, u, p, x), then of ``extra``, of settled expressions.

        It is called ``name`` and gives ``results``. One that Python evaluates ``seldom`` is made
        in less time, and may repeat a sixth of its operations there; in C none does.

        Raises
        ------
        ModelError
            Naming symbols that are none of the arguments.
        """
        return self._maker.make(name, results, extra, seldom)

    def tears_function(self) -> ca.Function:
        """Return the function from a configuration to the values of the tears."""
        return self.function("tears", [column(self.form.strain(q) for q in self._torn)])

    def slips_function(self) -> ca.Function:
        """Return the function of the held slips, zero for those not held at present, (nh,)."""
        return self._function_of("slips", self._results.slips())

    def slips_change_function(self) -> ca.Function:
        """Return the function of their changes by a variation of (s, t, u, p), (nh,)."""
        return self._function_of("slips_change", self._results.slips_change())

    def gaps_function(self) -> ca.Function:
        """Return the function of gaps and of their rates, (2 nc,)."""
        return self._function_of("gaps", self._results.gaps())

    def gaps_change_function(self) -> ca.Function:
        """Return the function of their changes by a variation of (s, t, u, p), (2 nc,)."""
        return self._function_of("gaps_change", self._results.gaps_change())

    def pushes_change_function(self) -> ca.Function:
        """Return the function of what changes of constraint forces add to accelerations, (nd,)."""
        return self._function_of("pushes_change", self._results.pushes_change())

    def _function_named(self, name: str) -> ca.Function:
        """Return the function of a row of ``FUNCTIONS``."""
        numbers = self.remembered.numbers if takes_remembered(name) else ()
        return self._function_of(name, self._results.made(name, numbers))

    def _function_of(self, name: str, made: Made) -> ca.Function:
        return self.function(name, made.results, made.extra, seldom=name in POWER)

    @property
    def spins(self) -> tuple[SpinStates, ...]:
        """Where the states of each free rotation are."""
        return spin_states(self.assembly)

    def scene(self) -> Scene:
        """Return the scene of the model: its shapes as one function of (t, s, d, u, p, x).

        Raises
        ------
        ModelError
            If nothing has a shape, or a number of one is not finite at the start.
        """
        return Scene(self._described, self)

    # What others make of them

    def kept(self, what: str, make: Callable[[], Any]) -> Any:
        """Return ``what`` analyses make of these equations, made when it is first asked for."""
        name = KEPT + what
        if name not in self.__dict__:
            self.__dict__[name] = make()
        return self.__dict__[name]

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
        """Numbers that events set and on which motion depends."""
        return remembered(self.events, self.discretes, self.functions)

    @property
    def known(self) -> ca.SX:
        """Arguments that determine the configuration: (s, t, u, p)."""
        return self._results.known

    @property
    def held_motion(self) -> HeldMotion | None:
        """The motion with degrees of freedom held; None where it is not solved in this form."""
        return self._results.held_motion

    @property
    def obeys_power(self) -> bool:
        """Whether their accelerations can be checked by virtual power.

        They cannot without degrees of freedom, or superposed.
        """
        return self._results.obeys_power

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
