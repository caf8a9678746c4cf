"""An FMU's description, and how it is imported: end, inputs over time, messages, early values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fmpy
import numpy as np

from mbcore.model.errors import ModelError

Log = Callable[[int, str], None]
"""Takes the messages of an FMU, each with its status."""


@dataclass(frozen=True)
class Importing:
    """How an FMU is run, besides its own settings.

    Attributes
    ----------
    description : fmpy.model_description.ModelDescription, optional
        Of the FMU, where it has been read.
    stop : float, optional
        End of the run, s, of which the FMU is told.
    inputs : mapping of str to callable
        Inputs that are functions of time, followed between communication points.
    longest : float
        Longest communication step where inputs move that can only be held over a step, s.
    log : callable, optional
        Takes all messages, formatted, in place of warnings at the end.
    start : mapping of str to object
        Start values of any type, given as early as the FMU takes them.
    """

    description: Any = None
    stop: float | None = None
    inputs: Mapping[str, Callable[[float], float]] | None = None
    longest: float = np.inf
    log: Log | None = None
    start: Mapping[str, Any] = field(default_factory=dict)


PLAIN = Importing()


def read_description(path: Path) -> Any:
    """Return an FMU's description, and refuse other files.

    Raises
    ------
    ModelError
        There is no such file, or it is not an FMU of FMI 2.0 or 3.0.
    """
    if not path.exists():
        raise ModelError(f"there is no FMU {path}; build it with export(...)")
    try:
        description = fmpy.read_model_description(str(path))
    except Exception as error:
        raise ModelError(f"{path} cannot be read as an FMU: {error}") from error
    if not description.fmiVersion.startswith(("2", "3")):
        raise ModelError(f"{path} is of FMI {description.fmiVersion}; give one of FMI 2.0 or 3.0")
    return description
