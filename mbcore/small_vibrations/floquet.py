"""Exponents of many periodic equations, each from Floquet's transform of those before.

Frequencies decrease along the way, for few harmonics count where they are high. The first transform
begins with the mean equations, to which their periodic part is added. Each other one begins where
the last two point to. Newton's method alone decides on the result, so that the way is not seen in
it. Where a step is too large, it goes over mixtures of the equations at both ends; where it does
not arrive at all, Hill's determinant is solved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import fft

from mbcore.host.threads import single_threaded
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.small_vibrations.floquet_basis import Basis, mean_basis, odd_places
from mbcore.small_vibrations.floquet_resonances import Transform
from mbcore.small_vibrations.floquet_transform import transformed
from mbcore.small_vibrations.hill import balance_scales, hill_exponents
from mbcore.small_vibrations.periodic_equations import PeriodicEquations
from mbcore.small_vibrations.stability import sorted_exponents

HALVINGS = 3
"""How often a step of the way may be halved."""
FARTHEST = 2.0
"""Step to the next equations, in parts of that before it, up to which those two point to it."""
FELT = 1e-13
"""Harmonics of A in parts of its largest entry; less is rounding."""
FEWEST_PLACES, MOST_PLACES = 16, 512
"""Places in a period at which P is known."""


@dataclass(frozen=True)
class _Coefficients:
    """Harmonics 0, 1, ... of A/ω, (m + 1, n, n), in scaled states; ω is 1 in it."""

    harmonics: np.ndarray

    def at(self, places: int) -> np.ndarray:
        """Return A/ω at equally spaced places of the period, (N, n, n)."""
        known = self.harmonics[: (places - 1) // 2 + 1]
        return np.asarray(fft.irfft(known * places, places, axis=0))

    @property
    def mean(self) -> _Coefficients:
        """Their means."""
        found = np.zeros_like(self.harmonics)
        found[0] = self.harmonics[0]
        return _Coefficients(found)

    @property
    def places(self) -> int:
        """How many places determine all harmonics that are more than rounding."""
        size = np.abs(self.harmonics).max(axis=(1, 2))
        felt = int(np.flatnonzero(size > FELT * size.max()).max(initial=0))
        return odd_places(max(FEWEST_PLACES, 2 * felt + 1))

    def halfway(self, other: _Coefficients) -> _Coefficients:
        """Return the mean of these and others."""
        return _Coefficients((self.harmonics + other.harmonics) / 2)

    def step(self, before: _Coefficients, then: _Coefficients) -> float:
        """Return the step to others in parts of that from those before to these."""
        last = (self.harmonics - before.harmonics).ravel()
        size = np.vdot(last, last).real
        part = np.vdot(last, (then.harmonics - self.harmonics).ravel()).real
        return float(part / size) if size > 0 else np.inf


@explains_arguments
@single_threaded
def exponents_along(family: Sequence[PeriodicEquations]) -> np.ndarray:
    """Return the characteristic exponents of equations that change little from one to the next.

    They are those of Hill's determinant, of each family of images the one with the largest middle
    harmonic, at a fraction of its cost. Where neighbours in the family differ too much, Hill's
    determinant is solved there.

    Parameters
    ----------
    family : sequence of PeriodicEquations
        As those of one system at many speeds; the order does not matter.

    Returns
    -------
    ndarray of complex, shape (count, ns)
        1/s, the largest real part first in each row.

    Raises
    ------
    ModelError
        If they differ in their number of states, or an entry is not a finite number.
    """
    if not family:
        return np.zeros((0, 0), complex)
    _refuse_unlike(family)
    order = np.argsort([e.period for e in family], kind="stable")
    scales = balance_scales(family[order[0]])
    count = max((e.samples + 1) // 2 for e in family)
    found = np.zeros((len(family), family[0].states), complex)
    way: list[_Reached] = []
    for index in order:
        e = family[index]
        # the highest harmonic of an even number of samples is zero, as in [Schwab2002] (4.5)
        known = e.state_harmonics
        A = np.zeros((count, *known.shape[1:]), complex)
        np.multiply(known, scales / scales[:, None] / e.frequency, out=A[: len(known)])
        now = _Coefficients(A)
        transform = _next(way, now)
        values = None if transform is None else transform.exponents(scales / balance_scales(e))
        if transform is None or values is None:
            values = hill_exponents(e, e.most_harmonics) / e.frequency
            way = []
        else:
            resonances = transform.strong_resonances()
            way = [*way[-1:], _Reached(now, transform.basis)]
            if resonances:
                way = [_Reached(now, transform.basis.combined(resonances))]
        found[index] = sorted_exponents(e.frequency * values)
    return found


def _refuse_unlike(family: Sequence[PeriodicEquations]) -> None:
    for e in family:
        if e.states != family[0].states:
            raise ModelError(
                f"exponents_along: {e.name} has {e.states} states, {family[0].name} has "
                f"{family[0].states}; give equations of one system"
            )
        if not (np.isfinite(e.P).all() and np.isfinite(e.Q).all()):
            raise ModelError(
                f"exponents_along: {e.name}: a coefficient is not a finite number; check "
                "parameters and inputs"
            )


@dataclass(frozen=True)
class _Reached:
    """Equations whose transform is known."""

    coefficients: _Coefficients
    basis: Basis


def _next(way: list[_Reached], now: _Coefficients) -> Transform | None:
    """Return the transform from those of other equations, the last ones at the end, or None."""
    if len(way) > 1:
        before, last = way
        step = last.coefficients.step(before.coefficients, now)
        places = last.basis.places
        alike = before.basis.places == places and now.places <= places
        if alike and abs(step) <= FARTHEST:
            found = transformed(now.at(places), last.basis.beyond(before.basis, step))
            if found is not None and not found.is_cut:
                return found
    if way:
        found = _with_places(way[-1], now)
        if found is not None:
            return found
    try:
        basis = mean_basis(now.harmonics[0].real, now.places)
    except np.linalg.LinAlgError:
        return None
    return _with_places(_Reached(now.mean, basis), now)


def _with_places(last: _Reached, now: _Coefficients) -> Transform | None:
    """Return the transform from that of other equations, with as many places as it needs."""
    places = max(last.basis.places, now.places)
    while places <= MOST_PLACES:
        begin = _Reached(last.coefficients, last.basis.at(places))
        found = _continued(begin, now, HALVINGS)
        if found is not None and not found.is_cut:
            return found
        places = odd_places(int(1.4 * places))
    return None


def _continued(last: _Reached, now: _Coefficients, halvings: int) -> Transform | None:
    """Return the transform from that of other equations, in two steps where one is too large."""
    found = transformed(now.at(last.basis.places), last.basis)
    if found is not None or halvings == 0:
        return found
    middle = last.coefficients.halfway(now)
    between = _continued(last, middle, halvings - 1)
    if between is None:
        return None
    return _continued(_Reached(middle, between.basis), now, halvings - 1)
