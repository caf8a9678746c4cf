"""The C sources of the native backend, guarded against changes since Python was loaded.

Python and C share structures by their layout. If mbcore is reinstalled, or its repository moves to
another commit, while a process is running, its C files no longer match the loaded Python, and
compiled they would read the wrong fields.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from mbcore.codegen.compiler import CompilerError
from mbcore.codegen.headers import functions_header, tolerances_header, write_headers
from mbcore.codegen.runtime import RUNTIME

OWN = Path(__file__).parent / "c"
"""Folder of the C sources of this backend."""


def digest_of(*folders: Path) -> str:
    """Return a digest of all C in folders and their rooms, and of generated headers."""
    digest = hashlib.sha256(f"{functions_header()}\n{tolerances_header()}".encode())
    for folder in folders:
        for source in _files(folder):
            digest.update(f"\n{source.name}\n".encode() + source.read_bytes())
    return digest.hexdigest()


def _files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.[ch]"), key=lambda file: file.name)


LOADED = digest_of(RUNTIME, OWN)
"""What this process was loaded with."""


def copied(work: Path) -> tuple[Path, Path, Path]:
    """Copy all C that a library needs, and return the folders to include; the runtime's, then ours.

    Raises
    ------
    CompilerError
        It is not what this process was loaded with.
    """
    places = work / "runtime", work / "native"
    for folder, place in zip((RUNTIME, OWN), places, strict=True):
        place.mkdir()
        for source in _files(folder):
            shutil.copyfile(source, place / source.name)
    if digest_of(*places) != LOADED:
        raise CompilerError(
            "the files of mbcore have been changed since this process loaded them, by an "
            "installation or by git; start Python again"
        )
    return *places, write_headers(work)
