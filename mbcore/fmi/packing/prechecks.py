"""Checks before an FMU is compiled: its target and its start values."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from mbcore.codegen.rows import RowKind, Table
from mbcore.evaluation.evaluation import Evaluation
from mbcore.fmi.component import Component, identifier
from mbcore.host.files import file_path
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError, warn_user


def refuse_unwritable(path: Path) -> None:
    """Refuse a file that cannot be written; nothing is left behind, no folder either.

    Raises
    ------
    ModelError
        Names the folder and its fault.
    """
    file_path("export", path)
    folder = next(parent for parent in path.absolute().parents if _exists(parent))
    try:
        with tempfile.TemporaryFile(dir=folder):
            path.is_dir()  # raises for names that are too long
    except OSError as error:
        raise ModelError(
            f"export: {path} cannot be written, {folder}: {error.strerror}; choose another folder"
        ) from error
    if path.is_dir():
        raise ModelError(f"export: {path} is a folder; remove it, or choose another directory")


def _exists(folder: Path) -> bool:
    try:
        return os.path.lexists(folder)
    except OSError:  # a name that is too long
        return False


def refuse_other_model(path: Path, name: str) -> None:
    """Refuse to replace the FMU of a model whose name differs in signs that no identifier holds.

    Raises
    ------
    ModelError
        Names both models.
    """
    if not path.exists():
        return
    try:
        with zipfile.ZipFile(path) as found:
            root = ElementTree.fromstring(found.read("modelDescription.xml"))
    except (OSError, KeyError, zipfile.BadZipFile, ElementTree.ParseError):
        return
    other = root.get("description", name)
    if other != name and identifier(other) == path.stem:
        raise ModelError(
            f"{path} holds the FMU of model {other!r}, which {name!r} would replace, because both "
            f"names become {path.stem!r}; rename one model, or choose another directory"
        )


def warn_of_alternatives(component: Component) -> None:
    """Warn that an FMU does not change its coordinates, where the model offers others."""
    dofs = component.equations.assembly.dofs
    offered = [
        f"{q.name} (or_else={', '.join(o.name for o in q.alternatives)})"
        for q in dofs
        if q.alternatives
    ]
    if offered:
        warn_user(
            f"FMU {component.name}: an FMU does not change coordinates, so it uses no alternative "
            f"of {', '.join(offered)} and stops with an error where its degrees of freedom do not "
            "determine the motion; choose degrees of freedom that do wherever it is to run"
        )


def look_at_start(component: Component, rows: Table) -> None:
    """Evaluate the start values in a table once, as importers will do first.

    Warns
    -----
    ModelWarning
        They cannot be evaluated, or something comes out that is not finite, by its name.

    Raises
    ------
    ConfigurationError
        Some motion of the degrees of freedom moves no mass.
    """
    equations = component.equations
    point = Evaluation(
        equations,
        _moved(rows, "parameter", equations.parameters),
        _moved(rows, "input", equations.inputs),
    )
    try:
        point.start(_moved(rows, "state", equations.states), at_rest=True)
    except (ConfigurationError, SimulationError) as error:
        warn_user(
            f"FMU {component.name} cannot be initialized at its start values, importers must set "
            f"others: {error}"
        )
        return
    point.refuse_massless()
    names = [f"der({state.name})" for state in equations.states]
    names += [output.name for output in equations.outputs]
    values = zip(names, (*point.derivative(), *point.output()), strict=True)
    wrong = [f"{name} = {value}" for name, value in values if not np.isfinite(value)]
    if wrong:
        warn_user(
            f"FMU {component.name} has values that are not finite where it starts, so importers "
            f"cannot initialize it: {', '.join(wrong)}; correct the formulas or the start values"
        )


def _moved(rows: Table, kind: RowKind, records: Sequence[Any]) -> dict[str, float]:
    """Return the start values that differ from the model's, by the names of its records."""
    return {
        records[row.index].name: float(row.start or 0)
        for row in rows.of(kind)
        if row.shift and row.index < len(records) and row.start_input is None
    }
