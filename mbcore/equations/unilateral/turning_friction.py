"""Impulses of one contact with friction in two directions, between which the sliding may turn.

Routh's process: while the normal impulse p grows, the sliding velocity v and the tangential impulse
q change by

    dv/dp = c + T dq/dp,    dq/dp = -μ v/|v|,

where c and T are the responses of v to unit normal and tangential impulses [Keller, Impact with
friction, J. Appl. Mech. 53 (1986) 1-4]. Where v has come to rest, it sticks, if |T⁻¹ c| <= μ; else
it slides on in the one direction in which it grows. That of a ball does not turn. For other bodies
the course is integrated in steps of v by the classical method of fourth order; the last part is
straight.

Contacts that come loose from rest slide in such a direction, too, with accelerations by forces.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from mbcore.model.expressions import any_of, column, where

STEPS = 40
"""Number of steps: impulses of 200 random bodies are within 2e-3, of 100 within 1e-5."""
FEW = 8
"""Number of steps where only signs of other contacts' impulses are asked for."""
STEP = 0.5
"""Largest change of the sliding velocity in a step, in parts of its size."""
ITERATIONS = 8
"""Of Newton's method for the direction in which sliding grows, which converge from one side."""
SINGULAR = 1e-13
"""Determinant of T, over its trace's square, below which one direction has no mobility."""
TINY = 1e-200
"""Square of a length that counts as zero."""
NEVER = 1e30
"""An impulse, N.s, larger than that of any impact."""


@dataclass(frozen=True)
class Mobility:
    """Rates of a contact by unit impulses, 1/kg.

    Attributes
    ----------
    normal : SX
        Of the gap by the normal impulse.
    gap_by_friction, sliding_by_normal : SX
        Of the gap by tangential impulses, (1, 2), and of sliding by the normal one, (2, 1).
    sliding : SX
        T, of sliding by tangential impulses, (2, 2).
    """

    normal: ca.SX
    gap_by_friction: ca.SX
    sliding_by_normal: ca.SX
    sliding: ca.SX


@dataclass(frozen=True)
class _Piece:
    """A part of the process: from p to p + span, the tangential impulse goes from q to q_end.

    ``way`` and ``way_end`` are dq/dp there.
    """

    p: ca.SX
    span: ca.SX
    q: ca.SX
    q_end: ca.SX
    way: ca.SX
    way_end: ca.SX

    def at(self, part: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return q at a part of the span, by a cubic polynomial, and its derivative by the part."""
        first, last = self.span * self.way, self.span * self.way_end
        chord = self.q_end - self.q
        bent, twisted = 3 * chord - 2 * first - last, first + last - 2 * chord
        value = self.q + part * (first + part * (bent + part * twisted))
        return value, first + part * (2 * bent + 3 * part * twisted)


class TurningImpact:
    """The course of an impact: the tangential impulse over the normal one.

    Parameters
    ----------
    approach, sliding : SX
        -ġ⁻ and v before the impact, m/s; the latter of shape (2, 1).
    friction : SX
        μ.
    steps : int
        Number of steps while the sliding turns.
    """

    def __init__(
        self,
        mobility: Mobility,
        approach: ca.SX,
        sliding: ca.SX,
        friction: ca.SX,
        steps: int = STEPS,
    ) -> None:
        self._steps = steps
        self._m, self._approach, self._friction = mobility, approach, friction
        inverse = inverse_of_two(mobility.sliding)
        self._pieces, v = self._slide(sliding)
        self._p, self._q = self._last()
        way = _direction(v)
        slows = -ca.dot(way, self._driven(way))
        stops = slows > 0
        self._stop = self._p + ca.if_else(stops, _size(v) / ca.if_else(stops, slows, 1), NEVER)
        # The impulse that ends all sliding, also the little that has turned since
        self._at_rest = -inverse @ (sliding + mobility.sliding_by_normal * self._stop)
        ends = ca.logic_and(stops, self._stop > self._p)
        span = ca.if_else(ends, self._stop - self._p, 1)
        self._way = ca.if_else(ends, (self._at_rest - self._q) / span, -friction * way)
        self._at_rest = ca.if_else(stops, self._at_rest, self._q)
        held = -inverse @ mobility.sliding_by_normal
        sticks = _size(held) <= friction
        grows = growing(friction * mobility.sliding, mobility.sliding_by_normal)
        self._then = ca.if_else(sticks, held, -friction * grows)
        self._compression = self._compressed()

    def impulses(self, restitution: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return the normal impulse, 1 + e times that of compression, and the tangential, (2, 1).

        Errors of the integration do not take it out of Coulomb's cone.
        """
        normal = (1 + restitution) * self._compression
        tangential = self._tangential(normal)
        limit, size = self._friction * normal, _size(tangential)
        outside = size > limit
        return normal, tangential * ca.if_else(outside, limit / ca.if_else(outside, size, 1), 1)

    def _driven(self, way: ca.SX) -> ca.SX:
        """Return dv/dp of sliding in a direction."""
        m = self._m
        return m.sliding_by_normal - self._friction * (m.sliding @ way)

    def _fastest(self, way: ca.SX) -> ca.SX:
        """Return the rate, by the normal impulse over |v|, at which sliding changes, or turns.

        The angle's own rate is h, which the angle changes by h'.
        """
        m, mu, driven = self._m, self._friction, self._driven(way)
        across = ca.vertcat(-way[1], way[0])
        turns, grows = ca.dot(across, driven), ca.dot(way, driven)
        spreads = -grows - mu * ca.dot(across, m.sliding @ across)
        bound = _size(m.sliding_by_normal) + mu * ca.trace(m.sliding)
        square = grows**2 + spreads**2 + bound * ca.fabs(turns)
        return ca.sqrt(ca.if_else(square > 0, square, 1))

    def _slide(self, v: ca.SX) -> tuple[list[_Piece], ca.SX]:
        """Return the steps of the classical method of fourth order, and v after them."""
        mu = self._friction
        pieces, p, q, way = [], ca.SX(0), ca.SX.zeros(2), _direction(v)
        for _ in range(self._steps):
            span = STEP * _size(v) / self._fastest(way)
            two = _direction(v + span / 2 * self._driven(way))
            three = _direction(v + span / 2 * self._driven(two))
            four = _direction(v + span * self._driven(three))
            mean = (way + 2 * two + 2 * three + four) / 6
            v = v + span * self._driven(mean)
            end, q_end = _direction(v), q - mu * span * mean
            pieces.append(_Piece(p, span, q, q_end, -mu * way, -mu * end))
            p, q, way = p + span, q_end, end
        return pieces, v

    def _last(self) -> tuple[ca.SX, ca.SX]:
        """Return both impulses at the end of the steps."""
        last = self._pieces[-1]
        return last.p + last.span, last.q_end

    def _gap_rate(self, p: ca.SX, q: ca.SX) -> ca.SX:
        return -self._approach + self._m.normal * p + self._m.gap_by_friction @ q

    def _chosen(self, conditions: list[ca.SX]) -> _Piece:
        """Return the piece whose condition holds, one without length where none does."""
        parts = [column([k.p, k.span, k.q, k.q_end, k.way, k.way_end]) for k in self._pieces]
        found = ca.SX.zeros(10)
        for condition, part in zip(conditions, parts, strict=True):
            found = found + where(condition, part)
        return _Piece(found[0], found[1], found[2:4], found[4:6], found[6:8], found[8:10])

    def _compressed(self) -> ca.SX:
        """Return the normal impulse at which the gap's rate vanishes."""
        m, here, ended = self._m, [], ca.SX(0)
        for piece in self._pieces:
            over = self._gap_rate(piece.p + piece.span, piece.q_end) >= 0
            here.append(ca.logic_and(over, ca.logic_not(ended)))
            ended = ca.logic_or(ended, over)
        piece = self._chosen(here)
        before = self._gap_rate(piece.p, piece.q)
        gained = self._gap_rate(piece.p + piece.span, piece.q_end) - before
        part = -before / ca.if_else(gained > 0, gained, 1)
        for _ in range(4):
            q, change = piece.at(part)
            slope = m.normal * piece.span + m.gap_by_friction @ change
            rate = self._gap_rate(piece.p + part * piece.span, q)
            part = part - rate / ca.if_else(slope > 0, slope, 1)
        turning = piece.p + part * piece.span
        straight = self._rate_slope(self._way)
        rest = self._gap_rate(self._stop, self._at_rest)
        early = ca.logic_and(rest >= 0, straight > 0)
        early = ca.logic_or(early, self._stop >= NEVER)
        sliding = self._p - self._gap_rate(self._p, self._q) / ca.if_else(early, straight, 1)
        last = self._rate_slope(self._then)
        sticking = self._stop - rest / ca.if_else(last > 0, last, 1)
        return ca.if_else(ended, turning, ca.if_else(early, sliding, sticking))

    def _rate_slope(self, way: ca.SX) -> ca.SX:
        return self._m.normal + self._m.gap_by_friction @ way

    def _tangential(self, p: ca.SX) -> ca.SX:
        """Return the tangential impulse when the normal one is p."""
        here = [ca.logic_and(p >= k.p, p < k.p + k.span) for k in self._pieces]
        piece = self._chosen(here)
        part = (p - piece.p) / ca.if_else(piece.span > 0, piece.span, 1)
        turning = piece.at(part)[0]
        straight = self._q + self._way * (p - self._p)
        after = self._at_rest + self._then * (p - self._stop)
        late = ca.if_else(p < self._stop, straight, after)
        return ca.if_else(any_of(column(here)), turning, late)


def growing(matrix: ca.SX, driving: ca.SX) -> ca.SX:
    """Return the direction in which sliding grows from rest, where it cannot stick, (2, 1).

    c - μ T t = f t with f > 0, so that |(μ T + f)⁻¹ c| = 1, which falls with f.

    Parameters
    ----------
    matrix, driving : SX
        μ T, (2, 2), and c, (2, 1): T by a unit normal impulse, or times the normal force and by
        all that drives the sliding.
    """
    scale = _size(driving) + ca.trace(matrix)
    f = ca.fmax(_size(driving) - ca.trace(matrix), SINGULAR * scale)
    for _ in range(ITERATIONS):
        shifted = matrix + f * ca.SX.eye(2)
        way = _solved(shifted, driving)
        long = _size(way)
        change = ca.dot(way, _solved(shifted, way))
        f = f + ca.fmax(long - 1, 0) * long**2 / ca.if_else(change > 0, change, 1)
    return _direction(_solved(matrix + f * ca.SX.eye(2), driving))


def _size(vector: ca.SX) -> ca.SX:
    """Return the length of a vector, with a derivative where it is zero."""
    return ca.sqrt(ca.dot(vector, vector) + TINY)


def _direction(vector: ca.SX) -> ca.SX:
    return vector / _size(vector)


def _adjugate(matrix: ca.SX) -> ca.SX:
    (a, b), (c, d) = ((matrix[i, 0], matrix[i, 1]) for i in range(2))
    return ca.vertcat(ca.horzcat(d, -b), ca.horzcat(-c, a))


def _determinant(matrix: ca.SX) -> ca.SX:
    return matrix[0, 0] * matrix[1, 1] - matrix[0, 1] * matrix[1, 0]


def _solved(matrix: ca.SX, right: ca.SX) -> ca.SX:
    size = _determinant(matrix)
    return _adjugate(matrix) @ right / ca.if_else(size > 0, size, 1)


def inverse_of_two(matrix: ca.SX) -> ca.SX:
    """Return the inverse of T, (2, 2); a direction without mobility gets no impulse."""
    size, trace = _determinant(matrix), ca.trace(matrix)
    regular = size > SINGULAR * trace**2
    inverse = _adjugate(matrix) / ca.if_else(regular, size, 1)
    return ca.if_else(regular, inverse, matrix / ca.if_else(trace > 0, trace**2, 1))
