"""A model whose roles are set and whose equations are solved, as expressions with their records.

The part of `mbcore.equations.equations` that functions are made of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Literal

import casadi as ca
import numpy as np

from mbcore.equations.assembly.accelerations import refuse_accelerations, shown_accelerations
from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.elastic_energy import warn_of_energy
from mbcore.equations.assembly.multipliers import contact_symbols
from mbcore.equations.assembly.rates import refuse_missing
from mbcore.equations.assembly.reactions import support_reactions
from mbcore.equations.assembly.speeds import SpeedAssembly
from mbcore.equations.changes import Changes, unsolved
from mbcore.equations.checks.stray_symbols import refuse_stray_symbols
from mbcore.equations.dynamics import solve_dynamics
from mbcore.equations.elimination.configuration import PlacedConfiguration
from mbcore.equations.elimination.relations import choose_placements
from mbcore.equations.elimination.samples import ClosedSamples
from mbcore.equations.elimination.unit_sizes import sizes_of
from mbcore.equations.elimination.velocity import VelocityProblem
from mbcore.equations.roles.choice import check_roles, choose_free_rotations, choose_roles
from mbcore.equations.roles.redundancy import Released, release_redundant
from mbcore.equations.roles.redundant_forces import stay_met, warn_of_forces
from mbcore.equations.sides import Sides, inwards
from mbcore.equations.unilateral.switched_constraints import switched_multipliers, switched_slips
from mbcore.equations.variables import check_variables
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace, total
from mbcore.model.interface.range_requirements import range_requirements
from mbcore.model.quantities.slips import Slip
from mbcore.model.system import System
from mbcore.model.variables import Discrete, Event, Input, Output, Parameter, Requirement, State


class SolvedModel:
    """A model as it is solved, a part of `Equations`: roles, records and solved dynamics.

    ``settled`` puts all that was solved into what users wrote; ``function`` makes a function of
    that. Records and counts are the attributes of `Equations` of the same names.

    Attributes
    ----------
    model : System
        With all roles; a copy where they have been chosen.
    assembly : Assembly
        Index sets over the nodes' coordinates.
    form : Assembly
        The form of it that is solved.
    configuration, dynamics
        Solutions of the position problem, and of the problems of velocity and acceleration.
    released : Released
        Redundant constraints.
    natural_length : float
        Size of the mechanism, m: `mbcore.equations.elimination.unit_sizes`.

    Raises
    ------
    ModelError, RoleError
        If the model cannot be solved as it is described.
    """

    def __init__(
        self,
        model: System,
        roles: Literal["given", "auto"] = "given",
        at: Mapping[str, float] | None = None,
    ) -> None:
        if not isinstance(model, System):
            raise ModelError(f"equations are made of a model, got {model!r}; give a Model")
        self.name = model.name
        self._at = at
        model.refuse_at_start()
        refuse_accelerations(model)
        self.chosen_roles: tuple[str, ...] = ()
        self.released = Released()
        if roles == "auto":
            model = deepcopy(model)  # the user's keeps its roles; symbols are the same
            self._choose_roles(model)
        elif roles != "given":
            raise ModelError(f"roles is 'given' or 'auto', got {roles!r}")
        self.model = model
        assembly = self.assembly = Assembly(model)
        check_variables(assembly)
        start = self._start_values(assembly)
        self.natural_length = check_roles(assembly, start, chosen=roles == "auto")
        self._solve()
        A = self.form
        self.arguments = [A.model.time, A.s, A.d, A.u, A.p, self.configuration.x]
        self._make_records()
        self._collect_symbols()
        markers = [marker for marker, _ in self.dynamics.missing]  # refused under their own names
        refuse_stray_symbols(A, self.settled, column([*map(ca.SX, self.arguments), *markers]))
        refuse_missing(
            self.dynamics.derivative, "the equations of motion", A, self.dynamics.missing
        )

    def _choose_roles(self, model: System) -> None:
        """Give roles where none are given, and release what is redundant everywhere."""
        assembly = Assembly(model)
        freed = choose_free_rotations(assembly, self._start_values(assembly))
        assembly = Assembly(model)
        self.released, values = release_redundant(assembly, self._start_values(assembly))
        redundant = tuple(
            f"{q.name} is released: it follows everywhere from other constraints, among which the "
            "force is not unique"
            for q in self.released.released
        )
        assembly = Assembly(model)
        kept_out = {q.name for q in self.released.released}
        start = self._start_values(assembly)
        self.chosen_roles = freed + redundant + choose_roles(assembly, values, start, kept_out)

    def _solve(self) -> None:
        """Set the form of the assembly that is solved, its configuration and its dynamics."""
        form = SpeedAssembly(self.model)
        relations = choose_placements(form)
        natural = self.natural_length
        self._tears, self._torn = relations.tear_values, relations.tears
        self.form: Assembly = form
        self.configuration = PlacedConfiguration(relations, self._numbers, natural).make()
        velocity = VelocityProblem(relations, self._numbers, natural, self._closed_samples())
        self.dynamics = solve_dynamics(form, velocity)

    def _closed_samples(self) -> ClosedSamples:
        A = self.form
        return ClosedSamples(
            self.configuration,
            [A.model.time, A.s, A.d, A.u, A.p],
            [np.array(value, float) for value in self._start_values(self.assembly)[:5]],
            [bool(parameter.items) for parameter in A.model.parameters.values()],
            self.natural_length,
            A.in_coordinates,
        )

    def _places(self, assembly: Assembly, parameters: object) -> np.ndarray:
        """Coordinates at which blocks are chosen: the start, or what the equations are made for."""
        if self._at is not None:
            return np.array([self._at[c.name] for c in assembly.coordinates])
        start = ca.Function("start", [assembly.p], [assembly.start])
        return np.array(start(parameters).full())[:, 0]

    def _numbers(self, matrix: ca.SX) -> np.ndarray:
        """Evaluate a matrix near the start configuration, where nothing is singular by chance."""
        A = self.form
        arguments_ = [A.model.time, A.s, A.d, A.u, A.p, self._tears, A.x]
        values = self._start_values(self.assembly)
        start = self._places(A, values[4])
        random = np.random.default_rng(0)
        near = 0.02 * random.standard_normal(start.shape)
        near = start + near * sizes_of((c.unit for c in A.coordinates), self.natural_length)
        tears = 0.3 * random.standard_normal(int(arguments_[5].numel()))
        tears *= sizes_of((q.unit for q in self._torn), self.natural_length)
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
            *(r for r in A.model.limits() if r.name not in self.form.winding),
            *stay_met(self.released),
        )
        warn_of_forces(self.name, self.released, self.outputs)
        given = [0.0, *(i.start for i in self.inputs)], [p.value for p in self.parameters]
        shown = [output.expression for output in self.outputs]
        warn_of_energy(A, A.elastic, shown, given, self.natural_length)
        self.coordinate_names = self.configuration.names
        self.constraint_names = self.configuration.conditions
        self.iterated = self.configuration.iterated

    def _collect_symbols(self) -> None:
        """Expressions behind the symbols that need the solved dynamics."""
        A, D = self.form, self.dynamics
        forces = [(switched_multipliers(A), D.switched_forces)]
        if D.contacts is not None:
            forces.append((contact_symbols(A), D.contacts.forces))
        self._solved = self._user_symbols(D.v, D.a, D.stresses, forces)

    def _user_symbols(
        self, v: ca.SX, a: ca.SX, stresses: ca.SX, forces: Sequence[tuple[ca.SX, ca.SX]] = ()
    ) -> tuple[ca.SX, ca.SX]:
        """Symbols, and what they are by velocities, accelerations and stresses."""
        A = self.form
        pairs = [(A.v, v), (A.a, a), self.dynamics.signal_rates]
        for i, q in enumerate(A.velocity_rows):
            pairs.append((q.dual, A.resolve(total(q.laws)) if q.laws else stresses[i]))
        for quantity in [*A.kinematic, *A.dependent, *A.free]:
            force = A.resolve(total(quantity.laws))
            if isinstance(quantity, Slip) and quantity.held is not None:
                force -= quantity.held.multiplier
            pairs.append((quantity.dual, force))
        pairs.append((A.model.kinetic_energy, A.kinetic_energy))
        pairs.append((A.model.potential_energy, A.potential_energy))
        pairs += support_reactions(A, v, a, stresses)
        pairs += shown_accelerations(A)
        pairs += forces
        return column(h for h, _ in pairs), column(e for _, e in pairs)

    def settled(self, expression: ca.SX, replaced: tuple[ca.SX, ca.SX] | None = None) -> ca.SX:
        """Return a user's expression by (t, s, d, u, p, x), or with others replaced."""
        resolved = self.form.resolve(ca.SX(expression))
        for _ in range(2):  # a law's stress may hold velocities
            resolved = replace(resolved, *(replaced or self._solved))
        return resolved

    def changes(self, known: ca.SX, variation: ca.SX) -> tuple[ca.SX, ca.SX] | None:
        """Return the changes of the states' rates and of the outputs by one of what is known.

        ``variation`` is the change of ``known``. None where they have to be differentiated.
        """
        symbols, moved = unsolved(self.dynamics), self.configuration.moved
        if symbols is None or moved is None:
            return None
        A, sides = self.form, Sides()

        def changes_by(variation: ca.SX) -> Changes:
            there = moved(known, variation)
            return Changes(self.dynamics, symbols, there, known, variation, sides)

        changes = changes_by(variation)
        stresses = self.dynamics.velocity.stresses(symbols.multipliers)
        replaced = self._user_symbols(A.v, A.a, stresses)
        outputs = self.settled(column(output.expression for output in self.outputs), replaced)
        both = column([changes.of_rates(), changes.of(outputs)])
        if sides.kinks:
            along = changes_by(inwards(A.model, known))
            both = sides.put(both, along.at, along.of)
        ns = len(self.states)
        return both[:ns, 0], both[ns:, 0]

    def function(self, name: str, results: list[ca.SX], extra: Sequence[ca.SX] = ()) -> ca.Function:
        """Return a function of (t, s, d, u, p, x), then of ``extra``, of settled expressions.

        It is called ``name`` and gives ``results``.

        Raises
        ------
        ModelError
            Naming symbols that are none of these.
        """
        in_coordinates = self._in_coordinates([ca.SX(r) for r in results])
        dense = [ca.densify(r) for r in ca.cse(in_coordinates)]
        arguments_ = [*self.arguments, *extra]
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

    def felt_motions(self) -> list[int]:
        """Return which prescribed motions have accelerations that a mass feels."""
        return self.dynamics.felt_motions

    def tears_function(self) -> ca.Function:
        """Return the function that gives the tears' values in a configuration."""
        return self.function("tears", [column(self.form.strain(q) for q in self._torn)])

    def slips_function(self) -> ca.Function:
        """Return the function that gives the slips that are held, zero for others, (nh,)."""
        switched = self.dynamics.switched
        slips = ca.SX(0, 1) if switched is None else switched.active * switched.slip
        return self.function("slips", [slips])

    def _in_coordinates(self, results: list[ca.SX]) -> list[ca.SX]:
        """Replace directions in all results at once, so that they stay common to them."""
        ends = np.cumsum([0, *(r.numel() for r in results)])
        whole = self.form.in_coordinates(column(ca.vec(ca.densify(r)) for r in results))
        return [
            ca.reshape(whole[int(a) : int(b)], r.shape)
            for a, b, r in zip(ends[:-1], ends[1:], results, strict=True)
        ]
