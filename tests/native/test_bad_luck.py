"""Compilers and caches that fail: Python goes on, says why once, and loads nothing by halves."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from filelock import FileLock

from mbcore import Equations, ModelWarning, compile_equations, evaluate_by, linearize
from mbcore.codegen import compiler
from mbcore.codegen.compiler import Compiler, CompilerError, find_compiler
from mbcore.codegen.platforms import this_platform
from mbcore.evaluation.evaluation import Evaluation
from mbcore.native import cache, compiled, generated, library, prebuilt
from tests.built import quick
from tests.native.test_native import pulled

posix = pytest.mark.skipif(sys.platform == "win32", reason="these compilers are shell scripts")
SHARED = os.environ[cache.VARIABLE]
"""Cache of all tests."""
GONE = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def spring() -> Equations:
    """Equations that nothing has evaluated yet."""
    return pulled().equations()


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache; nothing has been compiled or warned of, and nothing is optimized there."""
    place = tmp_path / "cache"
    monkeypatch.setattr(cache, "find_compiler", lambda *limits: quick("-O0", *limits))
    monkeypatch.setenv(cache.VARIABLE, str(place))
    monkeypatch.setattr(library, "_LOADED", {})
    monkeypatch.setattr(compiled, "_SAID", set())
    return place


@pytest.fixture
def filled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with the library of this model, copied from that of all tests."""
    with monkeypatch.context() as here:
        here.setenv(cache.VARIABLE, SHARED)
        equations = pulled().equations()
        compile_equations(equations)
        identity = generated._identity(equations, "analyses")
        command = next(iter(cache.candidates(this_platform())))
        note = cache._note(cache.cache_folder(), identity, command)
    made = note.with_name(note.read_text())
    folder.mkdir(mode=0o700)
    for file in (note, made, made.with_suffix(".sha256")):
        shutil.copy2(file, folder)
    return folder


def only(command: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be no other compiler."""
    for place in (compiler, cache):
        monkeypatch.setattr(place, "candidates", lambda here: iter([(str(command),)]))


def script(at: Path, text: str) -> Path:
    """Return a compiler that is a shell script."""
    at.write_text(f"#!/bin/sh\n{text}\n")
    at.chmod(0o700)
    return at


def python_goes_on(equations: Equations, words: str) -> None:
    """Assert one warning with these words, and results of Python without another one."""
    evaluate_by(equations, "python")
    expected = linearize(equations, unsteady=True).state_matrix
    evaluate_by(equations, "c")
    with pytest.warns(ModelWarning, match=f"{words}.*; Python evaluates them") as said:
        assert Evaluation(equations).backend == "python"
    assert len(said) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = pulled().equations()
        evaluate_by(again, "c")
        for each in (equations, again):
            found = linearize(each, unsteady=True)
            assert np.array_equal(found.state_matrix, expected)
            assert found.backend == "python"


def nothing_is_kept(folder: Path) -> None:
    """Assert that a cache holds no library, no note and no temporary folder."""
    left = {file.suffix for file in folder.iterdir()} if folder.exists() else set()
    assert left <= {".lock", ".hung"}


def refused(equations: Equations) -> str:
    with pytest.raises(CompilerError) as error:
        compile_equations(equations)
    return str(error.value)


@posix
def test_a_compiler_that_fails_is_quoted_once(
    spring: Equations, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(script(tmp_path / "cc", "echo 'licence expired' >&2; exit 3"), monkeypatch)
    python_goes_on(spring, r"pulled: its equations cannot be compiled: .*licence expired")
    nothing_is_kept(folder)


HANGS = {
    "always": "echo call >> {notes}; sleep 600",
    "late": 'case "$*" in *probe.c*) exec {real} "$@";; esac\necho call >> {notes}; sleep 600',
}


@posix
@pytest.mark.parametrize("when", HANGS)
def test_a_compiler_that_hangs_is_waited_for_once(
    when: str, spring: Equations, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, real = tmp_path / "calls", " ".join(find_compiler().command)
    text = HANGS[when].format(notes=notes, real=real)
    monkeypatch.setattr(
        generated, "prepare_runtime", lambda: None
    )  # it would hang at the same time
    only(script(tmp_path / "cc", text), monkeypatch)
    monkeypatch.setattr(cache, "LONGEST_PROBE", 0.3 if when == "always" else 30.0)
    monkeypatch.setattr(cache, "LONGEST", 0.3)
    monkeypatch.setattr(cache, "LONGEST_PER_BYTE", 0.0)
    python_goes_on(spring, "pulled: its equations cannot be compiled: .*did not end in 0.3 s")
    assert notes.read_text().count("call") == 1  # the second equations did not wait
    nothing_is_kept(folder)
    said = refused(spring)
    [hung] = folder.glob("*.hung")
    assert "did not end 0 min ago" in said and f"delete {hung}" in said
    with pytest.raises(CompilerError, match="did not end 0 min ago"):
        cache._prepared_runtime()
    hung.unlink()
    assert "did not end in 0.3 s" in refused(spring)
    os.utime(hung, (time.time() - cache.HUNG - 1,) * 2)
    assert "did not end in 0.3 s" in refused(spring)
    assert notes.read_text().count("call") == 3


STAGES = ("the source", "the headers", "the digest")


def _without_room(stage: str) -> Callable[..., int]:
    """Return a ``Path.write_text`` that finds the disk full at a stage."""
    ends = dict(zip(STAGES, ("equations.c", ".h", ".sha256"), strict=True))
    write = Path.write_text

    def write_text(path: Path, *text: str, **options: str) -> int:
        if path.name.endswith(ends[stage]):
            write(path, text[0][:10])
            raise GONE
        return write(path, *text, **options)

    return write_text


@pytest.mark.parametrize("stage", STAGES)
def test_a_full_disk_leaves_nothing_by_halves(
    stage: str, spring: Equations, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def objects(*_: object, **__: object) -> tuple[Path, ...]:
        return ()

    def output(self: Compiler, *arguments: str | Path) -> None:
        places = [Path(arguments[i + 1]) for i, word in enumerate(arguments) if word == "-o"]
        places[0].write_bytes(b"half")

    with monkeypatch.context() as patch:
        patch.setattr(cache, "find_compiler", lambda *_: Compiler(("cc",), this_platform()))
        patch.setattr(Compiler, "run", output)
        patch.setattr(cache, "_runtime", objects)
        patch.setattr(Path, "write_text", _without_room(stage))
        python_goes_on(spring, "cannot be written .*No space left")
    nothing_is_kept(folder)


@pytest.mark.heavy
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
@pytest.mark.parametrize("room", [0, 3000, 30_000, 100_000])
def test_no_file_that_is_cut_off_is_loaded(room: int, spring: Equations, folder: Path) -> None:
    """A limit of the size of files ends writing anywhere, that of the compiler and the linker
    too. The runtime is compiled for each limit, for its files may be those that are cut off."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        said = refused(spring)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "cannot be compiled" in said or "cannot be kept" in said
    compile_equations(spring)
    assert Evaluation(spring).backend == "c"


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No file can be made in a folder of temporary files or in the cache, nor be touched."""

    def refuse(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "TemporaryFile", refuse)
        patch.setattr(os, "utime", refuse)
        patch.setattr(FileLock, "acquire", refuse)
        yield


@pytest.mark.usefixtures("read_only")
def test_an_empty_read_only_cache_is_named(spring: Equations, folder: Path) -> None:
    folder.mkdir()
    python_goes_on(spring, rf"cannot be kept in {folder} \(Read-only file system\)")
    nothing_is_kept(folder)


def test_what_is_in_a_read_only_cache_is_loaded(
    spring: Equations, filled: Path, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("read_only")
    compile_equations(spring)
    assert Evaluation(spring).backend == "c"


def test_an_empty_read_only_cache_is_of_no_interest_before_compiling_is_due(
    spring: Equations, folder: Path, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("read_only")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert library.remembered_library(spring, "analyses") is None


@pytest.mark.parametrize("what", ["library", "digest", "note", "note without name"])
def test_what_is_cut_off_or_not_text_is_not_found(
    what: str, spring: Equations, filled: Path
) -> None:
    assert library.remembered_library(spring, "analyses") is not None
    suffix = {"library": this_platform().suffix, "digest": ".sha256"}.get(what, ".library")
    [file] = filled.glob(f"*{suffix}")
    whole = file.read_bytes()
    file.unlink()  # this process has it open
    damaged = {"library": whole[: len(whole) // 2], "note without name": b""}
    file.write_bytes(damaged.get(what, b"\xff\x00\xfe" + whole))
    file.chmod(0o700)
    assert library.remembered_library(spring, "analyses") is None


def test_libraries_of_another_version_are_not_found(
    spring: Equations, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("native.cache.LOADED", "native.generated._package"):
        with monkeypatch.context() as patch:
            changed = "another" if place.endswith("LOADED") else lambda: "another"
            patch.setattr(f"mbcore.{place}", changed)
            assert library.remembered_library(spring, "analyses") is None
    assert library.remembered_library(spring, "analyses") is not None


def test_a_library_that_the_system_refuses_is_told(spring: Equations, filled: Path) -> None:
    """As on a disk without the right to run what is on it; its digest is right."""
    [file] = filled.glob(f"*{this_platform().suffix}")
    file.unlink()
    file.write_bytes(b"no library")
    file.chmod(0o700)
    file.with_suffix(".sha256").write_text(cache._digest_of(file))
    python_goes_on(spring, "compiled equations cannot be loaded: .*set MBCORE_CACHE")


def test_an_interrupt_leaves_no_lock_and_no_library(
    spring: Equations, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Ctrl-C does where the compiler is waited for; next time it is called again."""
    calls = []

    def interrupted(self: Compiler, *_: object) -> NoReturn:
        calls.append(self)
        raise KeyboardInterrupt

    found = find_compiler()
    monkeypatch.setattr(cache, "find_compiler", lambda *_: found)
    monkeypatch.setattr(generated, "prepare_runtime", lambda: None)
    monkeypatch.setattr(Compiler, "run", interrupted)
    evaluate_by(spring, "c")
    for count in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            Evaluation(spring)
        assert len(calls) == count
        nothing_is_kept(folder)
        for lock in folder.glob("*.lock"):
            with FileLock(lock, timeout=0):
                pass
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def test_another_process_that_compiles_for_ever_is_not_waited_for(
    spring: Equations, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "LONGEST", 0.1)
    monkeypatch.setattr(cache, "LONGEST_PER_BYTE", 0.0)
    found = find_compiler()
    monkeypatch.setattr(cache, "find_compiler", lambda *_: found)
    source = generated._source(spring, "analyses")
    lock = cache._place(cache.cache_folder(), source, found.command).with_suffix(".lock")
    with FileLock(lock):
        python_goes_on(spring, rf"another process has been compiling.*delete {lock}")


@pytest.mark.heavy
def test_two_at_once_need_no_locks(
    spring: Equations, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a file system without locks both compile; what the first one has made stays."""

    class NoLock(FileLock):
        def acquire(self, *_: object, **__: object) -> NoReturn:
            raise NotImplementedError("FileSystem does not appear to support flock")

    monkeypatch.setattr(cache, "FileLock", NoLock)  # tests keep objects under locks of their own
    monkeypatch.setattr(generated, "prepare_runtime", lambda: None)
    compile_them, calls = prebuilt.compile_files, []

    def second(*of: Any, **how: Any) -> None:
        """Compile the runtime, and let another process do so in the meantime."""
        calls.append(of)
        if len(calls) == 1:
            cache._runtime(folder, quick("-O0"), analyses=False)
        compile_them(*of, **how)

    monkeypatch.setattr(prebuilt, "compile_files", second)
    compile_equations(spring)
    assert len(calls) == 3  # what runs need twice, what analyses need besides once
    assert Evaluation(spring).backend == "c"
    assert {file.suffix for file in folder.iterdir() if file.is_file()} == {
        this_platform().suffix, ".sha256", ".library"
    }  # fmt: skip
