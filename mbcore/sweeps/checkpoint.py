"""The checkpoint file of a sweep, from which it can be resumed.

Used by `mbcore.sweeps.sweep` alone; it stands apart because it knows the format of the file, and no
task.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from mbcore.model.errors import ModelError
from mbcore.sweeps.gathered import Gathered
from mbcore.sweeps.identity import Identity, identity_of
from mbcore.sweeps.outcome import Labelled, Task
from mbcore.sweeps.points import Points

EVERY = 10.0
"""Shortest time between two writes, s."""
SHARE = 20
"""Shortest time between two writes, in durations of a write."""
FORMAT = 2


class Checkpoint:
    """Writes the results of a sweep to a file now and then, and resumes from such a file.

    Parameters
    ----------
    path : str or path, optional
        The file; None for none.
    gathered : Gathered
        Results that are written; they start with those of the file.
    task : callable
        The task, which must be the one of the file.

    Raises
    ------
    ModelError
        If the file is no ``.npz``, has no folder, or holds another sweep.
    """

    def __init__(self, path: str | Path | None, gathered: Gathered, task: Task) -> None:
        self._gathered = gathered
        self._path = None if path is None else _checked(path)
        self._next = time.monotonic() + EVERY
        if self._path is None:
            return
        self._identity = identity_of(task)
        if self._path.exists():
            _load(self._path, gathered, self._identity)

    def now_and_then(self) -> None:
        """Write if the last write is long enough ago."""
        if time.monotonic() > self._next:
            self.now()

    def now(self) -> None:
        """Write; the old file stays until the new one is complete."""
        if self._path is None:
            return
        began = time.monotonic()
        temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}.part")
        try:
            with temporary.open("wb") as file:
                np.savez(file, **_packed(self._gathered, self._identity))
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


def _packed(gathered: Gathered, identity: Identity) -> dict[str, Any]:
    points = gathered.points
    about = {
        "format": FORMAT,
        "identity": asdict(identity),
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


def _load(path: Path, gathered: Gathered, identity: Identity) -> None:
    """Resume from a file; points that had failed count as not evaluated.

    Raises
    ------
    ModelError
        If it is no such file, or holds another sweep.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            stored = {name: file[name] for name in file.files}
        about = json.loads(str(stored["about"]))
        if about["format"] < FORMAT:
            raise ModelError(
                f"sweep: {path.name} was kept by an older mbcore, which did not store the "
                "model's digest; give another name, or delete it"
            )
        _refuse_another(path, about, stored, gathered.points, identity)
        _take_over(gathered, about, stored)
    except (ModelError, MemoryError):
        raise
    except Exception as error:  # the file may hold anything
        raise ModelError(
            f"sweep: {path.name} holds no sweep ({type(error).__name__}: {error}); give another "
            "name, or delete it"
        ) from error


def _refuse_another(
    path: Path,
    about: Mapping[str, Any],
    stored: Mapping[str, np.ndarray],
    points: Points,
    identity: Identity,
) -> None:
    """Refuse a file of another sweep."""
    change = identity.change_from(Identity(**about["identity"]))
    other = f"another {change}" if change else ""
    columns = {name: stored[f"column {i}"] for i, name in enumerate(about["columns"])}
    if not other and not Points(columns, about["grid"]).same_as(points):
        other = "other points"
    if other:
        raise ModelError(
            f"sweep: {path.name} holds a sweep with {other}; give another name, or delete it"
        )


def _take_over(
    gathered: Gathered, about: Mapping[str, Any], stored: Mapping[str, np.ndarray]
) -> None:
    """Start with the values of the file.

    Raises
    ------
    ValueError
        If they are not as many as the points.
    """
    arrays = {name: stored[f"array {i}"] for i, name in enumerate(about["names"])}
    done = stored["done"].astype(bool)
    if {len(done), *map(len, arrays.values())} != {len(gathered.points)}:
        raise ValueError("values of another number than its points")
    layout = {}
    for i, (name, array) in enumerate(arrays.items()):
        part = about["layout"][name]
        own = part["dimensions"]
        along = {d: stored[f"coordinate {i} {j}"] for j, d in enumerate(part["coordinates"])}
        layout[name] = Labelled(
            array[0], None if own is None else tuple(own), part["attributes"], along
        )
    failed = [int(k) for k in about["errors"]]
    warnings = {int(k): v for k, v in about["warnings"].items()}
    done[failed] = False
    gathered.done[:], gathered.warnings = done, warnings
    if arrays:
        gathered.start(arrays, layout)
