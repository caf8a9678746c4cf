"""The C runtime by itself: checks written in C, with models written by hand (tests/runtime/)."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fmpy
import pytest
from filelock import FileLock

from mbcore.codegen.headers import write_headers
from mbcore.codegen.runtime import ROOMS, runtime_files
from mbcore.fmi.packing.compiler import FACES, Compiler, CompilerError, find_compiler
from tests.objects import keeping

CHECKS = Path(__file__).parent
NAMES = [
    name
    for source in sorted(CHECKS.rglob("*.c"))
    for name in re.findall(r"^CHECK\((\w+)\)", source.read_text("utf-8"), re.M)
]
WARNINGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
MODEL = "-Dmb_generated_model=(*tested_model)"
"""The runtime's model becomes whatever a pointer points to, so that one program has many."""


def sources() -> list[Path]:
    """Return the files of the runtime and its checks."""
    return [*runtime_files("*.c"), *sorted([*FACES.glob("*.c"), *CHECKS.rglob("*.c")])]


def generate_headers(folder: Path) -> list[str]:
    """Write the headers that are generated into a folder; return the options of inclusion."""
    write_headers(folder)
    uses = "".join(f" USE({name})" for name in NAMES)
    (folder / "checks.h").write_text(f"#define EACH_CHECK(USE){uses}\n")
    places = (*ROOMS, CHECKS, folder, Path(fmpy.__file__).parent / "c-code")
    return [f"-I{place}" for place in places]


def build(folder: Path, sanitized: bool) -> Path:
    """Compile the runtime and its checks, with sanitizers where they run; return the program."""
    try:
        compiler = keeping(find_compiler())
    except CompilerError as missing:
        pytest.skip(str(missing))
    includes = generate_headers(folder)
    # not optimized, for the checks take less time than optimizing code
    flags = [*WARNINGS, "-O0", *(usable(compiler, folder) if sanitized else ()), *includes]

    def compile_one(source: Path) -> Path:
        target = folder / f"{source.parent.name}_{source.stem}.o"
        compiler.run(*flags, MODEL, "-c", source, "-o", target)
        return target

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, sources()))
    program = folder / "checks"
    compiler.run(*flags, *objects, "-o", program, "-lm")
    return program


def usable(compiler: Compiler, folder: Path) -> Sequence[str]:
    """Return the options of the sanitizers, where programs made with them run."""
    source, program = folder / "empty.c", folder / "empty"
    source.write_text("int main(void) { return 0; }\n")
    try:
        compiler.run(*SANITIZERS, source, "-o", program)
        subprocess.run([program], check=True, capture_output=True)
    except (CompilerError, OSError, subprocess.CalledProcessError):
        return ()
    return SANITIZERS


@pytest.fixture(scope="session")
def program(shared: Path) -> Path:
    """The checks, built once for all workers that run tests side by side."""
    folder, complete = shared / "runtime_checks", shared / "runtime_checks.complete"
    with FileLock(shared / "runtime_checks.lock"):
        if not complete.exists():
            folder.mkdir(exist_ok=True)
            build(folder, sanitized=False)
            complete.touch()
    return folder / "checks"


@pytest.fixture(scope="session")
def passed(program: Path, shared: Path) -> set[str]:
    """Checks that pass where all are run at once; none if anything else is printed, or it hangs."""
    printed = shared / "runtime_checks.txt"
    with FileLock(shared / "runtime_checks.lock"):
        if not printed.exists():
            try:
                done = run(program, *NAMES)
            except subprocess.TimeoutExpired:
                printed.touch()
            else:
                printed.write_text(done.stdout + done.stderr)
    names = [line.removeprefix("ok ") for line in printed.read_text().splitlines()]
    return set(names) if set(names) <= set(NAMES) else set()


def run(program: Path, *names: str) -> subprocess.CompletedProcess[str]:
    """Run checks, each in a process of its own."""
    return subprocess.run(
        [program, *names], capture_output=True, text=True, check=False, timeout=600
    )


@pytest.mark.parametrize("name", NAMES)
def test_runtime(program: Path, passed: set[str], name: str) -> None:
    if name not in passed:
        done = run(program, name)
        assert (done.returncode, done.stdout) == (0, f"ok {name}\n"), done.stdout + done.stderr


@pytest.mark.heavy
def test_sanitizers_find_nothing(tmp_path: Path) -> None:
    """All files are compiled once more, with sanitizers."""
    done = run(build(tmp_path, sanitized=True), *NAMES)
    assert done.stdout == "".join(f"ok {name}\n" for name in NAMES), done.stdout + done.stderr
    assert done.returncode == 0, done.stderr


@pytest.mark.heavy
def test_checks_compile_without_warnings_when_optimized(tmp_path: Path) -> None:
    """The runtime itself does in tests/fmi/test_fmu_runtime.py."""
    # a compiler finds values that may be missing only where it optimizes
    compiler = keeping(find_compiler())  # what is kept had no warning
    options = [*WARNINGS, "-O2", *generate_headers(tmp_path), MODEL]
    for source in sorted(CHECKS.rglob("*.c")):
        compiler.run(*options, "-c", source, "-o", tmp_path / "any.o")
