"""Compiling in the background: what goes on meanwhile, and what a process leaves that ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mbcore import Equations, ModelWarning, compile_equations, evaluate_by
from mbcore.codegen.compiler import CompilerError, in_threads
from mbcore.evaluation.evaluation import Evaluation
from mbcore.native import compiled, generated
from mbcore.native.compiled import compilation
from tests.native.test_native import pulled

LONGEST = 60.0
"""Time that a compiler may take on a busy machine, s."""


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> Equations:
    """Equations that are compiled from the second look on; nothing is in the cache."""
    monkeypatch.setattr(compiled, "LEAST", 0.0)
    monkeypatch.setattr(compiled, "LOOK", 0)
    monkeypatch.setattr(compiled, "PATIENCE", 1)
    monkeypatch.setattr(compiled, "remembered_library", lambda *_: None)
    equations = pulled().equations()
    evaluate_by(equations, "auto")
    return equations


def begun(equations: Equations) -> Evaluation:
    """Return a point that has just made a compiler start."""
    point = Evaluation(equations)
    point.start()
    point.count(1e6)
    point.renew()
    point.start()
    assert point.backend == "python"
    return point


def look(point: Evaluation, until: Callable[[], bool]) -> None:
    """Let a point look for what is compiled until something is so."""
    latest = time.monotonic() + LONGEST
    while not until() and time.monotonic() < latest:
        time.sleep(0.01)
        point.renew()
    assert until()


def test_python_goes_on_until_the_compiler_ends(
    soon: Equations, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end, real = threading.Event(), generated.compiling
    begins: list[int] = []

    def slow(*given: object) -> Callable[[], Path]:
        begins.append(1)
        compile_it = real(*given)  # type: ignore[arg-type]
        return lambda: compile_it() if may_end.wait(LONGEST) else Path()

    monkeypatch.setattr(generated, "compiling", slow)
    point = begun(soon)
    for _ in range(3):
        point.renew()
        point.start({"x": 0.5})
        # 4 N/m · 0.5 m and 0.1 N.s/m · 0 m/s on 1 kg
        assert point.derivative()[0] == pytest.approx(-2.0, rel=1e-14)
        assert point.backend == "python"
    may_end.set()
    look(point, lambda: point.backend == "c")
    point.start({"x": 0.5})
    assert point.derivative()[0] == pytest.approx(-2.0, rel=1e-14)
    assert begins == [1]


def test_compiling_by_name_waits_for_what_is_under_way(
    soon: Equations, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(soon)
    monkeypatch.setattr(compiled, "library", None)  # it would compile once more
    compile_equations(soon)
    assert Evaluation(soon).backend == "c"


def test_a_failure_is_warned_of_once(soon: Equations, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> Callable[[], Path]:
        def compile_it() -> Path:
            raise CompilerError("pulled: its equations cannot be compiled: the disk is full")

        return compile_it

    monkeypatch.setattr(generated, "compiling", fails)
    monkeypatch.setattr(compiled, "_SAID", set())
    point = begun(soon)
    with pytest.warns(ModelWarning, match="the disk is full; Python evaluates them") as said:
        look(point, lambda: compilation(soon)._background is None)
    assert len(said) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        point.count(1e9)
        point.renew()
    assert np.isfinite(point.derivative()).all() and point.backend == "python"


def test_compilers_of_a_thread_work_at_once_and_tell_of_errors() -> None:
    both, found = threading.Barrier(2, timeout=LONGEST), list[object]()

    def work(task: int) -> int:
        if task < 0:
            raise CompilerError(f"no {task}")
        if task in (1, 2) and (os.cpu_count() or 1) > 1:
            both.wait()  # each begins before the other one ends
        return task * task

    def all_of() -> None:
        found.append(in_threads(work, [1, 2, 3]))
        with pytest.raises(CompilerError, match="no -4"):
            in_threads(work, [-4, 5])

    thread = threading.Thread(target=all_of)
    thread.start()
    thread.join(LONGEST)
    assert found == [(1, 4, 9)] and not thread.is_alive()


ENDS = """
import select, signal, sys
sys.path.insert(0, {root!r})
signal.signal(signal.SIGINT, signal.default_int_handler)
from mbcore.native import compiled
from mbcore.evaluation.evaluation import Evaluation
from tests.native.test_native import pulled
compiled.LEAST, compiled.LOOK, compiled.PATIENCE = 0.0, 0, 1
point = Evaluation(pulled().equations())
point.start()
point.count(1e6)
point.renew()
print("begun", flush=True)
while not select.select([sys.stdin], [], [], 0.1)[0]:
    pass
"""
"""An interrupt that comes just before a long wait would be seen only when that ends: it is short.
A job in the background begins with interrupts ignored."""


@pytest.mark.heavy
@pytest.mark.skipif(os.name != "posix", reason="the compiler is a script of a shell")
@pytest.mark.parametrize("how", ["end", "interrupt", "kill"])
def test_a_process_that_ends_leaves_no_compiler_and_no_half(tmp_path: Path, how: str) -> None:
    compiler, cache, note = tmp_path / "compiler", tmp_path / "cache", tmp_path / "pid"
    real = shutil.which("cc") or shutil.which("gcc")
    if real is None:
        pytest.skip("no compiler but that of a package")
    # it never ends at a model, and its child goes on by itself
    compiler.write_text(
        f'#!/bin/sh\ncase "$*" in *equations.c*) sleep 300 & echo $! > {note}.new; '
        f'mv {note}.new {note}; wait;; *) exec {real} "$@";; esac\n'
    )
    compiler.chmod(0o700)
    (tmp_path / "temporary").mkdir()
    environment = os.environ | {
        "CC": str(compiler),
        "MBCORE_CACHE": str(cache),
        "MBCORE_BACKEND": "auto",
        "TMPDIR": str(tmp_path / "temporary"),
    }
    script = ENDS.format(root=str(Path(__file__).parents[2]))
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        child = int(_when_there(note))
        if how == "end":
            process.stdin.close()
        else:
            process.send_signal(signal.SIGINT if how == "interrupt" else signal.SIGKILL)
        process.wait(LONGEST)
    ends = {"end": 0, "interrupt": -signal.SIGINT, "kill": -signal.SIGKILL}
    assert process.returncode == ends[how]
    latest = time.monotonic() + LONGEST
    while _runs(child) and time.monotonic() < latest:
        time.sleep(0.05)
    assert not _runs(child)
    assert not [file for file in cache.iterdir() if file.suffix in (".so", ".dylib", ".sha256")]
    if how != "kill":  # nobody is left to tidy up then
        assert not [file for file in cache.iterdir() if file.is_dir()]
        assert not [*(tmp_path / "temporary").iterdir()]


def _when_there(note: Path) -> str:
    latest = time.monotonic() + LONGEST
    while not note.exists() and time.monotonic() < latest:
        time.sleep(0.02)
    return note.read_text()


def _runs(process: int) -> bool:
    """Return whether a process is there and does not only wait to be forgotten."""
    found = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True
    ).stdout.strip()
    return bool(found) and not found.startswith("Z")
