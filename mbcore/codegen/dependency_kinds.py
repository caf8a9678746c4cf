"""Dependency kinds of FMI: factors that are constant, fixed, tunable or discrete.

Changes are linear in the variation of the knowns. Each factor is classified by what it depends on,
and so is each path from a known to a result; the least structured one counts. A result that jumps
where a known crosses a threshold depends on it without structure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import casadi as ca

from mbcore.codegen.program import PIECE, Operation, Program, program
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
    PIECE,
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

Levels = int
"""For each kind, as bits, the knowns whose factors have at most that structure: a field of as many
bits as there are knowns, the first kind's lowest. All have those of the first kind."""


@dataclass(frozen=True)
class FactorKinds:
    """Of all results of a function, asked for one by one, because few of all pairs depend.

    Attributes
    ----------
    levels, jumps : sequence of int
        Of each result.
    many : int
        Bits of a field of the levels.
    """

    levels: Sequence[Levels]
    jumps: Sequence[int]
    many: int

    def kind(self, result: int, known: int) -> Kind:
        """Return the kind of the factor of an entry of (s, t, u, p) in a result."""
        jumps = bool(self.jumps[result] >> known & 1)
        return _kind(self.levels[result] >> known, self.many, jumps)


def factor_kinds(equations: Equations, tunable: Sequence[bool]) -> dict[str, FactorKinds]:
    """Classify factors of changes of rates, outputs and indicators.

    Parameters
    ----------
    tunable : sequence of bool
        Of each parameter.

    Returns
    -------
    dict of str to FactorKinds
        For ``"derivative"``, ``"output"`` and ``"indicator"``.
    """
    made = equations.functions
    whole = _merged(equations, ("change", "indicator_change"))
    # indicators may change by remembered numbers besides
    many = made["indicator_change"].numel_in(len(POINT))
    levels = _levels(whole, many, tunable)
    ds, y = whole.results["change"]
    [g] = whole.results["indicator_change"]
    return {
        name: FactorKinds([levels[v] for v in results], _jumps(equations, name), many)
        for name, results in (("derivative", ds), ("output", y), ("indicator", g))
    }


def _kind(levels: Levels, many: int, jumps: bool) -> Kind:
    """Return the kind of a known's factor, of levels whose fields begin with its bit.

    A known without a factor enters by a non-differentiable path.
    """
    worst = [k for k in range(len(KINDS)) if levels >> k * many & 1]
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


def _levels(whole: Program, many: int, tunable: Sequence[bool]) -> list[Levels]:
    """Return the levels of each value by ``many`` entries of the variation, or 0 for none."""
    field = (1 << many) - 1
    up_to = [sum(1 << k * many for k in range(worst + 1)) for worst in range(len(KINDS))]
    found: list[Levels] = []
    own: list[int] = []  # kinds of values that do not depend on the variation
    for operation in whole.operations:
        if operation.code == ca.OP_INPUT:
            argument, entry = operation.entry
            varied = argument >= len(POINT)
            found.append(1 << entry if varied else 0)
            own.append(_CONSTANT if varied else _kind_of_entry(argument, entry, tunable))
            continue
        levels, kind = 0, _CONSTANT
        for i in operation.of:
            levels |= found[i]
            kind = max(kind, own[i])
        if levels:
            levels |= (levels & field) * up_to[_worst(operation, found, own)]
        found.append(levels)
        own.append(kind)
    return found


def _worst(operation: Operation, found: Sequence[Levels], own: Sequence[int]) -> int:
    """Return the kind of the factors by which an operation takes the variation of its operands."""
    if operation.code in _SUMS:
        return _CONSTANT
    if operation.code in _PRODUCTS:
        return max((own[i] for i in operation.of if not found[i]), default=_DEPENDENT)
    return _DEPENDENT


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
        held, passed = 0, 0
        for i in operation.of:
            held |= holds[i]
            passed |= jumps[i]
        holds.append(held)
        jumps.append(passed | held if operation.code in _JUMPS else passed)
    [results] = whole.results[name]
    return [jumps[v] for v in results]
