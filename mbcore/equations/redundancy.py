"""Constraints that say something twice: everywhere, or only where the mechanism starts.

At one configuration both look the same. So a second one is sought along the mechanism's own free
motion: what is redundant there as well is taken to be redundant everywhere, as in a door with three
hinges or Bricard's mechanism; what is not makes the start a singular position, as a stretched
four-bar is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np
import scipy.linalg

from mbcore.equations.assembly import Assembly
from mbcore.model.errors import RoleError
from mbcore.model.expressions import column
from mbcore.model.quantities import Deformation, Quantity, Role, Slip

RANK = 1e-7
"""Smallest singular value of scaled rows that are independent."""
STEP = 0.05
"""Length of a test motion, in sizes of the mechanism and radians."""
MOTIONS = 4
"""Test motions into random directions."""
ITERATIONS = 200
MET = 1e-10
"""Error of constraints that are met, relative to the mechanism's size."""
STAYED = 1e-8
"""Error of a released constraint after a test motion, relative to the mechanism's size."""
KEPT = (0.1, 1e-3, 1e-6)
"""Parts of a row that must be independent of those kept before: first well, then at all."""


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
        A = self._assembly = assembly
        self.rows: list[Deformation] = [*A.rigid, *A.prescribed]
        self._values = [ca.DM(value) for value in values]
        self._arguments = [A.model.time, A.s, A.d, A.u, A.p, A.x]
        self._start = np.array(ca.DM(self._values[-1]).full())[:, 0]
        lengths = np.array([c.unit == "m" for c in A.coordinates], bool)
        reach = np.abs(self._start[lengths]).max(initial=0.0)
        self.size = float(reach) if reach > 0 else 1.0
        self._scale = np.where(lengths, self.size, 1.0)

    def jacobian(self, rows: Sequence[Quantity], x: np.ndarray) -> np.ndarray:
        """Return D' and V of rows over scaled coordinates, each row of length one."""
        return _unit_rows(self._derivatives(rows, x) * self._scale)

    def _derivatives(self, rows: Sequence[Quantity], x: np.ndarray) -> np.ndarray:
        A = self._assembly
        key = tuple(q.name for q in rows)
        if key not in self._jacobians:
            matrix = ca.densify(ca.jacobian(A.rates(list(rows)), A.v))
            self._jacobians[key] = ca.Function("rows", self._arguments, [matrix])
        dense = np.array(self._jacobians[key](*self._values[:-1], x).full())
        return dense.reshape(len(rows), x.size)

    @cached_property
    def _jacobians(self) -> dict[tuple[str, ...], ca.Function]:
        return {}

    def errors(self, rows: Sequence[Deformation], x: np.ndarray) -> np.ndarray:
        """Return D(x) less what rows demand, relative to the mechanism's size or to one."""
        key = tuple(q.name for q in rows)
        if key not in self._residuals:
            found = column(self._assembly.residual(q) for q in rows)
            self._residuals[key] = ca.Function("residual", self._arguments, [found])
        sizes = np.array([self.size if q.unit == "m" else 1.0 for q in rows])
        found = np.array(self._residuals[key](*self._values[:-1], x).full())[:, 0]
        return found / sizes

    @cached_property
    def _residuals(self) -> dict[tuple[str, ...], ca.Function]:
        return {}

    def met(
        self,
        rows: Sequence[Deformation],
        x: np.ndarray,
        moved: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> tuple[np.ndarray, float]:
        """Return a configuration near ``x`` that meets rows, and the largest error that is left.

        Levenberg and Marquardt's iteration with a damping that vanishes with the error, which
        converges fast where rows are redundant, too.

        Parameters
        ----------
        moved : (ndarray, ndarray), optional
            Another configuration and a scaled displacement from it, along which the solution is as
            far from there: a singular start does not draw it back.
        """
        here = x.copy()
        error = self._errors_moved(rows, here, moved)
        for _ in range(ITERATIONS):
            if np.abs(error).max(initial=0.0) <= MET * 1e-3:
                break
            J = self._plain(rows, here, moved)
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

    def motions(self, rows: Sequence[Deformation], x: np.ndarray) -> Iterator[np.ndarray]:
        """Return configurations that short free motions lead to.

        From a singular position only some directions are those of a motion: where random ones lead
        nowhere, those are tried in which one coordinate moves most.
        """
        free = null_space(self.jacobian(rows, x))
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
        """The configuration near the start where most rows are independent, the start if none."""
        found = [self.start[0], *self._reached]
        ranks = [rank(self.jacobian(self.rows, place)) for place in found]
        return found[int(np.argmax(ranks))]

    @cached_property
    def tells(self) -> bool:
        """Whether a second configuration was found, or none is needed, for nothing can move."""
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
    """Return what rows leave free, as columns."""
    return scipy.linalg.null_space(J, rcond=RANK) if J.size else np.eye(J.shape[1])


def dependent_rows(rows: Sequence[Quantity], J: np.ndarray) -> tuple[list[Quantity], int]:
    """Return the rows that depend on each other, and how many are too many."""
    left = null_space(J.T) if J.size else np.zeros((len(rows), 0))
    if not left.shape[1]:
        return [], 0
    weight = np.abs(left).max(axis=1)
    return [q for q, w in zip(rows, weight, strict=True) if w > 1e-6], left.shape[1]


@dataclass(frozen=True)
class Released:
    """What was redundant everywhere.

    Attributes
    ----------
    released : tuple of Quantity
        Constraints that follow from the others.
    involved : tuple of Quantity
        All whose forces are not unique.
    size : float
        Size of the mechanism, m.
    """

    released: tuple[Quantity, ...] = ()
    involved: tuple[Quantity, ...] = ()
    size: float = 1.0


def release_redundant(
    assembly: Assembly, values: Sequence[object]
) -> tuple[Released, list[object]]:
    """Release rigid deformations and zero slips that are redundant everywhere.

    In the order of the elements, and in each angles before lengths, constraints are kept that are
    independent of those kept before. So the last ones are released, in each model the same.

    Returns
    -------
    Released
        What was released.
    list
        Numbers for (t, s, d, u, p, x) where the mechanism is not singular.

    Raises
    ------
    RoleError
        If redundant constraints contradict each other, or one of them does not stay met while the
        mechanism moves.
    """
    M = Mobility(assembly, values)
    rows = _by_preference(assembly, M.rows)
    every: list[Quantity] = [*rows, *assembly.zero]
    start = np.array(ca.DM(values[-1]).full())[:, 0]
    first = M.jacobian(every, start)
    if rank(first) == len(every):
        return Released(), list(values)
    kept_at_start = _kept(rows, [M.jacobian(rows, start)])
    if M.start[1] > MET:
        _refuse_contradiction(M, rows, kept_at_start)
    place = M.elsewhere
    J = M.jacobian(rows, place)
    places = [J]
    at_start = M.jacobian(rows, M.start[0])
    if rank(at_start) == rank(J):
        places.append(at_start)
    kept = _kept(rows, places)
    released: list[Quantity] = [q for q in rows if q not in kept]
    _refuse_leaving(M, kept, [q for q in released if isinstance(q, Deformation)], place)
    involved, _ = dependent_rows(rows, J)
    slips = _kept_slips(M, kept, assembly.zero, place)
    more, _ = dependent_rows([*kept, *assembly.zero], M.jacobian([*kept, *assembly.zero], place))
    released += [s for s in assembly.zero if s not in slips]
    for q in released:
        if q.role not in (Role.RIGID, Role.ZERO):
            raise RoleError(
                f"model {assembly.model.name!r}: {q.name} ({q.role.value if q.role else ''}) says "
                "what rigid deformations say already, and cannot be released; drop its role"
            )
        q.role = Role.FREE if isinstance(q, Slip) else Role.DEPENDENT
    names = {q.name for q in more} | {q.name for q in involved}
    names -= {c.name for node in assembly.model.nodes.values() for c in node.conditions()}
    whole = [q for q in every if q.name in names] if released else []
    return Released(tuple(released), tuple(whole), M.size), M.values_elsewhere()


def _by_preference(A: Assembly, rows: Sequence[Deformation]) -> list[Deformation]:
    """Constraints in the order in which they are kept: prescribed ones and nodes' own first."""
    order = {
        q.name: (1 + i, q.unit == "m")
        for i, element in enumerate(A.model.elements.values())
        for q in element.deformations.values()
    }
    return sorted(
        rows,
        key=lambda q: order.get(q.name, (0, False)) if q.role is Role.RIGID else (0, False),
    )


def _kept(rows: Sequence[Deformation], places: Sequence[np.ndarray]) -> list[Deformation]:
    """Return rows that are independent of those before them at all places."""
    chosen: list[int] = []
    goal = rank(places[0])
    bases = [np.zeros((0, J.shape[1])) for J in places]
    for least in KEPT:
        for i in range(len(rows)):
            if i in chosen or len(chosen) == goal:
                continue
            rest = [_orthogonal(J[i], basis) for J, basis in zip(places, bases, strict=True)]
            if min(np.linalg.norm(r) for r in rest) > least:
                chosen.append(i)
                bases = [
                    np.vstack([basis, r / np.linalg.norm(r)])
                    for basis, r in zip(bases, rest, strict=True)
                ]
    return [rows[i] for i in sorted(chosen)]


def _kept_slips(
    M: Mobility, kept: Sequence[Deformation], slips: Sequence[Slip], x: np.ndarray
) -> list[Slip]:
    found: list[Slip] = []
    for slip in slips:
        trial: list[Quantity] = [*kept, *found, slip]
        if rank(M.jacobian(trial, x)) == len(trial):
            found.append(slip)
    return found


def _orthogonal(row: np.ndarray, basis: np.ndarray) -> np.ndarray:
    for _ in range(2):  # once more, for rounding
        row = row - basis.T @ (basis @ row)
    return row


def _unit_rows(rows: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms > 0, norms, 1.0)


def _refuse_contradiction(
    M: Mobility, rows: Sequence[Deformation], kept: Sequence[Deformation]
) -> None:
    x, error = M.met(kept, M.start[0])
    others = [q for q in rows if q not in kept]
    misfit = M.errors(others, x)
    if error > MET or not np.abs(misfit).max(initial=0.0) > MET:
        return  # far from a configuration, or singular: another check tells
    worst = int(np.argmax(np.abs(misfit)))
    q = others[worst]
    unit = q.unit if q.unit != "1" else ""
    by = misfit[worst] * (M.size if q.unit == "m" else 1.0)
    raise RoleError(
        f"model {M._assembly.model.name!r}: redundant constraints contradict each other: where the "
        f"others are met, {q.name} is violated by {by:.6g} {unit}".rstrip()
        + "; move the nodes that start out of line, or release it, with a spring where it gives way"
    )


def _refuse_leaving(
    M: Mobility, kept: Sequence[Deformation], released: Sequence[Deformation], x: np.ndarray
) -> None:
    for there in M.motions(kept, x):
        errors = np.abs(M.errors(released, there))
        if errors.max(initial=0.0) > STAYED:
            q = released[int(np.argmax(errors))]
            raise RoleError(
                f"model {M._assembly.model.name!r}: {q.name} depends on other constraints at the "
                f"start, but is violated by {errors.max():.3g} of the size of the mechanism after "
                "a short motion that keeps these: the start is a singular position; start elsewhere"
            )
