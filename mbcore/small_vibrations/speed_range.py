"""Nominal motions over a range of speeds, from three of them.

Where prescribed motions are functions of speed times time, the equations at a place of the turn are
polynomials of second degree in the speed: masses do not depend on it, gyroscopic terms are linear,
accelerations quadratic ([Schwab2002] (2.13)). Three motions determine these polynomials exactly; a
fourth one checks them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mbcore.equations.equations import Equations, checked_equations
from mbcore.host.backend import Backend, takes_backend
from mbcore.linear.nominal_matrices import NominalMatrices
from mbcore.model import checks, near_names, summary
from mbcore.model.calls import explains_arguments
from mbcore.model.errors import ModelError
from mbcore.model.variables import Value
from mbcore.small_vibrations.gross_motion import sampled_motion
from mbcore.small_vibrations.nominal_motion import NominalMotion
from mbcore.small_vibrations.periodic_equations import Family, Mixture
from mbcore.small_vibrations.small_equations import doubtful

OWNER = "nominal_range"
PLACES = (0.0, 0.5, 1.0)
"""Positions of the three motions in the range."""
TRIED, TRIED_PLACES = 0.29, 16
"""Position of the fourth one, which checks the others, and at how many places of the turn at least.
"""
AGREES = 1e-8
"""Difference of a matrix from its polynomial, relative to its largest entry, that is allowed."""
SAME = 1e-13
"""Difference of masses, in parts of the diagonal's, that is rounding."""
ROUNDING = 1e-10
"""Size of a sum, relative to its terms, that may be rounding."""
NAMES = tuple(NominalMatrices.__dataclass_fields__)


@dataclass(frozen=True, repr=False)
class NominalRange(summary.Summarized):
    """Nominal motions with the period turn/speed, over a range of the speed.

    Attributes
    ----------
    equations : Equations
        The system.
    speed : str
        Name of the parameter, rad/s.
    turn : float
        Angle in which the motion repeats, rad.
    motions : tuple of NominalMotion
        At the low end, in the middle and at the high end.
    """

    equations: Equations
    speed: str
    turn: float
    motions: tuple[NominalMotion, ...]

    def _title(self) -> str:
        return f"nominal motions of {self.equations.name}"

    def _facts(self) -> list[str]:
        low, _, high = self._speeds
        return [f"{self.speed} from {low:g} to {high:g}"]

    @property
    def _speeds(self) -> tuple[float, ...]:
        return tuple(float(motion.parameters[self.speed]) for motion in self.motions)

    def at(self, speed: Value) -> NominalMotion:
        """Return the nominal motion at a speed, rad/s, within the range.

        Raises
        ------
        ModelError
            If it is outside.
        """
        low, _, high = self._speeds
        value = checks.real(OWNER, self.speed, speed, least=low, most=high, unit="rad/s")
        weights = np.array(
            [np.prod([(value - b) / (a - b) for b in self._speeds if b != a]) for a in self._speeds]
        )
        first, mixed = self.motions[0], weights @ self._values
        parts = [
            part.reshape(shape)
            for part, shape in zip(np.split(mixed, self._ends), self._shapes, strict=True)
        ]
        period = self.turn / value
        found = replace(
            first,
            period=period,
            time=period / first.time.size * np.arange(first.time.size),
            matrices=NominalMatrices(*parts[: len(NAMES)]),
            parameters={**first.parameters, self.speed: value},
        )
        if self._has_one_mass:
            # as the motion would find them itself, by solving
            found.__dict__["accelerations"] = tuple(parts[len(NAMES) :])
            found.small_motions.__dict__["mixture"] = Mixture(self._family, weights)
        return found

    @cached_property
    def _family(self) -> Family:
        """The small motions' equations of the three motions, of which others are mixtures."""
        return Family(tuple(motion.small_motions for motion in self.motions))

    @cached_property
    def _parts(self) -> list[list[np.ndarray]]:
        """Matrices of each motion, then its accelerations where these are polynomials, too."""
        found = [[getattr(motion.matrices, name) for name in NAMES] for motion in self.motions]
        if self._has_one_mass:
            for parts, motion in zip(found, self.motions, strict=True):
                parts += motion.accelerations
        return found

    @cached_property
    def _shapes(self) -> list[tuple[int, ...]]:
        return [part.shape for part in self._parts[0]]

    @cached_property
    def _ends(self) -> np.ndarray:
        """Where each of the parts but the last one ends among all numbers of a motion."""
        return np.cumsum([part.size for part in self._parts[0]])[:-1]

    @cached_property
    def _values(self) -> np.ndarray:
        """All numbers of each motion, shape (3, k)."""
        return np.array([np.concatenate([p.ravel() for p in parts]) for parts in self._parts])

    @cached_property
    def _has_one_mass(self) -> bool:
        """Whether masses are the same at all speeds, so that accelerations are polynomials too.

        Singular ones are refused where a motion is asked for its accelerations, not before.
        """
        first, *others = (motion.M for motion in self.motions)
        if doubtful(first).any():
            return False
        size = np.sqrt(np.abs(np.einsum("nii->ni", first)))
        bound = SAME * size[:, :, None] * size[:, None, :]
        return all(bool((np.abs(M - first) <= bound).all()) for M in others)


@explains_arguments
@takes_backend
def nominal_range(
    equations: Equations,
    speed: str,
    between: Sequence[Value],
    *,
    turn: float = 2 * np.pi,
    samples: int = 64,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    start: Mapping[str, float] | None = None,
    backend: Backend = "auto",
) -> NominalRange:
    """Return nominal motions over a range of a driving speed, at the cost of some three.

    Parameters
    ----------
    equations : Equations
        The system. Prescribed motions depend on time only through speed times time, and forces
        depend on the speed itself at most as polynomials of second degree.
    speed : str
        Name of the parameter that is the speed, rad/s.
    between : sequence of two
        The lowest and the highest speed; positive.
    turn : float
        Angle in which the motion repeats, rad: the period is turn/speed.
    samples, parameters, inputs, start, backend
        As for ``nominal_motion``; inputs are constant.

    Raises
    ------
    ModelError
        If the matrices or states are not polynomials of second degree in the speed: names the
        matrix; and what ``nominal_motion`` refuses.
    ConfigurationError
        If a configuration is singular.
    """
    known = [record.name for record in checked_equations(OWNER, equations).parameters]
    if speed not in known:
        raise ModelError(f"{OWNER}: {near_names.unknown('parameter', speed, known)}")
    several = isinstance(between, Iterable) and not isinstance(between, str)
    given = tuple(between) if several else ()
    if len(given) != 2:
        raise ModelError(f"{OWNER}: between = {between!r}; give the lowest and the highest speed")
    low = checks.real(OWNER, "lowest speed", given[0], above=0, unit="rad/s")
    high = checks.real(OWNER, "highest speed", given[1], above=low, unit="rad/s")
    angle = checks.real(OWNER, "turn", turn, above=0, unit="rad")
    if any(callable(value) for value in (inputs or {}).values()):
        raise ModelError(
            f"{OWNER}: an input is a function of time; make it a function of {speed} times time in "
            "the model, or use nominal_motion at each speed"
        )

    def at(place: float, count: int, for_series: bool = True) -> NominalMotion:
        value = low + place * (high - low)
        every = {**(parameters or {}), speed: value}
        return sampled_motion(
            equations, angle / value, count, every, inputs, start, for_series=for_series
        )

    found = NominalRange(equations, speed, angle, tuple(at(place, samples) for place in PLACES))
    every = max([1, *(k for k in range(1, samples // TRIED_PLACES + 1) if samples % k == 0)])
    tried = at(TRIED, samples // every, for_series=False)
    _refuse_other_powers(found, tried, every)
    return found


def _refuse_other_powers(found: NominalRange, tried: NominalMotion, every: int) -> None:
    """Compare with a fourth motion at every so many samples; see ``nominal_range``."""
    guessed = found.at(tried.parameters[found.speed])
    first = found.motions[0]
    states = np.abs(tried.states - first.states[::every]).max(initial=0.0)
    size = np.abs(first.states).max(initial=0.0)
    if states > AGREES * max(size, 1.0):
        raise ModelError(
            f"{OWNER}: {found.equations.name}: kinematic coordinates are not the same functions of "
            f"{found.speed} times time at all speeds; use nominal_motion at each speed"
        )
    force = max(float(np.abs(m.matrices.forces).max(initial=0.0)) for m in found.motions)
    for name in NAMES:
        wanted, got = getattr(tried.matrices, name), getattr(guessed.matrices, name)[::every]
        largest = max(
            float(np.abs(getattr(m.matrices, name)).max(initial=0.0)) for m in found.motions
        )
        floor = force if name in ("f", "forces") else 0.0
        change = float(np.abs(wanted - got).max(initial=0.0))
        if change > AGREES * largest + ROUNDING * floor + 1e-13:
            raise ModelError(
                f"{OWNER}: {found.equations.name}: {name} is not a polynomial of second degree in "
                f"{found.speed}: at {tried.parameters[found.speed]:.6g} it differs by {change:.3g} "
                f"of {largest:.3g}; use nominal_motion at each speed"
            )
