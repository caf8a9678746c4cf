"""A model as expressions: its quantities in index sets, their rates, energies, inertia and forces.

The index sets are those of [Schwab2002] Appendix A. Everything is a function of the free
coordinates x, their velocities v, the state, inputs, parameters and time; fixed coordinates are
replaced, and symbols of values and rates in users' expressions by x, v and the state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import casadi as ca
import numpy as np

from mbcore.equations.assembly.couplings import Relation, quantities_of, relations_of, signals_of
from mbcore.equations.assembly.elastic_energy import Elastic, elastic_energy
from mbcore.equations.assembly.implicit_laws import ImplicitLaws, implicit_laws
from mbcore.equations.assembly.loads import contact_actions, gravity_energy, loads
from mbcore.equations.assembly.norm_stresses import norm_stresses
from mbcore.model.errors import RoleError
from mbcore.model.expressions import Substitution, column, replace, symbolic, total
from mbcore.model.kinks import jtimes
from mbcore.model.nodes.nodes import Coordinate
from mbcore.model.quantities import Deformation, Quantity, Role, Slip
from mbcore.model.system import System
from mbcore.model.tables import derivatives
from mbcore.model.variables import State


class Assembly:
    """A model whose roles are set: its index sets and vectors, its rates, inertia and forces.

    Attributes
    ----------
    x, v, a : SX
        Free coordinates x^c, velocities and accelerations, shape (n, 1).
    placed, placed_change : SX
        All symbols that change with the configuration, and their rates in ``v``.
    signals : list of Signal
        Time, inputs and auxiliary states in relations.
    changing, change : SX
        Both together, with their rates: all that deformations depend on.
    rigid, prescribed, dofs, kinematic, dependent : list of Deformation
        ε^o, ε^m, ε^d, ε^k, ε^c.
    winding : dict of str to SX
        Values, by name, of dependent deformations in relations that may be beyond a turn.
    zero, free : list of Slip
        s^o, s^c.
    speed_slips : list of Slip
        Slips that are degrees of freedom.
    dof_rates, value_rates : SX
        q̇ᵈ: rates of ``dofs`` and the speed slips, and the first part of them alone.

    Raises
    ------
    RoleError
        If a coordinate has two roles.
    """

    def __init__(self, model: System) -> None:
        self.model = model
        self.winding: dict[str, ca.SX] = {}
        self._state_formulas()
        self._collect_coordinates()
        self.signals = signals_of(model)
        self.changing = column([self.placed, *(s.symbol for s in self.signals)])
        self.change = column([self.placed_change, *(s.rate for s in self.signals)])
        self._sort_roles()
        self.z = column(record.symbol for record, _ in model.states.values())
        self.u = column(i.symbol for i in model.inputs.values())
        self.p = column(p.symbol for p in model.parameters.values())
        self.d = column(
            [e.active for e in model.events.values()] + [d.symbol for d in model.discretes.values()]
        )
        self.value_rates = column(q.rate for q in self.dofs)
        self.dof_rates = column(q.rate for q in self.independent)
        self.dof_values = column(q.value for q in self.dofs)
        self.kinematic_values = column(q.value for q in self.kinematic)
        # The order of [Schwab2002] (A.110), with auxiliary states last.
        self.s = column([self.dof_rates, self.dof_values, self.kinematic_values, self.z])

    def _state_formulas(self) -> None:
        """Let elements state all formulas, so that rotations know all directions in use."""
        for element in self.model.elements.values():
            element.formulas()

    def _collect_coordinates(self) -> None:
        self.coordinates: list[Coordinate] = []
        fixed, values, free = [], [], []
        self.fixed: list[tuple[Coordinate, ca.SX, ca.SX]] = []
        for node in self.model.nodes.values():
            for i, coordinate in enumerate(node.quantities):
                place, speed = node.coordinates[i], node.velocities[i]
                if coordinate.fixed is None:
                    self.coordinates.append(coordinate)
                    free.append((place, speed, node.accelerations[i]))
                else:
                    self.fixed.append((coordinate, place, speed))
                    fixed += [place, speed, node.accelerations[i]]
                    values += [coordinate.fixed, ca.SX(0), ca.SX(0)]
        self.x = column(f[0] for f in free)
        self.v = column(f[1] for f in free)
        self.a = column(f[2] for f in free)
        self.placed, self.placed_change = self.x, self.v
        known = (column(fixed), column(values))
        nodes = self.model.nodes.values()
        pairs = [pair for n in nodes for pair in (*n.definitions(), *n.nodal_speeds())]
        defined = replace(column(value for _, value in pairs), *known)
        self._known = (
            column([known[0], *(symbol for symbol, _ in pairs)]),
            column([known[1], defined]),
        )
        self.start = column(c.start for c in self.coordinates)

    def _sort_roles(self) -> None:
        all_of = self.model.deformations()
        for coordinate, *_ in self.fixed:
            if coordinate.role is not None:
                raise RoleError(
                    f"{coordinate.name} is fixed and a {coordinate.role.value} at once; "
                    "drop one of them"
                )

        def of(role: Role) -> list[Deformation]:
            return [q for q in all_of if q.role is role]

        self.rigid, self.prescribed = of(Role.RIGID), of(Role.PRESCRIBED)
        self.dofs, self.kinematic = of(Role.DOF), of(Role.KINEMATIC)
        self.dependent = of(Role.DEPENDENT)
        self.zero = [s for s in self.model.slips() if s.role is Role.ZERO]
        self.free = [s for s in self.model.slips() if s.role is Role.FREE]
        self.speed_slips = [s for s in self.model.slips() if s.role is Role.DOF]
        self._sort_free_rotations()

    def _sort_free_rotations(self) -> None:
        """Collect the states of free rotations with their meaning, and the lengths of these."""
        self._normed: dict[str, ca.SX] = {}
        self._lengths: dict[str, ca.SX] = {}
        self._unasked: set[str] = set()
        for rotation in self.model.nodes.free_rotations():
            freedom = rotation.freedom
            assert freedom is not None
            freedom.refuse_other_roles()
            self._unasked |= {q.name for q in rotation.conditions()}
            for coordinate, value in zip(
                rotation.quantities, ca.vertsplit(freedom.parameters), strict=True
            ):
                self._normed[coordinate.name] = value
                self._lengths[coordinate.name] = freedom.length

    @property
    def independent(self) -> list[Quantity]:
        """Degrees of freedom: deformations first, then slips, which have no value."""
        return [*self.dofs, *self.speed_slips]

    @property
    def position_rows(self) -> list[Deformation]:
        """Conditions of the position problem, ι(ε^o, ε^m, ε^d, ε^k) of [Schwab2002] (A.98).

        The norm condition of a free rotation is left out: its states give Euler parameters of
        length 1.
        """
        rigid = [q for q in self.rigid if q.name not in self._unasked]
        return [*rigid, *self.prescribed, *self.dofs, *self.kinematic]

    @property
    def velocity_rows(self) -> list[Quantity]:
        """Rows of the velocity problem, ι(ε^o, ε^m, ε^d, s^d, s^o) of [Schwab2002] (A.100)."""
        return [*self.rigid, *self.prescribed, *self.independent, *self.zero]

    def quantities(self) -> list[Quantity]:
        """Return all deformations and slips."""
        return [*self.model.deformations(), *self.model.slips()]

    @property
    def lawful(self) -> list[Quantity]:
        """Quantities on which laws may act, ι(ε^d, s^d, ε^k, ε^c, s^c)."""
        return [*self.independent, *self.kinematic, *self.dependent, *self.free]

    def place(self, expression: ca.SX) -> ca.SX:
        """Replace fixed coordinates in an expression by their values."""
        return self._placing(symbolic(expression))

    @cached_property
    def _placing(self) -> Substitution:
        return Substitution(*self._known)

    @property
    def motions(self) -> ca.SX:
        """Prescribed motions, then signals, shape (nm, 1)."""
        targets = column(q.target for q in self.prescribed)
        return column([self.place(targets), *(s.symbol for s in self.signals)])

    @property
    def motion_rates(self) -> ca.SX:
        """Symbols of the rates of ``motions``, shape (nm, 1)."""
        return column([*(q.rate for q in self.prescribed), *(s.rate for s in self.signals)])

    def target(self, q: Deformation) -> ca.SX:
        """Required value of a condition, an expression of state, inputs and time."""
        if q.name in self._normed:
            return self._normed[q.name]
        return q.value if q.role in (Role.DOF, Role.KINEMATIC) else q.target

    def residual(self, q: Deformation) -> ca.SX:
        """D(x) - target of one condition, [Schwab2002] (A.98).

        The target of a deformation in ``winding`` is the unknown that stands for it.
        """
        if q.name in self.relations:
            return self._formula(q) - self.place(self.target(q))
        return self.place(_less(q, self.winding.get(q.name, self.target(q))))

    def strain(self, q: Deformation) -> ca.SX:
        """D(x), [Schwab2002] (A.2)."""
        return self.place(self._unwound(q)) if q.name in self.winding else self._formula(q)

    def _formula(self, q: Deformation) -> ca.SX:
        if q.name in self.relations:
            return self.related(self.relations[q.name])
        return self.place(q.expression)

    @cached_property
    def relations(self) -> dict[str, Relation]:
        """Relations by the names of their deformations."""
        return relations_of(self.model)

    @cached_property
    def coupled(self) -> list[Deformation]:
        """Deformations in relations, each once."""
        return quantities_of(self.relations.values())

    def related(self, relation: Relation) -> ca.SX:
        """Return a relation as a function of x and of signals."""
        symbols = column(q.value for q in relation.quantities)
        values = column(self._unwound(q) for q in relation.quantities)
        return self.place(replace(relation.expression, symbols, values))

    def _unwound(self, q: Deformation) -> ca.SX:
        """D(x) with the number of turns given by a state, a target or ``winding``."""
        # D(x) alone gives an angle up to whole turns; the residual to a near value gives the rest.
        if q.role is Role.DEPENDENT and q.name not in self.winding:
            return q.expression
        target = self.winding.get(q.name, self.target(q))
        return target + _less(q, target)

    def along(self, expression: ca.SX) -> ca.SX:
        """Return the rate of a function of the configuration and of signals."""
        return jtimes(expression, self.changing, self.change)

    def rate(self, q: Quantity) -> ca.SX:
        """D'(x) v of a deformation, [Schwab2002] (A.3); V(x) v of a slip, [Schwab2002] (A.90)."""
        if isinstance(q, Deformation):
            return self.along(self._formula(q))
        return self.place(q.expression)

    def rates(self, quantities: Sequence[Quantity]) -> ca.SX:
        """Rates of many quantities at once, shape (k, 1)."""
        strains = [q for q in quantities if not isinstance(q, Slip)]
        derived = self.along(
            column(self._formula(q) for q in strains if isinstance(q, Deformation))
        )
        rates = iter(ca.vertsplit(derived) if strains else [])
        return column(
            self.place(q.expression) if isinstance(q, Slip) else next(rates) for q in quantities
        )

    def kinematic_rates(self) -> ca.SX:
        """Rates of the kinematic coordinates' states, [Schwab2002] (A.109), shape (nk, 1).

        Those of a free rotation are the rates of its Euler parameters times the length of the
        states, which is constant and has no influence on the motion.
        """
        one = ca.SX(1)
        return self.rates(self.kinematic) * column(
            self._lengths.get(q.name, one) for q in self.kinematic
        )

    def in_coordinates(self, expression: ca.SX) -> ca.SX:
        """Replace directions and speeds, so that only coordinates and their velocities are left."""
        return expression

    @property
    def arguments(self) -> list[ca.SX]:
        """Arguments of functions of a configuration: (t, s, d, u, p, x)."""
        return [self.model.time, self.s, self.d, self.u, self.p, self.x]

    def start_values(self, at: Mapping[str, float] | None = None) -> list[object]:
        """Return numbers for ``arguments``, at the start of the nodes or ``at`` a configuration.

        Parameters
        ----------
        at : mapping of str to float, optional
            All coordinates by their names.
        """
        model = self.model
        s = [state.start for state in self.state_records()]
        p = [parameter.value for parameter in model.parameters.values()]
        u = [i.start for i in model.inputs.values()]
        d = [0.0] * len(model.events) + [v.start for v in model.discretes.values()]
        if at is None:
            x = np.array(ca.Function("start", [self.p], [self.start])(p).full())[:, 0]
        else:
            x = np.array([at[c.name] for c in self.coordinates])
        return [0.0, s, d, u, p, x]

    def state_records(self) -> tuple[State, ...]:
        """Records of all states, in the order of s."""
        dofs = [q.states for q in self.dofs if q.states is not None]
        kinematic = [q.states for q in self.kinematic if q.states is not None]
        return (
            *(n.rate_record(q.rate) for n, q in zip(dofs, self.dofs, strict=True)),
            *(s.state for s in self.speed_slips if s.state is not None),
            *(n.value_record(q.value) for n, q in zip(dofs, self.dofs, strict=True)),
            *(n.value_record(q.value) for n, q in zip(kinematic, self.kinematic, strict=True)),
            *(record for record, _ in self.model.states.values()),
        )

    # Energies and forces

    @cached_property
    def kinetic_energy(self) -> ca.SX:
        """T of all elements, J, [Schwab2002] (A.11)."""
        return self.place(total(e.kinetic_energy() for e in self.model.elements.values()))

    @cached_property
    def momentum(self) -> ca.SX:
        """∂T/∂v, shape (n, 1)."""
        return derivatives.gradient(self.kinetic_energy, self.v)

    @cached_property
    def M(self) -> ca.SX:
        """Mass matrix of the velocities, shape (n, n)."""
        return ca.sparsify(derivatives.jacobian(self.momentum, self.v))

    @cached_property
    def h(self) -> ca.SX:
        """Inertia terms h, [Schwab2002] (A.12), by directional derivatives, shape (n, 1)."""
        # [Schwab2002] (A.12), (A.13)
        return self.along(self.momentum) - derivatives.gradient(self.kinetic_energy, self.x)

    @property
    def gravity_energy(self) -> ca.SX:
        """Potential energy of gravity, J."""
        return gravity_energy(self.model, self.place)

    @cached_property
    def weight(self) -> ca.SX:
        """Nodal forces of gravity, shape (n, 1)."""
        # The gradient of the power by v: over speeds, v has no coordinates to differentiate by.
        return -derivatives.gradient(self.along(self.gravity_energy), self.v)

    @cached_property
    def potential_energy(self) -> ca.SX:
        """That of gravity and of springs, J."""
        return self.gravity_energy + self.resolve(self.elastic.energy)

    @cached_property
    def elastic(self) -> Elastic:
        """Elastic energy, in values of deformations, and the springs without potential."""
        given = column([self.model.time, self.u])
        return elastic_energy(self.model, given, self.p, column([self.s, self.d]))

    @cached_property
    def user_symbols(self) -> tuple[ca.SX, ca.SX]:
        """Users' symbols, and their expressions in x, v and the state."""
        pairs: list[tuple[ca.SX, ca.SX]] = []
        for q in self.rigid:
            pairs += [(q.value, q.target), (q.rate, ca.SX(0))]
        for q in self.prescribed:
            pairs += [(q.value, q.target)]
        for q in self.dependent:
            pairs += [(q.value, self.strain(q))]  # [Schwab2002] (A.105)
        moving = [*self.prescribed, *self.dependent]
        pairs += [(column(q.rate for q in moving), self.rates(moving))]
        pairs += [(column(q.rate for q in self.kinematic), self.kinematic_rates())]
        for slip in self.free:
            pairs += [(slip.velocity, self.rate(slip))]
        for slip in self.zero:
            pairs += [(slip.velocity, ca.SX(0))]
        pairs += [(stress, self.place(value)) for stress, value in norm_stresses(self.model)]
        bare = [c for c in self.coordinates if c.role is None]
        there = column(c.expression for c in bare)
        pairs += [(column(c.value for c in bare), there)]
        pairs += [(column(c.rate for c in bare), self.along(there))]
        pairs += [pair for c, *_ in self.fixed for pair in ((c.value, c.fixed), (c.rate, ca.SX(0)))]
        return column(h for h, _ in pairs), column(e for _, e in pairs)

    def resolve(self, expression: ca.SX) -> ca.SX:
        """Replace symbols of values and rates by expressions of x, v and the state."""
        return self._resolving(self.place(expression))

    @cached_property
    def _resolving(self) -> Substitution:
        return Substitution(*self.user_symbols)

    def actions(self) -> list[tuple[ca.SX, ca.SX]]:
        """Return loads, laws, contacts and switched constraints: pairs (nodal velocity, force)."""
        laws = [(self.nodal_rate(q), -self.implicit.of(q)) for q in self.lawful if q.laws]
        held = [(s.expression, s.held.multiplier) for s in self.free if s.held is not None]
        return [*loads(self.model), *laws, *contact_actions(self.model), *held]

    @cached_property
    def implicit(self) -> ImplicitLaws:
        """Laws whose forces depend on constraint forces."""
        return implicit_laws(self.model, self.lawful)

    def nodal_rate(self, q: Quantity) -> ca.SX:
        """D'(x) ẋ or V(x) ẋ over all nodal velocities, fixed ones included."""
        return jtimes(q.expression, *self._moving) if isinstance(q, Deformation) else q.expression

    @cached_property
    def _moving(self) -> tuple[ca.SX, ca.SX]:
        """All symbols of nodes that change with the configuration, and their rates."""
        nodes = list(self.model.nodes.values())
        return column(node.changing for node in nodes), column(node.change for node in nodes)


def _less(q: Deformation, target: ca.SX) -> ca.SX:
    """D(x) - target, without a branch near zero where D(x) is an angle that winds."""
    return q.expression - target if q.residual is None else q.residual(target)
