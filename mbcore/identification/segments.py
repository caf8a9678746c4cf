"""Segments of the runs of a fit, with their errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Segment:
    """A part of a run that is simulated from a start of its own.

    Attributes
    ----------
    run : int
        Number of the run.
    begin, end : float
        s.
    node : int
        Place of its first start value among the unknowns, -1 where it begins with the run.
    given : dict of str to float
        Measured states that it begins with, for equation errors.
    last : bool
        Whether none follows it in its run.
    """

    run: int
    begin: float
    end: float
    node: int
    given: dict[str, float]
    last: bool


@dataclass(frozen=True)
class Evaluated:
    """Errors at values of the unknowns.

    Attributes
    ----------
    unknowns : ndarray, shape (nz,)
        Values, start values of segments among them.
    errors : ndarray, shape (n,)
        Simulated less measured, sensor by sensor and run by run, in the variables' units.
    jacobian : ndarray, shape (n, nz)
        Its derivative.
    segment_of : ndarray of int, shape (n,)
        The segment that each error belongs to.
    gaps : ndarray, shape (ng,)
        Starts of segments less the ends of those before, in parts of their scales.
    gap_jacobian : ndarray, shape (ng, nz)
        Its derivative.
    """

    unknowns: np.ndarray
    errors: np.ndarray
    jacobian: np.ndarray
    segment_of: np.ndarray
    gaps: np.ndarray
    gap_jacobian: np.ndarray


@dataclass(frozen=True)
class Predicted:
    """Outputs and states of a segment.

    Attributes
    ----------
    times : ndarray, shape (n,)
        From the start of the run, s.
    names : tuple of str
        Outputs, then states.
    values : ndarray, shape (n, m)
        Their values.
    changes : ndarray, shape (n, m, nz)
        Derivatives by all unknowns.
    """

    times: np.ndarray
    names: tuple[str, ...]
    values: np.ndarray
    changes: np.ndarray
