"""A point (t, s, d, u, p, x) in arrays, and the equations' functions bound to these.

The part that `mbcore.evaluation.evaluation` and `mbcore.evaluation.position` share.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import casadi as ca
import numpy as np

from mbcore.equations.equations import Equations, checked_equations
from mbcore.equations.functions import EXTRA, FUNCTIONS
from mbcore.host.backend import Evaluator, asked_for_run, note_compiled
from mbcore.model.interface.values import checked_values
from mbcore.model.variables import Value
from mbcore.native.compiled import compilation
from mbcore.native.extents import Extent
from mbcore.native.point import CompiledPoint
from mbcore.native.point_arrays import PointArrays

CALL = 500.0
"""Operations that take as long as a call in Python, with the use of its results."""
PORTION = 1e5
"""Operations of Python between two looks whether equations are to be compiled."""


class Bound:
    """A CasADi function bound to fixed arrays, for calls without conversions.

    Attributes
    ----------
    work : float
        Operations of a call, with what Python adds to them.
    known_at : bytes or None
        The content of a point to which the results are known to belong.
    """

    known_at: bytes | None = None

    def __init__(self, function: ca.Function, arguments: list[np.ndarray]) -> None:
        self.work = CALL + function.n_instructions()
        self.buffer, self.run = function.buffer()
        self.results = [
            np.zeros((function.size1_out(i), function.size2_out(i)), order="F")
            for i in range(function.n_out())
        ]
        for i, argument in enumerate(arguments):
            if argument.size:
                self.buffer.set_arg(i, memoryview(argument.data))
        for i, result in enumerate(self.results):
            if result.size:
                self.buffer.set_res(i, memoryview(result.reshape(-1, order="F").data))

    def __call__(self) -> np.ndarray:
        """Evaluate at what the arrays hold; return the first result."""
        self.run()
        return self.results[0]


class CompiledBound:
    """A compiled function bound to the arrays of a point; ``work`` is none of Python."""

    work = 0.0
    known_at = None

    def __init__(self, point: CompiledPoint, name: str) -> None:
        self.results, self.run = point.bind(name)

    def __call__(self) -> np.ndarray:
        """Evaluate at what the arrays hold; return the first result."""
        self.run()
        return self.results[0]


class BoundPoint:
    """A point in arrays that are changed in place, and all functions at this point.

    Parameters
    ----------
    equations : Equations
        The equations.
    parameters, inputs : mapping of str to float or str
        Values that differ from the model's.

    Raises
    ------
    ModelError
        If a name is unknown or a value is outside its range, or the model has been changed since
        its equations were made.

    Attributes
    ----------
    work_left : float
        Operations that Python would take to the end of a run, as far as known; else infinite.
    """

    work_left = math.inf

    def __init__(
        self,
        equations: Equations,
        parameters: Mapping[str, Value] | None = None,
        inputs: Mapping[str, Value] | None = None,
    ) -> None:
        checked_equations("an evaluation", equations).refuse_stale()
        self.equations = equations
        self._arrays = of = PointArrays(equations)
        self.t, self.s, self.d, self.u, self.p, self.x = of.t, of.s, of.d, of.u, of.p, of.x
        self._bound: dict[str, Bound | CompiledBound] = {}
        known = self.s.size + 1
        varied = known + self.u.size + self.p.size
        # a direction is a variation with zeros behind it, which C reads too
        whole = varied + self.d.size
        held = self.s.size + self.u.size + equations.dofs
        sizes = [len(equations.events), varied, whole, held, self.s.size, len(equations.outputs)]
        self._extra = np.zeros(sum(sizes))
        parts = np.split(self._extra, np.cumsum(sizes)[:-1])
        self.fired, self.whole_variation, self.held_variation = parts[0], *parts[2:4]
        self.rate_seed, self.output_seed = parts[4:]
        self.direction, self.variation = parts[1][:known], self.whole_variation[:varied]
        self.s[:] = equations.start_state
        self.d[:] = [record.start for record in equations.discretes]
        self.u[:] = checked_values("input", equations.inputs, None)
        self.p[:] = checked_values("parameter", equations.parameters, None)
        self._own = of.values.copy()
        self._compiled: CompiledPoint | None = None
        self._work = 0.0
        self.renew(parameters, inputs)

    def renew(
        self,
        parameters: Mapping[str, Value] | None = None,
        inputs: Mapping[str, Value] | None = None,
    ) -> None:
        """Become the same as a new one with these values; functions stay bound.

        Whether the model has been changed meanwhile is not asked again. The backend is that of
        the analysis under way.

        Raises
        ------
        ModelError
            If a name is unknown or a value is outside its range.
        """
        extent: Extent = "implicit runs" if asked_for_run() else "analyses"
        self._compilation = compilation(self.equations, extent)
        self._backend = self._compilation.chosen()
        if self._backend == "python" and self._compiled is not None:
            self._compiled = None
            self._bound.clear()
        self.work_left = math.inf
        self._seek_compiled(self._work)
        q = self.equations
        self.t[0], self._arrays.values[:], self._extra[:] = 0.0, self._own, 0.0
        if _are_given(inputs):
            self.u[:] = checked_values("input", q.inputs, inputs)
        if _are_given(parameters):
            self.p[:] = checked_values("parameter", q.parameters, parameters)

    def call(self, name: str) -> Bound | CompiledBound:
        """Evaluate a function here, made and bound when it is first asked for; return it."""
        bound = self._bound.get(name)
        if bound is None:
            bound = self._bound[name] = self._bind(name)
        if bound.known_at is not None:
            if bound.known_at == self.content():
                return bound
            bound.known_at = None
        self._work += bound.work
        if self._work > PORTION:
            self._seek_compiled(self._work)
            bound = self._bound[name] = self._bound.get(name) or self._bind(name)
        bound.run()
        return bound

    @property
    def compiled(self) -> CompiledPoint | None:
        """The compiled equations, where functions are compiled."""
        return self._compiled

    @property
    def backend(self) -> Evaluator:
        """The present backend of the functions."""
        return "python" if self._compiled is None else "c"

    @property
    def compiles(self) -> bool:
        """Whether Python evaluates them while they are compiled."""
        return self._compiled is None and self._compilation.runs

    @property
    def work(self) -> float:
        """Operations of Python so far, those of other points with the same equations included."""
        return self._compilation.work + self._work

    def count(self, work: float) -> None:
        """Count operations that Python has done elsewhere because nothing is compiled."""
        self._work += work

    def _bind(self, name: str) -> Bound | CompiledBound:
        if self._compiled is not None and self._compiled.has(name):
            return CompiledBound(self._compiled, name)
        arguments = [getattr(self, argument) for argument in FUNCTIONS[name].arguments()]
        return Bound(self.equations.functions[name], arguments)

    def _seek_compiled(self, work: float) -> None:
        """Count operations of Python, and go on with compiled functions where they are due."""
        self._work = 0.0
        if self._compiled is not None:
            note_compiled()
            return
        library = self._compilation.add(work, self._backend, left=self.work_left)
        if library is not None:
            note_compiled()
            extra = {name: getattr(self, name) for name in EXTRA}
            self._compiled = CompiledPoint(library, self.equations, self._arrays, extra)
            self._bound.clear()

    def common_values(self) -> np.ndarray:
        """Return s, d, u and p behind each other, as C has them."""
        return self._arrays.given()

    def content(self) -> bytes:
        """Return t, s, d, u, p and x for a comparison."""
        return self.t.tobytes() + self._arrays.values.tobytes()

    def know(self, **results: np.ndarray) -> None:
        """Take results of functions here that another one has given, by their names."""
        for name, result in results.items():
            bound = self._bound.get(name)
            if isinstance(bound, Bound):
                bound.results[0][:, 0] = result
                bound.known_at = self.content()

    def values(self) -> list[np.ndarray]:
        """Return copies of t, s, d, u, p and x."""
        return [a.copy() for a in (self.t, self.s, self.d, self.u, self.p, self.x)]

    def go_to(self, values: list[np.ndarray]) -> None:
        """Take other values of t, s, d, u, p and x, as ``values`` returned them."""
        for array, value in zip(
            (self.t, self.s, self.d, self.u, self.p, self.x), values, strict=True
        ):
            array[:] = value


def _are_given(values: object) -> bool:
    return values is not None and not (isinstance(values, dict) and not values)
