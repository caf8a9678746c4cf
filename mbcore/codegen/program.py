"""Expressions as a list of operations, with common values of several functions, and these in C.

Each value is computed once and has a number of its own. Functions that need most values of a base
function read them from an array that it fills once a point.

In C, a function is a row of static functions of bounded length, whose values pass through a work
array: the time and memory of a compiler grow faster than the length of a function. Values that stay
within a piece are locals; ``D`` stands for ``const double``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, groupby, product
from string import ascii_letters, digits

import casadi as ca

from mbcore.codegen.guards import Guard, guards, in_runs

PIECE = 600
"""Largest number of statements in a C function."""

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
_ENTRY = re.compile(r"\barg\[(\d+)\]\[")
_LETTERS = "tsdupxabcefghijklmno"
"""Short names of arguments, in their order."""


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
        What stands for a constant, with a place for its literal.
    """

    number: str
    forms: Mapping[int, str]
    constant: str = "{0}"


_FORMS = _BINARY | _UNARY | {code: f"{name}({{0}})" for code, name in _NAMED.items()}
SCALAR = Dialect("double", _FORMS)
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
    | {ca.OP_TWICE: "{0}+{0}", ca.OP_INV: "mb_all(1)/{0}"},
    "mb_all({0})",
)
"""A vector for a value, with the same value of several instances; see ``mb_lanes.h``."""


@dataclass(frozen=True)
class Operation:
    """One value: an operation of CasADi on others, or a constant, or an entry of an argument."""

    code: int
    of: tuple[int, ...] = ()
    constant: float = 0.0
    entry: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Program:
    """Values in an order in which each needs only those before it.

    Attributes
    ----------
    operations : list of Operation
        By number of the value.
    results : dict of str to list of list of int
        Values of each function's results, dense.
    branches : bool
        Whether C leaves out what a condition makes needless.
    """

    operations: list[Operation]
    results: dict[str, list[list[int]]]
    branches: bool = False

    def computed(self, results: Sequence[Sequence[int]], given: Collection[int] = ()) -> list[int]:
        """Return the values that are computed for results, in order.

        Parameters
        ----------
        results : sequence of sequence of int
            Values of each result.
        given : collection of int
            Values that are known, beside constants and entries of arguments.
        """
        known = (ca.OP_CONST, ca.OP_INPUT)
        pending = [v for result in results for v in result]
        found: set[int] = set()
        while pending:
            v = pending.pop()
            if v in found or v in given or self.operations[v].code in known:
                continue
            found.add(v)
            pending += self.operations[v].of
        return sorted(found)


def program(
    functions: Mapping[str, tuple[ca.Function, Sequence[int]]],
    arguments: Sequence[ca.SX],
    branches: bool = False,
) -> Program:
    """Merge functions of the same arguments.

    Parameters
    ----------
    functions : mapping of str to (casadi.Function, sequence of int)
        SX functions, and which of the arguments each takes.
    arguments : sequence of SX
        Symbols for all arguments; ``Operation.entry`` counts in them.
    branches : bool
        Whether their C leaves out what a condition makes needless.
    """
    parts: list[ca.SX] = []
    ends: dict[str, list[int]] = {}
    for name, (function, taken) in functions.items():
        results = function.call([arguments[i] for i in taken], True, False)
        ends[name] = [int(r.numel()) for r in results]
        parts += [ca.vec(ca.densify(r)) for r in results]
    whole = ca.cse(ca.vertcat(ca.SX(0, 1), *parts))
    operations, values = _operations(ca.Function("merged", list(arguments), [ca.densify(whole)]))
    results_of: dict[str, list[list[int]]] = {}
    first = 0
    for name, sizes in ends.items():
        results_of[name] = []
        for size in sizes:
            results_of[name].append(values[first : first + size])
            first += size
    return Program(operations, results_of, branches)


def _operations(function: ca.Function) -> tuple[list[Operation], list[int]]:
    """Return the operations of a function, and the values of its only result."""
    operations: list[Operation] = []
    here: dict[int, int] = {}
    values = [0] * int(function.numel_out(0))
    constants: dict[float, int] = {}
    entries: dict[tuple[int, int], int] = {}
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        inputs, outputs = function.instruction_input(k), function.instruction_output(k)
        if code == ca.OP_OUTPUT:
            values[outputs[1]] = here[inputs[0]]
            continue
        if code == ca.OP_CONST:
            constant = function.instruction_constant(k)
            if constant not in constants:
                constants[constant] = len(operations)
                operations.append(Operation(code, constant=constant))
            here[outputs[0]] = constants[constant]
            continue
        if code == ca.OP_INPUT:
            entry = (inputs[0], inputs[1])
            if entry not in entries:
                entries[entry] = len(operations)
                operations.append(Operation(code, entry=entry))
            here[outputs[0]] = entries[entry]
            continue
        of = tuple(here[i] for i in inputs)
        here[outputs[0]] = len(operations)
        operations.append(Operation(code, of))
    return operations, values


@dataclass(frozen=True)
class Text:
    """C of one function: its pieces, a caller by its name, and the size of its work array."""

    source: str
    work: int
    statements: int


def statements(
    program: Program,
    name: str,
    arguments: Sequence[str],
    results: Sequence[Sequence[int]],
    given: dict[int, str],
    on_request: int | None = None,
    stored: int | None = None,
    dialect: Dialect = SCALAR,
) -> Text:
    """Write one function of a program.

    Parameters
    ----------
    name : str
        Its name in C; it takes ``(const double **arg, double **res, double *w)``.
    arguments : sequence of str
        What stands for each argument in C, such as ``arg[5]``.
    results : sequence of sequence of int
        Values of each result; result k is written to ``res[k]``.
    given : dict of int to str
        Values that need not be computed, and where they are.
    on_request : int, optional
        The result of this number is computed only where ``res[on_request]`` is not NULL.
    stored : int, optional
        The result of this number consists of values on the way to the others, and is written only
        where ``res[stored]`` is not NULL.
    dialect : Dialect
        How values are written.
    """
    own = _Writer(program, name, arguments, given, on_request, stored, dialect)
    return own.write(results)


class _Writer:
    def __init__(
        self,
        program: Program,
        name: str,
        arguments: Sequence[str],
        given: dict[int, str],
        on_request: int | None,
        stored: int | None,
        dialect: Dialect,
    ) -> None:
        self._program, self._name, self._dialect = program, name, dialect
        self._arguments, self._given = arguments, given
        self._on_request, self._stored = on_request, stored
        self._tail: set[int] = set()
        self._guards: dict[int, Guard] = {}

    def write(self, results: Sequence[Sequence[int]]) -> Text:
        always = [r for k, r in enumerate(results) if k not in (self._on_request, self._stored)]
        order = self._program.computed(always, self._given)
        if self._on_request is not None:
            wanted = self._program.computed([results[self._on_request]], self._given)
            self._tail = set(wanted) - set(order)
            always = [*always, results[self._on_request]]
        order = self._in_runs(order, [v for result in always for v in result])
        # Last, so that one condition spans all that only this result needs.
        order += sorted(self._tail)
        pieces = [order[i : i + PIECE] for i in range(0, len(order), PIECE)] or [[]]
        piece_of = {v: k for k, piece in enumerate(pieces) for v in piece}
        stores: dict[int, list[str]] = {}
        loose: list[str] = []
        stored_values: dict[int, list[tuple[str, int]]] = {}
        for k, result in enumerate(results):
            for i, v in enumerate(result):
                if k == self._stored:
                    stored_values.setdefault(piece_of[v], []).append((f"res[{k}][{i}]", v))
                    continue
                target = f"res[{k}][{i}]"
                if k == self._on_request and v not in self._tail:
                    target = f"if({self._wanted}){target}"
                if v in piece_of:
                    stores.setdefault(v, []).append(target)
                else:
                    loose.append(f"{target}={self._value(v, {})};")
        slots, work = self._slots(pieces, piece_of)
        texts, calls = [], []
        for k, piece in enumerate(pieces):
            body = self._piece(piece, k, piece_of, slots, stores, stored_values.get(k, []))
            if k == len(pieces) - 1:
                body += loose
            own = f"{self._name}_{k}" if len(pieces) > 1 else self._name
            texts.append(self._function(own, body))
            calls.append(f"    {own}(arg, res, w);")
        if len(pieces) > 1:
            texts.append(self._function(self._name, calls))
        return Text("\n".join(texts), work, len(order))

    def _in_runs(self, order: list[int], results: list[int]) -> list[int]:
        """Find the guards, and return an order in which they are few."""
        if not self._program.branches:
            return order
        both = [*order, *self._tail]
        needs = {v: self._program.operations[v].of for v in both}
        codes = {v: self._program.operations[v].code for v in both}
        found = guards(codes, needs, results)
        self._guards = {v: guard for v, guard in found.items() if v not in self._tail}
        return in_runs(order, needs, self._guards)

    def _slots(
        self, pieces: list[list[int]], piece_of: dict[int, int]
    ) -> tuple[dict[int, int], int]:
        """Places in the work array of values that pass from one piece to another."""
        last: dict[int, int] = {}
        for k, piece in enumerate(pieces):
            for v in piece:
                for of in self._program.operations[v].of:
                    if piece_of.get(of, k) != k:
                        last[of] = k
        slots: dict[int, int] = {}
        free: list[int] = []
        size = 0
        ending: dict[int, list[int]] = {}
        for v, k in last.items():
            ending.setdefault(k, []).append(v)
        for k, piece in enumerate(pieces):
            for v in piece:
                if v in last:
                    if not free:
                        free.append(size)
                        size += 1
                    slots[v] = free.pop()
            # Slots are free for the next piece only, because this one still reads them.
            free += [slots[v] for v in ending.get(k, [])]
        return slots, size

    def _piece(
        self,
        piece: list[int],
        k: int,
        piece_of: dict[int, int],
        slots: dict[int, int],
        stores: dict[int, list[str]],
        stored_values: Sequence[tuple[str, int]],
    ) -> list[str]:
        own: list[str] = []
        tail: list[str] = []
        names: dict[int, str] = {}
        fresh = _short_names()
        # Stored values may be among those that the results need not.
        everything = [] if self._stored is None else [f"res[{self._stored}]"]
        shown = self._shown(piece) | slots.keys() | stores.keys() | {v for _, v in stored_values}
        for guard, run in groupby(piece, self._guards.get):
            inside: list[str] = []
            for v in run:
                lines = tail if v in self._tail else own
                for of in (*self._program.operations[v].of, *sorted(guard or ())):
                    if of in piece_of and piece_of[of] != k and of not in names:
                        names[of] = next(fresh)
                        lines.append(f"D {names[of]}=w[{slots[of]}];")
                operation = self._program.operations[v]
                values = [self._value(of, names) for of in operation.of]
                names[v] = next(fresh)
                if guard is None:
                    lines.append(f"D {names[v]}={self._formula(operation, values)};")
                elif v in shown:
                    zero = self._dialect.constant.format(0)
                    own.append(f"{self._dialect.number} {names[v]}={zero};")
                    inside.append(f"{names[v]}={self._formula(operation, values)};")
                else:
                    inside.append(f"D {names[v]}={self._formula(operation, values)};")
            if guard is not None:
                holds = "&&".join(self._value(c, names) for c in sorted(guard))
                # Parentheses, since compilers warn where && stands beside ||.
                needed = "||".join([f"({holds})", *everything]) if everything else holds
                own += [f"if({needed}){{", *inside, "}"]
        # Slots of the work array are written last, because they may still be read before.
        for v in piece:
            lines = tail if v in self._tail else own
            lines += [f"{target}={names[v]};" for target in stores.get(v, [])]
            if v in slots:
                lines.append(f"w[{slots[v]}]={names[v]};")
        if stored_values:
            stored = [f"{target}={names[v]};" for target, v in stored_values]
            own += [f"if(res[{self._stored}]){{", *stored, "}"]
        return [*own, f"if({self._wanted}){{", *tail, "}"] if tail else own

    def _shown(self, piece: list[int]) -> set[int]:
        """Values of a piece that are needed outside the run of values with the same guard."""
        run_of: dict[int, int] = {}
        for k, (_, run) in enumerate(groupby(piece, self._guards.get)):
            run_of |= dict.fromkeys(run, k)
        return {
            of
            for v in piece
            for of in (*self._program.operations[v].of, *self._guards.get(v, ()))
            if of in run_of and run_of[of] != run_of[v]
        }

    @property
    def _wanted(self) -> str:
        return f"res[{self._on_request}]"

    def _formula(self, operation: Operation, values: list[str]) -> str:
        return self._dialect.forms[operation.code].format(*values)

    def _literal(self, value: float) -> str:
        return self._dialect.constant.format(_literal(value))

    def _value(self, v: int, names: dict[int, str]) -> str:
        operation = self._program.operations[v]
        if v in names:
            return names[v]
        if v in self._given:
            return self._given[v]
        if operation.code == ca.OP_CONST:
            return self._literal(operation.constant)
        argument, entry = operation.entry
        return f"{self._arguments[argument]}[{entry}]"

    def _function(self, name: str, body: list[str]) -> str:
        number = self._dialect.number
        unused = ["    (void)arg;", "    (void)res;", "    (void)w;"]
        head = f"static void {name}(const {number} **arg, {number} **res, {number} *w)"
        text = "\n".join(body)
        used = sorted(set(_ENTRY.findall(text)), key=int)
        letters = [f"    const {number} *{_LETTERS[int(k)]} = arg[{k}];" for k in used]
        short = _ENTRY.sub(lambda found: f"{_LETTERS[int(found[1])]}[", text)
        return "\n".join([head, "{", *unused, *letters, short, "}", ""])


def _short_names() -> Iterator[str]:
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
