"""How values are written in C: as numbers, or as vectors of several instances."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, product
from string import ascii_letters, digits

import casadi as ca

from mbcore.codegen.program import ENTRY, PIECE, Program

_BINARY = {
    ca.OP_ADD: "{0}+{1}",
    ca.OP_SUB: "{0}-{1}",
    ca.OP_MUL: "{0}*{1}",
    ca.OP_DIV: "{0}/{1}",
    ca.OP_LT: "{0}<{1}",
    ca.OP_LE: "{0}<={1}",
    ca.OP_EQ: "{0}=={1}",
    ca.OP_NE: "{0}!={1}",
    ca.OP_AND: "{0}&&{1}",
    ca.OP_OR: "{0}||{1}",
    ca.OP_IF_ELSE_ZERO: "{0}?{1}:0",
    ca.OP_POW: "pow({0},{1})",
    ca.OP_CONSTPOW: "pow({0},{1})",
    ca.OP_FMIN: "fmin({0},{1})",
    ca.OP_FMAX: "fmax({0},{1})",
    ca.OP_FMOD: "fmod({0},{1})",
    ca.OP_REMAINDER: "remainder({0},{1})",
    ca.OP_ATAN2: "atan2({0},{1})",
    ca.OP_COPYSIGN: "copysign({0},{1})",
    ca.OP_HYPOT: "hypot({0},{1})",
}
_UNARY = {
    ca.OP_ASSIGN: "{0}",
    ca.OP_NEG: "-{0}",
    ca.OP_SQ: "{0}*{0}",
    ca.OP_TWICE: "2*{0}",
    ca.OP_INV: "1/{0}",
    ca.OP_NOT: "!{0}",
    ca.OP_SIGN: "{0}<0?-1:{0}>0?1:{0}",
}
_NAMED = {
    ca.OP_EXP: "exp",
    ca.OP_LOG: "log",
    ca.OP_SQRT: "sqrt",
    ca.OP_SIN: "sin",
    ca.OP_COS: "cos",
    ca.OP_TAN: "tan",
    ca.OP_ASIN: "asin",
    ca.OP_ACOS: "acos",
    ca.OP_ATAN: "atan",
    ca.OP_SINH: "sinh",
    ca.OP_COSH: "cosh",
    ca.OP_TANH: "tanh",
    ca.OP_ASINH: "asinh",
    ca.OP_ACOSH: "acosh",
    ca.OP_ATANH: "atanh",
    ca.OP_FABS: "fabs",
    ca.OP_FLOOR: "floor",
    ca.OP_CEIL: "ceil",
    ca.OP_ERF: "erf",
    ca.OP_LOG1P: "log1p",
    ca.OP_EXPM1: "expm1",
}
_TAKEN = {"do", "if", "for", "int", "arg", "res", "own", "NAN", "pow", *_NAMED.values()}
"""Words that cannot name values."""


@dataclass(frozen=True)
class Dialect:
    """How numbers, constants and operations are written.

    Attributes
    ----------
    number : str
        Type of a value; ``D`` is to stand for a constant one.
    forms : mapping of int to str
        Operations by CasADi's codes, with places for the values that they take.
    constant : str
        Text of a constant, with a place for its literal.
    nested : bool
        Whether values that are used once have no name.
    """

    number: str
    forms: Mapping[int, str]
    constant: str = "{0}"
    nested: bool = False


_FORMS = _BINARY | _UNARY | {code: f"{name}({{0}})" for code, name in _NAMED.items()}
_SCALAR_LOOKUPS = {
    PIECE: "mb_piece(&{lookup},{0})",
    ENTRY: "{lookup}.row[(int){0}+{column}]",
}
SCALAR = Dialect("double", _FORMS | _SCALAR_LOOKUPS, nested=True)
"""One number for a value."""
_LANE_BINARY = {
    ca.OP_LT: "less",
    ca.OP_LE: "at_most",
    ca.OP_EQ: "equal",
    ca.OP_NE: "unequal",
    ca.OP_AND: "and",
    ca.OP_OR: "or",
    ca.OP_IF_ELSE_ZERO: "if",
    ca.OP_POW: "lane_pow",
    ca.OP_CONSTPOW: "lane_pow",
    ca.OP_FMIN: "smaller",
    ca.OP_FMAX: "larger",
    ca.OP_FMOD: "each_fmod",
    ca.OP_REMAINDER: "each_remainder",
    ca.OP_ATAN2: "lane_atan2",
    ca.OP_COPYSIGN: "with_sign_of",
    ca.OP_HYPOT: "each_hypot",
}
_LANE_UNARY = {
    ca.OP_NOT: "not",
    ca.OP_SIGN: "sign",
    ca.OP_SQRT: "root",
    ca.OP_FABS: "magnitude",
    **{
        code: f"lane_{_NAMED[code]}"
        for code in (ca.OP_SIN, ca.OP_COS, ca.OP_TAN, ca.OP_ASIN, ca.OP_ACOS, ca.OP_ATAN)
    },
    **{code: f"lane_{_NAMED[code]}" for code in (ca.OP_EXP, ca.OP_LOG, ca.OP_EXPM1)},
    **{code: f"lane_{_NAMED[code]}" for code in (ca.OP_SINH, ca.OP_COSH, ca.OP_TANH)},
}
LANES = Dialect(
    "mb_lane",
    _FORMS
    | {code: f"mb_each_{name}({{0}})" for code, name in _NAMED.items()}
    | {code: f"mb_{name}({{0}},{{1}})" for code, name in _LANE_BINARY.items()}
    | {code: f"mb_{name}({{0}})" for code, name in _LANE_UNARY.items()}
    | {ca.OP_TWICE: "{0}+{0}", ca.OP_INV: "mb_all(1)/{0}"}
    | {
        PIECE: "mb_each_piece(&{lookup},{0})",
        ENTRY: "mb_each_entry(&{lookup},{0},{column})",
    },
    "mb_all({0})",
)
"""A vector for a value, with the same value of several instances; see ``mb_lanes.h``."""


@dataclass(frozen=True)
class Spelling:
    """How values of a program are written in one function.

    Attributes
    ----------
    arguments : sequence of str
        Text of each argument in C, such as ``arg[5]``.
    given : dict of int to str
        Values that need not be computed, and where they are.
    """

    program: Program
    dialect: Dialect
    arguments: Sequence[str]
    given: Mapping[int, str]

    def formula(self, v: int, names: Mapping[int, str]) -> str:
        """Return how a value follows from others, of which ``names`` has the computed ones."""
        operation = self.program.operations[v]
        values = (self.value(of, names) for of in operation.of)
        form = self.dialect.forms[operation.code]
        if operation.lookup is None:
            return form.format(*values)
        return form.format(*values, lookup=operation.lookup.name, column=operation.entry[1])

    def value(self, v: int, names: Mapping[int, str]) -> str:
        """Return what stands for a value."""
        operation = self.program.operations[v]
        if v in names:
            return names[v]
        if v in self.given:
            return self.given[v]
        if operation.code == ca.OP_CONST:
            return self.constant(operation.constant)
        argument, entry = operation.entry
        return f"{self.arguments[argument]}[{entry}]"

    def constant(self, value: float) -> str:
        """Return a constant."""
        return self.dialect.constant.format(_literal(value))


def short_names() -> Iterator[str]:
    """Names of two characters, then longer ones: they are half of the text."""
    for length in count(2):
        for first in ascii_letters:
            for others in product(ascii_letters + digits, repeat=length - 1):
                name = first + "".join(others)
                if name not in _TAKEN:
                    yield name


def _literal(value: float) -> str:
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    text = repr(float(value))
    # In parentheses: ``a--1.0`` would not be C.
    return f"({text})" if value < 0 else text
