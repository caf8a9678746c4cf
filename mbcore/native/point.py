"""Compiled functions at a point, and what C linearizes there."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod

import numpy as np

from mbcore.codegen.model_source.sizes import counts
from mbcore.equations.equations import Equations
from mbcore.equations.functions import EXTRA, FUNCTIONS, shape
from mbcore.model.variables import type_of
from mbcore.native.point_arrays import PointArrays, author_start
from mbcore.native.shared import Library, SharedBeside, SharedLinearized

_PLACES = {name: i for i, name in enumerate(FUNCTIONS)}
_SAME = {"tangent": "change", "rate_change": "change"}
"""Functions that are the first result of another one in C."""


@dataclass
class CompiledLinearization:
    """Linearization in C at a point; columns are of states, then of inputs.

    Attributes
    ----------
    rate : ndarray, shape (ns, ns + nu)
        Changes of the states' rates.
    output : ndarray, shape (ny, ns + nu)
        Changes of the outputs.
    mass : ndarray, shape (nd, nd)
        Reduced mass matrix.
    rates : ndarray, shape (ns,)
        Rates of the states.
    depends : ndarray of bool, shape (ns, ns)
        Which entries of the state matrix are more than rounding errors.
    """

    rate: np.ndarray
    output: np.ndarray
    mass: np.ndarray
    rates: np.ndarray
    depends: np.ndarray


@dataclass
class Beside:
    """Where a map linearizes beside each of its n points, along motions that turn.

    Attributes
    ----------
    span : ndarray, shape (n,)
        Times, s, of which it goes
    share : ndarray, shape (k,)
        these parts.
    rest : float
        Largest rate of a state at which nothing turns.
    found : CompiledLinearization
        Result, without outputs; its arrays begin with the dimensions n and k.
    state : ndarray, shape (n, k, ns)
        The states there.
    turns : ndarray of bool, shape (n,)
        Where motions turn; elsewhere there is nothing.
    """

    span: np.ndarray
    share: np.ndarray
    rest: float
    found: CompiledLinearization = field(init=False)
    state: np.ndarray = field(init=False)
    turns: np.ndarray = field(init=False)


class CompiledPoint:
    """Compiled functions at a point.

    Parameters
    ----------
    library : Library
        The equations compiled for analyses.
    equations : Equations
        These equations.
    arrays : PointArrays
        The point.
    extra : mapping of str to ndarray
        Arguments behind the point. ``direction`` has the size of ``variation``, with zeros behind
        what it is of.

    Attributes
    ----------
    at
        The point as C knows it.
    analysis
        Arguments of C's functions.

    Raises
    ------
    MemoryError
        There is not enough memory.
    """

    def __init__(
        self,
        library: Library,
        equations: Equations,
        arrays: PointArrays,
        extra: Mapping[str, np.ndarray],
    ) -> None:
        given = (ctypes.c_void_p * len(EXTRA))(*(extra[name].ctypes.data for name in EXTRA))
        self.analysis = library.open_point(len(FUNCTIONS), given)
        if not self.analysis:
            raise MemoryError("no memory for a point of compiled equations")
        weakref.finalize(self, library.close_point, self.analysis)
        self._there = {i for i in range(len(FUNCTIONS)) if library.has(i)}
        self.library, self._arrays, self._extra = library, arrays, extra
        self.equations = equations
        self._has_mass, self._counts = self.has("mass"), counts(equations)
        nominal = np.array([record.nominal for record in equations.states])
        self._buffer = _Buffer(self._counts, nominal)
        self._own, self._origin = author_start(equations), PointArrays(equations)
        self._items = [i for i, r in enumerate(equations.parameters) if type_of(r) != "real"]
        self.at, self._author = ctypes.pointer(arrays.shared), ctypes.pointer(self._own.shared)
        self._scale, self._measures = (np.empty(self._counts[name]) for name in ("nx", "nr"))
        # once, since the address of an array takes as long as a function
        places = self._scale.ctypes.data, self._measures.ctypes.data
        self._start = self.analysis, self.at, self._author, _place("mass"), *places
        self._linearize = self.analysis, self.at, _place("mass"), self._buffer.shared

    def has(self, name: str) -> bool:
        """Return whether a function is compiled."""
        return _place(name) in self._there

    def place(self, name: str) -> int:
        """Return the place of a function in C; -1 where it is not compiled."""
        return _place(name) if self.has(name) else -1

    def bind(self, name: str) -> tuple[list[np.ndarray], Callable[[], None]]:
        """Return the arrays of a function's results, and what evaluates it at the point."""
        results = [
            np.zeros(shape(size, self._counts), order="F")
            for size in FUNCTIONS[name].results.values()
        ]
        variation = self._extra["direction" if name == "tangent" else "whole_variation"]
        run = partial(
            self.library.call,
            self.analysis,
            _place(name),
            self.at,
            variation.ctypes.data,
            results[0].ctypes.data,
            results[1].ctypes.data if len(results) > 1 else None,
        )
        return results, run

    def changes(self, directions: np.ndarray) -> np.ndarray:
        """Return changes of rates, then of outputs, at the point.

        Parameters
        ----------
        directions : ndarray, shape (m, n)
            Whole variations, a column each.

        Returns
        -------
        ndarray, shape (ns + ny, n)
        """
        along, c = np.ascontiguousarray(directions, float), self._counts
        found = np.zeros((c["ns"] + c["ny"], along.shape[1]))
        places = (array.ctypes.data for array in (along, found, found[c["ns"] :]))
        self.library.changes(self.analysis, self.at, *along.shape[::-1], *places)
        return found

    def configure(
        self, x: np.ndarray, scale: np.ndarray, branch: np.ndarray, met: Sequence[np.ndarray]
    ) -> bool:
        """Find the configuration by Newton's iteration from another one.

        Parameters
        ----------
        x, scale : ndarray, shape (nx,)
            Where it begins, and sizes of the coordinates.
        branch : ndarray, shape (nr,)
            Signs of the conditioning measures.
        met : sequence of ndarray, shape (nr,)
            The smallest and the largest sizes of these measures so far, which are kept.

        Returns
        -------
        bool
            Whether there is one on this branch; else the point's ``x`` is left where it ended.
        """
        places = [array.ctypes.data for array in (x, scale, branch, *met)]
        return bool(self.library.configure(self.analysis, self.at, *places))

    def travel(
        self, start: Sequence[np.ndarray], scale: np.ndarray, met: Sequence[np.ndarray]
    ) -> bool:
        """Go from another point along a line, in substeps that stay on its branch.

        Parameters
        ----------
        start : sequence of ndarray
            Its time, states, discrete variables, inputs, parameters and configuration.
        scale : ndarray, shape (nx,)
            Sizes of the coordinates.
        met : sequence of ndarray, shape (nr,)
            The smallest and the largest sizes of the conditioning measures so far, which are kept.

        Returns
        -------
        bool
            Whether it arrived; else the point's ``x`` is the last configuration on the way.
        """
        held = self._origin
        arrays = held.t, held.s, held.d, held.u, held.p, held.x
        for array, value in zip(arrays, start, strict=True):
            array[:] = value
        places = [array.ctypes.data for array in (scale, *met)]
        return bool(self.library.travel(self.analysis, self.at, held.shared, *places))

    def visit(
        self,
        rows: np.ndarray,
        scale: np.ndarray,
        largest: np.ndarray,
        x: np.ndarray,
        outputs: np.ndarray,
    ) -> int:
        """Go from the point, which is accepted, through others, each sought from the one before.

        Parameters
        ----------
        rows : ndarray, shape (n, 1 + ns + nu)
            Time, states and inputs.
        scale : ndarray, shape (nx,)
            Sizes of the coordinates.
        largest : ndarray, shape (nr,)
            The largest conditioning measures so far, which are kept.
        x, outputs : ndarray, shape (n, nx), (n, ny)
            Where configurations and outputs go.

        Returns
        -------
        int
            How many were reached; the point is left at the last one, or at the first that was not.
        """
        rows = np.ascontiguousarray(rows, float)
        search, results = (
            [array.ctypes.data for array in part] for part in ((scale, largest), (x, outputs))
        )
        places = *search, len(rows), rows.ctypes.data, *results
        return int(self.library.visit(self.analysis, self.at, *places))

    def hold(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Evaluate ``held`` and its changes at many points, with a library of held motions.

        Parameters
        ----------
        rows : ndarray, shape (n, 1 + ns + nd + nu + np + nx)
            t, s, d, u, p and x of each point.

        Returns
        -------
        values, changes : ndarray, shapes (n, ns + ny + nv), (n, ns + ny, ns + nu + nf)
        """
        rows, c = np.ascontiguousarray(rows, float), self._counts
        varying, columns = c["ns"] + c["ny"], c["ns"] + c["nu"] + c["nf"]
        values = np.zeros((len(rows), varying + c["nv"]))
        changes = np.zeros((len(rows), columns, varying))
        given = _place("held"), _place("held_change"), len(rows), rows.ctypes.data
        places = values.ctypes.data, changes.ctypes.data
        self.library.hold(self.analysis, self.at, *given, *places)
        return values, changes.swapaxes(1, 2)

    def start(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Assemble and check a start; None where all is not well, or an event occurs.

        Returns
        -------
        scale, measures : ndarray, shape (nx,), (nr,)
            The coordinates' sizes and the conditioning measures.
        """
        own = self._own
        for i in self._items:
            own.p[i] = self._arrays.p[i]
        if not self._has_mass or not self.library.start(*self._start):
            return None
        return self._scale.copy(), self._measures.copy()

    def linearize(self) -> CompiledLinearization | None:
        """Linearize where nothing is closed or held and every motion moves mass; None elsewhere."""
        if not self._has_mass or not self.library.linearize(*self._linearize):
            return None
        return self._buffer.taken()

    def map(
        self, values: np.ndarray, beside: Beside | None = None
    ) -> tuple[CompiledLinearization, np.ndarray]:
        """Start and linearize at many points of the present time.

        Parameters
        ----------
        values : ndarray, shape (n, ns + nd + nu + np)
            s, d, u and p of each point, as ``PointArrays.given`` returns them.
        beside : Beside, optional
            Where to linearize beside each point, and what comes of it.

        Returns
        -------
        CompiledLinearization
            Of all points; they are the first dimension of its arrays.
        ndarray of bool, shape (n,)
            Where all is well, without a warning and with nothing closed or held; elsewhere there
            is nothing.
        """
        n, done = len(values), np.zeros(len(values), bool)
        if not self._has_mass:
            values = values[:0]
        found, into = self._room((n,), True)
        near = None
        if beside is not None:
            there, shared = self._room((n, len(beside.share)), False)
            state = np.zeros((n, len(beside.share), self._counts["ns"]))
            turns = np.zeros(n, bool)
            arrays = np.ascontiguousarray(beside.span), np.ascontiguousarray(beside.share)
            places = (part.ctypes.data for part in (*arrays, state))
            near = SharedBeside(len(beside.share), beside.rest, *places, shared, turns.ctypes.data)
            beside.found, beside.state, beside.turns = there, state, turns
        given = np.ascontiguousarray(values, float)
        sizes = _place("mass"), len(given), given.ctypes.data
        self.library.map(self.analysis, self.at, self._author, *sizes, into, near, done.ctypes.data)
        return found, done

    def _room(
        self, points: tuple[int, ...], outputs: bool
    ) -> tuple[CompiledLinearization, SharedLinearized]:
        """Return room for linearizations at points, whose dimensions are the first, and its place.

        Changes of outputs are left out where they are not wanted.
        """
        c = self._counts
        ns, columns = c["ns"], c["ns"] + c["nu"]
        rate, output = np.zeros((*points, columns, ns)), np.zeros((*points, columns, c["ny"]))
        mass, rates = np.zeros((*points, c["nf"], c["nf"])), np.zeros((*points, ns))
        depends = np.zeros((*points, ns, ns), bool)
        parts = (rate, output, mass, rates, depends)
        shared = SharedLinearized(
            *(part.ctypes.data for part in parts), self._buffer.shared.nominal
        )
        if not outputs:
            shared.output = None
        # C writes columns, one after the other
        rate, output, mass, depends = (
            part.swapaxes(-1, -2) for part in (rate, output, mass, depends)
        )
        return CompiledLinearization(rate, output, mass, rates, depends), shared


class _Buffer:
    """Where C puts a linearization.

    Attributes
    ----------
    shared : SharedLinearized
        The same for C.
    """

    def __init__(self, counts: Mapping[str, int], nominal: np.ndarray) -> None:
        ns, columns = counts["ns"], counts["ns"] + counts["nu"]
        shapes = [(ns, columns), (counts["ny"], columns), (counts["nf"],) * 2, (ns,)]
        begins = np.cumsum([0, *map(prod, shapes)]) * np.dtype(float).itemsize
        kinds = [*zip(shapes, [float] * len(shapes), strict=True), ((ns, ns), bool)]
        self._parts = [(*k, int(begin)) for k, begin in zip(kinds, begins, strict=True)]
        self._bytes = np.empty(int(begins[-1]) + ns * ns, np.uint8)
        self._nominal = nominal  # C has its address
        start = self._bytes.ctypes.data
        self.shared = SharedLinearized(*(start + int(b) for b in begins), nominal.ctypes.data)

    def taken(self) -> CompiledLinearization:
        """Return a copy of what is there."""
        values = self._bytes.copy()
        return CompiledLinearization(
            *(np.ndarray(shape, kind, values, at, None, "F") for shape, kind, at in self._parts)
        )


def _place(name: str) -> int:
    return _PLACES[_SAME.get(name, name)]
