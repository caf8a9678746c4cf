"""Contributions to M, C and K: [Schwab2002] (A.114) to (A.116), and their parts in eigenvalues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mbcore.equations.equations import Equations
from mbcore.linear.terms.derivatives import TermDerivatives
from mbcore.linear.terms.eigenvalue_parts import EigenvaluePart, parts_of
from mbcore.linear.terms.figures import draw_parts, draw_terms
from mbcore.linear.variation import Variation
from mbcore.linear.varied_motion import (
    Place,
    SolvedMotion,
    at_fixed_accelerations,
    by_accelerations,
    solve_motion,
    variation_of,
)
from mbcore.model import near_names, summary, wording
from mbcore.model.errors import ModelError
from mbcore.results.mode import Mode

MEANINGS = {
    "M^r": "inertia",
    "M^p": "inertia felt by motions prescribed by rates",
    "C^d": "damping of laws",
    "C^g": "convective accelerations",
    "C^h": "convective inertia terms, gyroscopic ones among them",
    "C^l": "loads by velocities",
    "C^p": "motions prescribed by rates",
    "K^s": "stiffness of laws",
    "K^f": "geometric stiffness: stresses on changed directions",
    "K^d1": "dampers' rates by the changed configuration",
    "K^d2": "dampers' rates by changed velocities",
    "K^h1": "convective inertia terms by the changed configuration",
    "K^h2": "convective inertia terms by changed velocities",
    "K^m": "mass matrix by the changed configuration, times accelerations",
    "K^g1": "accelerations on changed first derivatives of deformations",
    "K^g2": "convective accelerations by changed velocities",
    "K^g3": "third derivatives of deformations",
    "K^l": "loads and weight by the changed configuration",
    "K^p": "motions prescribed by the state",
    "K^z": "auxiliary states",
}
"""Meaning of each term. The first letter is the matrix; K^z, with auxiliary states as columns, is
in no matrix and takes part in eigenvalues only."""
BEYOND_THE_TEXT = ("M^p", "C^l", "C^p", "K^l", "K^p", "K^z")
"""Terms that the text does not have; a table leaves them out where they vanish."""

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

Terms = dict[str, np.ndarray]


@dataclass(frozen=True, kw_only=True, repr=False)
class Contributions(summary.Summarized):
    """The terms of M̄, C̄ and K̄ = [K̄^d K̄^k], as the summary of [Schwab2002] Appendix A lists them.

    With nd degrees of freedom, of which nv have values, and nk kinematic coordinates. The terms of
    a matrix add up to it. Beyond the text there are loads (``C^l``, ``K^l``: weight and forces that
    change with the state), motions prescribed by the state (``M^p``, ``C^p``, ``K^p``), and
    auxiliary states (``K^z``), which are listed where they do not vanish. Dampers of degrees of
    freedom have no part in K^d1 and K^d2: their rates are states.

    Attributes
    ----------
    name : str
        Of the model.
    M, C, K : dict of str to ndarray, shapes (nd, nd), (nd, nd), (nd, nv + nk)
        Terms by their names in the text.
    rates, values : tuple of str
        States that are the columns of M and C, and of K; ``rates`` name the rows, too.
    auxiliary : ndarray, shape (nd, nz)
        K^z: reduced forces by auxiliary states.
    state_matrix, nominal : ndarray, shapes (ns, ns), (ns,)
        Of the linearization, and natural sizes of the states.
    unclear : str or None
        Why eigenvalues have no parts there.
    """

    name: str
    M: Terms
    C: Terms
    K: Terms
    rates: tuple[str, ...]
    values: tuple[str, ...]
    auxiliary: np.ndarray
    state_matrix: np.ndarray
    nominal: np.ndarray
    unclear: str | None = None

    @property
    def rows(self) -> tuple[str, ...]:
        """Degrees of freedom, by the names of their rates."""
        return self.rates

    def _title(self) -> str:
        return f"contributions of {self.name}"

    def _facts(self) -> list[str]:
        felt = [name for name, term in self._all().items() if term.any()]
        return [wording.count(len(self.rates), "degree of freedom"), wording.listed(felt)]

    def _tables(self) -> list[summary.Table]:
        found = [
            (name, MEANINGS[name], float(np.abs(term).max(initial=0.0)))
            for name, term in self._all().items()
        ]
        return [summary.Table("terms", ("term", "what", "largest entry"), found)]

    def _all(self) -> Terms:
        return {**self.M, **self.C, **self.K}

    def _of(self, matrix: str) -> tuple[Terms, tuple[str, ...]]:
        known = {"M": (self.M, self.rates), "C": (self.C, self.rates), "K": (self.K, self.values)}
        if matrix not in known:
            raise ModelError(near_names.unknown("matrix", matrix, known))
        return known[matrix]

    def to_pandas(self, matrix: str | None = None) -> pandas.DataFrame:
        """Return the terms as a table.

        Parameters
        ----------
        matrix : {"M", "C", "K"}, optional
            Rows are terms and degrees of freedom, with the sum at the end, columns coordinates.
            Without it, all three matrices are in one table with a row for each entry: ``matrix``,
            ``term``, ``meaning``, ``row``, ``column``, ``value``.

        Raises
        ------
        ModelError
            If there is no such matrix.
        """
        import pandas

        if matrix is None:
            entries = [
                (which, term, MEANINGS[term], row, column, values[i, k])
                for which in "MCK"
                for term, values in self._of(which)[0].items()
                for i, row in enumerate(self.rows)
                for k, column in enumerate(self._of(which)[1])
            ]
            heads = ["matrix", "term", "meaning", "row", "column", "value"]
            return pandas.DataFrame(entries, columns=heads)
        terms, columns = self._of(matrix)
        listed = {**terms, "sum": sum(terms.values(), start=np.zeros_like(self._zero(matrix)))}
        index = pandas.MultiIndex.from_product([list(listed), self.rows], names=["term", "row"])
        return pandas.DataFrame(np.vstack(list(listed.values())), index, list(columns))

    def _zero(self, matrix: str) -> np.ndarray:
        return np.zeros((len(self.rows), len(self._of(matrix)[1])))

    def draw(self, matrix: str = "K") -> Figure:
        """Draw the terms of a matrix: one row for each, one column for each entry that is felt.

        Colours are parts of the largest term of the entry; the sum stands below.

        Returns
        -------
        Figure
            Not shown and not saved; call ``figure.savefig``.

        Raises
        ------
        ModelError
            If there is no such matrix.
        """
        terms, columns = self._of(matrix)
        return draw_terms(f"{self.name}: terms of {matrix}", terms, self.rows, columns)

    def parts(self, mode: Mode) -> dict[str, complex]:
        """Return the part of each term in the change of an eigenvalue, 1/s.

        A term that grows by the factor 1 + δ changes the eigenvalue λ by δ times its part,
        -wᵀ T v / wᵀ(2λM + C)v with T = λ²M^i, λC^i or K^i in systems without kinematic coordinates.
        All parts, that of the mass matrix too, add up to zero: wᵀ(λ²M + λC + K) v = 0. A
        positive real part destabilizes.

        Parameters
        ----------
        mode : Mode
            Of ``modes()`` of the same linearization.

        Raises
        ------
        ModelError
            If the number is not an eigenvalue here, is multiple, or belongs to free rotations
            that turn or to held slips, where C and K are not all.
        """
        what = EigenvaluePart(self.name, self.state_matrix, self.nominal, len(self.rates))
        if self.unclear is not None:
            raise ModelError(f"{self.name}: parts in eigenvalues: {self.unclear}")
        terms: dict[str, np.ndarray] = {}
        nd, ns = len(self.rates), self.nominal.size
        for name, term in (*self.C.items(), *self.K.items()):
            whole = np.zeros((nd, ns))
            first = 0 if name[0] == "C" else nd
            whole[:, first : first + term.shape[1]] = term
            terms[name] = whole
        if self.auxiliary.any():
            whole = np.zeros((nd, ns))
            whole[:, ns - self.auxiliary.shape[1] :] = self.auxiliary
            terms["K^z"] = whole
        return parts_of(what, mode.eigenvalue, terms, self.M)

    def draw_parts(self, mode: Mode) -> Figure:
        """Draw the part of each term in an eigenvalue: real parts, which destabilize or damp.

        Returns
        -------
        Figure
            Not shown and not saved; call ``figure.savefig``.

        Raises
        ------
        ModelError
            As `parts`.
        """
        value = wording.formatted(mode.eigenvalue)
        return draw_parts(f"{self.name}: parts in the eigenvalue {value} 1/s", self.parts(mode))


def contributions_at(equations: Equations, place: Place) -> tuple[Terms, Terms, Terms]:
    """Return the terms of M, C and K where equations were linearized.

    Raises
    ------
    ModelError
        If laws depend on constraint forces.
    """
    V, A = variation_of(equations), equations.assembly
    motion = solve_motion(V, place)
    nd, end = len(A.independent), len(A.independent) + len(A.dofs) + len(A.kinematic)
    made = equations.kept("terms", lambda: TermDerivatives(V))
    masses, columns = _terms(V, motion, made())
    of_C = {name: np.zeros((nd, nd)) for name in MEANINGS if name[0] == "C"}
    of_K = {}
    for name, term in columns.items():
        of_C[of_rates(name)] = of_C[of_rates(name)] + term[:, :nd]
        of_K[name] = term[:, nd:end]
    of_K = {name: of_K[name] for name in MEANINGS if name in of_K}
    return _listed(masses), _listed(of_C), _listed(of_K)


def _listed(terms: Mapping[str, np.ndarray]) -> Terms:
    return {n: term for n, term in terms.items() if n not in BEYOND_THE_TEXT or term.any()}


def _terms(
    V: Variation, motion: SolvedMotion, D: dict[tuple[str, str], np.ndarray]
) -> tuple[Terms, Terms]:
    """Return terms of M, and terms of the reduced forces with columns of all states."""
    B, H, v_q = motion.B, motion.H, motion.v_q
    fixed, ns, nd = at_fixed_accelerations(V, B), V.values["s"].size, motion.H.shape[1]
    x, v = fixed["x"][:, :ns], fixed["v"][:, :ns]
    mass = D["inertia", "a"]
    through = B.solve_transposed(mass.T @ H).T  # H_jl M_jk (D_{i,k})⁻¹

    def moved(piece: str, copy: str = "x") -> np.ndarray:
        return np.asarray(D[piece, copy] @ x)

    def direct(piece: str, rates: bool) -> np.ndarray:
        """Columns of rates or all others: what depends on the states themselves."""
        found = D[piece, "s"].copy()
        found[:, slice(nd, None) if rates else slice(nd)] = 0.0
        return found

    inertias = {
        "K^m": moved("inertia"),
        "K^h1": moved("convective") + direct("convective", False),
        "K^h2": D["convective", "v"] @ v + direct("convective", True),
        "K^f": moved("constraint") + moved("laws") + D["constraint", "s"],
        "K^s": moved("laws", "values") + direct("laws", False),
        "K^d1": moved("laws", "rates"),
        "K^d2": D["laws", "v"] @ v + direct("laws", True),
        "K^l": moved("loads") + moved("loads", "values") + D["loads", "v"] @ v + D["loads", "s"],
    }
    convective = {
        "K^g1": moved("slopes") + D["slopes", "s"],
        "K^g2": D["along", "v"] @ v,
        "K^g3": moved("along") + D["along", "s"],
        "K^p": moved("demanded") + D["demanded", "v"] @ v + D["demanded", "s"],
    }
    reduced = {name: H.T @ term for name, term in inertias.items()}
    reduced |= {name: -through @ term for name, term in convective.items()}
    a_q = by_accelerations(V, B, v_q)
    felt = H.T @ (V.block("motion", "v") @ v_q + mass @ (a_q - H)) if v_q.any() else 0.0 * motion.M
    return {"M^r": H.T @ mass @ H, "M^p": felt}, reduced


def of_rates(name: str) -> str:
    """Return the term of C that a term of K is in the columns of rates."""
    letter = name.removeprefix("K^")[0]
    return f"C^{letter}" if letter in "dhl" or name == "K^g2" else "C^p"
