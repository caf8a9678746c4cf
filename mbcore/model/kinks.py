"""Derivatives of ``fmax`` and ``fmin`` that belong to one branch where both arguments are equal.

At a tie CasADi takes the mean of both sides, a slope that the function has on neither. Here each
kink takes the side that is active a small distance away, in the same direction for all kinks of a
function; so the slopes belong to one smooth branch, in sums, differences and nested kinks. The
direction is positive in every symbol, and generic so that differences do not vanish along it. If
all symbols are free, it is that of `weights`; if they depend on others, the caller gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from zlib import crc32

import casadi as ca

from mbcore.model.expressions import column, replace
from mbcore.model.tables import derivatives
from mbcore.model.tables.lookup import called_with

_KINKS = (ca.OP_FMAX, ca.OP_FMIN)


@dataclass(frozen=True)
class Kink:
    """The larger or the smaller one of two expressions.

    Attributes
    ----------
    value : SX
        A symbol that replaces it in other expressions.
    first, second : SX
        Both arguments, with such symbols for the kinks inside them.
    sign : int
        1 for the larger one, -1 for the smaller one.
    depth : int
        How deeply kinks are nested in it.
    """

    value: ca.SX
    first: ca.SX
    second: ca.SX
    sign: int
    depth: int = 0

    @property
    def result(self) -> ca.SX:
        """The larger or smaller argument."""
        return (ca.fmax if self.sign > 0 else ca.fmin)(self.first, self.second)


Sides = Callable[[Sequence[Kink]], Sequence[ca.SX]]
"""Returns whether the first argument is taken, for kinks without further kinks inside."""
_Chosen = Callable[[Sequence[Kink], ca.SX], Sequence[ca.SX]]
"""The same, given the changes of first minus second too."""


def taken(kinks: Sequence[Kink], along: ca.SX) -> list[ca.SX]:
    """Return whether the first argument is taken; ``along`` is the change of first minus second."""
    found = []
    for kink, change in zip(kinks, ca.vertsplit(along), strict=True):
        first, second, sign = kink.first, kink.second, kink.sign
        before = first > second if sign > 0 else first < second
        tie = ca.logic_and(ca.eq(first, second), sign * change >= 0)
        found.append(ca.logic_or(before, tie))
    return found


def differences(kinks: Sequence[Kink]) -> ca.SX:
    """Return first minus second argument of each kink, shape (n, 1)."""
    return column(kink.first - kink.second for kink in kinks)


def weights(symbols: ca.SX) -> ca.SX:
    """Return a direction of change that depends on names only: 0.5 to 1.5 for each symbol."""
    names = [symbol.name() for symbol in ca.vertsplit(ca.densify(symbols))]
    return column(ca.SX(0.5 + crc32(name.encode()) / 2**32) for name in names)


def free(kinks: Sequence[Kink]) -> list[ca.SX]:
    """Return the sides of kinks for symbols that are free, so that `weights` is their change."""
    apart = differences(kinks)
    symbols = column(ca.symvar(apart))
    return sides_along(kinks, symbols, weights(symbols))


def sides_along(kinks: Sequence[Kink], symbols: ca.SX, direction: ca.SX) -> list[ca.SX]:
    """Return the sides of kinks that are active a small distance away, as symbols change.

    Kinks inside these take the sides of the same direction.
    """
    return taken(kinks, _jtimes(differences(kinks), symbols, direction, taken))


def jtimes(expression: ca.SX, symbols: ca.SX, direction: ca.SX, sides: Sides = free) -> ca.SX:
    """Return the directional derivative of an expression.

    Parameters
    ----------
    expression : SX, shape (n, 1)
    symbols, direction : SX, shape (k, 1)
        Symbols, and their changes.
    sides : callable
        Decides which sides of kinks are taken.
    """
    return _jtimes(expression, symbols, direction, lambda kinks, _: sides(kinks))


def jtimes_towards(
    expression: ca.SX, symbols: ca.SX, direction: ca.SX, towards: Callable[[], ca.SX]
) -> ca.SX:
    """Return the same, with the sides of kinks that are active a small distance away.

    The changes in both directions are formed side by side. To ask `sides_along` for each kink would
    form those of all kinks inside it anew.

    Parameters
    ----------
    towards : callable
        Returns the changes of symbols that decide; it is called where there are kinks.
    """
    return _jtimes(expression, symbols, direction, taken, towards)


def _jtimes(
    expression: ca.SX,
    symbols: ca.SX,
    direction: ca.SX,
    sides: _Chosen,
    towards: Callable[[], ca.SX] | None = None,
) -> ca.SX:
    smooth, kinks = parted(expression)
    if not kinks:
        return derivatives.jtimes(expression, symbols, direction)
    moving, by = symbols, [direction] if towards is None else [direction, towards()]
    values, found = ca.SX(0, 1), ca.SX(0, 1)
    # Inner kinks first: the change of an outer kink contains the changes of those inside.
    for alike in _by_depth(kinks):
        n, both = len(alike), _both(alike)
        changes = [ca.vertsplit(derivatives.jtimes(both, moving, one)) for one in by]
        there = _put(alike, values, found)
        # Where both arguments change alike, for instance not at all, there is nothing to choose.
        kinked = [[not ca.is_equal(c[i], c[n + i], 1) for c in changes] for i in range(n)]
        asked = [i for i in range(n) if any(kinked[i])]
        apart = column(changes[-1][i] - changes[-1][n + i] for i in asked)
        chosen = [change[:n] for change in changes]
        for i, side in zip(
            asked, sides([there[i] for i in asked], apart) if asked else (), strict=True
        ):
            for k, change in enumerate(changes):
                if kinked[i][k]:
                    chosen[k][i] = ca.if_else(side, change[i], change[n + i])
        moving = column([moving, *(k.value for k in alike)])
        by = [column([one, *parts]) for one, parts in zip(by, chosen, strict=True)]
        values = column([values, *(k.value for k in alike)])
        found = column([found, *(k.result for k in there)])
    return replace(derivatives.jtimes(smooth, moving, by[0]), values, found)


def gradient(expression: ca.SX, symbols: ca.SX) -> ca.SX:
    """Return the gradient of a scalar by symbols that are all free."""
    return derivatives.gradient(opened(expression), symbols)


def opened(expression: ca.SX, sides: Sides = free) -> ca.SX:
    """Return an expression of the same value for which CasADi's derivatives are of one branch."""
    smooth, kinks = parted(expression)
    values, found, plain = ca.SX(0, 1), ca.SX(0, 1), ca.SX(0, 1)
    for alike in _by_depth(kinks):
        there = _put(alike, values, plain)
        chosen = [
            ca.if_else(side, kink.first, kink.second)
            for side, kink in zip(sides(there), _put(alike, values, found), strict=True)
        ]
        values = column([values, *(k.value for k in alike)])
        found, plain = column([found, *chosen]), column([plain, *(k.result for k in there)])
    return replace(smooth, values, found) if kinks else expression


def _by_depth(kinks: Sequence[Kink]) -> list[list[Kink]]:
    """Group kinks, inner ones first."""
    deepest = max((kink.depth for kink in kinks), default=-1)
    return [[kink for kink in kinks if kink.depth == depth] for depth in range(deepest + 1)]


def _both(kinks: Sequence[Kink]) -> ca.SX:
    return column([*(kink.first for kink in kinks), *(kink.second for kink in kinks)])


def _put(kinks: Sequence[Kink], symbols: ca.SX, values: ca.SX) -> list[Kink]:
    """Return kinks with values for the kinks inside them."""
    parts, n = ca.vertsplit(replace(_both(kinks), symbols, values)), len(kinks)
    return [Kink(k.value, parts[i], parts[n + i], k.sign, k.depth) for i, k in enumerate(kinks)]


def parted(expression: ca.SX) -> tuple[ca.SX, list[Kink]]:
    """Return an expression with symbols instead of its kinks, and the kinks.

    An expression without kinks is returned unchanged.
    """
    if expression.is_constant():
        return expression, []
    # Most expressions have no kinks, and a search in the text is far faster than the loop below.
    text = ca.Function("kinks", [], [expression], {"allow_free": True}).str(True)
    if "fmax(" not in text and "fmin(" not in text:
        return expression, []
    symbols = ca.symvar(expression)
    function = ca.Function("kinks", [column(symbols)], [expression])
    nodes = function.instructions_sx() if function.find_functions() else None
    work: dict[int, ca.SX] = {}
    found = [ca.SX(0)] * expression.nnz()
    kinks: list[Kink] = []
    depths: dict[int, int] = {}  # by place in the work array, as ``work``
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        of, to = function.instruction_input(k), function.instruction_output(k)
        if nodes is not None and code == ca.OP_CALL:
            results = called_with(nodes[k].which_function(), [work[i] for i in of])
            depths |= dict.fromkeys(to, max(depths[i] for i in of))
            work |= dict(zip(to, results, strict=True))
            continue
        if code not in (ca.OP_OUTPUT, ca.OP_INPUT, ca.OP_CONST):
            depths[to[0]] = max(depths[i] for i in of) + (code in _KINKS)
        elif code != ca.OP_OUTPUT:
            depths[to[0]] = 0
        if code == ca.OP_OUTPUT:
            found[to[1]] = work[of[0]]
        elif code == ca.OP_INPUT:
            work[to[0]] = symbols[of[1]]
        elif code == ca.OP_CONST:
            work[to[0]] = ca.SX(function.instruction_constant(k))
        elif code in _KINKS:
            value = ca.SX.sym(f"kink{len(kinks)}")
            sign = 1 if code == ca.OP_FMAX else -1
            kinks.append(Kink(value, work[of[0]], work[of[1]], sign, depths[to[0]] - 1))
            work[to[0]] = value
        elif len(of) == 2:
            work[to[0]] = ca.SX.binary(code, work[of[0]], work[of[1]])
        else:
            work[to[0]] = ca.SX.unary(code, work[of[0]])
    return ca.SX(expression.sparsity(), column(found)), kinks
