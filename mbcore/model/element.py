"""What an element is: formulas in its nodes' coordinates, and nothing else.

To add one, write a subclass that says its deformations, slips and inertia; ``Model.add`` does the
rest. Derivatives are never stated: they come from automatic differentiation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import casadi as ca

from mbcore.model.quantities import Deformation, Role, Slip


@dataclass(frozen=True)
class Strain:
    """Formula of one generalized deformation; ``rigid`` says the role it has unless told."""

    expression: ca.SX
    unit: str = "m"
    residual: Callable[[ca.SX], ca.SX] | None = None
    rigid: bool = True


@dataclass(frozen=True)
class SlipRate:
    """Formula of one slip, linear in the velocities; ``zero`` says the role unless told."""

    expression: ca.SX
    unit: str = "m/s"
    zero: bool = True


class Element:
    """Base of all elements.

    A subclass overrides the four methods as far as it has anything to say. Its deformations and
    slips become attributes by their names (``hinge.angle``), with roles to set.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.deformations: dict[str, Deformation] = {}
        self.slips: dict[str, Slip] = {}

    def strains(self) -> dict[str, Strain]:
        """Return the generalized deformations D(x) by name."""
        return {}

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return the slips V(x) ẋ by name."""
        return {}

    def kinetic_energy(self) -> ca.SX:
        """Return the kinetic energy, J, quadratic in the velocities."""
        return ca.SX(0)

    def first_moment(self) -> ca.SX | None:
        """Return ∫ r dm, shape (2, 1) or (3, 1), kg.m, on which gravity acts; None if massless."""
        return None

    def limits(self) -> dict[str, tuple[ca.SX, str]]:
        """Return conditions ``expression > 0`` with what to do where they fail, by name."""
        return {}

    def make_quantities(self) -> None:
        """Make the deformations and slips from the formulas; called once, by ``Model.add``."""
        for name, strain in self.strains().items():
            role = Role.RIGID if strain.rigid else Role.DEPENDENT
            self.deformations[name] = Deformation(
                f"{self.name}.{name}", strain.expression, strain.unit, strain.residual, role
            )
        for name, slip in self.slip_rates().items():
            self.slips[name] = Slip(f"{self.name}.{name}", slip.expression, slip.unit, slip.zero)

    def __getattr__(self, name: str) -> Any:
        quantities = {**self.__dict__.get("deformations", {}), **self.__dict__.get("slips", {})}
        if name in quantities:
            return quantities[name]
        raise AttributeError(
            f"{type(self).__name__} {self.__dict__.get('name', '')!r} has no {name!r}; "
            f"it has {', '.join(quantities) or 'nothing before it is added to a model'}"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


def length(vector: ca.SX) -> ca.SX:
    """Return the Euclidean length, scalar."""
    return ca.sqrt(ca.dot(vector, vector))
