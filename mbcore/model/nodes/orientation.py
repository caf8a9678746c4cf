"""Orientations in space by four Euler parameters, with the directions that turn with them."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from mbcore.model import checks
from mbcore.model.checks import Check
from mbcore.model.errors import ModelError, RoleError
from mbcore.model.nodes import rotations
from mbcore.model.nodes.node import Node
from mbcore.model.quantities.deformations import Deformation
from mbcore.model.quantities.free_rotation import Axes, FreeRotation
from mbcore.model.quantities.quantity import Role
from mbcore.model.quantities.slips import Slip
from mbcore.model.variables import Number, Visibility

NEARLY_UNIT = 1e-3
"""Error of the length of fixed Euler parameters that is accepted as rounding to few digits."""


DIRECTION = ".direction_"
"""Part of the names of symbols for body-fixed directions, which are made on demand."""


class Rotation(Node):
    """An orientation in space by four Euler parameters, [Schwab2002] (3.26).

    Formulas are written with symbols for the directions that turn with the node and for its
    angular velocity ω. A direction e changes with ω × e, so derivatives need not go through the
    Euler parameters that define both. `Model.rotation` makes one: its ``name`` is unique, and
    ``start`` are four Euler parameters.

    Raises
    ------
    ModelError
        If the Euler parameters are not four, or all zero.
    """

    labels = ("e0", "e1", "e2", "e3")
    unit = "1"

    def __init__(self, name: str, start: Sequence[Number] = (1.0, 0.0, 0.0, 0.0)) -> None:
        place = checks.vector(
            f"rotation {name}", "start of the Euler parameters", start, 4, "(1, 0, 0, 0)"
        )
        super().__init__(name, ca.vertsplit(place))
        if place.is_constant() and float(ca.norm_2(place)) == 0:
            raise ModelError(
                f"rotation {name}: Euler parameters (0, 0, 0, 0) do not make an orientation; "
                "start with (1, 0, 0, 0), or with what mbcore.model.nodes.rotations.about gives"
            )
        self._speeds = _vector(f"{name}.omega")
        self._speed_rates = _vector(f"{name}.omega'")
        self._axes = [_vector(f"{name}.axis_{label}") for label in "xyz"]
        self._turn = ca.horzcat(*self._axes)
        self._directions: list[tuple[tuple[float, ...], ca.SX]] = []
        self._matrix: ca.SX | None = None
        # Many elements may ask for these, and a body with many wheels has as many directions.
        self._change: tuple[int, ca.SX] | None = None
        norm = ca.dot(self.coordinates, self.coordinates) - 1
        self._norm = Deformation(f"{name}.norm", norm, "1", role=Role.RIGID)
        self.asked_stress: ca.SX | None = None
        self.freedom: FreeRotation | None = None

    @property
    def norm_stress(self) -> ca.SX:
        """Stress λ of the Euler parameters' norm, J, a function of configuration and velocities.

        It is ω'ᵀJ'ω', [Schwab2002] (B.24), of all bodies that turn with it: twice their kinetic
        energy of rotation. Beams are not in it.
        """
        if self.asked_stress is None:
            self.asked_stress = ca.SX.sym(f"{self.name}.norm_stress")
        return self.asked_stress

    @property
    def speeds(self) -> ca.SX:
        """Angular velocity on space-fixed axes, shape (3, 1), rad/s."""
        return self._speeds

    @property
    def speed_rates(self) -> ca.SX:
        """Angular acceleration on space-fixed axes, shape (3, 1), rad/s2."""
        return self._speed_rates

    @property
    def speed_names(self) -> list[str]:
        """Names of the components of the angular velocity."""
        return [f"{self.name}.omega_{label}" for label in "xyz"]

    @property
    def matrix(self) -> ca.SX:
        """Rotation matrix, shape (3, 3): columns are the body's axes in space."""
        return self._turn

    def turned(self, vector: Sequence[Number] | ca.SX | ca.DM) -> ca.SX:
        """Return a body-fixed vector on space-fixed axes, shape (3, 1).

        A direction along no body axis gets a symbol of its own.
        """
        given = (
            ca.SX(vector) if isinstance(vector, ca.SX | ca.DM) else ca.vertcat(*map(ca.SX, vector))
        )
        if not given.is_constant():
            return self.matrix @ given
        numbers = tuple(float(c) for c in ca.DM(given).full()[:, 0])
        along = [i for i, c in enumerate(numbers) if c]
        if len(along) == 1 and numbers[along[0]] == 1:
            return self._axes[along[0]]
        if len(along) <= 1:
            return ca.densify(self.matrix @ ca.sparsify(given))
        # Elements often ask for the same direction; one symbol for all keeps expressions small.
        for known, symbol in self._directions:
            if known == numbers:
                return symbol
        symbol = _vector(f"{self.name}{DIRECTION}{len(self._directions)}")
        self._directions.append((numbers, symbol))
        return symbol

    @property
    def changing(self) -> ca.SX:
        """Euler parameters, axes and further directions, shape (m, 1)."""
        directions = [*self._axes, *(symbol for _, symbol in self._directions)]
        return ca.vertcat(self.coordinates, *directions)

    @property
    def change(self) -> ca.SX:
        """½ ω∘λ [Schwab2002] (B.14), and ω × e of the directions, shape (m, 1)."""
        known = self._change
        if known is None or known[0] != len(self._directions):
            directions = [*self._axes, *(symbol for _, symbol in self._directions)]
            turning = [ca.cross(self.speeds, e) for e in directions]
            found = ca.vertcat(rotations.rate(self.coordinates, self.speeds), *turning)
            known = self._change = len(self._directions), found
        return known[1]

    def definitions(self) -> list[tuple[ca.SX, ca.SX]]:
        """Return the directions with their expressions in Euler parameters."""
        if self._matrix is None:
            self._matrix = rotations.matrix(self.coordinates)
        matrix = self._matrix
        found = [(self._axes[i], matrix[:, i]) for i in range(3)]
        return found + [(symbol, matrix @ ca.DM(v)) for v, symbol in self._directions]

    def nodal_speeds(self) -> list[tuple[ca.SX, ca.SX]]:
        """Return ω and its rate in the rates of the Euler parameters, [Schwab2002] (B.13)."""
        return [
            (self.speeds, rotations.angular_velocity(self.coordinates, self.velocities)),
            (self.speed_rates, rotations.angular_velocity(self.coordinates, self.accelerations)),
        ]

    def coordinate_rates(self) -> list[tuple[ca.SX, ca.SX]]:
        """Return first and second rates of the Euler parameters in ω and its rate."""
        first = rotations.rate(self.coordinates, self.speeds)
        second = rotations.rate(self.coordinates, self.speed_rates)
        return [
            (self.velocities, first),
            (self.accelerations, second + rotations.rate(first, self.speeds)),
        ]

    @property
    def angular_velocity(self) -> ca.SX:
        """Angular velocity on space-fixed axes, shape (3, 1), rad/s."""
        return self.speeds

    @property
    def angular_acceleration(self) -> ca.SX:
        """Angular acceleration on space-fixed axes, shape (3, 1), rad/s2."""
        return self.speed_rates

    @property
    def body_angular_velocity(self) -> ca.SX:
        """Angular velocity on body-fixed axes, shape (3, 1), rad/s."""
        return self.matrix.T @ self.speeds

    def fix(self) -> Rotation:
        """Fix all coordinates where they start; numbers are scaled to length 1."""
        start = self.start
        if start.is_constant():
            length = np.linalg.norm(np.array(ca.DM(start).full()))
            self._refuse_length(length)
            for coordinate in self.quantities:
                # Within rounding of 1 the user's digits stay as they are.
                if abs(length - 1) > 2**-51:
                    coordinate.start = coordinate.start / float(length)
        super().fix()
        return self

    def free(
        self,
        name: str | None = None,
        *,
        axes: Axes = "body",
        angular_velocity: Sequence[float] = (0.0, 0.0, 0.0),
        nominal: float = 1.0,
        visibility: Visibility = "output",
    ) -> Rotation:
        """Let it turn freely: no orientation is singular.

        States are ``name.omega_x``, ``name.omega_y`` and ``name.omega_z``, degrees of freedom
        without values, and the Euler parameters ``name.e0`` to ``name.e3``, kinematic coordinates
        whose length has no influence. ``freedom.spins`` are the slips of the angular velocity.

        Parameters
        ----------
        name : str, optional
            Name in the states, by default that of the node.
        axes : {"body", "space"}
            Axes of the angular velocity: those of the body, or fixed ones.
        angular_velocity : sequence of three
            Start of the speeds, on these axes, rad/s.
        nominal : float
            Nominal value of the speeds, rad/s.
        visibility : {"output", "local"}
            Whether importers see the states as outputs.

        Raises
        ------
        ModelError
            If it starts with expressions, or the angular velocity is not three finite numbers.
        RoleError
            If it is free already, or one of its Euler parameters is fixed or has a role.
        """
        if self.freedom is not None:
            raise RoleError(f"rotation {self.name} is already free; leave out the second call")
        for coordinate in self.quantities:
            if coordinate.fixed is not None or coordinate.role is not None:
                role = "fixed" if coordinate.role is None else f"a {coordinate.role.value}"
                raise RoleError(
                    f"{coordinate.name} is {role}, so the rotation {self.name} is not free; drop "
                    "that, or do not call free()"
                )
        components = self.body_angular_velocity if axes == "body" else self.speeds
        self.freedom = FreeRotation(
            name or self.name,
            self.quantities,
            components,
            self.start,
            axes,
            angular_velocity,
            nominal,
            visibility,
        )
        return self

    def slips(self) -> list[Slip]:
        """Return the components of the angular velocity where the rotation is free."""
        return list(self.freedom.spins) if self.freedom else []

    def speeds_of_spins(self, spins: ca.SX) -> ca.SX:
        """Return the angular velocity on space-fixed axes, given the ``spins``."""
        assert self.freedom is not None
        return self.matrix @ spins if self.freedom.axes == "body" else spins

    @property
    def checks(self) -> list[Check]:
        """The check that Euler parameters have length 1 if all are fixed."""
        fixed = [coordinate.fixed for coordinate in self.quantities if coordinate.fixed is not None]
        # Where a parameter is not fixed, the condition of `conditions` determines the length.
        if len(fixed) < 4:
            return []
        return [Check(ca.norm_2(ca.vertcat(*fixed)), self._refuse_length)]

    def _refuse_length(self, length: np.ndarray | np.floating) -> None:
        if not abs(float(np.asarray(length).ravel()[0]) - 1) < NEARLY_UNIT:
            raise ModelError(
                f"rotation {self.name}: it is fixed with Euler parameters of length "
                f"{float(np.asarray(length).ravel()[0]):.9g}; their length must be 1: divide them "
                "by it, or use mbcore.model.nodes.rotations.about(axis, angle)"
            )

    def conditions(self) -> list[Deformation]:
        """Return the norm condition ε_q, [Schwab2002] (3.28), unless the rotation is fixed."""
        if all(coordinate.fixed is not None for coordinate in self.quantities):
            return []
        return [self._norm]


def _vector(name: str) -> ca.SX:
    return ca.vertcat(*(ca.SX.sym(f"{name}[{i}]") for i in range(3)))
