"""The methods of flows in C, as records; ``mb_flow.h`` says what fields mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbcore.native.shared import SharedCollocation, SharedExplicit


@dataclass(frozen=True)
class CollocationMethod:
    """Radau collocation: nodes (s,), matrix (s, s), embedded formula (s,) with gamma, and rules.

    `mbcore.periodic.collocation` explains the rules.
    """

    node: np.ndarray
    matrix: np.ndarray
    error: np.ndarray
    gamma: float
    iterations: int
    safety: float
    shrink: float
    grow: float
    farthest: float
    accuracy: float
    doubtful: float
    rounding: float
    just_over: float
    divided: float
    first: float
    small: float
    least: float


@dataclass(frozen=True)
class ExplicitMethod:
    """DOP853 with its interpolant.

    Attributes
    ----------
    stages : int
        Stages of a step.
    node : ndarray, shape (all,)
        Of all stages, those for the interpolant among them.
    matrix : ndarray, shape (all, all)
        Rows of weights; that of the end is behind those of the stages.
    error_5, error_3 : ndarray, shape (stages + 1,)
        Estimates of the error.
    dense : ndarray, shape (terms - 3, all)
        Terms of the interpolant from the fourth on.
    safety, shrink, grow, exponent : float
        Of the step's length.
    least : float
        Shortest step, in spacings of the time.
    """

    stages: int
    node: np.ndarray
    matrix: np.ndarray
    error_5: np.ndarray
    error_3: np.ndarray
    dense: np.ndarray
    safety: float
    shrink: float
    grow: float
    exponent: float
    least: float

    @property
    def terms(self) -> int:
        """Number of terms of the interpolant; the first three are Hermite's."""
        return 3 + len(self.dense)


def in_c(method: CollocationMethod | ExplicitMethod) -> SharedCollocation | SharedExplicit:
    """Return a method for C, which keeps its arrays."""
    arrays = {
        name: np.ascontiguousarray(value)
        for name, value in vars(method).items()
        if isinstance(value, np.ndarray)
    }
    shared: SharedCollocation | SharedExplicit
    if isinstance(method, CollocationMethod):
        shared = SharedCollocation(stages=method.node.size)
    else:
        shared = SharedExplicit(all=method.node.size, terms=method.terms)
    for name, value in vars(method).items():
        setattr(shared, name, arrays[name].ctypes.data if name in arrays else value)
    shared.arrays = arrays
    return shared
