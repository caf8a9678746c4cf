"""Measures one model: processes of its own for equations and FMU, then rounds with the peers."""

from __future__ import annotations

import json
import os
import resource
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

from benchmarks import common
from benchmarks.scaling.chains import Links
from benchmarks.scaling.families import FAMILIES
from benchmarks.scaling.peers import Peer
from benchmarks.scaling.scaling_case import STATE_FILES

COMPONENTS = {"disk": None, "bicycle": "bicycle"}
"""Models of one size; the name of the FMU's definition, where there is one in ``mbcore.fmus``."""
BLOCKS = 5
"""Of each program in each round; the fastest counts, since what else the machine does only adds."""


class CaseError(RuntimeError):
    """A model could not be measured; the message says what ended it."""


@dataclass(frozen=True)
class Effort:
    """Rounds of ours and the peers', seconds of a block, and the longest a process may take."""

    rounds: int = 15
    block: float = 0.05
    limit: float = 900.0


@dataclass
class Case:
    """Measurements of a model; times in seconds, memory in bytes, NaN where it is missing.

    Attributes
    ----------
    equations, equations_cpu, equations_memory : float
        Making the functions of the right-hand side: by the clock, of the processor, and the
        largest memory of the process with everything else.
    source, compile, compile_memory : float
        Bytes of the generated C, the compiler's time and largest process for them alone.
    fmu, fmu_cpu : float
        The whole process that builds FMI 2.0 and FMI 3.0 from the description on, by the clock
        and of the processors; for a component `build_fmu.py`, which validates and runs them, too.
    rhs, python : float
        A right-hand side with its configuration, in C through FMI and in Python.
    peers, ratios, differences : dict
        By peer: time, median ratio of ours to it, largest relative difference of accelerations.
    failure : str
        What could not be measured.
    """

    family: str
    size: int
    operations: dict[str, int] = field(default_factory=dict)
    equations: float = np.nan
    equations_cpu: float = np.nan
    equations_memory: float = np.nan
    source: float = np.nan
    compile: float = np.nan
    compile_memory: float = np.nan
    fmu: float = np.nan
    fmu_cpu: float = np.nan
    rhs: float = np.nan
    python: float = np.nan
    peers: dict[str, float] = field(default_factory=dict)
    ratios: dict[str, float] = field(default_factory=dict)
    differences: dict[str, float] = field(default_factory=dict)
    failure: str = ""

    @property
    def per_part(self) -> float:
        """Operations of a right-hand side for each link, element or window."""
        return sum(self.operations.values()) / self.size if self.operations else np.nan


def measure(
    family: str,
    size: int,
    where: Path,
    host: Path,
    peers: Sequence[Peer],
    effort: Effort,
    tell: Callable[[str], None],
) -> Case:
    """Measure one model as far as it goes; `Case.failure` says what stopped it.

    Parameters
    ----------
    where : Path
        An empty folder.
    host : Path
        ``right_hand_side.c``, compiled.
    tell : callable
        Called with a few words for each step.
    """
    case = Case(family, size)
    links = FAMILIES[family].links if family in FAMILIES else None
    try:
        tell("equations")
        _measure_equations(case, where, effort.limit)
        tell("FMU")
        unit = _measure_fmu(case, where, effort.limit)
        tell("rounds")
        if links is None:
            peers = ()
        models = {peer.name: links(size) for peer in peers} if links else {}
        _run_rounds(case, unit, where, host, peers, models, effort)
    except (CaseError, RuntimeError) as error:
        case.failure = str(error)
    return case


def _measure_equations(case: Case, where: Path, limit: float) -> None:
    found = json.loads(_process(_case("equations", case, where), limit).splitlines()[-1])
    case.operations = found["operations"]
    case.equations, case.equations_cpu = found["seconds"], found["cpu"]
    case.equations_memory = found["memory"]
    case.python = found["python"]


def _measure_fmu(case: Case, where: Path, limit: float) -> common.Unit:
    log = where / "compiler.log"
    meter = [sys.executable, str(common.HERE / "compiler_meter.py"), str(log)]
    environment = {**os.environ, "CC": shlex.join([*meter, *common.find_compiler().command])}
    definition = COMPONENTS.get(case.family)
    command = _case("fmu", case, where)
    if definition:
        script = str(common.ROOT / "build_fmu.py")
        command = [sys.executable, script, definition, "--out", str(where)]
    start, before = perf_counter(), _children_seconds()
    _process(command, limit, environment)
    case.fmu, case.fmu_cpu = perf_counter() - start, _children_seconds() - before
    noted = [json.loads(line) for line in log.read_text().splitlines()]
    own = [run for run in noted if any(_is_generated(name) for name in run["sources"])]
    case.source = float(sum(sum(run["sources"].values()) for run in own))
    case.compile = sum(run["seconds"] for run in own)
    case.compile_memory = max((run["memory"] for run in own), default=np.nan)
    return common.unpack(next((where / "fmi2").glob("*.fmu")))


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _is_generated(source: str) -> bool:
    """Whether a source is a model's: not of the runtime, not the one that tries the compiler."""
    path = Path(source)
    return path.stem != "probe" and not path.is_relative_to(common.ROOT.resolve())


def _run_rounds(
    case: Case,
    unit: common.Unit,
    where: Path,
    host: Path,
    peers: Sequence[Peer],
    models: dict[str, Links],
    effort: Effort,
) -> None:
    """Compare with the peers at random states, then time ours and them in turn."""
    files = [where / f"states_{i}.txt" for i in range(STATE_FILES)]
    for peer in peers:
        case.differences[peer.name] = max(
            _difference(
                _accelerations(host, unit, file, case.size),
                peer.accelerations(models[peer.name], file, where),
            )
            for file in files
        )
    ours: list[float] = []
    theirs: dict[str, list[float]] = {peer.name: [] for peer in peers}
    for _ in range(effort.rounds):
        said = common.run_host(host, unit.library, unit.token, files[0], BLOCKS, effort.block)
        ours.append(min(said["right_hand_side"]))
        for peer in peers:
            theirs[peer.name].append(
                peer.time(models[peer.name], files[0], where, BLOCKS, effort.block)
            )
    case.rhs = median(ours)
    for name, times in theirs.items():
        case.peers[name] = median(times)
        case.ratios[name] = median(a / b for a, b in zip(ours, times, strict=True))


def _accelerations(host: Path, unit: common.Unit, states: Path, n: int) -> np.ndarray:
    rows = common.run_host(host, unit.library, unit.token, states, 0, 0)
    return np.array(list(rows.values()))[:, :n]


def _difference(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Return the largest difference, relative to the largest acceleration."""
    return float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs)))


def _case(what: str, case: Case, where: Path) -> list[str]:
    script = str(common.HERE / "scaling" / "scaling_case.py")
    return [sys.executable, script, what, case.family, str(case.size), str(where)]


def _process(
    command: Sequence[str], limit: float, environment: dict[str, str] | None = None
) -> str:
    """Run a command and return what it prints; end it with all it started after ``limit`` s.

    Raises
    ------
    CaseError
        It fails or takes too long.
    """
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    ) as process:
        try:
            out, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise CaseError(f"not done after {limit:g} s") from None
    if process.returncode:
        last = (errors.strip().splitlines() or [f"status {process.returncode}"])[-1]
        raise CaseError(last[:200])
    return out
