"""Shared by the benchmarks: the table, the clock, FMUs in a temporary folder and C hosts.

The C hosts load libraries with dlopen, so they run on Linux and macOS.
"""

from __future__ import annotations

import os
import platform
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import fmpy
import numpy as np
import scipy

from mbcore import Equations
from mbcore.codegen.headers import write_headers
from mbcore.codegen.runtime import ROOMS
from mbcore.fmi import export
from mbcore.fmi.component import Component
from mbcore.fmi.packing.compiler import Compiler, CompilerError, find_compiler

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
HEADERS = Path(fmpy.__file__).parent / "c-code"
FLAGS = ("-std=c99", "-O2", "-ffp-contract=off")
"""Options with which the FMUs' libraries are compiled, too."""


@dataclass
class Table:
    """Rows of what | goal | measured | met."""

    title: str
    rows: list[tuple[str, str, str, str]] = field(default_factory=list)

    def time(
        self, what: str, seconds: Sequence[float], unit: str, below: float | None = None
    ) -> float:
        """Add the median and the shortest of several times; return the median.

        Parameters
        ----------
        what : str
            What took so long.
        seconds : sequence of float
            Each repetition's time.
        unit : {"s", "ms", "us", "ns"}
            Of what is printed, and of ``below``.
        below : float, optional
            What is asked.
        """
        scale = UNITS[unit]
        middle, shortest = median(seconds) * scale, min(seconds) * scale
        text = f"{middle:.3g} {unit} (min {shortest:.3g}, {len(seconds)} times)"
        asked = "" if below is None else f"< {below:g} {unit}"
        self.rows.append((what, asked, text, "" if below is None else _met(middle < below)))
        return middle / scale

    def number(
        self,
        what: str,
        value: float,
        at_most: float | None = None,
        at_least: float | None = None,
    ) -> None:
        """Add a number, which may have to be at most or at least another."""
        asked = met = ""
        if at_most is not None:
            asked, met = f"<= {at_most:g}", _met(value <= at_most)
        elif at_least is not None:
            asked, met = f">= {at_least:g}", _met(value >= at_least)
        self.rows.append((what, asked, f"{value:.4g}", met))

    def print(self) -> None:
        """Print facts of the machine and the rows."""
        heads = ("what", "goal", "measured", "met")
        widths = [max(map(len, column)) for column in zip(heads, *self.rows, strict=True)]
        print(f"{self.title}\n{machine()}\n")
        for row in (heads, tuple("-" * width for width in widths), *self.rows):
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            print(" | ".join(cells).rstrip())


def _met(yes: bool) -> str:
    return "yes" if yes else "NO"


def machine() -> str:
    """Return processor, versions, compiler and load in one line."""
    return ", ".join(
        [
            f"{os.cpu_count()} CPUs ({_processor()}), {platform.system()} {platform.machine()}",
            f"Python {platform.python_version()}",
            f"numpy {np.__version__}, scipy {scipy.__version__}",
            _compiler_version(),
            f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load unknown",
        ]
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _compiler_version() -> str:
    try:
        command = find_compiler().command
    except CompilerError:
        return "no C compiler"
    said = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    return said.stdout.splitlines()[0]


def repeat(action: Callable[[], object], times: int = 5) -> list[float]:
    """Return the seconds that each of several calls takes."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return seconds


@contextmanager
def folder() -> Iterator[Path]:
    """Make a temporary folder; a library still loaded may keep it on Windows."""
    with tempfile.TemporaryDirectory(prefix="mbcore_", ignore_cleanup_errors=True) as name:
        yield Path(name)


@dataclass(frozen=True)
class Unit:
    """An unpacked FMU."""

    path: Path
    token: str
    identifier: str
    references: dict[str, int]

    @property
    def library(self) -> Path:
        """This machine's binary."""
        system = fmpy.platform if (self.path / "binaries" / fmpy.platform).is_dir() else None
        found = self.path / "binaries" / (system or fmpy.platform_tuple)
        return found / f"{self.identifier}{fmpy.sharedLibraryExtension}"


def unpack(archive: Path) -> Unit:
    """Unpack an FMU beside its archive."""
    description = fmpy.read_model_description(str(archive))
    path = Path(fmpy.extract(str(archive), unzipdir=str(archive.with_suffix(""))))
    references = {v.name: int(v.valueReference) for v in description.modelVariables}
    return Unit(path, description.guid, description.coSimulation.modelIdentifier, references)


def build_units(source: Component | Equations, where: Path) -> list[Unit]:
    """Export a model as FMI 2.0 and FMI 3.0, compiled here, and unpack both."""
    return [unpack(path) for path in export(source, where)]


def compile_host(
    sources: Sequence[Path],
    target: Path,
    options: Sequence[str] = (),
    compiler: Compiler | None = None,
) -> Path:
    """Compile C sources and objects to a program, or with ``-shared`` to a library."""
    places = (HERE, *ROOMS, write_headers(target.parent), HEADERS)
    headers = (f"-I{folder}" for folder in places)
    (compiler or find_compiler()).run(
        *FLAGS, *options, *headers, *sources, "-o", target, "-lm", "-ldl"
    )
    return target


def run_host(host: Path, *arguments: object) -> dict[str, list[float]]:
    """Run a program that prints ``name number number ...`` lines; return them by name."""
    said = subprocess.run([str(host), *map(str, arguments)], capture_output=True, text=True)
    if said.returncode:
        raise RuntimeError(f"{host.name}: {said.stderr.strip() or said.returncode}")
    lines = (line.split() for line in said.stdout.splitlines())
    return {name: [float(number) for number in numbers] for name, *numbers in lines}
