"""A free rotation: three generalized speeds and four Euler parameters.

The angular velocity has three generalized speeds, so nothing is singular in any orientation. The
Euler parameters are four kinematic coordinates for three freedoms: only their direction counts,
and their length stays as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import casadi as ca
import numpy as np

from mbcore.model.errors import ModelError, RoleError
from mbcore.model.quantities import Deformation, Role, Slip
from mbcore.model.variables import Visibility

Axes = Literal["body", "space"]


class FreeRotation:
    """Speeds and states of a rotation that is free.

    Attributes
    ----------
    axes : {"body", "space"}
        Axes of the angular velocity's components.
    spins : tuple of Slip
        These components, rad/s; a moment on one is its ``law``.
    """

    def __init__(
        self,
        name: str,
        parameters: Sequence[Deformation],
        components: ca.SX,
        start: ca.SX,
        axes: Axes,
        angular_velocity: Sequence[float],
        nominal: float,
        visibility: Visibility,
    ) -> None:
        if axes not in ("body", "space"):
            raise ModelError(f"rotation {name}: axes is 'body' or 'space', got {axes!r}")
        self.name, self.axes, self._parameters = name, axes, list(parameters)
        begin = _checked_speeds(name, angular_velocity)
        self.spins = tuple(
            Slip(f"{name}.omega_{label}", components[i], "rad/s") for i, label in enumerate("xyz")
        )
        fixed = "fixed to the body" if axes == "body" else "fixed in space"
        for i, spin in enumerate(self.spins):
            spin.dof(
                None,
                begin[i],
                nominal=nominal,
                visibility=visibility,
                description=f"angular velocity about the axis {'xyz'[i]} {fixed}",
            )
        place = _unit(name, start)
        for i, parameter in enumerate(parameters):
            parameter.kinematic(
                f"{name}.e{i}",
                float(place[i]),
                visibility=visibility,
                description="Euler parameter; only the direction of the four counts",
            )

    @property
    def length(self) -> ca.SX:
        """Length of the four states, which does not change; 1 by default."""
        return ca.norm_2(self._values)

    @property
    def _values(self) -> ca.SX:
        return ca.vertcat(*(parameter.value for parameter in self._parameters))

    @property
    def squares(self) -> ca.SX:
        """Sum of the squares of the states, which must not vanish."""
        return ca.sumsqr(self._values)

    @property
    def parameters(self) -> ca.SX:
        """Euler parameters of length one by the states, shape (4, 1).

        Where all states vanish this is not a rotation, so that nothing fails before they are
        refused.
        """
        values = self._values
        # (1, 0, 0, 0) in place of all zeros avoids a division by zero.
        values[0] += ca.eq(self.squares, 0)
        return values / ca.norm_2(values)

    def refuse_other_roles(self) -> None:
        """Refuse roles that were changed after the rotation became free.

        Raises
        ------
        RoleError
            Naming the Euler parameter.
        """
        for parameter in self._parameters:
            if parameter.role is not Role.KINEMATIC:
                role = parameter.role.value if parameter.role else "without a role"
                raise RoleError(
                    f"{parameter.name} is {role}, but its rotation {self.name} is free, whose "
                    "Euler parameters are kinematic coordinates; drop one of them"
                )


def _checked_speeds(name: str, angular_velocity: Sequence[float]) -> list[float]:
    try:
        numbers = [float(w) for w in angular_velocity]
    except (TypeError, ValueError):  # a text, an expression, no sequence
        numbers = []
    if len(numbers) != 3 or not np.all(np.isfinite(numbers)):
        raise ModelError(
            f"rotation {name}: its angular velocity starts with three finite numbers, rad/s, got "
            f"{tuple(angular_velocity)}"
        )
    return numbers


def _unit(name: str, start: ca.SX) -> np.ndarray:
    if not start.is_constant():
        raise ModelError(
            f"rotation {name}: a free rotation starts with numbers, as its Euler parameters are "
            f"states, got {start}; give numbers here and start values of the states elsewhere"
        )
    values = np.array(ca.DM(start).full())[:, 0]
    return values / np.linalg.norm(values)
