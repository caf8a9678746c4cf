"""What the co-simulating examples share: an FMU driven step by step, built where it is missing."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType, TracebackType
from typing import NamedTuple

import fmpy
import numpy as np
from fmpy.fmi3 import FMU3Slave

from mbcore.fmi import export

ROOT = Path(__file__).resolve().parents[1]
TYPES = {"Enumeration": "Int64"}
"""Types that are set and read as another one."""


class Saved(NamedTuple):
    """A state of an FMU, and its time."""

    state: object
    time: float


class Unit:
    """An FMU for Co-Simulation, its variables by name.

    Parameters
    ----------
    path : Path
        FMI 3.0.
    start : mapping of str to float
        Start values.
    tolerance : float, optional
        Of the solver inside.
    initialize : bool
        False leaves it in Initialization Mode, where outputs may be read and inputs set, until
        `initialized`.

    Attributes
    ----------
    time : float
        s.
    rates : dict of str to str
        By the name of a state, that of the variable that holds its derivative.
    """

    def __init__(
        self,
        path: Path,
        start: Mapping[str, float],
        tolerance: float | None = None,
        *,
        initialize: bool = True,
    ) -> None:
        description = fmpy.read_model_description(str(path))
        if not description.fmiVersion.startswith("3"):
            raise ValueError(f"{path} is of FMI {description.fmiVersion}; FMI 3.0 is needed here")
        self._references = {v.name: v.valueReference for v in description.modelVariables}
        self._types = {v.name: TYPES.get(v.type, v.type) for v in description.modelVariables}
        derivatives = [unknown.variable for unknown in description.derivatives]
        self.rates = {v.derivative.name: v.name for v in derivatives}
        self._folder = fmpy.extract(str(path))
        self._fmu = FMU3Slave(
            guid=description.instantiationToken,
            unzipDirectory=self._folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName=description.modelName,
        )
        self.time = 0.0
        self._fmu.instantiate()
        self.set(start)
        self._fmu.enterInitializationMode(tolerance=tolerance)
        if initialize:
            self.initialized()

    def initialized(self) -> None:
        """End the initialization."""
        self._fmu.exitInitializationMode()

    def __enter__(self) -> Unit:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._fmu.terminate()
        self._fmu.freeInstance()
        shutil.rmtree(self._folder, ignore_errors=True)

    def set(self, values: Mapping[str, float]) -> None:
        """Set variables; an enumeration is its item's number."""
        for type_, names in self._by_type(values).items():
            numbers = [values[n] if type_ == "Float64" else int(values[n]) for n in names]
            getattr(self._fmu, f"set{type_}")([self._references[n] for n in names], numbers)

    def get(self, names: Iterable[str]) -> list[float]:
        """Return variables."""
        found: dict[str, float] = {}
        names = list(names)
        for type_, some in self._by_type(names).items():
            numbers = getattr(self._fmu, f"get{type_}")([self._references[n] for n in some])
            found.update(zip(some, map(float, numbers), strict=True))
        return [found[name] for name in names]

    def jacobian(self, of: Sequence[str], by: Sequence[str]) -> np.ndarray:
        """Return partial derivatives by directional derivatives, shape (of, by)."""
        unknowns, knowns = ([self._references[n] for n in names] for names in (of, by))
        columns = [self._fmu.getDirectionalDerivative(unknowns, [known], [1.0]) for known in knowns]
        return np.array(columns).T

    def saved(self) -> Saved:
        """Return all that the FMU remembers, to be given to `restore` and in the end `forget`."""
        return Saved(self._fmu.getFMUState(), self.time)

    def restore(self, saved: Saved) -> None:
        """Go back to a moment, its mode and its time."""
        self._fmu.setFMUState(saved.state)
        self.time = saved.time

    def forget(self, saved: Saved) -> None:
        """Free what was saved."""
        self._fmu.freeFMUState(saved.state)

    def _by_type(self, names: Iterable[str]) -> dict[str, list[str]]:
        groups: dict[str, list[str]] = {}
        for name in names:
            groups.setdefault(self._types[name], []).append(name)
        return groups

    def step(self, size: float = 0.01) -> None:
        """Advance the time by ``size``, s."""
        self._fmu.doStep(currentCommunicationPoint=self.time, communicationStepSize=size)
        self.time += size


def built(source: ModuleType) -> Path:
    """Return the FMU of a module in ``mbcore.fmus``; make it in ``build/`` if missing or stale."""
    path = ROOT / "build" / "fmi3" / f"{source.NAME}.fmu"
    sources = list((ROOT / "mbcore").rglob("*.[pch]*"))
    newest = max(file.stat().st_mtime for file in sources if "__pycache__" not in file.parts)
    if not path.exists() or path.stat().st_mtime < newest:
        export(source.component(), ROOT / "build", fmi="3.0")
    return path
