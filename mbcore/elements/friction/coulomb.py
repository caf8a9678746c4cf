"""Coulomb friction between surfaces that touch: its coefficient, and the speed that smooths it."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.variables import Number


@explains_construction
@dataclass(frozen=True)
class CoulombFriction:
    """Coulomb friction that is smoothed near zero sliding speed.

        F_t = μ F v / √(v² + v_f²)

    Attributes
    ----------
    coefficient : number or expression
        μ, at least 0.
    speed : number or expression
        Sliding speed v_f, m/s, at which the force has reached 71 % of Coulomb's.

    Raises
    ------
    ModelError
        If a number is out of its range.
    """

    coefficient: Number = 0.0
    speed: Number = 1e-2

    def __post_init__(self) -> None:
        checks.fields_in_units("friction", self, coefficient="1", speed="m/s")
        checks.number("friction", "coefficient", self.coefficient, least=0.0)
        checks.number("friction", "speed", self.speed, above=0.0, unit="m/s")

    @property
    def is_none(self) -> bool:
        """Whether the coefficient is the number zero."""
        return not isinstance(self.coefficient, ca.SX) and self.coefficient == 0


def as_friction(friction: CoulombFriction | Number, name: str) -> CoulombFriction:
    """Return the record for a contact; a number or an expression is a coefficient."""
    if isinstance(friction, CoulombFriction):
        return friction
    return CoulombFriction(checks.number(f"friction of {name}", "coefficient", friction, least=0.0))
