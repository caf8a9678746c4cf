"""Small motions superposed on a nominal one, with nonlinear forces: [Schwab2002] 2.2, 2.3.

The nominal motion is that of the prescribed motions with all degrees of freedom at zero. The
equations are linear in the degrees of freedom, but for loads and laws: these are the additional
applied forces f_a^d of (2.11), any functions of displacements and velocities of first order (2.15).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from typing import Literal

import casadi as ca

from mbcore.equations.assembly.accelerations import observed_accelerations
from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.multipliers import (
    Contacts,
    contact_symbols,
    solve_contacts,
    tangents,
)
from mbcore.equations.assembly.rates import Rates, refuse_missing
from mbcore.equations.assembly.reactions import reactions
from mbcore.equations.dynamics import solve_dynamics
from mbcore.equations.elimination.configuration import nodal_configuration
from mbcore.equations.elimination.relations import Relations
from mbcore.equations.elimination.velocity import VelocityProblem
from mbcore.equations.equations import Equations
from mbcore.equations.meanings import Meanings
from mbcore.equations.unilateral.switched_constraints import switched_slips
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace, total
from mbcore.model.kinks import jtimes
from mbcore.model.nodes.nodes import in_coordinates
from mbcore.model.quantities import Quantity, Role
from mbcore.model.system import System
from mbcore.model.tables import derivatives
from mbcore.model.units.units import Units


@explains_arguments
def superpose(model: System, roles: Literal["given", "auto"] = "given") -> Equations:
    r"""Make the equations of small motions about the nominal motion.

    They can be used like those of ``model.equations()``, in simulations and FMUs, with the same
    names and start values. The configuration x is the nominal one. To first order in the degrees
    of freedom,

        M̄ Δq̈ᵈ + C̄ Δq̇ᵈ + K̄ Δqᵈ = -fᵈ + f_aᵈ    [Schwab2002] (2.11),

    where inertia, weight, and the nominal values of loads and laws give M̄, C̄, K̄ and fᵈ, with all
    terms of [Schwab2002] (2.13). The differences of loads and laws from their nominal values give
    f_aᵈ, with nominal coefficients [Schwab2002] (2.14); they may be any functions of the strains,
    displacements and velocities of [Schwab2002] (2.15), which are linear in Δqᵈ and Δq̇ᵈ. So the
    contact law of a clearance and the law on a degree of freedom stay nonlinear.

    Outputs, events and requirements are those of the model, as functions of displacements,
    strains, velocities, accelerations, stresses and reactions of first order.

    Where wheels roll, zero slips hold in the nominal motion and to first order about it. Kinematic
    coordinates have nominal values of their own, which are further states, ``NAME.nominal``, with

        q̇₀ᵏ = b(0, q₀ᵏ, t),    Δq̇ᵏ = A Δq̇ᵈ + Bᵈ Δqᵈ + Bᵏ Δqᵏ    [Schwab2002] (2.41).

    The state of a kinematic coordinate is its value with the small change, q₀ᵏ + Δqᵏ.

    Parameters
    ----------
    model : Model
        Its degrees of freedom are small; large motions are prescribed.
    roles : {"given", "auto"}
        As for ``Model.equations``.

    Raises
    ------
    RoleError
        If roles are redundant, missing or dependent.
    ModelError
        If the model has free rotations, held slips or generalized speeds, or a prescribed motion
        depends on the degrees of freedom: then there is no nominal motion. If nothing rolls in the
        nominal motion, while degrees of freedom start with rates: a speed at which wheels roll is
        not small, and must be prescribed.
    """
    return _SuperposedEquations(model, roles)


class _SuperposedEquations(Equations):
    """Equations in which all that follows from the state is of first order."""

    superposed = True
    dynamics: FirstOrderDynamics  # type: ignore[assignment]

    def _prepared(self, model: System) -> System:
        following = [q for q in model.deformations() if q.role is Role.KINEMATIC]
        if not following:
            return model
        model = deepcopy(model)
        for q in following:
            assert q.states is not None
            model.states.add(
                f"{q.states.value}.nominal",
                start=q.states.start,
                unit=Units(q.states.unit, q.states.display_unit),
                nominal=q.states.nominal,
                visibility="output",
                description="nominal value, about which the motion is small",
            )
        return model

    def _solve(self) -> None:
        assembly = self.assembly
        _refuse(assembly)
        self._expansion = _Expansion(assembly, self.natural_length)
        self.form = _FirstOrder(assembly.model, self._expansion)
        self.configuration = self._expansion.configuration
        self.dynamics = self._expansion.dynamics()
        self.stands = _stands(assembly, self.dynamics)
        if self.stands:
            _refuse_speed(assembly)

    def _collect_meanings(self) -> Meanings:
        return Meanings(self.form, self._expansion.user_symbols(self.dynamics))


@dataclass(frozen=True)
class FirstOrderDynamics:
    """`Dynamics` expanded to first order."""

    v: ca.SX
    a: ca.SX
    derivative: ca.SX
    stresses: ca.SX
    M_reduced: ca.SX
    f_reduced: ca.SX
    contacts: Contacts | None
    switched: None
    measures: list[tuple[str, ca.SX]]
    missing: tuple[tuple[ca.SX, str], ...]
    felt_motions: list[int]


class _FirstOrder(Assembly):
    """The model with displacements, strains and velocities of first order in users' expressions."""

    def __init__(self, model: System, expansion: _Expansion) -> None:
        self._expansion = expansion
        super().__init__(model)

    def resolve(self, expression: ca.SX) -> ca.SX:
        return self._expansion.placed(expression)


class _SymbolicLoads(Assembly):
    """The model with symbols for all loads, laws and contacts, and forces fᵈ on ε^d.

    Contacts push on the values and rates that their gaps and sliding velocities are written in.
    """

    def __init__(self, model: System) -> None:
        bare = copy(model)
        bare.contacts = {}
        super().__init__(bare)
        acting = super().actions()
        touched = self._touched(model)
        self.acting = column(force for _, force in acting)
        self.touched_values = column(value for value, _, _ in touched)
        self.touched_rates = column(rate for _, rate, _ in touched)
        velocities = [*(v for v, _ in acting), *(v for _, _, v in touched)]
        velocities += [self.nodal_rate(q) for q in self.dofs]
        symbols = [ca.SX.sym("force", velocity.numel()) for velocity in velocities]
        first, last = len(acting), len(acting) + len(touched)
        self.given = column(symbols[:first])
        self.pushing = column(symbols[first:last])
        self.holding = column(symbols[last:])
        self._actions = list(zip(velocities, symbols, strict=True))

    def _touched(self, model: System) -> list[tuple[ca.SX, ca.SX, ca.SX]]:
        """Values, rates and nodal velocities of the quantities that contacts depend on."""
        contacts = model.contacts.values()
        sliding = (c.sliding for c in contacts if c.sliding is not None)
        used = column([*(c.gap for c in contacts), *sliding])
        used = in_coordinates(used, *self.model.nodes.values())
        found = [(q.value, q.rate, self.nodal_rate(q)) for q in self.model.deformations()]
        found += [(ca.SX.sym("no value"), s.velocity, s.expression) for s in self.model.slips()]
        for node in self.model.nodes.values():
            for i, c in enumerate(node.quantities):
                place, speed = node.coordinates[i], node.velocities[i]
                found.append((place, speed, speed))
                if c.role is None:  # with a role it is among the deformations
                    found.append((c.value, c.rate, speed))
        return [h for h in found if depends(used, column(h[:2]))]

    def actions(self) -> list[tuple[ca.SX, ca.SX]]:
        return self._actions


class _Expansion:
    """First-order expansion of the solved dynamics about the nominal motion.

    Accelerations, stresses and reactions are affine in forces. They are expanded about the motion
    with q̈ᵈ = 0, which fᵈ sustains; from there loads and laws, and fᵈ itself, change by finite
    amounts.
    """

    def __init__(self, assembly: Assembly, natural: float) -> None:
        A = self._assembly = assembly
        self._symbolic = _SymbolicLoads(A.model)
        velocity = VelocityProblem(Relations(self._symbolic), natural=natural)
        D = self._solved = solve_dynamics(self._symbolic, velocity)
        nk = len(A.kinematic)
        nominal_values = A.z[A.z.numel() - nk :] if nk else ca.SX(0, 1)
        none = ca.SX.zeros(A.dof_rates.numel() + A.dof_values.numel())
        self._small = column([A.dof_rates, A.dof_values, A.kinematic_values])
        self._without = column([none, nominal_values])  # their values in the nominal motion
        self._direction = ca.SX.sym("direction", A.x.numel() + self._small.numel())
        self._displacement = ca.SX.zeros(A.x.numel())
        self._forces = column(
            [self._symbolic.given, self._symbolic.pushing, self._symbolic.holding]
        )
        self._acting = self._nominal_forces = ca.SX.zeros(self._forces.numel())

        conditions = column(A.residual(q) for q in A.position_rows)
        residual = self._nominal(conditions, self._acting)
        self.configuration, position = nodal_configuration(A, residual, natural)
        moved = ca.sparsify(self._change(conditions))  # while x does not follow yet
        self._displacement = -position.solve(moved)  # F_{,q} Δq of [Schwab2002] (2.15)

        symbols, values = A.user_symbols
        moving = self.expanded(replace(column([values, A.v]), A.v, D.v))
        there = A.x + self._displacement
        self._places = (column([symbols, A.v, A.x]), column([moving, there]))  # [Schwab2002] (2.15)

        given, none = self.placed(self._symbolic.acting), ca.SX.zeros(len(A.dofs))
        still = ca.SX.zeros(self._symbolic.pushing.numel())
        self._acting = column([given, still, none])
        nominal = column([self._nominal(given, self._acting), still])
        holding = -self._nominal(D.f_reduced, column([nominal, none]))  # f^d of [Schwab2002] (2.10)
        self._nominal_forces = column([nominal, holding])
        self._contacts = self._push() if A.model.contacts else None

    def _nominal(self, expression: ca.SX, forces: ca.SX) -> ca.SX:
        given = column([self._small, self._forces])
        return replace(expression, given, column([self._without, forces]))

    def _change(self, expression: ca.SX) -> ca.SX:
        """Change with Δx, Δq̇ᵈ, Δqᵈ and Δqᵏ from the nominal motion, under its forces."""
        variables = column([self._assembly.x, self._small])
        slope = self._nominal(jtimes(expression, variables, self._direction), self._nominal_forces)
        deviation = self._small - self._without
        return replace(slope, self._direction, column([self._displacement, deviation]))

    def expanded(self, expression: ca.SX) -> ca.SX:
        """Expand a function of (x, q̇ᵈ, qᵈ, qᵏ) and of forces, in which it is affine."""
        return self._nominal(expression, self._acting) + self._change(expression)

    def placed(self, expression: ca.SX) -> ca.SX:
        """Return a user's expression at displacements, strains and velocities of first order."""
        return replace(self._assembly.place(ca.SX(expression)), *self._places)

    def _push(self) -> Contacts:
        """Let contacts push, by functions of first-order displacements, with nominal coefficients.

        Raises
        ------
        ModelError
            If the second rate of a gap needs a rate of an input that nobody gives.
        """
        A, D, P, nd = self._assembly, self._solved, self._symbolic, len(self._assembly.dofs)
        accelerations = ca.SX.sym("accelerations", nd)
        rate_of = Rates(A, accelerations)
        nominal_v = self._nominal(D.v, self._acting)

        def total_rate(expression: ca.SX) -> ca.SX:
            return replace(rate_of(expression), A.v, nominal_v)

        records = tuple(A.model.contacts.values())
        nodes = A.model.nodes.values()
        gaps = in_coordinates(column(c.gap for c in records), *nodes)
        sliding = in_coordinates(tangents(records, lambda c: c.sliding), *nodes)
        along = ca.horzcat(
            derivatives.jacobian(gaps, P.touched_values).T,
            derivatives.jacobian(sliding, P.touched_rates).T,
        )
        mobility = self._nominal(derivatives.jacobian(D.derivative[:nd], P.pushing), self._acting)
        along = self.placed(along)
        free = self.expanded(D.derivative[:nd])
        contacts = solve_contacts(
            _FirstOrder(A.model, self),
            total_rate,
            lambda expression: expression,
            accelerations,
            free,
            mobility @ along,
            ca.SX(nd, 0),
        )
        for i, record in enumerate(records):
            rates = ca.vertcat(contacts.rate[i], contacts.acceleration[i])
            refuse_missing(rates, f"contact {record.name}", A, rate_of.missing)
        given = self._acting[: P.given.numel()]
        self._acting = column([given, along @ contacts.forces, ca.SX.zeros(nd)])
        return contacts

    def dynamics(self) -> FirstOrderDynamics:
        """Return the dynamics of first order."""
        A, D, nd = self._assembly, self._solved, len(self._assembly.dofs)
        nk = len(A.kinematic)
        following = D.derivative[2 * nd : 2 * nd + nk]
        states = list(A.model.states.values())[: A.z.numel() - nk]
        rates_of_states = column(self.placed(derivative) for _, derivative in states)
        acting = self._nominal_forces
        return FirstOrderDynamics(
            v=self.expanded(D.v),
            a=self.expanded(D.a),
            derivative=column(
                [
                    self.expanded(D.derivative[:nd]),
                    A.dof_rates,
                    self.expanded(following),  # [Schwab2002] (2.41)
                    rates_of_states,
                    self._nominal(following, acting),
                ]
            ),
            stresses=self.expanded(D.stresses),
            M_reduced=replace(D.M_reduced, self._small, self._without),
            f_reduced=self.expanded(D.f_reduced),
            contacts=self._contacts,
            switched=None,
            measures=D.measures,
            missing=D.missing,
            felt_motions=list(range(len(A.prescribed))),
        )

    def user_symbols(self, dynamics: FirstOrderDynamics) -> list[tuple[ca.SX, ca.SX]]:
        """Return the symbols that need the solved dynamics, with their values of first order."""
        A, D = self._assembly, self._solved
        pairs = [(A.a, dynamics.a)]
        for i, q in enumerate(A.velocity_rows):
            law = self.placed(total(q.laws)) if q.laws else dynamics.stresses[i]
            pairs.append((q.dual, law))
        for quantity in [*A.dependent, *A.free]:
            pairs.append((quantity.dual, self.placed(total(quantity.laws))))
        pairs.append((A.model.kinetic_energy, self.placed(A.kinetic_energy)))
        pairs.append((A.model.potential_energy, self.placed(A.potential_energy)))
        if self._contacts is not None:
            pairs.append((contact_symbols(A), self._contacts.forces))
        for symbols, forces in reactions(self._symbolic, D.v, D.a, D.stresses):
            pairs.append((symbols, self.expanded(forces)))
        solved = column([D.v, D.a])
        for symbol, acceleration in observed_accelerations(A):
            known = replace(acceleration, column([A.v, A.a]), solved)
            pairs.append((symbol, self.expanded(known)))
        return pairs


def _stands(A: Assembly, dynamics: FirstOrderDynamics) -> bool:
    """Return whether something may roll, and nothing does in the nominal motion."""
    nk = len(A.kinematic)
    nominal = ca.sparsify(dynamics.derivative[dynamics.derivative.numel() - nk :])
    return bool(nk) and nominal.nnz() == 0


def _refuse_speed(A: Assembly) -> None:
    """Refuse speeds of wheels that stand in the nominal motion: what steers them would not turn it.

    Raises
    ------
    ModelError
        Naming the degrees of freedom and what to do.
    """
    moving = [q.states for q in A.dofs if q.states is not None and q.states.rate_start != 0]
    if moving:
        rates = ", ".join(f"{states.rate} = {states.rate_start:g}" for states in moving)
        raise ModelError(
            f"superpose, model {A.model.name!r}: nothing rolls in the nominal motion, in which all "
            f"degrees of freedom are zero, and the start gives {rates}; a speed at which wheels "
            "roll is not small: prescribe it, as in axle.angle.prescribe(5.0 * model.time), or let "
            "small rates start at zero and give them to simulate(start=...)"
        )


def _refuse(A: Assembly) -> None:
    """Refuse quantities for which there is no nominal motion.

    Raises
    ------
    ModelError
        Naming the quantities and what to do.
    """
    name = A.model.name
    turning = [q for rotation in A.model.nodes.free_rotations() for q in rotation.quantities]
    refused: list[tuple[str, Sequence[Quantity]]] = [
        ("Euler parameters of free rotations", turning),
        ("generalized speeds", A.speed_slips),
        ("held slips", [slip for slip, _ in switched_slips(A)]),
        ("quantities with laws of constraint forces", A.implicit.quantities),
    ]
    for kind, found in refused:
        if found:
            raise ModelError(
                f"superpose, model {name!r}: {', '.join(q.name for q in found)} are {kind}, whose "
                "motion is not small; linearize(model.equations(), state) varies them about a state"
            )
    accelerations = ca.SX.sym("accelerations", len(A.dofs))
    rate_of = Rates(A, accelerations)
    following = column([A.x, A.v, A.dof_rates, A.dof_values, A.kinematic_values, accelerations])
    for q in A.prescribed:
        first = rate_of(A.place(q.target))
        if depends(column([A.place(q.target), first, rate_of(first)]), following):
            raise ModelError(
                f"superpose, model {name!r}: the motion of {q.name} depends on the degrees of "
                "freedom; let it depend on time, inputs and auxiliary states that do not, or use "
                "model.equations()"
            )
