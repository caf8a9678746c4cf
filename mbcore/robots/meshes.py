"""Corners of meshes that a robot's file names, from given folders only.

It is apart from `mbcore.robots.pictures`, which opens no file. Pictures show a mesh's convex hull,
for which its corners are enough; so STL, OBJ and COLLADA files are read without a library.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path, PurePosixPath

import numpy as np

from mbcore.model.errors import ModelError
from mbcore.robots.collada import corners_of

MOST_BYTES = 50_000_000
"""Of a mesh; larger ones are not opened."""
TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
"""A triangle of a binary STL file, 50 bytes."""
HEADER = 84
"""Bytes of a binary STL file before its triangles."""
PACKAGE = "package://"


class UnreadMeshError(Exception):
    """A mesh is not drawn; the text says why, and the remedy."""


def folders_of(given: Sequence[str | PathLike[str]]) -> tuple[Path, ...]:
    """Return the folders that meshes are read from.

    Raises
    ------
    ModelError
        If one is no folder, or one path is given instead of a list.
    """
    if isinstance(given, str | PathLike):
        raise ModelError(f"show_meshes: {given!r}; give a list of folders")
    found = tuple(Path(folder).resolve() for folder in given)
    for folder in found:
        if not folder.is_dir():
            raise ModelError(f"show_meshes: {folder} is not a folder; give an existing one")
    return found


def corners(name: str, robot: Path, folders: Sequence[Path]) -> np.ndarray:
    """Return the corners of a mesh, (n, 3), in the file's unit.

    Parameters
    ----------
    name : str
        As the robot's file says it: ``package://robot/meshes/arm.stl``, or relative to that file.
    robot : Path
        The robot's file.
    folders : sequence of Path
        A package is one of them, or a folder in one of them.

    Raises
    ------
    UnreadMeshError
        If no such file is in the folders, or it is too large, of another kind or damaged.
    """
    if not folders:
        raise UnreadMeshError("give folders that meshes may be read from: robot.show_meshes([...])")
    file = _found(name, robot, folders)
    size = file.stat().st_size
    if size > MOST_BYTES:
        raise UnreadMeshError(
            f"its {size / 1e6:.0f} MB are more than {MOST_BYTES // 10**6}; take a coarser one"
        )
    readers = {".stl": _stl, ".obj": _obj, ".dae": corners_of}
    if file.suffix.lower() not in readers:
        raise UnreadMeshError(
            f"{file.suffix or 'its kind'} is not read; convert it to .stl, .obj or .dae"
        )
    try:
        found = readers[file.suffix.lower()](file.read_bytes())
    except (ValueError, OSError) as error:
        raise UnreadMeshError(f"it is damaged: {error}; export it again") from None
    if len(found) < 4 or not np.isfinite(found).all():
        raise UnreadMeshError(
            "it has fewer than four vertices, or some not finite; export it again"
        )
    return found


def _found(name: str, robot: Path, folders: Sequence[Path]) -> Path:
    """Return the file within the folders, with links followed."""
    if name.startswith(PACKAGE):
        package, *rest = PurePosixPath(name.removeprefix(PACKAGE)).parts or ("",)
        places = [folder.joinpath(package, *rest) for folder in folders]
        places += [folder.joinpath(*rest) for folder in folders if folder.name == package]
    elif "://" in name:
        raise UnreadMeshError("URLs are not opened; give a package:// name or a path")
    else:
        places = [robot.resolve().parent / name]
    for place in places:
        file = place.resolve()
        if file.is_file() and any(folder in file.parents for folder in folders):
            return file
    raise UnreadMeshError(f"no such file in {', '.join(map(str, folders))}; name its folder")


def _stl(data: bytes) -> np.ndarray:
    count = int.from_bytes(data[HEADER - 4 : HEADER], "little")
    if len(data) >= HEADER and len(data) == HEADER + count * TRIANGLE.itemsize:
        triangles = np.frombuffer(data, TRIANGLE, count, HEADER)
        return triangles["corners"].reshape(-1, 3).astype(float)
    if not data.lstrip()[:5].lower() == b"solid":
        raise ValueError(f"{len(data)} bytes are not those of {count} triangles")
    return _after(data, b"vertex")


def _obj(data: bytes) -> np.ndarray:
    return _after(data, b"v")


def _after(data: bytes, word: bytes) -> np.ndarray:
    """Return the three numbers after a word at the beginning of lines."""
    lines = (line.split() for line in data.splitlines())
    rows = [line[1:4] for line in lines if line[:1] == [word]]
    return np.array([[float(x) for x in row] for row in rows]).reshape(-1, 3)
