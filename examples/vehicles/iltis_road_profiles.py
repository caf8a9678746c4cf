r"""Roads under the four wheels of a vehicle that drives straight on: a bump, and random roads.

Heights and their exact rates, v dh/dx, as functions of time; the rear wheels meet the front ones'
road later by wheelbase over speed.

**Bump**: h = H/2 (1 - cos(2π x/L)) over its length L.

**Random road** [ISO 8608]: the displacement's power spectral density over the spatial frequency n
is G(n) = G(n_0) (n/n_0)^-2, n_0 = 0.1 1/m, with G(n_0) = 16, 64 and 256 e-6 m³ for the classes A, B
and C; over f = n v it is G/v. The road is periodic here, a sum of cosines of the frequencies k/T
whose amplitudes sqrt(2 G/(v T)) are exact and whose phases are random, so responses are compared
line by line without random error. Left and right track are c + d and c - d, where c has the part
(1 + γ)/2 of G and d the rest: their coherence is γ = exp(-π n b) at the track width b, a choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from mbcore.fmus.iltis.data import AXLES, CORNERS

TRACK = 1.23
"""Distance of the wheels of an axle, m."""
REFERENCE_FREQUENCY = 0.1
"""n_0, 1/m."""
CLASSES = {"A": 16e-6, "B": 64e-6, "C": 256e-6}
"""G(n_0), m³: geometric means of the classes of ISO 8608."""
FADE = 1.0
"""Time in which a random road fades in, s."""

Signal = Callable[[float], float]


def delay(name: str, speed: float) -> float:
    """Return by how much later than the front axle a wheel meets the road, s."""
    return (AXLES["front"] - AXLES[CORNERS[name][0]]) / speed


@dataclass(frozen=True)
class Bump:
    """A cosine bump, which the front axle meets at ``begin``, s; height and length in m."""

    height: float
    length: float
    speed: float
    wheels: tuple[str, ...] = tuple(CORNERS)
    begin: float = 0.2

    def inputs(self) -> dict[str, Signal | float]:
        """Return height and rate under each wheel."""
        found: dict[str, Signal | float] = {}
        for name in self.wheels:
            found[f"{name}.road_height"], found[f"{name}.road_rate"] = self._under(name)
        return found

    def breaks(self) -> list[float]:
        """Return when wheels come onto the bump and leave it, s."""
        times = {self.begin + delay(name, self.speed) for name in self.wheels}
        return sorted(times | {t + self.length / self.speed for t in times})

    def _under(self, name: str) -> tuple[Signal, Signal]:
        start, rate = self.begin + delay(name, self.speed), 2 * np.pi * self.speed / self.length

        def on(t: float) -> bool:
            return 0 < t - start < self.length / self.speed

        def height(t: float) -> float:
            return self.height / 2 * (1 - np.cos(rate * (t - start))) if on(t) else 0.0

        def climb(t: float) -> float:
            return self.height / 2 * rate * np.sin(rate * (t - start)) if on(t) else 0.0

        return height, climb


@dataclass(frozen=True)
class RandomRoad:
    """A periodic road of random phases, which fades in.

    Attributes
    ----------
    roughness : float
        G(n_0), m³.
    speed : float
        m/s.
    period : float
        T, s.
    harmonics : (int, int)
        The first and the last one.
    """

    roughness: float
    speed: float
    period: float = 4.0
    harmonics: tuple[int, int] = (2, 100)
    seed: int = 8608

    @property
    def order(self) -> np.ndarray:
        """Numbers of the harmonics."""
        return np.arange(self.harmonics[0], self.harmonics[1] + 1)

    @property
    def frequency(self) -> np.ndarray:
        """Of the harmonics, Hz."""
        return self.order / self.period

    @property
    def density(self) -> np.ndarray:
        """Of the road's height over frequency, m²/Hz."""
        n = self.frequency / self.speed
        return self.roughness * (n / REFERENCE_FREQUENCY) ** -2 / self.speed

    def amplitudes(self) -> Mapping[str, np.ndarray]:
        """Return the complex amplitudes of the heights, Re Σ a exp(2πi f t), by wheel, m."""
        phases = np.random.default_rng(self.seed).uniform(0, 2 * np.pi, (2, self.order.size))
        coherence = np.exp(-np.pi * self.frequency / self.speed * TRACK)
        size = np.sqrt(2 * self.density / self.period)
        common = size * np.sqrt((1 + coherence) / 2) * np.exp(1j * phases[0])
        apart = size * np.sqrt((1 - coherence) / 2) * np.exp(1j * phases[1])
        return {
            name: (common + side * apart)
            * np.exp(-2j * np.pi * self.frequency * delay(name, self.speed))
            for name, (_, side) in CORNERS.items()
        }

    def inputs(self) -> dict[str, Signal | float]:
        """Return height and rate under each wheel."""
        found: dict[str, Signal | float] = {}
        for name, amplitude in self.amplitudes().items():
            found[f"{name}.road_height"], found[f"{name}.road_rate"] = self._under(amplitude)
        return found

    def _under(self, amplitude: np.ndarray) -> tuple[Signal, Signal]:
        omega = 2 * np.pi * self.frequency
        climbing = 1j * omega * amplitude

        def height(t: float) -> float:
            return _fade(t)[0] * float(np.real(amplitude @ np.exp(1j * omega * t)))

        def climb(t: float) -> float:
            wave = np.exp(1j * omega * t)
            now, rate = _fade(t)
            return float(np.real(now * (climbing @ wave) + rate * (amplitude @ wave)))

        return height, climb


def _fade(t: float) -> tuple[float, float]:
    """Return a factor from 0 to 1 over ``FADE``, with two continuous derivatives, and its rate."""
    x = min(t / FADE, 1.0)
    return x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x) ** 2 / FADE
