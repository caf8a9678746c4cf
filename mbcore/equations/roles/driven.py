"""Whether seemingly redundant constraints agree with prescribed motions, in places and rates.

Rows of Jacobians show which constraints depend on each other, not whether they agree. Where a
motion is given by time, an input or a state, the rates that it demands must depend in the same way:
otherwise a constraint that follows from the others at rest contradicts them when they move.

Used by `mbcore.equations.roles.redundancy` alone; it stands apart because it checks numerically,
and the other one algebraically.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import casadi as ca
import numpy as np

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.roles.mobility import MET, STEP, Mobility
from mbcore.model.errors import RoleError
from mbcore.model.expressions import column
from mbcore.model.quantities import Deformation, Quantity, Slip
from mbcore.model.tables import derivatives

APART = 1e-6
"""Part of a row of length one, or of the demanded rates, above which it is independent."""
TIMES = 3
"""Number of places along the prescribed motions at which constraints are checked."""


class Demands:
    """The demands of constraints on velocities, J ẋ = B ṡ, with s all given values.

    Parameters
    ----------
    assembly : Assembly
        The model with its roles.
    rows : sequence of Quantity
        Deformations and slips.
    """

    def __init__(self, assembly: Assembly, rows: Sequence[Quantity]) -> None:
        A = self._assembly = assembly
        self.rows = list(rows)
        self._arguments = [A.model.time, A.s, A.d, A.u, A.p, A.x]
        given = [("time", A.model.time), *((s.name, s.symbol) for s in A.state_records())]
        given += [(i.name, i.symbol) for i in A.model.inputs.values()]
        demanded = column(
            A.residual(q) if isinstance(q, Deformation) else ca.SX(0) for q in self.rows
        )
        self._slopes = -derivatives.jacobian(demanded, column(symbol for _, symbol in given))
        used = sorted(set(self._slopes.sparsity().get_col()))
        self.names = [given[k][0] for k in used]
        self._slopes = self._slopes[:, used]

    def at(self, M: Mobility, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return J and B at ``x``, the rows of J of length one."""
        f = ca.Function("demands", self._arguments, [ca.densify(self._slopes)])
        slopes = np.array(f(*M.given, x).full()).reshape(len(self.rows), len(self.names))
        J, lengths = M.scaled(self.rows, x)
        return J, slopes / lengths


def refuse_driven(
    M: Mobility, kept: Sequence[Deformation], slips: Sequence[Slip], released: Sequence[Quantity]
) -> None:
    """Refuse released constraints that contradict prescribed motions, or follow by chance only.

    Parameters
    ----------
    M : Mobility
        The mechanism.
    kept : sequence of Deformation
        Rigid and prescribed deformations that are independent.
    slips : sequence of Slip
        Zero slips that are independent of them.
    released : sequence of Quantity
        Constraints that depend on both.

    Raises
    ------
    RoleError
        Naming the constraint, and the ones that it depends on or contradicts.
    """
    if not released:
        return
    base: list[Quantity] = [*kept, *slips]
    demands = Demands(M.assembly, [*base, *released])
    for there, x in _places(M, kept, slips, bool(demands.names)):
        J, B = demands.at(there, x)
        for i, q in enumerate(released):
            k = len(base) + i
            weights, *_ = np.linalg.lstsq(J[: len(base)].T, J[k], rcond=None)
            if np.linalg.norm(J[k] - weights @ J[: len(base)]) > APART and isinstance(q, Slip):
                _refuse_chance(M, q)
            misfit = np.abs(B[k] - weights @ B[: len(base)])
            size = np.abs(B).max(axis=0, initial=0.0)
            wrong = [
                n for n, m, s in zip(demands.names, misfit, size, strict=True) if m > APART * s
            ]
            if wrong:
                others = [o for o, w in zip(base, weights, strict=True) if abs(w) > APART]
                _refuse_contradiction(M, q, others, wrong)


def _places(
    M: Mobility, kept: Sequence[Deformation], slips: Sequence[Slip], driven: bool
) -> Iterator[tuple[Mobility, np.ndarray]]:
    """Return the places of the check: here, after short motions, and after prescribed motions."""
    x = M.elsewhere
    yield M, x
    yield from ((M, there) for there in M.motions(kept, x, slips))
    random = np.random.default_rng(1)
    for k in range(TIMES if driven else 0):
        for length in (STEP, STEP / 4, STEP / 16):
            moved = M.driven(length * (1 + k), random)
            there, error = moved.met(moved.followed(kept), x)
            if error <= MET:
                yield moved, there
                break


def _refuse_chance(M: Mobility, q: Quantity) -> None:
    raise RoleError(
        f"model {M.assembly.model.name!r}: {q.name} depends on other constraints at the start, but "
        "not after a short motion that keeps these: the start is a singular position; start "
        "elsewhere"
    )


def _refuse_contradiction(
    M: Mobility, q: Quantity, others: Sequence[Quantity], drives: Sequence[str]
) -> None:
    named = ", ".join(f"{o.name} ({o.role.value})" for o in (*others, q) if o.role is not None)
    raise RoleError(
        f"model {M.assembly.model.name!r}: a prescribed motion is impossible: these depend on each "
        f"other, {named}, and do not fit together while {' or '.join(drives)} changes; release "
        f"{q.name}, or let the motion give way: a spring or a torque in place of prescribe()"
    )
