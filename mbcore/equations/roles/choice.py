"""Checks whether the roles fit together, with names in errors; and a choice of missing roles.

The position problem needs as many independent conditions as there are free coordinates, and so
does the velocity problem. Redundant, missing and dependent conditions show in the null spaces of
the two Jacobians at the start configuration.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

import casadi as ca
import numpy as np
import scipy

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.elimination.unit_sizes import length_power, natural_length, sizes_of
from mbcore.equations.roles.mobility import Mobility, dependent_rows
from mbcore.model import wording
from mbcore.model.errors import RoleError
from mbcore.model.expressions import column, full
from mbcore.model.nodes.nodes import Coordinate, Rotation
from mbcore.model.quantities import Deformation, Quantity, Role
from mbcore.model.tables import derivatives

RANK_TOLERANCE = 1e-9
ADVICE = ", or let roles='auto' choose"
LISTED = 8
"""Most names listed in one message."""


def check_roles(assembly: Assembly, values: Sequence[object], *, chosen: bool = False) -> float:
    """Refuse conditions that are redundant, missing or dependent at the start configuration.

    Parameters
    ----------
    assembly : Assembly
        The model with its roles.
    values : sequence
        Numbers for (t, s, d, u, p, x) at the start.
    chosen : bool
        Whether ``roles="auto"`` was used, so that messages need not advise it.

    Returns
    -------
    float
        The mechanism's natural length, m.

    Raises
    ------
    RoleError
        Naming the conditions that depend on each other, undetermined coordinates, and the remedy.
    """
    problems: dict[str, Sequence[Quantity]] = {
        "position": assembly.position_rows,
        "velocity": assembly.velocity_rows,
    }
    # Most rows are in both problems.
    every = list({id(q): q for rows in problems.values() for q in rows}.values())
    places = {id(q): i for i, q in enumerate(every)}
    numbers = numeric_rows(assembly, every, values)
    for what, rows in problems.items():
        jacobian = numbers[[places[id(q)] for q in rows]]
        sizes = _sizes(assembly, rows, jacobian, values)
        _check(what, assembly, rows, jacobian * sizes, values, sizes, "" if chosen else ADVICE)
    return _natural(assembly, rows, jacobian, values)


def _natural(
    assembly: Assembly, rows: Sequence[Quantity], J: np.ndarray, values: Sequence[object]
) -> float:
    lengths = [length_power(c.unit) == 1 for c in assembly.coordinates]
    places = np.array(ca.DM(values[-1]).full())[:, 0]
    own = [length_power(q.unit) == 1 for q in rows]
    return natural_length(J[own], lengths, places[lengths])


def _sizes(
    assembly: Assembly, rows: Sequence[Quantity], J: np.ndarray, values: Sequence[object]
) -> np.ndarray:
    """Return natural sizes of the coordinates, so that no rank depends on the unit of length."""
    natural = _natural(assembly, rows, J, values)
    return np.array(sizes_of((c.unit for c in assembly.coordinates), natural))


def numeric_rows(
    assembly: Assembly, rows: Sequence[Quantity], values: Sequence[object]
) -> np.ndarray:
    """Return the rows D' and V at the given values, shape (len(rows), n)."""
    A = assembly
    rates = A.rates(list(rows))
    f = ca.Function("rows", [*A.arguments, A.v], [derivatives.jacobian(rates, A.v)])
    result = full(f(*values, ca.DM.zeros(A.v.numel())))
    if not np.all(np.isfinite(result)):
        bad = [q.name for q, row in zip(rows, result, strict=True) if not np.all(np.isfinite(row))]
        raise RoleError(
            f"at the start configuration {_listed(bad)} has no derivative (coinciding points, a "
            "zero length?); start the nodes elsewhere"
        )
    return result.reshape(len(rows), A.v.numel())


def _scaled(rows: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms > 0, norms, 1.0)


def _null_spaces(J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return left and right null spaces as columns."""
    m, n = J.shape
    if m == 0 or n == 0:
        return np.eye(m), np.eye(n)
    U, singular, Vt = np.linalg.svd(J)
    rank = int(np.sum(singular > RANK_TOLERANCE * max(1.0, singular[0])))
    return U[:, rank:], Vt[rank:].T


def _surely_regular(J: np.ndarray) -> bool:
    """Whether an estimate of the condition number already shows that there are no null spaces."""
    if J.shape[0] != J.shape[1] or not J.size:
        return False
    factors, _, failed = scipy.linalg.lapack.dgetrf(J)
    if failed:
        return False
    reciprocal, _ = scipy.linalg.lapack.dgecon(factors, np.abs(J).sum(axis=0).max())
    return bool(reciprocal > 10 * RANK_TOLERANCE)


def _check(
    what: str,
    A: Assembly,
    rows: Sequence[Quantity],
    J: np.ndarray,
    values: Sequence[object],
    sizes: np.ndarray,
    advice: str,
) -> None:
    # An LU factorization costs far less than the singular values, which only an error needs.
    if _surely_regular(_scaled(J)):
        return
    left, right = _null_spaces(_scaled(J))
    if left.shape[1] == 0 and right.shape[1] == 0:
        return
    lines = [
        f"model {A.model.name!r}, {what} problem: {wording.count(len(rows), 'condition')} for "
        f"{wording.count(A.x.numel(), 'unknown coordinate')}"
    ]
    if left.shape[1]:
        lines += _dependence(A, rows, left, values, advice)
        right, values = _not_by_chance(A, rows, right, values, sizes)
    if right.shape[1]:
        weight = np.abs(right).max(axis=1)
        moving = [c.name for c, w in zip(A.coordinates, weight, strict=True) if w > 1e-6]
        lines.append(f"these coordinates are not determined: {_listed(moving)}")
        useful = _useful(A, right, what, values, sizes)
        kinds = (
            "degrees of freedom, kinematic coordinates"
            if what == "position"
            else ("degrees of freedom")
        )
        lines.append(
            f"make {right.shape[1]} of these {kinds} or constraints: "
            f"{_listed(useful) or 'none could be: a coordinate is used by no element'}"
        )
    slips = len(A.zero) + len(A.speed_slips)
    free = len(A.model.nodes.free_rotations())  # four Euler parameters for three freedoms
    if what == "velocity" and len(A.kinematic) - free != slips:
        counted = ", of a free rotation three" if free else ""
        lines.append(
            f"there must be as many kinematic coordinates ({len(A.kinematic) - free}{counted}) as "
            f"slips that are zero or degrees of freedom ({slips})"
        )
    raise RoleError("; ".join(lines))


def _dependence(
    A: Assembly,
    rows: Sequence[Quantity],
    left: np.ndarray,
    values: Sequence[object],
    advice: str,
) -> list[str]:
    """Return the words for rows that depend on each other, everywhere or at the start only."""
    weight = np.abs(left).max(axis=1)
    here = [q for q, w in zip(rows, weight, strict=True) if w > 1e-6]
    mobility = Mobility(A, values)
    everywhere: list[Quantity] = []
    count = 0
    if mobility.is_conclusive:
        everywhere, count = dependent_rows(rows, mobility.jacobian(rows, mobility.best(rows)))
    lines = []
    if count:
        rigid = any(q.role in (Role.RIGID, Role.ZERO) for q in everywhere)
        lines.append(
            f"these depend on each other everywhere: {_listed(_with_role(everywhere))}; release "
            f"{count} of them" + (advice if rigid else "")
        )
    if count < left.shape[1]:
        lines.append(
            "the start is a singular position, where these depend on each other: "
            f"{_listed(_with_role(here))}; start elsewhere, or choose other degrees of freedom"
        )
    return lines


def _not_by_chance(
    A: Assembly,
    rows: Sequence[Quantity],
    right: np.ndarray,
    values: Sequence[object],
    sizes: np.ndarray,
) -> tuple[np.ndarray, Sequence[object]]:
    """Return the null space of rows at a place beyond the singular start, and values there."""
    mobility = Mobility(A, values)
    if not mobility.is_conclusive:
        return right, values
    there = [*values[:-1], ca.DM(mobility.best(rows))]
    return _null_spaces(_scaled(numeric_rows(A, rows, there) * sizes))[1], there


def _useful(
    A: Assembly,
    right: np.ndarray,
    what: str,
    values: Sequence[object],
    sizes: np.ndarray,
) -> list[str]:
    candidates = _candidates(A) + (list(A.free) if what == "velocity" else [])
    if not candidates:
        return []
    moved = _scaled(numeric_rows(A, candidates, values) * sizes) @ right
    return [q.name for q, m in zip(candidates, moved, strict=True) if np.linalg.norm(m) > 1e-6]


def _candidates(A: Assembly) -> list[Quantity]:
    """Deformations without a hard role, relative ones first, then free coordinates."""
    return [*A.dependent, *(c for c in A.coordinates if c.role is None)]


def choose_roles(
    assembly: Assembly,
    values: Sequence[object],
    start: Sequence[object],
    excluded: Container[str] = (),
) -> tuple[str, ...]:
    """Pick the missing degrees of freedom and kinematic coordinates by pivoted QR.

    Relative coordinates (released deformations) are preferred to nodal ones by a factor: those
    rarely become singular on the way. Roles already given are kept. A chosen quantity starts at
    its value in the start configuration, with the rate zero.

    Parameters
    ----------
    values : sequence
        Numbers for (t, s, d, u, p, x) where the mechanism is not singular.
    start : sequence
        Numbers at the start configuration.
    excluded : container of str
        Names of deformations that cannot move.

    Returns
    -------
    tuple of str
        One sentence for each choice.
    """
    A = assembly
    demanded = [*A.rigid, *A.prescribed, *A.independent, *A.zero]
    candidates = [q for q in _candidates(A) if q.name not in excluded]
    chosen = _pick(A, demanded, candidates, values)
    holonomic = [*A.rigid, *A.prescribed, *A.dofs, *chosen, *A.kinematic]
    rest = [q for q in candidates if q not in chosen]
    kinematic = _pick(A, holonomic, rest, values)
    # Roles are given last, because a relation depends on the roles of the deformations in it.
    starts = _strains_at(A, [*chosen, *kinematic], start)
    sentences = []
    for q, value in zip(chosen, starts, strict=False):
        q.dof(start=value)
        sentences.append(f"{q.name} is a degree of freedom: {_reason(q)}")
    for q, value in zip(kinematic, starts[len(chosen) :], strict=True):
        q.kinematic(start=value)
        sentences.append(f"{q.name} is a kinematic coordinate: {_reason(q)}")
    return tuple(sentences)


def _strains_at(
    A: Assembly, chosen: Sequence[Deformation], values: Sequence[object]
) -> list[float]:
    """Return D(x) of deformations and coordinates at the given values."""
    strains = column(A.strain(q) for q in chosen)
    found = ca.Function("strains", A.arguments, [strains])(*values)
    return [float(value) for value in np.array(found.full())[:, 0]] if chosen else []


def choose_free_rotations(assembly: Assembly, values: Sequence[object]) -> tuple[str, ...]:
    """Make those rotations free that neither conditions nor joints determine.

    Their angular velocities are then generalized speeds, and no orientation is singular. Rotations
    that a joint leaves, such as a hinge's angle, are left to `choose_roles`.

    Returns
    -------
    tuple of str
        One sentence for each of them.
    """
    A = assembly
    rows: list[Quantity] = [*A.rigid, *A.prescribed, *A.independent, *A.zero]
    for element in A.model.elements.values():
        able = [
            placement
            for placement in element.placements()
            if all(element.deformations[name].is_zero for name in placement.zero)
        ]
        names = {name for placement in able for name in placement.strains}
        rows += [q for name in names if (q := element.deformations[name]) in A.dependent]
    known = numeric_rows(A, rows, values)
    sizes = _sizes(A, rows, known, values)
    known = known * sizes
    sentences = []
    for node in A.model.nodes.values():
        roles = [coordinate.role or coordinate.fixed for coordinate in node.quantities]
        if not isinstance(node, Rotation) or any(role is not None for role in roles):
            continue
        _, moving = _null_spaces(_scaled(known))
        turning = numeric_rows(A, node.quantities, values) * sizes
        if moving.size and np.linalg.matrix_rank(turning @ moving, tol=1e-6) == 3:
            node.free()
            known = np.vstack([known, turning])
            sentences.append(
                f"{node.name} is a free rotation: nothing else determines how it turns, and its "
                "angular velocity is never singular"
            )
    return tuple(sentences)


def _reason(q: Quantity) -> str:
    kind = (
        "a nodal coordinate, no relative one was left"
        if isinstance(q, Coordinate)
        else "a relative coordinate, preferred to nodal ones"
    )
    return f"{kind}; largest pivot of those left at the start configuration"


def _pick(
    A: Assembly,
    rows: Sequence[Quantity],
    candidates: Sequence[Quantity],
    values: Sequence[object],
) -> list[Deformation]:
    known = numeric_rows(A, rows, values)
    sizes = _sizes(A, rows, known, values)
    _, free = _null_spaces(_scaled(known * sizes))
    count = free.shape[1]
    if count == 0 or not candidates:
        return []
    preference = np.array([1e-2 if isinstance(q, Coordinate) else 1.0 for q in candidates])
    moved = _scaled(numeric_rows(A, candidates, values) * sizes) @ free * preference[:, None]
    _, R, order = scipy.linalg.qr(moved.T, pivoting=True, mode="economic")
    pivots = np.abs(np.diag(R))
    good = int(np.sum(pivots > 1e-8))
    picked = (candidates[i] for i in order[: min(count, good)])
    return [q for q in picked if isinstance(q, Deformation)]


def _with_role(quantities: Sequence[Quantity]) -> list[str]:
    return [f"{q.name} ({q.role.value})" for q in quantities if q.role is not None]


def _listed(names: Sequence[str]) -> str:
    return wording.listed(names, LISTED)
