"""The equations of [Schwab2002] A.1 and A.4 as expressions: from index sets to accelerations.

Virtual velocities keep prescribed deformations fixed (Jourdain); motions that depend on the state
bring their accelerations to the left-hand side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from mbcore.equations.assembly import Assembly
from mbcore.equations.blocks import BlockSolver, ReducedSolver, velocity_solver
from mbcore.equations.multipliers import Contacts, contact_symbols, solve_contacts
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, depends, replace


@dataclass(frozen=True)
class Dynamics:
    """Solved equations; every expression is a function of (t, s, d, u, p) and x.

    Attributes
    ----------
    newton_step, residual : SX
        Step and residual of (A.98), shape (n, 1).
    v, a : SX
        Velocities (A.99) and accelerations (A.103), shape (n, 1).
    derivative : SX
        Time derivative of the state, (A.110).
    stresses : SX
        Stresses of ι(ε^o, ε^m, ε^d, s^o), (A.108), with the laws' part taken out.
    H : SX
        First-order transfer function of the degrees of freedom, shape (n, nd).
    M_reduced, f_reduced : SX
        Reduced mass matrix and force of (A.107).
    contacts : Contacts or None
        Forces and impulses of unilateral contacts.
    """

    position: BlockSolver
    velocity: BlockSolver | ReducedSolver
    newton_step: ca.SX
    residual: ca.SX
    v: ca.SX
    a: ca.SX
    derivative: ca.SX
    stresses: ca.SX
    H: ca.SX
    M_reduced: ca.SX
    f_reduced: ca.SX
    contacts: Contacts | None
    missing: tuple[tuple[ca.SX, str], ...]


class Rates:
    """Total time derivatives by the chain rule; a rate that nobody gives becomes a marker."""

    def __init__(self, assembly: Assembly, accelerations: ca.SX) -> None:
        A = assembly
        self.missing: list[tuple[ca.SX, str]] = []
        inputs = [
            i.rate.symbol if i.rate else self._marker(f"the rate of input {i.name}")
            for i in A.model.inputs.values()
        ]
        auxiliary = [A.resolve(derivative) for _, derivative in A.model.states.values()]
        kinematic = [A.rate(q) for q in A.kinematic]
        self.z_rates = column(auxiliary)
        self._of = column(
            [
                A.model.time,
                A.u,
                A.z,
                A.dof_values,
                A.dof_rates,
                A.kinematic_values,
                A.x,
                A.v,
                accelerations,
            ]
        )
        self._unknown = ca.SX.sym("further", A.v.numel() + accelerations.numel())
        self.missing.append((self._unknown, "a higher derivative of the state"))
        self._change = column(
            [
                ca.SX(1),
                *inputs,
                self.z_rates,
                A.dof_rates,
                accelerations,
                *kinematic,
                A.v,
                self._unknown,
            ]
        )

    def _marker(self, what: str) -> ca.SX:
        marker = ca.SX.sym(what)
        self.missing.append((marker, what))
        return marker

    def __call__(self, expression: ca.SX, a: ca.SX | None = None) -> ca.SX:
        """Return the total time derivative of an expression; velocities change with ``a``."""
        change = self._change
        if a is not None:
            change = ca.densify(replace(change, self._unknown[: a.numel()], a))
        return ca.jtimes(expression, self._of, change)


def solve_dynamics(assembly: Assembly) -> Dynamics:
    """Make the equations of a model whose roles fit.

    Raises
    ------
    ModelError
        If a law of the state cannot be solved for: a velocity or acceleration enters it
        nonlinearly.
    """
    A = assembly
    residual = column(A.residual(q) for q in A.position_rows)
    position = BlockSolver(ca.jacobian(residual, A.x))
    newton_step = -position.solve(ca.sparsify(residual))  # (A.98)

    rates = column(A.rate(q) for q in A.velocity_rows)
    position_rates = column(A.rate(q) for q in A.position_rows)
    velocity = velocity_solver(
        ca.jacobian(rates, A.v), ca.jacobian(position_rates, A.v), len(A.kinematic)
    )
    n, no, nm, nd = A.x.numel(), len(A.rigid), len(A.prescribed), len(A.dofs)
    identity = ca.SX.eye(n)
    H = velocity.solve(identity[:, no + nm : no + nm + nd])  # (A.102)
    H_m = velocity.solve(identity[:, no : no + nm])

    accelerations = ca.SX.sym("accelerations", nd)
    rate_of = Rates(A, accelerations)
    motions = A.place(column(q.target for q in A.prescribed))
    first = rate_of(motions) if nm else ca.SX(0, 1)
    second = rate_of(first) if nm else ca.SX(0, 1)
    v = _velocities(A, H, H_m, first)  # of the state and the accelerations

    convective = ca.jtimes(rates, A.x, A.v)  # D'' v v
    demanded = ca.SX(n, 1)
    if nm:
        demanded[no : no + nm] = second
    g = velocity.solve(ca.sparsify(demanded - convective))  # (A.104)
    force = A.applied_forces()
    refuse_missing(A.M @ g, "a mass feels it", A, rate_of.missing)
    inertial = force - A.h - A.M @ g

    if nm and depends(column([v, second]), accelerations):
        M_reduced, f_reduced = _affine(A, H, replace(inertial, A.v, v), accelerations)
    else:
        M_reduced = H.T @ A.M @ H  # (18)
        f_reduced = H.T @ replace(inertial, A.v, v)  # (19)
    qdd, contacts = _accelerations(A, M_reduced, f_reduced, rate_of, v, H, g, accelerations)
    forces = ca.SX(0, 1) if contacts is None else contacts.forces
    symbols = contact_symbols(A)
    f_reduced = replace(f_reduced, symbols, forces)

    def settle(expression: ca.SX) -> ca.SX:
        moved = replace(replace(expression, symbols, forces), A.v, v)
        return replace(moved, accelerations, qdd) if nd else moved

    a = H @ qdd + settle(g)  # (A.103)
    stresses = velocity.solve_transposed(settle(force - A.h) - A.M @ a)  # (A.108)
    kinematic = column(A.rate(q) for q in A.kinematic)  # (A.109)
    derivative = column([qdd, A.dof_rates, settle(kinematic), settle(rate_of.z_rates)])
    return Dynamics(
        position,
        velocity,
        newton_step,
        residual,
        settle(v),
        a,
        derivative,
        stresses,
        H,
        M_reduced,
        f_reduced,
        contacts,
        tuple(rate_of.missing),
    )


def _accelerations(
    A: Assembly,
    M: ca.SX,
    f: ca.SX,
    rate_of: Rates,
    v: ca.SX,
    H: ca.SX,
    g: ca.SX,
    accelerations: ca.SX,
) -> tuple[ca.SX, Contacts | None]:
    """Solve M̄ q̈ = f̄, together with the forces of closed contacts.

    Raises
    ------
    ModelError
        If a model with contacts has motions that depend on rates of its degrees of freedom.
    """
    symbols = contact_symbols(A)
    symmetric = not depends(v, accelerations)
    if symbols.numel() == 0:
        return _solve_reduced(M, f, symmetric), None
    if not symmetric:
        raise ModelError(
            f"the motions of {', '.join(q.name for q in A.prescribed)} depend on rates of degrees "
            f"of freedom, and there are the contacts {', '.join(A.model.contacts)}: both at once "
            "are not available; prescribe these motions as auxiliary states"
        )

    def total_rate(expression: ca.SX) -> ca.SX:
        return rate_of(expression, H @ accelerations + g)

    def settle(expression: ca.SX) -> ca.SX:
        return replace(expression, A.v, v)

    free = replace(f, symbols, ca.SX.zeros(symbols.numel()))
    solved = _solve_reduced(M, ca.horzcat(free, ca.jacobian(f, symbols)), symmetric)
    free, response = solved[:, 0], solved[:, 1:]
    contacts = solve_contacts(A, total_rate, settle, accelerations, free, response)
    for i, record in enumerate(contacts.records):
        rates = ca.vertcat(contacts.rate[i], contacts.acceleration[i])
        refuse_missing(rates, f"contact {record.name}", A, rate_of.missing)
    return free + response @ contacts.forces, contacts


def refuse_missing(
    expression: ca.SX, what: str, assembly: Assembly, missing: Sequence[tuple[ca.SX, str]]
) -> None:
    """Refuse an expression that needs a rate which nobody gives, by name.

    Raises
    ------
    ModelError
        Naming the rate, the motions and what to do.
    """
    for marker, name in missing:
        if depends(expression, marker):
            moved = ", ".join(q.name for q in assembly.prescribed)
            purpose = f" for the prescribed motion of {moved}" if moved else ""
            raise ModelError(
                f"{what}: {name} is needed{purpose}; give the input its rate "
                "(Model.input(..., rate=...)), or make the motion an auxiliary state"
            )


def _velocities(A: Assembly, H: ca.SX, H_m: ca.SX, motion_rates: ca.SX) -> ca.SX:
    """Velocities (A.99); rates of motions that depend on velocities themselves are solved for."""
    nm = motion_rates.numel()
    if not nm:
        return H @ A.dof_rates
    if not depends(motion_rates, A.v):
        return H @ A.dof_rates + H_m @ motion_rates
    w = ca.SX.sym("motion_rates", nm)
    v = H @ A.dof_rates + H_m @ w
    demanded = replace(motion_rates, A.v, v)
    slope = ca.jacobian(demanded, w)
    if depends(slope, w):
        raise ModelError(
            f"the motions of {', '.join(q.name for q in A.prescribed)} depend on velocities that "
            "they change themselves, and not linearly; let them depend on states instead"
        )
    at_zero = replace(demanded, w, ca.SX.zeros(nm))
    return replace(v, w, ca.solve(ca.SX.eye(nm) - slope, at_zero))


def _affine(A: Assembly, H: ca.SX, inertial: ca.SX, accelerations: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Collect the accelerations that laws of the state bring: M̄ q̈ = f̄, M̄ maybe unsymmetric."""
    forces = H.T @ inertial
    slope = ca.jacobian(forces, accelerations)
    if depends(slope, accelerations):
        raise ModelError(
            f"the motions of {', '.join(q.name for q in A.prescribed)} depend on the state so "
            "that accelerations enter nonlinearly; prescribe them as auxiliary states instead"
        )
    at_zero = replace(forces, accelerations, ca.SX.zeros(accelerations.numel()))
    return H.T @ A.M @ H - slope, at_zero


def _solve_reduced(M: ca.SX, f: ca.SX, symmetric: bool) -> ca.SX:
    """Solve M̄ X = F without pivoting, F (nd, k): a mass matrix is positive definite."""
    nd = f.shape[0]
    if nd == 0:
        return ca.SX(*f.shape)
    M, f = ca.densify(M), ca.densify(f)
    if nd <= 3:
        return ca.inv_minor(M) @ f
    if symmetric:
        D, LT, order = ca.ldl(M)
        return ca.ldl_solve(f, D, LT, order)
    return ca.solve(M, f)
