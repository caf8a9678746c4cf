"""Where the C runtime's files lie: in rooms, by names that none of them shares with another one.

Files include each other by name alone, so a compiler is given all rooms to look in, and an FMU's
``sources`` hold the same files side by side.
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
