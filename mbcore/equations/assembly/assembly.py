"""Energies, inertia terms and forces of a model over its index sets, as expressions.

Symbols of values and rates in users' expressions are replaced by x, v and the state here.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from mbcore.equations.assembly.elastic_energy import Elastic, elastic_energy
from mbcore.equations.assembly.loads import contact_actions, loads
from mbcore.equations.checks.constant_checks import check_constants
from mbcore.equations.checks.formula_checks import check_formulas
from mbcore.equations.index_sets.index_sets import IndexSets
from mbcore.model.errors import ModelError
from mbcore.model.expressions import Substitution, column, total
from mbcore.model.quantities import Deformation, Quantity
from mbcore.model.system import System


class Assembly(IndexSets):
    """The index sets of a model with its inertia, its forces and the values of users' symbols.

    Raises
    ------
    RoleError, ModelError
        If a coordinate has two roles, or a formula, a law, a motion or a constant depends on
        something that it must not depend on.
    """

    def __init__(self, model: System) -> None:
        super().__init__(model)
        self._check_expressions()

    def _check_expressions(self) -> None:
        check_formulas(self)
        check_constants(self)

    @cached_property
    def kinetic_energy(self) -> ca.SX:
        """T of all elements, J, [Schwab2002] (A.11)."""
        return self.place(total(e.kinetic_energy() for e in self.model.elements.values()))

    @cached_property
    def momentum(self) -> ca.SX:
        """∂T/∂v, shape (n, 1)."""
        return ca.gradient(self.kinetic_energy, self.v)

    @cached_property
    def M(self) -> ca.SX:
        """Mass matrix of the velocities, shape (n, n)."""
        return ca.sparsify(ca.jacobian(self.momentum, self.v))

    @cached_property
    def h(self) -> ca.SX:
        """Inertia terms h, [Schwab2002] (A.12), by directional derivatives, shape (n, 1)."""
        # [Schwab2002] (A.12), (A.13)
        return self.along(self.momentum) - ca.gradient(self.kinetic_energy, self.x)

    def moments(self) -> ca.SX:
        """Potential energy of gravity, J.

        Raises
        ------
        ModelError
            If an element is planar and gravity spatial, or the other way round.
        """
        gravity, energy = self.model.gravity, ca.SX(0)
        if gravity is None:
            return energy
        for element in self.model.elements.values():
            moment = element.first_moment()
            if moment is None:
                continue
            if moment.shape != gravity.shape:
                raise ModelError(
                    f"element {element.name} lives in {moment.numel()} dimensions, but "
                    f"gravity has {gravity.numel()} components"
                )
            energy -= ca.dot(gravity, self.place(moment))
        return energy

    @cached_property
    def weight(self) -> ca.SX:
        """Nodal forces of gravity, shape (n, 1)."""
        return -ca.gradient(self.along(self.moments()), self.v)

    @cached_property
    def potential_energy(self) -> ca.SX:
        """That of gravity and of springs, J."""
        return self.moments() + self.resolve(self.elastic.energy)

    @cached_property
    def elastic(self) -> Elastic:
        """Elastic energy, in values of deformations, and the springs without potential."""
        return elastic_energy(self)

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
        laws = [(self.nodal_rate(q), -total(q.laws)) for q in self.lawful if q.laws]
        held = [(s.expression, s.held.multiplier) for s in self.free if s.held is not None]
        return [*loads(self.model), *laws, *contact_actions(self.model), *held]

    def nodal_rate(self, q: Quantity) -> ca.SX:
        """D'(x) ẋ or V(x) ẋ over all nodal velocities, fixed ones included."""
        return self.model.rate_of(q) if isinstance(q, Deformation) else q.expression

    def applied_forces(self) -> ca.SX:
        """Nodal forces of weight, loads and laws, shape (n, 1): f - Dᵀσ of [Schwab2002] (A.107).

        All laws are in it, those on degrees of freedom and kinematic coordinates as well.
        """
        actions = self.actions()
        if not actions:
            return self.weight
        velocities = self.place(column(velocity for velocity, _ in actions))
        forces = self.resolve(column(force for _, force in actions))
        return self.weight + self.resolve(ca.jtimes(velocities, self.v, forces, True))
