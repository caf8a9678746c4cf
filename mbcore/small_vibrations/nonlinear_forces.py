"""Periodic motions with nonlinear applied forces, by alternating time and frequency domain.

The laws are evaluated in time, and the equations linearized about the last motion are solved by
harmonic balance. The laws have few arguments, so their derivatives are finite differences.

Used by `mbcore.small_vibrations.nominal_motion` alone; it stands apart because it iterates, and the
equations themselves are linear.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.linear.nominal_matrices import NominalMatrices
from mbcore.model.errors import ModelError, SimulationError
from mbcore.small_vibrations.applied_forces import (
    REPEATS,
    AppliedForce,
    Displacements,
    displacements,
    with_force,
)
from mbcore.small_vibrations.linear_balance import SmallMotion, balance
from mbcore.small_vibrations.small_equations import accelerations, normal_form

STEP = 1e-6
"""Step of the finite differences, relative to the displacement or velocity."""
CONVERGED = 1e-10
"""Change of all displacements, in parts of the largest, at which iteration ends."""
ITERATIONS = 60


@dataclass(frozen=True)
class _Along:
    """Displacements and velocities at the points of an applied force along a motion, (n, no)."""

    y: np.ndarray
    v: np.ndarray


def balanced_with(
    equations: Equations,
    matrices: NominalMatrices,
    time: np.ndarray,
    period: float,
    laws: Sequence[AppliedForce],
    harmonics: int,
) -> tuple[NominalMatrices, SmallMotion, int]:
    """Return the periodic small motion, the equations linearized about it, and the iterations.

    Raises
    ------
    ModelError
        If a law returns no numbers of the right shape, or there is no periodic solution.
    SimulationError
        If the iteration does not end.
    """

    def solved(matrices: NominalMatrices) -> SmallMotion:
        form = normal_form(equations, matrices, period, *accelerations(equations, matrices))
        return balance(form, harmonics)

    motion = solved(matrices)
    places = [displacements(equations, matrices, period, law.outputs) for law in laws]
    before = [_along(place, motion) for place in places]
    for law, at in zip(laws, before, strict=True):
        _refuse_other_period(law, at, time, period)
    for count in range(1, ITERATIONS + 1):
        about = matrices
        for law, at in zip(laws, before, strict=True):
            about = with_force(equations, about, time, period, _linearized(law, at, time))
        motion = solved(about)
        after = [_along(place, motion) for place in places]
        if _settled(before, after):
            return about, motion, count
        before = after
    raise SimulationError(
        f"{equations.name}: no periodic motion of {period:.6g} s with the nonlinear applied forces "
        f"is found in {ITERATIONS} iterations; take more samples and harmonics, or a weaker force"
    )


def _refuse_other_period(law: AppliedForce, at: _Along, time: np.ndarray, period: float) -> None:
    """Refuse a law that is not periodic.

    Raises
    ------
    ModelError
        Naming the largest change.
    """
    now, later = _value(law, at.y, at.v, time), _value(law, at.y, at.v, time + period)
    change = float(np.abs(later - now).max(initial=0.0))
    if change > REPEATS * np.abs(now).max(initial=0.0):
        raise ModelError(
            f"applied force on {', '.join(law.inputs)}: its law changes by {change:.6g} in the "
            f"period of {period:.6g} s, with the same displacements; give one that has this period"
        )


def _along(place: Displacements, motion: SmallMotion) -> _Along:
    n = place.position.shape[0]
    x = np.fft.irfft(motion.state_coefficients * n, n, axis=0)
    y, v = (np.einsum("nys,ns->ny", part, x) for part in (place.position, place.velocity))
    return _Along(y, v)


def _linearized(law: AppliedForce, at: _Along, time: np.ndarray) -> AppliedForce:
    """Return the linearization of a law about a motion, without the linear parts.

    Raises
    ------
    ModelError
        If the law returns another shape or values that are not finite.
    """
    value = _value(law, at.y, at.v, time)
    by_y = _differenced(lambda y: _value(law, y, at.v, time), at.y, value.shape)
    by_v = _differenced(lambda v: _value(law, at.y, v, time), at.v, value.shape)
    rest = value - np.einsum("nij,nj->ni", by_y, at.y) - np.einsum("nij,nj->ni", by_v, at.v)
    return replace(law, stiffness=-by_y, damping=-by_v, mass=None, force=rest, law=None)


def _differenced(
    force: Callable[[np.ndarray], np.ndarray], at: np.ndarray, shape: tuple[int, ...]
) -> np.ndarray:
    """Return derivatives of a force at all samples by central differences, (n, ni, no)."""
    found = np.empty((*shape, at.shape[1]))
    step = STEP * max(float(np.abs(at).max(initial=0.0)), 1e-9)
    for j in range(at.shape[1]):
        change = np.zeros_like(at)
        change[:, j] = step
        found[:, :, j] = (force(at + change) - force(at - change)) / (2 * step)
    return found


def _value(law: AppliedForce, y: np.ndarray, v: np.ndarray, time: np.ndarray) -> np.ndarray:
    assert law.law is not None
    shape = (time.size, len(law.inputs))
    names = ", ".join(law.inputs)
    found = np.asarray(law.law(y, v, time), float)
    if found.shape != shape:
        raise ModelError(
            f"applied force on {names}: its law returns the shape {found.shape}; give {shape}, one "
            "row for each time"
        )
    if not np.all(np.isfinite(found)):
        i = int(np.flatnonzero(~np.isfinite(found).all(axis=1))[0])
        raise ModelError(
            f"applied force on {names}: its law returns {found[i]} at y = {y[i]}, v = {v[i]}"
        )
    return found


def _settled(before: Sequence[_Along], after: Sequence[_Along]) -> bool:
    size = max(float(np.abs(a.y).max(initial=0.0)) for a in after)
    pairs = zip(after, before, strict=True)
    change = max(float(np.abs(a.y - b.y).max(initial=0.0)) for a, b in pairs)
    return change <= CONVERGED * max(size, 1e-300)
