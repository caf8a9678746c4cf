"""What tests build of the sources: FMUs, pages and compiled equations, kept between runs.

A folder of the user's caches is named by a digest of all that its content follows from, so nothing
in it is ever out of date, and it may be deleted at any time. Workers build each thing once: it is
locked while it is made.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import casadi
import numpy
import pytest
from filelock import FileLock

from mbcore import Equations, compile_equations
from mbcore.fmi import export
from mbcore.fmi.export import Toolchain
from mbcore.fmi.packing import toolchains
from mbcore.fmi.packing.compiler import compile_runtime, find_compiler
from mbcore.native import cache as native
from mbcore.page import webassembly, write_page
from tests.objects import KEPT, OBJECTS, ZIGLANG, KeptCompiler, delete_oldest, kept_cross
from tests.shipped import SHIPPED

ROOT = Path(__file__).parents[1]
MOST, LEAST_AGE = 4, 86_400.0
"""Digests that are kept however old, and the age in seconds from which others are deleted."""

Tools = tuple[Toolchain, ...]


@dataclass(frozen=True)
class QuickCompiler(KeptCompiler):
    """A compiler that optimizes less, for most models are compiled to run for an instant.

    Without contraction of products and sums, the numbers are the same.
    """

    optimization: str = "-O1"

    def run(self, *arguments: str | Path) -> None:
        """Run the compiler."""
        own = (self.optimization if a in ("-O1", "-O2") else a for a in arguments)
        super().run(*own)


def quick(optimization: str, *limits: float) -> QuickCompiler:
    """Return the compiler for this machine, with an optimization in place of its own."""
    found = find_compiler(*limits)
    return QuickCompiler(found.command, found.platform, found.timeout, optimization=optimization)


def compile_quickly(optimization: str) -> None:
    """Let this process compile equations and FMUs with less optimization, into a folder of its own.

    It compiles nothing for other platforms, and for pages, that it has compiled before.
    """
    folder = KEPT / f"equations{optimization}"
    # workers have it from the process that began them
    if os.environ.setdefault(native.VARIABLE, str(folder)) != str(folder):
        return
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for module in (native, toolchains):
        module.find_compiler = lambda *limits: quick(optimization, *limits)  # type: ignore[attr-defined]
    native.prebuilt = lambda: None  # the same, whether the installation has compiled the runtime
    for module in (toolchains, webassembly):
        module.find_cross_compiler = kept_cross  # type: ignore[attr-defined]


@contextlib.contextmanager
def hastily() -> Iterator[None]:
    """Compile equations without optimization here, into a folder of their own, and FMUs so too."""
    folder = KEPT / "equations-O0"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(native.VARIABLE, str(folder))
        for module in (native, toolchains):
            patch.setattr(module, "find_compiler", lambda *limits: quick("-O0", *limits))
        yield


def in_c(equations: Equations) -> Equations:
    """Return equations that C evaluates in all analyses, compiled hastily, once for all workers.

    For long runs of an example, which takes the equations that it is given.
    """
    with hastily():
        compile_equations(equations)
    return equations


@cache
def digest() -> str:
    """Return what FMUs follow from: the sources, the packages that write them, the compiler."""
    found = hashlib.sha256()
    for folder in ("mbcore", "fmu_src"):
        for file in sorted((ROOT / folder).rglob("*")):
            if file.is_file() and file.suffix != ".pyc":
                found.update(f"{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
    command = find_compiler().command
    program = Path(shutil.which(command[0]) or command[0]).resolve()
    about = (sys.version, casadi.__version__, numpy.__version__, *command, program.stat().st_mtime)
    found.update(repr((*about, *_zig())).encode())
    return found.hexdigest()[:24]


def _zig() -> tuple[str, ...]:
    """Return the version of the compiler of pages, where it is installed."""
    try:
        return (importlib.metadata.version("ziglang"),)
    except importlib.metadata.PackageNotFoundError:
        return ()


class Kept:
    """FMUs and pages by name, built when they are asked for unless a worker or an earlier run has.

    Parameters
    ----------
    optimization : str
        The compiler's option.
    """

    def __init__(self, optimization: str) -> None:
        self.folder = KEPT / f"{digest()}{optimization}"
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.utime(self.folder)
        _delete_oldest()
        self.compiler = quick(optimization)

    def tools(self) -> Tools:
        """Return the compiler, and the runtime's objects for any model."""
        objects = self.folder / "runtime"
        with self._made_once("runtime") as new:
            if new:
                objects.mkdir(exist_ok=True)
                compile_runtime(self.compiler, objects)
        return (Toolchain(self.compiler, tuple(sorted(objects.glob("*.o"))), has_runtime=True),)

    def fmu(self, name: str, version: str) -> Path:
        """Return an FMU, which is built in both versions at once."""
        with self._made_once(name) as new:
            if new:
                export(SHIPPED[name].component, self.folder, tools=self.tools())
        return self.folder / f"fmi{version[0]}" / f"{name}.fmu"

    def page(self, name: str) -> Path:
        """Return the live page of an FMU."""
        target = self.folder / f"{name}.html"
        with self._made_once(f"{name}.page") as new:
            if new:
                write_page(SHIPPED[name].component, target)
        return target

    @contextlib.contextmanager
    def _made_once(self, name: str) -> Iterator[bool]:
        """Say whether something is still to be made; who comes meanwhile waits for that alone."""
        complete = self.folder / f"{name}.complete"
        with FileLock(self.folder / f"{name}.lock"):
            yield not complete.exists()
            complete.touch()


def _delete_oldest() -> None:
    delete_oldest()
    lasting = (OBJECTS.name, "equations", ZIGLANG, "wine")
    folders = [f for f in KEPT.iterdir() if f.is_dir() and not f.name.startswith(lasting)]
    newest = sorted(folders, key=lambda f: f.stat().st_mtime, reverse=True)
    for folder in newest[MOST:]:
        if time.time() - folder.stat().st_mtime > LEAST_AGE:
            shutil.rmtree(folder, ignore_errors=True)
