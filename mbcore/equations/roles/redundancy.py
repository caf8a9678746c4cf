"""Redundant constraints: redundant everywhere, or only where the mechanism starts.

Constraints that are redundant at a second configuration as well are taken to be redundant
everywhere, as in a door with three hinges or Bricard's mechanism. Otherwise the start is a singular
position, as that of a stretched four-bar.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import casadi as ca
import numpy as np

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.roles.driven import refuse_driven
from mbcore.equations.roles.mobility import MET, RANK, Mobility, dependent_rows, rank
from mbcore.equations.roles.shared_forces import refuse_undetermined
from mbcore.model.errors import RoleError, warn_user
from mbcore.model.quantities import Deformation, Quantity, Role, Slip
from mbcore.model.variables import Output, Requirement

Q = TypeVar("Q", bound=Quantity)

STAYED = 1e-8
"""Error of a released constraint after a test motion, relative to the mechanism's size."""
KEPT = (0.1, 1e-3, 1e-6, RANK)
"""Parts of a row that must be independent of the rows kept before, in one pass after the other."""
HELD = 1e-6
"""Tolerable violation of a released constraint, in sizes of the mechanism (a slip: per second)."""


@dataclass(frozen=True)
class Released:
    """Constraints that are redundant everywhere.

    Attributes
    ----------
    released : tuple of Quantity
        Constraints that follow from the others.
    involved : tuple of Quantity
        All constraints whose forces are not unique.
    size : float
        Size of the mechanism, m.
    """

    released: tuple[Quantity, ...] = ()
    involved: tuple[Quantity, ...] = ()
    size: float = 1.0

    def requirements(self) -> tuple[Requirement, ...]:
        """Return the requirements that released constraints stay satisfied.

        A wrong choice, or a mechanism that is redundant only where it starts, is thus an error
        while it moves, and never a wrong result.
        """
        found = []
        for q in self.released:
            tolerance = HELD * (self.size if q.unit in ("m", "m/s") else 1.0)
            off = q.value - q.target if isinstance(q, Deformation) else q.rate
            message = (
                "a constraint that seemed redundant is violated: the mechanism is not redundant "
                "everywhere, or its parts do not fit; give the constraint a law, or correct the "
                "model"
            )
            found.append(Requirement(f"{q.name}.redundant", tolerance - ca.fabs(off), message, off))
        return tuple(found)

    def warn_of_forces(self, name: str, outputs: Iterable[Output]) -> None:
        """Warn once of outputs with forces that are not unique."""
        duals: dict[int, Quantity] = {q.dual.element_hash(): q for q in self.involved}
        shown: dict[str, list[str]] = {}
        for output in outputs:
            for symbol in ca.symvar(output.expression):
                q = duals.get(symbol.element_hash())
                if q is not None:
                    shown.setdefault(output.name, []).append(q.name)
        if shown:
            which = "; ".join(
                f"{output} shows that of {', '.join(of)}" for output, of in shown.items()
            )
            warn_user(
                f"{name}: forces of redundant constraints are not unique, and outputs show one "
                f"choice of many ({which}); release one of them and give it a law, to see how they "
                "share"
            )


def release_redundant(
    assembly: Assembly, values: Sequence[object]
) -> tuple[Released, list[object]]:
    """Release rigid deformations and zero slips that are redundant everywhere.

    In the order of the elements, angles before lengths, constraints are kept that are independent
    of those kept before. The first pass keeps those that are well independent, later ones keep
    others, because a nearly dependent constraint would amplify rounding errors. So the last ones
    are released, reproducibly.

    Returns
    -------
    Released
        The released constraints.
    list
        Numbers for (t, s, d, u, p, x) where the mechanism is not singular.

    Raises
    ------
    RoleError
        If redundant constraints contradict each other or a prescribed motion, one of them is
        violated after a motion of the mechanism, or a law or a reaction in use depends on forces
        that they share.
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
    # Rows must be independent at the start, too, unless that is a singular position anyway.
    if rank(at_start) == rank(J):
        places.append(at_start)
    kept = _kept(rows, places)
    released: list[Quantity] = [q for q in rows if q not in kept]
    _refuse_leaving(M, kept, [q for q in released if isinstance(q, Deformation)], place)
    involved, _ = dependent_rows(rows, J)
    slips = _kept_slips(M, kept, assembly.zero, place)
    more, _ = dependent_rows([*kept, *assembly.zero], M.jacobian([*kept, *assembly.zero], place))
    released += [s for s in assembly.zero if s not in slips]
    refuse_driven(M, kept, slips, released)
    if released:
        refuse_undetermined(M, every, place, released)
    for q in released:
        if q.role not in (Role.RIGID, Role.ZERO):
            raise RoleError(
                f"model {assembly.model.name!r}: {q.name} ({q.role.value if q.role else ''}) "
                "repeats what rigid deformations prescribe, and cannot be released; remove its "
                "role"
            )
        q.role = Role.FREE if isinstance(q, Slip) else Role.DEPENDENT
    names = {q.name for q in more} | {q.name for q in involved}
    # The norm of Euler parameters is not a constraint with a force that a user could ask for.
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


def _kept(rows: Sequence[Q], places: Sequence[np.ndarray], first: int = 0) -> list[Q]:
    """Return rows that are independent of those before them at all places.

    The ``first`` rows of each Jacobian come before them all and are independent.
    """
    chosen: list[int] = []
    goal = rank(places[0]) - first
    bases = [np.linalg.qr(J[:first].T)[0].T for J in places]
    places = [J[first:] for J in places]
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
    return _kept(slips, [M.jacobian([*kept, *slips], x)], len(kept))


def _orthogonal(row: np.ndarray, basis: np.ndarray) -> np.ndarray:
    for _ in range(2):  # the second time removes the rounding errors of the first
        row = row - basis.T @ (basis @ row)
    return row


def _refuse_contradiction(
    M: Mobility, rows: Sequence[Deformation], kept: Sequence[Deformation]
) -> None:
    x, error = M.met(kept, M.start[0])
    others = [q for q in rows if q not in kept]
    misfit = M.errors(others, x)
    if error > MET or not np.abs(misfit).max(initial=0.0) > MET:
        return  # far from a configuration, or singular: another check reports that
    worst = int(np.argmax(np.abs(misfit)))
    q = others[worst]
    unit = q.unit if q.unit != "1" else ""
    by = misfit[worst] * (M.size if q.unit == "m" else 1.0)
    raise RoleError(
        f"model {M.assembly.model.name!r}: redundant constraints contradict each other: if the "
        f"others are satisfied, {q.name} is violated by {by:.6g} {unit}".rstrip()
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
                f"model {M.assembly.model.name!r}: {q.name} depends on other constraints at the "
                f"start, but is violated by {errors.max():.3g} of the size of the mechanism after "
                "a short motion that keeps these: the start is a singular position; start elsewhere"
            )
