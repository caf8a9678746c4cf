"""Files that define FMUs: what they are called, and which packages they are part of."""

from __future__ import annotations

from pathlib import Path

import mbcore.fmus

SHIPPED = Path(mbcore.fmus.__path__[0]).resolve()
"""Folder of the definitions that come with the library: files, and packages of several."""


def is_shipped(file: Path) -> bool:
    """Return whether a file is one of the library's own definitions."""
    return file.resolve().is_relative_to(SHIPPED)


def defined_name(file: Path) -> str:
    """Return the name of what a file defines: its own, or its folder's where it is a package's."""
    return file.resolve().parent.name if file.stem == "__init__" else file.stem


def place_of(file: Path) -> tuple[Path, str]:
    """Return where imports of a file begin: a folder, and the file's dotted name from there.

    For a file in no package these are its folder and its own name; for the library's definitions
    the name begins with ``mbcore.fmus``, wherever their folder is.
    """
    file = file.resolve()
    parts = [] if file.stem == "__init__" else [file.stem]
    if is_shipped(file):
        inner = file.parent.relative_to(SHIPPED).parts
        return SHIPPED, ".".join(("mbcore.fmus", *inner, *parts))
    folder = file.parent
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts or [file.parent.name])
