"""The file in which a sweep keeps what it has found, so that it can go on later."""

from __future__ import annotations

import json
import os
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from mbcore.model.errors import ModelError
from mbcore.sweeps.gathered import Gathered
from mbcore.sweeps.outcome import Labelled
from mbcore.sweeps.points import Points

EVERY = 10.0
"""Seconds between two writings at least."""
SHARE = 20
"""Times as long as a writing takes that is waited at least until the next one."""
FORMAT = 1


class Keeper:
    """Writes what is gathered to a file now and then; begins with what the file holds.

    Parameters
    ----------
    path : str or path, optional
        The file; None for none.
    gathered : Gathered
        What is written, and gets what was written before.
    title : str
        What the task does.

    Raises
    ------
    ModelError
        If the file is no ``.npz``, has no folder, or holds another sweep.
    """

    def __init__(self, path: str | Path | None, gathered: Gathered, title: str) -> None:
        self._gathered, self._title = gathered, title
        self._path = None if path is None else _checked(path)
        self._next = time.monotonic() + EVERY
        if self._path is not None and self._path.exists():
            _load(self._path, gathered, title)

    def now_and_then(self) -> None:
        """Write if the last time is long enough ago."""
        if time.monotonic() > self._next:
            self.now()

    def now(self) -> None:
        """Write; the file before stays until the new one is whole."""
        if self._path is None:
            return
        began = time.monotonic()
        temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}.part")
        try:
            with temporary.open("wb") as file:
                np.savez(file, **_packed(self._gathered, self._title))
            temporary.replace(self._path)
        finally:
            temporary.unlink(missing_ok=True)
        now = time.monotonic()
        self._next = now + max(EVERY, SHARE * (now - began))


def _checked(path: str | Path) -> Path:
    if not isinstance(path, str | Path) or Path(path).suffix != ".npz":
        raise ModelError(
            f"sweep: keep = {path!r}; give the name of a file that ends in .npz, and write the "
            "dataset that is returned in other formats"
        )
    target = Path(path).absolute()
    if not target.parent.is_dir():
        raise ModelError(f"sweep: keep = {str(path)!r}: there is no folder {target.parent}")
    return target


def _packed(gathered: Gathered, title: str) -> dict[str, Any]:
    points = gathered.points
    about = {
        "format": FORMAT,
        "title": title,
        "grid": points.grid,
        "columns": list(points.columns),
        "names": list(gathered.arrays),
        "layout": {
            name: {
                "dimensions": part.dimensions,
                "attributes": {k: str(v) for k, v in part.attributes.items()},
                "coordinates": list(part.coordinates),
            }
            for name, part in gathered.layout.items()
        },
        "errors": {str(k): v for k, v in gathered.errors.items()},
        "warnings": {str(k): v for k, v in gathered.warnings.items()},
    }
    packed: dict[str, Any] = {"about": np.array(json.dumps(about)), "done": gathered.done}
    packed |= {f"column {i}": c for i, c in enumerate(points.columns.values())}
    for i, (name, array) in enumerate(gathered.arrays.items()):
        packed[f"array {i}"] = array
        for j, values in enumerate(gathered.layout[name].coordinates.values()):
            packed[f"coordinate {i} {j}"] = values
    return packed


def _load(path: Path, gathered: Gathered, title: str) -> None:
    """Begin with what a file holds; points that had failed count as not evaluated.

    Raises
    ------
    ModelError
        If it is no such file, or holds another sweep.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            held = {name: file[name] for name in file.files}
        about = json.loads(str(held["about"]))
        assert about["format"] == FORMAT
    except (OSError, ValueError, KeyError, AssertionError, zipfile.BadZipFile) as error:
        raise ModelError(
            f"sweep: {path.name} holds no sweep ({type(error).__name__}: {error}); give another "
            "name, or delete it"
        ) from error
    columns = {name: held[f"column {i}"] for i, name in enumerate(about["columns"])}
    other = "task" if about["title"] != title else "points"
    if about["title"] != title or not Points(columns, about["grid"]).same_as(gathered.points):
        was = f" ({about['title']}; now {title})" if other == "task" else ""
        raise ModelError(
            f"sweep: {path.name} holds a sweep with another {other}{was}; give another name, or "
            "delete it"
        )
    gathered.done[:] = held["done"]
    gathered.done[[int(k) for k in about["errors"]]] = False
    gathered.warnings = {int(k): v for k, v in about["warnings"].items()}
    if about["names"]:
        arrays = {name: held[f"array {i}"] for i, name in enumerate(about["names"])}
        layout = {}
        for i, (name, array) in enumerate(arrays.items()):
            part = about["layout"][name]
            own = part["dimensions"]
            along = {d: held[f"coordinate {i} {j}"] for j, d in enumerate(part["coordinates"])}
            layout[name] = Labelled(
                array[0], None if own is None else tuple(own), part["attributes"], along
            )
        gathered.start(arrays, layout)
