"""Objects of C files, kept between runs by what they follow from: the preprocessed text.

The C of a model seldom changes with the library. Most of what a run of tests compiles has been
compiled by an earlier one, or by another test of the same run. The folder may be deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import os
import shutil
import time
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from filelock import FileLock
from platformdirs import user_cache_path

from mbcore.codegen.compiler import LONGEST, Compiler, find_cross_compiler
from mbcore.codegen.platforms import Platform
from mbcore.host.workspace import workspace

KEPT = user_cache_path("mbcore-tests", appauthor=False)
"""Folder of all that tests keep between runs."""
OBJECTS = KEPT / "objects"
ZIGLANG = "ziglang"
MOST_BYTES, LEAST_AGE = 400_000_000, 86_400.0
"""Size of the folder above which the least recently used objects are deleted, and the age in
seconds from which locks are."""


@dataclass(frozen=True)
class KeptCompiler(Compiler):
    """A compiler that copies the object of a text which it has compiled by the same line before."""

    def run(self, *arguments: str | Path) -> None:
        """Run the compiler, or copy what it has made."""
        line = [str(argument) for argument in arguments]
        if line[-4:-3] != ["-c"] or line[-2] != "-o":  # it links
            super().run(*line)
            return
        source, target = Path(line[-3]), Path(line[-1])
        OBJECTS.mkdir(mode=0o700, parents=True, exist_ok=True)
        known = OBJECTS / f"{self._digest(source, line[:-4])}.o"
        with FileLock(known.with_suffix(".lock")):  # another worker may be compiling the same
            if known.exists():
                shutil.copy(known, target)
                os.utime(known)
                return
            super().run(*line)
            with workspace(OBJECTS) as work:
                os.replace(shutil.copy(target, work), known)

    def _digest(self, source: Path, options: list[str]) -> str:
        """Return what an object follows from: the text, the options and the compiler."""
        with workspace() as folder:
            text = Path(folder) / source.name
            super().run(*options, "-E", "-P", source, "-o", text)
            found = hashlib.sha256(text.read_bytes())
        program = Path(shutil.which(self.command[0]) or self.command[0]).resolve()
        own = [option for option in options if not option.startswith("-I")]
        found.update(repr((*self.command, program.stat().st_mtime, *own)).encode())
        return found.hexdigest()[:40]


def keeping(compiler: Compiler) -> KeptCompiler:
    """Return a compiler that compiles no text twice."""
    return KeptCompiler(compiler.command, compiler.platform, compiler.timeout)


def kept_cross(platform: Platform, timeout: float = LONGEST) -> KeptCompiler:
    """Return a compiler for any platform that compiles no text twice."""
    found = find_cross_compiler(platform, timeout)
    program = Path(found.command[0])
    if program.parent.name == "ziglang":
        found = replace(found, command=(str(_lasting(program)), *found.command[1:]))
    return keeping(found)


@cache
def _lasting(program: Path) -> Path:
    """Return ziglang's program in a folder that outlives virtual environments.

    It makes C libraries of other platforms, that of Windows in 70 s of processor time, anew for
    each installation: it knows its own files by their places and times.
    """
    version = importlib.metadata.version("ziglang")
    folder = KEPT / f"{ZIGLANG}-{version}"
    KEPT.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(KEPT / f"{ZIGLANG}.lock"):
        if not folder.exists():
            with workspace(KEPT) as work:
                shutil.copytree(program.parent, work / ZIGLANG, copy_function=_linked)
                os.replace(work / ZIGLANG, folder)
    return folder / program.name


def _linked(source: str, target: str) -> None:
    """Give a file a second name, or copy it where that is on another disk."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def delete_oldest() -> None:
    """Delete the least recently used objects where there are too many, and locks of another day."""
    with contextlib.suppress(OSError):
        size, begun = 0, time.time() - LEAST_AGE
        for file in sorted(OBJECTS.iterdir(), key=lambda file: -file.stat().st_mtime):
            about = file.stat()
            size += about.st_size
            if size > MOST_BYTES or (file.suffix == ".lock" and about.st_mtime < begun):
                file.unlink(missing_ok=True)
