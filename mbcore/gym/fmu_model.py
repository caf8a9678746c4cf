"""An FMU as the model of a task: its variables as records, like those of equations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from mbcore.fmi.running.cosimulation import CoSimulation
from mbcore.fmi.running.fmu_variables import REALS, Variables
from mbcore.fmi.running.importing import Importing, read_description
from mbcore.model.errors import ModelError

FIXED = ("parameter", "structuralParameter")
GIVEN_AT_START = ("exact", "approx")
ACTIVE = ".active"
"""Ends of the variables of an FMU of mbcore that say whether an event is active."""


@dataclass(frozen=True)
class FmuVariable:
    """A number of an FMU, or an element of an array.

    Attributes
    ----------
    name, unit : str
        ``"1"`` is no unit.
    minimum, maximum : float or None
        Where the FMU declares them.
    kind : str
        ``"event"`` for events.
    whole : bool
        Whether it is a whole number, a Boolean or an item's number.
    """

    name: str
    unit: str = "1"
    minimum: float | None = None
    maximum: float | None = None
    positive: bool = False
    kind: str = "number"
    whole: bool = False


class FmuModel:
    """An FMU for Co-Simulation of FMI 2.0 or 3.0.

    Parameters
    ----------
    path : str or path
        The file.

    Attributes
    ----------
    name : str
        Of the model.
    inputs, outputs, parameters, states : tuple of FmuVariable
        Those of numbers. Outputs are all that can be read besides inputs and parameters, those of
        the FMU first; states are what has a start value.
    discretes : tuple
        Empty.
    events : tuple of FmuVariable
        Of an FMU of mbcore: each name whose ``NAME.active`` can be read.

    Raises
    ------
    ModelError
        There is no such file, or it is no such FMU.
    """

    discretes: tuple[FmuVariable, ...] = ()

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self.description = read_description(self.path)
        if self.description.coSimulation is None:
            raise ModelError(f"{path} offers no Co-Simulation; export it with Co-Simulation")
        self.name = str(self.description.modelName)
        self._variables = Variables(self.description)
        listed = [v for v in self.description.modelVariables if self._is_number(v.name)]
        self.inputs = self._records(v for v in listed if v.causality == "input")
        self.parameters = self._records(v for v in listed if v.causality in FIXED)
        own = [v for v in listed if v.causality == "output"]
        own += [v for v in listed if v.causality in ("local", "independent", None)]
        self.outputs = self._records(v for v in own if v.causality != "independent")
        self.states = self._records(v for v in own if v.initial in GIVEN_AT_START)
        known = {record.name for record in self.outputs}
        self.events = tuple(
            FmuVariable(name.removesuffix(ACTIVE), kind="event")
            for name in known
            if name.endswith(ACTIVE)
        )

    @property
    def restores(self) -> bool:
        """Whether a state of the FMU can be stored and taken back."""
        return bool(self.description.coSimulation.canGetAndSetFMUstate)

    @property
    def only_once(self) -> bool:
        """Whether a process may have one instance only."""
        return bool(self.description.coSimulation.canBeInstantiatedOnlyOncePerProcess)

    def instance(self, start: dict[str, Any]) -> CoSimulation:
        """Return a new instance; errors as those of `mbcore.fmi.CoSimulation`."""
        return CoSimulation(self.path, start, importing=Importing(self.description))

    def _is_number(self, name: str) -> bool:
        try:
            for one in self._variables.elements(name):
                self._variables.kind(one)
        except ModelError:
            return False
        return True

    def _records(self, variables: Iterable[Any]) -> tuple[FmuVariable, ...]:
        return tuple(
            FmuVariable(
                one,
                self._variables.unit(one),
                _bound(v, "min"),
                _bound(v, "max"),
                whole=self._variables.kind(one) not in REALS,
            )
            for v in variables
            for one in self._variables.elements(v.name)
        )


def _bound(variable: Any, which: str) -> float | None:
    for holder in (variable, variable.declaredType):
        given = getattr(holder, which, None)
        if given is not None:
            return float(str(given).split()[0])
    return None
