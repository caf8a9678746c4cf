"""The position problem in numbers: the configuration x that belongs to (t, s, d, u, p).

It is solved by Newton iteration from the last accepted configuration, never from
the last trial, so that what comes out depends on the point alone. The generated C does the same.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from mbcore.equations.equations import Equations
from mbcore.equations.functions import FUNCTIONS
from mbcore.equations.tolerances import (
    ASSEMBLED,
    ASSEMBLY_ITERATIONS,
    CONTRACTION,
    CONVERGED,
    FARTHEST,
    FARTHEST_TURN,
    GRID,
    NEAR,
    ROUNDING,
    SMALLEST_PART,
    SMALLEST_SUBSTEP,
)
from mbcore.model.errors import ConfigurationError
from mbcore.model.values import checked_values


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


class Position:
    """A point (t, s, d, u, p) that moves, and its configuration x.

    Parameters
    ----------
    equations : Equations
        The equations.
    parameters, inputs : mapping of str to float
        Values that differ from the model's.

    Raises
    ------
    ModelError
        If a name is unknown or a value is outside its range.
    """

    def __init__(
        self,
        equations: Equations,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float] | None = None,
    ) -> None:
        self.equations = equations
        self.t = np.zeros(1)
        self.s = equations.start_state
        self.d = np.array([d.start for d in equations.discretes])
        self.u = checked_values("input", equations.inputs, inputs)
        self.p = checked_values("parameter", equations.parameters, parameters)
        self.x = np.zeros(len(equations.coordinate_names))
        self._bound: dict[str, Bound] = {}
        self._scale = np.ones(self.x.size)
        self._accepted: list[np.ndarray] | None = None
        self._accepted_branch: np.ndarray | None = None
        self.fired = np.zeros(len(equations.events))
        self.direction = np.zeros(self.s.size + 1)

    def _call(self, name: str) -> Bound:
        if name not in self._bound:
            arguments = [getattr(self, argument) for argument in FUNCTIONS[name].arguments()]
            self._bound[name] = Bound(self.equations.functions[name], arguments)
        bound = self._bound[name]
        bound.run()
        return bound

    def _point(self) -> list[np.ndarray]:
        return [a.copy() for a in (self.t, self.s, self.d, self.u, self.p, self.x)]

    def _go(self, point: list[np.ndarray]) -> None:
        for array, value in zip(
            (self.t, self.s, self.d, self.u, self.p, self.x), point, strict=True
        ):
            array[:] = value

    @property
    def scale(self) -> np.ndarray:
        """Natural sizes of the coordinates: 1 for angles, the mechanism's size for places."""
        return self._scale

    def accept(self) -> None:
        """Make the present point the one from which the next configurations are sought."""
        self._accepted = self._point()
        self._accepted_branch = self._branch()

    def keep(self) -> tuple:
        """Return all that changes, for ``restore``."""
        return self._point(), self._accepted, self._accepted_branch

    def restore(self, kept: tuple) -> None:
        """Go back to what ``keep`` returned."""
        point, self._accepted, self._accepted_branch = kept
        self._go(point)

    def configure(self) -> None:
        """Find the configuration of the present point from the accepted one.

        Raises
        ------
        ConfigurationError
            If there is none on this branch; names the deformation that is violated most.
        """
        if self.x.size == 0:
            return
        if self._accepted is None:
            self.assemble()
            return
        self.x[:] = self._accepted[-1]
        if not self._iterate_on_branch():
            self._go_in_substeps()

    def _branch(self) -> np.ndarray:
        """Signs of the determinants of the Jacobians' blocks; they change between branches."""
        return np.sign(self._call("regularity").results[0]).ravel()

    def _iterate_on_branch(self) -> bool:
        """Iterate from ``x``; False where the start was not near or the branch is another."""
        if not self._iterate():
            return False
        assert self._accepted_branch is not None
        return bool(np.all(self._branch() == self._accepted_branch))

    def _iterate(self) -> bool:
        """Newton iteration (A.98) from ``x``; False where the start was not near."""
        n = self.equations.iterated
        limit = FARTHEST
        turning = slice(n, n + self.equations.turning)
        while True:
            before = self.x[turning].copy()
            size = self._step()
            if n and np.abs(self.x[turning] - before).max(initial=0.0) > FARTHEST_TURN:
                return False
            if not size <= limit:
                return False
            if n == 0:
                return True  # all coordinates follow explicitly
            if self._is_last(size):
                break
            limit = min(CONTRACTION * size, NEAR)
        grid = GRID * self._scale[:n]
        self.x[:n] = np.round(self.x[:n] / grid) * grid
        self.x[:] = self._call("place").results[0][:, 0]
        return self._step() <= NEAR

    def _is_last(self, size: float) -> bool:
        """Whether a step of this size leaves an error below rounding."""
        if size <= CONVERGED or size > NEAR:
            return size <= CONVERGED
        n = self.equations.iterated
        return size <= CONVERGED + ROUNDING * float(np.abs(self.x[:n] / self._scale[:n]).max())

    def _step(self) -> float:
        """Make a Newton step; return the largest change of an iterated coordinate, scaled."""
        n = self.equations.iterated
        following = self._call("newton").results[0][:, 0]
        change = np.abs((following[:n] - self.x[:n]) / self._scale[:n]).max(initial=0.0)
        self.x[:] = following
        return float(change) if np.all(np.isfinite(following)) else np.nan

    def _go_in_substeps(self) -> None:
        """Go from the accepted point to the present one along a line, and never change branch."""
        assert self._accepted is not None
        goal, start = self._point(), self._accepted
        self._go(start)
        done, substep = 0.0, 0.5
        here = self.x.copy()
        while done < 1.0:
            share = min(done + substep, 1.0)
            for array, a, b in zip(
                (self.t, self.s, self.u, self.p), _without(start), _without(goal), strict=True
            ):
                array[:] = b if share == 1.0 else a + share * (b - a)
            self.d[:] = goal[2]
            self.x[:] = here
            if self._iterate_on_branch():
                here = self.x.copy()
                done, substep = share, 2 * substep
            else:
                substep /= 2
                if substep < SMALLEST_SUBSTEP:
                    self._go([*goal[:-1], here])
                    raise self._no_configuration()
        self._go([*goal[:-1], here])

    def assemble(self) -> None:
        """Find a first configuration: at the model's start values, and from there to the present.

        Nodes start where the model's start values put them. States and inputs that are far from
        those, such as another heading, are reached in substeps, so that nothing turns inside out.

        Raises
        ------
        ConfigurationError
            If the start values cannot be assembled.
        """
        goal = self._point()
        self.s[:] = self.equations.start_state
        self.u[:] = [i.start for i in self.equations.inputs]
        try:
            self._assemble_nodes()
        except ConfigurationError:
            self._go(goal)
            self._assemble_nodes()
            return
        self.accept()
        self._go([*goal[:-1], self.x.copy()])
        try:
            self._go_in_substeps()
        finally:
            self._accepted = None

    def _assemble_nodes(self) -> None:
        """Damped Newton iteration from the nodes' start to the present point."""
        norm = np.linalg.norm
        guess, size = (result[:, 0] for result in self._call("start").results)
        self.x[:] = guess
        self._scale = np.where(size > 0, 2.0 ** np.floor(np.log2(np.maximum(size, 1e-300))), 1.0)
        n = self.equations.iterated
        for _ in range(ASSEMBLY_ITERATIONS):
            self.x[:] = self._call("place").results[0][:, 0]
            bound = self._call("newton")
            following, residual = bound.results[0][:, 0].copy(), bound.results[1][:, 0]
            violation = norm(residual)
            if not np.all(np.isfinite(following)):
                break
            step = following - self.x
            moved, reached = step[:n] / self._scale[:n], self.x[:n] / self._scale[:n]
            if norm(moved) <= ASSEMBLED * (1 + norm(reached)):
                if self._iterate():
                    return
                break
            here = self.x.copy()
            part = 1.0
            while part >= SMALLEST_PART:
                self.x[:] = here + part * step
                self.x[:] = self._call("place").results[0][:, 0]
                if norm(self._call("newton").results[1]) <= violation:
                    break
                part /= 2
        raise self._no_configuration("the start values do not fit together")

    def _no_configuration(self, why: str = "") -> ConfigurationError:
        if not np.all(np.isfinite(self.s)):
            return ConfigurationError(
                f"{self.equations.name}: the state is not finite at t = {self.t[0]:.9g}; the "
                "motion ran into a singular configuration before: choose other degrees of "
                "freedom, or end the run earlier"
            )
        residual = np.abs(self._call("newton").results[1][:, 0])
        if not residual.size:
            return ConfigurationError(
                f"{self.equations.name}: no configuration at t = {self.t[0]:.9g}: a value is not "
                "finite; check states, inputs and parameters"
            )
        worst = int(np.argmax(np.nan_to_num(residual, nan=np.inf)))
        name = self.equations.constraint_names[worst]
        return ConfigurationError(
            f"{self.equations.name}: no configuration at t = {self.t[0]:.9g}"
            f"{' (' + why + ')' if why else ''}; {name} is violated most, by "
            f"{residual[worst]:.6g}; change the start values, or the parameters that limit it"
        )


def _without(point: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Time, state, inputs and parameters of a point."""
    return point[0], point[1], point[3], point[4]
