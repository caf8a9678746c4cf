"""Steps along a curve of solutions: predictor, step length, ends, events between points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mbcore.continuation.arclength import Curve, LostError
from mbcore.continuation.crossings import Node, events_between, make_node
from mbcore.model import checks

KINK = 1e-5
"""Steps so short pass corners, at which a law changes with an event."""
QUICK, SLOW = 3, 5
"""Newton steps up to which steps grow, and from which on they shrink."""
BEND, SHARP = 0.15, 0.5
"""Angle between successive tangents that steps aim at, and the largest one that is taken, rad."""
STEEP = 0.05
"""Slopes at the start steeper than this, scaled, do not indicate the extent of the curve."""
SIZES = (1e-2, 1e-3, 1e-4)
"""Parts of natural sizes in which a curve is looked for that leaves a solution."""
GROWTH = 1.6
"""By how much a step may grow at most."""
DENIED = 0.4
"""By how much it shrinks where no solution is found."""


@dataclass(frozen=True)
class Steps:
    """Steps along a branch; lengths in parts of the parameter's range or the branch's own extent.

    Attributes
    ----------
    first, longest, shortest : float
        Lengths of the first step, of the longest and of the shortest one.
    points : int
        Number of points at most.
    """

    first: float = 0.01
    longest: float = 0.04
    shortest: float = 1e-7
    points: int = 2000

    def checked(self) -> Steps:
        """Return these steps with numbers of their types.

        Raises
        ------
        ModelError
            If a length is not positive, one is longer than the longest, or points are no number.
        """
        owner = "continuation: steps"
        most = checks.real(owner, "longest", self.longest, above=0.0, most=1.0)
        least = checks.real(owner, "shortest", self.shortest, above=0.0, below=most)
        begin = checks.real(owner, "first", self.first, least=least, most=most)
        return Steps(begin, most, least, checks.whole(owner, "points", self.points, 2))


class CurveTracer:
    """Goes along a curve from a solution until it leaves the range of the parameter.

    Parameters
    ----------
    curve : Curve
        The equations.
    low, high : float
        Where the parameter leaves its range.
    steps : Steps
        Their lengths.

    Attributes
    ----------
    ended : str
        Why it ended.
    """

    def __init__(self, curve: Curve, low: float, high: float, steps: Steps) -> None:
        self.curve, self.low, self.high, self.steps = curve, low, high, steps
        self.ended = ""

    def start(self, unknowns: np.ndarray, value: float, towards: float) -> Node:
        """Return the solution at a value of the parameter, near to the given one.

        ``towards`` is the sign of the parameter's change along its tangent.

        Raises
        ------
        LostError
            If there is none.
        """
        curve, y = self.curve, np.r_[unknowns, value]
        curve.begin(unknowns)
        curve.balance(y)
        upwards = np.r_[np.zeros(curve.n), towards]
        y, D, _ = curve.correct(y, upwards)
        tangent = curve.direction(D, upwards)
        over_range = tangent / max(abs(tangent[-1]), STEEP) * curve.sizes
        curve.stretch(over_range)  # by what changes over the range, if it goes on like this
        curve.balance(y)
        return make_node(curve, y, curve.evaluate(y)[1], upwards)

    def start_along(self, unknowns: np.ndarray, value: float, direction: np.ndarray) -> Node:
        """Return a solution near one at which the derivatives vanish, in a direction from there.

        ``direction``, shape (n,), is a change of the unknowns of natural size.

        Raises
        ------
        LostError
            If there is none.
        """
        curve, y, along = self.curve, np.r_[unknowns, value], np.r_[direction, 0.0]
        why = LostError("")
        for size in SIZES:
            curve.balance(y + size * along)
            normal = along / curve.sizes
            normal /= np.linalg.norm(normal)
            try:
                found, D, _ = curve.correct(y + size * along, normal)
                return make_node(curve, found, D, normal)
            except LostError as error:
                why = error
        raise why

    def follow(self, node: Node) -> Iterator[Node]:
        """Yield the solutions that come after one, events among them; ``ended`` says why no more.

        At the first one, ``node.direction`` says where to go.
        """
        first, length, count = node, self.steps.first, 1
        before: Node | None = None
        while count < self.steps.points:
            try:
                after, iterations, last = self._step(before, node, length)
                if count > 2 and self._is_between(first, node, after):
                    after, last = first, "it came back to where it began"
                events = events_between(self.curve, node, after)
            except LostError as why:
                length *= DENIED
                if length < self.steps.shortest:
                    self.ended = f"no solution beyond: {why}"
                    return
                continue
            yield from events
            self.curve.family.accept(after.y[:-1], after.value)
            count += 1 + len(events)
            yield after
            if last:
                self.ended = last
                return
            self.curve.stretch(after.y - first.y)
            length = self._next(length, node, after, iterations)
            before, node = node, after
        self.ended = f"{self.steps.points} points"

    def _step(self, before: Node | None, node: Node, length: float) -> tuple[Node, int, str]:
        """Return the solution after a step, Newton's steps there, and whether it is the last."""
        curve, sizes = self.curve, self.curve.sizes
        tangent = node.along(sizes)
        change = length * tangent
        if before is not None and not before.event:  # with the curvature of the step before
            distance = float(np.linalg.norm((node.y - before.y) / sizes))
            change = change + length**2 / 2 * (tangent - before.along(sizes)) / distance
        predicted = node.y + change * sizes
        if not self.low <= predicted[-1] <= self.high:
            return self._last(node, tangent, predicted)
        y, D, iterations = curve.correct(predicted, tangent)
        if not self.low <= y[-1] <= self.high:
            return self._last(node, tangent, y)
        return self._checked(node, y, D, tangent, length), iterations, ""

    def _last(self, node: Node, tangent: np.ndarray, beyond: np.ndarray) -> tuple[Node, int, str]:
        """Return the solution at an end of the range."""
        end = self.high if beyond[-1] > self.high else self.low
        part = (end - node.y[-1]) / (beyond[-1] - node.y[-1])
        predicted = node.y + part * (beyond - node.y)
        predicted[-1] = end
        upwards = np.r_[np.zeros(self.curve.n), 1.0]
        y, D, iterations = self.curve.correct(predicted, upwards)
        y[-1] = end
        length = float(np.linalg.norm((beyond - node.y) / self.curve.sizes))
        after = self._checked(node, y, D, tangent, length)
        return after, iterations, f"value {end:g} reached"

    def _checked(
        self, node: Node, y: np.ndarray, D: np.ndarray, tangent: np.ndarray, length: float
    ) -> Node:
        """Return the node at a solution, and refuse one that may be of another curve."""
        curve = self.curve
        distance = float(np.linalg.norm((y - node.y) / curve.sizes))
        if distance > 2 * length:
            raise LostError("the solution found is far from the predicted one")
        after = make_node(curve, y, D, tangent)
        if after.angle(tangent, curve.sizes) > SHARP and length > KINK:
            raise LostError("the curve bends sharply")
        return after

    def _next(self, length: float, node: Node, after: Node, iterations: int) -> float:
        angle = after.angle(node.direction / self.curve.sizes, self.curve.sizes)
        factor = min(GROWTH, BEND / max(angle, 1e-9))
        if iterations > QUICK:
            factor = min(factor, 1.0)
        if iterations > SLOW:
            factor = min(factor, 0.5)
        return min(length * max(factor, 0.3), self.steps.longest)

    def _is_between(self, first: Node, node: Node, after: Node) -> bool:
        """Return whether a step passes the first solution again, in the same sense."""
        sizes = self.curve.sizes
        step, to_first = (after.y - node.y) / sizes, (first.y - node.y) / sizes
        length = float(np.linalg.norm(step))
        along = float(to_first @ step) / length if length else -1.0
        aside = float(np.sqrt(max(to_first @ to_first - along**2, 0.0)))
        same = first.angle(step, sizes) < SHARP
        return 0 <= along <= length and aside < 0.25 * length and same
