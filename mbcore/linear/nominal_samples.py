"""The equations linearized at all samples of a nominal motion, [Schwab2002] (2.10), (2.13).

This is `mbcore.linear.linearize` for many points at once, for speed: points come first in all
shapes. The degrees of freedom are held, so that their accelerations are zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import casadi as ca
import numpy as np

from mbcore.equations.elimination.velocity import balancing_stresses
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.linear.linearize import linearizer_of
from mbcore.linear.slip_constraints import refuse_held
from mbcore.linear.variation import COLUMNS, Variation
from mbcore.model import summary, wording
from mbcore.model.errors import ConfigurationError

TOGETHER = 4_000_000
"""Largest size of a block over all points handled together, so that it fits the cache."""


@dataclass(frozen=True, repr=False)
class NominalMatrices(summary.Summarized):
    """M̄ Δq̈ + C̄ Δq̇ + K̄ Δq = -f^d + F Δu, Δq̇^k = A Δq̇ + B Δq + B^u Δu, at n points.

    Columns of K and B are the values of the degrees of freedom, then the kinematic coordinates,
    then the auxiliary states.

    Attributes
    ----------
    M, C, K, f, F : ndarray, shapes (n, nd, nd), (n, nd, nd), (n, nd, ns - nd), (n, nd), (n, nd, nu)
    A, B, B_u : ndarray, shapes (n, nk, nd), (n, nk, ns - nd), (n, nk, nu)
    rates : ndarray, shape (n, nk)
        Rates of the kinematic coordinates.
    outputs : ndarray, shape (n, ny)
        Outputs of the nominal motion.
    output_by_state, output_by_acceleration, output_by_input : ndarray
        Their derivatives with q̈ held, shape (n, ny, ns); by q̈, (n, ny, nd); by inputs.
    forces : ndarray, shape (n, nv)
        Generalized stresses of all given rates: of rigid and prescribed deformations, zero slips
        and degrees of freedom, [Schwab2002] (A.108).
    """

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    f: np.ndarray
    F: np.ndarray
    A: np.ndarray
    B: np.ndarray
    B_u: np.ndarray
    rates: np.ndarray
    outputs: np.ndarray
    output_by_state: np.ndarray
    output_by_acceleration: np.ndarray
    output_by_input: np.ndarray
    forces: np.ndarray

    def _title(self) -> str:
        return "matrices of a held motion"

    def _facts(self) -> list[str]:
        points, free = self.M.shape[:2]
        return [f"{wording.count(points, 'point')}, {free} degrees of freedom"]

    def part(self, points: slice) -> NominalMatrices:
        """Return the matrices at some of the points."""
        names = NominalMatrices.__dataclass_fields__
        return NominalMatrices(**{name: getattr(self, name)[points] for name in names})


class NominalSamples:
    """Collects points of a nominal motion and linearizes about all of them.

    Raises
    ------
    ModelError
        If the equations are superposed ones.
    """

    def __init__(self, equations: Equations) -> None:
        self._equations = equations
        self._linearizer = linearizer_of(equations)
        variation = self._linearizer.variation
        made = equations.__dict__.get("_nominal_stages")
        if made is None:
            made = equations.__dict__["_nominal_stages"] = _Stages(variation)
        self._stages: _Stages = made
        self._points: list[list[np.ndarray]] = []

    def add(self, point: Evaluation) -> None:
        """Take a point whose configuration is found, and whose unilateral contacts are open.

        Raises
        ------
        ModelError
            If a contact is closed, or a slip held.
        """
        self._linearizer.refuse_closed(point)
        refuse_held(self._equations, point, "a motion with held degrees of freedom")
        equations = self._equations
        x, winding = equations.nodal_coordinates(point.x), equations.winding_values(point.x)
        given = (point.t, point.d, point.p, winding, x, point.s, point.u)
        self._points.append([np.array(part, float) for part in given])

    def matrices(self) -> NominalMatrices:
        """Return the linearized equations at all points.

        Raises
        ------
        ConfigurationError
            If a configuration is singular, or a value is not finite.
        """
        size = self._points[0][4].size
        count = max(1, TOGETHER // max(1, size * size))
        parts = [
            self._part(self._points[i : i + count]) for i in range(0, len(self._points), count)
        ]
        return NominalMatrices(
            **{
                name: np.concatenate([getattr(part, name) for part in parts])
                for name in NominalMatrices.__dataclass_fields__
            }
        )

    def _part(self, points: list[list[np.ndarray]]) -> NominalMatrices:
        t, d, p, winding, x, s, u = (np.array(part) for part in zip(*points, strict=True))
        values = {name: np.zeros((len(points), k)) for name, k in self._stages.sizes.items()}
        values |= {"t": t, "d": d, "p": p, "winding": winding, "x": x, "s": s, "u": u}
        try:
            with np.errstate(all="ignore"):
                found = self._stages.solve(values, self._equations)
        except np.linalg.LinAlgError:
            found = None
        good = None if found is None else _finite(found)
        if found is None or not np.all(good):
            first = 0 if good is None else int(np.flatnonzero(~good)[0])
            raise ConfigurationError(
                f"{self._equations.name}: the configuration near t = {float(t[first, 0]):.9g} is "
                "singular, or a force has no value there; choose other degrees of freedom, or "
                "keep away"
            )
        return found


def _finite(found: NominalMatrices) -> np.ndarray:
    """Return at which points all is finite, shape (n,)."""
    good = np.ones(found.M.shape[0], bool)
    for name in NominalMatrices.__dataclass_fields__:
        values = getattr(found, name)
        good &= np.isfinite(values).reshape(values.shape[0], -1).all(axis=1)
    return good


class _Stages:
    """The varied equations, evaluated in the order in which their arguments become known.

    The stages before the last evaluate a few rows only, which saves most of the time.
    """

    def __init__(self, variation: Variation) -> None:
        V = self._variation = variation
        names = ["t", "d", "p", "winding", *COLUMNS, "towards"]
        function = V.function
        self.names = names
        self.sizes = {name: function.size1_in(i) for i, name in enumerate(names)}
        symbols = {name: ca.SX.sym(name, k) for name, k in self.sizes.items()}
        (residuals,) = V.residuals.call(list(symbols.values()))

        def stage(row: str, *others: ca.SX) -> ca.Function:
            return ca.Function(row, list(symbols.values()), [residuals[V.rows[row]], *others])

        B = ca.jacobian(residuals[V.rows["velocity"]], symbols["v"])  # [Schwab2002] (A.100)
        self._velocity = stage("velocity", ca.vec(ca.densify(B.T)))
        self._acceleration = stage("acceleration")
        self._motion = stage("motion")
        self._whole = function
        self._mapped: dict[tuple[str, int], ca.Function] = {}

    def _call(self, function: ca.Function, values: dict[str, np.ndarray]) -> list[np.ndarray]:
        """Return the results at all points, shapes (n, k)."""
        n = values["x"].shape[0]
        key = (function.name(), n)
        if key not in self._mapped:
            self._mapped[key] = function.map(n)
        buffer, run = self._mapped[key].buffer()
        given = [np.ascontiguousarray(values[name]) for name in self.names]
        results = [np.zeros((n, function.size1_out(i))) for i in range(function.n_out())]
        for put, arrays in ((buffer.set_arg, given), (buffer.set_res, results)):
            for i, array in enumerate(arrays):
                if array.size:
                    put(i, memoryview(array.reshape(-1).data))
        run()
        return results

    def _towards(self, values: dict[str, np.ndarray]) -> np.ndarray:
        """Return the directions that decide between sides of kinks, shape (n, k)."""
        V, found = self._variation, values["towards"]
        if not found.size:
            return found
        for i, towards in enumerate(found):
            for name, array in [("t", V.t), ("d", V.d), ("p", V.p), ("winding", V.winding)]:
                array[:] = values[name][i]
            for name in COLUMNS:
                V.values[name][:] = values[name][i]
            if V.ties():
                V.evaluate()
                towards[:] = V.towards
        return found

    def solve(self, values: dict[str, np.ndarray], equations: Equations) -> NominalMatrices:
        """Return the linearized equations; ``values`` gains velocities, accelerations, stresses."""
        V, A = self._variation, equations.assembly
        velocity, entries = self._call(self._velocity, values)
        J = entries.reshape(len(entries), *2 * (self.sizes["v"],))
        first, nd = len(A.rigid) + len(A.prescribed), len(A.independent)
        unit = np.zeros((J.shape[-1], nd))
        unit[first : first + nd] = np.eye(nd)
        held = np.concatenate(
            [np.broadcast_to(unit, (J.shape[0], *unit.shape)), -velocity[..., None]], axis=2
        )
        both = np.linalg.solve(J, held)
        H, values["v"] = both[:, :, :nd], both[:, :, nd]  # [Schwab2002] (A.102), (A.99)
        (residual,) = self._call(self._acceleration, values)
        values["a"] = -np.linalg.solve(J, residual[..., None])[..., 0]  # [Schwab2002] (A.104)
        (residual,) = self._call(self._motion, values)
        # forces that sustain the nominal motion, [Schwab2002] (2.10)
        f = np.einsum("nvd,nv->nd", H, residual)
        # [Schwab2002] (A.108)
        values["stress"] = balancing_stresses(_Jacobians(J), -residual)
        values["towards"] = self._towards(values)
        residuals, entries = self._call(self._whole, values)
        return _vary(_Blocks(V, residuals, entries, J, H), f, values["stress"])


@dataclass(frozen=True)
class _Jacobians:
    """The velocity problem's Jacobians at all points, shape (points, n, n)."""

    J: np.ndarray

    def solve_transposed(self, b: np.ndarray) -> np.ndarray:
        """Return J⁻ᵀ b at all points, shape (points, n)."""
        return cast(np.ndarray, np.linalg.solve(np.swapaxes(self.J, 1, 2), b[..., None])[..., 0])


class _Blocks:
    """Blocks of the varied equations' Jacobian at all points."""

    def __init__(
        self,
        variation: Variation,
        residuals: np.ndarray,
        entries: np.ndarray,
        J: np.ndarray,
        H: np.ndarray,
    ) -> None:
        self._variation, self._residuals, self._entries = variation, residuals, entries
        self.J, self.H = J, H

    def residual(self, row: str) -> np.ndarray:
        return cast(np.ndarray, self._residuals[:, self._variation.rows[row]])

    def times(self, row: str, name: str, values: np.ndarray) -> np.ndarray:
        return cast(np.ndarray, self(row, name) @ values)

    def __call__(self, row: str, name: str) -> np.ndarray:
        entries = self._entries[:, self._variation.places(row, name)]
        return self._variation.dense(entries, row, name)

    def by_w(self, row: str) -> np.ndarray:
        """Return the derivative of a group of rows by states and inputs."""
        return np.concatenate([self(row, "s"), self(row, "u")], axis=2)


def _vary(V: _Blocks, f: np.ndarray, stress: np.ndarray) -> NominalMatrices:
    """Vary states and inputs, with accelerations held; and the accelerations."""
    J, nd = V.J, V.H.shape[2]
    ns = V("motion", "s").shape[2]
    solve = np.linalg.solve
    x = -solve(V("position", "x"), V.by_w("position"))  # [Schwab2002] (A.113)
    v_given = V.times("velocity", "x", x) + V.by_w("velocity")
    by_both = -solve(J, np.concatenate([v_given, V("velocity", "qdd")], axis=2))
    v, v_q = by_both[..., : x.shape[2]], by_both[..., x.shape[2] :]
    a_given = (
        V.times("acceleration", "x", x) + V.times("acceleration", "v", v) + V.by_w("acceleration")
    )
    a_q_given = V.times("acceleration", "v", v_q) + V("acceleration", "qdd")
    by_both = -solve(J, np.concatenate([a_given, a_q_given], axis=2))
    a, a_q = by_both[..., : x.shape[2]], by_both[..., x.shape[2] :]
    unbalanced = (
        V.times("motion", "x", x)
        + V.times("motion", "v", v)
        + V.times("motion", "a", a)
        + V.by_w("motion")
    )
    inertia = V.times("motion", "v", v_q) + V.times("motion", "a", a_q)
    both = np.concatenate([unbalanced, inertia], axis=2)
    sigma = -solve(np.swapaxes(J, 1, 2), both)
    # [Schwab2002] (2.13), (A.114), (A.115), (A.116): [C K^d K^k K^z, -inputs, M]
    reduced = np.swapaxes(V.H, 1, 2) @ both
    # [Schwab2002] (A.117), (A.118)
    kinematic = V.times("kinematic", "x", x) + V.times("kinematic", "v", v) + V.by_w("kinematic")
    output = (
        V.times("output", "x", x)
        + V.times("output", "v", v)
        + V.times("output", "a", a)
        + V.times("output", "stress", sigma[..., : x.shape[2]])
        + V.by_w("output")
    )
    by_acceleration = (
        V.times("output", "v", v_q)
        + V.times("output", "a", a_q)
        + V.times("output", "stress", sigma[..., x.shape[2] :])
    )
    w = x.shape[2]
    return NominalMatrices(
        M=reduced[..., w:],
        C=reduced[..., :nd],
        K=reduced[..., nd:ns],
        f=f,
        F=-reduced[..., ns:w],
        A=kinematic[..., :nd],
        B=kinematic[..., nd:ns],
        B_u=kinematic[..., ns:],
        rates=V.residual("kinematic"),
        outputs=V.residual("output"),
        output_by_state=output[..., :ns],
        output_by_acceleration=by_acceleration,
        output_by_input=output[..., ns:],
        forces=stress,
    )
