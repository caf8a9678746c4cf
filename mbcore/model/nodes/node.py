"""Base of nodes: coordinates that belong together, with their velocities and accelerations.

A node owns the symbols of its coordinates, velocities and accelerations; elements write their
formulas with them. A coordinate is unknown unless it is fixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import casadi as ca

from mbcore.model import checks
from mbcore.model.changing import Changing
from mbcore.model.checks import Check
from mbcore.model.errors import RoleError
from mbcore.model.expressions import dense, symbolic
from mbcore.model.near_names import missing_attribute
from mbcore.model.quantities import Deformation, Role, Slip
from mbcore.model.quantities.quantity import with_article
from mbcore.model.variables import Number


class Coordinate(Deformation):
    """One coordinate of a node; it may be fixed, or serve as a generalized deformation.

    ``reaction`` is the symbol of the support's force on a fixed coordinate, positive along the
    coordinate: N on x, y, z, N.m on an angle. A support that carries a weight pushes upwards::

        foot.fix()
        model.output("ground", foot.y.reaction, unit="N")  # positive where the ground carries

    Nodes make their own, each with a ``name``, the ``symbol`` of its value in x and a ``start``,
    m or rad.
    """

    def __init__(self, name: str, symbol: ca.SX, unit: str, start: ca.SX) -> None:
        super().__init__(name, symbol, unit, role=None)
        self.start = start
        self.fixed: ca.SX | None = None
        self.reaction = ca.SX.sym(f"{name}:reaction")

    def _start(self) -> float:
        return float(self.start) if self.start.is_constant() else 0.0

    def fix(self, value: Number | None = None) -> Coordinate:
        """Keep the coordinate at ``value``, m or rad (x^o), by default where it starts.

        Raises
        ------
        RoleError
            If it has a role already.
        """
        if self.role is not None:
            raise RoleError(
                f"{self.name} is {with_article(self.role)} already and cannot be fixed as well; "
                "call release() first"
            )
        if value is not None:
            kept = checks.number(self.name, "value", value, unit=self.unit)
            if self.unit == "rad":
                checks.warn_of_degrees(self.name, "value", kept)
            self.start = ca.SX(kept)
        self.fixed = self.start
        return self

    def release(self) -> Coordinate:
        """Make it free of a support or role; it depends on others, and laws may act on it."""
        self.fixed = None
        super().release()
        return self

    def _take(self, role: Role) -> None:
        if self.fixed is not None:
            raise RoleError(
                f"{self.name} is fixed and cannot be {with_article(role)} as well; call "
                "release() first"
            )
        super()._take(role)


class Node(Changing):
    """Coordinates that belong together; shapes are (n, 1)."""

    labels: ClassVar[tuple[str, ...]] = ()
    unit: ClassVar[str] = "m"

    def __init__(self, name: str, start: Sequence[Number]) -> None:
        self.name = checks.text("node", name)
        n = len(start)
        full = [f"{name}.{label}" for label in self.labels[:n]]
        places = [ca.SX.sym(f) for f in full]
        self.coordinates = ca.vertcat(*places)
        self.velocities = ca.vertcat(*(ca.SX.sym(f"{f}'") for f in full))
        self.accelerations = ca.vertcat(*(ca.SX.sym(f"{f}''") for f in full))
        self.quantities = [
            Coordinate(f, place, self.unit, symbolic(at))
            for f, place, at in zip(full, places, start, strict=True)
        ]

    @property
    def speeds(self) -> ca.SX:
        """Independent velocities: those of the coordinates, or an angular velocity, (n, 1)."""
        return self.velocities

    @property
    def speed_rates(self) -> ca.SX:
        """Rates of the speeds, shape (n, 1)."""
        return self.accelerations

    @property
    def speed_names(self) -> list[str]:
        """Names of the speeds."""
        return [coordinate.name for coordinate in self.quantities]

    @property
    def changing(self) -> ca.SX:
        """Symbols that change with the node: coordinates, and directions that turn, (m, 1)."""
        return self.coordinates

    @property
    def change(self) -> ca.SX:
        """Rate of ``changing`` as an expression of the speeds, shape (m, 1)."""
        return self.velocities

    def definitions(self) -> list[tuple[ca.SX, ca.SX]]:
        """Return symbols that coordinates define, each with its expression."""
        return []

    def nodal_speeds(self) -> list[tuple[ca.SX, ca.SX]]:
        """Return speeds and their rates with their expressions in velocities of coordinates."""
        return []

    def coordinate_rates(self) -> list[tuple[ca.SX, ca.SX]]:
        """Return velocities and accelerations of coordinates as expressions of the speeds."""
        return []

    @property
    def start(self) -> ca.SX:
        """Start coordinates, expressions of the parameters, shape (n, 1)."""
        return dense(ca.vertcat(*(coordinate.start for coordinate in self.quantities)))

    def fix(self) -> Node:
        """Fix all coordinates where they start."""
        for coordinate in self.quantities:
            coordinate.fix()
        return self

    @property
    def checks(self) -> list[Check]:
        """Checks of its start, made once parameters have values."""
        return []

    def slips(self) -> list[Slip]:
        """Return the slips that belong to the node itself."""
        return []

    def conditions(self) -> list[Deformation]:
        """Return the deformations that belong to the node itself."""
        return []

    def __getattr__(self, label: str) -> Coordinate:
        labels = type(self).labels
        if label in labels and label in labels[: len(self.__dict__.get("quantities", ()))]:
            return self.quantities[labels.index(label)]
        there = labels[: len(self.__dict__.get("quantities", ()))]
        own = ", ".join(there) or "no coordinate yet"
        return missing_attribute(self, label, f"its coordinates are {own}", there)

    def __dir__(self) -> list[str]:
        absent = set(type(self).labels[len(self.quantities) :])
        return sorted({*super().__dir__(), *type(self).labels} - absent)

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} {self.name}>"
