"""The base of deformations and slips, and their roles.

Every deformation and every slip has exactly one role (the table in ``docs/architecture.md``). A
quantity also has the symbols of its value, rate and stress, for users' expressions.
"""

from __future__ import annotations

from enum import Enum

import casadi as ca

from mbcore.model import checks
from mbcore.model.changing import Changing
from mbcore.model.errors import ModelError, RoleError
from mbcore.model.expressions import symbolic
from mbcore.model.near_names import Suggesting
from mbcore.model.units.units import per_second, refuse_foreign


class Role(Enum):
    """The roles of [Schwab2002] (A.19), (A.93) and (A.95)."""

    RIGID = "rigid"
    PRESCRIBED = "prescribed"
    DOF = "degree of freedom"
    KINEMATIC = "kinematic coordinate"
    DEPENDENT = "dependent"
    ZERO = "zero slip"
    FREE = "free slip"


_WITH_ARTICLE = {
    Role.DOF: "a degree of freedom",
    Role.KINEMATIC: "a kinematic coordinate",
    Role.ZERO: "a zero slip",
    Role.FREE: "a free slip",
}


FORCE_UNITS = {"m": "N", "m/s": "N", "rad": "N.m", "rad/s": "N.m"}
"""Units of the dual forces by the units of quantities."""


def with_article(role: Role) -> str:
    """Return a role as it stands in a sentence: ``"a degree of freedom"``, ``"rigid"``."""
    return _WITH_ARTICLE.get(role, role.value)


class Quantity(Changing, Suggesting):
    """A formula with a role, laws, and a dual force; the base of deformations and slips.

    ``dual`` is the symbol of the force that does power on the quantity's rate: σ or λ.
    ``relation`` is the formula in symbols of other quantities, for couplings; ``written`` that of a
    slip in their rates.
    """

    def __init__(self, name: str, expression: ca.SX, unit: str, role: Role | None) -> None:
        self.name = name
        self.expression = symbolic(expression)
        self.unit = unit
        self.role = role
        self._chosen = False
        self.laws: list[ca.SX] = []
        self.dual = ca.SX.sym(f"{name}:force")
        self.relation: ca.SX | None = None
        self.written: ca.SX | None = None

    @property
    def rate(self) -> ca.SX:
        """Symbol of the velocity on which the dual does power."""
        raise NotImplementedError(type(self).__name__)

    def _take(self, role: Role) -> None:
        """Take a role; one that was given before must be released first.

        Raises
        ------
        RoleError
            If it has another role already.
        """
        if self.role is role and role in (Role.DOF, Role.KINEMATIC):
            raise RoleError(
                f"{self.name} is already {with_article(role)}; leave out the second call"
            )
        if self._chosen and self.role is not None and self.role is not role:
            raise RoleError(
                f"{self.name} is {with_article(self.role)} already; to make "
                f"it {with_article(role)}, call release() first"
            )
        self.role, self._chosen = role, True

    def _check_state(
        self,
        what: str,
        name: object,
        start: object,
        nominal: object,
        unit: str | None,
        display: str | None = None,
    ) -> tuple[float, float]:
        """Check a state's name, start, nominal value and units.

        Returns start and nominal value in SI units.
        """
        if name is not None and not isinstance(name, str):
            raise ModelError(
                f"{self.name}: {name!r} is not a name of a state ({what}); give texts, as in "
                "dof('angle', 'angle_rate', start=0.1)"
            )
        if name is not None:
            checks.text(f"state ({what} of {self.name})", name)
        own = ""
        if isinstance(start, str) or isinstance(nominal, str):
            own = unit or self.unit if what == "value" else per_second(unit or self.unit, self.name)
        at = checks.scalar(f"{self.name}: start of its {what}", start, own, display)
        size = checks.scalar(f"{self.name}: nominal {what}", nominal, own, display)
        if what == "value" and self.unit == "rad":
            checks.warn_of_degrees(self.name, "start", at)
        if unit is not None or display is not None:
            refuse_foreign(unit or self.unit, display, f"state of {self.name}")
        return at, size

    def __repr__(self) -> str:
        role = self.role.value if self.role else "no role yet"
        return f"<{type(self).__name__.lower()} {self.name}, {role}>"
