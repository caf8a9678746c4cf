"""Common subexpressions of expressions that call large tables.

CasADi tells equal formulas by their texts, in which each function that is called stands whole: a
table of a million numbers costs half a second each time. Here such a table has a stand-in
meanwhile, which has no numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from mbcore.model.tables.lookup import Lookup, is_lookup, rebuilt

_LARGE = 20_000
"""Numbers of a table from which on a stand-in costs less than the text."""


def common_once(expressions: Sequence[ca.SX]) -> list[ca.SX]:
    """Return expressions in which formulas that occur several times are one node each."""
    given = list(expressions)
    if not Lookup.made:
        return list(ca.cse(given))
    called = ca.Function("calls", [], given, {"allow_free": True, "max_io": 0}).find_functions()
    large = [function for function in called if _numbers(function) > _LARGE]
    if not large:
        return list(ca.cse(given))
    others = {function.name(): _stand_in(i, function) for i, function in enumerate(large)}
    back = {others[function.name()].name(): function for function in large}
    whole = ca.cse(_with_calls_of(others, ca.vertcat(*(ca.vec(one) for one in given))))
    entries = _with_calls_of(back, whole).nz
    ends = np.cumsum([0, *(one.nnz() for one in given)])
    return [
        ca.SX(one.sparsity(), entries[int(first) : int(last)])
        for one, first, last in zip(given, ends[:-1], ends[1:], strict=True)
    ]


def _with_calls_of(others: dict[str, ca.Function], whole: ca.SX) -> ca.SX:
    """Return an expression that calls other functions in the place of those of given names."""
    symbols = ca.symvar(whole)
    function = ca.Function("calls", [ca.vertcat(*symbols)], [whole])
    return rebuilt(function, symbols, lambda called: others.get(called.name(), called))


def _numbers(function: ca.Function) -> int:
    """Return how many numbers a function holds, if it is a lookup."""
    if not is_lookup(function):
        return 0
    return sum(
        function.instruction_MX(i).nnz()
        for i in range(function.n_instructions())
        if function.instruction_id(i) == ca.OP_CONST
    )


def _stand_in(number: int, function: ca.Function) -> ca.Function:
    """Return a function without numbers, of the same argument and results."""
    x = ca.MX.sym("x")
    row = ca.repmat(x, function.numel_out(0))
    return ca.Function(f"stand_in_{number}", [x], [row], {"never_inline": True})
