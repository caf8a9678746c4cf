"""An FMU of FMI 2.0 or 3.0 in Co-Simulation through FMPy, its variables by name.

Any failure is a `SimulationError` with the time and the messages of the FMU. The instance is freed
and its files are removed in any case.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from ctypes import byref, c_double
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import fmpy
import numpy as np
from fmpy import fmi2
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

from mbcore.fmi.running.fmu_variables import REALS, Variables
from mbcore.host.workspace import workspace
from mbcore.model import checks
from mbcore.model.errors import ModelError, SimulationError, warn_user

MESSAGES = 5
"""Number of messages of an FMU in an error."""
RETURNS = 1000
"""Largest number of early returns within a step."""
STATUS = {2: "discard", 3: "error", 4: "fatal", 5: "pending"}
WARNING = 1


class Saved(NamedTuple):
    """A state of an FMU, and its time."""

    state: object
    time: float


class CoSimulation:
    """An FMU for Co-Simulation, to be used in a ``with`` statement.

    Parameters
    ----------
    path : path
        The FMU.
    start : mapping of str to float
        Start values of parameters, states and inputs; an enumeration is its item's number.
    tolerance : float, optional
        Of the solver inside.
    initialize : bool
        False leaves it in Initialization Mode, where outputs may be read and inputs set, until
        `initialized`.

    Attributes
    ----------
    name : str
        Of the model.
    version : {"2.0", "3.0"}
        Of FMI.
    time : float
        s.
    variables : Variables
        All variables, by name.
    rates : dict of str to str
        By the name of a state, that of the variable that holds its derivative.
    messages : deque of str
        The latest messages of the FMU.

    Warns
    -----
    ModelWarning
        At the end of the ``with`` statement, where the FMU has warned.

    Raises
    ------
    ModelError
        There is no such file, it is no FMU, it offers no Co-Simulation, or a name is unknown.
    SimulationError
        The FMU fails.
    """

    def __init__(
        self,
        path: str | Path,
        start: Mapping[str, float] | None = None,
        tolerance: float | None = None,
        *,
        initialize: bool = True,
    ) -> None:
        description = _description(Path(path))
        self.name: str = description.modelName
        self.version = "2.0" if description.fmiVersion.startswith("2") else "3.0"
        self.variables = Variables(description)
        self.rates: dict[str, str] = {
            unknown.variable.derivative.name: unknown.variable.name
            for unknown in description.derivatives
            if unknown.variable.derivative is not None
        }
        self.time = 0.0
        self.messages: deque[str] = deque(maxlen=MESSAGES)
        self._warnings: dict[str, None] = {}
        self._fmu: Any = None
        if tolerance is not None:
            tolerance = checks.real(f"FMU {self.name}", "tolerance", tolerance, above=0)
        self._tolerance = tolerance
        self.variables.check_start(start or {})
        with ExitStack() as files:
            self._folder = str(files.enter_context(workspace()))
            fmpy.extract(str(path), unzipdir=self._folder)
            self._files = files.pop_all()
        try:
            self._begin(description)
            self.set(start or {})
            self._enter_initialization()
            if initialize:
                self.initialized()
        except BaseException:
            self._free()
            raise

    def __enter__(self) -> CoSimulation:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self._call(self._fmu.terminate)
        finally:
            self._free()
        if error is None:
            for text in self._warnings:
                warn_user(f"FMU {self.name}: {text}")

    def initialized(self) -> None:
        """End the initialization."""
        self._call(self._fmu.exitInitializationMode)

    def set(self, values: Mapping[str, float]) -> None:
        """Set variables; an enumeration is its item's number.

        Raises
        ------
        ModelError
            A name is unknown, or a value no number, or no whole one where it has to be.
        SimulationError
            The FMU refuses a value.
        """
        for kind, names in self.variables.by_kind(values).items():
            given = [self._number(kind, name, values[name]) for name in names]
            self._call(getattr(self._fmu, f"set{kind}"), self.variables.references(names), given)

    def _number(self, kind: str, name: str, value: object) -> float | int:
        owner = f"FMU {self.name}: {name}"
        given = float(value) if isinstance(value, bool) else checks.scalar(owner, value)
        if kind in REALS:
            return given
        if not given.is_integer():
            raise ModelError(f"{owner} = {given}, and it is of type {kind}; give a whole number")
        return int(given)

    def get(self, names: Iterable[str]) -> list[float]:
        """Return variables, by ``names``, as numbers."""
        wanted = list(names)
        found: dict[str, float] = {}
        for kind, some in self.variables.by_kind(wanted).items():
            values = self._call(getattr(self._fmu, f"get{kind}"), self.variables.references(some))
            found.update(zip(some, map(float, values), strict=True))
        return [found[name] for name in wanted]

    def jacobian(self, of: Sequence[str], by: Sequence[str]) -> np.ndarray:
        """Return partial derivatives by directional derivatives, shape (of, by)."""
        unknowns, knowns = (self.variables.references(names) for names in (of, by))
        columns = [
            self._call(self._fmu.getDirectionalDerivative, unknowns, [known], [1.0])
            for known in knowns
        ]
        return np.array(columns).T

    def saved(self) -> Saved:
        """Return the state of the FMU, for `restore` and finally `forget`."""
        return Saved(self._call(self._state_function("get")), self.time)

    def restore(self, saved: Saved) -> None:
        """Go back to the moment ``saved``, its mode and its time."""
        self._call(self._state_function("set"), saved.state)
        self.time = saved.time

    def forget(self, saved: Saved) -> None:
        """Free what was saved."""
        self._call(self._state_function("free"), saved.state)

    def step(self, size: float = 0.01) -> None:
        """Advance the time by ``size``, s."""
        self.advance(self.time + checks.real(f"FMU {self.name}", "step", size, above=0, unit="s"))

    def advance(self, end: float) -> None:
        """Advance to a time, s, through early returns of the FMU.

        Raises
        ------
        SimulationError
            The FMU fails, asks for the end of the simulation, or comes no further.
        """
        for _ in range(RETURNS):
            size = end - self.time
            if self.version == "2.0":
                self._call(self._fmu.doStep, self.time, size)
                self.time = end
                return
            _, ended, early, reached = self._call(self._fmu.doStep, self.time, size)
            self.time = reached if early else end
            if ended:
                raise SimulationError(self._explained("asks for the end of the simulation"))
            if not early or reached >= end:
                return
        raise SimulationError(
            self._explained(f"returns early again and again, before t = {end:.9g} s")
        )

    def _begin(self, description: Any) -> None:
        given = {
            "guid": description.guid or description.instantiationToken,
            "unzipDirectory": self._folder,
            "modelIdentifier": description.coSimulation.modelIdentifier,
            "instanceName": description.modelName,
        }
        try:
            if self.version == "2.0":
                self._fmu = FMU2Slave(**given)
                self._fmu.instantiate(callbacks=self._callbacks(), loggingOn=True)
            else:
                self._fmu = FMU3Slave(**given)
                self._fmu.instantiate(loggingOn=True, logMessage=lambda _, *said: self._log(*said))
        except Exception as error:
            self._fmu = None
            raise SimulationError(self._explained(f"cannot be instantiated ({error})")) from error

    def _callbacks(self) -> Any:
        """Return the callbacks of FMI 2.0, without FMPy's proxy, which mixes up instances."""
        made = fmi2.fmi2CallbackFunctions()
        made.logger = fmi2.fmi2CallbackLoggerTYPE(lambda _, __, *said: self._log(*said))
        made.allocateMemory = fmi2.fmi2CallbackAllocateMemoryTYPE(fmi2.calloc)
        made.freeMemory = fmi2.fmi2CallbackFreeMemoryTYPE(fmi2.free)
        return made

    def _enter_initialization(self) -> None:
        if self.version == "2.0":
            self._call(self._fmu.setupExperiment, self._tolerance)
            self._call(self._fmu.enterInitializationMode)
        else:
            self._call(lambda: self._fmu.enterInitializationMode(tolerance=self._tolerance))

    def _state_function(self, what: str) -> Callable[..., Any]:
        kind = "state" if self.version == "2.0" else "State"
        found: Callable[..., Any] = getattr(self._fmu, f"{what}FMU{kind}")
        return found

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except FMICallException as error:
            more = self._last_successful() if error.function == "fmi2DoStep" else ""
            said = f"fails: {error.function} returned {STATUS.get(error.status, error.status)}"
            raise SimulationError(self._explained(said + more)) from error

    def _last_successful(self) -> str:
        """Return how far a step of FMI 2.0 came, where the FMU reports it."""
        reached = c_double(float("nan"))
        try:
            kind = fmi2.fmi2LastSuccessfulTime
            self._fmu.fmi2GetRealStatus(self._fmu.component, kind, byref(reached))
        except FMICallException:
            return ""
        return "" if math.isnan(reached.value) else f", it came to t = {reached.value:.9g} s"

    def _explained(self, what: str) -> str:
        said = f"; it says: {' | '.join(self.messages)}" if self.messages else ""
        return f"FMU {self.name}, t = {self.time:.9g} s: {what}{said}"

    def _log(self, status: int, category: bytes | None, message: bytes | None) -> None:
        text = (message or b"").decode("utf-8", "replace").strip()
        if text and status > 0:
            self.messages.append(text)
        if text and status == WARNING and len(self._warnings) < MESSAGES:
            self._warnings[text] = None

    def _free(self) -> None:
        try:
            if self._fmu is not None:
                self._fmu.freeInstance()
        finally:
            self._fmu = None
            self._files.close()


def _description(path: Path) -> Any:
    """Return an FMU's description, and refuse what is none.

    Raises
    ------
    ModelError
        There is no such file, it is no FMU of FMI 2.0 or 3.0, or has no Co-Simulation.
    """
    if not path.exists():
        raise ModelError(f"there is no FMU {path}; build it with export(...)")
    try:
        description = fmpy.read_model_description(str(path))
    except Exception as error:
        raise ModelError(f"{path} is no FMU that can be read: {error}") from error
    if not description.fmiVersion.startswith(("2", "3")):
        raise ModelError(f"{path} is of FMI {description.fmiVersion}; give one of FMI 2.0 or 3.0")
    if description.coSimulation is None:
        raise ModelError(f"{path} offers no Co-Simulation; export it with Co-Simulation")
    return description
