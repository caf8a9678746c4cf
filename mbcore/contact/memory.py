"""Discrete variables that record the beginnings and the latest impacts of contacts."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore.model import summary
from mbcore.model.errors import ModelError
from mbcore.model.quantities.unilateral import Unilateral, switches_of
from mbcore.model.system import System
from mbcore.model.variables import Number

HARD = 1e4
"""Natural size of forces, N, between hard parts that meet at some metres a second."""


def numbered(name: str, count: int) -> list[str]:
    """Return the name, or where there are several, the name with 1, 2 and so on behind it."""
    return [name] if count == 1 else [f"{name}{j + 1}" for j in range(count)]


@dataclass(frozen=True, repr=False)
class Memory(summary.SummarizedExpressions):
    """Symbols of the discrete variables that record the beginnings of contacts."""

    name: str
    impacts: ca.SX
    time: ca.SX
    speed: ca.SX

    @classmethod
    def add(cls, model: System, name: str) -> Memory:
        """Add ``NAME.impacts``, ``NAME.impact_time`` and ``NAME.impact_speed``.

        Raises
        ------
        ModelError
            If there is a contact of this name.
        """
        if f"{name}.impacts" in model.discretes:
            raise ModelError(f"{name} already has a contact; give the new one another name")
        return cls(
            name,
            model.discretes.add(
                f"{name}.impacts", 0, kind="integer", description="contacts begun so far"
            ),
            model.discretes.add(
                f"{name}.impact_time",
                -1.0,
                unit="s",
                description="beginning of the latest contact; -1 before the first",
            ),
            model.discretes.add(
                f"{name}.impact_speed",
                0.0,
                unit="m/s",
                description="approach speed at the beginning of the latest contact",
            ),
        )

    def begun(self, time: Number, speed: Number) -> dict[str, Number]:
        """Return the assignments when a contact begins with an approach speed."""
        return {
            f"{self.name}.impacts": self.impacts + 1,
            f"{self.name}.impact_time": time,
            f"{self.name}.impact_speed": speed,
        }


@dataclass(frozen=True, repr=False)
class LatestImpact(summary.SummarizedExpressions):
    """Symbols of the discrete variables that record the latest impact of rigid parts."""

    name: str
    impulse: ca.SX
    tangential_impulse: ca.SX
    largest_force: ca.SX
    energy_loss: ca.SX
    switches: ca.SX
    flight: ca.SX
    height: ca.SX

    @classmethod
    def add(cls, model: System, name: str, directions: int = 1) -> LatestImpact:
        """Add ``NAME.impulse``, ``NAME.energy_loss`` and so on, by the names of the attributes.

        Where there are two directions of sliding, the tangential impulses in these have 1 and 2
        behind their name.
        """
        impulse, *tangential, largest_force, energy_loss = (
            model.discretes.add(
                f"{name}.{key}", 0.0, unit=unit, description=description, nominal=size
            )
            for key, unit, size, description in (
                ("impulse", "N.s", 1.0, "normal impulse of the latest impact of rigid parts"),
                *(
                    (key, "N.s", 1.0, "tangential impulse of the latest impact of rigid parts")
                    for key in numbered("tangential_impulse", directions)
                ),
                (
                    "largest_force",
                    "N",
                    HARD,
                    "largest force of the latest impact of rigid parts, estimated (their force "
                    "is 0)",
                ),
                ("energy_loss", "J", 1.0, "lost in all impacts of rigid parts so far"),
            )
        )
        switches = model.discretes.add(
            switches_of(name),
            0,
            kind="integer",
            description="beginnings and ends of permanent contact of rigid parts",
        )
        flight, height = (
            model.discretes.add(
                f"{name}.{key}",
                0.0,
                unit=unit,
                description=f"expected {what} of the flight from the latest impact on that changes "
                "it; 0 where unknown",
                visibility="local",
            )
            for key, unit, what in (("flight", "s", "duration"), ("flight_height", "m", "height"))
        )
        tangential_impulse = ca.vertcat(*tangential)
        return cls(
            name, impulse, tangential_impulse, largest_force, energy_loss, switches, flight, height
        )

    def _tangential(self, impulses: ca.SX) -> dict[str, Number]:
        keys = numbered(f"{self.name}.tangential_impulse", int(self.tangential_impulse.numel()))
        return {key: impulses[j] for j, key in enumerate(keys)}

    def met(self, contact: Unilateral, largest_force: ca.SX) -> dict[str, Number]:
        """Return the assignments when the parts meet."""
        return {
            f"{self.name}.impulse": contact.impulse,
            **self._tangential(contact.tangential_impulse),
            f"{self.name}.largest_force": largest_force,
            f"{self.name}.energy_loss": self.energy_loss + contact.loss,
            f"{self.name}.flight": contact.flight,
            f"{self.name}.flight_height": contact.height,
        }
