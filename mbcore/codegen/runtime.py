"""Where the C runtime's files lie: in rooms, by names that none of them shares with another one.

Files include each other by name alone, so a compiler is given all rooms to look in, and an FMU's
``sources`` hold the same headers side by side.

A library of one model is made of the runtime as one file that begins with the model's tables: then
its sizes and functions are constants to the compiler. Libraries that share a compiled runtime are
made of the single files.
"""

from __future__ import annotations

from pathlib import Path

RUNTIME = Path(__file__).parent.parent / "runtime"
ROOMS = tuple(
    RUNTIME / room for room in ["core", "evaluation", "events", "integrators", "importer"]
)
"""Folders of the runtime, from the ground up."""


def runtime_files(pattern: str = "*.[ch]") -> list[Path]:
    """Return the runtime's files of a pattern, in the order of their names."""
    files = [file for room in ROOMS for file in room.glob(pattern)]
    return sorted(files, key=lambda file: file.name)


WHOLE, TABLES = "mb_runtime.c", "mb_tables.h"
"""The runtime as one file, and a model's tables, which it includes first."""


def whole_runtime() -> str:
    """Return the runtime as one C file, to be compiled with the tables of a model."""
    texts = [
        f"/* {file.name} */\n{file.read_text(encoding='utf-8')}" for file in runtime_files("*.c")
    ]
    return "\n".join([f'#include "{TABLES}"\n', *texts])
