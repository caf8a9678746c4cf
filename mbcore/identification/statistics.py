"""Covariance of fitted values, and a test whether residuals are white."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from mbcore.identification.problem import Problem
from mbcore.identification.reduction import reduced
from mbcore.identification.search import Found, weighted

NOTHING = 1e-10
"""Singular value in parts of the largest one below which a direction is not told at all."""
LAGS = 20
"""Lags of the whiteness test at most; a tenth of the samples if these are fewer."""


@dataclass(frozen=True)
class Whiteness:
    """Whether residuals of a sensor are white: [LjungBox1978].

    Attributes
    ----------
    statistic : float
        n (n + 2) Σ r_k² / (n - k), with the correlations r_k at the first lags.
    lags : int
        Lags.
    probability : float
        Of a larger statistic if residuals are white; small where the model lacks an effect.
    correlations : ndarray, shape (lags,)
        r_k, up to twice 1/√n by chance.
    """

    statistic: float
    lags: int
    probability: float
    correlations: np.ndarray

    @property
    def white(self) -> bool:
        """Whether nothing speaks against white residuals, at 1 %."""
        return self.probability > 0.01


def whiteness(runs: list[np.ndarray]) -> Whiteness:
    """Return the test of residuals of a sensor, an array for each run.

    [LjungBox1978] G. M. Ljung, G. E. P. Box, On a measure of lack of fit in time series models,
    Biometrika 65 (1978) 297-303.
    """
    count = sum(one.size for one in runs)
    lags = max(min(LAGS, count // 10), 1)
    power = sum(float(one @ one) for one in runs) or 1.0
    found = np.array(
        [sum(float(one[k:] @ one[:-k]) for one in runs) / power for k in range(1, lags + 1)]
    )
    weights = count - np.arange(1, lags + 1)
    statistic = float(count * (count + 2) * np.sum(found**2 / np.maximum(weights, 1)))
    return Whiteness(statistic, lags, float(chi2.sf(statistic, lags)), found)


def covariance(problem: Problem, found: Found) -> np.ndarray:
    """Return the covariance of the unknowns that have a name, (n, n), infinite where untold.

    Starts of segments follow from the rest, as they are part of the same least squares. With a
    robust loss it is that of M-estimators: [Huber1981] (7.6.5).
    """
    _, jacobian = reduced(*weighted(problem, found.at, found.deviations), found.at.segment_of)
    scale = np.linalg.norm(jacobian, axis=0)
    scale[scale == 0] = 1.0
    _, sizes, rows = np.linalg.svd(jacobian / scale, full_matrices=False)
    told = sizes > NOTHING * sizes.max(initial=0.0)
    inverse = (rows[told] / sizes[told, None]).T
    n = len(problem.sought)
    whole = (inverse @ inverse.T) / np.outer(scale, scale)
    whole *= _robust_factor(problem, found)
    lost = np.abs(rows[~told]).max(axis=0, initial=0.0) > 1e-6
    for i in np.flatnonzero(lost):
        whole[i, :] = whole[:, i] = np.nan
        whole[i, i] = np.inf
    return whole[:n, :n]


def _robust_factor(problem: Problem, found: Found) -> float:
    """Return by how much a robust loss changes the covariance of plain least squares."""
    loss = problem.options.loss
    u = found.at.errors / found.deviations[problem.sensor_of]
    z = u**2
    if loss == "linear":
        return 1.0
    if loss == "huber":
        inner = z <= 1
        first, second = np.where(inner, 1.0, 1 / np.sqrt(np.maximum(z, 1))), inner.astype(float)
    elif loss == "soft_l1":
        first, second = (1 + z) ** -0.5, (1 + z) ** -1.5
    else:
        first, second = 1 / (1 + z), (1 - z) / (1 + z) ** 2
    return float(np.mean((first * u) ** 2) / np.mean(second) ** 2)
