"""Surfaces that a body of a planar bearing touches: the sleeve from inside, and a plane.

Each gives depth and velocities by the displacement (x, y) of the body's centre on the axes of the
surface, and their derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import casadi as ca

SMOOTHING = 1e-12
"""Radius, m, within which the eccentricity is smoothed: a centred journal has no direction."""
Pair = tuple[ca.SX, ca.SX]


class Surface(Protocol):
    """The surface below a body's centre at (x, y)."""

    def depth(self, at: Sequence[ca.SX]) -> Pair:
        """Return a distance with the rounding errors of the depth, and the depth, m."""

    def into(self, at: Sequence[ca.SX]) -> Pair:
        """Return the direction into the surface, a unit vector on its axes."""

    def rates(self, at: Sequence[ca.SX], rates: Sequence[ca.SX]) -> Pair:
        """Return the centre's velocity along the surface, and into it, m/s."""

    def accelerations(
        self, at: Sequence[ca.SX], rates: Sequence[ca.SX], accelerations: Sequence[ca.SX]
    ) -> Pair:
        """Return the derivatives of both velocities, m/s2."""


@dataclass(frozen=True)
class Sleeve:
    """A sleeve around a journal, with the radial clearance ``gap``, m; counter-clockwise along."""

    gap: ca.SX

    def depth(self, at: Sequence[ca.SX]) -> Pair:
        """Return a distance and the depth, m."""
        r = eccentricity(*at)
        return r, r - self.gap

    def into(self, at: Sequence[ca.SX]) -> Pair:
        """Return the direction into the surface."""
        (x, y), r = at, eccentricity(*at)
        return x / r, y / r

    def rates(self, at: Sequence[ca.SX], rates: Sequence[ca.SX]) -> Pair:
        """Return the velocity along the surface, and into it, m/s."""
        (x, y), (vx, vy), r = at, rates, eccentricity(*at)
        return (x * vy - y * vx) / r, (x * vx + y * vy) / r

    def accelerations(
        self, at: Sequence[ca.SX], rates: Sequence[ca.SX], accelerations: Sequence[ca.SX]
    ) -> Pair:
        """Return the derivatives of both velocities, m/s2."""
        (x, y), (vx, vy), (ax, ay), r = at, rates, accelerations, eccentricity(*at)
        across, opening = self.rates(at, rates)
        turned = (x * ay - y * ax) / r - across * opening / r
        return turned, (x * ax + y * ay) / r + (vx**2 + vy**2 - opening**2) / r


@dataclass(frozen=True)
class Plane:
    """A plane y = 0 below a body whose surface is ``radius``, m, below its centre; along x."""

    radius: ca.SX

    def depth(self, at: Sequence[ca.SX]) -> Pair:
        """Return a distance and the depth, m."""
        return self.radius, self.radius - at[1]

    def into(self, at: Sequence[ca.SX]) -> Pair:
        """Return the direction into the surface."""
        return ca.SX(0), ca.SX(-1)

    def rates(self, at: Sequence[ca.SX], rates: Sequence[ca.SX]) -> Pair:
        """Return the velocity along the surface, and into it, m/s."""
        return rates[0], -rates[1]

    def accelerations(
        self, at: Sequence[ca.SX], rates: Sequence[ca.SX], accelerations: Sequence[ca.SX]
    ) -> Pair:
        """Return the derivatives of both velocities, m/s2."""
        return accelerations[0], -accelerations[1]


def eccentricity(x: ca.SX, y: ca.SX) -> ca.SX:
    """Return the distance of the centres, m, smooth at zero."""
    return ca.sqrt(x**2 + y**2 + SMOOTHING**2)
