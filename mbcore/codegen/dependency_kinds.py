"""Dependency kinds of FMI: factors that are constant, fixed, tunable or discrete.

Changes are linear in the variation of the knowns. Each factor is classified by what it depends on,
and so is each path from a known to a result; the least structured one counts. A result that jumps
where a known crosses a threshold depends on it without structure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import casadi as ca

from mbcore.codegen.program import Operation, Program, program
from mbcore.equations.equations import Equations
from mbcore.equations.functions import POINT

Kind = Literal["constant", "fixed", "tunable", "discrete", "dependent"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""From the most to the least structured."""

_CONSTANT, _FIXED, _TUNABLE, _DISCRETE, _DEPENDENT = range(len(KINDS))
_PLACES = {name: i for i, name in enumerate(POINT)}
_SUMS = (ca.OP_ADD, ca.OP_SUB, ca.OP_NEG, ca.OP_TWICE, ca.OP_ASSIGN)
_PRODUCTS = (ca.OP_MUL, ca.OP_DIV, ca.OP_IF_ELSE_ZERO)
_JUMPS = (
    ca.OP_LT,
    ca.OP_LE,
    ca.OP_EQ,
    ca.OP_NE,
    ca.OP_NOT,
    ca.OP_SIGN,
    ca.OP_FLOOR,
    ca.OP_CEIL,
    ca.OP_FMOD,
    ca.OP_REMAINDER,
    ca.OP_COPYSIGN,
)

Levels = tuple[int, ...]
"""For each kind, as bits, the knowns whose factors have at most that structure."""


def factor_kinds(equations: Equations, tunable: Sequence[bool]) -> dict[str, list[list[Kind]]]:
    """Classify factors of changes of rates, outputs and indicators.

    Parameters
    ----------
    tunable : sequence of bool
        Of each parameter.

    Returns
    -------
    dict of str to list of list of Kind
        For ``"derivative"``, ``"output"`` and ``"indicator"`` a row for each result and a column
        for each entry of (s, t, u, p).
    """
    made = equations.functions
    whole = _merged(equations, ("change", "indicator_change"))
    levels = _levels(whole, tunable)
    ds, y = whole.results["change"]
    [g] = whole.results["indicator_change"]
    knowns = range(made["change"].numel_in(len(POINT)))
    found = {}
    for name, results in (("derivative", ds), ("output", y), ("indicator", g)):
        jumps = _jumps(equations, name)
        found[name] = [
            [_kind(levels[v], j, bool(at_jump >> j & 1)) for j in knowns]
            for v, at_jump in zip(results, jumps, strict=True)
        ]
    return found


def _kind(levels: Levels, known: int, jumps: bool) -> Kind:
    """Return the kind of one factor; a known without one enters by a non-differentiable path."""
    worst = [k for k, knowns in enumerate(levels) if knowns >> known & 1]
    return KINDS[worst[-1]] if worst and not jumps else "dependent"


def _merged(equations: Equations, names: Sequence[str]) -> Program:
    """Return functions of the point, and perhaps of a variation each, as one program."""
    functions = {name: equations.functions[name] for name in names}
    some = functions[names[0]]
    arguments = [ca.SX.sym(name, some.numel_in(i)) for name, i in _PLACES.items()]
    taken = {name: [*range(len(POINT))] for name in functions}
    for name, function in functions.items():
        if function.n_in() > len(POINT):
            taken[name].append(len(arguments))
            arguments.append(ca.SX.sym("variation", function.numel_in(len(POINT))))
    return program({name: (f, taken[name]) for name, f in functions.items()}, arguments)


def _levels(whole: Program, tunable: Sequence[bool]) -> list[Levels]:
    """Return the levels of each value; all zeros where it does not depend on the variation."""
    nothing = (0,) * len(KINDS)
    found: list[Levels] = []
    own: list[int] = []  # kinds of values that do not depend on the variation
    for operation in whole.operations:
        if operation.code == ca.OP_INPUT:
            argument, entry = operation.entry
            varied = argument >= len(POINT)
            found.append((1 << entry, *nothing[1:]) if varied else nothing)
            own.append(_CONSTANT if varied else _kind_of_entry(argument, entry, tunable))
            continue
        own.append(max((own[i] for i in operation.of), default=_CONSTANT))
        found.append(_combined(operation, [found[i] for i in operation.of], own))
    return found


def _combined(operation: Operation, parts: list[Levels], own: list[int]) -> Levels:
    """Levels of an operation's result; ``own`` holds the kinds of the values before it."""
    both = tuple(_either(levels) for levels in zip(*parts, strict=True)) or (0,) * len(KINDS)
    if not both[0]:
        return both
    worst = _DEPENDENT
    if operation.code in _SUMS:
        worst = _CONSTANT
    elif operation.code in _PRODUCTS:
        factors = [i for i, levels in zip(operation.of, parts, strict=True) if not levels[0]]
        worst = max((own[i] for i in factors), default=_DEPENDENT)
    return tuple(knowns | (both[0] if k <= worst else 0) for k, knowns in enumerate(both))


def _either(bits: Sequence[int]) -> int:
    whole = 0
    for some in bits:
        whole |= some
    return whole


def _kind_of_entry(argument: int, entry: int, tunable: Sequence[bool]) -> int:
    if argument == _PLACES["d"]:
        return _DISCRETE
    if argument == _PLACES["p"]:
        return _TUNABLE if tunable[entry] else _FIXED
    return _DEPENDENT


def _jumps(equations: Equations, name: str) -> list[int]:
    """Return for each result which of (s, t, u, p), as bits, pass thresholds in it.

    A threshold that the configuration crosses is attributed to all knowns.
    """
    whole = _merged(equations, (name,))
    sizes = {argument: equations.functions[name].numel_in(i) for argument, i in _PLACES.items()}
    first = {"s": 0, "t": sizes["s"], "u": sizes["s"] + 1, "p": sizes["s"] + 1 + sizes["u"]}
    everything = (1 << (first["p"] + sizes["p"])) - 1
    starts = {_PLACES[argument]: start for argument, start in first.items()}
    holds: list[int] = []
    jumps: list[int] = []
    for operation in whole.operations:
        if operation.code == ca.OP_INPUT:
            argument, entry = operation.entry
            moved = everything if argument == _PLACES["x"] else 0
            holds.append(1 << (starts[argument] + entry) if argument in starts else moved)
            jumps.append(0)
            continue
        holds.append(_either([holds[i] for i in operation.of]))
        passed = holds[-1] if operation.code in _JUMPS else 0
        jumps.append(_either([passed, *(jumps[i] for i in operation.of)]))
    [results] = whole.results[name]
    return [jumps[v] for v in results]
