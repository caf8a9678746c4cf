"""Stability from exponents: kinds of bifurcations, and the boundary over a parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import brentq

from mbcore.host.threads import single_threaded
from mbcore.model import checks
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.small_vibrations.hill import Choice, balance_scales, balanced, hill_exponents
from mbcore.small_vibrations.linear_balance import neutral_coordinates
from mbcore.small_vibrations.monodromy import monodromy_exponents
from mbcore.small_vibrations.periodic_equations import PeriodicEquations

Crossing = Literal["fold_or_transcritical", "flip", "neimark_sacker"]
Method = Literal["hill", "monodromy", "averaged"]
METHODS = ("hill", "monodromy", "averaged")
ON_AXIS = 1e-5
"""Part of a turn within which the angle of a multiplier counts as zero or a half turn."""
LOCATED = 1e-13
"""Relative accuracy of the parameter at which boundaries are located."""


@single_threaded
def exponents_of(
    equations: PeriodicEquations,
    method: Method = "hill",
    harmonics: int = 8,
    *,
    choose: Choice = "weight",
    count: int | None = None,
) -> np.ndarray:
    """Return characteristic exponents, the largest real part first; see `NominalMotion.exponents`.

    Raises
    ------
    ModelError
        If the method, the choice or a number is impossible.
    """
    owner = "exponents"
    checks.choice(owner, "method", method, METHODS)
    checks.choice(owner, "choose", choose, ("weight", "least_imaginary"))
    whole = isinstance(count, int) and not isinstance(count, bool)
    if count is not None and not (whole and 1 <= count <= equations.states):
        raise ModelError(f"{owner}: count = {count!r}; give a number from 1 to {equations.states}")
    if method == "monodromy":
        values = monodromy_exponents(equations, balanced(equations)[0])
    elif method == "averaged":
        values = averaged_exponents(equations)
    else:
        equations.checked_harmonics(owner, harmonics)
        values = hill_exponents(equations, harmonics, choose=choose, count=count)
    return sorted_exponents(values)[:count]


def averaged_exponents(equations: PeriodicEquations) -> np.ndarray:
    """Return the eigenvalues of the mean A_0 of A(t), the first method of [Schwab2002] 4.3."""
    scales = balance_scales(equations)
    return np.asarray(
        np.linalg.eigvals(equations.state_harmonics[0].real * scales / scales[:, None])
    )


def sorted_exponents(values: np.ndarray) -> np.ndarray:
    """Return exponents by their real parts, the largest first, then by their imaginary parts."""
    size = 1e-9 * max(1.0, float(np.abs(values).max(initial=0.0)))
    return np.asarray(values[np.lexsort((values.imag, -np.round(values.real / size)))])


@explains_arguments
def crossing_kind(multiplier: complex) -> Crossing:
    """Return the kind of bifurcation where this multiplier crosses the unit circle.

    At one it is a fold or a transcritical bifurcation, which linear equations do not distinguish;
    at minus one a flip, from which motions of the doubled period come; at a pair elsewhere a
    Neimark-Sacker bifurcation, with a second frequency.

    Raises
    ------
    ModelError
        If the multiplier is zero or no number.
    """
    value = complex(multiplier)
    if value == 0 or not np.isfinite(value):
        raise ModelError(f"crossing_kind: the multiplier {multiplier} has no angle")
    part = abs(np.angle(value)) / (2 * np.pi)
    if part < ON_AXIS:
        return "fold_or_transcritical"
    return "flip" if abs(part - 0.5) < ON_AXIS else "neimark_sacker"


@dataclass(frozen=True)
class StabilityBoundary:
    """The value of a parameter at which the largest multiplier crosses the unit circle.

    Attributes
    ----------
    value : float
        Of the parameter.
    multiplier : complex
        The one that crosses.
    kind : str
        By `crossing_kind`.
    """

    value: float
    multiplier: complex
    kind: Crossing


@explains_arguments
def stability_boundary(
    small_motions_of: Callable[[float], PeriodicEquations],
    between: Sequence[float],
    *,
    method: Method = "monodromy",
    harmonics: int = 8,
) -> StabilityBoundary:
    """Return the boundary of stability between two values of a parameter.

    Coordinates on which nothing depends, whose exponents are zero, do not count.

    Parameters
    ----------
    small_motions_of : callable
        Returns the equations at a value of the parameter, as
        ``lambda ω: nominal_motion(equations, 2 * np.pi / ω, parameters={"ω": ω}).small_motions``.
    between : sequence of two
        A value where the motion is stable and one where it is not, in any order.
    method : {"hill", "monodromy", "averaged"}
        How exponents are found; see the warning in `NominalMotion.exponents` on the last.
    harmonics : int
        Of Hill's determinant.

    Raises
    ------
    ModelError
        If both are stable, or both are not.
    """
    given = tuple(between)
    if len(given) != 2:
        raise ModelError(f"stability_boundary: between = {between!r}; give two values")
    low, high = (checks.real("stability_boundary", "an end of between", end) for end in given)

    def largest(value: float) -> tuple[complex, PeriodicEquations]:
        equations = small_motions_of(value)
        found = exponents_of(equations, method, harmonics)
        turns = np.round(found.imag / equations.frequency)
        nearest = np.argsort(np.abs(found - 1j * turns * equations.frequency), kind="stable")
        felt = np.delete(found, nearest[: neutral_coordinates(equations)])
        if not felt.size:
            raise ModelError(f"stability_boundary: {equations.name}: nothing depends on its states")
        return complex(felt[0]), equations

    ends = [largest(end)[0].real for end in (low, high)]
    if ends[0] * ends[1] > 0:
        stability = "unstable" if ends[0] > 0 else "stable"
        raise ModelError(
            f"stability_boundary: the motion is {stability} at {low:g} and at {high:g} (largest "
            f"real parts {ends[0]:.6g} and {ends[1]:.6g} 1/s); give one value on each side"
        )
    found = float(brentq(lambda value: largest(value)[0].real, low, high, rtol=LOCATED))
    exponent, equations = largest(found)
    multiplier = complex(np.exp(exponent * equations.period))
    return StabilityBoundary(found, multiplier, crossing_kind(multiplier))
