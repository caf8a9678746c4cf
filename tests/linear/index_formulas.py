"""The index formulas (A.113) to (A.118) of [Schwab2002], coded once, term by term.

Each contribution keeps its name in the text and is summed as it is printed there, with these
corrections:

* r, s run over *all* quantities on which laws act, ι(ε^d, ε^k, ε^c, s^c); as D_{r,j} H_{jl} = δ_rl,
  the separate S_lm and S^d_lm of the text are those of r, s = ι(ε^d);
* K^f sums over those too;
* ẍ stands for g in K^m and K^g1, and the first factor of K^g2 is H_jl;
* K^h1 is ∂h_j/∂x_k F_kn;
* B is ∂(q̇^k)/∂q with all of ẋ, not only with the prescribed part.

``x1`` and ``c1`` are those of applied forces that depend on the configuration or the velocities
(weight of bodies with offset, loads), which the text leaves out.

D_{i,pq} is ∂(D_{i,p})/∂x_q, not symmetric for slips. Only expressions of the assembly are used, at
numbers; none of what the library linearizes with.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from mbcore import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.model.expressions import column, replace, total
from mbcore.model.quantities import Deformation


@dataclass(frozen=True)
class Contributions:
    """Named contributions, each of the size of the sum that it belongs to."""

    M: np.ndarray
    C: dict[str, np.ndarray]
    K: dict[str, np.ndarray]
    A: np.ndarray
    B: dict[str, np.ndarray]
    f_d: np.ndarray

    @property
    def nd(self) -> int:
        return self.M.shape[0]

    @property
    def matrices(self) -> dict[str, np.ndarray]:
        """Sums, by the names of ``Linearization``."""
        C, K, B = (np.sum(list(group.values()), axis=0) for group in (self.C, self.K, self.B))
        return {
            "M": self.M,
            "C": C,
            "K_d": K[:, : self.nd],
            "K_k": K[:, self.nd :],
            "A": self.A,
            "B_d": B[:, : self.nd],
            "B_k": B[:, self.nd :],
            "f_d": self.f_d,
        }


def index_formulas(equations: Equations, point: Evaluation, motion: str) -> Contributions:
    """Evaluate the formulas at a point whose configuration is found.

    Prescribed motions may depend on time, inputs and auxiliary states.
    """
    A = equations.assembly
    rates = column(A.rate(q) for q in A.velocity_rows)  # i, t = ι(ε^o, ε^m, ε^d, s^o)
    positions = column(A.residual(q) for q in A.position_rows)
    lawful = column(A.rate(q) for q in A.lawful)  # r, s
    kinematic = column(A.rate(q) for q in A.kinematic)  # p of [Schwab2002] (A.117)
    laws = column(total(q.laws) if q.laws else ca.SX(0) for q in A.lawful)
    handles = column(_rate(q) for q in A.lawful)
    values = column(
        q.value if isinstance(q, Deformation) else ca.SX.sym("no value") for q in A.lawful
    )
    moving = [q for q in A.lawful if isinstance(q, Deformation)]
    of, by = column(q.rate for q in moving), column(A.rate(q) for q in moving)
    forces = A.weight + sum(
        (ca.jtimes(A.place(replace(v, of, by)), A.v, A.resolve(f), True) for f, v in A.model.loads),
        ca.SX(0),
    )
    n = A.x.numel()

    def first(expression: ca.SX) -> ca.SX:
        return ca.jacobian(expression, A.v)

    def second(expression: ca.SX) -> ca.SX:
        return ca.jacobian(ca.vec(first(expression)), A.x)

    asked = {
        "D": first(rates),
        "D2": second(rates),
        "D3xx": ca.jacobian(ca.jtimes(rates, A.x, A.v), A.x),  # D_{i,pqv} ẋ_p ẋ_q
        "D_position": ca.jacobian(positions, A.x),
        "Dr": first(lawful),
        "Dr2": second(lawful),
        "Dk": first(kinematic),
        "Dk2": second(kinematic),
        "M": A.M,
        "M1": ca.jacobian(ca.vec(ca.densify(A.M)), A.x),
        "h": A.h,
        "h_v": ca.jacobian(A.h, A.v),
        "h_x": ca.jacobian(A.h, A.x),
        "f": forces,
        "f_v": ca.jacobian(forces, A.v),
        "f_x": ca.jacobian(forces, A.x),
        "f_rates": ca.jacobian(forces, A.dof_rates),
        "f_values": ca.jacobian(forces, ca.vertcat(A.dof_values, A.kinematic_values)),
        "sigma": A.resolve(laws),
        "S": A.resolve(ca.jacobian(laws, values)),
        "Sd": A.resolve(ca.jacobian(laws, handles)),
    }
    motions = A.place(column(q.target for q in A.prescribed))
    motion_rates = _rates_of_motion(A, motions)
    acceleration = _rates_of_motion(A, motion_rates)

    def numbers(expressions: list[ca.SX], v: np.ndarray) -> list[np.ndarray]:
        function = ca.Function(
            "f", [A.model.time, A.s, A.d, A.u, A.p, A.x, A.v], [ca.densify(e) for e in expressions]
        )
        x = equations.nodal_coordinates(point.x)
        found = function(point.t, point.s, point.d, point.u, point.p, x, v)
        listed = found if isinstance(found, (list, tuple)) else [found]
        return [np.array(value) for value in listed]

    nd, no, nm = len(A.dofs), len(A.rigid), len(A.prescribed)
    [D] = numbers([asked["D"]], np.zeros(n))
    demanded, demanded_again = (
        e.ravel() for e in numbers([motion_rates, acceleration], np.zeros(n))
    )
    inverse = np.linalg.inv(D)  # (D_{i,j})⁻¹ as [j, i]
    H_all = inverse[:, no : no + nm + nd]  # [Schwab2002] (A.102)
    H = H_all[:, nm:]
    v = H_all @ np.concatenate([demanded, point.s[:nd]])  # [Schwab2002] (A.99)
    N = dict(zip(asked, numbers(list(asked.values()), v), strict=True))

    def cube(name: str) -> np.ndarray:  # CasADi's columns first: [i, p, q]
        return N[name].reshape((-1, n, n), order="F")

    D2, Dr2, Dk2, M1 = cube("D2"), cube("Dr2"), cube("Dk2"), cube("M1")
    M, Dr, Dk, S, Sd = N["M"], N["Dr"], N["Dk"], N["S"], N["Sd"]
    F = np.linalg.inv(N["D_position"])[:, no + nm :]  # [Schwab2002] (A.113)
    sigma_r, h, f = N["sigma"].ravel(), N["h"].ravel(), N["f"].ravel()

    demands = np.zeros(n)
    demands[no : no + nm] = demanded_again
    g = inverse @ (demands - np.einsum("ipq,p,q->i", D2, v, v))  # [Schwab2002] (A.104)
    reduced = H.T @ M @ H
    rest = h + M @ g + Dr.T @ sigma_r - f
    accelerations = np.zeros(nd) if motion == "held" else -np.linalg.solve(reduced, H.T @ rest)
    a = H @ accelerations + g  # [Schwab2002] (A.103)
    unbalanced = M @ a + h + Dr.T @ sigma_r - f
    sigma = -inverse.T @ unbalanced  # [Schwab2002] (A.108)

    both = D2 + D2.swapaxes(1, 2)
    D2x = np.einsum("ipq,p->iq", D2, v)
    x_n = np.einsum("qt,tu,un->qn", inverse, D2x, F)  # (D_{t,q})⁻¹ D_{t,uv} ẋ_u F_vn
    HM = H.T @ M @ inverse  # H_jl M_jk (D_{i,k})⁻¹
    HDS, HDSd = H.T @ Dr.T @ S, H.T @ Dr.T @ Sd
    C = {
        "d": HDSd @ Dr @ H,
        "g": -np.einsum("li,ipq,pm,q->lm", HM, both, H, v),
        "h": H.T @ N["h_v"] @ H,
        "c1": -H.T @ (N["f_v"] @ H + N["f_rates"]),
    }
    values_n = np.zeros((len(A.lawful), F.shape[1]))  # D_{s,p} F_pn; a slip has no value
    for i, q in enumerate(A.lawful):
        if isinstance(q, Deformation):
            values_n[i] = Dr[i] @ F
    Dr2x = np.einsum("spq,p->sq", Dr2, v)
    K = {
        "s": HDS @ values_n,
        "f": np.einsum("i,ipq,pl,qn->ln", sigma, D2, H, F)
        + np.einsum("r,rpq,pl,qn->ln", sigma_r, Dr2, H, F),
        "d1": HDSd @ Dr2x @ F,
        "d2": -HDSd @ Dr @ x_n,
        "h1": H.T @ N["h_x"] @ F,
        "h2": -H.T @ N["h_v"] @ x_n,
        "m": np.einsum("jl,jkp,pn,k->ln", H, M1, F, a),
        "g1": -np.einsum("li,ipq,p,qn->ln", HM, D2, a, F),
        "g2": np.einsum("li,ipq,p,qn->ln", HM, both, v, x_n),
        "g3": -HM @ N["D3xx"] @ F,
        "x1": -H.T @ (N["f_x"] @ F - N["f_v"] @ x_n + N["f_values"]),
    }
    B = {"1": np.einsum("pjk,j,kn->pn", Dk2, v, F), "2": -Dk @ x_n}
    return Contributions(reduced, C, K, Dk @ H, B, H.T @ unbalanced)


def _rate(q: object) -> ca.SX:
    return q.rate if isinstance(q, Deformation) else q.velocity  # type: ignore[attr-defined]


def _rates_of_motion(A: object, motions: ca.SX) -> ca.SX:
    """Return the time derivative of prescribed motions of time, inputs and auxiliary states."""
    model = A.model  # type: ignore[attr-defined]
    changes = [(model.time, ca.SX(1))]
    changes += [(i.symbol, i.rate.symbol) for i in model.inputs.values() if i.rate]
    changes += [(record.symbol, rate) for record, rate in model.states.values()]
    of, change = column(c[0] for c in changes), column(c[1] for c in changes)
    return replace(ca.jtimes(motions, of, change), A.v, ca.SX.zeros(A.v.numel()))  # type: ignore[attr-defined]
