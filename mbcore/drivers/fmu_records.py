"""The variables of an FMU as equations have theirs: records with names, units and bounds.

`mbcore.drivers.fmu_driver` makes them, for analyses that show and check variables of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mbcore.drivers.driver import Driver


@dataclass(frozen=True)
class Record:
    """A variable: its name, unit, start and nominal value, and bounds, None where there is none."""

    name: str
    unit: str
    start: float
    nominal: float
    minimum: float | None
    maximum: float | None
    description: str = ""
    kind: str = "real"
    display_unit: str | None = None
    items: tuple[str, ...] = ()
    positive: bool = False
    start_input: str | None = None

    @property
    def value(self) -> float:
        """The start value, as parameters have it."""
        return self.start


class Records:
    """All variables of a driver's system by their kinds.

    Attributes
    ----------
    name : str
        Of the model.
    states, inputs, outputs, parameters : tuple of Record
        Outputs that are states are left out.
    dofs, speeds : int
        None: an FMU does not tell which states are degrees of freedom.
    """

    dofs = speeds = 0

    def __init__(self, driver: Driver) -> None:
        self.name = driver.name
        outputs = [name for name in driver.outputs if name not in driver.states]
        groups: Sequence[Sequence[str]] = (
            driver.states,
            driver.inputs,
            outputs,
            driver.parameters,
        )
        self.states, self.inputs, self.outputs, self.parameters = (
            tuple(_record(driver, name) for name in names) for names in groups
        )


def _record(driver: Driver, name: str) -> Record:
    low, high = (float(x) if np.isfinite(x) else None for x in driver.bounds(name))
    return Record(name, driver.unit(name), driver.start(name), driver.nominal(name), low, high)
