"""Aliasing of equally spaced samples, found by samples in between.

A harmonic beyond half the number of samples appears in their Fourier series as a lower one.

Used by `mbcore.small_vibrations.gross_motion` alone; it stands apart because it judges samples,
whatever they are of.
"""

from __future__ import annotations

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.linear.nominal_matrices import NominalMatrices
from mbcore.model.errors import warn_user

BETWEEN = (0.13, 0.47, 0.81)
"""Fractions of the period after which the motion is evaluated between two samples."""
OFF = 0.382
"""Position between the two samples, in parts of their distance."""
MISSED = 1e-3
"""Error of a matrix between samples, relative to its largest entry, that brings no warning."""
ROUNDING = 1e-10
"""Size of a sum of forces, relative to its terms, that may be rounding."""


def warn_of_few(
    equations: Equations,
    found: NominalMatrices,
    between: NominalMatrices,
    places: list[int],
    period: float,
) -> None:
    """Warn where the Fourier series of the samples differs from the matrices between them.

    Parameters
    ----------
    found, between : NominalMatrices
        At all samples, and behind those at ``places`` by the part `OFF` of their distance.

    Warns
    -----
    ModelWarning
        Naming the matrix with the largest error.
    """
    n = found.M.shape[0]
    # without the highest one of an even number, as in [Schwab2002] (4.5)
    orders = np.arange((n + 1) // 2)
    turns = np.exp(2j * np.pi / n * np.outer(np.array(places) + OFF, orders))
    turns[:, 1:] *= 2
    worst, which = 0.0, ""
    force = float(np.abs(found.forces).max(initial=0.0))
    for name in "MCKfAB":
        spectrum = np.fft.rfft(getattr(found, name), axis=0)[: orders.size] / n
        guessed = np.tensordot(turns, spectrum, axes=1).real
        off = float(np.abs(getattr(between, name) - guessed).max(initial=0.0))
        size = float(np.abs(getattr(found, name)).max(initial=0.0))
        size = max(size, ROUNDING * force * (name == "f"), 1e-300)
        if off / size > max(worst, MISSED) and off > 1e-9:
            worst, which = off / size, name
    if which:
        warn_user(
            f"nominal_motion: {equations.name}: {n} samples in the period of {period:.6g} s are "
            f"too few: between them {which} is off by {worst:.2g} of its largest entry; "
            "periodic solutions and exponents may be as wrong: give more samples"
        )
