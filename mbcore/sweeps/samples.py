"""Samples of distributions: at random, or spread evenly by Latin hypercubes or Sobol's sequence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mbcore.model import checks
from mbcore.model.errors import ModelError

DESIGNS = ("random", "latin", "sobol")


def drawn(
    parameters: Mapping[str, Any], samples: int, seed: int | None, design: str
) -> dict[str, np.ndarray | None]:
    """Return samples of those parameters that are distributions, each of shape (samples,).

    Points of the unit cube are mapped by the inverse of each distribution function, so that the
    same seed gives the same samples, whatever the distributions are.

    Parameters
    ----------
    parameters : mapping of str to object
        Those without an inverse distribution function get None.
    samples : int
        Number of samples.
    seed : int, optional
        Of NumPy's generator.
    design : {"random", "latin", "sobol"}
        Independent, a Latin hypercube, or Sobol's scrambled sequence.

    Raises
    ------
    ModelError
        If the design or the seed is none, or a distribution gives no finite numbers.
    """
    checks.choice("sweep", "design", design, DESIGNS)
    inverse = {name: _inverse(given) for name, given in parameters.items()}
    named = [name for name, function in inverse.items() if function is not None]
    cube = _cube(samples, len(named), np.random.default_rng(seed), design)
    found: dict[str, np.ndarray | None] = {name: None for name in parameters}
    for place, name in enumerate(named):
        function = inverse[name]
        assert function is not None
        values = np.asarray(function(cube[:, place]))
        if values.shape != (samples,) or not np.all(np.isfinite(values)):
            raise ModelError(
                f"sweep: samples of {name} are not {samples} finite numbers; give a frozen "
                "distribution of one quantity, as in scipy.stats.norm(0.1, 0.01)"
            )
        found[name] = values
    return found


def checked_seed(seed: object) -> int | None:
    """Return a seed, a whole number that is not negative, or None.

    Raises
    ------
    ModelError
        If it is anything else.
    """
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ModelError(f"sweep: seed = {seed!r}; give a whole number, as in 1")
    return int(seed)


def _inverse(given: object) -> Callable[[np.ndarray], Any] | None:
    for method in ("ppf", "icdf"):
        function = getattr(given, method, None)
        if callable(function):
            if not hasattr(given, "args") and method == "ppf" and hasattr(given, "freeze"):
                raise ModelError(
                    "sweep: a distribution without its parameters; write scipy.stats.norm(0.1, "
                    "0.01) in place of scipy.stats.norm"
                )
            return function
    return None


def _cube(samples: int, count: int, random: np.random.Generator, design: str) -> np.ndarray:
    """Return points of the unit cube, shape (samples, count)."""
    from scipy.stats import qmc  # slow to import, so it is imported only on demand

    if not count:
        return np.zeros((samples, 0))
    if design == "latin":
        return np.asarray(qmc.LatinHypercube(count, seed=random).random(samples))
    if design == "sobol":
        if samples & (samples - 1):
            raise ModelError(
                f"sweep: samples = {samples} of Sobol's sequence; it is even for powers of two, "
                f"give {2 ** max(samples.bit_length() - 1, 0)} or {2 ** samples.bit_length()}"
            )
        return np.asarray(qmc.Sobol(count, seed=random).random(samples))
    return random.random((samples, count))
