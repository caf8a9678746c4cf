"""Forces of the ground on a robot's wheel that does not roll ideally: `Ground` on a wheel.

It is apart from `mbcore.robots.rolling`, whose wheels know no laws.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore.contact.regularized import Regularization
from mbcore.elements.friction.dry_friction import FrictionLaw
from mbcore.elements.tyres.law import TyreLaw
from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError


@explains_construction
@dataclass(frozen=True)
class Ground:
    """How a wheel of a robot's file stands on the ground; by default it rolls without slip.

    Attributes
    ----------
    stiffness : float or str, optional
        Vertical, of the wheel with the ground, N/m or a text with a unit, with
        ``support="compliant"``: loads are shared by it, and a gap between wheel and ground
        reduces its load.
    friction : number or FrictionLaw, optional
        The wheel slides where rolling would take more than this friction by its load. Alone it
        sticks exactly, by events; with ``regularize`` it limits the force of that spring.
    regularize : Regularization, optional
        Spring and damper against both slips, see `mbcore.regularize`.
    tyre : TyreLaw, optional
        Forces by slips and load, see `mbcore.Tyre`; the wheel has no other law then.

    Raises
    ------
    ModelError
        If a number is out of its range, or a tyre has another law beside it.
    """

    stiffness: float | None = None
    friction: float | FrictionLaw | None = None
    regularize: Regularization | None = None
    tyre: TyreLaw | None = None

    def __post_init__(self) -> None:
        checks.fields_in_units("Ground", self, stiffness="N/m", friction="1")
        if self.stiffness is not None:
            checks.real("Ground", "stiffness", self.stiffness, above=0.0, unit="N/m")
        if self.friction is not None and not isinstance(self.friction, FrictionLaw):
            checks.real("Ground", "friction", self.friction, least=0.0)
        for word, value, kind, example in (
            ("regularize", self.regularize, Regularization, "Regularization(1e3, 10.0, 1e-3)"),
            ("tyre", self.tyre, TyreLaw, "LinearTyre(5e4)"),
        ):
            if value is not None and not isinstance(value, kind):
                raise ModelError(f"Ground: {word} is {value!r}; give one, as in {example}")
        if self.tyre is not None and (self.friction is not None or self.regularize is not None):
            raise ModelError(
                "Ground: a tyre has its own friction and springs; leave friction and regularize out"
            )
        if self.regularize is not None and isinstance(self.friction, FrictionLaw):
            raise ModelError(
                "Ground: with regularize, friction is one coefficient; give it as a number"
            )

    @property
    def slides(self) -> bool:
        """Whether a law takes the place of rolling without slip."""
        return not (self.friction is None and self.regularize is None and self.tyre is None)

    def limit(self, load: ca.SX | None) -> ca.SX | None:
        """Return the most that a regularized wheel is pushed with, N; None without friction."""
        if load is None or self.friction is None or isinstance(self.friction, FrictionLaw):
            return None
        return self.friction * load

    @property
    def by_load(self) -> bool:
        """Whether the law needs the wheel's load."""
        return self.friction is not None or self.tyre is not None
