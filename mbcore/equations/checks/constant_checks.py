"""Checks that rigid and fixed values, masses, inertia and offsets are constant."""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca

from mbcore.equations.assembly.assembly import Assembly
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, hashes, symbolic
from mbcore.model.quantities import Deformation
from mbcore.model.statements import Spin

CONSTANT = ("mass", "inertia", "offset")
"""Attributes of elements with constants of bodies."""


def check_constants(A: Assembly) -> None:
    """Refuse constants that change: with a node, a state, an input, a discrete variable or time.

    A place that depends on one of these would have no velocity, and the change of a mass no part in
    the momentum.

    Raises
    ------
    ModelError
        Naming the quantity or the element, and its dependence.
    """
    parameters = hashes(A.p)
    kept = [(q.name, "rigid", q.target) for q in A.rigid]
    kept += [(c.name, "fixed", c.fixed) for c, *_ in A.fixed if c.fixed is not None]
    for name, role, value in kept:
        stray = _stray(value, parameters)
        if stray:
            raise ModelError(
                f"{name} is {role} at a value that depends on {stray}; only numbers and "
                "parameters are constant: use prescribe(...) for a motion, and a Coupling for a "
                "relation between deformations"
            )
    changing = _symbols_of_change(A)
    for element in A.model.elements.values():
        for what, value in _constants_of(element):
            _refuse(element, what, _stray(value, parameters))
        moment = element.first_moment()
        for what, value in (("kinetic energy", element.kinetic_energy()), ("weight", moment)):
            if value is not None:
                found = [s for s in ca.symvar(symbolic(value)) if s.element_hash() in changing]
                _refuse(element, what, ", ".join(s.name() for s in found))


def _constants_of(element: Element) -> list[tuple[str, ca.SX]]:
    # an element that is asked for what it has not looks for similar names first, which takes long
    has = {*vars(element), *(name for name in CONSTANT if hasattr(type(element), name))}
    given = [(name, getattr(element, name)) for name in CONSTANT if name in has]
    found = [(name, value) for name, value in given if isinstance(value, ca.SX)]
    for part in element.inertias():
        found.append(("inertia", part.tensor if isinstance(part, Spin) else part.matrix))
    return found


def _refuse(element: Element, what: str, stray: str) -> None:
    if stray:
        raise ModelError(
            f"{element.title}: its {what} depends on {stray}; mass, inertia and offsets are "
            "numbers or expressions of parameters, else momentum would be wrong: let a second "
            "body move where the mass does"
        )


def _symbols_of_change(A: Assembly) -> set[int]:
    """Return the hashes of all symbols but those of nodes and parameters."""
    coordinates = A.model.coordinates()
    quantities = [*A.quantities(), *coordinates]
    values = [q.value for q in quantities if isinstance(q, Deformation)]
    rates = [q.rate for q in quantities]
    known = [A.model.time, A.model.kinetic_energy, A.model.potential_energy, A.u, A.s, A.d]
    nodal = column(s for n in A.model.nodes.values() for s in (n.coordinates, n.velocities))
    return hashes(column([*known, *values, *rates])) - hashes(nodal)


def _stray(value: ca.SX, allowed: set[int]) -> str:
    found: Iterable[ca.SX] = ca.symvar(symbolic(value))
    return ", ".join(s.name() for s in found if s.element_hash() not in allowed)
