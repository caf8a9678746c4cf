"""Checks of what formulas, laws and prescribed motions depend on."""

from __future__ import annotations

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.implicit_laws import constraint_forces
from mbcore.model.errors import ModelError, RoleError
from mbcore.model.expressions import column, depends, hashes
from mbcore.model.quantities import Deformation
from mbcore.model.tables import derivatives


def check_formulas(A: Assembly) -> None:
    """Refuse formulas, laws and prescribed motions with symbols that they must not contain.

    Raises
    ------
    ModelError
        Naming the quantity and its dependence.
    RoleError
        If a motion depends on the state of the mechanism and is not declared a servo.
    """
    forbidden = column([A.model.time, A.u, A.s, A.d])
    own = [(q, A.place(q.expression)) for q in A.quantities() if q.relation is None]
    # all at once, for only an error needs them one by one
    for q, formula in own if depends(column(f for _, f in own), forbidden) else ():
        if depends(formula, forbidden):
            raise ModelError(
                f"{q.name} depends on time, an input or a state by itself; an element states "
                "functions of its nodes and parameters: prescribe a deformation instead"
            )
    _refuse_given_stresses(A)
    _check_holds(A)
    allowed = column([A.model.time, A.u, A.s, A.d, A.p])
    for q in A.prescribed:
        stray = [
            symbol.name() for symbol in ca.symvar(A.place(q.target)) if not depends(allowed, symbol)
        ]
        if stray:
            raise ModelError(
                f"{q.name} is prescribed as a function of {', '.join(stray)}; a motion may "
                "depend on time, inputs, auxiliary states and parameters, with servo=True also "
                "on values and rates of degrees of freedom and kinematic coordinates; a "
                "Coupling ties any deformations to each other"
            )
        _refuse_servo(A, q)


def _refuse_given_stresses(A: Assembly) -> None:
    """Refuse laws of stresses that are given by laws themselves.

    Raises
    ------
    ModelError
        Naming the law and the stresses.
    """
    stresses = {s.dual.element_hash(): s.name for s in A.lawful}
    for q in A.quantities():
        present = hashes(column(q.laws))
        if not present.isdisjoint(stresses):
            given = [name for stress, name in stresses.items() if stress in present]
            raise ModelError(
                f"{q.name}: its law depends on the stress of {', '.join(given)}, "
                "which follows from a law or is zero; write that law in its place, because only "
                "constraint forces are known by their symbols; if it is a friction whose "
                "constraint was released as redundant, leave it out or release another one"
            )
    constrained = constraint_forces(A.model)
    for force, velocity in A.model.loads:
        if depends(force, constrained):
            raise ModelError(
                f"a load on {velocity} depends on a constraint force; write it as a law on a "
                "deformation, or on the slip of a Speed that says this velocity"
            )


def _check_holds(A: Assembly) -> None:
    """Refuse conditions of held slips that could change without an event.

    Raises
    ------
    ModelError
        Naming the slip and what its condition depends on.
    """
    allowed = column([A.d, A.p])
    for slip in A.free:
        if slip.held is None:
            continue
        indicator = A.model.events[slip.held.name].indicator
        stray = [s.name() for s in ca.symvar(indicator) if not depends(allowed, s)]
        if stray:
            raise ModelError(
                f"{slip.name} is held while a condition of {', '.join(stray)} holds; let the "
                "condition depend on parameters, discrete variables and modes of events, such as "
                "held = model.event(name, indicator)"
            )


def _refuse_servo(A: Assembly, q: Deformation) -> None:
    """Refuse a motion that depends on the state of the mechanism, unless it is a servo.

    Raises
    ------
    RoleError
        Naming what the motion depends on, and the element that was probably meant.
    """
    if q.servo:
        return
    target = A.place(q.target)
    followed = [
        f"the {what} of {other.name}"
        for other in [*A.dofs, *A.kinematic]
        for what, symbol in (("value", other.value), ("rate", other.rate))
        if depends(target, symbol)
    ]
    followed += [
        f"the integral {record.name} of rates of degrees of freedom"
        for record, derivative in A.model.states.values()
        if depends(target, record.symbol) and _copies(A, derivative)
    ]
    if followed:
        raise RoleError(
            f"{q.name} is prescribed as a function of {', '.join(followed)}: its force would "
            "never act back on that, so energy would not be conserved; add a Coupling(name, "
            "expression) in place of prescribe, or say prescribe(..., servo=True) where a "
            "drive with a supply of its own makes this motion"
        )


def _copies(A: Assembly, derivative: ca.SX) -> bool:
    """Whether a derivative is linear in rates of degrees of freedom, and contains nothing else."""
    placed = A.place(derivative)
    known = column([A.value_rates, A.p])
    if not depends(placed, A.value_rates):
        return False
    if any(not depends(known, symbol) for symbol in ca.symvar(placed)):
        return False
    return not depends(derivatives.jacobian(placed, A.value_rates), A.value_rates)
