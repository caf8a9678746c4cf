"""Laws and outputs of constraint forces that redundant constraints leave undetermined.

Redundant constraints admit states of self-stress: stresses σ that no load needs to balance,

    J^T σ = 0

with the Jacobian J of all rigid and prescribed deformations and zero slips. A law is determined if
no state of self-stress changes the forces in it, and so is what shows the reaction of a joint. That
is checked where the mechanism is not singular, so that a singular start does not decide.

Used by `mbcore.equations.roles.redundancy` alone; it stands apart because it is about forces.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
import scipy

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.implicit_laws import constraint_forces
from mbcore.equations.assembly.reactions import reactions
from mbcore.equations.roles.mobility import RANK, Mobility
from mbcore.model.errors import RoleError
from mbcore.model.expressions import column, depends, replace, scalars
from mbcore.model.quantities import Quantity, Slip
from mbcore.model.tables import derivatives

FELT = 1e-6
"""Share of a law's slope along a state of self-stress that is not a rounding error."""
SAMPLE = 0.61
"""Value of modes, velocities and forces at which laws are differentiated; none is special."""


def refuse_undetermined(
    M: Mobility, every: Sequence[Quantity], x: np.ndarray, released: Sequence[Quantity]
) -> None:
    """Refuse laws of constraint forces, and reactions in use, that a state of self-stress changes.

    Parameters
    ----------
    M : Mobility
        The constraints, before any of them is released.
    every : sequence of Quantity
        All constraints, in any order.
    x : ndarray
        A regular configuration.
    released : sequence of Quantity
        A choice of constraints without which all forces are unique.

    Raises
    ------
    RoleError
        If there is one; it names the law or output, the constraints that share its forces, and
        what to release.
    """
    A = M.assembly
    shown = _shown(A)
    titles = [*A.implicit.titles, *(title for title, _ in shown)]
    if not titles:
        return
    J, lengths = M.scaled(every, x)
    states = scipy.linalg.null_space(J.T, rcond=RANK)
    at = {q.name: i for i, q in enumerate(every)}
    rows = [q.name for q in A.velocity_rows]
    sizes = np.array([lengths[at[n], 0] if n in at else 1.0 for n in rows])
    slopes = _slopes(A, M.given, x, sizes, column(expression for _, expression in shown))
    columns = [i for i, n in enumerate(rows) if n in at]
    for slope, title in zip(slopes, titles, strict=True):
        along = np.zeros(len(every))
        along[[at[rows[i]] for i in columns]] = slope[columns]
        felt = states @ (states.T @ along)
        if np.linalg.norm(felt) > FELT * np.linalg.norm(along):
            least = FELT * np.abs(felt).max()
            shared = [q for q, f in zip(every, felt, strict=True) if abs(f) > least]
            _refuse(A, title, shared, released)


def _shown(A: Assembly) -> list[tuple[str, ca.SX]]:
    """Return what else holds reactions of joints, with what messages call it."""
    model, forces = A.model, column(pull.force for pull in A.model.reactions)
    written = [(f"output {name}", output.expression) for name, output in model.outputs.items()]
    written += [(f"event {name}", event.indicator) for name, event in model.events.items()]
    written += [(f"requirement {name}", r.expression) for name, r in model.requirements.items()]
    written += [(f"derivative of state {name}", rate) for name, (_, rate) in model.states.items()]
    return [(title, e) for title, e in written if depends(ca.SX(e), forces)]


def _slopes(
    A: Assembly, given: Sequence[ca.DM], x: np.ndarray, lengths: np.ndarray, shown: ca.SX
) -> np.ndarray:
    """Return derivatives of laws, and what is ``shown``, by scaled stresses of the velocity's rows.

    Those of laws count that of the limit, too, up to which a slip with a law is held. A parameter
    that is zero counts as one that is not, if no force in the laws and no constraint depends on it:
    a coefficient may be set later.
    """
    stresses = ca.SX.sym("stresses", len(lengths))
    pairs = [
        *zip((q.dual for q in A.velocity_rows), scalars(stresses), strict=True),
        *reactions(A, A.v, A.a, stresses),
    ]
    symbols, values = column(s for s, _ in pairs), column(v for _, v in pairs)
    limits = column(_limit(A, q) for q in A.implicit.quantities)
    laws = A.resolve(replace(column([A.implicit.laws, limits, shown]), symbols, values))
    geometry = ca.veccat(derivatives.jacobian(values, stresses), A.rates(A.velocity_rows))
    numbers = dict(zip("tsdup", given, strict=True))
    p = [
        SAMPLE if not value and not depends(geometry, symbol) else value
        for symbol, value in zip(scalars(A.p), numbers["p"].full().ravel(), strict=True)
    ]
    known = column([A.model.time, A.s, A.u, A.p, A.x, stresses])
    at = np.concatenate([*(numbers[n].full().ravel() for n in "tsu"), p, x, _stresses(lengths)])
    slope = derivatives.jacobian(laws, stresses)
    rest = column(s for s in ca.symvar(slope) if not depends(known, s))
    sample = ca.Function("slope", [known, rest], [ca.densify(slope)])
    found = np.array(sample(at, SAMPLE)).reshape(laws.numel(), len(lengths)) / lengths
    found[~np.isfinite(found)] = 1.0  # what cannot be differentiated counts as felt
    n = len(A.implicit.names)
    of_laws = found[:n] + np.sqrt(2) * found[n : 2 * n]  # in no ratio in which they would cancel
    return np.vstack([of_laws, found[2 * n :]])


def _stresses(lengths: np.ndarray) -> np.ndarray:
    """Return stresses without a pattern, by the lengths of their rows."""
    return np.random.default_rng(1).uniform(0.3, 1.0, len(lengths)) / lengths


def _limit(A: Assembly, q: Quantity) -> ca.SX:
    held = q.held if isinstance(q, Slip) else None
    if held is None or held.limit is None or not depends(held.limit, constraint_forces(A.model)):
        return ca.SX(0)
    return ca.SX(held.limit)


def _refuse(
    A: Assembly, title: str, shared: Sequence[Quantity], released: Sequence[Quantity]
) -> None:
    names = {q.name for q in shared}
    of = {
        q.name: element.title
        for element in A.model.elements.values()
        for q in (*element.deformations.values(), *element.slips.values())
    }
    elements = dict.fromkeys(of.get(q.name, q.name) for q in shared)
    choice = [q.name for q in released if q.name in names] or [q.name for q in released]
    raise RoleError(
        f"model {A.model.name!r}: {title} depends on forces that are not unique: redundant "
        f"constraints of {', '.join(elements)} share them. Before the equations are made, release "
        f"those that carry no load, as in release() of {', '.join(choice)}, use joints that leave "
        "these free, or give them a stiffness by laws"
    )
