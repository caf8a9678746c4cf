"""The best degrees of freedom and kinematic coordinates of a mechanism at a configuration.

Constraints leave some velocities free. The quality of coordinates is how well their rates determine
these: the smallest singular value of their rows on the null space of the constraints, each row
scaled to length 1. It is 1 at best, and 0 where the coordinates do not determine the motion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import casadi as ca
import numpy as np
import scipy

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.massless import massless_nodes
from mbcore.equations.elimination.unit_sizes import sizes_of
from mbcore.equations.equations import Equations
from mbcore.model.changing import mark_change
from mbcore.model.expressions import column, depends
from mbcore.model.nodes.nodes import Coordinate
from mbcore.model.quantities import Deformation, Quantity, Role
from mbcore.model.quantities.states import StateNames
from mbcore.model.system import System
from mbcore.model.tables import derivatives

NODAL = 0.3
"""Preference of a nodal coordinate, that of a relative one being 1: these are rarely singular."""
FIRST = 1e-9
"""Preference lost with each place in the order: of equally good coordinates the first is taken."""
USEFUL = 1e-3
"""Smallest pivot with which a coordinate is chosen."""
EXCHANGED = 5.0
"""Factor by which coordinates must be better in which angles that wind exchange their roles."""


@dataclass(frozen=True)
class Choice:
    """Degrees of freedom and kinematic coordinates, and how well they describe the motion.

    Attributes
    ----------
    dofs, kinematic : tuple of Deformation
        Without slips, which are never exchanged.
    quality : float
        Smallest singular value of both, in [0, 1].
    """

    dofs: tuple[Deformation, ...]
    kinematic: tuple[Deformation, ...]
    quality: float

    @property
    def key(self) -> tuple[frozenset[str], frozenset[str]]:
        """Identity of the choice: the names."""
        return frozenset(q.name for q in self.dofs), frozenset(q.name for q in self.kinematic)


class Alternatives:
    """Coordinates that may replace those of some equations.

    Parameters
    ----------
    equations : Equations
        Equations, whose own coordinates may always be chosen.
    named : sequence of Deformation
        Other coordinates that may be chosen; if empty, all without a constraint.
    """

    def __init__(self, equations: Equations, named: Sequence[Deformation] = ()) -> None:
        A = self._assembly = equations.assembly
        self._kept = [q for q in A.dofs if _winds(q) and _used(A, q)]
        self._kept_around = [q for q in A.kinematic if _winds(q) and _used(A, q)]
        spheres = {
            h.name for node in equations.model.nodes.free_rotations() for h in node.quantities
        }
        self._spheres = [q for q in A.kinematic if q.name in spheres]
        free: list[Deformation] = [*A.dofs, *(q for q in A.kinematic if q.name not in spheres)]
        if named:
            own = {q.name for q in free}
            free += [q for q in named if q.name not in own]
        else:
            free += [*A.dependent, *(c for c in A.coordinates if c.role is None)]
        # Where springs cease to place a massless node it snaps: no coordinates lead on from there.
        placed = {c.name for e in massless_nodes(A.model) for c, *_ in e.balanced_coordinates()}
        self._free = [q for q in free if not _winds_anew(q, A) and q.name not in placed]
        self.free = tuple(self._free)
        self._hard: list[Quantity] = [*A.rigid, *A.prescribed]
        self._slips: list[Quantity] = [*A.speed_slips, *A.zero]
        every: list[Quantity] = [*self._hard, *self._slips, *self._spheres, *self._free]
        self._places = {q.name: i for i, q in enumerate(every)}
        jacobian = ca.densify(derivatives.jacobian(A.rates(every), A.v))
        units = (c.unit for c in A.coordinates)
        self._sizes = np.array(sizes_of(units, equations.natural_length))
        self._rows = ca.Function("rows", [*A.arguments, A.v], [jacobian])
        self._known_at: np.ndarray | None = None
        self._known: dict[tuple[object, ...], np.ndarray] = {}

    def rows(self, point: Sequence[np.ndarray], states: int) -> np.ndarray:
        """Return all rows at (t, d, u, p, nodal coordinates), each of length one.

        Coordinates are scaled by their natural sizes.
        """
        t, d, u, p, x = point
        values = [t, np.zeros(states), d, u, p, x, np.zeros(self._assembly.v.numel())]
        rows = np.array(self._rows(*values).full()) * self._sizes
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(norms > 0, norms, 1.0)

    def _of(self, rows: np.ndarray, quantities: Sequence[Quantity]) -> np.ndarray:
        return rows[[self._places[q.name] for q in quantities]]

    def constraints(self, rows: np.ndarray) -> float:
        """Return the smallest singular value of the constraints and zero slips themselves."""
        J = self._of(rows, [*self._hard, *self._slips])
        return float(np.linalg.svd(J, compute_uv=False).min()) if J.size else 1.0

    def quality(self, rows: np.ndarray, dofs: Sequence[str], kinematic: Sequence[str]) -> float:
        """Return the quality of given coordinates, in [0, 1]."""
        by_name = {q.name: q for q in self._free}
        first = [by_name[n] for n in dofs]
        second = [by_name[n] for n in kinematic if n in by_name]
        velocity = self._smallest(rows, [*self._hard, *self._slips], first)
        position = self._smallest(rows, [*self._hard, *self._spheres, *first], second)
        return min(velocity, position)

    def _smallest(
        self, rows: np.ndarray, held: Sequence[Quantity], chosen: Sequence[Quantity]
    ) -> float:
        if not chosen:
            return 1.0
        moved = self._of(rows, chosen) @ self._free_motions(rows, held, len(chosen))
        return float(np.linalg.svd(moved, compute_uv=False).min())

    def _free_motions(self, rows: np.ndarray, held: Sequence[Quantity], count: int) -> np.ndarray:
        """Null space of the ``held`` quantities, of a given dimension, shape (n, count).

        It is found once for the same rows: the best coordinates ask for it several times.
        """
        if self._known_at is not rows:
            self._known_at, self._known = rows, {}
        key = (*(q.name for q in held), count)
        if key not in self._known:
            J = self._of(rows, held)
            if not J.size:
                return np.eye(rows.shape[1])
            # with pivots, rows that depend on others come last
            Q = scipy.linalg.qr(J.T, pivoting=True)[0]
            self._known[key] = Q[:, rows.shape[1] - count :]
        return self._known[key]

    def best(self, rows: np.ndarray) -> Choice:
        """Return the best coordinates here; relative ones are preferred.

        An angle that winds keeps its role, or becomes a kinematic coordinate instead of a degree of
        freedom or the reverse where that is far better: a wheel may roll on while the joint by
        which it is described comes to rest.
        """
        others = [q for q in self._free if q not in self._kept_around]
        kept = self._best(rows, others, self._kept)
        winding = [*self._kept, *self._kept_around]
        if not winding or len(self._assembly.kinematic) == len(self._spheres):
            return kept
        exchanged = self._best(rows, self._free, [])
        among = self._best(rows, self._picked_together(rows, winding), [])
        found = max(exchanged, among, key=lambda choice: choice.quality)
        return found if found.quality > EXCHANGED * kept.quality else kept

    def _picked_together(
        self, rows: np.ndarray, winding: Sequence[Deformation]
    ) -> list[Deformation]:
        """Return coordinates that place the mechanism, among them all angles that wind.

        Degrees of freedom from these leave angles for the kinematic coordinates that are
        independent of each other.
        """
        held: list[Quantity] = [*self._hard, *self._spheres]
        count = len(self._assembly.dofs) + len(self._assembly.kinematic) - len(self._spheres)
        return self._pick(rows, held, self._free, count, winding)

    def _best(
        self, rows: np.ndarray, candidates: Sequence[Deformation], kept: Sequence[Deformation]
    ) -> Choice:
        """Return the best coordinates, with degrees of freedom of candidates and those kept."""
        A = self._assembly
        held: list[Quantity] = [*self._hard, *self._slips]
        dofs = self._pick(rows, held, candidates, len(A.dofs), kept)
        rest = [q for q in self._free if q not in dofs]
        winding = [q for q in (*self._kept, *self._kept_around) if q not in dofs]
        count = len(A.kinematic) - len(self._spheres)
        around: list[Quantity] = [*self._hard, *self._spheres, *dofs]
        kinematic = self._spheres + self._pick(rows, around, rest, count, winding)
        names = [q.name for q in dofs], [q.name for q in kinematic]
        complete = len(dofs) == len(A.dofs) and len(kinematic) == len(A.kinematic)
        complete = complete and {q.name for q in winding} <= {q.name for q in kinematic}
        quality = self.quality(rows, *names) if complete else 0.0
        return Choice(tuple(dofs), tuple(kinematic), quality)

    def _pick(
        self,
        rows: np.ndarray,
        held: Sequence[Quantity],
        candidates: Sequence[Deformation],
        count: int,
        kept: Sequence[Deformation],
    ) -> list[Deformation]:
        """Return ``count`` quantities for the motions that ``held`` ones leave, those kept first.

        There are fewer where those kept depend on each other, or candidates do not suffice.
        """
        if count == 0 or len(kept) > count or not (candidates or kept):
            return []
        free = self._free_motions(rows, held, count)
        if kept:
            moved = self._of(rows, kept) @ free
            if np.linalg.svd(moved, compute_uv=False).min() < USEFUL:
                return []
            free = free @ scipy.linalg.null_space(moved)
        picked = list(kept)
        rest = [q for q in candidates if q not in picked]
        if count == len(picked) or not rest:
            return picked
        preference = np.array([NODAL if isinstance(q, Coordinate) else 1.0 for q in rest])
        preference *= 1 - FIRST * np.arange(len(rest))  # else rounding would choose among equals
        moved = self._of(rows, rest) @ free * preference[:, None]
        _, R, order = scipy.linalg.qr(moved.T, pivoting=True, mode="economic")
        good = np.abs(np.diag(R)) > USEFUL
        picked += [rest[i] for i, fine in zip(order, good, strict=False) if fine]
        return picked[:count]


def _winds(q: Deformation) -> bool:
    """Whether the formula gives the deformation up to whole turns only."""
    return q.winds and not isinstance(q, Coordinate)


def _winds_anew(q: Deformation, A: Assembly) -> bool:
    """Whether formulas use an angle that is not a state here, so that its value would jump."""
    return _winds(q) and q.role not in (Role.DOF, Role.KINEMATIC) and _used(A, q)


def _used(A: Assembly, q: Deformation) -> bool:
    if q in A.coupled:  # its turns are known in any role
        return False
    model = A.model
    laws = [law for other in A.quantities() for law in other.laws]
    targets = [other.target for other in A.prescribed]
    loads = [force for force, _ in model.loads]
    outputs = [output.expression for output in model.outputs.values()]
    events = [event.indicator for event in model.events.values()]
    return depends(column([*laws, *targets, *loads, *outputs, *events]), q.value)


@contextmanager
def changed_roles(
    model: System, choice: Choice, starts: Mapping[str, tuple[float, float]]
) -> Iterator[None]:
    """Give the model other coordinates as states while equations are made, and undo it.

    Parameters
    ----------
    starts : mapping of str to (float, float)
        Values and rates of the choice's deformations.
    """
    deformations = [*model.deformations(), *model.coordinates()]
    every: list[Quantity] = [*{id(q): q for q in deformations}.values()]
    kept = [(q, dict(vars(q))) for q in every]
    chosen = {q.name for q in (*choice.dofs, *choice.kinematic)}
    try:
        for q in every:
            assert isinstance(q, Deformation)
            if q.role in (Role.DOF, Role.KINEMATIC) and q.name not in chosen:
                q.role = Role.DEPENDENT
        for q, role in [(q, Role.DOF) for q in choice.dofs] + [
            (q, Role.KINEMATIC) for q in choice.kinematic
        ]:
            q.role = role
            if q.name not in starts:
                continue
            value, rate = starts[q.name]
            names = q.states or StateNames(f"{q.name} (state)", f"{q.name} (rate)", unit=q.unit)
            q.states = StateNames(**{**vars(names), "start": value, "rate_start": rate})
        yield
    finally:
        for q, attributes in kept:
            vars(q).clear()
            vars(q).update(attributes)
        mark_change()


def named_alternatives(equations: Equations) -> list[Deformation]:
    """Return the alternatives named by ``or_else`` of degrees of freedom."""
    return [other for q in equations.assembly.dofs for other in q.alternatives]
