"""The linear equations of the slider-crank with an elastic rod, derived without elements.

Two cubics make the line of the rod, with four coordinates: the midpoint's deflection v, and slopes
at the ends and in the middle. Kinetic energy is that of the points of this line, integrated by
Gauss; Lagrange's equations are linearized about the straight rod. All lengths in m.

Where a point of the line is along the rod matters to second order in the coordinates. As in a
planar beam, both coordinates of an element's points are cubics, whose slopes at the ends are unit
vectors (``"cubic"``); or points are displaced across the line between the rod's ends, and along it
by what their arc, or the chord of their element, is shortened (``"across"``), as the references of
`examples.vibration.slider_crank_periodic` have it.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import casadi as ca
import numpy as np

from mbcore.examples.vibration.elastic_slider_crank import (
    CRANK,
    FIRST_FREQUENCY,
    MASS_PER_LENGTH,
    PLUNGER_MASS,
    ROD,
    STIFFNESS,
    Elongation,
)
from mbcore.vibration import PeriodicEquations

Place = Literal["cubic", "across"]
HALF = ROD / 2
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(6)
POINTS, WEIGHTS = (POINTS + 1) / 2, WEIGHTS / 2
Pair = tuple[ca.SX, ca.SX]


def _values(xi: float, at: tuple[ca.SX, ...]) -> ca.SX:
    """Return the cubic with value and slope at both ends (v_p, v_p' l, v_q, v_q' l) at ξ."""
    shapes = (
        1 - 3 * xi**2 + 2 * xi**3,
        xi - 2 * xi**2 + xi**3,
        3 * xi**2 - 2 * xi**3,
        xi**3 - xi**2,
    )
    return sum((s * v for s, v in zip(shapes, at, strict=True)), ca.SX(0))


def _slope(xi: float, at: tuple[ca.SX, ...]) -> ca.SX:
    shapes = (-6 * xi + 6 * xi**2, 1 - 4 * xi + 3 * xi**2, 6 * xi - 6 * xi**2, 3 * xi**2 - 2 * xi)
    return sum((s * v for s, v in zip(shapes, at, strict=True)), ca.SX(0)) / HALF


def _line(
    pin: ca.SX, q: ca.SX, elongation: Elongation, place: Place
) -> tuple[ca.SX, list[tuple[float, ca.SX]]]:
    """Return the plunger's position, and weights and positions of the rod's points."""
    v, middle, first, last = ca.vertsplit(q)
    ends = ((ca.SX(0), HALF * first, v, HALF * middle), (v, HALF * middle, ca.SX(0), HALF * last))

    def shortened(element: int, xi: float) -> ca.SX:
        if elongation == "chord":
            return (v / HALF) ** 2 / 2 * HALF * xi
        parts = (
            w * _slope(x * xi, ends[element]) ** 2 for x, w in zip(POINTS, WEIGHTS, strict=True)
        )
        return sum(parts, ca.SX(0)) * HALF * xi / 2

    spans = [HALF - shortened(element, 1.0) for element in (0, 1)]
    tilt = -ca.asin(pin[1] / (spans[0] + spans[1]))
    along = ca.vertcat(ca.cos(tilt), ca.sin(tilt))
    across = ca.vertcat(-along[1], along[0])
    plunger = pin + (spans[0] + spans[1]) * along
    nodes = (pin, pin + spans[0] * along + v * across, plunger)
    turned = (first, middle, last)
    found = []
    for element in (0, 1):
        begin = spans[0] if element else ca.SX(0)
        for xi, weight in zip(POINTS, WEIGHTS, strict=True):
            if place == "across":
                s = begin + HALF * xi - shortened(element, xi)
                point = pin + s * along + _values(xi, ends[element]) * across
            else:
                p, r = nodes[element], nodes[element + 1]
                tangents = [
                    HALF * (ca.cos(a) * along + ca.sin(a) * across)
                    for a in turned[element : element + 2]
                ]
                at = [(p[i], tangents[0][i], r[i], tangents[1][i]) for i in (0, 1)]
                point = ca.vertcat(*(_values(xi, component) for component in at))
            found.append((HALF * float(weight), point))
    return plunger, found


@cache
def _matrices(elongation: Elongation, place: Place, damping: float) -> ca.Function:
    """Return M, C, K and f of [Schwab2002] (2.11) by time, s, and speed, rad/s."""
    q, rates, accelerations = (ca.SX.sym(name, 4) for name in ("q", "v", "a"))
    time, speed = ca.SX.sym("t"), ca.SX.sym("w")
    pin = CRANK * ca.vertcat(ca.cos(speed * time), ca.sin(speed * time))
    plunger, points = _line(pin, q, elongation, place)
    kinetic = ca.SX(0)
    for mass, position in [
        (PLUNGER_MASS, plunger),
        *((MASS_PER_LENGTH * length, point) for length, point in points),
    ]:
        velocity = ca.jtimes(position, q, rates) + ca.jacobian(position, time)
        kinetic += mass / 2 * ca.dot(velocity, velocity)
    v, middle, first, last = ca.vertsplit(q)
    elastic = ca.SX(0)
    for p, r in ((first - v / HALF, middle - v / HALF), (middle + v / HALF, last + v / HALF)):
        elastic += 2 * STIFFNESS / HALF * (p**2 + p * r + r**2)
    stiffness = ca.hessian(elastic, q)[0]
    momentum = ca.gradient(kinetic, rates)
    force = (
        ca.jtimes(momentum, rates, accelerations)
        + ca.jtimes(momentum, q, rates)
        + ca.jacobian(momentum, time)
        - ca.gradient(kinetic - elastic, q)
        + 2 * damping / FIRST_FREQUENCY * stiffness @ rates
    )
    straight = ca.vertcat(q, rates, accelerations)
    rows = [ca.jacobian(force, x) for x in (accelerations, rates, q)] + [force]
    at_zero = ca.substitute(rows, [straight], [ca.SX.zeros(12)])
    return ca.Function("rod", [time, speed], at_zero)


def by_hand(
    elongation: Elongation, place: Place, speed: float, damping: float, samples: int = 64
) -> PeriodicEquations:
    """Return the linear equations; the first unknown is the midpoint's deflection v, m."""
    times = 2 * np.pi / speed / samples * np.arange(samples)
    matrices = _matrices(elongation, place, damping)
    P, Q, r = [], [], []
    for time in times:
        M, C, K, f = (np.array(matrix) for matrix in matrices(time, speed))
        P.append(np.linalg.solve(M, C))
        Q.append(np.linalg.solve(M, K))
        r.append(-np.linalg.solve(M, f)[:, 0])
    return PeriodicEquations(
        "rod by hand", 2 * np.pi / speed, np.array(P), np.array(Q), np.array(r)
    )
