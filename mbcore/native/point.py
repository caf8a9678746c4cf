"""A point in arrays that Python and C share, and compiled functions at it."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from mbcore.codegen.c_model import counts
from mbcore.codegen.table import SOLVER_PARAMETERS
from mbcore.equations.equations import Equations
from mbcore.equations.functions import EXTRA, FUNCTIONS, shape
from mbcore.native.library import Doubles, Library, SharedPoint

_PLACES = {name: i for i, name in enumerate(FUNCTIONS)}
_SAME = {"tangent": "change", "rate_change": "change"}
"""Functions that are the first result of another one in C."""


class PointArrays:
    """Arrays of a point, laid out as the runtime in C has them.

    Attributes
    ----------
    t, s, d, u, p, x : ndarray
        Time, states, discrete variables, inputs, parameters and configuration.
    shared : SharedPoint
        The same for C.
    """

    def __init__(self, equations: Equations) -> None:
        sizes = {
            "s": len(equations.states),
            "d": len(equations.discretes),
            "u": len(equations.inputs),
            "p": len(equations.parameters) + SOLVER_PARAMETERS,
            "x": len(equations.coordinate_names),
        }
        self._values = np.zeros(sum(sizes.values()))
        self.shared = SharedPoint()
        self.shared.values = pointer(self._values)
        self.t = np.frombuffer(self.shared, float, count=1)  # type: ignore[call-overload]
        ends = np.cumsum([0, *sizes.values()])
        parts = {
            name: self._values[a:b] for name, a, b in zip(sizes, ends[:-1], ends[1:], strict=True)
        }
        for name, part in parts.items():
            setattr(self.shared, name, pointer(part))
        self.s, self.d, self.u, self.x = (parts[name] for name in "sdux")
        self.p = parts["p"][: len(equations.parameters)]


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
        given = (Doubles * len(EXTRA))(*(pointer(extra[name]) for name in EXTRA))
        self._instance = library.open_point(len(FUNCTIONS), given)
        if not self._instance:
            raise MemoryError("no memory for a point of compiled equations")
        weakref.finalize(self, library.close_point, self._instance)
        self._library, self._arrays, self._extra = library, arrays, extra
        self._counts = counts(equations)

    def has(self, name: str) -> bool:
        """Return whether a function is compiled."""
        return bool(self._library.has(_place(name)))

    def bind(self, name: str) -> tuple[list[np.ndarray], Callable[[], None]]:
        """Return the arrays of a function's results, and what evaluates it at the point."""
        results = [
            np.zeros(shape(size, self._counts), order="F")
            for size in FUNCTIONS[name].results.values()
        ]
        variation = self._extra["direction" if name == "tangent" else "variation"]
        run = partial(
            self._library.call,
            self._instance,
            _place(name),
            ctypes.pointer(self._arrays.shared),
            pointer(variation),
            pointer(results[0]),
            pointer(results[1]) if len(results) > 1 else None,
        )
        return results, run


def _place(name: str) -> int:
    return _PLACES[_SAME.get(name, name)]


def pointer(array: np.ndarray) -> ctypes._Pointer:
    """Return the place of an array, which must live as long as it is used."""
    return array.ctypes.data_as(Doubles)
