"""An export succeeds or changes nothing: bad folders, full disks, builds side by side, signals."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import casadi as ca
import pytest
from pendulum import pendulum

from mbcore import ModelError, ModelWarning
from mbcore.fmi import Component, archive, export, prechecks
from mbcore.fmi.interruption import ended_in_order


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
    with small_files(10_000), pytest.raises(OSError):
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
        prechecks.look_at_start(Component("broken", "", model.equations()))
