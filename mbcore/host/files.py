"""Files that users name: checks of paths, and errors for files that cannot be written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mbcore.model.errors import ModelError


def file_path(owner: str, given: object, example: str = "results.csv") -> Path:
    """Return the path that a user gives; ``example`` is a name for the message.

    Raises
    ------
    ModelError
        If it is not text and no path, or empty, or no file system can hold it.
    """
    if not isinstance(given, str | os.PathLike) or not str(given).strip():
        raise ModelError(
            f"{owner}: {given!r} is not the name of a file; give one, as in {example!r}"
        )
    try:
        os.fsencode(given)
    except ValueError:
        known = False
    else:
        known = "\0" not in os.fspath(given)
    if not known:
        raise ModelError(
            f"{owner}: {given!r} contains a null character, which no file name may; leave it out"
        )
    return Path(given)


@contextmanager
def writing(owner: str, path: Path) -> Iterator[None]:
    """Turn a failure of writing, such as a full disk, into an error that names file and remedy.

    Raises
    ------
    ModelError
        In the place of an ``OSError``.
    """
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        remedy = "make room for it"
        if isinstance(error, FileNotFoundError) and not path.parent.is_dir():
            remedy = f"make the folder {path.parent}"
        raise ModelError(
            f"{owner}: {path} cannot be written: {why}; {remedy}, or give another place"
        ) from error
