"""The position problem in numbers: the configuration x that belongs to (t, s, d, u, p).

It is solved by Newton iteration from the last accepted configuration, never from the last trial,
so that the result depends on the point alone. The generated C does the same.

Used by `mbcore.evaluation.evaluation` alone; it stands apart because the runtime in C has the same
part, and both are read side by side.
"""

from __future__ import annotations

from math import isfinite, nan
from typing import TypeAlias

import numpy as np

from mbcore.equations.implicit_forces import unsolvable
from mbcore.equations.tolerances import (
    ASSEMBLED,
    ASSEMBLY_ITERATIONS,
    CONTRACTION,
    CONVERGED,
    FARTHEST,
    GRID,
    NEAR,
    PREDICTED,
    ROUNDING,
    SINGULAR,
    SMALLEST_PART,
    SMALLEST_SUBSTEP,
)
from mbcore.evaluation.bound_point import BoundPoint
from mbcore.evaluation.conditioning import Conditioning
from mbcore.evaluation.no_configuration import no_configuration, singular_start
from mbcore.model.errors import ConfigurationError
from mbcore.model.variables import type_of
from mbcore.native.flow import Search

Saved: TypeAlias = tuple[list[np.ndarray], list[np.ndarray] | None, np.ndarray | None]
"""A point, the one that was accepted last, and the signs of its measures."""


class Position:
    """The configuration x of a point (t, s, d, u, p) that moves.

    Parameters
    ----------
    point : BoundPoint
        Values and functions; ``x`` is the unknown.

    Attributes
    ----------
    conditioning : Conditioning
        How regular the Jacobians' blocks have been since a point was accepted.
    """

    def __init__(self, point: BoundPoint) -> None:
        self._point, self.equations = point, point.equations
        # The same arrays as the point's, which are changed in place.
        self.t, self.s, self.d = point.t, point.s, point.d
        self.u, self.p, self.x = point.u, point.p, point.x
        self._measures = len(self.equations.conditioning_names)
        self._limits = len(self.equations.followed)
        self.begin()

    def begin(self) -> None:
        """Forget the accepted configuration."""
        self._scale = np.ones(self.x.size)
        self._accepted: list[np.ndarray] | None = None
        self._accepted_branch: np.ndarray | None = None
        self._settled: bytes | None = None
        self.conditioning = Conditioning(self._measures, self._limits)

    @property
    def scale(self) -> np.ndarray:
        """Natural sizes of the coordinates: 1 for angles, the mechanism's size for places."""
        return self._scale

    def accept(self) -> None:
        """Make the present point the one from which the next configurations are sought."""
        self._accepted, self._settled = self._point.values(), None
        measures = self.conditioning_measures()
        self._accepted_branch = np.sign(measures)
        self.conditioning.accept(measures)

    @property
    def accepted_time(self) -> float:
        """Time of the point from which configurations are sought, s."""
        return float("nan") if self._accepted is None else float(self._accepted[0][0])

    def begin_at(self, x: np.ndarray, scale: np.ndarray) -> bool:
        """Begin at a configuration that is known from elsewhere; return whether it fits."""
        self.x[:], self._scale = x, scale.copy()
        self.x[:] = self._point.call("place").results[0][:, 0]
        if not self._iterate():
            return False
        self.accept()
        return True

    def configure_from(self, x: np.ndarray) -> None:
        """Find the configuration of the present point near x, on whatever branch that is.

        Raises
        ------
        ConfigurationError
            If there is none, or it is not near.
        """
        assert self._accepted is not None
        moved = np.abs((x - self._accepted[-1]) / self._scale).max(initial=0.0)
        self.x[:] = x
        arrived = self._iterate()
        off = np.abs((self.x - x) / self._scale).max(initial=0.0)
        if not (arrived and off <= PREDICTED * moved + ASSEMBLED):
            raise self._no_configuration()

    def return_to_accepted(self) -> None:
        """Go back to the point from which configurations are sought."""
        assert self._accepted is not None
        self._point.go_to(self._accepted)

    def save(self) -> Saved:
        """Return all that changes, for ``restore``."""
        return self._point.values(), self._accepted, self._accepted_branch

    def restore(self, saved: Saved) -> None:
        """Go back to what ``save`` returned."""
        values, self._accepted, self._accepted_branch = saved
        self._point.go_to(values)

    def search(self) -> Search:
        """Return where and how configurations are sought, for flows in C."""
        assert self._accepted is not None
        assert self._accepted_branch is not None
        known = self.conditioning
        extremes = known.lowest, known.highest
        measures = self._accepted_branch, *extremes, known.accepted, known.scale
        return Search(self._accepted, self._scale, *measures)

    def go_on_from(self, search: Search) -> None:
        """Seek configurations from where a flow in C has come to, and on its branch."""
        self._accepted, self._accepted_branch = search.accepted, search.branch
        known = self.conditioning
        known.lowest, known.highest = search.lowest, search.highest
        known.accepted, known.scale = search.size, search.largest

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
        assert self._accepted_branch is not None
        if self._settled is not None and self._settled == self._point.content():
            return
        if self._arrives(self._accepted[-1], self._accepted_branch):
            return
        if not self._travel(self._accepted):
            raise self._no_configuration()

    def arrive(self, x: np.ndarray, met: tuple[np.ndarray, np.ndarray]) -> None:
        """Take the configuration of the present point, and extreme measures on the way to it."""
        self.x[:] = x
        for measures in met:
            self.conditioning.note(measures)
        self._settled = self._point.content()

    def _arrives(self, x: np.ndarray, branch: np.ndarray) -> bool:
        """Return whether Newton's iteration from ``x`` ends on the branch of these signs."""
        compiled = self._point.compiled
        if compiled is not None:
            met = self.conditioning.lowest, self.conditioning.highest
            return compiled.configure(x, self._scale, branch, met)
        self.x[:] = x
        return self._iterate() and self._on_branch(branch)

    def start(self) -> bool:
        """Assemble a start and check it in C; return False where that is left to Python.

        It is also where an event occurs, or anything is to be refused.
        """
        compiled = self._point.compiled
        if compiled is None or self._accepted is not None or not self.x.size:
            return False
        found = compiled.start()
        if found is None:
            return False
        self._scale, measures = found
        self._accepted = self._point.values()
        self._accepted_branch = np.sign(measures)
        self.conditioning.accept(measures)
        return True

    def visit(self, rows: np.ndarray, x: np.ndarray, outputs: np.ndarray) -> int:
        """Go in C through points, each sought from the one before; accept the last one reached.

        Parameters
        ----------
        rows : ndarray, shape (n, 1 + ns + nu)
            Time, states and inputs.
        x, outputs : ndarray, shape (n, nx), (n, ny)
            Where configurations and outputs go.

        Returns
        -------
        int
            How many were reached; the others are left to Python.
        """
        compiled = self._point.compiled
        if compiled is None or self._accepted is None:
            return 0
        modes = self.d.copy()
        self.return_to_accepted()
        self.d[:] = modes
        reached = compiled.visit(rows, self._scale, self.conditioning.scale, x, outputs)
        if reached:
            last = np.split(rows[reached - 1], [1, 1 + self.s.size])
            self.t[:], self.s[:], self.u[:], self.x[:] = *last, x[reached - 1]
            self.accept()
        return reached

    def conditioning_measures(self) -> np.ndarray:
        """Return the measures of the Jacobians' blocks, shape (nr,)."""
        return self._point.call("conditioning").results[0].ravel().copy()

    def _branch(self) -> np.ndarray:
        """Signs of the determinants of the Jacobians' blocks; they change between branches."""
        return np.sign(self.conditioning_measures())

    def _on_branch(self, branch: np.ndarray) -> bool:
        measures = self._point.call("conditioning").results[0].ravel()
        if not np.minimum.reduce(measures * branch, initial=np.inf) > 0:
            return False
        self.conditioning.note(measures)
        return True

    def _iterate(self) -> bool:
        """Newton iteration, [Schwab2002] (A.98), from ``x``; False where the start was not near."""
        n = self.equations.iterated
        limit = FARTHEST
        while True:
            size = self._step()
            if n == 0:
                return isfinite(size)  # all coordinates follow explicitly, however far
            if not size <= limit:
                return False
            if self._is_last(size):
                break
            limit = min(CONTRACTION * size, NEAR)
        grid = GRID * self._scale[:n]
        self.x[:n] = np.rint(self.x[:n] / grid) * grid
        self.x[:] = self._point.call("place").results[0][:, 0]
        return self._step() <= NEAR

    def _is_last(self, size: float) -> bool:
        """Whether a step of this size leaves an error below rounding."""
        if size <= CONVERGED or size > NEAR:
            return size <= CONVERGED
        return size <= CONVERGED + ROUNDING * float(np.maximum.reduce(np.abs(self.x / self._scale)))

    def _step(self) -> float:
        """Make a Newton step; return the largest change of a coordinate, scaled, or NaN.

        Coordinates that follow count as well. Where a rate vanishes, as at a dead centre, an
        iterated coordinate hardly moves in the first step, however far the others go.
        """
        following = self._point.call("newton").results[0][:, 0]  # [Schwab2002] (A.98)
        # the ufunc itself, for what an array's own method adds takes longer than all the rest
        change = float(np.maximum.reduce(np.abs((following - self.x) / self._scale), initial=0.0))
        self.x[:] = following
        # a coordinate that is not finite makes the largest change infinite or NaN
        return change if isfinite(change) else nan

    def _travel(self, start: list[np.ndarray]) -> bool:
        """Go from a point to the present one along a line, and never change branch.

        Returns
        -------
        bool
            Whether it arrived; else ``x`` is the last configuration on the way.
        """
        compiled = self._point.compiled
        if compiled is not None:
            met = self.conditioning.lowest, self.conditioning.highest
            return compiled.travel(start, self._scale, met)
        goal = self._point.values()
        self._point.go_to(start)
        branch = self._branch()
        done, substep = 0.0, 0.5
        here = self.x.copy()
        while done < 1.0 and substep >= SMALLEST_SUBSTEP:
            share = min(done + substep, 1.0)
            for array, a, b in zip(
                (self.t, self.s, self.d, self.u, self.p), start[:-1], goal[:-1], strict=True
            ):
                array[:] = b if share == 1.0 else a + share * (b - a)
            if self._arrives(here, branch):
                here = self.x.copy()
                done, substep = share, 2 * substep
            else:
                substep /= 2
        self._point.go_to([*goal[:-1], here])
        return done == 1.0

    def assemble(self) -> None:
        """Find a first configuration, on the branch of the model's own values where possible.

        Nodes start where the model's start values put them. A point that leads to another branch
        is approached in substeps, so that nothing turns inside out.

        Raises
        ------
        ConfigurationError
            If the start values cannot be assembled.
        """
        goal = self._point.values()
        self._point.go_to(self._own_values())
        known = self._assemble_nodes()
        own, branch = self._point.values(), self._branch()
        self._point.go_to(goal)
        found = self._assemble_nodes()
        if known and not (found and self._on_branch(branch)):
            if self._travel(own):
                return
            self._point.go_to(goal)
            found = self._assemble_nodes()
        if not found:
            raise singular_start(self._point) or self._no_configuration(
                "the start values do not fit together"
            )

    def _own_values(self) -> list[np.ndarray]:
        """Return the point as the model's author wrote it, but for the items that are chosen."""
        e, point = self.equations, self._point.values()
        point[0][:] = 0.0
        point[1][:] = e.start_state
        point[3][:] = [record.start for record in e.inputs]
        for i, record in enumerate(e.parameters):
            if type_of(record) == "real":
                point[4][i] = record.value
        return point

    def _assemble_nodes(self) -> bool:
        """Damped Newton iteration from the nodes' start; whether it ends near a solution."""
        norm = np.linalg.norm
        guess, size = (result[:, 0] for result in self._point.call("start").results)
        self.x[:] = guess
        self._scale = np.where(size > 0, 2.0 ** np.floor(np.log2(np.maximum(size, 1e-300))), 1.0)
        n = self.equations.iterated
        for _ in range(ASSEMBLY_ITERATIONS):
            self.x[:] = self._point.call("place").results[0][:, 0]
            bound = self._point.call("newton")
            following, residual = bound.results[0][:, 0].copy(), bound.results[1][:, 0]
            violation = norm(residual)
            if not np.all(np.isfinite(following)):
                return False
            step = following - self.x
            moved, reached = step[:n] / self._scale[:n], self.x[:n] / self._scale[:n]
            if norm(moved) <= ASSEMBLED * (1 + norm(reached)):
                return self._iterate()
            here = self.x.copy()
            part = 1.0
            while part >= SMALLEST_PART:
                self.x[:] = here + part * step
                self.x[:] = self._point.call("place").results[0][:, 0]
                if norm(self._point.call("newton").results[1]) <= violation:
                    break
                part /= 2
        return False

    def _unsolvable_law(self) -> str | None:
        """Return the message for a configuration whose laws have no forces."""
        names = self.equations.conditioning_names
        laws = [(i, law) for i, law in enumerate(map(unsolvable, names)) if law is not None]
        if not (laws and self._iterate()):
            return None
        measures = self.conditioning_measures()
        return next((law for i, law in laws if not measures[i] > SINGULAR), None)

    def _no_configuration(self, why: str = "") -> ConfigurationError:
        law = self._unsolvable_law() if np.isfinite(self.s).all() else None
        return no_configuration(self._point, law, why)
