"""The C sources of the native backend, guarded against changes since Python was loaded.

Python and C share structures by their layout. If mbcore is reinstalled, or its repository moves to
another commit, while a process is running, its C files no longer match the loaded Python, and
compiled they would read the wrong fields.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from mbcore.codegen.headers import functions_header, tolerances_header, write_headers
from mbcore.codegen.runtime import ROOMS, RUNTIME
from mbcore.model.errors import CompilerError

OTHERS = "others"
"""Unit of translation of the functions that steps do not call."""
OWN = Path(__file__).parent / "c"
"""Folder of the C sources of this backend."""
_FROM_IMPORTERS = "mb_initialize"
"""Files of the room for importers that libraries need."""
_OF_ANALYSES = ("mb_flow", "mb_batch", "mb_signals")
"""Beginnings of the names of files that only analyses need."""
_OF_STEPS = frozenset(
    {"mb_run.c", "mb_configuration.c", "mb_evaluate.c", "mb_events.c", "mb_dense.c"}
    | {"mb_runge_kutta.c", "mb_rosenbrock.c", "mb_linear.c", "mb_step_size.c", "mb_stiffness.c"}
)
"""Files with the loops over states of each evaluation and each step."""


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
"""State of the files when this process loaded them."""


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


def units(folder: Path, analyses: bool) -> list[Path]:
    """Write units of translation into a folder, each of many of the files, and return them.

    Every file by itself would take a compiler twice as long, for the headers. Functions
    in which steps spend their time are apart: the others are optimized less, in half the time.

    Parameters
    ----------
    folder : Path
        Where they go.
    analyses : bool
        Whether they are what analyses need besides, or what runs need.
    """
    for name, files in _parts(analyses).items():
        lines = [f'#include "{file.name}"\n' for file in files]
        (folder / f"{name}.c").write_text("".join(lines), encoding="utf-8")
    return [folder / f"{name}.c" for name in _parts(analyses)]


def stems(analyses: bool) -> list[str]:
    """Return the names of these units, and so of their objects."""
    return list(_parts(analyses))


def _parts(analyses: bool) -> dict[str, list[Path]]:
    rooms = [room for room in ROOMS if room.name != "importer"]
    own = [file for file in _files(OWN) if file.suffix == ".c"]
    besides = [file for file in own if file.name.startswith(_OF_ANALYSES)]
    begin = [file for room in ROOMS for file in room.glob(f"{_FROM_IMPORTERS}.c")]
    runs = [*_of(rooms), *begin, *(file for file in own if file not in besides)]
    steps = [file for file in runs if file.name in _OF_STEPS]
    others = [file for file in runs if file.name not in _OF_STEPS]
    return {"flows": besides} if analyses else {"steps": steps, OTHERS: others}


@cache
def grouping() -> str:
    """Return which files are in libraries for runs, and which in those for analyses besides."""
    return repr([[f.name for file in _parts(a).values() for f in file] for a in (False, True)])


def _of(rooms: Sequence[Path]) -> list[Path]:
    return [file for room in rooms for file in sorted(room.glob("*.c"))]
