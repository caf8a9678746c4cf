"""Search in a table as a node of an expression: a function of CasADi that gives a row of numbers.

A row holds the origin of a piece of a polynomial and its coefficients. Its derivative is zero, so
that derivatives of a table are those of the polynomial, exact, and nothing but the row is looked
up. CasADi 3.8 takes what it finds in memory for a derivative that has no entries, so this one has
entries, zeros, and expressions get calls of its functions; `without_slopes` leaves these out.
The numbers are read from the function again where C is written, also from one that was pickled.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import casadi as ca
import numpy as np

_PREFIX = "mb_rows_"
_REFUSES, _FREE = "refuse", "row"
_STEPS = "steps"
"""Behind one of these: steps end at the ends."""
_AXIS, _CORNER = "axis", "z"
_KIND = re.compile(rf"({_REFUSES}|{_FREE})({_AXIS})?({_STEPS})?([0-9]*)((?:{_CORNER}[0-9]+)*)")
"""The first word of a result's name; the number is that of the ordinates that are parameters."""
_LARGEST = sys.float_info.max
_LINE = 3
"""Numbers in a row of straight lines: origin, ordinate and slope."""
_BINARY = 8
"""Ends from which on CasADi halves intervals."""


@dataclass(frozen=True, eq=False)
class Lookup:
    """Rows of numbers, of which an argument takes one.

    Attributes
    ----------
    ends : ndarray, shape (n,)
        Rising numbers; the row of an argument is the one with the number of ends up to it.
    rows : ndarray, shape (n + 1, width)
        The rows.
    label : str
        Its name in messages.
    refuses : bool
        Whether an argument before the first or behind the last end is to be refused.
    units : tuple of str
        SI units of the table's arguments and of its ordinates, or of the argument alone; empty
        texts where they are unknown.
    ends_steps : bool
        Whether steps of an integration end where the argument passes an end at which derivatives
        jump.
    ordinates : int
        How many parameters the coefficients are sums of, whose factors a row has; 0 for rows of
        coefficients.
    axis : bool
        Whether it finds the cell along an axis of a grid.
    corners : tuple of int
        Of a grid that is straight along its axes: the distances from the first to each corner of a
        cell in its numbers, which are stored once. Its argument is the place of the first corner;
        it has no ends.
    """

    ends: np.ndarray
    rows: np.ndarray
    label: str = "table"
    refuses: bool = False
    units: tuple[str, ...] = ()
    ends_steps: bool = False
    ordinates: int = 0
    axis: bool = False
    corners: tuple[int, ...] = ()

    made: ClassVar[bool] = False
    """Whether expressions may call any; to look for calls in each one takes time."""

    def __post_init__(self) -> None:
        """Note that expressions may call lookups from now on."""
        Lookup.made = True

    @cached_property
    def name(self) -> str:
        """Name of the function, which follows from the numbers."""
        digest = hashlib.sha256(self.ends.tobytes() + self.rows.tobytes())
        digest.update(f"{self.label}\n{self.refuses}".encode())
        if self.ends_steps or self.ordinates:
            digest.update(f"{self.ends_steps} {self.ordinates}".encode())
        if self.axis or self.corners:
            digest.update(f"{self.axis} {self.corners}".encode())
        if any(self.units):
            digest.update("\n".join(self.units).encode())
        return f"{_PREFIX}{digest.hexdigest()[:16]}"

    @cached_property
    def function(self) -> ca.Function:
        """The function of the argument that gives its row; a node where expressions call it."""
        x = ca.MX.sym("x")
        width = len(self.columns)
        numbers = ca.MX(ca.DM(self.rows.ravel()))
        first = x if self.corners else width * self._interval(x)
        row = ca.vertcat(*(numbers[first + i] for i in self.columns))
        given, result = _identifier(self.label), _REFUSES if self.refuses else _FREE
        result += _AXIS if self.axis else ""
        result += _STEPS if self.ends_steps else ""
        result += str(self.ordinates or "")
        result += "".join(f"{_CORNER}{corner}" for corner in self.corners)
        if any(self.units):
            result += "_" + "\n".join(self.units).encode().hex()
        return ca.Function(
            self.name,
            [x],
            [row],
            [given],
            [result],
            {
                "never_inline": True,
                "enable_forward": False,
                "enable_reverse": False,
                "custom_jacobian": _no_slope(self.name, given, result, width),
            },
        )

    @property
    def columns(self) -> tuple[int, ...]:
        """Where the numbers of a row are from its first one on."""
        return self.corners or tuple(range(self.rows.shape[1]))

    def _interval(self, x: ca.MX) -> ca.MX:
        grid = ca.DM(np.concatenate([[-_LARGEST], self.ends, [_LARGEST]]))
        options = {"lookup_mode": "binary"} if len(self.ends) > _BINARY else {}
        return ca.low(grid, x, options)

    def place(self, x: np.ndarray) -> np.ndarray:
        """Return the places of the rows of numbers."""
        return np.searchsorted(self.ends, x, side="right")


def _no_slope(name: str, given: str, result: str, width: int) -> ca.Function:
    """Return the Jacobian of a lookup, of zeros that are entries."""
    return ca.Function(
        f"jac_{name}",
        [ca.MX.sym("x"), ca.MX.sym("row", width)],
        [ca.MX(ca.DM.zeros(width, 1))],
        [given, f"out_{result}"],
        [f"jac_{result}_{given}"],
        {"never_inline": True},
    )


def is_lookup(function: ca.Function) -> bool:
    """Return whether a function that an expression calls is that of a lookup."""
    return bool(function.name().startswith(_PREFIX))


def is_slope(function: ca.Function) -> bool:
    """Return whether a function that an expression calls is a derivative of a lookup, so zero."""
    return _PREFIX in function.name() and not is_lookup(function)


def without_slopes(expression: ca.SX) -> ca.SX:
    """Return an expression without calls of derivatives of lookups, which are zero."""
    if not Lookup.made or expression.is_constant():
        return expression
    symbols = ca.symvar(expression)
    function = ca.Function("calls", [ca.vertcat(*symbols)], [expression])
    if not any(map(is_slope, function.find_functions())):
        return expression
    return rebuilt(function, symbols, lambda called: None if is_slope(called) else called)


def rebuilt(
    function: ca.Function,
    symbols: list[ca.SX],
    other: Callable[[ca.Function], ca.Function | None],
) -> ca.SX:
    """Return the result of a function of ``symbols``, with calls of others, or zeros for None."""
    nodes = function.instructions_sx()
    work: dict[int, ca.SX] = {}
    found = [ca.SX(0)] * function.nnz_out(0)
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        of, to = function.instruction_input(k), function.instruction_output(k)
        if code == ca.OP_OUTPUT:
            found[to[1]] = work[of[0]]
        elif code == ca.OP_INPUT:
            work[to[0]] = symbols[of[1]]
        elif code == ca.OP_CONST:
            work[to[0]] = ca.SX(function.instruction_constant(k))
        elif code == ca.OP_CALL:
            called = other(nodes[k].which_function())
            parts = [work[i] for i in of]
            results = [ca.SX(0)] * len(to) if called is None else called_with(called, parts)
            work |= {place: part for place, part in zip(to, results, strict=True) if place >= 0}
        elif len(of) == 2:
            work[to[0]] = ca.SX.binary(code, work[of[0]], work[of[1]])
        else:
            work[to[0]] = ca.SX.unary(code, work[of[0]])
    return ca.SX(function.sparsity_out(0), ca.vertcat(*found))


def called_with(function: ca.Function, entries: list[ca.SX]) -> list[ca.SX]:
    """Return the entries of all results of a function, given those of all arguments."""
    arguments, first = [], 0
    for i in range(function.n_in()):
        size = function.nnz_in(i)
        arguments.append(ca.SX(function.sparsity_in(i), ca.vertcat(*entries[first : first + size])))
        first += size
    return [part for result in function.call(arguments) for part in result.nonzeros()]


def lookup_of(function: ca.Function) -> Lookup:
    """Return the numbers of a lookup's function."""
    label = function.name_in(0).replace("_", " ").strip()
    kind = _KIND.fullmatch(function.name_out(0).partition("_")[0])
    assert kind is not None
    units = table_units(function)
    found = [
        np.array(function.instruction_MX(i).to_DM().full()).ravel()
        for i in range(function.n_instructions())
        if function.instruction_id(i) == ca.OP_CONST
    ]
    if corners := tuple(map(int, kind[5].split(_CORNER)[1:])):
        numbers = max(found, key=len)
        return Lookup(np.zeros(0), numbers.reshape(-1, 1), label, units=units, corners=corners)
    [grid] = [numbers for numbers in found if numbers[0] == -_LARGEST]
    width = int(function.numel_out(0))
    [rows] = [numbers for numbers in found if numbers.size == width * (len(grid) - 1)]
    return Lookup(
        grid[1:-1],
        rows.reshape(-1, width),
        label,
        kind[1] == _REFUSES,
        units,
        bool(kind[3]),
        int(kind[4] or 0),
        bool(kind[2]),
    )


def ends_steps(function: ca.Function) -> bool:
    """Return whether steps end at the ends of a function's lookup."""
    return is_lookup(function) and _STEPS in function.name_out(0).partition("_")[0]


def is_grid(function: ca.Function) -> bool:
    """Return whether a function gives the corners of a cell of a grid."""
    return is_lookup(function) and _CORNER in function.name_out(0).partition("_")[0]


def table_units(function: ca.Function) -> tuple[str, ...]:
    """Return the units of a lookup, given its function; none of another function."""
    text = function.name_out(0).partition("_")[2] if is_lookup(function) else ""
    return tuple(bytes.fromhex(text).decode().split("\n")) if text else ()


def calls(expression: ca.SX) -> Iterator[tuple[ca.Function, ca.SX]]:
    """Yield the functions that an expression calls, with their arguments; most call none."""
    if expression.is_constant():
        return
    function = ca.Function("calls", [], [expression], {"allow_free": True})
    # Far faster than to go through all instructions.
    if not function.find_functions():
        return
    nodes = function.instructions_sx()
    for i in range(function.n_instructions()):
        if function.instruction_id(i) == ca.OP_CALL:
            yield nodes[i].which_function(), nodes[i].dep(0)


def with_corners(expression: ca.SX) -> list[str]:
    """Return the names of tables of straight lines, or bilinear ones, that an expression calls."""
    called = {function.name(): function for function, _ in calls(expression)}
    found = [lookup_of(function) for function in called.values() if is_lookup(function)]
    widths = [(one.rows.shape[1] - 1) / (one.ordinates or 1) + 1 for one in found]
    lines = [one for one, width in zip(found, widths, strict=True) if width == _LINE]
    return [lookup.label for lookup in [*lines, *(one for one in found if one.corners)]]


def _identifier(label: str) -> str:
    """Return a label as CasADi allows names: letters, digits and single underscores."""
    text = re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_")
    return text if text[:1].isalpha() else f"x_{text}".rstrip("_")
