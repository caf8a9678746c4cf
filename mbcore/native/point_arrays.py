"""A point in arrays that Python and C share."""

from __future__ import annotations

import ctypes

import numpy as np

from mbcore.codegen.rows import SOLVER_PARAMETERS
from mbcore.equations.equations import Equations
from mbcore.native.shared import Doubles, SharedPoint


class PointArrays:
    """Arrays of a point, laid out as the runtime in C has them.

    Attributes
    ----------
    t, s, d, u, p, x : ndarray
        Time, states, discrete variables, inputs, parameters and configuration.
    values : ndarray
        All of them but the time, behind each other.
    shared : SharedPoint
        The same for C.
    """

    def __init__(self, equations: Equations) -> None:
        sizes = {
            "s": len(equations.states),
            "d": len(equations.discretes),
            "u": len(equations.inputs),
            "x": len(equations.coordinate_names),
            "p": len(equations.parameters) + SOLVER_PARAMETERS,
        }
        self.values = np.zeros(sum(sizes.values()))
        self.shared = SharedPoint()
        self.shared.values = _pointer(self.values)
        self.t = np.frombuffer(self.shared, float, count=1)  # type: ignore[call-overload]
        ends = np.cumsum([0, *sizes.values()])
        parts = {
            name: self.values[a:b] for name, a, b in zip(sizes, ends[:-1], ends[1:], strict=True)
        }
        for name, part in parts.items():
            setattr(self.shared, name, _pointer(part))
        self.s, self.d, self.u, self.x = (parts[name] for name in "sdux")
        self._given = sizes["s"] + sizes["d"] + sizes["u"]
        self._all_p = parts["p"]
        self.p = self._all_p[: len(equations.parameters)]

    def given(self) -> np.ndarray:
        """Return s, d, u and p behind each other, those of the runtime among the last."""
        return np.concatenate([self.values[: self._given], self._all_p])


def author_start(equations: Equations) -> PointArrays:
    """Return the values with which the model's author lets it start; its configuration is zero."""
    own = PointArrays(equations)
    own.s[:] = equations.start_state
    own.d[:] = [record.start for record in equations.discretes]
    own.u[:] = [record.start for record in equations.inputs]
    own.p[:] = [record.value for record in equations.parameters]
    return own


def _pointer(array: np.ndarray) -> ctypes._Pointer:
    """Return the place of an array, which must live as long as it is used."""
    return array.ctypes.data_as(Doubles)
