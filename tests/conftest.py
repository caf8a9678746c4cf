"""The FMUs of mbcore.fmus, built once, and a driver that speaks FMI 2.0 and 3.0 alike."""

from __future__ import annotations

import contextlib
import gc
import importlib
import inspect
import itertools
import os
import re
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from ctypes import CDLL, byref, c_bool, c_double
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import fmpy
import numpy as np
import pytest
from fmpy import calloc, fmi2, fmi3, free, validation
from fmpy.model_description import ModelDescription, ModelVariable
from threadpoolctl import threadpool_limits

from mbcore import Equations, Model
from mbcore.native import compiled
from tests.browser import open_browser
from tests.built import Kept, Tools, compile_quickly, hastily
from tests.cover import thinned
from tests.processor_times import ProcessorTimes
from tests.shipped import SHIPPED, each

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As in a background job: Python leaves it so, and so do the programs that tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)

TESTS = Path(__file__).parent
NAMES = tuple(SHIPPED)
VERSIONS = ("2.0", "3.0")
OK, DISCARD, ERROR = 0, 2, 3
RUNGE_KUTTA, ROSENBROCK, FIXED_STEP, AUTOMATIC = 1, 2, 3, 4
"""Items of solver.method."""

Interface = Literal["CoSimulation", "ModelExchange"]
Archives = Mapping[tuple[str, str], "Archive"]
"""FMUs by name and FMI version."""
OpenFmu = Callable[..., "Instance"]
"""What the fixture `open_fmu` gives: from name and interface to an instance."""

_CLASSES: dict[tuple[str, Interface], type] = {
    ("2.0", "CoSimulation"): fmi2.FMU2Slave,
    ("2.0", "ModelExchange"): fmi2.FMU2Model,
    ("3.0", "CoSimulation"): fmi3.FMU3Slave,
    ("3.0", "ModelExchange"): fmi3.FMU3Model,
}
_ACCESS = {
    "Real": "Real",
    "Integer": "Integer",
    "Enumeration": "Integer",
    "Boolean": "Boolean",
    "Float64": "Float64",
    "Int32": "Int32",
}
"""Type of a variable: end of the names of its getter and setter."""


@dataclass(frozen=True)
class Archive:
    """An FMU on disk and what its model description says."""

    path: Path
    folder: str
    description: ModelDescription
    _loaded: dict[Interface, Any] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, path: Path, where: Path | None = None, validate: bool = True) -> Archive:
        """Extract an FMU, into a folder of its name there or beside itself, and read it."""
        folder = fmpy.extract(str(path), str((where or path.parent) / path.stem))
        return cls(path, folder, fmpy.read_model_description(str(path), validate=validate))

    @property
    def version(self) -> str:
        return self.description.fmiVersion

    @cached_property
    def variables(self) -> dict[str, ModelVariable]:
        return {variable.name: variable for variable in self.description.modelVariables}

    @cached_property
    def states(self) -> list[str]:
        """Names of the continuous states, in the order of the state vector."""
        return [unknown.variable.derivative.name for unknown in self.description.derivatives]

    def load(self, interface: Interface, token: str | None = None) -> Any:
        """Load the library; return a copy of FMPy's object, which takes long to find functions."""
        if interface not in self._loaded:
            self._loaded[interface] = _CLASSES[self.version, interface](
                guid=self.description.guid,
                unzipDirectory=self.folder,
                modelIdentifier=self.description.modelName,
                instanceName=self.description.modelName,
            )
        loaded = copy(self._loaded[interface])
        loaded.dll = CDLL(loaded.dll._name)  # unloaded with the instance
        if token is not None:
            loaded.guid = token
        return loaded

    @property
    def library(self) -> Path:
        """The shared library for this machine."""
        folder = fmpy.platform if self.version == "2.0" else fmpy.platform_tuple
        name = self.description.modelName + fmpy.sharedLibraryExtension
        return Path(self.folder) / "binaries" / folder / name


class Builder(Archives):
    """FMUs, each extracted when it is first asked for.

    Each worker extracts them for itself: a library must not be written while another runs it.
    """

    def __init__(self, kept: Kept, own: Path) -> None:
        self._kept, self._own = kept, own
        self._archives: dict[tuple[str, str], Archive] = {}

    def __getitem__(self, key: tuple[str, str]) -> Archive:
        if key not in self._archives:
            path = self._kept.fmu(*key)
            # validated by a test of its own, not by each worker
            self._archives[key] = Archive.of(path, self._own / key[1], validate=False)
        return self._archives[key]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(itertools.product(NAMES, VERSIONS))

    def __len__(self) -> int:
        return len(NAMES) * len(VERSIONS)


class Message(NamedTuple):
    """What an FMU logged."""

    status: int
    category: str
    text: str


class Instance:
    """One instance of an FMU, driven call by call; every call returns its status."""

    def __init__(
        self, archive: Archive, interface: Interface = "CoSimulation", token: str | None = None
    ) -> None:
        self.archive, self.interface = archive, interface
        self.variables, self.states = archive.variables, archive.states
        self.messages: list[Message] = []
        self.time = 0.0
        self.last_successful_time = 0.0
        self.fmu = archive.load(interface, token)
        self.instantiate()

    def __enter__(self) -> Instance:
        return self

    def __exit__(self, *error: object) -> None:
        self.fmu.freeInstance()

    @property
    def said(self) -> str:
        """The latest message."""
        return self.messages[-1].text if self.messages else ""

    # Life cycle

    def instantiate(self) -> None:
        """Make the instance; an exception where there is none."""
        if self.archive.version == "3.0":
            self.fmu.instantiate(loggingOn=True, logMessage=lambda _, *message: self._log(*message))
            return
        # without FMPy's proxy, which sends the messages of all instances to the newest one
        callbacks = fmi2.fmi2CallbackFunctions()
        callbacks.logger = fmi2.fmi2CallbackLoggerTYPE(lambda _, __, *message: self._log(*message))
        callbacks.allocateMemory = fmi2.fmi2CallbackAllocateMemoryTYPE(calloc)
        callbacks.freeMemory = fmi2.fmi2CallbackFreeMemoryTYPE(free)
        self.fmu.instantiate(callbacks=callbacks, loggingOn=True)

    def renew(self) -> None:
        """Free the instance and make another one with the same library, which has said nothing."""
        self.function("FreeInstance")(self.fmu.component)
        self.messages.clear()
        self.instantiate()

    def reset(self) -> int:
        """Take the instance back to the moment after its instantiation."""
        return self.call("Reset")

    def enter_initialization(
        self,
        values: Mapping[str, float] | None = None,
        *,
        at: float = 0.0,
        tolerance: float | None = None,
    ) -> None:
        """Set values and enter Initialization Mode."""
        assert self.set(values or {}) == OK, self.said
        self.time = at
        if self.archive.version == "2.0":
            self.fmu.setupExperiment(tolerance=tolerance, startTime=at)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(tolerance=tolerance, startTime=at)

    def initialize(
        self,
        values: Mapping[str, float] | None = None,
        *,
        at: float = 0.0,
        tolerance: float | None = None,
    ) -> int:
        """Set values and initialize; in Model Exchange go on to Continuous-Time Mode."""
        self.enter_initialization(values, at=at, tolerance=tolerance)
        status = self.call("ExitInitializationMode")
        return status if status or self.interface == "CoSimulation" else self.leave_event_mode()

    # Variables

    def rate_name(self, state: str) -> str:
        """Return the name of a state's derivative, which may be that of an output."""
        found = (
            n for n, v in self.variables.items() if v.derivative and v.derivative.name == state
        )
        return next(found)

    def reference(self, name: str) -> int:
        return self.variables[name].valueReference

    def set(self, values: Mapping[str, float]) -> int:
        """Set variables one by one; return the first status that is not OK."""
        for name, value in values.items():
            access = self._access(name)
            given = value if access in ("Real", "Float64") else int(value)
            setter = getattr(self.fmu, f"set{access}")
            if status := attempt(setter, [self.reference(name)], [given]):
                return status
        return OK

    def get(self, name: str) -> float:
        """Return a value; an exception where the status is not OK."""
        [value] = getattr(self.fmu, f"get{self._access(name)}")([self.reference(name)])
        return float(value)

    def values(self, names: Iterable[str]) -> np.ndarray:
        """Return values, those of one type by one call."""
        listed = list(names)
        places: dict[str, list[int]] = {}
        for i, name in enumerate(listed):
            places.setdefault(self._access(name), []).append(i)
        found = np.empty(len(listed))
        for access, here in places.items():
            references = [self.reference(listed[i]) for i in here]
            found[here] = getattr(self.fmu, f"get{access}")(references)
        return found

    def try_get(self, name: str) -> int:
        """Return the status of getting a value."""
        return attempt(self.get, name)

    def bytes(self) -> bytes:
        """Return all values, bit for bit."""
        return self.values(self.variables).tobytes()

    # Co-Simulation

    def step(self, size: float) -> int:
        """Make one communication step; time goes on where it succeeds."""
        if self.archive.version == "2.0":
            status = attempt(self.fmu.doStep, self.time, size)
            last = c_double(self.last_successful_time)
            if status != ERROR:
                self.call("GetRealStatus", fmi2.fmi2LastSuccessfulTime, byref(last))
        else:
            flags, last = [c_bool() for _ in range(3)], c_double()
            outputs = [byref(value) for value in (*flags, last)]
            status = self.call("DoStep", self.time, size, c_bool(True), *outputs)
        self.last_successful_time = last.value
        if status == OK:
            self.time += size
        return status

    def run(self, until: float, step: float) -> Instance:
        """Go on to a time in equal communication steps of about the given size."""
        times = np.linspace(self.time, until, max(1, round((until - self.time) / step)) + 1)
        for begin, end in itertools.pairwise(times):
            self.time = float(begin)
            assert self.step(float(end - begin)) == OK, self.said
        self.time = until
        return self

    # Model Exchange

    def update_discrete_states(self) -> int:
        name = "newDiscreteStates" if self.archive.version == "2.0" else "updateDiscreteStates"
        return attempt(getattr(self.fmu, name))

    def leave_event_mode(self) -> int:
        """Update discrete states and enter Continuous-Time Mode."""
        return self.update_discrete_states() or self.call("EnterContinuousTimeMode")

    def move(self, time: float, states: Iterable[float]) -> int:
        """Set time and continuous states."""
        x = doubles(states)
        return self.call("SetTime", time) or self.call("SetContinuousStates", x, len(x))

    def vector(self, what: str, size: int) -> bytes:
        """Return what Get... gives as bytes; an exception where the status is not OK."""
        if what == "Derivatives" and self.archive.version == "3.0":
            what = "ContinuousStateDerivatives"
        values = doubles([0.0] * size)
        self.function(f"Get{what}")(self.fmu.component, values, size)
        return bytes(values)

    def rates(self) -> bytes:
        return self.vector("Derivatives", len(self.states))

    def completed_step(self) -> bool:
        """Tell the FMU that the step is complete; return whether it asks for Event Mode."""
        return bool(self.fmu.completedIntegratorStep()[0])

    # Any function

    def function(self, name: str) -> Callable[..., Any]:
        """Return an FMI function by its name without prefix."""
        return getattr(self.fmu, f"fmi{self.archive.version[0]}{name}")

    def call(self, name: str, *arguments: Any) -> int:
        """Call an FMI function of this instance; return its status."""
        return attempt(self.function(name), self.fmu.component, *arguments)

    def _access(self, name: str) -> str:
        kind = self.variables[name].type
        return "Int64" if (self.archive.version, kind) == ("3.0", "Enumeration") else _ACCESS[kind]

    def _log(self, status: int, category: bytes, text: bytes) -> None:
        said = text.decode()
        if self.archive.version == "2.0":  # there it is a format
            said = said.replace("%%", "%")
        self.messages.append(Message(status, category.decode(), said))


def attempt(function: Callable[..., Any], *arguments: Any) -> int:
    """Call a function of FMPy's; return the status it would raise."""
    try:
        function(*arguments)
    except fmpy.fmi1.FMICallException as refused:
        return refused.status
    return OK


def doubles(values: Iterable[float]) -> Any:
    """Return a C array."""
    listed = [float(value) for value in values]
    return (c_double * len(listed))(*listed)


@cache
def equations_of(make: Callable[[], Model]) -> Equations:
    """Return the equations of a model that is made without arguments, once for all tests.

    Those of an FMU are the ones that it is built of, unless its pins can rub: these know laws of
    constraint forces, for which fewer analyses serve.
    """
    if "friction" not in inspect.signature(make).parameters:
        for shipped in SHIPPED.values():
            if make is shipped.model:
                return shipped.component.equations
    return make().equations()


def optimization(config: pytest.Config) -> str:
    """Return the compiler's option: only heavy tests run for so long that optimizing pays."""
    return "-O0" if config.getoption("markexpr") == "not heavy" else "-O1"


def pytest_configure(config: pytest.Config) -> None:
    """Give every worker one thread of BLAS: the workers fill the processors, and threads that
    wait for each other there make solutions of some hundred equations many times slower."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for programs that tests start
    # compiling would take longer than most tests; those of compiled equations ask for them
    os.environ.setdefault(compiled.VARIABLE, "python")
    compile_quickly(optimization(config))
    threadpool_limits(1, user_api="blas")
    if (least := config.getoption("processor_times")) is not None:
        config.pluginmanager.register(ProcessorTimes(least))
    gc.set_threshold(20_000, 20, 20)  # expressions are many objects, and few of them cycles


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options: products that are thinned otherwise, and where processor time goes."""
    told = (
        "run all combinations of FMI version, interface, method and model, not a cover of pairs, "
        "and further random models"
    )
    parser.addoption("--full-product", action="store_true", help=told)
    told = "list tests by their processor time, from so many seconds on, and the sum of all"
    parser.addoption("--processor-times", type=float, metavar="LEAST", help=told)


DEAREST = (
    "tests/docs/test_walks.py::test_no_page_is_wider",
    "tests/cli/test_fmu_command.py::test_linux_and_windows",
    "tests/fmi/test_cross_platforms.py",
    "tests/fuzz/test_fuzz.py",
    "tests/importers/test_importers.py::test_every_fmu_runs",
    "tests/examples/test_examples.py::test_example_meets_its_numbers[statics_benchmarks]",
    "tests/examples/cars",
    "tests/examples/test_iltis_handling.py",
    "tests/friction_survey",
    "tests/native/test_parity.py::test_random_mechanisms",
)
"""Beginnings of names of tests that take more than 15 s. They are run first: no worker begins with
a long one when the other has nothing left to do."""
ROAD_VEHICLES = re.compile(r"/(car|iltis)/|\b(car|iltis)\b[^:]*\]$")
"""In names of tests whose equations take seconds to derive. They are run one after the other, so
that few of them are derived by two workers."""


def _turn(item: pytest.Function) -> tuple[bool, bool, str]:
    """Return what tests are sorted by: the dearest, those of each road vehicle, and others."""
    vehicle = ROAD_VEHICLES.search(item.nodeid)
    name = (vehicle[1] or vehicle[2]) if vehicle else ""
    return not item.nodeid.startswith(DEAREST), vehicle is None, name


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_collection(session: pytest.Session) -> Iterator[object]:
    """Let every second worker import all tests from the last to the first.

    Where nothing is compiled, as in a new clone, that of assertions takes two thirds of the time
    until tests begin; so each of two workers compiles one half, and reads what the other has made.

    Modules and tests stay, and are kept out of the search for garbage: a tenth of the time.
    """
    gc.disable()
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    if int(worker) % 2 and [Path(each).resolve() for each in session.config.args] == [TESTS]:
        for file in sorted(TESTS.rglob("test_*.py"), reverse=True):
            name = ".".join(file.relative_to(TESTS.parent).with_suffix("").parts)
            with contextlib.suppress(Exception, pytest.skip.Exception):  # collection tells of it
                importlib.import_module(name)
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    """Thin products before tests are chosen by marks, so that fast and heavy ones are one cover."""
    items.sort(key=_turn)
    if not config.getoption("--full-product"):
        kept = [item for item in thinned(items) if not item.get_closest_marker(FURTHER.name)]
        among = set(kept)
        config.hook.pytest_deselected(items=[item for item in items if item not in among])
        items[:] = kept


def pytest_sessionfinish() -> None:
    """Keep what is left, too, where pytest looks for garbage five times before it ends."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def each_name_checked_once() -> Iterator[None]:
    """Let FMPy parse each name of a variable once, for most are in many FMUs of both versions."""
    check, legal = validation._validate_variable_names, set()

    def check_new(description: ModelDescription) -> list[str]:
        convention, variables = description.variableNamingConvention, description.modelVariables
        new = [v for v in variables if (convention, v.name) not in legal]
        if not new:
            return []
        described = copy(description)
        described.modelVariables = new
        problems = check(described)
        if not problems:
            legal.update((convention, v.name) for v in new)
        return problems

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validation, "_validate_variable_names", check_new)
        yield


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of all workers that run tests side by side."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def kept(pytestconfig: pytest.Config) -> Kept:
    """FMUs that are kept between runs, and a compiler for others."""
    return Kept(optimization(pytestconfig))


@pytest.fixture(scope="session")
def tools() -> Tools:
    """A compiler for this machine and the runtime's objects, made once for all workers.

    Nothing is optimized: most models of a single test run for less time than that would take.
    """
    return Kept("-O0").tools()


@pytest.fixture
def hasty() -> Iterator[None]:
    """Equations and FMUs are compiled without optimization, for tests that run them shortly."""
    with hastily():
        yield


@pytest.fixture
def evaluated_in_c(hasty: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Analyses evaluate in C, as a user's do, for tests whose many motions take long in Python."""
    monkeypatch.setenv(compiled.VARIABLE, "c")


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory, kept: Kept) -> Archives:
    """All FMUs, each built when it is first asked for, once for all workers."""
    return Builder(kept, tmp_path_factory.mktemp("archives"))


FURTHER = pytest.mark.further
"""For further draws of a test of random models, where the first ones have all its kinds."""

FMI2_HEAVY = pytest.mark.parametrize(
    "version",
    [pytest.param("2.0", id="fmi2", marks=pytest.mark.heavy), pytest.param("3.0", id="fmi3")],
    indirect=True,
)
"""For long tests of what both versions share: with FMI 3.0, and with 2.0 among the heavy ones."""


@pytest.fixture(params=VERSIONS, ids=["fmi2", "fmi3"])
def version(request: pytest.FixtureRequest) -> str:
    """Each FMI version in turn."""
    return request.param


@pytest.fixture(params=each())
def archive(request: pytest.FixtureRequest, version: str, archives: Archives) -> Archive:
    """Each FMU in each FMI version in turn."""
    return archives[request.param, version]


@pytest.fixture
def open_fmu(version: str, archives: Archives) -> Iterator[OpenFmu]:
    """Instances of an FMU by its name, in each FMI version in turn; freed after the test."""
    opened: list[Instance] = []

    def open_one(name: str, interface: Interface = "CoSimulation") -> Instance:
        opened.append(Instance(archives[name, version], interface))
        return opened[-1]

    yield open_one
    for instance in opened:
        instance.fmu.freeInstance()


@pytest.fixture(scope="session")
def driven_browser() -> Iterator[Any]:
    """A browser without a window, started once."""
    driver = open_browser()
    yield driver
    driver.quit()


@pytest.fixture
def browser(driven_browser: Any) -> Iterator[Any]:
    """The browser, for tests that are marked with `browser.needs_browser`.

    It leaves the page afterwards, which else would go on playing beside all later tests.
    """
    yield driven_browser
    driven_browser.get("about:blank")


@pytest.fixture
def cvode() -> None:
    """Skip where FMPy ships no CVODE for the platform."""
    try:
        from fmpy.sundials import CVodeSolver  # noqa: F401
    except Exception as missing:
        pytest.skip(f"FMPy ships no CVODE for this platform: {missing}")
