"""Names, start values and units of the states of degrees of freedom and kinematic coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore.model.calls import explains_construction
from mbcore.model.variables import State, Visibility


@explains_construction
@dataclass(frozen=True)
class StateName:
    """Name, description, visibility and units of the value or the rate of a degree of freedom.

    Attributes
    ----------
    name : str, optional
        Name of the state; the default is that of `Deformation.dof`.
    description : str
        Description in one line.
    visibility : {"output", "local"}
        Whether importers see it as an output.
    unit, display_unit : str, optional
        SI unit, if it differs from the deformation's, and what tools show it in, such as ``"deg"``,
        while all values stay in SI units. For the value only.
    """

    name: str | None = None
    description: str = ""
    visibility: Visibility = "output"
    unit: str | None = None
    display_unit: str | None = None


@dataclass(frozen=True)
class StateNames:
    """Names, start values and units of the states of a quantity with states.

    ``start_is_given`` is False where ``start`` is the default.
    """

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
    start_is_given: bool = False

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
