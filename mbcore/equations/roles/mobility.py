"""A second configuration of a mechanism, reached by its own free motion.

At one configuration a singular position and redundant constraints look the same; at a second one
only redundant constraints still depend on each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property

import casadi as ca
import numpy as np
import scipy

from mbcore.equations.assembly.assembly import Assembly
from mbcore.model.expressions import column
from mbcore.model.quantities import Deformation, Quantity, Slip
from mbcore.model.tables import derivatives

RANK = 1e-7
"""Smallest singular value of scaled rows that counts as independent."""
STEP = 0.05
"""Length of a test motion, in sizes of the mechanism and radians."""
MOTIONS = 4
"""Test motions into random directions."""
ITERATIONS = 200
MET = 1e-10
"""Error of constraints that are met, relative to the mechanism's size."""


class Mobility:
    """A mechanism's constraints in numbers, without its degrees of freedom.

    Parameters
    ----------
    assembly : Assembly
        The model with its roles, over nodal coordinates.
    values : sequence
        Numbers for (t, s, d, u, p, x) at the start.

    Attributes
    ----------
    rows : list of Deformation
        Rigid and prescribed deformations.
    """

    def __init__(self, assembly: Assembly, values: Sequence[object]) -> None:
        A = self.assembly = assembly
        self.rows: list[Deformation] = [*A.rigid, *A.prescribed]
        self._values = [ca.DM(value) for value in values]
        self._jacobians: dict[tuple[str, ...], ca.Function] = {}
        self._residuals: dict[tuple[str, ...], ca.Function] = {}
        self._arguments = [A.model.time, A.s, A.d, A.u, A.p, A.x]
        self._start = np.array(ca.DM(self._values[-1]).full())[:, 0]
        lengths = np.array([c.unit == "m" for c in A.coordinates], bool)
        reach = np.abs(self._start[lengths]).max(initial=0.0)
        self.size = float(reach) if reach > 0 else 1.0
        self._scale = np.where(lengths, self.size, 1.0)

    def jacobian(self, rows: Sequence[Quantity], x: np.ndarray) -> np.ndarray:
        """Return D' and V of rows over scaled coordinates, each row of length one."""
        return self.scaled(rows, x)[0]

    def scaled(self, rows: Sequence[Quantity], x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return `jacobian`, and the lengths of rows before scaling, 1 for zero rows."""
        J = self._derivatives(rows, x) * self._scale
        lengths = np.linalg.norm(J, axis=1, keepdims=True)
        lengths = np.where(lengths > 0, lengths, 1.0)
        return J / lengths, lengths

    def _derivatives(self, rows: Sequence[Quantity], x: np.ndarray) -> np.ndarray:
        A = self.assembly
        key = tuple(q.name for q in rows)
        if key not in self._jacobians:
            matrix = ca.densify(derivatives.jacobian(A.rates(list(rows)), A.v))
            self._jacobians[key] = ca.Function("rows", self._arguments, [matrix])
        dense = np.array(self._jacobians[key](*self._values[:-1], x).full())
        return dense.reshape(len(rows), x.size)

    def errors(self, rows: Sequence[Deformation], x: np.ndarray) -> np.ndarray:
        """Return D(x) minus the required values, relative to the mechanism's size or to 1."""
        key = tuple(q.name for q in rows)
        if key not in self._residuals:
            found = column(self.assembly.residual(q) for q in rows)
            self._residuals[key] = ca.Function("residual", self._arguments, [found])
        sizes = np.array([self.size if q.unit == "m" else 1.0 for q in rows])
        found = np.array(self._residuals[key](*self._values[:-1], x).full())[:, 0]
        return found / sizes

    def met(
        self,
        rows: Sequence[Deformation],
        x: np.ndarray,
        moved: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> tuple[np.ndarray, float]:
        """Return a configuration near ``x`` that satisfies rows, and the largest error left.

        The Levenberg-Marquardt iteration has a damping that vanishes with the error, so that it
        converges fast for redundant rows, too.

        Parameters
        ----------
        moved : (ndarray, ndarray), optional
            Another configuration and a scaled displacement from it. The solution has the same
            distance from that along the displacement, or a singular start would attract it.
        """
        here = x.copy()
        error = self._errors_moved(rows, here, moved)
        for _ in range(ITERATIONS):
            if np.abs(error).max(initial=0.0) <= MET * 1e-3:
                break
            J = self._plain(rows, here, moved)
            # 1e-15 keeps the matrix regular where redundant rows are satisfied.
            damping = min(1.0, float(error @ error)) + 1e-15
            product = J @ J.T + damping * np.eye(len(J))
            step = -self._scale * (J.T @ np.linalg.solve(product, error))
            for part in (1.0, 0.25, 1.0 / 16, 1.0 / 64):
                trial = self._errors_moved(rows, here + part * step, moved)
                if trial @ trial < error @ error:
                    break
            else:
                break
            here, error = here + part * step, trial
        return here, float(np.abs(error).max(initial=0.0))

    def _errors_moved(
        self,
        rows: Sequence[Deformation],
        x: np.ndarray,
        moved: tuple[np.ndarray, np.ndarray] | None,
    ) -> np.ndarray:
        error = self.errors(rows, x)
        if moved is None:
            return error
        origin, by = moved
        return np.append(error, by @ ((x - origin) / self._scale - by) / np.linalg.norm(by))

    def _plain(
        self,
        rows: Sequence[Deformation],
        x: np.ndarray,
        moved: tuple[np.ndarray, np.ndarray] | None,
    ) -> np.ndarray:
        """Jacobian of the errors over scaled coordinates."""
        sizes = np.array([[self.size if q.unit == "m" else 1.0] for q in rows]).reshape(-1, 1)
        J = self._derivatives(rows, x) * self._scale / sizes
        return J if moved is None else np.vstack([J, moved[1] / np.linalg.norm(moved[1])])

    @cached_property
    def start(self) -> tuple[np.ndarray, float]:
        """The configuration that is nearest to the nodes' start, and its largest error."""
        return self.met(self.rows, self._start)

    @property
    def given(self) -> list[ca.DM]:
        """Numbers for (t, s, d, u, p)."""
        return self._values[:-1]

    def driven(self, length: float, random: np.random.Generator) -> Mobility:
        """Return the mechanism with time, states and inputs changed by about ``length``."""
        t, s, d, u, p, x = self._values
        ds, du = (length * random.uniform(-1, 1, v.shape) for v in (s, u))
        moved = copy(self)
        # A copy shares the compiled functions, but not the results cached for other values.
        for name in ("start", "_reached", "elsewhere", "is_conclusive"):
            moved.__dict__.pop(name, None)
        moved._values = [t + length, s + ds, d, u + du, p, x]
        return moved

    def followed(self, rows: Sequence[Deformation]) -> list[Deformation]:
        """Return rows, with those of degrees of freedom if a motion depends on the state."""
        A = self.assembly
        return [*rows, *A.dofs, *A.kinematic] if any(q.servo for q in rows) else list(rows)

    def motions(
        self, rows: Sequence[Deformation], x: np.ndarray, slips: Sequence[Slip] = ()
    ) -> Iterator[np.ndarray]:
        """Return configurations reached by short free motions, which begin with zero ``slips``.

        From a singular position motion is possible in some directions only: if random ones fail,
        directions are tried in which one coordinate moves most.
        """
        free = null_space(self.jacobian([*rows, *slips], x))
        # A fixed seed: the same model must always get the same roles.
        random = np.random.default_rng(0).standard_normal((free.shape[1], MOTIONS))
        found = False
        for direction in (free @ random).T if free.size else ():
            there = self._moved(rows, x, direction)
            if there is not None:
                found = True
                yield there
        for k in np.argsort(-np.linalg.norm(free, axis=1)) if not found else ():
            if np.linalg.norm(free[k]) > 0.1:
                there = self._moved(rows, x, free @ free[k])
                if there is not None:
                    yield there
                    return

    def _moved(
        self, rows: Sequence[Deformation], x: np.ndarray, direction: np.ndarray
    ) -> np.ndarray | None:
        direction = direction / np.abs(direction).max()
        for length in (STEP, STEP / 4, STEP / 16):
            by = length * direction
            there, error = self.met(rows, x + by * self._scale, (x, by))
            if error <= MET:
                return there
        return None

    @cached_property
    def _reached(self) -> list[np.ndarray]:
        return list(self.motions(self.rows, self.start[0]))

    @cached_property
    def elsewhere(self) -> np.ndarray:
        """The configuration near the start with most independent rows, or the start."""
        return self.best(self.rows)

    def best(self, rows: Sequence[Quantity]) -> np.ndarray:
        """Return the place where most of these rows are independent: the start, or one reached."""
        found = [self.start[0], *self._reached]
        ranks = [rank(self.jacobian(rows, place)) for place in found]
        return found[int(np.argmax(ranks))]

    @cached_property
    def is_conclusive(self) -> bool:
        """Whether a second configuration was found, or nothing can move, so that none is needed."""
        x, error = self.start
        free = null_space(self.jacobian(self.rows, x))
        return error <= MET and (not free.size or bool(self._reached))

    def values_elsewhere(self) -> list[object]:
        """Return numbers for (t, s, d, u, p, x) there."""
        return [*self._values[:-1], ca.DM(self.elsewhere)]


def rank(J: np.ndarray) -> int:
    """Return the number of independent rows."""
    return int(np.linalg.matrix_rank(J, tol=RANK)) if J.size else 0


def null_space(J: np.ndarray) -> np.ndarray:
    """Return the null space of rows, as columns."""
    return scipy.linalg.null_space(J, rcond=RANK) if J.size else np.eye(J.shape[1])


def dependent_rows(rows: Sequence[Quantity], J: np.ndarray) -> tuple[list[Quantity], int]:
    """Return the rows that depend on each other, and how many are too many."""
    left = null_space(J.T) if J.size else np.eye(len(rows))
    if not left.shape[1]:
        return [], 0
    weight = np.abs(left).max(axis=1)
    return [q for q, w in zip(rows, weight, strict=True) if w > 1e-6], left.shape[1]
