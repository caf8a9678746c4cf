"""An FMU of FMI 2.0 or 3.0 through FMPy, its variables by name; what both interfaces share.

Any failure is a `SimulationError` with the time and the messages of the FMU. The instance is freed
and its files are removed in any case.
"""

from __future__ import annotations

import abc
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from ctypes import byref
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import fmpy
import numpy as np
from fmpy import fmi2
from fmpy.fmi1 import FMICallException
from fmpy.logging import addLoggerProxy
from fmpy.simulation import (
    apply_start_values,
    settable_in_initialization_mode,
    settable_in_instantiated,
)

from mbcore.fmi.running.fmu_variables import REALS, Access, Variables, intermediate_names
from mbcore.fmi.running.followed_inputs import FollowedInputs
from mbcore.fmi.running.importing import PLAIN, Importing, read_description
from mbcore.host.workspace import workspace
from mbcore.model import checks
from mbcore.model.arrays.elements import values_by_element
from mbcore.model.errors import ModelError, SimulationError, warn_user

MESSAGES = 5
"""Number of messages of an FMU in an error."""
ENDED = "asks for the end of the simulation"
STATUS = {2: "discard", 3: "error", 4: "fatal", 5: "pending"}
WARNING = 1
_Instance = TypeVar("_Instance", bound="FmuInstance")


class Saved(NamedTuple):
    """A state of an FMU, and its time."""

    state: object
    time: float


class FmuInstance(abc.ABC):
    """An FMU, to be used in a ``with`` statement.

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
    importing : Importing
        End, inputs over time, messages.

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
        There is no such file, it is not an FMU, it lacks the interface, or a name is unknown.
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
        importing: Importing = PLAIN,
    ) -> None:
        description = self.description = importing.description or read_description(Path(path))
        self._refuse_lacking(path)
        self.name: str = description.modelName
        self.version = "2.0" if description.fmiVersion.startswith("2") else "3.0"
        self.variables = Variables(description)
        self.rates: dict[str, str] = {
            state: rate
            for unknown in description.derivatives
            if unknown.variable.derivative is not None
            for state, rate in zip(
                self.variables.elements(unknown.variable.derivative.name),
                self.variables.elements(unknown.variable.name),
                strict=True,
            )
        }
        self.time = 0.0
        self.messages: deque[str] = deque(maxlen=MESSAGES)
        self._warnings: dict[str, None] = {}
        self._fmu: Any = None
        self._importing = importing
        if tolerance is not None:
            tolerance = checks.real(f"FMU {self.name}", "tolerance", tolerance, above=0)
        self._tolerance = tolerance
        self.variables.check_start(start or {})
        self.variables.check_inputs("inputs", importing.inputs or {})
        with ExitStack() as files:
            self._folder = str(files.enter_context(workspace()))
            fmpy.extract(str(path), unzipdir=self._folder)
            self._files = files.pop_all()
        between = intermediate_names(Path(self._folder))
        self.inputs = FollowedInputs(description, importing.inputs or {}, between)
        try:
            self._begin()
            self._initialize(start or {}, initialize)
        except BaseException:
            self.free()
            raise

    def __enter__(self: _Instance) -> _Instance:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            if error is None:
                self._call(self._fmu.terminate)
        finally:
            self.free()
        if error is None:
            for text in self._warnings:
                warn_user(f"FMU {self.name}: {text}")

    def initialized(self) -> None:
        """End the initialization."""
        self._call(self._fmu.exitInitializationMode)

    def restart(self, start: Mapping[str, float]) -> None:
        """Begin anew at the time 0, by a reset, with other start values; errors as at first."""
        self.variables.check_start(start)
        self._call(self._fmu.reset)
        self.time = 0.0
        self._initialize(start)

    def _initialize(self, start: Mapping[str, float], end: bool = True) -> None:
        """Set start values and initialize; without ``end``, stay in Initialization Mode."""
        self.set(start)
        left = self._call(self._give, self._importing.start, settable_in_instantiated)
        self._enter_initialization()
        self._call(self._give, left, settable_in_initialization_mode)
        self.set(self.inputs.values(0.0))
        if end:
            self.initialized()

    def _give(self, values: Mapping[str, Any], settable: Callable[..., bool]) -> dict[str, Any]:
        """Give start values that can be set now; return the others."""
        left: dict[str, Any] = apply_start_values(
            self._fmu, self.description, dict(values), settable=settable
        )
        return left

    def set(self, values: Mapping[str, float]) -> None:
        """Set variables; an enumeration is its item's number, an array is set as a whole.

        Raises
        ------
        ModelError
            A name is unknown, or a value no number, or no whole one where it has to be.
        SimulationError
            The FMU refuses a value.
        """
        each = self._by_element(values)
        for kind, names in self.variables.by_kind(each).items():
            given = [self._number(kind, name, each[name]) for name in names]
            access = self.variables.access(names)
            if access.size is not None:
                whole = [0] * access.size if access.is_whole else self._read(kind, access)
                for place, value in zip(access.places, given, strict=True):
                    whole[place] = value
                given = whole
            self._call(getattr(self._fmu, f"set{kind}"), access.references, given)

    def _by_element(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return values by the names of single numbers."""
        arrays = self.variables.arrays
        if not any(name in arrays for name in values):
            return values
        found: dict[str, Any] = {}
        for asked, value in values.items():
            known = self.variables.elements(asked) if asked in arrays else (asked,)
            pairs = values_by_element(f"FMU {self.name}: {asked}", asked, value, known)
            for name, one in pairs:
                if name in found:
                    raise ModelError(f"FMU {self.name}: {name} is given twice; leave one out")
                found[name] = one
        return found

    def _read(self, kind: str, access: Access) -> list[Any]:
        """Return all values of some variables."""
        more = () if access.size is None else (access.size,)
        return list(self._call(getattr(self._fmu, f"get{kind}"), access.references, *more))

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
            access = self.variables.access(some)
            values = self._read(kind, access)
            chosen = (float(values[place]) for place in access.places)
            found.update(zip(some, chosen, strict=True))
        return [found[name] for name in wanted]

    def jacobian(self, of: Sequence[str], by: Sequence[str]) -> np.ndarray:
        """Return partial derivatives by directional derivatives, shape (of, by)."""
        unknown, known = (self.variables.access(names) for names in (of, by))
        columns = []
        for place in known.places:
            if known.size is None:
                arguments = unknown.references, [known.references[place]], [1.0]
            else:
                seed = [float(i == place) for i in range(known.size)]
                arguments = unknown.references, known.references, seed
            more = () if unknown.size is None else (unknown.size,)
            column = self._call(self._fmu.getDirectionalDerivative, *arguments, *more)
            columns.append([column[i] for i in unknown.places])
        return np.array(columns).T

    def saved(self) -> Saved:
        """Return the state of the FMU, for `restore` and finally `forget`."""
        return Saved(self._call(self._state_function("get")), self.time)

    def restore(self, saved: Saved) -> None:
        """Go back to the moment ``saved``, its mode and its time."""
        self._call(self._state_function("set"), saved.state)
        self.time = saved.time

    def forget(self, saved: Saved) -> None:
        """Free the saved state."""
        self._call(self._state_function("free"), saved.state)

    @abc.abstractmethod
    def advance(self, end: float) -> None:
        """Advance to a time, s.

        Raises
        ------
        SimulationError
            The FMU fails, or asks for the end of the simulation.
        """

    def pass_row(self) -> None:
        """Give inputs the values behind a row of a table at the present time."""
        self.set(self.inputs.values(self.time))

    @abc.abstractmethod
    def _refuse_lacking(self, path: str | Path) -> None:
        """Refuse an FMU that lacks the interface."""

    @abc.abstractmethod
    def _begin(self) -> None:
        """Instantiate."""

    def _instantiated(self, kinds: Mapping[str, Any], interface: Any, **more: Any) -> Any:
        """Return an instance of FMPy's class for this version.

        Raises
        ------
        SimulationError
            The FMU cannot be loaded or instantiated.
        """
        try:
            made = kinds[self.version](
                guid=self.description.guid or self.description.instantiationToken,
                unzipDirectory=self._folder,
                modelIdentifier=interface.modelIdentifier,
                instanceName=self.description.modelName,
            )
            if self.version == "2.0":
                made.instantiate(callbacks=self._callbacks(), loggingOn=True)
            else:
                log = self._log
                made.instantiate(loggingOn=True, logMessage=lambda _, *said: log(*said), **more)
        except Exception as error:
            raise SimulationError(self._explained(f"cannot be instantiated ({error})")) from error
        return made

    def _callbacks(self) -> Any:
        """Return the callbacks of FMI 2.0.

        FMPy's proxy formats messages, but mixes up instances: it is for one that runs alone.
        """
        made = fmi2.fmi2CallbackFunctions()
        made.logger = fmi2.fmi2CallbackLoggerTYPE(lambda _, __, *said: self._log(*said))
        made.allocateMemory = fmi2.fmi2CallbackAllocateMemoryTYPE(fmi2.calloc)
        made.freeMemory = fmi2.fmi2CallbackFreeMemoryTYPE(fmi2.free)
        if self._importing.log is not None:
            addLoggerProxy(byref(made))
        return made

    def _enter_initialization(self) -> None:
        if self.version == "2.0":
            self._call(self._fmu.setupExperiment, self._tolerance, 0.0, self._importing.stop)
            self._call(self._fmu.enterInitializationMode)
        else:
            self._call(
                self._fmu.enterInitializationMode, self._tolerance, 0.0, self._importing.stop
            )

    def _state_function(self, what: str) -> Callable[..., Any]:
        kind = "state" if self.version == "2.0" else "State"
        found: Callable[..., Any] = getattr(self._fmu, f"{what}FMU{kind}")
        return found

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except FMICallException as error:
            said = f"fails: {error.function} returned {STATUS.get(error.status, error.status)}"
            raise SimulationError(self._explained(said + self._more(error))) from error

    def _more(self, error: FMICallException) -> str:
        """Return what else is known of a failed call, in words to append."""
        return ""

    def _explained(self, what: str) -> str:
        told = self.messages and self._importing.log is None
        said = f"; it says: {' | '.join(self.messages)}" if told else ""
        return f"FMU {self.name}, t = {self.time:.9g} s: {what}{said}"

    def _log(self, status: int, category: bytes | None, message: bytes | None) -> None:
        text = (message or b"").decode("utf-8", "replace").strip()
        if self._importing.log is not None:
            self._importing.log(status, text)
            return
        if text and status > 0:
            self.messages.append(text)
        if text and status == WARNING and len(self._warnings) < MESSAGES:
            self._warnings[text] = None

    def free(self) -> None:
        """Free the instance in whatever mode it is, and its files."""
        try:
            if self._fmu is not None:
                self._fmu.freeInstance()
        finally:
            self._fmu = None
            self._files.close()
