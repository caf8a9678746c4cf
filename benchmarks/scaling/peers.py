"""Open chains in Pinocchio and MuJoCo, timed by small programs that are compiled against them.

Both come with ``pip install '.[peers]'``: Pinocchio's headers are compiled with
``g++ -O3 -DNDEBUG``, MuJoCo's library is the one of its wheel. A peer that is not there, or whose
program does not compile, is left out with the reason.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import common
from benchmarks.scaling.chains import Links

HERE = Path(__file__).resolve().parent
PROGRAMS = common.ROOT / "build" / "peers"
"""Keeps the programs: Pinocchio's takes a minute to compile."""
EIGEN = Path("/usr/include/eigen3")
"""Where Debian's libeigen3-dev is, if cmeel-eigen is not installed."""
BOOST_LIMITS = (
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)
"""Definitions of Pinocchio's own CMake files: it has more joint types than Boost expects."""


class PeerError(RuntimeError):
    """A peer cannot be used; the message says why and what to do."""


@dataclass(frozen=True)
class Peer:
    """A program that evaluates open chains, and how it is told one.

    Attributes
    ----------
    name : str
        What is timed, for tables.
    program : Path
        Takes a model's file and what `common.run_host` gets from `arguments`.
    write : callable
        ``write(links, path)`` writes the model's file.
    """

    name: str
    program: Path
    write: Callable[[Links, Path], None]

    def accelerations(self, links: Links, states: Path, where: Path) -> np.ndarray:
        """Return the joints' accelerations at the states but the first, shape (rows - 1, n)."""
        rows = common.run_host(self.program, self.model(links, where), states, 0, 0)
        return np.array(list(rows.values()))

    def time(self, links: Links, states: Path, where: Path, blocks: int, seconds: float) -> float:
        """Return seconds per evaluation of the fastest block; of several ways of the fastest."""
        ways = common.run_host(self.program, self.model(links, where), states, blocks, seconds)
        return min(map(min, ways.values()))

    def model(self, links: Links, where: Path) -> Path:
        """Return the model's file, written once for each folder."""
        path = where / f"{self.name}_{len(links.mass)}.model"
        if not path.exists():
            self.write(links, path)
        return path


def write_table(path: Path, rows: Sequence[Sequence[float]] | np.ndarray) -> None:
    """Write numbers as the C programs read them: counts of rows and columns, then the rows."""
    table = np.asarray(rows, float)
    lines = (" ".join(f"{value:.17g}" for value in row) for row in table)
    path.write_text(f"{table.shape[0]} {table.shape[1]}\n" + "\n".join(lines) + "\n")


def write_chain(links: Links, path: Path) -> None:
    """Write a chain for ``pinocchio_aba.cpp``."""
    import pinocchio as pin

    model, parent, place = pin.Model(), 0, np.zeros(3)
    model.gravity.linear = links.gravity
    for i, axis in enumerate(links.axes):
        joint = getattr(pin, f"JointModelR{axis.upper()}")()
        parent = model.addJoint(parent, joint, pin.SE3(np.eye(3), place), f"joint{i}")
        inertia = pin.Inertia(links.mass[i], links.centre[i], links.inertia[i])
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
        place = links.offset[i]
    model.saveToText(str(path))


def write_mjcf(links: Links, path: Path) -> None:
    """Write a chain for MuJoCo, without limits, damping, contacts and anything to draw."""

    def numbers(values: Sequence[float] | np.ndarray) -> str:
        return " ".join(f"{value:.17g}" for value in values)

    opening, place = [], np.zeros(3)
    for i, axis in enumerate(links.axes):
        inertia = links.inertia[i]
        if not np.linalg.eigvalsh(inertia)[0] > 0:  # a thin rod: MuJoCo wants none to be zero
            inertia = inertia + np.diag([1e-3, 0.0, 0.0])
        entries = [inertia[j, k] for j, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        opening.append(
            f'<body pos="{numbers(place)}">'
            f'<joint type="hinge" axis="{numbers([float(axis == name) for name in "xyz"])}"/>'
            f'<inertial pos="{numbers(links.centre[i])}" mass="{links.mass[i]:.17g}" '
            f'fullinertia="{numbers(entries)}"/>'
        )
        place = links.offset[i]
    path.write_text(
        f'<mujoco><compiler angle="radian"/><option gravity="{numbers(links.gravity)}">'
        '<flag constraint="disable" contact="disable" sensor="disable"/></option><worldbody>'
        + "\n".join(opening)
        + "</body>" * len(opening)
        + "</worldbody></mujoco>\n"
    )


def find_peers() -> tuple[list[Peer], list[str]]:
    """Return the peers that can be timed here, and why others cannot."""
    found, reasons = [], []
    for make in (_pinocchio, _mujoco):
        try:
            found.append(make())
        except PeerError as error:
            reasons.append(str(error))
    return found, reasons


def _folder_of(package: str) -> Path:
    """Return where a package is installed, without importing it."""
    specification = importlib.util.find_spec(package)
    if specification is None or specification.origin is None:
        raise PeerError(f"{package} is not installed: pip install '.[peers]'")
    return Path(specification.origin).parent


def _pinocchio() -> Peer:
    return Peer(f"Pinocchio {_version('pin')}", pinocchio_program(), write_chain)


def pinocchio_program() -> Path:
    """Return ``pinocchio_aba``, compiled against Pinocchio's wheel.

    Raises
    ------
    PeerError
        Headers or the compiler are missing, or the program does not compile.
    """
    folder = _folder_of("pinocchio")
    prefix = next((p for p in folder.parents if (p / "include" / "pinocchio").is_dir()), None)
    if prefix is None:
        raise PeerError(f"Pinocchio in {folder} comes without headers; install the wheel of pin")
    eigen = next((p for p in (prefix / "include" / "eigen3", EIGEN) if p.is_dir()), None)
    if eigen is None:
        raise PeerError("Eigen's headers are missing: pip install cmeel-eigen")
    source = HERE / "pinocchio_aba.cpp"
    return _compiled(
        source,
        _version("pin"),
        os.environ.get("CXX", "g++"),
        *("-std=c++17", "-O3", "-DNDEBUG", "-w", *BOOST_LIMITS),
        *(f"-I{prefix / 'include'}", f"-I{eigen}", source),
        *(
            f"-L{prefix / 'lib'}",
            "-lpinocchio_default",
            "-lboost_serialization",
            f"-Wl,-rpath,{prefix / 'lib'}",
        ),
    )


def _mujoco() -> Peer:
    folder = _folder_of("mujoco")
    pattern = "libmujoco*.dylib" if sys.platform == "darwin" else "libmujoco.so*"
    library = next(folder.glob(pattern), None)
    if library is None or not (folder / "include").is_dir():
        raise PeerError(f"MuJoCo in {folder} comes without library or headers; install its wheel")
    program = _compiled(
        HERE / "mujoco_forward.c",
        _version("mujoco"),
        *("cc", "-std=c11", "-O2", f"-I{folder / 'include'}", HERE / "mujoco_forward.c"),
        *(library, f"-Wl,-rpath,{folder}"),
    )
    return Peer(f"MuJoCo {_version('mujoco')}", program, write_mjcf)


def _version(package: str) -> str:
    return importlib.metadata.version(package)


def _compiled(source: Path, version: str, command: str, *arguments: object) -> Path:
    """Return the program of a source file, compiled unless the same one is there already."""
    told = [command, f"-I{common.HERE}", *map(str, arguments)]
    headers = [common.HERE / name for name in ("rounds.h", "process.h")]
    texts = [file.read_text() for file in (source, *headers)]
    digest = hashlib.sha256("\n".join([version, *told, *texts]).encode()).hexdigest()[:12]
    program = PROGRAMS / f"{source.stem}_{digest}"
    if program.exists():
        return program
    if shutil.which(command) is None:
        raise PeerError(f"there is no compiler {command}; apt install g++, or set CXX")
    PROGRAMS.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([*told, "-o", str(program)], capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        raise PeerError(f"{command} {source.name}: {(errors or [done.stderr[-300:]])[0][:300]}")
    return program
