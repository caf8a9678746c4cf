"""Numerical values near the start: matrices for the choice of pivots, and constant entries.

Entries that are 0, 1 or -1 wherever all constraints are satisfied are found numerically. A loop
that moves with a body as a whole does so by a rigid motion, but only where it is closed, so no
formula shows it. Such entries are searched at several configurations near the start, with states,
inputs and parameters changed at random, that Newton's iteration has closed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from mbcore.equations.assembly.massless import massless_nodes
from mbcore.equations.elimination.configuration import Configuration
from mbcore.equations.elimination.relations import Relations
from mbcore.equations.elimination.unit_sizes import sizes_of
from mbcore.model.expressions import column, full, scalars, sparse

AWAY = 0.02
"""Distance of coordinates from the start where pivots are chosen, in natural sizes."""
TEARS = 0.3
"""Size of tears there."""
PLACES = 4
SPREAD = 0.05
"""Random changes of angles, rad, and of other values in parts of their size."""
LATER, SOON = (0.1, 1.0), (0.001, 0.01)
"""How long after the start they are, s."""
ITERATIONS = 30
CLOSED = 1e-12
"""Largest error of a closed configuration, in parts of the mechanism's size."""
SAME = 1e-9
"""Distance from a whole number up to which an entry is taken for it; rounding is below 1e-12.

Some entries are arms, or one over an arm, so the distance is smaller for mechanisms whose length is
far from one metre.
"""
LENGTHS = (1e-2, 1e2)
"""Lengths of mechanisms, m, that are sampled: beyond, angles and arms are of different sizes."""
_SWITCHES = {
    ca.OP_IF_ELSE_ZERO,
    ca.OP_LT,
    ca.OP_LE,
    ca.OP_EQ,
    ca.OP_NE,
    ca.OP_NOT,
    ca.OP_AND,
    ca.OP_OR,
    ca.OP_SIGN,
    ca.OP_FABS,
    ca.OP_FMIN,
    ca.OP_FMAX,
    ca.OP_FLOOR,
    ca.OP_CEIL,
    ca.OP_FMOD,
    ca.OP_REMAINDER,
    ca.OP_COPYSIGN,
    ca.OP_CALL,
}
"""Operations behind which another dependence may hide."""


class NearStart:
    """Evaluates matrices near the start configuration, where nothing is singular by chance.

    Parameters
    ----------
    relations : Relations
        What the matrices belong to.
    values : sequence
        Numbers for (t, s, d, u, p, x) at the start.
    natural : float
        The mechanism's length, m.
    """

    def __init__(self, relations: Relations, values: Sequence[object], natural: float) -> None:
        A, tears = relations.assembly, relations.tear_values
        self._assembly, self._symbols = A, [*A.arguments[:5], tears, A.x]
        random = np.random.default_rng(0)
        near = np.array(values[-1], float)
        away = AWAY * random.standard_normal(near.shape)
        near += away * sizes_of((c.unit for c in A.coordinates), natural)
        open_ = TEARS * random.standard_normal(int(tears.numel()))
        open_ *= sizes_of((q.unit for q in relations.tears), natural)
        self._values = [*values[:5], open_, near]
        at_start = [*values[:5], np.zeros(len(open_)), np.array(values[-1], float)]
        self._at_start = at_start if massless_nodes(A.model) else None

    def __call__(self, matrix: ca.SX) -> np.ndarray:
        """Return the numbers of a matrix."""
        found = ca.Function("J", self._symbols, [self._assembly.in_coordinates(matrix)])
        near = full(found(*self._values))
        if self._at_start is None:
            return near
        # Springs at their rest length are not singular by chance: a massless node is seldom moved
        # across them, and no condition beyond may rely on that.
        there = full(found(*self._at_start))
        return np.where(np.abs(there) < np.abs(near), there, near)


class ClosedSamples:
    """Finds whole numbers in entries at configurations that meet all constraints.

    Parameters
    ----------
    configuration : Configuration
        The position problem.
    arguments : sequence of SX
        Symbols of (t, s, d, u, p).
    start : sequence of ndarray
        Their values at the start.
    integer : sequence of bool
        Which parameters count or choose, and stay as they are.
    natural : float
        The mechanism's length, m.
    in_coordinates : callable
        Puts functions of x in the place of directions that turn with rotations.
    """

    def __init__(
        self,
        configuration: Configuration,
        arguments: Sequence[ca.SX],
        start: Sequence[np.ndarray],
        integer: Sequence[bool],
        natural: float,
        in_coordinates: Callable[[ca.SX], ca.SX],
    ) -> None:
        self._configuration, self._in_coordinates = configuration, in_coordinates
        self._arguments = [ca.SX(a) for a in arguments]
        self._start = [np.asarray(value, float).reshape(-1) for value in start]
        self._integer, self._natural = np.asarray(integer, bool), natural
        self._same = SAME * min(natural, 1 / natural)
        self._places: list[list[np.ndarray]] | None = None
        self._known: dict[int, tuple[ca.SX, np.ndarray]] = {}
        self._switching: set[int] = set()

    def __call__(self, parts: list[ca.SX]) -> list[ca.SX]:
        """Return matrices with numbers in the place of such entries, these sparse."""
        if not self._usable():
            return parts
        return [self._with_numbers(part) if part.nnz() else part for part in parts]

    def values(self, matrices: list[ca.SX]) -> list[list[np.ndarray]]:
        """Return the values of matrices at each configuration; none where too few are found.

        Where motions that are prescribed over time leave the mechanism open, less time passes.
        """
        places = self._closed_places()
        if len(places) < PLACES:
            places = self._found_places(SOON)
        if len(places) < PLACES:
            return []
        found = self._function([self._in_coordinates(matrix) for matrix in matrices])
        return [[full(value) for value in found.call(place)] for place in places]

    def carried(self, part: ca.SX, short: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return a matrix with numbers in the place of such entries, and a short form of it.

        A long chain's matrices follow from each other, and hold all formulas of those before.
        Short forms have a symbol for each entry instead, whose values are known, so that each
        matrix costs what it adds to those before.

        Parameters
        ----------
        part, short : SX
            A matrix, sparse, and the same from short forms of what it is made of.
        """
        if not self._usable() or not part.nnz():
            return part, part
        entries = part.nonzeros()
        brief = ca.project(short, part.sparsity()).nonzeros()
        values, hidden = self._sampled(self._in_coordinates(column(brief)))
        number = self._numbers(values, hidden)
        for i, value in enumerate(values.T):
            if np.isfinite(number[i]):
                entries[i] = brief[i] = ca.SX(float(number[i]))
            elif not brief[i].is_symbolic():
                brief[i] = ca.SX.sym("carried")
                self._keep(brief[i], value, bool(hidden[i]))
        both = (ca.SX(part.sparsity(), ca.vertcat(*found)) for found in (entries, brief))
        with_numbers, shorter = (sparse(found) for found in both)
        return with_numbers, shorter

    def _usable(self) -> bool:
        within = LENGTHS[0] <= self._natural <= LENGTHS[1]
        return within and len(self._closed_places()) == PLACES

    def _with_numbers(self, part: ca.SX) -> ca.SX:
        entries = part.nonzeros()
        values, hidden = self._sampled(self._in_coordinates(column(entries)))
        number = self._numbers(values, hidden)
        for i in np.flatnonzero(np.isfinite(number)):
            entries[i] = ca.SX(float(number[i]))
        return sparse(ca.SX(part.sparsity(), ca.vertcat(*entries)))

    def _numbers(self, values: np.ndarray, hidden: np.ndarray) -> np.ndarray:
        """Return the whole numbers that entries are everywhere, NaN for the others."""
        rounded = np.round(values[0])
        same = np.all(np.abs(values - rounded) < self._same, axis=0) & (np.abs(rounded) <= 1)
        return np.where(same & ~hidden, rounded, np.nan)

    def _sampled(self, expression: ca.SX) -> tuple[np.ndarray, np.ndarray]:
        """Return values at the closed configurations, and behind which another may hide."""
        # Of the symbols of a long mechanism few are within, and each costs time at each evaluation.
        symbols = ca.symvar(expression)
        found = ca.Function("entries", [column(symbols)], [expression])
        values = np.array([found(place) for place in self._at_places(symbols)])[..., 0]
        hidden = np.zeros(values.shape[1], bool)
        if self._may_switch(found, symbols):
            for i in range(len(hidden)):
                own = ca.symvar(expression[i])
                part = ca.Function("entry", [column(own)], [expression[i]])
                hidden[i] = self._may_switch(part, own)
        return values, hidden

    def _may_switch(self, function: ca.Function, symbols: Sequence[ca.SX]) -> bool:
        return _switches(function) or not self._switching.isdisjoint(
            symbol.element_hash() for symbol in symbols
        )

    def _at_places(self, symbols: Sequence[ca.SX]) -> np.ndarray:
        """Return values of symbols at the closed configurations, shape (configurations, n)."""
        if not self._known:
            every = scalars(column([*self._arguments, self._configuration.x]))
            values = np.array([np.concatenate(place) for place in self._closed_places()]).T
            for symbol, value in zip(every, values, strict=True):
                self._keep(symbol, value)
        if not symbols:
            return np.empty((PLACES, 0))
        return np.stack([self._known[symbol.element_hash()][1] for symbol in symbols], axis=1)

    def _keep(self, symbol: ca.SX, value: np.ndarray, switching: bool = False) -> None:
        # A hash is an address, so the symbol that has it is kept.
        self._known[symbol.element_hash()] = symbol, value
        if switching:
            self._switching.add(symbol.element_hash())

    def _function(self, results: list[ca.SX]) -> ca.Function:
        return ca.Function("entries", [*self._arguments, self._configuration.x], results)

    def _closed_places(self) -> list[list[np.ndarray]]:
        """Arguments at configurations that are closed; fewer than asked for where none is near."""
        if self._places is None:
            self._places = self._found_places(LATER)
        return self._places

    def _found_places(self, times: tuple[float, float]) -> list[list[np.ndarray]]:
        """Search such arguments, as long after the start as given, s."""
        places: list[list[np.ndarray]] = []
        C = self._configuration
        step = self._function([C.following, C.residual])
        first = ca.Function("start", [self._arguments[-1]], [C.start])
        random = np.random.default_rng(2)
        for attempt in range(4 * PLACES):
            given = self._changed(random, SPREAD / (1 + attempt // PLACES), times)
            known = [ca.DM(value) for value in given]  # converted once, not at each step
            x = np.array(first(known[-1])).ravel()
            error = np.inf
            for _ in range(ITERATIONS):
                before = x
                x, residual = (np.array(r).ravel() for r in step(*known, x))
                error = np.max(np.abs(residual), initial=0.0)
                if np.array_equal(x, before):  # so will all further steps be
                    break
            if error <= CLOSED * max(1.0, self._natural) and np.all(np.isfinite(x)):
                places.append([*given, x])
            if len(places) == PLACES:
                break
        return places

    def _changed(
        self, random: np.random.Generator, spread: float, times: tuple[float, float]
    ) -> list[np.ndarray]:
        t, s, d, u, p = (value.copy() for value in self._start)
        t = t + random.uniform(*times, t.shape)
        s = s + spread * min(1.0, self._natural) * random.uniform(-1, 1, s.shape)
        u = u + spread * min(1.0, self._natural) * random.uniform(-1, 1, u.shape)
        change = 0.1 * spread * random.uniform(-1, 1, p.shape)
        change = np.where(p == 0, min(1.0, self._natural) * change, p * change)
        return [t, s, d, u, np.where(self._integer, p, p + change)]


def _switches(function: ca.Function) -> bool:
    return any(function.instruction_id(k) in _SWITCHES for k in range(function.n_instructions()))
