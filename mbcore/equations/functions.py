"""The functions that equations consist of, names, arguments, results, sizes, and how one is made.

`mbcore.equations.equations` makes a function of each row, `mbcore.codegen.c_model` writes it
in C, `mbcore.codegen.headers` declares it for the runtime. To add a function, add a row here and a
method ``_make_NAME`` to the class in `mbcore.equations.function_results`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import casadi as ca
import numpy as np

from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, dense, hashes, symbolic
from mbcore.model.tables.common_formulas import common_once
from mbcore.model.tables.lookup import is_slope, without_slopes

POWER = ("virtual_power", "power_size", "power_error")
"""Functions that check accelerations; those of a library or FMU may be left out."""

LARGE = 400
"""Coordinates above which formulas that are repeated are not searched for in Python's functions: of
a chain of 80 links it takes as long as 6,000 evaluations gain, and C takes over earlier."""
MOST_SEARCHED = 100_000
"""Operations above which a function is not searched either: 178,000 of a change of the rates become
161,000 within 1.4 s, which no Jacobians of one run gain."""

COUNTS = {
    "nx": "nodal coordinates and tears",
    "ni": "the first of them, which are iterated; the others follow",
    "nc": "conditions of the position problem",
    "ns": "continuous states",
    "nd": "discrete variables; the first are the events' modes",
    "nu": "inputs",
    "np": "parameters",
    "ny": "outputs",
    "ne": "events",
    "nq": "requirements",
    "nr": "limits that are followed, and blocks of the two Jacobians that can become singular",
    "nf": "degrees of freedom",
    "nm": "the first of them, which have values; the others are slips",
    "nv": "given rates: of rigid and prescribed deformations, zero slips, degrees of freedom",
    "nk": "values that functions have in common at a point",
}
"""Counts that sizes are written in."""

POINT = {"t": "1", "s": "ns", "d": "nd", "u": "nu", "p": "np", "x": "nx"}
"""Arguments of every function, in this order, with their sizes."""

EXTRA = {
    "fired": "ne",  # events: -1 becomes inactive, 0 stays, 1 becomes active
    "direction": "ns + 1",  # in (s, t)
    "variation": "ns + 1 + nu + np",  # in (s, t, u, p)
    "whole_variation": "ns + 1 + nu + np + nd",  # in (s, t, u, p, d), of d remembered numbers alone
    "held_variation": "ns + nu + nf",  # in (s, u) and accelerations of the degrees of freedom
    "rate_seed": "ns",
    "output_seed": "ny",
}
"""Further arguments of some functions, with their sizes."""


@dataclass(frozen=True)
class Signature:
    """Further arguments and results of a function; sizes are sums and products of counts.

    Attributes
    ----------
    results : mapping of str to str
        Size of each result.
    meaning : str
        Its meaning, for the comment in C.
    extra : tuple of str
        Names of `EXTRA` arguments.
    in_c : bool
        Whether the runtime needs it.
    on_request : bool
        In C the last result is computed only if the caller has a place for it.
    """

    results: Mapping[str, str]
    meaning: str
    extra: tuple[str, ...] = ()
    in_c: bool = True
    on_request: bool = False

    def arguments(self) -> dict[str, str]:
        """Return all arguments with their sizes, in order."""
        return POINT | {name: EXTRA[name] for name in self.extra}


FUNCTIONS = {
    "newton": Signature({"following": "nx", "residual": "nc"}, "x after a step of (A.98)"),
    "place": Signature({"x": "nx"}, "x with what follows from iterated coordinates in place"),
    "derivative": Signature({"ds": "ns"}, "rates of the states"),
    "output": Signature({"y": "ny"}, "outputs"),
    "indicator": Signature({"g": "ne"}, "event indicators"),
    "free_indicator": Signature({"g": "ne"}, "the same where no contact is closed; cheaper"),
    "update": Signature({"d": "nd", "s": "ns"}, "after events", ("fired",)),
    "project": Signature(
        {"s": "ns", "drift": "1"}, "closed gaps are closed again; drift of at most 1 is good"
    ),
    "tangent": Signature({"ds": "ns"}, "ds of change by (s, t) alone", ("direction",), False),
    "require": Signature({"value": "nq", "shown": "nq"}, "met where value > 0; what to print"),
    "conditioning": Signature(
        {"r": "nr"}, "in [-1, 1]: 0 where a limit is reached or a block singular"
    ),
    "virtual_power": Signature(
        {"left": "nf", "part": "nf"},
        "left over, 0 if accelerations are right; a part of each, at most its size",
    ),
    "power_size": Signature({"size": "nf"}, "what its terms add up to in size"),
    "power_error": Signature({"error": "1"}, "error of accelerations by a step of refinement"),
    "rate_use": Signature({"use": "nu"}, "not 0 where the rate of an input matters at present"),
    "start": Signature({"x": "nx", "size": "nx"}, "a first guess; the coordinates' natural sizes"),
    "mass": Signature({"M": "nf * nf", "f": "nf"}, "reduced mass and force (A.107)", in_c=False),
    "change": Signature(
        {"ds": "ns", "y": "ny"}, "changes, x following", ("variation",), on_request=True
    ),
    "adjoint_change": Signature(
        {"variation": "ns + 1 + nu + np"}, "transpose of change", ("rate_seed", "output_seed")
    ),
    "rate_change": Signature({"ds": "ns"}, "ds of change alone", ("variation",), in_c=False),
    "remembered_change": Signature(
        {"ds": "ns"}, "ds of change by remembered numbers alone", ("whole_variation",), in_c=False
    ),
    "indicator_change": Signature(
        {"g": "ne"}, "of the indicators", ("whole_variation",), in_c=False
    ),
    "jump_change": Signature(
        {"s": "ns", "d": "nd"},
        "of states and remembered numbers after events",
        ("fired", "whole_variation"),
        in_c=False,
    ),
    "project_change": Signature(
        {"s": "ns"}, "of what project gives", ("whole_variation",), in_c=False
    ),
    "held": Signature(
        {"held": "ns + ny + nv"},
        "forces that hold the degrees of freedom, rates of other states, outputs, stresses",
        in_c=False,
    ),
    "held_change": Signature(
        {"held": "ns + ny"},
        "of the first three of these, accelerations being zero",
        ("held_variation",),
        in_c=False,
    ),
}


def number(size: str, counts: Mapping[str, int]) -> int:
    """Return a size as a number, for the given counts."""
    return sum(
        prod(int(f) if f.isdigit() else counts[f] for f in map(str.strip, term.split("*")))
        for term in size.split("+")
    )


def shape(size: str, counts: Mapping[str, int]) -> tuple[int, int]:
    """Return the rows and columns of a result: a product of counts is a matrix."""
    rows, _, columns = size.partition("*") if "+" not in size else (size, "", "")
    return number(rows, counts), number(columns, counts) if columns else 1


class FunctionMaker:
    """Makes functions of (t, s, d, u, p, x) of settled expressions in directions of nodes.

    Parameters
    ----------
    name : str
        The model's name, for messages.
    arguments : sequence of SX
        t, s, d, u, p and x.
    in_coordinates : callable
        Replaces directions of nodes in an expression by coordinates.
    large : bool
        Whether formulas that are repeated are not searched for.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[ca.SX],
        in_coordinates: Callable[[ca.SX], ca.SX],
        large: bool,
    ) -> None:
        self._name, self._arguments = name, list(arguments)
        self._in_coordinates, self._large = in_coordinates, large

    def make(
        self, name: str, results: Sequence[ca.SX], extra: Sequence[ca.SX], seldom: bool
    ) -> ca.Function:
        """Return a function, as `mbcore.equations.equations.Equations.function` says.

        Raises
        ------
        ModelError
            Naming symbols that are none of the arguments.
        """
        placed = self._placed([symbolic(r) for r in results])
        # Formulas that elements repeat are evaluated once.
        as_they_are = seldom or self._large or ca.n_nodes(ca.veccat(*placed)) > MOST_SEARCHED
        whole = [dense(r) for r in (placed if as_they_are else common_once(placed))]
        arguments_ = [*self._arguments, *extra]
        known = self._argument_hashes | hashes(column(map(symbolic, extra)))
        stray = _strays(whole, known)
        if stray:  # perhaps in derivatives of lookups alone, which are zero
            whole = [dense(without_slopes(r)) for r in whole]
            stray = _strays(whole, known)
        if stray:
            raise ModelError(
                f"{self._name}, {name}: unknown symbols {', '.join(sorted(stray))}; use symbols of "
                "this model's parameters, inputs, states and handles only"
            )
        made = ca.Function(name, arguments_, whole)
        if any(map(is_slope, made.find_functions())):
            made = ca.Function(name, arguments_, [dense(without_slopes(r)) for r in whole])
        return made

    @cached_property
    def _argument_hashes(self) -> set[int]:
        """Hashes of the symbols in the arguments."""
        return hashes(column(map(symbolic, self._arguments)))

    def _placed(self, results: list[ca.SX]) -> list[ca.SX]:
        """Replace directions in all results at once, so that common subexpressions stay common."""
        ends = np.cumsum([0, *(r.numel() for r in results)])
        whole = self._in_coordinates(column(ca.vec(dense(r)) for r in results))
        return [
            ca.reshape(whole[int(a) : int(b)], r.shape)
            for a, b, r in zip(ends[:-1], ends[1:], results, strict=True)
        ]


def _strays(results: Sequence[ca.SX], known: set[int]) -> set[str]:
    """Return the names of symbols in results that are not among those of known hashes."""
    symbols = (symbol for result in results for symbol in ca.symvar(result))
    return {symbol.name() for symbol in symbols if symbol.element_hash() not in known}


class Functions(Mapping[str, ca.Function]):
    """The functions of equations by name, each made on first use.

    A view that the equations do not refer to: a circle of references would keep large expressions
    in memory until the garbage collector runs.
    """

    def __init__(self, made: dict[str, ca.Function], make: Callable[[str], ca.Function]) -> None:
        self._made, self._make = made, make

    def __getitem__(self, name: str) -> ca.Function:
        if name not in self._made:
            if name not in FUNCTIONS:
                raise KeyError(name)
            self._made[name] = self._make(name)
        return self._made[name]

    def has_made(self, name: str) -> bool:
        """Return whether a function has been made already."""
        return name in self._made

    def __iter__(self) -> Iterator[str]:
        return iter(FUNCTIONS)

    def __len__(self) -> int:
        return len(FUNCTIONS)
