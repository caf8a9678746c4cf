"""An export succeeds or changes nothing: bad folders, full disks, builds side by side, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import casadi as ca
import pytest

from mbcore import ModelError, ModelWarning, SimulationError
from mbcore.cli.program import main
from mbcore.codegen.compiler import find_compiler
from mbcore.codegen.dependencies import dependencies
from mbcore.codegen.platforms import this_platform
from mbcore.codegen.table import table
from mbcore.fmi import Component, Experiment, export
from mbcore.fmi.description.description import Description
from mbcore.fmi.description.description3 import model_description
from mbcore.fmi.description.variables import variables
from mbcore.fmi.packing import archive, prechecks
from mbcore.fmi.packing.interruption import ended_in_order
from mbcore.fmi.running.cosimulation import CoSimulation
from mbcore.host.workspace import LOCK, remove_left_over, workspace
from tests.pendulum import pendulum

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def component() -> Component:
    return Component("pendulum", "A pendulum", pendulum().equations())


def test_a_directory_that_cannot_be_written_is_refused_before_anything_is_done(
    component: Component, tmp_path: Path
) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("")
    told: list[str] = []
    with pytest.raises(ModelError, match=f"{occupied}: Not a directory; choose another"):
        export(component, occupied / "out", tools=(), progress=told.append)
    folder = tmp_path / "fmi2" / "pendulum.fmu"
    folder.mkdir(parents=True)
    with pytest.raises(ModelError, match=f"{folder} is a folder"):
        export(component, tmp_path, "2.0", tools=(), progress=told.append)
    assert told == []


@contextmanager
def small_files(most: int) -> Iterator[None]:
    """Let no file grow beyond a number of bytes, as on a full disk."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = archive.write(tmp_path / "model.fmu", {"a": b"before"})
    with (
        small_files(10_000),
        pytest.raises(ModelError, match=f"{path} cannot be written: File too"),
    ):
        archive.write(path, {"a": os.urandom(100_000)})
    assert list(tmp_path.iterdir()) == [path]
    with zipfile.ZipFile(path) as whole:
        assert whole.read("a") == b"before"


def test_builds_side_by_side_leave_one_whole_file(tmp_path: Path) -> None:
    contents = [{"a": bytes([i]) * 200_000, "b": bytes([i])} for i in range(16)]
    with ThreadPoolExecutor(8) as pool:
        paths = set(pool.map(lambda files: archive.write(tmp_path / "m.fmu", files), contents))
    assert list(tmp_path.iterdir()) == list(paths)
    with zipfile.ZipFile(*paths) as whole:
        assert {name: whole.read(name) for name in whole.namelist()} in contents


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGTERM")
def test_a_signal_leaves_no_temporary_folder() -> None:
    with (
        pytest.raises(SystemExit) as left,
        ended_in_order(),
        tempfile.TemporaryDirectory() as folder,
    ):
        os.kill(os.getpid(), signal.SIGTERM)
    assert left.value.code == 128 + signal.SIGTERM
    assert not Path(folder).exists()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_what_is_not_finite_at_the_start_is_named() -> None:
    model = pendulum("broken")
    far = model.parameter("far", 0.0, unit="m")
    model.output("closeness", 1 / far, unit="1/m")
    model.output("fine", ca.cos(far), unit="1")
    with pytest.warns(ModelWarning, match=r"FMU broken .* not finite .*: closeness = inf; correct"):
        component = Component("broken", "", model.equations())
        prechecks.look_at_start(component, variables(component, nominals=False))


def alive(process: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(met: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not met() and time.monotonic() < end:
        time.sleep(0.02)
    return met()


def noted(notes: Path, *columns: int) -> set[int]:
    """Return what compilers have noted: the worker, its watch, what they started, themselves."""
    rows = [line.split() for line in notes.read_text().splitlines()] if notes.exists() else []
    return {int(row[column]) for row in rows for column in columns or range(4)}


HANGING = """#!/bin/sh
case "$*" in
*.model.o*) sleep 600 & read _ _ _ worker _ < /proc/$PPID/stat
  echo $worker $PPID $! $$ >> "{notes}"; wait ;;
*) exec {real} "$@" ;;
esac
"""


@pytest.mark.heavy
@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at in /proc")
def test_nothing_outlives_a_build_that_is_killed(tmp_path: Path) -> None:
    """The command, its two workers, and compilers of both that have started a process each."""
    script, notes, places = tmp_path / "compiler", tmp_path / "notes", tmp_path / "temporary"
    places.mkdir()
    script.write_text(HANGING.format(notes=notes, real=" ".join(find_compiler().command)))
    script.chmod(0o700)
    with subprocess.Popen(
        [sys.executable, "-m", "mbcore", "build", "rolling_disk", "caster", "--fmi", "3"],
        cwd=tmp_path,
        env=os.environ | {"CC": str(script), "TMPDIR": str(places), "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as build:
        try:
            # a worker starts as many compilers as there are processors: the first of each is enough
            assert wait_until(lambda: len(noted(notes, 0)) == 2, 120)
            assert all(map(alive, noted(notes)))
        finally:
            build.kill()  # else it would wait for compilers that hang
    try:
        assert wait_until(lambda: not any(map(alive, noted(notes))), 10), noted(notes)
    finally:
        for process in filter(alive, noted(notes)):
            os.kill(process, signal.SIGKILL)

    def emptied() -> bool:
        for lock in places.glob(f"*/{LOCK}"):
            os.utime(lock, (0, 0))
        remove_left_over(places)
        return list(places.iterdir()) == []

    # a compiler that does not hang may be writing its last file
    assert wait_until(emptied, 10), list(places.iterdir())


@pytest.mark.heavy
@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at in /proc")
def test_no_worker_outlives_a_sweep_that_is_killed() -> None:
    script = """
        import os
        from mbcore import sweep
        def hang(point):
            os.write(1, b"%d\\n" % os.getpid())  # whole lines, even from unbuffered processes
            __import__("time").sleep(600 if point["x"] < 2 else 0)
            return 1.0
        sweep(hang, {"x": [0, 1]}, workers=3, progress=False)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        try:
            busy = [int(running.stdout.readline()) for _ in range(2)]
            children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
            workers = [int(process) for process in children]
            assert set(busy) <= set(workers)
        finally:
            running.kill()  # else it would wait for workers that sleep
    try:
        assert wait_until(lambda: not any(map(alive, workers)), 10), list(map(alive, workers))
    finally:
        for process in filter(alive, workers):
            os.kill(process, signal.SIGKILL)


def test_folders_of_owners_that_ended_are_removed_and_no_others(tmp_path: Path) -> None:
    foreign, young = tmp_path / "other", tmp_path / "mbcore_new"
    left, bare = tmp_path / "mbcore_left", tmp_path / "mbcore_bare"
    for folder in (foreign, young, left, bare):
        folder.mkdir()
        (folder / "file").write_text("")
    with workspace(tmp_path) as own:
        for folder in (foreign, young, left, own):
            (folder / LOCK).touch()
            if folder != young:
                os.utime(folder / LOCK, (0, 0))
        remove_left_over(tmp_path)
        assert set(tmp_path.iterdir()) == {foreign, young, bare, own}
        assert (own / LOCK).exists()
    assert not own.exists()


def test_a_full_disk_of_temporary_files_is_named(tmp_path: Path) -> None:
    said = pytest.raises(ModelError, match=f"{tmp_path} cannot .* TMPDIR")
    with small_files(10_000), said, workspace(tmp_path) as folder:
        (folder / "large").write_bytes(bytes(20_000))
    assert list(tmp_path.iterdir()) == []


def test_a_run_of_a_damaged_fmu_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its description is that of an FMU, and its library is none."""
    places, before = tmp_path / "temporary", Path.cwd()
    places.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(places))
    equations = pendulum().equations()
    rows = table(equations, 0.01)
    known = dependencies(equations, rows)
    described = Description("pendulum", "", "{0}", rows, known, Experiment())
    path = archive.write(
        tmp_path / "bad.fmu",
        {
            "modelDescription.xml": model_description(described),
            this_platform().library("3.0", "pendulum"): b"no library",
        },
    )
    assert main(["run", str(path), "--until", "1 s"]) == 1
    with pytest.raises(SimulationError), CoSimulation(path):
        pass
    assert Path.cwd() == before
    assert list(places.iterdir()) == []
