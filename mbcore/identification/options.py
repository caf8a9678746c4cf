"""How a fit is made: sensors, the errors that count, segments, losses, workers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbcore.model import checks
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError

ERRORS = ("output", "equation")
LOSSES = ("linear", "soft_l1", "huber", "cauchy")
MOST_EVALUATIONS = 60


@dataclass(frozen=True)
class Sensor:
    """Known and unknown properties of a sensor.

    Attributes
    ----------
    deviation : float, optional
        Standard deviation of its noise; by default estimated with the rest.
    offset : (float, float) or Unknown, optional
        Bounds, m, or in its variable's unit, of an unknown value that it adds; by default none.
    gain : (float, float) or Unknown, optional
        Bounds of an unknown factor; by default it is 1.
    """

    deviation: float | None = None
    offset: Any = None
    gain: Any = None

    def __post_init__(self) -> None:
        """Refuse a deviation that is no positive number.

        Raises
        ------
        ModelError
            Naming it.
        """
        if self.deviation is not None:
            checks.real("Sensor", "deviation", self.deviation, above=0.0)


@explains_construction
@dataclass(frozen=True)
class FitOptions:
    """How a fit is made.

    Attributes
    ----------
    delays : mapping of str to (float, float) or Unknown
        Bounds, s, of unknown times by which inputs come late.
    error : {"output", "equation"}
        Whether motion is followed from the start of each run, or from measured states over and
        over, which needs all states measured, has no start to find, and is biased by noise.
    segment : float, optional
        Length, s, of the segments of multiple shooting, which unstable motions and poor guesses
        need; with ``error="equation"`` the time from one measured state to the next that is
        compared. By default one segment a run; ten samples for equation errors.
    begin_with : float, optional
        Length, s, of the beginning of each run that is fitted before the whole. Long runs of slow
        models then take a few evaluations of the whole only. The beginning should excite all that
        is sought; where the whole fits worse from its values, the first guess is used.
    loss : {"linear", "soft_l1", "huber", "cauchy"}
        Of errors in standard deviations, as in `scipy.optimize.least_squares`; all but the first
        keep outliers from pulling.
    workers : int, optional
        Processes in which several starts are searched from side by side, where the system can fork
        them (Linux, macOS); by default as many as there are processors.
    tolerance : float
        Of simulations, relative.
    most_evaluations : int
        Evaluations with derivatives that a start may take.
    progress : bool
        Whether a bar shows what has been reached.
    """

    delays: Mapping[str, Any] = field(default_factory=dict)
    error: str = "output"
    segment: float | None = None
    begin_with: float | None = None
    loss: str = "linear"
    workers: int | None = None
    tolerance: float = 1e-8
    most_evaluations: int = MOST_EVALUATIONS
    progress: bool = True

    def __post_init__(self) -> None:
        """Refuse values that mean nothing.

        Raises
        ------
        ModelError
            Naming the option.
        """
        checks.choice("FitOptions", "error", self.error, ERRORS)
        checks.choice("FitOptions", "loss", self.loss, LOSSES)
        if self.workers is not None:
            checks.whole("FitOptions", "workers", self.workers, 1)
        checks.whole("FitOptions", "most_evaluations", self.most_evaluations, 1)
        checks.real("FitOptions", "tolerance", self.tolerance, above=1e-13, most=1e-3)
        if self.begin_with is not None:
            checks.real("FitOptions", "begin_with", self.begin_with, above=0.0, unit="s")
            if self.segment is not None or self.error == "equation":
                raise ModelError(
                    "FitOptions: begin_with needs runs that are followed from their start; leave "
                    "out segment= and error='equation', or begin_with="
                )
        if self.segment is not None and not 0 < self.segment < np.inf:
            raise ModelError(
                f"FitOptions: segment = {self.segment!r}; give a positive number of seconds"
            )
