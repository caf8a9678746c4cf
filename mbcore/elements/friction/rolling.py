"""Friction under what rolls: it slides where rolling would take more than its force allows."""

from __future__ import annotations

import casadi as ca

from mbcore.elements.friction.dry_friction import DryFriction, FrictionLaw
from mbcore.elements.friction.footing import ROLLING, Rolling, footing, require_pressure, spinning
from mbcore.model import checks
from mbcore.model.errors import ModelError
from mbcore.model.variables import Number


class RollingFriction(DryFriction):
    """Friction of a wheel, a ball or a blade on its normal force N.

        F = μ N

    It opposes the slip. The body sticks when the slip comes to rest: then it rolls, and its slips
    are held. This element releases them; the degrees of freedom are those of the sliding body. If
    N is not positive, the surface would pull, which is an error. ``force`` opposes each of the
    slips, N, and with a ``patch`` the ``moment`` opposes the spin, N.m.

    Parameters
    ----------
    joint : PlanarWheel, Wheel, ThickWheel, Ball, ConvexBody, KnifeEdge or PlanarKnifeEdge
        The element that rolls, or slides along its edge.
    law : FrictionLaw or number or expression
        The law, or its coefficient.
    load : number or expression, optional
        Normal force, N, of a planar element, where it is not a constraint force.
    patch : number or expression, optional
        Radius, m, of the small round contact area of an element in space. Then friction opposes
        its spin, too, and sliding reduces the friction against spinning, and the other way round.

    Raises
    ------
    ModelError
        If the element is of another kind, its load is missing or known already, another condition
        holds its slips, or a number is out of its range.
    """

    joints = ROLLING
    known_for = "a wheel, a ball, a convex body or a blade"
    viscous_unit = "N.s/m"
    preload_unit = None

    def __init__(
        self,
        name: str,
        joint: Rolling,
        law: FrictionLaw | Number,
        *,
        load: Number | None = None,
        patch: Number | None = None,
    ) -> None:
        super().__init__(name, joint, law)
        self.joint = joint
        self.given_load = load if load is None else checks.expression(self.title, "load", load, "N")
        self.patch = self.optional("patch", patch, above=0.0, unit="m")

    @property
    def description(self) -> str:
        """The friction with its joint and coefficient."""
        return self._describe(self.joint.title)

    def make_quantities(self) -> None:
        """Release the slips of what rolls, and let friction act on them."""
        super().make_quantities()
        model, element = self._system, self.joint
        foot = footing(self.title, element, self.given_load)
        rubbing = foot.rubbing
        if self.patch is not None:
            rubbing = (*rubbing, spinning(self.title, element, self.patch))
        for one in rubbing:
            if one.slip.held is not None:
                raise ModelError(
                    f"{self.title}: a condition holds {one.slip.name} already, such as another "
                    f"friction; give the {element.title} one friction, and leave hold out"
                )
        self._rub(rubbing, self._limits(foot.load, ca.SX(1), self.patch), foot.load)
        self.force = ca.vertcat(*(one.force for one in foot.rubbing))
        self.moment = ca.SX(0) if self.patch is None else rubbing[-1].slip.force
        require_pressure(model, self.name, element, foot.load)
