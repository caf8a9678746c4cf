r"""Friction of a small round contact that slides and spins at once: Contensou's coupling.

Every point of the contact rubs against its own velocity, so that a contact that spins hardly
resists a slow sliding, and the other way round. With Hertz's pressure on a circle of radius a, the
sliding speed v of its middle and the spin ω, u = a ω, force and moment are

    F = μ N f(u/v),    M = μ N a (3π/16) g(u/v).

The integrals f and g are replaced by rational functions of the squares, as Zhuravlev replaced them
by Padé's approximations. They have the integrals' values and slopes at both ends,

    f = 1 - κ²/10, 3π/(8 κ),    g = 16 κ/(15π), 1 - 1/κ²,    κ = u/v,

and one number each that keeps the largest error small: 0.0205 in f, and 0.0313 in g.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from mbcore.elements.friction.rubbing import Limits, length

SPINNING = 3 * np.pi / 16
"""M / (μ N a) of a contact that spins only."""
CURVED = 0.2
"""Decrease of f² with κ² where the contact slides."""
STEEP = (3 * np.pi / 8) ** 2
"""(κ f)² where it spins."""
FLAT = (16 / (15 * np.pi)) ** 2
"""(g / κ)² where it slides."""
SLIDING_MIDDLE, SPINNING_MIDDLE = 0.376, 0.128
"""Numbers with which the largest errors of f and g are least."""


def shares(v: ca.SX, u: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return f / v and g / u, s/m, of the squares of v and u, m2/s2, which are not both zero."""
    a, c = SLIDING_MIDDLE, SPINNING_MIDDLE
    f = ca.sqrt((v + a * u) / (v**2 + (a + CURVED) * v * u + a / STEEP * u**2))
    g = ca.sqrt((FLAT * v + c * u) / (v**2 + (FLAT + 2 * c) * v * u + c * u**2))
    return f, g


def contact_area(load: ca.SX, coefficient: ca.SX, static: ca.SX, viscous: ca.SX) -> Limits:
    """Return the limits for velocities along the surface, and a ω as the last one.

    Their ellipse limits what holds a contact that sticks. It lies outside of what resists a
    sliding one, by up to 7 %.
    """

    def sliding(direction: ca.SX, by: ca.SX) -> ca.SX:
        along, spin = direction[:-1], direction[-1]
        f, g = shares(ca.dot(along, along), spin**2)
        return by * load * ca.vertcat(f * along, SPINNING * g * spin)

    def excess(forces: ca.SX) -> ca.SX:
        return length(ca.vertcat(forces[:-1], forces[-1] / SPINNING)) - static * load

    def largest(n: int) -> ca.SX:
        return static * load * ca.vertcat(ca.SX.ones(n - 1), SPINNING)

    def onset(forces: ca.SX) -> ca.SX:
        return ca.vertcat(forces[:-1], forces[-1] / SPINNING**2)

    return Limits(sliding, coefficient, static, viscous, static > 0, excess, largest, onset)
