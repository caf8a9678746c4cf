"""What every client's module offers, and how one says what it lacks."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from .experiments import Experiment

Values = dict[str, list[float]]
"""Values by name at the samples of an experiment."""
CS, ME = "CoSimulation", "ModelExchange"
REALS = ("Real", "Float64")


class Lacks(Exception):  # noqa: N818 - it is not an error
    """The client, or the FMU, does not have what is asked; the message says what."""


@dataclass
class Run:
    """One run: where the FMU is, what is wanted, and the client's faults met on the way.

    ``linear`` has the Jacobian of our equations at the start, with the names of rows and columns.
    """

    archive: Path
    fmi: str
    kind: str
    case: Experiment
    linear: dict[str, Any] | None = None
    faults: list[str] = field(default_factory=list)

    @property
    def choices(self) -> dict[str, int]:
        """The experiment's items of enumerations; the FMU's own solver is of Co-Simulation."""
        chosen = self.case.choices.items()
        return {n: k for n, k in chosen if self.kind == CS or not n.startswith("solver.")}


def flag(run: Run, *names: str) -> bool:
    """Return whether a capability, under one of its names, is true for the kind that runs."""
    with zipfile.ZipFile(run.archive) as archive:
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
    element = root.find(run.kind)
    return element is not None and any(element.get(name) in ("true", "1") for name in names)


DIRECTIONAL = ("providesDirectionalDerivative", "providesDirectionalDerivatives")
"""The capability's name in FMI 2.0 and in FMI 3.0."""
STATE = ("canGetAndSetFMUstate", "canGetAndSetFMUState")
Check = Callable[[Run], str]
"""Tries one feature; returns a figure. AssertionError: it is wrong; Lacks: it is absent."""


@dataclass(frozen=True)
class Client:
    """An importer.

    Attributes
    ----------
    name : str
        How the matrix calls it.
    package : str
        Its distribution on PyPI; empty where it belongs to the project.
    kinds : tuple
        Pairs of FMI version (2 or 3) and kind that it has.
    run : callable
        Runs an experiment; returns the values of all outputs that it can read.
    example : str
        Lines that run ``vehicle.fmu`` there, shown in docs/fmu/importers.md, and run.
    example_kind : tuple
        Version and kind of these lines.
    checks : mapping
        Features tried beside the run, by name.
    """

    name: str
    package: str
    kinds: tuple[tuple[str, str], ...]
    run: Callable[[Run], Values]
    example: str = ""
    example_fmi: str = "3"
    checks: Mapping[str, Check] = field(default_factory=dict)

    @property
    def version(self) -> str:
        """Its installed version, empty where it is not installed."""
        if not self.package:
            return "this"
        try:
            return version(self.package)
        except PackageNotFoundError:
            return ""


def every(*kinds: str, fmi: str = "23") -> tuple[tuple[str, str], ...]:
    """Return pairs of the versions and kinds."""
    return tuple((number, kind) for number in fmi for kind in kinds)
