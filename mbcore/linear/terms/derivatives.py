"""Derivatives of the single terms of the equations of motion and of the convective accelerations.

Laws are written with three copies of the configuration: in what they multiply, in values of
deformations and in their rates. So a derivative by each belongs to one term of the texts.

Used by `mbcore.linear.terms.contributions` alone; it stands apart because it writes expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np

from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.loads import Action, loads, pressing_actions, rubbing_actions
from mbcore.equations.assembly.multipliers import normal_forces, with_smoothed_friction
from mbcore.equations.assembly.rates import Rates
from mbcore.equations.unilateral.switched_constraints import switched_multipliers
from mbcore.linear.variation import Variation, open_kinks
from mbcore.model.expressions import column, depends, replace, total
from mbcore.model.tables import derivatives

PIECES = ("inertia", "convective", "constraint", "laws", "loads", "slopes", "along", "demanded")
"""Parts of the equations of motion, then those of the accelerations' condition."""
COPIES = ("x", "values", "rates")
"""Where the configuration stands: everywhere, in values of laws, in rates of laws."""


class TermDerivatives:
    """Derivatives of ``PIECES`` by copies of x, by v and by states, at the point of a `Variation`.

    Parameters
    ----------
    variation : Variation
        Evaluated at the point.
    """

    def __init__(self, variation: Variation) -> None:
        A = variation.equations.assembly
        stress = ca.SX.sym("stress", A.x.numel())
        qdd = ca.SX.sym("qdd", len(A.independent))
        copies = {name: ca.SX.sym(f"x in {name}", A.x.numel()) for name in COPIES[1:]}
        rate_of = Rates(A, qdd)
        pieces = _pieces(A, stress, rate_of, copies)
        everything = _known(A, column(pieces[name] for name in PIECES), rate_of)
        multipliers = column([switched_multipliers(A), normal_forces(A)])
        moving = column([A.x, A.v, A.a, stress, A.s, A.u, multipliers, qdd, *copies.values()])
        opened, towards, _ = open_kinks(everything, moving)
        ends = np.cumsum([0, *(pieces[name].numel() for name in PIECES)])
        by = {"x": A.x, **copies, "v": A.v, "s": A.s}
        self._keys, entries = [], []
        for name, first, last in zip(PIECES, ends[:-1], ends[1:], strict=True):
            for what, symbols in by.items():
                self._keys.append((name, what))
                entries.append(derivatives.jacobian(opened[int(first) : int(last)], symbols))
        self._keys.append(("inertia", "a"))
        entries.append(A.M)
        arguments = [A.model.time, A.d, A.p, column(A.winding.values()), moving, towards]
        self._function = ca.Function("terms", arguments, entries)
        self._variation, self._towards = variation, towards.numel()

    def __call__(self) -> dict[tuple[str, str], np.ndarray]:
        """Return dense derivatives by piece and by what it is differentiated."""
        V = self._variation
        values = V.values
        names = ("x", "v", "a", "stress", "s", "u", "multiplier", "qdd", "x", "x")
        towards = np.zeros(self._towards)
        if self._towards and V.towards.size:
            towards = np.concatenate([V.towards[V.columns[name]] for name in names])
        moving = np.concatenate([values[name] for name in names])
        found = self._function(V.t, V.d, V.p, V.winding, moving, towards)
        return {key: np.array(ca.DM(part)) for key, part in zip(self._keys, found, strict=True)}


def _pieces(
    A: Assembly, stress: ca.SX, rate_of: Rates, copies: dict[str, ca.SX]
) -> dict[str, ca.SX]:
    """Return the parts of residuals; their signs are those of the residuals of `Variation`."""
    first = rate_of(A.place(column(q.target for q in A.prescribed)))
    rates = column(A.rate(q) for q in A.velocity_rows)
    B = derivatives.jacobian(rates, A.v)  # [Schwab2002] (A.100)
    signal_rates, signals_first = rate_of.of_signals
    unmoved = ca.SX.zeros(len(A.rigid)), ca.SX.zeros(len(A.independent) + len(A.zero))
    held = [(s.expression, s.held.multiplier) for s in A.free if s.held is not None]
    rubbing = [action for action in rubbing_actions(A.model) if action is not None]
    laws = [(A.nodal_rate(q), -total(q.laws)) for q in A.lawful if q.laws]
    return {
        "inertia": A.M @ A.a,
        "convective": A.h,
        "constraint": B.T @ stress - _nodal(A, held + pressing_actions(A.model), A.resolve),
        "laws": -_nodal(A, laws, lambda e: _with_copies(A, e, copies)),
        "loads": -A.weight - _nodal(A, loads(A.model) + rubbing, A.resolve),
        "slopes": B @ A.a,
        "along": A.along(rates),
        "demanded": derivatives.jacobian(rates, signal_rates) @ rate_of(signals_first)
        - column([unmoved[0], rate_of(first), unmoved[1]]),
    }


def _nodal(A: Assembly, actions: Sequence[Action], resolve: Callable[[ca.SX], ca.SX]) -> ca.SX:
    """Return the nodal forces of pairs of nodal velocity and force, shape (n, 1)."""
    if not actions:
        return ca.SX.zeros(A.x.numel())
    velocities = A.place(column(velocity for velocity, _ in actions))
    forces = resolve(column(force for _, force in actions))
    return A.resolve(derivatives.jtimes(velocities, A.v, forces, True))


def _with_copies(A: Assembly, forces: ca.SX, copies: dict[str, ca.SX]) -> ca.SX:
    """Return laws in x, v and the state, with copies of x in values and in rates."""
    symbols, expressions = A.user_symbols
    written = [
        replace(e, A.x, copies["rates" if depends(e, A.v) else "values"])
        for e in ca.vertsplit(expressions)
    ]
    return replace(replace(A.place(forces), A.x, copies["values"]), symbols, column(written))


def _known(A: Assembly, everything: ca.SX, rate_of: Rates) -> ca.SX:
    """Return residuals without rates of signals and markers of missing rates."""
    everything = with_smoothed_friction(A, replace(everything, *rate_of.of_signals))
    for nothing, _ in rate_of.missing:
        everything = replace(everything, nothing, ca.SX.zeros(nothing.numel()))
    return everything
