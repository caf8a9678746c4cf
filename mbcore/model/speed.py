"""A slip that is written as an expression: a generalized speed, or a constraint on velocities."""

from __future__ import annotations

import casadi as ca

from mbcore.model import checks
from mbcore.model.element import Element
from mbcore.model.errors import ModelError
from mbcore.model.statements import SlipRate


class Speed(Element):
    """A velocity given by an expression, where no element has it as a slip.

    Its slip ``slip`` is free: `Slip.dof` makes it a generalized speed, such as the forward speed
    of a sleigh, ``zero`` forbids it, and ``law`` lets a force act on it; a positive force acts
    against a positive velocity::

        forward = model.add(Speed("forward", ca.dot(ahead, nose.velocity))).slip.dof("v", start=1)
        forward.law(-thrust)            # a positive thrust drives

    Parameters
    ----------
    expression : SX
        Scalar, linear in velocities: those of points and angles, angular velocities of rotations,
        rates of deformations and velocities of slips; their factors may depend on places and
        orientations of nodes, and on parameters.
    unit : str
        Unit of the velocity.
    zero : bool
        Whether it is forbidden by default.

    Raises
    ------
    ModelError
        When it is added, if the expression is not scalar, or not linear in velocities.
    """

    unseen = "it is a velocity of others, and has no place"

    def __init__(
        self, name: str, expression: ca.SX, *, unit: str = "m/s", zero: bool = False
    ) -> None:
        super().__init__(name)
        self._expression = checks.matrix(f"speed {name}", "expression", expression)
        self._unit, self._zero = unit, zero
        self._over_nodes: ca.SX | None = None

    def make_quantities(self) -> None:
        """Make the slip, which knows in which rates it is written."""
        super().make_quantities()
        self.slips["slip"].written = self._expression

    def slip_rates(self) -> dict[str, SlipRate]:
        """Return the expression over velocities of nodes."""
        if self._over_nodes is None:
            assert self.model is not None, "an element is asked for its slips when it is added"
            if not self._expression.is_scalar():
                raise ModelError(
                    f"speed {self.name}: the expression has shape {self._expression.shape}; give a "
                    "scalar, such as the scalar product of a direction with a velocity"
                )
            self._over_nodes = self.model.linear_velocity(self._expression, f"speed {self.name}")
        return {"slip": SlipRate(self._over_nodes, self._unit, self._zero)}
