"""Events on a curve of solutions: test functions that change sign, and where.

* A fold: the tangent's component along the parameter vanishes.
* A branch point: the determinant of the derivatives, bordered by the tangent, vanishes.
* A Hopf bifurcation, a flip, a Neimark-Sacker bifurcation: the real part of an exponent vanishes.
  Sorted by size, real parts are continuous functions along the curve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from mbcore.continuation.arclength import Curve, LostError
from mbcore.model.errors import ConfigurationError, ModelError, SimulationError

FINE = 1e-10
"""Size of Newton's last step where events are located."""
WIDTH = 1e-11
"""Width, in parts of a step, of the interval in which an event is enclosed."""
NOISE = 1e-9
"""Part of the largest exponent below which a real part counts as zero."""
TOGETHER = 1e-4
"""Parts of a step within which a fold and a branch point are one: the branch point."""


@dataclass(frozen=True)
class Node:
    """A solution on a curve.

    Attributes
    ----------
    y : ndarray, shape (n + 1,)
        Unknowns and parameter.
    direction : ndarray, shape (n + 1,)
        Change along the curve, of any length.
    sign : float
        Sign of the bordered determinant; 0 where it is not known.
    smallest : float
        Smallest singular value of the bordered matrix with that sign.
    exponents : ndarray of complex, shape (ne,)
        Sorted by real part, largest first.
    event : str
        Kind, or "".
    critical : complex
        Exponent on the imaginary axis, of an event.
    """

    y: np.ndarray
    direction: np.ndarray
    sign: float
    smallest: float
    exponents: np.ndarray
    event: str = ""
    critical: complex = 0j

    @property
    def value(self) -> float:
        """Value of the parameter."""
        return float(self.y[-1])

    @property
    def unstable(self) -> int:
        """Number of exponents with positive real parts."""
        noise = NOISE * np.abs(self.exponents[np.isfinite(self.exponents)]).max(initial=0.0)
        return int(np.sum(self.exponents.real > noise))

    def along(self, sizes: np.ndarray) -> np.ndarray:
        """Return the scaled unit tangent, shape (n + 1,)."""
        scaled = self.direction / sizes
        return np.asarray(scaled / np.linalg.norm(scaled))

    def angle(self, scaled: np.ndarray, sizes: np.ndarray) -> float:
        """Return the angle between the curve and a scaled direction, rad."""
        cosine = self.along(sizes) @ scaled / np.linalg.norm(scaled)
        return float(np.arccos(np.clip(cosine, -1.0, 1.0)))


def make_node(curve: Curve, y: np.ndarray, D: np.ndarray, along: np.ndarray) -> Node:
    """Return the node at a solution, with the tangent that points along a scaled direction.

    ``D``, shape (n, n + 1), are the scaled derivatives there.
    """
    tangent = curve.direction(D, along)
    bordered = np.vstack([D, tangent])
    sign = float(np.linalg.slogdet(bordered)[0])
    smallest = sign * float(np.linalg.svd(bordered, compute_uv=False)[-1])
    try:
        exponents = curve.family.exponents(y[:-1], float(y[-1]))
    except (np.linalg.LinAlgError, ConfigurationError, SimulationError, ModelError) as error:
        raise LostError(str(error)) from error
    order = np.lexsort((exponents.imag, -exponents.real))
    return Node(y, tangent * curve.sizes, sign, smallest, exponents[order])


class _Segment:
    """The curve between two nodes, by the part of the way along the line that joins them."""

    def __init__(self, curve: Curve, a: Node, b: Node) -> None:
        self.curve, self.a, self.b = curve, a, b
        chord = (b.y - a.y) / curve.sizes
        self._length = float(np.linalg.norm(chord))
        self._normal = chord / self._length
        self._slopes = []
        for node in (a, b):
            slope = node.direction / curve.sizes
            self._slopes.append(slope * self._length / (slope @ self._normal) * curve.sizes)

    def predicted(self, part: float) -> np.ndarray:
        """Return (x, λ) on the cubic with the tangents of both nodes."""
        s, (p, q) = part, self._slopes
        h = (2 * s**3 - 3 * s**2 + 1, s**3 - 2 * s**2 + s, 3 * s**2 - 2 * s**3, s**3 - s**2)
        return np.asarray(h[0] * self.a.y + h[1] * p + h[2] * self.b.y + h[3] * q)

    def at(self, part: float) -> Node:
        """Return the node at a part of the way."""
        y, D, _ = self.curve.correct(self.predicted(part), self._normal, FINE)
        return make_node(self.curve, y, D, self._normal)

    def flat(self, part: float) -> Node:
        """Return a node on the cubic, for a place where the equations are singular."""
        y, small = self.predicted(part), 1e-6
        along = self.predicted(part + small) - self.predicted(part - small)
        exponents = self.curve.family.exponents(y[:-1], float(y[-1]))
        return Node(y, along, 0.0, 0.0, exponents[np.argsort(-exponents.real)])

    def zero(self, test: Callable[[Node], float]) -> float:
        """Return the part of the way at which a test function vanishes."""

        def value(part: float) -> float:
            try:
                return test(self.a if part == 0.0 else self.b if part == 1.0 else self.at(part))
            except LostError:
                return 0.0  # it is singular there, which is what is looked for

        return float(brentq(value, 0.0, 1.0, xtol=WIDTH, rtol=1e-14))

    def first(self, holds: Callable[[Node], bool]) -> tuple[float, float]:
        """Return parts of the way between which something begins to hold, by bisection."""
        low, high = 0.0, 1.0
        while high - low > WIDTH:
            middle = (low + high) / 2
            low, high = (low, middle) if holds(self.at(middle)) else (middle, high)
        return low, high


def events_between(curve: Curve, a: Node, b: Node) -> list[Node]:
    """Return the events between two successive nodes, in order."""
    segment = _Segment(curve, a, b)
    found: list[tuple[float, Node]] = []
    singular = []
    if a.sign and b.sign and a.sign != b.sign:
        part = segment.zero(lambda node: node.smallest)
        singular.append(part)
        found.append((part, _named(segment, part, "branch")))
    if not a.event and a.direction[-1] * b.direction[-1] < 0:
        part = segment.zero(lambda node: float(node.direction[-1]) / curve.sizes[-1])
        if all(abs(part - other) > TOGETHER for other in singular):
            found.append((part, _named(segment, part, "fold")))
    found += _crossings(segment, bool(found))
    return [node for _, node in sorted(found, key=lambda pair: pair[0])]


def _named(segment: _Segment, part: float, kind: str) -> Node:
    try:
        node = segment.at(part)
    except LostError:
        node = segment.flat(part)
    if kind == "branch":  # its own tangent is not known from the derivatives
        node = replace(node, direction=segment.flat(part).direction, sign=0.0)
    critical = node.exponents[np.argmin(np.abs(node.exponents))] if node.exponents.size else 0j
    return replace(node, event=kind, critical=complex(critical))


def _crossings(segment: _Segment, known: bool) -> list[tuple[float, Node]]:
    """Return where exponents cross the imaginary axis as pairs, or as flips.

    ``known`` says that a fold or branch point is, where one crosses it through zero.
    """
    a, b, family = segment.a, segment.b, segment.curve.family
    if a.exponents.size != b.exponents.size or a.event:
        return []
    found: list[tuple[float, Node]] = []
    few, many = sorted((a.unstable, b.unstable))
    pair = -1
    for k in range(few, many):
        if pair == k - 1 >= few:
            continue
        beyond = a if a.unstable > b.unstable else b
        if known and not family.kind(complex(beyond.exponents[k]), beyond.y[:-1], beyond.value):
            continue
        part = _crossing(segment, k)
        node = segment.at(part)
        exponent = complex(node.exponents[k])
        kind = family.kind(exponent, node.y[:-1], node.value)
        if kind:
            found.append((part, replace(node, event=kind, critical=exponent)))
        if kind != "flip" and exponent.imag:
            pair = k
    return found


def _crossing(segment: _Segment, k: int) -> float:
    """Return where the real part of the exponent with number ``k`` vanishes.

    Where it stays zero on one side, the part returned is just on the other one.
    """
    a, b = segment.a, segment.b
    noise = NOISE * max(np.abs(n.exponents[np.isfinite(n.exponents)]).max() for n in (a, b))
    before, after = a.exponents[k].real, b.exponents[k].real
    if before * after < 0 and min(abs(before), abs(after)) > noise:
        return segment.zero(lambda node: float(node.exponents[k].real))
    rises = b.unstable > a.unstable  # it is on the axis up to there, or from there on
    low, high = segment.first(lambda node: (node.unstable > k) == rises)
    return high if rises else low
