"""Forces of subsystems that are not in the nominal motion, [Schwab2002] (2.11), (2.14), (2.15).

The model has inputs for the forces, zero in the nominal motion, and outputs for the displacements
of the points at which they act. Velocities and accelerations of these points follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.linear.no_derivative import told
from mbcore.linear.nominal_matrices import NominalMatrices
from mbcore.model import near_names
from mbcore.model.calls import explains_construction
from mbcore.model.errors import ModelError

OWNER = "applied force"
REPEATS = 1e-6
"""Relative difference of a force after one period that counts as periodic."""
INDEPENDENT = 1e-12
"""Derivative, relative to the largest, below which an output does not depend on a rate."""

Law = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


@explains_construction
@dataclass(frozen=True)
class AppliedForce:
    """force(t) + law(Δy, Δẏ, t) - K Δy - C Δẏ - M Δÿ of small Δy, [Schwab2002] (2.14).

    Attributes
    ----------
    inputs : sequence of str
        Inputs of the model that are the forces, ni.
    outputs : sequence of str
        Outputs of the model that are the displacements, no; they may depend on no rate.
    stiffness, damping, mass : array_like, optional
        K, C, M, shape (ni, no), or (n, ni, no) at the samples of the nominal motion. M is that of a
        body whose velocity is Δẏ. N/m, N.s/m and kg where the outputs are lengths.
    force : callable or array_like, optional
        Force at zero displacement: a function of the time in s that returns ni numbers, or such
        numbers, or (n, ni) at the samples.
    law : callable, optional
        Forces (n, ni) by displacements (n, no), velocities (n, no) and times (n,), of all samples
        at once. They may be nonlinear; each sample depends on its own values only.
    """

    inputs: Sequence[str]
    outputs: Sequence[str]
    stiffness: object = None
    damping: object = None
    mass: object = None
    force: object = None
    law: Law | None = None

    def __post_init__(self) -> None:
        for what in ("inputs", "outputs"):
            given = getattr(self, what)
            if isinstance(given, str) or not all(isinstance(name, str) for name in given):
                raise ModelError(f'{OWNER}: {what} = {given!r}; give names, as in ("f_x", "f_y")')
            object.__setattr__(self, what, tuple(given))
        if self.law is not None and not callable(self.law):
            raise ModelError(f"{OWNER}: law = {self.law!r}; give a function of (y, v, t)")
        parts = (self.stiffness, self.damping, self.mass, self.force, self.law)
        if all(part is None for part in parts):
            raise ModelError(
                f"{OWNER} on {', '.join(self.inputs)}: it has no stiffness, damping, mass, force "
                "or law; give one of them"
            )

    def matrix(self, what: str, samples: int) -> np.ndarray:
        """Return K, C or M, by the name ``what``, at all samples, zeros for none, (n, ni, no).

        Raises
        ------
        ModelError
            If its shape does not fit, or a value is not finite.
        """
        given, shape = getattr(self, what), (len(self.inputs), len(self.outputs))
        found = np.zeros(shape) if given is None else _array(what, given)
        if found.shape not in (shape, (samples, *shape)):
            raise ModelError(
                f"{OWNER}: {what} has the shape {found.shape}; {len(self.inputs)} inputs and "
                f"{len(self.outputs)} outputs need {shape}"
            )
        return np.broadcast_to(found, (samples, *shape))

    def at_rest(self, time: np.ndarray, period: float) -> np.ndarray:
        """Return the force at zero displacement at each ``time``, s, of a ``period``, s, (n, ni).

        Raises
        ------
        ModelError
            If it has another number of components, is not finite, or not periodic.
        """
        count = len(self.inputs)
        if self.force is None:
            return np.zeros((time.size, count))
        if not callable(self.force):
            given = _array("force", self.force)
            if given.shape == (time.size, count):
                return given
            return np.broadcast_to(_of_size("force", given, count), (time.size, count))
        each = [_of_size("force", self.force(float(t)), count) for t in (*time, *(time + period))]
        values, later = np.array(each[: time.size]), np.array(each[time.size :])
        change = np.abs(later - values).max(axis=0)
        if np.any(change > REPEATS * np.abs(each).max(axis=0)):
            name = self.inputs[int(np.argmax(change))]
            raise ModelError(
                f"{OWNER}: the force on {name} changes by {change.max():.6g} in the period of "
                f"{period:.6g} s; give one that has this period"
            )
        return values


def _array(what: str, given: object) -> np.ndarray:
    try:
        found = np.asarray(given, float)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if not np.all(np.isfinite(found)):
        raise ModelError(f"{OWNER}: {what} = {given!r}; give finite numbers")
    return found


def _of_size(what: str, given: object, count: int) -> np.ndarray:
    found = np.atleast_1d(_array(what, given))
    if found.shape != (count,):
        raise ModelError(f"{OWNER}: {what} has the shape {found.shape}; give {count} numbers")
    return found


@dataclass(frozen=True)
class Displacements:
    """Δy, Δẏ and Δÿ by the states and by the accelerations, [Schwab2002] (2.15).

    Attributes
    ----------
    position, velocity, acceleration : ndarray, shape (n, no, ns)
        Derivatives by the states.
    by_acceleration : ndarray, shape (n, no, nd)
        Derivatives of Δÿ by q̈ of the degrees of freedom.
    """

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    by_acceleration: np.ndarray


def displacements(
    equations: Equations, matrices: NominalMatrices, period: float, names: Sequence[str]
) -> Displacements:
    """Return the matrices of displacements and their derivatives by the states.

    Raises
    ------
    ModelError
        If an output is unknown or depends on rates.
    """
    known = [record.name for record in equations.outputs]
    chosen = _places("output", names, known)
    S, nd = matrices.output_by_state[:, chosen], equations.dofs
    by_rates = np.concatenate([S[..., :nd], matrices.output_by_acceleration[:, chosen]], axis=2)
    for i, name in enumerate(names):
        if np.isnan(S[:, i]).any():
            raise ModelError(f"{OWNER}: {told([name], 'in the nominal motion')}")
        if np.abs(by_rates[:, i]).max(initial=0.0) > INDEPENDENT * np.abs(S[:, i]).max(initial=0.0):
            raise ModelError(
                f"{OWNER}: output {name} depends on rates or accelerations; give the displacement, "
                "from which its velocity follows"
            )
    nv = nd - equations.speeds
    values = np.concatenate([matrices.A, matrices.B], axis=2)  # rates of kinematic coordinates
    moves = np.zeros((S.shape[0], S.shape[2] - nd, S.shape[2]))
    moves[:, range(nv), range(nv)] = 1.0
    moves[:, nv:] = values
    # [Schwab2002] (2.15)
    velocity = _derivative(S, period) + S[..., nd:] @ moves
    acceleration = _derivative(velocity, period) + velocity[..., nd:] @ moves
    return Displacements(S, velocity, acceleration, velocity[..., :nd])


def _derivative(samples: np.ndarray, period: float) -> np.ndarray:
    """Return the time derivative of periodic samples."""
    n = samples.shape[0]
    turning = 2j * np.pi / period * np.arange(n // 2 + 1)
    if n % 2 == 0:
        turning[-1] = 0.0
    spectrum = np.fft.rfft(samples, axis=0)
    return np.fft.irfft(turning[:, None, None] * spectrum, n, axis=0)


def _places(what: str, names: Sequence[str], known: Sequence[str]) -> list[int]:
    for name in names:
        if name not in known:
            raise ModelError(f"{OWNER}: {near_names.unknown(what, name, known)}")
    return [known.index(name) for name in names]


def with_force(
    equations: Equations,
    matrices: NominalMatrices,
    time: np.ndarray,
    period: float,
    applied: AppliedForce,
) -> NominalMatrices:
    """Return the equations of [Schwab2002] (2.11) with the linear part of a force.

    Raises
    ------
    ModelError
        If a name is unknown, a shape wrong, or a kinematic coordinate's rate depends on an input.
    """
    n = time.size
    inputs = _places("input", applied.inputs, [record.name for record in equations.inputs])
    if np.any(matrices.B_u[..., inputs]):
        raise ModelError(
            f"{OWNER}: rates of kinematic coordinates depend on {', '.join(applied.inputs)}; such "
            "an input is not a force"
        )
    y = displacements(equations, matrices, period, applied.outputs)
    K, C, M = (applied.matrix(what, n) for what in ("stiffness", "damping", "mass"))
    # [Schwab2002] (2.14)
    by_state = -(K @ y.position + C @ y.velocity + M @ y.acceleration)
    by_acceleration = -(M @ y.by_acceleration)
    at_rest = applied.at_rest(time, period)
    F, G, nd = matrices.F[..., inputs], matrices.output_by_input[..., inputs], equations.dofs
    return replace(
        matrices,
        M=matrices.M - F @ by_acceleration,
        C=matrices.C - F @ by_state[..., :nd],
        K=matrices.K - F @ by_state[..., nd:],
        f=matrices.f - np.einsum("ndi,ni->nd", F, at_rest),
        outputs=matrices.outputs + np.einsum("nyi,ni->ny", G, at_rest),
        output_by_state=matrices.output_by_state + G @ by_state,
        output_by_acceleration=matrices.output_by_acceleration + G @ by_acceleration,
    )
