"""Temporary folders that are removed even if their owner was killed: by the next process.

The owner locks a file in its folder; the system releases the lock when the process ends, for any
reason. A process that makes a folder removes its siblings that nobody has locked.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from mbcore.model.errors import ModelError

PREFIX, LOCK = "mbcore_", ".mbcore_owner"
YOUNG = 5.0
"""Age below which a folder is not removed, s: its owner may be about to lock it."""
_CLEARED: set[Path] = set()
"""Places where this process has removed left-over folders already."""


@contextmanager
def workspace(within: Path | None = None) -> Iterator[Path]:
    """Yield a temporary folder, removed at the end; remove those of killed processes as well.

    Parameters
    ----------
    within : Path, optional
        Where it is made; by default where the system has temporary files.

    Raises
    ------
    ModelError
        It cannot be made or written: a full disk.
    """
    place = Path(tempfile.gettempdir()) if within is None else within
    if place not in _CLEARED:
        _CLEARED.add(place)
        remove_left_over(place)
    try:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        lock = FileLock(folder / LOCK)
        with contextlib.suppress(NotImplementedError):  # a file system that knows no locks
            lock.acquire(timeout=0)
    except OSError as error:
        raise _unwritable(place, error) from error
    before = _here()
    try:
        yield folder
    except OSError as error:
        inside = error.filename is None or str(error.filename).startswith(str(folder))
        if not inside or error.errno is None:
            raise
        raise _unwritable(place, error) from error
    finally:
        # FMPy leaves the current folder changed where a library cannot be loaded.
        if before is not None and before != _here() and _inside(folder):
            os.chdir(before)
        lock.release()  # before the folder goes: Windows removes no file that is open
        shutil.rmtree(folder, ignore_errors=True)


def _here() -> Path | None:
    try:
        return Path.cwd()
    except FileNotFoundError:  # it has been removed
        return None


def _inside(folder: Path) -> bool:
    here = _here()
    return here is not None and here.is_relative_to(folder.resolve())


def remove_left_over(place: Path) -> None:
    """Remove this user's temporary folders whose owner has ended."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(place):
            if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError, NotImplementedError):
                    _remove_if_left(Path(entry))


def _remove_if_left(folder: Path) -> None:
    lock = folder / LOCK
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        return
    if time.time() - lock.stat().st_mtime < YOUNG:
        return
    try:
        with FileLock(lock, timeout=0):
            pass
    except Timeout:  # its owner is running
        return
    shutil.rmtree(folder, ignore_errors=True)


def _unwritable(place: Path, error: OSError) -> ModelError:
    name = f" ({Path(error.filename).name})" if error.filename else ""
    return ModelError(
        f"{place} cannot be written{name}: {error.strerror}; make room there, or let the "
        "environment variable TMPDIR name another folder for temporary files"
    )
