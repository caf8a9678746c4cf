"""A point (t, s, d, u, p, x) in arrays, and the equations' functions bound to these.

The part that `mbcore.evaluation.evaluation` and `mbcore.evaluation.position` share.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from mbcore.equations.equations import Equations, checked_equations
from mbcore.equations.functions import FUNCTIONS
from mbcore.model.interface.values import checked_values
from mbcore.model.variables import Value


class Bound:
    """A CasADi function bound to fixed arrays, for calls without conversions."""

    def __init__(self, function: ca.Function, arguments: list[np.ndarray]) -> None:
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
    """

    def __init__(
        self,
        equations: Equations,
        parameters: Mapping[str, Value] | None = None,
        inputs: Mapping[str, Value] | None = None,
    ) -> None:
        checked_equations("an evaluation", equations).refuse_stale()
        self.equations = equations
        self.t = np.zeros(1)
        self.s = equations.start_state
        self.d = np.array([d.start for d in equations.discretes])
        self.u = checked_values("input", equations.inputs, inputs)
        self.p = checked_values("parameter", equations.parameters, parameters)
        self.x = np.zeros(len(equations.coordinate_names))
        self._bound: dict[str, Bound] = {}
        self.fired = np.zeros(len(equations.events))
        self.direction = np.zeros(self.s.size + 1)
        self.variation = np.zeros(self.s.size + 1 + self.u.size + self.p.size)
        self.rate_seed = np.zeros(self.s.size)
        self.output_seed = np.zeros(len(equations.outputs))

    def renew(
        self,
        parameters: Mapping[str, Value] | None = None,
        inputs: Mapping[str, Value] | None = None,
    ) -> None:
        """Become what a new one would be with these values; functions stay bound.

        Whether the model has been changed meanwhile is not asked again.

        Raises
        ------
        ModelError
            If a name is unknown or a value is outside its range.
        """
        self.u[:] = checked_values("input", self.equations.inputs, inputs)
        self.p[:] = checked_values("parameter", self.equations.parameters, parameters)
        self.t[:], self.s[:], self.x[:] = 0.0, self.equations.start_state, 0.0
        self.d[:] = [d.start for d in self.equations.discretes]
        for array in (self.fired, self.direction, self.variation):
            array[:] = 0.0
        self.rate_seed[:], self.output_seed[:] = 0.0, 0.0

    def call(self, name: str) -> Bound:
        """Evaluate a function here, made and bound when it is first asked for; return it."""
        if name not in self._bound:
            arguments = [getattr(self, argument) for argument in FUNCTIONS[name].arguments()]
            self._bound[name] = Bound(self.equations.functions[name], arguments)
        bound = self._bound[name]
        bound.run()
        return bound

    def values(self) -> list[np.ndarray]:
        """Return copies of t, s, d, u, p and x."""
        return [a.copy() for a in (self.t, self.s, self.d, self.u, self.p, self.x)]

    def go_to(self, values: list[np.ndarray]) -> None:
        """Take other values of t, s, d, u, p and x, as ``values`` returned them."""
        for array, value in zip(
            (self.t, self.s, self.d, self.u, self.p, self.x), values, strict=True
        ):
            array[:] = value
