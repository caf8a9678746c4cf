"""Variation of the motion at a point by states and inputs, one column each.

Sources: [Schwab2002] (A.113) to (A.118).

Names are those of the texts: B is the Jacobian of the velocity problem, H the first-order
transfer functions, M the reduced mass matrix.

`mbcore.linear.linearizer` puts matrices together from it, `mbcore.linear.terms` single terms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mbcore.equations.elimination.velocity import balancing_stresses
from mbcore.equations.equations import Equations
from mbcore.evaluation.evaluation import Evaluation
from mbcore.evaluation.reduced_mass import is_singular, refuse_singular
from mbcore.linear.factors import DenseFactors
from mbcore.linear.slips.constraints import SlipConstraints, constraints_at, refuse_held
from mbcore.linear.term_sizes import sizes_of_terms, summed
from mbcore.linear.variation import Variation
from mbcore.model import wording
from mbcore.model.errors import ModelError

Parts = dict[str, np.ndarray]
"""Variations by the names of what varies, of ``COLUMNS``."""


@dataclass(frozen=True)
class SolvedMotion:
    """Solution at a point that the variations need.

    Attributes
    ----------
    B : DenseFactors
        Of the velocity problem.
    H : ndarray, shape (nv, nd)
        Velocities by rates of the degrees of freedom, [Schwab2002] (A.102).
    v_q : ndarray, shape (nv, nd)
        Velocities by accelerations of the degrees of freedom, where laws of the state bring them.
    M : ndarray, shape (nd, nd)
        Reduced mass matrix.
    f_d : ndarray, shape (nd,)
        f_d of [Schwab2002] (2.38), the forces that sustain the nominal motion.
    slips : SlipConstraints
        Slips that are held, and contacts that are closed.
    """

    B: DenseFactors
    H: np.ndarray
    v_q: np.ndarray
    M: np.ndarray
    f_d: np.ndarray
    slips: SlipConstraints


@dataclass(frozen=True)
class VariedMotion:
    """Variations by states and inputs, one column each, ns + nu of them.

    Attributes
    ----------
    reduced : ndarray, shape (nd, ns + nu)
        [C K^d K^k K^z, -inputs]: reduced forces that the accelerations balance.
    qdd, kinematic, auxiliary : ndarray
        Accelerations of the degrees of freedom, rates of kinematic coordinates and of auxiliary
        states.
    output : ndarray
    slip, gap : ndarray
        Slips that can be held, then rates of gaps; gaps.
    sizes : ndarray, shape (k, ns + nu)
        Sizes of the terms in rates and slips.
    """

    reduced: np.ndarray
    qdd: np.ndarray
    kinematic: np.ndarray
    auxiliary: np.ndarray
    output: np.ndarray
    slip: np.ndarray
    gap: np.ndarray
    sizes: np.ndarray


@dataclass(frozen=True)
class Place:
    """Where equations are linearized: what the unreduced equations need of an `Evaluation`.

    Attributes
    ----------
    t, s, d, u, p, x : ndarray
        Arguments of the equations' functions.
    motion : str
        Whether degrees of freedom accelerate, see `mbcore.linearize`.
    """

    t: np.ndarray
    s: np.ndarray
    d: np.ndarray
    u: np.ndarray
    p: np.ndarray
    x: np.ndarray
    motion: str

    @classmethod
    def of(cls, point: Evaluation, motion: str) -> Place:
        """Return the place of an evaluation whose configuration is found."""
        t, s, d, u, p, x = (
            a.copy() for a in (point.t, point.s, point.d, point.u, point.p, point.x)
        )
        return cls(t, s, d, u, p, x, motion)


def variation_of(equations: Equations) -> Variation:
    """Return the unreduced equations varied, made when they are first asked for.

    Raises
    ------
    ModelError
        If parameters are constants in the equations.
    """
    if equations.fixed:
        names = wording.listed([record.name for record in equations.fixed])
        raise ModelError(
            f"{equations.name}: {names} are constants in these equations, which only C linearizes; "
            "give model.equations() with these values as parameters={...}"
        )
    made: Variation = equations.kept("variation", lambda: Variation(equations))
    return made


def solve_motion(V: Variation, point: Place) -> SolvedMotion:
    """Solve the unreduced equations at a point, and leave them evaluated there.

    Raises
    ------
    ModelError
        If a motion that is held contradicts a held slip.
    ConfigurationError
        If the configuration is singular, or degrees of freedom without mass are not held.
    """
    equations, A, values = V.equations, V.equations.assembly, V.values
    V.t[:], V.d[:], V.p[:] = point.t, point.d, point.p
    for name in ("v", "a", "stress", "qdd", "multiplier"):
        values[name][:] = 0.0
    values["x"][:] = equations.nodal_coordinates(point.x)
    V.winding[:] = equations.winding_values(point.x)
    values["s"][:], values["u"][:] = point.s, point.u

    V.evaluate("velocity")
    B = DenseFactors(V.block("velocity", "v"), "velocity", equations)
    first = len(A.rigid) + len(A.prescribed)
    unit = np.eye(values["x"].size)[:, first : first + len(A.independent)]
    H = B.solve(unit)  # [Schwab2002] (A.102)
    values["v"][:] = -B.solve(V.residual("velocity"))  # [Schwab2002] (A.99)
    V.evaluate("acceleration")
    v_q = -B.solve(V.block("velocity", "qdd"))  # of motions prescribed by the state
    values["a"][:] = -B.solve(V.residual("acceleration"))  # [Schwab2002] (A.104)
    V.evaluate("motion")
    held = constraints_at(equations, point)
    if point.motion == "held":
        owner = "linearize with motion='held'"
        refuse_held(equations, point, owner, V.residual("slip rate"))
    a_q = by_accelerations(V, B, v_q)
    # [Schwab2002] (A.114); the first part is that of motions that depend on rates
    M = H.T @ (V.block("motion", "v") @ v_q + V.block("motion", "a") @ a_q)
    slips = SlipConstraints(V, M, H, a_q, held)
    if point.motion == "actual" and H.shape[1]:
        refuse_singular(M, equations)
        qdd, values["multiplier"][slips.held] = slips.solve(
            H.T @ V.residual("motion"), V.residual("slip rate")[slips.held]
        )
        values["qdd"][:] = qdd
        # Motions prescribed by rates depend on the accelerations, so velocities and
        # accelerations follow them.
        values["v"] += v_q @ qdd
        values["a"] += a_q @ qdd
        V.evaluate("forces")
    f_d = H.T @ V.residual("motion")  # [Schwab2002] (2.38)
    # [Schwab2002] (A.108)
    values["stress"][:] = balancing_stresses(B, -V.residual("motion"))
    V.evaluate()
    return SolvedMotion(B, H, v_q, M, f_d, slips)


def by_accelerations(V: Variation, B: DenseFactors, v_q: np.ndarray) -> np.ndarray:
    """Return accelerations by those of the degrees of freedom, shape (nv, nd)."""
    return -B.solve(V.block("acceleration", "v") @ v_q + V.block("acceleration", "qdd"))


def vary(V: Variation, motion: SolvedMotion, valued: int, kinematic: int) -> VariedMotion:
    """Vary the state and the inputs.

    Parameters
    ----------
    V : Variation
        Evaluated at the point.
    valued, kinematic : int
        Numbers of degrees of freedom that have values, and of kinematic coordinates.
    """
    B, H, v_q, slips = motion.B, motion.H, motion.v_q, motion.slips
    without_mass = is_singular(motion.M)  # then the accelerations are held
    nd, columns = H.shape[1], V.by_state_and_inputs("motion").shape[1]
    fixed = at_fixed_accelerations(V, B)
    # K Δx + C Δẋ + M Δẍ, with the global K and C of [Schwab2002] (2.12), (2.39)
    unbalanced = _with_state(V, "motion", fixed)
    reduced = H.T @ unbalanced  # [Schwab2002] (A.112)
    qdd, multiplier = np.zeros((nd, columns)), np.zeros((len(slips.held), columns))
    if not without_mass:
        qdd, multiplier = slips.solve(reduced, _with_state(V, "slip rate", fixed)[slips.held])
    a_q = by_accelerations(V, B, v_q)
    moved = {"x": fixed["x"], "v": fixed["v"] + v_q @ qdd, "a": fixed["a"] + a_q @ qdd}
    holding = V.block("motion", "multiplier")[:, slips.held] @ multiplier
    forced = (V.block("motion", "v") @ v_q + V.block("motion", "a") @ a_q) @ qdd
    stress = -B.solve_transposed(unbalanced + forced + holding)
    output = _sum(V, "output", {**moved, "stress": stress})
    output = output + V.block("output", "multiplier")[:, slips.held] @ multiplier
    velocities = {"x": moved["x"], "v": moved["v"]}
    applied = None if without_mass else slips.applied(H)
    return VariedMotion(
        reduced=reduced,
        # NaN rather than zero: with no mass there is no acceleration to speak of.
        qdd=np.full_like(qdd, np.nan) if without_mass else qdd,
        kinematic=_with_state(V, "kinematic", velocities),
        auxiliary=_with_state(V, "auxiliary", velocities),
        output=output + V.by_state_and_inputs("output"),
        slip=_with_state(V, "slip", {"x": fixed["x"], "v": fixed["v"]}),
        gap=_with_state(V, "gap", {"x": fixed["x"]}),
        sizes=sizes_of_terms(V, moved, B, applied, (nd, valued, kinematic)),
    )


def at_fixed_accelerations(V: Variation, B: DenseFactors) -> Parts:
    """Vary configuration, velocities and accelerations, those of degrees of freedom held."""
    P = DenseFactors(V.block("position", "x"), "position", V.equations)
    x = P.without_rounding(-P.solve(V.by_state_and_inputs("position")))  # [Schwab2002] (A.113)
    in_v = summed((V.block("velocity", "x"), x), added=V.by_state_and_inputs("velocity"))
    v = B.without_rounding(-B.solve(in_v))  # [Schwab2002] (A.56)
    in_a = summed(
        (V.block("acceleration", "x"), x),
        (V.block("acceleration", "v"), v),
        added=V.by_state_and_inputs("acceleration"),
    )
    a = B.without_rounding(-B.solve(in_a))  # [Schwab2002] (A.64)
    return {"x": x, "v": v, "a": a}


def _with_state(V: Variation, row: str, varied: Parts) -> np.ndarray:
    """Return the variation of a group of rows that also depend on states and inputs themselves."""
    return _sum(V, row, varied) + V.by_state_and_inputs(row)


def _sum(V: Variation, row: str, varied: Parts) -> np.ndarray:
    """Return the variation of a group of rows."""
    products = [V.block(row, name) @ part for name, part in varied.items()]
    return sum(products[1:], start=products[0])
