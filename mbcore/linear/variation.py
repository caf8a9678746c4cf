"""The unreduced equations and all their derivatives, for linearization.

One vector of residuals Φ(x, v, a, σ, q̈, s, u, λ) holds position and velocity conditions, their
second rates, the nodal equations of motion (A.15), the rates of kinematic coordinates and auxiliary
states, the outputs, and slips that may be held by multipliers λ, with their rates. Its Jacobian is
sparse: its cost grows with the size of the model, not with the cube.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from scipy import sparse

from mbcore.equations.assembly.accelerations import observed_accelerations
from mbcore.equations.assembly.applied_forces import applied_forces
from mbcore.equations.assembly.assembly import Assembly
from mbcore.equations.assembly.multipliers import normal_forces, with_smoothed_friction
from mbcore.equations.assembly.rates import Rates
from mbcore.equations.assembly.reactions import reactions
from mbcore.equations.equations import Equations
from mbcore.equations.sides import inwards
from mbcore.equations.unilateral.switched_constraints import switched_multipliers, switched_slips
from mbcore.evaluation.bound_point import Bound
from mbcore.linear.kink_direction import direction
from mbcore.model import kinks
from mbcore.model.errors import ModelError
from mbcore.model.expressions import column, replace, total
from mbcore.model.kinks import Kink, sides_along
from mbcore.model.tables import derivatives
from mbcore.model.tables.common_formulas import common_once

ROWS = (
    "position",
    "velocity",
    "acceleration",
    "motion",
    "kinematic",
    "auxiliary",
    "output",
    "law",
    "slip",
    "slip rate",
    "gap",
)
COLUMNS = ("x", "v", "a", "stress", "qdd", "s", "u", "excess", "multiplier")

SHARED = 2000
"""Size of the Jacobian up to which common subexpressions are eliminated. In larger models, which
consist of many similar elements, that takes most of the time and gains nothing."""

STAGES: dict[str, tuple[tuple[str, ...], tuple[tuple[str, str], ...]]] = {
    "velocity": (("velocity",), (("velocity", "v"),)),
    "acceleration": (("acceleration",), (("velocity", "qdd"),)),
    "motion": (
        ("motion", "slip rate"),
        (
            ("acceleration", "v"),
            ("acceleration", "qdd"),
            ("motion", "v"),
            ("motion", "a"),
            ("motion", "multiplier"),
            ("slip rate", "a"),
            ("slip rate", "qdd"),
        ),
    ),
    "forces": (("motion",), ()),
}
"""Rows and blocks that are needed before all unknowns are known, in this order."""
NESTED = 10
"""Kinks that depend on slopes of each other, at most; accelerations depend on those of forces."""
PATIENCE = 12
"""Requests for a stage before its function is made: a few linearizations need none."""


@dataclass(frozen=True)
class _Place:
    """Where the entries of one block of the Jacobian are."""

    shape: tuple[int, int]
    entries: np.ndarray
    rows: np.ndarray
    columns: np.ndarray


@dataclass(frozen=True)
class _Stage:
    """Part of the residuals and of the Jacobian, with their places in the whole."""

    call: Bound
    whole: list[np.ndarray]
    places: list[np.ndarray]

    def run(self) -> None:
        self.call()
        for whole, places, part in zip(self.whole, self.places, self.call.results, strict=True):
            whole[places, 0] = part[:, 0]


class Variation:
    """Residuals and their Jacobian's blocks at a point; arguments are set in place.

    ``residual("motion")`` and ``block("motion", "x")`` give those of the last ``evaluate``.

    Attributes
    ----------
    equations : Equations
    t, d, p : ndarray
        Time, discrete variables and parameters.
    winding : ndarray
        Values of dependent deformations in couplings, for the number of their turns.
    values : dict of str to ndarray
        The other arguments, by the names in ``COLUMNS``.
    rows, columns : dict of str to slice
        Where each group of rows and arguments is in the whole Jacobian.
    towards : ndarray
        Direction of all of ``values`` that decides where both sides of a kink are equal, found by
        ``evaluate``; empty in equations without kinks.
    function, residuals : casadi.Function
        Residuals and the Jacobian's entries by t, d, p, winding, the arguments in ``COLUMNS`` and
        ``towards``; the residuals alone by the same arguments.
    """

    def __init__(self, equations: Equations) -> None:
        A: Assembly = equations.assembly
        if A.implicit.names:
            raise ModelError(
                f"{equations.name}: the laws on {', '.join(A.implicit.names)} depend on constraint "
                "forces, which linearization by unreduced equations does not support; simulate, "
                "or take directional derivatives of the FMU"
            )
        A.winding = {name: ca.SX.sym(f"{name}:turned") for name in equations.winding_names}
        sizes, (function, self.residuals), pattern, self._ties = _make(A)
        self.equations, self.function = equations, function
        self.t = np.zeros(1)
        self.values = {name: np.zeros(sizes[name]) for name in COLUMNS}
        self.d, self.p = np.zeros(A.d.numel()), np.zeros(A.p.numel())
        self.winding = np.zeros(len(A.winding))
        self.towards = np.zeros(function.size1_in(function.n_in() - 1))
        arguments = [self.t, self.d, self.p, self.winding, *self.values.values(), self.towards]
        self._arguments, self._call = arguments, Bound(function, arguments)
        known = column([A.s, A.u])
        self._inwards = ca.Function("inwards", [A.s, A.u], [inwards(A.model, known)])
        names = constraint_events(A)
        order = {record.name: i for i, record in enumerate(A.model.events.values())}
        self._modes_of_constraints = [order[name] for name in names]
        first = len(A.rigid) + len(A.prescribed)
        self._dofs = slice(first, first + len(A.independent))
        self._places = _places(pattern, sizes)
        self.rows, self.columns = _slices(ROWS, sizes), _slices(COLUMNS, sizes)
        self._indices, self._ends = np.array(pattern.row(), int), np.array(pattern.colind(), int)
        self._shape = pattern.shape
        self._stages: dict[str, _Stage] = {}
        self._asked = 0
        self._blocks: dict[tuple[str, str], np.ndarray] = {}

    def evaluate(self, stage: str | None = None) -> None:
        """Evaluate at the present arguments.

        Parameters
        ----------
        stage : str, optional
            Of ``STAGES``: what is needed there suffices, everything else may stay as it was. Stages
            are made where they are asked for again and again.
        """
        self._blocks.clear()
        self._asked += stage is not None
        self.towards[:] = 0.0
        if stage is None or self._asked <= PATIENCE:
            self._call()
            if stage is None and self.towards.size and self.ties():
                self._decide()
            return
        if not self._stages:
            self._make_stages()
        self._stages[stage].run()

    def ties(self) -> bool:
        """Return whether both sides of a kink are equal."""
        return bool(self._ties(*self._arguments[:-1]).full().any())

    def _decide(self) -> None:
        """Find the direction that decides between sides; their change may depend on others'."""
        given = np.array(self._inwards(self.values["s"], self.values["u"])).ravel()
        held = [k for k, i in enumerate(self._modes_of_constraints) if self.d[i] > 0.5]
        for _ in range(NESTED):
            before = self._call.results[1].copy()
            self.towards[:] = direction(
                self.jacobian(), self.rows, self.columns, self._dofs, held, given
            )
            self._call()
            if np.array_equal(before, self._call.results[1], equal_nan=True):
                return

    def _make_stages(self) -> None:
        symbols = [self.function.sx_in(i) for i in range(self.function.n_in())]
        residuals, entries = self.function.call(symbols)
        for name, (rows, blocks) in STAGES.items():
            places = [np.arange(s.start, s.stop) for s in (self.rows[row] for row in rows)]
            inside = [self.places(*block) for block in blocks]
            chosen = [np.concatenate([*p, np.zeros(0, int)]).astype(int) for p in (places, inside)]
            parts = [
                ca.densify(whole[part.tolist()])
                for whole, part in zip((residuals, entries), chosen, strict=True)
            ]
            function = ca.Function(name, symbols, parts)
            self._stages[name] = _Stage(
                Bound(function, self._arguments), self._call.results, chosen
            )

    def residual(self, row: str) -> np.ndarray:
        """Return the residuals of a group of rows."""
        return self._call.results[0][self.rows[row], 0]

    def block(self, row: str, column_name: str) -> np.ndarray:
        """Return the derivative of a group of rows by a group of arguments, dense and read-only."""
        key = row, column_name
        if key not in self._blocks:
            entries = self._call.results[1].ravel()[self._places[key].entries]
            self._blocks[key] = self.dense(entries, row, column_name)
            self._blocks[key].flags.writeable = False  # later calls return the same array
        return self._blocks[key]

    def by_state_and_inputs(self, row: str) -> np.ndarray:
        """Return the derivative of a group of rows by states and inputs side by side, dense."""
        key = row, "s u"
        if key not in self._blocks:
            self._blocks[key] = np.hstack([self.block(row, "s"), self.block(row, "u")])
        return self._blocks[key]

    def places(self, row: str, column_name: str) -> np.ndarray:
        """Return where the entries of a block are among those of the Jacobian, shape (k,)."""
        return self._places[row, column_name].entries

    def dense(self, entries: np.ndarray, row: str, column_name: str) -> np.ndarray:
        """Return a block from its entries; for entries (..., k), all its blocks at once."""
        place = self._places[row, column_name]
        found = np.zeros((*entries.shape[:-1], *place.shape))
        found[..., place.rows, place.columns] = entries
        return found

    def jacobian(self) -> sparse.csc_matrix:
        """Return the whole Jacobian, sparse; ``rows`` and ``columns`` say where its blocks are."""
        entries = self._call.results[1].ravel().copy()
        return sparse.csc_matrix((entries, self._indices, self._ends), shape=self._shape)


def _make(
    A: Assembly,
) -> tuple[dict[str, int], tuple[ca.Function, ca.Function], ca.Sparsity, ca.Function]:
    n, nd = A.x.numel(), len(A.independent)
    qdd, stress = ca.SX.sym("qdd", nd), ca.SX.sym("stress", n)
    rate_of = Rates(A, qdd)
    motions = A.place(column(q.target for q in A.prescribed))
    first, second = rate_of(motions), rate_of(rate_of(motions))
    signal_rates, signals_first = rate_of.of_signals
    before, after = len(A.rigid), n - len(A.rigid) - len(A.prescribed) - nd

    def demanded(of_motions: ca.SX, of_dofs: ca.SX) -> ca.SX:
        return column([ca.SX.zeros(before), of_motions, of_dofs, ca.SX.zeros(after)])

    rates = column(A.rate(q) for q in A.velocity_rows)
    B = derivatives.jacobian(rates, A.v)  # [Schwab2002] (A.100)
    lawful = [q for q in A.lawful if q.laws]
    excess = ca.SX.sym("excess", len(lawful))
    exceeding = derivatives.jtimes(column(A.rate(q) for q in lawful), A.v, excess, True)
    rows = {
        "position": column(A.residual(q) for q in A.position_rows),
        "velocity": rates - demanded(first, A.dof_rates),
        "acceleration": B @ A.a
        + A.along(rates)
        + derivatives.jacobian(rates, signal_rates) @ rate_of(signals_first)
        - demanded(second, qdd),
        # [Schwab2002] (A.15)
        "motion": A.M @ A.a + A.h - applied_forces(A) + B.T @ stress + exceeding,
        "kinematic": A.kinematic_rates(),
        "auxiliary": rate_of.z_rates,
        "output": _outputs(A, stress),
        "law": column(A.resolve(total(q.laws)) for q in lawful),
        **_constraints(A, rate_of),
    }
    arguments = {
        "x": A.x,
        "v": A.v,
        "a": A.a,
        "stress": stress,
        "qdd": qdd,
        "s": A.s,
        "u": A.u,
        "excess": excess,
        "multiplier": column([switched_multipliers(A), normal_forces(A)]),
    }
    sizes = {k: int(v.numel()) for k, v in {**rows, **arguments}.items()}
    everything = with_smoothed_friction(A, column(rows.values()))
    everything = replace(everything, signal_rates, signals_first)
    # Only massless nodes have a marker, else the model is refused.
    for marker, _ in rate_of.missing:
        everything = replace(everything, marker, ca.SX.zeros(marker.numel()))
    by = column(arguments.values())
    opened, towards, ties = open_kinks(everything, by)
    # what elements repeat is differentiated once: a sixth fewer operations, in less time as a rule
    jacobian = ca.sparsify(derivatives.jacobian(common_once([opened])[0], by))
    inputs = [A.model.time, A.d, A.p, column(A.winding.values()), *arguments.values()]
    _refuse_unknown(A, everything, column(inputs))
    functions = _functions([*inputs, towards], everything, jacobian)
    return sizes, functions, jacobian.sparsity(), ca.Function("ties", inputs, [ties])


def _constraints(A: Assembly, rate_of: Rates) -> dict[str, ca.SX]:
    """Return held slips and rates of gaps, the rates of both, and gaps."""
    slips = column(A.rate(slip) for slip, _ in switched_slips(A))
    gaps = column(A.resolve(contact.gap) for contact in A.model.contacts.values())
    closing = rate_of(gaps)
    of_slips = derivatives.jacobian(slips, A.v) @ A.a + A.along(slips)
    return {
        "slip": column([slips, closing]),
        "slip rate": column([of_slips, rate_of(closing, A.a)]),
        "gap": gaps,
    }


def constraint_events(A: Assembly) -> list[str]:
    """Return the events that end the constraints of the multipliers: held slips, then contacts."""
    held = [constraint.name for _, constraint in switched_slips(A)]
    return held + [contact.closed_event for contact in A.model.contacts.values()]


def _functions(
    inputs: list[ca.SX], residuals: ca.SX, jacobian: ca.SX
) -> tuple[ca.Function, ca.Function]:
    """Return the function of residuals and the Jacobian's entries, and that of residuals alone."""
    results = [ca.densify(residuals), ca.densify(jacobian.nz[:])]
    if jacobian.nnz() <= SHARED:
        results = common_once(results)
    whole = ca.Function("variation", inputs, results)
    return whole, ca.Function("residuals", inputs, results[:1])


def open_kinks(expression: ca.SX, moving: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Return an expression whose kinks have sides, the direction that decides, and all ties."""
    towards = ca.SX.sym("towards", moving.numel())
    ties: list[ca.SX] = []

    def sides(found: Sequence[Kink]) -> list[ca.SX]:
        ties.extend(ca.eq(kink.first, kink.second) for kink in found)
        return sides_along(found, moving, towards)

    opened = kinks.opened(expression, sides)
    return opened, towards if ties else ca.SX(0, 1), column(ties)


def _refuse_unknown(A: Assembly, residuals: ca.SX, known: ca.SX) -> None:
    names = {symbol.name() for symbol in ca.symvar(residuals)}
    stray = names - {symbol.name() for symbol in ca.symvar(known)}
    if stray:
        raise ModelError(
            f"{A.model.name}: unknown symbols {', '.join(sorted(stray))}; use symbols of this "
            "model's parameters, inputs, states and handles only"
        )


def _outputs(A: Assembly, stress: ca.SX) -> ca.SX:
    """Outputs as functions of x, v, a, the stresses and the state."""
    pairs: list[tuple[ca.SX, ca.SX]] = []
    for i, q in enumerate(A.velocity_rows):
        pairs.append((q.dual, A.resolve(total(q.laws)) if q.laws else stress[i]))
    for q in [*A.kinematic, *A.dependent, *(s for s in A.free if s.held is None)]:
        pairs.append((q.dual, A.resolve(total(q.laws))))
    for slip, constraint in switched_slips(A):
        pairs.append((slip.dual, A.resolve(total(slip.laws)) - constraint.multiplier))
    pairs.append((A.model.kinetic_energy, A.kinetic_energy))
    pairs.append((A.model.potential_energy, A.potential_energy))
    pairs += reactions(A, A.v, A.a, stress)
    pairs += observed_accelerations(A)
    symbols, values = column(s for s, _ in pairs), column(v for _, v in pairs)
    outputs = A.resolve(column(o.expression for o in A.model.outputs.values()))
    return replace(outputs, symbols, values)


def _slices(names: tuple[str, ...], sizes: dict[str, int]) -> dict[str, slice]:
    ends = np.cumsum([0] + [sizes[name] for name in names])
    return {name: slice(a, b) for name, a, b in zip(names, ends[:-1], ends[1:], strict=True)}


def _places(pattern: ca.Sparsity, sizes: dict[str, int]) -> dict[tuple[str, str], _Place]:
    """Sort the entries of the Jacobian into blocks."""
    row, col = (np.array(part, int) for part in pattern.get_triplet())
    places = {}
    row_start = 0
    for r in ROWS:
        column_start = 0
        for c in COLUMNS:
            inside = (
                (row >= row_start)
                & (row < row_start + sizes[r])
                & (col >= column_start)
                & (col < column_start + sizes[c])
            )
            entries = np.flatnonzero(inside)
            places[r, c] = _Place(
                (sizes[r], sizes[c]),
                entries,
                row[entries] - row_start,
                col[entries] - column_start,
            )
            column_start += sizes[c]
        row_start += sizes[r]
    return places
