"""Contact point of a rolling body: its slips as velocities of that point, its normal force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import casadi as ca

from mbcore.elements.friction.rubbing import Rubbing, usual_length
from mbcore.elements.wheels.knife_edge import KnifeEdge, PlanarKnifeEdge
from mbcore.elements.wheels.rolling_body import RollingBody
from mbcore.elements.wheels.wheel import PlanarWheel, Wheel
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.statements import length
from mbcore.model.system import System
from mbcore.model.variables import Number

Rolling: TypeAlias = PlanarWheel | Wheel | RollingBody | PlanarKnifeEdge | KnifeEdge
"""Elements that roll, or slide along a blade."""
ROLLING: tuple[type, ...] = (PlanarWheel, Wheel, RollingBody, PlanarKnifeEdge, KnifeEdge)
"""The same, as a tuple."""


@dataclass(frozen=True)
class Footing:
    """Where a rolling element touches.

    Attributes
    ----------
    rubbing : tuple of Rubbing
        Its slips along the surface that rolling forbids.
    load : SX
        Normal force of the surface on it, N.
    """

    rubbing: tuple[Rubbing, ...]
    load: ca.SX


def footing(title: str, element: Rolling, load: Number | None) -> Footing:
    """Return where an element touches.

    Parameters
    ----------
    title : str
        First words of messages.
    load : number or expression, optional
        The normal force of an element in the plane, N, where equations know none.

    Raises
    ------
    ModelError
        If the element is in no model, or a load is missing or known already.
    """
    if not element.slips:
        raise ModelError(f"{title}: add the {element.title} to a model first")
    if isinstance(element, PlanarWheel | PlanarKnifeEdge):
        if load is None:
            raise ModelError(
                f"{title}: the {element.title} is seen from above, where its normal force is "
                "unknown; give it as load=, N, a number or an expression"
            )
        return Footing(_rubbing(element), ca.SX(load))
    if load is not None:
        raise ModelError(
            f"{title}: the normal force of the {element.title} is a constraint force; leave load "
            "out"
        )
    return Footing(_rubbing(element), element.normal_force)


def _rubbing(element: Rolling) -> tuple[Rubbing, ...]:
    if isinstance(element, Wheel):
        reach, slope = length(element.radius), length(element.normal)
        size = usual_length(element, element.radius_0)
        scales = {"longitudinal": reach, "lateral": reach * slope}
        return tuple(Rubbing(element.slips[name], s, size) for name, s in scales.items())
    names: tuple[str, ...] = ("longitudinal", "lateral")
    if isinstance(element, RollingBody):
        names = element.directions
    if isinstance(element, PlanarKnifeEdge | KnifeEdge):
        names = ("lateral",)
    return tuple(Rubbing(element.slips[name], ca.SX(1), 1.0) for name in names)


def spinning(title: str, element: Rolling, patch: Number) -> Rubbing:
    """Return the spin of an element about the normal, as the speed of a patch's edge.

    Raises
    ------
    ModelError
        If the element has no spin.
    """
    if "spin" not in element.slips:
        raise ModelError(
            f"{title}: patch is for elements that roll in space; the {element.title} has no spin "
            "about the normal, so leave it out"
        )
    radius = ca.SX(patch)
    return Rubbing(element.slips["spin"], 1 / radius, 1 / usual_length(element, radius))


def require_pressure(model: System, owner: str, element: Element, load: ca.SX) -> None:
    """Require that a surface does not pull at what touches it.

    Parameters
    ----------
    owner : str
        Name of the friction, with which that of the requirement begins.
    """
    model.requirements.add(
        f"{owner}.presses",
        load,
        f"the {element.title} would lift off its surface: its normal force, N, is not positive; "
        "load it more, end the run earlier, or use a unilateral contact",
    )
