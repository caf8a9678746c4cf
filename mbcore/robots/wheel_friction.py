"""Dry friction under a wheel of a robot's file, by its load: it slides and sticks by events.

`mbcore.robots.wheels` adds it; it is an element of its own, as other frictions are.
"""

from __future__ import annotations

import casadi as ca

from mbcore.elements.friction.dry_friction import DryFriction, FrictionLaw
from mbcore.elements.friction.rubbing import Rubbing
from mbcore.model.variables import Number
from mbcore.robots.robot import RollingWheel


class WheelFriction(DryFriction):
    """Friction of a wheel under a base that moves in the plane, as `RollingFriction`.

    Parameters
    ----------
    joint : RollingWheel
        With free slips and a load.
    law : FrictionLaw or number
        The law, or its coefficient.
    """

    joints = (RollingWheel,)
    known_for = "a wheel of a robot's file"
    viscous_unit = "N.s/m"
    preload_unit = None

    def __init__(self, name: str, joint: RollingWheel, law: FrictionLaw | Number) -> None:
        super().__init__(name, joint, law)
        self.wheel = joint

    @property
    def description(self) -> str:
        """The friction with its wheel and coefficient."""
        return self._describe(f"wheel {self.wheel.link}")

    def make_quantities(self) -> None:
        """Let friction act on the slips of the wheel."""
        super().make_quantities()
        load = self.wheel.load
        assert load is not None
        slips = filter(None, (self.wheel.along, self.wheel.sideways))
        rubbing = tuple(Rubbing(slip, ca.SX(1), 1.0) for slip in slips)
        self._rub(rubbing, self._limits(load, ca.SX(1), None), load)
        self._system.requirements.add(
            f"{self.name}.presses",
            load,
            f"wheel {self.wheel.link} would lift, since its load is not positive, N; drive gently, "
            "or put the load elsewhere",
        )
