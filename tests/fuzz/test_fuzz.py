"""Calls in any order and with any arguments find no fault, under sanitizers; see tests/fuzz/."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from mbcore.fmi.packing.compiler import CompilerError, find_compiler
from tests.built import Kept
from tests.conftest import FURTHER
from tests.fuzz.build import MODELS, build, packed
from tests.objects import keeping
from tests.runtime.test_runtime import usable

CALLS, FEWER = 20_000, {"iltis": 4_000}
"""Of each model; one of the Iltis takes ten times as long as of others."""
MUCH = {"car": FURTHER}
"""The car takes eight seconds to compile; the iltis has all kinds of its parts and variables."""
WHOLE = ("clearance_joint", "vehicle")
"""Models whose runtime is compiled with their tables, one of them with contacts."""
SETTINGS = {"ASAN_OPTIONS": "detect_leaks=1", "UBSAN_OPTIONS": "print_stacktrace=1"}


@pytest.fixture(scope="session")
def parts(kept: Kept) -> Callable[[str], dict[str, str]]:
    """The C in the FMU of a name."""
    return lambda name: packed(kept.fmu(name, "3.0"))


@pytest.fixture(scope="session")
def programs(
    shared: Path, parts: Callable[[str], dict[str, str]], pytestconfig: pytest.Config
) -> dict[str, Path]:
    """The fuzzers of the models, built once for all workers that run tests side by side."""
    whole = pytestconfig.getoption("full_product")
    models = tuple(name for name in MODELS if whole or name not in MUCH)
    folder, complete = shared / "fuzz", shared / "fuzz.complete"
    with FileLock(shared / "fuzz.lock"):
        if not complete.exists():
            folder.mkdir(exist_ok=True)
            try:
                compiler = keeping(find_compiler())
            except CompilerError as missing:
                pytest.skip(str(missing))
            sanitized = bool(usable(compiler, folder))
            build(compiler, models, folder, sanitized, whole=WHOLE, parts=parts)
            complete.touch()
    return {name: folder / name for name in models}


@pytest.mark.heavy
@pytest.mark.apart
@pytest.mark.parametrize("fmi", ["2", "3"])
@pytest.mark.parametrize("model", [pytest.param(m, marks=MUCH.get(m, ())) for m in MODELS])
def test_fuzz(programs: dict[str, Path], model: str, fmi: str) -> None:
    """The first one waits for the programs of all models, which take 50 s to compile."""
    calls = FEWER.get(model, CALLS)
    line = [programs[model], "--fmi", fmi, "--calls", str(calls), "--limit", "20"]
    done = subprocess.run(
        line, capture_output=True, text=True, check=False, env=os.environ | SETTINGS
    )
    assert done.returncode == 0, done.stderr[-3000:]
    counted = re.search(r"(\d+) OK, (\d+) discarded, (\d+) errors", done.stdout)
    assert counted is not None, done.stdout
    well, discarded, errors = map(int, counted.groups())
    # it gets somewhere, and beyond
    assert well > calls / 2 and discarded > calls / 1000 and errors > calls / 40


@pytest.mark.heavy
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_soak(tmp_path: Path, parts: Callable[[str], dict[str, str]]) -> None:
    """The runtime is optimized as for users, which takes most of 7 s."""
    # the long run: python -m tests.fuzz --fast --model vehicle --soak 100000000
    made = build(keeping(find_compiler()), ("vehicle",), tmp_path, sanitized=False, parts=parts)
    program = made["vehicle"]
    line = [program, "--soak", "1000000"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.heavy
def test_instances_in_threads_do_not_know_of_each_other(
    tmp_path: Path, parts: Callable[[str], dict[str, str]]
) -> None:
    """The runtime is compiled with another sanitizer than above, which takes eight seconds."""
    # of all contact FMUs: python -m tests.fuzz --threads 6 --model ...
    try:
        models = ("clearance_joint",)
        program = build(keeping(find_compiler()), models, tmp_path, threads=True, parts=parts)
    except CompilerError as missing:
        pytest.skip(str(missing))
    line = [program["clearance_joint"], "--threads", "4"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert "4 threads of 900 steps each end alike" in done.stdout
