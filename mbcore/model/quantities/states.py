"""How the states of degrees of freedom and kinematic coordinates are called and started."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore.model.variables import State, Visibility


@dataclass
class StateNames:
    """How the states of a degree of freedom or kinematic coordinate are called and started."""

    value: str
    rate: str
    start: float = 0.0
    rate_start: float = 0.0
    nominal: float = 1.0
    rate_nominal: float = 1.0
    unit: str = "m"
    value_visibility: Visibility = "output"
    rate_visibility: Visibility = "output"
    description: str = ""
    rate_description: str = ""
    display_unit: str | None = None

    @property
    def rate_unit(self) -> str:
        """Unit of the rate."""
        return f"{self.unit}/s"

    def value_record(self, symbol: ca.SX) -> State:
        """Return the record of the value."""
        return State(
            self.value,
            symbol,
            self.start,
            self.unit,
            self.description,
            self.nominal,
            self.value_visibility,
            self.display_unit,
        )

    def rate_record(self, symbol: ca.SX) -> State:
        """Return the record of the rate."""
        return State(
            self.rate,
            symbol,
            self.rate_start,
            self.rate_unit,
            self.rate_description,
            self.rate_nominal,
            self.rate_visibility,
        )
