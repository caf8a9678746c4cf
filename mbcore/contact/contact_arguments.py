"""Checks of what contacts are given: the element, its law, friction and lengths.

Used by `mbcore.contact.clearance`, `mbcore.contact.plane_contact`, `mbcore.contact.surface_contact`
and `mbcore.contact.touching`.
"""

from __future__ import annotations

import math
from typing import Any

from mbcore.contact.compliant_friction import CompliantFriction, SwitchedFriction
from mbcore.contact.hertz import ContactLaw
from mbcore.contact.impact import Impact
from mbcore.elements.friction.coulomb import CoulombFriction, as_friction
from mbcore.elements.friction.dry_friction import FrictionLaw
from mbcore.elements.joints.bearing import Bearing
from mbcore.model import checks
from mbcore.model.element import Element
from mbcore.model.errors import ModelError, RoleError
from mbcore.model.quantities import Role
from mbcore.model.system import System, is_system
from mbcore.model.variables import Number


def check_bearing(kind: str, model: System, bearing: Bearing, free: str) -> str:
    """Refuse a bearing that is not the model's, or cannot move; return who the messages are from.

    ``free`` says what needs x and y free, as in "a joint with clearance".

    Raises
    ------
    ModelError
        If either is of another type, or the bearing is not an element of the model.
    RoleError
        If x or y is rigid or prescribed.
    """
    if not isinstance(bearing, Bearing):
        raise ModelError(f"{kind}: bearing is {bearing!r}; give a Bearing of the model")
    owner = f"{kind} of {bearing.name}"
    check_member(owner, model, bearing)
    for q in (bearing.x, bearing.y):
        if q.role in (Role.RIGID, Role.PRESCRIBED):
            raise RoleError(
                f"{q.name} is {q.role.value}: {free} needs it free; call release() or dof() first"
            )
    return owner


def check_member(owner: str, model: System, element: Element) -> None:
    """Refuse an element that is not the model's.

    Raises
    ------
    ModelError
        If the model is of another type, or has no such element.
    """
    if not is_system(model):
        raise ModelError(f"{owner}: model is {model!r}; give a Model")
    if model.elements.get(element.name) is not element:
        raise ModelError(
            f"{owner}: {element.title} is not an element of model {model.name}; add it first"
        )


def check_law(owner: str, law: Any, otherwise: str = "") -> ContactLaw:
    """Return a law; refuse anything else, and name the accepted kinds.

    Raises
    ------
    ModelError
        If it cannot be called, or is a class.
    """
    if isinstance(law, type) or not callable(law):
        raise ModelError(f"{owner}: law is {law!r}; give one, as in KelvinVoigt(1e6){otherwise}")
    found: ContactLaw = law
    return found


def check_force_law(owner: str, law: ContactLaw) -> None:
    """Refuse impacts, and what is not a law.

    Raises
    ------
    ModelError
        If it is an impact or no law.
    """
    if isinstance(law, Impact):
        raise ModelError(
            f"{owner}: law is an Impact; give the gap to unilateral_contact, or a law as in "
            "KelvinVoigt(1e6)"
        )
    check_law(owner, law)


def chosen_friction(
    name: str, friction: FrictionLaw | CoulombFriction | Number
) -> FrictionLaw | CoulombFriction:
    """Return friction that sticks, or is smoothed; no friction is the latter.

    Raises
    ------
    ModelError
        If it is for clearances alone.
    """
    if isinstance(friction, CompliantFriction | SwitchedFriction):
        raise ModelError(
            f"contact of {name}: friction is a {type(friction).__name__}, which sticks by a spring "
            "in a clearance; give FrictionLaw(coefficient), which sticks exactly"
        )
    if isinstance(friction, FrictionLaw):
        return friction
    smoothed = as_friction(friction, name)
    if isinstance(friction, CoulombFriction) or smoothed.is_none:
        return smoothed
    return FrictionLaw(smoothed.coefficient)


def positive_length(owner: str, what: str, value: Number) -> Number:
    """Return a length, m; texts have a unit.

    Raises
    ------
    ModelError
        If it is not a finite number greater than 0, and no expression.
    """
    length = checks.in_unit(owner, what, value, "m")
    number = checks.expression(owner, what, length)
    if number.is_constant() and not 0 < float(number) < math.inf:
        raise ModelError(f"{owner}: {what} = {length} must be greater than 0")
    return length
