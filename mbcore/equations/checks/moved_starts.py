"""Start positions that constraints move: a point given where the model does not let it be.

Nodes start where the user puts them, and the assembly then goes to the next configuration that
obeys everything, without a word: a wheel of radius 0.5 m whose centre is given 0.7 m above the
ground rolls at 0.5 m. Here the same is done at the places given, with those conditions left open
whose values are given by themselves, `rigid(0.3)`, `dof(start=0.3)`: these move nodes as intended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.massless import massless_nodes
from mbcore.equations.elimination.unit_sizes import sizes_of
from mbcore.model.errors import warn_user
from mbcore.model.expressions import column
from mbcore.model.nodes.nodes import Node, Point, Rotation
from mbcore.model.quantities import Deformation, Role
from mbcore.model.tables import derivatives
from mbcore.model.wording import formatted

ROUGH = 0.01
"""Move of a given start, in parts of the mechanism's length or in rad, that counts as rounding:
what is left of a place that was typed with two or three digits."""
LOOSE = 1e-3
"""Weight of nodes whose start is that of a node without one: they follow the others."""
ITERATIONS = 60
CLOSED = 1e-9
LISTED = 4
"""Most nodes in the warning."""


@dataclass(frozen=True)
class Move:
    """A node that starts elsewhere: how far, in parts of what counts, and by which condition."""

    node: Node
    given: np.ndarray
    there: np.ndarray
    size: float
    by: Deformation | None


def moved_starts(A: Assembly, values: Sequence[object], natural: float) -> list[Move]:
    """Return the nodes that cannot be where they are given, the farthest moved first.

    Parameters
    ----------
    values : sequence
        Numbers for (t, s, d, u, p, x) where the nodes are given.
    natural : float
        The mechanism's length, m.
    """
    follow = {q.name for e in massless_nodes(A.model) for q in e.deformations.values()}
    rows = [q for q in A.position_rows if _counts(q) and q.name not in follow]
    if not rows or not A.coordinates:
        return []
    sizes = np.array(sizes_of((c.unit for c in A.coordinates), natural))
    units = np.array(sizes_of((q.unit for q in rows), natural))
    residual = A.in_coordinates(column(A.residual(q) for q in rows))
    first = np.ravel(ca.Function("r", A.arguments, [residual])(*values).full()) / units
    if not np.isfinite(first).all() or np.abs(first).max() < ROUGH:
        return []
    weights = np.concatenate(
        [
            np.full(len(free), 1.0 if _is_given(node) else LOOSE)
            for node in A.model.nodes.values()
            if (free := [c for c in node.quantities if c.fixed is None])
        ]
    )
    jacobian = derivatives.jacobian(residual, A.x)
    both = ca.Function("both", A.arguments, [residual, ca.densify(jacobian)])
    search = _Search(both, list(values[:5]), units, sizes, weights)
    given = np.array(values[5], float).ravel()
    there, shares = search.nearest(given)
    if there is None:
        return []
    return _moves(A, rows, (given, there), sizes, shares)


def warn_of_moves(name: str, moves: Sequence[Move]) -> None:
    """Issue one ``ModelWarning`` that names the nodes moved farthest, from where and by what."""
    if not moves:
        return
    more = f" and {len(moves) - LISTED} more" if len(moves) > LISTED else ""
    warn_user(
        f"{name}: not all nodes can start where they are given: "
        f"{'; '.join(map(_told, moves[:LISTED]))}{more}; give starts that fit to 1 %, or none for "
        "nodes that follow from others; the assembly then places these"
    )


def _told(move: Move) -> str:
    node, by = move.node, move.by
    unit = "m" if isinstance(node, Point) else "rad"
    why = f", by {by.name}" if by is not None else ""
    if by is not None and by.states is not None:
        why += f", which starts at {formatted(by.states.start)} as none is given for it"
    elif by is not None:
        why += " (rigid)"
    here, there = _place(move.given), _place(move.there)
    return f"{node.name}, given at {here}, is moved by {move.size:.3g} {unit} to {there}{why}"


def _place(values: np.ndarray) -> str:
    numbers = ", ".join(map(formatted, values))
    return f"({numbers})" if len(values) > 1 else numbers


def _counts(q: Deformation) -> bool:
    """Return whether a condition may not move nodes without a word: no value was given for it."""
    if q.role is Role.RIGID:
        return q.is_zero
    return q.states is not None and not q.states.start_is_given


def _is_given(node: Node) -> bool:
    usual = (1.0, 0.0, 0.0, 0.0) if isinstance(node, Rotation) else (0.0,) * 3
    return any(
        not c.start.is_constant() or float(c.start) != value
        for c, value in zip(node.quantities, usual, strict=False)
    )


class _Search:
    """The configuration that meets conditions next to the places given."""

    def __init__(
        self,
        both: ca.Function,
        known: list[object],
        units: np.ndarray,
        sizes: np.ndarray,
        weights: np.ndarray,
    ) -> None:
        self._both, self._known = both, known
        self._units, self._sizes, self._weights = units, sizes, weights

    def nearest(self, given: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
        """Return it, None where none is found, and the share of each condition in each move."""
        x = given.copy()
        shares = np.zeros((x.size, self._units.size))
        for _ in range(ITERATIONS):
            found = self._both.call([*self._known, x])
            r, J = (np.array(value.full()) for value in found)
            r, J = r[:, 0] / self._units, J * self._sizes / self._units[:, None]
            if not (np.isfinite(r).all() and np.isfinite(J).all()):
                return None, shares
            scaled = J / self._weights
            inverse = np.linalg.pinv(scaled, rcond=1e-9)
            back = self._weights * (given - x) / self._sizes
            along = back - inverse @ (scaled @ back)
            normal = -inverse * r
            step = (normal.sum(axis=1) + along) / self._weights
            longest = np.abs(step).max(initial=0.0)
            if longest < CLOSED and np.abs(r).max() < CLOSED:
                return x, shares
            part = min(1.0, 0.5 / longest)
            shares += part * normal / self._weights[:, None]
            x = x + part * step * self._sizes
        r = np.ravel(self._both.call([*self._known, x])[0].full()) / self._units
        return (x if np.abs(r).max() < CLOSED else None), shares


def _moves(
    A: Assembly,
    rows: Sequence[Deformation],
    places: tuple[np.ndarray, np.ndarray],
    sizes: np.ndarray,
    shares: np.ndarray,
) -> list[Move]:
    given, there = places
    there = np.round(there / sizes, 9) * sizes  # so that no message says 1e-17 for 0
    found, first = [], 0
    for node in A.model.nodes.values():
        free = [c for c in node.quantities if c.fixed is None]
        columns = slice(first, first + len(free))
        first += len(free)
        if not free or not _is_given(node):
            continue
        moved = np.linalg.norm(((there - given) / sizes)[columns])
        if moved < ROUGH:
            continue
        most = np.abs(shares[columns]).sum(axis=0)
        turn = 1.0 if isinstance(node, Point) or len(free) == 1 else 2.0
        size = turn * float(np.linalg.norm((there - given)[columns]))
        found.append(
            (moved, Move(node, given[columns], there[columns], size, rows[int(most.argmax())]))
        )
    return [move for _, move in sorted(found, key=lambda pair: -pair[0])]
